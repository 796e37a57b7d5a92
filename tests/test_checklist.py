"""A public function's checklist: one message says what is missing, and where to put it."""

import functools
import importlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from likewise import _capabilities, _providers
from likewise.testing._cases import CASES

from .capabilities.listed import WITHOUT, functions
from .capabilities.test_derivatives import FOUND
from .test_docs import of_ci
from .test_rooms import LAZY
from .test_surface import OF_NUMBERS, PACKAGES, ROWS

ROOT = Path(__file__).parents[1]
MADE = "run ci/made"
CASE = (
    "enter its calls in src/likewise/testing/_cases.py, with reference=; if one case is not enough, "
    "write more in tests/capabilities/cases_*.py"
)
POINTS = f"enter its value in mpmath and its points in ci/special/points/, and {MADE}"
# Functions whose fragment names their family.
NOTED = {
    "fft": """fftn hfft ifftn ifftshift ihfft irfft rfft""",
    "missing": """histogram2d nan_to_num nanargmin nancumsum nanmax nanmean nanmedian nanmin nanprod
        nanquantile nanstd nanvar segment_max segment_mean segment_min segment_sum""",
    "random": """bernoulli exponential fold_in gumbel laplace permutation poisson split""",
    "signal": """bilinear buttord cheb1ord cheb2ord ellipord kaiser_atten kaiser_beta kaiserord lp2bp
        lp2bs lp2hp lp2hp_zpk lp2lp sos2tf sosfreqz ss2tf tf2ss zpk2sos zpk2ss
        zpk2tf""",
    "signal.windows": """barthann bartlett blackman blackmanharris bohman boxcar chebwin dpss exponential
        flattop general_cosine general_gaussian general_hamming hann kaiser
        kaiser_bessel_derived lanczos nuttall parzen taylor triang tukey""",
    "spatial.distance": """braycurtis canberra chebyshev cityblock euclidean mahalanobis minkowski
        rogerstanimoto russellrao seuclidean sokalsneath sqeuclidean yule""",
}


@functools.cache
def texts(pattern: str) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(ROOT.glob(pattern)))


def word(short: str, pattern: str) -> bool:
    return bool(re.search(rf"\b{short}\b", texts(pattern)))


def missing(name: str) -> Iterator[str]:
    """List what a function lacks, and what to do about it."""
    room, _, short = name.rpartition(".")
    folder = room.replace(".", "/")
    whole = room.partition(".")[0] if room.startswith(("signal.", "stats.")) else room
    page = f"docs/reference/{whole.replace('.', '_')}.md"
    if short not in importlib.import_module(f"likewise.{room}").__all__:
        yield f"its name: import it in src/likewise/{folder}/__init__.py, and {MADE}"
    if not re.search(rf"^\.\. auto\w+:: (?:\w+\.)*{short}$", texts(page), re.MULTILINE):
        yield f"an entry in {page}: {MADE}"
    if not FOUND.get(name) and name not in WITHOUT:
        found = POINTS if room == "special" else CASE
        yield f"a case, for the table of what runs where and its derivatives: {found}"
    if not served(room, short):
        yield f"calls for providers, and for the parity of its rows: {CASE}"
    if room in PACKAGES and short not in OF_NUMBERS and name not in dict(ROWS):
        yield f"a test of its values that takes `xp` or `lib`: write it in tests/{folder}/, and {MADE}"
    if name not in _capabilities.table().functions:
        yield f"its line in the table of what runs where: {MADE}"
    if scipys(room, short) and not word(short, "README.md"):
        yield f"its place in README's table: {MADE}"
    if short not in NOTED.get(room, "").split() and not word(short, "docs/changes/*.md"):
        yield "a change note: write docs/changes/NUMBER-TITLE.md"


def served(room: str, short: str) -> bool:
    """Tell whether there are calls of a function, if it is one that providers can serve."""
    if room == "special" or f"likewise.{room}:{short}" in CASES:
        return True
    return short in importlib.import_module(f"likewise.{room}").__all__ and (
        room not in _providers._ROOMS or short not in _providers.nameable(room)
    )


def scipys(room: str, short: str) -> bool:
    """Tell whether README's table is to have a function."""
    module = room if room in ("linalg", "optimize", "signal", "special") else "spatial.distance"
    table = readme_table()
    there = room in table.ROOMS and hasattr(importlib.import_module(f"scipy.{module}"), short)
    return there and short not in table.OF_NUMBERS


@functools.cache
def readme_table() -> Any:
    return of_ci("readme_table")


def told(names: Iterable[str]) -> str:
    found = {name: list(missing(name)) for name in sorted(names)}
    return "\n".join(
        f"likewise.{name} lacks\n" + "\n".join(f"  - {line}" for line in lines)
        for name, lines in found.items()
        if lines
    )


def entered() -> Iterator[str]:
    """Names that a room imports for type checkers, and that nothing else knows yet."""
    for room, (block, *_) in LAZY.items():
        known = importlib.import_module(room).__all__
        for node in block.body if "._" not in room else ():
            names = [a.name for a in node.names] if getattr(node, "module", None) else []
            yield from (f"{room.removeprefix('likewise.')}.{n}" for n in names if n not in known)


def test_nothing_is_missing() -> None:
    found = told([*functions(), *entered()])
    assert not found, found


def test_all_that_is_missing_is_told_at_once() -> None:
    lines = told(["signal.no_such_filter"]).splitlines()
    assert lines[0] == "likewise.signal.no_such_filter lacks" and len(lines) == 8
    told_of = (
        "_cases.py __init__.py reference/signal.md tests/signal/ docs/changes/ ci/made".split()
    )
    assert all(any(place in line for line in lines) for place in told_of)
    assert "ci/special/points/" in told(["special.no_such_function"])


def test_the_table_of_files_is_right() -> None:
    """The files that docs/contributing.md names, written by hand or by a script, exist."""
    page = texts("docs/contributing.md")
    rows = re.findall(r"^\| (an? .*?) \| (.*) \| (.*) \|$", page, re.MULTILINE)
    hands = {to_add: re.findall(r"`(\S+)`", by_hand) for to_add, by_hand, _ in rows}
    assert [len(files) for files in hands.values()] == [5, 5, 2, 4]
    known = {"_FAMILY": "_gamma", "FAMILY": "gamma", "_FILE": "_detrend", "FILE": "detrend"}
    known |= {"NAME": "gamma", "LIBRARY": "torch"}
    for place in re.findall(r"`([\w./]+/[\w./]*)`", "".join(a + b for _, a, b in rows)):
        path = re.sub("_?[A-Z]{4,}", lambda m: known.get(m[0], m[0]), place)
        assert (ROOT / path).exists(), place
    said = {place for files in hands.values() for place in files}
    for name in ("signal.no_such_filter", "special.no_such_function"):
        for place in re.findall(r"\b(?:src|ci/special)/[\w./]+", told([name])):
            assert any(p.startswith(place) for p in said), place
