"""The tests of packages that call SciPy, run with likewise's functions in SciPy's place.

    ci/downstream [PACKAGE ...] [-k EXPRESSION]

Each package's own tests run twice in fresh processes: as they are, and with each function of
`scipy.optimize` and the other rooms below, and each distribution, replaced by ours of the same
name. What passed the first time must pass the second, but for ci/downstream.toml, which gives a
reason for each that doesn't.
The exit status is 1 if a test failed that has no reason, or if one has a reason and passed.
"""

import argparse
import functools
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache" / "downstream"
LIMIT = 900  # seconds a test may take
EXPECTED = ROOT / "ci" / "downstream.toml"
ROOMS = "fft linalg optimize signal signal.windows spatial.distance special".split()
# Of these packages what they call of `scipy.stats`, too.
OF_STATISTICS = {"lmfit": ["stats"], "pingouin": ["stats", "stats.contingency"]}
# Of this one what it calls of `scipy.ndimage`, and nothing else.
OF_IMAGES = {"scikit-image": ["ndimage"]}
# Without control's tests that draw, which reach no function of SciPy's.
CONTROL = (
    "bdalg canonical convert descfcn discrete freqresp lti margin mateqn matlab matlab2 minreal "
    "modelsimp robust statefbk statesp stochsys sysnorm timeresp xferfcn bspline flatsys nlsys "
    "optimal"
).split()
# Of time series what reaches SciPy's functions and takes minutes: without models in state space.
TSA = (
    "filters.tests tests.test_ar tests.test_arima_process tests.test_bds "
    "tests.test_exponential_smoothing tests.test_stattools holtwinters"
).split()
PINGOUIN = (
    "bayesian circular contingency correlation distribution effsize equivalence multicomp "
    "multivariate nonparametric pairwise parametric power regression reliability utils"
).split()
SKIMAGE = "filters measure morphology segmentation transform".split()
# What is tested: modules of the installed package, or, where it comes without its tests, files of
# its source distribution.
PACKAGES = {
    "peakutils": ["tests/peakutils_test.py"],
    "lmfit": ["tests"],
    # Without its tests of plots.
    "pingouin": [f"tests/test_{name}.py" for name in PINGOUIN],
    "control": [f"control.tests.{name}_test" for name in CONTROL],
    "specutils": ["specutils.tests"],
    "nitime": ["nitime.tests"],
    "scikit-learn": ["sklearn.gaussian_process.tests"],
    "statsmodels": [f"statsmodels.tsa.{name}" for name in TSA],
    # Its tests of resampling read recordings, which aren't in the source distribution.
    "librosa": ["tests/test_filters.py"],
    "scikit-image": [f"skimage.{name}.tests" for name in SKIMAGE],
}


class Recorder:
    """A plugin of pytest that notes each test's outcome, and ends one that goes on for ever."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.outcomes: dict[str, str] = {}
        self.limit = limit

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, Any, Any]:
        """Fail a test that takes longer than the limit."""

        def late(*_: Any) -> None:
            raise TimeoutError(f"longer than {self.limit} s")

        before = signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, self.limit)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note a phase: a test passed if its call did and no other phase failed."""
        if report.failed or (report.when == "call" and report.nodeid not in self.outcomes):
            self.outcomes[report.nodeid] = report.outcome


def standing_in(ours: Callable[..., Any], theirs: Any, calls: Counter[str], name: str) -> Any:
    """Return what calls ours and counts, but SciPy's for SciPy and likewise, whose rows are it.

    Arrays as `output` of images get a copy of the result.
    """

    @functools.wraps(ours)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not foreign(1):
            return theirs(*args, **kwargs)
        calls[name] += 1
        output = kwargs.get("output")
        if name.startswith("ndimage.") and hasattr(output, "__setitem__"):
            return written(output, ours(*args, **kwargs | {"output": output.dtype}))
        return ours(*args, **kwargs)

    call.__module__, call.__qualname__ = theirs_module(name), name.rpartition(".")[2]
    return call


def written(output: Any, result: Any) -> Any:
    """Copy a result into an array, and return what SciPy returns when `output` is one."""
    if isinstance(result, tuple):  # of label
        output[...], result = result
        return result
    output[...] = result
    return output


def foreign(depth: int) -> bool:
    """Tell whether a call comes from neither SciPy nor likewise, whose rows are SciPy's."""
    name = sys._getframe(depth + 1).f_globals.get("__name__", "")
    return name.partition(".")[0] not in ("scipy", "likewise")


