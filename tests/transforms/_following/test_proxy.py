"""The array that stands in for an array: written to, copied, beside raw arrays."""

import copy
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace, random
from likewise.errors import TransformError
from likewise.interop import to_numpy
from likewise.transforms import (
    custom_vjp,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    value_and_grad,
    vjp,
    vmap,
)
from likewise.transforms._following._interpreter import interpreted

X = np.asarray([1.0, 2.0, 3.0])


# -- written to ------------------------------------------------------------------------------------


@pytest.mark.xp_skip({"dask": "its setitem needs known chunks"})
def test_setitem_has_both_gradients(xp: Any) -> None:
    def fun(x: Any, v: Any) -> Any:
        y = x * 2
        y[1] = v * v
        y[2:] = y[2:] * x[0]
        n = array_namespace(y)
        return n.sum(y * y)

    with interpreted():
        gx, gv = grad(fun, (0, 1))(xp.asarray([1.0, 2.0, 3.0]), xp.asarray(3.0))
    # 4 x0^2 + v^4 + 4 x0^2 x2^2
    np.testing.assert_allclose(to_numpy(gx), [80.0, 0.0, 24.0])
    np.testing.assert_allclose(to_numpy(gv), 108.0)


def test_zeros_filled_in_a_loop() -> None:
    def powers(x: Any) -> Any:
        xp = array_namespace(x)
        out = xp.zeros((3, *x.shape), dtype=x.dtype)
        for i in range(3):
            out[i, ...] = x ** (i + 1)
        out[0, ...] += x
        out *= 2
        return out

    y, t = jvp(powers, (X,), (np.ones(3),))
    np.testing.assert_allclose(y, [4 * X, 2 * X**2, 2 * X**3])
    np.testing.assert_allclose(t, [4 + 0 * X, 4 * X, 6 * X**2])
    np.testing.assert_allclose(jacobian(powers)(X)[2], np.diag(6 * X**2))
    np.testing.assert_allclose(vmap(powers, out_axes=1)(X), powers(X))
    total = lambda x: array_namespace(x).sum(powers(x))  # noqa: E731
    np.testing.assert_allclose(hessian(total)(X), np.diag(4 + 12 * X))
    np.testing.assert_allclose(vmap(grad(total))(X), 4 + 4 * X + 6 * X**2)


def test_a_value_of_a_higher_level_than_the_array() -> None:
    """The array is the outer transform's, what is written the inner one's."""

    def outer(x: Any) -> Any:
        def inner(v: Any) -> Any:
            xp = array_namespace(v)
            y = x * 1
            y[0] = v
            return xp.sum(y * y * x)

        return grad(inner)(x[1] * 3)  # 2 v x0

    # 6 x0 x1
    np.testing.assert_allclose(grad(outer)(X), [12.0, 6.0, 0.0])
    rows = np.stack([X, 2 * X])

    def written(x: Any) -> Any:
        y = array_namespace(x).asarray(X)
        y[0] = x[2]
        return y

    np.testing.assert_allclose(vmap(written)(rows), [[3, 2, 3], [6, 2, 3]])
    assert X[0] == 1.0


def test_elements_are_exchanged() -> None:
    def fun(x: Any) -> Any:
        y = x * 1
        first = y[0]
        y[0] = y[1]
        y[1] = first
        return y[0] * 10 + y[1]

    assert fun(X * 1) == 21.0
    np.testing.assert_array_equal(grad(fun)(X), [1.0, 10.0, 0.0])


@pytest.mark.parametrize("library", ["numpy", "strict"])
def test_transposed(library: str) -> None:
    x, w = (
        likewise.asarray(np.reshape(np.arange(6.0), s), namespace=library) for s in ((2, 3), (3, 2))
    )
    xp = array_namespace(x)
    slope = grad(lambda x: array_namespace(x).sum(x.T * w))(x)
    np.testing.assert_array_equal(to_numpy(slope), [[0, 2, 4], [1, 3, 5]])
    if library == "numpy":
        many = grad(lambda x: xp.sum(x.T[2, 1, 0] ** 2))(xp.ones((2, 3, 4)))
        assert float(many[0, 1, 2]) == 2.0 == float(xp.sum(many))


VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "getitem": lambda xp, x: x[0, ...],
    "slice": lambda xp, x: x[:, 1:],
    "reshape": lambda xp, x: xp.reshape(x, (-1,)),
    "T": lambda xp, x: x.T,
    "mT": lambda xp, x: x.mT,
    "flip": lambda xp, x: xp.flip(x),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, 1),
    "unstack": lambda xp, x: xp.unstack(x)[0],
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, *x.shape)),
    "broadcast_arrays": lambda xp, x: xp.broadcast_arrays(x, x[0, :] * 1)[0],
    "astype": lambda xp, x: xp.astype(x, x.dtype, copy=False),
    "diagonal": lambda xp, x: xp.linalg.diagonal(x),
    "iter": lambda xp, x: next(iter(x)),
    "view of a view": lambda xp, x: xp.reshape(x, (4,))[1:3],
}


@pytest.mark.parametrize("view", [pytest.param(f, id=n) for n, f in VIEWS.items()])
@pytest.mark.parametrize("transform", [grad, vmap])
def test_writing_through_a_view_is_an_error(view: Any, transform: Any) -> None:
    x = np.ones((2, 2)) if transform is grad else np.ones((3, 2, 2))

    def written(x: Any) -> Any:
        xp = array_namespace(x)
        y = x * 2
        v = view(xp, y)
        v[...] = 0.0
        return xp.sum(y)

    def viewed(x: Any) -> Any:
        xp = array_namespace(x)
        y = x * 2
        v = view(xp, y)
        y[0, 0] = 0.0
        return xp.sum(v)

    for fun in (written, viewed):
        with pytest.raises(TransformError, match=r"memory.*line \d+ of .*test_proxy.py, in"):
            transform(fun)(x)

    def gone(x: Any) -> Any:
        xp = array_namespace(x)
        y = x * 2
        v = view(xp, y)
        s = xp.sum(v)
        del v
        y[0, 0] = 0.0
        return xp.sum(y) + s

    transform(gone)(x)


def test_copies_are_no_views() -> None:
    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        i = xp.asarray([0, 1])
        copies = [x[i], xp.take(x, i), xp.astype(x, x.dtype), xp.asarray(x, copy=True), x + 0]
        y = x * 1
        y[0] = 5.0
        for c in copies:
            c[0] = 1.0
        return xp.sum(y)

    np.testing.assert_array_equal(grad(fun)(X), [0.0, 1.0, 1.0])


# -- raw arrays beside ----------------------------------------------------------------------------

OPERATORS = "add sub mul truediv pow floordiv mod lt le gt ge eq ne".split()


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_operators_with_raw_arrays(name: str, side: str, xp: Any) -> None:
    raw = xp.asarray([1.0, 2.0, 3.0])
    x = xp.asarray([2.5, 0.5, 1.5])
    op = getattr(operator, name)

    def fun(x: Any) -> Any:
        n = array_namespace(x)
        y = op(raw, x) if side == "left" else op(x, raw)
        assert type(y) is type(x)
        return n.sum(n.astype(y, x.dtype) * x)

    def lifted(x: Any) -> Any:
        n = array_namespace(x)
        r = n.asarray(raw)
        y = op(r, x) if side == "left" else op(x, r)
        return n.sum(n.astype(y, x.dtype) * x)

    with interpreted():
        if side == "left" and xp.variant.library == "strict":
            with pytest.raises(TypeError, match=r"line \d+ of .*test_proxy.py.*xp\."):
                grad(fun)(x)
            return
        np.testing.assert_array_equal(to_numpy(grad(fun)(x)), to_numpy(grad(lifted)(x)))
        stack = xp.stack([x, x + 1])
        np.testing.assert_array_equal(to_numpy(vmap(fun)(stack)), to_numpy(vmap(lifted)(stack)))


def test_matmul_and_scalars_with_raw_arrays() -> None:
    a = np.asarray([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]])
    weights = np.asarray([1.0, 10.0])
    expected = a.T @ weights
    np.testing.assert_allclose(grad(lambda x: (a @ x) @ weights)(X), expected)
    np.testing.assert_allclose(grad(lambda x: weights @ (a @ x))(X), expected)
    for two in (2, 2.0, np.float64(2.0), np.int64(2), np.asarray(2.0)):
        np.testing.assert_allclose(grad(lambda x, n=two: n * x[0] ** n - x[1] / n)(X), [4, -0.5, 0])
    single = np.asarray([1.0], dtype="float32")
    assert grad(lambda x: (np.float64(2.0) * x)[0])(single).dtype == np.float32


def test_raw_arrays_are_operands_of_functions() -> None:
    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        y = xp.where(X > 1.5, x, X)
        y = xp.concat([X, y])
        y = y + xp.matmul(xp.stack([y, y]), xp.ones(6))[0]
        return xp.sum(y)

    np.testing.assert_allclose(grad(fun)(X), [0.0, 7.0, 7.0])


