"""SciPy's noncentral distributions, which are Boost's from SciPy 1.17 on.

Before that, quantiles are right to eight digits only, so that the bodies run.
"""

from typing import Any

import numpy as np
import scipy
from scipy import special

__all__ = [
    "ncf_cdf",
    "ncf_isf",
    "ncf_ppf",
    "ncf_sf",
    "nct_cdf",
    "nct_isf",
    "nct_ppf",
    "nct_sf",
    "ncx2_cdf",
    "ncx2_isf",
    "ncx2_ppf",
    "ncx2_sf",
    "rice_cdf",
    "rice_isf",
    "rice_ppf",
    "rice_sf",
]

_BOOST = tuple(int(n) for n in scipy.__version__.split(".")[:2]) >= (1, 17)


def _of(cdf: Any, ppf: Any) -> Any:
    """Both tails, and their inverses."""

    def below(x: Any, *shapes: Any, body: Any = None) -> Any:
        return np.asarray(cdf(x, *shapes)) if _BOOST else body(x, *shapes)

    def above(x: Any, *shapes: Any, body: Any = None) -> Any:
        return np.asarray(1 - cdf(x, *shapes)) if _BOOST else body(x, *shapes)

    def quantile(q: Any, *shapes: Any, body: Any = None) -> Any:
        return np.asarray(ppf(q, *shapes)) if _BOOST else body(q, *shapes)

    def upper(q: Any, *shapes: Any, body: Any = None) -> Any:
        return np.asarray(ppf(1 - q, *shapes)) if _BOOST else body(q, *shapes)

    return below, above, quantile, upper


ncx2_cdf, ncx2_sf, ncx2_ppf, ncx2_isf = _of(special.chndtr, special.chndtrix)
ncf_cdf, ncf_sf, ncf_ppf, ncf_isf = _of(
    lambda x, dfn, dfd, nc: special.ncfdtr(dfn, dfd, nc, x),
    lambda q, dfn, dfd, nc: special.ncfdtri(dfn, dfd, nc, q),
)
nct_cdf, nct_sf, nct_ppf, nct_isf = _of(
    lambda x, df, nc: special.nctdtr(df, nc, x),
    lambda q, df, nc: special.nctdtrit(df, nc, q),
)
rice_cdf, rice_sf, rice_ppf, rice_isf = _of(
    lambda x, b: special.chndtr(x * x, 2.0, b * b),
    lambda q, b: np.sqrt(special.chndtrix(q, 2.0, b * b)),
)
