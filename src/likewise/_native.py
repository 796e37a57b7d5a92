"""Native routines: one row of strings beside a function, and which routine runs for given arrays.

A row sits on the private apply step, behind the public function's checks. So the order validate,
native, generic holds by construction, and errors are ours whether the routine is there or not.
"""

import contextlib
import functools
import importlib
import itertools
import logging
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from ._default import BLOCKED, PREFERRED, SET_ORDER
from ._memo import PLAIN, SCALARS, Memo, Sketch, Step, Unplanned, frozen, plan
from ._namespace import Library, array_namespace, is_neutral, leaves, library_of, loaded
from .errors import ArgumentError, DtypeError, NativeUnavailable, ProviderError

if TYPE_CHECKING:
    from ._offers import Offer
    from ._providers import Entry as Provided

__all__ = [
    "FOLLOWING",
    "NOTING",
    "ROWS",
    "STANDING_IN",
    "Explanation",
    "Preference",
    "Ran",
    "Row",
    "as_now",
    "counterpart",
    "explain",
    "native",
    "of_elements",
    "of_one_kind",
    "prefer",
    "public",
    "switched",
    "trace_native",
]

F = TypeVar("F", bound=Callable[..., Any])
Entry: TypeAlias = tuple[Callable[..., bool], Callable[..., Any]] | str
logger = logging.getLogger("likewise.native")

LIVE = len(PREFERRED[:1])  # the number of live switches: all that the hot path looks at
# What records calls: of each public function `noted` hears, of each apply step `routed`.
NOTING: list[Any] = []
# The transforms that are open, in all threads; and by the class that stands in for arrays inside of
# one, what lets the arrays beside it be of its kind.
FOLLOWING: list[Any] = []
STANDING_IN: dict[type, Callable[[Any, tuple[Any, ...]], tuple[Any, ...]]] = {}
# Which switches they are, in words, for torch.compile to guard on.
TOKEN = f"{PREFERRED} None" if PREFERRED else ""
_lock = threading.Lock()

ROWS: list["Row"] = []
# What can be preferred before any row is loaded; rows of other packages add their own, and so do
# the providers that are installed.
PROVIDERS = frozenset("cupy cupyx generic jax likewise numpy scipy torch".split())

# Modules of adapters that do nothing but call another package, before any is loaded.
_ADAPTERS = (
    "_distances _fits _whole _lapack _nonnegative _peaks _solvers _systems _trigonometric".split()
)
_ADAPTED = {f"likewise._libs.numpy.{name}": "scipy" for name in _ADAPTERS}


@dataclass(frozen=True)
class Ran:
    """One call of an apply step: what ran for it."""

    function: str
    routine: str
    library: str | None


@dataclass(frozen=True)
class Explanation:
    """Says which routine would run for a call, and why the others would not.

    Of a function made by `jit` it says which recording, and `program` is its text.
    """

    function: str
    library: str | None
    routine: str
    reasons: dict[str, str] = field(default_factory=dict)
    step: str = ""
    program: str = ""

    def __str__(self) -> str:
        step = f", step {self.step}" if self.step not in ("", self.function) else ""
        where = self.library or "another library"
        lines = [f"{self.function} on {where}{step}: {self.routine} would run"]
        lines += [f"  not {name}: {reason}" for name, reason in self.reasons.items()]
        lines += [self.program] if self.program else []
        return "\n".join(lines)


@dataclass(frozen=True)
class _Switch:
    order: tuple[str, ...] = ()
    force: str | None = None
    logs: tuple[list[Ran], ...] = ()
    ask: bool = False
    # By a public function's name, 'likewise.signal:convolve', the routines of preferred providers.
    offered: Mapping[str, tuple["Provided", ...]] = field(default_factory=dict)
    # The calls, the outermost first, whose checks a provider waits for; and the switch around them.
    offers: tuple["Offer", ...] = ()
    outside: "_Switch | None" = None


_BOXED = "likewise._libs.numpy._boxes"
_FEW = 16  # elements up to which Python's numbers are quicker than arrays
_LATER = "it comes later in the order"
_SWITCH: ContextVar[_Switch | None] = ContextVar("likewise.native", default=None)
_NONE = _Switch()
_GLOBAL: list[_Switch] = []  # at most one: what holds in all threads, by `enable_globally`
_ENTERED = contextlib.ExitStack()  # what libraries were told with it


class _Asked(BaseException):
    """Carries an explanation out of the call that was asked about."""

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation


