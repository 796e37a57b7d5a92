"""Derivatives by the library's own transforms if it has them, else by the interpreter."""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .._namespace import array_namespace, describe, device, hooks_of, is_neutral
from .._plan import own_order
from ..errors import ArgumentError, DtypeError, ShapeError, TransformError
from ._following._escapes import raise_escape, told
from ._following._interpreter import is_open, native, opened
from ._following._proxy import Proxy, held, lift
from ._following._space import Space, space_of
from ._maps import check_chunks, vmap
from ._rules import _tables  # noqa: F401 - fills the tables of rules
from ._rules._differentiation import Forward, Reverse, pulled
from ._tree import Structure, flatten, map_leaves, paths, same_structure

__all__ = [
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "value_and_grad",
    "vjp",
]


# -- the two primitives, on flat lists of arrays ---------------------------------------------------


class _Flat(NamedTuple):
    """Hold a function's arguments as arrays, and call it with others in their places."""

    arrays: list[Any]
    structure: Structure

    @property
    def names(self) -> list[str]:
        return paths(self.structure, "args")

    def call(self, fun: Callable[..., Any], arrays: Sequence[Any]) -> Any:
        return fun(*self.structure.unflatten(list(arrays)))


def _flat(function: str, primals: tuple[Any, ...], integers: bool = False) -> _Flat:
    """Return floating arrays of one library; Python's numbers become arrays."""
    found, structure = flatten(primals)
    xp = array_namespace(*found)
    arrays = []
    for k, x in enumerate(found):
        if is_neutral(x):
            where = next((device(x) for x in found if not is_neutral(x)), None)
            x = xp.asarray(x, device=where)
        if not xp.isdtype(x.dtype, ("real floating", "complex floating")) and not integers:
            name = paths(structure, "args")[k]
            raise DtypeError(
                f"{function}: real or complex floating arrays were expected, but {name} is a "
                f"{describe(x)}. Convert it, or keep it out by argnums or a closure."
            )
        arrays.append(x)
    return _Flat(arrays, structure)


class _Results:
    """Hold a function's result: floating arrays to differentiate, and its structure."""

    def __init__(self, function: str, out: Any, has_aux: bool) -> None:
        self.aux: Any = None
        if has_aux:
            if not isinstance(out, tuple) or len(out) != 2:
                raise TransformError(
                    f"{function}: with has_aux=True the function must return a pair (result, "
                    f"auxiliary data), but it returned a {type(out).__name__}"
                )
            out, self.aux = out
        self.arrays, self.structure = flatten(out)
        if function == "grad" and (self.structure.kind is not None or _shape(out) != ()):
            came = describe(out)
            if self.structure.kind is not None:
                came = f"structure of them, {self.structure}"
            raise TransformError(
                f"grad: the function must return one scalar array, but it returned a {came}. "
                "For derivatives of arrays use jacobian, vjp or jvp."
            )


def _shape(x: Any) -> tuple[int, ...]:
    return tuple(getattr(x, "shape", ()))


def left(space: Space, x: Any, by: Any) -> Any:
    """Unwrap the proxies of results that leave a transform, for the surrounding transform."""
    if x.__class__ is Proxy and (x.by is by or x.by is None):
        x = x.value
    if x.__class__ is Proxy and x.by is not None:
        x = x.by.array(x)
    if not hasattr(x, "dtype"):
        return x
    if is_neutral(x):  # NumPy's operators make its scalars of arrays without dimensions
        x = space.raw.asarray(x)
    return lift(space, x) if is_open() else x


def _apart(aux: Any) -> tuple[tuple[Any, ...], Callable[[Sequence[Any]], Any]]:
    """Return the arrays in auxiliary data, which a native transform passes on, and the inverse."""
    found, structure = flatten(aux)
    places = [i for i, x in enumerate(found) if hasattr(x, "dtype") and not is_neutral(x)]
    arrays = tuple(found[i] for i in places)
    others = [None if i in places else x for i, x in enumerate(found)]

    def together(arrays: Sequence[Any]) -> Any:
        full = list(others)
        for i, x in zip(places, arrays, strict=True):
            full[i] = x
        return structure.unflatten(full)

    return arrays, together


