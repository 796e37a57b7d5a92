"""Solvers, by what they use from outside: their results have derivatives by their equations."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize
from scipy.optimize import elementwise

from likewise import array_namespace, optimize

from .case import REAL, Case, case

__all__ = ["ALIKE", "EQUATIONS", "SOLVERS", "STARTED"]

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


def _curved(q: Any) -> tuple[Any, Any]:
    """A quadratic programme's matrix and its linear part."""
    xp = array_namespace(q)
    one = xp.ones_like(q[:1])
    return xp.stack([xp.concat([3 * one, one]), xp.concat([one, 3 * one])]), q


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
    case("optimize.linprog", np.asarray([-1.0, -1.5, 0.5]),
        np.asarray([[1.0, 2.0, 0.3], [2.0, 1.0, -0.2]]), np.asarray([3.0, 4.0]),
        by=lambda c, a, b: optimize.linprog(c, a, b).x),
    case("optimize.nnls", R.uniform(size=(5, 2)), R.uniform(1.0, 2.0, size=5),
        by=lambda a, b: optimize.nnls(a, b)[0]),
    case("optimize.solve_qp", R.normal(size=2), R.uniform(0.5, 1.0, size=1),
        by=lambda q, h: optimize.solve_qp(
            *_curved(q), G=array_namespace(q, h).ones_like(q)[None, :], h=-h,
            method="active-set").x),
    case("optimize.affine_set", R.normal(size=(2, 3)), R.normal(size=2),
        by=lambda a, b: optimize.affine_set(a, b)[0]),
    case("optimize.project_linear", R.normal(size=3), R.normal(size=(2, 3)), R.normal(size=2),
        by=lambda x, a, b: optimize.project_linear(x, a, b, b)),
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


