"""Libraries that are written on likewise: their functions' steps, memos, names and providers."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import _info, _native, _providers
from likewise.errors import NativeUnavailable, ProviderError
from likewise.testing import verify

from .distributions import shelf

__all__ = ["shelf"]

HOST = {
    "__init__": "from ._scaled import doubled, plain, stepless, tripled, taking\n",
    "_scaled": """
import likewise
from . import _steps
from ._steps import other_step

checked = []

@likewise.public(cases="host_package._cases:calls")
def doubled(image, times=2):
    checked.append(times)
    if len(image.shape) < 2:
        raise ValueError("doubled: an image has two dimensions")
    return _steps.doubled_step(image, times)

@likewise.public
def tripled(image):
    likewise.array_namespace(image)
    return other_step(image)

@likewise.public
def stepless(image):
    return image

@likewise.public
def taking(function: "Callable", image):
    return other_step(image)

def plain(image):
    return image
""",
    "_steps": """
import likewise

@likewise.native()
def doubled_step(image, times):
    return image * times

@likewise.native()
def other_step(image):
    return image * 3
""",
    "_cases": """
import numpy as np

def calls(dtype):
    for n in (2, 40):
        yield (np.ones((n, n), dtype=dtype),), {}
        yield (np.ones((n, n), dtype=dtype),), {"times": 3}
""",
}
TOML = """
api = 1
name = "guest"

[functions."host_package:doubled"]
library = ["numpy", "strict", "torch", "jax", "dask"]
function = "guest_package:doubled"
should_run = "guest_package:should_run"
"""
CODE = """
def doubled(image, times=2):
    return image * times + 0 * image + offset

def should_run(call):
    return "too few pixels" if call.shapes["image"] == (2, 2) else True

offset = 1
"""
X = np.ones((3, 3))


@pytest.fixture
def guest(shelf: Any) -> Any:
    before = len(_native.ROWS)
    shelf.host(**HOST)
    shelf.put("guest", TOML, CODE)
    yield shelf
    del _native.ROWS[before:]


def host() -> Any:
    import host_package  # type: ignore[import-not-found]

    return host_package


def test_a_provider_serves_it_on_every_library(guest: Any, lib: Any) -> None:
    x = lib.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with likewise.prefer("guest"):
        y = host().doubled(x)
    served = lib.library != "cupy"
    assert likewise.library(y) == lib.library
    assert np.array_equal(likewise.to_numpy(y), 2 * likewise.to_numpy(x) + served)
    assert np.array_equal(likewise.to_numpy(host().doubled(x)), 2 * likewise.to_numpy(x))


def test_nothing_is_imported_before_it_is_wanted(guest: Any) -> None:
    with likewise.prefer("guest"):
        likewise.explain(likewise.special.expit, X)
        assert str(_providers.found()["guest"]).endswith(
            "host_package:doubled (numpy, strict, torch, jax, dask)"
        )
        assert {"host_package", "guest_package"}.isdisjoint(sys.modules)
        assert host().doubled(X)[0, 0] == 3, "a library that is imported later"


def test_its_checks_come_first_and_what_declines_says_so(guest: Any, caplog: Any) -> None:
    doubled = host().doubled
    with likewise.prefer("guest"), caplog.at_level("INFO", "likewise.native"):
        with pytest.raises(ValueError, match="an image has two dimensions"):
            doubled(X[0])
        assert np.array_equal(doubled(X[:2, :2]), 2 * X[:2, :2])
        assert np.array_equal(doubled(X), 2 * X + 1)
        told = likewise.explain(doubled, X[:2, :2])
    assert (told.routine, told.reasons["guest_package:doubled of guest"]) == (
        "generic",
        "too few pixels",
    )
    assert caplog.messages == [
        "doubled on numpy: not guest_package:doubled of guest: too few pixels",
        "doubled_step on numpy: generic",
        "doubled on numpy: guest_package:doubled of guest",
    ]
    with likewise.prefer(force="guest"), pytest.raises(NativeUnavailable, match="too few pixels"):
        doubled(X[:2, :2])
    why = likewise.explain(doubled, X).reasons["guest_package:doubled of guest"]
    assert why == "it isn't preferred; likewise.prefer('guest') does it"


def test_the_body_runs_under_derivatives(guest: Any) -> None:
    with likewise.prefer("guest"):
        slope = likewise.grad(lambda x: np.sum(host().doubled(x)[0]))(X)
    assert np.array_equal(slope, [[2, 2, 2], [0, 0, 0], [0, 0, 0]])


def test_a_small_call_is_planned_once(guest: Any) -> None:
    """The checks of a kind of calls run once on sketches, as those of likewise's own."""
    module = host()._scaled
    for _ in range(5):
        assert module.doubled(X)[0, 0] == 2
    assert module.checked == [2]
    assert module.doubled(X, times=5)[0, 0] == 5 and module.checked == [2, 5]
    assert module.doubled.generic(X)[0, 0] == 2


def edited(old: str, new: str) -> str:
    assert old in TOML
    return TOML.replace(old, new)


