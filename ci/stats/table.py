"""Write the page of the distributions' errors, docs/reference/stats_accuracy.md.

    python ci/stats/table.py                  all distributions, 1,500 points for each tail
    python ci/stats/table.py --points 50      fewer
    python ci/stats/table.py gamma beta       measure these, and keep the others
    python ci/stats/table.py --sample [NAME]  write tests/stats/_distributions/accuracy.csv instead

It needs python-flint. Errors are rounded up to a step.
"""

import argparse
import csv
import importlib.metadata
import math
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import scipy.stats
from tests.stats._distributions.accuracy import FUNCTIONS, of_name, points, sampled, table
from tests.stats._distributions.arb import COUNTS, LAWS

import likewise.stats

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "stats_accuracy.md"
SAMPLE = ROOT / "tests" / "stats" / "_distributions" / "accuracy.csv"
STEPS = (1, 2, 4, 8, 16, 32, *(10**k for k in range(2, 16)))
HEAD = """# Errors of the distributions

The table lists the worst errors of likewise and of SciPy {scipy} in double precision, at random
parameters and quantiles of both tails, whose probabilities go down to 1e-300. An error is in units
of the last place, divided by 1 + the condition number, so the effect of rounding the argument and
the parameters counts as one. The reference values are from Arb (python-flint {flint}): published
formulas in ball arithmetic, with a precision that is raised until 110 bits are certain.

Each cell is likewise's error / SciPy's, rounded up to 1, 2, 4, 8, 16, 32, 100, 1000 and so on.
*all* means that no digit is right, *none* that the function returns infinity or NaN in place of a
number.
`pdf` is `pmf` of distributions of whole numbers, of whose quantiles the wrong ones count. Densities
and tails below 1e-300 are not compared, nor values that change in all digits when the argument is
rounded. *Points* says at how many points both were compared. `zipf` is left out: SciPy sums all its
terms.

`ci/stats/table.py` makes this page.

"""


def rounded(error: float) -> str:
    if np.isnan(error):
        return ""
    if not math.isfinite(error):
        return "none"
    if error > STEPS[-1]:
        return "all"
    step = next(s for s in STEPS if error <= s)
    return str(step) if step < 1e4 else f"1e{round(math.log10(step))}"


def line(name: str, count: int) -> list[str]:
    both: dict[str, Any] = {
        "likewise": getattr(likewise.stats, name),
        "SciPy": getattr(scipy.stats, name),
    }
    found = list(points(name, *both.values(), max(20, round(2 * count * of_name(name).share))))
    errors = table(name, both, found)
    cells = []
    for what in FUNCTIONS:
        if all(np.all(np.isnan(errors[b][what])) for b in both):
            cells.append("")
        else:
            cells.append(" / ".join(rounded(float(np.nanmax(errors[b][what]))) for b in both))
    return [f"`{name}`", *cells, str(len(found))]


def written() -> dict[str, list[str]]:
    if not PAGE.exists():
        return {}
    rows = [r for r in PAGE.read_text("utf-8").splitlines() if r.startswith("| `")]
    return {c[0].strip("`"): c for c in ([v.strip() for v in r.split("|")[1:-1]] for r in rows)}


def page(rows: dict[str, list[str]]) -> str:
    versions = {
        p: importlib.metadata.version(n) for p, n in (("scipy", "scipy"), ("flint", "python-flint"))
    }
    header = ["distribution", *(f"`{f}`" for f in FUNCTIONS), "points"]
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *(rows[n] for n in sorted(rows))]
    return HEAD.format(**versions) + "".join("| " + " | ".join(r) + " |\n" for r in lines)


def order(row: list[str]) -> str:
    return row[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="distributions to measure; all by default")
    parser.add_argument("--points", type=int, default=1500, help="points for each tail")
    parser.add_argument("--sample", action="store_true", help="write the sample of the tests")
    options = parser.parse_args()
    # Those of which a value takes long come last; SciPy's sums of zipf have no end.
    every = sorted({*LAWS, *COUNTS} - {"zipf"}, key=lambda n: -of_name(n).share)
    names = options.names or every
    if options.sample:
        header = ["name", "function", "x", "value", "condition", "args"]
        kept = [r for r in csv.reader(SAMPLE.open()) if r[0] not in (*names, "name")]
        for name in names:
            kept += sampled(name, getattr(likewise.stats, name))
            with SAMPLE.open("w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([header, *sorted(kept, key=order)])
        return 0
    rows = written()
    for name in names:
        rows[name] = line(name, options.points)
        print(*rows[name], flush=True)
        PAGE.write_text(page(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
