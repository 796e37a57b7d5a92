"""Detection of expressions that are certainly arrays."""

import ast
from collections.abc import Iterator

from .._standard import FUNCTIONS, having
from ._names import METHODS, RENAMED
from ._rooms import FIRST_ALONE, arrays_of
from ._scopes import MOST, Binding, Position, Scope, words
from ._signatures import arrays_given

__all__ = ["DEPTH", "bound_to", "certain_calls", "is_array", "standard_name", "start"]

# Annotations of what may be no array.
NOT_ARRAYS = frozenset(
    """Callable Iterable Iterator Mapping Number None Optional Sequence bool bytes complex dict
    float int list range set str tuple type""".split()
)
# Functions of two arrays, of which neither may be a number.
OF_ARRAYS = having("arrays")
# What is in these is not done in any case.
UNCERTAIN = (
    ast.stmt,
    ast.ExceptHandler,
    ast.match_case,
    ast.IfExp,
    ast.BoolOp,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
# These give several arrays, in a tuple or list.
SEVERAL = having("several")
OWN = frozenset(FUNCTIONS) - SEVERAL - having("inspection")  # these give one
# Functions of other libraries that give one array.
OTHERS = frozenset(
    [old for old, new in RENAMED.items() if new in OWN]
    + """append argwhere average bincount column_stack convolve copy cov diag digitize dot einsum
    flatnonzero gradient hstack interp kron median nan_to_num nanmax nanmean nanmin nansum nanstd
    nanvar pad percentile quantile ravel trapezoid trapz vstack""".split()
)
ONE = OWN | OTHERS

DEPTH = 4  # how deep an expression is looked into for what isn't an array


def start(node: ast.expr | ast.stmt) -> Position:
    return node.lineno, node.col_offset


def standard_name(scope: Scope, node: ast.expr) -> tuple[str, str] | None:
    """Return `("xp", "linalg.inv")` for `xp.linalg.inv`, if `xp` is a namespace."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        kept = scope.namespace(node) if parts else ""
        if kept:
            return kept, ".".join(reversed(parts))
        parts.append(node.attr)
        node = node.value
    if not parts or not isinstance(node, ast.Name) or not scope.is_namespace(node.id):
        return None
    return node.id, ".".join(reversed(parts))


def bound_to(scope: Scope, name: ast.Name) -> ast.expr | None:
    """Return the only value that a name can have here; None if there may be others."""
    found = scope.reaching(name.id, start(name))
    if found is None or len(found[1]) != 1 or found[1][0].index is not None:
        return None
    return found[1][0].value


def is_array(scope: Scope, node: ast.expr, at: Position | None = None) -> bool:
    """Tell whether the form of an expression says that it is an array."""
    at = start(node) if at is None else at
    match node:
        case ast.Name():
            return _name_is_array(scope, node.id, at)
        case ast.Call(func=func):
            named = standard_name(scope, func)
            if named is not None:
                return named[1] in ONE
            if _ours_gives_array(scope, node):
                return True
            return (
                isinstance(func, ast.Attribute)
                and func.attr in METHODS
                and is_array(scope, func.value, at)
            )
        case ast.BinOp():
            while isinstance(node, ast.BinOp):  # a long sum is deep on the left
                if is_array(scope, node.right, at):
                    return True
                node = node.left
            return is_array(scope, node, at)
        case ast.UnaryOp():
            return not isinstance(node.op, ast.Not) and is_array(scope, node.operand, at)
        case ast.Compare():
            return all(isinstance(op, ORDER) for op in node.ops) and any(
                is_array(scope, side, at) for side in (node.left, *node.comparators)
            )
        case ast.Subscript():
            return is_array(scope, node.value, at)
        case ast.Attribute(attr="T" | "mT" | "real" | "imag"):
            return is_array(scope, node.value, at)
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return _attribute_is_array(scope.owner_of(name), attribute)
        case ast.IfExp():
            return is_array(scope, node.body, at) and is_array(scope, node.orelse, at)
    return False


def _ours_gives_array(scope: Scope, call: ast.Call) -> bool:
    """Tell whether a call is of a function of likewise that returns one array."""
    path = scope.dotted(call.func)
    if path.startswith("likewise.") and path.rpartition(".")[2] in FIRST_ALONE:
        return len(call.args) <= 3 and all(k.arg in ("axis", "b") for k in call.keywords)
    return arrays_of(path) == (True,)


ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def _name_is_array(scope: Scope, name: str, at: Position) -> bool:
    found = scope.reaching(name, at)
    if found is None:
        return False
    home, bindings = found
    for binding in bindings:  # `all` would take the machine's stack
        if not _binding_is_array(home, name, binding):
            return False
    return bool(bindings)


def _attribute_is_array(owner: Scope | None, attribute: str) -> bool:
    """Tell whether the methods of a class bind an attribute to arrays, and to nothing else."""
    bound = [] if owner is None else owner.attributes.get(attribute, [])
    if not bound or len(bound) > MOST or (owner is not None and attribute in owner.bindings):
        return False
    for scope, binding in bound:
        if binding.array is None:
            binding.array = False  # for what refers to itself
            binding.array = _gives_array(scope, binding)
        if not binding.array:
            return False
    return True


def _binding_is_array(scope: Scope, name: str, binding: Binding) -> bool:
    if binding.array is None:
        binding.array = True  # for what refers to itself, as `x = x + 1` in a loop
        binding.array = _gives_array(scope, binding) or _unknown_is_array(scope, name, binding)
    return binding.array


def _gives_array(scope: Scope, binding: Binding) -> bool:
    value = binding.value
    if value is None:
        return False
    if binding.index is None:
        return is_array(scope, value, binding.at if isinstance(value, ast.Name) else start(value))
    if not isinstance(value, ast.Call):
        return False
    named = standard_name(scope, value.func)
    if named is not None:
        return named[1] in SEVERAL
    return any(arrays_of(scope.dotted(value.func))[binding.index : binding.index + 1])


def _unknown_is_array(scope: Scope, name: str, binding: Binding) -> bool:
    """Tell whether something counts as array because its namespace is asked for, or by its use."""
    given = name in scope.given and binding.at < scope.given[name]
    if binding.parameter is None:
        return given and isinstance(binding.value, ast.Call) and binding.index is None
    if name in scope.defaults or words(binding.parameter.annotation) & NOT_ARRAYS:
        return False
    followed = scope.is_followed and name != scope.me
    return given or followed or name in _taken(scope)


def _taken(scope: Scope) -> set[str]:
    """Parameters that a function of the namespace takes as arrays, on whatever way through."""
    if scope.taken is None:
        scope.taken = set()
        if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            _find_taken(scope, scope.node.body, set(), scope.taken)
    return scope.taken


def _find_taken(scope: Scope, body: list[ast.stmt], asked: set[str], taken: set[str]) -> None:
    """Without those that a test has asked about before: they may be something else as well."""
    for node in body:
        for call in certain_calls(node):
            for given in _arrays_alone(scope, call):
                found = scope.reaching(given.id, start(call))
                own = scope.bindings.get(given.id, [])  # none of what it closes over
                if own and given.id not in asked and found == (scope, own[:1]):
                    taken.add(given.id)
        if isinstance(node, (ast.If, ast.While, ast.Assert)):
            owners = {id(n.value) for n in ast.walk(node.test) if isinstance(n, ast.Attribute)}
            inside = (n for n in ast.walk(node.test) if isinstance(n, ast.Name))
            asked.update(n.id for n in inside if id(n) not in owners)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            _find_taken(scope, node.body, asked, taken)


def certain_calls(node: ast.AST) -> Iterator[ast.Call]:
    """Return the calls that are made whenever the statement runs."""
    todo = [node]
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Call):
            yield one
        todo.extend(n for n in ast.iter_child_nodes(one) if not isinstance(n, UNCERTAIN))


def _arrays_alone(scope: Scope, call: ast.Call) -> Iterator[ast.Name]:
    """The names that a function gets where numbers are not allowed."""
    named = standard_name(scope, call.func)
    if named is not None:
        for parameter, given in arrays_given(named[1], call):
            if isinstance(given, ast.Name) and (parameter == "x" or named[1] in OF_ARRAYS):
                yield given
