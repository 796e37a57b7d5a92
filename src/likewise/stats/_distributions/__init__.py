"""Univariate distributions: rows, and the classes that make all methods of them."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "Mixture",
    "anglit",
    "arcsine",
    "bernoulli",
    "beta",
    "betabinom",
    "betanbinom",
    "betaprime",
    "binom",
    "boltzmann",
    "bradford",
    "burr",
    "burr12",
    "cauchy",
    "chi",
    "chi2",
    "cosine",
    "crystalball",
    "dgamma",
    "dlaplace",
    "dweibull",
    "erlang",
    "expon",
    "exponnorm",
    "exponpow",
    "exponweib",
    "f",
    "fatiguelife",
    "fisk",
    "foldcauchy",
    "foldnorm",
    "gamma",
    "genextreme",
    "gengamma",
    "genhalflogistic",
    "genlogistic",
    "gennorm",
    "genpareto",
    "geom",
    "gompertz",
    "gumbel_l",
    "gumbel_r",
    "halfcauchy",
    "halflogistic",
    "halfnorm",
    "hypergeom",
    "hypsecant",
    "invgamma",
    "invgauss",
    "invweibull",
    "jf_skew_t",
    "johnsonsb",
    "johnsonsu",
    "kappa3",
    "kappa4",
    "laplace",
    "levy",
    "levy_l",
    "loggamma",
    "logistic",
    "loglaplace",
    "lognorm",
    "logser",
    "loguniform",
    "lomax",
    "maxwell",
    "mielke",
    "moyal",
    "nakagami",
    "nbinom",
    "ncf",
    "nct",
    "ncx2",
    "nhypergeom",
    "norm",
    "norminvgauss",
    "order_statistic",
    "pareto",
    "planck",
    "poisson",
    "powerlaw",
    "powerlognorm",
    "powernorm",
    "randint",
    "rayleigh",
    "reciprocal",
    "rice",
    "rv_histogram",
    "semicircular",
    "skellam",
    "skewnorm",
    "studentized_range",
    "t",
    "trapezoid",
    "triang",
    "truncate",
    "truncexpon",
    "truncnorm",
    "tukeylambda",
    "uniform",
    "vonmises",
    "weibull_max",
    "weibull_min",
    "wrapcauchy",
    "zipf",
    "zipfian",
]

if TYPE_CHECKING:
    from ._bessel import rice, vonmises
    from ._beta import beta, f
    from ._beta_transforms import betaprime, jf_skew_t
    from ._binomial import bernoulli, betabinom, betanbinom, binom, geom, nbinom
    from ._burr import burr, burr12, fisk, genlogistic, kappa3, mielke
    from ._counts import boltzmann, dlaplace, logser, planck, randint, skellam, zipf, zipfian
    from ._derived import Mixture, order_statistic, truncate
    from ._exponential import (
        expon,
        invweibull,
        laplace,
        rayleigh,
        truncexpon,
        weibull_max,
        weibull_min,
    )
    from ._extreme import genextreme, genpareto, gumbel_l, gumbel_r, pareto
    from ._gamma import chi, chi2, gamma, invgamma, maxwell, nakagami
    from ._gamma_transforms import erlang, gengamma, loggamma
    from ._gennorm import gennorm
    from ._histogram import rv_histogram
    from ._hypergeometric import hypergeom, nhypergeom
    from ._intervals import anglit, arcsine, bradford, cosine, semicircular, trapezoid, triang
    from ._logistic import cauchy, halfcauchy, halflogistic, logistic, wrapcauchy
    from ._lognormal import halfnorm, lognorm, powernorm
    from ._noncentral import ncf, nct, ncx2
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
    from ._skewed import exponnorm, invgauss, norminvgauss, skewnorm
    from ._student import t
    from ._studentized import studentized_range
    from ._truncnorm import truncnorm
    from ._two_sided import dgamma, dweibull, foldcauchy, hypsecant, loglaplace, tukeylambda
    from ._uniform import loguniform, reciprocal, uniform
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_bessel": "rice vonmises",
            "_beta": "beta f",
            "_beta_transforms": "betaprime jf_skew_t",
            "_binomial": "bernoulli betabinom betanbinom binom geom nbinom",
            "_burr": "burr burr12 fisk genlogistic kappa3 mielke",
            "_counts": "boltzmann dlaplace logser planck randint skellam zipf zipfian",
            "_derived": "Mixture order_statistic truncate",
            "_exponential": "expon invweibull laplace rayleigh truncexpon weibull_max weibull_min",
            "_extreme": "genextreme genpareto gumbel_l gumbel_r pareto",
            "_gamma": "chi chi2 gamma invgamma maxwell nakagami",
            "_gamma_transforms": "erlang gengamma loggamma",
            "_gennorm": "gennorm",
            "_histogram": "rv_histogram",
            "_hypergeometric": "hypergeom nhypergeom",
            "_intervals": "anglit arcsine bradford cosine semicircular trapezoid triang",
            "_logistic": "cauchy halfcauchy halflogistic logistic wrapcauchy",
            "_lognormal": "halfnorm lognorm powernorm",
            "_noncentral": "ncf nct ncx2",
            "_normal": "norm",
            "_normal_transforms": (
                "crystalball fatiguelife foldnorm johnsonsb johnsonsu levy levy_l moyal "
                "powerlognorm"
            ),
            "_poisson": "poisson",
            "_powers": "exponpow exponweib genhalflogistic gompertz kappa4 lomax powerlaw",
            "_skewed": "exponnorm invgauss norminvgauss skewnorm",
            "_student": "t",
            "_studentized": "studentized_range",
            "_truncnorm": "truncnorm",
            "_two_sided": "dgamma dweibull foldcauchy hypsecant loglaplace tukeylambda",
            "_uniform": "loguniform reciprocal uniform",
        },
    )
