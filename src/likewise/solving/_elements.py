"""Programs of few elements, spelled out element by element in Python's numbers.

A call of an array of two elements takes NumPy a microsecond, and Python's floats a twentieth of
that, with equal bits: additions, multiplications, divisions and square roots are rounded alike, and
so are sums of fewer elements than NumPy adds in parts. `spelled_out` writes a program as one
function of numbers. Each of its arrays becomes a table of the numbers' places, so instructions that
only move elements are run once, on these tables, and leave no code. ``where`` and reads of values
become branches.

What Python's numbers don't do as the library does (``exp``, products of matrices, powers, functions
that are called as they are) stays a call of the same function, with arrays of the same layout.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ..transforms._following._instructions import MOVED, SEVERAL
from ..transforms._following._kinds import exact
from ..transforms._recordings._cache import Cache
from ..transforms._recordings._cleanup import checks
from ..transforms._recordings._program import Made, Program, Result, Step, Text, defined, executed
from ..transforms._tree import flatten
from ._choices import chosen

__all__ = ["Spelled", "array_like", "entered", "on_arrays", "spelled_out"]

# Elements of an array. Most arrays of a step are shorter than its longest: with 6 unknowns, BFGS
# takes 0.31 of the time of calls if its matrices of 36 elements stay arrays, and 0.16 if not.
_MOST = 64
_WORDS_PER_CALL = 20  # instructions on elements that take as long as a call of the library
_SHARE = 0.5  # of the time of the library's calls, above which too little is gained
_LINES = 4000  # of code, whose compilation takes a fifth of a second
_PAIRWISE = 8  # elements, from which on sums are taken in parts
_PROBES = 12  # sums that are compared before the order of a sum is believed

Inner = Callable[[Step], "Program | None"]


class _Unspelled(Exception):
    """Raised if an instruction can't be written in Python's numbers, or a program."""


class _TooLong(Exception):
    """Raised if a program has too many lines."""


# -- Python's words for instructions ---------------------------------------------------------------


def _divided(a: float, b: float) -> float:
    """Return the quotient by zero."""
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


def _power(a: float, b: float) -> float:
    """Return a power as C has it, where Python raises or has a complex number."""
    try:
        out = a**b
    except OverflowError:
        if a < 0 and b != b // 1:
            return math.nan
        return -math.inf if a < 0 and b % 2 else math.inf
    except ZeroDivisionError:
        return math.copysign(math.inf, a) if b % 2 == 1 else math.inf
    return out if type(out) is float else math.nan


def _narrow(x: int) -> int:
    return x if -0x80000000 <= x < 0x80000000 else (x + 0x80000000) % 0x100000000 - 0x80000000


def _wide(x: int) -> int:
    if -0x8000000000000000 <= x < 0x8000000000000000:
        return x
    return (x + 0x8000000000000000) % 0x10000000000000000 - 0x8000000000000000


def _order(values: Sequence[Any]) -> list[int]:
    """Return the places of values in ascending order, NaN last; equal ones keep their order."""
    numbers = range(len(values))
    if all(v == v for v in values):
        return sorted(numbers, key=values.__getitem__)
    return sorted(
        numbers, key=lambda k: (values[k] != values[k], values[k] if values[k] == values[k] else 0)
    )


def _lowest(values: Sequence[Any]) -> int:
    """Return the place of the first least value, or of the first NaN."""
    least = values[0]
    for v in values:
        if v < least or v != v:
            least = v
            if v != v:
                break
    return next(k for k, v in enumerate(values) if v == least or v != v)


def _highest(values: Sequence[Any]) -> int:
    """Return the place of the first largest value, or of the first NaN."""
    return _lowest([-v if v == v else v for v in values])


_SPACE: dict[str, Any] = {
    "divided": _divided,
    "power": _power,
    "narrow": _narrow,
    "wide": _wide,
    "order": _order,
    "lowest": _lowest,
    "highest": _highest,
    "root": math.sqrt,
    "copysign": math.copysign,
    "inf": math.inf,
    "nan": math.nan,
}
# The second of two zeros is taken, as on x86; `_Part.ties` asks the library.
_LARGER = "{0} if {0} > {1} or {0} != {0} else {1}"
_SMALLER = "{0} if {0} < {1} or {0} != {0} else {1}"
_CLIPPED = "{1} if {0} < {1} or {1} != {1} else {0}", "{1} if {0} > {1} or {1} != {1} else {0}"
# By instruction: the kinds of operands, and the expression of the elements.
_WORDS: dict[str, tuple[str, str]] = {
    "add": ("fil", "{} + {}"),
    "subtract": ("fil", "{} - {}"),
    "multiply": ("fil", "{} * {}"),
    "negative": ("fil", "-{}"),
    "abs": ("fil", "abs({})"),
    "square": ("f", "{0} * {0}"),
    "divide": ("f", "{0} / {1} if {1} else divided({0}, {1})"),
    "sqrt": ("f", "root({0}) if {0} >= 0 else nan"),
    "sign": ("f", "{0} if {0} != {0} else 1.0 if {0} > 0 else -1.0 if {0} < 0 else 0.0"),
    "copysign": ("f", "copysign({}, {})"),
    "maximum": ("fil", _LARGER),
    "minimum": ("fil", _SMALLER),
}
_TESTS: dict[str, tuple[str, str]] = {
    "equal": ("filb", "{} == {}"),
    "not_equal": ("filb", "{} != {}"),
    "less": ("fil", "{} < {}"),
    "less_equal": ("fil", "{} <= {}"),
    "greater": ("fil", "{} > {}"),
    "greater_equal": ("fil", "{} >= {}"),
    "isnan": ("f", "{0} != {0}"),
    "isfinite": ("f", "{0} - {0} == 0"),
    "isinf": ("f", "abs({0}) == inf"),
    "bitwise_and": ("b", "{} and {}"),
    "bitwise_or": ("b", "{} or {}"),
    "bitwise_xor": ("b", "{} != {}"),
    "bitwise_invert": ("b", "not {}"),
    "logical_and": ("b", "{} and {}"),
    "logical_or": ("b", "{} or {}"),
    "logical_xor": ("b", "{} != {}"),
    "logical_not": ("b", "not {}"),
}
_KINDS = {"float64": "f", "int32": "i", "int64": "l", "bool": "b"}
_WRAPPED = {"i": "narrow({})", "l": "wide({})"}
_WIDER = "bilf"  # a kind, and those to which it is converted
# From one kind to another; what isn't here is the same number.
_CAST = {
    ("b", "i"): "int({})",
    ("b", "l"): "int({})",
    ("b", "f"): "float({})",
    ("i", "f"): "float({})",
    ("l", "f"): "float({})",
    ("l", "i"): "narrow({})",
    ("i", "b"): "{} != 0",
    ("l", "b"): "{} != 0",
    ("f", "b"): "{} != 0",
}
# Of comparisons: whether they ask as `less` does with these operands, and whether for the opposite.
_COMPARED = {
    "less": (True, False),
    "greater": (False, False),
    "greater_equal": (True, True),
    "less_equal": (False, True),
}
# Instructions whose results are elements of their operands, in other places.
_PLACED = MOVED | frozenset(
    "stack concat roll tile positive broadcast_arrays stop_gradient".split()
)
_POWERS = ("pow", "operator.pow")
_SMALL_SQUARE = "{0} ** {1} if -1e150 < {0} < 1e150 else power({0}, {1})"


class _Text(Text):
    """Write instructions on elements; their words are among the settings."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.names.update(_SPACE)

    def constant(self, value: Any) -> str:
        if type(value) is float and value - value != 0:
            return "nan" if value != value else "inf" if value > 0 else "(-inf)"
        return super().constant(value)

    def full(self, value: Any) -> str:
        return self.constant(value.item())

    def truth(self, slot: int) -> str:
        return self.slot(slot)

    def call(self, step: Step, out: str | None) -> str:
        words = step.settings.get("words")
        if words is None:
            return super().call(step, None)
        return str(words).format(*map(self.slot, step.operands), f=self._function(step))

    def _function(self, step: Step) -> str:
        return self.named("made", step.call) if step.call is not _nothing else ""

    def line(self, step: Step, written: str | None) -> str:
        if step.shape != "elements":
            return super().line(step, written)
        names = iter([f"v{r}" for r in step.results])
        return f"{_nested(step.settings['shape'], names)} = {self.slot(step.operands[0])}.tolist()"


