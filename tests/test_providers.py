"""Files of providers: what they may say, and what is said of those that are wrong."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import _info, _providers
from likewise.errors import ArgumentError, LikewiseError, ProviderError
from likewise.signal import fftconvolve

from .distributions import shelf

__all__ = ["shelf"]

GOOD = """
api = 1
name = "blocks"

[functions."likewise.signal:fftconvolve"]
library = "numpy"
function = "blocks_package:fftconvolve"
should_run = "blocks_package:should_run"
docs = "In blocks."
"""
CODE = """
def fftconvolve(in1, in2, mode="full", axes=None):
    return in1[:1] * 0 + 7

def should_run(call):
    return True
"""
X = np.ones(4)


def sevens(**options: Any) -> bool:
    return bool(fftconvolve(X, X, **options)[0] == 7)


def test_a_provider_is_found_without_being_imported(shelf: Any) -> None:
    path = shelf.put("blocks", GOOD, CODE)
    found = _providers.found()["blocks"]
    assert isinstance(found, _providers.Provider)
    assert (found.name, found.distribution, found.file) == (
        "blocks",
        "dist-blocks_package 0.1",
        str(path),
    )
    assert str(found) == "dist-blocks_package 0.1: likewise.signal:fftconvolve (numpy)"
    (entry,) = found.entries
    assert (entry.name, entry.library, entry.docs) == (
        "likewise.signal:fftconvolve",
        "numpy",
        "In blocks.",
    )
    assert not sevens()
    with likewise.prefer("blocks"):
        assert "blocks_package" not in sys.modules
        assert sevens()
    assert "blocks_package" in sys.modules
    assert not sevens()


def test_nothing_is_read_before_it_is_asked_for() -> None:
    """Neither by importing, nor by calls."""
    code = (
        "import likewise, sys, numpy as np\n"
        "from likewise.signal import fftconvolve\n"
        "fftconvolve(np.ones(3), np.ones(3))\n"
        "with likewise.prefer('generic'): fftconvolve(np.ones(3), np.ones(3))\n"
        "print([n for n in ('likewise._providers', 'tomllib') if n in sys.modules])\n"
        "likewise.explain(fftconvolve, np.ones(3), np.ones(3))\n"
        "print('likewise._providers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["[]", "True", ""]


def test_installed_for_editing(shelf: Any) -> None:
    """The list of files has none of the package's then."""
    shelf.put("blocks", GOOD, CODE, listed=False)
    with likewise.prefer("blocks"):
        assert sevens()


def test_several_functions_and_libraries(shelf: Any) -> None:
    toml = """
api = 1
name = "many"
[[functions."likewise.signal:fftconvolve"]]
library = ["numpy", "strict"]
function = "many_package:one"
[[functions."likewise.signal:fftconvolve"]]
library = "torch"
function = "many_package:other"
[functions."likewise.linalg:lu_factor"]
library = "numpy"
function = "many_package:rooms.lu"
"""
    shelf.put("many", toml)
    found = _providers.found()["many"]
    assert [(e.name.partition(":")[2], e.library, e.path) for e in found.entries] == [  # type: ignore[union-attr]
        ("fftconvolve", "numpy", "many_package:one"),
        ("fftconvolve", "strict", "many_package:one"),
        ("fftconvolve", "torch", "many_package:other"),
        ("lu_factor", "numpy", "many_package:rooms.lu"),
    ]
    assert str(found).endswith(
        "likewise.signal:fftconvolve (numpy, strict, torch), likewise.linalg:lu_factor (numpy)"
    )


