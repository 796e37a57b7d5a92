"""Steps of a batch, without the problems that have ended, where a look at values is free."""

from collections.abc import Callable
from typing import Any, TypeVar

from ..._namespace import array_namespace, device, hooks_of, is_concrete
from ...transforms import tree_map, while_loop
from ._objective import Objective

__all__ = ["RUNNING", "rounds"]

RUNNING = -1
_FEW = 128  # problems: fewer are not worth sorting out

S = TypeVar("S", bound=Any)


def rounds(objective: Objective, start: S, make: Callable[[Objective], Callable[[S], S]]) -> S:
    """Take steps from `start`, arrays of B rows with a `status`, for as long as one is RUNNING.

    ``make(objective)`` is the step for the problems that `objective` has; it keeps the rows that
    don't run. Ended problems are dropped when they are more than a quarter, unless `fun` sees the
    whole batch, or the library is lazy or compiles.
    """

    def going(state: S) -> Any:
        return array_namespace(state.status).any(state.status == RUNNING)

    compiles = hooks_of(start.status).compiles
    few = int(start.status.shape[0]) <= _FEW
    if few or compiles or not objective.separable or not is_concrete(start.status):
        return while_loop(going, make(objective), start)

    def many(state: S) -> Any:
        xp = array_namespace(state.status)
        count = int(state.status.shape[0])
        least = 0 if count <= _FEW else (3 * count) // 4
        return xp.count_nonzero(state.status == RUNNING) > least

    state = start
    index = None
    ended: list[S] = []
    order: list[Any] = []
    while True:
        state = while_loop(many, make(objective), state)
        xp = array_namespace(state.status)
        running = state.status == RUNNING
        left = int(xp.count_nonzero(running))  # likewise: ignore[LW203]: values are at hand
        if left == 0:
            break
        if index is None:
            index = xp.arange(running.shape[0], device=device(running))
        place = xp.argsort(xp.astype(~running, xp.int8), stable=True)
        stay, go = place[:left], place[left:]
        ended.append(_rows(state, go))
        order.append(xp.take(index, go, axis=0))
        state, index = _rows(state, stay), xp.take(index, stay, axis=0)
        objective = objective.some(stay)
    if index is None:
        return state
    back = xp.argsort(xp.concat([*order, index], axis=0))
    return tree_map(
        lambda *parts: xp.take(xp.concat(list(parts), axis=0), back, axis=0), *ended, state
    )


def _rows(state: S, numbers: Any) -> S:
    return tree_map(lambda a: array_namespace(a).take(a, numbers, axis=0), state)
