"""JAX on several devices: the tests of tests/sharded run in a process that has eight."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EIGHT = "--xla_force_host_platform_device_count=8"


def _passes(*arguments: str) -> None:
    flags = " ".join(filter(None, (os.environ.get("XLA_FLAGS"), EIGHT)))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


@pytest.mark.needs("jax")
def test_on_eight_devices() -> None:
    _passes("tests/sharded")


@pytest.mark.needs("jax")
@pytest.mark.full
def test_on_eight_devices_in_full() -> None:
    """What takes minutes: every solver and filter under shard_map, every function's case."""
    where = "tests/capabilities/test_every_function.py"
    _passes("--full", "-k", "sharded", "tests/sharded", where)
