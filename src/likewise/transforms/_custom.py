"""Derivatives defined by the user."""

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from .._library import Transforms, named
from .._namespace import array_namespace, device, hooks_of, is_neutral, library_of
from ..errors import ArgumentError, ShapeError, TransformError
from ._derivatives import vjp
from ._following._escapes import users_line
from ._following._interpreter import RECORDERS, Interpreter, native, recorder, reopened
from ._following._proxy import Proxy, held, lift
from ._following._space import Space
from ._maps import vmap
from ._rules._batching import Batch
from ._rules._differentiation import Forward, Node, Reverse, lifted
from ._tree import Structure, alike, flatten

__all__ = ["custom_jvp", "custom_vjp", "self_adjoint", "stop_gradient"]


def stop_gradient(x: Any) -> Any:
    """Return the argument as a constant for derivatives.

    Parameters
    ----------
    x : array or nested structure of arrays
        Arrays that must not be differentiated.

    Returns
    -------
    same structure as `x`
        The same values, with a derivative of 0.

    Notes
    -----
    As ``jax.lax.stop_gradient``, which runs for JAX's arrays; on torch it calls ``detach``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import grad, stop_gradient
    >>> float(grad(lambda x: x * stop_gradient(x))(np.asarray(3.0)))
    3.0
    """
    if x.__class__ is Proxy or library_of(x) is not None:
        return _stopped(x)
    leaves, structure = flatten(x)
    return structure.unflatten([_stopped(leaf) for leaf in leaves])


def _stopped(x: Any) -> Any:
    if x.__class__ is Proxy:
        return lift(x.space, x.space.namespace.stop_gradient(x))
    return x if is_neutral(x) else hooks_of(x).stop_gradient(x)


