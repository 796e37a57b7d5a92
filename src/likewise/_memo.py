"""Plans of calls: the routine or body for arrays of given dtypes and shapes, with its settings.

On small arrays of NumPy and torch the checks of a public function cost more than its work. So
`likewise._native.public` calls the function once for each kind of call with a `Sketch` in place of
each array, to see what it would do. A sketch has an array's dtype, shape and device, and nothing
else. An apply step that gets sketches runs nothing: it chooses between the native routine and the
generic body, and returns a `PlannedCall`, the choice with its arguments. If the function returns
it and made no other one, it is the plan for all calls of the kind: they go to the routine or body
directly. Traced tensors, for derivatives or a compiler, are never planned.

So a plan depends on dtypes, shapes and options only, by construction. A sketch raises for
everything else that a function may do with its arrays (read values, convert them, change the
result, silence warnings), and the function is then called without a plan. An error for sketches is
an error for the arrays, too, as it depends only on dtypes, shapes and options. If a routine raises,
or returns NotImplemented, which may depend on values, the function is called in full.
"""

import functools
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, TypeAlias

__all__ = [
    "PLAIN",
    "SCALARS",
    "Memo",
    "Plan",
    "PlannedCall",
    "Sketch",
    "Unplanned",
    "frozen",
    "plan",
]


# A routine or body, a function that selects its arguments from the caller's and from the constants
# appended to them (None: all of them, in order), and those constants. Or None: there is no plan.
Plan: TypeAlias = tuple[Callable[..., Any], Callable[[Any], Any] | None, tuple[Any, ...]] | None
Memo: TypeAlias = dict[tuple[Any, ...], Plan]

# Classes of arrays with plans: a library's file adds its own. The value is a function that returns
# the positions of the arrays among the arguments of a call, or None if they are traced; None for a
# class that can't be traced.
PLAIN: dict[type, Callable[[tuple[Any, ...]], Any] | None] = {}
# Classes of options that are equal when their values are; 0.0 and -0.0 are for `frozen`.
SCALARS: set[type] = {int, bool, str, type(None), type}
_SIZE = 256  # kinds of calls cached for each function
_LONG = 32  # elements of a list, from which on it is no setting


class Unplanned(BaseException):
    """Raised if more than dtypes and shapes is needed; functions must not catch it."""


def _refused(*args: Any, **kwargs: Any) -> Any:
    raise Unplanned


class _Closed:
    """Answers nothing: no operator, no conversion, no attribute but its own."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        raise Unplanned


_METHODS = """
    abs add and array array_function array_ufunc bool call complex contains divmod dlpack eq
    float floordiv format ge getitem gt iadd iand ifloordiv imatmul imod imul index int invert
    ior ipow isub iter itruediv ixor le len lshift lt matmul mod mul ne neg or pos pow radd rand
    rfloordiv rmatmul rmod rmul round rpow rshift rsub rtruediv rxor setitem str sub truediv xor
""".split()
for _name in _METHODS:
    setattr(_Closed, f"__{_name}__", _refused)
_Closed.__torch_function__ = classmethod(_refused)  # type: ignore[attr-defined]


class Planning:
    """Makes sketches of a library's arguments, and counts the steps."""

    def __init__(self, library: Any) -> None:
        self.name, self.namespace, self.own = library.name, library.namespace, library
        self.steps = 0  # made by the function that is being planned

    @property
    def transforms(self) -> Any:
        raise Unplanned

    def own_types(self) -> tuple[type, ...]:
        return ()

    def is_array(self, x: object) -> bool:
        return True

    def device(self, x: Any) -> Any:
        return x.device

    def recorded(self, x: Any) -> bool:
        return False

    def is_dense(self, x: Any) -> bool:
        return True  # the routine refuses others, and the body says why

    def pieces(self, x: Any, axis: int) -> list[Any]:
        return [x]  # as of each library whose arrays are planned for

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.own, name)
        return _refused if callable(found) else found


