"""One problem against SciPy: ``ci/bench --only one_problem``.

What SciPy gets is written for NumPy, as people write it, without derivatives; what likewise gets is
the same function in the standard. The model was seen before, as in a program that fits in a loop.
With "general" the rows are off. With BENCH_WITHOUT_SCIPY=1 likewise finds no SciPy, though the peer
does: some rows have another way then. On JAX a call gets a new function
that reads like the one before, and the peer is SciPy, too. ``BENCH_PROBLEMS=1,3,10,30,100,300`` has
the lines of batches of so many problems, on NumPy and torch, against a loop over SciPy. With
``BENCH_WAY=together`` as well, batches take one way, and the peer is the other one, problem by
problem: `likewise.solving._few.FEW` says up to how many problems the ratio is above 1.
"""

import builtins
import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.optimize as scipys

import likewise
from likewise import array_namespace
from likewise.optimize import (
    curve_fit,
    find_root,
    least_squares,
    lsq_linear,
    minimize,
    minimize_scalar,
    nnls,
    root,
    root_scalar,
)
from likewise.solving._few import FEW

COUNTS = [int(n) for n in os.environ.get("BENCH_PROBLEMS", "").split(",") if n]
MANY = max(COUNTS, default=0)
WAY = os.environ.get("BENCH_WAY", "")
WITHOUT = os.environ.get("BENCH_WITHOUT_SCIPY") == "1"
_own_import = builtins.__import__


def _import(name: str, space: Any = None, *rest: Any) -> Any:
    """Import, but no SciPy into likewise."""
    mine = str((space or {}).get("__name__")).startswith("likewise.")
    if mine and name.partition(".")[0] == "scipy":
        raise ModuleNotFoundError("No module named 'scipy'", name="scipy")
    return _own_import(name, space, *rest)


if WITHOUT:
    builtins.__import__ = _import

