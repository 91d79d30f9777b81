//! Measures a row: checks it, then times it in alternation with its CUDA version and its reference.

use std::{cell::RefCell, collections::BTreeMap};

use anyhow::{Context, Result};
use serde::Serialize;
use tma_host::{Argument, Device, Module, Shape};

use crate::{
    arena::Arena,
    case::{Amount, Case, Check, Reference},
    limit::{Limit, Needs, Rates},
    machine::STEADY,
    modules::{Built, Modules},
    statistics::Spread,
    work::{L2, Timer, Work},
};

/// Maximum ratio of a kernel's time to its CUDA version's.
const CUDA_GOAL: f64 = 1.02;

/// The results of a case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) kernel: &'static str,
    pub(crate) variant: String,
    pub(crate) entry: String,
    pub(crate) grid: [u32; 3],
    pub(crate) threads: u64,
    pub(crate) shared_bytes: u32,
    /// The digest of the kernel's PTX.
    pub(crate) ran: String,
    /// Bytes read and written in one run.
    pub(crate) bytes: u64,
    /// Boxes gathered in one run, for gathers.
    pub(crate) boxes: Option<u64>,
    /// Arithmetic operations in one run, for products.
    pub(crate) operations: Option<u64>,
    /// The resources that one run needs.
    pub(crate) needs: Needs,
    /// The resource with the longest minimum time.
    pub(crate) limit: Limit,
    /// The ratio of the minimum time to the kernel's time.
    pub(crate) of_limit: f64,
    pub(crate) rust: Times,
    pub(crate) cuda: Option<Times>,
    pub(crate) reference: Option<Times>,
    /// The name of the reference's fastest launch.
    pub(crate) reference_is: String,
    /// The ratio of the kernel's time to its CUDA version's: the median over the rounds.
    pub(crate) of_cuda: Option<f64>,
    /// The ratio of the reference's time to the kernel's, for the same number of bytes.
    pub(crate) of_reference: Option<f64>,
    /// The goal for `of_reference`.
    pub(crate) goal: Option<f64>,
}

/// The times of one participant.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Times {
    pub(crate) milliseconds: Spread,
    pub(crate) gb_s: f64,
    /// Registers as compiled by the driver, for kernels.
    pub(crate) registers: Option<u32>,
    pub(crate) local_bytes: Option<u32>,
    pub(crate) static_shared_bytes: Option<u32>,
    /// Number of resident blocks per multiprocessor.
    pub(crate) blocks_at_once: Option<u32>,
}

/// The equipment to measure rows.
pub(crate) struct Bench<'a> {
    pub(crate) gpu: &'a Device,
    pub(crate) modules: &'a Modules,
    /// The PTX of the Rust kernels.
    pub(crate) text: ptx::Module,
    pub(crate) arena: &'a Arena,
    pub(crate) timer: &'a Timer,
    pub(crate) rounds: usize,
    /// The rates of the GPU's resources.
    pub(crate) rates: Rates,
    /// Sums of gathers, by dataset and warps.
    pub(crate) expected: RefCell<BTreeMap<(usize, u32), Vec<u32>>>,
}

impl Row {
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.kernel, self.variant)
    }

    /// Describes the missed goals.
    pub(crate) fn short(&self) -> Vec<String> {
        let mut short = Vec::new();
        if let Some(of_cuda) = self.of_cuda.filter(|of_cuda| *of_cuda > CUDA_GOAL) {
            short.push(format!(
                "{of_cuda:.3} of its CUDA version's time, {CUDA_GOAL:.2} allowed"
            ));
        }
        if let (Some(is), Some(goal)) = (self.of_reference, self.goal)
            && is < goal
        {
            short.push(format!(
                "{is:.3} of {}, must be at least {goal:.2}",
                self.reference_is
            ));
        }
        for (whose, times) in [
            ("it", Some(&self.rust)),
            ("its CUDA version", self.cuda.as_ref()),
        ] {
            let local = times.and_then(|times| times.local_bytes).unwrap_or(0);
            if local > 0 {
                short.push(format!("{whose} uses {local} bytes of local memory"));
            }
        }
        short
    }
}

