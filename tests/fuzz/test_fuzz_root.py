"""Random systems of equations against SciPy: no false root, and derivatives by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.optimize import root
from likewise.transforms import grad

pytestmark = [
    pytest.mark.full,
    pytest.mark.xp_skip({"dask": "the iterations look at values"}),
]

Bend = Callable[[Any, Any], Any]

# What is added to ``a x - b``, and whether that is monotone, so that there is one root.
KINDS: dict[str, tuple[Bend, bool]] = {
    "linear": (lambda xp, x: 0 * x, True),
    "cubic": (lambda xp, x: x * x * x, True),
    "arctan": (lambda xp, x: 2 * xp.atan(3 * x), True),
    "exponential": (lambda xp, x: xp.exp(0.5 * x), True),
    "wave": (lambda xp, x: 4 * xp.sin(2 * x), False),
    "square": (lambda xp, x: x * x, False),  # of which there may be none
}
COUNT = 20


def systems(rng: np.random.Generator, monotone: bool) -> tuple[Any, Any, Any]:
    """Matrices, right sides, starts; matrices of positive symmetric part keep what is monotone."""
    p = int(rng.integers(1, 5))
    a = rng.normal(size=(COUNT, p, p))
    if monotone:
        a = a @ np.swapaxes(a, 1, 2) + 0.1 * np.eye(p) + (a - np.swapaxes(a, 1, 2))
    size = 10.0 ** rng.integers(-2, 3)
    return size * a, size * rng.normal(size=(COUNT, p)), 3 * rng.normal(size=(COUNT, p))


def by_scipy(f: Any, x0: Any) -> Any:
    """The root that MINPACK finds by one of its two methods, or None."""
    for method in ("hybr", "lm"):
        found = scipy.optimize.root(f, x0, method=method, tol=1e-12)
        if found.success and np.max(np.abs(found.fun)) < 1e-9:
            return found.x
    return None


@pytest.mark.parametrize("method", ["newton", "lm", "anderson"])
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_random_systems(lib: Any, leave_out: Any, name: str, method: str) -> None:
    leave_out("float64", not lib.has_float64)
    bend, monotone = KINDS[name]
    seeds = {"numpy": 10, "jax": 1}.get(lib.library, 2)
    ours_fails = theirs_fails = 0
    for seed in range(seeds):
        a, b, x0 = systems(np.random.default_rng([seed, len(name)]), monotone)
        matrices, right = lib.asarray(a), lib.asarray(b)

        def fun(x: Any, matrices: Any = matrices, right: Any = right) -> Any:
            xp = likewise.array_namespace(x)
            return xp.matmul(matrices, x[:, :, None])[..., 0] + bend(xp, x) - right

        found = root(fun, lib.asarray(x0), method=method, vectorized=True)
        x, values = lib.to_numpy(found.x), lib.to_numpy(found.fun)
        success = lib.to_numpy(found.success)
        for i in range(COUNT):

            def one(v: Any, a: Any = a[i], b: Any = b[i]) -> Any:
                return a @ v + bend(np, v) - b

            label = f"{name} {method} {seed} {i}: status {int(found.status[i])}"
            scale = np.max(np.abs(a[i])) * np.max(np.abs(x[i])) + np.max(np.abs(b[i])) + 1
            if np.all(np.isfinite(x[i])):
                np.testing.assert_allclose(
                    values[i], one(x[i]), rtol=1e-6, atol=1e-12 * scale, err_msg=label
                )
            expected = by_scipy(one, x0[i])
            theirs_fails += expected is None
            if not success[i]:
                ours_fails += 1
                assert not (monotone and method != "anderson"), label
                continue
            left = np.max(np.abs(one(x[i])))
            assert left <= 1e-6 * scale, label
            if monotone and expected is not None:
                inverse = np.linalg.inv(_jacobian(one, x[i]))
                near = 3 * np.sum(np.abs(inverse)) * (left + 1e-9 * scale)
                np.testing.assert_allclose(x[i], expected, rtol=0, atol=near, err_msg=label)
    if method != "anderson":
        assert ours_fails <= theirs_fails + 0.1 * COUNT * seeds, (ours_fails, theirs_fails)


def _jacobian(f: Any, x: Any) -> Any:
    steps = 1e-6 * np.eye(x.size)
    return np.stack([(f(x + h) - f(x - h)) / 2e-6 for h in steps], axis=1)


def _bent(matrices: Any, b: Any) -> Callable[[Any], Any]:
    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x, b)
        return xp.matmul(matrices, x[..., None])[..., 0] + 0.1 * xp.tanh(x) - b

    return fun


@pytest.mark.parametrize("method", ["newton", "lm", "anderson"])
def test_derivatives_of_roots(lib: Any, leave_out: Any, method: str) -> None:
    """With respect to the right side they are the inverse Jacobian's."""
    leave_out("float64", not lib.has_float64)
    seeds = {"numpy": 60, "jax": 2}.get(lib.library, 8)
    for seed in range(seeds):
        rng = np.random.default_rng([seed, 5])
        a, b, x0 = systems(rng, True)
        weight = rng.normal(size=b.shape)
        matrices, start, towards = (lib.asarray(v) for v in (a, 0.1 * x0, weight))

        def total(b: Any, matrices: Any = matrices, start: Any = start, w: Any = towards) -> Any:
            xp = likewise.array_namespace(b)

            found = root(_bent(matrices, b), start, method=method, vectorized=True)
            good = xp.astype(found.success, b.dtype)
            return xp.sum(found.x * w * good[:, None])

        slope = lib.to_numpy(grad(total)(lib.asarray(b)))
        for i in range(COUNT):
            if method == "anderson" and not np.any(slope[i]):
                continue  # it has found none
            x = scipy.optimize.root(_bent(a[i], b[i]), 0.1 * x0[i], tol=1e-13).x
            jac = a[i] + 0.1 * np.diag(1 / np.cosh(x) ** 2)
            expected = np.linalg.solve(jac.T, weight[i])
            near = 1e-5 * np.linalg.cond(jac) * np.max(np.abs(expected))
            np.testing.assert_allclose(slope[i], expected, atol=near, rtol=0, err_msg=f"{seed} {i}")
