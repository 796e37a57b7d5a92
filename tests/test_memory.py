"""Memory that a call may use: the least of what the system, limits and engines leave."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import _memory

Write = Callable[[str, str], None]
MANY = "9223372036854771712"  # how version 1 of cgroups says that there is no limit


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Files of a system that has 1000 MiB available, 300 of its 1200 in caches, and no limits."""

    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    monkeypatch.setattr(_memory, "_PROC", str(tmp_path / "proc"))
    monkeypatch.setattr(_memory, "_GROUPS", str(tmp_path / "groups"))
    monkeypatch.setattr(_memory, "resource", None)
    _memory._groups.cache_clear()
    write("proc/meminfo", f"MemFree: {700 << 10} kB\nMemAvailable: {1000 << 10} kB\n")
    return write


def group(write: Write, folder: str, most: str, used: int, dropped: int = 0) -> None:
    """Write the files of a cgroup of version 2; sizes in MiB."""
    write(f"groups/{folder}/memory.max", f"{most}\n")
    write(f"groups/{folder}/memory.current", f"{used << 20}\n")
    write(f"groups/{folder}/memory.stat", f"anon 5\ninactive_file {dropped << 20}\nslab 9\n")


def old_group(write: Write, folder: str, most: str, used: int, dropped: int = 0) -> None:
    """Write the files of a cgroup of version 1; sizes in MiB."""
    folder = f"groups/memory/{folder}"
    write(f"{folder}/memory.limit_in_bytes", f"{most}\n")
    write(f"{folder}/memory.usage_in_bytes", f"{used << 20}\n")
    write(f"{folder}/memory.stat", f"inactive_file 1\ntotal_inactive_file {dropped << 20}\n")


def left() -> float:
    return _memory.memory_left() / (1 << 20)


def test_of_the_system(system: Write) -> None:
    """With what caches of files hold, which the system gives back."""
    assert left() == 1000
    assert _memory.memory_left(np.ones(1)) == 1000 << 20


