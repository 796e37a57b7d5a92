"""The script that makes the table of what runs where of reports."""

import importlib.util
import json
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from likewise import _capabilities
from likewise._capabilities import Table
from likewise.testing import Cell, Record

CI = Path(__file__).parents[2] / "ci" / "pages"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, CI / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


capabilities, page = script("capabilities"), script("capabilities_page")


@pytest.fixture
def data() -> dict[str, Any]:
    """What there is of two functions, and nothing of what they do."""
    found: dict[str, Any] = capabilities.empty()
    capabilities.brought_up(found)
    names = ("linalg.solve", "missing.at", "signal.convolve")
    found["functions"] = {name: found["functions"][name] for name in names}
    return found


def report(*records: Record, **more: Any) -> dict[str, Any]:
    """A file of --xp-report, as it is read."""
    text = {
        "date": "2026-11-22",
        "platform": "Linux",
        "commit": "abc",
        "versions": {"numpy": "2.4"},
        "not_run": {"torch-cuda": "no GPU", "cupy": "cupy is not installed"},
        "records": [asdict(record) for record in records],
    }
    found: dict[str, Any] = json.loads(json.dumps(text | more))
    return found


YES = {"eager": Cell("yes", "", 1e-16, 1e-12), "vmap": Cell("yes")}


def test_a_record_is_taken_in(data: dict[str, Any]) -> None:
    record = Record(
        "likewise.linalg.solve",
        "numpy.linalg.solve",
        {"numpy": YES, "torch (GPU)": {"eager": Cell("not run", "no GPU")}},
        {},
        {"numpy": {"solve": "generic"}},
        {"numpy": ("looks at single values",)},
    )
    capabilities.taken_in(data, report(record), add=False)
    facts = data["functions"]["linalg.solve"]["libraries"]
    assert list(facts) == ["numpy"]
    assert facts["numpy"]["cells"] == {"eager": "yes", "vmap": "yes"}
    assert facts["numpy"]["errors"] == {"float64": [1e-16, 1e-12]}
    assert facts["numpy"]["notes"] == ["looks at single values"]
    assert data["not_run"] == {"torch (GPU)": "no GPU", "cupy (GPU)": "cupy is not installed"}
    assert Table(data).run("linalg.solve", "numpy")["versions"] == {"numpy": "2.4"}


def test_records_of_one_function_are_joined(data: dict[str, Any]) -> None:
    records = [
        Record("likewise.signal.convolve", "a", {"numpy": YES}, {"mode": ("'full'",)}),
        Record(
            "likewise.signal.convolve, along an axis",
            "b",
            {"numpy": {"eager": Cell("yes", "", 1e-15, 1e-12), "vmap": Cell("no", "why")}},
            {"mode": ("'same'",)},
            {"numpy": {"step": "scipy.signal:convolve"}},
        ),
        Record("tests.a.function", "a", {"numpy": YES}),
    ]
    capabilities.taken_in(data, report(*records), add=False)
    facts = data["functions"]["signal.convolve"]["libraries"]["numpy"]
    assert facts["cells"] == {"eager": "yes", "vmap": "part: why"}
    assert facts["options"] == {"mode": ["'full'", "'same'"]}
    assert facts["values"] == ["a", "b"] and facts["errors"]["float64"] == [1e-15, 1e-12]
    assert facts["routines"] == {"step": "scipy.signal:convolve"}
    again = report(Record("likewise.signal.convolve", "c", {"numpy": YES}), date="2026-12-01")
    capabilities.taken_in(data, again, add=True)
    facts = data["functions"]["signal.convolve"]["libraries"]["numpy"]
    assert facts["values"] == ["a", "b", "c"]
    assert facts["run"] == 1 and facts["older"] == {"vmap": 0}  # what this run didn't see so bad
    origins = Table(data).origins("signal.convolve", "numpy")
    assert [s.rpartition(", perhaps older")[0][-10:] for s in origins] == [
        "2026-12-01",
        "2026-11-22",
    ]
    capabilities.taken_in(data, again, add=False)
    capabilities.cleaned(data)
    facts = data["functions"]["signal.convolve"]["libraries"]["numpy"]
    assert facts["values"] == ["c"] and facts["run"] == 0
    assert [run["date"] for run in data["runs"]] == ["2026-12-01"]


