"""Global minima by differential evolution."""

import sys
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, describe, device, is_concrete, is_lazy, quiet
from ..._native import public
from ...errors import ArgumentError, NotSupported, ShapeError
from ...missing import take_along_axis
from ...random import Generator
from ...solving._callback import Callback
from ...solving._driver import Method, iterate
from ...solving._function import arguments, check_callable
from ...solving._options import count, tolerance
from ...solving._outcome import Outcome
from ...solving._result import Result, result
from ...solving._running import compiled
from .._constraints import Bounds
from ._box import Box, box_of, plain
from ._draws import key_of, keys_for
from ._ends import differentiable, minima
from ._evolution import STRATEGIES, Population, Search, Settings, best_of, evolution, scaled
from ._limits import Limits, limits_of, listed
from ._starts import KINDS, begun
from ._values import Values

__all__ = ["DifferentialEvolutionResult", "differential_evolution"]


@result
class DifferentialEvolutionResult(Result):
    """Hold the results of `differential_evolution`: arrays, the batch's dimensions first.

    Attributes
    ----------
    x : array, shape (..., p)
        The best points.
    fun : array, shape (...)
        The values at `x`.
    jac : array, shape (..., p), or None
        The gradients at `x`, of the local search at the end; None without it.
    status : array of int32, shape (...)
        0, the values of the population are alike; 1, maximum of generations reached; 2, the
        constraints hold at no point that was found; 99, ended by the callback.
    nit, nfev : array of int32, shape (...)
        Generations, and evaluations of `func`.
    population : array, shape (..., S, p)
        The last points, the best first.
    population_energies : array, shape (..., S)
        Their values; infinite where constraints don't hold.
    constr : list of arrays, shape (..., m), or None
        By how much `x` breaks the rows of each constraint.
    constr_violation, maxcv : array, shape (...), or None
        The largest of these.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.LIMIT: 1,
        Outcome.INFEASIBLE: 2,
        Outcome.INTERRUPTED: 99,
        Outcome.RUNNING: -1,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "Optimization terminated successfully.",
        Outcome.LIMIT: "Maximum number of iterations has been exceeded: raise maxiter or tol, or "
        "narrow the bounds",
        Outcome.INFEASIBLE: "The solution does not satisfy the constraints: see maxcv",
        Outcome.INTERRUPTED: "callback function requested stop early",
    }

    x: Any
    fun: Any
    jac: Any
    outcome: Any
    nit: Any
    nfev: Any
    population: Any
    population_energies: Any
    constr_violation: Any = None
    maxcv: Any = None
    constr: Any = None


class _Ended(NamedTuple):
    x: Any
    fun: Any
    excess: Any
    points: Any
    values: Any
    status: Any
    nit: Any
    nfev: Any


@public
def differential_evolution(
    func: Callable[..., Any],
    bounds: Any,
    args: Any = (),
    strategy: str | Callable[..., Any] = "best1bin",
    maxiter: int | None = 1000,
    popsize: int = 15,
    tol: float = 0.01,
    mutation: float | tuple[float, float] = (0.5, 1),
    recombination: float = 0.7,
    rng: int | None = None,
    callback: Callable[..., Any] | None = None,
    disp: bool = False,
    polish: bool | Callable[..., Any] = True,
    init: Any = "latinhypercube",
    atol: float = 0,
    updating: str = "deferred",
    workers: Any = 1,
    constraints: Any = (),
    x0: Any = None,
    *,
    integrality: Any = None,
    vectorized: bool = False,
    key: Any = None,
    seed: int | None = None,
) -> DifferentialEvolutionResult:
    """Find a global minimum by differential evolution, of one problem or of a batch.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, in functions of ``likewise.array_namespace(x)``; maps x of shape (p,) to
        a scalar array. `likewise.transforms.vmap` maps it over a population; a function that can't
        be traced is called point by point, if arrays have values.
    bounds : sequence of (min, max), array of shape (..., p, 2), or object with lb, ub
        Finite bounds of each variable; leading dimensions are a batch of problems.
    args : tuple or one object, optional
        Further arguments of `func`, the same for all problems.
    strategy : str or callable, optional
        'best1', 'rand1', 'rand2', 'best2', 'randtobest1' or 'currenttobest1', each with 'bin' or
        'exp' behind it; or ``strategy(candidate, population, rng=generator)``, which returns a
        point (p,), for one problem whose arrays have values.
    maxiter : int, optional
        The largest number of generations.
    popsize : int, optional
        The population has ``popsize`` times as many points as there are variables that aren't fixed
        by equal bounds, at least 5; with init='sobol' the next power of 2.
    tol : float, optional
        A search ends when the standard deviation of a population's values is at most
        ``atol + tol * abs(mean)``.
    mutation : float or (float, float), optional
        The weight of differences, in [0, 2); a pair draws it anew for each generation.
    recombination : float, optional
        The probability with which a variable is taken from the mutant.
    rng : int, optional
        A seed, in place of `key`. A generator is refused.
    callback : callable, optional
        ``callback(intermediate_result=result)``, if that is its only parameter, or ``callback(x,
        convergence=value)``, after each generation of one problem on an eager library. True or
        StopIteration ends the search.
    disp : bool, optional
        Whether to print the lowest value of each generation.
    polish : bool or callable, optional
        Whether `minimize` goes on from the best point, with L-BFGS-B, with constraints with SLSQP;
        or a function in its place,
        ``polish(func, x0, bounds=..., constraints=...)``, for one problem.
    init : str or array, shape (..., S, p), optional
        The first population: 'latinhypercube', 'sobol', 'halton', 'random', or points.
    atol : float, optional
        See `tol`.
    updating : {'deferred', 'immediate'}, optional
        All points of a generation are evaluated at once, for either.
    workers : optional
        Accepted for SciPy's signature; ignored.
    constraints : LinearConstraint, NonlinearConstraint, Bounds, dict, or sequence, optional
        As for `minimize`. With `vectorized` their functions map points (p, S), or (p, ..., S), to
        (m, S), or (m, ..., S).
    x0 : array, shape (..., p), optional
        A point that takes the place of the first one of the population.
    integrality : bool, or sequence of p bools, optional
        Which variables are whole numbers; they aren't polished.
    vectorized : bool, optional
        If True, `func` maps points of shape (p, S), variables first, to values (S,) in one call;
        for a batch (p, ..., S) to (..., S), so that each problem may have its own data.
    key : array, shape (2,), or int, optional
        A key (`likewise.random.key`), or a seed of one. Default: the seed 0.
    seed : int, optional
        As `rng`.

    Returns
    -------
    DifferentialEvolutionResult
        x, fun, jac, status, success, nit, nfev, population, population_energies, constr,
        constr_violation, maxcv, message.

    Raises
    ------
    ArgumentError
        If an option is out of range, bounds aren't finite or cross, or `rng` is no integer.
    ShapeError, DtypeError, ArrayTypeError, MixedDevicesError
        If shapes don't fit, or an argument or a value is no real array of the right kind.
    NotSupported
        For a callback, `disp`, or functions as `strategy` or `polish`, of a batch or of arrays
        without values; for derivatives with constraints and ``polish=False``.

    Notes
    -----
    R. Storn, K. Price, J. Global Optim. 11 (1997) 341-359; with constraints J. Lampinen, CEC (2002)
    1468-1473: a point that fulfils them is better than one that doesn't, and of two that don't the
    one that breaks none of them more. A variable that leaves its bounds is
    drawn anew. Each problem has a key of its own, made by `likewise.random.split` for a batch, and
    ends by itself, so its search doesn't depend on the others. The same key gives the same numbers
    on all libraries. A generation costs S values of `func`, and some 150 S p operations.

    ``x`` and ``fun`` are differentiable with respect to `args` and to all arrays that `func` closes
    over, as those of `minimize` are: by gradient = 0, or the conditions of optimality, with
    variables at a bound, whole numbers and active constraints held. Population and key have no
    derivatives. Runs under jax.jit.

    Differs from SciPy: batches; keys in place of generators, and the same search for the same
    arguments; 'deferred' is the default, and 'immediate' is the same; a status; points with values
    that are NaN are the worst.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import differential_evolution
    >>> def ackley(x):
    ...     r = np.sqrt(0.5 * np.sum(x**2))
    ...     return 20 + np.e - 20 * np.exp(-0.2 * r) - np.exp(0.5 * np.sum(np.cos(2 * np.pi * x)))
    >>> found = differential_evolution(ackley, [(-5, 5), (-5, 5)])
    >>> bool(found.success), abs(found.x).max() < 1e-6
    (True, np.True_)
    """
    if not isinstance(strategy, str):
        check_callable("differential_evolution", strategy, "strategy")
    settings, custom = _settings(strategy, maxiter, tol, atol, mutation, recombination)
    check_callable("differential_evolution", func, "func")
    _plan.choice("differential_evolution", "updating", updating, ("immediate", "deferred"))
    box = box_of("differential_evolution", bounds, x0, args, init)
    search, box, settings = _begun(box, settings, integrality, init, popsize, key, rng, seed)
    layout = (box.batch or ()) if vectorized else None
    given = arguments(args)
    values = Values("differential_evolution", func, given, layout)
    known = listed(constraints, int(box.lower.shape[1]), layout)
    first = _first(search, settings)
    limits = limits_of("differential_evolution", known, first, box, layout)
    if limits is not None:
        low, high, matrix = limits.data(first)
        search = search._replace(low=low, high=high, matrix=matrix)
    method = evolution(values, settings, limits, None)
    alone = box.single and not is_lazy(search.lower)
    if custom is not None:
        method = evolution(values, settings, limits, _custom(custom, search, settings, alone))
    teller = None
    if callback is not None or disp:
        if not alone:
            raise NotSupported(
                "differential_evolution: callback and disp are for one problem whose values are "
                f"at hand, got bounds {describe(search.lower)}"
            )
        method, teller = _told(method, callback, disp, settings, search)
    watch = None if teller is None else teller.watch
    with quiet(search.lower):
        if teller is None and custom is None:
            ended, _ = compiled(
                search.lower,
                lambda *a: _run(method, Search(*a), settings, vectorized),
                *search,
            )
        else:
            ended = _run(method, search, settings, vectorized, watch)
    return _polished(
        ended, search, values, func, given, box, settings, polish, vectorized, known, limits
    )


def _settings(
    strategy: Any, maxiter: Any, tol: Any, atol: Any, mutation: Any, recombination: Any
) -> tuple[Settings, Any]:
    name = "differential_evolution"
    custom = None
    if not isinstance(strategy, str):
        strategy, custom = "best1bin", strategy
    names = [kind + crossing for kind in STRATEGIES for crossing in ("bin", "exp")]
    if strategy not in names:
        raise ArgumentError(
            f"{name}: Please select a valid mutation strategy, one of "
            f"{', '.join(map(repr, names))}, got {strategy!r}"
        )
    try:
        ends = tuple(map(float, mutation)) if hasattr(mutation, "__len__") else (float(mutation),)
    except (TypeError, ValueError):
        ends = ()
    if len(ends) not in (1, 2) or not all(0 <= m < 2 for m in ends):
        raise ArgumentError(
            f"{name}: mutation must be a number in [0, 2), or a pair (min, max) of such numbers, "
            f"got {mutation!r}"
        )
    settings = Settings(
        strategy,
        count(name, "maxiter", maxiter, 1000),
        tolerance(name, "tol", tol, 0.01),
        tolerance(name, "atol", atol, 0.0),
        (min(ends), max(ends)),
        tolerance(name, "recombination", recombination, 0.7),
        (),
    )
    return settings, custom


def _begun(
    box: Box,
    settings: Settings,
    integrality: Any,
    init: Any,
    popsize: Any,
    key: Any,
    rng: Any,
    seed: Any,
) -> tuple[Search, Box, Settings]:
    """Return the data of the search, with its first population."""
    name = "differential_evolution"
    lower, upper = box.lower, box.upper
    xp, total, p = array_namespace(lower), int(lower.shape[0]), int(lower.shape[1])
    integral = _integral(integrality, p)
    if any(integral):
        whole = xp.asarray(list(integral), device=device(lower))
        lower = xp.where(whole, xp.ceil(lower), lower)
        upper = xp.where(whole, xp.floor(upper), upper)
        if is_concrete(lower) and is_concrete(upper) and bool(xp.any(lower > upper)):
            raise ArgumentError(
                f"{name}: One of the integrality constraints does not have any possible integer "
                "values between the lower and upper bounds"
            )
        box, settings = box._replace(lower=lower, upper=upper), settings._replace(integral=integral)
    keys = keys_for(key_of(name, key, rng, seed, lower), total, box.single)
    if isinstance(init, str):
        free = p
        if is_concrete(lower) and is_concrete(upper) and total:
            free = p - int(xp.count_nonzero(xp.all(lower == upper, axis=0)))
        size = max(5, count(name, "popsize", popsize, 15, least=1) * max(1, free))
        if init == "sobol":
            size = 1 << (size - 1).bit_length()
        _plan.choice(name, "init", init, KINDS)
        points = begun(init, keys, size, p, lower)
    else:
        points = _given(xp, init, lower, upper, integral, box)
    if box.x0 is not None:
        first = _unit(xp, box.x0[:, None, :], lower, upper, integral)
        if is_concrete(first) and bool(xp.any((first > 1) | (first < 0))):
            raise ArgumentError(f"{name}: Some entries in x0 lay outside the specified bounds")
        points = xp.concat([first, points[:, 1:, :]], axis=1)
    lower, upper = plain(lower), plain(upper)
    none = lower[:, :0]
    search = Search(lower, upper, plain(points), keys, none, none, lower[:, None, :][:, :0, :])
    return search, box, settings


def _first(search: Search, settings: Settings) -> Any:
    """Return the first points (B, p) of the populations."""
    xp = array_namespace(search.points)
    points = search.points[:, :1, :]
    return scaled(xp, points, search.lower, search.upper, settings.integral)[:, 0, :]


def _integral(integrality: Any, p: int) -> tuple[bool, ...]:
    if integrality is None:
        return (False,) * p
    flags = integrality.tolist() if hasattr(integrality, "tolist") else integrality
    flags = list(flags) if isinstance(flags, list | tuple) else [flags]
    if len(flags) not in (1, p):
        raise ShapeError(
            f"differential_evolution: integrality must be True or False for each of {p} variables, "
            f"got {integrality!r}"
        )
    return tuple(bool(f) for f in (flags * p if len(flags) == 1 else flags))


def _unit(xp: Any, x: Any, lower: Any, upper: Any, integral: tuple[bool, ...]) -> Any:
    """Return points (B, S, p) between bounds as points in the unit cube."""
    low, high = lower[:, None, :], upper[:, None, :]
    width = high - low
    if any(integral):
        width = width + xp.astype(xp.asarray(list(integral), device=device(x)), x.dtype)
    none = width == 0
    off = (x - 0.5 * (low + high)) / xp.where(none, xp.ones_like(width), width)
    return xp.where(none, xp.zeros_like(off), off) + 0.5


def _given(xp: Any, init: Any, lower: Any, upper: Any, integral: tuple[bool, ...], box: Box) -> Any:
    names = ("bounds", "init")
    points = _plan.common_floating("differential_evolution", xp, names, lower, init, real=True)[1]
    total, p = (int(n) for n in lower.shape)
    if points.ndim < 2 or points.shape[-1] != p or points.shape[-2] < 5:
        raise ArgumentError(
            "differential_evolution: The population supplied needs to have shape (S, len(x)), "
            f"where S > 4, got shape {tuple(points.shape)}"
        )
    points = xp.astype(points, lower.dtype, copy=False)
    shape = (*(box.batch or ()), *points.shape[-2:])
    points = xp.reshape(xp.broadcast_to(points, shape), (total, *points.shape[-2:]))
    points = _unit(xp, points, lower, upper, integral)
    return xp.minimum(xp.maximum(points, xp.zeros_like(points)), xp.ones_like(points))


def _run(
    method: Method, search: Search, settings: Settings, joint: bool, watch: Any = None
) -> _Ended:
    return _ended(iterate(method, search, joint=joint, watch=watch), search, settings)


def _ended(s: Population, search: Search, settings: Settings) -> _Ended:
    """Return what is kept of a population, its best point first."""
    xp = array_namespace(s.points)
    total, size, p = (int(n) for n in s.points.shape)
    best = best_of(xp, s)
    places = xp.arange(size, dtype=best.dtype, device=device(best))[None, :]
    order = xp.where(places == 0, best, xp.where(places == best, xp.zeros_like(best), places))
    index = xp.broadcast_to(order[:, :, None], (total, size, p))
    points = take_along_axis(s.points, index, axis=1)
    points = scaled(xp, points, search.lower, search.upper, settings.integral)
    values = take_along_axis(s.values, order, axis=1)
    least = xp.broadcast_to(best[:, :, None], (total, 1, s.excess.shape[2]))
    excess = take_along_axis(s.excess, least, axis=1)[:, 0, :] if s.excess.shape[2] else None
    return _Ended(points[:, 0, :], values[:, 0], excess, points, values, s.status, s.nit, s.nfev)


def _custom(strategy: Any, search: Search, settings: Settings, alone: bool) -> Any:
    """Return a function that makes trials by the caller's strategy, point by point."""
    if not alone:
        raise NotSupported(
            "differential_evolution: a strategy that is a function is for one problem whose values "
            "are at hand. Give a strategy's name"
        )
    rng = Generator(search.keys[0, :])

    def trials(s: Population, search: Search) -> Any:
        xp = array_namespace(s.points)
        size, p = (int(n) for n in s.points.shape[1:])
        x = scaled(xp, s.points, search.lower, search.upper, settings.integral)[0, :, :]
        rows = []
        for i in range(size):
            row = strategy(i, x, rng=rng)
            if tuple(getattr(row, "shape", ())) != (p,):
                raise ArgumentError(
                    "differential_evolution: strategy must have signature f(candidate, population, "
                    f"rng=None) and return an array of shape ({p},), got {describe(row)}"
                )
            rows.append(xp.astype(row, x.dtype, copy=False))
        out = xp.stack(rows)[None, :, :]
        return _unit(xp, out, search.lower, search.upper, settings.integral)

    return trials


