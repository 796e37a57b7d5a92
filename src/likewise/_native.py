"""Native routines: a row of strings for a function, and the choice of the routine for given arrays.

A row decorates the private apply step, after the public function's checks. So the order validate,
native, generic holds by construction, and errors are likewise's, with or without the routine.
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
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, overload

from ._default import BLOCKED, PREFERRED, SET_ORDER
from ._memo import PLAIN, SCALARS, Memo, PlannedCall, Sketch, Unplanned, frozen, plan
from ._namespace import FOLLOWING, Library, array_namespace, is_neutral, leaves, library_of, loaded
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
    "Lines",
    "Made",
    "Preference",
    "Ran",
    "Row",
    "along",
    "as_now",
    "batches",
    "counterpart",
    "explain",
    "lines",
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

LIVE = len(PREFERRED[:1])  # the number of live switches: the only state that the hot path reads
# Recorders of calls: `noted` is called for each public function, `routed` for each apply step.
NOTING: list[Any] = []
# By a transform's proxy class, the function that converts other arrays of a call to it.
STANDING_IN: dict[type, Callable[[Any, tuple[Any, ...]], tuple[Any, ...]]] = {}
# The names of these switches, for torch.compile to guard on.
TOKEN = f"{PREFERRED} None" if PREFERRED else ""
_lock = threading.Lock()

ROWS: list["Row"] = []
# Names that can be preferred before any row is loaded; rows of other packages, and installed
# providers, add their own.
PROVIDERS = frozenset("cupy cupyx finufft generic jax likewise numpy scipy torch".split())

# Modules of adapters that only call another package, before any is loaded.
_ADAPTERS = """
    _distances _fits _grids _images _integrals _interpolate _interpolating _kendall _krylov _whole
    _lapack _noncentral _nonnegative _peaks _programmes _sequential _solvers _splines _surfaces
    _systems _triangles _trigonometric _upper_tails _windows
""".split()
_ADAPTED = {f"likewise._libs.numpy.{name}": "scipy" for name in _ADAPTERS}
_ADAPTED["likewise._libs.numpy._nonuniform"] = "finufft"
_ADAPTED["likewise._libs.numpy._polynomials"] = "numpy"
_ADAPTED["likewise._libs.numpy._statistics"] = "numpy"


@dataclass(frozen=True)
class Ran:
    """One call of an apply step, with the routine that ran."""

    function: str
    routine: str
    library: str | None


@dataclass(frozen=True)
class Explanation:
    """Shows which routine would run for a call, and why the others would not.

    For a function made by `jit` it shows the recording, whose text is `program`.
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


class Made(NamedTuple):
    """Describe an array that a step returns: a label for each dimension that comes in chunks."""

    shape: tuple[int, ...]
    labels: tuple[Any, ...]
    dtype: Any


class Lines(NamedTuple):
    """Describe how a step maps over blocks of arrays in chunks.

    Attributes
    ----------
    given : dict
        By an argument's place, the label of each dimension that may be cut, None for one that must
        be whole. All other arrays go whole with every block.
    made : Made or list of Made
        The result, or the results of a step that returns a tuple.
    margins : dict
        How many elements on both sides decide on a result: by a dimension that then may be cut,
        too, if the only array in `given` and the result have the same shape.
    """

    given: dict[int, tuple[Any, ...]]
    made: Made | list[Made]
    margins: dict[int, int] = {}  # noqa: RUF012


def lines(ndim: int, *axes: int) -> tuple[int | None, ...]:
    """Return labels of dimensions, all but those that must be whole."""
    return tuple(None if i in axes else i for i in range(ndim))


def along(
    x: Any,
    axes: tuple[int, ...],
    sizes: Sequence[int] | None = None,
    *,
    place: int = 0,
    dtype: Any = None,
    margins: dict[int, int] | None = None,
) -> Lines:
    """Return how a step maps over blocks that works along axes of its argument at `place`.

    The result has other sizes along the axes, and another dtype, only if they are given.
    """
    axes = tuple(a % x.ndim for a in axes)
    labels, shape = lines(x.ndim, *axes), list(x.shape)
    for axis, n in zip(axes, sizes or (), strict=sizes is not None):
        shape[axis] = n
    made = Made(tuple(shape), labels, x.dtype if dtype is None else dtype)
    return Lines({place: labels}, made, margins or {})


