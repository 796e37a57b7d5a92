"""Interpolation with SciPy's names and meaning, many data sets at once, on every library."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily

__all__ = [
    "AAA",
    "Akima1DInterpolator",
    "BPoly",
    "BSpline",
    "BarycentricInterpolator",
    "BivariateSpline",
    "ChebyshevInterpolator",
    "CloughTocher2DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "FloaterHormannInterpolator",
    "FourierInterpolator",
    "InterpolatedUnivariateSpline",
    "KroghInterpolator",
    "LSQBivariateSpline",
    "LSQUnivariateSpline",
    "LinearNDInterpolator",
    "NdBSpline",
    "NdPPoly",
    "NearestNDInterpolator",
    "PPoly",
    "PchipInterpolator",
    "RBFInterpolator",
    "RectBivariateSpline",
    "RectSphereBivariateSpline",
    "RegularGridInterpolator",
    "SmoothBivariateSpline",
    "UnivariateSpline",
    "approximate_taylor_polynomial",
    "barycentric_interpolate",
    "bisplev",
    "bisplrep",
    "generate_knots",
    "griddata",
    "insert",
    "interp1d",
    "interpn",
    "krogh_interpolate",
    "lagrange",
    "make_interp_spline",
    "make_lsq_spline",
    "make_smoothing_spline",
    "make_splprep",
    "make_splrep",
    "pade",
    "pchip_interpolate",
    "spalde",
    "splantider",
    "splder",
    "splev",
    "splint",
    "splprep",
    "splrep",
    "sproot",
]

if TYPE_CHECKING:
    from ._bsplines._bspline import BSpline
    from ._bsplines._curves import make_splprep, make_splrep, splprep
    from ._bsplines._fitpack import (
        insert,
        spalde,
        splantider,
        splder,
        splev,
        splint,
        splrep,
        sproot,
    )
    from ._bsplines._generating import generate_knots
    from ._bsplines._interpolating import make_interp_spline
    from ._bsplines._least_squares import make_lsq_spline
    from ._bsplines._smoothing import make_smoothing_spline
    from ._bsplines._univariate import (
        InterpolatedUnivariateSpline,
        LSQUnivariateSpline,
        UnivariateSpline,
    )
    from ._grids._bivariate import BivariateSpline, bisplev
    from ._grids._interp1d import interp1d
    from ._grids._rectangles import RectBivariateSpline
    from ._grids._regular import RegularGridInterpolator, interpn
    from ._grids._sphere import RectSphereBivariateSpline
    from ._grids._surfaces import LSQBivariateSpline, SmoothBivariateSpline, bisplrep
    from ._grids._tensor import NdBSpline
    from ._piecewise._bpoly import BPoly
    from ._piecewise._cubic import (
        Akima1DInterpolator,
        CubicHermiteSpline,
        PchipInterpolator,
        pchip_interpolate,
    )
    from ._piecewise._ndppoly import NdPPoly
    from ._piecewise._ppoly import PPoly
    from ._piecewise._spline import CubicSpline
    from ._points._clough_tocher import CloughTocher2DInterpolator
    from ._points._griddata import griddata
    from ._points._linear import LinearNDInterpolator
    from ._points._nearest import NearestNDInterpolator
    from ._points._radial import RBFInterpolator
    from ._polynomials._coefficients import lagrange, pade
    from ._polynomials._rational import AAA, FloaterHormannInterpolator
    from ._polynomials._through import (
        BarycentricInterpolator,
        KroghInterpolator,
        approximate_taylor_polynomial,
        barycentric_interpolate,
        krogh_interpolate,
    )
    from ._series import ChebyshevInterpolator, FourierInterpolator
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_bsplines._bspline": "BSpline",
            "_bsplines._curves": "make_splprep make_splrep splprep",
            "_bsplines._fitpack": "insert spalde splantider splder splev splint splrep sproot",
            "_bsplines._generating": "generate_knots",
            "_bsplines._interpolating": "make_interp_spline",
            "_bsplines._least_squares": "make_lsq_spline",
            "_bsplines._smoothing": "make_smoothing_spline",
            "_bsplines._univariate": (
                "InterpolatedUnivariateSpline LSQUnivariateSpline UnivariateSpline"
            ),
            "_grids._bivariate": "BivariateSpline bisplev",
            "_grids._interp1d": "interp1d",
            "_grids._rectangles": "RectBivariateSpline",
            "_grids._regular": "RegularGridInterpolator interpn",
            "_grids._sphere": "RectSphereBivariateSpline",
            "_grids._surfaces": "LSQBivariateSpline SmoothBivariateSpline bisplrep",
            "_grids._tensor": "NdBSpline",
            "_piecewise._bpoly": "BPoly",
            "_piecewise._cubic": (
                "Akima1DInterpolator CubicHermiteSpline PchipInterpolator pchip_interpolate"
            ),
            "_piecewise._ndppoly": "NdPPoly",
            "_piecewise._ppoly": "PPoly",
            "_piecewise._spline": "CubicSpline",
            "_points._clough_tocher": "CloughTocher2DInterpolator",
            "_points._griddata": "griddata",
            "_points._linear": "LinearNDInterpolator",
            "_points._nearest": "NearestNDInterpolator",
            "_points._radial": "RBFInterpolator",
            "_polynomials._coefficients": "lagrange pade",
            "_polynomials._rational": "AAA FloaterHormannInterpolator",
            "_polynomials._through": (
                "BarycentricInterpolator KroghInterpolator approximate_taylor_polynomial "
                "barycentric_interpolate krogh_interpolate"
            ),
            "_series": "ChebyshevInterpolator FourierInterpolator",
        },
    )
