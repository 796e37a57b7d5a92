"""What a solver returns: arrays, a status for each problem, and words for it."""

import dataclasses
from typing import Any, ClassVar, TypeVar, dataclass_transform

from .._namespace import array_namespace, register_result

__all__ = ["Result", "result"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, eq_default=False)
def result(cls: type[T]) -> type[T]:
    """A frozen dataclass of arrays, which the libraries' own transforms see through."""
    made = dataclasses.dataclass(frozen=True, eq=False)(cls)
    register_result(made)
    return made


class Result:
    """What the results have in common: they tell how their problems ended."""

    ADVICE: ClassVar[dict[int, str]] = {}
    """What each status means, and what to do about it."""
    CONVERGED: ClassVar[tuple[int, ...]] = (0,)
    """The statuses that are good."""

    status: Any

    @property
    def success(self) -> Any:
        """Whether each problem has converged, bool."""
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
