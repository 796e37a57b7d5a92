"""One call of a public function for the table of what runs where: arguments, reference, options."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["REAL", "Case", "case"]

REAL = "of real numbers"


@dataclass(frozen=True)
class Case:
    """What `check_function` is given; the function itself, or a wrapper of it."""

    name: str  # without 'likewise.'
    func: Callable[..., Any] | None
    args: tuple[Any, ...]
    options: dict[str, Any]

    def __str__(self) -> str:
        given = self.options.get("kwargs") or {}
        words = [v for v in given.values() if isinstance(v, str)]
        return "-".join([self.name, *words])


def case(name: str, *args: Any, by: Callable[..., Any] | None = None, **options: Any) -> Case:
    """Return a case of a function, called `by` a wrapper if there is one.

    `options` are those of `check_function`; a `kwargs` goes to function and reference.
    """
    return Case(name, by, args, options)
