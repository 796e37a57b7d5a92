"""Loops, eager and traced, mapped and differentiated."""

import functools
from typing import Any, NamedTuple

import numpy as np
import pytest

from likewise import array_namespace, transforms
from likewise.errors import ArgumentError, NotSupported, ShapeError, TransformError
from likewise.transforms import (
    associative_scan,
    fori_loop,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jit,
    jvp,
    scan,
    vmap,
    while_loop,
)


def newton(x: Any) -> Any:
    """Square roots by Newton's method, in a nested value."""

    def going(value: Any) -> Any:
        return (value["n"] < 50) & (abs(value["pair"][0] ** 2 - x) > 1e-6 * x)

    def step(value: Any) -> Any:
        root, count = value["pair"]
        return {"n": value["n"] + 1, "pair": ((root + x / root) / 2, count + 1)}

    return while_loop(going, step, {"n": x * 0, "pair": (x, x * 0)})


def test_every_library(lib: Any) -> None:
    x = lib.asarray(2.0, "float32")
    if lib.library == "dask":
        with pytest.raises(NotSupported, match="dask has no control flow over lazy arrays"):
            newton(x)
        return
    out = newton(x)
    np.testing.assert_allclose(
        lib.to_numpy(out["pair"][0] + lib.asarray(0.0, "float32")), 2**0.5, rtol=1e-5
    )


def test_python_numbers_and_none() -> None:
    assert while_loop(lambda v: v[0] < 5, lambda v: (v[0] + 1, None), (0, None)) == (5, None)


def test_false_at_once(lib: Any) -> None:
    if lib.library != "dask":
        x = lib.asarray(2.0)
        assert float(while_loop(lambda v: v < 0, lambda v: v * 2, x)) == 2.0


@pytest.mark.needs("jax")
def test_jax_jit_vmap_and_forward_derivative() -> None:
    import jax
    import jax.numpy as jnp

    run = jax.jit(lambda x: newton(x)["pair"][0])
    np.testing.assert_allclose(run(jnp.asarray(2.0)), 2**0.5, rtol=1e-6)
    roots = jax.vmap(run)(jnp.asarray([1.0, 4.0, 1e6]))
    np.testing.assert_allclose(roots, [1.0, 2.0, 1e3], rtol=1e-6)
    _, slope = jax.jvp(run, (jnp.asarray(2.0),), (jnp.asarray(1.0),))
    np.testing.assert_allclose(slope, 0.5 / 2**0.5, rtol=1e-5)


@pytest.mark.needs("torch")
def test_torch_gradient_through_the_steps() -> None:
    import torch

    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    newton(x)["pair"][0].backward()
    np.testing.assert_allclose(x.grad, 0.5 / 2**0.5, rtol=1e-5)


@pytest.mark.needs("torch")
def test_torch_compile_is_refused() -> None:
    import torch

    def root(x: Any) -> Any:
        return newton(x)["pair"][0]

    with pytest.raises(Exception, match="has no control flow over lazy arrays"):
        torch.compile(root, fullgraph=True, backend="eager")(torch.ones(3)[0])
    with pytest.raises(NotSupported, match="torch has no control flow over lazy arrays"):
        root(torch.ones((), device="meta"))


# -- while_loop ------------------------------------------------------------------------------------


def halved(x: Any) -> Any:
    """Each lane halves until it is below 1, and counts."""
    return while_loop(lambda v: v[0] >= 1, lambda v: (v[0] / 2, v[1] + 1), (x, 0 * x))


def test_each_lane_ends_on_its_own(place: Any) -> None:
    x = np.asarray([0.5, 1.0, 3.0, 100.0])
    steps = np.asarray([0.0, 1.0, 2.0, 7.0])
    expected = (x / 2**steps, steps)
    place.same(vmap(halved)(place.array(x)), expected)
    place.same(vmap(halved)(place.array(x[:1])), (x[:1], steps[:1]))  # no step at all
    nested = vmap(vmap(halved))(place.array(x.reshape(2, 2)))
    place.same(nested, tuple(e.reshape(2, 2) for e in expected))
    slopes = vmap(lambda x: jvp(lambda x: halved(x)[0], (x,), (x,))[1])(place.array(x))
    place.same(slopes, expected[0])
    place.same(
        jvp(lambda x: vmap(halved)(x)[0], (place.array(x),), (place.array(x),))[1], expected[0]
    )


def test_lanes_that_only_the_condition_knows(place: Any) -> None:
    """The value has no lanes when the loop begins; the bound has."""
    n = place.array([0.0, 3.0, 1.0])
    zero = place.array(0.0)

    def count(n: Any) -> Any:
        return while_loop(lambda k: k < n, lambda k: k + 1, zero)

    place.same(vmap(count)(n), np.asarray([0.0, 3.0, 1.0]))


