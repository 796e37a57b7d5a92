"""Errors of distributions against Arb: random points of both tails, down to 1e-300.

An error is in units of the last place over 1 + the condition number: what rounding the argument and
the parameters alone would change counts as one unit.
"""

import warnings
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from likewise.transforms import grad

from .arb import COUNTS, LAWS, WHOLE, certain

__all__ = ["FUNCTIONS", "Point", "derivatives", "of_name", "points", "sampled", "table"]

FUNCTIONS = ("pdf", "cdf", "sf", "ppf", "isf")
STEP = 60  # bits by which a parameter is moved for a derivative
SMALLEST, LARGEST = 1e-300, 1e300
WORST = 1e13  # condition numbers beyond which no digit is left to be compared


class Value(NamedTuple):
    """A function's value, its derivatives in x and in the parameters, and the condition number."""

    value: Any
    slopes: tuple[Any, ...]
    condition: float


class Point(NamedTuple):
    """An argument at which functions are compared, and the probability of which it is ours."""

    upper: bool
    q: float
    x: float
    args: tuple[float, ...]
    values: dict[str, Value]


def of_name(name: str) -> Any:
    return LAWS[name] if name in LAWS else COUNTS[name]


def drawn(name: str, count: int, seed: int = 0) -> tuple[Any, Any, list[Any]]:
    """Draw points: whether in the upper tail, probabilities, and parameters."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    sets = []
    for _ in range(count):
        args: list[Any] = []
        for p in of_name(name).parameters:
            if callable(p):
                args.append(float(p(rng, *args)))
                continue
            kind, low, high = p
            if kind == "log":
                args.append(float(np.exp(rng.uniform(np.log(low), np.log(high)))))
            else:
                args.append(
                    float(rng.integers(low, high + 1) if kind == "int" else rng.uniform(low, high))
                )
        sets.append(args)
    q = 0.5 * 10 ** (-299 * rng.uniform(size=count) ** 3)
    columns = [np.asarray(c) for c in zip(*sets, strict=True)]
    return rng.uniform(size=count) < 0.5, q, columns


def values(name: str, x: float, args: tuple[float, ...]) -> dict[str, Value]:
    """The density and both tails by Arb, with derivatives."""
    law, discrete = of_name(name), name in COUNTS
    at = [arb(x), *map(arb, args)]
    fixed = {i for n, i in WHOLE if n == name} | ({0} if discrete else set())
    fixed |= {i for i, p in enumerate(law.parameters, 1) if not callable(p) and p[0] == "int"}
    lower, upper = (certain(lambda f=f: f(*at)) for f in (law.lower, law.upper))
    density = certain(lambda: law.pdf(*at))
    if lower is None or upper is None or density is None:
        return {}
    falls = lower > upper
    small = law.upper if falls else law.lower
    along = [arb(0) if i in fixed else slope(small, at, i) for i in range(1, len(at))]
    bent = [arb(0) if i in fixed else slope(law.pdf, at, i) for i in range(len(at))]
    if any(s is None for s in (*along, *bent)):
        return {}
    rising, falling = ([-s if falls != up else s for s in along] for up in (False, True))
    every = {
        "pdf": (density, bent),
        "cdf": (lower, [arb(0) if discrete else density, *rising]),
        "sf": (upper, [arb(0) if discrete else -density, *falling]),
    }
    return {what: Value(v, tuple(s), _condition(at, v, s)) for what, (v, s) in every.items()}


def _condition(at: list[Any], value: Any, slopes: list[Any]) -> float:
    if value.is_zero():
        return float("inf")
    return float(sum(abs(a * s / value) for a, s in zip(at, slopes, strict=True)))


def slope(function: Any, at: list[Any], i: int) -> Any:
    """A derivative by a central difference of many digits."""
    step = (abs(at[i]) if at[i] != 0 else arb(1)) * arb(2) ** -STEP

    def difference() -> Any:
        moved = [[a + s * step if k == i else a for k, a in enumerate(at)] for s in (1, -1)]
        return (function(*moved[0]) - function(*moved[1])) / (2 * step)

    return certain(difference, 50, first=4 * STEP)


def points(name: str, ours: Any, theirs: Any, count: int, seed: int = 0) -> Iterator[Point]:
    """Points at our quantiles, at SciPy's where ours isn't a number."""
    upper, q, args = drawn(name, count, seed)
    with quiet():
        x = np.where(upper, ours.isf(q, *args), ours.ppf(q, *args))
        if np.any(np.isnan(x)):
            x = np.where(
                ~np.isnan(x), x, np.where(upper, theirs.isf(q, *args), theirs.ppf(q, *args))
            )
    for i in range(count):
        shapes = tuple(float(a[i]) for a in args)
        ordinary = abs(x[i]) < LARGEST and (abs(x[i]) > SMALLEST or name in COUNTS)
        found = values(name, float(x[i]), shapes) if ordinary else {}
        yield Point(bool(upper[i]), float(q[i]), float(x[i]), shapes, found)


def quiet() -> Any:
    return _Quiet()


class _Quiet(warnings.catch_warnings):
    def __enter__(self) -> Any:
        found = super().__enter__()
        warnings.simplefilter("ignore")
        self._state = np.errstate(all="ignore")
        self._state.__enter__()
        return found

    def __exit__(self, *given: Any) -> None:
        self._state.__exit__(*given)
        super().__exit__(*given)


def ulp(x: float) -> float:
    return float(np.spacing(abs(x)))


def off(value: Value, got: float) -> float:
    """Units of a value's error; NaN where it isn't an ordinary number, or where the argument's
    rounding alone would change all digits."""
    if not SMALLEST < value.value < LARGEST or value.condition > WORST:
        return float("nan")
    if not np.isfinite(got):
        return float("inf")
    return abs(float(arb(got) - value.value)) / ulp(float(value.value)) / (1 + value.condition)


def quantile_off(name: str, point: Point, got: float, ends: tuple[float, float]) -> float:
    """Units of a quantile's error: one step of Newton's method on the logarithm of its tail; where
    that isn't straight, the least number of units around it that hold the probability."""
    law = of_name(name)
    tail = law.upper if point.upper else law.lower
    at = [arb(a) for a in point.args]
    if (np.isinf(got) and got == ends[point.upper]) or (got == 0 and got in ends):
        # Right where the quantile is no ordinary number, which isn't counted.
        least = SMALLEST if ends[0] == 0 else -SMALLEST
        last = least if got == 0 else np.copysign(np.finfo(float).max, got)
        value = certain(lambda: tail(arb(last), *at))
        if value is None:
            return float("nan")
        falls = got == ends[1] if point.upper else got == ends[0]
        right = value >= point.q if falls else value <= point.q
        return float("nan") if right else float("inf")
    if not np.isfinite(got):
        return float("inf")
    if not point.values:
        return float("nan")
    if name in COUNTS:
        return _count_off(tail, point, got, at, ends)
    condition = 0.0
    if point.values and got != 0:
        known, density = point.values["sf" if point.upper else "cdf"], point.values["pdf"].value
        rest = sum(abs(a * s) for a, s in zip(at, known.slopes[1:], strict=True))
        size = abs(arb(point.x)) * density
        if size > 0:
            condition = float((known.value + rest) / size)
            value = known.value if got == point.x else certain(lambda: tail(arb(got), *at))
            if value is not None and value > 0:
                distance = abs(float((value / arb(point.q)).log() * known.value / density))
                found = distance / ulp(got) / (1 + condition)
                if found < 2:
                    return found
    if condition > WORST:
        return float("nan")
    return _around(tail, point.upper, point.q, got, at, condition, ends)


