"""NumPy's own functions inside of transforms: their values, dtypes and derivatives."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise.errors import TransformError
from likewise.transforms import grad, hessian, jit, jvp, vjp, vmap
from likewise.transforms._following._numpys._table import ATTRIBUTES, FUNCTIONS, METHODS, UFUNCS

from .. import tables
from ..numpy_calls import CALLS, DISCRETE, B, P, X

NAMES = [
    pytest.param(n, f, id=f"{n}-{k}") for n, calls in CALLS.items() for k, f in enumerate(calls)
]


def leaves(out: Any) -> list[Any]:
    if isinstance(out, tuple | list):
        return [x for part in out for x in leaves(part)]
    return [out]


def floating(out: Any) -> list[Any]:
    return [x for x in leaves(out) if getattr(getattr(x, "dtype", None), "kind", "") in "fc"]


def test_each_name_has_a_call() -> None:
    assert CALLS.keys() == UFUNCS.keys() | FUNCTIONS.keys()
    for name, target in {
        **UFUNCS,
        **{n: r.target for n, r in (FUNCTIONS | METHODS).items()},
    }.items():
        assert target.partition(".")[0] in ("xp", "missing", "linalg", "numpy"), name


def test_the_page_of_names_is_up_to_date() -> None:
    page = (tables.DOCS / "transforms_numpy.md").read_text(encoding="utf-8")
    assert page == tables.numpys_page(), "run ci/pages/transforms_tables.py"


def value(fun: Callable[[Any], Any], x: Any) -> Any:
    """What comes out in a transform, which differentiates nothing of it."""
    box: list[Any] = []

    def inside(x: Any) -> Any:
        box.append([getattr(i, "value", i) for i in leaves(fun(x))])
        return np.sum(x)

    jvp(inside, (x,), (np.zeros_like(x),))
    return box[0]


@pytest.mark.parametrize(("name", "fun"), NAMES)
@pytest.mark.share(2)
def test_values_and_dtypes_are_numpys(name: str, fun: Any) -> None:
    for x in (X, X.astype(np.float32)):
        expected = leaves(fun(x))
        found = value(fun, x)
        assert len(found) == len(expected)
        for f, e in zip(found, expected, strict=True):
            assert np.shape(f) == np.shape(e)
            if hasattr(e, "dtype"):
                assert f.dtype == e.dtype
            tol = 2e-4 if x.dtype == np.float32 else 1e-12
            if not isinstance(e, np.dtype):
                np.testing.assert_allclose(f, e, rtol=tol, atol=tol)


def differences(fun: Any, x: Any, v: Any, h: float = 2e-3) -> list[Any]:
    """The derivative along a direction, to the sixth order."""
    total: list[Any] = []
    for c, n in ((3 / 4, 1), (-3 / 20, 2), (1 / 60, 3)):
        for sign in (1, -1):
            parts = [sign * c / h * p for p in floating(fun(x + sign * n * h * v))]
            total = parts if not total else [a + b for a, b in zip(total, parts, strict=True)]
    return total


@pytest.mark.parametrize(("name", "fun"), [p for p in NAMES if p.values[0] not in DISCRETE])
@pytest.mark.share(2)
def test_derivatives(name: str, fun: Any) -> None:
    rng = np.random.default_rng(3)
    v = rng.normal(size=X.shape) * 0.1
    expected = differences(fun, X, v)
    _, found = jvp(lambda x: floating(fun(x)), (X,), (v,))
    for f, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(f, e, rtol=1e-6, atol=1e-7)
    out, pull = vjp(lambda x: floating(fun(x)), X)
    w = [np.asarray(rng.normal(size=o.shape)).astype(o.dtype) for o in out]
    along = sum(np.real(np.sum(a * b)) for a, b in zip(w, expected, strict=True))
    np.testing.assert_allclose(np.sum(pull(w)[0] * v), along, rtol=1e-6, atol=1e-7)
    out, pull = vjp(lambda x: floating(fun(x)), X.astype(np.float32))
    narrow = pull([np.ones_like(o) for o in out])[0]
    assert narrow.dtype == np.float32


METHOD_CALLS: dict[str, Callable[[Any], Any]] = {
    "all": lambda x: (x > 0).all(axis=1),
    "any": lambda x: (x > 0).any(),
    "argmax": lambda x: x.argmax(axis=0),
    "argmin": lambda x: x.argmin(),
    "argpartition": lambda x: x.argpartition(1)[:, 1],
    "argsort": lambda x: x.argsort(axis=0),
    "astype": lambda x: [x.astype("c16"), x.astype(complex, copy=False), x.astype(int)],
    "clip": lambda x: [x.clip(-0.5, 0.5), x.clip(min=0)],
    "compress": lambda x: x.compress([True, False, True], axis=0),
    "conj": lambda x: x.conj(),
    "conjugate": lambda x: (x * 1j).conjugate().imag,
    "copy": lambda x: x.copy(),
    "cumprod": lambda x: x.cumprod(axis=1),
    "cumsum": lambda x: x.cumsum(),
    "diagonal": lambda x: x.diagonal(1),
    "dot": lambda x: [x.dot(x[0]), x.dot(x.T)],
    "flatten": lambda x: [x.flatten(), x.flatten("F")],
    "max": lambda x: [x.max(), x.max(axis=0, keepdims=True)],
    "mean": lambda x: [x.mean(), x.mean(axis=0), x.mean(1)],
    "min": lambda x: x.min(axis=1),
    "nonzero": lambda x: (x > 0).nonzero(),
    "prod": lambda x: x.prod(axis=-1),
    "ravel": lambda x: x.ravel(),
    "repeat": lambda x: x.repeat(2, axis=1),
    "reshape": lambda x: [x.reshape(2, -1), x.reshape((4, 3)), x.reshape(-1, order="F")],
    "round": lambda x: (x * 10).round(),
    "searchsorted": lambda x: x[0].searchsorted(0.0),
    "squeeze": lambda x: x[None].squeeze(),
    "std": lambda x: [x.std(), x.std(axis=0, ddof=1)],
    "sum": lambda x: [x.sum(), x.sum(axis=0), x.sum(1, keepdims=True), (x > 0).sum()],
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "take": lambda x: [x.take([0, 2], axis=0), x.take(3)],
    "trace": lambda x: x.trace(),
    "transpose": lambda x: [x.transpose(), x.transpose(1, 0), x[None].transpose((2, 0, 1))],
    "var": lambda x: [x.var(axis=1), (x + 1j * x).var()],
    "T": lambda x: [x.T, x[None].T, x[0].T],
    "real": lambda x: [x.real, (x * 1j).imag, x.imag],
}


def test_methods() -> None:
    assert METHOD_CALLS.keys() == METHODS.keys() | ATTRIBUTES.keys() - {"imag"} | {"T"}


@pytest.mark.parametrize("name", METHOD_CALLS)
def test_methods_are_ndarrays(name: str) -> None:
    fun = METHOD_CALLS[name]
    for f, e in zip(value(fun, X), leaves(fun(X)), strict=True):
        assert (f.shape, f.dtype) == (e.shape, e.dtype)
        np.testing.assert_allclose(f, e, rtol=1e-12)
    if not floating(fun(X)) or name == "round":
        return
    v = np.random.default_rng(5).normal(size=X.shape) * 0.1
    _, found = jvp(lambda x: floating(fun(x)), (X,), (v,))
    for f, e in zip(found, differences(fun, X, v), strict=True):
        np.testing.assert_allclose(f, e, rtol=1e-6, atol=1e-7)


REDUCTIONS: dict[str, Callable[[Any], Any]] = {
    "add.reduce": np.add.reduce,
    "add.reduce axis": lambda x: np.add.reduce(x, axis=1, keepdims=True),
    "add.reduce all": lambda x: np.add.reduce(x, axis=None),
    "multiply.reduce": lambda x: np.multiply.reduce(x, 1),
    "maximum.reduce": np.maximum.reduce,
    "minimum.reduce": np.minimum.reduce,
    "logical_and.reduce": np.logical_and.reduce,
    "logical_or.reduce": np.logical_or.reduce,
    "add.accumulate": np.add.accumulate,
    "multiply.accumulate": lambda x: np.multiply.accumulate(x, axis=1),
    "outer": lambda x: np.subtract.outer(x, B),
    "outer raw first": lambda x: np.multiply.outer(B, x[0]),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_methods_of_universal_functions(name: str) -> None:
    fun = REDUCTIONS[name]
    np.testing.assert_allclose(value(fun, X)[0], fun(X), rtol=1e-13)
    if floating(fun(X)):
        v = np.random.default_rng(6).normal(size=X.shape) * 0.1
        _, found = jvp(fun, (X,), (v,))
        np.testing.assert_allclose(found, differences(fun, X, v)[0], rtol=1e-7, atol=1e-8)


DTYPES = {
    "times, right": lambda x: x * np.float64(2.0),
    "times, left": lambda x: np.float64(2.0) * x,
    "a square root": lambda x: x * np.sqrt(2),
    "single": lambda x: x * np.float32(2.0),
    "extended": lambda x: x * np.longdouble(3),
    "half": lambda x: x.astype(np.float16) * np.float16(2),
    "integer": lambda x: np.int64(3) / x,
    "multiply": lambda x: np.multiply(x, np.float64(2.0)),
    "power": lambda x: np.power(np.float64(2.0), x),
    "where": lambda x: np.where(x > 0, x, np.float64(2.0)),
    "array": lambda x: np.sin(x) * np.asarray(2.0),
    "number": lambda x: x * 2.0,
    "complex": lambda x: abs(1j * x[0, 0] + x),
    "complex function": lambda x: abs(np.add(1j, x[0, 0]) + x),
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
@pytest.mark.parametrize("fun", DTYPES.values(), ids=DTYPES)
def test_no_transform_changes_a_dtype(fun: Any, dtype: str) -> None:
    x = X.astype(dtype)
    expected = fun(x)
    recorded, mapped = jit(fun), jit(vmap(fun))
    for found in (
        *(recorded(x), recorded(x)),
        *(vmap(fun)(x[None])[0], mapped(x[None])[0], mapped(x[None])[0]),
        *(jvp(fun, (x,), (x,))[0], vjp(fun, x)[0]),
    ):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    # The slope in the sum of the result, against differences in double precision.
    v = np.random.default_rng(3).normal(size=x.shape)
    wide = x.astype(np.float64)
    step = 1e-3 if "half" in str(fun) or dtype == "float16" else 1e-6
    slope = grad(lambda x: np.sum(fun(x)))(x)
    assert slope.dtype == x.dtype
    with np.errstate(all="ignore"):
        true = (fun(wide + step * v) - fun(wide - step * v)).sum(dtype="f8") / (2 * step)
    scale = abs(slope * v).sum()
    low = "float16" in (dtype, str(expected.dtype))
    bound = 1e-2 if low else 1e-4 if dtype == "float32" else 1e-6
    if "half" not in str(expected.dtype) and fun is not DTYPES["half"]:
        assert abs((slope * v).sum(dtype="f8") - float(true)) <= bound * scale
    else:
        np.testing.assert_array_equal(slope, np.full(x.shape, 2))


def test_operators_with_an_array_of_numpys_on_the_left() -> None:
    for fun in (
        lambda x: B * x,
        lambda x: B - x,
        lambda x: P / x,
        lambda x: P**x,
        lambda x: B % x,
        lambda x: B // x,
        lambda x: B.T @ x,
        lambda x: (x > B) * x,
        lambda x: np.where(x == B, 0, x),
        lambda x: divmod(B, x),
    ):
        for f, e in zip(value(fun, X), leaves(fun(X)), strict=True):
            np.testing.assert_allclose(f, e, rtol=1e-12)


def test_nested() -> None:
    def fun(x: Any) -> Any:
        return np.sum(np.exp(-x) * np.cumsum(x**2)) + np.linalg.norm(x) * x.mean()

    def standard(x: Any) -> Any:
        xp = array_namespace(x)
        first = xp.sum(xp.exp(-x) * xp.cumulative_sum(x**2))
        return first + xp.linalg.vector_norm(x) * xp.mean(x)

    x = X[0]
    np.testing.assert_allclose(hessian(fun)(x), hessian(standard)(x), rtol=1e-12)
    np.testing.assert_allclose(vmap(grad(fun))(X), vmap(grad(standard))(X), rtol=1e-12)
    np.testing.assert_allclose(grad(lambda x: vmap(fun)(x).sum())(X), vmap(grad(fun))(X))
    np.testing.assert_allclose(jit(grad(fun))(x), grad(standard)(x), rtol=1e-12)


# What has no rule for batches, or the size of its result depends on values.
NO_BATCH = frozenset(
    """unique intersect1d union1d setdiff1d nonzero flatnonzero argwhere extract compress
    allclose array_equal bincount can_cast result_type shape ndim size""".split()
)


@pytest.mark.parametrize(("name", "fun"), [p for p in NAMES if p.values[0] not in NO_BATCH])
@pytest.mark.share(2)
def test_batches(name: str, fun: Any) -> None:
    stack = np.stack([X, X * 1.1 + 0.1, X[::-1] - 0.05])

    def inside(x: Any) -> Any:
        return [o for o in leaves(fun(x)) if hasattr(o, "dtype")]

    found = vmap(inside)(stack)
    each = [inside(x) for x in stack]
    for k, f in enumerate(found):
        e = np.stack([lane[k] for lane in each])
        assert f.dtype == e.dtype
        np.testing.assert_allclose(f, e, rtol=1e-10, atol=1e-11)


IN_MEMORY: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: x.T.reshape(12, order="A"),
    "np.reshape": lambda x: np.reshape(x.T, (2, 6), order="A"),
    "ravel": lambda x: x.T.ravel("K"),
    "np.ravel": lambda x: np.ravel(x.T, order="A"),
    "flatten": lambda x: x.T.flatten("K"),
}


@pytest.mark.parametrize("name", IN_MEMORY)
def test_an_order_of_memory_is_refused(name: str) -> None:
    fun = IN_MEMORY[name]
    told = rf"{name.removeprefix('np.')}: order='[AK]'.*line \d+ of .*write order='C'"
    with pytest.raises(TransformError, match=told):
        jvp(fun, (X,), (X,))
    jitted = jit(fun)
    for _ in range(2):
        np.testing.assert_array_equal(jitted(X), fun(X))
    line = X[0]
    np.testing.assert_array_equal(jvp(lambda x: x.ravel("K"), (line,), (line,))[1], line)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_correlations_of_any_two_lengths(mode: Any) -> None:
    rng = np.random.default_rng(11)
    for m, n in itertools.product(range(1, 8), repeat=2):
        a, v = rng.normal(size=m), rng.normal(size=n)
        expected = np.correlate(a, v, mode)
        w = rng.normal(size=expected.shape)
        out, pull = vjp(lambda a, v: np.correlate(a, v, mode), a, v)
        np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-13)
        # The function is linear in each: what unit vectors make is its matrix.
        left = [np.correlate(e, v, mode) @ w for e in np.eye(m)]
        right = [np.correlate(a, e, mode) @ w for e in np.eye(n)]
        for found, exact in zip(pull(w), (left, right), strict=True):
            np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-13)
        a, v = a + 1j * rng.normal(size=m), v + 1j * rng.normal(size=n)
        out, along = jvp(lambda a, v: np.correlate(a, v, mode), (a, v), (a, v))
        np.testing.assert_allclose(out, np.correlate(a, v, mode), rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(along, 2 * out, rtol=1e-12, atol=1e-13)


COPIES: dict[str, Callable[[Any], Any]] = {
    "method": lambda x: x.copy(),
    "method, transposed": lambda x: x.T.copy(),
    "method, F": lambda x: x.copy("F"),
    "method, K": lambda x: x.copy(order="K"),
    "function": np.copy,
    "function, C": lambda x: np.copy(x, order="C"),
    "function, F": lambda x: np.copy(x, "F"),
}


@pytest.mark.parametrize("name", COPIES)
def test_the_order_of_a_copy_is_numpys(name: str) -> None:
    def fun(x: Any) -> Any:
        return np.sum(COPIES[name](x))

    raw = np.random.default_rng(0).normal(size=(37, 53))
    for x in (raw, np.asfortranarray(raw)):
        (copied,) = value(COPIES[name], x)
        expected = COPIES[name](x)
        assert copied is not x
        assert copied.flags.c_contiguous == expected.flags.c_contiguous
        assert copied.flags.f_contiguous == expected.flags.f_contiguous
        jitted = jit(fun)
        assert jitted(x) == fun(x)
        assert jitted(x) == fun(x)  # replayed
        np.testing.assert_array_equal(grad(fun)(x), np.ones_like(x))


def test_a_raw_qr_is_refused() -> None:
    with pytest.raises(TransformError, match=r"linalg.qr: mode='raw'.*line \d+ of .*'reduced'"):
        jvp(lambda x: np.linalg.qr(x, "raw")[1], (X,), (X,))


@pytest.mark.parametrize("mask", [[True, False], [np.True_, np.False_], np.asarray([True, False])])
def test_masks_are_no_places(mask: Any) -> None:
    with pytest.raises(TransformError, match=r"numpy.delete: integers or a slice were expected"):
        jvp(lambda x: np.delete(x, mask), (np.arange(2.0),), (np.ones(2),))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.complex64])
def test_ends_of_differences_are_not_weak(dtype: Any) -> None:
    """As outside, where they are arrays of NumPy's default dtypes."""
    x = np.arange(4).astype(dtype)
    ends: list[Any] = [0.0, 1, np.float32(2), [1.0, 2.0], np.zeros(1)]
    for end in ends:
        for given in ({"prepend": end}, {"append": end}):
            expected = np.diff(x, **given)
            found = vmap(lambda x, given=given: np.diff(x, **given))(x[None])[0]
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


MENDED = [
    (lambda x: np.sum(x, where=x > 0), r"np\.where\(where, x, 0\)"),
    (lambda x: x.mean(where=x > 0), r"np\.sum\(where\) for the mean"),
    (lambda x: np.add(x, x, where=x > 0), r"np\.where\(where, x, 0\)"),
    (lambda x: np.sum(x, initial=2.0), r"initial \+ np\.sum\(x\)"),
    (lambda x: x.max(initial=0.0), r"np\.maximum\(initial, np\.max\(x\)\)"),
]


@pytest.mark.parametrize(("fun", "mend"), MENDED)
def test_keywords_that_are_not_followed(fun: Any, mend: str) -> None:
    with pytest.raises(TransformError, match=rf"takes no .*line \d+ of .*{mend}"):
        jvp(fun, (X,), (X,))
