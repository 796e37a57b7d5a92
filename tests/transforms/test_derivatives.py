"""Derivatives of whole functions against JAX and closed forms, and what is refused."""

import functools
import threading
import tracemalloc
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from likewise import array_namespace, library, namespace, transforms
from likewise.errors import ArgumentError, DtypeError, LikewiseError, ShapeError, TransformError
from likewise.interop import to_numpy
from likewise.transforms import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    register_tree,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)
from likewise.transforms._derivatives import forward_several
from likewise.transforms._tree import flatten, paths

X = np.asarray([0.3, -1.2, 2.0])
Y = np.asarray([[1.0, 0.5, -0.7], [0.2, -0.4, 1.1]])


def wave(x: Any, y: Any) -> Any:
    """A scalar of a vector and a matrix."""
    xp = array_namespace(x, y)
    return xp.sum(xp.sin(x) * xp.exp(y)) + xp.sum(x * x) * y[0, 0]


def field(x: Any, y: Any) -> Any:
    """Several results of a vector and a matrix."""
    xp = array_namespace(x, y)
    return {"b": xp.sin(x) * y, "a": (xp.sum(x**3), None)}


def wave_x(x: Any, y: Any) -> Any:
    return np.cos(x) * np.exp(y).sum(axis=0) + 2 * x * y[0, 0]


def wave_y(x: Any, y: Any) -> Any:
    out = np.sin(x) * np.exp(y)
    out[0, 0] += np.sum(x * x)
    return out


def oracle(transform: str, fun: Any, *args: Any, **options: Any) -> Any:
    """What JAX has to say, in NumPy's arrays."""
    import jax

    made = jax.tree.map(jax.numpy.asarray, args)
    out = getattr(jax, transform)(fun, **options)(*made)
    return jax.tree.map(np.asarray, out)


# -- values and arguments --------------------------------------------------------------------------


@pytest.mark.parametrize("argnums", [0, 1, -1, -2, (0,), (0, 1), (1, 0), [-1, 0]])
def test_argnums(place: Any, argnums: Any) -> None:
    right = (wave_x(X, Y), wave_y(X, Y))
    expected = right[argnums] if isinstance(argnums, int) else tuple(right[i] for i in argnums)
    args = place.array(X), place.array(Y)
    place.same(grad(wave, argnums)(*args), expected)
    value, found = value_and_grad(wave, argnums)(*args)
    place.same(found, expected)
    place.same(value, np.sum(np.sin(X) * np.exp(Y)) + np.sum(X * X) * Y[0, 0])


def test_argnums_refused(place: Any) -> None:
    """Those of one argument twice, as on JAX, and what are no integers."""
    x = place.array(X)
    for argnums in ((0, 0), (1, -1), [0, -2]):
        with pytest.raises(TransformError, match="each argument once"):
            grad(wave, argnums)(x, x)
    for argnums in (1.0, None):
        with pytest.raises(TransformError, match="an integer or a sequence"):
            jacobian(wave, argnums)(x, x)


@functools.cache  # for all places
def right_jacobians(transform: str, argnums: Any) -> Any:
    return oracle(transform, field, X, Y, argnums=argnums)


@pytest.mark.needs("jax")
@pytest.mark.parametrize("transform", ["jacfwd", "jacrev", "hessian"])
@pytest.mark.parametrize("argnums", [0, (1, 0)])
@pytest.mark.long("jax", "strict")
def test_jacobians(place: Any, transform: str, argnums: Any) -> None:
    ours = {"jacfwd": jacfwd, "jacrev": jacrev, "hessian": hessian}[transform]
    expected = right_jacobians(transform, argnums)
    args = place.array(X), place.array(Y)
    place.same(ours(field, argnums)(*args), expected)
    if transform != "hessian":
        place.same(jacobian(field, argnums)(*args), expected)
        place.same(ours(field, argnums, chunk_size=2)(*args), expected)
        place.same(jacobian(field, argnums, chunk_size=4)(*args), expected)


