"""Rules that the user writes, against closed forms; what they can't do."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from likewise import array_namespace
from likewise.errors import ArgumentError, LikewiseError, TransformError
from likewise.special._function import elementwise, repeated
from likewise.transforms import (
    custom_jvp,
    custom_vjp,
    fori_loop,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jit,
    jvp,
    stop_gradient,
    vjp,
    vmap,
)

X = np.asarray([0.3, -1.2, 2.0])


# The rules are 10 times the true derivatives, so that it shows who was asked.
@custom_vjp
def cube(x: Any) -> Any:
    """A cube."""
    return x**3


cube.defvjp(lambda x: (x**3, x), lambda x, g: (g * 30 * x**2,))


@custom_jvp
def square(x: Any) -> Any:
    """A square."""
    return x**2


@square.defjvp
def _square_rule(primals: Any, tangents: Any) -> Any:
    return primals[0] ** 2, 20 * primals[0] * tangents[0]


def total(fun: Any) -> Any:
    return lambda x: array_namespace(x).sum(fun(x))


def test_values_and_names(place: Any) -> None:
    place.same(cube(place.array(X)), X**3)
    place.same(square(place.array(X)), X**2)
    assert (cube.__name__, square.__doc__) == ("cube", "A square.")


def test_reverse(place: Any) -> None:
    x = place.array(X)
    place.same(grad(total(cube))(x), 30 * X**2)
    place.same(grad(total(square))(x), 20 * X)
    place.same(jacrev(cube)(x), np.diag(30 * X**2))
    place.same(jacrev(square)(x), np.diag(20 * X))
    place.same(grad(total(lambda x: cube(square(x)) * x))(x), 600 * X**6 + X**6)


def test_forward(place: Any) -> None:
    x = place.array(X)
    place.same(jvp(square, (x,), (x,)), (X**2, 20 * X**2))
    place.same(jacfwd(square)(x), np.diag(20 * X))
    if place.name != "torch":  # which has an error of its own
        with pytest.raises(TypeError, match="custom_vjp"):
            jvp(cube, (x,), (x,))


def test_second_order(place: Any) -> None:
    """The rule itself is differentiated: of 30 x², of 20 x."""
    x = place.array(X)
    place.same(jacrev(grad(total(cube)))(x), np.diag(60 * X))
    place.same(jacrev(grad(total(square)))(x), np.diag(np.full(3, 20.0)))
    place.same(hessian(total(square))(x), np.diag(np.full(3, 20.0)))
    place.same(jacfwd(jacfwd(square))(x[0]), np.asarray(20.0))
    one = place.array(2.0)
    place.same(grad(grad(cube))(one), np.asarray(120.0))
    place.same(grad(grad(grad(cube)))(one), np.asarray(60.0))


def test_vmap(place: Any) -> None:
    x = place.array(X)
    two = place.array(np.stack([X, 2 * X]))
    place.same(vmap(cube)(x), X**3)
    place.same(vmap(grad(cube))(x), 30 * X**2)
    place.same(vmap(grad(square))(x), 20 * X)
    place.same(vmap(grad(total(cube)))(two), 30 * np.stack([X, 2 * X]) ** 2)
    place.same(grad(total(vmap(cube)))(x), 30 * X**2)
    place.same(grad(total(vmap(square)))(x), 20 * X)
    place.same(vmap(grad(grad(square)))(x), np.full(3, 20.0))
    place.same(jvp(vmap(square), (x,), (x,))[1], 20 * X**2)


class Out(NamedTuple):
    y: Any
    more: Any


def nested(p: Any, q: Any) -> Out:
    return Out(p["a"] * q[0], {"s": p["b"] + q[0], "n": None})


vjp_rule = custom_vjp(nested)
vjp_rule.defvjp(
    lambda p, q: (nested(p, q), (p, q)),
    lambda kept, g: (
        {"a": 10 * g.y * kept[1][0], "b": 10 * g.more["s"]},
        (10 * g.y * kept[0]["a"] + 10 * g.more["s"], None),
    ),
)
jvp_rule = custom_jvp(nested)
jvp_rule.defjvp(
    lambda primals, tangents: (
        nested(*primals),
        Out(
            10 * tangents[0]["a"] * primals[1][0] + 10 * primals[0]["a"] * tangents[1][0],
            {"s": 10 * tangents[0]["b"] + 10 * tangents[1][0], "n": None},
        ),
    )
)


@pytest.mark.parametrize("fun", [vjp_rule, jvp_rule], ids=["custom_vjp", "custom_jvp"])
def test_structures(place: Any, fun: Any) -> None:
    p, q = {"b": place.array(3.0), "a": place.array(2.0)}, (place.array(5.0), None)

    def weighted(p: Any, q: Any) -> Any:
        out = fun(p, q)
        return out.y + 2 * out.more["s"]

    place.same(fun(p, q), Out(np.asarray(10.0), {"s": np.asarray(8.0), "n": None}))
    expected = ({"b": np.asarray(20.0), "a": np.asarray(50.0)}, (np.asarray(40.0), None))
    place.same(grad(weighted, (0, 1))(p, q), expected)
    place.same(grad(weighted, 1)(p, q), expected[1])  # not all arguments are differentiated
    several = {"b": place.array([3.0, 3.0]), "a": place.array([2.0, 4.0])}
    found = vmap(grad(weighted, 1), (0, None))(several, q)
    place.same(found, (np.asarray([40.0, 60.0]), None))

    # what one argument shares between lanes gets the sum of their cotangents
    def lanes(q: Any) -> Any:
        out = vmap(lambda p: weighted(p, q))(several)
        return array_namespace(out).sum(out)

    place.same(grad(lanes)(q), (np.asarray(100.0), None))


def test_cotangent_of_one_result_only(place: Any) -> None:
    """The others' are zeros."""
    seen = []

    @custom_vjp
    def two(x: Any) -> Any:
        return x * 2, x * 3

    def bwd(x: Any, g: Any) -> Any:
        seen.append(g)
        return (g[0] * 2 + g[1] * 3,)

    two.defvjp(lambda x: ((x * 2, x * 3), x), bwd)
    place.same(grad(lambda x: two(x)[1])(place.array(1.0)), np.asarray(3.0))
    place.same(vjp(two, place.array(1.0))[1]((place.array(1.0), 10.0)), (np.asarray(32.0),))


