"""Series of polynomials of any family: values, products, derivatives, integrals, roots, fits."""

import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, hooks_of, is_concrete, quiet
from .._native import native
from ..errors import (
    ArgumentError,
    AxisError,
    FitShapeError,
    IntegerError,
    LinAlgWarning,
    ShapeError,
)
from ..linalg import eigvals, lstsq
from ..solving._following import followed, readable
from ..transforms import stop_gradient
from ._family import CHEBYSHEV, HERMITE, HERMITE_E, LAGUERRE, LEGENDRE, POWER, Family

__all__ = [
    "added",
    "clenshaw",
    "companion",
    "composed",
    "degree_of",
    "derived",
    "divided",
    "fitted",
    "followed",
    "from_roots",
    "integrated",
    "line",
    "lined",
    "powered",
    "product",
    "readable",
    "roots",
    "series",
    "subtracted",
    "through_x",
    "times_x",
    "trimmed",
    "value",
    "vandermonde",
    "zero_based",
]

_FAMILIES = {f.prefix: f for f in (POWER, CHEBYSHEV, LEGENDRE, HERMITE, HERMITE_E, LAGUERRE)}


def series(function: str, *given: Any, trim: bool = True) -> tuple[Any, ...]:
    """Return coefficients (n,) of one dtype, without zeros at the end, where they can be read."""
    xp = array_namespace(*given)
    names = ("c",) if len(given) == 1 else tuple(f"c{i + 1}" for i in range(len(given)))
    found = followed(xp, _plan.common_floating(function, xp, names, *given))
    out = []
    for name, c in zip(names, found, strict=True):
        if c.ndim > 1 or 0 in c.shape:
            raise ShapeError(
                f"{function}: Coefficient array is empty or not 1-d: {name} has shape "
                f"{tuple(c.shape)}"
            )
        c = array_namespace(c).reshape(c, (1,)) if c.ndim == 0 else c
        out.append(zero_based(c) if trim else c)
    return tuple(out)


def zero_based(c: Any) -> Any:
    """Leave out zeros at the end, where they can be read; one coefficient stays."""
    n = c.shape[0]
    if (
        n == 1 or (is_concrete(c) and bool(c[n - 1] != 0)) or not readable(c)
    ):  # likewise: ignore[LW203]: at hand
        return c
    fixed = stop_gradient(c)
    while n > 1 and bool(fixed[n - 1] == 0):  # likewise: ignore[LW203]: values are at hand
        n -= 1
    return c[:n]


def trimmed(function: str, c: Any, tol: float) -> Any:
    if tol < 0:
        raise ArgumentError(f"{function}: tol must be non-negative, got {tol!r}")
    (c,) = series(function, c, trim=False)
    if not readable(c):
        raise ArgumentError(
            f"{function}: how many coefficients stay depends on values, which can't be read here. "
            "Trim outside of transforms"
        )
    n, size = c.shape[0], array_namespace(c).abs(stop_gradient(c))
    while n and not bool(size[n - 1] > tol):  # likewise: ignore[LW203]: values are at hand
        n -= 1
    return c[:n] if n else c[:1] * 0


def degree_of(function: str, name: str, n: Any, least: int = 0) -> int:
    if type(n) is not int:
        if not hasattr(n, "__index__"):
            raise IntegerError(f"{function}: {name} must be an integer, got {n!r}")
        n = operator.index(n)
    if n < least:
        raise ArgumentError(f"{function}: {name} must be at least {least}, got {n}")
    return int(n)


# -- values ----------------------------------------------------------------------------------------


def _doubles(x: Any, c: Any, prefix: str, tensor: bool) -> bool:
    """doubles."""
    return bool(x.dtype == c.dtype == array_namespace(x, c).float64)


@native(numpy="likewise._libs.numpy._polynomials:value", when=_doubles)
def value(x: Any, c: Any, prefix: str, tensor: bool) -> Any:
    """Return values of series of coefficients (n, ...)."""
    return clenshaw(_FAMILIES[prefix], x, c, tensor)


