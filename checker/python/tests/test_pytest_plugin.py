"""The pytest plugin, in runs of its own."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

KERNELS = f"""import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
from ptx import COUNT, SAME, SCALE
from tma_emulator import emulate
"""


@pytest.fixture
def run(pytester, monkeypatch):
    # The width of the output.
    monkeypatch.setenv("COLUMNS", "200")

    def run(test, *options):
        pytester.makepyfile(KERNELS + test)
        # In a process of its own: the plugin has settings of the process.
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)

    return run


def test_a_failure_shows_the_report_once_and_the_user_s_line(run):
    result = run("""
def test_race():
    emulate(COUNT, "count", 2, 1, [np.zeros(1, np.uint32)])
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        '>       emulate(COUNT, "count", 2, 1, *',
        "E       *CheckError: error[[]data-race]: two accesses*",
        "E         --> count.ptx:*",
        "E         = rule: PTX ISA 8.7, 8.9",
        "FAILED *test_race - *data-race*",
    ])
    shown = result.stdout.str()
    # No frame of the package.
    assert "_launch.py" not in shown
    assert "findings of tma_emulator" not in shown


def test_a_test_that_fails_otherwise_shows_what_was_found_in_it(run):
    result = run("""
def test_wrong():
    to = np.zeros(1, np.uint32)
    emulate(COUNT, "count", 2, 1, [to], check=False)
    assert to[0] == 3

def test_clean():
    numbers = np.ones(4, np.float32)
    emulate(SCALE, "scale", 1, 4, [numbers, np.float32(2)])
    assert numbers[0] == 3

def test_passes():
    emulate(COUNT, "count", 2, 1, [np.zeros(1, np.uint32)], check=False)
""")
    result.assert_outcomes(failed=2, passed=1)
    # Once: neither of the clean launch nor of the test that passes.
    assert result.stdout.str().count("findings of tma_emulator") == 1
    result.stdout.fnmatch_lines(["*findings of tma_emulator*", "error[[]data-race]:*"])


def test_warnings_are_those_of_pytest(run):
    test = """
def test_same():
    emulate(SAME, "same", 2, 1, [np.zeros(1, np.uint32)])
"""
    result = run(test)
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*CheckWarning: warning[[]same-value-race]:*"])
    run(test, "-W", "error::tma_emulator.CheckWarning").assert_outcomes(failed=1)


SEEDS = """
def test_seeds(request):
    one = np.ones(1, np.float32)
    result = emulate(SCALE, "scale", 1, 1, [one, np.float32(2)])
    assert [run.seed for run in result.runs] == list(range({count}))
    result = emulate(SCALE, "scale", 1, 1, [one, np.float32(2)], seeds=[9])
    assert [run.seed for run in result.runs] == [9]
"""


def test_the_number_of_schedules_is_an_option(run, pytester):
    run(SEEDS.format(count=1)).assert_outcomes(passed=1)
    run(SEEDS.format(count=5), "--tma-seeds", "5").assert_outcomes(passed=1)
    pytester.makeini("[pytest]\ntma_seeds = 3\n")
    run(SEEDS.format(count=3)).assert_outcomes(passed=1)
    run(SEEDS.format(count=2), "--tma-seeds=2").assert_outcomes(passed=1)
    result = run("", "--tma-seeds", "0")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--tma-seeds 0: must be at least 1"])
