"""Constraints, programmes, global searches and operators: ``ci/bench --only constraints``.

One line for each row of the table that says what they may cost. Both sides get the same functions,
in float64, the tolerances that a label names, and exact derivatives: SciPy's by hand, ours by
transforms. A peer of 1,000 problems is SciPy in a loop over all of them.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.optimize as scipys
import scipy.sparse.linalg as scipy_linalg

from likewise import array_namespace, optimize
from likewise.sparse import linalg

MANY = 1000
TIGHT = {"SLSQP": {"ftol": 1e-6}, "trust-constr": {"gtol": 1e-8, "xtol": 1e-8}}


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Label, peer, ours, theirs, inputs, limit."""
    rng = np.random.default_rng(0)
    starts = [rng.uniform(-1.5, 1.5, size=2) for _ in range(8)]
    for method, limit in (("SLSQP", "0.5"), ("trust-constr", "0.3")):
        words = ", ".join(f"{k}={v:g}" for k, v in TIGHT[method].items())
        label = f"one {method} of 2 unknowns, {words}, float64, NumPy"
        yield label, "SciPy", _one(method), _theirs(method), starts, limit
    for peer, theirs, limit in (("nlopt", _by_nlopt, "2"), ("cyipopt", _by_ipopt, "0.1")):
        if find_spec(peer):  # neither is needed: pip install nlopt cyipopt-wheels
            label = "one SLSQP of 2 unknowns, ftol=1e-06, float64, NumPy"
            yield label, peer, _one("SLSQP"), theirs, starts, limit
    count = 50 if quick else MANY
    many = [rng.uniform(-1.5, 1.5, size=(count, 2)) for _ in range(3)]
    kinds = (
        ("", _one("SLSQP", vectorized=True), _loop(_theirs("SLSQP")), "0.045 0.018"),
        (", to the nearest point of a polygon", _nearest, _loop(_their_nearest), "0.18 0.07"),
    )
    for words, mine, loop, limits in kinds:
        most, least = limits.split()
        for name, limit in (("numpy", most), ("torch", most), ("jax", least)):
            if name in libraries:
                to, wait = libraries[name]
                given = [(to(x), x) for x in many]
                label = (
                    f"{count:,} SLSQP of 2 unknowns{words} as a batch, ftol=1e-06, float64, {name}"
                )
                yield label, "SciPy's loop", _waited(mine, wait), loop, given, limit
    yield from _searches(quick)
    yield from _programmes(rng, count)
    yield from _operators(1_000 if quick else 100_000)


def rosen(x: Any) -> Any:
    """Rosenbrock's function of x (..., 2)."""
    return 100 * (x[..., 1] - x[..., 0] ** 2) ** 2 + (1 - x[..., 0]) ** 2


def disc(x: Any) -> Any:
    """Return what is at least 0 in a disc, on whose edge the minimum is."""
    return 1.5 - x[..., 0] ** 2 - x[..., 1] ** 2


def _one(method: str, **given: Any) -> Callable[[Any], Any]:
    options = TIGHT[method]
    return lambda x0: (
        optimize.minimize(
            rosen,
            x0,
            method=method,
            constraints=[{"type": "ineq", "fun": disc}],
            bounds=[(-1.5, 1.5), (-1.5, 1.5)],
            options=options,
            **given,
        ).x
    )


def _theirs(method: str) -> Callable[[Any], Any]:
    rows = [{"type": "ineq", "fun": disc, "jac": lambda x: -2 * x}]
    options = TIGHT[method]
    return lambda x0: (
        scipys.minimize(
            rosen,
            x0,
            jac=scipys.rosen_der,
            method=method,
            constraints=rows,
            bounds=[(-1.5, 1.5), (-1.5, 1.5)],
            options=options,
        ).x
    )


SIDES = [((1.0, -2.0), 2.0), ((-1.0, -2.0), 6.0), ((-1.0, 2.0), 2.0)]  # of the polygon


def bowl(x: Any) -> Any:
    """Return the squared distance of x (..., 2) from a point outside of the polygon."""
    return (x[..., 0] - 1) ** 2 + (x[..., 1] - 2.5) ** 2


def _nearest(x0: Any) -> Any:
    rows = [
        {"type": "ineq", "fun": lambda x, a=a, b=b: a[0] * x[..., 0] + a[1] * x[..., 1] + b}
        for a, b in SIDES
    ]
    given: dict[str, Any] = {"method": "SLSQP", "bounds": [(0.0, None)] * 2, "constraints": rows}
    return optimize.minimize(bowl, x0, options=TIGHT["SLSQP"], vectorized=True, **given).x


