"""Branches on values, of one problem or of a whole batch."""

from typing import Any

from ..._namespace import array_namespace, describe, hooks_of, is_neutral, library_of
from ...errors import NotSupported, TransformError
from .._tree import flatten, paths, same_structure
from ._interpreter import is_open
from ._proxy import Proxy, bottom, lift, seen
from ._space import space_of

__all__ = ["beside", "constants", "meeting", "settled", "structure_where"]


def constants(leaves: list[Any]) -> list[Any]:
    """Wrap raw arrays from outside an open transform, so that they combine with its arrays."""
    if not is_open():
        return leaves
    out = []
    for x in leaves:
        if hasattr(x, "dtype") and not is_neutral(x):
            x = lift(space_of(x), x)
        out.append(x)
    return out


def beside(x: Any, like: Any) -> Any:
    """Return an array that can be combined with `like`, which may be traced, or None."""
    traced = like.__class__ is Proxy and x.__class__ is not Proxy
    if traced and library_of(x) is library_of(bottom(like)):
        (x,) = constants([x])
    if type(x) is type(like) or not (is_neutral(x) or library_of(x) is not library_of(like)):
        return x
    return None  # it is of another library, or no array


def meeting(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arrays that can each stand left of traced ones in an operator."""
    space = next((a.space for a in arrays if a.__class__ is Proxy), None)
    if space is None or not space.of.refuses_strangers:
        return arrays
    return tuple(lift(space, a) for a in arrays)


def settled(function: str, pred: Any, *, only_bool: bool = False) -> tuple[bool, bool]:
    """Tell if a condition holds for any batch element, and if for all; equal without a batch."""
    if tuple(getattr(pred, "shape", ())) != ():
        raise TransformError(
            f"{function}: a condition must be a scalar truth value, got an array of shape "
            f"{tuple(pred.shape)}. Use xp.all or xp.any."
        )
    if pred.__class__ is Proxy and pred.by is not None and pred.by.sees:
        holds = bool(pred)
        return holds, holds
    raw = seen(pred, function)
    if only_bool and not _is_bool(raw):
        raise TransformError(
            f"{function}: a condition must be a scalar truth value, got a {describe(raw)}"
        )
    if is_neutral(raw):
        return bool(raw), bool(raw)
    library = hooks_of(raw)
    some = every = raw
    if raw.ndim:
        xp = array_namespace(raw)
        some, every = xp.any(raw), xp.all(raw)
    found, other = library.lanes(some), library.lanes(every)
    if found is None or other is None:
        raise NotSupported(
            f"{function}: {library.name or 'the library'} has no control flow over lazy "
            "arrays (or under torch.compile), and their condition has no value yet. Call it on "
            "eager arrays, or map it over blocks."
        )
    return bool(found[0]), bool(other[1])


def _is_bool(x: Any) -> bool:
    if is_neutral(x):
        return isinstance(x, bool) or getattr(getattr(x, "dtype", None), "kind", "") == "b"
    return bool(array_namespace(x).isdtype(x.dtype, "bool"))


def structure_where(function: str, pred: Any, yes: Any, no: Any) -> Any:
    """Choose between two structures of arrays by a condition for each batch element."""
    ones, structure = flatten(yes)
    others, its = flatten(no)
    same_structure(
        function, "where the condition holds", structure, "where not", its, TransformError
    )
    out = []
    for a, b, name in zip(ones, others, paths(structure, "result"), strict=True):
        if a is b:
            out.append(a)
            continue
        xp = array_namespace(pred, a, b)
        if is_neutral(a) and is_neutral(b):
            a = xp.asarray(a)
        elif not (is_neutral(a) or is_neutral(b)) and (
            tuple(a.shape) != tuple(b.shape) or a.dtype != b.dtype
        ):
            raise TransformError(
                f"{function}: results must have the same shape and dtype, but {name} is "
                f"{tuple(a.shape)} of {a.dtype} and {tuple(b.shape)} of {b.dtype}"
            )
        condition = xp.astype(pred, xp.bool)
        out.append(xp.where(condition, a, b))
    return structure.unflatten(out)
