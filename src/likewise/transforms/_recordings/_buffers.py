"""Memory for large arrays within replays, which is kept from one replay to the next.

The system gives back such memory when it is freed, and clears it page by page when it is allocated
again, which can take a quarter of a replay's time.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from ..._library import Library

__all__ = ["KEPT", "LEAST", "Kind", "held"]

LEAST = 1 << 17  # bytes of an array; the system does not give back smaller ones
KEPT = 1 << 26  # bytes at most, of all programs

_free: OrderedDict[Hashable, list[Any]] = OrderedDict()  # by kind, the last used at the end
_lock = threading.Lock()
_bytes = 0


def held() -> int:
    """Return how many bytes are kept."""
    return _bytes


class Kind:
    """Lend arrays of one dtype and shape, whose values are anything."""

    def __init__(self, library: Library, dtype: Any, shape: tuple[int, ...], size: int) -> None:
        self.empty, self.dtype, self.shape, self.size = library.namespace.empty, dtype, shape, size
        self.key = library.name, dtype, shape

    def take(self) -> Any:
        """Return an array that nobody uses."""
        global _bytes
        with _lock:
            free = _free.get(self.key)
            if free:
                _bytes -= self.size
                return free.pop()
        return self.empty(self.shape, dtype=self.dtype)

    def give(self, x: Any) -> None:
        """Keep an array that nobody uses any more; drop those of kinds that were used long ago."""
        global _bytes
        with _lock:
            _free.setdefault(self.key, []).append(x)
            _free.move_to_end(self.key)
            _bytes += self.size
            while _bytes > KEPT:
                oldest = next(iter(_free.values()))
                if oldest:
                    _bytes -= oldest.pop().nbytes
                else:
                    _free.popitem(last=False)
