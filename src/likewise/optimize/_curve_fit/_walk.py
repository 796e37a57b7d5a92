"""The steps of a batch of fits: ordinary and careful steps, changes of units, and restarts."""

from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...solving._driver import Method, again, iterate, replaced, taken
from ...solving._outcome import Outcome
from ...solving._watch import Watch
from ...transforms import cond, stop_gradient, while_loop
from .._steps._marquardt import (
    Limits,
    Problem,
    Solution,
    State,
    careful_step,
    doubtful,
    fresh,
    step,
    undetermined,
)
from ._beyond import onward
from ._model import Model, Rows
from ._units import Units, far_from, measured, ordinary

__all__ = ["Walk", "compiled_walk", "eager_walk", "fixed"]

_SPANS = 8  # times that steps begin anew in other units


class Walk(NamedTuple):
    """Hold the settings that the steps of all fits share."""

    model: Model
    x: Any
    tests: Limits
    wide: int  # fits at once, in quick steps
    narrow: int  # in others
    watch: Watch | None = None

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        """Return what a step depends on."""
        return (self.model, self.x, self.tests), False

    def quick(self, now: Rows, state: State) -> State:
        """Return the next state, using one evaluation."""
        return step(self.model.problem(self.predictors(now), now), state, self.tests)

    def careful(self, now: Rows, state: State) -> State:
        """Return the next state, using three evaluations."""
        return careful_step(self.model.problem(self.predictors(now), now), state, self.tests)

    def predictors(self, now: Rows) -> Any:
        """Return xdata of these fits."""
        return self.model.predictors(self.x, now)


def _start(rows: Rows) -> State:
    return fresh(rows.start)


def _more(new: Solution, old: Solution) -> Solution:
    """The new one, with the evaluations of both."""
    return new._replace(nfev=old.nfev + new.nfev)


def _walked(
    walk: Walk, rows: Rows, found: Solution | None = None, which: Any = None
) -> tuple[Solution, Any]:
    """Take ordinary steps for all problems or a mask, then careful ones from the start if needed.

    Also return which problems took careful ones.
    """
    quick = Method(_start, walk.quick, Solution.of, -1, True)
    careful = Method(_start, walk.careful, Solution.of, -1)
    if found is None:
        found = iterate(quick, rows, width=walk.wide, watch=walk.watch)
    else:
        found = again(quick, rows, found, which, _more, width=walk.wide, watch=walk.watch)
    found = stop_gradient(found)
    which = found.status == Outcome.AGAIN
    found = again(careful, rows, found, which, _more, width=walk.narrow, watch=walk.watch)
    return found, which


def compiled_walk(walk: Walk, rows: Rows, further: bool) -> tuple[Solution, Units]:
    """Take all steps in a compiled or traced program; return the end and its units.

    Problems restart from their end in new units until the units fit the end. Without `further`,
    problems that may not have ended at a minimum are left for other steps.
    """
    xp = array_namespace(rows.y)
    given, rare = Units(rows.unit, rows.height), ~ordinary(rows)
    if not further:
        found, _ = _walked(walk, rows)
        unsure = _lost(walk.model, rows, found) | rare
        return found._replace(status=xp.where(unsure, Outcome.AGAIN, found.status)), given

    def span(carry: Any) -> Any:
        found, old, which, count = carry
        now = rows._replace(start=found.x)
        new: Units = cond(
            xp.any(rare), lambda r: measured(walk.model, walk.x, r), lambda r: given, now
        )
        which = which & ((count == 0) | far_from(new, old))
        units = Units(*(xp.where(which, a, b) for a, b in zip(new, old, strict=True)))
        found, _ = _walked(walk, now._replace(**units._asdict()), found, which)
        # Of what the model closes over a transform may follow, and no loop has its derivative.
        return (*stop_gradient((found, units)), which & rare & _goes_on(found), count + 1)

    count = xp.zeros((), dtype=xp.int32, device=device(rows.y))
    # No method of the driver's: a turn is a whole walk, through which the driver leads.
    found, units, *_ = while_loop(
        lambda carry: xp.any(carry[2]) & (carry[3] < _SPANS),
        span,
        (Solution.of(_start(rows)), given, rare | True, count),
    )
    return _beyond(walk, rows._replace(**units._asdict()), found), units


