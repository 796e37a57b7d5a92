"""SciPy's own tests of statistics, images, integrals, minima and more, with ours in its place.

    ci/scipy-tests [FILE ...] [--libraries numpy,strict,torch] [-k EXPRESSION] [--limit SECONDS]

The files are those of the installed SciPy. While pytest imports one, its package has our
functions and objects where it has theirs. How SciPy's arguments become ours:

- Numbers come from `key=`: `rng=`, `random_state=` and `seed=` give one, and NumPy's global state
  where a test names none.
- Errors and warnings are compared by class: words are ours, also where a test asks what an error's
  text, or a result's message, holds.
- Polynomials, which are arrays of coefficients here, become NumPy's `poly1d`, and design matrices,
  which are dense, sparse ones.
- The status of trust-constr, which is that of all methods here, becomes SciPy's, and results are
  instances of SciPy's class of them.
- An array as `output=` gets a copy of the result, in its dtype.
- On another library than NumPy, tests with SciPy's fixture `xp` get its arrays. Those without are
  for NumPy: the arrays of each call are converted to the library, and its results back.

- Tests of distributions run without those of their checks that ci/scipy_tests.toml names under
  `without`, each with its reason; `check_rvs_broadcast` compares shapes, not numbers.

A test counts if it calls ours. Each that fails has its reason in ci/scipy_tests.toml: that of what
an error says, or its own. The exit status is 1 if a test fails without a reason, or passes with
one. `--last` runs nothing, and shows what the last run found.
"""

import argparse
import functools
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from downstream import Recorder, written

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache" / "scipy_tests"
REASONS = ROOT / "ci" / "scipy_tests.toml"
LIMIT = 400  # seconds a test may take
NAMESPACES = {"numpy": None, "strict": "array_api_strict", "torch": "torch"}
FILES = (
    "stats morestats hypotests rank resampling correlation contingency entropy variation quantile "
    "binned_statistic fit kdeoth qmc multivariate discrete_basic discrete_distns odds_ratio "
    "relative_risk crosstab multicomp continuous_basic distributions"
).split()
# Packages of SciPy's, with those of their modules that have names of their own.
PACKAGES: dict[str, tuple[str, ...]] = {
    "stats": ("qmc", "contingency"),
    "ndimage": (),
    "integrate": (),
    "differentiate": (),
    "interpolate": (),
    "special": (),
    "optimize": ("elementwise",),
    "sparse.linalg": (),
}
OF_IMAGES = "filters interpolation morphology measurements fourier splines".split()
OF_INTEGRALS = ["quadpack", "tanhsinh", "_quad_vec", "cubature", "quadrature"]
OF_INTERPOLATION = (
    "interpolate polyint bsplines fitpack fitpack2 rgi bary_rational pade gil "
    "interpnd ndgriddata rbfinterp"
).split()
OF_OPTIMIZE = (
    "optimize slsqp cobyla cobyqa tnc trustregion trustregion_exact trustregion_krylov "
    "minimize_constrained constraints linprog milp quadratic_assignment "
    "_differential_evolution _dual_annealing _basinhopping _shgo direct nonlin"
).split()
OF_OPERATORS = "interface iterative lsqr lsmr minres".split()
ALONE = {"differentiate": "differentiate", "orthogonal": "special"}  # packages of single files
EVERY = (*FILES, *OF_IMAGES, *OF_INTEGRALS, *OF_INTERPOLATION, *OF_OPTIMIZE, *OF_OPERATORS, *ALONE)
# In these, distributions are ours; in others they are SciPy's, whose numbers are a test's data.
DISTRIBUTIONS = (
    "fit multivariate discrete_basic discrete_distns continuous_basic distributions"
).split()
SEEDS = ("rng", "random_state", "seed")
# Not arguments, but how SciPy computes, and older names of its arguments.
ASIDE = ("workers", "optimizer")
RENAMED = {"mode": "method", "moment": "order", "sample": "data"}


