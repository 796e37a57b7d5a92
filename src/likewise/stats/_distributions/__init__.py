"""Univariate distributions: rows, and the classes that make all methods of them."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "anglit",
    "arcsine",
    "beta",
    "betaprime",
    "bradford",
    "burr",
    "burr12",
    "chi2",
    "cosine",
    "crystalball",
    "dgamma",
    "dweibull",
    "erlang",
    "exponpow",
    "exponweib",
    "f",
    "fatiguelife",
    "fisk",
    "foldcauchy",
    "foldnorm",
    "gamma",
    "gengamma",
    "genhalflogistic",
    "genlogistic",
    "gompertz",
    "hypsecant",
    "jf_skew_t",
    "johnsonsb",
    "johnsonsu",
    "kappa3",
    "kappa4",
    "levy",
    "levy_l",
    "loggamma",
    "loglaplace",
    "lomax",
    "mielke",
    "moyal",
    "norm",
    "poisson",
    "powerlaw",
    "powerlognorm",
    "semicircular",
    "t",
    "trapezoid",
    "triang",
    "tukeylambda",
]

if TYPE_CHECKING:
    from ._beta import beta, f
    from ._beta_transforms import betaprime, jf_skew_t
    from ._burr import burr, burr12, fisk, genlogistic, kappa3, mielke
    from ._gamma import chi2, gamma
    from ._gamma_transforms import erlang, gengamma, loggamma
    from ._intervals import anglit, arcsine, bradford, cosine, semicircular, trapezoid, triang
    from ._normal import norm
    from ._normal_transforms import (
        crystalball,
        fatiguelife,
        foldnorm,
        johnsonsb,
        johnsonsu,
        levy,
        levy_l,
        moyal,
        powerlognorm,
    )
    from ._poisson import poisson
    from ._powers import exponpow, exponweib, genhalflogistic, gompertz, kappa4, lomax, powerlaw
    from ._student import t
    from ._two_sided import dgamma, dweibull, foldcauchy, hypsecant, loglaplace, tukeylambda
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_beta": "beta f",
            "_beta_transforms": "betaprime jf_skew_t",
            "_burr": "burr burr12 fisk genlogistic kappa3 mielke",
            "_gamma": "chi2 gamma",
            "_gamma_transforms": "erlang gengamma loggamma",
            "_intervals": "anglit arcsine bradford cosine semicircular trapezoid triang",
            "_normal": "norm",
            "_normal_transforms": (
                "crystalball fatiguelife foldnorm johnsonsb johnsonsu levy levy_l moyal "
                "powerlognorm"
            ),
            "_poisson": "poisson",
            "_powers": "exponpow exponweib genhalflogistic gompertz kappa4 lomax powerlaw",
            "_student": "t",
            "_two_sided": "dgamma dweibull foldcauchy hypsecant loglaplace tukeylambda",
        },
    )
