"""The memory that a step takes, as the system sees it."""

import os
import threading

__all__ = ["Peak"]

_STATM = "/proc/self/statm"
_EVERY = 0.001  # seconds


class Peak:
    """Measure how far this process's memory rises above its size at the first beginning.

    A thread reads the resident size every millisecond: short peaks are missed, and the first steps
    contain what a function loads and compiles. `taken` is 0 on systems that don't tell.
    """

    def __init__(self) -> None:
        self.taken = 0
        self._least: int | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        now = _resident()
        if self._least is None:
            self._least = now
        self.taken = 0
        if now and self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()

    def end(self) -> None:
        if self._thread is not None:
            self._look()
            self._stop.set()
            self._thread.join()
            self._thread = None

    def _watch(self) -> None:
        while not self._stop.wait(_EVERY):
            self._look()

    def _look(self) -> None:
        self.taken = max(self.taken, _resident() - (self._least or 0))


def _resident() -> int:
    """Return the resident bytes of this process; 0 if the system doesn't tell."""
    try:
        with open(_STATM, "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
