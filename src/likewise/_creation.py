"""Creation without an input array: `use`, `xp`, `set_default`, and devices by name."""

import contextvars
import functools
import inspect
import re
import warnings
from collections.abc import AsyncGenerator, Callable, Generator
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from . import _default
from ._default import Default
from ._namespace import (
    LIBRARIES,
    Library,
    array_namespace,
    device,
    installed,
    is_neutral,
    library_of,
    load,
    namespace,
)
from .errors import (
    ArgumentError,
    DeviceFallbackWarning,
    DeviceNotFound,
    DtypeError,
    LibraryNotInstalled,
    LikewiseWarning,
)

__all__ = ["find_device", "reset_default", "set_default", "use", "xp"]

F = TypeVar("F", bound=Callable[..., Any])
_FLOATING = ("float32", "float64")


def find_device(name: str, wanted: Any, fallback: bool = False) -> Any:
    """The object of library `name` for 'cpu', 'gpu', 'gpu:1', or for its own object."""
    if isinstance(wanted, str):
        return _named_device(name, wanted, fallback)
    if wanted is not None:
        library = load(name)
        if not isinstance(
            wanted, library.device_types or tuple({type(d) for d in library.devices()})
        ):
            raise DeviceNotFound(_no_device(library, wanted))
    return wanted


@functools.lru_cache
def _named_device(name: str, wanted: str, fallback: bool) -> Any:
    library = load(name)
    try:
        if not re.fullmatch(r"[a-z]+(:\d+)?", wanted):
            raise LookupError(wanted)
        return library.find_device(wanted)
    except (LookupError, ValueError):
        missing = _no_device(library, wanted)
    if fallback:
        try:
            cpu = library.find_device("cpu")
        except LookupError:
            pass  # CuPy has no CPU to fall back to
        else:
            # Once per library and device, since this function caches its answers.
            warnings.warn(missing + "; the CPU is used", DeviceFallbackWarning, stacklevel=5)
            return cpu
    raise DeviceNotFound(missing)


def _no_device(library: Library, wanted: Any) -> str:
    return (
        f"{library.name} has no device {wanted!r} here; devices are 'cpu', 'gpu', 'gpu:1' or the "
        f"library's own objects, and these are there: "
        f"{', '.join(str(d) for d in library.devices()) or 'none'}"
    )


def _resolve(default: Default) -> tuple[Any, Any, Any]:
    """Namespace, device object and real floating dtype of a default."""
    xp = namespace(default.namespace)
    where = find_device(default.namespace, default.device, default.device_fallback)
    if default.dtype is None:
        return xp, where, None
    if default.dtype == "float64" and not load(default.namespace).facts()["float64"]:
        raise DtypeError(
            f"use: {default.namespace} has no float64 now; "
            "for JAX, jax.config.update('jax_enable_x64', True) switches it on"
        )
    return xp, where, getattr(xp, default.dtype)


def _changed(base: Default, namespace: str | None, device: Any, dtype: Any) -> Default:
    if namespace is not None and namespace not in LIBRARIES:
        raise ArgumentError(f"use: no library {namespace!r}; there are {', '.join(LIBRARIES)}")
    if dtype is not None:
        dtype = dtype if isinstance(dtype, str) else _dtype_name(dtype)
        if dtype not in _FLOATING:
            raise ArgumentError(
                f"use: dtype is the default real floating dtype, 'float32' or 'float64', "
                f"got {dtype!r}"
            )
    # A device or dtype that was set for another library applies only where this one has it.
    same = namespace in (None, base.namespace)
    if device is None and (same or _reaches(namespace, base.device)):
        device = base.device
    if dtype is None and (same or _holds(namespace, base.dtype)):
        dtype = base.dtype
    return base._replace(namespace=namespace or base.namespace, device=device, dtype=dtype)


def _reaches(name: Any, device: Any) -> bool:
    """Tell if a library has a device of that name."""
    try:
        return isinstance(device, str) and find_device(name, device) is not None
    except (DeviceNotFound, LibraryNotInstalled):
        return False