def test_lanes_that_end_do_not_spoil_derivatives(place: Any) -> None:
    if place.name == "jax":  # has no reverse mode
        return
    x = np.asarray([0.5, 3.0, 100.0])
    steps = np.asarray([0.0, 2.0, 7.0])
    place.same(vmap(grad(lambda x: halved(x)[0]))(place.array(x)), 0.5**steps)
    total = lambda x: array_namespace(x).sum(vmap(lambda x: halved(x)[0] ** 2)(x))  # noqa: E731
    place.same(grad(total)(place.array(x)), 2 * x * 0.25**steps)


def test_lanes_that_end_are_not_run_where_there_is_no_derivative(place: Any) -> None:
    """The values they end on, and for the first one its argument, are below the root's domain."""
    if place.name == "jax":  # has no reverse mode
        return
    n = np.asarray([0.5, 2.0, 30.0, 1000.0])
    once = lambda x: 0.5 / np.sqrt(x - 1)  # noqa: E731

    def fun(x: Any) -> Any:
        xp = array_namespace(x)
        return while_loop(lambda c: c > 1.5, lambda x: xp.sqrt(x - 1.0), x)

    steps = [1.0]
    for x in n[1:]:
        slope = 1.0
        while x > 1.5:
            slope, x = slope * once(x), np.sqrt(x - 1)
        steps.append(slope)
    total = lambda x: array_namespace(x).sum(vmap(fun)(x))  # noqa: E731
    with np.errstate(invalid="ignore"):
        place.same(vmap(grad(fun))(place.array(n)), np.asarray(steps))
        place.same(grad(total)(place.array(n)), np.asarray(steps))


def test_reverse_mode(place: Any) -> None:
    """On eager libraries; on JAX an error that says what to use."""
    x = place.array(100.0)
    if place.name == "jax":
        for transform in (grad, jacrev):
            with pytest.raises(NotSupported, match="implicit_root"):
                transform(lambda x: halved(x)[0])(x)
        return
    place.same(grad(lambda x: halved(x)[0])(x), np.asarray(0.5**7))
    place.same(grad(grad(lambda x: halved(x)[0] ** 3))(x), np.asarray(6 * 100 / 2**21))


def test_while_loop_refuses(place: Any) -> None:
    x = place.array(1.0)
    body = {
        r"carry\['a'\]\[0\] went in as \(\) of .*float64 and came out as \(2,\) of": lambda v: {
            "a": (place.array([1.0, 2.0]),)
        },
        "came out as .* of .*float32": lambda v: {"a": (place.array(1.0, "float32"),)},
        r"structure.*\{'a': \('\*',\)\}.*returned \{'a': '\*'\}": lambda v: {"a": v["a"][0]},
    }
    for match, fun in body.items():
        with pytest.raises(TransformError, match=match):
            while_loop(lambda v: v["a"][0] < 3, fun, {"a": (x,)})
    if place.name != "jax":  # whose own words these are not
        with pytest.raises(TransformError, match=r"scalar truth value.*shape \(2,\)"):
            while_loop(lambda v: v < 3, lambda v: v, place.array([1.0, 2.0]))
        with pytest.raises(TransformError, match="scalar truth value.*float64"):
            while_loop(lambda v: v, lambda v: v, x)
    with pytest.raises(TypeError, match="scalar"):
        while_loop(lambda v: v < 3, lambda v: v, place.array([1.0, 2.0]))


# -- fori_loop -------------------------------------------------------------------------------------


def test_fori_loop(place: Any) -> None:
    x = place.array([1.0, 2.0])

    def power(x: Any, n: Any = 3, start: int = 0) -> Any:
        return fori_loop(start, n, lambda i, v: {"y": v["y"] * x + 0 * i}, {"y": x**0})["y"]

    place.same(power(x), np.asarray([1.0, 8.0]))
    place.same(power(x, 3, 3), np.ones(2))
    place.same(power(x, 0, 3), np.ones(2))
    total = lambda x: array_namespace(x).sum(power(x))  # noqa: E731
    place.same(grad(total)(x), np.asarray([3.0, 12.0]))
    place.same(jacfwd(power)(x), np.diag([3.0, 12.0]))
    place.same(vmap(power)(x), np.asarray([1.0, 8.0]))
    place.same(vmap(grad(power))(x), np.asarray([3.0, 12.0]))
    place.same(hessian(total)(x), np.diag([6.0, 12.0]))
    one = place.array(1.0)
    place.same(
        fori_loop(0, 4, lambda i, v: v + place.xp.asarray(i, dtype=v.dtype), one), np.asarray(7.0)
    )
    bound = place.xp.asarray(3)
    place.same(power(x, bound), np.asarray([1.0, 8.0]))
    many = vmap(lambda n: fori_loop(0, n, lambda i, v: v * 2, one))(place.array([0, 3, 1], "int64"))
    place.same(many, np.asarray([1.0, 8.0, 2.0]))
    with pytest.raises(TransformError, match="fori_loop.*carry went in.*float32"):
        fori_loop(0, 3, lambda i, v: place.xp.astype(v, place.xp.float32), one)


