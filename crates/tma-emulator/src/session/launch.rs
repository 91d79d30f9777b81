//! Launches of a session.

use std::sync::Arc;

use tma_launch::{Argument, Failure, Form, Launch, Limits, Shape, Signature, check};

use super::{DecodedKernel, Error, ModuleId, Session, panic::explain};
use crate::{
    check::{CheckReport, Checker, Diagnostic, InFlight, Suppressions, Unreleased},
    machine::{
        Config, Fault, Memory, Places, RESIDENT,
        observer::{Beside, Observer, Printer},
        parameter_in_source,
    },
    performance::{Performance, PerformanceReport},
    run::{self, Path, Report, Search},
};

/// Size of the workspace of cooperative groups: a word that is not read here, and the barrier's word.
const WORKSPACE_BYTES: usize = 8;

/// A launch that was checked, with the bytes of its parameters.
#[derive(Debug)]
pub(crate) struct Ready {
    module: ModuleId,
    pub(super) kernel: Arc<DecodedKernel>,
    pub(super) shape: Shape,
    parameters: Vec<u8>,
    /// Address of the record for a panic of the kernel.
    panic_record: Option<u64>,
    /// Number of the launch in its session, from 0.
    pub(super) number: usize,
}

/// The memory that launches change.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) memory: Memory,
    /// The writes of earlier launches that were not released.
    pub(super) unreleased: Unreleased,
    /// Launches that may still run when the next one begins, if that one overlaps them.
    pub(super) in_flight: InFlight,
    /// The counts of launches, if they are wanted.
    pub(super) performance: Option<Performance>,
}

impl Session {
    /// The limits that launches are checked against.
    pub const LIMITS: Limits = Limits::SM_90;

    /// Number of clusters that run at a time, unless their threads need too much memory or they wait for
    /// others.
    pub const MULTIPROCESSORS: u32 = RESIDENT;

    /// Returns the signature of a kernel.
    ///
    /// # Errors
    /// The module has no such kernel, or the kernel has unsupported instructions; the error lists all of them.
    pub fn signature(&mut self, module: ModuleId, entry: &str) -> Result<Signature, Failure> {
        Ok(self.kernel(module, entry)?.signature.clone())
    }

    /// Leaves findings out of the reports of later launches.
    pub fn suppress(&mut self, suppressions: Suppressions) {
        self.suppressions = suppressions;
    }

    /// Returns the suppressions, with the number of uses of each.
    pub fn suppressions(&self) -> &Suppressions {
        &self.suppressions
    }

    pub(crate) fn kernel(
        &mut self,
        module: ModuleId,
        entry: &str,
    ) -> Result<Arc<DecodedKernel>, Failure> {
        self.module(module)?.kernel(entry)
    }

    /// Runs a kernel to its end. Its output goes to standard output.
    ///
    /// # Errors
    /// The launch is invalid, and memory is unchanged. Or the kernel faulted, or the checker found something
    /// worse than a warning: the error text is the whole report, and memory is as the kernel left it.
    pub fn launch(&mut self, module: ModuleId, launch: &Launch) -> Result<Report, Failure> {
        self.launch_reported(module, launch, |_| Ok(()))
    }

    /// Like [`launch`](Self::launch). Afterwards `take` receives the diagnostics, errors and warnings, without
    /// suppressed ones.
    ///
    /// # Errors
    /// As `launch`; or `take` fails.
    pub fn launch_reported(
        &mut self,
        module: ModuleId,
        launch: &Launch,
        take: impl FnOnce(&[Diagnostic]) -> Result<(), Failure>,
    ) -> Result<Report, Failure> {
        let ready = self.ready(module, launch)?;
        if !self.config.checks {
            let mut printer = Printer(&mut |text| print!("{text}"));
            let report = match self.state.performance {
                None => self.observe(&ready, &mut printer),
                Some(_) => self.within(&ready, |state, config| {
                    state.observe_and_count(&ready, config, &mut printer)
                }),
            };
            return report.map_err(|fault| Error::from(fault).failure());
        }
        let mut checked = self.check(&ready);
        checked.suppress(&mut self.suppressions);
        print!("{}", checked.printed);
        take(&checked.diagnostics)?;
        match checked.failure() {
            Some(failure) => Err(failure),
            None => Ok(checked.reports.pop().unwrap_or_default()),
        }
    }

