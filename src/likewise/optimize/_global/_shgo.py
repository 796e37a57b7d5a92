"""Global minima from all sampled points that are lower than their neighbours."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from ... import _plan
from ..._namespace import array_namespace, describe, device, quiet
from ..._native import public
from ...errors import ArgumentError, NotSupported, ShapeError
from ...missing import pad
from ...random._sequences import halton, sobol
from ...solving._following import readable
from ...solving._function import DIFFERENCES, arguments, check_callable
from ...solving._options import count, effective, table
from ...solving._outcome import Outcome
from ...solving._result import Result, result
from ._box import Box, box_of, numbers_of, plain
from ._ends import differentiable, minima
from ._limits import Limits, limits_of, listed
from ._values import Values

__all__ = ["ShgoResult", "shgo"]

_MOST = 1 << 17  # points of a lattice
_FEW = 10  # local searches, if no point of a sample is feasible
_OPTIONS = ("local_iter", "jac", "hess", "hessp")
_WHY = "there is one sample, and a local search from each of its minima"
_IDLE = dict.fromkeys(
    (
        *("f_min", "f_tol", "maxiter", "maxfev", "maxev", "maxtime", "minhgrd"),
        *("minimize_every_iter", "infty_constraints", "symmetry", "disp"),
    ),
    _WHY,
)


@result
class ShgoResult(Result):
    """Hold the results of `shgo`.

    Attributes
    ----------
    x : array, shape (p,)
        The lowest minimum.
    fun : array, shape ()
        The value at `x`.
    xl, funl : array, shapes (M, p) and (M,)
        All local minima that were found, and their values, the lowest first.
    status : array of int32, shape ()
        0, there is a local minimum; 1, no local search converged; 2, all values of the sample are
        the same, and no local search found a lower one; 3, no value was finite, or no point
        fulfils the constraints.
    nit, nfev, nlfev, nljev : array of int32, shape ()
        Iterations of sampling; evaluations of `func`, those of local searches, and of its gradient.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.STALLED: 1,
        Outcome.FLAT: 2,
        Outcome.NOT_FINITE: 3,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.CONVERGED: "Optimization terminated successfully.",
        Outcome.STALLED: "no local search converged: see minimizer_kwargs",
        Outcome.FLAT: "Failed to find a minimizer point: all values of the sample are the same",
        Outcome.NOT_FINITE: "Failed to find a feasible minimizer point: no value was finite",
    }

    x: Any
    fun: Any
    xl: Any
    funl: Any
    outcome: Any
    nit: Any
    nfev: Any
    nlfev: Any
    nljev: Any


