"""Random numbers of random parameters: against SciPy's distributions, and across libraries."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import likewise
import likewise.random as lr
from likewise.errors import LikewiseError

pytestmark = [pytest.mark.full, pytest.mark.needs("scipy", "torch", "jax")]
N = 1500
OTHERS = ("strict", "torch", "jax")


def parameters(rng: np.random.Generator, count: int) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """A name, its parameters, and SciPy's distribution of them."""
    from scipy import stats

    for _ in range(count):
        a, b = 10.0 ** rng.uniform(-1, 12, 2)
        yield "gamma", {"a": a}, stats.gamma(a)
        a, b = 10.0 ** rng.uniform(-0.7, 5, 2)
        yield "beta", {"a": a, "b": b}, stats.beta(a, b)
        low = rng.normal() * 10.0 ** rng.uniform(-3, 1)
        width = 10.0 ** rng.uniform(-2, 2)
        yield (
            "truncated_normal",
            {"lower": low, "upper": low + width},
            stats.truncnorm(low, low + width),
        )
        low, width = rng.normal() * 10, 10.0 ** rng.uniform(-1, 6)
        yield "uniform", {"minval": low, "maxval": low + width}, stats.uniform(low, width)
        lam = 10.0 ** rng.uniform(-2, 12)
        yield "poisson", {"lam": lam}, stats.poisson(lam)
        n, p = (
            int(10.0 ** rng.uniform(0, 12)),
            rng.choice([rng.uniform(), 10 ** -rng.uniform(0, 9)]),
        )
        yield "binomial", {"n": n, "p": float(p)}, stats.binom(n, p)


def drawn(name: str, key: Any, arguments: dict[str, Any], dtype: str) -> Any:
    arguments = dict(arguments)
    if name in ("poisson", "binomial"):  # computed in the dtype of the parameters
        arguments = {k: likewise.asarray(v, like=key, dtype=dtype) for k, v in arguments.items()}
    return getattr(lr, name)(key, shape=N, dtype=dtype, **arguments)


def rounded(arguments: dict[str, Any]) -> dict[str, Any]:
    """Parameters that float32 holds, so that the distribution is the one that was asked for."""
    return {k: float(np.float32(v)) for k, v in arguments.items()}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_moments(dtype: str) -> None:
    """Mean and spread, of any size of the parameters; the bounds of the distribution."""
    wrong = []
    rng = np.random.default_rng(7)
    for i, (name, arguments, distribution) in enumerate(parameters(rng, 60)):
        arguments = rounded(arguments)
        if name == "uniform" and arguments["minval"] >= arguments["maxval"]:
            continue
        if name == "binomial" or name == "poisson":
            from scipy import stats

            make = stats.binom if name == "binomial" else stats.poisson
            distribution = make(*arguments.values())
        x = np.asarray(drawn(name, lr.key(i), arguments, dtype), "float64")
        mean, spread = distribution.mean(), distribution.std()
        grain = float(np.spacing(np.dtype(dtype).type(max(abs(mean), spread))))
        off = abs(x.mean() - mean) - 3 * grain
        wide = abs(x.std() - spread) - 3 * grain
        kurt = float(distribution.stats("k"))
        if (
            not np.all(np.isfinite(x))
            or off > 5 * spread / N**0.5
            or wide > 6 * spread * (max(kurt, 0) + 2) ** 0.5 / (4 * N) ** 0.5
        ):
            wrong.append((i, name, arguments, x.mean(), mean, x.std(), spread))
    assert wrong == []


@pytest.mark.parametrize("name", ["gamma", "beta", "truncated_normal", "uniform"])
def test_distribution_functions(name: str) -> None:
    """Kolmogorov's and Smirnov's test, in float64; of 60 the least is about 1 / 60."""
    from scipy import stats

    rng = np.random.default_rng(11)
    least = [
        stats.kstest(drawn(found, lr.key(i), arguments, "float64"), distribution.cdf).pvalue
        for i, (found, arguments, distribution) in enumerate(parameters(rng, 60))
        if found == name
    ]
    assert len(least) == 60 and min(least) > 1e-5


