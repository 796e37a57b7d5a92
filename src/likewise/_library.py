"""Defines the hooks of an array library: attributes and methods, each with a default.

A folder of `_libs` has a subclass, which overrides only the hooks that differ. The defaults suit an
eager library on one device, the host, without transforms or a compiler.
"""

import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from .errors import LinAlgError

__all__ = ["FOREIGN", "LOADING", "RULES", "Library", "Transforms", "named"]

# Array libraries and our own subpackages are imported by one thread at a time: if two threads
# import parts of one package in different orders, Python gives one of them a partially initialised
# module.
LOADING = threading.RLock()

# Functions with their own derivatives, by names that a compiled program can contain.
RULES: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_numbers = itertools.count()


def named(rule: Any) -> str:
    """Return a name for a function with a rule; it finds the function as long as that exists."""
    name = f"rule {next(_numbers)}"
    RULES[name] = rule
    return name


class Transforms(NamedTuple):
    """Holds a library's own program transforms; None where likewise's interpreter is used.

    Attributes
    ----------
    vjp, jvp : callable
        ``vjp(fun, *primals, has_aux=False)``, ``jvp(fun, primals, tangents, has_aux=False)``, as in
        JAX: cotangents are not conjugated, those of integers are zeros.
    vmap : callable
        ``vmap(fun, in_axes, out_axes)``, for a function of flat arguments.
    while_loop, fori_loop, scan, cond, switch : callable
        JAX's control flow, on nested structures.
    apart : callable
        ``apart(fun, arrays)``: the results of a function of arrays on each device's part of their
        first axes; None if they aren't divided, or not alike.
    custom_vjp, custom_jvp : callable
        ``custom_vjp(fun, fwd, bwd)``, ``custom_jvp(fun, jvp)``: a function with its own rule, of
        flat arguments and results.
    elementwise : callable
        ``elementwise(fun, derivatives)``: a function of arrays that broadcast, with one result, and
        its partial derivatives, each a function of the result and all arguments.
    linear_solve : callable
        ``linear_solve(product, solve)``: a solver for a symmetric matrix, whose derivative calls
        `solve` again.
    pure_callback : callable
        ``pure_callback(call, specs, leaves, method, no_derivative, no_method)``: a function of
        NumPy arrays; the last two are the errors to raise.
    one_step : callable
        Takes no arguments. While the library's compiler traces and can't trace rules, it returns
        ``step(name, args, kwargs)``, which calls a function of `RULES` by name; else None.
    """

    vjp: Callable[..., Any] | None = None
    jvp: Callable[..., Any] | None = None
    vmap: Callable[..., Any] | None = None
    while_loop: Callable[..., Any] | None = None
    fori_loop: Callable[..., Any] | None = None
    scan: Callable[..., Any] | None = None
    cond: Callable[..., Any] | None = None
    switch: Callable[..., Any] | None = None
    apart: Callable[..., Any] | None = None
    custom_vjp: Callable[..., Any] | None = None
    custom_jvp: Callable[..., Any] | None = None
    elementwise: Callable[..., Any] | None = None
    linear_solve: Callable[..., Any] | None = None
    pure_callback: Callable[..., Any] | None = None
    one_step: Callable[[], Any] | None = None


