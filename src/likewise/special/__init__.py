"""Special functions, with SciPy's names and meaning, on every library."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "bdtr",
    "bdtrc",
    "beta",
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "betaln",
    "binom",
    "boxcox",
    "boxcox1p",
    "cbrt",
    "chdtr",
    "chdtrc",
    "chdtri",
    "comb",
    "dawsn",
    "digamma",
    "ellipe",
    "ellipk",
    "ellipkm1",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "exp1",
    "expi",
    "expit",
    "expm1",
    "expn",
    "exprel",
    "factorial",
    "factorial2",
    "fdtr",
    "fdtrc",
    "fdtri",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "gammasgn",
    "gdtr",
    "huber",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "inv_boxcox",
    "j0",
    "j1",
    "jn",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kl_div",
    "kn",
    "lambertw",
    "legendre_p",
    "log1p",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "loggamma",
    "logit",
    "logsumexp",
    "multigammaln",
    "nbdtr",
    "ndtr",
    "ndtri",
    "ndtri_exp",
    "pdtr",
    "pdtrc",
    "perm",
    "poch",
    "polygamma",
    "pseudo_huber",
    "psi",
    "rel_entr",
    "rgamma",
    "roots_chebyc",
    "roots_chebys",
    "roots_chebyt",
    "roots_chebyu",
    "roots_gegenbauer",
    "roots_genlaguerre",
    "roots_hermite",
    "roots_hermitenorm",
    "roots_jacobi",
    "roots_laguerre",
    "roots_legendre",
    "roots_sh_chebyt",
    "roots_sh_chebyu",
    "roots_sh_jacobi",
    "roots_sh_legendre",
    "sinc",
    "softmax",
    "spence",
    "sph_harm_y",
    "stdtr",
    "stdtrit",
    "voigt_profile",
    "wofz",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "yn",
    "zeta",
]

if TYPE_CHECKING:
    from ._bessel import j0, j1, y0, y1
    from ._bessel_modified import i0, i0e, i1, i1e, k0, k0e, k1, k1e
    from ._bessel_orders import jn, kn, yn
    from ._beta_distributions import bdtr, bdtrc, nbdtr
    from ._beta_function import beta, betaln, poch
    from ._beta_quantiles import fdtri, stdtrit
    from ._betainc import betainc, betaincc
    from ._betaincinv import betainccinv, betaincinv
    from ._boxcox import boxcox, boxcox1p, inv_boxcox
    from ._combinatorics import binom, comb, factorial, factorial2, perm
    from ._digamma import digamma, polygamma, psi
    from ._elementary import cbrt, expm1, exprel, sinc
    from ._elliptic import ellipe, ellipk, ellipkm1
    from ._entropy import entr, kl_div, rel_entr, xlog1py, xlogy
    from ._erf import dawsn, erf, erfc, erfcx, erfi
    from ._erfinv import erfinv
    from ._exponential_integrals import exp1, expi, expn
    from ._faddeeva import voigt_profile, wofz
    from ._gamma import gamma, gammaln, gammasgn, multigammaln, rgamma
    from ._gamma_distributions import chdtr, chdtrc, chdtri, gdtr, pdtr, pdtrc
    from ._gammainc import gammainc, gammaincc
    from ._gammaincinv import gammainccinv, gammaincinv
    from ._huber import huber, pseudo_huber
    from ._lambertw import lambertw
    from ._legendre import legendre_p, sph_harm_y
    from ._log import log1p
    from ._loggamma import loggamma
    from ._logistic import expit, log_expit, logit
    from ._logsumexp import log_softmax, logsumexp, softmax
    from ._normal import erfcinv, log_ndtr, ndtr, ndtri, ndtri_exp
    from ._roots import (
        roots_gegenbauer,
        roots_genlaguerre,
        roots_hermite,
        roots_hermitenorm,
        roots_jacobi,
        roots_laguerre,
        roots_legendre,
        roots_sh_jacobi,
        roots_sh_legendre,
    )
    from ._roots_chebyshev import (
        roots_chebyc,
        roots_chebys,
        roots_chebyt,
        roots_chebyu,
        roots_sh_chebyt,
        roots_sh_chebyu,
    )
    from ._spence import spence
    from ._student_fisher import fdtr, fdtrc, stdtr
    from ._zeta import zeta
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_bessel": "j0 j1 y0 y1",
            "_bessel_modified": "i0 i0e i1 i1e k0 k0e k1 k1e",
            "_bessel_orders": "jn kn yn",
            "_beta_distributions": "bdtr bdtrc nbdtr",
            "_beta_function": "beta betaln poch",
            "_beta_quantiles": "fdtri stdtrit",
            "_betainc": "betainc betaincc",
            "_betaincinv": "betainccinv betaincinv",
            "_boxcox": "boxcox boxcox1p inv_boxcox",
            "_combinatorics": "binom comb factorial factorial2 perm",
            "_digamma": "digamma polygamma psi",
            "_elementary": "cbrt expm1 exprel sinc",
            "_elliptic": "ellipe ellipk ellipkm1",
            "_entropy": "entr kl_div rel_entr xlog1py xlogy",
            "_erf": "dawsn erf erfc erfcx erfi",
            "_erfinv": "erfinv",
            "_exponential_integrals": "exp1 expi expn",
            "_faddeeva": "voigt_profile wofz",
            "_gamma": "gamma gammaln gammasgn multigammaln rgamma",
            "_gamma_distributions": "chdtr chdtrc chdtri gdtr pdtr pdtrc",
            "_gammainc": "gammainc gammaincc",
            "_gammaincinv": "gammainccinv gammaincinv",
            "_huber": "huber pseudo_huber",
            "_lambertw": "lambertw",
            "_legendre": "legendre_p sph_harm_y",
            "_log": "log1p",
            "_loggamma": "loggamma",
            "_logistic": "expit log_expit logit",
            "_logsumexp": "log_softmax logsumexp softmax",
            "_normal": "erfcinv log_ndtr ndtr ndtri ndtri_exp",
            "_roots": (
                "roots_gegenbauer roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi "
                "roots_laguerre roots_legendre roots_sh_jacobi roots_sh_legendre"
            ),
            "_roots_chebyshev": (
                "roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_sh_chebyt "
                "roots_sh_chebyu"
            ),
            "_spence": "spence",
            "_student_fisher": "fdtr fdtrc stdtr",
            "_zeta": "zeta",
        },
    )
