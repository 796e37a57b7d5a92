"""Sums of products by Einstein's convention, as matrix products of two operands at a time."""

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, is_neutral
from .._native import native, public
from ..errors import ArgumentError, ShapeError
from ._axes import as_given

__all__ = ["einsum"]

Labels = tuple[int, ...]

_PATHS = (
    "auto",
    "auto-hq",
    "branch-1",
    "branch-2",
    "branch-all",
    "dp",
    "greedy",
    "optimal",
)
_NAMES = tuple(f"operand {i}" for i in range(64))
_LETTERS = 52  # labels that NumPy and torch can tell apart


@public
def einsum(subscripts: Any, *operands: Any, optimize: Any = "auto") -> Any:
    """Sum products of arrays by Einstein's convention.

    Parameters
    ----------
    subscripts : str
        A letter for each axis, with terms separated by commas: ``"ij,jk->ik"``. Axes with the same
        letter have the same size, or size 1; letters that are not after the arrow are summed over.
        An ellipsis is any number of axes, which broadcast. Without an arrow, the result has the
        ellipsis, then the letters that occur once, in alphabetical order.
    *operands : array or scalar
        One operand per term, of numbers. NumPy's other form works, too:
        ``einsum(a, [0, 1], b, [1, 2], [0, 2])``, with lists of numbers and ``Ellipsis``.
    optimize : bool, str or list of tuple of int, optional
        The order in which more than two operands are multiplied: 'auto' or True, 'auto-hq',
        'greedy', 'optimal', 'dp', 'branch-1', 'branch-2', 'branch-all', as in opt_einsum; False for
        left to right; or the order itself, as ``numpy.einsum_path`` returns it.

    Returns
    -------
    array
        Of the common dtype.

    Raises
    ------
    ArgumentError
        If subscripts are malformed or don't match the number of operands; if a subscript of the
        result is in no operand, or occurs twice; if axes of an ellipsis are not in the result; if
        `optimize` is no order of the operands.
    ShapeError
        If an operand's number of axes differs from its subscripts, or sizes of one subscript
        differ.
    DtypeError
        If operands don't hold numbers.

    Notes
    -----
    The order is found from the sizes (D. G. A. Smith, J. Gray, Journal of Open Source Software 3,
    753, 2018). Two operands at a time are multiplied: as matrices if a common subscript is summed
    over, else by broadcasting. Differentiable.

    Differs from NumPy: dtypes are promoted as everywhere in likewise, and `optimize` is on. The
    result may be a view or a copy: don't write to it. Booleans are combined by "and" and "or", as
    in NumPy.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import einsum
    >>> a = np.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> einsum("ij,j->i", a, np.asarray([1.0, 10.0]))
    array([21., 43.])
    >>> einsum("ii", a)
    np.float64(5.0)
    """
    terms: Any = subscripts
    if not isinstance(subscripts, str):
        terms, operands = _lists((subscripts, *operands))
    if not operands:
        raise ArgumentError("einsum: at least one operand was expected, got none")
    xp = array_namespace(*operands)
    arrays = list(_plan.common_numbers("einsum", xp, _NAMES[: len(operands)], *operands))
    dtype = arrays[0].dtype
    if dtype == xp.bool:  # a sum of them is whether there is one
        arrays = [xp.astype(x, xp.int32) for x in arrays]
    inputs, output, names = _parsed(terms, tuple([x.ndim for x in arrays]))
    inputs = _fit(xp, arrays, inputs, names)
    order = _order(optimize, len(arrays))
    if order == "auto" and len(names) <= _LETTERS:
        args: list[Any] = []
        for x, labels in zip(arrays, inputs, strict=True):
            args += (x, labels)
        out = _einsum(*args, output)
    else:
        out = as_given(_contract(arrays, inputs, output, order))
    return as_given(out != 0) if dtype == xp.bool else out


# -- parsing subscripts ----------------------------------------------------------------------------


