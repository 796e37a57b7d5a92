"""The journal beside a store: which items are done, and for which function and inputs."""

import json
import os
import pickle
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ArgumentError
from ..interop import to_numpy
from ._fingerprint import digest, fingerprint, of_source
from ._sources import Source, file_of, is_stored, sliced
from ._targets import Target
from ._work import Part, Work

__all__ = ["Journal", "journal_of"]

_LOOKED_AT = 64  # ranges whose contents are compared before work goes on


class Journal:
    """Note what is done, in lines of JSON after a header that says of what.

    With each range are checksums of its first, middle and last results, read back from the store.
    A store that was made anew doesn't have them: then nothing of it is done. With a carry, a file
    beside the journal holds the last one.
    """

    def __init__(self, path: str, sample: Callable[[int], bytes], header: dict[str, Any]) -> None:
        self._path, self._sample, self._header = path, sample, header
        self.done: list[tuple[int, int]] = []
        self.bad: list[Part] = []
        self.carry: Any = None

    def open(self, resume: bool, carried: bool) -> None:
        """Read what is done, or begin anew."""
        lines = self._lines() if resume else []
        if lines:
            self._compare(lines[0])
        if lines and self._stands(lines[1:]):
            self.done = [tuple(line["items"]) for line in lines[1:]]
            self.bad = [Part(b[0], b[1], None, b[2]) for line in lines[1:] for b in line["bad"]]
            if carried:
                self._carried()
        if not self.done:
            self.bad = []
            with open(self._path, "w", encoding="utf-8") as file:
                file.write(json.dumps(self._header) + "\n")

    def _lines(self) -> list[dict[str, Any]]:
        try:
            with open(self._path, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            return []
        whole = text.rpartition("\n")[0].splitlines()  # the last line may have been cut off
        if text and not text.endswith("\n"):
            with open(self._path, "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in whole))
        return [json.loads(line) for line in whole]

    def _compare(self, found: dict[str, Any]) -> None:
        differing = [n for n in self._header if found.get(n) != self._header[n]]
        if differing:
            each = "; ".join(_difference(n, found.get(n), self._header[n]) for n in differing)
            raise ArgumentError(
                f"map_chunks: {self._path} is the journal of another call: {each}. resume=False "
                "starts over"
            )

    def _stands(self, lines: list[dict[str, Any]]) -> bool:
        """Tell if the store still has what was written."""
        step = max(1, len(lines) // _LOOKED_AT)
        known = False
        for line in lines[::step]:
            for place, check in line["sums"].items():
                found = self._sample(int(place))
                if zlib.crc32(found) != check:
                    return False
                known = known or any(found)
        return known

    def _carried(self) -> None:
        """Read the last state; items after it are computed again."""
        try:
            with open(self._path + ".carry", "rb") as file:
                stop, self.carry = pickle.load(file)
        except FileNotFoundError:
            stop = 0
        self.done = [(0, stop)] if stop else []

    def note(self, part: Part, place: tuple[int, int]) -> None:
        """Note that the results of some items are in the store."""
        first, last = place[0], place[1] - 1
        places = sorted({first, (first + last) // 2, last}) if first <= last else []
        sums = {str(i): zlib.crc32(self._sample(i)) for i in places}
        bad = [] if part.leaves is not None else [[part.start, part.stop, part.why]]
        line = {"items": [part.start, part.stop], "sums": sums, "bad": bad}
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self.bad += [part] if bad else []

    def keep(self, stop: int, carry: Any) -> None:
        """Keep the state after some items, in one step."""
        path = self._path + ".carry"
        with open(path + ".new", "wb") as file:
            pickle.dump((stop, carry), file)
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

    def sample(place: int) -> bytes:
        parts = [sliced(g.array, work.axis, place, place + 1) for g in goals]
        return b"".join(to_numpy(part).tobytes() for part in parts)

    journal = Journal(_path_of(goals), sample, header)
    journal.open(resume, work.carried)
    return journal


def _path_of(goals: Sequence[Target]) -> str:
    """Return the path of the journal, beside the first file."""
    x = goals[0].array
    inside = str(getattr(x, "name", None) or "").strip("/") if is_stored(x) else ""
    return ".".join([str(file_of(x)).rstrip("/"), *filter(None, inside.split("/")), "journal"])


def _difference(name: str, old: Any, new: Any) -> str:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [k for k in new if old.get(k) != new[k]]
        return ", ".join(f"{name} {k} was {old.get(k)}, is {new[k]}" for k in keys) or name
    return f"{name} was {old}, is {new}"