def _of_library(found: list[Any], given: Sequence[Any]) -> list[Any]:
    """Return results of a native transform as its library's arrays; refuse NumPy arrays."""
    xp, own = array_namespace(*given), hooks_of(given[0])
    for x in found:
        if type(x).__module__ == "numpy" and not own.own_functions:
            raise_escape("its result, which is NumPy's,")
    return [xp.asarray(x) if is_neutral(x) else x for x in found]


def _as_arrays(space: Space, arrays: list[Any]) -> list[Any]:
    return [space.raw.asarray(x) if is_neutral(x) else x for x in arrays]


def _reverse(
    function: str, fun: Callable[..., Any], flat: _Flat, has_aux: bool
) -> tuple[_Results, Callable[..., list[Any]]]:
    """Return results, and the function from their cotangents to those of the arguments."""
    own = native(flat.arrays).vjp
    box: list[_Results] = []
    if own is not None:

        def arrays_of(*arrays: Any) -> tuple[tuple[Any, ...], Any]:
            results = _Results(function, flat.call(fun, arrays), has_aux)
            results.arrays = _of_library(results.arrays, arrays)
            found, results.aux = _apart(results.aux)
            box.append(results)
            return tuple(results.arrays), found

        try:
            values, pull, aux = own(arrays_of, *flat.arrays, has_aux=True)
        except RuntimeError as error:
            told(error)
            raise
        results = box[-1]
        results.arrays = list(values)
        results.aux = results.aux(aux)
        return results, lambda cotangents, once=False: list(pull(tuple(cotangents)))
    space = space_of(*flat.arrays)
    by = Reverse()
    with opened(by):
        proxies = [by.leaf(x, space) for x in flat.arrays]
        nodes = [p.extra for p in proxies]
        results = _Results(function, flat.call(fun, proxies), has_aux)
    outs = _as_arrays(space, results.arrays)
    ends = [o.extra if o.__class__ is Proxy and o.by is by else None for o in outs]
    results.arrays = [left(space, o, by) for o in outs]
    if has_aux:
        found, structure = flatten(results.aux)
        results.aux = structure.unflatten([left(space, x, by) for x in found])

    def pullback(cotangents: Sequence[Any], once: bool = False) -> list[Any]:
        roots = [(n, c) for n, c in zip(ends, cotangents, strict=True) if n is not None]
        raw = not by.nested and any(c.__class__ is Proxy for _, c in roots)
        nested = by.nested or raw
        xp = space.xp
        found = pulled(space, roots, nodes, nested, once, raw)
        return [
            left(
                space,
                xp.zeros(n.shape, dtype=n.dtype, device=device(x)) if c is None else c,
                None,
            )
            for c, n, x in zip(found, nodes, flat.arrays, strict=True)
        ]

    return results, pullback


def _forward(
    function: str, fun: Callable[..., Any], flat: _Flat, tangents: Sequence[Any], has_aux: bool
) -> tuple[_Results, list[Any]]:
    """Return results, and their derivatives along the tangents."""
    own = native([*flat.arrays, *tangents]).jvp
    if own is not None:
        box: list[_Results] = []

        def arrays_of(*arrays: Any) -> tuple[tuple[Any, ...], Any]:
            results = _Results(function, flat.call(fun, arrays), has_aux)
            results.arrays = _of_library(results.arrays, arrays)
            found, results.aux = _apart(results.aux)
            box.append(results)
            return tuple(results.arrays), found

        try:
            values, out, aux = own(arrays_of, tuple(flat.arrays), tuple(tangents), has_aux=True)
        except RuntimeError as error:
            told(error)
            raise
        results = box[-1]
        results.arrays = list(values)
        results.aux = results.aux(aux)
        return results, list(out)
    space = space_of(*flat.arrays)
    by = Forward()
    with opened(by):
        proxies = [
            Proxy(_inner(x), by, (_inner(t),), space)
            for x, t in zip(flat.arrays, tangents, strict=True)
        ]
        results = _Results(function, flat.call(fun, proxies), has_aux)
    outs = _as_arrays(space, results.arrays)
    moved = [
        left(space, o.extra[0], by)
        if o.__class__ is Proxy and o.by is by
        else left(space, space.xp.zeros_like(o), by)
        for o in outs
    ]
    results.arrays = [left(space, o, by) for o in outs]
    found, structure = flatten(results.aux)
    results.aux = structure.unflatten([left(space, x, by) for x in found])
    return results, moved


