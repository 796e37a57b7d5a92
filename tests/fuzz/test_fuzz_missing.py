"""Random arguments to functions of `missing`: NumPy and SciPy are the judges.

Shapes with nothing in them, without dimensions, with axes of size 1; views that run backwards or
repeat one element; every dtype; weak numbers; infinities and NaN. Results agree, or both ways refuse,
ours with an error of its own.
"""

import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.special

from likewise import linalg as la
from likewise import missing as m
from likewise.errors import DtypeError, LikewiseError

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATING = ["float32", "float64", "complex64", "complex128"]
REAL = [*INTEGERS, "bool", "float32", "float64"]
ANY = [*REAL, "complex64", "complex128"]
MODES = ["constant", "edge", "linear_ramp", "reflect", "symmetric", "wrap"]

Draw = Callable[["Random"], tuple[tuple[Any, ...], dict[str, Any]]]


class Random:
    """Draws arguments."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def one(self, items: Any) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def shape(self, least: int = 0, most: int = 3) -> tuple[int, ...]:
        return tuple(
            int(n) for n in self.rng.choice([0, 1, 1, 2, 3, 4], self.rng.integers(least, most + 1))
        )

    def array(
        self, shape: tuple[int, ...] | None = None, dtypes: Any = ANY, strange: float = 0.15
    ) -> Any:
        shape = self.shape() if shape is None else shape
        dtype = np.dtype(self.one(dtypes))
        x: Any
        if dtype.kind in "iu":
            x = self.rng.integers(0 if dtype.kind == "u" else -3, 4, shape).astype(dtype)
        elif dtype.kind == "b":
            x = self.rng.random(shape) < 0.5
        else:
            x = np.round(self.rng.normal(size=shape) * 2, 1)
            if dtype.kind == "c":
                x = x + 1j * np.round(self.rng.normal(size=shape), 1)
            x = np.asarray(x, dtype=dtype)
            # What an infinity times a complex number is, libraries see differently.
            if strange and dtype.kind == "f" and self.rng.random() < 0.3:
                odd = self.one([np.nan, np.inf, -np.inf, 0.0, -0.0])
                x[self.rng.random(shape) < strange] = odd
        x = np.asarray(x)
        if x.ndim and self.rng.random() < 0.2:
            x = np.flip(np.flip(x).copy())  # runs backwards
        elif x.ndim and x.size and self.rng.random() < 0.15:
            x = np.broadcast_to(x[:1], x.shape)  # repeats its first element
        return x

    def axis(self, x: Any) -> int:
        return int(self.rng.integers(-x.ndim, x.ndim)) if x.ndim else -1


def _samples(r: Random) -> Any:
    y = r.array(r.shape(1), FLOATING)
    axis = r.axis(y)
    kwargs: dict[str, Any] = {"axis": axis}
    if r.rng.random() < 0.5:
        n = y.shape[axis]
        kwargs["x"] = np.cumsum(r.rng.random(n) + 0.1).astype("float64")
    else:
        kwargs["dx"] = r.one([1.0, 0.5, 2])
    return (y,), kwargs


def _reduction(dtypes: Any = ANY) -> Draw:
    def draw(r: Random) -> Any:
        x = r.array(dtypes=dtypes)
        kwargs: dict[str, Any] = {"keepdims": bool(r.rng.random() < 0.5)}
        if x.ndim and r.rng.random() < 0.7:
            kwargs["axis"] = r.axis(x)
        return (x,), kwargs

    return draw


def _diff(r: Random) -> Any:
    a = r.array(r.shape(1))
    axis = r.axis(a)
    kwargs: dict[str, Any] = {"n": int(r.rng.integers(0, 4)), "axis": axis}
    for name in ("prepend", "append"):
        if r.rng.random() < 0.4:
            shape = list(a.shape)
            shape[axis] = int(r.rng.integers(0, 3))
            kwargs[name] = r.one([r.array(tuple(shape), [a.dtype.name]), a.dtype.type(1)])
    return (a,), kwargs


def _pad(r: Random) -> Any:
    x = r.array()
    widths = [tuple(int(k) for k in r.rng.integers(0, 4, 2)) for _ in range(x.ndim)]
    # Ramps of booleans are rounded down by ours, and away from 0 by NumPy.
    modes = [mode for mode in MODES if mode != "linear_ramp" or x.dtype != bool]
    return (x, widths if x.ndim else 2, r.one(modes)), {}


def _squares(dtypes: Any = FLOATING) -> Draw:
    def draw(r: Random) -> Any:
        n = int(r.rng.integers(1, 11))
        batch = r.one([(), (), (2,), (1, 2)])
        a = r.array((*batch, n, n), dtypes, 0) + 20 * np.eye(n)
        b = r.array(r.one([(n,), (n, 2), (*batch, n, 1)]), dtypes, 0)
        return (a, b), {}

    return draw


def _einsum(r: Random) -> Any:
    sizes = {c: int(r.rng.choice([0, 1, 2, 3])) for c in "abcd"}
    terms = [
        "".join(r.rng.choice(list("abcd"), r.rng.integers(0, 4)))
        for _ in range(r.one([1, 2, 2, 3]))
    ]
    out = "".join(
        c for c in r.rng.permutation(list("abcd")) if c in "".join(terms) and r.rng.random() < 0.5
    )
    dtype = [r.one(ANY)]
    return (
        ",".join(terms) + "->" + out,
        *(r.array(tuple(sizes[c] for c in t), dtype, 0) for t in terms),
    ), {}


def _vectors(r: Random) -> Any:
    dtype = [r.one(ANY)]
    return (r.array(r.shape(1, 1), dtype), r.array(r.shape(1, 1), dtype)), {}


def _interp(r: Random) -> Any:
    n = int(r.rng.integers(1, 5))
    kwargs = {"left": -9.0} if r.rng.random() < 0.3 else {}
    return (
        r.array(dtypes=["float64"]),
        np.cumsum(r.rng.random(n) + 0.1),
        r.array((n,), ["float64"], 0),
    ), kwargs


def _weights(r: Random) -> Any:
    k, n = int(r.rng.integers(1, 4)), int(r.rng.integers(2, 5))
    kwargs: dict[str, Any] = {"bias": bool(r.rng.random() < 0.5)}
    if r.rng.random() < 0.4:
        kwargs["aweights"] = r.rng.random(n)
    if r.rng.random() < 0.4:
        kwargs["fweights"] = r.rng.integers(0, 3, n)
    return (r.array((k, n), ["float64", "complex128", "int32"]),), kwargs


def _tridiagonal(r: Random) -> Any:
    n = int(r.rng.integers(1, 9))
    low, main, up = (r.array((n,), ["float64"], 0) for _ in range(3))
    return (low, main + 30, up, r.array(r.one([(n,), (n, 2)]), ["float64"], 0)), {}


def _thomas(low: Any, main: Any, up: Any, b: Any) -> Any:
    return np.linalg.solve(np.diag(main) + np.diag(low[1:], -1) + np.diag(up[:-1], 1), b)


def _two(dtypes: Any = ANY, same: bool = True) -> Draw:
    def draw(r: Random) -> Any:
        kinds = [r.one(dtypes)] if same else dtypes
        shape = r.shape()
        other = tuple(1 if r.rng.random() < 0.3 else n for n in shape)
        return (r.array(shape, kinds), r.array(other, kinds)), {}

    return draw


def _divided(x: Any, y: Any) -> Any:
    return np.where(y == 0, 0, x / np.where(y == 0, 1, y))


def _unary(dtypes: Any, **options: Any) -> Draw:
    return lambda r: ((r.array(dtypes=dtypes),), {k: r.one(v) for k, v in options.items()})


def _lstsq(r: Random) -> Any:
    shape = tuple(int(n) for n in r.rng.integers(1, 5, 2))
    return (r.array(shape, FLOATING[::2], 0), r.array((shape[0], 2), FLOATING[::2], 0)), {}


# Ours, the judge, and how arguments are drawn.
CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], Draw]] = {
    "angle": (m.angle, np.angle, _unary(FLOATING, deg=[True, False])),
    "array_equal": (m.array_equal, np.array_equal, _two()),
    "block_diag": (la.block_diag, scipy.linalg.block_diag, lambda r: (tuple(r.array(r.shape(2, 2), ["float64"]) for _ in range(3)), {})),
    "circulant": (la.circulant, scipy.linalg.circulant, lambda r: ((r.array(r.shape(1, 1)),), {})),
    "convolve": (m.convolve, np.convolve, lambda r: ((*_vectors(r)[0], r.one(["full", "same", "valid"])), {})),
    "corrcoef": (m.corrcoef, np.corrcoef, lambda r: ((r.array((int(r.rng.integers(1, 4)), 4), ["float64", "complex128"], 0),), {})),
    "cov": (m.cov, np.cov, _weights),
    "cumulative_trapezoid": (m.cumulative_trapezoid, scipy.integrate.cumulative_trapezoid, _samples),
    "deg2rad": (m.deg2rad, np.deg2rad, _unary(["float32", "float64"])),
    "det": (la.det, np.linalg.det, lambda r: (_squares()(r)[0][:1], {})),
    "diff": (m.diff, np.diff, _diff),
    "einsum": (m.einsum, np.einsum, _einsum),
    "geomspace": (m.geomspace, np.geomspace, lambda r: ((r.array((2,), ["float64"], 0) + 20, r.array((2,), ["float64"], 0) + 30, int(r.rng.integers(0, 5))), {"endpoint": r.one([True, False])})),
    "gradient": (m.gradient, np.gradient, lambda r: ((r.array((int(r.rng.integers(3, 6)), 3), FLOATING), r.one([1.0, 0.5])), {"axis": r.one([0, -1]), "edge_order": r.one([1, 2])})),
    "hankel": (la.hankel, scipy.linalg.hankel, _vectors),
    "interp": (m.interp, np.interp, _interp),
    "inv": (la.inv, np.linalg.inv, lambda r: (_squares()(r)[0][:1], {})),
    "isclose": (m.isclose, np.isclose, lambda r: (_two(["float32", "float64"])(r)[0], {"equal_nan": r.one([True, False])})),
    "kron": (m.kron, np.kron, _two()),
    "logspace": (m.logspace, np.logspace, lambda r: ((r.array((2,), ["float64"], 0), r.array((2,), ["float64"], 0), int(r.rng.integers(0, 5))), {"endpoint": r.one([True, False])})),
    "lstsq": (lambda a, b: la.lstsq(a, b).x, lambda a, b: np.linalg.lstsq(a, b)[0], _lstsq),
    "nan_to_num": (m.nan_to_num, np.nan_to_num, _unary(ANY, nan=[0.0, 1.5], posinf=[None, 7.0])),
    "nanargmax": (m.nanargmax, np.nanargmax, _reduction(REAL)),
    "nanargmin": (m.nanargmin, np.nanargmin, _reduction(REAL)),
    "nancumsum": (m.nancumsum, np.nancumsum, lambda r: ((r.array(r.shape(1)),), {"axis": r.one([None, -1])})),
    "nanmax": (m.nanmax, np.nanmax, _reduction(REAL)),
    "nanmean": (m.nanmean, np.nanmean, _reduction()),
    "nanmin": (m.nanmin, np.nanmin, _reduction(REAL)),
    "nanprod": (m.nanprod, np.nanprod, _reduction()),
    "nanstd": (m.nanstd, np.nanstd, _reduction()),
    "nansum": (m.nansum, np.nansum, _reduction()),
    "nanvar": (m.nanvar, np.nanvar, _reduction()),
    "pad": (m.pad, np.pad, _pad),
    "pinv": (la.pinv, np.linalg.pinv, lambda r: ((r.array((*r.one([(), (2,)]), 3, 2), FLOATING, 0),), {"rtol": 1e-3})),
    "rot90": (m.rot90, np.rot90, lambda r: ((r.array(r.shape(2)), int(r.rng.integers(-5, 6))), {})),
    "round": (m.round, np.round, _unary([*INTEGERS, *FLOATING], decimals=[0, 1, 2, -1, -2])),
    "safe_divide": (m.safe_divide, _divided, _two(FLOATING)),
    "safe_norm": (m.safe_norm, np.linalg.norm, lambda r: ((r.array(r.shape(1, 2), FLOATING),), {"axis": r.one([-1, 0])})),
    "safe_sqrt": (m.safe_sqrt, np.sqrt, _unary(FLOATING)),
    "simpson": (m.simpson, scipy.integrate.simpson, _samples),
    "sinc": (m.sinc, np.sinc, _unary(FLOATING)),
    "sliding_window_view": (m.sliding_window_view, lambda x, w, axis: np.lib.stride_tricks.sliding_window_view(x, w, axis), lambda r: ((x := r.array(r.shape(1)), int(r.rng.integers(1, 4))), {"axis": r.axis(x)})),
    "solve": (la.solve, np.linalg.solve, _squares()),
    "solve_triangular": (lambda a, b: la.solve_triangular(a, b, lower=True), lambda a, b: np.linalg.solve(np.tril(a), b), _squares()),
    "lu_solve": (lambda a, b: la.lu_solve(la.lu_factor(a), b), np.linalg.solve, _squares()),
    "toeplitz": (la.toeplitz, scipy.linalg.toeplitz, _vectors),
    "trapezoid": (m.trapezoid, scipy.integrate.trapezoid, _samples),
    "tridiagonal_solve": (la.tridiagonal_solve, _thomas, _tridiagonal),
    "unwrap": (m.unwrap, np.unwrap, lambda r: ((r.array(r.shape(1), ["float64"], 0) * 3,), {})),
    "xlogy": (m.xlogy, scipy.special.xlogy, _two(["float32", "float64"])),
}  # fmt: skip


def outcome(func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return func(*args, **kwargs)
    except (
        ValueError,
        TypeError,
        IndexError,
        ArithmeticError,
        RuntimeError,
        LikewiseError,
    ) as error:
        return error


def agree(lib: Any, got: Any, expected: Any, args: Any, single: bool) -> None:
    got, expected = lib.to_numpy(got), np.asarray(expected)
    assert got.shape == expected.shape
    if got.dtype.kind in "biu" and expected.dtype.kind in "biu":
        np.testing.assert_array_equal(got, expected.astype(got.dtype))
        return
    coarse = single or got.dtype in (np.float32, np.complex64)
    finite = np.abs(expected[np.isfinite(expected)])
    scale = max(1.0, float(np.max(finite, initial=0)))
    tol = (3e-4 if coarse else 1e-9) * scale
    np.testing.assert_allclose(got, expected, rtol=0, atol=tol)


def moved(lib: Any, x: Any) -> Any:
    return lib.asarray(x.copy()) if isinstance(x, np.ndarray) else x


def run(lib: Any, name: str, seed: int, way: str = "") -> str:
    """One case; how it ended."""
    ours, judge, draw = CASES[name]
    args, kwargs = draw(Random(seed))
    single = any(getattr(a, "dtype", None) in (np.float32, np.complex64) for a in args)
    expected = outcome(judge, args, kwargs)
    if lib.library == "numpy":
        given, named = args, kwargs
    else:
        given = tuple(moved(lib, a) for a in args)
        named = {k: moved(lib, v) for k, v in kwargs.items()}
    got = outcome(getattr(ours, "generic", ours) if way else ours, given, named)
    if lib.library == "torch" and "for which torch lacks" in str(got):  # dtypes in name only
        assert isinstance(got, DtypeError)
        return "refused"
    if isinstance(got, Exception):
        assert isinstance(got, LikewiseError), f"a raw {got!r} for {args}, {kwargs}"
        assert isinstance(expected, Exception), f"{got!r}, not {expected} for {args}, {kwargs}"
        return "refused"
    if isinstance(expected, Exception):
        return "answered"
    try:
        agree(lib, got, expected, args, single)
    except AssertionError as error:
        raise AssertionError(f"{name}{args}, {kwargs}:\n{got}\nnot\n{expected}") from error
    return "agreed"


COUNT = {"numpy": 150, "strict": 25, "torch": 25, "jax": 2}


@pytest.mark.parametrize("name", CASES)
def test_like_numpy_and_scipy(lib: Any, name: str) -> None:
    if not lib.has_float64 or not lib.has_extensions or lib.jit:
        return
    for k in range(COUNT.get(lib.library, 4)):
        run(lib, name, zlib.crc32(f"{name} {k}".encode()))


@pytest.mark.parametrize("name", CASES)
def test_generic_bodies(lib: Any, name: str) -> None:
    """What runs without native routines."""
    if lib.name != "numpy":
        return
    for k in range(100):
        run(lib, name, zlib.crc32(f"{name} {k} generic".encode()), "generic")
