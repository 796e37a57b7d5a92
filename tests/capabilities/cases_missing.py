"""Functions of NumPy that the standard lacks, against NumPy's own."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.integrate
import scipy.special
import scipy.stats

from likewise import array_namespace, missing
from likewise.missing import at
from likewise.transforms import tree_map

from .case import REAL, Case, case

X = np.asarray([0.4, -1.2, 2.0, 0.7, -0.3])
Y = np.asarray([[0.4, -1.2, 2.0], [0.7, -0.3, 1.1]])
NAN = np.asarray([0.4, np.nan, 2.0, 0.7, -0.3])
Z = X + 1j * np.asarray([0.5, 0.25, -1.0, 0.3, 0.8])
AT, IDS = np.asarray([3, 0, 3, 1, 2]), np.asarray([0, 2, 0, 1, 2])
MASK = np.asarray([True, False, True, True, False])
LAST: dict[str, Any] = {"axis": -1}
ORDER = "complex numbers have no order"
ONE = "of one array; there is no batch"
BINS = "one set of bins for all"
INDEXED: dict[str, Any] = {"complex": True, "batch": "the index is of one array", "empty": True}
POINTS = {
    "complex": "the points have an order",
    "batch": "one set of points for all",
    "empty": "there must be a point",
}


def filled(x: Any, size: int) -> Any:
    """Zeros after what there is."""
    return np.concatenate([x, np.zeros(size - x.shape[0], dtype=x.dtype)])


def like_numpy(name: str, *args: Any, **options: Any) -> Case:
    return case(f"missing.{name}", *args, **({"reference": getattr(np, name)} | options))


def along(name: str, x: Any = X, **options: Any) -> Case:
    """A function along the last axis, of a batch."""
    kwargs = LAST | options.pop("kwargs", {})
    return like_numpy(name, x, kwargs=kwargs, **({"batch": True} | options))


def elementwise(name: str, *args: Any, **options: Any) -> Case:
    return like_numpy(name, *args, batch=True, **options)


def quantiles() -> Iterator[Case]:
    for method in (
        *("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "hazen", "weibull"),
        *("interpolated_inverted_cdf", "linear", "median_unbiased", "normal_unbiased"),
        *("lower", "higher", "midpoint", "nearest"),
    ):
        kwargs = {"q": 0.3, "axis": -1, "method": method}
        for name, scale in (("quantile", 1), ("nanquantile", 1), ("percentile", 100)):
            more = kwargs | {"q": 0.3 * scale}
            batch, reads = method == "linear", {"scalars": 1} if name == "nanquantile" else {}
            yield like_numpy(name, X, kwargs=more, complex=ORDER, batch=batch, **reads)


def policies() -> Iterator[Case]:
    for name, scale in (("quantile", 1), ("percentile", 100)):
        for policy in ("propagate", "omit"):
            judge = getattr(np, name if policy == "propagate" else f"nan{name}")
            yield case(
                f"missing.{name}",
                NAN,
                kwargs={"q": 0.3 * scale, "nan_policy": policy},
                reference=lambda a, q, nan_policy, judge=judge: judge(a, q),
                scalars=1,
            )
        yield case(
            f"missing.{name}",
            X,
            kwargs={"q": 0.3 * scale, "nan_policy": "raise"},
            reference=lambda a, q, nan_policy, name=name: getattr(np, name)(a, q),
            scalars=1,
        )


def padded() -> Iterator[Case]:
    for mode in ("constant", "edge", "linear_ramp", "reflect", "symmetric", "wrap"):
        kwargs: dict[str, Any] = {"pad_width": ((0, 0), (1, 2)), "mode": mode}
        yield like_numpy(
            "pad", Y, kwargs=kwargs, complex=True, batch="of each axis", empty=mode == "constant"
        )


def gathered() -> Iterator[Case]:
    for mode in ("raise", "clip", "wrap", "fill"):
        if mode in ("raise", "clip", "wrap"):
            kwargs: dict[str, Any] = {"axis": 0, "mode": mode}
            yield like_numpy("take", X, AT, kwargs=kwargs, **INDEXED, scalars=2)
        kwargs = {"axis": 0, "mode": mode}
        yield case(
            "missing.take_along_axis",
            X,
            AT,
            kwargs=kwargs,
            reference=lambda arr, i, axis, mode: np.take_along_axis(arr, i, axis),
            **INDEXED,
            scalars=2,
        )
    yield case(
        "missing.take",
        X,
        AT,
        kwargs={"axis": 0, "mode": "fill"},
        reference=lambda x, i, axis, mode: np.take(x, i, axis),
        **INDEXED,
    )


def written(x: Any, i: Any, v: Any, **options: Any) -> Any:
    out = x.copy()
    out[i] = v
    return out


V = np.asarray([1.5, 2.5, -0.5])
PLACES = np.asarray([4, 0, 2])


def scattered() -> Iterator[Case]:
    for mode in ("raise", "clip", "wrap"):
        for name in ("put", "put_along_axis"):
            kwargs: dict[str, Any] = {"mode": mode} | ({} if name == "put" else {"axis": 0})
            yield case(
                f"missing.{name}",
                X,
                PLACES,
                V,
                kwargs=kwargs,
                reference=written,
                **INDEXED,
                scalars=4,
            )


OPERATIONS = {
    "add": np.add,
    "multiply": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "min": np.minimum,
    "max": np.maximum,
}
POSITIVE = np.asarray([1.2, 0.7, 2.0, 1.7, 0.3])


def by_operation(name: str) -> Callable[..., Any]:
    def call(x: Any, i: Any, v: Any) -> Any:
        out = x.copy()
        OPERATIONS[name].at(out, i, v)
        return out

    return call


def updates() -> Iterator[Case]:
    yield case(
        "missing.at.set",
        X,
        PLACES,
        V,
        by=lambda x, i, v: at(x)[i].set(v),
        reference=written,
        **INDEXED,
        scalars=2,
    )
    yield case(
        "missing.at.get",
        X,
        PLACES,
        by=lambda x, i: at(x)[i].get(),
        reference=lambda x, i: x[i],
        **INDEXED,
        scalars=2,
    )
    for name in OPERATIONS:
        yield case(
            f"missing.at.{name}",
            POSITIVE,
            PLACES,
            V + 1,
            by=lambda x, i, v, name=name: getattr(at(x)[i], name)(v),
            reference=by_operation(name),
            batch=INDEXED["batch"],
            empty=True,
            scalars=2,
        )


def segments() -> Iterator[Case]:
    judges: dict[str, Callable[..., Any]] = {
        "sum": np.sum,
        "prod": np.prod,
        "min": functools.partial(np.min, initial=np.inf),
        "max": functools.partial(np.max, initial=-np.inf),
        "mean": lambda x: np.mean(x) if x.size else np.nan,
    }
    for name, judge in judges.items():
        yield case(
            f"missing.segment_{name}",
            X,
            IDS,
            kwargs={"num_segments": 3},
            reference=lambda x, ids, num_segments, judge=judge: np.stack(
                [judge(x[ids == k]) for k in range(num_segments)]
            ),
            batch="the segments are of the first axis",
            empty=True,
            complex=ORDER if name in ("min", "max") else True,
        )


def index_sets() -> Iterator[Case]:
    for name in ("diag_indices", "tril_indices", "triu_indices"):
        yield case(
            f"missing.{name}",
            X,
            by=lambda x, name=name: getattr(missing, name)(3, like=x),
            reference=lambda x, name=name: getattr(np, name)(3),
            batch="of a size",
            empty=True,
            complex=True,
        )
    for order in ("C", "F"):
        for mode in ("raise", "clip", "wrap"):
            yield case(
                "missing.ravel_multi_index",
                (np.asarray([0, 1, 1]), np.asarray([2, 0, 1])),
                kwargs={"dims": (2, 3), "mode": mode, "order": order},
                reference=np.ravel_multi_index,
                scalars=4,
                batch=mode != "raise",
                complex=True,
            )
        yield case(
            "missing.unravel_index",
            np.asarray([5, 0, 2]),
            kwargs={"shape": (2, 3), "order": order},
            reference=np.unravel_index,
            scalars=2,
            batch=True,
            complex=True,
        )


def overlapping(x: Any) -> tuple[Any, Any]:
    """Two arrays, with members of both, of one and of the other."""
    xp = array_namespace(x)
    return xp.concat([x, x + 10]), xp.concat([x, x - 10])


def sets() -> Iterator[Case]:
    """With the number of members told, so that no shape depends on values.

    Members that are equal come from one array: moved apart, there would be two.
    """
    other = np.asarray([0.7, 5.0, -1.2])
    for name, size in (("union1d", 15), ("intersect1d", 5), ("setdiff1d", 5), ("setxor1d", 10)):
        judge = getattr(np, name)
        yield case(
            f"missing.{name}",
            X,
            by=lambda x, name=name, **given: getattr(missing, name)(*overlapping(x), **given),
            kwargs={"size": size, "fill_value": 0},
            reference=lambda x, size, fill_value, judge=judge: filled(judge(*overlapping(x)), size),
            batch="the sets are of one axis",
            empty=True,
            complex=True,
            scalars=2,
        )
    yield case(
        "missing.unique",
        X,
        kwargs={"size": 5, "fill_value": 0},
        reference=lambda x, size, fill_value: filled(np.unique(x), size),
        batch=ONE,
        empty=True,
        complex=True,
        scalars=2,
    )
    for kind in (None, "sort"):
        kwargs: dict[str, Any] = {"kind": kind}
        yield like_numpy("isin", X, other, kwargs=kwargs, batch=True, complex=True, scalars=1)
    yield like_numpy(
        "isin", np.asarray([1, 4, 2]), np.asarray([2, 9]), kwargs={"kind": "table"}, scalars=4
    )


def binned() -> Iterator[Case]:
    for statistic in ("mean", "sum", "count", "std", "min", "max", "median"):
        yield case(
            "missing.binned_statistic",
            X,
            POSITIVE,
            by=lambda x, v, statistic: missing.binned_statistic(x, v, statistic, 2, (-2, 3))[0],
            kwargs={"statistic": statistic},
            reference=lambda x, v, statistic: scipy.stats.binned_statistic(
                x, v, statistic, 2, (-2, 3)
            )[0],
            batch=BINS,
            empty=True,
            complex=ORDER,
            scalars=2,
        )


def counted(x: Any, weights: Any, length: int) -> Any:
    """NumPy's, which has no complex weights."""
    real = np.bincount(x, np.real(weights), length)
    if not np.iscomplexobj(weights):
        return real
    return real + 1j * np.bincount(x, np.imag(weights), length)


