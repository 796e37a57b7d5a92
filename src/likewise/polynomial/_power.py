"""Functions of series of powers."""

from ._family import POWER
from ._functions import functions

__all__ = [
    "polyadd",
    "polycompanion",
    "polyder",
    "polydiv",
    "polyfit",
    "polyfromroots",
    "polygrid2d",
    "polygrid3d",
    "polyint",
    "polyline",
    "polymul",
    "polymulx",
    "polypow",
    "polyroots",
    "polysub",
    "polytrim",
    "polyval",
    "polyval2d",
    "polyval3d",
    "polyvander",
    "polyvander2d",
    "polyvander3d",
]

(
    polyadd,
    polycompanion,
    polyder,
    polydiv,
    polyfit,
    polyfromroots,
    polygrid2d,
    polygrid3d,
    polyint,
    polyline,
    polymul,
    polymulx,
    polypow,
    polyroots,
    polysub,
    polytrim,
    polyval,
    polyval2d,
    polyval3d,
    polyvander,
    polyvander2d,
    polyvander3d,
) = functions(POWER, __name__)