def clenshaw(f: Family, x: Any, c: Any, tensor: bool) -> Any:
    """Return values by Clenshaw's recurrence."""
    xp, n = array_namespace(x, c), c.shape[0]
    if tensor and c.ndim > 1 and x.ndim:
        c = xp.reshape(c, (*c.shape, *(1,) * x.ndim))
    first = c[n - 1, ...] + xp.zeros_like(x)  # NaN and shapes of the points
    second = None
    for k in range(n - 2, -1, -1):
        step = x - f.own(k) if f.own(k) else x
        step = step if f.up(k) == 1.0 else step * (1.0 / f.up(k))
        now = c[k, ...] + step * first
        if second is not None and f.down(k + 1):
            now = now - (f.down(k + 1) / f.up(k + 1)) * second
        first, second = now, first
    return first


def vandermonde(f: Family, x: Any, deg: int) -> Any:
    """Return P_0 to P_deg at points, (..., deg + 1)."""
    xp = array_namespace(x)
    rows = [xp.ones_like(x)]
    for n in range(deg):
        row = (x - f.own(n) if f.own(n) else x) * rows[n]
        if n and f.down(n):
            row = row - f.down(n) * rows[n - 1]
        rows.append(row if f.up(n) == 1.0 else row * (1.0 / f.up(n)))
    return xp.stack(rows, axis=-1)


# -- products --------------------------------------------------------------------------------------


def _numbers(values: list[float], like: Any) -> Any:
    """Return a column of numbers beside an array."""
    xp = array_namespace(like)
    out = xp.asarray(values, dtype=like.dtype, device=device(like))
    return xp.reshape(out, (len(values), *(1,) * (like.ndim - 1)))


def _shifted(c: Any, before: int, behind: int) -> Any:
    xp = array_namespace(c)
    parts = [xp.zeros((k, *c.shape[1:]), dtype=c.dtype, device=device(c)) for k in (before, behind)]
    return xp.concat([parts[0], c, parts[1]], axis=0)


def times_x(f: Family, c: Any) -> Any:
    """Return the coefficients (n + 1, ...) of x times a series."""
    n = c.shape[0]
    raised = c if f is POWER else c * _numbers([f.up(i) for i in range(n)], c)
    out = _shifted(raised, 1, 0)
    if f.own(0):
        out = out + _shifted(c * _numbers([f.own(i) for i in range(n)], c), 0, 1)
    if n > 1 and f.down(1):
        low = c[1:, ...] * _numbers([f.down(i) for i in range(1, n)], c)
        out = out + _shifted(low, 0, 2)
    return out


def lined(f: Family, c: Any, off: Any, scl: Any) -> Any:
    """Return the coefficients of ``off + scl x`` times a series."""
    return _sum(off * c, scl * times_x(f, c))


def _sum(a: Any, b: Any) -> Any:
    n = max(a.shape[0], b.shape[0])
    a, b = (v if v.shape[0] == n else _shifted(v, 0, n - v.shape[0]) for v in (a, b))
    return a + b


def composed(f: Family, c: Any, by: Callable[[Any], Any], seed: Any) -> Any:
    """Return the series ``sum(c_k P_k(X)) seed`` of an operator X on series, by Clenshaw."""
    n = c.shape[0]
    first, second = c[n - 1, ...] * seed, None
    for k in range(n - 2, -1, -1):
        step = by(first)
        step = _sum(step, -f.own(k) * first) if f.own(k) else step
        now = _sum(c[k, ...] * seed, step if f.up(k) == 1.0 else step * (1.0 / f.up(k)))
        if second is not None and f.down(k + 1):
            now = _sum(now, -(f.down(k + 1) / f.up(k + 1)) * second)
        first, second = now, first
    return first


def through_x(f: Family, to: Family, c: Any) -> Any:
    """Return the same polynomial in another family."""
    return composed(f, c, lambda v: times_x(to, v), array_namespace(c).ones_like(c[:1]))


def product(f: Family, a: Any, b: Any) -> Any:
    if a.shape[0] > b.shape[0]:
        a, b = b, a
    return _multiplied(a, b, f.prefix)


def _alike(a: Any, b: Any, prefix: str) -> bool:
    """doubles."""
    return bool(a.dtype == array_namespace(a, b).float64)


@native(numpy="likewise._libs.numpy._polynomials:multiplied", when=_alike)
def _multiplied(a: Any, b: Any, prefix: str) -> Any:
    f = _FAMILIES[prefix]
    return composed(f, a, lambda v: times_x(f, v), b)


def added(a: Any, b: Any) -> Any:
    return zero_based(_sum(a, b))


def subtracted(a: Any, b: Any) -> Any:
    return zero_based(_sum(a, -b))


