"""Keys of draws, their shapes, and the words for what SciPy takes in their place."""

import math
from typing import Any

from ..._namespace import is_neutral
from ...errors import ArgumentError
from ...missing._axes import as_given
from ...random import key as key_of
from ...random._arguments import floating, plan_key, shape_tuple

__all__ = ["dimension", "keyed", "lead", "refuse", "squeezed"]


def refuse(function: str, **given: Any) -> None:
    """Refuse SciPy's generators, in words that name ours."""
    for name, value in given.items():
        if value is not None:
            raise ArgumentError(
                f"{function}: {name}= isn't taken, got {value!r}: numbers come from keys. Give "
                "key=likewise.random.key(seed) to the method that draws."
            )


def keyed(
    function: str, key: Any, random_state: Any, *parameters: Any, **options: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the namespace, the key on its device, that device, and the dtype of a draw.

    A seed makes a key. The parameters' arrays decide on the library; without any, `options`
    (namespace, like) or the key.
    """
    refuse(function, random_state=random_state)
    if key is None:
        raise ArgumentError(f"{function}: needs key=, such as key=likewise.random.key(0)")
    name, like = options.get("namespace"), options.get("like")
    arrays = [p for p in parameters if p is not None and not is_neutral(p)]
    if arrays and name is None and like is None:
        like = arrays[0]
    if isinstance(key, int):
        key = key_of(key, namespace=name, like=like)
    xp, key, where = plan_key(function, key, name, None, like, *arrays)
    return xp, key, where, floating(function, xp, None, where, like, *arrays)


def lead(function: str, size: Any, batch: tuple[int, ...]) -> tuple[int, ...]:
    """Return the leading dimensions of a draw: `size`, to which the parameters' broadcast.

    SciPy's default 1, and None, are one draw for each set of parameters.
    """
    if size is None or (size == 1 and not isinstance(size, tuple | list)):
        return batch
    shape = shape_tuple(function, size, "size")
    fits = len(batch) <= len(shape) and all(
        n in (1, m) for n, m in zip(reversed(batch), reversed(shape), strict=False)
    )
    if not fits:
        raise ArgumentError(
            f"{function}: size must be a shape to which the parameters' leading dimensions "
            f"{batch} broadcast, got {size!r}"
        )
    return shape


def dimension(function: str, dim: Any, least: int) -> int:
    """Return a number of dimensions, which may come as a whole float."""
    if (
        isinstance(dim, bool)
        or (not isinstance(dim, int | float) and not hasattr(dim, "__index__"))
        or dim < least
        or not math.isfinite(dim)
        or dim != int(dim)
    ):
        raise ArgumentError(
            f"{function}: dim must be a scalar, an integer of at least {least}, got {dim!r}"
        )
    return int(dim)


def squeezed(xp: Any, x: Any) -> Any:
    """Return a result without dimensions of one element, as SciPy's of one set of parameters."""
    if 1 in x.shape:
        x = xp.squeeze(x, axis=tuple(i for i, n in enumerate(x.shape) if n == 1))
    return x if x.ndim else as_given(x)
