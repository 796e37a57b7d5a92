"""Distributions of vectors and matrices, against SciPy's."""

from typing import Any

import numpy as np
import scipy.stats as judge

from likewise import array_namespace, stats

from .case import REAL, Case, case

__all__ = ["STATS_MULTI"]

X = np.asarray([[0.3, -0.4], [1.2, 0.5], [-0.6, 0.1]])
MEAN = np.asarray([0.1, 0.2])
COV = np.asarray([[2.0, 0.3], [0.3, 1.0]])
ALPHA = np.asarray([1.5, 3.0, 2.2])
SIMPLEX = np.asarray([[0.2, 0.5], [0.3, 0.1], [0.5, 0.4]])
P = np.asarray([0.2, 0.5, 0.3])
COUNTS = np.asarray([[1, 3, 2], [0, 0, 6]])
KINDS = np.asarray([3, 4, 7])
TABLE = np.asarray([[0.3, -0.4, 1.0], [1.2, 0.5, -0.2]])
COLUMNS = np.asarray([[1.0, 0.2, 0.1], [0.2, 1.5, 0.3], [0.1, 0.3, 2.0]])
UNIT, TURNED = np.asarray([0.6, 0.0, 0.8]), np.asarray([0.36, 0.48, 0.8])
MOMENTS = ("mean", "mode", "var", "entropy")
READS = 16  # of values that are checked
POINTS: dict[str, Any] = {"batch": "points of one set of parameters", "empty": False}


def some(name: str, method: str, *args: Any, on: Any = None, **options: Any) -> Case:
    """A method and SciPy's; `on` takes an argument to what the distribution is on."""

    def by(module: Any) -> Any:
        found = getattr(getattr(module, name), method)
        return found if on is None else lambda *given: found(*map(on, given))

    return case(
        f"stats.{name}.{method}",
        *args,
        by=by(stats),
        reference=by(judge),
        complex=REAL,
        **({"batch": True, "scalars": READS} | options),
    )


def drawn(name: str, *args: Any) -> Case:
    def draws(*args: Any) -> Any:
        return getattr(stats, name).rvs(*args, 3, key=7)

    expected = draws(*args)
    return case(
        f"stats.{name}.rvs",
        *args,
        by=draws,
        reference=lambda *args: expected,
        complex=REAL,
        batch="numbers go on",
        empty="numbers go on",
        dtypes=("float64",),
        scalars=READS,
    )


def on_simplex(x: Any) -> Any:
    return x / array_namespace(x).sum(x, axis=0) if x is not ALPHA and x.shape[-1:] == (2,) else x


def on_sphere(x: Any) -> Any:
    if isinstance(x, float):
        return x
    xp = array_namespace(x)
    return x / xp.sqrt(xp.sum(x * x, axis=-1, keepdims=True))


STATS_MULTI = [
    *(some("multivariate_normal", m, X, MEAN, COV, **POINTS) for m in ("pdf", "logpdf")),
    *(some("multivariate_normal", m, X[0], MEAN, COV, tol=1e-4) for m in ("cdf", "logcdf")),
    some("multivariate_normal", "entropy", MEAN, COV),
    *(some("multivariate_t", m, X, MEAN, COV, 3.5, **POINTS) for m in ("pdf", "logpdf")),
    some("multivariate_t", "entropy", MEAN, COV, 3.5),
    *(some("dirichlet", m, SIMPLEX, ALPHA, on=on_simplex, **POINTS) for m in ("pdf", "logpdf")),
    *(some("dirichlet", m, ALPHA) for m in ("mean", "var", "cov", "entropy")),
    *(some(n, m, COV, 4.5, COV) for n in ("wishart", "invwishart") for m in ("pdf", "logpdf")),
    *(some(n, m, 6.5, COV) for n in ("wishart", "invwishart") for m in MOMENTS),
    *(some("multinomial", m, COUNTS, 6, P, **POINTS) for m in ("pmf", "logpmf")),
    *(some("multinomial", m, 6, P) for m in ("mean", "cov")),
    *(some("multivariate_hypergeom", m, COUNTS, KINDS, 6, **POINTS) for m in ("pmf", "logpmf")),
    *(some("multivariate_hypergeom", m, KINDS, 6) for m in ("mean", "var", "cov")),
    *(some("matrix_normal", m, TABLE, TABLE, COV, COLUMNS) for m in ("pdf", "logpdf")),
    some("matrix_normal", "entropy", COV, COLUMNS),
    *(some("vonmises_fisher", m, UNIT, TURNED, 2.5, on=on_sphere) for m in ("pdf", "logpdf")),
    some("vonmises_fisher", "entropy", UNIT, 2.5, on=on_sphere),
    drawn("multivariate_normal", MEAN, COV),
    drawn("matrix_normal", TABLE, COV, COLUMNS),
]
