//! The state of the process, as held by a GPU's context.

use tma_emulator::{Session, check::Suppressions};

use crate::{
    allocations::Space, arrays::Arrays, code::Code, descriptions::Descriptions, options::Options,
    registered::Modules, report::FindingReport, stream_work::Graphs,
};

#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) session: Session,
    pub(crate) options: Options,
    pub(crate) report: FindingReport,
    pub(crate) space: Space,
    pub(crate) arrays: Arrays,
    pub(crate) descriptions: Descriptions,
    pub(crate) modules: Modules,
    pub(crate) graphs: Graphs,
    /// The error of the kernel that ended the context.
    pub(crate) failed: Option<Code>,
    /// Number of launches so far.
    pub(crate) launches: u64,
    /// The stream of the last launch.
    pub(crate) last_stream: u64,
    /// The last handle returned to the program.
    last_handle: u64,
}

/// Handles are addresses without memory.
const HANDLES: u64 = 0x1000_0000_0000;

impl Context {
    /// Opens an empty context.
    pub(crate) fn open() -> Self {
        let mut options = Options::read();
        let mut session = Session::new(options.config);
        let suppressions: Suppressions = std::mem::take(&mut options.suppressions);
        session.suppress(suppressions);
        let report = FindingReport::new(options.record.take(), options.findings.take());
        report.count("start");
        Self {
            session,
            report,
            options,
            space: Space::default(),
            arrays: Arrays::default(),
            descriptions: Descriptions::default(),
            modules: Modules::default(),
            graphs: Graphs::default(),
            failed: None,
            launches: 0,
            last_stream: 0,
            last_handle: HANDLES,
        }
    }

    /// Returns a new handle of a stream, an event or a module.
    pub(crate) fn handle(&mut self) -> u64 {
        self.last_handle += 64;
        self.last_handle
    }

    /// Reports an error of a call, and returns its code.
    pub(crate) fn wrong(&mut self, code: Code, what: &str) -> Code {
        self.report.error(what);
        code
    }
}
