"""Rational functions in barycentric form, against SciPy's."""

import importlib
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import array_namespace, errors, interpolate, namespace, to_numpy
from likewise.interpolate import AAA, FloaterHormannInterpolator
from likewise.transforms import grad, jit

from ..closeness import near

RNG = np.random.default_rng(12)
X = np.sort(RNG.uniform(-1.0, 1.0, size=9))
Y = RNG.normal(size=(2, 9, 3))
AT = np.concatenate([RNG.uniform(-1.0, 1.0, size=4), X[2:4]]).reshape(2, 3)
CURVE = np.linspace(-1.0, 1.0, 40)
VALUES = np.exp(CURVE) / (CURVE - 1.5)


def _sorted(v: Any) -> Any:
    v = to_numpy(v)
    return v[np.lexsort((v.imag.round(5), v.real.round(5)))]


def test_values_of_blends(xp: Any) -> None:
    for y, axis, d in ((Y, 1, 3), (Y[0, :, 0], 0, 0), (Y + 1j * Y[::-1], 1, 8)):
        ours = FloaterHormannInterpolator(xp.asarray(X), xp.asarray(y), d=d, axis=axis)
        theirs = judge.FloaterHormannInterpolator(X, y, d=d, axis=axis)
        near(ours.weights, theirs.weights, 1e-13)
        for v in (AT[0, 0], X, AT[0] + 0.1j):
            near(ours(xp.asarray(v)), theirs(v), 1e-12)
    assert ours(xp.asarray(AT)).shape == (2, 2, 3, 3)


def test_a_batch_is_each_alone(xp: Any) -> None:
    x = np.stack([X, X[::-1] * 2.0])
    ours = FloaterHormannInterpolator(xp.asarray(x), xp.asarray(Y), d=2)
    found = ours(xp.asarray(AT))
    for i in range(2):
        near(found[i, ...], judge.FloaterHormannInterpolator(x[i], Y[i], d=2)(AT[i]), 1e-12)
    one = FloaterHormannInterpolator(xp.asarray(x), xp.asarray(Y[..., 0]), d=2)
    if hasattr(xp, "linalg") and to_numpy(one.weights).dtype == np.float64:
        for i in range(2):
            roots = judge.FloaterHormannInterpolator(x[i], Y[i, :, 0], d=2).roots()
            near(_sorted(one.roots()[i, :]), _sorted(roots), 1e-9)


@pytest.mark.parametrize(("n", "d"), [(20, 3), (20, 2), (40, 3)])
def test_poles_where_weights_cancel(lib: Any, n: int, d: int) -> None:
    """Weights whose sum is 0 but for rounding; a blend has no pole between its nodes."""
    if not lib.has_extensions or not lib.has_float64:
        return
    x = np.linspace(-1.0, 1.0, n)
    ours = FloaterHormannInterpolator(lib.asarray(x), lib.asarray(np.sin(3 * x)), d=d)
    theirs = judge.FloaterHormannInterpolator(x, np.sin(3 * x), d=d)
    found = to_numpy(ours.poles())
    found = found[np.isfinite(found)]
    assert np.min(abs(found.imag[abs(found.real) <= 1])) > 1e-3
    expected = theirs.poles()
    expected = expected[np.isfinite(expected) & (abs(expected) < 10)]
    assert np.all(np.min(abs(found - expected[:, None]), axis=1) < 1e-7)


def test_points_out_of_order_and_again() -> None:
    x = np.asarray([2.0, 0.0, 1.0, 0.0, 3.0, 4.0])
    y = np.asarray([1.0, 2.0, 4.0, 9.0, np.nan, 3.0])
    ours = FloaterHormannInterpolator(x, y, d=1)
    near(ours(AT), judge.FloaterHormannInterpolator(x, y, d=1)(AT))


@pytest.mark.parametrize("values", [VALUES, VALUES + 0.3j * np.cos(CURVE)])
def test_greedy_fits(lib: Any, values: Any) -> None:
    xp = lib.xp
    if not hasattr(xp, "linalg"):
        with pytest.raises(errors.ExtensionMissing):
            AAA(xp.asarray(CURVE), xp.asarray(values))
        return
    ours = AAA(xp.asarray(CURVE), xp.asarray(values), rtol=1e-5)
    theirs = judge.AAA(CURVE, values, rtol=1e-5)
    if to_numpy(ours.errors).dtype == np.float64:
        near(ours.support_points, theirs.support_points)
        near(_sorted(ours.poles()), _sorted(theirs.poles()), 1e-7)
        near(_sorted(ours.roots()), _sorted(theirs.roots()), 1e-7)
        near(_sorted(ours.residues()), _sorted(theirs.residues()), 1e-7)
    near(ours(xp.asarray(AT)), theirs(AT), 1e-9)
    assert float(ours.errors[-1]) <= 1e-5 * np.max(np.abs(values))


def test_infinite_poles_are_left_out(lib: Any) -> None:
    if not hasattr(lib.xp, "linalg"):
        return
    xp = lib.xp
    ours = FloaterHormannInterpolator(xp.asarray([0.0, 1.0]), xp.asarray([1.0, 2.0]), d=1)
    assert ours.poles().shape == (0,)  # a line
    near(ours.roots(), np.asarray([-1.0 + 0.0j]))


