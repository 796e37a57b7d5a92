"""What holds of the package as a whole: what imports what, what is public, what is documented."""

import ast
import functools
import graphlib
import inspect
import re
import subprocess
import sys
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likewise
from likewise._default import KNOWN
from likewise._namespace import installed

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "likewise"
FILES = sorted(p.relative_to(SOURCE).as_posix() for p in SOURCE.rglob("*.py"))
ROOMS = [n for n in likewise.__all__ if isinstance(getattr(likewise, n), types.ModuleType)]
# What may import an array library is said once, in pyproject.toml.
(ALONE,) = (
    contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    if contract["name"] == "An array library is imported in its own folder only"
)
WATCHED = ALONE["forbidden_modules"]
# Which folder of _libs may import what, besides NumPy.
LIBS = {
    name: {line.rpartition(" ")[2] for line in ALONE["ignore_imports"] if f"_libs.{name}." in line}
    for name in KNOWN
}
HERE = [name for name, known in KNOWN.items() if known.host and installed(name)]
# What a program that uses one library may import of those.
OWN = {name: {"numpy", *LIBS[name]} for name in HERE}
for _name in ("jax", "dask"):  # jaxlib has LAPACK from SciPy; dask.array imports it where it is
    OWN.get(_name, set()).add("scipy")
# Which file or folder may import what of importlib.
LOAD_BY_NAME: dict[str, tuple[str, ...]] = {
    "__init__.py": ("importlib",),
    "_namespace.py": ("importlib", "importlib.util"),
    "_native.py": ("importlib",),
    "_providers.py": ("importlib",),
    "_rooms.py": ("importlib",),
    "_capabilities.py": ("importlib.resources",),
    "_info.py": ("importlib.metadata",),
    "chunks/_fingerprint.py": ("importlib.machinery", "importlib.util"),  # finds, loads nothing
    "demo": ("importlib.resources",),
    "testing": ("importlib", "importlib.metadata"),
    "optimize/_minimize/_methods/__init__.py": ("importlib",),  # every file of it is a method
}
# For people, not for programs; for the solvers of all families; of one name that is above.
NOT_A_ROOM = {"chunks", "cli", "demo", "progress", "solving"}
NOT_MIRRORED = {
    "optimize/test_compiled_once.py",  # of all solvers
    "optimize/_minimize/test_collection.py",  # of all methods with constraints
    "optimize/_minimize/test_constrained_fuzz.py",  # of these, too
    "optimize/test_faults.py",  # of all solvers
    "solving/test_interruption.py",  # Ctrl-C, in all solvers with statuses
    "test_checklist.py",  # of all functions
    "test_embedding.py",  # of libraries that are written on likewise
    "test_surface.py",
    "ci/test_capabilities.py",
    "ci/test_downstream.py",
    "ci/test_listed.py",
    "ci/test_mutants.py",
    "special/test_orders.py",  # of functions in several files
    "special/test_boxes.py",  # of all rows with a box
    "special/test_scalars.py",  # of all special functions
    "special/test_compiled.py",  # of all special functions
    "capabilities/test_alone.py",  # of all functions
    "capabilities/test_compiled.py",  # of all functions
    "capabilities/test_derivatives.py",  # of all functions
    "capabilities/test_every_function.py",  # of all functions
    "capabilities/test_in_blocks.py",  # of all functions with a batch
    "sharded/test_shard_map.py",  # run in a process with several devices
    "sharded/test_spread.py",
    "simulated/test_every_function.py",  # of all functions
    "simulated/test_stand_ins.py",  # of what stands in for a GPU
    "test_contracts.py",
    "test_docs.py",
    "ci/test_scipy_tests.py",  # of a script
    "ndimage/test_results.py",  # of functions of all rooms
    "stats/test_as_scipy.py",  # of all functions
    "stats/test_omitted.py",  # of all functions with nan_policy
    "stats/test_values.py",  # of functions whose other tests walk tables
    "stats/_correlating/test_against_scipy.py",  # of all correlations
    "stats/_distributions/test_accuracy.py",  # of all rows
    "stats/_distributions/test_extremes.py",
    "stats/_distributions/test_far_out.py",
    "stats/_distributions/test_moments.py",
    "stats/_distributions/test_rows.py",
    "stats/_hypotheses/test_ranks.py",  # of all tests by ranks
    "stats/_hypotheses/test_uniform.py",  # p-values of all tests by ranks
    "stats/_multivariate/test_distributions.py",  # of all of them
    "stats/_multivariate/test_draws.py",
    "stats/contingency/test_values.py",
    "stats/qmc/test_sequences.py",  # of all engines
    "missing/test_scalars.py",  # of what has no dimensions, in all of its files
    "missing/test_promotion.py",  # one rule of dtypes, in all of its files
    "missing/test_refusals.py",  # what all of its files refuse
    "linalg/test_rows.py",  # the same of its
    "special/test_accuracy.py",  # of all special functions
    "special/test_derivatives.py",  # of all special functions
    "special/test_extremes.py",  # of all special functions
    "missing/test_rows.py",  # the routines of _libs/*/_natives, for several of its files
    "optimize/_curve_fit/test_foreign.py",  # models that leave the standard
    "optimize/_curve_fit/test_curve_fit_options.py",  # of a long file's function
    "optimize/_curve_fit/test_workloads.py",  # what people run, through curve_fit
    # Of the interpreter, by what is promised rather than by file.
    "transforms/test_associative_scan.py",
    "transforms/test_foreign.py",
    "transforms/test_indexing.py",
    "transforms/test_kinks.py",
    "transforms/test_linalg_rules.py",
    "transforms/test_torch_native.py",
}


