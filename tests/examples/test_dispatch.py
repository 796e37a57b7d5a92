"""The example "Dispatch": a library's own tests on the suite's libraries, and against a provider."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dispatch.installing import install, provide
from smallimage import data, filters, measure, registration
from smallimage.tests import test_filters, test_measure, test_registration
from smallimage_fast import networks, rings

import likewise
from likewise.errors import MixedLibrariesError
from likewise.testing import assert_close, assert_equal

# Each of the library's own tests, as one of this file.
for _module in (test_filters, test_measure, test_registration):
    globals().update({n: f for n, f in vars(_module).items() if n.startswith("test_")})

HOSTS_TESTS = "-q -p no:cacheprovider -p likewise.testing.plugin -n0 --pyargs smallimage".split()
WRONG = (
    '[functions."smallimage.filters:median"]\nlibrary = "numpy"\nfunction = "wrong_package:median"'
)


def image(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape)


def test_the_network_is_the_median(xp: Any) -> None:
    x = image(2, 9, 7)
    x[0, 3, 4] = np.nan
    assert_equal(networks.median(xp.asarray(x)), likewise.to_numpy(filters.median(xp.asarray(x))))


@pytest.mark.parametrize("center", [None, (3.5, 0), (-3, 16)])
def test_the_rings_are_the_profiles(center: Any) -> None:
    for x in (image(30, 33), image(30, 33).astype(np.float32)):
        expected = measure.radial_profile.generic(x, center)
        assert_close(rings.radial_profile(x, center), expected)


def test_an_image_that_is_made_follows_the_default_or_another(lib: Any) -> None:
    with likewise.use(lib.library, dtype="float32"):
        made = data.disk((5, 6), 2)
    assert likewise.library(made) == lib.library and str(made.dtype).endswith("float32")
    assert data.disk((5, 6), 2, like=made).dtype == made.dtype
    assert np.array_equal(likewise.to_numpy(made), data.distances(np.ones((5, 6))) <= 4)


def test_two_libraries_are_refused(lib: Any) -> None:
    other = "strict" if lib.library != "strict" else "numpy"
    mixed = likewise.asarray(image(4, 5), namespace=other)
    with pytest.raises(MixedLibrariesError):
        registration.phase_cross_correlation(lib.asarray(image(4, 5)), mixed)


def ran(target: Path, *command: str, **environ: str) -> Any:
    """Run Python where packages of a folder are installed, and none of the sources are in the way."""
    others = [p for p in sys.path if not p.endswith(("src", "examples")) or p.endswith("likewise")]
    source = str(Path(likewise.__file__).parents[1])
    path = os.pathsep.join([str(target), source, *others])
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=target,
        env=os.environ | {"PYTHONPATH": path} | environ,
    )


@pytest.mark.needs("scipy", "setuptools")
@pytest.mark.full
def test_installed_the_librarys_own_tests_run_against_the_provider(tmp_path: Path) -> None:
    """The provider runs where the page says; the log tells that, and what it declined."""
    install(tmp_path, "small-image", "small-image-fast")
    flags = ["--xp=numpy,strict", "--log-file=log.txt", "--log-file-level=INFO"]
    done = ran(tmp_path, "-m", "pytest", *HOSTS_TESTS, *flags, LIKEWISE_PREFER="fast")
    assert done.returncode == 0, done.stdout + done.stderr
    log = (tmp_path / "log.txt").read_text()
    for told in (
        "median on numpy: smallimage_fast.networks:median of fast",
        "median on strict: smallimage_fast.networks:median of fast",
        "radial_profile on numpy: smallimage_fast.rings:radial_profile of fast",
        "not smallimage_fast.networks:median of fast: 432 pixels are too few: from 4096 on",
        "the network is for 3 x 3 pixels, not for size 5",
    ):
        assert told in log


@pytest.mark.full
@pytest.mark.needs("scipy", "setuptools")
def test_installed_a_right_provider_is_verified_and_a_wrong_one_caught(tmp_path: Path) -> None:
    """By `likewise verify` on all libraries, and by the library's own tests."""
    install(tmp_path, "small-image", "small-image-fast")
    provide(tmp_path, "wrong", WRONG, "def median(image, size=3): return image * 1.0")
    flags = ["--xp=numpy", "-k", "median_is_scipys"]
    done = ran(tmp_path, "-m", "pytest", *HOSTS_TESTS, *flags, LIKEWISE_PREFER="wrong")
    assert done.returncode == 1 and "3 failed, 1 passed" in done.stdout, done.stdout
    done = ran(tmp_path, "-m", "likewise", "verify", "fast")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILED" not in done.stdout and " numpy    ok " in done.stdout
    done = ran(tmp_path, "-m", "likewise", "verify", "wrong")
    assert done.returncode == 1 and "FAILED" in done.stdout, done.stdout + done.stderr
