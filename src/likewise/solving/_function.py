"""The user's functions for solvers: calls, checks, derivatives, maps and blocks.

To write a solver:

1. `Function` is one function of the user. ``fun(x, *args, wanted=(n, p))`` calls it and returns an
   array of x's library, dtype and device and of that shape, in which None is any number; `several`
   does so for a function that returns a value with its derivatives (``jac=True``). Its first array
   is a copy (`own` sets how many are), so it may write to it. Errors have the same text for all
   solvers.
2. `arguments` makes a tuple of `args`: a scalar, an array or a tuple. Its arrays are read-only. If
   a function with `lending` writes to one, it gets new copies in each call from then on.
3. `of_rows` calls a function of one problem, or of all, with rows (B, ...): directly, mapped, or
   with all at once.
4. `value_and_gradient` and `jacobian` give the derivatives of a function of rows: exact for None,
   else by finite differences '2-point', '3-point' or 'cs', within bounds, with relative steps
   `diff_step`.
   A callable `jac` is a `Function` of its own.
5. `carried` gives solutions their implicit derivatives. A solver need only define the function that
   is 0 at the solution.
6. `solving._blocks.in_blocks`, at the begin of a public function, calls it on each block where
   arrays come in blocks (Dask), and takes the results' shapes from a call of no problems.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .._namespace import array_namespace, describe, device, is_neutral, quiet
from .._plan import is_complex
from ..errors import (
    ArgumentError,
    ArrayTypeError,
    DtypeError,
    MixedDevicesError,
    ShapeError,
    TransformError,
)
from ..transforms import stop_gradient, vjp, vmap
from ..transforms._columns import columns, valued_columns
from ..transforms._following._escapes import foreign, users_line
from ..transforms._following._interpreter import is_open
from ..transforms._following._lanes import beside, meeting
from ..transforms._following._proxy import bottom
from ..transforms._implicit import refined, refined_elementwise
from ._running import guarded, lent, owned, owner

__all__ = [
    "DIFFERENCES",
    "Function",
    "above_one",
    "arguments",
    "carried",
    "check_callable",
    "dense",
    "jacobian",
    "of_rows",
    "steps_from",
    "value_and_gradient",
]

DIFFERENCES = ("2-point", "3-point", "cs")

Shape = tuple[int | None, ...]


def check_callable(function: str, f: Any, name: str = "the function") -> None:
    """Refuse what can't be called."""
    if not callable(f):
        raise ArrayTypeError(f"{function}: {name} must be callable, got {describe(f)}")


def arguments(args: Any) -> tuple[Any, ...]:
    """Return the arguments as a tuple: an object that isn't a tuple is a single argument.

    A function that writes to their arrays doesn't change the caller's.
    """
    return tuple(map(guarded, args if isinstance(args, tuple) else (args,)))


