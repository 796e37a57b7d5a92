"""Remembers which routine a call ended in, where its plan saw dtypes, shapes and options only.

On small NumPy arrays the checks of a public function cost more than the work behind them. So
`likewise._native.public` watches a call of a new kind, and remembers the apply step that it ended
in, with the choice between the native routine and the generic body made:

- exactly one apply step ran, and didn't raise;
- its arguments were the caller's arrays themselves, every one of them, and constants;
- what it returned is the very object that the function returned;
- nobody asked for values, which all code does by `_namespace.is_concrete` first, nor quietened
  the library's warnings: the library's file says so here, by `looked`.

Then nothing but dtypes, shapes and options can have had a part in the choice, and for equal ones
the choice is the same. The next such call goes to the routine or body at once. What raised is never
remembered, so errors are found anew each time; where a routine answers NotImplemented, which it may
do for values, the call goes the long way.
"""

import threading
from collections.abc import Callable
from operator import itemgetter
from typing import Any, TypeAlias

__all__ = ["PLAIN", "SCALARS", "WATCH", "Memo", "Plan", "frozen", "looked", "noted", "watched"]

# A routine or body, what picks its arguments out of the caller's and of the constants that follow
# them (None: all, as they stand), and those constants. Or None: nothing is remembered.
Plan: TypeAlias = tuple[Callable[..., Any], Callable[[Any], Any] | None, tuple[Any, ...]] | None
Memo: TypeAlias = dict[tuple[Any, ...], Plan]

# Classes of arrays of which plans and rows see dtype and shape only: a library's file adds its own.
PLAIN: set[type] = set()
# Classes of options that are equal when their values are; 0.0 and -0.0 are for `frozen`.
SCALARS: set[type] = {int, bool, str, type(None), type}
_SIZE = 256  # kinds of calls remembered of each function


class _Watch(threading.local):
    """Returns what a call does that is being watched on this thread."""

    on = False
    looked = False
    again = False  # nothing is to be remembered yet
    ran: tuple[tuple[Any, ...], ...] = ()  # outer and inner steps: routine, arguments, result


WATCH = _Watch()


def looked() -> None:
    """Tell that values may now decide what happens."""
    WATCH.looked = True


def noted(
    generic: Callable[..., Any], native: tuple[Callable[..., bool], Callable[..., Any]] | str
) -> Callable[..., Any]:
    """An apply step, the native routine where it serves, noted by a call that is being watched."""
    when, routine = (None, generic) if isinstance(native, str) else native

    def run(*args: Any) -> Any:
        if not WATCH.on:
            return routine(*args) if when is None or when(*args) else generic(*args)
        before = WATCH.looked or bool(WATCH.ran)
        chosen = routine if when is None or when(*args) else generic
        WATCH.looked, WATCH.ran = False, ()
        try:
            out = chosen(*args)
        except BaseException:
            WATCH.looked = True  # somebody may be told by it
            raise
        # Values that it looked at are looked at in every call. An inner step may be all there is.
        inner = () if WATCH.looked else WATCH.ran
        WATCH.again = WATCH.again or out is NotImplemented
        WATCH.looked, WATCH.ran = before, ((chosen, args, out), *inner)
        return out

    return run


def frozen(value: Any) -> Any:
    """Return what stands for an option in a key, or NotImplemented."""
    if type(value) is float:
        return value or repr(value)
    if type(value) is tuple and all(type(v) in SCALARS for v in value):
        return (value, *map(type, value))
    return NotImplemented


def watched(
    func: Callable[..., Any],
    memo: Memo,
    key: tuple[Any, ...],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Call a function, and remember under the key which apply step it ended in, if it did."""
    if WATCH.on:
        return func(*args, **kwargs)
    WATCH.on, WATCH.looked, WATCH.again, WATCH.ran = True, False, False, ()
    try:
        out = func(*args, **kwargs)
        ran: tuple[tuple[Any, ...], ...] = () if WATCH.looked else WATCH.ran
    finally:
        WATCH.on, WATCH.ran = False, ()
    given = (*args, *kwargs.values())
    arrays = {id(a): i for i, a in enumerate(given) if type(a) in PLAIN}
    if WATCH.again or len(arrays) < sum(type(a) in PLAIN for a in given):
        return out  # of one array that is given twice it can't be told which is which
    if len(memo) >= _SIZE:
        memo.clear()
    plans = (_plan(step, out, given, arrays) for step in reversed(ran))
    memo[key] = next(filter(None, plans), None)
    return out


def _plan(step: tuple[Any, ...], out: Any, given: tuple[Any, ...], arrays: dict[int, int]) -> Plan:
    routine, args, result = step
    if result is not out or id(out) in arrays or not _is_new(out):
        return None
    if any(given[i].shape == () for i in arrays.values()):
        return None  # which may have served as a number
    places: list[int] = []
    constants: list[Any] = []
    for a in args:
        if id(a) in arrays:
            places.append(arrays[id(a)])
        elif _is_constant(a):
            places.append(len(given) + len(constants))
            constants.append(a)
        else:
            return None
    if not set(places) >= set(arrays.values()):
        return None
    rest = tuple(constants)
    if places == list(range(len(given) + len(rest))):
        return routine, None, rest
    if len(places) == 1:  # of one place `itemgetter` doesn't make a tuple
        return routine, itemgetter(slice(places[0], places[0] + 1)), rest
    return routine, itemgetter(*places), rest


def _is_new(out: Any) -> bool:
    """Tell if an object was made by what returned it; True and False, NumPy's too, are not."""
    if isinstance(out, tuple):
        return len(out) > 0
    return type(out) in PLAIN or str(getattr(out, "dtype", "bool")) != "bool"


def _is_constant(value: Any) -> bool:
    if type(value) is tuple:
        return all(_is_constant(v) for v in value)
    return type(value) in SCALARS or type(value) in (float, complex)
