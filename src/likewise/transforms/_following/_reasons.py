"""Reasons why a function has no derivative or batching rule, for messages and the table."""

__all__ = ["REASONS", "why"]

_UNIQUE = "of equal elements it is not defined which one is returned; sort has a derivative"
_SIZE = "the size of the result depends on the values, so lanes would differ"

# (instruction, 'derivative' or 'batch')
REASONS: dict[tuple[str, str], str] = {
    **{
        (f"unique_{what}", kind): reason
        for what in ("all", "counts", "inverse", "values")
        for kind, reason in (("derivative", _UNIQUE), ("batch", _SIZE))
    },
    ("nonzero", "batch"): _SIZE,
}


def why(name: str, kind: str) -> str:
    """Return the end of a refusal."""
    reason = REASONS.get((name, kind))
    return f": {reason}" if reason else ""
