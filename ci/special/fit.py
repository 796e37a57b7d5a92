"""Compute coefficients of the special functions with mpmath, and write them where they are used.

    python ci/special/fit.py                    all tables
    python ci/special/fit.py bessel_modified    ``src/likewise/special/_bessel_modified_fits.py``

``ci/special/fits/FAMILY.py`` has the fits, zeros in two parts, and series. A fit is linear least
squares over Chebyshev points, of the error over a weight, by default the function; weights are
adapted by Lawson's rule until the errors are nearly level, and a denominator is that of the step
before (Sanathanan and Koerner 1963). The worst error, of coefficients rounded to double precision,
is measured between the points and stands beside them.
"""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath as mp

ROOT = Path(__file__).parents[2]
DIGITS = 50


@dataclass(frozen=True)
class Fit:
    """A function of t, approximated by a polynomial or by a quotient of two.

    Attributes
    ----------
    value : callable
        Of a number of mpmath's.
    interval : (float, float)
        Of t.
    degree : int or (int, int)
        Of the polynomial, or above and below, where the constant below is 1.
    about : str
        What the function is, for the comment.
    weight : callable, optional
        What the error is relative to; by default the function.
    second : callable, optional
        Then the function is a(t) + second(t) b(t), of two polynomials of these degrees.
    """

    value: Callable[[Any], Any]
    interval: tuple[float, float]
    degree: int | tuple[int, int]
    about: str
    weight: Callable[[Any], Any] | None = None
    second: Callable[[Any], Any] | None = None


def chebyshev(interval: tuple[float, float], n: int) -> list[Any]:
    low, high = map(mp.mpf, interval)
    unit = [mp.cos((2 * i + 1) * mp.pi / (2 * n)) for i in range(n)]
    return [(low + high) / 2 + (high - low) / 2 * u for u in unit]


def power(t: Any, n: int) -> list[Any]:
    return [t**k for k in range(n + 1)]


def fitted(fit: Fit, rounds: int = 5) -> tuple[list[Any], list[Any], float]:
    """Coefficients above and below (or of a and b), and the worst relative error."""
    m, n = fit.degree if isinstance(fit.degree, tuple) else (fit.degree, 0)
    points = chebyshev(fit.interval, 4 * (m + n + 2))
    values = [fit.value(t) for t in points]
    size = values if fit.weight is None else [fit.weight(t) for t in points]
    below = [mp.mpf(1)] * len(points)
    share = [mp.mpf(1)] * len(points)
    best: Any = None
    for _ in range(rounds):
        solved = _solve(
            fit, m, n, points, values, [s * abs(b) for s, b in zip(size, below, strict=True)], share
        )
        if best is None or solved[2] < best[2]:
            best = solved
        off = solved[3]
        mean = mp.fsum(a * e for a, e in zip(share, off, strict=True)) / mp.fsum(share)
        share = [a * (e / mean + mp.mpf("0.01")) for a, e in zip(share, off, strict=True)]
        if fit.second is None:
            below = [mp.polyval(solved[1][::-1], t) for t in points]
    return (*best[:2], worst(fit, *best[:2]))


def _solve(fit, m, n, points, values, scale, share):
    """One weighted least squares problem, by QR."""
    rows, right = [], []
    for t, f, s, w in zip(points, values, scale, share, strict=True):
        c = mp.sqrt(w) / s
        if fit.second is not None:
            other = [fit.second(t) * p for p in power(t, n)]
        else:
            other = [-f * p for p in power(t, n)[1:]]
        rows.append([c * a for a in (*power(t, m), *other)])
        right.append(c * f)
    found, _ = mp.qr_solve(mp.matrix(rows), mp.matrix(right))
    above, below = list(found[: m + 1]), list(found[m + 1 :])
    if fit.second is None:
        below = [mp.mpf(1), *below]
    errors = [
        abs(_of(fit, above, below, t) - f) * abs(_below(fit, below, t)) / s
        for t, f, s in zip(points, values, scale, strict=True)
    ]
    return above, below, max(errors), errors


