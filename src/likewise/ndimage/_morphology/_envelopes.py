"""Lower envelopes of parabolas, for exact distances."""

from typing import Any

from ..._namespace import array_namespace, device
from ...missing._axes import index_dtype
from ...transforms import fori_loop

__all__ = ["lowest"]


def lowest(d: Any, scale: Any) -> Any:
    """Find which parabola of each line is the lowest one at each of its places.

    Parameters
    ----------
    d : array, shape (rows, n)
        The heights of parabolas, which stand at the places of a line.
    scale : number or array, shape ()
        Their curvature, above 0.

    Returns
    -------
    array of int, shape (rows, n)
        The k of the least ``d[k] + scale * (i - k)**2``, for each place i; the first of them.

    Notes
    -----
    Of two blocks of parabolas, the left one's is the lowest up to a crossing, and the right one's
    from there on. So the envelope is a binary tree of crossings: a place finds its parabola in
    log2(n) steps downwards. Nodes are made from the leaves upwards. A crossing is that of two
    parabolas, which are found on the way down in both blocks: what is the lowest at the crossings
    of a block's nodes is known, and says on which side of them the new one lies. There are n / 2
    nodes, then n / 4 and so on, so that all of them take few operations for each place.
    """
    xp, (rows, n) = array_namespace(d), d.shape
    depth = (n - 1).bit_length()
    width = 2**depth
    if width > n:  # by parabolas that are the lowest nowhere
        more = xp.broadcast_to(xp.max(d) + n * n * scale, (rows, width - n))
        d = xp.concat([d, xp.astype(more, d.dtype, copy=False)], axis=1)
    tree = _Tree(xp.reshape(d, (-1,)), scale, width)
    for level in range(depth):
        tree.join(level)
    place = xp.arange(rows * width, dtype=tree.kind, device=device(d))
    k = tree.found(rows + place // width, place, depth) - tree.count
    k = xp.reshape(k - place // width * width, (rows, width))
    return k[:, :n]


class _Tree:
    """The crossings of the blocks of 2, 4, 8 ... parabolas.

    Nodes are numbered as in a heap: those under k are 2 k and 2 k + 1, and the last ones are the
    parabolas. Arrays hold the nodes from the number `first` on.

    Attributes
    ----------
    crossing : array of int
        The first place where the right block is the lowest.
    right, left : array
        The height of the right block there, and of the left one a place before.
    """

    def __init__(self, d: Any, scale: Any, width: int) -> None:
        self.xp, self.kind = array_namespace(d), index_dtype(array_namespace(d), d)
        self.d, self.scale, self.width, self.count = d, scale, width, d.shape[0]
        self.first = self.count
        self.crossing = self.right = self.left = None

    def at(self, values: Any, node: Any) -> Any:
        return self.xp.take(values, node - self.first, axis=0)

    def height(self, k: Any, place: Any) -> Any:
        """Return the heights of parabolas at some places."""
        k = k - self.count
        way = self.xp.astype(place - k, self.d.dtype, copy=False)
        return self.xp.take(self.d, k, axis=0) + way * way * self.scale

    def found(self, node: Any, place: Any, steps: int) -> Any:
        """Return the parabolas that are the lowest in the blocks of nodes, at a place of each."""

        def step(_: Any, node: Any) -> Any:
            beyond = place >= self.at(self.crossing, node)
            return 2 * node + self.xp.astype(beyond, self.kind)

        return fori_loop(0, steps, step, node) if steps else node

    def join(self, steps: int) -> None:
        """Make the next level, above one from which so many steps lead to the parabolas."""
        xp, kind = self.xp, self.kind
        pairs = self.first // 2
        each = xp.arange(pairs, dtype=kind, device=device(self.d))
        p = self.first + 2 * each
        q = root = p + 1

        def before(_: Any, p: Any) -> Any:
            # The left block's lowest one just before the crossing: it lies before that of a node
            # if the right block is lower than all of the node there.
            place = self.at(self.crossing, p)
            other = self.height(self.found(root, place, steps), place)
            return 2 * p + xp.astype(self.at(self.right, p) <= other, kind)

        def after(_: Any, q: Any) -> Any:
            other = self.height(p, self.at(self.crossing, q) - 1)
            return 2 * q + xp.astype(other <= self.at(self.left, q), kind)

        if steps:
            p = fori_loop(0, steps, before, p)
            q = fori_loop(0, steps, after, q)
        row = each // (pairs * self.width // self.count) * self.width
        new = self.crossed(p, q, row, row + self.width)
        if steps:
            old = (self.crossing, self.right, self.left)
            new = [xp.concat(pair) for pair in zip(new, old, strict=True)]
        self.crossing, self.right, self.left = new
        self.first = pairs

    def crossed(self, p: Any, q: Any, start: Any, stop: Any) -> list[Any]:
        """Return where parabolas cross, between the ends of their rows, and the heights there."""
        xp, dtype = self.xp, self.d.dtype
        low, high = (xp.take(self.d, k - self.count, axis=0) for k in (p, q))
        between = xp.astype(q - p, dtype, copy=False)
        steep = 2 * self.scale * between
        ahead = (high - low + self.scale * between * between) // steep
        ahead = xp.clip(ahead, -self.width, self.width)
        crossing = p - self.count + 1 + xp.astype(ahead, self.kind, copy=False)
        crossing = xp.minimum(xp.maximum(crossing, start), stop)
        # Beyond the ends nothing is asked: these heights lead back to where the lowest one is.
        whole = xp.isdtype(dtype, "integral")
        far = xp.asarray(
            xp.iinfo(dtype).max if whole else float("inf"), dtype=dtype, device=device(self.d)
        )
        never = crossing >= stop
        right = xp.where(never, far, self.height(q, crossing))
        left = xp.where(never, -far, self.height(p, crossing - 1))
        return [crossing, right, xp.where(crossing <= start, far, left)]