def test_nondiff_argnums(place: Any) -> None:
    def power(fun: Any, x: Any, n: int) -> Any:
        return fun(x) ** n

    first = custom_vjp(power, nondiff_argnums=(0, 2))
    first.defvjp(
        lambda fun, x, n: (power(fun, x, n), x), lambda fun, n, x, g: (g * 10 * n * fun(x),)
    )
    second = custom_jvp(power, nondiff_argnums=(0, -1))
    second.defjvp(lambda fun, n, p, t: (power(fun, p[0], n), 10 * n * fun(p[0]) * t[0]))
    sine = lambda x: array_namespace(x).sin(x)  # noqa: E731
    for rule in (first, second):
        found = grad(total(lambda x, r=rule: r(sine, x, 2)))(place.array(X))
        place.same(found, 20 * np.sin(X))
        place.same(rule(sine, place.array(X), 2), np.sin(X) ** 2)
    with pytest.raises(ArgumentError, match="nondiff_argnums .* 1 positional"):
        first(place.array(X))


def test_keywords_and_numbers(place: Any) -> None:
    """Python's numbers are constants."""

    @custom_jvp
    def scaled(x: Any, by: Any) -> Any:
        return x * by

    scaled.defjvp(lambda p, t: (p[0] * p[1], 10 * t[0] * p[1] + p[0] * t[1]))
    place.same(grad(total(lambda x: scaled(x, 2.0)))(place.array(X)), np.full(3, 20.0))


@pytest.mark.needs("jax")
def test_complex(place: Any) -> None:
    """Nothing is conjugated on the way: the rule sees JAX's cotangents."""
    import jax

    z = X + 1j * X[::-1]
    rule = custom_vjp(lambda z: z**2)
    rule.defvjp(lambda z: (z**2, z), lambda z, g: (g * 2 * z,))
    other = custom_jvp(lambda z: z**2)
    other.defjvp(lambda p, t: (p[0] ** 2, 2 * p[0] * t[0]))
    right = jax.vjp(lambda z: z**2, jax.numpy.asarray(z))[1](jax.numpy.asarray(1j * z))[0]
    for fun in (rule, other):
        pull = vjp(fun, place.array(z, "complex128"))[1]
        place.same(pull(place.array(1j * z, "complex128"))[0], right)


