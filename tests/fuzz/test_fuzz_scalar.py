"""Functions of one variable: roots, minima, brackets of random ones, against SciPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.optimize.elementwise

import likewise
from likewise.optimize import (
    bracket_minimum,
    bracket_root,
    find_minimum,
    find_root,
    minimize_scalar,
    root_scalar,
)
from likewise.transforms import grad

pytestmark = [
    pytest.mark.full,
    pytest.mark.xp_skip({"dask": "the iterations look at values"}),
]

Fun = Callable[..., Any]
COUNT = 30
MOST = 200


def _space(x: Any, c: Any) -> Any:
    return likewise.array_namespace(x, c)


# Rising functions with one root, of a place and a share
ROOTS: dict[str, Fun] = {
    "cubic": lambda x, c, k: (x - c) ** 3 + k * (x - c),
    "exponential": lambda x, c, k: _space(x, c).exp(k * (x - c)) - 1,
    "arctan": lambda x, c, k: _space(x, c).atan((x - c) / k),
    "steep": lambda x, c, k: (x - c) ** 3,  # a root of multiplicity 3
    "wave": lambda x, c, k: 2 * (x - c) + _space(x, c).sin(x - c),
}
# Functions with one minimum
MINIMA: dict[str, Fun] = {
    "parabola": lambda x, c, k: k * (x - c) ** 2 + 1,
    "quartic": lambda x, c, k: (x - c) ** 4 + k * (x - c) ** 2,
    "cosh": lambda x, c, k: _space(x, c).cosh(k * (x - c)),
    "valley": lambda x, c, k: -1 / (1 + k * (x - c) ** 2),
    "kink": lambda x, c, k: _space(x, c).abs(x - c) + 0.1 * k * (x - c) ** 2,
}


@pytest.fixture
def seeds(lib: Any, leave_out: Any) -> range:
    leave_out("float64", not lib.has_float64)
    return range({"numpy": 20, "jax": 1}.get(lib.library, 3))


def drawn(seed: int, name: str, lib: Any) -> tuple[Any, tuple[Any, Any], tuple[Any, Any]]:
    """A generator, places and shares, and these as arrays of the library."""
    rng = np.random.default_rng([seed, *map(ord, name)])
    c = rng.normal(size=COUNT) * 10.0 ** rng.integers(-3, 3)
    k = 10.0 ** rng.uniform(-1, 1, COUNT)
    return rng, (c, k), (lib.asarray(c), lib.asarray(k))


def ends(rng: Any, c: Any) -> tuple[Any, Any]:
    """On both sides of places, seldom on one."""
    low = c - rng.random(COUNT) * 10.0 ** rng.integers(-2, 2, COUNT)
    high = c + rng.random(COUNT) * 10.0 ** rng.integers(-2, 2, COUNT) + 1e-3
    wrong = rng.random(COUNT) < 0.05
    return np.where(wrong, high + 0.5, low), np.where(wrong, high + 1.0, high)


@pytest.mark.parametrize("name", ROOTS)
@pytest.mark.parametrize("method", ["bisect", "brentq", "brenth", "chandrupatla"])
@pytest.mark.filterwarnings("ignore")
def test_root_scalar_in_brackets(lib: Any, seeds: range, name: str, method: str) -> None:
    """Within the tolerances of the place, with status -1 where there is no change of sign."""
    f = ROOTS[name]
    for seed in seeds:
        rng, (c, k), args = drawn(seed, name, lib)
        low, high = ends(rng, c)
        found = root_scalar(
            f, args, method, bracket=(lib.asarray(low), lib.asarray(high)), maxiter=MOST
        )
        x, status = lib.to_numpy(found.root), lib.to_numpy(found.status)
        calls = lib.to_numpy(found.function_calls)
        for i in range(COUNT):
            label = f"{seed} {i} {low[i]} {c[i]} {high[i]}: {x[i]}, status {status[i]}"
            if (f(low[i], c[i], k[i]) < 0) == (f(high[i], c[i], k[i]) < 0):
                assert status[i] == -1 and np.isnan(x[i]), label
                continue
            assert status[i] == 0 and calls[i] <= MOST, label
            if name != "steep":  # of which rounding hides the root
                near = 2e-12 + 1e-15 * abs(c[i])
                assert abs(x[i] - c[i]) <= 2 * near, label
            assert abs(f(x[i], c[i], k[i])) <= 1e-9 * max(1.0, k[i]), label


@pytest.mark.parametrize("name", ROOTS)
@pytest.mark.parametrize("method", ["newton", "secant", "halley"])
@pytest.mark.filterwarnings("ignore")
def test_root_scalar_from_a_start(lib: Any, seeds: range, name: str, method: str) -> None:
    """No false success, and one wherever SciPy has one."""
    f = ROOTS[name]
    theirs = ours = 0
    for seed in seeds:
        rng, (c, k), args = drawn(seed, name, lib)
        start = c + rng.normal(size=COUNT)
        found = root_scalar(f, args, method, x0=lib.asarray(start), maxiter=MOST)
        x, good = lib.to_numpy(found.root), lib.to_numpy(found.converged)
        for i in range(COUNT):
            label = f"{seed} {i} from {start[i]} to {c[i]}: {x[i]}"
            near = 1e-3 if name == "steep" else 1e-7 * max(1.0, abs(c[i]))
            assert not good[i] or abs(x[i] - c[i]) <= near, label
            slopes = {} if method == "secant" else {"fprime": _slope(f, c[i], k[i], 1)}
            if method == "halley":
                slopes["fprime2"] = _slope(f, c[i], k[i], 2)
            other = scipy.optimize.root_scalar(
                lambda v, i=i, c=c, k=k: f(np.asarray(v), c[i], k[i]),
                x0=start[i], method=method, maxiter=MOST, **slopes,
            )  # fmt: skip
            theirs += other.converged and abs(other.root - c[i]) <= near
            ours += good[i]
    assert ours >= theirs - 0.01 * COUNT * len(seeds), (ours, theirs)


def _slope(f: Fun, c: Any, k: Any, order: int) -> Callable[[float], float]:
    def first(v: float) -> float:
        return float(np.imag(f(np.asarray(v + 1e-30j), np.asarray(c + 0j), k))) * 1e30

    return first if order == 1 else lambda v: (first(v + 1e-6) - first(v - 1e-6)) / 2e-6


@pytest.mark.parametrize("name", ROOTS)
@pytest.mark.parametrize("function", ["find_root", "bracket_root"])
@pytest.mark.filterwarnings("ignore")
def test_elementwise_roots(lib: Any, seeds: range, name: str, function: str) -> None:
    """The same points, statuses and counts as SciPy's."""
    f = ROOTS[name]
    for seed in seeds:
        rng, numbers, args = drawn(seed, name, lib)
        low, high = ends(rng, numbers[0])
        if function == "find_root":
            theirs = scipy.optimize.elementwise.find_root(f, (low, high), args=numbers)
            ours = find_root(f, (lib.asarray(low), lib.asarray(high)), args=args)
        else:
            low, high = high, high + rng.random(COUNT)
            limit = high + 0.5 if rng.random() < 0.2 else None
            theirs = scipy.optimize.elementwise.bracket_root(
                f, low, high, xmax=limit, args=numbers, maxiter=50
            )
            edge = None if limit is None else lib.asarray(limit)
            ours = bracket_root(
                f, lib.asarray(low), lib.asarray(high), xmax=edge, args=args, maxiter=50
            )
        same(lib, ours, theirs, seed)