def run(code: str) -> str:
    """What a program prints in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


SHOW = f"\nimport sys; print(*[name for name in {WATCHED} if name in sys.modules])"


# -- importing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    ["import likewise", *(f"import likewise.{room}" for room in ROOMS), "import likewise.cli"],
)
def test_importing_loads_no_array_library(code: str) -> None:
    assert run(code + SHOW) == ""


def test_names_load_no_array_library() -> None:
    assert run("import likewise\nfor n in likewise.__all__: getattr(likewise, n)" + SHOW) == ""


def test_subpackages_load_on_first_use() -> None:
    code = (
        "import likewise, sys\n"
        "print(*(n for n in sys.modules if n.startswith('likewise.')))\n"
        "likewise.signal\n"
        "print('likewise.signal' in sys.modules, 'likewise.optimize' in sys.modules)"
    )
    assert run(code) == "True False"


NAMESPACE = {"_default", "_library", "_namespace", "_standard", "errors"}
UNLOADED = {"asyncio", "dataclasses", "inspect", "logging", "typing"}  # besides the peer's own


@pytest.mark.parametrize(
    ("use", "files"),
    [
        ("", set()),
        ("likewise.array_namespace", NAMESPACE),
        ("likewise.xp", {*NAMESPACE, "_creation"}),
    ],
)
def test_importing_loads_few_files(use: str, files: set[str]) -> None:
    """What they cost is measured by ci/bench --only overheads."""
    code = (
        "import array_api_compat, sys; before = set(sys.modules)\n"
        f"import likewise; {use}\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = run(code).split()
    assert {n.removeprefix("likewise.") for n in loaded if n.startswith("likewise.")} <= files
    assert not {n.partition(".")[0] for n in loaded} & UNLOADED


@pytest.mark.parametrize("name", HERE)
def test_using_one_library_imports_no_other(name: str) -> None:
    found = run(
        f"""
import likewise
from likewise.signal import fftconvolve
from likewise.optimize import curve_fit
xp = likewise.namespace({name!r})
t = xp.linspace(0.0, 1.0, 20, dtype=xp.float32)
z = fftconvolve(t, t)
p = curve_fit(lambda t, a, b: a * t + b, t, 2 * t + 1, p0=[1.0, 1.0])[0]
assert likewise.library(z) == likewise.library(p) == {name!r}
assert abs(float(likewise.to_numpy(p)[0]) - 2) < 1e-3
likewise.info({name!r}), likewise.device(z), likewise.is_lazy(z), likewise.result_type(z, 1.5)
"""
        + SHOW
    )
    assert set(found.split()) <= OWN[name]


# -- what the source may say -----------------------------------------------------------------------


@functools.cache
def nodes(path: Path) -> tuple[Any, ...]:
    """Imports and calls by name of a file, which is parsed once for all tests here."""
    walked = ast.walk(ast.parse(path.read_text()))
    return tuple(n for n in walked if isinstance(n, ast.Import | ast.ImportFrom | ast.Call))


@functools.cache
def imported(path: str) -> frozenset[str]:
    """Every module that a file imports, inside functions and for type checkers included."""
    found: set[str] = set()
    for node in nodes(SOURCE / path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(found)


def test_array_libraries_are_imported_in_their_own_file_only() -> None:
    strange = {}
    for path in FILES:
        room, _, rest = path.partition("/")
        own = LIBS.get(rest.partition("/")[0], set())
        allowed = {"numpy", *own} if room == "_libs" and "/" in rest else set()
        if path.startswith("testing/"):  # compares with NumPy
            allowed = {"numpy"}
        roots = {name.partition(".")[0] for name in imported(path)}
        strange[path] = roots & set(WATCHED) - allowed
    assert {path: roots for path, roots in strange.items() if roots} == {}


def test_libraries_are_not_asked_by_string() -> None:
    """What can be asked is a method of `Library`; hasattr and getattr would hide a new question."""
    asked = []
    for path in FILES:
        for node in nodes(SOURCE / path):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("getattr", "hasattr"):
                first = ast.unparse(node.args[0])
                if first == "library" or first.startswith(("library_of(", "hooks_of(", "load(")):
                    asked.append(f"{path}:{node.lineno}")
    assert asked == []


def test_solvers_ask_nothing_of_the_library_they_run_on() -> None:
    """What depends on it is asked below, in `transforms` and `_plan`."""
    asking = ("likewise._libs", "_namespace.library_of", "_namespace.hooks_of", "_library.Library")
    found = [
        f"{path}: {node.module}.{alias.name}"
        for path in FILES
        if path.startswith("optimize/")
        for node in nodes(SOURCE / path)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}".endswith(asking) or "_libs" in (node.module or "")
    ]
    assert found == []


def test_imports_by_name() -> None:
    """import-linter can't see them, so they are kept to the files that load by name."""
    strange = {}
    for path in FILES:
        allowed = LOAD_BY_NAME.get(path, LOAD_BY_NAME.get(path.partition("/")[0], ()))
        names = {n for n in imported(path) if n.partition(".")[0] == "importlib"}
        text = (SOURCE / path).read_text()
        words = set(re.findall(r"\b(__import__|exec|eval)\b", text))
        strange[path] = {n for n in names if not n.startswith(allowed)} | words
    found = {path: names for path, names in strange.items() if names}
    assert found == {
        "chunks/_fingerprint.py": {"exec"},  # a mode of compile: what it compiles isn't run
        "transforms/_recordings/_program.py": {"exec"},  # of its own text
    }


