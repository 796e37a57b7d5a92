"""Random fits against SciPy: no false success that a polish could lower, the same covariances."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.optimize

import likewise
from likewise.optimize import curve_fit

pytestmark = [
    pytest.mark.full,
    pytest.mark.xp_skip({"dask": "blocks are fitted as NumPy's arrays"}),
]

Model = Callable[..., Any]


def decay(t: Any, a: Any, k: Any, c: Any) -> Any:
    return a * likewise.array_namespace(t, k).exp(-k * t) + c


def two_decays(t: Any, a: Any, k: Any, c: Any, m: Any) -> Any:
    xp = likewise.array_namespace(t, k)
    return a * xp.exp(-k * t) + c * xp.exp(-m * t)


def ivim(t: Any, s: Any, f: Any, fast: Any, slow: Any) -> Any:
    xp = likewise.array_namespace(t, s)
    return s * (f * xp.exp(-t * fast) + (1 - f) * xp.exp(-t * slow))


def line(t: Any, a: Any, b: Any) -> Any:
    return a * t + b


def power(t: Any, a: Any, b: Any) -> Any:
    return a * (t + 0.5) ** b


def bump(t: Any, a: Any, m: Any, w: Any, c: Any) -> Any:
    return a * likewise.array_namespace(t, w).exp(-(((t - m) / w) ** 2)) + c


def rise(t: Any, top: Any, half: Any, n: Any) -> Any:
    xp = likewise.array_namespace(t, half)
    return top / (1 + xp.exp(-n * (t - half)))


def wave(t: Any, a: Any, w: Any, phase: Any) -> Any:
    return a * likewise.array_namespace(t, w).sin(w * t + phase)


def one(t: Any, a: Any) -> Any:
    return a * likewise.array_namespace(t, a).exp(-a * t)


# A model, true parameters, bounds that hold them, whether bounds come into play
KINDS: dict[str, tuple[Model, list[float], list[float], list[float]]] = {
    "decay": (decay, [2.0, 1.0, 0.3], [-9.0, 0.0, -5.0], [9.0, 9.0, 5.0]),
    "two decays": (two_decays, [2.0, 4.0, 1.0, 0.5], [0.0] * 4, [20.0, 40.0, 20.0, 40.0]),
    "ivim": (ivim, [1.0, 0.2, 8.0, 0.6], [0.0] * 4, [9.0, 1.0, 90.0, 9.0]),
    "line": (line, [1.0, -2.0], [-3.0, -3.0], [3.0, 3.0]),
    "power": (power, [1.5, 0.7], [0.0, -3.0], [9.0, 3.0]),
    "bump": (bump, [3.0, 2.0, 0.7, 0.5], [0.0, 0.0, 0.05, -2.0], [9.0, 4.0, 5.0, 2.0]),
    "rise": (rise, [2.0, 1.5, 3.0], [0.0, 0.0, 0.1], [9.0, 4.0, 20.0]),
    "wave": (wave, [1.0, 2.0, 0.5], [0.0, 1.0, -3.0], [5.0, 3.0, 3.0]),
    "one": (one, [0.8], [0.01], [9.0]),
}


# Name, seed, problem: why a success there is one although a polish finds less
KNOWN = {
    ("ivim", 13, 0): "the sum falls by ever less as the share goes to 1 and the size to infinity",
    ("bump", 17, 3): "an amplitude on its bound of 0, where place and width have no effect; the "
    "gradient keeps it there, and SciPy's fit ends as high",
}


class Case(NamedTuple):
    f: Model
    t: Any
    y: Any  # (batch, n)
    p0: Any
    options: dict[str, Any]
    sigma: Any
    mask: Any  # (batch, n) or None


def case(rng: np.random.Generator, name: str) -> Case:
    f, truth, low, high = KINDS[name]
    count, p = 4, len(truth)
    n = int(rng.choice([p, p + 1, 2 * p + 3, 40]))
    t = np.sort(rng.uniform(0.0, 4.0, n)) if rng.random() < 0.5 else np.linspace(0.0, 4.0, n)
    values = np.asarray(truth) * rng.uniform(0.6, 1.4, (count, p))
    values = np.clip(values, np.asarray(low), np.asarray(high))
    unit = 10 ** rng.uniform(-6, 6) if rng.random() < 0.2 and name != "one" else 1.0
    y = np.stack([f(t, *v) for v in values])
    y = y + 10 ** rng.uniform(-6, -1) * rng.normal(size=y.shape)
    spread = 10 ** rng.uniform(0.02, 0.5)
    p0 = values * np.exp(rng.uniform(-1, 1, (count, p)) * np.log(spread))
    options: dict[str, Any] = {}
    if rng.random() < 0.4:
        options["bounds"] = low, high
        p0 = np.clip(p0, np.asarray(low) + 1e-6, np.asarray(high) - 1e-6)
    if unit != 1.0 and name in ("decay", "line", "bump") and not options:
        scaled = {"decay": [0, 2], "line": [0, 1], "bump": [0, 3]}[name]
        y = y * unit
        p0[:, scaled] *= unit
    sigma = mask = None
    if rng.random() < 0.4:
        sigma = 10 ** rng.uniform(-2, 2) * rng.uniform(0.5, 2.0, n)
        options["absolute_sigma"] = bool(rng.random() < 0.5)
    if rng.random() < 0.3 and n > 2 * p:
        mask = rng.random((count, n)) < 0.8
        mask[:, : p + 1] = True
    return Case(f, t, y, p0, options, sigma, mask)


def residuals(c: Case, i: int) -> Callable[[Any], Any]:
    keep = slice(None) if c.mask is None else c.mask[i]
    weight = 1.0 if c.sigma is None else 1 / c.sigma[keep]
    return lambda p: (c.f(c.t[keep], *p) - c.y[i][keep]) * weight


def polished(c: Case, i: int, popt: Any) -> float:
    """The sum of squares that SciPy comes to from there."""
    low, high = c.options.get("bounds", (-np.inf, np.inf))
    start = np.clip(popt, low, high)
    found = scipy.optimize.least_squares(
        residuals(c, i), start, bounds=(low, high), x_scale="jac",
        xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=300,
    )  # fmt: skip
    return 2 * float(found.cost)


def by_scipy(c: Case, i: int) -> Any:
    keep = slice(None) if c.mask is None else c.mask[i]
    sigma = None if c.sigma is None else c.sigma[keep]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return scipy.optimize.curve_fit(
                c.f, c.t[keep], c.y[i][keep], c.p0[i], sigma, ftol=1e-14, xtol=1e-14, gtol=1e-14,
                **c.options,
            )  # fmt: skip
        except RuntimeError:
            return None


class Found(NamedTuple):
    popt: Any
    pcov: Any
    status: Any
    success: Any


def ours_of(lib: Any, c: Case) -> Found:
    """Our fit by a library, as NumPy's arrays."""
    arrays = (None if a is None else lib.asarray(a) for a in (c.t, c.y, c.p0, c.sigma, c.mask))
    t, y, p0, sigma, mask = arrays
    found = curve_fit(c.f, t, y, p0, sigma, mask=mask, full_output=True, **c.options)
    return Found(*(lib.to_numpy(getattr(found, name)) for name in Found._fields))


