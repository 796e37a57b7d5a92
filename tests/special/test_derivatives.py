"""Derivatives against mpmath's, in every argument, by a random cotangent; and the second ones."""

import itertools
from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.transforms import grad, jvp, vjp, vmap

from .reference import names, read

# Of complex numbers, or with an order that is read: tests of their own files look at them.
NAMES = [name for name in names() if name not in ("expn", "lambertw", "log1p", "wofz")]


INF, NAN = np.inf, np.nan
# Edges, poles and zeros: arguments, and the partial derivatives there; NaN where there is none.
EDGES: dict[str, list[tuple[tuple[float, ...], tuple[float, ...]]]] = {
    "beta": [
        ((-1.0, 1.0), (-1.0, NAN)),  # beta(a, 1) = 1 / a; of other b it is infinite
        ((-3.0, 2.0), (5 / 36, NAN)),  # 1 / (a (a + 1))
        ((2.0, -3.0), (NAN, 5 / 36)),
        ((0.5, -0.5), (-2 * np.pi, -2 * np.pi)),  # gamma(a) gamma(b) times the slope of 1 / gamma
        ((-0.5, -0.5), (-4 * np.pi, -4 * np.pi)),
        ((0.5, INF), (0.0, 0.0)),
        ((INF, 2.0), (0.0, 0.0)),
        ((1.7e308, 1.7e308), (0.0, 0.0)),
    ],
    "betainc": [
        ((0.0, 1.0, 0.5), (-np.log(2), 0.0, 0.0)),  # x^a
        ((0.0, 2.0, 0.5), (0.5 - np.log(2), 0.0, 0.0)),  # x^a (1 + a (1 - x))
        ((1e-310, 1.0, 0.25), (-np.log(4), NAN, NAN)),
        ((1.0, 0.0, 0.5), (0.0, np.log(2), 0.0)),  # 1 - (1 - x)^b
    ],
    "betaincc": [
        ((0.0, 1.0, 0.5), (np.log(2), 0.0, 0.0)),
        ((1.0, 0.0, 0.5), (0.0, -np.log(2), 0.0)),
    ],
    "betainccinv": [((1.0, INF, 0.5), (0.0, 0.0, 0.0))],
    "betaincinv": [((1.0, INF, 0.5), (0.0, 0.0, 0.0)), ((INF, 1.0, 0.5), (0.0, 0.0, 0.0))],
    "betaln": [((-1.0, 1.0), (1.0, NAN)), ((-3.0, 2.0), (5 / 6, NAN))],
    "binom": [
        ((1.0, 1e5), (1e-5 / 99999, -1e-5 / 99999)),  # beta(n + 1, k - n), its sign by parity
        ((0.0, 1e3), (-1e-3, 1e-3)),
        ((2.0, -1000.0), (0.0, -2 / 1000 / 1001 / 1002)),
        ((171.5, -1.0), (0.0, 1 / 172.5)),
        ((INF, -0.5), (0.0, 0.0)),
    ],
    "ellipe": [((-INF,), (0.0,)), ((-1.7e308,), (-3.8348249442368524e-155,))],
    "ellipk": [((-INF,), (0.0,))],
    "ellipkm1": [((INF,), (0.0,))],
    "exp1": [((-0.0,), (-INF,))],
    "expi": [((INF,), (INF,))],
    "exprel": [((-INF,), (0.0,)), ((-1e8,), (1e-16,)), ((-1e20,), (1e-40,))],
    "fdtri": [
        ((1.0, 3.0, 0.0), (0.0, 0.0, 0.0)),
        ((2.0, 3.0, 0.0), (0.0, 0.0, 1.0)),
        ((5.0, 3.0, 0.0), (0.0, 0.0, INF)),
        ((1e-3, 3.0, 1e-5), (0.0, 0.0, 0.0)),  # underflows
    ],
    "gammainc": [
        ((0.0, 1.0), (-0.21938393439552026, 0.0)),
        ((1e-310, 3.0), (-0.013048381094197038, 0.0)),
    ],  # -E1(x)
    "gammaincc": [((0.0, 1.0), (0.21938393439552026, 0.0))],
    "digamma": [((INF,), (0.0,))],
    "i1": [((5e-324,), (0.5,))],
    "inv_boxcox": [
        ((1e300, 1.0), (1.0, 1e300 * (1 - 300 * np.log(10)))),
        ((-1.0, 1.0), (1.0, -1.0)),
        ((-2.0, 0.5), (0.0, 0.0)),
        ((-0.5, 2.0), (INF, -INF)),
        ((-INF, 0.0), (0.0, 0.0)),
        ((-INF, -2.0), (0.0, 0.0)),
        ((INF, 1.0), (1.0, NAN)),
        ((1e300, 1e10), (0.0, -7.12801429708001668e-18)),  # of a product out of range
    ],
    "j1": [((5e-324,), (0.5,))],
    "k0e": [((INF,), (0.0,))],
    "k1": [((-0.0,), (-INF,))],
    "k1e": [((INF,), (0.0,)), ((-0.0,), (-INF,))],
    "kl_div": [((0.0, 0.0), (NAN, 1.0))],
    "poch": [
        ((-1.0, -1.0), (-0.25, NAN)),  # 1 / (a - 1); of other m it is 0
        ((-1.0, 0.0), (0.0, NAN)),
        ((-1.0, INF), (NAN, 0.0)),
        ((0.0, 5e-324), (NAN, 0.0)),
        ((5e-324, 0.0), (0.0, NAN)),
        ((-1000.0, 0.5), (99.35830166894789, 0.0)),  # pi poch(1001 - 1/2, 1/2)
        ((INF, -0.5), (0.0, 0.0)),
    ],
    "pseudo_huber": [
        ((INF, 0.0), (0.0, 0.0)),
        ((2.0, INF), (INF, 2.0)),
        ((2.0, -INF), (INF, -2.0)),
        ((1e-300, 3.0), (3.0, 1e-300)),
        ((1.0, 1e200), (1e200, 1.0)),
    ],
    "rel_entr": [((0.0, 0.0), (NAN, 0.0))],
    "rgamma": [((INF,), (0.0,))],
    "voigt_profile": [
        ((2.0, 0.0, 1.0), (-4 / np.pi / 25, 0.0, 3 / np.pi / 25)),  # the Cauchy density
        ((2.0, 0.0, 0.0), (0.0, 0.0, 1 / (4 * np.pi))),
        ((3.0, 5e-324, 0.5), (-3 / np.pi / 9.25**2, 0.0, 8.75 / np.pi / 9.25**2)),
        ((INF, 1.0, 0.5), (0.0, 0.0, 0.0)),
        ((-15.0, 1.0, 0.0), (8.29606432476662424e-49, 1.23887893916514922e-47, NAN)),
    ],
    "zeta": [((2.0, INF), (0.0, 0.0))],
}