def test_jacobian_of_many_arguments(place: Any) -> None:
    """More than 16: by rows if they are fewer."""
    x = np.linspace(0.1, 2.0, 20)
    place.same(jacobian(lambda x: x[:2] ** 2)(place.array(x)), np.diag(2 * x)[:2])
    place.same(jacobian(lambda x: x**2)(place.array(x)), np.diag(2 * x))
    place.same(jacobian(lambda x: x**2, chunk_size=7)(place.array(x)), np.diag(2 * x))


def test_chunks_keep_no_values_of_earlier_ones() -> None:
    """A Jacobian column by column keeps its columns and the whole, not the function's values."""
    x, wide = np.ones(100), np.ones((2000, 100))
    jacfwd(lambda x: wide @ x, chunk_size=50)(x)
    tracemalloc.start()
    out = jacfwd(lambda x: wide @ x, chunk_size=1)(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * out.nbytes


def test_vjp_and_jvp(place: Any) -> None:
    x, y = place.array(X), place.array(Y)
    out, pull = vjp(field, x, y)
    ct = {"a": (place.array(2.0), None), "b": place.array(np.ones((2, 3)))}
    place.same(out, {"b": np.sin(X) * Y, "a": (np.sum(X**3), None)})
    expected = (np.cos(X) * Y.sum(axis=0) + 6 * X**2, np.broadcast_to(np.sin(X), (2, 3)))
    place.same(pull(ct), expected)
    place.same(pull(ct), expected)  # may be called again
    place.same(pull({"a": (2.0, None), "b": ct["b"]}), expected)  # a number for a scalar
    out, moved = jvp(field, [x, y], [x, y])
    place.same(moved, {"b": X * np.cos(X) * Y + np.sin(X) * Y, "a": (3 * np.sum(X**3), None)})


def test_hvp(place: Any) -> None:
    x = place.array(X)
    place.same(hvp(lambda x: array_namespace(x).sum(x**3), (x,), (x,)), 6 * X**2)
    found = hvp(wave, (x, place.array(Y)), (x, place.array(0 * Y)))
    yy = np.cos(X) * X * np.exp(Y)
    yy[0, 0] += 2 * np.sum(X * X)
    place.same(found, ((-np.sin(X) * np.exp(Y).sum(axis=0) + 2 * Y[0, 0]) * X, yy))


def test_has_aux(place: Any) -> None:
    def fun(x: Any, scale: float) -> Any:
        xp = array_namespace(x)
        return xp.sum(x * x) * scale, {"kept": 2 * x, "none": None, "word": "w", "n": 3}

    x = place.array(X)
    aux = {"kept": 2 * X, "none": None}
    kept: list[Any] = []
    g, a = grad(fun, has_aux=True)(x, 2.0)
    place.same(g, 4 * X)
    kept.append(a)
    (v, a), g = value_and_grad(fun, has_aux=True)(x, scale=2.0)
    place.same((v, g), (2 * np.sum(X * X), 4 * X))
    kept.append(a)
    out, pull, a = vjp(lambda x: fun(x, 2.0), x, has_aux=True)
    place.same(pull(place.array(1.0))[0], 4 * X)
    kept.append(a)
    out, moved, a = jvp(lambda x: fun(x, 2.0), (x,), (x,), has_aux=True)
    place.same((out, moved), (2 * np.sum(X * X), 4 * np.sum(X * X)))
    kept.append(a)
    for transform in (jacrev, jacfwd, jacobian):
        j, a = transform(fun, has_aux=True)(x, 2.0)
        place.same(j, 4 * X)
        kept.append(a)
    h, a = hessian(fun, has_aux=True)(x, 2.0)
    place.same(h, 4 * np.eye(3))
    kept.append(a)
    for a in kept:
        assert (a.pop("word"), a.pop("n")) == ("w", 3)
        place.same(a, aux)


class Two(NamedTuple):
    first: Any
    second: Any


@dataclass(frozen=True)
class Model:
    weight: Any
    bias: Any
    note: None = None


class Pair:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


register_tree(Pair, lambda p: ((p.a, p.b), None), lambda _, ab: Pair(*ab))


def test_nested_structures(place: Any) -> None:
    """Everything that may hold arrays, as argument and as result."""

    def loss(model: Model, rest: Any) -> Any:
        xp = array_namespace(model.bias)
        z, deep = rest["z"], rest["a"]
        total = model.weight @ rest["x"].a + model.bias * deep[0].first
        return xp.sum(total * deep[0].second) + xp.sum(z * rest["x"].b)

    w, b = Y[:, :2], np.asarray([0.5, -1.0])
    a0, a1, z, p, q = np.asarray(2.0), np.asarray([3.0, 4.0]), X, np.asarray([1.0, -1.0]), X + 1
    at = place.array
    model = Model(at(w), at(b))
    rest = {"z": at(z), "a": [Two(at(a0), at(a1)), None], "x": Pair(at(p), at(q))}
    found, other = grad(loss, (0, 1))(model, rest)
    place.same(found, Model(np.outer(a1, p), a1 * a0))
    assert list(other) == ["z", "a", "x"]  # as it came
    assert type(other["x"]) is Pair
    place.same(other["a"], [Two(np.sum(a1 * b), w @ p + b * a0), None])
    place.same([other["z"], other["x"].a, other["x"].b], [q, w.T @ a1, z])
    _, moved = jvp(lambda x: (Pair(x, 2 * x), Model(x, None), Two(x, ())), (at(X),), (at(X),))
    assert type(moved[0]) is Pair
    place.same([moved[0].b, *moved[1:]], [2 * X, Model(X, None), Two(X, ())])


@pytest.mark.needs("jax")
@pytest.mark.long("jax", "strict")
def test_complex_convention(place: Any) -> None:
    """The gradient of a real function of z is the conjugate of the steepest ascent."""
    z = X + 1j * np.asarray([0.4, 0.1, -1.0])

    def real(z: Any) -> Any:
        xp = array_namespace(z)
        return xp.sum(xp.abs(z * z) * xp.real(xp.exp(z)))

    def cube(z: Any) -> Any:
        return z**3 * (1 + 2j)

    def mixed(z: Any) -> Any:
        xp = array_namespace(z)
        return xp.conj(z) * z**2 + xp.imag(z)

    at = place.array(z, "complex128")
    place.same(grad(real)(at), oracle("grad", real, z))
    place.same(jacrev(real)(at), oracle("jacrev", real, z))
    place.same(jacobian(real)(at), oracle("jacrev", real, z))
    for transform in (jacrev, jacfwd, jacobian):
        place.same(transform(cube, holomorphic=True)(at), np.diag(3 * z**2 * (1 + 2j)))
    first = place.array(z[0], "complex128")
    place.same(grad(cube, holomorphic=True)(first), 3 * z[0] ** 2 * (1 + 2j))
    place.same(hessian(cube, holomorphic=True)(first), 6 * z[0] * (1 + 2j))
    import jax

    ct = z[::-1] * 1j
    expected = jax.vjp(mixed, jax.numpy.asarray(z))[1](jax.numpy.asarray(ct))
    place.same(vjp(mixed, at)[1](place.array(ct, "complex128"))[0], expected[0])
    expected = jax.jvp(mixed, (jax.numpy.asarray(z),), (jax.numpy.asarray(ct),))[1]
    place.same(jvp(mixed, (at,), (place.array(ct, "complex128"),))[1], expected)
    # complex numbers on the way from real to real, and out of real arguments
    place.same(
        grad(lambda x: array_namespace(x).sum(array_namespace(x).abs(x * (1 + 1j))))(
            place.array(X)
        ),
        np.sign(X) * 2**0.5,
    )
    place.same(jacfwd(lambda x: x**2 * 1j)(place.array(X)), np.diag(2j * X))
    place.same(jacobian(lambda x: x**2 * 1j)(place.array(X)), np.diag(2j * X))


def test_numbers_among_the_arguments(place: Any) -> None:
    """Python's numbers beside arrays are arrays; floats that are returned are constants."""
    x = place.array(2.0)
    place.same(grad(lambda x, y: x * y["a"], 1)(x, {"a": x}), {"a": np.asarray(2.0)})
    place.same(grad(lambda x: x * 0 + 1.0)(x), np.asarray(0.0))
    place.same(grad(lambda x: 1.0)(x), np.asarray(0.0))
    place.same(grad(lambda x, n, flag=True: x**n if flag else x)(x, 3), np.asarray(12.0))


def test_single_precision_and_empty(place: Any) -> None:
    x = place.array([1.0, 2.0], "float32")
    place.same(
        grad(lambda x: array_namespace(x).sum(x * x))(x), np.asarray([2, 4], "float32"), 1e-6
    )
    empty = place.array(np.zeros((0,)))
    place.same(grad(lambda x: array_namespace(x).sum(x * x))(empty), np.zeros(0))
    place.same(jacrev(lambda x: x * x)(empty), np.zeros((0, 0)))
    place.same(jacfwd(lambda x: x * x)(empty), np.zeros((0, 0)))


def test_unused_and_stopped(place: Any) -> None:
    x, y = place.array(X), place.array(Y)
    place.same(
        grad(lambda x, y: array_namespace(x).sum(x), (0, 1))(x, y), (np.ones(3), np.zeros((2, 3)))
    )
    place.same(jacfwd(lambda x, y: x, 1)(x, y), np.zeros((3, 2, 3)))
    place.same(grad(lambda x: array_namespace(x).sum(x * stop_gradient({"a": x})["a"]))(x), X)


# -- transforms inside transforms ------------------------------------------------------------------


def test_nesting(place: Any) -> None:
    x = place.array(0.7)
    place.same(grad(grad(grad(lambda x: x**5)))(x), np.asarray(60 * 0.7**2))
    sine = lambda x: array_namespace(x).sin(x)  # noqa: E731
    place.same(grad(grad(grad(grad(sine))))(x), np.sin(0.7))
    xs = place.array(X)
    cubes = lambda x: array_namespace(x).sum(x**3)  # noqa: E731
    expected = np.diag(6 * X)
    for outer in (jacfwd, jacrev):
        for inner in (jacfwd, jacrev):
            place.same(outer(inner(cubes))(xs), expected)
    place.same(vmap(grad(lambda x: x**3))(xs), 3 * X**2)
    place.same(vmap(grad(grad(lambda x: x**3)))(xs), 6 * X)

    def of_batch(a: Any) -> Any:
        xp = array_namespace(a)
        return xp.sum(vmap(lambda x: a * x**2)(xs))

    place.same(grad(of_batch)(x), np.sum(X**2))
    both = vmap(grad(lambda a: array_namespace(a).sum(vmap(lambda x: (a * x) ** 2)(xs))))
    place.same(both(xs), 2 * X * np.sum(X**2))
    place.same(jvp(grad(cubes), (xs,), (xs,))[1], 6 * X * X)
    place.same(vmap(lambda t: jvp(cubes, (xs,), (t,))[1])(place.array(np.eye(3))), 3 * X**2)


def test_perturbation_confusion(place: Any) -> None:
    """Siskind and Pearlmutter (2005): derivatives of derivatives must not mix their infinitesimals."""
    one = place.array(1.0)
    place.same(grad(lambda x: x * grad(lambda y: x + y)(one))(one), np.asarray(1.0))
    place.same(grad(lambda x: x * grad(lambda y: x * y)(one))(one), np.asarray(2.0))

    def forward(fun: Any, x: Any) -> Any:
        return jvp(fun, (x,), (array_namespace(x).ones_like(x),))[1]

    place.same(forward(lambda x: x * forward(lambda y: x + y, one), one), np.asarray(1.0))
    place.same(forward(lambda x: x * grad(lambda y: x * y)(one), one), np.asarray(2.0))
    place.same(grad(lambda x: x * forward(lambda y: x * y, one))(one), np.asarray(2.0))
    place.same(vmap(lambda x: x * forward(lambda y: x + y, one))(place.array(X)), X)


def test_closures(place: Any) -> None:
    """Arrays from around the function, raw and of outer transforms, on either side."""
    a, x = place.array(X), place.array(2.0)
    sums = lambda z: array_namespace(z).sum(z)  # noqa: E731
    place.same(grad(lambda x: sums(x * a))(x), X.sum())
    place.same(grad(lambda x: sums(array_namespace(x).asarray(a) * x))(x), X.sum())
    place.same(grad(lambda a, x: sums(a * x), 1)(a, x), X.sum())  # what is held may stand left
    place.same(grad(lambda x, *, a: sums(a["a"] * x))(x, a={"a": a}), X.sum())
    place.same(jacfwd(lambda x: grad(lambda y: sums(x * y * a))(x) * x)(x), 4 * X.sum())
    place.same(vmap(lambda v: grad(lambda y: sums(y * v * a))(x))(a), X * X.sum())
    place.same(grad(lambda x: sums(vmap(lambda v: v * x)(a)))(x), X.sum())


def test_two_threads(place: Any) -> None:
    """Transforms of one thread are nothing to another."""
    found: dict[int, Any] = {}
    gate = threading.Barrier(2)

    def work(n: int) -> None:
        def fun(x: Any) -> Any:
            gate.wait(20)  # both are inside
            out = x**n
            gate.wait(20)
            return out

        found[n] = grad(fun)(place.array(2.0))

    threads = [threading.Thread(target=work, args=(n,)) for n in (2, 3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    place.same([found[2], found[3]], [np.asarray(4.0), np.asarray(12.0)])


def test_escaped_arrays(place: Any) -> None:
    """An array that got out of its transform says so when it is used."""
    kept: list[Any] = []

    def fun(x: Any) -> Any:
        kept.append(x * 2)
        return x * x

    grad(fun)(place.array(1.0))
    if place.native:  # torch lets a dead wrapper be read, JAX refuses
        return
    with pytest.raises(TransformError, match="used after the transform has ended"):
        kept[0] + 1
    vmap(fun)(place.array(X))
    with pytest.raises(TransformError, match="vmap made is used after"):
        kept[1] + 1


def test_escapes(place: Any) -> None:
    """What would lose the derivative is refused."""
    if place.native:
        return
    x = place.array(1.0)
    numpys = () if place.name == "numpy" else (np.sin,)  # NumPy's own are followed there
    for out in (float, int, complex, np.asarray, *numpys, lambda x: [1, 2][x]):
        with pytest.raises(TypeError, match="Proxy|transform"):
            grad(lambda x, out=out: x * out(x))(x)
    # a choice by value is none
    place.same(grad(lambda x: x * x if x > 0 else x)(x), np.asarray(2.0))


# -- what is refused -------------------------------------------------------------------------------


def refused(error: Any, match: str, call: Any) -> None:
    with pytest.raises(error, match=match) as found:
        call()
    assert isinstance(found.value, LikewiseError)


def test_results_that_have_no_gradient(place: Any) -> None:
    """TypeErrors, as in JAX, that say what came."""
    x = place.array(X)
    s = place.array(1.0)
    refused(TypeError, r"one scalar array.*shape \(3,\)", lambda: grad(lambda x: x)(x))
    refused(TypeError, r"structure of them, \('\*', '\*'\)", lambda: grad(lambda x: (x, x))(s))
    refused(TypeError, "structure of them, None", lambda: grad(lambda x: None)(s))
    refused(TypeError, "structure of them", lambda: grad(lambda x: (x,))(s))
    refused(TypeError, "must return real.*complex128", lambda: grad(lambda x: x * 1j)(s))
    whole = lambda x: array_namespace(x).sum(array_namespace(x).astype(x, array_namespace(x).int64))  # noqa: E731
    refused(TypeError, "must return real.*int64", lambda: grad(whole)(x))
    refused(TypeError, "must return real.*int64", lambda: jacrev(whole)(x))
    refused(TypeError, r"result\['a'\].*complex128", lambda: jacrev(lambda x: {"a": x * 1j})(x))
    refused(
        TypeError,
        "a pair.*Tensor|a pair.*ndarray|a pair.*Array|a pair.*Proxy|a pair.*Tracer",
        lambda: grad(lambda x: x, has_aux=True)(s),
    )
    refused(TypeError, "a pair.*tuple", lambda: grad(lambda x: (x, x, x), has_aux=True)(s))


def test_arguments_that_have_no_derivative(place: Any) -> None:
    n = place.array([1, 2], "int64")
    x = place.array(X)
    z = place.array(X, "complex128")
    total = lambda x: array_namespace(x).sum(x)  # noqa: E731
    for transform in (grad, value_and_grad, jacrev, jacfwd, jacobian, hessian):
        refused(DtypeError, r"args\[0\] is a .*int64.*argnums", lambda t=transform: t(total)(n))
    refused(DtypeError, r"args\[0\]\['a'\]\[1\]", lambda: grad(total)({"a": (x, n)}))
    refused(DtypeError, "args", lambda: vjp(total, n))
    refused(DtypeError, "args", lambda: jvp(total, (n,), (n,)))
    refused(DtypeError, "bool", lambda: grad(total)(x > 0))
    refused(DtypeError, r"jacfwd: real.*holomorphic", lambda: jacfwd(total)(z))
    refused(DtypeError, r"holomorphic=True complex", lambda: grad(total, holomorphic=True)(x))
    # an integer that isn't differentiated is a setting
    place.same(grad(lambda x, n: array_namespace(x).sum(x[n]))(x, n), np.asarray([0.0, 1, 1]))


@pytest.mark.parametrize("argnums", [2, -3, (0, 5)])
def test_argnums_out_of_range(place: Any, argnums: Any) -> None:
    args = place.array(X), place.array(Y)
    for transform in (grad, jacfwd, jacrev, jacobian, hessian):
        refused(
            TypeError,
            r"argnums .*positional arguments, got 2",
            lambda t=transform: t(wave, argnums)(*args),
        )
    refused(ValueError, "must name an argument", lambda: grad(wave, ())(*args))


def test_cotangents_and_tangents_that_do_not_fit(place: Any) -> None:
    x, two = place.array(X), place.array([1.0, 2.0])
    single = place.array(X, "float32")
    _, pull = vjp(lambda x: {"y": (x, x)}, x)
    refused(ValueError, r"\{'y': \('\*', '\*'\)\} and the cotangent is \*", lambda: pull(x))
    refused(ShapeError, r"ct\['y'\]\[1\].*\(3,\).*\(2,\)", lambda: pull({"y": (x, two)}))
    refused(ValueError, r"ct\['y'\]\[0\].*float32", lambda: pull({"y": (single, x)}))
    refused(TypeError, "structures must be the same", lambda: jvp(lambda x: x, (x,), ((x,),)))
    refused(TypeError, "structures must be the same", lambda: jvp(lambda x: x, (x,), (x, x)))
    refused(TypeError, r"tangents\[0\].*float32", lambda: jvp(lambda x: x, (x,), (single,)))
    refused(ShapeError, r"tangents\[0\].*\(2,\)", lambda: jvp(lambda x: x, (x,), (two,)))
    refused(TypeError, "must be a tuple or list", lambda: jvp(lambda x: x, x, x))


def test_whole_numbers_among_results(place: Any) -> None:
    """They are constants."""

    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        return xp.astype(x * 3, xp.int64), x * x, x > 0

    x = place.array(X)
    out, pull = vjp(fun, x)
    whole = (3 * X).astype("int64")
    place.same(out, (whole, X * X, X > 0))
    place.same(pull((out[0], x, out[2])), (2 * X * X,))
    place.same(jvp(fun, (x,), (x,))[0], (whole, X * X, X > 0))
    place.same(jvp(fun, (x,), (x,))[1][1], 2 * X * X)


@pytest.mark.parametrize("one", [(), (4,), (3, 1), (3, 4)])
@pytest.mark.parametrize("other", [(1,), (4,), (3, 1), (2, 1, 1)])
def test_sums_of_products_of_all_shapes(place: Any, one: Any, other: Any) -> None:
    """The cotangent of a sum stays a number until something needs it as an array."""
    rng = np.random.default_rng(len(one) + 10 * len(other))
    x, y = rng.normal(size=one), rng.normal(size=other)
    whole = np.ones(np.broadcast_shapes(one, other))
    expected = [_summed(whole * y, one), _summed(whole * x, other)]
    found = grad(product, (0, 1))(place.array(x), place.array(y))
    place.same(list(found), expected)


def product(x: Any, y: Any) -> Any:
    return array_namespace(x, y).sum(x * y)


def _summed(c: Any, shape: tuple[int, ...]) -> Any:
    c = c.sum(axis=tuple(range(c.ndim - len(shape))))
    return c.sum(axis=tuple(i for i, n in enumerate(shape) if n != c.shape[i]), keepdims=True)


def test_gradients_can_be_written_to() -> None:
    for fun in (
        lambda x: array_namespace(x).sum(x),
        lambda x: array_namespace(x).sum(2 * x),
        lambda x: array_namespace(x).mean(x, axis=0)[0],
    ):
        g = grad(fun)(np.ones((3, 2)))
        g[0, 0] = 5.0
        assert g[0, 0] == 5.0 and g[1, 0] != 5.0


CREATED = {
    "asarray": (lambda xp, x: xp.asarray([[x[0], 1.0], [2.0, x[1]]]) * x[0], (2.4, 0.3, 0)),
    "full": (lambda xp, x: xp.full((3,), x[0]) * x[1], (-3.6, 0.9, 0)),
    "full_like": (lambda xp, x: xp.full_like(x, x[0]) ** 2, (1.8, 0, 0)),
    "floor_divide": (lambda xp, x: xp.floor_divide(x, 2.0) + x, (1, 1, 1)),
    "floor_divide by x": (lambda xp, x: xp.floor_divide(2.0, x) + x, (1, 1, 1)),
    "remainder": (lambda xp, x: xp.remainder(5.0, x), (-16, 5, -2)),
}


@pytest.mark.parametrize("name", CREATED)
def test_arrays_made_of_arrays(place: Any, name: str) -> None:
    """torch's own lose derivatives, or have none."""
    fun, expected = CREATED[name]

    def total(x: Any) -> Any:
        xp = array_namespace(x)
        return xp.sum(fun(xp, x))

    x = place.array(X)
    place.same(grad(total)(x), np.asarray(expected, float))
    place.same(jvp(total, (x,), (x,))[1], np.asarray(np.dot(expected, X)))
    values = vmap(lambda x: fun(array_namespace(x), x))(place.array([X, 2 * X]))
    if place.library != "strict" or not name.startswith("full"):  # whose own takes numbers alone
        place.same(values[1, ...], to_numpy(fun(place.xp, place.array(2 * X))))


@pytest.mark.needs("torch")
@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 4, 5])
def test_linspace_between_arrays(num: int, endpoint: bool) -> None:
    """The standard's ends are numbers; torch takes tensors, and loses their derivatives."""
    import torch

    xp = namespace("torch")
    x = torch.asarray(X)
    weights = torch.arange(1.0, num + 1, dtype=x.dtype)
    k = np.arange(num) / max(num - 1 if endpoint else num, 1)

    def points(x: Any) -> Any:
        return xp.linspace(x[0], x[1], num, endpoint=endpoint)

    expected = np.linspace(X[0], X[1], num, endpoint=endpoint)
    np.testing.assert_allclose(points(x), expected, rtol=1e-15)
    found = grad(lambda x: xp.sum(weights * points(x)))(x)
    w = np.arange(1, num + 1)
    np.testing.assert_allclose(found, [w @ (1 - k), w @ k, 0], rtol=1e-12, atol=1e-14)


def test_decompositions_as_results(place: Any) -> None:
    """torch's are tuples with names, of a kind of their own."""
    a = place.array([[2.0, 0.5], [0.5, 1.0]])
    out, pullback = vjp(lambda a: array_namespace(a).linalg.eigh(a), a)
    place.same(out.eigenvalues, np.linalg.eigvalsh([[2.0, 0.5], [0.5, 1.0]]))
    if place.library != "numpy":  # whose eigh's class the interpreter replaces by a tuple's
        cotangent = type(out)(*out) if hasattr(out, "_fields") else type(out)(list(out))
        assert pullback(cotangent)[0].shape == (2, 2)
    stack = vmap(lambda a: array_namespace(a).linalg.eigh(a))(a[None, ...])
    assert tuple(stack[1].shape) == (1, 2, 2)
    assert paths(flatten(stack)[1], "out") == ["out.eigenvalues", "out.eigenvectors"]


def test_jvp_of_what_was_broadcast(xp: Any) -> None:
    x = xp.broadcast_to(xp.asarray([2.0, 3.0]), (2, 2))
    y, moved = jvp(lambda a: a * a, (x,), (xp.ones_like(x),))
    np.testing.assert_array_equal(to_numpy(y), [[4.0, 9.0]] * 2)
    np.testing.assert_array_equal(to_numpy(moved), [[4.0, 6.0]] * 2)


def test_mixed_second_derivative_of_a_power_with_exponent_zero(place: Any) -> None:
    """Of x ** y by x and y it is x ** (y - 1) (1 + y log x), 1 / x at y = 0."""
    x, y = place.array(1.5), place.array(0.0)
    mixed = grad(lambda y: grad(lambda x, y: x**y)(x, y))(y)
    own = place.name == "torch"  # which takes the derivative by x to be 0 whatever y does
    place.same(mixed, np.asarray(0.0 if own else 1 / 1.5))


def test_several_derivatives_in_one_pass(lib: Any) -> None:
    """Along ones or seeds, each alone; zeros where nothing follows, numbers that come out."""
    c, x, y = (lib.asarray(v) for v in ([2.0, 3.0, 4.0], X, Y[0]))
    for seeds, by in ((None, (1.0, 1.0)), ((lib.asarray([2.0, 0.0, 1.0]), y), ([2.0, 0, 1], Y[0]))):
        value, (a, b) = forward_several(lambda c, x, y: c * x * x + y, [c], [x, y], seeds)
        np.testing.assert_allclose(lib.to_numpy(value), np.asarray([2, 3, 4]) * X**2 + Y[0], 1e-6)
        np.testing.assert_allclose(lib.to_numpy(a), 2 * np.asarray([2, 3, 4]) * X * by[0], 1e-6)
        np.testing.assert_allclose(lib.to_numpy(b), np.broadcast_to(by[1], 3), 1e-6)
        value, (a, b) = forward_several(lambda c, x, y: c, [c], [x, y], seeds)
        np.testing.assert_array_equal(lib.to_numpy(value), [2, 3, 4])
        for zeros in (a, b):
            assert zeros.dtype == c.dtype
            np.testing.assert_array_equal(lib.to_numpy(zeros), [0, 0, 0])


@pytest.mark.parametrize("name", ["vmap", "jacfwd", "jacrev", "jacobian", "hessian"])
@pytest.mark.parametrize("size", [0, -1, 1.5, "a", True])
def test_numbers_of_lanes_that_are_none(name: str, size: Any) -> None:
    with pytest.raises(
        ArgumentError, match=rf"{name}: chunk_size must be an integer of at least 1"
    ):
        getattr(transforms, name)(np.sin, chunk_size=size)


@pytest.mark.needs("dask")
@pytest.mark.parametrize("dtype", ["float16", "longdouble", "float32", "complex64", "int32"])
def test_dask_differentiates_or_refuses_every_dtype(dtype: str) -> None:
    """Half and extended precision are followed as NumPy computes, to the bit; integers are refused."""
    import dask.array as da

    x = np.asarray([0.5, 1.0, -2.0]).astype(dtype)
    xp = array_namespace
    calls: dict[str, Any] = {
        "grad": lambda x: grad(lambda x: xp(x).sum(x**3))(x),
        "hessian": lambda x: hessian(lambda x: xp(x).sum(x**3))(x),
        "jvp": lambda x: jvp(lambda x: xp(x).sin(x) * x, (x,), (x,))[1],
        "vjp": lambda x: flatten(vjp(lambda x: xp(x).sin(x) * x, x)[1](x))[0][0],
        "jacfwd": lambda x: jacfwd(lambda x: xp(x).sin(x) * x)(x),
        "jacrev": lambda x: jacrev(lambda x: xp(x).sin(x) * x)(x),
    }
    slope = np.sin(x) + x * np.cos(x)
    known = {"grad": 3 * x**2, "hessian": np.diag(6 * x), "jvp": slope * x, "vjp": slope * x}
    known |= {"jacfwd": np.diag(slope), "jacrev": np.diag(slope)}
    tol = 2e-3 if dtype == "float16" else 1e-6
    for name, call in calls.items():
        if dtype == "int32" or (dtype == "complex64" and name not in ("jvp", "vjp")):
            for given in (x, da.from_array(x, chunks=2)):
                with pytest.raises(DtypeError, match="floating arrays"):
                    call(given)
            continue
        found = call(da.from_array(x, chunks=2))
        assert library(found) == "dask" and found.dtype == dtype
        np.testing.assert_array_equal(found.compute(), call(x))
        np.testing.assert_allclose(call(x), known[name], rtol=tol, atol=tol)
