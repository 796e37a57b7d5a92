"""The plugin in runs of pytest of its own."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from likewise.testing import variants

PLUGIN = ("-p", "likewise.testing.plugin", "-p", "no:xdist", "-p", "no:cacheprovider")
# Which an inner run would import anew, every assertion of it rewritten: two seconds a run.
PLUGIN = (*PLUGIN, "-p", "no:hypothesispytest", "-p", "no:zarr")
SIMPLE = """
    import numpy as np
    from likewise.testing import assert_close

    def test_sum(xp):
        x = xp.asarray([1.0, 2.0])
        assert_close(xp.sum(x), 3.0)
"""


@pytest.fixture(scope="module")
def imported() -> None:
    """The libraries, once: what an inner run imports is gone after it, and can't come twice."""
    for variant in variants():
        if variant.why_not() is None:
            variant.xp.ones(1)


@pytest.fixture
def run(imported: None, pytester: pytest.Pytester) -> Any:
    def run(*args: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess(*PLUGIN, *args)

    return run


def test_nothing_to_configure(pytester: pytest.Pytester, run: Any) -> None:
    pytester.makepyfile(SIMPLE)
    result = run("-v")
    result.stdout.fnmatch_lines(["*test_sum?numpy? PASSED*", "*test_sum?strict? PASSED*"])
    result.stdout.no_fnmatch_line("*device1*")


def test_a_run_inside_of_another_leaves_it_alone(pytester: pytest.Pytester, run: Any) -> None:
    from likewise.testing._variants import UNDER_TEST

    before = list(UNDER_TEST)
    assert "likewise.signal" in before
    pytester.makepyfile(SIMPLE)
    pytester.makeini("[pytest]\nxp_jit = other")
    assert run().ret == 0
    assert before == UNDER_TEST


def test_choosing(pytester: pytest.Pytester, run: Any) -> None:
    pytester.makepyfile(SIMPLE)
    run("--xp=strict*").assert_outcomes(passed=4, skipped=1)  # nothing runs recorded
    run("--xp=numpy,strict").assert_outcomes(passed=2)
    result = run("--xp=tensorflow")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no variant 'tensorflow'; there are numpy,*"])


def test_choosing_in_the_ini_file(pytester: pytest.Pytester, run: Any) -> None:
    pytester.makepyfile(SIMPLE)
    pytester.makeini("[pytest]\nxp = numpy*")
    run().assert_outcomes(passed=2, skipped=1)
    run("--xp=strict").assert_outcomes(passed=1)


def test_a_share_of_the_tests(pytester: pytest.Pytester, run: Any) -> None:
    """The same each time; of two variants, different ones."""
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.parametrize("n", range(64))
        def test_n(xp, n): pass
        """
    )
    result = run("--xp=numpy,strict/8", "-v")
    passed = result.parseoutcomes()["passed"]
    assert 64 < passed < 64 + 24
    assert result.parseoutcomes()["deselected"] == 128 - passed
    again = run("--xp=numpy,strict/8", "-v")
    lines = [[x for x in r.outlines if "PASSED" in x and "strict" in x] for r in (result, again)]
    assert [x.split()[0] for x in lines[0]] == [x.split()[0] for x in lines[1]]


def test_list(pytester: pytest.Pytester, run: Any) -> None:
    result = run("--xp-list")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["numpy *", "strict-device1 *second device*", "jax-cuda *"])


def test_own_fixture_wins(pytester: pytest.Pytester, run: Any) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.fixture
        def xp(): return "mine"
        def test_it(xp): assert xp == "mine"
        """
    )
    run().assert_outcomes(passed=1)
    pytester.makepyfile(
        """
        import pytest
        @pytest.fixture(params=["numpy", "mine"])
        def xp(request): return request.param
        def test_it(xp): assert xp in ("numpy", "mine")
        """
    )
    run("--xp=strict").assert_outcomes(passed=2)