class Function:
    """Call a function of the user, and check its results."""

    def __init__(
        self,
        function: str,
        name: str,
        fun: Callable[..., Any],
        kwargs: Mapping[str, Any] | None = None,
        hint: str = "",
        lending: bool = False,
    ) -> None:
        check_callable(function, fun, name)
        self.function, self.name, self.fun = function, name, fun
        self.kwargs = {k: guarded(a) for k, a in (kwargs or {}).items()}
        self.hint = hint  # what may help where the shape is wrong
        self.lending = lending  # whether it may write to its arguments, as SciPy's may
        self.writes = False  # whether it was seen to want that
        self.placed = False  # whether it was seen that results are where points are

    def __call__(
        self,
        *given: Any,
        wanted: Shape | None = None,
        like: Any = None,
        own: int = 1,
        spread: int = -1,
    ) -> Any:
        """Return an array of the shape `wanted`, by default of `like`, by default given[0]."""
        like = given[0] if like is None else like
        shape = tuple(like.shape) if wanted is None else wanted
        return self.checked(self.called(*given, own=own), shape, like, spread)

    def several(
        self, *given: Any, wanted: Sequence[Shape], own: int = 1, spread: int = -1
    ) -> tuple[Any, ...]:
        """Return one array per shape, from a function that returns them together."""
        out = self.called(*given, own=own)
        if not isinstance(out, tuple | list) or len(out) < len(wanted):
            raise ArrayTypeError(
                f"{self.function}: {self.name} must return a tuple of its value and "
                f"{len(wanted) - 1} derivative{'s' * (len(wanted) > 2)}, got {_described(out)}"
            )
        pairs = zip(out, wanted, strict=False)  # SciPy's functions may return more
        return tuple(
            self.checked(o, shape, given[0], spread, i) for i, (o, shape) in enumerate(pairs)
        )

    def direct(self, like: Any, args: tuple[Any, ...], wanted: Shape) -> Callable[[Any], Any]:
        """Return the function for arrays like one, with minimal overhead.

        A result that is a valid array or NumPy scalar is returned unchanged.
        """
        fun = partial(self.fun, **self.kwargs) if self.kwargs else self.fun
        cls, dtype = type(like), like.dtype
        own = owner(like)
        free = len(wanted) if None in wanted else -1  # dimensions, of whatever size

        def call(x: Any) -> Any:
            if self.writes:
                return self(x, *args, wanted=wanted)
            try:
                out = fun(own(x), *args)
            except Exception as error:
                if self.lends(error):
                    return call(x)
                self.explain(error, x)
                raise
            plain = type(out) is cls or (hasattr(out, "item") and is_neutral(out))
            known = plain and getattr(out, "dtype", None) == dtype
            right = known and (out.shape == wanted or out.ndim == free)
            return out if right else self.checked(out, wanted, x)

        return call

    def called(self, *given: Any, own: int = 1) -> Any:
        """Return the function's result; it may write to its first arrays."""
        every, count = meeting((*given, *self.kwargs.values())), len(given)
        rest = every[own:]
        if self.writes and not is_open():
            rest = tuple(map(lent, rest))
        kwargs = dict(zip(self.kwargs, rest[count - own :], strict=True))
        try:
            return self.fun(*map(owned, every[:own]), *rest[: count - own], **kwargs)
        except Exception as error:
            if self.lends(error):
                return self.called(*given, own=own)
            self.explain(error, next((a for a in given if hasattr(a, "dtype")), given[0]))
            raise

    def lends(self, error: Exception) -> bool:
        """Tell if an error says that arguments are read-only; from then on, copies are passed."""
        if not self.lending or self.writes or is_open() or not _of_reading_only(error):
            return False
        self.writes = True
        return True

    def explain(self, error: Exception, given: Any) -> None:
        """Explain an error, or name the call that raised it."""
        if self.writes and is_open() and _of_reading_only(error):
            raise TransformError(
                f"{self.function}: {self.name} writes to its arguments{users_line(error)}, "
                "which can't be followed: return a new array, likewise.missing.at(x)[i].set(v)."
            ) from error
        if _of_writing(error):
            raise ArgumentError(
                f"{self.function}: {self.name} writes to an array that can't be written to"
                f"{users_line(error)}, got {type(error).__name__}: {error}. Return a new array: "
                "likewise.missing.at(x)[i].set(v)"
            ) from error
        foreign(self.function, self.name, error, given)
        note = f"{self.function}: {self.name} raised this, called with {_described(given)}"
        if not any(n.startswith(f"{self.function}: ") for n in getattr(error, "__notes__", ())):
            error.add_note(note)

    def checked(self, out: Any, wanted: Shape, like: Any, spread: int = -1, index: int = 0) -> Any:
        """Return a result as an array of the library, dtype and device of `like`.

        Its shape is `wanted`; a result with at most `spread` dimensions is broadcast to it.
        """
        if type(out) is not type(like):
            if is_neutral(like):  # one of NumPy's scalars
                like = array_namespace(like).asarray(like)
            out = _arrayed(out, like)
            made = beside(out, like)  # it may be of no variable that a transform follows
            if made is None or not _standard(made):
                words = self._words(wanted, like, out, index)
                if _standard(out):
                    words += (
                        ". It gets arrays of the library of its arguments: compute with "
                        "likewise.array_namespace(x), or give an argument, such as a limit or a "
                        "point, as an array of the other library"
                    )
                raise ArrayTypeError(words)
            out = made
            if isinstance(out, type(like)) and type(out) is not type(like):  # of a user's class
                out = array_namespace(like).asarray(out)
        if out.dtype != like.dtype and not _of_complex_step(out, like):
            raise DtypeError(
                self._words(wanted, like, out, index) + ". Is there an array constant of another "
                "dtype in it? Python floats take the dtype of what they meet."
            )
        if not self.placed:
            if _elsewhere(out, like):
                raise MixedDevicesError(self._words(wanted, like, out, index))
            self.placed = True
        found = tuple(out.shape)
        if found == wanted:
            return out
        fitted = _fitted(out, found, wanted, spread)
        if fitted is None:
            raise ShapeError(self._words(wanted, like, out, index) + self.hint)
        return fitted

    def _words(self, wanted: Shape, like: Any, out: Any, index: int) -> str:
        dims = ", ".join("n" if n is None else str(n) for n in wanted)
        dims += "," * (len(wanted) == 1)
        part = f" (at {index} of what it returns)" if index else ""
        wish = _described(like, f"({dims})")
        return f"{self.function}: {self.name} must return {wish}{part}, got {_described(out)}"