WRONG = {
    "a misspelt function": (
        edited("package:doubled", "package:dubled"),
        "host_package has no function 'dubled'; did you mean 'doubled'\\? these can be provided: "
        "doubled, stepless, taking, tripled",
    ),
    "one that isn't public": (
        edited("package:doubled", "package:plain"),
        "'host_package:plain': host_package doesn't make it public with likewise.public",
    ),
    "its private place": (
        edited("host_package:doubled", "host_package._scaled:doubled"),
        "'host_package._scaled:doubled' is known as 'host_package:doubled'. Name it so.",
    ),
    "one without a step": (
        edited("package:doubled", "package:stepless"),
        "has no step behind its checks, one that is decorated with likewise.native",
    ),
    "one that takes a function": (
        edited("package:doubled", "package:taking"),
        "it takes a function, or has no step",
    ),
    "a module that isn't there": (
        edited("host_package:doubled", "host_package.filters:doubled"),
        "'host_package.filters', of which 'doubled' is named, can't be imported: ModuleNotFound",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_name(guest: Any, what: str) -> None:
    """It is told by `verify`, and by `prefer` once that library is loaded; to nobody else."""
    toml, message = WRONG[what]
    path = guest.put("guest", toml, CODE)
    with pytest.raises(ProviderError, match=message) as caught:
        verify("guest")
    assert str(path) in str(caught.value)
    guest.put("guest", toml, CODE)
    assert host().doubled(X)[0, 0] == 2
    name = toml.partition('functions."')[2].partition(":")[0]
    if name in sys.modules and name == "host_package":
        with pytest.raises(ProviderError, match=message), likewise.prefer("guest"):
            pass


def test_while_a_library_is_being_imported_nothing_is_said(guest: Any) -> None:
    """It may call its own functions, or likewise's, before all of its names are there."""
    early = "import likewise\nwith likewise.prefer('guest'): pass\n"
    guest.host(__init__=early + HOST["__init__"])
    with likewise.prefer("guest"):
        assert host().doubled(X)[0, 0] == 3


def test_a_library_that_is_not_installed(shelf: Any) -> None:
    """Its provider is idle, and `info` and `verify` say why."""
    shelf.put("guest", edited("host_package", "no_such_host"), CODE)
    with likewise.prefer("guest"):
        assert likewise.special.expit(X).shape == X.shape
    told = _info._told_providers()["guest"]
    assert "no_such_host:doubled (numpy, strict, torch, jax, dask, no_such_host is not" in told
    found = verify("guest")
    assert not found.ok and found.verdicts[0].not_run == "no_such_host is not installed"


def test_a_misspelt_likewise(shelf: Any) -> None:
    shelf.put("guest", edited("host_package:doubled", "likewize.signal:fftconvolve"), CODE)
    with (
        pytest.raises(ProviderError, match="did you mean 'likewise.signal:fftconvolve'"),
        likewise.prefer("guest"),
    ):
        pass


@pytest.mark.parametrize(
    ("offset", "cases", "failures"),
    [
        ("0", "host_package._cases:calls", []),
        ("1e-3", "host_package._cases:calls", ["float64 (40, 40)) is off by 5.0e-04"]),
        ("0", "", ["host_package has no case for it, so nothing was compared"]),
    ],
)
def test_verify_runs_the_cases_that_it_declares(
    guest: Any, offset: str, cases: str, failures: list[str]
) -> None:
    guest.put("guest", edited('["numpy", "strict", "torch", "jax", "dask"]', '"numpy"'), CODE)
    (guest.folder / "guest_package" / "__init__.py").write_text(
        CODE.replace("offset = 1", f"offset = {offset}")
    )
    scaled = HOST["_scaled"].replace('cases="host_package._cases:calls"', f"cases={cases!r}")
    guest.host(_scaled=scaled)
    found = verify("guest")
    (verdict,) = found.verdicts
    assert found.ok is not bool(failures)
    assert all(any(f in told for told in verdict.failures) for f in failures)
    if cases:
        assert verdict.ran == 10 and verdict.declined == 10
        assert verdict.reasons == ["too few pixels"]


def test_a_step_of_another_package_is_none_of_its_own(guest: Any) -> None:
    func = host().tripled
    assert [row.name for row in _providers.steps(func)] == ["other_step"]
    guest.host(
        _other="from likewise.missing import pad\nimport likewise\n"
        "@likewise.public\ndef padded(x): return pad(x, 1)\n"
    )
    from host_package._other import padded  # type: ignore[import-not-found]

    assert _providers.steps(padded) == frozenset()
    assert padded.where == "host_package:padded"


def test_from_the_environment(guest: Any) -> None:
    code = (
        "import numpy as np, host_package\n"
        "print(host_package.doubled(np.ones((3, 3)))[0, 0], host_package.doubled(np.ones((2, 2)))[0, 0])"
    )
    environ = os.environ | {"LIKEWISE_PREFER": "guest", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ
    )
    assert done.stdout == "3.0 2.0\n"
