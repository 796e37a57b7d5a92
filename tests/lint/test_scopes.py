"""Which names are namespaces, and which hold arrays."""

import ast
import textwrap
from pathlib import Path

import pytest

from likewise.lint import check
from likewise.lint._arrays import is_array
from likewise.lint._scopes import NAMESPACE_FUNCTIONS, Scope, scopes


def function(text: str) -> tuple[Scope, ast.Name]:
    """The first function of a text, and the name in its last statement's `use(...)`."""
    tree = ast.parse(textwrap.dedent(text))
    scope = scopes(tree, NAMESPACE_FUNCTIONS)
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    used = next(c.args[0] for c in calls if getattr(c.func, "id", "") == "use")
    assert isinstance(used, ast.Name)
    return next(iter(scope.inner.values())), used


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, xp): use(xp); xp.sin(x)",
        "def f(x, xp):\n def g(y): return xp.sin(y)\n use(xp)",
        "def f(x, xp: ModuleType | None): use(xp); xp.sin(x)",
        "def f(x, xp: 'ArrayNamespace'): use(xp); xp.sin(x)",
        "def f(x, xp: typing.Any): use(xp); xp.sin(x); g(xp); x.add(xp)",
        "from array_api_compat import array_namespace as an\ndef f(x):\n ns = an(x)\n use(ns)",
        "import compat as c\ndef f(x):\n ns = c.array_namespace(x)\n use(ns)",
        "def f(x, *, xp=None):\n if xp is None: xp = array_namespace(x)\n use(xp)",
        "def f(x):\n xp = array_namespace(x)\n use(xp)",
        "def f(x):\n xp = likewise.array_namespace(x)\n use(xp)",
        "def f(x):\n ns = x.__array_namespace__()\n use(ns)",
        "def f(x):\n xp, _ = get_namespace(x)\n use(xp)",
        "def f(x, xp=None):\n xp = get_array_module(x) if xp is None else xp\n use(xp)",
        "def f(x, m=None):\n xp = m or array_namespace(x)\n use(xp)".replace("m or ", "None or "),
        "import numpy as np\ndef f(x):\n xp = np\n if x: xp = array_namespace(x)\n use(xp)",
        "def f(x):\n xp = array_namespace(x)\n np = xp\n use(np)",
    ],
)
def test_namespaces(text: str) -> None:
    scope, used = function(text)
    assert scope.is_namespace(used.id)


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as xp\ndef f(x): use(xp)",
        "import numpy as np\ndef f(x):\n xp = np\n use(xp)",
        "def interp(x, xp, fp): use(xp)",
        "def f(x, xp): use(xp); return xp[0]",
        "def f(x, xp): use(xp); return x - xp",
        "def f(x, xp): use(xp); return xp.shape",
        "def f(x, xp): use(xp)",
        "def f(x, xp): use(xp); x.add(xp); xp.level",
        "def f(x, xp): use(xp); xp.max()",
        "def f(x, xp: np.ndarray): use(xp); xp.max(x)",
        "def f(x, xp: float): use(xp); xp.max(x)",
        "import numpy as np\ndef f(xp): use(xp); np.sin(xp); xp.max(0)",
        "import math\ndef f(xp): use(xp); math.sin(xp); xp.max(0)",
        "def f(x, xp): use(xp); float(xp); xp.max(x)",
        "def f(x, xp):\n use(xp); xp.max(x)\n xp += 1",
        "def f(xp, yp): use(xp); xp.max(0)",
        "def f(xp):\n use(xp); xp.max(0)\n def g(): return xp[0]",
        "def f(x, xp):\n xp = xp.sum(x)\n use(xp)",
        "def f(x):\n _, xp = get_namespace(x)\n use(xp)",
        "def f(x):\n for xp in x: use(xp)",
    ],
)
def test_no_namespaces(text: str) -> None:
    scope, used = function(text)
    assert not scope.is_namespace(used.id)


def test_inner_functions_inherit() -> None:
    tree = ast.parse("def f(x):\n xp = array_namespace(x)\n def g(y): return xp.sin(y)")
    outer = scopes(tree, NAMESPACE_FUNCTIONS)
    (f,) = outer.inner.values()
    (g,) = f.inner.values()
    assert g.is_namespace("xp") and g.has_namespace()
    assert not outer.is_namespace("xp") and not outer.has_namespace()


def test_methods_do_not_see_the_class() -> None:
    tree = ast.parse("class A:\n xp = array_namespace(1)\n def f(self): return xp")
    (body,) = scopes(tree, NAMESPACE_FUNCTIONS).inner.values()
    (method,) = body.inner.values()
    assert body.is_namespace("xp") and not method.is_namespace("xp")


