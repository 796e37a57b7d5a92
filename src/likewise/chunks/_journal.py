"""The journal beside a store: which items are done, and for which function and inputs."""

import contextlib
import errno
import json
import os
import pickle
import threading
import warnings
import weakref
import zlib
from collections.abc import Sequence
from typing import Any

try:
    import fcntl
except ImportError:  # Windows has none: there, calls of one process are kept apart
    fcntl = None  # type: ignore[assignment]

from ..errors import ArgumentError, ChunkWarning, _level
from ..interop import to_numpy
from ._fingerprint import digest, fingerprint, of_source
from ._sources import Source, file_of, is_mapped, is_stored, offset, sliced
from ._targets import Target
from ._work import Part, Work

__all__ = ["Journal", "journal_of"]

_LOOKED_AT = 64  # ranges whose contents are compared before work goes on

_Line = tuple[tuple[int, int], list[tuple[int, int, bool]], list[Any]]  # items, sums, bad ones

_OPEN: weakref.WeakValueDictionary[str, "Journal"] = weakref.WeakValueDictionary()
_LOCK = threading.Lock()


class Journal:
    """Note what is done, in lines of JSON after a header that says of what.

    With each range is, for each store, the checksum of one item, read back: the last one that a
    new store would not have, as its results aren't all zero or the store's fill value. If such an
    item has changed, the store was made anew, and nothing is done. With a carry, a file beside the
    journal holds the last one, and which header and items it belongs to.
    """

    def __init__(
        self, path: str, goals: Sequence[Target], axis: int, header: dict[str, Any]
    ) -> None:
        self._path, self._axis = path, axis
        self._stores = [g.array for g in goals]
        self._blanks = [_blank(x) for x in self._stores]
        self._header = json.loads(json.dumps(header))
        self.done: list[tuple[int, int]] = []
        self.bad: list[Part] = []
        self.carry: Any = None

    def open(self, resume: bool, carried: bool) -> None:
        """Read what is done, or begin anew."""
        self._take()
        try:
            lines = self._read() if resume else []
            if lines and self._stands(lines):
                self.done = [(start, stop) for (start, stop), _, _ in lines]
                self.bad = [Part(b[0], b[1], None, b[2]) for *_, bad in lines for b in bad]
                if carried:
                    self._carried()
            if not self.done:
                self._begin()
            elif self._header["not seen"]:
                self._warn()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let other calls have the journal."""
        self._file.close()
        with _LOCK:
            if _OPEN.get(self._path) is self:
                del _OPEN[self._path]

    def _take(self) -> None:
        """Open the file, if no other call has it, here or in another process."""
        with _LOCK:
            free = self._path not in _OPEN
            if free:
                self._file = open(self._path, "ab+")  # noqa: SIM115
                free = _locked(self._file)
                if not free:
                    self._file.close()
            if not free:
                raise ArgumentError(
                    f"map_chunks: another call has the journal {self._path} open; two calls can't "
                    "write to one place at once"
                )
            _OPEN[self._path] = self

    def _warn(self) -> None:
        unseen = ", ".join(self._header["not seen"])
        text = (
            f"map_chunks: {self._path} tells what is done, and work goes on from there, but the "
            f"function refers to what can't be compared: {unseen}. If it has changed, resume=False "
            "starts over"
        )
        warnings.warn(text, ChunkWarning, stacklevel=_level())

    def _begin(self) -> None:
        self.bad = []
        with contextlib.suppress(FileNotFoundError):
            os.remove(self._path + ".carry")
        self._file.truncate(0)
        self._write(self._header)

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()

    def _read(self) -> list[_Line]:
        """Return the lines, without those that are damaged."""
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]  # the last line may have been cut off
        self._file.truncate(len(whole))
        lines = whole.decode(errors="replace").splitlines()
        if not lines:
            return []
        try:
            header = dict(json.loads(lines[0]))
        except (TypeError, ValueError):
            raise ArgumentError(
                f"map_chunks: the first line of {self._path} is damaged, so it can't be known what "
                "is done. resume=False starts over"
            ) from None
        self._compare(header)
        return [line for line in map(_parsed, lines[1:]) if line is not None]

    def _compare(self, found: dict[str, Any]) -> None:
        differing = [n for n in self._header if found.get(n) != self._header[n]]
        if differing:
            each = "; ".join(_difference(n, found.get(n), self._header[n]) for n in differing)
            raise ArgumentError(
                f"map_chunks: {self._path} is the journal of another call: {each}. resume=False "
                "starts over"
            )

    def _stands(self, lines: list[_Line]) -> bool:
        """Tell if the stores still have what was written."""
        for i in range(len(self._stores)):
            sums = [sums[i] for _, sums, _ in lines if i < len(sums)]
            sums = [s for s in sums if s[2]] or sums
            step = max(1, len(sums) // _LOOKED_AT)
            if any(self._sum(i, place)[0] != check for place, check, _ in sums[::step]):
                return False
        return True

    def _sum(self, i: int, place: int) -> tuple[int, bool]:
        """Return the checksum of an item of a store, and whether a new store differs."""
        found = to_numpy(sliced(self._stores[i], self._axis, place, place + 1))
        return zlib.crc32(found.tobytes()), bool(_told(found, self._blanks[i]).any())

    def _carried(self) -> None:
        """Read the last state; items after it are computed again."""
        stop = 0
        with contextlib.suppress(FileNotFoundError, EOFError, pickle.UnpicklingError):
            with open(self._path + ".carry", "rb") as file:
                header, found, carry = pickle.load(file)
            if header == self._header:
                stop, self.carry = found, carry
        self.done = [(0, stop)] if stop else []

    def note(self, part: Part, place: tuple[int, int], leaves: Sequence[Any]) -> None:
        """Note that the results of some items are in the store."""
        sums = []
        for i, leaf in enumerate(leaves if place[0] < place[1] else ()):
            at = place[1] - 1
            check, tells = self._sum(i, at)
            if not tells:
                at = place[0] + _last(leaf, self._axis, self._blanks[i])
                check, tells = self._sum(i, at)
            sums.append((at, check, tells))
        bad = [] if part.leaves is not None else [[part.start, part.stop, part.why]]
        self._write({"items": [part.start, part.stop], "sums": sums, "bad": bad})
        self.bad += [part] if bad else []

    def keep(self, stop: int, carry: Any) -> None:
        """Keep the state after some items, in one step, before these are noted."""
        path = self._path + ".carry"
        with open(path + ".new", "wb") as file:
            pickle.dump((self._header, stop, carry), file)
        os.replace(path + ".new", path)

    def missing(self, length: int) -> list[tuple[int, int]]:
        """Return the ranges that are not done, in order."""
        found, at = [], 0
        for start, stop in sorted(self.done):
            if start > at:
                found.append((at, start))
            at = max(at, stop)
        return [*found, (at, length)] if at < length else found


def journal_of(
    work: Work, sources: Sequence[Source], goals: Sequence[Target], carry: Any, resume: bool
) -> Journal | None:
    """Return the open journal of a call; None if its results don't all lie in files."""
    files = [file_of(g.array) for g in goals]
    if not files or None in files:
        return None
    beside = {str(f) for f in files}
    function, unseen = fingerprint(work.fun)
    header = {
        "journal": "likewise.map_chunks 1",
        "function": function,
        "parameters": {
            "axis": work.axis,
            "overlap": [work.before, work.after],
            "length_ratio": str(work.ratio),
            "on_error": "nan" if work.filling else "raise",
            "carry": digest(carry),
        },
        "out": [{"shape": list(g.array.shape), "dtype": str(g.array.dtype)} for g in goals],
        **{f"array {i}": of_source(s, beside) for i, s in enumerate(sources)},
        "not seen": unseen,
    }

    journal = Journal(_path_of(goals), goals, work.axis, header)
    journal.open(resume, work.carried)
    return journal


