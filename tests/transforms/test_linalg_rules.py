"""Derivatives of linear algebra where matrices are special: zero, singular, of repeated values."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.errors import TransformError
from likewise.interop import to_numpy
from likewise.transforms import grad, jvp, vjp
from likewise.transforms._following._interpreter import interpreted

from ._rules.test_rules import Here
from .cases_linalg import CASES
from .reference import reference

RNG = np.random.default_rng(3)
X, T, G = (RNG.normal(size=(3, 3)) for _ in range(3))
CELLS = [c for c in CASES if "vjp" in c.only]


@pytest.fixture(params=["strict", "numpy"])
def xp(request: Any) -> Any:
    with interpreted():
        yield likewise.namespace(request.param)


Fun = Callable[[Any, Any], Any]  # of the namespace of what comes, and it


def _of(fun: Fun) -> Callable[[Any], Any]:
    return lambda x: fun(likewise.array_namespace(x), x)


def _jvp(xp: Any, fun: Fun, x: Any, t: Any) -> Any:
    return to_numpy(jvp(_of(fun), (xp.asarray(x),), (xp.asarray(t),))[1])


def _grad(xp: Any, fun: Fun, x: Any) -> Any:
    return to_numpy(grad(_of(fun))(xp.asarray(x)))


def _slope(fun: Fun) -> Fun:
    return lambda xp, x: grad(_of(fun))(x)


@pytest.mark.parametrize("case", [pytest.param(c, id=f"{c.name} {c.label}") for c in CELLS])
def test_derivatives_are_linear_in_their_directions(case: Any) -> None:
    """What the pull is transposed to is the push, and the other way round."""
    here, right = Here(case, "strict"), reference(case)
    tangents, cotangents = (tuple(here.arrays(d)) for d in right.directions)
    with interpreted():
        moved = jvp(here.fun, here.primals, tangents)[1]
        back = vjp(here.fun, *here.primals)[1](cotangents)
        pushed = vjp(lambda *g: vjp(here.fun, *here.primals)[1](g), *cotangents)[1](tangents)
        pulled = vjp(lambda *t: jvp(here.fun, here.primals, t)[1], *tangents)[1](cotangents)
    for found, expected in ((pushed, moved), (pulled, back)):
        for f, e in zip(map(to_numpy, found), map(to_numpy, expected), strict=True):
            np.testing.assert_allclose(f, e, rtol=1e-9, atol=1e-9 * np.max(np.abs(e)))


@pytest.mark.parametrize(
    ("name", "order"),
    [("vector_norm", o) for o in (1, 2, 3, 1.5, np.inf, -np.inf)]
    + [("matrix_norm", o) for o in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)],
)
def test_a_norm_of_zero_has_a_slope_of_zero(xp: Any, name: str, order: Any) -> None:
    def norm(xp: Any, x: Any) -> Any:
        return getattr(xp.linalg, name)(x, ord=order)

    zero = np.zeros((2, 3))
    t = xp.asarray(T[:2])
    assert not np.any(_grad(xp, norm, zero))
    assert _jvp(xp, norm, zero, T[:2]) == 0
    assert not np.any(_jvp(xp, _slope(norm), zero, T[:2]))
    assert not np.any(_grad(xp, lambda _, x: jvp(_of(norm), (x,), (t,))[1], zero))


def _polar(xp: Any, x: Any) -> Any:
    u, _, vh = xp.linalg.svd(x, full_matrices=False)
    return u @ vh


def test_repeated_singular_values(xp: Any) -> None:
    """What doesn't depend on the choice of vectors is right, and the rest finite."""
    same = 2 * np.linalg.qr(X)[0]
    found = _jvp(xp, _polar, same, T)
    q = same / 2
    inside = q.T @ T
    np.testing.assert_allclose(found, q @ (inside - inside.T) / 4, atol=1e-12)
    g = xp.asarray(G)
    pulled = _grad(xp, lambda xp, x: xp.sum(_polar(xp, x) * g), same)
    inside = q.T @ G
    np.testing.assert_allclose(pulled, q @ (inside - inside.T) / 4, atol=1e-12)
    nuclear = _grad(xp, lambda xp, x: xp.linalg.matrix_norm(x, ord="nuc"), same)
    np.testing.assert_allclose(nuclear, q, atol=1e-12)
    squares = _grad(xp, lambda xp, x: xp.sum(xp.linalg.svdvals(x) ** 2), same)
    np.testing.assert_allclose(squares, 2 * same, atol=1e-12)

    def whole(xp: Any, x: Any) -> Any:
        u, s, vh = xp.linalg.svd(x)
        return xp.sum(((u * s) @ vh) ** 3)

    for x in (same, np.eye(3), np.zeros((3, 3)), np.ones((3, 3))):
        assert np.all(np.isfinite(_grad(xp, whole, x)))
        assert np.all(np.isfinite(_jvp(xp, _slope(whole), x, T)))


