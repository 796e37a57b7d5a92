"""The command line: ``likewise demo``, ``info``, ``capabilities``, ``check`` and ``verify``.

Each command loads rich, matplotlib, the demonstration or the linter only if it needs them.
"""

import argparse
import difflib
import os
import sys
from collections.abc import Container, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import __version__, _capabilities
from ._info import Info, Report, info
from ._namespace import LIBRARIES
from .errors import ArgumentError, LikewiseError
from .progress import Progress

if TYPE_CHECKING:
    from .demo import Results, Row

__all__ = ["main"]

OK, WRONG, USAGE, INTERRUPTED = 0, 1, 2, 130
PICTURES = (".png", ".pdf", ".svg")
COLUMNS = (
    "library",
    "type in",
    "type out",
    "device",
    "4 digits",
    "6 digits",
    "median",
    "period",
    "seconds",
)
LEGEND = """
4 digits, 6 digits: fits whose worst parameter has so many correct digits or
more, of 27 certified regressions (NIST StRD) from two starts each; 11 is most.
period: the strongest line in the air pressures of ENSO, months; it is the
year's, 12.
For comparison, SciPy 1.17.1's curve_fit on the same models at its defaults
(lm, finite differences): 4 digits in 45 of 54, 6 digits in 29, median 6.2."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments. Default: the program's.

    Returns
    -------
    int
        The exit code: 0; 1 if the demonstration failed or the linter found something; 2 if the
        command can't run; 130 after Ctrl-C.

    Examples
    --------
    >>> from likewise.cli import main
    >>> main(["demo", "--libraries", "numpy", "--plot", "fits.txt"])
    2
    """
    options = _parser().parse_args(argv)
    try:
        code: int = options.command(options)
        sys.stdout.flush()
    except LikewiseError as error:
        print(f"likewise: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:  # `likewise info | head`: nobody reads on, nor shall the exit complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return WRONG
    except KeyboardInterrupt:
        print("likewise: interrupted", file=sys.stderr)
        return INTERRUPTED
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="likewise",
        description="Numerical algorithms for every array library: any standard array in, the "
        "same kind of array out.",
    )
    parser.add_argument("--version", action="version", version=f"likewise {__version__}")
    commands = parser.add_subparsers(
        title="commands",
        required=True,
        metavar="demo | info | capabilities | check | verify",
    )
    demo = commands.add_parser(
        "demo",
        help="27 certified regressions and a spectrum, on each library that is installed",
        description="Fit the 27 nonlinear regressions of NIST's Statistical Reference Datasets "
        "and find the yearly cycle in the air pressures of the Southern Oscillation, on each "
        "library that is installed. The exit code is 1 if an array's type changed on the way or "
        "the period is wrong.",
    )
    demo.add_argument(
        "--libraries",
        type=_libraries,
        metavar="A,B",
        help=f"only these of {', '.join(LIBRARIES)}",
    )
    demo.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw data, fits and residuals into a PNG file"
    )
    demo.set_defaults(command=_demo)
    report = commands.add_parser(
        "info", help="what is installed, where arrays can live, what each library can do"
    )
    report.set_defaults(command=_info)
    table = commands.add_parser(
        "capabilities",
        help="what each function can do on each library, as the tests have found it",
        description="Print what the tests have found: how many functions of each package do all "
        "that the table asks for on each library; for a package, each function; for a function, "
        "what it can do where, and why not.",
    )
    table.add_argument(
        "name",
        nargs="?",
        metavar="FUNCTION",
        help="'linalg.solve', 'solve', or a package: 'linalg'",
    )
    table.set_defaults(command=_capabilities_command)
    _add_check(commands)
    verify = commands.add_parser(
        "verify",
        help="a provider of native routines beside the generic bodies",
        description="Compare each routine of a provider with likewise's generic body, in five "
        "dtypes and many shapes. The exit code is 1 if one differs, declines every call, or is "
        "for a function that has no case.",
    )
    verify.add_argument("provider", metavar="PROVIDER", help="its name; likewise info lists them")
    verify.set_defaults(command=_verify)
    return parser


def _add_check(commands: Any) -> None:
    check = commands.add_parser(
        "check",
        help="what is not portable in functions that use an array namespace",
        description="Read files of Python, importing nothing of them, and report what is not in "
        "the array API standard, or not portable, in functions that use an array namespace. The "
        "exit code is 1 if there is something to report. Settings that are not given are those of "
        "[tool.likewise.check] in the nearest pyproject.toml.",
    )
    check.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder of them")
    check.add_argument(
        "--select", type=_words, metavar="A,B", help="only these codes, or beginnings such as LW1"
    )
    check.add_argument("--ignore", type=_words, metavar="A,B", help="not these codes")
    check.add_argument(
        "--revision", metavar="YYYY.MM", help="of the standard: 2023.12, 2024.12 or 2025.12"
    )
    check.add_argument(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="lines of text, JSON, or annotations of GitHub (default: %(default)s)",
    )
    check.set_defaults(command=_check)


