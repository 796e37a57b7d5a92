"""Solvers whose steps are recorded, against the same ones whose steps are not."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace
from likewise.optimize import curve_fit, least_squares, minimize, nnls, root, root_scalar
from likewise.solving import _driver, _elementwise, _stepping
from likewise.transforms import grad
from likewise.transforms._recordings._cache import Cache
from likewise.transforms._tree import flatten

T = np.linspace(0, 4, 20)
NOISE = np.asarray([0.1, -0.05, 0.02, -0.1, 0.05] * 4)
START = np.asarray([-1.2, 1.0])


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    return a * array_namespace(t).exp(-k * t) + c


def rosenbrock(x: Any) -> Any:
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def circle(x: Any) -> Any:
    return array_namespace(x).stack([x[0] ** 2 + x[1] ** 2 - 2, x[0] - x[1]])


def three(x: Any) -> Any:
    return array_namespace(x).stack([10 * (x[1] - x[0] ** 2), 1 - x[0], x[0] * x[1] - 1])


def cubic(x: Any) -> Any:
    return x**3 - 2 * x - 5


def fitted(xp: Any, **options: Any) -> Any:
    t = xp.asarray(T)
    y = decay(t, 2.5, 1.3, 0.5) + xp.asarray(NOISE)
    return curve_fit(decay, t, y, [1.0, 1.0, 0.2], full_output=True, **options)


CASES: dict[str, Callable[[Any], Any]] = {
    "curve_fit": fitted,
    "curve_fit, bounds": lambda xp: fitted(xp, bounds=([0.0] * 3, [5.0, 5.0, 0.4])),
    "curve_fit, loss": lambda xp: fitted(xp, loss="soft_l1"),
    **{
        method: lambda xp, m=method: minimize(rosenbrock, xp.asarray(START), method=m)
        for method in ("BFGS", "Nelder-Mead", "CG", "trust-ncg")
    },
    "L-BFGS-B, bounds": lambda xp: minimize(
        rosenbrock, xp.asarray(START), method="L-BFGS-B", bounds=[(-2.0, 0.5), (None, 2.0)]
    ),
    **{
        method: lambda xp, m=method: root(circle, xp.asarray([2.0, 0.5]), method=m)
        for method in ("newton", "lm")
    },
    "root, differences": lambda xp: root(circle, xp.asarray([2.0, 0.5]), jac="3-point"),
    "anderson": lambda xp: root(lambda x: x - 0.5 * circle(x) / 4, xp.asarray([0.2, 0.5]),
                                method="anderson"),
    "bracket": lambda xp: root_scalar(cubic, bracket=(xp.asarray(2.0), xp.asarray(3.0))),
    "brentq": lambda xp: root_scalar(
        cubic, bracket=(xp.asarray(2.0), xp.asarray(3.0)), method="brentq"
    ),
    "newton, one": lambda xp: root_scalar(cubic, x0=xp.asarray(3.0)),
    "halley": lambda xp: root_scalar(cubic, x0=xp.asarray(3.0), method="halley"),
    "nnls": lambda xp: nnls(
        xp.asarray(np.cos(np.outer(np.arange(8.0), np.arange(1.0, 5.0)))),
        xp.asarray(np.sin(np.arange(8.0))),
        full_output=True,
    ),
    **{
        f"least_squares, {method}": lambda xp, m=method: least_squares(
            three, xp.asarray(START), method=m
        )
        for method in ("trf", "lm")
    },
    "least_squares, bounds": lambda xp: least_squares(
        three, xp.asarray(START), bounds=([-2.0, -2.0], [0.5, 2.0])
    ),
}  # fmt: skip


def numbers(result: Any) -> list[Any]:
    """The arrays of a result."""
    parts = result if isinstance(result, tuple) else tuple(vars(result).values())
    return [np.asarray(x) for x in flatten(list(parts))[0] if hasattr(x, "dtype")]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Kinds that nobody knows, and a list of what programs led to."""
    monkeypatch.setattr(_stepping, "_KEPT", Cache(256))
    monkeypatch.setattr(_stepping, "_TEXT_AFTER", 2)  # as a list, then compiled
    monkeypatch.setattr(_stepping, "spelled_out", lambda *known: None)  # see test_elements
    monkeypatch.setattr(_elementwise, "on_numbers", lambda *known: None)  # solvers of one unknown
    found: list[Any] = []
    run = _stepping._Path.__call__

    def noted(path: Any, *given: Any) -> Any:
        found.append(run(path, *given))
        return found[-1]

    monkeypatch.setattr(_stepping._Path, "__call__", noted)
    return found