def forward_several(
    fun: Callable[..., Any],
    constants: Sequence[Any],
    primals: Sequence[Any],
    seeds: Sequence[Any] | None = None,
    broad: bool = True,
) -> tuple[Any, list[Any]]:
    """Return ``fun(*constants, *primals)`` and, in one pass, its derivative along each seed.

    Seeds are ones by default, which is cheaper. Unless `broad`, a derivative that is one number has
    shape ().
    """
    space = space_of(*primals)
    by = Forward(len(primals))
    with opened(by):
        proxies = []
        for k, x in enumerate(primals):
            seed = 1.0 if seeds is None else _inner(seeds[k])
            extra = tuple(seed if i == k else None for i in range(by.count))
            proxies.append(Proxy(_inner(x), by, extra, space))
        out = fun(*(lift(space, c) for c in constants), *proxies)
    (out,) = _as_arrays(space, [out])
    none = (None,) * by.count
    moved = out.extra if out.__class__ is Proxy and out.by is by else none
    value = left(space, out, by)
    xp = array_namespace(value)

    def tangent_of(t: Any) -> Any:
        if t is not None and hasattr(t, "dtype"):
            return left(space, t, by)
        number = xp.asarray(t or 0.0, dtype=value.dtype, device=device(value))
        return xp.broadcast_to(number, tuple(value.shape)) if broad else number

    return value, [tangent_of(t) for t in moved]


def _inner(x: Any) -> Any:
    return x.value if x.__class__ is Proxy and x.by is None else held(x)


# -- public ----------------------------------------------------------------------------------------


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return a function's value, and a function that computes vector-Jacobian products.

    Parameters
    ----------
    fun : callable
        A function of the primals that returns an array or nested tuples, lists, dicts and
        dataclasses of arrays.
    *primals : array or nested structures of arrays
        Floating arrays of any library.
    has_aux : bool, optional
        Whether `fun` returns a pair of its result and data that are not differentiated.

    Returns
    -------
    out : same structure as `fun` returns
        The value.
    pullback : callable
        A function of a cotangent with the structure, shapes and dtypes of `out`; returns a tuple
        with a cotangent for each primal.
    aux : any
        Only with `has_aux`.

    Raises
    ------
    DtypeError
        If a primal is not floating.
    ShapeError, ArgumentError
        When the pullback is called, if the cotangent doesn't fit.
    TransformError
        If `fun` converts an array to another object, such as a NumPy array or a number.

    Notes
    -----
    Calls ``jax.vjp`` and ``torch.func.vjp`` on these libraries, and uses a tape of the standard's
    functions on others. The pullback costs a small multiple of `fun`, and keeps intermediate arrays
    of `fun` in memory. Complex arguments follow JAX's convention on all libraries: nothing is
    conjugated, and the real parts of ``sum(ct * jvp)`` and ``sum(pullback(ct) * tangent)`` are
    equal.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import vjp
    >>> out, pullback = vjp(lambda x: x * x, np.asarray(3.0))
    >>> float(pullback(np.asarray(1.0))[0])
    6.0
    """
    flat = _flat("vjp", primals)
    results, pull = _reverse("vjp", fun, flat, has_aux)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        found, structure = flatten(cotangent)
        same_structure("vjp", "the result", results.structure, "the cotangent", structure)
        names = paths(structure, "ct")
        fitting = [
            _matching("vjp", "the result", y, n, c)
            for y, n, c in zip(results.arrays, names, found, strict=True)
        ]
        return flat.structure.unflatten(pull(fitting))

    out = results.structure.unflatten(results.arrays)
    return (out, pullback, results.aux) if has_aux else (out, pullback)


def _matching(function: str, what: str, y: Any, name: str, c: Any) -> Any:
    """Return a cotangent or tangent with the shape and dtype of its value."""
    if is_neutral(c):
        xp = array_namespace(y)
        c = xp.asarray(c, dtype=y.dtype, device=device(y))
    c = c if c.dtype == y.dtype else own_order(c)
    if tuple(c.shape) != tuple(y.shape) or c.dtype != y.dtype:
        other = ArgumentError if function == "vjp" else DtypeError  # as JAX has it
        raise (ShapeError if c.dtype == y.dtype else other)(
            f"{function}: {name} must have the shape and dtype of {what}, {tuple(y.shape)} of "
            f"{y.dtype}, got {tuple(c.shape)} of {c.dtype}"
        )
    return c


def jvp(
    fun: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: bool = False,
) -> Any:
    """Return a function's value and its derivative along tangents.

    Parameters
    ----------
    fun : callable
        A function of the primals that returns arrays in any nested structure.
    primals, tangents : tuple or list
        Arguments, and a direction for each with the same structure, shapes and dtypes.
    has_aux : bool, optional
        Whether `fun` returns a pair of its result and data that are not differentiated.

    Returns
    -------
    out, tangent : same structure as `fun` returns
        The value and its derivative.
    aux : any
        Only with `has_aux`.

    Raises
    ------
    DtypeError, ShapeError
        If a tangent doesn't fit its primal, or a primal is not floating.
    TransformError
        If the tangents have a different structure, or `fun` converts an array to another object.

    Notes
    -----
    Uses forward mode, which costs about as much as two calls of `fun`, and no additional memory.
    Calls ``jax.jvp`` and ``torch.func.jvp`` on these libraries.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import jvp
    >>> y, t = jvp(lambda x: x * x, (np.asarray(3.0),), (np.asarray(1.0),))
    >>> float(t)
    6.0
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            raise TransformError(
                f"jvp: {name} must be a tuple or list with one entry for each argument, got a "
                f"{type(given).__name__}"
            )
    flat = _flat("jvp", tuple(primals))
    found, structure = flatten(tuple(tangents))
    same_structure("jvp", "primals", flat.structure, "tangents", structure, TransformError)
    names = paths(structure, "tangents")
    fitting = [
        _matching("jvp", "its primal", x, n, t)
        for x, n, t in zip(flat.arrays, names, found, strict=True)
    ]
    results, moved = _forward("jvp", fun, flat, fitting, has_aux)
    out = results.structure.unflatten(results.arrays)
    tangent = results.structure.unflatten(moved)
    return (out, tangent, results.aux) if has_aux else (out, tangent)