@public
def shgo(
    func: Callable[..., Any],
    bounds: Any,
    args: Any = (),
    constraints: Any = None,
    n: int | None = 100,
    iters: int | None = 1,
    callback: Callable[[Any], Any] | None = None,
    minimizer_kwargs: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    sampling_method: str | Callable[[int, int], Any] = "simplicial",
    *,
    workers: Any = 1,
) -> ShgoResult:
    """Find all local minima that a sample shows, and so the global one.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, as for `minimize`: x of shape (p,) to a scalar array.
    bounds : sequence of (min, max), array of shape (p, 2), or object with lb, ub
        Finite bounds of each variable.
    args : tuple or one object, optional
        Further arguments of `func`.
    constraints : LinearConstraint, NonlinearConstraint, Bounds, dict, or sequence, optional
        As for `minimize`. Points of the sample that break inequalities are left out.
    n : int, optional
        The number of points of an iteration, at least: a lattice has the next number that fills the
        box, and 'sobol' the next power of 2.
    iters : int, optional
        Iterations of sampling: there are `iters` times as many points.
    callback : callable, optional
        ``callback(x)`` with the lowest point of the sample.
    minimizer_kwargs : dict, optional
        Arguments of `minimize` for the local searches. Default: L-BFGS-B within the bounds, with
        constraints SLSQP, and a value to 3/4 of the dtype's digits.
    options : dict, optional
        local_iter (so many local searches: from the lowest point, and then each from the one that
        is farthest from that before; default: from all), jac, hess, hessp. SciPy's others have no
        effect, and give a warning.
    sampling_method : {'simplicial', 'sobol', 'halton'} or callable, optional
        A lattice of simplices, points of a sequence, or ``sampling_method(n, p)``, which returns
        points (n, p) of the unit cube.
    workers : optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    ShgoResult
        x, fun, xl, funl, status, success, nit, nfev, nlfev, nljev, message.

    Raises
    ------
    ArgumentError
        If an option is out of range, bounds aren't finite or cross, or a lattice would be too
        large.
    ShapeError, DtypeError, ArrayTypeError, MixedDevicesError
        If shapes don't fit, or an argument or a value is no real array of the right kind.
    NotSupported
        If arrays have no values (in jax.jit, vmap), as the number of minima is read from them; for
        a batch; for derivatives with constraints, if the method gives no multipliers.

    Notes
    -----
    S. C. Endres, C. Sandrock, W. W. Focke, J. Global Optim. 72 (2018) 181-217. The sample is one
    call of `func`, and the local searches are one call of `minimize`. A lattice has the neighbours
    of Freudenthal's triangulation; points of a sequence have their p (p + 1) nearest ones.

    ``x``, ``fun``, ``xl`` and ``funl`` are differentiable with respect to `args` and to all arrays
    that `func` closes over, as those of `minimize` are.

    Differs from SciPy: one sample, which isn't refined, so that other minima may be missed, and an
    end by time or evaluations is not offered; other neighbours; on a plateau a local search begins
    at one point, if the sample has other values elsewhere; without constraints L-BFGS-B is the
    default; `func` is also evaluated where constraints don't hold.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import shgo
    >>> found = shgo(lambda x: np.sum((x**2 - 1) ** 2 + 0.1 * x), [(-2, 2), (-2, 2)], n=25)
    >>> found.x.round(3), found.xl.shape
    (array([-1.012, -1.012]), (4, 2))
    """
    name = "shgo"
    check_callable(name, func, "func")
    if callback is not None:
        check_callable(name, callback, "callback")
    box = box_of(name, bounds, None, args)
    lower, upper = box.lower, box.upper
    xp, p = array_namespace(plain(lower)), int(lower.shape[1])
    if not readable(lower, upper) or not box.single:
        raise NotSupported(
            f"{name}: bounds are those of one problem whose values are at hand, got "
            f"{describe(lower)}. Take differential_evolution"
        )
    if not callable(sampling_method):
        _plan.choice(name, "sampling_method", sampling_method, ("simplicial", "sobol", "halton"))
    iters = count(name, "iters", iters, 1, least=1)
    total = count(name, "n", n, 100, least=1) * iters
    given = effective(name, "shgo", table(name, "options", options), _OPTIONS, _IDLE)
    most = count(name, "local_iter", given.pop("local_iter", None) or None, _MOST, least=1)
    kwargs = table(name, "minimizer_kwargs", minimizer_kwargs)
    known = listed(constraints, p, None)
    if "method" not in kwargs:
        kwargs["method"] = "SLSQP" if known else "L-BFGS-B"
        if "tol" not in kwargs:
            tight = {"ftol": float(xp.finfo(lower.dtype).eps) ** 0.75}
            kwargs["options"] = tight | table(name, "options", kwargs.get("options"))
    kwargs |= given
    users = arguments(kwargs.pop("args", args))
    low, wide = plain(lower), plain(upper - lower)
    limits = limits_of(name, known, low + 0.5 * wide, box, None)
    if known:
        kwargs["constraints"] = known
    # With jac=True a function returns its value and its gradient.
    alone = (lambda x, *args: func(x, *args)[0]) if kwargs.get("jac") is True else func
    values = Values(name, alone, users)
    with quiet(lower):
        unit, parts = _sampled(xp, sampling_method, total, low)
        x = low + unit * wide
        f = values.rows(x)
        lost = bad = xp.isnan(f)
        if limits is not None:
            ends = limits.data(low)
            excess = limits.excess(*ends, x[None, :, :])[0, :, :]
            bad = bad | xp.any((excess > 0) & (ends[0] < ends[1]), axis=1)
        f = xp.where(bad, xp.full_like(f, xp.inf), f)
        rank = f
        lowest = _below_lattice(xp, f, parts, p) if parts else _below_nearest(xp, f, unit)
        if limits is not None and not bool(xp.any(lowest)):  # likewise: ignore[LW203]: at hand
            # No point is feasible: local searches begin at those that are nearest to it.
            rank = xp.sum(excess, axis=1)
            lowest = xp.isfinite(rank) & ~lost
            most = min(most, _FEW)
        order = xp.argsort(rank, stable=True)
        order = xp.take(order, numbers_of(xp.take(lowest, order, axis=0)), axis=0)
        if most < int(order.shape[0]):
            order = order[:most] if rank is not f else _apart(xp, unit, order, most)
        if callback is not None:
            callback(x[int(xp.argmin(f)), :])  # likewise: ignore[LW203]: values are at hand
        return _ended(func, users, box, x, f, order, kwargs, iters, limits)


