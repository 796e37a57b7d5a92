"""Recording of a solver's step for one problem: traced once for a kind and replayed.

A step closes over settings, arrays, and the user's functions. `Outline` inspects these: settings
are part of the kind, arrays are inputs of the program, and functions marked by `whole` are called
as without a recording. So a user's function may do anything, and is called as often as before.

A read of a value is recorded with its result. A program is valid for points at which all reads give
the same results as in the trace. Otherwise the step is traced again from its start, and the results
that the user's functions have already returned in it are reused.
"""

import functools
import threading
import types
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from .. import _native
from .._library import Library
from .._namespace import hooks_of, is_neutral, library_named
from ..transforms._following._interpreter import is_open, recorder, recording
from ..transforms._following._kinds import exact
from ..transforms._following._proxy import Proxy
from ..transforms._following._space import space_of
from ..transforms._recordings._cache import Cache, in_force
from ..transforms._recordings._program import Made, Program, Step
from ..transforms._recordings._recording import Recorder, Unrecorded, record, sketch_of
from ..transforms._recordings._sized import values_of
from ..transforms._tree import Structure, flatten
from ._choices import chosen
from ._elements import Spelled, array_like, entered, spelled_out
from ._kept import inlined
from ._spelled import held

__all__ = [
    "HERE",
    "Again",
    "Differs",
    "Follower",
    "Log",
    "Outline",
    "Stepping",
    "Unknown",
    "Whole",
    "logged",
    "stepping",
    "whole",
]

F = TypeVar("F", bound=Callable[..., Any])

_FORMS = 8  # of the arrays of a state, that are kept of one kind
_PATHS = 8  # programs of a form, beside which steps are taken unrecorded
_AFTER = 2  # steps of a kind, before it is followed
_TEXT_AFTER = 10  # replays, after which compiling the text has paid
_INNER_AFTER = 200  # replays for the same functions, after which their code in it has paid
_VERSIONS = 8  # of a program, with functions of users in it
_FAILURES = 3  # in replays, after which a form goes on unrecorded


# -- what is called as it is -----------------------------------------------------------------------


class _Here(threading.local):
    """Hold this thread's listener to calls of `whole` functions."""

    by: Any = None


HERE = _Here()


def whole(method: F) -> F:
    """Mark a method, such as a user's function, that recordings of steps call without tracing it.

    ``outlined()`` of its object returns everything else on which a step depends, see `Outline`.
    """

    @functools.wraps(method)
    def call(self: Any, *args: Any) -> Any:
        by = HERE.by
        return method(self, *args) if by is None else by.called(method, self, args)

    return call  # type: ignore[return-value]


def _spelled(of: Any) -> Hashable:
    """Return a key that is equal for `whole` functions with equal traces, or None."""
    said = getattr(of, "spelled", None)
    return None if said is None else said()


class Whole:
    """A function that recordings of steps call without tracing it.

    ``said()`` returns a key that is equal for functions with equal traces, or None.
    """

    __slots__ = ("fun", "said")

    def __init__(
        self, fun: Callable[..., Any], said: Callable[[], Hashable] = lambda: None
    ) -> None:
        self.fun, self.said = fun, said

    @whole
    def __call__(self, *args: Any) -> Any:
        return self.fun(*args)

    def outlined(self) -> tuple[tuple[Any, ...], bool]:
        return (), True

    def spelled(self) -> Hashable:
        return self.said()


class Log:
    """Hold the results of the user's functions in this step, with their arguments.

    If a step restarts, a result is reused once, for a call of the same function with the same
    values, because another path through the step may call in another order.
    """

    def __init__(self, library: Library, copies: bool = True) -> None:
        self.library, self.copies = library, copies
        self.found: list[tuple[Callable[..., Any], Any, Sequence[Any], Any]] = []
        self.left: list[tuple[Callable[..., Any], Any, Sequence[Any], Any]] = []
        self.raised: BaseException | None = None

    def again(self) -> None:
        self.left = self.found[:]

    def clear(self) -> None:
        if self.found:
            self.found, self.left = [], []

    def call(self, method: Callable[..., Any], target: Any, args: Sequence[Any]) -> Any:
        leaves = flatten(tuple(args))[0] if self.copies or self.left else [args]
        for i, (known, of, before, out) in enumerate(self.left):
            if known is method and of is target and self.same(flatten(before)[0], leaves):
                del self.left[i]
                return out
        try:
            out = method(target, *args)
        except BaseException as error:
            self.raised = error
            raise
        kept: list[Any] = leaves
        if self.copies:  # a program may write into its arrays
            own = self.library.copied
            kept = [own(x) if self.library.recordable(x) else x for x in leaves]
        self.found.append((method, target, kept, out))
        return out

    def same(self, before: Sequence[Any], leaves: Sequence[Any]) -> bool:
        """Tell if values are equal to the last bit, in any memory layout."""

        def said(x: Any) -> Any:
            if not hasattr(x, "dtype"):
                return exact(x)
            return x.dtype, tuple(x.shape), values_of(self.library, x)

        return [*map(said, before)] == [*map(said, leaves)]


