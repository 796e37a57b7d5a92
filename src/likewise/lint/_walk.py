"""The walk through a file: scopes, branches, and the rules at each node."""

import ast
from collections.abc import Callable, Iterable

from . import _rules_arrays as arrays
from . import _rules_names as names
from . import _rules_python as python
from ._definitions import Files
from ._guards import (
    catches,
    for_one,
    guards_rest,
    imports_library,
    is_attempt,
    is_for_library,
)
from ._helpers import helpers
from ._rule import Complaint, Context
from ._scopes import Function, Scope, outer_expressions

__all__ = ["walk"]

CALLS = (
    names.arguments,
    names.creation,
    names.dtypes,
    arrays.calls,
    arrays.calls_of_scipy,
    arrays.mixtures,
    arrays.numbers,
    arrays.scalars,
    helpers,
    python.builtins,
    python.mathematics,
)


def walk(
    scope: Scope, revision: str, package: str = "", files: Files | None = None
) -> list[Complaint]:
    """Return all findings of the rules in a file."""
    walker = _Walker(Context(scope, revision, package, files))
    walker.visit(scope.node)
    return walker.found


class _Walker(ast.NodeVisitor):
    def __init__(self, context: Context) -> None:
        self.context = context
        self.found: list[Complaint] = []
        self.active = False  # in a function that has a namespace
        self.guarded = False  # in a branch for one library

    def report(self, complaints: Iterable[Complaint]) -> None:
        if self.active and not self.guarded:
            self.found.extend(complaints)

    def generic_visit(self, node: ast.AST) -> None:
        for _, value in ast.iter_fields(node):
            if isinstance(value, list):
                self.many(value)
            elif isinstance(value, ast.AST):
                self.visit(value)

    def many(self, nodes: list[ast.AST]) -> None:
        """Expressions, or a block: where one statement guards the rest, that is passed over."""
        before = self.guarded
        for i, node in enumerate(nodes, 1):
            if isinstance(node, ast.AST):
                self.visit(node)
                if self.active and isinstance(node, ast.If) and i < len(nodes):
                    self.guarded = self.guarded or guards_rest(self.context.scope, node)
        self.guarded = before

    # -- scopes ------------------------------------------------------------------------------------

    def within(self, node: ast.AST, body: Callable[[], None]) -> None:
        outer, active = self.context.scope, self.active
        scope = self.context.scope = outer.inner[id(node)]
        self.active = scope.has_namespace()
        names = {getattr(node, "name", ""), str(id(node))}  # of a lambda, its place
        scope.is_followed = not self.active and (outer.is_followed or bool(names & outer.followed))
        body()
        self.context.scope, self.active = outer, active

    def function(self, node: Function) -> None:
        for outside in outer_expressions(node):
            self.visit(outside)
        if isinstance(node, ast.Lambda):
            self.within(node, lambda: self.visit(node.body))
        else:
            before = self.guarded
            self.guarded = before or is_for_library(node.body)
            self.within(node, lambda: self.many(list(node.body)))
            self.guarded = before

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = function

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.within(node, lambda: self.many(list(node.body)))

    # -- branches ----------------------------------------------------------------------------------

    def branch(self, node: ast.If | ast.IfExp | ast.While) -> None:
        if not self.active:
            self.generic_visit(node)
            return
        before = self.guarded
        if isinstance(node, ast.If):
            self.report(python.types(self.context, node))
        sides = for_one(self.context.scope, node.test)
        self.guarded = before or bool(sides)
        self.report(arrays.branches(self.context, node.test))
        self.visit(node.test)
        for name in ("body", "orelse"):
            part = getattr(node, name)
            self.guarded = before or name in sides or imports_library(part)
            self.many(part if isinstance(part, list) else [part])
        self.guarded = before

    visit_If = visit_IfExp = visit_While = branch

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """`hasattr(xp, "name") and xp.name(x)`."""
        if self.active:
            self.report(python.logic(self.context, node))
        before = self.guarded
        goes_on = "body" if isinstance(node.op, ast.And) else "orelse"
        for value in node.values:
            self.visit(value)
            if self.active:
                self.guarded = self.guarded or goes_on in for_one(self.context.scope, value)
        self.guarded = before

    def visit_Try(self, node: ast.Try) -> None:
        before, tried = self.guarded, self.context.tried
        self.guarded = before or is_attempt(node)
        self.context.tried = tried or catches(node, "TypeError")
        self.many(list(node.body))
        self.context.tried = tried
        for rest in (node.handlers, node.orelse, node.finalbody):
            self.many(list(rest))
        self.guarded = before

    def visit_Assert(self, node: ast.Assert) -> None:
        if self.active:
            found = list(arrays.branches(self.context, node.test, "an assertion"))
            self.report(() if arrays.in_a_test(self.context.scope) else found)
            self.report(python.types(self.context, node))
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        if self.active:
            for test in node.ifs:
                self.report(arrays.branches(self.context, test))
            self.report(python.loops(self.context, node))
        self.generic_visit(node)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        if self.active:
            self.report(python.loops(self.context, node))
        self.generic_visit(node)

    visit_AsyncFor = visit_For

    # -- rules -------------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self.active:
            self.report(names.names(self.context, node))
            self.report(arrays.attributes(self.context, node))
            self.report(python.kinds(self.context, node))
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        if self.active:
            self.hand_over(node)
            for rule in CALLS:
                self.report(rule(self.context, node))
        elif self.context.scope.parent is not None and not self.guarded:
            self.found.extend(arrays.calls_of_scipy(self.context, node))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if self.active:
            self.report(arrays.mixtures(self.context, node))
            self.report(arrays.scalars(self.context, node))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if self.active:
            self.report(python.logic(self.context, node))
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if self.active:
            self.report(python.indices(self.context, node))
        self.generic_visit(node)

    def visit_Starred(self, node: ast.Starred) -> None:
        if self.active:
            self.report(python.loops(self.context, node))
        self.generic_visit(node)

    def hand_over(self, node: ast.AST) -> None:
        self.context.handed.update(map(id, arrays.handed_over(node)))

    def handing_over(self, node: ast.AST) -> None:
        if self.active:
            self.hand_over(node)
        self.generic_visit(node)

    visit_Return = visit_Raise = visit_Dict = visit_DictComp = visit_FormattedValue = handing_over

    def visit_Assign(self, node: ast.Assign) -> None:
        if self.active:
            self.hand_over(node)
            for target in node.targets:
                self.report(arrays.assignments(self.context, target))
                self.report(python.unpacking(self.context, target, node.value))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if self.active:
            self.report(arrays.in_place(self.context, node))
        self.generic_visit(node)
