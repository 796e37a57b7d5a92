"""Distributions of numbers, each at three points: densities and both tails, against SciPy's."""

from typing import Any

import numpy as np
import scipy.stats as judge

from likewise import stats

from ..stats._distributions.rows import ROWS
from .case import REAL, Case, case

__all__ = ["STATS_ROWS"]

# Values that are read where they are at hand: which method serves shapes without dimensions, and
# whether sums, quadratures and solvers have converged.
READS = dict.fromkeys(
    (
        *("nct", "tukeylambda", "betabinom", "betanbinom", "hypergeom", "nhypergeom", "rice"),
        *("skellam", "studentized_range"),
    ),
    1000,
)
SUMS = ("betabinom", "betanbinom", "hypergeom", "nhypergeom", "skellam")
SHARES = np.asarray([0.3, 0.55, 0.8])
# Of discrete ones, for which rows.py has no line.
DISCRETE: dict[str, tuple[float, ...]] = {
    "bernoulli": (0.3,),
    "betabinom": (9.0, 2.5, 1.5),
    "betanbinom": (4.0, 5.5, 1.5),
    "binom": (9.0, 0.3),
    "boltzmann": (0.4, 12.0),
    "dlaplace": (0.6,),
    "geom": (0.3,),
    "hypergeom": (30.0, 12.0, 9.0),
    "logser": (0.6,),
    "nbinom": (4.0, 0.4),
    "nhypergeom": (20.0, 7.0, 4.0),
    "planck": (0.5,),
    "poisson": (3.0,),
    "randint": (2.0, 9.0),
    "skellam": (3.0, 5.0),
    "zipf": (3.5,),
    "zipfian": (1.5, 9.0),
}


def both(module: Any, name: str, density: str) -> Any:
    """The density and both tails, added up with weights of their own."""
    dist = getattr(module, name)

    def evaluated(x: Any, *shapes: Any) -> Any:
        tails = 2 * dist.cdf(x, *shapes) - 3 * dist.sf(x, *shapes)
        return tails + getattr(dist, density)(x, *shapes)

    return evaluated


# Of distribution functions that a solver inverts.
SOLVED = {"tukeylambda": {"compile": {"torch": "the solver's loop is none of torch.compile's"}}}


def summed(name: str) -> dict[str, Any]:
    return {"compile": "its sums go on until terms are small"} if name in SUMS else {}


def some(name: str, density: str, args: tuple[float, ...], **options: Any) -> Case:
    x = np.asarray(getattr(judge, name).ppf(SHARES, *args), dtype="float64")
    return case(
        f"stats.{name}",
        x,
        *(np.full(3, a) for a in args),
        by=both(stats, name, density),
        reference=both(judge, name, density),
        complex=REAL,
        batch=True,
        scalars=READS.get(name, 8),
        **options,
    )


STATS_ROWS = [
    *(
        some(name, "logpdf", row.samples[0], **SOLVED.get(name, {}))
        for name, row in sorted(ROWS.items())
        if hasattr(stats, name) and hasattr(judge, name)
    ),
    some("studentized_range", "pdf", (3.0, 10.0), tol={"float64": 1e-8, "float32": 1e-3}),
    *(
        []
        if "vonmises" in ROWS or not hasattr(stats, "vonmises")
        else [some("vonmises", "logpdf", (2.0,))]
    ),
    *(
        some(name, "logpmf", args, grad="of whole numbers", **summed(name))
        for name, args in DISCRETE.items()
        if hasattr(stats, name)
    ),
]
