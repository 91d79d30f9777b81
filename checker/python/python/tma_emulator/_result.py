"""The outcome of launches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from tma_emulator._native import Finding, Run


@dataclass(frozen=True)
class Result:
    """The outcome of a launch, or of several, under each schedule. `str()` of it is the report.

    Findings of the checker are data; that they raise `CheckError` is up to the call.
    """

    runs: tuple[Run, ...]
    """One for each seed, in their order."""
    ptx: str = field(repr=False)
    """The PTX text whose lines reports refer to; with several launches, the first one's."""

    @property
    def findings(self) -> list[Finding]:
        """The findings under all schedules, each once."""
        return [finding for finding, _ in self._with_seeds()]

    @property
    def errors(self) -> list[Finding]:
        """The findings that are worse than a warning."""
        return [finding for finding in self.findings if finding.is_error]

    @property
    def warnings(self) -> list[Finding]:
        """The other findings."""
        return [finding for finding in self.findings if not finding.is_error]

    @property
    def is_clean(self) -> bool:
        """True if no finding is worse than a warning."""
        return not self.errors

    @property
    def steps(self) -> Optional[int]:
        """Instructions under the first schedule, counted for each thread; `None` where a kernel did not end."""
        return self.runs[0].steps

    @property
    def printed(self) -> str:
        """The output of the kernels under the first schedule."""
        return self.runs[0].printed

    def report(self, *, errors_only: bool = False) -> str:
        """The reports of all findings; where there are several schedules, with the seeds that have them."""
        reports = []
        for finding, seeds in self._with_seeds():
            if finding.is_error or not errors_only:
                shown = ", ".join(map(str, seeds[:8])) + (f" and {len(seeds) - 8} more" if len(seeds) > 8 else "")
                of_many = f"\n  = seeds: {shown}, of {len(self.runs)}" if len(self.runs) > 1 else ""
                reports.append(f"{finding}{of_many}")
        return "\n\n".join(reports)

    def __str__(self) -> str:
        return self.report() or f"clean: {len(self.runs)} schedule{'s' * (len(self.runs) > 1)}"

    def _with_seeds(self) -> list[tuple[Finding, list[int]]]:
        found: list[tuple[Finding, list[int]]] = []
        for run in self.runs:
            for finding in run.findings:
                seeds = next((seeds for known, seeds in found if known.is_like(finding)), None)
                if seeds is None:
                    found.append((finding, [run.seed]))
                elif seeds[-1] != run.seed:
                    seeds.append(run.seed)
        return found


class CheckError(Exception):
    """The checker reported an error. The text is the report."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.report(errors_only=True))
        self.result = result


class CheckWarning(UserWarning):
    """The checker reported a warning. The text is the report."""
