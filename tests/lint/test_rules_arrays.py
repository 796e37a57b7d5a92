"""Rules on arrays and libraries."""

from pathlib import Path

import pytest

from likewise.lint import check

HEAD = """
import jax
import jax.numpy as jnp
import numpy as np
import torch


def f(x, n, k=None):
    xp = array_namespace(x)
"""


def codes(tmp_path: Path, body: str) -> list[str]:
    path = tmp_path / "code.py"
    path.write_text(HEAD + "".join(f"    {line}\n" for line in body.split("\n")))
    return [f.code for f in check([path])]


@pytest.mark.parametrize(
    "body, code",
    [
        ("return x.sum()", "LW106"),
        ("return xp.sin(x).astype", "LW106"),
        ("return x.real", "LW106"),
        ("return np.sin(x)", "LW201"),
        ("return jnp.sin(xp.cos(x))", "LW201"),
        ("return torch.nn.functional.relu(x)", "LW201"),
        ("return jax.numpy.sin(x)", "LW201"),
        ("return x * np.eye(n)", "LW201"),
        ("return xp.matmul(np.eye(n), x)", "LW201"),
        ("return np.asarray(x)", "LW202"),
        ("return jax.device_get(x)", "LW202"),
        ("return x.cpu()", "LW202"),
        ("return xp.sum(x).item()", "LW202"),
        ("y = float(xp.sum(x))", "LW203"),
        ("return n / float(xp.sum(x))", "LW203"),
        ("for i in range(int(xp.max(x))): pass", "LW203"),
        ("if xp.any(x): return n", "LW204"),
        ("while not xp.all(x > 0): n += 1", "LW204"),
        ("return n if x[0] > 0 and k else k", "LW204"),
        ("x[0] = 1", "LW301"),
        ("y = xp.zeros_like(x)\ny[0], k = 1, 2", "LW301"),
        ("y = xp.zeros_like(x)\ny[0] += 1", "LW301"),
        ("x += 1", "LW302"),
        ("x = xp.asarray(x)\nx *= 2", "LW302"),
        ("k = xp.asarray(k)\nk *= 2", "LW302"),
    ],
)
def test_found(body: str, code: str, tmp_path: Path) -> None:
    assert codes(tmp_path, body) == [code]


@pytest.mark.parametrize(
    "body",
    [
        "return x.shape, x.T, x.mT, x.dtype, x.device, x.ndim, x.size",
        "return n.sum(), k.cpu(), float(n), np.asarray(n)",
        "return np.prod(x.shape), np.sqrt(2.0), np.ndim(x)",
        "np.testing.assert_allclose(x, n)",
        "return isinstance(x, np.ndarray)",
        "with np.errstate(all='ignore'): return xp.log(x)",
        "return float(xp.sum(x))",
        "return float(xp.sum(x)), int(xp.max(x))",
        "return Result(mean=float(xp.sum(x)))",
        "k['mean'] = float(xp.sum(x))",
        "return {'mean': float(xp.sum(x))}",
        "raise ValueError(f'{float(xp.sum(x))}')",
        "logger.info('%s', float(xp.sum(x)))",
        "print(float(xp.sum(x)))",
        "if x.ndim > 1 and n: return x",
        "if x is None or k is not x: return n",
        "if xp.isdtype(x.dtype, 'integral'): return n",
        "y = xp.zeros_like(x)\ny += 1",
        "x = xp.asarray(x, copy=True)\nx += 1",
        "x = x + 1\nx += 1",
        "n += 1\nk[0] = 1",
        "k = {}\nk[0] = x",
    ],
)
def test_nothing(body: str, tmp_path: Path) -> None:
    assert codes(tmp_path, body) == []


def test_functions_without_a_namespace(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text("import numpy as np\ndef f(x):\n    x = np.asarray(x)\n    x[0] = np.sum(x)\n")
    assert check([path]) == []


def test_messages(tmp_path: Path) -> None:
    """They name the namespace as it is called there."""
    path = tmp_path / "code.py"
    path.write_text("def f(x):\n    ns = x.__array_namespace__()\n    return (x + 1).sum()\n")
    (found,) = check([path])
    assert str(found).endswith("3:12: LW106 standard arrays have no `.sum`; use `ns.sum(x, ...)`")
