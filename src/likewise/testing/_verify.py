"""Comparison of a provider's routines with the generic bodies, for `likewise verify`."""

import contextlib
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _native, _providers
from .._namespace import installed, is_neutral, load
from .._providers import Entry
from ..errors import ArgumentError, NativeUnavailable, ProviderError
from ..interop import asarray, to_numpy
from ..transforms._tree import leaves as _leaves
from ..transforms._tree import map_leaves
from ._cases import DTYPES, calls
from ._compare import dtype_name, tolerance

__all__ = ["Verdict", "Verification", "verify"]


@dataclass
class Verdict:
    """Hold the comparison of a provider's routine with the generic body.

    Attributes
    ----------
    function, library, routine : str
        The compared function, its library and the routine.
    ran, declined : int
        The number of calls that the provider served, and that it declined.
    reasons : list of str
        Why it declined, each reason once.
    error : float
        The worst error, relative to the largest element of a result with the right dtype and shape.
    failures : list of str
        The differences, or a note that there is no case.
    not_run : str
        Why nothing ran: the library isn't installed.
    """

    function: str
    library: str
    routine: str
    ran: int = 0
    declined: int = 0
    reasons: list[str] = field(default_factory=list)
    error: float = 0.0
    failures: list[str] = field(default_factory=list)
    not_run: str = ""

    @property
    def state(self) -> str:
        """Return 'ok', 'FAILED' or 'not run'."""
        return "not run" if self.not_run else "FAILED" if self.failures else "ok"

    @property
    def worst(self) -> str:
        """Return `error` as text; '-' if there were no values to compare."""
        return f"{self.error:.1e}" if self.error or self.state == "ok" else "-"


@dataclass(frozen=True)
class Verification:
    """Hold the results of `verify`, printed as a table.

    Attributes
    ----------
    provider : str
        The provider's name.
    verdicts : list of Verdict
        One per function and library, in the order of the provider's file.
    """

    provider: str
    verdicts: list[Verdict]

    @property
    def ok(self) -> bool:
        """Tell whether nothing failed and something ran."""
        states = [v.state for v in self.verdicts]
        return "FAILED" not in states and "ok" in states

    def __str__(self) -> str:
        head = ("function", "library", "state", "ran", "declined", "worst error")
        rows = [
            (v.function, v.library, v.state, str(v.ran), str(v.declined), v.worst)
            for v in self.verdicts
        ]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [
            "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
            for row in (head, *rows)
        ]
        for v in self.verdicts:
            where = f"{v.function} on {v.library}"
            lines += [f"{where}: {failure}" for failure in v.failures]
            lines += [f"{where}: not run: {v.not_run}"] if v.not_run else []
            lines += [f"{where}: declined: {reason}" for reason in v.reasons]
        return "\n".join(lines)


_SHOWN = 5  # failures, and reasons, of a routine


def verify(provider: str) -> Verification:
    """Compare each routine of a provider with the generic body of the function that it replaces.

    Parameters
    ----------
    provider : str
        The name to use in `likewise.prefer`.

    Returns
    -------
    Verification
        Has ``ok``, and prints as a table.

    Raises
    ------
    ArgumentError
        If no such provider is installed.
    ProviderError
        If its file is wrong.

    Notes
    -----
    For each function and library, `verify` makes small and large calls in float64, float32,
    complex128, complex64 and int64, or the calls that another library declares with
    `likewise.public`. The library, dtype, shape, device and values of the results must be those of
    the generic body, to three quarters of the dtype's digits relative to the largest element, and
    the inputs must not change. Calls that the provider declines are not compared; a routine that
    declines all calls fails, as does a function without a case.

    Examples
    --------
    >>> from likewise.testing import verify
    >>> verify("nobody")
    Traceback (most recent call last):
        ...
    likewise.errors.ArgumentError: verify: no provider 'nobody' is installed; there are none
    """
    found = _providers.found()
    if provider not in found:
        raise ArgumentError(
            f"verify: no provider {provider!r} is installed; there are "
            f"{', '.join(map(repr, found)) or 'none'}"
        )
    chosen = found[provider]
    if isinstance(chosen, ProviderError):
        raise ProviderError(f"verify: the provider {provider!r} can't be used. {chosen}")
    return Verification(provider, [_verdict(entry) for entry in chosen.entries])


def _verdict(entry: Entry) -> Verdict:
    verdict = Verdict(entry.name, entry.library, entry.path)
    if not installed(entry.library):
        verdict.not_run = f"{entry.library} is not installed"
        return verdict
    if lacking := _providers.absent(entry.name):
        verdict.not_run = f"{lacking} is not installed"
        return verdict
    func = _providers.naming(entry.file, entry.name)
    library, tried = load(entry.library), 0
    for dtype in DTYPES:
        wide = library.variant(True) if entry.library == "jax" else contextlib.nullcontext()
        with wide, np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for args, kwargs in calls(entry.name, dtype, func):
                tried += _one(entry, func, verdict, args, kwargs)
    if not tried:
        owner = _providers.owner(entry.name)
        verdict.failures.append(f"{owner} has no case for it, so nothing was compared")
    elif not verdict.ran and not verdict.failures:
        verdict.failures.append("it declined every call, so nothing was compared")
    return verdict


