"""Sections of second order from zeros and poles, in Python's numbers."""

from ...errors import ArgumentError

__all__ = ["conjugate_pairs", "sections"]

_CLOSE = 100 * 2.0**-52  # relative difference of what should be conjugate


def conjugate_pairs(function: str, name: str, values: list[complex]) -> list[complex]:
    """Return one of each conjugate pair, the one above the real axis, and then the real values."""
    found = sorted(values, key=lambda v: (v.real, abs(v.imag)))
    real = [complex(v.real) for v in found if abs(v.imag) <= _CLOSE * abs(v)]
    rest = [v for v in found if abs(v.imag) > _CLOSE * abs(v)]
    above = _by_height([v for v in rest if v.imag > 0])
    below = _by_height([v for v in rest if v.imag < 0])
    if len(above) != len(below) or any(
        abs(v - w.conjugate()) > _CLOSE * abs(w) for v, w in zip(above, below, strict=True)
    ):
        raise ArgumentError(
            f"{function}: {name} must be real or come in conjugate pairs, so that the filter is "
            f"real, got {rest[:4]}{' ...' if len(rest) > 4 else ''}"
        )
    return [(v + w.conjugate()) / 2 for v, w in zip(above, below, strict=True)] + real


def _by_height(values: list[complex]) -> list[complex]:
    """Return values sorted by real part; where these agree to rounding, by imaginary part."""
    out: list[complex] = []
    run: list[complex] = []
    for v in values:
        if run and v.real - run[-1].real > _CLOSE * abs(run[-1]):
            out += sorted(run, key=lambda w: abs(w.imag))
            run = []
        run.append(v)
    return out + sorted(run, key=lambda w: abs(w.imag))


def sections(
    function: str, z: list[complex], p: list[complex], k: float, pairing: str, analog: bool
) -> list[list[float]]:
    """Return rows of six coefficients; the poles nearest to instability are in the last row.

    Each section takes the worst remaining pair of poles, and the zeros nearest to it
    (L. B. Jackson, Digital Filters and Signal Processing, 3rd ed., section 11.5).
    """
    if not z and not p:
        return [[0.0, 0.0, k, 0.0, 0.0, 1.0] if analog else [k, 0.0, 0.0, 1.0, 0.0, 0.0]]
    minimal = pairing == "minimal"
    if minimal and len(p) < len(z):
        raise ArgumentError(
            f"{function}: with pairing 'minimal', at least as many poles as zeros were expected, "
            f"got {len(p)} poles and {len(z)} zeros"
        )
    if not minimal:
        n = max(len(z), len(p))
        n += n % 2 if pairing == "nearest" else 0
        z, p = z + [0j] * (n - len(z)), p + [0j] * (n - len(p))
    z, p = conjugate_pairs(function, "z", z), conjugate_pairs(function, "p", p)
    rows = []
    while p:
        p1 = p.pop(_worst(p, analog))
        odd = len(p) + 1 == len(z) and p1.imag and len(_reals(p)) == len(_reals(z)) == 1
        rows.append(_section(function, z, p, p1, minimal, bool(odd), analog))
    if z:
        raise ArgumentError(f"{function}: the zeros {z} find no poles of their section")
    rows[-1][:3] = [v * k for v in rows[-1][:3]]
    return rows[::-1]


def _section(
    function: str,
    z: list[complex],
    p: list[complex],
    p1: complex,
    minimal: bool,
    odd: bool,
    analog: bool,
) -> list[float]:
    """Return the section of a pole, and remove its poles and zeros from the lists."""
    if not p1.imag and not _reals(p):  # of first order
        zeros = [] if minimal and not z else [_taken(function, z, p1, "real")]
        return _row(zeros, [p1]) if minimal else _row([*zeros, 0j], [p1, 0j])
    if odd:  # the last real zero stays for the last real pole
        z1 = _taken(function, z, p1, "complex")
        return _row([z1, z1.conjugate()], [p1, p1.conjugate()])
    p2 = p1.conjugate()
    if not p1.imag:
        real = _reals(p)
        p2 = p.pop(real[_worst([p[i] for i in real], analog)])
    zeros = [_taken(function, z, p1, "any")] if z else []
    if zeros and zeros[0].imag:
        zeros.append(zeros[0].conjugate())
    elif zeros and z:
        zeros.append(_taken(function, z, p1, "real"))
    return _row(zeros, [p1, p2])


def _worst(p: list[complex], analog: bool) -> int:
    """Return the index of the pole nearest to instability."""
    return min(range(len(p)), key=lambda i: abs(p[i].real) if analog else abs(1 - abs(p[i])))


def _reals(values: list[complex]) -> list[int]:
    return [i for i, v in enumerate(values) if not v.imag]


def _taken(function: str, z: list[complex], p1: complex, kind: str) -> complex:
    """Take the zero nearest to a pole out of the list."""
    places = [i for i, v in enumerate(z) if kind == "any" or bool(v.imag) == (kind == "complex")]
    if not places:
        raise ArgumentError(f"{function}: no {kind} zero is left for the pole {p1}; {z} are")
    return z.pop(min(places, key=lambda i: abs(z[i] - p1)))


def _row(z: list[complex], p: list[complex]) -> list[float]:
    return _coefficients(z) + _coefficients(p)


def _coefficients(r: list[complex]) -> list[float]:
    """Return three real coefficients for at most two roots, real or conjugate."""
    if len(r) == 2:
        return [1.0, -(r[0] + r[1]).real, (r[0] * r[1]).real]
    return [0.0, 1.0, -r[0].real] if r else [0.0, 0.0, 1.0]