RANDOM: dict[str, tuple[Callable[..., Any], bool]] = {
    "uniform": (lambda k, a: random.uniform(k, 2, dtype="float64", maxval=a), True),
    "truncated_normal": (lambda k, a: random.truncated_normal(k, -1.0, a, 2), True),
    "gamma": (lambda k, a: random.gamma(k, a, 2), True),
    "beta": (lambda k, a: random.beta(k, a, 3.0, 2), True),
    "multivariate_normal": (lambda k, a: _multivariate(k, a), True),
    "poisson": (lambda k, a: random.poisson(k, a, 2), False),
    "binomial": (lambda k, a: random.binomial(k, 9, a / 4, 2), False),
    "bernoulli": (lambda k, a: random.bernoulli(k, a / 4, 2), False),
    "categorical": (lambda k, a: random.categorical(k, _pair(a)), False),
    "permutation": (lambda k, a: random.permutation(k, _pair(a)), False),
    "choice": (lambda k, a: random.choice(k, _pair(a), 3), False),
}


def _pair(a: Any) -> Any:
    return array_namespace(a).stack([a, a / 2])


def _multivariate(key: Any, a: Any) -> Any:
    raw = array_namespace(key)
    return random.multivariate_normal(
        key, raw.zeros(2, dtype=a.dtype), a * raw.eye(2, dtype=a.dtype)
    )


@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers_of_a_key_from_outside(name: str, place: Any) -> None:
    if place.native:
        return
    fun, differentiable = RANDOM[name]
    key = random.key(7, namespace=place.library)
    both = place.array([1.5, 2.0])
    found = vmap(lambda a: fun(key, a))(both)
    expected = np.stack([to_numpy(fun(key, both[i])) for i in range(2)])
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-12)
    if differentiable:
        g = grad(lambda a: array_namespace(a).sum(fun(key, a)))(both[1])
        low, high = (to_numpy(fun(key, both[1] + h)).sum() for h in (-1e-6, 1e-6))
        np.testing.assert_allclose(to_numpy(g), (high - low) / 2e-6, rtol=1e-6)


# -- copied --------------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_keep_the_derivative(copied: Any, place: Any) -> None:
    if place.native:
        return

    def fun(x: Any) -> Any:
        y = x * 2
        z = copied({"y": y})["y"] if copied is copy.deepcopy else copied(y)
        z[0] = 0.0
        return array_namespace(x).sum(y * z)

    x = place.array(X)
    place.same(grad(fun)(x), np.asarray([0.0, 16.0, 24.0]))
    place.same(jvp(fun, (x,), (x,))[1], np.asarray(104.0))
    place.same(vmap(fun)(place.array(np.stack([X, 2 * X]))), np.asarray([52.0, 208.0]))


def test_shape_and_ndim_by_numpy() -> None:
    g = grad(lambda x: x[0] * np.ndim(x) * np.shape(x)[0])(X)
    np.testing.assert_array_equal(g, [3.0, 0.0, 0.0])


# -- afterwards -----------------------------------------------------------------------------------


@pytest.mark.parametrize("transform", [grad, vmap, lambda f: lambda x: jvp(f, (x,), (x,))])
def test_an_array_that_escaped_is_of_no_use(transform: Any) -> None:
    kept: list[Any] = []

    def fun(x: Any) -> Any:
        kept.append(x * 2)
        return array_namespace(x).sum(x)

    transform(fun)(X if transform is not vmap else np.stack([X, X]))
    (x,) = kept
    xp = array_namespace(x)
    uses: list[Callable[[], Any]] = [
        lambda: x + 1,
        lambda: 1 + x,
        lambda: x[0],
        lambda: xp.sin(x),
        lambda: xp.sum(x),
        lambda: operator.setitem(x, 0, 1.0),
        lambda: grad(lambda a: array_namespace(a).sum(a * x))(X),
        lambda: vmap(lambda a: a * x)(X),
    ]
    for use in uses:
        with pytest.raises(TransformError, match=r"ended \(line \d+ of .*test_proxy.py"):
            use()
    with pytest.raises(TransformError):
        np.asarray(x)
    with pytest.raises(TransformError):
        float(x[0])
    assert "Proxy" in repr(x)


def test_written_to_by_an_inner_transform() -> None:
    """The array then is of the inner one, which has ended when it is used."""

    def outer(x: Any) -> Any:
        kept = x * 1

        def inner(a: Any) -> Any:
            kept[0] = a
            return a * a

        g = grad(inner)(x[1])
        return array_namespace(x).sum(kept) + g

    with pytest.raises(TransformError, match=r"ended \(line .*writes.*make it inside"):
        grad(outer)(X)