def test_doublets_are_removed() -> None:
    z = np.exp(np.linspace(-0.5, 0.5 + 15j * np.pi, num=300))
    f = np.tan(np.pi * z / 2)
    with pytest.warns(errors.ConvergenceWarning, match="AAA failed"):
        ours = AAA(z, f, rtol=0, max_terms=40, clean_up=False)
    before = ours.support_points.shape[0]
    with pytest.warns(RuntimeWarning, match="Froissart doublets"):
        count = ours.clean_up()
    assert count >= 1
    assert before - count <= ours.support_points.shape[0] < before
    np.testing.assert_allclose(ours(z), f, rtol=1e-9, atol=1e-9)


def _followed(total: Any, given: list[Any], rel: float = 1e-5) -> None:
    along = [RNG.normal(size=a.shape) for a in given]
    h = 1e-6
    for i, (a, b) in enumerate(zip(given, along, strict=True)):
        found = np.sum(to_numpy(grad(total, argnums=i)(*given)) * b)
        ends = [total(*given[:i], a + s * h * b, *given[i + 1 :]) for s in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=rel), i


def test_gradients_of_blends() -> None:
    def total(x: Any, y: Any, v: Any) -> Any:
        made = FloaterHormannInterpolator(x, y, d=2)
        xp = array_namespace(x, y, v)
        return xp.sum(made(v) ** 2) + xp.sum(xp.real(made.roots() ** 2))

    _followed(total, [X, Y[0, :, 0], np.concatenate([AT[0], X[1:3]])])


def test_gradients_of_greedy_fits() -> None:
    def total(x: Any, y: Any, v: Any) -> Any:
        made = AAA(x, y, rtol=1e-3, clean_up=False)
        xp = array_namespace(x, y, v)
        return xp.sum(made(v) ** 2) + xp.sum(xp.real(made.poles()))

    _followed(total, [CURVE, np.abs(CURVE - 0.1) + VALUES, AT[0]], 1e-4)


@pytest.mark.needs("torch")
def test_gradients_that_torch_records() -> None:
    def total(x: Any, y: Any) -> Any:
        made = FloaterHormannInterpolator(x, y, d=2)
        return (made(x[2:3]) ** 2).sum() + (made.roots() ** 2).real.sum()

    torch = namespace("torch")
    given = [torch.asarray(a).requires_grad_() for a in (X, Y[0, :, 0])]
    total(*given).backward()
    for a, b in zip(given, grad(total, argnums=(0, 1))(X, Y[0, :, 0]), strict=True):
        near(a.grad, b, 1e-9)


@pytest.mark.parametrize("kind", ["AAA", "FloaterHormannInterpolator"])
def test_objects_are_trees(kind: str) -> None:
    made = getattr(interpolate, kind)(CURVE, VALUES)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made))(AT), made(AT))
    near(jit(lambda f, v: f(v))(made, AT), made(AT), 1e-12)


@pytest.mark.needs("jax")
def test_values_that_are_not_known() -> None:
    with pytest.raises(errors.ArgumentError, match="can't be read"):
        jit(lambda x: AAA(x, x).weights)(namespace("jax").asarray(X))


@pytest.mark.needs("dask")
def test_values_that_are_computed_later() -> None:
    with pytest.raises(errors.ArgumentError, match="of computed arrays"):
        AAA(namespace("dask").asarray(X), X)


@pytest.mark.needs("torch")
def test_second_derivatives_of_greedy_fits() -> None:
    """Both of weights that move, against differences of values; and of one that stays the same."""
    at, way = np.linspace(-1.0, 1.0, 20), 0.1 * np.sin(3.0 * np.linspace(-1.0, 1.0, 20))
    xp = namespace("torch")
    autograd = importlib.import_module("torch").autograd.grad

    def loose(s: Any, x: Any) -> Any:
        ours = array_namespace(x)
        return AAA(x, ours.exp(x) * (1.0 + s * x), rtol=1e-2, clean_up=False)(0.3)

    def exact(s: Any, x: Any) -> Any:
        x = x + s * array_namespace(x).asarray(way)
        return AAA(x, x**2 / (x + 5.0))(0.3)

    for work in (loose, exact):
        ends = [float(work(np.asarray(s), at)) for s in (-1e-3, 0.0, 1e-3)]
        slope = (ends[0] - 2.0 * ends[1] + ends[2]) / 1e-6
        s = xp.asarray(0.0, dtype=xp.float64).requires_grad_()
        (first,) = autograd(work(s, xp.asarray(at)), s, create_graph=True)
        twice = [grad(grad(work))(np.asarray(0.0), at), autograd(first, s)[0]]
        for found in twice:
            assert float(found) == pytest.approx(slope, rel=1e-5, abs=1e-8)


def test_many_points_at_once() -> None:
    at = np.linspace(-1.0, 1.0, 20001)
    near(
        FloaterHormannInterpolator(CURVE, VALUES)(at),
        judge.FloaterHormannInterpolator(CURVE, VALUES)(at),
    )


def test_bad_arguments() -> None:
    with pytest.raises(errors.ShapeError, match="1-D"):
        AAA(np.stack([X, X]), np.stack([X, X]))
    with pytest.raises(errors.ShapeError, match="size 8"):
        FloaterHormannInterpolator(X, X[:8])
    with pytest.raises(errors.ArgumentError, match="`d` must"):
        FloaterHormannInterpolator(X, X, d=9)
    with pytest.raises(errors.ArgumentError, match="max_terms"):
        AAA(X, X, max_terms=0)
    with pytest.raises(errors.ArgumentError, match="no finite"):
        AAA(X, X * np.nan)
    with pytest.raises(NotImplementedError, match="several functions"):
        FloaterHormannInterpolator(X, Y, axis=1).roots()
