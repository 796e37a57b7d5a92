"""What moves, picks and joins elements."""

from typing import Any

import numpy as np

from likewise.missing import at

from .cases import Case

__all__ = ["CASES"]

_RNG = np.random.default_rng(4)


def _real(*shape: int) -> np.ndarray:
    return np.asarray(_RNG.normal(size=shape))


def _complex(*shape: int) -> np.ndarray:
    return _real(*shape) + 1j * _real(*shape)


def _ints(*values: Any) -> np.ndarray:
    return np.asarray(values)


def _axes(xp: Any, *axes: int) -> tuple[int, ...]:
    """JAX takes no negative ones here."""
    return tuple(a % len(axes) for a in axes) if xp.__name__ == "jax.numpy" else axes


def _put(x: Any, index: Any, value: Any) -> Any:
    """JAX's own where the reference is computed."""
    return x.at[index].set(value) if hasattr(x, "at") else at(x)[index].set(value)


def _add(x: Any, index: Any, value: Any) -> Any:
    return x.at[index].add(value) if hasattr(x, "at") else at(x)[index].add(value)


_A, _B, _V = _real(2, 3), _real(2, 3), _real(3)
_C = _real(2, 3, 2)
_SQUARE = _real(3, 3)
_MASK = np.asarray([True, False, True])


def _case(name: str, fun: Any, *args: Any, **more: Any) -> Case:
    return Case(name, fun, args, **more)


