"""The solution of least-squares problems, with its derivatives."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ..._native import native
from ...solving._following import recordable, recorded, refined_by_products
from ...solving._function import carried
from ...solving._outcome import Outcome, still_wanted
from ...solving._running import compiled, compiled_of, compiles
from ...sparse.linalg._bidiagonal import trusted
from ...transforms import cond, stop_gradient
from .._steps._levenberg_marquardt import by_levenberg_marquardt
from .._steps._loss import Rho, named, robust
from .._steps._marquardt import Limits, Problem, doubtful
from .._steps._marquardt import Solution as Marquardt
from .._steps._system import System, make_system, stopped
from ._trust_region_reflective import (
    Setting,
    Solution,
    leaving,
    optimality,
    trust_region_reflective,
)
from ._units import Units, in_units, units_at

__all__ = ["Ended", "levenberg_marquardt", "solved"]

_LEFT = 10.0  # times rounding: what steps that end well may leave of a gradient


class Ended(NamedTuple):
    """Hold the results of problems (B, ...)."""

    x: Any
    cost: Any
    fun: Any
    jac: Any
    grad: Any
    optimality: Any
    active_mask: Any
    nfev: Any
    njev: Any
    outcome: Any


def _alone(
    x: Any, system: System, limits: Any, setting: Setting, x_scale: Any, by_lm: bool
) -> bool:
    """one problem of float64 without bounds, losses or limits, outside of transforms."""
    plain = limits is None and setting.rho is None and setting.callback is None
    usual = plain and setting.tolerances.inner == 0 and x_scale.__class__ is int
    usual = usual and setting.tolerances.max_nfev >= 100 * x.shape[1]  # else each one counts
    least = float(array_namespace(x).finfo(x.dtype).eps)
    tests = setting.tolerances[: 2 if by_lm else 3]  # MINPACK takes 0 for the gradient's
    return usual and min(tests) >= least and setting.system.alone(x)


@native(numpy="likewise._libs.numpy._solvers:least_squares", when=_alone)
def solved(
    x: Any, system: System, limits: Any, setting: Setting, x_scale: Any, by_lm: bool
) -> tuple[Any, ...]:
    """Solve by one of the two methods. `system` and `limits` are those of `setting`, unstopped."""

    end, level, units = _stepped(x, setting, x_scale, by_lm)
    edges, tolerances = setting.bounds, setting.tolerances
    free = tolerances.inner > 0
    inner, near, far = system.within(edges), limits, edges
    bend: Any = setting.f_scale
    if units is not None:
        inner, near, far = in_units(inner, units), units.pair(limits), units.pair(edges)
        bend = setting.f_scale / units.residuals[:, None]
    mask = _active(array_namespace(x), end, far, tolerances.xtol, free)
    values = _carried(inner, end, near, setting.rho, bend, mask, free)
    jac = None if free else end.jac
    found = Ended(*values, jac, end.grad, level, mask, end.nfev, end.njev, end.status)
    return found if units is None else _without_units(found, units, limits)


def _stepped(x: Any, setting: Setting, x_scale: Any, by_lm: bool) -> Any:
    """Run a method's iterations, compiled once for functions with equal traces."""
    # The number 1 stands for the solver's own units, and mustn't become an array of ones.
    own = None if x_scale is None else 1
    scale = None if x_scale is None or isinstance(x_scale, int) else x_scale
    how, system = setting[2:7], setting.system
    if not compiles(x):
        return _steps(setting, x, own if scale is None else scale, by_lm)
    if system.of_user is None or setting.callback is not None or not named(setting.rho):

        def steps(x: Any, scale: Any) -> Any:
            return _steps(setting, x, own if scale is None else scale, by_lm)

        return compiled(x, steps, x, scale)[0]
    given = (x, setting.bounds, scale)
    return compiled_of(x, _traced, (how, own, by_lm), system.of_user(x), *given)[0]


