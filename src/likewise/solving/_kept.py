"""A cache of recorded derivatives, for solvers outside transforms; a function's trace is the key.

Tracing a function takes some microseconds per instruction, and its derivative ten times as long. So
a repeated solver call traces only the function. If the trace equals an earlier one, the recorded
derivative of that one is replayed, with the arrays that this function closes over. The function
itself is called as often as before: only derivatives are replayed.

If the code of a function determines its trace (`_spelled`), the function isn't traced either.
"""

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from .._namespace import array_namespace, hooks_of, is_neutral
from ..transforms._following._interpreter import is_open, recorder, recording
from ..transforms._following._kinds import exact
from ..transforms._following._proxy import Proxy
from ..transforms._following._space import space_of
from ..transforms._recordings._cache import Cache, in_force
from ..transforms._recordings._recording import Recorder, Unrecorded, record
from ..transforms._tree import flatten
from ._quick import Replayed
from ._spelled import spelled

__all__ = ["Kept", "Said", "inlined", "kept", "replayed"]

# By the hash of a trace, which is long: the trace, its program, and which arrays from outside the
# program takes. Another trace of the same hash takes the place.
_KEPT = Cache(256)
_SPELLED = Cache(256)  # programs of functions whose code determines the trace, by that code
_NEW = object()
_STATE = 3  # parts of a text that are no function's


class Said(NamedTuple):
    """Hold the key of the code on which a function depends, where that is known; see `spelled`."""

    key: Hashable


class _Inlined(threading.local):
    """Tell if this thread records a call that becomes part of a longer program."""

    now = False


_INLINED = _Inlined()


@contextmanager
def inlined() -> Iterator[None]:
    """Trace the same derivatives inside the block that `Kept` would replay."""
    outer, _INLINED.now = _INLINED.now, True
    try:
        yield
    finally:
        _INLINED.now = outer


