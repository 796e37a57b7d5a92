"""Functions that NumPy has in another form: what rows of the algorithms call.

NotImplemented stands for values that NumPy refuses, and for which the caller has another way.
"""

from typing import Any

import numpy as np

# -- ranks -----------------------------------------------------------------------------------------


def ranks(x: Any, method: str) -> Any:
    """Ranks in rows, by one sort and the places where sorted neighbours differ."""
    n = x.shape[-1]
    flat = x.reshape(-1)
    order = np.argsort(x, axis=-1, stable=method == "ordinal")
    order += np.arange(0, flat.size, n).reshape(*x.shape[:-1], 1)
    order = order.reshape(-1)
    place = np.arange(flat.size)
    if method != "ordinal":
        ordered = flat[order]
        differs = np.empty(flat.size, dtype=bool)
        np.not_equal(ordered[1:], ordered[:-1], out=differs[1:])
        differs[::n] = True
        starts = np.flatnonzero(differs)
        sizes = np.diff(starts, append=flat.size)
        if method == "dense":
            row = starts // n
            found = np.arange(starts.size) - np.searchsorted(row, row) + 1
        elif method == "min":
            found = starts % n + 1
        elif method == "max":
            found = starts % n + sizes
        else:
            found = starts % n + (sizes + 1) / 2
        place = np.repeat(found, sizes)
    else:
        place = place % n + 1
    out = np.empty_like(place)
    out[order] = place
    return out.reshape(x.shape)


# -- quotients and norms ---------------------------------------------------------------------------


def safe_divide(x: Any, y: Any, fill: Any) -> Any:
    """Divided everywhere, and put right where there are zeros."""
    with np.errstate(divide="ignore", invalid="ignore"):
        out = np.divide(x, y)
    if y.all():
        return np.asarray(out)
    return np.where(y == 0, fill, out)


def safe_norm(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """NumPy's norm along all axes, by a product of vectors, or along one or two."""
    axis: Any = None if len(axes) == x.ndim else axes
    return np.asarray(np.linalg.norm(x, None, axis, keepdims))


# -- padding and windows ---------------------------------------------------------------------------


def pad_constant(x: Any, widths: Any, value: Any) -> Any:
    out = np.full([n + sum(w) for n, w in zip(x.shape, widths, strict=True)], value, x.dtype)
    out[tuple(slice(w, w + n) for n, (w, _) in zip(x.shape, widths, strict=True))] = x
    return out


def pad_ramp(x: Any, widths: Any, end: Any) -> Any:
    return np.pad(x, widths, "linear_ramp", end_values=end)


def windows(x: Any, window: int, axis: int) -> Any:
    return np.lib.stride_tricks.sliding_window_view(x, window, axis).copy()


# -- linear algebra --------------------------------------------------------------------------------


def solve(a: Any, b: Any) -> Any:
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return NotImplemented


def cholesky(a: Any) -> Any:
    try:
        return np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return NotImplemented


def lstsq(a: Any, b: Any, rtol: Any) -> Any:
    x, _, rank, s = np.linalg.lstsq(a, b, rtol)
    return x, np.asarray(rank, dtype=np.int64), s


def tridiagonal(dl: Any, d: Any, du: Any, b: Any) -> Any:
    """Elimination from above, row by row over the whole batch."""
    n = d.shape[-1]
    upper: list[Any] = []
    x: list[Any] = []
    pivot = d[..., 0, None]
    x.append(b[..., 0, :] / pivot)
    for i in range(1, n):
        low = dl[..., i, None]
        upper.append(du[..., i - 1, None] / pivot)
        pivot = d[..., i, None] - low * upper[-1]
        x.append((b[..., i, :] - low * x[-1]) / pivot)
    for i in range(n - 2, -1, -1):
        x[i] = x[i] - upper[i] * x[i + 1]
    return np.stack(x, axis=-2)
