"""Ctrl-C while pieces are computed."""

import signal
import threading
from types import TracebackType
from typing import Any

__all__ = ["Interrupts"]


class Interrupts:
    """Note the first Ctrl-C; the second raises KeyboardInterrupt at once.

    Only in the main thread, and where no other handler is installed.
    """

    def __init__(self) -> None:
        self.asked = False
        self._installed = False

    def __enter__(self) -> "Interrupts":
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
        return self

    def _note(self, number: int, frame: Any) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
