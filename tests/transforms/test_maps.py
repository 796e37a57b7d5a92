"""Mapped and vectorized functions against JAX, NumPy and loops."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise.errors import ArgumentError, LikewiseError, ShapeError
from likewise.missing import at
from likewise.transforms import register_tree, vectorize, vmap

RNG = np.random.default_rng(7)
A = RNG.normal(size=(3, 4, 2))
B = RNG.normal(size=(4, 2))


def pair(a: Any, b: Any) -> Any:
    xp = array_namespace(a, b)
    return {"dot": xp.sum(a * b), "out": (a + b, xp.sin(a))}


# -- axes ------------------------------------------------------------------------------------------


@pytest.mark.needs("jax")
@pytest.mark.parametrize(
    ("in_axes", "out_axes"),
    [
        ((0, None), 0),
        ((0, None), {"dot": 0, "out": (1, -1)}),
        ((-3, None), {"dot": 0, "out": -2}),
        ((1, 0), {"dot": 0, "out": 1}),
        ((2, -1), {"dot": -1, "out": (0, 1)}),
    ],
)
@pytest.mark.parametrize("chunk_size", [None, 1, 2, 3])
@pytest.mark.needs("jax")
@pytest.mark.share(2)
def test_axes(place: Any, in_axes: Any, out_axes: Any, chunk_size: int | None) -> None:
    import jax

    b = {(1, 0): np.moveaxis(A, 1, 0) + 1, (2, -1): A - 1}.get(in_axes, B)
    made = jax.numpy.asarray(A), jax.numpy.asarray(b)
    expected = jax.tree.map(np.asarray, jax.vmap(pair, in_axes, out_axes)(*made))
    ours = vmap(pair, in_axes, out_axes, chunk_size=chunk_size)(place.array(A), place.array(b))
    place.same(ours, expected)


@dataclass
class Layer:
    weight: Any
    bias: Any


class Box:
    def __init__(self, *items: Any) -> None:
        self.items = items


register_tree(Box, lambda b: (b.items, None), lambda _, items: Box(*items))


def test_structures(place: Any) -> None:
    """in_axes as a prefix of nested arguments, keyword arguments over axis 0."""

    def fun(layer: Layer, rest: Any, *, scale: Any) -> Any:
        x, (shared, nothing) = rest["x"], rest["a"]
        assert nothing is None
        assert x.shape == (2,)
        return Layer((layer.weight * x + shared) * scale, layer.bias), Box(x)

    w, bias, x, shared, scale = A[:, 0], np.asarray(2.0), A[:, 1].T, B[0], np.asarray([1.0, 2, 3])
    at = place.array
    args = Layer(at(w), at(bias)), {"x": at(x), "a": (at(shared), None)}
    expected = (w * x.T + shared) * scale[:, None]
    for axes in (
        (Layer(0, None), {"x": 1, "a": None}),
        (Layer(0, None), {"a": (None, None), "x": -1}),
        [Layer(0, None), {"x": 1, "a": None}],
    ):
        layer, box = vmap(fun, axes)(*args, scale=at(scale))
        place.same(layer, Layer(expected, np.full(3, 2.0)))
        assert type(box) is Box
        place.same(box.items[0], x.T)
    layer, _ = vmap(fun, axes, (Layer(1, None), 0), chunk_size=2)(*args, scale=at(scale))
    place.same(layer, Layer(expected.T, np.asarray(2.0)))


def test_results_that_no_lane_differs_in(place: Any) -> None:
    a, b = place.array(A), place.array(B)
    place.same(vmap(lambda a, b: b, (0, None))(a, b), np.stack([B] * 3))
    place.same(vmap(lambda a, b: b, (0, None), 1)(a, b), np.stack([B] * 3, axis=1))
    place.same(vmap(lambda a, b: (a, b), (0, None), (0, None))(a, b), (A, B))
    place.same(vmap(lambda a: (a, 1.5))(a)[0], A)
    assert vmap(lambda a: (a, 1.5))(a)[1].shape == (3,)


def test_empty_and_one(place: Any) -> None:
    place.same(vmap(lambda a: a * 2)(place.array(A[:1])), 2 * A[:1])
    x = place.xp.zeros((0, 2), dtype=place.xp.float64)
    place.same(vmap(lambda a: a * 2)(x), np.zeros((0, 2)))


def test_nested(place: Any) -> None:
    """Maps within maps, over different axes."""
    a, b = place.array(A), place.array(B)
    expected = np.einsum("ijk,jl->kil", A, B)
    found = vmap(vmap(vmap(lambda x, y: x @ y, (None, 1)), (0, None)), (2, None))(a, b)
    place.same(found, expected)
    inner = vmap(lambda v: vmap(lambda y: array_namespace(y).sum(v * y), in_axes=1)(b))
    place.same(inner(place.array(B.T)), B.T @ B)


def test_one_call(place: Any) -> None:
    """True batching: the function runs once for all lanes."""
    calls: list[int] = []

    def fun(x: Any) -> Any:
        calls.append(1)
        return x * 2

    vmap(fun)(place.array(A))
    assert len(calls) == 1
    vmap(fun, chunk_size=2)(place.array(A))
    assert len(calls) == 3


# -- what is refused -------------------------------------------------------------------------------


def refused(error: Any, match: str, call: Any) -> None:
    with pytest.raises(error, match=match) as found:
        call()
    assert isinstance(found.value, LikewiseError)


def test_axes_that_do_not_fit(place: Any) -> None:
    """JAX's classes of errors, and the place in the structure."""
    a, b, s = place.array(A), place.array(B), place.array(1.0)
    first = lambda a, *rest: a  # noqa: E731
    refused(ShapeError, r"args\[0\], axis 0: 3; args\[1\], axis 0: 4", lambda: vmap(first)(a, b))
    refused(
        ShapeError,
        r"args\[0\]\['k'\]\[1\], axis -1: 2",
        lambda: vmap(first, -1)({"k": (place.array(np.ones(5)), a)}),
    )
    refused(ShapeError, r"kwargs\['z'\], axis 0: 4", lambda: vmap(lambda a, z: a)(a, z=b))
    refused(ValueError, "for 2 positional arguments", lambda: vmap(first, (0,))(a, b))
    refused(ValueError, r"in_axes has 2 entries where", lambda: vmap(first, ((0, 0),))((a,)))
    refused(ValueError, "begins as that", lambda: vmap(first, ((0, 0), 0))(a, a))
    refused(ValueError, r"\['b'\], the arrays \('a',\)", lambda: vmap(first, ({"b": 0},))({"a": a}))
    refused(ShapeError, r"args\[0\] has 0 dimensions.*axis 0", lambda: vmap(first)(s))
    refused(ShapeError, r"args\[0\] has 3 dimensions.*axis 3", lambda: vmap(first, 3)(a))
    refused(ShapeError, r"axis -4", lambda: vmap(first, -4)(a))
    refused(ValueError, "at least one argument", lambda: vmap(first, None)(a))
    refused(ValueError, "at least one argument", lambda: vmap(lambda: 1.0)())
    refused(TypeError, "1.5", lambda: vmap(first, 1.5)(a))
    refused(TypeError, "'a'", lambda: vmap(first, ("a",))(a))
    refused(ShapeError, "out_axes 3 is out of range", lambda: vmap(first, 0, 3)(a))
    refused(ValueError, "out_axes must be integers", lambda: vmap(first, 0, (0, 0))(a))
    refused(ValueError, "out_axes has 1 entries", lambda: vmap(lambda a: (a, a), 0, (0,))(a))
    refused(ValueError, "out_axes is None", lambda: vmap(first, 0, None)(a))
    refused(ArgumentError, "chunk_size", lambda: vmap(first, chunk_size=0))


