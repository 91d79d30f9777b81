//! The resources that a launch needs, and the minimum time for them.

use std::fmt;

use serde::Serialize;

/// Warp instructions issued per clock and multiprocessor: one for each of its four schedulers.
const ISSUED_PER_CLOCK: f64 = 4.0;
/// Results of `f32` additions, multiplications and fused multiply-adds in a clock of a multiprocessor (CUDA
/// programming guide, table of arithmetic throughput, compute capability 9.0).
const FMAS_PER_CLOCK: f64 = 128.0;
/// Bytes per clock that shared memory of a multiprocessor transfers: 32 banks of four (CUDA programming guide).
const SHARED_BYTES_PER_CLOCK: f64 = 128.0;
/// Products of `bf16` per clock that the tensor pipe of a multiprocessor accumulates on `sm_90a`.
const TENSOR_PRODUCTS_PER_CLOCK: f64 = 2048.0;

/// The amount of each resource that one launch needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Needs {
    /// Bytes read from or written to memory, each counted once.
    pub(crate) memory_bytes: f64,
    /// Bytes through the L2 cache, if different from the memory's.
    pub(crate) l2_bytes: f64,
    /// The needs of the instructions.
    pub(crate) counted: Counted,
    /// Products accumulated by the tensor pipe.
    pub(crate) tensor_products: f64,
}

/// The needs of a launch's instructions, counted by the emulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Counted {
    /// PTX instructions that ptxas turns into at least one machine instruction, counted once per executing warp:
    /// accesses to memory, copies, barriers, products and `f32` arithmetic. Others, such as address computations,
    /// do not count.
    pub(crate) warp_instructions: f64,
    /// 128 bytes for each clock in which shared memory banks are busy, even if a warp needs fewer or has bank
    /// conflicts.
    pub(crate) shared_bytes: f64,
    /// Results of `f32` additions, multiplications and fused multiply-adds.
    pub(crate) fmas: f64,
}

/// The rates of the GPU's resources.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Rates {
    /// Bytes of memory per second: two transfers per clock on every line of the bus.
    pub(crate) memory_bytes: f64,
    /// Bytes per second of loads from the L2 cache, measured in the same run.
    pub(crate) l2_bytes: f64,
    pub(crate) multiprocessors: u32,
    /// Clocks of a multiprocessor per second, measured by a kernel before the rows.
    pub(crate) sm_clock_hz: f64,
    /// False if the rate of the tensor pipe is unknown.
    pub(crate) has_tensor_rate: bool,
    /// The time of an empty kernel, measured in the same run.
    pub(crate) launch_seconds: f64,
}

/// A resource that can limit a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Resource {
    Memory,
    L2,
    SharedMemory,
    IssueSlots,
    Fma,
    TensorPipe,
    LaunchLatency,
}

/// The limiting resource of a launch and its time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Limit {
    pub(crate) resource: Resource,
    pub(crate) seconds: f64,
}

impl Needs {
    /// Returns needs of memory only.
    pub(crate) fn memory(bytes: u64) -> Self {
        Self {
            memory_bytes: bytes as f64,
            ..Self::default()
        }
    }

    /// Returns the minimum times of a launch of `blocks` blocks, one for each resource that it needs.
    pub(crate) fn times(&self, rates: &Rates, blocks: u64) -> Vec<Limit> {
        let busy = f64::from(rates.multiprocessors).min(blocks as f64);
        let clocks = busy * rates.sm_clock_hz;
        let tensor = if rates.has_tensor_rate {
            self.tensor_products
        } else {
            0.0
        };
        let Counted {
            warp_instructions,
            shared_bytes,
            fmas,
        } = self.counted;
        let times = [
            (Resource::Memory, self.memory_bytes / rates.memory_bytes),
            (Resource::L2, self.l2_bytes / rates.l2_bytes),
            (
                Resource::SharedMemory,
                shared_bytes / (SHARED_BYTES_PER_CLOCK * clocks),
            ),
            (
                Resource::IssueSlots,
                warp_instructions / (ISSUED_PER_CLOCK * clocks),
            ),
            (Resource::Fma, fmas / (FMAS_PER_CLOCK * clocks)),
            (
                Resource::TensorPipe,
                tensor / (TENSOR_PRODUCTS_PER_CLOCK * clocks),
            ),
            (Resource::LaunchLatency, rates.launch_seconds),
        ];
        let times = times.map(|(resource, seconds)| Limit { resource, seconds });
        times
            .into_iter()
            .filter(|time| time.seconds > 0.0)
            .collect()
    }

