"""Branches for one library are passed over, and no others."""

from pathlib import Path

import pytest

from likewise.lint import check

HEAD = "import numpy as np\nimport torch\n\n\ndef f(x, k):\n    xp = array_namespace(x)\n"


def codes(tmp_path: Path, body: str) -> list[str]:
    path = tmp_path / "code.py"
    path.write_text(HEAD + "".join(f"    {line}\n" for line in body.split("\n")))
    return [f.code for f in check([path])]


@pytest.mark.parametrize(
    "body",
    [
        "if xp is np:\n    return xp.ptp(x)",
        "if xp is not np:\n    raise TypeError\nreturn xp.ptp(x)",
        "if not is_numpy(xp):\n    return x\nreturn xp.ptp(x)",
        "if xp.__name__ == 'numpy':\n    return xp.ptp(x)",
        "if is_marray(xp):\n    return xp.ptp(x)",
        "if is_torch_array(x):\n    return xp.ptp(x)",
        "if isinstance(x, np.ndarray):\n    return xp.ptp(x)",
        "if type(x) is torch.Tensor:\n    return xp.ptp(x)",
        "if library(x) == 'numpy':\n    return xp.ptp(x)",
        "if hasattr(xp, 'ptp'):\n    return xp.ptp(x)",
        "return xp.ptp(x) if hasattr(xp, 'ptp') else x",
        "return hasattr(xp, 'ptp') and xp.ptp(x)",
        "fast = xp is np\nif fast:\n    return xp.ptp(x)",
        "try:\n    return xp.ptp(x)\nexcept AttributeError:\n    return x",
        "if k:\n    import torch\n    return torch.sin(x)",
        "if not is_lazy(x) and xp.any(x < 0):\n    raise ValueError",
        "if is_lazy(x):\n    return x\nif xp.any(x < 0):\n    raise ValueError",
        "if is_writeable_array(x):\n    x[0] = 1",
        "try:\n    return xp.ptp(x)\nexcept (ImportError, ValueError):\n    return x",
        "try:\n    return xp.ptp(x)\nexcept NotImplementedError:\n    return x",
        "if hasattr(x, 'cpu'):\n    x = x.cpu()",
        "x = x.item() if hasattr(x, 'item') else x",
        "if use_gpu:\n    return xp.ptp(x)",
        "return getattr(xp, 'ptp', None)",
        "return xp.__name__, xp.__version__",
        "if is_numpy_namespace(xp):\n    return xp.ptp(x)",
        "if sparse.issparse(x):\n    return xp.ptp(x)",
        "if not issparse(x):\n    return x\nelse:\n    return xp.ptp(x)",
        "if not issparse(x):\n    return x\nreturn xp.ptp(x)",
        "return xp.ptp(x) if issparse(x) else x",
        "return issparse(x) and xp.ptp(x)",
        "if issparse(x) and k:\n    return xp.ptp(x)",
        "if is_array_api_compliant:\n    return x\nelse:\n    return xp.ptp(x)",
        "if isinstance(x, Frame):\n    return xp.ptp(x)",
        "def g(y):\n    import jax\n    return xp.ptp(y)",
        "if x_is_sparse:\n    return xp.ptp(x)",
        "if isinstance(x, (list, tuple)):\n    return xp.ptp(x)",
        # The other branch of a test that denies.
        "if xp is not np:\n    return x\nelse:\n    return xp.ptp(x)",
        "if not is_numpy_namespace(xp):\n    return x\nelse:\n    return xp.ptp(x)",
        "if not isinstance(x, np.ndarray):\n    return x\nreturn xp.ptp(x)",
        "if xp.__name__ not in ('numpy', 'cupy'):\n    return x\nreturn xp.ptp(x)",
        "if 'numpy' not in xp.__name__:\n    raise ValueError\nreturn xp.ptp(x)",
        "if getattr(xp, 'ptp', None) is None:\n    return x\nreturn xp.ptp(x)",
        "if getattr(xp, 'ptp', None) is not None:\n    return xp.ptp(x)",
        "return x if not hasattr(xp, 'ptp') else xp.ptp(x)",
        "return not hasattr(xp, 'ptp') or xp.ptp(x)",
        "if is_lazy(x):\n    return x\nelse:\n    return xp.ptp(x)",
        "if is_concrete(x):\n    return xp.ptp(x)",
        "if is_array_api_compliant:\n    return x\nreturn xp.ptp(x)",
        "if x_is_not_numpy:\n    return x\nreturn xp.ptp(x)",
        "other = xp is not np\nif other:\n    return x\nreturn xp.ptp(x)",
        # Both of them, and one of them.
        "if is_numpy(x) or is_torch(x):\n    return xp.ptp(x)",
        "if is_numpy(x) and k:\n    return xp.ptp(x)",
        "if not (is_numpy(x) and k):\n    return x\nreturn xp.ptp(x)",
        "if not is_numpy(x) or k:\n    return x\nreturn xp.ptp(x)",
        "if any(not is_numpy(a) for a in k):\n    return x\nreturn xp.ptp(x)",
        "if any(is_lazy(a) for a in k):\n    return x\nreturn xp.ptp(x)",
        "if np_version < (2, 1):\n    return xp.ptp(x)\nelse:\n    return xp.ptp(x)",
        # What comes here is of one library on every way.
        "if is_numpy(x):\n    k = 1\nelse:\n    raise ValueError\nreturn xp.ptp(x)",
        "if is_numpy(x):\n    k = 1\nelif is_torch(x):\n    k = 2\nelse:\n    raise ValueError\n"
        "return xp.ptp(x)",
        "if k:\n    return x\nelif not is_numpy(x):\n    return x\nreturn xp.ptp(x)",
        "if k:\n    pass\nelse:\n    import torch\n    return xp.ptp(x)",
    ],
)
def test_guarded(body: str, tmp_path: Path) -> None:
    assert codes(tmp_path, body) == []


