"""A special function: a body on numbers, its derivatives, and the routines that match it.

`elementwise` makes a public function of a body, which is written in standard functions and gets
arrays of one floating dtype with shapes that broadcast. A call goes through

1. the plan: one library, device and floating dtype, shapes that broadcast;
2. the rule of derivatives, if they may be requested (`transforms._elementwise`);
3. the row: another package's routine, where it holds the accuracy;
4. blocks: a chunk of Dask's is one task, and an array in memory is worked on in pieces that stay in
   the processor's cache;
5. the body, in which `by_region` picks a method for each element.

Derivatives never look into a body, so what a `where` doesn't choose may be NaN or infinite there.
"""

import contextlib
import functools
import inspect
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .. import _plan
from .._memo import Sketch
from .._namespace import array_namespace, device, hooks_of, is_concrete, is_neutral, quiet
from .._native import native, of_elements
from .._native import public as _public
from .._rooms import furnish
from ..errors import DtypeError, TransformError
from ..transforms import cond, fori_loop, while_loop
from ..transforms._elementwise import Elementwise
from ..transforms._following._interpreter import native as native_of

__all__ = [
    "at_hand",
    "by_region",
    "elementwise",
    "in_double",
    "in_single",
    "looped",
    "no_derivative",
    "pair",
    "public",
    "public_of_elements",
    "rarely",
    "real",
    "repeated",
]

F = TypeVar("F", bound=Callable[..., Any])

BLOCK = 16384  # elements: some dozen arrays of as many fit the second cache
_LEAST = 64  # elements, below which all methods run everywhere: picking costs more
_COMPLEX: list[str] = []  # functions that take complex numbers


def public(func: F, make: Callable[[Any], Any] = _public) -> F:
    """Make a function public; for plain numbers it returns the scalars of the library's
    functions."""

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        return _as_given(func(*args, **kwargs), (*args, *kwargs.values()))

    # Which errors and tracebacks show.
    call.__code__ = call.__code__.replace(co_name=func.__name__)  # type: ignore[attr-defined]
    return make(call)


def public_of_elements(func: F) -> F:
    """Make a function public that computes elementwise, on shapes that broadcast."""
    return public(func, of_elements)


def _as_given(out: Any, args: Sequence[Any]) -> Any:
    """A scalar of the library's, if it has some, where all arguments are numbers or options."""
    for x in args:
        if not (is_neutral(x) or isinstance(x, str)):
            return out
    return hooks_of(out).scalar(out) if hasattr(out, "shape") else out


def no_derivative(why: str) -> Callable[..., Any]:
    """Return a placeholder for a derivative that doesn't exist; it raises `TransformError`."""

    def refuse(*_: Any) -> Any:
        raise TransformError(why)

    return refuse


