"""Interpolation and quadrature against SciPy: ``ci/bench --only interpolate``.

Small calls first, then many problems, many points, grids, and the same on torch and JAX.
"""

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.integrate as quadrature
import scipy.interpolate as judge

from likewise import array_namespace, fft, integrate, interpolate
from likewise.transforms import jit, value_and_grad

RNG = np.random.default_rng(0)


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per line: label, peer, ours, theirs, inputs, limit."""
    if "numpy" in libraries:
        yield from small()
        yield from many(100 if quick else 10_000)
        yield from points(10_000 if quick else 1_000_000)
        yield from grids(1_000 if quick else 100_000)
        yield from integrals(20 if quick else 1_000)
        yield from integrals(20 if quick else 10_000)
        yield from nonuniform(1_000 if quick else 100_000)
    if "torch" in libraries:
        yield from beside_torch(libraries["torch"], 1_000 if quick else 100_000)
    if "jax" in libraries:
        yield from beside_jax(libraries["jax"], 1_000 if quick else 100_000)


def data(n: int, *batch: int) -> tuple[Any, Any]:
    """Return increasing knots and values (*batch, n)."""
    x = np.cumsum(RNG.uniform(0.5, 1.5, (*batch, n)), axis=-1)
    return x, RNG.normal(size=(*batch, n))


def inside(x: Any, p: int) -> Any:
    """Return points (..., p) between the first and the last knot."""
    share = RNG.uniform(size=(*x.shape[:-1], p))
    return x[..., :1] + (x[..., -1:] - x[..., :1]) * share


def made(name: str, source: Any, **settings: Any) -> Callable[[Any], Any]:
    """Return a function that builds an interpolant and evaluates it."""
    make = getattr(source, name)
    return lambda t: make(*t[:-1], **settings)(t[-1])


ONES: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("interp1d", {}, "1.2"),
    ("interp1d", {"kind": "cubic"}, "1.2"),
    ("CubicSpline", {}, "0.6"),
    ("PchipInterpolator", {}, "0.6"),
    ("Akima1DInterpolator", {}, "0.6"),
    ("make_interp_spline", {}, "0.6"),
    ("UnivariateSpline", {"s": 5.0}, "a figure"),
    ("make_smoothing_spline", {"lam": 0.1}, "a figure"),
    ("BarycentricInterpolator", {}, "a figure"),
)


def small() -> Iterator[Any]:
    """Measure 20 knots and 10 points."""
    inputs = []
    for _ in range(3):
        x, y = data(20)
        inputs.append((x, y, inside(x, 10)))
    for name, settings, limit in ONES:
        label = ", ".join([name, *map(str, settings.values())]) + ", 20 knots, 10 points"
        yield (
            label,
            "scipy",
            made(name, interpolate, **settings),
            made(name, judge, **settings),
            inputs,
            limit,
        )
    grid = [((x, x), RNG.normal(size=(20, 20)), np.stack([v, v], axis=-1)) for x, _, v in inputs]
    for method in ("linear", "nearest", "cubic"):
        ours, theirs = (
            made("RegularGridInterpolator", s, method=method) for s in (interpolate, judge)
        )
        yield (
            f"RegularGridInterpolator, {method}, 20², 10 points",
            "scipy",
            ours,
            theirs,
            grid,
            "0.6",
        )
    scattered = [(RNG.uniform(size=(30, 2)), RNG.normal(size=30), RNG.uniform(size=(10, 2)))] * 3
    for name in "RBFInterpolator NearestNDInterpolator LinearNDInterpolator".split():
        ours, theirs = (made(name, s) for s in (interpolate, judge))
        yield f"{name}, 30 places, 10 points", "scipy", ours, theirs, scattered, "a figure"
    solved = [interpolate.CubicSpline(x, y) for x, y, _ in inputs]
    yield (
        "CubicSpline.roots, 20 knots",
        "scipy",
        lambda p: p.roots(),
        lambda p: judge.PPoly.construct_fast(p.c, p.x).roots(),
        solved,
        "a figure",
    )
    yield (
        "quad of exp",
        "scipy",
        lambda b: integrate.quad(np.exp, 0.0, b),
        lambda b: quadrature.quad(np.exp, 0.0, b),
        [1.0, 1.5, 2.0],
        "3.0",
    )


def many(count: int) -> Iterator[Any]:
    """Measure splines with knots of their own, against a loop."""
    x, y = data(50, count)
    given = [(x, y + i, inside(x, 10)) for i in range(3)]

    def loop(t: Any) -> None:
        for a, b, v in zip(*t, strict=True):
            judge.CubicSpline(a, b)(v)

    def loss(x: Any, y: Any, v: Any) -> Any:
        out = interpolate.CubicSpline(x, y)(v)
        return array_namespace(out).sum(out * out)

    of = f"{count:,} CubicSplines of 50 knots"
    yield of, "a loop of scipy's", made("CubicSpline", interpolate), loop, given, "0.05"
    both = value_and_grad(loss, argnums=(0, 1))
    label = f"{of}, gradients in knots and values"
    yield label, "a loop of scipy's values", lambda t: both(*t), loop, given, "0.125"


def points(p: int) -> Iterator[Any]:
    """Measure evaluation alone."""
    x, y = data(50)
    random = [inside(x, p) for _ in range(3)]
    for order, given in (("random", random), ("sorted", [np.sort(v) for v in random])):
        for name in ("CubicSpline", "make_interp_spline", "interp1d"):
            ours, theirs = (getattr(s, name)(x, y) for s in (interpolate, judge))
            yield f"{name} at {p:,} {order} points", "scipy", ours, theirs, given, "1.2"


def grids(p: int) -> Iterator[Any]:
    x = np.linspace(0.0, 1.0, 200)
    values = RNG.normal(size=(200, 200))
    given = [RNG.uniform(size=(p, 2)) for _ in range(3)]
    for method, limit in (("linear", "0.7"), ("cubic", "1.0")):
        ours, theirs = (
            s.RegularGridInterpolator((x, x), values, method=method) for s in (interpolate, judge)
        )
        label = f"RegularGridInterpolator, {method}, 200², {p:,} points"
        yield label, "scipy", ours, theirs, given, limit


def integrals(count: int) -> Iterator[Any]:
    given = [(RNG.uniform(0.5, 2.0, count), RNG.uniform(1.0, 3.0, count)) for _ in range(3)]

    def fun(x: Any, a: Any) -> Any:
        return np.exp(-a * x) * np.cos(a * x)

    def loop(t: Any) -> None:
        for a, b in zip(*t, strict=True):
            quadrature.quad(fun, 0.0, b, args=(a,))

    def ours(t: Any) -> Any:
        return integrate.quad(fun, 0.0, t[1], args=(t[0],))

    limit = "0.1" if count <= 1_000 else "0.02"
    yield f"quad of {count:,} integrands", "a loop of scipy's", ours, loop, given, limit


def nonuniform(p: int) -> Iterator[Any]:
    """Measure transforms at points that aren't on a grid, where finufft is installed."""
    if importlib.util.find_spec("finufft") is None:
        return
    import finufft

    given = [(RNG.uniform(-3.1, 3.1, p), RNG.normal(size=p) + 0j) for _ in range(3)]
    yield (
        f"nufft1, {p:,} points, {p:,} modes, 1e-9",
        "finufft, one thread",
        lambda t: fft.nufft1(p, t[1], t[0], eps=1e-9),
        lambda t: finufft.nufft1d1(t[0], t[1], n_modes=p, eps=1e-9, isign=1, nthreads=1),
        given,
        "4.0",
    )
    yield (
        f"nufft2, {p:,} points, {p:,} modes, 1e-9",
        "finufft, one thread",
        lambda t: fft.nufft2(t[1], t[0], eps=1e-9),
        lambda t: finufft.nufft1d2(t[0], t[1], eps=1e-9, isign=-1, nthreads=1),
        given,
        "4.0",
    )