def _count_off(tail: Any, point: Point, got: float, at: Any, ends: tuple[float, float]) -> float:
    """0 where a quantile is the right whole number; else how far its tail, or the one before, is
    on the wrong side of the probability, in units of that."""
    wrong = 0.0
    for k, here in ((got, True), (got - 1, False)):
        if k >= ends[0]:
            value = certain(lambda k=k: tail(arb(k), *at))
            if value is None:
                return float("nan")
            reached = value <= point.q if point.upper else value >= point.q
            if reached != here:
                wrong = max(wrong, abs(float((value - point.q) / point.q)) * 2.0**52)
    return wrong


def _around(
    tail: Any,
    falls: bool,
    q: float,
    got: float,
    at: list[Any],
    condition: float,
    ends: tuple[float, float],
) -> float:
    def above(x: float) -> bool | None:
        if not ends[0] < x < ends[1]:
            return None
        value = certain(lambda: tail(arb(x), *at))
        return None if value is None else bool(value > arb(q))

    for n in (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, *(10**k for k in range(2, 16))):
        reach = n * ulp(got) * (1 + condition)
        if not np.isfinite(reach):
            return float(n)
        lower, upper = above(got - reach), above(got + reach)
        if lower is None or upper is None:
            if lower is None and upper is None:
                return float(n)
            # Beyond an end the tail is 0 or 1.
            lower = falls if lower is None else lower
            upper = not falls if upper is None else upper
        if lower != upper:
            return float(n)
    return float("inf")


