"""The pytest plugin: failures show the checker's findings, and `--tma-seeds` runs more schedules."""

from __future__ import annotations

from typing import Generator

import pytest

from tma_emulator import _launch
from tma_emulator._result import CheckError, Result

_RESULTS = pytest.StashKey[list[Result]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tma_emulator")
    group.addoption(
        "--tma-seeds",
        type=int,
        metavar="N",
        help="run kernels under N schedules unless a call sets seeds (default: 1, or `tma_seeds` of the ini file)",
    )
    parser.addini("tma_seeds", "how many schedules kernels are run under where a call names none", default="1")


def pytest_configure(config: pytest.Config) -> None:
    given = config.getoption("--tma-seeds")
    count = int(config.getini("tma_seeds")) if given is None else given
    if count < 1:
        raise pytest.UsageError(f"--tma-seeds {count}: must be at least 1")
    _launch.default_seeds = tuple(range(count))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    results = item.stash.setdefault(_RESULTS, [])
    _launch.observers.append(results.append)
    try:
        return (yield)
    finally:
        _launch.observers.remove(results.append)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if not report.failed:
        return report
    raised = call.excinfo.value if call.excinfo is not None else None
    told = raised.result if isinstance(raised, CheckError) else None
    for result in item.stash[_RESULTS]:
        # The failure itself contains the exception.
        if result.findings and result is not told:
            report.sections.append(("findings of tma_emulator", str(result)))
    return report