NONLINEAR: dict[str, dict[str, Any]] = {
    "newton_krylov": {"f_tol": 1e-10},
    "broyden1": {"f_tol": 1e-10},
    "broyden2": {"f_tol": 1e-10},
    "anderson": {"f_tol": 1e-10},
    "diagbroyden": {"f_tol": 1e-10},
    "linearmixing": {"f_tol": 1e-10, "alpha": -0.1},
    "excitingmixing": {"f_tol": 1e-10, "alpha": -0.01},
}
ALIKE = [
    *(_alike(f, C, _of(f, _cubic, 0.0, 4.0), _solved)
        for f in ("bisect", "brenth", "brentq", "ridder", "toms748")),
    _alike("newton", C, _of("newton", _cubic, np.asarray(1.0)), _solved),
    _alike("fsolve", CC, _of("fsolve", _cubic, np.ones(2)), _solved),
    *(_alike(f, CC, lambda c, f=f, k=k: getattr(optimize, f)(lambda x: _cubic(x, c), c / 2, **k), _solved)
        for f, k in NONLINEAR.items()),
    _alike("brent", C, _of("brent", _valley), _solved),
    _alike("golden", C, _of("golden", _valley), _solved),
    _alike("fminbound", C, _of("fminbound", _valley, 0.0, 4.0), _solved),
    *(_alike(f, CC, _of(f, _far, START, disp=False), _solved)
        for f in ("fmin", "fmin_bfgs", "fmin_cg")),
    _alike("fmin_ncg", CC, _of("fmin_ncg", _far, START, _cubic, disp=False), _solved),
    _alike("fmin_slsqp", CC,
        lambda c: optimize.fmin_slsqp(_far, START, fprime=_cubic, args=(c,), iprint=0), _solved),
    _alike("fmin_powell", CC, _of("fmin_powell", _far, START, disp=False), _solved),
    _alike("fmin_tnc", CC,
        lambda c: optimize.fmin_tnc(_far, START, _cubic, args=(c,))[0], _solved),
    _alike("fmin_cobyla", CC,
        lambda c: optimize.fmin_cobyla(_far, START, lambda x, c: x + 99.0, args=(c,)), _solved),
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
    _started("fmin_slsqp", _far, fprime=_cubic, iprint=0),
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

# -- from start to values, for the table's records ---------------------------------------------------------

TIGHT = 1e-14


def _squared(x: Any, c: Any) -> Any:
    """Least, and zero, where x + x**3 = c: near there it is exact, and so is the place."""
    return _cubic(x, c) ** 2


def _slope(x: Any, c: Any) -> Any:
    return 2 * _cubic(x, c) * (1 + 3 * x**2)


def _total(x: Any, c: Any) -> Any:
    xp = array_namespace(x, c)
    return xp.sum(_squared(x, c))


def _solves(name: str, by: Callable[..., Any], *args: Any, **options: Any) -> Case:
    own: dict[str, Any] = {"reference": _solved, "batch": True, "empty": True, "complex": REAL}
    own |= {"compile": "the iterations look at values", "tol": {"float64": 1e-9, "float32": 1e-3}}
    return case(f"optimize.{name}", *(args or (CC,)), by=by, **(own | options))


HALF = np.full(2, 0.5)


def _begun(name: str, *before: Any, **options: Any) -> Callable[[Any], Any]:
    """A function and a start of the library's, which the result doesn't depend on."""
    function = getattr(optimize, name)

    def call(c: Any) -> Any:
        start = array_namespace(c).full_like(c, 0.5)
        return function(before[0], start, *before[1:], args=(c,), **options)

    return call


def _bowl(x: Any, c: Any) -> Any:
    return (x - c) ** 2


def _linear(x: Any, c: Any) -> Any:
    xp = array_namespace(x, c)
    return xp.sum(x * c * c)


BOWL: dict[str, Any] = {"reference": lambda c: c}  # whose parabola ends at its least value
ONE = {"batch": "one problem a call", "empty": "there is nothing to solve for"}
COMPLEX = {**ONE, "complex": True}
LOOKS = {**ONE, "eager": {"dask": "it looks at values"}}
EQUATIONS = [
    *(_solves(f, _of(f, _cubic, 0.0, 4.0, xtol=1e-15))
        for f in ("bisect", "brenth", "brentq", "ridder", "toms748")),
    _solves("newton", lambda c: optimize.newton(_cubic, c / 2, args=(c,), tol=TIGHT)),
    _solves("fsolve", _begun("fsolve", _cubic), **ONE),
    *(_solves(f, lambda c, f=f, k=k: getattr(optimize, f)(lambda x: _cubic(x, c), c / 2, **k), **ONE)
        for f, k in NONLINEAR.items()),
    _solves("brent", _of("brent", _bowl, tol=TIGHT), **BOWL),
    _solves("golden", _of("golden", _bowl, tol=TIGHT), **BOWL),
    _solves("fminbound", _of("fminbound", _bowl, 0.0, 4.0, xtol=TIGHT), **BOWL),
    _solves("fmin", _begun("fmin", _total, xtol=TIGHT, ftol=TIGHT, disp=False), **ONE),
    *(_solves(f, _begun(f, _total, _slope, gtol=TIGHT, disp=False), **ONE)
        for f in ("fmin_bfgs", "fmin_cg")),
    _solves("fmin_ncg", _begun("fmin_ncg", _total, _slope, avextol=TIGHT, disp=False), **ONE),
    _solves("fmin_powell", _begun("fmin_powell", _total, xtol=TIGHT, ftol=TIGHT, disp=False), **ONE),
    _solves("fmin_tnc", lambda c: _begun("fmin_tnc", _total, _slope, pgtol=TIGHT)(c)[0], **ONE),
    _solves("fmin_cobyla", _begun("fmin_cobyla", _total, lambda x, c: x + 99.0, rhoend=1e-7), **ONE),
    _solves("fmin_l_bfgs_b", lambda c: _begun(
        "fmin_l_bfgs_b", _total, _slope, pgtol=TIGHT, factr=0.0)(c)[0], **ONE),
    _solves("fmin_slsqp", lambda c: _begun(
        "fmin_slsqp", _total, fprime=_slope, acc=TIGHT, iprint=0)(c), **ONE),
    _solves("leastsq", lambda c: _begun("leastsq", _cubic)(c)[0], **ONE),
    _solves("least_squares", lambda c: _begun(
        "least_squares", _cubic, xtol=TIGHT, ftol=TIGHT, gtol=TIGHT)(c).x, **ONE),
    _solves("minimize", lambda c: _begun("minimize", _total, jac=_slope, tol=TIGHT)(c).x, **ONE),
    _solves("root", lambda c: _begun("root", _cubic)(c).x, **ONE),
    _solves("fixed_point", lambda c: optimize.fixed_point(
        lambda x, c: c / (1 + x**2), c / 2, args=(c,), xtol=TIGHT)),
    _solves("root_scalar", lambda c: optimize.root_scalar(
        _cubic, args=(c,), bracket=(0.0, 4.0)).root),
    _solves("find_root", lambda c: optimize.find_root(_cubic, (0.0, 4.0), args=(c,)).x),
    _solves("minimize_scalar", lambda c: optimize.minimize_scalar(
        _bowl, bounds=(0.0, 4.0), args=(c,), tol=TIGHT).x, **BOWL),
    _solves("lsq_linear", lambda a, b: optimize.lsq_linear(a, b).x,
        R.normal(size=(5, 2)), R.normal(size=5),
        reference=lambda a, b: np.linalg.lstsq(a, b)[0]),
    _solves("nnls", optimize.nnls, R.uniform(size=(5, 2)), R.uniform(1.0, 2.0, size=5),
        reference=lambda a, b: tuple(map(np.asarray, scipy.optimize.nnls(a, b)))),
    _solves("solve_qp", lambda q, h: optimize.solve_qp(
        *_curved(q), G=array_namespace(q, h).ones_like(q)[None, :], h=h, method="active-set").x,
        np.asarray([0.3, -0.4]), np.asarray([-0.7]),
        reference=lambda q, h: np.asarray([-0.525, -0.175])),
    _solves("linprog", lambda c, a, b: optimize.linprog(c, a, b).x,
        np.asarray([-1.0, -1.5, 0.5]), np.asarray([[1.0, 2.0, 0.3], [2.0, 1.0, -0.2]]),
        np.asarray([3.0, 4.0]), reference=lambda c, a, b: scipy.optimize.linprog(c, a, b).x),
    _solves("linear_sum_assignment", optimize.linear_sum_assignment, R.uniform(size=(4, 4)),
        reference=scipy.optimize.linear_sum_assignment),
    _solves("curve_fit", lambda t, y: optimize.curve_fit(_decay, t, y, [1.0, 1.0]),
        T, _decay(T, 2.0, 1.3) + 0.01 * np.cos(9 * T),
        reference=lambda t, y: scipy.optimize.curve_fit(
            _decay, t, y, [1.0, 1.0], xtol=TIGHT, ftol=TIGHT, gtol=TIGHT),
        tol={"float64": 1e-7, "float32": 1e-2}),
    # Of a linear function a difference is exact; the gradient that is checked is wrong by c.
    _solves("approx_fprime", lambda c: optimize.approx_fprime(
        array_namespace(c).full_like(c, 0.5), _linear, 0.25, c),
        reference=lambda c: c * c, **COMPLEX),
    _solves("check_grad", lambda c: array_namespace(c).asarray(optimize.check_grad(
        _linear, lambda x, c: c * c + c, array_namespace(c).full_like(c, 0.5), c, epsilon=0.25)),
        reference=np.linalg.norm, **COMPLEX),
    _solves("bracket_root", lambda c: optimize.bracket_root(
        _cubic, c * 0, c * 0 + 0.1, args=(c,)).bracket,
        reference=lambda c: elementwise.bracket_root(
            _cubic, c * 0, c * 0 + 0.1, args=(c,)).bracket),
    _solves("bracket_minimum", lambda c: optimize.bracket_minimum(
        _valley, c * 0, args=(c,)).bracket,
        reference=lambda c: elementwise.bracket_minimum(
            _valley, c * 0, args=(c,)).bracket),
    _solves("bracket", lambda c: optimize.bracket(_valley, 0.0, 1.0, args=(c,))[:3], C,
        reference=lambda c: scipy.optimize.bracket(_valley, 0.0, 1.0, args=(c,))[:3],
        **LOOKS),
    _solves("line_search", lambda c: optimize.line_search(
        lambda x: _far(x, CC), lambda x: _cubic(x, CC), c, -_cubic(c, CC))[0], HALF,
        reference=lambda c: np.asarray(scipy.optimize.line_search(
            lambda x: _far(x, CC), lambda x: _cubic(x, CC), c, -_cubic(c, CC))[0]), **LOOKS),
]  # fmt: skip
