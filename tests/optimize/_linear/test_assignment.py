"""Assignments against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.optimize import linear_sum_assignment
from likewise.testing import check_function
from likewise.transforms import vmap


def check(lib: Any, cost: Any, maximize: bool = False) -> None:
    rows, columns = (lib.to_numpy(i) for i in linear_sum_assignment(lib.asarray(cost), maximize))
    expected = scipy.optimize.linear_sum_assignment(cost, maximize)
    assert rows.shape == columns.shape == expected[0].shape
    assert rows.dtype.kind == "i"
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_array_equal(columns, expected[1])


@pytest.mark.parametrize("shape", [(6, 6), (4, 7), (7, 4), (1, 3)])
def test_equals_scipy(lib: Any, rng: Any, shape: tuple[int, int]) -> None:
    check(lib, rng.normal(size=shape))


def test_maximize(lib: Any, rng: Any) -> None:
    check(lib, rng.uniform(size=(5, 5)), True)


def test_batch(lib: Any, rng: Any) -> None:
    cost = rng.normal(size=(2, 3, 4, 5))
    rows, columns = (lib.to_numpy(i) for i in linear_sum_assignment(lib.asarray(cost)))
    for i in np.ndindex(2, 3):
        expected = scipy.optimize.linear_sum_assignment(cost[i])
        np.testing.assert_array_equal(rows[i], expected[0])
        np.testing.assert_array_equal(columns[i], expected[1])


@pytest.mark.full
def test_generic_body_on_many_matrices(rng: Any) -> None:
    """With ties and forbidden pairs, by the total cost."""
    for shape in ((8, 8), (5, 9), (9, 5)):
        cost = np.floor(5 * rng.uniform(size=(40, *shape)))
        cost[rng.uniform(size=cost.shape) < 0.15] = np.inf
        for matrix in cost:
            try:
                expected = matrix[scipy.optimize.linear_sum_assignment(matrix)].sum()
            except ValueError:
                with pytest.raises(ArgumentError, match="finite cost"):
                    linear_sum_assignment.generic(matrix)
                continue
            rows, columns = linear_sum_assignment.generic(matrix)
            assert len(set(columns.tolist())) == len(set(rows.tolist())) == min(shape)
            assert matrix[rows, columns].sum() == expected


@pytest.mark.xp_skip({"dask": "blocks tell when they are computed"})
def test_impossible_is_minus_one_in_a_batch(lib: Any) -> None:
    cost = np.asarray([[[1.0, np.inf], [2.0, np.inf]], [[1.0, 2.0], [2.0, 1.0]]])
    if lib.jit:  # where values are not looked at
        columns = lib.to_numpy(linear_sum_assignment(lib.asarray(cost))[1])
        assert columns.tolist() == [[-1, -1], [0, 1]]
    else:
        with pytest.raises(ArgumentError, match="finite cost"):
            linear_sum_assignment(lib.asarray(cost))


def test_nothing_to_assign(lib: Any) -> None:
    for shape in ((0, 3), (3, 0), (0, 0)):
        rows, columns = linear_sum_assignment(lib.asarray(np.ones(shape)))
        assert tuple(rows.shape) == tuple(columns.shape) == (0,)


def test_bad_input() -> None:
    with pytest.raises(ShapeError, match="expected a matrix"):
        linear_sum_assignment(np.ones(3))
    with pytest.raises(DtypeError, match="real"):
        linear_sum_assignment(np.ones((2, 2)) + 1j)
    for bad in (np.nan, -np.inf):
        with pytest.raises(ArgumentError, match="must be numbers or"):
            linear_sum_assignment(np.asarray([[1.0, bad], [1.0, 2.0]]))
    with pytest.raises(ArgumentError, match="finite cost"):
        linear_sum_assignment(np.asarray([[1.0, np.inf], [1.0, np.inf]]))


def test_capabilities(rng: Any) -> None:
    """What one line proves of it, the loop declared."""
    check_function(
        linear_sum_assignment,
        rng.normal(size=(4, 5)),
        reference=scipy.optimize.linear_sum_assignment,
        compile="the iterations look at values",
        grad=False,
        vmap=False,
        libraries=["numpy-readonly", "strict-device1", "strict-minimal", "torch", "jax"],
        scalars=6,  # one of them: whether two steps of the loop hold the same
        per="iteration",
        interpreted=True,
        name="likewise.optimize.linear_sum_assignment",
    )


def test_maximize_is_true_or_false() -> None:
    for wrong in ("yes", 1, [True]):
        with pytest.raises(ArgumentError, match="maximize must be True or False, got"):
            linear_sum_assignment(np.eye(2), wrong)  # type: ignore[arg-type]
    rows, columns = linear_sum_assignment(np.eye(2), np.True_)  # type: ignore[arg-type]
    assert rows.tolist() == columns.tolist() == [0, 1]


def test_impossible_is_minus_one_where_values_are_not_looked_at(lib: Any) -> None:
    cost = np.asarray([[[1.0, np.inf], [2.0, np.inf]], [[1.0, 2.0], [2.0, 1.0]]])
    columns = vmap(lambda c: linear_sum_assignment(c)[1])(lib.asarray(cost))
    assert lib.to_numpy(columns).tolist() == [[-1, -1], [0, 1]]
