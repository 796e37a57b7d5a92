"""Rooms load the files of what is used, and say the same to a program and to a type checker."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import likewise
from likewise._rooms import furnish

SOURCE = Path(likewise.__file__).parent
FILES = {
    ".".join(("likewise", *path.relative_to(SOURCE).parent.parts)): ast.parse(path.read_text())
    for path in SOURCE.rglob("__init__.py")
}
LAZY = {
    room: [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    for room, tree in FILES.items()
    if any(isinstance(n, ast.ImportFrom) and n.module == "_rooms" for n in tree.body)
}


def loaded(code: str) -> set[str]:
    """The modules of ours that a program loads, in an interpreter of its own."""
    show = "\nimport sys; print(*(n for n in sys.modules if n.startswith('likewise.')))"
    out = subprocess.run([sys.executable, "-c", code + show], capture_output=True, check=True)
    return set(out.stdout.decode().split())


def test_what_is_not_used_is_not_loaded() -> None:
    found = loaded("from likewise.signal import butter, sosfilt")
    assert {"likewise.signal._design._iir", "likewise.signal._filtering._sosfilt"} <= found
    for file in (
        "signal._design._orders",
        "signal._design._remez",
        "optimize",
        "missing._einsum",
        "special._zeta",
    ):
        assert f"likewise.{file}" not in found
    found = loaded("import likewise.signal, likewise.special, likewise.optimize")
    assert not {n for n in found if n.startswith(("likewise.signal._", "likewise.special._"))}


@pytest.mark.parametrize("room", sorted(LAZY))
def test_the_table_is_what_type_checkers_see(room: str) -> None:
    (block,) = LAZY[room]
    seen = {n.module: sorted(a.name for a in n.names) for n in block.body}  # type: ignore[attr-defined]
    for name in seen.pop(None, ()):  # a room in it
        seen[name] = []
    (made,) = (n for n in ast.walk(block) if isinstance(n, ast.Dict))
    table = {file: sorted(names.split()) for file, names in ast.literal_eval(made).items()}
    assert table == seen
    names = importlib.import_module(room).__all__
    assert {n for found in seen.values() for n in found} <= set(names)


@pytest.mark.parametrize("room", sorted(LAZY))
def test_every_name_is_there(room: str) -> None:
    module = importlib.import_module(room)
    assert dir(module) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is vars(module)[name]
    with pytest.raises(AttributeError, match=f"module '{room}' has no attribute 'nothing'"):
        module.nothing


def test_a_room_in_a_room_is_a_name_too() -> None:
    code = "import likewise.signal; likewise.signal.windows.hann(3); likewise.optimize._scalar"
    assert "likewise.signal.windows._cosines" in loaded(code)


def test_furnishing() -> None:
    code = "import likewise, likewise._rooms; likewise._rooms.furnish(likewise)"
    assert {"likewise.signal._design._orders", "likewise.spatial.distance._pairs"} <= loaded(code)
    furnish(likewise.special)


def test_threads_that_begin_together() -> None:
    """Each name once, whole, whoever asks first."""
    code = """
import threading, likewise
names = [(r, n) for r in ("signal", "special", "optimize", "missing") for n in
    getattr(likewise, r).__all__]
wrong, start = [], threading.Barrier(8)
def run(k):
    start.wait()
    for i in range(len(names)):
        room, name = names[(i * (2 * k + 1)) % len(names)]
        try:
            getattr(getattr(likewise, room), name)
        except Exception as error:
            wrong.append(repr(error))
threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
assert not wrong, wrong
"""
    assert "likewise.optimize._names" in loaded(code)


def test_a_room_of_another(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "somebody").mkdir()
    text = "from likewise._rooms import lazily\n__all__ = ['f']\n"
    text += "__getattr__, __dir__ = lazily(__name__, {'_file': 'f'})\n"
    (tmp_path / "somebody" / "__init__.py").write_text(text)
    (tmp_path / "somebody" / "_file.py").write_text("def f(): return 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    room = importlib.import_module("somebody")
    assert dir(room) == ["f"] and room.f() == 1