def _switch(token: str = "") -> _Switch:
    """Return what is switched here; torch.compile calls it in tracing and guards on the token."""
    if found := _SWITCH.get():
        return found
    return _GLOBAL[0] if _GLOBAL else _usual() if PREFERRED else _NONE


@functools.cache
def _usual() -> _Switch:
    order = _in_order(PREFERRED)
    return _Switch(order=order, offered=_offered("LIKEWISE_PREFER", order))


def _outside() -> _Switch:
    """Return what is switched here, without the calls that a provider waits for."""
    switch = _switch()
    return switch.outside or switch


def _tell(function: str, routine: str, library: str | None) -> None:
    """Tell what runs to the traces that are live here; under torch.compile, once, in tracing."""
    for log in _switch().logs:
        log.append(Ran(function, routine, library))
    logger.info("%s on %s: %s", function, library, routine)


class _Forced(NativeUnavailable):
    """Raised by a step; the public function around it says its own name."""


class Row:
    """The native routines of one apply step.

    Parameters
    ----------
    generic : callable
        The body in standard functions.
    routines : dict
        ``"module:function"`` per library.
    when : callable or dict
        Given the apply step's arguments, whether the routine serves them; looks at dtypes, shapes
        and options only, as the answer is remembered for them. One for all, or one per library.
    box : callable, optional
        Of the result and the arguments of routines on NumPy's arrays, where the result is right.
    usual : sequence of pair of float
        For each argument, from where to where the box holds whatever the others are.
    """

    def __init__(
        self,
        generic: Callable[..., Any],
        routines: dict[str, str],
        when: Callable[..., bool] | Mapping[str, Callable[..., bool]],
        box: Callable[..., Any] | None = None,
        usual: Sequence[tuple[float, float]] = (),
    ) -> None:
        self.name = generic.__name__.lstrip("_")
        self.generic = generic
        self.routines = routines
        self.box, self.usual = box, usual
        self.when = {n: when if callable(when) else when.get(n, _always) for n in routines}
        # The test and the call, or why there is none: by exact class of the first argument, and
        # by the library's name.
        self.found: dict[type, Entry] = {Sketch: (_always, self.planned)}
        self.named: dict[str, Entry] = {}

    def provider(self, library: str) -> str:
        """'scipy' for 'scipy.signal:fftconvolve', and for adapters of SciPy's functions."""
        path = self.routines[library].partition(":")[0]
        return _ADAPTED.get(path, path.partition(".")[0])

    def find(self, x: object) -> str:
        """The library of `x`, its routine loaded into `named`."""
        library = library_of(x)
        name = "" if library is None else library.name
        if name not in self.named:
            self.named[name] = self.load(library)
        if library is not None and type(x) in library.own_types():
            self.found[type(x)] = self.named[name]
        return name

    def planned(self, *args: Any) -> Step:
        """Return what would run for arrays of a kind; of a body, the step in it if that is all."""
        planning = next(a for a in args if type(a) is Sketch).__likewise_library__
        library, before = planning.own, planning.steps
        if library.name not in self.named:
            self.named[library.name] = self.load(library)
        entry, step = self.named[library.name], None
        if entry.__class__ is tuple and entry[0](*args):
            step = Step(entry[1], args)
        else:
            with contextlib.suppress(Unplanned):  # it does more than a step
                inner = self.generic(*args)
                if type(inner) is Step and planning.steps == before + 1:
                    step = inner
        planning.steps = before + 1
        return Step(self.generic, args) if step is None else step

    def load(self, library: Library | None) -> Entry:
        """The routine of a library, or the reason why there is none."""
        if library is None or library.name not in self.routines:
            return "there is no routine for this library"
        path, _, name = self.routines[library.name].partition(":")
        try:
            routine = getattr(importlib.import_module(path), name)
        except ModuleNotFoundError as error:
            lacking = (error.name or "").partition(".")[0]
            if lacking in ("", "likewise"):
                raise
            return f"{lacking} is not installed"
        if "body" in (getattr(routine, "__kwdefaults__", None) or ()):
            routine = functools.partial(routine, body=self.generic)
        when = self.when[library.name]
        own = self.generic.__module__.partition(".")[0]
        viewed = path.partition(".")[0] not in ("likewise", own, *library.packages)
        if self.box is not None and (viewed or library.name == "numpy"):
            boxed = importlib.import_module(_BOXED).boxed
            routine = boxed(routine, self.box, self.generic, self.usual)
        if not viewed:
            return when, routine
        viewable, through = library.viewable, library.through_numpy(routine)
        if through is routine:
            return when, routine
        return (lambda *args: when(*args) and viewable(*args)), through

    def switched(self, args: tuple[Any, ...], token: str) -> Any:
        """The apply step while some switch is live."""
        for by in NOTING:
            out = by.routed(self, args)
            if out is not NotImplemented:
                return out
        switch = _switch(token)
        library = library_of(args[0])
        name = None if library is None else library.name
        reasons: dict[str, str] = {}
        usable: dict[str, tuple[str, Any]] = {}
        found = self.named[self.find(args[0])]
        if name not in self.routines:
            reasons["native routines"] = str(found)
        else:
            label = self.routines[name]
            if isinstance(found, str):
                reasons[label] = found
            elif not found[0](*args):
                reasons[label] = (
                    f"these arguments don't meet its condition ({_words(self.when[name])})"
                )
            else:
                usable[self.provider(name)] = (label, found[1])
        usable["generic"] = ("generic", self.generic)
        offer = next((o for o in switch.offers if self in o.steps), None)
        if switch.offers and offer is None:  # a step of what the call is made of
            force = switch.force if switch.force in PROVIDERS else None
            switch = replace(switch, force=force, ask=False)
        elif offer is not None:
            for e in offer.entries:
                told = offer.verdict(e)
                if told is True:
                    usable.setdefault(e.provider, (e.label, e))
                else:
                    reasons[e.label] = str(told)
                    if not switch.ask and e not in offer.logged:
                        offer.logged.add(e)
                        logger.info("%s on %s: not %s: %s", offer.name, name, e.label, told)
        if switch.force is not None and switch.force not in usable:
            own = [why for label, why in reasons.items() if label.endswith(f" of {switch.force}")]
            if switch.force in BLOCKED:
                own = ["LIKEWISE_BLOCK blocks it"]
            raise _Forced(
                f"{switch.force!r} was forced, but can't run here: "
                f"{'; '.join(own or reasons.values()) or 'it has no routine for ' + str(name)}"
            )
        wanted = (switch.force,) if switch.force is not None else switch.order
        chosen = next((w for w in wanted if w in usable), next(iter(usable)))
        label, routine = usable.pop(chosen)
        if switch.ask:
            later = dict.fromkeys((other for other, _ in usable.values()), _LATER)
            if self.box is not None and label.startswith("scipy"):
                later["generic"] = f"it runs for elements outside of: {_words(self.box)}"
            reasons.update(later)
            raise _Asked(Explanation(self.name, name, label, reasons, self.name))
        if offer is not None:
            offer.choose(routine)
        _tell(self.name, label, name)
        out = routine(*args)
        if out is NotImplemented:
            _tell(self.name, "generic", name)
            out = self.generic(*args)
        return out


