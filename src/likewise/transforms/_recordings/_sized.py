"""Programs for any number of lanes, each made of two traces with different numbers of lanes.

The number of lanes occurs in shapes, indices and numbers computed from these. Two traces are
compared: an integer that differs must be a multiple of the number of lanes, or the number plus a
constant (`Lanes`); all else must be equal. A replay computes these integers from its number.
"""

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from ..._library import Library
from ..._namespace import array_namespace, is_neutral
from .._following._kinds import exact
from .._tree import Structure
from ._program import Made, Program, Result, Step, Text, compiled_by, defined
from ._recording import Steady, Whole

__all__ = ["Lanes", "Sized", "other_sizes", "sized", "values_of"]

_FEW = 16  # numbers of lanes for which loops are kept
_SIZES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37)  # of second traces


class Lanes(NamedTuple):
    """An integer that depends on the number of lanes."""

    times: int
    plus: int

    def at(self, n: int) -> int:
        """Return the integer for n lanes."""
        return self.times * n + self.plus


class Differ(Exception):
    """Raised if two traces differ in more than the number of lanes."""


# -- comparison ------------------------------------------------------------------------------------


def values_of(library: Library, x: Any) -> Any:
    """Return a key of an array's values; values on a device stay there."""
    return x.tobytes() if hasattr(x, "tobytes") and library.is_host(x) else _InPlace(x)


