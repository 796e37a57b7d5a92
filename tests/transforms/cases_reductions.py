"""Reductions, cumulative functions, sorting, searching and products of arrays."""

from typing import Any

import numpy as np

from .cases import Case

_X = np.asarray([[-1.7, 0.4, 1.1], [0.8, 2.3, -0.6]])
_V = np.asarray([0.7, -1.2, 2.1, 0.4])
_Z = np.asarray([[0.4 - 1.1j, -1.3 + 0.6j, 1.6 + 0.3j], [1.2, 0.5j, -0.6 + 0.9j]])
_THREE = np.random.default_rng(5).normal(size=(2, 3, 2))
_TIES = np.asarray([[1.0, 2.0, 2.0], [2.0, -1.0, -1.0]])
_ZEROS = np.asarray([[0.0, 2.0, 3.0], [0.0, -1.0, 0.0]])


def _reductions() -> list[Case]:
    found = []
    for name in ("sum", "prod", "mean", "std", "var", "max", "min"):

        def whole(xp: Any, x: Any, name: str = name) -> Any:
            return getattr(xp, name)(x)

        def last(xp: Any, x: Any, name: str = name) -> Any:
            return getattr(xp, name)(x, axis=-1)

        def kept(xp: Any, x: Any, name: str = name) -> Any:
            return getattr(xp, name)(x, axis=0, keepdims=True) * x

        def two(xp: Any, x: Any, name: str = name) -> Any:
            return getattr(xp, name)(x, axis=(-1, 0)) ** 2

        found += [
            Case(name, whole, (_X,)),
            Case(name, last, (_X,), "axis=-1"),
            Case(name, kept, (_X,), "axis=0, keepdims"),
            Case(name, two, (_THREE,), "axis=(-1, 0)"),
        ]
    return found


def _times_x(name: str, *more: Any, **settings: Any) -> Any:
    """For results that are integers or booleans."""

    def fun(xp: Any, x: Any, *others: Any) -> Any:
        out = getattr(xp, name)(x, *others, **settings)
        return xp.astype(out, xp.float64) * xp.sum(x)

    return fun


def _of(name: str, **settings: Any) -> Any:
    return lambda xp, *x: getattr(xp, name)(*x, **settings)


def _products() -> list[Case]:
    a = np.random.default_rng(6).normal(size=(3, 2, 1, 2, 3))
    real = {
        "vectors": (_V, _V[::-1] + 0.3),
        "matrix, vector": (_X, _V[:3]),
        "vector, matrix": (_V[:2], _X),
        "matrices": (_X, _X.T * 0.3),
        "broadcast": (a[0, :, :, :, :], _THREE[:, :, :]),
        "stack, vector": (a[0, :, 0], _V[:3]),
        "vector, stack": (_V[:3], _THREE),
        "matrix, stack": (_X, _THREE),
    }
    found = [Case("matmul", lambda xp, x, y: x @ y, args, what) for what, args in real.items()]
    return [
        *found,
        Case("matmul", _of("matmul"), (_Z, _Z.T * (1 + 0.3j)), "complex"),
        Case("matmul", lambda xp, x: x @ xp.matrix_transpose(x), (_X,), "itself"),
        Case("matmul", _of("matmul"), (np.ones((2, 0)), np.ones((0, 2))), "empty"),
        Case("linalg.matmul", lambda xp, x, y: xp.linalg.matmul(x, y), (_X, _THREE)),
        Case("tensordot", _of("tensordot"), (_THREE, np.moveaxis(_THREE, 0, -1) * 0.5)),
        Case("tensordot", _of("tensordot", axes=1), (_X, _THREE[0]), "axes=1"),
        Case("tensordot", _of("tensordot", axes=0), (_V[:2], _X), "axes=0"),
        Case(
            "tensordot",
            lambda xp, x, y: xp.tensordot(x, y, axes=((2, 0), (1, -1))),
            (_THREE, a[0, :, 0, :, :2]),
            "pairs",
        ),
        Case(
            "tensordot",
            lambda xp, x, y: xp.tensordot(x, y, axes=((1,), (1,))),
            (_Z, _Z * (0.4 + 1j)),
            "complex",
        ),
        Case(
            "linalg.tensordot",
            lambda xp, x, y: xp.linalg.tensordot(x, y, axes=1),
            (_X, _THREE[0]),
        ),
        Case("vecdot", _of("vecdot"), (_X, _V[:3])),
        Case("vecdot", _of("vecdot", axis=-2), (_THREE, _X[0][:, None]), "axis=-2"),
        Case("vecdot", _of("vecdot"), (_Z, _Z[::-1] * (0.4 + 1j)), "complex"),
        Case("linalg.vecdot", lambda xp, x, y: xp.linalg.vecdot(x, y), (_X, _X + 0.2)),
    ]


_SORTED = np.asarray([-1.0, 0.0, 0.5, 2.0])

