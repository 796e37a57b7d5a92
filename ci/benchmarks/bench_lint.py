"""The linter against Python's own parser, on 10,000 lines: ``--only lint``."""

import ast
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from likewise.lint import check

BODY = """
def step_{n}(x, y, mask=None):
    xp = array_namespace(x, y)
    total = xp.zeros(x.shape, dtype=x.dtype, device=x.device)
    for k in range(x.shape[-1]):
        part = xp.exp(-x[..., k] * y[..., k]) / (1.0 + xp.abs(y[..., k]))
        total = total + part[..., None]
        if part.ndim > 2 and k > 3:
            total = xp.where(total > 0, total, xp.zeros_like(total))
    if mask is not None:
        total = xp.where(mask, total, xp.nan)
    u, s, v = xp.linalg.svd(xp.linalg.inv(total @ xp.matrix_transpose(total)))
    scale = xp.linalg.vector_norm(s, axis=-1, keepdims=True)
    return xp.astype(u, x.dtype) / scale, [xp.sum(t, axis=-1) for t in (s, v)]

"""
BINDINGS = "        x = xp.sin(x) + x[0]\n"  # all of them reach one another


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Label, peer, ours, theirs, inputs, limit."""
    count = 1000 if quick else 10_000
    functions = "".join(BODY.format(n=n) for n in range(count // BODY.count("\n") + 1))
    names = "def f(x, xp):\n    for k in range(3):\n" + BINDINGS * count + "    return x\n"
    for label, text in (("functions", functions), ("one name", names)):
        yield f"check, {count} lines, {label}", "ast.parse", _checked, ast.parse, [text], "a figure"


def _checked(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "code.py")
        path.write_text(text)
        assert check([path]) == []
