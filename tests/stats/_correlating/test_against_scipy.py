"""Correlations and lines against SciPy: sizes from 0, ties, NaNs, axes and options."""

from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import stats

from .draws import compare, pick, sample

LINE = ("slope", "intercept")
NAMES = (
    "chatterjeexi kendalltau linregress pearsonr pointbiserialr siegelslopes spearmanr spearmanrho "
    "theilslopes weightedtau"
).split()


def _options(rng: Any, name: str) -> dict[str, Any]:
    side = {"alternative": pick(rng, "two-sided", "less", "greater")}
    policy = {"nan_policy": pick(rng, "propagate", "omit")}
    return {
        "chatterjeexi": lambda: policy | {"y_continuous": pick(rng, True, False)},
        "kendalltau": lambda: (
            policy
            | side
            | {"method": pick(rng, "auto", "auto", "asymptotic", "exact")}
            | {"variant": pick(rng, "b", "c")}
        ),
        "linregress": lambda: policy | side,
        "pearsonr": lambda: side,
        "pointbiserialr": lambda: policy,
        "siegelslopes": lambda: policy | {"method": pick(rng, "hierarchical", "separate")},
        "spearmanr": lambda: policy | side,
        "spearmanrho": lambda: policy | side,
        "theilslopes": lambda: (
            policy | {"method": pick(rng, "joint", "separate"), "alpha": pick(rng, 0.95, 0.1)}
        ),
        "weightedtau": lambda: (
            policy
            | {"rank": pick(rng, True, False, None), "additive": pick(rng, True, False)}
            | {"weigher": pick(rng, None, lambda i: 1 / (i + 2) ** 2)}
        ),
    }[name]()


def _fields(name: str) -> tuple[str, ...]:
    return {
        "linregress": (*LINE, "rvalue", "pvalue", "stderr", "intercept_stderr"),
        "siegelslopes": LINE,
        "theilslopes": (*LINE, "low_slope", "high_slope"),
    }.get(name, ("statistic", "pvalue"))


def _one(name: str, seed: int, xp: Any = np) -> None:
    rng = np.random.default_rng([seed, NAMES.index(name)])
    n = pick(rng, 0, 1, 2, 3, *range(4, 40))
    batch = pick(rng, (), (), (3,), (2, 1))
    shapes = [(*batch, n), pick(rng, (*batch, n), (n,))]
    if name == "spearmanr":
        shapes = [(n,), (n,)]
    x, y = (sample(rng, *s) for s in shapes)
    if name == "chatterjeexi":  # SciPy's order of equal x is left to the sort
        x = rng.permuted(np.broadcast_to(np.arange(n) + 0.5, shapes[0]), axis=-1)
    axis = -1
    if len(batch) and rng.random() < 0.5 and y.ndim == x.ndim:
        axis = 0
        x, y = (np.moveaxis(v, -1, 0) for v in (x, y))
    if name in ("spearmanr",):
        axis = 0
    options = _options(rng, name)
    if name == "kendalltau" and n <= 2:
        options["method"] = "auto"
    if name in ("siegelslopes", "theilslopes", "weightedtau") and n == 0:
        return  # SciPy fails
    compare(
        getattr(stats, name),
        getattr(scipy.stats, name),
        (x, y),
        options,
        _fields(name),
        axis,
        rtol=1e-9,
        # SciPy rounds a correlation of ranks that is 1 to less.
        atol=1e-7 if name == "spearmanrho" else 1e-11,
        xp=xp,
    )


@pytest.mark.parametrize("name", NAMES)
def test_random_calls(xp: Any, name: str) -> None:
    for seed in range(8):
        _one(name, seed, xp)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_many_random_calls(name: str) -> None:
    for seed in range(600):
        _one(name, seed)
