"""The libraries that a test runs on, and the modes of each."""

import contextlib
import fnmatch
import functools
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._info import devices
from .._namespace import Namespace, device, installed, library, library_of, load, namespace
from .._standard import STANDARD, having
from ..errors import ArgumentError
from ..interop import to_numpy

__all__ = ["VARIANTS", "Variant", "choose", "current", "default_choice", "variants", "why_not_try"]

_EIGHT = "XLA_FLAGS=--xla_force_host_platform_device_count=8"
_NARROW = {"float64": "float32", "complex128": "complex64", "int64": "int32", "uint64": "uint32"}
# On another device by default; `asarray` leaves an array where it is.
_CREATION = (having("creation") & STANDARD) - {"asarray", "from_dlpack"}


@dataclass(frozen=True)
class Variant:
    """A library in one of its modes.

    Attributes
    ----------
    name : str
        The name in ``--xp``, for instance 'strict-device1'.
    about : str
        The purpose of the mode, in a few words.
    has_float64, has_extensions : bool
        Whether there are 64-bit types, and ``fft`` and ``linalg``.
    gpu, jit : bool
        Whether arrays live on a GPU; whether functions under test run compiled.
    replayed : bool
        Whether functions under test are recorded by `jit` and replayed.
    spread : bool
        Whether arrays are divided over several devices.
    """

    name: str
    about: str
    has_float64: bool = True
    has_extensions: bool = True
    gpu: bool = False
    jit: bool = False
    replayed: bool = False
    spread: bool = False
    switch: Any = None  # the argument of `Library.variant`
    on: str | None = None  # a device by its printed name

    @property
    def library(self) -> str:
        """Return the library's name, as `likewise.namespace` takes it."""
        return self.name.partition("-")[0]

    @property
    def device(self) -> Any:
        """Return the device of new arrays; None is the library's default."""
        if self.gpu:
            return next(d.device for d in devices(self.library) if d.kind == "gpu")
        if self.on is None:
            return None
        found = namespace(self.library).__array_namespace_info__().devices()
        return next(d for d in found if self.on in str(d))

    @property
    def xp(self) -> Any:
        """Return the library's namespace, whose creation functions make arrays of this variant."""
        return _namespace_of(self)

    def why_not(self) -> str | None:
        """Return None if the variant can run here, else the reason."""
        return _why_not(self)

    @contextlib.contextmanager
    def active(self) -> Iterator[Any]:
        """Set the library's switches for this variant inside the block; gives its namespace."""
        switch: Any = contextlib.nullcontext()
        if self.switch is not None:
            switch = load(self.library).variant(self.switch)
        with switch:
            _CURRENT.append(self)
            try:
                yield self.xp
            finally:
                _CURRENT.pop()

    def asarray(self, values: Any, dtype: str | None = None) -> Any:
        """Return an array of the variant with a NumPy array's or nested lists' values.

        64-bit types become 32-bit ones if the variant has none.
        """
        np = namespace("numpy")
        own = None if dtype is None else getattr(np, dtype)
        return self.xp.asarray(np.asarray(values, dtype=own))

    def to_numpy(self, x: Any) -> Any:
        """Return an array's values, after checking that it belongs to this variant."""
        if library(x) != self.library:
            raise AssertionError(f"a {type(x).__module__}.{type(x).__name__} came out of {self}")
        if self.device is not None and device(x) != self.device:
            raise AssertionError(f"{self}: an array came out on {device(x)}")
        return to_numpy(x)

    def __str__(self) -> str:
        return self.name


