"""The test of one function on every library."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import ArgumentError
from ._plan import Call, Declared, made, named, public_name
from ._report import Cell, Record, keep
from ._trial import Trial
from ._variants import VARIANTS, Variant

__all__ = ["check_function"]

# What a function is run in; the others differ from these in what creation functions do.
_USUAL = (
    "numpy-readonly",
    "strict-device1",
    "strict-minimal",
    "torch",
    "jax",
    "jax-sharded",
    "dask",
    "cupy",
    "torch-cuda",
    "jax-cuda",
)


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
    batch: Declared = False,
    empty: Declared | None = None,
    complex: Declared = False,
    sharded: Declared = True,
    interpreted: bool = False,
    dtypes: Sequence[str] = ("float64", "float32"),
    libraries: Sequence[str] | None = None,
    scalars: int = 0,
    per: str = "call",
    copies: str = "",
    name: str | None = None,
) -> Record:
    """Test a function on every installed library.

    Parameters
    ----------
    func : callable
        The function under test.
    *args : NumPy array or anything
        Its arguments. NumPy arrays, also in nested tuples, lists and dicts, are converted to each
        library; other arguments are passed unchanged. Pass float64 and complex128 arrays.
    kwargs : dict, optional
        Its keyword arguments, treated in the same way.
    reference : callable or (nested) array, optional
        The reference for values: a function of the same arguments on NumPy arrays in double
        precision, or the expected result. Only arrays are compared, relative to the largest element
        of each (or 1). It must not be `func` itself. Default: values are not checked, and the
        record says so.
    tol : float or dict, optional
        Tolerance relative to the largest expected element, for all dtypes or by dtype name.
        Default: three quarters of the dtype's digits (see `tolerance`).
    eager, jit, compile, grad, vmap : bool, str or dict, optional
        What to check: plain calls; ``jax.jit``; ``torch.compile`` with ``fullgraph=True``;
        gradients against finite differences; the library's vmap against a loop. A string is the
        reason why it doesn't work; a dict has such reasons for single libraries or variants. The
        check runs nevertheless, and must fail. False skips it.
    batch : bool, str or dict, optional
        Whether leading dimensions are batch dimensions, which are compared with a loop; or why not.
    empty : bool, str or dict, optional
        Whether it takes empty inputs: an empty batch if there is a batch, else arrays with an empty
        first axis; or why not. Default: as `batch`, if that is a bool.
    complex : bool, str or dict, optional
        Whether it takes complex numbers; or why not. `reference` must then be callable. Complex
        `args` are passed unchanged.
    sharded : bool, str or dict, optional
        Whether it takes JAX's arrays that lie on several devices, if there are several (set
        ``XLA_FLAGS=--xla_force_host_platform_device_count=8`` before JAX starts); or why not. If
        `batch`, results of a batch over devices must be there, too: else the cell is 'part'.
    interpreted : bool, optional
        Whether to also check grad, vmap and jit on libraries that have none, by likewise's
        interpreter and recordings. A string for one of them then only explains a failure.
    dtypes : sequence of str, optional
        Precisions: 'float64', 'float32' or both. Floating-point results must have the same
        precision.
    libraries : sequence of str, optional
        Names of libraries or variants, instead of all.
    scalars : int, optional
        The allowed number of reads of single values (see `no_host_copies`).
    per : {'call', 'iteration'}, optional
        What `scalars` counts.
    copies : str, optional
        The reason why whole arrays are copied to the host (the design of a filter, for instance,
        reads its arguments). The record then lists the copies, and they are no failure.
    name : str, optional
        The function's name in the record.

    Returns
    -------
    Record
        The results, printed as a table, and written to the file of ``--xp-report``.

    Raises
    ------
    AssertionError
        If a check failed; the message lists all failures.

    Notes
    -----
    Each call checks: the library, device and precision of the results; their values; that inputs
    are unchanged; and that nothing is copied to the host. NumPy arrays are read-only.
    array-api-strict runs on a second device, and again on the first without extensions, boolean
    indexing and data-dependent shapes. If arrays can be views, inputs are also views with gaps and
    reversed axes. Dask must not compute. JAX runs a second time on inputs that refuse conversion to
    NumPy, because NumPy reads JAX's arrays silently: traced by ``jax.jit``, and wrapped by
    `refusing`. ``torch.compile`` runs after one eager call, without code generation.

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
    if empty is None:
        empty = batch if isinstance(batch, bool) else False
    declared = {"eager": eager, "jit": jit, "compile": compile, "grad": grad, "vmap": vmap}
    declared |= {"batch": batch, "empty": empty, "complex": complex, "sharded": sharded}
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
    full = name or public_name(func)
    ours = full.startswith("likewise.")
    call = Call(func, args, dict(kwargs or {}), tol, scalars, per, copies, ours)
    plan = made(full, call, reference, declared, interpreted)
    cells: dict[str, dict[str, Cell]] = {}
    for variant in _variants(libraries):
        label = variant.library + (" (GPU)" if variant.name.endswith("-cuda") else "")
        row = cells.setdefault(label, {})
        missing = variant.why_not()
        if missing is not None:
            row["sharded" if variant.spread else "eager"] = Cell("not run", missing)
            continue
        with variant.active():
            Trial(plan, variant, label, row).run(dtypes)
    if not cells:
        raise ArgumentError("check_function: libraries is empty, so that nothing would be checked")
    options = {n: tuple(sorted(values)) for n, values in plan.options.items()}
    notes = {library: tuple(dict.fromkeys(lines)) for library, lines in plan.notes.items()}
    record = Record(full, named(reference), cells, options, plan.routines, notes)
    keep(record)
    failures = record.failures()
    if failures:
        raise AssertionError(
            f"check_function: {full}: {len(failures)} checks failed\n  " + "\n  ".join(failures)
        )
    return record


def _variants(libraries: Sequence[str] | None) -> Iterator[Variant]:
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
        few = (v for v in map(VARIANTS.__getitem__, named) if v.gpu or v.spread)
        left = {v.name for v in few if v.name != name}
        yield from (VARIANTS[v] for v in named if v not in left)
