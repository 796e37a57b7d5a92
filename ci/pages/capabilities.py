"""Make the table of what runs where: the package's data, and the figure of the README.

    python ci/pages/capabilities.py --run torch             run the cases on a library, take them in
    python ci/pages/capabilities.py --run torch --room fft  those of one room (or more)
    python ci/pages/capabilities.py build/report.json       take in what `--xp-report` wrote
    python ci/pages/capabilities.py                         take in new functions, options and rows
    python ci/pages/capabilities.py --check                 compare, write nothing

Each run has a hash of every function that it ran, with what the function uses. Where the code has
another one by now, the cells are older than it. The check says how many are, and doesn't fail.

A report replaces what was known of a function on a library, if it has a record of it: run all of a
function's tests, on any of the libraries. `--add` keeps what was known, too. What no record has
shown is 'not run'. The check fails if a public function, an option's value or a row is not in the
data, or is no longer there, or if a cell has failed.
"""

import argparse
import importlib
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import likewise
from likewise import _capabilities as capabilities
from likewise._default import KNOWN
from likewise._native import ROWS
from likewise._sources import Sources
from likewise.testing._options import choices

ROOT = Path(__file__).parents[2]
DATA = ROOT / "src" / "likewise" / capabilities.FILE
FIGURE = ROOT / "docs" / "images" / "capabilities.svg"
PACKAGES = (
    *(
        "differentiate",
        "fft",
        "integrate",
        "interpolate",
        "linalg",
        "missing",
        "ndimage",
        "optimize",
        "polynomial",
        "random",
    ),
    *(
        "signal",
        "signal.windows",
        "sparse.linalg",
        "spatial.distance",
        "special",
        "stats",
        "stats.contingency",
        "stats.qmc",
        "transforms",
    ),
)
CLASSES = (  # functions by another name
    *("missing.at", "random.Generator", "transforms.custom_jvp", "transforms.custom_vjp"),
)
# Nothing of arrays: there is no row for them.
LEFT_OUT = {
    "fft.next_fast_len": "of integers",
    "fft.prev_fast_len": "of integers",
    "optimize.show_options": "a text",
    "transforms.compile_log": "a list of events",
    "transforms.register_tree": "of classes",
    **{
        f"transforms.tree_{name}": "of structures, whatever is in them"
        for name in (
            *("flatten", "leaves", "leaves_with_path", "map", "map_with_path"),
            *("stack", "structure", "unflatten", "unstack"),
        )
    },
}
# Of several results for a cell: what a function does sometimes, it does in part.
ORDER = ("failed", "part", "no", "loop", "yes", "n/a", "not run")
COLOURS = {
    "yes": "#2e7d32",
    "part": "#f9a825",
    "no": "#6d4c41",
    "failed": "#c62828",
    "not run": "#bdbdbd",
}


def functions() -> dict[str, Any]:
    """The public functions, by name without 'likewise.'."""
    found = {}
    for package in PACKAGES:
        module = importlib.import_module(f"likewise.{package}")
        for name in module.__all__:
            value, full = getattr(module, name), f"{package}.{name}"
            if full not in LEFT_OUT and (not inspect.isclass(value) or full in CLASSES):
                found[full] = value
    return found


def options(name: str, value: Any) -> dict[str, list[str]]:
    """Return what a function's options can be; the methods of `at` are options, too."""
    if name == "missing.at":
        indexed = type(value(np.zeros(1))[0])
        return {"method": [n for n in vars(indexed) if not n.startswith("_")]}
    if inspect.isclass(value):
        return {}
    return {parameter: list(values) for parameter, values in choices(value).items()}


def rows() -> dict[str, dict[str, str]]:
    """Every row of native routines, by the step that it is on."""
    for found in pkgutil.walk_packages(likewise.__path__, "likewise."):
        if not found.name.startswith(("likewise._libs", "likewise.__main__", "likewise.demo")):
            importlib.import_module(found.name)
    return {
        f"{row.generic.__module__}:{row.name}": dict(sorted(row.routines.items()))
        for row in ROWS
        if row.routines and row.generic.__module__.startswith("likewise.")  # not a test's own
    }


