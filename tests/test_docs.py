"""What the pages promise that their examples don't show: names, figures, the gallery's folder."""

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from likewise import _capabilities

KNOWN = _capabilities.table()
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FOLDERS = ("", "reference/", "howto/", "examples/")
PAGES = sorted([ROOT / "README.md", *(p for f in FOLDERS for p in DOCS.glob(f"{f}*.md"))])

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.mark.parametrize(
    "name", "fft interop lint missing optimize random signal special testing transforms".split()
)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    module = importlib.import_module(f"likewise.{name}")
    pages = "".join((DOCS / "reference" / f"{p}.md").read_text("utf-8") for p in (name, "top"))
    listed = re.findall(r"^\.\. auto\w+:: (?:\w+\.)*(\w+)", pages, re.MULTILINE)
    assert set(module.__all__) <= set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_figures_are_readable(page: Path) -> None:
    """A unit stays with its number; no powers of ten in front of one; workloads have names."""
    text = page.read_text("utf-8")
    assert not re.findall(r".*\d (?:ns|µs|ms|kB|MB|GB)\b.*", text), "use a non-breaking space"
    assert not re.findall(r".*\de[+-]\d+[ \u00a0](?:s|ms|µs|ns|kB|MB|GB)\b.*", text)
    assert not re.findall(r".*\b[DOX]\d{1,2}\b.*", text)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page: Path) -> None:
    """Sphinx looks at links between pages; README and pictures are on it for no builder."""
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    files = [link for link in links if not re.match(r"\w+:", link)]
    assert [link for link in files if not (page.parent / link).exists()] == []


