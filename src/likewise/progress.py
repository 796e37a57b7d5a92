"""Progress of long computations.

Algorithms take a callback ``progress(done, total, text)``; `Progress` makes one.
"""

import sys
import time
from types import TracebackType
from typing import Any, TextIO

__all__ = ["Progress"]


class Progress:
    """Show progress: a bar on a terminal, otherwise occasional plain lines.

    Parameters
    ----------
    file : text file, optional
        Where to write. Default: standard error, so that results can be piped.
    quiet : bool, optional
        Whether to write nothing without a terminal. Default: False.
    every : float, optional
        Minimum number of seconds between plain lines, and before the first. Default: 5.

    Notes
    -----
    A context manager whose value is the callback ``progress(done, total, text="")``: steps done,
    all steps, the current work. The bar needs the package rich (extra ``cli``) and disappears at
    the end; without rich a terminal gets the plain lines, too.

    Examples
    --------
    >>> import sys
    >>> from likewise.progress import Progress
    >>> with Progress(file=sys.stdout, every=0) as progress:
    ...     for i in range(2):
    ...         progress(i + 1, 2, "halves")
    1/2 halves
    2/2 halves
    """

    def __init__(
        self, *, file: TextIO | None = None, quiet: bool = False, every: float = 5.0
    ) -> None:
        self._file = sys.stderr if file is None else file
        self._silent = quiet and not self._file.isatty()
        self._every = every
        self._last = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> "Progress":
        self._last = time.monotonic()
        self._bar = None if self._silent else _bar(self._file)
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task("", total=None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __call__(self, done: int, total: int, text: str = "") -> None:
        """Report that `done` of `total` steps are done, with a text on the current one."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total, description=text)
        elif not self._silent and time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            self._file.write(f"{done}/{total} {text}".rstrip() + "\n")
            self._file.flush()


def _bar(file: TextIO) -> Any:
    """A bar of rich on an interactive terminal, if rich is installed."""
    if not file.isatty():
        return None
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar
    except ImportError:
        return None
    console = Console(file=file)
    if not console.is_interactive:  # a terminal that can't move its cursor
        return None
    # The text last: its width changes, and the bar must not move.
    parts = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    text = TextColumn("{task.description}", markup=False)
    return Bar(*parts, text, console=console, transient=True)
