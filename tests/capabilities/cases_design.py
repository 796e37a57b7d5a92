"""Design of filters, windows and responses, against SciPy's."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.signal

import likewise
from likewise import signal
from likewise.signal import windows
from likewise.transforms import tree_leaves

from .case import REAL, Case, case

UP, DOWN = np.asarray([1.0, 1.0, 0.24]), np.asarray([2.0, -1.8, 0.4])
ZEROS, POLES = np.asarray([-0.6, -0.4]), np.asarray([0.5, 0.4])
SECTION = np.asarray([[1.0, 1.0, 0.24, 1.0, -0.9, 0.2]])
STATES = tuple(map(np.asarray, ([[0.5, 0.1], [1.0, 0.0]], [[1.0], [0.0]], [[1.0, 2.0]], [[0.5]])))
EDGE, BAND = np.asarray(0.3), np.asarray([0.2, 0.5])
GAIN = np.asarray(2.0)
EQUIRIPPLE = scipy.signal.remez(15, [0, 0.1, 0.2, 0.5], [1.0, 0.0])[:8]
MINIMAL = {"strict-minimal": "there is no fft"}
READ = "design reads its arguments and computes on the host"
FIXED = {"eager": {"dask": READ}, "jit": READ, "compile": READ, "grad": READ, "vmap": READ}
ONE = "one filter a call"
EMPTY = "a filter of nothing is refused"
TAKES: dict[str, Any] = {"complex": True, "empty": True}
ORDINARY = {"float64": 1e-9, "float32": 1e-4}
BTYPES = ("lowpass", "highpass", "bandpass", "bandstop")


def carried(name: str, args: tuple[Any, ...], dtype: str, options: dict[str, Any]) -> Any:
    """A function of numbers, where the library of an array is in use."""
    room, _, short = name.rpartition(".")
    function = getattr(windows if room else signal, short)
    where: dict[str, Any] = {}  # of the last array that was one: proxies are of no library to use

    def call(x: Any) -> Any:
        if likewise.library(x) != "interpreter":
            where.update(default=likewise.library(x), device=likewise.device(x))
        with likewise.use(where["default"], dtype=dtype, device=where["device"]):
            out = function(*args, **options)
        for y in tree_leaves(out):
            assert not hasattr(y, "dtype") or str(y.dtype).endswith(
                (dtype, "complex128", "complex64")
            )
        return out

    return call


def of_numbers(name: str, *args: Any, **options: Any) -> Iterator[Case]:
    """No array goes in; what comes out is of the library, device and dtype in use."""
    room, _, short = name.rpartition(".")
    judge = getattr(scipy.signal.windows if room else scipy.signal, short)
    for dtype in ("float64", "float32"):
        yield case(
            f"signal.{name}",
            np.asarray([0, 0]),
            by=carried(name, args, dtype, options),
            reference=lambda x: judge(*args, **options),
            dtypes=(dtype,),
            batch="of numbers",
            empty=True,
            complex=True,
            compile="torch compiles no use(...)",
            tol=ORDINARY,
        )


def reads(name: str, *args: Any, **options: Any) -> Case:
    """Arrays go in, whose values are read."""
    own = {"reference": getattr(scipy.signal, name), "batch": ONE, "tol": ORDINARY}
    own |= {"empty": EMPTY, "complex": REAL, "copies": READ} | FIXED
    return case(f"signal.{name}", *args, **(own | options))


def follows(name: str, *args: Any, **options: Any) -> Case:
    """The standard's way: it is compiled, differentiated, mapped."""
    own = {"reference": getattr(scipy.signal, name), "batch": ONE, "tol": ORDINARY}
    own |= {"empty": EMPTY, "complex": REAL}
    return case(f"signal.{name}", *args, **(own | options))


FAMILIES: dict[str, tuple[float, ...]] = {
    "cheby1": (1.0,),
    "cheby2": (30.0,),
    "ellip": (1.0, 30.0),
    "bessel": (),
}
WINDOWS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(windows.__all__, ()),
    "chebwin": (60.0,),
    "general_cosine": ([0.6, 0.3, 0.1],),
    "general_gaussian": (1.5, 2.0),
    "general_hamming": (0.6,),
    "gaussian": (2.0,),
    "dpss": (2.5,),
    "kaiser": (5.0,),
    "kaiser_bessel_derived": (4.0,),
}


