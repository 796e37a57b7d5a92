"""Planted defects: which of them the tests catch.

    ci/mutants                            # 300 in all packages; about two hours on one core
    ci/mutants --resume --only missing    # goes on where it was stopped, in one package
    ci/mutants --resume --again survived  # after tests were added: judges those once more
    ci/mutants --list                     # says what it would plant

A defect is one place of the source changed: a comparison, an arithmetic operator, a small
integer, a bool, or a ``not`` taken away. Which places is drawn from a hash of the file, the line
and the change, so that an edit elsewhere moves no other. Docstrings, messages of errors,
annotations and what only a type checker reads are left alone.

Each is planted in a copy of the tree and judged by the tests of its own file (tests mirror the
tree), else by those of the files that import it, else by those of its folder: on NumPy first, then
on array-api-strict and torch, the quick ones first, up to the first failure. Of those tests only
the ones run that execute the statement: a clean run of each file of tests, with probes in the
source, says which; where none is seen to, those run that start processes. What takes several times
the processor time of the clean run counts as caught. A process that has imported the libraries
forks for each, which beats starting Python 300 times.

What was found goes to build/mutants.jsonl, a line each. Survivors that change nothing are named in
ci/mutants_equivalent.txt, with the reason. The exit status is 1 if less than --at-least are caught.
"""

import argparse
import ast
import builtins
import functools
import hashlib
import importlib
import io
import itertools
import json
import os
import re
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
EQUIVALENT = ROOT / "ci" / "mutants_equivalent.txt"
STATE = ROOT / "build" / "mutants.jsonl"
COPIED = ("src", "tests", "ci", "docs", "pyproject.toml", "README.md", "array_api_tests_config")
LEAST = 5  # a package
LANES = ("numpy", "strict-minimal", "torch")
# What another library executes is judged there.
LANES_OF = {
    "_libs/dask/": ("dask",),
    "_libs/jax/": ("jax", "jax-jit"),
    "_libs/numpy/": ("numpy",),
    "_libs/strict/": ("strict", "strict-minimal"),
    "_libs/torch/": ("torch", "torch-float64"),
    "solving/_blocks.py": ("dask",),
}
NOT_RUN = {
    "_libs/cupy/_library.py": "needs a GPU",
    "_libs/cupy/_natives.py": "needs a GPU",
    "__main__.py": "a process of its own",
}
# Files, and folders of them, whose tests neither their name nor an import of their folder tells.
TESTS = {
    "_default.py": ["tests/test_creation.py"],
    "_dtypes.py": ["tests/test_creation.py", "tests/test_namespace.py"],
    "_library.py": ["tests/test_creation.py", "tests/test_info.py", "tests/test_interop.py"],
    "_plan.py": ["tests/missing/test_indexing.py", "tests/missing/test_structure.py"],
    "_libs/jax/_jit.py": ["tests/_libs/jax/test_jit.py", "tests/transforms/test_jit.py"],
    "_libs/jax/_refusals.py": ["tests/transforms/test_through.py"],
    "_libs/jax/_natives.py": [
        "tests/_libs/jax/test_natives.py",
        "tests/linalg/test_rows.py",
        "tests/missing/test_rows.py",
    ],
    "_libs/jax/_repairs.py": [
        "tests/_libs/jax/test_library.py",
        "tests/_libs/test_special_values.py",
    ],
    "_libs/numpy/_library.py": [
        "tests/test_namespace.py",
        "tests/test_info.py",
        "tests/test_interop.py",
    ],
    "_libs/numpy/_lapack.py": ["tests/test_native.py", "tests/linalg"],
    "_libs/numpy/_natives.py": ["tests/linalg/test_rows.py", "tests/missing"],
    "_libs/strict/_library.py": [
        "tests/test_namespace.py",
        "tests/test_info.py",
        "tests/test_interop.py",
    ],
    "_libs/torch/_library.py": ["tests/_libs/torch/test_repairs.py", "tests/test_namespace.py"],
    "_libs/torch/_natives.py": ["tests/linalg/test_rows.py", "tests/missing"],
    "optimize/_minimize/_methods/": ["tests/optimize/_minimize"],
    "optimize/_minimize/_descent.py": ["tests/optimize/_minimize/test_minimize.py"],
    "optimize/_minimize/_method.py": ["tests/optimize/_minimize/test_minimize.py"],
    "optimize/_minimize/_objective.py": ["tests/optimize/_minimize/test_minimize.py"],
    "solving/_driver.py": [
        "tests/solving/test_driver.py",
        "tests/optimize/_scalar/test_root_scalar.py",
    ],
    "optimize/_steps/_normal_equations.py": ["tests/optimize/_curve_fit/test_curve_fit.py"],
    "solving/_blocks.py": ["tests/optimize/_scalar/test_root_scalar.py"],
    "transforms/_loops.py": ["tests/transforms/test_loops.py", "tests/transforms/test_scans.py"],
    "_libs/dask/_natives.py": ["tests/missing/test_segments.py"],
    "_libs/dask/_library.py": ["tests/_libs/dask", "tests/test_namespace.py"],
}
OPERATORS = {
    old: tuple(new.split(","))
    for old, new in (
        row.split(": ")
        for row in (
            "<: <=,>; <=: <,>=; >: >=,<; >=: >,<=; ==: !=; !=: ==; is: is not; is not: is; "
            "in: not in; not in: in; +: -; -: +; *: /,+; /: *; //: *; %: *; **: *; @: *; "
            "&: |; |: &; <<: >>; >>: <<; +=: -=; -=: +=; *=: /=; /=: *="
        ).split("; ")
    )
}
SMALL = 10  # integers up to here
HEAVY = (
    *("array_api_compat.numpy", "array_api_compat.torch", "array_api_extra", "array_api_strict"),
    *("hypothesis", "opt_einsum", "pytest", "scipy.optimize", "scipy.signal", "scipy.stats"),
)