def _their_nearest(x0: Any) -> Any:
    rows = [
        {
            "type": "ineq",
            "fun": lambda x, a=a, b=b: a[0] * x[0] + a[1] * x[1] + b,
            "jac": lambda x, a=a: np.asarray(a),
        }
        for a, b in SIDES
    ]
    given: dict[str, Any] = {"method": "SLSQP", "bounds": [(0.0, None)] * 2, "constraints": rows}
    centre = np.asarray([1.0, 2.5])
    return scipys.minimize(
        bowl, x0, jac=lambda x: 2 * (x - centre), options=TIGHT["SLSQP"], **given
    ).x


def _by_nlopt(x0: Any) -> Any:
    nlopt: Any = import_module("nlopt")

    def fun(x: Any, slope: Any) -> float:
        if slope.size:
            slope[:] = scipys.rosen_der(x)
        return float(rosen(x))

    def row(x: Any, slope: Any) -> float:
        if slope.size:
            slope[:] = 2 * x
        return -float(disc(x))

    solver = nlopt.opt(nlopt.LD_SLSQP, 2)
    solver.set_min_objective(fun)
    solver.add_inequality_constraint(row, 1e-9)
    solver.set_lower_bounds([-1.5, -1.5])
    solver.set_upper_bounds([1.5, 1.5])
    solver.set_ftol_abs(1e-6)
    return solver.optimize(x0)


def _by_ipopt(x0: Any) -> Any:
    cyipopt: Any = import_module("cyipopt")
    rows = [{"type": "ineq", "fun": disc, "jac": lambda x: -2 * x}]
    bounds = [(-1.5, 1.5), (-1.5, 1.5)]
    return cyipopt.minimize_ipopt(
        rosen, x0, jac=scipys.rosen_der, bounds=bounds, constraints=rows, tol=1e-6
    ).x