def test_tall_matrices_of_repeated_singular_values(xp: Any) -> None:
    x, t = np.linalg.qr(X[:, :2])[0], T[:, :2]
    p = x.T @ t
    expected = x @ (p - p.T) / 2 + t - x @ p
    np.testing.assert_allclose(_jvp(xp, _polar, x, t), expected, atol=1e-12)


def test_repeated_eigenvalues(xp: Any) -> None:
    squares = _grad(xp, lambda xp, x: xp.sum(xp.linalg.eigvalsh(x) ** 2), np.eye(3))
    np.testing.assert_allclose(squares, 2 * np.eye(3), atol=1e-14)

    def projector(xp: Any, x: Any) -> Any:
        v = xp.linalg.eigh(x)[1][:, 2:]
        return v @ v.T

    # of the one that stands alone, beside two that are equal
    t = T + T.T
    found = _jvp(xp, projector, np.diag([1.0, 1.0, 3.0]), t)
    expected = np.zeros((3, 3))
    expected[2, :2] = expected[:2, 2] = t[2, :2] / 2
    np.testing.assert_allclose(found, expected, atol=1e-14)


@pytest.mark.parametrize(("n", "rank"), [(4, 1), (5, 2), (6, 2), (6, 4)])
def test_third_derivative_of_a_singular_determinant(xp: Any, n: int, rank: int) -> None:
    rng = np.random.default_rng(n + rank)
    x = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, n))
    t = rng.normal(size=(n, n))
    along = xp.asarray(t)

    def moved(fun: Fun) -> Fun:
        return lambda _, x: jvp(_of(fun), (x,), (along,))[1]

    third = _of(moved(moved(moved(lambda xp, x: xp.linalg.det(x)))))(xp.asarray(x))
    at = np.linspace(-1, 1, n + 1)  # a polynomial of degree n in the step
    values = [np.linalg.det(x + a * t) for a in at]
    terms = np.polynomial.polynomial.polyfit(at, values, n)
    np.testing.assert_allclose(float(third), 6 * terms[3], rtol=1e-9, atol=1e-9)


def test_slogdet_of_a_singular_matrix(xp: Any) -> None:
    x = np.stack([X, np.ones((3, 3))])
    found = _grad(xp, lambda xp, x: xp.sum(xp.linalg.slogdet(x)[1]), x)
    np.testing.assert_allclose(found[0], np.linalg.inv(X).T)
    assert np.all(np.isnan(found[1]))


def test_what_any_vectors_may_complete_has_no_derivative(xp: Any) -> None:
    x = xp.asarray(X[:, :2])
    one = xp.ones_like(x)
    for fun in (
        lambda xp, x: xp.linalg.qr(x, mode="complete")[1],
        lambda xp, x: xp.linalg.svd(x)[2],
    ):
        with pytest.raises(TransformError, match="has no derivative: any orthonormal"):
            jvp(_of(fun), (x,), (one,))
        with pytest.raises(TransformError, match="has no derivative: any orthonormal"):
            y, pull = vjp(_of(fun), x)
            pull(y)
    values = _grad(xp, lambda xp, x: xp.sum(xp.linalg.svd(x)[1] ** 2), X[:, :2])
    np.testing.assert_allclose(values, 2 * X[:, :2])


_EMPTY: dict[str, tuple[Fun, tuple[int, ...]]] = {
    "det": (lambda xp, x: xp.linalg.det(x), (2, 0, 0)),
    "inv": (lambda xp, x: xp.linalg.inv(x), (0, 0)),
    "slogdet": (lambda xp, x: xp.linalg.slogdet(x)[1], (2, 0, 0)),
    "solve": (lambda xp, x: xp.linalg.solve(x, x), (0, 3, 3)),
    "svd": (lambda xp, x: xp.linalg.svd(x, full_matrices=False)[0], (0, 2)),
    "eigh": (lambda xp, x: xp.linalg.eigh(x)[1], (0, 0)),
    "vector_norm": (lambda xp, x: xp.linalg.vector_norm(x), (0,)),
    "matrix_norm": (lambda xp, x: xp.linalg.matrix_norm(x), (2, 0)),
    "matrix_power": (lambda xp, x: xp.linalg.matrix_power(x, 2), (0, 0)),
}


@pytest.mark.parametrize("name", _EMPTY)
def test_empty_matrices(xp: Any, name: str) -> None:
    fun, shape = _EMPTY[name]
    x = xp.zeros(shape)
    y, pull = vjp(_of(fun), x)
    assert pull(xp.ones_like(y))[0].shape == shape
    assert jvp(_of(fun), (x,), (x,))[1].shape == y.shape
