"""Write the coefficients of rational functions that the special functions use.

    python ci/special/coefficients.py          all families
    python ci/special/coefficients.py error    one of them
    python ci/special/coefficients.py --check  look whether those written are as good as said

What is fitted, and where, is in ``ci/special/fits/FAMILY.py``; the coefficients go to
``src/likewise/special/_FAMILY_coefficients.py``. A fit is a least-squares one of the relative
error, linear in the coefficients because the denominator of the round before divides (C. K.
Sanathanan, J. Koerner, IEEE Trans. Autom. Control 8, 1963, 56); the weights are multiplied by the
errors until these are even (C. L. Lawson, thesis, UCLA, 1961). In 60 digits.
"""

import argparse
import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath as mp

ROOT = Path(__file__).parents[2]
DIGITS = 60


@dataclass(frozen=True)
class Fit:
    """A rational function of degrees `above` and `below` for `f` on an interval.

    Attributes
    ----------
    f : callable
        Of mpmath's numbers.
    low, high : float
        The interval.
    above, below : int
        The degrees.
    error : float
        The relative error that it has at most.
    """

    f: Callable[[Any], Any]
    low: float
    high: float
    above: int
    below: int
    error: float


def fitted(fit: Fit, rounds: int = 12) -> tuple[list[Any], list[Any], Any]:
    """Coefficients above and below, the constants first, and the largest relative error."""
    m, n = fit.above, fit.below
    count = 5 * (m + n + 2)
    low, high = mp.mpf(fit.low), mp.mpf(fit.high)
    half, middle = (high - low) / 2, (high + low) / 2
    nodes = [middle - half * mp.cos(mp.pi * (k + mp.mpf(1) / 2) / count) for k in range(count)]
    values = [fit.f(x) for x in nodes]
    weights = [mp.mpf(1)] * count
    below = [mp.mpf(1)] * count
    best: Any = None
    for _ in range(rounds):
        p, q = _solved(nodes, values, weights, below, m, n, high)
        below = [_at(q, x) for x in nodes]
        off = [abs(_at(p, x) / b / y - 1) for x, y, b in zip(nodes, values, below, strict=True)]
        if best is None or max(off) < best[2]:
            best = p, q, max(off)
        mean = sum(off) / count
        weights = [
            w * (o / mean + mp.mpf("0.01")) ** 0.5 for w, o in zip(weights, off, strict=True)
        ]
    return best


def _solved(nodes: Any, values: Any, weights: Any, below: Any, m: int, n: int, scale: Any) -> Any:
    """Normal equations in 60 digits, of which as many as needed are lost."""
    a = mp.matrix(len(nodes), m + 1 + n)
    b = mp.matrix(len(nodes), 1)
    for i, (x, y, w, d) in enumerate(zip(nodes, values, weights, below, strict=True)):
        factor, t = w / (y * d), x / scale
        power = mp.mpf(1)
        for k in range(max(m, n) + 1):
            if k <= m:
                a[i, k] = factor * power
            if 1 <= k <= n:
                a[i, m + k] = -factor * power * y
            power *= t
        b[i] = factor * y
    found = mp.lu_solve(a.T * a, a.T * b)
    p = [found[k] / scale**k for k in range(m + 1)]
    return p, [mp.mpf(1)] + [found[m + k] / scale**k for k in range(1, n + 1)]


def _at(coefficients: Any, x: Any) -> Any:
    return mp.polyval(list(reversed(coefficients)), x)


def families(names: list[str]) -> dict[str, dict[str, Fit]]:
    found = {}
    for path in sorted((ROOT / "ci" / "special" / "fits").glob("*.py")):
        if not names or path.stem in names:
            spec = importlib.util.spec_from_file_location(f"special_fits_{path.stem}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            if not hasattr(module, "TITLE"):  # of ci/special/fit.py
                found[path.stem] = {n: Fit(*row) for n, row in module.FITS.items()}
    return found


def target(family: str) -> Path:
    return ROOT / "src" / "likewise" / "special" / f"_{family}_coefficients.py"


def write(family: str, fits: dict[str, Fit]) -> None:
    lines = [
        f'"""Made by ``ci/special/coefficients.py {family}``: numerators and denominators, the',
        "constants first, with the relative error and the interval.",
        '"""',
        "",
        f"__all__ = {sorted(fits)!r}".replace("'", '"'),
        "",
    ]
    for name, fit in fits.items():
        p, q, off = fitted(fit)
        print(f"{family} {name}: {mp.nstr(off, 3)}")
        if off > fit.error:
            raise SystemExit(f"{name}: the error is {mp.nstr(off, 3)}, not {fit.error}")
        single = fit.error > 1e-12
        lines.append(f"# {mp.nstr(off, 2)} on [{fit.low:.6g}, {fit.high:.6g}]")
        lines.append(f"{name} = (")
        for part in (p, q):
            lines += ["    (", *(f"        {_shown(c, single)}," for c in part), "    ),"]
        lines.append(")")
    target(family).write_text("\n".join(lines) + "\n")


def _shown(c: Any, single: bool) -> str:
    return repr(float(mp.nstr(c, 11))) if single else repr(float(c))


def check(family: str, fits: dict[str, Fit]) -> list[str]:
    """Names of fits that are worse than said."""
    spec = importlib.util.spec_from_file_location(family, target(family))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    wrong = []
    for name, fit in fits.items():
        p, q = ([mp.mpf(c) for c in part] for part in getattr(module, name))
        points = [fit.low + (fit.high - fit.low) * (k + 0.5) / 40 for k in range(40)]
        off = max(abs(_at(p, x) / _at(q, x) / fit.f(x) - 1) for x in map(mp.mpf, points))
        if off > fit.error + 2 * math.ulp(1):
            wrong.append(f"{family} {name}: {mp.nstr(off, 3)}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", help="all by default")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    wrong = []
    with mp.workdps(DIGITS):
        for family, fits in families(options.families).items():
            if options.check:
                wrong += check(family, fits)
            else:
                write(family, fits)
    print(*wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
