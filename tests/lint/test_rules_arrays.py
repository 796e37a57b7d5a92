"""Rules on arrays and libraries."""

from pathlib import Path

import pytest

from likewise.lint import check

HEAD = """
import jax
import jax.numpy as jnp
import math
import numpy as np
import scipy.signal
import torch
from scipy import special


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
        ("return np.asarray([xp.sum(x), xp.max(x)])", "LW202"),
        ("return np.concatenate((n, x))", "LW201"),
        ("w = np.hanning(5)\nreturn x * w", "LW201"),
        ("w = np.eye(n)\nreturn xp.matmul(w, x)", "LW201"),
        ("return xp.concat([x, np.ones(3)])", "LW201"),
        ("y = float(xp.sum(x))", "LW203"),
        ("return n / float(xp.sum(x))", "LW203"),
        ("for i in range(int(xp.max(x))): pass", "LW203"),
        ("if xp.any(x): return n", "LW204"),
        ("while not xp.all(x > 0): n += 1", "LW204"),
        ("return n if x[0] > 0 and k else k", "LW204"),
        ("assert xp.all(x > 0)", "LW204"),
        ("return [i for i in n if xp.any(x)]", "LW204"),
        ("x[0] = 1", "LW301"),
        ("y = xp.zeros_like(x)\ny[0], k = 1, 2", "LW301"),
        ("y = xp.zeros_like(x)\ny[0] += 1", "LW301"),
        ("x += 1", "LW302"),
        ("return special.erf(x)", "LW205"),
        ("return scipy.signal.lfilter(n, k, x)", "LW205"),
        ("return x * np.sqrt(2.0)", "LW403"),
        ("w = np.sqrt(2.0)\nreturn x * w", "LW403"),
        ("return -np.log(2 * np.pi) / 3 + x", "LW403"),
        ("return x / np.float64(3)", "LW403"),
        ("return x / np.sqrt(x.shape[0])", "LW403"),
        ("return xp.maximum(x, np.exp(1))", "LW403"),
        ("return xp.clip(x, np.float64(0), 1)", "LW403"),
        ("return xp.repeat(x, np.asarray([1, 2]))", "LW201"),
        ("return x * np.fft.fftfreq(8)", "LW201"),
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
        "k = array_namespace(k)\nreturn k.ptp(x), k.linspace",
        "x = xp.asarray(x, copy=True)\nx += 1",
        "x = x + 1\nx += 1",
        "assert x.ndim > 1 and n, float(n)",
        "def test_it(y):\n    assert xp.all(y + x)",
        "w = np.hanning(5)\nw = xp.asarray(w)\nreturn x * w",
        "w = xp.ones_like(x)\nif n: w = np.hanning(5)\nreturn x * w",
        "w = math.sqrt(2.0)\nreturn x * w, np.sqrt(2.0) * 3, np.sqrt(n) * x",
        "return scipy.sparse.csr_matrix(x), special.erf(n), scipy.stats",
        "w = np.asarray(n)\nreturn xp.reshape(x, w), xp.zeros_like(x, device=w)",
        "n += 1\nk[0] = 1",
        "k = {}\nk[0] = x",
        "if isinstance(x, dict): x['a'] = 1",
    ],
)
def test_nothing(body: str, tmp_path: Path) -> None:
    assert codes(tmp_path, body) == []


@pytest.mark.parametrize(
    "body, count",
    [
        ("xp.sum(x)\nx[0] = 1", 1),
        ("x += 1\nreturn xp.sum(x)", 1),
        ("np.sin(x)\nwith n: xp.reshape(x, (-1,))", 1),
        ("xp.matmul(x, y)\nx.tolist(), y.tolist()", 2),
        ("if xp.any(x): pass", 1),
        ("if xp.any(x): n += 1\nx[0] = 1", 2),
        ("if x.ndim: return n\nx[0] = 1\nreturn xp.sum(x)", 1),
        ("x[0] = 1", 0),
        ("xp.asarray(x)\nx[0] = 1", 0),
        ("xp.add(x, y)\nx[0] = 1", 0),
        ("xp.where(n, x, y)\nx[0] = 1", 0),
        ("k[0] = 1\nxp.sum(k)", 0),
        ("c[0] = 1\nxp.sum(c)", 0),
        ("if n: xp.sum(x)\nx[0] = 1", 0),
        ("n and xp.sum(x)\nx[0] = 1", 0),
        ("[xp.sum(x) for x in n]\nx[0] = 1", 0),
        ("try: xp.sum(x)\nexcept ValueError: x[0] = 1", 0),
        ("if isinstance(x, list): x[0] = 1\nreturn xp.sum(x)", 0),
        ("x[0] = 1\nx = xp.asarray(x)\nreturn xp.sum(x)", 0),
    ],
)
def test_parameters_that_the_namespace_takes(body: str, count: int, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    path.write_text(f"import numpy as np\ndef h(x, y, n, c: float, xp, k=None):\n{lines}")
    assert len(check([path])) == count


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


def test_a_namespace_that_is_thrown_away_names_nothing(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text("def f(x):\n    _ = array_namespace(x)\n    return len(x), x.sum()\n")
    assert "use `xp.sum(x, ...)`" in check([path])[-1].message


# -- SciPy, in whatever way it is imported ---------------------------------------------------------

IMPORTS = [
    ("from scipy import ndimage", "ndimage.gaussian_filter"),
    ("import scipy.ndimage as ndi", "ndi.gaussian_filter"),
    ("from scipy.ndimage import gaussian_filter", "gaussian_filter"),
    ("from scipy.ndimage import gaussian_filter as smooth", "smooth"),
    ("import scipy", "scipy.ndimage.gaussian_filter"),
    ("import scipy.ndimage, scipy.signal", "scipy.ndimage.gaussian_filter"),
    (
        "try:\n    from scipy import ndimage\nexcept ImportError:\n    ndimage = None",
        "ndimage.gaussian_filter",
    ),
]
# Where an array comes from: the lines before the call.
ARRAYS = [
    "def f(x):\n    xp = array_namespace(x)\n    y = xp.sin(x)",
    "def f(sos, x):\n    y = likewise.signal.sosfilt(sos, x)",
    "def f(x):\n    y = median(x, axis=-1) * 2",
    "def f(x):\n    _, y = likewise.signal.welch(x)",
    "@likewise.jit\ndef f(y):",
    "@likewise.jit(static_argnums=1)\ndef f(y, n):",
    "def loss(y):\n    return f(y)\n\nslope = likewise.grad(loss)\n\ndef loss(x):\n    y = 2 * x",
]
OURS = (
    "import likewise\nfrom likewise.missing import median\nfrom likewise import array_namespace\n"
)


@pytest.mark.parametrize("imports, name", IMPORTS)
@pytest.mark.parametrize("before", ARRAYS)
def test_scipy_is_an_escape(imports: str, name: str, before: str, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(f"{imports}\n{OURS}\n{before}\n    return {name}(y, 2.0)\n")
    (found,) = check([path])
    assert found.code == "LW205" and f"`{name}` is of SciPy" in found.message


FOLLOWED = "def f(w):\n    return gammaln(w)\n\n"


@pytest.mark.parametrize(
    "lines",
    [
        FOLLOWED + "r = grad(f)",
        FOLLOWED + "r = grad(fun=f)",
        "class Fit:\n    def model(self, w):\n        return gammaln(w)\n"
        "    def slope(self):\n        return grad(self.model)",
    ],
)
def test_what_is_followed_in_a_file_without_a_namespace(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(f"from scipy.special import gammaln\nfrom likewise import grad\n\n{lines}\n")
    (found,) = check([path])
    assert found.code == "LW205" and "into which no transform follows" in found.message


@pytest.mark.parametrize(
    "lines",
    [
        "def f(x):\n    return ndimage.gaussian_filter(x, 2.0)",  # nobody knows what x is
        "def f(x):\n    y = likewise.signal.firwin(51, 0.2)\n    return ndimage.convolve(y, x)",
        "def f(x):\n    b, a = likewise.signal.butter(2, 0.2)\n    return ndimage.convolve(b, a)",
        "def f(x):\n    y = likewise.to_numpy(median(x))\n    return ndimage.gaussian_filter(y, 2.0)",
        "y = median(x)\nz = ndimage.gaussian_filter(y, 2.0)",  # a script, which knows its arrays
        "def f(x, zi):\n    y, z = likewise.signal.sosfilt(S, x, zi=zi)\n    return y",
        "@likewise.jit\ndef f(y):\n    return np.sin(y)",  # which is followed
    ],
)
def test_no_escape(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(f"from scipy import ndimage\nimport numpy as np\n{OURS}\n{lines}\n")
    assert check([path]) == []


@pytest.mark.parametrize(
    "call, said",
    [
        ("scipy.signal.square(y)", "use `likewise.signal.square`"),
        ("scipy.spatial.distance.cdist(y, y)", "use `likewise.spatial.distance.cdist`"),
        ("scipy.fftpack.dct(y)", "use `likewise.fft.dct`"),
        ("scipy.fftpack.fft(y)", "use `xp.fft.fft`"),
        ("scipy.fftpack.rfft(y)", "write it with `xp`, or say `likewise.to_numpy` before"),
        ("scipy.ndimage.sum(y)", "write it with `xp`, or say `likewise.to_numpy` before"),
        ("scipy.integrate.simpson(y)", "use `likewise.missing.simpson`"),
        ("scipy.linalg.inv(y)", "use `xp.linalg.inv`"),
        ("scipy.linalg.expm(y)", "use `likewise.linalg.expm`"),
        ("scipy.special.log1p(y)", "use `xp.log1p`"),
        ("scipy.interpolate.CubicSpline(y, y)", "write it with `xp`"),
        ("scipy.stats.zscore(y)", "write it with `xp`"),
        ("scipy.cluster.vq.whiten(y)", "write it with `xp`"),
    ],
)
def test_what_to_write_in_place_of_scipys(call: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    head = "import scipy\ndef f(x):\n    xp = array_namespace(x)\n    y = xp.sin(x)"
    path.write_text(f"{head}\n    return {call}\n")
    (found,) = check([path])
    assert found.code == "LW205" and said in found.message


def test_what_our_functions_return() -> None:
    """As their docstrings say: one array, several, or what is none."""
    from likewise.lint._rooms import arrays_of

    assert arrays_of("likewise.signal.convolve") == (True,)
    assert arrays_of("likewise.signal.welch") == (True, True)
    assert arrays_of("likewise.signal.find_peaks") == (True, False)
    assert arrays_of("likewise.spatial.distance.cdist") == (True,)
    assert arrays_of("likewise.missing.gradient") == ()  # an array, or a tuple of them
    assert arrays_of("likewise.signal.butter") == arrays_of("likewise.signal.kaiser_beta") == ()
    assert arrays_of("numpy.sum") == arrays_of("likewise.nothing.at_all") == ()
