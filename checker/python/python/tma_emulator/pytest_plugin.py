"""The pytest plugin: failures show the checker's findings, `--tma-seeds` and `--tma-all-schedules` run more schedules,
`--tma-schedule` repeats one, and `--tma-sarif` writes a SARIF file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, Generator

import pytest

from tma_emulator import _launch
from tma_emulator._native import sarif, to_json
from tma_emulator._result import CheckError, Result

_RESULTS = pytest.StashKey[list[Result]]()
_IS_FAILED = pytest.StashKey[bool]()
_SARIF = pytest.StashKey["Sarif"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tma_emulator")
    group.addoption(
        "--tma-seeds",
        type=int,
        metavar="N",
        help="run kernels under N schedules unless a call sets seeds (default: 1, or `tma_seeds` of the ini file)",
    )
    group.addoption(
        "--tma-all-schedules",
        action="store_true",
        help="run kernels under every schedule that can have another result, unless a call names schedules",
    )
    group.addoption(
        "--tma-schedule",
        metavar="NAME",
        help="repeat the schedule that a failure names, unless a call names schedules",
    )
    group.addoption(
        "--tma-sarif",
        type=Path,
        metavar="FILE",
        help="write the errors of failed tests, and the warnings of all, as SARIF 2.1.0",
    )
    parser.addini("tma_seeds", "how many schedules kernels are run under where a call names none", default="1")


def pytest_configure(config: pytest.Config) -> None:
    given = config.getoption("--tma-seeds")
    count = int(config.getini("tma_seeds")) if given is None else given
    if count < 1:
        raise pytest.UsageError(f"--tma-seeds {count}: must be at least 1")
    _launch.default_seeds = tuple(range(count))
    every, name = config.getoption("--tma-all-schedules"), config.getoption("--tma-schedule")
    if sum([given is not None, every, name is not None]) > 1:
        raise pytest.UsageError("--tma-seeds, --tma-all-schedules and --tma-schedule exclude each other: pass one")
    _launch.default_all_schedules, _launch.default_schedule = every, name
    path = config.getoption("--tma-sarif")
    if path is not None:
        path = config.invocation_params.dir / path
        if not path.parent.is_dir():
            raise pytest.UsageError(f"--tma-sarif: the folder {str(path.parent)!r} does not exist; create it first")
        config.stash[_SARIF] = Sarif(config, path)
        config.pluginmanager.register(config.stash[_SARIF], "tma_emulator_sarif")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    results = item.stash.setdefault(_RESULTS, [])
    _launch.observers.append(results.append)
    try:
        return (yield)
    finally:
        _launch.observers.remove(results.append)
        log = item.config.stash.get(_SARIF, None)
        if log is not None:
            log.add(item, item.stash.get(_IS_FAILED, False))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if not report.failed:
        return report
    item.stash[_IS_FAILED] = True
    raised = call.excinfo.value if call.excinfo is not None else None
    told = raised.result if isinstance(raised, CheckError) else None
    names = [result.schedule for result in item.stash[_RESULTS] if result.schedule is not None]
    if names:
        report.sections.append(("repeat this schedule", shlex.join(["pytest", item.nodeid, "--tma-schedule", names[0]])))
    for result in item.stash[_RESULTS]:
        # The failure itself contains the exception.
        if result.findings and result is not told:
            report.sections.append(("findings of tma_emulator", str(result)))
    return report


class Sarif:
    """The findings of a session, which are written at its end."""

    def __init__(self, config: pytest.Config, path: Path) -> None:
        self.root = config.invocation_params.dir
        self.path = path
        self.findings: list[tuple[str, str, int, str]] = []
        # Set in a worker of pytest-xdist, which hands its findings to the main process.
        self.worker_output: Any = getattr(config, "workeroutput", None)

    def add(self, item: pytest.Item, is_failed: bool) -> None:
        """Adds the findings of a test. An error in a test that passes was expected."""
        path, line = item.reportinfo()[:2]
        for result in item.stash[_RESULTS]:
            for finding in result.findings:
                schedule = [] if finding.schedule is None else ["--tma-schedule", finding.schedule]
                again = shlex.join(["pytest", item.nodeid, *schedule])
                if is_failed or not finding.is_error:
                    self.findings.append((to_json(finding), str(path), (line or 0) + 1, again))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.findings += map(tuple, getattr(node, "workeroutput", {}).get("tma_findings", []))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        if self.worker_output is not None:
            self.worker_output["tma_findings"] = self.findings
            return
        try:
            self.path.write_text(sarif(self.findings, self.root), encoding="utf-8")
        except OSError as error:
            pytest.exit(f"--tma-sarif: cannot write {str(self.path)!r}: {error.strerror}", pytest.ExitCode.USAGE_ERROR)