VARIANTS: Mapping[str, Variant] = {
    v.name: v
    for v in (
        Variant("numpy", "NumPy"),
        Variant("numpy-readonly", "NumPy arrays that can't be written to"),
        Variant("numpy-jit", "NumPy, functions under test recorded and replayed", replayed=True),
        Variant("strict", "array-api-strict: the standard and not a name more"),
        Variant(
            "strict-jit",
            "array-api-strict, functions under test recorded and replayed",
            replayed=True,
        ),
        Variant("strict-device1", "array-api-strict, arrays on a second device", on="device1"),
        Variant(
            "strict-minimal",
            "array-api-strict without boolean indexing, data-dependent shapes, extensions",
            has_extensions=False,
            switch=True,
        ),
        Variant(
            "strict-no_float64",
            "array-api-strict on a device without 64-bit floats",
            has_float64=False,
            on="no_float64",
        ),
        Variant("torch", "PyTorch on the CPU"),
        Variant(
            "torch-float64",
            "PyTorch, its default dtype float64",
            switch="float64",
        ),
        Variant("jax", "JAX with 64-bit types", switch=True),
        Variant("jax-x32", "JAX without 64-bit types", has_float64=False, switch=False),
        Variant("jax-jit", "JAX, functions under test compiled", jit=True, switch=True),
        Variant(
            "jax-sharded",
            "JAX with 64-bit types, arrays divided over all devices",
            spread=True,
            switch=True,
        ),
        Variant("dask", "Dask, several chunks along each axis", switch=True),
        Variant("cupy", "CuPy", gpu=True),
        Variant("torch-cuda", "PyTorch on a GPU", gpu=True),
        Variant("jax-cuda", "JAX with 64-bit types on a GPU", gpu=True, switch=True),
    )
}


_CURRENT: list[Variant] = []


def current() -> Variant | None:
    """Return the variant that the current test runs in."""
    return _CURRENT[-1] if _CURRENT else None


def variants() -> tuple[Variant, ...]:
    """Return every variant, whether or not it can run here.

    Returns
    -------
    tuple of Variant
        `Variant.why_not` tells whether one can run.

    Examples
    --------
    >>> from likewise.testing import variants
    >>> [v.name for v in variants() if v.library == "numpy"]
    ['numpy', 'numpy-readonly', 'numpy-jit']
    """
    return tuple(VARIANTS.values())


@functools.cache
def _why_not(variant: Variant) -> str | None:
    if not installed(variant.library):
        return f"{variant.library} is not installed"
    if variant.gpu:
        # Importable is not usable: no driver, one too old, a GPU too new, memory gone, said in
        # as many ways by three libraries. A small computation tells.
        try:
            if variant.library == "cupy" or any(d.kind == "gpu" for d in devices(variant.library)):
                xp = namespace(variant.library)
                x = xp.ones(3, dtype=xp.float32, device=variant.device)
                return None if float(xp.sum(x)) == 3 else "the GPU computes wrongly"
        except Exception as error:
            return f"no usable GPU: {error}"
        return "no GPU"
    if variant.spread and load(variant.library).device_count() < 2:
        return f"{variant.library} has one device; {_EIGHT} makes eight of the host's"
    return None


def why_not_try(variant: Variant) -> str | None:
    """Return why a variant can't run, as far as known before its library is imported."""
    if not installed(variant.library):
        return f"{variant.library} is not installed"
    if variant.gpu and sys.platform.startswith("linux"):
        names = ("nvidiactl", "kfd", "dxg")  # CUDA, ROCm, CUDA under Windows
        if not any(Path("/dev", name).exists() for name in names):
            return "no GPU"
    if variant.spread and _EIGHT.partition("=")[2].partition("=")[0] not in os.environ.get(
        "XLA_FLAGS", ""
    ):
        return f"not asked for: {_EIGHT}"
    return None


def default_choice() -> str:
    """Return one variant for each installed library, and array-api-strict."""
    plain = [v for v in VARIANTS.values() if v.name == v.library]
    return ",".join(v.name for v in plain if installed(v.library))


def choose(text: str) -> dict[str, int]:
    """Return variants from ``'numpy,torch*,*/8'``; each with n, to run an nth of the tests.

    A variant whose library or GPU is missing is included only if it is named.
    """
    found: dict[str, int] = {}
    for part in (p.strip() for p in text.split(",")):
        pattern, _, share = part.partition("/")
        names = fnmatch.filter(VARIANTS, pattern)
        if not names or not re.fullmatch("[1-9][0-9]*", share or "1"):
            raise ArgumentError(
                f"no variant {part!r}; there are {', '.join(VARIANTS)}, patterns of them "
                "(torch*) and shares (*/8: on an eighth of the tests)"
            )
        usable = [name for name in names if why_not_try(VARIANTS[name]) is None]
        # What is named is kept, and so is a pattern that finds nothing usable: to be said.
        for name in names if pattern in names or not usable else usable:
            found[name] = min(found.get(name, sys.maxsize), int(share or 1))
    return {name: found[name] for name in VARIANTS if name in found}


