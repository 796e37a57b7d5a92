"""Noncentral distributions, against SciPy's; `test_rows` walks through them with --full."""

from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import prefer, stats, to_numpy
from likewise.transforms import grad

CASES = [
    ("ncx2", (3.0, 1.5), 1e-12),
    ("ncx2", (0.5, 10.0), 1e-12),
    ("ncx2", (50.0, 2000.0), 1e-12),
    ("ncf", (3.0, 10.0, 1.5), 1e-12),
    ("ncf", (2.0, 200.0, 50.0), 1e-10),
    ("ncf", (0.5, 1.0, 2.0), 1e-11),
    ("nct", (14.0, 0.25), 1e-12),
    ("nct", (100.0, 20.0), 1e-11),
    ("nct", (0.75, 2.0), 1e-12),
]
FUNCTIONS = ("pdf", "cdf", "sf")


@pytest.mark.parametrize(("name", "args", "rtol"), CASES)
def test_values_are_scipys(xp: Any, name: str, args: tuple[float, ...], rtol: float) -> None:
    ours, theirs = getattr(stats, name), getattr(judge, name)
    x = theirs.ppf([1e-5, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-5], *args)
    given = [xp.asarray(a, dtype=xp.float64) for a in args]
    for what in FUNCTIONS:
        found = to_numpy(getattr(ours, what)(xp.asarray(x), *given))
        np.testing.assert_allclose(found, getattr(theirs, what)(x, *args), rtol=rtol, err_msg=what)


@pytest.mark.parametrize(("name", "args", "_"), CASES[::2])
def test_derivatives_in_every_argument(name: str, args: tuple[float, ...], _: float) -> None:
    ours = getattr(stats, name)
    x = getattr(judge, name).ppf([0.05, 0.4, 0.9], *args)
    every = [x, *(np.full(3, a) for a in args)]
    for i, at in enumerate(every):

        def along(v: Any, i: int = i) -> Any:
            return ours.cdf(*every[:i], v, *every[i + 1 :])

        h = 2e-3 * np.abs(at)
        steps = [(along(at + k * h) - along(at - k * h)) / h for k in (1, 2, 3)]
        expected = 0.75 * steps[0] - 0.15 * steps[1] + steps[2] / 60
        np.testing.assert_allclose(grad(lambda v: along(v).sum())(at), expected, rtol=1e-7)


SPANS = {
    "ncx2": ((0.5, 200.0), (1e-3, 200.0)),
    "ncf": ((0.5, 60.0), (4.0, 60.0), (0.01, 60.0)),
    "nct": ((0.5, 30.0), (0.1, 6.0)),
    "rice": ((0.04, 14.0),),
}


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("what", ["cdf", "sf", "ppf", "isf"])
@pytest.mark.parametrize("name", SPANS)
def test_routines_are_as_good_as_bodies_where_they_run(name: str, what: str) -> None:
    """In units of the last place, over 1 + the condition number."""
    rng, ours, n = np.random.default_rng(5), getattr(stats, name), 100
    shapes = [np.exp(rng.uniform(*np.log(ends), n)) for ends in SPANS[name]]
    if name == "nct":
        shapes[1] *= rng.choice([-1.0, 1.0], n)
    x = np.where(rng.random(n) < 0.3, 10 ** rng.uniform(-5, -1, n), rng.uniform(0, 1, n))
    args = [x if what in ("ppf", "isf") else ours.ppf(x, *shapes), *shapes]
    method = getattr(ours, what)
    with prefer("generic"):
        body, condition = method(*args), 0.0
        for i, a in enumerate(args):
            up, down = (method(*args[:i], a * (1 + h), *args[i + 1 :]) for h in (1e-6, -1e-6))
            condition = condition + np.abs((up - down) / 2e-6 / body)
    units = np.abs(method(*args) - body) / np.spacing(np.abs(body)) / (1 + condition)
    assert np.max(units) <= 32
    assert np.any(units > 0)  # another way


@pytest.mark.parametrize("name", ["ncx2", "nct", "rice", "skewnorm"])
def test_both_tails_come_from_one_evaluation(name: str) -> None:
    ours = getattr(stats, name)
    shapes = [np.full(5, v) for v in (4.0, 2.0)[: ours.numargs]]
    x, lower = np.asarray([0.1, 0.9, 2.0, 5.0, 9.0]), np.asarray([True, False, True, False, True])
    expected = np.where(lower, ours.cdf(x, *shapes), ours.sf(x, *shapes))
    np.testing.assert_allclose(ours._either(x, tuple(shapes), lower), expected, rtol=1e-13)
