"""The array API standard's test suite against a library's namespace.

    ci/conformance LIBRARY [--suite DIR] [--random] [pytest's arguments]

Expected failures are in array_api_tests_config, each with its reason. The exit status is 0 if
nothing else failed, 1 if something did, 2 if the suite could not run, 3 if there is none.
"""

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import likewise
from likewise._default import KNOWN
from likewise.errors import LikewiseError

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "array_api_tests_config"
CACHE = ROOT / ".cache"
SUITE = "https://github.com/data-apis/array-api-tests"
COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"  # its submodule is pinned by it
REVISION = "2025.12"
EXAMPLES = "50"
NO_SUITE = 3
# What a library doesn't have at all.
SKIPPED_DTYPES = {"torch": "uint16,uint32,uint64"}
OUTCOMES = ("passed", "failed", "xfailed", "xpassed", "skipped")
LEVELS = ("function-level", "array-object-level")


def level(test: str) -> str:
    """Tell whether a test is of the namespace's functions or of the array object.

    The array object is what the library itself returns: its operators, methods and attributes.
    """
    file, _, name = test.partition("::")
    of_the_object = (
        file.endswith("test_array_object.py")
        or "[array_method-" in name
        or "[array_attribute-" in name
        or name.startswith(("test_array_method_signature", "test_dunder_", "test_dlpack_device"))
        or (re.search(r"\[__[a-z]+__\(", name) is not None)
    )
    return LEVELS[of_the_object]


def git(*args: str, cwd: Path) -> str:
    """Run git and return what it prints."""
    done = subprocess.run(["git", *args], cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def is_suite(path: Path) -> bool:
    """Tell whether a folder is a checkout with its submodule, the text of the standard."""
    return (path / "array_api_tests").is_dir() and (path / "array-api" / "src").is_dir()


def clone(path: Path) -> None:
    """The suite at the pinned commit; CalledProcessError or OSError if that can't be had."""
    path.mkdir(parents=True, exist_ok=True)
    git("init", "--quiet", cwd=path)
    git("fetch", "--quiet", "--depth", "1", SUITE, COMMIT, cwd=path)
    git("checkout", "--quiet", "--force", "FETCH_HEAD", cwd=path)
    git("submodule", "update", "--quiet", "--init", "--depth", "1", cwd=path)


def find_suite(chosen: str | None) -> Path | None:
    """The checkout that was named, or a clone of our own; None after saying why there is none."""
    named = chosen or os.environ.get("ARRAY_API_TESTS")
    advice = (
        f"Clone it with its submodules (git clone --recursive {SUITE}) and name the folder with "
        "--suite DIR or ARRAY_API_TESTS=DIR."
    )
    if named:
        path = Path(named).resolve()
        if not is_suite(path):
            print(f"conformance: no suite in {path}: it needs array_api_tests and array-api/src")
            print(advice)
            return None
    else:
        path = CACHE / "array-api-tests"
        try:
            if not is_suite(path) or git("rev-parse", "HEAD", cwd=path) != COMMIT:
                clone(path)
        except (OSError, subprocess.CalledProcessError) as error:
            why = getattr(error, "stderr", None) or str(error)
            print(f"conformance: the suite is not here and can't be cloned: {why.strip()}")
            print(advice)
            return None
    try:
        found = git("rev-parse", "HEAD", cwd=path)
    except (OSError, subprocess.CalledProcessError):
        found = "unknown"
    if found != COMMIT:
        print(f"warning: the suite is at commit {found}; the figures are of {COMMIT}")
    return path


def run(
    library: str, suite: Path, arguments: list[str], random: bool
) -> tuple[int, dict[str, str]]:
    """pytest's exit status, and each test's outcome."""
    module = f"exec('import likewise; xp = likewise.namespace(\"{library}\")')"
    environment = os.environ | {
        "ARRAY_API_TESTS_MODULE": module,
        "ARRAY_API_TESTS_VERSION": REVISION,
        "ARRAY_API_TESTS_SKIP_DTYPES": SKIPPED_DTYPES.get(library, ""),
        "JAX_ENABLE_X64": "1",
        # Nothing is written into a checkout that isn't ours.
        "HYPOTHESIS_STORAGE_DIRECTORY": str(CACHE / "hypothesis"),
        "PYTHONPYCACHEPREFIX": str(CACHE / "pycache"),
    }
    files = [
        f"--{kind}-file={path}"
        for kind in ("skips", "xfails")
        if (path := CONFIG / f"{library}-{kind}.txt").exists()
    ]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            *(sys.executable, "-m", "pytest", "array_api_tests"),
            *("-q", "--tb=short", "--disable-warnings"),
            *("-p", "no:cacheprovider", "-p", "no:likewise.testing.plugin"),
            *("--max-examples", EXAMPLES, "--disable-deadline"),
            *([] if random else ["--derandomize"]),
            *("--json-report", f"--json-report-file={report}"),
            *("--json-report-omit", "collectors", "keywords", "log", "streams", "warnings"),
            *files,
            *arguments,
        ]
        status = subprocess.run(command, cwd=suite, env=environment, check=False).returncode
        if not report.exists():
            return status, {}
        tests = json.loads(report.read_text())["tests"]
    return status, {t["nodeid"]: t["outcome"].replace("error", "failed") for t in tests}


