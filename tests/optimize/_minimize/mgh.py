"""The 35 test problems of J. J. Moré, B. S. Garbow, K. E. Hillstrom, ACM TOMS 7(1), 1981.

Each is ``residuals(xp, x)``, of x (..., n) the residuals (..., m), whose sum of squares is to be
minimised; their number is the paper's. `minima` are the sums of squares at the minima that the
paper names, with more digits than its six; those at infinity are left out.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import likewise


class Problem(NamedTuple):
    name: str
    residuals: Callable[[Any, Any], Any]
    n: int
    m: int
    x0: list[float]
    minima: tuple[float, ...]


def sum_of_squares(problem: Problem) -> Callable[[Any], Any]:
    """The function to minimise, of x (..., n)."""

    def fun(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.sum(problem.residuals(xp, x) ** 2, axis=-1)

    return fun


def near_minimum(problem: Problem, value: Any) -> bool:
    """Whether a value is that of one of the minima, to 1e-8 of it and of 1."""
    return any(abs(value - f) <= 1e-8 * (1 + abs(f)) for f in problem.minima)


def parts(x: Any) -> list[Any]:
    """Each variable, (..., 1)."""
    return [x[..., i : i + 1] for i in range(x.shape[-1])]


def constants(xp: Any, x: Any, values: Any) -> Any:
    return xp.asarray(values, dtype=x.dtype, device=likewise.device(x))


def numbers(xp: Any, x: Any, m: int, first: int = 1) -> Any:
    """1, 2, ... m, as floating-point numbers."""
    return constants(xp, x, [float(i) for i in range(first, first + m)])


def rosenbrock(xp: Any, x: Any) -> Any:
    a, b = parts(x)
    return xp.concat([10 * (b - a**2), 1 - a], axis=-1)


def freudenstein_roth(xp: Any, x: Any) -> Any:
    a, b = parts(x)
    return xp.concat([-13 + a + ((5 - b) * b - 2) * b, -29 + a + ((b + 1) * b - 14) * b], axis=-1)


def powell_badly_scaled(xp: Any, x: Any) -> Any:
    a, b = parts(x)
    return xp.concat([1e4 * a * b - 1, xp.exp(-a) + xp.exp(-b) - 1.0001], axis=-1)


def brown_badly_scaled(xp: Any, x: Any) -> Any:
    a, b = parts(x)
    return xp.concat([a - 1e6, b - 2e-6, a * b - 2], axis=-1)


def beale(xp: Any, x: Any) -> Any:
    a, b = parts(x)
    return xp.concat([1.5 - a * (1 - b), 2.25 - a * (1 - b**2), 2.625 - a * (1 - b**3)], axis=-1)


def jennrich_sampson(xp: Any, x: Any) -> Any:
    a, b = parts(x)
    i = numbers(xp, x, 10)
    return 2 + 2 * i - (xp.exp(i * a) + xp.exp(i * b))


def helical_valley(xp: Any, x: Any) -> Any:
    a, b, c = parts(x)
    safe = xp.where(a == 0, xp.ones_like(a), a)
    turn = xp.atan(b / safe) / (2 * math.pi)
    turn = xp.where(a > 0, turn, turn + 0.5)
    return xp.concat([10 * (c - 10 * turn), 10 * (xp.sqrt(a**2 + b**2) - 1), c], axis=-1)


BARD = [0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39]


def bard(xp: Any, x: Any) -> Any:
    a, b, c = parts(x)
    u = numbers(xp, x, 15)
    v = 16 - u
    return constants(xp, x, BARD) - (a + u / (v * b + xp.minimum(u, v) * c))


GAUSSIAN = [0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521]


def gaussian(xp: Any, x: Any) -> Any:
    a, b, c = parts(x)
    t = (8 - numbers(xp, x, 15)) / 2
    y = constants(xp, x, [*GAUSSIAN, 0.3989, *GAUSSIAN[::-1]])
    return a * xp.exp(-b * (t - c) ** 2 / 2) - y


MEYER = [34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744]
MEYER += [8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872]


def meyer(xp: Any, x: Any) -> Any:
    a, b, c = parts(x)
    t = 45 + 5 * numbers(xp, x, 16)
    return a * xp.exp(b / (t + c)) - constants(xp, x, [float(y) for y in MEYER])


def gulf(xp: Any, x: Any) -> Any:
    a, b, c = parts(x)
    t = numbers(xp, x, 99) / 100
    y = 25 + (-50 * xp.log(t)) ** (2 / 3)
    return xp.exp(-(xp.abs(y - b) ** c) / a) - t


def box(xp: Any, x: Any) -> Any:
    a, b, c = parts(x)
    t = numbers(xp, x, 10) / 10
    return xp.exp(-t * a) - xp.exp(-t * b) - c * (xp.exp(-t) - xp.exp(-10 * t))


def powell_singular(xp: Any, x: Any) -> Any:
    a, b, c, d = (x[..., i::4] for i in range(4))
    all_ = [
        a + 10 * b,
        math.sqrt(5) * (c - d),
        (b - 2 * c) ** 2,
        math.sqrt(10) * (a - d) ** 2,
    ]
    return xp.concat(all_, axis=-1)


def wood(xp: Any, x: Any) -> Any:
    a, b, c, d = parts(x)
    all_ = [
        10 * (b - a**2),
        1 - a,
        math.sqrt(90) * (d - c**2),
        1 - c,
        math.sqrt(10) * (b + d - 2),
        (b - d) / math.sqrt(10),
    ]
    return xp.concat(all_, axis=-1)


KOWALIK_Y = [0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246]
KOWALIK_U = [4.0, 2.0, 1.0, 0.5, 0.25, 0.1670, 0.1250, 0.1, 0.0833, 0.0714, 0.0625]


def kowalik_osborne(xp: Any, x: Any) -> Any:
    a, b, c, d = parts(x)
    u = constants(xp, x, KOWALIK_U)
    return constants(xp, x, KOWALIK_Y) - a * (u**2 + u * b) / (u**2 + u * c + d)


def brown_dennis(xp: Any, x: Any) -> Any:
    a, b, c, d = parts(x)
    t = numbers(xp, x, 20) / 5
    return (a + t * b - xp.exp(t)) ** 2 + (c + d * xp.sin(t) - xp.cos(t)) ** 2


OSBORNE_1 = [0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751]
OSBORNE_1 += [0.718, 0.685, 0.658, 0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506, 0.490]
OSBORNE_1 += [0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.420, 0.414, 0.411, 0.406]


def osborne_1(xp: Any, x: Any) -> Any:
    a, b, c, d, e = parts(x)
    t = 10 * numbers(xp, x, 33, 0)
    return constants(xp, x, OSBORNE_1) - (a + b * xp.exp(-t * d) + c * xp.exp(-t * e))


def biggs(xp: Any, x: Any) -> Any:
    a, b, c, d, e, f = parts(x)
    t = numbers(xp, x, 13) / 10
    y = xp.exp(-t) - 5 * xp.exp(-10 * t) + 3 * xp.exp(-4 * t)
    return c * xp.exp(-t * a) - d * xp.exp(-t * b) + f * xp.exp(-t * e) - y


OSBORNE_2 = [1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746]
OSBORNE_2 += [0.679, 0.608, 0.655, 0.616, 0.606, 0.602, 0.626, 0.651, 0.724, 0.649, 0.649]
OSBORNE_2 += [0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495, 0.500, 0.423, 0.395]
OSBORNE_2 += [0.375, 0.372, 0.391, 0.396, 0.405, 0.428, 0.429, 0.523, 0.562, 0.607, 0.653]
OSBORNE_2 += [0.672, 0.708, 0.633, 0.668, 0.645, 0.632, 0.591, 0.559, 0.597, 0.625, 0.739]
OSBORNE_2 += [0.710, 0.729, 0.720, 0.636, 0.581, 0.428, 0.292, 0.162, 0.098, 0.054]


def osborne_2(xp: Any, x: Any) -> Any:
    v = parts(x)
    t = numbers(xp, x, 65, 0) / 10
    model = v[0] * xp.exp(-t * v[4])
    for k in (1, 2, 3):
        model = model + v[k] * xp.exp(-((t - v[k + 7]) ** 2) * v[k + 4])
    return constants(xp, x, OSBORNE_2) - model


def watson(xp: Any, x: Any) -> Any:
    t = numbers(xp, x, 29) / 29
    v = parts(x)
    slope = sum(j * v[j] * t ** (j - 1) for j in range(1, len(v)))
    value = sum(v[j] * t**j for j in range(len(v)))
    return xp.concat([slope - value**2 - 1, v[0], v[1] - v[0] ** 2 - 1], axis=-1)


def extended_rosenbrock(xp: Any, x: Any) -> Any:
    a, b = x[..., 0::2], x[..., 1::2]
    return xp.concat([10 * (b - a**2), 1 - a], axis=-1)


def penalty_1(xp: Any, x: Any) -> Any:
    total = xp.sum(x**2, axis=-1, keepdims=True) - 0.25
    return xp.concat([math.sqrt(1e-5) * (x - 1), total], axis=-1)


def penalty_2(xp: Any, x: Any) -> Any:
    n = x.shape[-1]
    a = math.sqrt(1e-5)
    y = xp.exp(numbers(xp, x, n) / 10)
    e = xp.exp(x / 10)
    pairs = a * (e[..., 1:] + e[..., :-1] - (y[1:] + y[:-1]))
    singles = a * (e[..., 1:] - math.exp(-0.1))
    weights = numbers(xp, x, n)
    total = xp.sum((n + 1 - weights) * x**2, axis=-1, keepdims=True) - 1
    return xp.concat([x[..., :1] - 0.2, pairs, singles, total], axis=-1)


def variably_dimensioned(xp: Any, x: Any) -> Any:
    j = numbers(xp, x, x.shape[-1])
    total = xp.sum(j * (x - 1), axis=-1, keepdims=True)
    return xp.concat([x - 1, total, total**2], axis=-1)


def trigonometric(xp: Any, x: Any) -> Any:
    n = x.shape[-1]
    total = n - xp.sum(xp.cos(x), axis=-1, keepdims=True)
    return total + numbers(xp, x, n) * (1 - xp.cos(x)) - xp.sin(x)


def brown_almost_linear(xp: Any, x: Any) -> Any:
    n = x.shape[-1]
    total = xp.sum(x, axis=-1, keepdims=True)
    product = xp.prod(x, axis=-1, keepdims=True)
    return xp.concat([x[..., :-1] + total - (n + 1), product - 1], axis=-1)


def neighbours(xp: Any, x: Any) -> tuple[Any, Any]:
    """The variables before and after each one, 0 at the ends."""
    zero = xp.zeros_like(x[..., :1])
    before = xp.concat([zero, x[..., :-1]], axis=-1)
    return before, xp.concat([x[..., 1:], zero], axis=-1)


def boundary_value(xp: Any, x: Any) -> Any:
    n = x.shape[-1]
    h = 1 / (n + 1)
    t = h * numbers(xp, x, n)
    before, after = neighbours(xp, x)
    return 2 * x - before - after + h**2 * (x + t + 1) ** 3 / 2


def integral_equation(xp: Any, x: Any) -> Any:
    n = x.shape[-1]
    h = 1 / (n + 1)
    t = h * numbers(xp, x, n)
    cubes = (x + t + 1) ** 3
    lower = xp.cumulative_sum(t * cubes, axis=-1)
    rest = (1 - t) * cubes
    upper = xp.sum(rest, axis=-1, keepdims=True) - xp.cumulative_sum(rest, axis=-1)
    return x + h * ((1 - t) * lower + t * upper) / 2


def broyden_tridiagonal(xp: Any, x: Any) -> Any:
    before, after = neighbours(xp, x)
    return (3 - 2 * x) * x - before - 2 * after + 1


def broyden_banded(xp: Any, x: Any) -> Any:
    n = x.shape[-1]
    term = x * (1 + x)
    total = xp.zeros_like(x)
    for shift in (-1, 1, 2, 3, 4, 5):  # the variable after, and five before
        if abs(shift) < n:
            none = xp.zeros_like(x[..., : abs(shift)])
            ends = [none, term[..., :-shift]] if shift > 0 else [term[..., 1:], none]
            total = total + xp.concat(ends, axis=-1)
    return x * (2 + 5 * x**2) + 1 - total


def linear_full_rank(xp: Any, x: Any) -> Any:
    m = 20
    total = 2 / m * xp.sum(x, axis=-1, keepdims=True)
    rest = xp.zeros_like(xp.concat([x] * m, axis=-1)[..., : m - x.shape[-1]])
    return xp.concat([x, rest], axis=-1) - total - 1


def linear_rank_1(xp: Any, x: Any) -> Any:
    total = xp.sum(numbers(xp, x, x.shape[-1]) * x, axis=-1, keepdims=True)
    return numbers(xp, x, 20) * total - 1


def linear_rank_1_with_zeros(xp: Any, x: Any) -> Any:
    m, n = 20, x.shape[-1]
    total = xp.sum(numbers(xp, x, n - 2, 2) * x[..., 1:-1], axis=-1, keepdims=True)
    rows = constants(xp, x, [0.0, *(float(i) for i in range(1, m - 1)), 0.0])
    return rows * total - 1


def chebyquad(xp: Any, x: Any) -> Any:
    m = n = x.shape[-1]
    shifted = 2 * x - 1
    before, now = xp.ones_like(x), shifted
    out = []
    for i in range(1, m + 1):
        integral = 0.0 if i % 2 else -1 / (i * i - 1)
        out.append(xp.sum(now, axis=-1, keepdims=True) / n - integral)
        before, now = now, 2 * shifted * now - before
    return xp.concat(out, axis=-1)


def _grid(n: int) -> list[float]:
    return [i / (n + 1) * (i / (n + 1) - 1) for i in range(1, n + 1)]


PROBLEMS = [
    Problem("Rosenbrock", rosenbrock, 2, 2, [-1.2, 1.0], (0.0,)),
    Problem("Freudenstein and Roth", freudenstein_roth, 2, 2, [0.5, -2.0], (0.0, 48.98425367924)),
    Problem("Powell badly scaled", powell_badly_scaled, 2, 2, [0.0, 1.0], (0.0,)),
    Problem("Brown badly scaled", brown_badly_scaled, 2, 3, [1.0, 1.0], (0.0,)),
    Problem("Beale", beale, 2, 3, [1.0, 1.0], (0.0,)),
    Problem("Jennrich and Sampson", jennrich_sampson, 2, 10, [0.3, 0.4], (124.362182355615,)),
    Problem("Helical valley", helical_valley, 3, 3, [-1.0, 0.0, 0.0], (0.0,)),
    Problem("Bard", bard, 3, 15, [1.0, 1.0, 1.0], (8.21487730657897e-3,)),
    Problem("Gaussian", gaussian, 3, 15, [0.4, 1.0, 0.0], (1.12793276961912e-8,)),
    Problem("Meyer", meyer, 3, 16, [0.02, 4000.0, 250.0], (87.9458551712,)),
    Problem("Gulf research and development", gulf, 3, 99, [5.0, 2.5, 0.15], (0.0,)),
    Problem("Box three-dimensional", box, 3, 10, [0.0, 10.0, 20.0], (0.0,)),
    Problem("Powell singular", powell_singular, 4, 4, [3.0, -1.0, 0.0, 1.0], (0.0,)),
    Problem("Wood", wood, 4, 6, [-3.0, -1.0, -3.0, -1.0], (0.0,)),
    Problem(
        "Kowalik and Osborne",
        kowalik_osborne,
        4,
        11,
        [0.25, 0.39, 0.415, 0.39],
        (3.07505603849238e-4,),
    ),
    Problem("Brown and Dennis", brown_dennis, 4, 20, [25.0, 5.0, -5.0, -1.0], (85822.20162635628,)),
    Problem("Osborne 1", osborne_1, 5, 33, [0.5, 1.5, -1.0, 0.01, 0.02], (5.46489469748e-5,)),
    Problem("Biggs EXP6", biggs, 6, 13, [1.0, 2.0, 1.0, 1.0, 1.0, 1.0], (0.0, 5.65564992550e-3)),
    Problem(
        "Osborne 2",
        osborne_2,
        11,
        65,
        [1.3, 0.65, 0.65, 0.7, 0.6, 3.0, 5.0, 7.0, 2.0, 4.5, 5.5],
        (4.01377362935478e-2,),
    ),
    Problem("Watson", watson, 6, 31, [0.0] * 6, (2.28767005355e-3,)),
    Problem("Extended Rosenbrock", extended_rosenbrock, 10, 10, [-1.2, 1.0] * 5, (0.0,)),
    Problem("Extended Powell", powell_singular, 12, 12, [3.0, -1.0, 0.0, 1.0] * 3, (0.0,)),
    Problem("Penalty I", penalty_1, 4, 5, [1.0, 2.0, 3.0, 4.0], (2.24997750038e-5,)),
    Problem("Penalty II", penalty_2, 4, 8, [0.5] * 4, (9.37629320e-6,)),
    Problem(
        "Variably dimensioned",
        variably_dimensioned,
        10,
        12,
        [1 - j / 10 for j in range(1, 11)],
        (0.0,),
    ),
    Problem("Trigonometric", trigonometric, 10, 10, [0.1] * 10, (0.0, 2.79506e-5)),
    Problem("Brown almost-linear", brown_almost_linear, 10, 10, [0.5] * 10, (0.0, 1.0)),
    Problem("Discrete boundary value", boundary_value, 10, 10, _grid(10), (0.0,)),
    Problem("Discrete integral equation", integral_equation, 10, 10, _grid(10), (0.0,)),
    Problem("Broyden tridiagonal", broyden_tridiagonal, 10, 10, [-1.0] * 10, (0.0,)),
    Problem("Broyden banded", broyden_banded, 10, 10, [-1.0] * 10, (0.0,)),
    Problem("Linear, full rank", linear_full_rank, 10, 20, [1.0] * 10, (10.0,)),
    Problem("Linear, rank 1", linear_rank_1, 10, 20, [1.0] * 10, (190 / 41,)),
    Problem("Linear, rank 1 with zeros", linear_rank_1_with_zeros, 10, 20, [1.0] * 10, (227 / 37,)),
    Problem("Chebyquad", chebyquad, 9, 9, [j / 10 for j in range(1, 10)], (0.0,)),
]