def _sparse(matrix: Any) -> Any:
    return importlib.import_module("scipy.sparse").csr_array(np.asarray(matrix))


def _of_both(theirs: Any, ours: Any) -> Any:
    """Return SciPy's class of results, of which results of ours are instances, too."""

    class Both(type(theirs)):  # type: ignore[misc]
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, theirs | ours)

    return Both("OptimizeResult", (theirs,), {})


def _numbered(result: Any) -> Any:
    """Return the result of trust-constr with SciPy's numbers, as a status of ours has one meaning.

    They are 1 for a small gradient, 2 for a small region, 3 for a callback that ends it, else 0.
    """
    if getattr(result, "tr_radius", None) is not None:
        small = 1 if result.optimality <= 1e-8 else 2
        number = small if result.success else 3 if result.status == 99 else 0
        result.status = np.int32(number)
        result.method = "tr_interior_point" if result.barrier_parameter else "by steps alone"
    return result


# What SciPy's functions return as objects of another kind.
KINDS: dict[str, Callable[[Any], Any]] = {
    "approximate_taylor_polynomial": np.poly1d,
    "lagrange": np.poly1d,
    "pade": lambda pair: tuple(map(np.poly1d, pair)),
    "design_matrix": _sparse,
    "minimize": _numbered,
}


def package_of(file: str) -> str:
    """Return the package of SciPy's that a file of tests belongs to."""
    if file in ALONE:
        return ALONE[file]
    if file in OF_INTEGRALS:
        return "integrate"
    if file in OF_INTERPOLATION:
        return "interpolate"
    if file in OF_OPTIMIZE:
        return "optimize"
    if file in OF_OPERATORS:
        return "sparse.linalg"
    return "ndimage" if file in OF_IMAGES else "stats"


def seed_of(source: Any = None, old: bool = False) -> int:
    """Return an integer from a generator of NumPy, whose state moves on, or from its seed."""
    if old and _whole(source):
        source = np.random.RandomState(source)
    if isinstance(source, np.random.RandomState):
        return int(source.randint(2**31 - 1))
    if source is None or source is np.random:
        return int(np.random.randint(2**31 - 1))
    return int(np.random.default_rng(source).integers(2**31 - 1))


def _whole(source: Any) -> bool:
    return isinstance(source, int | np.integer)