# Arguments in which there is a first derivative, but no second one.
ONCE = {
    "betainc": (0, 1),
    "betaincc": (0, 1),
    "betainccinv": (0, 1),
    "betaincinv": (0, 1),
    "fdtr": (0, 1),
    "fdtrc": (0, 1),
    "fdtri": (0, 1),
    "stdtr": (0,),
    "stdtrit": (0,),
}


def sums(func: Any, weights: Any) -> Any:
    def total(*args: Any) -> Any:
        y = func(*args)
        return likewise.array_namespace(y).sum(weights * y)

    return total


def differentiable(table: Any) -> tuple[int, ...]:
    """The arguments that have derivatives: not an order."""
    return tuple(i for i, d in enumerate(table.partials) if not np.all(np.isnan(d)))


def inside(name: str) -> list[float]:
    """The point of a table that is nearest to 1.3, apart from whole numbers and ties."""
    table = read(name)
    mine = [table.args[i] for i in differentiable(table)]
    good = [
        np.isfinite(table.value),
        *(np.isfinite(table.partials[i]) for i in differentiable(table)),
    ]
    good += [abs(a - np.round(a)) > 0.02 for a in mine]
    good += [abs(a - b) > 0.02 for a, b in itertools.combinations(mine, 2)]
    with np.errstate(divide="ignore"):
        far = sum(abs(np.log(abs(a) / 1.3)) for a in table.args)
    nearest = np.argmin(np.where(np.all(good, axis=0), far, np.inf))
    return [float(a[nearest]) for a in table.args]


def replaced(args: Any, mine: Any, some: Any) -> Any:
    out = list(args)
    for i, a in zip(mine, some, strict=True):
        out[i] = a
    return out


