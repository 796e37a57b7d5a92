"""What the pages promise that their examples don't show: names, figures, the gallery's folder."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", *DOCS.glob("*.md"), *DOCS.glob("reference/*.md")])


@pytest.mark.parametrize(
    "name", "fft interop lint missing optimize random signal special testing transforms".split()
)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    module = importlib.import_module(f"likewise.{name}")
    pages = "".join((DOCS / "reference" / f"{p}.md").read_text("utf-8") for p in (name, "top"))
    listed = re.findall(r"^\.\. auto\w+:: (?:\w+\.)*(\w+)", pages, re.MULTILINE)
    assert set(module.__all__) <= set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_figures_are_readable(page: Path) -> None:
    """A unit stays with its number; no powers of ten in front of one; workloads have names."""
    text = page.read_text("utf-8")
    assert not re.findall(r".*\d (?:ns|µs|ms|kB|MB|GB)\b.*", text), "use a non-breaking space"
    assert not re.findall(r".*\de[+-]\d+[ \u00a0](?:s|ms|µs|ns|kB|MB|GB)\b.*", text)
    assert not re.findall(r".*\b[DOX]\d{1,2}\b.*", text)


def check_the_table(libraries: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "ci" / "readme_table.py", "--check", "--libraries", libraries],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run ci/readme_table.py: {done.stdout}{done.stderr}"


@pytest.mark.full
@pytest.mark.needs("torch", "jax", "dask")
def test_the_whole_table_of_readme_is_what_runs() -> None:
    check_the_table("numpy,strict,torch,jax,jit,dask")


def check_the_errors(columns: str) -> None:
    # Digits as users have them: with the flags of this suite, JAX's gammaln is infinite next to 2.
    environ = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    done = subprocess.run(
        [sys.executable, ROOT / "ci" / "special_table.py", "--check", "--columns", columns],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run ci/special_table.py: {done.stdout}{done.stderr}"


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