def test_layers() -> None:
    """import-linter's contracts in pyproject.toml, which are the table of the architecture page."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    options = ["--config", "pyproject.toml", "--cache-dir", ".cache/import_linter"]
    done = subprocess.run(
        [sys.executable, "-c", code, *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b[1-9]\d* kept, 0 broken", done.stdout)


def modules_imported(path: str) -> set[str]:
    """The files of likewise that a file imports, anywhere in it and for type checkers too."""
    above = list(Path("likewise", path).parent.parts)
    found = set()
    for node in ast.walk(ast.parse((SOURCE / path).read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            room = above[: len(above) + 1 - node.level] if node.level else []
            place = ".".join([*room, *filter(None, [node.module])])
            names = [f"{place}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:  # a module, or what is in one
            tries = (MODULES.get(name), MODULES.get(name.rpartition(".")[0]))
            found.add(next(filter(None, tries), path))
    return found - {path}


MODULES = {
    ".".join(Path("likewise", p).with_suffix("").parts).removesuffix(".__init__"): p for p in FILES
}


def test_no_circle_of_imports() -> None:
    imports = {path: modules_imported(path) for path in FILES}
    assert sum(map(len, imports.values())) > 2 * len(FILES)
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError, which names the files


# -- what is public --------------------------------------------------------------------------------


def public_names(module: Any) -> set[str]:
    """Functions, classes and objects of likewise in a module: in a file, those made there."""
    package = hasattr(module, "__path__")
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not isinstance(value, types.ModuleType)
        and getattr(value, "__module__", "").startswith("likewise" if package else module.__name__)
    }


@pytest.mark.parametrize("room", ROOMS)
def test_all_is_what_is_public(room: str) -> None:
    module = getattr(likewise, room)
    for name in module.__all__:
        getattr(module, name)  # some rooms load their names on first use
    assert list(module.__all__) == sorted(module.__all__)
    assert set(module.__all__) == public_names(module)


def test_all_of_the_package() -> None:
    names = {name: getattr(likewise, name) for name in likewise.__all__}
    assert likewise.__all__ == sorted(likewise.__all__)
    assert set(likewise.__all__) == public_names(likewise) | {*ROOMS, "__version__"}
    assert dir(likewise) == likewise.__all__
    assert None not in names.values()


def test_every_room_is_public() -> None:
    children = {
        p.stem for p in SOURCE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()
    }
    assert {n for n in children if not n.startswith("_")} - NOT_A_ROOM == set(ROOMS)


def test_no_such_name() -> None:
    with pytest.raises(AttributeError, match="module 'likewise' has no attribute 'fftconvolve'"):
        likewise.fftconvolve
    with pytest.raises(ImportError):
        exec("from likewise.xp import zeros", {})


# -- documentation ---------------------------------------------------------------------------------

PUBLIC = {
    f"{room}.{name}".lstrip("."): getattr(getattr(likewise, room) if room else likewise, name)
    for room in ("", *ROOMS)
    for name in (getattr(likewise, room) if room else likewise).__all__
}
CALLABLE = {n: f for n, f in PUBLIC.items() if inspect.isfunction(f) or f is likewise.use}
CLASSES = {n: c for n, c in PUBLIC.items() if inspect.isclass(c)}


@functools.cache
def sections(func: Any) -> dict[str, str]:
    """The sections of a docstring in numpydoc's form; the beginning is ''."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.getdoc(func) or "", flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def documented_parameters(func: Any) -> list[str]:
    """The names at the left margin of the section, without their stars."""
    heads = re.findall(r"^([\w*][^:\n]*?)(?: :.*)?$", sections(func).get("Parameters", ""), re.M)
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


