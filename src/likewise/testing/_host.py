"""Detection of copies from an array library to the host."""

import contextlib
import functools
import linecache
import sys
from collections.abc import Iterator
from typing import Any

from .._namespace import is_neutral, library_of, load, loaded
from ..errors import ArgumentError
from ..transforms._tree import leaves

__all__ = ["HostCopyError", "HostReads", "no_host_copies", "place", "watched"]

# Not the user's frames: what arrays and their libraries do on a user's behalf.
_MACHINERY = frozenset(
    """numpy scipy torch jax jaxlib dask cupy cupyx array_api_strict array_api_compat
    array_api_extra contextlib functools""".split()
)


class HostCopyError(AssertionError):
    """Raised if an array's data was copied to the host without permission."""


class HostReads:
    """Hold the reads that `no_host_copies` has detected so far.

    Attributes
    ----------
    copies : list of str
        Copies of whole arrays, each with its line.
    scalars : list of str
        Reads of single values, each with its line.
    declared : list of str
        Reads by likewise's own functions: they are declared in the source, and don't count against
        a function that calls one of them.
    callbacks : list of str
        Callbacks of compiled programs, each with its line. They are explicit, and so no error.
    """

    def __init__(self, limit: int, per: str, ours: bool = False) -> None:
        self.copies: list[str] = []
        self.scalars: list[str] = []
        self.declared: list[str] = []
        self.callbacks: list[str] = []
        self._limit, self._per, self.ours = limit, per, ours

    @property
    def counted(self) -> int:
        """Return the number of reads of single values that count against the limit."""
        return len(self.scalars) if self._per == "call" else len(set(self.scalars))

    def verdict(self) -> str:
        if self.copies:
            return f"host copy of a whole array: {self.copies[0]}"
        if self.counted > self._limit:
            what = "reads of single values" if self._per == "call" else "places that read values"
            return f"{self.counted} {what}, {self._limit} declared; the last: {self.scalars[-1]}"
        return ""


@contextlib.contextmanager
def no_host_copies(scalars: int = 0, per: str = "call") -> Iterator[HostReads]:
    """Assert that no array's data is copied to the host inside the block.

    Parameters
    ----------
    scalars : int, optional
        The allowed number of reads of single values (``bool``, ``int``, ``float``, ``.item()``).
        Reads by likewise's own functions are declared in the source, and don't count.
    per : {'call', 'iteration'}, optional
        'iteration': for loops that read values. The limit then applies to the number of source
        lines that read, each any number of times.

    Yields
    ------
    HostReads
        The reads so far.

    Raises
    ------
    HostCopyError
        At the line of the copy, or of the first read beyond the limit; and again at the end of the
        block if the code caught it.

    Notes
    -----
    Copies of whole arrays are ``numpy.asarray`` and similar functions, NumPy's and SciPy's
    functions, ``.numpy()``, ``.cpu()``, ``.tolist()``, ``jax.device_get``, ``cupy.asnumpy``, and a
    computation of Dask. They count on the CPU, too, where they raise no error otherwise. NumPy
    arrays don't count. Calls of ``jax.pure_callback`` are listed, and are no error.

    NumPy's own functions read JAX's CPU arrays through the buffer protocol, which can't be
    detected: on JAX only conversions (``numpy.asarray`` ...) are. `check_function` therefore runs a
    function once more on inputs that refuse conversion (see `refusing`).

    Patches the libraries' classes inside the block, so don't use it with several threads.

    Examples
    --------
    >>> import numpy as np, torch
    >>> from likewise.testing import no_host_copies
    >>> with no_host_copies():
    ...     np.sum(np.asarray(torch.ones(3)))
    Traceback (most recent call last):
        ...
    likewise.testing._host.HostCopyError: host copy of a whole array: numpy.asarray of a torch ...
    """
    __tracebackhide__ = True
    if per not in ("call", "iteration") or not isinstance(scalars, int) or scalars < 0:
        raise ArgumentError(
            "no_host_copies: scalars must be a number of reads and per 'call' or 'iteration', "
            f"got scalars={scalars!r}, per={per!r}"
        )
    with watched(scalars, per) as reads:
        yield reads


