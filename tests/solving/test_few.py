"""A few problems at once: what differs from a batch is the time, and how the function is called."""

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace, prefer, trace_native
from likewise.errors import ConvergenceWarning, LikewiseError
from likewise.optimize import (
    curve_fit,
    find_minimum,
    find_root,
    fixed_point,
    least_squares,
    minimize,
    minimize_scalar,
    nnls,
    root,
    root_scalar,
)
from likewise.solving import _few
from likewise.testing._variants import VARIANTS

T = np.linspace(0.0, 4.0, 30)
START = [1.0, 1.0, 0.1]
BOUNDS = ([0.0, 0.0, -1.0], [2.4, 5.0, 5.0])


@contextlib.contextmanager
def together(monkeypatch: Any) -> Any:
    """All problems by the batch's way."""
    with monkeypatch.context() as here:
        here.setattr(_few, "FEW", {})
        yield


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    return a * array_namespace(t).exp(-k * t) + c


def data(rng: Any, *batch: int) -> Any:
    a, k, c = (rng.uniform(*ends, size=(*batch, 1)) for ends in ((2, 3), (0.5, 2), (0, 0.5)))
    return a * np.exp(-k * T) + c + 0.02 * rng.normal(size=(*batch, T.shape[0]))


def rosenbrock(x: Any) -> Any:
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def three(x: Any) -> Any:
    return array_namespace(x).stack([10 * (x[1] - x[0] ** 2), 1 - x[0], x[0] * x[1] - 1])


def circle(x: Any) -> Any:
    return array_namespace(x).stack([x[0] ** 2 + x[1] ** 2 - 2, x[0] - x[1]])


def cubic(x: Any, c: Any) -> Any:
    return x**3 - 2 * x - c


def quartic(x: Any, c: Any) -> Any:
    return (x - c) * (x + 1) ** 2 * x


def mean(x: Any, c: Any) -> Any:
    return 0.5 * (x + c / x)


def starts(rng: Any, *batch: int) -> Any:
    return np.asarray([-1.2, 1.0]) + 0.1 * rng.normal(size=(*batch, 2))


# Of a batch's shape: arrays, and a call of them. Each call watches the function of the user.
Seen = Callable[[Callable[..., Any]], Callable[..., Any]]
CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "curve_fit": (
        lambda rng, *b: [T, data(rng, *b)],
        lambda see, t, y: curve_fit(see(decay), t, y, START, full_output=True),
    ),
    "curve_fit, mapped": (
        lambda rng, *b: [T, data(rng, *b)],
        lambda see, t, y: curve_fit(see(decay), t, y, START, vectorized=False, full_output=True),
    ),
    "curve_fit in bounds": (
        lambda rng, *b: [T, data(rng, *b)],
        lambda see, t, y: curve_fit(see(decay), t, y, START, bounds=BOUNDS, full_output=True),
    ),
    "find_root": (
        lambda rng, *b: [rng.uniform(4, 6, size=b)],
        lambda see, c: find_root(see(cubic), (2.0, 3.0), args=(c,)),
    ),
    "find_minimum": (
        lambda rng, *b: [rng.uniform(2, 3, size=b)],
        lambda see, c: find_minimum(see(quartic), (0.5, 1.0, 3.0), args=(c,)),
    ),
    "brentq": (
        lambda rng, *b: [rng.uniform(4, 6, size=b)],
        lambda see, c: root_scalar(see(cubic), (c,), bracket=(2.0, 3.0)),
    ),
    "secant": (
        lambda rng, *b: [rng.uniform(4, 6, size=b)],
        lambda see, c: root_scalar(see(cubic), (c,), x0=2.5, method="secant"),
    ),
    "newton": (
        lambda rng, *b: [rng.uniform(4, 6, size=b)],
        lambda see, c: root_scalar(see(cubic), (c,), x0=2.5, fprime=lambda x, c: 3 * x**2 - 2),
    ),
    "brent": (
        lambda rng, *b: [rng.uniform(2, 3, size=b)],
        lambda see, c: minimize_scalar(see(quartic), args=(c,)),
    ),
    "fixed_point": (
        lambda rng, *b: [rng.uniform(2, 3, size=b)],
        lambda see, c: fixed_point(see(mean), 0.0 * c + 1, args=(c,), full_output=True),
    ),
    "root": (lambda rng, *b: [starts(rng, *b) ** 2], lambda see, x: root(see(circle), x)),
    **{
        f"least_squares {m}": (
            lambda rng, *b: [starts(rng, *b)],
            lambda see, x, m=m: least_squares(
                see(three), x, method=m, ftol=1e-13, xtol=1e-13, gtol=1e-13
            ),
        )
        for m in ("trf", "lm")
    },
    **{
        m: (
            lambda rng, *b: [starts(rng, *b)],
            lambda see, x, m=m: minimize(see(rosenbrock), x, method=m, tol=1e-9),
        )
        for m in ("BFGS", "L-BFGS-B", "Nelder-Mead")
    },
}
COUNTS = {"nit", "nfev", "njev", "iterations", "function_calls"}  # of the way
# Estimates, or what is left of 0.
ROUGH = {"pcov", "hess_inv", "jac", "grad", "optimality", "cost", "rss", "chi2", "fun", "f_x"}
ROUGH |= {"bracket", "f_bracket"}


