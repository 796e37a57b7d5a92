"""The findings, and the table of their codes."""

from dataclasses import dataclass

__all__ = ["CODES", "LENIENT", "OPTIONAL", "Finding"]

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
    "LW108": "attribute that standard dtypes don't have",
    "LW201": "direct call of an array library",
    "LW202": "array taken to the host",
    "LW203": "Python number of an array",
    "LW204": "branch on the value of an array",
    "LW205": "SciPy called on an array",
    "LW206": "helper that takes NumPy's arrays only",
    "LW207": "type check that admits one library's arrays only",
    "LW301": "item assignment to an array",
    "LW302": "in-place operation on the caller's array",
    "LW401": "creation without dtype",
    "LW402": "creation without device",
    "LW403": "NumPy scalar that makes the result double",
    "LW501": "negative step in a slice",
    "LW502": "list as an index",
    "LW503": "Python's function on an array",
    "LW504": "loop over an array",
    "LW505": "function of math on an array",
    "LW506": "and, or, not of an array",
    "LW507": "shape that depends on the data",
}
# Those that are reported only where a selection names them in full.
OPTIONAL = frozenset(["LW507"])
# Those that don't matter in tests, where values are looked at and one library is the reference.
LENIENT = (*(f"LW20{n}" for n in range(1, 8)), "LW302", "LW4", "LW505", "LW506", "LW507")


@dataclass(frozen=True, order=True)
class Finding:
    """Hold one place in a file where a rule is broken; lines and columns count from 1."""

    path: str
    line: int
    column: int
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"
