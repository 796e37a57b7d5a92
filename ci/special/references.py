"""Write what the special functions are tested against: their values by mpmath.

    python ci/special/references.py                  all functions
    python ci/special/references.py erf dawsn        these
    python ci/special/references.py --new            those that have no file
    python ci/special/references.py --check 5        compute five points of each function again

The points of each family are in ``ci/special/points/FAMILY.py``. A value is computed with 60 and
with 120 digits, which must agree to 1e-20: with one precision alone mpmath is wrong by 1e6 units
in the last place for zeta(21.77, 97.35). A line of ``tests/special/references/NAME.csv`` is a
point: its region, the arguments, the value as a sum of two doubles, and the partial derivatives.
"""

import argparse
import csv
import functools
import importlib.util
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "special" / "references"
AGREE = 1e-20
Points = Sequence[Any]


@dataclass(frozen=True)
class Spec:
    """How one function is referred to.

    Attributes
    ----------
    value : callable
        The function on mpmath's numbers, at the working precision.
    regions : dict
        Name of a region, and its points: for each argument an array of doubles, as long as the
        others or of one element.
    partials : sequence of callable, optional
        The partial derivatives; by default mpmath differentiates. None for an argument without.
    digits : pair of int, optional
        The two precisions.
    complex : bool, optional
        Whether it is a function of a complex number, and maybe of whole numbers; the points then
        begin with its two parts.
    """

    value: Callable[..., Any]
    regions: dict[str, tuple[Points, ...]]
    partials: Sequence[Callable[..., Any] | None] | None = None
    digits: tuple[int, int] = (60, 120)
    complex: bool = False


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(20261122 + seed)


def linear(low: float, high: float, n: int = 12, seed: int = 0) -> Any:
    """Ends, and points evenly spread at random; every second one is exact in float32."""
    return exact(np.concatenate([[low, high], rng(seed).uniform(low, high, n - 2)]))


def geometric(low: float, high: float, n: int = 12, seed: int = 0) -> Any:
    """Return points as `linear` does, of logarithms; both ends have one sign, which they get."""
    logs = rng(seed).uniform(*sorted(np.log([abs(low), abs(high)])), n - 2)
    return exact(np.concatenate([[low, high], np.copysign(np.exp(logs), low)]))


def near(centre: float, least: float = 1e-15, n: int = 12, seed: int = 0) -> Any:
    """Points on both sides of a number, ever closer to it."""
    far = np.geomspace(0.05, least, n) * rng(seed).choice([-1.0, 1.0], n)
    return exact(centre + far * max(abs(centre), 1.0))


def exact(x: Any) -> Any:
    """Round every second number to float32, where it has one."""
    x = np.array(x, dtype=np.float64)
    with np.errstate(over="ignore", under="ignore"):
        single = x.astype(np.float32).astype(np.float64)
    normal = np.isfinite(single) & (np.abs(single) > np.finfo(np.float32).smallest_normal)
    x[1::2] = np.where(normal, single, x)[1::2]
    return x


def specs(names: Sequence[str] = ()) -> dict[str, Spec]:
    """All functions that have points, or those named."""
    found: dict[str, Spec] = {}
    for path in sorted((ROOT / "ci" / "special" / "points").glob("*.py")):
        found |= _module(path).SPECS
    if unknown := set(names) - set(found):
        raise SystemExit(f"no points are given for {', '.join(sorted(unknown))}")
    return {n: s for n, s in found.items() if not names or n in names}


