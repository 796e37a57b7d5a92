"""FIR filters with the smallest maximum error."""

import itertools
import math
from typing import Any, Literal

from ... import _plan
from ..._native import native, public
from ...errors import ArgumentError, ShapeError
from .._base._places import follows_like, host, integer, rate, read, real_only

__all__ = ["remez"]

Type = Literal["bandpass", "differentiator", "hilbert"]
_TYPES = ("bandpass", "differentiator", "hilbert")


@public
@follows_like
def remez(
    numtaps: int,
    bands: Any,
    desired: Any,
    *,
    weight: Any = None,
    type: Type | str = "bandpass",
    maxiter: int = 25,
    grid_density: int = 16,
    fs: float | None = None,
    like: Any = None,
) -> Any:
    """Design the FIR filter of linear phase with the smallest maximum weighted error in bands.

    Parameters
    ----------
    numtaps : int
        The length.
    bands : array or sequence, shape (2 n,)
        Ascending edges of n bands, from 0 to half of `fs`.
    desired : array or sequence, shape (n,)
        The gain in each band; for a differentiator, its slope.
    weight : array or sequence, shape (n,), optional
        The weight of the error in each band. Default: one.
    type : {'bandpass', 'differentiator', 'hilbert'}, optional
        A symmetric filter with these gains; an antisymmetric filter whose gain grows with
        frequency, with relative errors; or an antisymmetric filter with these gains.
    maxiter : int, optional
        The maximum number of exchanges.
    grid_density : int, optional
        The number of grid frequencies per coefficient.
    fs : float, optional
        The sampling rate. Default: 1.
    like : array, optional
        An array that sets the library, device and precision of the result.

    Returns
    -------
    array, shape (numtaps,)
        The coefficients, with the library, device and precision of array arguments, else those that
        `likewise.use` sets.

    Raises
    ------
    ArgumentError
        If edges don't ascend from 0 to half of `fs`, the type is unknown, numbers are not positive,
        or the exchange doesn't converge: try wider transitions.
    ShapeError
        If numbers of edges, gains and weights don't fit.
    NotSupported
        If an argument is traced or records gradients.

    Notes
    -----
    Uses Remez's exchange of all extrema at once (T. W. Parks and J. H. McClellan, IEEE Trans.
    Circuit Theory 19, 189, 1972), on the grid of frequencies of J. H. McClellan, T. W. Parks and L.
    R. Rabiner, IEEE Trans. Audio Electroacoust. 21, 506 (1973), by barycentric interpolation. About
    ``grid_density * numtaps**2 / 4`` operations per exchange, on the host, by SciPy's routine if it
    is installed and converges. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import remez
    >>> remez(5, [0.0, 0.1, 0.3, 0.5], [1.0, 0.0]).round(4)
    array([0.0599, 0.2993, 0.3803, 0.2993, 0.0599])
    """
    taps, most = integer("remez", "numtaps", numtaps, 1), integer("remez", "maxiter", maxiter, 1)
    density = integer("remez", "grid_density", grid_density, 1)
    _plan.choice("remez", "type", type, _TYPES)
    fs = rate("remez", fs, 1.0)
    weighed = {} if weight is None else {"weight": weight}
    where, arrays = read("remez", bands=bands, desired=desired, **weighed)
    real_only("remez", **dict(zip(("bands", "desired", "weight"), arrays, strict=False)))
    edges, gains = ([float(v) for v in x.reshape(-1)] for x in arrays[:2])
    weights = [1.0] * len(gains) if weight is None else [float(v) for v in arrays[2].reshape(-1)]
    if len(edges) != 2 * len(gains) or len(weights) != len(gains) or not gains:
        raise ShapeError(
            "remez: bands must hold two edges for each of desired, and weight a number, got "
            f"{len(edges)}, {len(gains)} and {len(weights)} numbers"
        )
    if any(b < a for a, b in itertools.pairwise(edges)) or edges[0] < 0:
        raise ArgumentError(f"remez: bands must start at 0 or above and increase, got {edges}")
    if edges[-1] * 2 > fs:
        raise ArgumentError(f"remez: bands must lie below half of fs, {fs / 2!r}, got {edges}")
    bands, gains, weights = (host().asarray(v) for v in ([e / fs for e in edges], gains, weights))
    return where.give(_designed(bands, gains, weights, taps, str(type), most, density))


@native(numpy="likewise._libs.numpy._exchanges:remez")
def _designed(
    bands: Any, desired: Any, weight: Any, taps: int, kind: str, most: int, density: int
) -> Any:
    """Return the coefficients, from an approximation by cosines of the gain over a factor."""
    xp, odd = host(), taps % 2
    edges, gains, weights = ([float(v) for v in x] for x in (bands, desired, weight))
    symmetric = kind == "bandpass"
    count = taps // 2 + (odd if symmetric else 0)
    f, want, counts = _grid(edges, gains, weights, kind, 0.5 / (density * count) if count else 0.5)
    if count and symmetric != bool(odd) and f[-1] > 0.5 - 0.5 / (density * count):
        f, want, counts = f[:-1], want[:-1], counts[:-1]  # where the factor is zero
    if count == 0 or len(f) < count + 1:
        raise ArgumentError(f"remez: numtaps is too small or the bands too narrow, got {taps}")
    grid, target, scale = (xp.asarray(v) for v in (f, want, counts))
    factor = _factor(xp, grid, symmetric, odd)
    nodes, y = _exchanged(grid, target / factor, scale * factor, count + 1, most)
    # The frequency response at as many points as there are coefficients, and its transform.
    k = xp.arange(taps, dtype=xp.float64)
    points = xp.minimum(k, taps - k) / taps
    gain = _interpolated(xp, points, nodes, y) * _factor(xp, points, symmetric, odd)
    if symmetric != bool(odd):  # the factor changes its sign at the Nyquist frequency
        gain = xp.where(2 * k > taps, -gain, gain)
    turns = xp.remainder(k[:, None] * (2 * k[None, :] - (taps - 1)), 2.0 * taps)  # exact
    phase = math.pi * turns / taps
    basis = xp.cos(phase) if symmetric else -xp.sin(phase)
    h = xp.sum(gain[:, None] * basis, axis=0) / taps
    return (h + xp.flip(h)) / 2 if symmetric else (h - xp.flip(h)) / 2