@pytest.mark.long("dask", "strict", "strict-device1", "strict-minimal")
@pytest.mark.parametrize("name", NAMES)
def test_first(lib: Any, name: str, rng: Any, leave_out: Any) -> None:
    leave_out("float64", not lib.has_float64)
    table = read(name)
    # Next to the ends of the range a product with the cotangent leaves it.
    size = np.nanmax(np.abs([table.value, *table.partials]), axis=0)
    table = table.of((size < 1e300) & np.isfinite(size))
    func = getattr(likewise.special, name)
    ends = EDGES.get(name, [])
    if name == "poch" and lib.library == "jax":  # which takes a subnormal number for 0, a jump here
        ends = [(at, slopes) for at, slopes in ends if 5e-324 not in at]
    cotangent = rng.normal(size=table.value.size + len(ends))
    args = [
        lib.asarray(np.concatenate([a, [at[i] for at, _ in ends]]))
        for i, a in enumerate(table.args)
    ]
    mine = differentiable(table)
    _, pull = vjp(lambda *some: func(*replaced(args, mine, some)), *(args[i] for i in mine))
    weights = lib.asarray(cotangent)
    for i, d in zip(mine, pull(weights), strict=True):
        along = jvp(lambda a, i=i: func(*replaced(args, (i,), (a,))), (args[i],), (weights,))[1]
        for got in map(lib.to_numpy, (d, along)):
            slope = np.concatenate([table.partials[i], [slopes[i] for _, slopes in ends]])
            asked = ~np.isnan(slope)
            expected = (cotangent * slope)[asked]
            np.testing.assert_allclose(got[asked], expected, rtol=1e-9, atol=1e-100)


@pytest.mark.long("dask")
@pytest.mark.parametrize("name", NAMES)
def test_second_and_the_other_mode(lib: Any, name: str, rng: Any, leave_out: Any) -> None:
    """Against differences of the first derivatives, which the test above looks at."""
    leave_out("float64", not lib.has_float64)
    whole = getattr(likewise.special, name)
    mine = tuple(i for i in differentiable(read(name)) if i not in ONCE.get(name, ()))
    given = [lib.asarray(np.asarray(a)) for a in inside(name)]

    def func(*some: Any) -> Any:
        return whole(*replaced(given, mine, some))

    point, direction = [inside(name)[i] for i in mine], rng.normal(size=len(mine))
    args = [lib.asarray(np.asarray(a)) for a in point]
    moved = [lib.asarray(np.asarray(d)) for d in direction]
    numbers = tuple(range(len(point)))
    firsts = grad(func, numbers)
    slopes, bends = jvp(firsts, tuple(args), tuple(moved))
    h = 1e-5
    ahead, behind = (
        firsts(
            *(lib.asarray(np.asarray(a + s * h * d)) for a, d in zip(point, direction, strict=True))
        )
        for s in (1, -1)
    )
    for bend, a, b in zip(bends, ahead, behind, strict=True):
        expected = (lib.to_numpy(a) - lib.to_numpy(b)) / (2 * h)
        np.testing.assert_allclose(lib.to_numpy(bend), expected, rtol=1e-5, atol=1e-8)
    _, along = jvp(func, tuple(args), tuple(moved))
    expected = sum(lib.to_numpy(s) * d for s, d in zip(slopes, direction, strict=True))
    np.testing.assert_allclose(lib.to_numpy(along), expected, rtol=1e-12)


# Next to zeros and where methods meet: arguments; the second derivatives, in the first argument, in
# both, in the second, as differences by mpmath of 80 digits.
SECOND: dict[str, list[tuple[tuple[float, float], tuple[float, float, float]]]] = {
    "binom": [
        ((3.0, 5.0), (-1 / 12, 0.10583333333333333, -0.12833333333333333)),
        ((2.5, -2.0), (0.0, 0.03224993701184178, -0.1508963572677186)),
        ((3.000000001, 5.0), (-0.08333333308333331, 0.10583333309245102, -0.12833333311681872)),
        ((2.0, 0.0), (0.0, 0.39493406684822646, 0.21013186630354713)),
        ((-2.25, 1.0), (0.0, -39.86787442214605, 13.653334564064936)),
    ],
    "poch": [
        ((-3.0, 5.0), (10.0, -2.536706010590803, 0.0)),
        ((-2.0, 2.5), (-20.463294220855303, -6.960461813826524, 0.0)),
        ((3.5, 0.0), (0.0, 0.3303577561002349, 1.5473123298999332)),
        ((-1e-9, 1.5), (1.0877649238421425, 0.03233839575229874, -8.296269075414976e-10)),
    ],
    "beta": [
        ((0.5, -2.5), (19.34413047678271, 9.067631841040095, -1.2088667947025176)),
        ((2.25, -3.25), (-0.18198307526450325, -2.5477107938980734, -4.913438512531644)),
        ((-0.5, -0.5), (9.708636216139288, 9.708636216139288, 9.708636216139288)),
    ],
    "gammainc": [
        ((20.0, 20.0), (1.880542141062385e-05, 0.0022393856712464495, -0.004441765869604261)),
        ((50.0, 50.0), (1.889851704371531e-06, 0.0005651274883770383, -0.0011265001265038164)),
    ],
}
SECOND["gammaincc"] = [(at, tuple(-d for d in bends)) for at, bends in SECOND["gammainc"]]