class _InPlace:
    """An array whose values are compared on its device; only the answer is copied to the host."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _InPlace):
            return False
        xp, a, b = array_namespace(self.array), self.array, other.array
        same = a == b
        if xp.isdtype(a.dtype, "real floating"):
            same = same & (xp.signbit(a) == xp.signbit(b))
        return bool(xp.all(same | ((a != a) & (b != b))))


class _Merger:
    """Compare the parts of a trace with n lanes, or of a program, with those of one with m lanes.

    With ``n=None`` the first is a program, whose integers are known as functions of the number.
    """

    def __init__(self, library: Library, n: int | None, m: int) -> None:
        self.library, self.n, self.m = library, n, m

    def merged(self, a: Any, b: Any) -> Any:
        """Return what both are, with `Lanes` in place of integers that differ."""
        cls = type(a)
        if cls is _Loop or hasattr(cls, "with_values"):
            return self.loop(a, b)
        if cls is Lanes:
            if type(b) is int and b == a.at(self.m):
                return a
            raise Differ
        if cls is not type(b):
            raise Differ
        if cls is int:
            return a if a == b else self.integer(a, b)
        if cls is tuple:
            return tuple(self.pairs(a, b))
        if cls is slice:
            return slice(*self.pairs((a.start, a.stop, a.step), (b.start, b.stop, b.step)))
        if cls is Steady:
            call = self.merged(a.call, b.call)
            return Steady(a.name, call, a.library, self.pairs(a.sketches, b.sketches))
        if a is b or self.same(a, b, cls):
            return a
        raise Differ

    def pairs(self, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        if len(a) != len(b):
            raise Differ
        return [self.merged(x, y) for x, y in zip(a, b, strict=True)]

    def loop(self, a: Any, b: Any) -> "_Loop":
        """Return a loop of any number of lanes; with a program, the first is one already."""
        loop, values = (a.loop, a.values) if type(a) is _Loop else (a, a.values())
        if type(b) is not type(loop) or loop.form() != b.form():
            raise Differ
        return _Loop(loop, self.merged(values, b.values()))

    def integer(self, a: int, b: int) -> Lanes:
        """Return an integer as a multiple of the number of lanes, or as the number plus another."""
        if self.n is not None and self.n != self.m:
            times, rest = divmod(a - b, self.n - self.m)
            plus = a - times * self.n
            if rest == 0 and (plus == 0 or times == 1):
                return Lanes(times, plus)
        raise Differ

    def same(self, a: Any, b: Any, cls: type) -> bool:
        """Tell if two objects without a number of lanes in them are equal."""
        if cls is functools.partial:
            known = a.func == b.func and a.keywords == b.keywords
            return bool(known and self.merged(a.args, b.args) == a.args)
        if cls in (Structure, Whole) or hasattr(cls, "said"):
            return bool(a == b)
        if hasattr(a, "dtype") and hasattr(a, "shape") and not is_neutral(a):
            known = self.library.sketch(a) == self.library.sketch(b)
            return bool(known and values_of(self.library, a) == values_of(self.library, b))
        key = exact(a, trusted=True)
        return key is not None and key == exact(b, trusted=True)

    def program(self, one: Program, two: Program) -> Program:
        """Return the program of both."""
        if (one.given, one.structure, one.errors) != (two.given, two.structure, two.errors):
            raise Differ
        if len(one.steps) != len(two.steps) or len(one.results) != len(two.results):
            raise Differ
        slots = {k: k for k in range(one.given)}
        constants: list[Any] = []
        places: dict[Any, int] = {}

        def operand(a: int, b: int) -> Any:
            """Return an operand: a slot of the first, or the place of a constant in a tuple."""
            first, second = _constant(one, a), _constant(two, b)
            if first is None or second is None:
                if first is not second or slots.get(b) != a:
                    raise Differ
                return a
            found = self.merged(first[0], second[0])
            place = places.setdefault((a, _key(found)), len(constants))
            if place == len(constants):
                constants.append(found)
            return (place,)

        steps: list[Any] = []
        step: Any
        for step, other in zip(one.steps, two.steps, strict=True):
            how = (step.name, step.shape, step.whole, step.errors, step.required)
            if how != (other.name, other.shape, other.whole, other.errors, other.required):
                raise Differ
            sizes = len(step.operands), len(step.results), step.settings.keys()
            if sizes != (len(other.operands), len(other.results), other.settings.keys()):
                raise Differ
            operands = [operand(x, y) for x, y in zip(step.operands, other.operands, strict=True)]
            slots |= dict(zip(other.results, step.results, strict=True))
            settings = {k: self.merged(v, other.settings[k]) for k, v in step.settings.items()}
            call = self.merged(step.call, other.call)
            steps.append(step._replace(call=call, operands=operands, settings=settings, place=""))
        ends = []
        for x, y in zip(one.results, two.results, strict=True):
            if x.copied != y.copied:
                raise Differ
            ends.append((operand(x.slot, y.slot), x.copied))
        made = {}
        for b, a in slots.items():
            if a in one.made and b in two.made:
                try:
                    made[a] = Made(*self.merged(tuple(one.made[a]), tuple(two.made[b])))
                except Differ:  # in memory layout, most likely: nobody may write into it
                    continue
        return _renumbered(one, constants, steps, ends, made)


def _constant(program: Program, slot: int) -> tuple[Any] | None:
    place = slot - program.given
    return (program.constants[place],) if 0 <= place < len(program.constants) else None


def _key(x: Any) -> Hashable:
    key = exact(x, trusted=True)
    return id(x) if key is None else key


def _renumbered(
    one: Program, constants: list[Any], steps: list[Any], ends: list[Any], made: dict[int, Made]
) -> Program:
    """Return a program with these constants; its results have the next numbers."""
    more = len(constants) - len(one.constants)

    def number(slot: Any) -> int:
        if slot.__class__ is tuple:
            return int(one.given + slot[0])
        return int(slot if slot < one.given else slot + more)

    return Program(
        one.library,
        one.given,
        constants,
        [
            s._replace(
                operands=tuple(map(number, s.operands)), results=tuple(map(number, s.results))
            )
            for s in steps
        ],
        [Result(number(slot), copied) for slot, copied in ends],
        one.structure,
        {number(s): m for s, m in made.items()},
        one.errors,
        text=False,
    )


class _Loop(NamedTuple):
    """A recorded loop whose values depend on the number of lanes."""

    loop: Any
    values: tuple[Any, ...]


# -- programs --------------------------------------------------------------------------------------


class _Text(Text):
    """Write a program of n lanes."""

    def constant(self, value: Any) -> str:
        if type(value) is Lanes:
            text = "n" if value.times == 1 else f"{value.times} * n"
            return text if value.plus == 0 else f"({text} + {value.plus})"
        if type(value) is slice:
            ends = (value.start, value.stop, value.step)
            return f"slice({', '.join(map(self.constant, ends))})"
        return super().constant(value)

    def call(self, step: Step, out: str | None) -> str:
        if type(step.call) is not Steady:
            return super().call(step, out)
        slots = [self.slot(s) for s in step.operands]
        more = [f"{k}={self.constant(v)}" for k, v in step.settings.items()]
        checked = self.named("steady", _steady(step.call))
        return f"{checked}({', '.join(['n', *slots, *more])})"


def _steady(call: Steady) -> Callable[..., Any]:
    """Return a call of n lanes whose results must have the recorded form."""

    by_size: dict[int, Steady] = {}

    def checked(n: int, *values: Any, **settings: Any) -> Any:
        of_n = by_size.get(n)
        if of_n is None:
            if len(by_size) >= _FEW:
                by_size.clear()
            inner: Any = call.call
            sketches = [at(n, s) for s in call.sketches]
            if type(inner) is _Loop:
                inner = inner.loop.with_values(at(n, inner.values))
            of_n = by_size[n] = Steady(call.name, inner, call.library, sketches)
        return of_n(*values, **settings)

    return checked


def at(n: int, x: Any) -> Any:
    """Return what a part of a program is for n lanes."""
    if x.__class__ is Lanes:
        return x.at(n)
    if x.__class__ is slice:
        return slice(*at(n, (x.start, x.stop, x.step)))
    return tuple([at(n, v) for v in x]) if x.__class__ is tuple else x


class Sized:
    """Run a program of a number of lanes: ``run(n, *arrays)``."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.by_size: dict[int, Callable[..., Any]] = {}
        self.expected: Callable[[int], Any] | None = None
        fixed = [m.sketch[2] for m in program.made.values() if len(m.sketch) > 2]
        # Sizes that mean something else, too: programs for these are traced to see if they fit.
        self.others = {d for shape in fixed for d in shape if type(d) is int}

    def run(self, n: int, *given: Any) -> Any:
        """Return the results."""
        run = self.by_size.get(n.bit_length())
        return (run or self.written(n))(n, *given)

    def written(self, n: int) -> Callable[..., Any]:
        """Return the code for about this many lanes: which arrays are reused depends on sizes."""
        size, program = n.bit_length(), self.program
        least = 1 << (size - 1)
        made = {s: m._replace(size=at(least, m.size)) for s, m in program.made.items()}
        run = compiled_by(program, _Text(program), made, "n")
        self.by_size[size] = run
        return run

    def takes(self, n: int, sketches: Sequence[Any], first: int = 0) -> bool:
        """Tell if a program of n lanes takes arrays like these, from the slot `first` on."""
        expected = self.expected
        if expected is None:
            expected = self.expected = self.wanted(first)
        return bool(expected(n) == tuple(sketches))

    def wanted(self, first: int) -> Callable[[int], Any]:
        """Return a function of the number of lanes: what arrays the program takes."""
        program, text = self.program, _Text(self.program)
        slots = range(first, program.given)
        known = tuple([program.made[k].sketch for k in slots if k in program.made])
        if len(known) < len(slots):
            return lambda n: None
        return defined(["n"], [f"return {text.constant(known)}"], text.names)

    def fits(self, program: Program, n: int) -> bool:
        """Tell if a trace of n lanes is this program."""
        try:
            _Merger(program.library, None, n).program(self.program, program)
        except Differ:
            return False
        return True


def sized(one: Program, n: int, two: Program, m: int) -> Sized | None:
    """Return the program of which two traces, with n and m lanes, are replays; None if none is."""
    try:
        return Sized(_Merger(one.library, n, m).program(one, two))
    except Differ:
        return None


def other_sizes(n: int, program: Program) -> list[int]:
    """Return numbers of lanes for further traces: two that are not the size of something else."""
    seen = {d for m in program.made.values() for d in (m.sketch[2] if len(m.sketch) > 2 else ())}
    return [k for k in _SIZES if k != n and k not in seen][:2]