def test_choice_by_value(place: Any) -> None:
    a = place.array(B)
    with pytest.raises((TypeError, RuntimeError)) as found:
        vmap(lambda x: x if x[0] > 0 else -x)(a)
    if not place.native:
        assert "cond, switch and while_loop" in str(found.value)
        assert "test_maps.py, in <lambda>" in str(found.value)


# -- vectorize -------------------------------------------------------------------------------------


SIGNATURES = [
    (lambda a, b: a @ b, "(n),(n)->()", ((4, 1, 3), (2, 3))),
    (lambda a, b: a @ b, "(m,n),(n)->(m)", ((2, 3), (5, 3))),
    (lambda a, b: a @ b, "(m,n),(n,k)->(m,k)", ((5, 2, 3), (5, 3, 4))),
    (lambda a: (a[0], a * 2), "(n)->(),(n)", ((2, 4, 3),)),
    (lambda a, b: a + b, None, ((2, 1), (3,))),
    (lambda a, b: a * b, "(),()->()", ((1, 1), (4,))),
    (lambda a, b: a * b, None, ((), ())),
    (lambda a, b: a * b, "(n),()->(n)", ((3,), (0, 2))),
]


@pytest.mark.parametrize(("fun", "signature", "shapes"), SIGNATURES)
def test_vectorize(place: Any, fun: Any, signature: str | None, shapes: Any) -> None:
    args = [RNG.normal(size=s) for s in shapes]
    if any(0 in s for s in shapes):
        expected = np.zeros((0, 2, 3))
    else:
        expected = np.vectorize(fun, signature=signature)(*args)
    place.same(vectorize(fun, signature=signature)(*map(place.array, args)), expected)


