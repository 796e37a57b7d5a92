"""Windows with SciPy's names and meaning, as arrays of any library."""

from ._cosines import (
    blackman,
    blackmanharris,
    flattop,
    general_cosine,
    general_hamming,
    hamming,
    hann,
    nuttall,
)
from ._get_window import get_window
from ._optimal import chebwin, dpss, kaiser, kaiser_bessel_derived, taylor
from ._shapes import (
    barthann,
    bartlett,
    bohman,
    boxcar,
    cosine,
    exponential,
    gaussian,
    general_gaussian,
    lanczos,
    parzen,
    triang,
    tukey,
)

__all__ = [
    "barthann",
    "bartlett",
    "blackman",
    "blackmanharris",
    "bohman",
    "boxcar",
    "chebwin",
    "cosine",
    "dpss",
    "exponential",
    "flattop",
    "gaussian",
    "general_cosine",
    "general_gaussian",
    "general_hamming",
    "get_window",
    "hamming",
    "hann",
    "kaiser",
    "kaiser_bessel_derived",
    "lanczos",
    "nuttall",
    "parzen",
    "taylor",
    "triang",
    "tukey",
]
