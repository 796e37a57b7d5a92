"""Calls in which a provider may stand in: when it runs, when the body does, and what is told."""

import itertools
import os
import re
import subprocess
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import _native, _providers
from likewise.errors import NativeUnavailable, ProviderError, ShapeError
from likewise.linalg import lu_factor, solve_triangular
from likewise.missing import nanmedian
from likewise.optimize import curve_fit
from likewise.signal import convolve, correlate, fftconvolve
from likewise.special import betainc, erf
from likewise.testing._cases import calls

from .distributions import shelf

__all__ = ["shelf"]

# Of each library: it gives sevens in the shape of the first argument, and counts its calls.
TOML = """
api = 1
name = "seven"

[[functions."likewise.signal:fftconvolve"]]
library = ["numpy", "strict", "torch", "jax", "dask"]
function = "seven_package:fftconvolve"
should_run = "seven_package:should_run"
"""
CODE = """
calls, asked = [], []

def fftconvolve(in1, in2, mode="full", axes=None):
    calls.append((mode, axes))
    return in1 * 0 + 7

def should_run(call):
    asked.append(call)
    return "too many" if call.shapes["in1"] == (9,) else True
"""
X = np.ones(4)


@pytest.fixture
def seven(shelf: Any) -> Any:
    shelf.put("seven", TOML, CODE)
    return shelf


def package() -> Any:
    return sys.modules["seven_package"]


def is_seven(z: Any) -> bool:
    return bool(likewise.to_numpy(z).ravel()[0] == 7)


def test_on_every_library_that_it_names(seven: Any, lib: Any) -> None:
    x = lib.asarray([1.0, 2.0, 3.0])
    with likewise.prefer("seven"):
        assert is_seven(fftconvolve(x, x)) is not (lib.jit or lib.library == "cupy")
        if not lib.jit:
            assert not is_seven(convolve(x, x)), "another function of the same step"
    assert not is_seven(fftconvolve(x, x))


def test_a_library_that_it_does_not_name(shelf: Any, lib: Any) -> None:
    shelf.put("seven", TOML.replace('["numpy", "strict", "torch", "jax", "dask"]', '"cupy"'), CODE)
    x = lib.asarray([1.0, 2.0, 3.0])
    with likewise.prefer("seven"):
        assert not is_seven(fftconvolve(x, x))
    assert "seven_package" not in sys.modules


def test_it_gets_what_the_caller_gave(seven: Any) -> None:
    """Behind the checks, and without what these make of it."""
    with likewise.prefer("seven"):
        fftconvolve(X, X)
        fftconvolve(X, in2=X, mode="same", axes=[-1])
        calls = package().calls
        assert calls == [("full", None), ("same", [-1])]
        with pytest.raises(ShapeError, match="fftconvolve: in1 and in2 must have equally many"):
            fftconvolve(X, np.ones((2, 2)))
        with pytest.raises(likewise.errors.ArgumentError, match="mode must be one of"):
            fftconvolve(X, X, mode="fulll")
    assert len(calls) == 2


# Of these a body looks at values; a routine raises of them itself, or returns NotImplemented.
IN_THE_STEP = "digitize histogram put put_along_axis take take_along_axis".split()


def test_of_every_function_the_checks_come_first(shelf: Any) -> None:
    """One call of each, with one argument after the other replaced by what doesn't fit."""
    rooms = _providers._ROOMS
    names = [f"likewise.{room}:{n}" for room in rooms for n in _providers.nameable(room)]
    table = '[functions."{}"]\nlibrary = "numpy"\nfunction = "seven_package:reached"\n'
    toml = 'api = 1\nname = "seven"\n' + "".join(map(table.format, names))
    shelf.put("seven", toml, "def reached(*args, **options): raise KeyError('reached')")
    wrong = ["x", np.asarray(["a"]), None, 99, np.ones((2, 3, 1, 2)), object()]

    def outcome(func: Any, args: Any, options: Any) -> tuple[str, str] | None:
        try:
            func(*args, **options)
        except Exception as error:  # whichever: it is compared
            return type(error).__name__, re.sub("0x[0-9a-f]+", "", str(error))
        return None

    early, refused = [], 0
    for name in names:
        func, (args, options) = _providers.naming("", name), calls(name, "float64")[0]
        for i, other in itertools.product(range(len(args)), wrong):
            given = (*args[:i], other, *args[i + 1 :])
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = outcome(func.generic, given, options)  # type: ignore[attr-defined]
                if expected is None:
                    continue
                with likewise.prefer("seven"):
                    got = outcome(func, given, options)
            refused += 1
            if got != expected and name.partition(":")[2] not in IN_THE_STEP:
                early.append((name, i, other, got, expected))
    assert early == [] and refused > 900


