"""Arguments of all interpolating functions: the image and its options, numbers for each axis."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, is_neutral
from ...errors import DtypeError, ImageError
from .._base._arguments import beside, for_each, image, integer, mode_of, number
from .._base._dtypes import usual
from ._splines import complex_of, exact, name_of, order_of

__all__ = ["Given", "given", "numbers", "plain", "real", "result", "shape_of"]


class Given(NamedTuple):
    """The image and the checked options of one call."""

    x: Any
    output: str | None
    order: int
    mode: str


def given(function: str, input: Any, output: Any, order: Any, mode: Any, cval: Any) -> Given:
    """Return the image, and the options that all functions have."""
    x = image(function, input)
    if x.ndim < 1:
        raise ImageError(f"{function}: input must have at least one dimension")
    number(function, "cval", cval)
    dtype = complex_of(function, x, output)
    name = None if dtype == x.dtype else name_of(dtype)
    return Given(x, name, order_of(function, order), mode_of(function, mode))


def result(xp: Any, x: Any, output: str | None) -> Any:
    """Return the dtype of a result from its name; None is that of the image."""
    return x.dtype if output is None else getattr(xp, output)


def numbers(function: str, name: str, x: Any, value: Any) -> Any:
    """Return one number for each axis: a tuple of Python's, or an array like the image."""
    if is_neutral(value) or isinstance(value, list | tuple):
        values = for_each(function, name, value, x.ndim)
        if all(is_neutral(v) for v in values):
            return tuple(float(number(function, name, v)) for v in values)
        each = [beside(function, ("input", name), x, v) for v in values]
        return array_namespace(*each).stack(each)
    found = beside(function, ("input", name), x, value)
    if found.ndim > 1 or (found.ndim == 1 and found.shape[0] != x.ndim):
        raise ImageError(
            f"{function}: {name} must be one number, or {x.ndim} of them, one for each axis; got "
            f"the shape {tuple(found.shape)}"
        )
    return real(function, name, found)


def real(function: str, name: str, x: Any) -> Any:
    """Return an array that isn't complex."""
    if _plan.is_complex(array_namespace(x), x.dtype):
        raise DtypeError(f"{function}: {name} must hold real numbers, got {x.dtype}")
    return x


def shape_of(function: str, shape: Any, x: Any) -> tuple[int, ...]:
    """Return the shape of a result: that of the image, or the given one."""
    if shape is None:
        return tuple(x.shape)
    if not isinstance(shape, Sequence):
        shape = (shape,)
    found = tuple(integer(function, "output_shape", n) for n in shape)
    if not found or min(found) < 0:
        raise ImageError(f"{function}: output_shape must hold sizes, none negative, got {shape!r}")
    return found


def plain(x: Any, *rest: Any) -> bool:
    """an image that isn't empty, numbers or arrays like it, and no small one with 'reflect'."""
    order, mode, _, prefilter = rest[-4:]
    return (
        0 not in x.shape
        and usual(x)
        and all(type(a) in (type(x), tuple, str, float, bool, int, type(None)) for a in rest)
        and (not prefilter or exact(x.shape, order, mode))
    )
