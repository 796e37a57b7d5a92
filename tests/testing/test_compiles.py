"""Compilations are counted, on the libraries that compile."""

from typing import Any

import pytest

from likewise.testing import RecompileError, Variant, count_compiles


def compiler(lib: Variant) -> Any:
    if lib.library == "jax":
        import jax

        return jax.jit
    if lib.library == "torch":
        import torch

        return lambda f: torch.compile(f, backend="eager", dynamic=False)
    return None


def test_second_call_of_the_same_shapes(lib: Variant) -> None:
    if (compile_ := compiler(lib)) is None:
        return
    double = compile_(lambda x: 2 * x)
    x, y, z = lib.asarray([1.0, 2.0]), lib.asarray([3.0, 4.0]), lib.asarray([1.0, 2.0, 3.0])
    with count_compiles(at_most=None) as compiles:
        double(x)
    assert compiles.count == 1
    with count_compiles():
        double(y)
    with pytest.raises(RecompileError, match="1 computations were compiled, 0 expected"):
        with count_compiles():
            double(z)


def test_a_function_made_anew_each_time_recompiles(lib: Variant) -> None:
    if (compile_ := compiler(lib)) is None or lib.library == "torch":
        return  # torch keeps what it compiled with the code, not with the function
    x = lib.asarray([1.0, 2.0])
    with pytest.raises(RecompileError, match="2 computations"), count_compiles(at_most=1):
        for _ in range(2):
            compile_(lambda x: 2 * x)(x)


def test_others_compile_nothing(lib: Variant) -> None:
    if compiler(lib) is None:
        with count_compiles():
            lib.asarray([1.0, 2.0]) * 2