def _module(path: Path) -> Any:
    sys.path[:0] = [str(ROOT / "ci")] if str(ROOT / "ci") not in sys.path else []
    spec = importlib.util.spec_from_file_location(f"special_points_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def value(spec: Spec, args: Sequence[float]) -> Any:
    """The value at a point, by two precisions; None where it overflows or isn't there."""
    found = []
    for digits in spec.digits:
        with mp.workdps(digits):
            found.append(+spec.value(*_numbers(spec, args)))
    a, b = found
    if not mp.isfinite(b):
        return None
    if spec.complex:
        for part, other in ((a.real, b.real), (a.imag, b.imag)):
            if abs(part - other) > AGREE * abs(b):
                raise ValueError(f"{args}: {digits} digits give {mp.nstr(b, 25)}")
        return b
    if a != b and abs(a - b) > AGREE * abs(b):
        raise ValueError(f"{args}: {digits} digits give {mp.nstr(b, 25)}, fewer {mp.nstr(a, 25)}")
    return b


def _numbers(spec: Spec, args: Sequence[float]) -> list[Any]:
    numbers = [mp.mpf(a) for a in args]
    return [mp.mpc(*numbers[:2]), *numbers[2:]] if spec.complex else numbers


def partials(spec: Spec, args: Sequence[float]) -> list[float]:
    out: list[float] = []
    if spec.complex:
        with mp.workdps(spec.digits[1]):
            rule = spec.partials[0] if spec.partials else functools.partial(mp.diff, spec.value)
            assert rule is not None
            d = mp.mpc(rule(*_numbers(spec, args)))
            return [float(d.real), float(d.imag), *(float("nan") for _ in args[2:])]
    # Of a tiny argument the step is tinier, and must be seen beside the value.
    tiny = [int(abs(np.log10(abs(a)))) for a in args if a]
    with mp.workdps(spec.digits[1] + 2 * max(tiny, default=0)):
        at = [mp.mpf(a) for a in args]
        for i in range(len(at)):
            if spec.partials is None:
                order = tuple(int(k == i) for k in range(len(at)))
                scale = mp.mpf(10) ** -20 * (abs(at[i]) or 1)
                d = mp.diff(spec.value, tuple(at), order, h=scale, relative=False)
            else:
                rule = spec.partials[i]
                d = mp.nan if rule is None else rule(*at)
            out.append(float(d))
    return out


def parts(y: Any) -> tuple[float, float]:
    """A number as a sum of two doubles."""
    with mp.workdps(60):
        high = float(y)
        return high, float(y - mp.mpf(high))


def lines(spec: Spec, pick: Callable[[list[Any]], list[Any]] = list) -> Iterator[list[str]]:
    points = [
        (region, tuple(map(float, at)))
        for region, args in spec.regions.items()
        for at in dict.fromkeys(zip(*np.broadcast_arrays(*map(np.atleast_1d, args)), strict=True))
    ]
    for region, at in pick(points):
        y = value(spec, at)
        if y is None or (y != 0 and not 1e-307 < abs(y) < 1.7e308):
            continue
        both = [*parts(y.real), *parts(y.imag)] if spec.complex else parts(y)
        numbers = [*at, *both, *partials(spec, at)]
        yield [region, *(n.hex() for n in numbers)]


def names_of(spec: Spec) -> list[str]:
    count = len(next(iter(spec.regions.values())))
    xs = [f"x{i}" for i in range(count)]
    imag = ["imag", "imag_rest"] if spec.complex else []
    return ["region", *xs, "value", "rest", *imag, *(f"d{x}" for x in xs)]


def write(name: str, spec: Spec) -> None:
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names_of(spec))
        writer.writerows(lines(spec))


def stale(name: str, spec: Spec, count: int) -> bool:
    """Compute some points again; tell if the file has others."""
    with (FOLDER / f"{name}.csv").open() as file:
        written = {tuple(row) for row in csv.reader(file)}
    pick = functools.partial(_some, count=count)
    return not {tuple(row) for row in lines(spec, pick)} <= written


def _some(points: list[Any], count: int) -> list[Any]:
    return random.sample(points, min(count, len(points)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="functions; all by default")
    parser.add_argument("--check", type=int, help="compute so many points of each again")
    parser.add_argument("--new", action="store_true", help="those that have no file")
    options = parser.parse_args()
    wrong = []
    for name, spec in specs(options.names).items():
        if options.new and (FOLDER / f"{name}.csv").exists():
            continue
        if options.check is None:
            write(name, spec)
            print(name, (FOLDER / f"{name}.csv").stat().st_size, "bytes")
        elif stale(name, spec, options.check):
            wrong.append(name)
    if wrong:
        print("other values than in tests/special/references:", *wrong)
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
