"""The table of iterations that ``verbose=2`` prints for one problem with values."""

import sys
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace
from ...solving._callback import Callback
from ...solving._driver import Method

__all__ = ["Table"]

_HEAD = ("Iteration", "Total nfev", "Cost", "Cost reduction", "Step norm", "Optimality")


def _nothing(x: Any) -> None:
    """In place of a callback."""


def _print(*cells: str) -> None:
    sys.stdout.write("".join(f"{cell:^15}" for cell in cells) + "\n")


class Table(Callback):
    """Print a line for each step, with SciPy's columns, and call the caller's callback."""

    def __init__(self, callback: Callable[..., Any] | None) -> None:
        super().__init__("least_squares", _nothing if callback is None else callback)
        self.before: tuple[Any, float] | None = None

    def told(
        self,
        method: Method,
        fields: Callable[[Any], dict[str, Any]],
        moved: Callable[[Any, Any], bool] = lambda before, after: True,
    ) -> Method:
        """Return the method, which also prints a line before the first step."""
        inner = super().told(method, fields, moved)

        def step(problems: Any, state: Any) -> Any:
            if self.before is None:
                _print(*_HEAD)
                self._line(fields(state))
            return inner.step(problems, state)

        return inner._replace(step=step)

    def _tell(self, fields: dict[str, Any]) -> None:
        super()._tell(fields)
        self._line(fields)

    def _line(self, fields: dict[str, Any]) -> None:
        x = fields["x"]
        xp = array_namespace(x)
        cost, level = (float(fields[name]) for name in ("cost", "optimality"))
        cells = ["", ""]
        if self.before is not None:
            length = xp.sqrt(xp.sum((x - self.before[0]) ** 2))
            length = float(length)  # likewise: ignore[LW203]: values are at hand
            if length > 0:
                cells = [f"{self.before[1] - cost:.2e}", f"{length:.2e}"]
        number, calls = str(self.steps), str(int(fields["nfev"]))
        _print(number, calls, f"{cost:.4e}", *cells, f"{level:.2e}")
        self.before = x, cost