@pytest.fixture
def unrecorded(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Call something with steps that aren't recorded."""

    def call(fun: Callable[..., Any], *args: Any) -> Any:
        with monkeypatch.context() as context:
            context.setattr(_driver, "stepping", lambda *given: None)
            return fun(*args)

    return call


ON_STRICT = ("newton", "nnls")
QUICK = ("curve_fit", "BFGS", "newton", "bracket", "nnls", "least_squares, lm")
ON_NUMPY = [pytest.param(n, "numpy", marks=() if n in QUICK else pytest.mark.full) for n in CASES]


@pytest.mark.parametrize(("name", "library"), [*ON_NUMPY, *((n, "strict") for n in ON_STRICT)])
def test_results_have_the_same_bits(
    name: str, library: str, served: list[Any], unrecorded: Callable[..., Any]
) -> None:
    with likewise.use(library), likewise.prefer("generic"):
        xp = likewise.xp
        expected = numbers(unrecorded(CASES[name], xp))
        for times in range(4):  # followed, then replayed
            got = numbers(CASES[name](xp))
            assert len(got) == len(expected) > 1, times
            for a, b in zip(got, expected, strict=True):
                assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()), times
    assert served  # most of the steps were replayed


def minimized(fun: Callable[..., Any], x: Any = START, method: str = "BFGS", **more: Any) -> Any:
    with likewise.prefer("generic"):
        return minimize(fun, x, method=method, **more)


def test_a_function_is_called_as_often_as_before(
    served: list[Any], unrecorded: Callable[..., Any]
) -> None:
    calls: list[Any] = []

    def counted(x: Any) -> Any:
        calls.append(np.asarray(x).copy())
        return rosenbrock(x)

    def points(times: int) -> list[Any]:
        calls.clear()
        for _ in range(times):
            minimized(counted, method="Nelder-Mead")
        return list(calls)

    expected = unrecorded(points, 1)
    got = points(3)
    assert len(served) > 100
    np.testing.assert_array_equal(got, expected * 3)


