"""JAX's loops and branches, where types say over which axes of a mesh a value varies.

That is under `jax.shard_map`: a loop's value must vary over the same axes before and after a step,
and branches' results must vary alike. Algorithms begin with zeros, which vary over none.
"""

from typing import Any

import jax

__all__ = ["apart", "cond", "fori_loop", "scan", "switch", "while_loop"]

_Axes = frozenset[str]


def while_loop(cond_fun: Any, body_fun: Any, init: Any) -> Any:
    every = _checked_axes()
    if every:
        axes = _steady(every, _axes(init), lambda x: (cond_fun(x), body_fun(x)), init)
        body, init = _varying_with(axes, body_fun), _varying(init, axes)
        return jax.lax.while_loop(cond_fun, body, init)
    return jax.lax.while_loop(cond_fun, body_fun, init)


def fori_loop(lower: Any, upper: Any, body_fun: Any, init: Any) -> Any:
    every = _checked_axes()
    if every:
        axes = _steady(every, _axes(lower, upper, init), lambda x: body_fun(lower, x), init)
        body_fun, init = _varying_with(axes, body_fun), _varying(init, axes)
    return jax.lax.fori_loop(lower, upper, body_fun, init)


def scan(f: Any, init: Any, xs: Any, **options: Any) -> Any:
    every = _checked_axes()
    if every:
        first = jax.tree.map(lambda x: jax.numpy.zeros(x.shape[1:], x.dtype), xs)
        axes = _steady(every, _axes(init, xs), lambda *args: f(*args)[0], init, first)
        step, init = f, _varying(init, axes)

        def f(carry: Any, x: Any) -> Any:
            carry, y = step(carry, x)
            return _varying(carry, axes), y

    return jax.lax.scan(f, init, xs, **options)


def cond(pred: Any, true_fun: Any, false_fun: Any, *operands: Any) -> Any:
    return jax.lax.cond(pred, *_alike((true_fun, false_fun), pred, operands), *operands)


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    return jax.lax.switch(index, _alike(branches, index, operands), *operands)


def apart(fun: Any, arrays: Any) -> Any:
    places = {_first_axis(x) for x in arrays}
    if len(places) != 1 or None in places:
        return None
    ((mesh, axes),) = places
    spec = jax.sharding.PartitionSpec(axes)
    # No check of what varies: the function may have loops of JAX's own in it.
    own = jax.shard_map(fun, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
    return own(*arrays)


def _first_axis(x: Any) -> Any:
    """Return the mesh, and its axes over which an array's first axis is divided, if JAX tells."""
    traced = isinstance(x, jax.core.Tracer)
    where = jax.typeof(x).sharding if traced else getattr(x, "sharding", None)
    if not isinstance(where, jax.sharding.NamedSharding) or not where.spec or not where.spec[0]:
        return None
    return where.mesh, where.spec[0]


def _checked_axes() -> _Axes:
    """Return the axes of a mesh that `jax.shard_map` maps over, if it checks what varies."""
    names = jax.sharding.get_abstract_mesh().manual_axes
    return _axes(*map(jax.lax.axis_index, names))


def _axes(*trees: Any) -> _Axes:
    """Return the axes over which the arrays of some structures vary, together."""
    found: _Axes = frozenset()
    for leaf in jax.tree.leaves(trees):
        kind: Any = leaf if hasattr(leaf, "weak_type") else jax.typeof(leaf)
        how = getattr(kind, "manual_axis_type", None)  # before JAX 0.10 its set is the type's
        found |= kind.vma if how is None else how.varying
    return found


def _steady(every: _Axes, axes: _Axes, step: Any, *args: Any) -> _Axes:
    """Return the axes over which a loop's value varies, from those that it begins with.

    What varies over all axes can vary over no more, so that its step needn't be traced twice.
    """
    before = None
    while axes not in (every, before):
        before = axes
        axes |= _axes(jax.make_jaxpr(step)(*_varying(args, axes)).out_avals)
    return axes


def _alike(branches: Any, chosen_by: Any, operands: Any) -> list[Any]:
    every = _checked_axes()
    if not every:
        return list(branches)
    axes = _axes(chosen_by, operands)
    for branch in branches if axes != every else ():
        axes |= _axes(jax.make_jaxpr(branch)(*operands).out_avals)
    return [_varying_with(axes, branch) for branch in branches]


def _varying_with(axes: _Axes, fun: Any) -> Any:
    return lambda *args: _varying(fun(*args), axes)


def _varying(tree: Any, axes: _Axes) -> Any:
    return jax.tree.map(lambda x: _cast(x, tuple(sorted(axes - _axes(x)))), tree)


def _cast(x: Any, axes: tuple[str, ...]) -> Any:
    if not axes:
        return x
    own: Any = jax.lax
    if hasattr(own, "pcast"):
        return own.pcast(x, axes, to="varying")
    return own.pvary(x, axes)  # JAX 0.8
