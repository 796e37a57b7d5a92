"""Programs of one problem in which ``where`` becomes a Python branch.

``where`` with a mask of one element selects one of two arrays. So calls that only the other array
needs can be skipped. This module writes a program with ``if`` in place of such calls, and puts each
call in the innermost branch that contains all its uses. Results are equal to the last bit, but a
result may be an argument, a view of it, or a constant.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..transforms._following._instructions import MOVED
from ..transforms._recordings._cleanup import checks
from ..transforms._recordings._program import Program, Step, Text, executed

__all__ = ["chosen"]

_LARGE = 1 << 14  # bytes of an array, from which on what is dead is not kept
_DEPTH = 12  # of branches in branches
_ALGEBRA = {"bitwise_and": "and", "bitwise_or": "or", "logical_and": "and", "logical_or": "or"}
_NOT = frozenset("bitwise_invert logical_not".split())

Branch = tuple[tuple[int, bool], ...]


class _Choice(NamedTuple):
    """Hold a `where`: the root of its mask, and its two sides, slots or constants.

    Or hold a truth value computed from others: its own mask, and its value in each case.
    """

    mask: int
    yes: Any
    no: Any


def _finished(program: Program, text: Text, body: list[str]) -> Any:
    return executed(program, text, [*body, f"return {text.returned()}"])


def chosen(
    program: Program,
    words: type[Text] = Text,
    finish: Callable[[Program, Text, list[str]], Any] = _finished,
) -> Any:
    """Return a program as a function with branches; None if it has no branches.

    `finish` makes the function of the lines, which compute the results.
    """
    library, made = program.library, program.made
    if any(m.size > _LARGE for m in made.values()) or any(s.errors for s in program.steps):
        return None
    if not library.chooses(program.errors):
        return None
    writer = _Writer(program, words)
    try:
        return finish(program, writer.text, writer.written()) if writer.choices else None
    except RecursionError:  # a branch of very many calls
        return None


class _Writer:
    """Write a program with branches."""

    def __init__(self, program: Program, words: type[Text]) -> None:
        self.program = program
        self.text = words(program)
        self.by = {s: step for step in program.steps for s in step.results}
        self.choices: dict[int, _Choice] = {}
        for step in program.steps:
            choice = self.choice(step)
            if choice is not None:
                self.choices[step.results[0]] = choice
        self.pinned = [s for s in program.steps if self.stays(s)]
        self.blocks: dict[Any, Branch] = {}  # of slots, and of the truth of masks
        self.place()
        self.done: set[Any] = set()
        self.truths: dict[str, str] = {}
        self.stack: list[list[str]] = [[]]
        self.branch: Branch = ()

    # -- what is a choice --------------------------------------------------------------------------

    def single(self, slot: int) -> bool:
        """Tell if a slot holds one truth value."""
        made = self.program.made.get(slot)
        return made is not None and made.size == 1

    def root(self, mask: int) -> int:
        """Return the mask of which this one is a view."""
        while mask in self.by:
            step = self.by[mask]
            if step.name not in MOVED or len(step.operands) != 1 or step.whole:
                return mask
            if not self.single(step.operands[0]):
                return mask
            mask = step.operands[0]
        return mask

    def choice(self, step: Step) -> _Choice | None:
        if self.logical(step):
            slot = step.results[0]
            sides = [self.constant(value, slot) for value in (True, False)]
            return None if None in sides else _Choice(slot, *sides)
        if step.name != "where" or step.whole or len(step.operands) != 3:
            return None
        mask, *sides = step.operands
        if not self.single(mask):
            return None
        taken = [self.side(s, step.results[0]) for s in sides]
        return None if None in taken else _Choice(self.root(mask), *taken)

    def side(self, slot: int, out: int) -> Any:
        """Return a side: a slot, a constant in a tuple, or None if ``where`` would convert it."""
        program, made = self.program, self.program.made
        if slot in made:
            return slot if made[slot] == made[out] else None
        first = program.given
        if not first <= slot < first + len(program.constants):
            return None
        value = program.constants[slot - first]
        if type(value) not in (int, float, bool):
            return None
        return self.constant(value, out)

    def constant(self, value: Any, out: int) -> Any:
        """Return a constant as an array in a tuple, laid out like a slot; None if impossible."""
        program, made = self.program, self.program.made
        _, dtype, shape, *_ = made[out].sketch
        full = program.library.namespace.full(tuple(shape), value, dtype=dtype)
        return (full,) if program.library.sketch(full) == made[out].sketch else None

    def stays(self, step: Step) -> bool:
        """Tell if a call must be made in any case, in its place."""
        if step.whole:
            return not getattr(step.call, "spared", False)
        alone = step.name == "getitem" and len(step.operands) == 1
        return not alone and checks(step, self.program.made)

    # -- where calls stand -------------------------------------------------------------------------

    def place(self) -> None:
        """Find the branch of each call: the innermost one that all its uses share."""
        for r in self.program.results:
            self.used(r.slot, ())
        for step in self.pinned:
            for s in step.operands:
                self.used(s, ())
        pinned = set(map(id, self.pinned))
        for step in reversed(self.program.steps):
            choice = self.choices.get(step.results[0]) if step.results else None
            if choice is not None and choice.mask == step.results[0]:
                where = self.common(step)
                if where is not None:
                    self.used(_truth(choice.mask), where)
                self.asked(step)
                continue
            self.asked(step)
            if id(step) in pinned:
                continue
            where = self.common(step)
            if where is None:
                continue
            if choice is None:
                for s in step.operands:
                    self.used(s, where)
                continue
            known = dict(where)
            if choice.mask not in known:
                self.used(_truth(choice.mask), where)
            for side, holds in ((choice.yes, True), (choice.no, False)):
                if known.get(choice.mask, holds) == holds and not isinstance(side, tuple):
                    deeper = choice.mask in known or len(where) >= _DEPTH
                    self.used(side, where if deeper else (*where, (choice.mask, holds)))

    def common(self, step: Step) -> Branch | None:
        found = [self.blocks[s] for s in step.results if s in self.blocks]
        if not found:
            return None
        out = found[0]
        for other in found[1:]:
            out = _shared(out, other)
        for s in step.results:
            self.blocks[s] = out
        return out

    def used(self, what: Any, where: Branch) -> None:
        known = self.blocks.get(what)
        self.blocks[what] = where if known is None else _shared(known, where)

    def asked(self, step: Step) -> None:
        """Find the branch of the calls from which the truth value of a result is computed."""
        for s in step.results:
            where = self.blocks.get(_truth(s))
            if where is None:
                continue
            if self.logical(step):
                for mask in step.operands:
                    self.used(_truth(self.root(mask)), where)
            else:
                self.used(s, where)

    def logical(self, step: Step) -> bool:
        return (step.name in _ALGEBRA or step.name in _NOT) and all(
            self.single(s) for s in (*step.operands, *step.results)
        )

    # -- text --------------------------------------------------------------------------------------

    def written(self) -> list[str]:
        pinned = set(map(id, self.pinned))
        for step in self.program.steps:  # in their order, so that few lead to one another
            if id(step) in pinned:
                for s in step.operands:
                    self.need(s)
                self.stack[-1].append(self.text.line(step, None))
                self.done.update(step.results)
                continue
            for s in step.results:
                if self.blocks.get(s) == ():
                    self.need(s)
        return self.stack[0]

    def need(self, slot: int) -> None:
        """Compute a slot before the next line."""
        if slot in self.done or slot not in self.by:
            return
        step = self.by[slot]
        where = self.blocks[slot]
        choice = self.choices.get(slot)
        with self.within(where):
            if choice is None:
                for s in step.operands:
                    self.need(s)
                self.stack[-1].append(self.text.line(step, None))
            else:
                self.selected(slot, choice)
            self.done.update(step.results)

    def selected(self, slot: int, choice: _Choice) -> None:
        name, known = self.text.slot(slot), dict(self.branch)
        if choice.mask in known:
            self.stack[-1].append(f"{name} = {self.taken(choice, known[choice.mask])}")
            return
        test = self.truth(choice.mask)
        plain = isinstance(choice.yes, tuple) and isinstance(choice.no, tuple)
        if plain or len(self.branch) >= _DEPTH:
            yes, no = self.taken(choice, True), self.taken(choice, False)
            self.stack[-1].append(f"{name} = {yes} if {test} else {no}")
            return
        lines: list[str] = []
        for holds, head in ((True, f"if {test}:"), (False, "else:")):
            self.stack.append([])
            self.branch = (*self.branch, (choice.mask, holds))
            value = self.taken(choice, holds)
            self.branch = self.branch[:-1]
            lines += [head, *("    " + x for x in self.stack.pop()), f"    {name} = {value}"]
        self.stack[-1] += lines

    def taken(self, choice: _Choice, holds: bool) -> str:
        side = choice.yes if holds else choice.no
        if isinstance(side, tuple):
            return self.text.full(side[0])
        self.need(side)
        return self.text.slot(side)

    def truth(self, mask: int) -> str:
        """Return the name of the mask's Python truth value."""
        name = _truth(mask)
        if name not in self.done:
            with self.within(self.blocks[name]):
                told = self.told(mask)
                self.truths[name] = told if told.isidentifier() else name
                if self.truths[name] is name:
                    self.stack[-1].append(f"{name} = {told}")
            self.done.add(name)
        return self.truths[name]

    def told(self, mask: int) -> str:
        step = self.by.get(mask)
        if step is not None and self.logical(step):
            names = [self.truth(self.root(s)) for s in step.operands]
            sign = _ALGEBRA.get(step.name)
            return f"not {names[0]}" if sign is None else f"{names[0]} {sign} {names[1]}"
        self.need(mask)
        return self.text.truth(mask)

    @contextmanager
    def within(self, where: Branch) -> Iterator[None]:
        """Write into an open outer branch."""
        outer, below, at = self.branch, self.stack[len(where) + 1 :], len(where) + 1
        del self.stack[at:]
        self.branch = where
        try:
            yield
        finally:
            self.stack += below
            self.branch = outer


def _truth(mask: int) -> str:
    return f"t{mask}"


def _shared(a: Branch, b: Branch) -> Branch:
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return a[:n]