@pytest.mark.parametrize(
    "body",
    [
        "use(x)",
        "y = xp.zeros(3); use(y)",
        "y = 2 * x; use(y)",
        "y = x[0] if x.ndim else x; use(y)",
        "y = -x.T; use(y)",
        "y = x > 0; use(y)",
        "u, s, v = xp.linalg.svd(x); use(s)",
        "y = x.reshape(3).sum(); use(y)",
        "a, b = xp.sin(x), 2; use(a)",
        "y = None; y = xp.sin(x); use(y)",
        "y = xp.sin(x)\n for i in range(3):\n  y = y + i\n use(y)",
        "y = xp.sin(x)\n if x.ndim:\n  y = xp.cos(y)\n use(y)",
        "y = xp.sin(x); use(y); y = 1",
        "with a as b: y = xp.sin(x)\n use(y)",
        "y = xp.concatenate([x, x]); use(y)",
        "k = xp.asarray(k); use(k)",
    ],
)
def test_arrays(body: str) -> None:
    scope, used = function(f"def f(x, k=None):\n xp = array_namespace(x)\n {body}")
    assert is_array(scope, used)


@pytest.mark.parametrize(
    "body",
    [
        "use(k)",
        "use(unknown)",
        "y = x.shape[0]; use(y)",
        "y = xp.finfo(x.dtype); use(y)",
        "y = load(x); use(y)",
        "y = xp.zeros(3); y = 1; use(y)",
        "y = xp.sin(x)\n if x.ndim: y = 1\n use(y)",
        "y = xp.sin(x)\n for i in range(3):\n  use(y)\n  y = 1",
        "y = xp.sin(x)\n try: y = load()\n except OSError: pass\n use(y)",
        "y = xp.sin(x)\n for y in x: pass\n use(y)",
        "y = xp.sin(x)\n z = [y for y in range(3)]\n use(y)",
        "y = xp.sin(x)\n import y\n use(y)",
        "y = x is None; use(y)",
        "y = xp.nonzero(x); use(y)",
        "y, *z = xp.meshgrid(x, x); use(z)",
    ],
)
def test_not_certain(body: str) -> None:
    scope, used = function(f"def f(x, k=None):\n xp = array_namespace(x)\n {body}")
    assert not is_array(scope, used)


@pytest.mark.parametrize("annotation", ["float", "float | Array", "Optional[Array]", "'Array'"])
def test_annotations(annotation: str) -> None:
    """A parameter that may be a number is not certain to be an array."""
    scope, used = function(f"def f(x: {annotation}):\n xp = array_namespace(x)\n use(x)")
    assert is_array(scope, used) is (annotation == "'Array'")


CLASS = """
class A:
    def __init__(self, x, xp=None):
        {}
    def g(self, n):
        {}
"""


@pytest.mark.parametrize(
    "first, then, found",
    [
        ("self.xp = array_namespace(x)", "return self.xp.ptp(n)", True),
        ("self.xp = xp", "return self.xp.ptp(n)", True),
        ("self.xp, self.k = array_namespace(x), 3", "return self.xp.ptp(n)", True),
        ("self.xp, _ = get_namespace(x)", "return self.xp.ptp(n)", True),
        ("self.xp = None; self.xp = array_namespace(x)", "return self.xp.ptp(n)", True),
        ("self._xp = array_namespace(x)", "xp = self._xp; return xp.ptp(n)", True),
        ("self.xp = array_namespace(x)", "def h(): return self.xp.ptp(n)", True),
        ("self.xp = array_namespace(x); self.y = self.xp.sin(x)", "self.y[0] = 1", True),
        ("self.xp = array_namespace(x); self.y = self.xp.sin(x)", "return self.y.sum()", True),
        ("self.xp = load(x)", "return self.xp.ptp(n)", False),
        ("self.xp = xp; self.xp = 3", "return self.xp.ptp(n)", False),
        ("self.xp = x.xp", "return self.xp.ptp(n)", False),
        ("self.k = array_namespace(x)", "return n.k.ptp(n)", False),
        ("self.xp = array_namespace(x)", "return n.xp.ptp(n)", False),
        ("self.xp = array_namespace(x); self.y = load()", "self.y[0] = 1", False),
        (
            "self.xp = array_namespace(x); self.y = self.xp.sin(x); self.y = 3",
            "self.y[0] = 1",
            False,
        ),
        ("self.xp = array_namespace(x); self.y = self.xp.sin(x)", "n.y[0] = 1", False),
    ],
)
def test_attributes(first: str, then: str, found: bool, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(CLASS.format(first, then))
    assert bool(check([path])) is found