def test_what_should_run_sees_and_that_it_is_remembered(seven: Any) -> None:
    with likewise.prefer("seven"):
        for _ in range(3):
            fftconvolve(X, np.ones(3, dtype=np.float32), axes=(0,))
        (call,) = package().asked
        assert call.function == "likewise.signal:fftconvolve" and call.library == "numpy"
        assert call.dtypes == {"in1": "float64", "in2": "float32"}
        assert call.shapes == {"in1": (4,), "in2": (3,)}
        assert call.device == likewise.device(X)
        assert call.options == {"mode": "full", "axes": (0,)}
        for different in (
            lambda: fftconvolve(X, X, axes=(0,)),
            lambda: fftconvolve(X, X, axes=(-1,)),
            lambda: fftconvolve(X, X, axes=0),
            lambda: fftconvolve(X, X, axes=False),
            lambda: fftconvolve(X, X),
            lambda: fftconvolve(X, X, "full"),
            lambda: fftconvolve(X, X, mode="same"),
        ):
            before = len(package().asked)
            try:
                different(), different()
            except likewise.errors.LikewiseError:  # of a bool as an axis: the checks come first
                assert len(package().asked) == before
            else:
                assert len(package().asked) == before + 1
    with pytest.raises(AttributeError):
        call.function = "other"


def test_a_reason_leaves_the_call_to_the_body(seven: Any) -> None:
    nine = np.ones(9)
    with likewise.prefer("seven"):
        assert not is_seven(fftconvolve(nine, X)) and is_seven(fftconvolve(X, nine))
        told = likewise.explain(fftconvolve, nine, X)
        assert told.routine == "generic"
        assert told.reasons["seven_package:fftconvolve of seven"] == "too many"
        told = likewise.explain(fftconvolve, X, nine)
        assert told.routine == "seven_package:fftconvolve of seven"
        assert told.reasons["generic"] == "it comes later in the order"
        assert package().calls == [("full", None)], "explain runs nothing"


def test_explain_names_providers_that_are_not_preferred(seven: Any) -> None:
    told = likewise.explain(fftconvolve, X, X)
    assert told.routine == "generic"
    assert told.reasons["seven_package:fftconvolve of seven"] == (
        "it isn't preferred; likewise.prefer('seven') does it"
    )
    assert "seven" not in str(likewise.explain(convolve, X, X))
    with likewise.prefer("seven"):
        told = likewise.explain(fftconvolve, np.ones(0), X)
        assert "no step behind its checks" in str(told)


def test_a_trace_names_it(seven: Any) -> None:
    with likewise.prefer("seven"), likewise.trace_native() as log:
        fftconvolve(X, X)
    (ran,) = log
    assert (ran.function, ran.routine, ran.library) == (
        "fftconvolve",
        "seven_package:fftconvolve of seven",
        "numpy",
    )


def test_ties_go_to_the_order(seven: Any) -> None:
    eight = TOML.replace("seven", "eight")
    seven.put("eight", eight, CODE.replace("+ 7", "+ 8").replace("== (9,)", "== (5,)"))
    five, nine = np.ones(5), np.ones(9)

    def first(x: Any) -> float:
        return float(fftconvolve(x, X)[0])

    with likewise.prefer(["seven", "eight"]):
        assert [first(x) for x in (X, five, nine)] == [7, 7, 8]
        with likewise.prefer(["eight", "seven"]):
            assert [first(x) for x in (X, five, nine)] == [8, 7, 8]
        with likewise.prefer(["generic", "eight"]):
            assert first(X) == 1
        assert first(X) == 7
    assert first(X) == 1


