"""A call, or several, for each name of NumPy's that the interpreter follows.

Each is a function of one array (3, 4); `np` is NumPy, `P` a positive, `B` another of that shape.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

__all__ = ["CALLS", "DISCRETE", "B", "P", "X"]

X = np.random.default_rng(0).normal(size=(3, 4))
B = np.random.default_rng(1).normal(size=(3, 4))
P = np.abs(B) + 0.5
LINE = np.asarray([-1.5, -0.2, 0.3, 1.1])
Call = Callable[[Any], Any]
# Those whose results are whole numbers, truths or constants: no derivative.
DISCRETE = frozenset(
    """all any around round argmax argmin argpartition argsort argwhere can_cast count_nonzero digitize
    empty_like equal greater greater_equal histogram histogram2d bincount
    iscomplex iscomplexobj isclose isfinite isin isinf isnan isneginf isposinf isreal isrealobj
    allclose array_equal bitwise_and bitwise_or bitwise_xor invert left_shift less less_equal lexsort
    linalg.matrix_rank logical_and logical_not logical_or logical_xor nanargmax nanargmin ndim
    nonzero flatnonzero not_equal ones_like ravel_multi_index result_type right_shift
    searchsorted shape signbit size unravel_index zeros_like""".split()
)


def _named(name: str, where: Any = np) -> Any:
    return getattr(where, name)


def whole(x: Any) -> Any:
    return np.astype(np.floor(x * 3), np.int64)


def square(x: Any) -> Any:
    return x[:, :3] + 3 * np.eye(3)


def symmetric(x: Any) -> Any:
    return square(x) @ square(x).T


def holes(x: Any) -> Any:
    return np.where(B > 1.0, np.nan, x)


def _of_one(name: str, inside: Callable[[Any], Any] = lambda x: x) -> list[Call]:
    function = getattr(np, name)
    return [lambda x: function(inside(x))]


def _of_two(name: str, inside: Callable[[Any], Any] = lambda x: x) -> list[Call]:
    """Of arrays, with NumPy's own left and right, and of a number."""
    f = getattr(np, name)
    return [
        lambda x: f(inside(x), inside(x[::-1])),
        lambda x: f(inside(x), inside(B)),
        lambda x: f(inside(B), inside(x)),
        lambda x: f(inside(x), 2),
    ]


def _positive(x: Any) -> Any:
    return abs(x) + 0.5


def _small(x: Any) -> Any:
    return np.tanh(x) * 0.9


