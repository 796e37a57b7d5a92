"""Rows with a box: where the box lets a routine's result through, it is as good as the body's.

The body is what the tables by mpmath are for (`test_accuracy.py`); here a routine is compared to it at
points drawn anew, at edges among them, in units of the last place over 1 + the condition number.
"""

import itertools
from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise._native import ROWS
from likewise._rooms import furnish

LIMIT = 32.0
# Incomplete gamma and beta functions and what is made of them, their inverses; docs/special.md says so.
KIN = 64.0
INVERSES = 80.0
OTHERS = {
    *(
        "beta",
        "betaln",
        "binom",
        "comb",
        "perm",
        "dawsn",
        "erfi",
        "expi",
        "expn",
        "exprel",
        "kl_div",
        "loggamma",
    ),
    *("lambertw", "ndtri_exp", "poch", "polygamma", "voigt_profile", "wofz", "zeta"),
    "riemann_zeta",
}
INVERTED = {
    "chdtri",
    "fdtri",
    "stdtrit",
    "betaincinv",
    "betainccinv",
    "gammaincinv",
    "gammainccinv",
}
ARGUMENTS = {
    **dict.fromkeys(["betainc", "betaincc", "betaincinv", "betainccinv"], "xxp"),
    **dict.fromkeys(["fdtri"], "xxp"),
    **dict.fromkeys(["fdtr", "fdtrc", "gdtr", "voigt_profile"], "xxx"),
    **dict.fromkeys(["gammaincinv", "gammainccinv", "chdtri", "stdtrit"], "xp"),
    **dict.fromkeys(["pdtr", "pdtrc", "polygamma", "expn"], "wx"),
    **dict.fromkeys(["bdtr", "bdtrc", "nbdtr"], "wwp"),
    **dict.fromkeys(["dawsn", "erfi", "expi", "exprel", "ndtri_exp", "riemann_zeta"], "x"),
    **dict.fromkeys(["wofz", "loggamma"], "z"),
    "lambertw": "zk",
}
EDGES = {
    "x": [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 20.0, -3.0, -0.5, 1e-300, 1e300, 1e5, np.inf, np.nan],
    "p": [0.0, 1.0, 0.5, 1e-300, 1 - 2.0**-53, -0.5, 1.5, np.nan],
    "w": [0.0, 1.0, 5.0, 100.0, -1.0, 0.5, 1e10, np.inf, np.nan],
    "z": [0.0, 1.0, 1j, -1.0, 3.0 - 1j, 1e-300, 1e300j, np.inf, complex(0, np.nan)],
    "k": [0.0, 1.0, -1.0, 0.5, 1e5],
}
# A call with ordinary numbers, all of which should be inside of the box.
USUAL = {
    **dict.fromkeys(["betainc", "betaincc", "betaincinv", "betainccinv"], (2.5, 1.5, 0.3)),
    **dict.fromkeys(["fdtr", "fdtrc"], (3.0, 20.0, 1.5)),
    "fdtri": (3.0, 20.0, 0.95),
    "gdtr": (0.5, 2.0, 3.0),
    "voigt_profile": (1.0, 2.0, 0.5),
    **dict.fromkeys(["gammaincinv", "gammainccinv"], (1.5, 0.25)),
    "chdtri": (5.0, 0.05),
    "stdtrit": (7.0, 0.975),
    **dict.fromkeys(["dawsn", "erfi", "expi", "exprel"], (1.5,)),
    "ndtri_exp": (-1.5,),
    "kl_div": (1.0, 2.0),
    "wofz": (1 + 0.5j,),
    "loggamma": (0.3 + 2j,),
    "lambertw": (1 + 0j, 0.0),
    "riemann_zeta": (2.5,),
    **dict.fromkeys(["bdtr", "bdtrc", "nbdtr"], (3.0, 10.0, 0.25)),
}
furnish(likewise.special)
BOXED = {
    r.generic.__name__.lstrip("_"): r
    for r in ROWS
    if r.box is not None and r.generic.__module__.startswith("likewise.special.")
}
BOXES = {name: row.box for name, row in BOXED.items()}

pytestmark = pytest.mark.needs("scipy")


def function(name: str) -> Any:
    return getattr(likewise.special, name.removeprefix("riemann_"))


