"""Linear least squares within bounds against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise import array_namespace
from likewise.errors import ArgumentError, ShapeError
from likewise.optimize import LsqLinearResult, lsq_linear
from likewise.sparse.linalg import LinearOperator
from likewise.testing import check_function
from likewise.transforms import grad, vjp


def near(lib: Any, got: Any, expected: Any, tol: float = 1e-11) -> None:
    out = lib.to_numpy(got)
    assert out.shape == np.shape(expected)
    tol = tol if lib.has_float64 else 3e-4
    np.testing.assert_allclose(out, expected, rtol=tol, atol=tol)


def by_scipy(a: Any, b: Any, lower: Any, upper: Any) -> list[Any]:
    bounds = zip(*(np.broadcast_to(v, (len(a), a.shape[-1])) for v in (lower, upper)), strict=True)
    return [
        scipy.optimize.lsq_linear(m, r, pair, method="bvls", tol=1e-14)
        for m, r, pair in zip(a, b, bounds, strict=True)
    ]


def test_batch_equals_scipy(lib: Any, rng: Any) -> None:
    a, b = rng.normal(size=(6, 9, 5)), rng.normal(size=(6, 9))
    lower, upper = -rng.uniform(0, 0.2, size=(6, 5)), rng.uniform(0.01, 0.2, size=5)
    upper[0] = np.inf
    result = lsq_linear(lib.asarray(a), lib.asarray(b), (lib.asarray(lower), lib.asarray(upper)))
    assert isinstance(result, LsqLinearResult)
    expected = by_scipy(a, b, lower, upper)
    for name in ("x", "cost", "fun"):
        near(lib, getattr(result, name), [getattr(e, name) for e in expected])
    mask = lib.to_numpy(result.active_mask)
    assert mask.dtype == np.int32
    np.testing.assert_array_equal(mask, [e.active_mask for e in expected])
    assert np.all(lib.to_numpy(result.status) == 1)
    x, tol = lib.to_numpy(result.x), 1e-11 if lib.has_float64 else 1e-4
    edge = np.where(mask < 0, lower, upper)
    edge = edge.astype(x.dtype)
    assert np.all(x[mask != 0] == edge[mask != 0])  # exactly
    assert np.all(lib.to_numpy(result.optimality) < tol)


def test_no_bounds_in_the_way(lib: Any, rng: Any) -> None:
    a, b = rng.normal(size=(8, 3)), rng.normal(size=8)
    result = lsq_linear(lib.asarray(a), lib.asarray(b))
    near(lib, result.x, np.linalg.lstsq(a, b, rcond=None)[0])
    assert int(result.status) == 3 and int(result.nit) == 1
    result = lsq_linear(lib.asarray(a), lib.asarray(b), (-100.0, 100.0))
    assert int(result.status) == 3 and bool(result.success)


def test_free_and_bounded_unknowns_of_a_flat_matrix(lib: Any, rng: Any) -> None:
    a, b = rng.normal(size=(3, 4, 6)), rng.normal(size=(3, 4))
    lower = np.asarray([-np.inf, -0.1, -np.inf, 0.0, 0.0, 0.0])
    upper = np.asarray([np.inf, 0.1, -0.2, 0.1, 0.2, 0.1])
    result = lsq_linear(lib.asarray(a), lib.asarray(b), (lib.asarray(lower), lib.asarray(upper)))
    near(lib, result.cost, [e.cost for e in by_scipy(a, b, lower, upper)], 1e-9)
    x = lib.to_numpy(result.x)
    assert np.all(x >= lower.astype(x.dtype)) and np.all(x <= upper.astype(x.dtype))


def test_scipys_bounds_object(lib: Any, rng: Any) -> None:
    """It holds NumPy's arrays, whatever the library."""
    a, b = rng.normal(size=(8, 3)), rng.normal(size=8)
    expected = scipy.optimize.lsq_linear(a, b, (-0.1, 0.1), "bvls").x
    for bounds in (scipy.optimize.Bounds(-0.1, 0.1), scipy.optimize.Bounds([-0.1] * 3, [0.1] * 3)):
        found = lsq_linear(lib.asarray(a), lib.asarray(b), bounds)
        near(lib, found.x, expected, 1e-9)