def line(f: Family, off: Any, scl: Any) -> Any:
    """Return the series of ``off + scl x``."""
    xp = array_namespace(off, scl)
    return xp.stack([off + f.own(0) * scl if f.own(0) else off, scl * f.up(0)])


def divided(f: Family, a: Any, b: Any) -> tuple[Any, Any]:
    """Return quotient and remainder."""
    if readable(b) and bool(stop_gradient(b)[-1] == 0):  # likewise: ignore[LW203]: at hand
        raise ZeroDivisionError("division of a series by the series 0")
    xp, count = array_namespace(a, b), a.shape[0] - b.shape[0]
    if count < 0:
        return a[:1] * 0, a
    if b.shape[0] == 1:
        return a / b, a[:1] * 0
    multiples = [b]  # by P_i
    for i in range(count):
        up = times_x(f, multiples[i])
        up = _sum(up, -f.own(i) * multiples[i]) if f.own(i) else up
        up = _sum(up, -f.down(i) * multiples[i - 1]) if i and f.down(i) else up
        multiples.append(up if f.up(i) == 1.0 else up * (1.0 / f.up(i)))
    quotient: list[Any] = []
    rest = a
    for i in range(count, -1, -1):
        q = rest[-1] / multiples[i][-1]
        rest = rest[:-1] - q * multiples[i][:-1]
        quotient.insert(0, q)
    return xp.stack(quotient), zero_based(rest)


def powered(function: str, f: Family, c: Any, power: Any, most: int | None) -> Any:
    if int(power) != power or power < 0:
        raise ArgumentError(f"{function}: Power must be a non-negative integer, got {power!r}")
    power = int(power)
    if most is not None and power > most:
        raise ArgumentError(f"{function}: Power is too large, {power} above maxpower={most}")
    out = array_namespace(c).ones_like(c[:1])
    for i in range(power):
        out = product(f, out, c) if i else c
    return out


def from_roots(f: Family, r: Any) -> Any:
    """Return the product of ``x - r``, by halves."""
    xp = array_namespace(r)
    if r.shape[0] == 0:
        return xp.ones((1,), dtype=r.dtype, device=device(r))
    if readable(r) and not _plan.is_complex(xp, r.dtype):
        r = xp.sort(r)
    parts = [line(f, -r[i], xp.ones_like(r[i])) for i in range(r.shape[0])]
    while len(parts) > 1:
        half = len(parts) // 2
        pairs = [product(f, parts[i], parts[i + half]) for i in range(half)]
        parts = [*pairs, *parts[2 * half :]]
    return parts[0]


# -- derivatives and integrals ---------------------------------------------------------------------


def _first(function: str, c: Any, axis: Any) -> tuple[Any, int]:
    xp = array_namespace(c)
    (c,) = followed(xp, _plan.common_floating(function, xp, ("c",), c))
    xp = array_namespace(c)
    c = xp.reshape(c, (1,)) if c.ndim == 0 else c
    axis = operator.index(axis)
    if not -c.ndim <= axis < c.ndim:
        raise AxisError(
            f"{function}: axis must lie in [{-c.ndim}, {c.ndim - 1}] for coefficients of shape "
            f"{tuple(c.shape)}, got {axis}"
        )
    if not c.shape[axis]:
        raise ShapeError(f"{function}: c has no coefficients, shape {tuple(c.shape)}")
    return (xp.moveaxis(c, axis, 0) if axis else c), axis


def _back(c: Any, axis: int) -> Any:
    return array_namespace(c).moveaxis(c, 0, axis) if axis else c


def derived(function: str, f: Family, c: Any, m: Any, scl: Any, axis: Any) -> Any:
    m = degree_of(function, "m", m)
    c, axis = _first(function, c, axis)
    if m >= c.shape[0]:
        return _back(c[:1, ...] * 0, axis)
    for _ in range(m):
        n = c.shape[0]
        v = c[1:, ...] * scl * _numbers([f.slope(i) for i in range(1, n)], c)
        c = v if not f.stride else _sums_above(v, f.stride)
        shares = [f.share(j) for j in range(n - 1)]
        c = c if all(s == 1.0 for s in shares) else c * _numbers(shares, c)
    return _back(c, axis)


