"""Every code has a page, and its examples are what the page says."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likewise.lint import check
from likewise.lint._findings import CODES, OPTIONAL, Finding

PAGES = Path(__file__).parents[2] / "docs" / "lint"
REVISION = {"LW104": "2023.12"}
SELECT = {code: ["LW", code] for code in OPTIONAL}


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
    assert {
        f.code for f in check([path], revision=REVISION.get(code), select=SELECT.get(code))
    } == {code}


@pytest.mark.parametrize("code", CODES)
def test_good(code: str, tmp_path: Path) -> None:
    path = tmp_path / "good.py"
    path.write_text(example(code, "Good"), encoding="utf-8")
    assert check([path], revision=REVISION.get(code), select=SELECT.get(code)) == []


X = np.asarray([1.0, 2.0, 4.0])
# What a call of the good example's function gives, on NumPy.
CALLS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "LW001": ((X, np), 7 / 3),
    "LW101": ((X, np), 3.0),
    "LW102": ((X * 0, X, np), [0.0, 0.0, 0.0, 1.0, 2.0, 4.0]),
    "LW103": ((np.asarray([1.0, np.nan]),), [1.0, 0.0]),
    "LW104": ((X, np), [1.0, 2.0]),
    "LW105": ((np.asarray([1.0, 3.0]), np), [1 / 2**0.5, 3 / 2**0.5]),
    "LW106": ((X,), 7.0),
    "LW107": ((X, np), [X, [True, True, True]]),
    "LW108": ((X,), True),
    "LW201": ((X, np), np.abs(np.fft.rfft(X)) ** 2),
    "LW202": ((X,), 4.0),
    "LW203": ((X, np), [0.25, 0.5, 1.0]),
    "LW204": ((-X, np), [1.0, 2**0.5, 2.0]),
    "LW205": ((X, np.asarray([1.0, 1.0]), np), [1.0, 3.0, 6.0, 4.0]),
    "LW206": ((X, np), X / 3),
    "LW207": ((X,), 7.0),
    "LW301": ((X, np), [1.0, 0.0, 0.0]),
    "LW302": ((X,), X - 7 / 3),
    "LW401": ((3, np.float64, "cpu", np), [0.0, 0.5, 1.0]),
    "LW402": ((np.ones((2, 2)), np), [[1.0, 0.0], [0.0, 1.0]]),
    "LW403": ((X, np), X * 2**0.5),
    "LW501": ((X, np), [4.0, 2.0, 1.0]),
    "LW502": ((X, np), [1.0, 2.0]),
    "LW503": ((X, np), 7 / 3),
    "LW504": ((np.stack([X, X]), np), [21.0, 21.0]),
    "LW505": ((X, np), 21**0.5),
    "LW506": ((X, 0.0, 3.0, np), [0.0, 0.0, 0.0]),
    "LW507": ((X - 2.0, np), 2.0),
}


@pytest.mark.parametrize("code", CODES)
def test_good_runs(code: str) -> None:
    names: dict[str, Any] = {"__name__": "example"}
    exec(example(code, "Good"), names)
    functions = [v for v in names.values() if getattr(v, "__module__", "") == "example"]
    function = functions[-1]
    before = X.copy()
    given, expected = CALLS[code]
    np.testing.assert_allclose(function(*given), expected)
    np.testing.assert_array_equal(X, before)


def test_text() -> None:
    assert str(Finding("a.py", 3, 5, "LW101", "No.")) == "a.py:3:5: LW101 No."