def test_rows_of_packages_are_in_the_same_order(shelf: Any) -> None:
    shelf.put("seven", TOML.replace("fftconvolve", "convolve"), CODE.replace("fftconv", "conv"))
    with likewise.prefer(["scipy", "seven"]):
        assert convolve(X, X, method="direct")[0] == 1
        told = likewise.explain(convolve, X, X, method="direct")
        assert told.reasons["seven_package:convolve of seven"] == "it comes later in the order"


def test_force(seven: Any) -> None:
    with likewise.prefer(force="seven"):
        assert is_seven(fftconvolve(X, X))
        with pytest.raises(NativeUnavailable, match="^fftconvolve: 'seven' was forced.*too many"):
            fftconvolve(np.ones(9), X)
        with pytest.raises(NativeUnavailable, match="^convolve: 'seven' was forced"):
            convolve(X, X)


def test_generic_is_generic(seven: Any) -> None:
    with likewise.prefer("seven"):
        assert not is_seven(fftconvolve.generic(X, X))  # type: ignore[attr-defined]


def test_local_to_the_thread(seven: Any) -> None:
    found = []
    with likewise.prefer("seven"):
        thread = threading.Thread(target=lambda: found.append(is_seven(fftconvolve(X, X))))
        thread.start()
        thread.join()
    assert found == [False]


def test_an_exception_propagates_with_the_name(shelf: Any) -> None:
    for error in (
        "ZeroDivisionError('x')",
        "NotImplementedError('x')",
        "np.linalg.LinAlgError('x')",
    ):
        code = f"import numpy as np\ndef fftconvolve(*args, **options): raise {error}\n"
        shelf.put("seven", TOML, code + "def should_run(call): return True\n")
        with likewise.prefer("seven"), pytest.raises(Exception, match="^x") as caught:
            fftconvolve(X, X)
        assert caught.type.__name__ == error.partition("(")[0].rpartition(".")[2]
        assert caught.value.__notes__ == [
            "raised by seven_package:fftconvolve of the provider 'seven', called for "
            "likewise.signal:fftconvolve; without 'seven' in prefer or LIKEWISE_PREFER, likewise's "
            "own routines run"
        ]
        del sys.modules["seven_package"]
    assert _native.LIVE == 0 and not is_seven(fftconvolve(X, X))


def test_notimplemented_leaves_the_call_to_the_next(shelf: Any) -> None:
    """As it may for values."""
    shelf.put(
        "seven",
        TOML,
        "def should_run(c): return True\ndef fftconvolve(*a, **o): return NotImplemented",
    )
    shelf.put("eight", TOML.replace("seven", "eight"), CODE.replace("+ 7", "+ 8"))
    with likewise.prefer(["seven", "eight"]):
        assert fftconvolve(X, X)[0] == 8
    with likewise.prefer("seven"):
        assert fftconvolve(X, X)[0] == 1
    with likewise.prefer(force="seven"), pytest.raises(NativeUnavailable, match="NotImplemented"):
        fftconvolve(X, X)


@pytest.mark.needs("torch")
def test_arrays_of_another_library_are_refused(shelf: Any) -> None:
    import torch

    shelf.put("seven", TOML, CODE.replace("in1 * 0 + 7", "in1.numpy()"))
    with (
        likewise.prefer("seven"),
        pytest.raises(ProviderError, match="returned ndarray for .*on to"),
    ):
        fftconvolve(torch.ones(3), torch.ones(3))


def test_it_may_call_what_it_stands_in_for(shelf: Any) -> None:
    code = CODE.replace(
        "return in1 * 0 + 7", "return likewise.signal.fftconvolve(in1, in2) * 0 + 7"
    )
    shelf.put("seven", TOML, f"import likewise\n{code}")
    with likewise.prefer("seven"):
        assert is_seven(fftconvolve(X, X)) and len(package().calls) == 1


