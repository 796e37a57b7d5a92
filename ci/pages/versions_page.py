"""The tables of docs/reference/versions.md: what is admitted, what tests install, what was run."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
REQUIREMENT = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?\s*>=\s*([0-9.]+)")
USED = "numpy array-api-compat array-api-extra opt_einsum scipy torch jax cupy-cuda12x cupy-cuda13x"
USED += " dask array-api-strict rich matplotlib pytest"

PART = "of `ci/test` those of transforms, compiled programs, rows, commands, contracts"
# Python, PyTorch, what was run with them, and what came of it: written by hand after a run.
RUNS = (
    ("3.11.7", "2.13.0+cpu", "`ci/test`, whole", "passes"),
    ("3.12.1", "2.13.0+cu130", "`ci/test`, whole", "passes (26 November 2026)"),
    ("3.13.0", "2.13.0+cu130", PART, "4,308 tests pass (25 November 2026)"),
    ("3.14", "", "not run", ""),
    ("any", "2.14 and later", "not run", ""),
)

__all__ = ["filled_in"]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(path: Path) -> dict[str, str]:
    """Return the versions that a file of constraints names."""
    found = re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", path.read_text("utf-8"), re.MULTILINE)
    return {_plain(name): version for name, version in found}


def versions() -> Iterator[str]:
    """Markdown: each package that likewise uses, the versions it admits, and those under test."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    newest, oldest = (pins(ROOT / "ci" / f"constraints{end}.txt") for end in ("", "-oldest"))
    where: dict[str, tuple[str, str]] = {}
    groups = {"always": project["dependencies"], **project["optional-dependencies"]}
    for group, requirements in groups.items():
        for name, least in filter(None, (_parsed(r) for r in requirements)):
            where.setdefault(name, (least, "always" if group == "always" else f"`{group}`"))
    ran = [".".join(python.split(".")[:2]) for python, _, what, _ in RUNS if what != "not run"]
    least = project["requires-python"].removeprefix(">=")
    yield f"| Python | {least} | {ran[0]} | {ran[-1]} | |"
    for name in map(_plain, USED.split()):
        least, group = where[name]
        tested = (oldest.get(name, ""), newest.get(name, ""))
        low, high = (version or "not run" for version in tested)
        yield f"| {name} | {least} | {low} | {high} | {group} |"


def _parsed(requirement: str) -> tuple[str, str] | None:
    match = REQUIREMENT.match(requirement)
    return (_plain(match[1]), match[2]) if match else None


def filled_in(text: str, known: Any) -> str:
    """A page with the tables in place of `<!-- table: versions -->` and `<!-- table: runs -->`."""
    head = "| package | admitted from | oldest under test | newest under test | comes with |"
    table = "\n".join([head, "|---|---|---|---|---|", *versions()])
    runs = [f"| {' | '.join(run)} |" for run in RUNS]
    ran = "\n".join(["| Python | PyTorch | run | result |", "|---|---|---|---|", *runs])
    return text.replace("<!-- table: versions -->", table).replace("<!-- table: runs -->", ran)
