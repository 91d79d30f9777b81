//! Launches: converts the program's calls to launches of the session, and reports the checker's findings.

use std::ffi::c_void;

use tensor_map::TensorMap;
use tma_emulator::{ModuleId, Progress, Session, check::CheckReport};
use tma_launch::{Argument, Failure, Launch, Parameter, Rule, Shape, Signature, Stage};

use crate::{
    code::{Code, Result},
    context::Context,
    ffi::{FromC, Pointer},
    stream_work::Prepared,
};

/// Dynamic shared memory limit without opting in to more, in bytes.
const DEFAULT_SHARED_BYTES: u64 = 48 << 10;

/// The values of a kernel's parameters, in memory of the program.
#[derive(Clone, Copy)]
pub(crate) enum Arguments {
    /// The address of each value.
    Each(Pointer),
    /// All values packed in the kernel's layout, and their total size in bytes.
    Packed(Pointer, usize),
}

impl FromC for Arguments {
    type C = *mut *mut c_void;

    unsafe fn from_c(c: Self::C) -> Self {
        // SAFETY: the list is an address from the caller (1), as `Pointer` requires (1).
        Self::Each(unsafe { Pointer::from_c(c.cast()) })
    }
}

impl Arguments {
    fn read(self, parameters: &[Parameter]) -> Result<Vec<Vec<u8>>> {
        let mut end = 0;
        let value = |(index, parameter): (usize, &Parameter)| match self {
            Self::Each(list) => list.pointer_at(index)?.host_bytes(parameter.size_bytes),
            Self::Packed(start, bytes) => {
                let at = usize::next_multiple_of(end, parameter.align_bytes);
                end = at + parameter.size_bytes;
                match end <= bytes {
                    true => start.add(at).host_bytes(parameter.size_bytes),
                    false => Err(Code::INVALID_VALUE),
                }
            }
        };
        parameters.iter().enumerate().map(value).collect()
    }
}

impl Context {
    /// Runs a kernel to its end.
    pub(crate) fn launch(
        &mut self,
        key: u64,
        stream: u64,
        shape: Shape,
        arguments: Arguments,
    ) -> Result {
        let prepared = self.prepare(key, stream, shape, arguments)?;
        self.run(&prepared)
    }

    /// Reads the arguments of a launch.
    pub(crate) fn prepare(
        &mut self,
        key: u64,
        stream: u64,
        mut shape: Shape,
        arguments: Arguments,
    ) -> Result<Prepared> {
        let kernel = self.kernel(key)?.clone();
        let module = self.module(kernel.binary)?;
        let signature = self.session.signature(module, &kernel.entry);
        let signature = signature.map_err(|failure| self.refused(&kernel.entry, &failure))?;
        shape.non_portable_cluster |= kernel.non_portable_cluster;
        self.check_shared(&signature, kernel.shared_bytes, shape.shared_bytes)?;
        let values = arguments.read(&signature.parameters)?;
        let mut launch = Launch::new(&kernel.entry, shape.grid, shape.block);
        launch.shape = shape;
        let parameters = signature.parameters.iter();
        launch.arguments = parameters
            .zip(values)
            .map(|(of, value)| self.argument(of, value))
            .collect();
        Ok(Prepared {
            key,
            module,
            launch,
            stream,
        })
    }

    /// Runs a prepared launch.
    pub(crate) fn run(&mut self, prepared: &Prepared) -> Result {
        let Prepared {
            module,
            launch,
            stream,
            ..
        } = prepared;
        // Only launches of one stream can overlap, and only without other work in between.
        if std::mem::replace(&mut self.last_stream, *stream) != *stream {
            self.session.synchronise();
        }
        self.take_over()?;
        let _progress = Progress::on_terminal("tma exec");
        match self.options.config.checks {
            _ if self.options.every_schedule.is_some() || self.options.schedule.is_some() => {
                self.launch_by_schedules(*module, launch)?;
            }
            true => self.launch_checked(*module, launch)?,
            false => self.launch_unchecked(*module, launch)?,
        }
        self.give_back()
    }

    /// Runs a kernel under every schedule or by the one that was named, and records the error that ended it.
    fn launch_by_schedules(&mut self, module: ModuleId, launch: &Launch) -> Result {
        let number = self.launches + 1;
        let name = name_of_launch(launch, number);
        let (report, answer) = match (&self.options.schedule, self.options.every_schedule) {
            (Some(schedule), _) => {
                let schedule = schedule.clone();
                let ran = self.session.launch_by_name(module, launch, &schedule);
                let report = ran.map_err(|failure| self.refused(&launch.entry, &failure))?;
                (report, None)
            }
            (None, bounds) => {
                let bounds = bounds.unwrap_or_default();
                let explored = self.session.launch_every_schedule(module, launch, bounds);
                let explored = explored.map_err(|failure| self.refused(&launch.entry, &failure))?;
                (explored.report.clone(), Some(explored))
            }
        };
        self.launches = number;
        self.report.launch(number, &name);
        print(&report.printed);
        for found in &report.diagnostics {
            self.report
                .finding(found, (number, self.options.config.seed), &name);
            // The program goes on with what the first schedule leaves.
            let is_first = answer
                .as_ref()
                .is_none_or(|explored| explored.schedules == 1);
            if let Some(trap) = found.trap.filter(|_| is_first) {
                self.failed = Some(Code::of_trap(trap.name()));
            }
        }
        if let Some(explored) = answer {
            self.report.answer(&name, &explored);
        }
        let counts = self.session.suppressions().counts();
        self.report.suppressed(counts.map(|(_, count)| count));
        Ok(())
    }

