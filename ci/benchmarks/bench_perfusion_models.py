"""Perfusion models, one curve a call of the model, against osipy's fitter, in one process.

    OPENBLAS_NUM_THREADS=1 python ci/benchmarks/bench_perfusion_models.py FOLDER

FOLDER has osipy's sources (github.com/OSIPI/osipy, Python 3.12 or newer; nothing of it is installed
or copied here). Both sides have the same curves, start, bounds and tolerance, and models that agree
to rounding: Tofts' by the rectangle rule, the two-compartment models (2CXM, 2CUM) by convolution
with exponentials. Ours are mapped, ``vectorized=False``. Processor time, medians; ours had been
called before, as in a program that fits in a loop.
"""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from likewise import array_namespace
from likewise.optimize import curve_fit
from likewise.signal import convolve_exponential

TIGHT = {"ftol": 1e-6, "xtol": 1e-6, "gtol": 1e-6, "max_nfev": 100}


class Case(NamedTuple):
    name: str
    curves: int
    model: Callable[..., Any]
    theirs: Any  # osipy's model
    low: list[float]  # of the true parameters
    high: list[float]


def input_of(t: Any) -> Any:
    """Return an arterial input function."""
    return 5 * (t / 60) * np.exp(-t / 40) + 0.5 * np.exp(-t / 300) * (t > 0)


def tofts(t: Any) -> Callable[..., Any]:
    n, aif, width = t.shape[0], input_of(t), t[1] / 60
    rectangles = np.ascontiguousarray(
        [[aif[i - j] * width if i >= j else 0.0 for i in range(n)] for j in range(n)]
    )

    def model(t: Any, ktrans: Any, ve: Any) -> Any:
        xp = array_namespace(ktrans)
        return ktrans * xp.matmul(xp.exp(-(ktrans / ve) * t), rectangles)

    return model


def exchange(t: Any) -> Callable[..., Any]:
    aif = input_of(t)

    def model(t: Any, flow: Any, ps: Any, ve: Any, vp: Any) -> Any:
        xp = array_namespace(flow)
        flow, ps = flow / 100, ps / 100
        out, back, into = ps / vp, ps / ve, flow / vp
        trace, det = -(into + out + back), (into + out) * back - back * out
        root = xp.sqrt(xp.maximum(trace**2 - 4 * det, 0.0))
        fast, slow, both = (trace - root) / 2, (trace + root) / 2, back + out
        apart = fast - slow
        apart = xp.where(xp.abs(apart) < 1e-10, 1e-10, apart)
        quick, late = convolve_exponential(t, aif, -fast), convolve_exponential(t, aif, -slow)
        return flow * ((fast + both) / apart * quick - (slow + both) / apart * late)

    return model


def uptake(t: Any) -> Callable[..., Any]:
    aif = input_of(t)
    whole = np.concatenate([[0.0], np.cumsum((aif[1:] + aif[:-1]) / 2 * np.diff(t / 60))])

    def model(t: Any, flow: Any, ps: Any, vp: Any) -> Any:
        flow, ps = flow / 100, ps / 100
        share = ps / (flow + ps)
        quick = convolve_exponential(t, aif, (flow + ps) / vp)
        return flow * ((1 - share) * quick + share * whole)

    return model


def cases() -> Iterator[tuple[Case, Any]]:
    from osipy.dce.models.tofts import ToftsModel
    from osipy.dce.models.two_compartment import TwoCompartmentModel
    from osipy.dce.models.two_compartment_uptake import TwoCompartmentUptakeModel

    short, long = np.linspace(0, 300, 60), np.linspace(0, 300, 120)  # s
    for curves in (1, 1000):
        yield Case("Tofts", curves, tofts(short), ToftsModel(), [0.05, 0.15], [0.4, 0.4]), short
    two, taken = TwoCompartmentModel(), TwoCompartmentUptakeModel()
    yield Case("2CXM", 500, exchange(long), two, [10, 3, 0.1, 0.02], [60, 15, 0.4, 0.1]), long
    yield Case("2CUM", 500, uptake(long), taken, [10, 1, 0.02], [60, 10, 0.1]), long


def median(fun: Callable[[], Any], count: int) -> tuple[float, Any]:
    out, times = None, []
    for _ in range(count):
        begin = time.process_time()
        out = fun()
        times.append(time.process_time() - begin)
    return sorted(times)[count // 2], out


def main() -> None:
    from osipy.common.fitting.least_squares import LevenbergMarquardtFitter
    from osipy.dce.models.binding import BoundDCEModel

    rng = np.random.default_rng(0)
    for case, t in cases():
        truth = rng.uniform(case.low, case.high, (case.curves, len(case.low)))
        bound = BoundDCEModel(case.theirs, t, input_of(t))
        y = np.asarray(bound.predict_array_batch(truth.T, np)).T
        size = np.abs(y).max()
        apart = max(np.abs(case.model(t / 60, *p) - y[i]).max() for i, p in enumerate(truth[:3]))
        y = y + 0.005 * size * rng.normal(size=y.shape)
        ends = np.asarray([case.theirs.get_bounds()[name] for name in case.theirs.parameters]).T
        begin = np.asarray(bound.get_initial_guess_batch(y.T, np)).T
        p0 = np.clip(begin, ends[0] + 1e-6, ends[1] - 1e-6)
        fitter = LevenbergMarquardtFitter(max_iterations=100, tolerance=1e-6)

        def theirs(y: Any = y, bound: Any = bound, fitter: Any = fitter) -> Any:
            return np.asarray(fitter.fit_batch(bound, y.T)[0]).T

        def ours(y: Any = y, t: Any = t, p0: Any = p0, ends: Any = ends, case: Any = case) -> Any:
            options = {"bounds": tuple(ends), "vectorized": False, "full_output": True, **TIGHT}
            return curve_fit(case.model, t / 60, y, p0, **options).popt

        for _ in range(3):
            ours()
        count = 9 if case.curves == 1 else 5
        (one, found), (other, peers) = median(ours, count), median(theirs, count)
        errors = [np.median(np.abs(p - truth) / truth) for p in (found, peers)]
        print(
            f"{case.name:6} {case.curves} x {t.shape[0]}: {one * 1e3:.1f} ms, "
            f"osipy {other * 1e3:.1f}, ratio {one / other:.2f}; models agree to "
            f"{apart / size:.0e}; median errors {errors[0]:.4f} and {errors[1]:.4f}"
        )


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    main()
