"""Errors for code that can't be traced, with the user's line and what to write there."""

import ast
import itertools
import linecache
import re
import sys
import sysconfig
import traceback
from typing import Any

from ..._namespace import describe, hooks_of, loaded
from ..._native import counterpart
from ...errors import ArrayTypeError, LikewiseError, TransformError

__all__ = [
    "explain",
    "foreign",
    "placed",
    "raise_ended",
    "raise_escape",
    "running",
    "told",
    "users_line",
]

_PACKAGE = __name__.partition(".")[0]
_STDLIB = sysconfig.get_paths()["stdlib"]
_NAME = re.compile(r"\bProxy\b")  # by which libraries say what they got
_OF_NUMBERS = re.compile("math domain|expected a .* input, got")  # math's words of a number


def foreign(function: str, name: str, error: Exception, given: Any) -> None:
    """Raise a `TransformError` if a user's function passed its arrays to NumPy or math.

    Other errors, such as the user's own, are not changed. `explain` handles those of proxies.
    """
    if isinstance(error, LikewiseError) or _of_proxies(error) or not _of_numpy(error, given):
        return
    raise ArrayTypeError(
        f"{function}: {name} got {describe(given)}, and what it does with NumPy or math"
        f"{users_line(error)} failed: {type(error).__name__}: {error}. Inside of it take "
        "xp = likewise.array_namespace(x), and write xp.exp(x) in place of np.exp(x) or "
        "math.exp(x)"
    ) from error


def _of_numpy(error: Exception, given: Any) -> bool:
    """Tell if an error comes from a call of NumPy or math with an array of another library.

    The call must be in the innermost of the user's functions, and not be a `raise` of theirs.
    """
    # What arrays refuse with; and a warning of NumPy's of an array, where warnings are errors.
    wrong = isinstance(error, TypeError | ValueError | RuntimeError | DeprecationWarning)
    if not wrong or type(error).__module__.startswith("numpy") or _OF_NUMBERS.match(str(error)):
        return False
    frame = next((frame for frame, _ in _frames(error) if _is_users(frame)), None)
    try:
        statement: Any = ast.parse(f"({_expression(error)})").body[0]
    except SyntaxError:  # a `raise`, or there is no source to look at
        return False
    if frame is None:
        return False
    node = statement.value
    called = node.func if isinstance(node, ast.Call) else node  # else an operator's two sides
    names = {**frame.f_globals, **frame.f_locals}
    known = [names[n.id] for n in ast.walk(called) if isinstance(n, ast.Name) and n.id in names]
    among = ("math",) if hooks_of(given).own_functions else ("numpy", "math")
    return any(_is_of(value, among) for value in known)


def _is_of(value: Any, packages: tuple[str, ...]) -> bool:
    modules = [getattr(value, "__module__", None), type(value).__module__]
    if isinstance(value, type(sys)):
        modules = [value.__name__]
    return any(str(m).partition(".")[0] in packages for m in modules)


def users_line(error: BaseException | None = None) -> str:
    """Return the user's line, for a message."""
    frame, line = _users_frame(error)
    if frame is None:
        return ""
    return f" (line {line} of {frame.f_code.co_filename}, in {frame.f_code.co_name})"


def _users_frame(error: BaseException | None = None) -> tuple[Any, int]:
    return next((found for found in _frames(error) if _is_users(found[0])), (None, 0))


def _frames(error: BaseException | None = None) -> list[tuple[Any, int]]:
    """Yield frames and lines from the innermost out, of an error or of the running code."""
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
    return frames


def _is_users(frame: Any) -> bool:
    file = frame.f_code.co_filename
    installed = "site-packages" in file or file.startswith((_STDLIB, "<frozen", "<__array"))
    return not (installed or _module(frame)[0] == _PACKAGE)


def _module(frame: Any) -> list[str]:
    return str(frame.f_globals.get("__name__", "")).split(".")


def raise_escape(what: str, error: BaseException | None = None) -> Any:
    """Raise a `TransformError` for a conversion of an array, from a library's error or our own."""
    text = running() if error is None else _shown(error)
    raise TransformError(
        f"{what} would take an array out of the transform that follows it"
        f"{f', in {text}' if text else ''}{users_line(error)}, and its derivative or batch would "
        f"be lost. {_mend(text, _users_frame(error)[0])}Inside the function take "
        "xp = likewise.array_namespace(x), and use its functions; for a value that needs no "
        "derivative, likewise.transforms.stop_gradient, or return it with has_aux=True; for a "
        "choice by value, xp.where, cond or while_loop."
    ) from error


def told(error: Exception) -> None:
    """Replace an unclear error of a library's own transforms by that of `raise_escape`."""
    what = next(filter(None, (one.leaving(error) for one in loaded())), "")
    if what:
        raise_escape(what, error)


def raise_ended(what: str, transform: str) -> Any:
    raise TransformError(
        f"{what}: an array that {transform} made is used after the transform has ended"
        f"{users_line()}. Return it from the transformed function, or use has_aux=True. An "
        "array from outside to which the function writes (x[i] = y) belongs to the transform "
        "too: make it inside and return it."
    )


def running() -> str:
    """Return the user's expression that runs now, if it is on one line."""
    for frame, _ in _frames():
        if _is_users(frame):
            places = itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None)
            first, last, start, end = next(places, (None,) * 4)
            line = linecache.getline(frame.f_code.co_filename, first or 0).encode()
            return line[start:end].decode().strip() if first == last and line else ""
    return ""


