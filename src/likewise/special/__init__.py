"""Special functions, with SciPy's names and meaning, on every library."""

from ._boxcox import boxcox, boxcox1p, inv_boxcox
from ._elementary import cbrt, expm1, exprel, sinc
from ._entropy import entr, kl_div, rel_entr, xlog1py
from ._erfinv import erfinv
from ._huber import huber, pseudo_huber
from ._log import log1p
from ._logistic import expit, log_expit, logit
from ._logsumexp import log_softmax, logsumexp, softmax

__all__ = [
    "boxcox",
    "boxcox1p",
    "cbrt",
    "entr",
    "erfinv",
    "expit",
    "expm1",
    "exprel",
    "huber",
    "inv_boxcox",
    "kl_div",
    "log1p",
    "log_expit",
    "log_softmax",
    "logit",
    "logsumexp",
    "pseudo_huber",
    "rel_entr",
    "sinc",
    "softmax",
    "xlog1py",
]
