"""Transforms and control flow, of functions whose values are known in closed form."""

from typing import Any

import numpy as np

from likewise import array_namespace
from likewise import transforms as t

from .case import Case, case

X = np.asarray([0.4, -1.2, 2.0])
ONE = np.asarray(0.7)


def cube(x: Any) -> Any:
    return array_namespace(x).sum(x**3)


REALS = "of functions of real numbers"
MATRIX = "a matrix for each call; vmap maps it"
WHOLE = "a number for each call; vmap maps it"
FIRST = "along the first axis"
LAZY = "lazy arrays have no values to branch on"
CONDITION = "one condition for all"


def known(name: str, func: Any, reference: Any, *args: Any, **options: Any) -> Case:
    own = {"reference": reference, "batch": True, "empty": True, "complex": True}
    return case(f"transforms.{name}", *(args or (X,)), by=func, **(own | options))


def halved(x: Any) -> Any:
    return t.while_loop(lambda v: abs(v) > 0.1, lambda v: v / 2, x)


@t.custom_vjp
def square(x: Any) -> Any:
    return x * x


square.defvjp(lambda x: (x * x, x), lambda x, g: (2 * x * g,))


@t.custom_jvp
def fourth(x: Any) -> Any:
    return x**4


@fourth.defjvp
def _(primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    return x**4, 4 * x**3 * dx


def root(c: Any) -> Any:
    return array_namespace(c).sqrt(c)


def hessian(x: Any) -> Any:
    return np.diag(6 * x)


def jacobian(x: Any) -> Any:
    return np.diag(3 * x**2)


TRANSFORMS = [
    known("grad", lambda x: t.grad(cube)(x), lambda x: 3 * x**2, complex=REALS),
    known(
        "value_and_grad",
        lambda x: t.value_and_grad(cube)(x),
        lambda x: (np.sum(x**3), 3 * x**2),
        batch=WHOLE,
        complex=REALS,
    ),
    known(
        "jvp",
        lambda x: t.jvp(cube, (x,), (x,)),
        lambda x: (np.sum(x**3), np.sum(3 * x**3)),
        batch=WHOLE,
    ),
    known("vjp", lambda x: t.vjp(lambda y: y**3, x)[1](x), lambda x: (3 * x**3,)),
    known("hessian", lambda x: t.hessian(cube)(x), hessian, batch=MATRIX, complex=REALS),
    known("hvp", lambda x: t.hvp(cube, (x,), (x,)), lambda x: 6 * x**2, complex=REALS),
    *(
        known(
            f,
            lambda x, f=f: getattr(t, f)(lambda y: y**3)(x),
            jacobian,
            batch=MATRIX,
            complex=REALS,
        )
        for f in ("jacfwd", "jacrev", "jacobian")
    ),
    known("vmap", lambda x: t.vmap(lambda y: y**2)(x), np.square),
    known("vectorize", lambda x: t.vectorize(lambda y: y**2)(x), np.square),
    known("stop_gradient", t.stop_gradient, lambda x: x, grad="it has none, on purpose"),
    known(
        "cond",
        lambda x: t.cond(abs(x) > 0, lambda y: y * 2, lambda y: -y, x),
        lambda x: 2 * x,
        ONE,
        batch=CONDITION,
        eager={"dask": LAZY},
        compile="torch.compile has no values to branch on",
        scalars=2,
    ),
    known(
        "switch",
        lambda x: t.switch(1, [lambda y: y, lambda y: y * 3], x),
        lambda x: 3 * x,
        ONE,
    ),
    known(
        "fori_loop", lambda x: t.fori_loop(0, 3, lambda i, v: v * 2, x), lambda x: 8 * x, scalars=0
    ),
    known(
        "while_loop",
        halved,
        lambda x: x / 8,
        ONE,
        batch=CONDITION,
        eager={"dask": LAZY},
        grad={"jax": "backwards through a loop of unknown length"},
        compile="a loop on values",
        scalars=1,
        per="iteration",
    ),
    known(
        "scan",
        lambda x: t.scan(lambda c, y: (c + y, c * y), x[0] * 0, x)[0],
        np.sum,
        batch=FIRST,
        empty="the carry is made of the first",
    ),
    known("map", lambda x: t.map(lambda y: y * y, x), np.square),
    known(
        "associative_scan",
        lambda x: t.associative_scan(lambda a, b: a + b, x),
        np.cumsum,
        batch=FIRST,
    ),
    known("custom_vjp", square, np.square),
    known("custom_jvp", fourth, lambda x: x**4),
    known(
        "implicit_root",
        lambda c: t.implicit_root(root, lambda y, c: y * y - c, c),
        np.sqrt,
        np.asarray([0.5, 2.0]),
        scalars=2,  # whether the Jacobian is singular
        batch={"strict-minimal": "there is no linalg"},
        empty={"strict-minimal": "there is no linalg"},
    ),
]