class Place:
    """Hold what is put in SciPy's place in one process: for a library, or for NumPy."""

    def __init__(self, library: str, file: str) -> None:
        import likewise

        self.library, self.likewise = library, likewise
        results = importlib.import_module("likewise.solving._result")
        told = results.Readable.message.compute
        results.Readable.message = results.Computed(lambda result: Words(told(result)))
        self.distributions = file in DISTRIBUTIONS
        self.interpolates = file in OF_INTERPOLATION  # whose values without dimensions are arrays
        self.reached = 0
        self.converts = False

    def inwards(self, value: Any) -> Any:
        """Return an argument as ours takes it: the library's arrays, objects without shell."""
        if isinstance(value, Shell):
            return value.ours
        if type(value) in (list, tuple) or (self.converts and isinstance(value, tuple)):
            return (list if type(value) is list else tuple)(self.inwards(v) for v in value)
        if not self.converts:
            return value
        if isinstance(value, np.generic) and value.dtype.kind in "fiubc":
            return value.item()
        if (
            isinstance(value, np.ndarray)
            and value.dtype.kind in "fiubc"
            and value.dtype != np.longdouble
        ):
            return self.likewise.asarray(np.asarray(value, order="C"), namespace=self.library)
        if callable(value) and not isinstance(value, type) and not hasattr(value, "ppf"):
            return self.user(value)
        return value

    def user(self, function: Any) -> Any:
        """Return a function that calls a test's with NumPy's arrays."""

        def call(*args: Any, **kwargs: Any) -> Any:
            named = {n: self.outwards(v) for n, v in kwargs.items()}
            return self.inwards(function(*map(self.outwards, args), **named))

        if (signature := _signature(function)) is not None:
            call.__signature__ = signature
        return call

    def outwards(self, value: Any) -> Any:
        """Return a result as a test expects it: NumPy's arrays, objects that take those."""
        if isinstance(value, list | tuple) and type(value) in (list, tuple):
            return type(value)(self.outwards(v) for v in value)
        if value is None or isinstance(value, bool | int | float | complex | str | np.generic):
            return value
        if self.likewise._namespace.library_of(value) is not None:
            if not self.converts or isinstance(value, np.ndarray):
                return value
            found = self.likewise.to_numpy(value)
            return found if found.ndim or self.interpolates else found[()]
        module = (type(value).__module__ or "").partition(".")[0]
        if inspect.isroutine(value) or isinstance(value, functools.partial):
            return self.standing(value)
        if module == "likewise":
            is_result = isinstance(value, tuple) or not hasattr(value, "rvs")
            return (
                value
                if is_result and not self.converts and not _draws(value)
                else Shell(value, self)
            )
        return value

    def standing(self, ours: Any, kept: Any = None) -> Any:
        """Return a function that calls ours, with its random numbers from SciPy's arguments.

        Without those, from the generator that a frozen distribution was given, if one is `kept`.
        """
        named = _named(ours)
        is_engine = isinstance(ours, type) and "options" in named
        keyed = "key" in named or is_engine or getattr(ours, "__name__", "") == "rvs"

        def call(*args: Any, **kwargs: Any) -> Any:
            self.reached += 1
            for name in ASIDE:
                if name not in named:
                    kwargs.pop(name, None)
            for old, new in RENAMED.items():
                if old in kwargs and old not in named and new in named:
                    kwargs[new] = kwargs.pop(old)
            # The `rng` of iqr is a range.
            seeds = [name for name in SEEDS if name in kwargs and call.__name__ != "iqr"]
            sources = {name: kwargs.pop(name) for name in seeds}
            if keyed and isinstance(kwargs.get("options"), dict):  # of quadratic_assignment
                kwargs["options"] = dict(kwargs["options"])
                sources |= {n: kwargs["options"].pop(n) for n in SEEDS if n in kwargs["options"]}
            old = "random_state" in sources
            if "output" in named:
                kwargs, args = dict(zip(named, args, strict=False)) | kwargs, ()
            output = kwargs.get("output")
            is_array = "output" in named and self.likewise._namespace.library_of(output) is not None
            if is_array:
                kwargs["output"] = str(output.dtype).rpartition(".")[2]
                if "output_shape" in named:
                    kwargs.setdefault("output_shape", output.shape)
            given = next((v for v in sources.values() if v is not None), kept)
            if keyed and "key" not in kwargs and (sources or "rvs" not in kwargs):
                kwargs["key"] = seed_of(given, old)
            is_known = any(isinstance(v, np.ndarray) for v in (*args, *kwargs.values()))
            if self.converts and (is_engine or "namespace" in named) and not is_known:
                kwargs.setdefault("namespace", self.library)
            result = self.outwards(
                ours(*map(self.inwards, args), **{n: self.inwards(v) for n, v in kwargs.items()})
            )
            if is_array:
                return written(output, result)
            if call.__name__ in KINDS:
                return KINDS[call.__name__](result)
            if isinstance(result, Shell) and given is not None and not keyed:
                result.random_state = np.random.default_rng(given) if _whole(given) else given
            return result

        call.standing_for = ours
        call.__name__ = call.__qualname__ = getattr(ours, "__name__", type(ours).__name__)
        call.__doc__ = ours.__doc__
        if (signature := _signature(ours)) is not None:
            call.__signature__ = signature
        return call


def _draws(value: Any) -> bool:
    """Tell whether an object has methods that take a key."""
    return any(hasattr(value, name) for name in ("resample", "random", "rvs"))


