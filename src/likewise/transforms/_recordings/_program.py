"""Programs: the calls of a recording, run one by one or as compiled Python code.

The values of a program have numbers, its slots: first the arrays of the arguments, then those from
outside, then constants, then the results of the calls.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from ... import _standard
from ..._library import Library
from .._following._instructions import HOLE, NEW
from .._following._kinds import exact
from .._following._proxy import OWN
from .._following._space import OPERATORS
from .._tree import Structure, flatten
from ._buffers import LEAST, Kind

__all__ = ["Made", "Program", "Result", "Step", "Text", "compiled_by", "defined", "executed"]

_TEXT_AFTER = 100  # replays, after which compiling the text has paid
_MUCH = 1 << 16  # bytes of an array, from which on it pays at once
_LEAST = 1 << 13  # bytes from which on writing into a dead array saves more than it costs
_INFIX = {name: sign for _, sign, name in _standard.OPERATORS}


class Made(NamedTuple):
    """Describe the array in a slot; `size` is in bytes, 0 for a scalar."""

    sketch: Any  # class, dtype, shape, layout
    size: int


class Step(NamedTuple):
    """Hold one call: its input slots, settings and output slots.

    A `whole` call, such as that of a public function, must not be dropped, repeated or split.
    `shape` is the form of the result: 'one' array, a 'tuple', another 'structure', or a 'look' at a
    value, which has no result and writes its own code.
    """

    name: str
    call: Callable[..., Any]
    operands: tuple[int, ...]
    settings: dict[str, Any]
    results: tuple[int, ...]
    shape: str
    whole: bool
    errors: Any  # the library's error state where it is not the program's
    place: str
    direct: Callable[..., Any] | None = None  # `call` with operands and these settings by position
    required: tuple[str, ...] = ()

    def says(self) -> Hashable:
        """Return a key of name, operands, settings and error state; None for unknown settings."""
        how = exact(tuple(self.settings.items()), trusted=True)
        return None if how is None else (self.name, self.operands, how, self.errors)


class Result(NamedTuple):
    """Hold one leaf of the function's result: a slot, and whether it must be copied."""

    slot: int
    copied: bool


class Program:
    """Run a function of arrays as calls of the library's own functions.

    Parameters
    ----------
    library : Library
        The library of the arrays.
    given : int
        The number of arrays from the arguments and from outside.
    constants : sequence
        The values of the next slots.
    steps : sequence of Step
        The calls, in order.
    results, structure
        The results and their structure.
    made : dict
        A description of the array in each slot.
    errors : object
        The error state in which the program runs.
    text : bool, optional
        Whether the program may compile its own code.
    """

    def __init__(
        self,
        library: Library,
        given: int,
        constants: Sequence[Any],
        steps: Sequence[Step],
        results: Sequence[Result],
        structure: Structure,
        made: dict[int, Made],
        errors: Any,
        text: bool = True,
    ) -> None:
        self.library, self.given, self.constants = library, given, tuple(constants)
        self.steps, self.results, self.structure = list(steps), list(results), structure
        self.made, self.errors = made, errors
        self.blank = [None] * (1 + max((r for s in steps for r in s.results), default=-1))
        self.dead = _last_uses(self.steps, self.results)
        much = text and any(m.size >= _MUCH for m in made.values())
        self.left = 0 if much else _TEXT_AFTER
        self.run: Callable[..., Any] = self._listed if self.left else _compiled(self)

    def _listed(self, *given: Any) -> Any:
        """Call after call."""
        self.left -= 1
        if self.left == 0:
            self.run = _compiled(self)
        values = [*given, *self.constants, *self.blank]
        current = self.errors
        try:
            for step, dead in zip(self.steps, self.dead, strict=True):
                if step.errors != current and (step.errors or self.errors) != current:
                    current = step.errors or self.errors
                    self.library.set_errors(current)
                out = step.call(*[values[i] for i in step.operands], **step.settings)
                if step.shape == "one":
                    values[step.results[0]] = out
                else:
                    found = out if step.shape == "tuple" else flatten(out)[0]
                    for slot, one in zip(step.results, found, strict=True):
                        values[slot] = one
                for slot in dead:
                    values[slot] = None
        finally:
            if current != self.errors:
                self.library.set_errors(self.errors)
        own = self.library.copied
        return self.structure.unflatten(
            [own(values[r.slot]) if r.copied else values[r.slot] for r in self.results]
        )

    def hurry(self) -> None:
        """Compile the code now, because many replays will follow."""
        if self.left > 0:
            self.left = 0
            self.run = _compiled(self)

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield each step as text, with its line in the user's code."""
        text = Text(self)
        for step in self.steps:
            yield text.line(step, None), step.place

    def __str__(self) -> str:
        rows = list(self.lines())
        width = max((len(text) for text, _ in rows), default=0)
        out = []
        for k, ((text, place), step) in enumerate(zip(rows, self.steps, strict=True), 1):
            out.append(f"{k:3}  {text:{width}}{place}")
            inner = getattr(getattr(step.call, "__wrapped__", None), "program", None)
            if inner is not None:  # a loop
                out += ["     |" + line for line in str(inner()).splitlines()]
        return "\n".join([*out, f"     return {Text(self).returned()}"])


