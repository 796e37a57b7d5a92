"""docs/performance.md, as `ci/bench --page` writes it: a table for each family that was run."""

import datetime
import os
import platform
from importlib.metadata import version
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
PACKAGES = "numpy scipy torch jax".split()
HEAD = (
    "| what | against | ratio | at most | within | ours | theirs |\n|---|---|--:|--:|---|--:|--:|"
)

__all__ = ["circumstances", "put"]


def circumstances(arguments: str, load: float, today: datetime.date) -> str:
    """Return the words about a run: the command, the date, the versions, the machine."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    machine = f"{os.cpu_count()} cores of {platform.machine()} at a load of {load:.0f}"
    return f"`ci/bench {arguments}` on {today:%Y-%m-%d}: {versions}, {machine} when it began."


def put(text: str, family: str, words: str, rows: list[str]) -> str:
    """Return the page with a family's table in the place of its older one, or at the end."""
    start, end = f"<!-- made by ci/bench: {family} -->", f"<!-- end of {family} -->"
    made = "\n".join([start, words, "", *HEAD, *rows, end])
    if start in text:
        before, _, rest = text.partition(start)
        return before + made + rest.partition(end)[2]
    return f"{text.rstrip()}\n\n## {family}\n\n{made}\n"
