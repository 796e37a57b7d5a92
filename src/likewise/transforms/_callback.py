"""Calls of Python functions of NumPy arrays, also from compiled and mapped functions."""

from collections.abc import Callable, Sequence
from typing import Any

from .._namespace import hooks_of, is_neutral
from ..errors import ArgumentError, DtypeError, ShapeError, TransformError
from ..interop import asarray, to_numpy
from ._following._escapes import users_line
from ._following._interpreter import is_open, native
from ._following._proxy import Proxy, lift, seen
from ._following._space import space_of
from ._rules._batching import Batch
from ._tree import Structure, flatten, paths, same_structure

__all__ = ["pure_callback"]

_NO_DERIVATIVE = (
    "pure_callback: a function outside of the program has no derivative. Give one by custom_vjp or "
    "custom_jvp around the call, or pass stop_gradient(x)"
)
_NO_METHOD = (
    "pure_callback: under vmap it must be said how the function is called; write "
    "vmap_method='sequential', which calls it once for each lane"
)


def pure_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    vmap_method: str | None = None,
    **kwargs: Any,
) -> Any:
    """Call a Python function of NumPy arrays, also from a compiled function.

    Parameters
    ----------
    callback : callable
        Takes NumPy arrays in the structure of the arguments, and returns arrays or scalars of the
        declared shapes and dtypes. It must be pure: it may be called several times, or not at all.
    result_shape_dtypes : array or nested structure of them
        The shapes and dtypes of the results: objects with ``shape`` and ``dtype``, such as arrays
        or ``jax.ShapeDtypeStruct``.
    *args : array or nested structure of arrays
        Arguments of the function.
    vmap_method : {None, 'sequential'}, optional
        How `vmap` works: 'sequential' calls the function once for each batch element; None raises
        an error.
    **kwargs : array or nested structure of arrays
        Keyword arguments of the function.

    Returns
    -------
    same structure as `result_shape_dtypes`
        Arrays of the arguments' library and device, or of the default namespace without array
        arguments.

    Raises
    ------
    ShapeError, DtypeError, ArgumentError
        If the results don't have the declared structure, shapes and dtypes. In a function compiled
        by JAX, JAX raises its own error from this one.
    TransformError
        If it is differentiated, or under `vmap` without a method.
    NotSupported
        Inside ``torch.compile``, which can't leave the program.

    Notes
    -----
    Calls ``jax.pure_callback`` for JAX's tracers. Otherwise the arguments are copied to the host
    (see `likewise.trace_transfers`); Dask's arrays are computed.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import pure_callback, vmap
    >>> x = np.asarray([3.0, 1.0, 2.0])
    >>> pure_callback(lambda a: np.sort(a), x, x)
    array([1., 2., 3.])
    >>> vmap(lambda a: pure_callback(lambda b: b + 1, a, a, vmap_method="sequential"))(x)
    array([4., 2., 3.])
    """
    if vmap_method not in (None, "sequential"):
        raise ArgumentError(
            f"pure_callback: vmap_method must be None or 'sequential', got {vmap_method!r}"
        )
    leaves, structure = flatten((args, kwargs))
    wanted, out_structure = flatten(result_shape_dtypes)
    specs = [_spec(w, n) for w, n in zip(wanted, paths(out_structure, "result"), strict=True)]

    def call(values: Sequence[Any]) -> list[Any]:
        given, named = structure.unflatten(list(values))
        return _checked(callback(*given, **named), specs, out_structure)

    return out_structure.unflatten(_called(call, specs, leaves, vmap_method))


def _spec(wanted: Any, name: str) -> tuple[tuple[int, ...], str]:
    """Return the declared shape, and the standard name of the declared dtype."""
    if not hasattr(wanted, "shape") or not hasattr(wanted, "dtype"):
        raise ArgumentError(
            f"pure_callback: {name} of result_shape_dtypes must have shape and dtype, got a "
            f"{type(wanted).__name__}; give an array or a jax.ShapeDtypeStruct"
        )
    dtype = wanted.dtype
    found = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    return tuple(wanted.shape), found.rpartition(".")[2]


