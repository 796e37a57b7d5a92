"""Write README's table: which of SciPy's functions run on which library.

    python ci/pages/readme_table.py                                  write it
    python ci/pages/readme_table.py --check                          fail where it is stale
    python ci/pages/readme_table.py --check --libraries numpy,torch  only these columns

Each cell comes from a call: the function of likewise runs on arrays of the library, and its result
must be an array of that library with the values that SciPy's function gives.
"""

import argparse
import importlib
import inspect
import operator
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np

import likewise
from likewise import array_namespace
from likewise._default import KNOWN
from likewise.testing._cases import CASES as CALLS
from likewise.testing._cases import calls
from likewise.transforms._tree import leaves

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.capabilities.test_every_function import CASES as CHECKED

README = Path(__file__).parents[2] / "README.md"
START, END = "<!-- made by ci/pages/readme_table.py -->\n", "<!-- end of what is made -->"
ROOMS = "optimize signal spatial.distance special linalg missing".split()
SCIPY = """optimize optimize.elementwise signal spatial.distance special linalg integrate
stats""".split()
# A name of SciPy's with the meaning that NumPy's has.
NUMPYS = {"missing.convolve", "missing.round", "missing.sinc"}
# Another function of SciPy's by the same name: its module, and the name.
ANOTHER = {("linalg", "hilbert")}
# No array goes in: what they make is of the library that `likewise.use` names; or none comes out.
OF_NUMBERS = {
    *("check_COLA", "check_NOLA", "choose_conv_method", "correlation_lags", "czt_points"),
    *("get_window", "iircomb", "kaiser_atten"),
    *("kaiser_beta", "kaiserord", "savgol_coeffs", "show_options", "unit_impulse"),
    *(f"roots_{kind}" for kind in ("hermite", "hermitenorm", "jacobi", "laguerre", "legendre")),
    *(f"roots_{kind}" for kind in ("chebyc", "chebys", "chebyt", "chebyu", "gegenbauer")),
    *(f"roots_{kind}" for kind in ("genlaguerre", "sh_chebyt", "sh_chebyu", "sh_jacobi")),
    "roots_sh_legendre",
}
COLUMNS: dict[str, str] = {}
for _name, _known in KNOWN.items():
    COLUMNS |= {_name: _known.title} if _known.host else {}
    COLUMNS |= {"jit": "in `jax.jit`"} if _name == "jax" else {}