@contextlib.contextmanager
def watched(scalars: int, per: str, ours: bool = False) -> Iterator[HostReads]:
    """Do what `no_host_copies` does; with `ours`, declared reads of likewise also count."""
    __tracebackhide__ = True
    reads = HostReads(scalars, per, ours)
    with contextlib.ExitStack() as stack:
        _OPEN.append(reads)
        stack.callback(_OPEN.remove, reads)
        if len(_OPEN) == 1:
            _patch(stack)
        yield reads
        stack.close()
        verdict = reads.verdict()
        if verdict:
            raise HostCopyError(verdict)


_OPEN: list[HostReads] = []
_busy = False


def _patch(stack: contextlib.ExitStack) -> None:
    """Put a watch on every row of the libraries that the program has imported."""
    libraries = loaded()  # to load one makes arrays, which the watch would ask about
    for owner, name in load("numpy").conversions:
        _replace(stack, owner, name, "copy")
    for library in libraries:
        stack.enter_context(library.computing(_computed))
        for owner, name, kind in library.host_reads:
            if hasattr(owner, name):
                _replace(stack, owner, name, kind)


def _replace(stack: contextlib.ExitStack, owner: Any, name: str, kind: str) -> None:
    real = getattr(owner, name)
    inherited = name not in vars(owner)
    label = name if isinstance(owner, type) else f"{owner.__name__}.{name}"

    @functools.wraps(real)
    def watched(*args: Any, **kwargs: Any) -> Any:
        global _busy
        if _busy:
            return real(*args, **kwargs)
        method = isinstance(owner, type)
        given = args[:1] if method else leaves((args, kwargs))
        found = [_seen(kind, label, x, method) for x in given]
        _busy = any(found)  # what this call calls in its turn is part of it
        try:
            return real(*args, **kwargs)
        finally:
            _busy = False

    original = None if inherited else vars(owner)[name]
    setattr(owner, name, watched)
    if inherited:
        stack.callback(delattr, owner, name)
    else:
        stack.callback(setattr, owner, name, original)


def _is_machinery(module: str) -> bool:
    """Tell whether a module acts for somebody else, who is to be named."""
    own = ("likewise._libs.", "likewise.interop", __name__, f"{__package__}._compiled")
    if module.startswith(own):
        return True
    return module.partition(".")[0] in _MACHINERY


def _seen(kind: str, label: str, x: Any, method: bool) -> bool:
    """Note what a call reads of an argument, if that is an array which it takes to the host."""
    library = None if is_neutral(x) else library_of(x)
    if library is None or library.name == "numpy":
        return False
    if method and library.is_lazy(x) and library.name != "dask":
        return False  # it has no values, and says so itself
    package = sys._getframe(3).f_globals.get("__name__", "").partition(".")[0]
    if package == type(x).__module__.partition(".")[0].replace("jaxlib", "jax"):
        return False  # the library's own affair
    single = all(n == 1 for n in x.shape)
    text = f"{label} of a {library.name} array of shape {tuple(x.shape)}"
    _found(kind if kind == "callback" else "scalar" if kind == "scalar" or single else "copy", text)
    return True


def _computed() -> None:
    if not _busy:
        _found("copy", "a computation of lazy arrays")


def _asker() -> Any:
    """Return the frame of whoever asked the libraries for what is going on."""
    frame: Any = sys._getframe(2)
    while frame.f_back is not None and _is_machinery(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return frame


def place() -> str:
    """Return "at" and the line of the code that called the libraries."""
    frame = _asker()
    source = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return f"at {frame.f_code.co_filename}:{frame.f_lineno}" + (f": {source}" if source else "")


def _found(kind: str, text: str) -> None:
    """Count a read, with the line of whoever asked for it."""
    module = _asker().f_globals.get("__name__", "")
    # `likewise check src` asks for a reason at each line of ours that reads.
    declared = kind == "scalar" and module.partition(".")[0] == __name__.partition(".")[0]
    text += f" {place()}"
    for reads in _OPEN:
        scalars = reads.declared if declared and not reads.ours else reads.scalars
        {"scalar": scalars, "copy": reads.copies, "callback": reads.callbacks}[kind].append(text)
        verdict = reads.verdict()
        if verdict:
            raise HostCopyError(verdict)
