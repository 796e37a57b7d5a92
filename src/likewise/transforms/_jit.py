"""Compilation by the library or by recordings, and a log of compilations."""

import contextlib
import functools
import inspect
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _native
from .._default import IN_USE
from .._namespace import is_neutral, library_of
from .._native import Explanation
from ..errors import ArgumentError
from ._following._interpreter import OPEN, is_open
from ._recordings._replay import AS_IT_IS, Recorded
from ._through import through
from ._tree import flatten, paths

__all__ = ["Compilation", "compile_log", "jit", "tell_unrecorded"]


@dataclass(frozen=True)
class Compilation:
    """Describe one compilation of a function.

    Attributes
    ----------
    function : str
        The function's name.
    library : str
        The library that compiled it.
    number : int
        The number of the compilation, 1 for the first of the function.
    reason : str
        The difference from the most similar call that was compiled before.
    """

    function: str
    library: str
    number: int
    reason: str

    def __str__(self) -> str:
        return f"{self.function}, compilation {self.number} by {self.library}: {self.reason}"


_LOGS: list[list[Compilation]] = []
_lock = threading.Lock()


@contextlib.contextmanager
def compile_log() -> Iterator[list[Compilation]]:
    """Log compilations and recordings of `jit` functions inside the block, with their reasons.

    Yields
    ------
    list of Compilation
        One for each compilation so far, in all threads. The reason says which argument changed
        shape, dtype, weak type or static value since the most similar compilation of the function
        by the library. For libraries without a compiler it also says which Python number changed,
        or why a function can't be recorded and runs unrecorded, with the line; functions of solvers
        of many problems among them, with the number 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import compile_log, jit
    >>> with compile_log() as log:
    ...     y = jit(lambda x: x + 1)(np.ones(2))
    >>> log[0].reason
    'the first'
    """
    log: list[Compilation] = []
    with _lock:
        _LOGS.append(log)
    try:
        yield log
    finally:
        with _lock:
            _LOGS[:] = [other for other in _LOGS if other is not log]


def _described(x: Any, by_value: bool) -> str:
    """Return the properties of one leaf for which a function is compiled."""
    if is_neutral(x) or not hasattr(x, "shape"):
        kind = type(x).__name__
        return f"the Python {kind} {x!r:.40}" if by_value else f"a Python {kind}"
    weak = ", weak" if getattr(x, "weak_type", False) else ""
    return f"{x.dtype}{tuple(x.shape)}{weak}"