def test_stop_gradient(place: Any) -> None:
    x = place.array(X)
    place.same(grad(total(lambda x: x * stop_gradient(x**2)))(x), X**2)
    place.same(jvp(stop_gradient, (x,), (x,)), (X, 0 * X))
    place.same(stop_gradient({"a": (x, None)}), {"a": (X, None)})
    place.same(vmap(stop_gradient)(x), X)
    place.same(grad(total(lambda x: x * vmap(stop_gradient)(x)))(x), X)
    assert stop_gradient(1.5) == 1.5


# -- closures --------------------------------------------------------------------------------------


def closing(kind: str) -> Any:
    """A rule that closes over an argument of the function around it."""

    def around(y: Any, x: Any) -> Any:
        if kind == "vjp":
            rule = custom_vjp(lambda x: x * y)
            rule.defvjp(lambda x: (x * y, None), lambda _, g: (g * y,))
        else:
            rule = custom_jvp(lambda x: x * y)
            rule.defjvp(lambda p, t: (p[0] * y, t[0] * y))
        return rule(x)

    return around


@pytest.mark.parametrize("kind", ["vjp", "jvp"])
def test_derivative_through_a_closure(place: Any, kind: str) -> None:
    """What the docs warn of: JAX raises, torch has a silent 0.

    The interpreter raises as well where the rule is asked; where only what it closes over is
    differentiated, it isn't, and the function's own steps are.
    """
    y, x = place.array(3.0), place.array(2.0)
    around = closing(kind)
    both = lambda y: around(y, y)  # noqa: E731
    if place.name == "jax":
        for fun in (lambda y: around(y, x), both):
            with pytest.raises(Exception, match="unexpected tracer|closed-over|leak"):
                grad(fun)(y)
    elif place.name == "torch":
        place.same(grad(around)(y, x), np.asarray(0.0))
        place.same(grad(both)(y), np.asarray(3.0))  # half of it is lost
    else:
        place.same(grad(around)(y, x), np.asarray(2.0))
        for transform in (grad, jacfwd) if kind == "jvp" else (grad,):
            with pytest.raises(TransformError, match="closes over"):
                transform(both)(y)
    place.same(grad(around, 1)(y, x), np.asarray(3.0))


# -- what is refused -------------------------------------------------------------------------------


def refused(error: Any, match: str, call: Any) -> None:
    with pytest.raises(error, match=match) as found:
        call()
    assert isinstance(found.value, LikewiseError)


def by_vjp(fwd: Any, bwd: Any) -> Any:
    rule = custom_vjp(lambda x: x)
    rule.defvjp(fwd, bwd)
    return grad(rule)


def by_jvp(rule: Any) -> Any:
    made = custom_jvp(lambda x: x)
    made.defjvp(rule)
    return grad(made)


def test_wrong_returns(place: Any) -> None:
    x = place.array(1.0)
    fwd = lambda x: (x, None)  # noqa: E731
    refused(TypeError, "tuple of 1 cotangents", lambda: by_vjp(fwd, lambda _, g: g)(x))
    refused(TypeError, "tuple of 1 cotangents", lambda: by_vjp(fwd, lambda _, g: (g, g))(x))
    refused(TypeError, "structure", lambda: by_vjp(fwd, lambda _, g: ((g,),))(x))
    refused(
        ValueError,
        r"cotangent of the argument's shape, \(\).*\(2,\)",
        lambda: by_vjp(fwd, lambda _, g: (place.array([1.0, 2.0]),))(x),
    )
    refused(TypeError, "fwd must return a pair", lambda: by_vjp(lambda x: x, fwd)(x))
    refused(TypeError, "must return a pair", lambda: by_jvp(lambda p, t: t[0])(x))
    refused(TypeError, "structure of the result", lambda: by_jvp(lambda p, t: (p[0], (t[0],)))(x))
    refused(
        TypeError,
        r"tangent.*\(2,\)",
        lambda: by_jvp(lambda p, t: (p[0], t[0] * place.array([1.0, 2.0])))(x),
    )
    refused(ArgumentError, "no rule", lambda: custom_vjp(lambda x: x)(x))
    refused(ArgumentError, "no rule", lambda: custom_jvp(lambda x: x)(x))
    # another precision is cast
    single = place.xp.float32
    narrow = lambda _, g: (array_namespace(g).astype(g, single),)  # noqa: E731
    place.same(by_vjp(fwd, narrow)(x), np.asarray(1.0))


