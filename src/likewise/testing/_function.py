"""One function, proven on every library."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._namespace import array_namespace, device, is_neutral, library, library_of, load
from ..errors import ArgumentError
from ..interop import to_numpy
from ..transforms import vmap as _vmap
from ..transforms._tree import leaves, map_leaves
from ._compare import compare, tolerance
from ._grads import check_grads
from ._host import HostCopyError, no_host_copies
from ._proxy import refusing
from ._report import Cell, Record, keep
from ._variants import VARIANTS, Variant

__all__ = ["check_function"]

# What a function is run in; the others differ from these in what creation functions do.
_USUAL = (
    "numpy-readonly",
    "strict-device1",
    "strict-minimal",
    "torch",
    "jax",
    "dask",
    "cupy",
    "torch-cuda",
    "jax-cuda",
)
Declared = bool | str | Mapping[str, str]


def check_function(
    func: Callable[..., Any],
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    reference: Any = None,
    tol: float | Mapping[str, float] | None = None,
    eager: Declared = True,
    jit: Declared = True,
    compile: Declared = True,
    grad: Declared = True,
    vmap: Declared = True,
    batch: bool = False,
    dtypes: Sequence[str] = ("float64", "float32"),
    libraries: Sequence[str] | None = None,
    scalars: int = 0,
    per: str = "call",
    name: str | None = None,
) -> Record:
    """Prove a function on every library that is installed.

    Parameters
    ----------
    func : callable
        The function under test.
    *args : NumPy array or anything
        Its arguments. NumPy arrays, nested in tuples, lists and dicts or not, become arrays of each
        library; the rest stays as it is. Give float64 and complex128.
    kwargs : dict, optional
        Its keyword arguments, treated alike.
    reference : callable or (nested) array, optional
        What values are compared with: a function of the same arguments on NumPy arrays in double
        precision, or what it should return; only arrays are compared, of each the largest entry
        (or 1) sets the scale. It must not be `func` itself. Default: values are not
        checked, and the record says so.
    tol : float or dict, optional
        Tolerance relative to the largest entry of what is expected, for all dtypes or for each by
        name. Default: three quarters of the dtype's digits (see `tolerance`).
    eager, jit, compile, grad, vmap : bool, str or dict, optional
        What to check: plain calls; ``jax.jit``; ``torch.compile`` with ``fullgraph=True``;
        gradients against finite differences; the library's vmap against a loop. A string is the
        reason why it can't be, a dict has such reasons for single libraries or variants; it is
        tried nevertheless, and must fail. False: not looked at.
    batch : bool, optional
        Whether leading dimensions are batch dimensions, to be compared with a loop.
    dtypes : sequence of str, optional
        Precisions: 'float64', 'float32' or both. What comes out in floating point must have it.
    libraries : sequence of str, optional
        Names of libraries or variants, instead of all.
    scalars : int, optional
        How many reads of single values are declared (see `no_host_copies`).
    per : {'call', 'iteration'}, optional
        What `scalars` counts.
    name : str, optional
        The function's name in the record.

    Returns
    -------
    Record
        Which prints itself as a table, and goes into the file of ``--xp-report``.

    Raises
    ------
    AssertionError
        If anything failed; all that did is listed.

    Notes
    -----
    Each call is checked for: library, device and precision of what comes out; values; inputs
    untouched; no copies to the host. NumPy arrays are read-only, array-api-strict's live on a
    second device, and once more on the first without extensions, boolean indexing and
    data-dependent shapes. Dask must not compute. JAX runs a second time on inputs that refuse
    to become NumPy's, since NumPy reads JAX's arrays unseen: traced by ``jax.jit``, and wrapped by
    `refusing`. ``torch.compile`` runs after one eager call, without code
    generation.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import array_namespace
    >>> from likewise.testing import check_function
    >>> def softplus(x):
    ...     xp = array_namespace(x)
    ...     return xp.logaddexp(x, xp.zeros_like(x))
    >>> record = check_function(
    ...     softplus, np.linspace(-2, 2, 6), reference=lambda x: np.log1p(np.exp(x)),
    ...     libraries=["numpy", "strict"],
    ... )
    >>> print(record.cells["strict"]["eager"])
    yes
    """
    __tracebackhide__ = True
    declared = {"eager": eager, "jit": jit, "compile": compile, "grad": grad, "vmap": vmap}
    for key, value in declared.items():
        reasons = value.values() if isinstance(value, Mapping) else [value]
        if not all(isinstance(r, bool) or (isinstance(r, str) and r.strip()) for r in reasons):
            raise ArgumentError(f"check_function: {key}={value!r}: a 'no' needs a reason")
        known = {*VARIANTS, *(v.library for v in VARIANTS.values())}
        if isinstance(value, Mapping) and not known.issuperset(value):
            raise ArgumentError(
                f"check_function: {key} names {sorted(set(value) - known)}; there are "
                f"{', '.join(VARIANTS)}"
            )
    if reference is func:
        raise ArgumentError("check_function: the reference is the function itself")
    if not dtypes or not {"float64", "float32"}.issuperset(dtypes):
        raise ArgumentError(f"check_function: dtypes are 'float64', 'float32', not {dtypes!r}")
    limits = tol if isinstance(tol, Mapping) else {"float64": 0.0 if tol is None else tol}
    if not {"float64", "float32"}.issuperset(limits) or not all(v >= 0 for v in limits.values()):
        raise ArgumentError(
            f"check_function: tol must be a number or a dict for 'float64' and 'float32', none "
            f"negative, got {tol!r}"
        )
    call = _Call(func, args, dict(kwargs or {}), tol, scalars, per)
    expected = _expected(call, reference)
    full = name or _public_name(func)
    cells: dict[str, dict[str, Cell]] = {}
    for variant in _chosen(libraries):
        label = variant.library + (" (GPU)" if variant.name.endswith("-cuda") else "")
        row = cells.setdefault(label, {})
        missing = variant.why_not()
        if missing is not None:
            row["eager"] = Cell("not run", missing)
            continue
        trial = _Trial(variant, call, expected, declared, row)
        with variant.active():
            trial.run(dtypes, batch)
    if not cells:
        raise ArgumentError("check_function: libraries is empty, so that nothing would be checked")
    record = Record(full, "not checked" if reference is None else "reference", cells)
    keep(record)
    failures = record.failures()
    if failures:
        raise AssertionError(
            f"check_function: {full}: {len(failures)} checks failed\n  " + "\n  ".join(failures)
        )
    return record


def _public_name(func: Callable[..., Any]) -> str:
    """Module and name, without the private files on the way."""
    module, label = getattr(func, "__module__", None), getattr(func, "__qualname__", str(func))
    rooms = [part for part in (module or "?").split(".") if not part.startswith("_")]
    return ".".join([*rooms, label])


@dataclass(frozen=True)
class _Call:
    """The function, its arguments as NumPy arrays, and what is declared of it."""

    func: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    tol: float | Mapping[str, float] | None
    scalars: int
    per: str

    def tolerance(self, dtype: str) -> float:
        if isinstance(self.tol, Mapping):
            return self.tol.get(dtype, tolerance(dtype))
        return tolerance(dtype) if self.tol is None else self.tol

    def on(self, variant: Variant, dtype: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as arrays of a variant, in a precision."""

        def convert(leaf: Any) -> Any:
            if not isinstance(leaf, np.ndarray):
                return leaf
            return variant.xp.asarray(_in_precision(leaf, dtype))

        found: Any = map_leaves(convert, (self.args, self.kwargs))
        return found[0], found[1]


