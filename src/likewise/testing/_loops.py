"""Maps over lanes that run one lane after the other."""

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

from ..transforms._batching import Batch

__all__ = ["loops_of_lanes"]


@contextlib.contextmanager
def loops_of_lanes() -> Iterator[set[str]]:
    """Give the names of what the interpreter's `vmap` runs in a loop inside the block."""
    found: set[str] = set()
    real = Batch._loop

    def noted(self: Batch, space: Any, name: str, *rest: Any) -> Any:
        found.add(name)
        return real(self, space, name, *rest)

    with mock.patch.object(Batch, "_loop", noted):
        yield found