def _nothing(*given: Any) -> None:
    """Stand for the call of instructions that are words."""


def _nested(shape: Sequence[int], names: Iterable[str]) -> str:
    """Return names as nested lists of a shape."""
    left = iter(names)
    if not shape:
        return next(left)
    return f"[{', '.join(_nested(shape[1:], left) for _ in range(shape[0]))}]"


# -- elements --------------------------------------------------------------------------------------


class _Some(NamedTuple):
    """Hold the numbers of an array's elements, in an array of its shape, and their kind."""

    ids: Any
    kind: str


class _Object(NamedTuple):
    """Hold the number of an object that stays as it is, such as a larger array."""

    id: int


class _Writer:
    """Collect instructions on elements; equal ones are written once."""

    def __init__(self, library: Any) -> None:
        self.library, self.xp = library, library.namespace
        self.steps: list[Step] = []
        self.made: dict[int, Made] = {}
        self.constants: dict[Any, int] = {}
        self.fixed: dict[int, Any] = {}
        self.known: dict[Any, tuple[int, ...]] = {}
        self.bounds: dict[int, tuple[float, float]] = {}  # of some integers
        self.count = 0
        self.like: dict[str, Made] = {}
        for name, kind in _KINDS.items():
            zero = self.xp.zeros((), dtype=getattr(self.xp, name))
            self.like[kind] = Made(library.sketch(zero), 1 if kind == "b" else 8)

    def new(self, kind: str) -> int:
        self.count += 1
        if kind:
            self.made[self.count - 1] = self.like[kind]
        return self.count - 1

    def array(self, ids: Sequence[int], shape: Sequence[int]) -> Any:
        return self.xp.reshape(self.xp.asarray([*ids], dtype=self.xp.int64), tuple(shape))

    def constant(self, value: Any) -> int:
        key = exact(value)
        key = ("object", id(value)) if key is None else key
        if key not in self.constants:
            self.constants[key] = self.new("")
            self.fixed[self.constants[key]] = value
        return self.constants[key]

    def word(self, words: str, kind: str, operands: Sequence[int], name: str = "element") -> int:
        """Return the number of an expression of elements."""
        key = words, kind, *operands
        if key not in self.known:
            plain = self.simpler(name, operands)
            if plain is not None:
                return plain
            if name == "divide" and self.fixed.get(operands[1]):
                words = "{} / {}"
            self.known[key] = (self.new(kind),)
            if kind in ("i", "l"):
                self.bound(name, operands, self.known[key][0])
            self.step(name, _nothing, operands, {"words": words}, self.known[key])
        return self.known[key][0]

    def simpler(self, name: str, operands: Sequence[int]) -> int | None:
        """Return an element or a constant that a result equals, if that is known."""
        if name in ("maximum", "minimum") and operands[0] == operands[1]:
            return operands[0]
        if name == "where" and operands[0] in self.fixed:
            return operands[1 if self.fixed[operands[0]] else 2]
        if name in ("bitwise_and", "bitwise_or"):
            for one, other in (operands, operands[::-1]):
                if one in self.fixed:
                    return one if self.fixed[one] == (name == "bitwise_or") else other
        if name in _COMPARED:
            turned, inverse = _COMPARED[name]
            (_, a), (b, _) = map(self.bounds_of, operands if turned else operands[::-1])
            (c, _), (_, d) = map(self.bounds_of, operands if turned else operands[::-1])
            if a < b or c >= d:
                return self.constant((a < b) != inverse)
        return None

    def bounds_of(self, one: int) -> tuple[float, float]:
        """Return between which integers an element lies."""
        value = self.fixed.get(one)
        return (value, value) if type(value) is int else self.bounds.get(one, (-math.inf, math.inf))

    def bound(self, name: str, operands: Sequence[int], result: int) -> None:
        """Note the bounds of a result."""
        known = [self.bounds_of(k) for k in operands[-2:]]
        if name == "where":
            self.bounds[result] = min(a for a, _ in known), max(b for _, b in known)
        elif name in ("maximum", "minimum"):
            which = max if name == "maximum" else min
            self.bounds[result] = which(a for a, _ in known), which(b for _, b in known)

    def step(
        self,
        name: str,
        call: Any,
        operands: Sequence[int],
        settings: dict[str, Any],
        results: tuple[int, ...],
        shape: str = "one",
        whole: bool = False,
    ) -> None:
        if len(self.steps) > _LINES:
            raise _TooLong
        self.steps.append(
            Step(name, call, tuple(operands), settings, results, shape, whole, None, "")
        )

    def cast(self, one: int, kind: str, to: str) -> int:
        if kind == to or (kind, to) == ("i", "l"):
            return one
        if (kind, to) not in _CAST:
            raise _Unspelled
        if one in self.fixed and to != "i":
            return self.constant({"f": float, "b": bool, "l": int}[to](self.fixed[one]))
        return self.word(_CAST[kind, to], to, (one,))

    def elements(self, one: int, shape: tuple[int, ...], kind: str) -> Any:
        """Return the elements of an array that a call returned."""
        key = "elements", one
        if key not in self.known:
            ids = tuple(self.new(kind) for _ in range(math.prod(shape)))
            self.known[key] = ids
            if ids:
                self.step("elements", _nothing, (one,), {"shape": shape}, ids, "elements")
        return _Some(self.array(self.known[key], shape), kind)

    def program(self, given: Sequence[int], results: Sequence[int], errors: Any) -> Program:
        number = {s: k for k, s in enumerate([*given, *self.fixed])}
        for step in self.steps:
            for s in step.results:
                number[s] = len(number)
        return Program(
            self.library,
            len(given),
            list(self.fixed.values()),
            [
                s._replace(
                    operands=tuple(number[k] for k in s.operands),
                    results=tuple(number[k] for k in s.results),
                )
                for s in self.steps
            ],
            [Result(number[r], False) for r in results],
            flatten([0] * len(results))[1],
            {number[s]: m for s, m in self.made.items() if s in number},
            errors,
        )