/// The participation of a reference in a measurement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum With {
    All,
    /// Only the kernel, as in a sweep.
    Alone,
}

impl<'a> Bench<'a> {
    /// Checks and times a case.
    pub(crate) fn row(&self, case: &Case, with: With) -> Result<Row> {
        let rust = self.kernel(&self.modules.kernels, case)?;
        self.check(case, &rust).context("the Rust kernel")?;
        let cuda = self.modules.cuda.as_ref().filter(|_| with == With::All);
        let cuda = cuda.map(|module| self.kernel(module, case)).transpose()?;
        if let Some(cuda) = &cuda {
            self.check(case, cuda).context("the CUDA version")?;
        }
        let (reference, reference_is) = match with {
            With::All => self.reference(case)?,
            With::Alone => (None, String::new()),
        };

        let works: Vec<&Work<'_>> = [Some(&rust), cuda.as_ref(), reference.as_ref()]
            .into_iter()
            .flatten()
            .collect();
        let times = self.timer.alternate(&works, case.l2, self.rounds)?;
        let mut times = times.iter().zip(&works);
        let mut next = |present: bool| if present { times.next() } else { None };
        let rust_times = next(true).context("no measurement")?;
        let cuda_times = next(cuda.is_some());
        let reference_times = next(reference.is_some());
        let by = |above: &[f64], below: &[f64]| {
            let ratios: Vec<f64> = above.iter().zip(below).map(|(a, b)| a / b).collect();
            Spread::of(&ratios).median
        };
        let limit = case.needs.limit(&self.rates, case.shape.grid.count());
        let scale = self.reference_bytes(case) as f64 / case.amount.bytes() as f64;
        let summed =
            |(times, work): (&Vec<f64>, &&Work<'_>), bytes: u64| Times::of(times, work, bytes);
        Ok(Row {
            kernel: case.kernel,
            variant: case.variant.clone(),
            entry: case.entry.clone(),
            grid: case.shape.grid.to_array(),
            threads: case.shape.block.count(),
            shared_bytes: case.shape.shared_bytes,
            ran: Built::digest(&self.text, &case.entry)?,
            bytes: case.amount.bytes(),
            boxes: match case.amount {
                Amount::Boxes(boxes) => Some(boxes),
                _ => None,
            },
            operations: match case.amount {
                Amount::Products { operations, .. } => Some(operations),
                _ => None,
            },
            needs: case.needs,
            limit,
            of_limit: 1e3 * limit.seconds / Spread::of(rust_times.0).median,
            of_cuda: cuda_times.map(|cuda| by(rust_times.0, cuda.0)),
            of_reference: reference_times.map(|other| by(other.0, rust_times.0) / scale),
            rust: summed(rust_times, case.amount.bytes())?,
            cuda: cuda_times
                .map(|cuda| summed(cuda, case.amount.bytes()))
                .transpose()?,
            reference: reference_times
                .map(|other| summed(other, self.reference_bytes(case)))
                .transpose()?,
            reference_is,
            goal: case.goal,
        })
    }

    /// Measures only the driver's copies.
    pub(crate) fn copies(&self, rounds: usize) -> Result<Spread> {
        let times = self
            .timer
            .alternate(&[&self.driver_copy()], L2::Cold, rounds)?;
        Ok(Spread::of(&times[0]))
    }

    /// Measures the driver's copies until they are steady: an idle GPU needs time to reach its clocks.
    pub(crate) fn steady_copies(&self) -> Result<Spread> {
        let mut copies = self.copies(20)?;
        for _ in 0..4 {
            if copies.relative() <= STEADY {
                break;
            }
            copies = self.copies(20)?;
        }
        Ok(copies)
    }

    pub(crate) fn driver_copy(&self) -> Work<'a> {
        Work::Copy {
            dst: self.arena.dst.address(),
            src: self.arena.src.address(),
            bytes: self.arena.bytes(),
        }
    }

