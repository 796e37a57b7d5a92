"""The calls that the routines serve; imports no library, as it is called first."""

import math
from typing import Any

LEAST = 64 * 64  # pixels of a call: below, the dispatch costs as much as is gained


def median(call: Any) -> bool | str:
    """Return True, or the reason why not: by dtypes, shapes, device and options only."""
    if call.options["size"] != 3:
        return f"the network is for 3 x 3 pixels, not for size {call.options['size']}"
    return _floating(call) or _large(call) or True


def radial_profile(call: Any) -> bool | str:
    """Return True, or the reason why not."""
    if len(call.shapes["image"]) != 2:
        return "it is for one image, not for stacks"
    return _floating(call) or _large(call) or True


def _floating(call: Any) -> str:
    dtype = call.dtypes["image"]
    if dtype in ("float32", "float64"):
        return ""
    return f"it is for floating images, not {dtype}"


def _large(call: Any) -> str:
    pixels = math.prod(call.shapes["image"])
    if pixels >= LEAST:
        return ""
    return f"{pixels} pixels are too few: from {LEAST} on, it pays"