def same(lib: Any, found: Any, other: Any, loose: float = 1e-6) -> None:
    """Check that two results are of one kind, and hold the same within the solvers' tolerances."""
    assert found.keys() == other.keys()
    for name in list(found.keys()):
        a, b = found[name], other[name]
        if not hasattr(a, "dtype"):
            continue
        assert type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape, name
        a, b = lib.to_numpy(a), lib.to_numpy(b)
        if name == "status":  # of the tests of convergence another may be the first
            bad = ~lib.to_numpy(other.success)
            np.testing.assert_array_equal(a[bad], b[bad])
        elif name in ("success", "converged", "active_mask"):
            np.testing.assert_array_equal(a, b, err_msg=name)
        elif name not in COUNTS and name not in ROUGH:
            np.testing.assert_allclose(a, b, rtol=loose, atol=loose, err_msg=name)
        elif name in ("pcov", "rss"):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-7, err_msg=name)


QUICK = {"strict": ("find_root",), "torch": ("curve_fit", "find_root", "root", "Nelder-Mead")}
BATCHES = [pytest.param(name, "numpy") for name in CASES] + [
    pytest.param(name, library, marks=() if name in QUICK[library] else pytest.mark.full)
    for name in CASES
    for library in QUICK
]


@pytest.mark.parametrize(("name", "library"), BATCHES)
def test_as_a_batch(name: str, library: str, rng: Any, monkeypatch: Any) -> None:
    """One, several, in two dimensions, and none."""
    lib = VARIANTS[library]
    arrays, call = CASES[name]
    for batch in ((1,), (4,), (2, 2), (0,)):
        given = [lib.asarray(a) for a in arrays(rng, *batch)]
        for _ in range(3):  # what is asked for often is followed
            found = call(lambda f: f, *given)
        with together(monkeypatch):
            other = call(lambda f: f, *given)
        same(lib, found, other)


@pytest.mark.parametrize("name", CASES)
def test_the_function_gets_one_problem(name: str, rng: Any, monkeypatch: Any) -> None:
    """On NumPy; otherwise the tests above and below would compare a way with itself."""
    arrays, call = CASES[name]
    given = arrays(rng, 4)

    def shapes() -> Any:
        seen = set()

        def see(f: Callable[..., Any]) -> Callable[..., Any]:
            def seeing(x: Any, *args: Any) -> Any:
                arrays = [a for a in (x, *args) if a is not T and type(a) in (float, np.float64)]
                plain = type(x) is np.ndarray and x.shape == (2,)
                seen.add("one" if arrays or plain else "many")
                return f(x, *args)

            return seeing

        call(see, *given)
        return seen

    for _ in range(3):
        call(lambda f: f, *given)
    ways = shapes()
    with together(monkeypatch):
        assert shapes() == {"many"}
    assert "one" in ways or name.startswith("curve_fit")
    if name.startswith(("curve_fit", "root", "least", "BFGS", "L-", "Nelder")):
        with trace_native() as log:
            call(lambda f: f, *given)
        assert sum("numpy" in ran.routine for ran in log) == 4


# -- failures --------------------------------------------------------------------------------------


