"""The stand-ins refuse what the libraries refuse on a GPU, and nothing that they take."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import likewise

from .cupy_stand_in import NAMES, ndarray

HOST = np.asarray([1.0, 2.0])


def cupy() -> Any:
    import cupy as found

    return found


def given() -> Any:
    return cupy().asarray([[1.0, 2.0], [3.0, 4.0]])


def assigned(value: Any) -> None:
    given()[0, :] = value


SLIPS: dict[str, tuple[type[Exception], Callable[[], Any]]] = {
    "conversion": (TypeError, lambda: np.asarray(given())),
    "a function of NumPy's that CuPy hasn't": (TypeError, lambda: np.spacing(given())),
    "an array of NumPy's": (TypeError, lambda: given() + HOST),
    "an array of NumPy's at the left": (TypeError, lambda: HOST + given()),
    "an array of NumPy's in a function": (
        TypeError,
        lambda: cupy().concatenate([given()[0], HOST]),
    ),
    "an array of NumPy's assigned": (TypeError, lambda: assigned(HOST)),
    "an array of NumPy's as index": (TypeError, lambda: given()[np.asarray([0])]),
    "a list": (TypeError, lambda: cupy().add(given(), [1.0, 2.0])),
    "a list in a function": (TypeError, lambda: cupy().sum([1.0, 2.0])),
    "a list as index": (TypeError, lambda: given()[[0]]),
    "iteration": (TypeError, lambda: list(given())),
    "an index of Python's": (TypeError, lambda: range(cupy().asarray(3))),
    "a bound of a slice": (TypeError, lambda: given()[: cupy().asarray(1)]),
    "objects": (ValueError, lambda: cupy().asarray(np.asarray([None]))),
    "text": (ValueError, lambda: cupy().asarray(["a"])),
    "a name": (AttributeError, lambda: cupy().spacing),
    "a method": (AttributeError, lambda: given().setflags),
    "an argument": (TypeError, lambda: cupy().sum(given(), where=given() > 0)),
    "an argument of a ufunc": (TypeError, lambda: cupy().add(given(), 1.0, where=given() > 0)),
    "an argument of a method": (TypeError, lambda: given().sum(initial=0.0)),
    "a dtype": (TypeError, lambda: cupy().logaddexp(given() + 1j, 1.0)),
    "a dtype that at hasn't": (TypeError, lambda: cupy().add.at(given() + 1j, 0, 1.0)),
    "no dimensions": (ValueError, lambda: cupy().nonzero(given()[0, 0])),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_cupys_refuses(slip: str) -> None:
    error, what = SLIPS[slip]
    with pytest.raises(error):
        what()


def test_cupys_does_what_a_device_does() -> None:
    x = given()
    assert float(x[cupy().asarray([3, -1])][0, 0]) == 3.0  # indices wrap
    assert cupy().isnan(cupy().linalg.inv(x * 0)).all()  # nobody looks whether it is singular
    assert isinstance(x.sum(), ndarray) and isinstance(x[0, 0], ndarray)
    assert isinstance(np.sin(x), ndarray) and isinstance(np.sum(x), ndarray)
    assert (x.astype("f4") * 2.0).dtype == "f4" and (x.astype("f4") * np.float64(2)).dtype == "f8"
    assert likewise.library(x) == "cupy" and likewise.to_numpy(x).shape == (2, 2)


def test_cupys_members_are_the_wheels() -> None:
    ours = {n for n in dir(ndarray) if not n.startswith("_")}
    wheels = {n.removeprefix("cupy.ndarray.") for n in NAMES if n.startswith("cupy.ndarray.")}
    assert ours - wheels == set()
    assert not hasattr(ndarray, "__index__") and not hasattr(ndarray, "__array_namespace__")


@pytest.mark.parametrize(
    "slip",
    [
        lambda x: x + torch.ones(2),
        lambda x: torch.cat([x, torch.zeros(1)]),
        lambda x: torch.cat([x, torch.tensor(1.0)[None]]),
        lambda x: x[torch.tensor([0])],
        lambda x: torch.where(torch.tensor([True, False]), x, x),
        lambda x: torch.linalg.solve(torch.eye(2), x),
        lambda x: np.asarray(x),
        lambda x: x.numpy(),
    ],
)
def test_torchs_refuses(slip: Any) -> None:
    with pytest.raises((RuntimeError, TypeError)):
        slip(torch.ones(2, device="simulated"))


def test_torchs_takes_what_a_device_takes() -> None:
    x = torch.ones(2, device="simulated")
    assert str((x + torch.tensor(1.0)).device) == "simulated:0"
    assert x.cpu().device.type == "cpu" and float(x[0]) == 1.0
    assert str(likewise.device(likewise.array_namespace(x).exp(x))) == "simulated:0"
