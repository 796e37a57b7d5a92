"""Line searches against the tables of Moré and Thuente's paper, section 5."""

from typing import Any

import numpy as np
import pytest

from likewise.optimize._steps._line_search import advance, begin


def _power(a: Any) -> tuple[Any, Any]:
    """Function (5.2)."""
    b = a + 0.004
    return b**5 - 2 * b**4, 5 * b**4 - 8 * b**3


def _waves(a: Any) -> tuple[Any, Any]:
    """Function (5.3)."""
    near, bend = np.abs(a - 1) < 0.01, 39 * np.pi / 2
    value = np.where(near, (a - 1) ** 2 / 0.02 + 0.005, np.abs(a - 1))
    slope = np.where(near, (a - 1) / 0.01, np.sign(a - 1))
    return value + 0.99 / bend * np.sin(bend * a), slope + 0.99 * np.cos(bend * a)


@pytest.mark.parametrize(
    ("fun", "counts", "least"), [(_power, [12, 8, 11], 1.6), (_waves, [12, 10, 13], 1.0)]
)
def test_evaluations_are_the_papers(fun: Any, counts: list[int], least: float) -> None:
    first = np.asarray([1e-3, 1e1, 1e3])
    search = begin(np, first, *fun(0 * first), np.full(3, 1e9))
    took, ended, met = np.zeros(3, int), np.zeros(3, bool), np.zeros(3)
    for _ in range(max(counts)):
        at = search.step
        search, told = advance(np, search, *fun(at), np.full(3, True), 0.1, 0.1, 40)
        took, met = took + ~ended, np.where(ended, met, at)
        ended = ended | told.good
    assert took.tolist() == counts and ended.all()
    np.testing.assert_allclose(met, least, atol=0.005)


def test_approximate_conditions_where_rounding_hides_the_decrease() -> None:
    """Hager and Zhang's (4.1): the value is level, the slope from c2 of the first to 1 - 2 c1."""
    four = np.full(4, 4.0)
    search = begin(np, four / 4, 1e8 + 0 * four, -four, 1e9 * four)
    slopes = np.asarray([3.9, 4.1, -3.5, -3.7])
    _, told = advance(np, search, 1e8 + 0 * four, slopes, four > 0, 1e-4, 0.9, 40)
    assert told.good.tolist() == [True, False, True, False]