def _named(ours: Any) -> Any:
    return getattr(_signature(ours), "parameters", {})


def _signature(ours: Any) -> Any:
    try:
        return inspect.signature(ours)
    except (TypeError, ValueError):
        return None


class Base:
    """Give what `super` of a distribution has: a fit by SciPy's search, of its own distribution."""

    def fit(self, *args: Any, **kwargs: Any) -> Any:
        from scipy.stats._distn_infrastructure import rv_continuous

        return rv_continuous.fit(self.theirs, *args, **kwargs)  # type: ignore[attr-defined]


class Shell(Base):
    """An object of ours, such as a distribution, that takes SciPy's arguments."""

    @property
    def fit(self) -> Any:
        return self.__getattr__("fit")

    def __init__(self, ours: Any, place: Place, theirs: Any = None) -> None:
        self.__dict__.update(ours=ours, place=place, theirs=theirs, random_state=None)

    @property
    def __class__(self) -> Any:  # for isinstance(norm, rv_continuous), or of a result
        if self.theirs is None:
            return type(self.ours)
        is_distribution = type(self.theirs).__module__.startswith("scipy.stats._")
        return type(self.theirs) if is_distribution else Shell

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        is_aside = name.startswith("_") or name == "inc"  # such as what lists of shapes read
        is_lacking = not isinstance(self.ours, type) or not hasattr(self.ours, name)
        if is_aside and self.theirs is not None and is_lacking:
            return getattr(self.theirs, name)
        self.place.reached += 1
        value = self.place.outwards(getattr(self.ours, name))
        if self.random_state is None or not hasattr(value, "standing_for"):
            return value
        return self.place.standing(value.standing_for, self.random_state)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "random_state":
            self.__dict__[name] = value
            return
        setattr(self.ours, name, self.place.inwards(value))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.place.standing(self.ours)(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self.place.outwards(tuple(self.ours)))

    def __getitem__(self, at: Any) -> Any:
        return self.place.outwards(self.ours[at])

    def __len__(self) -> int:
        return len(self.ours)

    def __repr__(self) -> str:
        return repr(self.ours)

    def __dir__(self) -> Any:
        return dir(self.ours)

    def __instancecheck__(self, other: Any) -> bool:
        return isinstance(other.ours if isinstance(other, Shell) else other, self.ours)

    def __mro_entries__(self, bases: Any) -> tuple[Any, ...]:
        return (self.ours,)


class Room(ModuleType):
    """A module of SciPy's with our names in their places."""

    def __init__(self, theirs: ModuleType, ours: ModuleType, place: Place) -> None:
        super().__init__(theirs.__name__)
        self.__dict__.update(
            _theirs=theirs,
            _ours=ours,
            _place=place,
            _made={},
            __path__=getattr(theirs, "__path__", []),
        )

    def __getattr__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Any:
        if name == "distributions":
            return self
        theirs = getattr(self._theirs, name)
        ours = getattr(self._ours, name, None)
        place = self._place
        maker = f"from_{name.removeprefix('CovVia').lower()}"
        if name.startswith("CovVia") and hasattr(self._ours.Covariance, maker):
            return place.standing(getattr(self._ours.Covariance, maker))
        if name.startswith("_") and isinstance(theirs, ModuleType):
            return Room(theirs, self._ours, place)
        if name.startswith("_") or ours is None:
            return getattr(place.likewise.errors, name, theirs)
        if isinstance(ours, ModuleType):
            return Room(theirs, ours, place)
        if isinstance(ours, type) and issubclass(ours, tuple | Warning | Exception):
            return ours
        if self._theirs.__name__.startswith("scipy.interpolate") and isinstance(ours, type):
            made = Shell(ours, place, theirs)  # whose calls are counted
            _listed(made, theirs)
            return made
        if isinstance(ours, type) and not (
            _draws(ours) or name == "Covariance" or "key" in _named(ours)
        ):
            return ours
        if inspect.isroutine(ours):
            made = place.standing(ours)
            _listed(made, theirs)
            return made
        is_distribution = not isinstance(ours, type) and not place.distributions
        return theirs if is_distribution else Shell(ours, place, theirs)


