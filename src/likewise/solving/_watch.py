"""Progress of a batch, and its interruption."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from .._namespace import array_namespace, is_lazy
from ._outcome import Outcome

__all__ = ["KEEPS", "Watch", "keeping"]

# Whether Ctrl-C leaves a batch's finished problems; False in the steps of a solver, too.
KEEPS: ContextVar[bool | None] = ContextVar("keeps", default=None)


@contextlib.contextmanager
def keeping(full_output: bool, *given: Any) -> Iterator[None]:
    """Let Ctrl-C end the running problems of a batch, rather than propagate, if that is True.

    For callers with `full_output`, who get a status of each problem, unless one of the arrays given
    is lazy: nothing is interrupted then, and a compiler that traces this allows no setting. The
    outermost solver ends; those inside of its steps pass the exception on.
    """
    if any(hasattr(a, "dtype") and is_lazy(a) for a in given):
        yield
        return
    before = KEEPS.set(full_output and KEEPS.get() is not False)
    try:
        yield
    finally:
        KEEPS.reset(before)


class Watch:
    """Call the caller's ``progress(done, total, text)``, and end the work early.

    `keeps`: whether Ctrl-C ends it with the finished problems' results.
    """

    def __init__(
        self,
        progress: Callable[..., Any] | None,
        total: int,
        keeps: bool = False,
        noun: str = "problems",
    ) -> None:
        self.done = 0
        self.total = total
        self._stop = threading.Event()
        self._keeps, self._noun = keeps, noun
        self._failed = 0
        self._progress = progress
        self._begun = time.monotonic()
        self._lock = threading.Lock()

    def halt(self, interruption: KeyboardInterrupt) -> None:
        """End the work, in all threads, and raise unless the caller gets what is done."""
        self._stop.set()
        if not self._keeps:
            raise interruption

    def stop(self) -> None:
        """End the work after this step."""
        self._stop.set()

    @property
    def halted(self) -> bool:
        """Tell if the work must end."""
        return self._stop.is_set()

    def aside(self) -> "Watch":
        """Return a watch for a part of the work that doesn't report progress."""
        other = Watch(None, 0, self._keeps, self._noun)
        other._stop = self._stop
        return other

    def tell(self, status: Any) -> None:
        """Count finished problems by their outcomes, and report to the caller."""
        if self._progress is None:
            return
        xp = array_namespace(status)
        # Problems that are restarted are reported at their next end.
        again = status == Outcome.AGAIN
        again = int(xp.count_nonzero(again))  # likewise: ignore[LW203]: values are at hand
        failed = int(xp.count_nonzero(status < 0))  # likewise: ignore[LW203]: values are at hand
        with self._lock:
            self.done += int(status.shape[0]) - again
            self._failed += failed - again
            rate = self.done / max(time.monotonic() - self._begun, 1e-9)
            text = f"{self._noun}, {rate:.0f} a second, {self._failed} failed"
            self._progress(self.done, self.total, text)
