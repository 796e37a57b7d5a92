"""The command line: what it prints, where, and its exit code."""

import dataclasses
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import likewise
from likewise import _capabilities, cli
from likewise.cli import main
from likewise.demo import _run, nist

PROBLEMS = {d.name: d for d in nist.load()}


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the data sets, begun where they end."""
    few = [PROBLEMS["Misra1a"], PROBLEMS["ENSO"]]
    few = [dataclasses.replace(p, starts=(p.certified, p.certified)) for p in few]
    monkeypatch.setattr(nist, "load", lambda: few)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own output taken for a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(cli, "_rich_terminal", lambda: True)


def hide(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Make a package one that isn't installed."""
    for name in [n for n in sys.modules if n.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "likewise.demo._plot", raising=False)


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    source = str(Path(likewise.__file__).parents[1])
    path = os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_module() -> None:
    done = python("-m", "likewise", "--version")
    assert (done.returncode, done.stdout) == (0, f"likewise {likewise.__version__}\n")


def test_light() -> None:
    """The command itself loads no array library, nothing to draw with, and no demonstration."""
    done = python(
        "-c",
        "import sys, likewise.cli as c; c._parser(); print(*sorted(sys.modules), sep='\\n')",
    )
    loaded = set(done.stdout.split())
    assert "likewise.cli" in loaded
    heavy = {"numpy", "torch", "jax", "dask", "array_api_strict", "cupy"}
    assert not loaded & (heavy | {"rich", "matplotlib", "likewise.demo", "likewise.optimize"})


@pytest.mark.full
def test_demo_of_a_process() -> None:
    """As from a shell, without a terminal; one library alone is imported."""
    done = python(
        "-X", "importtime", "-m", "likewise", "demo", "--libraries", "numpy", COLUMNS="80"
    )
    assert done.returncode == 0
    header, row, empty, *legend = done.stdout.splitlines()
    assert (
        header.split()
        == "library type in type out device 4 digits 6 digits median period seconds".split()
    )
    assert row.startswith("numpy ") and row.count("ndarray float64") == 2
    assert row.count(" 54/54") == 2
    assert empty == "" and "SciPy" in "".join(legend)
    assert not {f"| {n}" for n in ("torch", "jax", "dask", "array_api_strict")} & {
        "| " + line.rpartition("|")[2].strip() for line in done.stderr.splitlines()
    }


