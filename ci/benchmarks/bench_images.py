"""Images against SciPy: ``ci/bench --only images``.

Functions with their rows on small and large images, bodies, tensors there and back, compiled code.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.ndimage as judge

import likewise
from likewise import ndimage
from likewise.transforms import jit

RNG = np.random.default_rng(0)
Call = Callable[[Any, Any], Any]  # of a module and an image
CALLS: dict[str, Call] = {
    "gaussian_filter, sigma 3": lambda m, x: m.gaussian_filter(x, 3.0),
    "gaussian_gradient_magnitude": lambda m, x: m.gaussian_gradient_magnitude(x, 2.0),
    "correlate1d, 3 weights in a list": lambda m, x: m.correlate1d(x, [1.0, 2.0, 1.0]),
    "correlate, 3 x 3 in lists": lambda m, x: m.correlate(x, [[0, 1, 0], [1, 4, 1], [0, 1, 0]]),
    "sobel": lambda m, x: m.sobel(x),
    "prewitt": lambda m, x: m.prewitt(x),
    "laplace": lambda m, x: m.laplace(x),
    "uniform_filter, 5": lambda m, x: m.uniform_filter(x, 5),
    "uniform_filter1d, 5": lambda m, x: m.uniform_filter1d(x, 5),
    "maximum_filter, 5": lambda m, x: m.maximum_filter(x, 5),
    "median_filter, 5": lambda m, x: m.median_filter(x, 5),
    "grey_erosion, a cross in lists": lambda m, x: m.grey_erosion(
        x, footprint=[[0, 1, 0], [1, 1, 1], [0, 1, 0]]
    ),
    "fourier_shift": lambda m, x: m.fourier_shift(x, (1.5, 2.0)),
    "map_coordinates, order 1": lambda m, x: m.map_coordinates(x, _moved(x), order=1),
    "map_coordinates, order 3": lambda m, x: m.map_coordinates(x, _moved(x)),
    "zoom, 1.5": lambda m, x: m.zoom(x, 1.5),
    "rotate, 30 degrees": lambda m, x: m.rotate(x, 30.0, reshape=False),
    "distance_transform_edt": lambda m, x: m.distance_transform_edt(x > 0.3),
    "distance_transform_edt, background far": lambda m, x: m.distance_transform_edt(x > 1e-4),
    "label": lambda m, x: m.label(_blobs(x)),
    "sum_labels of 100": lambda m, x: m.sum_labels(x, _labels(x), _hundred(x)),
    "maximum of 100": lambda m, x: m.maximum(x, _labels(x), _hundred(x)),
    "median": lambda m, x: m.median(x),
}
BODIES = {
    "gaussian_filter, sigma 3": "1.5",
    "uniform_filter, 5": "1.5",
    "maximum_filter, 5": "1.5",
    "median_filter, 5": "2",
    "map_coordinates, order 1": "2",
    "map_coordinates, order 3": "2",
    "zoom, 1.5": "2",
    "distance_transform_edt": "3",
    "distance_transform_edt, background far": "3",
    "label": "12",
}
JITTED = {
    "gaussian_filter, sigma 3": "1.2",
    "map_coordinates, order 1": "1.5",
    "map_coordinates, order 3": "1.5",
    "label": "20",
}
_KEPT: dict[Any, Any] = {}


def _kept(name: str, x: Any, make: Callable[[int], Any]) -> Any:
    """Return what goes with images of a library and a size, made once."""
    xp = likewise.array_namespace(x)
    key = name, xp.__name__, x.shape
    if key not in _KEPT:
        _KEPT[key] = xp.asarray(make(x.shape[0]))
    return _KEPT[key]


def _moved(x: Any) -> Any:
    return _kept("moved", x, lambda n: np.mgrid[:n, :n] * 0.95 + 0.3)


def _blobs(x: Any) -> Any:
    return _kept("blobs", x, lambda n: judge.gaussian_filter(RNG.normal(size=(n, n)), 2) > 0)


def _labels(x: Any) -> Any:
    return _kept("labels", x, lambda n: RNG.integers(0, 100, (n, n)))


def _hundred(x: Any) -> Any:
    return _kept("hundred", x, lambda n: np.arange(100))


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per line: label, peer, ours, theirs, inputs, limit."""
    n = 64 if quick else 1024
    large = [RNG.random((n, n)) for _ in range(2)]
    for name, call in CALLS.items():
        theirs = lambda x, call=call: call(judge, x)
        if "numpy" in libraries:
            for size in (32, n):
                images = large if size == n else [RNG.random((size, size)) for _ in range(3)]
                ours = lambda x, call=call: call(ndimage, x)
                label = f"{name}, numpy, {size} x {size}"
                yield label, "scipy.ndimage", ours, theirs, images, "1.1 + 1 µs"
        if "numpy" in libraries and name in BODIES:
            label = f"{name}, numpy, {n} x {n}, body"
            yield label, "scipy.ndimage", in_general(call), theirs, large, BODIES[name]
        if "torch" in libraries:
            to, _ = libraries["torch"]
            label, peer = f"{name}, torch, {n} x {n}", "scipy.ndimage, and back"
            ours = lambda x, call=call: call(ndimage, x)
            yield label, peer, ours, there_and_back(call, to), [to(x) for x in large], "1.05"
        if "jax" in libraries and name in JITTED:
            to, _ = libraries["jax"]
            call(ndimage, to(large[0]))  # makes what goes with the images
            compiled = jit(lambda x, call=call: call(ndimage, x))
            pairs = [(x, to(x)) for x in large]
            ours = lambda pair, f=compiled: _waited(f(pair[1]))
            theirs = lambda pair, call=call: call(judge, pair[0])
            label = f"{name}, jax, {n} x {n}, jitted"
            yield label, "scipy.ndimage", ours, theirs, pairs, JITTED[name]


def in_general(call: Call) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        with likewise.prefer("generic"):
            return call(ndimage, x)

    return run


def there_and_back(call: Call, to: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        found = call(judge, x.numpy())
        return tuple(map(to, found)) if isinstance(found, tuple) else to(found)

    return run


def _waited(found: Any) -> Any:
    for x in found if isinstance(found, tuple) else (found,):
        x.block_until_ready()
    return found