@pytest.mark.parametrize(
    "body",
    [
        "if xp is None:\n    return xp.ptp(x)",
        "if xp is np:\n    return x\nreturn xp.ptp(x)",
        "if is_numpy(x):\n    k = 1\nreturn xp.ptp(x)",
        "if k == 'fast':\n    return xp.ptp(x)",
        "if x.ndim > 1:\n    return xp.ptp(x)",
        "if x.dtype == np.float64:\n    return xp.ptp(x)",
        "if np.prod(x.shape) > 3:\n    return xp.ptp(x)",
        "try:\n    return xp.ptp(x)\nexcept ValueError:\n    return x",
        "try:\n    return xp.ptp(x)\nexcept (ValueError, TypeError):\n    return x",
        "if k > cpu_count:\n    return xp.ptp(x)",
        "if k > os.cpu_count():\n    return xp.ptp(x)",
        "if hasattr(x, 'name'):\n    return xp.ptp(x)",
        "if int(to_numpy(k)) > 2:\n    return xp.ptp(x)",
        "n = int(to_numpy(k))\nif n > 2:\n    return xp.ptp(x)",
        "if likewise.to_numpy(k) > 2:\n    return xp.ptp(x)",
        "if as_numpy(k).size > 2:\n    return xp.ptp(x)",
        "if k_np.size > 2:\n    return xp.ptp(x)",
        "if not issparse(x):\n    return xp.ptp(x)",
        "if issparse(x):\n    return x\nreturn xp.ptp(x)",
        "if issparse(x):\n    return x\nelse:\n    return xp.ptp(x)",
        "if is_array_api_compliant:\n    return xp.ptp(x)",
        "if isinstance(x, Frame):\n    return x\nelse:\n    return xp.ptp(x)",
        "def g(y):\n    import numpy\n    return xp.ptp(y)",
        "if issparse(x) or k:\n    return xp.ptp(x)",
        # The other branch.
        "if xp is np:\n    return x\nelse:\n    return xp.ptp(x)",
        "if xp is not np:\n    return xp.ptp(x)",
        "if is_numpy_namespace(xp):\n    return x\nelse:\n    return xp.ptp(x)",
        "if not is_numpy_namespace(xp):\n    return xp.ptp(x)",
        "if is_numpy_namespace(xp):\n    return x\nreturn xp.ptp(x)",
        "if isinstance(x, np.ndarray):\n    return x\nelse:\n    return xp.ptp(x)",
        "if isinstance(x, np.ndarray):\n    return x\nreturn xp.ptp(x)",
        "if not isinstance(x, np.ndarray):\n    return xp.ptp(x)",
        "if type(x) is torch.Tensor:\n    return x\nelse:\n    return xp.ptp(x)",
        "if xp.__name__ == 'numpy':\n    return x\nelse:\n    return xp.ptp(x)",
        "if getattr(xp, 'ptp', None) is None:\n    return xp.ptp(x)",
        "return x if hasattr(xp, 'ptp') else xp.ptp(x)",
        "return hasattr(xp, 'ptp') or xp.ptp(x)",
        "return xp is not np and xp.ptp(x)",
        "if is_lazy(x):\n    return xp.ptp(x)",
        "if is_numpy(x) or k:\n    return xp.ptp(x)",
        "if not (is_numpy(x) and k):\n    return xp.ptp(x)",
        "if is_numpy(x):\n    return x\nelif is_torch(x):\n    return x\nelse:\n    return xp.ptp(x)",
        "if is_numpy(x):\n    k = 1\nelif k:\n    k = 2\nelse:\n    raise ValueError\n"
        "return xp.ptp(x)",
        "other = xp is not np\nif other:\n    return xp.ptp(x)",
        "if k:\n    import torch\nelse:\n    return xp.ptp(x)",
        # A class that is no library's: what is none is refused, and the rest takes any array.
        "if not isinstance(k, int):\n    raise TypeError\nreturn xp.ptp(x)",
        "if not isinstance(x, Frame):\n    raise TypeError\nreturn xp.ptp(x)",
    ],
)
def test_not_guarded(body: str, tmp_path: Path) -> None:
    assert codes(tmp_path, body) == ["LW101"]


def test_what_takes_numpy_in_its_branch(tmp_path: Path) -> None:
    body = "if isinstance(x, np.ndarray):\n    return np.sort(x)\nreturn np.sort(x)"
    assert codes(tmp_path, body) == ["LW201"]
    body = "if not isinstance(x, np.ndarray):\n    raise TypeError\nreturn np.sort(x)"
    assert codes(tmp_path, body) == ["LW207"]
