"""Cleanup of recordings: drop repeated calls, multiplications by ones, and unused results.

There is no other algebra, so results are equal to the last bit. Also decides which results to copy.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from .._following._instructions import CHECKS, CREATION, MOVED, NEW
from ._program import Made, Result, Step

__all__ = ["checks", "living", "needed", "once", "owned"]

_SPREAD = MOVED | {"astype"}  # ones stay ones


def once(
    steps: Iterable[Step], made: dict[int, Made], ones: set[int]
) -> tuple[list[Step], dict[int, int]]:
    """Drop repeated calls and multiplications by ones; return replacements of their results."""
    same: dict[int, int] = {}
    seen: dict[object, int] = {}
    out: list[Step] = []
    for step in steps:
        slots = tuple(same.get(s, s) for s in step.operands)
        step = step._replace(operands=slots)
        slot = step.results[0] if step.results else -1
        if step.name in _SPREAD and slots[0] in ones:
            ones.add(slot)
        if step.whole or step.shape != "one":
            out.append(step)
            continue
        if step.name == "multiply" and not ones.isdisjoint(slots):
            other = slots[1] if slots[0] in ones else slots[0]
            if other in made and made[other] == made[slot]:
                same[slot] = other
                continue
        said = step.says()
        if said is not None and seen.setdefault((step.call, said), slot) != slot:
            same[slot] = seen[step.call, said]
            continue
        out.append(step)
    return out, same


def checks(step: Step, made: dict[int, Made]) -> bool:
    """Tell if a call may raise for some values, in any error state."""
    if step.whole:
        return step.name not in CREATION
    if step.name in ("pow", "operator.pow"):  # of whole numbers alone
        like = made.get(step.results[0])
        return like is None or "float" not in str(like.sketch[1])
    return step.name in CHECKS


def needed(
    steps: Sequence[Step], wanted: Iterable[int], stays: Callable[[Step], bool] | None = None
) -> list[Step]:
    """Return the steps on which these slots depend, and those that stay in any case."""
    slots = set(wanted)
    out = []
    for step in reversed(steps):
        if not slots.isdisjoint(step.results) or (stays is not None and stays(step)):
            slots.update(step.operands)
            out.append(step)
    return out[::-1]


def living(
    steps: Sequence[Step],
    results: Iterable[int],
    made: dict[int, Made],
    raises: Callable[[Any], bool],
    errors: Any,
) -> list[Step]:
    """Drop calls whose results are unused and that can't raise."""
    return needed(steps, results, lambda s: checks(s, made) or raises(s.errors or errors))


def _roots(
    steps: Iterable[Step], shared: Iterable[int], made: dict[int, Made]
) -> dict[int, frozenset[int]]:
    """Return for each slot the slots from before the steps whose memory it may share."""
    roots = {s: frozenset([s] if s in made and made[s].size >= 0 else []) for s in shared}
    for step in steps:
        fresh = step.name in NEW and not (step.whole and step.name not in CREATION)
        below: frozenset[int] = frozenset()
        if not fresh:
            below = below.union(*[roots[s] for s in step.operands])
        for slot in step.results:
            array = slot in made and made[slot].size >= 0
            roots[slot] = below | {slot} if array else frozenset()
    return roots


def _spread(steps: Iterable[Step]) -> set[int]:
    """Return the slots of arrays whose elements may share memory, which can't be written to."""
    out: set[int] = set()
    for step in steps:
        view = step.name not in NEW and not step.whole
        if step.name.startswith("broadcast_") or (view and not out.isdisjoint(step.operands)):
            out.update(step.results)
    return out


def owned(
    before: Iterable[Step],
    after: Iterable[Step],
    first: Sequence[int],
    results: Sequence[int],
    inputs: Collection[int],
    shared: Collection[int],
    made: dict[int, Made],
) -> list[Result]:
    """Decide which results to copy: those that might share memory only because of the replay.

    Results of `broadcast_to` are copied, too, because the transforms copy them in unrecorded calls.
    An argument that the function returns is returned itself; other arrays from outside are copied.
    """
    old, new = _roots(before, shared, made), _roots(after, shared, made)
    spread = _spread(after)
    out: list[Result] = []
    for k, slot in enumerate(results):
        itself = slot == first[k] and slot in inputs
        copied = slot in spread or (bool(new[slot].intersection(shared)) and not itself)
        for j in range(k):
            shares = new[slot] & new[results[j]] and not out[j].copied
            if shares and not old[first[k]] & old[first[j]]:
                copied = True
        out.append(Result(slot, copied))
    return out
