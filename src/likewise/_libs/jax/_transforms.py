"""JAX's own program transforms, with our errors."""

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..._library import Transforms
from ...errors import NotSupported
from . import _loops

__all__ = ["TRANSFORMS"]


def vjp(fun: Any, *primals: Any, has_aux: bool = False) -> Any:
    with _no_reverse_while():
        own: Any = jax.vjp
        out, pull, *aux = own(fun, *primals, has_aux=has_aux)

    def pullback(cotangents: Any) -> Any:
        with _no_reverse_while():
            return pull(jax.tree.map(_cotangent, cotangents))

    return out, pullback, *aux


def _cotangent(c: Any) -> Any:
    """Return a cotangent as JAX wants it, which for whole numbers has no size."""
    if jnp.issubdtype(c.dtype, jnp.inexact):
        return c
    return np.zeros(c.shape, jax.dtypes.float0)


@contextlib.contextmanager
def _no_reverse_while() -> Iterator[None]:
    """JAX's refusal to go back through a while loop, and the way out."""
    try:
        yield
    except ValueError as error:
        if "Reverse-mode differentiation does not work for lax.while_loop" not in str(error):
            raise
        raise NotSupported(
            "while_loop: JAX can't go back through a loop whose number of steps it doesn't know. "
            "For the solution of an equation use likewise.transforms.implicit_root; for a fixed "
            "number of steps fori_loop or scan; or forward mode."
        ) from error


def custom_vjp(fun: Any, fwd: Any, bwd: Any) -> Any:
    made = jax.custom_vjp(lambda *args: fun(*args))
    made.defvjp(fwd, lambda kept, cotangents: tuple(bwd(kept, cotangents)))
    return made


def custom_jvp(fun: Any, jvp: Any) -> Any:
    made = jax.custom_jvp(lambda *args: fun(*args))
    made.defjvp(jvp)
    return made


def elementwise(fun: Any, derivatives: Any) -> Any:
    """A derivative is taken only where there is a tangent: another may be infinite, or costly. Two
    that have most in common are made together, as a compiler reads all that it gets."""
    made = jax.custom_jvp(fun)

    def rule(primals: Any, tangents: Any) -> Any:
        y = made(*primals)
        wanted = [
            (derivative, t)
            for derivative, t in zip(derivatives, tangents, strict=True)
            if type(t) is not jax.custom_derivatives.SymbolicZero
        ]
        moved = jnp.zeros_like(y)
        while wanted:
            derivative, t = wanted.pop(0)
            both = getattr(derivative, "together", derivative)
            if both != derivative and wanted and getattr(wanted[0][0], "together", 0) == both:
                one, two = both(y, *primals)
                moved = moved + t * one + wanted.pop(0)[1] * two
            else:
                moved = moved + t * derivative(y, *primals)
        return y, moved

    made.defjvp(rule, symbolic_zeros=True)
    return made


def pure_callback(
    call: Any, specs: Any, leaves: Any, method: Any, no_derivative: Exception, no_method: Exception
) -> Any:
    """Call jax.pure_callback; a derivative of it, and vmap without a method, raise our errors."""
    shapes = tuple(jax.ShapeDtypeStruct(shape, getattr(jnp, dtype)) for shape, dtype in specs)

    def on_host(*values: Any) -> Any:
        return tuple(call([np.asarray(v) for v in values]))

    def plain(*args: Any) -> Any:
        return jax.pure_callback(on_host, shapes, *args, vmap_method=method)

    def refuse(*_: Any) -> Any:
        raise no_derivative

    if method is None:
        mapped = jax.custom_batching.custom_vmap(plain)

        @mapped.def_vmap
        def without(*_: Any) -> Any:
            raise no_method

        plain = mapped
    return custom_jvp(plain, refuse)(*leaves)


def linear_solve(product: Any, solve: Any) -> Any:
    """Solve with a symmetric matrix, as JAX differentiates it, closures included."""

    def solved(b: Any) -> Any:
        return jax.lax.custom_linear_solve(product, b, lambda _, b: solve(b), symmetric=True)

    return solved


TRANSFORMS = Transforms(
    vjp=vjp,
    jvp=jax.jvp,
    vmap=jax.vmap,
    while_loop=_loops.while_loop,
    fori_loop=_loops.fori_loop,
    scan=_loops.scan,
    cond=_loops.cond,
    switch=_loops.switch,
    apart=_loops.apart,
    custom_vjp=custom_vjp,
    custom_jvp=custom_jvp,
    elementwise=elementwise,
    linear_solve=linear_solve,
    pure_callback=pure_callback,
)
