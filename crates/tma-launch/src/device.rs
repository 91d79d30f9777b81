use crate::Limits;

/// The properties of a device that determine good launch shapes of memory-bound kernels.
///
/// A `tma_host::Device` returns its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceDescription {
    /// The driver's name of the device: `NVIDIA H100 80GB HBM3`.
    pub name: String,
    /// Number of streaming multiprocessors.
    pub multiprocessors: u32,
    /// Peak memory bandwidth in bytes per second: two transfers per clock on every line of the bus.
    pub memory_bytes_per_second: u64,
    /// Size of the L2 cache in bytes.
    pub l2_bytes: u64,
    /// Shared memory per multiprocessor in bytes, including 1024 bytes per block for the system.
    pub multiprocessor_shared_bytes: u64,
}

impl DeviceDescription {
    /// Returns an H100 with 80 GB of HBM3, the GPU that the emulator represents.
    pub fn h100() -> Self {
        Self {
            name: "NVIDIA H100 80GB HBM3".to_owned(),
            multiprocessors: 132,
            memory_bytes_per_second: memory_bytes_per_second(2_619_000, 5120),
            l2_bytes: 50 << 20,
            multiprocessor_shared_bytes: Limits::SM_90.multiprocessor_shared_bytes,
        }
    }

    /// Returns an H200, with the same number of multiprocessors and faster memory.
    pub fn h200() -> Self {
        Self {
            name: "NVIDIA H200".to_owned(),
            multiprocessors: 132,
            memory_bytes_per_second: memory_bytes_per_second(3_201_000, 6016),
            l2_bytes: 60 << 20,
            multiprocessor_shared_bytes: Limits::SM_90.multiprocessor_shared_bytes,
        }
    }
}

/// Computes the memory bandwidth in bytes per second from the clock in kHz, two transfers per clock, and the bus
/// width.
pub fn memory_bytes_per_second(clock_khz: u64, bus_bits: u64) -> u64 {
    let transfers = clock_khz.saturating_mul(2000);
    transfers.saturating_mul(bus_bits / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_both_hoppers_is_as_fast_as_their_sheets_say() {
        let gigabytes = |device: DeviceDescription| device.memory_bytes_per_second / 1_000_000_000;
        assert_eq!(gigabytes(DeviceDescription::h100()), 3352);
        assert_eq!(gigabytes(DeviceDescription::h200()), 4814);
        assert_eq!(memory_bytes_per_second(u64::MAX, 8), u64::MAX);
    }
}
