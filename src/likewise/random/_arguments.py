"""Checks of arguments, with the same messages for all functions of random numbers."""

import math
from typing import Any

from .. import _creation, _plan
from .._dtypes import default_floating
from .._namespace import (
    array_namespace,
    describe,
    device,
    is_concrete,
    is_neutral,
)
from .._standard import DTYPES
from ..errors import (
    ArgumentError,
    DtypeError,
    MixedDevicesError,
    MixedLibrariesError,
    ShapeError,
)
from ..interop import asarray
from ._threefry import dtypes, key_dtype

__all__ = [
    "check",
    "checked",
    "common_shape",
    "floating",
    "integral",
    "parameter",
    "plan_key",
    "shape_tuple",
]


def plan_key(
    function: str, key: Any, name: str | None, where: Any, like: Any, *parameters: Any
) -> tuple[Any, Any, Any]:
    """Namespace, key and device of a call; the key is moved to the result's device.

    Inside a transform, a key from outside is converted to the arrays of the parameters.
    """
    neutral = is_neutral(key)
    if not neutral:
        _check_key(function, array_namespace(key), key)
    elif not (isinstance(key, list | tuple) and len(key) == 2 and all(map(_is_word, key))):
        got = f"{key!r}" if isinstance(key, list | tuple) and len(key) == 2 else describe(key)
        raise ArgumentError(
            f"{function}: argument 'key' must be a key, an array of two words in [0, 2^32), "
            f"got {got}. Make one with likewise.random.key(seed)."
        )
    if neutral or name is not None or where is not None or like is not None:
        if like is None and name is None and not neutral:
            key = asarray(key, device=where)
        elif neutral:
            xp, spot = _creation.target(function, name, where, like)
            key = xp.asarray(key, dtype=key_dtype(xp, spot), device=spot)
        elif like is not None and not is_neutral(like):
            xp, spot = _creation.target(function, name, where, like)
            key = asarray(key, like=like, device=where)
        else:
            key = asarray(key, namespace=name, device=where)
    xp = array_namespace(key)
    _check_key(function, xp, key)
    for p in parameters:
        space = getattr(p, "__likewise_library__", None)
        if space is not None and space.namespace is not xp and space.namespace.over is xp:
            xp = space.namespace
            key = xp.asarray(key)
    return xp, key, device(key)


def _is_word(x: Any) -> bool:
    return hasattr(x, "__index__") and 0 <= x.__index__() < 1 << 32


def _check_key(function: str, xp: Any, key: Any) -> None:
    try:
        words = bool(xp.isdtype(key.dtype, "integral"))
    except TypeError:
        words = False
    if not words:
        raise DtypeError(
            f"{function}: argument 'key' must hold two words of 32 bits, got a "
            f"{describe(key)}. Make a key with likewise.random.key(seed), or of a typed key of JAX "
            "with jax.random.key_data(key)."
        )
    if tuple(key.shape) != (2,):
        raise ShapeError(
            f"{function}: argument 'key' must be one key, of shape (2,), got shape "
            f"{tuple(key.shape)}. For many keys map the function over them, by "
            "likewise.transforms.vmap, say."
        )
    # Words that are stored as int64 (torch) or came from elsewhere may be out of range.
    if key.dtype != getattr(xp, "uint32", None) and is_concrete(key):
        upper = key >> 32 if xp.iinfo(key.dtype).bits == 64 else key < 0
        if bool(xp.any(xp.astype(upper, xp.bool))):
            raise ArgumentError(f"{function}: argument 'key' must hold words in [0, 2^32)")


def shape_tuple(function: str, shape: Any, name: str = "shape") -> tuple[int, ...]:
    """A shape from an integer or integers."""
    try:
        sizes = (
            (shape.__index__(),)
            if hasattr(shape, "__index__") and getattr(shape, "ndim", 0) == 0
            else tuple(n.__index__() for n in shape)
        )
    except (TypeError, AttributeError):
        raise ArgumentError(
            f"{function}: {name} must be an integer or a tuple of integers, got {shape!r}"
        ) from None
    if any(n < 0 for n in sizes):
        raise ShapeError(f"{function}: {name} must have no negative sizes, got {shape!r}")
    return sizes


def common_shape(function: str, shape: Any, **parameters: Any) -> tuple[int, ...]:
    """The shape of a result: the given one, or that to which the parameters broadcast."""
    shapes = {n: tuple(getattr(p, "shape", ())) for n, p in parameters.items()}
    for name, sizes in shapes.items():
        if any(n != n for n in sizes):
            raise ShapeError(f"{function}: argument {name!r} must have a known shape")
    together = _plan.broadcast(function, **shapes)
    if shape is None:
        return together
    wanted = shape_tuple(function, shape)
    if len(together) > len(wanted) or any(
        n not in (1, m) for n, m in zip(reversed(together), reversed(wanted), strict=False)
    ):
        got = " and ".join(f"{n} {s}" for n, s in shapes.items())
        raise ShapeError(f"{function}: parameters must broadcast to shape {wanted}, got {got}")
    return wanted