def _listed(made: Any, theirs: Any) -> None:
    """Enter what stands in SciPy's place into its table of what runs where."""
    table = importlib.import_module("scipy._lib._array_api").xp_capabilities_table
    if theirs in table:
        # What SciPy has for NumPy alone, ours has for all.
        limits = {"np_only": False, "cpu_only": False}
        table[made] = table[theirs] | limits | {"skip_backends": [], "xfail_backends": []}


class Plugin(Recorder):
    """Puts ours in SciPy's place while pytest imports tests, and notes which tests reach it."""

    def __init__(self, library: str, file: str, limit: float) -> None:
        super().__init__(limit)
        self.place = Place(library, file)
        self.package = package_of(file)
        self.without = tomllib.loads(REASONS.read_text())["without"]
        self.counts: dict[str, int] = {}
        self.why: dict[str, str] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, Any, Any]:
        """Import tests with our rooms in SciPy's place, and give them our classes of warnings."""
        package = f"scipy.{self.package}"
        theirs = importlib.import_module(package)
        room = Room(theirs, importlib.import_module(f"likewise.{self.package}"), self.place)
        rooms = {package: room}
        for name in PACKAGES[self.package]:
            ours = importlib.import_module(f"likewise.{self.package}.{name}")
            inside = Room(importlib.import_module(f"{package}.{name}"), ours, self.place)
            setattr(room, name, inside)
            rooms[f"{package}.{name}"] = inside
        above, _, last = package.rpartition(".")
        parent = importlib.import_module(above)
        real = {name: sys.modules[name] for name in rooms}
        sys.modules |= rooms
        setattr(parent, last, room)
        try:
            return (yield)
        finally:
            sys.modules |= real
            setattr(parent, last, theirs)
            for name, module in list(sys.modules.items()):
                if name.startswith(f"{package}.") and ".tests." in name:
                    self.rebind(module, list(rooms.values()))

    def rebind(self, module: ModuleType, rooms: list[Room]) -> None:
        """Put ours where a test file imported a name from a private file of SciPy's."""
        room = rooms[0]
        if vars(module).get("scipy") is not None:
            module.scipy = ModuleType("scipy")
            module.scipy.__dict__.update({self.package: room, "__path__": []})
            module.scipy.__getattr__ = lambda name: getattr(importlib.import_module("scipy"), name)
        errors = self.place.likewise.errors
        for name, value in list(vars(module).items()):
            if name in self.without:
                setattr(module, name, lambda *args, **kwargs: None)
            if name == "check_rvs_broadcast":
                setattr(module, name, functools.partial(_check_shape, value))
            is_raised = isinstance(value, type) and issubclass(value, Warning | Exception)
            if is_raised and hasattr(errors, name):
                setattr(module, name, getattr(errors, name))
            if isinstance(value, type) and isinstance(getattr(room._ours, name, None), type):
                counts = self.package == "interpolate"
                setattr(module, name, getattr(room if counts else room._ours, name))
            if isinstance(value, ModuleType) and value.__name__.startswith("scipy.interpolate._"):
                setattr(module, name, Room(value, room._ours, self.place))
            if name == "OptimizeResult":
                ours = self.place.likewise.solving._result.Readable
                setattr(module, name, _of_both(value, ours))
            for inside in rooms:
                if callable(value) and getattr(inside._theirs, name, None) is value:
                    setattr(module, name, getattr(inside, name))

    def pytest_runtest_setup(self, item: Any) -> None:
        """Begin to count calls; tests for NumPy are converted on other libraries."""
        self.place.reached = 0
        self.place.converts = self.place.library != "numpy" and "xp" not in item.fixturenames

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, Any]:
        """Note how often ours was called, and what was raised."""
        report = yield
        self.counts[item.nodeid] = self.place.reached
        if report.failed and call.excinfo is not None:
            text = str(call.excinfo.value).strip().replace("\n", " ")
            at = [e for e in call.excinfo.traceback if "/tests/" in str(e.path)]
            line = f"{at[-1].path.name}:{at[-1].lineno + 1}: " if at else ""
            self.why[item.nodeid] = f"{line}{call.excinfo.typename}: {text[:400]}"
        return report