def _traced(
    known: tuple[Any, ...], functions: Sequence[Any], x: Any, bounds: Any, scale: Any
) -> Any:
    """The end of the iterations, of the user's functions as they were traced."""
    (how, own, by_lm), (fun, jac) = known, functions
    rho, f_scale, tolerances, batch, joint = how
    system = stopped(make_system("least_squares", fun, jac, (), None, x, batch, joint))
    setting = Setting(system, bounds, rho, f_scale, tolerances, batch, joint, None)
    return _steps(setting, x, own if scale is None else scale, by_lm)


def _steps(setting: Setting, x: Any, x_scale: Any, by_lm: bool) -> Any:
    if by_lm:
        return levenberg_marquardt(setting, x)
    return trust_region_reflective(setting, x, x_scale)


def _without_units(found: Ended, units: Units, bounds: tuple[Any, Any] | None) -> Ended:
    xp = array_namespace(found.x)
    u, h = units.unknowns, units.residuals
    x, within = u * found.x, units.pair(bounds)
    if bounds is not None and within is not None:
        x = xp.where(found.x <= within[0], bounds[0], x)
        x = xp.where(found.x >= within[1], bounds[1], x)
    grad = found.grad / u * h[:, None] * h[:, None]
    return found._replace(
        x=x,
        cost=found.cost * h * h,
        fun=found.fun * h[:, None],
        jac=None if found.jac is None else found.jac * (h[:, None] / u)[:, None, :],
        grad=grad,
        optimality=optimality(bounds, stop_gradient(x), grad),
    )


def levenberg_marquardt(setting: Setting, x: Any) -> tuple[Solution, Any, Units | None]:
    """Use the solver of curve_fit, and continue by the other method if it stalls."""
    xp = array_namespace(x)
    bounds, rho, f_scale = setting.bounds, setting.rho, setting.f_scale
    tests = Limits(*setting.tolerances[:4])
    found = by_levenberg_marquardt(setting.system, x, bounds, rho, f_scale, tests, setting.joint)
    none = xp.zeros((0,), dtype=x.dtype, device=device(x))
    f, jac = found.fun, found.jac
    units = units_at(found.x, f, jac)
    if rho is not None:
        jac = robust(rho, f, f_scale)[2][:, :, None] * jac
    end = Solution(
        found.x, f, jac, found.normal, found.gradient, found.cost, none, none, found.status,
        found.nfev, found.nfev,
    )  # fmt: skip
    stalled = (found.status == Outcome.STALLED) | _doubtful(setting, end, bounds, tests)
    if units is not None:  # its squares may have over- or underflowed
        u, h = units
        stalled = stalled | xp.any(u != 1, axis=1) | (h != 1)
        end = end._replace(x=found.x / u, fun=f / h[:, None])
    spent = found.nfev >= tests.max_nfev
    end = end._replace(
        status=xp.where(stalled & spent, xp.full_like(end.status, Outcome.LIMIT), end.status)
    )
    stalled = still_wanted(found.status, stalled & ~spent)

    def further(end: Solution) -> Solution:
        other, *_ = trust_region_reflective(setting, found.x, None, end.nfev, units, stalled)
        names = ("x", "fun", "jac", "gram", "grad", "cost", "status", "nfev", "njev")

        def merged(new: Any, old: Any) -> Any:
            return xp.where(xp.reshape(stalled, (-1, *[1] * (old.ndim - 1))), new, old)

        return end._replace(**{n: merged(getattr(other, n), getattr(end, n)) for n in names})

    end = cond(xp.any(stalled), further, lambda end: end, end)
    within = bounds if units is None else units.pair(bounds)
    stuck = xp.full_like(end.status, Outcome.STALLED)
    doubt = _doubtful(setting, end, within, tests)
    end = end._replace(status=xp.where(doubt, stuck, end.status))
    return end, optimality(within, end.x, end.grad), units


