"""Windows with SciPy's names and meaning, as arrays of any library."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

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

if TYPE_CHECKING:
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
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_cosines": (
                "blackman blackmanharris flattop general_cosine general_hamming hamming hann "
                "nuttall"
            ),
            "_get_window": "get_window",
            "_optimal": "chebwin dpss kaiser kaiser_bessel_derived taylor",
            "_shapes": (
                "barthann bartlett bohman boxcar cosine exponential gaussian general_gaussian "
                "lanczos parzen triang tukey"
            ),
        },
    )
