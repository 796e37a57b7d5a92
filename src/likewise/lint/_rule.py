"""What a rule is given, and what it gives."""

import ast
from dataclasses import dataclass, field

from ._scopes import Scope

__all__ = ["Complaint", "Context"]

# Where, which code, what is said.
Complaint = tuple[ast.expr | ast.stmt | ast.keyword, str, str]


@dataclass
class Context:
    """Where in a file the walk is."""

    scope: Scope
    revision: str
    handed: set[int] = field(default_factory=set)  # numbers that are asked for, by id(node)
