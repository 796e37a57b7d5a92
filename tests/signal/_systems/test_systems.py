"""Linear systems, their responses to frequencies and over time, against SciPy."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise import signal
from likewise.errors import ArgumentError, ShapeError

from ..designs import close, in_use

TF = ([1.0, 3.0], [1.0, 2.0, 5.0])
ZPK = ([-3.0], [-1 + 2j, -1 - 2j], 2.0)
SS = tuple(map(np.asarray, ([[-1.0, 2.0], [-2.0, -0.5]], [[1.0], [0.5]], [[1.0, -1.0]], [[0.25]])))
SYSTEMS = {"tf": TF, "zpk": ZPK, "ss": SS}
TIMES = np.arange(12) * 0.2
INPUT = np.cos(np.arange(12.0) ** 2)


pytestmark = pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients")


def alike(got: Any, expected: Any) -> None:
    if isinstance(expected, tuple | list):
        assert len(got) == len(expected)
        for x, y in zip(got, expected, strict=True):
            alike(x, y)
    else:
        assert np.shape(got) == np.shape(expected)
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("form", SYSTEMS)
def test_continuous(form: str) -> None:
    s = SYSTEMS[form]
    for interp in (True, False):
        alike(
            signal.lsim(s, INPUT, TIMES + 0.4, None, interp),
            scipy.signal.lsim(s, INPUT, TIMES + 0.4, None, interp),
        )
    alike(signal.lsim(s, None, TIMES, [1.0, 2.0]), scipy.signal.lsim(s, 0, TIMES, [1.0, 2.0]))
    for name in ("impulse", "step"):
        alike(getattr(signal, name)(s, N=9), getattr(scipy.signal, name)(s, N=9))
        alike(getattr(signal, name)(s, T=TIMES), getattr(scipy.signal, name)(s, T=TIMES))
    for name in ("freqresp", "bode"):
        alike(getattr(signal, name)(s, n=9), getattr(scipy.signal, name)(s, n=9))


@pytest.mark.parametrize("form", SYSTEMS)
def test_discrete(form: str) -> None:
    s = (*SYSTEMS[form], 0.2)
    alike(signal.dlsim(s, INPUT, x0=[1.0, 2.0]), scipy.signal.dlsim(s, INPUT, x0=[1.0, 2.0]))
    for n in (4, 10, 11):  # a last time that rounds to a whole number of steps, or beside it
        t = np.arange(n) * s[-1]
        alike(signal.dlsim(s, INPUT[:n], t), scipy.signal.dlsim(s, INPUT[:n], t))
    alike(signal.dlsim(s, INPUT, TIMES * 0.7), scipy.signal.dlsim(s, INPUT, TIMES * 0.7))
    for name in ("dimpulse", "dstep", "dbode", "dfreqresp"):
        alike(getattr(signal, name)(s, n=7), getattr(scipy.signal, name)(s, n=7))


def test_systems_of_many_inputs_and_outputs(rng: np.random.Generator) -> None:
    shapes = [(3, 3), (3, 2), (2, 3), (2, 2)]
    s = [rng.normal(size=shape) for shape in shapes]
    u = rng.normal(size=(12, 2))
    alike(signal.lsim(s, u, TIMES), scipy.signal.lsim(s, u, TIMES))
    s = (*s, 0.5)
    alike(signal.dlsim(s, u), scipy.signal.dlsim(s, u))
    alike(signal.dstep(s, n=5), scipy.signal.dstep(s, n=5))


METHODS = ["zoh", "foh", "gbt", "tustin", "euler", "backward_diff", "impulse"]


@pytest.mark.parametrize("method", METHODS)
def test_cont2discrete(method: str) -> None:
    for s in (TF, ZPK, (*SS[:3], [[0.0]])):
        with warnings.catch_warnings():  # numerators that start with zeros
            warnings.simplefilter("ignore")
            got = signal.cont2discrete(s, 0.3, method, 0.4)
            alike(got, scipy.signal.cont2discrete(s, 0.3, method, 0.4))


@pytest.mark.parametrize("form", SYSTEMS)
def test_objects(form: str) -> None:
    ours, theirs = signal.lti(*SYSTEMS[form]), scipy.signal.lti(*SYSTEMS[form])
    assert type(ours).__name__ == type(theirs).__name__ and isinstance(ours, signal.lti)
    assert repr(ours).splitlines()[:2] == repr(theirs).splitlines()[:2]
    alike(ours.to_tf().num, np.ravel(theirs.to_tf().num))
    alike(np.sort_complex(ours.poles), np.sort_complex(theirs.poles))
    alike(np.sort_complex(ours.zeros), np.sort_complex(theirs.zeros))
    alike(ours.to_zpk().gain, theirs.to_zpk().gain)
    alike(ours.to_ss().parts, [getattr(theirs.to_ss(), c) for c in "ABCD"])
    alike(ours.step(T=TIMES), theirs.step(T=TIMES))
    alike(ours.impulse(T=TIMES), theirs.impulse(T=TIMES))
    alike(ours.output(INPUT, TIMES), theirs.output(INPUT, TIMES))
    alike(ours.bode(n=5), theirs.bode(n=5))
    with warnings.catch_warnings():  # of numerators that start with zeros
        warnings.simplefilter("ignore")
        ours, theirs = ours.to_discrete(0.2), theirs.to_discrete(0.2)
    assert isinstance(ours, signal.dlti) and ours.dt == 0.2
    alike(ours.step(n=5), theirs.step(n=5))
    alike(ours.impulse(n=5), theirs.impulse(n=5))
    alike(ours.output(INPUT, TIMES), theirs.output(INPUT, TIMES))
    alike(ours.bode(n=5), theirs.bode(n=5))
    alike(ours.freqresp(n=5, whole=True), theirs.freqresp(n=5, whole=True))
    assert isinstance(signal.TransferFunction(ours), signal.dlti)
    assert isinstance(signal.dlti(*SYSTEMS[form]), signal.dlti)


BY_NAME: dict[str, Any] = {
    "lsim": lambda m: m.lsim(TF, INPUT, TIMES),
    "impulse": lambda m: m.impulse(TF, N=6),
    "step": lambda m: m.step(TF, N=6),
    "dlsim": lambda m: m.dlsim((*TF, 0.2), INPUT),
    "dimpulse": lambda m: m.dimpulse((*TF, 0.2), n=6)[1],
    "dstep": lambda m: m.dstep((*TF, 0.2), n=6)[1],
    "freqs": lambda m: m.freqs(*TF, 6),
    "freqs_zpk": lambda m: m.freqs_zpk(*ZPK, 6),
    "findfreqs": lambda m: m.findfreqs(*TF, 6),
    "freqresp": lambda m: m.freqresp(TF, n=6),
    "dfreqresp": lambda m: m.dfreqresp((*TF, 0.2), n=6),
    "bode": lambda m: m.bode(ZPK, n=6),
    "dbode": lambda m: m.dbode((*TF, 0.2), n=6),
    "cont2discrete": lambda m: m.cont2discrete(TF, 0.2, "bilinear")[:2],
}


@pytest.mark.parametrize("name", BY_NAME)
def test_results_are_of_the_library_in_use(lib: Any, name: str) -> None:
    call = BY_NAME[name]
    close(in_use(lib, lambda: call(signal)), call(scipy.signal), 1e-9)


def test_results_are_of_the_arrays_library(lib: Any) -> None:
    if lib.jit or lib.library == "dask":  # which has no values
        return
    make = lambda x: lib.asarray(np.asarray(x, dtype="float32"))  # noqa: E731
    num, den = map(make, TF)
    for out in (
        signal.step((num, den), N=5),
        signal.freqs(num, den),
        signal.lti(num, den).to_ss().parts,
        signal.cont2discrete((num, den), 0.1)[:2],
        signal.dstep((num, den, 0.1), n=5)[1],
    ):
        assert all(likewise.library(x) == lib.library for x in out)
        assert all(lib.to_numpy(x).dtype in (np.float32, np.complex64) for x in out)


def test_analog_responses(rng: np.random.Generator) -> None:
    for _ in range(20):
        n = int(rng.integers(2, 6))
        b, a = rng.normal(size=int(rng.integers(1, n + 1))), rng.normal(size=n) * 10
        alike(signal.freqs(b, a, 9), scipy.signal.freqs(b, a, 9))
        z, p, k = scipy.signal.tf2zpk(b, a)
        alike(signal.freqs_zpk(z, p, k, 9), scipy.signal.freqs_zpk(z, p, k, 9))
        alike(signal.findfreqs(z, p, 9, "zp"), scipy.signal.findfreqs(z, p, 9, "zp"))
    seen: list[Any] = []
    signal.freqs([1.0], [1.0, 1.0], None, lambda w, h: seen.append(h))
    assert seen[0].shape == (200,)


def test_derivatives_of_responses(lib: Any) -> None:
    if not lib.has_float64 or lib.jit:
        return
    b, a, w = (lib.asarray(np.asarray(x)) for x in ([1.0, 3.0], [1.0, 2.0, 5.0], [0.5, 2.0]))

    def loss(a: Any) -> Any:
        xp = likewise.array_namespace(a)
        return xp.sum(xp.abs(signal.freqs(b, a, w)[1]) ** 2)

    def plain(a: Any) -> Any:
        return np.sum(np.abs(scipy.signal.freqs(*TF[:1], a, [0.5, 2.0])[1]) ** 2)

    h = 1e-6 * np.eye(3)
    expected = [(plain(TF[1] + d) - plain(TF[1] - d)) / 2e-6 for d in h]
    np.testing.assert_allclose(lib.to_numpy(likewise.grad(loss)(a)), expected, rtol=1e-6)


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "no system": (lambda: signal.lti([1.0]), ArgumentError, "two, three or four arrays were"),
    "form": (lambda: signal.TransferFunction([1.0]), ArgumentError, "2 arrays were expected"),
    "tuple": (lambda: signal.lsim(([1.0],), 0, TIMES), ArgumentError, "lsim: system must be a"),
    "discrete": (lambda: signal.lsim(signal.dlti(*TF), 0, TIMES), ArgumentError, "be continuous"),
    "continuous": (lambda: signal.dlsim(signal.lti(*TF), INPUT), ArgumentError, "be discrete"),
    "spacing": (lambda: signal.lsim(TF, 0, [0.0, 1.0, 3.0]), ArgumentError, "equally spaced"),
    "negative": (lambda: signal.lsim(TF, 0, [-1.0, 0.0]), ArgumentError, "must not be negative"),
    "inputs": (lambda: signal.lsim(TF, np.ones(3), TIMES), ShapeError, r"the shape \(12, 1\)"),
    "state": (lambda: signal.step(TF, [1.0]), ShapeError, "must have 2 numbers, got 1"),
    "method": (lambda: signal.cont2discrete(TF, 1, "x"), ArgumentError, "method must be one of"),
    "alpha": (lambda: signal.cont2discrete(TF, 1, "gbt", 2), ArgumentError, "from 0 to 1, got 2"),
    "at once": (lambda: signal.cont2discrete(SS, 1, "impulse"), ArgumentError, "whose D is zero"),
    "count": (lambda: signal.freqs([1.0], [1.0], -1), ArgumentError, "must not be negative"),
    "kind": (lambda: signal.findfreqs([1.0], [1.0], 5, "tf"), ArgumentError, "'ba' or 'zp'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()
