"""The pytest plugin, in runs of its own."""

import json
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

KERNELS = f"""import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
from ptx import COUNT, DRAW, SAME, SCALE
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


def test_findings_are_written_as_sarif(run, pytester):
    test = """
import pytest
from ptx import SAME
from tma_emulator import CheckError

def test_race():
    emulate(COUNT, "count", 2, 1, [np.zeros(1, np.uint32)])

def test_expected():
    with pytest.raises(CheckError):
        emulate(COUNT, "count", 3, 1, [np.zeros(1, np.uint32)])

def test_warns():
    emulate(SAME, "same", 2, 1, [np.zeros(1, np.uint32)])
"""
    run(test, "--tma-sarif", "größe 1.sarif", "--tma-seeds", "3").assert_outcomes(passed=2, failed=1, warnings=1)
    log = json.loads((pytester.path / "größe 1.sarif").read_text(encoding="utf-8"))
    (tool_run,) = log["runs"]
    assert tool_run["invocations"][0]["executionSuccessful"]
    rules = [rule["id"] for rule in tool_run["tool"]["driver"]["rules"]]
    # A read and a write race, and two writes; those of the test that passes are the same ones, and are not counted.
    error, other, warning = tool_run["results"]
    assert [(it["ruleId"], it["level"]) for it in (error, other)] == [("data-race", "error")] * 2
    assert [it["properties"]["runs"] for it in (error, other)] == [1, 1]
    assert (warning["ruleId"], warning["level"]) == ("same-value-race", "warning")
    assert rules[error["ruleIndex"]] == "data-race"
    name = "test_findings_are_written_as_sarif.py"
    assert error["properties"]["again"] == f"pytest {name}::test_race"
    assert error["message"]["text"].startswith("error[data-race]: two accesses")
    place = error["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "count.ptx"}
    assert len(error["relatedLocations"]) == 1


def test_a_deadlock_is_in_the_line_of_its_test(run, pytester):
    run("""
from tma_emulator import emulate

ENDLESS = '''
.version 8.6
.target sm_90a
.address_size 64
.visible .entry waits()
{
    .reg .pred %p<2>; .reg .b32 %r<2>;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bar.sync 1, 64;
    ret;
}
'''

def test_waits():
    emulate(ENDLESS, "waits", 1, 64, [])
""", "--tma-sarif", "x.sarif").assert_outcomes(failed=1)
    log = json.loads((pytester.path / "x.sarif").read_text(encoding="utf-8"))
    results = log["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"] for result in results]
    uri = "test_a_deadlock_is_in_the_line_of_its_test.py"
    expected = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 23}}
    assert expected in places, results


def test_a_session_without_findings_writes_a_file_and_a_missing_folder_is_an_error(run, pytester):
    run("def test_passes(): pass", "--tma-sarif", "x.sarif").assert_outcomes(passed=1)
    log = json.loads((pytester.path / "x.sarif").read_text(encoding="utf-8"))
    assert log["version"] == "2.1.0" and log["runs"][0]["results"] == []
    result = run("def test_passes(): pass", "--tma-sarif", "none/x.sarif")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--tma-sarif: the folder '*none' does not exist; create it first"])
    result = run("def test_passes(): pass", "--tma-sarif", ".")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--tma-sarif: cannot write" in result.stdout.str() + result.stderr.str()


def test_every_schedule_and_the_one_that_failed(run, pytester):
    draw = """
def test_draw():
    emulate(DRAW, "draw", 1, 64, [np.zeros(1, np.uint32)])

def test_scale():
    emulate(SCALE, "scale", 1, 1, [np.ones(1, np.float32), np.float32(2)])
"""
    run(draw).assert_outcomes(passed=2)
    result = run(draw, "--tma-all-schedules", "--tma-sarif", "tma.sarif")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["E         = schedule: *", "*repeat this schedule*", "pytest *test_draw --tma-schedule *"])
    again = next(line for line in result.stdout.lines if line.startswith("pytest "))
    name = again.split()[-1]
    log = json.loads((pytester.path / "tma.sarif").read_text())
    properties = log["runs"][0]["results"][0]["properties"]
    assert (properties["schedule"], properties["again"]) == (name, again)
    # The kernels of other tests have other PTX.
    run(draw, "--tma-schedule", name).assert_outcomes(passed=1, failed=1)
    result = run(draw, "--tma-schedule", name, "--tma-seeds", "2")
    result.stderr.fnmatch_lines(["*--tma-seeds, --tma-all-schedules and --tma-schedule exclude each other*"])