class Library:
    """Holds the hooks of an array library.

    Attributes
    ----------
    name : str
        The name in ``likewise.namespace(name)``.
    packages : tuple of str
        Packages whose routines accept the library's arrays directly, in rows.
    namespace : Namespace
        The array API standard on the library, with repairs where the library deviates.
    transforms : Transforms
        The library's own program transforms.
    scalar_types : tuple of type
        Types of the library's scalars, which may be mixed with arrays but aren't arrays.
    linalg_error : type
        The error for a singular matrix, a subclass of `LinAlgError` and of the library's own.
    device_types : tuple of type
        The types of devices as arguments; empty for the types of `devices`.
    compiles : bool
        Whether `jit`, `closed` and `keyed` compile functions for shapes and dtypes; then a solver
        is compiled as a whole.
    records : bool
        Whether `jit` records the library's calls and replays them.
    replays : bool
        Whether solvers of many problems record functions and steps, and replay them.
    floats : bool
        Whether float64 arithmetic equals that of Python floats bit for bit and `item` is cheap;
        then a single problem is solved with Python floats.
    writing : dict
        Per instruction, a function that takes an output array after the operands and writes into
        it.
    in_blocks : bool
        Whether arrays are made of blocks, over which `map_blocks` maps.
    maps_steps : str
        ``"module:function"`` that returns ``row.step(*args)``, of a row and arguments, by blocks as
        ``row.blocks(*args)`` describes; or NotImplemented, where the body must run.
    strong_scalars : bool
        Whether a NumPy scalar affects result dtypes as an array does.
    own_functions : bool
        Whether the interpreter can trace the library's own functions and methods (``np.exp``,
        ``x.sum()``), besides those of the standard.
    refuses_strangers : bool
        Whether operators of its arrays raise for an unknown right operand, instead of returning
        NotImplemented.
    silent_indices : bool
        Whether indices out of range are clipped or left out, without an error.
    one_thread : bool
        Whether differentiated code must not run in two threads at once.
    convolution : dict
        The costs of the methods of `signal.convolve`, measured by ``ci/bench --only convolve``. For
        the direct methods, SciPy's routine and sums: microseconds per call; nanoseconds per result,
        per product, and per product beyond a number of products that leaves the cache. For the
        transform: microseconds per call; nanoseconds per step, with n log2(n) steps for n points,
        and per step beyond a number of points.
    call_cost : int
        How many numbers are multiplied in the time of a call on none, in a loop of Python; 0 where
        loops are compiled. Measured with 1 to 16,000 numbers, in loops of 60 to 400 steps.
    host_reads : tuple
        Functions that copy data to the host: rows of owner, name, and 'copy', 'scalar' or
        'callback'.
    conversions : tuple
        Functions that implicitly convert another library's arrays: rows of owner and name.
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
    replays = False
    floats = False
    writing: dict[str, Callable[..., Any]] = {}  # noqa: RUF012
    in_blocks = False
    maps_steps = ""
    own_functions = False
    strong_scalars = False
    refuses_strangers = False
    silent_indices = False
    one_thread = False
    convolution: dict[str, tuple[float, ...]] = {  # noqa: RUF012
        "sums": (120.0, 0.0, 7.5, 40.0, 1e6),
        "fft": (75.0, 2.5, 4.5, 3e4),
    }
    call_cost = 600
    host_reads: tuple[tuple[Any, str, str], ...] = ()
    conversions: tuple[tuple[Any, str], ...] = ()

    # -- versions and types ------------------------------------------------------------------------

    def version(self) -> str:
        """Return the library's version."""
        raise NotImplementedError

    def own_types(self) -> tuple[type, ...]:
        """Return the array classes of the library itself; only these are cached."""
        return ()

    def facts(self) -> dict[str, Any]:
        """Return the fields of `info`: jit, grad, vmap, mutable, lazy, float64."""
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
        """Return why an object of this library is not a standard array, and what to do."""
        return None

    def lacking(self, error: NotImplementedError) -> str | None:
        """Return the dtype of an error that says that the library has the dtype in name only."""
        return None

    def stranger(self, error: BaseException) -> bool:
        """Tell if an error reports an array of another library without naming its class."""
        return False

    def leaving(self, error: BaseException) -> str:
        """Return the conversion of a traced array that an error reports; '' for other errors."""
        return ""

    def see_through(self, cls: type) -> None:
        """Register a dataclass with the library's own transforms as a container of arrays."""

    # -- devices -----------------------------------------------------------------------------------

    def device(self, x: Any) -> Any:
        """Return the device of an array; creation functions accept it."""
        return x.device

    def devices(self) -> list[Any]:
        """Return all available devices."""
        return ["cpu"]

    def describe_device(self, device: Any) -> tuple[str, str | None, int | None]:
        """Return kind ('cpu', 'gpu'), hardware and bytes; None for those of the host."""
        return "cpu", None, None

    def find_device(self, name: str) -> Any:
        """Return the library's object for 'cpu', 'gpu', 'gpu:1'; LookupError if there is none."""
        if name not in ("cpu", "cpu:0"):
            raise LookupError(name)
        return self.devices()[0]

    def free_memory(self, device: Any) -> int | None:
        """Return the free bytes on a device; None for those of the host."""
        return None

    def out_of_memory(self, error: Exception) -> bool:
        """Tell if an error says that no memory is left."""
        return isinstance(error, MemoryError)

    # -- values ------------------------------------------------------------------------------------

    def is_lazy(self, x: Any) -> bool:
        """Tell if an array's values can't be read (yet)."""
        return False

    def is_host(self, x: Any) -> bool:
        """Tell if values can be read without a transfer or a wait."""
        return True

    def is_concrete(self, x: Any) -> bool:
        """Tell if values of an array, and of results computed from it, can be read at no cost."""
        return self.is_host(x) and not self.is_lazy(x)

    def is_readable(self, x: Any) -> bool:
        """Tell if values of an array itself can be read at no cost."""
        return self.is_concrete(x)

    def is_dense(self, x: Any) -> bool:
        """Tell if an array holds all of its elements, and not only those that aren't zero."""
        return True

    def recorded(self, x: Any) -> bool:
        """Tell if gradients are recorded through `x`."""
        return False

    def followed(self, x: Any) -> bool:
        """Tell if `x` is traced: for derivatives, vmap or a compiler."""
        return self.recorded(x)

    def watched(self, fun: Callable[[Any], Any], x: Any, refuse: Callable[[str], Any]) -> None:
        """Call ``fun(x)``, and `refuse` for operations that derivatives would silently ignore."""

    def unrecorded(self) -> AbstractContextManager[Any]:
        """Return a context in which no gradients are recorded."""
        return nullcontext()

    def stop_gradient(self, x: Any) -> Any:
        """Return `x` as a constant for the library's own transforms."""
        return x

    def once(self, x: Any) -> Any:
        """Return `x` as a value that a compiler doesn't compute anew, rounded another way."""
        return x

    def own(self, x: Any) -> Any:
        """Return an array that may be written to without changing `x`; derivatives pass through."""
        return x & x if "bool" in str(x.dtype) else x * 1

    def shares(self, x: Any, y: Any) -> bool:
        """Tell if two arrays lie in the same memory, where that can be known."""
        return x is y

    def guarded(self, x: Any) -> Any:
        """Return `x` as an array that can't be written to, or a copy that can."""
        return self.own(x)

    def lanes(self, x: Any) -> tuple[Any, Any] | None:
        """Tell if a condition holds for any batch element, and for all; None without values."""
        return None if self.is_lazy(x) else (x, x)

    def quiet(self) -> AbstractContextManager[Any]:
        """Return a context without floating-point warnings."""
        return nullcontext()

    def to_numpy(self, x: Any) -> Any:
        """Return the values as a NumPy array, a view if possible."""
        raise NotImplementedError

    def from_numpy(self, x: Any, device: Any) -> Any:
        """Return a NumPy array's values as an array of the library."""
        raise NotImplementedError

    def viewable(self, *arrays: Any) -> bool:
        """Tell if NumPy can view arrays without a copy."""
        return False

    def view(self, x: Any) -> Any:
        """Return a NumPy view of an array that is viewable."""
        raise NotImplementedError

    def through_numpy(self, routine: Callable[..., Any]) -> Callable[..., Any]:
        """Return a NumPy routine that takes and returns this library's arrays, by views."""
        raise NotImplementedError

    def scalar(self, x: Any) -> Any:
        """Return a result without dimensions in the type that the library's functions return."""
        return x

    def at_get(self, x: Any, index: Any) -> Any:
        return x[index]

    def at_set(self, x: Any, index: Any, value: Any) -> Any:
        """Return a copy with `value` at an index; NotImplemented if arrays are immutable."""
        return NotImplemented

    # -- compilers and blocks ----------------------------------------------------------------------

    def jit(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function compiled for shapes if the library `compiles`, else itself."""
        return fun

    def jitted(
        self, fun: Any, static_argnums: Any, static_argnames: Any, tell: Any, flatten: Any
    ) -> Any:
        """Return the function that `transforms.jit` calls; each compilation calls `tell`."""
        return fun

    def jitted_for_host(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a result of `jitted` so that it runs on the CPU and with 64-bit types.

        It takes NumPy arrays, and its results may be asynchronous. Only if the library `compiles`.
        """
        raise NotImplementedError

    def unfollowed(self, error: Exception) -> tuple[type[Exception], str] | None:
        """Return an error's class and text if it says that a function can't be compiled, else None.

        The text has the library's message, and what to write instead.
        """
        return None

    def closed(self, fun: Callable[..., Any], *args: Any) -> tuple[Any, list[Any]]:
        """Return a traced function, equal to others with the same code, and its closed-over values.

        Only if the library `compiles`.
        """
        raise NotImplementedError

    def keyed(self, fun: Callable[..., Any], quick: bool = False) -> Callable[..., Any]:
        """Return a function that is compiled for each value of its hashable first argument.

        `quick`: compile fast rather than optimise. Only if the library `compiles`.
        """
        raise NotImplementedError

    def preference(self, value: Any) -> AbstractContextManager[Any]:
        """Return a context in which compiled functions are separate for different values."""
        return nullcontext()

    def map_blocks(
        self,
        fun: Callable[..., Sequence[Any]],
        arrays: Sequence[Any],
        labels: Sequence[Sequence[Any]],
        made: Sequence[Any],
    ) -> Sequence[Any]:
        """Return the arrays of ``fun(*blocks)``, mapped over blocks of arrays, some NumPy's.

        `labels` and `made` as for `transforms._blocks.over_blocks`. Only if the library is
        `in_blocks`.
        """
        raise NotImplementedError

    def pieces(self, x: Any, axis: int) -> list[Any]:
        """Return the parts of an array between its cuts along an axis; of most, the array."""
        return [x]

    def map_elementwise(self, fun: Callable[..., Any], arrays: Sequence[Any]) -> Any:
        """Return ``fun(*blocks)`` mapped over host arrays that broadcast, of the result's dtype.

        Only if the library is `in_blocks`.
        """
        raise NotImplementedError

    # -- recordings, if the library is eager and its calls are recorded and replayed --------------

    def recordable(self, x: Any) -> bool:
        """Tell if a recording depends on nothing of `x` but its `sketch`."""
        return type(x) in self.own_types()

    def sketch(self, x: Any) -> Any:
        """Return class, dtype, shape, device and memory layout of an array, for comparison."""
        return type(x), x.dtype, tuple(x.shape), self.device(x)

    def laid(self, sketch: Any) -> Callable[[Any], Any]:
        """Return a function of nested lists to arrays of a sketch, where `floats` is true."""
        raise NotImplementedError

    def row_major(self, x: Any) -> bool:
        """Tell if ``zeros_like`` lays an array out as ``zeros`` of its shape does."""
        return True

    def state(self) -> Any:
        """Return a value that is cheaper to get than `errors`, and equal as long as that is."""
        return None

    def errors(self) -> Any:
        """Return the error state, and all other state on which a call depends."""
        return None

    def set_errors(self, errors: Any) -> None:
        """Set the error state to what `errors` returned."""

    def raises(self, errors: Any) -> bool:
        """Tell if floating-point errors do more than warn in an error state."""
        return False

    def chooses(self, errors: Any) -> bool:
        """Tell if a choice by a single boolean may be made by Python's `if`.

        This holds if `bool` of an array of one element, of any dimensions, is cheap, and
        floating-point errors of the branch that isn't chosen would be silent.
        """
        return False

    def copied(self, x: Any) -> Any:
        """Return an array in new memory; a scalar as it is."""
        return self.own(x)

    # -- for the test kit, which may not import an array library -----------------------------------

    def variant(self, value: Any) -> AbstractContextManager[Any]:
        """Return a context with another configuration: 64-bit types, dtypes, flags."""
        return nullcontext()

    def device_count(self) -> int:
        """Return the number of devices over which `spread` divides an array."""
        return 1

    def spread(self, x: Any) -> Any:
        """Return an array divided over all devices, along the axis that has most parts."""
        return x

    def parts(self, x: Any) -> int:
        """Return the number of parts into which an array's first axis is divided over devices."""
        return 1

    def trial(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function compiled as fast as possible, as one graph."""
        return fun

    def compilations(self) -> int:
        """Return the number of compilations so far."""
        return 0

    def computing(self, seen: Callable[[], None]) -> AbstractContextManager[Any]:
        """Return a context that calls `seen` at each computation of lazy arrays."""
        return nullcontext()


FOREIGN = Library()  # the hooks of unknown libraries' arrays