@pytest.mark.xp_skip({"dask": "blocks tell when they are computed"})
def test_failing_problems_are_a_batch_s(lib: Any, rng: Any, monkeypatch: Any) -> None:
    """Each keeps its place, its status and the batch's warning."""
    y = data(rng, 5)
    y[1, 3], y[3] = np.nan, 1e3 * rng.normal(size=y.shape[1])
    t, y = lib.asarray(T), lib.asarray(y)
    told = []

    def both(call: Callable[[], Any]) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = call()
        told.append([(w.category, str(w.message), w.filename) for w in caught])
        return found

    def fit(**options: Any) -> Any:
        return both(lambda: curve_fit(decay, t, y, START, max_nfev=60, **options))

    found, few = fit(full_output=True), fit()
    with together(monkeypatch):
        other, many = fit(full_output=True), fit()
    same(lib, found, other)
    assert lib.to_numpy(found.status)[1] == -1
    assert told[1] == told[3] and told[1][0][0] is ConvergenceWarning
    for a, b in zip(few, many, strict=True):
        np.testing.assert_allclose(lib.to_numpy(a), lib.to_numpy(b), rtol=1e-3, atol=1e-6)


def test_problems_without_a_bracket(lib: Any, monkeypatch: Any) -> None:
    c = lib.asarray(np.asarray([4.0, 50.0, 5.0, np.nan]))

    def solve() -> Any:
        return find_root(cubic, (2.0, 3.0), args=(c,)), root_scalar(cubic, (c,), bracket=(2.0, 3.0))

    for _ in range(3):
        found = solve()
    with together(monkeypatch):
        other = solve()
    np.testing.assert_array_equal(lib.to_numpy(found[0].status), [0, -1, 0, -3])
    for a, b in zip(found, other, strict=True):
        same(lib, a, b, 1e-11)
        for name in ("nit", "nfev", "bracket", "f_bracket"):
            if name in a:
                a_, b_ = (np.stack([lib.to_numpy(v) for v in r[name]]) for r in (a, b))
                np.testing.assert_allclose(a_, b_, rtol=1e-12, atol=1e-12)


def test_nnls(lib: Any, rng: Any, monkeypatch: Any) -> None:
    """Solve for one matrix or several; what isn't finite, or takes too long, fails as in a batch."""
    a, b = rng.normal(size=(6, 9, 4)), rng.normal(size=(6, 9))
    b[2, 0], a[4, 1, 1] = np.nan, np.inf

    def solve(a: Any, b: Any) -> Any:
        with pytest.warns(ConvergenceWarning) as caught:
            found = nnls(lib.asarray(a), lib.asarray(b))
            if lib.library == "dask":  # which tells when it computes
                found = [lib.asarray(lib.to_numpy(v)) for v in found]
        return *found, str(caught[0].message)

    for matrix, right in ((a, b), (a[0], b), (a.reshape(2, 3, 9, 4), b.reshape(2, 3, 9))):
        *found, told = solve(matrix, right)
        with together(monkeypatch):
            *other, tells = solve(matrix, right)
        assert told == tells
        for one, two in zip(found, other, strict=True):
            assert type(one) is type(two) and one.dtype == two.dtype and one.shape == two.shape
            np.testing.assert_allclose(lib.to_numpy(one), lib.to_numpy(two), rtol=1e-9, atol=1e-11)


# -- functions of a batch alone, and functions of one problem alone --------------------------------


def closing(rng: Any) -> dict[str, tuple[Any, Any]]:
    factor = rng.uniform(1, 2, size=(3, 1))
    return {
        "indexes": (lambda t, a, k, c: a[:, :1] * np.exp(-k * t) + c, None),
        "reshapes": (lambda t, a, k, c: np.reshape(a, (a.shape[0], 1)) * np.exp(-k * t) + c, None),
        "mixes": (lambda t, a, k, c: (a + 0.1 * np.mean(a)) * np.exp(-k * t) + c, None),
        "closes over a batch": (lambda t, a, k, c: factor * a * np.exp(-k * t) + c, LikewiseError),
        "looks": (lambda t, a, k, c: decay(t, a, k, c) if a > 0 else t, Exception),
        "raises": (lambda t, a, k, c: np.linalg.inv(t), np.linalg.LinAlgError),
    }