@pytest.mark.needs("jax")
def test_float64_of_jax() -> None:
    """The command switches it on where the environment doesn't say."""
    import jax  # noqa: F401

    environment = {k: v for k, v in os.environ.items() if k != "JAX_ENABLE_X64"}
    code = (
        "import dataclasses; from likewise.demo import nist; from likewise.cli import main\n"
        "enso, = [d for d in nist.load() if d.name == 'ENSO']\n"
        "quick = {'fun': lambda x, a: a + 0 * x, 'starts': ((9.0,), (11.0,))}  # to compile\n"
        "mean = (sum(enso.y) / len(enso.y),)\n"
        "enso = dataclasses.replace(enso, certified=mean, certified_std=mean, **quick)\n"
        "nist.load = lambda: [enso]\n"
        "raise SystemExit(main(['demo', '--libraries', 'jax']))"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAX_ENABLE_X64", raising=False)
        assert "JAX_ENABLE_X64" not in environment
        done = python("-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ArrayImpl float64") == 2


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([], "required"),
        (["dance"], "invalid choice"),
        (["demo", "--libraries", "numpy,foo"], "'foo': no such library; there are numpy, cupy"),
        (["demo", "--libraries", ","], "no such library"),
    ],
)
def test_usage(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert said in capsys.readouterr().err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--help"])
    assert stop.value.code == 0
    assert "--plot FILE" in capsys.readouterr().out


def test_not_installed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from likewise import _namespace

    monkeypatch.delitem(_namespace._LOADED, "dask", raising=False)
    monkeypatch.setattr(_namespace, "installed", lambda name: name != "dask")
    assert main(["demo", "--libraries", "numpy,dask"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "pip install 'dask[array]'" in err


def test_libraries_in_order(sample: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--libraries", "strict, numpy,strict"]) == 0
    rows = capsys.readouterr().out.splitlines()[1:3]
    assert [row.split()[0] for row in rows] == ["strict", "numpy"]
    assert all(row.count(" 4/4") == 2 for row in rows)


def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    right = _run.curve_fit

    def change(*args: Any, **kwargs: Any) -> Any:
        result = right(*args, **kwargs)
        return dataclasses.replace(result, popt=result.popt.astype("float32"))

    monkeypatch.setattr(_run, "curve_fit", change)


def test_type_changed(
    sample: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted(monkeypatch)
    assert main(["demo", "--libraries", "numpy"]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[1].endswith(" *")
    assert "numpy: Misra1a: popt is ndarray float32, but ndarray float64 went in" in out


def test_wrong_period(
    sample: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_run, "strongest", lambda power: 12.4)
    assert main(["demo", "--libraries", "numpy"]) == 1
    assert "found at 12.40 months, not at 12" in capsys.readouterr().out


def test_interrupted(
    sample: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(y: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(_run, "spectrum", stop)
    assert main(["demo", "--libraries", "numpy"]) == 130
    out, err = capsys.readouterr()
    assert out.splitlines()[1].count(" 4/4") == 2
    assert "interrupted" in err


def test_interrupted_info(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop() -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "info", stop)
    assert main(["info"]) == 130
    assert capsys.readouterr().err == "likewise: interrupted\n"


def test_skipped_library(
    sample: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Installed and without a device: said, and no reason to fail."""

    def devices(name: str) -> Any:
        if name != "numpy":
            raise RuntimeError("no driver")
        return likewise.devices(name)

    monkeypatch.setattr(_run, "devices", devices)
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert "Not run: strict. strict has no usable device here: no driver" in out


def test_rich_demo(sample: None, narrow: None, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything legible in 80 columns."""
    assert main(["demo", "--libraries", "numpy,strict"]) == 0
    out = capsys.readouterr().out
    assert "─" in out and "…" not in out and out.count("4/4") == 4
    assert max(map(len, out.splitlines())) <= 80


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    assert capsys.readouterr().out == f"{likewise.info()}\n"


def test_rich_info(narrow: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    assert "…" not in out
    lines = {line.split("  ")[0].strip(): line for line in out.splitlines()}
    assert "numpy" in out.splitlines()[2] + out.splitlines()[1]
    assert "float64" in lines["default real floating"]
    for name, found in likewise.info().libraries.items():
        if isinstance(found, str):
            assert f"{name}: {found}" in out
        else:
            assert found.version in lines["version"]


def test_rich_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert not cli._rich_terminal()
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert cli._rich_terminal()
    hide(monkeypatch, "rich")
    assert not cli._rich_terminal()


def test_plot(sample: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "fits.PNG"
    assert main(["demo", "--libraries", "numpy", "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.endswith(f"\nPicture: {path}\n")


@pytest.mark.parametrize(
    "name, said", [("fits.txt", "must end in .png"), ("none/fits.png", "there is no folder")]
)
def test_plot_nowhere(
    name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--plot", str(tmp_path / name)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err


def test_plot_cannot_write(
    sample: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fits.png"
    path.mkdir()
    assert main(["demo", "--libraries", "numpy", "--plot", str(path)]) == 2
    out, err = capsys.readouterr()
    assert "4/4" in out and "--plot" in err and "fits.png" in err


def test_plot_without_matplotlib(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hide(monkeypatch, "matplotlib")
    assert main(["demo", "--plot", str(tmp_path / "fits.png")]) == 2
    assert "pip install matplotlib" in capsys.readouterr().err


def test_closed_pipe() -> None:
    """`likewise info | head -1` ends without a complaint; it shows no progress, which is slow."""
    code = (
        "import os, sys; r, w = os.pipe(); os.close(r); os.dup2(w, 1)\n"
        "from likewise import _info; _info.LIBRARIES = ('numpy',)\n"
        "from likewise.cli import main\n"
        "raise SystemExit(main(['info']))"
    )
    done = python("-c", code)
    assert (done.returncode, done.stderr) == (1, "")


def test_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "code.py"
    path.write_text("def f(x, xp):\n    return xp.ptp(x)\n")
    assert main(["check", str(path)]) == 1
    first, total = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{path}:2:12: LW101 ") and total == "1 finding in 1 file"
    assert main(["check", "--ignore", "LW101", str(path)]) == 0
    assert capsys.readouterr().out == "Nothing found.\n"
    assert main(["check", "--select", "LW2, LW3", "--format", "json", str(path)]) == 0
    assert capsys.readouterr().out == "[]\n"
    assert main(["check", "--format", "github", str(path)]) == 1
    assert capsys.readouterr().out.startswith("::error file=")


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["none.py"], "there is no file or folder 'none.py'"),
        (["--select", "E501", "."], "there is no code 'E501'"),
        (["--revision", "2019.12", "."], "'2019.12' is no revision"),
    ],
)
def test_check_refuses(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert main(["check", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of two functions; one of them has run on NumPy."""
    facts = {
        "run": 0,
        "values": ["numpy.linalg.solve"],
        "cells": {"eager": "yes", "jit": "no: it looks", "float32": "yes"},
        "options": {},
        "errors": {"float64": [2e-16, 1e-12]},
        "notes": ["looks at single values"],
    }
    run = {"date": "2026-11-22", "commit": "abc", "platform": "Linux", "versions": {"numpy": "2.4"}}
    data = {
        "runs": [run],
        "not_run": {"jax (GPU)": "no GPU"},
        "rows": {},
        "functions": {
            "linalg.solve": {"choices": {"assume_a": ["'pos'"]}, "libraries": {"numpy": facts}},
            "missing.sinc": {"choices": {}, "libraries": {}},
            "special.sinc": {"choices": {}, "libraries": {}},
        },
    }
    monkeypatch.setattr(_capabilities, "table", lambda: _capabilities.Table(data))


@pytest.mark.usefixtures("known")
def test_capabilities(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capabilities"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[1] == ["linalg", "1", *["0"] * 8] and rows[2][:2] == ["missing", "1"]
    assert main(["capabilities", "linalg"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:2] == ["linalg.solve", "part"]
    for name in ("linalg.solve", "solve", "likewise.linalg.solve"):
        assert main(["capabilities", name]) == 0
        out = capsys.readouterr().out
        assert "jit: no: it looks" in out and "looks at single values" in out
        assert "eager: part: not shown: a batch, views, empty inputs, assume_a='pos'" in out
        assert "float64: worst error 2e-16, tolerance 1e-12 (numpy.linalg.solve)" in out
        assert "2.4, Linux, commit abc, 2026-11-22" in out and "not run: no GPU" in out
    assert main(["capabilities", "sinc"]) == 0
    out = capsys.readouterr().out
    assert "likewise.missing.sinc" in out and "likewise.special.sinc" in out


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("solv", "near are linalg.solve"),
        ("linalg.slove", "near are linalg.solve"),
        ("zzz", "which is no public function or package; likewise capabilities lists"),
    ],
)
def test_capabilities_of_what_there_is_not(
    name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["capabilities", name]) == 2
    err = capsys.readouterr().err
    assert f"capabilities: got {name!r}" in err and said in err
