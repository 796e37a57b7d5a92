"""Linear recursions in blocks: matrix products for a block of samples, a loop over states.

A filter is ``state' = A state + B x, y = C state + D x``. A block of samples takes four matrix
products: from its samples and from the state before it to its results and to the state after it.
Only the states need a loop. The recursion itself computes the matrices (not matrix powers), with
states in which a filter with poles near the unit circle loses no digits.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, is_concrete, quiet
from ...transforms import scan

__all__ = ["SAMPLES", "Block", "run"]

SAMPLES = 64  # of a block, at most


class Block(NamedTuple):
    """Hold the matrices of a block of n samples and s states, for products from the right."""

    through: Any  # (n, n), samples to results
    seen: Any  # (s, n), the state before to results
    kept: Any  # (s, s), the state before to the one after
    taken: Any  # (n, s), samples to the state after


def run(
    x: Any, state: Any, block: Callable[[int], Block], samples: int = SAMPLES, linear: bool = False
) -> tuple[Any, Any]:
    """Return results for samples (channels, n) and states (channels, s), and the states after.

    ``block(n)`` returns the matrices of n samples. After a non-finite sample, all results of its
    channel are NaN. With `linear`, samples are not tested, because tangents are transposed; a
    non-finite sample then makes its whole block NaN.
    """
    n = x.shape[-1]
    if n == 0:
        return x, state
    xp = array_namespace(x, state)
    size = min(samples, n)
    # A size that divides n spares a copy of the results.
    size = next((m for m in range(size, size * 2 // 3, -1) if n % m == 0), size)
    whole = n // size * size
    over = _products if linear else _blocks
    y, after = over(xp, x[:, :whole], state, block(size), size)
    if whole < n:
        rest, after = over(xp, x[:, whole:], after, block(n - whole), n - whole)
        y = xp.concat((y, rest), axis=-1)
    return y, after


def _blocks(xp: Any, x: Any, state: Any, made: Block, size: int) -> tuple[Any, Any]:
    """Run blocks of one size."""
    if all(map(is_concrete, (x, state, made.kept))):
        with quiet(x):
            y, after = _products(xp, x, state, made, size)
        # NaN and infinity come through to the last state: any number times them is one of them.
        if bool(xp.all(xp.isfinite(after))):
            return y, after
    finite = xp.isfinite(x)
    x = xp.where(finite, x, xp.zeros_like(x))
    with quiet(x):
        y, after = _products(xp, x, state, made, size)
    none = xp.asarray(float("nan"), dtype=y.dtype, device=device(y))
    fine = xp.cumulative_sum(xp.astype(finite, xp.int32), axis=-1, dtype=xp.int32)
    fine = fine == xp.arange(1, x.shape[-1] + 1, dtype=xp.int32, device=device(x))
    return xp.where(fine, y, none), xp.where(fine[:, -1:], after, none)


def _products(xp: Any, x: Any, state: Any, made: Block, size: int) -> tuple[Any, Any]:
    channels, n = x.shape
    count = n // size
    if count == 1:
        y = xp.matmul(x, made.through) + xp.matmul(state, made.seen)
        return y, xp.matmul(x, made.taken) + xp.matmul(state, made.kept)
    x = xp.reshape(x, (channels, count, size))
    taken = xp.moveaxis(xp.matmul(x, made.taken), 1, 0)
    before, after = _states(xp, state, taken, made.kept)
    y = xp.matmul(x, made.through)
    y = y + xp.matmul(xp.moveaxis(before, 0, 1), made.seen)
    return xp.reshape(y, (channels, n)), after


def _states(xp: Any, state: Any, taken: Any, kept: Any) -> tuple[Any, Any]:
    """Return the states before each block, along the first axis, and after the last."""
    if not is_concrete(taken):
        after, before = scan(lambda z, u: (xp.matmul(z, kept) + u, z), state, taken)
        return before, after
    before = []
    for u in xp.unstack(taken):
        before.append(state)
        state = xp.matmul(state, kept) + u
    return xp.stack(before), state