# Called by torch.compile at trace time, under the guards on LIVE and TOKEN or on the class. `find`
# answers with a name, because torch can guard a routine only where it came from a dictionary.
_switch._dynamo_marked_constant = True  # type: ignore[attr-defined]
_tell._dynamo_marked_constant = True  # type: ignore[attr-defined]
Row.find._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _is_offered(where: str, token: str) -> bool:
    """Tell if a provider that is preferred here names the function."""
    return where in _switch().offered


_is_offered._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _followed(args: Iterable[Any]) -> bool:
    """Tell if an array is none of a library's own, or if somebody follows what is done with it.

    Then the body runs, whatever is preferred: under derivatives, vmap, compilers, recordings.
    """
    for x in leaves(args):
        if hasattr(x, "dtype") and hasattr(x, "shape") and not is_neutral(x):
            library = library_of(x)
            if library is None or type(x) not in library.own_types() or library.followed(x):
                return True
    return False


def _or_provider(call: Any, func: Any, where: str, args: Any, kwargs: Any) -> Any:
    """Call a function for which providers are preferred: one of them, or the function itself."""
    from . import _offers  # with what reads metadata and TOML: only where a provider is preferred

    switch = _switch()
    offer = _offers.Offer(call, switch.offered[where], args, kwargs)
    inside = replace(switch, offers=(*switch.offers, offer), outside=switch.outside or switch)
    while True:
        token = _SWITCH.set(inside)
        try:
            return func(*args, **kwargs)
        except _offers.Chosen as found:
            if found.offer is not offer:
                raise
            chosen = found
        except NotImplementedError as error:
            _refuse(call.__name__, error)
            raise
        finally:
            _SWITCH.reset(token)
        entry = chosen.entry
        if switch.logs or logger.isEnabledFor(logging.INFO):
            _tell(call.__name__, entry.label, entry.library)
        order = tuple(name for name in switch.order if name != entry.provider)
        with _preferring("prefer", order, None):  # so that it can call what it stands in for
            out = _offers.run(chosen)
        if out is not NotImplemented:
            return out
        offer.withdrawn.add(entry)


