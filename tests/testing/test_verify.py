"""`likewise verify`: a provider's routines beside the generic bodies, and the example of the docs."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import _providers
from likewise.cli import main
from likewise.errors import ArgumentError, ProviderError
from likewise.testing import _verify, verify

from ..distributions import shelf

__all__ = ["shelf"]

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "likewise-overlap"
HEAD = 'api = 1\nname = "echo"\n'
TABLE = '[functions."{}"]\nlibrary = "numpy"\nfunction = "echo_package:{}"\n'
NAMES = [f"likewise.{room}:{n}" for room in _providers._ROOMS for n in _providers.nameable(room)]


def one(shelf: Any, code: str, name: str = "likewise.missing:deg2rad") -> Any:
    """Verify a provider of one function, named `f`."""
    shelf.put("echo", HEAD + TABLE.format(name, "f"), code)
    found = verify("echo")
    (verdict,) = found.verdicts
    assert found.ok is (verdict.state == "ok")
    return verdict


def test_every_function_that_can_be_named_has_a_case(
    shelf: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider of all of them that hands each call on: it runs in some, and is right in all."""
    monkeypatch.setattr(_verify, "DTYPES", ("float64",))
    monkeypatch.setattr("likewise.testing._cases.LARGE", 300)
    words = [name.replace(":", "_").replace(".", "_") for name in NAMES]
    toml = "".join(TABLE.format(n, w) for n, w in zip(NAMES, words, strict=True))
    code = "import likewise, importlib\n" + "".join(
        f"{w} = lambda *a, **k: likewise.{n.partition('.')[2].replace(':', '.')}.generic(*a, **k)\n"
        for n, w in zip(NAMES, words, strict=True)
    )
    shelf.put("echo", HEAD + toml, code)
    found = verify("echo")
    assert [str(v.function) for v in found.verdicts] == NAMES
    wrong = [(v.function, v.failures) for v in found.verdicts if v.state != "ok"]
    assert wrong == [], "\n".join(map(str, wrong))
    assert found.ok
    assert [v for v in found.verdicts if v.declined or not v.ran] == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("np.deg2rad(x) * (1 + 1e-9)", "is off by .*e-1. of the largest entry"),
        ("np.where(np.isnan(x), 0, np.deg2rad(x))", "is off by inf"),
        ("np.deg2rad(x) + np.nan", "is off by inf"),
        ("np.deg2rad(x).astype('f4')", "returned ndarray of float32, shape .9,., expected ndarray"),
        ("np.deg2rad(x)[..., None]", r"shape \(9, 1\), expected ndarray of float64, shape \(9,\)"),
        ("np.deg2rad(x).tolist()", "returned list, expected ndarray"),
        ("(np.deg2rad(x),)", "returned tuple, expected ndarray"),
        ("np.deg2rad(x, out=x)", "changed its arguments"),
        ("1 / 0", r"deg2rad\(float64 \(9,\)\) raised ZeroDivisionError: division by zero"),
        ("no_such_name", "raised NameError"),
    ],
)
def test_what_differs_is_told(shelf: Any, code: str, said: str) -> None:
    verdict = one(shelf, f"import numpy as np\ndef f(x): return {code}")
    assert verdict.state == "FAILED" and 1 <= len(verdict.failures) <= 5
    assert any(re.search(said, failure) for failure in verdict.failures), verdict.failures
    assert verdict.worst != "0.0e+00"  # beside FAILED: "-", where no value was compared


def test_what_is_right_passes(shelf: Any) -> None:
    """NumPy's own function, of floats: integers become NumPy's default, as ours do."""
    verdict = one(shelf, "from numpy import deg2rad as f")
    assert (verdict.state, verdict.declined, verdict.failures) == ("ok", 0, [])
    assert verdict.ran >= 15 and verdict.error < 1e-6


