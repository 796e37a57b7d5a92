"""The picture: every data set in it, and nothing over anything else."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from likewise.demo import Row, _plot, nist, run


@pytest.fixture(scope="module")
def row() -> Row:
    return run(["numpy"]).rows[0]


def drawn(row: Row, path: Path, monkeypatch: pytest.MonkeyPatch) -> Figure:
    figures: list[Figure] = []

    class Kept(Figure):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            figures.append(self)

    monkeypatch.setattr(_plot, "Figure", Kept)
    _plot.draw(path, row)
    FigureCanvasAgg(figures[0]).draw()
    return figures[0]


@pytest.mark.full
def test_picture(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fits.png"
    figure = drawn(row, path, monkeypatch)
    assert path.read_bytes().startswith(b"\x89PNG")
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert [t for t in titles if t in nist.MODELS] == list(nist.MODELS)
    assert len(figure.axes) == 2 * 27 + 1
    right = dict(zip(titles, (a.get_title(loc="right") for a in figure.axes), strict=True))
    first = row.fits["Misra1a"].digits
    assert right["Misra1a"] == f"{first[0]:.1f} · {first[1]:.1f}"

    # Panels with all their labels lie beside each other and inside the figure.
    renderer = figure.canvas.get_renderer()
    boxes = [axes.get_tightbbox(renderer) for axes in figure.axes]
    for i, a in enumerate(boxes):
        assert a.x0 >= 0 and a.y0 >= 0 and a.x1 <= figure.bbox.x1 and a.y1 <= figure.bbox.y1
        for j, b in enumerate(boxes[:i]):
            assert not a.overlaps(b), (titles[j], titles[i])
    for text in figure.texts:
        box = text.get_window_extent(renderer)
        assert box.x1 <= figure.bbox.x1 and not any(box.overlaps(b) for b in boxes)


@pytest.mark.full
def test_titles_do_not_meet(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = drawn(row, tmp_path / "fits.png", monkeypatch)
    renderer = figure.canvas.get_renderer()
    for axes in figure.axes:
        parts = [
            t.get_window_extent(renderer)
            for t in (axes._left_title, axes.title, axes._right_title)
            if t.get_text()
        ]
        assert all(a.x1 < b.x0 for a, b in itertools.pairwise(parts))


@pytest.mark.full
def test_part_of_the_work(tmp_path: Path) -> None:
    """After Ctrl-C: what there is, and the data."""
    row = Row("numpy")
    row.fits["DanWood"] = run_one()
    _plot.draw(tmp_path / "fits.svg", row)
    assert (tmp_path / "fits.svg").stat().st_size > 10_000


def run_one() -> Any:
    from likewise.demo import Fit

    certified = next(d for d in nist.load() if d.name == "DanWood").certified
    return Fit((certified, certified), (5.0, 2.0))


def test_no_such_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [d for d in nist.load() if d.name in ("Misra1a", "ENSO")]
    monkeypatch.setattr(nist, "load", lambda: few)
    with pytest.raises(OSError):
        _plot.draw(tmp_path / "none" / "fits.png", run(["numpy"]).rows[0])
