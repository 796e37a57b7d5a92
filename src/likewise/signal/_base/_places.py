"""The namespace in which design computes, and the library, device and dtype of its results.

Design computes on the host in double precision, with NumPy's namespace, because a filter has tens
of numbers and errors of poles grow with the order. Results have the library, device and precision
of the array arguments, else of ``like=``, else those that `likewise.use` sets. Functions that can
be differentiated are written in the standard, and run on the library of their arguments.
"""

import functools
import math
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

from ... import _creation, _default, _plan
from ..._dtypes import default_floating
from ..._namespace import (
    array_namespace,
    describe,
    device,
    is_concrete,
    is_neutral,
    library_of,
    namespace,
    scalar,
)
from ..._native import STANDING_IN, of_one_kind
from ...errors import (
    ArgumentError,
    ArrayTypeError,
    DtypeError,
    HostCopyWarning,
    NotSupported,
    ShapeError,
    _level,
)
from ...interop import to_device, to_numpy
from ...transforms import tree_map

__all__ = [
    "Place",
    "Work",
    "complex_of",
    "follows_like",
    "host",
    "integer",
    "not_empty",
    "number",
    "one_dimension",
    "one_number",
    "order",
    "place",
    "rate",
    "read",
    "real_of",
    "real_only",
    "target",
    "vector",
    "wide",
    "working",
]


F = TypeVar("F", bound=Callable[..., Any])
_FLOATING = ("real floating", "complex floating")


class Place(NamedTuple):
    """Hold a library, a device and a real floating dtype."""

    xp: Any
    device: Any
    dtype: Any

    def give(self, x: Any) -> Any:
        """Return an array of the host, real or complex, with this library, device and dtype."""
        dtype = complex_of(self.xp, self.dtype) if x.dtype.kind == "c" else self.dtype
        # Of its own memory: not every library takes a view that runs backwards.
        x = host().asarray(x, copy=True)
        made = self.xp.asarray(x, dtype=dtype, device=self.device)
        return made if made.shape else scalar(made)

    def make(self, values: list[float]) -> Any:
        """Return Python's real numbers as an array with this library, device and dtype."""
        return self.xp.asarray(values, dtype=self.dtype, device=self.device)


# Where a call with ``like=`` puts what no array argument decides; set while it runs.
_LIKE: ContextVar[Place | None] = ContextVar("likewise.signal.like", default=None)


def follows_like(function: F) -> F:
    """Add an argument `like`, an array, to a function that makes arrays from numbers."""

    @functools.wraps(function)
    def made(*args: Any, like: Any = None, **kwargs: Any) -> Any:
        if like is None:
            return function(*args, **kwargs)
        name = function.__name__
        if kwargs.get("xp") is not None:
            raise ArgumentError(f"{name}: give either like or xp, not both")
        xp = array_namespace(like)
        if is_neutral(like):
            raise ArrayTypeError(f"{name}: like must be an array, got a {describe(like)}")
        where = device(like)
        dtype = default_floating(xp, where)
        if _plan.is_dtype(xp, like.dtype, _FLOATING):
            dtype = real_of(xp, like.dtype)
        ours = library_of(like)
        names = function.__code__.co_varnames
        given = [_numbers(name, n, x, ours) for n, x in zip(names, args, strict=False)]
        given += args[len(given) :]  # too many, which the function refuses
        named = {n: _numbers(name, n, x, ours) for n, x in kwargs.items()}
        token = _LIKE.set(Place(xp, where, dtype))
        try:
            found = function(*given, **named)
        finally:
            _LIKE.reset(token)
        if all(is_neutral(x) for x in (*given, *named.values())):
            return found
        return tree_map(lambda x: _beside(x, like, dtype), found)

    # Which errors and tracebacks show.
    named: Any = made
    named.__code__ = named.__code__.replace(co_name=function.__name__)
    return named


def _numbers(function: str, name: str, x: Any, ours: Any) -> Any:
    """Return the numbers of an array of another library; `like` takes precedence over it."""
    library = None if is_neutral(x) else library_of(x)
    if library is None or library is ours or x.__class__ in STANDING_IN:
        return x
    return _values(function, name, x).tolist()


def _beside(x: Any, like: Any, dtype: Any) -> Any:
    """Return floating numbers in a precision, on the library and device of `like`."""
    xp = array_namespace(x, like)
    if not hasattr(x, "dtype") or not _plan.is_dtype(xp, x.dtype, _FLOATING):
        return x
    dtype = complex_of(xp, dtype) if _plan.is_complex(xp, x.dtype) else dtype
    if x.dtype != dtype:
        x = scalar(xp.astype(x, dtype))
    return x if device(x) == device(like) else to_device(x, device(like))


