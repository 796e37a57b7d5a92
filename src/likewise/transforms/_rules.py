"""How rules are written down: a row per instruction, read by the interpreters.

A rule is a function whose parameters say by name what it needs, and nothing else is kept for it:

- ``g`` (pull) or ``t`` (push), always first: the result's cotangent, the operand's tangent;
- ``xp``: the namespace to call; ``y``: the result; an operand by its name in `INSTRUCTIONS`;
- ``x_shape``, ``x_dtype`` for an operand ``x``; a setting by its name, defaults filled in;
- ``i``: the operand's number; ``operands``: all of them; ``shapes``: theirs, None of a number.

Rules use standard functions only, so they nest and run on any library. Of two arrays of which one
may be a proxy and the other not, the cotangent or tangent stands left of the operator.
JAX's convention for complex numbers: a pull is the transpose without conjugation.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ._instructions import INSTRUCTIONS

__all__ = [
    "CONSTANT",
    "RULES",
    "Rule",
    "Step",
    "bilinear",
    "broadcasting",
    "constant",
    "elementwise",
    "general",
    "linear",
    "needs",
]

Picks = tuple[tuple[str, Any], ...]


class Step(NamedTuple):
    """A function with what it asks for."""

    call: Callable[..., Any]
    picked: Callable[..., tuple[Any, ...]]  # of xp, result, operands, settings, number
    scales: bool = False  # its result is a factor, which broadcasts


class Rule(NamedTuple):
    """The derivatives of one instruction.

    ``push`` and ``pull`` have one entry for each operand, None for one that has no derivative; of
    an instruction with operands of any number the last entry serves the rest. If ``jointly``, the
    instruction applied to tangents is its own derivative. ``before`` is what all pulls begin with,
    done once: of the cotangent another of the same shape. If ``numbers``, tangents may be numbers.
    """

    push: tuple[Step | None, ...]
    pull: tuple[Step | None, ...]
    jointly: bool = False
    separately: bool = False
    before: Step | None = None
    numbers: bool = False

    def of(self, steps: tuple[Step | None, ...], i: int) -> Step | None:
        return steps[i] if i < len(steps) else steps[-1]


CONSTANT = Rule((None,), (None,))
RULES: dict[str, Rule] = {}


def needs(name: str, function: Callable[..., Any], first: str = "", scales: bool = False) -> Step:
    """A rule with what its parameters ask for."""
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
    return Step(function, _picker(tuple(picks)), scales)


Pick = Callable[[Any, Any, Any, dict[str, Any], int], Any]


def _pick(kind: str, which: Any) -> Pick:
    """One of the things that a rule may ask for, of a call."""
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
    """All that a rule asks for; the short ways are what most rules take."""
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
    """A function of numbers, broadcast: its partial derivatives, 1 or -1, or None for none."""
    push: list[Step | None] = []
    for factor in factors:
        if factor is None:
            push.append(None)
        elif isinstance(factor, int):
            push.append(Step(_fixed(factor), _picker(())))
        else:
            push.append(needs(name, factor, scales=True))
    RULES[name] = Rule(tuple(push), tuple(push), numbers=True)


def broadcasting(name: str, push: tuple[Any, ...], pull: tuple[Any, ...]) -> None:
    """A function of numbers, broadcast, whose derivative is no factor (of complex numbers)."""
    RULES[name] = Rule(
        tuple(p and needs(name, p, "t") for p in push),
        tuple(p and needs(name, p, "g") for p in pull),
    )


def linear(name: str, *pull: Callable[..., Any] | None) -> None:
    """Linear in the operands that have a transpose, taken together."""
    steps = tuple(p and needs(name, p, "g") for p in pull)
    RULES[name] = Rule(steps, steps, jointly=True)


def bilinear(name: str, *pull: Callable[..., Any] | None) -> None:
    """Linear in each operand that has a transpose, the others held."""
    steps = tuple(p and needs(name, p, "g") for p in pull)
    RULES[name] = Rule(steps, steps, separately=True)


def general(
    name: str,
    push: tuple[Callable[..., Any] | None, ...],
    pull: tuple[Callable[..., Any] | None, ...],
    before: Callable[..., Any] | None = None,
) -> None:
    """Derivatives both ways, for each operand. Of several results, `g` and the push's result are
    tuples; a cotangent that is 0 is None. `before` is what the pulls of one result share."""
    RULES[name] = Rule(
        tuple(p and needs(name, p, "t") for p in push),
        tuple(p and needs(name, p, "g") for p in pull),
        before=before and needs(name, before, "g"),
    )


def constant(*names: str) -> None:
    """Functions whose derivative is 0 wherever they have one."""
    for name in names:
        if name not in INSTRUCTIONS:
            raise ValueError(f"no instruction {name!r}")
        RULES[name] = CONSTANT
