"""Parameters of distributions: names, domains, and how a call gives them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..._namespace import array_namespace

__all__ = ["LOC", "SCALE", "Parameter", "domain", "read"]


class Parameter(NamedTuple):
    """Name a parameter with its domain, an interval, open where it isn't said to be closed.

    A closed end may be infinite. `default` is a value that changes nothing, of loc and scale.
    """

    name: str
    low: float = -math.inf
    high: float = math.inf
    closed: tuple[bool, bool] = (False, False)
    integer: bool = False
    default: float | None = None

    def holds(self, value: float) -> bool:
        """Tell if a number is in the domain."""
        low, high = self.closed
        return bool(
            (value > self.low or (low and value == self.low))
            and (value < self.high or (high and value == self.high))
            and (not self.integer or value == math.floor(value))
        )

    def middle(self) -> float:
        """Return a number in the domain."""
        if math.isinf(self.low):
            found = 0.5 if math.isinf(self.high) else self.high - 1.0
        else:
            found = self.low + 1.0 if math.isinf(self.high) else 0.5 * (self.low + self.high)
        return math.floor(found) if self.integer else found

    def inside(self, value: Any) -> Any:
        """Tell which elements of an array are in the domain."""
        xp = array_namespace(value)
        low, high = self.closed
        found = value >= self.low if low else value > self.low
        if not (high and self.high == math.inf):
            found = found & (value <= self.high if high else value < self.high)
        return found & (xp.floor(value) == value) if self.integer else found


LOC = Parameter("loc", default=0.0)
SCALE = Parameter("scale", 0.0, default=1.0)


def read(
    function: str,
    parameters: Sequence[Parameter],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    lacking: bool = False,
) -> list[Any]:
    """Return the given value of each parameter, None of one that has a default.

    Raises TypeError where one is missing, unless `lacking`, or unknown.
    """
    missing = len(parameters) - len(args)
    complete = not missing or (missing > 0 and parameters[-missing].default is not None)
    if complete and not kwargs and not any(a is None for a in args):
        return [*args, *(None,) * missing]
    names = [p.name for p in parameters]
    takes = f"it takes {', '.join(names)}"
    if len(args) > len(names):
        raise TypeError(f"{function}: got {len(args)} parameters by position; {takes}")
    found = [*args, *(None,) * (len(names) - len(args))]
    for name, value in kwargs.items():
        if name in ("random_state", "rng"):
            raise TypeError(
                f"{function}: there is no {name}, as there is no hidden state: give "
                "key=likewise.random.key(seed), or a seed, for the same numbers on all libraries"
            )
        if name not in names:
            raise TypeError(f"{function}: got an unexpected parameter {name!r}; {takes}")
        i = names.index(name)
        if i < len(args):
            raise TypeError(f"{function}: got two values of {name!r}; {takes}")
        found[i] = value
    lost = [
        n
        for n, p, v in zip(names, parameters, found, strict=True)
        if v is None and p.default is None
    ]
    if lost and not lacking:
        raise TypeError(f"{function}: parameter {', '.join(map(repr, lost))} is missing; {takes}")
    return found


def domain(
    parameters: Sequence[Parameter], values: Sequence[Any]
) -> tuple[str, list[str], list[Any]]:
    """Return how each parameter is given, by a letter, and names and values of those that are.

    'd': not, or as the number that changes nothing; 'r': as a number in its domain; 'c': as what is
    to be checked, an array or a number outside.
    """
    kinds, names, given = "", [], []
    for p, v in zip(parameters, values, strict=True):
        if v is None:
            kinds += "d"
            continue
        if type(v) is float or type(v) is int:
            if p.default == v:
                kinds += "d"
                continue
            kinds += "r" if p.holds(v) else "c"
        else:
            kinds += "c"
        names.append(p.name)
        given.append(v)
    return kinds, names, given