def _told(
    method: Method, callback: Any, disp: Any, settings: Settings, search: Search
) -> tuple[Method, Callback]:
    """Return the method, which tells the caller of each generation."""
    named = Callback("differential_evolution", callback or print).by_name

    def tell_result(intermediate_result: Any) -> None:
        if disp:
            line = f"differential_evolution step {intermediate_result.nit}: f(x)= "
            sys.stdout.write(f"{line}{intermediate_result.fun}\n")
        if callback is None:
            return
        if named:
            stop = callback(intermediate_result=intermediate_result)
        else:
            stop = callback(intermediate_result.x, convergence=intermediate_result.convergence)
        if stop:
            raise StopIteration

    teller = Callback("differential_evolution", tell_result)

    def fields(s: Population) -> dict[str, Any]:
        ended = _ended(s, search, settings)
        xp = array_namespace(s.values)
        eps = float(xp.finfo(s.values.dtype).eps)
        # A callback is for values at hand.
        mean = float(xp.mean(s.values))  # likewise: ignore[LW203]: see above
        spread = float(xp.std(s.values))  # likewise: ignore[LW203]: see above
        convergence = settings.tol / (spread / (abs(mean) + eps) + eps)
        if convergence != convergence:  # an infinite value among them
            convergence = 0.0
        return {
            "x": ended.x[0, :],
            "fun": float(ended.fun[0]),
            "nit": int(s.nit[0]),
            "nfev": int(s.nfev[0]),
            "population": ended.points[0, :, :],
            "population_energies": ended.values[0, :],
            "convergence": convergence,
            "message": "in progress",
            "success": True,
        }

    return teller.told(method, fields), teller


