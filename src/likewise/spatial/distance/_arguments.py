"""Arguments of distances: vectors, weights, and options of a metric."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device
from ..._native import native
from ...errors import ArgumentError, ShapeError
from ._metrics import BOOLEAN, Extra, between

__all__ = ["checked", "extra_of", "floats", "of_two", "order"]


def order(function: str, p: Any) -> float:
    if not isinstance(p, int | float) or isinstance(p, bool) or not p > 0:
        raise ArgumentError(f"{function}: p must be a number above 0, got {p!r}")
    return float(p)


def floats(function: str, **given: Any) -> tuple[Any, list[Any]]:
    """Return real floating arrays of one dtype, and their namespace."""
    xp = array_namespace(*given.values())
    arrays = _plan.common_floating(function, xp, tuple(given), *given.values(), real=True)
    return xp, list(arrays)


def _countable(function: str, u: Any, v: Any, extra: Extra) -> bool:
    """Tell if a distance only counts elements, for which arrays needn't be floating."""
    if (function != "hamming" and function not in BOOLEAN) or extra.w is not None:
        return False
    xp = array_namespace(u, v)
    dtype = getattr(u, "dtype", None)
    if dtype is None or type(u) is not type(v) or dtype != v.dtype or device(u) != device(v):
        return False
    return _plan.is_dtype(xp, dtype, ("bool", "integral"))


def of_two(function: str, u: Any, v: Any, extra: Extra) -> Any:
    """Return a distance of vectors along the last axis."""
    given = {"w": extra.w, "V": extra.V, "VI": extra.VI}
    more = {k: x for k, x in given.items() if x is not None}
    rest: list[Any] = []
    if not _countable(function, u, v, extra):
        _, (u, v, *rest) = floats(function, u=u, v=v, **more)
    if u.ndim == 0 or v.ndim == 0 or u.shape[-1] != v.shape[-1]:
        raise ShapeError(
            f"{function}: u and v must be vectors of one length, got shapes {tuple(u.shape)} and "
            f"{tuple(v.shape)}"
        )
    extra = checked(function, u.shape[-1], extra._replace(**dict(zip(more, rest, strict=True))))
    w, p, V, VI, _, centered = extra
    return _of_vectors(u, v, function, w, p, V, VI, centered)


def _of_truth(u: Any, v: Any, function: str, w: Any, *_: Any) -> bool:
    """two vectors of truth values without weights, not empty."""
    if function not in BOOLEAN or function == "sokalsneath" or w is not None:
        return False
    return bool(u.dtype == array_namespace(u).bool and u.ndim == v.ndim == 1 and u.shape[0])


@native(numpy="likewise._libs.numpy._distances:distance", when=_of_truth)
def _of_vectors(
    u: Any, v: Any, function: str, w: Any, p: float, V: Any, VI: Any, centered: bool
) -> Any:
    return between(function, u, v, Extra(w, p, V, VI, None, centered))


def checked(function: str, n: int, extra: Extra) -> Extra:
    """Raise an error for weights, variances or covariances of a wrong size."""
    for name, shape in (("w", (n,)), ("V", (n,)), ("VI", (n, n))):
        x = getattr(extra, name)
        if x is not None and tuple(x.shape) != shape:
            raise ShapeError(f"{function}: {name} must have shape {shape}, got {tuple(x.shape)}")
    return extra


_KNOWN = {
    "minkowski": ("w", "p"),
    "seuclidean": ("V",),
    "mahalanobis": ("VI",),
    "jensenshannon": ("base",),
    "correlation": ("w", "centered"),
}


def extra_of(function: str, metric: str, given: dict[str, Any]) -> Extra:
    """Return the keyword arguments of a metric."""
    known = _KNOWN.get(metric, ("w",))
    for name in given:
        if name not in known:
            raise ArgumentError(
                f"{function}: metric {metric!r} takes {' and '.join(known)}, got {name!r}"
            )
    found = dict(given)
    if "p" in found:
        found["p"] = order(function, found["p"])
    base = found.get("base")
    if base is not None and not (isinstance(base, int | float) and base > 0 and base != 1):
        raise ArgumentError(f"{function}: base must be a number above 0, not 1, got {base!r}")
    if base is not None and not math.isfinite(base):
        raise ArgumentError(f"{function}: base must be finite, got {base!r}")
    return Extra(**found)
