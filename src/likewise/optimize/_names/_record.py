"""SciPy's class of results, for programs that create results themselves."""

from typing import Any

__all__ = ["OptimizeResult"]


class OptimizeResult(dict[str, Any]):
    """Hold values by name, as dictionary entries and as attributes.

    The solvers return results of their own classes, which support the same access.

    Examples
    --------
    >>> from likewise.optimize import OptimizeResult
    >>> found = OptimizeResult(x=2.0, success=True)
    >>> found.nit = 3
    >>> found["nit"], found.x
    (3, 2.0)
    """

    def __getattr__(self, name: str) -> Any:
        """Return what has a name."""
        try:
            return self[name]
        except KeyError as missing:
            raise AttributeError(name) from missing

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:>{width}}: {value}" for name, value in self.items())
