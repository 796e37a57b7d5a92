"""Offers: calls of public functions that a preferred provider may serve.

A call of an offered function first makes its checks. Its first apply step then asks the providers,
in the order of `prefer`. If one should run, the call ends there, and the provider is called with
the caller's own arguments instead. So checks come first by construction, and the caller gets a
provider's result or error unchanged.
"""

from collections.abc import Callable
from typing import Any

from . import _providers
from ._namespace import Library, device, is_neutral, leaves, library_of
from ._providers import Entry, Metadata
from .errors import ProviderError

__all__ = ["Chosen", "Offer", "key_of", "run"]

_PLAIN = (int, bool, str, bytes, type(None), type)


class Chosen(BaseException):
    """Ends a call at its apply step, in favour of a provider's routine."""

    def __init__(self, offer: "Offer", entry: Entry) -> None:
        self.offer, self.entry = offer, entry


class Offer:
    """One call of a public function, and its preferred routines, in order."""

    def __init__(
        self,
        func: Callable[..., Any],
        entries: tuple[Entry, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self.func, self.args, self.kwargs = func, args, kwargs
        self.name = func.__name__
        self.steps = _providers.steps(func)
        arrays = [x for x in leaves((*args, *kwargs.values())) if _is_array(x)]
        self.library: Library | None = library_of(arrays[0]) if arrays else None
        library = None if self.library is None else self.library.name
        self.entries = [e for e in entries if e.library == library]
        self.array = arrays[0] if arrays else None
        self.withdrawn: set[Entry] = set()  # routines that returned NotImplemented
        self.logged: set[Entry] = set()

    def verdict(self, entry: Entry) -> bool | str:
        """Return True if a routine serves this call, else the reason why not."""
        if entry in self.withdrawn:
            return "it answered NotImplemented for these values"
        kind = self.kind()
        return kind if isinstance(kind, str) else entry.verdict(kind, self.described)

    def choose(self, routine: Any) -> None:
        """End the call if the routine chosen for its step is a provider's."""
        if isinstance(routine, Entry):
            raise Chosen(self, routine)

    def kind(self) -> tuple[Any, ...] | str:
        """Return dtypes, shapes, device and options as a key; a text if they can't be one."""
        given = [*enumerate(self.args), *self.kwargs.items()]
        parts: list[Any] = [len(self.args), str(device(self.array))]
        for name, value in given:
            part = key_of(value, self.array.dtype)  # type: ignore[union-attr]
            if part is NotImplemented:
                if isinstance(name, int):
                    name = [*_providers.signature(self.func).parameters][: name + 1][-1]
                return (
                    f"{name} is a {type(value).__name__} that is no plain option: a provider gets "
                    "arrays, tuples of them, numbers, strings and None"
                )
            parts += name, part
        return tuple(parts)

    def described(self) -> Metadata:
        """Return the description of the call for `should_run`."""
        bound = _providers.signature(self.func).bind(*self.args, **self.kwargs)
        bound.apply_defaults()
        given = {n: v.item() if _is_scalar(v) else v for n, v in bound.arguments.items()}
        arrays = {n: v for n, v in given.items() if any(map(_is_array, leaves((v,))))}
        assert self.library is not None
        return Metadata(
            function=self.entries[0].name,
            library=self.library.name,
            dtypes={n: _each(v, lambda x: _named(x.dtype)) for n, v in arrays.items()},
            shapes={n: _each(v, lambda x: tuple(x.shape)) for n, v in arrays.items()},
            device=device(self.array),
            options={n: v for n, v in given.items() if n not in arrays},
        )


def _named(dtype: Any) -> str:
    """The standard name of a dtype, such as 'float64'."""
    return str(getattr(dtype, "name", None) or dtype).rpartition(".")[2]


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype") and not is_neutral(value)


def _each(value: Any, told: Callable[[Any], Any]) -> Any:
    """Apply a function to an array, or to each array of a tuple; None for other values."""
    if isinstance(value, tuple | list):
        return tuple(_each(v, told) for v in value)
    return told(value) if _is_array(value) else None


def _is_scalar(value: Any) -> bool:
    return hasattr(value, "dtype") and is_neutral(value)


def key_of(value: Any, dtype: Any, depth: int = 0) -> Any:
    """Return the key of an argument in a kind of calls, or NotImplemented."""
    if _is_scalar(value):
        return key_of(value.item(), dtype)
    if _is_array(value):
        return (value.dtype, tuple(value.shape)) if depth < 2 else NotImplemented
    if isinstance(value, float | complex):
        return type(value), repr(value)
    if type(value) in _PLAIN or type(value) is type(dtype):
        return type(value), value
    if type(value) in (tuple, list):
        parts = [key_of(v, dtype, depth + 1) for v in value]
        return NotImplemented if NotImplemented in parts else (type(value), tuple(parts))
    return NotImplemented


def run(chosen: Chosen) -> Any:
    """Call a provider's function; its errors get a note with the provider's name."""
    offer, entry = chosen.offer, chosen.entry
    function = entry.function
    try:
        out = function(*offer.args, **offer.kwargs)
    except Exception as error:
        error.add_note(
            f"raised by {entry.path} of the provider {entry.provider!r}, called for {entry.name}; "
            f"without {entry.provider!r} in prefer or LIKEWISE_PREFER, "
            f"{_providers.owner(entry.name)}'s own routines run"
        )
        raise
    for x in out if isinstance(out, tuple) else (out,):
        other = library_of(x) if hasattr(x, "dtype") else offer.library
        if other is not offer.library and not is_neutral(x):
            raise ProviderError(
                f"{entry.path} of the provider {entry.provider!r} returned {type(x).__name__} for "
                f"{entry.name} on {entry.library}; a provider must return arrays of the library "
                f"that it was given ({entry.file})"
            )
    return out
