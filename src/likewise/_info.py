"""Lists the installed libraries, and the features of each."""

import os
import platform
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from . import _default, _providers
from ._namespace import LIBRARIES, installed, library, load, namespace
from .errors import LibraryNotInstalled

__all__ = ["DeviceInfo", "Info", "Report", "devices", "info"]


@dataclass(frozen=True)
class DeviceInfo:
    """A device of a library.

    Attributes
    ----------
    kind : str
        'cpu', 'gpu', or another kind of the library.
    name : str
        The hardware's name, or the library's for a device without hardware.
    memory : int or None
        Bytes, if known.
    device : object
        The library's own object, which creation functions accept.
    """

    kind: str
    name: str
    memory: int | None
    device: Any

    def __str__(self) -> str:
        size = "" if self.memory is None else f", {self.memory / 2**30:.1f} GiB"
        return f"{self.kind} ({self.name}{size})"


@dataclass(frozen=True)
class Info:
    """Holds the features of a library in its current configuration.

    Attributes
    ----------
    library, version : str
        Name and version.
    jit, grad, vmap : str
        How the transforms work there. 'native': by the library's own; 'traced': by likewise's
        interpreter; 'recorded': recorded once for a kind of arguments, then replayed; 'no': not.
    mutable, lazy : bool
        Whether arrays can be written to, and whether they are computed only on request.
    default_dtypes : dict
        'real floating', 'complex floating', 'integral', 'indexing'.
    float64, fft, linalg, boolean_indexing, data_dependent_shapes : bool
        Whether the library has them.
    devices : tuple of DeviceInfo
        The devices for arrays.
    """

    library: str
    version: str
    jit: str
    grad: str
    vmap: str
    mutable: bool
    lazy: bool
    default_dtypes: dict[str, str]
    float64: bool
    fft: bool
    linalg: bool
    boolean_indexing: bool
    data_dependent_shapes: bool
    devices: tuple[DeviceInfo, ...]

    def __str__(self) -> str:
        lines = [f"{self.library} {self.version}"]
        for f in fields(self)[2:]:
            value = getattr(self, f.name)
            if isinstance(value, dict):
                value = ", ".join(f"{k} {v}" for k, v in value.items())
            elif isinstance(value, tuple):
                value = "; ".join(str(v) for v in value)
            elif isinstance(value, bool):
                value = "yes" if value else "no"
            lines.append(f"  {f.name.replace('_', ' '):<22} {value}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Report:
    """Holds the versions, libraries and providers that are installed.

    Attributes
    ----------
    version, python : str
        Of likewise and of Python.
    default : str
        The default library and device of creation functions.
    libraries : dict
        Per library its `Info`, or a text that says why there is none.
    providers : dict
        Per provider of native routines a text: its functions or its error, and whether
        LIKEWISE_PREFER prefers it.
    """

    version: str
    python: str
    default: str
    libraries: dict[str, Info | str]
    providers: dict[str, str]

    def __str__(self) -> str:
        lines = [f"likewise {self.version}, Python {self.python}; default: {self.default}"]
        for name, found in self.libraries.items():
            lines.append(f"{name}: {found}" if isinstance(found, str) else str(found))
        lines += [f"provider {name}: {told}" for name, told in self.providers.items()]
        return "\n".join(lines)


def devices(name: str) -> tuple[DeviceInfo, ...]:
    """List the devices of a library.

    Parameters
    ----------
    name : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}
        The library; it is imported if necessary.

    Returns
    -------
    tuple of DeviceInfo
        Kind, name, memory and the library's own object of each.

    Raises
    ------
    LibraryNotInstalled
        If the library isn't installed.

    Examples
    --------
    >>> import likewise
    >>> [d.kind for d in likewise.devices("numpy")]
    ['cpu']
    """
    found = load(name)
    described = ((*found.describe_device(d), d) for d in found.devices())
    return tuple(
        DeviceInfo(
            kind, hardware or _processor(), _memory() if kind == "cpu" and size is None else size, d
        )
        for kind, hardware, size, d in described
    )


def info(x: Any = None) -> Any:
    """Return the features of a library, or a report of what is installed.

    Parameters
    ----------
    x : array or str, optional
        An array, or the name of a library. Default: a report of all libraries.

    Returns
    -------
    Info or Report
        Records that print as text.

    Raises
    ------
    LibraryNotInstalled
        If the named library isn't installed.
    ArrayTypeError
        If `x` is not an array.

    Examples
    --------
    >>> import likewise
    >>> likewise.info("numpy").jit
    'recorded'
    """
    if x is None:
        return _report()
    name = x if isinstance(x, str) else library(x)
    if name is None:
        raise LibraryNotInstalled(
            f"info: nothing is known of {type(x).__module__}'s arrays but their namespace; "
            f"the libraries are {', '.join(LIBRARIES)}"
        )
    xp = namespace(name)
    found = load(name)
    inspection = xp.__array_namespace_info__()
    capabilities = inspection.capabilities()
    facts = found.facts()
    return Info(
        library=name,
        version=found.version(),
        jit=facts["jit"],
        grad=facts["grad"],
        vmap=facts["vmap"],
        mutable=facts["mutable"],
        lazy=facts["lazy"],
        default_dtypes={k: _plain(v) for k, v in inspection.default_dtypes().items()},
        float64=facts["float64"],
        fft=hasattr(xp, "fft"),
        linalg=hasattr(xp, "linalg"),
        boolean_indexing=bool(capabilities["boolean indexing"]),
        data_dependent_shapes=bool(capabilities["data-dependent shapes"]),
        devices=devices(name),
    )


def _plain(dtype: Any) -> str:
    """The standard name of a dtype, such as 'float64'."""
    return str(getattr(dtype, "__name__", dtype)).rpartition(".")[2]


def _report() -> Report:
    found: dict[str, Info | str] = {}
    for name in LIBRARIES:
        if not installed(name):
            found[name] = "not installed"
            continue
        try:
            found[name] = info(name)
        except Exception as error:  # a broken installation of one must not hide the others
            found[name] = f"installed, but fails: {error}"
    default = _default.current()
    parts = [default.namespace, default.device, default.dtype]
    return Report(
        version=_own_version(),
        python=platform.python_version(),
        default=", ".join(str(p) for p in parts if p is not None),
        libraries=found,
        providers=_told_providers(),
    )


def _told_providers() -> dict[str, str]:
    out = {}
    for name, found in _providers.found().items():
        if not isinstance(found, _providers.Provider):
            out[name] = f"broken: {found}"
        elif name in _default.PREFERRED:
            out[name] = f"preferred by LIKEWISE_PREFER: {found}"
        else:
            out[name] = f"off unless preferred: {found}"
    for name in sorted(_default.BLOCKED):
        out[name] = "blocked by LIKEWISE_BLOCK"
    for name in _default.PREFERRED:
        if name not in _providers.RESERVED:
            out.setdefault(name, "LIKEWISE_PREFER names it, but it isn't installed")
    return out


def _own_version() -> str:
    try:
        return version("likewise")
    except PackageNotFoundError:  # run from the source tree
        return "(source tree)"


def _processor() -> str:
    return platform.processor() or platform.machine() or "processor"


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # not told by this system
        return None