def eager_walk(walk: Walk, rows: Rows) -> tuple[Solution, Units]:
    """Take single steps; return the end and its units, as `compiled_walk`."""
    xp = array_namespace(rows.y)
    units, first = Units(rows.unit, rows.height), not walk.model.plain
    if first:
        found, which = Solution.of(_start(rows)), rows.height > 0
    else:
        found = _whole_walk(walk, rows)
        which = found.status == Outcome.NOT_FINITE  # products may have overflowed
        walk = _aside(walk)._replace(model=walk.model._replace(plain=False))
    for count in range(_SPANS):
        if not xp.any(which):  # likewise: ignore[LW204]: values are at hand
            break
        begin = rows._replace(start=found.x)

        def fitting(some: Any, begin: Rows = begin, walk: Walk = walk) -> Units:
            return measured(walk.model, walk.x, taken(begin, some, -1))

        new = replaced(units, which, fitting, -1)
        if count:
            which = which & far_from(new, units)
        units = Units(*(xp.where(which, a, b) for a, b in zip(new, units, strict=True)))
        begin = begin._replace(**units._asdict())

        def anew(
            some: Any, begin: Rows = begin, found: Solution = found, walk: Walk = walk
        ) -> Solution:
            return _more(_whole_walk(walk, taken(begin, some, -1)), taken(found, some, -1))

        found = replaced(found, which, anew, -1)
        which, walk = which & _goes_on(found), _aside(walk)
    return found, units


def _aside(walk: Walk) -> Walk:
    """Return the same without reports of progress."""
    return walk if walk.watch is None else walk._replace(watch=walk.watch.aside())


def _goes_on(found: Solution) -> Any:
    """Tell which fits have evaluations left and were not interrupted."""
    return (found.status != Outcome.INTERRUPTED) & (found.status != Outcome.LIMIT)


def _whole_walk(walk: Walk, rows: Rows) -> Solution:
    """Take all kinds of steps, in fixed units."""
    xp = array_namespace(rows.y)
    found, careful = _walked(walk, rows)
    found = _beyond(walk, rows, found)
    # Of careful steps it is from the step before.
    return found._replace(normal=xp.where(careful, xp.nan, found.normal))


def _beyond(walk: Walk, rows: Rows, found: Solution) -> Solution:
    """Restart fits that may not have ended at a minimum."""
    xp = array_namespace(found.x)
    free = xp.astype(~fixed(walk.model, found.x), found.x.dtype)
    found = _doubted(walk, rows, found)
    lost, stalled = _lost(walk.model, rows, found), found.status == Outcome.STALLED
    rows = rows._replace(start=found.x, origin=rows.start, stalled=stalled)

    def advance(now: Rows, state: State) -> State:
        problem = walk.model.problem(walk.predictors(now), now)
        return onward(problem, now.start, now.origin, free, now.stalled, state, walk.tests)

    def lower(new: Solution, old: Solution) -> Solution:
        # It began where a stalled one had ended, and is as low.
        better = (new.cost < old.cost) | ((old.status == Outcome.STALLED) & (new.status > 0))
        better = better & (new.status != Outcome.INTERRUPTED)
        chosen = Solution(*(xp.where(better, a, b) for a, b in zip(new, old, strict=True)))
        return chosen._replace(nfev=old.nfev + new.nfev)

    method = Method(_start, advance, Solution.of, -1, True)
    watch = _aside(walk).watch
    found = again(method, rows, found, lost, lower, width=walk.narrow, watch=watch)
    return _doubted(walk, rows, found)


def fixed(model: Model, x: Any) -> Any:
    """Tell which parameters are fixed, (p, 1)."""
    return array_namespace(x).asarray(
        [[j in model.fixed] for j in range(x.shape[0])], device=device(x)
    )


def _lost(model: Model, rows: Rows, found: Solution) -> Any:
    """Tell which fits ended where the data don't determine a parameter, or stalled."""
    vague = undetermined(_of_free(model, found), found.x, rows.unit)
    return (found.status == Outcome.STALLED) | ((found.status > 0) & vague)


def _doubted(walk: Walk, rows: Rows, found: Solution) -> Solution:
    """Return the same fits with false successes marked as stalled."""
    xp = array_namespace(found.x)
    problem = Problem(_nothing, rows.unit, rows.low, rows.high, None)
    doubt = doubtful(problem, found._replace(normal=_of_free(walk.model, found)), walk.tests)
    return found._replace(
        status=xp.where(doubt, xp.full_like(found.status, Outcome.STALLED), found.status)
    )


def _nothing(x: Any) -> Any:
    """In place of a function that isn't called."""


def _of_free(model: Model, found: Solution) -> Any:
    """Return the normal matrix, with ones for fixed parameters."""
    if not model.fixed:
        return found.normal
    xp, still = array_namespace(found.x), fixed(model, found.x)
    eye = xp.eye(found.x.shape[0], dtype=found.x.dtype, device=device(found.x))
    return xp.where(still[:, None, :] | still[None, :, :], eye[:, :, None], found.normal)