def test_the_cases_of_a_library_are_run_by_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: list[list[str]] = []

    def ran(call: list[str], **options: Any) -> Any:
        if call[0] == "git":
            return subprocess.CompletedProcess(call, 0, "" if call[1] == "status" else "abc\n")
        Path(call[call.index("--xp-report") + 1]).write_text('{"records": []}')
        calls.append(call)
        return subprocess.CompletedProcess(call, (0, 1, 0, 5)[len(calls) - 1])

    (tmp_path / "build").mkdir()
    monkeypatch.setattr(capabilities.subprocess, "run", ran)
    monkeypatch.setattr(capabilities, "hashes", lambda: {"": "floor"})
    for name in ("ROOT", "DATA", "FIGURE"):
        monkeypatch.setattr(capabilities, name, tmp_path / name[:1] if name != "ROOT" else tmp_path)
    report = capabilities.run("torch", ["fft", "signal"], 0)
    assert report == tmp_path / "build" / "capabilities-torch-fft-signal.json"
    assert json.loads(report.read_text()) == {"records": [], "commit": "abc", "code": {"": "floor"}}
    assert "in_its_case and -torch] and ([fft. or [signal.)" in calls[0]
    assert capabilities.run("jax", [], 2).name == "capabilities-jax.json"  # with a failed test
    assert "in_its_case and -jax]" in calls[1] and "-n" in calls[1]
    assert capabilities.run("solvers", [], 0).name == "capabilities-solvers.json"
    assert "tests/optimize" in calls[2] and "test_capabilities" in calls[2]
    with pytest.raises(SystemExit):  # what collects no test makes no records
        capabilities.run("dask", ["none"], 0)


def test_methods_of_at_are_options(data: dict[str, Any]) -> None:
    assert {"set", "add"} <= set(data["functions"]["missing.at"]["choices"]["method"])
    capabilities.taken_in(
        data, report(Record("likewise.missing.at.add", "a", {"numpy": YES})), add=False
    )
    facts = data["functions"]["missing.at"]["libraries"]["numpy"]
    assert facts["options"] == {"method": ["add"]}


def test_a_mode_of_a_library_that_lacks_something_is_a_note(data: dict[str, Any]) -> None:
    cell = Cell("no", "there is no linalg", only="strict-minimal")
    record = Record("likewise.linalg.solve", "a", {"strict": {"eager": cell}})
    capabilities.taken_in(data, report(record), add=False)
    facts = data["functions"]["linalg.solve"]["libraries"]["strict"]
    assert facts["cells"] == {"eager": "yes"}
    assert facts["notes"] == ["strict-minimal: there is no linalg"]


@pytest.mark.parametrize(
    ("one", "other", "whole"),
    [
        ("yes", "yes", "yes"),
        ("yes", "no: a", "part: a"),
        ("no: a", "no: b", "no: a; b"),
        ("part: a", "no: b", "part: a; b"),
        ("yes", "failed: a", "failed: a"),
        ("loop: sort", "yes", "loop: sort"),
        ("n/a: no floats", "yes", "yes"),
        ("n/a: no floats", "no: a", "no: a"),
        ("not run: a", "yes", "yes"),
    ],
)
def test_two_results_for_a_cell(one: str, other: str, whole: str) -> None:
    assert capabilities.both(one, other) == whole
    order = sorted(capabilities.both(other, one).partition(": ")[2].split("; "))
    assert order == sorted(whole.partition(": ")[2].split("; "))


def stale(data: dict[str, Any]) -> str:
    return "\n".join(capabilities.stale(data))