    pub(crate) fn kernel(&self, module: &'a Module, case: &Case) -> Result<Work<'a>> {
        Ok(Work::Kernel {
            function: module.function(&case.entry)?.into(),
            shape: case.shape,
            values: case.values.clone(),
            counter: case.draws.then(|| self.arena.counter.address()),
        })
    }

    /// Returns the bytes that a reference moves: the driver always copies all.
    fn reference_bytes(&self, case: &Case) -> u64 {
        match case.reference {
            Reference::DriverCopy => 2 * self.arena.bytes(),
            Reference::Loads(..) | Reference::Nothing => case.amount.bytes(),
        }
    }

    fn reference(&self, case: &Case) -> Result<(Option<Work<'a>>, String)> {
        match (&case.reference, &self.modules.cuda) {
            (Reference::DriverCopy, _) => {
                Ok((Some(self.driver_copy()), "the driver's copy".to_owned()))
            }
            (Reference::Nothing, _) | (Reference::Loads(..), None) => Ok((None, String::new())),
            (Reference::Loads(shapes, values), Some(cuda)) => {
                self.loads(case, cuda, shapes, values)
            }
        }
    }

    /// Returns the fastest of the launches, after checking those that can be checked.
    fn loads(
        &self,
        case: &Case,
        cuda: &'a Module,
        shapes: &[Shape],
        values: &[Argument],
    ) -> Result<(Option<Work<'a>>, String)> {
        const ROUNDS: usize = 5;
        let work = |shape: &Shape| -> Result<Work<'a>> {
            Ok(Work::Kernel {
                function: cuda.function("gather_ldg")?.into(),
                shape: *shape,
                values: values.to_vec(),
                counter: None,
            })
        };
        let works = shapes.iter().map(work).collect::<Result<Vec<_>>>()?;
        for (shape, work) in shapes.iter().zip(&works) {
            // With the same number of threads it writes the same sums.
            let threads = |shape: &Shape| shape.grid.count() * shape.block.count();
            if threads(shape) == threads(&case.shape) {
                self.check(case, work).context("the gather by loads")?;
            }
        }
        let all: Vec<&Work<'_>> = works.iter().collect();
        let times = self.timer.alternate(&all, case.l2, ROUNDS)?;
        let median = |times: &Vec<f64>| Spread::of(times).median;
        let fastest =
            (0..works.len()).min_by(|a, b| median(&times[*a]).total_cmp(&median(&times[*b])));
        let fastest = fastest.context("no launch of the gather by loads")?;
        let blocks = shapes[fastest].grid.count() / u64::from(self.gpu.multiprocessors());
        let name = format!("ordinary loads ({blocks} blocks of 256)");
        Ok((works.into_iter().nth(fastest), name))
    }

    /// Runs the work once, and compares its results.
    pub(crate) fn check(&self, case: &Case, work: &Work<'_>) -> Result<()> {
        match &case.check {
            Check::Destination(pattern) => self.arena.check(self.gpu, self.modules, work, *pattern),
            Check::Words(words) => self.arena.check_words(self.gpu, self.modules, work, words),
            &Check::Sums { dataset, warps } => {
                let mut all = self.expected.borrow_mut();
                let expected = all.entry((dataset, warps));
                let expected = expected.or_insert_with(|| self.arena.sums_of(dataset, warps));
                self.arena.check_sums(self.gpu, work, expected)
            }
        }
    }
}

impl Times {
    fn of(times: &[f64], work: &Work<'_>, bytes: u64) -> Result<Self> {
        let milliseconds = Spread::of(times);
        let resources = match work {
            Work::Kernel {
                function, shape, ..
            } => Some((
                function.resources()?,
                function.blocks_per_multiprocessor(shape)?,
            )),
            Work::Copy { .. } => None,
        };
        let blocks_at_once = resources.map(|(_, blocks)| blocks);
        let resources = resources.map(|(resources, _)| resources);
        Ok(Self {
            milliseconds,
            gb_s: bytes as f64 / milliseconds.median / 1e6,
            registers: resources.map(|resources| resources.registers),
            local_bytes: resources.map(|resources| resources.local_bytes),
            static_shared_bytes: resources.map(|resources| resources.shared_bytes),
            blocks_at_once,
        })
    }
}