def families() -> Iterator[Case]:
    for name, ripples in FAMILIES.items():
        for output in ("ba", "zpk", "sos"):
            yield reads(name, 3, *ripples, BAND, "bandpass", kwargs={"output": output})
    for norm in ("delay", "mag"):
        yield reads("bessel", 3, BAND, "bandpass", kwargs={"norm": norm})
    for ftype in ("butter", "cheby1", "cheby2", "ellip", "bessel"):
        kwargs: dict[str, Any] = {"rp": 1.0, "rs": 30.0, "ftype": ftype}
        if ftype == "butter":
            yield follows("iirfilter", 3, BAND, scalars=2, kwargs=kwargs)
        else:
            yield reads("iirfilter", 3, BAND, kwargs=kwargs)
        if ftype != "bessel":
            yield reads(
                "iirdesign", BAND, np.asarray([0.1, 0.6]), 1.0, 40.0, kwargs={"ftype": ftype}
            )
    for output in ("zpk", "sos"):
        yield follows("iirfilter", 3, BAND, scalars=2, kwargs={"output": output})
        yield reads("iirdesign", BAND, np.asarray([0.1, 0.6]), 1.0, 40.0, kwargs={"output": output})
    for name in ("buttord", "cheb1ord", "cheb2ord", "ellipord"):
        yield reads(name, BAND, np.asarray([0.1, 0.6]), 3.0, 40.0)
    for output in ("ba", "zpk", "sos"):
        for btype, edge in (("lowpass", EDGE), ("bandpass", BAND)):
            nothing = EMPTY if edge.ndim else False
            given = {"output": output}
            yield follows("butter", 3, edge, btype, kwargs=given, scalars=2, empty=nothing)
    for name in ("iirnotch", "iirpeak"):
        yield follows(name, EDGE, np.asarray(30.0), scalars=2, empty=True)  # of two numbers


def with_ones(sections: Any) -> Any:
    """Put in the coefficients that have to be 1."""
    xp = likewise.array_namespace(sections)
    ones = xp.ones_like(sections[:, :1])
    return xp.concat([sections[:, :3], ones, sections[:, 3:]], axis=1)


def mirrored(half: Any) -> Any:
    xp = likewise.array_namespace(half)
    return xp.concat([half, xp.flip(half)[1:]])


def responses() -> Iterator[Case]:
    yield follows("freqz", UP, DOWN, 8, complex=True)
    for name in ("freqz_sos", "sosfreqz"):
        ours, theirs = getattr(signal, name), getattr(scipy.signal, name)
        yield case(
            f"signal.{name}",
            np.delete(SECTION, 3, axis=1),
            by=lambda s, f=ours: f(with_ones(s), 8),
            reference=lambda s, f=theirs: f(with_ones(s), 8),
            batch=ONE,
            empty=EMPTY,
            complex=True,
            tol=ORDINARY,
            scalars=1,
        )
    yield follows("freqz_zpk", ZEROS, POLES, 2.0, 8, **TAKES)
    yield case(
        "signal.group_delay",
        UP,
        DOWN,
        by=lambda b, a: signal.group_delay((b, a), 8),
        reference=lambda b, a: scipy.signal.group_delay((b, a), 8),
        batch=ONE,
        empty=EMPTY,
        complex=True,
        tol=ORDINARY,
        scalars=1,
    )


def systems() -> Iterator[Case]:
    yield follows("freqs", UP, DOWN, GAIN, complex=True)
    yield follows("freqs_zpk", ZEROS, POLES, 2.0, GAIN, **TAKES)
    yield reads("findfreqs", UP, DOWN, 5, complex=True)
    yield reads("findfreqs", ZEROS, POLES, 5, kwargs={"kind": "zp"}, **TAKES)
    times = [0.0, 0.5, 1.0]
    for name, rest in {
        "lsim": ([1.0, 2.0, 0.5], times),
        "impulse": (None, times),
        "step": (None, times),
        **{f"cont2discrete, {m}": (0.5, m, 0.3) for m in METHODS},
    }.items():
        yield of_system(reads, name.partition(",")[0], rest)
    for name in ("freqresp", "bode"):
        yield of_system(follows, name, (times,))
    for name, rest in {
        "dlsim": ([1.0, 2.0, 0.5],),
        "dimpulse": (None, times),
        "dstep": (None, times),
        "dfreqresp": (times,),
        "dbode": (times,),
    }.items():
        yield of_system(reads, name, rest, 0.5)


METHODS = ("gbt", "bilinear", "euler", "backward_diff", "zoh", "foh")


# Of complex coefficients SciPy's drop the imaginary parts.
CAST = ("freqresp", "bode", "dlsim", "dimpulse", "dstep")


