"""CuPy's stand-in for machines without a GPU: its arrays hold NumPy's, and refuse what CuPy's refuse.

Names, arguments and loops are those of a wheel, of which ``cupy_names.json`` tells (ci/cupy_names.py
writes it). Values are computed by NumPy. It finds slips, such as an argument that CuPy lacks or a
list where an array is due; that CuPy works it can't show, and no result of it counts as CuPy's.

Refused, as by CuPy: NumPy's arrays and lists beside its own, ``__array__``, names, arguments and
dtypes that it lacks, ``__index__``, `nonzero` without dimensions. Taken by CuPy but refused here, as
each copies or waits for the device unseen: iteration, NumPy's arrays and lists as indices.
As on a device: indices out of range wrap, nothing warns, singular matrices raise nothing.
"""

import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["NAMES", "install", "ndarray"]

FILE = Path(__file__).with_name("cupy_names.json")
NAMES: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
# Parameters of functions that are arrays, and never lists of numbers.
ARRAYS = frozenset(
    """a a1 a2 ar1 ar2 arr arr1 arr2 array ary b condition element test_elements v values vals
    weights x x1 x2 xp y z A M""".split()
)
SCALARS = (bool, int, float, complex, np.generic)
# What `at` of a ufunc takes; the others have none.
AT = {
    "add": "iIlLefd",
    "subtract": "iI",
    **dict.fromkeys(("maximum", "minimum"), "iIlLfd"),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), "iIlL"),
}


def host(x: Any) -> Any:
    """Return NumPy's arrays in the place of the stand-in's, and refuse what CuPy refuses."""
    if isinstance(x, ndarray):
        return x._host
    if isinstance(x, np.ndarray):
        raise TypeError(f"Unsupported type {np.ndarray}")
    if isinstance(x, tuple | list):
        return type(x)([host(v) for v in x])
    return x


def made(x: Any) -> Any:
    """Return the stand-in's arrays in the place of NumPy's; its functions return no scalars."""
    if isinstance(x, np.ndarray | np.generic):
        return ndarray(np.asarray(x))
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(made, x))
    if isinstance(x, tuple | list):
        return type(x)([made(v) for v in x])
    return x


def dtyped(x: Any) -> Any:
    if x.dtype.kind not in "?biufc" or not x.dtype.isnative:
        raise ValueError(f"Unsupported dtype {x.dtype}")
    return x


def calling(name: str) -> Callable[..., Any]:
    """Return what raises TypeError for arguments that the wheel's signature lacks, else a dict."""
    text = f"lambda {NAMES[name][1:-1]}: locals()"
    return eval(text)  # type: ignore[no-any-return]


def checked(name: str) -> Callable[..., None]:
    bind = calling(name)

    def check(*args: Any, **kwargs: Any) -> None:
        try:
            given = bind(*args, **kwargs)
        except TypeError as error:
            said = str(error).replace("<lambda>()", "")
            raise TypeError(f"{name}{NAMES[name]}: {said}") from None
        for parameter, value in given.items():
            if parameter in ARRAYS and isinstance(value, list):
                raise TypeError(f"{name}: {parameter} is a list, where CuPy takes arrays")

    return check


def numpys(name: str) -> Any:
    found: Any = np
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def function(name: str) -> Callable[..., Any]:
    """Return a function of the wheel's, with NumPy's values."""
    check, real = checked(name), numpys(name)

    def call(*args: Any, **kwargs: Any) -> Any:
        check(*args, **kwargs)
        if real is None:
            raise NotImplementedError(f"{name}: CuPy has it, this stand-in hasn't")
        args, kwargs = host(args), {key: host(value) for key, value in kwargs.items()}
        for key in ("subok", "blocking"):
            kwargs.pop(key, None)
        if kwargs.get("order", "") is None:
            del kwargs["order"]
        with np.errstate(all="ignore"):
            return made(real(*args, **kwargs))

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__module__ = name.rpartition(".")[0]
    return call


