"""Distances between the distributions of two samples."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, batches, native, public
from ..._typing import A, Numbers
from ...errors import ArgumentError, ShapeError
from ...missing._axes import as_given

__all__ = ["energy_distance", "wasserstein_distance"]


@public
def wasserstein_distance(
    u_values: A,
    v_values: A | Numbers,
    u_weights: A | Numbers | None = None,
    v_weights: A | Numbers | None = None,
) -> A:
    """Compute the earth mover's distance: the integral between two distribution functions.

    Parameters
    ----------
    u_values : array, shape (..., m)
        The first sample. Real.
    v_values : array, shape (..., n)
        The second sample. Real; batches broadcast.
    u_weights : array, optional
        Not negative; broadcasts with `u_values`, whose last size it has. Default: equal weights.
    v_weights : array, optional
        Those of `v_values`.

    Returns
    -------
    array, shape (...)
        Of the common floating dtype.

    Raises
    ------
    ArgumentError
        If a sample is empty; if it can be read that a weight is negative, or that the sum is not
        positive and finite.
    DtypeError, ShapeError
        Of complex data; if shapes don't fit.

    Notes
    -----
    A sort of both samples. Differentiable.

    Differs from SciPy: batches.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import wasserstein_distance
    >>> float(wasserstein_distance(np.asarray([0.0, 1.0, 3.0]), np.asarray([5.0, 6.0, 8.0])))
    5.0
    """
    return _distance("wasserstein_distance", 1, u_values, v_values, u_weights, v_weights)


@public
def energy_distance(
    u_values: A,
    v_values: A | Numbers,
    u_weights: A | Numbers | None = None,
    v_weights: A | Numbers | None = None,
) -> A:
    """Compute the energy distance, from the squared difference of two distribution functions.

    Parameters
    ----------
    u_values, v_values : array
        As for `wasserstein_distance`.
    u_weights, v_weights : array, optional
        As for `wasserstein_distance`.

    Returns
    -------
    array, shape (...)
        The root of twice the integral of the square, of the common floating dtype.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `wasserstein_distance`.

    Notes
    -----
    G. J. Szekely, M. L. Rizzo, J. Stat. Plan. Inference 143 (2013) 1249-1272. As for
    `wasserstein_distance`; no derivative where the distance is 0.

    Differs from SciPy: batches.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import energy_distance
    >>> round(float(energy_distance(np.asarray([0.0, 8.0]), np.asarray([0.0, 8.0, 3.0]))), 12)
    0.666666666667
    """
    return _distance("energy_distance", 2, u_values, v_values, u_weights, v_weights)


def _distance(function: str, p: int, u: Any, v: Any, u_weights: Any, v_weights: Any) -> Any:
    given = {"u_values": u, "v_values": v, "u_weights": u_weights, "v_weights": v_weights}
    given = {name: x for name, x in given.items() if x is not None}
    xp = array_namespace(*given.values())
    arrays = _plan.common_floating(function, xp, tuple(given), *given.values(), real=True)
    found = dict(zip(given, arrays, strict=True))
    for name, x in found.items():
        if x.ndim == 0:
            raise ShapeError(f"{function}: {name} must have a dimension, got a number")
        if x.shape[-1] == 0:
            raise ArgumentError(f"{function}: Distribution can't be empty, but {name} is")
        if name.endswith("weights"):
            size = found[name.replace("weights", "values")].shape[-1]
            _check(function, xp, name, x, size)
    batch = _plan.broadcast(function, **{name: x.shape[:-1] for name, x in found.items()})
    wide = {
        name: x if x.shape[:-1] == batch else xp.broadcast_to(x, (*batch, x.shape[-1]))
        for name, x in found.items()
    }
    with quiet(arrays[0]):
        out = _gap(
            wide["u_values"], wide["v_values"], wide.get("u_weights"), wide.get("v_weights"), p
        )
    return as_given(out)


def _check(function: str, xp: Any, name: str, w: Any, size: int) -> None:
    if w.shape[-1] != size:
        raise ShapeError(
            f"{function}: Value and weight array-likes for the same empirical distribution must be "
            f"of the same size, got {size} values and {name} of shape {tuple(w.shape)}"
        )
    if is_concrete(w):
        if bool(xp.any(w < 0)):
            raise ArgumentError(f"{function}: All weights must be non-negative, got {name} {w!r}")
        total = xp.sum(w, axis=-1)
        if not bool(xp.all((total > 0) & xp.isfinite(total))):
            raise ArgumentError(
                f"{function}: Weight array-like sum must be positive and finite, got {name} {w!r}"
            )


def _in_blocks(u: Any, v: Any, u_weights: Any, v_weights: Any, p: int) -> Lines:
    parts = {0: u, 1: v, 2: u_weights, 3: v_weights}
    return batches({i: (x, 1) for i, x in parts.items() if x is not None}, ((), u.dtype))


@native(blocks=_in_blocks)
def _gap(u: Any, v: Any, u_weights: Any, v_weights: Any, p: int) -> Any:
    xp = array_namespace(u)
    m, n = u.shape[-1], v.shape[-1]
    both = xp.concat([u, v], axis=-1)
    order = xp.argsort(both, axis=-1, stable=False)
    both = xp.sort(both, axis=-1, stable=False)
    first = order < m
    if u_weights is None and v_weights is None:  # counts, which are exact
        up = xp.cumulative_sum(xp.astype(first, u.dtype), axis=-1)
        place = xp.arange(1, m + n + 1, dtype=u.dtype, device=device(u))
        gap = up / m - (place - up) / n
    else:
        gap = _share(xp, u_weights, u, v, order, 0) - _share(xp, v_weights, v, u, order, 1)
    gap, steps = gap[..., :-1], both[..., 1:] - both[..., :-1]
    if p == 1:
        return xp.sum(xp.abs(gap) * steps, axis=-1)
    return math.sqrt(2) * xp.sqrt(xp.sum(gap * gap * steps, axis=-1))


def _share(xp: Any, weights: Any, own: Any, other: Any, order: Any, place: int) -> Any:
    """The distribution function of one sample at all elements."""
    w = xp.ones_like(own) if weights is None else weights
    parts = [w, xp.zeros_like(other)]
    w = xp.concat(parts if place == 0 else parts[::-1], axis=-1)
    sums = xp.cumulative_sum(xp.take_along_axis(w, order, axis=-1), axis=-1)
    return sums / sums[..., -1:]
