"""The one cache of what was traced, compiled or recorded, and the state that is part of its keys.

Everything that is kept between calls depends on this state, so each key begins with it.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from ... import _native
from ..._default import current
from ..._library import Library

__all__ = ["Cache", "in_force"]

_NEW = object()


def in_force(library: Library) -> tuple[Hashable, ...]:
    """Return everything outside of a call on which its trace and its replay depend.

    These are the library's error state, the default of creation, and the preference of routines.
    """
    switch = _native.switched()
    return library.errors(), current(), switch and (switch.order, switch.force)


class Cache:
    """Keep the values of the keys that were used last, at most `size`; threads may share it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.kept: OrderedDict[Hashable, Any] = OrderedDict()
        self.lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.kept)

    def get(self, key: Hashable, default: Any = None) -> Any:
        """Return the value of a key."""
        found = self.kept.get(key, _NEW)
        if found is _NEW:
            return default
        if len(self.kept) > self.size // 2:  # looking up twice takes time, and needs the lock
            with self.lock:
                if key in self.kept:
                    self.kept.move_to_end(key)
        return found

    def set(self, key: Hashable, value: Any) -> None:
        """Keep a value, as the newest."""
        with self.lock:
            self.kept[key] = value
            self.trim(key)

    def first(self, key: Hashable, value: Any, stays: Callable[[Any], bool] | None = None) -> Any:
        """Return the value of a key; keep this one if there is none.

        `stays` is asked about the oldest value before it is dropped; if true, the value becomes the
        newest. It must not be true of the same value again and again.
        """
        with self.lock:
            found = self.kept.setdefault(key, value)
            self.trim(key, stays)
        return found

    def values(self) -> list[Any]:
        """Return the values that are kept."""
        with self.lock:
            return [*self.kept.values()]

    def trim(self, newest: Hashable, stays: Callable[[Any], bool] | None = None) -> None:
        self.kept.move_to_end(newest)
        while len(self.kept) > self.size:
            key, value = self.kept.popitem(last=False)
            if stays is not None and stays(value):
                self.kept[key] = value
