"""SciPy's filters that call a function of the user, as the apply steps call them."""

from typing import Any

from scipy import ndimage

__all__ = ["generic_filter1d", "vectorized_filter"]

_LINES, _WINDOWS = ndimage.generic_filter1d, ndimage.vectorized_filter


def generic_filter1d(x: Any, function: Any, *rest: Any) -> Any:
    """Call SciPy's with a function that may also return its results."""

    def written(line: Any, out: Any, *args: Any, **kwargs: Any) -> None:
        found = function(line, out, *args, **kwargs)
        if found is not None:
            out[...] = found

    return _LINES(x, written if callable(function) else function, *rest)  # or LowLevelCallable


def vectorized_filter(
    x: Any,
    function: Any,
    sizes: Any,
    cells: Any,
    mode: str,
    cval: Any,
    origins: Any,
    memory: float,
) -> Any:
    """Call SciPy's along the last axes."""
    if mode == "valid":
        origins = None
    options = {"cval": cval} if mode == "constant" else {}
    size = sizes if cells is None else None
    axes = tuple(range(-len(sizes), 0))
    return _WINDOWS(
        x,
        function,
        size=size,
        footprint=cells,
        mode=mode,
        origin=origins,
        axes=axes,
        batch_memory=memory,
        **options,
    )
