"""Jacobians of many small independent problems."""

from collections.abc import Callable, Sequence
from typing import Any

from .._namespace import array_namespace
from ..errors import TransformError
from ._derivatives import forward_several, jvp
from ._following._interpreter import native

__all__ = ["along", "columns", "columns_error", "passes", "valued_columns"]


def along(
    fun: Callable[..., Any],
    constants: Sequence[Any],
    parts: Sequence[Any],
    method: str | None = None,
    seeds: Sequence[Any] | None = None,
    bounds: Sequence[tuple[Any, Any]] | None = None,
    in_one: bool = False,
    diff_steps: Sequence[Any] | None = None,
) -> tuple[Any, list[Any]]:
    """Return ``fun(*constants, *parts)``, and its derivative along the seed of each part.

    If a part is one parameter of many problems, shape (B, 1), and `fun` returns (B, n) row by row,
    each derivative is a column of the Jacobian of each problem. Seeds have the parts' shapes;
    default: ones. Exact by forward mode; or by finite differences, '2-point' or '3-point', with
    steps relative to each parameter (or `diff_steps`) and within its `bounds`; or by the complex
    step, 'cs'. With `in_one`, uses one pass of the interpreter also on libraries with their own
    transforms, for functions for which `passes` is true; results can't be differentiated.
    """
    xp = array_namespace(*parts)
    parts = list(parts)
    if method is None and (in_one or native(parts).jvp is None):
        # One pass, in which what doesn't depend on a part is left out.
        return forward_several(fun, constants, parts, seeds)
    seeds = [xp.ones_like(x) for x in parts] if seeds is None else list(seeds)
    value = None if method is None else fun(*constants, *parts)
    found = []
    for j, (x, seed) in enumerate(zip(parts, seeds, strict=True)):

        def moved(v: Any, j: int = j) -> Any:
            return fun(*constants, *parts[:j], v, *parts[j + 1 :])

        if method is None:  # a pass for each part; compilers join them
            value, column = jvp(moved, (x,), (seed,))
        else:
            within = None if bounds is None else bounds[j]
            relative = None if diff_steps is None else diff_steps[j]
            column = _difference(xp, moved, x, value, method, within, relative) * seed
        found.append(column)
    return value, found


def passes(fun: Any, constants: Sequence[Any], parts: Sequence[Any]) -> bool:
    """Tell if a function uses only the standard, so that one pass can trace it."""
    try:
        along(fun, constants, parts, in_one=True)
    except Exception as error:
        # A library that lets a number out of its arrays would lose a derivative with it.
        if isinstance(error, TransformError) and str(error).startswith(("float()", "complex()")):
            raise
        # torch.exp(x), x.exp(). What else is wrong is raised when the library's own way is taken.
        return False
    return True


def _difference(
    xp: Any,
    fun: Callable[[Any], Any],
    x: Any,
    value: Any,
    method: str,
    bounds: tuple[Any, Any] | None,
    relative: Any,
) -> Any:
    eps = float(xp.finfo(x.dtype).eps)
    size = xp.where(x == 0, xp.ones_like(x), xp.abs(x))
    if method == "cs":
        step = (eps if relative is None else relative) * size
        return xp.imag(fun(x + 1j * step)) / step
    one = method == "2-point"
    step = (eps ** (1 / 2 if one else 1 / 3) if relative is None else relative) * size
    other = -step
    if bounds is not None:
        below, above = x - bounds[0], bounds[1] - x
        room = xp.maximum(below, above)
        step = xp.minimum(step, room if one else room / 2)
        turned = ((step if one else 2 * step) > above) & (below > above)
        both = (step <= below) & (step <= above)
        step = xp.where(turned, -step, step)
        other = xp.where(both, -step, 2 * step)  # two on the side that has room
    there, beyond = x + step, x + other
    if bounds is not None:  # a sum may round past its bound
        there, beyond = xp.clip(there, *bounds), xp.clip(beyond, *bounds)
    step, other = there - x, beyond - x  # what the steps become in floating-point
    if bounds is not None:  # a parameter that is fixed has no step: 0, as nothing is asked of it
        fixed = bounds[0] == bounds[1]
        step, other = xp.where(fixed, 1.0 + 0 * x, step), xp.where(fixed, 2.0 + 0 * x, other)
    rise = fun(there) - value
    if one:
        return rise / step
    # The slope at x of the parabola through the three.
    again = fun(beyond) - value
    return (rise * (other / step) - again * (step / other)) / (other - step)


def columns(
    fun: Callable[[Any], Any],
    x: Any,
    method: str | None = None,
    bounds: tuple[Any, Any] | None = None,
    diff_step: Any = None,
) -> Any:
    """Return ``d fun(x)[b, i] / d x[b, j]``, (B, p, n), if `fun` maps (B, p) to (B, n) row by row.

    Options as for `along`; bounds are (B, p), and `diff_step` is a number or p numbers, each of
    which may be an array (B, 1).
    """
    return valued_columns(fun, x, method, bounds, diff_step)[1]


def valued_columns(
    fun: Callable[[Any], Any],
    x: Any,
    method: str | None = None,
    bounds: tuple[Any, Any] | None = None,
    diff_step: Any = None,
) -> tuple[Any, Any]:
    """Return ``fun(x)`` and its `columns`."""
    xp = array_namespace(x)

    def joined(*parts: Any) -> Any:
        return fun(array_namespace(*parts).concat(parts, axis=1))

    def parts(a: Any) -> list[Any]:
        return [a[:, j : j + 1] for j in range(x.shape[1])]

    within = None
    if bounds is not None:
        within = list(zip(parts(bounds[0]), parts(bounds[1]), strict=True))
    steps = None
    if diff_step is not None:
        several = hasattr(diff_step, "shape") and diff_step.ndim
        steps = [diff_step[j, ...] if several else diff_step for j in range(x.shape[1])]
    value, found = along(joined, (), parts(x), method, None, within, diff_steps=steps)
    return value, xp.stack(found, axis=1)


def columns_error(x: Any, method: str | None = None) -> float:
    """Return the relative error that the derivatives of `along` may have."""
    eps = float(array_namespace(x).finfo(x.dtype).eps)
    power = {None: 1.0, "cs": 1.0, "2-point": 1 / 2, "3-point": 2 / 3}[method]
    return float(eps**power)
