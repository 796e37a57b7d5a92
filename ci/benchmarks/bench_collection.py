"""Constrained problems, against SciPy: tables for docs/figures.md.

``python ci/benchmarks/bench_collection.py SLSQP [torch|jax|strict]`` solves Hock and Schittkowski's
problems, some of CUTEst's, and hard ones from their published starts with one method of both sides,
the same exact derivatives and tolerances, and prints:

- solved: the published optimum to 1e-8, relative to 1 or its size, and rows to 1e-9 of their terms;
- evaluations of the objective, of what both solve: the sum of both sides, and the median ratio;
- false successes: success at a point that is outside by more than 1e-6, or, beside the optimum, at
  which some direction within the constraints goes down by more than 1e-4 of the gradient.

``--problems`` has a line for each problem that one side doesn't solve. A further word that is a
problem's name or number selects it. ``--loose`` keeps the methods' own tolerances (1e-6 is solved).
``--limit 20`` ends a solution after 20 s of processor time; without it, after 60.
"""

import contextlib
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "optimize" / "_minimize"))
import cutest  # type: ignore[import-not-found]
from hock_schittkowski import PROBLEMS  # type: ignore[import-not-found]

from likewise import grad, interop, jacfwd
from likewise.optimize import Bounds, minimize

TIGHT: dict[str, dict[str, Any]] = {
    "SLSQP": {"ftol": 1e-14, "maxiter": 1000},
    "trust-constr": {"gtol": 1e-10, "xtol": 1e-14, "maxiter": 1000},
    "COBYLA": {"tol": 1e-10, "maxiter": 20000},
    "COBYQA": {"final_tr_radius": 1e-10, "maxiter": 2000},
}
WITHOUT_GRADIENT = {"COBYLA", "COBYQA"}


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what takes longer than this in processor time."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"longer than {seconds:g} s")

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def arrays(library: str) -> Any:
    """Return the function that makes an array of a library."""
    if library == "torch":
        import torch

        return lambda v: torch.asarray(np.asarray(v, dtype=np.float64))
    if library == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        return lambda v: jax.numpy.asarray(np.asarray(v, dtype=np.float64))
    if library == "strict":
        import array_api_strict

        return lambda v: array_api_strict.asarray(np.asarray(v, dtype=np.float64))
    return lambda v: np.asarray(v, dtype=np.float64)


def theirs(problem: Any, method: str, options: dict[str, Any]) -> Any:
    rows, given = problem.constraints(), {}
    if method not in WITHOUT_GRADIENT:
        rows = [{**c, "jac": jacfwd(c["fun"])} for c in rows]
        given["jac"] = grad(problem.fun)
    bounds = scipy.optimize.Bounds(problem.lower, problem.upper) if problem.bounded else None
    with np.errstate(all="ignore"):
        return scipy.optimize.minimize(
            problem.fun,
            np.asarray(problem.x0),
            method=method,
            bounds=bounds,
            constraints=rows,
            options=dict(options),
            **given,
        )


def ours(problem: Any, method: str, options: dict[str, Any], make: Any = np.asarray) -> Any:
    bounds = Bounds(make(problem.lower), make(problem.upper)) if problem.bounded else None
    return minimize(
        problem.fun,
        make(problem.x0),
        method=method,
        bounds=bounds,
        constraints=problem.constraints(),
        options=dict(options),
    )


def slope(problem: Any, x: Any) -> float:
    """Return the part of the gradient that goes down within the constraints, relative to it."""
    n = x.size
    scale = 1e-5 * (1 + np.abs(x))
    g, columns, signs = grad(problem.fun)(x), [], []
    of_equal, of_least = problem.counts
    if of_equal:
        columns += list(jacfwd(problem.equal)(x))
        signs += [-np.inf] * of_equal
    if of_least:
        jacobian, values = jacfwd(problem.least)(x), problem.least(x)
        active = values < 1e-5 * (1 + np.sum(np.abs(jacobian * x), axis=-1))
        columns += list(jacobian[active])
        signs += [0.0] * int(active.sum())
    for bound, sign in ((np.asarray(problem.lower), 1.0), (np.asarray(problem.upper), -1.0)):
        active = np.abs(x - bound) < scale
        columns += list(sign * np.eye(n)[active])
        signs += [0.0] * int(active.sum())
    size = 1 + float(np.max(np.abs(g)))
    if not columns:
        return float(np.max(np.abs(g))) / size
    a = np.stack(columns, axis=1)
    norms = np.maximum(np.linalg.norm(a, axis=0), 1e-12)
    found = scipy.optimize.lsq_linear(a / norms, g, (signs, np.inf), tol=1e-13)
    return float(np.max(np.abs(found.fun))) / size


