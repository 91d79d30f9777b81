"""The outcome of launches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from tma_emulator._native import Finding, Proof, Run


@dataclass(frozen=True)
class Result:
    """The outcome of a launch, or of several, under each schedule. `str()` of it is the report.

    Findings of the checker are data; that they raise `CheckError` is up to the call.
    """

    runs: tuple[Run, ...]
    """One for each seed, in their order."""
    ptx: str = field(repr=False)
    """The PTX text whose lines reports refer to; with several launches, the first one's."""
    proofs: tuple[Proof, ...] = ()
    """With `all_schedules`, the answer for each launch that ran: none runs after one that is not proved."""

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
        """True if no finding is worse than a warning, and every search through schedules came to its end."""
        return not self.errors and all(proof.verdict != "not finished" for proof in self.proofs)

    @property
    def verdict(self) -> str:
        """`"clean"`, `"findings"`, or with `all_schedules` `"proved"`, `"findings"` or `"not finished"`."""
        if self.errors:
            return "findings"
        if not self.proofs:
            return "clean"
        return "proved" if self.is_clean else "not finished"

    @property
    def schedules(self) -> int:
        """The number of schedules that ran, over all launches."""
        return sum(proof.schedules for proof in self.proofs) or len(self.runs)

    @property
    def schedule(self) -> Optional[str]:
        """The name of the schedule that has the first error; `schedule=` of the same call repeats it."""
        return next((finding.schedule for finding in self.errors if finding.schedule is not None), None)

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
                again = "" if finding.schedule is None else f"\n  = again: pass schedule={finding.schedule!r}"
                reports.append(f"{finding}{of_many}{again}")
        for index, proof in enumerate(self.proofs):
            if proof.verdict == "not finished":
                reports.append(f"not finished: launch {index}: {proof.why}; {proof.schedules} explored")
        return "\n\n".join(reports)

    def __str__(self) -> str:
        return self.report() or f"{self.verdict}: {self.schedules} schedule{'s' * (self.schedules > 1)}"

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
    """The checker reported an error, or a search through schedules did not come to its end. The text is the report."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.report(errors_only=True))
        self.result = result


class CheckWarning(UserWarning):
    """The checker reported a warning. The text is the report."""