def batches(given: Mapping[int, tuple[Any, int]], *made: tuple[Sequence[int], Any]) -> Lines:
    """Return how a step maps over blocks of batches, which are dimensions that broadcast.

    `given` has the array at each place with the number of its last dimensions, which must be whole;
    `made` the last sizes and the dtype of each result.
    """
    leads = {place: x.shape[: x.ndim - count] for place, (x, count) in given.items()}
    ndim = max(map(len, leads.values()))
    sizes = [[s[k] for s in leads.values() if len(s) >= -k] for k in range(-ndim, 0)]
    batch = tuple(next((n for n in some if n != 1), 1) for some in sizes)
    labels = tuple(range(ndim))
    found = [Made((*batch, *s), labels + (None,) * len(s), dtype) for s, dtype in made]
    names = {p: labels[ndim - len(s) :] + (None,) * given[p][1] for p, s in leads.items()}
    return Lines(names, found if len(found) > 1 else found[0])


@dataclass(frozen=True)
class _Switch:
    order: tuple[str, ...] = ()
    force: str | None = None
    logs: tuple[list[Ran], ...] = ()
    ask: bool = False
    # The routines of preferred providers by a public function's name, 'likewise.signal:convolve'.
    offered: Mapping[str, tuple["Provided", ...]] = field(default_factory=dict)
    # The calls, outermost first, that a provider may take over after their checks; and the outer
    # switch.
    offers: tuple["Offer", ...] = ()
    outside: "_Switch | None" = None


_BOXED = "likewise._libs.numpy._boxes"
_FEW = 16  # elements up to which Python numbers are faster than arrays
_LATER = "it comes later in the order"
_BLOCKS = "likewise:blocks"  # what runs on blocks is decided there
_SWITCH: ContextVar[_Switch | None] = ContextVar("likewise.native", default=None)
_NONE = _Switch()
_GLOBAL: list[_Switch] = []  # at most one: the setting for all threads, by `enable_globally`
_ENTERED = contextlib.ExitStack()  # the libraries' contexts for it


class _Asked(BaseException):
    """Carries an explanation out of the explained call."""

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation


def _switch(token: str = "") -> _Switch:
    """Return the active switch; torch.compile calls this in tracing and guards on the token."""
    if found := _SWITCH.get():
        return found
    return _GLOBAL[0] if _GLOBAL else _usual() if PREFERRED else _NONE


@functools.cache
def _usual() -> _Switch:
    order = _in_order(PREFERRED)
    return _Switch(order=order, offered=_offered("LIKEWISE_PREFER", order))


def _outside() -> _Switch:
    """Return the active switch, without the calls that a provider may take over."""
    switch = _switch()
    return switch.outside or switch


def _tell(function: str, routine: str, library: str | None) -> None:
    """Report the routine that runs to active traces; under torch.compile once, in tracing."""
    for log in _switch().logs:
        log.append(Ran(function, routine, library))
    logger.info("%s on %s: %s", function, library, routine)


class _Forced(NativeUnavailable):
    """Raised by a step; the public function around it adds its own name."""


