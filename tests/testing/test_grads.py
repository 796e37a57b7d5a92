"""Gradients: right ones pass, wrong ones don't, where a sum over the result would hide it too."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import ArgumentError
from likewise.testing import Variant, check_grads
from likewise.transforms import stop_gradient

REVERSE = ("torch", "jax")


def test_right(xp: Any, lib: Variant) -> None:
    x = xp.asarray(np.asarray([0.3, 1.2, 2.0]))
    if lib.library in REVERSE:
        check_grads(lambda x, y: xp.sin(x) * y, x, x + 1)
        check_grads(lambda p: {"a": p["x"] ** 2, "n": 3}, {"x": x, "k": 2})
        check_grads(lambda x, *, k: k * x**3, x, kwargs={"k": 2.0})
        check_grads(lambda x: (xp.argmax(x), xp.max(x)), x)


def test_complex(xp: Any, lib: Variant) -> None:
    z = xp.asarray(np.asarray([0.3 + 1j, -1.2 + 0.4j]))
    if lib.library in REVERSE:
        check_grads(lambda z: z * z + 2j * z, z)
        check_grads(lambda z: xp.real(z) * xp.abs(z), z)
        check_grads(lambda x, z: xp.conj(z) * x, xp.asarray(np.asarray([0.5, 2.0])), z)


def test_wrong(lib: Variant) -> None:
    if lib.library == "torch":
        import torch

        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(x: Any) -> Any:
                return x**2

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                ctx.save_for_backward(*inputs)

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return g * ctx.saved_tensors[0]  # half of it

        wrong: Any = Wrong.apply
    elif lib.library == "jax":
        import jax

        wrong = jax.custom_jvp(lambda x: x**2)
        wrong.defjvp(lambda primals, tangents: (primals[0] ** 2, primals[0] * tangents[0]))
    else:
        return
    with pytest.raises(AssertionError, match="by its derivative"):
        check_grads(wrong, lib.asarray([1.0, 2.0, 3.0]))


def test_wrong_where_a_sum_hides_it(xp: Any, lib: Variant) -> None:
    """Detached differences add up to zero in sum(func(x)), not under a random cotangent."""
    if lib.library == "jax":
        import jax

        stop = jax.lax.stop_gradient
    elif lib.library == "torch":

        def stop(x: Any) -> Any:
            return x.detach()
    else:
        return
    with pytest.raises(AssertionError, match="by its derivative"):
        check_grads(lambda x: 2 * x + stop(x - xp.mean(x)), lib.asarray([1.0, 2.0, 4.0]))


def test_single_precision(xp: Any, lib: Variant) -> None:
    if lib.library in REVERSE:
        check_grads(lambda x: xp.exp(x) * x, xp.asarray([0.5, 1.5], dtype=xp.float32))


def test_where_finite_differences_are_hard(xp: Any, lib: Variant) -> None:
    if lib.library not in REVERSE or not lib.has_float64:
        return
    check_grads(lambda x: xp.log(x), xp.asarray(np.asarray([1e6, 1e-2])))
    check_grads(lambda x: xp.sqrt(x), xp.asarray(np.asarray([100.0, 1e-4])))
    check_grads(lambda x: xp.sin(x) ** 2 + xp.cos(x) ** 2, xp.asarray(np.asarray([0.3, 2.0])))
    check_grads(lambda x: 1e8 + x, xp.asarray(np.asarray([0.3, 2.0])))
    check_grads(lambda x: x * x, xp.asarray(np.asarray([0.0, np.nan, 2.0])))
    check_grads(lambda x: x * 2, xp.asarray(np.ones((0, 3))))


def test_libraries_without_their_own(lib: Variant) -> None:
    if lib.library not in REVERSE:
        check_grads(lambda x: x * x, lib.asarray([1.0]))
        with pytest.raises(AssertionError):
            check_grads(lambda x: x * stop_gradient(x), lib.asarray([1.0]))


def test_nothing_floating(xp: Any, lib: Variant) -> None:
    with pytest.raises(ArgumentError, match="no floating array"):
        check_grads(lambda x: x, lib.asarray([1, 2]))
    if lib.library in REVERSE:
        with pytest.raises(AssertionError, match="nothing that comes out"):
            check_grads(lambda x: xp.argmax(x), lib.asarray([1.0, 2.0]))