CASES: list[Case] = [
    *_reductions(),
    Case("sum", _of("sum"), (_Z,), "complex"),
    Case("sum", _of("sum"), (np.asarray(1.5),), "0-d"),
    Case("sum", _of("sum", axis=0), (np.ones((0, 2)),), "empty"),
    Case("sum", lambda xp, x: xp.sum(x, dtype=xp.complex128), (_X,), "dtype"),
    Case("mean", _of("mean", axis=0), (_Z,), "complex"),
    Case("prod", _of("prod"), (_Z,), "complex"),
    Case("prod", _of("prod", axis=1), (_ZEROS,), "zeros"),
    Case("prod", _of("prod"), (np.asarray(1.5),), "0-d"),
    Case("prod", _of("prod", axis=0), (np.ones((0, 2)),), "empty"),
    Case("prod", _of("prod", axis=()), (_X,), "axis=()"),
    Case("var", _of("var", correction=1, axis=1), (_X,), "correction"),
    Case("std", _of("std", correction=1.0, axis=0, keepdims=True), (_X,), "correction"),
    Case("max", _of("max", axis=-1), (_TIES,), "ties"),
    Case("max", _of("max"), (_TIES,), "ties, all"),
    Case("min", _of("min", axis=1, keepdims=True), (_TIES,), "ties"),
    Case("all", lambda xp, x: xp.where(xp.all(x > -1, axis=0), xp.sum(x), x), (_X,)),
    Case("any", lambda xp, x: xp.where(xp.any(x > 2, axis=1, keepdims=True), 2 * x, x), (_X,)),
    Case("argmax", _times_x("argmax"), (_X,)),
    Case("argmax", _times_x("argmax", axis=0, keepdims=True), (_X,), "axis=0, keepdims"),
    Case("argmin", _times_x("argmin", keepdims=True), (_X,), "keepdims"),
    Case("argmin", _times_x("argmin", axis=-1), (_X,), "axis=-1"),
    Case("count_nonzero", _times_x("count_nonzero", axis=1), (_ZEROS,)),
    Case("cumulative_sum", _of("cumulative_sum"), (_V,)),
    Case("cumulative_sum", _of("cumulative_sum", axis=0), (_Z,), "axis=0, complex"),
    Case("cumulative_sum", _of("cumulative_sum", axis=-1, include_initial=True), (_X,), "initial"),
    Case("cumulative_prod", _of("cumulative_prod"), (_V,)),
    Case("cumulative_prod", _of("cumulative_prod", axis=1), (_Z,), "axis=1, complex"),
    Case("cumulative_prod", _of("cumulative_prod", axis=0), (_THREE,), "axis=0"),
    Case(
        "cumulative_prod",
        _of("cumulative_prod", axis=-1),
        (np.asarray([[0.0, 2.0, 3.0, 1.5, 0.5], [1.2, 0.0, -1.0, 0.0, 2.0]]),),
        "zeros",
    ),
    Case(
        "cumulative_prod", _of("cumulative_prod", axis=-2, include_initial=True), (_X,), "initial"
    ),
    Case("sort", _of("sort"), (_X,)),
    Case("sort", _of("sort", axis=0, descending=True), (_THREE,), "axis=0, descending"),
    Case("sort", lambda xp, x: xp.sort(x * x, axis=1), (_TIES,), "ties"),
    Case("sort", lambda xp, x: xp.sort(x, axis=-1, stable=False) ** 2, (_X,), "not stable"),
    Case("argsort", _times_x("argsort"), (_X,)),
    Case("argsort", _times_x("argsort", axis=0, descending=True), (_THREE,), "axis=0, descending"),
    Case("searchsorted", _times_x("searchsorted"), (_SORTED, _X)),
    Case("searchsorted", _times_x("searchsorted", side="right"), (_SORTED, _SORTED), "right"),
    Case(
        "searchsorted",
        lambda xp, x, y, s: xp.astype(xp.searchsorted(x, y, sorter=s), xp.float64) * xp.sum(x),
        (_SORTED[::-1].copy(), _X, np.asarray([3, 2, 1, 0])),
        "sorter",
        batch=(1,),
    ),
    Case(
        "isin",
        lambda xp, x, a, b: xp.where(xp.isin(a, b), x, x * x),
        (_V, np.asarray([1, 2, 3, 4]), np.asarray([3, 1, 7])),
    ),
    Case(
        "isin",
        lambda xp, x, a, b: xp.where(xp.isin(a, b, invert=True), x, x * x),
        (_V, np.asarray([1, 2, 3, 4]), np.asarray([[3, 1], [7, 8]])),
        "invert",
    ),
    Case(
        "nonzero",
        lambda xp, x: x[xp.nonzero(x > 0)],
        (_V,),
        only=("jvp", "vjp", "second"),
        reason="how many there are depends on the values of a lane",
    ),
    Case(
        "linalg.matrix_rank",
        lambda xp, x: xp.astype(xp.linalg.matrix_rank(x), xp.float64) * xp.sum(x),
        (_X,),
        "times x",
    ),
    *_products(),
]
