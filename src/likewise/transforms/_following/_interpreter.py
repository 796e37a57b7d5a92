"""The open interpreters of this thread, which trace a user's function.

The proxies of one open transform belong to its `Interpreter`; nested transforms have ascending
levels. This module doesn't depend on proxies.
"""

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..._library import FOREIGN, Transforms
from ..._namespace import hooks_of, is_neutral
from ..._native import FOLLOWING, NOTING
from ._escapes import explain, raise_escape

__all__ = [
    "OPEN",
    "RECORDERS",
    "Interpreter",
    "closed",
    "in_batch",
    "interpreted",
    "is_open",
    "native",
    "of_loops",
    "opened",
    "recorder",
    "recording",
    "reopened",
    "solving",
]


class Interpreter(ABC):
    """Define how one open transform runs each step. Its proxies hold ``extra`` for it."""

    records = False  # whether it only notes what is called
    loops = False  # whether it takes a loop's functions, by `looped`, to be one call
    sees = False  # whether what it follows may look at values
    bottom = True  # if so, whether it sees the library's own functions alone
    lead = 0  # how many dimensions its arrays have before those that the user sees
    name = "a transform"

    def __init__(self) -> None:
        self.level = next(_levels)
        self.open = True

    @abstractmethod
    def process(self, name: str, operands: Any, settings: dict[str, Any], space: Any) -> Any: ...

    def truth(self, x: Any) -> bool:
        return bool(x.value)

    def escaped(self, what: str) -> Any:
        """Handle an array that is about to be converted to another object."""
        return raise_escape(what)

    def integer(self, x: Any, what: str) -> int:
        """Handle an array that is about to become a Python integer."""
        found: int = self.escaped(what)
        return found

    def looked(self, what: str) -> None:
        """Handle a read of the value of an array."""
        return

    def array(self, x: Any) -> Any:
        """Return an array in place of a scalar of the library."""
        return x


_levels = itertools.count(1)


class _Open(threading.local):
    """Hold how many interpreters and batches this thread has open, `interpreted` and `solving`."""

    count = 0
    batches = 0
    forced = False
    solving = False
    recorder: Any = None


OPEN = _Open()
RECORDERS: list[Any] = NOTING  # of all threads: while there is none, nobody looks further


def is_open() -> bool:
    """Tell if an interpreter is open in this thread."""
    return OPEN.count > 0


def recorder() -> Any:
    """Return the recorder of this thread, or None."""
    return OPEN.recorder


def of_loops() -> Any:
    """Return the recorder of this thread that records loops as one call, or None."""
    by = OPEN.recorder
    return by if by is not None and by.loops else None


@contextmanager
def solving() -> Iterator[None]:
    """Trace short loops, too, inside the block: a solver calls its function many times."""
    outer, OPEN.solving = OPEN.solving, True
    try:
        yield
    finally:
        OPEN.solving = outer


@contextmanager
def recording(by: Any) -> Iterator[None]:
    """Record all calls of this thread inside the block; with None, record nothing."""
    outer = OPEN.recorder
    change = (by is not None) - (outer is not None)
    OPEN.recorder = by
    OPEN.count += change
    if by is not None:
        RECORDERS.append(by)
        FOLLOWING.append(by)
    try:
        yield
    finally:
        OPEN.recorder = outer
        OPEN.count -= change
        if by is not None:
            RECORDERS.remove(by)
            FOLLOWING.remove(by)


def in_batch() -> bool:
    """Tell if an open interpreter runs a batch."""
    return OPEN.batches > 0


def native(arrays: Any) -> Transforms:
    """Return the library's own transforms, None for each that the interpreter must do."""
    if not (is_open() or OPEN.forced):
        for x in arrays:
            if not is_neutral(x):
                return hooks_of(x).transforms
    return FOREIGN.transforms


@contextmanager
def interpreted() -> Iterator[None]:
    """Use the interpreter in place of native transforms in this thread, inside the block."""
    outer, OPEN.forced = OPEN.forced, True
    try:
        yield
    finally:
        OPEN.forced = outer


@contextmanager
def closed() -> Iterator[None]:
    """Let a function of constants run as if nothing followed it, though a transform is open."""
    outer = OPEN.count, OPEN.recorder
    OPEN.count, OPEN.recorder = 0, None
    try:
        yield
    finally:
        OPEN.count, OPEN.recorder = outer


class opened:
    """Open an interpreter for the user's function; its proxies are unusable afterwards."""

    __slots__ = ("interpreter",)

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter

    def __enter__(self) -> Interpreter:
        OPEN.count += 1
        OPEN.batches += self.interpreter.lead
        FOLLOWING.append(self.interpreter)
        return self.interpreter

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        OPEN.count -= 1
        OPEN.batches -= self.interpreter.lead
        FOLLOWING.remove(self.interpreter)
        self.interpreter.open = False
        if isinstance(error, Exception):
            explain(error, self.interpreter.name)


@contextmanager
def reopened(interpreter: Interpreter) -> Iterator[None]:
    """Reopen an interpreter, so that a later rule can call functions that close over its arrays."""
    was, interpreter.open = interpreter.open, True
    OPEN.count += 1
    FOLLOWING.append(interpreter)
    try:
        yield
    finally:
        OPEN.count -= 1
        FOLLOWING.remove(interpreter)
        interpreter.open = was