@dataclass(frozen=True)
class Mutant:
    """A change of one place: the columns ``start`` to ``end`` of a line become ``new``."""

    file: str  # below src/likewise
    line: int
    start: int
    end: int
    text: str  # the whole line
    new: str
    again: int  # how many like it come before in the file

    @property
    def mutated(self) -> str:
        return self.text[: self.start] + self.new + self.text[self.end :]

    @property
    def key(self) -> str:
        """Names it as long as its line stays as it is, wherever that moves."""
        words = f"{self.file}\n{self.text}\n{self.mutated}\n{self.again}"
        return hashlib.sha256(words.encode()).hexdigest()[:16]

    @property
    def package(self) -> str:
        return self.file.partition("/")[0] if "/" in self.file else "top level"

    def apply(self, source: str) -> str:
        lines = source.splitlines(keepends=True)
        ending = lines[self.line - 1][len(self.text) :]
        lines[self.line - 1] = self.mutated + ending
        return "".join(lines)


# -- where a defect can be planted -----------------------------------------------------------------


def mutants(file: str, source: str) -> list[Mutant]:
    """Every change of one place that can be planted in a file."""
    lines = source.splitlines()
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    found, before = [], Counter[tuple[str, str]]()
    places = {place for node in _executed(ast.parse(source)) for place in _places(node, tokens)}
    for line, start, end, new in sorted(places):
        text = lines[line - 1]
        if not text.isascii():  # ast counts bytes
            continue
        sort = (text, text[:start] + new + text[end:])
        found.append(Mutant(file, line, start, end, text, new, before[sort]))
        before[sort] += 1
    return found


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it, without annotations, messages, and what type checkers read."""
    if isinstance(node, ast.Raise | ast.JoinedStr) or _for_reading(node):
        return
    yield node
    skipped = {"annotation", "returns", "type_params"}
    for name, value in ast.iter_fields(node):
        if name not in skipped:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _executed(child)


def _for_reading(node: ast.AST) -> bool:
    """Tell whether a statement or call is there for people and type checkers alone."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Call(func=ast.Attribute(attr="warn") | ast.Name(id="TypeVar" | "cast")):
            return True
        case ast.FunctionDef(decorator_list=decorators):
            return any(isinstance(d, ast.Name) and d.id == "overload" for d in decorators)
    return False


