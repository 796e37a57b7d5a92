"""Derivatives of solutions against closed forms."""

from typing import Any

import numpy as np
import pytest

from likewise import array_namespace
from likewise.errors import ArgumentError, ShapeError
from likewise.transforms import (
    custom_vjp,
    grad,
    hessian,
    implicit_root,
    jacfwd,
    jacrev,
    jvp,
    stop_gradient,
    vmap,
    while_loop,
)

A = np.asarray([2.0, 5.0, 0.3])


def newton(a: Any) -> Any:
    """A square root, by a loop that no reverse mode goes through."""
    xp = array_namespace(a)
    return while_loop(
        lambda v: (v[1] < 60) & (xp.abs(v[0] ** 2 - a) > 1e-13 * a),
        lambda v: ((v[0] + a / v[0]) / 2, v[1] + 1),
        (a, 0 * a),
    )[0]


def root(a: Any) -> Any:
    return implicit_root(newton, lambda x, a: x * x - a, a)


@pytest.mark.long("jax", "jax-x32")
def test_value_and_derivatives(place: Any) -> None:
    a = A[0]
    at = place.array(a)
    place.same(root(at), np.asarray(a**0.5))
    place.same(grad(root)(at), np.asarray(0.5 * a**-0.5))
    place.same(jacfwd(root)(at), np.asarray(0.5 * a**-0.5))
    for second in (jacfwd, grad):
        place.same(second(grad(root))(at), np.asarray(-0.25 * a**-1.5))
    place.same(jacfwd(jacfwd(root))(at), np.asarray(-0.25 * a**-1.5))


@pytest.mark.long("jax")
def test_through_closures(place: Any) -> None:
    """Where custom rules raise or lose it."""

    def closing(a: Any) -> Any:
        return implicit_root(lambda: newton(stop_gradient(a)), lambda x: x * x - a)

    at = place.array(2.0)
    place.same(closing(at), np.asarray(2**0.5))
    place.same(grad(closing)(at), np.asarray(0.5 * 2**-0.5))
    place.same(jvp(closing, (at,), (at,))[1], np.asarray(2**-0.5))
    place.same(grad(grad(closing))(at), np.asarray(-0.25 * 2**-1.5))

    # both ways at once: x² = a b, b closed over
    def both(a: Any, b: Any) -> Any:
        return implicit_root(lambda a: newton(a * stop_gradient(b)), lambda x, a: x * x - a * b, a)

    place.same(
        hessian(both, (0, 1))(at, place.array(3.0)),
        (
            (np.asarray(-0.25 * 3**2 * 6**-1.5), np.asarray(0.25 * 6**-0.5)),
            (np.asarray(0.25 * 6**-0.5), np.asarray(-0.25 * 2**2 * 6**-1.5)),
        ),
    )


@pytest.mark.long("jax", "jax-x32")
def test_in_lanes(place: Any) -> None:
    a = place.array(A)
    place.same(vmap(root)(a), A**0.5)
    place.same(vmap(grad(root))(a), 0.5 * A**-0.5)
    place.same(vmap(grad(grad(root)))(a), -0.25 * A**-1.5)
    total = lambda a: array_namespace(a).sum(vmap(root)(a))  # noqa: E731
    place.same(grad(total)(a), 0.5 * A**-0.5)
    scale = place.array(4.0)

    def closing(a: Any) -> Any:
        return implicit_root(lambda a: newton(a * scale), lambda x, a: x * x - a * scale, a)

    place.same(vmap(grad(closing))(a), A**-0.5)


