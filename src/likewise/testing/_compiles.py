"""Counts of compilations."""

import contextlib
from collections.abc import Iterator

from .._namespace import loaded

__all__ = ["Compiles", "RecompileError", "count_compiles"]


class RecompileError(AssertionError):
    """Raised if more computations were compiled than expected."""


class Compiles:
    """Count the compilations since `count_compiles` was entered."""

    def __init__(self) -> None:
        self._before = _compiled()

    @property
    def count(self) -> int:
        """Return the number of computations that JAX and torch.compile have compiled so far."""
        after = _compiled()
        return sum(n - self._before.get(name, 0) for name, n in after.items())


def _compiled() -> dict[str, int]:
    return {x.name: x.compilations() for x in loaded()}


@contextlib.contextmanager
def count_compiles(at_most: int | None = 0) -> Iterator[Compiles]:
    """Count what JAX and torch compile inside the block, and assert a maximum.

    Parameters
    ----------
    at_most : int or None, optional
        The maximum number of compiled computations; 0 asserts that a second call with the same
        shapes recompiles nothing. None only counts.

    Yields
    ------
    Compiles
        Has the ``count`` so far.

    Raises
    ------
    RecompileError
        If more computations were compiled.

    Notes
    -----
    JAX also compiles each operation of eager code, once for each shape and dtype. A computation
    found in a cache on disk counts as compiled.

    Examples
    --------
    >>> import jax, jax.numpy as jnp
    >>> from likewise.testing import count_compiles
    >>> double = jax.jit(lambda x: 2 * x)
    >>> x = jnp.ones(3)
    >>> with count_compiles(at_most=None) as compiles:
    ...     y = double(x)
    >>> compiles.count
    1
    >>> with count_compiles():
    ...     y = double(x)
    """
    __tracebackhide__ = True
    compiles = Compiles()
    yield compiles
    if at_most is not None and compiles.count > at_most:
        raise RecompileError(f"{compiles.count} computations were compiled, {at_most} expected")
