"""The truncated Newton method within bounds.

S. G. Nash, Newton-type minimization via the Lanczos method, SIAM J. Numer. Anal. 21(4), 1984:
directions by conjugate gradients over the variables that no bound holds, and searches along them up
to the next bound. Products with the Hessian are exact, so there is nothing to precondition against
differences' errors.
"""

from typing import Any

from ....solving._driver import Method
from .._descent import Descent, Ends, descend
from .._method import Each, Row, Rows
from .._newton import newton_direction
from .._objective import Objective

__all__ = ["METHOD"]

_PART = 0.1  # of the gradient, to which Newton's equation is solved at least
_EPS = 2.0**-52  # what SciPy's tolerances are made of


def _tnc(
    objective: Objective,
    ftol: float | None,
    xtol: float | None,
    gtol: float | None,
    eta: float | None,
    maxCGit: int | None,
    maxfun: int,
) -> Method:
    def solve(problems: Rows, x: Any, g: Any, wanted: Any) -> tuple[Any, Any]:
        most = min(50, int(x.shape[1])) if maxCGit is None else max(maxCGit, 1)
        return newton_direction(objective, problems, x, g, wanted, most, _PART)

    c2 = eta if eta is not None and 1e-4 < eta < 1 else 0.25
    descent = Descent(lambda x: (), lambda memory, d, s, y, g: (), None, 1e-4, c2, solve=solve)
    ends = Ends(
        gtol=1e-2 * _EPS**0.25 if gtol is None else gtol,
        maxiter=maxfun,
        ftol=0.0 if ftol is None else ftol,
        xtol=_EPS**0.5 if xtol is None else xtol,
        maxfun=maxfun,
    )
    return descend(objective, descent, ends)


METHOD = Row(
    "TNC",
    _tnc,
    {"ftol": -1.0, "xtol": -1.0, "gtol": -1.0, "eta": -1.0, "maxCGit": -1}
    | {"maxfun": Each(10, 100)},
    bounded=True,
    curved=True,
    routine=True,
)
