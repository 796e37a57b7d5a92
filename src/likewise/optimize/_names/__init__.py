"""SciPy's other names for the solvers, with SciPy's arguments and results."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "OptimizeResult",
    "anderson",
    "approx_fprime",
    "bisect",
    "bracket",
    "brent",
    "brenth",
    "brentq",
    "broyden1",
    "broyden2",
    "check_grad",
    "diagbroyden",
    "excitingmixing",
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
    "leastsq",
    "line_search",
    "linearmixing",
    "newton",
    "newton_krylov",
    "ridder",
    "rosen",
    "rosen_der",
    "rosen_hess",
    "show_options",
    "toms748",
]

if TYPE_CHECKING:
    from ._free import fmin_cobyla, fmin_powell, fmin_tnc
    from ._lines import brent, fmin_ncg, golden
    from ._minima import fmin, fmin_bfgs, fmin_cg, fmin_l_bfgs_b, fmin_slsqp, fminbound, leastsq
    from ._nonlinear import (
        anderson,
        broyden1,
        broyden2,
        diagbroyden,
        excitingmixing,
        linearmixing,
        newton_krylov,
    )
    from ._options import show_options
    from ._record import OptimizeResult
    from ._roots import bisect, brenth, brentq, fsolve, newton, ridder, toms748
    from ._search import bracket, line_search
    from ._valley import approx_fprime, check_grad, rosen, rosen_der, rosen_hess
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_free": "fmin_cobyla fmin_powell fmin_tnc",
            "_lines": "brent fmin_ncg golden",
            "_minima": "fmin fmin_bfgs fmin_cg fmin_l_bfgs_b fmin_slsqp fminbound leastsq",
            "_nonlinear": (
                "anderson broyden1 broyden2 diagbroyden excitingmixing linearmixing newton_krylov"
            ),
            "_options": "show_options",
            "_record": "OptimizeResult",
            "_roots": "bisect brenth brentq fsolve newton ridder toms748",
            "_search": "bracket line_search",
            "_valley": "approx_fprime check_grad rosen rosen_der rosen_hess",
        },
    )