def of_ci(name: str, folder: str = "pages") -> Any:
    """Return a module of ci/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "ci" / folder / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        (
            "a.html",
            '<script src="https://cdn.org/x.js"></script>',
            ["a.html: https://cdn.org/x.js"],
        ),
        ("a.html", '<link rel="stylesheet" href="//cdn.org/x.css">', ["a.html: //cdn.org/x.css"]),
        (
            "a.html",
            "<style>@import 'https://f.org/f.css';</style>",
            ["a.html: https://f.org/f.css"],
        ),
        ("a.html", '<img src="_images/x.png"><a href="https://scipy.org">SciPy</a>', []),
        ("a.html", '<link rel="canonical" href="https://likewise.org/">', []),
        ("a.css", "body { src: url(https://f.org/f.woff2) }", ["a.css: https://f.org/f.woff2"]),
        ("a.css", "body { background: url('data:image/svg+xml,http://www.w3.org') }", []),
    ],
)
def test_what_a_site_loads_is_found(tmp_path: Path, name: str, text: str, found: list) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert list(of_ci("offline").loads(tmp_path)) == found


def test_mathematics_are_drawn_by_what_lies_here() -> None:
    settings = (DOCS / "conf.py").read_text("utf-8")
    path = re.search(r'^mathjax_path = "(.*)"$', settings, re.MULTILINE)
    assert path is not None
    assert (DOCS / "_static" / path[1]).stat().st_size < 2.2e6
    assert (DOCS / "_static" / path[1]).with_name("LICENSE").is_file()


def check_the_table(libraries: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            ROOT / "ci" / "pages" / "readme_table.py",
            "--check",
            "--libraries",
            libraries,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run ci/pages/readme_table.py: {done.stdout}{done.stderr}"


@pytest.mark.full
@pytest.mark.needs("torch", "jax", "dask")
def test_the_whole_table_of_readme_is_what_runs() -> None:
    check_the_table("numpy,strict,torch,jax,jit,dask")


def check_the_errors(columns: str) -> None:
    # Digits as users have them: with the flags of this suite, JAX's gammaln is infinite next to 2.
    environ = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    done = subprocess.run(
        [
            sys.executable,
            ROOT / "ci" / "special" / "table.py",
            "--check",
            "--columns",
            columns,
        ],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run ci/special/table.py: {done.stdout}{done.stderr}"


@pytest.mark.needs("scipy")
def test_errors_of_special_functions_are_what_is_written() -> None:
    check_the_errors("likewise,SciPy")


@pytest.mark.full
@pytest.mark.needs("torch", "jax")
def test_errors_of_other_libraries_are_what_is_written() -> None:
    check_the_errors("PyTorch,JAX")


def test_the_gallery_needs_no_folder() -> None:
    page = (DOCS / "gallery.md").read_text("utf-8")
    assert ">>> import models\n" in page and "sys.path" not in page


@pytest.mark.full
def test_the_gallery_runs_from_another_folder(tmp_path: Path) -> None:
    options = ["-q", "-c", ROOT / "pyproject.toml", "--rootdir", ROOT, "--doctest-glob=*.md"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *map(str, options), str(DOCS / "gallery.md")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_a_function_has_its_line() -> None:
    line = of_ci("capability_box").line(KNOWN, "signal.butter", "capabilities.html")
    assert 'href="capabilities.html#c-signal.butter"' in line
    told = dict(re.findall(r'class="c-[\w-]+">([\w ]+)</span> ([^;<]+)', line))
    assert "NumPy" in told[KNOWN.overall("signal.butter", "numpy")]
    assert "CuPy" in told[KNOWN.overall("signal.butter", "cupy (GPU)")]


@pytest.mark.needs("scipy")
def test_names_lead_to_likewise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "ci" / "pages")
    names = of_ci("names_page")
    here = names.filled_in("<!-- table: scipy-names --><!-- table: numpy-likewise -->", KNOWN)
    for told in "signal.butter stats.rankdata special.gammaln optimize.curve_fit".split():
        assert f'data-name="scipy.{told} ' in here
    assert 'data-name="numpy.nanmedian missing.nanmedian"' in here
    absent = names.filled_in("<!-- table: scipy-absent -->", KNOWN)
    assert "<code>solve_ivp</code>" in absent and "<code>butter</code>" not in absent


def test_versions_are_those_of_the_files() -> None:
    table = of_ci("versions_page").filled_in("<!-- table: versions -->", None)
    rows = {row.split("|")[1].strip(): row for row in table.splitlines()}
    pinned = re.search(
        r"^numpy==(\S+)", (ROOT / "ci" / "constraints.txt").read_text(), re.MULTILINE
    )
    assert pinned is not None and f"| 2.1 | 2.1.0 | {pinned[1]} | always |" in rows["numpy"]
    assert rows["cupy-cuda12x"].count("not run") == 2
    assert rows["Python"].startswith("| Python | 3.11 | 3.11 | 3.")


def test_what_a_notebook_imports_is_in_its_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pages = of_ci("notebook_pages")
    monkeypatch.setattr(pages, "DOCS", tmp_path)
    package = tmp_path / "examples" / "xpcs"
    package.mkdir(parents=True)
    keys = []
    for text in ("one = 1", "one = 2"):
        (package / "maps.py").write_text(text, "utf-8")
        keys += [pages.key(f"examples/{page}") for page in ("xpcs", "xpcs-wrong", "digits")]
    assert keys[0] == keys[1] != keys[3] == keys[4]
    assert keys[2] == keys[5]


def test_a_run_takes_the_place_of_the_older_one() -> None:
    page = of_ci("bench_page", "benchmarks")
    once = page.put("# Performance\n", "lint", "yesterday", ["| a |"])
    twice = page.put(once, "repairs", "today", ["| b |"])
    thrice = page.put(twice, "lint", "today", ["| c |", "| d |"])
    assert thrice.count("## lint") == 1 and "| a |" not in thrice and "yesterday" not in thrice
    assert thrice.index("| d |") < thrice.index("## repairs") < thrice.index("| b |")


def test_the_table_of_layers_is_that_of_the_contracts() -> None:
    made = of_ci("layers").table()
    assert made in (DOCS / "architecture.md").read_text("utf-8"), "run ci/pages/layers.py"
    assert made.index("| `solving` |") < made.index("| `transforms` |")
    assert re.search(r"^\| `_capabilities` \| .+ \|  \|$", made, re.MULTILINE)
