"""Fingerprints: equal for equal functions in any process, different where results would differ."""

import functools
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likewise
from likewise.chunks._fingerprint import digest, fingerprint
from likewise.signal import sosfilt

SCALE = 2.0


def helper(x: Any) -> Any:
    return x + 1


def through(x: Any) -> Any:
    return SCALE * helper(x)


class Model:
    def __init__(self, k: float) -> None:
        self.k = k

    def fit(self, x: Any) -> Any:
        return self.k * x


def of(fun: Any) -> str:
    return fingerprint(fun)[0]


def closing(value: Any) -> Any:
    return lambda x: x * value


def test_equal_functions() -> None:
    assert of(closing(2.0)) == of(closing(2.0))
    assert of(closing(np.ones(3))) == of(closing(np.ones(3)))
    assert of(functools.partial(sosfilt, np.ones((1, 6)))) == of(
        functools.partial(sosfilt, np.ones((1, 6)))
    )
    assert of(Model(1.0).fit) == of(Model(1.0).fit)
    assert of(likewise.jit(helper)) == of(likewise.jit(helper))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: x + 1, lambda x: x + 2),
        (lambda x: x + 1, lambda x: x - 1),
        (lambda x, a=1: x + a, lambda x, a=2: x + a),
        (lambda x, *, a=1: x + a, lambda x, *, a=2: x + a),
        (lambda x: np.sin(x), lambda x: np.cos(x)),
        (lambda x: (lambda: 1)() + x, lambda x: (lambda: 2)() + x),
        (closing(1.0), closing(1)),
        (closing(np.ones(3)), closing(np.zeros(3))),
        (closing([1, {"a": 2}]), closing([1, {"a": 3}])),
        (Model(1.0).fit, Model(2.0).fit),
        (functools.partial(sosfilt, axis=0), functools.partial(sosfilt, axis=1)),
        (likewise.jit(lambda x: x + 1), likewise.jit(lambda x: x + 2)),
        (likewise.vmap(lambda x: x + 1), likewise.vmap(lambda x: x + 2)),
        (likewise.vmap(helper, in_axes=0), likewise.vmap(helper, in_axes=1)),
        (np.sin, np.cos),
    ],
)
def test_other_functions(one: Any, other: Any) -> None:
    assert of(one) != of(other)


def test_what_a_function_calls_and_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    first = of(through)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    second = of(through)
    monkeypatch.setitem(globals(), "helper", lambda x: x + 5)
    assert len({first, second, of(through)}) == 3


def test_what_is_not_seen_is_named() -> None:
    """Packages are known by their versions, locks hold nothing, and random numbers go on."""
    rng = np.random.default_rng(0)
    unseen = ["an object of numpy.random._generator.Generator"]
    assert fingerprint(closing(rng))[1] == unseen
    assert fingerprint(closing({1: [rng]}))[1] == unseen
    assert fingerprint(closing(iter([1]).__next__))[1] == []
    assert fingerprint(closing(x for x in [1]))[1] == ["an object of builtins.generator"]
    assert fingerprint(closing(threading.Lock()))[1] == []
    assert fingerprint(lambda x: pytest.approx(x))[1] == []
    assert fingerprint(through)[1] == []