# -- scan ------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    left: Any
    right: Any


def filtered(carry: Any, x: Any) -> Any:
    """A step on nested values, with a None among its results."""
    xp = array_namespace(carry["c"])
    new = xp.sin(carry["c"]) * x.left + x.right[0]
    return {"n": carry["n"] + 1, "c": new}, (new * 2, None, {"before": carry["c"]})


LEFT = np.asarray([0.3, -1.0, 2.0, 0.7])
RIGHT = np.asarray([[1.0, 2.0], [0.0, 1.0], [-1.0, 3.0], [0.5, 0.1]])


def weights(reverse: bool, c: Any, left: Any, right: Any) -> Any:
    """A number of everything that the scan gives."""
    xp = array_namespace(c, left)
    init = {"n": c * 0, "c": c}
    carry, (ys, _, more) = scan(filtered, init, Pair(left, (right,)), reverse=reverse)
    return xp.sum(carry["c"]) + xp.sum(ys * ys) + 3 * xp.sum(more["before"])


def by_jax(reverse: bool, c: Any, left: Any, right: Any) -> Any:
    import jax

    def step(carry: Any, x: Any) -> Any:
        new = jax.numpy.sin(carry["c"]) * x[0] + x[1]
        return {"n": carry["n"] + 1, "c": new}, (new * 2, None, {"before": carry["c"]})

    init = {"n": c * 0, "c": c}
    carry, (ys, _, more) = jax.lax.scan(step, init, (left, right), reverse=reverse)
    return carry["c"].sum() + (ys * ys).sum() + 3 * more["before"].sum()


WHOLE = np.asarray([0.5, 0.2]), LEFT, RIGHT
AXES = (None, 0, 0)
TWO = [a if axis is None else np.stack([a, -a]) for a, axis in zip(WHOLE, AXES, strict=True)]


@functools.cache  # for all places
def right_weights(reverse: bool) -> dict[str, Any]:
    import jax

    right = functools.partial(by_jax, reverse)
    made, two = (list(map(jax.numpy.asarray, arrays)) for arrays in (WHOLE, TWO))
    return {
        "value": right(*made),
        "grad": jax.grad(right, (0, 1, 2))(*made),
        "hessian": jax.hessian(right)(*made),
        "vmap": jax.vmap(right, AXES)(*two),
        "vmap of grad": jax.vmap(jax.grad(right, 1), AXES)(*two),
    }


@pytest.mark.needs("jax")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.long("jax", "strict")
def test_scan_and_its_derivatives(place: Any, reverse: bool) -> None:
    arrays = [place.array(a) for a in WHOLE]
    of, right = functools.partial(weights, reverse), right_weights(reverse)
    place.same(of(*arrays), right["value"])
    place.same(grad(of, (0, 1, 2))(*arrays), right["grad"])
    place.same(jacfwd(of)(*arrays), right["grad"][0])
    place.same(hessian(of)(*arrays), right["hessian"])
    mapped = [place.array(a) for a in TWO]
    place.same(vmap(of, AXES)(*mapped), right["vmap"])
    place.same(vmap(grad(of, 1), AXES)(*mapped), right["vmap of grad"])
    place.same(jit(of)(*arrays) if place.name == "jax" else of(*arrays), right["value"])


def test_scan_results(place: Any) -> None:
    xs = Pair(place.array(LEFT), (place.array(RIGHT),))
    init = {"n": place.array(0.0), "c": place.array([0.5, 0.2])}
    for reverse in (False, True):
        c, before = np.asarray([0.5, 0.2]), []
        news = []
        order = range(4)[::-1] if reverse else range(4)
        for i in order:
            before.append(c)
            c = np.sin(c) * LEFT[i] + RIGHT[i]
            news.append(c)
        step = -1 if reverse else 1
        expected = (np.stack(news[::step]) * 2, None, {"before": np.stack(before[::step])})
        place.same(
            scan(filtered, init, xs, reverse=reverse), ({"n": np.asarray(4.0), "c": c}, expected)
        )


