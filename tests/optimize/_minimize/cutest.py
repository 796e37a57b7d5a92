"""Constrained problems of the CUTEst collection (N. I. M. Gould, D. Orban, Ph. L. Toint, 2015).

Small ones beside those of Hock and Schittkowski: by P. T. Boggs and J. W. Tolle (BT), R. Byrd,
C. Charalambous and A. R. Conn (CB2, CB3), M. M. Mäkelä, R. Mifflin, V. F. Demyanov and
V. N. Malozemov, and a cantilever beam of K. Svanberg. BT2, BT3 and BT5 are beside their like in
`hock_schittkowski`. And problems that have no solution, or that test what methods assume.
"""

import math
from typing import Any, NamedTuple

from hock_schittkowski import INF, PROBLEMS, Problem, banana, problem


@problem("BT1", [0.08, 0.06], -1.0)
def _(xp: Any, a: Any, b: Any) -> Any:
    return 100 * (a**2 + b**2) - a - 100, [a**2 + b**2 - 1], []


@problem("BT4", [4.0382, -2.947, -0.09115], -45.51055073989)
def _(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return a - b + b**3, [a**2 + b**2 + c**2 - 25, a + b + c - 1], []


@problem("BT6", [2, 2, 2, 2, 2], 0.2770447887679)
def _(xp: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    value = (a - 1) ** 2 + (a - b) ** 2 + (c - 1) ** 2 + (d - 1) ** 4 + (e - 1) ** 6
    root = math.sqrt(2)
    return value, [d * a**2 + xp.sin(d - e) - 2 * root, c**4 * b**2 + b - 8 - root], []


@problem("BT7", [-2, 1, 1, 1, 1], 306.5)
def _(xp: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    return banana(a, b), [a * b - c**2 - 1, b**2 - d**2 + a, e**2 + a - 0.5], []


@problem("BT8", [1, 1, 1, 0, 0], 1.0)
def _(xp: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    return a**2 + b**2 + c**2, [a - 1 - d**2 + b**2, a**2 + b**2 - 1 - e**2], []


@problem("BT9", [2, 2, 2, 2], -1.0)
def _(xp: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return -a, [b - a**3 - c**2, a**2 - b - d**2], []


@problem("BT10", [2, 2], -1.0)
def _(xp: Any, a: Any, b: Any) -> Any:
    return -a, [b - a**3, a**2 - b], []


@problem("BT11", [2, 2, 2, 2, 2], 0.8248917782877)
def _(xp: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    value = (a - 1) ** 2 + (a - b) ** 2 + (b - c) ** 2 + (c - d) ** 4 + (d - e) ** 4
    rows = [a + b**2 + c**3 + 2 - math.sqrt(18), b + d - c**2 + 2 - math.sqrt(8), a - e - 2]
    return value, rows, []


@problem("BT12", [15.811, 1.5811, 0, 15.083, 3.7164], 6.188118811881)
def _(xp: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    rows = [a + b - c**2 - 25, a**2 + b**2 - d**2 - 25, a - e**2 - 2]
    return 0.01 * a**2 + b**2, rows, []


@problem("BYRDSPHR", [5, 1e-4, -1e-4], -4.68330013267)
def _(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return -a - b - c, [a**2 + b**2 + c**2 - 9, (a - 1) ** 2 + b**2 + c**2 - 9], []


@problem("CANTILVR", [1, 1, 1, 1, 1], 1.339956360599, lower=1e-6)
def _(xp: Any, *x: Any) -> Any:
    loads = sum(k / v**3 for k, v in zip((61, 37, 19, 7, 1), x, strict=True))
    return 0.0624 * sum(x), [], [1 - loads]


@problem("CB2", [2, 2, 1], 1.952224493871)
def _(xp: Any, a: Any, b: Any, u: Any) -> Any:
    rows = [u - a**2 - b**4, u - (2 - a) ** 2 - (2 - b) ** 2, u - 2 * xp.exp(b - a)]
    return u, [], rows


@problem("CB3", [2, 2, 1], 2.0)
def _(xp: Any, a: Any, b: Any, u: Any) -> Any:
    rows = [u - a**4 - b**2, u - (2 - a) ** 2 - (2 - b) ** 2, u - 2 * xp.exp(b - a)]
    return u, [], rows


@problem("MAKELA1", [0, 1, 1], -math.sqrt(2))
def _(xp: Any, a: Any, b: Any, u: Any) -> Any:
    return u, [], [u + a + b, u + a + b - (a**2 + b**2 - 1)]


@problem("MAKELA2", [-1, 5, 1], 7.2)
def _(xp: Any, a: Any, b: Any, u: Any) -> Any:
    square = a**2 + b**2
    rows = [u - square, u - square - 40 * (1 - a) + 10 * b, u - square - 60 + 10 * a + 20 * b]
    return u, [], rows


@problem("MIFFLIN1", [0.8, 0.6, 1], -1.0)
def _(xp: Any, a: Any, b: Any, u: Any) -> Any:
    return u, [], [u + a, u + a - 20 * (a**2 + b**2 - 1)]


@problem("DEMYMALO", [1, 1, 1], -3.0)
def _(xp: Any, a: Any, b: Any, u: Any) -> Any:
    return u, [], [u - 5 * a - b, u + 5 * a - b, u - a**2 - b**2 - 4 * b]


@problem("MARATOS", [math.cos(1.2), math.sin(1.2)], -1.0)
def _(xp: Any, a: Any, b: Any) -> Any:
    circle = a**2 + b**2 - 1
    return 2 * circle - a, [circle], []


class Hard(NamedTuple):
    """A problem whose rows depend on each other, or without a solution."""

    problem: Problem
    kind: str
    """"infeasible", "unbounded", or "solved": a minimum that must be found."""


HARD: list[Hard] = []


def hard(
    name: str, kind: str, x0: list[float], parts: Any, f: float = math.nan, **bounds: Any
) -> None:
    problem(name, x0, f, **bounds)(parts)
    HARD.append(Hard(PROBLEMS.pop(name), kind))


def square(*x: Any) -> Any:
    return sum(v**2 for v in x)


hard(
    "sides that contradict each other",
    "infeasible",
    [0, 0],
    lambda xp, a, b: (square(a, b), [], [a + b - 3, 1 - a - b]),
)
hard(
    "equalities that contradict each other",
    "infeasible",
    [1, 0],
    lambda xp, a, b: (square(a, b), [a + b - 1, a + b - 2], []),
)
hard(
    "a row that the bounds forbid",
    "infeasible",
    [0.5, 0.5],
    lambda xp, a, b: (square(a, b), [], [a + b - 3]),
    lower=0,
    upper=1,
)
hard(
    "a circle of negative radius",
    "infeasible",
    [1, 1],
    lambda xp, a, b: (a + b, [], [-1 - a**2 - b**2]),
)
hard(
    "circles that don't meet",
    "infeasible",
    [1, 0.5],
    lambda xp, a, b: (a, [], [1 - a**2 - b**2, 1 - (a - 4) ** 2 - b**2]),
)
hard("down a line", "unbounded", [1, 1], lambda xp, a, b: (a, [b + 0 * a], []))
hard("down a ray", "unbounded", [1, 0], lambda xp, a, b: (-a - b, [], [a - b]))
hard("down a parabola", "unbounded", [2, 1], lambda xp, a, b: (-(a**2) + b**2, [], [a - 1]))
hard(
    "an equality twice",
    "solved",
    [3, 1],
    lambda xp, a, b: (square(a, b), [a + b - 1, 2 * a + 2 * b - 2], []),
    0.5,
)
hard(
    "an inequality three times, and as a bound",
    "solved",
    [3, 1],
    lambda xp, a, b: (square(a, b), [], [a - 1, 2 * a - 2, a - 1 + 0 * b]),
    1.0,
    lower=[1, -INF],
)
hard(
    "three sides through a corner",
    "solved",
    [0, 0],
    lambda xp, a, b: (-a - b, [], [1 - a, 1 - b, 2 - a - b]),
    -2.0,
)
hard(
    "five circles through the minimum",
    "solved",
    [1, 0.2],
    lambda xp, a, b: (
        square(a - 2, b),
        [],
        [(1 + k) ** 2 - (a + k) ** 2 - b**2 for k in range(5)],
    ),
    1.0,
)
hard(
    "as many equalities as unknowns",
    "solved",
    [5, 0],
    lambda xp, a, b: (square(a, b), [a + b - 3, a * b - 2], []),
    5.0,
)
hard(
    "an unknown that is fixed",
    "solved",
    [1, 0],
    lambda xp, a, b: (square(a, b), [], [a + b - 3]),
    5.0,
    lower=[1, -INF],
    upper=[1, INF],
)
hard(
    "a linear programme",
    "solved",
    [3, 3],
    lambda xp, a, b: (a + b, [], [a + 2 * b - 2]),
    1.0,
    lower=0,
)
hard(
    "a row that doesn't depend on the unknowns",
    "solved",
    [3, 3],
    lambda xp, a, b: (square(a - 1, b), [], [1 + 0 * a, 0.5 - a]),
    0.25,
)
hard(
    "a bound that keeps the logarithm",
    "solved",
    [3, 3],
    lambda xp, a, b: (xp.log(a) + b**2, [], [a + b - 1.5]),
    0.25,
    lower=[1, -INF],
)
hard(
    "a start outside everything",
    "solved",
    [-50, 80],
    lambda xp, a, b: (square(a - 2, b - 1), [a - 2 * b + 1], [1 - a**2 / 4 - b**2]),
    9 - 2.875 * math.sqrt(7),
)