def _described(x: Any, shape: str = "") -> str:
    """Describe an object as `describe` does; a traced array has its library's name."""
    if not hasattr(x, "shape") or not hasattr(x, "dtype") or not _standard(x):
        return describe(x)
    text = describe(bottom(x)).partition(" array of ")[0]
    where = device(x)
    place = "" if where is None else f", on {where}"
    return f"a {text} array of {x.dtype}, shape {shape or tuple(x.shape)}{place}"


def _arrayed(out: Any, like: Any) -> Any:
    """Python's numbers, NumPy's scalars and lists of arrays or numbers, as arrays."""
    if isinstance(out, int | float | complex) and not isinstance(out, bool):
        if hasattr(out, "dtype"):
            return array_namespace(like).asarray(out)  # np.float64 is a float
        xp = array_namespace(like)
        fits = not isinstance(out, complex) or is_complex(xp, like.dtype)
        return xp.asarray(out, dtype=like.dtype, device=device(like)) if fits else out
    if isinstance(out, list | tuple) and out:
        every = [_arrayed(o, like) for o in out]
        if all(hasattr(o, "shape") for o in every):
            return array_namespace(like, *every).stack(every)
        return out
    if is_neutral(out) and hasattr(out, "dtype"):
        return array_namespace(like).asarray(out)
    return dense(out, like)


def dense(out: Any, like: Any) -> Any:
    """Return an array of what may be a sparse matrix of SciPy's, or an operator."""
    if hasattr(out, "toarray"):
        return out.toarray()
    if hasattr(out, "matvec") and len(out.shape) == 2:
        xp, n = array_namespace(like), int(out.shape[1])
        eye = xp.eye(n, dtype=like.dtype, device=device(like))
        return xp.stack([out.matvec(eye[:, i]) for i in range(n)], axis=1)
    return out


def _standard(out: Any) -> bool:
    """Tell an array from other objects with shape and dtype, such as linear operators."""
    try:
        array_namespace(out)
    except ArrayTypeError:
        return False
    return True


def _of_complex_step(out: Any, like: Any) -> bool:
    return is_complex(array_namespace(like), like.dtype)


def _elsewhere(out: Any, like: Any) -> bool:
    if is_neutral(out) or is_neutral(like):  # NumPy's scalars have no device
        return False
    here, there = device(like), device(out)
    return here is not None and there is not None and here != there


def _fitted(out: Any, found: tuple[int, ...], wanted: Shape, spread: int) -> Any:
    """The array in the shape that is wanted, or None."""
    xp = array_namespace(out)
    if len(found) == len(wanted):
        if all(w is None or w == n for w, n in zip(wanted, found, strict=True)):
            return out
    elif not found and all(n in (None, 1) for n in wanted):
        return xp.reshape(out, (1,) * len(wanted))
    elif found == (1,) and not wanted:  # as SciPy allows
        return out[0]
    fits = None not in wanted and len(found) <= min(spread, len(wanted))
    if fits and all(a in (1, b) for a, b in zip(found[::-1], wanted[::-1], strict=False)):
        return xp.broadcast_to(out, wanted)
    return None


def _of_writing(error: Exception) -> bool:
    """Tell if an error says that an array can't be written to."""
    words = str(error)
    if isinstance(error, RuntimeError):  # of torch, in its transforms
        return "in-place operation" in words and "captured" in words
    return isinstance(error, TypeError | ValueError) and (
        "immutable" in words or "read-only" in words
    )


def _of_reading_only(error: Exception) -> bool:
    return isinstance(error, ValueError) and "read-only" in str(error)


# -- many problems ---------------------------------------------------------------------------------