def _checked(out: Any, specs: list[tuple[tuple[int, ...], str]], structure: Structure) -> list[Any]:
    """Return the function's results as NumPy arrays with the declared shapes and dtypes."""
    found, its = flatten(out)
    same_structure("pure_callback", "result_shape_dtypes", structure, "the result", its)
    arrays = []
    for y, (shape, dtype), name in zip(found, specs, paths(structure, "result"), strict=True):
        neutral = is_neutral(y)
        y = asarray(to_numpy(y), namespace="numpy", dtype=dtype if neutral else None)
        if tuple(y.shape) != shape:
            raise ShapeError(
                f"pure_callback: {name} must have the shape {shape} that was told, got "
                f"{tuple(y.shape)}"
            )
        if y.dtype.name != dtype:
            raise DtypeError(
                f"pure_callback: {name} must have the dtype {dtype} that was told, got "
                f"{y.dtype.name}"
            )
        arrays.append(y)
    return arrays


def _called(call: Any, specs: Any, leaves: Sequence[Any], method: str | None) -> list[Any]:
    """Call the function with arguments of any level."""
    found = [x.by for x in leaves if x.__class__ is Proxy and x.by is not None]
    top: Any = max(found, key=lambda by: by.level, default=None)
    if isinstance(top, Batch):
        return _in_turn(call, specs, leaves, method, top)
    if top is not None and top.records:
        own = top.space.of.copied  # the function may return what it keeps

        def again(*values: Any) -> tuple[Any, ...]:
            out = _called(call, specs, values, method)
            return tuple([own(y.value if _is_constant(y) else y) for y in out])

        return list(top.note("pure_callback", again, leaves, {}, whole=True))
    if top is not None:
        if any(x.space.inexact(x.dtype) for x in leaves if x.__class__ is Proxy and x.by is top):
            raise TransformError(f"{_NO_DERIVATIVE}{users_line()}.")
        inner = [x.value if x.__class__ is Proxy and x.by is top else x for x in leaves]
        return _called(call, specs, inner, method)
    raw = [seen(x, "pure_callback") for x in leaves]
    arrays = [x for x in raw if not is_neutral(x)]
    own = native(arrays).pure_callback
    if own is not None and any(_beyond(x) for x in arrays):
        errors = (TransformError(f"{_NO_DERIVATIVE}."), TransformError(f"{_NO_METHOD}."))
        return list(own(call, specs, raw, method, *errors))
    out = call([to_numpy(x) for x in raw])
    like = arrays[0] if arrays else None
    out = [asarray(y, like=like) if arrays else asarray(y) for y in out]
    if is_open() and arrays:
        space = space_of(*leaves)
        return [lift(space, y) for y in out]
    return out


def _beyond(x: Any) -> bool:
    """Tell if an array has no values yet, or its library records derivatives."""
    library = hooks_of(x)
    return library.is_lazy(x) or library.recorded(x)


def _in_turn(
    call: Any, specs: Any, leaves: Sequence[Any], method: str | None, by: Batch
) -> list[Any]:
    """Call the function for each batch element."""
    if method is None:
        raise TransformError(f"{_NO_METHOD}{users_line()}.")
    space = space_of(*[x for x in leaves if x.__class__ is Proxy])
    mine = [x.__class__ is Proxy and x.by is by for x in leaves]
    lanes = [
        _called(
            call,
            specs,
            [x.value[k, ...] if m else x for x, m in zip(leaves, mine, strict=True)],
            method,
        )
        for k in range(by.size)
    ]
    xp = space.xp
    if not lanes:
        outs = [xp.zeros((0, *shape), dtype=getattr(xp, dtype)) for shape, dtype in specs]
    else:
        outs = [xp.stack(list(each)) for each in zip(*lanes, strict=True)]
    return [Proxy(y.value if _is_constant(y) else y, by, None, space) for y in outs]


def _is_constant(x: Any) -> bool:
    return x.__class__ is Proxy and x.by is None