def _holds(name: Any, dtype: str | None) -> bool:
    """Tell if a library has a real floating dtype now; a missing library is an error later."""
    if dtype != "float64" or not installed(name):
        return True
    return bool(load(name).facts()["float64"])


def _dtype_name(dtype: Any) -> str:
    """'float32' of np.float32, np.dtype('float32'), torch.float32 ..."""
    return str(getattr(dtype, "__name__", dtype)).rpartition(".")[2]


_Found: TypeAlias = tuple[tuple["use", Default | None], ...]


class use:
    """Set the namespace, device and dtype of creation functions, here and in called functions.

    Parameters
    ----------
    namespace : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}, optional
        The library of the arrays that `likewise.xp` creates. Arguments that aren't given keep their
        setting; if this library doesn't have the device or dtype set outside, its own default is
        used.
    device : str or device, optional
        'cpu', 'gpu', 'gpu:1', or the library's own object.
    dtype : {'float32', 'float64'}, optional
        The default real floating dtype; complex results follow it.

    Raises
    ------
    LibraryNotInstalled, DeviceNotFound, DtypeError, LibraryNotInstalled
        On entry, if the library, device or dtype isn't available.

    Notes
    -----
    A re-entrant context manager and decorator, local to the context: another thread starts with the
    program's default (`set_default`), asyncio tasks inherit the current one. A decorated generator
    function runs its steps in their own context, which the caller doesn't see; a plain ``with use``
    around a ``yield`` affects the caller until the generator continues, as with every context
    variable in Python. If two are exited in the order in which they were entered, as by generators
    stepped in turn, the setting before both is restored. One that is exited in another thread or
    task than it was entered in warns: its setting stays where it was entered. Functions with array
    arguments use the arrays' library and ignore this.

    Threads of a pool start with the program's default; `Context.run` gives them this one:

    >>> import contextvars, likewise
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from likewise import xp
    >>> def work(n):
    ...     return xp.zeros(n).dtype
    >>> with ThreadPoolExecutor() as pool, likewise.use("numpy", dtype="float32"):
    ...     tasks = [pool.submit(contextvars.copy_context().run, work, n) for n in (1, 2)]
    ...     print([str(task.result()) for task in tasks])
    ['float32', 'float32']

    Each task has its own copy, as two threads can't be in one context at once.

    Examples
    --------
    >>> import likewise
    >>> from likewise import xp
    >>> with likewise.use("numpy", dtype="float32"):
    ...     print(xp.zeros(2).dtype)
    float32
    """

    # The settings before each `use`, innermost last. In a context variable, so that several threads
    # and tasks can use one object at once.
    _found: ContextVar[_Found] = ContextVar("likewise.use.found", default=())

    def __init__(
        self, namespace: str | None = None, *, device: Any = None, dtype: Any = None
    ) -> None:
        _changed(Default(), namespace, device, dtype)  # misspelled names raise here
        self._asked = (namespace, device, dtype)

    def __enter__(self) -> "use":
        default = _changed(_default.current(), *self._asked)
        _resolve(default)
        self._found.set((*self._found.get(), (self, _default.IN_USE.get())))
        _default.IN_USE.set(default)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        entries = list(self._found.get())
        last = max((i for i, (owner, _) in enumerate(entries) if owner is self), default=None)
        if last is None:
            warnings.warn(
                "use: left in another thread or task than it was entered in, where its default "
                "stays in use; to keep a generator's default to itself, decorate the generator "
                "function with use(...)",
                LikewiseWarning,
                stacklevel=2,
            )
            return
        found = entries.pop(last)[1]
        if last == len(entries):
            _default.IN_USE.set(found)
        else:  # left before the inner one, which must restore the setting before both
            entries[last] = (entries[last][0], found)
        self._found.set(tuple(entries))

    def __call__(self, func: F) -> F:
        """Decorate a function, a generator function or a coroutine function."""
        if isinstance(func, type | staticmethod | classmethod):
            raise ArgumentError(f"use: decorates functions, got {func!r}")
        wrapper: Any
        if inspect.isasyncgenfunction(func):
            wrapper = _async_steps(self, func)
        elif inspect.iscoroutinefunction(func):
            wrapper = _awaited(self, func)
        elif inspect.isgeneratorfunction(func):
            wrapper = _steps(self, func)
        else:

            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self:
                    return func(*args, **kwargs)

        functools.update_wrapper(wrapper, func)
        return wrapper


