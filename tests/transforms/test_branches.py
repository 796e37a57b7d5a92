"""Branches against JAX and plain Python."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from likewise import array_namespace
from likewise.errors import ArgumentError, DtypeError, TransformError
from likewise.transforms import cond, grad, hessian, jacfwd, jvp, switch, vmap

X = np.asarray([-1.0, 0.5, 2.0])


class Out(NamedTuple):
    a: Any
    b: Any


def bent(x: Any) -> Any:
    """x² below 0, sin x above, of nested operands and results."""
    out = cond(
        x < 0,
        lambda p: Out(p["x"] ** 2, (p["x"], None)),
        lambda p: Out(array_namespace(p["x"]).sin(p["x"]), (2 * p["x"], None)),
        {"x": x},
    )
    return out.a + 0 * out.b[0], out


VALUES = np.where(X < 0, X**2, np.sin(X))
SLOPES = np.where(X < 0, 2 * X, np.cos(X))
CURVES = np.where(X < 0, 2.0, -np.sin(X))


@pytest.mark.long("jax")
def test_cond(place: Any) -> None:
    for x, value, slope, curve in zip(X, VALUES, SLOPES, CURVES, strict=True):
        at = place.array(x)
        place.same(bent(at)[1], Out(value, (x if x < 0 else 2 * x, None)))
        place.same(grad(lambda x: bent(x)[0])(at), slope)
        place.same(jvp(lambda x: bent(x)[0], (at,), (at,))[1], slope * x)
        place.same(hessian(lambda x: bent(x)[0])(at), curve)


def test_cond_in_lanes_that_differ(place: Any) -> None:
    x = place.array(X)
    _, out = vmap(bent)(x)
    place.same(out, Out(VALUES, (np.where(X < 0, X, 2 * X), None)))
    place.same(vmap(grad(lambda x: bent(x)[0]))(x), SLOPES)
    total = lambda x: array_namespace(x).sum(vmap(bent)(x)[0])  # noqa: E731
    place.same(grad(total)(x), SLOPES)
    place.same(vmap(grad(grad(lambda x: bent(x)[0])))(x), CURVES)
    place.same(jacfwd(lambda x: vmap(bent)(x)[0])(x), np.diag(SLOPES))
    # all lanes alike: only one function is called
    place.same(vmap(bent)(x[1:])[0], VALUES[1:])
    place.same(
        vmap(lambda p, x: cond(p, lambda x: x, lambda x: -x, x), (0, None))(
            x < 0, place.array(3.0)
        ),
        np.asarray([3.0, -3.0, -3.0]),
    )


def test_only_one_is_called(place: Any) -> None:
    if place.name == "jax":  # traces both
        return

    def never(x: Any) -> Any:
        raise AssertionError

    x = place.array(1.0)
    place.same(cond(x > 0, lambda x: x, never, x), np.asarray(1.0))
    place.same(cond(False, never, lambda x: x, x), np.asarray(1.0))
    place.same(switch(place.xp.asarray(1), [never, lambda x: x, never], x), np.asarray(1.0))
    place.same(
        vmap(lambda x: cond(x > 0, lambda x: x, never, x))(place.array([1.0, 2.0])),
        np.asarray([1.0, 2.0]),
    )


def test_numbers_as_condition(place: Any) -> None:
    x = place.array(1.0)
    for pred, sign in ((1, 1), (0.0, -1), (True, 1), (place.xp.asarray(2), 1), (x * 0, -1)):
        place.same(cond(pred, lambda x: x, lambda x: -x, x), np.asarray(1.0 * sign))


BRANCHES = [lambda x: {"y": x}, lambda x: {"y": x**2}, lambda x: {"y": x**3}]


def test_switch(place: Any) -> None:
    x = place.array(2.0)
    for index, value in ((-5, 2.0), (0, 2.0), (1, 4.0), (2, 8.0), (9, 8.0)):
        place.same(switch(index, BRANCHES, x), {"y": np.asarray(value)})
        place.same(switch(place.xp.asarray(index), BRANCHES, x), {"y": np.asarray(value)})
    place.same(switch(place.xp.asarray(7), BRANCHES[:1], x), {"y": np.asarray(2.0)})


def test_switch_in_lanes_that_differ(place: Any) -> None:
    index = place.array([-1, 0, 1, 2, 5], "int64")
    power = np.asarray([1, 1, 2, 3, 3])
    x = place.array(np.full(5, 2.0))
    of = lambda i, x: switch(i, BRANCHES, x)["y"]  # noqa: E731
    place.same(vmap(of)(index, x), 2.0**power)
    place.same(vmap(of, (0, None))(index, x[0]), 2.0**power)
    place.same(vmap(grad(of, 1))(index, x), power * 2.0 ** (power - 1))
    place.same(vmap(of)(index[2:], x[2:]), 2.0 ** power[2:])


def test_refused(place: Any) -> None:
    """The classes of JAX's errors."""
    x = place.array(1.0)
    same = lambda x: x  # noqa: E731
    two = place.array([1.0, 2.0])
    with pytest.raises(TypeError, match=r"scalar"):
        cond(two > 0, same, same, x)
    with pytest.raises(DtypeError, match="integer index.*float64"):
        switch(x, BRANCHES, x)
    for index in (0.5, True):
        with pytest.raises(DtypeError, match="integer index"):
            switch(index, BRANCHES, x)
    with pytest.raises(TransformError, match=r"scalar index.*\(2,\)"):
        switch(place.array([0, 1], "int64"), BRANCHES, x)
    with pytest.raises(ArgumentError, match="at least one branch"):
        switch(0, [], x)


def test_results_that_differ(place: Any) -> None:
    """Noticed where both are called."""
    x = place.array(X)
    narrow = lambda x: place.xp.float32  # noqa: E731
    others = {
        "structure": lambda x: {"y": (x,)},
        r"float32|equal": lambda x: {"y": array_namespace(x).astype(x, narrow(x))},
        r"\(1,\)|equal": lambda x: {"y": array_namespace(x).reshape(x, (1,))},
    }
    for match, other in others.items():
        with pytest.raises(TypeError, match=match):
            vmap(lambda x, o=other: cond(x > 0, lambda x: {"y": x}, o, x))(x)
        with pytest.raises(TypeError, match=match):
            vmap(lambda i, x, o=other: switch(i, [lambda x: {"y": x}, o], x))(
                place.array([0, 1, 1], "int64"), x
            )
    if place.name != "jax":
        with pytest.raises(TransformError, match=r"result\['y'\] is \(\) of"):
            vmap(lambda x: cond(x > 0, lambda x: {"y": x}, other, x))(x)