def _places(node: ast.AST, tokens: list[tokenize.TokenInfo]) -> Iterator[tuple[int, int, int, str]]:
    """Line, columns and new text of each change of a node."""
    match node:
        case ast.Compare():
            for left, right in itertools.pairwise([node.left, *node.comparators]):
                yield from _operator(left, right, tokens)
        case ast.BinOp() if not (_is_text(node.left) or _is_text(node.right)):
            yield from _operator(node.left, node.right, tokens)
        case ast.AugAssign():
            yield from _operator(node.target, node.value, tokens)
        case ast.UnaryOp(op=ast.Not()):
            token = next(t for t in tokens if t.start == (node.lineno, node.col_offset))
            width = 4 if token.line[token.end[1] :].startswith(" ") else 3
            yield node.lineno, node.col_offset, node.col_offset + width, ""
        case ast.Constant(value=bool() as value):
            yield node.lineno, node.col_offset, node.end_col_offset or 0, str(not value)
        case ast.Constant(value=int() as value) if value <= SMALL:
            for other in (value + 1, value - 1) if value > 0 else (1,):
                yield node.lineno, node.col_offset, node.end_col_offset or 0, str(other)


def _operator(
    left: ast.AST, right: ast.AST, tokens: list[tokenize.TokenInfo]
) -> Iterator[tuple[int, int, int, str]]:
    """The changes of the operator between two operands."""
    begin, finish = (left.end_lineno, left.end_col_offset), (right.lineno, right.col_offset)
    between = [
        t for t in tokens if begin <= t.start < finish and t.string in {*OPERATORS, "not", "is"}
    ]
    if between and between[0].start[0] == between[-1].end[0]:
        first, last = between[0], between[-1]
        text = " ".join(t.string for t in between)
        for other in OPERATORS.get(text, ()):
            yield first.start[0], first.start[1], last.end[1], other


def _is_text(node: ast.AST) -> bool:
    """Tell whether an operand shows that text is put together, or types are."""
    match node:
        case ast.JoinedStr() | ast.Constant(value=str() | bytes() | None):
            return True
        case ast.Name(id="str" | "int" | "float" | "complex" | "bool" | "tuple" | "list" | "dict"):
            return True
    return False