    /// Counts a launch, and returns it in words.
    fn begin(&mut self, launch: &Launch) -> String {
        self.launches += 1;
        let name = name_of_launch(launch, self.launches);
        self.report.launch(self.launches, &name);
        name
    }

    /// Runs a kernel without the checker.
    fn launch_unchecked(&mut self, module: ModuleId, launch: &Launch) -> Result {
        let result = self.session.launch_unchecked(module, launch, &mut print);
        if let Err(failure) = &result
            && failure.stage != Stage::Synchronise
        {
            return Err(self.refused(&launch.entry, failure));
        }
        let name = self.begin(launch);
        if let Err(fault) = result {
            let at = (self.launches, self.options.config.seed);
            self.report.fault(at, &format!("{name}: {fault}"));
            self.failed = Some(Code::of_trap(&fault.error_name.unwrap_or_default()));
        }
        Ok(())
    }

    /// Runs a kernel with the checker under all schedules, prints its output and the findings, and records the
    /// error that ended it.
    fn launch_checked(&mut self, module: ModuleId, launch: &Launch) -> Result {
        let number = self.launches + 1;
        let (seeds, jobs) = (self.options.seeds.clone(), self.options.jobs);
        let first = *seeds.start();
        let Self {
            session,
            report: findings,
            failed,
            launches,
            ..
        } = self;
        let name = name_of_launch(launch, number);
        let take = |seed, report: CheckReport| {
            if seed == first {
                *launches = number;
                findings.launch(number, &name);
                print(&report.printed);
            }
            for found in &report.diagnostics {
                findings.finding(found, (number, seed), &name);
                if let Some(trap) = found.trap.filter(|_| seed == first) {
                    *failed = Some(Code::of_trap(trap.name()));
                }
            }
        };
        let launched = session.launch_checked(module, launch, seeds, jobs, take);
        launched.map_err(|failure| self.refused(&launch.entry, &failure))?;
        let counts = self.session.suppressions().counts();
        self.report.suppressed(counts.map(|(_, count)| count));
        Ok(())
    }

    /// Reports why a launch is invalid.
    fn refused(&mut self, entry: &str, failure: &Failure) -> Code {
        if failure.error_name.as_deref() == Some("UNSUPPORTED") {
            self.report.cannot_run(entry, &failure.what);
            return Code::NOT_SUPPORTED;
        }
        let code = match failure.stage {
            Stage::Resolve => Code::INVALID_FUNCTION,
            Stage::Check => refusal(failure),
            _ => Code::OUT_OF_RESOURCES,
        };
        self.wrong(code, &failure.to_string())
    }

    /// Refuses more dynamic shared memory than the default without opting in.
    fn check_shared(&mut self, signature: &Signature, allowed: Option<u32>, bytes: u32) -> Result {
        let allowed = allowed.map_or_else(
            || DEFAULT_SHARED_BYTES.saturating_sub(signature.static_shared_bytes),
            u64::from,
        );
        if u64::from(bytes) <= allowed || u64::from(bytes) > Session::LIMITS.shared_bytes {
            // Hard limits are reported with the others.
            return Ok(());
        }
        let what = format!(
            "the launch of `{}` cannot work: dynamic shared memory is {bytes} bytes; the kernel's limit is {allowed}; \
             raise it with cudaFuncSetAttribute and cudaFuncAttributeMaxDynamicSharedMemorySize",
            signature.entry
        );
        Err(self.wrong(Code::INVALID_VALUE, &what))
    }

    /// Converts an argument. Addresses and maps are passed to the session as such, so that reports name their
    /// parameters.
    fn argument(&self, parameter: &Parameter, value: Vec<u8>) -> Argument {
        if let Ok(bytes) = <[u8; 8]>::try_from(&*value) {
            let address = u64::from_le_bytes(bytes);
            if self.session.allocation(address).is_some() {
                return Argument::Address(address);
            }
        }
        if parameter.holds_tensor_map()
            && let Ok(bytes) = <[u8; TensorMap::BYTES]>::try_from(&*value)
        {
            return Argument::EncodedMap(Box::new(TensorMap::from_bytes(bytes)));
        }
        Argument::Bytes(value)
    }
}

/// Returns the error of CUDA 13 on an H200 for a launch that breaks rules.
fn refusal(failure: &Failure) -> Code {
    match failure.violations.0.first().map(|violation| violation.rule) {
        Some(Rule::CooperativeGrid) => Code::TOO_LARGE,
        Some(Rule::ClusterBlocks) => Code::INVALID_CLUSTER,
        _ => Code::INVALID_VALUE,
    }
}

/// Returns the launch's description in reports.
fn name_of_launch(launch: &Launch, number: u64) -> String {
    let Launch { entry, shape, .. } = launch;
    format!(
        "number {number}, `{entry}`, {} blocks of {} threads",
        shape.grid, shape.block
    )
}

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// Prints through the program's own buffer, to keep the order of the output.
fn print(text: &str) {
    // SAFETY: the C library has set it before the program started, and only the program changes it.
    let file = unsafe { stdout };
    // SAFETY: the text has this length, and the file is open.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), file) };
}
