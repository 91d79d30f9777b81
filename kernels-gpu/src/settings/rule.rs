//! The rule for devices that were not measured.

use tma_launch::DeviceDescription;

use super::{Setting, Streaming, Tile};

/// The latency of a chunk while memory is busy, in nanoseconds: measured by reads on an H100;
/// their rate rises with the bytes in flight up to this time's worth of them.
pub const LATENCY_NS: u64 = 1400;

/// The least and the most bytes of stages that the rule chooses.
const LEAST_BYTES: u32 = 16 << 10;
const MOST_BYTES: u32 = 128 << 10;

/// Small blocks that a multiprocessor runs at once.
const BLOCKS: u32 = 32;

/// Returns the bytes of stages that each multiprocessor of a device keeps: the bytes that memory moves in the latency,
/// by its multiprocessors, and as much again, since a chunk that is being stored has its stage too. It is rounded down
/// to a power of two: more than enough makes copies wait for each other.
///
/// ```
/// use kernels_gpu::settings::bytes_in_flight;
/// use tma_launch::DeviceDescription;
///
/// assert_eq!(bytes_in_flight(&DeviceDescription::h100()), 64 << 10);
/// ```
pub fn bytes_in_flight(device: &DeviceDescription) -> u32 {
    let rate = u128::from(device.memory_bytes_per_second);
    let in_latency = rate * u128::from(LATENCY_NS) / 1_000_000_000;
    let bytes = 2 * in_latency / u128::from(device.multiprocessors.max(1));
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    let bytes = bytes.clamp(LEAST_BYTES, MOST_BYTES);
    1 << bytes.ilog2()
}

/// Returns the setting of a kernel.
pub(super) fn setting(kernel: Streaming, device: &DeviceDescription) -> Setting {
    let bytes = bytes_in_flight(device);
    match kernel {
        Streaming::CopyBulk => once(bytes / BLOCKS, 32),
        // Two vectors of 16 bytes for a thread.
        Streaming::AddOneBulk => once(bytes / BLOCKS, (bytes / BLOCKS / 32).max(32)),
        // One warp loads, and a thread of the others has 32 bytes. Of the bytes both Hoppers are fastest with three quarters.
        Streaming::AddOneRing if bytes < 32 << 10 => stages_of(4096, 2, bytes, 32 + 128),
        Streaming::AddOneRing => {
            let stages = (bytes / 8192 / 4 * 3).min(6);
            stages_of(4096, stages, bytes / 4 * 3, 32 + 128)
        }
        Streaming::CopyTile(Tile { bytes: tile, .. }) => stages_of(tile, 4, bytes, 32),
        // Two vectors of 16 bytes for a thread, or four where that would be too many.
        Streaming::AddOneTile(Tile { bytes: tile, .. }) => {
            let threads = match tile {
                0..=1023 => tile / 16,
                1024..=32768 => tile / 32,
                _ => tile / 64,
            };
            once(tile, threads)
        }
        Streaming::AddOneTileRing(Tile { bytes: tile, .. }) => {
            stages_of(tile, 4, bytes, 32 + tile / 64)
        }
        Streaming::PersistentTiles => stages_of(8192, 4, bytes, 32 + 256),
    }
}

/// Returns a block for each chunk.
fn once(chunk_bytes: u32, threads: u32) -> Setting {
    Setting {
        chunk_bytes,
        tiles: 1,
        stages: 1,
        blocks: None,
        threads,
    }
}

/// Returns `stages` stages, or two where there is no room for them, in the blocks that `bytes` requires.
fn stages_of(chunk_bytes: u32, stages: u32, bytes: u32, threads: u32) -> Setting {
    let chunks = bytes / chunk_bytes.max(1);
    let stages = if chunks < stages { 2 } else { stages };
    Setting {
        chunk_bytes,
        tiles: 1,
        stages,
        blocks: Some((chunks / stages).max(1)),
        threads,
    }
}

#[cfg(test)]
mod tests {
    use tensor_map::DataType;

    use super::*;

    fn device(gigabytes: u64, multiprocessors: u32) -> DeviceDescription {
        DeviceDescription {
            name: "a device".to_owned(),
            multiprocessors,
            memory_bytes_per_second: gigabytes.saturating_mul(1_000_000_000),
            l2_bytes: 1 << 20,
            multiprocessor_shared_bytes: 100 << 10,
        }
    }

    #[test]
    fn bytes_on_their_way_follow_the_rate_of_the_memory_for_each_multiprocessor() {
        let kib =
            |gigabytes, multiprocessors| bytes_in_flight(&device(gigabytes, multiprocessors)) >> 10;
        assert_eq!(kib(3352, 132), 64);
        assert_eq!(kib(4814, 132), 64);
        assert_eq!(kib(8000, 148), 128);
        assert_eq!(kib(1792, 170), 16);
        // Fields that a driver does not report.
        assert_eq!((kib(0, 0), kib(u64::MAX, 1)), (16, 128));
    }

    #[test]
    fn stages_and_blocks_make_up_the_bytes() {
        let tile = |bytes| Tile {
            element: DataType::I32,
            bytes,
        };
        for gigabytes in [0, 1000, 3352, 8000, 100_000] {
            let device = device(gigabytes, 132);
            let most = bytes_in_flight(&device);
            let once = setting(Streaming::CopyBulk, &device);
            assert_eq!((once.chunk_bytes * 32, once.blocks), (most, None));
            for kernel in [
                Streaming::AddOneRing,
                Streaming::CopyTile(tile(2048)),
                Streaming::AddOneTileRing(tile(8192)),
                Streaming::PersistentTiles,
            ] {
                let setting = setting(kernel, &device);
                let bytes = setting.chunk_bytes * setting.stages * setting.blocks.unwrap();
                assert!(bytes <= most && 2 * bytes > most, "{kernel:?}: {setting}");
            }
        }
    }

    #[test]
    fn a_tile_that_is_too_large_for_the_bytes_still_has_two_stages() {
        let device = device(0, 1);
        let large = Tile {
            element: DataType::F32,
            bytes: 65536,
        };
        let setting = setting(Streaming::CopyTile(large), &device);
        assert_eq!((setting.stages, setting.blocks), (2, Some(1)));
    }
}