def test_one_that_declines_everything_fails(shelf: Any) -> None:
    code = "f = abs\ndef should_run(c): return 'a reason'"
    toml = HEAD + TABLE.format("likewise.missing:deg2rad", "f")
    shelf.put("echo", toml + 'should_run = "echo_package:should_run"', code)
    found = verify("echo")
    (verdict,) = found.verdicts
    assert not found.ok and verdict.ran == 0 and verdict.declined >= 15
    assert verdict.failures == ["it declined every call, so nothing was compared"]
    assert verdict.reasons == ["a reason"]
    assert "likewise.missing:deg2rad on numpy: declined: a reason" in str(found)


def test_a_function_without_a_case_fails(shelf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likewise.testing._cases.CASES", {})
    verdict = one(shelf, "from numpy import deg2rad as f")
    assert verdict.failures == ["likewise has no case for it, so nothing was compared"]


def test_a_library_that_is_not_installed_is_not_run(shelf: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(_verify, "installed", lambda name: False)
    verdict = one(shelf, "")
    assert (verdict.state, verdict.not_run) == ("not run", "numpy is not installed")


def test_who_is_not_there_or_broken(shelf: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shelf.put("echo", "api = 2")
    with pytest.raises(ArgumentError, match="no provider 'ecko' is installed; there are 'echo'"):
        verify("ecko")
    with pytest.raises(ProviderError, match="the provider 'echo' can't be used. .*got api = 2"):
        verify("echo")
    assert main(["verify", "ecko"]) == 2
    assert "no provider 'ecko'" in capsys.readouterr().err


def test_the_command(shelf: Any, capsys: pytest.CaptureFixture[str]) -> None:
    toml = HEAD + TABLE.format("likewise.missing:deg2rad", "f")
    shelf.put("echo", toml, "from numpy import deg2rad as f")
    assert main(["verify", "echo"]) == 0
    assert capsys.readouterr().out == f"{verify('echo')}\n"
    shelf.put("wrong", toml.replace("echo", "wrong"), "f = abs")
    assert main(["verify", "wrong"]) == 1
    assert "FAILED" in capsys.readouterr().out


@pytest.mark.needs("scipy", "setuptools")
@pytest.mark.full
def test_the_example_is_installed_and_runs(tmp_path: Path) -> None:
    """As its page says, into a folder of its own; its sources stay as they are."""
    source = tmp_path / "source"
    for path in EXAMPLE.rglob("*"):
        if path.is_file() and path.suffix in (".py", ".toml", ".md"):
            copy = source / path.relative_to(EXAMPLE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    target = str(tmp_path / "target")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    flags = ["--no-index", "--disable-pip-version-check", "--target", target, str(source)]
    done = subprocess.run([*pip, *flags], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    code = """
import sys, numpy as np, likewise
from likewise.cli import main
from likewise.signal import fftconvolve as f
x, k = np.random.default_rng(0).normal(size=20_000), np.ones(100)
assert "likewise_overlap" not in sys.modules
with likewise.prefer("overlap"), likewise.trace_native() as log:
    y, z = f(x, k), f(x[:50], k)
    print(likewise.explain(f, x[:50], k))
print(log[0].routine, log[1].routine, np.allclose(y, f.generic(x, k), rtol=0, atol=1e-10))
sys.exit(main(["verify", "overlap"]))
"""
    environ = os.environ | {"PYTHONPATH": os.pathsep.join([*sys.path, target])}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environ
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "50 elements are too few: from 8192 on, blocks pay" in done.stdout
    assert "likewise_overlap.blocks:fftconvolve of overlap generic True\n" in done.stdout
    assert done.stdout.count(" numpy    ok ") == 2


def test_the_page_has_the_example(shelf: Any) -> None:
    """The file that it prints is the example's, and no provider is preferred by reading it."""
    page = (EXAMPLE.parents[1] / "providers.md").read_text("utf-8")
    toml = (EXAMPLE / "src" / "likewise_overlap" / "likewise.toml").read_text("utf-8")
    project = (EXAMPLE / "pyproject.toml").read_text("utf-8")
    assert f"```toml\n{toml}```" in page
    for part in page.split("```toml\n")[2].partition("```")[0].strip().split("\n\n"):
        assert part in project
    assert np.all(likewise.signal.fftconvolve(np.ones(3), np.ones(1)).round(9) == 1)
