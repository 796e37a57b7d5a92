"""Finite bounds of searches, and first points within them."""

import math
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, describe, is_concrete, is_neutral
from ...errors import ArgumentError, ShapeError
from ...solving._following import unfollowed
from ...solving._options import ends
from ...transforms import stop_gradient

__all__ = ["Box", "at_hand_of", "box_of", "numbers_of", "plain"]


class Box(NamedTuple):
    """Hold the bounds of all problems, one row each, and a first point if it is given."""

    lower: Any  # (B, p)
    upper: Any
    x0: Any  # (B, p) or None
    batch: tuple[int, ...] | None  # None: one problem

    @property
    def single(self) -> bool:
        return self.batch is None

    def shaped(self, a: Any) -> Any:
        """Return rows (B, ...) in the shape of the batch."""
        if a is None:
            return None
        xp = array_namespace(a)
        return xp.reshape(a, (*(self.batch or ()), *a.shape[1:]))


def plain(x: Any) -> Any:
    """Return an array that no transform follows: its values, where they are known."""
    return unfollowed(stop_gradient(x))


def numbers_of(mask: Any) -> Any:
    """Return the places where a mask (N,) holds, of arrays whose values are at hand."""
    xp = array_namespace(mask)
    order = xp.argsort(xp.astype(~mask, xp.int8), stable=True)
    many = xp.sum(xp.astype(mask, xp.int32))
    return order[: int(many)]  # likewise: ignore[LW203]: see above


def at_hand_of(*objects: Any) -> list[Any]:
    """Return the arrays among objects, which say whose arrays those of a call are."""
    return [a for a in objects if hasattr(a, "dtype") and hasattr(a, "shape") and not is_neutral(a)]


def _pairs_of(function: str, bounds: Any) -> tuple[Any, Any]:
    """Return what stands for the lower bounds, and for the upper ones."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        return ends(bounds)
    if hasattr(bounds, "shape"):
        if len(bounds.shape) < 2 or bounds.shape[-1] != 2:
            raise ShapeError(
                f"{function}: bounds must be pairs (min, max), an array of shape (..., p, 2), got "
                f"shape {tuple(bounds.shape)}"
            )
        return bounds[..., 0], bounds[..., 1]
    try:
        rows = [tuple(row) for row in bounds]
    except TypeError:
        rows = [()]
    if not rows or any(len(row) != 2 for row in rows):
        raise ArgumentError(
            f"{function}: bounds must be a sequence of pairs (min, max), one for each variable, "
            f"got {describe(bounds)}"
        )
    return [a for a, _ in rows], [b for _, b in rows]


def box_of(function: str, bounds: Any, x0: Any = None, args: Any = (), beside: Any = ()) -> Box:
    """Return the bounds as arrays, of the library of the arrays that are given."""
    low, high = _pairs_of(function, bounds)
    if any(v is None for side in (low, high) if isinstance(side, list) for v in side):
        raise ArgumentError(f"{function}: bounds must be finite numbers, got {describe(bounds)}")
    args = args if isinstance(args, tuple) else (args,)
    arrays = at_hand_of(low, high, x0)
    like = arrays or at_hand_of(*args, *at_hand_of(beside))
    xp = array_namespace(*(like[:1] or [low]))
    names = ("lower bounds", "upper bounds", "x0")
    given: list[Any] = [low, high] if x0 is None else [low, high, x0]
    if not arrays and like:
        given = [
            _plan.from_lists(function, name, xp, a, dtype=None, device=None)
            if isinstance(a, list | tuple)
            else a
            for name, a in zip(names, given, strict=False)
        ]
    found = _plan.common_floating(function, xp, names[: len(given)], *given, real=True)
    made = [xp.reshape(a, (1,)) if a.ndim == 0 else a for a in found]
    p = max(int(a.shape[-1]) for a in made)
    if any(int(a.shape[-1]) not in (1, p) for a in made):
        shapes = ", ".join(str(tuple(a.shape)) for a in made)
        raise ShapeError(f"{function}: bounds and x0 must have as many variables, got {shapes}")
    leads = {n: tuple(a.shape[:-1]) for n, a in zip(names, made, strict=False)}
    batch = _plan.broadcast(function, **{n.replace(" ", "_"): s for n, s in leads.items()})
    total = math.prod(batch)
    rows = [xp.reshape(xp.broadcast_to(a, (*batch, p)), (total, p)) for a in made]
    lower, upper = rows[:2]
    if is_concrete(lower) and is_concrete(upper):
        if not bool(xp.all(xp.isfinite(lower) & xp.isfinite(upper))):
            raise ArgumentError(
                f"{function}: bounds should be finite (min, max) pairs, one for each variable, got "
                f"{describe(bounds)}"
            )
        if bool(xp.any(lower > upper)):
            raise ArgumentError(f"{function}: bounds cross: min > max, got {describe(bounds)}")
    single = all(a.ndim == 1 for a in made)
    return Box(lower, upper, rows[2] if len(rows) > 2 else None, None if single else batch)