def _own(function: str, xp: Any, dtype: Any, where: Any) -> Any:
    """The library's dtype of an object or a standard name, if it computes with it."""
    name = dtype if isinstance(dtype, str) else _name(dtype)
    if name not in DTYPES:
        raise ArgumentError(f"{function}: {dtype!r} isn't a dtype of the array API standard")
    offered = dtypes(xp, where)
    if name not in offered:
        raise DtypeError(
            f"{function}: {getattr(xp, 'library', xp)} doesn't compute with dtype {name} now; "
            f"available are {', '.join(sorted(offered))}. For JAX, "
            "jax.config.update('jax_enable_x64', True) switches 64-bit types on"
        )
    return offered[name]


def _name(dtype: Any) -> str:
    """'float32' of numpy.float32, numpy.dtype('float32'), torch.float32 ..."""
    return str(getattr(dtype, "__name__", dtype)).rpartition(".")[2]


def floating(function: str, xp: Any, dtype: Any, where: Any, *parameters: Any) -> Any:
    """A real floating dtype: the given one, else that of the arrays, else the default."""
    if dtype is not None:
        found = _own(function, xp, dtype, where)
    else:
        arrays = [p.dtype for p in parameters if hasattr(p, "dtype") and not is_neutral(p)]
        given = [d for d in arrays if _is_real_floating(xp, d)]
        found = xp.result_type(*given) if given else default_floating(xp, where)
    if found not in (xp.float32, xp.float64):
        raise DtypeError(f"{function}: dtype must be float32 or float64, got {found}")
    return found


def _is_real_floating(xp: Any, dtype: Any) -> bool:
    try:
        return bool(xp.isdtype(dtype, "real floating"))
    except TypeError:  # of another library, which is refused by the parameter's name
        return False


def integral(function: str, xp: Any, dtype: Any, where: Any) -> Any:
    """An integer dtype: the given one, else the default."""
    if dtype is None:
        return default_floating(xp, where, kind="integral")
    found = _own(function, xp, dtype, where)
    if not xp.isdtype(found, "integral"):
        raise DtypeError(f"{function}: dtype must be of integers, got {found}")
    return found


def parameter(function: str, name: str, xp: Any, x: Any, dtype: Any, where: Any) -> Any:
    """A parameter of a distribution as an array of a dtype, on the device of the key."""
    if is_neutral(x):
        if hasattr(x, "item"):
            x = x.item()
        return _plan.from_lists(function, name, xp, x, dtype, where)
    try:
        array_namespace(x, xp.empty(0, dtype=dtype, device=where))
    except MixedLibrariesError as error:
        text = str(error).replace("argument number 1 is", f"argument {name!r} is")
        text = text.replace("argument number 2 is", "beside the key is")
        raise MixedLibrariesError(text) from None
    here = device(x)
    if None not in (here, where) and here != where:
        raise MixedDevicesError(
            f"{function}: arguments 'key' and {name!r} must be on one device, but are on {where} "
            f"and {here}. Move one with likewise.to_device(x, device)."
        )
    if not xp.isdtype(x.dtype, ("bool", "integral", "real floating")):
        raise DtypeError(
            f"{function}: argument {name!r} must hold real numbers, got a {describe(x)}"
        )
    if x.dtype != dtype:
        return xp.astype(x, dtype)
    return x if getattr(xp, "over", None) is None else xp.asarray(x)


def checked(
    function: str, name: str, xp: Any, x: Any, dtype: Any, where: Any, *rules: tuple[Any, str]
) -> Any:
    """Call `check` for each rule, on a number before it becomes an array, then `parameter`."""
    number = isinstance(x, bool | int | float)
    x = x if number else parameter(function, name, xp, x, dtype, where)
    for good, what in rules:
        check(function, name, x, good, what)
    return parameter(function, name, xp, x, dtype, where) if number else x


def check(function: str, name: str, x: Any, good: Any, what: str) -> None:
    """Raise an error for invalid values, where they can be read; `good` tests elementwise."""
    if isinstance(x, bool | int | float):
        if not good(x):
            raise ArgumentError(f"{function}: {name} must be {what}, got {x}")
        return
    if not hasattr(x, "shape") or not is_concrete(x) or 0 in x.shape:
        return
    xp = array_namespace(x)
    if not bool(xp.all(xp.asarray(good(x)))):
        got = "an array with other values"
        if math.prod(x.shape) == 1:
            number = int if xp.isdtype(x.dtype, "integral") else float
            got = f"{number(xp.reshape(x, ()))}"
        raise ArgumentError(f"{function}: {name} must be {what}, got {got}")
