"""The coefficients of Savitzky-Golay filters."""

from typing import Any, Literal

from ... import _plan
from ..._native import public
from ...errors import ArgumentError
from .._base._places import follows_like, host, integer, number, target

__all__ = ["savgol_coeffs"]

Use = Literal["conv", "dot"]


@public
@follows_like
def savgol_coeffs(
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    pos: float | None = None,
    use: Use | str = "conv",
    *,
    xp: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return the filter that fits a polynomial to each window and returns its value or derivative.

    Parameters
    ----------
    window_length : int
        The length. The middle of an even length lies between two points.
    polyorder : int
        The degree of the polynomial, less than the length.
    deriv : int, optional
        The order of the derivative; 0 is the value.
    delta : float, optional
        The spacing of the points, for derivatives.
    pos : float, optional
        The position in the window, from 0 to ``window_length - 1``. Default: the middle.
    use : {'conv', 'dot'}, optional
        Whether the coefficients are for a convolution, or for a product with the window.
    xp : namespace, optional
        The library of the result. Default: the one that `likewise.use` sets.
    device : device, optional
        The device of the result.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (window_length,)
        The coefficients, in the default real floating dtype; zeros if `deriv` exceeds `polyorder`.

    Raises
    ------
    ArgumentError
        If the degree is not less than the length, `pos` lies outside the window, an integer
        argument isn't an integer, or `use` is unknown.

    Notes
    -----
    Uses Gram polynomials, which are orthogonal on the points (P. A. Gorry, Anal. Chem. 62, 570,
    1990), on the host: O(window_length polyorder) operations. It is accurate to the last digits
    also for high degrees, for which SciPy's fit of powers loses digits. Takes numbers; not
    differentiable.

    Examples
    --------
    >>> from likewise.signal import savgol_coeffs
    >>> savgol_coeffs(5, 2).round(6)
    array([-0.085714,  0.342857,  0.485714,  0.342857, -0.085714])
    """
    function = "savgol_coeffs"
    n, degree = (
        integer(function, "window_length", window_length, 1),
        integer(function, "polyorder", polyorder),
    )
    deriv, delta = integer(function, "deriv", deriv), number(function, "delta", delta)
    _plan.choice(function, "use", use, ("conv", "dot"))
    if degree >= n:
        raise ArgumentError(
            f"{function}: polyorder must be less than window_length, got {degree} and {n}"
        )
    if delta == 0:
        raise ArgumentError(f"{function}: delta must not be zero")
    at = (n - 1) / 2 if pos is None else number(function, "pos", pos)
    if not 0 <= at < n:
        raise ArgumentError(f"{function}: pos must lie from 0 to {n - 1}, got {pos!r}")
    c = _weights(n, degree, deriv, at - (n - 1) / 2)
    c = c / delta**deriv
    return target(function, xp, device).give(host().flip(c) if use == "conv" else c)


def _weights(n: int, degree: int, deriv: int, at: float) -> Any:
    """Return the weight of each point, by three-term recurrences of values and derivatives."""
    xp = host()
    scale = max((n - 1) / 2, 1.0)
    t, at = (xp.arange(n, dtype=xp.float64) - (n - 1) / 2) / scale, at / scale
    before, now = xp.zeros(n), xp.ones(n)
    d_before, d_now = [0.0] * (deriv + 1), [1.0] + [0.0] * deriv
    size, total = float(n), xp.zeros(n)
    ratio = 0.0
    for k in range(degree + 1):
        total = total + now * (d_now[deriv] / size)
        if k == degree:
            break
        before, now = now, t * now - ratio * before
        d_next = [
            at * d_now[s] + (s * d_now[s - 1] if s else 0.0) - ratio * d_before[s]
            for s in range(deriv + 1)
        ]
        d_before, d_now = d_now, d_next
        ratio, size = float(xp.sum(now * now)) / size, float(xp.sum(now * now))
    return total / scale**deriv
