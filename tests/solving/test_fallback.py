"""Functions that leave arrays are differenced, once and with a word; no other is."""

import ctypes
import ctypes.util
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
import scipy.special.cython_special

import likewise
from likewise.errors import DerivativeWarning, TransformError
from likewise.optimize import curve_fit, fsolve, least_squares, leastsq, minimize, root, root_scalar
from likewise.transforms import grad

not_in_blocks = pytest.mark.xp_skip({"dask": "functions are called when the result is computed"})
T = np.linspace(0.0, 4.0, 12)


def by_float(x: Any) -> Any:
    """Two equations, of a sum of squares with one minimum, (1, -2)."""
    xp = likewise.array_namespace(x)
    return xp.stack([x[0] * 2.0 - 2.0, float(x[1]) + x[0] + 1.0])


SOLVERS: dict[str, Callable[[Any, Any], Any]] = {
    "minimize": lambda f, x: minimize(lambda v: likewise.array_namespace(v).sum(f(v) ** 2), x).x,
    "L-BFGS-B": lambda f, x: (
        minimize(lambda v: likewise.array_namespace(v).sum(f(v) ** 2), x, bounds=[(-5, 5)] * 2).x
    ),
    "least_squares": lambda f, x: least_squares(f, x).x,
    "lm": lambda f, x: least_squares(f, x, method="lm").x,
    "root": lambda f, x: root(f, x).x,
}


@not_in_blocks
@pytest.mark.parametrize("name", SOLVERS)
def test_differenced(lib: Any, name: str) -> None:
    """Also where torch would let the number out, and the derivative would lack a part."""
    x = lib.asarray([0.5, 0.5])
    if lib.library == "jax":
        with pytest.raises(Exception, match="float|oncret"):
            SOLVERS[name](by_float, x)
        return
    with pytest.warns(DerivativeWarning, match=r"jac='2-point'.*float\(x\[1\]\)") as told:
        found = SOLVERS[name](by_float, x)
    # A recording that ends by a look at a value has warned, and so does the run that follows.
    assert sum(w.category is DerivativeWarning for w in told) in ((1, 2) if lib.replayed else (1,))
    np.testing.assert_allclose(lib.to_numpy(found), [1.0, -2.0], atol=1e-5)


def test_a_function_of_cython_of_several_types() -> None:
    """It says of a proxy that no signature matches, and not what it got."""
    with pytest.warns(DerivativeWarning, match="No matching signature"):
        found = minimize(lambda x: scipy.special.cython_special.gamma(x[0]), np.asarray([1.2]))
    np.testing.assert_allclose(found.x, [1.4616321449683622], rtol=1e-5)


def test_followed_is_not_differenced(lib: Any) -> None:
    def square(x: Any) -> Any:
        return likewise.array_namespace(x).sum((x - 1.0) ** 2)

    with warnings.catch_warnings():
        warnings.simplefilter("error", DerivativeWarning)
        minimize(square, lib.asarray([0.5, 0.5]))


def test_a_transform_refuses_it_as_before() -> None:
    def moved(c: Any) -> Any:
        return np.sum(least_squares(lambda x: by_float(x) - c, np.asarray([0.5, 0.5])).x)

    with pytest.raises(TransformError, match=r"float\(\)"):
        grad(moved)(1.0)


def test_a_batch_is_not_differenced() -> None:
    with pytest.raises(TransformError, match="jac='2-point'"):
        least_squares(by_float, np.ones((3, 2)))


def _c_exp(x: float) -> float:
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.exp.restype, library.exp.argtypes = ctypes.c_double, [ctypes.c_double]
    return float(library.exp(x))


class _Parameters:
    """Keeps numbers, as programs for fits do."""

    def __init__(self) -> None:
        self.found: dict[str, float] = {}

    def set(self, name: str, value: Any) -> None:
        self.found[name] = float(value)


_KEPT = _Parameters()
_BUFFER = np.zeros(2)


def _kept(x: Any) -> Any:
    _KEPT.set("a", x[0])
    _KEPT.set("k", x[1])
    return _KEPT.found["a"] * np.exp(-_KEPT.found["k"] * T) - 2 * np.exp(-0.7 * T)


def _written(x: Any) -> Any:
    out = np.zeros(2)
    out[0], out[1] = x[0] - 1.0, x[1] * 2.0
    return out


def _in_buffer(x: Any) -> Any:
    _BUFFER[0], _BUFFER[1] = x[0], x[1]
    return _BUFFER[0] ** 2 + (_BUFFER[1] - 1.0) ** 2


STRANGERS: dict[str, tuple[Callable[[], Any], Any]] = {
    "math": (lambda: minimize(lambda x: math.exp(x[0]) - x[0] + x[1] ** 2, [1.0, 1.0]).x, [0, 0]),
    "C": (lambda: minimize(lambda x: _c_exp(x[0]) - x[0] + x[1] ** 2, [1.0, 1.0]).x, [0, 0]),
    "np.array": (lambda: root(lambda x: np.array([x[0] - 1, x[1] + x[0]]), [0, 0.0]).x, [1, -1]),
    "written": (lambda: root(_written, [3.0, 3.0]).x, [1, 0]),
    "buffer": (lambda: minimize(_in_buffer, [1.0, 0.0]).x, [0, 1]),
    "lmfit": (lambda: least_squares(_kept, [1.0, 1.0]).x, [2, 0.7]),
    "leastsq": (lambda: leastsq(_kept, [1.0, 1.0])[0], [2, 0.7]),
    "fsolve": (
        lambda: fsolve(lambda x: [x[0] * math.cos(x[1]) - 4, x[1] * x[0] - x[1] - 5], [1.0, 1.0]),
        [6.50409711, 0.90841421],
    ),
    "SciPy": (
        lambda: curve_fit(
            lambda t, a, b: a * scipy.special.erf(b * t), T, 1.5 * scipy.special.erf(0.5 * T)
        )[0],
        [1.5, 0.5],
    ),
    "vectorize": (
        lambda: curve_fit(np.vectorize(lambda t, a: a * math.exp(-t)), T, 2 * np.exp(-T), [1.0])[0],
        [2],
    ),
    "a parameter of 0": (
        lambda: curve_fit(lambda t, a, b, c: np.poly1d([a, b, c])(t), T, 3 * T**2 + 1)[0],
        [3, 0, 1],
    ),
    "newton": (lambda: root_scalar(lambda x: math.cos(x) - x, x0=0.5).root, 0.7390851332),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_what_leaves_arrays(name: str) -> None:
    """What SciPy's callers write."""
    solve, expected = STRANGERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DerivativeWarning)
        np.testing.assert_allclose(solve(), expected, atol=2e-5)