def host() -> Any:
    """Return the namespace in which design computes."""
    return namespace("numpy")


def complex_of(xp: Any, dtype: Any) -> Any:
    """Return the complex dtype of a floating one's precision."""
    return xp.complex64 if real_of(xp, dtype) == xp.float32 else xp.complex128


def real_of(xp: Any, dtype: Any) -> Any:
    """Return the real dtype of a floating one's precision."""
    return xp.float32 if dtype in (xp.float32, xp.complex64) else xp.float64


def place(function: str, **arrays: Any) -> Place:
    """Return the place of results: that of array arguments, or that of `likewise.use`."""
    strong = {name: x for name, x in arrays.items() if not is_neutral(x)}
    for name, x in strong.items():
        if isinstance(x, str):
            raise ArgumentError(f"{function}: {name} must be numbers, got the text {x!r}")
    if strong:
        xp = array_namespace(*strong.values())
        first = _plan.common_floating(function, xp, tuple(strong), *strong.values())[0]
        return Place(xp, device(first), real_of(xp, first.dtype))
    given = _LIKE.get()
    if given is not None:
        return given
    default = _default.current()
    xp, where = _creation.target(function, None, None, None)
    asked = getattr(xp, default.dtype) if default.dtype else default_floating(xp, where)
    return Place(xp, where, asked)


def target(function: str, xp: Any, device: Any) -> Place:
    """Return the place of results: ``xp=`` and ``device=``, else that of `likewise.use`."""
    if xp is None:
        found = place(function)
        return found if device is None else found._replace(device=device)
    xp = array_namespace(xp.empty(0))
    return Place(xp, device, default_floating(xp, device))


def read(function: str, **given: Any) -> tuple[Place, list[Any]]:
    """Return the place of results, and the arguments as float64 or complex128 on the host."""
    _refuse_none(function, given)
    where = place(function, **given)
    return where, [_values(function, name, x) for name, x in given.items()]


def real_only(function: str, **arrays: Any) -> None:
    """Refuse complex numbers where only real ones have a meaning."""
    for name, x in arrays.items():
        if x.dtype.kind == "c":
            raise DtypeError(f"{function}: {name} must hold real numbers, got complex ones")


def _refuse_none(function: str, given: dict[str, Any]) -> None:
    for name, x in given.items():
        if x is None:
            raise ArgumentError(f"{function}: {name} must be numbers, got None")


def _values(function: str, name: str, x: Any) -> Any:
    xp = host()
    if not is_neutral(x) and not is_concrete(x):
        library = library_of(x)
        if library is None or library.is_lazy(x):
            raise NotSupported(
                f"{function}: argument {name!r} must have values, got an array that is traced or "
                "not computed yet. Design reads the values and has no derivative here; call it "
                "outside of the compiled or differentiated function."
            )
        warnings.warn(
            f"{function}: argument {name!r} is copied to the host, where design computes",
            HostCopyWarning,
            stacklevel=_level(),
        )
    if not is_neutral(x):
        library = library_of(x)
        if library is not None and library.namespace is xp and x.dtype == xp.float64:
            return x.copy()
        if library is not None and library.recorded(x):
            raise NotSupported(
                f"{function}: argument {name!r} must not record gradients, as design reads its "
                "values and has no derivative here, got an array that does. Detach it."
            )
        x = to_numpy(x)
    else:
        x = _plan.from_lists(function, name, xp, x)
    if x.dtype.kind not in "biufc":
        raise DtypeError(f"{function}: argument {name!r} must hold numbers, got {x.dtype}")
    return x.astype(xp.complex128 if x.dtype.kind == "c" else xp.float64)


def number(function: str, name: str, x: Any) -> float:
    """Return a real number of Python, of NumPy, or in an array of one element, as a float."""
    if isinstance(x, bool | int | float):
        return float(x)
    if isinstance(x, str | complex) or x is None:
        raise ArgumentError(f"{function}: {name} must be a real number, got {x!r}")
    _, (value,) = read(function, **{name: x})
    if math.prod(value.shape) != 1 or value.dtype.kind == "c":
        raise ArgumentError(f"{function}: {name} must be one real number, got {x!r}")
    return float(value.reshape(()))