def _steps(where: use, func: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        context = contextvars.copy_context()
        context.run(where.__enter__)
        generator = func(*args, **kwargs)
        step: Callable[[], Any] = functools.partial(next, generator)
        try:
            while True:
                item = context.run(step)
                try:
                    step = functools.partial(generator.send, (yield item))
                except GeneratorExit:
                    context.run(generator.close)
                    raise
                except BaseException as error:  # thrown in by the caller: the generator's to handle
                    step = functools.partial(generator.throw, error)
        except StopIteration as stop:
            return stop.value

    return wrapper


def _awaited(where: use, func: Callable[..., Any]) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        with where:
            return await func(*args, **kwargs)

    return wrapper


class _Apart:
    """Isolates the defaults inside an async generator from its caller's, step by step.

    Unlike other generators' steps, a step can't run in its own context: the caller's task awaits
    it.
    """

    def __init__(self, where: use) -> None:
        with where:
            self._inside = _default.IN_USE.get(), use._found.get()

    def __enter__(self) -> None:
        self._outside = _default.IN_USE.get(), use._found.get()
        self._set(self._inside)

    def __exit__(self, *_: object) -> None:
        self._inside = _default.IN_USE.get(), use._found.get()
        self._set(self._outside)

    def _set(self, state: tuple[Default | None, _Found]) -> None:
        _default.IN_USE.set(state[0])
        use._found.set(state[1])


def _async_steps(where: use, func: Callable[..., Any]) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        apart = _Apart(where)
        generator = func(*args, **kwargs)
        step: Callable[[], Any] = functools.partial(generator.asend, None)
        try:
            while True:
                with apart:
                    item = await step()
                try:
                    step = functools.partial(generator.asend, (yield item))
                except GeneratorExit:
                    raise
                except BaseException as error:  # thrown in by the caller: the generator's to handle
                    step = functools.partial(generator.athrow, error)
        except StopAsyncIteration:
            return
        finally:
            with apart:
                await generator.aclose()

    return wrapper


def set_default(
    namespace: str | None = None,
    *,
    device: Any = None,
    dtype: Any = None,
    device_fallback: bool | None = None,
    memory_fraction: float | None = None,
) -> None:
    """Set the program's default for creation functions, in every thread.

    Parameters
    ----------
    namespace, device, dtype
        As for `likewise.use`. Arguments that aren't given keep their setting.
    device_fallback : bool, optional
        Whether a missing device falls back to the CPU, with one warning, instead of raising.
    memory_fraction : float, optional
        Fraction of a device's free memory, in (0, 1], that automatic chunk sizes may use; initially
        0.5.

    Raises
    ------
    LibraryNotInstalled, DeviceNotFound, DtypeError, LibraryNotInstalled, ArgumentError
        If the library, device or dtype isn't available; the default is then unchanged.

    Notes
    -----
    The environment variables LIKEWISE_NAMESPACE, LIKEWISE_DEVICE, LIKEWISE_DEVICE_FALLBACK and
    LIKEWISE_MEMORY_FRACTION set the same.

    Examples
    --------
    >>> import likewise
    >>> likewise.set_default("numpy", dtype="float32")
    >>> likewise.xp.ones(2).dtype
    dtype('float32')
    >>> likewise.reset_default()
    """
    base = _default.program[0] if _default.program else _default.from_environment()
    new = _changed(base, namespace, device, dtype)
    if device_fallback is not None:
        new = new._replace(device_fallback=bool(device_fallback))
    if memory_fraction is not None:
        if not 0 < memory_fraction <= 1:
            raise ArgumentError(
                f"set_default: memory_fraction must be in (0, 1], got {memory_fraction!r}"
            )
        new = new._replace(memory_fraction=float(memory_fraction))
    _resolve(new)
    _default.program[:] = [new]


def reset_default() -> None:
    """Restore the initial default: that of the environment variables, else NumPy on the CPU.

    Examples
    --------
    >>> import likewise
    >>> likewise.reset_default()
    """
    _default.program.clear()
    _named_device.cache_clear()


def target(function: str, name: str | None, where: Any, like: Any) -> tuple[Any, Any]:
    """Namespace and device from the arguments ``namespace=``, ``device=`` and ``like=``."""
    if like is not None and not is_neutral(like):
        if name is not None:
            raise ArgumentError(f"{function}: give either like or namespace, not both")
        xp = array_namespace(like)
        found = device(like)
        library = library_of(like)
        if where is not None and library is not None:
            found = find_device(library.name, where)
        return xp, found
    default = _default.current()
    if name is None or name == default.namespace:
        name = default.namespace
        where = default.device if where is None else where
    xp = namespace(name)
    return xp, find_device(name, where, default.device_fallback)


class _DefaultNamespace:
    """The namespace in use when an attribute is read.

    Creation functions use the device and dtype of `likewise.use`; all other functions are the
    library's own.
    """

    def __init__(self, extension: str = "") -> None:
        self._extension = extension  # 'fft', or '' for the namespace itself

    def _now(self) -> Any:
        xp = namespace(_default.current().namespace)
        return getattr(xp, self._extension) if self._extension else xp

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__array_namespace_info__":
            raise AttributeError(name)
        default = _default.current()
        xp, where, dtype = _resolve(default)
        if self._extension:
            xp = getattr(xp, self._extension)
        found = getattr(xp, name)
        if not self._extension and name == "fft":
            return _DefaultNamespace("fft")
        if name not in _CREATION:
            return found

        @functools.wraps(found)
        def create(*args: Any, **kwargs: Any) -> Any:
            asked = find_device(default.namespace, kwargs.get("device"), default.device_fallback)
            if asked is not None or where is not None:
                kwargs["device"] = where if asked is None else asked
            if dtype is not None and kwargs.get("dtype") is None:
                values = _CREATION[name](args, kwargs)
                kind = _kind(values)
                if kind == "c":
                    info = xp.complex64 if default.dtype == "float32" else xp.complex128
                    kwargs["dtype"] = info
                elif kind == "f":
                    kwargs["dtype"] = dtype
            return found(*args, **kwargs)

        return create

    def __dir__(self) -> list[str]:
        return dir(self._now())

    def __repr__(self) -> str:
        where = "." + self._extension if self._extension else ""
        return f"<likewise.xp{where}: {self._now()!r} now>"


# The argument of each creation function that determines the dtype if none is given.
_CREATION: dict[str, Callable[[tuple[Any, ...], dict[str, Any]], Any]] = {
    **dict.fromkeys(("empty", "eye", "ones", "zeros", "fftfreq", "rfftfreq"), lambda a, k: 0.5),
    "linspace": lambda a, k: [0.5, *a[:2], *(k[n] for n in ("start", "stop") if n in k)],
    "arange": lambda a, k: [*a, *(k[n] for n in ("start", "stop", "step") if n in k)],
    "full": lambda a, k: [k["fill_value"]] if "fill_value" in k else a[1:2],
    "asarray": lambda a, k: a[:1],
}


def _kind(values: Any) -> str:
    """'i', 'f' or 'c' of the numbers in nested lists, the widest wins; ' ' for anything else."""
    if isinstance(values, list | tuple):
        return max((_kind(v) for v in values), key=" ifc".index, default="f")
    if isinstance(values, bool | int):
        return "i"
    if isinstance(values, float):
        return "f"
    return "c" if isinstance(values, complex) else " "


xp = _DefaultNamespace()