def test_scan_by_length(place: Any) -> None:
    one = place.array(1.0)
    found = scan(lambda c, x: (c * 2, (x, c)), one, length=3)
    place.same(found, (np.asarray(8.0), (None, np.asarray([1.0, 2.0, 4.0]))))
    place.same(scan(lambda c, x: (c, None), one, None, 2), (np.asarray(1.0), None))
    assert scan(lambda c, _: (c + 1, None), 0, length=3)[0] == 3


def test_scan_of_nothing(place: Any) -> None:
    """Results have their shapes all the same."""
    one, empty = place.array(1.0), place.array(np.zeros((0, 2)))
    found = scan(lambda c, x: (c, (x * 2, c)), one, empty)
    place.same(found, (np.asarray(1.0), (np.zeros((0, 2)), np.zeros(0))))
    place.same(scan(lambda c, x: (c + 1, c), one, length=0), (np.asarray(1.0), np.zeros(0)))


def test_scan_refuses(place: Any) -> None:
    """JAX's classes, with the place in the carry."""
    x, one = place.array(LEFT), place.array(1.0)
    init = {"a": [one, x]}
    cases: dict[str, Any] = {
        r"scan: .*carry\['a'\]\[1\] went in as \(4,\) of .*float64 and came out as \(2,\) of": lambda c, x: (
            {"a": [c["a"][0], c["a"][1][:2]]},
            None,
        ),
        r"carry\['a'\]\[0\] went in as \(\) of .*float64 and came out as \(\) of .*float32": lambda c, x: (
            {"a": [place.array(1.0, "float32"), c["a"][1]]},
            None,
        ),
        r"structure.*\{'a': \['\*', '\*'\]\}.*returned \['\*', '\*'\]": lambda c, x: (c["a"], None),
        "must return a pair.*dict": lambda c, x: c,
        "must return a pair.*tuple": lambda c, x: (c, x, x),
    }
    for match, fun in cases.items():
        with pytest.raises(TransformError, match=match):
            scan(fun, init, x)
    step = lambda c, x: (c, c)  # noqa: E731
    with pytest.raises(ShapeError, match=r"xs\['b'\] 4, xs\['c'\] 2"):
        scan(step, one, {"b": x, "c": x[:2]})
    with pytest.raises(ShapeError, match="xs 4, length 2"):
        scan(step, one, x, length=2)
    with pytest.raises(ShapeError, match=r"xs\[1\] must have a first dimension"):
        scan(step, one, (x, one))
    with pytest.raises(ArgumentError, match="length must be given"):
        scan(step, one)
    with pytest.raises(ArgumentError, match="non-negative integer"):
        scan(step, one, length=-1)


@pytest.mark.needs("jax")
def test_weak_carry_takes_the_dtype_that_comes() -> None:
    import jax
    import jax.numpy as jnp

    x = jnp.ones(3, "float32")
    for init in (0, 0.0, jnp.asarray(0.0)):
        found = scan(lambda c, x: (c + x, c), init, x)
        expected = jax.lax.scan(lambda c, x: (c + x, c), init, x)
        assert [f.dtype for f in found] == [e.dtype for e in expected]


def test_python_number_in_the_carry_has_the_dtype_of_the_first_step(place: Any) -> None:
    x = place.array([1.0, 2.0, 3.0], "float32")
    step = lambda c, x: (c + x, c)  # noqa: E731
    f32 = lambda a: np.asarray(a, "float32")  # noqa: E731
    for init in (0, 0.0):
        if place.name == "jax":
            place.same(scan(step, init, x), (f32(6.0), f32([0.0, 1.0, 3.0])))
            continue
        carry, ys = scan(step, init, x)
        assert float(carry) == 6.0
        place.same(ys, f32([0.0, 1.0, 3.0]))
        place.same(scan(step, init, x[:1])[1], f32([0.0]))
        place.same(scan(step, init, x[:0])[1], f32([]))
    with pytest.raises(TypeError, match="(?s)int"):
        scan(lambda c, x: (x, c), 0.5, place.array([1, 2], "int64"))


def test_a_number_of_another_dtype_is_no_carry(place: Any) -> None:
    """Also of NumPy, whose operators make scalars of arrays without dimensions."""
    x = place.array([1.0, 2.0])
    with pytest.raises(TypeError, match=r"float32.*float64"):
        scan(lambda c, x: (c + x, c), place.array(0.0, "float32"), x)
    one = place.array(1, "int64")
    for run in (
        lambda f: while_loop(lambda c: c < 3, f, one),
        lambda f: fori_loop(0, 3, lambda i, c: f(c), one),
    ):
        with pytest.raises(TypeError, match=r"int64.*float64"):
            run(lambda c: c * x[1])


