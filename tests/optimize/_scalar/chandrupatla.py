"""The test problems of Chandrupatla's two papers, with the counts that they report."""

from collections.abc import Callable
from typing import Any

import numpy as np

F1 = (lambda x: x**3 - 2 * x - 5, 2.0945514815423265)
F2 = (lambda x: 1 - 1 / x**2, 1.0)
F3 = (lambda x: (x - 3) ** 3, 3.0)
F4 = (lambda x: 6 * (x - 2) ** 5, 2.0)
F5 = (lambda x: x**9, 0.0)
F6 = (lambda x: x**19, 0.0)
F7 = (lambda x: np.where(np.abs(x) < 3.8e-4, 0.0, x * np.exp(-(x**-2.0))), 0.0)
X8 = 0.61489
F8 = (
    lambda x: -(3062 * (1 - X8) * np.exp(-x)) / (X8 + (1 - X8) * np.exp(-x)) - 1013 + 1628 / x,
    1.0375360332870405,
)
F9 = (lambda x: np.exp(x) - 2 - 0.01 / x**2 + 0.000002 / x**3, 0.7032048403631358)

# Brackets and evaluations: T. R. Chandrupatla, Adv. Eng. Software 28 (1997) 145-149, tables 1 to 9.
ROOTS: list[tuple[Any, list[tuple[float, float, int]]]] = [
    (F1, [(2, 3, 7), (1, 10, 11), (1, 100, 14), (-1e4, 1e4, 23), (-1e10, 1e10, 43)]),
    (F2, [(0.5, 1.51, 8), (1e-4, 1e4, 22), (1e-6, 1e6, 28), (1e-10, 1e10, 41), (1e-12, 1e12, 48)]),
    (F3, [(0, 5, 21), (-10, 10, 23), (-1e4, 1e4, 36), (-1e6, 1e6, 45), (-1e10, 1e10, 55)]),
    (F4, [(0, 5, 21), (-10, 10, 23), (-1e4, 1e4, 33), (-1e6, 1e6, 43), (-1e10, 1e10, 54)]),
    (F5, [(-1, 4, 21), (-2, 5, 22), (-1, 10, 23), (-5, 50, 25), (-10, 100, 26)]),
    (F6, [(-1, 4, 21), (-2, 5, 22), (-1, 10, 23), (-5, 50, 25), (-10, 100, 26)]),
    (F7, [(-1, 4, 8), (-2, 5, 8), (-1, 10, 11), (-5, 50, 18), (-10, 100, 19)]),
    (F8, [(2e-4, 2, 9), (2e-4, 3, 10), (2e-4, 9, 11), (2e-4, 27, 12), (2e-4, 81, 14)]),
    (F9, [(2e-4, 1, 7), (2e-4, 3, 8), (2e-4, 9, 10), (2e-4, 27, 11), (2e-4, 81, 13)]),
]

# Starts and iterations: T. R. Chandrupatla, Comput. Methods Appl. Mech. Engrg. 152 (1998) 211-217.
FAR = [-1.0, -2.0, -4.0, -8.0, -16.0, -32.0, -64.0, -128.0, -256.0, -512.0, -1024.0]
NEAR = [-0.05, -0.10, -0.15, -0.20, -0.25, -0.30, -0.35, -0.40, -0.45, -0.50, -0.55]
MINIMA: list[tuple[Callable[[Any], Any], list[float], list[int]]] = [
    (
        lambda x: 100 * (1 - x**3) ** 2 + (1 - x**2) + 2 * (1 - x) ** 2,
        FAR,
        [11, 13, 13, 15, 16, 19, 20, 21, 21, 19, 24],
    ),
    (lambda x: 5 + (x - 2) ** 6, FAR, [8, 6, 6, 7, 8, 8, 9, 11, 13, 12, 13]),
    (lambda x: np.exp(x) - 5 * x, FAR, [11, 11, 11, 10, 14, 12, 15, 18, 18, 19, 19]),
    (
        lambda x: x**5 - 5 * x**3 - 20 * x + 5,
        NEAR,
        [9, 11, 11, 11, 11, 9, 9, 9, 10, 10, 10],
    ),
    (
        lambda x: 8 * x**3 - 2 * x**2 - 7 * x + 3,
        NEAR,
        [6, 7, 8, 10, 9, 8, 7, 7, 9, 9, 8],
    ),
]