def test_marks(pytester: pytest.Pytester, run: Any) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.xp_skip({"strict": "not for strict"})
        def test_skip(xp): pass
        @pytest.mark.xp_xfail({"strict-device1": "fails there"})
        def test_fail(xp): assert xp.variant.device is None
        """
    )
    result = run("--xp=numpy,strict,strict-device1", "-rsx")
    result.assert_outcomes(passed=3, skipped=2, xfailed=1)
    result.stdout.fnmatch_lines(["SKIPPED*not for strict", "XFAIL*fails there*"])


def test_xfail_is_strict(pytester: pytest.Pytester, run: Any) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.xp_xfail({"numpy": "fails"})
        def test_pass(xp): pass
        """
    )
    result = run("--xp=numpy,strict")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*XPASS(strict)*fails*"])


@pytest.mark.parametrize(
    "mark",
    ['{"numpy": ""}', '{"numpy": None}', '{"tensorflow": "x"}', '"numpy"', "", 'numpy="x"'],
)
@pytest.mark.share(3)
def test_marks_without_reason(pytester: pytest.Pytester, run: Any, mark: str) -> None:
    pytester.makepyfile(
        f"""
        import pytest
        @pytest.mark.xp_skip({mark})
        def test_it(xp): pass
        """
    )
    result = run("--xp=numpy")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_it*xp_skip takes one dict*"])


def test_marks_without_the_fixture(pytester: pytest.Pytester, run: Any) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.xp_skip({"numpy": "reason"})
        def test_it(): pass
        """
    )
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*xp_skip without the fixture xp"])


def test_marks_of_a_class_spare_its_other_tests(pytester: pytest.Pytester, run: Any) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.xp_skip({"strict": "reason"})
        class TestIt:
            def test_with(self, xp): pass
            def test_without(self): pass
        """
    )
    run("--xp=numpy,strict").assert_outcomes(passed=2, skipped=1)


def test_nothing_is_said_where_no_test_is_about_libraries(
    pytester: pytest.Pytester, run: Any
) -> None:
    pytester.makepyfile("def test_plain(): pass")
    run().stdout.no_fnmatch_line("*not run*")
    pytester.makepyfile(SIMPLE)
    run("--collect-only").stdout.no_fnmatch_line("*not run*")


def test_own_fixture_is_left_alone(pytester: pytest.Pytester, run: Any) -> None:
    """With our names for parameters: no share of the tests, nothing compiled, no skips."""
    pytester.makepyfile(
        """
        import pytest
        @pytest.fixture(params=["numpy", "jax-jit", "strict"])
        def xp(request): return request.param
        @pytest.mark.parametrize("n", range(8))
        def test_it(xp, n): assert isinstance(xp, str)
        """
    )
    run("--xp=*/8").assert_outcomes(passed=24)


def test_a_namespace_given_to_code_under_test(pytester: pytest.Pytester, run: Any) -> None:
    """There it is the library's own: arrays made without a device are on the wrong one."""
    pytester.makepyfile(
        mymodule="""
        def wrong(x, xp): return x + xp.ones(2, dtype=x.dtype)
        def local(x, xp):
            out = xp.zeros(2); out[0] = 1
            return out
        """
    )
    pytester.makepyfile(
        """
        import mymodule
        def test_wrong(xp): mymodule.wrong(xp.ones(2), xp)
        def test_local(xp): mymodule.local(xp.ones(2), xp)
        """
    )
    pytester.syspathinsert()
    result = run("--xp=strict-device1,numpy-readonly")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["FAILED*test_wrong?strict-device1?*"])


