//! The backends, side by side.

use std::{
    thread,
    time::{Duration, Instant},
};

use tests::copies::{Batch, CopyCase, Output};
use tma_emulator::EmulatorBackend;
use tma_host::{Device, Jobs};
use tma_launch::{Failure, Job};

/// The output of a case, or the reason for having none.
pub(super) type Made = Result<Output, String>;

/// The outputs of a job on both sides.
pub(super) struct Both {
    /// The GPU, if it is in use and no earlier job failed.
    pub(super) gpu: Option<Result<Vec<Output>, Failure>>,
    /// The emulator, if it is in use.
    pub(super) emulator: Option<Vec<Made>>,
}

/// The backends in use.
pub(super) struct Sides {
    gpu: Option<Jobs>,
    emulates: bool,
    /// Time that each took, the emulator on all threads together.
    took: (Duration, Duration),
}

impl Sides {
    pub(super) fn open(gpu: bool, emulates: bool) -> Result<Self, String> {
        let gpu = match gpu {
            false => None,
            true => {
                let gpu = Device::gpu().map_err(|error| error.to_string())?;
                Some(Jobs::new(gpu))
            }
        };
        Ok(Self {
            gpu,
            emulates,
            took: (Duration::ZERO, Duration::ZERO),
        })
    }

    /// Returns the name of the device whose copies are judged.
    pub(super) fn name(&self) -> String {
        match &self.gpu {
            Some(gpu) => gpu.name().to_owned(),
            None => EmulatorBackend::default().name(),
        }
    }

    /// The time of the whole run.
    pub(super) fn times(&self) -> String {
        let (gpu, emulator) = (self.took.0.as_secs_f64(), self.took.1.as_secs_f64());
        format!("GPU {gpu:.1} s, emulator {emulator:.1} s")
    }

    /// Makes the copies of some jobs with these seeds, on the emulator with a thread for each job.
    pub(super) fn make(&mut self, jobs: &[Vec<CopyCase>], seeds: &[u64]) -> Vec<Both> {
        let (gpu, took) = (&mut self.gpu, &mut self.took);
        let emulated = jobs.iter().zip(seeds).filter(|_| self.emulates);
        thread::scope(|scope| {
            let workers: Vec<_> = emulated
                .map(|(cases, seed)| scope.spawn(|| timed(|| emulate(cases, *seed))))
                .collect();
            let mut made: Vec<Both> = Vec::new();
            for cases in jobs {
                let failed = made.iter().any(|made| matches!(made.gpu, Some(Err(_))));
                let gpu = gpu.as_mut().filter(|_| !failed).map(|gpu| {
                    // SAFETY: the kernels write only to shared memory and to the job's buffers: the
                    // generator places every tensor and all bytes inside of them (1).
                    let run = |job: &mut Job<'_>| unsafe { gpu.run(job) };
                    let (outputs, time) = timed(|| Batch::new(cases).run(run));
                    took.0 += time;
                    outputs
                });
                made.push(Both {
                    gpu,
                    emulator: None,
                });
            }
            for (made, worker) in made.iter_mut().zip(workers) {
                let (outputs, time) = match worker.join() {
                    Ok(joined) => joined,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                took.1 += time;
                made.emulator = Some(outputs);
            }
            made
        })
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    (work(), begin.elapsed())
}

/// Runs all cases in one job or, if that fails, each case in its own.
fn emulate(cases: &[CopyCase], seed: u64) -> Vec<Made> {
    let emulator = EmulatorBackend::new(seed);
    let run = |job: &mut Job<'_>| emulator.run(job);
    if let Ok(outputs) = Batch::new(cases).run(run) {
        return outputs.into_iter().map(Ok).collect();
    }
    let alone = |case: &CopyCase| {
        let mut outputs = Batch::new(std::slice::from_ref(case))
            .run(run)
            .map_err(|failure| failure.to_string())?;
        outputs.pop().ok_or_else(|| "nothing came out".to_owned())
    };
    cases.iter().map(alone).collect()
}
