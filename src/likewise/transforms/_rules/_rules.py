"""The form of rules: a row per instruction, which the interpreters read.

A rule is a function whose parameter names say what it needs; nothing else is stored for it:

- ``g`` (pull) or ``t`` (push), always first: the result's cotangent, the operand's tangent;
- ``xp``: the namespace to call; ``y``: the result; an operand by its name in `INSTRUCTIONS`;
- ``x_shape``, ``x_dtype`` for an operand ``x``; a setting by its name, defaults filled in;
- ``i``: the operand's number; ``operands``: all of them; ``shapes``: theirs, None of a number.

Rules use only standard functions, so they nest and run on any library. If only one of two arrays
may be a proxy, write the cotangent or tangent left of the operator. Complex numbers follow JAX's
convention: a pull is the transpose without conjugation.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .._following._instructions import INSTRUCTIONS

__all__ = [
    "CONSTANT",
    "RULES",
    "Rule",
    "RuleFunction",
    "bilinear",
    "broadcasting",
    "constant",
    "elementwise",
    "general",
    "linear",
    "needs",
]

Picks = tuple[tuple[str, Any], ...]


class RuleFunction(NamedTuple):
    """Hold a function of a rule with the names of its parameters."""

    call: Callable[..., Any]
    picked: Callable[..., tuple[Any, ...]]  # of xp, result, operands, settings, number
    scales: bool = False  # its result is a factor, which broadcasts


class Rule(NamedTuple):
    """Hold the derivatives of one instruction.

    ``push`` and ``pull`` have one entry for each operand, None for an operand without a derivative;
    for an instruction with any number of operands the last entry serves the rest. If ``jointly``,
    the derivative is the instruction applied to the tangents. ``before`` is a function of the
    cotangent that all pulls share and that runs once. If ``numbers``, tangents may be numbers.
    """

    push: tuple[RuleFunction | None, ...]
    pull: tuple[RuleFunction | None, ...]
    jointly: bool = False
    separately: bool = False
    before: RuleFunction | None = None
    numbers: bool = False

    def of(self, functions: tuple[RuleFunction | None, ...], i: int) -> RuleFunction | None:
        return functions[i] if i < len(functions) else functions[-1]


CONSTANT = Rule((None,), (None,))
RULES: dict[str, Rule] = {}


def needs(
    name: str, function: Callable[..., Any], first: str = "", scales: bool = False
) -> RuleFunction:
    """Return a rule with the names of its parameters."""
    row = INSTRUCTIONS[name]
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    if first:
        if names[0] != first:
            raise ValueError(f"rule of {name}: its first parameter must be {first!r}")
        names = names[1:]
    picks: list[tuple[str, Any]] = []
    for n in names:
        base, _, attribute = n.rpartition("_")
        if n in ("xp", "y", "i", "operands", "shapes"):
            picks.append((n, None))
        elif n in row.operands:
            picks.append(("operand", row.operands.index(n)))
        elif n in row.settings:
            picks.append(("setting", (n, row.settings[n])))
        elif base in row.operands and attribute in ("shape", "dtype"):
            picks.append((attribute, row.operands.index(base)))
        elif n == row.rest:
            picks.append(("rest", len(row.operands)))
        else:
            raise ValueError(f"rule of {name}: nothing is called {n!r}")
    return RuleFunction(function, _picker(tuple(picks)), scales)


Pick = Callable[[Any, Any, Any, dict[str, Any], int], Any]


def _pick(kind: str, which: Any) -> Pick:
    """Return a function that gets one parameter of a rule from a call."""
    if kind == "operand":
        return lambda xp, y, ops, settings, i: ops[which] if which < len(ops) else None
    if kind == "setting":
        name, default = which
        return lambda xp, y, ops, settings, i: settings.get(name, default)
    return {
        "y": lambda xp, y, ops, settings, i: y,
        "xp": lambda xp, y, ops, settings, i: xp,
        "shape": lambda xp, y, ops, settings, i: tuple(ops[which].shape),
        "dtype": lambda xp, y, ops, settings, i: ops[which].dtype,
        "rest": lambda xp, y, ops, settings, i: ops[which:],
        "i": lambda xp, y, ops, settings, i: i,
        "shapes": lambda xp, y, ops, settings, i: tuple(
            tuple(a.shape) if hasattr(a, "shape") else None for a in ops
        ),
        "operands": lambda xp, y, ops, settings, i: ops,
    }[kind]


def _picker(picks: Picks) -> Callable[..., tuple[Any, ...]]:
    """Return a function that gets all parameters of a rule, with fast paths for common ones."""
    each = [_pick(kind, which) for kind, which in picks]
    if not each:
        return lambda xp, y, ops, settings, i: ()
    if picks == (("y", None),):
        return lambda xp, y, ops, settings, i: (y,)
    if len(each) == 1 and picks[0][0] == "operand":
        which = picks[0][1]
        return lambda xp, y, ops, settings, i: (ops[which],) if which < len(ops) else (None,)
    if len(each) == 2:
        a, b = each
        return lambda xp, y, ops, settings, i: (
            a(xp, y, ops, settings, i),
            b(xp, y, ops, settings, i),
        )
    return lambda xp, y, ops, settings, i: tuple(p(xp, y, ops, settings, i) for p in each)


def _fixed(number: int) -> Callable[..., Any]:
    return (lambda g: g) if number == 1 else (lambda g: -g)


def elementwise(name: str, *factors: Callable[..., Any] | int | None) -> None:
    """Define an elementwise function by its partial derivatives, 1 or -1, or None for none."""
    push: list[RuleFunction | None] = []
    for factor in factors:
        if factor is None:
            push.append(None)
        elif isinstance(factor, int):
            push.append(RuleFunction(_fixed(factor), _picker(())))
        else:
            push.append(needs(name, factor, scales=True))
    RULES[name] = Rule(tuple(push), tuple(push), numbers=True)


def broadcasting(name: str, push: tuple[Any, ...], pull: tuple[Any, ...]) -> None:
    """Define an elementwise function whose derivative is no factor (for complex numbers)."""
    RULES[name] = Rule(
        tuple(p and needs(name, p, "t") for p in push),
        tuple(p and needs(name, p, "g") for p in pull),
    )


def linear(name: str, *pull: Callable[..., Any] | None) -> None:
    """Define a function that is jointly linear in the operands that have a transpose."""
    steps = tuple(p and needs(name, p, "g") for p in pull)
    RULES[name] = Rule(steps, steps, jointly=True)


def bilinear(name: str, *pull: Callable[..., Any] | None) -> None:
    """Define a function that is linear in each operand that has a transpose, with others fixed."""
    steps = tuple(p and needs(name, p, "g") for p in pull)
    RULES[name] = Rule(steps, steps, separately=True)


def general(
    name: str,
    push: tuple[Callable[..., Any] | None, ...],
    pull: tuple[Callable[..., Any] | None, ...],
    before: Callable[..., Any] | None = None,
) -> None:
    """Define derivatives in both modes for each operand.

    With several results, `g` and the push's result are tuples; a cotangent of 0 is None. `before`
    is a function that the pulls of one result share."""
    RULES[name] = Rule(
        tuple(p and needs(name, p, "t") for p in push),
        tuple(p and needs(name, p, "g") for p in pull),
        before=before and needs(name, before, "g"),
    )


def constant(*names: str) -> None:
    """Define functions whose derivative is 0 wherever it exists."""
    for name in names:
        if name not in INSTRUCTIONS:
            raise ValueError(f"no instruction {name!r}")
        RULES[name] = CONSTANT
