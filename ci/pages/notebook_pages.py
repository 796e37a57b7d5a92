"""The pages of docs/ that are notebooks: where they run, and when they run again.

Outputs are kept in `.cache/notebooks` under a hash of a page's code. To that code belongs what it
imports: likewise's own sources, the versions of the installed packages, and the packages beside the
page in docs/examples that begin with the first word of its name (`xpcs` for `xpcs-wrong.md`).
"""

import functools
import hashlib
import os
import re
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS, CACHE = ROOT / "docs", ROOT / ".cache"
KERNELSPEC = re.compile(r"\A---\n(?:[^\n]+\n)*?kernelspec:\n", re.MULTILINE)

__all__ = ["CACHE", "key", "setup"]


def configure(app: Any) -> None:
    """Let kernels start with the options of docs/_kernels, and without the user's own."""
    os.environ["JUPYTER_PATH"] = str(DOCS / "_kernels")
    # Packages of examples are found from every page.
    path = (str(DOCS / "examples"), os.environ.get("PYTHONPATH", ""))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    os.environ["IPYTHONDIR"] = str(CACHE / "ipython")


def _files(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


@functools.cache
def _everywhere() -> bytes:
    """Read what every notebook depends on."""
    found = hashlib.sha256()
    for path in _files(ROOT / "src" / "likewise"):
        found.update(path.read_bytes())
    versions = {f"{d.name}=={d.version}" for d in distributions()}
    found.update("\n".join(sorted(versions)).encode())
    return found.digest()


def key(page: str) -> str:
    """Return the hash of what a page's code imports."""
    found = hashlib.sha256(_everywhere())
    place = DOCS / page
    first = place.name.partition("-")[0]
    beside = sorted(p for p in (DOCS / "examples").glob(f"{first}*") if p.is_dir())
    for path in _files(*beside):
        found.update(path.read_bytes())
    return found.hexdigest()[:20]


def put_key_in(app: Any, docname: str, source: list[str]) -> None:
    """Put a page's key where the cache of outputs looks: beside the name of its kernel."""
    begin = KERNELSPEC.match(source[0])
    if begin:
        keys = app.env.__dict__.setdefault("notebook_keys", {})
        keys[docname] = key(docname)
        head, rest = source[0][: begin.end()], source[0][begin.end() :]
        source[0] = f"{head}  key: {keys[docname]}\n{rest}"


def outdated(
    app: Any, env: Any, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return the notebooks whose code has changed elsewhere since they were read."""
    keys = env.__dict__.get("notebook_keys", {})
    return [name for name, old in keys.items() if name in env.found_docs and key(name) != old]


def setup(app: Any) -> None:
    app.connect("builder-inited", configure)
    app.connect("source-read", put_key_in)
    app.connect("env-get-outdated", outdated)
