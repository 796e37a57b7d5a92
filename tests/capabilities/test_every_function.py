"""Every public function in its case: the records are the table of what runs where.

The case runs on a group of libraries at a time, so that a table can be made in pieces:
``ci/capabilities --run torch --room signal``.
"""

import importlib
from typing import Any

import numpy as np
import pytest

from likewise import _capabilities
from likewise._default import KNOWN
from likewise.testing import check_function
from likewise.testing._variants import VARIANTS
from likewise.transforms._tree import leaves, map_leaves

from .case import Case
from .cases_bsplines import BSPLINES
from .cases_design import DESIGN
from .cases_fft import FFT, SIGNAL
from .cases_filters import FILTERS
from .cases_frames import FRAMED
from .cases_grids import GRIDS
from .cases_integrate import INTEGRATE
from .cases_interpolate import INTERPOLATE
from .cases_linalg import LINALG
from .cases_missing import MISSING
from .cases_ndimage_filters import NDIMAGE_FILTERS
from .cases_ndimage_interp import NDIMAGE_INTERP
from .cases_ndimage_meas import NDIMAGE_MEAS
from .cases_ndimage_morph import NDIMAGE_MORPH
from .cases_optimize import OPTIMIZE
from .cases_points import POINTS
from .cases_polynomials import POLYNOMIALS
from .cases_provided import PROVIDED
from .cases_random import RANDOM
from .cases_series import SERIES
from .cases_solvers import ALIKE, EQUATIONS, SOLVERS, STARTED
from .cases_spatial import SPATIAL
from .cases_special import SPECIAL
from .cases_spectra import SPECTRA
from .cases_stats_cont import STATS_CONT
from .cases_stats_corr import STATS_CORR
from .cases_stats_dens import STATS_DENS
from .cases_stats_derived import STATS_DERIVED
from .cases_stats_desc import STATS_DESC
from .cases_stats_multi import STATS_MULTI
from .cases_stats_rows import STATS_ROWS
from .cases_stats_tests import STATS_TESTS
from .cases_transforms import TRANSFORMS
from .listed import WITHOUT, functions

CASES = [
    *FFT,
    *SIGNAL,
    *BSPLINES,
    *DESIGN,
    *FILTERS,
    *FRAMED,
    *GRIDS,
    *INTEGRATE,
    *INTERPOLATE,
    *LINALG,
    *MISSING,
    *NDIMAGE_FILTERS,
    *NDIMAGE_INTERP,
    *NDIMAGE_MEAS,
    *NDIMAGE_MORPH,
    *OPTIMIZE,
    *POINTS,
    *POLYNOMIALS,
    *PROVIDED,
    *RANDOM,
    *SERIES,
    *SPATIAL,
    *SPECIAL,
    *SPECTRA,
    *STATS_CONT,
    *STATS_CORR,
    *STATS_DENS,
    *STATS_DERIVED,
    *STATS_DESC,
    *STATS_MULTI,
    *STATS_ROWS,
    *STATS_TESTS,
    *TRANSFORMS,
]
HOSTS = [name for name, known in KNOWN.items() if known.host and name not in ("numpy", "strict")]
GROUPS = {
    "strict": ["numpy", "strict"],
    **{name: [name] for name in HOSTS},
    "sharded": [name for name, variant in VARIANTS.items() if variant.spread],
    "gpu": [name for name, variant in VARIANTS.items() if variant.gpu],
}
CHEAP = pytest.param("strict", marks=pytest.mark.share(24))
OTHERS = [pytest.param(name, marks=[pytest.mark.full, pytest.mark.needs(name)]) for name in HOSTS]
GPU = pytest.param("gpu", marks=pytest.mark.full)
SHARDED = pytest.param("sharded", marks=[pytest.mark.full, pytest.mark.needs("jax")])


# SciPy's words and ours: complex signals have spectra of two sides, complex images complex splines.
# torch's vmap moves axes itself.
@pytest.mark.filterwarnings("ignore:.*complex, (switching to|so both)")
@pytest.mark.filterwarnings("ignore:promoting specified output dtype to complex")
@pytest.mark.filterwarnings("ignore:torch.searchsorted.*non-contiguous")
@pytest.mark.parametrize("group", [CHEAP, *OTHERS, GPU, SHARDED])
@pytest.mark.parametrize("found", CASES, ids=str)
def test_in_its_case(found: Case, group: str) -> None:
    room, _, short = found.name.partition(".")
    function = found.func or getattr(importlib.import_module(f"likewise.{room}"), short)
    check_function(
        function,
        *found.args,
        name=f"likewise.{found.name}",
        libraries=GROUPS[group],
        interpreted=True,
        **found.options,
    )


# Those with a start of NumPy's, or a case above, are replaced.
OTHER = {case.name for case in STARTED} | {"optimize.find_minimum", "optimize.fmin_bfgs"}
SPREAD = [*SOLVERS, *STARTED, *(case for case in ALIKE if case.name not in OTHER)]


# Their cases on one device are in tests/optimize.
@pytest.mark.full
@pytest.mark.needs("jax")
@pytest.mark.parametrize("group", ["sharded"])
@pytest.mark.parametrize("found", SPREAD, ids=str)
def test_solver_in_its_case(found: Case, group: str) -> None:
    check_function(
        found.func,
        *found.args,
        name=f"likewise.{found.name}",
        libraries=GROUPS[group],
        scalars=20,
        per="iteration",
    )


@pytest.mark.full
@pytest.mark.parametrize("group", [pytest.param("dask", marks=pytest.mark.needs("dask"))])
@pytest.mark.parametrize("found", EQUATIONS, ids=str)
def test_equation_in_its_case(found: Case, group: str) -> None:
    check_function(
        found.func,
        *found.args,
        name=f"likewise.{found.name}",
        libraries=GROUPS[group],
        scalars=20,
        per="iteration",
        interpreted=True,
        **found.options,
    )


def test_functions_without_a_case_are_not_run_in_the_table() -> None:
    names = set(functions())
    known = {
        n for found in CASES for n in (found.name, found.name.rpartition(".")[0]) if n in names
    }
    left = set(functions()) - known - set(WITHOUT)
    table = _capabilities.table()
    assert {name for name in left if table.functions[name]["libraries"]} == set()
    assert known | set(WITHOUT) <= set(functions())


def _swapped(tree: Any) -> Any:
    def other(x: Any) -> Any:
        numbers = isinstance(x, np.ndarray) and x.dtype.kind in "fciu"
        return x.astype(x.dtype.newbyteorder()) if numbers else x

    return map_leaves(other, tree)


@pytest.mark.share(4)
@pytest.mark.parametrize("found", CASES, ids=str)
def test_arrays_of_the_other_byte_order(found: Case) -> None:
    room, _, short = found.name.partition(".")
    function = found.func or getattr(importlib.import_module(f"likewise.{room}"), short)
    given = found.args, found.options.get("kwargs") or {}
    (args, kwargs), (others, named) = given, _swapped(given)
    expected, got = leaves(function(*args, **kwargs)), leaves(function(*others, **named))
    for a, b in zip(got, expected, strict=True):
        if hasattr(b, "dtype"):
            assert a.dtype.newbyteorder("=") == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