class _Part:
    """Spell out one program, whose arrays from outside are given."""

    def __init__(self, to: _Writer, program: Program, given: Sequence[Any], inner: Inner) -> None:
        self.to, self.xp, self.program, self.inner = to, to.xp, program, inner
        self.of: dict[int, Any] = dict(enumerate(given))
        self.arrays: dict[int, int] = {}
        self.first = program.given + len(program.constants)

    def results(self) -> list[Any]:
        for step in self.program.steps:
            if step.errors:
                raise _Unspelled
            self.take(step)
        return [self.rep(r.slot) for r in self.program.results]

    # -- operands ----------------------------------------------------------------------------------

    def form(self, slot: int) -> tuple[tuple[int, ...], str]:
        """Return the shape and the kind of an array; no kind, if it isn't spelled."""
        return _form(self.program.made.get(slot))

    def rep(self, slot: int) -> Any:
        """Return what stands for a slot: elements, an object, or a Python number."""
        if slot in self.of:
            return self.of[slot]
        value = self.program.constants[slot - self.program.given]
        if hasattr(value, "dtype") and hasattr(value, "tolist"):
            shape, kind = tuple(value.shape), _kind(value.dtype)
            if kind and 0 < math.prod(shape) <= _MOST:
                flat = [value.tolist()]
                for _ in shape:
                    flat = list(itertools.chain.from_iterable(flat))
                self.of[slot] = _Some(self.to.array([*map(self.to.constant, flat)], shape), kind)
                return self.of[slot]
        if type(value) in (bool, int, float):
            return value
        return _Object(self.to.constant(value))

    def spread(self, rep: Any, shape: tuple[int, ...], kind: str) -> list[int]:
        """Return the elements, broadcast to a shape and converted."""
        size = math.prod(shape)
        if type(rep) is not _Some:
            value = {"f": float, "b": bool}.get(kind, int)(rep)
            if value != rep and rep == rep:
                raise _Unspelled
            return [self.to.constant(value)] * size
        ids = rep.ids
        if ids.shape != shape:
            ids = self.xp.broadcast_to(ids, shape)
        return [self.to.cast(k, rep.kind, kind) for k in self.xp.reshape(ids, (-1,)).tolist()]

    def object(self, slot: int) -> int:
        """Return the number of an array or of a constant."""
        rep = self.rep(slot)
        if type(rep) is not _Some:
            return rep.id if type(rep) is _Object else self.to.constant(rep)
        if slot not in self.arrays:
            if slot < self.first and slot >= self.program.given:
                value = self.program.constants[slot - self.program.given]
                self.arrays[slot] = self.to.constant(value)
            else:
                self.arrays[slot] = self.built(rep, self.program.made[slot].sketch)
        return self.arrays[slot]

    def built(self, rep: _Some, sketch: Any) -> int:
        """Return the number of an array of these elements."""
        to = self.to
        flat = self.xp.reshape(rep.ids, (-1,)).tolist()
        key = "built", sketch, *flat
        if key not in to.known:
            to.known[key] = (to.new(""),)
            slots = _nested(rep.ids.shape, itertools.repeat("{}"))
            settings = {"words": "{f}(" + slots + ")"}
            to.step("built", to.library.laid(sketch), flat, settings, to.known[key])
        return to.known[key][0]

    # -- instructions ------------------------------------------------------------------------------

    def take(self, step: Step) -> None:
        if step.shape == "look":
            (one,) = self.xp.reshape(self.rep(step.operands[0]).ids, (-1,)).tolist()
            self.to.steps.append(step._replace(operands=(one,)))
            return
        if step.whole:
            program = self.inner(step)
            if program is None or program.errors != self.program.errors:
                self.called(step)
                return
            given = [self.rep(s) for s in step.operands[1:] if s in self.program.made]
            found = _Part(self.to, program, given, self.inner).results()
            self.of.update(zip(step.results, found, strict=True))
            return
        if len(step.results) > 1 and step.name not in SEVERAL:
            self.called(step)
            return
        made = self.spelled(step)
        if made is None:
            self.called(step)
        else:
            self.of.update(zip(step.results, made, strict=True))

    def spelled(self, step: Step) -> list[_Some] | None:
        """Return the elements of the results; None if the library makes the call."""
        reps = [self.rep(s) for s in step.operands]
        forms = [self.form(s) for s in step.results]
        if any(not kind for _, kind in forms):
            return None
        shape, kind = forms[0]
        name = step.name
        if name == "astype":
            reps = reps[:1]
        if any(type(r) is _Object for r in reps) or not any(type(r) is _Some for r in reps):
            return None
        if name in _PLACED or (name == "setitem" and len(reps) == 2):
            return self.placed(step, reps, kind)
        try:
            if name == "astype":
                flat = self.spread(reps[0], shape, kind)
            elif name in _REDUCED:
                return self.reduced(step, reps[0], shape, kind)
            elif name in ("take_along_axis", "argsort"):
                return self.sorted(step, reps, shape, kind)
            elif name in _POWERS:
                flat = self.powers(step, reps, shape, kind)
            else:
                flat = self.elementwise(name, reps, shape, kind)
        except _Unspelled:
            return None
        return [_Some(self.to.array(flat, shape), kind)]

    def placed(self, step: Step, reps: list[Any], kind: str) -> list[_Some] | None:
        """Move the elements' numbers as the library moves elements."""
        if step.name == "getitem" and len(reps) > 1:
            return None
        ids = [
            self.xp.asarray(self.to.constant(r))
            if type(r) is not _Some
            else r.ids
            if r.kind == kind
            else self.to.array(self.spread(r, tuple(r.ids.shape), kind), r.ids.shape)
            for r in reps
        ]
        out = step.call(*ids, **step.settings)
        found = [out] if step.shape == "one" else flatten(out)[0]
        made = [_Some(self.xp.asarray(x), kind) for x in found]
        sizes = [self.form(s)[0] for s in step.results]
        return made if [tuple(m.ids.shape) for m in made] == sizes else None

    def elementwise(self, name: str, reps: list[Any], shape: Any, kind: str) -> list[int]:
        to = self.to
        if name == "where":
            masks = self.spread(reps[0], shape, "b")
            sides = [self.spread(r, shape, kind) for r in reps[1:]]
            return [
                b if b == c else to.word("{1} if {0} else {2}", kind, (a, b, c), "where")
                for a, b, c in zip(masks, *sides, strict=True)
            ]
        if name == "clip" and len(reps) == 3 and kind == "f":
            x, low, high = (self.spread(r, shape, kind) for r in reps)
            low = [to.word(_CLIPPED[0], kind, pair) for pair in zip(x, low, strict=True)]
            return [to.word(_CLIPPED[1], kind, pair) for pair in zip(low, high, strict=True)]
        test = name in _TESTS
        kinds, words = _TESTS[name] if test else _WORDS.get(name, ("", ""))
        of = _widest(reps) if test else kind
        if of not in kinds or not of or (words in _ENDS and of == "f" and not self.ties(name)):
            raise _Unspelled
        if not test and of in _WRAPPED and words in _WRAPPING:
            words = _WRAPPED[of].format(words)
        operands = [self.spread(r, shape, of) for r in reps]
        return [to.word(words, kind, ids, name) for ids in zip(*operands, strict=True)]

    def powers(self, step: Step, reps: list[Any], shape: Any, kind: str) -> list[int]:
        """Spell out squares, and powers of scalars, which NumPy takes from C as Python does."""
        base, exponent = reps
        scalar = len(self.program.made[step.results[0]].sketch) == 2
        if kind != "f":
            raise _Unspelled
        if type(exponent) is not _Some and exponent == 2 and (step.name == "pow" or not scalar):
            return [self.to.word("{0} * {0}", kind, (x,)) for x in self.spread(base, shape, kind)]
        if not scalar or step.name == "pow":
            raise _Unspelled
        pairs = zip(*(self.spread(r, shape, kind) for r in reps), strict=True)
        # A call takes as long as the power.
        words = _SMALL_SQUARE if type(exponent) is not _Some and exponent == 2 else "power({}, {})"
        return [self.to.word(words, kind, pair) for pair in pairs]

    def reduced(self, step: Step, rep: _Some, shape: Any, kind: str) -> list[_Some]:
        if step.settings.get("dtype") is not None:
            raise _Unspelled
        rows = _rows(self.xp, rep.ids, step.settings.get("axis"))
        of, how = _REDUCED[step.name]
        if rep.kind not in of:
            raise _Unspelled
        if step.name in _FOLDS and rep.kind == "f":
            self.ordered(step, len(rows[0]))
        return [
            _Some(self.to.array([how(self.to, row, rep.kind, kind) for row in rows], shape), kind)
        ]

    def ties(self, name: str) -> bool:
        """Tell if the library takes the second of two zeros."""
        key = "ties", self.to.library.name, name
        found = _ORDERED.get(key)
        if found is None:
            xp = self.to.xp
            plus, minus = xp.zeros(2), -xp.zeros(2)
            pairs = ((plus, minus), (minus, plus))
            signs = [xp.signbit(getattr(xp, name)(*pair)).tolist() for pair in pairs]
            found = signs == [[True, True], [False, False]]
            _ORDERED.set(key, found)
        return bool(found)

    def ordered(self, step: Step, size: int) -> None:
        """Refuse a sum, a maximum or a minimum that isn't taken from left to right."""
        if size >= _PAIRWISE:
            raise _Unspelled
        slot = step.operands[0]
        made = _made(self.program, slot)
        if made is None or len(made.sketch) < 3:
            raise _Unspelled
        sketch = made.sketch
        settings = exact(tuple(step.settings.items()), trusted=True)
        key = "ordered", step.call, sketch, settings
        found = _ORDERED.get(key)
        if found is None:
            found = _left_to_right(self.to.library, step, sketch)
            _ORDERED.set(key, found)
        if not found:
            raise _Unspelled

    def sorted(self, step: Step, reps: list[Any], shape: Any, kind: str) -> list[_Some]:
        to, xp = self.to, self.xp
        axis = step.settings.get("axis", -1)
        if axis is None or any(type(r) is not _Some for r in reps):
            raise _Unspelled
        ids = xp.moveaxis(reps[0].ids, axis, -1)
        rows = xp.reshape(ids, (-1, ids.shape[-1])).tolist()
        if step.name == "argsort":
            how = {"descending": False, "stable": True} | step.settings
            if how["descending"] or not how["stable"]:
                raise _Unspelled
            found = [self.placed_in_order(row, kind) for row in rows]
        else:
            places = xp.moveaxis(reps[1].ids, axis, -1)
            if places.shape[:-1] != ids.shape[:-1] or reps[1].kind not in "il":
                raise _Unspelled
            wanted = xp.reshape(places, (-1, places.shape[-1])).tolist()
            found = [
                [self.picked(row, k, kind) for k in ks]
                for row, ks in zip(rows, wanted, strict=True)
            ]
            ids = places
        flat = [k for row in found for k in row]
        return [_Some(xp.moveaxis(to.array(flat, ids.shape), -1, axis), kind)]

    def placed_in_order(self, row: list[int], kind: str) -> list[int]:
        to = self.to
        order = to.word(_listed("order", row), "", row)
        found = [to.word(f"{{}}[{k}]", kind, (order,)) for k in range(len(row))]
        to.bounds.update(dict.fromkeys(found, (0, len(row) - 1)))
        return found

    def picked(self, row: list[int], place: int, kind: str) -> int:
        if place in self.to.fixed:
            return row[self.to.fixed[place]]
        table = self.to.word(_listed("", row), "", row)
        return self.to.word("{}[{}]", kind, (table, place))

    def called(self, step: Step) -> None:
        """Call the library's own function with arrays."""
        to, made = self.to, self.program.made
        operands = [self.object(s) for s in step.operands]
        whole = step.whole or checks(step, made)
        found = tuple(to.new("") for _ in step.results)
        shape = (
            "one" if step.shape == "one" else "structure" if step.shape == "structure" else "tuple"
        )
        name = step.name if step.call is not None else "called"
        to.steps.append(
            step._replace(
                name=f"called.{name}",
                operands=tuple(operands),
                results=found,
                shape=shape,
                whole=whole,
            )
        )
        for slot, one in zip(step.results, found, strict=True):
            size, kind = self.form(slot)
            self.of[slot] = to.elements(one, size, kind) if kind else _Object(one)
            if kind:
                self.arrays[slot] = one


