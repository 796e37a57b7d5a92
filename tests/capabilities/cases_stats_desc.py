"""Descriptive statistics, against SciPy's."""

from typing import Any

import numpy as np
import scipy.stats as judge

from likewise import stats

from .case import REAL, Case, case

__all__ = ["STATS_DESC"]

X = np.asarray([[1.5, 0.3, 3.5, 2.1, 5.75, 0.6, 4.2], [2.5, 7.0, 1.2, 6.5, 0.7, 3.1, 2.75]])
Y = np.asarray([[0.5, 1.75, 2.25, 3.0, 0.25, 1.0], [4.5, 2.0, 5.1, 1.55, 0.8, 3.25]])
W = np.asarray([[1.0, 0.5, 2.0, 1.5, 0.25, 0.75, 1.25], [0.5, 1.0, 2.5, 0.25, 1.5, 2.0, 0.75]])
GAPS = X.copy()
GAPS[0, 2] = GAPS[1, 4] = GAPS[1, 6] = np.nan
LOOP = {"torch": "the solver's loop is none of torch.compile's"}
VALUES = "values decide on the size"
ONE = "of one sample"
MINIMUM = {"float64": 1e-6, "float32": 1e-2}  # digits of a minimizer are half of those of values


def rows(name: str, *args: Any, **given: Any) -> Case:
    """A statistic of rows, which the last axis has."""
    options = {k: given.pop(k) for k in OPTIONS if k in given}
    return case(
        f"stats.{name}",
        *args,
        kwargs={"axis": -1} | given,
        **{"reference": getattr(judge, name), "batch": True, "complex": REAL, "scalars": 2}
        | options,
    )


OPTIONS = (
    *("reference", "batch", "complex", "grad", "empty", "tol", "jit", "compile", "vmap"),
    "scalars",
    "eager",
)


def alone(name: str, *args: Any, **given: Any) -> Case:
    """A function without an axis."""
    options = {k: given.pop(k) for k in OPTIONS if k in given}
    return case(
        f"stats.{name}",
        *args,
        kwargs=given,
        **{"reference": getattr(judge, name), "batch": ONE, "complex": REAL, "scalars": 2}
        | options,
    )


def plain(f: Any) -> Any:
    """SciPy's function, with the parts of its result as a tuple."""

    def call(*args: Any, **given: Any) -> Any:
        found = f(*args, **given)
        if not isinstance(found, tuple):
            found = tuple(vars(found).values())
        return tuple(np.asarray(x) if np.isscalar(x) else x for x in found)

    return call


def each(f: Any) -> Any:
    """A function of samples of one dimension, of each pair of rows."""

    def call(*args: Any) -> Any:
        pairs = zip(*(np.reshape(x, (-1, x.shape[-1])) for x in args), strict=True)
        return np.asarray([f(*pair) for pair in pairs]).reshape(args[0].shape[:-1])

    return call


STATS_DESC = [
    *(
        rows(name, X)
        for name in (
            *("skew", "kurtosis", "variation", "sem", "kstat", "kstatvar", "gmean", "hmean"),
            *("zscore", "gzscore", "gstd", "tmean", "tvar", "tstd", "tsem", "tmin", "tmax", "iqr"),
            *("median_abs_deviation", "circmean", "circvar", "circstd", "differential_entropy"),
            *("entropy",),
        )
    ),
    *(
        rows(name, GAPS, nan_policy="omit", grad=False, scalars=3)
        for name in ("skew", "gmean", "iqr")
    ),
    rows("moment", X, order=3),
    rows("lmoment", X, order=3),
    rows("describe", X, reference=plain(judge.describe), batch="one size of all"),
    rows("zmap", Y, X),
    rows("entropy", X, W),
    rows("gmean", X, weights=W),
    rows("pmean", X, 3),
    rows("trim_mean", X, 0.2),
    rows("trimboth", X, 0.2, reference=lambda *a, **k: np.sort(judge.trimboth(*a, **k))),
    rows("trim1", X, 0.2, reference=lambda *a, **k: np.sort(judge.trim1(*a, **k))),
    rows("rankdata", X),
    rows("mode", np.round(X), grad=False, reference=plain(judge.mode)),
    rows("quantile", X, 0.3),
    rows("scoreatpercentile", X, 30),
    alone("tiecorrect", np.round(X), reference=each(judge.tiecorrect), batch=True),
    alone("percentileofscore", X[0], Y, batch="of scores", scalars=3),
    alone("expectile", X, 0.3),
    alone(
        "sigmaclip",
        X,
        1.5,
        1.5,
        jit=VALUES,
        compile=VALUES,
        vmap=VALUES,
        grad=False,
        eager={"strict-minimal": VALUES, "dask": VALUES, "jax": VALUES},
        scalars=9,
        reference=plain(judge.sigmaclip),
    ),
    alone("directional_stats", X, reference=plain(judge.directional_stats)),
    *(
        alone(name, X[:, :6], Y, reference=each(getattr(judge, name)), batch=True)
        for name in ("wasserstein_distance", "energy_distance")
    ),
    *(
        alone(name, X, reference=plain(getattr(judge, name)), scalars=2)
        for name in ("cumfreq", "relfreq")
    ),
    *(
        case(
            f"stats.{name}",
            *(*args, W[0]),
            by=getattr(stats, name),
            kwargs={"bins": 2},
            reference=plain(getattr(judge, name)),
            batch="of values",
            complex=REAL,
            scalars=2,
        )
        for name, args in (
            ("binned_statistic", (X[0],)),
            ("binned_statistic_2d", (X[0], X[1])),
            ("binned_statistic_dd", (X.T.copy(),)),
        )
    ),
    alone("boxcox_llf", 0.5, X[0]),
    alone("yeojohnson_llf", 0.5, X[0]),
    alone("boxcox", X, 0.5, batch=True),
    alone("yeojohnson", X, 0.5, batch=True),
    alone(
        "boxcox_normmax",
        X[0],
        method="mle",
        tol=MINIMUM,
        scalars=40,
        grad=False,
        compile=LOOP,
        vmap=False,
    ),
    alone(
        "yeojohnson_normmax", X[0], tol=MINIMUM, scalars=40, grad=False, compile=LOOP, vmap=False
    ),
]