class Sketch(_Closed):
    """An array's dtype, shape and device, and the dtype to which it is converted."""

    __slots__ = (
        "__likewise_library__",
        "cast",
        "device",
        "dtype",
        "ndim",
        "place",
        "shape",
        "size",
    )

    def __init__(self, x: Any, place: int, planning: Planning, cast: Any = None) -> None:
        self.shape, self.ndim, self.size, self.device = x.shape, x.ndim, x.size, x.device
        self.dtype, self.cast = x.dtype if cast is None else cast, cast
        self.place, self.__likewise_library__ = place, planning

    def astype(self, dtype: Any, copy: bool = True) -> "Sketch":
        return Sketch(self, self.place, self.__likewise_library__, dtype)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return self.__likewise_library__.namespace


class PlannedCall(_Closed):
    """Holds the routine that an apply step would call, with its arguments."""

    __slots__ = ("args", "routine")

    def __init__(self, routine: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.routine, self.args = routine, args


def frozen(value: Any) -> Any:
    """Return the key of an option, or NotImplemented."""
    if type(value) is float:
        return value or repr(value)
    if type(value) is tuple and all(type(v) in SCALARS for v in value):
        return (value, *map(type, value))
    if type(value) in (tuple, list) and len(value) < _LONG:
        key: list[Any] = []
        for v in value:
            part = v if type(v) in SCALARS else frozen(v)
            if part is NotImplemented:
                return NotImplemented
            key += type(v), part
        return tuple(key)
    return NotImplemented


def _kind(a: Any, inside: bool = False) -> Any:
    """Return what of an argument may decide that there is no plan; of lists, not the numbers."""
    cls = type(a)
    if cls in PLAIN:
        return a.dtype, a.ndim
    if cls is list or cls is tuple:
        return (cls, *(_kind(v, True) for v in a))
    return (cls,) if inside and cls is float else (cls, a)


def plan(
    func: Callable[..., Any],
    memo: Memo,
    key: tuple[Any, ...],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    library: Any,
) -> Plan:
    """Return the plan for a kind of calls, or None, and cache it."""
    given, planning = (*args, *kwargs.values()), Planning(library)
    # What is refused for some shapes is so for others of as many dimensions, and asking costs time.
    kind = (tuple(kwargs), *map(_kind, given))
    drawn = [Sketch(a, i, planning) if type(a) in PLAIN else a for i, a in enumerate(given)]
    if len(memo) >= _SIZE - 1:  # two are entered
        memo.clear()
    memo[key] = found = None
    if kind in memo:
        return None
    try:
        step = func(*drawn[: len(args)], **dict(zip(kwargs, drawn[len(args) :], strict=True)))
    except Unplanned:
        step = None
    if type(step) is PlannedCall and planning.steps == 1:  # another may raise for values
        memo[key] = found = _bound(step, len(given))
    else:
        memo[kind] = None
    return found


def _bound(step: PlannedCall, count: int) -> Plan:
    places: list[int] = []
    constants: list[Any] = []
    for a in step.args:
        if type(a) is Sketch:
            places.append(a.place)
        elif _is_constant(a):
            places.append(count + len(constants))
            constants.append(a)
        else:
            return None
    rest = tuple(constants)
    kinds = [a.cast if type(a) is Sketch else None for a in step.args]
    if any(cast is not None for cast in kinds):
        pairs = tuple(zip(places, kinds, strict=True))
        return step.routine, functools.partial(_converted, pairs), rest
    if places == list(range(count + len(rest))):
        return step.routine, None, rest
    if len(places) == 1:  # of one place `itemgetter` doesn't make a tuple
        return step.routine, itemgetter(slice(places[0], places[0] + 1)), rest
    return step.routine, itemgetter(*places), rest


def _converted(pairs: tuple[tuple[int, Any], ...], given: tuple[Any, ...]) -> Iterator[Any]:
    return (given[i] if cast is None else given[i].astype(cast) for i, cast in pairs)


def _is_constant(value: Any) -> bool:
    if type(value) in PLAIN and value.ndim == 0:  # a number's
        return True
    if type(value) is tuple:
        return all(_is_constant(v) for v in value)
    return type(value) in SCALARS or type(value) in (float, complex)