EDGES = np.asarray([-1.0, 0.0, 0.5, 1.0])
MISSING = [
    *quantiles(),
    *policies(),
    along("median", complex=ORDER),
    along("nanmedian", NAN, complex=ORDER, scalars=1),
    *(along(f, NAN, complex=True) for f in ("nansum", "nanprod", "nanmean", "nanvar", "nanstd")),
    *(along(f, NAN, complex=ORDER) for f in ("nanmin", "nanmax")),
    *(along(f, X, complex=ORDER, scalars=1) for f in ("nanargmin", "nanargmax")),
    along("nancumsum", NAN, complex=True),
    elementwise("nan_to_num", NAN, complex=True),
    like_numpy("digitize", X, EDGES, complex=ORDER, batch=BINS, empty=True, scalars=2),
    like_numpy("histogram", X, kwargs={"bins": 3}, batch=ONE, empty=True, complex=ORDER, scalars=4),
    case(
        "missing.histogram2d",
        X,
        X[::-1].copy(),
        kwargs={"bins": 3},
        reference=np.histogram2d,
        batch=ONE,
        empty=True,
        complex=ORDER,
        scalars=8,
    ),
    case(
        "missing.histogramdd",
        np.stack([X, X[::-1]], axis=-1),
        by=lambda x, bins: missing.histogramdd(x, bins)[0],
        kwargs={"bins": 3},
        reference=lambda x, bins: np.histogramdd(x, bins)[0],
        batch=ONE,
        empty=True,
        complex=ORDER,
        scalars=8,
    ),
    *binned(),
    *gathered(),
    *scattered(),
    *updates(),
    *segments(),
    *index_sets(),
    *sets(),
    *(
        case(
            f"missing.{f}",
            MASK,
            kwargs={"size": 3, "fill_value": 0},
            reference=lambda x, size, fill_value, f=f: tree_map(
                lambda i: filled(i, size), getattr(np, f)(x)
            ),
            batch=ONE,
            empty=True,
            complex=True,
            scalars=1,
        )
        for f in ("nonzero", "flatnonzero")
    ),
    case(
        "missing.compress",
        MASK,
        X,
        kwargs={"size": 3, "fill_value": 0},
        reference=lambda c, x, size, fill_value: filled(np.compress(c, x), size),
        batch=ONE,
        empty=True,
        complex=True,
        scalars=1,
    ),
    like_numpy("repeat", X, kwargs={"repeats": 2, "axis": -1}, batch=True, complex=True),
    case(
        "missing.select",
        MASK,
        X,
        by=lambda m, x: missing.select([m], [x], 1.5),
        reference=lambda m, x: np.select([m], [x], 1.5),
        batch=True,
        complex=True,
    ),
    case(
        "missing.one_hot",
        IDS,
        by=lambda i: missing.one_hot(i, 3),
        reference=lambda i: np.eye(3)[i],
        batch=True,
        complex=True,
        dtypes=["float32"],
    ),
    *(
        case(
            f"missing.{f}",
            np.asarray(0.5),
            np.asarray(2.0),
            kwargs={"num": 4},
            reference=getattr(np, f),
            batch="the numbers of a batch stand on the first axis",
            empty=True,
            complex=True,
            scalars=2,
        )
        for f in ("logspace", "geomspace")
    ),
    along("diff", complex=True),
    elementwise("round", X * 1.3, complex=True),
    case(
        "missing.bincount",
        np.asarray([0, 2, 2, 1]),
        X[:4],
        kwargs={"length": 4},
        reference=counted,
        batch=ONE,
        empty=True,
        complex=True,
        scalars=2,
    ),
    *padded(),
    case(
        "missing.sliding_window_view",
        X,
        kwargs={"window_shape": 3, "axis": -1},
        reference=np.lib.stride_tricks.sliding_window_view,
        batch=True,
        complex=True,
    ),
    like_numpy("kron", Y, Y[:, :2].copy(), complex=True, batch="of all axes", empty=True),
    like_numpy("rot90", Y, complex=True, batch="of the first two axes", empty=True),
    elementwise("angle", Z),
    *(elementwise(f, X, complex=REAL) for f in ("deg2rad", "rad2deg")),
    elementwise("isclose", X, X + 1e-12, complex=True),
    *(
        like_numpy(f, X, X + 0.0, batch="one answer for all", complex=True, empty=True)
        for f in ("allclose", "array_equal")
    ),
    case(
        "missing.topk",
        X,
        by=lambda x: missing.topk(x, 2)[0],
        reference=lambda x: np.flip(np.sort(x), -1)[..., :2],
        batch=True,
        complex=ORDER,
    ),
    case(
        "missing.topk",
        np.sin(np.arange(24.0)),
        by=lambda x: missing.topk(x, 2)[0],
        reference=lambda x: np.flip(np.sort(x), -1)[..., :2],
        scalars=1,
    ),
    case(
        "missing.partition",
        X,
        by=lambda x: missing.partition(x, 1)[..., 1],
        reference=lambda x: np.sort(x)[..., 1],
        batch=True,
        complex=ORDER,
    ),
    case(
        "missing.argpartition",
        X,
        by=lambda x: missing.argpartition(x, 1)[..., 1],
        reference=lambda x: np.argsort(x)[..., 1],
        batch=True,
        complex=ORDER,
    ),
    case(
        "missing.lexsort",
        IDS,
        X,
        by=lambda i, x: missing.lexsort((x, i)),
        reference=lambda i, x: np.lexsort((x, i)),
        batch=True,
        complex=ORDER,
    ),
    *(
        case(
            "missing.rankdata",
            X,
            kwargs={"method": method, "axis": -1},
            reference=scipy.stats.rankdata,
            batch=True,
            complex=ORDER,
        )
        for method in ("average", "min", "max", "dense", "ordinal")
    ),
    *(
        case(
            "missing.rankdata",
            x,
            kwargs={"nan_policy": policy, "axis": -1},
            reference=scipy.stats.rankdata,
            scalars=1 if policy == "raise" else 0,
        )
        for policy, x in (("propagate", NAN), ("omit", NAN), ("raise", X))
    ),
    case(
        "missing.trapezoid", X, kwargs={"dx": 0.5}, reference=np.trapezoid, batch=True, complex=True
    ),
    *(
        case(
            f"missing.{f}",
            X,
            kwargs={"dx": 0.5},
            reference=getattr(scipy.integrate, f),
            batch=True,
            complex=True,
        )
        for f in ("cumulative_trapezoid", "simpson")
    ),
    along("gradient", complex=True),
    like_numpy("interp", np.asarray([-0.4, 0.2, 0.7]), EDGES, X[:4], scalars=2, **POINTS),
    along("unwrap", X * 4, complex=REAL),
    elementwise("sinc", X, complex=True),
    like_numpy("cov", Y, batch=True, complex=True),
    like_numpy("corrcoef", Y, batch=True, complex=True),
    case("missing.safe_divide", X, POSITIVE, reference=np.divide, batch=True, complex=True),
    case("missing.safe_sqrt", POSITIVE, reference=np.sqrt, batch=True, complex=True),
    case("missing.safe_norm", X, kwargs=LAST, reference=np.linalg.norm, batch=True, complex=True),
    case("missing.xlogy", X, POSITIVE, reference=scipy.special.xlogy, batch=True, complex=True),
    *(
        like_numpy(
            "searchsorted", EDGES, X, kwargs={"side": side}, scalars=1, complex=ORDER, batch=True
        )
        for side in ("left", "right")
    ),
    *(
        like_numpy(
            "convolve", X, V, kwargs={"mode": mode}, complex=True, batch=ONE, empty="there is none"
        )
        for mode in ("full", "same", "valid")
    ),
    case(
        "missing.einsum",
        Y,
        X[:3],
        by=lambda a, b: missing.einsum("ij,j->i", a, b),
        reference=lambda a, b: np.einsum("ij,j->i", a, b),
        batch="its axes are written out: '...ij'",
        empty="j has two sizes then",
        complex=True,
    ),
    case(
        "missing.einsum",
        Y,
        by=lambda a: missing.einsum("ij->j", a),
        reference=lambda a: np.einsum("ij->j", a),
    ),
]