def _polished(
    ended: _Ended,
    search: Search,
    values: Values,
    func: Callable[..., Any],
    args: tuple[Any, ...],
    box: Box,
    settings: Settings,
    polish: Any,
    vectorized: bool,
    constraints: list[Any],
    limits: Limits | None,
) -> DifferentialEvolutionResult:
    """Return the result, after a local search from the best point."""
    x, f, nfev, jac = ended.x, ended.fun, ended.nfev, None
    xp = array_namespace(x)
    fun = _of_points(func) if vectorized else func
    lower, upper = box.lower, box.upper
    held = settings.integral
    if any(held):
        fixed = xp.asarray(list(held), device=device(x))
        lower, upper = xp.where(fixed, x, lower), xp.where(fixed, x, upper)
    multipliers = None
    if polish:
        if callable(polish):
            near = _by_caller(polish, fun, args, box, x, (lower, upper), constraints)
        elif limits is None:
            options: dict[str, Any] = {"method": "L-BFGS-B"}
            near = minima(fun, args, x, (lower, upper), box, options, vectorized)
        else:
            options = {"method": "SLSQP", "constraints": constraints}
            options["tol"] = float(xp.finfo(x.dtype).eps) ** 0.6
            near = minima(fun, args, x, (lower, upper), box, options, vectorized, not box.single)
            multipliers = (near["multipliers"], near["bound_multipliers"])
            near["x"] = _within(xp, limits, search, near["x"], x)
            near["fun"] = values.at(near["x"][:, None, :])[:, 0]
        better = near["fun"] < f
        inside = xp.all((near["x"] >= box.lower) & (near["x"] <= box.upper), axis=1)
        better = better & inside
        if limits is not None:
            before, after = (_most(xp, limits, search, x) for x in (x, near["x"]))
            little = _little(xp, x)
            better = xp.where(before > little, after < before, better & (after <= little))
        x = xp.where(better[:, None], near["x"], x)
        f = xp.where(better, near["fun"], f)
        nfev, jac = nfev + near["nfev"], near["jac"]
    points = xp.concat([x[:, None, :], ended.points[:, 1:, :]], axis=1)
    energies = xp.concat([f[:, None], ended.values[:, 1:]], axis=1)
    status, constr, most = ended.status, None, None
    if limits is not None:
        broken = limits.excess(search.low, search.high, search.matrix, x[:, None, :])[:, 0, :]
        most = xp.max(broken, axis=1)
        lost = (most > _little(xp, x)) & (status != Outcome.INTERRUPTED)
        status = xp.where(lost, xp.full_like(status, Outcome.INFEASIBLE), status)
        constr = limits.split(box.shaped(broken))
    x, f = differentiable(
        "differential_evolution",
        fun,
        args,
        x,
        f,
        (lower, upper),
        box.batch,
        vectorized,
        limits=limits,
        multipliers=multipliers,
    )
    fields = (x, f, jac, status, ended.nit, nfev, points, energies, most, most)
    made = DifferentialEvolutionResult(*map(box.shaped, fields))
    made.constr = constr
    return made