class _Reader(Recorder):
    """Record a function's trace as a key, without values.

    A second way beside `Recorder.note`, because a solver reads its function in each call, and only
    the key is wanted: no steps are made, no results described, no user's lines looked up.
    """

    text: list[Any]

    def process(self, name: str, operands: Any, settings: dict[str, Any], space: Any) -> Any:
        return self.note(name, space.call[name], operands, settings)

    def new(self, x: Any) -> int:
        slot = self.count
        self.count += 1
        return slot

    def slot(self, x: Any) -> int:
        if x.__class__ is Proxy and x.by is self:
            return int(x.extra)
        if hasattr(x, "dtype") and not is_neutral(x):
            found = self.outside.get(id(x))
            if found is None:
                if hooks_of(x) is not self.library or not self.library.recordable(x):
                    self.drop("an array of another library")
                self.text.append(self.library.sketch(x))
                found = self.outside[id(x)] = self.new(x), x, ""
            return found[0]
        key = exact(x)
        if key is None:
            self.drop("a value that can't be compared")
        if key not in self.constants:
            self.text.append(key)
            self.constants[key] = self.new(x), x
        return self.constants[key][0]

    def note(
        self,
        name: str,
        call: Callable[..., Any],
        operands: Sequence[Any],
        settings: dict[str, Any],
        direct: Any = (),
        whole: bool = False,
    ) -> Any:
        if self.busy or self.thread != threading.get_ident():
            self.drop("a function that is called as one calls back")
        values: list[Any] = []
        line: list[Any] = [name]
        for a in operands:
            if a.__class__ is Proxy:
                if a.by is None:
                    a = a.value
                    line.append(self.slot(a))
                else:
                    line.append(a.extra)
                    a = a.value
            else:
                line.append(self.slot(a))
            values.append(a)
        for key, value in settings.items():
            kind = value.__class__
            how = (kind, value) if kind is int or kind is str else exact(value, trusted=True)
            if how is None:
                self.drop("a setting that can't be compared")
            line += key, how
        self.text.append(tuple(line))
        if whole:
            with self.asleep():
                out = call(*values, **settings)
        else:
            out = call(*values, **settings)
        if hasattr(out, "dtype"):
            self.count += 1
            return Proxy(out, self, self.count - 1, self.space)
        found, structure = flatten(out)
        self.text.append(structure)
        return structure.unflatten([Proxy(x, self, self.new(x), self.space) for x in found])

    def create(
        self, name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return self.note(name, call, args, kwargs)

    def noted(self, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if recorder() is self:
            self.text.append((call, flatten((args, kwargs))[1]))
        return super().noted(call, args, kwargs)


def _read(fun: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, list[Any]] | None:
    """Return a function's trace for arguments, and the arrays that it closes over."""
    library = hooks_of(args[0])
    by = _Reader(library, space_of(*args))
    by.text = [library.sketch(x) for x in args]
    try:
        with recording(by):
            by.count = len(args)
            out = fun(*[Proxy(x, by, k, by.space) for k, x in enumerate(args)])
            leaves, structure = flatten(out)
            by.text += [structure, *map(by.slot, leaves)]
    except Unrecorded:
        return None
    except Exception:  # of the function: whoever calls it next will meet it
        return None
    finally:
        by.open = False
    if by.lost:
        return None
    return (*in_force(library), *by.text), [x for _, x, _ in by.outside.values()]


class Kept:
    """A derivative of a function that replays a recording, for arrays of any kind.

    The trace is looked up at the first call of a kind, for one call of a solver.
    """

    def __init__(
        self,
        derive: Callable[[Callable[..., Any]], Callable[..., Any]],
        fun: Callable[..., Any],
        of: Any = None,
    ) -> None:
        self.derive, self.fun, self.of = derive, fun, of
        self.found: dict[Any, Callable[..., Any] | None] = {}

    def __call__(self, *args: Any) -> Any:
        """Return ``derive(fun)(*args)``, or None if no recording can be replayed."""
        if is_open():
            return self.derive(self.fun)(*args) if _INLINED.now else None
        kind = tuple([(x.__class__, x.dtype, x.shape) for x in args])
        if kind not in self.found:
            self.found[kind] = replayed(self.derive, self.fun, *args, of=self.of)
        run = self.found[kind]
        return None if run is None else run(*args)


def kept(
    derive: Callable[[Callable[..., Any]], Callable[..., Any]],
    fun: Callable[..., Any],
    *args: Any,
    of: Any = None,
) -> Callable[..., Any]:
    """Return ``derive(fun)``, for arrays like `args`, faster if a recording can be replayed.

    The last of `args` is the solver's variable. `derive` is a function of a module, and its result
    depends only on `fun`. `of` is, or holds, everything on which `fun` depends besides its code:
    the user's function and its arguments; or it is a `Said` of these.
    """
    found = replayed(derive, fun, *args, of=of)
    return derive(fun) if found is None else found


def replayed(
    derive: Callable[[Callable[..., Any]], Callable[..., Any]],
    fun: Callable[..., Any],
    *args: Any,
    of: Any = None,
) -> Callable[..., Any] | None:
    """Return the same as `kept` if a recording can be replayed, else None."""
    if is_open() or not all(type(x) is type(args[0]) for x in args):
        return None
    library = hooks_of(args[0])
    if not (library.records and all(map(library.recordable, args))):
        return None
    said = None if of is None else of.key if type(of) is Said else spelled(of)
    key: Any = None
    if said is not None:
        code = getattr(fun, "__func__", fun).__code__
        key = (derive, code, said, *in_force(library), *map(library.sketch, args))
        program = _SPELLED.get(key, _NEW)
        if program is not _NEW:
            return None if program is None else _derived(program, [], derive, fun)
    found = _read(fun, args)
    if found is None:
        return None
    text, outside = found
    made = _looked_up(derive, fun, args, text, outside)
    if key is not None and not outside:
        _SPELLED.set(key, None if made is None else made[0])
    if made is None:
        return None
    program, order = made
    return _derived(program, [outside[i] for i in order], derive, fun)


def _derived(
    program: Replayed,
    held: list[Any],
    derive: Callable[[Callable[..., Any]], Callable[..., Any]],
    fun: Callable[..., Any],
) -> Callable[..., Any]:
    def derived(*given: Any) -> Any:
        try:
            return program.run(*given, *held)
        except Exception:  # a call's own, as of a singular matrix: the function says it
            return derive(fun)(*given)

    return derived


def _looked_up(
    derive: Callable[[Callable[..., Any]], Callable[..., Any]],
    fun: Callable[..., Any],
    args: Sequence[Any],
    text: Any,
    outside: list[Any],
) -> tuple[Replayed, list[int]] | None:
    """Return the program for a trace, and the arrays from outside that it takes."""
    key = (derive, *text)
    try:
        place = hash(key)
    except TypeError:  # something in it has no hash
        return None
    known, made = _KEPT.get(place, ((), None))
    if known != key:
        # It calls the function, which may come here.
        made = _made(derive(fun), fun, args, text, outside)
        _KEPT.set(place, (key, made))
    found: tuple[Replayed, list[int]] | None = made
    return found


def _made(
    plain: Callable[..., Any],
    fun: Callable[..., Any],
    args: Sequence[Any],
    text: Any,
    outside: list[Any],
) -> tuple[Replayed, list[int]] | None:
    """Return a derivative's program, and which arrays from outside it takes, or None.

    None if there is no program, or the function has another trace at another point.
    """
    x = args[-1]
    xp = array_namespace(x)
    beside = xp.asarray(x + xp.ones_like(x) / 128)  # a sum of two numbers is no array on NumPy
    other = _read(fun, (*args[:-1], beside))
    rest = _STATE + len(args)  # the other point may be laid out otherwise
    if other is None or other[0][rest:] != text[rest:]:
        return None
    found, _, why = record(hooks_of(x), plain, list(args))
    if found is None or why:
        return None
    places = {id(a): i for i, a in enumerate(outside)}
    # An array of the derivative's own lives as long as that, which nobody promises.
    order = [places.get(id(ref()), -1) for ref, _ in found.outside]
    return None if -1 in order else (Replayed(found.program), order)