def _lists(args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Terms, result and operands of the form with lists."""
    pairs = len(args) // 2
    operands, lists = args[: 2 * pairs : 2], list(args[1 : 2 * pairs : 2])
    if len(args) % 2:
        lists.append(args[-1])
    terms = []
    for found in lists:
        if not isinstance(found, list | tuple) or any(
            s is not Ellipsis and (isinstance(s, bool) or not hasattr(s, "__index__") or s < 0)
            for s in found
        ):
            raise ArgumentError(
                "einsum: subscripts must be a string, or after each operand a list of numbers and "
                f"Ellipsis, got {found!r}"
            )
        terms.append(tuple(s if s is Ellipsis else s.__index__() for s in found))
    return (tuple(terms[:pairs]), terms[-1] if len(args) % 2 else None), operands


@functools.lru_cache(maxsize=1024)
def _parse(terms: Any, ndims: Labels) -> tuple[tuple[Labels, ...], Labels, tuple[str, ...]]:
    """The subscripts of operands and result, as numbers, and the letter of each number.

    Axes of an ellipsis are counted from the last: -1, -2 ...
    """
    text = repr(terms) if isinstance(terms, str) else "lists of numbers"
    left, right = _tokens(terms) if isinstance(terms, str) else terms
    if len(left) != len(ndims):
        raise ArgumentError(f"einsum: {text} names {len(left)} operands, got {len(ndims)}")
    expanded, wide = [], 0
    for i, (term, ndim) in enumerate(zip(left, ndims, strict=True)):
        dots = term.count(Ellipsis)
        more = ndim - len(term) + dots
        if dots > 1 or more < 0 or (more and not dots):
            raise (ArgumentError if dots > 1 else ShapeError)(
                f"einsum: the term {_shown(term)} of operand {i} has {len(term) - dots} subscripts"
                f"{' and one ellipsis' * dots}, but the operand has {ndim} axes"
            )
        expanded.append(_expanded(term, more))
        wide = max(wide, more)
    everything = [s for term in expanded for s in term]
    if right is None:
        singles = {s for term in left for s in term if s is not Ellipsis}
        result = (Ellipsis, *sorted(s for s in singles if everything.count(s) == 1))
    else:
        result = right
        if wide and Ellipsis not in right:
            raise ArgumentError(
                f"einsum: an ellipsis of {text} stands for {wide} axes that the result lacks; "
                "write '...' there"
            )
    output = _expanded(result, wide)
    for s in output:
        if output.count(s) > 1 or s not in everything:
            raise ArgumentError(
                f"einsum: the result {_shown(result)} of {text} names {_shown((s,))} "
                f"{'more than once' if output.count(s) > 1 else 'which is in no operand'}"
            )
    number = {s: i for i, s in enumerate(dict.fromkeys(everything))}
    names = tuple(_shown((s,)) for s in number)
    inputs = tuple(tuple(number[s] for s in term) for term in expanded)
    return inputs, tuple(number[s] for s in output), names


def _parsed(terms: Any, ndims: Labels) -> Any:
    return _parse(terms, ndims)


# torch.compile calls it at trace time: the answer depends on no tensor.
_parsed._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _tokens(text: str) -> tuple[list[Any], Any]:
    """Letters and ellipses of each term, and of the result if there is one."""
    left, arrow, right = text.replace(" ", "").partition("->")
    found: list[tuple[Any, ...]] = []
    for term in (*left.split(","), right):
        tokens = tuple(Ellipsis if c == "…" else c for c in term.replace("...", "…"))
        for c in tokens:
            if c is not Ellipsis and not c.isalpha():
                raise ArgumentError(
                    "einsum: subscripts are letters, commas, one '->' and ellipses '...', got "
                    f"{text!r}"
                )
        found.append(tokens)
    return found[:-1], found[-1] if arrow else None


def _expanded(term: Sequence[Any], more: int) -> tuple[Any, ...]:
    """Replace the ellipsis of a term by a number of axes."""
    axes = tuple(("...", k) for k in range(-more, 0))
    return tuple(t for s in term for t in (axes if s is Ellipsis else (s,)))


def _shown(term: Iterable[Any]) -> str:
    if all(isinstance(s, str) for s in term if s is not Ellipsis):
        return repr("".join("..." if s is Ellipsis else s for s in term))
    shown = ["..." if s is Ellipsis or isinstance(s, tuple) else str(s) for s in term]
    return "'" + " ".join(shown) + "'"


def _fit(
    xp: Any, arrays: list[Any], inputs: tuple[Labels, ...], names: tuple[str, ...]
) -> tuple[Labels, ...]:
    """Subscripts of the operands, without axes of size 1 that another operand has larger."""
    sizes: dict[int, int] = {}
    for x, labels in zip(arrays, inputs, strict=True):
        for n, s in zip(x.shape, labels, strict=True):
            if sizes.setdefault(s, n) != n:
                return _without_ones(xp, arrays, inputs, names)
    return inputs


def _sizes_differ(
    arrays: list[Any], inputs: tuple[Labels, ...], label: int, name: str
) -> ShapeError:
    came = [
        f"{n} in operand {i}"
        for i, (x, labels) in enumerate(zip(arrays, inputs, strict=True))
        for n, s in zip(x.shape, labels, strict=True)
        if s == label
    ]
    return ShapeError(
        f"einsum: subscript {name} must have one size (or 1), but has {' and '.join(came)}"
    )


def _without_ones(
    xp: Any, arrays: list[Any], inputs: tuple[Labels, ...], names: tuple[str, ...]
) -> tuple[Labels, ...]:
    sizes: dict[int, int] = {}
    for x, labels in zip(arrays, inputs, strict=True):
        for n, s in zip(x.shape, labels, strict=True):
            known = sizes.get(s, 1)
            if 1 != known != n != 1:
                raise _sizes_differ(arrays, inputs, s, names[s])
            sizes[s] = n if known == 1 else known
    kept = []
    for i, labels in enumerate(inputs):
        x = arrays[i]
        axes = tuple([a for a, s in enumerate(labels) if x.shape[a] != sizes[s]])
        for a in axes:
            if any(x.shape[b] != 1 for b, s in enumerate(labels) if s == labels[a]):
                raise _sizes_differ(arrays, inputs, labels[a], names[labels[a]])
        arrays[i] = xp.squeeze(x, axis=axes) if axes else x
        kept.append(tuple([s for a, s in enumerate(labels) if a not in axes]))
    return tuple(kept)


# -- the order -------------------------------------------------------------------------------------


def _order(optimize: Any, count: int) -> Any:
    """'auto' or another way to find the order, or the order itself."""
    if optimize == "auto" or optimize is True:
        return "auto"
    if optimize is False:
        return ((0, 1),) + ((0, -1),) * (count - 2) if count > 1 else ()
    if isinstance(optimize, str):
        _plan.choice("einsum", "optimize", optimize, _PATHS)
        return optimize
    return _given_order(optimize, count)


def _given_order(optimize: Any, count: int) -> tuple[Labels, ...]:
    error = ArgumentError(
        f"einsum: optimize must be a bool, one of {', '.join(_PATHS)}, or an order of {count} "
        f"operands, got {optimize!r}"
    )
    left, steps = count, []
    try:
        for step in optimize:
            if step == "einsum_path":  # as NumPy begins it
                continue
            numbers = tuple(i.__index__() for i in step)
            if not numbers or len({i % left for i in numbers}) != len(numbers):
                raise error
            if not all(-left <= i < left for i in numbers):
                raise error
            left -= len(numbers) - 1
            steps.append(numbers)
    except (TypeError, AttributeError, ZeroDivisionError):
        raise error from None
    if left != 1:
        raise error
    return tuple(steps)


@functools.lru_cache(maxsize=1024)
def _find_path(
    inputs: tuple[Labels, ...], output: Labels, shapes: tuple[Labels, ...], optimize: str
) -> tuple[Labels, ...]:
    import opt_einsum  # which loads NumPy; three operands are rare

    symbols = ["".join(map(opt_einsum.get_symbol, labels)) for labels in (*inputs, output)]
    equation = ",".join(symbols[:-1]) + "->" + symbols[-1]
    path, _ = opt_einsum.contract_path(equation, *shapes, shapes=True, optimize=optimize)
    return tuple(tuple(step) for step in path)


def _path(
    inputs: tuple[Labels, ...], output: Labels, shapes: tuple[Labels, ...], optimize: str
) -> tuple[Labels, ...]:
    return _find_path(inputs, output, shapes, optimize)


_path._dynamo_marked_constant = True  # type: ignore[attr-defined]


# -- the work --------------------------------------------------------------------------------------


def _floating(x: Any, *args: Any) -> bool:
    """Floating dtypes."""
    xp = array_namespace(x)
    return x.dtype in (xp.float64, xp.float32, xp.complex128, xp.complex64)


@native(when=_floating, jax="jax.numpy:einsum", torch="torch:einsum")
def _einsum(*args: Any) -> Any:
    return as_given(_contract(args[:-1:2], args[1:-1:2], args[-1], "auto"))


def _contract(arrays: Sequence[Any], inputs: Sequence[Labels], output: Labels, order: Any) -> Any:
    """Multiply two operands at a time, in a given order or in one that is found here."""
    if any(0 in x.shape for x in arrays):  # which Dask can't reshape
        return _zeros(arrays, inputs, output)
    if len(arrays) == 1:
        return arrays[0] if inputs[0] == output else _single(arrays[0], inputs[0], output)
    if len(arrays) == 2:
        return _pair(arrays[0], inputs[0], arrays[1], inputs[1], output)
    if isinstance(order, str):
        order = _path(tuple(inputs), output, tuple([tuple(x.shape) for x in arrays]), order)
    rest = list(zip(arrays, inputs, strict=True))
    for step in order:
        places = [i % len(rest) for i in step]
        chosen = [rest[i] for i in places]
        rest = [r for i, r in enumerate(rest) if i not in places]
        while len(chosen) > 1:
            (x, s), (y, t) = chosen[:2]
            others = [labels for _, labels in (*chosen[2:], *rest)]
            out = _kept(s, t, {u for labels in (output, *others) for u in labels})
            out = out if others else output
            chosen[:2] = [(_pair(x, s, y, t, out), out)]
        rest.append(chosen[0])
    ((x, labels),) = rest
    return x if labels == output else _single(x, labels, output)


def _zeros(arrays: Sequence[Any], inputs: Sequence[Labels], output: Labels) -> Any:
    """Sums of nothing."""
    sizes = {
        s: n for x, t in zip(arrays, inputs, strict=True) for n, s in zip(x.shape, t, strict=True)
    }
    x = arrays[0]
    shape = tuple([sizes[s] for s in output])
    return array_namespace(x).zeros(shape, dtype=x.dtype, device=device(x))


def _kept(s: Labels, t: Labels, needed: set[int]) -> Labels:
    """Subscripts of a product, in the order in which a matrix product makes them."""
    both = [u for u in dict.fromkeys(s) if u in t and u in needed]
    others = [u for u in dict.fromkeys((*s, *t)) if (u in s) != (u in t) and u in needed]
    return (*both, *others)


# -- one operand -----------------------------------------------------------------------------------


def _summed(x: Any, labels: Labels, out: Labels) -> bool:
    """operands that lose axes, not only change their order."""
    return len(labels) != len(out)


@native(when=_summed, numpy="numpy:einsum")
def _single(x: Any, labels: Labels, out: Labels) -> Any:
    """Diagonals, sums and permutation of one operand."""
    xp = array_namespace(x)
    for s in dict.fromkeys(labels):
        while labels.count(s) > 1:
            i = labels.index(s)
            j = labels.index(s, i + 1)
            x, labels = _diagonal(xp, x, labels, i, j)
    axes = tuple([i for i, s in enumerate(labels) if s not in out])
    if axes:
        x = xp.sum(x, axis=axes, dtype=x.dtype)
        labels = tuple([s for s in labels if s in out])
    order = tuple([labels.index(s) for s in out])
    return x if order == tuple(range(len(out))) else xp.permute_dims(x, order)


def _diagonal(xp: Any, x: Any, labels: Labels, i: int, j: int) -> tuple[Any, Labels]:
    """The diagonal of two axes, as the last axis."""
    others = [a for a in range(x.ndim) if a not in (i, j)]
    n = x.shape[i]
    x = xp.permute_dims(x, (*others, i, j))
    x = xp.reshape(x, (*x.shape[:-2], n * n))[..., :: n + 1]
    return x, (*[labels[a] for a in others], labels[i])


# -- two operands ----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def _lower(s: Labels, t: Labels, out: Labels) -> tuple[Any, ...]:
    """How a product of two operands becomes one of matrices, from the subscripts alone.

    The subscripts that are left of each operand, and whether they are the same ones; then nothing,
    if none is summed over; or whether to swap the operands, for both how to make matrices of them
    (`_matrix`), the subscripts of the result, how to permute these, and whether it has other axes
    than the matrices' product.
    """
    s = tuple([u for u in dict.fromkeys(s) if u in t or u in out])
    t = tuple([u for u in dict.fromkeys(t) if u in s or u in out])
    inner = [u for u in s if u in t and u not in out]
    if not inner:
        return s, t, False, None
    rows = [u for u in out if u not in t]
    cols = [u for u in out if u not in s]
    batch = [u for u in out if u in s and u in t]
    swap = bool(cols and rows and out.index(cols[0]) < out.index(rows[0]))
    left, right = (t, s) if swap else (s, t)
    if swap:  # then less is to be permuted
        rows, cols = cols, rows
    made = (*batch, *rows, *cols)
    return (
        s,
        t,
        not rows and not cols,
        (
            swap,
            _layout(left, batch, rows, inner),
            _layout(right, batch, inner, cols),
            made,
            None if made == out else tuple([made.index(u) for u in out]),
            len(rows) != 1 or len(cols) != 1 or len(batch) > 1,
        ),
    )


def _layout(labels: Labels, batch: list[int], front: list[int], back: list[int]) -> Any:
    """The permutation to (batch, front, back), how many of each to merge, and if to transpose."""
    # Axes that stay where they are need not be copied: the product takes transposed matrices.
    turned = bool(front) and labels[-1] == front[-1]
    if turned:
        front, back = back, front
    order = tuple([labels.index(u) for u in (*batch, *front, *back)])
    simple = len(batch) <= 1 and len(front) == 1 and len(back) == 1
    return (
        None if order == tuple(range(len(order))) else order,
        None if simple else (len(batch), len(batch) + len(front)),
        turned,
    )


def _lowered(s: Labels, t: Labels, out: Labels) -> Any:
    return _lower(s, t, out)


_lowered._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _not_for_blas(x: Any, s: Labels, y: Any, t: Labels, out: Labels) -> bool:
    """Sums of integers, and sums without subscripts of one operand alone."""
    _, _, same, how = _lowered(s, t, out)
    return how is not None and (same or not _floating(x))


@native(when=_not_for_blas, numpy="numpy:einsum")
def _pair(x: Any, s: Labels, y: Any, t: Labels, out: Labels) -> Any:
    """The sum of products of two operands."""
    xp = array_namespace(x)
    left, right, _, how = _lowered(s, t, out)
    x = x if s == left else _reduced(xp, x, s, left)
    y = y if t == right else _reduced(xp, y, t, right)
    if how is None:
        return _aligned(xp, x, left, out) * _aligned(xp, y, right, out)
    swap, first, second, made, order, reshaped = how
    size = dict(zip((*left, *right), (*x.shape, *y.shape), strict=True)) if reshaped else {}
    x, y = (y, x) if swap else (x, y)
    z = xp.matmul(_matrix(xp, x, *first), _matrix(xp, y, *second))
    if z.dtype != x.dtype:  # Dask's sums over chunks of small integers
        z = xp.astype(z, x.dtype)
    if reshaped:
        z = xp.reshape(z, tuple([size[u] for u in made]))
    return z if order is None else xp.permute_dims(z, order)


def _reduced(xp: Any, x: Any, labels: Labels, out: Labels) -> Any:
    """Without repeated subscripts, and those that nothing else has."""
    x = _single(x, labels, out)
    return xp.asarray(x) if is_neutral(x) else x


def _aligned(xp: Any, x: Any, labels: Labels, out: Labels) -> Any:
    """With the axes of the result, of size 1 where there is none."""
    if labels == out:
        return x
    order = tuple([labels.index(u) for u in out if u in labels])
    if order != tuple(range(len(order))):
        x = xp.permute_dims(x, order)
    if len(order) == len(out):
        return x
    size = iter(x.shape)
    return xp.reshape(x, tuple([next(size) if u in labels else 1 for u in out]))


def _matrix(xp: Any, x: Any, order: Labels | None, merge: Labels | None, turned: bool) -> Any:
    """(batch, front, back), each as one axis."""
    if order is not None:
        x = xp.permute_dims(x, order)
    if merge is not None:
        k, m = merge
        shape = x.shape
        lead = (math.prod(shape[:k]),) if k else ()
        x = xp.reshape(x, (*lead, math.prod(shape[k:m]), math.prod(shape[m:])))
    return xp.matrix_transpose(x) if turned else x