def of_one_kind(*args: Any) -> tuple[Any, ...]:
    """Return arguments of one kind, where a transform follows some and others are closed over.

    Not every library's operators know what stands in for arrays.
    """
    found = next((a for a in leaves(args) if a.__class__ in STANDING_IN), None)
    return args if found is None else STANDING_IN[found.__class__](found, args)


def _words(when: Callable[..., bool]) -> str:
    return (when.__doc__ or when.__name__).strip().partition("\n")[0].rstrip(".")


def _always(*args: Any) -> bool:
    """Any arguments."""
    return True


def native(
    *,
    when: Callable[..., bool] | Mapping[str, Callable[..., bool]] = _always,
    box: Callable[..., Any] | None = None,
    usual: Sequence[tuple[float, float]] = (),
    **routines: str,
) -> Callable[[F], F]:
    """Put a row of native routines on an apply step, which is called with positional arguments.

    An apply step is the body of a public function, behind its checks. One without routines of its
    own, ``@native()``, is still a place at which providers are asked.

    Parameters
    ----------
    when : callable or dict, optional
        Which arguments the routines serve, by dtypes, shapes and options only, as the answer is
        remembered for them; its docstring's first line is the reason that `explain` prints. One for
        all libraries, or one for some of them by name.
    box : callable, optional
        Where an elementwise routine on NumPy's arrays, or views, is right: given its result and the
        arguments, in double precision, true inside. The body is put in for the elements outside;
        `likewise._libs.numpy._boxes` has the rules for writing one.
    usual : sequence of pair of float, optional
        For each argument, from where to where it is usual: a few numbers that all lie in there are
        in the box, and needn't be asked about.
    **routines : str
        Per library, ``"module:function"``, called with the apply step's arguments. A torch row of
        a package that is neither torch's nor the step's own is called on NumPy views of plain CPU
        tensors, which copies nothing. A routine that returns NotImplemented, as it may for values,
        leaves the call to the body. One with an argument ``body=None``, by keyword only, is given
        the body.

    Returns
    -------
    callable
        The decorator.

    Notes
    -----
    The array that decides is the first argument. The step's name, without its underscores in
    front, is the one that `explain` and `trace_native` tell.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> @likewise.native(numpy="numpy:flip")
    ... def _reversed(x):
    ...     return likewise.array_namespace(x).flip(x)
    >>> with likewise.trace_native() as log:
    ...     y = _reversed(np.asarray([1, 2]))
    >>> log[0].routine, y
    ('numpy:flip', array([2, 1]))
    """

    def decorate(generic: F) -> F:
        row = Row(generic, routines, when, box, usual)
        ROWS.append(row)
        found = row.found

        @functools.wraps(generic)
        def apply(*args: Any) -> Any:
            if FOLLOWING:
                args = of_one_kind(*args)
            if LIVE:
                return row.switched(args, TOKEN)
            try:  # torch.compile can't guard on a class that `get` misses
                entry = found[type(args[0])]
            except KeyError:
                if NOTING:
                    for by in NOTING:
                        out = by.routed(row, args)
                        if out is not NotImplemented:
                            return out
                entry = row.named[row.find(args[0])]
            if entry.__class__ is tuple and entry[0](*args):
                out = entry[1](*args)
                if out is not NotImplemented:
                    return out
            return generic(*args)

        apply.row = row  # type: ignore[attr-defined]
        return apply  # type: ignore[return-value]

    return decorate


@overload
def public(func: F) -> F: ...


@overload
def public(*, cases: str) -> Callable[[F], F]: ...


