"""The interpreter that traces a function once and records its calls.

It runs each call immediately, on the arrays below it. It sees the library's own functions, and the
public functions of likewise as one call each, so their checks and rows run in each replay as in an
unrecorded call. Reading a value ends the recording, because later calls may depend on the value.
"""

import functools
import operator
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NamedTuple

from ..._library import Library
from ..._namespace import hooks_of, is_neutral
from ..._native import as_now, switched
from .._following._counters import Counter, bared, number, parted
from .._following._escapes import raise_ended, users_line
from .._following._instructions import GROWING, PICKED, QUIET, SEVERAL
from .._following._interpreter import Interpreter, recorder, recording
from .._following._kinds import exact
from .._following._proxy import OWN, Proxy, lift, run
from .._following._space import Space, space_of
from .._tree import Structure, flatten
from ._cleanup import living, once, owned
from ._program import Made, Program, Result, Step

__all__ = [
    "Changed",
    "Elsewhere",
    "Recording",
    "Steady",
    "Unrecorded",
    "Whole",
    "record",
    "sketch_of",
]

_SMALL = 1024  # bytes of an array that is made once and kept


class Unrecorded(BaseException):
    """Raised if a function can't be recorded; the function must not catch it."""


class Recording(NamedTuple):
    """Hold a program, with descriptions of and weak references to its arrays from outside."""

    program: Program
    outside: tuple[tuple[Callable[[], Any], Any], ...]

    def found(self) -> list[Any] | None:
        """Return the arrays from outside, None if one was deleted or has changed its shape."""
        arrays = [ref() for ref, _ in self.outside]
        sketch = self.program.library.sketch
        for x, (_, was) in zip(arrays, self.outside, strict=True):
            if x is None or sketch(x) != was:
                return None
        return arrays


class Changed(Exception):
    """Raised if a call returned another shape, dtype or layout than in the recording."""


class Elsewhere(Exception):
    """Raised if a loop takes another path in this call than in the traced one.

    With `anew`, the path was not traced: tracing this call serves it and similar ones.
    """

    def __init__(self, text: str, anew: bool = False) -> None:
        super().__init__(text)
        self.anew = anew


# What nobody misses where it is made once, of constants.
_STILL = QUIET - SEVERAL
_UNARY: dict[str, Callable[..., Any]] = {"neg": operator.neg, "pos": operator.pos, "abs": abs}


def _picks(values: Sequence[Any]) -> bool:
    return any(hasattr(x, "dtype") for x in values[1:])


class Steady:
    """A call whose results must have the recorded form, on which later calls depend."""

    def __init__(
        self, name: str, call: Callable[..., Any], library: Library, sketches: list[Any]
    ) -> None:
        self.name, self.call, self.library, self.sketches = name, call, library, sketches
        self.__wrapped__ = call
        self.spared = getattr(call, "spared", False)

    def __call__(self, *values: Any, **settings: Any) -> Any:
        out, library = self.call(*values, **settings), self.library
        found = [out] if hasattr(out, "dtype") else flatten(out)[0]
        now = [_described(library, x) for x in found]
        if now == self.sketches:
            return out
        if self.name != "while_loop":
            raise Changed(f"{self.name} gives shapes that depend on values")
        # After no step at all these are what went in; nobody may write to that.
        for x, this, that in zip(found, now, self.sketches, strict=True):
            if this != that and (x.shape != () or x.dtype != that[1]):
                raise Elsewhere(f"{self.name} gives arrays whose layout depends on values")
        return tuple([library.copied(x) if x.shape == () else x for x in found])


def sketch_of(library: Library, x: Any) -> Any:
    """Return class, dtype, shape and layout of an array; for a library's scalar the first two."""
    return (type(x), x.dtype) if is_neutral(x) else library.sketch(x)


def _described(library: Library, x: Any) -> Any:
    return sketch_of(library, x) if hasattr(x, "dtype") else exact(x)


@dataclass(frozen=True)
class Whole:
    """A function of nested arguments as a function of their leaves, comparable by both."""

    function: Callable[..., Any]
    structure: Structure

    def __call__(self, *values: Any) -> Any:
        args, kwargs = self.structure.unflatten(values)
        return self.function(*args, **kwargs)


