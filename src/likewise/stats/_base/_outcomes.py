"""Results of tests, which unpack as a statistic and a p-value, and confidence intervals."""

import dataclasses
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

__all__ = ["ConfidenceInterval", "Unpacked"]


class ConfidenceInterval(NamedTuple):
    """Hold the bounds of a confidence interval."""

    low: Any
    high: Any


class Unpacked:
    """Unpack as the first fields of a dataclass, as SciPy's results do.

    A class with `likewise.solving._result.result` and this base is a tree of arrays: transforms
    return it, and everything that a method needs is a field.
    """

    UNPACKED: ClassVar[int] = 2

    def _first(self) -> tuple[Any, ...]:
        names = [f.name for f in dataclasses.fields(self)]  # type: ignore[arg-type]
        return tuple(getattr(self, name) for name in names[: self.UNPACKED])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._first())

    def __len__(self) -> int:
        return self.UNPACKED

    def __getitem__(self, i: Any) -> Any:
        return self._first()[i]

    def __repr__(self) -> str:
        names = [f.name for f in dataclasses.fields(self) if f.repr]  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"