def _in_precision(x: Any, dtype: str) -> Any:
    if x.dtype.kind not in "fc":
        return x
    kinds = {"float64": {"f": "f8", "c": "c16"}, "float32": {"f": "f4", "c": "c8"}}
    return x.astype(kinds[dtype][x.dtype.kind])


def _expected(call: _Call, reference: Any) -> list[Any] | None:
    """The values that are due, in double precision."""
    if reference is None:
        return None
    if callable(reference):
        args, kwargs = map_leaves(
            lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf,
            (call.args, call.kwargs),
        )
        reference = reference(*args, **kwargs)
    arrays = [leaf for leaf in leaves(reference) if isinstance(leaf, np.ndarray | np.generic)]
    return [np.asarray(leaf) for leaf in arrays or [reference]]


def _chosen(libraries: Sequence[str] | None) -> Iterator[Variant]:
    if libraries is None:
        usual = (VARIANTS[v] for v in _USUAL)
        # A GPU that isn't there is the plugin's to report, once.
        yield from (v for v in usual if v.why_not() is None)
        return
    for name in libraries:
        named = [v for v in _USUAL if v == name or VARIANTS[v].library == name]
        if name in VARIANTS and VARIANTS[name].library != name:
            named = [name]
        if not named:
            raise ArgumentError(
                f"check_function: no library {name!r}; there are {', '.join(VARIANTS)}"
            )
        yield from (VARIANTS[v] for v in named if name == v or not VARIANTS[v].gpu)