@pytest.mark.long("jax-jit")
def test_gradient(lib: Any, rng: Any) -> None:
    a, b, c = rng.normal(size=(7, 4)), rng.normal(size=7), rng.normal(size=4)
    upper = np.asarray([0.1, 0.2, 5.0, 5.0])

    def combined(b: Any, upper: Any) -> Any:
        xp = likewise.array_namespace(b, upper)
        return xp.sum(lsq_linear(lib.asarray(a), b, (-0.3, upper)).x * lib.asarray(c))

    got = grad(combined, (0, 1))(lib.asarray(b), lib.asarray(upper))
    at = by_scipy(a[None], b[None], -0.3, upper)[0]
    free = at.active_mask == 0
    assert 0 < free.sum() < 4
    # On the free ones x = pinv(A_f) (b - A_a x_a).
    inverse = np.linalg.pinv(a[:, free])
    of_b = c[free] @ inverse
    of_upper = np.where(at.active_mask == 1, c - of_b @ a, 0.0)
    near(lib, got[0], of_b, 1e-10)
    near(lib, got[1], of_upper, 1e-10)


def test_bad_input() -> None:
    a, b = np.ones((3, 2)), np.ones(3)
    with pytest.raises(ArgumentError, match="method must be one of"):
        lsq_linear(a, b, method="exact")
    with pytest.raises(ArgumentError, match="below its upper bound"):
        lsq_linear(a, b, (0.0, np.asarray([1.0, 0.0])))
    with pytest.raises(ArgumentError, match=r"problem 1"):
        lsq_linear(np.ones((2, 3, 2)), b, (0.0, np.asarray([[1.0, 1.0], [1.0, 0.0]])))
    with pytest.raises(ShapeError, match=r"bounds\[1\] must broadcast"):
        lsq_linear(a, b, (0.0, np.ones((2, 2))))
    with pytest.raises(ArgumentError, match="tol must be"):
        lsq_linear(a, b, tol=-1.0)
    with pytest.raises(ArgumentError, match="max_iter"):
        lsq_linear(a, b, max_iter=0)


@pytest.mark.full  # compiles much
def test_capabilities(rng: Any) -> None:
    """What one line proves of it, the loop declared."""
    a, b = rng.normal(size=(3, 6, 2)), rng.normal(size=(3, 6))
    check_function(
        lambda a, b: lsq_linear(a, b, (-0.1, 0.2)).x,
        a,
        b,
        reference=lambda a, b: np.stack([e.x for e in by_scipy(a, b, -0.1, 0.2)]),
        compile="the iterations look at values",
        vmap=False,
        batch=True,
        tol={"float32": 1e-4},
        libraries=["numpy-readonly", "strict-device1", "strict-minimal", "torch", "jax"],
        scalars=4,
        per="iteration",
        interpreted=True,
        name="likewise.optimize.lsq_linear",
    )


def test_bounds_are_met_one_after_another() -> None:
    """Flat matrices, whose minima lie beyond many bounds at once: to hold them all goes in circles."""
    rng = np.random.default_rng(21)
    a, b = rng.normal(size=(40, 3, 8)) + 4 * rng.normal(size=(40, 3, 1)), rng.normal(size=(40, 3))
    lower, upper = -rng.uniform(0, 1, size=(40, 8)), rng.uniform(0, 0.5, size=(40, 8))
    result = lsq_linear(a, b, (lower, upper))
    assert np.all(result.status > 0)
    got = np.sum((np.squeeze(a @ result.x[..., None], -1) - b) ** 2, axis=1)
    best = [2 * found.cost for found in by_scipy(a, b, lower, upper)]
    np.testing.assert_allclose(got, best, rtol=1e-9, atol=1e-12)


@pytest.mark.xp_skip({"strict-minimal": "by lstsq, which needs the extension linalg"})
def test_the_solution_without_bounds(lib: Any) -> None:
    a = np.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]])
    b = np.asarray([7.0, 8.0, 1.0])
    found = lsq_linear(lib.asarray(a), lib.asarray(b), (-1.0, 1.0))
    near(lib, found.unbounded_sol[0], np.linalg.lstsq(a, b)[0], 1e-9)
    assert "unbounded_sol" in found
    single = found.unbounded_sol
    many = lsq_linear(lib.asarray(a), lib.asarray(np.stack([b, b - 1])), (-1.0, 1.0)).unbounded_sol
    assert [tuple(v.shape) for v in single] == [(2,), (), (), (2,)]
    assert [tuple(v.shape) for v in many] == [(2, 2), (2,), (2,), (2, 2)]
    near(lib, many[3], np.stack([np.linalg.svd(a)[1]] * 2), 1e-9)


