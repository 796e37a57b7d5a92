"""Classical problems for methods with few or no derivatives."""

from typing import Any

import likewise


def rosenbrock(x: Any) -> Any:
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def wood(x: Any) -> Any:
    a, b, c, d = x[0], x[1], x[2], x[3]
    return (
        100 * (b - a**2) ** 2
        + (1 - a) ** 2
        + 90 * (d - c**2) ** 2
        + (1 - c) ** 2
        + 10 * (b + d - 2) ** 2
        + 0.1 * (b - d) ** 2
    )


def singular(x: Any) -> Any:
    a, b, c, d = x[0], x[1], x[2], x[3]
    return (a + 10 * b) ** 2 + 5 * (c - d) ** 2 + (b - 2 * c) ** 4 + 10 * (a - d) ** 4


def beale(x: Any) -> Any:
    a, b = x[0], x[1]
    return (1.5 - a * (1 - b)) ** 2 + (2.25 - a * (1 - b**2)) ** 2 + (2.625 - a * (1 - b**3)) ** 2


PROBLEMS: dict[str, tuple[Any, list[float]]] = {
    "Rosenbrock": (rosenbrock, [-1.2, 1.0]),
    "Wood": (wood, [-3.0, -1.0, -3.0, -1.0]),
    "Powell singular": (singular, [3.0, -1.0, 0.0, 1.0]),
    "Beale": (beale, [1.0, 1.0]),
}


def _hs43(x: Any) -> list[Any]:
    a, b, c, d = x[0], x[1], x[2], x[3]
    squares = a * a + b * b + c * c + d * d
    return [
        8 - squares - a + b - c + d,
        10 - squares - b * b - d * d + a + d,
        5 - squares - a * a + d * d - 2 * a + b + d,
    ]


def _row(rows: Any, kind: str = "ineq") -> dict[str, Any]:
    return {"type": kind, "fun": lambda x: likewise.array_namespace(x).stack(rows(x))}


# Hock and Schittkowski's problems 6, 24, 43 and 71: fun, x0, bounds, constraints, the minimum.
LIMITED: dict[str, tuple[Any, list[float], Any, list[dict[str, Any]], float]] = {
    "6": (
        lambda x: (1 - x[0]) ** 2,
        [-1.2, 1.0],
        None,
        [_row(lambda x: [10 * (x[1] - x[0] ** 2)], "eq")],
        0.0,
    ),
    "24": (
        lambda x: ((x[0] - 3) ** 2 - 9) * x[1] ** 3 / (27 * 3**0.5),
        [1.0, 0.5],
        [(0, None), (0, None)],
        [_row(lambda x: [x[0] / 3**0.5 - x[1], x[0] + 3**0.5 * x[1], 6 - x[0] - 3**0.5 * x[1]])],
        -1.0,
    ),
    "43": (
        lambda x: (
            x[0] ** 2
            + x[1] ** 2
            + 2 * x[2] ** 2
            + x[3] ** 2
            - 5 * x[0]
            - 5 * x[1]
            - 21 * x[2]
            + 7 * x[3]
        ),
        [0.0, 0.0, 0.0, 0.0],
        None,
        [_row(_hs43)],
        -44.0,
    ),
    "71": (
        lambda x: x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2],
        [1.0, 5.0, 5.0, 1.0],
        [(1, 5)] * 4,
        [
            _row(lambda x: [x[0] * x[1] * x[2] * x[3] - 25]),
            _row(lambda x: [x[0] ** 2 + x[1] ** 2 + x[2] ** 2 + x[3] ** 2 - 40], "eq"),
        ],
        17.0140173,
    ),
}
