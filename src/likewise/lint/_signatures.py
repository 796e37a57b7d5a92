"""Arguments of calls of the standard's functions, and calls that violate the signature."""

import ast
from collections.abc import Iterator

from .._standard import ARRAYS, FUNCTIONS, Function

__all__ = ["arrays_given", "misfits", "most"]

# What other libraries call a parameter.
OTHER_NAMES = {
    "a_max": "max",
    "a_min": "min",
    "ddof": "correction",
    "dim": "axis",
    "dims": "axes",
    "keepdim": "keepdims",
    "unbiased": "correction",
}


def most(function: Function) -> float:
    """Return how many arguments a function takes by position."""
    return len(function.positional + function.either) if not function.rest else float("inf")


def arrays_given(name: str, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Return the positional arguments that are arrays, with their parameters' names."""
    function = FUNCTIONS.get(name)
    if function is None or "creation" in function.facts:
        return
    for parameter, argument in zip(function.positional + function.either, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            return
        if parameter == "arrays":
            if isinstance(argument, (ast.List, ast.Tuple)):
                yield from (("x", part) for part in argument.elts)
        elif parameter in ARRAYS:
            yield parameter, argument


def misfits(name: str, call: ast.Call) -> Iterator[tuple[ast.expr | ast.keyword, str]]:
    """Return the arguments of a call that the signature doesn't allow, and why."""
    function = FUNCTIONS[name]
    by_position = function.positional + function.either
    given = [k.arg for k in call.keywords if k.arg is not None]
    unpacked = len(given) < len(call.keywords) or any(isinstance(a, ast.Starred) for a in call.args)
    plain = [a for a in call.args if not isinstance(a, ast.Starred)]
    if len(plain) > most(function):
        yield plain[len(by_position)], _too_many(function, len(plain))
    for keyword in call.keywords:
        if keyword.arg in function.positional:
            yield keyword, f"`{keyword.arg}` is given by position, not by name"
        elif keyword.arg is not None and keyword.arg not in function.either + function.keywords:
            yield keyword, _unknown(function, keyword.arg)
    if not unpacked:
        filled = {*by_position[: len(plain)], *given, *function.defaults}
        missing = [n for n in by_position if n not in filled]
        if missing:
            yield call, f"it can't do without `{'`, `'.join(missing)}`"


def _too_many(function: Function, count: int) -> str:
    known = len(function.positional + function.either)
    next_ones = function.keywords[: count - known]
    if not next_ones:
        return f"it takes {known} by position, not {count}"
    return f"`{'`, `'.join(next_ones)}` must be given by name"


def _unknown(function: Function, name: str) -> str:
    other = OTHER_NAMES.get(name)
    known = function.either + function.keywords
    if other in known:
        return f"`{name}` is called `{other}`"
    has = f"its keywords are `{'`, `'.join(known)}`" if known else "it has no keywords"
    return f"there is no `{name}`; {has}"
