"""The nonlinear regression problems of NIST's Statistical Reference Datasets, as data and models.

Source: NIST StRD, Nonlinear Regression, https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml.
Every model takes ``x`` of shape (n,), Nelson's (2, n), and parameters of shape () or (batch, 1);
the result broadcasts to (n,) or (batch, n).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any, TypeAlias

from .._namespace import array_namespace

Array: TypeAlias = Any  # any library's array: the models compute, they do not inspect
Column: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class Dataset:
    """Hold one certified problem.

    Attributes
    ----------
    name, level : str
        NIST's name, and its difficulty: 'lower', 'average' or 'higher'.
    starts : tuple of tuple of float
        Two starting points, (2, p): the first far from the solution, the second near it.
    certified, certified_std : tuple of float
        Parameters and their standard deviations, 11 digits.
    certified_rss : float
        Residual sum of squares at the solution.
    x : tuple of float, or of columns
        Predictor, (n,); two of them, (2, n), for Nelson.
    y : tuple of float
        Response, (n,); for Nelson the logarithm of the measurements, as NIST fits it.
    fun : callable
        ``fun(x, b1, b2, ...)``, the model.
    """

    name: str
    level: str
    starts: tuple[Column, Column]
    certified: Column
    certified_std: Column
    certified_rss: float
    x: Column | tuple[Column, ...]
    y: Column
    fun: Callable[..., Array]


def saturation(x: Array, b1: Array, b2: Array) -> Array:
    """Misra1a and BoxBOD: exponential approach to ``b1`` at rate ``b2``."""
    xp = array_namespace(x)
    # As NIST writes it; expm1 would be more exact, but the certified values need no more.
    return b1 * (1 - xp.exp(-b2 * x))


def misra1b(x: Array, b1: Array, b2: Array) -> Array:
    """Misra1b: approach to ``b1`` as an inverse square."""
    return b1 * (1 - 1 / (1 + b2 * x / 2) ** 2)


def misra1c(x: Array, b1: Array, b2: Array) -> Array:
    """Misra1c: approach to ``b1`` as an inverse square root."""
    xp = array_namespace(x)
    return b1 * (1 - 1 / xp.sqrt(1 + 2 * b2 * x))


def misra1d(x: Array, b1: Array, b2: Array) -> Array:
    """Misra1d: hyperbola with limit ``b1``."""
    u = b2 * x
    return b1 * u / (1 + u)


def chwirut(x: Array, b1: Array, b2: Array, b3: Array) -> Array:
    """Chwirut1 and Chwirut2: decaying exponential over a line."""
    xp = array_namespace(x)
    return xp.exp(-b1 * x) / (b2 + b3 * x)


def three_exponentials(
    x: Array, b1: Array, b2: Array, b3: Array, b4: Array, b5: Array, b6: Array
) -> Array:
    """Lanczos1 to Lanczos3: amplitudes ``b1, b3, b5`` decaying at rates ``b2, b4, b6``."""
    xp = array_namespace(x)
    return b1 * xp.exp(-b2 * x) + b3 * xp.exp(-b4 * x) + b5 * xp.exp(-b6 * x)


def two_peaks(
    x: Array, b1: Array, b2: Array, b3: Array, b4: Array, b5: Array, b6: Array, b7: Array, b8: Array
) -> Array:
    """Gauss1 to Gauss3: two Gaussian peaks on a decaying exponential."""
    xp = array_namespace(x)
    first = b3 * xp.exp(-(((x - b4) / b5) ** 2))
    second = b6 * xp.exp(-(((x - b7) / b8) ** 2))
    return b1 * xp.exp(-b2 * x) + first + second


def danwood(x: Array, b1: Array, b2: Array) -> Array:
    """DanWood: power law."""
    return b1 * x**b2


def quadratic_ratio(x: Array, b1: Array, b2: Array, b3: Array, b4: Array, b5: Array) -> Array:
    """Kirby2: quadratic over quadratic, the denominator's constant one."""
    return (b1 + x * (b2 + x * b3)) / (1 + x * (b4 + x * b5))


def cubic_ratio(
    x: Array, b1: Array, b2: Array, b3: Array, b4: Array, b5: Array, b6: Array, b7: Array
) -> Array:
    """Hahn1 and Thurber: cubic over cubic, the denominator's constant one."""
    return (b1 + x * (b2 + x * (b3 + x * b4))) / (1 + x * (b5 + x * (b6 + x * b7)))


def nelson(x: Array, b1: Array, b2: Array, b3: Array) -> Array:
    """Nelson: logarithm of breakdown voltage from time ``x[0]`` and temperature ``x[1]``."""
    xp = array_namespace(x)
    return b1 - b2 * x[0, :] * xp.exp(-b3 * x[1, :])