# -- ufuncs ----------------------------------------------------------------------------------------


class ufunc:
    """An element-wise function with the wheel's loops."""

    def __init__(self, name: str) -> None:
        self.__name__ = name.rpartition(".")[2]
        self.types = [t.replace(">", "->") for t in NAMES[name].split()[1:]]
        self._loops = [tuple(t.split("->")) for t in self.types]
        self.nin, self.nout = map(len, self._loops[0])
        self._real = numpys(name)
        self._chosen: dict[Any, tuple[str, str]] = {}

    def __call__(
        self, *args: Any, out: Any = None, dtype: Any = None, casting: str = "same_kind"
    ) -> Any:
        if not self.nin <= len(args) <= self.nin + self.nout:
            raise TypeError(f"Wrong number of arguments for {self.__name__!r}")
        if len(args) > self.nin:
            out = args[self.nin] if self.nout == 1 else args[self.nin :]
        given = args[: self.nin]
        for x in given:
            if not isinstance(x, (ndarray, *SCALARS)):
                raise TypeError(f"Unsupported type {type(x)}")
        ins, outs = self._loop(given, dtype)
        if self._real is None:
            raise NotImplementedError(f"{self.__name__}: CuPy has it, this stand-in hasn't")
        with np.errstate(all="ignore"):
            values = [
                np.asarray(host(x)).astype(t, copy=False) for x, t in zip(given, ins, strict=True)
            ]
            found = self._real(*values)
        several = found if self.nout > 1 else (found,)
        results = tuple(
            made(np.asarray(x).astype(t, copy=False)) for x, t in zip(several, outs, strict=True)
        )
        if out is not None:
            into = out if isinstance(out, tuple) else (out,)
            for x, y in zip(into, results, strict=True):
                np.copyto(host(x), y._host, casting=casting)  # type: ignore[call-overload]
            results = into
        return results if self.nout > 1 else results[0]

    def _loop(self, given: tuple[Any, ...], dtype: Any) -> tuple[str, str]:
        """Return the letters of the first loop that takes the arguments."""
        key = dtype, *(getattr(x, "dtype", type(x)) for x in given)
        if key not in self._chosen:
            self._chosen[key] = self._search(given, dtype)
        return self._chosen[key]

    def _search(self, given: tuple[Any, ...], dtype: Any) -> tuple[str, str]:
        for ins, outs in self._loops:
            if dtype is not None:
                if all(np.dtype(t) == dtype for t in outs):
                    return ins, outs
            elif all(_fits(x, t, given) for x, t in zip(given, ins, strict=True)):
                return ins, outs
        kinds = [getattr(x, "dtype", type(x)) for x in given]
        raise TypeError(f"Wrong type ({kinds}) of arguments for {self.__name__}")

    def at(self, a: Any, indices: Any, b: Any = None) -> None:
        if self.__name__ not in AT:
            raise NotImplementedError(f"`{self.__name__}.at` is not supported yet")
        value = b._host if isinstance(b, ndarray) else np.asarray(host(b), a.dtype)
        if value.dtype.char not in AT[self.__name__]:
            raise TypeError(f"cupy.{self.__name__}.at doesn't support {value.dtype}")
        self._real.at(a._host, _index(indices, a.shape), value.astype(a.dtype))

    def reduce(
        self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        names = {"add": "sum", "multiply": "prod"}
        if self.__name__ not in names:
            raise NotImplementedError(f"`{self.__name__}.reduce` is not supported yet")
        return getattr(array, names[self.__name__])(axis, dtype, out, keepdims)

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        names = {"add": "cumsum", "multiply": "cumprod"}
        if self.__name__ not in names:
            raise NotImplementedError(f"`{self.__name__}.accumulate` is not supported yet")
        return getattr(array, names[self.__name__])(axis, dtype, out)


def _fits(x: Any, letter: str, given: tuple[Any, ...]) -> bool:
    """Tell whether an argument can go into a loop; Python's scalars have the others' dtype."""
    if hasattr(x, "dtype"):
        return np.can_cast(x.dtype, letter)
    if any(hasattr(y, "dtype") for y in given):
        return bool(np.result_type(type(x)(0), np.dtype(letter)) == np.dtype(letter))
    return np.can_cast(np.asarray(type(x)(0)).dtype, letter)


# -- the array -------------------------------------------------------------------------------------


def _index(index: Any, shape: tuple[int, ...]) -> Any:
    """Return NumPy's index; whole numbers in arrays wrap, as on the device."""
    parts = index if isinstance(index, tuple) else (index,)
    for x in parts:
        if isinstance(x, np.ndarray | list | tuple):
            raise TypeError(
                f"an index is a {type(x).__name__}: CuPy copies it to the device each time"
            )
        if isinstance(x, ndarray) and x.dtype.kind not in "biu":
            raise IndexError(
                f"arrays used as indices must be of integer or boolean type, got {x.dtype}"
            )
        if not (x is None or x is Ellipsis or isinstance(x, (slice, ndarray, *SCALARS))):
            raise IndexError(f"only integers, slices and arrays are valid indices, got {x!r}")
        if isinstance(x, slice):
            for bound in (x.start, x.stop, x.step):
                if isinstance(bound, ndarray):
                    raise TypeError("a bound of a slice is an array, which has no __index__")
    taken = [
        0 if x is None else x.ndim if isinstance(x, ndarray) and x.dtype.kind == "b" else 1
        for x in parts
        if x is not Ellipsis
    ]
    left, axis, out = len(shape) - sum(taken), 0, []
    for x in parts:
        if x is Ellipsis:
            axis += left
        elif isinstance(x, ndarray) and x.dtype.kind in "iu":
            size = shape[axis] if axis < len(shape) else 1
            out.append(x._host % size if size else x._host)
            axis += 1
            continue
        elif isinstance(x, ndarray):
            axis += x.ndim
        elif x is not None:
            axis += 1
        out.append(host(x))
    return tuple(out)


class ndarray:
    """An array of the stand-in: it holds one of NumPy's and is none."""

    __slots__ = ("__weakref__", "_host")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100

    def __init__(self, values: Any) -> None:
        self._host = dtyped(values)

    def __array__(self, dtype: Any = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __array_ufunc__(self, func: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        ours = getattr(sys.modules["cupy"], func.__name__, None)
        known = (ndarray, np.ndarray, *SCALARS)
        if not isinstance(ours, ufunc) or not all(isinstance(x, known) for x in inputs):
            return NotImplemented
        if isinstance(kwargs.get("out"), tuple):
            (kwargs["out"],) = kwargs["out"]
        return (ours if method == "__call__" else getattr(ours, method))(*inputs, **kwargs)

    def __array_function__(self, func: Any, kinds: Any, args: Any, kwargs: Any) -> Any:
        found: Any = sys.modules["cupy"]
        for part in (*func.__module__.split(".")[1:], func.__name__):
            found = getattr(found, part, None)
        if (
            found is None
            or found is func
            or not all(issubclass(k, ndarray | np.ndarray) for k in kinds)
        ):
            return NotImplemented
        return found(*args, **kwargs)

    def __iter__(self) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if not caller.startswith("array_api_compat."):  # in `unstack`, which has no other way
            raise TypeError("iteration over an array launches a kernel for each element")
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        return len(self._host)

    def __getitem__(self, index: Any) -> Any:
        return made(self._host[_index(index, self.shape)])

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, (ndarray, *SCALARS)):
            raise TypeError(f"a {type(value).__name__} is assigned to elements")
        self._host[_index(index, self.shape)] = host(value)

    def __repr__(self) -> str:
        return repr(self._host)

    def __str__(self) -> str:
        return str(self._host)

    def __format__(self, spec: str) -> str:
        return format(self._host, spec)

    def __reduce__(self) -> Any:
        return ndarray, (self._host,)

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __bool__(self) -> bool:
        return bool(self._host)

    def __int__(self) -> int:
        return int(self._host)

    def __float__(self) -> float:
        return float(self._host)

    def __complex__(self) -> complex:
        return complex(self._host)

    def get(
        self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True
    ) -> Any:
        return self._host.copy()

    @property
    def device(self) -> Any:
        return Device(0)

    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: Any = None,
        subok: Any = None,
        copy: bool = True,
    ) -> Any:
        if casting is not None or subok is not None:
            raise TypeError("casting and subok are not supported yet")
        if not copy and self.dtype == dtype:
            return self
        with np.errstate(all="ignore"):
            return made(self._host.astype(dtype, order))

    def sort(self, axis: int = -1, kind: Any = None) -> None:
        if not self.flags.c_contiguous:
            raise NotImplementedError("Sorting non-contiguous array is not supported.")
        self._host.sort(axis)

    def nonzero(self) -> Any:
        if not self._host.ndim:
            raise ValueError("Calling nonzero on 0d arrays is not allowed.")
        return made(self._host.nonzero())


ndarray.__module__ = "cupy"


def method(name: str) -> Callable[..., Any]:
    """Return a method of arrays with the wheel's arguments."""
    check, short = checked(f"cupy.ndarray.{name}"), name

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        check(*args, **kwargs)
        args, kwargs = host(args), {key: host(value) for key, value in kwargs.items()}
        with np.errstate(all="ignore"):
            return made(getattr(self._host, short)(*args, **kwargs))

    call.__name__ = name
    return call


def attribute(name: str) -> property:
    def write(self: Any, value: Any) -> None:
        setattr(self._host, name, host(value))

    return property(lambda self: made(getattr(self._host, name)), write)


OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "divmod": "divmod",
    "pow": "power",
    "matmul": "matmul",
    "lshift": "left_shift",
    "rshift": "right_shift",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lt": "less",
    "le": "less_equal",
    "eq": "equal",
    "ne": "not_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "neg": "negative",
    "pos": "positive",
    "abs": "absolute",
    "invert": "invert",
}


