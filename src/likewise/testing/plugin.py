"""The pytest plugin: the fixture ``xp``, its marks, options and report.

Every pytest run loads it, so it imports no array library, nor a module that needs one.
"""

import re
import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from .._default import KNOWN, LIBRARIES
from .._namespace import load
from ..errors import ArgumentError
from ._report import collected, write
from ._variants import UNDER_TEST, VARIANTS, Variant, choose, default_choice, why_not_try

__all__: list[str] = []

_MARKS = ("xp_skip", "xp_xfail")
_ROWS = pytest.StashKey[list[list[str]]]()  # what the marks of a test say
# Functions with why they aren't compiled, or with how often they may compute, by the variant.
_LAZY = pytest.StashKey[list[tuple[Callable[..., Any], Any]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("likewise", "array libraries (likewise)")
    group.addoption(
        "--xp",
        default="",
        metavar="NAMES",
        help="variants for the fixture xp, as numpy,torch*,'*/8'; --xp-list lists them "
        "(default: one per installed library)",
    )
    group.addoption("--xp-list", action="store_true", help="list the variants of xp, and exit")
    group.addoption(
        "--xp-report",
        action="append",
        default=[],
        metavar="FILE",
        help="write what check_function found to FILE (.json, .md or .html); may be repeated",
    )
    parser.addini("xp", "default of --xp", default="")
    parser.addini(
        "xp_jit",
        "packages or modules whose functions run compiled in the variant jax-jit "
        "(default: the packages in or below the root folder)",
        type="args",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "xp_skip({variant or library: reason}): the test can't run there; reasons are compulsory",
    )
    config.addinivalue_line(
        "markers",
        "xp_xfail({variant or library: reason}): the test must fail there; reasons are compulsory",
    )
    config.addinivalue_line(
        "markers",
        "xp_lazy(*functions, jit=reason, dask=n): the functions can't be compiled, for this "
        "reason; a call of one may compute Dask's arrays n times",
    )
    text = config.getoption("--xp") or config.getini("xp") or default_choice()
    try:
        chosen = choose(text)
    except ArgumentError as error:
        raise pytest.UsageError(f"--xp: {error}") from None
    for name in config.getoption("--xp-report"):
        if Path(name).suffix not in (".json", ".md", ".html"):
            raise pytest.UsageError(f"--xp-report: {name!r} must end in .json, .md or .html")
        try:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).touch()
        except OSError as error:
            raise pytest.UsageError(f"--xp-report: {name!r} can't be written: {error}") from None
    before = list(UNDER_TEST)  # a run of pytest inside another's test must not change that one
    config.add_cleanup(lambda: UNDER_TEST.__setitem__(slice(None), before))
    UNDER_TEST[:] = config.getini("xp_jit") or _packages(config.rootpath)
    # The fixture is made here, because here the variants are known; an `xp` nearer to a test wins.
    session = type("_SessionWithFixture", (_Session,), {"xp": _fixture(chosen)})
    config.pluginmanager.register(session(config, chosen), "likewise.testing.session")


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    if not config.getoption("--xp-list"):
        return None
    width = max(map(len, VARIANTS))
    for variant in VARIANTS.values():
        missing = variant.why_not()
        note = f" (not here: {missing})" if missing else ""
        sys.stdout.write(f"{variant.name:<{width}}  {variant.about}{note}\n")
    return 0


def _fixture(names: Iterable[str]) -> Any:
    @pytest.fixture(params=[VARIANTS[name] for name in names], ids=str)
    def xp(self: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
        """The standard's namespace on each library; arrays it makes are of the variant."""
        variant: Variant = request.param
        missing = variant.why_not()
        if missing is not None:
            pytest.skip(f"not run: {missing}")
        with variant.active() as namespace:
            yield namespace

    return xp


class _Session:
    """One run of pytest: the variants chosen, and what was found."""

    def __init__(self, config: pytest.Config, chosen: Mapping[str, int]) -> None:
        self.config = config
        self.chosen = chosen
        self.records: list[dict[str, Any]] = []
        self.used = False  # whether a test was about libraries
        self.registry: dict[tuple[str, str, str], str] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        left: list[pytest.Item] = []
        taken: list[pytest.Item] = []
        for item in items:
            variant = _variant(item)
            share = 1 if variant is None else self.chosen[variant.name]
            (left if share > 1 and zlib.crc32(item.nodeid.encode()) % share else taken).append(item)
            for kind in _MARKS:
                for mark in item.iter_markers(kind):
                    self._marked(item, variant, kind, mark)
            for mark in item.iter_markers("xp_lazy"):
                _declared(item, variant, mark)
            _list_declared(item, variant)
        if left:
            config.hook.pytest_deselected(items=left)
            items[:] = taken

    def _marked(
        self, item: pytest.Item, variant: Variant | None, kind: str, mark: pytest.Mark
    ) -> None:
        reasons = mark.args[0] if len(mark.args) == 1 and not mark.kwargs else None
        known = {*VARIANTS, *LIBRARIES}
        if (
            not isinstance(reasons, Mapping)
            or not known.issuperset(reasons)
            or not all(isinstance(r, str) and r.strip() for r in reasons.values())
        ):
            raise pytest.UsageError(
                f"{item.nodeid}: @pytest.mark.{kind} takes one dict from variants or libraries "
                f"({', '.join(VARIANTS)}) to reasons, got {mark.args!r}"
            )
        if variant is None:
            _without_fixture(item, mark)
            return
        for name in (variant.name, variant.library):
            if name in reasons:
                test = item.nodeid.partition("[")[0]
                item.stash.setdefault(_ROWS, []).append([test, kind[3:], name, reasons[name]])
                if kind == "xp_skip":
                    item.add_marker(pytest.mark.skip(reason=reasons[name]))
                else:
                    item.add_marker(pytest.mark.xfail(reason=reasons[name], strict=True))
                return

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
        variant = _variant(pyfuncitem)
        declared = pyfuncitem.stash.get(_LAZY, [])
        if variant is None or not (variant.jit or variant.replayed or declared):
            return (yield)
        from ._compiled import compiled, compiled_functions, counted, replacing, replayed

        library, module, arguments = load(variant.library), pyfuncitem.module, pyfuncitem.funcargs
        if not (variant.jit or variant.replayed):

            def count(function: Any) -> Any:
                allowed = next((n for f, n in declared if f is function), None)
                return function if allowed is None else counted(function, library, allowed)

            with replacing(module, arguments, UNDER_TEST, count):
                return (yield)
        left = [function for function, _ in declared]
        how = replayed if variant.replayed else compiled
        with compiled_functions(how, library, module, arguments, UNDER_TEST, left) as calls:
            result = yield
        if not calls.count:
            if declared:
                pytest.skip(f"not run: nothing was compiled; {_text(declared)}")
            where = ", ".join(UNDER_TEST) or "a package in the root folder (set xp_jit)"
            pytest.skip(f"not run: the test calls no function of {where} on arrays")
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
        report = yield
        # Both travel to the controlling process of pytest-xdist with the report.
        report.likewise_records = collected()
        report.likewise_registry = item.stash.get(_ROWS, [])
        report.likewise_xp = _variant(item) is not None
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        records = getattr(report, "likewise_records", [])
        self.records += records
        self.used |= bool(records) or getattr(report, "likewise_xp", False)
        for test, kind, name, reason in getattr(report, "likewise_registry", []):
            self.registry[test, kind, name] = reason

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self.config, "workerinput"):  # a worker of pytest-xdist; its controller writes
            return
        for name in self.config.getoption("--xp-report"):
            write(Path(name), self.records, self.not_run(), self.rows(), _versions())

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for name, reason in self.not_run().items() if self.used else ():
            terminalreporter.write_line(f"not run: {name} ({reason})")

    def not_run(self) -> dict[str, str]:
        """Return variants that were requested, or need hardware, and can't run here."""
        asked = [VARIANTS[name] for name in self.chosen]
        reasons = {v.name: v.why_not() for v in asked if v.why_not() is not None}
        for v in VARIANTS.values():
            if v.gpu and v.name not in self.chosen:
                reasons[v.name] = why_not_try(v) or "not asked for"
        return {name: reason for name, reason in reasons.items() if reason is not None}

    def rows(self) -> list[dict[str, str]]:
        return [
            {"test": test, "kind": kind, "variant": name, "reason": reason}
            for (test, kind, name), reason in self.registry.items()
        ]


def _variant(item: pytest.Item) -> Variant | None:
    """The variant of a test that uses this plugin's fixture; another's has other parameters."""
    found = getattr(getattr(item, "callspec", None), "params", {}).get("xp")
    return found if isinstance(found, Variant) else None


def _without_fixture(item: pytest.Item, mark: pytest.Mark) -> None:
    """Refuse a mark of the test itself; those of its class or module are for the others there."""
    if mark in getattr(getattr(item, "obj", None), "pytestmark", []):
        raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.{mark.name} without the fixture xp")


def _declared(item: pytest.Item, variant: Variant | None, mark: pytest.Mark) -> None:
    """Note what a mark says of functions in the variant; the nearest mark comes first."""
    from ._compiled import can_be_replaced

    reason, allowed = mark.kwargs.get("jit"), mark.kwargs.get("dask")
    if (
        not mark.args
        or not mark.kwargs
        or not {"jit", "dask"}.issuperset(mark.kwargs)
        or not all(callable(function) for function in mark.args)
        or ("jit" in mark.kwargs and not (isinstance(reason, str) and reason.strip()))
        or ("dask" in mark.kwargs and not (type(allowed) is int and allowed >= 0))
    ):
        raise pytest.UsageError(
            f"{item.nodeid}: @pytest.mark.xp_lazy takes functions, and jit= the reason why they "
            "can't be compiled, or dask= how often a call may compute (0, 1, ...), or both, "
            f"got {mark.args!r}, {mark.kwargs!r}"
        )
    for function in mark.args:
        if not can_be_replaced(function, UNDER_TEST):
            raise pytest.UsageError(
                f"{item.nodeid}: @pytest.mark.xp_lazy takes public functions of the packages under "
                f"test ({', '.join(UNDER_TEST) or 'none: set xp_jit'}), no methods or other "
                f"callables, got {function!r}"
            )
    if variant is None:
        _without_fixture(item, mark)
        return
    value = reason if variant.jit else allowed if variant.library == "dask" else None
    if value is not None:
        known = item.stash.setdefault(_LAZY, [])
        known += [(f, value) for f in mark.args if all(f is not g for g, _ in known)]


def _list_declared(item: pytest.Item, variant: Variant | None) -> None:
    """Have a row in the report for what marks say of functions in the variant."""
    declared = item.stash.get(_LAZY, [])
    if variant is not None and declared:
        row = ["jit" if variant.jit else "dask", variant.name, _text(declared)]
        item.stash.setdefault(_ROWS, []).append([item.nodeid.partition("[")[0], *row])


def _text(declared: Iterable[tuple[Callable[..., Any], Any]]) -> str:
    """Return functions, each with its reason or with the number of its computations."""
    return "; ".join(
        f"{f.__name__}: {v if isinstance(v, str) else f'computations of a call: at most {v}'}"
        for f, v in declared
    )


def _packages(root: Path) -> list[str]:
    """Packages and single modules in the root folder or its src."""
    places = [p.parent.name for f in ("", "src/") for p in root.glob(f + "*/__init__.py")]
    places += [p.stem for f in ("", "src/") for p in root.glob(f + "*.py")]
    other = re.compile("tests?|docs|conftest|setup|noxfile|test_.*|.*_test")
    return sorted(name for name in places if not other.fullmatch(name))


def _versions() -> dict[str, str]:
    found = {}
    for library, known in KNOWN.items():
        for distribution in known.distributions:
            try:
                found[library] = version(distribution)
                break
            except PackageNotFoundError:
                continue
    return found