@pytest.mark.long("jax", "jax-x32")
def test_several_unknowns(place: Any) -> None:
    """x + y = s, x y = p; and a linear system beside it, in nested structures."""

    def solve(given: Any) -> Any:
        xp = array_namespace(given["s"])
        half = given["s"] / 2
        other = xp.sqrt(half**2 - given["p"])
        return {
            "y": (half - other, None),
            "x": half + other,
            "v": given["s"] * xp.ones_like(given["m"][0]),
        }

    def residual(z: Any, given: Any) -> Any:
        x, y = z["x"], z["y"][0]
        return {
            "x": x + y - given["s"],
            "y": (x * y - given["p"], None),
            "v": z["v"] - given["s"],
        }

    def solution(s: Any, p: Any) -> Any:
        given = {"s": s, "p": p, "m": (place.array([1.0, 1.0]),)}
        return implicit_root(solve, residual, given)

    s, p = 5.0, 3.0
    d = (s * s - 4 * p) ** 0.5
    at = place.array(s), place.array(p)
    place.same(
        solution(*at),
        {"x": np.asarray((s + d) / 2), "y": (np.asarray((s - d) / 2), None), "v": np.full(2, s)},
    )
    place.same(
        grad(lambda s, p: solution(s, p)["x"], (0, 1))(*at),
        (np.asarray((1 + s / d) / 2), np.asarray(-1 / d)),
    )
    jac = jacfwd(solution)(*at)
    place.same(
        jac,
        {
            "x": np.asarray((1 + s / d) / 2),
            "y": (np.asarray((1 - s / d) / 2), None),
            "v": np.ones(2),
        },
    )
    second = hessian(lambda s, p: solution(s, p)["y"][0], 1)(*at)
    place.same(second, np.asarray(2 / d**3))


@pytest.mark.long("jax")
def test_linear_system(place: Any) -> None:
    """x = M⁻¹ b, of which the derivative is known."""
    m = np.asarray([[3.0, 1.0], [0.5, 2.0]])
    b = np.asarray([1.0, -2.0])
    inverse = np.linalg.inv(m)

    def solution(m: Any, b: Any) -> Any:
        # any start will do: the steps solve what is linear
        return implicit_root(lambda m, b: 0 * b, lambda x, m, b: m @ x - b, m, b)

    at = place.array(m), place.array(b)
    place.same(solution(*at), inverse @ b)
    place.same(jacrev(solution, 1)(*at), inverse)
    place.same(jacfwd(solution)(*at), -np.einsum("ij,k->ijk", inverse, inverse @ b))


@pytest.mark.long("jax")
def test_complex_unknown(place: Any) -> None:
    z = 1.0 + 2.0j
    solution = lambda z: implicit_root(lambda z: z * 0 + (1.2 + 0.7j), lambda w, z: w * w - z, z)  # noqa: E731
    expected = z**0.5
    at = place.array(z, "complex128")
    close = lambda z: implicit_root(lambda z: solution(solution(z) ** 2), lambda w, z: w * w - z, z)  # noqa: E731
    place.same(close(at), np.asarray(expected), 1e-9)
    place.same(grad(close, holomorphic=True)(at), np.asarray(0.5 / expected), 1e-9)


@pytest.mark.long("jax")
def test_why_the_jacobian_is_differentiated(place: Any) -> None:
    """With a constant one the value and the first derivative are right, the second is 0."""

    def once(a: Any, keep: Any) -> Any:
        x = stop_gradient(newton(stop_gradient(a)))
        return x - (x * x - a) / keep(2 * x)

    at = place.array(2.0)
    stopped = lambda a: once(a, stop_gradient)  # noqa: E731
    place.same(stopped(at), np.asarray(2**0.5))
    place.same(grad(stopped)(at), np.asarray(0.5 * 2**-0.5))
    place.same(grad(grad(stopped))(at), np.asarray(0.0))
    place.same(grad(grad(root))(at), np.asarray(-0.25 * 2**-1.5))


def test_why_it_is_no_custom_rule(place: Any) -> None:
    """The usual way loses what the residual closes over (JAX raises)."""

    def usual(a: Any) -> Any:
        rule = custom_vjp(lambda start: newton(stop_gradient(a)) + 0 * start)
        rule.defvjp(lambda start: (newton(stop_gradient(a)), None), lambda _, g: (g * 0,))
        return rule(place.array(1.0))

    at = place.array(2.0)
    if place.name == "jax":
        with pytest.raises(Exception, match="unexpected tracer|leak|closed-over"):
            grad(usual)(at)
    else:
        place.same(grad(usual)(at), np.asarray(0.0))


def test_refused(place: Any) -> None:
    a = place.array(A)
    with pytest.raises(ShapeError, match="as many elements as the solution, 3, but has 2"):
        implicit_root(lambda a: a, lambda x, a: x[:2], a)
    with pytest.raises(ArgumentError, match="the solution is .* and the residual is"):
        implicit_root(lambda a: {"x": a}, lambda x, a: x["x"], a)
