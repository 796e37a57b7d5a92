"""Arguments of the apply steps that have rows, an entry a row: what parity is tested on.

A row without an entry is tested on what its function hands on of the calls of
`likewise.testing._cases`; one of a special function, on `_of_numbers`.

An entry is a function of a dtype's name: it gives arguments, arrays as NumPy's. Those that a
routine's condition doesn't meet are passed over, but each routine must meet some. Values are
spread widely, and edges are among them: NaN, infinities, zeros of both signs, ties, nothing.
"""

import contextlib
import functools
import inspect
import math
import sys
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.signal

from likewise import array_namespace, ndimage, prefer
from likewise._native import Row
from likewise.errors import LikewiseError
from likewise.integrate._bisecting import Way as Range
from likewise.integrate._several import _Nest
from likewise.interpolate import (
    BPoly,
    CloughTocher2DInterpolator,
    LinearNDInterpolator,
    PPoly,
    RBFInterpolator,
)
from likewise.interpolate._bsplines._knots import around, circle
from likewise.interpolate._bsplines._search import Options
from likewise.interpolate._grids._scattered import Task
from likewise.interpolate._points._triangles import Kept
from likewise.optimize import LinearConstraint
from likewise.optimize._curve_fit._arguments import Asked
from likewise.optimize._curve_fit._curve_fit import How
from likewise.optimize._least_squares._trust_region_reflective import Setting, Tolerances
from likewise.optimize._minimize._arguments import plan_functions, plan_minimize
from likewise.optimize._minimize._objective import Objective
from likewise.optimize._programmes._linprog import _Way
from likewise.optimize._scalar._root_scalar import Way
from likewise.optimize._steps._system import make_system, stopped
from likewise.optimize._systems._method import Run
from likewise.optimize._systems._newton import NEWTON
from likewise.solving._elementwise import Elementwise, plan_lanes
from likewise.sparse.linalg._arguments import square, tall
from likewise.sparse.linalg._eigen import Setting as Eigen
from likewise.sparse.linalg._least import Setting as Least
from likewise.sparse.linalg._square import Setting as Krylov
from likewise.special._function import _COMPLEX
from likewise.testing._cases import calls

from .cases_images import calls_of_images

__all__ = ["CASES", "DTYPES", "SEEN", "arguments", "key"]

Case = Callable[[str], Iterator[tuple[Any, ...]]]


def _apart(x: Any, nearest: Any, sampling: Any, metric: str = "euclidean") -> list[Any]:
    """The distances to the nearest elements of the background, of which there may be several."""
    away = np.abs(np.asarray(nearest) - np.indices(np.asarray(x).shape))
    if metric == "taxicab":
        return [away.sum(axis=0)]
    if metric == "chessboard":
        return [away.max(axis=0)]
    steps = np.ones(away.shape[0]) if sampling is None else np.asarray(sampling)
    return [np.sqrt(((away.T * steps) ** 2).sum(axis=-1))]


DTYPES = ("float64", "float32", "complex128", "complex64", "int64")
CASES: dict[str, Case] = {}
# What is compared where a routine may leave the rest as it likes: of the arguments and the result.
SEEN: dict[str, Callable[[tuple[Any, ...], Any], Any]] = {
    "signal._finding._peaks:find_peaks": lambda args, out: [out[0], *out[1].values()],
    "missing._quantile:selected": lambda args, out: [out[..., k] for k in args[1]],
    "optimize._curve_fit._curve_fit:fitted": lambda args, out: [
        *(np.round(y, 7) for y in out[:5]),
        out[6] > 0,
    ],
    "optimize._minimize._solve:solved": lambda args, out: [
        *(np.round(y, 3) for y in out[:2]),
        out[3],
    ],
    # Cost, values and Jacobian where the iterations ended, which are the routine's own.
    "optimize._least_squares._solve:solved": lambda args, out: [
        *(np.round(y, 5) for y in out[:4]),
        out[6],
        out[9] > 0,
    ],
    "optimize._linear._lsq_linear:of_rows": lambda args, out: [
        *(np.round(out[k], 11) for k in ("x", "cost", "fun", "optimality")),
        *(out[k] for k in ("active_mask", "nit", "outcome")),
    ],
    "optimize._programmes._linprog:of_rows": lambda args, out: [
        *(np.round(np.asarray(y), 7) + 0.0 for y in out[:4]),
        out[6],
    ],
    "ndimage._morphology._distances:features": lambda args, out: _apart(args[0], out, args[1]),
    "ndimage._morphology._distances:tried": lambda args, out: _apart(
        args[0], out, args[2], args[1]
    ),
    "ndimage._measuring._labels:value_indices": lambda args, out: [
        a for k in sorted(out) for a in out[k]
    ],
    "ndimage._measuring._labels:find_objects": lambda args, out: [
        np.asarray([(s.start, s.stop) for box in out for s in box])
    ],
    "stats._base._ranks:ranked": lambda args, out: [
        np.where(np.isnan(np.asarray(args[0])), 0, np.asarray(out[0])),
        np.asarray(out[1]),
    ],
    "sparse.linalg._square:found": lambda args, out: [np.round(out[0], 7), out[1]],
    "sparse.linalg._eigen:found": lambda args, out: [np.round(out[0], 8), out[2]],
    "sparse.linalg._least:found": lambda args, out: [np.round(out[k], 7) for k in sorted(out)],
    "optimize._systems._root:found": lambda args, out: [np.round(y, 9) for y in out[:3]],
    "optimize._scalar._root_scalar:solved": lambda args, out: [args[1].shaped(y) for y in out[:2]],
}


def case(*keys: str) -> Callable[[Case], Case]:
    """Enter the arguments of one row, or of several that take the same."""

    def enter(made: Case) -> Case:
        CASES.update(dict.fromkeys(keys, made))
        return made

    return enter


def some(dtype: str, *shape: int, seed: int = 0) -> Any:
    """Return numbers of both signs; integers among them repeat."""
    rng = np.random.default_rng(seed + sum(shape))
    if dtype == "int64":
        return rng.integers(-4, 9, shape)
    x = rng.normal(size=shape) + (1j * rng.normal(size=shape) if "complex" in dtype else 0)
    return x.astype(dtype)


def edges(dtype: str) -> Any:
    """Return what is not ordinary, of floating dtypes."""
    values = np.asarray([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5, np.nan])
    return values.astype(dtype)


def real(dtype: str) -> bool:
    return dtype.startswith("float")


def floating(dtype: str) -> bool:
    return dtype != "int64"


IDS = np.asarray([3, 0, -1, 3, 7, 1, 0, 3])

# -- fft ---------------------------------------------------------------------------------------------


