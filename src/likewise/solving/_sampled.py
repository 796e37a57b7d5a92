"""Functions of the user at several points of each problem, for many problems at once.

Points are (B, n): a row for each problem. So what integrates or differentiates a function along a
variable has one call for all problems, and problems that have ended can be dropped.
"""

import math
from collections.abc import Callable
from typing import Any

from .._namespace import array_namespace, describe, is_lazy, is_neutral
from .._plan import is_complex
from ..errors import ArgumentError, ShapeError
from ..transforms import stop_gradient
from ..transforms._following._interpreter import native, of_loops
from ..transforms._implicit import recorded
from ._elementwise import Lanes
from ._function import Function

__all__ = ["Sampled", "at_hand", "flag", "stopped", "told"]

_HINT = (
    ". It is called with points whose last axis are those of one problem, and must return a value "
    "for each, f(x) elementwise; arrays of args have there an axis of 1. A constant is x * 0 + c"
)


class Sampled:
    """Call a user's function of points (B, n) and arguments (B, 1) or (1, 1).

    If it `keeps` the shape, it gets points (..., n) of the problems' shape, and may return more
    leading dimensions: each of its results is a problem, L of them. Points (L, n) repeat then.
    """

    def __init__(
        self, function: str, f: Callable[..., Any], lanes: Lanes, keeps: bool, complex_: bool
    ) -> None:
        self.function = Function(function, "f", f, hint=_HINT)
        self.lanes, self.keeps, self.complex = lanes, keeps, complex_
        self.shape = lanes.shape  # of the results
        self.size = math.prod(lanes.shape)  # of problems that were given
        self.lead: tuple[int, ...] = ()
        self.dtype: Any = None
        self.asked = False  # whether somebody may ask for derivatives of results
        self.args = tuple(self._beside(a) for a in lanes.args)

    def _beside(self, a: Any) -> Any:
        """Return an argument as it goes beside points."""
        if getattr(a, "ndim", 0) != 1:
            return a
        if self.keeps and a.shape[0] > 1:
            return array_namespace(a).reshape(a, (*self.lanes.shape, 1))
        return a[:, None]

    def begun(self, x: Any) -> Any:
        """Call the function at one point of each problem (B,), and learn what it returns, (L,)."""
        y = self.plain(x[:, None], self.args)
        self.asked = recorded(y)
        return stop_gradient(y)[:, 0]

    def each(self, a: Any) -> Any:
        """Return what is known of the problems that were given, (B,), for all problems, (L,)."""
        if not self.lead:
            return a
        xp, k = array_namespace(a), math.prod(self.lead)
        return xp.reshape(xp.broadcast_to(a[None, :], (k, a.shape[0])), (k * a.shape[0],))

    def __call__(self, x: Any, args: tuple[Any, ...]) -> Any:
        return stop_gradient(self.plain(x, args))

    def plain(self, x: Any, args: tuple[Any, ...]) -> Any:
        """Call the function so that it can be differentiated."""
        xp = array_namespace(x)
        if not self.keeps:
            return self._typed(self.function.called(x, *args), tuple(x.shape), x)
        n = x.shape[1]
        points = xp.reshape(x[: self.size, :], (*self.lanes.shape, n))
        out = self.function.called(points, *args)
        if self.dtype is None:
            out = _stacked(out)
            found = tuple(getattr(out, "shape", points.shape))
            k = len(found) - points.ndim
            if k < 0 or found[k:] != tuple(points.shape):
                raise ShapeError(
                    f"{self.function.function}: f must return an array of shape (..., "
                    f"{', '.join(map(str, points.shape))}), got {describe(out)}" + _HINT
                )
            self.lead, self.shape = found[:k], found[:-1]
        out = self._typed(out, (*self.shape, n), points)
        return xp.reshape(out, (math.prod(self.shape), n))

    def _typed(self, out: Any, shape: tuple[int, ...], x: Any) -> Any:
        """Check a result, which may be complex if that is allowed."""
        xp, like = array_namespace(x), x
        out = _stacked(out)
        if self.complex and hasattr(out, "dtype") and not is_neutral(out):
            space = array_namespace(out)
            if is_complex(space, out.dtype):
                if self.dtype is None:  # tells of another precision
                    self.function.checked(space.real(out), shape, x, 0)
                like = xp.astype(x, out.dtype)
        elif self.complex and isinstance(out, complex) and not isinstance(out, float):
            like = xp.astype(x, _complex_of(xp, x.dtype))
        out = self.function.checked(out, shape, like, 0)
        if self.dtype is None:
            self.dtype = out.dtype
        return out if out.dtype == self.dtype else xp.astype(out, self.dtype)

    def alike(self, traced: Callable[..., Any]) -> "Sampled":
        """Return a function of points and arrays of arguments, as it was traced, in this place."""
        made = object.__new__(Sampled)
        made.__dict__.update(self.__dict__)
        made.plain = traced  # type: ignore[method-assign]
        return made


def _complex_of(xp: Any, dtype: Any) -> Any:
    return xp.complex128 if dtype == xp.float64 else xp.complex64


def _stacked(out: Any) -> Any:
    """Return lists of arrays as an array."""
    if isinstance(out, list | tuple) and out:
        parts = [_stacked(o) for o in out]
        if all(hasattr(p, "shape") for p in parts):
            return array_namespace(*parts).stack(parts)
    return out


def flag(function: str, name: str, value: Any) -> bool:
    """Return a setting that is true or false."""
    if not isinstance(value, bool | int) or value not in (True, False):
        raise ArgumentError(f"{function}: {name} must be True or False, got {value!r}")
    return bool(value)


def at_hand(*arrays: Any) -> bool:
    """Tell if the host runs loops over these arrays, and reads which problems have ended."""
    if of_loops() is not None:
        return False
    return native(list(arrays)).while_loop is None and not any(map(is_lazy, arrays))


def told(callback: Callable[[Any], Any], found: Any) -> bool:
    """Call the caller's function with what was found, and tell if it ends the iteration."""
    try:
        callback(found)
    except StopIteration:
        return True
    return False


def stopped(tree: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arrays without their derivatives; other objects as they are."""
    return tuple(stop_gradient(a) if getattr(a, "ndim", 0) > 0 else a for a in tree)
