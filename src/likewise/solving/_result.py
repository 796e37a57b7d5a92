"""Results of solvers: arrays, a status for each problem, and its explanation."""

import dataclasses
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeVar, dataclass_transform

from .._namespace import array_namespace, is_lazy, is_neutral, register_result, scalar
from ..errors import ConvergenceError, ConvergenceWarning, _level
from ._outcome import Outcome

__all__ = ["IN_BRACKETS", "Computed", "Readable", "Result", "insist", "result"]

T = TypeVar("T")
R = TypeVar("R", bound="Readable")

# SciPy's codes of what ends in brackets, elementwise.
IN_BRACKETS = {
    Outcome.CONVERGED: 0,
    Outcome.BAD_BRACKET: -1,
    Outcome.LIMIT: -2,
    Outcome.NOT_FINITE: -3,
}

_FIRST = ("message", "success", "status", "fun", "x", "nit", "converged", "root")  # as SciPy prints


@dataclass_transform(eq_default=False)
def result(cls: type[T]) -> type[T]:
    """Make a class a dataclass of arrays that the libraries' own transforms support."""
    made = dataclasses.dataclass(eq=False, repr=False)(cls)
    register_result(made)
    return made


class Computed:
    """A property that an attribute of the same name on the instance overrides."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else self.compute(instance)


class Readable:
    """Support the access of SciPy's results: by attribute or key, printed with a line per name.

    As in SciPy, you can set and add names, and delete fields.
    """

    status: Any
    success: Any
    note: str = ""
    """Says what else is to be said: which algorithm stood in for the one that was asked for."""

    def noted(self: R, note: str) -> R:
        """Return the result with a note, which is lost if a compiled function returns it."""
        self.note = note
        return self

    def _words(self) -> dict[int, tuple[str, bool]]:
        """Return the meaning of each status, and whether it is a success."""
        raise NotImplementedError

    def advice(self) -> dict[int, tuple[int, str]]:
        """Return counts of each status with its meaning. Reads the status."""
        words = self._words()
        if is_neutral(self.status):
            return {int(self.status): (1, words[int(self.status)][0])}
        xp = array_namespace(self.status)
        counts = {code: int(xp.count_nonzero(self.status == code)) for code in words}
        return {code: (n, words[code][0]) for code, n in counts.items() if n}

    def summary(self) -> str:
        """Return counts of each status with advice, most frequent first. Reads the status."""
        words = self._words()
        found = sorted(self.advice().items(), key=lambda item: -item[1][0])
        total = sum(n for _, (n, _) in found)
        good = sum(n for code, (n, _) in found if words[code][1])
        width = len(str(total))
        head = f"{good} of {total} problems converged"
        lines = [f"  {n:>{width}}  status {code:>2}: {text}" for code, (n, text) in found]
        return "\n".join([head, *lines])

    @Computed
    def message(self) -> str:
        """Explain how the problem ended; for a batch, with counts. Reads the status."""
        if is_lazy(self.status):
            return "the status has no value yet"
        if self.status.ndim:
            return self.summary().partition("\n")[0]
        return "".join(text for _, text in self.advice().values())

    def tell(self) -> None:
        """Print how it ended, if the status has a value."""
        if not is_lazy(self.status) and 0 not in self.status.shape:
            sys.stdout.write((self.summary() if self.status.ndim else self.message) + "\n")

    def keys(self) -> list[str]:
        """Return the names of the fields, including `message` and `success`."""
        fields = [f.name for f in dataclasses.fields(self)]  # type: ignore[arg-type]
        held = [name for name in fields if name in vars(self)]
        held = ["status" if name == "outcome" else name for name in held]
        more = [name for name in vars(self) if name not in fields and (name != "note" or self.note)]
        every = list(dict.fromkeys(["message", "success", *held, *more]))
        return sorted(every, key=lambda n: _FIRST.index(n) if n in _FIRST else len(_FIRST))

    def __getitem__(self, name: str) -> Any:
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def __delitem__(self, name: str) -> None:
        if name not in vars(self):
            raise KeyError(name)
        delattr(self, name)

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a name, or the default."""
        return getattr(self, name) if name in self.keys() else default

    def values(self) -> list[Any]:
        """Return the values of the names."""
        return [self[name] for name in self.keys()]

    def items(self) -> list[tuple[str, Any]]:
        """Return names and values."""
        return [(name, self[name]) for name in self.keys()]

    def __repr__(self) -> str:
        width = max(map(len, self.keys())) + 1
        indent = "\n" + " " * (width + 2)
        return "\n".join(
            f"{name:>{width}}: {str(value).replace(chr(10), indent)}"
            for name, value in self.items()
        )