@pytest.mark.parametrize("name", closing(np.random.default_rng(0)))
def test_models_that_take_a_batch_alone(name: str, rng: Any, monkeypatch: Any) -> None:
    model, error = closing(rng)[name]
    y = data(rng, 3)

    def fit() -> Any:
        return curve_fit(model, T, y, np.asarray([START, [2.0, 2.0, 0.2], START]), full_output=True)

    if error is None:
        found = fit()
        with together(monkeypatch):
            other = fit()
        np.testing.assert_array_equal(found.popt, other.popt)
        np.testing.assert_array_equal(found.nfev, other.nfev)
        return
    with pytest.raises(error) as here:
        fit()
    with together(monkeypatch), pytest.raises(error) as there:
        fit()
    assert type(here.value) is type(there.value) and str(here.value) == str(there.value)


def test_functions_that_take_a_batch_alone(monkeypatch: Any) -> None:
    """An array of the batch's size that the function closes over is no argument of one problem."""
    c = np.asarray([4.0, 5.0, 6.0])
    for f in (lambda x: cubic(x, c), lambda x: cubic(x, c[: x.shape[0]])):
        for _ in range(4):
            found = find_root(f, (np.full(3, 2.0), 3.0))
        with together(monkeypatch):
            other = find_root(f, (np.full(3, 2.0), 3.0))
        np.testing.assert_array_equal(found.x, other.x)
        np.testing.assert_array_equal(found.nfev, other.nfev)


def test_a_branch_by_value_is_refused_as_in_a_batch() -> None:
    for _ in range(4):
        with pytest.raises(ValueError, match="ambiguous"):
            find_root(lambda x, c: x - c if x > 0 else x, (0.0, np.full(3, 9.0)), args=(1.0,))


# -- torch on the CPU ------------------------------------------------------------------------------


@pytest.mark.needs("torch")
def test_torch_sees_its_own_unless_nobody_can_tell(rng: Any) -> None:
    """Functions of the standard alone get NumPy's views; others torch's arrays."""
    import torch

    lib = VARIANTS["torch"]
    y = lib.asarray(data(rng, 3))
    t, kinds, factor = lib.asarray(T), set(), torch.asarray(1.0, dtype=torch.float64)

    def of_torch(t: Any, a: Any, k: Any, c: Any) -> Any:
        return a * torch.exp(-k * t) + c

    def closing(t: Any, a: Any, k: Any, c: Any) -> Any:
        kinds.add(type(t))
        return factor * decay(t, a, k, c)

    found = [curve_fit(f, t, y, START)[0] for f in (decay, of_torch, closing)]
    assert torch.Tensor in kinds and np.ndarray not in kinds
    assert all(type(p) is torch.Tensor for p in found)
    for p in found[1:]:
        torch.testing.assert_close(p, found[0], rtol=1e-7, atol=1e-7)
    with trace_native() as log:
        curve_fit(decay, t, y, START)
    assert sum("numpy" in ran.routine for ran in log) == 3


@pytest.mark.needs("torch")
def test_torch_goes_on_to_differentiate(rng: Any) -> None:
    """By arrays that are given, and by those that functions close over."""
    import torch

    lib = VARIANTS["torch"]
    t, values = lib.asarray(T), lib.asarray(data(rng, 3))
    y = values.clone().requires_grad_()
    curve_fit(decay, t, y, START)[0].sum().backward()
    assert y.grad is not None and bool((y.grad != 0).any())
    c = torch.ones((), dtype=torch.float64).requires_grad_()
    x0 = lib.asarray(np.asarray([[2.0], [3.0]]))
    for solve in (
        lambda: curve_fit(lambda t, a, k: decay(t, a, k, 0.1 * c), t, values, [1.0, 1.0])[0],
        lambda: root(lambda x: x * x - c, x0).x,
        lambda: find_root(lambda x: x * x - c, (0.0, x0[:, 0])).x,
        lambda: minimize(lambda x: ((x - c) ** 2).sum(), x0).x,
    ):
        c.grad = None
        solve().sum().backward()
        assert c.grad is not None and float(c.grad) != 0


# -- progress, Ctrl-C, ways that are asked for -----------------------------------------------------


def test_progress(rng: Any, monkeypatch: Any) -> None:
    y, told = data(rng, 4), []

    def fit() -> Any:
        told.append([])
        return curve_fit(
            decay, T, y, START, full_output=True, progress=lambda *said: told[-1].append(said[:2])
        )

    fit()
    with together(monkeypatch):
        fit()
    assert told[0] == told[1] and told[0][-1] == (4, 4)


