"""The work on one piece: margins, checks, halves where memory ends, bad items found."""

import copy
import traceback
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .._memory import out_of_memory
from .._namespace import array_namespace, describe, hooks_of, library_of
from ..errors import ArrayTypeError
from ..transforms import tree_flatten, tree_map
from ._sources import holds_numbers, sliced

__all__ = ["Done", "Failed", "Part", "Piece", "Work", "Wrong", "is_writable", "kept", "results_of"]


class Piece(NamedTuple):
    """Number the items of one piece."""

    number: int
    start: int
    stop: int


class Part(NamedTuple):
    """Hold the results of some items; None where the function raised."""

    start: int
    stop: int
    leaves: list[Any] | None
    why: str = ""


class Done(NamedTuple):
    """Hold what a piece gave."""

    piece: Piece
    parts: list[Part]
    structure: Any
    carry: Any
    taken: int = 0  # bytes of memory that it took, besides what was there; 0 if not known
    warned: Sequence[tuple[str, type[Warning], str, int]] = ()  # by another process


class Failed(NamedTuple):
    """Hold why a piece gave nothing, and for which items the function was called."""

    piece: Piece
    start: int
    stop: int
    error: BaseException
    trace: str = ""


class _Stop(Exception):
    """Raised for items that fail, to end the piece."""

    def __init__(self, start: int, stop: int) -> None:
        super().__init__(start, stop)
        self.start, self.stop = start, stop


class Wrong(Exception):
    """Raised for results that no other call would mend."""


def is_writable(x: Any) -> bool:
    """Tell if an array could be made one that can't be written to, as NumPy's can."""
    return bool(getattr(getattr(x, "flags", None), "writeable", False))


def kept(x: Any) -> Any:
    """Return an array in memory that nobody else writes to."""
    if not hooks_of(x).facts()["mutable"]:
        return x
    return array_namespace(x).asarray(x, copy=True)


def _kept_state(state: Any) -> Any:
    """Return a state that a function may change, and what it keeps of it."""
    try:
        return tree_map(lambda x: copy.deepcopy(x) if library_of(x) is None else kept(x), state)
    except Exception as error:  # what an object's own method raises
        raise Wrong(
            f"a state must be of what can be copied ({type(error).__name__}: {error}); other "
            "objects are bound to the function: functools.partial(fun, file)"
        ) from error


def results_of(item: int, ratio: Fraction) -> int:
    """Return how many results there are of the items before one."""
    return -(-item * ratio.numerator // ratio.denominator)


class Work(NamedTuple):
    """Hold the function, and how its pieces are cut and put together."""

    fun: Any
    axis: int
    length: int  # of all items
    before: int
    after: int
    ratio: Fraction
    carried: bool
    filling: bool  # NaN for what fails
    most: list[int]  # of items in a call, after memory ended; a list, as it is found on the way

    def margins(self, start: int, stop: int) -> tuple[int, int]:
        """Return the items to be read for some items."""
        return max(0, start - self.before), min(self.length, stop + self.after)

    def perform(
        self, piece: Piece, arrays: Sequence[Any], origin: int, carry: Any, keep: bool
    ) -> Any:
        """Return `Done` or `Failed` of a piece, whose arrays begin at the item `origin`.

        With `keep`, results are in memory that the function doesn't know.
        """
        call = _Call(self, arrays, origin, carry, keep)
        try:
            parts = call.parts(piece.start, piece.stop)
        except _Stop as stop:
            error = stop.__cause__ or stop
            return Failed(piece, stop.start, stop.stop, error, _told(error))
        return Done(piece, parts, call.structure, call.carry)


def _told(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)).rstrip()


