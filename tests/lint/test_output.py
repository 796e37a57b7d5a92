"""The three forms of output."""

import json

from likewise.lint._findings import Finding
from likewise.lint._output import render

ONE = Finding("a.py", 3, 5, "LW101", "100 %: no\nline")
TWO = Finding("b,c:d.py", 4, 1, "LW402", "No device.")


def test_text() -> None:
    assert render([], "text") == "Nothing found."
    assert render([ONE], "text").endswith("\n1 finding in 1 file")
    assert render([ONE, TWO], "text").splitlines()[-2:] == [
        "b,c:d.py:4:1: LW402 No device.",
        "2 findings in 2 files",
    ]


def test_json() -> None:
    assert json.loads(render([], "json")) == []
    (first, _) = json.loads(render([ONE, TWO], "json"))
    assert first == {
        "path": "a.py",
        "line": 3,
        "column": 5,
        "code": "LW101",
        "message": "100 %: no\nline",
    }


def test_github() -> None:
    assert render([], "github") == ""
    assert render([ONE, TWO], "github").splitlines() == [
        "::error file=a.py,line=3,col=5,title=LW101::100 %25: no%0Aline",
        "::error file=b%2Cc%3Ad.py,line=4,col=1,title=LW402::No device.",
    ]