def public(func: Any = None, *, cases: str = "") -> Any:
    """Make a function one that providers may serve, with ``.generic``, which runs its body.

    Decorates what a library offers: likewise's own functions, and those of a library that is
    written on it.

    Parameters
    ----------
    func : callable
        It checks its arguments and returns what an apply step, one decorated with
        `likewise.native`, makes of them.
    cases : str, optional
        ``"module:function"``, of a function that takes a dtype's name and gives calls, pairs of
        arguments and keyword arguments with NumPy's arrays; `likewise verify` compares a provider's
        routine with the body on them. It is imported only then.

    Returns
    -------
    callable
        The function, which is known by the public part of its module's name:
        'smallimage.filters:gaussian' if it stands in ``smallimage.filters._smooth``. ``.generic``
        makes the same checks and always takes the generic body.

    Notes
    -----
    What the function makes of NumPy's dtypes, shapes and options up to its step may be remembered:
    it gets sketches in place of arrays, without values, and isn't called again for the kind. One
    that looks at values, or works on the step's result, is called each time.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> @likewise.public
    ... def mirrored(image):
    ...     if len(image.shape) < 2:
    ...         raise ValueError("mirrored: an image has two dimensions")
    ...     return _mirrored(image)
    >>> @likewise.native()
    ... def _mirrored(image):
    ...     return likewise.array_namespace(image).flip(image, axis=-1)
    >>> mirrored(np.asarray([[1, 2], [3, 4]]))
    array([[2, 1],
           [4, 3]])
    >>> print(likewise.explain(mirrored, np.ones((2, 2))))
    mirrored on numpy: generic would run
      not native routines: there is no routine for this library
    """
    if func is None:
        return functools.partial(_public, cases=cases)
    return _public(func, cases)


def _known_as(func: Callable[..., Any]) -> str:
    """Return 'smallimage.filters:gaussian' for one that is in ``smallimage.filters._smooth``."""
    shown = itertools.takewhile(lambda part: part[:1] != "_", func.__module__.split("."))
    return f"{'.'.join(shown) or func.__module__}:{func.__name__}"


def of_elements(func: F) -> F:
    """Make a function public that is planned alike for all shapes that broadcast."""
    return _public(func, "", elements=True)


def _public(func: Any, cases: str, elements: bool = False) -> Any:
    memo: Memo = {}
    where = _known_as(func)
    short: Any = None  # of elements: what was planned last, without shapes

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal short
        if NOTING:
            for by in NOTING:
                out = by.noted(call, args, kwargs)
                if out is not NotImplemented:
                    return out
        # The class first: where torch.compile looks on, nothing else is read here.
        array = type(args[0]) if args else None
        if array is int or array is float:  # an order, a number of degrees of freedom
            array = _after_numbers(args)
        if array not in PLAIN or LIVE:
            if LIVE and _is_offered(where, TOKEN) and not _followed((*args, *kwargs.values())):
                return _or_provider(call, func, where, args, kwargs)
            try:  # in here: a function around it would cost two percent of a small call
                return func(*args, **kwargs)
            except NotImplementedError as error:
                _refuse(func.__name__, error)
                raise
        settled = PLAIN[array]
        if settled is None and short is not None and not kwargs:
            count, dtype, spans, usual, routine = short
            if len(args) == count:
                for x in args:
                    if type(x) is not array or x.dtype is not dtype:
                        break
                else:
                    if spans is not None and _within(args, spans):
                        routine = usual
                    try:
                        out = routine(*args)
                    except Exception:  # the long way raises it again, in our words
                        out = NotImplemented
                    if out is not NotImplemented:
                        return out
        given = (*args, *kwargs.values()) if kwargs else args
        key: tuple[Any, ...] = (*kwargs,) if kwargs else ()
        out = NotImplemented
        try:
            if settled is not None:
                place = settled(given)
                if place is None:
                    return func(*args, **kwargs)
                key += (place,)
            for a in given:
                cls = type(a)
                if cls is array:
                    key += a.dtype, a.shape
                elif cls in SCALARS:
                    key += cls, a
                else:
                    a = frozen(a)
                    if a is NotImplemented:
                        return func(*args, **kwargs)
                    key += cls, a
            found = memo.get(key, ())
            if found == ():
                library = library_of(next(a for a in given if type(a) is array))
                found = plan(func, memo, key, args, kwargs, library)
                if found and elements and settled is None and not kwargs:
                    short = _shortened(array, args, *found) or short
            if found:
                routine, pick, rest = found
                # What it raises is its own: a singular matrix, an index out of range, a dtype that
                # it lacks; the function may have another way, and raises its own errors.
                try:
                    out = (
                        routine(*given, *rest) if pick is None else routine(*pick((*given, *rest)))
                    )
                except Exception:
                    out = NotImplemented
            return func(*args, **kwargs) if out is NotImplemented else out
        except NotImplementedError as error:
            _refuse(func.__name__, error)
            raise

    @functools.wraps(func)
    def generic(*args: Any, **kwargs: Any) -> Any:
        for by in NOTING:
            out = by.noted(generic, args, kwargs)
            if out is not NotImplemented:
                return out
        with prefer(force="generic"):
            return call(*args, **kwargs)

    for name, value in (("generic", generic), ("memo", memo), ("where", where), ("cases", cases)):
        setattr(call, name, value)
    return call


