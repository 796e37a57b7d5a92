"""The table of docs/reference/versions.md: what pyproject.toml admits, what tests install."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
REQUIREMENT = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?\s*>=\s*([0-9.]+)")
USED = "numpy array-api-compat array-api-extra opt_einsum scipy torch jax cupy-cuda12x cupy-cuda13x"
USED += " dask array-api-strict rich matplotlib pytest"

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
    pythons = [c.rpartition(" ")[2] for c in project["classifiers"] if ":: 3." in c]
    least = project["requires-python"].removeprefix(">=")
    yield f"| Python | {least} | {pythons[0]} | {pythons[-1]} | |"
    for name in map(_plain, USED.split()):
        least, group = where[name]
        tested = (oldest.get(name, ""), newest.get(name, ""))
        low, high = (version or "not run" for version in tested)
        yield f"| {name} | {least} | {low} | {high} | {group} |"


def _parsed(requirement: str) -> tuple[str, str] | None:
    match = REQUIREMENT.match(requirement)
    return (_plain(match[1]), match[2]) if match else None


def filled_in(text: str, known: Any) -> str:
    """A page with the table in place of `<!-- table: versions -->`."""
    head = "| package | admitted from | oldest under test | newest under test | comes with |"
    table = "\n".join([head, "|---|---|---|---|---|", *versions()])
    return text.replace("<!-- table: versions -->", table)