def drawn(kind: str, rng: Any, n: int) -> Any:
    """Numbers of a kind: real, probabilities, whole, complex, branches."""
    u = rng.random(n)
    if kind == "p":
        low, high = 10 ** rng.uniform(-20, 0, n), 1 - 10 ** rng.uniform(-15, 0, n)
        return np.where(u < 0.5, rng.random(n), np.where(u < 0.75, low, high))
    if kind == "w":
        return np.floor(np.where(u < 0.7, rng.uniform(0, 30, n), 10 ** rng.uniform(0, 5, n)))
    if kind == "k":
        return np.floor(rng.uniform(-4, 5, n))
    if kind == "z":
        size = 10 ** rng.uniform(-3, 2, (2, n))
        return size[0] * rng.normal(size=n) + 1j * size[1] * rng.normal(size=n)
    ordinary, whole = rng.uniform(-5, 30, n), np.floor(rng.uniform(0, 60, n))
    wide = np.where(u < 0.6, 10 ** rng.uniform(-3, 3, n), 10 ** rng.uniform(-6, 6, n))
    return np.where(u < 0.3, ordinary, np.where(u < 0.45, whole, wide))


def points(name: str, n: int, seed: int) -> tuple[Any, ...]:
    kinds = ARGUMENTS.get(name, "xx")
    rng = np.random.default_rng(seed)
    args = [drawn(kind, rng, n) for kind in kinds]
    if kinds.startswith(("xx", "wx")):  # where distributions aren't 0 or 1
        mean = np.abs(args[0]) + 1
        close = np.abs(mean + np.sqrt(mean) * rng.normal(size=n) * 2)
        args[1] = np.where(rng.random(n) < 0.3, close, args[1])
    edges = list(itertools.product(*(EDGES[kind] for kind in kinds)))
    if len(edges) > n:
        edges = [edges[i] for i in rng.choice(len(edges), n, replace=False)]
    columns = [np.asarray(column) for column in zip(*edges, strict=True)]
    return tuple(np.concatenate([a, e]) for a, e in zip(args, columns, strict=True))


def apart(name: str, args: Any) -> tuple[Any, Any, Any]:
    """Units between the routine with its box and the body, and both."""
    func = function(name)
    kinds = ARGUMENTS.get(name, "xx")
    found, body = func(*args), func.generic(*args)
    with np.errstate(all="ignore"):
        condition = np.zeros(found.shape)
        for i, a in enumerate(args):
            if kinds[i] in "wk" or (name == "expn" and i == 0):
                continue
            up, down = (func.generic(*args[:i], a * (1 + h), *args[i + 1 :]) for h in (1e-6, -1e-6))
            up = np.where(np.isnan(up), body, up)  # beyond the end of the range
            share = np.abs((up - down) / 2e-6 / body)
            condition = condition + np.where(np.isfinite(share), share, 0)
        unit = np.spacing(np.abs(body)) * (1 + condition)
        units = np.abs(found - body) / unit
    same = (found == body) | (np.isnan(found) & np.isnan(body))
    tiny = (np.abs(body) < 1e-290) & (np.abs(found) < 1e-290)  # subnormal numbers have few digits
    units = np.where(same | tiny, 0.0, np.where(np.isnan(units), np.inf, units))
    return units, found, body


def held(name: str, n: int, seed: int) -> None:
    args = points(name, n, seed)
    units, found, body = apart(name, args)
    limit = LIMIT if name in OTHERS else INVERSES if name in INVERTED else KIN
    worst = int(np.argmax(units))
    assert units[worst] <= limit, ([a[worst] for a in args], found[worst], body[worst])


@pytest.mark.parametrize("name", sorted(BOXES))
def test_a_routine_is_as_good_as_the_body_in_its_box(name: str) -> None:
    held(name, 400, 0)


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(BOXES))
def test_a_routine_is_as_good_as_the_body_in_its_box_at_many_points(name: str) -> None:
    for seed in range(1, 6):
        held(name, 10_000, seed)


@pytest.mark.parametrize("name", sorted(BOXES))
def test_ordinary_numbers_are_in_the_box(name: str) -> None:
    """The body takes a thousand times as long."""
    numbers = USUAL.get(name, (4.0, 3.0))
    args = tuple(np.asarray([x, x]) for x in numbers)
    found = function(name)(*args)
    assert np.all(BOXES[name](found, *args))
    assert BOXES[name](found.tolist()[0], *(a.tolist()[0] for a in args))


