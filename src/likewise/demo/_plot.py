"""The plot: 27 fits with their residuals, and the spectrum with the line of the year."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec
from matplotlib.ticker import FuncFormatter, MaxNLocator

from .._namespace import namespace
from . import nist
from ._run import Fit, Row

__all__ = ["draw"]

INK, FAINT, LINE, POINT = "#22303c", "#8a97a3", "#d1495b", "#2e6f9e"
SERIES = ("#2e6f9e", "#3f9a8a", "#c98a1b", "#d1495b")  # cold to hot
GOOD, FAIR, POOR = "#2a7f62", "#b7791f", "#c0392b"
ACROSS, DOWN = 6, 5
LEFT = 0.035
DENSE = 600  # points of a curve


def draw(path: Path, row: Row) -> None:
    """Draw a library's 27 fits and the spectrum into a file.

    Parameters
    ----------
    path : Path
        The file; its suffix sets the format: .png, .pdf, .svg.
    row : Row
        The library's results. Data sets without a fit are drawn without a curve.

    Raises
    ------
    OSError
        If the file can't be written.
    """
    figure = Figure(figsize=(19, 16.5), facecolor="white")
    lines = (
        ("27 certified nonlinear regressions and a spectrum", 0.979, 21, "bold"),
        (
            f"likewise.optimize.curve_fit on {row.library} {row.version}: {row.type_in} in, "
            f"{row.type_out} out, on {row.device}.  Measurements: NIST Statistical Reference "
            "Datasets, in the order of their difficulty.",
            0.9595,
            11.5,
            "normal",
        ),
        (
            "At the right of a title: correct digits of the worst parameter from the far and from "
            "the near start, 11 at most.  Points: data;  line: fit;  below it: residuals.",
            0.9475,
            11.5,
            "normal",
        ),
    )
    for text, height, size, weight in lines:
        figure.text(LEFT, height, text, fontsize=size, fontweight=weight, color=INK, va="center")
    grid = GridSpec(
        DOWN,
        ACROSS,
        figure=figure,
        left=LEFT,
        right=0.988,
        top=0.922,
        bottom=0.03,
        hspace=0.27,
        wspace=0.24,
    )
    problems = nist.load()
    for i, problem in enumerate(problems):
        _panel(figure, grid[i // ACROSS, i % ACROSS], problem, row.fits.get(problem.name))
    enso = next(p for p in problems if p.name == "ENSO")
    _spectrum(figure.add_subplot(grid[DOWN - 1, len(problems) % ACROSS :]), row, enso)
    figure.savefig(path, dpi=110)


def _panel(figure: Figure, place: SubplotSpec, problem: nist.Dataset, fit: Fit | None) -> None:
    inner = place.subgridspec(2, 1, height_ratios=(3.4, 1), hspace=0.1)
    upper, lower = figure.add_subplot(inner[0]), figure.add_subplot(inner[1])
    for axes in (upper, lower):
        _plain(axes)
    upper.set_title(problem.name, loc="left", fontsize=12, fontweight="bold", color=INK, pad=5)
    upper.set_title(problem.level, loc="center", x=0.53, fontsize=9, color=FAINT, pad=5)
    size = 5.0 if len(problem.y) < 40 else 3.2
    groups = _groups(problem)
    for color, x, y, label, _ in groups:
        upper.plot(
            x, y, "o", ms=size, mfc=color, mec="white", mew=0.3, alpha=0.75, zorder=2, label=label
        )
    if len(groups) > 1:
        upper.legend(
            loc="lower left",
            fontsize=8,
            frameon=False,
            labelcolor="linecolor",
            borderpad=0,
            labelspacing=0.2,
            handlelength=1,
        )
    if fit is not None:
        shades = {GOOD: 6.0, FAIR: 4.0, POOR: 0.0}
        worst = min(fit.digits)
        shade = next(color for color, least in shades.items() if worst >= least)
        text = " · ".join(f"{d:.1f}" for d in fit.digits)
        upper.set_title(text, loc="right", fontsize=10, color=shade, pad=5)
        best = fit.popt[max(range(len(fit.digits)), key=fit.digits.__getitem__)]
        largest = 0.0
        for color, x, y, _, model in groups:
            xp = namespace("numpy")
            dense = xp.linspace(min(x), max(x), DENSE)
            line = LINE if len(groups) == 1 else color
            upper.plot(dense, model(dense, best), color=line, lw=1.6, zorder=3)
            residual = xp.asarray(y) - model(xp.asarray(x), best)
            lower.vlines(x, 0, residual, color=color, lw=0.9, alpha=0.6)
            lower.plot(x, residual, "o", ms=0.6 * size, mfc=color, mec="none", alpha=0.8)
            largest = max(largest, float(xp.max(xp.abs(residual))))
        if largest > 0:
            lower.set_ylim(-1.3 * largest, 1.3 * largest)
            lower.set_yticks([-largest, largest])
    lower.axhline(0, color=FAINT, lw=0.8, zorder=0)
    lower.yaxis.set_major_formatter(FuncFormatter(_signed))
    upper.yaxis.set_major_locator(MaxNLocator(4))
    upper.margins(x=0.04, y=0.08)
    lower.set_xlim(upper.get_xlim())
    upper.xaxis.set_major_locator(MaxNLocator(5))
    lower.xaxis.set_major_locator(MaxNLocator(5))
    upper.tick_params(labelbottom=False)


Model = Callable[[Any, Sequence[float]], Any]


def _groups(problem: nist.Dataset) -> list[tuple[str, list[float], list[float], str, Model]]:
    """Color, x, y, label and model along x; for Nelson's two predictors one group a temperature."""
    first = problem.x[0]
    if not isinstance(first, tuple):
        x = [float(v) for v in problem.x if not isinstance(v, tuple)]
        return [(POINT, x, list(problem.y), "", lambda at, p: problem.fun(at, *p))]
    time, temperature = (list(c) for c in problem.x if isinstance(c, tuple))
    groups: list[tuple[str, list[float], list[float], str, Model]] = []
    for color, level in zip(SERIES, sorted(set(temperature)), strict=True):
        mine = [i for i, t in enumerate(temperature) if t == level]

        def model(at: Any, p: Sequence[float], level: float = level) -> Any:
            xp = namespace("numpy")
            return problem.fun(xp.stack([at, xp.full_like(at, level)]), *p)

        groups.append(
            (color, [time[i] for i in mine], [problem.y[i] for i in mine], f"{level:g} °C", model)
        )
    return groups