Case = tuple[str, Callable[[Any], Any], Callable[[Any], Any], list[Any], str]
T = np.linspace(0, 4, 60)
BOUNDS = ([0.0, 0.0, 0.0], [5.0, 5.0, 0.4])


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Label, peer, ours, theirs, inputs, limit."""
    if COUNTS:
        yield from _of_counts(libraries)
        return
    for label, ours, theirs, inputs, limit in _cases(quick):
        if WITHOUT:
            yield f"one {label}, NumPy, without SciPy", "SciPy", ours, theirs, inputs, "10"
            continue
        yield f"one {label}, NumPy", "SciPy", ours, theirs, inputs, limit
        general = likewise.prefer("generic")(ours)
        yield f"one {label}, NumPy, general", "SciPy", general, theirs, inputs, "10"
    if "jax" in libraries and not WITHOUT:
        to, wait = libraries["jax"]
        yield from _compiled(to, wait)


def _decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    return a * array_namespace(t).exp(-k * t) + c


def _scipys_decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    return a * np.exp(-k * t) + c


def _rosenbrock(x: Any) -> Any:
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def _long(x: Any) -> Any:
    a, b = x[:-1], x[1:]
    return array_namespace(x).sum(100 * (b - a**2) ** 2 + (1 - a) ** 2)


def _circle(x: Any) -> Any:
    return array_namespace(x).stack([x[0] ** 2 + x[1] ** 2 - 2, x[0] - x[1]])


def _scipys_circle(x: Any) -> Any:
    return np.asarray([x[0] ** 2 + x[1] ** 2 - 2, x[0] - x[1]])


def _three(x: Any) -> Any:
    return array_namespace(x).stack([10 * (x[1] - x[0] ** 2), 1 - x[0], x[0] * x[1] - 1])


def _scipys_three(x: Any) -> Any:
    return np.asarray([10 * (x[1] - x[0] ** 2), 1 - x[0], x[0] * x[1] - 1])


def _cubic(x: Any) -> Any:
    return x**3 - 2 * x - 5


def _slope(x: Any) -> Any:
    return 3 * x**2 - 2


def _quartic(x: Any, c: Any) -> Any:
    return (x - c) * (x + 1) ** 2 * x


def _cases(quick: bool) -> Iterator[Case]:
    rng = np.random.default_rng(0)
    data = [_scipys_decay(T, 2.5, 1.3, 0.5) + 0.1 * rng.normal(size=60) for _ in range(3)]
    starts = [np.asarray([-1.2, 1.0]) + 0.1 * rng.normal(size=2) for _ in range(3)]
    yield (
        "curve_fit of 60 points",
        lambda y: curve_fit(_decay, T, y, [1.0, 1.0, 1.0]),
        lambda y: scipys.curve_fit(_scipys_decay, T, y, [1.0, 1.0, 1.0]),
        data,
        "1.5",
    )
    yield (
        "curve_fit within bounds",
        lambda y: curve_fit(_decay, T, y, [1.0, 1.0, 0.2], bounds=BOUNDS),
        lambda y: scipys.curve_fit(_scipys_decay, T, y, [1.0, 1.0, 0.2], bounds=BOUNDS),
        data,
        "1.5",
    )
    for method in ("BFGS", "L-BFGS-B", "Nelder-Mead"):
        yield (
            f"minimize, {method}, 2 unknowns",
            lambda x, method=method: minimize(_rosenbrock, x, method=method),
            lambda x, method=method: scipys.minimize(_rosenbrock, x, method=method),
            starts,
            "1.5",
        )
    p = 100 if quick else 1000
    yield (
        f"minimize, L-BFGS-B, {p} unknowns, SciPy with its gradient",
        lambda x: minimize(_long, x, method="L-BFGS-B"),
        lambda x: scipys.minimize(scipys.rosen, x, method="L-BFGS-B", jac=scipys.rosen_der),
        [np.tile(x, p // 2) for x in starts],
        "1.5",
    )
    yield (
        "root of 2 equations",
        lambda x: root(_circle, x),
        lambda x: scipys.root(_scipys_circle, x),
        [np.asarray([2.0, 0.5]), np.asarray([1.5, 0.7])],
        "6",
    )
    yield (
        "root_scalar in a bracket",
        lambda b: root_scalar(_cubic, bracket=(2.0, b)),
        lambda b: scipys.root_scalar(_cubic, bracket=(2.0, b)),
        [3.0, 3.1, 3.2],
        "3",
    )
    yield (
        "nnls of 30 × 10",
        lambda ab: nnls(*ab),
        lambda ab: scipys.nnls(*ab),
        [(rng.normal(size=(30, 10)), rng.normal(size=30)) for _ in range(3)],
        "3",
    )
    for method in ("newton", "secant"):
        given = {} if method == "secant" else {"fprime": _slope}
        yield (
            f"root_scalar, {method}",
            lambda x, method=method, given=given: root_scalar(_cubic, x0=x, method=method, **given),
            lambda x, method=method, given=given: scipys.root_scalar(
                _cubic, x0=x, method=method, **given
            ),
            [2.5, 2.6, 2.7],
            "3",
        )
    for method in ("brent", "bounded", "golden"):
        where = {"bounds": (0.0, 3.0)} if method == "bounded" else {}
        yield (
            f"minimize_scalar, {method}",
            lambda c, method=method, where=where: minimize_scalar(
                _quartic, args=(c,), method=method, **where
            ),
            lambda c, method=method, where=where: scipys.minimize_scalar(
                _quartic, args=(c,), method=method, **where
            ),
            [2.0, 2.1, 2.2],
            "3",
        )
    for method in ("trf", "lm"):
        yield (
            f"least_squares of 3 × 2, {method}",
            lambda x, method=method: least_squares(_three, x, method=method),
            lambda x, method=method: scipys.least_squares(_scipys_three, x, method=method),
            starts,
            "2",
        )


def _of_counts(libraries: dict[str, Any]) -> Iterator[Any]:
    """Lines of batches, by their size."""
    for library in ("numpy", "torch"):
        if library not in libraries:
            continue
        for label, ours, theirs, limit in _batches(libraries[library][0]):
            for count in COUNTS:
                peer = "a loop over SciPy"
                mine = functools.partial(_some, ours)
                other: Any = functools.partial(_each, theirs)
                if WAY == "together":
                    peer = "problem by problem"
                    other = functools.partial(_by_way, mine, ALWAYS)
                    mine = functools.partial(_by_way, mine, {})
                yield f"{label}, {library}, {count}", peer, mine, other, [count], limit


ALWAYS = {solver: dict.fromkeys(("numpy", "torch", "torch, called"), MANY) for solver in FEW}


def _some(ours: Callable[[Any], Any], count: int) -> Any:
    return ours(slice(0, count))


def _each(theirs: Callable[[int], Any], count: int) -> Any:
    return [theirs(i) for i in range(count)]


def _by_way(ours: Callable[[int], Any], table: Any, count: int) -> Any:
    usual = dict(FEW)
    FEW.clear()
    FEW.update(table)
    try:
        return ours(count)
    finally:
        FEW.update(usual)


def _batches(
    to: Callable[[Any], Any],
) -> Iterator[tuple[str, Callable[[Any], Any], Callable[[int], Any], str]]:
    """Label, our function of several problems, SciPy's of a number, limit."""
    rng = np.random.default_rng(2)
    data = _scipys_decay(T, 2.5, 1.3, 0.5) + 0.1 * rng.normal(size=(MANY, 60))
    begin = np.tile([1.0, 1.0, 0.2], (MANY, 1))
    points = np.asarray([-1.2, 1.0]) + 0.1 * rng.normal(size=(MANY, 2))
    beside = np.asarray([2.0, 0.5]) + 0.1 * rng.normal(size=(MANY, 2))
    matrix, right = rng.normal(size=(MANY, 30, 10)), rng.normal(size=(MANY, 30))
    upper, middle = 3.0 + rng.uniform(size=MANY), 2.0 + rng.uniform(size=MANY)
    t, y, p0, starts, near = map(to, (T, data, begin, points, beside))
    a, b, ends, c = map(to, (matrix, right, upper, middle))
    yield (
        "curve_fit of 60 points",
        lambda i: curve_fit(_decay, t, y[i], p0[i]),
        lambda i: scipys.curve_fit(_scipys_decay, T, data[i], begin[i]),
        "1.2",
    )
    yield (
        "curve_fit within bounds",
        lambda i: curve_fit(_decay, t, y[i], p0[i], bounds=BOUNDS),
        lambda i: scipys.curve_fit(_scipys_decay, T, data[i], begin[i], bounds=BOUNDS),
        "1.2",
    )
    yield (
        "find_root",
        lambda i: find_root(_cubic, (2.0, ends[i])),
        lambda i: scipys.brentq(_cubic, 2.0, upper[i]),
        "1.2",
    )
    for method in ("trf", "lm"):
        yield (
            f"least_squares of 3 × 2, {method}",
            lambda i, method=method: least_squares(_three, starts[i], method=method),
            lambda i, method=method: scipys.least_squares(_scipys_three, points[i], method=method),
            "2",
        )
    for method in ("BFGS", "L-BFGS-B", "Nelder-Mead"):
        yield (
            f"minimize, {method}, 2 unknowns",
            lambda i, method=method: minimize(_rosenbrock, starts[i], method=method),
            lambda i, method=method: scipys.minimize(_rosenbrock, points[i], method=method),
            "2",
        )
    yield (
        "root of 2 equations",
        lambda i: root(_circle, near[i]),
        lambda i: scipys.root(_scipys_circle, beside[i]),
        "2",
    )
    yield (
        "root_scalar in a bracket",
        lambda i: root_scalar(_cubic, bracket=(2.0, ends[i])),
        lambda i: scipys.root_scalar(_cubic, bracket=(2.0, upper[i])),
        "2",
    )
    yield (
        "minimize_scalar, brent",
        lambda i: minimize_scalar(_quartic, args=(c[i],)),
        lambda i: scipys.minimize_scalar(_quartic, args=(middle[i],)),
        "2",
    )
    yield (
        "nnls of 30 × 10",
        lambda i: nnls(a[i], b[i]),
        lambda i: scipys.nnls(matrix[i], right[i]),
        "1.2",
    )
    for bounds in ((-np.inf, np.inf), (-0.1, 0.3)):
        yield (
            f"lsq_linear of 30 × 10, bounds {bounds}",
            lambda i, bounds=bounds: lsq_linear(a[i], b[i], bounds),
            lambda i, bounds=bounds: scipys.lsq_linear(matrix[i], right[i], bounds),
            "2",
        )


def _compiled(to: Any, wait: Any) -> Iterator[Any]:
    rng = np.random.default_rng(1)
    t, y = to(T), to(_scipys_decay(T, 2.5, 1.3, 0.5) + 0.1 * rng.normal(size=60))
    x = np.asarray([-1.2, 1.0])
    calls: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = [
        (
            "curve_fit of 60 points",
            lambda x: curve_fit(lambda *given: _decay(*given), t, y, [1.0, 1.0, 1.0])[0],
            lambda x: scipys.curve_fit(_scipys_decay, T, np.asarray(y), [1.0, 1.0, 1.0]),
        ),
        (
            "minimize, BFGS, 2 unknowns",
            lambda x: minimize(lambda v: _rosenbrock(v), to(x)).x,
            lambda x: scipys.minimize(_rosenbrock, x),
        ),
        (
            "root of 2 equations",
            lambda x: root(lambda v: _circle(v), to(x)).x,
            lambda x: scipys.root(_scipys_circle, x),
        ),
    ]
    for label, ours, theirs in calls:
        yield (
            f"one {label}, JAX",
            "SciPy",
            lambda x, ours=ours: wait(ours(x)),
            theirs,
            [x],
            "0 + 5 ms",
        )