def _verify(options: argparse.Namespace) -> int:
    from .testing import verify

    os.environ.setdefault("JAX_ENABLE_X64", "1")  # read when JAX is imported
    found = verify(options.provider)
    print(found)
    return OK if found.ok else WRONG


def _words(text: str) -> list[str]:
    return [word for word in (part.strip() for part in text.split(",")) if word]


def _check(options: argparse.Namespace) -> int:
    from .lint import _output, check

    findings = check(
        options.paths, select=options.select, ignore=options.ignore, revision=options.revision
    )
    text = _output.render(findings, options.format)
    if text:
        print(text)
    return WRONG if findings else OK


def _libraries(text: str) -> list[str]:
    names = list(dict.fromkeys(n for n in (part.strip() for part in text.split(",")) if n))
    unknown = [n for n in names if n not in LIBRARIES]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"{unknown[0] if unknown else text!r}: no such library; "
            f"there are {', '.join(LIBRARIES)}"
        )
    return names


def _demo(options: argparse.Namespace) -> int:
    draw = None
    if options.plot is not None:
        try:
            draw = _drawing(options.plot)
        except _CannotDraw as reason:
            print(f"likewise demo: {reason}", file=sys.stderr)
            return USAGE
    from .demo import run

    os.environ.setdefault("JAX_ENABLE_X64", "1")  # read when JAX is imported
    with Progress() as progress:
        results = run(options.libraries, progress)
    _print_results(results)
    if draw is not None and any(row.fits for row in results.rows):
        try:
            draw(options.plot, next(row for row in results.rows if row.fits))
        except OSError as error:
            print(f"likewise demo: --plot: {error}", file=sys.stderr)
            return USAGE
        print(f"\nPicture: {options.plot}")
    if results.interrupted:
        print("\nlikewise demo: interrupted; the last row is in part", file=sys.stderr)
        return INTERRUPTED
    return WRONG if results.complaints else OK


class _CannotDraw(Exception):
    pass


def _drawing(path: Path) -> Any:
    """The function that draws; what speaks against it is said before the work, not after."""
    if path.suffix.lower() not in PICTURES:
        raise _CannotDraw(f"--plot: {str(path)!r} must end in {', '.join(PICTURES)}")
    if not path.absolute().parent.is_dir():
        raise _CannotDraw(f"--plot: there is no folder {str(path.parent)!r}")
    try:
        from .demo._plot import draw
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise _CannotDraw(
            "--plot needs the package 'matplotlib', which isn't installed: pip install matplotlib"
        ) from error
    return draw


def _print_results(results: "Results") -> None:
    if results.rows:
        wrong = {i for i, row in enumerate(results.rows) if row.complaints}
        _print_table(COLUMNS, [_cells(row) for row in results.rows], COLUMNS[4:], wrong)
        print(LEGEND)
    for name, why in results.skipped.items():
        print(f"\nNot run: {name}. {why}")
    if results.complaints:
        print("\nWrong:")
        for text in results.complaints:
            print(f"  {text}")


def _cells(row: "Row") -> tuple[str, ...]:
    count = len(row.digits)
    return (
        f"{row.library} {row.version}",
        row.type_in or "-",
        row.type_out or "-",
        row.device or "-",
        f"{row.reaching(4)}/{count}",
        f"{row.reaching(6)}/{count}",
        "-" if row.median is None else f"{row.median:.1f}",
        "-" if row.period is None else f"{row.period:.2f}",
        f"{row.seconds:.1f}",
    )


def _info(options: argparse.Namespace) -> int:
    report: Report = info()
    known = {name: found for name, found in report.libraries.items() if isinstance(found, Info)}
    if not _rich_terminal() or not known:
        print(report)
        return OK
    print(f"likewise {report.version}, Python {report.python}; default: {report.default}\n")
    columns = [_facts(found) for found in known.values()]
    _print_table(
        ("", *known), [(fact, *(column[fact] for column in columns)) for fact in columns[0]]
    )
    for name, found in report.libraries.items():
        if isinstance(found, str):
            print(f"{name}: {found}")
    for name, told in report.providers.items():
        print(f"provider {name}: {told}")
    return OK