class Distribution:
    """Return our distribution, of all but SciPy and likewise."""

    def __init__(self, ours: Any, theirs: Any, calls: Counter[str], name: str) -> None:
        self.__dict__.update(_ours=ours, _theirs=theirs, _calls=calls, _name=name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not foreign(1):
            return getattr(self._theirs, name)
        self._calls[self._name] += 1
        return getattr(self._ours, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not foreign(1):
            return self._theirs(*args, **kwargs)
        self._calls[self._name] += 1
        return self._ours(*args, **kwargs)


def theirs_module(name: str) -> str:
    """'scipy.signal' for 'signal.welch': what is pickled by name is found where it stands."""
    return f"scipy.{name.rpartition('.')[0]}"


def replace(rooms: Sequence[str]) -> Counter[str]:
    """Put our functions in SciPy's modules, before anything imports from those; count the calls."""
    calls: Counter[str] = Counter()
    for room in rooms:
        theirs = importlib.import_module(f"scipy.{room}")
        ours = importlib.import_module(f"likewise.{room}")
        for name in ours.__all__:
            function, old = getattr(ours, name), getattr(theirs, name, None)
            # Classes stay: SciPy's own code asks for instances of them.
            if callable(old) and not isinstance(old, type) and not isinstance(function, type):
                put = Distribution if hasattr(function, "rvs") else standing_in
                setattr(theirs, name, put(function, old, calls, f"{room}.{name}"))
    return calls


def rooms_of(package: str) -> list[str]:
    """Return the rooms that a package's tests run with."""
    return OF_IMAGES.get(package) or [*ROOMS, *OF_STATISTICS.get(package, ())]


def record(path: str, replaced: str | None, arguments: list[str]) -> int:
    """Run pytest in this process, and write what came out to a file."""
    calls = Counter() if replaced is None else replace(rooms_of(replaced))
    recorder = Recorder()
    status = int(pytest.main(arguments, plugins=[recorder]))
    Path(path).write_text(json.dumps({"outcomes": recorder.outcomes, "calls": calls}))
    return status


def sources(package: str) -> Path:
    """The folder of a package's source distribution, without the package itself."""
    pinned = f"{package}-{version(package)}"
    folder = CACHE / pinned
    if not folder.exists():
        download = [*"-m pip download --quiet --no-deps --no-binary".split(), package]
        command = [sys.executable, *download, f"{package}=={version(package)}", "-d", str(CACHE)]
        subprocess.run(command, check=True)
        with tarfile.open(next(CACHE.glob(f"{pinned}.tar.gz"))) as archive:
            archive.extractall(CACHE, filter="data")
        for copy in (folder / package, folder / "src" / package):
            shutil.rmtree(copy, ignore_errors=True)
    return folder


def run(package: str, replaced: bool, arguments: list[str]) -> dict[str, Any]:
    """Run a package's tests in a process of their own: outcomes by test, calls by function."""
    tests = PACKAGES[package]
    installed = not tests[0].startswith("tests")
    folder = CACHE / package if installed else sources(package)
    folder.mkdir(parents=True, exist_ok=True)
    rootdir = sysconfig.get_path("purelib") if installed else str(folder)
    out = CACHE / f"{package}-{'after' if replaced else 'before'}.json"
    out.unlink(missing_ok=True)
    command = [
        *(
            sys.executable,
            "-P",
            __file__,
            "--record",
            str(out),
            *(["--replaced", package] * replaced),
            "--",
        ),
        *("-c", os.devnull, "--rootdir", rootdir, "-p", "no:cacheprovider"),
        *("-p", "no:likewise.testing.plugin", "-q", "--tb=short", "--disable-warnings"),
        "--continue-on-collection-errors",
        *(["--pyargs"] * installed),
        *tests,
        *arguments,
    ]
    log = out.with_suffix(".log")
    with log.open("w") as stream:
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        environment = os.environ | {"MPLBACKEND": "agg"} | threads
        subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=stream,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if not out.exists():
        raise SystemExit(f"downstream: {package} did not run to its end: {log}")
    return json.loads(out.read_text())


def compare(
    before: dict[str, str], after: dict[str, str], expected: dict[str, str]
) -> tuple[list[str], list[str]]:
    """Return the tests that fail without a reason, and the reasons that none fails for.

    A reason is for a test, for all of a test's parameters, or for a file.
    """
    broken, ran, used = [], set(), set()
    for test, outcome in before.items():
        reasons = {test, test.partition("[")[0], test.partition("::")[0]} & expected.keys()
        ran |= reasons
        if outcome == "passed" and after.get(test) != "passed":
            used |= reasons
            broken += [] if reasons else [test]
    return broken, sorted(ran - used)


def main() -> int:
    """Run, print, and say how it went."""
    parser = argparse.ArgumentParser(prog="ci/downstream", allow_abbrev=False)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=" ".join(PACKAGES))
    parser.add_argument("-k", help="only these tests")
    parser.add_argument("--record", help=argparse.SUPPRESS)
    parser.add_argument("--replaced", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record:
        return record(options.record, options.replaced, options.packages)
    unknown = [p for p in options.packages if p not in PACKAGES]
    if unknown:
        parser.error(f"{', '.join(unknown)}: none of {', '.join(PACKAGES)}")
    expected = tomllib.loads(EXPECTED.read_text())
    arguments = ["-k", options.k] if options.k else []
    lines, wrong = [], []
    for package in options.packages or PACKAGES:
        before, after = (run(package, replaced, arguments) for replaced in (False, True))
        reasons = expected.get(package, {})
        broken, stale = compare(before["outcomes"], after["outcomes"], reasons)
        passed = [test for test, o in before["outcomes"].items() if o == "passed"]
        kept = sum(after["outcomes"].get(test) == "passed" for test in passed)
        calls = Counter(after["calls"])
        lines.append(
            f"| {package} {version(package)} | {len(passed):,} | {kept:,} | {calls.total():,} "
            f"| {', '.join(n.rpartition('.')[2] for n, _ in calls.most_common(5))} |"
        )
        print(lines[-1], flush=True)
        wrong += [f"{package}: {test} fails, without a reason" for test in broken]
        wrong += [f"{package}: {test} passes; remove its reason" for test in stale]
        wrong += [] if calls else [f"{package}: no call reached likewise"]
    print("\n| package | passed | with likewise | calls of likewise | most often |")
    print("|---|--:|--:|--:|---|", *lines, *wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