def test_a_function_of_functions_is_offered_before_these(shelf: Any) -> None:
    """`bdtr` is made of `betainc`: for the former the provider of the former runs, once."""
    toml = TOML.replace("likewise.signal:fftconvolve", "likewise.special:bdtr")
    inner = (
        '[functions."likewise.special:betainc"]\nlibrary="numpy"\nfunction="seven_package:inner"'
    )
    other = inner.replace("betainc", "gammaln")
    code = "def fftconvolve(k, n, p): return p * 0 + 7\ndef should_run(call): return True\n"
    shelf.put("seven", f"{toml}\n{inner}\n{other}", f"{code}def inner(*x): return x[-1] * 0 + 5")
    k, n, p = np.asarray([1.0]), np.asarray([3.0]), np.asarray([0.5])
    with likewise.prefer("seven"):
        assert likewise.special.bdtr(k, n, p)[0] == 7
        assert betainc(n, k, p)[0] == 5
        told = "what isn't offered is made of what is, but for what has a row of its own"
        assert likewise.special.multigammaln(n, 1)[0] == 5, told
        assert likewise.special.bdtrc(k, n, p)[0] == 0.5, told


@pytest.mark.xp_skip({"strict-minimal": "fftconvolve needs the extension fft"})
@pytest.mark.parametrize("transform", ["grad", "vmap", "jvp"])
def test_under_transforms_the_body_runs(seven: Any, lib: Any, transform: str) -> None:
    if lib.jit:
        return  # what compiles has a test of its own
    x = lib.asarray([[1.0, 2.0, 3.0]])

    def fun(row: Any) -> Any:
        return likewise.array_namespace(row).sum(fftconvolve(row, row))

    calls = {
        "grad": lambda: likewise.grad(fun)(x[0, :]),
        "vmap": lambda: likewise.vmap(fun)(x),
        "jvp": lambda: likewise.jvp(fun, (x[0, :],), (x[0, :],))[1],
    }
    if lib.library == "dask":
        return  # it has neither rows nor derivatives of its own; NumPy's interpreter is tested
    expected = calls[transform]()
    with likewise.prefer("seven"):
        got = calls[transform]()
        assert is_seven(fftconvolve(x[0, :], x[0, :]))
    np.testing.assert_array_equal(likewise.to_numpy(got), likewise.to_numpy(expected))
    assert len(package().calls) == 1


def test_explain_says_that_somebody_follows(seven: Any) -> None:
    told = []

    def fun(x: Any) -> Any:
        told.append(likewise.explain(fftconvolve, x, X))
        return np.sum(x)

    with likewise.prefer("seven"):
        likewise.grad(fun)(X)
    assert "seven" not in told[0].routine


def test_in_the_steps_of_a_solver_the_body_runs(seven: Any) -> None:
    """They are followed, to be replayed or differentiated."""
    t = np.linspace(0.0, 1.0, 12)

    def model(t: Any, a: Any) -> Any:
        return a * fftconvolve(t, np.ones(1))

    with likewise.prefer("seven"):
        p = curve_fit(model, t, 2 * t, p0=[1.0])[0]
    np.testing.assert_allclose(p, [2.0], rtol=1e-6)


def test_recordings_are_kept_apart(seven: Any) -> None:
    """`likewise.jit` of NumPy's arrays replays a call of a public function as one."""
    run = likewise.jit(lambda x: fftconvolve(x, x) + 1)
    for _ in range(3):
        assert run(X)[0] == 2
        with likewise.prefer("seven"):
            assert run(X)[0] == 8
            with likewise.prefer("generic"):
                assert run(X)[0] == 2
    assert len(package().calls) == 3


@pytest.mark.needs("jax")
def test_compiled_by_jax_the_body_runs(seven: Any) -> None:
    """A tracer of jit, as what is compiled may be differentiated; what was compiled stays apart."""
    import jax
    import jax.numpy as jnp

    run, x = jax.jit(lambda x: fftconvolve(x, x)), jnp.ones(3)
    assert not is_seven(run(x))
    with likewise.prefer("seven"):
        assert not is_seven(run(x)) and is_seven(fftconvolve(x, x))
        assert jax.grad(lambda x: fftconvolve(x, x).sum())(x).shape == (3,)
    assert package().calls == [("full", None)]