    /// Returns the longest of the minimum times.
    pub(crate) fn limit(&self, rates: &Rates, blocks: u64) -> Limit {
        let longest = |a: Limit, b: Limit| if b.seconds > a.seconds { b } else { a };
        let launch = Limit {
            resource: Resource::LaunchLatency,
            seconds: rates.launch_seconds,
        };
        self.times(rates, blocks).into_iter().fold(launch, longest)
    }
}

impl Counted {
    /// Multiplies the counts.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            warp_instructions: self.warp_instructions * factor,
            shared_bytes: self.shared_bytes * factor,
            fmas: self.fmas * factor,
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Memory => "memory",
            Self::L2 => "L2",
            Self::SharedMemory => "shared memory",
            Self::IssueSlots => "issue slots",
            Self::Fma => "FMA",
            Self::TensorPipe => "tensor pipe",
            Self::LaunchLatency => "launch latency",
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A GPU of ten multiprocessors at 1 GHz.
    pub(crate) const RATES: Rates = Rates {
        memory_bytes: 1e12,
        l2_bytes: 4e12,
        multiprocessors: 10,
        sm_clock_hz: 1e9,
        has_tensor_rate: true,
        launch_seconds: 2e-6,
    };

    fn limit(needs: Needs, blocks: u64) -> (Resource, f64) {
        let Limit { resource, seconds } = needs.limit(&RATES, blocks);
        (resource, (seconds * 1e12).round() / 1e6)
    }

    #[test]
    fn each_resource_takes_its_time() {
        let memory = Needs::memory(5_000_000);
        assert_eq!(limit(memory, 10), (Resource::Memory, 5.0));
        let l2 = Needs {
            l2_bytes: 24e6,
            ..memory
        };
        assert_eq!(limit(l2, 10), (Resource::L2, 6.0));
        let counted = |warp_instructions, shared_bytes, fmas| Needs {
            counted: Counted {
                warp_instructions,
                shared_bytes,
                fmas,
            },
            ..l2
        };
        // 40, 1280 and 1280 per nanosecond.
        let issue = counted(280e3, 7.68e6, 7.68e6);
        assert_eq!(limit(issue, 10), (Resource::IssueSlots, 7.0));
        let shared = counted(280e3, 10.24e6, 7.68e6);
        assert_eq!(limit(shared, 10), (Resource::SharedMemory, 8.0));
        let fma = counted(280e3, 10.24e6, 11.52e6);
        assert_eq!(limit(fma, 10), (Resource::Fma, 9.0));
        // 20480 per nanosecond.
        let tensor = Needs {
            tensor_products: 204.8e6,
            ..fma
        };
        assert_eq!(limit(tensor, 10), (Resource::TensorPipe, 10.0));
        assert_eq!(tensor.times(&RATES, 10).len(), 7);
    }

    #[test]
    fn what_needs_little_is_as_long_as_a_launch() {
        assert_eq!(limit(Needs::default(), 10), (Resource::LaunchLatency, 2.0));
        assert_eq!(Needs::default().times(&RATES, 10).len(), 1);
        assert_eq!(
            limit(Needs::memory(1_000_000), 10),
            (Resource::LaunchLatency, 2.0)
        );
    }

    #[test]
    fn few_blocks_have_few_multiprocessors() {
        let needs = Needs {
            counted: Counted {
                warp_instructions: 120e3,
                ..Counted::default()
            },
            ..Needs::default()
        };
        // 12 per nanosecond on three multiprocessors, 40 on ten.
        assert_eq!(limit(needs, 3), (Resource::IssueSlots, 10.0));
        assert_eq!(limit(needs, 11), (Resource::IssueSlots, 3.0));
    }

    #[test]
    fn a_tensor_pipe_of_unknown_rate_is_no_limit() {
        let needs = Needs {
            tensor_products: 1e9,
            ..Needs::memory(3_000_000)
        };
        let unknown = Rates {
            has_tensor_rate: false,
            ..RATES
        };
        assert_eq!(needs.limit(&unknown, 10).resource, Resource::Memory);
    }

    #[test]
    fn so_many_times_as_much() {
        let one = Counted {
            warp_instructions: 1.0,
            shared_bytes: 2.0,
            fmas: 4.0,
        };
        let three = Counted {
            warp_instructions: 3.0,
            shared_bytes: 6.0,
            fmas: 12.0,
        };
        assert_eq!(one.times(3.0), three);
    }
}
