"""The functions that the table of what runs where is about."""

import importlib.util
from pathlib import Path
from typing import Any

from .cases_series import SERIES_WITHOUT

__all__ = ["WITHOUT", "functions"]

CI = Path(__file__).parents[2] / "ci" / "pages" / "capabilities.py"
SPARSE = {
    "eigen": ("eigsh", "svds"),
    "least": ("lsmr", "lsqr"),
    "lobpcg": ("lobpcg",),
    "square": ("bicg", "bicgstab", "cg", "cgs", "gmres", "minres"),
}
# No call of one kind shows what they do: `tests/random` and `tests/transforms` are about them.
WITHOUT = {
    **SERIES_WITHOUT,
    **{
        f"optimize.{name}": "tests/optimize calls check_function for it"
        for name in (
            *("bracket_minimum", "bracket_root", "curve_fit", "find_root", "fixed_point"),
            *("least_squares", "linear_sum_assignment", "linprog", "lsq_linear", "minimize"),
            *("minimize_scalar", "nnls", "root", "root_scalar"),
        )
    },
    **{
        f"optimize.{name}": "tests/optimize/_quadratic has it, on all libraries"
        for name in ("affine_set", "project_linear", "solve_qp")
    },
    **{
        f"optimize.{name}": "tests/optimize/_global has it, on all libraries"
        for name in (
            *("basinhopping", "brute", "differential_evolution", "direct", "dual_annealing"),
            "shgo",
        )
    },
    **{
        f"optimize.{name}": "tests/optimize has it: SciPy alone solves it, or it is of whole numbers"
        for name in ("milp", "quadratic_assignment")
    },
    **{
        f"optimize.{name}": "another name of a solver: tests/optimize/_names has it"
        for name in (
            *("approx_fprime", "bisect", "brenth", "brentq", "check_grad", "fmin", "fmin_bfgs"),
            *("fmin_cg", "fmin_l_bfgs_b", "fminbound", "fsolve", "leastsq", "newton", "ridder"),
            *("bracket", "brent", "fmin_cobyla", "fmin_ncg", "fmin_powell", "fmin_slsqp"),
            *("fmin_tnc", "golden", "line_search", "toms748"),
            *("anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing"),
            *("linearmixing", "newton_krylov"),
        )
    },
    **{
        f"integrate.{name}": f"the case is that of missing.{name}"
        for name in ("cumulative_trapezoid", "simpson", "trapezoid")
    },
    **{
        f"integrate.{name}": "of a number: tests/integrate compares nodes and weights"
        for name in (
            *("clenshaw_curtis", "gauss_chebyshev", "gauss_hermite", "gauss_laguerre"),
            *("gauss_legendre", "gauss_lobatto", "newton_cotes"),
        )
    },
    **{
        f"special.roots_{name}": "of numbers: tests/special/test_roots.py compares roots and weights"
        for name in (
            *("chebyc", "chebys", "chebyt", "chebyu", "gegenbauer", "genlaguerre", "hermite"),
            *("hermitenorm", "jacobi", "laguerre", "legendre", "sh_chebyt", "sh_chebyu"),
            *("sh_jacobi", "sh_legendre"),
        )
    },
    "sparse.linalg.aslinearoperator": "an operator comes out: tests/sparse has its products",
    **{
        f"sparse.linalg.{name}": f"tests/sparse/linalg/test_{file}.py has it"
        for file, names in SPARSE.items()
        for name in names
    },
    "integrate.cubature": "tests/integrate/test_cubature.py has it",
    **{
        f"differentiate.{name}": "tests/differentiate/test_differences.py has it"
        for name in ("derivative", "hessian", "jacobian")
    },
    "integrate.nsum": "tests/integrate/test_nsum.py has it",
    "integrate.qmc_quad": "it draws by a key: tests/integrate/test_random.py has it",
    "integrate.quad": "tests/integrate/test_adaptive.py has it",
    "integrate.quad_vec": "tests/integrate/test_vector.py has it",
    "integrate.tanhsinh": "tests/integrate/test_tanhsinh.py has it",
    **{
        f"integrate.{name}": "tests/integrate/test_several.py has it"
        for name in ("dblquad", "nquad", "tplquad")
    },
    "signal.choose_conv_method": "it tells a method's name, by sizes and dtypes",
    "signal.czt_points": "of numbers: tests/signal compares them",
    **{
        f"signal.{name}": "it reads the window's values, and tells: tests/signal has it"
        for name in ("check_COLA", "check_NOLA")
    },
    "interpolate.approximate_taylor_polynomial": "of a function: tests/interpolate compares it",
    "random.Generator": "its methods are the functions of random",
    "transforms.jit": "the column jit of every function is its case",
    "transforms.pure_callback": "it copies to the host, as it says",
    **{
        f"stats.{name}": "it draws by a key: tests/stats has its values"
        for name in (
            *("goodness_of_fit", "ortho_group", "power", "random_correlation"),
            *("special_ortho_group", "uniform_direction", "unitary_group"),
        )
    },
    **{
        f"stats.{name}": "it reads counts, or compares several samples: tests/stats has its values"
        for name in (
            *("binomtest", "contingency.association", "contingency.relative_risk"),
            *("contingency.odds_ratio", "fisher_exact", "ppcc_max"),
        )
    },
    "stats.contingency.chi2_contingency": "the case is that of stats.chi2_contingency",
    "signal.correlation_lags": "of two lengths: tests/signal compares it",
    **{
        f"signal.{name}": "numbers come out: tests/signal compares them"
        for name in ("kaiser_atten", "kaiser_beta", "kaiserord")
    },
}


def functions() -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("capabilities", CI)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Any] = module.functions()
    return found