_LINALG: dict[str, list[Call]] = {
    "linalg.solve": [
        lambda x: np.linalg.solve(square(x), x),
        lambda x: np.linalg.solve(square(B), x[:, 0]),
        lambda x: np.linalg.solve(square(x), B),
    ],
    "linalg.inv": [lambda x: np.linalg.inv(square(x))],
    "linalg.det": [lambda x: np.linalg.det(square(x))],
    "linalg.slogdet": [lambda x: np.linalg.slogdet(square(x)).logabsdet],
    "linalg.eig": [lambda x: np.abs(np.linalg.eig(symmetric(x))[0]).sum()],
    "linalg.eigvals": [lambda x: (np.linalg.eigvals(symmetric(x)) ** 2).sum().real],
    "linalg.eigh": [
        lambda x: np.linalg.eigh(symmetric(x))[0],
        lambda x: np.linalg.eigh(symmetric(x), UPLO="U")[0],
    ],
    "linalg.eigvalsh": [
        lambda x: np.linalg.eigvalsh(square(x)),
        lambda x: np.linalg.eigvalsh(square(x), "U"),
    ],
    "linalg.svd": [
        lambda x: np.linalg.svd(x, full_matrices=False)[1],
        lambda x: np.linalg.svd(x, compute_uv=False),
    ],
    "linalg.svdvals": [lambda x: np.linalg.svdvals(x)],
    "linalg.qr": [
        lambda x: np.abs(np.linalg.qr(square(x))[1]),
        lambda x: np.abs(np.linalg.qr(square(x), "r")),
        lambda x: np.abs(np.linalg.qr(x, mode="r")),
    ],
    "linalg.cholesky": [
        lambda x: np.linalg.cholesky(symmetric(x)),
        lambda x: np.linalg.cholesky(symmetric(x), upper=True),
        lambda x: np.linalg.cholesky(square(x / 3)),
    ],
    "linalg.pinv": [lambda x: np.linalg.pinv(x), lambda x: np.linalg.pinv(x, rcond=1e-10)],
    "linalg.lstsq": [
        lambda x: np.linalg.lstsq(x.T, np.arange(4.0))[0],
        lambda x: np.linalg.lstsq(x.T, x[:2].T, rcond=None)[:2],
        lambda x: np.linalg.lstsq(x.T, x[0] ** 2)[1],
    ],
    "linalg.norm": [
        np.linalg.norm,
        lambda x: np.linalg.norm(x, axis=0),
        lambda x: np.linalg.norm(x, 1, axis=1, keepdims=True),
        lambda x: np.linalg.norm(x, "fro"),
        lambda x: np.linalg.norm(x, 2, (0, 1), True),
        lambda x: np.linalg.norm(x[0], np.inf),
        lambda x: np.linalg.norm(x[None], "nuc", axis=(2, 1)),
    ],
    "linalg.vector_norm": [lambda x: np.linalg.vector_norm(x, axis=1, ord=3)],
    "linalg.matrix_norm": [lambda x: np.linalg.matrix_norm(x, ord=1, keepdims=True)],
    "linalg.cond": [
        lambda x: np.linalg.cond(square(x)),
        lambda x: np.linalg.cond(square(x), 1),
        lambda x: np.linalg.cond(square(x), -2),
    ],
    "linalg.matrix_rank": [np.linalg.matrix_rank, lambda x: np.linalg.matrix_rank(x, 1e-3)],
    "linalg.matrix_power": [lambda x: np.linalg.matrix_power(square(x), 3)],
    "linalg.multi_dot": [lambda x: np.linalg.multi_dot([x, B.T, x, x[0]])],
    "linalg.matrix_transpose": [lambda x: np.linalg.matrix_transpose(x)],
    "linalg.matmul": [lambda x: np.linalg.matmul(x, B.T)],
    "linalg.tensordot": [lambda x: np.linalg.tensordot(x, B, axes=([0], [0]))],
    "linalg.vecdot": [lambda x: np.linalg.vecdot(x, B, axis=0)],
    "linalg.outer": [lambda x: np.linalg.outer(x[0], B[1])],
    "linalg.cross": [lambda x: np.linalg.cross(x, B, axis=0)],
    "linalg.diagonal": [lambda x: np.linalg.diagonal(x, offset=1)],
    "linalg.trace": [lambda x: np.linalg.trace(x, offset=-1)],
}
_FFT: dict[str, list[Call]] = {
    **{
        f"fft.{n}": [
            lambda x, n=n: _named(n, np.fft)(x),
            lambda x, n=n: _named(n, np.fft)(x, 6, axis=0, norm="ortho"),
        ]
        for n in "fft ifft rfft irfft hfft ihfft".split()
    },
    **{
        f"fft.{n}": [
            lambda x, n=n: _named(n, np.fft)(x),
            lambda x, n=n: _named(n, np.fft)(x, s=(2, 6), axes=(0, 1), norm="forward"),
        ]
        for n in "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split()
    },
    "fft.fftshift": [np.fft.fftshift, lambda x: np.fft.fftshift(x, axes=1)],
    "fft.ifftshift": [np.fft.ifftshift],
}
_ELEMENTWISE: dict[str, list[Call]] = {
    **{
        n: _of_one(n)
        for n in """absolute arctan arcsinh cbrt ceil conjugate cos cosh deg2rad degrees exp exp2
        expm1 fabs floor isfinite isinf isnan logical_not modf negative positive rad2deg radians
        reciprocal rint sign signbit sin sinh square tan tanh trunc fix sinc real imag angle
        isreal iscomplex isrealobj iscomplexobj isposinf isneginf""".split()
    },
    **{n: _of_one(n, _positive) for n in "log log10 log1p log2 sqrt".split()},
    **{n: _of_one(n, _small) for n in "arccos arcsin arctanh".split()},
    "arccosh": _of_one("arccosh", lambda x: _positive(x) + 1),
    "invert": _of_one("invert", whole),
    **{
        n: _of_two(n)
        for n in """add arctan2 copysign divide divmod equal floor_divide fmax fmin fmod greater
        greater_equal hypot less less_equal logaddexp logaddexp2 logical_and logical_or
        logical_xor maximum minimum multiply nextafter not_equal remainder subtract
        heaviside""".split()
    },
    "power": [*_of_two("power", _positive), lambda x: np.power(2.0, x)],
    "float_power": _of_two("float_power", _positive),
    **{n: _of_two(n, whole) for n in "bitwise_and bitwise_or bitwise_xor".split()},
    "left_shift": [lambda x: np.left_shift(whole(x), 2)],
    "right_shift": [lambda x: np.right_shift(whole(x), 1)],
    "matmul": [lambda x: np.matmul(x, x.T), lambda x: np.matmul(B.T, x), lambda x: B.T @ x],
    "vecdot": [lambda x: np.vecdot(x, B), lambda x: np.vecdot(x, B, axis=0)],
    "matvec": [lambda x: np.matvec(x, x[0]), lambda x: np.matvec(B, x[1])],
    "vecmat": [lambda x: np.vecmat(x[:, 0], B), lambda x: np.vecmat(B[:, 0], x)],
    "clip": [
        lambda x: np.clip(x, -0.5, 0.5),
        lambda x: np.clip(x, None, B),
        lambda x: np.clip(B, x[0], 2.0),
        lambda x: np.clip(x, min=0.1),
    ],
    "where": [
        lambda x: np.where(x > 0, x, 0.0),
        lambda x: np.where(B > 0, x, B),
        lambda x: np.where(whole(x), x, [1.0, 2.0, 3.0, 4.0]),
        lambda x: np.where(x > 0, 1.5, 2),
    ],
    "select": [lambda x: np.select([x > 1, B > 0], [x**2, B * x], default=-1.0)],
    "piecewise": [
        lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda v: v**3, lambda v: np.sqrt(v)]),
        lambda x: np.piecewise(B, [x[0, 0] > B], [lambda v: v * x[0, 0], 2.0]),
    ],
    "round": [lambda x: np.round(x, 1), lambda x: np.round(x)],
    "around": [lambda x: np.around(x, decimals=2)],
    "nan_to_num": [lambda x: np.nan_to_num(holes(x), nan=1.5)],
    "isclose": [lambda x: np.isclose(x, x + 1e-9), lambda x: np.isclose(x, B, atol=0.5)],
    "allclose": [lambda x: np.allclose(x, B)],
    "array_equal": [lambda x: np.array_equal(x, x)],
    "astype": [lambda x: np.astype(x, np.complex128)],
    "copy": [np.copy],
}
_REDUCTIONS: dict[str, list[Call]] = {
    **{
        n: [
            lambda x, n=n: _named(n)(x),
            lambda x, n=n: _named(n)(x, axis=0),
            lambda x, n=n: _named(n)(x, 1, keepdims=True),
        ]
        for n in """all any amax amin max min sum prod mean std var ptp median argmax argmin
        count_nonzero average""".split()
    },
    **{
        n: [
            lambda x, n=n: _named(n)(holes(x)),
            lambda x, n=n: _named(n)(holes(x), axis=1, keepdims=True),
        ]
        for n in "nanmax nanmin nansum nanprod nanmean nanstd nanvar nanmedian".split()
    },
    **{
        n: [lambda x, n=n: _named(n)(holes(x)), lambda x, n=n: _named(n)(holes(x), 1)]
        for n in "nanargmax nanargmin nancumsum nancumprod".split()
    },
    "cumsum": [np.cumsum, lambda x: np.cumsum(x, axis=1)],
    "cumprod": [np.cumprod, lambda x: np.cumprod(x, 0)],
    "cumulative_sum": [lambda x: np.cumulative_sum(x, axis=1, include_initial=True)],
    "cumulative_prod": [lambda x: np.cumulative_prod(x, axis=1)],
    "percentile": [
        lambda x: np.percentile(x, 30),
        lambda x: np.percentile(x, [20.0, 70.0], axis=0, keepdims=True),
    ],
    "quantile": [lambda x: np.quantile(x, 0.3, axis=1), lambda x: np.quantile(x, [0.1, 0.6])],
    "nanpercentile": [lambda x: np.nanpercentile(holes(x), 40, axis=1)],
    "nanquantile": [lambda x: np.nanquantile(holes(x), [0.2, 0.8])],
    "cov": [np.cov, lambda x: np.cov(x[0], B[0], ddof=0)],
    "corrcoef": [np.corrcoef],
    "histogram": [lambda x: np.histogram(x, bins=3, range=(-2.0, 2.0))],
    "histogram2d": [lambda x: np.histogram2d(x[0], x[1], bins=[LINE, LINE])[0]],
    "bincount": [lambda x: np.bincount(whole(abs(x[0])), minlength=12)],
    "digitize": [lambda x: np.digitize(x, LINE)],
    "sort": [np.sort, lambda x: np.sort(x, axis=0), lambda x: np.sort(x, axis=None)],
    "argsort": [np.argsort, lambda x: np.argsort(x, axis=None), lambda x: np.argsort(x, 0)],
    "partition": [lambda x: np.sort(np.partition(x, 1)[:, :2])],
    "argpartition": [lambda x: np.sort(np.argpartition(x, 1)[:, :2])],
    "lexsort": [lambda x: np.lexsort((x[0], whole(x[1])))],
    "searchsorted": [
        lambda x: np.searchsorted(LINE, x),
        lambda x: np.searchsorted(np.sort(x[0]), B[0], side="right"),
    ],
    "unique": [
        np.unique,
        lambda x: np.unique(x[0], return_inverse=True, return_counts=True),
    ],
    "isin": [lambda x: np.isin(whole(x), [0, 1]), lambda x: np.isin(x, x[0], invert=True)],
    "intersect1d": [lambda x: np.intersect1d(x[0], x)],
    "union1d": [lambda x: np.union1d(x[0], x[1])],
    "setdiff1d": [lambda x: np.setdiff1d(x[0], x[1])],
    "nonzero": [lambda x: np.nonzero(x > 0)],
    "flatnonzero": [lambda x: np.flatnonzero(x > 0)],
    "argwhere": [lambda x: np.argwhere(x > 0)],
    "compress": [lambda x: np.compress([True, False, True], x, axis=0)],
    "extract": [lambda x: np.extract(B > 0, x)],
    "take": [
        lambda x: np.take(x, [1, 0, 1], axis=0),
        lambda x: np.take(x, 5),
        lambda x: np.take(x, [7, -2], axis=1, mode="clip"),
    ],
    "take_along_axis": [lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1)],
    "repeat": [lambda x: np.repeat(x, 2), lambda x: np.repeat(x, [1, 2, 0], axis=0)],
    "ravel_multi_index": [
        lambda x: np.ravel_multi_index((whole(abs(x[0])) % 3, whole(abs(x[1])) % 4), (3, 4))
    ],
    "unravel_index": [lambda x: np.unravel_index(whole(abs(x[0])) % 12, (3, 4))],
}
_PRODUCTS: dict[str, list[Call]] = {
    "dot": [
        lambda x: np.dot(x[0], x[1]),
        lambda x: np.dot(x, B.T),
        lambda x: np.dot(B, x[0]),
        lambda x: np.dot(x[None], B.T[None]),
        lambda x: np.dot(x[None], B[0]),
        lambda x: np.dot(x, 3.0),
    ],
    "inner": [lambda x: np.inner(x, B), lambda x: np.inner(x[0], x[1])],
    "outer": [lambda x: np.outer(x, B), lambda x: np.outer(x[0], [1.0, 2.0])],
    "vdot": [lambda x: np.vdot(x, B), lambda x: np.vdot(x * (1 + 2j), B * 1j)],
    "tensordot": [
        lambda x: np.tensordot(x, B),
        lambda x: np.tensordot(x, B, axes=(0, 0)),
        lambda x: np.tensordot(x, x, axes=([1, 0], [1, 0])),
    ],
    "einsum": [
        lambda x: np.einsum("ij,kj->ik", x, B),
        lambda x: np.einsum("ij,ij", x, x, optimize=True),
        lambda x: np.einsum(B, [0, 1], x, [2, 1], [0, 2]),
    ],
    "kron": [lambda x: np.kron(x, B[:2, :2])],
    "cross": [
        lambda x: np.cross(x.T, B.T),
        lambda x: np.cross(x, B, axis=0),
        lambda x: np.cross(x, B[:, 0], axisa=0),
    ],
    "trace": [np.trace, lambda x: np.trace(x, 1)],
    "diagonal": [np.diagonal, lambda x: np.diagonal(x[None], -1, 1, 2)],
    "diag": [np.diag, lambda x: np.diag(x[0], 1), lambda x: np.diag(x[0], -2)],
    "diagflat": [np.diagflat],
    "tril": [np.tril, lambda x: np.tril(x, -1)],
    "triu": [np.triu, lambda x: np.triu(x, 1)],
    "vander": [lambda x: np.vander(x[0]), lambda x: np.vander(x[0], 3, increasing=True)],
    "convolve": [lambda x: np.convolve(x[0], B[1]), lambda x: np.convolve(B[1], x[0], "same")],
    "correlate": [
        lambda x: np.correlate(x[0], B[1, :2]),
        lambda x: np.correlate(x[0], B[1, :3], "full"),
        lambda x: np.correlate(x[0, :2], B[1], "full"),
        lambda x: np.correlate(x[0, :2], B[1]),
        lambda x: np.correlate(x[0], B[1, :3], "same"),
    ],
    "polyval": [lambda x: np.polyval([1.0, -2.0, 3.0], x), lambda x: np.polyval(x[0], B)],
}
_SHAPES: dict[str, list[Call]] = {
    "reshape": [
        lambda x: np.reshape(x, (2, -1)),
        lambda x: np.reshape(x, -1),
        lambda x: np.reshape(x, (6, 2), order="F"),
    ],
    "ravel": [np.ravel, lambda x: np.ravel(x, order="F")],
    "transpose": [np.transpose, lambda x: np.transpose(x[None], (1, 0, 2))],
    "permute_dims": [lambda x: np.permute_dims(x, (1, 0))],
    "matrix_transpose": [lambda x: np.matrix_transpose(x)],
    "swapaxes": [lambda x: np.swapaxes(x, 0, -1)],
    "moveaxis": [
        lambda x: np.moveaxis(x, 0, 1),
        lambda x: np.moveaxis(x[None], (0, 1), [-1, 0]),
    ],
    "rollaxis": [lambda x: np.rollaxis(x[None], 2), lambda x: np.rollaxis(x[None], 0, 2)],
    "expand_dims": [lambda x: np.expand_dims(x, 1), lambda x: np.expand_dims(x, (0, -1))],
    "squeeze": [lambda x: np.squeeze(x[None, :, None]), lambda x: np.squeeze(x[None], axis=0)],
    "broadcast_to": [lambda x: np.broadcast_to(x, (2, 3, 4))],
    "broadcast_arrays": [lambda x: np.broadcast_arrays(x, x[0], 2.0)],
    "tile": [lambda x: np.tile(x, 2), lambda x: np.tile(x, (2, 1, 3))],
    "roll": [lambda x: np.roll(x, 1), lambda x: np.roll(x, (1, -2), axis=(0, 1))],
    "flip": [np.flip, lambda x: np.flip(x, 0)],
    "fliplr": [np.fliplr],
    "flipud": [np.flipud],
    "rot90": [np.rot90, lambda x: np.rot90(x, 3)],
    "atleast_1d": [lambda x: np.atleast_1d(x[0, 0]), lambda x: np.atleast_1d(x, 1.0)],
    "atleast_2d": [lambda x: np.atleast_2d(x[0], x)],
    "atleast_3d": [lambda x: np.atleast_3d(x, x[0], x[0, 0])],
    "concatenate": [
        lambda x: np.concatenate([x, B]),
        lambda x: np.concatenate((x, x[:, :1]), axis=1),
        lambda x: np.concatenate([x, B], axis=None),
        lambda x: np.concatenate([x[0], [1.0, 2.0]]),
    ],
    "concat": [lambda x: np.concat([B, x], axis=1)],
    "stack": [lambda x: np.stack([x, B], axis=-1), lambda x: np.stack([x[0, 0], x[1, 1], 3.0])],
    "vstack": [lambda x: np.vstack([x, x[0]])],
    "hstack": [lambda x: np.hstack([x[0], x[0, 1]]), lambda x: np.hstack([x, B])],
    "dstack": [lambda x: np.dstack([x, B])],
    "column_stack": [lambda x: np.column_stack([x, x[:, 0]])],
    "append": [lambda x: np.append(x, [1.0]), lambda x: np.append(x, B, axis=1)],
    "split": [lambda x: np.split(x, 2, axis=1), lambda x: np.split(x, [1, 3], axis=1)],
    "array_split": [lambda x: np.array_split(x, 3, axis=1)],
    "hsplit": [lambda x: np.hsplit(x, 2)],
    "vsplit": [lambda x: np.vsplit(x, 3)],
    "dsplit": [lambda x: np.dsplit(x[None], 2)],
    "unstack": [lambda x: np.unstack(x, axis=1)],
    "delete": [lambda x: np.delete(x, 1, axis=0), lambda x: np.delete(x, [0, -1])],
    "insert": [
        lambda x: np.insert(x, 1, 5.0, axis=0),
        lambda x: np.insert(x, 0, x[:, 0], axis=1),
        lambda x: np.insert(x[0], 4, x[1, 1]),
        lambda x: np.insert(x, [3, 0, 3], x[:, :3] ** 2, axis=1),
        lambda x: np.insert(x, [2, -1], x[1], axis=0),
        lambda x: np.insert(x, slice(0, 3, 2), 7.0, axis=1),
        lambda x: np.insert(x, [1], x[:, 0], axis=1),
        lambda x: np.insert(x, np.asarray([5, 2]), x[0, :2]),
    ],
    "pad": [
        lambda x: np.pad(x, 1),
        lambda x: np.pad(x, ((1, 0), (0, 2)), mode="edge"),
        lambda x: np.pad(x, 1, "reflect"),
    ],
    "meshgrid": [
        lambda x: np.meshgrid(x[0], B[:, 0]),
        lambda x: np.meshgrid(x[0], x[1], indexing="ij"),
    ],
    "ix_": [lambda x: np.ix_(whole(x[0]), whole(x[1]))],
    "sliding_window_view": [lambda x: sliding_window_view(x, 2, axis=1)],
    "shape": [np.shape],
    "ndim": [np.ndim],
    "size": [np.size, lambda x: np.size(x, 1)],
    "result_type": [lambda x: np.result_type(x, np.float32)],
    "can_cast": [lambda x: np.can_cast(x.dtype, np.float32)],
    "zeros_like": [np.zeros_like, lambda x: np.zeros_like(x, dtype=int, shape=(2,))],
    "ones_like": [np.ones_like, lambda x: np.ones_like(x, shape=(2, 2))],
    "empty_like": [lambda x: np.empty_like(x) * 0],
    "full_like": [lambda x: np.full_like(x, 2.0), lambda x: np.full_like(x, x[0, 0])],
    "linspace": [
        lambda x: np.linspace(x[0, 0], 2.0, 5),
        lambda x: np.linspace(0, x[0], num=3, endpoint=False),
    ],
    "logspace": [lambda x: np.logspace(x[0, 0], 1.0, 4)],
    "geomspace": [lambda x: np.geomspace(abs(x[0, 0]), 7.0, 4)],
}
_CALCULUS: dict[str, list[Call]] = {
    "diff": [
        np.diff,
        lambda x: np.diff(x, 2, axis=0),
        lambda x: np.diff(x, axis=0, prepend=x[:1] * 2),
        lambda x: np.diff(x, prepend=0.0, append=np.float32(1)),
    ],
    "ediff1d": [np.ediff1d, lambda x: np.ediff1d(x, to_end=[1.0, 2.0], to_begin=0)],
    "gradient": [
        lambda x: np.gradient(x[0]),
        lambda x: np.gradient(x, 0.5, axis=1),
        lambda x: np.gradient(x, LINE, axis=1, edge_order=2),
    ],
    "interp": [
        lambda x: np.interp(x, LINE, B[0]),
        lambda x: np.interp(B, LINE, x[0], left=-1.0),
    ],
    "trapezoid": [lambda x: np.trapezoid(x), lambda x: np.trapezoid(x, LINE, axis=1)],
    "unwrap": [lambda x: np.unwrap(x * 4)],
}
CALLS = {**_ELEMENTWISE, **_REDUCTIONS, **_PRODUCTS, **_SHAPES, **_CALCULUS, **_LINALG, **_FFT}
