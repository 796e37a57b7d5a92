"""Optimisation with SciPy's names and meaning, many problems at once, on every library."""

from typing import TYPE_CHECKING

from .._rooms import lazily as _lazily
from ..errors import OptimizeWarning as OptimizeWarning

__all__ = [
    "BasinhoppingResult",
    "Bounds",
    "BracketResult",
    "DifferentialEvolutionResult",
    "DirectResult",
    "DualAnnealingResult",
    "FindMinimumResult",
    "FindRootResult",
    "FitResult",
    "FixedPointResult",
    "IsotonicResult",
    "LeastSquaresResult",
    "LinearConstraint",
    "LinprogResult",
    "LsqLinearResult",
    "MilpResult",
    "MinimizeResult",
    "MinimizeScalarResult",
    "NNLSResult",
    "NonlinearConstraint",
    "OptimizeResult",
    "OptimizeWarning",
    "QPResult",
    "QuadraticAssignmentResult",
    "RootResult",
    "RootResults",
    "ShgoResult",
    "affine_set",
    "anderson",
    "approx_fprime",
    "basinhopping",
    "bisect",
    "bracket",
    "bracket_minimum",
    "bracket_root",
    "brent",
    "brenth",
    "brentq",
    "broyden1",
    "broyden2",
    "brute",
    "check_grad",
    "curve_fit",
    "diagbroyden",
    "differential_evolution",
    "direct",
    "dual_annealing",
    "excitingmixing",
    "find_minimum",
    "find_root",
    "fixed_point",
    "fmin",
    "fmin_bfgs",
    "fmin_cg",
    "fmin_cobyla",
    "fmin_l_bfgs_b",
    "fmin_ncg",
    "fmin_powell",
    "fmin_slsqp",
    "fmin_tnc",
    "fminbound",
    "fsolve",
    "golden",
    "isotonic_regression",
    "least_squares",
    "leastsq",
    "line_search",
    "linear_sum_assignment",
    "linearmixing",
    "linprog",
    "lsq_linear",
    "milp",
    "minimize",
    "minimize_scalar",
    "newton",
    "newton_krylov",
    "nnls",
    "project_linear",
    "quadratic_assignment",
    "ridder",
    "root",
    "root_scalar",
    "rosen",
    "rosen_der",
    "rosen_hess",
    "shgo",
    "show_options",
    "solve_qp",
    "toms748",
]

if TYPE_CHECKING:
    from . import elementwise as elementwise
    from ._constraints import Bounds, LinearConstraint, NonlinearConstraint
    from ._curve_fit import FitResult, curve_fit
    from ._global import (
        BasinhoppingResult,
        DifferentialEvolutionResult,
        DirectResult,
        DualAnnealingResult,
        ShgoResult,
        basinhopping,
        brute,
        differential_evolution,
        direct,
        dual_annealing,
        shgo,
    )
    from ._least_squares import LeastSquaresResult, least_squares
    from ._linear import (
        IsotonicResult,
        LsqLinearResult,
        NNLSResult,
        QuadraticAssignmentResult,
        isotonic_regression,
        linear_sum_assignment,
        lsq_linear,
        nnls,
        quadratic_assignment,
    )
    from ._minimize import MinimizeResult, minimize
    from ._names import (
        OptimizeResult,
        anderson,
        approx_fprime,
        bisect,
        bracket,
        brent,
        brenth,
        brentq,
        broyden1,
        broyden2,
        check_grad,
        diagbroyden,
        excitingmixing,
        fmin,
        fmin_bfgs,
        fmin_cg,
        fmin_cobyla,
        fmin_l_bfgs_b,
        fmin_ncg,
        fmin_powell,
        fmin_slsqp,
        fmin_tnc,
        fminbound,
        fsolve,
        golden,
        leastsq,
        line_search,
        linearmixing,
        newton,
        newton_krylov,
        ridder,
        rosen,
        rosen_der,
        rosen_hess,
        show_options,
        toms748,
    )
    from ._programmes import LinprogResult, MilpResult, linprog, milp
    from ._quadratic import QPResult, affine_set, project_linear, solve_qp
    from ._scalar import (
        BracketResult,
        FindMinimumResult,
        FindRootResult,
        MinimizeScalarResult,
        RootResults,
        bracket_minimum,
        bracket_root,
        find_minimum,
        find_root,
        minimize_scalar,
        root_scalar,
    )
    from ._systems import FixedPointResult, RootResult, fixed_point, root
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_constraints": "Bounds LinearConstraint NonlinearConstraint",
            "_curve_fit": "FitResult curve_fit",
            "_global": (
                "BasinhoppingResult DifferentialEvolutionResult DirectResult DualAnnealingResult "
                "ShgoResult basinhopping brute differential_evolution direct dual_annealing shgo"
            ),
            "_least_squares": "LeastSquaresResult least_squares",
            "_linear": (
                "IsotonicResult LsqLinearResult NNLSResult QuadraticAssignmentResult "
                "isotonic_regression linear_sum_assignment lsq_linear nnls quadratic_assignment"
            ),
            "_minimize": "MinimizeResult minimize",
            "_names": (
                "OptimizeResult anderson approx_fprime bisect bracket brent brenth brentq broyden1 "
                "broyden2 check_grad diagbroyden excitingmixing fmin fmin_bfgs fmin_cg fmin_cobyla "
                "fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc fminbound fsolve golden "
                "leastsq line_search linearmixing newton newton_krylov ridder rosen rosen_der "
                "rosen_hess show_options toms748"
            ),
            "_programmes": "LinprogResult MilpResult linprog milp",
            "_quadratic": "QPResult affine_set project_linear solve_qp",
            "_scalar": (
                "BracketResult FindMinimumResult FindRootResult MinimizeScalarResult RootResults "
                "bracket_minimum bracket_root find_minimum find_root minimize_scalar root_scalar"
            ),
            "_systems": "FixedPointResult RootResult fixed_point root",
            "elementwise": "",
        },
    )