def _grid(
    edges: list[float], gains: list[float], weights: list[float], kind: str, step: float
) -> tuple[list[float], list[float], list[float]]:
    """Return frequencies, the desired gains, and the weights of errors."""
    f: list[float] = []
    want: list[float] = []
    counts: list[float] = []
    for i, (gain, weight) in enumerate(zip(gains, weights, strict=True)):
        now, last = edges[2 * i], edges[2 * i + 1]
        if i == 0 and kind != "bandpass":
            now = max(now, step)
        points = [now]
        while (now := now + step) <= last:
            points.append(now)
        points[-1] = last
        slope = kind == "differentiator"
        f += points
        want += [gain * p if slope else gain for p in points]
        counts += [weight / p if slope and gain >= 0.0001 else weight for p in points]
    return f, want, counts


def _factor(xp: Any, f: Any, symmetric: bool, odd: int) -> Any:
    """Return the factor of a filter's response other than a sum of cosines."""
    if symmetric:
        return xp.ones_like(f) if odd else xp.cos(math.pi * f)
    return xp.sin(2 * math.pi * f) if odd else xp.sin(math.pi * f)


def _apart(xp: Any, f: Any, g: Any) -> Any:
    """Return the differences of cosines of two sets of frequencies, without cancellation."""
    f, g = f[:, None], g[None, :]
    return 2 * xp.sin(math.pi * (f + g)) * xp.sin(math.pi * (g - f))


def _weights_of(xp: Any, nodes: Any) -> Any:
    """Return barycentric weights, up to a common factor, by logarithms that don't overflow."""
    d = _apart(xp, nodes, nodes)
    d = xp.where(d == 0, xp.ones_like(d), d)
    logs = -xp.sum(xp.log(xp.abs(d)), axis=1)
    return xp.prod(xp.sign(d), axis=1) * xp.exp(logs - xp.max(logs))


def _interpolated(xp: Any, f: Any, nodes: Any, y: Any) -> Any:
    d = _apart(xp, f, nodes)
    hit = d == 0
    parts = _weights_of(xp, nodes)[None, :] / xp.where(hit, xp.ones_like(d), d)
    at_node = xp.sum(xp.where(hit, y[None, :], xp.zeros_like(d)), axis=1)
    found = xp.sum(parts * y[None, :], axis=1) / xp.sum(parts, axis=1)
    return xp.where(xp.any(hit, axis=1), at_node, found)


def _exchanged(f: Any, want: Any, scale: Any, n: int, most: int) -> tuple[Any, Any]:
    """Return n extremal frequencies and the best approximation's values there."""
    xp, total = host(), f.shape[0]
    chosen = [int(j * ((total - 1) / (n - 1))) for j in range(n - 1)] + [total - 1]
    level = -1.0
    signs = xp.asarray([(-1.0) ** j for j in range(n)])
    for _ in range(most):
        index = xp.asarray(chosen)
        nodes, at, counts = (xp.take(v, index) for v in (f, want, scale))
        weights = _weights_of(xp, nodes)
        deviation = float(xp.sum(weights * at) / xp.sum(weights * signs / counts))
        y = at - signs * deviation / counts
        if abs(deviation) <= level * (1 + 1e-12):
            break
        level = abs(deviation)
        error = (want - _interpolated(xp, f, nodes, y)) * scale
        values = [float(v) for v in error]
        for j, place in enumerate(chosen):  # there it is exact, and its sign counts
            values[place] = deviation if j % 2 == 0 else -deviation
        found = _extrema(values, n)
        if found == chosen or max(map(abs, values)) <= level * (1 + 1e-12):
            break
        if len(found) < n:
            raise ArgumentError(
                "remez: the exchange doesn't converge, as the error has too few extrema. Make the "
                "transitions between bands narrower, or the filter shorter."
            )
        chosen = found
    error = (want - _interpolated(xp, f, nodes, y)) * scale
    worst, size = float(xp.max(xp.abs(error))), float(xp.max(xp.abs(want * scale)))
    if not worst <= 1.05 * abs(deviation) + 1e-9 * size:
        raise ArgumentError(
            f"remez: the exchange doesn't converge: an error of {abs(deviation):.3g} is expected, "
            f"and one of {worst:.3g} found. Make the transitions between bands narrower, or the "
            "filter shorter."
        )
    return nodes, y


def _extrema(values: list[float], n: int) -> list[int]:
    """Return the indices of the n largest errors of alternating sign."""
    found: list[int] = []
    for i, v in enumerate(values):
        if found and (v >= 0) == (values[found[-1]] >= 0):
            if abs(v) > abs(values[found[-1]]):
                found[-1] = i
        else:
            found.append(i)
    while len(found) > n:
        if len(found) == n + 1:
            found.pop(0 if abs(values[found[0]]) < abs(values[found[-1]]) else -1)
            continue
        least = min(range(len(found)), key=lambda j: abs(values[found[j]]))
        if least in (0, len(found) - 1):
            found.pop(least)
            continue
        before, after = abs(values[found[least - 1]]), abs(values[found[least + 1]])
        first = least - 1 if before < after else least
        del found[first : first + 2]
    return found
