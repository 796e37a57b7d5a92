"""Recording of a solver's step for many problems, replayed for any number of them.

As `_stepping` for one problem: the step's settings are part of the kind, the user's functions are
called without tracing them, and reads of values are recorded with their results. Two traces, of the
problems at hand and of a few of them, make a program for any number (`_sized`).
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .._library import Library
from .._namespace import device, hooks_of, is_neutral
from ..transforms._following._interpreter import is_open, recording
from ..transforms._following._kinds import exact
from ..transforms._jit import tell_unrecorded
from ..transforms._recordings._cache import Cache, in_force
from ..transforms._recordings._program import Program
from ..transforms._recordings._recording import Unrecorded
from ..transforms._recordings._sized import other_sizes, sized
from ..transforms._tree import Structure, flatten
from ._lanes import Known, some
from ._stepping import HERE, Again, Differs, Follower, Log, Outline, Unknown, logged

__all__ = ["batches"]

_AFTER = 2  # steps of a kind, before it is recorded
_PATHS = 8  # programs of a form, beside which steps are taken unrecorded
_FORMS = 8  # of states and problems, of one kind
_FAILURES = 3  # after which a form goes on unrecorded

Take = Callable[[Any, Any], Any]


class _Form:
    """Hold the programs for problems and states of one form, by their reads of values."""

    def __init__(self) -> None:
        self.paths: list[Known] = []
        self.failures = 0
        self.lost = False


class _Kind:
    """Hold the forms of steps of one kind."""

    def __init__(self, outline: Outline) -> None:
        self.outline = [p for p in outline.parts if hasattr(p, "co_code")]  # keep what has an id
        self.seen = 0
        self.places: dict[tuple[int, int], _Form] = {}  # by an array's, and the axis of its lanes
        self.forms: dict[Any, _Form] = {}


_KEPT = Cache(256)


class Batches:
    """Take steps of many problems: ``step(problems, state)``, both nested tuples of arrays.

    `axes` returns the axis of the lanes of each array of both. With `joint`, a step can't be taken
    for some of the problems.
    """

    def __init__(
        self, step: Take, axes: Callable[[Any, Any], list[int]], library: Library, joint: bool
    ) -> None:
        self.step, self.axes, self.library, self.joint = step, axes, library, joint
        self.outline = Outline(library)
        self.outline.add(step)
        key = (*in_force(library), joint, *self.outline.parts)
        self.kind: _Kind = _KEPT.first(key, _Kind(self.outline))
        self.log = Log(library, copies=False)
        self.targets = [functools.partial(logged, self.log, t) for t in self.outline.targets]
        self.given = [*self.targets, *self.outline.arrays]
        self.runs: dict[Any, tuple[_Form, Known, int]] = {}
        self.flat: list[tuple[Any, list[Any]]] = [(self, []), (self, [])]
        self.refused: set[Any] = set()  # kinds of arrays that are traced otherwise

    def __call__(self, problems: Any, state: Any) -> Any:
        """Return the next state."""
        leaves = [*self.leaves_of(0, problems), *self.leaves_of(1, state)]
        sketch = self.library.sketch
        key = tuple([sketch(x) if hasattr(x, "dtype") else None for x in leaves])
        self.log.clear()
        found = self.runs.get(key) or self.bound(key, leaves)
        if found is None:
            return self.planned(key, *flatten((problems, state)))
        form, known, n = found
        try:
            return self.kept(known.program.run(n, *self.given, *leaves))
        except Differs:
            return self.elsewhere(form, known, key, n, *flatten((problems, state)))
        except Exception as error:
            return self.failed(form, error, *flatten((problems, state)))

    def leaves_of(self, place: int, tree: Any) -> list[Any]:
        """Return the arrays of the problems, or of a state, which is mostly the last result."""
        known, leaves = self.flat[place]
        if known is not tree:
            leaves = flatten(tree)[0]
            self.flat[place] = tree, leaves
        return leaves

    def kept(self, out: tuple[Any, list[Any]]) -> Any:
        """Return the state of a result, and keep its arrays for the next step."""
        self.flat[1] = out
        return out[0]

    def planned(self, key: Any, leaves: list[Any], structure: Structure) -> Any:
        """Take a step of problems for which no program is known to serve."""
        axes = self.lanes(leaves, structure)
        n = max(leaves[k].shape[i] for k, i in axes.items())
        form = self.formed(n, axes, leaves, structure)
        if n == 0 or form is None or form.lost or key in self.refused:
            return self.eager(leaves, structure)
        if self.kind.seen < _AFTER:
            self.kind.seen += 1
            return self.eager(leaves, structure)
        place = next((k, i) for k, i in axes.items() if leaves[k].shape[i] == n)
        self.kind.places.setdefault(place, form)
        return self.elsewhere(form, None, key, n, leaves, structure)

    def bound(self, key: Any, leaves: list[Any]) -> tuple[_Form, Known, int] | None:
        """Find a program for these arrays by the place of the lanes in those of another number."""
        if None in key:  # what is no array counts by its value
            return None
        for (place, axis), form in self.kind.places.items():
            if place >= len(leaves) or not getattr(leaves[place], "ndim", 0):
                continue
            n = leaves[place].shape[axis]
            for known in form.paths[:1]:
                if n and n not in known.refused and self.takes(known, n, key):
                    found = self.runs[key] = form, known, n
                    return found
        return None

    def lanes(self, leaves: list[Any], structure: Structure) -> dict[int, int]:
        """Return the axes of the lanes, by the places of arrays that have them."""
        places = [k for k, x in enumerate(leaves) if hasattr(x, "dtype") and not is_neutral(x)]
        axes = self.axes(*structure.unflatten(leaves))
        return {k: i for k, i in zip(places, axes, strict=True) if leaves[k].ndim}

    def formed(
        self, n: int, axes: dict[int, int], leaves: list[Any], structure: Structure
    ) -> _Form | None:
        """Return the form of these; None if it isn't kept."""
        parts: list[Any] = [structure, n if self.joint else None]
        for k, x in enumerate(leaves):
            if not hasattr(x, "dtype") or is_neutral(x):
                part = exact(x)
                if part is None:
                    return None
                parts.append(part)
                continue
            if not self.library.recordable(x):
                return None
            shape = list(x.shape)
            axis = axes.get(k)
            if axis is not None and shape[axis] == n:
                shape[axis] = -1
            parts.append((type(x), x.dtype, tuple(shape), device(x)))
        form: _Form | None = self.kind.forms.get(key := tuple(parts))
        if form is None and len(self.kind.forms) < _FORMS:
            form = self.kind.forms.setdefault(key, _Form())
        return form

    def elsewhere(
        self,
        form: _Form,
        tried: Known | None,
        key: Any,
        n: int,
        leaves: list[Any],
        structure: Structure,
    ) -> Any:
        """Take a step for which another program than the one that was tried may serve."""
        if form.lost or any(n in known.refused for known in form.paths):
            return self.eager(leaves, structure)
        for known in form.paths:
            if known is tried or not self.takes(known, n, key):
                continue
            self.log.again()
            try:
                out = self.kept(known.program.run(n, *self.given, *leaves))
            except Differs:
                continue
            except Exception as error:
                return self.failed(form, error, leaves, structure)
            self.runs[key] = form, known, n
            return out
        return self.followed(form, key, n, leaves, structure)

    def takes(self, known: Known, n: int, key: Any) -> bool:
        closed = map(self.library.sketch, self.outline.arrays)
        sketches = [*closed, *(k for k in key if k is not None)]
        return known.takes(n, key, sketches, len(self.targets))

    def failed(self, form: _Form, error: Exception, leaves: list[Any], structure: Structure) -> Any:
        """Handle an error in a replay: the user's own, or the step's."""
        if error is self.log.raised:
            raise error
        self.lose(form, f"a replay raised {type(error).__name__}")
        self.runs.clear()
        return self.eager(leaves, structure)

    def lose(self, form: _Form, why: str, sure: bool = False) -> None:
        """Note that a step isn't recorded; after some, or if it is sure, none of the form is."""
        form.failures += 1
        form.lost = sure or form.failures > _FAILURES
        if form.lost:
            tell_unrecorded("a solver's step", self.library.name, why)

    def eager(self, leaves: list[Any], structure: Structure) -> Any:
        """Take an unrecorded step, reusing results of calls that were already made in it."""
        problems, state = structure.unflatten(leaves)
        if not self.log.found:
            return self.step(problems, state)
        self.log.again()
        outer, HERE.by = HERE.by, Again(self.log)
        try:
            return self.step(problems, state)
        finally:
            HERE.by = outer

    # -- recording ---------------------------------------------------------------------------------

    def followed(
        self, form: _Form, key: Any, n: int, leaves: list[Any], structure: Structure
    ) -> Any:
        """Take a step and record it."""
        if len(form.paths) >= _PATHS:
            return self.eager(leaves, structure)
        self.log.again()
        one = self.trace(n, leaves, structure, self.targets)
        if one is None:
            if self.log.raised is not None:
                raise self.log.raised
            self.lose(form, "it can't be traced, or solves other problems within a step")
            return self.eager(leaves, structure)
        program, found, out = one
        for known in form.paths:
            if known.found == found and known.program.fits(program, n):
                known.add(n, key)
                self.runs[key] = form, known, n
                return out
        if any(known.found == found and known.refuse(n) for known in form.paths):
            self.refused.add(key)
            return out
        made = self.compared(n, program, found, leaves, structure)
        if made is None or not (made.program.fits(program, n) or made.refuse(n)):
            self.lose(form, "it is another step for another number of problems", sure=True)
            return out
        form.paths.insert(0, made)
        if n in made.refused:
            self.refused.add(key)
        else:
            self.runs[key] = form, made, n
        return out

    def compared(
        self, n: int, program: Program, found: Any, leaves: list[Any], structure: Structure
    ) -> Known | None:
        """Compare the trace with those of some of the problems; return what is known, or None."""
        before = n, program
        axes = self.lanes(leaves, structure)
        for m in [n] if self.joint else other_sizes(n, program):
            few, targets = leaves, self.targets
            if self.joint:
                self.log.again()
            else:
                few = [some(self.library, x, axes.get(k), n, m) for k, x in enumerate(leaves)]
                targets = [functools.partial(_called, t) for t in self.outline.targets]
            two = self.trace(m, few, structure, targets, found)
            if two is None or two[1] != found:
                return None
            made = sized(before[1], before[0], two[0], m)
            if made is not None:
                return Known(made, (before[0], m), found)
            before = m, two[0]
        return None

    def trace(
        self,
        n: int,
        leaves: list[Any],
        structure: Structure,
        targets: Sequence[Any],
        script: list[Any] | None = None,
    ) -> tuple[Program, list[Any], Any] | None:
        """Return the program, the reads of values, and the next state."""
        by = Follower(self.library, _first(leaves), self.outline, targets, n, script)
        outer, made = HERE.by, None
        try:
            HERE.by = by
            with recording(by):
                given = [by.leaf(x) if hasattr(x, "dtype") else x for x in leaves]
                new = self.step(*structure.unflatten(given))
                made = by.finished((new, flatten(new)[0]))
        except (Unrecorded, Exception):  # of the step's own, which comes again
            made = None
        finally:
            HERE.by = outer
            by.open = False
        # What reads numbers, as a solver in it, is not likely to read the same ones again.
        if made is None or by.lost or any(type(found) is int for found in by.found):
            return None
        recorded, (state, _) = made
        return recorded.program, by.found, state


def _called(target: Any, method: Callable[..., Any], args: Sequence[Any]) -> Any:
    return method(target, *args)


def _first(leaves: list[Any]) -> Any:
    return next(x for x in leaves if hasattr(x, "dtype"))


def batches(step: Take, axes: Callable[[Any, Any], list[int]], like: Any, joint: bool) -> Take:
    """Return a function that takes steps, recorded if they can be."""
    library = hooks_of(like)
    if is_open() or not library.replays:
        return step
    try:
        return Batches(step, axes, library, joint)
    except Unknown:
        return step
