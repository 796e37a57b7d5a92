"""Derivatives where there is more than one to choose from: the interpreter's, and the libraries'."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import likewise
from likewise.transforms import grad
from likewise.transforms._following._interpreter import interpreted

__all__ = ["KINKS", "Kink", "of_interpreter", "of_library"]

_INF = math.inf


class Kink(NamedTuple):
    """The derivative at `at` of a function of a number, as it is fixed here."""

    text: str
    fun: Callable[[Any, Any], Any]
    value: float
    at: float = 0.0


def _pair(xp: Any, x: Any, *more: float) -> Any:
    return xp.stack([x, *(x * 0 + m for m in more)])


def _ones(xp: Any, x: Any) -> Any:
    """Of ones and `x`: of rank one at 1, where a singular value is 0 or a rounding error."""
    return xp.stack([_pair(xp, x, 1, 1), *([xp.stack([x * 0 + 1] * 3)] * 2)])


def _diagonal(xp: Any, x: Any) -> Any:
    return xp.stack([_pair(xp, x, 0), xp.stack([x * 0, x * 0 + 1])])


def _norm(xp: Any, x: Any, order: Any) -> Any:
    return xp.linalg.matrix_norm(_diagonal(xp, x), ord=order)


def _svd(xp: Any, x: Any) -> Any:
    u, s, vh = xp.linalg.svd(_diagonal(xp, x), full_matrices=False)
    return xp.sum((u * s[None, :]) @ vh)


def _eigh(xp: Any, x: Any) -> Any:
    w, v = xp.linalg.eigh(_diagonal(xp, x))
    return xp.sum((v * w[None, :]) @ xp.matrix_transpose(v))


KINKS = [
    Kink("`abs(x)` at 0", lambda xp, x: xp.abs(x), 0),
    Kink("`abs(x)` at 0, complex", lambda xp, x: xp.abs(xp.astype(x, xp.complex128)), 0),
    Kink("`sign(x)` at 0", lambda xp, x: xp.sign(x), 0),
    Kink("`copysign(x, 1)` at 0", lambda xp, x: xp.copysign(x, x * 0 + 1), 0),
    Kink("`hypot(x, x)` at 0", lambda xp, x: xp.hypot(x, x), 0),
    Kink("`atan2(x, 0 * x)` at 0", lambda xp, x: xp.atan2(x, x * 0), math.nan),
    Kink("`sqrt(x)` at 0", lambda xp, x: xp.sqrt(x), _INF),
    Kink("`x**0` at 0", lambda xp, x: x**0, 0),
    Kink("`x**a` at 0, an array `a` of 0", lambda xp, x: x ** xp.asarray(0.0), 0),
    Kink("`a**x` at 0, an array `a` of 0", lambda xp, x: xp.asarray(0.0) ** x, 0),
    Kink("`x % 1` at 0", lambda xp, x: x % 1.0, 1),
    Kink(
        "`logaddexp(x, -inf)` at -inf", lambda xp, x: xp.logaddexp(x, xp.asarray(-_INF)), 1, -_INF
    ),
    Kink("`maximum(x, 0)` at 0", lambda xp, x: xp.maximum(x, x * 0), 0.5),
    Kink("`minimum(x, 0)` at 0", lambda xp, x: xp.minimum(x, x * 0), 0.5),
    Kink("`max([x, 0, 0, -1])` at 0", lambda xp, x: xp.max(_pair(xp, x, 0, 0, -1)), 1 / 3),
    Kink("`min([x, 0, 0, 1])` at 0", lambda xp, x: xp.min(_pair(xp, x, 0, 0, 1)), 1 / 3),
    Kink("`clip(x, 0, 1)` at 0", lambda xp, x: xp.clip(x, 0.0, 1.0), 0.5),
    Kink("`clip(x, 0, 1)` at 1", lambda xp, x: xp.clip(x, 0.0, 1.0), 0.5, 1.0),
    Kink("`clip(0, x, 1)` at 0", lambda xp, x: xp.clip(x * 0, x, x * 0 + 1), 0.5),
    Kink("`prod([x, 2, 3])` at 0", lambda xp, x: xp.prod(_pair(xp, x, 2, 3)), 6),
    Kink("`prod([x, x, 3])` at 0", lambda xp, x: xp.prod(xp.stack([x, x, x * 0 + 3])), 0),
    Kink(
        "`cumulative_prod([2, x, 3])[2]` at 0",
        lambda xp, x: xp.cumulative_prod(xp.stack([x * 0 + 2, x, x * 0 + 3]))[2],
        6,
    ),
    Kink("`std([x, 0])` at 0", lambda xp, x: xp.std(_pair(xp, x, 0)), 0),
    Kink("`std([x, 0.1, 0.1])` at 0.1", lambda xp, x: xp.std(_pair(xp, x, 0.1, 0.1)), 0, 0.1),
    Kink("`sort([x, 0])[0]` at 0", lambda xp, x: xp.sort(_pair(xp, x, 0))[0], 1),
    Kink(
        "`sort([x, 0], descending=True)[0]` at 0",
        lambda xp, x: xp.sort(_pair(xp, x, 0), descending=True)[0],
        1,
    ),
    Kink("`vector_norm([x, 0])` at 0", lambda xp, x: xp.linalg.vector_norm(_pair(xp, x, 0)), 0),
    Kink(
        "`vector_norm([x, 0], ord=1)` at 0",
        lambda xp, x: xp.linalg.vector_norm(_pair(xp, x, 0), ord=1),
        0,
    ),
    Kink(
        "`vector_norm([x, 1], ord=inf)` at 1",
        lambda xp, x: xp.linalg.vector_norm(_pair(xp, x, 1), ord=_INF),
        0.5,
        1.0,
    ),
    Kink(
        "`matrix_norm([[x, 0]])` at 0",
        lambda xp, x: xp.linalg.matrix_norm(xp.reshape(_pair(xp, x, 0), (1, 2))),
        0,
    ),
    Kink("`matrix_norm(diag(x, 1), ord=2)` at 1", lambda xp, x: _norm(xp, x, 2), 0.5, 1.0),
    Kink("`matrix_norm(diag(x, 1), ord='nuc')` at 1", lambda xp, x: _norm(xp, x, "nuc"), 1, 1.0),
    Kink(
        "`matrix_norm([[x, 1, 1], [1, 1, 1], [1, 1, 1]], ord='nuc')` at 1",
        lambda xp, x: xp.linalg.matrix_norm(_ones(xp, x), ord="nuc"),
        1 / 3,
        1.0,
    ),
    Kink("`matrix_norm(diag(x, 1), ord='nuc')` at 0", lambda xp, x: _norm(xp, x, "nuc"), 0),
    Kink("`sum((u * s) @ vh)` of `svd(diag(x, 1))` at 1", lambda xp, x: _svd(xp, x), 1, 1.0),
    Kink("`sum((v * w) @ v.T)` of `eigh(diag(x, 1))` at 1", lambda xp, x: _eigh(xp, x), 1, 1.0),
    Kink("`det(diag(x, 1))` at 0", lambda xp, x: xp.linalg.det(_diagonal(xp, x)), 1),
    Kink("`where(x < 1, x, nan)` at 0", lambda xp, x: xp.where(x < 1, x, xp.asarray(math.nan)), 1),
    Kink("`where(x > 0, log(x), x)` at 0", lambda xp, x: xp.where(x > 0, xp.log(x), x), math.nan),
    Kink(
        "`where(x > 0, log(where(x > 0, x, 1)), x)` at 0",
        lambda xp, x: xp.where(x > 0, xp.log(xp.where(x > 0, x, x * 0 + 1)), x),
        1,
    ),
]


def of_library(kink: Kink, library: str) -> float:
    """By the library's own transform, where it has one."""
    xp = likewise.namespace(library)
    with np.errstate(all="ignore"):
        x = xp.asarray(kink.at, dtype=xp.float64)
        return float(grad(lambda x: kink.fun(likewise.array_namespace(x), x))(x))


def of_interpreter(kink: Kink, library: str) -> float:
    with interpreted():
        return of_library(kink, library)
