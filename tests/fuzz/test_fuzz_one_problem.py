"""One problem on NumPy: what goes to SciPy's routines against the general bodies and the truth.

A row may end at another solution than the body, but at a solution; where it has none to offer, the
body's answer comes out, error or status. So each end is judged by itself, by derivatives written
out here, and the two are compared where they have met.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise import array_namespace
from likewise._namespace import hooks_of
from likewise.errors import LikewiseError
from likewise.optimize import (
    bracket_minimum,
    bracket_root,
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
from likewise.solving import _numbers

pytestmark = [pytest.mark.full, pytest.mark.needs("scipy")]

EPS = float(np.finfo(np.float64).eps)
COUNT = 400


def both(solve: Callable[..., Any], *given: Any, seed: int = 0, **more: Any) -> Any:
    """What comes out with the row and by the body, a result or an error; and if the row served.

    The body, which takes its time, is asked for one seed in four; else there is None.
    """
    out: list[Any] = []
    for force in (None, "generic")[: 1 if seed % 4 else 2]:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                if force is None:
                    with likewise.trace_native() as ran:
                        found = solve(*given, **more)
                else:
                    with likewise.prefer(force):
                        found = solve(*given, **more)
            except (LikewiseError, RuntimeError, ValueError) as error:
                found = error
        out.append(found)
    out.append(None)
    rows = [r.function for r in ran if r.routine.startswith("likewise._libs.numpy._")]
    return (
        out[0],
        out[1],
        [r.routine for r in ran if r.function in rows[:1]][-1:]
        not in (
            [],
            ["generic"],
        ),
    )


def alike(row: Any, body: Any, served: bool, what: Any) -> bool:
    """Tell if there is a result to judge: where the row did not serve, both are the same."""
    if isinstance(row, Exception):
        same = body is None or (type(row) is type(body) and str(row) == str(body))
        assert same, (what, row, body)
        return False
    if not served and body is not None:
        assert not isinstance(body, Exception), (what, row, body)
        assert int(row.status) == int(body.status), (what, row, body)
    return served


# -- curve_fit -------------------------------------------------------------------------------------


def exp(x: Any) -> Any:
    return array_namespace(x).exp(x)


# A model, and the columns of its Jacobian.
MODELS: dict[str, tuple[Any, Any, int]] = {
    "decay": (
        lambda t, a, k, c: a * exp(-k * t) + c,
        lambda t, a, k, c: [np.exp(-k * t), -a * t * np.exp(-k * t), 1 + 0 * t],
        3,
    ),
    "peak": (
        lambda t, a, m, s: a * exp(-((t - m) ** 2) / (2 * s * s)),
        lambda t, a, m, s: [
            g := np.exp(-((t - m) ** 2) / (2 * s * s)),
            a * g * (t - m) / s**2,
            a * g * (t - m) ** 2 / s**3,
        ],
        3,
    ),
    "line": (lambda t, a, b: a * t + b, lambda t, a, b: [t, 1 + 0 * t], 2),
    "constant": (lambda t, a: a + 0 * t, lambda t, a: [1 + 0 * t], 1),
    "no effect": (lambda t, a, b: a + 0 * b * t, lambda t, a, b: [1 + 0 * t, 0 * t], 2),
    "hill": (
        lambda t, a, k: a * t / (k + t),
        lambda t, a, k: [t / (k + t), -a * t / (k + t) ** 2],
        2,
    ),
    "two": (
        lambda t, a, k, b, m: a * exp(-k * t) + b * exp(-m * t),
        lambda t, a, k, b, m: [
            np.exp(-k * t),
            -a * t * np.exp(-k * t),
            np.exp(-m * t),
            -b * t * np.exp(-m * t),
        ],
        4,
    ),
    "root": (
        lambda t, a, k: a * array_namespace(t).sqrt(t - k),  # NaN for k above t
        lambda t, a, k: [np.sqrt(t - k), -a / (2 * np.sqrt(t - k))],
        2,
    ),
}


def _fit(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    name = list(MODELS)[seed % len(MODELS)]
    f, jac, p = MODELS[name]
    n = p if rng.random() < 0.05 else int(rng.integers(p + 1, 40))
    t = np.sort(rng.uniform(0.05, 4, n))
    true = rng.uniform(0.3, 3, p)
    if name == "root":
        true[1] = -true[1]
    with np.errstate(all="ignore"):
        y = f(t, *true) + 10.0 ** rng.uniform(-8, -0.5) * rng.normal(size=n)
    y = y * 10.0 ** rng.choice([0, 0, 0, 6, -6])
    if rng.random() < 0.03:
        y[0] = np.nan
    p0 = rng.uniform(0.1, 4, p) * 10.0 ** rng.choice([0, 0, 0, 1, -1], size=p)
    more: dict[str, Any] = {}
    if rng.random() < 0.3:
        more["sigma"] = rng.uniform(0.5, 2, n)
        more["absolute_sigma"] = bool(rng.random() < 0.5)
    if rng.random() < 0.4:
        width = rng.uniform(0.05, 3, (2, p))
        more["bounds"] = (p0 - width[0], np.where(rng.random(p) < 0.5, np.inf, p0 + width[1]))
        if rng.random() < 0.2:
            p0 = more["bounds"][0].copy()
    return name, f, jac, t, y, p0, more


def _minimum(fit: tuple[Any, ...], found: Any, tol: float) -> None:
    """No parameter that is free has a gradient, and none at a bound is drawn inside."""
    name, f, jac, t, y, _, more = fit
    weight = 1 / more["sigma"] if "sigma" in more else np.ones_like(t)
    x = found.popt
    with np.errstate(all="ignore"):
        r, columns = (f(t, *x) - y) * weight, np.stack(jac(t, *x)) * weight
    size = np.linalg.norm(columns, axis=1) * np.linalg.norm(r)
    noise = 1e-11 * np.linalg.norm(columns, axis=1) * np.linalg.norm(y * weight)
    cosine = np.where(np.abs(columns @ r) <= noise, 0.0, columns @ r / np.maximum(size, 1e-300))
    low, high = more.get("bounds", (-np.inf, np.inf))
    assert np.all((x >= low) & (x <= high)), name
    inward = np.where(
        x <= low, np.minimum(cosine, 0), np.where(x >= high, np.maximum(cosine, 0), 1)
    )
    held = (x <= low) | (x >= high)
    assert np.all(np.abs(np.where(held, inward, cosine)) <= tol), (name, cosine, held)


@pytest.mark.parametrize("part", range(4))
def test_fits(part: int) -> None:
    served = worse = better = 0
    for seed in range(part * COUNT, (part + 1) * COUNT):
        fit = _fit(seed)
        name, f, _, t, y, p0, more = fit
        row, body, ran = both(curve_fit, f, t, y, p0, full_output=True, seed=seed // 8, **more)
        if not alike(row, body, ran, (seed, name)):
            continue
        served += 1
        _minimum(fit, row, 1e-6)
        if body is None or isinstance(body, Exception) or not body.success:
            continue
        scale = 1e-20 * np.sum(y * y)
        worse += row.rss > body.rss * (1 + 1e-6) + scale
        better += body.rss > row.rss * (1 + 1e-6) + scale
        same = np.allclose(row.popt, body.popt, rtol=1e-7, atol=1e-9)
        if same and np.all(np.isfinite(body.pcov)):
            np.testing.assert_allclose(row.rss, body.rss, rtol=1e-5, atol=1e4 * scale)
            exact = body.rss <= 1e-16 * np.sum(y * y)  # of rounding alone, which says nothing
            if not exact:
                top = np.sqrt(np.outer(np.diag(body.pcov), np.diag(body.pcov)))
                assert np.all(np.abs(row.pcov - body.pcov) <= 1e-4 * top), (seed, name)
    assert served > COUNT / 4
    assert worse <= better + COUNT / 100, (worse, better, served)


# -- systems and sums of squares -------------------------------------------------------------------


def _system(seed: int) -> tuple[Callable[[Any], Any], Callable[[Any], Any], Any, bool]:
    """A function, its Jacobian, a start, and if there are as many equations as unknowns."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 5))
    n = p if rng.random() < 0.6 else p + int(rng.integers(1, 4))
    a, c = rng.normal(size=(n, p)), rng.normal(size=n)
    if rng.random() < 0.1:
        a[:, 0] = a[:, -1]  # singular, if there are several unknowns
    kind = seed % 4
    bend = rng.uniform(0, 2)

    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        v = xp.asarray(a) @ x - xp.asarray(c)
        if kind == 0:
            return v
        if kind == 1:
            return v + bend * v**3
        if kind == 2:
            return xp.sin(v) + 0.1 * v
        return xp.log(v + 2) - 0.1  # NaN for v below -2

    def jac(x: Any) -> Any:
        v = a @ x - c
        slope = {0: 1 + 0 * v, 1: 1 + 3 * bend * v**2, 2: np.cos(v) + 0.1, 3: 1 / (v + 2)}[kind]
        return slope[:, None] * a

    start = rng.normal(size=p) * 10.0 ** rng.choice([0, 0, 0, 1, -3, 3])
    return fun, jac, start, n == p


