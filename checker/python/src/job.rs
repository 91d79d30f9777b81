//! A launch and its memory.

use std::{env, ops::ControlFlow};

use pyo3::{Bound, PyResult, Python, exceptions::PyValueError, pyclass, pymethods, types::PyBytes};
use tma_emulator::{
    Bounds, Config, EmulatorBackend, Jobs, ScheduleName,
    check::{CheckReport, DiagnosticKind, Suppression, Suppressions},
};
use tma_launch::{Argument, Buffer, Failure, Job as LaunchJob, Launch, Ptx, Scalar, suggestion};

use crate::{
    exception,
    findings::{Proof, Run},
    interrupt::interruptible,
    map::Map,
};

/// Launches of kernels of PTX texts, one after the other, with their buffers.
#[pyclass(module = "tma_emulator._native")]
#[derive(Default)]
pub(crate) struct Job {
    /// Names and texts.
    modules: Vec<(String, String)>,
    launches: Vec<Launch>,
    buffers: Vec<Buffer>,
    suppressions: Suppressions,
}

#[pymethods]
impl Job {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a module and returns its index.
    fn module(&mut self, name: String, text: String) -> usize {
        self.modules.push((name, text));
        self.modules.len() - 1
    }

    /// Adds a launch of a kernel of the module with this number. What follows of a launch is of the one added last.
    fn launch(&mut self, module: usize, entry: &str, grid: [u32; 3], block: [u32; 3]) {
        self.launches
            .push(Launch::new(entry, grid, block).of_module(module));
    }

    /// Blocks in a cluster, more than the portable number, too: an H100 runs them.
    fn cluster(&mut self, cluster: [u32; 3]) -> PyResult<()> {
        let shape = &mut self.last()?.shape;
        shape.cluster = Some(cluster.into());
        shape.non_portable_cluster = true;
        Ok(())
    }

    /// Dynamic shared memory of each block.
    fn shared_bytes(&mut self, shared_bytes: u32) -> PyResult<()> {
        self.last()?.shape.shared_bytes = shared_bytes;
        Ok(())
    }

    /// All blocks run at once.
    fn cooperative(&mut self) -> PyResult<()> {
        self.last()?.shape.cooperative = true;
        Ok(())
    }

    /// Adds a buffer and returns its index.
    fn buffer(&mut self, name: &str, bytes: Vec<u8>) -> usize {
        self.buffers.push(Buffer::of_bytes(name, bytes));
        self.buffers.len() - 1
    }

    /// Adds a variable with these bytes, of the module with this index, and returns its buffer index.
    fn variable(&mut self, module: usize, name: &str, bytes: Vec<u8>) -> usize {
        let buffer = Buffer::of_bytes(name, bytes).in_variable(name);
        self.buffers.push(buffer.of_module(module));
        self.buffers.len() - 1
    }

    /// Passes the address `offset` bytes into a buffer to the next parameter.
    fn pointer(&mut self, index: usize, offset_bytes: u64) -> PyResult<()> {
        self.argument(Argument::Buffer {
            index,
            offset_bytes,
        })
    }

    /// The next parameter gets an address by its number, such as a null pointer.
    fn address(&mut self, address: u64) -> PyResult<()> {
        self.argument(Argument::Address(address))
    }

    /// Passes the map of the tensor `offset` bytes into a buffer to the next parameter.
    fn tensor_map(&mut self, map: &Map, index: usize, offset_bytes: u64) -> PyResult<()> {
        self.argument(Argument::TensorMap {
            params: Box::new(map.params),
            index,
            offset_bytes,
        })
    }

    /// The next parameter gets a number of a type of Rust's, or a struct.
    fn value(&mut self, type_name: &str, bytes: Vec<u8>) -> PyResult<()> {
        let scalar = scalar(type_name, &bytes);
        self.argument(scalar.map_or(Argument::Bytes(bytes), Argument::Scalar))
    }

    /// Leaves findings of a kind in a function out.
    fn suppress(&mut self, accepted: Vec<(String, String)>) -> PyResult<()> {
        let one = |(kind, function): (String, String)| {
            let found = DiagnosticKind::ALL
                .iter()
                .find(|known| known.name() == kind);
            let kind = found.copied().ok_or_else(|| {
                let hint = suggestion(&kind, DiagnosticKind::ALL.iter().map(|known| known.name()));
                PyValueError::new_err(format!("unknown kind of finding {kind:?}: {hint}"))
            })?;
            Ok(Suppression {
                kind,
                function,
                reason: None,
            })
        };
        let all = accepted
            .into_iter()
            .map(one)
            .collect::<PyResult<Vec<_>>>()?;
        self.suppressions = Suppressions::new(all);
        Ok(())
    }

    /// Runs the launches once for each seed. Each run starts with the same memory, and the first run's results are
    /// kept.
    fn run(
        &mut self,
        py: Python<'_>,
        seeds: Vec<u64>,
        max_steps: Option<u64>,
        strict: bool,
    ) -> PyResult<Vec<Run>> {
        let config = config(max_steps, strict);
        let jobs = jobs().map_err(PyValueError::new_err)?;
        let reports = interruptible(py, || self.check(&seeds, config, jobs))?;
        let reports = reports.map_err(|failure| exception(&failure))?;
        let launches = self.launches.len();
        let runs = seeds.into_iter().zip(reports);
        let run = |(seed, report)| Run::new(seed, report, launches);
        Ok(runs.map(run).collect())
    }

