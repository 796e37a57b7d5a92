"""Findings as text, as JSON, and as annotations of GitHub."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from ._findings import Finding

__all__ = ["FORMATS", "render"]


def _text(findings: Sequence[Finding]) -> str:
    if not findings:
        return "Nothing found."
    count, files = len(findings), len({f.path for f in findings})
    total = f"{count} finding{'s' * (count > 1)} in {files} file{'s' * (files > 1)}"
    return "\n".join([*map(str, findings), total])


def _json(findings: Sequence[Finding]) -> str:
    return json.dumps([asdict(f) for f in findings], indent=2)


def _github(findings: Sequence[Finding]) -> str:
    return "\n".join(
        f"::error file={_property(f.path)},line={f.line},col={f.column},"
        f"title={_property(f.code)}::{_data(f.message)}"
        for f in findings
    )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMATS = {"text": _text, "json": _json, "github": _github}


def render(findings: Sequence[Finding], form: str) -> str:
    """Return the text of the findings; '' if there are none to print."""
    return FORMATS[form](findings)