def rate(function: str, fs: Any, default: float | None = None) -> float:
    """Return a sampling rate as a positive float; `default` stands for None."""
    if fs is None and default is not None:
        return default
    if fs is None:
        raise ArgumentError(f"{function}: fs, the sampling rate, must be a number, got None")
    found = number(function, "fs", fs)
    if not 0 < found < math.inf:
        raise ArgumentError(
            f"{function}: fs, the sampling rate, must be positive and finite, got {fs!r}"
        )
    return found


def integer(function: str, name: str, n: Any, least: int = 0) -> int:
    """Return an integer of at least `least`; 4.0 counts as an integer."""
    value = n if isinstance(n, int) else number(function, name, n)
    if not (math.isfinite(value) and int(value) == value and value >= least):
        kind = "a nonnegative integer" if least == 0 else f"an integer of at least {least}"
        raise ArgumentError(f"{function}: {name} must be {kind}, got {n!r}")
    return int(value)


def order(function: str, n: Any) -> int:
    """Return the order of a filter."""
    return integer(function, "N, the order of the filter,", n)


def wide(xp: Any, x: Any) -> Any:
    """Return a floating array in double precision, if the library and the device have it."""
    if x.dtype in (xp.float64, xp.complex128):
        return x
    known = xp.__array_namespace_info__().dtypes(device=device(x))
    name = "complex128" if _plan.is_complex(xp, x.dtype) else "float64"
    dtype = known.get(name, x.dtype)
    return x if x.dtype == dtype else xp.astype(x, dtype)


class Work(NamedTuple):
    """Hold a namespace to compute with, the arguments in it, and the place of results."""

    xp: Any
    arrays: list[Any]
    precision: Any  # real dtype of the arrays given; None of numbers and lists alone
    where: Place | None

    def give(self, x: Any) -> Any:
        """Return a result in the library and precision of the arguments."""
        if self.where is not None:
            return self.where.give(self.xp.asarray(x))
        xp = self.xp
        dtype = self.precision
        if _plan.is_complex(xp, x.dtype):
            dtype = complex_of(xp, dtype)
        x = x if x.dtype == dtype else xp.astype(x, dtype)
        return x if x.shape else scalar(x)


def working(function: str, **given: Any) -> Work:
    """Return arguments as floating arrays in double precision, real or complex as given.

    They are arrays of the arguments' library, in which they may be traced; numbers are on the host.
    """
    _refuse_none(function, given)
    if all(is_neutral(x) or isinstance(x, str) for x in given.values()):
        where, arrays = read(function, **given)
        return Work(host(), arrays, None, where)
    xp = array_namespace(*given.values())
    out = _plan.common_floating(function, xp, tuple(given), *given.values())
    made = []
    for (name, x), y in zip(given.items(), out, strict=True):
        if _plan.is_complex(xp, y.dtype) and not _holds_complex(function, name, xp, x):
            y = xp.real(y)
        made.append(wide(xp, y))
    return Work(xp, list(of_one_kind(*made)), real_of(xp, out[0].dtype), None)


def vector(xp: Any, x: Any) -> Any:
    """Return an array of at least one dimension."""
    return xp.reshape(x, (1,)) if x.ndim == 0 else x


def one_number(function: str, xp: Any, **arrays: Any) -> list[Any]:
    """Return arrays of one element as arrays without dimensions."""
    for name, x in arrays.items():
        if math.prod(x.shape) != 1:
            raise ArgumentError(
                f"{function}: {name} must be one number, got the shape {tuple(x.shape)}"
            )
    return [xp.reshape(x, ()) for x in arrays.values()]


def _holds_complex(function: str, name: str, xp: Any, x: Any) -> bool:
    if is_neutral(x):
        return _plan.kind_of(function, name, x) is complex
    return _plan.is_dtype(xp, x.dtype, "complex floating")


def not_empty(function: str, **arrays: Any) -> None:
    """Refuse polynomials without coefficients."""
    for name, x in arrays.items():
        if x.shape[0] == 0:
            raise ShapeError(
                f"{function}: {name} must have a coefficient, got the shape {tuple(x.shape)}"
            )


def one_dimension(function: str, **arrays: Any) -> None:
    """Refuse arrays of two and more dimensions."""
    for name, x in arrays.items():
        if x.ndim != 1:
            raise ShapeError(
                f"{function}: {name} must have one dimension, got the shape {tuple(x.shape)}"
            )
