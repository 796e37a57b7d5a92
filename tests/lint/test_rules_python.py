"""Rules on what Python itself does with arrays."""

from pathlib import Path

import pytest

from likewise.lint import check

HEAD = """
import cmath
import math
import numpy as np
import torch


def f(x, n, k=None):
    xp = array_namespace(x)
"""


def codes(tmp_path: Path, body: str, name: str = "code.py") -> list[str]:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEAD + "".join(f"    {line}\n" for line in body.split("\n")))
    return [f.code for f in check([tmp_path], select=["LW", "LW507"])]


@pytest.mark.parametrize(
    "body, code",
    [
        ("return x.dtype.kind", "LW108"),
        ("d = x.dtype\nreturn d.itemsize", "LW108"),
        ("return xp.result_type(x, n).name", "LW108"),
        ("assert isinstance(x, np.ndarray)", "LW207"),
        ("if not isinstance(n, torch.Tensor):\n    raise TypeError", "LW207"),
        ("if isinstance(x, np.ndarray):\n    n = 1\nelse:\n    raise TypeError", "LW207"),
        ("return x[::-1]", "LW501"),
        ("return x[..., 3:0:-2]", "LW501"),
        ("return x[[0, 1]]", "LW502"),
        ("return x[:, [i for i in n]]", "LW502"),
        ("k = [0, 1]\nreturn x[k]", "LW502"),
        ("return len(x)", "LW503"),
        ("return sum(x)", "LW503"),
        ("return max(n, x)", "LW503"),
        ("return sorted(x)", "LW503"),
        ("return any(x)", "LW503"),
        ("for row in x: n += 1", "LW504"),
        ("return [row for row in x]", "LW504"),
        ("a, b = x", "LW504"),
        ("return n(*x)", "LW504"),
        ("return n(list(x))", "LW504"),
        ("for i, row in enumerate(x): pass", "LW504"),
        ("for i, row in zip(n, x): pass", "LW504"),
        ("return math.sqrt(xp.sum(x))", "LW505"),
        ("return cmath.exp(xp.sum(x))", "LW505"),
        ("k = not xp.any(x)", "LW506"),
        ("k = xp.any(x) and n", "LW506"),
        ("k = n(xp.any(x) or n)", "LW506"),
        ("return x[x > 0]", "LW507"),
        ("k = xp.isnan(x)\nreturn x[~k]", "LW507"),
        ("k = (x > 0) & (x < n)\nreturn x[k]", "LW507"),
        ("return x[xp.any(x > 0, axis=0)]", "LW507"),
        ("return xp.nonzero(x)", "LW507"),
        ("return xp.unique_values(x)", "LW507"),
    ],
)
def test_found(body: str, code: str, tmp_path: Path) -> None:
    assert codes(tmp_path, body) == [code]


@pytest.mark.parametrize(
    "body",
    [
        "return x.dtype == xp.float32, n.dtype.kind",
        "if isinstance(x, np.ndarray): return n\nreturn k",
        "if not isinstance(k, dict): raise TypeError",
        "if not isinstance(x, np.ndarray): n = 1",
        "return x[::2], x[0], x[n], x[k, ...], x[None], n[::-1], n[[0]]",
        "return len(x.shape), sum(n), max(k), max(x.shape), sum([n, k]), min(k, n)",
        "return sum((n for n in k), x)",
        "def len(y): return y\nreturn len(x)",
        "for i in range(x.shape[0]): n += 1",
        "for row in xp.unstack(x): n += row",
        "a, b = xp.unstack(x)",
        "a, b = x[0], x[1]",
        "return n(*k), list(k), [x for x in n]",
        "*a, b = n",
        "return math.sqrt(n), math.prod(x.shape)",
        "k = n and xp.any(x)",
        "return not xp.any(x)",
        "k = not n",
        "if isinstance(x, (list, tuple)):\n    return [y for y in x], len(x)",
        "x[x > 0] = 1  # likewise: ignore[LW301]",
        "return x[n], xp.where(x > 0, x, n)",
        "print(list(x))",
        "try:\n    n = len(x)\nexcept TypeError:\n    n = 1",
        "import scipy.optimize\nreturn scipy.optimize.root(n, k, args=(x,))",
    ],
)
def test_nothing(body: str, tmp_path: Path) -> None:
    assert codes(tmp_path, body) == []


@pytest.mark.parametrize(
    "body, count",
    [("if not xp.any(x) and n: k = 1", 1), ("assert not xp.any(x)", 1), ("k = not x.shape", 0)],
)
def test_truth_is_reported_once(body: str, count: int, tmp_path: Path) -> None:
    assert codes(tmp_path, body) == ["LW204"] * count