class Row:
    """The native routines of one apply step.

    Parameters
    ----------
    generic : callable
        The body in standard functions.
    routines : dict
        ``"module:function"`` per library.
    when : callable or dict
        Tells whether the routine supports the apply step's arguments, by dtypes, shapes and options
        only, as the answer is cached for them. One function for all libraries, or one per library.
    box : callable, optional
        Tells from the result and the arguments of a routine on NumPy arrays which elements are
        accurate.
    usual : sequence of pair of float
        For each argument, the interval in which the box holds for all values of the others.
    blocks : callable, optional
        Returns how the step maps over blocks of such arguments.
    """

    def __init__(
        self,
        generic: Callable[..., Any],
        routines: dict[str, str],
        when: Callable[..., bool] | Mapping[str, Callable[..., bool]],
        box: Callable[..., Any] | None = None,
        usual: Sequence[tuple[float, float]] = (),
        blocks: Callable[..., Lines] | None = None,
    ) -> None:
        self.name = generic.__name__.lstrip("_")
        self.generic = generic
        self.step: Callable[..., Any] = generic
        self.blocks = blocks
        self.routines = routines
        self.box, self.usual = box, usual
        self.when = {n: when if callable(when) else when.get(n, _always) for n in routines}
        # The test and the call, or the reason why there is none: by exact class of the first
        # argument, and by the library's name.
        self.found: dict[type, Entry] = {Sketch: (_always, self.planned)}
        self.named: dict[str, Entry] = {}

    def provider(self, library: str) -> str:
        """'scipy' for 'scipy.signal:fftconvolve', and for adapters of SciPy's functions."""
        path = self.routines.get(library, _BLOCKS).partition(":")[0]
        return _ADAPTED.get(path, path.partition(".")[0])

    def find(self, x: object) -> str:
        """The library of `x`, its routine loaded into `named`."""
        library = library_of(x)
        name = "" if library is None else library.name + library.maps_steps
        if name not in self.named:
            self.named[name] = self.load(library)
        if library is not None and type(x) in library.own_types():
            self.found[type(x)] = self.named[name]
        return name

    def planned(self, *args: Any) -> PlannedCall:
        """Return the step that would run, or the inner step of a body that only calls one."""
        planning = next(a for a in args if type(a) is Sketch).__likewise_library__
        library, before = planning.own, planning.steps
        if library.name not in self.named:
            self.named[library.name] = self.load(library)
        entry, step = self.named[library.name], None
        if entry.__class__ is tuple and entry[0](*args):
            step = PlannedCall(entry[1], args)
        else:
            with contextlib.suppress(Unplanned):  # it does more than a step
                inner = self.generic(*args)
                if type(inner) is PlannedCall and planning.steps == before + 1:
                    step = inner
        planning.steps = before + 1
        return PlannedCall(self.generic, args) if step is None else step

    def load(self, library: Library | None) -> Entry:
        """The routine of a library, or the reason why there is none."""
        if library is not None and library.maps_steps and self.blocks is not None:
            path, _, name = library.maps_steps.partition(":")
            return _always, functools.partial(getattr(importlib.import_module(path), name), self)
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
        viewed = self.provider(library.name) not in ("likewise", own, *library.packages)
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
        if name not in self.routines and isinstance(found, str):
            reasons["native routines"] = found
        else:
            label = self.routines.get(str(name), _BLOCKS)
            if isinstance(found, str):
                reasons[label] = found
            elif not found[0](*args):
                reasons[label] = (
                    f"these arguments don't meet its condition ({_words(self.when[str(name)])})"
                )
            else:
                usable[self.provider(str(name))] = (label, found[1])
        usable["generic"] = ("generic", self.generic)
        offer = next((o for o in switch.offers if self in o.steps), None)
        if switch.offers and offer is None:  # an inner step of the call
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
    """Tell if a preferred provider has a routine for the function."""
    return where in _switch().offered


_is_offered._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _followed(args: Iterable[Any]) -> bool:
    """Tell if an array is not a library's own, or is traced.

    Then the body runs whatever is preferred: in derivatives, vmap, compilers and recordings.
    """
    for x in leaves(args):
        if hasattr(x, "dtype") and hasattr(x, "shape") and not is_neutral(x):
            library = library_of(x)
            if library is None or type(x) not in library.own_types() or library.followed(x):
                return True
    return False


def _or_provider(call: Any, func: Any, where: str, args: Any, kwargs: Any) -> Any:
    """Call a function for which providers are preferred: a provider, or the function itself."""
    from . import _offers  # imports metadata and TOML readers: only where a provider is preferred

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
        with _preferring("prefer", order, None):  # so that it can call the function it replaces
            out = _offers.run(chosen)
        if out is not NotImplemented:
            return out
        offer.withdrawn.add(entry)


def of_one_kind(*args: Any) -> tuple[Any, ...]:
    """Convert all arguments to proxies if a transform traces some of them.

    Not every library's operators accept proxies.
    """
    found = next((a for a in leaves(args) if a.__class__ in STANDING_IN), None)
    return args if found is None else STANDING_IN[found.__class__](found, args)


def _words(when: Callable[..., bool]) -> str:
    return (when.__doc__ or when.__name__).strip().partition("\n")[0].rstrip(".")


def _always(*args: Any) -> bool:
    """Any arguments."""
    return True


def _step(row: Row) -> Callable[..., Any]:
    """Return a row's apply step: the routine, or the body where that can't serve."""
    found, generic = row.found, row.generic

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

    return apply


