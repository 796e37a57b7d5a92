"""A test of two Poisson means.

K. Krishnamoorthy, J. Thomson, Journal of Statistical Planning and Inference 119 (2004) 23-35.
"""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_lazy, quiet
from ...errors import ArgumentError, DtypeError, NotSupported
from ...missing._axes import as_given
from ...special import gammaln
from .._base._pvalues import Significance, direction

__all__ = ["poisson_means_test"]


def poisson_means_test(
    k1: Any, n1: Any, k2: Any, n2: Any, *, diff: Any = 0, alternative: str = "two-sided"
) -> Significance:
    """Test whether the means of two Poisson distributions differ by a given amount.

    Parameters
    ----------
    k1 : int or array of whole numbers
        Events in the two samples.
    n1 : float or array
        The samples' sizes, positive.
    k2 : int or array of whole numbers
        Events in the two samples.
    n2 : float or array
        The samples' sizes, positive.
    diff : float or array, optional
        The difference of the means, first less second, under the null hypothesis; not negative.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Whether the difference differs from, is less or greater than `diff`.

    Returns
    -------
    Significance
        ``statistic`` and ``pvalue``, of the shape to which the arguments broadcast.

    Raises
    ------
    ArgumentError, DtypeError, NotSupported, ShapeError
        If numbers lie elsewhere, counts aren't whole, shapes don't broadcast, or arguments are
        traced.

    Notes
    -----
    Krishnamoorthy and Thomson (2004), equation 3.5: a double sum, O(sqrt(k1 k2)) terms, over all
    counts but those beyond which lies less than 1e-16. Outcomes as extreme to rounding count.

    Differs from SciPy: takes a batch; SciPy leaves out 1e-10 in the lower tails, and by rounding,
    at times, outcomes that are just as extreme, the observed one included.

    Examples
    --------
    >>> from likewise.stats import poisson_means_test
    >>> found = poisson_means_test(0, 100, 3, 100)
    >>> round(float(found.statistic), 6), round(float(found.pvalue), 6)
    (-1.732051, 0.088379)
    """
    name, names = "poisson_means_test", ("k1", "n1", "k2", "n2", "diff")
    side = direction(name, str(alternative).lower())
    xp = array_namespace(k1, n1, k2, n2, diff)
    given = _plan.common_floating(name, xp, names, k1, n1, k2, n2, diff, real=True)
    xp = array_namespace(*given)
    shape = _plan.broadcast(name, **{k: x.shape for k, x in zip(names, given, strict=True)})
    if any(is_lazy(x) for x in given):
        raise NotSupported(
            f"{name}: the arguments must have values, as they say how many terms there are; call "
            "it outside of jit, vmap and grad"
        )
    k1, n1, k2, n2, diff = (x if x.shape == shape else xp.broadcast_to(x, shape) for x in given)
    if not bool(xp.all((k1 == xp.floor(k1)) & (k2 == xp.floor(k2)))):
        raise DtypeError(f"{name}: k1 and k2 must be integers")
    for words, good in (
        ("k1, k2 and diff must be greater than or equal to 0", (k1 >= 0) & (k2 >= 0) & (diff >= 0)),
        ("n1 and n2 must be greater than 0", (n1 > 0) & (n2 > 0)),
    ):
        if not bool(xp.all(good)):
            raise ArgumentError(f"{name}: {words}")
    mean = (k1 + k2 - diff * n1) / (n1 + n2)
    known = mean > 0
    mean = xp.where(known, mean, xp.ones_like(mean))
    x1, p1 = _outcomes(xp, n1 * (mean + diff))
    x2, p2 = _outcomes(xp, n2 * mean)
    with quiet(k1):
        statistic = _pivot(xp, k1, n1, k2, n2, diff)
        wide = (v[..., None, None] for v in (n1, n2, diff, statistic))
        m1, m2, apart, own = wide
        found = _pivot(xp, x1[..., :, None], m1, x2[..., None, :], m2, apart)
        rounding = 64 * float(xp.finfo(k1.dtype).eps) * xp.abs(own)
        if side:
            extreme = found <= own + rounding if side < 0 else found >= own - rounding
        else:
            extreme = xp.abs(found) >= xp.abs(own) - rounding
    inner = xp.sum(xp.where(extreme, p2[..., None, :], xp.zeros_like(found)), axis=-1)
    pvalue = xp.minimum(xp.sum(p1 * inner, axis=-1), xp.ones_like(mean))
    statistic = xp.where(known, statistic, xp.zeros_like(mean))
    pvalue = xp.where(known, pvalue, xp.ones_like(mean))
    return Significance(as_given(statistic), as_given(pvalue))


def _pivot(xp: Any, k1: Any, n1: Any, k2: Any, n2: Any, diff: Any) -> Any:
    return (k1 / n1 - k2 / n2 - diff) / xp.sqrt(k1 / n1**2 + k2 / n2**2)


def _outcomes(xp: Any, mean: Any) -> tuple[Any, Any]:
    """Return counts (..., S) and their probabilities; beyond, by Chernoff's bounds, lies 1e-17."""
    mean = mean[..., None]
    low = xp.floor(xp.maximum(mean - xp.sqrt(78 * mean), xp.zeros_like(mean)))
    high = xp.ceil(mean + 13 + xp.sqrt(169 + 78 * mean))
    most = xp.max(high - low) if 0 not in mean.shape else 0
    size = int(most) + 1  # likewise: ignore[LW203]: lazy arguments are refused before
    x = low + xp.arange(size, dtype=mean.dtype, device=device(mean))
    return x, xp.exp(x * xp.log(mean) - mean - gammaln(x + 1))
