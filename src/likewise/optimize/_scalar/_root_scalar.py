"""Roots of functions of one variable, for one problem or a batch, with SciPy's interface."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Literal, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, is_concrete, is_lazy
from ..._native import native, public
from ..._typing import A
from ...errors import ArgumentError
from ...solving._blocks import lanes_in_blocks
from ...solving._elementwise import Elementwise, Lanes, implicit, plan_lanes, solve_lanes
from ...solving._fallback import or_differenced
from ...solving._following import is_open
from ...solving._options import count, effective, table, tolerance
from ...solving._outcome import Outcome
from ...solving._result import IN_BRACKETS, Computed, Result, result
from ...transforms import jvp, stop_gradient
from ._brent import bisect, brent
from ._chandrupatla import Bracketed, roots
from ._newton import newton, secant

__all__ = ["RootResults", "root_scalar"]

Method = Literal["bisect", "brentq", "brenth", "chandrupatla", "newton", "secant", "halley"]
_BRACKETED = ("bisect", "brentq", "brenth", "chandrupatla")
_INSTEAD = {"ridder": "chandrupatla", "toms748": "chandrupatla"}  # which need as few evaluations
_SETTINGS = ("xtol", "rtol", "maxiter", "disp")
_OPEN = ("newton", "secant", "halley")


@result
class RootResults(Result, Generic[A]):
    """Hold the results of `root_scalar`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    root : array, shape (...)
        The root; NaN where a bracket has none (status -1) or values are not finite (-3).
    function_calls, iterations : array of int32, shape (...)
        Evaluations of the function and of its derivatives, each counted; iterations.
    status : array of int32, shape (...)
        0, converged; -1, no change of sign in the bracket; -2, maxiter reached; -3, not finite;
        -4, a derivative or a difference quotient of 0; -5, interrupted
        (in a batch, of functions with `full_output`).
    """

    STATUS: ClassVar[dict[int, int]] = {
        **IN_BRACKETS,
        Outcome.FLAT: -4,
        Outcome.INTERRUPTED: -5,
    }

    root: A
    function_calls: A
    iterations: A
    outcome: A

    method = ""

    @Computed
    def converged(self) -> Any:
        """Return `success` under another name."""
        return self.success

    @Computed
    def flag(self) -> str:
        """Return SciPy's message for how one problem ended; for a batch, with counts."""
        code: Any = self.outcome
        if is_lazy(code) or code.ndim:
            return self.message
        return _FLAGS[int(code)]

    def keys(self) -> list[str]:
        """Return the names of the fields, including SciPy's `converged`, `flag` and `method`."""
        return list(dict.fromkeys([*super().keys(), "converged", "flag", "method"]))


_FLAGS = {
    Outcome.CONVERGED: "converged",
    Outcome.BAD_BRACKET: "sign error",
    Outcome.LIMIT: "convergence error",
    Outcome.NOT_FINITE: "The function value at x=nan is NaN; solver cannot continue.",
    Outcome.FLAT: "convergence error",
    Outcome.INTERRUPTED: "interrupted",
}


