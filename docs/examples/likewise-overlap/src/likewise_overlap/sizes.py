"""The calls that the blocks serve; imports no library, as it is called first."""

from typing import Any

LEAST = 8192  # elements of a signal, below which one transform of all of it is as fast
RATIO = 16  # of signal to kernel


def should_run(call: Any) -> bool | str:
    """Return True, or the reason why not: by dtypes, shapes, device and options only."""
    if len(call.shapes) != 2:
        return "both inputs must be arrays"
    if not set(call.dtypes.values()) <= {"float32", "float64"}:
        return f"it is for real floating numbers, not {', '.join(call.dtypes.values())}"
    signal, kernel = call.shapes["in1"], call.shapes["in2"]
    if len(signal) != 1 or len(kernel) != 1 or call.options["axes"] is not None:
        return "it is for one dimension, without axes"
    if signal[0] < LEAST:
        return f"{signal[0]} elements are too few: from {LEAST} on, blocks pay"
    if signal[0] < RATIO * kernel[0]:
        return f"a kernel of {kernel[0]} is too long for a signal of {signal[0]}"
    return True
