"""What can't be followed, in words: where the user's code stands, and what to write there."""

import sys
import sysconfig
from typing import Any

from .._namespace import ARRAY_PACKAGES
from ..errors import LikewiseError, TransformError

__all__ = ["explain", "raise_escape", "users_line"]

_PACKAGE = __name__.partition(".")[0]
_STDLIB = sysconfig.get_paths()["stdlib"]


def users_line(error: BaseException | None = None) -> str:
    """Return where the user's code stands, for a message."""
    frames = []
    if error is not None:
        trace = error.__traceback__
        while trace is not None:
            frames.append((trace.tb_frame, trace.tb_lineno))
            trace = trace.tb_next
        frames.reverse()
    else:
        frame: Any = sys._getframe(1)
        while frame is not None:
            frames.append((frame, frame.f_lineno))
            frame = frame.f_back
    for frame, line in frames:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package != _PACKAGE and not _is_installed(frame.f_code.co_filename):
            return f" (line {line} of {frame.f_code.co_filename}, in {frame.f_code.co_name})"
    return ""


def _is_installed(file: str) -> bool:
    return "site-packages" in file or file.startswith((_STDLIB, "<frozen", "<__array"))


def raise_escape(what: str) -> Any:
    raise TransformError(
        f"{what} would take an array out of the transform that follows it{users_line()}, and its "
        "derivative or batch would be lost. Inside the function take "
        "xp = likewise.array_namespace(x), and use its functions; for a value that needs no "
        "derivative, likewise.transforms.stop_gradient, or return it with has_aux=True; for a "
        "choice by value, xp.where, cond or while_loop."
    )


def explain(error: Exception) -> None:
    """Raise an error of ours in place of one that came of proxies in what doesn't know them.

    An error that may have other causes is left, with a note on where and why.
    """
    if isinstance(error, LikewiseError) or not (_of_proxies(error) or _among(error)):
        return
    if any(note.startswith("likewise: ") for note in getattr(error, "__notes__", ())):
        return
    where = users_line(error) or users_line()
    text = (
        f"a function that is being transformed{where} handed its arrays to one that is no function "
        "of their namespace, or a raw array stood left of one in an operator or an assignment. "
        "Take the namespace inside the function, xp = likewise.array_namespace(x), not from an "
        "array outside, and write xp.f(x) in place of np.f(x), xp.asarray(raw) in place of a raw "
        "array on the left and before raw[i] = x, and xp.take(xp.asarray(raw), i) in place of "
        "raw[i]."
    )
    if isinstance(error, TypeError | AttributeError):
        raise TransformError(f"{text} It got {type(error).__name__}: {error}") from error
    error.add_note(f"likewise: {text}")


def _of_proxies(error: BaseException | None) -> bool:
    seen: list[BaseException] = []
    while error is not None and error not in seen:  # `raise e from c`, c met while e was handled
        if isinstance(error, TransformError) or "Proxy" in str(error):
            return True
        # torch, of a tensor with a proxy for an index, which it takes for a tuple.
        if isinstance(error, IndexError) and "too many indices for tensor" in str(error):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def _among(error: BaseException) -> bool:
    """Tell if the array library's function in which an error was raised had a proxy."""
    trace = error.__traceback__
    found = False
    while trace is not None:
        frame = trace.tb_frame
        module = str(frame.f_globals.get("__name__", ""))
        package = module.partition(".")[0]
        if package in ARRAY_PACKAGES or module.startswith(f"{_PACKAGE}._libs."):
            found = found or _any_proxy(frame.f_locals.values())
        elif package != _PACKAGE:  # a function of the user's that the library has called
            found = False
        trace = trace.tb_next
    return found


def _any_proxy(values: Any) -> bool:
    return any(
        hasattr(type(v), "__likewise_library__") or (isinstance(v, list | tuple) and _any_proxy(v))
        for v in values
    )
