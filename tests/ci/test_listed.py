"""The script that writes a public name to the places that list it."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

CI = Path(__file__).parents[2] / "ci"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("listed", CI / "pages" / "listed.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


listed = script()
REFERENCE = listed.ROOT / "docs" / "reference"


def test_lists_are_up_to_date() -> None:
    old = [path.name for path, text in listed.made() if path.read_text("utf-8") != text]
    assert not old, f"run ci/made: {', '.join(old)}"


def test_an_import_is_enough() -> None:
    text = (listed.SOURCE / "special" / "__init__.py").read_text("utf-8")
    text = text.replace("import gamma, gammaln,", "import gamma, gammaln, gammanew,")
    text = text.replace("    from ._huber", "    from ._hypernew import hyper\n    from ._huber")
    made = listed.init(text)
    assert '    "gammaln",\n    "gammanew",\n    "gammasgn",\n' in made
    assert '"_gamma": "gamma gammaln gammanew gammasgn' in made
    assert (
        '            "_huber": "huber pseudo_huber",\n            "_hypernew": "hyper",\n' in made
    )
    assert listed.init(made) == made


def test_an_entry_stands_beside_those_of_its_file() -> None:
    page = (REFERENCE / "special.md").read_text("utf-8")
    without = page.replace("   erfi\n", "").replace(".. autofunction:: erfi\n\n", "")
    assert without != page == listed.page(page, "special")
    made = listed.page(without, "special")
    (section,) = (s for s in made.split("\n## ") if ":: erfi\n" in s)
    assert "   erfi\n" in section and ":: dawsn\n" in section


def test_a_new_file_has_a_section() -> None:
    page = (REFERENCE / "special.md").read_text("utf-8")
    without = re.sub(r"(   |\.\. autofunction:: )spence\n", "", page)
    assert listed.page(without, "special").endswith("\n.. autofunction:: spence\n```\n")


@pytest.mark.full  # pytest collects in a process of its own
def test_a_test_is_found_by_its_name() -> None:
    lines = (listed.SURFACE).read_text("utf-8").splitlines()
    name = "signal.hilbert2"
    kept = "\n".join(line for line in lines if not line.startswith(f"{name} "))
    (line,) = {*listed.surface(kept, [name]).splitlines()} - {*kept.splitlines()}
    assert line.startswith(f"{name} signal/_spectra/test_analytic.py::test_")
    assert listed.surface(kept, ["special.erf"]).splitlines() == kept.splitlines()