def pair(both: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return derivatives in two arguments by one function.

    Its first argument is an array: 1 where the derivative in the first of the two is wanted, else
    0. So one call may give different derivatives for different elements, or both along a first
    dimension, as `together` does, an attribute of both.
    """

    def first(y: Any, *args: Any) -> Any:
        return both(array_namespace(y).ones_like(y), y, *args)

    def second(y: Any, *args: Any) -> Any:
        return both(array_namespace(y).zeros_like(y), y, *args)

    def together(y: Any, *args: Any) -> tuple[Any, Any]:
        xp = array_namespace(y)
        which = xp.asarray([1.0, 0.0], dtype=y.dtype, device=device(y))
        found = both(xp.reshape(which, (2, *(1,) * y.ndim)), y, *args)
        return found[0, ...], found[1, ...]

    for derivative in (first, second):
        derivative.together = together  # type: ignore[attr-defined]
    return first, second


def in_single(x: Any, *_: Any) -> bool:
    """Single precision."""
    return bool(x.dtype == "float32")


def real(x: Any, *_: Any) -> bool:
    """Real numbers."""
    return not _plan.is_complex(array_namespace(x), x.dtype)


def in_double(x: Any, *_: Any) -> bool:
    """Double precision."""
    return bool(x.dtype == "float64")


def elementwise(
    *,
    derivatives: Sequence[Callable[..., Any]],
    complex: bool | None = False,
    integers: Sequence[str] = (),
    step: str = "",
    when: Any = None,
    box: Callable[..., Any] | None = None,
    usual: Sequence[tuple[float, float]] = (),
    apart: bool = False,
    **routines: str,
) -> Callable[[F], F]:
    """Make a public function of a body.

    Parameters
    ----------
    derivatives : sequence of callable
        For each argument, the derivative with respect to it as a function of the result and of all
        arguments, or `no_derivative`. Written with public functions, so that it can be
        differentiated, too.
    complex : bool, optional
        Whether the body takes complex numbers, too; None if it takes no others, and real ones are
        converted.
    integers : sequence of str, optional
        The arguments that are whole numbers, so never complex; the body gets them of the common
        dtype.
    step : str, optional
        The name of its row, where several rows have one name.
    apart : bool, optional
        Whether the body gets arrays in memory as they are, not broadcast, if they fit the cache:
        for one that computes much of an argument without dimensions.
    when, box, usual, **routines
        As for `native`: the routines of other packages, which take the body's arguments, and where
        they are accurate.
    """

    def decorate(body: F) -> F:
        name = body.__name__
        signature = inspect.signature(body)
        names = tuple(signature.parameters)
        if complex is not False:
            _COMPLEX.append(name)

        @functools.wraps(body)
        def bare(*arrays: Any) -> Any:
            return _in_pieces(apply, body, arrays, apart)

        bare.__name__ = f"_{step or name}"
        served: Any = routines if when is None else {"when": when, **routines}
        apply = native(box=box, usual=usual, **served)(bare)
        row = apply.row  # type: ignore[attr-defined]
        rule = Elementwise(apply, [_in_silence(d) for d in derivatives])

        @functools.wraps(body)
        def call(*args: Any, **kwargs: Any) -> Any:
            if kwargs or len(args) != len(names):
                args = _bound(name, signature, args, kwargs)
            arrays = _planned(name, names, args, complex, integers)
            for x in arrays:
                if hooks_of(x).recorded(x):
                    return rule.of(*arrays)
                if type(x) is Sketch:  # after a number's array, for which there is no plan
                    return row.planned(*arrays)
            return _as_given(apply(*arrays), args)

        # Which errors and tracebacks show.
        call.__code__ = call.__code__.replace(co_name=name)  # type: ignore[attr-defined]
        return of_elements(call)  # type: ignore[return-value]

    return decorate


_IDLE = {"out": None, "where": True}  # of NumPy's ufuncs, as SciPy's are


def _bound(name: str, signature: inspect.Signature, args: Any, kwargs: Any) -> Any:
    """All arguments in the order of the signature; ufunc arguments at their defaults are
    dropped."""
    kwargs = {k: v for k, v in kwargs.items() if k not in _IDLE or v is not _IDLE[k]}
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        takes = ", ".join(signature.parameters)
        raise TypeError(f"{name}: {error}; it takes {takes}") from None
    bound.apply_defaults()
    return bound.args


def _in_silence(derivative: Callable[..., Any]) -> Callable[..., Any]:
    """A derivative without warnings of what it doesn't choose."""

    @functools.wraps(derivative)
    def call(y: Any, *args: Any) -> Any:
        with quiet(y):
            return derivative(y, *args)

    return call


def _planned(
    name: str,
    names: Sequence[str],
    args: Sequence[Any],
    complex: bool | None,
    integers: Sequence[str],
) -> Any:
    """Arrays of one library, device and floating dtype, whose shapes broadcast."""
    xp = array_namespace(*args)
    args = _with_integers(xp, args)
    try:
        arrays = _plan.common_floating(name, xp, names, *args, real=complex is False, sized=False)
    except DtypeError as error:
        with contextlib.suppress(DtypeError):  # what holds no numbers at all
            dtype = _plan.common_floating(name, xp, names, *args)[0].dtype
            if complex is False and _plan.is_complex(xp, dtype):
                furnish(sys.modules[__package__])
                takers = ", ".join(sorted(_COMPLEX))
                error = DtypeError(f"{error} Complex numbers are taken by {takers}.")
        raise error from None
    for n, x in zip(names, args, strict=True):
        if n in integers:
            _plan.common_floating(name, xp, (n,), x, real=True)
    if is_neutral(arrays[0]):  # NumPy's scalars, for which nothing would silence warnings
        arrays = tuple(xp.asarray(x) for x in arrays)
    if complex is None and arrays[0].dtype in (xp.float32, xp.float64):
        dtype = xp.complex64 if arrays[0].dtype == xp.float32 else xp.complex128
        arrays = tuple(xp.astype(x, dtype) for x in arrays)
    if len(arrays) > 1:
        shapes = [tuple(x.shape) for x in arrays if x.ndim > 0]
        if any(s != shapes[0] for s in shapes[1:]):  # no set: torch's symbolic sizes have no hash
            _plan.broadcast(name, **dict(zip(names, shapes, strict=True)))
    return arrays


def _with_integers(xp: Any, args: Sequence[Any]) -> Sequence[Any]:
    """Convert integer arrays to the dtype of double ones of the same library: a usual call, for
    which the whole plan takes ten times as long."""
    first = args[0]
    if len(args) == 1 or getattr(first, "device", None) is None:
        return args
    kinds = [x.dtype if x.__class__ is first.__class__ else None for x in args]
    if xp.float64 not in kinds or any(k not in (xp.float64, xp.int64) for k in kinds):
        return args
    return tuple(
        x if k == xp.float64 else xp.astype(x, xp.float64) for x, k in zip(args, kinds, strict=True)
    )


def _in_pieces(
    step: Callable[..., Any], body: Callable[..., Any], arrays: Sequence[Any], apart: bool = False
) -> Any:
    """Call the body on arrays as they are, or on pieces of them."""
    if is_neutral(arrays[0]):  # elements, which are NumPy's scalars: as in `_planned`
        arrays = tuple(map(array_namespace(*arrays).asarray, arrays))
    first = arrays[0]
    library = hooks_of(first)
    if library.in_blocks:
        return library.map_elementwise(step, arrays)
    with library.quiet():
        if not at_hand(*arrays):
            return body(*arrays)
        shape = _plan.broadcast(body.__name__, **{f"x{i}": x.shape for i, x in enumerate(arrays)})
        size = math.prod(shape)
        block = 8 * BLOCK if apart else BLOCK  # arrays that stay apart have few operations
        if size <= block if apart else size < _LEAST:
            return body(*arrays)
        xp = array_namespace(first)
        flat = [xp.reshape(xp.broadcast_to(x, shape), (-1,)) for x in arrays]
        if size <= block:
            return xp.reshape(body(*flat), shape)
        found = [body(*(x[i : min(i + block, size)] for x in flat)) for i in range(0, size, block)]
        return xp.reshape(xp.concat(found), shape)


def by_region(arrays: Sequence[Any], *regions: tuple[Any, Callable[..., Any]], rest: Any) -> Any:
    """Return, for each element, the result of its region's function.

    Parameters
    ----------
    arrays : sequence of array
        The arguments of all functions.
    *regions : (array of bool, callable)
        An element belongs to the first region that contains it.
    rest : callable
        For all other elements.

    Notes
    -----
    Where values can be read, each function gets only the elements of its region. Elsewhere all
    functions get all elements.
    """
    first = arrays[0]
    xp = array_namespace(*arrays)
    if not _can_pick(xp, arrays):
        found = rest(*arrays)
        for inside, function in reversed(regions):
            found = xp.where(inside, function(*arrays), found)
        return found
    out = None
    left = xp.ones_like(first, dtype=xp.bool)
    for inside, function in (*regions, (None, rest)):
        mask = left if inside is None else left & inside
        if bool(xp.all(mask)):  # likewise: ignore[LW203]: values are at hand
            return function(*arrays)
        if not bool(xp.any(mask)):  # likewise: ignore[LW203]: values are at hand
            continue
        if out is None:
            out = xp.empty_like(first)
        out[mask] = function(*(x[mask] for x in arrays))
        left = left & ~mask
    return out


def rarely(arrays: Sequence[Any], inside: Any, function: Callable[..., Any], rest: Any) -> Any:
    """Choose as `by_region` does, for one region with few elements, and the values elsewhere.

    Where a library compiles and has branches of its own, the function runs only if any element is
    in its region.
    """
    if at_hand(*arrays):
        return by_region((*arrays, rest), (inside, lambda *all: function(*all[:-1])), rest=_last)
    xp = array_namespace(*arrays)
    if native_of([inside]).cond is None:
        return xp.where(inside, function(*arrays), rest)
    return cond(
        xp.any(inside),
        lambda *all: xp.where(inside, function(*all[:-1]), all[-1]),
        _last,
        *arrays,
        rest,
    )


def _last(*arrays: Any) -> Any:
    return arrays[-1]


def at_hand(*arrays: Any) -> bool:
    """Tell if arrays are in memory, and neither traced nor compiled."""
    return not hooks_of(arrays[0]).compiles and all(map(is_concrete, arrays))


def repeated(count: int, step: Callable[[Any, Any], Any], carry: tuple[Any, ...]) -> Any:
    """Loop in a body: on arrays in memory as a Python loop, which no transform traces."""
    if at_hand(*carry):
        for i in range(count):
            carry = step(i, carry)
        return carry
    return fori_loop(0, count, step, carry)


def looped(goes_on: Callable[[Any], Any], step: Callable[[Any], Any], carry: Any) -> Any:
    """Loop while something holds: on arrays in memory in Python, which no transform traces."""
    if not at_hand(*(x for x in carry if hasattr(x, "shape"))):
        return while_loop(goes_on, step, carry)
    while bool(goes_on(carry)):  # likewise: ignore[LW203]: values are at hand
        carry = step(carry)
    return carry


def _can_pick(xp: Any, arrays: Sequence[Any]) -> bool:
    first = arrays[0]
    if first.ndim != 1 or first.shape[0] < _LEAST or any(x.shape != first.shape for x in arrays):
        return False
    if not at_hand(*arrays):
        return False
    known = xp.__array_namespace_info__().capabilities()
    return bool(known["boolean indexing"] and known["data-dependent shapes"])
