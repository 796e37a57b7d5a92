"""Rules on names, arguments and creation."""

from pathlib import Path

import pytest

from likewise.lint import check

HEAD = (
    "import numpy as np\n\n\ndef f(x, n, dtype, device, **options):\n    xp = array_namespace(x)\n"
)


def said(tmp_path: Path, line: str, revision: str | None = None) -> list[str]:
    path = tmp_path / "code.py"
    path.write_text(f"{HEAD}    {line}\n")
    return [f"{f.column} {f.code} {f.message}" for f in check([path], revision=revision)]


@pytest.mark.parametrize(
    "line, start",
    [
        ("xp.frobnicate(x)", "5 LW101 `xp.frobnicate` is not in the standard 2025.12"),
        (
            "xp.random.rand(3)",
            "5 LW103 `xp.random.rand` is not in the standard; use `likewise.random.uni",
        ),
        ("xp.random.get_state()", "5 LW101 `xp.random` is not in the standard; use `likewise.rand"),
        ("xp.random", "5 LW101 `xp.random` is not in the standard; use `likewise.random`, whose"),
        (
            "xp.median(x)",
            "5 LW103 `xp.median` is not in the standard; use `likewise.missing.median`",
        ),
        (
            "xp.linalg.norm(x)",
            "5 LW103 `xp.linalg.norm` is not in the standard; use `likewise.linalg.norm`",
        ),
        ("xp.add.reduce(x)", "5 LW101 `xp.add` is a plain function in the standard, without `re"),
        ("y = xp.bool_", "9 LW102 `xp.bool_` is not in the standard, where it is called `xp.bool`"),
        ("xp.outer(x, x)", "5 LW102 `xp.outer` is not in the standard, where it is called `xp.li"),
        (
            "xp.rfft(x)",
            "5 LW102 `xp.rfft` is not in the standard, where it is called `xp.fft.rfft`",
        ),
        ("xp.linalg.concat(x)", "5 LW102 `xp.linalg.concat` is not in the standard, where it is "),
        ("xp.kron(x, x)", "5 LW103 `xp.kron` is not in the standard; use `likewise.missing.kron`"),
        ("xp.sum(x, 0)", "15 LW105 in the standard's `xp.sum`, `axis` must be given by name"),
        ("xp.where(x)", "5 LW105 in the standard's `xp.where`, it can't do without `x1`, `x2`; us"),
        ("xp.float32(3)", "5 LW105 in the standard `xp.float32` is a dtype, not a function"),
        ("xp.astype(x, np.int_)", "18 LW107 `np.int_` is no dtype of `xp`; use one such as `xp.in"),
        ("xp.sum(x, dtype='float32')", "21 LW107 the text 'float32' is no dtype of `xp`; use one "),
        ("xp.sum(x, dtype=int)", "21 LW107 Python's `int` is no dtype of `xp`; use one such as `"),
        ("xp.zeros(n, device=device)", "5 LW401 `xp.zeros` without `dtype`"),
        ("xp.arange(0.0, n, device=device)", "5 LW401 `xp.arange` without `dtype`"),
        ("xp.arange(n / 2, device=device)", "5 LW401 `xp.arange` without `dtype`"),
        ("xp.asarray([0.5, 1], device=device)", "5 LW401 `xp.asarray` without `dtype`"),
        ("xp.full(n, 0.0, device=device)", "5 LW401 `xp.full` without `dtype`"),
        ("xp.arange(n)", "5 LW402 `xp.arange` without `device`"),
        ("xp.asarray([1, 2])", "5 LW402 `xp.asarray` without `device`"),
        ("xp.fft.fftfreq(n, dtype=dtype)", "5 LW402 `xp.fft.fftfreq` without `device`"),
    ],
)
def test_found(line: str, start: str, tmp_path: Path) -> None:
    (found,) = said(tmp_path, line)
    assert found.startswith(start)


@pytest.mark.parametrize(
    "line",
    [
        "xp.concat([x, x], axis=0)",
        "xp.linalg.vector_norm(x, axis=-1, keepdims=True)",
        "xp.__array_namespace_info__().default_device()",
        "y = xp.pi + xp.inf",
        "xp.trapezoid = None",
        "xp.zeros(n, dtype=dtype, device=device)",
        "xp.zeros(n, **options)",
        "xp.zeros_like(x)",
        "xp.asarray(x)",
        "xp.asarray(n)",
        "xp.arange(n, device=device)",
        "xp.full(n, True, device=device)",
        "xp.asarray([[1, 2], [3, -4]], device=device)",
        "xp.empty(0)",
        "xp.full(n, 0, device=device)",
        "xp.asarray([n], device=device)",
        "np.concatenate([n, n])",
        "n.concatenate(x)",
    ],
)
def test_nothing(line: str, tmp_path: Path) -> None:
    assert said(tmp_path, line) == []


@pytest.mark.parametrize(
    "line, start",
    [
        ("xp.diff(x)", "`xp.diff` is in the standard since 2024.12, not in 2023.12"),
        ("xp.isin(x, x)", "`xp.isin` is in the standard since 2025.12, not in 2023.12; use `arr"),
        ("xp.fft.fftfreq(n, dtype=dtype, device=device)", "`dtype` of `xp.fft.fftfreq` is in the"),
    ],
)
def test_revisions(line: str, start: str, tmp_path: Path) -> None:
    (found,) = said(tmp_path, line, "2023.12")
    assert found.partition(" LW104 ")[2].startswith(start)
    assert said(tmp_path, line) == []


def test_spelling_of_a_newer_name(tmp_path: Path) -> None:
    """Not a matter of spelling, in the older revision."""
    (found,) = said(tmp_path, "xp.cumprod(x)", "2023.12")
    assert "LW101" in found and "`xp.cumulative_prod` is, since 2024.12" in found
