"""Every public function that is differentiable, against differences: in float64 on NumPy.

These run by default, so that nobody adds a function whose derivative is wrong and hears of it under
--full alone. The other libraries, and more points, are `check_function`'s and the rooms' tests'.
"""

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise import signal, special
from likewise import transforms as t
from likewise.solving import _function
from likewise.testing import check_grads
from likewise.transforms._implicit import refined_elementwise
from likewise.transforms._rules._rules import RULES
from likewise.transforms._tree import leaves, map_leaves

from ..modes import agree
from .case import Case, case
from .cases_series import SERIES_WITHOUT
from .cases_solvers import ALIKE
from .listed import functions
from .test_alone import MORE
from .test_every_function import CASES

# Why a function has no check, by name or by the beginning of a name. Where all that comes out is
# whole numbers or truths none is asked for, nor where each case of it says why.
UNCHECKED = {
    "random.": "of keys, and of numbers",
    "signal.windows.": "of a length, and of numbers",
    **dict.fromkeys(("signal.get_window", "signal.savgol_coeffs"), "of a length, and of numbers"),
    **dict.fromkeys(("signal.iircomb", "signal.kaiser", "signal.czt_points"), "of numbers"),
    **dict.fromkeys(
        (
            *("optimize.basinhopping", "optimize.brute", "optimize.differential_evolution"),
            *("optimize.direct", "optimize.dual_annealing", "optimize.shgo"),
        ),
        "searches of many evaluations: tests/optimize/_global compares derivatives of their ends",
    ),
    "signal.unit_impulse": "of lengths",
    **dict.fromkeys(("missing.one_hot", "special.comb", "special.perm"), "of whole numbers"),
    **dict.fromkeys(("missing.ravel_multi_index", "missing.unravel_index"), "of whole numbers"),
    "signal.choose_conv_method": "it tells a method's name",
    "signal.correlation_lags": "of lengths",
    "signal.check_": "it reads a window's values, and tells",
    **{
        f"integrate.{name}": f"the check is that of missing.{name}"
        for name in ("cumulative_trapezoid", "simpson", "trapezoid")
    },
    **dict.fromkeys(("integrate.clenshaw_curtis", "integrate.newton_cotes"), "of a number"),
    "integrate.gauss_": "of a number",
    "special.roots_": "of numbers",
    **{
        f"differentiate.{name}": "tests/differentiate/test_differences.py has it"
        for name in ("derivative", "hessian", "jacobian")
    },
    "integrate.nsum": "tests/integrate/test_nsum.py has it",
    "sparse.linalg.": "tests/sparse has them, which the default run checks",
    "integrate.cubature": "tests/integrate/test_cubature.py has it",
    "integrate.qmc_quad": "tests/integrate/test_random.py has it",
    "integrate.quad": "tests/integrate/test_adaptive.py has it",
    "integrate.tanhsinh": "tests/integrate/test_tanhsinh.py has it",
    **{
        f"integrate.{name}": "tests/integrate/test_several.py has it"
        for name in ("dblquad", "nquad", "tplquad")
    },
    "interpolate.approximate_taylor_polynomial": "of a function, which tests/interpolate has",
    **SERIES_WITHOUT,
    "optimize.linear_sum_assignment": "places are whole numbers",
    "optimize.milp": "SciPy's solver gives none, and tests/optimize has the error",
    "optimize.quadratic_assignment": "tests/optimize has it",
    "optimize.bracket": "it, bracket_root and bracket_minimum say that a bracket has no derivative",
    "optimize.check_grad": "a number comes out, of what is differenced inside",
    "optimize.line_search": "numbers come out",
    **{
        f"stats.{name}": "of ranks"
        for name in (
            *("ansari", "brunnermunzel", "chatterjeexi", "fligner", "friedmanchisquare"),
            *("kendalltau", "kruskal", "mannwhitneyu", "mood", "page_trend_test", "ranksums"),
            *("spearmanr", "weightedtau", "wilcoxon"),
        )
    },
    **{
        f"stats.{name}": "a share of samples"
        for name in ("goodness_of_fit", "monte_carlo_test", "permutation_test", "power")
    },
    **{
        f"stats.{name}": "of a key, and of numbers"
        for name in (
            *("ortho_group", "random_correlation", "special_ortho_group"),
            *("uniform_direction", "unitary_group"),
        )
    },
    **{
        f"stats.{name}": "of counts"
        for name in (
            *("barnard_exact", "binomtest", "boschloo_exact", "contingency.association"),
            *("contingency.crosstab", "contingency.relative_risk", "fisher_exact"),
            *("contingency.odds_ratio", "multivariate_hypergeom", "poisson_means_test", "somersd"),
        )
    },
    **{
        f"stats.{name}_normmax": "tests/stats/_describing/test_powers.py has it"
        for name in ("boxcox", "yeojohnson")
    },
    "stats.contingency.chi2_contingency": "the check is that of stats.chi2_contingency",
    "stats.mode": "of counts; the value is one of the data",
    "stats.ppcc_max": "numbers come out",
    "stats.sigmaclip": "values decide how many are left",
    "transforms.pure_callback": "what is called is outside; custom_jvp around it has a derivative",
}
# Why all derivatives in the cases of a function are 0.
FLAT = {
    **dict.fromkeys(("missing.round", "missing.rankdata", "signal.square"), "it has steps"),
    "special.gammasgn": "a sign",
    **dict.fromkeys(
        ("ndimage.distance_transform_bf", "ndimage.distance_transform_edt"),
        "of truths, in the image; tests/ndimage has the derivatives in sampling",
    ),
    **{
        f"stats.{name}": "of ranks and counts, it has steps"
        for name in (
            *("anderson_ksamp", "cramervonmises_2samp", "ks_2samp", "median_test"),
            *("percentileofscore", "quantile_test", "rankdata", "tiecorrect"),
        )
    },
    **dict.fromkeys(("fft.fftfreq", "fft.rfftfreq"), "of a length; of arrays only the library"),
    **{
        f"spatial.distance.{name}": "of truths"
        for name in (
            *("dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"),
        )
    },
}
NOT_LOOKED_AT = "grad=False"  # which is no reason
# Their own rule is for one direction.
BACKWARDS = {"transforms.custom_vjp": "has none forwards"}