def test_ended_transform(place: Any) -> None:
    if place.native:
        return
    kept: list[Any] = []
    grad(lambda x: (kept.append(x), x * x)[1])(place.array(1.0))
    with pytest.raises(TransformError, match="after its transform has ended"):
        cube(kept[0])


def test_a_rule_that_closes_over_an_inner_array_is_refused() -> None:
    """Whose transform is open inside of that of the rule's argument."""

    def outer(a: Any) -> Any:
        def inner(b: Any) -> Any:
            @custom_vjp
            def f(a: Any) -> Any:
                return a * b

            f.defvjp(lambda a: (a * b, a), lambda kept, g: (g * 2.0,))
            return f(a)

        return grad(inner)(np.asarray(3.0))

    with pytest.raises(TransformError, match="closes over"):
        grad(outer)(np.asarray(2.0))


# -- compiled by torch -----------------------------------------------------------------------------


def halved(x: Any, y: Any) -> Any:
    """Of a loop: x / 8 + 7 y / 4."""
    return fori_loop(0, 3, lambda _, c: 0.5 * c + y, x)


# Twice the true derivatives.
@custom_vjp
def halved_vjp(x: Any, y: Any) -> Any:
    return halved(x, y)


halved_vjp.defvjp(lambda x, y: (halved(x, y), None), lambda _, g: (g / 4, 3.5 * g))


@custom_jvp
def halved_jvp(x: Any, y: Any) -> Any:
    return halved(x, y)


@halved_jvp.defjvp
def _halved_rule(primals: Any, tangents: Any) -> Any:
    return halved_jvp(*primals), 2 * halved(*tangents)


@elementwise(
    derivatives=(lambda z, x, y: 0 * z + 0.25, lambda z, x, y: 0 * z + 3.5),
)
def halved_elementwise(x: Any, y: Any) -> Any:
    """The same as a special function."""
    return repeated(3, lambda _, c: (0.5 * c[0] + y,), (x,))[0]


@pytest.mark.needs("torch")
@pytest.mark.parametrize(
    "rule",
    [
        halved_elementwise,
        *(pytest.param(rule, marks=pytest.mark.full) for rule in (halved_vjp, halved_jvp)),
    ],
)
def test_rules_of_loops_that_torch_compiles(rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two arguments: torch.compile takes an autograd.Function of them for another one, and
    looked past its rule under torch.func."""
    import torch

    own = torch.compile  # quick: what makes code is left out
    monkeypatch.setattr(torch, "compile", lambda f, **o: own(f, backend="aot_eager", **o))
    x, y = torch.asarray(X), torch.asarray(X[::-1].copy())
    want = X / 8 + 7 / 4 * X[::-1]
    np.testing.assert_allclose(jit(lambda x, y: rule(x, y))(x, y), want)
    np.testing.assert_allclose(jit(lambda x, y: vmap(rule)(x, y))(x, y), want)
    weighted = lambda x, y: torch.sum(rule(x, y) * x)  # noqa: E731
    by_x, by_y = jit(lambda x, y: grad(weighted, argnums=(0, 1))(x, y))(x, y)
    np.testing.assert_allclose(by_x, want + X / 4)
    np.testing.assert_allclose(by_y, 3.5 * X)
    if rule is not halved_vjp:
        along = jit(lambda x, y: jvp(rule, (x, y), (y, x))[1])(x, y)
        np.testing.assert_allclose(along, X[::-1] / 4 + 3.5 * X)
    x.requires_grad_()
    torch.sum(jit(lambda x, y: rule(x, y))(x, y) * y).backward()
    np.testing.assert_allclose(x.grad, X[::-1] / 4)


@pytest.mark.needs("torch")
def test_structures_and_settings_that_torch_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    own = torch.compile
    monkeypatch.setattr(torch, "compile", lambda f, **o: own(f, backend="aot_eager", **o))
    power = custom_jvp(lambda tree, n: {"y": tree["x"] ** n}, nondiff_argnums=(1,))
    power.defjvp(lambda n, p, t: (power(p[0], n), {"y": 10 * n * p[0]["x"] * t[0]["x"]}))
    x = torch.asarray(X)
    tree = {"x": x}
    np.testing.assert_allclose(jit(lambda tree: power(tree, 2))(tree)["y"], X**2)
    found = jit(lambda tree: grad(lambda t: torch.sum(power(t, 2)["y"]))(tree))
    np.testing.assert_allclose(found(tree)["x"], 20 * X)