@pytest.mark.xp_skip({"dask": "blocks tell when they are computed"})
def test_results_have_scipys_fields(lib: Any, capsys: Any) -> None:
    a = np.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]])
    b = np.asarray([7.0, 8.0, 1.0])
    bounds = np.asarray([[-1.0, -1.0], [1.0, 2.0]])
    found = lsq_linear(
        lib.asarray(a), lib.asarray(b), lib.asarray(bounds), lsq_solver="lsmr", verbose=1
    )
    assert "problem" not in found
    near(lib, found["x"], scipy.optimize.lsq_linear(a, b, bounds, method="bvls").x)
    if lib.library != "jax":  # which has no values under jit
        assert found.message in capsys.readouterr().out


def test_scipys_options_are_checked() -> None:
    a, b = np.eye(2), np.ones(2)
    with pytest.raises(ArgumentError, match="lsmr_tol"):
        lsq_linear(a, b, lsmr_tol=1)
    with pytest.raises(ArgumentError, match="lsmr_maxiter"):
        lsq_linear(a, b, lsmr_maxiter=0)
    with pytest.raises(ArgumentError, match="lsq_solver"):
        lsq_linear(a, b, lsq_solver="qr")


def test_many_are_dropped_as_they_end(lib: Any, rng: Any) -> None:
    """More problems than the driver sorts out at once, against SciPy one by one."""
    a, b = rng.normal(size=(150, 5, 3)), rng.normal(size=(150, 5))
    for matrix, every in ((a, a), (a[0], np.broadcast_to(a[0], a.shape))):
        found = lsq_linear(lib.asarray(matrix), lib.asarray(b), (-0.1, 0.3))
        alone = [f.x for f in by_scipy(every, b, -0.1, 0.3)]
        near(lib, found.x, np.stack(alone), 1e-9)


@pytest.mark.parametrize("case", range(3))
def test_the_status_of_what_has_met_bounds(case: int) -> None:
    """3 is that of the unconstrained solution alone, of fewer equations than unknowns too."""
    a, b, low, high = (
        ([[-1, 0, 2], [0, -1, 1]], [3, 1], [-0.5, -0.5, -np.inf], [np.inf, 0, 1]),
        ([[0, -1, -1], [1, 1, 0]], [-1, -3], [-0.5, 0, -0.5], [np.inf, 2, 0]),
        (
            [[0, 2, 0, 2], [-1, -1, 1, -1], [0, 0, 2, 2]],
            [2, 1, 3],
            [-0.5, 0, -0.5, -np.inf],
            [np.inf, 2, 0, 1],
        ),
    )[case]
    given = np.asarray(a, float), np.asarray(b, float), (np.asarray(low), np.asarray(high))
    found = lsq_linear(*given)
    expected = scipy.optimize.lsq_linear(*given, method="bvls")
    assert int(found.status) == expected.status == 1
    np.testing.assert_allclose(found.cost, expected.cost, rtol=1e-9)


def test_one_problem_without_bounds_in_the_way_is_solved_at_once(rng: Any) -> None:
    """By LAPACK, which isn't asked where a bound is met or the matrix is of a lower rank."""
    a, b = rng.normal(size=(6, 3)), rng.normal(size=6)
    expected = scipy.optimize.lsq_linear(a, b)
    lower = np.asarray([-0.01, -np.inf, -np.inf])
    for bounds in ((-np.inf, np.inf), (expected.x - 1.0, np.inf)):
        found = lsq_linear(a, b, bounds)
        np.testing.assert_allclose(found.x, expected.x, rtol=1e-12)
        np.testing.assert_allclose(found.cost, expected.cost, rtol=1e-12)
        np.testing.assert_allclose(found.fun, expected.fun, rtol=1e-10)
        assert found.status == expected.status == 3 and not np.any(found.active_mask)
    assert isinstance(found.unbounded_sol[1], np.float64)
    met = lsq_linear(a, b, (lower, np.inf))
    np.testing.assert_allclose(met.x, scipy.optimize.lsq_linear(a, b, (lower, np.inf)).x, atol=1e-5)
    flat = np.outer(np.arange(1.0, 5.0), [1.0, 2.0])
    for matrix in (flat, np.where(np.eye(4, 2), np.nan, flat)):
        found = lsq_linear(matrix, np.ones(4))
        assert np.all(np.isfinite(found.x)) == bool(found.success)


