"""The linter over whatever is installed: it reads every file, and what it finds is there.

Few of those files use an array namespace, so they are read again with a parameter ``xp`` in every
function and NumPy's name replaced by it, whereupon the rules have thousands of places to look at.
"""

import ast
import re
import sysconfig
import warnings
from pathlib import Path

import pytest

from likewise.lint import Finding, check

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]

INSTALLED = Path(sysconfig.get_paths()["purelib"])
PACKAGES = sorted(p.name for p in INSTALLED.iterdir() if next(p.glob("*.py"), None))
# What uses NumPy much, or the standard.
NUMERIC = ["array_api_extra", "numpy/lib", "numpy/linalg", "scipy/signal", "scipy/stats"]


def parses(text: str | bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return False
    return True


def hold(findings: list[Finding], file: Path) -> None:
    """Fail unless each finding is at a place of the file, and says something."""
    content = file.read_bytes()
    if not parses(content):
        assert [f.code for f in findings] == ["LW001"]
        return
    lines = content.decode("utf-8-sig", errors="replace").split("\n")
    for finding in findings:
        assert finding.code != "LW001", finding
        assert finding.path == str(file) and finding.message
        assert 1 <= finding.line <= len(lines), finding
        assert 1 <= finding.column <= len(lines[finding.line - 1]), finding


@pytest.mark.parametrize("package", PACKAGES)
def test_reads_what_is_installed(package: str) -> None:
    for file in sorted((INSTALLED / package).rglob("*.py")):
        hold(check([file]), file)


def with_namespace(text: str) -> str:
    """The text with ``xp`` for NumPy, and as the first parameter of each function."""
    text = re.sub(r"\b(np|jnp|numpy|_nx|nx|um)\.(?=\w)", "xp.", text)
    return re.sub(r"\bdef (\w+)\((?=[^)])", r"def \1(xp, ", text)


@pytest.mark.parametrize("package", [p for p in NUMERIC if (INSTALLED / p).exists()])
def test_reads_numeric_code_with_a_namespace(tmp_path: Path, package: str) -> None:
    found = 0
    for number, file in enumerate(sorted((INSTALLED / package).rglob("*.py"))):
        text = with_namespace(file.read_text(encoding="utf-8", errors="replace"))
        if "xp." in text and parses(text):
            again = tmp_path / f"{number}.py"
            again.write_text(text, encoding="utf-8")
            findings = check([again])
            hold(findings, again)
            found += len(findings)
    assert found > 100