class Result(Readable):
    """The base class of all results, with the status of each problem."""

    STATUS: ClassVar[dict[int, int]] = {}
    """The function's own code, SciPy's where it has one, of each outcome that it can have."""
    ADVICE: ClassVar[dict[int, str]] = {}
    """Words for an outcome, where the function's own say more."""

    outcome: Any

    def __post_init__(self) -> None:
        """Convert arrays without dimensions to scalars on NumPy, as NumPy's functions do."""
        for name, value in vars(self).items():
            if getattr(value, "shape", None) == ():
                setattr(self, name, scalar(value))

    @Computed
    def status(self) -> Any:
        """Return the function's own status code of each problem, an array of int32."""
        if is_neutral(self.outcome):
            known = int(self.outcome)
            return type(self.outcome)(self.STATUS.get(known, known))
        xp = array_namespace(self.outcome)
        code = self.outcome
        for known, own in self.STATUS.items():
            code = xp.where(self.outcome == known, xp.full_like(code, own), code)
        return code

    @Computed
    def success(self) -> Any:
        """Tell which problems have converged: an array of bool, or a Python bool for a scalar."""
        return bool(self.outcome > 0) if is_neutral(self.outcome) else self.outcome > 0

    def _words(self) -> dict[int, tuple[str, bool]]:
        words = Outcome.ADVICE | self.ADVICE
        return {own: (words[known], known > 0) for known, own in self.STATUS.items()}


def insist(function: str, found: Result, values: str, failed: str = "no convergence") -> None:
    """Raise or warn if problems did not converge, for a caller who gets arrays without status.

    A single problem raises an error; a batch gives one warning with the number of failures and
    their `values`. Arrays without values (under jit, on Dask) are not checked. Others are checked
    once, on their device: one number is copied to the host, and more only after a failure. `failed`
    is the text of SciPy's error, for which programs may search.
    """
    if is_lazy(found.outcome):
        return
    if not found.outcome.ndim:
        if int(found.outcome) > 0:
            return
        code, (_, why) = next(iter(found.advice().items()))
        raise ConvergenceError(
            f"{function}: {failed}, status {code}: {why}. full_output=True returns how far it came"
        )
    xp = array_namespace(found.outcome)
    wrong = xp.reshape(~found.success, (-1,))
    count = int(xp.count_nonzero(wrong))  # likewise: ignore[LW203]: asked for without a status
    if not count:
        return
    status = found.status
    words = found._words()
    often, code = max((n, code) for code, (n, _) in found.advice().items() if not words[code][1])
    why = words[code][0]
    first = int(xp.argmax(xp.astype(wrong, xp.int8)))
    index = []
    for k in reversed(status.shape):
        first, i = divmod(first, int(k))
        index.append(i)
    place = tuple(reversed(index))
    times = "" if often == count else f"{often} times "
    warnings.warn(
        f"{function}: {count} of {wrong.shape[0]} problems did not converge, the first at "
        f"{place if len(place) > 1 else place[0]}: {times}status {code}, {why}. {values}; "
        "full_output=True returns the status of each, and summary() of that counts them",
        ConvergenceWarning,
        stacklevel=_level(),
    )
