"""A linter for code in the array API standard. It reads files without importing them."""

import os
from collections.abc import Iterable
from pathlib import Path

from . import _config, _files
from ._findings import Finding

__all__ = ["Finding", "check"]


def check(
    paths: Iterable[str | os.PathLike[str]],
    *,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    revision: str | None = None,
) -> list[Finding]:
    """Find code that is not portable in functions that use an array namespace.

    These are functions with a parameter ``xp``, or with a name assigned from `array_namespace`,
    ``get_namespace`` or ``get_array_module``. The linter skips branches for one library, such as
    after ``if xp is np``, and lines with the comment ``# likewise: ignore[LW101]``.

    Parameters
    ----------
    paths : iterable of path-like
        Files, and folders with ``.py`` files.
    select, ignore : iterable of str, optional
        Codes, or prefixes such as ``"LW4"``, to report or not to report. Default: the setting of
        the nearest ``pyproject.toml`` above each path, otherwise all and none.
    revision : {'2023.12', '2024.12', '2025.12'}, optional
        Revision of the standard. Default: the setting of ``pyproject.toml``, otherwise the newest.

    Returns
    -------
    list of Finding
        Sorted by path, then by line.

    Raises
    ------
    ArgumentError
        If a path or a setting doesn't exist.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from likewise.lint import check
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "norm.py")
    ...     _ = path.write_text("def norm(x, xp):\\n    return xp.absolute(x)\\n")
    ...     (found,) = check([path])
    >>> found.line, found.column, found.code
    (2, 12, 'LW102')
    >>> found.message
    '`xp.absolute` is not in the standard, where it is called `xp.abs`'
    """
    chosen, dropped = _kept(select), _kept(ignore)
    done: dict[Path, list[Finding]] = {}
    for path in map(Path, paths):
        found = _config.settings(path, chosen, dropped, revision)
        for file in _files.python_files(path, found):
            if file not in done:
                done[file] = _files.check_file(file, found)
    return [finding for findings in done.values() for finding in findings]


def _kept(codes: Iterable[str] | None) -> Iterable[str] | None:
    """Make codes readable as often as there are paths; a text is refused later."""
    return codes if codes is None or isinstance(codes, str) else tuple(codes)
