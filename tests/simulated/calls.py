"""Calls of the functions that have no case in ``tests/capabilities``: solvers above all."""

from functools import partial
from typing import Any

import numpy as np

from likewise import (
    array_namespace,
    device,
    differentiate,
    integrate,
    interpolate,
    library,
    optimize,
    polynomial,
    random,
    signal,
    sparse,
    special,
    stats,
)
from likewise import transforms as t

from ..capabilities.case import case
from ..capabilities.cases_series import CALLED_WITHOUT
from ..capabilities.listed import WITHOUT

__all__ = ["CALLS", "OF_NUMBERS"]

# No array goes in, and none comes out.
OF_NUMBERS = {"polynomial.chebpts1", "polynomial.chebpts2"} | {
    name
    for name in WITHOUT
    if name.removeprefix("signal.")
    in (
        "choose_conv_method",
        "correlation_lags",
        "czt_points",
        "kaiser_atten",
        "kaiser_beta",
        "kaiserord",
    )
}
T = np.linspace(0.0, 2.0, 9)
Y = 2.5 * np.exp(-1.3 * T) + 0.01 * np.cos(9 * T)
START = np.asarray([1.0, 1.0])
VALLEY = np.asarray([-1.2, 1.0])
MATRIX = np.asarray([[2.0, 1.0, 0.5], [0.3, 1.5, -0.2], [0.1, 0.4, 1.8], [1.0, -1.0, 0.7]])
RIGHT = np.asarray([1.0, 0.2, 1.1, 0.4])
SYMMETRIC = MATRIX.T @ MATRIX
LOW, HIGH = np.asarray([0.5, 0.2]), np.asarray([2.5, 3.0])
BOX = np.asarray([0.25, 0.5])
ONE = np.asarray(1.5)
COUNTS = np.asarray([[12, 5, 9], [6, 14, 3]])
SAMPLE = np.asarray([2.8, 1.9, 4.1, 3.3, 2.2, 3.9, 5.6, 2.5, 4.8, 3.1])


def decay(t: Any, a: Any, b: Any) -> Any:
    return a * array_namespace(t).exp(-b * t)


