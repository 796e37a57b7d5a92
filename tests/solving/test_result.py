"""What a caller hears of problems that were not solved, where no status is returned."""

import ast
import copy
import json
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import ConvergenceError, ConvergenceWarning, LikewiseWarning
from likewise.optimize import (
    curve_fit,
    find_root,
    fixed_point,
    least_squares,
    minimize,
    nnls,
    root_scalar,
)
from likewise.solving._outcome import Outcome
from likewise.solving._result import Result

T = np.linspace(0.0, 4.0, 25)
Y = np.stack([2.0 * np.exp(-T), 3.0 * np.exp(-0.5 * T), np.full(25, np.nan)])


def decay(t: Any, a: Any, k: Any) -> Any:
    return a * likewise.array_namespace(t, k).exp(-k * t)


def fit(lib: Any, which: Any, **options: Any) -> Any:
    return curve_fit(decay, lib.asarray(T), lib.asarray(Y[which]), [1.0, 1.0], **options)


def point(lib: Any, c: Any, **options: Any) -> Any:
    def square(x: Any, c: Any) -> Any:  # away from its fixed point where c is large
        return c * x * x + 0.1

    options = {"method": "iteration", **options}
    return fixed_point(square, lib.asarray(np.zeros(np.shape(c))), (lib.asarray(c),), **options)


def least(lib: Any, count: tuple[int, ...], **options: Any) -> Any:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(*count, 6, 9)), rng.normal(size=(*count, 6))
    return nnls(lib.asarray(a), lib.asarray(b), maxiter=2, **options)


ONE: dict[str, tuple[Callable[..., Any], str]] = {
    "curve_fit": (lambda lib, **o: fit(lib, 1, max_nfev=1, **o), "max_nfev was reached: raise it"),
    "fixed_point": (lambda lib, **o: point(lib, 40.0, **o), "a value is not finite"),
    "nnls": (lambda lib, **o: least(lib, (), **o), "Maximum number of iterations reached"),
}
SOME: dict[str, tuple[Callable[..., Any], str]] = {
    "curve_fit": (lambda lib, **o: fit(lib, slice(None), **o), r"1 of 3 problems .* at 2: status"),
    "fixed_point": (
        lambda lib, **o: point(lib, [[0.5, 40.0], [40.0, 0.5]], **o),
        r"2 of 4 problems .* at \(0, 1\): status",
    ),
    "nnls": (lambda lib, **o: least(lib, (2,), **o), r"2 of 2 problems .* at 0: status"),
}
eager = pytest.mark.xp_skip(
    {"dask": "nothing is known before it is computed", "jax-jit": "traced, nothing is known"}
)


@eager
@pytest.mark.parametrize("name", ONE)
def test_one_problem_is_an_error(lib: Any, name: str) -> None:
    call, words = ONE[name]
    first = "Optimal parameters not found" if name == "curve_fit" else "no convergence"
    with pytest.raises(ConvergenceError, match=f"{name}: {first}, .*{words}") as caught:
        call(lib)
    assert isinstance(caught.value, RuntimeError)  # as SciPy's
    assert not bool(call(lib, full_output=True).success)


@eager
@pytest.mark.parametrize("name", SOME)
def test_some_of_a_batch_are_one_warning(lib: Any, name: str) -> None:
    call, words = SOME[name]
    with pytest.warns(ConvergenceWarning, match=f"{name}: {words}") as caught:
        call(lib)
    assert len(caught) == 1 + lib.replayed  # recorded, and run once more
    for warning in caught:
        assert isinstance(warning.message, LikewiseWarning) and warning.filename == __file__
    call(lib, full_output=True)  # warnings are errors here