def _made(program: Program, slot: int) -> Made | None:
    """Return the description of an array, also of a constant one."""
    k = slot - program.given
    value = program.constants[k] if 0 <= k < len(program.constants) else None
    return (
        Made(program.library.sketch(value), 0)
        if hasattr(value, "tolist")
        else program.made.get(slot)
    )


def _form(made: Made | None) -> tuple[tuple[int, ...], str]:
    if made is None:
        return (), ""
    _, dtype, *shape = made.sketch
    size = tuple(shape[0]) if shape else ()
    return size, _kind(dtype) if 0 < math.prod(size) <= _MOST else ""


@functools.lru_cache(maxsize=64)
def _kind(dtype: Any) -> str:
    return _KINDS.get(str(dtype), "")


def _widest(reps: Iterable[Any]) -> str:
    """Return the kind in which operands are compared."""
    reps = list(reps)
    kinds = [r.kind for r in reps if type(r) is _Some]
    strong = max(kinds, key=_WIDER.index)
    weak = [{bool: "b", int: "i", float: "f"}[type(r)] for r in reps if type(r) is not _Some]
    return max([strong, *weak], key=_WIDER.index)


def _listed(name: str, row: Sequence[Any]) -> str:
    return f"{name}(({', '.join(['{}'] * len(row))},))"