class _Custom(ABC):
    """Base class of functions with their own rule, on nested structures."""

    kind = ""

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: Sequence[int] = ()) -> None:
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.nondiff_argnums = tuple(nondiff_argnums)
        self.key = named(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._ready()
        if RECORDERS and recorder() is not None and not recorder().bottom:
            out = recorder().noted(self, args, kwargs)  # whose rule the calls in it don't show
            if out is not NotImplemented:
                return out
        fun = functools.partial(self.fun, **kwargs) if kwargs else self.fun
        n = len(args)
        for i in self.nondiff_argnums:
            if not -n <= i < n:
                raise ArgumentError(
                    f"{self.kind}: nondiff_argnums {self.nondiff_argnums} for a call with {n} "
                    "positional arguments"
                )
        held = {i % n: args[i] for i in self.nondiff_argnums}
        moving = tuple(a for i, a in enumerate(args) if i not in held)
        leaves, structure = flatten(moving)
        if (one_step := native(leaves).one_step) and (step := one_step()):
            return step(self.key, args, kwargs)

        def full(values: Any) -> list[Any]:
            some = iter(structure.unflatten(list(values)))
            return [held[i] if i in held else next(some) for i in range(n)]

        return self._flat(
            fun, full, tuple(held[i % n] for i in self.nondiff_argnums), leaves, structure
        )

    @abstractmethod
    def _ready(self) -> None: ...

    @abstractmethod
    def _flat(
        self,
        fun: Callable[..., Any],
        full: Callable[[Any], list[Any]],
        held: tuple[Any, ...],
        leaves: list[Any],
        structure: Structure,
    ) -> Any: ...


def _top(leaves: Sequence[Any]) -> Interpreter | None:
    """Return the innermost transform to which an argument belongs."""
    found = [x.by for x in leaves if x.__class__ is Proxy and x.by and not x.by.records]
    return max(found, key=lambda by: by.level, default=None)


def _inner(leaves: Sequence[Any], by: Interpreter) -> list[Any]:
    """Return the arguments without this transform's proxies, wrapped so that operators work."""
    space = _space(leaves)
    return [
        lift(space, x.value if x.__class__ is Proxy and x.by is by else held(x))
        if hasattr(x, "dtype") and not is_neutral(x)
        else x
        for x in leaves
    ]


def _tracked(leaves: Sequence[Any], by: Interpreter) -> list[int]:
    return [i for i, x in enumerate(leaves) if x.__class__ is Proxy and x.by is by]


def _space(leaves: Sequence[Any]) -> Space:
    return next(x.space for x in leaves if x.__class__ is Proxy)


class _Rule(ABC):
    """Call a function of flat arrays with its rule, at any level."""

    name: ClassVar[str]  # in `Transforms`

    @abstractmethod
    def own(self, transforms: Transforms) -> Any:
        """Return the library's own function with such a rule, or None."""

    def __call__(self, *leaves: Any) -> list[Any]:
        top = _top(leaves)
        if top is None:
            for x in leaves:
                if x.__class__ is Proxy and x.by is not None and not x.by.bottom:
                    x.by.escaped(f"{self.name} has a rule of its own, and")
            own = self.own(native(leaves))
            return self.plain(leaves) if own is None else self.on(own, leaves)
        if not top.open:
            raise TransformError(
                f"{self.name}: an array is used after its transform has ended{users_line()}"
            )
        if isinstance(top, Reverse):
            return self.reverse(leaves, top)
        if isinstance(top, Forward):
            return self.forward(leaves, top)
        assert isinstance(top, Batch)
        out = self.batch(leaves, top)
        _refuse_closure(self.name, top, *(y.value for y in out if y.__class__ is Proxy))
        return out

    @abstractmethod
    def plain(self, leaves: Sequence[Any]) -> list[Any]: ...

    @abstractmethod
    def on(self, own: Callable[..., Any], leaves: Sequence[Any]) -> list[Any]: ...

    @abstractmethod
    def reverse(self, leaves: Sequence[Any], by: Reverse) -> list[Any]: ...

    @abstractmethod
    def forward(self, leaves: Sequence[Any], by: Forward) -> list[Any]: ...

    @abstractmethod
    def mapped(self, axes: tuple[Any, ...], size: int) -> "_Rule": ...

    def batch(self, leaves: Sequence[Any], by: Batch) -> list[Any]:
        """Run the rule for the mapped function, one level below."""
        space = _space(leaves)
        mine = set(_tracked(leaves, by))
        axes = tuple(0 if i in mine else None for i in range(len(leaves)))
        out = self.mapped(axes, by.size)(*_inner(leaves, by))
        return [Proxy(_constant(y), by, None, space) if hasattr(y, "dtype") else y for y in out]


def _refuse_closure(
    kind: str, by: Interpreter, *arrays: Any, but: Interpreter | None = None
) -> None:
    """Refuse results that aren't one level below the transform that calls the rule."""
    for x in arrays:
        while x.__class__ is Proxy:
            if x.by is not None and x.by is not but and x.by.level >= by.level:
                raise TransformError(
                    f"{kind}: the rule closes over an array that {x.by.name} follows"
                    f"{users_line()}, and its derivative would be lost. Make it an argument, or "
                    "use implicit_root."
                )
            x = x.value


def _nodes(out: Sequence[Any], edges: list[Any], by: Reverse, space: Space) -> list[Any]:
    """Results on the tape, with one node for all of them together."""
    whole = Node(edges, len(out), None)
    items: list[Any] = []
    for k, y in enumerate(out):
        y = y.value if y.__class__ is Proxy and y.by is None else y
        if edges and hasattr(y, "dtype") and space.inexact(y.dtype):
            pick = [(whole, lambda g, k: {k: g}, (k,), False)]
            by.nested = by.nested or y.__class__ is Proxy
            y = Proxy(y, by, Node(pick, tuple(y.shape), y.dtype), space)
        items.append(y)
    return items


def _filled(space: Space, cotangents: Sequence[Any], out: Sequence[Any]) -> list[Any]:
    """Return zeros for results without a cotangent."""
    return [
        space.xp.zeros_like(y) if c is None else c for c, y in zip(cotangents, out, strict=True)
    ]


# -- custom_vjp ------------------------------------------------------------------------------------


class custom_vjp(_Custom):  # JAX's name
    """Define a function with its own reverse-mode derivative.

    Parameters
    ----------
    fun : callable
        A function of arrays in any nested structure.
    nondiff_argnums : sequence of int, optional
        Positional arguments that are settings: they are passed first to the rule, and not
        differentiated.

    Notes
    -----
    As ``jax.custom_vjp``, on every library. Define the rule with `defvjp`. Pass all arrays on which
    the rule depends as arguments: JAX refuses to differentiate with respect to an array in a
    closure, and other libraries lose the derivative. For solutions of equations use
    `implicit_root`, which supports closures. There is no forward mode.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import custom_vjp, grad
    >>> @custom_vjp
    ... def double(x):
    ...     return 2 * x
    >>> double.defvjp(lambda x: (2 * x, None), lambda _, g: (10 * g,))
    >>> float(grad(double)(np.asarray(1.0)))
    10.0
    """

    kind = "custom_vjp"

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Define the rule.

        Parameters
        ----------
        fwd : callable
            A function of the same arguments; returns the result and data for `bwd`.
        bwd : callable
            A function of the `nondiff_argnums`, the data of `fwd`, and the cotangent of the
            result; returns a tuple with a cotangent for each differentiated argument, None for 0.
        """
        self.fwd, self.bwd = fwd, bwd

    def _ready(self) -> None:
        if not hasattr(self, "bwd"):
            raise ArgumentError(f"custom_vjp: {self.fun!r} has no rule; give one by defvjp")

    def _flat(self, fun: Any, full: Any, held: Any, leaves: Any, structure: Structure) -> Any:
        box: dict[str, Any] = {}

        def flat_fun(*values: Any) -> list[Any]:
            out, box["out"] = flatten(fun(*full(values)))
            return out

        def flat_fwd(*values: Any) -> tuple[list[Any], list[Any]]:
            pair = self.fwd(*full(values))
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise TransformError(
                    "custom_vjp: fwd must return a pair of the result and what bwd needs, but it "
                    f"returned a {type(pair).__name__}"
                )
            out, box["out"] = flatten(pair[0])
            kept, box["kept"] = flatten(pair[1])
            return out, kept

        def flat_bwd(kept: Any, cotangents: Any) -> list[Any]:
            found = self.bwd(
                *held, box["kept"].unflatten(list(kept)), box["out"].unflatten(list(cotangents))
            )
            if not isinstance(found, tuple) or len(found) != len(structure.children):
                raise TransformError(
                    f"custom_vjp: bwd must return a tuple of {len(structure.children)} cotangents, "
                    f"one for each differentiated argument, but it returned {found!r:.60}"
                )
            out: list[Any] = []
            for one, its in zip(found, structure.children, strict=True):
                got, given = flatten(one)
                if one is None:
                    out += [None] * its.size
                elif not alike(given, its):
                    raise TransformError(
                        f"custom_vjp: bwd must return cotangents of the structure {its} (* for an "
                        f"array), but returned {given}"
                    )
                else:
                    out += got
            return [_fitting(c, x) for c, x in zip(out, leaves, strict=True)]

        out = _VJP(flat_fun, flat_fwd, flat_bwd)(*leaves)
        return box["out"].unflatten(out)


def _fitting(c: Any, x: Any) -> Any:
    """Return a cotangent of `bwd` in the dtype of its argument."""
    if c is None or not hasattr(x, "dtype"):
        return None
    xp = array_namespace(c, x)
    if is_neutral(c):
        return xp.full(tuple(x.shape), c, dtype=x.dtype, device=device(x))
    if tuple(c.shape) != tuple(x.shape):
        raise ShapeError(
            f"custom_vjp: bwd must return a cotangent of the argument's shape, {tuple(x.shape)}, "
            f"but returned one of shape {tuple(c.shape)}"
        )
    return _cast(xp, c, x)


def _tangent(t: Any, y: Any) -> Any:
    """Return a tangent of the rule in the dtype of its result."""
    if is_neutral(y):
        return t
    xp = array_namespace(t, y)
    if is_neutral(t):
        return xp.full(tuple(y.shape), t, dtype=y.dtype, device=device(y))
    if tuple(t.shape) != tuple(y.shape):
        raise TransformError(
            f"custom_jvp: a tangent must have the shape of its result, {tuple(y.shape)}, but has "
            f"{tuple(t.shape)}"
        )
    return _cast(xp, t, y)


def _cast(xp: Any, x: Any, like: Any) -> Any:
    if x.dtype == like.dtype:
        return x
    if xp.isdtype(x.dtype, "complex floating") and not xp.isdtype(like.dtype, "complex floating"):
        x = xp.real(x)
    return xp.astype(x, like.dtype)


class _VJP(_Rule):
    name = "custom_vjp"

    def own(self, transforms: Transforms) -> Any:
        return transforms.custom_vjp

    def __init__(self, fun: Any, fwd: Any, bwd: Any) -> None:
        self.fun, self.fwd, self.bwd = fun, fwd, bwd

    def plain(self, leaves: Sequence[Any]) -> list[Any]:
        return self.fun(*leaves)

    def on(self, own: Callable[..., Any], leaves: Sequence[Any]) -> list[Any]:
        return list(own(self.fun, self.fwd, self.bwd)(*leaves))

    def forward(self, leaves: Sequence[Any], by: Forward) -> list[Any]:
        raise TransformError(
            f"custom_vjp: has no forward mode{users_line()} (jvp, jacfwd, hessian). "
            "Use custom_jvp, which serves both."
        )

    def reverse(self, leaves: Sequence[Any], by: Reverse) -> list[Any]:
        space = _space(leaves)
        inner = _inner(leaves, by)
        out, kept = self.fwd(*inner)
        _refuse_closure(self.name, by, *out, *kept)
        done: list[Any] = [None, None]

        def pull(g: Any, i: int) -> Any:
            if done[0] is not g:  # once for all arguments
                found = self.bwd(kept, lifted(space, _filled(space, g, out)))
                done[:] = [g, found if by.nested else [_constant(c) for c in found]]
            return done[1][i]

        edges = [
            (leaves[i].extra, pull, (i,), False) for i in _tracked(leaves, by) if leaves[i].extra
        ]
        return _nodes(out, edges, by, space)

    def mapped(self, axes: tuple[Any, ...], size: int) -> "_VJP":
        def bwd(kept: Any, cotangents: Any) -> list[Any]:
            found = vmap(lambda k, c: self.bwd(k, c), in_axes=(0, 0))(kept, list(cotangents))
            return [
                c if axis == 0 or c is None else _summed(c)
                for c, axis in zip(found, axes, strict=True)
            ]

        return _VJP(vmap(self.fun, in_axes=axes), vmap(self.fwd, in_axes=axes), bwd)


def _summed(c: Any) -> Any:
    return array_namespace(c).sum(c, axis=0)


# -- custom_jvp ------------------------------------------------------------------------------------


class custom_jvp(_Custom):  # JAX's name
    """Define a function with its own derivative along tangents.

    Parameters
    ----------
    fun : callable
        A function of arrays in any nested structure.
    nondiff_argnums : sequence of int, optional
        Positional arguments that are settings: they are passed first to the rule, and not
        differentiated.

    Notes
    -----
    As ``jax.custom_jvp``, on every library. It supports both modes, because the rule is linear in
    the tangents. Define the rule with `defjvp`. The limits on closures are those of `custom_vjp`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import custom_jvp, grad
    >>> @custom_jvp
    ... def double(x):
    ...     return 2 * x
    >>> rule = double.defjvp(lambda primals, tangents: (2 * primals[0], 10 * tangents[0]))
    >>> float(grad(double)(np.asarray(1.0)))
    10.0
    """

    kind = "custom_jvp"

    def defjvp(self, jvp: Callable[..., Any]) -> Callable[..., Any]:
        """Define the rule.

        Parameters
        ----------
        jvp : callable
            A function of the `nondiff_argnums`, the tuple of differentiated arguments and the
            tuple of their tangents; returns the result and its tangent. It must be linear in the
            tangents.

        Returns
        -------
        callable
            The rule.
        """
        self.jvp = jvp
        return jvp

    def _ready(self) -> None:
        if not hasattr(self, "jvp"):
            raise ArgumentError(f"custom_jvp: {self.fun!r} has no rule; give one by defjvp")

    def _flat(self, fun: Any, full: Any, held: Any, leaves: Any, structure: Structure) -> Any:
        box: dict[str, Any] = {}

        def flat_fun(*values: Any) -> list[Any]:
            out, box["out"] = flatten(fun(*full(values)))
            return out

        def flat_jvp(values: Any, tangents: Any) -> tuple[list[Any], list[Any]]:
            pair = self.jvp(
                *held, structure.unflatten(list(values)), structure.unflatten(list(tangents))
            )
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise TransformError(
                    "custom_jvp: the rule must return a pair of the result and its tangent, but it "
                    f"returned a {type(pair).__name__}"
                )
            out, box["out"] = flatten(pair[0])
            moved, its = flatten(pair[1])
            if not alike(its, box["out"]):
                raise TransformError(
                    f"custom_jvp: the tangent must have the structure of the result, {box['out']} "
                    f"(* for an array), but has {its}"
                )
            return out, [_tangent(t, y) for t, y in zip(moved, out, strict=True)]

        out = _JVP(flat_fun, flat_jvp)(*leaves)
        return box["out"].unflatten(out)


class _JVP(_Rule):
    name = "custom_jvp"

    def own(self, transforms: Transforms) -> Any:
        return transforms.custom_jvp

    def __init__(self, fun: Any, jvp: Any) -> None:
        self.fun, self.jvp = fun, jvp

    def plain(self, leaves: Sequence[Any]) -> list[Any]:
        return self.fun(*leaves)

    def on(self, own: Callable[..., Any], leaves: Sequence[Any]) -> list[Any]:
        return list(own(self.fun, self.jvp)(*leaves))

    def forward(self, leaves: Sequence[Any], by: Forward) -> list[Any]:
        space = _space(leaves)
        out: list[Any] = []
        moved = []
        for k in range(by.count):
            out, along = self.jvp(_inner(leaves, by), _tangents(space, leaves, by, k))
            _refuse_closure(self.name, by, *out, *along)
            moved.append(along)
        return [
            Proxy(_constant(y), by, tuple(map(_constant, tangents)), space)
            if hasattr(y, "dtype") and space.inexact(y.dtype)
            else y
            for y, *tangents in zip(out, *moved, strict=True)
        ]

    def reverse(self, leaves: Sequence[Any], by: Reverse) -> list[Any]:
        """The rule is linear in the tangents: it is recorded as a function of them, and pulled."""
        space = _space(leaves)
        inner = _inner(leaves, by)
        mine = _tracked(leaves, by)
        zeros = [lift(space, space.xp.zeros_like(x)) if hasattr(x, "dtype") else 0.0 for x in inner]

        def linear(*tangents: Any) -> tuple[Any, Any]:
            full = list(zeros)
            for i, t in zip(mine, tangents, strict=True):
                full[i] = t
            out, moved = self.jvp(inner, full)
            mover = next((t.by for t in tangents if t.__class__ is Proxy), None)
            _refuse_closure(self.name, by, *out, *moved, but=mover)
            return tuple(moved), tuple(out)

        moved, pullback, out = vjp(linear, *(zeros[i] for i in mine), has_aux=True)
        done: list[Any] = [None, None]

        def pull(g: Any, k: int) -> Any:
            if done[0] is not g:
                done[:] = [g, pullback(tuple(_filled(space, g, moved)))]
            return done[1][k]

        edges = [(leaves[i].extra, pull, (k,), False) for k, i in enumerate(mine)]
        return _nodes(out, edges, by, space)

    def mapped(self, axes: tuple[Any, ...], size: int) -> "_JVP":
        def jvp(values: Any, tangents: Any) -> Any:
            return vmap(self.jvp, in_axes=(list(axes), list(axes)))(list(values), list(tangents))

        return _JVP(vmap(self.fun, in_axes=axes), jvp)


def _tangents(space: Space, leaves: Sequence[Any], by: Forward, k: int) -> list[Any]:
    """Return the tangents along direction k, zeros for missing ones."""
    out: list[Any] = []
    for x in leaves:
        t = x.extra[k] if x.__class__ is Proxy and x.by is by else None
        if t is None:
            t = space.xp.zeros_like(_inner([x], by)[0]) if hasattr(x, "dtype") else 0.0
        out.append(lift(space, t) if hasattr(t, "dtype") else t)
    return out


def _constant(x: Any) -> Any:
    return x.value if x.__class__ is Proxy and x.by is None else x


# -- linear maps -----------------------------------------------------------------------------------


def self_adjoint(product: Callable[[Any], Any], solve: Callable[[Any], Any], b: Any) -> Any:
    """Return ``solve(b)``, with the derivatives of a self-adjoint linear map.

    `solve` solves ``product(x) = b`` by any iteration, and is not traced: the derivative calls it
    with the tangent or cotangent of `b`. Arrays in closures count as constants, so, unlike in
    `custom_vjp`, closures may hold anything.
    """
    return _SelfAdjoint(product, solve)(b)[0]


class _SelfAdjoint(_Rule):
    name = "linear_solve"

    def own(self, transforms: Transforms) -> Any:
        return transforms.linear_solve

    def __init__(self, product: Any, solve: Any) -> None:
        self.product, self.solve = product, solve

    def plain(self, leaves: Sequence[Any]) -> list[Any]:
        return [self.solve(leaves[0])]

    def on(self, own: Callable[..., Any], leaves: Sequence[Any]) -> list[Any]:
        return [own(self.product, self.solve)(leaves[0])]

    def mapped(self, axes: tuple[Any, ...], size: int) -> "_Rule":
        raise NotImplementedError  # `batch` doesn't ask for it

    def batch(self, leaves: Sequence[Any], by: Batch) -> list[Any]:
        """Run the solver by ordinary operations, because arrays in its closure are mapped, too."""
        return self.plain(leaves)

    def reverse(self, leaves: Sequence[Any], by: Reverse) -> list[Any]:
        space = _space(leaves)
        out = self(*_inner(leaves, by))

        def pull(g: Any) -> Any:
            # The user's functions may close over arrays of this transform, which has ended.
            with reopened(by):
                found = stop_gradient(self.solve(lift(space, g)))
            return found if by.nested else _constant(found)

        edges = [(x.extra, lambda g, i: pull(g[0]), (i,), False) for i, x in enumerate(leaves)]
        return _nodes(out, edges, by, space)

    def forward(self, leaves: Sequence[Any], by: Forward) -> list[Any]:
        space = _space(leaves)
        out = self(*_inner(leaves, by))[0]
        along = [
            stop_gradient(self.solve(_tangents(space, leaves, by, k)[0])) for k in range(by.count)
        ]
        return [Proxy(_constant(out), by, tuple(map(_constant, along)), space)]
