"""Memory that a call may use: of the system, of limits on the process, of a device."""

import functools
import os
import sys
from collections.abc import Iterator
from typing import Any

from . import _default
from ._namespace import device, hooks_of

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

__all__ = ["at_once", "memory_budget", "memory_left", "out_of_memory", "working_set"]

_LITTLE = 1 << 24  # bytes that are taken without a question, which costs more than their work
_NONE = 1 << 60  # bytes from which on a limit is none: version 1 of cgroups says so by 2**63 - 4096
_UNKNOWN = 4 << 30  # bytes, where a system tells nothing
_PROC, _GROUPS = "/proc", "/sys/fs/cgroup"


def memory_left(x: Any = None) -> int:
    """Return how many bytes this call may still use, on the device of an array or on the host.

    On a device it is the device's free memory. On the host it is the least of what the system has
    available, the limits of the process's cgroups and resource limits less what is used of them,
    and, in a task of a Dask worker, the worker's limit less what its process uses, shared among its
    threads.
    """
    if x is not None:
        found = hooks_of(x).free_memory(device(x))
        if found is not None:
            return int(found)
    return max(0, min([_available(), *_in_groups(), *_in_limits(), *_in_worker()]))


def memory_budget(x: Any = None) -> int:
    """Return how many bytes automatic sizes may use, on the device of an array or on the host."""
    return int(memory_left(x) * _default.memory_fraction())


def at_once(x: Any, each: int, count: int) -> int:
    """Return how many of so many items, of `each` bytes, fit in memory together; at least 1."""
    if each * count <= _LITTLE:
        return max(1, count)
    return max(1, min(count, memory_budget(x) // each))


def out_of_memory(error: Exception, x: Any) -> bool:
    """Tell if an error says that no memory is left on the device of an array."""
    return hooks_of(x).out_of_memory(error)


def working_set(x: Any) -> int | None:
    """The array size in bytes that suits caches and calls; None on devices without limit."""
    # On the host larger arrays leave the caches, smaller ones are dominated by calls.
    if not hooks_of(x).is_host(x):
        return None
    _keep_freed_memory()
    return 1 << 22


@functools.cache
def _keep_freed_memory() -> None:
    """Let the C library keep the memory of such arrays when they are freed, once in a process.

    glibc returns free memory to the system beyond twice the largest block that was ever freed, up
    to 32 MiB a block. If that block was no larger than the arrays of a step, the system clears the
    same pages in every step, which takes as long as the arithmetic. So this allocates and frees a
    large block, once. It is never touched, so it costs microseconds; with other C libraries it has
    no effect.
    """
    bytes((1 << 25) - (1 << 16))


# -- the system ------------------------------------------------------------------------------------


def _available() -> int:
    """Return what the system has available: free, or in caches of files that it can drop."""
    kibibytes = _entry(f"{_PROC}/meminfo", "MemAvailable:")
    if kibibytes is not None:
        return kibibytes << 10
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # not told by this system
        return _UNKNOWN


def _text(path: str) -> str:
    """Return what a file of the system says; nothing where there is none."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def _number(path: str) -> int | None:
    """Return the number in a file; None where it has another word, such as "max"."""
    text = _text(path).strip()
    return int(text) if text.isdecimal() and int(text) < _NONE else None


def _entry(path: str, name: str) -> int | None:
    """Return the number after a name at the beginning of a line."""
    for line in _text(path).splitlines():
        words = line.split()
        if words[:1] == [name]:
            return int(words[1])
    return None


# -- limits on the process -------------------------------------------------------------------------


def _in_groups() -> Iterator[int]:
    """Yield what is left in the process's cgroup and in those around it."""
    for folder, limits, use, cached in _groups(_text(f"{_PROC}/self/cgroup")):
        found = [_number(f"{folder}/{name}") for name in limits]
        least = min((n for n in found if n is not None), default=None)
        if least is not None:
            # The system drops a group's cache of files not lately read before it lacks memory.
            dropped = _entry(f"{folder}/memory.stat", cached) or 0
            yield least - max(0, (_number(f"{folder}/{use}") or 0) - dropped)


_V1 = ["memory.limit_in_bytes"], "memory.usage_in_bytes", "total_inactive_file"
_V2 = ["memory.max", "memory.high"], "memory.current", "inactive_file"


@functools.lru_cache(8)
def _groups(told: str) -> list[tuple[str, list[str], str, str]]:
    """Return folders that have limits, and their files' names, by the text of /proc/self/cgroup.

    In a container the path may be the host's, which isn't there; the root that is there is then the
    container's own group.
    """
    found = []
    for line in told.splitlines():
        _, _, named = line.partition(":")
        kinds, _, path = named.partition(":")
        if kinds == "" and path:
            roots, names = [_GROUPS, f"{_GROUPS}/unified"], _V2
        elif "memory" in kinds.split(","):
            roots, names = [f"{_GROUPS}/memory"], _V1
        else:
            continue
        parts = [part for part in path.split("/") if part and part != ".."]
        for root in roots:
            for n in range(len(parts), -1, -1):
                folder = "/".join([root, *parts[:n]])
                if os.path.exists(f"{folder}/{names[0][0]}"):
                    found.append((folder, *names))
    return found


def _in_limits() -> Iterator[int]:
    """Yield what is left of limits on address space and on data, as `ulimit` sets them."""
    if resource is None:
        return
    for limit, field in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        most = resource.getrlimit(limit)[0]
        if 0 <= most < _NONE:  # none is -1, or 2**64 - 1
            yield most - _mapped(field)


def _mapped(field: int) -> int:
    """Return bytes of this process: 0, mapped; 1, resident; 5, of data."""
    pages = _text(f"{_PROC}/self/statm").split()
    return int(pages[field]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _in_worker() -> Iterator[int]:
    """Yield what is left to a thread of the Dask worker whose task this is."""
    module = sys.modules.get("distributed.worker")
    if module is None:
        return
    try:
        worker = module.get_worker()
    except ValueError:  # in no task
        return
    most = worker.memory_manager.memory_limit
    if most is not None:
        yield (int(most) - _mapped(1)) // max(1, worker.state.nthreads)
