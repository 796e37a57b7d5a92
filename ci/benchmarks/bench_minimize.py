"""The problems of Moré, Garbow and Hillstrom, against SciPy: tables for docs/figures.md.

``python ci/benchmarks/bench_minimize.py`` prints, per method, how many of the 35 each side solves
from the standard start with the same exact gradients, and what that took where both did; with
``--problems`` a line per problem and method that one side doesn't solve; with
``--batch`` many starts at once.
"""

import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "optimize" / "_minimize"))
import mgh  # type: ignore[import-not-found]

import likewise
from likewise.optimize import minimize
from likewise.transforms import grad, hvp

METHODS = ["BFGS", "L-BFGS-B", "CG", "trust-ncg", "Nelder-Mead"]
TIGHT = 1e-10


def pair(problem: Any, method: str, tol: float | None) -> tuple[Any, Any]:
    """SciPy's result and ours."""
    fun, x0 = mgh.sum_of_squares(problem), np.asarray(problem.x0)
    given: dict[str, Any] = {} if method == "Nelder-Mead" else {"jac": grad(fun)}
    if method == "trust-ncg":
        given["hessp"] = lambda x, v: hvp(fun, (x,), (v,))
    with np.errstate(all="ignore"):
        theirs = scipy.optimize.minimize(fun, x0, method=method, tol=tol, **given)
    return theirs, minimize(fun, x0, method=method, tol=tol)


def known(details: bool) -> None:
    print(
        "| method | tolerances | solved: SciPy | ours | iterations: SciPy | ours | evaluations",
        end="",
    )
    print(": SciPy | ours |\n|---|---|--:|--:|--:|--:|--:|--:|")
    for tol, words in ((None, "default"), (TIGHT, f"{TIGHT:g}")):
        for method in METHODS:
            solved, nit, nfev, lines = np.zeros(2, int), np.zeros(2, int), np.zeros(2, int), []
            for number, problem in enumerate(mgh.PROBLEMS, 1):
                results = pair(problem, method, tol)
                good = [mgh.near_minimum(problem, float(r.fun)) for r in results]
                solved += good
                if all(good):
                    nit += [int(r.nit) for r in results]
                    nfev += [int(r.nfev) for r in results]
                else:
                    ends = [f"{float(r.fun):.7g} ({int(r.nfev)})" for r in results]
                    lines.append(f"    {number} {problem.name}: {' against '.join(ends)}")
            cells = [f"{a} | {b}" for a, b in (solved, nit, nfev)]
            print(f"| {method} | {words} | {' | '.join(cells)} |", flush=True)
            if details:
                print("\n".join(lines))


def batch(count: int = 10_000, sample: int = 50) -> None:
    """Rosenbrock's function in four variables from many starts, against a loop over some."""
    rng = np.random.default_rng(1)
    starts = rng.uniform(-2, 2, size=(count, 4))

    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        a, b = x[..., :-1], x[..., 1:]
        return xp.sum(100 * (b - a**2) ** 2 + (1 - a) ** 2, axis=-1)

    print("| method | problems/s: SciPy, its own gradient | ours, NumPy | ratio | converged |")
    print("|---|--:|--:|--:|--:|")
    for method in METHODS:
        given = {} if method == "Nelder-Mead" else {"jac": scipy.optimize.rosen_der}
        if method == "trust-ncg":
            given["hessp"] = scipy.optimize.rosen_hess_prod
        begin = time.perf_counter()
        for x0 in starts[:sample]:
            scipy.optimize.minimize(scipy.optimize.rosen, x0, method=method, **given)
        theirs = sample / (time.perf_counter() - begin)
        begin = time.perf_counter()
        found = minimize(fun, starts, method=method, vectorized=True)
        ours = count / (time.perf_counter() - begin)
        good = f"{np.mean(found.success):.1%}"
        print(
            f"| {method} | {theirs:.0f} | {ours:.0f} | {ours / theirs:.1f} | {good} |", flush=True
        )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--batch" in sys.argv:
        batch()
    else:
        known("--problems" in sys.argv)