def check(lib: Any, name: str, seed: int, counts: dict[str, int]) -> list[str]:
    """What is wrong with a random batch; counts what was compared."""
    c = case(np.random.default_rng([seed, sum(map(ord, name))]), name)
    found = ours_of(lib, c)
    wrong = []
    for i in range(c.y.shape[0]):
        counts["fits"] += 1
        r = residuals(c, i)
        start = float(np.sum(r(c.p0[i]) ** 2))
        ours = float(np.sum(r(found.popt[i]) ** 2))
        noise = 1e-13 * float(np.sum(r(0 * c.p0[i] + 1e-300) ** 2) + ours)
        label = f"{name} {seed} {i}: status {int(found.status[i])}, rss {ours:.6g}"
        if not ours <= start * (1 + 1e-12) + noise:
            wrong.append(f"{label} above its start {start:.6g}")
        if found.success[i] and (name, seed, i) not in KNOWN:
            best = polished(c, i, found.popt[i])
            if ours > best * (1 + 1e-6) + noise:
                wrong.append(f"{label}, a polish finds {best:.6g}")
        other = by_scipy(c, i)
        if other is None:
            counts["SciPy fails"] += 1
            counts["both fail"] += not found.success[i]
            continue
        theirs = float(np.sum(r(other[0]) ** 2))
        best = polished(c, i, other[0])
        if not found.success[i]:
            counts["ours fails"] += 1
            if theirs <= best * (1 + 1e-6) + noise:
                wrong.append(f"{label} where SciPy has {theirs:.6g}")
            continue
        counts["ours lower"] += ours < theirs * (1 - 1e-3) - noise
        counts["theirs lower"] += theirs < ours * (1 - 1e-3) - noise
        near = np.allclose(found.popt[i], other[0], rtol=1e-4, atol=1e-7)
        bounded = "bounds" in c.options
        inside = not bounded or np.all(
            (other[0] > np.asarray(c.options["bounds"][0]) + 1e-3)
            & (other[0] < np.asarray(c.options["bounds"][1]) - 1e-3)
        )
        sure = np.all(np.isfinite(other[1])) and np.linalg.cond(_unit(other[1])) < 1e6
        if near and inside and sure and c.y.shape[1] > c.p0.shape[1] and ours > noise:
            counts["covariances"] += 1
            scale = np.sqrt(np.outer(np.diag(other[1]), np.diag(other[1])))
            if not np.allclose(found.pcov[i] / scale, other[1] / scale, rtol=1e-2, atol=1e-2):
                wrong.append(f"{label}: pcov {found.pcov[i]} where SciPy has {other[1]}")
    return wrong


def _unit(cov: Any) -> Any:
    d = np.sqrt(np.maximum(np.diag(cov), 1e-300))
    return cov / np.outer(d, d)


@pytest.mark.parametrize("name", KINDS)
def test_random_fits(lib: Any, leave_out: Any, name: str) -> None:
    leave_out("float64", not lib.has_float64)
    # Elsewhere few: a fit of as many points as parameters has 2,000 steps, some of the first seed's.
    seeds = range(40) if lib.name == "numpy" else range(1, 2 if lib.library == "jax" else 3)
    counts = dict.fromkeys(
        ("fits", "SciPy fails", "both fail", "ours fails", "ours lower", "theirs lower",
         "covariances"), 0,
    )  # fmt: skip
    with np.errstate(all="ignore"):
        wrong = [w for seed in seeds for w in check(lib, name, seed, counts)]
    assert not wrong, "\n".join(wrong)
    assert counts["fits"] == 4 * len(seeds)
    assert counts["covariances"] > 20 or len(seeds) < 40
