"""Defines what likewise asks of an array library: each question is a method with a default.

A folder of `_libs` answers by a subclass, and says there only what is otherwise than here. The
defaults are those of an eager library on one device, the host, without transforms or a compiler.
"""

import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from .errors import LinAlgError

__all__ = ["FOREIGN", "LOADING", "RULES", "Library", "Transforms", "named"]

# Array libraries and our own subpackages are imported by one thread at a time: of two that import
# parts of one package in a different order, Python hands one a module not yet read to its end.
LOADING = threading.RLock()

# Functions with derivatives of their own, by names, which can stand in a compiled program.
RULES: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_numbers = itertools.count()


def named(rule: Any) -> str:
    """Return a name by which a function with a rule is found for as long as it lives."""
    name = f"rule {next(_numbers)}"
    RULES[name] = rule
    return name


class Transforms(NamedTuple):
    """Holds a library's own program transforms; None where the interpreter stands in.

    Attributes
    ----------
    vjp, jvp : callable
        ``vjp(fun, *primals, has_aux=False)``, ``jvp(fun, primals, tangents, has_aux=False)``, as
        JAX's: cotangents are not conjugated, those of whole numbers are zeros.
    vmap : callable
        ``vmap(fun, in_axes, out_axes)``, of a function of flat arguments.
    while_loop, fori_loop, scan, cond, switch : callable
        JAX's control flow, on nested structures.
    custom_vjp, custom_jvp : callable
        ``custom_vjp(fun, fwd, bwd)``, ``custom_jvp(fun, jvp)``: a function with a rule of its own,
        of flat arguments and results.
    elementwise : callable
        ``elementwise(fun, derivatives)``: a function of arrays that broadcast, as one result, with
        its partial derivatives, each a function of the result and all arguments.
    linear_solve : callable
        ``linear_solve(product, solve)``: `solve` of a symmetric matrix, differentiated by itself.
    pure_callback : callable
        ``pure_callback(call, specs, leaves, method, no_derivative, no_method)``: a function of
        NumPy's arrays; the last two are errors to be raised.
    one_step : callable
        Of no arguments: where the library's compiler reads the program now and can't look into
        rules, ``step(name, args, kwargs)``, a call of what stands in `RULES`; else None.
    """

    vjp: Callable[..., Any] | None = None
    jvp: Callable[..., Any] | None = None
    vmap: Callable[..., Any] | None = None
    while_loop: Callable[..., Any] | None = None
    fori_loop: Callable[..., Any] | None = None
    scan: Callable[..., Any] | None = None
    cond: Callable[..., Any] | None = None
    switch: Callable[..., Any] | None = None
    custom_vjp: Callable[..., Any] | None = None
    custom_jvp: Callable[..., Any] | None = None
    elementwise: Callable[..., Any] | None = None
    linear_solve: Callable[..., Any] | None = None
    pure_callback: Callable[..., Any] | None = None
    one_step: Callable[[], Any] | None = None


