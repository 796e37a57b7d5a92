"""Installs packages into a folder, as an installer does, without changing the page's folder."""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def install(target: Path, *names: str) -> None:
    """Install packages from the folder of this file, without a network."""
    copies = [target / "sources" / name for name in names]  # setuptools builds within the sources
    for copy in copies:
        shutil.copytree(HERE / copy.name, copy, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    flags = ["--no-build-isolation", "--disable-pip-version-check", "--target", str(target)]
    subprocess.run([*command, *flags, *map(str, copies)], check=True)
    shutil.rmtree(target / "sources")


def provide(target: Path, name: str, toml: str, code: str) -> None:
    """Write a distribution that provides routines, in its installed form."""
    package, meta = target / f"{name}_package", target / f"{name}_package-0.1.dist-info"
    package.mkdir()
    meta.mkdir()
    (package / "__init__.py").write_text(code)
    (package / "likewise.toml").write_text(f'api = 1\nname = "{name}"\n{toml}')
    (meta / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-package\nVersion: 0.1\n")
    point = f"[likewise.native]\n{name} = {name}_package:likewise.toml\n"
    (meta / "entry_points.txt").write_text(point)
    files = (f"{name}_package/__init__.py", f"{name}_package/likewise.toml")
    (meta / "RECORD").write_text("".join(f"{file},,\n" for file in files))