def _ended(
    func: Any,
    args: tuple[Any, ...],
    box: Box,
    x: Any,
    f: Any,
    order: Any,
    kwargs: dict[str, Any],
    iters: int,
    limits: Limits | None,
) -> ShgoResult:
    """Return the local minima from points of these numbers."""
    xp, m = array_namespace(x), int(order.shape[0])
    sample = int(x.shape[0])

    def number(n: Any) -> Any:
        return xp.asarray(n, dtype=xp.int32, device=device(x))

    def nothing(nlfev: Any, nljev: Any) -> ShgoResult:
        code, none = number(Outcome.NOT_FINITE), xp.full_like(x[0, :], xp.nan)
        fun = xp.asarray(xp.nan, dtype=f.dtype, device=device(f))
        counts = (number(iters), sample + nlfev, nlfev, nljev)
        return ShgoResult(none, fun, x[:0, :], f[:0], code, *counts)

    if m == 0:
        return nothing(number(0), number(0))
    sides = tuple(
        array_namespace(a).broadcast_to(a, (m, int(a.shape[1]))) for a in (box.lower, box.upper)
    )
    own = None if "bounds" in kwargs else tuple(map(plain, sides))
    found = minima(func, args, xp.take(x, order, axis=0), own, box, kwargs)
    bad, pair = xp.isnan(found["fun"]), None
    if limits is not None:
        limits = limits.repeated(m)
        little = float(xp.finfo(x.dtype).eps) ** 0.5
        excess = limits.excess(*limits.data(found["x"]), found["x"][:, None, :])[:, 0, :]
        bad = bad | xp.any(excess > little, axis=1)
    nlfev, nljev = (xp.sum(found[k], dtype=xp.int32) for k in ("nfev", "njev"))
    if bool(xp.all(bad)):  # likewise: ignore[LW203]: values are at hand
        return nothing(nlfev, nljev)
    ranks = xp.argsort(xp.where(bad, xp.inf, found["fun"]), stable=True)
    xl, funl = (xp.take(found[k], ranks, axis=0) for k in ("x", "fun"))
    good = xp.take((found["outcome"] > 0) & ~bad, ranks, axis=0)[0]
    jac = kwargs.get("jac")
    jac = None if jac in DIFFERENCES or jac is False else jac
    if limits is not None and found["multipliers"] is not None:
        pair = tuple(xp.take(found[k], ranks, axis=0) for k in ("multipliers", "bound_multipliers"))
    xl, funl = differentiable(
        "shgo", func, args, xl, funl, sides, jac=jac, limits=limits, multipliers=pair
    )
    outcome = xp.where(good, number(Outcome.CONVERGED), number(Outcome.STALLED))
    least = xp.min(f)
    flat = (xp.max(xp.where(xp.isfinite(f), f, least)) == least) & (plain(funl)[0] >= least)
    if sample > 1 and bool(xp.any(plain(box.lower != box.upper))):  # likewise: ignore[LW203]: above
        outcome = xp.where(flat, number(Outcome.FLAT), outcome)
    counts = (number(iters), sample + nlfev, nlfev, nljev)
    return ShgoResult(xl[0, :], funl[0], xl, funl, outcome, *counts)