CASES: list[Case] = [
    # moved
    _case("reshape", lambda xp, x: xp.sin(xp.reshape(x, (3, -1))), _A),
    _case("reshape", lambda xp, x: xp.reshape(x, (6,)), _complex(2, 3), label="complex"),
    _case("reshape", lambda xp, x: xp.reshape(x, (0, -1 + 3)), _real(0, 2), label="empty"),
    _case("reshape", lambda xp, x: xp.reshape(x, (1, 1)), _real(), label="scalar"),
    _case("permute_dims", lambda xp, x: xp.square(xp.permute_dims(x, (2, 0, 1))), _C),
    _case("permute_dims", lambda xp, x: xp.permute_dims(x, _axes(xp, -1, 0, -2)), _C, label="negative"),
    _case("moveaxis", lambda xp, x: xp.moveaxis(x, 0, -1), _C),
    _case("moveaxis", lambda xp, x: xp.moveaxis(x, (0, 1), (-1, 0)), _C, label="several"),
    _case("matrix_transpose", lambda xp, x: xp.matrix_transpose(x) ** 2, _C),
    _case("linalg.matrix_transpose", lambda xp, x: xp.linalg.matrix_transpose(x), _A),
    _case("expand_dims", lambda xp, x: xp.expand_dims(x, axis=0), _A),
    _case("expand_dims", lambda xp, x: xp.expand_dims(x, axis=-1), _A, label="last"),
    _case("squeeze", lambda xp, x: xp.squeeze(x, axis=1), _real(2, 1, 3)),
    _case("squeeze", lambda xp, x: xp.squeeze(x, axis=(0, -1)), _real(1, 2, 1), label="several"),
    _case("broadcast_to", lambda xp, x: xp.exp(xp.broadcast_to(x, (3, 2, 3))), _A),
    _case("broadcast_to", lambda xp, x: xp.broadcast_to(x, (2, 3)), _real(2, 1), label="inner"),
    _case("broadcast_to", lambda xp, x: xp.broadcast_to(x, (2, 2)), _real(), label="scalar"),
    _case("broadcast_arrays", lambda xp, x, y: tuple(xp.broadcast_arrays(x, y)), _A, _V),
    _case("meshgrid", lambda xp, x, y: tuple(xp.meshgrid(x, y)), _V, _real(2)),
    _case(
        "meshgrid", lambda xp, x, y: tuple(xp.meshgrid(x, y, indexing="ij")), _V, _real(2), label="ij"
    ),
    _case("flip", lambda xp, x: xp.flip(x), _A),
    _case("flip", lambda xp, x: xp.flip(x, axis=-2), _C, label="axis"),
    _case("flip", lambda xp, x: xp.flip(x, axis=(0, 1)), _C, label="axes"),
    _case("roll", lambda xp, x: xp.roll(x, 2), _A),
    _case("roll", lambda xp, x: xp.roll(x, -1, axis=1), _A, label="axis"),
    _case("roll", lambda xp, x: xp.roll(x, (1, 2), axis=(0, -1)), _A, label="axes"),
    _case("tile", lambda xp, x: xp.tile(x, (2, 3)), _A),
    _case("tile", lambda xp, x: xp.tile(x, (2, 1, 2)), _V, label="more dimensions"),
    _case("tile", lambda xp, x: xp.tile(x, (2,)), _A, label="fewer dimensions"),
    _case("repeat", lambda xp, x: xp.repeat(x, 2), _A),
    _case("repeat", lambda xp, x: xp.repeat(x, 3, axis=0), _A, label="axis"),
    _case(
        "repeat",
        lambda xp, x, r: xp.repeat(x, r, axis=-1) ** 2,
        _A,
        _ints(2, 0, 1),
        label="array",
        batch=(0,),
    ),
    _case(
        "repeat", lambda xp, x, r: xp.repeat(x, r), _V, _ints(1, 2, 0), label="array, flat", batch=(0,)
    ),
    # joined and parted
    _case("concat", lambda xp, x, y: xp.concat([x, y * y]), _A, _real(1, 3)),
    _case("concat", lambda xp, x, y: xp.concat([x, y, x], axis=-1), _A, _real(2, 1), label="axis"),
    _case("concat", lambda xp, x, y: xp.concat([x, y], axis=None), _A, _V, label="flat"),
    _case("concat", lambda xp, x, y: xp.concat([x, y]), _V, _complex(2), label="dtypes"),
    _case("stack", lambda xp, x, y: xp.stack([x, y * x]), _A, _B),
    _case("stack", lambda xp, x, y: xp.stack([x, y], axis=-1), _A, _B, label="axis"),
    _case("unstack", lambda xp, x: tuple(xp.unstack(x)), _A),
    _case("unstack", lambda xp, x: xp.unstack(x, axis=-1)[1] ** 2, _A, label="one"),
    _case("tril", lambda xp, x: xp.tril(x) ** 2, _C),
    _case("tril", lambda xp, x: xp.tril(x, k=-1), _SQUARE, label="k"),
    _case("triu", lambda xp, x: xp.triu(x), _C),
    _case("triu", lambda xp, x: xp.triu(x, k=1), _SQUARE, label="k"),
    _case("diff", lambda xp, x: xp.diff(x) ** 2, _A),
    _case("diff", lambda xp, x: xp.diff(x, axis=0, n=2), _real(4, 2), label="n"),
    _case("diff", lambda xp, x: xp.diff(x, n=3), _V, label="n too large"),
    _case(
        "diff",
        lambda xp, x, a, b: xp.diff(x, prepend=a, append=b * b),
        _A,
        _real(2, 1),
        _real(2, 2),
        label="prepend and append",
    ),
    _case(
        "diff",
        lambda xp, x, a, b: xp.diff(x, n=0, prepend=a, append=b) ** 2,
        _A,
        _real(2, 2),
        _real(2, 1),
        label="n of 0 joins nothing",
    ),
    _case("diff", lambda xp, x, b: xp.diff(x, axis=0, append=b), _A, _real(1, 3), label="append"),
    _case("linspace", lambda xp, x, y: xp.linspace(x, y * y, 5, dtype=x.dtype) ** 2, _real(), _real()),
    _case("linspace", lambda xp, x, y: xp.linspace(x, y, 4, dtype=x.dtype, endpoint=False), _real(), _real(), label="open"),
    _case("linspace", lambda xp, x: xp.linspace(x, 3.0, 1, dtype=x.dtype), _real(), label="one"),
    # picked
    _case("getitem", lambda xp, x: x[1, ...] ** 2, _A, label="integer"),
    _case("getitem", lambda xp, x: x[-1, -2], _complex(2, 3), label="integers"),
    _case("getitem", lambda xp, x: x[:, 0:3:2] ** 2, _A, label="step"),
    _case("getitem", lambda xp, x: x[..., 1:, None], _A, label="None and Ellipsis"),
    _case("getitem", lambda xp, x: x[...] * x, _V, label="everything"),
    _case("getitem", lambda xp, x: x[2:1], _V, label="empty"),
    _case("getitem", lambda xp, x, i: x[i] ** 2, _V, _ints(0, 2, 0, -1), label="integer array"),
    _case(
        "getitem",
        lambda xp, x, i, j: x[i, j] ** 2,
        _A,
        _ints([0], [1]),
        _ints(2, 2, -1),
        label="integer arrays",
    ),
    _case("getitem", lambda xp, x, i: x[i, 1, i], _C, _ints(1, 0, 1), label="array and integer"),
    _case("getitem", lambda xp, x, i: x[i], _V, np.asarray(2), label="array of no dimensions"),
    _case("getitem", lambda xp, x, m: x[m] ** 2, _V, _MASK, label="mask", batch=(0,)),
    _case("getitem", lambda xp, x, m: x[m], _A, np.asarray(_A > 0), label="mask 2-D", batch=(0,)),
    _case("setitem", lambda xp, x, v: _put(x, (0, ...), v * v), _A, _V, label="integer"),
    _case("setitem", lambda xp, x, v: _put(x, (0, 1), v), _A, _real(), label="integers"),
    _case("setitem", lambda xp, x, v: _put(x, (slice(None), slice(1, 3)), v) ** 2, _A, _real(2, 1), label="slices"),
    _case("setitem", lambda xp, x: _put(x, slice(1, None), 0.0) ** 2, _V, label="number"),
    _case("setitem", lambda xp, x, v, i: _put(x, i, v) ** 2, _V, _real(2), _ints(2, 0), label="array"),
    _case("setitem", lambda xp, x, v, i, j: _put(x, (i, j), v), _A, _real(2), _ints(0, 1), _ints(0, 2), label="arrays"),
    _case("setitem", lambda xp, x, v, m: _put(x, m, v * v), _V, _real(), _MASK, label="mask"),
    _case(
        "setitem",
        lambda xp, x, v, m: _put(x, m, v) ** 2,
        _V,
        _real(2),
        _MASK,
        label="mask and values",
        batch=(0, 1),
    ),
    _case("index_add", lambda xp, x, v, i: _add(x, i, v * v), _V, _real(4), _ints(2, 0, 2, -1), label="duplicates"),
    _case("index_add", lambda xp, x, v: _add(x, (slice(None), slice(0, 2)), v), _A, _real(2), label="slices"),
    _case("index_add", lambda xp, x, v, i, j: _add(x, (i, j), v), _A, _real(3), _ints(0, 1, 0), _ints(1, 1, 1), label="arrays"),
    _case("index_add", lambda xp, x, v, m: _add(x, m, v), _V, _real(), _MASK, label="mask"),
    _case("take", lambda xp, x, i: xp.take(x, i, axis=1) ** 2, _A, _ints(2, 0, 2)),
    _case("take", lambda xp, x, i: xp.take(x, i), _V, _ints(1, 1), label="vector"),
    _case("take", lambda xp, x, i: xp.take(x, i, axis=-2), _C, _ints(0, 2), label="axis"),
    _case("take_along_axis", lambda xp, x, i: xp.take_along_axis(x, i, axis=-1) ** 2, _A, _ints([0, 0], [2, 1])),
    _case("take_along_axis", lambda xp, x, i: xp.take_along_axis(x, i, axis=0), _C, _ints(1, 0, 1, 0, 0, 0).reshape(1, 3, 2), label="axis"),
    _case("take_along_axis", lambda xp, x, i: xp.take_along_axis(x, i, axis=1), _A, _ints([0, 2]), label="broadcast"),
    _case("linalg.diagonal", lambda xp, x: xp.linalg.diagonal(x) ** 2, _C),
    _case("linalg.diagonal", lambda xp, x: xp.linalg.diagonal(x, offset=1), _A, label="above"),
    _case("linalg.diagonal", lambda xp, x: xp.linalg.diagonal(x, offset=-2), _SQUARE, label="below"),
    _case("linalg.trace", lambda xp, x: xp.linalg.trace(x) ** 2, _C),
    _case("linalg.trace", lambda xp, x: xp.linalg.trace(x, offset=-1), _complex(3, 3), label="offset"),
    _case("linalg.outer", lambda xp, x, y: xp.linalg.outer(x, y), _V, _real(2)),
    _case("linalg.outer", lambda xp, x, y: xp.linalg.outer(x, y), _V, _complex(2), label="dtypes"),
    _case("linalg.cross", lambda xp, x, y: xp.linalg.cross(x, y) ** 2, _A, _B),
    _case("linalg.cross", lambda xp, x, y: xp.linalg.cross(x, y, axis=-2), _real(3, 2), _real(3, 1), label="axis"),
]  # fmt: skip
