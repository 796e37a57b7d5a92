"""Records and the files that are made of them."""

import json
from pathlib import Path

import pytest

from likewise.errors import ArgumentError
from likewise.testing import Cell, Record
from likewise.testing._report import collected, keep, write

RECORD = Record(
    "pkg.f",
    "reference",
    {
        "numpy": {"eager": Cell("yes"), "float32": Cell("failed", "float64 <came> | out")},
        "torch (GPU)": {"eager": Cell("not run", "no GPU")},
    },
)


def test_record_prints_itself() -> None:
    assert str(RECORD).splitlines() == [
        "pkg.f (values: reference)",
        "             eager    jit  grad  vmap  lazy  float32  complex  device  batch  strided  empty  sharded",
        "numpy        yes      –    –     –     –     FAILED   –        –       –      –        –      –",
        "torch (GPU)  not run  –    –     –     –     –        –        –       –      –        –      –",
    ]
    assert RECORD.failures() == ["numpy, float32: float64 <came> | out"]


def test_kept_records_are_handed_over_once() -> None:
    others = collected()
    keep(RECORD)
    (found,) = collected()
    assert json.loads(json.dumps(found)) == found
    assert found["cells"]["numpy"]["eager"]["status"] == "yes"
    assert collected() == []
    assert RECORD not in others


@pytest.mark.parametrize("suffix", ["json", "md", "html"])
def test_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "deep" / f"report.{suffix}"
    keep(RECORD)
    write(path, collected(), {"cupy": "no GPU"}, [], {"numpy": "2.4.6"})
    text = path.read_text()
    assert "float64 &lt;came&gt; | out" in text if suffix == "html" else "came" in text
    if suffix == "md":
        assert "## numpy 2.4.6" in text and "float64 <came> \\| out" in text
        widths = {
            line.replace("\\|", "").count("|") for line in text.splitlines() if "| pkg.f |" in line
        }
        assert widths == {14, 6}
    with pytest.raises(ArgumentError, match="must end in"):
        write(tmp_path / "r.txt", [], {}, [], {})