class Again:
    """Return the stored results of the user's functions, then call them."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def called(self, method: Callable[..., Any], target: Any, args: Sequence[Any]) -> Any:
        outer, HERE.by = HERE.by, None
        try:
            return self.log.call(method, target, args)
        finally:
            HERE.by = outer


def _call(method: Callable[..., Any], structure: Structure, target: Any, *values: Any) -> Any:
    """Call a `whole` function, as an instruction of its target and the arrays."""
    return target(method, structure.unflatten(values))


# -- what a step closes over -----------------------------------------------------------------------


class Unknown(Exception):
    """Raised if a step closes over an object that can't be inspected."""


_ATOMS = frozenset((int, bool, str, type(None)))


class Outline:
    """Inspect the objects that a function closes over.

    ``outlined()`` of an object returns a tuple to inspect in its place, and says whether its
    methods are `whole`. This is not `spelled`, which reads the code of users' functions and
    refuses objects and arrays: here the code is likewise's own, with objects and arrays in it.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.parts: list[Any] = []
        self.arrays: list[Any] = []
        self.targets: list[Any] = []
        self.seen: dict[int, int] = {}
        self.held: list[Any] = []  # what has a number in `seen`

    def add(self, x: Any) -> None:
        cls = x.__class__
        if cls in _ATOMS:
            self.parts += cls, x
            return
        number = self.seen.get(id(x))
        if number is not None:
            self.parts.append(number)
            return
        self.seen[id(x)] = len(self.held)
        self.held.append(x)
        if cls is types.FunctionType:
            self.function(x)
        elif cls is types.MethodType:
            self.add(x.__func__)
            self.add(x.__self__)
        elif cls is functools.partial:
            self.every("partial", held(x))
        elif hasattr(cls, "outlined"):
            inner, is_whole = x.outlined()
            if is_whole:
                self.targets.append(x)
            self.every(cls, inner)
        elif isinstance(x, tuple):
            self.every(cls, x)
        elif hasattr(x, "dtype") and not is_neutral(x):
            if not self.library.recordable(x):
                raise Unknown
            self.arrays.append(x)
            self.parts += "array", self.library.sketch(x)
        else:
            key = exact(x)
            if key is None:
                raise Unknown
            self.parts.append(key)

    def every(self, kind: Any, inner: Sequence[Any]) -> None:
        self.parts += kind, len(inner)
        for one in inner:
            self.add(one)

    def function(self, x: types.FunctionType) -> None:
        if not x.__module__.startswith("likewise."):
            if not (library_named(x.__module__) or x.__module__.startswith("array_api_compat.")):
                raise Unknown  # a user's, of which nothing is known
            self.parts.append(x)
            return
        self.parts.append(x.__code__)
        try:
            inner = held(x)
        except ValueError:  # a cell without contents
            raise Unknown from None
        self.every("function", inner)


# -- following -------------------------------------------------------------------------------------


class Differs(Exception):
    """Raised if a read of a value gives another result than in the trace."""


class _Look:
    """Hold a read of a value, as an instruction."""

    def __init__(self, kind: type, found: Any) -> None:
        self.kind, self.found = kind, found

    @property
    def said(self) -> Any:
        return self.kind, self.found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Look) and self.said == other.said

    def __hash__(self) -> int:
        return hash(self.said)

    def __call__(self, x: Any) -> tuple[()]:
        if self.kind(x) != self.found:
            raise Differs
        return ()

    def text(self, slot: str, name: str) -> str:
        """Return the read as a line of Python; `name` is the function that raises."""
        if self.kind is bool:
            return f"if {'not ' * self.found}{slot}: {name}({slot})"
        return f"if int({slot}) != {self.found}: {name}({slot})"

    def step(self, slot: int) -> Step:
        return Step("look", self, (slot,), {}, (), "look", True, None, "")


class _Routed:
    """Call a row's routine, as an instruction; equal for the same routine and structure."""

    spared = True  # where no branch needs it

    def __init__(self, row: Any, entry: Any, structure: Structure) -> None:
        self.row, self.entry, self.structure = row, entry, structure

    def __call__(self, *values: Any) -> Any:
        out = self.entry[1](*self.structure.unflatten(values))
        if out is NotImplemented:
            return self.row.generic(*self.structure.unflatten(values))
        return out

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Routed) and self.said == other.said

    def __hash__(self) -> int:
        return hash(self.said)

    @property
    def said(self) -> Any:
        return self.row.name, self.entry[1], self.structure