def test_the_covariance_of_a_fit_that_failed_is_nan(lib: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        popt, pcov = fit(lib, slice(None))
    found = lib.to_numpy(pcov)
    assert np.all(np.isnan(found[2])) and np.all(np.isfinite(found[:2]))
    np.testing.assert_allclose(lib.to_numpy(popt)[:2], [[2, 1], [3, 0.5]], rtol=1e-4)
    result = fit(lib, 1, max_nfev=1, full_output=True)
    assert np.all(np.isnan(lib.to_numpy(result.pcov)))


def test_lazy_arrays_are_not_looked_at() -> None:
    """Under a transform, which follows values that nobody may read."""
    slope = likewise.grad(lambda y: curve_fit(decay, T, y, [1.0, 1.0], max_nfev=1)[0][0])(Y[1])
    assert slope.shape == (25,)


@pytest.mark.parametrize("options", [{}, {"full_output": True}, {"loss": "cauchy"}])
def test_an_interruption_of_one_fit_goes_on(options: Any) -> None:
    for last in (1, 4, 9):
        calls = [0]

        def model(t: Any, a: Any, k: Any, calls: Any = calls, last: int = last) -> Any:
            calls[0] += 1
            if calls[0] == last:
                raise KeyboardInterrupt
            return decay(t, a, k)

        with pytest.raises(KeyboardInterrupt):
            curve_fit(model, T, Y[1], [1.0, 1.0], **options)
        assert calls[0] == last


def test_an_interruption_of_a_batch_goes_on() -> None:
    calls = [0]

    def model(t: Any, a: Any, k: Any) -> Any:
        calls[0] += 1
        if calls[0] == 4:
            raise KeyboardInterrupt
        return decay(t, a, k)

    with pytest.raises(KeyboardInterrupt):
        curve_fit(model, T, Y[:2], [1.0, 1.0])
    calls[0] = 0
    found = curve_fit(model, T, Y[:2], [1.0, 1.0], full_output=True)
    assert np.all(found.status == -3) and np.all(np.isnan(found.pcov))


# Where the outcomes of a result come from, and which of theirs it never has.
ENDS: dict[str, tuple[tuple[str, ...], set[int]]] = {
    "FitResult": (("_steps/_marquardt",), set()),
    "LeastSquaresResult": (
        ("_steps/_marquardt", "_least_squares/_trust_region_reflective", "_least_squares/_solve"),
        set(),
    ),
    "RootResult": (
        ("_systems/_newton", "_systems/_anderson", "_systems/_levenberg_marquardt"),
        set(),
    ),
    "NNLSResult": (("_linear/_active_set",), {Outcome.INTERIOR}),  # becomes CONVERGED
    "LsqLinearResult": (("_linear/_active_set",), set()),
}
INNER = {Outcome.RUNNING, Outcome.AGAIN}  # of problems that haven't ended


def outcomes_of(module: str) -> set[int]:
    """The outcomes that a file of a solver names."""
    text = (Path(likewise.optimize.__file__).parent / f"{module}.py").read_text()
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Outcome":
            found.add(getattr(Outcome, node.attr))
    return found - INNER


def test_every_status_is_explained() -> None:
    results = {n for n in likewise.optimize.__all__ if n[0].isupper()}
    kinds = {n: getattr(likewise.optimize, n) for n in results}
    for name in {n for n, kind in kinds.items() if issubclass(kind, Result)}:
        kind = kinds[name]
        assert set(kind.ADVICE) <= set(kind.STATUS) <= set(Outcome.ADVICE), name
        assert len(set(kind.STATUS.values())) == len(kind.STATUS), name
    for name, (modules, never) in ENDS.items():
        shown = set().union(*map(outcomes_of, modules)) - never
        assert shown and shown <= set(kinds[name].STATUS), name


@pytest.mark.parametrize("method", ["lm", "trf"])
def test_a_solver_that_finds_no_way_says_so(method: str) -> None:
    """Steps that damping alone makes short."""
    x = np.linspace(0.1, 4.1, 20)

    def residuals(p: Any) -> Any:
        xp = likewise.array_namespace(p)
        return p[0] * xp.exp(p[1] * np.log(x)) - x**0.7

    found = likewise.optimize.least_squares(residuals, np.asarray([1.0, 20.0]), method=method)
    assert sum(n for n, _ in found.advice().values()) == 1


def test_results_read_as_scipys(lib: Any) -> None:
    ends = lib.asarray([0.0, 0.0, 3.0]), lib.asarray(3.0)
    found = find_root(lambda x: x * x - 2.0, ends)
    assert found["x"] is found.x and found.get("x") is found.x and found.get("y", 3) == 3
    assert "status" in found and "success" in found and "y" not in found
    assert list(found) == found.keys() and dict(found.items())["nit"] is found.nit
    with pytest.raises(KeyError, match="y"):
        found["y"]
    np.testing.assert_array_equal(lib.to_numpy(found["success"]), [True, True, False])
    np.testing.assert_array_equal(lib.to_numpy(found["status"]), [0, 0, -1])


def test_results_print_as_scipys() -> None:
    found = find_root(lambda x: x * x - 2.0, (np.asarray(0.0), np.asarray(3.0)))
    lines = repr(found).splitlines()
    assert lines[0] == "   message: converged to the tolerances"
    assert lines[1:3] == ["   success: True", "    status: 0"]
    assert lines[3].startswith("         x: 1.414")
    assert len({line.index(":") for line in lines}) == 1
    many = find_root(lambda x: x * x - 2.0, (np.asarray([0.0, 3.0]), np.asarray(3.0)))
    assert many.message == "1 of 2 problems converged"
    assert repr(many).startswith("   message: 1 of 2 problems converged\n   success: [ True False]")


def test_changed_as_scipys() -> None:
    """Names are set, added and deleted, and survive copies; what isn't there is a KeyError."""
    found = minimize(lambda x: np.sum(x * x), np.asarray([1.0, 1.0]))
    assert found.success is True and type(found.fun) is np.float64 and hash(found.fun) == hash(0.0)
    assert type(found.status) is np.int32 and json.dumps({"success": found.success})
    found.x, found["fun"], found.own = np.zeros(2), 5.0, "mine"
    found.message += ", really"
    found.success = False
    del found.hess_inv
    del found["jac"]
    for same in (found, copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert same["fun"] == 5.0 and same.own == same["own"] == "mine" and not same.success
        assert same.message.endswith(", really") and "really" in str(same)
        assert "jac" not in same and "jac" not in str(same) and "own" in same
        same["matrix"] = np.eye(2)  # anything goes
        assert same["matrix"].shape == (2, 2)
        assert len(same) == len(dict(same)) == len(same.values()) == len(same.items())
        for name in ("jac", "nothing"):
            with pytest.raises(KeyError):
                same[name]
            with pytest.raises(KeyError):
                del same[name]


def test_on_numpy_without_dimensions_scalars(lib: Any) -> None:
    """As NumPy's functions; elsewhere arrays."""
    for found in (
        least_squares(lambda x: x - 1.0, lib.asarray([0.0])).cost,
        root_scalar(lambda x: x - 1.0, bracket=(0.0, 3.0), args=()).root
        if lib.library == "numpy"
        else find_root(lambda x: x - 1.0, (lib.asarray(0.0), lib.asarray(3.0))).x,
    ):
        assert isinstance(found, np.float64) if lib.library == "numpy" else found.shape == ()