def test_staleness() -> None:
    data = capabilities.empty()
    capabilities.brought_up(data)
    assert stale(data) == ""
    name = next(n for n, known in data["functions"].items() if known["choices"])
    data["functions"][name]["choices"] = {"mode": ["'other'"]}
    assert f"{name}: its options are " in stale(data)
    capabilities.brought_up(data)
    del data["functions"]["linalg.solve"]
    data["functions"]["linalg.gone"] = {"choices": {}, "libraries": {}}
    step = next(iter(data["rows"]))
    data["rows"][step] = {"numpy": "scipy:elsewhere"}
    data["rows"]["likewise.x:gone"] = {}
    found = stale(data)
    assert "linalg.solve: the table doesn't know it" in found
    assert "linalg.gone: is in the table only" in found
    assert f"{step}: its rows are " in found and "likewise.x:gone: is in the table only" in found


def test_failed_cells_are_stale(data: dict[str, Any]) -> None:
    record = Record("likewise.linalg.solve", "a", {"numpy": {"eager": Cell("failed", "wrong")}})
    capabilities.taken_in(data, report(record), add=False)
    assert "linalg.solve, numpy, eager: failed: wrong" in stale(data)


@pytest.mark.full  # ci/check looks, too
def test_the_table_that_is_kept_is_up_to_date() -> None:
    """In a process of its own, since other tests have rows and functions of theirs."""
    command = [sys.executable, str(CI / "capabilities.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_writing(
    data: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(capabilities, "DATA", tmp_path / "data.json")
    monkeypatch.setattr(capabilities, "FIGURE", tmp_path / "figure.svg")
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report(Record("likewise.linalg.solve", "a", {"numpy": YES}))))
    assert capabilities.main([str(path)]) == 0
    out = capsys.readouterr().out
    assert "not run, without a record: " in out and "1 part" in out
    assert capabilities.main(["--check"]) == 0
    figure = (tmp_path / "figure.svg").read_text()
    assert "<title" in figure and "numpy: 1 part" in figure
    (tmp_path / "figure.svg").write_text("")
    assert capabilities.main(["--check"]) == 1
    assert "figure.svg: shows other counts" in capsys.readouterr().out


def test_page(data: dict[str, Any]) -> None:
    record = Record(
        "likewise.linalg.solve",
        "numpy.linalg.solve",
        {"numpy": YES | {"jit": Cell("no", "a <reason>")}},
    )
    capabilities.taken_in(data, report(record), add=False)
    text = (CI.parents[1] / "docs/reference/capabilities.md").read_text()
    filled = page.filled_in(text, Table(data))
    assert "<!-- table" not in filled
    assert '<td class="c-part" data-all="part"' in filled and "a &lt;reason&gt;" in filled
    assert '<details class="capability" id="c-signal.convolve">' in filled
    assert "numpy.linalg.solve" in filled and "commit abc" in filled
    for library in _capabilities.LIBRARIES:
        assert f'<th scope="col">{library}</th>' in filled


def test_scripts_need_no_network_and_no_other_files() -> None:
    js = (CI.parents[1] / "docs/_static/capabilities.js").read_text()
    assert "http" not in js and "fetch(" not in js and "import" not in js


def test_the_summary_has_what_occurs_and_says_why_not(data: dict[str, Any]) -> None:
    """Few columns, for which a narrow screen has room; a reason stands under its library."""
    record = Record("likewise.linalg.solve", "numpy.linalg.solve", {"numpy": YES})
    capabilities.taken_in(data, report(record), add=False)
    made = "".join(page.libraries(Table(data)))
    heads = re.findall(r'<th scope="col">([^<]*)</th>', made)
    assert heads[0] == "library" and "not run" in heads and "failed" not in heads
    rows = re.findall(r'<tr><th scope="row">.*?</tr>', made)
    assert len(rows) == len(_capabilities.LIBRARIES)
    for row in rows:
        assert row.count("<td>") == len(heads) - 1
        assert sum(map(int, re.findall(r">(\d+)</span>", row))) == 3
    assert "torch (GPU) <small>no GPU</small>" in made