def test_map(place: Any) -> None:
    x = place.array(RIGHT)
    for options in ({}, {"batch_size": 3}):
        found = transforms.map(lambda v: {"s": v * 2, "p": (v[0], None)}, x, **options)
        place.same(found, {"s": 2 * RIGHT, "p": (RIGHT[:, 0], None)})
    total = lambda x: array_namespace(x).sum(transforms.map(lambda v: v**3, x))  # noqa: E731
    place.same(grad(total)(x), 3 * RIGHT**2)


# -- associative_scan ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8])
@pytest.mark.parametrize("reverse", [False, True])
def test_associative_scan(place: Any, n: int, reverse: bool) -> None:
    x = np.cos(np.arange(2.0 * n)).reshape(2, n)
    flip = (lambda a: a[:, ::-1]) if reverse else (lambda a: a)
    args = place.array(x), place.array(x.T)
    found = associative_scan(
        lambda a, b: (a[0] + b[0], a[1] * b[1]), (args[0], args[0]), reverse, axis=1
    )
    sums, products = flip(np.cumsum(flip(x), axis=1)), flip(np.cumprod(flip(x), axis=1))
    place.same(found, (sums, products))
    found = associative_scan(lambda a, b: {"k": a["k"] + b["k"]}, {"k": args[0]}, reverse, axis=-1)
    place.same(found, {"k": sums})
    place.same(associative_scan(lambda a, b: a + b, args[1], reverse), sums.T)


@pytest.mark.parametrize("n", [1, 4, 5])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.long("jax")
def test_associative_scan_of_matrices(place: Any, n: int, reverse: bool) -> None:
    """The order counts; derivatives of products of all matrices."""
    m = np.sin(np.arange(4.0 * n) + 1).reshape(n, 2, 2)
    expected = []
    total = np.eye(2)
    for a in m[::-1] if reverse else m:
        total = total @ a
        expected.append(total)
    expected = np.stack(expected[::-1] if reverse else expected)
    join = lambda a, b: a @ b  # noqa: E731
    place.same(associative_scan(join, place.array(m), reverse), expected)

    def last(m: Any) -> Any:
        out = associative_scan(join, m, reverse)
        return array_namespace(m).sum(out[0 if reverse else n - 1, ...])

    right = np.empty_like(m)
    order = list(range(n))[::-1] if reverse else list(range(n))
    for place_, k in enumerate(order):
        before = functools.reduce(np.matmul, [m[j] for j in order[:place_]], np.eye(2))
        after = functools.reduce(np.matmul, [m[j] for j in order[place_ + 1 :]], np.eye(2))
        right[k] = np.outer(before.sum(axis=0), after.sum(axis=1))
    place.same(grad(last)(place.array(m)), right)
    two = np.stack([m, 2 * m])
    place.same(vmap(last)(place.array(two)), np.asarray([1.0, 2.0**n]) * np.sum(total))


def test_associative_scan_depth() -> None:
    """Twice the logarithm, where a loop needs n."""
    calls: list[int] = []

    def join(a: Any, b: Any) -> Any:
        calls.append(a.shape[0])
        return a + b

    associative_scan(join, np.ones(1000))
    assert len(calls) <= 2 * 10
    assert sum(calls) <= 2 * 1000


def test_associative_scan_refuses(place: Any) -> None:
    x = place.array(LEFT)
    join = lambda a, b: a  # noqa: E731
    with pytest.raises(ShapeError, match=r"\[2, 4\]"):
        associative_scan(join, (x, x[:2]))
    with pytest.raises(ShapeError, match=r"axis 1 is out of range for elems\['a'\]"):
        associative_scan(join, {"a": x}, axis=1)
    with pytest.raises(ShapeError, match="axis 0 is out of range"):
        associative_scan(join, place.array(1.0))


@pytest.mark.needs("jax")
def test_number_in_and_tracer_in_the_closure() -> None:
    """Only the condition tells whose loop it is; it is called once for that."""
    import jax.numpy as jnp

    def count(x: Any) -> Any:
        return while_loop(lambda n: n < x, lambda n: n + 1, 0)

    x = jnp.asarray([1.0, 2.0, 3.0])
    assert vmap(count)(x).tolist() == [1, 2, 3]
    assert int(jit(count)(x[2])) == 3
    seen: list[int] = []
    assert while_loop(lambda n: (seen.append(n), n < 2)[1], lambda n: n + 1, 0) == 2
    assert seen == [0, 1, 2]