class _Call:
    """Call the function for the items of one piece, in one or in many calls."""

    def __init__(
        self, work: Work, arrays: Sequence[Any], origin: int, carry: Any, keep: bool
    ) -> None:
        self.work, self.origin, self.carry = work, origin, carry
        self.arrays = [hooks_of(x).guarded(x) if is_writable(x) else x for x in arrays]
        self.keep = keep
        self.structure: Any = None

    def parts(self, start: int, stop: int) -> list[Part]:
        """Return the results, in halves where it must be."""
        most = self.work.most[0] if self.work.most else stop - start
        halves = self._halves(start, stop)
        if stop - start > most and halves:
            self.keep = True  # the next call may write into the same memory
            return [p for half in halves for p in self.parts(*half)]
        why = ""
        try:
            return [Part(start, stop, self._leaves(start, stop))]
        except Wrong as error:
            raise _Stop(start, stop) from error
        except Exception as error:  # of the user's function
            memory = out_of_memory(error, self.arrays[0])
            if not (bool(halves) if memory else self.work.filling):
                raise _Stop(start, stop) from error
            why = f"{type(error).__name__}: {error}"
        # Here the error, and what the frames of its traceback hold, is gone.
        if memory:
            self.work.most[:] = [max(b - a for a, b in halves)]
        if halves:
            self.keep = True
            return [p for half in halves for p in self.parts(*half)]
        return [Part(start, stop, None, why)]

    def _halves(self, start: int, stop: int) -> list[tuple[int, int]]:
        step = self.work.ratio.denominator
        if stop - start <= step:
            return []
        middle = start + -(-(stop - start) // (2 * step)) * step
        return [(start, middle), (middle, stop)] if middle < stop else []

    def _leaves(self, start: int, stop: int) -> list[Any]:
        """Return the results of one call, without those of margins."""
        work = self.work
        a, b = work.margins(start, stop)
        pieces = [self._cut(x, a, b) for x in self.arrays]
        if work.carried:
            found = work.fun(_kept_state(self.carry), *pieces)
            if type(found) is not tuple or len(found) != 2:
                raise Wrong(
                    "with carry= the function must return a tuple (carry, result), as for "
                    f"likewise.scan; it returned a {type(found).__name__}"
                )
            carry, found = _kept_state(found[0]), found[1]
        else:
            carry, found = None, work.fun(*pieces)
        leaves, structure = tree_flatten(found)
        first = results_of(a, work.ratio)
        count = results_of(b, work.ratio) - first
        cut = results_of(start, work.ratio) - first, results_of(stop, work.ratio) - first
        if isinstance(found, list) and not getattr(leaves[0] if leaves else None, "shape", ()):
            raise Wrong(
                "the function returned a list of numbers; a list is a tree with a result in each "
                "place: return an array, such as numpy.asarray(the list)"
            )
        for leaf in leaves:
            self._check(leaf, count, b - a)
        if not leaves and not work.carried:
            raise Wrong("the function returned no array; only with carry= may it return None")
        self.carry, self.structure = carry, structure
        if cut != (0, count):
            leaves = [sliced(x, work.axis, *cut) for x in leaves]
        return list(map(kept, leaves)) if self.keep else leaves

    def _cut(self, x: Any, start: int, stop: int) -> Any:
        axis, begin = self.work.axis, self.origin
        whole = start == begin and stop == begin + int(x.shape[axis])
        return x if whole else sliced(x, axis, start - begin, stop - begin)

    def _check(self, leaf: Any, count: int, items: int) -> None:
        axis, shape = self.work.axis, getattr(leaf, "shape", None)
        if shape is None or (library_of(leaf) is None and not hasattr(leaf, "__array_namespace__")):
            raise Wrong(
                f"each result must be an array, got {leaf!r:.60} of type {type(leaf).__name__}"
            )
        try:
            right = holds_numbers(leaf)
        except ArrayTypeError as error:  # a masked array, for instance
            raise Wrong(str(error).removeprefix("map_chunks: ")) from None
        if not right:
            raise Wrong(f"each result must hold numbers or booleans, got {describe(leaf)}")
        if -len(shape) <= axis < len(shape) and int(shape[axis]) == count:
            return
        wanted = f"{items} items" + ("" if count == items else f" (length_ratio: {count} results)")
        raise Wrong(
            f"a piece of {wanted} gave a result of shape {tuple(shape)}: {count} were expected "
            f"along axis={axis}. length_ratio= says that results are shorter or longer, and carry= "
            "is for sums over all pieces"
        )
