"""Arguments that a call of a standard function gives wrongly, and which of them are arrays."""

import ast

import pytest

from likewise.lint._signatures import arrays_given, misfits


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
        ("clip(a, b, c)", {"x": "a", "min": "b", "max": "c"}),
        ("repeat(a, b)", {"x": "a", "repeats": "b"}),
        ("concat(a)", {}),
        ("linspace(a, b, 3)", {}),
        ("zeros_like(a)", {"x": "a"}),
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
