"""The demonstration on each library: the same code on the library's own arrays."""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._default import KNOWN
from .._info import devices
from .._namespace import array_namespace, device, load
from ..errors import LibraryNotInstalled, LikewiseError, NotSupported
from ..interop import asarray, to_numpy
from ..optimize import curve_fit
from . import nist

__all__ = ["ORDER", "Fit", "Results", "Row", "digits", "run", "spectrum"]

ORDER = tuple(sorted(KNOWN, key=lambda name: not KNOWN[name].host))  # hosts first
MOST = 11.0  # digits of the certified values
YEAR, WITHIN = 12.0, 0.3  # months
PADDING = 8


@dataclass(frozen=True)
class Fit:
    """Hold one regression from both starts.

    Attributes
    ----------
    popt : tuple of tuple of float
        Parameters from the far and from the near start, (2, p).
    digits : tuple of float
        Correct digits of each fit.
    """

    popt: tuple[tuple[float, ...], ...]
    digits: tuple[float, ...]


@dataclass
class Row:
    """Collect the results of one library during the run.

    Attributes
    ----------
    library, version : str
        Name and version.
    type_in, type_out : str
        Class and dtype of the arrays; if one differs, of the first that does.
    device : str
        The device of the arrays.
    fits : dict of str to Fit
        By name of the data set.
    power : tuple of float
        Power spectrum of the ENSO pressures, at frequencies of k / (2 (len - 1)) a month.
    period : float or None
        Its strongest line, in months.
    seconds : float
        The total time, including compilation and transfers.
    complaints : list of str
        Types or devices that changed, a wrong period, an error that ended the run.
    """

    library: str
    version: str = ""
    type_in: str = ""
    type_out: str = ""
    device: str = ""
    fits: dict[str, Fit] = field(default_factory=dict)
    power: tuple[float, ...] = ()
    period: float | None = None
    seconds: float = 0.0
    complaints: list[str] = field(default_factory=list)

    @property
    def digits(self) -> list[float]:
        """Return the correct digits of every fit so far."""
        return [d for fit in self.fits.values() for d in fit.digits]

    def reaching(self, least: float) -> int:
        """Return how many fits have at least this many correct digits."""
        return sum(d >= least for d in self.digits)

    @property
    def median(self) -> float | None:
        """Return the median number of digits, None before the first fit."""
        return statistics.median(self.digits) if self.fits else None


@dataclass
class Results:
    """Hold the results of the run.

    Attributes
    ----------
    rows : list of Row
        One per library, in the requested order; the last is incomplete if `interrupted`.
    skipped : dict of str to str
        Installed libraries that can't run here, with the reason.
    interrupted : bool
        Whether Ctrl-C ended it.
    """

    rows: list[Row] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def complaints(self) -> list[str]:
        """Return all complaints, with the library's name."""
        return [f"{row.library}: {text}" for row in self.rows for text in row.complaints]


def run(
    libraries: Sequence[str] | None = None,
    progress: Callable[[int, int, str], object] | None = None,
) -> Results:
    """Fit NIST's 27 certified regressions from both starts and find the year in ENSO's pressures.

    Parameters
    ----------
    libraries : sequence of str, optional
        Which libraries, in which order. Default: all that are installed.
    progress : callable, optional
        ``progress(done, total, text)``.

    Returns
    -------
    Results
        One row per library. After Ctrl-C, the results so far are returned.

    Raises
    ------
    LibraryNotInstalled
        If a named library isn't installed.
    NotSupported
        If a named library has no device or no float64 here.

    Notes
    -----
    Everything is float64; `curve_fit` uses its defaults and takes the two starts as a batch. For
    JAX set the environment variable ``JAX_ENABLE_X64=1`` before its first array, as
    ``likewise demo`` does.

    Examples
    --------
    >>> from likewise.demo import run
    >>> row, = run(["numpy"]).rows
    >>> row.reaching(4), round(row.period), row.type_out
    (54, 12, 'ndarray float64')
    """
    problems = nist.load()
    results = Results()
    for name in ORDER if libraries is None else libraries:
        try:
            _usable(name)
        except LikewiseError as error:
            if libraries is not None:
                raise
            if not isinstance(error, LibraryNotInstalled):
                results.skipped[name] = str(error)
        else:
            results.rows.append(Row(name))
    steps = len(problems) + 1
    total = steps * len(results.rows)
    try:
        for i, row in enumerate(results.rows):

            def tell(done: int, text: str, i: int = i, row: Row = row) -> None:
                if progress is not None:
                    progress(i * steps + done, total, f"{row.library} {text}".rstrip())

            _work(row, problems, tell)
    except KeyboardInterrupt:
        results.interrupted = True
        results.rows = [row for row in results.rows if row.fits]
    return results


