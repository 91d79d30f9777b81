//! Findings of the checker, as Python sees them.

use pyo3::{pyclass, pymethods};
use tma_emulator::{
    Exploration, Trap, Verdict,
    check::{self, CheckReport, Diagnostic, Severity},
};

/// A finding of the checker. `str()` of it is the whole report.
#[pyclass(frozen, eq, module = "tma_emulator")]
#[derive(Clone, PartialEq)]
pub(crate) struct Finding(pub(crate) Diagnostic);

#[pymethods]
impl Finding {
    /// The kind's name, such as `"data-race"`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    /// `"error"` or `"warning"`.
    #[getter]
    fn severity(&self) -> &'static str {
        match self.0.kind.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }

    /// True if it is worse than a warning.
    #[getter]
    fn is_error(&self) -> bool {
        self.0.kind.severity() >= Severity::Error
    }

    /// Describes the finding in one sentence.
    #[getter]
    fn title(&self) -> &str {
        self.0.panic_message.as_deref().unwrap_or(self.0.title())
    }

    /// The whole report.
    #[getter]
    fn message(&self) -> String {
        self.0.to_string()
    }

    /// The kernel's name in PTX.
    #[getter]
    fn entry(&self) -> &str {
        &self.0.entry
    }

    /// The location of the violation; `None` if no single instruction is to blame.
    #[getter]
    fn here(&self) -> Option<Site> {
        self.0.here.clone().map(Site)
    }

    /// The other of two locations. Without ordering between the two, either may come first.
    #[getter]
    fn there(&self) -> Option<Site> {
        self.0.there.clone().map(Site)
    }

    /// The state that explains it, a line each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    /// The number of times that it was found at these two locations.
    #[getter]
    fn count(&self) -> u64 {
        self.0.count
    }

    /// The sections of the PTX ISA with the violated rule.
    #[getter]
    fn rule(&self) -> &'static str {
        self.0.kind.rule()
    }

    /// The usual fix.
    #[getter]
    fn help(&self) -> &'static str {
        self.0.help()
    }

    /// The driver's name for what ended the kernel, if this did.
    #[getter]
    fn error_name(&self) -> Option<&'static str> {
        self.0.trap.map(Trap::name)
    }

    /// The name of the schedule that has it, if every schedule was run, or one by its name.
    #[getter]
    fn schedule(&self) -> Option<String> {
        self.0
            .schedule
            .as_ref()
            .map(|failing| failing.name.to_string())
    }

    /// Returns whether another one is of the same kind at the same instructions, perhaps of another seed.
    fn is_like(&self, other: &Self) -> bool {
        self.0.is_like(&other.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let site = self.0.here.as_ref();
        let at = site.map_or(String::new(), |site| format!(" at {}", site.location));
        format!("<{} {}{at}>", self.severity(), self.0.kind)
    }
}

/// An instruction, the threads that executed it, and its effect.
#[pyclass(frozen, eq, module = "tma_emulator")]
#[derive(Clone, PartialEq)]
pub(crate) struct Site(check::Site);

#[pymethods]
impl Site {
    /// The name of the PTX text.
    #[getter]
    fn file(&self) -> &str {
        &self.0.location.file
    }

    /// Line of the PTX, from 1.
    #[getter]
    fn line(&self) -> usize {
        self.0.location.line
    }

    /// Column of the PTX, from 1.
    #[getter]
    fn column(&self) -> usize {
        self.0.location.column
    }

    /// File and line of the source that the PTX names, such as a Python file of Triton's.
    #[getter]
    fn source(&self) -> Option<(String, u32)> {
        self.0.location.source.clone()
    }

    /// File and line of an inlined function, then of the calls that it was inlined by, innermost first.
    #[getter]
    fn inlined(&self) -> Vec<(String, u32)> {
        self.0.location.inlined.clone()
    }

    /// The function, its file and line, and its calls up to the kernel, innermost first.
    #[getter]
    fn calls(&self) -> Vec<(String, u32)> {
        self.0.location.calls.clone()
    }

    /// The PTX name of the function that contains the instruction.
    #[getter]
    fn function(&self) -> &str {
        &self.0.function
    }

    /// The opcode.
    #[getter]
    fn instruction(&self) -> &str {
        &self.0.instruction
    }

    /// The block's index, innermost dimension first.
    #[getter]
    fn block(&self) -> (u32, u32, u32) {
        self.0.block.into()
    }

    /// The thread's index in its block, innermost dimension first.
    #[getter]
    fn thread(&self) -> (u32, u32, u32) {
        self.0.thread.into()
    }

    /// The action, as `writes 4 bytes at shared address 0x410`.
    #[getter]
    fn what(&self) -> &str {
        &self.0.what
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<`{}` at {}>", self.0.instruction, self.0.location)
    }
}

/// The outcome of one schedule.
#[pyclass(frozen, get_all, module = "tma_emulator")]
#[derive(Clone)]
pub(crate) struct Run {
    /// The seed of the schedule.
    seed: u64,
    /// The findings, in the order in which they were found.
    findings: Vec<Finding>,
    /// Instructions of all launches, each counted once for each thread; `None` where a kernel did not end.
    steps: Option<u64>,
    /// The output of the kernels.
    printed: String,
}

impl Run {
    /// The number of launches.
    pub(crate) fn new(seed: u64, report: CheckReport, launches: usize) -> Self {
        let steps = report.reports.iter().map(|report| report.steps).sum();
        Self {
            seed,
            steps: (report.reports.len() == launches).then_some(steps),
            findings: report.diagnostics.into_iter().map(Finding).collect(),
            printed: report.printed,
        }
    }
}

/// The answer of a search through the schedules of a launch.
#[pyclass(frozen, get_all, module = "tma_emulator")]
#[derive(Clone)]
pub(crate) struct Proof {
    /// `"proved"`, `"findings"` or `"not finished"`.
    verdict: &'static str,
    /// The number of schedules that ran to their end.
    schedules: u64,
    /// The number of schedules that ended early, since another one covers them.
    covered: u64,
    /// The number of different contents of memory that the schedules leave.
    results: usize,
    /// The name of the schedule with an error.
    schedule: Option<String>,
    /// The reason why the search has not come to its end.
    why: Option<String>,
}

impl Proof {
    pub(crate) fn new(explored: &Exploration) -> Self {
        let (verdict, schedule, why) = match &explored.verdict {
            Verdict::Proved => ("proved", None, None),
            Verdict::Unfinished { why, open } => (
                "not finished",
                None,
                Some(format!("{why}; {open} choices are left to try")),
            ),
            Verdict::Found(failing) => ("findings", Some(failing.name.to_string()), None),
            _ => ("findings", None, None),
        };
        Self {
            verdict,
            schedules: explored.schedules,
            covered: explored.covered,
            results: explored.results,
            schedule,
            why,
        }
    }
}
