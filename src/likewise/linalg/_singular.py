"""Errors for one singular matrix, and warnings that count those of a batch."""

import math
import warnings
from typing import Any

from .._namespace import array_namespace, hooks_of, is_concrete
from ..errors import ArgumentError, LinAlgWarning, _caller_of, _level

__all__ = ["all_finite", "judged", "refuse_infinite", "said", "zero_pivot"]

_AXES = (-2, -1)
# A matrix's name in messages where that isn't `a`.
_NAMED = {"solve_toeplitz": "the matrix", "solve_banded": "ab", "eigh": "b", "eigvalsh": "b"}


def said(x: Any, a: Any, *others: Any, why: str = "singular") -> Any:
    """Return results computed from matrices, with NaN for matrices that have none.

    Where values can be read, one such matrix raises an error, and a warning counts those of a
    batch. Calls from this package are not told, as they handle NaN.

    Parameters
    ----------
    x : array, shape (..., m, k)
        The results; infinite or NaN for matrices that have none.
    a : array, shape (..., n, n)
        The matrices.
    *others : array, shape (..., n, k)
        Right sides; results that aren't finite because of them are left alone.
    why : str
        The property that the message states of such a matrix.
    """
    if not is_concrete(x) or 0 in x.shape:
        return x
    xp = array_namespace(x)
    bad = ~xp.all(xp.isfinite(x), axis=_AXES)
    if not bool(xp.any(bad)):  # likewise: ignore[LW203]: values are at hand
        return x
    name, own = _caller_of("linalg")
    matrix = _NAMED.get(name, "a")
    finite = xp.all(xp.isfinite(a), axis=_AXES)
    if own or not all(map(all_finite, others)):
        return x
    if x.ndim == 2:
        if not bool(finite):  # likewise: ignore[LW203]: values are at hand
            raise _infinite(name, matrix)
        raise hooks_of(x).linalg_error(f"{name}: {matrix} is {why}")
    count, total = int(xp.count_nonzero(bad)), math.prod(bad.shape)
    first = int(xp.argmax(xp.astype(xp.reshape(bad, (-1,)), xp.int8)))
    warnings.warn(
        f"{name}: {count} of {total} matrices are {why}, or not finite; their results are NaN. The "
        f"first is number {first} of the batch",
        LinAlgWarning,
        stacklevel=_level(),
    )
    return xp.where(bad[..., None, None], xp.nan, x)


def _infinite(function: str, name: str) -> ArgumentError:
    return ArgumentError(
        f"{function}: {name} must be finite, got infinities or NaN. Replace them, say by "
        "likewise.missing.nan_to_num"
    )


def refuse_infinite(function: str, name: str, x: Any) -> None:
    """Raise an error if an array's values can be read and aren't all finite."""
    if is_concrete(x) and not all_finite(x):
        raise _infinite(function, name)


def all_finite(x: Any) -> bool:
    xp = array_namespace(x)
    return bool(xp.all(xp.isfinite(x)))  # likewise: ignore[LW203]: values are at hand


def judged(x: Any, a: Any) -> Any:
    """Return the inverse of one matrix; warn if it may have no correct digit."""
    if x.ndim != 2 or 0 in x.shape or not is_concrete(x):
        return x
    xp = array_namespace(x)
    one, other = (xp.max(xp.sum(xp.abs(v), axis=0)) for v in (x, a))
    size = float(one * other)  # likewise: ignore[LW203]: values are at hand
    if size * float(xp.finfo(x.dtype).eps) > 1:
        name, own = _caller_of("linalg")
        if not own:
            warnings.warn(
                f"{name}: an ill-conditioned matrix, whose reciprocal condition number is "
                f"{1 / size:.3g}: the result may not be accurate",
                LinAlgWarning,
                stacklevel=_level(),
            )
    return x


def zero_pivot(lu: Any) -> None:
    """Warn if the factors of one matrix have a zero on the diagonal."""
    if lu.ndim != 2 or not is_concrete(lu):
        return
    xp = array_namespace(lu)
    diagonal = xp.stack([lu[i, i] for i in range(min(lu.shape))])
    if bool(xp.any(diagonal == 0)):  # likewise: ignore[LW203]: values are at hand
        name, own = _caller_of("linalg")
        if name == "lu_factor" and not own:
            text = "lu_factor: a is singular: a zero is on the diagonal of u"
            warnings.warn(text, LinAlgWarning, stacklevel=_level())