def operator(name: str, way: str) -> Callable[..., Any]:
    """Return `__add__`, `__radd__` or `__iadd__`, which leave what they don't know to the other."""

    def call(self: Any, *other: Any) -> Any:
        for x in other[:1]:
            if getattr(x, "__array_ufunc__", ndarray) is None:
                return NotImplemented
            if x is None and name in ("equal", "not_equal"):
                return made(np.full(self.shape, name != "equal"))
            if not isinstance(x, (ndarray, np.ndarray, *SCALARS)):
                return NotImplemented
        func = getattr(sys.modules["cupy"], name)
        if way == "i":
            return func(self, *other, out=self)
        return func(*other, self) if way == "r" else func(self, *other)

    return call


def _complete() -> None:
    """Give the class the wheel's members, and no other."""
    for key, kind in NAMES.items():
        name = key.removeprefix("cupy.ndarray.")
        if name == key or name in vars(ndarray):
            continue
        if kind == "property":
            setattr(ndarray, name, attribute(name))
        elif kind != "special":
            setattr(ndarray, name, method(name))
        else:
            short = name.strip("_")
            for way in ("", "r", "i"):
                if short.removeprefix(way) in OPERATORS and (not way or short not in OPERATORS):
                    setattr(ndarray, name, operator(OPERATORS[short.removeprefix(way)], way))
                    break