def drawn(all_mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Choose which ones are planted: some of each package, the rest wherever they fall."""

    def rank(mutant: Mutant) -> str:
        return hashlib.sha256(f"{seed} {mutant.key}".encode()).hexdigest()

    # One of a place: what is changed there is drawn as well.
    ranked = sorted(all_mutants, key=rank)
    ranked = list({(m.file, m.line, m.start): m for m in reversed(ranked)}.values())[::-1]
    packages = Counter[str]()
    first, rest = [], []
    for mutant in sorted(ranked, key=rank):
        packages[mutant.package] += 1
        (first if packages[mutant.package] <= LEAST else rest).append(mutant)
    return sorted((first + rest)[:count], key=lambda m: (m.package, m.file, m.line, m.start))


# -- which tests judge it --------------------------------------------------------------------------


def tests_of(file: str, root: Path = ROOT) -> list[str]:
    """The tests of a file's own, else of what imports it, else of its folder."""
    for start, tests in TESTS.items():
        if file == start or (start.endswith("/") and file.startswith(start)):
            return tests
    found = own_tests(file, root)
    seen, nearest = {file}, [file]
    while not found and nearest:
        nearest = sorted({i for f in nearest for i in _importers(f, root)} - seen)
        seen.update(nearest)
        found = sorted({test for importer in nearest for test in own_tests(importer, root)})
    if found:
        return found
    folder = Path("tests", file).parent
    while not (root / folder).is_dir():
        folder = folder.parent
    if folder == Path("tests"):
        return sorted(p.relative_to(root).as_posix() for p in (root / folder).glob("test_*.py"))
    return [folder.as_posix()]


def own_tests(file: str, root: Path) -> list[str]:
    """The tests with a file's name, and those that begin so and are of no other file."""
    source, stem = root / "src" / "likewise" / file, Path(file).stem.removeprefix("_")
    folder = root / "tests" / Path(file).parent
    found = []
    for path in sorted(folder.glob(f"test_{stem}*.py")):
        name = path.stem.removeprefix("test_")
        others = [source.parent / f"{n}.py" for n in (name, f"_{name}")]
        if name == stem or (name[len(stem)] == "_" and not any(o.exists() for o in others)):
            found.append(path.relative_to(root).as_posix())
    return found


def _importers(file: str, root: Path) -> list[str]:
    """The files of the same package that import this one."""
    source = root / "src" / "likewise"
    place, package = source / file, source / Path(file).parts[0]
    others = package.rglob("*.py") if package.is_dir() else source.glob("*.py")
    return [
        p.relative_to(source).as_posix()
        for p in sorted(others)
        if p.name != "__init__.py" and place in _imported(p)
    ]


@functools.cache
def _imported(path: Path) -> set[Path]:
    """The files whose names follow ``from .``, or its ``import``."""
    found = set()
    for dots, module, names in re.findall(
        r"^from (\.+)([\w.]*) import (.*)$", path.read_text(), re.M
    ):
        base = path.parents[len(dots) - 1].joinpath(*module.split("."))
        found |= {base.with_suffix(".py")} | {base / f"{n}.py" for n in re.findall(r"\w+", names)}
    return found


def lanes_of(file: str) -> tuple[str, ...]:
    return next((lanes for start, lanes in LANES_OF.items() if file.startswith(start)), LANES)


# -- which of them execute it ----------------------------------------------------------------------


PROBE = "__planted__"  # among the builtins of a clean run


def probed(source: str, planted: list[Mutant]) -> tuple[ast.Module, set[str]]:
    """The program with a call before each statement that is to be changed, told by its key.

    Second come the keys of those that are in no statement of a function: they run when the file is
    imported.
    """
    tree = ast.parse(source)
    keys: dict[ast.stmt, list[str]] = {}
    inside: dict[ast.stmt, bool] = {}
    _innermost(tree, False, inside)
    at_import = set()
    for mutant in planted:
        place = (mutant.line, mutant.start)
        around = [s for s in inside if _start(s) <= place < (s.end_lineno, s.end_col_offset)]
        statement = max(around, key=_start)
        if inside[statement]:
            keys.setdefault(statement, []).append(mutant.key)
        else:
            at_import.add(mutant.key)
    for node in list(ast.walk(tree)):
        for _, body in ast.iter_fields(node):
            if isinstance(body, list) and any(s in keys for s in body):
                body[:] = [t for s in body for t in (*_calls(s, keys.get(s, [])), s)]
    return ast.fix_missing_locations(tree), at_import


def _innermost(node: ast.AST, in_function: bool, inside: dict[ast.stmt, bool]) -> None:
    """Note each statement, and whether a function holds it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            inside[child] = in_function
        _innermost(child, in_function or isinstance(child, ast.FunctionDef), inside)


def _start(statement: ast.stmt) -> tuple[int, int]:
    """Return where a statement begins, its decorators included."""
    first = [*getattr(statement, "decorator_list", []), statement][0]
    return first.lineno, first.col_offset


def _calls(statement: Any, keys: list[str]) -> Iterator[ast.stmt]:
    for key in keys:
        call = ast.Call(ast.Name(PROBE, ast.Load()), [ast.Constant(key)], [])
        yield ast.copy_location(ast.Expr(call), statement)


def _load_probed(programs: dict[str, ast.Module]) -> None:
    """Have these files imported from the given programs, whatever bytecode there is."""
    usual = SourceFileLoader.get_code

    def get_code(self: Any, name: str) -> Any:
        path = self.get_filename(name)
        return compile(programs[path], path, "exec") if path in programs else usual(self, name)

    setattr(SourceFileLoader, "get_code", get_code)  # noqa: B010, mypy has no word for it


# -- judging ---------------------------------------------------------------------------------------


class Judge:
    """A copy of the tree, in which a fork of this process runs the tests of each defect."""

    def __init__(self, tree: Path, planted: list[Mutant]) -> None:
        self.tree = tree
        self.planted = planted
        self.clean: dict[tuple[str, tuple[str, ...]], dict[str, Any]] = {}
        for name in COPIED:
            if (ROOT / name).is_dir():
                skip = shutil.ignore_patterns("__pycache__", ".*")
                shutil.copytree(ROOT / name, tree / name, ignore=skip)
            elif (ROOT / name).exists():
                shutil.copy(ROOT / name, tree / name)
        os.chdir(tree)
        os.environ["PYTHONPATH"] = str(tree / "src")
        os.environ.setdefault("JAX_ENABLE_X64", "1")
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        sys.path.insert(0, str(tree / "src"))
        _import_heavy()
        _compile(tree)
        self.programs: dict[str, ast.Module] = {}
        self.at_import: set[str] = set()
        for file in {m.file for m in planted}:
            path = tree / "src" / "likewise" / file
            there = [m for m in planted if m.file == file]
            self.programs[str(path)], at_import = probed(path.read_text(), there)
            self.at_import |= at_import

    def judge(self, mutant: Mutant) -> dict[str, Any]:
        """Judge a defect: outcome, by which test, seconds."""
        lanes = lanes_of(mutant.file)
        tests: list[str] = []
        took: dict[str, float] = {}
        reaching: set[str] = set()
        for file in files_of(tests_of(mutant.file, self.tree), self.tree):
            clean = self._clean(file, lanes)
            if clean["status"] == _NO_TESTS:
                continue
            if clean["status"] != 0:
                return {"outcome": "not judged", "by": f"without it: {clean['by']}", "seconds": 0.0}
            tests.append(file)
            took |= clean["took"]
            reaching |= {t for t, keys in clean["reached"].items() if mutant.key in keys}
        if mutant.key in self.at_import:
            reaching = set()  # all
        elif not reaching:
            # A process of its own may, which the probes don't see.
            tests = [t for t in tests if "subprocess" in (self.tree / t).read_text()]
            if not tests:
                return {"outcome": "survived", "by": "no test executes it", "seconds": 0.0}
        run = Run(tuple(tests), lanes, took, reaching)
        path = self.tree / "src" / "likewise" / mutant.file
        source = path.read_text()
        path.write_text(mutant.apply(source))
        try:
            told = _fork(run, max(10.0, 4 * run.expected))
        finally:
            path.write_text(source)
        outcome = "survived" if told["status"] == 0 else "caught"
        several = len(reaching or took)
        return {"outcome": outcome, "by": told["by"], "seconds": told["seconds"], "tests": several}

    def _clean(self, file: str, lanes: tuple[str, ...]) -> dict[str, Any]:
        """Return what a file of tests does without a defect."""
        if (file, lanes) not in self.clean:
            found = _fork(Run((file,), lanes, {}, set(), self.programs), 1800)
            if found["status"] not in (0, _NO_TESTS):
                # What reads code, as torch.compile does, may refuse the probes: every test counts.
                found = _fork(Run((file,), lanes, {}, set()), 1800)
                every = [mutant.key for mutant in self.planted]
                found["reached"] = dict.fromkeys(found.get("took", {}), every)
            self.clean[file, lanes] = found
        return self.clean[file, lanes]


_NO_TESTS = 5  # pytest's status


@dataclass(frozen=True)
class Run:
    """One run of pytest: of which files and lanes, what each test took, and which ones of them."""

    tests: tuple[str, ...]
    lanes: tuple[str, ...]
    took: dict[str, float]
    only: set[str]  # none: all
    programs: dict[str, ast.Module] = field(default_factory=dict)

    @property
    def expected(self) -> float:
        return 2 + sum(s for t, s in self.took.items() if t in self.only or not self.only)


def files_of(tests: list[str], root: Path) -> list[str]:
    """The files of tests, those below a folder one by one."""
    found = []
    for test in tests:
        path = root / test
        below = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
        found += [p.relative_to(root).as_posix() for p in below]
    return found


def _fork(run: Run, limit: float) -> dict[str, Any]:
    """One run in a fork, of so many seconds of processor time at most."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(receive)
            _child(run, limit, send)
        finally:
            os._exit(1)  # whatever happened: this fork must not go on as the judge
    os.close(send)
    told, alarm = b"", time.monotonic() + 10 * limit + 60
    while part := _more(receive, alarm):
        told += part
    os.close(receive)
    if time.monotonic() > alarm:
        os.killpg(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    if os.WIFSIGNALED(status) or not told:
        late = used.ru_utime + used.ru_stime >= limit - 1
        result = {"status": -1, "by": "took too long" if late else "it ended the process"}
    else:
        result = json.loads(told)
    return {**result, "seconds": round(used.ru_utime + used.ru_stime, 2)}


def _more(pipe: int, alarm: float) -> bytes:
    """The next bytes of a pipe; none when it ends or it is late."""
    ready = select.select([pipe], [], [], max(0.0, alarm - time.monotonic()))[0]
    return os.read(pipe, 1 << 16) if ready else b""


def _child(run: Run, limit: float, send: int) -> None:
    """Runs pytest and sends what it found."""
    os.setsid()
    sys.dont_write_bytecode = True
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 3))
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))
    import pytest

    seen = _Seen(run)
    vars(builtins)[PROBE] = seen.reach
    _load_probed(run.programs)
    # pytest would rewrite the whole source in each fork, as that of a plugin.
    arguments = ["--assert=plain", "-x", "-q", "--tb=no", f"--xp={','.join(run.lanes)}", *run.tests]
    status: int = pytest.main(arguments, plugins=[seen])
    told = {"status": int(status), "by": seen.failed, "took": seen.took}
    told["reached"] = {test: sorted(keys) for test, keys in seen.reached.items()}
    os.write(send, json.dumps(told).encode())