def test_not_run_is_said(pytester: pytest.Pytester, run: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("likewise.testing._variants.installed", lambda name: name == "numpy")
    pytester.makepyfile(SIMPLE)
    result = run("--xp=numpy,strict-device1,cupy", "-rs")
    result.stdout.fnmatch_lines(["*not run: jax-cuda (jax is not installed)*"])


def test_report(pytester: pytest.Pytester, run: Any) -> None:
    pytester.makepyfile(
        """
        import numpy as np, pytest
        from likewise import array_namespace
        from likewise.testing import check_function

        def double(x): return 2 * x
        def wrong(x): return np.ones(3)

        def test_double():
            check_function(double, np.ones(3), reference=2 * np.ones(3), libraries=["numpy", "strict"])
        def test_wrong():
            check_function(wrong, np.ones(3), libraries=["strict"])
        @pytest.mark.xp_skip({"strict": "a | reason"})
        def test_skipped(xp): pass
        """
    )
    result = run("--xp=numpy,strict", *(f"--xp-report=out/r.{s}" for s in ("json", "md", "html")))
    result.assert_outcomes(passed=2, failed=1, skipped=1)
    found = json.loads(Path("out/r.json").read_text())
    records = {r["function"].rpartition(".")[2]: r for r in found["records"]}
    cell = records["double"]["cells"]["numpy"]["eager"]
    assert (cell["status"], cell["reason"], cell["error"]) == ("yes", "", 0.0)
    assert records["double"]["values"] == "given values"
    assert records["wrong"]["cells"]["strict"]["eager"]["status"] == "failed"
    assert [(r["kind"], r["variant"], r["reason"]) for r in found["registry"]] == [
        ("skip", "strict", "a | reason")
    ]
    assert "jax-cuda" in found["not_run"]
    assert "numpy" in found["versions"]
    text = Path("out/r.md").read_text()
    assert "## strict" in text and "| yes | – |" in text and "FAILED" in text
    assert "a \\| reason" in text
    assert "<td class=FAILED>" in Path("out/r.html").read_text()
    assert run("--xp-report=r.txt").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.full
def test_report_with_workers(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import numpy as np, pytest
        from likewise.testing import check_function

        @pytest.mark.xp_skip({"strict": "reason"})
        def test_skipped(xp): pass
        def test_double():
            check_function(lambda x: 2 * x, np.ones(3), libraries=["numpy"], name="double")
        """
    )
    done = pytester.runpytest_subprocess(
        *PLUGIN[:2], "-n", "2", "--xp=numpy,strict", "--xp-report=r.json"
    )
    done.assert_outcomes(passed=2, skipped=1)
    found = json.loads(Path("r.json").read_text())
    assert [r["function"] for r in found["records"]] == ["double"]
    assert [r["reason"] for r in found["registry"]] == ["reason"]


def test_imports_nothing_heavy(tmp_path: Path) -> None:
    """A run that doesn't use the fixture loads no array library, nor hypothesis."""
    names = "numpy scipy torch jax dask cupy array_api_strict hypothesis".split()
    (tmp_path / "test_plain.py").write_text(
        f"import sys\ndef test_it():\n    assert not set({names}) & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGIN, "-q", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.needs("torch", "jax", "dask")
@pytest.mark.full
def test_the_page_on_validation(pytester: pytest.Pytester) -> None:
    """docs/validate.md, followed literally."""
    page = (Path(__file__).parents[2] / "docs" / "validate.md").read_text()
    blocks = [b.partition("\n") for b in re.findall(r"```python\n# (.*?)```", page, re.S)]
    versions = [code for name, _, code in blocks if name == "spectra/__init__.py"]
    files = {name: code for name, _, code in blocks}
    assert len(versions) == 2 and len(files) == 4

    (folders,) = re.findall(r"^\$ mkdir (.*)$", page, re.M)
    for folder in folders.split():
        pytester.mkdir(folder)

    def write(name: str, code: str) -> None:
        (pytester.path / name).write_text(code)

    def run(*args: str) -> pytest.RunResult:
        return pytester.run(sys.executable, "-m", "pytest", *PLUGIN, "-q", *args)

    declared = files.pop("tests/test_declared.py")
    for name, code in files.items():
        write(name, code)
    write("spectra/__init__.py", versions[0])
    result = run("tests")
    result.assert_outcomes(passed=9, failed=3)
    # The errors as the page has them, as far as it has them.
    for line in re.findall(r"^E +(.*)$", page, re.M):
        assert line.removesuffix("...").strip() in result.stdout.str()
    found = pytester.run(sys.executable, "-m", "likewise", "check", "spectra")
    for line in re.findall(r"^(spectra/.*|3 findings.*)$", page, re.M):
        assert line.removesuffix("...").strip() in found.stdout.str()
    write("spectra/__init__.py", versions[1])
    write("tests/test_declared.py", declared)
    result = run("tests")
    result.assert_outcomes(passed=17, skipped=1)


# -- the variant jax-jit ---------------------------------------------------------------------------

PACKAGE = """
    from likewise import array_namespace

    def double(x):
        return 2 * x

    def look(x):
        return x if float(x[0]) > 0 else -x

    class Thing:
        pass

    def _private(x):
        return x
"""
COMPILED = """
    import functools
    import pytest, mypackage
    from mypackage import double, look, Thing
    from likewise import is_lazy
    import jax

    TABLE = {"double": [double, {}], "other": 3}
    seen = []

    def traced(x):
        seen.append(isinstance(x, jax.core.Tracer))
        return x

    def test_by_name(xp):
        assert double(xp.ones(2)).shape == (2,)
    def test_in_a_table(xp):
        TABLE["double"][0](xp.ones(2))
    def test_attribute(xp):
        mypackage.double(xp.ones(2))
    @pytest.mark.parametrize("f", [double])
    def test_parameter(xp, f):
        f(xp.ones(2))
    @pytest.fixture
    def made(): return double
    def test_fixture(xp, made):
        made(xp.ones(2))
    PARTIAL = functools.partial(double)
    def test_partial(xp):
        PARTIAL(xp.ones(2))
    def test_kept(xp, monkeypatch):
        monkeypatch.setattr(mypackage, "double", lambda x: x)
        look.__wrapped__ if hasattr(look, "__wrapped__") else look
        double(xp.ones(2))
    def test_nothing_stays(xp):
        assert not hasattr(double, "__wrapped__") or xp.variant.jit
        if not xp.variant.jit:
            assert look(xp.ones(2)).shape == (2,)
        else:
            double(xp.ones(2))
    def test_looks(xp):
        look(xp.ones(2))
    def test_calls_nothing(xp):
        assert Thing()
"""


@pytest.mark.needs("jax")
def test_functions_run_compiled(pytester: pytest.Pytester, run: Any) -> None:
    pytester.mkpydir("mypackage").joinpath("__init__.py").write_text(
        "\n".join(line[4:] for line in PACKAGE.splitlines())
    )
    pytester.makepyfile(COMPILED)
    pytester.syspathinsert()
    result = run("--xp=jax-jit,numpy", "-rs", "-v")
    # All found wherever they were referred to; a look at values fails; nothing compiled is said.
    result.assert_outcomes(passed=8 + 10, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["*test_looks?jax-jit? FAILED*", "SKIPPED*not run*mypackage*"])


# -- functions that compute, or can't be compiled --------------------------------------------------

LAZY = """
    def double(x):
        return 2 * x

    def twice(x):
        return x if bool((x > 0).all()) and bool((x > 1).all()) else -x

    def forever(x):
        while bool((x < 9).any()):
            x = 2 * x
        return x
"""


@pytest.fixture
def lazy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(lazymodule=LAZY)
    pytester.syspathinsert()


@pytest.mark.needs("dask")
def test_computations_are_counted(pytester: pytest.Pytester, run: Any, lazy: None) -> None:
    pytester.makepyfile(
        """
        import pytest, lazymodule
        from lazymodule import double, twice, forever

        pytestmark = pytest.mark.xp_lazy(double, twice, dask=1)
        TABLE = {"twice": [twice]}

        def test_one_too_many(xp):
            twice(xp.ones(4))
        def test_in_a_table(xp):
            TABLE["twice"][0](xp.ones(4))
        def test_each_call_for_itself(xp):
            for _ in range(3):
                twice(-xp.ones(4))
            double(xp.ones(4)).compute() if hasattr(xp.ones(4), "compute") else None
        @pytest.mark.xp_lazy(twice, dask=2)
        def test_the_nearest_mark_holds(xp):
            lazymodule.twice(xp.ones(4))
        def test_others_are_free(xp):
            forever(xp.ones(4))
        @pytest.mark.xp_lazy(forever, dask=0, jit="a loop")
        def test_none(xp):
            forever(9 * xp.ones(4))
        def test_without_the_fixture(): pass
        """
    )
    result = run("--xp=numpy,dask", "--xp-report=r.json")
    result.assert_outcomes(passed=10, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*AssertionError: lazymodule.twice: one call computed lazy arrays 2 times, dask=1 "
            "allowed; the first beyond that at *lazymodule.py:5: return x if bool*",
            "*AssertionError: lazymodule.forever: one call computed lazy arrays 1 times, dask=0 *",
            "FAILED*test_one_too_many?dask?*",
            "FAILED*test_in_a_table?dask?*",
            "FAILED*test_none?dask?*",
        ]
    )
    rows = {
        r["test"].partition("::")[2]: r for r in json.loads(Path("r.json").read_text())["registry"]
    }
    assert len(rows) == 6
    assert {(r["kind"], r["variant"]) for r in rows.values()} == {("dask", "dask")}
    assert rows["test_the_nearest_mark_holds"]["reason"] == (
        "twice: computations of a call: at most 2; double: computations of a call: at most 1"
    )


@pytest.mark.needs("jax")
def test_functions_that_cannot_be_compiled(pytester: pytest.Pytester, run: Any, lazy: None) -> None:
    pytester.makepyfile(
        """
        import pytest
        from lazymodule import double, twice

        def test_undeclared(xp):
            twice(xp.ones(4))
        @pytest.mark.xp_lazy(twice, jit="it looks at values")
        def test_declared(xp):
            twice(xp.ones(4))
        @pytest.mark.xp_lazy(twice, jit="it looks at values", dask=2)
        class TestBoth:
            def test_with_another(self, xp):
                assert hasattr(double, "__wrapped__") == xp.variant.jit
                assert not hasattr(twice, "__wrapped__")
                double(twice(xp.ones(4)))
        """
    )
    result = run("--xp=numpy,jax-jit", "-rsf", "--xp-report=r.json")
    result.assert_outcomes(passed=4, failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "SKIPPED*not run: nothing was compiled; twice: it looks at values",
            "FAILED*test_undeclared?jax-jit?*",
        ]
    )
    rows = json.loads(Path("r.json").read_text())["registry"]
    assert [(r["kind"], r["variant"], r["reason"]) for r in rows] == 2 * [
        ("jit", "jax-jit", "twice: it looks at values")
    ]


@pytest.mark.parametrize(
    "arguments, words",
    [
        ("double, twice", "takes functions, and jit="),
        ("dask=1", "takes functions, and jit="),
        ("'double', dask=1", "takes functions, and jit="),
        ("double, jit=' '", "takes functions, and jit="),
        ("double, jit=True", "takes functions, and jit="),
        ("double, dask=-1", "takes functions, and jit="),
        ("double, dask=True", "takes functions, and jit="),
        ("double, dask=1, torch=1", "takes functions, and jit="),
        ("len, dask=1", "takes public functions of the packages under test (lazymodule), *len>"),
    ],
)
@pytest.mark.share(3)
def test_marks_of_functions_that_are_wrong(
    pytester: pytest.Pytester, run: Any, lazy: None, arguments: str, words: str
) -> None:
    pytester.makepyfile(
        f"""
        import pytest
        from lazymodule import double, twice
        @pytest.mark.xp_lazy({arguments})
        def test_it(xp): pass
        """
    )
    result = run("--xp=numpy")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*test_it*: @pytest.mark.xp_lazy {words}*"])


def test_marks_of_functions_without_the_fixture(
    pytester: pytest.Pytester, run: Any, lazy: None
) -> None:
    pytester.makepyfile(
        """
        import pytest, lazymodule
        @pytest.mark.xp_lazy(lazymodule.double, dask=1)
        def test_it(): pass
        """
    )
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*xp_lazy without the fixture xp"])