def _mend(text: str, frame: Any = None) -> str:
    """Return what to write in place of code in a frame that can't be traced."""
    try:
        statements = ast.parse(text).body
    except SyntaxError:
        return ""
    node = statements[0].value if statements and isinstance(statements[0], ast.Expr) else None
    if isinstance(node, ast.Subscript):  # what is assigned to
        raw = ast.unparse(node)
        name = ast.unparse(node.value)
        index = raw[len(name) + 1 : -1]
        return (
            f"In place of {raw} = value write {name} = likewise.missing.at({name})[{index}]"
            ".set(value), or make it by xp.zeros_like(x) and write to that. "
        )
    if not isinstance(node, ast.Call):
        return ""
    called = ast.unparse(node.func)
    owner, _, name = called.rpartition(".")
    if name in ("array", "asarray", "asanyarray"):
        if node.args and isinstance(node.args[0], ast.List | ast.Tuple | ast.ListComp):
            parts = ast.unparse(node.args[0])
            parts = parts if len(parts) <= 60 else "[...]"
            return f"Write np.stack({parts}) or xp.stack({parts}), of arrays all, or xp.asarray. "
        return f"Leave {called} out: what it gets is an array. "
    if name in ("full", "full_like"):
        return f"Write xp.{name}({', '.join(map(ast.unparse, node.args))}). "
    if name in ("clip", "dot", "searchsorted"):  # a method of NumPy's own array
        return f"Write np.{name}({', '.join([owner, *map(ast.unparse, node.args)])}). "
    if owner == "math":
        return f"Write np.{name} or xp.{name}, which take arrays. "
    return _of_scipy(node, frame)


def _of_scipy(node: ast.Call, frame: Any) -> str:
    """Return what to write in place of a call of SciPy; '' for other calls."""
    path = ast.unparse(node.func).split(".")
    if frame is None or not all(map(str.isidentifier, path)):
        return ""
    found: Any = {**frame.f_globals, **frame.f_locals}.get(path[0])
    for step in path[1:]:
        if not _is_of(found, ("scipy",)):
            return ""
        found = getattr(found, step, None)
    known, ours = counterpart(found)
    if ours is not None:
        place = known.removeprefix("scipy.")
        return f"Write likewise.{place}({', '.join(map(ast.unparse, node.args))}). "
    if (
        not known
        and not _is_of(found, ("scipy",))
        and not _is_of(getattr(found, "__self__", None), ("scipy",))
    ):
        return ""
    return (
        f"likewise has no {path[-1]}: write it in functions of xp and of likewise.special, or give "
        "its derivative by likewise.custom_jvp around a pure_callback. "
    )


def explain(error: Exception, transform: str) -> None:
    """Raise a `TransformError` in place of an error caused by passing proxies to other code.

    Errors of classes other than those of wrong arguments get a note only.
    """
    if isinstance(error, LikewiseError) or not _of_proxies(error):
        return
    if any(note.startswith("likewise: ") for note in getattr(error, "__notes__", ())):
        return
    frame, _ = _users_frame(error)
    text = (
        f"{transform}: {placed(error)} can't be followed, for what it calls doesn't "
        f"know the transform's arrays. {_mend(_shown(error), frame)}Inside the function take "
        "xp = likewise.array_namespace(x), and not from an array outside; write xp.f(x) in place "
        "of np.f(x), xp.asarray(raw) in place of a raw array that stands left of one in an "
        "operator or before raw[i] = x, and xp.take(xp.asarray(raw), i) in place of raw[i]."
    )
    cause = error.__cause__
    wrong = isinstance(error, TypeError | AttributeError) or _of_ctypes(error)
    if wrong or isinstance(cause, TransformError):
        raise TransformError(f"{text}\nGot {type(error).__name__}: {error}") from error
    error.add_note(f"likewise: {text}")


def placed(error: Exception) -> str:
    """Return the user's expression that raised an error, and its line."""
    return _shown(error) + (users_line(error) or users_line())


def _shown(error: BaseException) -> str:
    expression = _expression(error)
    return "a call" if "\n" in expression else expression


def _of_proxies(error: BaseException | None) -> bool:
    """Tell if an error, or its cause, says that a function got a proxy."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:  # `raise e from c`, c met while e was handled
        if isinstance(error, TransformError) or _NAME.search(str(error)) or _asked_for(error):
            return True
        if _of_ctypes(error) or _of_cython(error):
            return True
        if any(one.stranger(error) for one in loaded()):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def _of_ctypes(error: BaseException) -> bool:
    """Tell if an error is ctypes' error for an argument, which doesn't name its class."""
    return (type(error).__module__, type(error).__name__) == ("ctypes", "ArgumentError")


def _of_cython(error: BaseException) -> bool:
    """Tell if an error is Cython's error for a function of fused types."""
    return isinstance(error, TypeError) and str(error) == "No matching signature found"


def _asked_for(error: BaseException) -> bool:
    """Tell if a package, not the user's code, used an attribute of a proxy."""
    if not hasattr(type(getattr(error, "obj", None)), "__likewise_library__"):
        return False
    for asking, _ in _frames(error)[1:2]:  # of `Proxy.__getattr__`
        module = _module(asking)
        return not _is_users(asking) and (module[0] != _PACKAGE or module[1] == "_libs")
    return False


def _expression(error: BaseException) -> str:
    """Return the user's expression that raised the error."""
    places = reversed(traceback.extract_tb(error.__traceback__))
    for (frame, _), place in zip(_frames(error), places, strict=True):
        if _is_users(frame):
            first, last = place.lineno or 0, place.end_lineno or 0
            lines = [linecache.getline(place.filename, n).encode() for n in range(first, last + 1)]
            if lines and all(lines):
                lines[-1] = lines[-1][: place.end_colno]
                return b"".join(lines)[place.colno :].decode()
            break
    return "a call"
