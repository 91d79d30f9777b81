use std::time::Duration;

use crate::{Failure, Job};

/// Something that runs jobs.
pub trait Backend {
    /// What it is, for people: `gpu: NVIDIA H100 80GB HBM3 (sm_90a)`.
    fn name(&self) -> String;

    /// Checks all launches, uploads the buffers, runs the launches in order, and reads the buffers
    /// back.
    ///
    /// After a failure the buffers are as they were. The next job finds the backend as if nothing had
    /// happened; where that cannot be, as on a GPU after a fault, every further job fails in
    /// [`Stage::Open`], and a new process is needed.
    ///
    /// [`Stage::Open`]: crate::Stage::Open
    fn run(&mut self, job: &mut Job<'_>) -> Result<Outcome, Failure>;
}

/// What a job that succeeded has to tell, besides its buffers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Time from the first launch to the end of the last one.
    pub elapsed: Duration,
}
