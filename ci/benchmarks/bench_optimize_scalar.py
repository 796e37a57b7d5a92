"""Roots of one unknown against SciPy: ``ci/bench --only optimize_scalar``.

The workload is the coordinate map of a plasma equilibrium: 20,000 points y, and
x + sum_k a_k sin(k x) = y for x, with K coefficients that all points share. The sum is taken of K
sines a point, as one writes it down, or of two by Clenshaw's recurrence; SciPy's loop has the
former, which is quicker for single points.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.optimize
import scipy.optimize.elementwise

import likewise
from likewise.optimize import find_root, root_scalar
from likewise.transforms import grad

FEW = 300  # of the points: as many as the loop over SciPy's newton does
TOL = 1e-6
WIDE = 0.9  # the sum is less than its largest possible slope


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Label, peer, ours, theirs, inputs, limit; the limit of a scaled peer is 0.02."""
    points = 2000 if quick else 20_000
    if "torch" in libraries:
        import torch

        torch.set_num_threads(1)  # as the other benchmarks: threads that wait make noise
    for many, way in ((5, "sines"), (25, "sines"), (25, "recurrence")):
        rng = np.random.default_rng(many)
        k = np.arange(1.0, many + 1)
        a = rng.normal(size=many)
        a = WIDE * a / np.sum(k * np.abs(a))
        data = [rng.uniform(0.0, 2 * np.pi, points) for _ in range(3)]
        for name, (to, wait) in libraries.items():
            for dtype in ("float64", "float32"):
                yield from _of(name, to, wait, dtype, a, k, data, way)


def _of(
    name: str, to: Any, wait: Any, dtype: str, a: Any, k: Any, data: list[Any], way: str
) -> Iterator[Any]:
    args = tuple(to(v.astype(dtype)) for v in (a, k))
    ys = [to(y.astype(dtype)) for y in data]
    points = data[0].shape[0]
    off = OFF[way]

    def f(x: Any, y: Any) -> Any:
        return off(x, y, *args)

    def brackets(y: Any) -> Any:
        return find_root(f, (y - WIDE, y + WIDE), args=(y,), tolerances={"xatol": TOL}).x

    def newton(y: Any) -> Any:
        return root_scalar(f, (y,), "newton", x0=y, xtol=TOL).root

    def gradient(pair: Any) -> Any:
        a, y = pair

        def total(a: Any) -> Any:
            def g(x: Any, y: Any) -> Any:
                return off(x, y, a, args[1])

            options = {"xatol": TOL}
            x = find_root(g, (y - WIDE, y + WIDE), args=(y,), tolerances=options).x
            return likewise.array_namespace(x).sum(x)

        return grad(total)(a)

    ways: dict[str, Callable[[Any], Any]] = {"find_root": brackets, "newton": newton}
    compiled = ""
    if name == "jax":
        import jax

        ways = {n: jax.jit(w) for n, w in ways.items()}
        compiled = ", jitted"
    pairs = [(y, y.astype("float64")) for y in data]
    mine = dict(zip((id(y) for y in data), ys, strict=True))

    def ours(way: str) -> Callable[[Any], Any]:
        return lambda pair: wait(ways[way](mine[id(pair[0])]))

    rounds = [
        int(np.max(likewise.to_numpy(r)))
        for r in (
            find_root(
                f, (ys[0] - WIDE, ys[0] + WIDE), args=(ys[0],), tolerances={"xatol": TOL}
            ).nit,
            root_scalar(f, (ys[0],), "newton", x0=ys[0], xtol=TOL).iterations,
        )
    ]
    what = f"{name}{compiled}, {dtype}, {points} roots of {k.shape[0]} terms ({way})"
    label = f"find_root, {what}, xatol {TOL:g}, {rounds[0]} iterations"
    theirs = scipy_find_root(a, k, off)
    steps = int(np.max(theirs(data[0]).nit))
    peer = f"SciPy find_root, float64, xatol {TOL:g}, {steps} iterations"
    limit = "1.0" if name == "numpy" and dtype == "float64" else "a figure"
    yield label, peer, ours("find_root"), lambda pair: theirs(pair[1]), pairs, limit

    per = points / min(FEW, points)
    loop = scipy_loop(a, k)
    label = f"newton, {what}, exact derivative, xtol {TOL:g}, {rounds[1]} iterations"
    peer = f"a loop over SciPy newton, {FEW} roots with fprime, float64, tol {TOL:g}, scaled"
    yield label, peer, ours("newton"), lambda pair: loop(pair[1][:FEW]), pairs, f"x {per:g}"
    label = f"find_root, {what}, xatol {TOL:g}, {rounds[0]} iterations"
    yield label, peer, ours("find_root"), lambda pair: loop(pair[1][:FEW]), pairs, f"x {per:g}"
    if dtype == "float64":
        turn = jax.jit(gradient) if name == "jax" else gradient
        yield (
            f"find_root and its gradient to the coefficients, {what}",
            "find_root alone",
            lambda pair: wait(turn((args[0], mine[id(pair[0])]))),
            ours("find_root"),
            pairs,
            "a figure",
        )


def by_sines(x: Any, y: Any, a: Any, k: Any) -> Any:
    """Return a function that is 0 at the root."""
    xp = likewise.array_namespace(x, a)
    return x + xp.sum(a * xp.sin(x[..., None] * k), axis=-1) - y


def by_recurrence(x: Any, y: Any, a: Any, k: Any) -> Any:
    """The same, sin(k x) = 2 cos(x) sin((k - 1) x) - sin((k - 2) x)."""
    xp = likewise.array_namespace(x, a)
    twice = 2 * xp.cos(x)
    last, before = xp.zeros_like(x), xp.zeros_like(x)
    for i in range(k.shape[0] - 1, -1, -1):
        last, before = a[i] + twice * last - before, last
    return x + last * xp.sin(x) - y


OFF = {"sines": by_sines, "recurrence": by_recurrence}


def scipy_find_root(a: Any, k: Any, off: Any) -> Callable[[Any], Any]:
    """SciPy's own on all points."""

    def f(x: Any, y: Any) -> Any:
        return off(x, y, a, k)

    def run(y: Any) -> Any:
        return scipy.optimize.elementwise.find_root(
            f, (y - WIDE, y + WIDE), args=(y,), tolerances={"xatol": TOL}
        )

    return run


def scipy_loop(a: Any, k: Any) -> Callable[[Any], Any]:
    """SciPy's newton, point by point."""

    def f(x: float, y: float) -> Any:
        return x + a @ np.sin(x * k) - y

    def slope(x: float, y: float) -> Any:
        return 1 + (a * k) @ np.cos(x * k)

    def run(y: Any) -> Any:
        return [scipy.optimize.newton(f, v, slope, (v,), tol=TOL) for v in y]

    return run