def table(name: str, objects: dict[str, Any], found: list[Point]) -> dict[str, dict[str, Any]]:
    """Errors of each library: by function an array of one for each point, NaN where there is none."""
    args = [np.asarray(c) for c in zip(*(p.args for p in found), strict=True)]
    x, q = np.asarray([p.x for p in found]), np.asarray([p.q for p in found])
    errors: dict[str, dict[str, Any]] = {}
    with quiet():
        low, high = np.broadcast_arrays(x, *next(iter(objects.values())).support(*args))[1:]
    for library, dist in objects.items():
        errors[library] = {}
        for what in FUNCTIONS:
            quantile = what in ("ppf", "isf")
            method = "pmf" if what == "pdf" and name in COUNTS else what
            got = called(getattr(dist, method), q if quantile else x, args)
            row = np.full(len(found), np.nan)
            for i, p in enumerate(found):
                if quantile and p.upper == (what == "isf"):
                    row[i] = quantile_off(name, p, float(got[i]), (low[i], high[i]))
                elif what in p.values:
                    row[i] = off(p.values[what], float(got[i]))
            errors[library][what] = row
    return errors


def called(function: Any, x: Any, args: list[Any]) -> Any:
    """Values of arrays; of each element by itself where a library raises for one of them."""
    with quiet():
        try:
            return np.asarray(function(x, *args))
        except OverflowError:
            found = []
            for at in zip(x, *args, strict=True):
                try:
                    found.append(float(function(*at)))
                except OverflowError:
                    found.append(np.inf)
            return np.asarray(found)


def derivatives(
    name: str, dist: Any, count: int = 60
) -> Iterator[tuple[str, int, float, float, float]]:
    """Functions with parameters: the derivative by `grad`, the value over the parameter, and the
    derivative by Arb."""
    law = of_name(name)
    count = max(10, round(count * law.share))
    found = [p for p in points(name, dist, dist, count, seed=1) if p.values]
    args = [np.asarray(c) for c in zip(*(p.args for p in found), strict=True)]
    x = np.asarray([p.x for p in found])
    whole = {i - 1 for n, i in WHOLE if n == name}
    whole |= {i for i, p in enumerate(law.parameters) if not callable(p) and p[0] == "int"}
    for what in ("pdf", "cdf", "sf"):
        method = getattr(dist, "pmf" if what == "pdf" and name in COUNTS else what)
        for i in set(range(len(args))) - whole:

            def total(a: Any, method: Any = method, i: int = i) -> Any:
                y = method(x, *args[:i], a, *args[i + 1 :])
                return y.__array_namespace__().sum(y)

            with quiet():
                got = np.asarray(grad(total)(args[i]))
            for g, p in zip(got, found, strict=True):
                v = p.values[what]
                # Near an end of the support the condition of a derivative is beyond its value.
                steep = max(w.condition for w in p.values.values())
                if (
                    steep < 1e5
                    and 1e-120 < v.value < 1e120
                    and (name in COUNTS or 1e-120 < abs(p.x) < 1e120)
                ):
                    slope = float(v.slopes[i + 1])
                    yield what, i, float(g), float(v.value / arb(p.args[i])), slope


def sampled(name: str, dist: Any, count: int = 4) -> Iterator[list[str]]:
    """Lines of ``accuracy.csv``: values, and quantiles after a step of Newton's method."""
    kept = 0
    for p in points(name, dist, dist, 40 * count, seed=2):
        v = p.values
        if not v or any(not SMALLEST < w.value < LARGEST or w.condition > 1e4 for w in v.values()):
            continue
        shapes = " ".join(a.hex() for a in p.args)
        for what, w in v.items():
            method = "pmf" if what == "pdf" and name in COUNTS else what
            yield [name, method, p.x.hex(), float(w.value).hex(), w.condition.hex(), shapes]
        known, density = v["sf" if p.upper else "cdf"], v["pdf"].value
        rest = sum((abs(a * s) for a, s in zip(p.args, known.slopes[1:], strict=True)), arb(0))
        x, condition = arb(p.x), 0.0
        if name not in COUNTS:
            step = (known.value / arb(p.q)).log() * known.value / known.slopes[0]
            if abs(step) > 1e-6 * abs(x):  # ours is no start for a step
                continue
            x = x - step
            condition = float((known.value + rest) / abs(x * density))
        if condition < 1e4 and x != 0:
            what = "isf" if p.upper else "ppf"
            yield [name, what, p.q.hex(), float(x).hex(), condition.hex(), shapes]
        kept += 1
        if kept == count:
            return
