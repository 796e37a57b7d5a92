"""Surfaces over grids of a sphere, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import asarray, errors, prefer, to_numpy
from likewise.interpolate import RectSphereBivariateSpline
from likewise.transforms import jit

from ..closeness import near

RNG = np.random.default_rng(34)
U = np.sort(RNG.uniform(0.1, 3.0, 9))
V = -1.0 + np.cumsum(RNG.uniform(0.2, 0.7, 8))
R = np.cos(U)[:, None] + np.sin(U)[:, None] * np.sin(V) + 0.1 * RNG.normal(size=(9, 8))
AT = np.linspace(0.0, np.pi, 6), np.linspace(-1.5, 6.0, 6)
POLES = [
    {},
    {"pole_values": (1.0, None), "pole_continuity": (True, False)},
    {"pole_values": 0.5, "pole_continuity": True, "pole_flat": (False, True)},
    {"pole_continuity": True, "pole_flat": True, "pole_exact": True},
    {"pole_continuity": True},
]


@pytest.mark.parametrize("poles", POLES)
@pytest.mark.long("dask")
def test_values_and_poles(xp: Any, poles: Any) -> None:
    for n in (4, 9):
        with prefer("generic"):
            ours = RectSphereBivariateSpline(*map(xp.asarray, (U[:n], V, R[:n])), **poles)
        theirs = judge.RectSphereBivariateSpline(U[:n], V, R[:n], **poles)
        for found, expected in zip(ours.tck, theirs.tck, strict=True):
            near(found, expected, 1e-11)
        near(ours.ev(*map(xp.asarray, AT), dphi=1), theirs.ev(*AT, dphi=1), 1e-10)
        near(ours(*map(xp.asarray, AT), 1), theirs(*AT, 1), 1e-10)
        near(ours.v0, np.asarray(V[0]))
        slope, other = ours.partial_derivative(1, 1), theirs.partial_derivative(1, 1)
        near(slope(*map(xp.asarray, AT)), other(*AT), 1e-10)


def test_few_colatitudes_between_known_poles() -> None:
    made = RectSphereBivariateSpline(U[4:5], V, R[:1], 0.0, True, (1.0, -1.0), True, True)
    near(made(U[4:5], V), R[:1], 1e-12)
    near(made(AT[0][[0, -1]], V[:1]), [[1.0], [-1.0]], 1e-12)
    near(made(AT[0][[0, -1]], V[:1], 1), [[0.0], [0.0]], 1e-12)


def test_near_values() -> None:
    with prefer("scipy"):
        ours = RectSphereBivariateSpline(U, V, R, 0.5, False, 1.0)
    theirs = judge.RectSphereBivariateSpline(U, V, R, 0.5, False, 1.0)
    near(ours(*AT), theirs(*AT))
    near(ours.fp, np.asarray(theirs.fp))
    with prefer("scipy"), pytest.raises(errors.ArgumentError, match="s is too small"):
        RectSphereBivariateSpline(U, V, R, 1e-9)
    with prefer("generic"), pytest.raises(errors.NotSupported, match="Set s=0"):
        RectSphereBivariateSpline(U, V, R, 0.5)


def test_trees() -> None:
    made = RectSphereBivariateSpline(U, V, R)
    near(pickle.loads(pickle.dumps(made))(*AT), made(*AT))
    found = jit(lambda *a: RectSphereBivariateSpline(*a, pole_continuity=True))(U, V, R)
    assert isinstance(found, RectSphereBivariateSpline)
    near(found(*AT), RectSphereBivariateSpline(U, V, R, pole_continuity=True)(*AT), 1e-12)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("which", range(4))
def test_gradients(which: int) -> None:
    data = [U, V, R, np.asarray(0.7)]
    places = [asarray(v, namespace="torch") for v in AT]
    along, h = RNG.normal(size=data[which].shape), 1e-6

    def total(x: Any) -> Any:
        every = [asarray(v, namespace="torch") for v in data]
        every[which] = x
        made = RectSphereBivariateSpline(
            *every[:3], pole_continuity=True, pole_values=(every[3], None)
        )
        return (made.ev(*places) ** 2).sum()

    x = asarray(data[which], namespace="torch").requires_grad_(True)
    total(x).backward()
    ends = [float(total(asarray(data[which] + s * h * along, namespace="torch"))) for s in (1, -1)]
    assert np.sum(to_numpy(x.grad) * along) == pytest.approx(
        (ends[0] - ends[1]) / (2 * h), rel=1e-6
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"u": U[::-1]}, "strictly increasing"),
        ({"u": U + 1.0}, r"between \(0, pi\)"),
        ({"v": V + 9.0}, r"v\[0\] should be"),
        ({"v": 2.0 * V - V[0]}, r"v\[-1\] should be"),
        ({"r": R[:, 1:]}, "v dimension of r"),
        ({"r": R[1:]}, "u dimension of r"),
        ({"s": -1.0}, "s should be positive"),
        ({"pole_flat": True}, "so must be pole_flat"),
        ({"u": U[:3], "r": R[:3]}, "colatitudes and 4 longitudes"),
        ({"r": R * np.nan}, "finite"),
    ],
)
def test_refusals(change: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RectSphereBivariateSpline(**({"u": U, "v": V, "r": R} | change))
    with pytest.raises(ValueError, match="theta out of bounds"):
        RectSphereBivariateSpline(U, V, R)(3.2, 0.0)