@pytest.mark.parametrize("name", sorted(n for n, row in BOXED.items() if row.usual))
def test_usual_numbers_are_in_the_box(name: str) -> None:
    """Nothing else is asked about them."""
    row, rng, n = BOXED[name], np.random.default_rng(3), 4000
    args = []
    for low, high in row.usual:
        small = max(low, 1e-300) if low >= 0 else 1e-300
        wide = np.exp(rng.uniform(np.log(small), np.log(high), n)).clip(low, high)
        plain = np.asarray(low + (high - low) * rng.random(n))
        some = np.where(rng.random(n) < 0.5, wide, np.where(np.isfinite(plain), plain, high))
        some = np.where((rng.random(n) < 0.5) & (-some >= low) & (-some <= high), -some, some)
        ends = rng.choice([low, high], n)
        args.append(np.where(rng.random(n) < 0.1, ends, some))
    given = [a.astype(complex) if name in ("wofz", "lambertw") else a for a in args]
    if name == "lambertw":
        given.append(np.zeros(n) + 0j)
    with np.errstate(all="ignore"):
        found = function(name)(*args)
        inside = row.box(found, *given)
    assert np.all(inside), [a[~inside][0] for a in args]


@pytest.mark.parametrize("name", sorted(n for n, row in BOXED.items() if row.usual))
def test_a_call_of_a_kind_seen_before(name: str) -> None:
    """Few numbers inside of the spans, beside others, a NaN, in two dimensions, broadcast."""
    spans, func = BOXED[name].usual, function(name)
    args = [
        np.asarray([low, 0.25 * low + 0.75 * high, 0.9 * low + 0.1 * high]) for low, high in spans
    ]
    func(*args), func(*args)  # remembered
    shifted = [
        np.asarray(x) for x in ([np.nan, args[0][1], args[0][0]], [-3.5, np.inf, args[0][2]])
    ]
    tried = [args, [a[None, :] for a in args], [args[0][1:2], *args[1:]], [args[0][1], *args[1:]]]
    tried += [[first, *args[1:]] for first in shifted]
    tried.append([np.concat([a, a[::-1]] * 4)[::2] for a in args])
    for given in tried:
        found, body = func(*given), func.generic(*given)
        assert found.shape == body.shape and found.dtype == body.dtype
        np.testing.assert_allclose(found, body, rtol=1e-12, atol=1e-15)


W = -1.5339133197935745, -4.375185153061898  # lambertw(1, -1)


def test_more_arguments_than_spans_of_usual_numbers() -> None:
    x, branch = np.asarray([0.5, 1.0]), np.asarray([0.0, -1.0])
    for _ in range(3):
        found = likewise.special.lambertw(x, branch)
        np.testing.assert_allclose(found, [0.3517337112491958, complex(*W)], rtol=1e-13)


def test_numbers_far_out_behind_a_nan() -> None:
    dawsn = lambda x: (1 + 1 / (2 * x**2) + 3 / (4 * x**4) + 15 / (8 * x**6)) / (2 * x)  # noqa: E731
    for x in (300.0, 700.0):
        found = likewise.special.wofz(np.asarray([np.nan, x]))
        np.testing.assert_allclose(found[1].imag, dawsn(x) * 2 / np.sqrt(np.pi), rtol=1e-13)
        assert np.isnan(found[0])


@pytest.mark.parametrize("name", sorted(BOXES))
@pytest.mark.parametrize("size", [9, 200])
def test_elements_outside_are_the_body_s(name: str, size: int) -> None:
    args = tuple(a[-size:] for a in points(name, 400, 2))  # edges
    func = function(name)
    found = func(*args)
    with np.errstate(all="ignore"):
        outside = ~np.broadcast_to(BOXES[name](found, *args), found.shape) & ~np.isnan(found)
    # Not to the last bit: of few elements the body takes all methods, of many those of each region.
    np.testing.assert_allclose(found[outside], func.generic(*args)[outside], rtol=1e-13)


@pytest.mark.parametrize("name", sorted(BOXES))
def test_shapes_and_precision(name: str, lib: Any) -> None:
    numbers = USUAL.get(name, (4.0, 3.0))
    func = function(name)
    args = [np.asarray(x) for x in numbers]
    expected = func.generic(*args)
    single = [a.astype({"c": "complex64", "f": "float32"}[a.dtype.kind]) for a in args]
    for shape in ((), (0,), (3, 2), (30,)):
        first = lib.asarray(np.broadcast_to(single[0], shape).copy())
        out = func(first, *map(lib.asarray, single[1:]))
        assert tuple(out.shape) == shape and str(out.dtype).endswith(single[0].dtype.name)
        np.testing.assert_allclose(lib.to_numpy(out), np.broadcast_to(expected, shape), rtol=3e-5)