FILES = {
    "main.py": """
        import abc, dataclasses, enum, functools, logging, re, sys, threading, types, typing
        import numpy as np, scipy.interpolate
        import held, pk, pk.b as b
        from pk.a import f as in_package
        from held import g, Config, Plain
        from likewise.chunks._fingerprint import fingerprint
        class Base:
            K = VALUE
            def g(self, p): return p * VALUE
        class Method(Base):
            def __call__(self, p): return self.g(p)
        class Kinds:
            @staticmethod
            def s(p): return p * VALUE
            @classmethod
            def c(cls, p): return p * VALUE
            @property
            def p(self): return VALUE
            @functools.cached_property
            def q(self): return VALUE
        class E(enum.Enum):
            A = VALUE
        class Pair(typing.NamedTuple):
            a: float
        class Slots:
            __slots__ = ("a",)
        class Other(dict):
            pass
        slots = Slots(); slots.a = VALUE
        w = np.ones(5000); w[2500] = VALUE
        objects = {Plain(i) for i in (VALUE, 7, 8, 9)}
        mixed = np.array([VALUE, "a", None], dtype=object)
        masked = np.ma.array([1.0, 2.0], mask=[VALUE == 1, False])
        space, config, pair = types.SimpleNamespace(w=w), Config(w), Pair(VALUE)
        log, lock = logging.getLogger("a"), threading.Lock()
        @functools.lru_cache
        def cached(): return VALUE
        def inside(p):
            import inner
            from pk import late
            return inner.g(late.g(p))
        class Attribute:
            K = 1
            def __call__(self, p): return self.K
        def kept(x): return lambda p: (p, x)
        found = {
            "base": Method(), "class attribute": Base().g,
            "static": Kinds.s, "class": lambda p: Kinds.c(p), "kinds": lambda p: Kinds().p,
            "enum": lambda p: p * E.A.value, "named tuple": lambda p: p * pair.a,
            "spline": functools.partial(
                lambda s, p: s(p), scipy.interpolate.CubicSpline([0, 1, 2], [VALUE, 1, 1])),
            "polynomial": kept(np.polynomial.Polynomial(w)),
            "space": lambda p: space.w, "dataclass": lambda p: config.w, "plain": kept(Plain(VALUE)),
            "slots": kept(slots), "dict": kept(Other(a=VALUE)), "objects": lambda p: objects,
            "mixed": kept(mixed), "masked": kept(masked), "pattern": kept(re.compile("a" * VALUE)),
            "vectorized": np.vectorize(lambda p: p * VALUE), "cached": lambda p: cached(),
            "module": lambda p: held.g(p), "from": lambda p: g(p), "constant": lambda p: held.K * p,
            "package": in_package, "package's module": lambda p: b.g(p),
            "from a package": lambda p: pk.b.g(p), "held module": kept(held), "inside": inside,
            "proxy": kept(types.MappingProxyType({1: VALUE})), "deep": kept(Plain([[w]])),
            "SAME log": kept((log, lock, {Plain(1), Plain(2)}, {"a", "b", "c"}, object())),
            "SAME attribute": lambda p: p.w.VALUE_K, "SAME other": lambda p: held.same(p),
        }
        before = {k: fingerprint(f)[0] for k, f in found.items()}
        inside(1)
        assert before == {k: fingerprint(f)[0] for k, f in found.items()}
        print("\\n".join(f"{k}={v}" for k, v in before.items()))
    """,
    "held.py": """
        import dataclasses, numpy as np
        K = VALUE
        def g(p): return p * VALUE
        def same(p): return p
        @dataclasses.dataclass
        class Config:
            w: np.ndarray
        class Plain:
            def __init__(self, w): self.w = w
    """,
    "inner.py": "def g(p): return p * VALUE",
    "pk/__init__.py": "from . import b",
    "pk/a.py": "from . import b\ndef f(p): return b.g(p)",
    "pk/b.py": "def g(p): return p * VALUE",
    "pk/late.py": "def g(p): return p * VALUE",
}


def test_a_script_and_what_lies_beside_it(tmp_path: Path) -> None:
    """Each of its functions is another one where a value or code that it needs is, and no other."""

    def run(value: int) -> dict[str, str]:
        folder = tmp_path / str(value)
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            text = textwrap.dedent(text).replace("VALUE_K", "K").replace("VALUE", str(value))
            (folder / name).write_text(text)
        command = [sys.executable, "main.py"]
        found = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert not found.returncode, found.stderr
        return dict(line.split("=") for line in found.stdout.splitlines())

    first, again, other = run(1), run(1), run(2)
    assert {k for k in first if first[k] != again[k]} == set()
    assert {k for k in first if first[k] == other[k]} == {k for k in first if k.startswith("SAME")}


def test_recursion_and_circles() -> None:
    def again(x: Any) -> Any:
        return again(x - 1) if x > 0 else x

    circle: list[Any] = []
    circle.append(circle)
    assert of(again) and of(closing(circle)) == of(closing(circle))


def test_other_processes() -> None:
    """Where strings have other hashes."""
    code = (
        "import functools, numpy as np\n"
        "from likewise.chunks._fingerprint import digest, fingerprint\n"
        "def f(x): return x in {'a', 'b', 'c', 'd'} and np.sin(x)\n"
        "print(fingerprint(f), digest({'a': np.ones(3), 'b': {'x', 'y'}}))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1]


@pytest.mark.needs("torch")
def test_networks() -> None:
    """By their parameters."""
    import torch

    net = torch.nn.Linear(3, 2)
    first = of(net)
    assert of(net) == first
    with torch.no_grad():
        net.bias += 1
    assert of(net) != first
    assert digest(torch.ones(3)) != digest(np.ones(3))
