"""The checks of one function on one variant of a library."""

import contextlib
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._namespace import (
    array_namespace,
    device,
    is_neutral,
    library,
    library_of,
    load,
    namespace,
)
from .._native import ROWS, trace_native
from ..errors import HostCopyWarning
from ..interop import to_numpy
from ..transforms import jit as _jit
from ..transforms import vmap as _vmap
from ..transforms._following._proxy import Proxy
from ..transforms._tree import leaves, map_leaves
from ._compare import compare
from ._grads import check_grads
from ._host import HostCopyError, HostReads, no_host_copies, watched
from ._loops import loops_of_lanes
from ._options import Heard
from ._plan import Call, Plan, in_precision, with_gaps
from ._proxy import refusing
from ._report import Cell
from ._variants import Variant

__all__ = ["Trial"]


class _Wrong(AssertionError):
    """Something that a check found."""


@dataclass
class Trial:
    """Run the checks of one variant and fill its row of cells."""

    plan: Plan
    variant: Variant
    label: str
    row: dict[str, Cell]
    first: list[Any] = field(default_factory=list)  # what the eager call gave, in double precision
    looked: bool = False  # whether it read single values
    seen: dict[str, float] = field(default_factory=dict)  # of the check that runs: error, tolerance

    @property
    def call(self) -> Call:
        return self.plan.call

    def run(self, dtypes: Sequence[str]) -> None:
        own = load(self.variant.library)
        wide = "float64" if "float64" in dtypes and self.variant.has_float64 else "float32"
        if self.variant.spread:
            self.attempt("sharded", "sharded", lambda: self.sharded(own, wide))
            return
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
        self.inputs(own, wide)
        native = own.facts()["jit"] == "native"
        option = "compile" if self.variant.library == "torch" else "jit"
        if native:
            self.attempt("jit", option, lambda: self.compiled(own, wide))
        if self.variant.library == "jax" and not self.call.copies:
            self.attempt("eager", "eager", lambda: self.refused(wide))
        interpreted = self.plan.interpreted and "vmap" not in self.row
        if interpreted and not native:
            self.attempt("jit", "jit", lambda: self.replayed(wide), strict=False)
        if own.transforms.vjp is not None or interpreted:
            if self.floating():
                strict = own.transforms.vjp is not None
                self.attempt("grad", "grad", lambda: self.gradient(wide), strict)
            else:
                self.row["grad"] = Cell("none", "no floating array goes in, or none comes out")
        if own.transforms.vmap is not None or interpreted:
            strict = own.transforms.vmap is not None
            self.attempt("vmap", "vmap", lambda: self.mapped(wide), strict)

    def inputs(self, own: Any, wide: str) -> None:
        """Check unusual inputs: views, complex numbers, batches, empty arrays."""
        if own.facts()["mutable"] and not own.facts()["lazy"] and "strided" not in self.row:
            if self.ways():
                self.attempt("strided", "eager", lambda: self.strided(wide))
            else:
                self.row["strided"] = Cell("none", "no array with axes goes in")
        if self.label not in self.plan.routines or self.left():
            self.attempt("eager", "eager", lambda: self.shown(wide))
        if any(a.dtype.kind == "c" for a in self.arrays()):
            self.row["complex"] = Cell("yes")  # the eager call was of them
        elif "complex" in self.plan.others and not self.plan.goes_complex():
            self.row["complex"] = Cell("none", "no floating array goes in")
        elif "complex" in self.plan.others:
            self.attempt("complex", "complex", lambda: self.other("complex", wide))
        if self.plan.declared["batch"] is not False:
            self.attempt("batch", "batch", lambda: self.batch(wide))
        if "empty" in self.plan.others:
            self.attempt("empty", "empty", lambda: self.other("empty", wide))
        elif self.plan.declared["empty"] is not False:
            self.attempt("empty", "empty", lambda: self.none_in_batch(wide))
        elif any(a.ndim and not a.size for a in self.arrays()):
            self.row["empty"] = Cell("yes")  # the eager call was of it

    def attempt(
        self, column: str, option: str, check: Callable[[], Cell | None], strict: bool = True
    ) -> bool:
        """Run a check and store its result; a check that was declared not to work must fail."""
        found = self.plan.declared[option]
        if isinstance(found, Mapping):
            found = found.get(self.variant.name, found.get(self.variant.library, True))
        if found is False:
            return False
        reason = found if isinstance(found, str) else None
        self.seen = {}
        try:
            cell = check() or Cell("yes")
            cell = replace(cell, error=self.seen.get("error"), tolerance=self.seen.get("tolerance"))
        except Exception as error:  # whatever user code raises is a finding
            text = str(error).strip().splitlines() or [""]
            message = f"{self.variant}: {type(error).__name__}: {text[0]}"
            if isinstance(error, _Wrong):
                message = f"{self.variant}: {text[0]}"
            cell = Cell("failed", message) if reason is None else Cell("no", reason)
        else:
            if reason is not None and strict:
                cell = Cell("failed", f"declared not to work ({reason}), but it does")
        before = self.row.get(column)
        if cell.status == "no" and before is not None and before.status == "yes":
            cell = replace(before, status="no", reason=cell.reason, only=self.variant.name)
        if before is None or _worse(cell, before):  # of several variants, the worst
            self.row[column] = cell
        return cell.status in ("yes", "loop", "part")

    # -- the checks ------------------------------------------------------------------------------

    def eager(self, dtype: str) -> None:
        found = self.once(self.call, self.call.on(self.variant, dtype), dtype)
        if self.plan.expected is not None:
            self.close(found, self.plan.expected, dtype, "the reference")
        if not self.first:
            self.first = found

    def once(self, call: Call, tree: tuple[Any, Any], dtype: str) -> list[Any]:
        """Check one call: no copies to the host, results on the right device, inputs unchanged."""
        args, kwargs = tree
        given = _values(tree)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", HostCopyWarning)
            reads = HostReads(call.scalars, call.per)
            watch: Any = watched(call.scalars, call.per, call.ours)
            with contextlib.nullcontext(reads) if call.copies else watch as reads:
                out = call.func(*args, **kwargs)
        self.looked = self.looked or bool(reads.scalars or reads.declared)
        self.note(reads, [w.message for w in caught])
        self.placed(out, dtype)
        for before, now in zip(given, _values(tree), strict=True):
            if compare(now, before, 0.0, 0.0):
                raise _Wrong("an input was written to")
        found = _values(out)
        if not found:
            raise _Wrong(f"no array came out, but {out!r}"[:200])
        return found

    def note(self, reads: HostReads, caught: Sequence[Any] = ()) -> None:
        """Store a call's reads on the host, and its callbacks."""
        lines = self.plan.notes.setdefault(self.label, [])
        if self.call.copies:
            lines.append(f"copies to the host: {self.call.copies}")
        if reads.scalars:
            several = "in each step" if self.call.per == "iteration" else "a call"
            lines.append(f"looks at single values, declared: {self.call.scalars} {several}")
        if reads.callbacks:
            lines.append("compiled, it calls back to the host")
        for warning in caught:
            if isinstance(warning, HostCopyWarning):
                lines.append(f"copies to the host: {warning}")
            else:
                warnings.warn(warning, stacklevel=3)

    def arrays(self) -> list[Any]:
        given = leaves((self.call.args, self.call.kwargs))
        return [leaf for leaf in given if isinstance(leaf, np.ndarray)]

    def ways(self) -> bool:
        """Tell whether an array can be a view with gaps."""
        return any(a.ndim and a.size > 1 for a in self.arrays())

    def strided(self, dtype: str) -> None:
        def view(leaf: Any) -> Any:
            if not isinstance(leaf, np.ndarray):
                return leaf
            leaf = in_precision(leaf, dtype)
            if not leaf.ndim or leaf.size < 2:
                return self.variant.xp.asarray(leaf)
            wide, axes = with_gaps(leaf)
            x = self.variant.xp.asarray(wide)
            return array_namespace(x).permute_dims(x[::2, ...], axes)

        with self.traced():
            found = self.once(
                self.call, map_leaves(view, (self.call.args, self.call.kwargs)), dtype
            )
        self.close(found, self.first, dtype, "the call on arrays without gaps")

    def left(self) -> set[str]:
        """Return the steps whose routine of this library no call has run."""
        steps = {step for known in self.plan.routines.values() for step in known}
        ran, name = self.plan.routines.get(self.label, {}), self.variant.library
        there = {row.name for row in ROWS if row.name in steps and name in row.routines}
        return {step for step in there if ran.get(step, "generic") == "generic"}

    @contextlib.contextmanager
    def traced(self) -> Iterator[None]:
        """Store what ran in the block, and with which options."""
        name = re.split("[,(]", self.plan.name)[0]
        with Heard(name) as heard, trace_native() as log:
            yield
        for parameter, values in heard.options.items():
            self.plan.options.setdefault(parameter, set()).update(values)
        ran = self.plan.routines.setdefault(self.label, {})
        for entry in log:
            if entry.library == self.variant.library and ran.get(entry.function) in (
                None,
                "generic",
            ):
                ran[entry.function] = entry.routine

    def shown(self, dtype: str) -> None:
        with self.traced():
            self.once(self.call, self.call.on(self.variant, dtype), dtype)

    def other(self, key: str, dtype: str) -> None:
        """Check the call on complex or empty inputs."""
        call, due = self.plan.others[key]
        found = self.once(call, call.on(self.variant, dtype), dtype)
        if due is not None:
            self.close(found, due, dtype, f"the reference on {key} inputs")

    def none_in_batch(self, dtype: str) -> None:
        """Check an empty batch."""
        arrays, outputs = self.flat(dtype)
        out = _values(outputs(*(self.variant.xp.stack([a])[:0, ...] for a in arrays)))
        shapes = [a.shape for a in out]
        due = [(0, *a.shape) for a in _values(outputs(*arrays))]
        if shapes != due:
            raise _Wrong(f"shapes {shapes} came out of a batch of none, expected {due}")

    def placed(self, out: Any, dtype: str) -> None:
        """Check library, device and precision of the results."""
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
            error = _distance(a, b) / scale
            self.seen = {"error": max(error, self.seen.get("error", 0.0)), "tolerance": tol}

    def compiled(self, own: Any, dtype: str) -> None:
        arrays, outputs = self.flat(dtype)
        # Tracers pass through jax.device_get; torch's compiler would stumble over the watch.
        watch: Any = no_host_copies() if self.variant.library == "jax" else contextlib.nullcontext()
        with watch as reads:
            out = own.trial(outputs)(*arrays)
        if reads is not None:
            self.note(reads)
        self.placed(out, dtype)
        self.close(_values(out), self.first, dtype, "the eager call")

    def replayed(self, dtype: str) -> None:
        arrays, outputs = self.flat(dtype)
        function = _jit(outputs)
        for _ in range(2):  # recorded, then replayed
            out = function(*arrays)
            self.placed(out, dtype)
            self.close(_values(out), self.first, dtype, "the eager call")

    def refused(self, dtype: str) -> None:
        """Check inputs that refuse conversion to NumPy: NumPy reads JAX's arrays silently."""
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
        """Tell whether there are floating arguments and results to differentiate."""
        return self.goes_in() and any(leaf.dtype.kind in "fc" for leaf in self.first)

    def gradient(self, dtype: str) -> None:
        args, kwargs = self.call.on(self.variant, dtype)
        check_grads(lambda a, k: self.call.func(*a, **k), args, kwargs)

    def flat(self, dtype: str) -> tuple[list[Any], Callable[..., tuple[Any, ...]]]:
        """Return the arrays among the arguments, and a function of them that returns arrays."""
        tree = self.call.on(self.variant, dtype)

        def outputs(*arrays: Any) -> tuple[Any, ...]:
            new = iter(arrays)
            args, kwargs = map_leaves(lambda leaf: next(new) if self.own(leaf) else leaf, tree)
            out = leaves(self.call.func(*args, **kwargs))
            return tuple(leaf for leaf in out if leaf.__class__ is Proxy or self.own(leaf))

        return [leaf for leaf in leaves(tree) if self.own(leaf)], outputs

    def stacked(
        self, dtype: str, count: int = 3
    ) -> tuple[list[Any], Callable[..., Any], list[list[Any]]]:
        """Return stacks of some slightly different arrays, the function, and the problems."""
        arrays, outputs = self.flat(dtype)
        xp, floating = self.variant.xp, ("real floating", "complex floating")
        problems = [
            [a * (1 + k / 64) if xp.isdtype(a.dtype, floating) else a for a in arrays]
            for k in range(count)
        ]
        return [xp.stack(copies) for copies in zip(*problems, strict=True)], outputs, problems

    def looped(self, outputs: Callable[..., Any], problems: list[list[Any]]) -> list[Any]:
        each = [_values(outputs(*problem)) for problem in problems]
        return [np.stack(copies) for copies in zip(*each, strict=True)]

    def mapped(self, dtype: str) -> Cell | None:
        stacks, outputs, problems = self.stacked(dtype)
        with loops_of_lanes() as loops:
            out = _vmap(outputs)(*stacks)
        self.close(_values(out), self.looped(outputs, problems), dtype, "a loop")
        return Cell("loop", f"lane by lane: {', '.join(sorted(loops))}") if loops else None

    def batch(self, dtype: str) -> None:
        stacks, outputs, problems = self.stacked(dtype)
        with self.traced():
            out = outputs(*stacks)
        self.close(_values(out), self.looped(outputs, problems), dtype, "a loop over the batch")

    def sharded(self, own: Any, dtype: str) -> Cell | None:
        """Check a call on arrays over several devices; then of a batch, a part for each device."""
        found = self.once(self.call, self.call.on(self.variant, dtype), dtype)
        real = namespace(own.name)

        def here(arrays: list[Any]) -> list[Any]:
            return _values(outputs(*(real.asarray(to_numpy(x)) for x in arrays)))

        arrays, outputs = self.flat(dtype)
        if self.plan.expected is not None:
            self.close(found, self.plan.expected, dtype, "the reference")
        else:
            self.close(found, here(arrays), dtype, "the call on one device")
        ways = {"eager": outputs, "jitted": own.trial(outputs)}
        if self.plan.declared["jit"] is not True:
            del ways["jitted"]
        else:
            self.close(_values(ways["jitted"](*arrays)), found, dtype, "the eager call")
        if self.plan.declared["batch"] is not True or not arrays:
            return None
        count = own.device_count()
        stacks, _, _ = self.stacked(dtype, count)
        due, whole = here(stacks), []
        for way, function in ways.items():
            out = function(*(own.spread(x) for x in stacks))
            self.close(_values(out), due, dtype, f"the {way} call on one device")
            whole += [way] if any(own.parts(x) != count for x in out) else []
        if not whole:
            return None
        return Cell("part", f"the batch's results are on each device ({', '.join(whole)})")

    def own(self, leaf: Any) -> bool:
        return _is_array(leaf) and library(leaf) == self.variant.library


def _worse(cell: Cell, other: Cell) -> bool:
    """Tell whether a cell says less of a function than another; of two alike, the larger error."""
    if other.status != "yes" or cell.status != "yes":
        return other.status == "yes"
    return cell.error is not None and (other.error is None or cell.error > other.error)


def _distance(a: Any, b: Any) -> float:
    """The largest difference of finite entries."""
    both = [x.astype("c16") for x in (a, b)]
    finite = np.isfinite(both[0]) & np.isfinite(both[1])
    with np.errstate(all="ignore"):
        return float(np.max(np.abs(both[0] - both[1]), where=finite, initial=0.0))


def _values(tree: Any) -> list[Any]:
    """Copies of all arrays in it, as NumPy's."""
    return [np.array(to_numpy(leaf)) for leaf in leaves(tree) if _is_array(leaf)]


def _is_array(leaf: Any) -> bool:
    """Tell whether it is an array, or a scalar of NumPy, which its functions return."""
    return hasattr(leaf, "dtype") and (is_neutral(leaf) or library_of(leaf) is not None)