def test_shapes_only_where_selected(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(HEAD + "    return x[x > 0]\n")
    assert check([path]) == [] and check([path], select=["LW", "LW5"]) == []
    assert [f.code for f in check([path], select=["LW507"])] == ["LW507"]
    assert check([path], select=["LW507"], ignore=["LW5"]) == []
    (tmp_path / "pyproject.toml").write_text("[tool.likewise.check]\nselect = ['LW', 'LW507']\n")
    assert [f.code for f in check([path])] == ["LW507"]


BODY = "x[0] = float(xp.sum(x))\nassert n, np.sin(x)\nk = x[::-1] + xp.zeros(3) + xp.ptp(x)"


@pytest.mark.parametrize(
    "name, found",
    [
        ("code.py", ["LW301", "LW201", "LW501", "LW401", "LW402", "LW101"]),
        ("test_code.py", ["LW301", "LW501", "LW101"]),
        ("code_test.py", ["LW301", "LW501", "LW101"]),
        ("conftest.py", ["LW301", "LW501", "LW101"]),
        ("tests/code.py", ["LW301", "LW501", "LW101"]),
        ("testing/code.py", ["LW301", "LW201", "LW501", "LW401", "LW402", "LW101"]),
    ],
)
def test_tests_are_lenient(name: str, found: list[str], tmp_path: Path) -> None:
    assert codes(tmp_path, BODY, name) == found


def test_a_root_may_be_the_tests(tmp_path: Path) -> None:
    """Without a pyproject.toml above, the folder or the file that is asked for names itself."""
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "code.py").write_text("def f(x, xp):\n    return xp.zeros(3) + xp.ptp(x)\n")
    assert [f.code for f in check([folder])] == ["LW101"]
    assert [f.code for f in check([folder / "code.py"])] == ["LW101"]


def test_which_are_tests(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.likewise.check]\ntests = ['checks']\n")
    assert len(codes(tmp_path, BODY, "test_code.py")) == 6
    (tmp_path / "test_code.py").unlink()
    assert len(codes(tmp_path, BODY, "checks/code.py")) == 3


# -- one call away ---------------------------------------------------------------------------------

HELPERS = """
import numpy as np
def sort(a, b=None, *, c=None): return np.sort(a)
def last(a, b=None): n = b + 1; return np.sort(b)
def named(a, c=None): return np.sort(c)
def asked(a):
    if is_numpy(a): return np.sort(a)
    return a
def early(a):
    if a is None: return a
    return np.sort(a)
def taken(a):
    a = to_numpy(a)
    return np.sort(a)
def portable(a):
    xp = array_namespace(a)
    return xp.sort(a)
def shape(a): return np.ndim(a), np.prod(a.shape)
def sometimes(a, b): return np.sort(a) if b else a
@decorated
def sort_decorated(a): return np.sort(a)
def twice(a): return np.sort(a)
def twice(a): return a
"""


@pytest.mark.parametrize(
    "call, count",
    [
        ("sort(x)", 1),
        ("sort(n)", 0),
        ("sort(n, x)", 0),
        ("last(n, x)", 1),
        ("named(n, c=x)", 1),
        ("named(c=n, a=x)", 0),
        ("asked(x)", 0),
        ("early(x)", 0),
        ("taken(x)", 0),
        ("portable(x)", 0),
        ("shape(x)", 0),
        ("sometimes(x, n)", 0),
        ("sort_decorated(x)", 0),
        ("twice(x)", 0),
        ("nowhere(x)", 0),
        ("helpers.sort(x)", 1),
        ("package.helpers.sort(x)", 1),
        ("other(x)", 1),
        ("absolute(x)", 1),
        ("broken.sort(x)", 0),
        ("sort(*x)", 0),
    ],
)
def test_helpers(call: str, count: int, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "helpers.py").write_text(HELPERS)
    (package / "broken.py").write_text("def sort(:")
    imports = "from . import helpers, broken\nimport package\nfrom .helpers import sort as other\n"
    imports += "from package.helpers import sort as absolute\nimport package.helpers\n"
    code = f"{imports}{HELPERS}\ndef f(x, n):\n    xp = array_namespace(x)\n    return {call}\n"
    (package / "code.py").write_text(code)
    found = [f.code for f in check([package / "code.py"], ignore=["LW504"])]
    assert found == ["LW206"] * count


def test_calls_of_scipy_within_scipy(tmp_path: Path) -> None:
    package = tmp_path / "scipy"
    package.mkdir()
    text = "from scipy import special\ndef f(x, xp):\n    return special.erf(xp.abs(x))\n"
    (package / "code.py").write_text(text)
    assert [f.code for f in check([package])] == ["LW205"]
    (package / "__init__.py").write_text("")
    assert check([package]) == []