    /// Counts the memory accesses of later launches, which [`take_performance`](Self::take_performance) returns.
    pub fn count_performance(&mut self) {
        self.state.performance = Some(Performance::default());
    }

    /// Returns the counts of the launches since the last call, if accesses are [counted](Self::count_performance).
    pub fn take_performance(&mut self) -> Option<PerformanceReport> {
        let performance = self.state.performance.as_mut()?;
        Some(std::mem::take(performance).finish())
    }

    /// Checks a launch and lays out its parameters.
    pub(crate) fn ready(&mut self, module: ModuleId, launch: &Launch) -> Result<Ready, Failure> {
        let Launch {
            entry,
            shape,
            arguments,
            ..
        } = launch;
        let kernel = self.kernel(module, entry)?;
        let forms: Vec<Form> = arguments.iter().map(Argument::form).collect();
        let mut violations = check::shape(shape, &Self::LIMITS, &kernel.signature);
        violations
            .0
            .extend(check::argument_forms(&forms, &kernel.signature).0);
        let result = violations.into_result();
        result.map_err(|violations| Failure::check(entry, violations))?;
        kernel.has_room(shape)?;
        let parameters = parameters(&kernel.signature, arguments)?;
        if shape.cooperative && self.workspace.is_none() {
            let bytes = vec![0; WORKSPACE_BYTES];
            self.workspace = Some(self.allocate("memory of the grid barrier", bytes));
        }
        self.state
            .memory
            .name_pointers(&pointers(&kernel.signature, launch));
        let panic_record = self.module(module)?.panic_record;
        let number = self.launches;
        self.launches += 1;
        Ok(Ready {
            number,
            panic_record,
            module,
            kernel,
            shape: *shape,
            parameters,
        })
    }

    /// Runs a launch with an observer.
    pub(crate) fn observe(
        &mut self,
        ready: &Ready,
        observer: &mut dyn Observer,
    ) -> Result<Report, Box<Fault>> {
        self.within(ready, |state, config| {
            state.observe(ready, config, observer, None)
        })
    }

    /// Runs a launch under the checker. A fault is one of the diagnostics.
    pub(crate) fn check(&mut self, ready: &Ready) -> CheckReport {
        self.within(ready, |state, config| state.check(ready, config))
    }

    /// Runs a launch like [`check`](Self::check), with a further observer.
    pub(crate) fn check_beside(&mut self, ready: &Ready, second: &mut dyn Observer) -> CheckReport {
        self.within(ready, |state, config| {
            state.check_run(ready, config, |state, first| {
                state.observe(ready, config, &mut Beside { first, second }, None)
            })
        })
    }

    /// Calls a function with the memory as at the start of a launch: with its parameters, the constants of its
    /// module, and reset grid barriers.
    pub(super) fn within<T>(
        &mut self,
        ready: &Ready,
        run: impl FnOnce(&mut State, Config) -> T,
    ) -> T {
        self.state.memory.parameters.clone_from(&ready.parameters);
        self.swap_constants(ready.module);
        self.clear_workspace(ready.shape.cooperative);
        let result = run(&mut self.state, self.config);
        self.swap_constants(ready.module);
        result
    }

    /// Resets the grid barriers.
    fn clear_workspace(&mut self, is_cooperative: bool) {
        self.state.memory.workspace = 0;
        if let Some(address) = self.workspace.filter(|_| is_cooperative) {
            // The write cannot fail, since this allocation is never freed.
            let _ = self.write(address, &[0; WORKSPACE_BYTES]);
            self.state.memory.workspace = address;
        }
    }

    /// Puts a module's constants where its kernels find them, or takes them back.
    fn swap_constants(&mut self, module: ModuleId) {
        if let Some(module) = self.modules.get_mut(&module) {
            std::mem::swap(
                &mut self.state.memory.constants,
                &mut module.image.constants,
            );
        }
    }
}

impl State {
    pub(super) fn observe(
        &mut self,
        ready: &Ready,
        config: Config,
        observer: &mut dyn Observer,
        path: Option<&mut Path>,
    ) -> Result<Report, Box<Fault>> {
        let Ready {
            kernel,
            shape,
            panic_record,
            ..
        } = ready;
        let (cluster, memory) = (kernel.cluster(shape), &mut self.memory);
        let at = (shape, cluster);
        let result = run::run(&kernel.code, at, memory, config, observer, path);
        result.map_err(|fault| explain(fault, &mut self.memory, *panic_record))
    }