def ends(problem: Any, found: Any, digits: float) -> tuple[bool, bool, str]:
    """Tell if a result is the published optimum, if its success is false, and the figures."""
    x, f = np.asarray(found.x, dtype=float), float(found.fun)
    if not (np.all(np.isfinite(x)) and np.isfinite(f)):
        return False, bool(found.success), f"{f} {int(found.nfev)}"
    with np.errstate(all="ignore"):
        outside = problem.violation(x)
        still = slope(problem, x) if outside < 1e-6 else np.inf
    good = abs(f - problem.f) <= digits * max(1.0, abs(problem.f)) and outside <= digits / 10
    there = abs(f - problem.f) <= 1e-6 * max(1.0, abs(problem.f))
    wrong = bool(found.success) and (not outside <= 1e-6 or (still > 1e-4 and not there))
    word = f"{f:.9g} outside {outside:.0e} slope {still:.0e} nfev {int(found.nfev)}"
    return bool(good), wrong, f"{word} status {int(found.status)}{' FALSE' if wrong else ''}"


def compare(
    method: str, library: str, names: list[str], details: bool, loose: bool, limit: float
) -> None:
    make = arrays(library)
    options = {} if loose else TIGHT.get(method, {})
    digits = 1e-6 if loose else 1e-8
    chosen = {str(k): p for k, p in PROBLEMS.items() if not names or str(k) in names}
    solved, false, spent = np.zeros(2, int), np.zeros(2, int), np.zeros(2)
    evaluations, ratios = np.zeros(2, int), []
    for problem in chosen.values():
        words, good = [], []
        for side, call in enumerate((theirs, ours)):
            begin = time.process_time()
            try:
                with limited(limit):
                    found = call(problem, method, options, *([make] if side else []))
                if side:
                    found = interop.to_numpy(found) if library != "numpy" else found
                fine, wrong, word = ends(problem, found, digits)
            except Exception as error:
                fine, wrong, word = False, False, repr(error)[:160]
            spent[side] += time.process_time() - begin
            solved[side] += fine
            false[side] += wrong
            good.append(fine)
            words.append(word)
            if side == 0:
                first = found if fine else None
        if all(good) and first is not None:
            counts = int(first.nfev), int(found.nfev)
            evaluations += counts
            ratios.append(counts[1] / counts[0])
        if details and not (all(good) and " FALSE" not in words[1]):
            print(
                f"    {problem.name} {problem.f:.9g}: {words[0]}\n{'':>14} ours: {words[1]}",
                flush=True,
            )
    if ratios:
        both = [*solved, *evaluations, f"{np.median(ratios):.2f}", *false]
        cells = [method, library, len(chosen), *both, *(f"{s:.1f}" for s in spent)]
        print("|", " | ".join(map(str, cells)), "|")


def hard(method: str, library: str, limit: float) -> None:
    make = arrays(library)
    for case in cutest.HARD:
        try:
            with limited(limit):
                found = ours(case.problem, method, TIGHT.get(method, {}), make)
            x, f = np.asarray(interop.to_numpy(found.x)), float(found.fun)
            if case.kind == "solved":
                fine = found.success and abs(f - case.problem.f) < 1e-7
                fine = fine and case.problem.violation(x) < 1e-7
            else:
                fine = not found.success
            word = f"status {int(found.status)}, {f:.6g} after {int(found.nfev)}"
        except Exception as error:
            fine, word = False, repr(error)[:160]
        print(f"{'    ' if fine else 'BAD '}{case.kind:11} {case.problem.name}: {word}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    given, limit = sys.argv[1:], 60.0
    if "--limit" in given:
        k = given.index("--limit")
        limit = float(given[k + 1])
        del given[k : k + 2]
    flags = [w for w in given if w.startswith("--")]
    words = [w for w in given if not w.startswith("--")]
    method = words[0] if words else "SLSQP"
    library = next((w for w in words if w in ("torch", "jax", "strict")), "numpy")
    print(
        "| method | library | problems | solved: SciPy | ours | evaluations: SciPy | ours ", end=""
    )
    print("| median ratio | false: SciPy | ours | s: SciPy | ours |\n|---|---|" + "--:|" * 10)
    rest = [w for w in words[1:] if w != library]
    compare(method, library, rest, "--problems" in flags, "--loose" in flags, limit)
    if not rest:
        hard(method, library, limit)
