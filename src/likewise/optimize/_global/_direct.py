"""Global minima by DIRECT: boxes are divided where the function may be lowest."""

import math
from collections.abc import Callable
from typing import Any, ClassVar

from ..._namespace import array_namespace, describe, device, quiet
from ..._native import public
from ...errors import ArgumentError, NotSupported
from ...interop import to_numpy
from ...solving._following import readable
from ...solving._function import arguments, check_callable
from ...solving._options import count, tolerance
from ...solving._outcome import Outcome
from ...solving._result import Result, result
from ...solving._running import compiles
from ._box import box_of, plain
from ._boxes import Boxes
from ._ends import differentiable
from ._values import Values

__all__ = ["DirectResult", "direct"]


@result
class DirectResult(Result):
    """Hold the results of `direct`: arrays, the batch's dimensions first.

    Attributes
    ----------
    x : array, shape (..., p)
        The lowest points.
    fun : array, shape (...)
        The values at `x`.
    status : array of int32, shape (...)
        1, more evaluations than maxfun; 2, maximum of iterations reached; 3, the value is within
        f_min_rtol of f_min; 4, the box of `x` has a volume below vol_tol; 5, its size is below
        len_tol; 99, ended by the callback. From 3 to 5 it is a success.
    nit, nfev : array of int32, shape (...)
        Iterations, and evaluations of `func`.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.LIMIT: 1,
        Outcome.AT_LIMITS: 2,
        Outcome.CONVERGED: 3,
        Outcome.COST: 4,
        Outcome.STEP: 5,
        Outcome.INTERRUPTED: 99,
    }
    ADVICE: ClassVar[dict[int, str]] = {
        Outcome.LIMIT: "Number of function evaluations done is larger than maxfun",
        Outcome.AT_LIMITS: "Number of iterations is larger than maxiter",
        Outcome.CONVERGED: "The best function value found is within a relative error of the "
        "(known) global optimum f_min",
        Outcome.COST: "The volume of the hyperrectangle containing the lowest function value found "
        "is below vol_tol",
        Outcome.STEP: "The side length measure of the hyperrectangle containing the lowest "
        "function value found is below len_tol",
        Outcome.INTERRUPTED: "`callback` raised `StopIteration`",
    }

    x: Any
    fun: Any
    outcome: Any
    nit: Any
    nfev: Any


@public
def direct(
    func: Callable[..., Any],
    bounds: Any,
    *,
    args: Any = (),
    eps: float = 1e-4,
    maxfun: int | None = None,
    maxiter: int = 1000,
    locally_biased: bool = True,
    f_min: float = -math.inf,
    f_min_rtol: float = 1e-4,
    vol_tol: float = 1e-16,
    len_tol: float = 1e-6,
    callback: Callable[[Any], Any] | None = None,
) -> DirectResult:
    """Find a global minimum by dividing boxes, of one problem or of a batch.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, as for `minimize`: x of shape (p,) to a scalar array.
    bounds : sequence of (min, max), array of shape (..., p, 2), or object with lb, ub
        Finite bounds of each variable; leading dimensions are a batch of problems.
    args : tuple or one object, optional
        Further arguments of `func`, the same for all problems.
    eps : float, optional
        A box is divided if it may improve the lowest value by that share.
    maxfun : int, optional
        A problem ends after more evaluations. Default: 1000 p.
    maxiter : int, optional
        The largest number of iterations.
    locally_biased : bool, optional
        Whether sizes are longest sides, and one box of each size is divided; otherwise sizes are
        diagonals, and all boxes of the same value are.
    f_min, f_min_rtol : float, optional
        The known minimum, and the relative error with which it is reached.
    vol_tol, len_tol : float, optional
        The volume of the box of the lowest point, and its longest side or half of its diagonal, in
        the unit cube, below which a problem ends.
    callback : callable, optional
        ``callback(x)`` after each iteration, for one problem; StopIteration ends it.

    Returns
    -------
    DirectResult
        x, fun, status, success, nit, nfev, message.

    Raises
    ------
    ArgumentError
        If an option is out of range, or bounds aren't finite or cross.
    ShapeError, DtypeError, ArrayTypeError, MixedDevicesError
        If shapes don't fit, or an argument or a value is no real array of the right kind.
    NotSupported
        If arrays have no values (in jax.jit, vmap), as the host chooses boxes by their values; for
        a callback of a batch.

    Notes
    -----
    D. R. Jones, C. D. Perttunen, B. E. Stuckman, J. Optim. Theory Appl. 79 (1993) 157-181; locally
    biased, J. M. Gablonsky, C. T. Kelley, J. Global Optim. 21 (2001) 27-37. The points of an
    iteration, of all problems, are evaluated in one call; values are copied to the host. A point
    costs a value, and little more than log(nfev) operations of Python.

    ``x`` and ``fun`` are differentiable with respect to `args` and to all arrays that `func` closes
    over, by gradient = 0 as those of `minimize` are; this is as right as `x` is near the minimum.

    Boxes and ends are those of SciPy's routine: boxes above the convex hull are divided, too, if
    they are lower than all larger ones; and `len_tol` is compared with the whole longest side.

    Differs from SciPy: batches; a value that isn't finite counts as higher than all others;
    `maxiter` iterations are made, of which SciPy makes one less.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import direct
    >>> found = direct(lambda x: np.sum((x - 0.3) ** 2), [(-1, 2), (-1, 2)])
    >>> found.x.round(3), int(found.status)
    (array([0.3, 0.3]), 5)
    """
    name = "direct"
    check_callable(name, func, "func")
    if callback is not None:
        check_callable(name, callback, "callback")
    box = box_of(name, bounds, None, args)
    lower, upper = box.lower, box.upper
    xp, p = array_namespace(plain(lower)), int(lower.shape[1])
    if not readable(lower, upper):
        raise NotSupported(
            f"{name}: the host chooses boxes by values, got bounds {describe(lower)}, which have "
            "none. Take differential_evolution"
        )
    low, wide = plain(lower), plain(upper - lower)
    if bool(xp.any(wide <= 0)):  # likewise: ignore[LW203]: values are at hand
        raise ArgumentError(f"{name}: bounds must be min < max, got {describe(bounds)}")
    if callback is not None and not box.single:
        raise NotSupported(f"{name}: callback is for one problem, got bounds {describe(bounds)}")
    if not isinstance(locally_biased, bool):
        raise ArgumentError(f"{name}: locally_biased must be True or False, got {locally_biased!r}")
    tolerances = {"f_min_rtol": f_min_rtol, "vol_tol": vol_tol, "len_tol": len_tol}
    shares = {n: tolerance(name, n, v, 0.0) for n, v in tolerances.items()}
    for label, value in shares.items():
        if value > 1:
            raise ArgumentError(f"{name}: {label} must be between 0 and 1, got {value!r}")
    least = _number("f_min", f_min)
    search = _Search(
        [
            Boxes(p, bool(locally_biased), tolerance(name, "eps", eps, 1e-4))
            for _ in range(int(lower.shape[0]))
        ],
        (least, *shares.values()),
        count(name, "maxfun", maxfun, 1000 * p, least=1),
        count(name, "maxiter", maxiter, 1000, least=1),
    )
    given = arguments(args)
    values = Values(name, func, given)

    def at(points: list[tuple[float, ...]], rows: list[int]) -> Any:
        u = xp.asarray([list(u) for u in points], dtype=low.dtype, device=device(low))
        which = xp.asarray(rows, dtype=xp.int32, device=device(low))
        return xp.take(low, which, axis=0) + u * xp.take(wide, which, axis=0)

    def looked(points: list[tuple[float, ...]], rows: list[int]) -> Any:
        size = len(points)
        if compiles(low):  # for few numbers of points, each of which is compiled for
            more = (1 << (size - 1).bit_length()) - size
            points, rows = [*points, *points[:1] * more], [*rows, *rows[:1] * more]
        return values.rows(at(points, rows))[:size]

    with quiet(lower):
        search.run(looked, callback, at)
    every = list(range(len(search.boxes)))
    x = at([b.centres[b.best] for b in search.boxes], every)
    f = values.rows(x)
    x, f = differentiable(name, func, given, x, f, (lower, upper))
    counts = (search.outcome, search.nit, search.nfev)
    numbers = (xp.asarray(c, dtype=xp.int32, device=device(low)) for c in counts)
    return DirectResult(*map(box.shaped, (x, f, *numbers)))


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"direct: {name} must be a number, got {value!r}") from None


class _Search:
    """Hold the problems, and divide their boxes until each has ended."""

    def __init__(
        self, boxes: list[Boxes], tolerances: tuple[float, ...], maxfun: int, maxiter: int
    ) -> None:
        self.boxes, self.maxfun, self.maxiter = boxes, maxfun, maxiter
        self.f_min, self.f_rtol, self.volume, self.length = tolerances
        self.outcome = [Outcome.RUNNING] * len(boxes)
        self.nit, self.nfev = [0] * len(boxes), [0] * len(boxes)

    def run(self, values: Callable[..., Any], callback: Any, at: Callable[..., Any]) -> None:
        every = list(range(len(self.boxes)))
        if not every:
            return
        first = self._read(values([b.centres[0] for b in self.boxes], every))
        for i, box in enumerate(self.boxes):
            box.first(first[i])
            self.nfev[i] = 1
        while running := [i for i in every if self.outcome[i] == Outcome.RUNNING]:
            asked = [self.boxes[i].ask() for i in running]
            rows = [i for i, points in zip(running, asked, strict=True) for _ in points]
            found = self._read(values([u for points in asked for u in points], rows))
            begin = 0
            for i, points in zip(running, asked, strict=True):
                self.boxes[i].tell(found[begin : begin + len(points)])
                begin += len(points)
                self.nit[i] += 1
                self.nfev[i] += len(points)
                self.outcome[i] = self._ended(i)
            if callback is not None:
                box = self.boxes[0]
                try:
                    callback(at([box.centres[box.best]], [0])[0, :])
                except StopIteration:
                    self.outcome[0] = Outcome.INTERRUPTED

    def _read(self, values: Any) -> list[float]:
        found = to_numpy(plain(values)).tolist()
        return [v if math.isfinite(v) else 1e300 for v in found]

    def _ended(self, i: int) -> int:
        box = self.boxes[i]
        value = box.values[box.best]
        if box.volume() <= self.volume:
            return Outcome.COST
        if box.size(box.levels[box.best]) <= self.length:
            return Outcome.STEP
        known = self.f_min
        if math.isfinite(known):
            scale = abs(known) if known else 1.0
            if (value - known) / scale <= self.f_rtol:
                return Outcome.CONVERGED
        if self.nfev[i] > self.maxfun:
            return Outcome.LIMIT
        if self.nit[i] >= self.maxiter:
            return Outcome.AT_LIMITS
        return Outcome.RUNNING