def _sums_above(v: Any, stride: int) -> Any:
    """Return at each place the sum from it on, in steps."""
    xp, n = array_namespace(v), v.shape[0]
    more = -n % stride
    v = xp.flip(_shifted(v, 0, more) if more else v, axis=0)
    rows = xp.reshape(v, ((n + more) // stride, stride, *v.shape[1:]))
    v = xp.reshape(xp.cumulative_sum(rows, axis=0), v.shape)
    return xp.flip(v, axis=0)[:n, ...]


def integrated(
    function: str, f: Family, c: Any, m: Any, k: Any, lbnd: Any, scl: Any, axis: Any
) -> Any:
    m = degree_of(function, "m", m)
    k = list(k) if isinstance(k, list | tuple) else [k]
    if len(k) > m:
        raise ArgumentError(f"{function}: Too many integration constants, {len(k)} for m={m}")
    for name, v in (("lbnd", lbnd), ("scl", scl)):
        if getattr(v, "ndim", 0) or isinstance(v, list | tuple):
            raise ShapeError(f"{function}: {name} must be a scalar, got {v!r}")
    c, axis = _first(function, c, axis)
    xp = array_namespace(c)
    k = k + [0] * (m - len(k))
    (lower,) = series(function, lbnd, trim=False) if hasattr(lbnd, "dtype") else (None,)
    for i in range(m):
        n = c.shape[0]
        c = c * scl
        if (
            n == 1 and readable(c) and bool(xp.all(stop_gradient(c) == 0))
        ):  # likewise: ignore[LW203]: at hand
            c = c + k[i]
            continue
        out = _shifted(c * _numbers([f.raised(j) for j in range(n)], c), 1, 0)
        if f.kept(0):
            out = out + _shifted(c * _numbers([f.kept(j) for j in range(n)], c), 0, 1)
        if n > 1 and f.lowered(n + 1):
            low = c[1:, ...] * _numbers([f.lowered(j) for j in range(1, n)], c)
            out = out + _shifted(low, 0, 2)
        at = xp.full_like(out[0, ...], lbnd) if lower is None else lower[0] + out[0, ...] * 0
        start = k[i] - clenshaw(f, at, out, False)
        c = xp.concat([out[:1, ...] + start, out[1:, ...]], axis=0)
    return _back(c, axis)


# -- roots -----------------------------------------------------------------------------------------


def companion(function: str, f: Family, c: Any) -> Any:
    """Return matrices (..., n, n) whose eigenvalues are the roots, of coefficients (n + 1, ...)."""
    xp, n = array_namespace(c), c.shape[0] - 1
    if n < 1:
        raise ShapeError(f"{function}: Series must have maximum degree of at least 1, got 0")
    scale = [1.0]  # which makes the recurrence symmetric
    for k in range(n - 1):
        ratio = f.up(k) / f.down(k + 1) if f.down(k + 1) else 1.0
        scale.append(scale[-1] * math.sqrt(ratio))
        if not 1e-150 < scale[-1] < 1e150:
            scale = [s / scale[-1] for s in scale]
    fixed = [[0.0] * n for _ in range(n)]
    for k in range(n):
        fixed[k][k] = f.own(k)
        if k + 1 < n:
            fixed[k + 1][k] = f.up(k) * scale[k] / scale[k + 1]
            fixed[k][k + 1] = f.down(k + 1) * scale[k + 1] / scale[k]
    column = c[:-1, ...] / c[-1:, ...]
    shares = [f.up(n - 1) * scale[n - 1] / s for s in scale]
    column = xp.moveaxis(column * _numbers(shares, column), 0, -1)
    last = xp.eye(n, dtype=c.dtype, device=device(c))[n - 1, :]
    return xp.asarray(fixed, dtype=c.dtype, device=device(c)) - column[..., :, None] * last


def roots(function: str, f: Family, c: Any) -> Any:
    """Return the roots (n, ...) of series (n + 1, ...), by eigenvalues and one implicit step."""
    xp, n = array_namespace(c), c.shape[0] - 1
    if n == 0:
        return xp.zeros((0, *c.shape[1:]), dtype=c.dtype, device=device(c))
    fixed = stop_gradient(c)
    known = readable(c)
    if n == 1:
        found = f.own(0) - f.up(0) * c[:1, ...] / c[1:, ...]
        return found if known or _plan.is_complex(xp, c.dtype) else _as_complex(xp, found)
    found = xp.moveaxis(eigvals(companion(function, f, fixed)), -1, 0)
    if known:
        if c.ndim == 1:
            order = xp.argsort(xp.imag(found), stable=True)
            again = xp.argsort(xp.take(xp.real(found), order), stable=True)
            found = xp.take(found, xp.take(order, again))
        if not _plan.is_complex(xp, c.dtype) and bool(
            xp.all(xp.imag(found) == 0)
        ):  # likewise: ignore[LW203]: at hand
            found = xp.real(found)
    if is_concrete(c) and not hooks_of(c).recorded(c):
        return found
    kind = found.dtype
    own, still = xp.astype(c, kind, copy=False), xp.astype(fixed, kind, copy=False)
    slope = derived(function, f, still, 1, 1, 0)
    with quiet(found):
        off = clenshaw(f, found, _apart(own), False)
        by = stop_gradient(clenshaw(f, found, _apart(slope), False))
        by = xp.where(by == 0.0, xp.ones_like(by), by)
        return found - (off - stop_gradient(off)) / by


def _apart(c: Any) -> Any:
    """Return coefficients with a dimension for the points before those of the batch."""
    return c[:, None, ...]


def _as_complex(xp: Any, x: Any) -> Any:
    return xp.astype(x, xp.complex64 if x.dtype == xp.float32 else xp.complex128)


# -- fits ------------------------------------------------------------------------------------------


def fitted(
    function: str, f: Family, x: Any, y: Any, deg: Any, rcond: Any, full: bool, w: Any
) -> Any:
    names = ("x", "y") if w is None else ("x", "y", "w")
    given = (x, y) if w is None else (x, y, w)
    xp = array_namespace(*given)
    x, y, *rest = followed(xp, _plan.common_floating(function, xp, names, *given))
    xp, w = array_namespace(x, y, *rest), rest[0] if rest else None
    columns, most = _degrees(function, deg)
    b = x.ndim - 1
    if x.ndim == 0 or 0 in x.shape:
        raise FitShapeError(
            f"{function}: expected non-empty 1D vector for x, or a batch of them, got shape "
            f"{tuple(x.shape)}"
        )
    if y.ndim not in (x.ndim, x.ndim + 1) or tuple(y.shape[: b + 1]) != tuple(x.shape):
        raise FitShapeError(
            f"{function}: expected x and y to have same length, and y one dimension more, at most, "
            f"got shapes {tuple(x.shape)} and {tuple(y.shape)}"
        )
    if w is not None and tuple(w.shape) not in (tuple(x.shape), tuple(x.shape[-1:])):
        raise FitShapeError(
            f"{function}: expected x and w to have same length, got shapes {tuple(x.shape)} and "
            f"{tuple(w.shape)}"
        )
    left = vandermonde(f, x, most)
    if columns is not None:
        left = xp.stack([left[..., j] for j in columns], axis=-1)
    right = y if y.ndim > x.ndim else y[..., None]
    if w is not None:
        left, right = left * w[..., None], right * w[..., None]
    rcond = x.shape[-1] * float(xp.finfo(x.dtype).eps) if rcond is None else rcond
    size = xp.abs(left)
    size = xp.sqrt(xp.sum(size * size, axis=-2))
    size = xp.where(size == 0.0, xp.ones_like(size), size)
    found = lstsq(left / size[..., None, :], right, rcond)
    c = found.x / size[..., None]
    if columns is not None:
        none = xp.zeros_like(c[..., 0, :])
        rows = [c[..., columns.index(j), :] if j in columns else none for j in range(most + 1)]
        c = xp.stack(rows, axis=-2)
    c = c if y.ndim > x.ndim else c[..., 0]
    if full:
        return c, [found.residues, found.rank, found.s, rcond]
    order = most + 1 if columns is None else len(columns)
    if readable(found.rank) and bool(
        xp.any(stop_gradient(found.rank) < order)
    ):  # likewise: ignore[LW203]: at hand
        warnings.warn("The fit may be poorly conditioned", LinAlgWarning, stacklevel=4)
    return c


def _degrees(function: str, deg: Any) -> tuple[list[int] | None, int]:
    """Return the terms of a fit, if not all, and the highest."""
    if hasattr(deg, "__index__") and not getattr(deg, "ndim", 0):
        return None, degree_of(function, "deg", deg)
    items = deg if isinstance(deg, list | tuple) else array_namespace(deg).unstack(deg)
    terms = sorted(
        degree_of(function, "deg", int(d) if hasattr(d, "dtype") else d) for d in items
    )  # likewise: ignore[LW203]: a setting
    if not terms:
        raise FitShapeError(f"{function}: deg must be an int or a list of int, not an empty one")
    return terms, terms[-1]