def _doubtful(setting: Setting, end: Solution, bounds: Any, tests: Limits) -> Any:
    """Tell which successes ended with short steps although the gradient isn't small."""
    if not setting.system.exact:
        return array_namespace(end.x).zeros_like(end.status, dtype=array_namespace(end.x).bool)
    turn = array_namespace(end.x).matrix_transpose
    low, high = (None, None) if bounds is None else map(turn, bounds)
    normal = array_namespace(end.x).moveaxis(end.gram, 0, -1)
    here = Marquardt(turn(end.x), end.cost, turn(end.grad), normal, end.status, end.nfev)
    unit = array_namespace(end.x).ones_like(here.x)
    return doubtful(Problem(_nothing, unit, low, high, None), here, tests, _LEFT)


def _nothing(x: Any) -> Any:
    """In place of a function that isn't called."""


def _active(xp: Any, end: Solution, bounds: Any, xtol: float, free: bool) -> Any:
    """Return -1, 0, 1: at the lower bound, free, at the upper.

    An unknown is at a bound if it is on it, or near it within its error and drawn there.
    """
    zero = xp.zeros(tuple(end.x.shape), dtype=xp.int32, device=device(end.x))
    if bounds is None:
        return zero
    lower, upper = bounds
    one = xp.ones_like(end.x)
    to_lower, to_upper = end.x - lower, upper - end.x
    near = xp.maximum(one, xp.abs(lower)) * xtol, xp.maximum(one, xp.abs(upper)) * xtol
    less, more = (
        (end.grad > 0, end.grad < 0) if free else leaving(bounds, end.x, end.grad, end.gram)
    )
    low = (to_lower <= xp.minimum(to_upper, near[0])) & less | (to_lower <= 0)
    high = (to_upper <= xp.minimum(to_lower, near[1])) & more | (to_upper <= 0)
    return xp.where(low, zero - 1, xp.where(high, zero + 1, zero))


def _carried(
    system: System,
    end: Solution,
    bounds: Any,
    rho: Rho | None,
    f_scale: float,
    mask: Any,
    free: bool,
) -> tuple[Any, Any, Any]:
    """Return the solution, its cost and residuals with implicit derivatives, if needed.

    With `free`, the Hessian is not formed; only products with it are used.
    """
    x = stop_gradient(end.x)
    if not recordable(x):
        return end.x, end.cost, end.fun
    f = system.residuals(x)
    edges = [] if bounds is None else list(bounds)
    if not any(recorded(a) for a in (f, *edges)):
        return end.x, end.cost, end.fun
    good = end.status > 0  # no solution has no derivative, nor has one of a singular matrix
    # What is on a bound, and not drawn off it, stays there.
    held = (mask < 0) & (end.grad >= 0), (mask > 0) & (end.grad <= 0)

    def cost(f: Any) -> Any:
        xp = array_namespace(f)
        if rho is None:
            return 0.5 * xp.sum(f * f, axis=1)
        return 0.5 * xp.sum(robust(rho, f, f_scale)[0], axis=1)

    def gradient(v: Any) -> Any:
        """Return the cost's gradient; of unknowns that aren't free, how far they are off bounds."""
        f = system.residuals(v)
        xp = array_namespace(f, v)
        if rho is not None:
            _, factor_r, factor_j = robust(rho, f, f_scale)
            f = factor_r * factor_j * f
        g = system.pullback(v)(f)
        if bounds is not None:
            lower, upper = bounds  # an infinite one is not looked at
            g = xp.where(held[0], v - lower, xp.where(held[1], v - upper, g))
        return g

    def by_products(x: Any, gradient: Any) -> Any:
        return refined_by_products(x, gradient, _solved, (held[0] | held[1]) & good[:, None])

    moved = carried(x, gradient, good, refine=by_products if free else None)
    f = system.residuals(moved)
    return moved, cost(f), f


def _solved(product: Any, b: Any) -> Any:
    """The x of ``product(x) = b`` of least norm, of a symmetric matrix that may be singular."""
    xp = array_namespace(b)
    none = xp.zeros_like(b[:, 0])
    rtol = none + float(xp.finfo(b.dtype).eps) ** 0.75
    p = int(b.shape[1])
    return trusted(product, product, b, rtol, none + xp.inf, 4 * p + 20)