def _chain(words: str, name: str) -> Callable[..., int]:
    """Return a reduction from left to right."""

    def reduced(to: _Writer, row: list[int], of: str, kind: str) -> int:
        out = to.cast(row[0], of, kind)
        for one in row[1:]:
            out = to.word(words, kind, (out, to.cast(one, of, kind)), name)
        return out

    return reduced


def _summed(to: _Writer, row: list[int], of: str, kind: str) -> int:
    row = [to.cast(one, of, kind) for one in row]
    words = " + ".join(["{}"] * len(row))
    # NumPy begins with 0, so there is no sum -0.
    words = f"0.0 + {words}" if kind == "f" else _WRAPPED[kind].format(words)
    return to.word(words, kind, row)


def _counted(to: _Writer, row: list[int], of: str, kind: str) -> int:
    return _summed(to, [to.cast(to.cast(one, of, "b"), "b", kind) for one in row], kind, kind)


def _placed(name: str) -> Callable[..., int]:
    return lambda to, row, of, kind: to.word(_listed(name, row), kind, row)


_REDUCED: dict[str, tuple[str, Callable[..., int]]] = {
    "sum": ("filb", _summed),
    "max": ("fil", _chain(_LARGER, "maximum")),
    "min": ("fil", _chain(_SMALLER, "minimum")),
    "any": ("filb", _chain("{} or {}", "bitwise_or")),
    "all": ("filb", _chain("{} and {}", "bitwise_and")),
    "count_nonzero": ("filb", _counted),
    "argmin": ("fil", _placed("lowest")),
    "argmax": ("fil", _placed("highest")),
}
_WRAPPING = frozenset(_WORDS[n][1] for n in "add subtract multiply negative abs".split())
_ENDS = (_LARGER, _SMALLER)
_ORDERED = Cache(1024)  # what libraries were seen to do, by instruction and layout


