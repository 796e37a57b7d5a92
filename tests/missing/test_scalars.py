"""Results without dimensions are NumPy's scalars on NumPy, as those of NumPy's own functions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.special

import likewise
from likewise import linalg, missing, optimize, signal, special

X = np.asarray([0.4, -1.2, 2.0, 0.7, -0.3])
Y = np.asarray([1.0, 2.0, 0.0, 1.0, 1.0])
GAPS = np.asarray([0.4, np.nan, 2.0])
WHOLE = np.asarray([1, 2, 0, 3])
SQUARE = np.asarray([[4.0, 1.0], [1.0, 3.0]])
TALL = np.asarray([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3], [1.5, 1.0]])
RIGHT = np.asarray([1.0, 0.5, 2.0, -1.0])
ONE, SECOND = np.asarray(0.7), np.asarray(1)  # without dimensions
GRID = np.sort(X)


def valley(x: Any) -> Any:
    return (x - 0.3) ** 2 + 0.1 * x**4


Call = tuple[str, Any, Any, tuple[Any, ...], dict[str, Any]]


def of_numpy(name: str, *args: Any, **options: Any) -> Call:
    return name, getattr(missing, name), getattr(np, name), args, options


def beside(name: str, theirs: Callable[..., Any], *args: Any, **options: Any) -> Call:
    return name, getattr(missing, name), theirs, args, options


CALLS = [
    *(of_numpy(name, x) for name in ("median", "nanmedian") for x in (X, GAPS, WHOLE, ONE)),
    *(of_numpy(name, X, axis=0) for name in ("median", "nanmedian", "nanargmin", "nanargmax")),
    of_numpy("median", X[:0]),
    *(of_numpy(name, x) for name in ("nanargmin", "nanargmax") for x in (X, GAPS, WHOLE, ONE)),
    *(
        of_numpy(name, x, q)
        for name in ("quantile", "nanquantile", "percentile")
        for x in (X, GAPS, WHOLE)
        for q in (0.3, np.asarray(0.3), np.float64(0.3))
    ),
    *(of_numpy(name, WHOLE, 0.3, method="lower") for name in ("quantile", "percentile")),
    of_numpy("trapezoid", X),
    of_numpy("trapezoid", X[:1]),
    of_numpy("trapezoid", X, np.arange(5.0)),
    *(beside("simpson", scipy.integrate.simpson, x) for x in (X, X[:4], X[:2])),
    beside("simpson", scipy.integrate.simpson, X, x=np.arange(5.0)),
    *(of_numpy("interp", x, np.arange(5.0), X) for x in (0.3, ONE, np.float64(0.3))),
    of_numpy("interp", ONE, np.zeros(1), X[:1]),
    of_numpy("corrcoef", X),
    *(
        of_numpy("einsum", subscripts, *operands)
        for subscripts, operands in (
            ("i,i->", (X, Y)), ("i->", (X,)), ("ii", (SQUARE,)), ("ij,ij->", (SQUARE, SQUARE)),
            (",->", (ONE, ONE)), ("->", (ONE,)), ("i,i,i->", (X, Y, X)), ("i,i", (WHOLE, WHOLE)),
            ("i,i->", (X + 0j, Y)), ("i,i->", (X[:0], X[:0])), ("i,j->", (X, Y)),
            ("i,i->", (X > 0, Y > 0)),
        )
    ),
    of_numpy("einsum", "i,i,i->", X, Y, X, optimize=False),
    *(of_numpy("digitize", x, GRID) for x in (0.3, ONE, np.float64(0.3))),
    of_numpy("digitize", ONE, GRID[::-1]),
    *(of_numpy("searchsorted", GRID, x) for x in (0.3, ONE, np.float64(0.3))),
    *(of_numpy("isclose", *pair) for pair in ((1.0, ONE), (ONE, ONE), (1.0, 2.0))),
    *(of_numpy("sinc", x) for x in (0.7, ONE, np.float64(0.7))),
    *(
        of_numpy(name, x)
        for name in ("angle", "deg2rad", "rad2deg", "round", "nan_to_num")
        for x in (0.7, ONE, np.float64(0.7))
    ),
    of_numpy("round", ONE, 1),
    of_numpy("round", np.asarray(17), -1),
    *(of_numpy("take", x, i) for x in (X, WHOLE) for i in (2, SECOND)),
    of_numpy("ravel_multi_index", (1, 2), (3, 4)),
    of_numpy("ravel_multi_index", (SECOND, SECOND), (3, 4)),
    of_numpy("unravel_index", 5, (3, 4)),
    of_numpy("unravel_index", SECOND, (3, 4)),
    *(beside("safe_norm", np.linalg.norm, x) for x in (X, SQUARE)),
    beside("safe_sqrt", np.sqrt, ONE),
    beside("safe_divide", np.divide, ONE, ONE),
    ("lstsq", lambda a, b: linalg.lstsq(a, b).residues,
        lambda a, b: scipy.linalg.lstsq(a, b)[1], (TALL, RIGHT), {}),
    ("convolve", signal.convolve, scipy.signal.convolve, (ONE, ONE), {}),
    ("fftconvolve", signal.fftconvolve, scipy.signal.fftconvolve, (ONE, ONE), {}),
    ("nnls", lambda *args: optimize.nnls(*args)[1], lambda a, b: np.float64(
        scipy.optimize.nnls(a, b)[1]), (TALL, RIGHT), {}),
    ("bracket", lambda *args: optimize.bracket(*args)[:2],
        lambda *args: scipy.optimize.bracket(*args)[:2], (valley, SECOND * 0.0, SECOND * 1.0), {}),
    *(
        ("logsumexp", special.logsumexp, scipy.special.logsumexp, (x,), more)
        for x, more in ((X, {}), (X, {"b": np.abs(Y)}), (X, {"return_sign": True}))
    ),
    ("logsumexp", special.logsumexp, scipy.special.logsumexp, (X + 1j,), {}),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
def test_scalars_of_numpy(call: Call) -> None:
    _, ours, theirs, args, options = call
    expected = theirs(*args, **options)
    several = isinstance(expected, tuple)
    for _ in range(2):  # the second time by what the first has noted
        found = ours(*args, **options)
        pairs = zip(found, expected, strict=False) if several else [(found, expected)]
        for one, other in pairs:
            assert isinstance(other, np.generic | np.ndarray)
            assert isinstance(one, np.generic), type(one)
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["allclose", "array_equal"])
def test_truths_of_numpy(name: str) -> None:
    """NumPy's bool, which on other libraries is an array, so that it can be compiled."""
    for x, y in ((X, X), (X, Y), (X, X[:2]) if name == "array_equal" else (X, -X), (1.0, ONE)):
        found = getattr(missing, name)(x, y)
        assert isinstance(found, np.bool)
        assert found == getattr(np, name)(x, y)
    assert isinstance(missing.array_equal(WHOLE, WHOLE.astype(np.uint8)), np.bool)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
def test_scalars_of_bodies(call: Call) -> None:
    """The body gives what the routine does."""
    _, ours, _, args, options = call
    with likewise.prefer("generic"):
        found = ours(*args, **options)
    for one in found if isinstance(found, tuple) else (found,):
        assert isinstance(one, np.generic) or np.ndim(one), type(one)


def test_on_other_libraries_arrays() -> None:
    xp = likewise.namespace("strict")
    x = xp.asarray(X)
    for name, *rest in (
        ("median",),
        ("quantile", 0.3),
        ("trapezoid",),
        ("allclose", x),
        ("take", 2),
    ):
        found = getattr(missing, name)(x, *rest)
        assert likewise.library(found) == "strict" and found.shape == ()
