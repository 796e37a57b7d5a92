"""Every function of `missing` and `linalg` against its library's: ``ci/bench --only missing``.

A function has a line in `OURS`: what is drawn for n elements, and the call. Its peers stand in
bench_peers.py, under the same name: for NumPy arrays NumPy's or SciPy's function (``by hand`` where
there is no one function), for torch and JAX the library's own. A name may have a text behind a
comma: another use of it.
"""

import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from bench_peers import SEGMENTS, K, Peers, jax_peers, numpy_peers, torch_peers

from likewise import linalg, missing

Draw = Callable[[np.random.Generator, int], tuple[Any, ...]]

# Public names without a line of their own, and why.
NO_LINE = {
    "BinnedStatisticResult": "a result",
    "LstsqResult": "a result",
    "percentile": "quantile, with 100 in place of 1",
}


# What can't be measured at 1e6 elements, and why.
_LOOPS = "jax.jit compiles its loop for minutes"
TOO_LONG = {
    ("cho_factor", "jax"): _LOOPS,
    ("cho_solve", "jax"): _LOOPS,
    ("lu_factor", "jax"): _LOOPS,
    ("lu_solve", "jax"): _LOOPS,
    ("solve_triangular", "jax"): _LOOPS,
}


# -- what is drawn ---------------------------------------------------------------------------------