def _product(a: Any) -> LinearOperator:
    def times(v: Any) -> Any:
        return array_namespace(v).matmul(a, v[..., None])[..., 0]

    def turned(u: Any) -> Any:
        xp = array_namespace(u)
        return xp.matmul(xp.matrix_transpose(a), u[..., None])[..., 0]

    return LinearOperator(a.shape, times, None if a.ndim == 2 else turned)


@pytest.mark.long("jax", "jax-jit")
def test_an_operator_gives_what_its_matrix_gives(lib: Any, rng: Any) -> None:
    a, b = rng.normal(size=(2, 9, 5)), rng.normal(size=(2, 9))
    lower, upper = -0.1, 0.15
    expected = by_scipy(a, b, lower, upper)
    for op, right in (
        (_product(lib.asarray(a)), lib.asarray(b)),
        (_product(lib.asarray(a[0])), lib.asarray(b[0])),
    ):
        found = lsq_linear(op, right, (lower, upper))
        some = expected if right.ndim == 2 else expected[0]
        want = [e.x for e in expected] if right.ndim == 2 else some.x
        mask = [e.active_mask for e in expected] if right.ndim == 2 else some.active_mask
        near(lib, found.x, want, 1e-9)
        np.testing.assert_array_equal(lib.to_numpy(found.active_mask), mask)
        assert np.all(lib.to_numpy(found.status) == 1)
    free = lsq_linear(_product(lib.asarray(a[0])), lib.asarray(b[0]), (-100.0, 100.0))
    near(lib, free.x, np.linalg.lstsq(a[0], b[0], rcond=None)[0], 1e-8)
    assert int(free.status) == 3 and bool(free.success)
    near(lib, free.unbounded_sol[0], lib.to_numpy(free.x), 1e-4)


def test_operators_of_any_scale_end_at_scipys_cost(rng: Any) -> None:
    for k in range(60):
        m, n = rng.integers(1, 20, 2)
        a = rng.normal(size=(m, n)) * 10.0 ** rng.uniform(-2, 2, n if k % 2 else 1)
        if k % 3 == 0 and n > 1:
            a[:, 1] = a[:, 0]
        b = rng.normal(size=m)
        lower = np.where(rng.random(n) < 0.3, -np.inf, -rng.random(n))
        upper = np.where(rng.random(n) < 0.3, np.inf, rng.random(n) + 0.01)
        found = lsq_linear(_product(a), b, (lower, upper))
        want = scipy.optimize.lsq_linear(a, b, (lower, upper), method="bvls", tol=1e-13)
        assert found.success and np.all((found.x >= lower) & (found.x <= upper))
        assert found.cost <= want.cost * (1 + 1e-7) + 1e-16 * np.linalg.norm(a) ** 2
    a, b = rng.normal(size=(9, 4)), rng.normal(size=9)
    bad = lsq_linear(_product(a), np.stack([b, np.nan * b]), (-0.1, 0.2))
    assert bool(bad.success[0]) and int(bad.status[1]) == -1
    np.testing.assert_allclose(bad.x[0], lsq_linear(a, b, (-0.1, 0.2)).x, rtol=1e-8, atol=1e-9)


@pytest.mark.long("jax", "jax-jit")
def test_derivatives_through_an_operator(lib: Any, rng: Any) -> None:
    a, b, w = (lib.asarray(rng.normal(size=s)) for s in ((6, 4), (6,), (4,)))
    sides = lib.asarray(np.full(4, -0.1)), lib.asarray(np.full(4, 0.2))

    def through(make: Any) -> Any:
        def value(a: Any, b: Any, lower: Any, upper: Any) -> Any:
            x = lsq_linear(make(a), b, (lower, upper)).x
            return array_namespace(x).sum(x * w)

        return vjp(value, a, b, *sides)

    (value, pull), (other, back) = through(_product), through(lambda a: a)
    one = 0 * other + 1
    near(lib, value, lib.to_numpy(other), 1e-8)
    for mine, want in zip(pull(one), back(one), strict=True):
        near(lib, mine, lib.to_numpy(want), 1e-8)


def test_what_needs_a_matrix_refuses_operators(rng: Any) -> None:
    a, b = rng.normal(size=(4, 3)), rng.normal(size=4)
    for options in ({"method": "bvls"}, {"lsq_solver": "exact"}):
        with pytest.raises(ArgumentError, match="use 'trf' and 'lsmr'"):
            lsq_linear(_product(a), b, **options)
    with pytest.raises(ShapeError, match="incompatible"):
        lsq_linear(_product(a), b[:3])
