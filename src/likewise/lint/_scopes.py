"""Scopes of a file, and the bindings of their names.

There is no type inference. A name counts as a namespace or an array only if the form of every
binding that can reach it shows it.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ._names import ELSEWHERE, HINTS, METHODS, NAMES, RENAMED
from ._rooms import FOLLOWERS

__all__ = [
    "KEPT",
    "LIBRARIES",
    "MOST",
    "NAMESPACE_FUNCTIONS",
    "Binding",
    "Function",
    "Scope",
    "scopes",
    "words",
]

Position = tuple[int, int]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
LOOPS = (ast.For, ast.AsyncFor, ast.While)

# Functions whose result, or its first item, is a namespace.
NAMESPACE_FUNCTIONS = frozenset(
    """__array_namespace__ array_namespace get_array_module get_namespace get_namespace_and_device
    get_xp""".split()
)
LIBRARIES = frozenset("numpy cupy cupyx torch jax dask tensorflow".split())
# A parameter `xp` is a namespace if it is asked for such a name, and if nothing below says that it
# holds the points of an interpolation, a number, or whatever else.
KNOWN = frozenset([*NAMES, *RENAMED, *ELSEWHERE, *HINTS, "fft", "linalg"])
NAMESPACE_TYPES = re.compile(r"module|namespace|^any$|^object$|backend|librar|api|^xp", re.I)
ATTRIBUTES_OF_POINTS = frozenset("T dtype ndim shape size item tolist".split())
TAKING_POINTS = frozenset(
    "abs complex enumerate float int len list max min range round sorted sum tuple zip".split()
)

# Attributes under which objects keep a namespace.
KEPT = ("xp", "_xp", "xp_", "_xp_", "_ns", "namespace", "_namespace")

# A name with more bindings than these, in text that a program wrote, is not looked into.
MOST = 200

FIRST: Position = (0, 0)
EVER: Position = (sys.maxsize, 0)


@dataclass
class Binding:
    """Hold one place where a name gets a value."""

    at: Position
    value: ast.expr | None = None  # None: unknown
    index: int | None = None  # the item of `value`, where that is unpacked
    parameter: ast.arg | None = None
    certain: bool = True  # the statement is on the top level of its function
    looped: bool = False
    array: bool | None = None  # whether that is one; worked out when asked


@dataclass
class Scope:
    """Hold a function or the file, with the bindings of its names."""

    node: ast.AST
    parent: "Scope | None" = None
    functions: frozenset[str] = NAMESPACE_FUNCTIONS
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    given: dict[str, Position] = field(default_factory=dict)  # names whose namespace is asked for
    points: set[str] = field(default_factory=set)  # names that are used as arrays are
    asked: set[str] = field(default_factory=set)  # names that are used as namespaces are
    imports: dict[str, str] = field(default_factory=dict)  # alias -> dotted name
    defaults: set[str] = field(default_factory=set)  # parameters with a default
    inner: "dict[int, Scope]" = field(default_factory=dict)  # by id(node)
    known: dict[str, bool] = field(default_factory=dict)
    taken: set[str] | None = None  # parameters that are arrays by their use; worked out when asked
    followed: set[str] = field(default_factory=set)  # functions that a transform is given
    is_followed: bool = (
        False  # it has no namespace, and its parameters are what a transform follows
    )
    owner: "Scope | None" = None  # of a method: its class
    me: str = ""  # of a method: what it calls its object
    # Of a class: what its methods bind its attributes to, each with the method's scope.
    attributes: "dict[str, list[tuple[Scope, Binding]]]" = field(default_factory=dict)

    def bind(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)

    def home(self, name: str) -> "Scope | None":
        """Return the scope that binds a name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.bindings:
            scope = scope.parent
        return scope

    def dotted(self, node: ast.expr) -> str:
        """Return `numpy.linalg.norm` for `np.linalg.norm`; '' if the module isn't known."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        home = self.home(node.id)
        if home is None or node.id not in home.imports:
            return ""
        others = [b.value for b in home.bindings[node.id]][1:]  # `scipy = None`, after a try
        if not all(isinstance(value, ast.Constant) and value.value is None for value in others):
            return ""
        return ".".join([home.imports[node.id], *reversed(parts)])

    def library(self, node: ast.expr) -> bool:
        """Tell whether an expression is a module, function or class of an array library."""
        return self.dotted(node).partition(".")[0] in LIBRARIES

    # -- namespaces --------------------------------------------------------------------------------

    def gives_namespace(self, node: ast.expr) -> bool:
        """Tell whether an expression calls a function such as `array_namespace`."""
        if not isinstance(node, ast.Call):
            return False
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return name in self.functions or self.dotted(node.func).rpartition(".")[2] in self.functions

    def is_namespace(self, name: str) -> bool:
        home = self.home(name)
        if home is None:
            return False
        if name not in home.known:
            home.known[name] = False  # for what refers to itself
            home.known[name] = home._is_namespace(name)
        return home.known[name]

    def _is_namespace(self, name: str) -> bool:
        found = False
        for binding in self.bindings[name]:
            if binding.parameter is not None:
                if name != "xp" or self._is_points(name, binding.parameter):
                    return False
                found = found or name in self.asked
            elif binding.value is None or binding.index:
                return False
            else:
                one = self._namespace_like(binding.value, name)
                if one is None:
                    return False
                found = found or one
        return found

    def _is_points(self, name: str, parameter: ast.arg) -> bool:
        said = words(parameter.annotation)
        if said and not any(map(NAMESPACE_TYPES.search, said)):
            return True
        others = [*self.bindings.get("fp", ()), *self.bindings.get("yp", ())]
        return name in self.points or any(b.parameter for b in others)

    def _namespace_like(self, node: ast.expr, name: str) -> bool | None:
        """True: a namespace; False: a library or the name itself; None: neither."""
        if self.gives_namespace(node):
            return True
        if isinstance(node, ast.IfExp):
            parts = [self._namespace_like(n, name) for n in (node.body, node.orelse)]
        elif isinstance(node, ast.BoolOp):
            parts = [self._namespace_like(n, name) for n in node.values]
        elif isinstance(node, ast.Constant):
            return False if node.value is None else None
        elif isinstance(node, ast.Name) and node.id == name:
            return False
        elif self.namespace(node):
            return True
        else:
            return False if self.library(node) else None
        return None if None in parts else any(parts)

    def namespace(self, node: ast.expr) -> str:
        """Return `xp` or `self.xp` for an expression that is a namespace, and '' for any other."""
        match node:
            case ast.Name(id=name) if self.is_namespace(name):
                return name
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                owner = self.owner_of(name)
                if owner is not None and owner.keeps_namespace(attribute):
                    return f"{name}.{attribute}"
        return ""

    def owner_of(self, name: str) -> "Scope | None":
        """Return the class of the object that a name means in a method."""
        home = self.home(name)
        return home.owner if home is not None and home.me == name else None

    def keeps_namespace(self, attribute: str) -> bool:
        """Tell whether a class's methods bind an attribute only to namespaces."""
        bound = self.attributes.get(attribute, [])
        key = f".{attribute}"
        if key not in self.known:
            self.known[key] = False  # for what refers to itself
            self.known[key] = attribute not in self.bindings and _all_namespaces(bound)
        return self.known[key]

    def has_namespace(self) -> bool:
        """Tell whether the function, one around it or its class has a namespace."""
        scope: Scope | None = self
        while scope is not None and scope.parent is not None:
            if any(scope.is_namespace(name) for name in scope.bindings):
                return True
            if scope.owner is not None and any(map(scope.owner.keeps_namespace, KEPT)):
                return True
            scope = scope.parent
        return False

    def follows(self, node: ast.expr) -> bool:
        """Tell whether an expression is a transform of likewise, which traces its argument."""
        path = self.dotted(node)
        return path.startswith("likewise.") and path.rpartition(".")[2] in FOLLOWERS

    # -- bindings that reach a place ---------------------------------------------------------------

    def reaching(self, name: str, at: Position) -> "tuple[Scope, list[Binding]] | None":
        """Return the bindings that may apply where a name is used; in doubt, too many."""
        home = self.home(name)
        if home is None or len(home.bindings[name]) > MOST:
            return None
        every = home.bindings[name]
        if home is not self:  # used by an inner function, nobody knows when
            return home, every
        last = max((b.at for b in every if b.certain and b.at <= at), default=FIRST)
        return home, [b for b in every if b.at >= last and (b.at <= at or b.looped)]