@case("fft._trigonometric:dct", "fft._trigonometric:dst")
def _along_an_axis(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for type, n, norm in product((1, 2, 3, 4), (4, 5, 9), ("backward", "ortho", "forward")):
            yield some(dtype, 2, 5), type, n, -1, norm, False, None, norm == "ortho"
        if real(dtype):
            yield some(dtype, 6, 2), 2, 6, 0, "backward", False, None, True
        yield some(dtype, 6, 1), 3, 1, 1, "backward", False, None, False


def _off_grid(dtype: str) -> tuple[Any, Any, Any]:
    """Strengths (2, 3, 900), modes (2, 3, 20, 30), and points of two dimensions."""
    if "complex" not in dtype:
        return None, None, ()
    kind = "float32" if dtype == "complex64" else "float64"
    points = tuple(some(kind, 2, 900, seed=k) for k in (1, 2))
    return some(dtype, 2, 3, 900), some(dtype, 2, 3, 20, 30), points


@case("fft._nonuniform:typed1")
def _typed1(dtype: str) -> Iterator[tuple[Any, ...]]:
    c, _, points = _off_grid(dtype)
    if points:
        yield c, *points, (20, 30), 1, 1e-13
        yield c[:, :1], points[0], (50,), -1, 1e-13


@case("fft._nonuniform:typed2")
def _typed2(dtype: str) -> Iterator[tuple[Any, ...]]:
    _, f, points = _off_grid(dtype)
    if points:
        yield f, *points, 1, 1e-13
        yield f[:, :1, 0], points[0], -1, 1e-13


@case("fft._trigonometric:dctn", "fft._trigonometric:dstn")
def _along_axes(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for type, norm in product((1, 2, 3, 4), ("backward", "ortho", "forward")):
            yield some(dtype, 2, 5), type, (3, 4), (1, 0), norm, norm == "ortho"


@case(*(f"fft._steps:{name}" for name in ("fft", "ifft", "irfft", "hfft")))
def _fourier(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for n, norm in product((None, 4, 7, 8), ("backward", "ortho", "forward")):
            yield some(dtype, 3, 7), n, -1, norm
        yield some(dtype, 11, 2), None, 0, "backward"
        yield edges(dtype), None, 0, "backward"


@case("fft._steps:rfft", "fft._steps:ihfft")
def _half_fourier(dtype: str) -> Iterator[Any]:
    if real(dtype) and floating(dtype):
        yield from _fourier(dtype)


@case(*(f"fft._steps:{name}" for name in ("fftn", "ifftn", "irfftn", "hfftn")))
def _fourier_over(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for norm in ("backward", "ortho", "forward"):
            yield some(dtype, 3, 4, 5), None, (0, 1, 2), norm
            yield some(dtype, 3, 4, 5), (3, 6), (2, 0), norm
            yield some(dtype, 3, 1), (3, 1), (0, 1), norm


@case("fft._steps:rfftn", "fft._steps:ihfftn")
def _half_fourier_over(dtype: str) -> Iterator[Any]:
    if real(dtype) and floating(dtype):
        yield from _fourier_over(dtype)


# -- missing: places ---------------------------------------------------------------------------------


@case("missing._segments:segment")
def _segments(dtype: str) -> Iterator[Any]:
    ops = {"add": 0, "multiply": 1}
    if real(dtype):
        ops |= {"maximum": -np.inf, "minimum": np.inf}
    for (op, initial), shape in product(ops.items(), ((8,), (8, 2), (8, 0))):
        yield some(dtype, *shape), IDS, 5, op, initial
        yield some(dtype, *shape)[:0], IDS[:0], 3, op, initial


@case("missing._segments:segment_prod")
def _segment_products(dtype: str) -> Iterator[Any]:
    yield from (args for args in _segments(dtype) if args[3] == "multiply")


@case("missing._segments:bincount")
def _bincount(dtype: str) -> Iterator[Any]:
    x = np.asarray([2, 0, 7, 2, 2])
    weights = some(dtype, 5) if real(dtype) else None
    yield from ((x, weights, n) for n in (0, 3, 12))
    yield x[:0], None, 4


@case("missing._segments:tallied")
def _tallied(dtype: str) -> Iterator[Any]:
    x = np.asarray([2, 0, 7, 2, 2])
    weights = some(dtype, 5) if real(dtype) else None
    yield from ((x, weights, n) for n in (3, 12))


@case("missing._segments:count")
def _count(dtype: str) -> Iterator[Any]:
    yield from ((ids, n) for ids in (IDS, IDS[:0]) for n in (3, 9))


@case("missing._at:update")
def _updates(dtype: str) -> Iterator[Any]:
    x, i = some(dtype, 6, 3), np.asarray([4, 0, 4, 2])
    for op in ("add", "multiply") + (("minimum", "maximum") if real(dtype) else ()):
        yield x, (i,), some(dtype, 4, 3, seed=1), op
        yield x, (i, np.asarray([1, 0, 1, 2])), some(dtype, 4, seed=1), op
        yield x, (i[:0],), some(dtype, 0, 3), op


@case("missing._at:update_prod")
def _update_products(dtype: str) -> Iterator[Any]:
    yield from (args for args in _updates(dtype) if args[3] == "multiply")


@case("missing._at:merged")
def _merged(dtype: str) -> Iterator[Any]:
    for op in ("add", "multiply") + (("minimum", "maximum") if real(dtype) else ()):
        yield some(dtype, 5, 2), np.asarray([3, -1, 0, 3]), some(dtype, 4, 2, seed=1), op


@case("missing._indexing:take")
def _take(dtype: str) -> Iterator[Any]:
    for i, axis in product((IDS % 4, np.asarray([[-1, 0], [2, 2]]), IDS[:0]), (0, 1, None)):
        yield some(dtype, 4, 4), i, axis, None, "raise"
        yield some(dtype, 4, 4), i, axis, None, "clip"


@case("missing._indexing:take_along_axis")
def _take_along(dtype: str) -> Iterator[Any]:
    i = np.asarray([[0, -1], [2, 2], [1, 0]])
    yield some(dtype, 3, 4), i, 1
    yield some(dtype, 4, 2), i, 0


@case("missing._indexing:put")
def _put(dtype: str) -> Iterator[Any]:
    for mode, values in product(("raise", "clip", "wrap"), (some(dtype, 3), some(dtype, 1))):
        yield some(dtype, 3, 4), np.asarray([7, 0, -1 if mode == "raise" else 2]), values, mode


@case("missing._indexing:put_along_axis")
def _put_along(dtype: str) -> Iterator[Any]:
    i = np.asarray([[0, -1], [2, 1], [1, 0]])
    yield some(dtype, 3, 4), i, some(dtype, 3, 2, seed=1), 1
    yield some(dtype, 4, 2), i[:1], some(dtype, 1, 2, seed=1), 0
    yield some(dtype, 3, 4), i[:, :0], some(dtype, 3, 0), 1


@case("missing._indexing:nonzero")
def _nonzero(dtype: str) -> Iterator[Any]:
    yield from ((some("int64", *s).astype(dtype),) for s in ((12,), (3, 4), (0, 3)))


@case("missing._indexing:flatnonzero")
def _flatnonzero(dtype: str) -> Iterator[Any]:
    yield from _nonzero(dtype)


@case("missing._indexing:places")
def _places(dtype: str) -> Iterator[Any]:
    yield from ((some("int64", 12) > 1, n) for n in (0, 2, 20))
    yield np.zeros(0, np.bool), 3


@case("missing._indexing:compress")
def _compress(dtype: str) -> Iterator[Any]:
    mask = np.asarray([True, False, True, True])
    yield from ((mask, some(dtype, 4, 4), axis) for axis in (0, 1))


@case("missing._indexing:repeated")
def _repeated(dtype: str) -> Iterator[Any]:
    yield some(dtype, 3, 2), np.asarray([2, 0, 3]), 0, 5


@case("missing._indexing:repeat")
def _repeat(dtype: str) -> Iterator[Any]:
    yield some(dtype, 3, 2), np.asarray([2, 0, 3]), 0


@case("missing._indexing:unique")
def _unique(dtype: str) -> Iterator[Any]:
    for flags in product((False, True), repeat=3):
        yield some("int64", 20).astype(dtype), *flags


# -- missing: order, sets, bins ----------------------------------------------------------------------


@case("missing._order:topk")
def _topk(dtype: str) -> Iterator[Any]:
    if "complex" in dtype:
        return
    for x, largest in product((some(dtype, 40), some("int64", 40).astype(dtype)), (True, False)):
        yield x, 3, largest
        yield x.reshape(2, 20), 2, largest
    if real(dtype):
        yield from (
            (np.tile(edges(dtype), 4), k, largest) for k in (1, 4) for largest in (True, False)
        )


@case("missing._order:partition", "missing._order:argpartition")
def _partition(dtype: str) -> Iterator[Any]:
    if "complex" not in dtype:
        x = np.random.default_rng(0).permutation(12).reshape(3, 4).astype(dtype)
        yield from ((x, (k,), axis) for k in (0, 2) for axis in (0, 1))


@case("missing._order:lexsort_stack")
def _lexsort(dtype: str) -> Iterator[Any]:
    if "complex" not in dtype:
        yield some("int64", 3, 20).astype(dtype), -1
        yield some("int64", 2, 5, 4).astype(dtype), 0


@case("missing._order:ranks")
def _ranks(dtype: str) -> Iterator[Any]:
    if "complex" not in dtype:
        for method in ("average", "min", "max", "dense", "ordinal"):
            yield some("int64", 3, 20).astype(dtype), method


@case("stats._base._ranks:ranked")
def _ranked(dtype: str) -> Iterator[Any]:
    if real(dtype):
        x = some(dtype, 3, 20)
        gone = np.where(x > 1, np.asarray(np.nan, dtype), x)
        yield from ((v,) for v in (x, np.round(x), np.round(gone), x[0], x[:, :1], x[:, :0]))


@case("stats._correlating._discordance:pairs_in_order")
def _pairs_in_order(dtype: str) -> Iterator[Any]:
    if real(dtype):
        x, y = some(dtype, 3, 20), np.round(some(dtype, 3, 20)[::-1])
        gone = x > 1
        nan = np.asarray(np.nan, dtype)
        yield x, y
        yield np.round(x), y
        yield np.where(gone, nan, np.round(x)), np.where(gone, nan, y)
        yield x[0], y[0]


@case("stats._correlating._kendall:tau")
def _kendall(dtype: str) -> Iterator[Any]:
    if real(dtype):
        x, y = some(dtype, 401), np.round(some(dtype, 401)[::-1])
        for side, method in ((0, "auto"), (1, "asymptotic"), (-1, "auto")):
            yield x, y, False, method, "b", side
        yield np.round(x), y, False, "auto", "c", 0
        order = np.arange(802, dtype=dtype).reshape(2, 401)
        yield order, order[:, ::-1], False, "auto", "b", 0
        yield np.where(x > 2, np.asarray(np.nan, dtype), x), y, False, "auto", "b", 0
        yield 0 * x, y, False, "auto", "b", 0


def _of_shapes(of_probability: bool, *shapes: tuple[float, ...]) -> Case:
    """Values or probabilities in both tails, beside numbers, and shapes that broadcast."""

    def calls(dtype: str) -> Iterator[Any]:
        if real(dtype):
            if of_probability:
                x = np.asarray([1e-9, 1e-3, 0.03, 0.5, 0.9, 0.999], dtype)
            else:
                x = np.asarray([1e-9, 0.03, 0.5, 0.9, 3.0, 7.0, 50.0, np.nan], dtype)
            every = [np.asarray(s, dtype) for s in zip(*shapes, strict=True)]
            yield x, *(s[:1] for s in every)
            yield x, *(s[:, None] for s in every)
            yield x[2:3].reshape(()), *(s[:1].reshape(()) for s in every)

    return calls


for _what in ("cdf", "sf", "ppf", "isf"):
    for _where, _name, _some in (
        ("noncentral", "ncx2", ((4.0, 2.0), (300.0, 2.0), (0.7, 0.01))),
        ("noncentral", "ncf", ((5.0, 10.0, 2.0), (3.0, 100.0, 2.0))),
        ("noncentral", "nct", ((5.0, 1.0), (8.0, -9.0))),
        ("bessel", "rice", ((1.5,), (0.0,), (20.0,))),
    ):
        CASES[f"stats._distributions._{_where}:{_name}_{_what}"] = _of_shapes(
            _what in ("ppf", "isf"), *_some
        )


@case("missing._quantile:selected")
def _selected(dtype: str) -> Iterator[Any]:
    if real(dtype):
        yield from ((some(dtype, 3, 9), kth) for kth in ((4,), (0, 8)))


@case("missing._quantile:middle")
def _middle(dtype: str) -> Iterator[Any]:
    if real(dtype):
        yield some(dtype, 3, 9), 4, 4, False
        yield np.stack([edges(dtype), some(dtype, 8)]), 3, 4, False
        yield some(dtype, 3, 8), 3, 4, True
        yield some(dtype, 70), 34, 35, False  # too many for another's views


@case("missing._quantile:at_known_places")
def _at_known_places(dtype: str) -> Iterator[Any]:
    if real(dtype):
        for method in ("linear", "nearest", "averaged_inverted_cdf"):
            yield some(dtype, 9), 9, (0.3,), method, True, True
            yield np.stack([edges(dtype), some(dtype, 8)]), 8, (0.0, 0.4, 1.0), method, True, False


@case("missing._search:searchsorted")
def _searchsorted(dtype: str) -> Iterator[Any]:
    if "complex" not in dtype:
        for side in ("left", "right"):
            yield np.sort(some(dtype, 9)), some(dtype, 2, 3, seed=1), side, None


@case("missing._sets:setdiff", "missing._sets:setxor")
def _sets(dtype: str) -> Iterator[Any]:
    x, y = some("int64", 9).astype(dtype), some("int64", 5).astype(dtype)
    yield from ((x, y, False), (x[::-1], y[:0], False), (np.unique(x)[::-1], np.unique(y), True))
    if floating(dtype):
        yield np.asarray([np.nan, 1, np.nan], dtype), np.asarray([np.nan, 2], dtype), False


@case("missing._sets:intersect")
def _intersect(dtype: str) -> Iterator[Any]:
    yield from ((*args, indices) for args in _sets(dtype) for indices in (False, True))


@case("missing._sets:isin")
def _isin(dtype: str) -> Iterator[Any]:
    for x, y, known in _sets(dtype):
        yield from ((x, y, known, invert, None) for invert in (False, True))
        yield x.reshape(-1, 1), y, known, False, "sort"


@case("missing._histogram:digitize")
def _digitize(dtype: str) -> Iterator[Any]:
    if "complex" not in dtype:
        bounds = np.asarray([-2, 0, 1, 3]).astype(dtype)
        for b, right in product((bounds, bounds[::-1].copy(), bounds[:1]), (False, True)):
            yield some(dtype, 3, 4), b, right


@case("missing._histogram:histogram")
def _histogram(dtype: str) -> Iterator[Any]:
    if real(dtype):
        x = some(dtype, 30)
        for bins, density in product((4, np.asarray([-1, 0, 0.5, 2]).astype(dtype)), (False, True)):
            yield x, bins, None, density, None
            if isinstance(bins, int):
                yield x, bins, (-1.0, 1.0), density, some(dtype, 30, seed=1)


# -- missing: numbers --------------------------------------------------------------------------------


@case("missing._calculus:interp")
def _interp(dtype: str) -> Iterator[Any]:
    if real(dtype):
        xp = np.sort(some(dtype, 6))
        yield some(dtype, 2, 5, seed=1), xp, some(dtype, 6, seed=2), None, None
        yield some(dtype, 9, seed=1), xp, some(dtype, 6, seed=2), -1.0, 1.0


@case("missing._calculus:unwrap")
def _unwrap(dtype: str) -> Iterator[Any]:
    if real(dtype):
        yield from ((6 * some(dtype, 3, 8), d, axis) for d in (None, 4.0) for axis in (0, 1))


@case("missing._calculus:sinc")
def _sinc(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield (some(dtype, 3, 4),)
        yield (np.zeros(2, dtype),)


@case("missing._convolution:convolve")
def _convolve(dtype: str) -> Iterator[Any]:
    for mode, sizes in product(("full", "same", "valid"), ((9, 4), (1, 1), (6, 6))):
        yield some(dtype, sizes[0]), some(dtype, sizes[1]), mode


@case(
    "signal._convolving._convolution:convolve", "signal._convolving._convolution:convolve_at_best"
)
def _signal_convolve(dtype: str) -> Iterator[Any]:
    sizes = (((9,), (4,)), ((4,), (9,)), ((1,), (1,)), ((6,), (6,)), ((7,), (2,)))
    for mode, (a, b) in product(("full", "same", "valid"), sizes):
        yield some(dtype, *a), some(dtype, *b), mode, "direct"


SECTIONS = np.asarray([[0.1, 0.2, 0.1, 1.0, -1.2, 0.5], [1.0, -1.0, 0.0, 1.0, 0.3, 0.0]])


@case("signal._filtering._filtfilt:filtfilt")
def _filtfilt(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        b, a = (np.asarray(c).astype(dtype) for c in ([0.1, 0.2], [2.0, -1.2, 0.5]))
        for padding in ("odd", "even", "constant"):
            yield b, a, some(dtype, 2, 20), 1, padding, 6, "pad", None
        yield b, a, some(dtype, 20, 2), 0, None, 0, "pad", None
        if dtype == "float64":
            yield b, a, some(dtype, 2, 20), 1, "odd", None, "gust", None


@case("signal._filtering._filtfilt:sosfiltfilt")
def _sosfiltfilt(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for padding in ("odd", "even", "constant"):
            yield SECTIONS.astype(dtype), some(dtype, 2, 20), 1, padding, 6


@case("signal._filtering._savgol_filter:savgol_filter")
def _savgol_filter(dtype: str) -> Iterator[Any]:
    if real(dtype):
        for mode in ("mirror", "constant", "nearest", "wrap", "interp"):
            yield some(dtype, 2, 20), 5, 2, 0, 1.0, 1, mode, 0.5
            yield some(dtype, 20, 2), 7, 3, 1, 0.5, 0, mode, 0.0


@case("signal._filtering._lfilter:lfilter")
def _lfilter(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for b, a in (([0.1, 0.2, 0.1], [2.0, -1.2, 0.5, 0.1]), ([1.0, 2.0], [4.0])):
            made = np.asarray(b).astype(dtype), np.asarray(a).astype(dtype)
            for n in (1, 7, 230):
                yield *made, some(dtype, n), 0
                yield *made, some(dtype, 2, n, 3), 1


@case("signal._filtering._lfilter:lfilter_from")
def _lfilter_from(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        made = (np.asarray(c).astype(dtype) for c in ([0.1, 0.2, 0.1], [2.0, -1.2, 0.5, 0.1]))
        b, a = made
        for n in (1, 2, 7, 230):
            yield b, a, some(dtype, n), 0, some(dtype, 3)
            yield b, a, some(dtype, 2, n, 3), 1, some(dtype, 2, 3, 1)


@case("signal._design._remez:designed")
def _designed(dtype: str) -> Iterator[Any]:
    if dtype == "float64":
        bands = np.asarray([0.05, 0.1, 0.2, 0.45])
        for kind in ("bandpass", "differentiator", "hilbert"):
            yield bands, np.asarray([1.0, 0.0]), np.asarray([1.0, 2.0]), 12, kind, 25, 16


@case("signal._filtering._sosfilt:sosfilt")
def _sosfilt(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        sos = SECTIONS.astype(dtype)
        for n in (1, 7, 230):
            yield sos, some(dtype, n), 0
            yield sos, some(dtype, 2, n, 3), 1


@case("signal._filtering._sosfilt:sosfilt_from")
def _sosfilt_from(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        sos = SECTIONS.astype(dtype)
        for n in (1, 7, 230):
            yield sos, some(dtype, n), 0, some(dtype, 2, 2)
            yield sos, some(dtype, 2, n, 3), 1, some(dtype, 2, 2, 2, 3)


@case("signal._convolving._overlap_add:oaconvolve")
def _oaconvolve(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for mode, (a, b) in product(("full", "same", "valid"), ((90, 4), (4, 90), (6, 6), (7, 1))):
            yield some(dtype, a), some(dtype, b), mode, (0,)
            yield some(dtype, 2, a), some(dtype, 1, b), mode, (1,)


@case(
    "signal._convolving._convolution_2d:convolve2d",
    "signal._convolving._convolution_2d:correlate2d",
)
def _images(dtype: str) -> Iterator[Any]:
    shapes = (((5, 6), (3, 2)), ((2, 3), (4, 5)))
    options = product(("full", "same", "valid"), ("fill", "wrap", "symm"), shapes)
    for mode, boundary, (a, b) in options:
        yield some(dtype, *a), some(dtype, *b), mode, boundary, 1


@case("signal._convolving._convolution_2d:inside")
def _inside(dtype: str) -> Iterator[Any]:
    for a, b in (((5, 6), (3, 2)), ((1, 4), (1, 4)), ((7, 7), (1, 1))):
        for widths in (((0, 0), (0, 0)), ((1, 2), (0, 3))):
            yield some(dtype, *a), some(dtype, *b), widths, "fill", 0
    if real(dtype):
        yield edges(dtype)[None, :], some(dtype, 1, 2), ((0, 0), (1, 1)), "fill", 0.0


PEAKS = np.asarray([1, 3, 6, 9, 12])


@case("signal._finding._peaks:find_peaks")
def _find_peaks(dtype: str) -> Iterator[Any]:
    if real(dtype):
        x = some(dtype, 40)
        for bounds in ({}, {"height": (0.1, None), "prominence": (0.2, 3.0)}, {"width": (0.5, x)}):
            yield x, tuple(bounds.items()), 2, 9, 0.5, None
        flat, bounds = np.round(x), {"plateau_size": (1, 2), "threshold": (None, 2.0)}
        yield flat, tuple(bounds.items()), None, -1, 0.5, None
        for size in (0, 3, 30):  # fewer than there are, and more
            yield x, (("prominence", (0.2, None)), ("width", (0.5, None))), 2, 9, 0.5, size
            yield flat, tuple(bounds.items()), None, -1, 0.5, size


@case("signal._finding._peaks:peak_prominences")
def _peak_prominences(dtype: str) -> Iterator[Any]:
    if real(dtype):
        yield from ((some(dtype, 14), PEAKS, wlen) for wlen in (-1, 2, 5))
        yield edges(dtype), PEAKS[:3], -1


@case("signal._finding._peaks:peak_widths")
def _peak_widths(dtype: str) -> Iterator[Any]:
    if real(dtype):
        x = some(dtype, 14)
        data = scipy.signal.peak_prominences(x, PEAKS)
        yield from ((x, PEAKS, share, data) for share in (0.0, 0.5, 1.0))


@case("signal._resampling._upfirdn:upfirdn_along")
def _upfirdn(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        h, x = some(dtype, 17), some(dtype, 3, 8)
        for (up, down), mode in product(((1, 1), (3, 2), (2, 5)), ("constant", "wrap", "line")):
            yield h, x, up, down, 1, mode, 0.5
            yield h[:2], x, up, down, 0, mode, 0


@case("signal._resampling._resample:resample")
def _resample(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for n, num, axis in ((8, 5, 0), (8, 14, 0), (9, 4, 1), (9, 9, 1), (1, 3, 0)):
            x = some(dtype, *((n, 3) if axis == 0 else (2, n)))
            for window in (None, some(dtype, n)):
                yield x, num, None, axis, window, "time"
                if not real(dtype):
                    yield x, num, None, axis, window, "freq"


@case("missing._moments:cov")
def _cov(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield some(dtype, 3, 8), None, True, False, 1, None, None
        yield some(dtype, 8, 2), None, False, False, 0, None, None


@case("missing._moments:corrcoef")
def _corrcoef(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield some(dtype, 3, 8), None, True


def holes(dtype: str) -> Any:
    x = some(dtype, 3, 8)
    x[0, ::2] = np.nan
    return x


AXES = (None, 0, 1, (0, 1))


@case("missing._nan:nansum")
def _nansum(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((holes(dtype), axis, None, keep) for axis in AXES for keep in (False, True))


@case("missing._nan:nanprod")
def _nanprod(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((holes(dtype), axis, None, None, keep) for axis in AXES for keep in (0, 1))


@case("missing._nan:nancumsum")
def _nancumsum(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((holes(dtype), axis, None) for axis in (0, 1))


@case("missing._nan:nanmean")
def _nanmean(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((holes(dtype), axis, keep) for axis in AXES for keep in (False, True))


@case("missing._nan:nanstd", "missing._nan:nanvar")
def _nanvar(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((holes(dtype), axis, None, None, d, False) for axis in AXES for d in (0, 1))


@case("missing._nan:nanmin", "missing._nan:nanmax")
def _nanmin(dtype: str) -> Iterator[Any]:
    if real(dtype):
        yield from ((holes(dtype), axis, None, keep) for axis in AXES for keep in (False, True))


@case("missing._nan:nan_to_num")
def _nan_to_num(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((edges(dtype), *new) for new in ((0.0, None, None), (1.0, 2.0, -3.0)))


@case("missing._safe:safe_divide")
def _safe_divide(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        x, y = some(dtype, 8), some("int64", 8).astype(dtype)
        yield x, y, np.asarray(-1.0, dtype)
        y[0] = 0
        yield x, y, np.asarray(7.0, dtype)


@case("missing._safe:safe_sqrt")
def _safe_sqrt(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield (np.abs(some(dtype, 8)).astype(dtype),)
        yield (np.zeros(3, dtype),)


@case("missing._safe:safe_norm")
def _safe_norm(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for axes, keep in product(((0,), (1,), (0, 1)), (False, True)):
            yield some(dtype, 3, 4), axes, keep
            yield np.zeros((2, 2), dtype), axes, keep


@case("missing._safe:xlogy")
def _xlogy(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield some(dtype, 8), np.abs(some(dtype, 8, seed=1)).astype(dtype)
        yield np.zeros(3, dtype), np.asarray([0, 1, 2]).astype(dtype)


@case("missing._sampling:round")
def _round(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((10 * some(dtype, 8), n) for n in (0, 1, -1))


@case("missing._structure:isclose")
def _isclose(dtype: str) -> Iterator[Any]:
    x = some(dtype, 8)
    yield from ((x, x + d * np.asarray(1, dtype), 1e-5, 1e-8, False) for d in (0, 1))
    if real(dtype):
        yield from ((edges(dtype), edges(dtype), 1e-5, 1e-8, nan) for nan in (False, True))


@case("missing._sampling:logspace")
def _logspace(dtype: str) -> Iterator[Any]:
    if real(dtype):
        ends = np.asarray([0, 1], dtype), np.asarray([2, 3], dtype)
        yield from (
            (*ends, 5, end, np.asarray(2, dtype), None, a) for end in (0, 1) for a in (0, 1)
        )


@case("missing._sampling:geomspace")
def _geomspace(dtype: str) -> Iterator[Any]:
    if real(dtype):
        ends = np.asarray([1, 2], dtype), np.asarray([8, 5], dtype)
        yield from ((*ends, 5, end, np.dtype(dtype), axis) for end in (0, 1) for axis in (0, 1))


@case("missing._einsum:single")
def _single(dtype: str) -> Iterator[Any]:
    x = some(dtype, 3, 3, 4)
    yield from ((x, (0, 1, 2), out) for out in ((2, 0), (1,), ()))
    yield x, (0, 0, 2), (0, 2)
    yield x, (0, 0, 2), ()


@case("missing._einsum:pair")
def _pair(dtype: str) -> Iterator[Any]:
    x, y = some(dtype, 3, 4), some(dtype, 4, 2, seed=1)
    yield from ((x, (0, 1), y, (1, 2), out) for out in ((0, 2), (2, 0), (1,), ()))
    yield x, (0, 1), some(dtype, 3, seed=2), (0,), (0, 1)


@case("missing._einsum:einsum")
def _einsum(dtype: str) -> Iterator[Any]:
    yield from _pair(dtype)


# -- missing: shapes ---------------------------------------------------------------------------------


@case("missing._structure:pad_constant")
def _pad_constant(dtype: str) -> Iterator[Any]:
    yield from ((some(dtype, 3, 4), w, 2) for w in (((1, 2), (0, 3)), ((0, 0), (0, 0))))


@case("missing._structure:pad_ramp")
def _pad_ramp(dtype: str) -> Iterator[Any]:
    yield some(dtype, 3, 4), ((1, 2), (0, 3)), 2.0


@case("missing._structure:pad_copies")
def _pad_copies(dtype: str) -> Iterator[Any]:
    for mode, x in product(("edge", "reflect", "wrap", "symmetric"), (some(dtype, 4, 5),)):
        yield x, ((1, 2), (2, 3)), mode
        yield x[0], ((2, 1),), mode


@case("missing._structure:windows")
def _windows(dtype: str) -> Iterator[Any]:
    yield from ((some(dtype, 6, 5), n, axis) for n in (1, 3, 5) for axis in (0, 1))


# -- linear algebra ----------------------------------------------------------------------------------


def regular(dtype: str, *shape: int, seed: int = 0) -> Any:
    """Matrices that are far from singular."""
    return some(dtype, *shape, seed=seed) + np.asarray(
        3 * shape[-1] ** 0.5 * np.eye(shape[-1]), dtype
    )


def positive(dtype: str, *shape: int) -> Any:
    x = regular(dtype, *shape)
    return np.matmul(x, np.conj(np.swapaxes(x, -1, -2)))


SIZES = ((2, 2), (4, 3, 3), (12, 12), (2, 12, 12))


@case("linalg._triangular:substitution")
def _substitution(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for s, lower, unit in product(SIZES, (False, True), (False, True)):
            a = regular(dtype, *s) / (s[-1] if unit else 1)
            yield (np.tril if lower else np.triu)(a), some(dtype, *s[:-1], 2), lower, unit


@case("linalg._lu:factored")
def _factored(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((regular(dtype, *s),) for s in SIZES)


@case("linalg._lu:lu")
def _lu(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for s in (*SIZES, (2, 3, 5), (5, 3)):
            for permute, numbers in ((False, False), (True, False), (False, True)):
                yield some(dtype, *s), permute, numbers


@case("linalg._balance:balanced")
def _balanced(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for n in (1, 2, 5, 9):
            a = some(dtype, n, n)
            a = a * (10.0 ** np.arange(n)).astype(dtype) * (abs(a) > 0.5)
            yield from ((a, permute, scale) for permute in (True, False) for scale in (True, False))


@case("linalg._toeplitz:solved")
def _toeplitz_system(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for n in (1, 2, 6):
            c = some(dtype, n) + 4 * n * (np.arange(n) == 0).astype(dtype)
            yield c, some(dtype, n, seed=1), some(dtype, n, 2)
            yield np.stack([c, c]), some(dtype, n, seed=1), some(dtype, 2, n, 2)
    if floating(dtype):
        yield np.asarray([0, 1, 2], dtype), np.asarray([0, 1, 2], dtype), np.ones((3, 1), dtype)


@case("linalg._solve:by_adjugate")
def _by_adjugate(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((regular(dtype, *s),) for s in SIZES if s[-1] < 4)


@case("linalg._cholesky:decomposed")
def _decomposed(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((positive(dtype, *s),) for s in SIZES)


@case("linalg._cholesky:cho_solved")
def _cho_solved(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for s in SIZES:
            yield np.linalg.cholesky(positive(dtype, *s)), some(dtype, *s[:-1], 2)


@case("linalg._solve:by_cramer")
def _by_cramer(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((regular(dtype, *s), some(dtype, *s[:-1], 2)) for s in SIZES if s[-1] < 4)


@case("linalg._solve:by_library")
def _by_library(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((regular(dtype, *s), some(dtype, *s[:-1], 2)) for s in SIZES if s[-1] > 3)


@case("linalg._solve:inverted")
def _inverted(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((regular(dtype, *s),) for s in SIZES if s[-1] > 3)


PIVOTS = np.asarray([3, 1, 5, 3, 9, 5, 7, 7, 8, 11, 10, 11])


@case("linalg._lu:lu_solved")
def _lu_solved(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for mode in (0, 1, 2):
            yield regular(dtype, 12, 12), PIVOTS, some(dtype, 12, 2), mode


@case("linalg._lu:permutation")
def _permutation(dtype: str) -> Iterator[Any]:
    yield PIVOTS, 12


@case("linalg._banded:by_elimination")
def _one_system(dtype: str) -> Iterator[Any]:
    if dtype == "float64":
        yield from (args for args in _tridiagonal(dtype) if args[0].ndim == 1)


@case("linalg._banded:eliminated", "linalg._banded:cyclic")
def _tridiagonal(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for s in ((7,), (3, 7)):
            low, up = some(dtype, *s), some(dtype, *s, seed=1)
            yield low, some(dtype, *s, seed=2) + np.asarray(8, dtype), up, some(dtype, *s, 2)


@case("linalg._banded:reduced")
def _band(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        for below, above in ((1, 1), (2, 1), (0, 2)):
            ab = some(dtype, below + above + 1, 9)
            ab[above] += np.asarray(9, dtype)
            yield ab, some(dtype, 9, 2), below, above


@case("linalg._matrices:toeplitz")
def _toeplitz(dtype: str) -> Iterator[Any]:
    yield some(dtype, 4), some(dtype, 3, seed=1)


@case("linalg._matrices:hankel")
def _hankel(dtype: str) -> Iterator[Any]:
    c, r = some(dtype, 4), some(dtype, 3, seed=1)
    r[0] = c[-1]
    yield c, r


@case("linalg._matrices:circulant")
def _circulant(dtype: str) -> Iterator[Any]:
    yield (some(dtype, 4),)


@case("linalg._matrices:block_diag")
def _block_diag(dtype: str) -> Iterator[Any]:
    yield some(dtype, 2, 3), some(dtype, 1, 1), some(dtype, 3, 2)


@case("stats._multivariate._normal:density")
def _normal_density(dtype: str) -> Iterator[Any]:
    if real(dtype):
        a = some(dtype, 3, 3)
        cov = a @ a.T + 2 * np.eye(3, dtype=dtype)
        yield some(dtype, 5, 3), cov, "multivariate_normal.logpdf", "cov", None


@case("spatial.distance._pairs:plainly")
def _plainly(dtype: str) -> Iterator[Any]:
    if real(dtype):
        for name in ("euclidean", "cityblock", "canberra"):
            yield some(dtype, 4, 3), some(dtype, 2, 3, seed=1), name


@case("spatial.distance._pairs:pairs_plainly")
def _pairs_plainly(dtype: str) -> Iterator[Any]:
    if real(dtype):
        yield from ((some(dtype, 4, 3), name) for name in ("euclidean", "chebyshev"))


@case("spatial.distance._pairs:matrix")
def _matrix(dtype: str) -> Iterator[Any]:
    yield from ((some(dtype, m * (m - 1) // 2), m) for m in (1, 2, 4))


@case("spatial.distance._pairs:of_distributions")
def _of_distributions(dtype: str) -> Iterator[Any]:
    if real(dtype):
        p, q = np.abs(some(dtype, 5)), np.abs(some(dtype, 5, seed=1))
        yield from ((p, x, base) for x in (q, p, p * 3) for base in (None, 2.0))
        yield np.zeros(3, dtype), np.ones(3, dtype), None


@case("spatial.distance._arguments:of_vectors")
def _of_vectors(dtype: str) -> Iterator[Any]:
    more = None, 2.0, None, None, True
    for name in "dice jaccard rogerstanimoto russellrao sokalsneath yule hamming".split():
        some_true = np.asarray([True, False, True, False]), np.asarray([True, True, False, False])
        for u, v in (some_true, some_true[:1] * 2, (~some_true[0], some_true[0])):
            yield u, v, name, *more
    if real(dtype):
        for name in "canberra chebyshev cityblock cosine euclidean sqeuclidean".split():
            yield some(dtype, 4), some(dtype, 4, seed=1), name, *more


@case("linalg._expm:expm")
def _expm(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield from ((some(dtype, *s),) for s in ((3, 3), (2, 4, 4)))


@case("linalg._lstsq:least_squares")
def _least_squares(dtype: str) -> Iterator[Any]:
    if floating(dtype):
        yield some(dtype, 8, 3), some(dtype, 8, 2), 1e-6


@case("linalg._eigenvalues:pencil")
def _pencil(dtype: str) -> Iterator[Any]:
    if floating(dtype):  # triangular: in one order by all routines
        yield from (
            (np.triu(regular(dtype, n, n)), np.triu(regular(dtype, n, n, seed=1))) for n in (2, 5)
        )


@case("linalg._tridiagonal:eigh")
def _eigh(dtype: str) -> Iterator[Any]:
    if real(dtype):
        d, e = some(dtype, 6), some(dtype, 5, seed=1)
        yield from ((d, e, True, *part) for part in (("a", None), ("i", (1, 3))))


# -- optimize: one problem ---------------------------------------------------------------------------


@case("optimize._linear._nnls:solution")
def _nnls(dtype: str) -> Iterator[Any]:
    if dtype != "float64":
        return
    for m, n, seed in ((30, 10, 0), (5, 5, 1), (4, 7, 2), (1, 1, 3)):
        yield some(dtype, m, n, seed=seed), some(dtype, m, seed=seed), 10 * n
    yield np.abs(some(dtype, 6, 3)), -np.abs(some(dtype, 6)), 30


@case("optimize._programmes._linprog:of_rows")
def _linprog(dtype: str) -> Iterator[Any]:
    if dtype != "float64":
        return
    way = _Way("highs", {}, None, None, None)
    for m, n, few in ((3, 5, 3), (3, 6, 1), (2, 4, 0)):
        a, x = some(dtype, 1, m, n, seed=m), 1 + np.abs(some(dtype, 1, n, seed=n))
        c = 1 + np.abs(some(dtype, 1, n)) - np.abs(some(dtype, 1, m)) @ a[0]
        b = (a @ x[..., None])[..., 0]
        yield c, a, b, np.zeros((1, n)), np.full((1, n), np.inf), (few, False, 100), way


@case("optimize._programmes._milp:solved")
def _milp(dtype: str) -> Iterator[Any]:
    if dtype.startswith("float"):
        c, a = (np.ones(s, dtype) for s in ((2, 3), (2, 1, 3)))
        yield -c, a, a[..., 0], 2 * a[..., 0], 0 * c, c, c, {}


@case("optimize._linear._lsq_linear:of_rows")
def _lsq_linear(dtype: str) -> Iterator[Any]:
    if dtype != "float64":
        return
    for m, n in ((30, 10), (4, 3), (3, 3), (1, 1)):
        a, b = some(dtype, 1, m, n, seed=m), some(dtype, 1, m, seed=n)
        far = np.full((1, n), np.inf)
        yield a, b, -far, far, (None, 30)
        x = np.linalg.lstsq(a[0], b[0])[0]
        yield a, b, x[None] - 0.1, x[None] + far, (None, 30)  # within them
        yield a, b, x[None] + 0.1, far, (None, 30)  # on them, which is the body's


@case("optimize._linear._isotonic:pooled")
def _isotonic(dtype: str) -> Iterator[Any]:
    if dtype != "float64":
        return
    for n, up in product((1, 2, 40), (True, False)):
        y = some(dtype, n, seed=n)
        yield y, np.ones_like(y), up
        yield y.round(), 1 + np.abs(some(dtype, n, seed=n + 1)), up  # some are equal


@case("sparse.linalg._square:found")
def _square_systems(dtype: str) -> Iterator[Any]:
    if dtype not in ("float64", "complex128"):
        return
    a, b = some(dtype, 5, 5) + 6 * np.eye(5), some(dtype, 5)
    for name, x0 in product(("bicg", "bicgstab", "cg", "cgs", "gmres"), (None, np.ones_like(b))):
        matrix = a @ a.conj().T if name == "cg" else a
        given = square(name, matrix, b, x0, np.diag(1 / np.diag(matrix)))
        yield given.b, given, Krylov(name, 1e-9, 0.0, 50, restart=5)


@case("sparse.linalg._eigen:found")
def _few_eigenvalues(dtype: str) -> Iterator[Any]:
    if dtype not in ("float64", "complex128"):
        return
    a = some(dtype, 9, 9)
    for which in ("LA", "SA"):
        given = square("eigsh", a + a.conj().T, np.ones_like(a[0]), None, None)
        yield given.b, given, None, Eigen(2, 9, which, 0.0, 50)


@case("sparse.linalg._least:found")
def _least_by_products(dtype: str) -> Iterator[Any]:
    if dtype not in ("float64", "complex128"):
        return
    b = some(dtype, 6)
    for name, damp, x0 in product(("lsmr", "lsqr"), (0.0, 0.5), (None, np.ones_like(b[:4]))):
        given = tall(name, some(dtype, 6, 4), b, x0)
        yield given.b, given, Least(name, damp, 1e-9, 1e-9, 1e8, 20, False)


@case("optimize._scalar._root_scalar:solved")
def _bracketed(dtype: str) -> Iterator[Any]:
    if not real(dtype):
        return
    ends = {"bracket[0]": np.asarray(0.5, dtype), "bracket[1]": np.asarray(3.0, dtype)}
    for method, c in product(("bisect", "brentq", "brenth"), (np.asarray(2.0, dtype), 9.0)):
        lanes = plan_lanes("root_scalar", _cube, ends, (c,))
        fun = Elementwise("root_scalar", "f", _cube, lanes)
        yield lanes.points[0], lanes, fun, Way(method, 2e-12, 1e-15, 100, None, None)


def _cube(x: Any, c: Any) -> Any:
    return x**3 - c


@case("integrate._adaptive:integrated")
def _integrals(dtype: str) -> Iterator[Any]:
    if not real(dtype):
        return
    for points in ({}, {"points[0]": 0.7}):
        ends = {"a": np.asarray(0.5, dtype), "b": np.asarray(3.0, dtype)}
        lanes = plan_lanes("quad", _cube, ends | points, (9.0,))
        yield lanes.points[0], lanes, _cube, Range(21, 50, 1e-8, 1e-8, False, bool(points))
    for weight, wvar in (("cos", (3.0,)), ("alg-log", (-0.5, 0.5)), ("cauchy", (1.1,))):
        ends = {"a": np.asarray(0.5, dtype), "b": np.asarray(3.0, dtype)}
        lanes = plan_lanes(
            "quad", _cube, ends | {f"wvar[{i}]": v for i, v in enumerate(wvar)}, (9.0,)
        )
        yield lanes.points[0], lanes, _cube, Range(25, 50, 1e-8, 1e-8, False, weight=weight)


@case("integrate._several:nested")
def _nested(dtype: str) -> Iterator[Any]:
    if not real(dtype):
        return

    def jump(y: Any, x: Any) -> Any:
        """Refuses what the row tries, so that the row calls it with numbers."""
        return y**3 - x if getattr(y, "shape", ()) != (2, 3) else None

    a = np.asarray([0.5], dtype)
    yield a, _Nest("nquad", jump, [(0.0, 1.0), (0.5, 1.0)], [{}, {}]), ()


@case("optimize._curve_fit._curve_fit:fitted")
def _fits(dtype: str) -> Iterator[Any]:
    if not real(dtype):
        return
    x = np.linspace(0, 4, 25).astype(dtype)
    y = (2.5 * np.exp(-1.3 * x) + 0.1 * some(dtype, 25)).astype(dtype)
    how = How((None,) * 4, False, None, 1, False, False, False)
    inf, rest = np.inf, (None, None, None, None, None, None, "linear", 1.0, None, None, True)
    for p0, sigma in (([1.0, 1.0], None), (np.asarray([2.0, 0.5], dtype), 1 + np.abs(y))):
        asked = Asked(_decay, x, y, p0, sigma, -inf, inf, *rest[1:])
        yield y, asked, how
        yield y, asked, how._replace(absolute_sigma=True)


def _decay(t: Any, a: Any, k: Any) -> Any:
    return a * array_namespace(t).exp(-k * t)


@case("optimize._minimize._solve:solved")
def _minima(dtype: str) -> Iterator[Any]:
    if not real(dtype):
        return
    x0 = np.asarray([-1.2, 1.0], dtype)
    disc = {"type": "ineq", "fun": lambda x: 1.5 - x[0] ** 2 - x[1] ** 2}
    box, both = [(-2, 0.5), (None, 3)], [disc, LinearConstraint([[1.0, 2.0]], 0.3, 0.3)]
    for method, bounds, known, tol, jac in (
        ("BFGS", None, (), 1e-6, None),
        ("BFGS", None, (), 1e-4, "2-point"),
        ("L-BFGS-B", None, (), 1e-6, None),
        ("L-BFGS-B", box, (), 1e-6, None),
        ("L-BFGS-B", box, (), 1e-6, "2-point"),
        ("Nelder-Mead", None, (), 1e-6, None),
        *((name, None, (), 1e-6, None) for name in ("trust-exact", "trust-krylov", "trust-ncg")),
        *((name, None, (), 1e-8, None) for name in ("Newton-CG", "dogleg")),
        ("COBYLA", box, (), 1e-6, None),
        ("COBYQA", None, both, 1e-6, None),
        ("SLSQP", box, disc, 1e-12, None),
        ("SLSQP", None, both, 1e-12, None),
        ("SLSQP", box, [{**disc, "jac": "2-point"}, both[1]], 1e-10, "2-point"),
    ):
        functions = plan_functions(_rosenbrock, (), jac, None, None, False, None, known)
        problem = plan_minimize(array_namespace(x0), functions, x0, method, bounds, tol, None)
        made = problem.constraints
        objective = Objective("minimize", _rosenbrock, (), jac, None, None, None, False, None, made)
        yield problem.rows.x0, problem, objective, None


def _rosenbrock(x: Any) -> Any:
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


@case("optimize._least_squares._solve:solved")
def _least_squares(dtype: str) -> Iterator[Any]:
    if not real(dtype):
        return
    x = np.asarray([[-1.2, 1.0]], dtype)
    system = make_system("least_squares", _residuals, None, (), None, x, None, False)
    tests = Tolerances(1e-8, 1e-8, 1e-8, 200, 0)
    setting = Setting(stopped(system), None, None, 1.0, tests, None, False, None)
    for by_lm in (False, True):
        yield x, system, None, setting, 1, by_lm


@case("optimize._systems._root:found")
def _roots(dtype: str) -> Iterator[Any]:
    if not real(dtype):
        return
    for x in (np.asarray([[2.0, 0.5]], dtype), np.asarray([[-3.0, -1.0]], dtype)):
        system = make_system("root", _equations, None, (), None, x, None, False)
        yield x, stopped(system), NEWTON, Run(None, dict(NEWTON.options), False, None, None)


def _residuals(x: Any) -> Any:
    return array_namespace(x).stack([10 * (x[1] - x[0] ** 2), 1 - x[0], x[0] * x[1] - 1])


def _equations(x: Any) -> Any:
    return array_namespace(x).stack([x[0] ** 2 + x[1] ** 2 - 2, x[0] - x[1]])


@case("optimize._linear._assignment:assigned")
def _assigned(dtype: str) -> Iterator[Any]:
    if real(dtype):
        yield from ((some(dtype, *s),) for s in ((4, 4), (3, 5)))


for _key in ("jn", "yn", "kn"):

    @case(f"special._bessel_orders:{_key}")
    def of_order(dtype: str) -> Iterator[tuple[Any, ...]]:
        if real(dtype):
            x = np.asarray([0.0, 1e-3, 0.3, 2.5, 7.0, 30.0, np.nan, np.inf], dtype)
            yield from ((v, n) for v in (x, -x, x[2:3].reshape(()), x[:0]) for n in (2, 7, 40))


@case("special._legendre:legendre_p")
def legendre(dtype: str) -> Iterator[tuple[Any, ...]]:
    z = np.asarray([-1.0, -0.3, 0.0, 0.7, 1.0, 1.5]).astype(dtype)
    if real(dtype) or "complex" in dtype:
        yield from ((z, n, diff_n) for n in (0, 1, 2, 12) for diff_n in (0, 1, 2))
        yield z[2:3].reshape(()), 5, 1


@case("special._legendre:harmonic")
def harmonic(dtype: str) -> Iterator[tuple[Any, ...]]:
    if real(dtype):
        theta, phi = (
            np.asarray([0.0, 0.5, 1.7, 3.0, np.nan], dtype),
            np.asarray([[0.2], [4]], dtype),
        )
        for n, m in ((0, 0), (1, -1), (2, 1), (3, 5), (9, -4), (20, 20), (60, 7), (-1, 0)):
            yield theta, phi, n, m


@case("special._logsumexp:softmax", "special._logsumexp:log_softmax")
def exponents(dtype: str) -> Iterator[tuple[Any, ...]]:
    if real(dtype):
        for x in (10 * some(dtype, 4, 3), np.asarray([[0, -30, -700], [3, 3, 1]], dtype)):
            yield from ((x, axes) for axes in ((0,), (1,), (0, 1)))
            yield x / 30, (1,)


@case("special._logsumexp:of_real_terms")
def sums_of_exponentials(dtype: str) -> Iterator[tuple[Any, ...]]:
    for args in exponents(dtype):
        yield from ((*args, keepdims) for keepdims in (False, True))


@case("special._faddeeva:wofz")
def wofz(dtype: str) -> Iterator[tuple[Any, ...]]:
    if "complex" in dtype:
        yield (some(dtype, 40),)
        yield (np.asarray([0, 1j, 3 + 1e-9j, 5 + 1j, -9 + 2j, 2 - 1j, np.nan, np.inf], dtype),)


@case("special._lambertw:lambertw")
def lambertw(dtype: str) -> Iterator[tuple[Any, ...]]:
    if "complex" in dtype:
        z = np.asarray([0, 1e-30, -1 / np.e, -0.367, -0.1, 1, 1j, -5 - 2j, 1e30, np.nan], dtype)
        yield z, np.asarray([0, -1, 2, 1000], dtype)[:, None]
        yield some(dtype, 40), np.asarray(0, dtype)


@case("special._faddeeva:voigt_profile")
def voigt_profile(dtype: str) -> Iterator[tuple[Any, ...]]:
    if real(dtype):
        x = np.asarray([0.0, -1e-9, 0.3, -1.3, 4.0, 9.0, 1e5, np.nan], dtype)
        sigma = np.asarray([0.0, 0.5, 2.0], dtype)[:, None]
        yield x, sigma, np.asarray([0.0, 1e-6, 0.3, 4.0], dtype)[:, None, None]


# -- pieces of polynomials --------------------------------------------------------------------------


def _knots(n: int) -> Any:
    return np.cumsum(np.random.default_rng(n).uniform(0.2, 2.0, n)) - 3.0


@case("interpolate._piecewise._ppoly:evaluated")
def pieces(dtype: str) -> Iterator[tuple[Any, ...]]:
    x = _knots(6)
    v = np.concatenate([x, [-9.0, 99.0, math.nan, 0.1, 1.7], np.linspace(-4.0, 6.0, 40)])
    if dtype == "float64":
        for c in (some(dtype, 4, 5), some(dtype, 3, 5, 2), some(dtype, 1, 5)):
            for nu, mode in product((0, 1, 2, 5), (True, False, "periodic")):
                yield c, x, v[:14], nu, mode
                yield c, x, np.tile(v, 8), nu, mode
                yield c, -x, v[:14], nu, mode


@case("interpolate._piecewise._bpoly:evaluated")
def averaged_pieces(dtype: str) -> Iterator[tuple[Any, ...]]:
    yield from pieces(dtype)


@case("interpolate._piecewise._pieces:integral")
def piecewise_integrals(dtype: str) -> Iterator[tuple[Any, ...]]:
    x = _knots(6)
    if dtype == "float64":
        for of, c in product((BPoly, PPoly), (some(dtype, 4, 5), some(dtype, 3, 5, 2))):
            for ends, mode in product(
                [(-9.0, 1.0), (0.1, -1.7), (0.3, 0.3), (1.0, 99.0), (-1.0, 0.5)],
                (True, False, "periodic"),
            ):
                yield c, x, *(np.asarray([v]) for v in ends), mode, of


def _values(dtype: str) -> Iterator[tuple[Any, Any]]:
    if dtype == "float64":
        for n in (2, 3, 4, 9):
            yield _knots(n), some(dtype, n)
            yield _knots(n), some(dtype, n, 2)
            yield _knots(n), np.round(some(dtype, n, 3))


@case("interpolate._piecewise._cubic:monotone")
def monotone_pieces(dtype: str) -> Iterator[tuple[Any, ...]]:
    yield from _values(dtype)


@case("interpolate._piecewise._cubic:local")
def local_pieces(dtype: str) -> Iterator[tuple[Any, ...]]:
    for x, y in _values(dtype):
        for method in ("akima", "makima"):
            yield x, y, method


@case("interpolate._piecewise._spline:cubics")
def splines_of_cubics(dtype: str) -> Iterator[tuple[Any, ...]]:
    for x, y in _values(dtype):
        given = (None, y[1:2] - 0.3, y[:1] + 0.2)
        for first, last in product((0, 1, 2), repeat=2):
            yield x, y, (first, last), given[first], given[last]


@case("interpolate._grids._interp1d:piecewise")
def lines_and_steps(dtype: str) -> Iterator[tuple[Any, ...]]:
    for x, y in _values(dtype):
        v = np.concatenate([x, [-9.0, 99.0, 0.1, 1.7], (x[1:] + x[:-1]) / 2])
        for kind in ("linear", "nearest", "nearest-up", "previous", "next", 1, 0):
            yield x, y, v, kind, False
            yield x, y, np.append(v[(v >= x[0]) & (v <= x[-1])], math.nan), kind, True


def _padded(x: Any, k: int) -> Any:
    """Knots, the ends k + 1 times."""
    return np.concatenate([x[:1].repeat(k), x, x[-1:].repeat(k)])


@case("polynomial._steps:value")
def series_at_points(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        for prefix in ("poly", "cheb", "leg", "herm", "herme", "lag"):
            for c, x in (
                (some(dtype, 4), some(dtype, 3, 2)),
                (some(dtype, 1), some(dtype, 5)),
                (some(dtype, 2, 3), some(dtype, 5)),
            ):
                yield x, c, prefix, True
            yield some(dtype, 3, seed=2), some(dtype, 4, 3), prefix, False
        yield np.linspace(-1.0, 1.0, 9000), some(dtype, 4), "cheb", True


@case("polynomial._steps:multiplied")
def products_of_series(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        for prefix in ("poly", "cheb", "leg", "herm", "herme", "lag"):
            yield some(dtype, 3), some(dtype, 5), prefix
            yield some(dtype, 1), some(dtype, 2), prefix


@case("interpolate._polynomials._rational:pencil")
def poles_between_nodes(dtype: str) -> Iterator[tuple[Any, ...]]:
    if floating(dtype):
        for n in (1, 2, 5):
            x = np.asarray(2.0 ** np.arange(n), dtype=dtype)
            yield x, np.asarray(np.arange(n) + 1.0, dtype=dtype)


@case("interpolate._bsplines._bspline:values")
def splines_at_points(dtype: str) -> Iterator[tuple[Any, ...]]:
    x = _knots(7)
    v = np.concatenate([x, [-9.0, 99.0, math.nan, 0.1, 1.7], np.linspace(-4.0, 6.0, 8)])
    if dtype in ("float64", "complex128"):
        for k, rest in ((0, ()), (1, (2,)), (3, ()), (4, (1, 3))):
            twice = np.sort(np.concatenate([x, x[2:3].repeat(min(k, 2))]))
            for t in (_padded(twice, k), np.arange(2.0 * k + 4) - k):
                c = some(dtype, t.shape[0] - k - 1 + (k == 3), *rest)  # one more than it reads
                for nu, mode in product((0, min(k, 1), k, k + 1), (True, False, "periodic")):
                    yield v, t, c, k, nu, mode
                yield v.reshape(4, 5), t, c, k, 0, True
        yield v[:0], t, c, k, 0, True
        yield v[1, ...], t, c, k, 0, True


@case("interpolate._bsplines._interpolating:coefficients")
def splines_through_values(dtype: str) -> Iterator[tuple[Any, ...]]:
    x = _knots(9)
    if dtype in ("float64", "complex128"):
        for k, rest in ((1, ()), (2, (2,)), (3, ()), (3, (2, 3)), (5, (0,))):
            middles = (x[1:] + x[:-1])[k // 2 : 8 - k // 2] / 2
            inner = x[(k + 1) // 2 : 9 - (k + 1) // 2] if k % 2 else middles
            t = _padded(np.concatenate([x[:1], inner, x[-1:]]), k)
            yield some(dtype, 9, *rest), x, t, k, (), ()
        for k, left, right in ((3, (1,), (2,)), (3, (2, 1), ()), (4, (), (3, 1, 2)), (2, (1,), ())):
            t = _padded(x, k)[: 9 + len(left) + len(right) + k + 1]
            t[-k - 1 :] = x[-1]
            yield some(dtype, 9 + len(left) + len(right)), x, t, k, left, right
        yield some(dtype, 9), x, _padded(np.linspace(x[-2], x[-1], 7), 3), 3, (), ()  # singular


@case("interpolate._bsplines._search:smoothed")
def searches(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        x = _knots(15)
        y, w = some(dtype, 15, 2), np.linspace(0.5, 1.5, 15)
        for s, k, periodic in product((0.0, 5.0, 90.0), (2, 3), (False, True)):
            how = Options(k, periodic)
            yield y[:, :1], x, w, x[:1], x[-1:], s, how, None
            yield y, x, w, x[:1], x[-1:], s, how, None
        yield y[:, :1], x, w, x[:1] - 1, x[-1:], 5.0, Options(3, store=0), None
        yield y[:, :1], x, w, x[:1], x[-1:], 5.0, Options(3, again=True), None
        yield y, x, w, x[:1], x[-1:], 5.0, Options(3, most=2), None


@case("interpolate._bsplines._search:of_knots")
def splines_of_knots(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        x = _knots(15)
        y, w = some(dtype, 15, 2), np.linspace(0.5, 1.5, 15)
        t = _padded(np.concatenate([x[:1], x[4:11:3] + 0.1, x[-1:]]), 3)
        yield y[:, :1], x, w, t, 3, False
        yield y, x, w, t, 3, False
        yield y[:, :1], x, w, around(np, x[4:11:3], x[:1], x[-1:], 3), 3, True


@case("interpolate._bsplines._least_squares:nearest")
def nearest_splines(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype in ("float64", "complex128"):
        x = _knots(15)
        t = _padded(np.concatenate([x[:1], x[4:11:3] + 0.1, x[-1:]]), 3)
        for w in (None, np.linspace(0.5, 1.5, 15)):
            for rest in ((), (2,), (2, 3)):
                yield some(dtype, 15, *rest), x, w, t, 3, 2
        yield some(dtype, 15), x, None, t, 3, 0


@case("interpolate._bsplines._bspline:integral")
def integrals_of_splines(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        t = _padded(_knots(7), 3)
        for a, b in ((-0.3, 0.4), (-9.0, 9.0), (0.4, -0.3)):
            for rest, more in product(((), (2, 3)), (False, True, "periodic")):
                c = some(dtype, t.shape[0], *rest)
                yield c, t, np.asarray(a), np.asarray(b), 3, more
                yield c, t, a, b, 3, more


@case("interpolate._bsplines._interpolating:interpolated")
def splines_of_values(dtype: str) -> Iterator[tuple[Any, ...]]:
    x = _knots(9)
    if dtype in ("float64", "complex128"):
        for k, rest in ((1, ()), (2, (2,)), (3, ()), (3, (2, 3)), (5, (0,))):
            yield some(dtype, 9, *rest), x, k, x, None, False
        for ends in ("natural", "clamped", ("clamped", "natural")):
            yield some(dtype, 9, 2), x, 3, x, ends, False
        t = _padded(np.concatenate([x[:1], x[2:7] + 0.01, x[-1:]]), 3)
        yield some(dtype, 9), x, 3, t, None, True


@case("interpolate._bsplines._interpolating:round")
def periodic_splines(dtype: str) -> Iterator[tuple[Any, ...]]:
    x = _knots(9)[None, :]
    if dtype in ("float64", "complex128"):
        for k in (1, 2, 3, 5):
            yield some(dtype, 1, 8, 2), x, circle(np, x, k), k


@case("interpolate._bsplines._fitpack:represented")
def splines_near_values(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        x, w = _knots(15), np.linspace(0.5, 1.5, 15)
        for k, s in product((1, 3, 5), (0.0, 5.0, 500.0)):
            yield some(dtype, 15), x, w, k, s, None
        yield some(dtype, 15), x, None, 3, None, None
        yield some(dtype, 15), x, None, 3, None, x[4:11:3] + 0.1


@case("interpolate._bsplines._fitpack:tabled")
def splines_beyond_ends(dtype: str) -> Iterator[tuple[Any, ...]]:
    x = _knots(7)
    v = np.concatenate([x, [-9.0, 99.0, math.nan, 0.1, 1.7]])
    if dtype == "float64":
        for k, nu, ext in product((1, 3, 5), (0, 1), (0, 1, 3)):
            t = _padded(x, k)
            yield v, t, some(dtype, t.shape[0]), k, nu, ext
        yield v.reshape(3, 4), t, some(dtype, t.shape[0]), k, 0, 1


@case("interpolate._bsplines._fitpack:derived")
def derivatives_of_splines(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        for k, nu in ((1, 1), (3, 1), (4, 3)):
            t = _padded(_knots(7), k)
            yield some(dtype, t.shape[0]), t, k, nu


@case("interpolate._bsplines._fitpack:inserted")
def splines_with_another_knot(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        x = _knots(7)
        for k, many, at in product((1, 3, 5), (1, 2), (float(x[0]), float(x[3]), 0.1)):
            t = _padded(x, k)
            if many <= k:
                yield some(dtype, t.shape[0]), t, at, k, many


@case("interpolate._bsplines._fitpack:every_derivative")
def splines_with_all_derivatives(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        x = _knots(7)
        for k, at in product((1, 3, 5), (float(x[0]), float(x[3]), 0.1, float(x[-1]))):
            t = _padded(x, k)
            yield some(dtype, t.shape[0]), t, at, k


@case("interpolate._bsplines._fitpack:zeros")
def points_where_splines_are_zero(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        t = _padded(_knots(9), 3)
        yield some(dtype, t.shape[0]), t, None
        yield some(dtype, t.shape[0]), t, 20


# -- interpolate -------------------------------------------------------------------------------------


def _on_grids(dtype: str) -> Iterator[tuple[Any, ...]]:
    """Points, values and axes."""
    kind = "float32" if dtype in ("float32", "complex64") else "float64"
    x, y = (np.asarray(a, kind) for a in ([0.0, 0.5, 2.0, 2.5, 4.0], [-1.0, 1.0, 1.5, 3.0]))
    at = np.random.default_rng(9).uniform(-2.0, 5.0, size=(9, 2)).astype(kind)
    yield at, some(dtype, 5, 4), (x, y)
    yield np.concatenate([at, np.asarray([[np.nan, 0.3]], kind)]), some(dtype, 5, 4), (x, y)
    inside = np.clip(at, 0.0, 3.0)
    yield inside, some(dtype, 5, 4), (x, y)
    yield np.asarray([[x[0], y[0]], [x[-1], y[-1]]], kind), some(dtype, 5, 4), (x, y)


@case("interpolate._grids._evaluation:linear")
@case("interpolate._grids._evaluation:nearest")
def steps_on_grids(dtype: str) -> Iterator[tuple[Any, ...]]:
    if floating(dtype):
        for at, v, grid in _on_grids(dtype):
            for fill in (None, np.nan, 2.5):
                yield at, v, fill, *grid
                yield at[:, :1], v[:, 0], fill, grid[0]


@case("interpolate._grids._evaluation:spline")
def splines_on_grids(dtype: str) -> Iterator[tuple[Any, ...]]:
    if floating(dtype):
        for at, c, (x, y) in _on_grids(dtype):
            for k in (1, 3):
                half = (k + 1) // 2
                knots = [
                    np.concatenate([a[:1].repeat(k + 1), a[half:-half], a[-1:].repeat(k + 1)])
                    for a in (x, y)
                ]
                for fill, nu in ((None, (0, 0)), (2.5, (1, 0)), (np.nan, (0, 5))):
                    yield at, c, fill, (k, k), nu, *knots


@case("interpolate._grids._bivariate:values")
def values_of_surfaces(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        tx, ty = np.asarray([0.0, 0, 0, 1.1, 2, 2, 2]), np.asarray([0.0, 0, 0.9, 2, 2])
        c, at = some(dtype, 12), np.asarray([-1.0, 0.0, 0.9, 1.1, 1.7, 2.0, 3.0])
        for orders, grid in product(((0, 0), (1, 0)), (False, True)):
            yield at, at, tx, ty, c, (2, 1), orders, grid
            yield at[::-1], at, tx, ty, c, (2, 1), orders, grid


@case("interpolate._grids._rectangles:exact")
def surfaces_on_grids(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        x, y = np.asarray([0.0, 0.5, 2.0, 2.5, 4.0, 4.2]), np.asarray([-1.0, 1.0, 1.5, 3.0])
        for ends in ((None,) * 4, (-1.0, None, None, 4.0)):
            yield x, y, some(dtype, 6, 4), ends, (3, 2)


@case("interpolate._grids._sphere:sphere")
def surfaces_on_spheres(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        u, v, one = np.linspace(0.4, 2.6, 6), np.linspace(-1.0, 3.5, 5), np.asarray(1.0)
        no, yes = (False, False), (True, True)
        yield u, v, some(dtype, 6, 5), None, None, no, no, no, 0.0
        yield u, v, some(dtype, 6, 5), None, one, (True, False), no, no, 0.0
        yield u, v, some(dtype, 6, 5), one, None, yes, yes, (False, True), 0.0
        yield u[:2], v, some(dtype, 2, 5), one, one, no, no, no, 0.0


@case("interpolate._grids._scattered:scattered")
def surfaces_of_points(dtype: str) -> Iterator[tuple[Any, ...]]:
    if dtype == "float64":
        x, y, w = np.random.default_rng(9).uniform(0.5, 1.5, size=(3, 90))
        z = np.sin(5.0 * x) * np.cos(4.0 * y) + 0.1 * (w - 1.0)
        ends = tuple(np.asarray([v]) for v in (0.4, 1.6, 0.5, 1.5))
        known = Task("scattered", (2, 1), None, (0, 0), 1e-16)
        yield x, y, z, w, np.asarray([0.9]), np.asarray([0.8, 1.2]), known, *ends
        # A polynomial; tests/interpolate compares searches, which end within 0.1 % of s.
        yield x, y, z, w, None, None, Task("scattered", (3, 2), 90.0, (10, 9), 1e-16), *ends


@case("interpolate._grids._evaluation:outside")
def outside_of_grids(dtype: str) -> Iterator[tuple[Any, ...]]:
    if real(dtype) and floating(dtype):
        for at, _, grid in _on_grids(dtype):
            yield at, *grid


def _scattered(dtype: str, *sizes: int) -> Iterator[tuple[Any, ...]]:
    """Points, values, and where they are interpolated."""
    if dtype in ("float64", "complex128"):
        rng = np.random.default_rng(4)
        yield rng.normal(size=(40, 2)), some(dtype, 40, *sizes), rng.normal(size=(30, 2))


@case("interpolate._points._triangles:delaunay")
def triangles(dtype: str) -> Iterator[tuple[Any, ...]]:
    for points, _, _ in _scattered(dtype):
        yield points, "griddata", None, Kept()


@case("interpolate._points._linear:interpolated")
def on_triangles(dtype: str) -> Iterator[tuple[Any, ...]]:
    for sizes in ((), (2, 3)):
        for points, values, at in _scattered(dtype, *sizes):
            for kind in (LinearNDInterpolator, CloughTocher2DInterpolator):
                yield at, kind(points, values)


@case("interpolate._points._clough_tocher:slopes")
def of_triangles(dtype: str) -> Iterator[tuple[Any, ...]]:
    for points, values, _ in _scattered(dtype, 2):
        yield values, LinearNDInterpolator(points, values).tri, 1e-13, 400


@case("interpolate._points._radial:closest")
def closest_of_points(dtype: str) -> Iterator[tuple[Any, ...]]:
    for points, _, at in _scattered(dtype):
        yield at, points, 5, Kept()


@case("interpolate._points._radial:system")
def radial_functions(dtype: str) -> Iterator[tuple[Any, ...]]:
    for points, values, _ in _scattered(dtype, 2):
        if values.dtype == points.dtype:
            smooth = np.full(40, 0.1)
            for kernel, powers in (("linear", ((),)), ("thin_plate_spline", ((), (0,), (1,)))):
                yield points, values, smooth, kernel, np.asarray(1.3), powers, Kept()
            yield points, values, smooth, "gaussian", np.asarray(1.3), (), Kept()


@case("interpolate._points._radial:evaluated")
def of_radial_functions(dtype: str) -> Iterator[tuple[Any, ...]]:
    for points, values, at in _scattered(dtype, 2):
        if values.dtype == points.dtype:
            made = RBFInterpolator(points, values, smoothing=0.1)
            how = (made.kernel, made.epsilon, made.powers, made._kept)
            yield at, points, *how, *made._solved


@case("interpolate._points._nearest:nearest")
def nearest_of_points(dtype: str) -> Iterator[tuple[Any, ...]]:
    for points, _, at in _scattered(dtype):
        yield at, points, 2.0, Kept()
        yield at, points, np.inf, Kept()


# -- rows without an entry ---------------------------------------------------------------------------


def key(row: Any) -> str:
    return f"{row.generic.__module__.removeprefix('likewise.')}:{row.name}"


def arguments(row: Any) -> Case:
    """Return the arguments of a row: its entry, or what can be made for it."""
    if key(row) in CASES:
        return CASES[key(row)]
    if key(row).startswith("ndimage."):
        return lambda dtype: iter(_of_images(dtype).get(key(row), ()))
    special = key(row).startswith("special.")
    return functools.partial(_of_numbers if special else _handed_on, row)


@functools.cache
def _of_images(dtype: str) -> dict[str, list[tuple[Any, ...]]]:
    """The arguments that the functions of images hand on to each step, by its key."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    switched = Row.switched

    def noted(self: Any, args: Any, token: Any) -> Any:
        found.setdefault(key(self), []).append(args)
        return switched(self, args, token)

    with pytest.MonkeyPatch.context() as patch, prefer("generic"), np.errstate(all="ignore"):
        patch.setattr(Row, "switched", noted)
        for name, args, kwargs in calls_of_images(dtype):
            with contextlib.suppress(LikewiseError):  # not of this dtype
                getattr(ndimage, name)(*args, **kwargs)
    return found


def _of_numbers(row: Any, dtype: str) -> Iterator[tuple[Any, ...]]:
    """Points at which the methods of special functions change, and numbers that aren't ordinary."""
    count = len(inspect.signature(row.generic).parameters)
    if row.name in _COMPLEX and "complex" in dtype:
        yield tuple(some(dtype, 40, seed=i) for i in range(count))
    if not real(dtype):
        return
    with np.errstate(over="ignore", under="ignore"):
        x = np.asarray([0.0, 1e-30, 0.3, 0.5, 1.0, 2.5, 7.0, np.nan, np.inf]).astype(dtype)
    for values in (x, -x, some(dtype, 40), np.abs(some(dtype, 40, seed=1)), x[3:4].reshape(())):
        others = np.asarray([0.0, 0.5, 1.0, 3.0], dtype)[:, None]
        yield (values, others, np.asarray([0.25, 2.0], dtype)[:, None, None])[:count]


def _handed_on(row: Any, dtype: str) -> Iterator[tuple[Any, ...]]:
    """The arguments with which the public functions in a row's file call its step."""
    found, switched = [], Row.switched

    def noted(self: Any, args: Any, token: Any) -> Any:
        if self is row:
            found.append(args)
        return switched(self, args, token)

    module = row.generic.__module__
    public = [
        f
        for f in vars(sys.modules[module]).values()
        if getattr(f, "__module__", "") == module and hasattr(f, "where")
    ]
    with pytest.MonkeyPatch.context() as patch, prefer("generic"):
        patch.setattr(Row, "switched", noted)
        for f in public:
            for args, kwargs in calls(f.where, dtype):
                with contextlib.suppress(LikewiseError):  # not of this dtype
                    f(*args, **kwargs)
    yield from found