def chain(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def residuals(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.concat((10 * (x[1:] - x[:-1] ** 2), 1 - x[:-1]))


SOLVERS: dict[str, Callable[[Any], Any]] = {
    **{
        m: lambda x, m=m: minimize(chain, x, method=m, options={"maxiter": 60})
        for m in ("trust-ncg", "BFGS", "CG", "L-BFGS-B", "Nelder-Mead")
    },
    "L-BFGS-B, bounds": lambda x: minimize(
        chain,
        np.clip(x, -2.0, 0.7),
        method="L-BFGS-B",
        bounds=[(-2.0, 0.7)] * len(x),
        options={"maxiter": 60},
    ),
    **{
        f"least_squares, {m}": lambda x, m=m: least_squares(residuals, x, method=m, max_nfev=60)
        for m in ("trf", "lm")
    },
    "least_squares, bounds": lambda x: least_squares(
        residuals, x, bounds=(-3.0, 3.0), loss="soft_l1", max_nfev=60
    ),
    "root": lambda x: root(lambda x: x**3 - x[::-1] + 0.1, x, options={"maxiter": 40}),
    "root, lm": lambda x: root(lambda x: x**3 - x[::-1] + 0.1, x, method="lm"),
}


@pytest.mark.parametrize(
    ("name", "starts"),
    [("trust-ncg", 3), *(pytest.param(n, 15, marks=pytest.mark.full) for n in SOLVERS)],
)
def test_answers_handed_out_again_are_those_of_the_call(
    name: str,
    starts: int,
    served: list[Any],
    unrecorded: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = _stepping.Log.call
    again = 0

    def checked(log: Any, method: Any, target: Any, args: Any) -> Any:
        nonlocal again
        before = len(log.found)
        out = known(log, method, target, args)
        if len(log.found) == before:
            again += 1
            with likewise.prefer("generic"):
                anew = method(target, *args)
            for a, b in zip(flatten(out)[0], flatten(anew)[0], strict=True):
                np.testing.assert_array_equal(a, b)
        return out

    monkeypatch.setattr(_stepping.Log, "call", checked)
    rng = np.random.default_rng(0)
    with likewise.prefer("generic"):
        for i in range(starts):
            x = np.tile([-1.2, 1.0], 3) + 0.3 * rng.standard_normal(6) * (i > 0)
            expected = numbers(unrecorded(SOLVERS[name], x))
            for a, b in zip(numbers(SOLVERS[name](x)), expected, strict=True):
                np.testing.assert_array_equal(a, b)
    assert served
    assert again or name != "trust-ncg"  # most steps of others call nothing before they differ


def test_a_function_may_look_at_values(served: list[Any]) -> None:
    def plain(x: Any) -> Any:
        assert float(x[0]) == x[0]
        return rosenbrock(x) if x[0] < 10 else rosenbrock(x) + 1

    for _ in range(3):
        found = minimized(plain, method="Nelder-Mead")
        np.testing.assert_allclose(found.x, 1, atol=1e-3)
    assert served


def test_an_error_at_a_later_call_is_the_functions_own(served: list[Any]) -> None:
    left = [0]

    def tired(x: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError("enough")
        return rosenbrock(x)

    for after in (5, 40, 40, 70):
        left[0] = after
        with pytest.raises(RuntimeError, match="enough"):
            minimized(tired, method="Nelder-Mead")
        assert left[0] == 0  # it is not called again
    assert served


def test_a_function_that_changes_the_layout_of_what_it_returns(
    served: list[Any], unrecorded: Callable[..., Any]
) -> None:
    def turned(x: Any, calls: list[int]) -> Any:
        calls[0] += 1
        both = circle(x)
        return (
            np.stack([both, both])[:, ::1][0] if calls[0] % 3 else np.stack([both, both], 1)[:, 0]
        )

    def solved() -> Any:
        with likewise.prefer("generic"):
            return root(turned, np.asarray([2.0, 0.5]), args=([0],), jac="2-point")

    expected = unrecorded(solved).x
    for _ in range(4):
        np.testing.assert_array_equal(solved().x, expected)


def test_ctrl_c_of_one_problem_goes_on(served: list[Any]) -> None:
    left = [0]

    def stopped(x: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return rosenbrock(x)

    for after in (3, 50, 50):
        left[0] = after
        with pytest.raises(KeyboardInterrupt):
            minimized(stopped, method="Nelder-Mead")
    left[0] = -1
    np.testing.assert_allclose(minimized(stopped, method="Nelder-Mead").x, 1, atol=1e-3)


def test_callbacks_see_all_steps(served: list[Any]) -> None:
    seen: list[Any] = []
    found = minimized(rosenbrock, callback=lambda x: seen.append(np.asarray(x)))
    assert len(seen) == int(found.nit)
    with likewise.prefer("generic"):
        seen.clear()
        root(circle, np.asarray([2.0, 0.5]), callback=lambda x, f: seen.append(x))
    assert len(seen) > 2


def test_options_and_bounds_tell_kinds_apart(
    served: list[Any], unrecorded: Callable[..., Any]
) -> None:
    kinds: list[dict[str, Any]] = [
        {"options": {"xatol": 1e-1}},
        {"options": {"xatol": 1e-2, "fatol": 1e-2}},
        {"options": {"maxiter": 7}},
        {"options": {"maxiter": 7}, "bounds": [(-2.0, 1.5)] * 2},
    ]
    for more in kinds * 2:
        got = minimized(rosenbrock, method="Nelder-Mead", **more)
        expected = unrecorded(lambda m=more: minimized(rosenbrock, method="Nelder-Mead", **m))
        for a, b in zip(numbers(got), numbers(expected), strict=True):
            np.testing.assert_array_equal(a, b)


def test_solvers_in_solvers(served: list[Any]) -> None:
    def inner(p: Any) -> Any:
        return root_scalar(lambda z: z**3 + z - p, bracket=(-4.0, 4.0)).root

    def outer(x: Any) -> Any:
        return array_namespace(x).stack([inner(x[0]) - 1 + x[1], x[0] - 2 * x[1]])

    with likewise.prefer("generic"):
        for _ in range(2):
            found = root(outer, np.asarray([2.5, 0.5]), jac="2-point").x
            np.testing.assert_allclose(inner(found[0]) - 1 + found[1], 0, atol=1e-9)
    assert served


def test_threads_have_steps_of_their_own(served: list[Any]) -> None:
    found: list[Any] = [None] * 3

    def work(k: int) -> None:
        for _ in range(2):
            found[k] = minimized(lambda x: rosenbrock(x - k), START + k, "Nelder-Mead").x

    workers = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    for k in range(3):
        np.testing.assert_allclose(found[k], 1 + k, atol=1e-3)


def test_derivatives_of_solutions_are_as_before(served: list[Any]) -> None:
    def solution(a: Any) -> Any:
        xp = array_namespace(a)
        found = root(lambda x: xp.stack([x[0] ** 2 - a, x[1] - x[0]]), np.asarray([1.0, 1.0]))
        return found.x[1]

    for a in (4.0, 9.0):
        np.testing.assert_allclose(grad(solution)(np.asarray(a)), 0.5 / a**0.5, rtol=1e-12)
    assert not served  # within a transform nothing is recorded


def test_results_are_nobody_elses_memory(served: list[Any]) -> None:
    x0 = START.copy()
    first = minimized(rosenbrock, x0)
    for _ in range(2):
        found = minimized(rosenbrock, x0)
        for a, b in zip(numbers(found), numbers(first), strict=True):
            np.testing.assert_array_equal(a, b)
        for a in numbers(found):
            assert not np.shares_memory(a, x0)
            a[...] = 0
    np.testing.assert_array_equal(x0, START)


def test_kinds_do_not_add_up(served: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_stepping._KEPT, "size", 3)
    for k in range(6):
        minimized(rosenbrock, options={"maxiter": k + 1}, method="BFGS")
    assert len(_stepping._KEPT) == 3