def _check_shape(check: Any, *args: Any) -> None:
    """Check a broadcast shape of draws: one at a time, ours have keys of their own."""
    names = list(inspect.signature(check).parameters)
    check(**dict(zip(names, args, strict=True)) | {"shape_only": True})


class Words(str):
    """Hold what an error or a result says, in which any words are found: ours aren't SciPy's."""

    __hash__ = str.__hash__

    def __contains__(self, words: object) -> bool:
        return True

    def __eq__(self, words: object) -> bool:
        return isinstance(words, str)

    def startswith(self, *words: object) -> bool:  # type: ignore[override]
        return True

    def __getitem__(self, at: Any) -> Any:
        return Words(str(self)[at])


class Raised:
    """Stand for what pytest tells of an error, or for the error, whose words aren't compared."""

    def __init__(self, told: Any) -> None:
        self.told = told

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.told, name)
        return Raised(found) if name == "value" else found

    def __str__(self) -> str:
        return Words(self.told)

    def __enter__(self) -> Any:
        return Raised(self.told.__enter__())

    def __exit__(self, *error: Any) -> Any:
        return self.told.__exit__(*error)


def record(library: str, file: str, arguments: list[str], out: str, limit: float) -> int:
    """Run pytest in this process, and write what came out to a file."""
    raises, warns = pytest.raises, pytest.warns
    pytest.raises = lambda *a, match=None, **k: Raised(raises(*a, **k))
    pytest.warns = lambda *a, match=None, **k: warns(*a, **k)
    warnings.simplefilter("default")
    plugin = Plugin(library, file, limit)
    status = int(pytest.main(arguments, plugins=[plugin]))
    Path(out).write_text(
        json.dumps({"outcomes": plugin.outcomes, "counts": plugin.counts, "why": plugin.why})
    )
    return status


def run(file: str, library: str, arguments: list[str], limit: float) -> dict[str, Any]:
    """Run a file in a process of its own: each test that reached ours, with its outcome."""
    CACHE.mkdir(parents=True, exist_ok=True)
    out = CACHE / f"{file}-{library}.json"
    out.unlink(missing_ok=True)
    namespace = NAMESPACES[library]
    environment = {n: v for n, v in os.environ.items() if n != "SCIPY_ARRAY_API"}
    if namespace:
        environment["SCIPY_ARRAY_API"] = json.dumps([namespace])
    environment |= {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "agg",
    }
    inner = "._isolve" if file in OF_OPERATORS and file != "interface" else ""
    command = [
        *(sys.executable, __file__, "--record", library, "--file", file, "--out", str(out)),
        *("--limit", str(limit), "--"),
        *("-c", os.devnull, "--rootdir", str(CACHE), "-p", "no:cacheprovider"),
        *("-p", "no:likewise.testing.plugin", "-q", "--tb=short", "--disable-warnings"),
        *("--pyargs", f"scipy.{package_of(file)}{inner}.tests.test_{file}"),
        *arguments,
    ]
    with out.with_suffix(".log").open("w") as log:
        subprocess.run(command, cwd=CACHE, env=environment, stdout=log, stderr=log, check=False)
    if not out.exists():
        raise SystemExit(f"scipy-tests: {file} did not run to its end: {out.with_suffix('.log')}")
    return json.loads(out.read_text())


