"""Random calls of what creates arrays, against NumPy: scalars, lists, dtypes, devices, defaults."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import missing as m
from likewise import use, xp
from likewise.errors import LikewiseError

pytestmark = pytest.mark.full

CASES = {"numpy": 1500, "strict": 250, "torch": 250}
LIBRARIES = [
    "numpy",
    pytest.param("strict", marks=pytest.mark.needs("array_api_strict")),
    pytest.param("torch", marks=pytest.mark.needs("torch")),
]
DTYPES = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
DTYPES += ["bool", "float32", "float64", "complex64", "complex128"]
SHAPES: list[tuple[int, ...]] = [(), (0,), (1,), (5,), (2, 3), (0, 3), (3, 0, 2), (1, 1), (2, 1, 2)]
# Another one where a library has several; strict's are made for tests.
DEVICES = {"numpy": ["cpu"], "strict": ["cpu", "device1"], "torch": ["cpu"]}


def name_of(x: Any) -> str:
    return str(x.dtype).rpartition(".")[2]


class Case:
    """A random call on a library, and what NumPy says."""

    def __init__(self, rng: Any, library: str) -> None:
        self.rng, self.library = rng, library
        self.floating = {"torch": "float32"}.get(library, "float64")

    def pick(self, options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def device(self) -> Any:
        """None, a name, or the library's own object."""
        wanted = self.pick(DEVICES[self.library])
        own = [d.device for d in likewise.devices(self.library)]
        return self.pick([None, "cpu", next(d for d in own if wanted in str(d).lower())])

    def default(self, kind: str, floating: str | None = None) -> str:
        """The dtype that numbers of Python get: of a kind 'b', 'i', 'f' or 'c'."""
        floating = floating or self.floating
        wide = {"float32": "complex64", "float64": "complex128"}[floating]
        return {"b": "bool", "i": "int64", "f": floating, "c": wide}[kind]

    def same(self, got: Any, expected: Any, dtype: str, where: Any = None) -> None:
        assert likewise.library(got) == self.library
        assert name_of(got) == dtype
        assert tuple(got.shape) == np.shape(expected)
        if where not in (None, "cpu"):
            assert likewise.device(got) == where
        found = likewise.to_numpy(got)
        assert found.dtype == dtype
        exact = found.dtype.kind in "biu"
        tolerance = 0.0 if exact else 100 * float(np.finfo(dtype).eps)
        with np.errstate(all="ignore"):
            wanted = np.asarray(expected).astype(dtype)
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)

    def number(self, kind: str) -> Any:
        """A number of Python or NumPy's of the same kind, extremes among them."""
        if kind == "b":
            return self.pick([True, False])
        if kind == "i":
            return self.pick([0, 1, -7, 2**31, -(2**63), 2**63 - 1])
        if kind == "f":
            return self.pick([0.0, -0.0, 1.5, -3.25, 1e30, np.inf, -np.inf, np.nan])
        return self.pick([1j, 2.5 - 1j, complex(0.0, np.inf)])

    def nested(self, kind: str, shape: tuple[int, ...]) -> Any:
        if not shape:
            lower = "bifc"[: "bifc".index(kind) + 1]
            return self.number(self.pick(lower) if self.rng.random() < 0.3 else kind)
        parts = [self.nested(kind, shape[1:]) for _ in range(shape[0])]
        return self.pick([list, tuple])(parts)


def kind_of(value: Any) -> str:
    """The highest kind in nested lists; 'f' of none, as of `[]`."""
    if not isinstance(value, list | tuple):
        return {bool: "b", int: "i", float: "f", complex: "c"}[type(value)]
    return max((kind_of(v) for v in value), key="bifc".index, default="f")


def lists(c: Case) -> None:
    value = c.nested(c.pick("bifc"), c.pick(SHAPES))
    where = c.device()
    dtype = c.default(kind_of(value))
    expected = np.asarray(value)
    c.same(likewise.asarray(value, namespace=c.library, device=where), expected, dtype, where)
    with use(c.library):
        c.same(likewise.asarray(value, device=where), expected, dtype, where)
        c.same(xp.asarray(value, device=where), expected, dtype, where)


