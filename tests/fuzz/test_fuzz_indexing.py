"""Random calls of what chooses, counts, sorts and searches, against NumPy and SciPy."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

import likewise
from likewise import missing as m
from likewise.errors import DtypeError

pytestmark = pytest.mark.full

CASES = {"numpy": 1000, "strict": 120, "torch": 120}
# Dtypes that torch has in name only; it promotes none of them either.
LACKING = re.compile(r"uint(16|32|64).* for which (torch lacks|there is no common dtype)")
LIBRARIES = [
    "numpy",
    pytest.param("strict", marks=pytest.mark.needs("array_api_strict")),
    pytest.param("torch", marks=pytest.mark.needs("torch")),
]
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
REAL = [*INTEGERS, "float32", "float64", "bool"]
SHAPES: list[tuple[int, ...]] = [(0,), (1,), (7,), (40,), (3, 4), (1, 5), (4, 1), (2, 3, 2), (2, 0)]


def values(rng: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    """Few different ones, so that there are equal ones; extremes, infinities, NaN; views."""
    kind = np.dtype(dtype)
    x = rng.integers(0, 5, size=shape)
    if kind.kind in "iu" and rng.random() < 0.5:
        info = np.iinfo(kind)
        pool = np.asarray([info.min, info.max, info.max // 2 + 1, 0, 1], dtype=dtype)
        x = pool[x]
    elif kind.kind == "f" and rng.random() < 0.6:
        x = np.asarray([np.nan, np.inf, -np.inf, -0.0, 0.0])[x]
        x = np.where(rng.random(size=shape) < 0.5, x, rng.normal(size=shape))
    out = np.asarray(x).astype(dtype)
    view = rng.integers(4)
    if view == 1 and out.ndim:
        out = np.flip(out, axis=int(rng.integers(out.ndim)))
    elif view == 2 and out.ndim and out.shape[0]:
        out = np.broadcast_to(out[:1], out.shape)  # stride 0
    elif view == 3:
        out = np.ascontiguousarray(out.T).T
    return out


def indices(rng: Any, n: int, shape: Any, wild: bool) -> Any:
    """Of any integer dtype, in range, or far from it."""
    dtype = np.dtype(str(rng.choice(INTEGERS)))
    info = np.iinfo(dtype)
    if not wild:
        low = max(-n, int(info.min))
        return rng.integers(low, min(n, int(info.max)), size=shape).astype(dtype)
    pool = [int(info.min), int(info.max), int(info.max) // 2 + 1, n, n - 1, 0, 1]
    pool = [i for i in pool if info.min <= i <= info.max]
    return np.asarray(pool, dtype=dtype)[rng.integers(len(pool), size=shape)]


def exactly(index: Any) -> Any:
    """Python's integers, which never wrap."""
    return np.asarray(index, dtype=object)


class Case:
    """A random call: the function on a library, and what NumPy says."""

    def __init__(self, rng: Any, library: str) -> None:
        self.rng, self.library = rng, library

    def array(self, a: Any) -> Any:
        return likewise.asarray(np.array(a), namespace=self.library)

    def pick(self, options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def x(self, *, dtypes: Any = REAL, full: bool = False, ndim: int | None = None) -> Any:
        shapes = [
            s for s in SHAPES if (not full or 0 not in s) and (ndim is None or len(s) == ndim)
        ]
        return values(self.rng, self.pick(dtypes), self.pick(shapes))

    def same(self, got: Any, expected: Any, rtol: float = 0.0, scale: float = 1.0) -> None:
        expected = np.asarray(expected)
        assert likewise.library(got) == self.library
        found = likewise.to_numpy(got)
        assert found.shape == expected.shape
        if rtol:
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)
        else:
            np.testing.assert_array_equal(found, expected)


def take(c: Case) -> None:
    x = c.x(full=True)
    axis = c.pick([None, *range(x.ndim)])
    n = x.size if axis is None else x.shape[axis]
    mode = c.pick(["raise", "clip", "wrap", "fill"])
    index = indices(c.rng, n, c.pick([(), (3,), (2, 2), (0,)]), mode != "raise")
    i = exactly(index)
    place = {"clip": np.clip(i, 0, n - 1), "wrap": i % n}.get(mode, np.where(i < 0, i + n, i))
    inside = (i >= -n) & (i < n) if mode == "fill" else np.ones(index.shape, dtype=bool)
    place = np.where(inside, place, 0).astype(np.int64)
    expected = np.take(x, place, axis)
    if axis is None:
        inside = np.broadcast_to(inside, expected.shape)
    else:
        shape = (*(1,) * axis, *index.shape, *(1,) * (x.ndim - axis - 1))
        inside = np.broadcast_to(inside.astype(bool).reshape(shape), expected.shape)
    expected = np.where(inside.astype(bool), expected, np.asarray(1).astype(x.dtype))
    options = {"fill_value": 1} if mode == "fill" else {}
    got = m.take(c.array(x), c.array(index), axis, mode, **options)
    assert likewise.to_numpy(got).dtype == x.dtype
    c.same(got, expected)