def _added(a: float, b: float) -> float:
    return a + b


def _larger(a: float, b: float) -> float:
    return a if a > b else b


def _smaller(a: float, b: float) -> float:
    return a if a < b else b


_FOLDS: dict[str, Callable[[float, float], float]] = {
    "sum": _added,
    "max": _larger,
    "min": _smaller,
}


def _left_to_right(library: Any, step: Step, sketch: Any) -> bool:
    """Tell if arrays of a layout are summed from left to right, from 0, or compared so."""
    xp, shape, fold = library.namespace, tuple(sketch[2]), _FOLDS[step.name]
    size, laid = math.prod(shape), library.laid(sketch)
    rows = _rows(xp, xp.reshape(xp.arange(size), shape), step.settings.get("axis"))
    for k in range(_PROBES):
        # Sums are of numbers of all sizes and signs, so that another order has other digits; for
        # the others it's the sign of zero that tells.
        random = [(j * 7 + k * 13) % 17 - 8.3 for j in range(size)]
        if k == 0 or step.name != "sum":
            values = [0.0 if k and x > 0 else -0.0 for x in random]
        else:
            values = [x * 3.7 ** ((j * 5 + k * 3) % 11) for j, x in enumerate(random)]
        found = xp.reshape(
            xp.asarray(step.call(laid(_shaped(values, shape)), **step.settings)), (-1,)
        )
        for row, one in zip(rows, found.tolist(), strict=True):
            start = [0.0] if step.name == "sum" else []
            total = functools.reduce(fold, [*start, *(values[j] for j in row)])
            if total != one or math.copysign(1, total) != math.copysign(1, one):
                return False
    return True


