"""Entropy of probabilities and of samples."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device
from ..._native import public
from ..._typing import A, Numbers
from ...errors import ArgumentError
from ...missing._axes import index_dtype
from ...special import digamma, entr, rel_entr
from .._base._samples import Rows, count, filled, samples
from ._rows import has_nan, reduced, unless

__all__ = ["differential_entropy", "entropy"]


def _base(function: str, base: float | None) -> float:
    """The logarithm of the base."""
    if base is not None and base <= 0:
        raise ArgumentError(f"{function}: `base` must be a positive number or `None`, got {base!r}")
    return 1.0 if base is None else math.log(base)


@public
def entropy(
    pk: A,
    qk: A | Numbers | None = None,
    base: float | None = None,
    axis: Any = 0,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute the entropy of a distribution, or its relative entropy to another one.

    Parameters
    ----------
    pk : array
        Probabilities, which are divided by their sum. Real.
    qk : array, optional
        Those of the other distribution; broadcasts with `pk`.
    base : float, optional
        The base of the logarithm. Default: e.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out in pairs, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        ``-sum(pk log(pk))`` or ``sum(pk log(pk / qk))``, of the common floating dtype; 0 of no
        probabilities.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If `base` is not positive, or an option has another value; of complex data; if shapes don't
        broadcast.

    Notes
    -----
    C. E. Shannon, Bell System Technical Journal 27 (1948) 379-423. Differentiable where
    probabilities are positive.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import entropy
    >>> float(entropy(np.asarray([0.5, 0.5]), base=2))
    1.0
    """
    unit = _base("entropy", base)

    def body(p: Rows, q: Rows | None = None) -> Any:
        xp = array_namespace(p.x)
        pk = filled(p, 0.0)
        pk = pk / xp.sum(pk, axis=-1, keepdims=True)
        # Of 1 and 1 both are 0.
        pk = filled(Rows(pk, p.there), 1.0)
        if q is None:
            parts = entr(pk)
        else:
            qk = filled(q, 0.0)
            qk = qk / xp.sum(qk, axis=-1, keepdims=True)
            parts = rel_entr(pk, filled(Rows(qk, q.there), 1.0))
        out = xp.sum(parts, axis=-1)
        if p.there is not None:
            out = xp.where(xp.any(p.there, axis=-1), out, xp.zeros_like(out))
        return out if base is None else out / unit

    given = {"pk": pk} if qk is None else {"pk": pk, "qk": qk}
    return reduced("entropy", axis, nan_policy, keepdims, body, least=0, paired=True, **given)