X = np.random.default_rng(29).normal(size=24)
HALVES, POSITIVE = np.asarray([1.5, 2.5, 3.5]), np.asarray([0.3, 0.6, 2.5])
# Compiled functions and instances of classes, which have no line of their own in the table; and
# arguments that the other cases have as whole numbers, or where the function is flat.
CALLED = [
    *(case(f"special.{f}", HALVES, POSITIVE) for f in ("chdtr", "chdtrc", "pdtr", "pdtrc")),
    case("special.chdtri", HALVES, np.asarray([0.2, 0.5, 0.7])),
    case("special.gdtr", POSITIVE, HALVES, POSITIVE + 0.2),
    case("special.huber", POSITIVE, HALVES + 2),
    case("transforms.jit", X, by=lambda x: t.jit(lambda x: x**3)(x)),
    case("signal.CZT", X, by=lambda x: signal.CZT(24, 7)(x)),
    case("signal.ZoomFFT", X, by=lambda x: signal.ZoomFFT(24, 0.5, 7)(x)),
    *(
        case(f"signal.ShortTimeFFT.{name}", X, by=by)
        for name, by in {
            "stft": lambda x: signal.ShortTimeFFT(np.hanning(8) + 0.1, 4, 1.0).stft(x),
            "spectrogram": lambda x: signal.ShortTimeFFT(np.hanning(8), 4, 1.0).spectrogram(x),
        }.items()
    ),
]


def _by_function() -> dict[str, list[Case]]:
    alike = {c.name for c in ALIKE}
    names = functions()
    found: dict[str, list[Case]] = {name: [] for name in names}
    for c in [*CASES, *(c for c in MORE if c.name not in alike), *ALIKE, *CALLED]:
        home = c.name if c.name in names else c.name.rpartition(".")[0]
        found.setdefault(home if home in names else c.name, []).append(c)
    return found


FOUND = _by_function()


def called(found: Case) -> Callable[..., Any]:
    """The function of a case, of its arguments and its keywords."""
    room, _, short = found.name.partition(".")
    function = found.func or getattr(importlib.import_module(f"likewise.{room}"), short)
    return lambda *args, **kwargs: function(*args, **kwargs)