# -- running -----------------------------------------------------------------------------------

# Of test_every_function.py.
HOSTS = [name for name, known in KNOWN.items() if known.host and name != "numpy"]
GROUPS = (*HOSTS, "gpu", "sharded")
APART = "sharded"  # the column of JAX that has a run of its own, in a process with eight devices
EIGHT = "--xla_force_host_platform_device_count=8"
SOLVERS = "solvers"  # of tests/optimize, whose cases run on all libraries


def run(group: str, rooms: Sequence[str], jobs: int) -> Path:
    """Run the cases of a group of libraries, in some rooms or all; return the report."""
    report = ROOT / "build" / f"capabilities-{'-'.join([group, *rooms])}.json"
    where, chosen = "tests/capabilities/test_every_function.py", f"in_its_case and -{group}]"
    if group == SOLVERS:
        where, chosen = "tests/optimize", "test_capabilities"
    if rooms:
        chosen += f" and ({' or '.join(f'[{room}.' for room in rooms)})"
    call = [sys.executable, "-m", "pytest", "-q", where]
    call += ["--full", "-k", chosen, "--xp-report", str(report)]
    flags = {"XLA_FLAGS": EIGHT} if group == APART else {}
    if jobs:
        call += ["-n", str(jobs), "--dist", "worksteal"]
    at, code = commit(), hashes()
    done = subprocess.run(call, cwd=ROOT, check=False, env=os.environ | flags)
    if done.returncode not in (0, 1):  # a failed test is a record, too: the check tells of it
        raise SystemExit(done.returncode)
    found = json.loads(report.read_text("utf-8")) | {"commit": at, "code": code}
    report.write_text(json.dumps(found), encoding="utf-8")
    return report


# -- taking in ---------------------------------------------------------------------------------


def home(function: str, known: Sequence[str]) -> tuple[str, str]:
    """The public function that a record is of, and what follows its name: a method of `at`, say."""
    full = re.split("[,(]", function)[0].removeprefix("likewise.")
    name = full
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name, full.removeprefix(name).strip(".")


def entry(record: Mapping[str, Any], library: str, run: int) -> dict[str, Any]:
    """Return what a record says of a library."""
    cells, notes, errors = {}, list(record["notes"].get(library, ())), {}
    for column, cell in record["cells"][library].items():
        status = {"none": "n/a"}.get(cell["status"], cell["status"])
        if cell["only"]:
            notes.append(f"{cell['only']}: {cell['reason']}")
            status, cell = "yes", cell | {"reason": ""}
        cells[column] = f"{status}: {cell['reason']}" if cell["reason"] else status
        if cell["error"] is not None and column in ("eager", "float32"):
            dtype = "float32" if column == "float32" else "float64"
            errors[dtype] = [float(f"{cell[k]:.2g}") for k in ("error", "tolerance")]
    found = {
        "run": run,
        "values": [record["values"]],
        "cells": cells,
        "options": {name: list(values) for name, values in record["options"].items()},
        "errors": errors,
        "notes": sorted(set(notes)),
    }
    if library in record["routines"]:
        found["routines"] = record["routines"][library]
    return found


def joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two entries of a function on a library as one."""
    cells = dict(one["cells"])
    for column, text in other["cells"].items():
        cells[column] = both(cells[column], text) if column in cells else text
    errors = dict(one["errors"])
    for dtype, pair in other["errors"].items():
        errors[dtype] = max(errors.get(dtype, pair), pair, key=lambda p: p[0])
    shown = {
        name: sorted({*one["options"].get(name, ()), *other["options"].get(name, ())})
        for name in {**one["options"], **other["options"]}
    }
    found = {
        "run": max(one["run"], other["run"]),
        "values": sorted({*one["values"], *other["values"]}),
        "cells": cells,
        "options": shown,
        "errors": errors,
        "notes": sorted({*one["notes"], *other["notes"]}),
    }
    if "routines" in one or "routines" in other:
        first, second = one.get("routines", {}), other.get("routines", {})
        took = {step: path for step, path in {**first, **second}.items() if path != "generic"}
        took |= {step: path for step, path in first.items() if path != "generic"}
        found["routines"] = {**first, **second, **took}
    return found


def added(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Join what was known with what a run says; cells that it didn't see so bad stay older."""
    found = joined(old, new)
    known = old.get("older", {})
    older = {
        column: run
        for column, text in old["cells"].items()
        for run in [known.get(column, old["run"])]
        if new["cells"].get(column) != found["cells"][column] == text and run != new["run"]
    }
    return found | ({"older": older} if older else {})


