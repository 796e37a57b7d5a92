"""Interpolation with SciPy's names and meaning, many data sets at once, on every library."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "Akima1DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "PPoly",
    "PchipInterpolator",
    "pchip_interpolate",
]

if TYPE_CHECKING:
    from ._piecewise._cubic import (
        Akima1DInterpolator,
        CubicHermiteSpline,
        PchipInterpolator,
        pchip_interpolate,
    )
    from ._piecewise._ppoly import PPoly
    from ._piecewise._spline import CubicSpline
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_piecewise._cubic": (
                "Akima1DInterpolator CubicHermiteSpline PchipInterpolator pchip_interpolate"
            ),
            "_piecewise._ppoly": "PPoly",
            "_piecewise._spline": "CubicSpline",
        },
    )