class Follower(Recorder):
    """Record a step's calls, and its reads of values."""

    sees = True

    def __init__(
        self,
        library: Library,
        like: Any,
        outline: Outline,
        targets: Sequence[Any],
        lanes: int | None = None,
        script: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(library, space_of(like), lanes=lanes)
        self.script = script  # what reads of values are to give, if the values may give other
        self.targets: dict[int, Proxy] = {}
        self.known: dict[int, int] = {}
        self.found: list[Any] = []
        self.place = " "  # which takes long to find
        self.through: Any = None  # a public function whose body is followed
        for one, target in zip(outline.targets, targets, strict=True):
            self.inputs.append(self.count)
            self.targets[id(one)] = Proxy(target, self, self.count, self.space)
            self.count += 1
        for x in outline.arrays:
            self.known[id(x)] = self.leaf(x).extra

    def slot(self, x: Any) -> int:
        if x.__class__ is Proxy and x.by is self:
            return int(x.extra)
        if hasattr(x, "dtype") and not is_neutral(x):
            if id(x) not in self.known:
                self.drop("it reads an array that it doesn't close over")
            return self.known[id(x)]
        return self.constant(x)

    def called(self, method: Callable[..., Any], target: Any, args: Sequence[Any]) -> Any:
        """Record a call of a `whole` function."""
        if id(target) not in self.targets:
            self.drop("it calls what it doesn't close over")
        leaves, structure = flatten(tuple(args))
        outer, HERE.by = HERE.by, None
        try:
            operands = [self.targets[id(target)], *leaves]
            call = functools.partial(_call, method, structure)
            return self.note(method.__qualname__, call, operands, {}, whole=True)
        finally:
            HERE.by = outer

    def noted(self, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Trace a public function, but record one that reads numbers as one call."""
        through, self.through = self.through, None
        if through == call or recorder() is not self:
            return NotImplemented
        steps, looks, self.through = len(self.steps), len(self.found), call
        out = call(*args, **kwargs)
        if not any(type(found) is int for found in self.found[looks:]):
            return out
        del self.steps[steps:], self.found[looks:]
        return super().noted(call, args, kwargs)

    def routed(self, row: Any, args: Any) -> Any:
        """Record a call of a routine, if one would run for the library's own arrays."""
        if recorder() is not self:
            return NotImplemented
        switch = _native.switched()
        if switch is not None and "generic" in (switch.force, *switch.order[:1]):
            return NotImplemented
        leaves, structure = flatten(args)
        own = [x.value if x.__class__ is Proxy else x for x in leaves]
        if any(x.__class__ is Proxy for x in own):
            return NotImplemented
        given = structure.unflatten(own)
        entry = row.named[row.find(given[0])]
        if entry.__class__ is not tuple or not entry[0](*given):
            return NotImplemented
        if switch is not None:
            self.drop("a routine is preferred")

        return self.note(row.name, _Routed(row, entry, structure), leaves, {}, whole=True)

    def look(self, kind: type, x: Proxy) -> Any:
        found = kind(x.value)
        if self.script is not None and len(self.found) < len(self.script):
            found = self.script[len(self.found)]
        self.steps.append(_Look(kind, found).step(self.slot(x)))
        self.found.append(found)
        return found

    def truth(self, x: Any) -> bool:
        found: bool = self.look(bool, x)
        return found

    def integer(self, x: Any, what: str) -> int:
        found: int = self.look(int, x)
        return found

    def says(self) -> Any:
        """Return a key that is equal for equal traces; None for unknown settings."""
        steps = [(s.says(), s.results) for s in self.steps]
        if any(said is None for said, _ in steps):
            return None
        return self.found, steps, [self.said(c) for _, c in self.constants.values()]

    def said(self, x: Any) -> Any:
        if not hasattr(x, "dtype") or is_neutral(x):
            return exact(x)
        return self.library.sketch(x), values_of(self.library, x)


def _inner(program: Program, given: Sequence[Any], step: Step) -> Program | None:
    """Return the program of a user's function, if its code determines that, for a step's call."""
    library = program.library
    call: Any = getattr(step.call, "__wrapped__", step.call)
    target: Any = None
    if step.operands and step.operands[0] < program.given:
        target = given[step.operands[0]]
    if getattr(call, "func", None) is not _call or getattr(target, "func", None) is not logged:
        return None
    (method, structure), of = call.args, target.args[1]
    if _spelled(of) is None:
        return None
    slots, made = step.operands[1:], program.made
    arrays = [array_like(library, made[s].sketch) for s in slots if s in made]

    def called(*arrays: Any) -> Any:
        left = iter(arrays)
        full = [next(left) if s in made else program.constants[s - program.given] for s in slots]
        return method(of, *structure.unflatten(full))

    with inlined():
        found, _, why = record(library, called, arrays)
    if found is None or why or found.outside:
        return None
    inner = found.program
    pairs = zip(inner.results, step.results, strict=True)
    same = all(_alike(inner.made.get(r.slot), program.made.get(s)) for r, s in pairs)
    return inner if same else None


def _alike(a: Made | None, b: Made | None) -> bool:
    """Tell if two arrays have one class, dtype and shape."""
    return a is not None and b is not None and a.sketch[:3] == b.sketch[:3]


class _Version:
    """Hold a program with the code of users' functions in it, or how often it was wanted."""

    def __init__(self) -> None:
        self.left = _INNER_AFTER
        self.spelled: Spelled | None = None


class _Path:
    """Hold a program for the points at which its reads give the same results as in the trace."""

    def __init__(self, program: Program, after: "_Form | None") -> None:
        self.program, self.run = program, program.run
        self.left = _TEXT_AFTER
        self.after = after  # the form of the state to which it leads, if known
        self.next: _Path | None = None  # which one served after it
        self.spelled: Spelled | None = None  # the same on Python's numbers
        self.versions = Cache(_VERSIONS)  # with the user's functions, by their keys

    def __call__(self, *given: Any) -> Any:
        if self.left:
            self.left -= 1
            if not self.left:
                self.hurry()
        return self.run(*given)

    def hurry(self) -> None:
        """Write the code, because many replays will follow."""
        self.spelled = spelled_out(self.program, lambda step: None, True)
        if self.spelled is None:
            self.program.hurry()
            self.run = chosen(self.program) or self.program.run

    def version(self, said: Hashable, given: Sequence[Any]) -> tuple[Spelled, bool]:
        """Return the code on numbers, and whether it stays so for these users' functions."""
        assert self.spelled is not None
        if said is None:
            return self.spelled, True
        version = self.versions.get(said) or self.versions.first(said, _Version())
        version.left -= version.left > 0
        if version.spelled is None and not version.left:
            inner = functools.partial(_inner, self.program, given)
            version.spelled = spelled_out(self.program, inner, True) or self.spelled
        return version.spelled or self.spelled, version.spelled is not None


class _Form:
    """Hold the programs of steps from states of one form, one per path."""

    def __init__(self) -> None:
        self.paths: list[_Path] = []
        self.likely: _Path | None = None  # what will serve next
        self.said: dict[Any, Any] = {}  # by what looks found, until the step says it twice
        self.sure = False
        self.lost = False
        self.failures = 0


class _Kind:
    """Hold the forms of states in steps of one kind."""

    def __init__(self, outline: Outline) -> None:
        self.codes = [p for p in outline.parts if p.__class__ is types.CodeType]
        self.seen = 0  # steps
        self.forms: dict[Any, _Form] = {}


_KEPT = Cache(256)
_UNASKED = object()


def _kind(key: Any, outline: Outline) -> _Kind:
    kind: _Kind = _KEPT.get(key) or _KEPT.first(key, _Kind(outline))
    return kind


# -- taking steps ----------------------------------------------------------------------------------


class Stepping:
    """Take the steps of one problem; `take` tells if it still runs, None if steps aren't recorded.

    `step` is a function of `problems` and a state, nested tuples of arrays; `going` of a state.
    `inlines` says that nobody else's code runs between steps, which might change the functions.
    """

    def __init__(
        self,
        step: Callable[..., Any],
        problems: Any,
        state: Any,
        going: Callable[[Any], Any],
        inlines: bool = True,
    ) -> None:
        self.step, self.problems, self.going = step, problems, going
        self.arrays: list[Any] | None
        self.arrays, self.structure = flatten(state)
        self.numbers: list[Any] | None = None  # the state, where that is on Python's numbers
        self.leave: Callable[..., list[Any]] | None = None  # from there
        self.library = hooks_of(self.arrays[0])
        self.outline = Outline(self.library)
        self.outline.add(step)
        self.outline.add(problems)
        self.kind = _kind((*in_force(self.library), *self.outline.parts), self.outline)
        self.log = Log(self.library)
        self.targets = [functools.partial(logged, self.log, t) for t in self.outline.targets]
        self.given = [*self.targets, *self.outline.arrays]
        self.known: list[Any] | None = None  # the same on Python's numbers
        self.versions: dict[_Path, Spelled] = {}  # of the functions of this call
        self.inlines, self.most, self.steps = inlines, -1, 1
        self.key: Hashable = _UNASKED if inlines else None
        self.form: _Form | None = None
        self.path: _Path | None = None  # what has served
        self.served_any = False

    def said(self) -> Hashable:
        """Return a key of the users' functions, if their code determines what they do."""
        if self.key is _UNASKED:
            keys = tuple(map(_spelled, self.outline.targets))
            self.key = None if all(k is None for k in keys) else keys
        return self.key

    @property
    def leaves(self) -> list[Any]:
        """Return the arrays of the state."""
        if self.arrays is None:
            assert self.leave is not None and self.numbers is not None
            self.arrays = self.leave(*self.numbers)
        return self.arrays

    @property
    def state(self) -> Any:
        """Return the state, in its own memory."""
        own = self.library.copied
        leaves = [own(x) for x in self.leaves] if self.served_any else self.leaves
        return self.structure.unflatten(leaves)

    def take(self, most: int = -1) -> bool | None:
        """Take a step, or more, at most so many; `steps` is how many."""
        form = self.form
        self.most, self.steps = most if self.inlines else 1, 1
        if form is None:
            form = self.form = self.formed()
            if self.path is not None:
                self.path.after = form
        if form is None or form.lost:
            return None
        if self.kind.seen < _AFTER:
            self.kind.seen += 1
            return self.eager()
        path = form.likely
        if path is None:
            return self.followed(form)
        try:
            out = self.taken(path)
        except Differs:
            return self.elsewhere(form, path)
        except Exception as error:
            return self.failed(form, error)
        form.likely = path.next or path
        return self.moved(out, path)

    def taken(self, path: _Path) -> list[Any]:
        """Return the state after a step, and whether it goes on, of numbers if it can be."""
        spelled = self.versions.get(path)
        if spelled is None and path.spelled is not None:
            spelled, stays = path.version(self.said(), self.given)
            if stays:
                self.versions[path] = spelled
        if spelled is None:
            out: list[Any] = path(*self.given, *self.leaves)
            self.leave = None
            return out
        if self.known is None:
            self.known = entered(self.given, spelled.forms)
        if self.numbers is None:
            self.numbers = entered(self.leaves, spelled.forms[len(self.given) :])
        if spelled.loop is None or path.after is not self.form:
            out = spelled.run(*self.known, *self.numbers)
        else:
            self.steps, error, going, out = spelled.loop(*self.known, *self.numbers, self.most)
            if error is not None and not self.steps:
                self.steps = 1
                raise error
            out.append(going)
        self.leave = spelled.leave
        return out

    def formed(self) -> _Form | None:
        """Return the form of states like this; None if it isn't cached."""
        library, forms = self.library, self.kind.forms
        for x in self.leaves:
            if not (library.recordable(x) or (hasattr(x, "dtype") and is_neutral(x))):
                return None
        key = self.structure, *[sketch_of(library, x) for x in self.leaves]
        form = forms.get(key)
        if form is None and len(forms) < _FORMS:
            form = forms.setdefault(key, _Form())
        return form

    def moved(self, out: list[Any], path: _Path | None = None) -> bool:
        """Move to the result of a program."""
        self.path = path
        self.form = None if path is None else path.after
        self.served_any = self.served_any or path is not None
        self.log.clear()
        going = out.pop()
        if path is None or self.leave is None:
            self.arrays, self.numbers = out, None
        else:
            self.arrays, self.numbers = None, out
        return bool(going)

    def eager(self) -> bool:
        """Take an unrecorded step, reusing results of earlier calls."""
        if self.log.found:
            self.log.again()
            outer, HERE.by = HERE.by, Again(self.log)
            try:
                new = self.step(self.problems, self.structure.unflatten(self.leaves))
            finally:
                HERE.by = outer
        else:
            new = self.step(self.problems, self.structure.unflatten(self.leaves))
        leaves, self.structure = flatten(new)
        return self.moved([*leaves, self.going(new)])

    def elsewhere(self, form: _Form, tried: _Path) -> bool:
        """Take a step for which the likely program isn't valid."""
        for path in form.paths:
            if path is tried:
                continue
            self.log.again()
            try:
                out = self.taken(path)
            except Differs:
                continue
            except Exception as error:
                return self.failed(form, error)
            return self.served(form, path, out)
        return self.followed(form)

    def served(self, form: _Form, path: _Path, out: list[Any]) -> bool:
        """Take a step by another program than the likely one."""
        if self.path is not None:
            self.path.next = path
        form.likely = path.next or path
        return self.moved(out, path)

    def failed(self, form: _Form, error: Exception) -> bool:
        """Handle an error in a replay: the user's own, the step's, or another path."""
        if error is self.log.raised:
            raise error
        form.failures += 1
        form.lost = form.failures > _FAILURES
        return self.eager()

    def followed(self, form: _Form) -> bool:
        """Take a step and record it."""
        self.log.again()
        if len(form.paths) >= _PATHS:
            return self.eager()
        by = Follower(self.library, self.leaves[0], self.outline, self.targets)
        outer, out = HERE.by, None
        try:
            if not form.lost:
                HERE.by = by
                with recording(by):
                    out = self.noted(by)
        except Unrecorded:
            form.lost = True
        except Exception as error:
            if error is self.log.raised:
                raise
            form.lost = True
        finally:
            HERE.by = outer
            by.open = False
        if out is None or by.lost:
            form.lost = True
            return self.eager()
        self.keep(form, by, out[0])
        return self.moved(out[1])

    def noted(self, by: Follower) -> tuple[Program, list[Any]] | None:
        leaves = [by.leaf(x) for x in self.leaves]
        flat, structure = flatten(self.problems)
        inner = [by.entered(x) if hasattr(x, "dtype") else x for x in flat]
        new = self.step(structure.unflatten(inner), self.structure.unflatten(leaves))
        after, structure = flatten(new)
        if structure != self.structure:
            return None
        recorded, out = by.finished([*after, self.going(new)])
        return recorded.program, out

    def keep(self, form: _Form, by: Follower, program: Program) -> None:
        """Cache a program, after two points have given equal traces."""
        found, said = tuple(by.found), by.says()
        if not form.sure:
            if found not in form.said:
                form.said[found] = said
                return
            form.lost = said is None or form.said[found] != said
            form.sure = not form.lost
            form.said = {}
        if form.lost:
            return
        before = [program.made.get(k) for k in range(len(self.given), program.given)]
        after = [program.made.get(r.slot) for r in program.results[:-1]]
        path = _Path(program, form if None not in after and before == after else None)
        form.paths.insert(0, path)
        if self.path is not None:
            self.path.next = path
        form.likely = path


def logged(log: Log, target: Any, method: Callable[..., Any], args: Sequence[Any]) -> Any:
    return log.call(method, target, args)


def stepping(
    step: Callable[..., Any],
    problems: Any,
    state: Any,
    going: Callable[[Any], Any],
    inlines: bool = True,
) -> Stepping | None:
    """Return an object that takes the steps of one problem, or None if they aren't recorded."""
    first = flatten(state)[0][:1]
    if is_open() or not first or not hooks_of(first[0]).records or not bool(going(state)):
        return None
    try:
        return Stepping(step, problems, state, going, inlines)
    except Unknown:
        return None