def beside_torch(library: Any, p: int) -> Iterator[Any]:
    """Measure torch against the way to SciPy and back."""
    to, wait = library
    x, y = data(50)
    given = [inside(x, p) for _ in range(3)]
    for name, settings in (("CubicSpline", {}), ("PchipInterpolator", {}), ("interp1d", {})):
        theirs = getattr(judge, name)(x, y, **settings)
        ours = getattr(interpolate, name)(to(x), to(y), **settings)
        yield (
            f"{name} at {p:,} points, torch",
            "the round trip to scipy",
            lambda v, f=ours: wait(f(v)),
            lambda v, f=theirs: to(f(np.asarray(v.cpu()))),
            [to(v) for v in given],
            "1.0",
        )
    axis = np.linspace(0.0, 1.0, 200)
    values = RNG.normal(size=(200, 200))
    for method in ("linear", "cubic"):
        theirs = judge.RegularGridInterpolator((axis, axis), values, method=method)
        ours = interpolate.RegularGridInterpolator((to(axis),) * 2, to(values), method=method)
        yield (
            f"RegularGridInterpolator, {method}, 200², {p:,} points, torch",
            "the round trip to scipy",
            lambda v, f=ours: wait(f(v)),
            lambda v, f=theirs: to(f(np.asarray(v.cpu()))),
            [to(RNG.uniform(size=(p, 2))) for _ in range(3)],
            "1.0",
        )


def beside_jax(library: Any, p: int) -> Iterator[Any]:
    """Measure jitted JAX against its one interpolation."""
    import jax

    to, wait = library
    x, y = data(50)
    a, b = to(x), to(y)
    theirs = jax.jit(lambda v: jax.numpy.interp(v, a, b))
    given = [to(inside(x, p)) for _ in range(3)]
    for name in ("interp1d", "CubicSpline", "PchipInterpolator", "make_interp_spline"):
        interpolant = getattr(interpolate, name)(a, b)
        ours = jit(lambda v, f=interpolant: f(v))
        yield (
            f"{name} at {p:,} points, jitted JAX",
            "jnp.interp",
            lambda v, f=ours: wait(f(v)),
            lambda v: wait(theirs(v)),
            given,
            "3.0",
        )