def take_along_axis(c: Case) -> None:
    x = c.x(full=True)
    axis = c.pick(range(x.ndim))
    n, shape = x.shape[axis], list(x.shape)
    shape[axis] = c.pick([0, 1, 3])
    mode = c.pick(["raise", "clip", "wrap"])
    index = indices(c.rng, n, tuple(shape), mode != "raise")
    i = exactly(index)
    place = {"clip": np.clip(i, 0, n - 1), "wrap": i % n}.get(mode, i)
    expected = np.take_along_axis(x, np.asarray(place, dtype=np.int64), axis)
    c.same(m.take_along_axis(c.array(x), c.array(index), axis, mode), expected)


def put(c: Case) -> None:
    x = c.x(full=True)
    mode = c.pick(["raise", "clip", "wrap"])
    i = np.unique(indices(c.rng, x.size, (4,), mode != "raise"))[:1]
    e = exactly(i)
    place = {"clip": np.clip(e, 0, x.size - 1), "wrap": e % x.size}.get(mode, e)
    expected = np.array(x)
    np.put(expected, np.asarray(place, dtype=np.int64), 1)
    c.same(m.put(c.array(x), c.array(i), 1, mode), expected)


def at(c: Case) -> None:
    x = c.x(full=True, dtypes=["int32", "int64", "float32", "float64"])
    index = indices(c.rng, x.shape[0], (3,), False)
    op = c.pick(["set", "add", "multiply", "min", "max"])
    value = c.pick([2, 1])
    expected = np.array(x)
    with np.errstate(all="ignore"):
        if op == "set":
            expected[index.astype(np.int64)] = value
        else:
            ufunc: Any = {"min": np.minimum, "max": np.maximum}.get(op) or getattr(np, op)
            ufunc.at(expected, index.astype(np.int64), np.asarray(value, dtype=x.dtype))
    c.same(getattr(m.at(c.array(x))[c.array(index), ...], op)(value), expected, 1e-6)


def bincount(c: Case) -> None:
    x = c.rng.integers(0, 9, size=c.pick([0, 1, 6])).astype(c.pick(INTEGERS))
    weights = c.pick([None, c.rng.normal(size=x.shape)])
    least = c.pick([0, 3, 12])
    expected = np.bincount(x.astype(np.int64), weights, least)
    w = None if weights is None else c.array(weights)
    c.same(m.bincount(c.array(x), w, least), expected, 1e-6)
    length = c.pick([0, 4, 12])
    expected = np.concatenate([expected, np.zeros(12)])[:length]
    c.same(m.bincount(c.array(x), w, length=length), expected, 1e-6)


def ravel(c: Case) -> None:
    dims = c.pick([(4,), (4, 1), (1, 4), (3, 1, 2), (1, 1), (2, 3, 4)])
    order = c.pick(["C", "F"])
    flat = c.rng.integers(0, np.prod(dims), size=c.pick([(), (5,), (0,)]))
    flat = flat.astype(c.pick(INTEGERS))
    parts = m.unravel_index(c.array(flat), dims, order)
    for got, expected in zip(parts, np.unravel_index(flat.astype(int), dims, order), strict=True):
        c.same(got, expected)
    c.same(m.ravel_multi_index(parts, dims, order=order), flat)
    modes = tuple(c.pick(["clip", "wrap"]) for _ in dims)
    wild = [indices(c.rng, n, (4,), True) for n in dims]
    exact = [
        np.clip(exactly(i), 0, n - 1) if how == "clip" else exactly(i) % n
        for i, n, how in zip(wild, dims, modes, strict=True)
    ]
    expected = np.ravel_multi_index([np.asarray(i, dtype=int) for i in exact], dims, order=order)
    c.same(m.ravel_multi_index([c.array(i) for i in wild], dims, modes, order), expected)


