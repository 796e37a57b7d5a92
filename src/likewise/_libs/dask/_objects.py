"""Connected objects of images in chunks: labels of each, joined where objects meet at borders."""

import itertools
from typing import Any

import dask
import dask.array as da
import numpy as np

from ...errors import ShapeError


def label(x: Any, structure: Any, *, body: Any = None) -> tuple[Any, Any]:
    """Number objects in each chunk, then join those that meet at borders, in one task of all pairs.

    An object of a chunk is known by the place of its first element in the image, and one of the
    image by the first of those: so numbers are in C order, however it is cut.
    """
    if any(n != n for n in x.shape):
        raise ShapeError(
            "label: the sizes of chunks must be known. Dask finds them out with "
            "x.compute_chunk_sizes()."
        )
    small = np.int32 if x.size < 2**31 - 2 else np.int64
    if not x.ndim or not x.size:
        inside = x != 0
        return inside.astype(small), inside.sum().astype(np.int64)
    firsts = da.map_blocks(
        _own, x, structure, x.shape, body, dtype=np.int64, meta=np.empty((0,) * x.ndim, np.int64)
    )
    depth = {axis: int(len(c) > 1) for axis, c in enumerate(x.chunks)}
    wide = da.overlap.overlap(firsts, depth, "none") if any(depth.values()) else firsts
    pairs = [dask.delayed(_pairs)(b, structure) for b in wide.to_delayed().ravel()]
    known = [dask.delayed(np.unique)(b) for b in firsts.to_delayed().ravel()]
    joined = dask.delayed(_joined)(known, pairs)
    number = da.from_delayed(dask.delayed(_number)(joined), (), dtype=np.int64)
    found = firsts.map_blocks(
        _numbered, joined=joined, small=small, dtype=small, meta=np.empty((0,) * x.ndim, small)
    )
    return found, number


def _own(
    block: Any, structure: Any, shape: tuple[int, ...], body: Any, block_info: Any = None
) -> Any:
    """Return for each element one more than the place of its object's first element, 0 outside."""
    found, number = body(block, structure)
    flat = np.ravel(found)
    first = np.zeros(int(number) + 1, np.int64)
    first[flat[::-1]] = np.arange(flat.size)[::-1]  # the last one written is the first in order
    starts = [start for start, _ in block_info[0]["array-location"]]
    places = np.unravel_index(first, block.shape)
    first = (
        np.ravel_multi_index(tuple(p + s for p, s in zip(places, starts, strict=True)), shape) + 1
    )
    first[0] = 0
    return first[found]


def _pairs(block: Any, structure: Any) -> Any:
    """Return which objects of chunks are neighbours, (2, n)."""
    found = [np.empty((2, 0), np.int64)]
    near = None if structure is None else np.asarray(structure)
    for place in itertools.product((-1, 0, 1), repeat=block.ndim):
        if place <= (0,) * block.ndim:  # the other half is symmetric
            continue
        if np.count_nonzero(place) > 1 if near is None else not near[tuple(p + 1 for p in place)]:
            continue
        ends = [slice(max(-p, 0), n - max(p, 0)) for p, n in zip(place, block.shape, strict=True)]
        others = [slice(max(p, 0), n - max(-p, 0)) for p, n in zip(place, block.shape, strict=True)]
        a, b = block[tuple(ends)], block[tuple(others)]
        meet = (a != b) & (a > 0) & (b > 0)
        found.append(np.unique(np.stack([a[meet], b[meet]]), axis=1))
    return np.concatenate(found, axis=1)


def _joined(known: list[Any], pairs: list[Any]) -> Any:
    """Return the objects of chunks, in order, with their numbers in the image, (2, n)."""
    every = np.unique(np.concatenate([np.zeros(1, np.int64), *known]))
    a, b = np.searchsorted(every, np.concatenate(pairs, axis=1))
    root = np.arange(every.size)
    while np.any(root[a] != root[b]):
        least = np.minimum(root[a], root[b])
        for end in (root[a], root[b]):
            np.minimum.at(root, end, least)
        while np.any(root[root] != root):
            root = root[root]
    number = np.cumsum(root == np.arange(every.size)) - 1  # 0 is outside
    return np.stack([every, number[root]])


def _number(joined: Any) -> Any:
    return np.asarray(joined[1].max())


def _numbered(block: Any, joined: Any, small: Any) -> Any:
    every, number = joined
    return number[np.searchsorted(every, block)].astype(small)
