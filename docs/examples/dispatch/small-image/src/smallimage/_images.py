"""The checks of images for all functions."""

from typing import Any

import likewise


def images(function: str, xp: Any, *given: Any) -> tuple[Any, ...]:
    """Return images, with integers and booleans converted to floating numbers."""
    dtype = likewise.result_type(*given, 1.0)
    for image in given:
        if len(image.shape) < 2 or 0 in image.shape[-2:]:
            raise ValueError(
                f"{function}: an image has rows and columns, got shape {(*image.shape,)}"
            )
        if not xp.isdtype(image.dtype, ("bool", "integral", "real floating")):
            raise TypeError(f"{function}: an image is of real numbers, got {image.dtype}")
    return tuple(x if x.dtype == dtype else xp.astype(x, dtype) for x in given)
