"""Least squares and systems against SciPy: bounded fits, small systems, Jacobians by chunks."""

import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.optimize
from threadpoolctl import threadpool_limits

from likewise import array_namespace
from likewise.optimize import least_squares, linear_sum_assignment, lsq_linear, nnls, root
from likewise.transforms import jacobian

TOLERANCES = {"ftol": 1e-6, "xtol": 1e-6, "gtol": 1e-6}


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Label, peer, ours, theirs, inputs, limit."""
    with threadpool_limits(2, "blas"):
        yield from _bounded(quick)
        yield from _newton(quick)
        yield from _active_sets(quick)


def problem(seed: int, n: int, p: int) -> dict[str, Any]:
    """Make a fit with a dense exact Jacobian, bounds active on a tenth of the unknowns."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, p)) / n**0.5
    truth = 0.5 * rng.normal(size=p)

    def model(x: Any) -> Any:
        z = a @ x
        return z + 3 * z**3

    def jac(x: Any) -> Any:
        return a * (1 + 9 * (a @ x) ** 2)[:, None]

    y = model(truth) + 0.01 * rng.normal(size=n)
    upper = np.full(p, np.inf)
    tenth = rng.permutation(p)[: p // 10]
    upper[tenth] = truth[tenth] - 0.2
    bounds = np.full(p, -3.0), upper
    return {
        "fun": lambda x: model(x) - y,
        "x0": np.minimum(np.zeros(p), upper - 0.1),
        "jac": jac,
        "bounds": bounds,
    }


def _bounded(quick: bool) -> Iterator[Any]:
    n, p = (300, 25) if quick else (3000, 250)
    draws = [(problem(seed, n, p),) for seed in range(3)]

    def ours(args: Any) -> Any:
        return least_squares(**args[0], **TOLERANCES)

    def theirs(args: Any) -> Any:
        return scipy.optimize.least_squares(**args[0], **TOLERANCES)

    for (one,) in draws[:1]:
        a, b = ours((one,)), theirs((one,))
        assert bool(a.success) and b.success and abs(a.cost - b.cost) <= 1e-6 * b.cost
    yield f"least_squares, {n} x {p}, bounds", "scipy trf, same jac", ours, theirs, draws, "1.0"


def three(xp: Any, x: Any, y: Any) -> Any:
    """Return the residuals of three equations in three unknowns."""
    a, b, c = x[..., 0:1], x[..., 1:2], x[..., 2:3]
    f = xp.concat([a * b + c, xp.exp(0.3 * a) + b**2, a - b * c + 0.5 * c**3], axis=-1)
    return f - y


def _newton(quick: bool) -> Iterator[Any]:
    count = 500 if quick else 20_000
    few = 20 if quick else 200
    rng = np.random.default_rng(0)
    draws = [(three(np, rng.uniform(0.5, 1.5, size=(count, 3)), 0.0),) for _ in range(3)]

    def ours(args: Any) -> Any:
        (y,) = args
        found = root(
            lambda x: three(array_namespace(x), x, y), np.ones((count, 3)), tol=1e-6,
            options={"maxiter": 30}, vectorized=True,
        )  # fmt: skip
        return found.x

    def theirs(args: Any) -> Any:
        return [
            scipy.optimize.root(lambda x, r=r: three(np, x, r), np.ones(3)).x for r in args[0][:few]
        ]

    scale = count // few
    label = f"root, {count} x 3 (SciPy: {few}, times {scale})"
    yield label, "a loop of scipy hybr", ours, theirs, draws, f"{1 / scale}"


def _active_sets(quick: bool) -> Iterator[Any]:
    rng = np.random.default_rng(0)
    count = 100 if quick else 5000
    draws = [(rng.uniform(size=(20, 6)), rng.normal(size=(count, 20))) for _ in range(3)]

    def loop(args: Any) -> Any:
        return [scipy.optimize.nnls(args[0], row)[0] for row in args[1]]

    yield f"nnls, {count} x (20, 6)", "a loop of scipy", lambda s: nnls(*s)[0], loop, draws, "1.0"
    bounds = -0.1, 0.2

    def bounded(args: Any) -> Any:
        return [scipy.optimize.lsq_linear(args[0], row, bounds, "bvls").x for row in args[1]]

    yield (
        f"lsq_linear, {count} x (20, 6)", "a loop of scipy bvls",
        lambda s: lsq_linear(*s, bounds).x, bounded, draws, "1.0",
    )  # fmt: skip
    n = 50 if quick else 500
    costs = [(rng.uniform(size=(n, n)),) for _ in range(3)]
    yield (
        f"linear_sum_assignment, {n} x {n}", "scipy",
        lambda s: linear_sum_assignment(*s), lambda s: scipy.optimize.linear_sum_assignment(*s),
        costs, "1.0",
    )  # fmt: skip


def chunked_jacobian(n: int = 3000, p: int = 250) -> None:
    """Print seconds and peak memory of an exact Jacobian by chunks of columns."""
    a = np.random.default_rng(0).normal(size=(n, p)) / p**0.5
    x = np.random.default_rng(1).normal(size=p)

    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        return xp.tanh(xp.matmul(xp.asarray(a), x))

    expected = (1 - np.tanh(a @ x) ** 2)[:, None] * a
    for chunk in (1, 60, 100, None):
        start = time.perf_counter()
        out = jacobian(fun, chunk_size=chunk)(x)
        seconds = time.perf_counter() - start
        np.testing.assert_allclose(out, expected, atol=1e-12)
        tracemalloc.start()
        jacobian(fun, chunk_size=chunk)(x)
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        spent = f"{1e3 * seconds:.0f} ms, {peak:.0f} MiB"
        print(f"jacobian, {n} x {p}, chunks of {chunk or 'all'}: {spent}")


def main() -> None:
    for label, peer, ours, theirs, inputs, limit in lines({}, False):
        best = []
        for call in (ours, theirs):
            times = []
            for args in inputs:
                start = time.perf_counter()
                call(args)
                times.append(time.perf_counter() - start)
            best.append(min(times))
        ours_ms, theirs_ms = (1e3 * t for t in best)
        ratio = theirs_ms / ours_ms
        print(f"{label}: {ours_ms:.1f} ms, {peer} {theirs_ms:.1f} ms, {ratio:.2f}x ({limit})")
    chunked_jacobian()


if __name__ == "__main__":
    main()