def scalars(c: Case) -> None:
    """NumPy's keep their dtype, alone and in lists of one kind."""
    dtype = c.pick(DTYPES)
    value = np.asarray(c.rng.integers(0, 2)).astype(dtype)[()]
    c.same(likewise.asarray(value, namespace=c.library), value, dtype)
    c.same(likewise.asarray([value, value], namespace=c.library), [value, value], dtype)
    with use(c.library):
        c.same(likewise.asarray(value), value, dtype)


def converted(c: Case) -> None:
    """Numbers and arrays in a dtype that is asked for, by name or as the library's own object."""
    dtype, namespace = c.pick(DTYPES), likewise.namespace(c.library)
    shape = c.pick([s for s in SHAPES if 0 not in s[:-1]])  # which lists can't say
    value: Any = c.rng.integers(0, 100, size=shape)
    expected = value.astype(dtype)
    given = c.pick([value.tolist(), likewise.asarray(value, namespace=c.library)])
    wanted = c.pick([dtype, getattr(namespace, dtype)])
    like = likewise.asarray(np.zeros(2), namespace=c.library)
    for place in ({"namespace": c.library}, {"like": like}):
        c.same(likewise.asarray(given, dtype=wanted, **place), expected, dtype)


def like(c: Case) -> None:
    """Arrays of another library, views among them: values and dtype stay, the device is that of `like`."""
    dtype, shape = c.pick(DTYPES), c.pick(SHAPES)
    x = c.rng.integers(0, 100, size=shape).astype(dtype)
    if x.ndim and c.rng.random() < 0.5:
        x = c.pick([np.flip(x), x.T, np.broadcast_to(x[:1], x.shape) if x.size else x, x[::2]])
    source = c.pick([lib for lib in DEVICES if lib != c.library])
    where = c.device()
    anchor = likewise.asarray([1.0], namespace=c.library, device=where)
    before = np.array(x)
    given = likewise.asarray(np.array(x), namespace=source) if source != "numpy" else x
    got = likewise.asarray(given, like=anchor)
    c.same(got, before, dtype, likewise.device(anchor))
    assert likewise.asarray(got, like=anchor) is got
    np.testing.assert_array_equal(x, before)


def refused(c: Case) -> None:
    """What is no array of numbers is an error of ours, whatever library is to make it."""
    ragged = [c.nested("i", (2,)), c.nested("f", (3,))]
    odd = [ragged, [None], None, "1.5", ["a"], object(), {}, [1, (2,)], [{}], range(3), 2**64]
    value = c.pick(odd)
    with pytest.raises(LikewiseError, match="asarray: argument 'obj'"):
        likewise.asarray(value, namespace=c.library)
    with pytest.raises(LikewiseError, match="asarray: "):
        likewise.asarray(
            [1.0], namespace=c.library, **c.pick([{"dtype": "f8"}, {"like": xp.ones(1)}])
        )


def filled(c: Case) -> None:
    """`zeros`, `ones`, `empty`, `full`, `eye` and the like of a shape, under a default dtype."""
    floating = c.pick([None, "float32", "float64"])
    dtype, shape, where = c.pick([None, *DTYPES]), c.pick(SHAPES), c.device()
    namespace = likewise.namespace(c.library)
    options = {"device": where} | ({} if dtype is None else {"dtype": getattr(namespace, dtype)})
    number = c.number("i" if dtype is None else "b")
    with use(c.library, dtype=floating):
        made = dtype or c.default("f", floating)
        c.same(xp.zeros(shape, **options), np.zeros(shape), made, where)
        c.same(xp.ones(shape, **options), np.ones(shape), made, where)
        assert name_of(xp.empty(shape, **options)) == made
        full = np.full(shape, number)
        c.same(xp.full(shape, number, **options), full, dtype or c.default("i"), where)
        if dtype is None:
            kind = c.pick("bfc")
            number = c.number(kind)
            made = c.default(kind, floating)
            c.same(xp.full(shape, number, **options), np.full(shape, number), made, where)
        n, k = (int(c.rng.integers(0, 5)) for _ in range(2))
        square = dtype or c.default("f", floating)
        offset = int(c.rng.integers(-3, 4))
        got = xp.eye(n, c.pick([k, k]), k=offset, **options)
        c.same(got, np.eye(n, k, k=offset), square, where)