def edited(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


WRONG = {
    "TOML": ("api = 1\nname = blocks", "not TOML: Invalid value .at line 2"),
    "encoding": ("name = 'a\udcff'", "not TOML: .*can't decode"),
    "api": (edited("api = 1", "api = 2"), "got api = 2, but .* reads api = 1"),
    "no api": (edited("api = 1", ""), "got api = None"),
    "api of another type": (edited("api = 1", "api = true"), "got api = True"),
    "name": (edited('"blocks"', '"bloks"'), "got name = 'bloks', but its entry point is called"),
    "no name": (edited('name = "blocks"', ""), "got name = None"),
    "a key of the file": ("nam = 1\n" + GOOD, "the file has the key 'nam'; did you mean 'name'"),
    "nothing": ('api = 1\nname = "blocks"', "names no function. Add a table such as"),
    "no table": ('api = 1\nname = "blocks"\nfunctions = 3', "names no function"),
    "an empty table": (
        'api = 1\nname = "blocks"\n[functions]\n"likewise.signal:fftconvolve" = 3',
        "must be a table, got 3",
    ),
    "function": (
        edited("signal:fftconvolve", "signal:fftconvolv"),
        "no function 'likewise.signal:fftconvolv'; did you mean 'likewise.signal:fftconvolve'",
    ),
    "room": (
        edited("likewise.signal:fft", "likewise.signals:fft"),
        "no function 'likewise.signals:fftconvolve'; did you mean 'likewise.signal:fftconvolve'",
    ),
    "no such thing at all": (
        edited("likewise.signal:fft", "likewise:"),
        "no function 'likewise:convolve'",
    ),
    "a function that takes functions": (
        edited("signal:fftconvolve", "optimize:curve_fit"),
        "can stand in for .likewise.optimize:curve_fit.: .*linear_sum_assignment, linprog, lsq_linear, nnls",
    ),
    "a function without a step": (
        edited("signal:fftconvolve", "missing:rot90"),
        "can stand in for 'likewise.missing:rot90': .*allclose",
    ),
    "library": (edited('"numpy"', '"nunpy"'), "library = 'nunpy'; did you mean 'numpy'. there are"),
    "a library that is a number": (
        edited('"numpy"', "3"),
        "library = 3; expected a name or a list",
    ),
    "a library in a list": (edited('"numpy"', "[3]"), "library = 3; there are numpy, cupy"),
    "a library twice": (edited('"numpy"', '["numpy", "numpy"]'), "two functions for 'numpy'"),
    "no library": (edited('library = "numpy"', ""), "lacks 'library'; expected are library, func"),
    "no function": (
        edited('function = "blocks_package:fftconvolve"', ""),
        "lacks 'function'; expected are library, function and, if wanted, should_run, docs",
    ),
    "a path": (edited("blocks_package:fft", "blocks_package.fft"), "expected 'module:function'"),
    "a key": (edited("should_run", "shouldrun"), "key 'shouldrun'; did you mean 'should_run'"),
    "docs": (edited('"In blocks."', "1"), "docs = 1; expected text"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_file(shelf: Any, what: str) -> None:
    """It disturbs nobody but those who prefer it; its error has the file's name."""
    toml, message = WRONG[what]
    path = shelf.put("blocks", toml, CODE)
    shelf.put("other", GOOD.replace("blocks", "other"), CODE)
    with pytest.raises(ProviderError, match=message) as caught, likewise.prefer("blocks"):
        pass
    assert str(caught.value).startswith(f"prefer: the provider 'blocks' can't be used. {path}: ")
    assert isinstance(caught.value, LikewiseError) and isinstance(caught.value, ValueError)
    told = _info._told_providers()
    assert told["blocks"].startswith(f"broken: {path}: ") and told["other"].startswith("off unless")
    with likewise.prefer("other"):
        assert sevens()
    assert "blocks" not in str(likewise.explain(fftconvolve, X, X))


@pytest.mark.parametrize("name", ["scipy", "généric", "-x"])
def test_names_that_nobody_may_have(shelf: Any, name: str) -> None:
    shelf.put(name, GOOD.replace('"blocks"', f'"{name}"'), CODE, package="blocks_package")
    told = str(_providers.found()[name])
    assert "Choose another" in told
    with likewise.prefer("scipy"):  # ours
        assert not sevens()


def test_a_file_that_is_not_there(shelf: Any) -> None:
    shelf.put("blocks", GOOD, CODE, value="blocks_package:other.toml")
    shelf.put("second", GOOD, CODE, value="no.such.package:likewise.toml")
    shelf.put("third", GOOD, CODE, value="blocks_package")
    shelf.put("fourth", GOOD, CODE).unlink()
    told = {name: str(found) for name, found in _providers.found().items()}
    assert "no file blocks_package/other.toml, which its entry point 'blocks'" in told["blocks"]
    assert "no file no/such/package/likewise.toml" in told["second"]
    assert "expected a package and a file in it, 'package:likewise.toml'" in told["third"]
    assert "no file fourth_package/likewise.toml" in told["fourth"]
    assert "or reinstall it" in told["fourth"]


def test_two_of_the_same_name(shelf: Any) -> None:
    shelf.put("blocks", GOOD, CODE)
    shelf.put("blocks", GOOD, CODE, package="elsewhere")
    with pytest.raises(
        ProviderError, match=r"dist-blocks_package 0.1 and dist-elsewhere 0.1. Unin"
    ):
        with likewise.prefer("blocks"):
            pass


def test_a_name_that_nobody_has(shelf: Any) -> None:
    shelf.put("blocks", GOOD, CODE)
    with pytest.raises(ArgumentError, match=r"^prefer: .*'bloks'; known are 'blocks', 'cupy'"):
        with likewise.prefer("bloks"):
            pass


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import no_such_package", "can't be imported: ModuleNotFoundError: No module named 'no_s"),
        ("1 / 0", "can't be imported: ZeroDivisionError"),
        ("", "can't be imported: AttributeError: .*'fftconvolve'"),
        ("fftconvolve = 3", "is int, expected a function"),
    ],
)
def test_a_function_that_cannot_be_imported(shelf: Any, code: str, message: str) -> None:
    path = shelf.put("blocks", edited('should_run = "blocks_package:should_run"', ""), code)
    with likewise.prefer("blocks"):
        with pytest.raises(ProviderError, match=message) as caught:
            fftconvolve(X, X)
        assert str(path) in str(caught.value) and "blocks_package:fftconvolve" in str(caught.value)
        assert likewise.special.expit(X).shape == X.shape


@pytest.mark.parametrize("value", ["False", "None", "1", "''", "'  '", "call"])
def test_should_run_answers_true_or_a_reason(shelf: Any, value: str) -> None:
    path = shelf.put("blocks", GOOD, CODE.replace("return True", f"return {value}"))
    with (
        likewise.prefer("blocks"),
        pytest.raises(ProviderError, match="expected True, or a str") as e,
    ):
        fftconvolve(X, X)
    assert str(path) in str(e.value) and "should_run = 'blocks_package:should_run'" in str(e.value)


def test_what_should_run_raises_has_the_providers_name(shelf: Any) -> None:
    shelf.put("blocks", GOOD, CODE.replace("return True", "return call.nonsense"))
    with likewise.prefer("blocks"), pytest.raises(AttributeError, match="nonsense") as caught:
        fftconvolve(X, X)
    assert "of the provider 'blocks', asked about likewise.signal:fftc" in caught.value.__notes__[0]


def test_info_says_what_is_preferred(shelf: Any) -> None:
    shelf.put("blocks", GOOD, CODE)
    code = "from likewise import _info; _info.LIBRARIES = (); print(_info._report().providers)"
    environ = os.environ | {"LIKEWISE_PREFER": "blocks, nobody", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ
    )
    assert "'blocks': 'preferred by LIKEWISE_PREFER: dist-blocks_package 0.1: " in done.stdout
    assert "'nobody': \"LIKEWISE_PREFER names it, but it isn't installed\"" in done.stdout


def test_what_can_be_named() -> None:
    """All that take arrays and have a step; the count is of names, and grows with the library."""
    counts = {room: len(_providers.nameable(room)) for room in ("signal", "linalg", "missing")}
    assert counts["signal"] >= 3 and counts["linalg"] >= 16 and counts["missing"] >= 70
    assert "curve_fit" not in _providers.nameable("optimize")
    assert {"nnls", "linear_sum_assignment", "lsq_linear"} <= set(_providers.nameable("optimize"))
    assert {"erf", "bdtr"} <= set(_providers.nameable("special"))