def segments(c: Case) -> None:
    name = c.pick(["sum", "prod", "min", "max"])
    data = c.x(dtypes=[d for d in REAL if d != "bool" and (name in ("min", "max") or "u" not in d)])
    if name == "prod" and data.dtype.kind == "f":
        data = np.where(np.isfinite(data), data, 0).astype(data.dtype)
    ids = c.rng.integers(-1, 5, size=data.shape[0]).astype(c.pick(INTEGERS[:4]))
    rows = [data[ids == i] for i in range(4)]
    with np.errstate(all="ignore"):
        if name in ("sum", "prod"):
            expected = [getattr(np, name)(r, axis=0, dtype=data.dtype) for r in rows]
        else:
            limits: Any = np.iinfo(data.dtype) if data.dtype.kind in "iu" else None
            none = {"min": getattr(limits, "max", np.inf), "max": getattr(limits, "min", -np.inf)}
            expected = [getattr(np, name)(r, axis=0, initial=none[name]) for r in rows]
        got = getattr(m, f"segment_{name}")(c.array(data), c.array(ids), 4)
    assert likewise.to_numpy(got).dtype == data.dtype
    c.same(got, np.asarray(expected).reshape(4, *data.shape[1:]), 1e-5)


def where(c: Case) -> None:
    x = c.x()
    for got, expected in zip(m.nonzero(c.array(x)), np.nonzero(x), strict=True):
        c.same(got, expected)
    size, places = 5, np.flatnonzero(x)[:5]
    expected = np.concatenate([places, np.full(size - places.size, -1)])
    c.same(m.flatnonzero(c.array(x), size, -1), expected)
    mask = c.rng.random(size=x.shape[0]) < 0.5
    c.same(m.compress(c.array(mask), c.array(x), 0), np.compress(mask, x, 0))
    counts = c.rng.integers(0, 3, size=x.shape[0]).astype(c.pick(INTEGERS))
    c.same(m.repeat(c.array(x), c.array(counts), 0), np.repeat(x, counts.astype(int), 0))


def sets(c: Case) -> None:
    x, y = c.x(), c.x()
    if {x.dtype.kind, y.dtype.kind} == {"i", "u"} and np.result_type(x, y).kind == "f":
        with pytest.raises(DtypeError, match="union1d"):
            m.union1d(c.array(x), c.array(y))
        return
    out = m.union1d(c.array(x), c.array(y))
    dtype = likewise.to_numpy(out).dtype
    a, b = x.astype(dtype), y.astype(dtype)
    c.same(out, np.union1d(a, b))
    c.same(m.intersect1d(c.array(x), c.array(y)), np.intersect1d(a, b))
    c.same(m.setdiff1d(c.array(x), c.array(y)), np.setdiff1d(a, b))
    expected = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    got = m.unique(c.array(x), True, True, True)
    for one, other in zip(got, expected, strict=True):
        c.same(one, np.asarray(other).reshape(one.shape))


def bins(c: Case) -> None:
    x = c.x()
    some = c.x(ndim=1)
    edges = np.sort(np.where(some != some, 0, some).astype(some.dtype))
    if np.result_type(x, edges).kind == "f" and x.dtype.kind + edges.dtype.kind in ("iu", "ui"):
        return
    if x.dtype.kind == "f" or edges.dtype.kind == "f":  # the common dtype of the library
        dtype = np.result_type(*(a.dtype for a in (x, edges) if a.dtype.kind == "f"))
        x, edges = x.astype(dtype), edges.astype(dtype)
    right = bool(c.rng.integers(2))
    c.same(m.digitize(c.array(x), c.array(edges), right), np.digitize(x, edges, right))
    side = c.pick(["left", "right"])
    expected = np.searchsorted(edges, x, side)
    c.same(m.searchsorted(c.array(edges), c.array(x), side), expected)
    number = c.pick([0, 3, 300, -1])
    if edges.dtype.kind in "iub" and not (number == -1 and edges.dtype == np.uint64):
        expected = np.searchsorted(
            exactly(edges.astype(int) if edges.dtype == bool else edges), number, side
        )
        c.same(m.searchsorted(c.array(edges), number, side), expected)


def histogram(c: Case) -> None:
    x = c.rng.normal(size=c.pick([0, 1, 6]))
    w = c.pick([None, c.rng.normal(size=x.shape)])
    edges = np.sort(c.rng.normal(size=4))
    for kind in (4, edges):
        limits = (-1.0, 2.0)
        expected = np.histogram(x, kind, limits, weights=w)
        given = kind if isinstance(kind, int) else c.array(kind)
        got = m.histogram(c.array(x), given, limits, False, None if w is None else c.array(w))
        for one, other in zip(got, expected, strict=True):
            c.same(one, other, 1e-9)