def test_arrays_from_a_closure_are_raw() -> None:
    w = np.asarray([1.0, 2.0, 3.0])
    xp = likewise.namespace("numpy")
    g = grad(lambda x: array_namespace(x).sum(array_namespace(x, w).multiply(w, x)))(X)
    np.testing.assert_array_equal(g, w)
    assert type(g) is np.ndarray
    assert type(xp.asarray(g)) is np.ndarray


# -- written to in place ---------------------------------------------------------------------------

WRITING = {
    "jax": "its arrays can't be written to",
    "dask": "its arrays are not written to in place",
}


def _view(x: Any) -> Any:
    n = array_namespace(x)
    y = n.zeros(3, device=likewise.device(x))
    z = y[1:]
    z += x[1:]
    return n.sum(y * y) + n.sum(x)


def _alias(x: Any) -> Any:
    y = x * 1
    z = y
    z *= 2
    return array_namespace(x).sum(y * y)


def _elements(x: Any) -> Any:
    n = array_namespace(x)
    y = n.zeros(3, device=likewise.device(x))
    y[1:] += x[1:] * 2
    y[0] += x[0]
    y[:] *= 3
    return n.sum(y * y)


@pytest.mark.xp_skip(WRITING)
@pytest.mark.parametrize(
    ("fun", "gradient"),
    [(_view, [1.0, 5.0, 7.0]), (_alias, [8.0, 16.0, 24.0]), (_elements, [18.0, 144.0, 216.0])],
)
def test_augmented_assignment_is_as_outside(fun: Any, gradient: Any, xp: Any) -> None:
    x = xp.asarray([1.0, 2.0, 3.0])
    with interpreted():
        value, found = value_and_grad(fun)(x)
    np.testing.assert_allclose(to_numpy(value), to_numpy(fun(x)))
    np.testing.assert_allclose(to_numpy(found), gradient)


def _written_by_inner(x: Any, y: Any) -> Any:
    z = y * 2.0
    z[0] *= x[0]
    return array_namespace(x).sum(z)


def _written_after_use(x: Any, y: Any) -> Any:
    z = y * 2.0
    w = z * x
    z[0] = 100.0
    z[1:] += w[1:]
    z *= y
    w[2] = w[1] * x[0]
    return array_namespace(x).sum(w) + array_namespace(x).sum(z)


def _argument_written_to(x: Any, y: Any) -> Any:
    w = x * y
    y[1:] *= x[1:]
    return array_namespace(x).sum(w * y)


@custom_vjp
def _product(x: Any, y: Any) -> Any:
    return x * y


_product.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, g: (g * kept[1], g * kept[0]))


def _written_after_a_rule(x: Any, y: Any) -> Any:
    z = y * 2.0
    w = _product(x, z)
    z *= w
    return array_namespace(x).sum(w) + array_namespace(x).sum(z)


@pytest.mark.xp_skip(WRITING)
@pytest.mark.parametrize(
    ("fun", "by_x"),
    [
        (_written_by_inner, lambda x, y: [2 * y[0], 0.0, 0.0]),
        (_written_after_use, lambda x, y: [2 * y[0] + 2 * y[1] * x[1],
            2 * y[1] + 2 * y[1] * x[0] + 2 * y[1] ** 2, 2 * y[2] ** 2]),
        (_written_after_a_rule, lambda x, y: 2 * y + 4 * y**2),
        (_argument_written_to, lambda x, y: [y[0] ** 2, *(2 * x * y**2)[1:]]),
    ],
)  # fmt: skip
def test_an_outer_transforms_array_is_written_to(fun: Any, by_x: Any, xp: Any) -> None:
    """By values of the inner transform, before and after that has used it."""
    rows = np.asarray([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]])
    others = np.asarray([[2.0, 0.5, 1.5], [1.0, 3.0, -2.0]])
    expected = [by_x(x, y) for x, y in zip(rows, others, strict=True)]
    x, y = xp.asarray(rows), xp.asarray(others)

    def along(x: Any, y: Any, v: Any) -> Any:
        return jvp(lambda x: fun(x, y * 1.0), (x,), (v,))[1]

    def slopes(x: Any, y: Any) -> Any:
        return grad(lambda x: fun(x, y * 1.0))(x)

    with interpreted():
        np.testing.assert_allclose(to_numpy(vmap(grad(fun))(x, y)), expected)
        np.testing.assert_allclose(to_numpy(vmap(slopes)(x, y)), expected)
        if fun is _written_after_a_rule:
            return  # which has reverse mode only
        forth = to_numpy(vmap(along)(x, y, xp.ones_like(x)))
        np.testing.assert_allclose(forth, np.sum(expected, axis=1))
        # By y, through what x gives, and the other way round: the same numbers.
        one = jacfwd(grad(lambda x, y: fun(x, y * 1.0)), 1)(x[0, :], y[0, :])
        other = jacrev(grad(lambda x, y: fun(x, y * 1.0), 1), 0)(x[0, :], y[0, :])
        np.testing.assert_allclose(to_numpy(one), to_numpy(other).T)