def mgh17(x: Array, b1: Array, b2: Array, b3: Array, b4: Array, b5: Array) -> Array:
    """MGH17: two exponentials above a constant."""
    xp = array_namespace(x)
    return b1 + b2 * xp.exp(-b4 * x) + b3 * xp.exp(-b5 * x)


def roszman1(x: Array, b1: Array, b2: Array, b3: Array, b4: Array) -> Array:
    """Roszman1: line minus an arctangent with a pole at ``b4``."""
    xp = array_namespace(x)
    return b1 - b2 * x - xp.atan(b3 / (x - b4)) / math.pi


def enso(
    x: Array,
    b1: Array,
    b2: Array,
    b3: Array,
    b4: Array,
    b5: Array,
    b6: Array,
    b7: Array,
    b8: Array,
    b9: Array,
) -> Array:
    """ENSO: a yearly cycle and two cycles of unknown periods ``b4`` and ``b7`` months."""
    xp = array_namespace(x)
    turn = 2 * math.pi * x
    year, long, short = turn / 12, turn / b4, turn / b7
    total = b1 + b2 * xp.cos(year) + b3 * xp.sin(year)
    total = total + b5 * xp.cos(long) + b6 * xp.sin(long)
    return total + b8 * xp.cos(short) + b9 * xp.sin(short)


def mgh09(x: Array, b1: Array, b2: Array, b3: Array, b4: Array) -> Array:
    """MGH09: the rational function of Kowalik and Osborne."""
    return b1 * (x * (x + b2)) / (x * (x + b3) + b4)


def rat42(x: Array, b1: Array, b2: Array, b3: Array) -> Array:
    """Rat42: logistic growth."""
    xp = array_namespace(x)
    return b1 / (1 + xp.exp(b2 - b3 * x))


def rat43(x: Array, b1: Array, b2: Array, b3: Array, b4: Array) -> Array:
    """Rat43: logistic growth with an exponent (Richards)."""
    xp = array_namespace(x)
    return b1 / (1 + xp.exp(b2 - b3 * x)) ** (1 / b4)


def mgh10(x: Array, b1: Array, b2: Array, b3: Array) -> Array:
    """MGH10: Meyer's exponential."""
    xp = array_namespace(x)
    return b1 * xp.exp(b2 / (x + b3))


def eckerle4(x: Array, b1: Array, b2: Array, b3: Array) -> Array:
    """Eckerle4: one Gaussian peak by its area."""
    xp = array_namespace(x)
    return b1 / b2 * xp.exp(-0.5 * ((x - b3) / b2) ** 2)


def bennett5(x: Array, b1: Array, b2: Array, b3: Array) -> Array:
    """Bennett5: shifted power law."""
    return b1 * (b2 + x) ** (-1 / b3)


# NIST's own order: by difficulty.
MODELS: dict[str, Callable[..., Array]] = {
    "Misra1a": saturation,
    "Chwirut2": chwirut,
    "Chwirut1": chwirut,
    "Lanczos3": three_exponentials,
    "Gauss1": two_peaks,
    "Gauss2": two_peaks,
    "DanWood": danwood,
    "Misra1b": misra1b,
    "Kirby2": quadratic_ratio,
    "Hahn1": cubic_ratio,
    "Nelson": nelson,
    "MGH17": mgh17,
    "Lanczos1": three_exponentials,
    "Lanczos2": three_exponentials,
    "Gauss3": two_peaks,
    "Misra1c": misra1c,
    "Misra1d": misra1d,
    "Roszman1": roszman1,
    "ENSO": enso,
    "MGH09": mgh09,
    "Thurber": cubic_ratio,
    "BoxBOD": saturation,
    "Rat42": rat42,
    "MGH10": mgh10,
    "Eckerle4": eckerle4,
    "Rat43": rat43,
    "Bennett5": bennett5,
}


def load() -> list[Dataset]:
    """Read the 27 data sets, in NIST's order.

    Returns
    -------
    list of Dataset
    """
    text = resources.files(__package__).joinpath("nist_strd.json").read_text(encoding="utf-8")
    table = json.loads(text)
    return [_dataset(name, fun, table[name]) for name, fun in MODELS.items()]


def _dataset(name: str, fun: Callable[..., Array], row: dict[str, Any]) -> Dataset:
    x: Column | tuple[Column, ...] = tuple(row["x"])
    y: Column = tuple(row["y"])
    if name == "Nelson":
        x, y = tuple(zip(*row["x"], strict=True)), tuple(math.log(v) for v in y)
    return Dataset(
        name=name,
        level=row["level"],
        starts=(tuple(row["start1"]), tuple(row["start2"])),
        certified=tuple(row["certified"]),
        certified_std=tuple(row["certified_std"]),
        certified_rss=row["certified_rss"],
        x=x,
        y=y,
        fun=fun,
    )
