"""The script that plants defects: what it changes, what it leaves alone, what it reports."""

import ast
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import likewise.testing

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("likewise_ci_mutants", ROOT / "ci" / "mutants.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def planted(script: Any, source: str) -> set[str]:
    return {m.mutated.strip() for m in script.mutants("x.py", source)}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a < b", {"a <= b", "a > b"}),
        ("a  <=  b", {"a  <  b", "a  >=  b"}),
        ("a == b != c", {"a != b != c", "a == b == c"}),
        ("a is not b", {"a is b"}),
        ("a in b", {"a not in b"}),
        ("(a) + (b)", {"(a) - (b)"}),
        ("a * b", {"a / b", "a + b"}),
        ("a **b", {"a *b"}),
        ("a += b", {"a -= b"}),
        ("x = not a", {"x = a"}),
        ("x = not(a)", {"x = (a)"}),
        ("f(keep=True)", {"f(keep=False)"}),
        ("x[..., 1]", {"x[..., 2]", "x[..., 0]"}),
        ("x = 0", {"x = 1"}),
    ],
)
def test_what_changes(script: Any, line: str, expected: set[str]) -> None:
    assert planted(script, line) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""1 < 2"""',
        "raise ValueError(1 + n)",
        "def f(x: Literal[1] = y) -> Literal[2]: pass",
        "x: Literal[3] = y",
        "__all__ = [not 1]",
        "if TYPE_CHECKING:\n    x = 1",
        "warnings.warn(text, stacklevel=2)",
        "@overload\ndef f(x=1): ...",
        "isinstance(x, int | float)",
        'x = "a" + b',
        'x = f"{a + 1}"',
    ],
)
def test_what_is_left_alone(script: Any, source: str) -> None:
    assert planted(script, source) == set()


def test_only_its_place_changes(script: Any) -> None:
    """Formatting, comments and line endings stay, and the outcome is a program."""
    source = "def f(x):\n    y = (x  +  1)  # a + b\n\n    return y if x > 2 else -y\n"
    for mutant in script.mutants("x.py", source):
        text = mutant.apply(source)
        ast.parse(text)
        assert text != source
        same = [a == b for a, b in zip(text.splitlines(), source.splitlines(), strict=True)]
        assert same.count(False) == 1 and not same[mutant.line - 1]
        assert text.splitlines()[1].endswith("# a + b")


def test_an_edit_elsewhere_moves_no_other(script: Any) -> None:
    source = "x = a < b\ny = c < d\nx = a < b\n"
    keys = [m.key for m in script.mutants("x.py", source)]
    assert len(set(keys)) == len(keys) == 6
    assert [m.key for m in script.mutants("x.py", "import a\n\n" + source)] == keys


def test_each_package_has_its_share(script: Any) -> None:
    many = script.mutants("big/x.py", "\n".join(f"a{i} = 1 + b{i} * 2" for i in range(40)))
    few = script.mutants("small/x.py", "\n".join(f"a{i} == b" for i in range(8)))
    chosen = script.drawn(many + few, 20, 1)
    assert len(chosen) == 20 == len({(m.file, m.text, m.start) for m in chosen})
    assert sum(m.package == "small" for m in chosen) >= script.LEAST
    assert chosen == script.drawn(few + many, 20, 1) != script.drawn(few + many, 20, 2)


def test_the_tests_of_a_file(script: Any) -> None:
    assert script.tests_of("random/_gamma.py") == ["tests/random/test_gamma.py"]
    assert script.tests_of("optimize/_curve_fit/_curve_fit.py") == [
        "tests/optimize/_curve_fit/test_curve_fit.py",
        "tests/optimize/_curve_fit/test_curve_fit_options.py",
    ]
    assert "tests/random/test_counts.py" in script.tests_of("random/_arguments.py")  # imports it
    assert script.tests_of("optimize/_minimize/_methods/_bfgs.py") == ["tests/optimize/_minimize"]
    assert script.tests_of("transforms/_rules/_tables/_fft.py") == ["tests/transforms/_rules"]
    assert script.lanes_of("random/_gamma.py") == ("numpy", "strict-minimal", "torch")
    assert script.lanes_of("_libs/dask/_blocks.py") == ("dask",)
    there = {variant.name for variant in likewise.testing.variants()}
    assert {lane for lanes in script.LANES_OF.values() for lane in lanes} < there
    source = ROOT / "src" / "likewise"
    for path in source.rglob("*.py"):
        file = path.relative_to(source).as_posix()
        assert all((ROOT / test).exists() for test in script.tests_of(file)), file


def test_the_report(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    some = script.mutants("room/x.py", "a < b\nc == d\ne is f\n")
    outcomes = ["survived", "caught", "survived", "caught"]
    found = {m.key: {"outcome": o, "by": ""} for m, o in zip(some, outcomes, strict=True)}
    text, share = script.report(some, found)
    assert share == 0.5 and "src/likewise/room/x.py:1\n- a < b\n+ a <= b" in text
    named = {("room/x.py", "a < b", "a <= b"): "a is never b"}
    monkeypatch.setattr(script, "equivalents", lambda: named)
    text, share = script.report(some, found)
    assert share == pytest.approx(2 / 3) and "+ a <= b" not in text
    assert "not run: _libs/cupy/_library.py (needs a GPU)" in text


def test_equivalents(script: Any, tmp_path: Path) -> None:
    """What is named is still there to be planted, and has a reason."""
    there: dict[str, set[tuple[str, str]]] = {}
    for (file, old, new), reason in script.equivalents().items():
        if file not in there:
            found = script.mutants(file, (ROOT / "src" / "likewise" / file).read_text())
            there[file] = {(m.text.strip(), m.mutated.strip()) for m in found}
        assert (old, new) in there[file], f"{file}: {old!r} -> {new!r} can no longer be planted"
        assert len(reason) > 10
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("x.py\n- a\nb\n= c\n")
    with pytest.raises(ValueError, match="wrong.txt"):
        script.equivalents(wrong)


def test_a_stopped_run_is_read(script: Any, tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    assert script.read(state) == {}
    rows = [{"key": "a", "outcome": "survived"}, {"key": "a", "outcome": "caught"}]
    state.write_text("\n".join(map(json.dumps, rows)) + '\n{"key": "b", "outc')
    assert script.read(state) == {"a": rows[1]}


def test_probes_tell_what_is_executed(script: Any) -> None:
    source = (
        "LIMIT = 3\n\n\ndef f(x, least=1):\n"
        '    """Says 1 < 2."""\n'
        "    if x < least:\n        return x - 1\n"
        "    elif x == 2:\n        return [y * 2 for y in range(x)]\n"
        "    while x > 8: x -= 1\n    return x\n"
    )
    planted = script.mutants("x.py", source)
    program, at_import = script.probed(source, planted)
    lines = {m.key: m.line for m in planted}
    assert {lines[key] for key in at_import} == {1, 4}
    seen: set[str] = set()
    namespace: dict[str, Any] = {script.PROBE: seen.add}
    exec(compile(program, "x.py", "exec"), namespace)
    assert not seen
    assert namespace["f"].__doc__ == "Says 1 < 2."
    for x, value, expected in ((0, -1, {6, 7}), (2, [0, 2], {6, 8, 9}), (9, 8, {6, 8, 10})):
        seen.clear()
        assert namespace["f"](x) == value
        assert {lines[key] for key in seen} == expected


def test_a_defect_in_a_decorator(script: Any) -> None:
    """It is one of the import, or of the function around."""
    source = "@f(1)\ndef g():\n    @f(2)\n    def h():\n        pass\n"
    planted = script.mutants("x.py", source)
    program, at_import = script.probed(source, planted)
    assert {m.line for m in planted if m.key in at_import} == {1}
    assert {m.line for m in planted if m.key not in at_import} == {3}
    compile(program, "x.py", "exec")


def test_the_files_of_a_folder(script: Any) -> None:
    found = script.files_of(["tests/ci", "tests/test_memo.py"], ROOT)
    assert found[-1] == "tests/test_memo.py"
    assert "tests/ci/test_mutants.py" in found
