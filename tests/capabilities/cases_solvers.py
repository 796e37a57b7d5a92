"""Solvers, by what they use from outside: their results have derivatives by their equations."""

from collections.abc import Callable
from typing import Any

import numpy as np

from likewise import array_namespace, optimize

from .case import Case, case

__all__ = ["ALIKE", "SOLVERS", "STARTED"]

R = np.random.default_rng(28)
T = np.linspace(0.0, 2.0, 7)


def _decay(t: Any, a: Any, k: Any) -> Any:
    return a * array_namespace(t, a, k).exp(-k * t)


def _rest(x: Any, t: Any, y: Any) -> Any:
    return _decay(t, x[0, ...], x[1, ...]) - y


def _far(x: Any, c: Any) -> Any:
    """Convex, with its least value where x + x**3 = c."""
    xp = array_namespace(x, c)
    return xp.sum(x**2 / 2 + x**4 / 4 - x * c)


# Of what a solver uses from outside each array is followed alone, its start is closed over.
SOLVERS = [
    case("optimize.curve_fit", T, _decay(T, 2.0, 1.3) + 0.01 * np.cos(9 * T),
        by=lambda t, y: optimize.curve_fit(_decay, t, y, [1.0, 1.0])[0]),
    case("optimize.least_squares", T, _decay(T, 2.0, 1.3) + 0.01 * np.cos(9 * T),
        by=lambda t, y: optimize.least_squares(
            lambda x: _rest(x, t, y), array_namespace(t, y).ones_like(y[:2])).x),
    case("optimize.minimize", np.zeros(2), np.asarray([1.0, 3.0]),
        by=lambda x, c: optimize.minimize(lambda v: _far(v, c), x, tol=1e-12).x),
    case("optimize.root", np.zeros(2), np.asarray([1.0, 3.0]),
        by=lambda x, c: optimize.root(lambda v: v + v**3 - c, x).x),
    case("optimize.fixed_point", np.zeros(2), np.asarray([1.0, 3.0]),
        by=lambda x, c: optimize.fixed_point(lambda v: (1 + v**2 / 10) ** -1 * c, x)),
    case("optimize.root_scalar", np.asarray(1.0), np.asarray(3.0),
        by=lambda x, c: optimize.root_scalar(lambda v: v + v**3 - c, x0=x).root),
    case("optimize.minimize_scalar", np.asarray(0.0), np.asarray(3.0),
        by=lambda low, c: optimize.minimize_scalar(
            lambda v: v**2 / 2 + v**4 / 4 - v * c, bounds=(low, low + 4.0)).x),
    case("optimize.find_root", np.asarray(0.0), np.asarray(3.0),
        by=lambda low, c: optimize.find_root(lambda v: v + v**3 - c, (low, low + 4.0)).x),
    case("optimize.lsq_linear", R.normal(size=(5, 2)), R.normal(size=5),
        by=lambda a, b: optimize.lsq_linear(a, b).x),
    case("optimize.nnls", R.uniform(size=(5, 2)), R.uniform(1.0, 2.0, size=5),
        by=lambda a, b: optimize.nnls(a, b)[0]),
    case("optimize.leastsq", T, _decay(T, 2.0, 1.3) + 0.01 * np.cos(9 * T),
        by=lambda t, y: optimize.leastsq(
            _rest, array_namespace(t, y).ones_like(y[:2]), args=(t, y))[0]),
    case("optimize.fmin_bfgs", np.zeros(2), np.asarray([1.0, 3.0]),
        by=lambda x, c: optimize.fmin_bfgs(_far, x, args=(c,), gtol=1e-9)),
]  # fmt: skip


# -- solvers of one equation -------------------------------------------------------------------------

C, CC = np.asarray(3.0), np.asarray([1.0, 3.0])
START = np.zeros(2)


def _cubic(x: Any, c: Any) -> Any:
    return x + x**3 - c