def _below(fit: Fit, below: Sequence[Any], t: Any) -> Any:
    return mp.mpf(1) if fit.second is not None else mp.polyval(below[::-1], t)


def _of(fit: Fit, above: Sequence[Any], below: Sequence[Any], t: Any) -> Any:
    a, b = mp.polyval(list(above)[::-1], t), mp.polyval(list(below)[::-1], t)
    return a / b if fit.second is None else a + fit.second(t) * b


def worst(fit: Fit, above: Sequence[Any], below: Sequence[Any]) -> float:
    above, below = ([mp.mpf(float(c)) for c in cs] for cs in (above, below))
    out = mp.mpf(0)
    for t in chebyshev(fit.interval, 101):
        f = fit.value(t)
        out = max(out, abs((_of(fit, above, below, t) - f) / (fit.weight or fit.value)(t)))
    return float(out)


def lines(name: str, fit: Fit) -> list[str]:
    with mp.workdps(DIGITS):
        above, below, error = fitted(fit)
    m, n = fit.degree if isinstance(fit.degree, tuple) else (fit.degree, 0)
    degree = f"{m}/{n}" if n else str(m)
    low, high = fit.interval
    print(name, degree, f"{error:.1e}", flush=True)
    out = [f"# {fit.about}", f"# t from {low:g} to {high:g}, degree {degree}, error {error:.1e}"]
    if n:
        return [*out, f"{name} = (", *_tuple(above, 4), *_tuple(below, 4), ")"]
    return [*out, f"{name} = (", *_numbers(above, 4), ")"]


def _tuple(cs: Sequence[Any], indent: int) -> list[str]:
    return [" " * indent + "(", *_numbers(cs, indent + 4), " " * indent + "),"]


def _numbers(cs: Sequence[Any], indent: int) -> list[str]:
    texts = [f"{float(c)!r}," for c in cs]
    return [" " * indent + " ".join(texts[i : i + 3]) for i in range(0, len(texts), 3)]


HEADER = '''"""{title}.

Written by ci/special/fit.py; errors are relative, and t is said with each.
"""

# fmt: off
'''


def write(family: str, module: Any) -> None:
    path = ROOT / "src" / "likewise" / "special" / f"_{family}_fits.py"
    body = [line for name, fit in getattr(module, "FITS", {}).items() for line in lines(name, fit)]
    body += [line for name, z in getattr(module, "ZEROS", {}).items() for line in zero(name, z)]
    for name, (about, coefficients) in getattr(module, "SERIES", {}).items():
        body += series(name, about, coefficients)
    path.write_text(HEADER.format(title=module.TITLE) + "\n".join(body) + "\n")


def series(name: str, about: str, coefficients: Callable[[], Any]) -> list[str]:
    """Coefficients that need no fit; of a quotient above and below."""
    with mp.workdps(DIGITS):
        found = coefficients()
        if isinstance(found, tuple):
            return [f"# {about}", f"{name} = (", *_tuple(found[0], 4), *_tuple(found[1], 4), ")"]
        return [f"# {about}", f"{name} = (", *_numbers(found, 4), ")"]


def zero(name: str, value: Callable[[], Any]) -> list[str]:
    """A number in two parts: the first is exact in float32, so its difference with x is exact."""
    with mp.workdps(DIGITS):
        z = value()
        head = mp.mpf(mp.nint(z * 2**20)) / 2**20
        return [f"{name} = ({float(head)!r}, {float(z - head)!r})"]


def main() -> int:
    folder = ROOT / "ci" / "special" / "fits"
    for family in sys.argv[1:] or sorted(p.stem for p in folder.glob("*.py")):
        sys.path[:0] = [str(ROOT / "ci")] if str(ROOT / "ci") not in sys.path else []
        spec = importlib.util.spec_from_file_location(family, folder / f"{family}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        write(family, module)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