def short(test: str) -> str:
    """Return 'TestSkew::test_empty[1]' for a test's whole name, which also names a library."""
    name = test.partition("::")[2]
    name = re.sub(r"(?<=[\[-])(numpy|torch|array_api_strict)(-|(?=\]))", "", name)
    return name.replace("-]", "]").removesuffix("[]")


def judged(
    outcomes: dict[str, str],
    why: dict[str, str],
    listed: dict[str, list[str]],
    words: dict[str, str],
) -> tuple[Counter[str], list[str], set[str]]:
    """Return the failures by reason, those without one, and the entries that a failure has.

    A reason is for what an error says (`words`, expressions), or for a test, all of its
    parameters, or its class (`listed`, by reason).
    """
    reasons: Counter[str] = Counter()
    without, used = [], set()
    for test, outcome in outcomes.items():
        if outcome != "failed":
            continue
        name, text = short(test), why.get(test, "")
        said = [reason for pattern, reason in words.items() if re.search(pattern, text)]
        entries = {
            entry: reason
            for reason, tests in listed.items()
            for entry in tests
            if name == entry or name.startswith((f"{entry}[", f"{entry}::"))
        }
        used |= entries.keys()
        if entries or said:
            reasons[[*entries.values(), *said][0]] += 1
        else:
            without.append(f"{name}: {text}")
    return reasons, without, used


def main() -> int:
    """Run, print, and say how it went."""
    parser = argparse.ArgumentParser(prog="ci/scipy-tests", allow_abbrev=False)
    parser.add_argument("files", nargs="*", metavar="FILE", help=" ".join(EVERY))
    parser.add_argument("--libraries", default="numpy,strict,torch")
    parser.add_argument("-k", help="only these tests")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds a test may take")
    parser.add_argument("--last", action="store_true", help="what the last run of each found")
    parser.add_argument("--record", help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record:
        return record(options.record, options.file, options.files, options.out, options.limit)
    arguments = ["-k", options.k] if options.k else []
    table = tomllib.loads(REASONS.read_text())
    libraries = options.libraries.split(",")
    wrong: list[str] = []
    every: dict[str, Counter[str]] = {library: Counter() for library in libraries}
    print(f"| file | {' | '.join(libraries)} |\n|---{'|--:' * len(libraries)}|")
    for file in options.files or EVERY:
        cells, listed, used, ran = [], table.get(file, {}), set(), set()
        for library in libraries:
            found = (
                last(file, library)
                if options.last
                else run(file, library, arguments, options.limit)
            )
            if found is None:
                cells.append("not run")
                continue
            ours = {t: o for t, o in found["outcomes"].items() if found["counts"].get(t)}
            counts = Counter(o for o in ours.values() if o != "skipped")
            cells.append(f"{counts['passed']} / {counts.total()}")
            reasons, without, entries = judged(ours, found["why"], listed, table["words"])
            every[library] += reasons
            used |= entries
            ran.add(library)
            wrong += [f"{file}, {library}: {test}" for test in without]
        print(f"| `{file}` | {' | '.join(cells)} |", flush=True)
        if len(ran) == len(NAMESPACES) and not arguments:
            stale = {entry for tests in listed.values() for entry in tests} - used
            wrong += [f"{file}: {entry} passes; remove its reason" for entry in sorted(stale)]
    print(f"\n| reason | {' | '.join(libraries)} |\n|---{'|--:' * len(libraries)}|")
    for reason, _ in sum(every.values(), Counter()).most_common():
        print(f"| {reason} | {' | '.join(str(every[n][reason]) for n in libraries)} |")
    print(*wrong, sep="\n")
    return bool(wrong)


def last(file: str, library: str) -> dict[str, Any] | None:
    """Return what the last run of a file found, None if there was none."""
    out = CACHE / f"{file}-{library}.json"
    return json.loads(out.read_text()) if out.exists() else None


if __name__ == "__main__":
    sys.exit(main())