def test_a_system_that_tells_little(system: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    system("proc/meminfo", "MemFree: 5 kB\n")
    told = {"SC_AVPHYS_PAGES": 30, "SC_PAGE_SIZE": 1 << 20}
    monkeypatch.setattr(os, "sysconf", told.__getitem__)
    assert left() == 30

    def unknown(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr(os, "sysconf", unknown)
    assert left() == 4096


@pytest.mark.parametrize(
    ("most", "used", "dropped", "expected"),
    [
        (str(400 << 20), 100, 0, 300),
        (str(400 << 20), 100, 60, 360),  # files that are cached
        (str(400 << 20), 100, 150, 400),  # both are read one after the other
        (str(400 << 20), 500, 0, 0),
        (str(5000 << 20), 100, 0, 1000),
        ("max", 100, 0, 1000),
        (MANY, 100, 0, 1000),
    ],
)
@pytest.mark.parametrize("old", [False, True])
def test_of_a_group(
    system: Write, most: str, used: int, dropped: int, expected: int, old: bool
) -> None:
    if old:
        system("proc/self/cgroup", "3:cpu,cpuacct:/b\n4:memory:/a\n0::/\n")
        old_group(system, "a", most, used, dropped)
    else:
        system("proc/self/cgroup", "0::/a\n")
        group(system, "a", most, used, dropped)
    assert left() == expected


def test_of_groups_around_it(system: Write) -> None:
    """The least, wherever it is, and as it is now."""
    system("proc/self/cgroup", "0::/a/b/c\n")
    group(system, "a/b/c", "max", 10)
    group(system, "a/b", str(600 << 20), 200)
    group(system, "a", str(700 << 20), 500)
    assert left() == 200
    group(system, "a", str(700 << 20), 50)
    assert left() == 400
    system("groups/a/b/c/memory.high", f"{90 << 20}\n")
    assert left() == 80
    system("groups/a/b/c/memory.high", "max\n")
    assert left() == 400


@pytest.mark.parametrize("path", ["/docker/f00/b42", "/../../x", "/"])
def test_in_a_container(system: Write, path: str) -> None:
    """Whose group is the root that it sees, whatever the host calls it."""
    system("proc/self/cgroup", f"0::{path}\n")
    group(system, ".", str(256 << 20), 56)
    assert left() == 200


def test_of_both_versions(system: Write) -> None:
    """A system that has version 2 beside version 1, in its own folder."""
    system("proc/self/cgroup", "4:memory:/a\n0::/a\n")
    old_group(system, "a", str(500 << 20), 100)
    group(system, "unified/a", str(300 << 20), 100)
    assert left() == 200


LIMITED = """
import resource, sys
import numpy as np
from likewise._memory import memory_left
before = memory_left()
name, most = getattr(resource, sys.argv[1]), int(sys.argv[2])
resource.setrlimit(name, (most, most))
after = memory_left()
some = np.ones(int(0.9 * after), dtype=np.uint8)
rest = memory_left()
try:
    np.ones(after, dtype=np.uint8)
except MemoryError:
    print(after < before, after <= most, rest < 0.2 * after)
"""


@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_of_a_resource_limit(name: str) -> None:
    """Nearly all that is said to be left is there, and no more."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, name, str(3 << 30)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["True"] * 3


def test_of_a_device(system: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the device's own, whatever the host has."""
    monkeypatch.setattr(_memory.hooks_of(np.ones(1)), "free_memory", lambda device: 77)
    assert _memory.memory_left(np.ones(1)) == 77
    assert left() == 1000


@pytest.mark.needs("dask")
def test_of_a_dask_worker(tmp_path: Path) -> None:
    """In its tasks its limit, in equal parts for its threads; elsewhere none."""
    import distributed

    outside = _memory.memory_left()
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, memory_limit=f"{4 << 30}", processes=False,
            dashboard_address=None, local_directory=str(tmp_path),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        inside = client.submit(_memory.memory_left).result()
        assert 1 << 28 < inside <= 2 << 30
        assert _memory.memory_left() > 2 << 30 or outside <= 2 << 30


def test_memory_fraction(system: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Honoured wherever a chunk size is automatic: all ask this one function."""
    x = np.ones(1)
    assert _memory.memory_budget(x) == 500 << 20
    monkeypatch.setenv("LIKEWISE_MEMORY_FRACTION", "0.25")
    likewise.reset_default()
    assert _memory.memory_budget(x) == 250 << 20
    likewise.set_default(memory_fraction=0.75)
    assert _memory.memory_budget(x) == 750 << 20
    likewise.reset_default()


def test_items_at_once(system: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(1)
    assert _memory.at_once(x, 1 << 20, 800) == 500
    assert _memory.at_once(x, 1 << 20, 400) == 400
    assert _memory.at_once(x, 1 << 40, 3) == 1
    assert _memory.at_once(x, 8, 0) == 1

    def never(x: Any) -> int:
        raise AssertionError("asked for little work, which is done sooner")

    monkeypatch.setattr(_memory, "memory_left", never)
    assert _memory.at_once(x, 1 << 10, 1 << 10) == 1 << 10


def test_memory_of_the_host(lib: Any) -> None:
    """Somewhere between a megabyte and all of it."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 1 << 20 < _memory.memory_budget(lib.asarray([1.0])) <= total


HELD = """
import resource
import numpy as np
from likewise._memory import _entry, _mapped, memory_left
from likewise.optimize import curve_fit
t = np.linspace(0.0, 4.0, 24)
rng = np.random.default_rng(5)
a, k = rng.uniform(1.0, 3.0, (200_000, 1)), rng.uniform(0.5, 2.0, (200_000, 1))
y = a * np.exp(-k * t) + 0.02 * rng.normal(size=(200_000, 24))
def decay(t, a, k):
    return a * np.exp(-k * t)
curve_fit(decay, t, y[:500], [1.0, 1.0])
most = _mapped(0) + (96 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
left, before = memory_left(), _mapped(1)
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak begins anew
popt, _ = curve_fit(decay, t, y, [1.0, 1.0])
peak = _entry("/proc/self/status", "VmHWM:") << 10
print(left, peak - before, float(np.max(np.abs(popt - np.concatenate([a, k], axis=1)))))
"""


@pytest.mark.full
def test_automatic_chunks_hold_the_budget() -> None:
    """Within a tenth, results included, of more fits than fit at once; bytes, not a time."""
    done = subprocess.run(
        [sys.executable, "-c", HELD], capture_output=True, text=True, check=True
    )  # fmt: skip
    left, peak, error = map(float, done.stdout.split())
    assert left <= 96 << 20 and peak <= 1.1 * left / 2 and error < 0.5
