"""Says what JAX refuses when it follows a function, and what to write there instead."""

import re

import jax

from ...errors import ArgumentError, LikewiseError, TransformError

_NAMESPACE = "with xp = likewise.array_namespace(x) inside of it"
_STATIC = "or name the argument that it comes of in static_argnums"
_FITS = f"See that each call fits JAX's arrays, {_NAMESPACE}"
_WRITE = "Write raw = likewise.missing.at(xp.asarray(raw))[i].set(x) in place of raw[i] = x"
# By class; the first that fits.
_CLASSES: tuple[tuple[type[Exception], str], ...] = (
    (
        jax.errors.TracerBoolConversionError,
        f"Choose by value with xp.where, cond or while_loop, {_STATIC}",
    ),
    (
        jax.errors.TracerIntegerConversionError,
        f"Count with fori_loop, take elements with xp.take(xp.asarray(raw), i), {_STATIC}",
    ),
    (
        jax.errors.TracerArrayConversionError,
        f"Write xp.f(x) in place of np.f(x), {_NAMESPACE}; {_WRITE[0].lower() + _WRITE[1:]}",
    ),
    (
        jax.errors.NonConcreteBooleanIndexError,
        "Write xp.where(mask, x, 0), whose shape depends on no value",
    ),
    (
        jax.errors.UnexpectedTracerError,
        "An array that was kept from an earlier call, or from an inner function, can't be used: "
        "return it",
    ),
    (
        jax.errors.ConcretizationTypeError,
        f"Keep it an array, choose with xp.where, cond or while_loop, {_STATIC}",
    ),
)
# By what JAX says where its error is one of Python's.
_TEXTS: tuple[tuple[str, type[LikewiseError], str], ...] = (
    ("immutable", TransformError, "Write x = likewise.missing.at(x)[i].set(value)"),
    ("setting an array element", TransformError, _WRITE),  # NumPy's words
    (
        "not a valid JAX type",
        TransformError,
        "Return arrays, numbers and None, in structures that register_tree knows",
    ),
    (
        "interpreting argument|parsing an argument|Non-hashable static",
        ArgumentError,
        "Pass arrays and numbers of 64 bits; name what is a setting, and hashable, in "
        "static_argnums or static_argnames",
    ),
    (
        r"\bdtype\b",
        TransformError,
        f"Convert it before: xp.astype(x, dtype), {_NAMESPACE}",
    ),
)
_OF_PYTHON = (AttributeError, IndexError, NotImplementedError, OverflowError, TypeError, ValueError)
# What it says before it calls the function, and afterwards; and NumPy's words of its arrays.
_AROUND = re.compile(
    "Error interpreting argument|An overflow was encountered while parsing an argument|"
    "Non-hashable static arguments|.* which is not a valid JAX type|setting an array element with"
)


def unfollowed(error: Exception) -> tuple[type[LikewiseError], str] | None:
    """Return the class of our error, and what JAX said with the mend; None if it isn't JAX's."""
    said = str(error).partition("\n")[0].rstrip(".")
    if type(error).__module__ == "jax.errors":
        mends = (mend for cls, mend in _CLASSES if isinstance(error, cls))
        return TransformError, f"{said}. {next(mends, _FITS)}"
    if isinstance(error, LikewiseError) or not isinstance(error, _OF_PYTHON):
        return None
    if not (_raised_by_jax(error) or _AROUND.match(said)):
        return None
    rows = ((cls, mend) for pattern, cls, mend in _TEXTS if re.search(pattern, said))
    cls, mend = next(rows, (TransformError, _FITS))
    return cls, f"{said}. {mend}"


def _raised_by_jax(error: Exception) -> bool:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__"))
    return name.partition(".")[0] in ("jax", "jaxlib")