@pytest.mark.xp_skip(WRITING)
def test_in_place_keeps_shape_and_kind(xp: Any) -> None:
    def wide(x: Any) -> Any:
        x += array_namespace(x).ones((2, 3), device=likewise.device(x))
        return x

    def real(x: Any) -> Any:
        xp = array_namespace(x)
        n = xp.zeros(3, dtype=xp.int64, device=likewise.device(x))
        n += x
        return n

    x = xp.asarray([1.0, 2.0, 3.0])
    with interpreted():
        with pytest.raises(TransformError, match="shape"):
            vjp(wide, x)
        with pytest.raises(TypeError, match="can't hold|promoted"):  # strict's own promotion
            vjp(real, x)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_list_in_an_index_may_repeat(library: str) -> None:
    x = likewise.asarray(np.ones((3, 2)), namespace=library)
    with interpreted():
        g = grad(lambda x: array_namespace(x).sum(x[[0, 0, 1], :]))(x)
    np.testing.assert_array_equal(to_numpy(g), [[2.0, 2.0], [1.0, 1.0], [0.0, 0.0]])


@pytest.mark.xp_skip(WRITING)
def test_gradients_belong_to_the_caller(xp: Any) -> None:
    x = xp.asarray([1.0, 2.0])
    with interpreted():
        a, b = grad(lambda x, y: array_namespace(x).sum((x + y) ** 2), (0, 1))(x, x)
        a += 1
        np.testing.assert_array_equal(to_numpy(b), [4.0, 8.0])
        c = grad(lambda x: array_namespace(x).sum(x))(x)
        c[0] = 5.0
        np.testing.assert_array_equal(to_numpy(c), [5.0, 1.0])
        same = vjp(lambda x: x, x)[1](x)[0]
        same += 1
    np.testing.assert_array_equal(to_numpy(x), [1.0, 2.0])


@pytest.mark.parametrize(
    "library, name", [("numpy", "diff"), ("numpy", "fftn"), ("strict", "ceil")]
)
@pytest.mark.needs("array_api_strict")
def test_what_may_be_its_operand_is_written_to(library: str, name: str) -> None:
    """Outside of a transform both would change; so a new one alone may be written to."""

    def fun(x: Any, n: int) -> Any:
        xp = array_namespace(x)
        x = x * 2
        y = {
            "diff": lambda: xp.diff(x, n=n, prepend=x[:n]),
            "fftn": lambda: xp.fft.fftn(x, axes=(0,) * n),
            "ceil": lambda: xp.ceil(xp.astype(x, xp.float64) if n else x),
        }[name]()
        y[0] = 7
        return x

    dtype = {"diff": "float64", "fftn": "complex128", "ceil": "int64"}[name]
    lib = likewise.namespace(library)
    x = lib.asarray([[1, 2]], dtype=getattr(lib, dtype))
    assert bool(fun(x[0, :], 0)[0] == 7)
    with pytest.raises(TransformError, match="shares its memory"):
        vmap(lambda x: fun(x, 0))(x)
    assert bool(lib.all(vmap(lambda x: fun(x, 1))(x) == 2 * x))


@pytest.mark.needs("array_api_strict")
def test_a_length_where_the_library_has_one() -> None:
    """As outside; one goes through the elements in either case."""
    import array_api_strict as strict

    assert vmap(lambda x: x * len(x))(X[None])[0].tolist() == [3.0, 6.0, 9.0]
    x = strict.asarray([1.0, 2.0])
    with pytest.raises(TypeError, match="no len"):
        len(x)
    for transformed in (jit(lambda x: x * len(x)), grad(lambda x: x[0] * len(x))):
        with pytest.raises(TypeError, match="no len"):
            transformed(x)
    with pytest.raises(TransformError, match=r"array of strict has no len.*line.*x\.shape\[0\]"):
        grad(lambda x: x[0] * len(x))(x)
    assert float(grad(lambda x: sum(v * v for v in x))(x)[1]) == 4.0