def _valley(x: Any, c: Any) -> Any:
    """A function of numbers, as `_far` is of a vector."""
    return x**2 / 2 + x**4 / 4 - x * c


def _solved(c: Any) -> Any:
    """The x with x + x**3 = c."""
    return 2 / np.sqrt(3) * np.sinh(np.arcsinh(1.5 * np.sqrt(3) * c) / 3)


def _alike(name: str, c: Any, by: Callable[[Any], Any], exact: Callable[[Any], Any]) -> Case:
    """A case whose values, where nobody follows them, are exact: it is these that are differenced."""
    return case(
        f"optimize.{name}", c, by=lambda c: exact(c) if isinstance(c, np.ndarray) else by(c)
    )


def _of(name: str, *args: Any, **options: Any) -> Callable[[Any], Any]:
    function = getattr(optimize, name)
    return lambda c: function(*args, args=(c,), **options)


ALIKE = [
    *(_alike(f, C, _of(f, _cubic, 0.0, 4.0), _solved)
        for f in ("bisect", "brenth", "brentq", "ridder", "toms748")),
    _alike("newton", C, _of("newton", _cubic, np.asarray(1.0)), _solved),
    _alike("fsolve", CC, _of("fsolve", _cubic, np.ones(2)), _solved),
    _alike("brent", C, _of("brent", _valley), _solved),
    _alike("golden", C, _of("golden", _valley), _solved),
    _alike("fminbound", C, _of("fminbound", _valley, 0.0, 4.0), _solved),
    *(_alike(f, CC, _of(f, _far, START, disp=False), _solved)
        for f in ("fmin", "fmin_bfgs", "fmin_cg")),
    _alike("fmin_ncg", CC, _of("fmin_ncg", _far, START, _cubic, disp=False), _solved),
    _alike("fmin_l_bfgs_b", CC,
        lambda c: optimize.fmin_l_bfgs_b(_far, START, _cubic, args=(c,))[0], _solved),
    _alike("minimize_scalar", C,
        lambda c: optimize.minimize_scalar(_valley, bounds=(0.0, 4.0), args=(c,)).x, _solved),
    _alike("approx_fprime", CC,
        lambda c: optimize.approx_fprime(c, lambda x: _far(x, CC)), lambda c: _cubic(c, CC)),
    _alike("find_minimum", C,
        lambda c: optimize.find_minimum(_valley, (0.0, 1.0, 4.0), args=(c,)).x, _solved),
]  # fmt: skip

# -- with their starts, for a library whose arrays differ from NumPy's -----------------------------------


def _started(name: str, *before: Any, **options: Any) -> Case:
    """A case of a function, a start and more arguments of the library's."""
    function = getattr(optimize, name)
    return case(
        f"optimize.{name}",
        np.full(2, 0.5),
        CC,
        by=lambda x, c: function(*before[:1], x, *before[1:], args=(c,), **options),
    )


STARTED = [
    *(_started(f, _far, disp=False) for f in ("fmin", "fmin_cg")),
    _started("fmin_ncg", _far, _cubic, disp=False),
    _started("fmin_l_bfgs_b", _far, _cubic),
    _started("fsolve", _cubic),
    _started("newton", _cubic),
    case("optimize.approx_fprime", CC, START,
        by=lambda c, x: optimize.approx_fprime(x, lambda v: _far(v, c))),
    case("optimize.check_grad", CC, START,
        by=lambda c, x: array_namespace(x).asarray(optimize.check_grad(_far, _cubic, x, c))),
    case("optimize.linear_sum_assignment", R.uniform(size=(4, 4)),
        by=lambda cost: optimize.linear_sum_assignment(cost)),
    case("optimize.bracket_root", C,
        by=lambda c: optimize.bracket_root(_cubic, c / 2, c / 2 + 0.1, args=(c,)).bracket),
    case("optimize.bracket_minimum", C,
        by=lambda c: optimize.bracket_minimum(_valley, c / 2, args=(c,)).bracket),
]  # fmt: skip