def native(
    *,
    when: Callable[..., bool] | Mapping[str, Callable[..., bool]] = _always,
    box: Callable[..., Any] | None = None,
    usual: Sequence[tuple[float, float]] = (),
    blocks: Callable[..., Lines] | None = None,
    **routines: str,
) -> Callable[[F], F]:
    """Decorate an apply step with a row of native routines; the step takes positional arguments.

    An apply step is the body of a public function, after its checks. A step without routines,
    ``@native()``, can still be served by providers.

    Parameters
    ----------
    when : callable or dict, optional
        Tells whether the routines support the arguments, by dtypes, shapes and options only, as the
        answer is cached for them. The first line of its docstring is the reason that `explain`
        prints. One function for all libraries, or a dict of them by library.
    box : callable, optional
        For an elementwise routine on NumPy arrays or views in double precision: given its result
        and the arguments, returns True where the result is accurate. The body computes the other
        elements. `likewise._libs.numpy._boxes` has the rules for writing one.
    usual : sequence of pair of float, optional
        For each argument, the interval of usual values. If a few numbers all lie in these, `box`
        isn't called: they must be inside of it.
    blocks : callable, optional
        For arrays in chunks: returns a `Lines` for the step's arguments, by which it is a map over
        blocks, with the step itself for each.
    **routines : str
        ``"module:function"`` per library, called with the apply step's arguments. A torch routine
        from a package that is neither torch nor the step's own gets NumPy views of plain CPU
        tensors, without a copy. A routine may return NotImplemented, depending on values: then the
        body runs. A routine with a keyword-only argument ``body=None`` gets the body.

    Returns
    -------
    callable
        The decorator.

    Notes
    -----
    The library of the first argument decides. `explain` and `trace_native` show the step's name
    without leading underscores. ``step.quick(*args)`` returns the routine's result, or
    NotImplemented where the body would run.

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
        row = Row(generic, routines, when, box, usual, blocks)
        ROWS.append(row)
        apply = row.step = functools.wraps(generic)(_step(row))
        apply.row = row  # type: ignore[attr-defined]
        bare = functools.wraps(generic)(lambda *args: NotImplemented)
        apply.quick = _step(Row(bare, routines, when, box, usual))  # type: ignore[attr-defined]
        return apply  # type: ignore[return-value]

    return decorate


@overload
def public(func: F) -> F: ...


@overload
def public(*, cases: str) -> Callable[[F], F]: ...


def public(func: Any = None, *, cases: str = "") -> Any:
    """Make a function public: providers may serve it, and ``.generic`` runs its body.

    A decorator for the public functions of likewise, and of libraries written with it.

    Parameters
    ----------
    func : callable
        It checks its arguments and returns the result of an apply step, which `likewise.native`
        decorates.
    cases : str, optional
        ``"module:function"``, of a function that takes the name of a dtype and yields calls: pairs
        of arguments and keyword arguments, with NumPy arrays. `likewise verify` compares a
        provider's routine with the body on these calls. It is imported only then.

    Returns
    -------
    callable
        The function. Its name for providers has the public part of the module's name:
        'smallimage.filters:gaussian' if it is defined in ``smallimage.filters._smooth``.
        ``.generic`` makes the same checks and always runs the generic body.

    Notes
    -----
    The function's work before its step may be cached for NumPy's dtypes, shapes and options: the
    function is called once with sketches, which have no values, in place of arrays, and not again
    for such arguments. A function that reads values, or changes the step's result, is called each
    time.

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
    """Make an elementwise function public: one plan serves all shapes that broadcast."""
    return _public(func, "", elements=True)


def _public(func: Any, cases: str, elements: bool = False) -> Any:
    memo: Memo = {}
    where = _known_as(func)
    short: Any = None  # for elementwise functions: the last plan, without shapes

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal short
        if NOTING:
            for by in NOTING:
                out = by.noted(call, args, kwargs)
                if out is not NotImplemented:
                    return out
        # The class first: under torch.compile, nothing else is read here.
        array = type(args[0]) if args else None
        if array is int or array is float:  # an order, degrees of freedom
            array = _after_numbers(args)
        if array not in PLAIN or LIVE:
            if LIVE and _is_offered(where, TOKEN) and not _followed((*args, *kwargs.values())):
                return _or_provider(call, func, where, args, kwargs)
            try:  # inline: a function call would cost two percent of a small call
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
                    except Exception:  # the full call raises it again, in our words
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
                # The routine's own error: a singular matrix, an index out of range, a dtype that it
                # lacks. The function may handle it, or raises its own error.
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
    """Return the class of the first argument after Python numbers, if it can't be traced."""
    for a in args:
        cls = type(a)
        if cls is not int and cls is not float:
            return cls if PLAIN.get(cls, cls) is None else None
    return None


