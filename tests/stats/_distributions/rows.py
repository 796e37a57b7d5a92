"""Sample parameters of every row, for the tests that walk all of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

__all__ = ["ROWS", "Row"]


class Row(NamedTuple):
    """Parameters at which a row is compared with SciPy's.

    `bad` are parameters outside of the domain. `loose` are methods for which SciPy has not the
    digits, with the relative error that it may have. `ends` are values at both ends of the support
    where ours differ from SciPy's, `kinks` points without derivatives, and `step` is that of
    differences in a parameter, relative to it. `slow` rows are walked only with --full.
    """

    samples: tuple[tuple[float, ...], ...]
    bad: tuple[tuple[float, ...], ...] = ()
    loose: Mapping[str, float] = {}
    ends: Mapping[str, Any] = {}
    kinks: tuple[float, ...] = ()
    step: float = 0.003
    slow: bool = False


ROWS: dict[str, Row] = {
    "gennorm": Row(
        ((1.5,), (4.0,)), ((0.0,), (-1.0,)), kinks=(0.0,), loose={"ppf": 1e-6, "isf": 1e-6}
    ),
    "anglit": Row(((),)),
    "arcsine": Row(((),), loose={"sf": 1e-10, "logsf": 1e-10, "expect": 1e-06}),
    "beta": Row(((2.5, 0.75), (40.0, 7.0)), ((-1.0, 2.0), (2.0, 0.0))),
    "betaprime": Row(((5.0, 6.0), (60.0, 45.0)), ((0.0, 1.0), (1.0, -1.0)), loose={"isf": 1e-07}),
    "bradford": Row(((0.3,), (20.0,)), ((0.0,), (-1.0,))),
    "burr": Row(((10.5, 4.3), (2.0, 0.5)), ((0.0, 1.0), (1.0, 0.0))),
    "burr12": Row(((10.0, 4.0), (2.0, 3.5)), ((0.0, 1.0), (1.0, 0.0)), loose={"logcdf": 1e-07}),
    "cauchy": Row(((),)),
    "chi": Row(((2.5,), (40.0,)), ((0.0,), (-1.0,))),
    "chi2": Row(((0.5,), (3.0,), (60.0,)), ((0.0,), (-1.0,))),
    "cosine": Row(((),)),
    "crystalball": Row(((2.0, 3.0), (1.0, 12.0)), ((0.0, 2.0), (1.0, 1.0)), loose={"isf": 1e-07}),
    "dgamma": Row(((1.5,), (40.0,)), ((0.0,),), kinks=(0.0,)),
    "dweibull": Row(((2.0,), (0.75,)), ((0.0,),), kinks=(0.0,)),
    "erlang": Row(((3.0,), (80.0,)), ((0.0,),)),
    "expon": Row(((),)),
    # SciPy's isf is its ppf at 1 - q.
    "exponnorm": Row(((1.5,), (0.2,)), ((0.0,), (-1.0,)), {"isf": 1e-8}),
    "exponpow": Row(((2.7,), (0.8,)), ((0.0,),), loose={"moments": 1e-05}),
    "exponweib": Row(
        ((2.9, 1.95), (0.6, 3.0)),
        ((0.0, 1.0), (1.0, 0.0)),
        loose={"moments": 1e-06},
        ends={"pdf": 0.0, "logpdf": -np.inf},
    ),
    "f": Row(((3.0, 9.5), (30.0, 12.0)), ((0.0, 2.0), (2.0, -1.0)), {"isf": 1e-7}),
    "fatiguelife": Row(((2.0,), (0.3,)), ((0.0,), (-1.0,))),
    "fisk": Row(((3.1,), (8.0,)), ((0.0,),)),
    "foldcauchy": Row(
        ((4.75,), (0.0,)),
        ((-1.0,),),
        loose={"cdf": 1e-06, "logcdf": 1e-06, "ppf": 1e-06, "isf": 1e-06},
    ),
    "foldnorm": Row(
        ((1.95,), (0.5,)),
        ((-1.0,),),
        loose={"cdf": 1e-07, "logcdf": 1e-07, "ppf": 1e-07, "isf": 1e-07},
    ),
    "gamma": Row(((0.5,), (2.25,), (70.0,)), ((0.0,), (-1.0,))),
    "genextreme": Row(((-0.1,), (0.3,), (0.0,)), ((np.inf,), (np.nan,))),
    "gengamma": Row(((4.4, 3.1), (4.4, -3.1)), ((0.0, 1.0), (1.0, 0.0))),
    "genhalflogistic": Row(
        ((0.75,), (0.3,)),
        ((0.0,),),
        loose={"cdf": 1e-07, "logcdf": 1e-07, "ppf": 1e-07, "isf": 1e-07, "moments": 1e-06},
    ),
    "genlogistic": Row(((0.4,), (30.0,)), ((0.0,),), loose={"isf": 1e-07}),
    "genpareto": Row(((0.1,), (-0.4,), (0.0,)), ((np.inf,), (np.nan,))),
    "gompertz": Row(((0.95,), (60.0,)), ((0.0,),), loose={"moments": 0.001}),
    "gumbel_l": Row(((),)),
    "gumbel_r": Row(((),)),
    "halfcauchy": Row(((),)),
    "halflogistic": Row(((),)),
    "halfnorm": Row(((),), loose={"ppf": 1e-6}),
    "hypsecant": Row(((),)),
    "invgamma": Row(((4.5,), (0.8,)), ((0.0,), (-1.0,))),
    "invgauss": Row(((0.75,), (5.0,)), ((0.0,), (-1.0,))),
    "invweibull": Row(((5.5,), (4.5,)), ((0.0,), (-1.0,))),
    "jf_skew_t": Row(
        ((8.0, 4.0), (2.5, 60.0)),
        ((0.0, 1.0), (1.0, 0.0)),
        loose={"isf": 1e-07, "pdf": 1e-10, "logpdf": 1e-10, "cdf": 1e-10, "logcdf": 1e-10},
    ),
    "johnsonsb": Row(((4.3, 3.2), (-0.5, 0.75)), ((0.0, 0.0),), loose={"moments": 1e-06}),
    "johnsonsu": Row(((2.5, 2.25), (-1.0, 4.0)), ((0.0, 0.0),)),
    "kappa3": Row(((5.5,), (1.0,)), ((0.0,),)),
    "kappa4": Row(
        ((0.1, 0.1), (0.0, 0.0), (0.1, 0.0), (0.0, 0.1), (-0.2, -0.1), (0.5, -0.1)),
        loose={"isf": 1e-07, "pdf": 1e-10, "logpdf": 1e-10, "cdf": 1e-10, "logcdf": 1e-10},
        ends={"pdf": 0.0, "logpdf": -np.inf},
    ),
    "laplace": Row(((),), kinks=(0.0,)),
    "levy": Row(((),)),
    "levy_l": Row(((),), loose={"cdf": 1e-06, "logcdf": 1e-06, "ppf": 1e-06}),
    "loggamma": Row(((0.4,), (50.0,)), ((0.0,),)),
    "logistic": Row(((),)),
    "loglaplace": Row(((3.25,), (12.0,)), ((0.0,),), kinks=(1.0,)),
    "lognorm": Row(((0.75,), (2.5,)), ((0.0,), (-1.0,))),
    "loguniform": Row(
        ((0.5, 12.0), (1.0, 1.5)),
        ((0.0, 1.0), (2.0, 1.0), (1.0, 1.0)),
        {"cdf": 1e-7, "logcdf": 1e-8, "sf": 1e-7, "logsf": 1e-8},
    ),
    "lomax": Row(((4.5,), (30.0,)), ((0.0,),)),
    "maxwell": Row(((),)),
    "mielke": Row(((10.4, 4.6), (2.0, 9.0)), ((0.0, 1.0), (1.0, 0.0)), loose={"isf": 1e-07}),
    "moyal": Row(((),), loose={"isf": 1e-07}),
    "nakagami": Row(((0.75,), (20.0,)), ((0.0,), (-1.0,))),
    "ncf": Row(((27.0, 27.0, 2.0),), ((0.0, 1.0, 1.0), (1.0, 1.0, -1.0)), slow=True),
    "nct": Row(((6.0, -3.0),), ((0.0, 1.0), (-1.0, 0.0)), loose={"isf": 1e-9}, slow=True),
    "ncx2": Row(((21.0, 1.5),), ((0.0, 1.0), (1.0, -1.0)), slow=True),
    "norm": Row(((),)),
    # SciPy's tails are quadrature.
    "norminvgauss": Row(
        ((1.25, 0.5),),
        ((-1.0, 0.0), (1.0, 1.5)),
        dict.fromkeys(("cdf", "logcdf", "sf", "logsf", "ppf", "isf"), 1e-6),
    ),
    "pareto": Row(((5.5,), (0.8,)), ((0.0,), (-1.0,)), {"cdf": 1e-7, "ppf": 1e-7, "logcdf": 1e-8}),
    "powerlaw": Row(((1.7,), (6.0,)), ((0.0,),)),
    "powerlognorm": Row(((2.1, 0.45), (0.5, 0.3)), ((0.0, 1.0), (1.0, 0.0)), loose={"ppf": 1e-07}),
    "powernorm": Row(
        ((4.0,), (0.3,)), ((0.0,), (-1.0,)), {"ppf": 1e-7, "moments": 1e-5, "entropy": 1e-7}
    ),
    "rayleigh": Row(((),)),
    "reciprocal": Row(
        ((0.5, 12.0),),
        ((0.0, 1.0), (2.0, 1.0)),
        {"cdf": 1e-7, "logcdf": 1e-8, "sf": 1e-7, "logsf": 1e-8},
    ),
    # SciPy's isf is its ppf at 1 - q.
    "rice": Row(((0.775,), (6.0,)), ((-1.0,),), {"isf": 1e-8}),
    # SciPy's cdf is wrong by 3e-9 in the lower tail, ours by 6e-15 at most, by mpmath.
    "skewnorm": Row(
        ((4.0,), (-0.5,)),
        ((np.inf,),),
        dict.fromkeys(("cdf", "logcdf", "ppf", "isf"), 1e-8),
    ),
    "semicircular": Row(
        ((),),
        loose={
            "pdf": 1e-10,
            "cdf": 1e-05,
            "logcdf": 1e-05,
            "ppf": 1e-05,
            "isf": 1e-05,
            "sf": 1e-05,
            "logsf": 1e-05,
        },
    ),
    "t": Row(((0.75,), (4.5,)), ((0.0,), (-2.0,))),
    "trapezoid": Row(((0.2, 0.8), (0.4, 0.5)), ((0.7, 0.3), (-0.1, 0.5), (0.5, 1.5))),
    "triang": Row(((0.15,), (0.6,)), ((-0.1,), (1.5,))),
    "truncexpon": Row(((0.5,), (4.0,)), ((0.0,), (-1.0,))),
    "tukeylambda": Row(
        ((0.14,), (-0.2,), (3.0,)),
        loose=dict.fromkeys(("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"), 1e-05),
    ),
    # Near an end SciPy subtracts: at the points of probability 1e-9 it is wrong by up to 8e-7, ours
    # by 1e-15, by mpmath.
    "truncnorm": Row(
        ((-1.0, 2.0), (-np.inf, 0.5), (2.5, 4.0)),
        ((1.0, 1.0), (2.0, 1.0)),
        dict.fromkeys(("cdf", "logcdf", "sf", "logsf", "ppf", "isf"), 1e-6),
    ),
    "uniform": Row(((),)),
    "weibull_max": Row(((1.75,), (0.6,)), ((0.0,), (-1.0,)), {"isf": 1e-6}),
    "weibull_min": Row(((1.75,), (0.6,)), ((0.0,), (-1.0,))),
    "wrapcauchy": Row(((0.5,), (0.05,)), ((0.0,), (1.0,))),
}


def named(name: str) -> Any:
    """Return our distribution and SciPy's."""
    import scipy.stats

    import likewise.stats

    return getattr(likewise.stats, name), getattr(scipy.stats, name)
