"""What is reported, and the table of its codes."""

from dataclasses import dataclass

__all__ = ["CODES", "Finding"]

# code -> what it finds; docs/lint has a page for each.
CODES = {
    "LW001": "file that can't be read as Python",
    "LW101": "name that is not in the standard",
    "LW102": "a library's spelling of a standard name",
    "LW103": "name for which there is a portable function elsewhere",
    "LW104": "name that is newer than the revision",
    "LW105": "call that the standard's signature doesn't allow",
    "LW106": "attribute that standard arrays don't have",
    "LW107": "dtype that is not the namespace's",
    "LW201": "direct call of an array library",
    "LW202": "array taken to the host",
    "LW203": "Python number of an array",
    "LW204": "branch on the value of an array",
    "LW301": "item assignment to an array",
    "LW302": "in-place operation on the caller's array",
    "LW401": "creation without dtype",
    "LW402": "creation without device",
}


@dataclass(frozen=True, order=True)
class Finding:
    """One place in a file where a rule is broken; lines and columns count from 1."""

    path: str
    line: int
    column: int
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"