def following(c: Case) -> None:
    """`zeros_like` and its kin take the dtype and device of their array, whatever the default is."""
    dtype, shape, where = c.pick(DTYPES), c.pick(SHAPES), c.device()
    x = likewise.asarray(
        c.rng.integers(0, 9, size=shape).astype(dtype), namespace=c.library, device=where
    )
    with use(c.library, dtype=c.pick([None, "float32"])):
        c.same(xp.zeros_like(x), np.zeros(shape), dtype, likewise.device(x))
        c.same(xp.ones_like(x), np.ones(shape), dtype, likewise.device(x))
        c.same(xp.full_like(x, 1), np.ones(shape), dtype, likewise.device(x))
        assert name_of(xp.empty_like(x)) == dtype


def ranges(c: Case) -> None:
    floating = c.pick([None, "float32", "float64"])
    start, stop = (int(i) for i in c.rng.integers(-9, 10, size=2))
    step, num = c.pick([1, 2, -1, -3]), int(c.rng.integers(0, 8))
    end = c.pick([True, False])
    with use(c.library, dtype=floating):
        real = c.default("f", floating)
        c.same(xp.arange(start, stop, step), np.arange(start, stop, step), "int64")
        c.same(xp.arange(abs(stop)), np.arange(abs(stop)), "int64")
        halves = (start / 2, stop / 2, step / 4)
        c.same(xp.arange(*halves), np.arange(*halves), real)
        expected = np.linspace(start, stop, num, endpoint=end)
        got = xp.linspace(float(start), float(stop), num, endpoint=end)
        c.same(got / 10, expected / 10, real)


def spaces(c: Case) -> None:
    """`geomspace` and `logspace`, of numbers and of arrays."""
    num, end = int(c.rng.integers(0, 7)), c.pick([True, False])
    shape = c.pick([(), (3,), (2, 1)])
    low, high = (c.rng.uniform(0.5, 4, size=shape) for _ in range(2))
    dtype = c.pick(["float32", "float64"])
    low, high = low.astype(dtype), high.astype(dtype)
    a, b = (likewise.asarray(v, namespace=c.library) for v in (low, high))
    got = m.geomspace(a, b, num, end)
    c.same(got / 4, np.geomspace(low, high, num, end) / 4, dtype)
    got = m.logspace(a, b, num, end, base=2.0)
    c.same(got / 16, np.logspace(low, high, num, end, base=2.0) / 16, dtype)
    first, last = float(low.ravel()[0]), float(high.ravel()[0])
    got = m.geomspace(first, last, num, end, namespace=c.library)
    c.same(got / 4, np.geomspace(first, last, num, end) / 4, c.floating)


def places(c: Case) -> None:
    """Indices of triangles and diagonals, and one-hot rows."""
    n, width, k = (int(i) for i in (*c.rng.integers(0, 6, size=2), c.rng.integers(-6, 7)))
    for name in ("tril_indices", "triu_indices"):
        got = getattr(m, name)(n, k, width, namespace=c.library)
        for one, expected in zip(got, getattr(np, name)(n, k, width), strict=True):
            c.same(one, expected, "int64")
    ndim = c.pick([1, 2, 3])
    for one, expected in zip(
        m.diag_indices(n, ndim, namespace=c.library), np.diag_indices(n, ndim), strict=True
    ):
        c.same(one, expected, "int64")
    x = c.rng.integers(0, 4, size=c.pick(SHAPES)).astype(c.pick(["int32", "int64", "uint8"]))
    got = m.one_hot(likewise.asarray(x, namespace=c.library), 4)
    c.same(got, x[..., None] == np.arange(4), name_of(got))


FAMILIES: list[Callable[[Case], None]] = [
    *(lists, scalars, converted, like, refused, filled, following, ranges, spaces, places),
]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("library", LIBRARIES)
def test_random_calls(library: str, family: Callable[[Case], None]) -> None:
    for seed in range(CASES[library]):
        try:
            family(Case(np.random.default_rng(seed), library))
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