def of_rows(
    fun: Callable[..., Any], arrays: Sequence[Any], *, alone: bool = False, joint: bool = False
) -> Any:
    """Return the results of `fun`, (B, ...) each, for rows of arrays (B, ...).

    `fun` takes one row: it is called directly if there is one problem (`alone`), else mapped. With
    `joint`, it takes all rows.
    """
    if joint:
        return fun(*arrays)
    if not alone:
        return vmap(fun)(*arrays)
    out = fun(*(a[0, ...] for a in arrays))
    return tuple(a[None, ...] for a in out) if isinstance(out, tuple) else out[None, ...]


def value_and_gradient(
    value: Callable[[Any], Any],
    x: Any,
    method: str | None,
    bounds: tuple[Any, Any] | None = None,
    diff_step: Any = None,
) -> tuple[Any, Any]:
    """Return values (B,) and gradients (B, p) of a function of rows, (B, p) to (B,).

    Exact gradients use reverse mode. Steps of finite differences are SciPy's, relative to variables
    above 1.
    """
    if method is None:
        found, pull = vjp(value, x)
        return found, pull(array_namespace(found).ones_like(found))[0]

    def column(v: Any) -> Any:
        return value(v)[:, None]

    diff_step = above_one(method, x) if diff_step is None else diff_step
    found, columns = valued_columns(column, x, method, bounds, diff_step)
    return found[:, 0], columns[:, :, 0]


def above_one(method: str, x: Any) -> Any:
    """Return SciPy's steps of finite differences at x (B, p), relative to variables above 1.

    They are relative to x, (p, B, 1); None for the complex step, which has no rounding.
    """
    if method == "cs":
        return None
    xp = array_namespace(x)
    size, one = xp.abs(x), xp.ones_like(x)
    power = 1 / 2 if method == "2-point" else 1 / 3
    relative = xp.maximum(size, one) / xp.where(size == 0, one, size)
    return xp.matrix_transpose(relative * float(xp.finfo(x.dtype).eps) ** power)[..., None]


def steps_from(method: str, x: Any, start: Any) -> Any:
    """Return the steps of finite differences relative to unknowns, which may be 0 up to rounding.

    Steps are not negligible relative to the start of the unknowns.
    """
    xp = array_namespace(x)
    eps = float(xp.finfo(x.dtype).eps)
    size, usual = (xp.where(v == 0, xp.ones_like(v), xp.abs(v)) for v in (x, start))
    power = {"2-point": 1 / 2, "3-point": 1 / 3, "cs": 1.0}[method]
    return eps**power * xp.maximum(xp.ones_like(x), eps**0.25 * usual / size)


def jacobian(
    residuals: Callable[[Any], Any],
    x: Any,
    method: str | None,
    bounds: tuple[Any, Any] | None = None,
    diff_step: Any = None,
) -> Any:
    """Return Jacobians (B, n, p) of a function of rows, (B, p) to (B, n)."""
    found = columns(residuals, x, method, bounds, diff_step)
    return array_namespace(found).matrix_transpose(found)


# -- derivatives of solutions ----------------------------------------------------------------------


def carried(
    x: Any,
    residual: Callable[[Any], Any],
    good: Any = None,
    instead: Any = None,
    refine: Callable[[Any, Callable[[Any], Any]], Any] | None = None,
    leave: bool = False,
) -> Any:
    """Return solutions `x` of ``residual(x) = 0`` with implicit derivatives, where `good`.

    `x` and the residual are (B,), one equation per problem, or (B, p); `good` is (B,). Where it is
    false the residual is evaluated at `instead`, by default `x`. `refine` replaces `refined`, which
    gets `leave`, or `refined_elementwise` for one equation.
    """
    x = stop_gradient(x)
    if refine is None:
        refine = refined_elementwise if x.ndim == 1 else partial(refined, leave=leave)
    xp = array_namespace(x)
    with quiet(x):
        if good is None:
            found = refine(x, residual)
            return xp.where(xp.isnan(found), x, found)
        mask = good if x.ndim == 1 else good[:, None]
        safe = x if instead is None else stop_gradient(xp.where(mask, x, instead))

        def guarded(v: Any) -> Any:
            return array_namespace(v).where(mask, residual(v), v - safe)

        found = refine(safe, guarded)
        xp = array_namespace(x, found)
        return xp.where(mask & ~xp.isnan(found), found, x)
