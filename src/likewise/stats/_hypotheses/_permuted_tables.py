"""Tables of two variables whose observations are permuted."""

import itertools
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device
from ...errors import ArgumentError
from ...interop import to_numpy
from .._resampling._methods import MonteCarloMethod

__all__ = ["permuted_tables"]


def permuted_tables(
    function: str, counts: Any, method: Any, statistic: Callable[[Any], Any], alternative: str
) -> Any:
    """Return the p-value of a statistic of tables, floating, shape (..., r, c), given the margins.

    Tables whose margins are given are those of pairs that are permuted, so that both kinds of
    method mean the same. The table is read.
    """
    from .._resampling import permutation_test

    options = method._asdict()
    if isinstance(method, MonteCarloMethod) and options.pop("rvs") is not None:
        raise ArgumentError(
            f"{function}: `method` must have no rvs, as tables are drawn that have the margins"
        )
    xp = array_namespace(counts)
    columns = counts.shape[1]
    cells = to_numpy(counts).astype(int).tolist()  # which says how long the sums are
    ends = [0, *itertools.accumulate(map(sum, cells))]
    column = [j for row in cells for j, n in enumerate(row) for _ in range(n)]
    if len(column) < 2:
        return xp.ones_like(xp.sum(counts))  # there is one such table
    pairs = xp.asarray(column, dtype=counts.dtype, device=device(counts))

    def of_pairs(column: Any, axis: int) -> Any:
        parts = [column[..., a:b] for a, b in itertools.pairwise(ends)]
        found = [
            xp.stack(
                [xp.sum(xp.astype(part == j, counts.dtype), axis=-1) for j in range(columns)],
                axis=-1,
            )
            for part in parts
        ]
        return statistic(xp.stack(found, axis=-2))

    return permutation_test(
        (pairs,),
        of_pairs,
        vectorized=True,
        permutation_type="pairings",
        axis=-1,
        alternative=alternative,
        **options,
    ).pvalue
