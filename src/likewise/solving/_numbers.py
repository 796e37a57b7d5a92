"""Solvers of one unknown, traced once and run on Python's numbers.

Arithmetic of Python floats equals that of float64 to the last bit (except the sign of NaN), and
takes a twentieth of the time of arrays of one element. If a library declares that this applies to
it, a solver of one problem whose arrays all have one element is traced without its user's
functions, which it calls by name. Its calls become Python expressions, ``where`` becomes branches,
and loops become loops.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from .._namespace import hooks_of, quiet
from ..transforms._following._instructions import MOVED, SEVERAL
from ..transforms._following._interpreter import is_open, recording
from ..transforms._following._proxy import Proxy
from ..transforms._following._space import space_of
from ..transforms._recordings._cache import Cache, in_force
from ..transforms._recordings._program import Made, Program, Result, Step, Text, executed
from ..transforms._recordings._recording import Recorder, Unrecorded
from ..transforms._tree import flatten
from ._choices import chosen

__all__ = ["on_numbers"]

_AFTER = 2  # calls of a kind, before it is followed

Numbered = Callable[..., list[Any]]
Asked = tuple[Any, ...]


# -- Python's words for instructions ---------------------------------------------------------------


def _divided(a: float, b: float) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


def _sign(x: float) -> float:
    return x if x != x else float((x > 0) - (x < 0))


def _root(x: float) -> float:
    return math.sqrt(x) if x >= 0 else math.nan


def _larger(a: float, b: float) -> float:
    return a if a >= b or a != a else b


def _smaller(a: float, b: float) -> float:
    return a if a <= b or a != a else b


# By instruction: the dtypes of results, and the expression of the operands. Dtypes are looked at
# where an expression would mean something else, as `and` of integers.
_WORDS: dict[str, tuple[str, str]] = {
    "add": ("fi", "{} + {}"),
    "subtract": ("fi", "{} - {}"),
    "multiply": ("fi", "{} * {}"),
    "divide": ("f", "{0} / {1} if {1} else divided({0}, {1})"),
    "negative": ("fi", "-{}"),
    "abs": ("fi", "abs({})"),
    "sign": ("f", "sign({})"),
    "sqrt": ("f", "root({})"),
    "square": ("f", "{0} * {0}"),
    "maximum": ("f", "larger({}, {})"),
    "minimum": ("f", "smaller({}, {})"),
    "equal": ("b", "{} == {}"),
    "not_equal": ("b", "{} != {}"),
    "less": ("b", "{} < {}"),
    "less_equal": ("b", "{} <= {}"),
    "greater": ("b", "{} > {}"),
    "greater_equal": ("b", "{} >= {}"),
    "isnan": ("b", "{0} != {0}"),
    "isfinite": ("b", "{0} - {0} == 0"),
    "isinf": ("b", "abs({0}) == inf"),
    "bitwise_and": ("b", "{} and {}"),
    "bitwise_or": ("b", "{} or {}"),
    "bitwise_invert": ("b", "not {}"),
    "logical_and": ("b", "{} and {}"),
    "logical_or": ("b", "{} or {}"),
    "logical_not": ("b", "not {}"),
    "where": ("fib", "{1} if {0} else {2}"),
    **dict.fromkeys("any all".split(), ("b", "{}")),
    **dict.fromkeys(["max", "min", "positive", *(MOVED - SEVERAL)], ("fib", "{}")),
}
_OF = {"f": "float", "i": "int", "b": "bool"}
_SPACE = {
    "divided": _divided,
    "sign": _sign,
    "root": _root,
    "larger": _larger,
    "smaller": _smaller,
    "inf": math.inf,
    "nan": math.nan,
}


class _Numbers(Text):
    """Write a program of one-element arrays as lines that compute with Python's numbers."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.names.update(_SPACE)

    def constant(self, value: Any) -> str:
        if hasattr(value, "dtype"):
            value = value.item()
        if type(value) is float and value - value != 0:
            return "nan" if value != value else f"({value})"  # -inf
        return super().constant(value)

    def full(self, value: Any) -> str:
        return self.constant(value)

    def truth(self, slot: int) -> str:
        return self.slot(slot)

    def call(self, step: Step, out: str | None) -> str:
        slots = [self.slot(s) for s in step.operands]
        if step.name == "asked":
            return f"{slots[0]}({slots[1]})"
        if isinstance(step.call, _Loop):
            return f"{self.named('loop', step.call.run)}({', '.join(slots)})"
        kind = _kind(self.program.made[step.results[0]])
        if step.name == "astype":
            return f"{_OF[kind]}({slots[0]})"
        if step.name in ("pow", "operator.pow"):
            if kind != "f" or slots[1] != "2":
                raise _Unsaid
            return f"{slots[0]} * {slots[0]}"
        kinds, words = _WORDS.get(step.name, ("", ""))
        if kind not in kinds:
            raise _Unsaid
        return words.format(*slots)


class _Unsaid(Exception):
    """Raised if an instruction can't be written in Python's numbers."""


def _kind(made: Made) -> str:
    """Return 'f', 'i' or 'b' for one element of float64, integer or bool."""
    _, dtype, *shape = made.sketch
    if shape and math.prod(shape[0]) != 1:
        raise _Unsaid
    found = {"float64": "f", "int32": "i", "int64": "i", "bool": "b"}.get(str(dtype))
    if found is None:
        raise _Unsaid
    return found


