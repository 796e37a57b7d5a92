"""Random calls of descriptive statistics, and their comparison with SciPy's."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.stats

from likewise import stats
from likewise._namespace import is_concrete
from likewise.errors import LikewiseError

__all__ = ["CALLS", "compare"]

Call = tuple[tuple[Any, ...], dict[str, Any]]
RNG = np.random.Generator
LIMITED = ("tmean", "tvar", "tstd", "tsem", "tmin", "tmax")
CUMULANTS = ("kstat", "kstatvar", "lmoment")
TOLERANCE = {
    "expectile": 1e-7,
    "circstd": 1e-7,
    "energy_distance": 1e-7,
    "boxcox": 1e-4,
    "boxcox_normmax": 1e-5,
    "yeojohnson": 1e-4,
    "yeojohnson_normmax": 1e-4,
}
METHODS = (
    *("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "hazen"),
    *("interpolated_inverted_cdf", "linear", "median_unbiased", "normal_unbiased", "weibull"),
    *("harrell-davis", "round_outward", "round_inward", "round_nearest"),
)


def one(rng: RNG, *items: Any) -> Any:
    return items[int(rng.integers(len(items)))]


def sample(
    rng: RNG, sizes: Iterable[int] = (0, 1, 2, 3, 5, 8), positive: bool = False, ndim: int = 3
) -> Any:
    """Numbers with ties, NaNs, of float32 or integers, now and then."""
    shape = tuple(int(n) for n in rng.choice(list(sizes), size=rng.integers(1, ndim + 1)))
    x = rng.normal(size=shape) * one(rng, 1, 1, 10)
    if positive:
        x = np.abs(x) + 0.1
    elif rng.random() < 0.4:
        x = np.round(x)
    if rng.random() < 0.3:
        x[rng.random(shape) < 0.2] = np.nan
    elif rng.random() < 0.15 and not positive:
        x = x.astype(int)
    return x.astype(np.float32) if rng.random() < 0.15 else x


def options(rng: RNG, x: Any, keepdims: bool = True, several: bool = True) -> dict[str, Any]:
    out: dict[str, Any] = {"axis": int(rng.integers(-x.ndim, x.ndim))}
    if rng.random() < 0.2:
        out["axis"] = None
    elif rng.random() < 0.2 and several and x.ndim > 1:
        out["axis"] = tuple(int(i) for i in rng.choice(x.ndim, 2, replace=False))
    out["nan_policy"] = one(rng, "propagate", "omit", "omit", "raise")
    if keepdims and rng.random() < 0.3:
        out["keepdims"] = True
    return out


def reducing(
    more: Callable[[RNG, Any], Call] | None = None,
    *,
    keepdims: bool = True,
    several: bool = True,
    first: bool = False,
    **data: Any,
) -> Callable[[RNG], Call]:
    """Draws of a function of a sample, an axis and a policy; of other arguments, `first` or not."""

    def draw(rng: RNG) -> Call:
        x = sample(rng, **data)
        args, given = more(rng, x) if more else ((), {})
        given = options(rng, x, keepdims, several) | given
        return ((*args, x) if first else (x, *args)), given

    return draw


def ddof(rng: RNG, x: Any) -> Call:
    return (), {"ddof": int(rng.integers(0, 4))}


def weights(rng: RNG, x: Any) -> Call:
    return (), ({"weights": rng.random(x.shape)} if rng.random() < 0.5 else {})


def limits(rng: RNG, x: Any) -> Call:
    given = {"limits": one(rng, None, (-1, 1), (None, 0.5), (-0.5, None))}
    return (), given | {"inclusive": one(rng, (True, True), (False, True), (False, False))}


def line(rng: RNG, least: int = 0, most: int = 12, nan: float = 0.0) -> Any:
    x = rng.normal(size=int(rng.integers(least, most)))
    x = np.round(2 * x) if rng.random() < 0.5 else x
    if rng.random() < nan:
        x[rng.random(x.shape) < 0.3] = np.nan
    return x


def probabilities(rng: RNG) -> Call:
    x = sample(rng, (1, 2, 3, 4, 6), ndim=2).astype(float)
    axis = one(rng, 0, -1)
    p = one(rng, 0.0, 0.1, 0.25, 0.5, 1.0, 1.2)
    if rng.random() < 0.6:
        shape = [1] * x.ndim
        shape[axis] = int(rng.integers(1, 4))
        p = rng.choice([0, 0.1, 0.25, 1 / 3, 0.5, 0.75, 0.9, 1, -0.1], size=shape)
    given = {"method": one(rng, *METHODS), "axis": axis, "keepdims": one(rng, None, True)}
    if given["method"] in METHODS[:9] and rng.random() < 0.3:
        given["weights"] = rng.integers(1, 4, size=x.shape).astype(float)
    if given["method"].startswith("round"):
        x = np.nan_to_num(x)  # SciPy's may read a NaN beyond the last number
    return (x, p), given | {"nan_policy": one(rng, "propagate", "omit")}


def percentages(rng: RNG) -> Call:
    x, given = (line(rng, nan=0.1), {}) if rng.random() < 0.6 else (rng.normal(size=(3, 4)), {})
    if x.ndim > 1:
        given["axis"] = one(rng, None, 0, 1)
    elif rng.random() < 0.3:
        x, given["limit"] = np.append(x, 0.5), (-1, 1)
    given["interpolation_method"] = one(rng, "fraction", "lower", "higher")
    return (x, one(rng, 50, 0, 100, 30.0, [10, 50], [0, 33, 100])), given


def scores(rng: RNG) -> Call:
    score = one(rng, 0.5, -1.0, line(rng, most=5, nan=0.2), rng.normal(size=(2, 3)))
    kind = one(rng, "rank", "weak", "strict", "mean")
    return (line(rng, nan=0.3), score), {
        "kind": kind,
        "nan_policy": one(rng, "propagate", "omit"),
    }


def frequencies(rng: RNG) -> Call:
    x = line(rng, 1)
    given: dict[str, Any] = {"numbins": int(rng.integers(2, 6))}
    if rng.random() < 0.4:
        given["defaultreallimits"] = (-1.0, 2.0)
    return (x,), given | weights(rng, x)[1]


def plane(rng: RNG) -> Call:
    n = int(rng.integers(1, 20))
    values = rng.normal(size=n) if rng.random() < 0.6 else rng.normal(size=(2, n))
    given = {"statistic": one(rng, "mean", "std", "median", "count", "sum", "min", "max")}
    edges = [np.asarray([-1.0, 0, 1]), np.asarray([-2.0, 0, 0.5, 2])]
    given |= one(rng, {}, {"bins": 4}, {"bins": [2, 3]}, {"bins": edges})
    given |= one(rng, {}, {}, {"range": [(-1, 1), (-2, 2)]})
    given |= one(rng, {}, {"expand_binnumbers": True})
    return (rng.normal(size=n), rng.normal(size=n), values), given


def boxes(rng: RNG) -> Call:
    (x, y, values), given = plane(rng)
    return (np.stack([x, y], axis=-1), values), given


def two(rng: RNG) -> Call:
    u, v = line(rng, 1, 8, nan=0.05), line(rng, 1, 8)
    some = one(rng, (), (rng.random(u.shape), rng.random(v.shape)), (None, rng.random(v.shape)))
    return (u, v, *some), {}


def level(rng: RNG) -> Call:
    x = line(rng, 1, 9)
    some = {"weights": rng.random(x.shape) + 0.1} if rng.random() < 0.4 else {}
    return (x, one(rng, 0.0, 0.1, 0.3, 0.5, 0.8, 1.0)), some


def ranks(rng: RNG) -> Call:
    x = (
        rng.integers(0, 4, size=(3, 5)).astype(float)
        if rng.random() < 0.5
        else line(rng, 0, 9, 0.2)
    )
    method = one(rng, "average", "min", "max", "dense", "ordinal")
    given = {"method": method, "axis": one(rng, None, 0, -1)}
    return (x,), given | {"nan_policy": one(rng, "propagate", "omit")}


def cut(rng: RNG) -> Call:
    x = rng.normal(size=(5, 4)) if rng.random() < 0.5 else line(rng, 0, 9)
    return (x, one(rng, 0, 0.1, 0.2, 0.3, 0.5)), {"axis": one(rng, None, 0, -1)}


def cut_one(rng: RNG) -> Call:
    args, given = cut(rng)
    return args, given | {"tail": one(rng, "left", "right")}


def positive(rng: RNG) -> Call:
    return (np.exp(rng.normal(size=int(rng.integers(5, 20)))),), {}


CALLS: dict[str, Callable[[RNG], Call]] = {
    "skew": reducing(lambda rng, x: ((), {"bias": one(rng, True, False)})),
    "kurtosis": reducing(
        lambda rng, x: ((), {"bias": one(rng, True, False), "fisher": one(rng, True, False)})
    ),
    "moment": reducing(
        lambda rng, x: (
            (),
            {"order": one(rng, 0, 1, 2, 3, 4, 5, [1, 2, 3]), "center": one(rng, None, None, 0.5)},
        )
    ),
    "describe": reducing(keepdims=False, sizes=(1, 2, 3, 5, 8)),
    "variation": reducing(ddof),
    "sem": reducing(ddof, sizes=(0, 2, 3, 5, 8)),
    "kstat": reducing(lambda rng, x: ((int(rng.integers(1, 5)),), {})),
    "kstatvar": reducing(lambda rng, x: ((int(rng.integers(1, 3)),), {})),
    "lmoment": reducing(
        lambda rng, x: ((), {"order": one(rng, 1, 2, 3, 4), "standardize": one(rng, True, False)}),
        keepdims=False,
        several=False,
    ),
    "gmean": reducing(weights, positive=True),
    "hmean": reducing(weights, positive=True),
    "pmean": reducing(
        lambda rng, x: ((one(rng, -1.0, 0.5, 2, 3, 0),), weights(rng, x)[1]), positive=True
    ),
    "expectile": level,
    "mode": reducing(),
    "iqr": reducing(
        lambda rng, x: (
            (),
            {
                "rng": one(rng, (25, 75), (10, 60), (0, 100)),
                "interpolation": one(rng, "linear", "lower", "higher", "midpoint", "nearest"),
                "scale": one(rng, "normal", 1.0, 2.0),
            },
        )
    ),
    "median_abs_deviation": reducing(lambda rng, x: ((), {"scale": one(rng, "normal", 1.0)})),
    "trim_mean": reducing(lambda rng, x: ((one(rng, 0, 0.1, 0.2, 0.3, 0.45),), {})),
    "trimboth": cut,
    "trim1": cut_one,
    "sigmaclip": lambda rng: (
        (rng.standard_cauchy(size=int(rng.integers(1, 30))), one(rng, 1.5, 2, 4), 3.0),
        {},
    ),
    "tmean": reducing(limits),
    **{
        name: reducing(lambda rng, x: ((), limits(rng, x)[1] | ddof(rng, x)[1]))
        for name in ("tvar", "tstd", "tsem")
    },
    **{
        name: reducing(
            lambda rng, x, k=key: ((), {k: one(rng, None, 0.2, 0), "inclusive": one(rng, 0, 1)})
        )
        for name, key in (("tmin", "lowerlimit"), ("tmax", "upperlimit"))
    },
    "entropy": reducing(
        lambda rng, x: (
            (),
            one(rng, {}, {"qk": rng.random(x.shape)}) | one(rng, {}, {"base": 2}),
        ),
        positive=True,
    ),
    "differential_entropy": reducing(
        lambda rng, x: (
            (),
            {"method": one(rng, "auto", "vasicek", "van es", "ebrahimi", "correa")}
            | one(rng, {}, {"base": 2}, {"window_length": 1}),
        ),
        sizes=(5, 6, 8, 13, 20),
    ),
    "zscore": reducing(ddof, keepdims=False),
    "gzscore": reducing(ddof, keepdims=False, positive=True),
    "zmap": reducing(lambda rng, x: ((x + rng.normal(size=x.shape),), {}), keepdims=False),
    "gstd": reducing(ddof, positive=True),
    "circmean": reducing(
        lambda rng, x: ((), {"high": one(rng, 6.283, 180), "low": one(rng, 0, -3)})
    ),
    "circvar": reducing(lambda rng, x: ((), {"high": one(rng, 6.283, 180)})),
    "circstd": reducing(lambda rng, x: ((), {"normalize": one(rng, True, False)})),
    "directional_stats": lambda rng: (
        (rng.normal(size=(4, 3, 3)),),
        {"axis": int(rng.integers(-3, 2)), "normalize": one(rng, True, False)},
    ),
    "boxcox_llf": reducing(
        lambda rng, x: ((round(rng.normal(), 1),), {}),
        first=True,
        positive=True,
        sizes=(3, 5, 8),
    ),
    "yeojohnson_llf": reducing(lambda rng, x: ((round(rng.normal(), 1),), {}), first=True),
    "boxcox": lambda rng: (positive(rng)[0], one(rng, {}, {"alpha": 0.05})),
    "boxcox_normmax": lambda rng: (positive(rng)[0], {"method": one(rng, "pearsonr", "mle")}),
    "yeojohnson": lambda rng: ((rng.normal(size=12) + one(rng, -5, 0, 5),), {}),
    "yeojohnson_normmax": lambda rng: ((rng.normal(size=12) + one(rng, -5, 0, 5),), {}),
    "quantile": probabilities,
    "scoreatpercentile": percentages,
    "percentileofscore": scores,
    "rankdata": ranks,
    "tiecorrect": lambda rng: ((np.round(line(rng, 0, 9)),), {}),
    "cumfreq": frequencies,
    "relfreq": frequencies,
    "binned_statistic_2d": plane,
    "binned_statistic_dd": boxes,
    "wasserstein_distance": two,
    "energy_distance": two,
}


def compare(name: str, seed: int, lib: Any = None) -> None:
    """Compare a random call with SciPy's: values, shapes, or that both refuse."""
    args, given = CALLS[name](np.random.default_rng(seed))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = parts(getattr(scipy.stats, name)(*args, **given))
        except IndexError:  # SciPy's 'round_outward' of one observation
            return
        except ValueError as error:
            expected = error
        if name == "describe" and given["nan_policy"] == "omit":
            # As masked arrays, SciPy's have no NaN there, but 0.
            some = {"axis": given["axis"], "nan_policy": "omit"}
            expected[-2:] = [
                parts(f(*args, **some))[0] for f in (scipy.stats.skew, scipy.stats.kurtosis)
            ]
        ours, named = args, given
        if lib is not None:
            ours = tuple(as_array(lib, x) for x in args)
            named = {k: as_array(lib, v) for k, v in given.items()}
        try:
            found = parts(getattr(stats, name)(*ours, **named), lib)
        except LikewiseError as error:
            found = error
    said = f"{name} of {args}, {given}: {found}, SciPy {expected}"
    if isinstance(expected, Exception):
        # SciPy refuses if one of the rows that it visits is without numbers, we if all are.
        rows = name in LIMITED and bool(np.isnan(args[0]).any())
        unread = lib is not None and not any(map(is_concrete, ours))  # on a device
        assert rows or unread or isinstance(found, Exception), said
        return
    assert not isinstance(found, Exception), said
    double = lib is None or lib.has_float64
    single = not double or any(getattr(x, "dtype", None) == np.float32 for x in args)
    tight = max(TOLERANCE.get(name, 1e-9), 1e-3 if single else 0.0)
    if name in ("trimboth", "trim1"):
        expected = [np.sort(expected[0], axis=given["axis"] or 0)]
    for got, good in zip(found, expected, strict=True):
        if name in CUMULANTS:  # SciPy divides rounding errors by 0
            got, good = (np.where(np.isinf(x), np.nan, x) for x in (got, good))
        if name == "describe":
            good = np.broadcast_to(good, got.shape)
        assert got.shape == good.shape, said
        np.testing.assert_allclose(got, good, rtol=tight, atol=tight, err_msg=said)


def as_array(lib: Any, x: Any) -> Any:
    if isinstance(x, list):
        return [as_array(lib, v) for v in x]
    return lib.asarray(x) if isinstance(x, np.ndarray) else x


def parts(x: Any, lib: Any = None) -> list[Any]:
    """The arrays of a result, as NumPy's."""
    if hasattr(x, "mean_direction") and not isinstance(x, tuple):
        x = (x.mean_direction, x.mean_resultant_length)
    if isinstance(x, tuple | list):
        return [part for item in x for part in parts(item, lib)]
    if np.ma.isMaskedArray(x):
        x = np.ma.filled(x.astype(float), np.nan)
    return [np.asarray(x if lib is None else lib.to_numpy(x), dtype=float)]