@pytest.mark.parametrize("name", SECOND)
def test_second_at_zeros_and_joints(lib: Any, name: str, leave_out: Any) -> None:
    """Finite and wrong where a first derivative's limit at a point was taken for a function."""
    leave_out("float64", not lib.has_float64)
    func = getattr(likewise.special, name)
    points, bends = (np.asarray(c) for c in zip(*SECOND[name], strict=True))
    args = [lib.asarray(c.copy()) for c in points.T]
    one, zero = (lib.asarray(c * np.ones(len(points))) for c in (1.0, 0.0))

    def slopes(*args: Any) -> Any:
        return grad(lambda *args: likewise.array_namespace(args[0]).sum(func(*args)), (0, 1))(*args)

    for along, expected in (((one, zero), bends[:, :2]), ((zero, one), bends[:, 1:])):
        found = jvp(slopes, tuple(args), along)[1]
        got = np.stack([lib.to_numpy(d) for d in found], axis=1)
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(("name", "bend"), [("j1", -3.75e-10), ("i1", 3.75e-10), ("i1e", -1.0)])
def test_second_next_to_zero(lib: Any, name: str, bend: float, leave_out: Any) -> None:
    """The slope of a quotient by x lost a digit for each in which x is smaller than 1."""
    leave_out("float64", not lib.has_float64)
    got = grad(grad(getattr(likewise.special, name)))(lib.asarray(np.asarray(1e-9)))
    np.testing.assert_allclose(lib.to_numpy(got), bend, rtol=1e-7)


@pytest.mark.parametrize(
    ("name", "at", "argument", "slope"),
    [
        ("boxcox", (0.0, 2.0), 1, 0.25),  # -1 / lmbda
        ("boxcox1p", (-1.0, 2.0), 1, 0.25),
        ("gammainc", (np.inf, 1.0), 1, 0.0),  # no mass
        ("pdtr", (np.inf, 1.0), 1, 0.0),
        ("stdtrit", (np.inf, 0.5), 1, np.sqrt(2 * np.pi)),  # the normal distribution's
    ],
)
def test_at_the_ends(lib: Any, name: str, at: Any, argument: int, slope: float) -> None:
    args = [lib.asarray(np.asarray(a, "float32")) for a in at]
    got = grad(getattr(likewise.special, name), argument)(*args)
    np.testing.assert_allclose(lib.to_numpy(got), slope, rtol=1e-6)


@pytest.mark.parametrize("name", ["boxcox", "kl_div"])
def test_maps_and_broadcasting(lib: Any, name: str) -> None:
    """One argument is mapped, the other isn't; cotangents are summed where shapes broadcast."""
    func = getattr(likewise.special, name)
    x, y = np.asarray([[0.4], [1.3]]), np.asarray([0.7, 1.9, 2.2])
    a, b = lib.asarray(x), lib.asarray(y)
    mapped = vmap(func, in_axes=(0, None))(a, b)
    np.testing.assert_allclose(lib.to_numpy(mapped), lib.to_numpy(func(a, b)), rtol=1e-5)
    whole = grad(lambda a, b: likewise.array_namespace(a).sum(func(a, b)), (0, 1))(a, b)
    parts = vmap(vmap(grad(func, (0, 1)), in_axes=(None, 0)), in_axes=(0, None))(a[:, 0], b)
    for one, many, axis in zip(whole, parts, (1, 0), strict=True):
        many = np.sum(lib.to_numpy(many), axis=axis, keepdims=axis == 1)
        np.testing.assert_allclose(lib.to_numpy(one), many, rtol=1e-5)