class _Seen:
    """A plugin for pytest: the first failure, lane after lane, and what each test executes."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.failed = ""
        self.took: dict[str, float] = {}
        self.reached: dict[str, set[str]] = {}
        self.now: set[str] = set()

    def reach(self, key: str) -> None:
        self.now.add(key)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        def order(item: Any) -> tuple[int, float]:
            variant = str(getattr(getattr(item, "callspec", None), "params", {}).get("xp"))
            lane = self.run.lanes.index(variant) if variant in self.run.lanes else 0
            return lane, self.run.took.get(item.nodeid, 0.0)

        chosen = [
            item
            for item in items
            if not self.run.only or item.nodeid in self.run.only or item.nodeid not in self.run.took
        ]
        items[:] = sorted(chosen, key=order)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.now = self.reached.setdefault(nodeid, set())

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.took[report.nodeid] = self.took.get(report.nodeid, 0.0) + report.duration
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} (importing it)"


def _import_heavy() -> None:
    """Import what every fork would; nothing of the tree itself, and not JAX, which has threads."""
    for name in HEAVY:
        importlib.import_module(name)
    assert not any(name.startswith("likewise") for name in sys.modules)


def _compile(tree: Path) -> None:
    """Bytecode that is checked against the text itself: a defect may have any size and time."""
    import compileall
    import py_compile

    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    for name in ("src", "tests"):
        compileall.compile_dir(tree / name, quiet=1, invalidation_mode=checked)


# -- what was found --------------------------------------------------------------------------------


def equivalents(path: Path = EQUIVALENT) -> dict[tuple[str, str, str], str]:
    """The survivors that change nothing: file, line and changed line, to the reason.

    A block of four lines each: the file, ``-`` and the line, ``+`` and the changed line, ``=`` and
    the reason. Blank lines and those with ``#`` are for the reader.
    """
    lines = [t.strip() for t in path.read_text().splitlines() if t.strip() and t[0] != "#"]
    found = {}
    for file, old, new, reason in zip(*[iter(lines)] * 4, strict=True):
        if old[:2] != "- " or new[:2] != "+ " or reason[:2] != "= ":
            raise ValueError(f"{path.name}: got {file!r}, {old!r}, {new!r}, {reason!r}")
        found[file, old[2:].strip(), new[2:].strip()] = reason[2:]
    return found


def report(planted: list[Mutant], found: dict[str, dict[str, Any]]) -> tuple[str, float]:
    """The table, the survivors, and the share caught of those that change something."""
    named = equivalents()
    rows: dict[str, Counter[str]] = {}
    survivors, unjudged = [], []
    for mutant in planted:
        row = rows.setdefault(mutant.package, Counter())
        outcome = found.get(mutant.key, {}).get("outcome", "not yet")
        if (mutant.file, mutant.text.strip(), mutant.mutated.strip()) in named:
            outcome = "equivalent" if outcome != "caught" else outcome
        row[outcome] += 1
        where = f"src/likewise/{mutant.file}:{mutant.line}"
        if outcome == "survived":
            survivors.append(f"{where}\n- {mutant.text.strip()}\n+ {mutant.mutated.strip()}")
        elif outcome == "not judged":
            unjudged.append(f"{where}: {found[mutant.key]['by']}")
    kinds = ("caught", "survived", "equivalent", "not judged", "not yet")
    text = [f"{'package':<12}" + "".join(f"{kind:>12}" for kind in kinds) + f"{'share':>9}"]
    total = Counter[str]()
    for package, row in (*sorted(rows.items()), ("all", total)):
        text.append(
            f"{package:<12}" + "".join(f"{row[kind]:>12}" for kind in kinds) + _share(row)[0]
        )
        total += row
    text += ["", *survivors, *(["", "not judged:", *unjudged] if unjudged else [])]
    text += ["", *(f"not run: {file} ({why})" for file, why in NOT_RUN.items())]
    return "\n".join(text), _share(total)[1]


def _share(row: Counter[str]) -> tuple[str, float]:
    judged = row["caught"] + row["survived"]
    share = row["caught"] / judged if judged else 1.0
    return f"{share:>9.1%}" if judged else f"{'':>9}", share


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Read what earlier runs wrote; the last line of a defect counts."""
    if not path.exists():
        return {}
    lines = path.read_text().splitlines()
    # A run that was stopped may have left half a line.
    return {row["key"]: row for row in map(json.loads, filter(_is_whole, lines))}