class Recorder(Interpreter):
    """Record calls; ``extra`` of its proxies is their slot."""

    name = "jit"
    records = True

    def __init__(
        self, library: Library, space: Space, bottom: bool = True, lanes: int | None = None
    ) -> None:
        super().__init__()
        self.bottom = bottom  # whether it stands on the library's own arrays, and not on proxies
        self.lanes = lanes  # how many, if a recording for any number is wanted
        self.library, self.space = library, space
        self.thread = threading.get_ident()
        self.errors = library.errors()
        self.switch = switched()
        self.lost = ""  # why there will be no recording
        self.busy = False  # within a call, which nobody looks into
        self.steps: list[Step] = []
        self.made: dict[int, Made] = {}
        self.inputs: list[int] = []
        self.outside: dict[int, tuple[int, Any, str]] = {}  # by id: slot, array, user's line
        self.constants: dict[Any, tuple[int, Any]] = {}
        self.fixed: set[int] = set()  # slots of constants
        self.ones: set[int] = set()
        self.count = 0
        self.place = ""  # where the instruction stands whose derivative is taken

    # -- slots -------------------------------------------------------------------------------------

    def new(self, x: Any) -> int:
        """Return a slot for an array."""
        slot = self.count
        self.count += 1
        if self.bottom:
            size = -1 if is_neutral(x) else getattr(x, "nbytes", 0)
            self.made[slot] = Made(sketch_of(self.library, x), size)
        return slot

    def unused(self) -> int:
        """Return a slot for an object that is no array, and is equal in each replay."""
        self.count += 1
        return self.count - 1

    def leaf(self, x: Any) -> Any:
        """Return the proxy of an array argument, or of a loop's counter."""
        if type(x) is int:
            self.inputs.append(self.count)
            self.count += 1
            return Counter(self, x, self.inputs[-1])
        self.inputs.append(self.new(x))
        return Proxy(x, self, self.inputs[-1], self.space)

    def entered(self, x: Any) -> Proxy:
        """Return the proxy of an array from outside."""
        return Proxy(x, self, self.slot(x), self.space)

    def slot(self, x: Any) -> int:
        """Return the slot of an operand."""
        if x.__class__ is Proxy and x.by is self:
            return int(x.extra)
        if type(x) is Counter:
            return x.slot if x.by is self else int(self.drop("a counter of another loop"))
        if hasattr(x, "dtype") and not is_neutral(x):
            own = x.space is self.space if x.__class__ is Proxy else hooks_of(x) is self.library
            if not own:
                self.drop(f"it met an array of another library{users_line()}")
            if id(x) not in self.outside:
                self.outside[id(x)] = self.new(x), x, users_line()
            return self.outside[id(x)][0]
        return self.constant(x)

    def constant(self, x: Any) -> int:
        key = exact(x)
        key = ("object", id(x)) if key is None else key
        if key not in self.constants:
            self.constants[key] = self.count, x
            self.fixed.add(self.count)
            self.count += 1
        return self.constants[key][0]

    # -- calls -------------------------------------------------------------------------------------

    def process(self, name: str, operands: Any, settings: dict[str, Any], space: Space) -> Any:
        direct = space.direct.get(name, (None, ()))
        return self.note(name, space.call[name], operands, settings, direct)

    def note(
        self,
        name: str,
        call: Callable[..., Any],
        operands: Sequence[Any],
        settings: dict[str, Any],
        direct: Any = (None, ()),
        whole: bool = False,
    ) -> Any:
        """Call a function on the arrays below, and record the call."""
        if self.busy or self.thread != threading.get_ident():
            self.drop(f"{name}: a function that is called as one calls back{users_line()}")
        operands = [a.value if a.__class__ is Proxy and a.by is None else a for a in operands]
        noted, kept = parted(name, operands, settings)
        slots = tuple([self.slot(a) for a in noted])
        values = [a.value if a.__class__ is Proxy and a.by is self else a for a in operands]
        if kept is not settings or any(type(a) is Counter for a in values):
            values, settings = [number(a) for a in values], bared(name, settings)
        errors = self.library.errors()
        with self.asleep():
            try:
                if not (self.bottom or whole) and any(a.__class__ is Proxy for a in values):
                    values = [lift(self.space, a) for a in values]
                if self.bottom or whole or call is not self.space.call.get(name):
                    out = call(*values, **settings)
                else:
                    out = run(self.space, name, values, settings)
            except Exception as error:
                self.lost = f"{name} raised {type(error).__name__}{users_line(error)}"
                raise
        found, structure = [out], None
        shape = "one"
        if not hasattr(out, "dtype"):
            found, structure = flatten(out)
            flat = isinstance(out, tuple | list) and all(hasattr(x, "dtype") for x in out)
            shape = "tuple" if flat else "structure"
        if not all(hasattr(x, "dtype") or (whole and exact(x) is not None) for x in found):
            self.drop(f"{name} returned what is no array{users_line()}")
        results = tuple([self.new(x) if hasattr(x, "dtype") else self.unused() for x in found])
        grows = name in GROWING or (name in PICKED and _picks(values))
        if self.bottom and (whole or grows):
            sketches = [_described(self.library, x) for x in found]
            call = Steady(name, call, self.library, sketches)
        required = [k for k in direct[1] if k in kept]
        self.steps.append(
            Step(
                name,
                call,
                slots,
                kept,
                results,
                shape,
                whole,
                None if errors == self.errors else errors,
                self.place or users_line(),
                direct[0],
                tuple(required),
            )
        )
        if name in _STILL and not whole and self.fixed.issuperset(slots):
            self.once(results[0], out)
        proxies = [
            Proxy(x, self, s, self.space) if hasattr(x, "dtype") else x
            for x, s in zip(found, results, strict=True)
        ]
        return proxies[0] if structure is None else structure.unflatten(proxies)

    def create(
        self, name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Record a call that creates an array; a small array is created once."""
        operands = args[1:] if name.endswith("_like") else args  # nothing but its layout counts
        arrays = any(hasattr(a, "dtype") or type(a) is Counter for a in operands)
        out = self.note(name, call, args, kwargs, whole=True)
        slot = out.extra
        one = args[-1] if name in ("asarray", "full") and args else None
        if name in ("ones", "ones_like") or (type(one) in (int, float) and one == 1):
            self.ones.add(slot)
        if not arrays:
            self.once(slot, out.value)
        return out

    def once(self, slot: int, x: Any) -> None:
        """Turn the last call's result into a constant, if it is small and made from constants."""
        if self.lanes is not None and self.lanes in x.shape:
            return
        if self.bottom and 0 <= self.made[slot].size <= _SMALL:
            self.steps.pop()
            self.constants["made", slot] = slot, x
            self.fixed.add(slot)

    def noted(self, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Record a call of a public function; NotImplemented if it isn't traced here."""
        if recorder() is not self:
            return NotImplemented
        leaves, structure = flatten((args, kwargs))
        for x in leaves:
            if x.__class__ is Proxy and x.by not in (None, self):
                return NotImplemented
        flat = not kwargs and len(leaves) == len(args)
        flat = flat and all(x is a for x, a in zip(leaves, args, strict=True))
        called = as_now(call if flat else Whole(call, structure), self.switch)
        return self.note(call.__name__, called, leaves, {}, whole=True)

    def routed(self, row: Any, args: Any) -> Any:
        """Record a call of an apply step's routine; NotImplemented if it doesn't apply here."""
        return NotImplemented

    def array(self, x: Any) -> Any:
        if x.__class__ is Proxy and x.by is self and is_neutral(x.value):
            return self.note("asarray", self.space.raw.asarray, (x,), {}, whole=True)
        return x

    def operate(self, name: str, own: Callable[..., Any], operands: tuple[Any, ...]) -> Any:
        """Record an operator of the user's code by the library's own."""
        return self.note("operator.pow" if name == "pow" else name, own, operands, {})

    def operated(self, name: str, x: Any, y: Any) -> Any:
        """Record an operator of a counter and an array from outside."""
        if not self.open:
            return OWN[name](number(x), number(y))
        return self.operate(name, OWN[name], (x, y))

    def counted(self, name: str, *operands: Any) -> Any:
        """Record arithmetic of counters with counters or Python's numbers."""
        own: Callable[..., Any] = OWN[name] if len(operands) == 2 else _UNARY[name]
        if not self.open:
            return own(*map(number, operands))
        slots = tuple([self.slot(a) for a in operands])
        out = Counter(self, own(*map(number, operands)), self.count)
        self.count += 1
        results = (out.slot,)
        self.steps.append(Step(name, own, slots, {}, results, "one", False, None, users_line()))
        return out

    @contextmanager
    def asleep(self) -> Iterator[None]:
        """Run code inside the block without recording."""
        self.busy = True
        try:
            with recording(None):
                yield
        finally:
            self.busy = False

    # -- ends --------------------------------------------------------------------------------------

    def drop(self, why: str) -> Any:
        """Give up the recording, even if the user's function catches the exception.

        After this recorder has finished, the recorder that got its array gives up instead.
        """
        by: Any = self if self.open else recorder()
        if by is None:
            raise_ended(why, self.name)
        by.lost = by.lost or why
        raise Unrecorded

    def escaped(self, what: str) -> Any:
        return self.drop(f"{what} looks at a value{users_line()}" if self.open else what)

    def truth(self, x: Any) -> bool:
        found: bool = self.escaped("bool()")
        return found

    def looked(self, what: str) -> None:
        self.lost = self.lost or f"{what} looks at a value{users_line()}"

    def finished(self, out: Any) -> tuple[Recording, Any]:
        """Return the program, and the function's result in this call."""
        leaves, structure = flatten(out)
        for x in leaves:
            # A function may hold what was followed, and is called after the end.
            if not hasattr(x, "dtype") and (isinstance(x, FunctionType) or exact(x) is None):
                self.drop(f"it returned a {type(x).__name__}, which can't be looked into")
        first = [self.slot(x) for x in leaves]
        steps, ends = self.cleaned(self.steps, first)
        read = {*ends, *(s for step in steps for s in step.operands)}
        self.outside = {i: found for i, found in self.outside.items() if found[0] in read}
        held = {slot: x for slot, x, _ in self.outside.values()}
        given = [*self.inputs, *held]
        shared = [*given, *dict(self.constants.values())]
        if self.lanes is None:
            results = owned(self.steps, steps, first, ends, self.inputs, shared, self.made)
        else:  # for a solver, which writes to nothing that it gets
            results = [Result(slot, False) for slot in ends]
        program = self.numbered(given, steps, results, structure)
        own = self.library.copied
        values = [x.value if x.__class__ is Proxy else x for x in leaves]
        values = [own(v) if r.copied else v for v, r in zip(values, results, strict=True)]
        outside = tuple((weakref.ref(x), self.library.sketch(x)) for x in held.values())
        return Recording(program, outside), structure.unflatten(values)

    def cleaned(self, steps: Sequence[Step], ends: Sequence[int]) -> tuple[list[Step], list[int]]:
        """Return the steps that are left of these, and the slots that hold the results."""
        left, same = once(steps, self.made, self.ones)
        ends = [same.get(s, s) for s in ends]
        return living(left, ends, self.made, self.library.raises, self.errors), ends

    def numbered(
        self,
        given: Sequence[int],
        steps: Sequence[Step],
        results: Sequence[Result],
        structure: Structure,
    ) -> Program:
        """Return a program of these steps, in which slots have its numbers."""
        fixed = dict(self.constants.values())
        number = {s: k for k, s in enumerate([*given, *fixed])}
        for step in steps:
            for s in step.results:
                number[s] = len(number)
        return Program(
            self.library,
            len(given),
            list(fixed.values()),
            [
                s._replace(
                    operands=tuple(number[k] for k in s.operands),
                    results=tuple(number[k] for k in s.results),
                )
                for s in steps
            ],
            [r._replace(slot=number[r.slot]) for r in results],
            structure,
            {number[s]: m for s, m in self.made.items() if s in number},
            self.errors,
        )


def _itself(x: Any) -> Any:
    return x


def record(
    library: Library, fun: Callable[..., Any], leaves: Sequence[Any], lanes: int | None = None
) -> tuple[Recording | None, Any, str]:
    """Trace ``fun(*leaves)`` once; return the recording and the result, or why there is none.

    With a reason in place of a recording there is no result: call the function. With `lanes`, how
    many these arrays have, the recording is to be compared with another one, see `_sized`.
    """
    by = Recorder(library, space_of(*leaves), lanes=lanes)
    by.place = "" if lanes is None else " "  # which takes long to find
    try:
        with recording(by):
            out = fun(*[by.leaf(x) for x in leaves])
            if not by.lost:
                found, out = by.finished(out)
    except Unrecorded:
        pass
    except Exception as error:
        by.lost = by.lost or f"{type(error).__name__}: {error}"
    finally:
        by.open = False
    if by.lost:
        return None, None, by.lost
    if lanes is not None:  # for a solver, which holds them while it runs
        held = tuple(
            (functools.partial(_itself, x), library.sketch(x)) for _, x, _ in by.outside.values()
        )
        return found._replace(outside=held), out, ""
    places = [place for _, _, place in by.outside.values()]
    by.outside.clear()
    for (ref, _), place in zip(found.outside, places, strict=True):
        if ref() is None:
            why = f"it reads an array that it makes of others from outside{place}"
            if any(r.copied for r in found.program.results):
                return None, None, why  # so the first call gives views, as later ones do
            return Recording(found.program, ()), out, why
    return found, out, ""