def _written(program: Program) -> Callable[..., Any]:
    """Return a program as a function of Python's numbers."""
    for made in program.made.values():
        _kind(made)
    run = chosen(program, _Numbers)
    if run is None:
        text = _Numbers(program)
        lines = [text.line(step, None) for step in program.steps]
        run = executed(program, text, [*lines, f"return {text.returned()}"])
    return run


# -- following -------------------------------------------------------------------------------------


class _Loop:
    """Hold a loop as one call of its initial values and of the other values that it reads."""

    def __init__(self, test: Program, body: Program, carried: int) -> None:
        going, step = _written(test), _written(body)

        def run(*given: Any) -> Any:
            now, rest = given[:carried], given[carried:]
            while going(*now, *rest)[0]:
                now = step(*now, *rest)
            return now

        self.run = run


class _Follower(Recorder):
    """Record calls, and each loop as one call; results of users' functions are inputs."""

    loops = True

    def __init__(self, points: Sequence[Any]) -> None:
        super().__init__(hooks_of(points[0]), space_of(points[0]))
        self.asked: dict[Asked, int] = {}
        self.place = " "  # which takes long to find

    def ask(self, of: Asked, x: Proxy, count: int) -> tuple[Any, ...]:
        """Return `count` arrays like `x`, which stand for the results of a user's function."""
        if of not in self.asked:
            self.asked[of] = self.unused()
        out = [self.proxy(x.value) for _ in range(count)]
        self.step("asked", None, (self.asked[of], self.slot(x)), [p.extra for p in out])
        return tuple(out)

    def proxy(self, value: Any) -> Proxy:
        return Proxy(value, self, self.new(value), self.space)

    def step(self, name: str, call: Any, operands: Sequence[int], results: Sequence[int]) -> None:
        given, out = tuple(operands), tuple(results)
        self.steps.append(Step(name, call, given, {}, out, "tuple", True, None, ""))

    def looped(self, cond: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
        """Trace a loop's functions once each."""
        leaves, structure = flatten(init)
        begin = [x if x.__class__ is Proxy else self.entered(x) for x in leaves]
        carry = [self.proxy(x.value) for x in begin]
        inputs = [p.extra for p in carry]
        parts: list[tuple[list[Step], list[int]]] = []
        read: dict[int, None] = {}
        for fun in (cond, body):
            outer, self.steps = self.steps, []
            found = flatten(fun(structure.unflatten(carry)))[0]
            parts.append((self.steps, [self.slot(x) for x in found]))
            read |= dict.fromkeys(self.read(*parts[-1], inputs))
            self.steps = outer
        slots = [*inputs, *read]
        test, step = (self.program(steps, slots, ends) for steps, ends in parts)
        loop = _Loop(test, step, len(inputs))
        after = [self.proxy(x.value) for x in begin]
        operands = [*(self.slot(x) for x in begin), *read]
        self.step("while", loop, operands, [p.extra for p in after])
        return structure.unflatten(after)

    def read(self, steps: Sequence[Step], ends: Sequence[int], inputs: Sequence[int]) -> list[int]:
        """Return the earlier slots, besides the inputs, that these steps read."""
        fixed = {slot for slot, _ in self.constants.values()}
        made = fixed.union(inputs, *(s.results for s in steps))
        slots = dict.fromkeys([s for step in steps for s in step.operands] + list(ends))
        return [s for s in slots if s not in made]

    def program(self, steps: Sequence[Step], inputs: Sequence[int], ends: Sequence[int]) -> Program:
        """Return these steps, of these slots, as a program with a list of results."""
        left, ends = self.cleaned(steps, ends)
        return self.numbered(inputs, left, [Result(s, False) for s in ends], flatten(ends)[1])


def _followed(
    solve: Callable[..., Sequence[Any]], points: Sequence[Any]
) -> tuple[tuple[Asked, ...], Numbered] | None:
    by = _Follower(points)
    try:
        with quiet(points[0]), recording(by):
            by.errors = by.library.errors()
            given = [by.leaf(x) for x in points]
            ends = [by.slot(x) for x in solve(by.ask, *given)]
            if by.lost or by.outside:
                return None
            run = _written(by.program(by.steps, [*by.asked.values(), *by.inputs], ends))
    except (Unrecorded, _Unsaid):
        return None
    finally:
        by.open = False
    return tuple(by.asked), run


_KEPT = Cache(256)  # of what was followed; before, how often it was asked for


def on_numbers(
    key: Hashable, solve: Callable[..., Sequence[Any]], points: Sequence[Any]
) -> tuple[tuple[Asked, ...], Numbered] | None:
    """Return ``solve(ask, *points)`` as a function of Python's numbers, or None if that fails.

    `points` are float64 arrays of one element. The solver calls a user's function by
    ``ask(name, x, count)``, which returns `count` arrays like `x`. The returned function takes the
    users' functions of a number, which return such a list, in the order of the returned names, and
    then the points. Everything on which `solve` depends is in the key.
    """
    library = hooks_of(points[0])
    if not library.floats or is_open() or not all(map(library.recordable, points)):
        return None
    key = (key, library.name, len(points), *in_force(library))
    known = _KEPT.get(key, 0)
    if known.__class__ is not int:
        return known or None
    if known < _AFTER:
        _KEPT.set(key, known + 1)
        return None
    found = _followed(solve, points)
    _KEPT.set(key, found or ())
    return found