class Library:
    """Answers for an array library.

    Attributes
    ----------
    name : str
        As in ``likewise.namespace(name)``.
    packages : tuple of str
        Packages whose routines take the library's arrays as they are, in rows.
    namespace : Namespace
        The library's names of the standard, with the repairs that the standard asks for.
    transforms : Transforms
        The library's own program transforms.
    scalar_types : tuple of type
        Scalars of the library that may stand beside arrays, and are none.
    linalg_error : type
        What is raised of a singular matrix: `LinAlgError`, and the library's own.
    device_types : tuple of type
        What can be given as a device; empty for the types of `devices`.
    compiles : bool
        Whether functions are compiled for shapes and dtypes, by `jit`, `closed` and `keyed`; then
        a solver is compiled as a whole.
    records : bool
        Whether `jit` notes the library's calls and replays them.
    floats : bool
        Whether arithmetic of its float64 is that of Python's floats, bit for bit, `item` costs next
        to nothing, and one problem is therefore solved on these.
    writing : dict
        Per instruction, a function that writes into an array that it is given after its operands.
    in_blocks : bool
        Whether arrays come in blocks over which `map_batches` maps.
    strong_scalars : bool
        Whether a scalar of NumPy's decides on dtypes as an array does.
    own_functions : bool
        Whether its own functions and methods (``np.exp``, ``x.sum()``) can be followed by the
        interpreter, besides those of the standard.
    refuses_strangers : bool
        Whether an operator of its arrays refuses what it doesn't know at its right, and doesn't
        leave the answer to that.
    silent_indices : bool
        Whether indices out of range are clipped or left out, and not an error.
    one_thread : bool
        Whether what is differentiated must not run in two threads at once.
    convolution : dict
        What the ways of `signal.convolve` cost, as ``ci/bench --only convolve`` measures them.
        Directly, by SciPy's routine and by sums: microseconds a call; nanoseconds a result, a
        product, and a product where they are more than so many, which leave the cache. By the
        transform: microseconds a call; nanoseconds a step, of which n points need n log2(n), and
        where they are more than so many points.
    host_reads : tuple
        What takes data to the host: rows of owner, name, and 'copy', 'scalar' or 'callback'.
    conversions : tuple
        Rows of owner and name: what makes this library's arrays of another's, unasked.
    """

    name = ""
    packages: tuple[str, ...] = ()
    namespace: Any = None
    transforms = Transforms()
    scalar_types: tuple[type, ...] = ()
    linalg_error: type[LinAlgError] = LinAlgError
    device_types: tuple[type, ...] = ()
    compiles = False
    records = False
    floats = False
    writing: dict[str, Callable[..., Any]] = {}  # noqa: RUF012
    in_blocks = False
    own_functions = False
    strong_scalars = False
    refuses_strangers = False
    silent_indices = False
    one_thread = False
    convolution: dict[str, tuple[float, ...]] = {  # noqa: RUF012
        "sums": (120.0, 0.0, 7.5, 40.0, 1e6),
        "fft": (75.0, 2.5, 4.5, 3e4),
    }
    host_reads: tuple[tuple[Any, str, str], ...] = ()
    conversions: tuple[tuple[Any, str], ...] = ()

    # -- what there is -----------------------------------------------------------------------------

    def version(self) -> str:
        """Return the library's version."""
        raise NotImplementedError

    def own_types(self) -> tuple[type, ...]:
        """Return the array classes of the library itself: the only ones that are cached."""
        return ()

    def facts(self) -> dict[str, Any]:
        """Tell what `info` shows: jit, grad, vmap, mutable, lazy, float64."""
        return {
            "jit": "recorded" if self.records else "no",
            "grad": "traced",
            "vmap": "traced",
            "mutable": True,
            "lazy": False,
            "float64": True,
        }

    def is_array(self, x: object) -> bool:
        """Tell if an object is a standard array of the library."""
        return isinstance(x, self.own_types())

    def refusal(self, x: object) -> str | None:
        """Tell why an object of this library is not a standard array, and what to do."""
        return None

    def lacking(self, error: NotImplementedError) -> str | None:
        """Return the dtype that the library has in name only, if an error says so."""
        return None

    def stranger(self, error: BaseException) -> bool:
        """Tell if an error says that an array of another kind came, without its class's name."""
        return False

    def leaving(self, error: BaseException) -> str:
        """Return what an error says that an array in a transform was to become; '' of others."""
        return ""

    def see_through(self, cls: type) -> None:
        """Let the library's own transforms take a dataclass for the arrays that it holds."""

    # -- devices -----------------------------------------------------------------------------------

    def device(self, x: Any) -> Any:
        """Return the device of an array, which creation functions accept."""
        return x.device

    def devices(self) -> list[Any]:
        """Return all devices that can be used."""
        return ["cpu"]

    def describe_device(self, device: Any) -> tuple[str, str | None, int | None]:
        """Return kind ('cpu', 'gpu'), hardware and bytes, None where the host's are meant."""
        return "cpu", None, None

    def find_device(self, name: str) -> Any:
        """Return the library's own object for 'cpu', 'gpu', 'gpu:1'; LookupError if none is."""
        if name not in ("cpu", "cpu:0"):
            raise LookupError(name)
        return self.devices()[0]

    def free_memory(self, device: Any) -> int | None:
        """Return the bytes that are free on a device; None for the host's."""
        return None

    def out_of_memory(self, error: Exception) -> bool:
        """Tell if an error says that no memory is left."""
        return isinstance(error, MemoryError)

    # -- values ------------------------------------------------------------------------------------

    def is_lazy(self, x: Any) -> bool:
        """Tell if an array's values can't be looked at (yet)."""
        return False

    def is_host(self, x: Any) -> bool:
        """Tell if values can be looked at without a transfer or a wait."""
        return True

    def is_concrete(self, x: Any) -> bool:
        """Tell if values can be looked at, at no cost, and also of what is computed of them."""
        return self.is_host(x) and not self.is_lazy(x)

    def recorded(self, x: Any) -> bool:
        """Tell if derivatives may be asked for of what `x` was computed of."""
        return False

    def followed(self, x: Any) -> bool:
        """Tell if what is done with `x` is followed: for derivatives, a batch, a compiler."""
        return self.recorded(x)

    def watched(self, fun: Callable[[Any], Any], x: Any, refuse: Callable[[str], Any]) -> None:
        """Call `fun` of `x`, and `refuse` what derivatives don't see, if they don't refuse it."""

    def unrecorded(self) -> AbstractContextManager[Any]:
        """Return a context in which nothing is kept for derivatives."""
        return nullcontext()

    def stop_gradient(self, x: Any) -> Any:
        """Return `x`, constant to the library's own transforms."""
        return x

    def own(self, x: Any) -> Any:
        """Return what somebody may write to, and `x` stays; derivatives go through it."""
        return x & x if "bool" in str(x.dtype) else x * 1

    def guarded(self, x: Any) -> Any:
        """Return what nobody can write to, or may, and `x` stays."""
        return self.own(x)

    def lanes(self, x: Any) -> tuple[Any, Any] | None:
        """Tell if a condition holds in any lane, and if in all; None if it has no value yet."""
        return None if self.is_lazy(x) else (x, x)

    def quiet(self) -> AbstractContextManager[Any]:
        """Return a context without floating-point warnings."""
        return nullcontext()

    def to_numpy(self, x: Any) -> Any:
        """Return a NumPy array of the values, a view if that is possible."""
        raise NotImplementedError

    def from_numpy(self, x: Any, device: Any) -> Any:
        """Return an array of a NumPy array's values."""
        raise NotImplementedError

    def viewable(self, *arrays: Any) -> bool:
        """Tell if NumPy can see arrays as they are, without a copy."""
        return False

    def through_numpy(self, routine: Callable[..., Any]) -> Callable[..., Any]:
        """Return a NumPy routine that takes and gives this library's arrays, by views."""
        raise NotImplementedError

    def scalar(self, x: Any) -> Any:
        """Return what the library's functions give where there are no dimensions."""
        return x

    def at_get(self, x: Any, index: Any) -> Any:
        return x[index]

    def at_set(self, x: Any, index: Any, value: Any) -> Any:
        """Return a copy with `value` at an index; NotImplemented if nothing can be written to."""
        return NotImplemented

    # -- compilers and blocks ----------------------------------------------------------------------

    def jit(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function compiled for shapes, where the library `compiles`; else itself."""
        return fun

    def jitted(
        self, fun: Any, static_argnums: Any, static_argnames: Any, tell: Any, flatten: Any
    ) -> Any:
        """Return what `transforms.jit` calls; `tell` hears of each compilation."""
        return fun

    def jitted_for_host(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return what `jitted` gave, to be called on the CPU and with 64-bit types.

        It takes NumPy's arrays, and its results may not be there yet. Where the library `compiles`.
        """
        raise NotImplementedError

    def unfollowed(self, error: Exception) -> tuple[type[Exception], str] | None:
        """Return an error's class and text if it says that a function can't be compiled.

        What the library said, and what to write instead; None for errors of others.
        """
        return None

    def closed(self, fun: Callable[..., Any], *args: Any) -> tuple[Any, list[Any]]:
        """Return a function as traced, equal to others that read the same, and what it closes over.

        Where the library `compiles`.
        """
        raise NotImplementedError

    def keyed(self, fun: Callable[..., Any], quick: bool = False) -> Callable[..., Any]:
        """Return a function compiled for each value of its first argument, which is hashable.

        `quick`: rather soon than well. Where the library `compiles`.
        """
        raise NotImplementedError

    def preference(self, value: Any) -> AbstractContextManager[Any]:
        """Return a context that keeps apart what is compiled under different values."""
        return nullcontext()

    def map_batches(
        self, fun: Callable[..., Any], shared: Any, arrays: Sequence[Any], width: int
    ) -> Any:
        """Return ``fun(shared, *blocks) -> (b, width)`` mapped over blocks of rows of host arrays.

        Where the library is `in_blocks`.
        """
        raise NotImplementedError

    def map_elementwise(self, fun: Callable[..., Any], arrays: Sequence[Any]) -> Any:
        """Return ``fun(*blocks)`` of host arrays of one dtype, the result's, that broadcast.

        Where the library is `in_blocks`.
        """
        raise NotImplementedError

    # -- recordings, where the library is eager and its calls are noted and replayed --------------

    def recordable(self, x: Any) -> bool:
        """Tell if `sketch` says all that a recording depends on."""
        return type(x) in self.own_types()

    def sketch(self, x: Any) -> Any:
        """Return class, dtype, shape, device and memory layout of an array, to compare."""
        return type(x), x.dtype, tuple(x.shape), self.device(x)

    def row_major(self, x: Any) -> bool:
        """Tell if ``zeros_like`` lays an array out as ``zeros`` of its shape does."""
        return True

    def state(self) -> Any:
        """Return what is equal as long as `errors` returns the same, sooner said."""
        return None

    def errors(self) -> Any:
        """Return the error state, and what else a call depends on besides its arguments."""
        return None

    def set_errors(self, errors: Any) -> None:
        """Set the error state to what `errors` returned."""

    def raises(self, errors: Any) -> bool:
        """Tell if in an error state floating-point arithmetic does more than warn."""
        return False

    def chooses(self, errors: Any) -> bool:
        """Tell if choices by one truth value may be left to Python's `if`.

        That is where `bool` of an array of one element, of any dimensions, costs next to nothing,
        and floating-point errors of what isn't chosen would not be heard.
        """
        return False

    def copied(self, x: Any) -> Any:
        """Return an array in new memory; a scalar as it is."""
        return self.own(x)

    # -- for the test kit, which may not import an array library -----------------------------------

    def variant(self, value: Any) -> AbstractContextManager[Any]:
        """Return a context in which the library is otherwise: 64-bit types, dtypes, flags."""
        return nullcontext()

    def trial(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function compiled the quickest way, as one graph."""
        return fun

    def compilations(self) -> int:
        """Return how much was compiled so far."""
        return 0

    def computing(self, seen: Callable[[], None]) -> AbstractContextManager[Any]:
        """Return a context that calls `seen` at each computation of lazy arrays."""
        return nullcontext()


FOREIGN = Library()  # what holds of arrays of a library that is none of ours
