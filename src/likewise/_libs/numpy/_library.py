"""NumPy."""

import functools
import operator
from typing import Any

import array_api_compat.numpy as compat
import numpy as np

from ..._library import Library
from ..._memo import PLAIN
from ..._namespace import standard
from ...errors import LinAlgError
from .. import _special_values
from ._repairs import REDUCTIONS, moveaxis, stack

_NAMESPACE = standard(
    "numpy",
    compat,
    {
        "expm1": _special_values.expm1(compat),
        # It takes a microsecond, and most plans ask.
        "isdtype": functools.cache(compat.isdtype),  # type: ignore[attr-defined]
        "finfo": _special_values.finfo(compat.finfo),  # type: ignore[attr-defined]
        "moveaxis": moveaxis,
        "stack": stack,
        **REDUCTIONS,
        "tanh": _special_values.tanh(compat),
        # array_api_compat reads a signature in each call. Not unique_values, which doesn't sort.
        **{name: getattr(np, name) for name in ("unique_all", "unique_counts", "unique_inverse")},
    },
)

PLAIN[np.ndarray] = None

_OPERATORS = "add subtract multiply divide negative".split()
_SKETCH = operator.attrgetter("__class__", "dtype", "shape", "strides")
# NumPy keeps the error state in a context variable, whose value is a new object for each change.
_STATE = getattr(np._core.umath, "_extobj_contextvar", None)  # type: ignore[attr-defined]


@functools.lru_cache(maxsize=64)
def _errors_of(state: Any) -> Any:
    return tuple(np.geterr().items())


@functools.lru_cache(maxsize=1024)
def _laid(sketch: Any) -> Any:
    if len(sketch) == 2:  # a scalar
        return sketch[0]
    _, dtype, shape, strides = sketch
    if np.empty(shape, dtype).strides == strides:
        return functools.partial(np.array, dtype=dtype)
    spans = [(n - 1) * s for n, s in zip(shape, strides, strict=True) if n]
    extent, first = dtype.itemsize + sum(map(abs, spans)), -sum(s for s in spans if s < 0)

    def made(values: Any) -> Any:
        out = np.ndarray(shape, dtype, bytearray(extent), first, strides)
        out[...] = values
        return out

    return made


class _LinAlgError(LinAlgError, np.linalg.LinAlgError):
    """A singular matrix, as NumPy and SciPy say it."""


_LinAlgError.__name__ = _LinAlgError.__qualname__ = "LinAlgError"


class NumPy(Library):
    """NumPy's arrays."""

    name = "numpy"
    linalg_error = _LinAlgError
    strong_scalars = True
    packages = ("numpy", "scipy")
    namespace = _NAMESPACE
    own_functions = True
    scalar_types = tuple(
        {t for t in np.sctypeDict.values() if issubclass(t, np.number | np.bool_)}
        - {np.timedelta64}
    )
    convolution = Library.convolution | {"routine": (19.0, 24.0, 0.12, 0.12, 0.0)}
    conversions = tuple(
        (np, n)
        for n in """array asanyarray asarray ascontiguousarray asfortranarray copy
        from_dlpack""".split()
    )

    def version(self) -> str:
        return np.__version__

    def own_types(self) -> tuple[type, ...]:
        return (np.ndarray,)

    def is_array(self, x: object) -> bool:
        return isinstance(x, np.ndarray) and not isinstance(x, np.ma.MaskedArray | np.matrix)

    def refusal(self, x: object) -> str | None:
        if isinstance(x, np.ma.MaskedArray):
            return "Fill it, x.filled(np.nan), or pass x.data and the mask as a weight."
        if isinstance(x, np.matrix):
            return "Use a plain array: np.asarray(x)."
        if isinstance(x, np.generic):
            return "NumPy's scalars are no arrays; those that are numbers may stand beside arrays."
        return None

    def device(self, x: Any) -> Any:
        return "cpu"

    def is_host(self, x: Any) -> bool:
        return True

    def is_concrete(self, x: Any) -> bool:
        return True

    def to_numpy(self, x: Any) -> Any:
        return np.asarray(x)

    def from_numpy(self, x: Any, device: Any) -> Any:
        return x

    def viewable(self, *arrays: Any) -> bool:
        return True

    def view(self, x: Any) -> Any:
        return x

    def through_numpy(self, routine: Any) -> Any:
        return routine

    def scalar(self, x: Any) -> Any:
        return x[()] if type(x) is np.ndarray else x

    def own(self, x: Any) -> Any:
        return x.copy("K")  # a routine in C may want columns together

    def shares(self, x: Any, y: Any) -> bool:
        try:
            return bool(np.shares_memory(x, y, max_work=1_000_000))  # type: ignore[arg-type]
        except np.exceptions.TooHardError:  # their bounds overlap
            return True

    def guarded(self, x: Any) -> Any:
        view = x.view()
        view.flags.writeable = False
        return view

    def at_set(self, x: Any, index: Any, value: Any) -> Any:
        out = np.array(x)
        out[index] = value
        return out

    records = True
    replays = True
    floats = True

    def laid(self, sketch: Any) -> Any:
        return _laid(sketch)  # of few layouts, which are kept

    writing = {  # noqa: RUF012
        n: f
        for n, f in {k: getattr(np, k) for k in dir(_NAMESPACE) if hasattr(np, k)}.items()
        if isinstance(f, np.ufunc) and (getattr(_NAMESPACE, n) is f or n in _OPERATORS)
    }
    sketch = staticmethod(_SKETCH)  # type: ignore[assignment]  # in C, without a frame

    def recordable(self, x: Any) -> bool:
        return type(x) is np.ndarray and x.dtype.kind in "biufc"

    state = staticmethod(_STATE.get if _STATE is not None else np.geterr)

    def errors(self) -> Any:
        return tuple(np.geterr().items()) if _STATE is None else _errors_of(_STATE.get())

    def set_errors(self, errors: Any) -> None:
        np.seterr(**dict(errors))

    def raises(self, errors: Any) -> bool:
        return any(how not in ("ignore", "warn") for _, how in errors)

    def chooses(self, errors: Any) -> bool:
        return all(how == "ignore" for _, how in errors)

    def row_major(self, x: Any) -> bool:
        return bool(x.flags.c_contiguous)

    def copied(self, x: Any) -> Any:
        return x.copy(order="K") if type(x) is np.ndarray else x

    def quiet(self) -> Any:
        return np.errstate(all="ignore")


LIBRARY = NumPy()
