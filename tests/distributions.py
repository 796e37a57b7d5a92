"""Providers for tests: distributions in a folder of the test's, as an installer leaves them."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from likewise import _native, _providers

__all__ = ["Shelf", "shelf"]


class Shelf:
    """A folder on the path into which distributions are put."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.modules = folder, list[str]()

    def put(
        self,
        name: str,
        toml: str,
        code: str = "",
        *,
        package: str | None = None,
        value: str | None = None,
        listed: bool = True,
        point: str | None = None,
    ) -> Path:
        """Install a distribution of one package; return where its TOML file is."""
        package = package or f"{name}_package"
        self.modules.append(package)
        folder = self.folder / package
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").write_text(code)
        (folder / "likewise.toml").write_bytes(toml.encode("utf-8", "surrogateescape"))
        meta = self.folder / f"dist_{package}-0.1.dist-info"
        meta.mkdir(exist_ok=True)
        (meta / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: dist-{package}\nVersion: 0.1\n"
        )
        point, value = point or name, value or f"{package}:likewise.toml"
        (meta / "entry_points.txt").write_text(f"[likewise.native]\n{point} = {value}\n")
        files = [f"{package}/__init__.py", *([f"{package}/likewise.toml"] if listed else [])]
        (meta / "RECORD").write_text("".join(f"{file},,\n" for file in files))
        _providers.forget()
        return folder / "likewise.toml"

    def host(self, **files: str) -> None:
        """Put a library that embeds likewise on the path, `host_package`: code by module."""
        self.modules.append("host_package")
        folder = self.folder / "host_package"
        folder.mkdir(exist_ok=True)
        for name, code in files.items():
            (folder / f"{name}.py").write_text(code)
        importlib.invalidate_caches()


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An empty shelf; after the test nothing of it is left."""
    monkeypatch.syspath_prepend(tmp_path)
    _providers.forget()
    made = Shelf(tmp_path)
    yield made
    for name in [n for n in sys.modules if n.partition(".")[0] in made.modules]:
        del sys.modules[name]
    _providers.forget()
    assert _native.LIVE == 0
