"""Apply steps as maps over blocks: one task a block, in which NumPy's routines run."""

from typing import Any

import dask.array as da
import numpy as np

from ._merging import whole


def mapped(row: Any, *args: Any) -> Any:
    """Return ``row.step(*args)``, by blocks of the dimensions that ``row.blocks(*args)`` labels."""
    lines = row.blocks(*args)
    places = tuple(_places(args))
    margins: dict[int, int] = {}
    pairs: list[Any] = []
    main = next(iter(lines.given))  # the data; states and kernels come after them
    for k, place in enumerate(places):
        x, names = _at(args, place), lines.given.get(place[0]) if len(place) == 1 else None
        if names is None:
            names = (None,) * x.ndim
            x = whole(x, range(x.ndim), constant=True)
        else:
            if lines.margins:
                x, margins = _overlapping(x, lines.margins)
                names = _cut(names, margins)
            x = whole(x, [i for i, n in enumerate(names) if n is None], constant=place[0] != main)
        pairs += [x, _names(names, f"{k}.")]
    call = _Call(row.step, args, places)
    if isinstance(lines.made, list):
        return _several(call, pairs, lines.made, row.name)
    made = lines.made._replace(labels=_cut(lines.made.labels, margins))
    out = _array(call, pairs, made, row.name)
    return da.overlap.trim_internal(out, margins, "none") if margins else out


def _overlapping(x: Any, margins: dict[int, int]) -> tuple[Any, dict[int, int]]:
    """Give chunks the elements beside them, where several lie along an axis."""
    margins = {a: m for a, m in margins.items() if len(x.chunks[a]) > 1}
    return (da.overlap.overlap(x, margins, "none") if margins else x), margins


def _cut(names: tuple[Any, ...], margins: dict[int, int]) -> tuple[Any, ...]:
    return tuple(f"cut{i}" if i in margins else n for i, n in enumerate(names))


def _names(labels: tuple[Any, ...], prefix: str) -> tuple[str, ...]:
    """Text for each dimension, as Dask sorts it; with a prefix where there is no label."""
    return tuple(f"{prefix}{i}" if n is None else f"b{n}" for i, n in enumerate(labels))


def _several(call: Any, pairs: list[Any], made: list[Any], name: str) -> tuple[Any, ...]:
    """Arrays from blocks of tuples."""
    labels = _names(tuple(n for n in made[0].labels if n is not None), "")
    meta = np.empty((0,) * len(labels), object)
    found = da.blockwise(call, labels, *pairs, token=name, dtype=object, meta=meta)
    return tuple(_array(_pick, [found, labels, n, None], each, name) for n, each in enumerate(made))


def _array(call: Any, pairs: list[Any], made: Any, name: str) -> Any:
    """An array whose dimensions without a label are in one chunk."""
    names = _names(made.labels, "new")
    sizes = zip(names, made.shape, made.labels, strict=True)
    return da.blockwise(
        call,
        names,
        *pairs,
        new_axes={n: size for n, size, label in sizes if label is None},
        token=name,
        dtype=made.dtype,
        meta=np.empty((0,) * len(names), made.dtype),
    )


def _places(args: Any) -> Any:
    """The places of Dask's arrays among arguments, and within tuples there."""
    for i, a in enumerate(args):
        if isinstance(a, da.Array):
            yield (i,)
        elif isinstance(a, tuple):
            yield from ((i, k) for k, inner in enumerate(a) if isinstance(inner, da.Array))


def _at(args: Any, place: tuple[int, ...]) -> Any:
    for i in place:
        args = args[i]
    return args


def _pick(found: Any, n: int) -> Any:
    return _bare(found)[n]


def _bare(block: Any) -> Any:
    """A block, out of the lists of those along axes that are in one chunk."""
    while isinstance(block, list):
        (block,) = block
    return block


class _Call:
    """A step on blocks of its arrays, with its other arguments."""

    def __init__(self, step: Any, args: tuple[Any, ...], places: tuple[Any, ...]) -> None:
        self.step, self.places = step, places
        self.args = [
            [None if isinstance(b, da.Array) else b for b in a]
            if isinstance(a, tuple)
            else None
            if isinstance(a, da.Array)
            else a
            for a in args
        ]
        self.types = [type(a) for a in args]

    def __call__(self, *blocks: Any) -> Any:
        args: list[Any] = [list(a) if isinstance(a, list) else a for a in self.args]
        for place, block in zip(self.places, blocks, strict=True):
            _at(args, place[:-1])[place[-1]] = _bare(block)
        return self.step(
            *(
                t._make(a) if hasattr(t, "_make") else t(a) if issubclass(t, tuple) else a
                for a, t in zip(args, self.types, strict=True)
            )
        )
