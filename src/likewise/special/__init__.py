"""Special functions, with SciPy's names and meaning, on every library."""

from ._beta_function import beta, betaln, poch
from ._boxcox import boxcox, boxcox1p, inv_boxcox
from ._combinatorics import binom, comb, factorial, factorial2, perm
from ._digamma import digamma, polygamma
from ._elementary import cbrt, expm1, exprel, sinc
from ._entropy import entr, kl_div, rel_entr, xlog1py
from ._erf import dawsn, erf, erfc, erfcx, erfi
from ._erfinv import erfinv
from ._faddeeva import voigt_profile, wofz
from ._gamma import gamma, gammaln, gammasgn, multigammaln, rgamma
from ._huber import huber, pseudo_huber
from ._log import log1p
from ._loggamma import loggamma
from ._logistic import expit, log_expit, logit
from ._logsumexp import log_softmax, logsumexp, softmax
from ._normal import erfcinv, log_ndtr, ndtr, ndtri, ndtri_exp
from ._zeta import zeta

__all__ = [
    "beta",
    "betaln",
    "binom",
    "boxcox",
    "boxcox1p",
    "cbrt",
    "comb",
    "dawsn",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "expit",
    "expm1",
    "exprel",
    "factorial",
    "factorial2",
    "gamma",
    "gammaln",
    "gammasgn",
    "huber",
    "inv_boxcox",
    "kl_div",
    "log1p",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "loggamma",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "ndtri_exp",
    "perm",
    "poch",
    "polygamma",
    "pseudo_huber",
    "rel_entr",
    "rgamma",
    "sinc",
    "softmax",
    "voigt_profile",
    "wofz",
    "xlog1py",
    "zeta",
]