    /// Runs the launches under every schedule that can have another result, each up to `bound` schedules. The first
    /// schedules' results are kept. Returns the findings, and an answer for each launch that ran.
    fn run_all_schedules(
        &mut self,
        py: Python<'_>,
        bound: Option<u64>,
        max_steps: Option<u64>,
        strict: bool,
    ) -> PyResult<(Run, Vec<Proof>)> {
        let config = config(max_steps, strict);
        let mut bounds = Bounds::default();
        bounds.schedules = bound.unwrap_or(bounds.schedules);
        let explored = interruptible(py, || {
            self.with_job(|job| {
                EmulatorBackend::with_config(config).check_every_schedule(job, bounds)
            })
        })?;
        let explored = explored.map_err(|failure| exception(&failure))?;
        let proofs = explored.iter().map(Proof::new).collect();
        let mut report = CheckReport::default();
        for exploration in explored {
            report.extend(exploration.report);
        }
        report.suppress(&mut self.suppressions);
        Ok((Run::new(0, report, self.launches.len()), proofs))
    }

    /// Returns whether a schedule is of a launch of this job, by the text of its module.
    fn has_schedule(&self, name: &str) -> PyResult<bool> {
        let name: ScheduleName = name.parse().map_err(PyValueError::new_err)?;
        let launch = self.launches.get(name.launch);
        let module = launch.and_then(|launch| self.modules.get(launch.module));
        Ok(module.is_some_and(|(_, text)| name.is_of(text)))
    }

    /// Runs the launches up to that of a schedule, which runs by its choices.
    fn run_schedule(
        &mut self,
        py: Python<'_>,
        name: &str,
        max_steps: Option<u64>,
        strict: bool,
    ) -> PyResult<Run> {
        let name: ScheduleName = name.parse().map_err(PyValueError::new_err)?;
        let config = config(max_steps, strict);
        let report = interruptible(py, || {
            self.with_job(|job| EmulatorBackend::with_config(config).check_by_name(job, &name))
        })?;
        let mut report = report.map_err(|failure| exception(&failure))?;
        report.suppress(&mut self.suppressions);
        Ok(Run::new(0, report, self.launches.len()))
    }

    /// The bytes of a buffer.
    fn bytes<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        let buffer = self.buffers.get(index);
        let buffer = buffer.ok_or_else(|| PyValueError::new_err("no buffer has this index"))?;
        Ok(PyBytes::new(py, buffer.bytes()))
    }
}

impl Job {
    /// The launch that was added last.
    fn last(&mut self) -> PyResult<&mut Launch> {
        let last = self.launches.last_mut();
        last.ok_or_else(|| PyValueError::new_err("the job has no launches yet"))
    }

    fn argument(&mut self, argument: Argument) -> PyResult<()> {
        self.last()?.arguments.push(argument);
        Ok(())
    }

    /// Runs the launches as one job, and keeps the contents of its buffers.
    fn with_job<T: Default>(
        &mut self,
        run: impl FnOnce(&mut LaunchJob<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let modules = self.modules.iter();
        let mut modules = modules.map(|(name, text)| Ptx { name, text });
        let Some(first) = modules.next() else {
            return Ok(T::default());
        };
        let mut job = LaunchJob::new(first);
        job.further = modules.collect();
        job.buffers.clone_from(&self.buffers);
        job.launches.clone_from(&self.launches);
        let result = run(&mut job)?;
        self.buffers = job.buffers;
        Ok(result)
    }

    fn check(
        &mut self,
        seeds: &[u64],
        config: Config,
        jobs: Jobs,
    ) -> Result<Vec<CheckReport>, Failure> {
        let modules = self.modules.iter();
        let mut modules = modules.map(|(name, text)| Ptx { name, text });
        let Some(first) = modules.next() else {
            return Ok(Vec::new());
        };
        let mut job = LaunchJob::new(first);
        job.further = modules.collect();
        job.buffers.clone_from(&self.buffers);
        job.launches.clone_from(&self.launches);
        let run = |(index, seed): (usize, &u64)| {
            let mut job = job.clone();
            let backend = EmulatorBackend::with_config(Config {
                seed: *seed,
                ..config
            });
            let report = backend.check(&mut job)?;
            Ok((report, (index == 0).then_some(job.buffers)))
        };
        let mut reports = Vec::new();
        let mut failure = None;
        jobs.in_order(seeds.iter().enumerate(), run, |result| match result {
            Ok((mut report, buffers)) => {
                report.suppress(&mut self.suppressions);
                reports.push(report);
                if let Some(buffers) = buffers {
                    self.buffers = buffers;
                }
                ControlFlow::Continue(())
            }
            Err(found) => {
                failure = Some(found);
                ControlFlow::Break(())
            }
        });
        failure.map_or(Ok(reports), Err)
    }
}

fn config(max_steps: Option<u64>, strict: bool) -> Config {
    let config = Config::default();
    Config {
        strict,
        max_steps: max_steps.unwrap_or(config.max_steps),
        ..config
    }
}

/// Schedules that run at a time, by the environment.
fn jobs() -> Result<Jobs, String> {
    match env::var("TMA_JOBS") {
        Ok(given) => given.parse().map_err(|why| format!("TMA_JOBS: {why}")),
        Err(_) => Ok(Jobs::default()),
    }
}

/// Converts a number of this type if it has this size in bytes.
fn scalar(type_name: &str, bytes: &[u8]) -> Option<Scalar> {
    macro_rules! by_name {
        ($($ty:ident)*) => {
            match type_name {
                $(stringify!($ty) => Some($ty::from_le_bytes(bytes.try_into().ok()?).into()),)*
                _ => None,
            }
        };
    }
    by_name!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64)
}
