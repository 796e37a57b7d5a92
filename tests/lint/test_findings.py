"""Every code has a page, and its examples are what the page says."""

import re
from pathlib import Path

import pytest

from likewise.lint import check
from likewise.lint._findings import CODES, Finding

PAGES = Path(__file__).parents[2] / "docs" / "lint"
REVISION = {"LW104": "2023.12"}


def example(code: str, heading: str) -> str:
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {heading}\n\n```python\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def test_pages_are_of_codes() -> None:
    assert {p.stem for p in PAGES.glob("LW*.md")} == set(CODES)
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert all(f"| [{code}]({code}.md) | {what} |" in index for code, what in CODES.items())


@pytest.mark.parametrize("code", CODES)
def test_title(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {code}: {CODES[code]}\n")


@pytest.mark.parametrize("code", CODES)
def test_bad(code: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(example(code, "Bad"), encoding="utf-8")
    assert {f.code for f in check([path], revision=REVISION.get(code))} == {code}


@pytest.mark.parametrize("code", CODES)
def test_good(code: str, tmp_path: Path) -> None:
    path = tmp_path / "good.py"
    path.write_text(example(code, "Good"), encoding="utf-8")
    assert check([path], revision=REVISION.get(code)) == []


def test_text() -> None:
    assert str(Finding("a.py", 3, 5, "LW101", "No.")) == "a.py:3:5: LW101 No."