@public
def differential_entropy(
    values: A,
    *,
    window_length: int | None = None,
    base: float | None = None,
    axis: Any = 0,
    method: str = "auto",
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Estimate the differential entropy of the distribution of samples, by spacings.

    Parameters
    ----------
    values : array
        Real.
    window_length : int, optional
        The number of observations between those whose distances are taken; less than half the size.
        Default: the root of the size, rounded.
    base : float, optional
        The base of the logarithm. Default: e.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    method : {'auto', 'vasicek', 'van es', 'ebrahimi', 'correa'}, optional
        The estimator. 'auto' is 'van es' up to 10 observations, 'ebrahimi' up to 1,000, then
        'vasicek'.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        Of the floating dtype of `values`; NaN of fewer than 5 observations, or than
        the window needs.

    Raises
    ------
    ArgumentError
        If the window is too long, `base` not positive, or an option has another value.
    DtypeError, ShapeError
        Of complex data; if an axis is out of range.

    Notes
    -----
    O. Vasicek, J. R. Stat. Soc. B 38 (1976) 54-59; B. van Es, Scand. J. Stat. 19 (1992) 61-72;
    N. Ebrahimi, K. Pflughoeft, E. Soofi, Stat. Probab. Lett. 20 (1994) 225-234; J. C. Correa,
    Commun. Stat. Theory Methods 24 (1995) 2439-2449. A sort; 'correa' takes n times the window in
    memory. Differentiable without ties.

    Differs from SciPy: samples too small for the default window give NaN in a batch, too, and a
    given window that is too long is an error without one, too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import differential_entropy
    >>> x = np.asarray([0.1, 0.4, 0.9, 1.3, 1.7, 2.6, 3.0])
    >>> round(float(differential_entropy(x)), 12)
    1.469342723704
    """
    unit = _base("differential_entropy", base)
    method = method.lower() if isinstance(method, str) else method
    names = ("auto", "vasicek", "van es", "ebrahimi", "correa")
    _plan.choice("differential_entropy", "method", method, names)

    def body(rows: Rows) -> Any:
        xp = array_namespace(rows.x)
        n = count(rows)
        x = xp.sort(filled(rows, xp.inf), axis=-1, stable=False)
        out = _estimate(xp, x, n, method, window_length)[..., 0]
        return unless(has_nan(rows), out if base is None else out / unit)

    (rows,), _ = samples("differential_entropy", axis, "propagate", values=values)
    size = rows.x.shape[-1]
    if window_length is not None and not 2 <= 2 * window_length < size:
        raise ArgumentError(
            f"differential_entropy: Window length ({window_length}) must be positive and less than "
            f"half the sample size ({size})."
        )
    least = 5 if window_length is None else 2 * window_length + 1
    return reduced(
        "differential_entropy", axis, nan_policy, keepdims, body, least=least, values=values
    )


def _estimate(xp: Any, x: Any, n: Any, method: str, window: int | None) -> Any:
    """The estimate, shape (..., 1), of sorted rows of which the first n count."""
    size = x.shape[-1]
    most = window or math.floor(math.sqrt(size) + 0.5)
    m: Any = most
    if window is None and not isinstance(n, int):
        m = xp.floor(xp.sqrt(n) + 0.5)
    if method == "auto":
        if isinstance(n, int):
            method = "van es" if n <= 10 else "ebrahimi" if n <= 1000 else "vasicek"
        else:
            small = _estimate(xp, x, n, "van es", window)
            middle = _estimate(xp, x, n, "ebrahimi", window)
            large = _estimate(xp, x, n, "vasicek", window) if size > 1000 else middle
            return xp.where(n <= 10, small, xp.where(n <= 1000, middle, large))
    i = xp.arange(size, dtype=x.dtype, device=device(x))
    inside: Any = None if isinstance(n, int) else i < n

    def at(place: Any) -> Any:
        place = xp.minimum(xp.maximum(place, xp.zeros_like(place)), place * 0 + (n - 1))
        place = xp.astype(place, index_dtype(xp, x))
        if place.ndim == 1:
            return xp.take(x, place, axis=-1)
        return xp.take_along_axis(x, place, axis=-1)

    def logs(gaps: Any, inside: Any) -> Any:
        if inside is None:
            return xp.sum(xp.log(gaps), axis=-1, keepdims=True)
        gaps = xp.where(inside, gaps, xp.ones_like(gaps))
        return xp.sum(xp.log(gaps), axis=-1, keepdims=True)

    if method == "van es":
        within = i < n - m
        gaps = at(i + m) - at(i)
        total = logs((n + 1) / m * gaps, xp.broadcast_to(within, gaps.shape))
        n, m = (xp.asarray(v, dtype=x.dtype, device=device(x)) for v in (n, m))
        harmonic = digamma(n + 1) - digamma(m)
        return total / (n - m) + harmonic + xp.log(m) - xp.log(n + 1)
    if method in ("vasicek", "ebrahimi"):
        gaps = at(i + m) - at(i - m)
        if method == "vasicek":
            return logs(n / (2 * m) * gaps, inside) / n
        c = xp.where(i < m, 1 + i / m, i * 0 + 2.0)
        c = xp.where(i >= n - m, 1 + (n - 1 - i) / m, c)
        return logs(n * gaps / (c * m), inside) / n
    return _correa(xp, x, n, m, most, inside, logs)


def _correa(xp: Any, x: Any, n: Any, m: Any, most: int, inside: Any, logs: Any) -> Any:
    """Slopes of lines through the observations of each window."""
    size = x.shape[-1]
    step = xp.arange(-most, most + 1, dtype=x.dtype, device=device(x))[:, None]
    place = xp.arange(size, dtype=x.dtype, device=device(x)) + step
    flat = xp.reshape(place, (-1,))
    flat = xp.minimum(xp.maximum(flat, xp.zeros_like(flat)), flat * 0 + (n - 1))
    flat = xp.astype(flat, index_dtype(xp, x))
    taken = xp.take(x, flat, axis=-1) if flat.ndim == 1 else xp.take_along_axis(x, flat, axis=-1)
    window = xp.reshape(taken, (*x.shape[:-1], *place.shape))
    if isinstance(m, int):
        near = xp.ones_like(step)
    else:
        near = xp.astype(xp.abs(step) <= m[..., None], x.dtype)
    number = xp.sum(near, axis=-2, keepdims=True)
    window = window * near
    d = (window - xp.sum(window, axis=-2, keepdims=True) / number) * near
    slopes = xp.sum(d * step, axis=-2) / (n * xp.sum(d * d, axis=-2))
    return -logs(slopes, inside) / n
