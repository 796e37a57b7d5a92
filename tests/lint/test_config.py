"""Settings, from the file and from the caller."""

from pathlib import Path

import pytest

from likewise.cli import main
from likewise.errors import ArgumentError
from likewise.lint import check

BAD = "def f(x, xp):\n    y = xp.zeros(3, dtype=x.dtype)\n    return y + xp.ptp(x)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "code.py").write_text(BAD)
    return tmp_path


def configure(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(text)


def codes(project: Path, **options: list[str]) -> list[str]:
    return [f.code for f in check([project / "package"], **options)]  # type: ignore[arg-type]


def test_no_settings(project: Path) -> None:
    assert codes(project) == ["LW402", "LW101"]
    configure(project, "[project]\nname = 'package'\n")
    assert codes(project) == ["LW402", "LW101"]


@pytest.mark.parametrize(
    "line, left",
    [
        ("select = ['LW1']", ["LW101"]),
        ("ignore = ['LW101']", ["LW402"]),
        ("select = ['LW']\nignore = ['LW4', 'LW1']", []),
        ("exclude = ['package']", []),
        ("exclude = ['package/']", []),
        ("exclude = ['*/code.py']", []),
        ("exclude = ['code.py']", ["LW402", "LW101"]),
        ("per-file-ignores = {'package/*' = ['LW4']}", ["LW101"]),
        ("per-file-ignores = {'tests/*' = ['LW4']}", ["LW402", "LW101"]),
    ],
)
def test_file(line: str, left: list[str], project: Path) -> None:
    configure(project, f"[tool.likewise.check]\n{line}\n")
    assert codes(project) == left


def test_caller_first(project: Path) -> None:
    configure(project, "[tool.likewise.check]\nselect = ['LW1']\nignore = ['LW1']\n")
    assert codes(project, select=["LW4"]) == ["LW402"]
    assert codes(project, ignore=[]) == ["LW101"]


def test_revision(project: Path) -> None:
    (project / "package" / "code.py").write_text("def f(x, xp):\n    return xp.diff(x)\n")
    assert codes(project) == []
    configure(project, "[tool.likewise.check]\nrevision = '2023.12'\n")
    assert codes(project) == ["LW104"]
    assert check([project], revision="2024.12") == []


def test_further_namespaces(project: Path) -> None:
    text = "def f(x):\n    backend = get_backend()\n    return backend.ptp(x)\n"
    (project / "package" / "code.py").write_text(text)
    assert codes(project) == []
    configure(project, "[tool.likewise.check]\nnamespaces = ['get_backend']\n")
    assert codes(project) == ["LW101"]


@pytest.mark.parametrize(
    "line, said",
    [
        ("selct = []", "has no key 'selct'; its keys are select, ignore, revision"),
        ("select = ['LW9']", "there is no code 'LW9'; the codes are LW001"),
        ("ignore = 'LW1'", "ignore must be a list of strings, not 'LW1'"),
        ("exclude = [1]", "exclude must be a list of strings"),
        ("revision = '2019.01'", "'2019.01' is no revision that is known here; those are 2023"),
        ("revision = 2024.12", "2024.12 is no revision"),
        ("per-file-ignores = 3", "per-file-ignores must be a table"),
        ("per-file-ignores = {'a' = ['X']}", "there is no code 'X'"),
        ("select = [", "can't be read"),
    ],
)
def test_wrong_file(line: str, said: str, project: Path) -> None:
    configure(project, f"[tool.likewise.check]\n{line}\n")
    with pytest.raises(ArgumentError, match=said) as raised:
        codes(project)
    assert "pyproject.toml" in str(raised.value)


def test_wrong_tables(project: Path) -> None:
    configure(project, "[tool.likewise]\ncheck = 3\n")
    with pytest.raises(ArgumentError, match="must be a table"):
        codes(project)
    configure(project, "tool = 3\n")
    assert codes(project) == ["LW402", "LW101"]


def test_nothing_selected(project: Path) -> None:
    """A variable of a shell that is empty must not switch everything off."""
    with pytest.raises(ArgumentError, match="select has no code in it; the codes are LW001, LW101"):
        codes(project, select=[])
    assert main(["check", "--select=", str(project)]) == 2
    configure(project, "[tool.likewise.check]\nselect = []\n")
    with pytest.raises(ArgumentError, match="select has no code in it"):
        codes(project)


def test_wrong_caller(project: Path) -> None:
    with pytest.raises(ArgumentError, match="there is no code 'E501'"):
        codes(project, select=["E501"])
    with pytest.raises(ArgumentError, match="must be a list of codes, not the text 'LW1'"):
        check([project], ignore="LW1")
    with pytest.raises(ArgumentError, match=r"'2022\.12' is no revision"):
        check([project], revision="2022.12")