def _last_uses(steps: Sequence[Step], results: Sequence[Result]) -> list[tuple[int, ...]]:
    """Return for each step the slots that aren't used after it."""
    needed = {r.slot for r in results}
    out = []
    for step in reversed(steps):
        touched = dict.fromkeys((*step.operands, *step.results))
        out.append(tuple(s for s in touched if s not in needed))
        needed.update(touched)
    return out[::-1]


# -- text ------------------------------------------------------------------------------------------


class Text:
    """Write a program as lines of a Python function, and hold the values of their names."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: dict[str, Any] = {"library": program.library}
        self.known: dict[int, str] = {}
        self.first = program.given + len(program.constants)

    def slot(self, slot: int) -> str:
        program = self.program
        if program.given <= slot < self.first:
            return self.constant(program.constants[slot - program.given])
        return f"v{slot}"

    def constant(self, value: Any) -> str:
        if type(value) in (bool, int, str, type(None)):
            return repr(value)
        if type(value) is float and value - value == 0:
            return f"({value!r})" if value < 0 or repr(value)[0] == "-" else repr(value)
        if type(value) is tuple:
            inner = ", ".join(map(self.constant, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if type(value) is slice:
            return f"slice({value.start!r}, {value.stop!r}, {value.step!r})"
        return self.named("c", value)

    def full(self, value: Any) -> str:
        """Return the code of a constant array."""
        return self.named("full", value)

    def truth(self, slot: int) -> str:
        """Return the code of the truth value of a slot."""
        return f"bool({self.slot(slot)})"

    def named(self, letter: str, value: Any) -> str:
        if id(value) not in self.known:
            name = letter
            if name in self.names or len(letter) == 1:
                name = f"{letter}_{len(self.names)}"
            self.known[id(value)] = name
            self.names[name] = value
        return self.known[id(value)]

    def call(self, step: Step, out: str | None) -> str:
        """Return the code of a call; with `out`, it writes into an array that is no longer used."""
        slots = [self.slot(s) for s in step.operands]
        if out is not None:
            own = self.program.library.writing[step.name]
            return f"{self.function(step.name, own)}({', '.join([*slots, out])})"
        name = step.name.removeprefix("operator.")
        if name in _INFIX and step.call in (OWN[name], OPERATORS.get(name)):
            return f"{slots[0]} {_INFIX[name]} {slots[1]}"
        if step.call is OPERATORS.get(name):
            if step.name == "negative":
                return f"-{slots[0]}"
            if step.name == "getitem":
                return f"{slots[0]}[{self.index(step.settings['index'], slots[1:])}]"
        settings = dict(step.settings)
        function = step.call
        if step.direct is not None:
            function = step.direct
            slots += [self.constant(settings.pop(k)) for k in step.required]
        more = [f"{k}={self.constant(v)}" for k, v in settings.items()]
        return f"{self.function(step.name, function)}({', '.join([*slots, *more])})"

    def index(self, index: Any, found: list[str]) -> str:
        """Return the code of an index, with names of arrays and counters in its holes."""
        left = iter(found)
        if type(index) is not tuple:
            return next(left) if index is HOLE else self.constant(index)
        inner = ", ".join(next(left) if i is HOLE else self.constant(i) for i in index)
        return f"({inner},)" if len(index) == 1 else f"({inner})"

    def function(self, name: str, own: Any) -> str:
        return self.named(name.replace(".", "_").strip("_"), own)

    def line(self, step: Step, written: str | None) -> str:
        if step.shape == "look":
            look: Any = step.call
            return str(look.text(self.slot(step.operands[0]), self.named("look", look)))
        call = self.call(step, written)
        names = ", ".join(f"v{r}" for r in step.results)
        if step.shape == "one":
            return f"{names} = {call}"
        if step.shape == "structure":
            call = f"{self.named('leaves', _leaves)}({call})"
        return f"[{names}] = {call}"

    def returned(self) -> str:
        values = []
        for r in self.program.results:
            text = self.slot(r.slot)
            values.append(f"library.copied({text})" if r.copied else text)
        return _built(self.program.structure, iter(values), self)


def _leaves(tree: Any) -> list[Any]:
    return flatten(tree)[0]


def _built(structure: Structure, values: Iterator[str], text: Text) -> str:
    """Return the expression that builds the function's result."""
    kind, meta, children = structure
    if kind is None:
        return next(values)
    if kind is tuple or kind is list:
        inner = ", ".join(_built(c, values, text) for c in children)
        if kind is list:
            return f"[{inner}]"
        return f"({inner},)" if len(children) == 1 else f"({inner})"
    if kind is dict and all(type(key) is str for key in meta[0]):
        spelled = {key: _built(c, values, text) for key, c in zip(meta[0], children, strict=True)}
        return f"{{{', '.join(f'{key!r}: {spelled[key]}' for key in meta[1])}}}"
    inner = ", ".join(next(values) for _ in range(structure.size))
    return f"{text.named('built', structure.unflatten)}([{inner}])"