def test_vectorize_excluded_and_keywords(place: Any) -> None:
    def power(x: Any, n: int, *, flip: bool = False, y: Any = None) -> Any:
        out = x**n
        out = out if y is None else out + y
        return -out if flip else out

    a = place.array(B)
    both = vectorize(power, excluded={1, "flip"})
    place.same(both(a, 2), B**2)
    place.same(both(a, 3, flip=True), -(B**3))
    place.same(both(a, 2, y=a[:, :1]), B**2 + B[:, :1])


def test_vectorize_refuses(place: Any) -> None:
    x, two = place.array(np.ones(3)), place.array(np.ones(2))
    s = place.array(1.0)

    def of(fun: Any, signature: str | None, *args: Any) -> Any:
        return lambda: vectorize(fun, signature=signature)(*args)

    refused(ArgumentError, r"\(m,n\),\(n\)->\(m\)", of(lambda a: a, "n->n", x))
    refused(TypeError, "is for 1 arrays, got 2", of(lambda a: a, "(n)->(n)", x, x))
    refused(ValueError, "'n' of .* is 3 and 2", of(lambda a, b: a, "(n),(n)->(n)", x, two))
    refused(ValueError, "at least 1 dimensions", of(lambda a: a, "(n)->(n)", s))
    refused(ValueError, "'n' of .* is 3, but 2 in a result", of(lambda a: a[:2], "(n)->(n)", x))
    refused(ValueError, "a result of 1 dimensions", of(lambda a: a[0], "(n)->(n)", x))
    refused(TypeError, "promises 1 results, got 2", of(lambda a: (a, a), "(n)->(n)", x))
    refused(ValueError, r"\(3,\).*\(2,\)", of(lambda a, b: a + b, None, x, two))


@pytest.mark.parametrize("name", ["argmax", "argmin", "max", "any"])
def test_keepdims_of_a_lane(place: Any, name: str) -> None:
    x = place.array(A)
    found = vmap(lambda a: getattr(array_namespace(a), name)(a, keepdims=True))(x)
    assert tuple(found.shape) == (3, 1, 1)


def test_solve_of_a_vector_in_lanes(place: Any) -> None:
    """With as many matrices as lanes, or as many as the vector is long."""
    matrices, vectors = RNG.normal(size=(3, 3, 3)), RNG.normal(size=(3, 3))

    def solve(a: Any, b: Any) -> Any:
        return array_namespace(a, b).linalg.solve(a, b)

    found = vmap(solve, in_axes=(None, 0))(place.array(matrices), place.array(vectors))
    each = [[np.linalg.solve(m, v[:, None])[:, 0] for m in matrices] for v in vectors]
    place.same(found, np.asarray(each))
    found = vmap(solve, in_axes=(0, None))(place.array(matrices), place.array(vectors[0]))
    place.same(found, np.asarray([np.linalg.solve(m, vectors[0][:, None])[:, 0] for m in matrices]))


def test_index_of_a_lane_into_what_is_shared(place: Any) -> None:
    x, places = place.array([1.0, 2.0, 3.0]), place.array([2, 0], "int64")
    expected = np.asarray([[1.0, 2.0, 9.0], [9.0, 2.0, 3.0]])
    place.same(vmap(lambda i: at(x)[i].set(9.0))(places), expected)
    found = vmap(lambda v: vmap(lambda i: at(x)[i].set(v))(places))(x)
    place.same(found[1, ...], np.where(expected == 9, 2, expected))


def test_no_lane_of_matrices(place: Any) -> None:
    x = place.array(np.zeros((0, 3, 3)))
    out = vmap(lambda a: array_namespace(a).linalg.inv(a))(x)
    assert tuple(out.shape) == (0, 3, 3)