def _after_numbers(args: tuple[Any, ...]) -> type | None:
    """Return the class of the first argument behind Python's numbers, if nobody can follow it."""
    for a in args:
        cls = type(a)
        if cls is not int and cls is not float:
            return cls if PLAIN.get(cls, cls) is None else None
    return None


def _shortened(
    array: Any, args: tuple[Any, ...], routine: Any, pick: Any, rest: tuple[Any, ...]
) -> Any:
    """Return what a shorter way to a routine needs; None unless all are arrays of one dtype.

    That is the number of arguments, their dtype, the spans of usual numbers with the routine for
    them, both None where there are none, and the routine for all numbers.
    """
    dtype = getattr(args[0], "dtype", None)
    if any(type(a) is not array or a.dtype is not dtype for a in args):
        return None
    spans, usual = None, None
    if dtype == "float64" and hasattr(routine, "usual"):
        within, pairs = routine.usual
        if len(pairs) == len(args) and pick is None:
            spans = tuple(float(end) for pair in pairs for end in pair)
            usual = functools.partial(_with, within, tuple, rest) if rest else within
    if pick is not None or rest:
        routine = functools.partial(_with, routine, tuple if pick is None else pick, rest)
    return len(args), dtype, spans, usual, routine


def _with(routine: Any, pick: Any, rest: tuple[Any, ...], *args: Any) -> Any:
    return routine(*pick((*args, *rest)))


def _within(args: tuple[Any, ...], spans: tuple[float, ...]) -> bool:
    """Tell if few numbers are given, and lie in their spans."""
    i = 0
    for x in args:
        if x.ndim != 1 or x.size > _FEW:
            return False
        low, high = spans[i], spans[i + 1]
        i += 2
        for number in x.tolist():
            if not number >= low or not number <= high:  # in 3.11 twice as quick as a chain
                return False
    return True


def _refuse(function: str, error: NotImplementedError) -> None:
    """Raise our error where a routine can't run, or a library has a dtype in name only."""
    if isinstance(error, _Forced):
        raise NativeUnavailable(f"{function}: {error}") from None
    for library in loaded():
        dtype = library.lacking(error)
        if dtype is not None:
            raise DtypeError(
                f"{function}: got an array of {dtype}, for which {library.name} lacks an operation "
                f"that is needed here ({error}). Convert it first, by xp.astype(x, xp.int64), say."
            ) from error


@contextlib.contextmanager
def _live(switch: _Switch) -> Iterator[None]:
    """Switch something, here and in what is called here."""
    global LIVE, TOKEN
    found = _SWITCH.set(switch)
    with _lock:
        LIVE += 1
        outer, TOKEN = TOKEN, f"{switch.order} {switch.force}"
    try:
        yield
    finally:
        with _lock:
            LIVE -= 1
            TOKEN = outer
        _SWITCH.reset(found)


def switched() -> _Switch | None:
    """Return what is switched here, None where nothing is."""
    return _outside() if LIVE else None


def as_now(function: Callable[..., Any], usual: _Switch | None) -> Callable[..., Any]:
    """Return a function that runs under what is switched now, if that isn't as usual."""
    now = switched()
    if now is usual or now is None:
        return function

    def under(*args: Any) -> Any:
        with _live(now):
            return function(*args)

    return under