def _compiled(program: Program) -> Callable[..., Any]:
    """Return the program as one Python function, compiled from its code."""
    return compiled_by(program, Text(program), None)


def compiled_by(
    program: Program, text: Text, sizes: dict[int, Made] | None, *first: str
) -> Callable[..., Any]:
    """Return the program as a function; which arrays are written to depends on their sizes."""
    written, gone, lent = _written(program, sizes)
    body: list[str] = []
    current = program.errors
    for step, out, dead in zip(program.steps, written, gone, strict=True):
        errors = step.errors or program.errors
        if errors != current:
            body.append(f"library.set_errors({text.named('errors', errors)})")
            current = errors
        place = None if out is None else f"v{out}"
        if out is None and step.results and step.results[0] in lent:
            place = f"{text.named('take', lent[step.results[0]].take)}()"
        body.append(text.line(step, place))
        body += [
            f"{text.named('give', lent[s].give)}(v{s})" for s in dead if s in lent and s != out
        ]
        names = [f"v{s}" for s in dead if not program.given <= s < text.first]
        if names:
            body.append(f"del {', '.join(names)}")
    if any(step.errors for step in program.steps):
        body = ["try:", *("    " + b for b in body), f"    return {text.returned()}", "finally:"]
        body.append(f"    library.set_errors({text.named('errors', program.errors)})")
    else:
        body.append(f"return {text.returned()}")
    return executed(program, text, body, *first)


def executed(program: Program, text: Text, body: Sequence[str], *first: str) -> Callable[..., Any]:
    """Compile these lines to a function of other arguments and a program's arrays."""
    return defined([*first, *(f"v{k}" for k in range(program.given))], body, text.names)


def defined(given: Sequence[str], body: Sequence[str], names: dict[str, Any]) -> Callable[..., Any]:
    """Compile these lines to a function of arguments, where other names have these values."""
    lines = [f"def make({', '.join(names)}):", f"    def program({', '.join(given)}):"]
    lines += [" " * 8 + b for b in body] + ["    return program"]
    space: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<recording>", "exec"), space)
    made: Callable[..., Any] = space["make"](*names.values())
    return made


def _written(
    program: Program, sizes: dict[int, Made] | None = None
) -> tuple[list[int | None], list[list[int]], dict[int, Kind]]:
    """Return for each step the unused array into which it may write, and the slots freed after it.

    It may write only to arrays that were allocated by a call and have no view, and only if the new
    array would have the same layout. Also return the kinds of large ones, by slot; with `sizes`,
    those of a program of any number of lanes, there are none.
    """
    library, made = program.library, program.made if sizes is None else sizes
    closed = {r.slot for r in program.results}
    for step in program.steps:
        if step.whole or step.name not in NEW:
            closed.update(step.operands)
        if step.whole or step.name not in library.writing:
            closed.update(step.results)
    closed.update(range(program.given + len(program.constants)))
    free: dict[int, int] = {}  # dead arrays, and the step after which they are
    gone = [list(dead) for dead in program.dead]
    out: list[int | None] = []
    for k, (step, dead) in enumerate(zip(program.steps, program.dead, strict=True)):
        found = None
        like = made.get(step.results[0]) if len(step.results) == 1 else None
        if step.name in library.writing and not step.whole and like and like.size >= _LEAST:
            usable = [s for s in dead if s not in closed and s in step.operands]
            found = next((s for s in [*usable, *free] if made.get(s) == like), None)
        if found in free:
            gone[free.pop(found)].remove(found)
            gone[k].append(found)
        free |= {s: k for s in dead if s not in closed and s != found}
        out.append(found)
    kinds: dict[int, Kind] = {}
    for step in program.steps if sizes is None else ():
        slot = step.results[0] if step.results else -1
        like = made.get(slot)
        if like and like.size >= LEAST and slot not in closed:
            kind = Kind(library, like.sketch[1], like.sketch[2], like.size)
            if library.sketch(kind.empty(kind.shape, dtype=kind.dtype)) == like.sketch:
                kinds[slot] = kind
    return out, gone, kinds