def declared(found: Case) -> str:
    """Why a case says that there is no derivative on NumPy; '' where it doesn't."""
    grad = found.options.get("grad", True)
    grad = grad.get("numpy", True) if isinstance(grad, dict) else grad
    return grad if isinstance(grad, str) else "" if grad else NOT_LOOKED_AT


def floating(tree: Any) -> list[Any]:
    return [x for x in leaves(tree) if isinstance(x, np.ndarray) and x.dtype.kind in "fc"]


def reason(name: str) -> str:
    return next((why for start, why in UNCHECKED.items() if name.startswith(start)), "")


def check(found: Case) -> str:
    """Compare the derivatives of a case: backwards with differences, forwards with backwards.

    What it says is whether there was anything to compare: a derivative that 'moves' or is 'flat',
    or 'none' of what is 'discrete', or of arguments without floating arrays.
    """
    function, given = called(found), (found.args, found.options.get("kwargs") or {})
    at = floating(given)

    def outputs(*arrays: Any) -> tuple[Any, ...]:
        new = iter(arrays)
        args, kwargs = map_leaves(lambda x: next(new) if floating((x,)) else x, given)
        out = leaves(function(*args, **kwargs))
        return tuple(y for y in out if getattr(getattr(y, "dtype", None), "kind", "") in "fc")

    if not outputs(*at):
        return "discrete"
    if not at:
        return "none"
    check_grads(outputs, *at)
    moves = agree(outputs, *at, forward=found.name not in BACKWARDS)
    return "moves" if moves else "flat"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*complex, (switching to|so both)")
@pytest.mark.parametrize("name", sorted(FOUND))
def test_derivatives(name: str) -> None:
    cases = FOUND[name]
    found = {check(c) for c in cases if not declared(c)}
    if found <= {"none", "discrete"}:
        reasons = {declared(c) for c in cases} - {"", NOT_LOOKED_AT}
        assert "discrete" in found or reasons or reason(name), (
            f"{name} has no case in tests/capabilities whose derivative can be checked: add one, or "
            "the reason to UNCHECKED"
        )
        return
    assert name not in UNCHECKED, f"{name} is checked: UNCHECKED shall not have it"
    assert ("moves" in found) != (name in FLAT), f"{name}: is each derivative 0? See FLAT"


# -- defects that are planted ------------------------------------------------------------------------


def _thrice(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: 3 * function(*args)


def of_a_special_function(plant: pytest.MonkeyPatch) -> str:
    rule = inspect.getclosurevars(special.dawsn.__wrapped__).nonlocals["rule"]
    plant.setattr(rule, "derivatives", tuple(map(_thrice, rule.derivatives)))
    return "special.dawsn"


def of_an_instruction(plant: pytest.MonkeyPatch) -> str:
    rule = RULES["fft.rfft"]
    pull = tuple(step and step._replace(call=_thrice(step.call)) for step in rule.pull)
    plant.setitem(RULES, "fft.rfft", rule._replace(pull=pull))
    return "fft.rfft"


def of_a_solution(plant: pytest.MonkeyPatch) -> str:
    def refined(x: Any, residual: Any) -> Any:
        found = refined_elementwise(x, residual)
        return 3 * found - 2 * t.stop_gradient(found)

    plant.setattr(_function, "refined_elementwise", refined)
    return "optimize.brentq"


def of_a_recursion(plant: pytest.MonkeyPatch) -> str:
    followed = importlib.import_module(signal.lfilter.__module__)._followed

    def along(primals: Any, tangents: Any, exact: Any = followed.jvp) -> Any:
        y, moved = exact(primals, tangents)
        return y, 3 * moved

    plant.setattr(followed, "jvp", along)
    return "signal.lfilter"


@pytest.mark.parametrize(
    "defect", [of_a_special_function, of_an_instruction, of_a_solution, of_a_recursion]
)
def test_a_derivative_three_times_too_large_is_found(
    defect: Callable[[pytest.MonkeyPatch], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = defect(monkeypatch)
    with pytest.raises(AssertionError, match="derivative|differ"):
        test_derivatives(name)
    monkeypatch.undo()
    test_derivatives(name)
