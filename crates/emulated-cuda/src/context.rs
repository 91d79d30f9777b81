//! The state of the process: what a GPU's context has.

use tma_emulator::{Session, check::Suppressions};

use crate::{
    arrays::Arrays, code::Code, memory::Space, modules::Modules, options::Options, report::Report,
    runtime::textures::Descriptions, work::Graphs,
};

#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) session: Session,
    pub(crate) options: Options,
    pub(crate) report: Report,
    pub(crate) space: Space,
    pub(crate) arrays: Arrays,
    pub(crate) descriptions: Descriptions,
    pub(crate) modules: Modules,
    pub(crate) graphs: Graphs,
    /// The error of the kernel that has ended it.
    pub(crate) failed: Option<Code>,
    /// Launches so far.
    pub(crate) launches: u64,
    /// The stream of the last launch.
    pub(crate) last_stream: u64,
    /// The last number that was given to something that a program holds on to.
    last_handle: u64,
}

/// Handles are addresses at which nothing lies.
const HANDLES: u64 = 0x1000_0000_0000;

impl Context {
    /// With nothing in it.
    pub(crate) fn open() -> Self {
        let mut options = Options::read();
        let mut session = Session::new(options.config);
        let suppressions: Suppressions = std::mem::take(&mut options.suppressions);
        session.suppress(suppressions);
        let report = Report::new(options.record.take());
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

    /// The handle of a stream, an event, a module.
    pub(crate) fn handle(&mut self) -> u64 {
        self.last_handle += 64;
        self.last_handle
    }

    /// Says what is wrong with a call, and gives its error.
    pub(crate) fn wrong(&mut self, code: Code, what: &str) -> Code {
        self.report.error(what);
        code
    }
}