def show(library: str, outcomes: dict[str, str]) -> None:
    """The table, and the tests that did other than was expected."""
    counts = Counter((level(test), outcome) for test, outcome in outcomes.items())
    print(f"\n| {library} | {' | '.join(OUTCOMES)} |\n|---{'|--:' * len(OUTCOMES)}|")
    for which in LEVELS:
        print(f"| {which} | {' | '.join(str(counts[which, o]) for o in OUTCOMES)} |")
    for outcome, title in (
        ("failed", "failed"),
        ("xpassed", "passed, though expected to fail: if they always do, remove their lines"),
    ):
        names = [t for t, found in outcomes.items() if found == outcome]
        if names:
            print(f"\n{title}:")
        for name in sorted(names, key=lambda t: (level(t), t)):
            print(f"    {level(name)}: {name}")


def main() -> int:
    """Run, print, and say how it went."""
    # No abbreviations: `-n 2`, `--suite-x` and the like are pytest's.
    parser = argparse.ArgumentParser(
        prog="ci/conformance",
        description=__doc__.partition("\n")[0],
        epilog="Other arguments go to pytest, as do all after `--`.",
        allow_abbrev=False,
    )
    parser.add_argument("library", metavar="LIBRARY", help=", ".join(KNOWN))
    parser.add_argument("--suite", help="a checkout of data-apis/array-api-tests")
    parser.add_argument("--random", action="store_true", help="examples that differ each time")
    parser.add_argument("--from", dest="start", default=".", help=argparse.SUPPRESS)
    options, arguments = parser.parse_known_args()
    try:
        likewise.namespace(options.library)
    except LikewiseError as error:
        print(f"conformance: {error}")
        return 2
    for package in ("hypothesis", "ndindex", "pytest", "pytest_jsonreport"):
        try:
            importlib.import_module(package)
        except ImportError:
            print(f"conformance: {package} isn't installed: pip install -e '.[conformance]'")
            return 2
    suite = find_suite(options.suite and os.path.join(options.start, options.suite))
    if suite is None:
        return NO_SUITE
    arguments = [a for a in arguments if a != "--"]
    status, outcomes = run(options.library, suite, arguments, options.random)
    if not outcomes:
        print("conformance: no test ran; what pytest says is above")
        return 2
    show(options.library, outcomes)
    # Limits that fail are 1; an interrupted or misused run is more.
    return status


if __name__ == "__main__":
    sys.exit(main())