def _one(entry: Entry, func: Any, verdict: Verdict, args: Any, kwargs: Any) -> bool:
    """Compare one call; False if the function itself refuses it."""
    args, kwargs = _made(entry.library, (args, kwargs))
    try:
        expected = func.generic(*args, **kwargs)
    except Exception:  # of our own body: not a call for this dtype or library
        return False
    before = [to_numpy(x).copy() for x in _leaves((args, kwargs)) if hasattr(x, "shape")]
    said = _said(entry, args, kwargs)
    try:
        with _native.prefer(force=entry.provider), _native.trace_native() as log:
            got = func(*args, **kwargs)
    except ProviderError as error:
        _fail(verdict, str(error))
        return True
    except NativeUnavailable as error:
        verdict.declined += 1
        reason = str(error).rpartition("here: ")[2]
        if reason not in verdict.reasons and len(verdict.reasons) < _SHOWN:
            verdict.reasons.append(reason)
        return True
    except Exception as error:  # whatever the provider raises is a failure of its
        _fail(verdict, f"{said} raised {type(error).__name__}: {error}")
        return True
    if not any(ran.routine == entry.label for ran in log):
        return True  # the checks alone make the result: of empty arrays, say
    verdict.ran += 1
    _compared(verdict, said, got, expected)
    after = [to_numpy(x) for x in _leaves((args, kwargs)) if hasattr(x, "shape")]
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(before, after, strict=True)):
        _fail(verdict, f"{said} changed its arguments")
    return True


def _compared(verdict: Verdict, said: str, got: Any, expected: Any) -> None:
    a, b = list(_leaves(got)), list(_leaves(expected))
    nested = isinstance(got, tuple | list) or isinstance(expected, tuple | list)
    if (nested and type(got) is not type(expected)) or len(a) != len(b):
        _fail(verdict, f"{said} returned {type(got).__name__}, expected {type(expected).__name__}")
        return
    for x, y in zip(a, b, strict=True):
        if not hasattr(y, "dtype"):
            if x != y:
                _fail(verdict, f"{said} returned {x!r}, expected {y!r}")
            continue
        scalar = is_neutral(x) and hasattr(x, "dtype")  # NumPy's, where there are no dimensions
        if (
            not (scalar or type(x) is type(y))
            or x.dtype != y.dtype
            or tuple(x.shape) != tuple(y.shape)
        ):
            _fail(verdict, f"{said} returned {_told(x)}, expected {_told(y)}")
            continue
        error = _error(to_numpy(x), to_numpy(y))
        verdict.error = max(verdict.error, error)
        if not error <= tolerance(x.dtype):
            _fail(verdict, f"{said} is off by {error:.1e} of the largest entry")


def _error(got: Any, expected: Any) -> float:
    """Return the worst difference relative to the largest entry, or 1; infinite for other NaN."""
    if got.dtype.kind not in "fc":
        return 0.0 if np.array_equal(got, expected) else float("inf")
    ordinary = np.isfinite(expected)
    if not np.array_equal(got[~ordinary], expected[~ordinary], equal_nan=True):
        return float("inf")
    if not ordinary.any():
        return 0.0
    if not np.isfinite(got[ordinary]).all():
        return float("inf")
    worst = float(np.max(np.abs(got[ordinary] - expected[ordinary])))
    return worst / max(1.0, float(np.max(np.abs(expected[ordinary]))))


def _fail(verdict: Verdict, text: str) -> None:
    if len(verdict.failures) < _SHOWN:
        verdict.failures.append(text)


def _made(library: str, nested: Any) -> Any:
    return map_leaves(
        lambda x: asarray(x, namespace=library) if isinstance(x, np.ndarray) else x, nested
    )


def _told(x: Any) -> str:
    if not hasattr(x, "dtype"):
        return type(x).__name__
    return f"{type(x).__name__} of {dtype_name(x.dtype)}, shape {tuple(x.shape)}"


def _said(entry: Entry, args: Any, kwargs: Any) -> str:
    """'fftconvolve(float64 (9,), float64 (4,), 'full')'."""

    def word(x: Any) -> str:
        if hasattr(x, "shape"):
            return f"{dtype_name(x.dtype)} {tuple(x.shape)}"
        if isinstance(x, tuple):
            return f"({', '.join(map(word, x))})"
        return repr(x)

    given = [*map(word, args), *(f"{k}={word(v)}" for k, v in kwargs.items())]
    return f"{entry.name.partition(':')[2]}({', '.join(given)})"
