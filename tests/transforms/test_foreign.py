"""Functions of other packages, written for the standard, followed by likewise on NumPy's arrays."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import array_api_extra as xpx
import numpy as np
import pytest

import likewise
from likewise.transforms import grad, hessian, vmap

X = np.random.default_rng(0).normal(size=(3, 4))
W = np.random.default_rng(1).normal(size=100)
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "pad": lambda xp, x: xpx.pad(x**2, ((1, 0), (0, 2)), constant_values=1.0),
    "apply_where": lambda xp, x: xpx.apply_where(x > 0, x, xp.log, fill_value=0.0),
    "apply_where both": lambda xp, x: xpx.apply_where(x > 0, x, lambda a: a**2, lambda a: -a),
    "at set": lambda xp, x: xpx.at(x, (0, 1)).set(x[1, 1] * 2, copy=True),
    "at add": lambda xp, x: xpx.at(x)[:, 1].add(x[:, 2] ** 2, copy=True),
    "at multiply": lambda xp, x: xpx.at(x)[1, ...].multiply(x[0, ...], copy=True),
    "at mask": lambda xp, x: xpx.at(x)[x < 0].set(0.0, copy=True) ** 2,
    "cov": lambda xp, x: xpx.cov(x),
    "kron": lambda xp, x: xpx.kron(x, x[:2, :2]),
    "one_hot": lambda xp, x: xpx.one_hot(xp.astype(x > 0, xp.int64), 2) * x[..., None],
    "sinc": lambda xp, x: xpx.sinc(x),
    "create_diagonal": lambda xp, x: xpx.create_diagonal(x[0, :]),
    "atleast_nd": lambda xp, x: xpx.atleast_nd(x, ndim=3) ** 2,
    "isclose": lambda xp, x: xp.where(xpx.isclose(x, x), x**2, 0.0),
}
NAMES = [pytest.param(f, id=n) for n, f in FUNCTIONS.items()]


def _total(fun: Any, x: Any, w: Any = None) -> Any:
    xp = likewise.array_namespace(x)
    y = xp.reshape(fun(xp, x), (-1,))
    return xp.sum(y * xp.asarray(W[: y.shape[0]]))


@pytest.mark.needs("jax")
@pytest.mark.parametrize("fun", NAMES)
@pytest.mark.share(3)
def test_array_api_extra(fun: Any) -> None:
    import jax
    import jax.numpy as jnp

    def mine(x: Any) -> Any:
        return _total(fun, x)

    stack = np.stack([X, X * 1.5, X - 0.1])
    expected = np.stack([jax.grad(mine)(jnp.asarray(x)) for x in stack])
    with np.errstate(invalid="ignore"):  # the branch not taken, of a batch
        np.testing.assert_allclose(grad(mine)(X.copy()), expected[0], rtol=1e-12, atol=1e-13)
        found = vmap(lambda x: fun(likewise.array_namespace(x), x))(stack)
        np.testing.assert_allclose(found, np.stack([fun(np, x) for x in stack]), rtol=1e-12)
        np.testing.assert_allclose(vmap(grad(mine))(stack), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.needs("jax")
@pytest.mark.full
def test_second_derivatives() -> None:
    import jax
    import jax.numpy as jnp

    def fun(x: Any) -> Any:
        return _total(lambda xp, a: xpx.cov(xpx.pad(a**2, 1)), x)

    found = hessian(fun)(X)
    np.testing.assert_allclose(found, jax.hessian(fun)(jnp.asarray(X)), rtol=1e-10, atol=1e-12)


# SciPy's switch is read at its import.
SCRIPT = """
import numpy as np
import likewise
from likewise.transforms import grad, vmap

X = np.random.default_rng(0).normal(size=(3, 4))
W = np.random.default_rng(1).normal(size=100)
{functions}

def total(fun, x):
    xp = likewise.array_namespace(x)
    y = xp.reshape(fun(xp, x), (-1,))
    return xp.sum(y * xp.asarray(W[: y.shape[0]]))

def differences(fun, x, h=1e-3):
    out = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        for c, n in ((3 / 4, 1), (-3 / 20, 2), (1 / 60, 3)):
            for sign in (1, -1):
                moved = x.copy()
                moved[k] += sign * n * h
                out[k] += sign * c * fun(moved) / h
    return out

stack = np.stack([X, X * 1.5, X - 0.1])
for name, fun in functions.items():
    mine = lambda x: total(fun, x)
    expected = np.stack([differences(mine, x) for x in stack])
    np.testing.assert_allclose(grad(mine)(X), expected[0], rtol=1e-9, atol=1e-9, err_msg=name)
    found = vmap(lambda x: fun(likewise.array_namespace(x), x))(stack)
    each = np.stack([fun(np, x) for x in stack])
    np.testing.assert_allclose(found, each, rtol=1e-12, atol=1e-13, err_msg=name)
    found = vmap(grad(mine))(stack)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=name)
    print(name)
"""

SCIPY = """
from scipy.integrate import cumulative_trapezoid, trapezoid
from scipy.special import log_softmax, logsumexp, softmax
from scipy.stats import gmean, zscore

functions = {
    "logsumexp": lambda xp, x: logsumexp(x, axis=1),
    "logsumexp weighted": lambda xp, x: logsumexp(x, b=xp.ones_like(x) * 2),
    "softmax": lambda xp, x: softmax(x, axis=1),
    "log_softmax": lambda xp, x: log_softmax(x, axis=0),
    "trapezoid": lambda xp, x: trapezoid(x**2, dx=0.5, axis=1),
    "trapezoid at places": lambda xp, x: trapezoid(x, x=xp.asarray([0.0, 1.0, 3.0, 4.0])),
    "cumulative_trapezoid": lambda xp, x: cumulative_trapezoid(x),
    "zscore": lambda xp, x: zscore(x, axis=1),
    "gmean": lambda xp, x: gmean(xp.exp(x), axis=1),
}
"""

SKLEARN = """
import sklearn
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances, rbf_kernel

# Whether all numbers are finite would be one answer for all lanes.
sklearn.set_config(array_api_dispatch=True, assume_finite=True)
functions = {
    "rbf_kernel": lambda xp, x: rbf_kernel(x, gamma=0.3),
    "rbf_kernel of two": lambda xp, x: rbf_kernel(x, x * 2.0),
    "euclidean_distances": lambda xp, x: euclidean_distances(x, x + 1.0, squared=True),
    "cosine_similarity": lambda xp, x: cosine_similarity(x),
}
"""


@pytest.mark.parametrize(
    ("functions", "count"),
    [
        pytest.param(SCIPY, 9, marks=pytest.mark.needs("scipy>=1.17"), id="scipy"),
        pytest.param(SKLEARN, 4, marks=pytest.mark.needs("sklearn"), id="sklearn"),
    ],
)
@pytest.mark.full
def test_scientific_packages(functions: str, count: int, monkeypatch: Any) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    script = SCRIPT.replace("{functions}", functions)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == count