def _rows(xp: Any, ids: Any, axis: Any) -> list[list[int]]:
    """Return the elements of each sum along axes."""
    axes = range(ids.ndim) if axis is None else (axis,) if type(axis) is int else axis
    gone = [a % ids.ndim for a in axes]
    left = [a for a in range(ids.ndim) if a not in gone]
    size = math.prod(ids.shape[a] for a in gone)
    if size == 0:
        raise _Unspelled
    table = xp.reshape(xp.permute_dims(ids, (*left, *gone)), (-1, size))
    rows: list[list[int]] = table.tolist()  # likewise: ignore[LW202]: numbers of elements
    return rows


def _shaped(values: Iterable[Any], shape: Sequence[int]) -> Any:
    """Return values as nested lists."""
    left = iter(values)

    def part(shape: Sequence[int]) -> Any:
        return [part(shape[1:]) for _ in range(shape[0])] if shape else next(left)

    return part(shape)


# -- functions -------------------------------------------------------------------------------------


def array_like(library: Any, sketch: Any) -> Any:
    """Return an array of a layout, of ones."""
    return library.laid(sketch)(_shaped(itertools.repeat(1), tuple(sketch[2])))


class Spelled(NamedTuple):
    """Hold a program as a function of numbers, and the ways between arrays and numbers.

    Objects that aren't spelled, such as larger arrays, are among the numbers.
    """

    run: Callable[..., list[Any]]  # of all given numbers
    # Of a step without calls of others: takes also a number of steps, at most (-1: all), and
    # returns how many it took, the error of the next one, whether that follows, and the state.
    loop: Callable[..., tuple[int, Exception | None, bool, list[Any]]] | None
    forms: list[tuple[tuple[int, ...], str]]  # of the given arrays; no kind if they stay arrays
    leave: Callable[..., list[Any]]  # the arrays of the resulting numbers, but the last
    ends: list[Made | None]  # of all results


