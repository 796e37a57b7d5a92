"""CuPy. Written against CuPy 14; runs in the GPU lane only."""

import functools
from typing import Any

import array_api_compat.cupy as compat
import cupy as cp

from ..._namespace import standard
from ...errors import DeviceNotFound

name = "cupy"


def _on_gpu(create: Any) -> Any:
    """A creation function with our error where there is no driver."""

    @functools.wraps(create)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return create(*args, **kwargs)
        except cp.cuda.runtime.CUDARuntimeError as error:
            if devices():
                raise
            raise _no_gpu() from error

    return call


def _no_gpu() -> DeviceNotFound:
    return DeviceNotFound(
        "cupy has no device here, and needs a GPU for any array; install the driver, or take "
        "another library, as by likewise.use('numpy')"
    )


_CREATION = "arange asarray empty eye from_dlpack full linspace ones zeros".split()
namespace = standard(name, compat, {n: _on_gpu(getattr(compat, n)) for n in _CREATION})


def version() -> str:
    return str(cp.__version__)


def own_types() -> tuple[type, ...]:
    return (cp.ndarray,)


def is_array(x: object) -> bool:
    return isinstance(x, cp.ndarray)


def refusal(x: object) -> str | None:
    return None


def device(x: Any) -> Any:
    return x.device


def devices() -> list[Any]:
    try:
        return [cp.cuda.Device(i) for i in range(cp.cuda.runtime.getDeviceCount())]
    except cp.cuda.runtime.CUDARuntimeError:  # no driver: CuPy is installed, a GPU isn't
        return []


def describe_device(device: Any) -> tuple[str, str, int | None]:
    properties = cp.cuda.runtime.getDeviceProperties(device.id)
    return "gpu", properties["name"].decode(), int(properties["totalGlobalMem"])


def find_device(name: str) -> Any:
    kind, _, index = name.partition(":")
    if kind != "gpu":
        raise LookupError(name)
    return devices()[int(index or 0)]


def is_lazy(x: Any) -> bool:
    return False


def is_host(x: Any) -> bool:
    return False


def to_numpy(x: Any) -> Any:
    return cp.asnumpy(x)


def from_numpy(x: Any, device: Any) -> Any:
    if not devices():
        raise _no_gpu()
    with cp.cuda.Device() if device is None else device:
        return cp.asarray(x)


def free_memory(device: Any) -> int:
    with cp.cuda.Device() if device is None else device:
        return int(cp.cuda.runtime.memGetInfo()[0])


def facts() -> dict[str, Any]:
    return {
        "jit": "no",
        "grad": "traced",
        "vmap": "traced",
        "mutable": True,
        "lazy": False,
        "float64": True,
    }


def at_set(x: Any, index: Any, value: Any) -> Any:
    with x.device:  # a copy goes to the current device
        out = x.copy()
        out[index] = value
        return out


HOST_READS = (
    (cp, "asnumpy", "copy"),
    *((cp.ndarray, n, "copy") for n in ("get", "tolist")),
    *(
        (cp.ndarray, n, "scalar")
        for n in ("__bool__", "__complex__", "__float__", "__index__", "__int__", "item")
    ),
)
