"""Random numbers, against JAX's where they are the same, by the same key."""

from collections.abc import Callable
from typing import Any

import numpy as np

from likewise import random

from .case import Case, case

KEY = np.asarray([0, 42], dtype=np.uint32)
# Rejection, until every lane has its number.
TRIES: dict[str, Any] = {"scalars": 12, "per": "iteration"}
NONE = "random numbers have no derivative by their key"
ALONE: dict[str, Any] = {
    "batch": "one key a call; vmap maps over keys",
    "empty": "a key has two numbers",
    "complex": True,  # of numbers that a key doesn't have
}


def jaxs(name: str, *args: Any, **options: Any) -> Callable[..., Any]:
    """JAX's numbers, in double precision or as told."""

    def call(key: Any, **ours: Any) -> Any:
        import jax

        with jax.enable_x64(True):
            made = jax.random.wrap_key_data(jax.numpy.asarray(key))
            out = getattr(jax.random, name)(made, *args, **options)
            if jax.dtypes.issubdtype(out.dtype, jax.dtypes.prng_key):
                out = jax.random.key_data(out)
            return np.asarray(out)

    return call


def same(name: str, *args: Any, **options: Any) -> list[Case]:
    """A distribution whose numbers are JAX's, in both precisions."""
    return [
        case(
            f"random.{name}",
            KEY,
            by=lambda key, dtype=dtype: getattr(random, name)(key, *args, dtype=dtype, **options),
            reference=jaxs(name, *args, dtype=dtype, **options),
            tol={"float64": 1e-10 if dtype == "float64" else 1e-5, "float32": 1e-5},
            grad=NONE,
            **ALONE,
            scalars=1 if name == "truncated_normal" else 0,
        )
        for dtype in ("float64", "float32")
    ]


def own(name: str, *args: Any, **options: Any) -> Case:
    """Numbers of an algorithm of our own: their distribution is tested in tests/random."""
    return case(
        f"random.{name}",
        KEY,
        by=lambda key: getattr(random, name)(key, *args),
        grad=NONE,
        **(ALONE | options),
    )


RANDOM = [
    case(
        "random.key",
        KEY,
        by=lambda key: random.key(42, like=key),
        reference=lambda key: np.asarray([0, 42]),
        grad=NONE,
        batch="of a seed",
        empty=True,
        complex=True,
    ),
    case("random.split", KEY, reference=jaxs("split"), grad=NONE, **ALONE),
    case(
        "random.fold_in",
        KEY,
        by=lambda key: random.fold_in(key, 3),
        reference=jaxs("fold_in", 3),
        grad=NONE,
        **ALONE,
    ),
    case(
        "random.bits",
        KEY,
        by=lambda key: random.bits(key, (3,)),
        reference=jaxs("bits", (3,), dtype="uint32"),
        grad=NONE,
        **ALONE,
    ),
    *(c for f in ("uniform", "normal", "exponential", "laplace", "gumbel") for c in same(f, (3,))),
    *same("truncated_normal", -1.0, 2.0, (3,)),
    case(
        "random.permutation",
        KEY,
        by=lambda key: random.permutation(key, 5),
        reference=jaxs("permutation", 5),
        grad=NONE,
        **ALONE,
    ),
    own("integers", (3,), 0, 10),
    own("bernoulli", 0.5, (3,)),
    own("choice", 5, (3,)),
    own("gamma", 2.0, (3,), **TRIES),
    own("beta", 2.0, 3.0, (3,), **TRIES),
    own("poisson", 3.0, (3,), **TRIES),
    own("binomial", 5, 0.4, (3,), **TRIES),
    case(
        "random.categorical",
        KEY,
        np.log(np.asarray([0.2, 0.3, 0.5])),
        grad="a number of a category",
        **(ALONE | {"complex": "probabilities are real"}),
        scalars=2,
    ),
    case(
        "random.multivariate_normal",
        KEY,
        np.asarray([0.5, -1.0]),
        np.asarray([[2.0, 0.3], [0.3, 1.0]]),
        **(ALONE | {"complex": "its numbers are real"}),
        scalars=2,
    ),
]
