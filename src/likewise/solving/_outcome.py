"""How a problem can end: one enumeration for all solvers, with advice."""

from typing import Any, ClassVar

from .._namespace import array_namespace, device

__all__ = ["Outcome", "outcomes", "still_wanted"]


class Outcome:
    """How a problem has ended: success is above 0, failure below, and 0 still runs.

    The members are plain integers, because array functions accept only these as scalars.
    """

    RUNNING = 0

    CONVERGED = 1
    GRADIENT = 2
    COST = 3
    STEP = 4
    COST_AND_STEP = 5
    ROUNDED = 6
    INTERIOR = 7

    LIMIT = -1
    NOT_FINITE = -2
    BAD_BRACKET = -3
    BAD_START = -4
    AT_LIMITS = -5
    FLAT = -6
    STALLED = -7
    PRECISION = -8
    UNBOUNDED = -9
    DIVERGED = -10
    INTERRUPTED = -11
    NO_ROOT = -12
    INFEASIBLE = -13
    NOT_CONVEX = -14
    AGAIN = -99  # for the next kind of steps; nobody sees it

    ADVICE: ClassVar[dict[int, str]] = {
        RUNNING: "has not ended",
        CONVERGED: "converged to the tolerances",
        GRADIENT: "converged: the gradient is 0 within gtol",
        COST: "converged: the function changes relatively by no more than ftol",
        STEP: "converged: the unknowns change relatively by no more than xtol",
        COST_AND_STEP: "converged: function and unknowns change by no more than ftol and xtol",
        ROUNDED: "converged as far as rounding allows",
        INTERIOR: "converged: the unbounded solution lies within the bounds",
        LIMIT: "Maximum number of iterations reached: raise maxiter or the tolerances, or start "
        "closer",
        NOT_FINITE: "a point or a value is not finite: check args, or start closer",
        BAD_BRACKET: "the points are not a bracket: see bracket_root and bracket_minimum",
        BAD_START: "the start points are not in order, or outside their limits",
        AT_LIMITS: "the search reached its limits: widen them, or there is no solution",
        FLAT: "the function became flat at a point that is no root: start elsewhere, or bracket",
        STALLED: "no step improves the solution: start elsewhere, or rescale",
        PRECISION: "no lower value along the search: rounding hides it, or the gradient is wrong",
        UNBOUNDED: "the function falls without limit: it has no minimum there",
        DIVERGED: "the residuals grew without limit: start closer, or use another method",
        INTERRUPTED: "interrupted before it had ended or begun",
        NO_ROOT: "the least sum of squares is not zero: a least-squares solution, but no root",
        INFEASIBLE: "the constraints hold at no point that was found: they may contradict each "
        "other; start at a point that fulfils them, or loosen them",
        NOT_CONVEX: "the function is not convex: a minimum may be no global one: use minimize",
        AGAIN: "to be solved by other steps",
    }


def outcomes(like: Any, *cases: tuple[Any, int], otherwise: int = Outcome.RUNNING) -> Any:
    """Return int32 of the shape of `like`: the outcome of the last case whose mask holds."""
    xp = array_namespace(like)

    def all_of(code: int) -> Any:
        return xp.full(tuple(like.shape), code, dtype=xp.int32, device=device(like))

    found = all_of(otherwise)
    for mask, code in cases:
        found = xp.where(mask, all_of(code), found)
    return found


def still_wanted(status: Any, which: Any) -> Any:
    """Return the problems of the mask `which`, and none if the work was interrupted."""
    xp = array_namespace(status, which)
    return which & xp.all(status != Outcome.INTERRUPTED)