def of_system(kind: Any, name: str, rest: tuple[Any, ...], *dt: float) -> Case:
    """Whose arrays come in a tuple."""
    ours, theirs = getattr(signal, name), getattr(scipy.signal, name)

    def by(function: Any) -> Any:
        def call(b: Any, a: Any) -> Any:
            out = function((b, a, *dt), *rest)
            return tuple(tree_leaves(out[:2]))

        return call

    return kind(name, UP, DOWN, by=by(ours), reference=by(theirs), complex=name not in CAST)


def ridges() -> Iterator[Case]:
    x = np.sin(np.arange(0, 9, 0.1))
    yield reads("find_peaks_cwt", x, np.asarray([1.0, 2.0, 3.0]), empty="of nothing are no peaks")


def placed() -> Iterator[Case]:
    wanted = np.asarray([-1.0, -2.0])
    for method in ("YT", "KNV0"):
        yield reads(
            "place_poles",
            *STATES[:2],
            wanted,
            by=lambda *a, m=method: signal.place_poles(*a, method=m).gain_matrix,
            reference=lambda *a, m=method: scipy.signal.place_poles(*a, method=m).gain_matrix,
            kwargs={},
        )


def conversions() -> Iterator[Case]:
    yield follows("zpk2tf", ZEROS, POLES, GAIN, scalars=2, **TAKES)
    yield follows("sos2tf", SECTION, **TAKES)
    for name in ("bilinear_zpk", "lp2lp_zpk", "lp2hp_zpk", "lp2bp_zpk", "lp2bs_zpk"):
        yield follows(name, ZEROS, POLES, GAIN, 0.1, **TAKES)  # the band's roots are real
    for name in ("normalize", "bilinear", "lp2lp", "lp2hp", "lp2bp", "lp2bs", "tf2ss", "tf2zpk"):
        yield reads(name, UP, DOWN, complex=True)
    yield reads("tf2sos", UP, DOWN, complex=True)
    yield reads("sos2zpk", SECTION, complex=True, empty=False)
    yield reads("ss2tf", *STATES, complex=True, empty=False)
    yield reads("ss2zpk", *STATES, complex=False)  # in another order on each library
    yield reads("zpk2ss", ZEROS, POLES, 2.0, **TAKES)
    for pairing in ("nearest", "keep_odd", "minimal", None):
        options: dict[str, Any] = {"analog": True} if pairing == "minimal" else {}
        given = {"pairing": pairing, **options}
        yield reads("zpk2sos", ZEROS, POLES, 2.0, kwargs=given, empty=True)
        yield reads("tf2sos", UP, DOWN, kwargs=given, complex=True)


def finite() -> Iterator[Case]:
    yield follows("firwin", 5, BAND, scalars=2)
    yield reads("firwin2", 7, np.asarray([0.0, 0.5, 1.0]), np.asarray([1.0, 1.0, 0.0]))
    yield reads("firls", 7, np.asarray([0.0, 0.3, 0.5, 1.0]), np.asarray([1.0, 1.0, 0.0, 0.0]))
    bands = np.asarray([0.0, 0.1, 0.3, 0.5])
    for kind in ("bandpass", "differentiator", "hilbert"):
        yield reads("remez", 7, bands, np.asarray([1.0, 0.5]), kwargs={"type": kind})
    for method in ("homomorphic", "hilbert"):
        options: dict[str, Any] = {"method": method, "n_fft": 64}
        yield case(
            "signal.minimum_phase",
            EQUIRIPPLE,
            by=lambda h, o=options: signal.minimum_phase(mirrored(h), **o),
            reference=lambda h, o=options: scipy.signal.minimum_phase(mirrored(h), **o),
            eager=MINIMAL,
            grad=True if method == "homomorphic" else "where the response is 0 there is none",
            batch=ONE,
            empty=EMPTY,
            complex=REAL,
            tol=ORDINARY,
            scalars=1,
        )


def plain() -> Iterator[Case]:
    for use in ("conv", "dot"):
        yield from of_numbers("savgol_coeffs", 5, 2, use=use)
    for ftype in ("notch", "peak"):
        yield from of_numbers("iircomb", 0.25, 30.0, ftype=ftype)
    yield from of_numbers("unit_impulse", (3, 4), "mid")
    yield from of_numbers("get_window", ("kaiser", 5.0), 8)
    for name, args in sorted(WINDOWS.items()):
        if name == "get_window":
            yield from of_numbers("windows.get_window", "hann", 8)
        else:
            yield from of_numbers(f"windows.{name}", 8, *args)


DESIGN = [
    *families(),
    *responses(),
    *systems(),
    *ridges(),
    *placed(),
    *conversions(),
    *finite(),
    *plain(),
]