def _little(xp: Any, x: Any) -> float:
    """Return the excess that rounding may leave at a constraint."""
    return float(xp.finfo(x.dtype).eps) ** 0.5


def _most(xp: Any, limits: Limits, search: Search, x: Any) -> Any:
    """Return the largest excess at points (B, p)."""
    excess = limits.excess(search.low, search.high, search.matrix, x[:, None, :])
    return xp.max(excess[:, 0, :], axis=1)


def _within(xp: Any, limits: Limits, search: Search, x: Any, inside: Any) -> Any:
    """Return points (B, p) as near x as constraints hold, towards points inside; or x itself."""
    shares = [0.0, *(10.0**-k for k in range(14, 0, -1)), 0.5]
    shares = xp.asarray(shares, dtype=x.dtype, device=device(x))
    tried = x[:, None, :] + shares[None, :, None] * (inside - x)[:, None, :]
    excess = limits.excess(search.low, search.high, search.matrix, tried)
    holds = xp.astype(xp.max(excess, axis=2) <= 0, xp.int32)
    first = xp.argmax(holds, axis=1, keepdims=True)  # 0 if none does
    index = xp.broadcast_to(first[:, :, None], (x.shape[0], 1, x.shape[1]))
    return take_along_axis(tried, index, axis=1)[:, 0, :]