def _all_namespaces(bound: "list[tuple[Scope, Binding]]") -> bool:
    """Tell whether one of these is a namespace, and the others are that or None."""
    found = False
    for scope, binding in bound:
        value = binding.value
        if isinstance(value, ast.Constant) and value.value is None:
            continue
        given = scope.bindings.get("xp", ()) if getattr(value, "id", "") == "xp" else ()
        parameter = given[0].parameter if len(given) == 1 else None
        handed = parameter is not None and not scope._is_points("xp", parameter)
        if value is None or binding.index or not (handed or scope._namespace_like(value, "")):
            return False
        found = True
    return found


def words(annotation: ast.expr | None) -> set[str]:
    return set() if annotation is None else set(re.findall(r"\w+", ast.unparse(annotation)))


def end(node: ast.AST) -> Position:
    line, column = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    return (line or 0, column or 0)


def scopes(tree: ast.Module, functions: frozenset[str]) -> Scope:
    """Return the scope of a file, which contains those of its functions."""
    scope = Scope(tree, functions=functions)
    _Collector(scope).block(tree.body, certain=True)
    return scope


class _Collector:
    """Fills one scope from its statements, and makes those of the functions in it."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.certain = True
        self.looped = False

    def block(self, body: Sequence[ast.stmt], certain: bool) -> None:
        before, self.certain = self.certain, certain
        for statement in body:
            self.statement(statement)
        self.certain = before

    def add(self, target: ast.expr, value: ast.expr | None, at: Position) -> None:
        """A target of an assignment, taken apart."""
        if isinstance(target, ast.Name):
            self.bind(target.id, at, value)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            self.attribute(target.value.id, target.attr, Binding(at, value))
        elif isinstance(target, ast.Starred):
            self.add(target.value, None, at)
        elif isinstance(target, (ast.Tuple, ast.List)):
            items: Sequence[ast.expr | None] = [None] * len(target.elts)
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                items = value.elts
            for i, (one, item) in enumerate(zip(target.elts, items, strict=True)):
                if isinstance(one, ast.Name) and item is None and value is not None:
                    self.bind(one.id, at, value, i)
                elif isinstance(one, ast.Attribute) and item is None:
                    self.attribute(getattr(one.value, "id", ""), one.attr, Binding(at, value, i))
                else:
                    self.add(one, item, at)

    def bind(
        self, name: str, at: Position, value: ast.expr | None = None, index: int | None = None
    ) -> None:
        binding = Binding(at, value, index, None, self.certain, self.looped)
        self.scope.bind(name, binding)

    def attribute(self, name: str, attribute: str, binding: Binding) -> None:
        owner = self.scope.owner_of(name)
        if owner is not None:
            owner.attributes.setdefault(attribute, []).append((self.scope, binding))

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.bind(node.name, end(node))
                self.function(node)
                return
            case ast.ClassDef():
                self.bind(node.name, end(node))
                self.class_(node)
                return
            case ast.Assign():
                for target in node.targets:
                    self.add(target, node.value, end(node))
            case ast.AugAssign(target=ast.Name(id=name)):
                self.point(name)
            case ast.AnnAssign(value=ast.expr()):
                self.add(node.target, node.value, end(node))
            case ast.For() | ast.AsyncFor():
                self.add(node.target, None, end(node.iter))
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    if item.optional_vars is not None:
                        self.add(item.optional_vars, None, end(item.context_expr))
            case ast.Import() | ast.ImportFrom():
                self.import_(node)
            case ast.Global() | ast.Nonlocal():
                for name in node.names:
                    self.bind(name, FIRST)
            case ast.Delete():
                for target in node.targets:
                    self.add(target, None, end(node))
        self.parts(node)

    def parts(self, node: ast.stmt) -> None:
        """The expressions and the blocks of a statement."""
        looped = self.looped
        if isinstance(node, LOOPS):
            self.looped = True
        certain = self.certain and isinstance(node, (ast.With, ast.AsyncWith))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self.block([child], certain)
            elif isinstance(child, ast.expr):
                self.expression(child)
            elif isinstance(child, ast.ExceptHandler):
                if child.name:
                    self.bind(child.name, end(child))
                self.block(child.body, certain=False)
            elif isinstance(child, ast.match_case):
                for pattern in ast.walk(child.pattern):
                    for name in (getattr(pattern, "name", None), getattr(pattern, "rest", None)):
                        if name:
                            self.bind(name, end(child.pattern))
                self.block(child.body, certain=False)
            elif isinstance(child, ast.withitem):
                self.expression(child.context_expr)
        self.looped = looped

    def import_(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                name = alias.asname or alias.name.partition(".")[0]
                path = alias.name if alias.asname else name
            else:
                name = alias.asname or alias.name
                module = f"{node.module}." if node.module else ""
                path = f"{'.' * node.level}{module}{alias.name}"
            same = self.scope.imports.get(name) == path  # `import scipy.fft, scipy.signal`
            self.scope.imports[name] = path
            if not same:
                self.bind(name, end(node))

    def expression(self, node: ast.expr) -> None:
        for child in _walk(node):
            match child:
                case ast.Lambda():
                    self.function(child)
                case ast.NamedExpr():
                    self.add(child.target, child.value, end(child))
                case ast.comprehension():
                    self.comprehension(child.target)
                case ast.Call():
                    self.call(child)
                case ast.Subscript(value=ast.Name(id=name)):
                    self.point(name)
                case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                    self.operands(child)
                case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                    if attribute in ATTRIBUTES_OF_POINTS:
                        self.point(name)
                    elif attribute in KNOWN:
                        (self.scope.home(name) or self.scope).asked.add(name)

    def point(self, name: str) -> None:
        (self.scope.home(name) or self.scope).points.add(name)

    def call(self, call: ast.Call) -> None:
        if self.scope.gives_namespace(call):
            # `x` of `array_namespace(x)` and of `x.__array_namespace__()`
            for node in [*call.args, getattr(call.func, "value", None)]:
                if isinstance(node, ast.Name) and node.id not in self.scope.imports:
                    self.scope.given.setdefault(node.id, end(call))
            return
        if self.scope.follows(call.func):
            named = (k.value for k in call.keywords if k.arg in ("fun", "pyfunc"))
            for given in (*call.args[:1], *named):
                self.follow(given)
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                if attribute in METHODS and not call.args:  # as in `x.max()`
                    self.point(name)
            case ast.Name(id=name) if name in TAKING_POINTS and self.scope.home(name) is None:
                self.points(call.args)
        if self.scope.dotted(call.func).partition(".")[0] in {*LIBRARIES, "math"}:
            self.points(call.args)

    def follow(self, given: ast.expr) -> None:
        if isinstance(given, ast.Attribute) and isinstance(given.value, ast.Name):
            owner = self.scope.owner_of(given.value.id)
            if owner is not None:  # a method
                owner.followed.add(given.attr)
            return
        name = given.id if isinstance(given, ast.Name) else str(id(given))
        (self.scope.home(name) or self.scope).followed.add(name)

    def points(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            if isinstance(node, ast.Name):
                self.point(node.id)

    def comprehension(self, target: ast.expr) -> None:
        """Its names are its own; taken as the function's, they make that one unknown everywhere."""
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self.scope.bind(node.id, Binding(EVER, certain=False, looped=True))

    def operands(self, node: ast.expr) -> None:
        if isinstance(node, ast.Compare) and any(
            isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn, ast.Eq, ast.NotEq))
            for op in node.ops
        ):
            return  # these compare namespaces as well
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return
        self.points(ast.iter_child_nodes(node))

    def function(self, node: Function) -> None:
        inner = Scope(node, self.scope, self.scope.functions)
        self.scope.inner[id(node)] = inner
        arguments = node.args
        if isinstance(self.scope.node, ast.ClassDef) and arguments.args:
            inner.owner, inner.me = self.scope, arguments.args[0].arg
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for argument in every:
            inner.bind(argument.arg, Binding(FIRST, parameter=argument))
        for starred in (arguments.vararg, arguments.kwarg):
            if starred is not None:
                inner.bind(starred.arg, Binding(FIRST))
        positional = [*arguments.posonlyargs, *arguments.args]
        late = positional[len(positional) - len(arguments.defaults) :]
        inner.defaults.update(a.arg for a in late)
        inner.defaults.update(
            a.arg
            for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if d is not None
        )
        for outside in outer_expressions(node):
            self.expression(outside)
        if not isinstance(node, ast.Lambda):
            for decorator in node.decorator_list:
                made = decorator.func if isinstance(decorator, ast.Call) else decorator
                if self.scope.follows(made):
                    self.scope.followed.add(node.name)
        collector = _Collector(inner)
        if isinstance(node, ast.Lambda):
            collector.expression(node.body)
        else:
            collector.block(node.body, certain=True)

    def class_(self, node: ast.ClassDef) -> None:
        """Visit a class: methods see the scope around the class, not the class's own names."""
        body = Scope(node, self.scope, self.scope.functions)
        self.scope.inner[id(node)] = body
        collector = _Collector(body)
        for part in [*node.bases, *(k.value for k in node.keywords), *node.decorator_list]:
            self.expression(part)
        collector.block(node.body, certain=True)
        for inner in body.inner.values():
            inner.parent = self.scope


def outer_expressions(node: Function) -> Iterator[ast.expr]:
    """Yield the expressions of a function's head that are evaluated outside it."""
    yield from node.args.defaults
    yield from (d for d in node.args.kw_defaults if d is not None)
    if not isinstance(node, ast.Lambda):
        yield from node.decorator_list


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Walk as `ast.walk` does, but not into lambdas."""
    todo = [node]
    while todo:
        one = todo.pop()
        yield one
        if not isinstance(one, ast.Lambda):
            todo.extend(ast.iter_child_nodes(one))