def _is_whole(line: str) -> bool:
    return line.startswith("{") and line.endswith("}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ci/mutants", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=300, help="how many in all (300)")
    parser.add_argument("--seed", type=int, default=1, help="draws others (1)")
    parser.add_argument("--only", action="append", default=[], metavar="PACKAGE_OR_FILE")
    parser.add_argument("--resume", action="store_true", help="keep what earlier runs found")
    parser.add_argument("--again", default="", metavar="OUTCOME", help="with --resume: judge anew")
    parser.add_argument("--list", action="store_true", help="say what would be planted")
    parser.add_argument("--report", action="store_true", help="only print what was found")
    parser.add_argument("--at-least", type=float, default=0.9, metavar="SHARE")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    source = ROOT / "src" / "likewise"
    files = sorted(p.relative_to(source).as_posix() for p in source.rglob("*.py"))
    everything = [
        m for f in files if f not in NOT_RUN for m in mutants(f, (source / f).read_text())
    ]
    planted = drawn(everything, args.count, args.seed)
    wanted: Callable[[Mutant], bool] = lambda m: (
        not args.only or m.package in args.only or m.file in args.only
    )
    chosen = [m for m in planted if wanted(m)]
    if args.list:
        print(f"{len(planted)} of {len(everything)} possible")
        for m in chosen:
            print(f"{m.file}:{m.line}  [{' '.join(tests_of(m.file))}]\n- {m.text}\n+ {m.mutated}")
        return 0
    STATE.parent.mkdir(exist_ok=True)
    if not (args.resume or args.report):
        STATE.unlink(missing_ok=True)
    found = read(STATE)
    left = [m for m in chosen if found.get(m.key, {}).get("outcome", args.again) == args.again]
    if left and not args.report:
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            judge = Judge(Path(folder).resolve(), left)
            for number, mutant in enumerate(left, 1):
                row = {"key": mutant.key, "file": mutant.file, "line": mutant.line}
                row |= {"old": mutant.text.strip(), "new": mutant.mutated.strip()}
                row |= judge.judge(mutant)
                found[mutant.key] = row
                with STATE.open("a") as state:
                    state.write(json.dumps(row) + "\n")
                print(
                    f"{number}/{len(left)} {row['outcome']:<9} {row['seconds']:6.1f} s "
                    f"{row.get('tests', 0):4} tests  "
                    f"{mutant.file}:{mutant.line}  {row['new']}  {row['by']}",
                    flush=True,
                )
            os.chdir(ROOT)
    text, share = report(chosen, found)
    print(text)
    return int(share < args.at_least)


if __name__ == "__main__":
    sys.exit(main())