def completed(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the cell that has runs of its own, from another entry if it has it."""
    if APART not in other["cells"]:
        return one
    older = one.get("older", {}) | {APART: other.get("older", {}).get(APART, other["run"])}
    return one | {"cells": one["cells"] | {APART: other["cells"][APART]}, "older": older}


def both(one: str, other: str) -> str:
    """Two results for one cell."""
    cells = sorted(map(capabilities.parsed, (one, other)), key=lambda c: ORDER.index(c.status))
    first, second = cells
    if first.status in ("no", "part") and second.status in ("yes", "loop", "no", "part"):
        reasons = dict.fromkeys(c.reason for c in cells if c.reason)
        same = first.status == second.status == "no"
        return f"{'no' if same else 'part'}: {'; '.join(reasons)}"
    return str(first)


def taken_in(data: dict[str, Any], report: Mapping[str, Any], add: bool) -> None:
    """Put a report's records into the data."""
    known = list(data["functions"])
    code = report.get("code") or ({} if "commit" in report else hashes())
    run = {
        "date": report["date"],
        "commit": report.get("commit") or commit(),
        "platform": report["platform"],
        "versions": report["versions"],
        **({"floor": code[""]} if code else {}),
    }
    found: dict[tuple[str, str], dict[str, Any]] = {}
    if run not in data["runs"]:
        data["runs"].append(run)
    number = data["runs"].index(run)
    for record in report["records"]:
        name, method = home(record["function"], known)
        if not name:
            continue  # a function of a test
        if method and not record["options"]:
            record = record | {"options": {"method": [method]}}
        for library, cells in record["cells"].items():
            first = cells.get("eager", cells.get(APART))
            if first is None or first["status"] == "not run":
                continue
            label = "cupy (GPU)" if library.startswith("cupy") else library
            new = entry(record, library, number)
            old = found.get((name, label))
            found[name, label] = joined(old, new) if old else new
    for (name, label), new in found.items():
        libraries = data["functions"][name]["libraries"]
        before = libraries.get(label)
        if "eager" in new["cells"]:
            fresh = new if before is None else completed(new, before)
            libraries[label] = added(before, new) if add and before else fresh
        elif before is None:
            continue  # of a function that no test of the library's own has called
        else:
            libraries[label] = completed(before, new)
        if name in code:
            data["functions"][name].setdefault("code", {})[str(number)] = code[name]
    for name, reason in report["not_run"].items():
        library = capabilities_label(name)
        if library in capabilities.LIBRARIES:
            data["not_run"].setdefault(library, reason.partition("\n")[0])


def capabilities_label(variant: str) -> str:
    """The column that a variant belongs to."""
    own = variant.partition("-")[0]
    return f"{own} (GPU)" if own == "cupy" or variant.endswith("-cuda") else own


def commit() -> str:
    """The commit of the checkout, with + if files but the table's own differ from it."""

    def git(*call: str) -> str:
        done = subprocess.run(["git", *call], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    own = [f":!{path.relative_to(ROOT)}" for path in (DATA, FIGURE)]
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *own)
    return git("rev-parse", "--short=9", "HEAD") + ("+" if changed else "")


def hashes() -> dict[str, str]:
    """Return the hash of each public function's code, and at '' that of the floor."""
    sources = Sources()
    return {"": sources.floor(), **{name: sources.hash_of(name) for name in functions()}}


def brought_up(data: dict[str, Any]) -> None:
    """Take in what functions, options and rows there are; forget what is no more."""
    data["rows"] = rows()
    old = data["functions"]
    data["functions"] = {
        name: {
            "choices": options(name, value),
            "code": old.get(name, {}).get("code", {}),
            "libraries": old.get(name, {}).get("libraries", {}),
        }
        for name, value in sorted(functions().items())
    }


def cleaned(data: dict[str, Any]) -> None:
    """Drop the runs that nothing is left of, and number the others anew."""
    facts = [f for known in data["functions"].values() for f in known["libraries"].values()]
    used = sorted({n for f in facts for n in (f["run"], *f.get("older", {}).values())})
    data["runs"] = [data["runs"][i] for i in used]
    for known in data["functions"].values():
        own = known["libraries"].values()
        ran = {n for f in own for n in (f["run"], *f.get("older", {}).values())}
        code = known["code"]
        known["code"] = {str(used.index(n)): code[str(n)] for n in sorted(ran) if str(n) in code}
    for f in facts:
        f["run"] = used.index(f["run"])
        if "older" in f:
            f["older"] = {column: used.index(n) for column, n in f["older"].items()}
    done = {label for known in data["functions"].values() for label in known["libraries"]}
    data["not_run"] = {n: why for n, why in sorted(data["not_run"].items()) if n not in done}


# -- looking -----------------------------------------------------------------------------------


def stale(data: Mapping[str, Any]) -> Iterator[str]:
    """List what the data say otherwise than the package, and what has failed."""
    known, now = data["functions"], functions()
    yield from (f"{name}: the table doesn't know it" for name in sorted({*now} - {*known}))
    yield from (f"{name}: is in the table only" for name in sorted({*known} - {*now}))
    for name in sorted({*known} & {*now}):
        found = options(name, now[name])
        if found != known[name]["choices"]:
            yield f"{name}: its options are {found}, the table has {known[name]['choices']}"
    for step, routines in rows().items():
        if data["rows"].get(step) != routines:
            yield f"{step}: its rows are {routines}, the table has {data['rows'].get(step)}"
    yield from (f"{step}: is in the table only" for step in sorted({*data["rows"]} - {*rows()}))
    whole = capabilities.Table(data)
    for name in known:
        for library in capabilities.LIBRARIES:
            for column, cell in whole.cells(name, library).items():
                if cell.status == "failed":
                    yield f"{name}, {library}, {column}: failed: {cell.reason}"


def ages(data: Mapping[str, Any]) -> str:
    """Say how much of the table is older than the code."""
    table = capabilities.Table(data)
    lines = []
    for library in capabilities.LIBRARIES:
        counts = [f"{n} {age}" for age, n in table.ages(library).items() if n]
        if counts:
            lines.append(f"{library:12} {', '.join(counts)}")
    floor = table.sources.floor()
    same = sum(run.get("floor") == floor for run in data["runs"])
    lines.append(f"runs on the floor as it is now: {same} of {len(data['runs'])}")
    return "\n".join(lines)


def never_run(data: Mapping[str, Any]) -> list[str]:
    """Functions without any record."""
    return [name for name, known in data["functions"].items() if not known["libraries"]]


def figure(data: Mapping[str, Any]) -> str:
    """Bars of how many functions do what on each library, as SVG."""
    whole, wide = capabilities.Table(data), 560
    total = len(whole.functions)
    lines = []
    texts = []
    for k, library in enumerate(capabilities.LIBRARIES):
        counts = {s: n for s, n in whole.counts(library).items() if n}
        y, x = 44 + 30 * k, 110.0
        texts.append(f"{library}: " + ", ".join(f"{n} {s}" for s, n in counts.items()))
        lines.append(f'<text x="104" y="{y + 15}" text-anchor="end">{library}</text>')
        for status, n in counts.items():
            width = wide * n / total
            lines.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="22" '
                f'fill="{COLOURS[status]}"/>'
            )
            if width > 24:
                dark = status in ("part", "not run")
                lines.append(
                    f'<text x="{x + width / 2:.1f}" y="{y + 15}" text-anchor="middle" '
                    f'fill="{"#000" if dark else "#fff"}">{n}</text>'
                )
            x += width
    legend = []
    for k, (status, colour) in enumerate(COLOURS.items()):
        x = 110 + 100 * k
        legend.append(f'<rect x="{x}" y="14" width="14" height="14" fill="{colour}"/>')
        legend.append(f'<text x="{x + 20}" y="26" fill="currentColor">{status}</text>')
    height = 54 + 30 * len(capabilities.LIBRARIES)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 690 {height}" width="690" '
            f'height="{height}" role="img" aria-labelledby="t d" font-family="sans-serif" '
            'font-size="13" fill="#444">',
            f'<title id="t">What {total} functions do on each library</title>',
            f'<desc id="d">{"; ".join(texts)}.</desc>',
            '<rect width="100%" height="100%" fill="#fff"/>',
            *(line.replace("currentColor", "#444") for line in legend),
            *lines,
            "</svg>",
            "",
        ]
    )