def _positions(
    function: str, argnums: int | Sequence[int], args: tuple[Any, ...]
) -> tuple[tuple[int, ...], bool]:
    """Return positions of the arguments to differentiate, and whether there is only one."""
    if isinstance(argnums, int) and 0 <= argnums < len(args):
        return (int(argnums),), True
    single = hasattr(argnums, "__index__")
    if not single and not isinstance(argnums, Iterable):
        raise TransformError(
            f"{function}: argnums must be an integer or a sequence of them, got {argnums!r}"
        )
    numbers = (argnums,) if single else tuple(argnums)  # type: ignore[arg-type]
    if not numbers:
        raise ArgumentError(f"{function}: argnums must name an argument, got {argnums!r}")
    out = []
    for n in numbers:
        i = n.__index__()  # type: ignore[union-attr]
        if not -len(args) <= i < len(args):
            raise TransformError(
                f"{function}: argnums {argnums!r} need at least "
                f"{i + 1 if i >= 0 else -i} positional arguments, got {len(args)}"
            )
        out.append(i % len(args))
    if len(set(out)) < len(out):
        raise TransformError(f"{function}: argnums must name each argument once, got {argnums!r}")
    return tuple(out), single


def _constant(space: Space, x: Any) -> Any:
    """Wrap a fixed argument, so that its namespace and operators accept the others' proxies."""
    mine = hasattr(x, "dtype") and not is_neutral(x) and array_namespace(x) is space.raw
    return lift(space, x) if mine else x


def _partial(
    fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], chosen: tuple[int, ...]
) -> Callable[..., Any]:
    """Return the function of the chosen arguments, with the others fixed."""
    if not kwargs and chosen == tuple(range(len(args))):
        return fun

    def of_chosen(*some: Any) -> Any:
        full, named = list(args), kwargs
        if kwargs or len(args) > len(chosen):
            space = next((x.space for x in flatten(some)[0] if x.__class__ is Proxy), None)
            if space is not None:
                held = [None if i in chosen else x for i, x in enumerate(args)]
                full, named = map_leaves(lambda x: _constant(space, x), (held, named))
        for i, value in zip(chosen, some, strict=True):
            full[i] = value
        return fun(*full, **named)

    return of_chosen


def _is_complex(x: Any) -> bool:
    xp = array_namespace(x)
    return not is_neutral(x) and bool(xp.isdtype(x.dtype, "complex floating"))