class _History:
    """Hold the calls for which a function was compiled."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seen: deque[tuple[str, dict[str, str]]] = deque(maxlen=64)
        self.count = 0

    def add(
        self, library: str, static: dict[str, str], args: Any, kwargs: Any, by_value: bool = False
    ) -> None:
        """Log a compilation; with `by_value`, each Python number has its own."""
        found, structure = flatten((args, kwargs))
        names = paths(structure.children[0], "args") + paths(structure.children[1], "kwargs")
        now = {n: _described(x, by_value) for n, x in zip(names, found, strict=True)} | static
        with _lock:  # several threads may call the function
            seen = [old for name, old in self.seen if name == library]
            self.seen.append((library, now))
            self.count += 1
            count = self.count
        reason = "the first"
        if seen:
            before = min(reversed(seen), key=lambda old: len(_differences(old, now)))
            differences = _differences(before, now)
            reason = "; ".join(differences) or "nothing that the arguments show: what the function "
            if not differences:
                reason += "closes over, or the library's settings, may have changed"
        _tell(Compilation(self.name, library, count, reason))

    def refuse(self, library: str, reason: str) -> None:
        """Log that there is no compilation, and why."""
        _tell(Compilation(self.name, library, self.count, reason))


def _tell(made: Compilation) -> None:
    with _lock:
        for log in _LOGS:
            log.append(made)


def tell_unrecorded(function: str, library: str, why: str) -> None:
    """Log that a solver calls a function as it is, and why."""
    _tell(Compilation(function, library, 0, f"{AS_IT_IS}{why}"))


def _differences(old: dict[str, str], new: dict[str, str]) -> list[str]:
    out = []
    for name in dict.fromkeys([*old, *new]):
        a, b = old.get(name, "not there"), new.get(name, "not there")
        if a != b:
            out.append(f"{name} was {a} and is {b}")
    return out


def jit(
    fun: Callable[..., Any],
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    *,
    compiler: str | None = None,
    writable: bool = False,
) -> Callable[..., Any]:
    """Compile a function with the library of its arguments.

    Parameters
    ----------
    fun : callable
        A function of arrays in any nested structure.
    static_argnums : int or sequence of int, optional
        Positional arguments that are settings: they must be hashable, and each value is compiled.
    static_argnames : str or sequence of str, optional
        The same for arguments by name.
    compiler : {'jax'}, optional
        Use JAX to compile a function of NumPy arrays, or torch tensors on the CPU. `fun` then gets
        JAX arrays with 64-bit types, whatever JAX's settings are.
    writable : bool, optional
        With `compiler`, whether NumPy results are writable, which costs a copy. Default: read-only.

    Returns
    -------
    callable
        A function of the same arguments; its results belong to their library.

    Raises
    ------
    ArgumentError
        If there is no such argument, or no such compiler.
    LibraryNotInstalled
        If the compiler isn't installed.
    ArrayTypeError
        With `compiler`, if it doesn't support the arrays' library or device.
    DtypeError
        With `compiler`, if it doesn't support a dtype.
    TransformError
        With `compiler`, if it can't trace the function; the message names the line.

    See Also
    --------
    compile_log : Logs compilations and their reasons.

    Notes
    -----
    Calls ``jax.jit`` on JAX and ``torch.compile(fullgraph=True)`` on torch. NumPy, CuPy and
    array-api-strict have no compiler: there the function is traced once for each kind of arguments
    (structure, shapes, dtypes, layouts, values that aren't arrays), and the recorded library calls
    are replayed, with results equal to the last bit. As with a compiler, side effects (prints,
    counts, random numbers without a key) happen in the trace and not in a replay. A function that
    reads values, or can't be traced, runs unrecorded, and `compile_log` says why.
    `likewise.explain(compiled, *args)` prints the program. On Dask, and inside the interpreter's
    and torch's transforms, the function runs uncompiled.

    An array from outside is read in each call. Writing to an argument in a recorded function
    changes nothing outside. A result shares no memory with arguments (unless it is one), with
    arrays from outside, or with results of other calls. Between replays on NumPy, memory of large
    arrays within them is kept: at most 64 MiB for all functions.

    With `compiler`, arrays aligned to 64 bytes are passed without a copy. Others are copied, large
    ones into a memory buffer that is kept (at most twice 64 MiB). The call waits for the result. An
    array that `fun` closes over is a constant of the compiled function: pass arrays that change, or
    aren't NumPy's, as arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import jit
    >>> jit(lambda x: x + 1)(np.ones(2))
    array([2., 2.])
    """
    numbers = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    numbers, names = _both(fun, numbers, names)
    history = _History(getattr(fun, "__name__", "function"))
    if compiler is not None:
        return through(fun, compiler, numbers, names, history.add, writable)
    if writable:
        raise ArgumentError("jit: argument 'writable' goes with a compiler, got compiler=None")
    made = _Compiled(fun, (numbers, names), history)
    by_class, recorded, slow = made.by_class, made.recorded, made.slow
    default = IN_USE.get

    @functools.wraps(fun)
    def call(*args: Any, **kwargs: Any) -> Any:
        # The quick way: an array comes first, of a class that is known. Recorded, arrays alone of a
        # kind that was seen; without a frame, for this is what a small program's call costs.
        if args and not OPEN.count:
            cls = args[0].__class__
            if cls in recorded and not kwargs and not _native.LIVE:
                quick, sketch, state, its = recorded[cls]
                try:
                    like = sketch(args[0]) if len(args) == 1 else tuple(map(sketch, args))
                    kind, was, chosen, program = quick[like]
                except (KeyError, AttributeError):
                    return slow(args, kwargs)
                if was == state() and chosen is default():
                    if program is None:
                        return fun(*args)
                    kind.used = True
                    try:
                        return program.run(*args)
                    except Exception as error:
                        return its.failed(kind, error, args, kwargs)
            elif cls in by_class:
                return by_class[cls](*args, **kwargs)
        return slow(args, kwargs)

    call.explained = made.explained  # type: ignore[attr-defined]
    return call


class _Compiled:
    """Compile or record a function for each library, when its first array appears."""

    def __init__(self, fun: Callable[..., Any], static: Any, history: _History) -> None:
        self.fun, self.static, self.history = fun, static, history
        self.compiled: dict[str, Any] = {}
        self.by_class: dict[type, Callable[..., Any]] = {}
        self.recorded: dict[type, tuple[Any, Any, Any, Recorded]] = {}

    def of(self, library: Any) -> Any:
        """Return the function as a library compiles it."""
        if library.name not in self.compiled:
            told = self.history.add
            self.compiled[library.name] = (
                Recorded(library, self.fun, self.static, told, self.history.refuse)
                if library.records
                else library.jitted(self.fun, *self.static, told, flatten)
            )
        return self.compiled[library.name]

    def moving(self, args: tuple[Any, ...]) -> Sequence[Any]:
        """Return the positional arguments that aren't settings, which hold the arrays."""
        static = self.static[0]
        if not static:
            return args
        n = len(args)
        return [a for i, a in enumerate(args) if i not in static and i - n not in static]

    def slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function with any arguments; store which the fast path can take."""
        library = None if is_open() else _first((self.moving(args), kwargs))
        if library is None:
            return self.fun(*args, **kwargs)
        made = self.of(library)
        own = bool(args) and type(args[0]) in library.own_types()
        if not library.records:
            if own:
                self.by_class[type(args[0])] = made
            return made(*args, **kwargs)
        if own:
            self.recorded[type(args[0])] = made.quick, made.sketch, made.state, made
        return made.slow(args, kwargs)

    def explained(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Explanation:
        """Return what would run for these arguments."""
        library = _first((self.moving(args), kwargs))
        if library is not None and library.records:
            found: Explanation = self.of(library).explained(args, kwargs)
            return found
        name = None if library is None else library.name
        runs = "the library's compiler" if library is not None and library.compiles else "itself"
        return Explanation(getattr(self.fun, "__name__", "function"), name, runs)


def _first(tree: Any) -> Any:
    """Return the library of the first array, without flattening everything."""
    if isinstance(tree, dict):
        tree = tuple(tree.values())
    if tree.__class__ is tuple or tree.__class__ is list:
        for x in tree:
            found = _first(x)
            if found is not None:
                return found
        return None
    if is_neutral(tree):
        return None
    found = library_of(tree)
    if found is None:
        inner, structure = flatten(tree)
        found = None if structure.kind is None else _first(inner)
    return found


def _both(
    fun: Callable[..., Any], numbers: tuple[int, ...], names: tuple[str, ...]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return static arguments by position and by name."""
    try:
        parameters = list(inspect.signature(fun).parameters.values())
    except ValueError:  # a builtin without a signature
        return numbers, names
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    keywords = any(p.kind is p.VAR_KEYWORD for p in parameters)
    all_numbers, all_names = list(numbers), list(names)
    for i in numbers:
        if not -len(positional) <= i < len(positional) and not variadic:
            raise ArgumentError(
                f"jit: static_argnums {numbers} for a function of {len(positional)} positional "
                "arguments"
            )
        if -len(positional) <= i < len(positional):
            p = positional[i]
            if p.kind is p.POSITIONAL_OR_KEYWORD:
                all_names.append(p.name)
    for name in names:
        place = next((i for i, p in enumerate(positional) if p.name == name), None)
        if place is not None:
            all_numbers.append(place)
        elif not keywords and all(p.name != name for p in parameters):
            raise ArgumentError(f"jit: static_argnames: the function has no argument {name!r}")
    return tuple(dict.fromkeys(all_numbers)), tuple(dict.fromkeys(all_names))
