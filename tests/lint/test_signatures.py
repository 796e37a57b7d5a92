"""The table of signatures is the standard's, as array-api-strict has it."""

import ast
import inspect
from typing import Any

import array_api_strict
import pytest

from likewise._standard import FFT, FUNCTIONS, LINALG
from likewise.lint._signatures import SIGNATURES, Signature, arrays_given, misfits


def test_of_every_function() -> None:
    names = [*FUNCTIONS, *(f"fft.{n}" for n in FFT), *(f"linalg.{n}" for n in LINALG)]
    assert set(SIGNATURES) == set(names)


@pytest.mark.parametrize("name", SIGNATURES)
def test_as_the_strict_library_has_it(name: str) -> None:
    func: Any = array_api_strict
    for part in name.split("."):
        func = getattr(func, part)
    parameters = inspect.signature(func).parameters.values()
    kinds: dict[Any, list[str]] = {}
    for p in parameters:
        kinds.setdefault(p.kind, []).append(p.name)
    required = [
        p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL
    ]
    assert SIGNATURES[name] == Signature(
        tuple(kinds.get(inspect.Parameter.POSITIONAL_ONLY, ())),
        tuple(kinds.get(inspect.Parameter.POSITIONAL_OR_KEYWORD, ())),
        tuple(kinds.get(inspect.Parameter.KEYWORD_ONLY, ())),
        frozenset(required),
        inspect.Parameter.VAR_POSITIONAL in kinds,
    )


@pytest.mark.parametrize(
    "call, said",
    [
        ("sum(x, 0)", "`axis` must be given by name"),
        ("sum(x, keepdim=True)", "`keepdim` is called `keepdims`"),
        ("sum(x, out=y)", "there is no `out`; its keywords are `axis`, `dtype`, `keepdims`"),
        ("sin(x, dtype=d)", "there is no `dtype`; it has no keywords"),
        ("sin(x, y, z)", "it takes 1 by position, not 3"),
        ("take(x, indices=i)", "`indices` is given by position, not by name"),
        ("where(c)", "it can't do without `x1`, `x2`"),
        ("squeeze(x)", "it can't do without `axis`"),
    ],
)
def test_misfits(call: str, said: str) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    assert said in [why for _, why in misfits(node.func.id, node)]


@pytest.mark.parametrize(
    "call",
    [
        "sum(x, axis=0, keepdims=True)",
        "sum(*x)",
        "sum(x, **options)",
        "reshape(x, shape=(3, 4))",
        "broadcast_arrays(a, b, c)",
        "meshgrid(a, b, c, indexing='ij')",
        "squeeze(x, **options)",
        "arange(3)",
        "full(3, fill_value=0.0)",
    ],
)
def test_fits(call: str) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    assert list(misfits(node.func.id, node)) == []


@pytest.mark.parametrize(
    "call, found",
    [
        ("sum(a, b)", {"x": "a"}),
        ("where(a, b, c)", {"condition": "a", "x1": "b", "x2": "c"}),
        ("take(a, b, c)", {"x": "a", "indices": "b"}),
        ("concat([a], b)", {"x": "a"}),
        ("matmul(a, *b, c)", {"x1": "a"}),
        ("from_dlpack(a)", {}),
        ("full(a, b)", {}),
        ("unknown(a)", {}),
    ],
)
def test_arrays_given(call: str, found: dict[str, str]) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    assert {n: ast.unparse(a) for n, a in arrays_given(node.func.id, node)} == found