def order(c: Case) -> None:
    x = c.x(full=True)
    axis = c.pick(range(x.ndim))
    k = int(c.rng.integers(0, x.shape[axis] + 1))
    largest = bool(c.rng.integers(2))
    plain = x.astype(np.uint8) if x.dtype == bool else x
    key = plain if plain.dtype.kind != "u" else plain.astype(object)
    rank = np.argsort(np.asarray(key, dtype=plain.dtype), axis=axis, kind="stable")
    if largest:  # stably descending: ranks of the reversed array, reversed
        turned = np.argsort(np.flip(plain, axis), axis=axis, kind="stable")
        rank = x.shape[axis] - 1 - np.flip(turned, axis)
    rank = np.take(rank, range(k), axis=axis)
    found, places = m.topk(c.array(x), k, axis, largest=largest)
    c.same(found, np.take_along_axis(x, rank, axis))
    assert likewise.to_numpy(found).dtype == x.dtype
    c.same(places, rank)
    kth = int(c.rng.integers(-x.shape[axis], x.shape[axis]))
    got = m.partition(c.array(x), kth, axis)
    c.same(
        got[(slice(None),) * axis + (kth % x.shape[axis], ...)],
        np.take(np.sort(x, axis), kth, axis),
    )
    by = likewise.to_numpy(m.argpartition(c.array(x), kth, axis))
    chosen = np.take(np.take_along_axis(x, by, axis), kth, axis)
    np.testing.assert_array_equal(chosen, np.take(np.sort(x, axis), kth, axis))
    keys = [x, np.flip(x, axis)]
    c.same(m.lexsort([c.array(a) for a in keys], axis), np.lexsort(keys, axis))


def ranks(c: Case) -> None:
    x = c.x(full=True)
    method = c.pick(["average", "min", "max", "dense", "ordinal"])
    axis = c.pick([None, *range(x.ndim)])
    expected = scipy.stats.rankdata(x, method, axis=axis)
    if axis is None:
        expected = expected.reshape(-1)
    c.same(m.rankdata(c.array(x), method, axis=axis), expected, 1e-6)


def quantiles(c: Case) -> None:
    x = c.x(full=True, dtypes=["float64", "int32", "int64", "float32"])
    if x.dtype.kind == "f":
        x = np.where(np.isinf(x), 7.0, x).astype(x.dtype)
    elif np.abs(x.astype(float)).max() > 2**40:
        x = x % 100
    axis = c.pick([None, *range(x.ndim)])
    q = c.pick([0.0, 0.3, 1.0, [0.25, 0.5], [[0.1], [0.9]]])
    method = c.pick(["linear", "lower", "higher", "midpoint", "hazen", "weibull", "inverted_cdf"])
    with np.errstate(all="ignore"):
        # NumPy's difference of two far integers of int32 wraps; here all are exact in double precision.
        exact = x if x.dtype.kind == "f" else x.astype("float64")
        expected = np.quantile(exact, q, axis, method=method)
        middle = np.median(exact, axis)
    given = c.pick([q, c.array(np.asarray(q))])
    # Integers become single precision on torch: what two large ones cancel to is as coarse.
    scale = max(1.0, float(np.nanmax(np.abs(x.astype(float)), initial=0)))
    tolerance = 2e-5 if x.dtype != np.float64 else 1e-9
    c.same(m.quantile(c.array(x), given, axis, method=method), expected, tolerance, scale)
    hundred = np.asarray(q) * 100
    given = c.pick([hundred.tolist(), c.array(hundred)])
    c.same(m.percentile(c.array(x), given, axis, method=method), expected, tolerance, scale)
    c.same(m.median(c.array(x), axis), middle, tolerance, scale)


FAMILIES: list[Callable[[Case], None]] = [
    *(take, take_along_axis, put, at, bincount, ravel, segments, where, sets),
    *(bins, histogram, order, ranks, quantiles),
]


def run(library: str, family: Callable[[Case], None], cases: int) -> None:
    refused = 0
    for seed in range(cases):
        try:
            family(Case(np.random.default_rng(seed), library))
        except Exception as error:
            if library == "torch" and isinstance(error, DtypeError) and LACKING.search(str(error)):
                refused += 1
                continue
            error.add_note(f"seed {seed}")
            raise
    assert refused < 0.8 * cases


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of infinities and NaN
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("library", LIBRARIES)
def test_random_calls(library: str, family: Callable[[Case], None]) -> None:
    run(library, family, CASES[library])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of infinities and NaN
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("library", LIBRARIES)
def test_random_calls_without_natives(library: str, family: Callable[[Case], None]) -> None:
    """The same calls, which are the natives' above, by the generic bodies."""
    if library == "strict" and family is at:
        return  # it has no native; NumPy's way of writing, which is forced then, isn't the standard's
    with likewise.prefer(force="generic"):
        run(library, family, CASES[library] // 4)
