"""Orders of recursive filters against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, DesignWarning, NotSupported, ShapeError
from likewise.signal import buttord, cheb1ord, cheb2ord, ellipord, iirdesign, iirfilter
from likewise.signal._design._families import FAMILIES

from ..designs import close, in_use

FUNCTIONS = {"buttord": buttord, "cheb1ord": cheb1ord, "cheb2ord": cheb2ord, "ellipord": ellipord}
EDGES = [
    (0.2, 0.3),
    (0.3, 0.2),
    ([0.2, 0.5], [0.1, 0.6]),
    ([0.1, 0.6], [0.2, 0.5]),
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equals_scipy(lib: Any, name: str) -> None:
    func, reference = FUNCTIONS[name], getattr(scipy.signal, name)
    for wp, ws in EDGES:
        for analog in (False, True):
            n, wn = reference(wp, ws, 1.0, 40.0, analog)
            args = (wp, ws, 1.0, 40.0, analog)
            assert func(*args)[0] == n
            # A bandstop filter's edge is where a search ends, which has a tolerance of 1e-5.
            close(
                in_use(lib, lambda args=args: func(*args)[1]),
                wn,
                1e-5 if wp == EDGES[3][0] else 1e-10,
            )
    if lib.jit or lib.library == "dask":
        return
    n, wn = func(lib.asarray([20.0]), 30.0, 1.0, 40.0, fs=100.0)
    expected = reference(20.0, 30.0, 1.0, 40.0, fs=100.0)
    assert n == expected[0]
    close(lib.to_numpy(wn), expected[1])


def test_iirdesign(lib: Any) -> None:
    for wp, ws in EDGES:
        args = (wp, ws, 1.0, 40.0, False, "cheby1", "sos")
        rtol = 1e-5 if wp == EDGES[3][0] else 1e-9
        close(in_use(lib, lambda args=args: iirdesign(*args)), scipy.signal.iirdesign(*args), rtol)
    if lib.jit or lib.library == "dask":
        return
    sos = iirdesign(lib.asarray(20.0), 30.0, 1.0, 40.0, ftype="butter", output="sos", fs=100.0)
    expected = scipy.signal.iirdesign(20.0, 30.0, 1.0, 40.0, ftype="butter", output="sos", fs=100.0)
    close(lib.to_numpy(sos), expected, 1e-10 if lib.has_float64 else 1e-4)


BAD = {
    "losses": (lambda: buttord(0.2, 0.3, 0, 40), ArgumentError, "gpass should be larger than 0.0"),
    "order": (lambda: buttord(0.2, 0.3, 50, 40), ArgumentError, "gpass should be smaller"),
    "Nyquist": (lambda: cheb1ord(0.2, 1.3, 1, 40), ArgumentError, "below 1.0, the Nyquist"),
    "half": (lambda: cheb1ord(2, 9, 1, 40, fs=10), ArgumentError, "below 5.0, fs/2"),
    "numbers": (lambda: cheb2ord(0.2, [0.1, 0.3], 1, 40), ShapeError, "both be one number"),
    "analog": (lambda: ellipord(2, 3, 1, 40, True, fs=2), ArgumentError, "fs must be None"),
    "family": (lambda: iirdesign(0.2, 0.3, 1, 40, ftype="bessel"), ArgumentError, "Use iirfilter"),
    "overlap": (
        lambda: iirdesign([0.1, 0.3], [0.2, 0.4], 1, 40),
        ArgumentError,
        "must lie strictly inside",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()


def test_traced_edges_are_refused() -> None:
    with pytest.raises(NotSupported, match="argument 'wp' must have values"):
        likewise.grad(lambda w: buttord(w, 0.3, 1.0, 40.0)[1])(np.asarray(0.2))


@pytest.mark.parametrize("ftype", ["butter", "cheby1", "cheby2", "ellip"])
def test_single_precision_stays(lib: Any, ftype: str) -> None:
    if lib.jit or lib.library == "dask":
        return  # refused, as test_traced_edges_are_refused says
    wp, ws = (lib.asarray(np.asarray(w, dtype=np.float32)) for w in ([0.2, 0.5], [0.1, 0.6]))
    b, a = iirdesign(wp, ws, 1.0, 40.0, ftype=ftype)
    assert lib.to_numpy(b).dtype == lib.to_numpy(a).dtype == np.float32


def test_a_row_is_all_that_makes_a_family(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = FAMILIES["cheby2"]._replace(spellings=("twin",))
    monkeypatch.setitem(FAMILIES, "twin", twin)
    close(iirfilter(3, 0.2, rs=40, btype="low", ftype="TWIN"), scipy.signal.cheby2(3, 40, 0.2))
    args = ([0.2, 0.5], [0.1, 0.6], 1.0, 40.0, False)
    close(iirdesign(*args, "twin", "sos"), scipy.signal.iirdesign(*args, "cheby2", "sos"), 1e-9)
    with pytest.raises(ArgumentError, match="rs must be given for a filter of type 'twin'"):
        iirfilter(3, 0.2, btype="low", ftype="twin")


@pytest.mark.parametrize("call", [buttord, lambda *args: iirdesign(*args, ftype="butter")])
def test_an_order_of_zero_warns(call: Any) -> None:
    with pytest.warns(DesignWarning, match="the order is zero") as told:
        call(0.2, 0.9, 3.0, 3.0)
    assert [w.filename for w in told] == [__file__]
