"""Sets of knots against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise.interpolate import generate_knots

from ..closeness import near

RNG = np.random.default_rng(43)
X = np.sort(RNG.random(20))
Y = np.sin(8 * X) + 0.2 * RNG.normal(size=20)
Y[-1] = Y[0]


def test_knots_as_scipy(xp: Any) -> None:
    for options in ({"s": 0.5}, {"s": 0.05, "k": 2}, {"s": 0.02, "nest": 12}, {"k": 4}):
        theirs = list(judge.generate_knots(X, Y, **options))
        ours = list(generate_knots(xp.asarray(X), xp.asarray(Y), **options))
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            near(a, b)


def test_periodic_knots_as_scipy() -> None:
    for options in ({"s": 0.5}, {"s": 0.05, "k": 2}, {"s": 900.0}, {"k": 4}):
        theirs = list(judge.generate_knots(X, Y, bc_type="periodic", **options))
        ours = list(generate_knots(X, Y, bc_type="periodic", **options))
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            near(a, b)


def test_bad_arguments() -> None:
    for args, options, words in (
        ((X, Y), {"bc_type": "natural"}, "boundary conditions"),
        ((X, Y), {"s": -1.0}, "non-negative"),
        ((X, Y), {"w": X}, "interpolation only"),
        ((X, Y), {"s": 1.0, "nest": 7}, "too small"),
        ((X[::-1], Y), {"s": 1.0}, "ordered"),
        ((X, Y[1:]), {"s": 1.0}, "incompatible"),
        ((X, Y), {"s": 1.0, "w": -X}, "Weights"),
        ((X[:3], Y[:3]), {"s": 1.0}, "4 points"),
        ((X, X), {"s": 1.0, "bc_type": "periodic"}, "First and last"),
    ):
        with pytest.raises(ValueError, match=words):
            generate_knots(*args, **options)