def _usable(name: str) -> None:
    found = load(name)
    try:
        there = devices(name)
    except Exception as error:  # no driver, or one too old: each library says it in its own way
        raise NotSupported(f"{name} has no usable device here: {error}") from error
    if not there:
        raise NotSupported(f"{name} has no usable device here")
    if not found.facts()["float64"]:
        raise NotSupported(
            f"{name} has no float64 here, and the certified values have 11 digits; for JAX set "
            "JAX_ENABLE_X64=1"
        )


def _work(row: Row, problems: list[nist.Dataset], tell: Callable[[int, str], None]) -> None:
    row.version = load(row.library).version()
    start = time.perf_counter()
    try:
        for done, problem in enumerate(problems):
            tell(done, problem.name)
            _regress(row, problem)
            row.seconds = time.perf_counter() - start
        tell(len(problems), "spectrum")
        _analyse(row, next(p for p in problems if p.name == "ENSO"))
    except Exception as error:  # one library that fails shall not hide the others
        row.complaints.append(f"{type(error).__name__}: {error}")
    row.seconds = time.perf_counter() - start
    tell(len(problems) + 1, "")


def _regress(row: Row, problem: nist.Dataset) -> None:
    x, y, p0 = (
        asarray(values, namespace=row.library, dtype="float64")
        for values in (problem.x, problem.y, problem.starts)
    )
    result = curve_fit(problem.fun, x, y, p0=p0, full_output=True)
    for name in ("popt", "pcov", "rss"):
        _check(row, f"{problem.name}: {name}", y, getattr(result, name))
    popt = tuple(tuple(float(v) for v in found) for found in to_numpy(result.popt))
    row.fits[problem.name] = Fit(popt, tuple(digits(p, problem.certified) for p in popt))


def _analyse(row: Row, enso: nist.Dataset) -> None:
    y = asarray(enso.y, namespace=row.library, dtype="float64")
    power = spectrum(y)
    _check(row, "spectrum", y, power)
    row.power = tuple(float(v) for v in to_numpy(power))
    row.period = strongest(row.power)
    if not abs(row.period - YEAR) <= WITHIN:
        row.complaints.append(
            f"the strongest line of ENSO was found at {row.period:.2f} months, not at {YEAR:g}"
        )


def _check(row: Row, what: str, given: Any, came: Any) -> None:
    """Note in the row what is in, what is out, and whether it is still the same."""
    row.type_in, row.device = row.type_in or _type(given), row.device or _where(row.library, given)
    row.type_out = row.type_out or _type(came)
    if type(came) is not type(given) or came.dtype != given.dtype:
        row.type_out = _type(came)
        row.complaints.append(f"{what} is {_type(came)}, but {_type(given)} went in")
    elif device(came) != device(given):
        where = _where(row.library, came)
        row.complaints.append(f"{what} is on {where}, but {_where(row.library, given)} went in")


def _type(x: Any) -> str:
    return f"{type(x).__name__} {str(x.dtype).rpartition('.')[2]}"


def _where(name: str, x: Any) -> str:
    found = [d for d in devices(name) if d.device == device(x)]
    if not found:
        return str(device(x))
    return found[0].kind if found[0].kind == "cpu" else f"{found[0].kind} {found[0].name}"


def digits(found: Sequence[float], certified: Sequence[float]) -> float:
    """Return the correct digits of the worst parameter, from 0 to 11."""
    if not all(math.isfinite(v) for v in found):
        return 0.0
    worst = max(abs(v - c) / abs(c) for v, c in zip(found, certified, strict=True))
    return MOST if worst == 0 else min(MOST, max(0.0, -math.log10(worst)))


def spectrum(y: Any) -> Any:
    """Return the power spectrum of equally spaced values, (n,), with a Hann taper.

    The mean is removed. The taper reduces leakage; zero padding to 8 n refines the frequencies.
    """
    xp = array_namespace(y)
    n = y.shape[0]
    turn = 2 * math.pi / n * xp.arange(n, dtype=y.dtype, device=device(y))
    tapered = (y - xp.mean(y)) * (0.5 - 0.5 * xp.cos(turn))
    return xp.abs(xp.fft.rfft(tapered, n=PADDING * n)) ** 2


def strongest(power: Sequence[float]) -> float:
    """Return the period of a spectrum's highest peak, by a parabola through logarithms."""
    k = max(range(1, len(power) - 1), key=power.__getitem__)
    if not all(0 < p < math.inf for p in power[k - 1 : k + 2]):
        return math.nan
    left, top, right = (math.log(p) for p in power[k - 1 : k + 2])
    bend = left - 2 * top + right
    shift = 0.5 * (left - right) / bend if bend else 0.0
    return 2 * (len(power) - 1) / (k + shift)