def spelled_out(program: Program, inner: Inner, loops: bool = False) -> Spelled | None:
    """Return a program on Python's numbers, or None if it has too many elements, or other ones.

    `inner` returns the program of a function that the step calls, if that is known: it becomes part
    of the code. With `loops`, the program is a step, to a state and whether it goes on.
    """
    library = program.library
    if not library.floats or not library.chooses(program.errors):
        return None
    to = _Writer(library)
    given: list[int] = []
    reps: list[Any] = []
    for k in range(program.given):
        shape, kind = _form(program.made.get(k))
        ids = [to.new(kind) for _ in range(math.prod(shape))] if kind else [to.new("")]
        given += ids
        reps.append(_Some(to.array(ids, shape), kind) if kind else _Object(ids[0]))
    part = _Part(to, program, reps, inner)
    try:
        found = part.results()
        results: list[int] = []
        for rep in found:
            if type(rep) is _Some:
                results += to.xp.reshape(rep.ids, (-1,)).tolist()
            else:
                results.append(rep.id if type(rep) is _Object else to.constant(rep))
    except (_Unspelled, _TooLong):
        return None
    calls = sum(s.name in ("built", "elements") or s.name.startswith("called") for s in to.steps)
    if calls + (len(to.steps) - calls) / _WORDS_PER_CALL > _SHARE * len(program.steps):
        return None
    spread = to.program(given, results, program.errors)
    forms = [_form(program.made.get(k)) for k in range(program.given)]
    ends = [_made(program, r.slot) for r in program.results]
    # Calls of users' functions are noted step by step.
    alone = not any(s.whole and s.shape != "look" for s in to.steps)
    same = forms[len(forms) - len(ends) + 1 :] == [_form(m) for m in ends[:-1]]
    loops = loops and alone and same and all(kind for _, kind in forms[-len(ends) + 1 :])
    finish = _looped if loops else _straight
    run, loop = chosen(spread, _Text, finish) or _plain(spread, finish)
    return Spelled(run, loop, forms, _leaving(library, ends[:-1]), ends)


def _plain(program: Program, finish: Callable[..., Any]) -> Any:
    text = _Text(program)
    return finish(program, text, [text.line(step, None) for step in program.steps])


def _straight(program: Program, text: Text, body: list[str]) -> Any:
    return executed(program, text, [*body, f"return {text.returned()}"]), None


def _looped(program: Program, text: Text, body: list[str]) -> Any:
    """Return a step as a loop; an error leaves the state of the last step that was taken."""
    *results, going = [text.slot(r.slot) for r in program.results]
    given = [f"v{k}" for k in range(program.given)]
    state = ", ".join(given[len(given) - len(results) :])
    lines = [*body, f"{state}, = {', '.join(results)},", "steps += 1"]
    lines += [f"if not {going} or steps == most:", f"    return steps, None, {going}, [{state}]"]
    head = ["steps = 0", "try:", "    while True:"]
    tail = ["except Exception as error:", f"    return steps, error, True, [{state}]"]
    loop = defined([*given, "most"], [*head, *("        " + x for x in lines), *tail], text.names)

    def run(*numbers: Any) -> list[Any]:
        _, error, goes, after = loop(*numbers, 1)
        if error is not None:
            raise error
        return [*after, goes]

    return run, loop


def on_arrays(program: Program) -> Callable[..., Any] | None:
    """Return a program on Python's numbers as a function of arrays, or None."""
    spelled = spelled_out(program, lambda step: None)
    if spelled is None:
        return None
    lines: list[str] = []
    names: list[str] = []
    for k, (shape, kind) in enumerate(spelled.forms):
        own = [f"v{k}_{j}" for j in range(math.prod(shape))] if kind else [f"x{k}"]
        if kind:
            lines.append(f"{_nested(shape, own)} = x{k}.tolist()")
        names += own
    leave, plain = _leaving(program.library, spelled.ends), program.structure.kind is None
    words = f"leave(*run({', '.join(names)}))"
    words = f"{words}[0]" if plain else f"built({words})"
    space = {"run": spelled.run, "leave": leave, "built": program.structure.unflatten}
    given = [f"x{k}" for k in range(len(spelled.forms))]
    return defined(given, [*lines, f"return {words}"], space)


def entered(arrays: Sequence[Any], forms: Sequence[tuple[tuple[int, ...], str]]) -> list[Any]:
    """Return arrays as numbers."""
    out: list[Any] = []
    for x, (shape, kind) in zip(arrays, forms, strict=False):
        flat = [x.tolist() if kind else x]
        for _ in shape if kind else ():
            flat = list(itertools.chain.from_iterable(flat))
        out += flat
    return out


def _leaving(library: Any, ends: Sequence[Made | None]) -> Callable[..., list[Any]]:
    """Return a function of numbers to their arrays."""
    names: list[str] = []
    parts: list[str] = []
    space: dict[str, Any] = {}
    for k, made in enumerate(ends):
        shape, kind = _form(made)
        own = [f"v{k}_{j}" for j in range(math.prod(shape))] if kind else [f"x{k}"]
        names += own
        if made is not None and kind:
            space[f"laid{k}"] = library.laid(made.sketch)
            own = [f"laid{k}({_nested(shape, own)})"]
        parts += own
    return defined(names, [f"return [{', '.join(parts)}]"], space)
