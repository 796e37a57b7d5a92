"""Rows and bodies of special functions against mpmath, at points drawn anew in each region.

The regions are those of ``ci/special/points``; a new point lies between two of a region's own, or next
to one. A row may be as far off as its page says, 32 units in the last place over 1 + the condition
number; a body, too.
"""

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import likewise.special
from likewise.transforms import jvp

sys.path[:0] = [str(Path(__file__).parents[2] / "ci" / "special")]
from references import Spec, geometric, linear, specs, value  # noqa: E402

pytestmark = [pytest.mark.full, pytest.mark.needs("scipy")]

N = 300  # points of a region; 1,500 by Arb took a minute, by mpmath half an hour
LIMIT = 32.0
NAMES = """beta betaln binom dawsn erfcx erfi gammaln k0e poch pseudo_huber spence voigt_profile
    zeta""".split()
PLANE = Spec(
    mp.loggamma,
    {
        "plane": (linear(-20, 30, 24), linear(-30, 30, 24, 1)),
        "between zeros": (linear(0.8, 2.3, 24), linear(-0.3, 0.3, 24, 3)),
        "wide": (geometric(1e-3, 1e4, 20), geometric(1e-3, 1e4, 20, 4)),
        "left": (linear(-60, 0, 20), geometric(1e-4, 5, 20, 4)),
    },
    digits=(60, 90),
    complex=True,
)


def drawn(points: Any, rng: Any) -> Any:
    """Points between two of a region's, by their logarithms or not, or next to one."""
    own = np.stack(np.broadcast_arrays(*map(np.atleast_1d, points)), axis=1)
    i, j = rng.integers(len(own), size=(2, N))
    a, b, t = own[i], own[j], rng.random((N, 1))
    with np.errstate(all="ignore"):
        logs = np.sign(a) * np.abs(a) ** t * np.abs(b) ** (1 - t)
    x = np.where((np.sign(a) == np.sign(b)) & (rng.random((N, 1)) < 0.6), logs, t * a + (1 - t) * b)
    x = np.where(rng.random((N, 1)) < 0.15, a * (1 + 1e-3 * rng.normal(size=(N, 1))), x)
    whole = np.all(own == np.round(own), axis=0)
    return np.where(whole, np.round(x), x)


def at(name: str, spec: Spec, region: str) -> tuple[list[Any], Any, Any]:
    """The arguments that have a value in range; the value, and what double precision leaves of it."""
    rng = np.random.default_rng([2026, *name.encode(), *region.encode()])
    x, values = drawn(spec.regions[region], rng), []
    for point in x:
        try:
            values.append(value(spec, tuple(map(float, point))))
        except (ValueError, ZeroDivisionError):
            values.append(None)  # at a pole, or mpmath isn't sure
    kept = [
        i for i, v in enumerate(values) if v is not None and (v == 0 or 1e-307 < abs(v) < 1e308)
    ]
    assert len(kept) > N / 4, region
    kind = complex if spec.complex else float
    high = np.asarray([kind(values[i]) for i in kept])
    with mp.workdps(60):
        rest = np.asarray([kind(values[i] - h) for i, h in zip(kept, high.tolist(), strict=True)])
    columns = list(np.ascontiguousarray(x[kept].T))
    if spec.complex:
        columns = [columns[0] + 1j * columns[1], *columns[2:]]
    return columns, high, rest


def condition(func: Any, args: list[Any], high: Any) -> Any:
    total = np.zeros(len(high))
    for i in range(len(args)):
        along = tuple(b if k == i else np.zeros_like(b) for k, b in enumerate(args))
        share = np.abs(jvp(func, tuple(args), along)[1] / high)
        total += np.where(np.isnan(share), 0, share)
    return total


def errors(name: str, spec: Spec) -> Iterator[str]:
    func = getattr(likewise.special, name)
    body = func.generic
    for region in spec.regions:
        args, high, rest = at(name, spec, region)
        if name == "zeta":  # of two arguments, right of 1
            args, high, rest = (
                [a[args[0] > 1] for a in args],
                *(v[args[0] > 1] for v in (high, rest)),
            )
        with np.errstate(all="ignore"):
            unit = np.spacing(np.abs(high)) * (1 + condition(func, args, high))
            for which, f in (("row", func), ("body", body)):
                off = np.abs((f(*args) - high) - rest) / unit
                off = np.where(np.isnan(off), np.inf, off)
                worst = int(np.argmax(off))
                if off[worst] > LIMIT:
                    where = [a[worst] for a in args]
                    yield f"{which} {region}: {off[worst]:.3g} units at {where}"


@pytest.mark.parametrize("name", [*NAMES, "loggamma"])
def test_regions(name: str) -> None:
    spec = PLANE if name == "loggamma" else specs([name])[name]
    assert not list(errors(name, dataclasses.replace(spec, digits=(40, 60))))