class Preference(contextlib.ContextDecorator):
    """A choice between routines, made by `prefer`: for ``with``, or for the whole program.

    Methods
    -------
    enable_globally()
        Let it hold in all threads, in place of LIKEWISE_PREFER and of the one that was enabled
        before; ``prefer().enable_globally()`` ends that. For the main program, before it compiles
        anything: what other threads have compiled for JAX keeps its routines.
    """

    def __init__(self, order: tuple[str, ...], force: str | None) -> None:
        self._order, self._force = order, force
        self._open: list[contextlib.AbstractContextManager[None]] = []

    def _recreate_cm(self) -> "Preference":  # a call of what it decorates has its own
        return Preference(self._order, self._force)

    def __enter__(self) -> None:
        entered = _preferring("prefer", self._order, self._force)
        entered.__enter__()
        self._open.append(entered)

    def __exit__(self, *error: Any) -> None:
        self._open.pop().__exit__(*error)

    def enable_globally(self) -> None:
        global LIVE, TOKEN
        if _SWITCH.get() is not None:
            raise ArgumentError("enable_globally: call it outside of `with likewise.prefer(...)`")
        order, force = _in_order(self._order), self._force
        offered = _offered("prefer", order if force is None else (*order, force))
        with _lock:
            _ENTERED.close()
            LIVE -= len(_GLOBAL)
            _GLOBAL[:] = [_Switch(order, force, offered=offered)] if order or force else []
            LIVE += len(_GLOBAL)
            TOKEN = f"{order} {force}" if _GLOBAL else f"{PREFERRED} None" if PREFERRED else ""
            for library in loaded() if _GLOBAL else ():
                _ENTERED.enter_context(library.preference((order, force)))


def prefer(order: str | Sequence[str] = (), *, force: str | None = None) -> Preference:
    """Choose between native routines and generic bodies, here and in what is called here.

    Parameters
    ----------
    order : str or sequence of str
        Packages and providers in the order wanted, 'generic' among them: ``prefer("generic")``,
        ``prefer(["cupyx", "scipy", "generic"])``. Where none of them can run, the usual choice
        stands: the native routine if there is one.
    force : str, optional
        The package or provider that must run, or 'generic'.

    Returns
    -------
    Preference
        For ``with``; its method ``enable_globally()`` makes the choice that of the whole program.

    Raises
    ------
    ArgumentError
        For a name that is neither 'generic' nor a package of which there are native routines, nor
        a provider that is installed.
    ProviderError
        For a provider whose file is wrong; at a call, if its routine can't be imported.
    NativeUnavailable
        At a call for which what was forced can't run.

    Notes
    -----
    Local to the context, nestable. What the environment variable LIKEWISE_PREFER names, with commas
    between names, is preferred where nothing else is; providers that LIKEWISE_BLOCK names are as if
    they weren't installed, and don't run though they are preferred; LIKEWISE_SET_ORDER, 'a>b,c>b',
    says which of two that are preferred comes first. What runs is told to the logger
    ``likewise.native`` at level INFO, while something is preferred. What was compiled (jax.jit,
    torch.compile) under one preference is compiled anew under another. Enter it outside of compiled
    code; a function's ``.generic``, which enters it, can't be compiled by torch.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> from likewise.signal import convolve
    >>> with likewise.prefer("generic"):
    ...     convolve(np.ones(3), np.ones(2))
    array([1., 2., 2., 1.])
    """
    names = (order,) if isinstance(order, str) else order
    if not isinstance(names, Sequence) or not all(
        isinstance(n, str) and n for n in (*names, "generic" if force is None else force)
    ):
        came = order if force is None else force
        raise ArgumentError(f"prefer: package names or 'generic' were expected, got {came!r}")
    return Preference(tuple(names), force)


@contextlib.contextmanager
def _preferring(function: str, names: tuple[str, ...], force: str | None) -> Iterator[None]:
    names = _in_order(names)
    offered = _offered(function, names if force is None else (*names, force))
    switch = replace(_outside(), order=names, force=force, offered=offered)
    with contextlib.ExitStack() as stack:
        for library in loaded():
            stack.enter_context(library.preference((names, force)))
        stack.enter_context(_live(switch))
        yield