def _spectrum(axes: Axes, row: Row, enso: nist.Dataset) -> None:
    _plain(axes)
    axes.set_title(
        "ENSO: spectrum of the monthly pressure differences",
        loc="left",
        fontsize=12,
        fontweight="bold",
        color=INK,
        pad=5,
    )
    axes.set_yticks([])
    axes.set_xlabel("period, months", fontsize=9.5, color=INK)
    axes.set_xlim(0, 3.2)
    axes.set_ylim(0, 1.2)
    months = (96, 48, 24, 16, 12, 9, 8, 6, 5, 4)
    axes.set_xticks([12 / m for m in months], [str(m) for m in months])
    if row.period is None:
        return
    top = max(row.power)
    turns = [12 * k / (2 * (len(row.power) - 1)) for k in range(len(row.power))]  # a year
    power = [p / top for p in row.power]
    axes.fill_between(turns, power, color=POINT, alpha=0.25, lw=0)
    axes.plot(turns, power, color=POINT, lw=1.5)
    axes.axvline(1, color=LINE, lw=1.2, ls=(0, (5, 3)), zorder=0)
    axes.text(
        1.03,
        1.13,
        f"12 months: the strongest line, found at {row.period:.2f}",
        color=LINE,
        fontsize=10.5,
        fontweight="bold",
        va="center",
    )
    # NIST's model has two more cycles, whose periods it fits.
    note = "dotted: the other two cycles of NIST's model"
    axes.text(1.03, 1.04, note, color=FAINT, fontsize=9.5, va="center")
    for period in (enso.certified[3], enso.certified[6]):
        axes.axvline(12 / period, color=FAINT, lw=1, ls=":", zorder=0)
        axes.text(
            12 / period - 0.015,
            1.13,
            f"{period:.1f}",
            color=FAINT,
            fontsize=9.5,
            va="center",
            ha="right",
        )


def _signed(value: float, _: object = None) -> str:
    return f"{value:+.0f}" if abs(value) >= 9.5 else f"{value:+.1g}"


def _plain(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
    axes.tick_params(labelsize=8.5, colors=INK, color=FAINT, length=3)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