def until(calls: int, fun: Callable[..., Any]) -> Callable[..., Any]:
    left = [calls]

    def called(*args: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return fun(*args)

    return called


def test_interrupted(rng: Any) -> None:
    """Keep what has ended, in its place; the others say that they were interrupted."""
    y = data(rng, 4)
    whole = curve_fit(decay, T, y, START, full_output=True)
    found = curve_fit(until(20, decay), T, y, START, full_output=True)
    ended = found.success
    assert 0 < np.count_nonzero(ended) < 4 and np.all(found.status[~ended] == -3)
    np.testing.assert_array_equal(found.popt[ended], whole.popt[ended])
    assert np.all(np.isnan(found.pcov[~ended]))
    for calls in (2, 3, 8):
        first = curve_fit(until(calls, decay), T, y, START, full_output=True)
        np.testing.assert_array_equal(first.status, -3)
    x0 = starts(rng, 4)
    calls: dict[str, Callable[..., Any]] = {
        "root": lambda call: root(call(circle), x0**2),
        "least_squares": lambda call: least_squares(call(three), x0),
        "minimize": lambda call: minimize(call(rosenbrock), x0, method="Nelder-Mead"),
    }
    for name, solve in calls.items():
        seen: list[int] = []

        def counted(f: Callable[..., Any], seen: list[int] = seen) -> Callable[..., Any]:
            return lambda x: seen.append(1) or f(x)

        for _ in range(2):
            seen.clear()
            assert np.all(solve(counted).success)
        # Of residuals there are no values yet to tell how many they are.
        for share in (0.1, 0.7) if name != "least_squares" else (0.7,):
            at = round(share * len(seen))
            with pytest.raises(KeyboardInterrupt):
                solve(lambda f, at=at: until(at, f))


def test_ways_that_are_preferred(rng: Any) -> None:
    y = data(rng, 3)
    with prefer("generic"), trace_native() as log:
        curve_fit(decay, T, y, START)
    assert not any("numpy" in ran.routine for ran in log)


# -- fuzz ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(s, marks=pytest.mark.full) for s in range(8, 400))]
)
def test_fits_of_all_kinds(seed: int, monkeypatch: Any) -> None:
    """Shapes, starts, weights, bounds, predictors and gaps, shared or of each problem."""
    rng = np.random.default_rng(seed)
    batch = [(1,), (3,), (5,), (2, 3), (1, 2)][rng.integers(5)]
    y = data(rng, *batch)
    options: dict[str, Any] = {"full_output": True, "vectorized": bool(rng.integers(2))}
    t: Any = T
    if rng.random() < 0.3:
        t = np.broadcast_to(T, y.shape) * rng.uniform(0.9, 1.1, size=(*batch, 1))
    p0: Any = [None, START, np.asarray(START), rng.uniform(0.2, 2, size=(*batch, 3))][
        rng.integers(4)
    ]
    kind = rng.integers(4)
    if kind:
        shape = [(), y.shape[-1:], y.shape][kind - 1]
        options["sigma"] = rng.uniform(0.5, 2, size=shape) if shape else 0.5
        options["absolute_sigma"] = bool(rng.integers(2))
    if rng.random() < 0.4:
        high = rng.uniform(2.1, 3, size=(*(batch if rng.integers(2) else ()), 3))
        options["bounds"] = (np.full(3, -1.0), high)
        p0 = None if p0 is None else np.minimum(np.asarray(p0), 2.0)
    if rng.random() < 0.2:
        options["mask"] = rng.random(size=y.shape) < 0.9
    if rng.random() < 0.3:
        y[(*(rng.integers(b) for b in batch), 0)] = np.nan
        options["nan_policy"] = [None, "omit", "propagate"][rng.integers(3)]
    found = curve_fit(decay, t, y, p0, **options)
    with together(monkeypatch):
        other = curve_fit(decay, t, y, p0, **options)
    for name in ("popt", "pcov", "rss", "status"):
        assert found[name].shape == other[name].shape and found[name].dtype == other[name].dtype
    same_end = found.success & other.success
    np.testing.assert_array_equal(found.success, other.success)
    np.testing.assert_array_equal(found.status[~same_end], other.status[~same_end])
    np.testing.assert_allclose(found.rss, other.rss, rtol=1e-7)
    np.testing.assert_allclose(found.popt, other.popt, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.pcov, other.pcov, rtol=1e-3, atol=1e-7)