@pytest.mark.needs("torch")
def test_compiled_by_torch_the_body_runs(seven: Any) -> None:
    import torch

    run = torch.compile(lambda x: fftconvolve(x, x), fullgraph=True, backend="eager")
    x = torch.ones(3)
    for _ in range(2):
        assert not is_seven(run(x))
        with likewise.prefer("seven"):
            assert not is_seven(run(x)) and is_seven(fftconvolve(x, x))
            assert not is_seven(fftconvolve(x.clone().requires_grad_(), x).detach())
            assert not is_seven(torch.func.vmap(lambda a: fftconvolve(a, x))(x[None, :]))


def test_a_preference_forgets_no_plan(seven: Any) -> None:
    """Plans of small calls have no provider in them, and stay."""
    x = np.asarray([0.3, -0.2, 0.1])
    before = erf(x)
    plans = dict(erf.memo)  # type: ignore[attr-defined]
    seven.put(
        "six", TOML.replace("seven", "six").replace("signal:fftconvolve", "special:erf"), CODE
    )
    with likewise.prefer("six"), pytest.raises(KeyError):
        erf(x)  # should_run asks for in1, which erf has not
    assert erf.memo == plans  # type: ignore[attr-defined]
    np.testing.assert_array_equal(erf(x), before)


def test_lists_of_numbers_are_options(shelf: Any) -> None:
    code = CODE.replace("axes=None", "method='auto'").replace(
        '"too many" if call.shapes["in1"]', "str(call.options) if 0"
    )
    shelf.put(
        "seven",
        TOML.replace("fftconvolve", "convolve"),
        code.replace("fftconvolve", "convolve").replace("(mode, axes)", "mode"),
    )
    with likewise.prefer("seven"):
        assert convolve(X, [1.0, 2.0], method="direct")[0] == 7
        assert package().asked[0].options["in2"] == [1.0, 2.0]
        assert package().asked[0].shapes == {"in1": (4,)}


def test_more_than_one_result(shelf: Any) -> None:
    toml = TOML.replace("signal:fftconvolve", "linalg:lu_factor").replace(
        "seven_package:fft", "seven_package:lu"
    )
    code = "calls = []\ndef luconvolve(a, *b, **c): return a * 0, a[0] * 0\ndef should_run(c): return True"
    shelf.put("seven", toml, code)
    with likewise.prefer("seven"):
        lu, piv = lu_factor(np.eye(3))
        assert lu.sum() == 0 and piv.shape == (3,)
        assert solve_triangular(np.eye(2), np.ones(2)).tolist() == [1.0, 1.0]
    assert nanmedian(X) == 1 and correlate(X, X).shape == (7,)


def test_the_environment_prefers(seven: Any) -> None:
    def run(code: str, names: str) -> Any:
        environ = os.environ | {"LIKEWISE_PREFER": names, "PYTHONPATH": ":".join(sys.path)}
        head = "import likewise, numpy as np; from likewise.signal import fftconvolve as f; x = np.ones(3)\n"
        return subprocess.run(
            [sys.executable, "-c", head + code],
            capture_output=True,
            text=True,
            env=environ,
            check=False,
        )

    code = (
        "import sys; assert 'likewise._providers' not in sys.modules\n"
        "print(f(x, x)[0])\n"
        "with likewise.prefer('generic'): print(f(x, x)[0].round(9))\n"
        "import threading; t = threading.Thread(target=lambda: print(f(x, x)[0])); t.start(); t.join()\n"
        "print(likewise.jit(lambda x: f(x, x))(x)[0], likewise.grad(lambda x: f(x, x)[0])(x)[0].round(9))\n"
        "print(likewise.explain(f, x, x).routine)"
    )
    done = run(code, "seven, scipy")
    assert done.stdout.split("\n") == [
        "7.0",
        "1.0",
        "7.0",
        "7.0 2.0",
        "seven_package:fftconvolve of seven",
        "",
    ], done.stderr
    assert run("print(f(x, x)[0].round(9))", "generic").stdout == "1.0\n"
    done = run("f(x, x)", "nobody")
    assert done.returncode == 1
    assert "ArgumentError: LIKEWISE_PREFER: " in done.stderr and "'seven'" in done.stderr


