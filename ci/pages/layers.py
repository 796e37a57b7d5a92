"""Write the table of layers in docs/architecture.md, from the contracts in pyproject.toml.

    python ci/pages/layers.py          write it
    python ci/pages/layers.py --check  fail if it is stale

What a layer holds is the first sentence of its module's docstring; the packages are those that the
contracts forbid to the other layers.
"""

import argparse
import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
START, END = "<!-- made by ci/pages/layers.py -->\n", "<!-- end of what is made -->"


def contracts() -> list[dict[str, Any]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found: list[dict[str, Any]] = project["tool"]["importlinter"]["contracts"]
    return found


def layers() -> list[list[str]]:
    """Return the modules of each layer, from the top down."""
    (found,) = (c for c in contracts() if c.get("containers") == ["likewise"])
    return [[name.strip(" ()") for name in line.split("|")] for line in found["layers"]]


def packages() -> dict[str, set[str]]:
    """Return the packages that a module alone, or with few others, may import."""
    found = defaultdict(set)
    for contract in contracts():
        for line in contract.get("ignore_imports", ()):
            importer, _, package = line.partition(" -> ")
            found[importer.split(".")[1]].add(package)
    return found


def held(name: str) -> str:
    """Return the first sentence of a module's docstring, without the full stop."""
    path = ROOT / "src" / "likewise" / name
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    first = " ".join(text.partition("\n\n")[0].split())
    return re.split(r"\.(?: |$)", first)[0].replace("``", "`")


def table() -> str:
    allowed = packages()
    rows = ["| layer | what it holds | packages that it may import |", "|---|---|---|"]
    for names in layers():
        for name in names:
            on_one_line = "" if name == names[0] else "&emsp;and "
            which = ", ".join(sorted(allowed.get(name, ())))
            rows.append(f"| {on_one_line}`{name}` | {held(name)} | {which} |")
    return "\n".join(rows) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    made = before + START + table() + END + after
    if not options.check:
        PAGE.write_text(made, "utf-8")
    return int(options.check and made != text)


if __name__ == "__main__":
    raise SystemExit(main())