def _shortened(
    array: Any, args: tuple[Any, ...], routine: Any, pick: Any, rest: tuple[Any, ...]
) -> Any:
    """Return the data for a shortcut to a routine; None unless all are arrays of one dtype.

    These are the number of arguments, their dtype, the intervals of usual numbers with the routine
    for them (both may be None), and the routine for all numbers.
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
    """Tell if there are few numbers, and all lie in their intervals."""
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
    """Raise our error where a routine can't run, or a library only names a dtype."""
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
    """Activate a switch, here and in called functions."""
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
    """Return the active switch, or None."""
    return _outside() if LIVE else None


def as_now(function: Callable[..., Any], usual: _Switch | None) -> Callable[..., Any]:
    """Return a function that runs under the current switch, if that isn't the usual one."""
    now = switched()
    if now is usual or now is None:
        return function

    def under(*args: Any) -> Any:
        with _live(now):
            return function(*args)

    return under


class Preference(contextlib.ContextDecorator):
    """A preference of routines, made by `prefer`: for a ``with`` block, or the whole program.

    Methods
    -------
    enable_globally()
        Apply it in all threads, in place of LIKEWISE_PREFER and of an earlier global preference;
        ``prefer().enable_globally()`` ends it. Call it in the main program, before compiling:
        functions that other threads have compiled for JAX keep their routines.
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
    """Choose between native routines and generic bodies, here and in called functions.

    Parameters
    ----------
    order : str or sequence of str
        Packages and providers, or 'generic', in order of preference: ``prefer("generic")``,
        ``prefer(["cupyx", "scipy", "generic"])``. If none of them can run, the usual choice
        applies: the native routine if there is one.
    force : str, optional
        The package or provider that must run, or 'generic'.

    Returns
    -------
    Preference
        A context manager and decorator; its method ``enable_globally()`` applies it to the whole
        program.

    Raises
    ------
    ArgumentError
        For a name that is not 'generic', a package with native routines, or an installed provider.
    ProviderError
        For a provider whose file is wrong; at a call, if its routine can't be imported.
    NativeUnavailable
        At a call that the forced routine can't serve.

    Notes
    -----
    Local to the context; can be nested. Three environment variables take names separated by commas:
    LIKEWISE_PREFER is the preference where no other is set; LIKEWISE_BLOCK disables providers, even
    if they are preferred; LIKEWISE_SET_ORDER, 'a>b,c>b', orders pairs of preferred names. While
    there is a preference, the routines that run are logged on ``likewise.native`` at level INFO.
    Functions compiled (jax.jit, torch.compile) under one preference are compiled again under
    another. Enter it outside of compiled code; a function's ``.generic``, which enters it, can't be
    compiled by torch.

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
    """Return the routines of the providers among these names; an error if one doesn't exist."""
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
                    f"{function}: there are no native routines of a package {name!r}; known are "
                    f"{', '.join(map(repr, sorted(PROVIDERS.union(rows, found))))}"
                )
    return out


@contextlib.contextmanager
def trace_native() -> Iterator[list[Ran]]:
    """Record which routine runs for each call, and log it on ``likewise.native``.

    Wherever a provider is preferred, the log also shows which one ran, or why one declined.

    Yields
    ------
    list of Ran
        Function, routine ('generic' or ``"module:function"``) and library of each call so far.

    Notes
    -----
    Compiled code is recorded once, when it is traced, not when it runs.

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
        Its arguments, which are checked as in a call. A function without native rows is run; one
        made by `jit` is run if it hasn't been called with such arguments before.

    Returns
    -------
    Explanation
        Function, library, routine, and the reasons against other routines; it prints as a text.

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
    """Return SciPy's name of a function and our function of that name; '' and None for others."""
    usual = getattr(function, "__name__", "")
    if not callable(function):
        return "", None
    outer = _INNER.get(usual)  # SciPy calls it through a Python function
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
    """Yield the routines of providers that were not consulted for a call, and why."""
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