@pytest.mark.parametrize("name", MINIMA)
@pytest.mark.parametrize("function", ["find_minimum", "bracket_minimum"])
@pytest.mark.filterwarnings("ignore")
def test_elementwise_minima(lib: Any, seeds: range, name: str, function: str) -> None:
    """The same points, statuses and counts as SciPy's."""
    f = MINIMA[name]
    for seed in seeds:
        rng, numbers, args = drawn(seed, name, lib)
        low, high = ends(rng, numbers[0])
        if function == "find_minimum":
            middle = low + (high - low) * rng.uniform(0.3, 0.7, COUNT)
            within = (numbers[0] > low) & (numbers[0] < high) & (rng.random(COUNT) < 0.9)
            middle = np.where(within, numbers[0] + 0.01 * (high - numbers[0]), middle)
            points = (low, middle, high)
            theirs = scipy.optimize.elementwise.find_minimum(f, points, args=numbers)
            ours = find_minimum(f, tuple(map(lib.asarray, points)), args=args)
        else:
            step = rng.random(COUNT) + 1e-2
            theirs = scipy.optimize.elementwise.bracket_minimum(
                f, high, xl0=high - step, xr0=high + step, args=numbers, maxiter=50
            )
            ours = bracket_minimum(
                f, *map(lib.asarray, (high,)), xl0=lib.asarray(high - step),
                xr0=lib.asarray(high + step), args=args, maxiter=50,
            )  # fmt: skip
        same(lib, ours, theirs, seed)


