//! Many cases as one job, a launch each.

use tma_launch::{Buffer, Failure, Job, Launch, Ptx};

use super::kernels::{BARRIER_BYTES, THREADS, linear_entry, tensor_entry};
use super::{Action, CopyCase, Transfer, linear_forms, tensor_form, text};
use crate::maps::generate::Random;

/// Memory after a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// True if the barrier's phase ended.
    pub ended: bool,
    /// True if the barrier had counted to zero in the end.
    pub is_zero: bool,
    /// The contents of the region in shared memory.
    pub shared: Vec<u8>,
    /// The contents of the region in global memory.
    pub global: Vec<u8>,
}

impl Output {
    /// Both regions of a case before its copy.
    pub fn before(case: &CopyCase) -> Self {
        let random = &mut Random::new(case.seed);
        let mut output = Self {
            ended: true,
            is_zero: true,
            shared: vec![0; case.shared_bytes as usize],
            global: vec![0; case.global_bytes as usize],
        };
        for region in [&mut output.shared, &mut output.global] {
            case.contents.fill(case.number(), random, region);
        }
        output
    }

    /// A number that other outputs do not have, but by chance.
    pub fn digest(&self) -> u64 {
        let ends = u64::from(self.ended) | u64::from(self.is_zero) << 1;
        let mut digest = Random::new(ends).bits();
        for region in [&self.shared, &self.global] {
            for chunk in region.chunks(8) {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                digest = Random::new(digest ^ u64::from_le_bytes(word)).bits();
            }
        }
        digest
    }

    /// Returns the first difference from the expected output, in words.
    pub fn difference(&self, expected: &Self) -> Option<String> {
        if self.ended != expected.ended {
            return Some("fewer bytes came than the barrier expects".into());
        }
        if self.is_zero != expected.is_zero {
            return Some("more bytes came than the barrier expects".into());
        }
        let regions = [
            ("shared", &self.shared, &expected.shared),
            ("global", &self.global, &expected.global),
        ];
        let mut unequal = regions.into_iter().filter(|(_, is, should)| is != should);
        unequal.find_map(|(name, is, should)| {
            let mut differ = (0..).zip(is.iter().zip(should)).filter(|(_, (a, b))| a != b);
            let (at, _): (usize, _) = differ.next()?;
            let from = at / 8 * 8;
            let eight = |bytes: &[u8]| {
                let hex = bytes[from..].iter().take(8).map(|byte| format!("{byte:02x}"));
                hex.collect::<Vec<_>>().join(" ")
            };
            Some(format!(
                "{} bytes of {name} memory differ, the first at {at}; from {from} on {} instead of {}",
                1 + differ.count(),
                eight(is),
                eight(should)
            ))
        })
    }
}

/// Cases that run one after the other, with their memory.
pub struct Batch<'c> {
    cases: &'c [CopyCase],
    job: Job<'static>,
    /// The offsets of the regions of each case: shared, then global.
    all_offsets: Vec<(usize, usize)>,
}

impl<'c> Batch<'c> {
    /// A job of these cases.
    pub fn new(cases: &'c [CopyCase]) -> Self {
        let mut job = Job::new(Ptx {
            name: "copies.ptx",
            text: text(),
        });
        let (mut shared, mut global) = (Vec::new(), Vec::new());
        let mut all_offsets = Vec::new();
        for case in cases {
            let offsets = (shared.len(), global.len());
            let Output {
                shared: in_shared,
                global: in_global,
                ..
            } = Output::before(case);
            shared.extend(in_shared);
            global.extend(in_global);
            global.resize(global.len().next_multiple_of(256), 0);
            job.launch(launch(case, all_offsets.len(), offsets));
            all_offsets.push(offsets);
        }
        job.buffers = vec![
            Buffer::new("shared", &shared),
            Buffer::new("global", &global),
            Buffer::new("status", &vec![u32::MAX; 2 * cases.len()]),
        ];
        Self {
            cases,
            job,
            all_offsets,
        }
    }

    /// Returns the job before its run.
    pub fn job(&self) -> &Job<'static> {
        &self.job
    }

    /// Runs the job with `run`, and returns the output of each case.
    ///
    /// # Errors
    /// A copy stopped the job.
    pub fn run<T>(
        &self,
        run: impl FnOnce(&mut Job<'_>) -> Result<T, Failure>,
    ) -> Result<Vec<Output>, Failure> {
        let mut job = self.job.clone();
        run(&mut job)?;
        Ok(self.outputs(&job))
    }

    /// The output of each case of a job that ran.
    pub fn outputs(&self, job: &Job<'_>) -> Vec<Output> {
        let [shared, global, status] = &job.buffers[..] else {
            return Vec::new();
        };
        let numbers = self
            .cases
            .iter()
            .zip(&self.all_offsets)
            .zip(status.bytes().chunks(8));
        let output = |((case, offsets), status): ((&CopyCase, &(usize, usize)), &[u8])| Output {
            ended: status[0] == 1,
            is_zero: status[4] == 1,
            shared: shared.bytes()[offsets.0..][..case.shared_bytes as usize].to_vec(),
            global: global.bytes()[offsets.1..][..case.global_bytes as usize].to_vec(),
        };
        numbers.map(output).collect()
    }
}

fn launch(case: &CopyCase, number: usize, (shared, global): (usize, usize)) -> Launch {
    const SHARED: usize = 0;
    const GLOBAL: usize = 1;
    const STATUS: usize = 2;
    let (entry, form) = match &case.transfer {
        Transfer::Linear(copy) => {
            let has_barrier = linear_forms()[copy.form].action.has_barrier();
            (linear_entry(has_barrier).to_owned(), copy.form as u32)
        }
        Transfer::Tensor(copy) => {
            let is_im2col = copy.params.mode() != "tiled";
            let form = tensor_form(is_im2col, copy.params.tensor().rank());
            (tensor_entry(copy.action), form)
        }
    };
    let launch = Launch::new(&entry, 1, THREADS).shared_bytes(BARRIER_BYTES + case.shared_bytes);
    let global = (global + case.global_at as usize) as u64;
    let launch = match &case.transfer {
        Transfer::Tensor(copy) => launch.tensor_map_at(copy.params, GLOBAL, global),
        // Copies within shared memory are illegal in a launch without clusters.
        Transfer::Linear(copy) => launch
            .cluster(1)
            .buffer_at(GLOBAL, global)
            .scalar(copy.to)
            .scalar(copy.bytes),
    };
    let launch = launch
        .buffer_at(SHARED, shared as u64)
        .buffer_at(STATUS, 8 * number as u64)
        .scalar(case.shared_bytes / 16)
        .scalar(case.shared_at)
        .scalar(form)
        .scalar(case.expected_bytes().unwrap_or(0) as u32);
    let Transfer::Tensor(copy) = &case.transfer else {
        return launch;
    };
    let coordinate = |dim: usize| copy.coordinates.get(dim).copied().unwrap_or(0);
    let offset = |dim: usize| match copy.action {
        Action::Load => copy.offsets.get(dim).copied().unwrap_or(0),
        _ => 0,
    };
    let launch = (0..5).fold(launch, |launch, dim| launch.scalar(coordinate(dim)));
    (0..3).fold(launch, |launch, dim| launch.scalar(offset(dim)))
}