def floats(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (rng.normal(size=n),)


def pair(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.normal(size=n), rng.normal(size=n)


def copies(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    x = rng.normal(size=n)
    return x, x.copy()


def positive(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.uniform(0.5, 2, n), rng.uniform(0.5, 2, n)


def nans(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    x = rng.normal(size=n)
    x[rng.integers(0, n, n // 10)] = math.nan
    return (x,)


def grid(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (rng.normal(size=_square(n)),)


def integers(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (rng.integers(0, 100, n),)


def pairs_of_integers(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.integers(0, 100, n), rng.integers(50, 150, n)


def places_in_100(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.integers(0, 100, n), rng.integers(0, 100, n)


def root(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (rng.normal(size=math.isqrt(n)),)


def series(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (rng.normal(size=(10, n // 10)),)


def kernel(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.normal(size=n), rng.normal(size=8)


def matrices(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.normal(size=_square(n)), rng.normal(size=_square(n))


def flags(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.uniform(size=n) < 0.3, rng.normal(size=n)


def places(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.normal(size=n), rng.integers(0, n, n)


def few_places(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.normal(size=n), rng.permutation(n)[: n // 10], rng.normal(size=n // 10)


def segments(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    ids = np.concatenate([np.arange(SEGMENTS), rng.integers(0, SEGMENTS, n - SEGMENTS)])
    return rng.uniform(0.9, 1.1, n), ids


def searched(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return np.sort(rng.normal(size=n)), rng.normal(size=n)


def edges(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.normal(size=n), np.linspace(-3, 3, 101)


def points(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    k = max(n // 10, 2)
    return rng.uniform(0, 1, n), np.sort(rng.uniform(0, 1, k)), rng.normal(size=k)


def samples(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.normal(size=n), np.cumsum(rng.uniform(0.5, 1.5, n))


def angles(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (np.cumsum(rng.uniform(-3, 3, n)) % 6.28,)


def complexes(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (rng.normal(size=n) + 1j * rng.normal(size=n),)


def rows_of_points(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (rng.normal(size=(n // 2, 2)),)


def factors(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    k = math.isqrt(n)
    return rng.normal(size=k), rng.normal(size=k)


def matrix(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    k = math.isqrt(n)
    return (rng.normal(size=(k, k)) + k * np.eye(k),)


def system(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    k = math.isqrt(n)
    return (*matrix(rng, n), rng.normal(size=k))


def definite(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    (a,) = matrix(rng, n)
    return (a + a.T + 2 * len(a) * np.eye(len(a)),)


def definite_system(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    (a,) = definite(rng, n)
    return np.linalg.cholesky(a), rng.normal(size=len(a))


def tall(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return rng.normal(size=(n // 10, 10)), rng.normal(size=n // 10)


def small(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (rng.normal(size=(n // 9, 3, 3)) + 3 * np.eye(3),)


def small_systems(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    return (*small(rng, n), rng.normal(size=(n // 9, 3, 1)))


def bands(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    below, above = rng.normal(size=n), rng.normal(size=n)
    return below, rng.normal(size=n) + 4, above, rng.normal(size=n)


def lu(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    import scipy.linalg

    a, b = system(rng, n)
    return (*scipy.linalg.lu_factor(a), b)


def _square(n: int) -> tuple[int, int]:
    return (math.isqrt(n), math.isqrt(n))


# -- ours ------------------------------------------------------------------------------------------

m, la = missing, linalg

OURS: dict[str, tuple[Draw, Callable[..., Any]]] = {
    "allclose": (copies, m.allclose),
    "angle": (complexes, m.angle),
    "argpartition": (floats, lambda x: m.argpartition(x, K)),
    "array_equal": (copies, m.array_equal),
    "at, add": (few_places, lambda x, i, v: m.at(x)[i].add(v)),
    "at, set": (few_places, lambda x, i, v: m.at(x)[i].set(v)),
    "at, set a slice": (floats, lambda x: m.at(x)[1:-1].set(0.0)),
    "bincount": (integers, m.bincount),
    "bincount, weights": (segments, lambda w, i: m.bincount(i, w)),
    "binned_statistic": (pair, lambda x, y: m.binned_statistic(x, y, "mean", 50)),
    "block_diag": (lambda r, n: matrices(r, n // 4), la.block_diag),
    "cho_factor": (definite, lambda a: la.cho_factor(a, lower=True)),
    "cho_solve": (definite_system, lambda c, b: la.cho_solve((c, True), b)),
    "circulant": (root, la.circulant),
    "compress": (flags, m.compress),
    "convolve": (kernel, m.convolve),
    "corrcoef": (series, m.corrcoef),
    "cov": (series, m.cov),
    "cumulative_trapezoid": (floats, m.cumulative_trapezoid),
    "deg2rad": (floats, m.deg2rad),
    "det": (matrix, la.det),
    "det, 3 x 3": (small, la.det),
    "diag_indices": (floats, lambda x: m.diag_indices(len(x), like=x)),
    "diff": (floats, m.diff),
    "digitize": (edges, m.digitize),
    "einsum": (matrices, lambda x, y: m.einsum("ij,jk->ik", x, y)),
    "einsum, sum": (pair, lambda x, y: m.einsum("i,i->", x, y)),
    "flatnonzero": (flags, lambda c, x: m.flatnonzero(c)),
    "geomspace": (floats, lambda x: m.geomspace(1.0, 1000.0, len(x), like=x)),
    "gradient": (floats, m.gradient),
    "hankel": (root, la.hankel),
    "eigh_tridiagonal": (
        lambda r, n: (r.normal(size=math.isqrt(n)), r.normal(size=math.isqrt(n) - 1)),
        lambda d, e: la.eigh_tridiagonal(d, e, True),
    ),
    "pinvh": (definite, la.pinvh),
    "solve_banded": (
        lambda r, n: (
            r.normal(size=(3, n)) + np.asarray([0.0, 4.0, 0.0])[:, None],
            r.normal(size=n),
        ),
        lambda ab, b: la.solve_banded((1, 1), ab, b),
    ),
    "histogram": (floats, lambda x: m.histogram(x, 50)),
    "histogram2d": (pair, lambda x, y: m.histogram2d(x, y, 20)),
    "histogramdd": (rows_of_points, lambda x: m.histogramdd(x, 20)),
    "interp": (points, m.interp),
    "intersect1d": (pairs_of_integers, m.intersect1d),
    "inv": (matrix, la.inv),
    "inv, 3 x 3": (small, la.inv),
    "isclose": (pair, m.isclose),
    "kron": (factors, m.kron),
    "lexsort": (lambda r, n: (*integers(r, n), *floats(r, n)), lambda a, b: m.lexsort((a, b))),
    "logspace": (floats, lambda x: m.logspace(0.0, 3.0, len(x), like=x)),
    "lstsq": (tall, lambda a, b: la.lstsq(a, b)[0]),
    "lu_factor": (matrix, la.lu_factor),
    "lu_solve": (lu, lambda f, p, b: la.lu_solve((f, p), b)),
    "median": (floats, m.median),
    "median, rows": (grid, lambda x: m.median(x, axis=-1)),
    "nan_to_num": (nans, m.nan_to_num),
    "nanargmax": (nans, m.nanargmax),
    "nanargmin": (nans, m.nanargmin),
    "nancumsum": (nans, m.nancumsum),
    "nanmax": (nans, m.nanmax),
    "nanmean": (nans, m.nanmean),
    "nanmedian": (nans, m.nanmedian),
    "nanmin": (nans, m.nanmin),
    "nanprod": (nans, m.nanprod),
    "nanquantile": (nans, lambda x: m.nanquantile(x, 0.3)),
    "nanstd": (nans, m.nanstd),
    "nansum": (nans, m.nansum),
    "nansum, rows": (grid, lambda x: m.nansum(x, axis=-1)),
    "nanvar": (nans, m.nanvar),
    "nonzero": (flags, lambda c, x: m.nonzero(c)),
    "one_hot": (lambda r, n: (r.integers(0, 100, n // 100),), lambda x: m.one_hot(x, 100)),
    "pad": (floats, lambda x: m.pad(x, K)),
    "pad, reflect": (floats, lambda x: m.pad(x, K, "reflect")),
    "partition": (floats, lambda x: m.partition(x, K)),
    "pinv": (lambda r, n: (r.normal(size=(n // 10, 10)),), la.pinv),
    "put": (few_places, m.put),
    "quantile": (floats, lambda x: m.quantile(x, 0.3)),
    "quantile, rows": (grid, lambda x: m.quantile(x, 0.3, axis=-1)),
    "rad2deg": (floats, m.rad2deg),
    "rankdata": (floats, m.rankdata),
    "ravel_multi_index": (places_in_100, lambda i, j: m.ravel_multi_index((i, j), (100, 100))),
    "repeat": (floats, lambda x: m.repeat(x, 3)),
    "repeat, counts": (lambda r, n: (*floats(r, n), r.integers(0, 4, n)), m.repeat),
    "rot90": (grid, m.rot90),
    "round": (floats, lambda x: m.round(x, 2)),
    "safe_divide": (positive, m.safe_divide),
    "safe_norm": (floats, m.safe_norm),
    "safe_sqrt": (positive, lambda x, y: m.safe_sqrt(x)),
    "searchsorted": (searched, m.searchsorted),
    "segment_max": (segments, lambda x, i: m.segment_max(x, i, SEGMENTS)),
    "segment_mean": (segments, lambda x, i: m.segment_mean(x, i, SEGMENTS)),
    "segment_min": (segments, lambda x, i: m.segment_min(x, i, SEGMENTS)),
    "segment_prod": (segments, lambda x, i: m.segment_prod(x, i, SEGMENTS)),
    "segment_sum": (segments, lambda x, i: m.segment_sum(x, i, SEGMENTS)),
    "select": (flags, lambda c, x: m.select([c, x > 1], [x, -x], 0.0)),
    "setdiff1d": (pairs_of_integers, m.setdiff1d),
    "simpson": (samples, m.simpson),
    "sinc": (floats, m.sinc),
    "sliding_window_view": (floats, lambda x: m.sliding_window_view(x, 5)),
    "solve": (system, la.solve),
    "solve, 3 x 3": (small_systems, la.solve),
    "solve_triangular": (definite_system, lambda a, b: la.solve_triangular(a, b, lower=True)),
    "take": (places, m.take),
    "take, clip": (places, lambda x, i: m.take(x, i, mode="clip")),
    "take_along_axis": (places, m.take_along_axis),
    "toeplitz": (root, la.toeplitz),
    "topk": (floats, lambda x: m.topk(x, K)),
    "trapezoid": (samples, m.trapezoid),
    "tridiagonal_solve": (bands, la.tridiagonal_solve),
    "tril_indices": (root, lambda x: m.tril_indices(len(x), like=x)),
    "triu_indices": (root, lambda x: m.triu_indices(len(x), like=x)),
    "union1d": (pairs_of_integers, m.union1d),
    "unique": (integers, m.unique),
    "unravel_index": (integers, lambda i: m.unravel_index(i, (10, 10))),
    "unwrap": (angles, m.unwrap),
    "xlogy": (positive, m.xlogy),
}

# Where the size of the result depends on values, which jax.jit needs to be told.
SIZED: dict[str, Callable[..., Any]] = {
    "bincount": lambda x: m.bincount(x, length=100),
    "bincount, weights": lambda w, i: m.bincount(i, w, length=SEGMENTS),
    "compress": lambda c, x: m.compress(c, x, size=len(x)),
    "flatnonzero": lambda c, x: m.flatnonzero(c, size=len(c)),
    "intersect1d": lambda x, y: m.intersect1d(x, y, size=100),
    "nonzero": lambda c, x: m.nonzero(c, size=len(c)),
    "repeat, counts": lambda x, r: m.repeat(x, r, total_repeat_length=2 * len(x)),
    "setdiff1d": lambda x, y: m.setdiff1d(x, y, size=100),
    "ravel_multi_index": lambda i, j: m.ravel_multi_index((i, j), (100, 100), "clip"),
    "union1d": lambda x, y: m.union1d(x, y, size=200),
    "unique": lambda x: m.unique(x, size=100),
}


# -- lines -----------------------------------------------------------------------------------------

PEERS: dict[str, tuple[str, Callable[[], Peers]]] = {
    "numpy": ("numpy", numpy_peers),
    "torch": ("torch", torch_peers),
    "jax": ("jax.numpy", jax_peers),
}
LIMIT = {"numpy": "1.2 + 1 µs"}


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per library, function and size: label, peer, ours, theirs, inputs, limit."""
    known = {name.partition(",")[0] for name in OURS} | set(NO_LINE)
    for name in sorted({*missing.__all__, *linalg.__all__} - known):
        raise LookupError(f"{name} has no line in ci/benchmarks/bench_missing.py")
    sizes = (1000,) if quick else (1000, 1_000_000)
    for library, (to, wait) in libraries.items():
        if library not in PEERS:
            continue
        module, make = PEERS[library]
        peers = make()
        for name, (draw, ours) in OURS.items():
            if name not in peers:
                continue
            peer = peers[name]
            if isinstance(peer, tuple):
                words, theirs = peer
            else:
                words, theirs = f"{module}.{_root(name)}", peer
            if library == "jax":
                ours = SIZED.get(name, ours)
            for n in sizes:
                if n > 1e5 and (name, library) in TOO_LONG:
                    print(f"not run: {name}, {library}: {TOO_LONG[name, library]}", file=sys.stderr)
                    continue
                for dtype in ("float64", "float32")[: 2 if library == "torch" and n > 1e3 else 1]:
                    pairs = _jitted(ours, theirs) if library == "jax" else (ours, theirs)
                    label = f"{name}, {library}{', jitted' * (library == 'jax')}, {dtype}, n = {n}"
                    rng = np.random.default_rng(n)
                    inputs = [
                        tuple(to(_cast(x, dtype)) for x in draw(rng, n))
                        for _ in range(4 if n < 1e5 else 2)
                    ]
                    a, b = (_waiting(f, wait if library != "numpy" else None) for f in pairs)
                    yield label, words, a, b, inputs, LIMIT.get(library, "1.3")


def _root(name: str) -> str:
    name = name.partition(",")[0]
    return (
        f"linalg.{name}" if name in ("det", "inv", "lstsq", "lu_factor", "pinv", "solve") else name
    )


def _cast(x: Any, dtype: str) -> Any:
    if dtype == "float64" or x.dtype.kind not in "fc":
        return x
    return x.astype(dtype if x.dtype.kind == "f" else "complex64")


def _jitted(*funcs: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    import jax

    return tuple(jax.jit(lambda *args, f=f: f(*args)) for f in funcs)


def _waiting(func: Callable[..., Any], wait: Callable[[Any], Any] | None) -> Callable[..., Any]:
    if wait is None:
        return lambda args: func(*args)

    def run(args: Any) -> Any:
        out = func(*args)
        while isinstance(out, tuple | list):
            out = out[0]
        return wait(out) if hasattr(out, "dtype") else out

    return run