    /// Runs a launch under an observer, and counts its accesses if that is wanted.
    fn observe_and_count(
        &mut self,
        ready: &Ready,
        config: Config,
        first: &mut dyn Observer,
    ) -> Result<Report, Box<Fault>> {
        let Some(mut performance) = self.performance.take() else {
            return self.observe(ready, config, first, None);
        };
        let mut both = Beside {
            first,
            second: &mut performance,
        };
        let result = self.observe(ready, config, &mut both, None);
        self.performance = Some(performance);
        result
    }

    /// Runs a launch under the checker.
    pub(super) fn check(&mut self, ready: &Ready, config: Config) -> CheckReport {
        self.check_run(ready, config, |state, checker| {
            state.observe_and_count(ready, config, checker)
        })
    }

    /// Runs a launch under the checker, by the choices of a search.
    pub(super) fn check_by(
        &mut self,
        ready: &Ready,
        config: Config,
        search: &mut Search,
    ) -> CheckReport {
        self.check_run(ready, config, |state, checker| {
            let mut recorder = search.recorder(checker);
            state.observe(ready, config, &mut recorder, Some(search.path()))
        })
    }

    /// Returns the checker's report on a launch, which `run` runs.
    fn check_run(
        &mut self,
        ready: &Ready,
        config: Config,
        run: impl FnOnce(&mut Self, &mut Checker) -> Result<Report, Box<Fault>>,
    ) -> CheckReport {
        let places = Places::new(&ready.shape, ready.kernel.cluster(&ready.shape));
        let names = [
            ready.kernel.code.program.shared_names.clone(),
            self.memory.names(),
        ];
        let unreleased = std::mem::take(&mut self.unreleased);
        let in_flight = std::mem::take(&mut self.in_flight);
        let in_flight = match ready.shape.overlaps {
            true => in_flight,
            false => InFlight::default(),
        };
        let before = (unreleased, in_flight);
        let mut checker = Checker::new(places, names, before, config.strict);
        let result = run(self, &mut checker);
        self.unreleased = checker.unreleased();
        let printed = std::mem::take(&mut checker.printed);
        let (fault, report) = match result {
            Ok(report) => (None, Some(report)),
            Err(fault) => (Some(fault), None),
        };
        let DecodedKernel { code, signature } = &*ready.kernel;
        self.in_flight = checker.leave_in_flight(&code.program, &places, &signature.entry);
        let found = checker.diagnostics(&code.program, &places, &signature.entry, fault.as_deref());
        let (notes, diagnostics) = found.into_iter().partition(|found| found.is_note);
        CheckReport {
            diagnostics,
            notes,
            reports: report.into_iter().collect(),
            printed,
        }
    }
}

/// Returns the bytes of all parameters, each aligned.
fn parameters(signature: &Signature, arguments: &[Argument]) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    for (argument, parameter) in arguments.iter().zip(&signature.parameters) {
        bytes.resize(bytes.len().next_multiple_of(parameter.align_bytes), 0);
        bytes.extend(argument.to_bytes()?);
    }
    Ok(bytes)
}

/// Returns the addresses among the arguments, and in their structs and maps, by the names of their parameters
/// in the source.
fn pointers(signature: &Signature, launch: &Launch) -> Vec<(String, u64)> {
    let known = launch.parameters.iter().copied().map(Some);
    let names = known.chain(std::iter::repeat(None));
    let parameters = signature.parameters.iter().zip(&launch.arguments);
    let named = parameters
        .zip(names)
        .filter_map(|((parameter, argument), name)| {
            let name = name.or_else(|| parameter_in_source(&parameter.name))?;
            Some((name, argument))
        });
    let pointers = named.flat_map(|(name, argument)| {
        let leaves = argument.leaves().into_iter();
        leaves.filter_map(move |leaf| {
            let address = match leaf {
                Argument::Address(address) => *address,
                Argument::EncodedMap(map) => map.decode().ok()?.address,
                _ => return None,
            };
            Some((name.to_owned(), address))
        })
    });
    pointers.collect()
}
