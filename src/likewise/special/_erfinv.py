"""The inverse error function, and the error function itself for bounds."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A
from ._function import elementwise
from ._log import natural_log
from ._polynomial import ratio, rational

__all__ = ["erfinv", "error_function", "inverse_error_function", "scaled_complement"]

_HALF_ROOT_PI = math.sqrt(math.pi) / 2
# erfinv(x) / x as a function of w = -log(1 - x^2), on [0, 6], [6, 16] and [16, 36.9]: its value at
# the left end, and a rational function for what is added to it, times the distance from there.
# By least squares of the relative error, weighted until even, in 60 digits; errors of the latter
# below 5e-8 and 3e-16. All coefficients are positive, so that nothing cancels.
_SINGLE = (
    (
        0.88622692545,
        (0.23201365533, 0.033375108567, 0.0050286616704, 0.00036902522841),
        (1.0, 0.09406976597, 0.027061210041, 0.0017335412182, 4.362498661e-5),
    ),
    (
        2.2864244149,
        (0.19972932551, 0.041085319263, 0.0040840413903, 6.7157822332e-5),
        (1.0, 0.23898438283, 0.027120457055, 0.00086289412554, 2.7445591435e-6),
    ),
)
_DOUBLE = (
    (
        0.88622692545275801365,
        (
            0.2320136665346544965,
            0.03363511981343854892,
            0.01143524605339701919,
            0.001251095313160578552,
            0.0001705900576195561241,
            0.00001232618016732333001,
            7.389336718818755579e-7,
            2.216471829976423304e-8,
            1.663972933876565478e-10,
        ),
        (
            1.0,
            0.09519171049292180323,
            0.05461292974919133006,
            0.004183708382462061937,
            0.0009282855757751253088,
            0.00005133441213490814811,
            4.844853086179145483e-6,
            1.435179226649871385e-7,
            3.147726920898029055e-9,
        ),
    ),
    (
        2.2864244149050355179,
        (
            0.1997293251941161818,
            0.05576621141205747723,
            0.008618316854573424432,
            0.0007840346640989721823,
            0.00004765642989567902685,
            1.751832939666782605e-6,
            3.055348637513134345e-8,
            7.189387139965336708e-11,
        ),
        (
            1.0,
            0.3124881540878502021,
            0.05226935158752051305,
            0.005194123877609543203,
            0.0003486673908721227152,
            0.00001466060269392932671,
            3.46194178891494616e-7,
            2.353912148407988489e-9,
        ),
    ),
    (
        3.8397837974115536535,
        (
            0.1261866566556779823,
            0.03551642458451513145,
            0.004305687463629017274,
            0.0002764821215753947534,
            9.124024634327340886e-6,
            1.347935369347473034e-7,
            6.654764207599472835e-10,
            4.560909946682037458e-13,
        ),
        (
            1.0,
            0.2969284310578917156,
            0.03824480492696060641,
            0.002660753927878891231,
            0.00009999766948787088227,
            1.853668079158780694e-6,
            1.39613965557512149e-8,
            2.6966946724304132e-11,
        ),
    ),
)
# erf(x) / x in x^2 up to 1, and erfc(x) exp(x^2) in x from there to 6.5; found in the same way.
_CENTRE = (
    (
        1.128379167095512573,
        0.04507747749817098554,
        0.03766145250559680288,
        -0.001460181676783134097,
        0.0002073799190921092181,
        -0.00001017247650705730368,
        2.627729381521387529e-7,
    ),
    (
        1.0,
        0.3732822076237030142,
        0.05780399580336586579,
        0.004455249330071964419,
        0.0001465111797984988745,
    ),
)
_FLANK = (
    (
        0.999999991921933056,
        1.852304824304578032,
        1.691084176214751082,
        0.9560331343332733032,
        0.3581036685213202592,
        0.08892050748844802824,
        0.01368758421996918727,
        0.001037442556441468988,
    ),
    (
        1.0,
        2.980683902468359162,
        4.054426265920461704,
        3.302530544084215541,
        1.772415752259819227,
        0.6468520267523532709,
        0.1585269319989580099,
        0.02426061048088305195,
        0.00183881906804604,
    ),
)


@elementwise(
    derivatives=(lambda x, y: _HALF_ROOT_PI * array_namespace(x).exp(x * x),),
    numpy="scipy.special:erfinv",
    torch="torch.special:erfinv",
)
def erfinv(y: A) -> A:
    """Return the inverse of the error function.

    Parameters
    ----------
    y : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `y` and its floating dtype; -inf and inf at -1 and 1, NaN outside.

    Raises
    ------
    ArrayTypeError, DtypeError
        If `y` is not an array of real numbers.

    Notes
    -----
    ``y`` times a function of ``-log(1 - y^2)``, as M. Giles proposed (GPU Computing Gems, Jade
    edition, 2011, chapter 10), with rational functions in place of his polynomials and a logarithm
    from basic arithmetic. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import erfinv
    >>> erfinv(np.asarray([0.0, 0.5, 1.0])).round(6)
    array([0.      , 0.476936,      inf])
    """
    xp = array_namespace(y)
    x = xp.where(xp.abs(y) < 1, y, xp.zeros_like(y))
    found = inverse_error_function(xp, x)
    found = xp.where(xp.abs(y) == 1, xp.copysign(xp.full_like(found, xp.inf), y), found)
    return xp.where((xp.abs(y) > 1) | xp.isnan(y), xp.nan, found)


def inverse_error_function(xp: Any, x: Any) -> Any:
    """erfinv for x in (-1, 1)."""
    single = x.dtype == xp.float32
    w = -natural_log(xp, (1 - x) * (1 + x), 16 if single else 32)
    ways = _SINGLE if single else _DOUBLE
    factor = _step(ways[0], w)
    for start, way in zip((6.0, 16.0), ways[1:], strict=False):
        factor = xp.where(w > start, _step(way, xp.maximum(w - start, xp.zeros_like(w))), factor)
    return x * factor


def error_function(xp: Any, x: Any) -> Any:
    """erf, for the bounds of a truncated distribution."""
    size = xp.abs(x)
    near = xp.where(size < 1, size, 1.0)
    far = xp.clip(size, 1.0, 6.5)
    centre = near * rational(_CENTRE, near * near)
    flank = 1 - xp.exp(-far * far) * scaled_complement(far)
    found = xp.where(size < 1, centre, flank)
    return xp.where(xp.isnan(x), x, xp.where(x < 0, -found, found))


def scaled_complement(x: Any) -> Any:
    """erfc(x) exp(x^2) for x from 1 to 6.5."""
    return rational(_FLANK, x)


def _step(way: Any, t: Any) -> Any:
    return way[0] + t * ratio(way[1], way[2], t)
