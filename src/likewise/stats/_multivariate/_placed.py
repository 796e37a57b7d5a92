"""Points, locations and matrices of one library, dtype and device, as SciPy reads their shapes."""

import operator
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device
from ...errors import ArgumentError, DtypeError, ShapeError
from ._covariance import Covariance, of_matrix

__all__ = ["Placed", "kept", "located", "placed", "square"]


class Placed:
    """Hold the location and the covariance of a call, and its points less the location."""

    def __init__(
        self, xp: Any, dim: int, loc: Any, form: Any, held: Covariance | None, x: Any, asked: Any
    ) -> None:
        self.xp, self.dim, self.loc, self.form, self.held, self.x = xp, dim, loc, form, held, x
        self.asked = asked  # the function's name, the matrix's, and whether it may be singular
        ndim = form.ndim if held is None else len(held.shape)
        self.single = (loc is None or loc.ndim == 1) and ndim == 2

    @property
    def cov(self) -> Covariance:
        """The covariance in a form that whitens."""
        if self.held is None:
            function, name, singular = self.asked
            self.held = of_matrix(function, name, self.form, singular)
        return self.held

    def off(self, x: Any) -> Any:
        """Return points less the location."""
        return x if self.loc is None else x - self.loc

    def where_it_is(self) -> Any:
        """Return the location, zeros if none was given."""
        if self.loc is not None:
            return self.loc
        like = self.form if self.held is None else self.held.log_pdet
        return self.xp.zeros(self.dim, dtype=like.dtype, device=device(like))


def square(function: str, xp: Any, name: str, x: Any, dim: int) -> Any:
    """Return matrices (..., dim, dim) of a number, a diagonal or matrices."""
    if x.ndim < 2:
        if x.ndim and x.shape[0] != dim:
            raise ShapeError(
                f"{function}: {name} must hold the {dim} elements of a diagonal, got {x.shape[0]}"
            )
        return x * xp.eye(dim, dtype=x.dtype, device=device(x))
    rows, columns = x.shape[-2:]
    if rows != columns:
        raise ShapeError(
            f"{function}: array {name!r} must be square if it is two dimensional, but its shape "
            f"is {tuple(x.shape)}"
        )
    if rows != dim:
        raise ShapeError(
            f"{function}: dimension mismatch: array {name!r} is of shape {tuple(x.shape)}, but "
            f"vectors have length {dim}"
        )
    return x


def placed(
    function: str,
    loc: Any,
    cov: Any,
    x: Any = None,
    allow_singular: bool | None = False,
    names: tuple[str, str] = ("mean", "cov"),
    **others: Any,
) -> tuple[Placed, tuple[Any, ...]]:
    """Return what a call is about, and other arrays of it in the same dtype.

    Points get a last dimension as in SciPy: of one component if the distribution has one.
    """
    held = cov if isinstance(cov, Covariance) else None
    form = held.log_pdet if held is not None else 1.0 if cov is None else cov
    named = zip(("x", *names, *others), (x, loc, form, *others.values()), strict=True)
    given = {name: value for name, value in named if value is not None}
    values = tuple(given.values())
    xp = array_namespace(*values)
    found = _plan.common_floating(function, xp, tuple(given), *values, real=True)
    by_name = dict(zip(given, found, strict=True))
    x, loc, form = by_name.get("x"), by_name.get(names[0]), by_name[names[1]]
    if held is not None:
        dim, wide = held.shape[-1], len(held.shape) > 2
        if loc is not None and (loc.ndim == 0 or loc.shape[-1] == 1):
            loc = xp.broadcast_to(loc, (*loc.shape[:-1], dim))
    else:
        if loc is not None:
            loc = xp.reshape(loc, (1,)) if loc.ndim == 0 else loc
            dim = loc.shape[-1]
        else:
            dim = form.shape[-1] if form.ndim > 1 else 1
        form, wide = square(function, xp, names[1], form, dim), form.ndim > 2
    if loc is not None and loc.shape[-1] != dim:
        raise ShapeError(
            f"{function}: {names[1]} represents a covariance matrix in {dim} dimensions, and so "
            f"{names[0]} must be broadcastable to shape {(dim,)}, got {tuple(loc.shape)}"
        )
    if x is not None:
        x = _points(function, xp, x, dim)
        if wide or (loc is not None and loc.ndim > 1):
            sizes = form.shape if held is None else held.shape
            shapes = {"x": x.shape, names[1]: (*sizes[:-2], dim)}
            _plan.broadcast(function, **shapes, **({} if loc is None else {names[0]: loc.shape}))
    rest = tuple(by_name.get(name) for name in others)
    return Placed(xp, dim, loc, form, held, x, (function, names[1], allow_singular)), rest


def _points(function: str, xp: Any, x: Any, dim: int) -> Any:
    """Points with their components along the last axis."""
    if x.ndim == 0:
        x = xp.reshape(x, (1,))
    elif x.ndim == 1 and dim == 1:
        x = x[:, None]
    if x.shape[-1] == dim:
        return x
    if x.shape[-1] != 1:
        raise ShapeError(
            f"{function}: x must have {dim} components along its last axis, got shape "
            f"{tuple(x.shape)}"
        )
    return xp.broadcast_to(x, (*x.shape[:-1], dim))


def located(function: str, p: Placed, limit: Any) -> Any:
    """Return limits of integration less the location."""
    (limit,) = _plan.common_floating(function, p.xp, ("lower_limit",), limit, real=True)
    return p.off(_points(function, p.xp, limit, p.dim))


def kept(function: str, dimensions: Any, dim: int) -> list[int]:
    """Return the places of marginal variables, from 0 on."""
    given = dimensions.tolist() if hasattr(dimensions, "tolist") else dimensions
    items = list(given) if isinstance(given, list | tuple | range) else [given]
    if not items:
        raise ArgumentError(f"{function}: Cannot marginalize all dimensions: name those to keep")
    try:
        places = [operator.index(i) for i in items]
    except TypeError:
        raise DtypeError(
            f"{function}: elements of dimensions must be integers, the indices of the marginal "
            f"variables being retained, got {dimensions!r}"
        ) from None
    wrong = [i for i in places if not -dim <= i < dim]
    if wrong:
        raise ArgumentError(
            f"{function}: dimensions {wrong} are invalid for a distribution in {dim} dimensions"
        )
    places = [i % dim for i in places]
    if len(set(places)) != len(places):
        raise ArgumentError(
            f"{function}: all elements of dimensions must be unique, got {dimensions!r}"
        )
    return places