def _complex_only(function: str, flat: _Flat, holomorphic: bool) -> None:
    if not holomorphic:
        return
    for name, x in zip(flat.names, flat.arrays, strict=True):
        if not _is_complex(x):
            raise DtypeError(
                f"{function}: with holomorphic=True complex arrays were expected, but {name} is a "
                f"{describe(x)}"
            )


def _numbers(function: str, results: _Results, holomorphic: bool) -> None:
    """Check that results are real, or the function is holomorphic."""
    kind = "complex" if holomorphic else "real"
    for k, y in enumerate(results.arrays):
        if not array_namespace(y).isdtype(y.dtype, f"{kind} floating"):
            name = paths(results.structure, "result")[k]
            raise DtypeError(
                f"{function}: the function must return {kind} floating arrays, but {name} is a "
                f"{describe(y)}. For complex results of real arguments use jacfwd or vjp, of a "
                "holomorphic function say holomorphic=True."
            )


def value_and_grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the value and the gradient of another.

    Parameters
    ----------
    fun : callable
        A function that returns a real scalar array; with `has_aux`, a pair of it and other data.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate.
    has_aux : bool, optional
        Whether `fun` returns such a pair.
    holomorphic : bool, optional
        Whether `fun` is a holomorphic function of complex arguments, so that its derivative is a
        complex number.

    Returns
    -------
    callable
        A function of the arguments of `fun` that returns ``(value, gradient)``; value is
        ``(value, aux)`` with `has_aux`, and the gradient is a tuple if `argnums` is a sequence.

    Raises
    ------
    DtypeError
        When called, if the result or an argument has a wrong kind of dtype.
    TransformError
        When called, if the result is not one scalar, or there is no argument `argnums`.

    See Also
    --------
    grad : The gradient alone.

    Notes
    -----
    As ``jax.value_and_grad``; see `vjp` for the implementation.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import value_and_grad
    >>> value, g = value_and_grad(lambda x: x @ x)(np.asarray([1.0, 2.0]))
    >>> float(value), g
    (5.0, array([2., 4.]))
    """

    @functools.wraps(fun)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        chosen, single = _positions("grad", argnums, args)
        flat = _flat("grad", tuple(args[i] for i in chosen))
        _complex_only("grad", flat, holomorphic)
        of_chosen = _partial(fun, args, kwargs, chosen)
        results, pull = _reverse("grad", of_chosen, flat, has_aux)
        _numbers("grad", results, holomorphic)
        xp = array_namespace(results.arrays[0])
        gradient = flat.structure.unflatten(pull([xp.ones_like(results.arrays[0])], once=True))
        value = results.structure.unflatten(results.arrays)
        return ((value, results.aux) if has_aux else value), gradient[0] if single else gradient

    return differentiated


def grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the gradient of another.

    Parameters
    ----------
    fun : callable
        A function that returns a real scalar array; with `has_aux`, a pair of it and other data.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate.
    has_aux : bool, optional
        Whether `fun` returns such a pair.
    holomorphic : bool, optional
        Whether `fun` is a holomorphic function of complex arguments, so that its derivative is a
        complex number.

    Returns
    -------
    callable
        A function of the arguments of `fun` that returns the gradient in the structure of the
        argument; a tuple if `argnums` is a sequence; ``(gradient, aux)`` with `has_aux`.

    Raises
    ------
    DtypeError
        When called, if the result or an argument has a wrong kind of dtype.
    TransformError
        When called, if the result is not one scalar, or there is no argument `argnums`.

    Notes
    -----
    As ``jax.grad``; see `vjp` for the implementation. Costs a small multiple of `fun`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import grad
    >>> grad(lambda x: x @ x)(np.asarray([1.0, 2.0]))
    array([2., 4.])
    """
    both = value_and_grad(fun, argnums, has_aux, holomorphic)

    @functools.wraps(fun)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return differentiated


def _basis(arrays: Sequence[Any]) -> list[list[Any]]:
    """Return, for each array, unit vectors of its elements in all arrays, stacked first."""
    out = []
    for k, x in enumerate(arrays):
        xp = array_namespace(x)
        eye = xp.reshape(xp.eye(_size(x), dtype=x.dtype, device=device(x)), (_size(x), *x.shape))
        out.append(
            [
                eye if j == k else xp.zeros((_size(x), *z.shape), dtype=z.dtype, device=device(z))
                for j, z in enumerate(arrays)
            ]
        )
    return out


def _size(x: Any) -> int:
    n = 1
    for s in x.shape:
        n *= s
    return n