def _loop(one: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda pair: [one(x0) for x0 in pair[1]]


def _waited(call: Callable[[Any], Any], wait: Any) -> Callable[[Any], Any]:
    return lambda pair: wait(call(pair[0]))


def _searches(quick: bool) -> Iterator[Any]:
    def ackley(x: Any) -> Any:
        xp = array_namespace(x)
        near = xp.exp(-0.2 * xp.sqrt(xp.mean(x * x, axis=-1)))
        waves = xp.exp(xp.mean(xp.cos(2 * np.pi * x), axis=-1))
        return -20 * near - waves + 20 + np.e

    bounds, most = [(-5.0, 5.0)] * 5, 20 if quick else 1000
    label = "differential_evolution in 5-d, tol=0.01, polished, float64, NumPy"
    yield (
        label,
        "SciPy",
        lambda seed: optimize.differential_evolution(ackley, bounds, key=seed, maxiter=most).x,
        lambda seed: scipys.differential_evolution(ackley, bounds, rng=seed, maxiter=most).x,
        list(range(5)),
        "0.2",
    )

    def rastrigin(x: Any) -> Any:
        xp = array_namespace(x)
        return 20 + xp.sum(x * x - 10 * xp.cos(2 * np.pi * x), axis=-1)

    box, chains = [(-5.12, 5.12)] * 2, 20 if quick else 300
    yield (
        f"dual_annealing in 2-d, {chains} iterations, float64, NumPy",
        "SciPy",
        lambda seed: optimize.dual_annealing(rastrigin, box, key=seed, maxiter=chains).x,
        lambda seed: scipys.dual_annealing(rastrigin, box, rng=seed, maxiter=chains).x,
        list(range(3)),
        "a figure",
    )
    for biased in (True, False):
        yield (
            f"direct in 2-d, locally_biased={biased}, float64, NumPy",
            "SciPy",
            lambda _, b=biased: optimize.direct(rastrigin, box, locally_biased=b).x,
            lambda _, b=biased: scipys.direct(rastrigin, box, locally_biased=b).x,
            [0],
            "a figure",
        )


def _programmes(rng: Any, count: int) -> Iterator[Any]:
    def programme(*batch: int) -> tuple[Any, Any, Any]:
        a = rng.normal(size=(*batch, 20, 50))
        inside = rng.uniform(0.5, 1.5, size=(*batch, 50))
        c = np.einsum("...mn,...m->...n", a, -rng.uniform(size=(*batch, 20)))
        c = c + rng.uniform(0.1, 1, size=(*batch, 50))
        return c, a, np.einsum("...mn,...n->...m", a, inside) + rng.uniform(size=(*batch, 20))

    one = [programme() for _ in range(5)]
    yield (
        "one linprog of 20 x 50, HiGHS, float64, NumPy",
        "SciPy",
        lambda p: optimize.linprog(*p).x,
        lambda p: scipys.linprog(*p).x,
        one,
        "1.2",
    )
    yield (
        f"{count:,} linprog of 20 x 50 as a batch, tol=1e-08, float64, NumPy",
        "SciPy's loop",
        lambda p: optimize.linprog(*p).x,
        lambda p: [scipys.linprog(*q).x for q in zip(*p, strict=True)],
        [programme(count) for _ in range(2)],
        "0.1",
    )


def _operators(n: int) -> Iterator[Any]:
    """The one-dimensional Laplacian, shifted, and differences."""

    def laplacian(x: Any) -> Any:
        xp = array_namespace(x)
        ends = xp.zeros_like(x[:1])
        return 2.5 * x - xp.concat([x[1:], ends]) - xp.concat([ends, x[:-1]])

    rights = [np.random.default_rng(k).normal(size=n) for k in range(3)]
    for name, mine, peer in (
        ("cg", linalg.cg, scipy_linalg.cg),
        ("lsqr", linalg.lsqr, scipy_linalg.lsqr),
    ):
        given: dict[str, Any] = {"matvec": laplacian, "dtype": np.float64}
        if name == "lsqr":
            given["rmatvec"] = laplacian
        tolerances = {"rtol": 1e-8} if name == "cg" else {"atol": 1e-8, "btol": 1e-8}
        words = ", ".join(f"{k}={v:g}" for k, v in tolerances.items())
        theirs = scipy_linalg.LinearOperator((n, n), **given)
        ours = linalg.LinearOperator((n, n), **given)
        yield (
            f"{name} of {n:,} unknowns by an operator, {words}, float64, NumPy",
            "SciPy",
            lambda b, f=mine, a=ours, t=tolerances: f(a, b, **t)[0],
            lambda b, f=peer, a=theirs, t=tolerances: f(a, b, **t)[0],
            rights,
            "1.1",
        )

    # Least squares within bounds that a tenth of the unknowns meets, by products alone.
    peer = scipy_linalg.LinearOperator((n, n), laplacian, rmatvec=laplacian, dtype=float)
    yield (
        f"lsq_linear of {n:,} unknowns within bounds by an operator, float64, NumPy",
        "SciPy",
        lambda b: (
            optimize.lsq_linear(linalg.LinearOperator((n, n), laplacian, laplacian), b, BOX).x
        ),
        lambda b: scipys.lsq_linear(peer, b, BOX).x,
        rights[:1],
        "0.5",
    )
    yield _large(3000 if n > 10_000 else 300)


BOX = (-0.3, 0.4)


def _large(n: int) -> Any:
    """The large workload of bounded least squares, with equations."""
    rng, p = np.random.default_rng(0), n // 12
    J, truth = rng.normal(size=(n, p)) / np.sqrt(n), 0.5 * rng.normal(size=p)
    lower = np.where(np.arange(p) < p // 10, truth + 0.1, -np.inf)
    E = rng.normal(size=(10, p)) / np.sqrt(p)
    right = E @ np.maximum(truth, lower)
    start = np.maximum(0.0, lower + 0.1)
    data = [J @ truth + 0.01 * rng.normal(size=n) for _ in range(3)]

    def fun(x: Any, y: Any) -> Any:
        xp = array_namespace(x)
        z = xp.matmul(xp.asarray(J), x)
        return z + 0.1 * xp.sin(z) - xp.asarray(y)

    def slope(x: Any, y: Any) -> Any:
        return J.T @ ((1 + 0.1 * np.cos(J @ x)) * fun(x, y))

    rows = optimize.LinearConstraint(E, right, right)
    bounds = np.stack([lower, np.full(p, np.inf)], axis=1)
    return (
        f"least_squares {n} x {p}, bounds active on 10 %, 10 equations, tol=1e-06, float64, NumPy",
        "SciPy's SLSQP",
        lambda y: (
            optimize.least_squares(
                fun,
                start,
                bounds=(lower, np.inf),
                constraints=rows,
                args=(y,),
                **dict.fromkeys(("ftol", "xtol", "gtol"), 1e-6),
            ).x
        ),
        lambda y: (
            scipys.minimize(
                lambda x: 0.5 * np.sum(fun(x, y) ** 2),
                start,
                jac=lambda x: slope(x, y),
                method="SLSQP",
                bounds=bounds,
                constraints=scipys.LinearConstraint(E, right, right),
                options={"ftol": 1e-12, "maxiter": 500},
            ).x
        ),
        data,
        "10",
    )
