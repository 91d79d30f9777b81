use crate::Limits;

/// The properties of a device that decide how a kernel which moves memory is best launched.
///
/// A `tma_host::Device` gives its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceDescription {
    /// The name that the driver gives it: `NVIDIA H100 80GB HBM3`.
    pub name: String,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// The most that its memory moves, in bytes a second: two transfers in each clock, on every line of its bus.
    pub memory_bytes_per_second: u64,
    /// Its L2 cache, in bytes.
    pub l2_bytes: u64,
    /// Shared memory of all blocks of a multiprocessor, in bytes, 1024 of each for the system.
    pub multiprocessor_shared_bytes: u64,
}

impl DeviceDescription {
    /// An H100 with 80 GB of HBM3, as which the emulator stands.
    pub fn h100() -> Self {
        Self {
            name: "NVIDIA H100 80GB HBM3".to_owned(),
            multiprocessors: 132,
            memory_bytes_per_second: memory_bytes_per_second(2_619_000, 5120),
            l2_bytes: 50 << 20,
            multiprocessor_shared_bytes: Limits::SM_90.multiprocessor_shared_bytes,
        }
    }

    /// An H200, with as many multiprocessors and faster memory.
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

/// The bytes that memory moves in a second: its clock in kHz by two by the width of its bus.
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
