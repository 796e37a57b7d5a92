"""SciPy's noncentral distributions, which are Boost's from SciPy 1.17 on.

Before that, quantiles are right to eight digits only, so that the bodies run.
"""

from typing import Any

import numpy as np
import scipy
from scipy import special

__all__ = [
    "boost",
    "ncf_cdf",
    "ncf_isf",
    "ncf_ppf",
    "nct_cdf",
    "nct_isf",
    "nct_ppf",
    "ncx2_cdf",
    "ncx2_ppf",
    "rice_cdf",
    "rice_ppf",
]

boost = tuple(int(n) for n in scipy.__version__.split(".")[:2]) >= (1, 17)


def _of(cdf: Any, ppf: Any) -> Any:
    """The lower tail, and the inverses of both."""

    def below(x: Any, *shapes: Any, body: Any = None) -> Any:
        return np.asarray(cdf(x, *shapes)) if boost else body(x, *shapes)

    def quantile(q: Any, *shapes: Any, body: Any = None) -> Any:
        return np.asarray(ppf(q, *shapes)) if boost else body(q, *shapes)

    def upper(q: Any, *shapes: Any, body: Any = None) -> Any:
        return np.asarray(ppf(1 - q, *shapes)) if boost else body(q, *shapes)

    return below, quantile, upper


ncx2_cdf, ncx2_ppf, _ = _of(special.chndtr, special.chndtrix)
ncf_cdf, ncf_ppf, ncf_isf = _of(
    lambda x, dfn, dfd, nc: special.ncfdtr(dfn, dfd, nc, x),
    lambda q, dfn, dfd, nc: special.ncfdtri(dfn, dfd, nc, q),
)
nct_cdf, nct_ppf, nct_isf = _of(
    lambda x, df, nc: special.nctdtr(df, nc, x),
    lambda q, df, nc: special.nctdtrit(df, nc, q),
)
rice_cdf, rice_ppf, _ = _of(
    lambda x, b: special.chndtr(x * x, 2.0, b * b),
    lambda q, b: np.sqrt(special.chndtrix(q, 2.0, b * b)),
)