def _path_of(goals: Sequence[Target]) -> str:
    """Return the path of the journal, beside the first file."""
    x = goals[0].array
    path = str(file_of(x)).rstrip("/")
    inside = str(getattr(x, "name", None) or "").strip("/").split("/") if is_stored(x) else []
    if is_mapped(x) and (offset(x) or x.nbytes != os.path.getsize(path)):
        inside = [str(offset(x))]  # of a part of a file
    return os.path.realpath(".".join([path, *filter(None, inside), "journal"]))


def _locked(file: Any) -> bool:
    """Lock a file, if no other process has locked it; it stays locked until it is closed."""
    try:
        if fcntl is not None:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:  # others mean that this system of files has no locks
        return error.errno not in (errno.EACCES, errno.EAGAIN)
    return True


def _parsed(text: str) -> _Line | None:
    """Return what a line says; None of a damaged one."""
    try:
        line = json.loads(text)
        (start, stop), bad = (
            map(int, line["items"]),
            [(int(a), int(b), w) for a, b, w in line["bad"]],
        )
        return (start, stop), [(int(i), int(n), bool(t)) for i, n, t in line["sums"]], bad
    except (KeyError, TypeError, ValueError):
        return None


def _blank(x: Any) -> Any:
    """Return what a new store has everywhere."""
    found = getattr(x, "fillvalue", getattr(x, "fill_value", None)) if is_stored(x) else None
    return 0 if found is None else found


def _told(x: Any, blank: Any) -> Any:
    """Return where an array differs from a new store; NaN is equal to NaN."""
    return x == x if blank != blank else x != blank


def _last(leaf: Any, axis: int, blank: Any) -> int:
    """Return the last item that a new store doesn't have, if there is one."""
    count = int(leaf.shape[axis])
    told = _told(to_numpy(leaf), blank)
    found = told.any(axis=tuple(i for i in range(told.ndim) if i != axis % told.ndim)).nonzero()[0]
    return int(found[-1]) if found.size else count - 1


def _difference(name: str, old: Any, new: Any) -> str:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [k for k in new if old.get(k) != new[k]]
        return ", ".join(f"{name} {k} was {old.get(k)}, is {new[k]}" for k in keys) or name
    return f"{name} was {old}, is {new}"
