"""Detection of batch rules that loop over the batch."""

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any
from unittest import mock

from ..transforms._rules._batching import Batch

__all__ = ["loops_of_lanes"]


@contextlib.contextmanager
def loops_of_lanes() -> Iterator[set[str]]:
    """Yield the names of functions over which the interpreter's `vmap` loops in the block."""
    found: set[str] = set()
    real = Batch._loop

    def noted(self: Batch, space: Any, name: str, *rest: Any) -> Any:
        found.add(name)
        return real(self, space, name, *rest)

    # torch.func.vmap runs what it has no rule for lane by lane, and says so.
    with mock.patch.object(Batch, "_loop", noted), warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", message="There is a performance drop because we have not")
        yield found
    for warning in caught:
        text = str(warning.message)
        if text.startswith("There is a performance drop"):
            found.add(text.partition("batching rule for ")[2].partition(". ")[0])
        else:
            warnings.warn(warning.message, stacklevel=2)