def _of_points(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of points (..., p), of one that takes several, variables first."""

    def fun(x: Any, *args: Any) -> Any:
        xp = array_namespace(x)
        found = func(xp.moveaxis(x, -1, 0)[..., None], *args)
        return found[..., 0] if found.ndim == x.ndim else found

    return fun


def _by_caller(
    polish: Callable[..., Any],
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    box: Box,
    x: Any,
    sides: tuple[Any, Any],
    constraints: list[Any],
) -> dict[str, Any]:
    """Return what the caller's function of `minimize`'s form finds for its one problem."""
    if not box.single:
        raise NotSupported(
            "differential_evolution: polish as a function is for one problem, got a batch of "
            f"{box.batch}. Give True or False"
        )
    xp = array_namespace(x)
    bounds = Bounds(sides[0][0, :], sides[1][0, :])
    found = polish(lambda x: fun(x, *args), x[0, :], bounds=bounds, constraints=constraints)

    if not (hasattr(found, "x") and hasattr(found, "fun")):
        raise ArgumentError(
            "differential_evolution: polish must return a result with x and fun, as minimize does, "
            f"got {describe(found)}"
        )

    def row(name: str, dtype: Any) -> Any:
        a = getattr(found, name, None)
        if a is None:
            return None
        a = a if hasattr(a, "ndim") else xp.asarray(a, dtype=dtype, device=device(x))
        return a[None, ...]

    out = {name: row(name, x.dtype) for name in ("x", "fun", "jac")}
    nfev = row("nfev", xp.int32)
    out["nfev"] = 0 if nfev is None else xp.astype(nfev, xp.int32)
    return out