@pytest.mark.parametrize("library", OTHERS)
def test_libraries_agree(library: str) -> None:
    """Equal within what is documented: at most one in a thousand decided otherwise here."""
    rng = np.random.default_rng(13)
    for i, (name, arguments, _) in enumerate(parameters(rng, 3 if library == "jax" else 12)):
        arguments = rounded(arguments)
        wanted = np.asarray(drawn(name, lr.key(i), arguments, "float32"))
        own = drawn(name, lr.key(i, namespace=library), arguments, "float32")
        got = likewise.to_numpy(own)
        assert got.dtype == wanted.dtype
        scale = max(np.std(wanted.astype("float64")), float(np.spacing(np.max(np.abs(wanted)))))
        far = np.abs(got.astype("float64") - wanted) > 1e-3 * scale + 4 * np.spacing(np.abs(wanted))
        # Counts of float32 are compared with logarithms that differ by their last digits.
        assert far.mean() <= (0.02 if name in ("poisson", "binomial") else 4e-3), (name, arguments)


@pytest.mark.parametrize("library", ["numpy", *OTHERS])
def test_integers_at_the_ends_of_dtypes(library: str) -> None:
    """Within bounds, at both ends of each dtype, and equal to NumPy's."""
    rng = np.random.default_rng(17)
    kinds = ["int8", "int16", "int32", "int64", "uint8"]
    kinds += [] if library == "torch" else ["uint16", "uint32", "uint64"]
    for i in range(60 if library == "jax" else 400):
        dtype = kinds[int(rng.integers(len(kinds)))]
        info = np.iinfo(dtype)
        least, most = int(info.min), int(info.max) + 1
        span = min(1 << int(rng.integers(0, info.bits + 1)), most - least)
        span = max(1, span - int(rng.integers(0, 2)))
        low = [least, most - span, max(least, min(0, most - span))][int(rng.integers(3))]
        got = likewise.to_numpy(
            lr.integers(lr.key(i, namespace=library), 20, low, low + span, dtype)
        )
        assert got.dtype == dtype
        assert all(low <= int(n) < low + span for n in got), (dtype, low, span)
        np.testing.assert_array_equal(got, lr.integers(lr.key(i), 20, low, low + span, dtype))


EDGES = [0.0, -0.0, 1.0, -1.0, 1e-45, 1e-38, 3e38, -3e38, np.inf, -np.inf, np.nan, 0.5, 1e10, 1e20]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_edge_parameters(dtype: str) -> None:
    """Each pair of extreme parameters: numbers within the support, or an error of ours."""
    inside = {
        "gamma": (1, lambda x, a: x >= 0),
        "beta": (2, lambda x, a, b: (x >= 0) & (x <= 1)),
        "uniform": (2, lambda x, a, b: (x >= a) & (x <= b)),
        "truncated_normal": (2, lambda x, a, b: (x >= a) & (x <= b)),
        "poisson": (1, lambda x, a: (x >= 0) & (np.floor(x) == x)),
        "binomial": (2, lambda x, n, p: (x >= 0) & (x <= n)),
    }
    wrong = []
    for name, (count, good) in inside.items():
        for a in EDGES:
            for b in EDGES if count == 2 else EDGES[:1]:
                given = tuple(np.asarray(v, dtype) for v in (a, b)[:count])
                try:
                    if name == "uniform":
                        x = lr.uniform(lr.key(1), 20, dtype, *given)
                    else:
                        x = getattr(lr, name)(lr.key(1), *given, 20, dtype)
                except LikewiseError:
                    continue
                if not np.all(good(x, *given)):
                    wrong.append((name, *given, x[:3]))
    assert wrong == []
