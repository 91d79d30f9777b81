//! The rates of the GPU's resources, partly measured.

use anyhow::{Context, Result};
use tma_host::{Argument, Shape};

use crate::{
    arena::Arena,
    limit::Rates,
    machine::Machine,
    modules::Modules,
    statistics::Spread,
    work::{L2, Timer, Work},
};

/// Number of runs of each; the median counts.
const ROUNDS: usize = 9;
/// Number of vectors that a thread of `read_again` reads per round.
const VECTORS: u64 = 8;

/// The equipment to measure rates.
pub(crate) struct Means<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) modules: &'a Modules,
    pub(crate) arena: &'a Arena,
    pub(crate) timer: &'a Timer,
}

impl<'a> Means<'a> {
    /// Returns the machine's rates, with newly measured ones of its L2 cache and of launches.
    pub(crate) fn rates(&self) -> Result<Rates> {
        let machine = self.machine;
        Ok(Rates {
            memory_bytes: 1e9 * machine.memory_limit_gb_s,
            l2_bytes: self.l2_bytes()?,
            multiprocessors: machine.multiprocessors,
            sm_clock_hz: 1e6 * machine.measured_sm_clock_mhz,
            has_tensor_rate: machine.arch == "sm_90a",
            launch_seconds: self.launch_seconds()?,
        })
    }

    fn helper(&self, entry: &str, shape: Shape, values: Vec<Argument>) -> Result<Work<'a>> {
        Ok(Work::Kernel {
            function: self.modules.helpers.function(entry)?.into(),
            shape,
            values,
            counter: None,
        })
    }

    /// Measures a kernel of one thread that reads the clock and writes two numbers.
    fn launch_seconds(&self) -> Result<f64> {
        let values = vec![
            Argument::Address(self.arena.dst.address()),
            Argument::scalar(0_u64),
        ];
        let work = self.helper("clock", Shape::new(1, 1), values)?;
        let times = self.timer.alternate(&[&work], L2::Warm, ROUNDS)?;
        Ok(Spread::of(&times[0]).median / 1e3)
    }

    /// Measures loads that bypass the L1 caches and hit the L2 cache, at the fastest of four launches.
    fn l2_bytes(&self) -> Result<f64> {
        const READ_BYTES: u64 = 1 << 30;
        let machine = self.machine;
        // One half of the cache may duplicate the contents of the other.
        let bytes = (machine.l2_bytes / 4).min(self.arena.bytes());
        let vectors = 1_u32 << (bytes / 16).ilog2();
        let shapes = [(1, 1024), (2, 1024), (2, 512), (4, 512)];
        let shapes = shapes.map(|(blocks, threads)| {
            let shape = Shape::new(machine.multiprocessors * blocks, threads);
            let of_round = 16 * VECTORS * shape.grid.count() * shape.block.count();
            (shape, of_round, READ_BYTES.div_ceil(of_round))
        });
        let rate = |&(shape, of_round, rounds): &(Shape, u64, u64)| -> Result<f64> {
            let values = vec![
                Argument::Address(self.arena.src.address()),
                Argument::scalar(vectors),
                Argument::scalar(rounds as u32),
                Argument::Address(self.arena.dst.address()),
            ];
            let work = self.helper("read_again", shape, values)?;
            let times = self.timer.alternate(&[&work], L2::Warm, ROUNDS)?;
            Ok((of_round * rounds) as f64 * 1e3 / Spread::of(&times[0]).median)
        };
        let rates: Vec<f64> = shapes.iter().map(rate).collect::<Result<_>>()?;
        let rates = rates.into_iter();
        rates
            .max_by(f64::total_cmp)
            .context("no launch reads the L2 cache")
    }
}