def residuals(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.stack([x[0] + 2 * x[1] - 2.0, x[0] * x[1] - 0.4, x[0] - 1.1])


def square(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.stack([x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1.0, 0.5 * (x[1] - x[0]) ** 3 + x[1]])


def bell(x: Any) -> Any:
    return 1 / (1 + x * x)


def first_cubed(x: Any) -> Any:
    return x[0, ...] ** 3


def cubic(x: Any) -> Any:
    return x**3 - x - 1.0


def slope(x: Any) -> Any:
    return 3 * x**2 - 1.0


def bowl(x: Any) -> Any:
    return (x - 1.25) ** 2 + 0.5 * x


def contracted(x: Any) -> Any:
    return array_namespace(x).cos(x) / 2


def solver(name: str, *args: Any, of: Any, pick: str = "x", **options: Any) -> Any:
    """Return a case of a solver: its function first, then `args`, of which NumPy's go to the device."""
    func = getattr(optimize, name)

    def by(*given: Any) -> Any:
        found = func(of, *given, **options)
        return getattr(found, pick) if pick else found

    return case(f"optimize.{name}", *args, by=by)


def drawn(name: str, *args: Any) -> Any:
    """Return a case of a multivariate distribution's draws: `args`, then a key of the device's."""

    def by(*given: Any) -> Any:
        return getattr(stats, name).rvs(*given[:-1], key=given[-1])

    return case(f"stats.{name}", *args, np.asarray([0, 42], np.uint32), by=by)


def rosen(x: Any) -> Any:
    return optimize.rosen(x)


def fading(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.exp(-xp.sum(x * x, axis=1))


def slopes(x: Any) -> Any:
    return optimize.rosen_der(x)


CALLS = [
    solver("curve_fit", T, Y, of=decay, pick="", p0=(1.0, 1.0)),
    solver("curve_fit", T, Y, of=decay, pick="", p0=(1.0, 1.0), bounds=(0.0, 5.0)),
    *(
        solver("least_squares", START, of=residuals, method=method)
        for method in ("trf", "dogbox", "lm")
    ),
    solver("least_squares", START, of=residuals, bounds=(0.0, 3.0), loss="soft_l1"),
    *(
        solver("minimize", VALLEY, of=rosen, method=method, options={"maxiter": 2})
        for method in ("BFGS", "L-BFGS-B", "Nelder-Mead", "CG", "Newton-CG", "trust-ncg")
    ),
    *(
        solver("root", START, of=square, method=method)
        for method in ("hybr", "lm", "krylov", "broyden1")
    ),
    solver("fixed_point", START, of=contracted, pick=""),
    case("optimize.find_root", LOW, HIGH, by=lambda a, b: optimize.find_root(cubic, (a, b)).x),
    *(
        case(f"integrate.{name}", SAMPLE)
        for name in ("cumulative_trapezoid", "simpson", "trapezoid")
    ),
    *(
        case(
            f"integrate.{name}",
            SAMPLE,
            by=lambda x, name=name: getattr(integrate, name)(4, like=x)[0],
        )
        for name in (
            *("clenshaw_curtis", "gauss_chebyshev", "gauss_hermite", "gauss_laguerre"),
            *("gauss_legendre", "gauss_lobatto", "newton_cotes"),
        )
    ),
    case(
        "interpolate.approximate_taylor_polynomial",
        ONE,
        by=lambda x: interpolate.approximate_taylor_polynomial(cubic, x, 3, 0.5),
    ),
    case("differentiate.derivative", LOW, by=lambda x: differentiate.derivative(cubic, x).df),
    case("differentiate.jacobian", LOW, by=lambda x: differentiate.jacobian(cubic, x).df),
    case("differentiate.hessian", LOW, by=lambda x: differentiate.hessian(first_cubed, x).ddf),
    case(
        "integrate.dblquad",
        LOW,
        HIGH,
        by=lambda a, b: integrate.dblquad(lambda y, x: x * y, a, b, 0.0, lambda x: x)[0],
    ),
    case(
        "integrate.nquad",
        LOW,
        HIGH,
        by=lambda a, b: integrate.nquad(lambda y, x: x * y, [(0.0, 1.0), (a, b)])[0],
    ),
    case(
        "integrate.tplquad",
        LOW,
        HIGH,
        by=lambda a, b: integrate.tplquad(
            lambda z, y, x: x * y + z, a, b, 0.0, lambda x: x, 0.0, 1.0
        )[0],
    ),
    case("integrate.nsum", LOW, HIGH, by=lambda a, b: integrate.nsum(bell, a, b).sum),
    case("integrate.quad", LOW, HIGH, by=lambda a, b: integrate.quad(cubic, a, b)[0]),
    *(
        case(
            f"special.roots_{name}",
            SAMPLE,
            by=lambda x, name=name, args=args: getattr(special, f"roots_{name}")(4, *args, like=x)[
                0
            ],
        )
        for name, args in (
            *((name, ()) for name in ("chebyc", "chebys", "chebyt", "chebyu", "hermite")),
            *((name, ()) for name in ("hermitenorm", "laguerre", "legendre", "sh_chebyt")),
            *((name, ()) for name in ("sh_chebyu", "sh_legendre")),
            *((name, (0.5,)) for name in ("gegenbauer", "genlaguerre")),
            *((name, (1.5, 1.0)) for name in ("jacobi", "sh_jacobi")),
        )
    ),
    case(
        "integrate.cubature",
        BOX,
        by=lambda a: integrate.cubature(fading, a, a + 1, rule="genz-malik", rtol=1e-3).estimate,
    ),
    case(
        "integrate.qmc_quad",
        BOX,
        by=lambda a: integrate.qmc_quad(lambda x: x[0, ...] ** 2, a, a + 1, n_points=16).integral,
    ),
    case("integrate.quad_vec", ONE, by=lambda a: integrate.quad_vec(cubic, a, a + 1.0)[0]),
    case("integrate.tanhsinh", LOW, HIGH, by=lambda a, b: integrate.tanhsinh(cubic, a, b).integral),
    solver("bracket_root", LOW, of=cubic, pick="bracket"),
    solver("bracket_minimum", LOW, of=bowl, pick="bracket"),
    *(
        case(
            "optimize.root_scalar",
            ONE,
            by=lambda x, o=options: optimize.root_scalar(cubic, x0=x, **o).root,
        )
        for options in ({"method": "secant", "x1": 2.0}, {"method": "newton", "fprime": slope})
    ),
    *(
        case(
            "optimize.root_scalar",
            np.asarray(1.0),
            np.asarray(2.0),
            by=lambda a, b, m=method: optimize.root_scalar(cubic, bracket=(a, b), method=m).root,
        )
        for method in ("bisect", "brentq", "brenth", "ridder", "toms748")
    ),
    *(
        case(
            "optimize.minimize_scalar",
            np.asarray(0.0),
            np.asarray(2.0),
            by=lambda a, b, m=method, k=key: (
                optimize.minimize_scalar(bowl, method=m, **{k: (a, b)}).x
            ),
        )
        for method, key in (("brent", "bracket"), ("golden", "bracket"), ("bounded", "bounds"))
    ),
    *(
        case(
            f"optimize.{name}",
            np.asarray(1.0),
            np.asarray(2.0),
            by=partial(getattr(optimize, name), cubic),
        )
        for name in ("bisect", "brenth", "brentq", "ridder", "toms748")
    ),
    case("optimize.newton", ONE, by=lambda x: optimize.newton(cubic, x, slope)),
    *(
        case(
            f"optimize.{name}",
            START,
            by=lambda x, name=name: getattr(optimize, name)(square, x, 3, line_search=None),
        )
        for name in (
            *("anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing"),
            *("linearmixing", "newton_krylov"),
        )
    ),
    case("optimize.fsolve", START, by=lambda x: optimize.fsolve(square, x)),
    case("optimize.leastsq", START, by=lambda x: optimize.leastsq(residuals, x)[0]),
    case(
        "optimize.fminbound", np.asarray(0.0), np.asarray(2.0), by=partial(optimize.fminbound, bowl)
    ),
    *(
        case(
            f"optimize.{name}",
            np.asarray(0.0),
            np.asarray(2.0),
            by=lambda a, b, f=name: getattr(optimize, f)(bowl, brack=(a, b)),
        )
        for name in ("brent", "golden")
    ),
    case(
        "optimize.bracket",
        np.asarray(0.0),
        np.asarray(1.0),
        by=lambda a, b: optimize.bracket(bowl, a, b)[:3],
    ),
    *(
        case(
            f"optimize.{name}",
            VALLEY,
            by=lambda x, f=name: getattr(optimize, f)(rosen, x, slopes, maxiter=2, disp=False),
        )
        for name in ("fmin_bfgs", "fmin_cg", "fmin_ncg")
    ),
    case("optimize.fmin", VALLEY, by=lambda x: optimize.fmin(rosen, x, maxiter=2, disp=False)),
    case(
        "optimize.fmin_powell",
        VALLEY,
        by=lambda x: optimize.fmin_powell(rosen, x, maxiter=2, disp=False),
    ),
    case(
        "optimize.fmin_tnc",
        VALLEY,
        by=lambda x: optimize.fmin_tnc(rosen, x, slopes, maxfun=2)[0],
    ),
    case(
        "optimize.fmin_cobyla",
        VALLEY,
        by=lambda x: optimize.fmin_cobyla(rosen, x, lambda x: x + 9.0, maxfun=9),
    ),
    case(
        "optimize.fmin_l_bfgs_b",
        VALLEY,
        by=lambda x: optimize.fmin_l_bfgs_b(rosen, x, slopes, maxiter=2)[0],
    ),
    case(
        "optimize.fmin_slsqp",
        VALLEY,
        by=lambda x: optimize.fmin_slsqp(rosen, x, fprime=slopes, iter=2, iprint=0),
    ),
    case("optimize.approx_fprime", VALLEY, by=lambda x: optimize.approx_fprime(x, rosen)),
    case("optimize.check_grad", VALLEY, by=lambda x: optimize.check_grad(rosen, slopes, x)),
    case(
        "optimize.line_search",
        VALLEY,
        by=lambda x: optimize.line_search(rosen, slopes, x, -slopes(x))[0],
    ),
    *(
        case(
            f"optimize.{name}",
            np.asarray([[-1.0, 2.0], [-1.0, 2.0]]),
            by=lambda box, f=name, k=given: getattr(optimize, f)(rosen, box, **k).x,
        )
        for name, given in (
            ("differential_evolution", {"maxiter": 2, "popsize": 3}),
            ("dual_annealing", {"maxiter": 2}),
            ("direct", {"maxiter": 2}),
            ("shgo", {"n": 4}),
        )
    ),
    case("optimize.basinhopping", VALLEY, by=lambda x: optimize.basinhopping(rosen, x, niter=1).x),
    case(
        "optimize.brute",
        VALLEY,
        by=lambda c: optimize.brute(
            lambda x, c: rosen(x - c), [(-1, 1)] * 2, (c,), Ns=3, finish=None
        ),
    ),
    case("optimize.nnls", MATRIX, RIGHT, by=lambda a, b: optimize.nnls(a, b)[0]),
    case(
        "optimize.solve_qp",
        MATRIX,
        RIGHT,
        by=lambda a, b: (
            optimize.solve_qp(a.T @ a, b[:3], a, b).x,
            optimize.solve_qp(None, b[:3], a, b, lb=-1.0, ub=1.0).x,
        ),
    ),
    case(
        "optimize.project_linear",
        MATRIX,
        RIGHT,
        by=lambda a, b: (
            optimize.project_linear(b[:3], a, b - 1, b + 9),
            optimize.project_linear(b[:3], a[:2, :], b[:2], b[:2]),
        ),
    ),
    case("optimize.affine_set", MATRIX, RIGHT, by=lambda a, b: optimize.affine_set(a, a @ b[:3])),
    case("optimize.lsq_linear", MATRIX, RIGHT, by=lambda a, b: optimize.lsq_linear(a, b, (0, 1)).x),
    case("optimize.linear_sum_assignment", MATRIX),
    case("optimize.linprog", MATRIX, RIGHT, by=lambda a, b: optimize.linprog(b[:3], a, b + 1).fun),
    case(
        "optimize.milp",
        MATRIX,
        by=lambda a: optimize.milp(-a[0, :], constraints=(a, 0, 1)).fun,
        eager={"cupy": "SciPy's solver alone", "torch": "SciPy's solver alone"},
    ),
    case(
        "optimize.quadratic_assignment", SYMMETRIC, by=lambda a: optimize.quadratic_assignment(a, a)
    ),
    *CALLED_WITHOUT,
    case("sparse.linalg.eigsh", SYMMETRIC, by=lambda a: sparse.linalg.eigsh(a, 2)[0]),
    case("sparse.linalg.lobpcg", SYMMETRIC, by=lambda a: sparse.linalg.lobpcg(a, a[:, :2])[0]),
    case("sparse.linalg.svds", MATRIX, by=lambda a: sparse.linalg.svds(a, 2)[1]),
    case(
        "sparse.linalg.aslinearoperator",
        MATRIX,
        RIGHT,
        by=lambda a, b: sparse.linalg.aslinearoperator(a).rmatvec(b),
    ),
    *(
        case(
            f"sparse.linalg.{name}",
            SYMMETRIC,
            RIGHT[:3],
            by=lambda a, b, name=name: getattr(sparse.linalg, name)(a, b)[0],
        )
        for name in ("bicg", "bicgstab", "cg", "cgs", "gmres", "minres")
    ),
    *(
        case(
            f"sparse.linalg.{name}",
            MATRIX,
            RIGHT,
            by=lambda a, b, name=name: getattr(sparse.linalg, name)(a, b)[0],
        )
        for name in ("lsmr", "lsqr")
    ),
    case(
        "polynomial.chebinterpolate",
        ONE,
        by=lambda x: polynomial.chebinterpolate(
            lambda v: v * x, 3, namespace=library(x), device=device(x)
        ),
    ),
    case("signal.check_COLA", np.ones(8), by=lambda w: signal.check_COLA(w, 8, 4)),
    case("signal.check_NOLA", np.ones(8), by=lambda w: signal.check_NOLA(w, 8, 4)),
    case(
        "random.Generator",
        np.asarray([0, 42], np.uint32),
        by=lambda k: random.Generator(k).normal(size=(3,)),
    ),
    *(
        drawn(name, 3)
        for name in ("ortho_group", "special_ortho_group", "uniform_direction", "unitary_group")
    ),
    drawn("random_correlation", np.asarray([0.5, 0.8, 1.7])),
    case(
        "stats.power",
        np.asarray([0, 42], np.uint32),
        by=lambda key: (
            stats.power(
                stats.ttest_1samp,
                lambda key, size: random.normal(key, size),
                8,
                kwargs={"popmean": 0.5},
                n_resamples=20,
                key=key,
            ).power
        ),
    ),
    case(
        "stats.goodness_of_fit",
        SAMPLE,
        by=lambda x: stats.goodness_of_fit(stats.norm, x, n_mc_samples=20).pvalue,
    ),
    case("stats.ppcc_max", SAMPLE, by=stats.ppcc_max),
    case("stats.contingency.association", COUNTS, by=stats.contingency.association),
    case(
        "stats.contingency.odds_ratio",
        COUNTS[:, :2],
        by=lambda table: stats.contingency.odds_ratio(table).statistic,
    ),
    case("stats.contingency.chi2_contingency", COUNTS, by=stats.contingency.chi2_contingency),
    case(
        "stats.contingency.relative_risk",
        *(np.asarray(n) for n in (27, 122, 44, 487)),
        by=lambda *n: stats.contingency.relative_risk(*n).relative_risk,
    ),
    case("transforms.jit", VALLEY, by=t.jit(rosen)),
    case(
        "transforms.pure_callback",
        VALLEY,
        by=lambda x: t.pure_callback(np.sort, x, x),
    ),
]
