"""The two interpreters that differentiate: forward mode with tangents, reverse mode with a tape."""

import heapq
import itertools
from typing import Any

from ..._namespace import device
from ...errors import TransformError
from .._following._escapes import users_line
from .._following._interpreter import RECORDERS, Interpreter, recorder
from .._following._proxy import Proxy, held, lift, rebuilt, run
from .._following._reasons import why
from .._following._space import Space
from ._rules import CONSTANT, RULES, Rule

__all__ = ["Forward", "Node", "Reverse", "Sums", "pulled"]

_NUMBERS = (bool, int, float, complex)


def _rule(name: str, transform: str) -> Rule:
    try:
        return RULES[name]
    except KeyError:
        raise TransformError(
            f"{name}: has no derivative{users_line()} ({transform}){why(name, 'derivative')}"
        ) from None


def is_complex(xp: Any, dtype: Any) -> bool:
    if dtype in (xp.complex128, xp.complex64):
        return True
    return dtype not in (xp.float64, xp.float32) and bool(xp.isdtype(dtype, "complex floating"))


def fitted(xp: Any, c: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Convert a cotangent to the shape and dtype of its primal: sums undo broadcasting."""
    if tuple(c.shape) != shape:
        c = unbroadcast(xp, c, shape)
    if c.dtype != dtype:
        if is_complex(xp, c.dtype) and not is_complex(xp, dtype):
            c = xp.real(c)
        if c.dtype != dtype:
            c = xp.astype(c, dtype)
    return c


def unbroadcast(xp: Any, c: Any, shape: tuple[int, ...]) -> Any:
    """Apply the transpose of ``broadcast_to``."""
    if not c.ndim:
        return xp.broadcast_to(c, shape)
    extra = c.ndim - len(shape)
    if extra < 0:  # a number times a factor of fewer dimensions
        c = xp.reshape(c, (1,) * -extra + tuple(c.shape))
        extra = 0
    axes = tuple(range(extra)) + tuple(
        i + extra for i, n in enumerate(shape) if n == 1 and c.shape[i + extra] != 1
    )
    kept = tuple(1 if n == 1 else c.shape[i + extra] for i, n in enumerate(shape))
    if axes:
        c = xp.sum(c, axis=axes, dtype=c.dtype)
    if tuple(c.shape) != kept:
        c = xp.reshape(c, kept)
    return c if kept == shape else xp.broadcast_to(c, shape)


# -- reverse ---------------------------------------------------------------------------------------

_orders = itertools.count()


class Node:
    """Hold one result on the tape, with its pullbacks to the operands."""

    __slots__ = ("dtype", "edges", "order", "place", "shape")

    def __init__(self, edges: list[Any], shape: Any, dtype: Any) -> None:
        self.order = next(_orders)
        if RECORDERS:
            self.place = placed()
        self.edges = edges
        self.shape = shape
        self.dtype = dtype


def placed(*node: Node | None) -> str:
    """Tell a recording that the next calls belong to the instruction of a node."""
    by = recorder()
    if by is None:
        return ""
    if node:
        by.place = getattr(node[0], "place", "")
    last: str = by.place or (by.steps[-1].place if by.steps else "")
    return last


class Sums(Node):
    """A node that accumulates its cotangents in those of some parents.

    The calls of its edges get its cotangents with the accumulated cotangents of these parents; an
    edge whose `scales` is None returns the sum.
    """

    __slots__ = ("parents",)

    def __init__(self, edges: list[Any], shape: Any, parents: list[Node]) -> None:
        super().__init__(edges, shape, None)
        self.parents = parents


class Reverse(Interpreter):
    """Record steps on a tape; ``extra`` of its proxies is their node."""

    name = "grad or vjp"
    nested = False  # whether there are other interpreters' proxies below

    def process(self, name: str, operands: Any, settings: dict[str, Any], space: Space) -> Any:
        inner = []
        tracked = []
        for i, a in enumerate(operands):
            if a.__class__ is Proxy:
                by = a.by
                if by is self:
                    tracked.append(i)
                    a = a.value
                    if a.__class__ is Proxy:
                        self.nested = True
                elif by is None:
                    a = a.value
                else:
                    self.nested = True
                    a = held(a)
            inner.append(a)
        if self.nested:
            inner = lifted(space, inner)
            xp = space.namespace
            out = run(space, name, inner, settings)
            y = lift(space, out)
        else:
            xp = space.xp
            y = out = space.call[name](*inner, **settings)
        rule = RULES.get(name) or _rule(name, self.name)
        if rule is CONSTANT:
            return out
        pull = rule.pull
        edges = []
        for i in tracked:
            step = pull[i] if i < len(pull) else pull[-1]
            if step is not None:
                call, picked, scales = step
                values = picked(xp, y, inner, settings, i)
                edges.append((operands[i].extra, call, values, scales))
        if not edges:
            return out
        try:
            dtype = out.dtype
        except AttributeError:
            return self._several(out, edges, space)
        if not space.inexact(dtype):
            return out
        if rule.before is not None:
            call, picked, scales = rule.before
            shared = Node(edges, out.shape, dtype)
            edges = [(shared, call, picked(xp, y, inner, settings, 0), scales)]
        return Proxy(out, self, Node(edges, out.shape, dtype), space)

    def _several(self, out: Any, edges: list[Any], space: Space) -> Any:
        """A node for all results together, and one for each that picks it."""
        whole = Node(edges, len(out), None)
        items = []
        for k, one in enumerate(out):
            if hasattr(one, "dtype") and space.inexact(one.dtype):
                pick = [(whole, _slot, (k,), False)]
                one = Proxy(one, self, Node(pick, tuple(one.shape), one.dtype), space)
            items.append(one)
        return rebuilt(out, items)

    def leaf(self, x: Any, space: Space) -> Proxy:
        value = x.value if x.__class__ is Proxy and x.by is None else x
        if value.__class__ is Proxy:
            self.nested = True
        return Proxy(held(value), self, Node([], tuple(x.shape), x.dtype), space)


def lifted(space: Space, values: list[Any]) -> list[Any]:
    """Wrap raw arrays as constants, so that either operand may stand left of an operator."""
    return [lift(space, a) if hasattr(a, "dtype") else a for a in values]


def _all_scale(edges: Any) -> bool:
    return bool(edges) and all(scales for _, _, _, scales in edges)


def _slot(g: Any, k: int) -> dict[int, Any]:
    return {k: g}


def _added(a: Any, b: Any) -> Any:
    if a.__class__ is dict:  # made by `_slot` for this pass alone, and there may be thousands
        for k, part in b.items():
            a[k] = _added(a[k], part) if k in a else part
        return a
    return b + a if b.__class__ is Proxy else a + b


def pulled(
    space: Space,
    roots: list[tuple[Node, Any]],
    leaves: list[Node],
    nested: bool,
    once: bool = False,
    raw: bool = False,
) -> list[Any]:
    """Return the cotangents of the leaves, None for leaves without influence.

    With `once`, the tape is freed during the pass. With `raw`, the tape holds the library's own
    arrays although cotangents are proxies.
    """
    xp = space.xp if raw or not nested else space.namespace
    found: dict[int, Any] = {}
    nodes: dict[int, Node] = {}
    heap: list[int] = []
    wanted = {leaf.order for leaf in leaves}
    fresh: set[int] = set()  # made here, and by nobody else held
    for node, g in roots:
        _add(found, nodes, heap, node, lift(space, g) if nested else g)
    while heap:
        order = -heapq.heappop(heap)
        c = None
        node = nodes.pop(order)
        if order in wanted and not node.edges:
            continue
        g = found[order] if order in wanted else found.pop(order)
        if RECORDERS:
            placed(node)
        if node.dtype is None:
            g = tuple(g.get(k) for k in range(node.shape))
            if node.__class__ is Sums:
                g = g, [found.get(parent.order) for parent in node.parents]
        for parent, call, values, scales in node.edges:
            if raw:
                values = tuple(space.namespace if v is xp else lift(space, v) for v in values)
            c = g * call(*values) if scales else call(g, *values)
            if c is None:
                continue
            if nested:
                c = lift(space, c)
            shape = parent.shape
            fits = shape.__class__ is int or (c.shape == shape and c.dtype == parent.dtype)
            # A number that is multiplied next may stay one.
            if not fits and (c.ndim or c.dtype != parent.dtype or not _all_scale(parent.edges)):
                c = fitted(xp, c, tuple(shape), parent.dtype)
            order = parent.order
            if order in found:
                found[order] = c if scales is None else _added(found[order], c)
                fresh.add(order)
            else:
                found[order] = c
                if scales and fits:
                    fresh.add(order)
                nodes[order] = parent
                heapq.heappush(heap, -order)
        if once:
            node.edges = []
    if RECORDERS:
        placed(None)
    out = [found.get(leaf.order) for leaf in leaves]
    return out if nested or not space.in_place else _owned(xp, out, leaves, fresh)


def _owned(xp: Any, out: list[Any], leaves: list[Node], fresh: set[int]) -> list[Any]:
    """Return cotangents that the user may write to."""
    return [
        c if c is None or leaf.order in fresh else xp.astype(c, leaf.dtype, copy=True)
        for c, leaf in zip(out, leaves, strict=True)
    ]


def _add(found: Any, nodes: Any, heap: list[int], node: Node, g: Any) -> None:
    order = node.order
    if order in found:
        found[order] = _added(found[order], g)
    else:
        found[order] = g
        nodes[order] = node
        heapq.heappush(heap, -order)


# -- forward ---------------------------------------------------------------------------------------


class Forward(Interpreter):
    """Carry tangents along `count` directions; ``extra`` of its proxies has one each, or None.

    A number in place of a tangent means a constant tangent.
    """

    name = "jvp"

    def __init__(self, count: int = 1) -> None:
        super().__init__()
        self.count = count

    def process(self, name: str, operands: Any, settings: dict[str, Any], space: Space) -> Any:
        inner: list[Any] = []
        tangents: dict[int, tuple[Any, ...]] = {}
        nested = False
        for i, a in enumerate(operands):
            if a.__class__ is Proxy:
                if a.by is self:
                    tangents[i] = a.extra
                    nested = nested or any(t.__class__ is Proxy for t in a.extra)
                    a = a.value
                elif a.by is None:
                    a = a.value
                nested = nested or a.__class__ is Proxy
            inner.append(a)
        if nested:
            inner = lifted(space, inner)
        out = run(space, name, inner, settings)
        rule = RULES.get(name) or _rule(name, self.name)
        tangents = {i: t for i, t in tangents.items() if rule.of(rule.push, i) is not None}
        if rule is CONSTANT or not tangents:
            return out
        several = isinstance(out, tuple | list) and not hasattr(out, "dtype")
        if not several and not space.inexact(out.dtype):
            return out
        xp = space.namespace if nested else space.xp
        y = lift(space, out) if nested else out
        moved = []
        for k in range(self.count):
            along = {i: t[k] for i, t in tangents.items() if t[k] is not None}
            if nested:
                along = dict(zip(along, lifted(space, list(along.values())), strict=True))
            moved.append(_pushed(xp, space, name, rule, y, inner, settings, along))
        if several:
            items = [
                self.proxy(xp, space, o, [t and t[j] for t in moved]) for j, o in enumerate(out)
            ]
            return rebuilt(out, items)
        return self.proxy(xp, space, out, moved)

    def proxy(self, xp: Any, space: Space, out: Any, moved: list[Any]) -> Any:
        """Return a value with its tangents, in its shape and dtype."""
        if all(t is None for t in moved) or not space.inexact(out.dtype):
            return out
        extra = tuple(None if t is None else _like(xp, t, out) for t in moved)
        return Proxy(out, self, extra, space)


def _pushed(
    xp: Any,
    space: Space,
    name: str,
    rule: Rule,
    y: Any,
    inner: list[Any],
    settings: dict[str, Any],
    along: dict[int, Any],
) -> Any:
    """Return the tangent of one instruction along one direction; a tuple for several results."""
    if not along:
        return None
    if not rule.numbers:
        along = {i: _spread(xp, t, inner[i]) for i, t in along.items()}
    if rule.jointly:
        moved = [
            a if rule.of(rule.push, i) is None else along[i] if i in along else _zero(xp, a)
            for i, a in enumerate(inner)
        ]
        return run(space, name, moved, settings)
    tangent: Any = None
    for i, t in along.items():
        step = rule.of(rule.push, i)
        assert step is not None
        if rule.separately:
            part = run(space, name, [*inner[:i], t, *inner[i + 1 :]], settings)
        else:
            values = step.picked(xp, y, inner, settings, i)
            if not step.scales:
                part = step.call(t, *values)
            else:
                part = step.call(*values)
                if part.__class__ in _NUMBERS:
                    part = 1.0 * part  # Python's integers have no end
                part = part if t.__class__ in _NUMBERS and t == 1 else t * part
        several = isinstance(part, tuple | list) and not hasattr(part, "dtype")
        if several and tangent is not None:
            tangent = tuple(map(_sum, tangent, part))
        else:
            tangent = part if several else _sum(tangent, part)
    return tangent


def _spread(xp: Any, t: Any, like: Any) -> Any:
    """Return a number as an array."""
    if t.__class__ not in _NUMBERS:
        return t
    t = xp.asarray(t, dtype=like.dtype, device=device(like))
    return xp.broadcast_to(t, tuple(like.shape))


def _sum(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else _added(a, b)


def _zero(xp: Any, a: Any) -> Any:
    return xp.zeros_like(a) if hasattr(a, "dtype") else a and type(a)(0)  # also of inf and NaN


def _like(xp: Any, t: Any, out: Any) -> Any:
    """Return a tangent in the shape and dtype of its value."""
    if t.__class__ in _NUMBERS:
        return t
    if t.dtype != out.dtype:
        if is_complex(xp, t.dtype) and not is_complex(xp, out.dtype):
            t = xp.real(t)
        t = xp.astype(t, out.dtype)
    shape = tuple(out.shape)
    if tuple(t.shape) == shape or any(n != n for n in shape):  # unknown: `__getitem__` refuses it
        return t
    return xp.broadcast_to(t, shape)