def _capabilities_command(options: argparse.Namespace) -> int:
    table, name = _capabilities.table(), options.name
    packages = list(dict.fromkeys(n.partition(".")[0] for n in table.functions))
    libraries = _capabilities.LIBRARIES
    wanted = None if name is None else name.removeprefix("likewise.")
    if wanted is None:
        rows = []
        for package in packages:
            names = [n for n in table.functions if n.startswith(package + ".")]
            counts = [table.counts(library, names) for library in libraries]
            rows.append((package, str(len(names)), *(str(count["yes"]) for count in counts)))
        _print_table(("package", "functions", *libraries), rows, ("functions", *libraries))
        print(
            "\nHow many functions do all that the table asks for. Give a package or a function\n"
            "for the others: likewise capabilities linalg, likewise capabilities linalg.solve"
        )
    elif wanted in packages:
        names = [n for n in table.functions if n.startswith(wanted + ".")]
        marks = {"": "", _capabilities.OLDER: " *", _capabilities.PERHAPS: " ?"}
        rows = [
            (n, *(table.overall(n, k) + marks[table.age(n, k)] for k in libraries)) for n in names
        ]
        _print_table(("function", *libraries), rows)
        ages = [table.ages(library, names) for library in libraries]
        for age, mark in [*marks.items()][1:]:
            if count := sum(of[age] for of in ages):
                print(f"{mark} {age}: {count}")
    else:
        for full in _named(table, wanted):
            _print_function(table, full)
    return OK


def _named(table: _capabilities.Table, name: str) -> list[str]:
    """Functions of this name, with a package or without."""
    found = [n for n in table.functions if name in (n, n.partition(".")[2], n.rpartition(".")[2])]
    if not found:
        short = {n.rpartition(".")[2]: n for n in table.functions}
        near = difflib.get_close_matches(name, [*table.functions, *short], n=3)
        hint = f"; near are {', '.join(dict.fromkeys(short.get(n, n) for n in near))}"
        raise ArgumentError(
            f"capabilities: got {name!r}, which is no public function or package"
            + (hint if near else "; likewise capabilities lists the packages")
        )
    return found


def _print_function(table: _capabilities.Table, name: str) -> None:
    print(f"likewise.{name}")
    for option, values in table.functions[name]["choices"].items():
        print(f"  {option}: {', '.join(values)}")
    cells = {library: table.cells(name, library) for library in _capabilities.LIBRARIES}
    columns = _capabilities.COLUMNS
    rows = [(library, *(row[c].status for c in columns)) for library, row in cells.items()]
    _print_table(("", *columns), rows)
    for library, row in cells.items():
        facts = table.facts(name, library)
        by_reason: dict[str, list[str]] = {}
        for column, cell in row.items():
            if cell.reason and cell.status != "n/a":
                by_reason.setdefault(f"{cell.status}: {cell.reason}", []).append(column)
        lines = [
            reason if len(found) == len(columns) else f"{', '.join(found)}: {reason}"
            for reason, found in by_reason.items()
        ]
        lines += facts.get("notes", [])
        for dtype, (error, limit) in facts.get("errors", {}).items():
            against = ", ".join(facts["values"])
            lines.append(f"{dtype}: worst error {error:g}, tolerance {limit:g} ({against})")
        if facts:
            lines += table.origins(name, library)
        print(f"{library}\n  " + "\n  ".join(lines))


def _facts(found: Info) -> dict[str, str]:
    """The record as a narrow column of a table."""
    facts: dict[str, str] = {}
    for f in fields(found)[1:]:
        value, label = getattr(found, f.name), f.name.replace("_", " ")
        if f.name == "default_dtypes":
            facts |= {f"default {kind}": dtype for kind, dtype in value.items()}
        elif f.name == "devices":
            names = [d.kind if d.kind == "cpu" else str(d) for d in value]
            several = {name: names.count(name) for name in names}
            facts[label] = "\n".join(f"{k} ×{n}" if n > 1 else k for k, n in several.items())
        else:
            facts[label] = {True: "yes", False: "no"}.get(value, value)
    return facts


def _rich_terminal() -> bool:
    if not sys.stdout.isatty():
        return False
    try:
        import rich  # noqa: F401
    except ImportError:
        return False
    return True


def _print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[str] = (),
    marked: Container[int] = (),
) -> None:
    """By rich on a terminal, else in columns; marked rows are red there and starred here."""
    if _rich_terminal():
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        console = Console()
        table = Table(
            box=SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1 if console.width >= 100 else 0),
        )
        for name, *column in zip(header, *rows, strict=True):
            longest = max(map(len, " ".join([name, *column]).split()), default=0)
            side: Literal["left", "right"] = "right" if name in right else "left"
            table.add_column(name, justify=side, min_width=longest)  # cells break between words
        for i, row in enumerate(rows):
            table.add_row(*map(Text, row), style="bold red" if i in marked else None)
        console.print(table)
        return
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for i, row in enumerate([header, *rows], start=-1):
        cells = (
            f"{cell:>{width}}" if name in right else f"{cell:<{width}}"
            for name, cell, width in zip(header, row, widths, strict=True)
        )
        print("  ".join(cells).rstrip() + (" *" if i in marked else ""))