@pytest.mark.parametrize("given", [False, True])
def test_roots(given: bool) -> None:
    served = 0
    for seed in range(COUNT):
        fun, jac, start, square = _system(seed)
        slope = jac if given else None
        row, body, ran = both(root, fun, start, jac=slope, seed=seed // 4)
        assert square or isinstance(row, LikewiseError)
        if not alike(row, body, ran, seed):
            continue
        served += 1
        f, j = fun(row.x), jac(row.x)
        np.testing.assert_array_equal(row.fun, f)
        step = np.linalg.lstsq(j, f)[0]
        size = np.abs(j) @ np.abs(row.x) + np.abs(fun(0 * row.x))
        small = np.linalg.norm(step) <= 1e-9 * np.linalg.norm(row.x)
        assert row.success and (small or np.all(np.abs(f) <= 1e-12 * size)), (seed, f, step)
    assert served > COUNT / 4


@pytest.mark.parametrize("method", ["trf", "lm"])
def test_sums_of_squares(method: str) -> None:
    served = worse = better = 0
    for seed in range(COUNT // 3):
        fun, jac, start, _ = _system(seed)
        row, body, ran = both(least_squares, fun, start, method=method, seed=seed // 4)
        if not alike(row, body, ran, seed):
            continue
        served += 1
        f, j = fun(row.x), jac(row.x)
        np.testing.assert_allclose(row.cost, 0.5 * f @ f, rtol=1e-12)
        np.testing.assert_allclose(row.jac, j, rtol=1e-9, atol=1e-12)
        size = np.linalg.norm(j, axis=0) * np.linalg.norm(f)
        assert np.all(np.abs(j.T @ f) <= 1.1 * np.maximum(1e-8, EPS**0.25 * size)), seed
        if body is None or isinstance(body, Exception) or not body.success:
            continue
        worse += row.cost > body.cost * (1 + 1e-6) + 1e-12
        better += body.cost > row.cost * (1 + 1e-6) + 1e-12
    assert served > COUNT / 12
    assert worse <= better + COUNT / 60, (worse, better, served)


# -- one unknown, minima ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["brentq", "brenth", "bisect"])
def test_roots_in_brackets(method: str) -> None:
    served = 0
    for seed in range(COUNT):
        rng = np.random.default_rng(seed)
        c = rng.normal(size=4) * 10.0 ** rng.choice([0, 0, 3, -3])
        a = rng.normal(scale=2)
        b = a + rng.exponential(3)

        def fun(x: Any, c: Any = c, kind: int = seed % 4) -> Any:
            v = c[0] + c[1] * x + c[2] * x**2 + c[3] * x**3
            if kind == 1:
                return array_namespace(x).exp(v) - 1
            return array_namespace(x).log(v) if kind == 2 else v

        more = {} if rng.random() < 0.7 else {"xtol": 1e-6, "rtol": 1e-8, "maxiter": 12}
        row, body, ran = both(
            root_scalar, fun, bracket=(float(a), float(b)), method=method, seed=seed // 4, **more
        )
        if not alike(row, body, ran, seed) or not row.success:
            continue
        served += 1
        x = float(row.root)
        near = more.get("xtol", 2e-12) + more.get("rtol", 4 * EPS) * abs(x) + 4 * EPS * abs(x)
        ends = np.clip([x - 2 * near, x + 2 * near], a, b)
        with np.errstate(all="ignore"):
            sides = [np.sign(fun(np.float64(e))) for e in ends]
            zero = fun(np.float64(x)) == 0
        assert a <= x <= b and (zero or sides[0] != sides[1]), (seed, x, sides)
    assert served > COUNT / 8


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "Nelder-Mead"])
def test_minima(method: str) -> None:
    served = worse = better = 0
    for seed in range(COUNT // 5):
        rng = np.random.default_rng(seed)
        p = int(rng.integers(1, 5))
        a, c = rng.normal(size=(p + 1, p)), rng.normal(size=p + 1)
        kind = seed % 3

        def fun(x: Any, a: Any = a, c: Any = c, kind: int = kind) -> Any:
            xp = array_namespace(x)
            v = xp.asarray(a) @ x - xp.asarray(c)
            if kind == 0:
                return xp.sum(v * v)
            if kind == 1:
                return xp.sum(xp.sqrt(1 + v * v))
            return xp.sum(v * v - xp.log(v + 9))  # NaN far away

        start = rng.normal(size=p) * 10.0 ** rng.choice([0, 0, 1, 4])
        bounds = None
        if method != "BFGS" and rng.random() < 0.4:
            bounds = np.stack(
                [start - rng.uniform(0, 2, p), start + rng.uniform(0.1, 2, p)], axis=1
            )
        row, body, ran = both(minimize, fun, start, method=method, bounds=bounds, seed=seed // 3)
        if not alike(row, body, ran, seed):
            continue
        served += 1
        np.testing.assert_allclose(row.fun, fun(row.x), rtol=1e-14)
        if bounds is not None:
            assert np.all((row.x >= bounds[:, 0]) & (row.x <= bounds[:, 1]))
        if body is not None and not isinstance(body, Exception) and body.success:
            slack = 1e-4 * (1 + abs(float(body.fun))) if method == "Nelder-Mead" else 1e-6
            worse += row.fun > body.fun + slack
            better += body.fun > row.fun + slack
    assert served > COUNT / 20
    assert worse <= better + COUNT / 100, (worse, better, served)


def test_nonnegative() -> None:
    for seed in range(COUNT):
        rng = np.random.default_rng(seed)
        m, n = (int(k) for k in rng.integers(1, 9, 2))
        a, b = rng.normal(size=(m, n)) * 10.0 ** rng.integers(-3, 4), rng.normal(size=m)
        if rng.random() < 0.3:
            a = np.round(a)
        row, body, _ = both(nnls, a, b, seed=seed)
        np.testing.assert_allclose(row[1], scipy.optimize.nnls(a, b)[1], rtol=1e-7, atol=1e-9)
        if body is not None:
            np.testing.assert_allclose(row[1], body[1], rtol=1e-7, atol=1e-9)
        assert np.all(row[0] >= 0)
        np.testing.assert_allclose(np.linalg.norm(a @ row[0] - b), row[1], rtol=1e-7, atol=1e-9)


# -- on Python's numbers ---------------------------------------------------------------------------


def bits(solve: Callable[[], Any]) -> Any:
    """Return all that comes out, in bytes, or the error."""
    with np.errstate(all="ignore"):
        try:
            found = solve()
        except (LikewiseError, ValueError) as error:
            return type(error), str(error)
    names = found.keys()
    values = [v for k in names for v in (found[k] if isinstance(found[k], tuple) else [found[k]])]
    return [v.tobytes() if hasattr(v, "tobytes") else v for v in values]


def on_an_interval(rng: Any) -> Callable[[Any], Any]:
    a, b, c, d = rng.normal(size=4) * 10.0 ** rng.integers(-2, 3)
    kind = int(rng.integers(6))
    return [
        lambda x: a * x**3 + b * x + c,
        lambda x: a * array_namespace(x).cos(d * x) + b,
        lambda x: array_namespace(x).exp(b * x) - c,
        lambda x: a / (x - b),
        lambda x: array_namespace(x).sign(x - d),
        lambda x: (x - c) ** 4 + 0 * a,
    ][kind]


@pytest.mark.parametrize("seed", range(COUNT))
def test_on_numbers_as_on_arrays(seed: int, monkeypatch: Any) -> None:
    rng = np.random.default_rng(seed)
    f, (a, b) = on_an_interval(rng), rng.normal(size=2) * 10.0 ** rng.integers(-1, 3)
    most, tol = int(rng.integers(1, 60)), float(10.0 ** rng.integers(-13, -2))
    method = str(rng.choice("brentq brenth bisect chandrupatla secant newton".split()))
    where = {"bracket": (a, b)} if method[0] in "bc" else {"x0": a}
    solvers = [
        lambda: root_scalar(f, method=method, maxiter=most, xtol=tol, **where),
        lambda: find_root(f, (a, b), maxiter=most),
        lambda: find_minimum(f, (a, (a + b) / 2, b), maxiter=most),
        lambda: bracket_root(f, a, b, maxiter=most),
        lambda: bracket_minimum(f, a, maxiter=most),
        lambda: minimize_scalar(f, bracket=(a, b), method=("brent", "golden")[seed % 2]),
        lambda: minimize_scalar(f, bounds=(a, b), method="bounded", options={"maxiter": most}),
        lambda: fixed_point(f, a, maxiter=most, full_output=True),
    ]
    monkeypatch.setattr(_numbers, "_AFTER", 0)
    library: Any = type(hooks_of(np.zeros(1)))
    with likewise.prefer("generic"):
        for solve in solvers:
            ours = bits(solve)
            with monkeypatch.context() as patch:
                patch.setattr(library, "floats", False)
                assert ours == bits(solve)