def _in_order(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names with the first of each pair of LIKEWISE_SET_ORDER before the second."""
    out = list(names)
    for chain in SET_ORDER:
        for first, second in itertools.pairwise(chain):
            if first in out and second in out and out.index(first) > out.index(second):
                out.remove(first)
                out.insert(out.index(second), first)
    return tuple(out)


def _offered(function: str, names: tuple[str, ...]) -> Mapping[str, tuple["Provided", ...]]:
    """Return what providers among these names offer; an error for one that isn't there."""
    out: dict[str, tuple[Provided, ...]] = {}
    if PROVIDERS.issuperset(names):
        return out
    from . import _providers

    found = _providers.found()
    for name in names:
        if name in found:
            provider = found[name]
            if isinstance(provider, ProviderError):
                raise ProviderError(f"{function}: the provider {name!r} can't be used. {provider}")
            for entry in provider.entries:
                entry.check()
                out[entry.name] = (*out.get(entry.name, ()), entry)
        elif name not in PROVIDERS and name not in BLOCKED:
            rows = {row.provider(library) for row in ROWS for library in row.routines}
            if name not in rows:
                raise ArgumentError(
                    f"{function}: no native routine is of a package {name!r}; known are "
                    f"{', '.join(map(repr, sorted(PROVIDERS.union(rows, found))))}"
                )
    return out


@contextlib.contextmanager
def trace_native() -> Iterator[list[Ran]]:
    """Record which routine runs for each call, also on the logger ``likewise.native``.

    That logger is told of providers wherever one is preferred: which ran, and why one declined.

    Yields
    ------
    list of Ran
        Function, routine ('generic' or ``"module:function"``) and library of each call so far.

    Notes
    -----
    Of compiled code the tracing is seen, once, and not the runs.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> from likewise.signal import convolve
    >>> with likewise.trace_native() as log:
    ...     y = convolve(np.ones(3), np.ones(2), method="direct")
    >>> log[0].function
    'convolve'
    """
    log: list[Ran] = []
    switch = _outside()
    with _live(replace(switch, logs=(*switch.logs, log))):
        yield log


def explain(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
    """Tell which routine would run for a call, and why the others would not.

    Parameters
    ----------
    func : callable
        A public function of likewise, or one made by `jit`.
    *args, **kwargs
        Its arguments. They are checked as in a call; a function without native rows is run, and one
        made by `jit`, if it wasn't called with arguments of the kind before.

    Returns
    -------
    Explanation
        Function, library, routine and the reasons against the others; prints itself.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> from likewise.signal import convolve
    >>> with likewise.prefer("generic"):
    ...     print(likewise.explain(convolve, np.ones(3), np.ones(2)).routine)
    generic
    """
    if hasattr(func, "explained"):
        found: Explanation = func.explained(args, kwargs)
        return found
    with _live(replace(_outside(), ask=True)):
        try:
            func(*args, **kwargs)
        except _Asked as asked:
            told = replace(asked.explanation, function=func.__name__)
        else:
            arrays = [a for a in (*args, *kwargs.values()) if hasattr(a, "shape")]
            name = getattr(array_namespace(*arrays), "library", None)
            told = Explanation(
                func.__name__, name, "generic", {"native routines": "it has no rows"}
            )
    told.reasons.update(_not_asked(func, args, kwargs, told))
    return told


_INNER = {"_lambertw": "lambertw", "_riemann_zeta": "zeta", "_zeta": "zeta"}
_ROOMS = "special signal linalg fft optimize spatial.distance".split()


def counterpart(function: Any) -> tuple[str, Callable[..., Any] | None]:
    """Return SciPy's name of a function and ours of that name and place; '' and None of others'."""
    usual = getattr(function, "__name__", "")
    if not callable(function):
        return "", None
    outer = _INNER.get(usual)  # SciPy's own call it by a function of Python
    special = sys.modules.get("scipy.special")
    if outer and special and function is getattr(special._ufuncs, usual, None):
        function, usual = getattr(special, outer), outer
    for room in _ROOMS:
        theirs = vars(sys.modules.get(f"scipy.{room}", object))
        names = (n for n in itertools.chain((usual,), theirs) if theirs.get(n) is function)
        name = next(names, None)
        if name is not None:
            ours = importlib.import_module(f"likewise.{room}")
            every = itertools.chain((name,), names)
            name = next((n for n in every if n in ours.__all__), name)
            return f"scipy.{room}.{name}", getattr(ours, name, None)
    return "", None


def _not_asked(func: Any, args: Any, kwargs: Any, told: Explanation) -> Iterator[tuple[str, str]]:
    """Give the routines of providers that had no say in a call, and why."""
    from . import _providers

    switch = _outside()
    for entry in _providers.offered(func):
        if entry.library != told.library or entry.label in (told.routine, *told.reasons):
            continue
        if entry.provider not in (*switch.order, switch.force):
            why = f"it isn't preferred; likewise.prefer({entry.provider!r}) does it"
        elif _followed((*args, *kwargs.values())):
            why = "the body runs where derivatives, vmap, a compiler or a recording follow it"
        else:
            why = "this call comes to no step behind its checks"
        yield entry.label, why
