"""The distribution of -X, where that of X is a row."""

from typing import Any, ClassVar

from ._continuous import Continuous

__all__ = ["Mirrored"]


class Mirrored(Continuous):
    """A distribution whose negative is another row, `of`."""

    of: ClassVar[Continuous]

    def _support(self, xp: Any, *shapes: Any) -> Any:
        a, b = self.of._support(xp, *shapes)
        return -b, -a

    def _logpdf(self, x: Any, *shapes: Any) -> Any:
        return self.of._logpdf(-x, *shapes)

    def _pdf(self, x: Any, *shapes: Any) -> Any:
        return self.of._pdf(-x, *shapes)

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        return self.of._sf(-x, *shapes)

    def _sf(self, x: Any, *shapes: Any) -> Any:
        return self.of._cdf(-x, *shapes)

    def _logcdf(self, x: Any, *shapes: Any) -> Any:
        return self.of._logsf(-x, *shapes)

    def _logsf(self, x: Any, *shapes: Any) -> Any:
        return self.of._logcdf(-x, *shapes)

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        return -self.of._isf(q, *shapes)

    def _isf(self, q: Any, *shapes: Any) -> Any:
        return -self.of._ppf(q, *shapes)

    def _known(self, xp: Any, i: int, x: Any, shapes: Any) -> Any:
        found = self.of._known(xp, i, x, shapes)
        return found if i % 2 else -found

    def _entropy(self, xp: Any, x: Any, *shapes: Any) -> Any:
        return self.of._entropy(xp, x, *shapes)

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, *shapes: Any) -> Any:
        return -self.of._draw(xp, key, shape, dtype, *shapes)
