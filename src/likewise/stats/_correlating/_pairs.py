"""Pairs of observations, and what a correlation returns."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ...errors import ShapeError
from .._base._samples import Rows, samples

__all__ = ["SignificanceResult", "pairs"]


class SignificanceResult(NamedTuple):
    """Hold a correlation, as `statistic` and `correlation`, and its p-value."""

    statistic: Any
    pvalue: Any

    @property
    def correlation(self) -> Any:
        """The statistic, by another of SciPy's names."""
        return self.statistic


def pairs(
    function: str,
    axis: Any,
    nan_policy: str,
    keepdims: bool,
    *,
    equal: bool = False,
    **given: Any,
) -> tuple[list[Rows], Callable[[Any], Any]]:
    """Return paired samples as rows with one mask; one size if flattened or `equal`."""
    if axis is not None and not equal:
        return samples(function, axis, nan_policy, keepdims, paired=True, **given)
    rows, back = samples(function, axis, nan_policy, keepdims, **given)
    sizes = {name: r.x.shape[-1] for name, r in zip(given, rows, strict=True)}
    if len(set(sizes.values())) > 1:
        raise ShapeError(
            f"{function}: {' and '.join(given)} must have one size, got "
            f"{' and '.join(map(str, sizes.values()))}. Array shapes are incompatible for "
            "broadcasting."
        )
    masks = [r.there for r in rows if r.there is not None]
    if masks:
        both = masks[0]
        for m in masks[1:]:
            both = both & m
        rows = [Rows(r.x, both) for r in rows]
    return rows, back
