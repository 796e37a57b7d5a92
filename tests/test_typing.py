"""What a type checker sees: the same array type out as in."""

import importlib.util
import re
from pathlib import Path

import mypy.api
import pytest

pytestmark = pytest.mark.full  # a minute without mypy's cache; ci/check runs it

ROOT = Path(__file__).parents[1]
MAKE = {
    "numpy": ("import numpy as np", "np.ones(3)", "numpy.ndarray["),
    "torch": ("import torch", "torch.ones(3)", "torch._tensor.Tensor"),
    "jax": ("import jax.numpy as jnp", "jnp.ones(3)", "jax._src.basearray.Array"),
}
HERE = [name for name in MAKE if importlib.util.find_spec(name)]
CALLS = {
    "fftconvolve": "signal.fftconvolve({x}, {x})",
    "convolve": "signal.convolve({x}, {x}, 'same')",
    "with a list": "signal.convolve({x}, [1.0, 2.0])",
    "correlate": "signal.correlate({x}, {x})",
    "to_device": "likewise.to_device({x}, 'cpu')",
}


def check(*arguments: str) -> tuple[str, int]:
    """mypy's report and exit status, under the project's settings and in its cache."""
    settings = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir"]
    out, error, status = mypy.api.run([*settings, str(ROOT / ".cache" / "mypy"), *arguments])
    return out + error, status


@pytest.fixture(scope="module")
def revealed(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], str]:
    """mypy's type, in one run, of each call on an array of each library, and of the array."""
    lines, keys = ["import likewise", "from likewise import signal"], {}
    for name in HERE:
        module, value, _ = MAKE[name]
        lines += [module, f"{name}_array = {value}"]
        for case, call in {"array": "{x}", **CALLS}.items():
            lines.append(f"reveal_type({call.format(x=name + '_array')})")
            keys[len(lines)] = name, case
    lines.append("signal.fftconvolve('abc', 'abc')")
    keys[len(lines)] = "", "no array"
    path = tmp_path_factory.mktemp("typing") / "cases.py"
    path.write_text("\n".join(lines) + "\n")
    report, _ = check("--strict", str(path))
    found = re.findall(r"cases\.py:(\d+): (?:note: Revealed type is \"(.*)\"|error: (.*))", report)
    return {keys[int(number)]: kind or error for number, kind, error in found}


@pytest.mark.parametrize("name", HERE)
def test_arrays_have_types(name: str, revealed: dict[tuple[str, str], str]) -> None:
    assert revealed[name, "array"].startswith(MAKE[name][2])


@pytest.mark.parametrize("case", CALLS)
@pytest.mark.parametrize("name", HERE)
def test_same_type_out_as_in(name: str, case: str, revealed: dict[tuple[str, str], str]) -> None:
    assert revealed[name, case] == revealed[name, "array"]


def test_what_is_no_array_is_an_error(revealed: dict[tuple[str, str], str]) -> None:
    assert 'of "fftconvolve" cannot be "str"' in revealed["", "no array"]


@pytest.mark.full
def test_source_is_strictly_typed() -> None:
    report, status = check("--strict")
    assert status == 0, report
    assert "Success" in report


def test_package_says_that_it_is_typed() -> None:
    assert (ROOT / "src" / "likewise" / "py.typed").exists()