def same(lib: Any, ours: Any, theirs: Any, seed: int) -> None:
    """Rounding may part the ways in the last steps, and further where a minimum is flat."""
    status = lib.to_numpy(ours.status)
    np.testing.assert_array_equal(status, theirs.status, err_msg=str(seed))
    for a, b in zip(ours.bracket, theirs.bracket, strict=True):
        a, known = lib.to_numpy(a), ~np.isnan(b)  # SciPy's are NaN where there is none
        np.testing.assert_allclose(a[known], b[known], rtol=1e-6, atol=1e-6, err_msg=str(seed))
    if hasattr(ours, "x"):
        np.testing.assert_allclose(lib.to_numpy(ours.x), theirs.x, rtol=1e-6, atol=1e-6)
    for a, b in ((ours.nfev, theirs.nfev), (ours.nit, theirs.nit)):
        a, good = lib.to_numpy(a), status == 0
        assert np.mean(np.abs(a - b)[good]) <= 2 and np.all(np.abs(a - b)[good] <= 12), (seed, a, b)


@pytest.mark.parametrize("name", MINIMA)
@pytest.mark.parametrize("method", ["brent", "bounded", "chandrupatla"])
@pytest.mark.filterwarnings("ignore")
def test_minimize_scalar(lib: Any, seeds: range, name: str, method: str) -> None:
    """As low as SciPy comes, and where the minimum is, or at a bound."""
    f = MINIMA[name]
    for seed in seeds:
        rng, (c, k), args = drawn(seed, name, lib)
        low, high = ends(rng, c)
        if method == "bounded":
            given: Any = {"bounds": (lib.asarray(low), lib.asarray(high))}
            given["options"] = {"xatol": 1e-9}
            expected = np.clip(c, low, high)
        else:
            given, expected = {"bracket": (lib.asarray(low), lib.asarray(high))}, c
        found = minimize_scalar(f, args=args, method=method, **given)
        x, value = lib.to_numpy(found.x), lib.to_numpy(found.fun)
        assert np.all(lib.to_numpy(found.success)), seed
        np.testing.assert_allclose(value, f(x, c, k), rtol=1e-12, atol=1e-14)
        for i in range(COUNT):
            # Values tell half the digits of a minimum.
            near = 1e-5 * max(1.0, abs(c[i])) / min(1.0, k[i]) ** 0.5
            assert abs(x[i] - expected[i]) <= near, (seed, i, low[i], c[i], high[i], x[i], k[i])


@pytest.mark.parametrize("method", ["brentq", "chandrupatla", "newton", "halley", "secant"])
def test_derivatives_of_roots(lib: Any, seeds: range, method: str) -> None:
    """Of the cubic's root: 1 with respect to its place, 0 to its share; by a random cotangent."""
    f = ROOTS["cubic"]
    for seed in seeds:
        rng, (c, k), args = drawn(seed, "cubic", lib)
        weight = rng.normal(size=COUNT)
        w, low, high = (lib.asarray(v) for v in (weight, c - 1.0, c + 1.3))

        def total(a: Any, b: Any, method: str = method, given: Any = (w, low, high)) -> Any:
            w, low, high = given
            start = {"x0": high} if method in ("newton", "halley", "secant") else {
                "bracket": (low, high)
            }  # fmt: skip
            found = root_scalar(lambda x, a, b: f(x, 2 * a, b) + a, (a, b), method, **start)
            return likewise.array_namespace(a).sum(found.root * w)

        half = lib.asarray(c / 2)
        by_place, by_share = grad(total, argnums=(0, 1))(half, args[1])
        # (x - 2 a)^3 + k (x - 2 a) + a = 0: u = x - 2 a is the root of u^3 + k u + a.
        u = np.asarray([_real(np.roots([1.0, 0.0, k[i], c[i] / 2])) for i in range(COUNT)])
        inside = (u > -1.0) & (u < 1.3) | (method in ("newton", "halley", "secant"))
        slope = 3 * u * u + k
        open_ends = {"x0": high} if method in ("newton", "halley", "secant") else None
        ended = root_scalar(
            lambda x, a, b: f(x, 2 * a, b) + a, (half, args[1]), method,
            **(open_ends or {"bracket": (low, high)}),
        )  # fmt: skip
        solved = lib.to_numpy(ended.converged)
        assert np.mean(solved[inside]) > 0.8
        inside = inside & solved
        found = lib.to_numpy(by_place), lib.to_numpy(by_share)
        for got, expected in zip(found, (2 - 1 / slope, -u / slope), strict=True):
            np.testing.assert_allclose(
                got[inside], (weight * expected)[inside], rtol=1e-5, atol=1e-7, err_msg=str(seed)
            )


def _real(roots: Any) -> float:
    return float(roots[np.argmin(np.abs(roots.imag))].real)
