"""CuPy. Written against CuPy 14; runs in the GPU lane only."""

import contextlib
import functools
import operator
from typing import Any

import array_api_compat.cupy as compat
import cupy as cp

from ..._library import Library
from ..._namespace import standard
from ..._standard import NUMBERS, having
from ...errors import DeviceNotFound


def _on_gpu(create: Any) -> Any:
    """A creation function with our error where there is no driver."""

    @functools.wraps(create)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return create(*args, **kwargs)
        except cp.cuda.runtime.CUDARuntimeError as error:
            if LIBRARY.devices():
                raise
            raise _no_gpu() from error

    return call


def _no_gpu() -> DeviceNotFound:
    return DeviceNotFound(
        "cupy has no device here, and needs a GPU for any array; install the driver, or take "
        "another library, as by likewise.use('numpy')"
    )


def _frequencies(create: Any) -> Any:
    """`fftfreq` or `rfftfreq` on a device: array-api-compat refuses all of CuPy's."""

    @functools.wraps(create)
    def call(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
        with contextlib.nullcontext() if device is None else device:
            return create(n, d=d, dtype=dtype)

    return call


def _creation(name: str) -> Any:
    found = operator.attrgetter(name)(compat)
    return _on_gpu(_frequencies(found) if name.startswith("fft.") else found)


_NAMESPACE = standard("cupy", compat, {n: _creation(n) for n in having("creation")})


class CuPy(Library):
    """CuPy's arrays, each on a GPU."""

    name = "cupy"
    strong_scalars = True
    packages = ("cupy", "cupyx")
    namespace = _NAMESPACE
    host_reads = (
        (cp, "asnumpy", "copy"),
        *((cp.ndarray, n, "copy") for n in ("get", "tolist")),
        *((cp.ndarray, n, "scalar") for n in (*NUMBERS, "item")),
    )

    def version(self) -> str:
        return str(cp.__version__)

    def own_types(self) -> tuple[type, ...]:
        return (cp.ndarray,)

    def devices(self) -> list[Any]:
        try:
            return [cp.cuda.Device(i) for i in range(cp.cuda.runtime.getDeviceCount())]
        except cp.cuda.runtime.CUDARuntimeError:  # no driver: CuPy is installed, a GPU isn't
            return []

    def describe_device(self, device: Any) -> tuple[str, str, int | None]:
        properties = cp.cuda.runtime.getDeviceProperties(device.id)
        return "gpu", properties["name"].decode(), int(properties["totalGlobalMem"])

    def find_device(self, name: str) -> Any:
        kind, _, index = name.partition(":")
        if kind != "gpu":
            raise LookupError(name)
        return self.devices()[int(index or 0)]

    def is_host(self, x: Any) -> bool:
        return False

    records = True
    replays = True

    def sketch(self, x: Any) -> Any:
        return type(x), x.dtype, x.shape, x.device, x.strides

    def row_major(self, x: Any) -> bool:
        return bool(x.flags.c_contiguous)

    def copied(self, x: Any) -> Any:
        return x.copy(order="K")

    def to_numpy(self, x: Any) -> Any:
        return cp.asnumpy(x)

    def from_numpy(self, x: Any, device: Any) -> Any:
        if not self.devices():
            raise _no_gpu()
        with cp.cuda.Device() if device is None else device:
            return cp.asarray(x)

    def free_memory(self, device: Any) -> int:
        with cp.cuda.Device() if device is None else device:
            return int(cp.cuda.runtime.memGetInfo()[0])

    def at_set(self, x: Any, index: Any, value: Any) -> Any:
        with x.device:  # a copy goes to the current device
            out = x.copy()
            out[index] = value
            return out


LIBRARY = CuPy()
