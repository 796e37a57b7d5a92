"""The types of a rule's arguments and results."""

import ast
from dataclasses import dataclass, field

from ._definitions import Files
from ._scopes import Scope

__all__ = ["Complaint", "Context"]

# Where, which code, what is said.
Complaint = tuple[ast.expr | ast.stmt | ast.keyword, str, str]


@dataclass
class Context:
    """Hold the current place of the walk through a file."""

    scope: Scope
    revision: str
    package: str = ""  # that the file is in
    files: Files | None = None  # finds functions that are called
    tried: bool = False  # in a `try` that expects a TypeError
    handed: set[int] = field(default_factory=set)  # numbers that are asked for, by id(node)
    said: set[int] = field(default_factory=set)  # nodes that another finding has covered