@public
def root_scalar(
    f: Callable[..., Any],
    args: Any = (),
    method: Method | str | None = None,
    bracket: Any = None,
    fprime: Callable[..., Any] | bool | None = None,
    fprime2: Callable[..., Any] | bool | None = None,
    x0: Any = None,
    x1: Any = None,
    xtol: float | None = None,
    rtol: float | None = None,
    maxiter: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> RootResults[Any]:
    """Find a root of a function of one variable, one problem or a batch.

    Parameters
    ----------
    f : callable
        ``f(x, *args) -> array``, elementwise, in functions of ``likewise.array_namespace(x)``. `x`
        and the arrays of `args`, broadcast with it, have one dimension; for one problem they have
        none. May return a Python number.
    args : tuple, array or scalar, optional
        Arguments of `f`. Arrays broadcast with the points, and are cast to the common floating
        dtype; `f` gets other objects, including Python's numbers, unchanged.
    method : str, optional
        'bisect', 'brentq', 'brenth' or 'chandrupatla' in a bracket; 'newton', 'halley' or 'secant'
        from a start. Default: 'brentq' with `bracket`; else 'halley' with `fprime2`, 'secant' with
        `x1`, 'newton'. 'ridder' and 'toms748' run 'chandrupatla'; `note` of the result says so.
    bracket : pair of arrays, or array of shape (2, ...), optional
        The ends of the brackets, of any shapes that broadcast.
    fprime : callable or bool, optional
        The derivative, ``fprime(x, *args)``; True if `f` returns a tuple of value and derivative.
        Default: exact, by forward mode through `f`; for one problem whose `f` can't be traced,
        'secant' runs with a `DerivativeWarning`.
    fprime2 : callable or bool, optional
        The second derivative; True if `f` returns a tuple of the value and both derivatives.
    x0, x1 : array, optional
        Start values for 'newton', 'halley' and 'secant'; `x1` only for 'secant', by default a
        ten-thousandth away from `x0`.
    xtol, rtol : float, optional
        A problem has converged when its error (in a bracket) or its last step (from a start) is at
        most ``xtol + rtol |x|``. Default: 2e-12 and 4 eps in a bracket; else sqrt(eps) and 4 eps,
        because the next step would be about the square of the last.
    maxiter : int, optional
        Maximum number of iterations. Default: 100 in a bracket, else 50.
    options : dict, optional
        'xtol', 'rtol', 'maxiter' as the arguments; 'disp': whether to print how it ended.

    Returns
    -------
    RootResults
        ``root, function_calls, iterations, status, converged``, of the broadcast shape; `flag` and
        `method`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of `f`, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `f` returns another shape than that of `x`.
    ArgumentError
        If an option is out of range, or the method's start is missing; for one problem, if `f` has
        the same sign at both ends of the bracket (for eager arrays on the host; otherwise, and in a
        batch, it is a status).

    Notes
    -----
    'brentq': R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter 4;
    'brenth': with the hyperbolic step of J. C. P. Bus and T. J. Dekker (1975); 'chandrupatla': see
    `find_root`; 'halley': cubic convergence, with one second derivative per iteration. An iteration
    takes one evaluation in a bracket, else one of the function and one of each derivative. Each
    problem converges separately. Finished problems are dropped on eager host arrays, so pass data
    that differ between problems through `args`, not through a closure. Roots are differentiable
    twice with respect to `args` and to arrays that `f` closes over, by the implicit function
    theorem, if `f` is differentiable. On JAX, `f` is traced in each call, and compiled code is
    reused if the trace is the same. Dask computes by blocks, and calls `f` on NumPy arrays.

    Differs from SciPy: batches; 'chandrupatla'; derivatives are exact by default; `rtol` of the
    methods without brackets is 4 eps; a bracket without a change of sign gives a status in a batch,
    and failure to converge always does; 'chandrupatla' for 'ridder' and 'toms748'; real numbers
    only.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import root_scalar
    >>> found = root_scalar(lambda x, c: x**3 - c, args=(np.asarray([1.0, 8.0]),), x0=2.0)
    >>> found.root.round(6)
    array([1., 2.])
    >>> found = root_scalar(lambda x: x**3 - 2, bracket=(0.0, 2.0))
    >>> float(found.root.round(6)), bool(found.converged)
    (1.259921, True)
    """
    name = "root_scalar"
    if method is None:
        method = _default(bracket, fprime, fprime2, x0, x1)
    asked = method.lower() if isinstance(method, str) else method
    _plan.choice(name, "method", asked, (*_BRACKETED, *_OPEN, *_INSTEAD))
    method = _INSTEAD.get(asked, asked)
    points = _points(name, method, bracket, x0, x1)
    settings = effective(name, asked, table(name, "options", options), _SETTINGS, {})
    for label, given in (("fprime", fprime), ("fprime2", fprime2)):
        if not (given is None or isinstance(given, bool) or callable(given)):
            raise ArgumentError(f"{name}: {label} must be callable or a bool, got {given!r}")
    bracketed = method in _BRACKETED

    def call(given: tuple[Any, ...], args: tuple[Any, ...]) -> RootResults[Any]:
        ends = given if bracketed else None
        starts = (None, None) if bracketed else (*given, None)[:2]
        return root_scalar(
            *(f, args, asked, ends, fprime, fprime2, *starts, xtol, rtol, maxiter, options)
        )

    users = {"f": f, "fprime": fprime, "fprime2": fprime2}
    blocks = lanes_in_blocks(name, call, points, args, users)
    if blocks is not None:
        return blocks
    lanes = plan_lanes(name, f, points, args)
    eps = float(array_namespace(*lanes.points).finfo(lanes.points[0].dtype).eps)
    xtol = tolerance(name, "xtol", settings.get("xtol", xtol), 2e-12 if bracketed else eps**0.5)
    rtol = tolerance(name, "rtol", settings.get("rtol", rtol), 4 * eps)
    most = count(name, "maxiter", settings.get("maxiter", maxiter), 100 if bracketed else 50)

    joined = 2 if fprime2 is True else 1 if fprime is True else 0
    fun = Elementwise(name, "f", f, lanes, joined)
    first = Elementwise(name, "fprime", fprime, lanes) if callable(fprime) else None
    second = Elementwise(name, "fprime2", fprime2, lanes) if callable(fprime2) else None
    way = Way(method, xtol, rtol, most, first, second)

    def solve(slope: Any) -> tuple[Any, ...]:
        differs = method == "newton" and slope == "2-point"
        return _solved(
            lanes.points[0], lanes, fun, way._replace(method="secant") if differs else way
        )

    slope = None if method == "newton" and not fprime else "given"
    x, code, nfev, nit = or_differenced(
        name, solve, slope, lanes.points[0], lanes.shape == (), asked="method='secant'"
    )
    x = implicit(fun, lanes, x, code == Outcome.CONVERGED, lambda v: fun.plain(v, lanes.args))
    found: RootResults[Any] = RootResults(*map(lanes.shaped, (x, nfev, nit, code)))
    if (
        found.outcome.ndim == 0
        and is_concrete(found.outcome)
        and int(found.outcome) == Outcome.BAD_BRACKET
    ):
        raise ArgumentError(
            f"{name}: f at the two ends of bracket must have different signs, got one sign at "
            f"{bracket[0]!r} and {bracket[1]!r}; likewise.optimize.bracket_root looks for such ends"
        )
    found.method = asked
    if asked != method:
        found = found.noted(f"method {method!r} stood in for {asked!r}")
    if settings.get("disp"):
        found.tell()
    return found


class Way(NamedTuple):
    """Hold the method, its tolerances and its derivatives."""

    method: str
    xtol: float
    rtol: float
    most: int
    first: Elementwise | None  # derivative
    second: Elementwise | None


def _alone(first: Any, lanes: Lanes, fun: Elementwise, way: Way) -> bool:
    """one problem of float64 in a bracket, outside of transforms."""
    known = way.method in ("bisect", "brentq", "brenth") and not fun.joined
    return known and lanes.alone() and not is_open()


@native(numpy="likewise._libs.numpy._solvers:bracketed", when=_alone)
def _solved(first: Any, lanes: Lanes, fun: Elementwise, way: Way) -> tuple[Any, ...]:
    """The root; outcome, evaluations, iterations."""
    (x,), rest = solve_lanes(_kernel, way[:4], (fun, way.first, way.second), lanes, 1, 3)
    return (x, *rest)


def _points(name: str, method: str, bracket: Any, x0: Any, x1: Any) -> dict[str, Any]:
    if method in _BRACKETED:
        if getattr(bracket, "ndim", 0) and bracket.shape[0] == 2:
            bracket = (bracket[0, ...], bracket[1, ...])
        if not isinstance(bracket, tuple | list) or len(bracket) != 2:
            raise ArgumentError(
                f"{name}: method {method!r} needs bracket, a pair of arrays, got {bracket!r}"
            )
        return {"bracket[0]": bracket[0], "bracket[1]": bracket[1]}
    if x0 is None:
        raise ArgumentError(f"{name}: method {method!r} needs x0, got None")
    points = {"x0": x0}
    if method == "secant" and x1 is not None:
        points["x1"] = x1
    return points


def _default(bracket: Any, fprime: Any, fprime2: Any, x0: Any, x1: Any) -> str:
    if bracket is not None:
        return "brentq"
    if x0 is None:
        raise ArgumentError("root_scalar: bracket or x0 is needed, got neither; see bracket_root")
    if fprime2:
        return "halley"
    return "secant" if x1 is not None and not fprime else "newton"


def _kernel(
    way: tuple[str, float, float, int],
    fun: Elementwise,
    fprime: Elementwise | None,
    fprime2: Elementwise | None,
) -> Callable[..., Any]:
    """``kernel(points, args)`` of the method."""
    method, xtol, rtol, most = way
    if method == "chandrupatla":
        tol = Bracketed(xtol, rtol, 0.0, 0.0)

        def by_chandrupatla(points: Any, args: tuple[Any, ...]) -> Any:
            (x, *_), integers = roots(fun, points[0], points[1], args, tol, most)
            return (x,), integers

        return by_chandrupatla
    if method == "bisect":
        return lambda p, args: bisect(fun, p[0], p[1], args, xtol, rtol, most)
    if method in ("brentq", "brenth"):
        hyperbolic = method == "brenth"
        return lambda p, args: brent(fun, p[0], p[1], args, xtol, rtol, most, hyperbolic)
    if method == "secant":

        def by_secant(points: Any, args: tuple[Any, ...]) -> Any:
            x = points[0]
            xp = array_namespace(x)
            beside = xp.where(x < 0, xp.full_like(x, -1e-4), xp.full_like(x, 1e-4))
            second = points[1] if len(points) == 2 else x + 1e-4 * x + beside
            return secant(fun, x, second, args, xtol, rtol, most)

        return by_secant
    order = 2 if method == "halley" else 1
    slopes = _slopes(fun, order, fprime, fprime2)
    return lambda points, args: newton(fun, slopes, order, points[0], args, xtol, rtol, most)


def _slopes(
    fun: Elementwise, order: int, fprime: Elementwise | None, fprime2: Elementwise | None
) -> Callable[[Any, tuple[Any, ...]], tuple[Any, ...]]:
    """The value and `order` derivatives: given together, given apart, or exact."""

    def slopes(x: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        if fun.joined >= order:
            return fun.several(x, args)[: order + 1]
        if fun.joined:  # the value and one derivative are given
            value, slope = fun.several(x, args)
        elif fprime is not None:
            value, slope = fun(x, args), fprime(x, args)
        elif order == 2 and fprime2 is None:
            return fun.slopes(x, args, 2)
        else:
            value, slope = fun.slopes(x, args, 1)
        if order == 1:
            return value, slope
        if fprime2 is not None:
            return value, slope, fprime2(x, args)
        if fprime is not None:
            return value, slope, fprime.slopes(x, args, 1)[1]

        def first(v: Any) -> Any:
            return fun.parts(v, args)[1]

        bend = jvp(first, (x,), (array_namespace(x).ones_like(x),))[1]
        return value, slope, stop_gradient(bend)

    return slopes
