//! Runs a kernel to its end: the schedule, and the report of a deadlock.

mod convergence;
mod deadlock;
mod explore;
mod jobs;
mod progress;
mod schedule;

use std::sync::atomic::{AtomicBool, Ordering};

use tma_launch::Shape;

use crate::{
    inst::Code,
    machine::{Config, Fault, FaultAt, Memory, Trap, Trapped, World, observer::Observer},
};

use explore::Aftermath;
pub(crate) use explore::{Branch, Ended, Explored, Path, Search, Unsearched, obstacle};
pub use explore::{FailingSchedule, Process, Schedule, ScheduleName, Story, StoryStep};
pub use jobs::Jobs;
pub(crate) use jobs::{in_thread, is_called_off};
pub use progress::Progress;
pub(crate) use progress::count_schedule;

/// The outcome of a kernel, apart from its changes of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Instructions, each counted once for each thread that executed it.
    pub steps: u64,
    /// The text that `vprintf` wrote.
    pub printed: String,
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends all kernels of the process, and those that are run later, as soon as they can: for a handler of
/// signals. Findings until then are reported.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Lets later kernels run again after an [`interrupt`].
pub fn resume() {
    INTERRUPTED.store(false, Ordering::Relaxed);
}

/// Returns whether kernels were [interrupted](interrupt).
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Runs one kernel to its end, by the choices of a path or of the seed.
pub(crate) fn run(
    code: &Code,
    (shape, cluster): (&Shape, Option<[u32; 3]>),
    memory: &mut Memory,
    config: Config,
    observer: &mut dyn Observer,
    mut path: Option<&mut Path>,
) -> Result<Report, Box<Fault>> {
    let program = &code.program;
    let mut world = World::new(program, shape, cluster, std::mem::take(memory), config);
    observer.begin(program, shape, cluster.unwrap_or([1; 3]));
    world.watches = observer.watches();
    world.inspects = observer.inspects();
    let result = match &mut path {
        None => world.run(code, observer),
        Some(path) => {
            let result = world.follow(code, observer, path);
            path.steps = world.steps;
            result
        }
    };
    // A search would look at them in each of its executions.
    let is_told = path.as_ref().is_none_or(|path| path.repeated().is_some());
    let chains = match &result {
        Err(trapped) if is_told && deadlock::is_stuck(&world, code, trapped) => {
            deadlock::Chains::find(&world, code)
        }
        _ => deadlock::Chains::default(),
    };
    if let Some(path) = path.filter(|_| is_told) {
        path.after = Aftermath::new(&world, program, chains.waits);
    }
    let mut printed = std::mem::take(&mut world.printed);
    if world.unprinted > 0 {
        let limit = config.max_printed;
        printed += &format!(
            "\n(output limit of {limit} bytes reached; {} more are not shown)\n",
            world.unprinted
        );
    }
    let report = Report {
        steps: world.steps,
        printed,
    };
    observer.print(&report.printed);
    let places = world.places;
    *memory = world.memory;
    let result = result.map_err(|Trapped { trap, mut what, origin, stuck }| {
        let is_theirs = matches!(trap, Trap::LaunchFailed | Trap::IllegalAddress);
        if program.reads_workspace && !places.is_cooperative && is_theirs {
            what += "; the launch is not cooperative, so `%envreg1` and `%envreg2` are 0 and there is no grid \
                     barrier: launch it so that all blocks run at once";
        }
        let at = origin.map(|origin| FaultAt {
            instruction: program.opcode(origin.instruction).to_owned(),
            location: program.location(origin.instruction),
            block: places.block(origin.block),
            thread: places.thread(origin.thread),
        });
        let freed_by = memory.freed_by(trap);
        Box::new(Fault {
            trap,
            what,
            at,
            freed_by,
            stuck,
            chains: chains.texts,
        })
    });
    observer.end(result.as_ref().err().map(|fault| &**fault));
    result.map(|()| report)
}
