"""Results of solvers: arrays, a status for each problem, and words for it."""

import dataclasses
import sys
import warnings
from typing import Any, ClassVar, TypeVar, dataclass_transform

from ..._namespace import array_namespace, is_lazy, register_result
from ...errors import ConvergenceError, ConvergenceWarning

__all__ = ["Result", "insist", "result"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, eq_default=False)
def result(cls: type[T]) -> type[T]:
    """A frozen dataclass of arrays, which the libraries' own transforms see through."""
    made = dataclasses.dataclass(frozen=True, eq=False)(cls)
    register_result(made)
    return made


class Result:
    """The base of all results: they tell how their problems ended."""

    ADVICE: ClassVar[dict[int, str]] = {}
    """The meaning of each status, and what to do about it."""
    CONVERGED: ClassVar[tuple[int, ...]] = (0,)
    """The statuses that are good."""

    status: Any

    @property
    def success(self) -> Any:
        """True for each problem that has converged, an array of bool."""
        good = self.status == self.CONVERGED[0]
        for code in self.CONVERGED[1:]:
            good = good | (self.status == code)
        return good

    def advice(self) -> dict[int, tuple[int, str]]:
        """How many problems ended with each status, and what that means; reads the status."""
        xp = array_namespace(self.status)
        counts = {code: int(xp.count_nonzero(self.status == code)) for code in self.ADVICE}
        return {code: (n, self.ADVICE[code]) for code, n in counts.items() if n}

    def summary(self) -> str:
        """Counts of each status with advice, a line each, the most frequent first; reads them."""
        found = sorted(self.advice().items(), key=lambda item: -item[1][0])
        total = sum(n for _, (n, _) in found)
        good = sum(n for code, (n, _) in found if code in self.CONVERGED)
        width = len(str(total))
        head = f"{good} of {total} problems converged"
        lines = [f"  {n:>{width}}  status {code:>2}: {text}" for code, (n, text) in found]
        return "\n".join([head, *lines])


def insist(function: str, found: Result, values: str) -> None:
    """Say what did not converge, for a caller who gets arrays without their status.

    One problem is an error; of a batch one warning tells how many, and what `values` they have. An
    array that has no values yet (under jit, of Dask) is not looked at. Others are, once, on the
    device that has them: one number goes to the host, and more only where something failed.
    """
    if is_lazy(found.status):
        return
    xp = array_namespace(found.status)
    wrong = xp.reshape(~found.success, (-1,))
    count = int(xp.count_nonzero(wrong))  # likewise: ignore[LW203]: asked for without a status
    if not count:
        return
    worst = max((n, code) for code, (n, _) in found.advice().items() if code not in found.CONVERGED)
    why = found.ADVICE[worst[1]]
    if found.status.ndim == 0:
        raise ConvergenceError(
            f"{function}: no convergence, status {worst[1]}: {why}. full_output=True returns how "
            "far it came"
        )
    first = int(xp.argmax(xp.astype(wrong, xp.int8)))
    index = []
    for k in reversed(found.status.shape):
        first, i = divmod(first, int(k))
        index.append(i)
    place = tuple(reversed(index))
    often = "" if worst[0] == count else f"{worst[0]} times "
    warnings.warn(
        f"{function}: {count} of {wrong.shape[0]} problems did not converge, the first at "
        f"{place if len(place) > 1 else place[0]}: {often}status {worst[1]}, {why}. {values}; "
        "full_output=True returns the status of each, and summary() of that counts them",
        ConvergenceWarning,
        stacklevel=_level(),
    )


def _level() -> int:
    """How many frames up the call into this package was made."""
    package = __name__.partition(".")[0]
    level = 1
    frame: Any = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    return level