def _sampled(xp: Any, method: Any, total: int, like: Any) -> tuple[Any, int | None]:
    """Return points (N, p) of the unit cube, and the parts of a side if they are a lattice."""
    p, parts = int(like.shape[1]), None
    points: Sequence[tuple[float, ...]]
    if callable(method):
        found = method(total, p)
        if not hasattr(found, "shape"):
            found = xp.asarray(found, device=device(like))
        if len(found.shape) != 2 or int(found.shape[1]) != p:
            raise ShapeError(
                f"shgo: sampling_method must return points of shape ({total}, {p}), got shape "
                f"{tuple(found.shape)}"
            )
        return xp.astype(found, like.dtype, copy=False), None
    if method == "simplicial":
        points, parts = _lattice(total, p)
    elif method == "halton":
        points = halton(total, p)
    else:
        points = sobol(1 << (total - 1).bit_length(), p)
    return xp.asarray([list(u) for u in points], dtype=like.dtype, device=device(like)), parts


def _lattice(total: int, p: int) -> tuple[Sequence[tuple[float, ...]], int]:
    """Return the points of a lattice in the unit cube, at least so many, and its parts."""
    parts = 1
    while (parts + 1) ** p < total:
        parts += 1
    if (parts + 1) ** p > _MOST:
        raise ArgumentError(
            f"shgo: a lattice in {p} variables would have {(parts + 1) ** p} points: take "
            "sampling_method='sobol'"
        )
    line = [i / parts for i in range(parts + 1)]
    return list(itertools.product(line, repeat=p)), parts


def _apart(xp: Any, unit: Any, order: Any, count: int) -> Any:
    """Return so many of the numbers of points: the first, and then each farthest from the last."""
    taken = []
    for _ in range(count):
        taken.append(order[:1])
        away = xp.take(unit, order[1:], axis=0) - xp.take(unit, taken[-1], axis=0)
        far = xp.argsort(xp.sum(away**2, axis=1), descending=True, stable=True)
        order = xp.take(order[1:], far, axis=0)
    return xp.concat(taken)


def _below_lattice(xp: Any, f: Any, parts: int, p: int) -> Any:
    """Tell which points are lower than their neighbours; of equal ones the first is."""
    size = parts + 1
    grid = xp.reshape(f, (size,) * p)
    wide = pad(grid, 1, mode="constant", constant_values=math.inf)
    found = xp.isfinite(grid)
    for offset in itertools.product((0, 1), repeat=p):
        if not any(offset):
            continue
        after = wide[tuple(slice(1 + d, 1 + d + size) for d in offset)]
        before = wide[tuple(slice(1 - d, 1 - d + size) for d in offset)]
        found = found & (grid <= after) & (grid < before)
    return xp.reshape(found, f.shape)


def _below_nearest(xp: Any, f: Any, unit: Any) -> Any:
    """Tell which points are lower than the nearest ones; of equal ones the first is."""
    total, p = (int(k) for k in unit.shape)
    near = min(total - 1, p * (p + 1))
    square = xp.sum(unit**2, axis=1)
    away = square[:, None] + square[None, :] - 2 * xp.matmul(unit, xp.matrix_transpose(unit))
    numbers = xp.arange(total, device=device(f))
    away = xp.where(numbers[:, None] == numbers[None, :], xp.inf, away)
    index = xp.argsort(away, axis=1, stable=True)[:, :near]
    others = xp.reshape(xp.take(f, xp.reshape(index, (-1,)), axis=0), (total, near))
    later = index > numbers[:, None]
    below = (f[:, None] < others) | ((f[:, None] == others) & later)
    return xp.all(below, axis=1) & xp.isfinite(f)
