"""Series as text, as NumPy writes them."""

import math
import struct
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ..errors import ArgumentError

__all__ = ["written"]

_WIDTH = 75  # characters of a line
_DIGITS = 8  # behind the point
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _shortest(v: float, single: bool) -> str:
    """Return the shortest text that is read as a number again."""
    if not single or not math.isfinite(v):
        return repr(v)
    texts = (f"{v:.{digits}g}" for digits in range(1, 10))
    return next(t for t in texts if struct.unpack("f", struct.pack("f", float(t)))[0] == v)


def _number(v: Any, single: bool) -> str:
    if isinstance(v, complex):
        return str(complex(*(float(_shortest(part, single)) for part in (v.real, v.imag))))
    if not math.isfinite(v):
        return repr(v)
    short = Decimal(_shortest(v, single))
    way = f".{_DIGITS}f" if v == 0.0 or 1e-4 <= abs(v) < 1e8 else f".{_DIGITS}e"
    text = format(short, way)
    text = text if Decimal(text) == short else format(v, way)  # rounded once
    digits, _, power = text.partition("e")
    front, _, behind = digits.partition(".")
    digits = f"{front}.{behind.rstrip('0') or '0'}"
    return f"{digits}e{power[0]}{power[1:]:0>2}" if power else digits


def _factor(v: Any, single: bool) -> str:
    text = _number(v, single)
    return text if isinstance(v, complex) or "e" not in text else f"({text})"


def written(
    coef: Sequence[Any],
    mapped: tuple[Any, Any],
    symbol: str,
    basis: str | None,
    style: str,
    single: tuple[bool, ...],
) -> str:
    """Return the text of a series of numbers, of ``mapped[0] + mapped[1] x``.

    Both may be of single precision.
    """
    if style not in ("", "ascii", "unicode"):
        raise ArgumentError(
            f"Unsupported format string {style!r} passed to a series. Valid options are 'ascii' "
            "and 'unicode'"
        )
    off, scale = mapped
    variable = symbol if scale == 1 else f"{_number(scale, single[1])}{symbol}"
    if off != 0:
        variable = f"{_number(off, single[1])} + {variable}"
    variable = variable if variable == symbol else f"({variable})"
    lines = [_number(coef[0], single[0])]
    for i, c in enumerate(coef[1:], 1):
        plus = (c.real, c.imag) >= (0.0, 0.0) if isinstance(c, complex) else c >= 0.0
        part = _term(i, variable, basis, style == "ascii")
        sign, part = "+" if plus else "-", f"{_factor(c if plus else -c, single[0])}{part}"
        more = 2 if i < len(coef) - 1 else 0  # the next sign
        if len(lines[-1]) + len(part) + 3 + more >= _WIDTH:
            lines[-1] = f"{lines[-1]} {sign}"
            lines.append(part)
        else:
            lines[-1] = f"{lines[-1]} {sign} {part}"
    return "\n".join(lines)


def _term(i: int, variable: str, basis: str | None, ascii_: bool) -> str:
    if basis is not None:
        index = f"_{i}" if ascii_ else str(i).translate(_LOWERED)
        return f"{' ' if ascii_ else '·'}{basis}{index}({variable})"
    if ascii_:
        return f" {variable}**{i}" if i > 1 else f" {variable}"
    return f"·{variable}{str(i).translate(_RAISED)}" if i > 1 else f"·{variable}"
