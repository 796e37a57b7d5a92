"""Upper tails of noncentral distributions, by SciPy's distributions, whose tails have no `special`
function of their own."""

from typing import Any

import numpy as np
from scipy import stats

from ._noncentral import boost, ncf_cdf, nct_cdf, ncx2_cdf, ncx2_ppf, rice_cdf, rice_ppf

__all__ = ["ncf_sf", "nct_sf", "ncx2_isf", "ncx2_sf", "rice_isf", "rice_sf"]

_FEW = 256


def _served(function: Any, x: Any, shapes: Any, body: Any) -> Any:
    """SciPy's values, or the body's where SciPy raises for one of them."""
    try:
        return np.asarray(function(x, *shapes))
    except OverflowError:
        return body(x, *shapes)


def _tail(below: Any, above: Any) -> Any:
    """1 less the lower tail of a few, where all have their digits: SciPy's checks take longer."""

    def found(x: Any, *shapes: Any, body: Any = None) -> Any:
        if not boost:
            return body(x, *shapes)
        if np.size(x) <= _FEW:
            p = np.asarray(1 - below(x, *shapes))
            if np.all(p > 0.3):
                return p
        return _served(above, x, shapes, body)

    return found


def _quantile(below: Any, above: Any) -> Any:
    def found(q: Any, *shapes: Any, body: Any = None) -> Any:
        if not boost:
            return body(q, *shapes)
        if np.all(q > 0.05):
            return np.asarray(below(1 - q, *shapes))
        return _served(above, q, shapes, body)

    return found


ncx2_sf, ncf_sf = _tail(ncx2_cdf, stats.ncx2.sf), _tail(ncf_cdf, stats.ncf.sf)
nct_sf = _tail(nct_cdf, stats.nct.sf)
rice_sf = _tail(rice_cdf, lambda x, b: stats.ncx2.sf(x * x, 2.0, b * b))
ncx2_isf = _quantile(ncx2_ppf, stats.ncx2.isf)
rice_isf = _quantile(rice_ppf, lambda q, b: np.sqrt(stats.ncx2.isf(q, 2.0, b * b)))