_complete()

# -- the device ------------------------------------------------------------------------------------


class Device:
    """The one device there is."""

    def __init__(self, device: Any = None) -> None:
        self.id = 0 if device is None else int(getattr(device, "id", device))
        if self.id:
            raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"


class CUDARuntimeError(RuntimeError):
    """CuPy's error of the driver."""


# -- the modules -----------------------------------------------------------------------------------


def array(
    obj: Any,
    dtype: Any = None,
    copy: Any = True,
    order: Any = "K",
    subok: bool = False,
    ndmin: int = 0,
    *,
    blocking: bool = False,
) -> Any:
    if isinstance(obj, ndarray):
        if not copy and (dtype is None or obj.dtype == dtype) and ndmin <= obj.ndim:
            return obj
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return made(np.array(obj._host, dtype, order="K", ndmin=ndmin))
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    with np.errstate(all="ignore"):
        return made(np.array(_nested(obj), dtype, order="K", ndmin=ndmin))  # in new memory


def _nested(x: Any) -> Any:
    """Return lists with NumPy's arrays in the place of the stand-in's."""
    if isinstance(x, ndarray):
        return x._host
    return type(x)([_nested(v) for v in x]) if isinstance(x, tuple | list) else x


def asarray(
    a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, blocking: bool = False
) -> Any:
    return array(a, dtype, copy)