def written(data: Mapping[str, Any]) -> str:
    """The data as text: a function's entry for a library on one line."""
    parts = []
    for name, known in data["functions"].items():
        head = f'{json.dumps(known["choices"])}, "code": {json.dumps(known["code"])}'
        own = [
            f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(known["libraries"].items())
        ]
        body = "{\n" + ",\n".join(own) + "\n  }" if own else "{}"
        parts.append(f'  {json.dumps(name)}: {{"choices": {head}, "libraries": {body}}}')
    rest = {k: v for k, v in data.items() if k != "functions"}
    lines = [f" {json.dumps(k)}: {json.dumps(v, sort_keys=k != 'runs')}" for k, v in rest.items()]
    return "{\n" + ",\n".join([*lines, ' "functions": {\n' + ",\n".join(parts) + "\n }"]) + "\n}\n"


def empty() -> dict[str, Any]:
    return {"format": 1, "runs": [], "not_run": {}, "rows": {}, "functions": {}}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("reports", nargs="*", type=Path, help="files of --xp-report FILE.json")
    parser.add_argument(
        "--run",
        choices=(*GROUPS, SOLVERS),
        help="run the cases there first; strict has NumPy's, too; solvers those of tests/optimize",
    )
    parser.add_argument("--room", action="append", default=[], help="only its cases; repeatable")
    parser.add_argument("--jobs", type=int, default=2, help="processes of --run; 0 is this one's")
    parser.add_argument("--add", action="store_true", help="keep what was known of a function")
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args(argv)
    data = json.loads(DATA.read_text("utf-8")) if DATA.exists() else empty()
    if given.check:
        wrong = list(stale(data))
        if FIGURE.read_text("utf-8") != figure(data):
            wrong.append(f"{FIGURE.name}: shows other counts than the table has")
        print(*wrong, sep="\n", end="\n" if wrong else "")
        print(ages(data))
        if wrong:
            print("ci/capabilities brings the table up to date (see its beginning).")
        return bool(wrong)
    ran = [run(given.run, given.room, given.jobs)] if given.run else []
    brought_up(data)
    for path in [*given.reports, *ran]:
        taken_in(data, json.loads(path.read_text("utf-8")), given.add)
    cleaned(data)
    DATA.write_text(written(data), encoding="utf-8")
    FIGURE.write_text(figure(data), encoding="utf-8")
    whole = capabilities.Table(data)
    for library in capabilities.LIBRARIES:
        print(f"{library:12}", ", ".join(f"{n} {s}" for s, n in whole.counts(library).items() if n))
    print(ages(data))
    missing = never_run(data)
    print(f"not run, without a record: {len(missing)}")
    for package in PACKAGES:
        short = [n.partition(".")[2] for n in missing if n.startswith(package + ".")]
        if short:
            print(f"  {package}: {', '.join(short)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