def test_classes_are_documented() -> None:
    own = {name: (c.__dict__.get("__doc__") or "").strip() for name, c in CLASSES.items()}
    assert [name for name, doc in own.items() if not re.match(r"\w.*\.(\n|$)", doc)] == []


def test_functions_begin_with_a_sentence() -> None:
    heads = {name: sections(f)[""] for name, f in CALLABLE.items()}
    assert [name for name, h in heads.items() if not re.match(r"[A-Z].*\.(\n\n|$)", h)] == []


def test_parameters_are_documented() -> None:
    """All of them, in their order, and no others."""
    for name, f in CALLABLE.items():
        assert documented_parameters(f) == list(inspect.signature(f).parameters), name


def test_results_are_documented() -> None:
    for name, f in CALLABLE.items():
        nothing = inspect.signature(f).return_annotation in (None, Iterator[None])
        found = {"Returns", "Yields"} & set(sections(f))
        assert len(found) == (0 if nothing or inspect.isclass(f) else 1), name


def test_functions_have_examples() -> None:
    examples = {name: sections(f).get("Examples", "") for name, f in CALLABLE.items()}
    without = [n for n, e in examples.items() if ">>> " not in e or n.rpartition(".")[2] not in e]
    assert without == []


# -- tests -----------------------------------------------------------------------------------------


def test_docstrings_say_what_is_done() -> None:
    """They begin with a verb or a name; "What a call came to" leaves the reader to guess."""
    vague = {"As", "Of", "What", "Whether", "Which", "Whose"}
    begun = re.compile(rf"""["'](\\?\s)*({"|".join(vague)})\b""")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [
        f"{path.relative_to(ROOT)}: {doc.partition(chr(10))[0]}"
        for folder in ("src", "ci", "docs")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if begun.search(text := path.read_text())  # few are worth parsing
        for node in ast.walk(ast.parse(text))
        if isinstance(node, documented)
        and (doc := ast.get_docstring(node, clean=False) or "")
        and doc.split()[0] in vague
    ]
    assert not found


def test_tests_mirror_the_tree() -> None:
    tests = ROOT / "tests"
    strange = []
    for path in tests.rglob("test_*.py"):
        place = path.relative_to(tests)
        if place.parts[0] == "fuzz":  # of families, not of files
            continue
        stem = place.stem.removeprefix("test_")
        if place.parts[0] == "examples" and (ROOT / "docs" / "examples" / stem).is_dir():
            continue
        names = (f"{stem}.py", f"_{stem}.py", stem, f"_{stem}")
        if not any((SOURCE / place.parent / n).exists() for n in names):
            strange.append(place.as_posix())
    assert set(strange) == NOT_MIRRORED


@pytest.mark.parametrize("room", [r for r in ROOMS if (SOURCE / r).is_dir()])
def test_every_room_has_tests(room: str) -> None:
    assert list((ROOT / "tests" / room).rglob("test_*.py"))


def test_skips_are_in_the_registry_only() -> None:
    skip = re.compile(r"\bpytest\.(mark\.)?(skip|skipif|xfail|importorskip)\b")
    tests = sorted((ROOT / "tests").rglob("*.py"))
    found = {p.name for p in tests if skip.search(p.read_text())}
    assert found == {"conftest.py"}


@pytest.mark.parametrize(
    "call",
    [
        lambda: likewise.signal.normalize([0.0, 0.0, 1.0], [1.0, 2.0, 3.0]),
        lambda: likewise.signal.medfilt(np.ones(3), 5),
        lambda: likewise.signal.group_delay(([1.0, -1.0], [1.0])),
        lambda: likewise.optimize.fsolve(lambda x: x * x + 1.0, np.ones(1)),
        lambda: likewise.optimize.fmin(likewise.optimize.rosen, np.zeros(2), maxiter=2),
        lambda: likewise.optimize.curve_fit(lambda t, a: 0 * a * t, np.ones(3), np.ones(3), [1.0]),
    ],
    ids=["normalize", "medfilt", "group_delay", "fsolve", "fmin", "curve_fit"],
)
def test_warnings_point_at_the_users_line(call: Any) -> None:
    with pytest.warns(Warning) as told:
        call()
    assert {w.filename for w in told} == {__file__}
