"""Which files are read, and what is not reported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from likewise.errors import ArgumentError
from likewise.lint import check

ROOT = Path(__file__).parents[2]
BAD = "def f(x, xp):\n    return xp.ptp(x)\n"


def write(path: Path, text: str = BAD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.full
def test_own_source() -> None:
    assert check([ROOT / "src"]) == []


def test_folders(tmp_path: Path) -> None:
    for name in ("b.py", "a/c.py", ".hidden/d.py", "env/e.py", "__pycache__/f.py", "g.txt"):
        write(tmp_path / name)
    write(tmp_path / "env" / "pyvenv.cfg", "")
    found = [Path(f.path).relative_to(tmp_path).as_posix() for f in check([tmp_path])]
    assert found == ["b.py", "a/c.py"]
    assert len(check([tmp_path / "g.txt", tmp_path / ".hidden", tmp_path / "b.py"])) == 3
    assert len(check([tmp_path, tmp_path / "b.py"])) == 2


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="there is no file or folder"):
        check([tmp_path / "none.py"])


def test_one_bad_file(tmp_path: Path) -> None:
    """It doesn't stop the others: a link that leads nowhere, such as Emacs' locks."""
    write(tmp_path / "a.py")
    (tmp_path / ".#a.py").symlink_to(tmp_path / "nowhere")
    write(tmp_path / ".hidden.py")
    assert [f.code for f in check([tmp_path])] == ["LW101"]
    (tmp_path / "b.py").symlink_to(tmp_path / "nowhere")
    write(tmp_path / "c.py")
    found = [(Path(f.path).name, f.code) for f in check([tmp_path])]
    assert found == [("a.py", "LW101"), ("b.py", "LW001"), ("c.py", "LW101")]
    assert "can't be read: No such file" in check([tmp_path])[1].message
    with pytest.raises(ArgumentError, match="there is no file or folder"):
        check([tmp_path / "b.py"])
    assert [f.code for f in check([tmp_path / ".hidden.py"])] == ["LW101"]


def test_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.py")
    write(tmp_path / "closed" / "b.py")
    scandir = os.scandir

    def refusing(path: str) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = [(Path(f.path).name, f.code) for f in check([tmp_path])]
    assert found == [("a.py", "LW101"), ("closed", "LW001")]


@pytest.mark.parametrize(
    "text, said",
    [
        (b"def f(:\n    pass\n", "read as Python 3."),
        (b"x = '\xff'\n", "encoding"),
        (b"# coding: nonsense\n", "nonsense"),
        (b"x = 1\0\n", "null byte"),
        (b"x = " + b"-" * 100_000 + b"1\n", ""),
    ],
)
def test_no_python(text: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_bytes(text)
    (found,) = check([path])
    assert found.code == "LW001" and found.line >= 1 and said in found.message
    assert check([path], ignore=["LW0"]) == []


def test_deep_expressions(tmp_path: Path) -> None:
    path = write(tmp_path / "code.py", "def f(x, xp):\n    return " + "x + " * 5000 + "x\n")
    assert {f.code for f in check([path])} <= {"LW001"}


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, xp):\n    return xp.ptp(x)" + " + x" * 900 + "\n",
        "def f(x, xp):\n    return xp.ptp(x)" + " + x[0]" * 900 + "\n",
        "def f(x, k, xp):\n    if k == 0: return xp.ptp(x)\n"
        + "".join(f"    elif k == {n}: return {n}\n" for n in range(600)),
        "def f(x, xp):\n    y0 = xp.sin(x)\n"
        + "".join(f"    y{n + 1} = y{n}\n" for n in range(3000))
        + "    y3000[0] = 1\n",
    ],
    ids=["sum", "items", "branches", "names"],
)
def test_as_deep_as_python_reads(text: str, tmp_path: Path) -> None:
    before = sys.getrecursionlimit()
    (found,) = check([write(tmp_path / "code.py", text)])
    assert found.code in ("LW101", "LW301") and sys.getrecursionlimit() == before


@pytest.mark.parametrize("ending", [b"\r\n", b"\r"])
def test_line_endings(ending: bytes, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_bytes(BAD.encode().replace(b"\n", ending))
    (found,) = check([path])
    assert (found.line, found.column) == (2, 12)


def test_columns_count_characters(tmp_path: Path) -> None:
    path = write(tmp_path / "code.py", "def f(x, xp):\n    return 'äöü€', xp.ptp(x)\n")
    (found,) = check([path])
    assert found.column == 20


@pytest.mark.parametrize("character", ["\x0c", "\x1c", "\x85", "\u2028"])
def test_lines_end_where_the_parser_says(character: str, tmp_path: Path) -> None:
    text = f"y = '{character}'  # {character}\ndef f(x, xp):\n{character}\n    z = 'ä', xp.ptp(x)\n"
    (found,) = check([write(tmp_path / "code.py", text.replace(f"\n{character}\n", "\n\n"))])
    assert (found.line, found.column) == (4, 14)


@pytest.mark.parametrize(
    "comment, count",
    [
        ("# likewise: ignore[LW101]", 0),
        ("# likewise: ignore[LW1]", 0),
        ("# likewise: ignore[LW301, LW101]", 0),
        ("# likewise: ignore", 0),
        ("# noqa  # likewise:ignore[LW101] it is so", 0),
        ("# likewise: ignore[LW102]", 1),
        ("# likewise: ignore[]", 1),
        ("# ignore[LW101]", 1),
        ("; y = '# likewise: ignore[LW101]'", 1),
    ],
)
def test_comments(comment: str, count: int, tmp_path: Path) -> None:
    path = write(tmp_path / "code.py", f"def f(x, xp):\n    z = xp.ptp(x) {comment}\n")
    assert len(check([path])) == count


def test_comment_in_a_long_call(tmp_path: Path) -> None:
    text = "def f(x, xp):\n    return xp.where(\n        x > 0,  # likewise: ignore[LW105]\n    )\n"
    assert check([write(tmp_path / "code.py", text)]) == []


@pytest.mark.parametrize(
    "text, count",
    [
        ("y[0] = (\n    1\n)  # likewise: ignore[LW301]", 0),
        ("y[0] = (  # likewise: ignore[LW301]\n    1\n)", 0),
        ("y[0] = (\n    1\n)  # likewise: ignore[LW302]", 1),
        ("y[0] = (\n    1\n)\n# likewise: ignore[LW301]", 1),
        ("y[0] = (\n    1\n); k = 1  # likewise: ignore[LW301]", 0),
        ("if (\n    xp.any(y)\n):  # likewise: ignore[LW204]\n    pass", 0),
        ("if xp.any(y):\n    pass  # likewise: ignore[LW204]", 1),
        ("if xp.any(y):\n    pass\nelse:  # likewise: ignore[LW204]\n    pass", 1),
        ("k = [\n    xp.ptp(y),  # likewise: ignore[LW101]\n    xp.ptp(y),\n]", 1),
    ],
)
def test_comment_of_a_statement(text: str, count: int, tmp_path: Path) -> None:
    """Formatters put it behind the last bracket."""
    body = "".join(f"    {line}\n" for line in text.split("\n"))
    text = f"def f(x, xp):\n    y = xp.sin(x)\n{body}"
    assert len(check([write(tmp_path / "code.py", text)])) == count


def test_imports_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "code.py", "raise SystemExit(3)\n" + BAD)
    code = (
        f"import sys; from likewise.lint import check; print(len(check([{str(path)!r}])));"
        "print(*(n for n in ('numpy', 'array_api_compat', 'array_api_extra') if n in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["1"], done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "        x = xp.sin(x) + x[0]\n",
        "        x = xp.sin(x)\n        x += 1\n",
        "        k = x.ndim > 3\n        x = xp.sin(x) if k else x\n",
    ],
)
def test_many_bindings_of_one_name(line: str, tmp_path: Path) -> None:
    """Each is looked at once: a thousand of them, all of which reach one another, take no while."""
    text = "def f(x, xp):\n    for k in range(3):\n" + line * 1000 + "    return x\n"
    assert check([write(tmp_path / "code.py", text)]) == []