def asnumpy(
    a: Any, stream: Any = None, order: str = "C", out: Any = None, *, blocking: bool = True
) -> Any:
    return a.get() if isinstance(a, ndarray) else np.asarray(a)


def take(a: Any, indices: Any, axis: Any = None, out: Any = None) -> Any:
    return made(np.take(host(a), host(indices), axis, mode="wrap"))


def take_along_axis(a: Any, indices: Any, axis: int) -> Any:
    size = a.size if axis is None else a.shape[axis]
    return made(np.take_along_axis(host(a), host(indices) % max(size, 1), axis))


def nonzero(a: Any) -> Any:
    return a.nonzero()


def quiet_linalg(name: str) -> Callable[..., Any]:
    """Return a function that gives NaN where NumPy's raises: CuPy doesn't look at the outcome."""
    loud = function(name)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return loud(*args, **kwargs)
        except np.linalg.LinAlgError as error:
            if "ingular" not in str(error) and "definite" not in str(error):
                raise
            like = args[-1]
            return made(np.full(like.shape, np.nan, np.result_type(like.dtype, np.float32)))

    return call


OWN = {
    "cupy.array": array,
    "cupy.asarray": asarray,
    "cupy.asnumpy": asnumpy,
    "cupy.take": take,
    "cupy.take_along_axis": take_along_axis,
    "cupy.nonzero": nonzero,
    **{f"cupy.linalg.{n}": quiet_linalg(f"cupy.linalg.{n}") for n in ("cholesky", "inv", "solve")},
}


def _value(key: str, kind: str) -> Any:
    if key in OWN:
        return OWN[key]
    if kind.startswith("ufunc"):
        return ufunc(key)
    return numpys(key) if kind == "numpy" else function(key)


def install() -> None:
    """Put the stand-in where ``import cupy`` finds it, in this process."""
    modules = {
        name: types.ModuleType(name)
        for name in ["cupy", *(f"cupy.{n}" for n in ("fft", "linalg", "cuda"))]
        + [f"cupy.cuda.{n}" for n in ("device", "runtime")]
    }
    for key, kind in NAMES.items():
        module, _, name = key.rpartition(".")
        if module in modules:  # not the version, nor members of the array
            setattr(modules[module], name, _value(key, kind))
    for name, module in modules.items():
        above, _, short = name.rpartition(".")
        if above:
            setattr(modules[above], short, module)
    vars(modules["cupy"]).update(ndarray=ndarray, ufunc=ufunc, __version__=NAMES["version"])
    vars(modules["cupy.cuda"]).update(Device=Device)
    vars(modules["cupy.cuda.device"]).update(Device=Device)
    vars(modules["cupy.cuda.runtime"]).update(
        CUDARuntimeError=CUDARuntimeError,
        getDeviceCount=lambda: 1,
        getDeviceProperties=lambda i: {"name": b"simulated", "totalGlobalMem": 2**30},
        memGetInfo=lambda: (2**30, 2**30),
    )
    sys.modules.update(modules)
