"""Makes windows: the length, the symmetry, and where the result goes."""

from collections.abc import Callable
from typing import Any

from .._places import Place, host, place, whole

__all__ = ["made", "target"]


def target(function: str, xp: Any, device: Any) -> Place:
    """Return where a window goes: to ``xp=`` and ``device=``, else as `likewise.use` says."""
    found = place(function, **({} if xp is None else {"xp": xp.empty(0)}))
    return found if device is None else found._replace(device=device)


def made(
    function: str, M: Any, sym: bool, xp: Any, device: Any, values: Callable[[Any, int], Any]
) -> Any:
    """Return a window of M points, from a function that computes a symmetric one on the host."""
    m = whole(function, "M", M)
    where = target(function, xp, device)
    ns = host()
    if m <= 1:
        return where.give(ns.ones(m))
    return where.give(values(ns, m if sym else m + 1)[:m])
