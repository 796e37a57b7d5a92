"""`jit` on eager libraries: functions are recorded for each kind of arguments and replayed."""

from collections.abc import Callable
from typing import Any

from ... import _native
from ..._default import IN_USE
from ..._library import Library
from ..._namespace import is_neutral
from ...errors import ArgumentError
from .._following._kinds import exact
from .._tree import Structure, flatten
from ._cache import Cache, in_force
from ._recording import Changed, Elsewhere, Recording, record

__all__ = ["AS_IT_IS", "Recorded"]

AS_IT_IS = "runs as it is: "  # so begins what `compile_log` tells where there is no recording

_KINDS = 256  # that are kept of one function
_TRIES = 4  # recordings of one kind whose arrays from outside were gone at the next call
_MISSES = 64  # calls of one kind whose loops led elsewhere than when they were recorded
_ANEW = 8  # such calls as one counts that is recorded anew
_MANY = 32  # recordings after which it is asked whether they are replayed


class _Kind:
    """Hold the recording of one kind of calls, or why there is none."""

    def __init__(self) -> None:
        self.recording: Recording | None = None
        self.why = ""  # there is none, and will be none
        self.tries = 0
        self.misses = 0
        self.used = False


class Recorded:
    """Record and replay a function.

    Parameters
    ----------
    library : Library
        The library of the first array; calls with arrays of other libraries aren't recorded.
    fun : callable
        The user's function.
    static : tuple
        Positions and names of arguments that are settings.
    tell : callable
        Called for each recording, as for compilations of the libraries.
    refuse : callable
        Called with the reason if there is no recording.
    """

    def __init__(
        self,
        library: Library,
        fun: Callable[..., Any],
        static: tuple[tuple[int, ...], tuple[str, ...]],
        tell: Callable[..., None],
        refuse: Callable[[str, str], None],
    ) -> None:
        self.library, self.fun, self.tell, self.refuse = library, fun, tell, refuse
        self.numbers, self.names = static
        self.kinds = Cache(_KINDS)
        # By the arrays' sketches alone, with the states for which it was looked up: for `jit`.
        self.quick: dict[Any, tuple[_Kind, Any, Any, Any]] = {}
        self.sketch, self.state = library.sketch, library.state

    def slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Handle a call of any kind."""
        static, leaves, structure = self.taken(args, kwargs)
        key = self.key(static, leaves, structure)
        kind = None if key is None else self.kind(key)
        if kind is None:
            return self.fun(*args, **kwargs)
        alone = not (kwargs or static or _native.LIVE) and all(hasattr(x, "dtype") for x in args)
        if alone and (kind.why or (kind.recording and not kind.recording.outside)):
            program = None if kind.recording is None else kind.recording.program
            like = self.sketch(args[0]) if len(args) == 1 else tuple(map(self.sketch, args))
            self.quick[like] = kind, self.state(), IN_USE.get(), program
        if kind.why:
            return self.fun(*args, **kwargs)
        if kind.recording is None:
            return self.recorded(kind, static, leaves, structure, args, kwargs)
        return self.replayed(kind, [x for x in leaves if hasattr(x, "dtype")], args, kwargs)

    def replayed(self, kind: _Kind, arrays: Any, args: Any, kwargs: Any) -> Any:
        """Handle a call of a recorded kind."""
        found = kind.recording
        assert found is not None
        outside = found.found()
        if outside is None:
            kind.tries += 1
            if kind.tries < _TRIES:
                return self.recorded(kind, *self.taken(args, kwargs), args, kwargs)
            self.end(kind, "arrays from outside that it reads are new in each call")
            return self.fun(*args, **kwargs)
        kind.used, kind.tries = True, 0
        try:
            return found.program.run(*arrays, *outside)
        except Exception as error:
            return self.failed(kind, error, args, kwargs)

    def failed(self, kind: _Kind, error: Exception, args: Any, kwargs: Any) -> Any:
        """Handle a replay that raised: call the function, which raises or catches the error."""
        if isinstance(error, Changed):
            self.end(kind, str(error))
        if isinstance(error, Elsewhere):
            kind.misses += _ANEW if error.anew else 1
            if kind.misses >= _MISSES:
                self.end(kind, str(error))
            elif error.anew:
                self.quick.clear()
                return self.recorded(kind, *self.taken(args, kwargs), args, kwargs)
        return self.fun(*args, **kwargs)

    def recorded(
        self,
        kind: _Kind,
        static: dict[Any, Any],
        leaves: list[Any],
        structure: Structure,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Handle the first call of a kind."""
        places = [i for i, x in enumerate(leaves) if hasattr(x, "dtype")]

        def of_arrays(*arrays: Any) -> Any:
            full = list(leaves)
            for i, x in zip(places, arrays, strict=True):
                full[i] = x
            moving, named = structure.unflatten(full)
            return self.fun(*_with(moving, static), **named, **_named(static))

        found, out, why = record(self.library, of_arrays, [leaves[i] for i in places])
        if found is None:
            out = self.fun(*args, **kwargs)  # an error here is the function's own, whatever came
        if why:
            self.end(kind, why)
            return out
        kind.recording = found
        told = {_said(place): f"{value!r}" for place, value in static.items()}
        self.tell(self.library.name, told, args, kwargs, by_value=True)
        return out

    def end(self, kind: _Kind, why: str) -> None:
        kind.recording, kind.why = None, why
        self.quick.clear()
        self.refuse(self.library.name, f"{AS_IT_IS}{why}")

    def explained(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _native.Explanation:
        """Return the program of a kind of calls, or why there is none."""
        key = self.key(*self.taken(args, kwargs))
        why = "an argument is of a class that isn't known" if key is None else "not recorded yet"
        kind = self.kinds.get(key)
        if kind is None or not (kind.why or kind.recording):
            self.slow(args, kwargs)
            kind = self.kinds.get(key)
        name = getattr(self.fun, "__name__", "function")
        if kind is None or kind.recording is None:
            why = kind.why if kind is not None and kind.why else why
            reasons = {"a recording": why}
            return _native.Explanation(name, self.library.name, "the function itself", reasons)
        text = str(kind.recording.program)
        return _native.Explanation(name, self.library.name, "a recording", program=text)

    # -- kinds -------------------------------------------------------------------------------------

    def taken(self, args: Any, kwargs: Any) -> tuple[dict[Any, Any], list[Any], Structure]:
        """Return settings by position and name, and the other arguments' leaves and structure."""
        if not (self.numbers or self.names):
            return {}, *flatten((args, kwargs))
        n = len(args)
        places = sorted({i % n for i in self.numbers if -n <= i < n})
        static: dict[Any, Any] = {i: args[i] for i in places}
        static |= {name: kwargs[name] for name in self.names if name in kwargs}
        moving = tuple(a for i, a in enumerate(args) if i not in static)
        named = {k: v for k, v in kwargs.items() if k not in static}
        return static, *flatten((moving, named))

    def key(self, static: dict[Any, Any], leaves: list[Any], structure: Structure) -> Any:
        """Return a key that is equal for calls of one kind; None for a call that isn't recorded."""
        parts: list[Any] = [structure, *in_force(self.library)]
        for x in leaves:
            if not hasattr(x, "dtype"):
                part = exact(x)
            elif is_neutral(x):
                part = type(x), x.dtype
            else:
                part = self.library.sketch(x) if self.library.recordable(x) else None
            if part is None:
                return None
            parts.append(part)
        for place, value in static.items():
            part = exact(value, trusted=True)
            if part is None:
                raise ArgumentError(f"jit: static arguments must be hashable, got {value!r:.60}")
            parts += place, part
        key = tuple(parts)
        try:
            hash(key)
        except TypeError:  # what a registered class says of itself
            return None
        return key

    def kind(self, key: Any) -> _Kind | None:
        """Return the kind of a key; None if it is new and recordings have not helped so far."""
        kind: _Kind | None = self.kinds.get(key)
        if kind is not None:
            return kind
        wasted = len(self.kinds) > _MANY and not any(k.used for k in self.kinds.values())
        kind = self.kinds.first(key, _Kind(), self.spared)
        return None if wasted else kind

    def spared(self, kind: _Kind) -> bool:
        """Tell if the oldest kind stays: the quick way has used it, which doesn't say when."""
        self.quick.clear()
        used, kind.used = kind.used, False
        return used


def _with(moving: tuple[Any, ...], static: dict[Any, Any]) -> list[Any]:
    """Return arguments with the settings in their places."""
    full = list(moving)
    for place, value in static.items():
        if isinstance(place, int):
            full.insert(place, value)
    return full


def _named(static: dict[Any, Any]) -> dict[str, Any]:
    return {k: v for k, v in static.items() if isinstance(k, str)}


def _said(place: Any) -> str:
    return f"args[{place}]" if isinstance(place, int) else f"kwargs[{place!r}]"