class _Wrong(AssertionError):
    """Something that a check found."""


@dataclass
class _Trial:
    """The checks of one variant, which fill its row of cells."""

    variant: Variant
    call: _Call
    expected: list[Any] | None
    declared: Mapping[str, Declared]
    row: dict[str, Cell]
    first: list[Any] = field(default_factory=list)  # what the eager call gave, in double precision
    looked: bool = False  # whether it read single values

    def run(self, dtypes: Sequence[str], batch: bool) -> None:
        own = load(self.variant.library)
        wide = "float64" if "float64" in dtypes and self.variant.has_float64 else "float32"
        lazy = self.variant.library == "dask"
        if not self.attempt("eager", "eager", lambda: self.eager(wide)):
            return
        if "float32" in dtypes:
            check = (lambda: None) if wide == "float32" else (lambda: self.eager("float32"))
            self.attempt("float32", "eager", check)
        if self.variant.device is not None:
            self.row["device"] = Cell("yes")  # the eager call looked at it
        if lazy:
            self.row["lazy"] = Cell("no", "looks at values") if self.looked else Cell("yes")
        if batch:
            self.attempt("eager", "eager", lambda: self.batch(wide))
        option = "compile" if self.variant.library == "torch" else "jit"
        if own.facts()["jit"] == "native":
            self.attempt("jit", option, lambda: self.compiled(own, wide))
        if self.variant.library == "jax":
            self.attempt("eager", "eager", lambda: self.refused(wide))
        if own.transforms.vjp is not None and self.floating():
            self.attempt("grad", "grad", lambda: self.gradient(wide))
        if own.transforms.vmap is not None:
            self.attempt("vmap", "vmap", lambda: self.mapped(wide))

    def attempt(self, column: str, option: str, check: Callable[[], None]) -> bool:
        """Run a check and note what came of it; what was declared not to work must not."""
        found = self.declared[option]
        if isinstance(found, Mapping):
            found = found.get(self.variant.name, found.get(self.variant.library, True))
        if found is False:
            return False
        reason = found if isinstance(found, str) else None
        try:
            check()
        except Exception as error:  # whatever user code raises is a finding
            text = str(error).strip().splitlines() or [""]
            message = f"{self.variant}: {type(error).__name__}: {text[0]}"
            if isinstance(error, _Wrong):
                message = f"{self.variant}: {text[0]}"
            cell = Cell("failed", message) if reason is None else Cell("no", reason)
        else:
            cell = Cell("yes")
            if reason is not None:
                cell = Cell("failed", f"declared not to work ({reason}), but it does")
        before = self.row.get(column)
        if before is None or before.status == "yes":  # of several variants, the worst
            self.row[column] = cell
        return cell.status == "yes"

    # -- the checks ------------------------------------------------------------------------------

    def eager(self, dtype: str) -> None:
        args, kwargs = self.call.on(self.variant, dtype)
        given = _values((args, kwargs))
        with no_host_copies(self.call.scalars, self.call.per) as reads:
            out = self.call.func(*args, **kwargs)
        self.looked = bool(reads.scalars)
        self.placed(out, dtype)
        after = _values((args, kwargs))
        for before, now in zip(given, after, strict=True):
            if compare(now, before, 0.0, 0.0):
                raise _Wrong("an input was written to")
        found = _values(out)
        if not found:
            raise _Wrong(f"no array came out, but {out!r}"[:200])
        if self.expected is not None:
            self.close(found, self.expected, dtype, "the reference")
        if not self.first:
            self.first = found

    def placed(self, out: Any, dtype: str) -> None:
        """Library, device and precision of what came out."""
        for leaf in leaves(out):
            if not hasattr(leaf, "shape"):
                continue
            if library(leaf) != self.variant.library:  # NumPy's scalars are NumPy's
                kind = type(leaf)
                raise _Wrong(f"library: a {kind.__module__}.{kind.__name__} came out")
            where = self.variant.device
            if where is not None and device(leaf) != where:
                raise _Wrong(f"device: {device(leaf)} came out, {where} went in")
            xp = array_namespace(leaf)
            if self.goes_in() and xp.isdtype(leaf.dtype, ("real floating", "complex floating")):
                bits = xp.finfo(leaf.dtype).bits
                if bits != int(dtype[5:]):
                    raise _Wrong(f"dtype: {leaf.dtype} came out of {dtype}")

    def close(self, found: list[Any], expected: list[Any], dtype: str, what: str) -> None:
        if len(found) != len(expected):
            raise _Wrong(f"{len(found)} arrays came out, {what} has {len(expected)}")
        tol = self.call.tolerance(dtype)
        for number, (a, b) in enumerate(zip(found, expected, strict=True)):
            finite = np.abs(b[np.isfinite(b)]) if b.dtype.kind in "fc" else np.zeros(0)
            scale = float(np.max(finite, initial=0.0)) or 1.0
            wrong = compare(a, b, 0.0, tol * scale)
            if wrong:
                raise _Wrong(f"result {number} against {what}: {wrong}")

    def compiled(self, own: Any, dtype: str) -> None:
        arrays, outputs = self.flat(dtype)
        # Tracers pass through jax.device_get; torch's compiler would stumble over the watch.
        watch: Any = no_host_copies() if self.variant.library == "jax" else contextlib.nullcontext()
        with watch:
            out = own.trial(outputs)(*arrays)
        self.placed(out, dtype)
        self.close(_values(out), self.first, dtype, "the eager call")

    def refused(self, dtype: str) -> None:
        """Once more on inputs that refuse to become NumPy's, which reads JAX's unseen."""
        jit = self.row.get("jit")
        args, kwargs = refusing(self.call.on(self.variant, dtype))
        try:
            self.call.func(*args, **kwargs)
        except HostCopyError:
            raise
        except Exception:  # it may not take arrays of a library that it doesn't know
            if jit is None or jit.status != "yes":  # and nothing else has shown that it is clean
                raise

    def goes_in(self) -> bool:
        """Tell whether a floating array is among the arguments."""
        given = leaves((self.call.args, self.call.kwargs))
        return any(isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc" for leaf in given)

    def floating(self) -> bool:
        """Tell whether there is anything to differentiate, and by."""
        return self.goes_in() and any(leaf.dtype.kind in "fc" for leaf in self.first)

    def gradient(self, dtype: str) -> None:
        args, kwargs = self.call.on(self.variant, dtype)
        check_grads(lambda a, k: self.call.func(*a, **k), args, kwargs)

    def flat(self, dtype: str) -> tuple[list[Any], Callable[..., tuple[Any, ...]]]:
        """The arrays among the arguments, and the function of them, which returns arrays."""
        tree = self.call.on(self.variant, dtype)

        def outputs(*arrays: Any) -> tuple[Any, ...]:
            new = iter(arrays)
            args, kwargs = map_leaves(lambda leaf: next(new) if self.own(leaf) else leaf, tree)
            return tuple(leaf for leaf in leaves(self.call.func(*args, **kwargs)) if self.own(leaf))

        return [leaf for leaf in leaves(tree) if self.own(leaf)], outputs

    def stacked(self, dtype: str) -> tuple[list[Any], Callable[..., Any], list[list[Any]]]:
        """Each array three times, a little different; the function; the three problems."""
        arrays, outputs = self.flat(dtype)
        xp, floating = self.variant.xp, ("real floating", "complex floating")
        problems = [
            [a * (1 + k / 64) if xp.isdtype(a.dtype, floating) else a for a in arrays]
            for k in range(3)
        ]
        return [xp.stack(copies) for copies in zip(*problems, strict=True)], outputs, problems

    def looped(self, outputs: Callable[..., Any], problems: list[list[Any]]) -> list[Any]:
        each = [_values(outputs(*problem)) for problem in problems]
        return [np.stack(copies) for copies in zip(*each, strict=True)]

    def mapped(self, dtype: str) -> None:
        stacks, outputs, problems = self.stacked(dtype)
        out = _vmap(outputs)(*stacks)
        self.close(_values(out), self.looped(outputs, problems), dtype, "a loop")

    def batch(self, dtype: str) -> None:
        stacks, outputs, problems = self.stacked(dtype)
        out = outputs(*stacks)
        self.close(_values(out), self.looped(outputs, problems), dtype, "a loop over the batch")

    def own(self, leaf: Any) -> bool:
        return _is_array(leaf) and library(leaf) == self.variant.library


def _values(tree: Any) -> list[Any]:
    """Copies of all arrays in it, as NumPy's."""
    return [np.array(to_numpy(leaf)) for leaf in leaves(tree) if _is_array(leaf)]


def _is_array(leaf: Any) -> bool:
    """Tell whether it is an array, or a scalar of NumPy, which its functions return."""
    return hasattr(leaf, "dtype") and (is_neutral(leaf) or library_of(leaf) is not None)
