"""The nearest of scattered points, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import array_namespace, asarray, errors
from likewise.interpolate import NearestNDInterpolator, griddata
from likewise.transforms import grad

from ..closeness import near

RNG = np.random.default_rng(340)
POINTS = RNG.uniform(-1.0, 1.0, size=(17, 2))
VALUES = RNG.normal(size=(17, 2, 3))
AT = np.concatenate([RNG.uniform(-1.2, 1.2, size=(6, 2)), POINTS[3:5]])
LIBRARIES = [
    "numpy",
    pytest.param("torch", marks=pytest.mark.needs("torch")),
    pytest.param("jax", marks=pytest.mark.needs("jax")),
]


@pytest.mark.parametrize("rescale", [False, True])
def test_nearest(xp: Any, rescale: bool) -> None:
    points, at = POINTS * [1.0, 7.0], (AT * [1.0, 7.0]).reshape(2, 4, 2)
    for values in (VALUES, VALUES[:, 0, 0], VALUES[:, 0, :] + 1j * VALUES[:, 1, :]):
        ours = NearestNDInterpolator(xp.asarray(points), xp.asarray(values), rescale)
        theirs = judge.NearestNDInterpolator(points, values, rescale)
        near(ours(xp.asarray(at)), theirs(at))
        near(ours(xp.asarray(at[..., 0]), xp.asarray(at[..., 1])), theirs(at[..., 0], at[..., 1]))
        near(
            ours(xp.asarray(at), distance_upper_bound=0.2),
            theirs(at, distance_upper_bound=0.2),
        )
    for p in (1.0, 3.0, np.inf):
        ours = NearestNDInterpolator(xp.asarray(POINTS), xp.asarray(VALUES))
        theirs = judge.NearestNDInterpolator(POINTS, VALUES)
        how: dict[str, float] = {"distance_upper_bound": 0.3, "p": p}
        near(ours(xp.asarray(AT), **how), theirs(AT, **how))
    columns = NearestNDInterpolator(
        (xp.asarray(points[:, 0]), xp.asarray(points[:, 1])), xp.asarray(VALUES), rescale
    )
    near(columns(xp.asarray(at[0])), judge.NearestNDInterpolator(points, VALUES, rescale)(at[0]))


def test_griddata(xp: Any) -> None:
    found = griddata(*map(xp.asarray, (POINTS, VALUES, AT)), method="nearest")
    near(found, judge.griddata(POINTS, VALUES, AT, method="nearest"))
    x, at = POINTS[:, 0], AT
    for method in ("linear", "nearest", "cubic"):
        for fill in (np.nan, 2.5):
            found = griddata(*map(xp.asarray, (x, VALUES, at)), method, fill)
            near(found, judge.griddata(x, VALUES, at, method, fill), 1e-11)


@pytest.mark.parametrize("library", LIBRARIES)
def test_gradients_of_the_nearest(library: str) -> None:
    def total(d: Any, x: Any) -> Any:
        found = NearestNDInterpolator(array_namespace(d).asarray(POINTS), d)(x)
        return array_namespace(found).sum(found * found)

    values = np.zeros(VALUES.shape)
    for i in np.argmin(np.sum((AT[:6, None, :] - POINTS) ** 2, axis=-1), axis=1):
        values[i] += 2.0 * VALUES[i]
    slopes = grad(total, argnums=(0, 1))(*(asarray(a, namespace=library) for a in (VALUES, AT[:6])))
    near(slopes[0], values)
    near(slopes[1], np.zeros((6, 2)))


def test_bad_arguments_of_the_nearest() -> None:
    values = VALUES[:, 0, 0]
    made = NearestNDInterpolator(POINTS, values)
    with pytest.raises(errors.ShapeError, match="different number"):
        NearestNDInterpolator(POINTS, values[:4])
    with pytest.raises(errors.ShapeError, match="invalid shape"):
        NearestNDInterpolator(np.zeros((3, 2, 2)), values[:3])
    with pytest.raises(ValueError, match="finite"):
        NearestNDInterpolator(POINTS * np.nan, values)
    with pytest.raises(ValueError, match="finite"):
        made([[np.inf, 0.0]])
    with pytest.raises(errors.ShapeError, match="2 coordinates"):
        made(np.zeros((4, 3)))
    with pytest.raises(errors.ArgumentError, match="p must be from 1"):
        made(AT, p=0.5)
    with pytest.raises(ValueError, match="Unknown interpolation method"):
        griddata(POINTS, values, AT, "natural")