T = np.linspace(0.0, 4.0, 20)
A = np.asarray([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
B = np.asarray([1.0, 2.0, 3.0])
TALL = np.asarray([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3], [1.5, 1.0]])
RIGHT = np.asarray([1.0, 0.5, 2.0, -1.0])
FLAT = np.asarray([[1.0, 2.0], [2.0, 4.0], [-1.0, -2.0]])  # of rank one
UP, DOWN = np.asarray([1.0, 1.0, 0.24]), np.asarray([2.0, -1.8, 0.4])
ZEROS, POLES = np.asarray([-0.6, -0.4]), np.asarray([0.5, 0.4])
SECTION = np.asarray([[1.0, 1.0, 0.24, 1.0, -0.9, 0.2]])
STATES = tuple(map(np.asarray, ([[0.5, 0.1], [1.0, 0.0]], [[1.0], [0.0]], [[1.0, 2.0]], [[0.5]])))
WAVE = np.sin(np.arange(60.0) / 4)
BUMPS, TOPS = np.asarray([0.0, 2.0, 1.0, 3.0, 0.4, 1.1, 0.2]), np.asarray([1, 3, 5])
LABELS = np.asarray([3.0, 1.0, 2.0, 2.0, 5.0])
SQUARES = LABELS**2


def decay(t: Any, height: Any, rate: Any) -> Any:
    return height * array_namespace(t, rate).exp(-rate * t)


DECAY = decay(T, 2.0, 0.7) + 0.01 * np.sin(9 * T)


def valley(x: Any) -> Any:
    return (x - 0.3) ** 2 + 0.1 * x**4


def bowl(x: Any) -> Any:
    return array_namespace(x).sum((x - 0.5) ** 2 * (1 + x**2))


def slope(x: Any) -> Any:
    return 2 * (x - 0.5) * (1 + x**2) + 2 * x * (x - 0.5) ** 2


def round_(x: Any, digits: int) -> Any:
    xp = array_namespace(x)
    return xp.round(xp.asarray(x) * 10.0**digits) / 10.0**digits


def cosine(x: Any) -> Any:
    return array_namespace(x).cos(x) - x


To = Callable[[Any], Any]
# The function, and what makes arrays of the library; what comes back is compared.
CASES: dict[str, Callable[[Any, To], Any]] = {
    "curve_fit": lambda f, to: f(decay, to(T), to(DECAY), p0=to([1.0, 1.0]))[0],
    "least_squares": lambda f, to: f(lambda x: x**2 - 2.0, to(B), bounds=(0.5, 4.0)).x,
    "minimize": lambda f, to: f(bowl, to(B), method="BFGS").x,
    "minimize_scalar": lambda f, to: f(valley, bracket=(to(0.0), to(1.0))).x,
    "root": lambda f, to: f(cosine, to(B)).x,
    "root_scalar": lambda f, to: f(cosine, bracket=(to(0.0), to(1.0))).root,
    **dict.fromkeys(
        ("brentq", "brenth", "bisect", "ridder", "toms748"),
        lambda f, to: f(cosine, to(0.0), to(1.0)),
    ),
    "newton": lambda f, to: f(cosine, to(1.0)),
    "fsolve": lambda f, to: f(cosine, to(B)),
    "leastsq": lambda f, to: f(lambda x: x**2 - 2.0, to(B))[0],
    **dict.fromkeys(
        ("brent", "golden"), lambda f, to: round_(f(valley, brack=(to(0.0), to(1.0))), 5)
    ),
    "fmin_ncg": lambda f, to: round_(f(bowl, to(B), slope, disp=False), 5),
    **dict.fromkeys("fft2 ifft2 rfft2 irfft2 hfft2 ihfft2".split(), lambda f, to: f(to(TALL))),
    "fminbound": lambda f, to: round_(f(valley, to(0.0), to(1.0)), 5),
    "fmin": lambda f, to: round_(f(bowl, to(B), xtol=1e-9, ftol=1e-9, disp=False), 6),
    **dict.fromkeys(
        ("fmin_bfgs", "fmin_cg"), lambda f, to: round_(f(bowl, to(B), gtol=1e-8, disp=False), 6)
    ),
    "fmin_powell": lambda f, to: round_(f(bowl, to(B), disp=False), 4),
    "fmin_tnc": lambda f, to: round_(f(bowl, to(B), approx_grad=True)[0], 4),
    "fmin_cobyla": lambda f, to: round_(f(bowl, to(B), lambda x: x + 99.0, rhoend=1e-7), 4),
    "fmin_l_bfgs_b": lambda f, to: round_(
        f(bowl, to(B), approx_grad=True, factr=10.0, pgtol=1e-8, bounds=[(0.6, 4.0)] * 3)[0], 5
    ),
    "approx_fprime": lambda f, to: round_(f(to(B), bowl), 5),
    "check_grad": lambda f, to: f(bowl, lambda x: 0 * x, to(B)),
    **dict.fromkeys(("rosen", "rosen_der", "rosen_hess"), lambda f, to: f(to(B))),
    "fixed_point": lambda f, to: f(lambda x: array_namespace(x).cos(x), to(B)),
    "nnls": lambda f, to: f(to(TALL), to(RIGHT))[0],
    "linprog": lambda f, to: f(
        to([-1.0, -1.5]), to([[1.0, 2.0], [2.0, 1.0]]), to([3.0, 4.0])
    ).x,
    "milp": lambda f, to: f(to([-1.0, -1.5]), integrality=1, bounds=(0.0, 2.5)).x,
    "quadratic_assignment": lambda f, to: f(to(A), to(A)).fun,
    "lsq_linear": lambda f, to: f(to(TALL), to(RIGHT), bounds=(-0.1, 0.3)).x,
    "linear_sum_assignment": lambda f, to: f(to(A))[1],
    "isotonic_regression": lambda f, to: f(to(B)).x,
    "bracket": lambda f, to: f(valley, to(0.0), to(1.0))[1] > -1.0,
    "line_search": lambda f, to: f(bowl, slope, to(B), -slope(to(B)))[0] > 0.0,
    "find_root": lambda f, to: f(cosine, (to([0.0, 0.1]), to([1.0, 2.0]))).x,
    "differential_evolution": lambda f, to: round_(
        f(bowl, to([[-1.0, 2.0]] * 2), maxiter=50).x, 4
    ),
    **dict.fromkeys(
        "anderson broyden1 broyden2 diagbroyden excitingmixing linearmixing newton_krylov".split(),
        lambda f, to: f(lambda x: array_namespace(x).cos(x) - x, to(B), f_tol=1e-8),
    ),
    "basinhopping": lambda f, to: round_(f(bowl, to(B), niter=2).x, 4),
    "brute": lambda f, to: f(
        lambda x, far: bowl(x - far), ((-1.0, 2.0),) * 2, (to(B[:2]),), Ns=5, finish=None
    ),
    "direct": lambda f, to: round_(f(bowl, to([[-1.0, 2.5]] * 2)).x, 2),
    "dual_annealing": lambda f, to: round_(f(bowl, to([[-1.0, 2.5]] * 2), maxiter=3).x, 3),
    "shgo": lambda f, to: round_(f(bowl, to([[-1.0, 2.5]] * 2)).x, 3),
    "fmin_slsqp": lambda f, to: round_(
        f(bowl, to(B), eqcons=[lambda x: x[0] - x[1]], acc=1e-10, iprint=0), 4
    ),
    "find_minimum": lambda f, to: f(lambda x: (x - 0.3) ** 2, (to([-1.0]), to([0.1]), to([2.0]))).x,
    "bracket_root": lambda f, to: f(cosine, to([3.0]), to([4.0])).bracket[0],
    "bracket_minimum": lambda f, to: f(lambda x: (x - 0.3) ** 2, to([3.0])).bracket[1],
    "fftconvolve": lambda f, to: f(to(T), to(B)),
    "convolve": lambda f, to: f(to(T), to(B), mode="same"),
    "correlate": lambda f, to: f(to(T), to(B)),
    "oaconvolve": lambda f, to: f(to(T), to(B)),
    "convolve2d": lambda f, to: f(to(A), to(TALL), mode="same", boundary="symm"),
    "upfirdn": lambda f, to: f(to(B), to(T), 2, 3, mode="line"),
    "resample": lambda f, to: f(to(T), 12),
    "resample_poly": lambda f, to: f(to(T), 3, 2),
    "decimate": lambda f, to: f(to(T), 2, 2),
    "chirp": lambda f, to: f(to(T), 1.0, 4.0, 0.2, "logarithmic"),
    "sweep_poly": lambda f, to: f(to(T), to(B)),
    "gausspulse": lambda f, to: f(to(T), 0.4),
    "sawtooth": lambda f, to: f(to(T), to(0.3)),
    "square": lambda f, to: f(to(T), to(0.3)),
    "correlate2d": lambda f, to: f(to(A), to(TALL), boundary="wrap"),
    "bessel": lambda f, to: f(3, to(0.3))[0],
    "butter": lambda f, to: f(3, to(0.3))[0],
    "cheby1": lambda f, to: f(3, 1.0, to(0.3))[0],
    "cheby2": lambda f, to: f(3, 30.0, to(0.3))[0],
    "ellip": lambda f, to: f(3, 1.0, 30.0, to(0.3))[0],
    "iirfilter": lambda f, to: f(3, to([0.2, 0.5]))[0],
    "iirdesign": lambda f, to: f(to(0.2), to(0.3), 1.0, 40.0)[0],
    **dict.fromkeys(
        ("buttord", "cheb1ord", "cheb2ord", "ellipord"),
        lambda f, to: f(to(0.2), to(0.3), 3.0, 40.0)[1],
    ),
    **dict.fromkeys(("iirnotch", "iirpeak"), lambda f, to: f(to(0.3), to(30.0))[0]),
    "firwin": lambda f, to: f(5, to(0.3)),
    "firwin2": lambda f, to: f(7, to([0.0, 0.5, 1.0]), to([1.0, 1.0, 0.0])),
    "firls": lambda f, to: f(7, to([0.0, 0.3, 0.5, 1.0]), to([1.0, 1.0, 0.0, 0.0])),
    "remez": lambda f, to: f(7, to([0.0, 0.1, 0.3, 0.5]), to([1.0, 0.0])),
    "minimum_phase": lambda f, to: f(to([0.1, 0.4, 1.0, 0.4, 0.1])),
    "freqz": lambda f, to: f(to(UP), to(DOWN), 8)[1],
    "freqz_zpk": lambda f, to: f(to(ZEROS), to(POLES), 2.0, 8)[1],
    **dict.fromkeys(("freqz_sos", "sosfreqz"), lambda f, to: f(to(SECTION), 8)[1]),
    "lfilter": lambda f, to: f(to(UP), to(DOWN), to(RIGHT)),
    "lfilter_zi": lambda f, to: f(to(UP), to(DOWN)),
    "lfiltic": lambda f, to: f(to(UP), to(DOWN), to(RIGHT)),
    "deconvolve": lambda f, to: f(to(RIGHT), to(UP))[0],
    "filtfilt": lambda f, to: f(to(UP), to(DOWN), to(T)),
    "sosfiltfilt": lambda f, to: f(to(SECTION), to(T)),
    **dict.fromkeys(("hilbert", "detrend"), lambda f, to: f(to(T))),
    "envelope": lambda f, to: f(to(T)),
    "hilbert2": lambda f, to: f(to(A)),
    "order_filter": lambda f, to: f(to(T), [1.0, 1.0, 1.0], 1),
    "savgol_filter": lambda f, to: f(to(T), 5, 2),
    "sosfilt": lambda f, to: f(to(SECTION), to(RIGHT)),
    "sosfilt_zi": lambda f, to: f(to(SECTION)),
    "lombscargle": lambda f, to: f(to(T), to(DECAY), to(B)),
    "czt": lambda f, to: f(to(T), 5),
    "zoom_fft": lambda f, to: f(to(T), 0.5),
    **dict.fromkeys(
        ("welch", "spectrogram", "stft"), lambda f, to: f(to(DECAY), nperseg=8)[-1]
    ),
    "periodogram": lambda f, to: f(to(DECAY))[1],
    **dict.fromkeys(("csd", "coherence"), lambda f, to: f(to(DECAY), to(T**2), nperseg=8)[1]),
    "istft": lambda f, to: f(to(np.ones((5, 4))), window="hamming")[1],
    "group_delay": lambda f, to: f((to(UP), to(DOWN)), 8)[1],
    **dict.fromkeys(
        ("normalize", "bilinear", "lp2lp", "lp2hp", "lp2bp", "lp2bs"),
        lambda f, to: f(to(UP), to(DOWN))[0],
    ),
    **dict.fromkeys(
        ("bilinear_zpk", "lp2lp_zpk", "lp2hp_zpk", "lp2bp_zpk", "lp2bs_zpk"),
        lambda f, to: f(to(ZEROS), to(POLES), 2.0, 0.1)[0],  # the band's roots are real
    ),
    "tf2sos": lambda f, to: f(to(UP), to(DOWN)),
    "tf2ss": lambda f, to: f(to(UP), to(DOWN))[0],
    "tf2zpk": lambda f, to: f(to(UP), to(DOWN))[1],
    "sos2tf": lambda f, to: f(to(SECTION))[0],
    "sos2zpk": lambda f, to: f(to(SECTION))[1],
    "ss2tf": lambda f, to: f(*map(to, STATES))[1],
    "ss2zpk": lambda f, to: f(*map(to, STATES))[1],
    "zpk2sos": lambda f, to: f(to(ZEROS), to(POLES), 2.0),
    "zpk2ss": lambda f, to: f(to(ZEROS), to(POLES), 2.0)[0],
    "zpk2tf": lambda f, to: f(to(ZEROS), to(POLES), 2.0)[0],
    "find_peaks": lambda f, to: f(to(BUMPS), prominence=0.1, size=3)[0],
    **dict.fromkeys(
        ("peak_prominences", "peak_widths"), lambda f, to: f(to(BUMPS), to(TOPS))[0]
    ),
    "argrelextrema": lambda f, to: f(to(BUMPS), lambda a, b: a > b, size=3)[0],
    **dict.fromkeys(("argrelmax", "argrelmin"), lambda f, to: f(to(BUMPS), size=2)[0]),
    "cont2discrete": lambda f, to: f((to([1.0, 2.0]), to([1.0, 3.0, 2.0])), 0.1)[0],
    "lsim": lambda f, to: f((to([1.0]), to([1.0, 2.0])), to(T), to(np.arange(float(len(T)))))[1],
    "dlsim": lambda f, to: f((to([1.0]), to([1.0, -0.5]), 1.0), to(T))[1],
    **dict.fromkeys(("impulse", "step"), lambda f, to: f((to([1.0]), to([1.0, 2.0])), N=7)[1]),
    **dict.fromkeys(
        ("dimpulse", "dstep"), lambda f, to: f((to([1.0]), to([1.0, -0.5]), 1.0), n=7)[1][0]
    ),
    **dict.fromkeys(
        ("bode", "freqresp"), lambda f, to: abs(f((to([1.0]), to([1.0, 2.0])), to(B))[1])
    ),
    **dict.fromkeys(
        ("dbode", "dfreqresp"),
        lambda f, to: abs(f((to([1.0]), to([1.0, -0.5]), 1.0), to(B))[1]),
    ),
    "freqs": lambda f, to: abs(f(to([1.0]), to([1.0, 2.0]), to(B))[1]),
    "freqs_zpk": lambda f, to: abs(f(to(ZEROS), to(POLES), 2.0, to(B))[1]),
    "findfreqs": lambda f, to: f(to([1.0]), to([1.0, 2.0]), 7),
    "place_poles": lambda f, to: f(
        to([[0.0, 1.0], [0.0, 0.0]]), to([[0.0], [1.0]]), to([-1.0, -2.0])
    ).gain_matrix,
    "find_peaks_cwt": lambda f, to: f(to(WAVE), to([1.0, 2.0, 3.0])),
    "expm": lambda f, to: f(to(A)),
    "cdist": lambda f, to: f(to(TALL), to(FLAT), "cityblock"),
    "pdist": lambda f, to: f(to(TALL)),
    "squareform": lambda f, to: f(to(B)),
    "seuclidean": lambda f, to: f(to(B), to(T[:3]), to(B)),
    "mahalanobis": lambda f, to: f(to(B), to(T[:3]), to(A)),
    "hamming": lambda f, to: f(to([1, 0, 0]), to([0, 1, 0])),
    **dict.fromkeys(
        ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"),
        lambda f, to: f(to([True, False, False]), to([True, True, False])),
    ),
    "expn": lambda f, to: f(to(np.arange(3.0)), to(T[:3])),
    **dict.fromkeys(("jn", "kn", "legendre_p", "yn"), lambda f, to: f(3, to(T[:3] + 0.2))),
    "sph_harm_y": lambda f, to: abs(f(3, 2, to(T[:3]), to(T[:3]))),
    "xlogy": lambda f, to: f(to(T), to(T)),
    "factorial2": lambda f, to: f(to([0, 3, 8])),
    "multigammaln": lambda f, to: f(to(T + 9), 2),
    "eigh": lambda f, to: f(to(A), eigvals_only=True),
    "eigvalsh": lambda f, to: f(to(A)),
    "eig": lambda f, to: abs(f(to(A))[0]),
    "eigvals": lambda f, to: abs(f(to(A))),
    "svd": lambda f, to: f(to(TALL), compute_uv=False),
    "svdvals": lambda f, to: f(to(TALL)),
    "qr": lambda f, to: abs(f(to(TALL), mode="r")[0]),
    "cholesky": lambda f, to: f(to(A)),
    "polar": lambda f, to: f(to(TALL))[1],
    **dict.fromkeys(("null_space", "orth"), lambda f, to: abs(f(to(FLAT)))),
    "norm": lambda f, to: f(to(TALL)),
    "block_diag": lambda f, to: f(to(A), to(TALL)),
    "cho_factor": lambda f, to: f(to(A), lower=True)[0],
    "cho_solve": lambda f, to: f((to(np.linalg.cholesky(A)), True), to(B)),
    "circulant": lambda f, to: f(to(B)),
    "det": lambda f, to: f(to(A)),
    "eigh_tridiagonal": lambda f, to: f(to(B), to(B[:2]), True),
    "hankel": lambda f, to: f(to(B)),
    "inv": lambda f, to: f(to(A)),
    "lstsq": lambda f, to: f(to(TALL), to(RIGHT))[0],
    "lu": lambda f, to: f(to(A))[1],
    "matrix_balance": lambda f, to: f(to(A * SQUARES[:3]))[0],
    "solve_toeplitz": lambda f, to: f(to(LABELS), to(SQUARES)),
    "lu_factor": lambda f, to: f(to(A))[0],
    "lu_solve": lambda f, to: f((to(A), to(np.asarray([0, 1, 2]))), to(B)),
    "pinv": lambda f, to: f(to(TALL)),
    "pinvh": lambda f, to: f(to(A)),
    "solve": lambda f, to: f(to(A), to(B)),
    "solve_banded": lambda f, to: f((1, 1), to(A), to(B)),
    "solve_triangular": lambda f, to: f(to(np.tril(A)), to(B), lower=True),
    "toeplitz": lambda f, to: f(to(B)),
    "cumulative_trapezoid": lambda f, to: f(to(T**2), to(T)),
    "simpson": lambda f, to: f(to(T**2), x=to(T)),
    "trapezoid": lambda f, to: f(to(T**2), to(T)),
    "binned_statistic": lambda f, to: f(to(LABELS), to(SQUARES), bins=3, range=(0.0, 6.0))[0],
    "quantile": lambda f, to: f(to(T**2), to([0.1, 0.5])),
    "rankdata": lambda f, to: f(to(LABELS)),
}  # fmt: skip
# Without a line above, a function is given the first of its calls in likewise.testing; a special
# one, and one that has none, numbers between 0 and 1 in all arguments.
FRACTIONS = [np.asarray([0.2, 0.4, 0.7]), np.asarray([0.9, 0.3, 0.5]), np.asarray([0.6, 0.8, 0.1])]
# Where SciPy wants another argument for the same.
THEIRS: dict[str, Callable[[Any, To], Any]] = {
    "direct": lambda f, to: round_(f(bowl, [(-1.0, 2.5)] * 2).x, 2),
    "cho_factor": lambda f, to: np.tril(f(A, lower=True)[0]),
    "find_peaks": lambda f, to: f(BUMPS, prominence=0.1)[0],
    "argrelextrema": lambda f, to: f(BUMPS, np.greater)[0],
    **dict.fromkeys(("argrelmax", "argrelmin"), lambda f, to: f(BUMPS)[0][:2]),
}


def pairs() -> Iterator[tuple[str, str, Any, Any]]:
    """Module of SciPy, name, ours and theirs, for each function that both have."""
    for scipy_room in SCIPY:
        theirs = importlib.import_module(f"scipy.{scipy_room}")
        for room in ROOMS:
            module = importlib.import_module(f"likewise.{room}")
            for name in module.__all__:
                func = getattr(module, name)
                twice = scipy_room == "stats" and (name == "trapezoid" or room != "missing")
                twice = twice or f"{room}.{name}" == "missing.xlogy"  # special's is its like
                twice = twice or (scipy_room, name) in ANOTHER
                if isinstance(func, type) or twice or f"{room}.{name}" in NUMPYS:
                    continue
                if name in OF_NUMBERS or not callable(func):
                    continue
                if hasattr(theirs, name):
                    yield scipy_room, name, func, getattr(theirs, name)


def of_statistics() -> Iterator[tuple[str, str, Any, Any, Callable[[Any, To], Any]]]:
    """The same for stats, and the call: a name's first case in the table of capabilities."""
    known: set[str] = set()
    for found in CHECKED:
        room, _, short = found.name.partition(".")
        name = short.partition(".")[0]  # the first method stands for the distribution
        theirs = found.options.get("reference")
        if room != "stats" or name in known or not callable(theirs) or name in CASES:
            continue
        known.add(name)
        ours = found.func or operator.attrgetter(short)(likewise.stats)
        yield room, name, ours, theirs, partial(_called, found)


def _called(found: Any, f: Any, to: To) -> Any:
    """Call a function as a case does; return the first array that comes out."""
    args = (to(a) if isinstance(a, np.ndarray) else a for a in found.args)
    out = f(*args, **found.options.get("kwargs", {}))
    return next(x for x in leaves(out) if hasattr(x, "__array__") or isinstance(x, float))


def case(name: str, ours: Any) -> Callable[[Any, To], Any]:
    if name in CASES:
        return CASES[name]
    where = getattr(ours, "where", "")
    if where in CALLS and not where.startswith("likewise.special:"):
        args, kwargs = calls(where, "float64")[0]

        def first(f: Any, to: To) -> Any:
            out = f(*(to(a) if isinstance(a, np.ndarray) else a for a in args), **kwargs)
            return out[0] if isinstance(out, tuple) else out

        return first
    kinds = inspect.signature(ours).parameters.values()
    count = sum(p.default is p.empty for p in kinds)
    return lambda f, to: f(*map(to, FRACTIONS[:count]))


def cell(column: str, name: str, ours: Any, call: Any, expected: Any) -> str:
    """Run one function on one library: "runs", "no", or what Dask does."""
    library = "jax" if column == "jit" else column
    given: list[Any] = []

    def convert(x: Any) -> Any:
        return likewise.asarray(np.asarray(x), namespace=library)

    def note(x: Any) -> Any:
        given.append(convert(x))
        return given[-1]

    computed: list[int] = []
    try:
        if column == "jit":
            found = _jitted(call, ours, convert)
        elif column == "dask":
            found = _counted(call, ours, note, computed)
        else:
            found = call(ours, note)
    except likewise.errors.LikewiseError as error:
        print(f"{column}, {name}: {error}", file=sys.stderr)
        return "no"
    assert likewise.library(found) == library, (column, name, type(found))
    np.testing.assert_allclose(likewise.to_numpy(found), expected, rtol=1e-6, atol=1e-7)
    return "computes" if computed else "runs"


def _jitted(call: Any, ours: Any, convert: To) -> Any:
    """Compile the case with all its arrays as arguments."""
    import jax

    raw: list[Any] = []

    def collect(x: Any) -> Any:
        raw.append(np.asarray(x))
        return raw[-1]

    call(ours, collect)

    def run(arrays: list[Any]) -> Any:
        left = iter(arrays)
        return call(ours, lambda x: next(left))

    return jax.jit(run)([convert(x) for x in raw])


def _counted(call: Any, ours: Any, to: To, computed: list[int]) -> Any:
    import dask

    def get(graph: Any, keys: Any, **options: Any) -> Any:
        computed.append(1)
        return dask.get(graph, keys, **options)

    with dask.config.set(scheduler=get):
        return call(ours, to)


def rows(columns: list[str]) -> list[list[str]]:
    """Rows of the table: module, functions, a cell for each column; those alike are one row."""
    merged: dict[tuple[str, ...], list[str]] = {}
    others = ((*found, case(found[1], found[2])) for found in pairs())
    for room, name, ours, theirs, call in (*others, *of_statistics()):
        expected = THEIRS.get(name, call)(theirs, np.asarray)
        cells = [cell(column, name, ours, call, np.asarray(expected)) for column in columns]
        merged.setdefault((room, *cells), []).append(f"`{name}`")
    return [[f"`scipy.{key[0]}`", ", ".join(names), *key[1:]] for key, names in merged.items()]


def table() -> str:
    """Return the table as Markdown; CuPy needs a GPU, and nobody has run it."""
    header = ["in SciPy", "functions", *COLUMNS.values(), "CuPy"]
    lines = [header, ["---"] * len(header), *([*row, "not run"] for row in rows(list(COLUMNS)))]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def cells(lines: list[list[str]], columns: list[str]) -> dict[tuple[str, str], list[str]]:
    """Return the cells of each function, whichever row it stands in."""
    return {
        (room, name): found[: len(columns)]
        for room, names, *found in lines
        for name in names.split(", ")
    }


def stale(text: str, columns: list[str]) -> list[str]:
    """Return what README says otherwise than the calls do, in these columns."""
    made = text.partition(START)[2].partition(END)[0]
    header, _, *lines = ([c.strip() for c in row.split("|")[1:-1]] for row in made.splitlines())
    places = [header.index(COLUMNS[c]) for c in columns]
    written = cells([[*row[:2], *(row[k] for k in places)] for row in lines], columns)
    found = cells(rows(columns), columns)
    return [
        f"{key}: {written.get(key)} is written, {found.get(key)} found"
        for key in sorted(written | found)
        if written.get(key) != found.get(key)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--libraries", default=",".join(COLUMNS), help="columns to check")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # floating-point warnings of SciPy and of steps not taken
    text = README.read_text("utf-8")
    if options.check:
        differences = stale(text, options.libraries.split(","))
        print(*differences, sep="\n")
        return bool(differences)
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    README.write_text(before + start + table() + end + after, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