def jacfwd(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of another by forward mode.

    Parameters
    ----------
    fun : callable
        A function that returns arrays in any nested structure; with `has_aux`, a pair of them and
        other data.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate.
    has_aux : bool, optional
        Whether `fun` returns such a pair.
    holomorphic : bool, optional
        Whether `fun` is a holomorphic function of complex arguments, so that its derivative is a
        complex number.
    chunk_size : int, optional
        The number of columns to compute at once; all by default.

    Returns
    -------
    callable
        A function of the arguments of `fun`. It returns the structure of the result, in which each
        array is replaced by the structure of the arguments, with arrays of shape
        ``result.shape + argument.shape``.

    Raises
    ------
    DtypeError
        When called, if an argument is not floating.

    Notes
    -----
    As ``jax.jacfwd``: a batch of `jvp`, one for each element of the arguments. Use it for few
    arguments and many results.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import jacfwd
    >>> jacfwd(lambda x: x * x)(np.asarray([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    check_chunks("jacfwd", chunk_size)

    @functools.wraps(fun)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        chosen, single = _positions("jacfwd", argnums, args)
        flat = _flat("jacfwd", tuple(args[i] for i in chosen))
        _complex_only("jacfwd", flat, holomorphic)
        if not holomorphic:
            for name, x in zip(flat.names, flat.arrays, strict=True):
                if _is_complex(x):
                    raise DtypeError(
                        f"jacfwd: real floating arrays were expected, but {name} is a "
                        f"{describe(x)}. Of a holomorphic function say holomorphic=True, of a real "
                        "function use jacrev."
                    )
        of_chosen = _partial(fun, args, kwargs, chosen)
        box: list[_Results] = []

        def column(*tangents: Any) -> tuple[Any, Any]:
            results, moved = _forward("jacfwd", of_chosen, flat, tangents, has_aux)
            if holomorphic:
                _numbers("jacfwd", results, True)
            found, results.aux = _apart(results.aux)
            box[:] = [results]  # of many chunks, the last one's values alone
            return tuple(moved), found

        blocks: list[list[Any]] = []
        aux: Any = ()
        for tangents in _basis(flat.arrays):
            moved, aux = vmap(column, out_axes=(-1, None), chunk_size=chunk_size)(*tangents)
            blocks.append(moved)
        results = box[-1]
        outs = []
        for j in range(len(results.arrays)):
            parts = [
                array_namespace(b[j]).reshape(b[j], (*b[j].shape[:-1], *x.shape))
                for b, x in zip(blocks, flat.arrays, strict=True)
            ]
            one = flat.structure.unflatten(parts)
            outs.append(one[0] if single else one)
        jacobian = results.structure.unflatten(outs)
        return (jacobian, results.aux(aux)) if has_aux else jacobian

    return differentiated


def jacrev(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of another by reverse mode.

    Parameters
    ----------
    fun : callable
        A function that returns arrays in any nested structure; with `has_aux`, a pair of them and
        other data.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate.
    has_aux : bool, optional
        Whether `fun` returns such a pair.
    holomorphic : bool, optional
        Whether `fun` is a holomorphic function of complex arguments, so that its derivative is a
        complex number.
    chunk_size : int, optional
        The number of rows to compute at once; all by default.

    Returns
    -------
    callable
        A function of the arguments of `fun`; its result is that of `jacfwd`.

    Raises
    ------
    DtypeError
        When called, if an argument is not floating.

    Notes
    -----
    As ``jax.jacrev``: one call of `fun`, and a batch of pullbacks, one for each element of the
    results. Use it for many arguments and few results.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import jacrev
    >>> jacrev(lambda x: x * x)(np.asarray([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    check_chunks("jacrev", chunk_size)

    @functools.wraps(fun)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        chosen, single = _positions("jacrev", argnums, args)
        flat = _flat("jacrev", tuple(args[i] for i in chosen))
        _complex_only("jacrev", flat, holomorphic)
        of_chosen = _partial(fun, args, kwargs, chosen)
        results, pull = _reverse("jacrev", of_chosen, flat, has_aux)
        _numbers("jacrev", results, holomorphic)

        def row(*cotangents: Any) -> tuple[Any, ...]:
            return tuple(pull(cotangents))

        outs = []
        for y, cotangents in zip(results.arrays, _basis(results.arrays), strict=True):
            found = vmap(row, chunk_size=chunk_size)(*cotangents)
            parts = [
                array_namespace(c).reshape(c, (*y.shape, *x.shape))
                for c, x in zip(found, flat.arrays, strict=True)
            ]
            one = flat.structure.unflatten(parts)
            outs.append(one[0] if single else one)
        jacobian = results.structure.unflatten(outs)
        return (jacobian, results.aux) if has_aux else jacobian

    return differentiated


def jacobian(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of another by the cheaper mode.

    Parameters
    ----------
    fun : callable
        A function that returns arrays in any nested structure; with `has_aux`, a pair of them and
        other data.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate.
    has_aux : bool, optional
        Whether `fun` returns such a pair.
    holomorphic : bool, optional
        Whether `fun` is a holomorphic function of complex arguments, so that its derivative is a
        complex number.
    chunk_size : int, optional
        The number of columns or rows to compute at once; all by default.

    Returns
    -------
    callable
        A function of the arguments of `fun`; its result is that of `jacfwd`.

    Raises
    ------
    DtypeError
        When called, if an argument is not floating.

    Notes
    -----
    Uses forward mode (`jacfwd`) for up to 16 elements of the arguments, which needs no call of
    `fun` to count the results. Above that, one call counts them, and reverse mode (`jacrev`) is
    used if there are fewer elements of the results than of the arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import jacobian
    >>> jacobian(lambda x: x * x)(np.asarray([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    check_chunks("jacobian", chunk_size)

    @functools.wraps(fun)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        chosen, _ = _positions("jacobian", argnums, args)
        flat = _flat("jacobian", tuple(args[i] for i in chosen))
        columns = sum(map(_size, flat.arrays))
        rows = not holomorphic and any(map(_is_complex, flat.arrays))
        if columns > 16 and not rows:
            of_chosen = _partial(fun, args, kwargs, chosen)
            results = _Results("jacobian", flat.call(of_chosen, flat.arrays), has_aux)
            real = holomorphic or not any(map(_is_complex, results.arrays))
            rows = real and sum(map(_size, results.arrays)) < columns
        way = jacrev if rows else jacfwd
        return way(fun, argnums, has_aux, holomorphic, chunk_size=chunk_size)(*args, **kwargs)

    return differentiated


def hessian(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that computes the Hessian of another.

    Parameters
    ----------
    fun : callable
        A function that returns real arrays; with `has_aux`, a pair of them and other data.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate.
    has_aux : bool, optional
        Whether `fun` returns such a pair.
    holomorphic : bool, optional
        Whether `fun` is a holomorphic function of complex arguments, so that its derivative is a
        complex number.
    chunk_size : int, optional
        The number of columns to compute at once; all by default.

    Returns
    -------
    callable
        A function of the arguments of `fun` that returns, for each result and each pair of
        arguments, an array of shape ``result.shape + first.shape + second.shape``.

    Raises
    ------
    DtypeError
        When called, if an argument is not floating.

    Notes
    -----
    As ``jax.hessian``: `jacfwd` of `jacrev`. For one direction use `hvp`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import hessian
    >>> hessian(lambda x: x @ x**2)(np.asarray([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    check_chunks("hessian", chunk_size)
    inner = jacrev(fun, argnums, has_aux, holomorphic)
    return jacfwd(inner, argnums, has_aux, holomorphic, chunk_size=chunk_size)


def hvp(fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Multiply the Hessian of a function with a vector.

    Parameters
    ----------
    fun : callable
        A function that returns a real scalar array.
    primals, tangents : tuple or list
        Arguments, and a direction for each with the same structure, shapes and dtypes.

    Returns
    -------
    tuple
        The product for each primal; without the tuple if there is only one primal.

    Raises
    ------
    TransformError, ShapeError, DtypeError
        If the result is not a real scalar, or a tangent doesn't fit.

    Notes
    -----
    Computes the `jvp` of the gradient, without forming the matrix, at a small multiple of the cost
    of `fun` (Pearlmutter 1994).

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import hvp
    >>> hvp(lambda x: x @ x**2, (np.asarray([1.0, 2.0]),), (np.asarray([1.0, 1.0]),))
    array([ 6., 12.])
    """
    argnums: int | tuple[int, ...] = 0 if len(primals) == 1 else tuple(range(len(primals)))
    return jvp(grad(fun, argnums), primals, tangents)[1]