class _Namespace(Namespace):
    """A library's namespace whose creation functions make arrays of a variant."""

    def __init__(self, variant: Variant) -> None:
        real = namespace(variant.library)
        names = {name: _creator(variant, getattr(real, name)) for name in _CREATION}
        super().__init__(variant.library, names | {"asarray": _asarray(variant, real)})
        self.__dict__.update(variant=variant, _real=real)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_real"], name)

    def __dir__(self) -> list[str]:
        return dir(self._real)

    def __repr__(self) -> str:
        return f"<{self.variant.name}: {self.variant.about}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_namespace_of, (self.variant,))


@functools.cache
def _namespace_of(variant: Variant) -> _Namespace:
    return _Namespace(variant)


def _dtype(variant: Variant, xp: Any, dtype: Any) -> Any:
    """The dtype, or the nearest that the variant has."""
    if dtype is None or variant.has_float64:
        return dtype
    name = str(getattr(dtype, "__name__", dtype)).rpartition(".")[2]
    info = namespace(variant.library).__array_namespace_info__()
    narrow = name in _NARROW and name not in info.dtypes(device=variant.device)
    return getattr(xp, _NARROW[name]) if narrow else dtype


def _sealed(variant: Variant, x: Any) -> Any:
    """Return an array as the variant has it: read-only, in several chunks, on several devices."""
    if variant.name == "numpy-readonly":
        x.flags.writeable = False
    elif variant.spread:
        x = load(variant.library).spread(x)
    elif variant.library == "dask" and all(isinstance(n, int) for n in x.shape):
        x = x.rechunk(tuple(max(1, -(-n // 2)) for n in x.shape))
    return x


UNDER_TEST: list[str] = []  # packages; for what they make themselves, a namespace is the library's


def _asked_by_code_under_test() -> bool:
    """Tell whether the caller's caller, given the namespace, is of the packages under test.

    Tests that a package has within are none of what is tested.
    """
    module = sys._getframe(2).f_globals.get("__name__", "")
    *above, last = module.split(".")
    if "tests" in above or last in ("tests", "conftest") or last.startswith("test_"):
        return False
    return any(module == p or module.startswith(p + ".") for p in UNDER_TEST)


def _creator(variant: Variant, create: Any) -> Any:
    @functools.wraps(create)
    def made(*args: Any, dtype: Any = None, device: Any = None, **options: Any) -> Any:
        if _asked_by_code_under_test():
            return create(*args, dtype=dtype, device=device, **options)
        device = variant.device if device is None else device
        dtype = _dtype(variant, namespace(variant.library), dtype)
        return _sealed(variant, create(*args, dtype=dtype, device=device, **options))

    return made


def _asarray(variant: Variant, real: Any) -> Any:
    def asarray(
        obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None
    ) -> Any:
        """Convert as the standard does; NumPy arrays become the variant's, in new memory."""
        if _asked_by_code_under_test():
            return real.asarray(obj, dtype=dtype, device=device, copy=copy)
        np = namespace("numpy")
        source = library_of(obj)
        foreign = hasattr(obj, "dtype") and (source is None or source.name == "numpy")
        if foreign:  # a NumPy array or scalar
            obj, copy = np.asarray(obj, copy=True), None
            obj = np.astype(obj, _dtype(variant, np, obj.dtype), copy=False)
        elif source is not None and copy is not True:
            return real.asarray(obj, dtype=dtype, device=device, copy=copy)
        dtype = _dtype(variant, real, dtype)
        device = variant.device if device is None and (foreign or source is None) else device
        return _sealed(variant, real.asarray(obj, dtype=dtype, device=device, copy=copy))

    return asarray
