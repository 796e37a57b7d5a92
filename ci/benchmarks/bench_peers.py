"""The functions that likewise.missing is measured against; see bench_missing.py.

Under the name of a line: the function, or a text and a function.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Peers = dict[str, Callable[..., Any] | tuple[str, Callable[..., Any]]]
SEGMENTS = 100
K = 10


def _put(x: Any, i: Any, v: Any) -> Any:
    out = x.copy()
    out[i] = v
    return out


def _slice(x: Any) -> Any:
    out = x.copy()
    out[1:-1] = 0
    return out


def _update(ufunc: Any) -> Callable[..., Any]:
    def at(x: Any, i: Any, v: Any) -> Any:
        out = x.copy()
        ufunc.at(out, i, v)
        return out

    return at


def _joined(ufunc: Any, initial: float) -> Callable[..., Any]:
    def join(x: Any, i: Any) -> Any:
        out = np.full(SEGMENTS, initial)
        ufunc.at(out, i, x)
        return out

    return join


def _topk(x: Any) -> Any:
    best = np.argpartition(-x, K - 1)[:K]
    best = best[np.argsort(-x[best], kind="stable")]
    return x[best], best


def _banded(a: Any, b: Any, c: Any, d: Any) -> Any:
    from scipy.linalg import solve_banded

    ab = np.zeros((3, len(b)))
    ab[0, 1:], ab[1], ab[2, :-1] = c[:-1], b, a[1:]
    return solve_banded((1, 1), ab, d)


def numpy_peers() -> Peers:
    import scipy.integrate
    import scipy.linalg
    import scipy.special
    import scipy.stats

    s, hand = scipy, "by hand"
    return {
        "allclose": np.allclose,
        "angle": np.angle,
        "argpartition": lambda x: np.argpartition(x, K),
        "array_equal": np.array_equal,
        "at, set": ("copy, x[i] = v", _put),
        "at, set a slice": ("copy, x[1:-1] = 0", _slice),
        "at, add": ("copy, numpy.add.at", _update(np.add)),
        "bincount": np.bincount,
        "bincount, weights": lambda w, i: np.bincount(i, w),
        "binned_statistic": (
            "scipy.stats.binned_statistic",
            lambda x, y: s.stats.binned_statistic(x, y, "mean", 50),
        ),
        "cho_factor": ("scipy.linalg.cho_factor", lambda a: s.linalg.cho_factor(a, lower=True)),
        "cho_solve": ("scipy.linalg.cho_solve", lambda c, b: s.linalg.cho_solve((c, True), b)),
        "compress": np.compress,
        "cumulative_trapezoid": s.integrate.cumulative_trapezoid,
        "deg2rad": np.deg2rad,
        "det": np.linalg.det,
        "det, 3 x 3": np.linalg.det,
        "digitize": np.digitize,
        "flatnonzero": lambda c, x: np.flatnonzero(c),
        "gradient": np.gradient,
        "histogram": lambda x: np.histogram(x, 50),
        "histogram2d": lambda x, y: np.histogram2d(x, y, 20),
        "histogramdd": lambda x: np.histogramdd(x, 20),
        "interp": np.interp,
        "inv": np.linalg.inv,
        "inv, 3 x 3": np.linalg.inv,
        "isclose": np.isclose,
        "kron": np.kron,
        "lexsort": lambda a, b: np.lexsort((a, b)),
        "lstsq": lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0],
        "lu_factor": ("scipy.linalg.lu_factor", s.linalg.lu_factor),
        "lu_solve": ("scipy.linalg.lu_solve", lambda f, p, b: s.linalg.lu_solve((f, p), b)),
        "median": np.median,
        "median, rows": lambda x: np.median(x, axis=-1),
        "nan_to_num": np.nan_to_num,
        "nanargmax": np.nanargmax,
        "nanargmin": np.nanargmin,
        "nancumsum": np.nancumsum,
        "nanmax": np.nanmax,
        "nanmean": np.nanmean,
        "nanmedian": np.nanmedian,
        "nanmin": np.nanmin,
        "nanprod": np.nanprod,
        "nanquantile": lambda x: np.nanquantile(x, 0.3),
        "nanstd": np.nanstd,
        "nansum": np.nansum,
        "nansum, rows": lambda x: np.nansum(x, axis=-1),
        "nanvar": np.nanvar,
        "nonzero": lambda c, x: np.nonzero(c),
        "pad": lambda x: np.pad(x, K),
        "pad, reflect": lambda x: np.pad(x, K, "reflect"),
        "partition": lambda x: np.partition(x, K),
        "put": ("copy, numpy.put", lambda x, i, v: (y := x.copy(), np.put(y, i, v))[0]),
        "quantile": lambda x: np.quantile(x, 0.3),
        "quantile, rows": lambda x: np.quantile(x, 0.3, axis=-1),
        "rad2deg": np.rad2deg,
        "rankdata": ("scipy.stats.rankdata", s.stats.rankdata),
        "repeat": lambda x: np.repeat(x, 3),
        "repeat, counts": np.repeat,
        "rot90": ("numpy.rot90, copied", lambda x: np.ascontiguousarray(np.rot90(x))),
        "safe_divide": (
            "numpy.divide(where=)",
            lambda x, y: np.divide(x, y, out=np.zeros_like(x), where=y != 0),
        ),
        "safe_norm": ("numpy.linalg.norm", np.linalg.norm),
        "safe_sqrt": ("numpy.sqrt", lambda x, y: np.sqrt(x)),
        "searchsorted": np.searchsorted,
        "segment_max": ("numpy.maximum.at", _joined(np.maximum, -math.inf)),
        "segment_mean": (
            "numpy.bincount, twice",
            lambda x, i: np.bincount(i, x, SEGMENTS) / np.bincount(i, minlength=SEGMENTS),
        ),
        "segment_min": ("numpy.minimum.at", _joined(np.minimum, math.inf)),
        "segment_prod": ("numpy.multiply.at", _joined(np.multiply, 1.0)),
        "segment_sum": ("numpy.bincount", lambda x, i: np.bincount(i, x, SEGMENTS)),
        "select": lambda c, x: np.select([c, x > 1], [x, -x], 0.0),
        "simpson": ("scipy.integrate.simpson", s.integrate.simpson),
        "sinc": np.sinc,
        "sliding_window_view": (
            "sliding_window_view, copied",
            lambda x: np.lib.stride_tricks.sliding_window_view(x, 5).copy(),
        ),
        "solve": np.linalg.solve,
        "solve, 3 x 3": np.linalg.solve,
        "solve_triangular": (
            "scipy.linalg.solve_triangular",
            lambda a, b: s.linalg.solve_triangular(a, b, lower=True),
        ),
        "take": np.take,
        "take, clip": lambda x, i: np.take(x, i, mode="clip"),
        "take_along_axis": lambda x, i: np.take_along_axis(x, i, -1),
        "topk": (f"numpy.argpartition {hand}", _topk),
        "trapezoid": np.trapezoid,
        "tridiagonal_solve": ("scipy.linalg.solve_banded", _banded),
        "unique": np.unique,
        "unwrap": np.unwrap,
        "xlogy": ("scipy.special.xlogy", s.special.xlogy),
        "block_diag": ("scipy.linalg.block_diag", s.linalg.block_diag),
        "circulant": ("scipy.linalg.circulant", s.linalg.circulant),
        "convolve": np.convolve,
        "corrcoef": np.corrcoef,
        "cov": np.cov,
        "diag_indices": lambda x: np.diag_indices(len(x)),
        "diff": np.diff,
        "einsum": lambda x, y: np.einsum("ij,jk->ik", x, y, optimize=True),
        "einsum, sum": lambda x, y: np.einsum("i,i->", x, y),
        "geomspace": lambda x: np.geomspace(1.0, 1000.0, len(x)),
        "hankel": ("scipy.linalg.hankel", s.linalg.hankel),
        "eigh_tridiagonal": (
            "scipy.linalg.eigh_tridiagonal",
            lambda d, e: s.linalg.eigh_tridiagonal(d, e, True),
        ),
        "pinvh": ("scipy.linalg.pinvh", s.linalg.pinvh),
        "solve_banded": (
            "scipy.linalg.solve_banded",
            lambda ab, b: s.linalg.solve_banded((1, 1), ab, b),
        ),
        "intersect1d": ("numpy.intersect1d", np.intersect1d),
        "logspace": lambda x: np.logspace(0.0, 3.0, len(x)),
        "one_hot": (f"numpy.equal {hand}", lambda x: (x[:, None] == np.arange(100)).astype(float)),
        "pinv": np.linalg.pinv,
        "ravel_multi_index": (
            "numpy.ravel_multi_index",
            lambda i, j: np.ravel_multi_index((i, j), (100, 100)),
        ),
        "round": lambda x: np.round(x, 2),
        "setdiff1d": ("numpy.setdiff1d", np.setdiff1d),
        "toeplitz": ("scipy.linalg.toeplitz", s.linalg.toeplitz),
        "tril_indices": lambda x: np.tril_indices(len(x)),
        "triu_indices": lambda x: np.triu_indices(len(x)),
        "union1d": ("numpy.union1d", np.union1d),
        "unravel_index": lambda i: np.unravel_index(i, (10, 10)),
    }


def torch_peers() -> Peers:
    import torch

    t = torch
    t.set_num_threads(1)  # where others use the cores as well, what it waits for is its threads

    def scattered(how: str, initial: float) -> Callable[..., Any]:
        def join(x: Any, i: Any) -> Any:
            return t.full((SEGMENTS,), initial, dtype=x.dtype).scatter_reduce(0, i, x, how)

        return join

    return {
        "allclose": t.allclose,
        "angle": t.angle,
        "array_equal": ("torch.equal", t.equal),
        "at, set": ("torch.index_put", lambda x, i, v: t.index_put(x, (i,), v)),
        "at, add": ("torch.index_add", lambda x, i, v: t.index_add(x, 0, i, v)),
        "bincount": t.bincount,
        "bincount, weights": lambda w, i: t.bincount(i, w),
        "cho_factor": ("torch.linalg.cholesky", t.linalg.cholesky),
        "cho_solve": (
            "torch.cholesky_solve",
            lambda c, b: t.cholesky_solve(b[:, None], c)[:, 0],
        ),
        "compress": ("x[c]", lambda c, x: x[c]),
        "cumulative_trapezoid": t.cumulative_trapezoid,
        "deg2rad": t.deg2rad,
        "det": t.linalg.det,
        "det, 3 x 3": t.linalg.det,
        "digitize": ("torch.bucketize", lambda x, b: t.bucketize(x, b, right=True)),
        "gradient": lambda x: t.gradient(x)[0],
        "inv": t.linalg.inv,
        "inv, 3 x 3": t.linalg.inv,
        "isclose": t.isclose,
        "kron": t.kron,
        "lstsq": lambda a, b: t.linalg.lstsq(a, b[:, None])[0],
        "lu_factor": t.linalg.lu_factor,
        "median": ("torch.quantile(0.5)", lambda x: t.quantile(x, 0.5)),
        "median, rows": ("torch.quantile(0.5)", lambda x: t.quantile(x, 0.5, dim=-1)),
        "nan_to_num": t.nan_to_num,
        "nanmean": t.nanmean,
        "nanmedian": ("torch.nanquantile(0.5)", lambda x: t.nanquantile(x, 0.5)),
        "nanquantile": lambda x: t.nanquantile(x, 0.3),
        "nansum": t.nansum,
        "nansum, rows": lambda x: t.nansum(x, dim=-1),
        "nonzero": lambda c, x: t.nonzero(c, as_tuple=True),
        "pad": ("torch.nn.functional.pad", lambda x: t.nn.functional.pad(x, (K, K))),
        "put": ("torch.index_put", lambda x, i, v: t.index_put(x, (i,), v)),
        "quantile": lambda x: t.quantile(x, 0.3),
        "quantile, rows": lambda x: t.quantile(x, 0.3, dim=-1),
        "rad2deg": t.rad2deg,
        "repeat": ("torch.repeat_interleave", lambda x: t.repeat_interleave(x, 3)),
        "repeat, counts": ("torch.repeat_interleave", t.repeat_interleave),
        "rot90": t.rot90,
        "safe_norm": ("torch.linalg.vector_norm", t.linalg.vector_norm),
        "safe_sqrt": ("torch.sqrt", lambda x, y: t.sqrt(x)),
        "searchsorted": t.searchsorted,
        "segment_max": ("scatter_reduce", scattered("amax", -math.inf)),
        "segment_mean": (
            "index_add, bincount",
            lambda x, i: (
                t.zeros(SEGMENTS, dtype=x.dtype).index_add(0, i, x)
                / t.bincount(i, minlength=SEGMENTS)
            ),
        ),
        "segment_min": ("scatter_reduce", scattered("amin", math.inf)),
        "segment_prod": ("scatter_reduce", scattered("prod", 1.0)),
        "segment_sum": (
            "index_add",
            lambda x, i: t.zeros(SEGMENTS, dtype=x.dtype).index_add(0, i, x),
        ),
        "sinc": t.sinc,
        "sliding_window_view": ("unfold, copied", lambda x: x.unfold(0, 5, 1).contiguous()),
        "solve": t.linalg.solve,
        "solve, 3 x 3": t.linalg.solve,
        "solve_triangular": lambda a, b: t.linalg.solve_triangular(a, b[:, None], upper=False),
        "take": ("torch.take", t.take),
        "take_along_axis": ("torch.take_along_dim", lambda x, i: t.take_along_dim(x, i, -1)),
        "topk": lambda x: t.topk(x, K),
        "trapezoid": t.trapezoid,
        "unique": t.unique,
        "xlogy": ("torch.xlogy", t.xlogy),
        "block_diag": t.block_diag,
        "corrcoef": t.corrcoef,
        "cov": t.cov,
        "diff": t.diff,
        "einsum": lambda x, y: t.einsum("ij,jk->ik", x, y),
        "einsum, sum": lambda x, y: t.einsum("i,i->", x, y),
        "logspace": lambda x: t.logspace(0, 3, len(x), dtype=x.dtype),
        "one_hot": (
            "torch.nn.functional.one_hot",
            lambda x: t.nn.functional.one_hot(x, 100).double(),
        ),
        "pinv": t.linalg.pinv,
        "round": lambda x: t.round(x, decimals=2),
        "tril_indices": lambda x: t.tril_indices(len(x), len(x)),
        "triu_indices": lambda x: t.triu_indices(len(x), len(x)),
        "unravel_index": lambda i: t.unravel_index(i, (10, 10)),
    }


def jax_peers() -> Peers:
    import jax
    import jax.numpy as jnp

    def segment(how: str) -> tuple[str, Callable[..., Any]]:
        func = getattr(jax.ops, "segment_" + how)
        return "jax.ops.segment_" + how, lambda x, i: func(x, i, SEGMENTS)

    slin = jax.scipy.linalg
    return {
        "allclose": jnp.allclose,
        "angle": jnp.angle,
        "argpartition": lambda x: jnp.argpartition(x, K),
        "array_equal": jnp.array_equal,
        "at, set": ("x.at[i].set", lambda x, i, v: x.at[i].set(v)),
        "at, set a slice": ("x.at[1:-1].set", lambda x: x.at[1:-1].set(0.0)),
        "at, add": ("x.at[i].add", lambda x, i, v: x.at[i].add(v)),
        "bincount": lambda x: jnp.bincount(x, length=100),
        "bincount, weights": lambda w, i: jnp.bincount(i, w, length=SEGMENTS),
        "cho_factor": ("jax.scipy.linalg", lambda a: slin.cho_factor(a, lower=True)),
        "cho_solve": ("jax.scipy.linalg", lambda c, b: slin.cho_solve((c, True), b)),
        "compress": lambda c, x: jnp.compress(c, x, size=len(x)),
        "deg2rad": jnp.deg2rad,
        "det": jnp.linalg.det,
        "det, 3 x 3": jnp.linalg.det,
        "digitize": jnp.digitize,
        "flatnonzero": lambda c, x: jnp.flatnonzero(c, size=len(c)),
        "gradient": jnp.gradient,
        "histogram": lambda x: jnp.histogram(x, 50),
        "histogram2d": lambda x, y: jnp.histogram2d(x, y, 20),
        "histogramdd": lambda x: jnp.histogramdd(x, 20)[0],
        "interp": jnp.interp,
        "inv": jnp.linalg.inv,
        "inv, 3 x 3": jnp.linalg.inv,
        "isclose": jnp.isclose,
        "kron": jnp.kron,
        "lexsort": lambda a, b: jnp.lexsort((a, b)),
        "lstsq": lambda a, b: jnp.linalg.lstsq(a, b)[0],
        "lu_factor": ("jax.scipy.linalg", slin.lu_factor),
        "lu_solve": ("jax.scipy.linalg", lambda f, p, b: slin.lu_solve((f, p), b)),
        "median": jnp.median,
        "median, rows": lambda x: jnp.median(x, axis=-1),
        "nan_to_num": jnp.nan_to_num,
        "nanargmax": jnp.nanargmax,
        "nanargmin": jnp.nanargmin,
        "nancumsum": jnp.nancumsum,
        "nanmax": jnp.nanmax,
        "nanmean": jnp.nanmean,
        "nanmedian": jnp.nanmedian,
        "nanmin": jnp.nanmin,
        "nanprod": jnp.nanprod,
        "nanquantile": lambda x: jnp.nanquantile(x, 0.3),
        "nanstd": jnp.nanstd,
        "nansum": jnp.nansum,
        "nansum, rows": lambda x: jnp.nansum(x, axis=-1),
        "nanvar": jnp.nanvar,
        "nonzero": lambda c, x: jnp.nonzero(c, size=len(c)),
        "pad": lambda x: jnp.pad(x, K),
        "pad, reflect": lambda x: jnp.pad(x, K, "reflect"),
        "partition": lambda x: jnp.partition(x, K),
        "put": lambda x, i, v: jnp.put(x, i, v, inplace=False),
        "quantile": lambda x: jnp.quantile(x, 0.3),
        "quantile, rows": lambda x: jnp.quantile(x, 0.3, axis=-1),
        "rad2deg": jnp.rad2deg,
        "rankdata": ("jax.scipy.stats.rankdata", jax.scipy.stats.rankdata),
        "repeat": lambda x: jnp.repeat(x, 3),
        "repeat, counts": lambda x, r: jnp.repeat(x, r, total_repeat_length=2 * len(x)),
        "rot90": jnp.rot90,
        "safe_norm": ("jnp.linalg.norm", jnp.linalg.norm),
        "safe_sqrt": ("jnp.sqrt", lambda x, y: jnp.sqrt(x)),
        "searchsorted": jnp.searchsorted,
        "segment_max": segment("max"),
        "segment_min": segment("min"),
        "segment_prod": segment("prod"),
        "segment_sum": segment("sum"),
        "select": lambda c, x: jnp.select([c, x > 1], [x, -x], 0.0),
        "sinc": jnp.sinc,
        "solve": jnp.linalg.solve,
        "solve, 3 x 3": jnp.linalg.solve,
        "solve_triangular": (
            "jax.scipy.linalg",
            lambda a, b: slin.solve_triangular(a, b, lower=True),
        ),
        "take": jnp.take,
        "take, clip": lambda x, i: jnp.take(x, i, mode="clip"),
        "take_along_axis": lambda x, i: jnp.take_along_axis(x, i, -1),
        "topk": ("jax.lax.top_k", lambda x: jax.lax.top_k(x, K)),
        "trapezoid": jnp.trapezoid,
        "tridiagonal_solve": (
            "jax.lax.linalg",
            lambda a, b, c, d: jax.lax.linalg.tridiagonal_solve(a, b, c, d[:, None])[:, 0],
        ),
        "unique": lambda x: jnp.unique(x, size=100),
        "unwrap": jnp.unwrap,
        "xlogy": ("jax.scipy.special", jax.scipy.special.xlogy),
        "block_diag": ("jax.scipy.linalg", slin.block_diag),
        "convolve": jnp.convolve,
        "corrcoef": jnp.corrcoef,
        "cov": jnp.cov,
        "diff": jnp.diff,
        "einsum": lambda x, y: jnp.einsum("ij,jk->ik", x, y),
        "einsum, sum": lambda x, y: jnp.einsum("i,i->", x, y),
        "geomspace": lambda x: jnp.geomspace(1.0, 1000.0, len(x)),
        "intersect1d": lambda x, y: jnp.intersect1d(x, y, size=100),
        "logspace": lambda x: jnp.logspace(0.0, 3.0, len(x)),
        "one_hot": ("jax.nn.one_hot", lambda x: jax.nn.one_hot(x, 100, dtype="float64")),
        "pinv": jnp.linalg.pinv,
        "ravel_multi_index": lambda i, j: jnp.ravel_multi_index((i, j), (100, 100), mode="clip"),
        "round": lambda x: jnp.round(x, 2),
        "setdiff1d": lambda x, y: jnp.setdiff1d(x, y, size=100),
        "toeplitz": ("jax.scipy.linalg", slin.toeplitz),
        "tril_indices": lambda x: jnp.tril_indices(len(x)),
        "triu_indices": lambda x: jnp.triu_indices(len(x)),
        "union1d": lambda x, y: jnp.union1d(x, y, size=200),
        "unravel_index": lambda i: jnp.unravel_index(i, (10, 10)),
    }