PEERS = """
import likewise, logging, numpy as np
from likewise.signal import fftconvolve as f
x = np.ones(3)
"""


def told(code: str, **environ: str) -> str:
    """Return what a program prints, with these variables in its environment."""
    environ = os.environ | environ | {"PYTHONPATH": ":".join(sys.path)}
    run = [sys.executable, "-c", PEERS + code]
    done = subprocess.run(run, capture_output=True, text=True, env=environ, check=False)
    return done.stdout + done.stderr.strip().rpartition("\n")[2]


def test_the_environment_blocks(seven: Any) -> None:
    """As if it weren't installed: the body runs, whatever prefers it; forced, it is an error."""
    code = (
        "print(f(x, x)[0].round(9))\n"
        "with likewise.prefer('seven'): print(f(x, x)[0].round(9), likewise.info().providers)\n"
        "with likewise.prefer(force='seven'): f(x, x)"
    )
    said = told(code, LIKEWISE_PREFER="seven", LIKEWISE_BLOCK="seven, nobody")
    assert said.startswith("1.0\n1.0 {") and "'seven': 'blocked by LIKEWISE_BLOCK'" in said
    assert "'seven' was forced, but can't run here: LIKEWISE_BLOCK blocks it" in said


def test_the_environment_orders(shelf: Any) -> None:
    """Of two that are preferred, in code too, the left one comes first."""
    shelf.put("seven", TOML, CODE)
    shelf.put("eight", TOML.replace("seven", "eight"), CODE.replace("+ 7", "+ 8"))
    code = "print(f(x, x)[0])\nwith likewise.prefer(['seven', 'eight']): print(f(x, x)[0])"
    prefer = {"LIKEWISE_PREFER": "seven,eight"}
    orders = "nobody>seven, eight > seven > generic"
    assert told(code, LIKEWISE_SET_ORDER=orders, **prefer) == "8.0\n8.0\n"
    assert told(code, LIKEWISE_SET_ORDER="eight>generic", **prefer) == "7.0\n7.0\n"


def test_one_is_enabled_for_the_whole_program(seven: Any) -> None:
    """In all threads; a `prefer` inside takes its place; another replaces it, or none."""
    found: list[float] = []

    def first() -> None:
        found.append(float(fftconvolve(X, X)[0].round(9)))

    live = _native.LIVE
    try:
        likewise.prefer("seven").enable_globally()
        thread = threading.Thread(target=first)
        thread.start()
        thread.join()
        first()
        with likewise.prefer("generic"):
            first()
            with pytest.raises(likewise.errors.ArgumentError, match="call it outside of"):
                likewise.prefer("seven").enable_globally()
        likewise.prefer("generic").enable_globally()
        first()
        assert live < _native.LIVE
        likewise.prefer("seven").enable_globally()
        first()
    finally:
        likewise.prefer().enable_globally()
    first()
    assert found == [7, 7, 1, 1, 7, 1] and live == _native.LIVE


def test_the_log_tells_native_routines_and_bodies(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "likewise.native"):
        erf(X)
        assert not caplog.messages, "nothing is preferred, and nothing is looked at"
        with likewise.prefer("generic"):
            erf(X)
        with likewise.prefer("scipy"):
            erf(X)
    assert caplog.messages == ["erf on numpy: generic", "erf on numpy: scipy.special:erf"]


def test_a_preference_decorates_and_is_entered_twice() -> None:
    generic = likewise.prefer("generic")

    @generic
    def inner() -> str:
        return likewise.explain(erf, X).routine

    with generic, generic:
        assert inner() == "generic"
    assert inner() == "generic" and likewise.explain(erf, X).routine != "generic"
