//! Runs every setting on the emulator, and checks the results of kernels and CUDA versions.

use kernels_gpu::{
    add_one_bulk::AddOneBulk, add_one_ring::AddOneRing, add_one_tile::AddOneTile,
    add_one_tile_ring::AddOneTileRing, copy_bulk::CopyBulk, copy_tile::CopyTile, settings::Tile,
};
use tensor_map::{TensorMap, Tiled};
use tma_emulator::EmulatorBackend;
use tma_launch::{Buffer, DeviceDescription, Job, Launch, Ptx};

use super::*;
use crate::{modules::entries, of_both::of_both, pattern::hash};

/// Returns a device for few blocks, so that each has several chunks.
fn device() -> DeviceDescription {
    DeviceDescription {
        multiprocessors: 1,
        ..DeviceDescription::h100()
    }
}

/// A length that is not a multiple of any chunk.
const BYTES: u64 = (200 << 10) + 48;

/// Tiles of 64 rows; the last ones are partly out of bounds.
fn map(tile: Tile) -> Tiled {
    let columns = tile.bytes / 64 / tile.element.bytes() as u32;
    TensorMap::tiled(tile.element, &[3 * u64::from(columns) - 8, 200]).box_dims(&[columns, 64])
}

/// Returns the launch, the number of bytes it writes, and the number it adds to each word.
fn launch(kernel: Streaming, setting: Setting) -> (Launch, u64, u32) {
    let device = &device();
    let bytes_of =
        |map: &Tiled| map.tensor.dims.iter().product::<u64>() * map.tensor.data_type.bytes();
    let (launch, bytes, addend) = match kernel {
        Streaming::CopyBulk => {
            let copy = CopyBulk {
                len_bytes: BYTES,
                ..CopyBulk::default()
            };
            (copy.set(setting, device).launch(), BYTES, 0)
        }
        Streaming::AddOneBulk => {
            let add = AddOneBulk {
                len_bytes: BYTES,
                ..AddOneBulk::default()
            };
            (add.set(setting, device).launch(), BYTES, 1)
        }
        Streaming::AddOneRing => {
            let add = AddOneRing {
                len_bytes: BYTES,
                ..AddOneRing::default()
            };
            (add.set(setting, device).launch(), BYTES, 1)
        }
        Streaming::CopyTile(tile) => {
            let copy = CopyTile::of(map(tile)).set(setting, device);
            (copy.launch(), bytes_of(&copy.map), 0)
        }
        Streaming::AddOneTile(tile) => {
            let add = AddOneTile::of(map(tile)).set(setting, device);
            (add.launch(), bytes_of(&add.map), 1)
        }
        Streaming::AddOneTileRing(tile) => {
            let add = AddOneTileRing::of(map(tile)).set(setting, device);
            (add.launch(), bytes_of(&add.map), 1)
        }
        Streaming::PersistentTiles => panic!("the rows of the guide's kernels have it"),
    };
    let launch = launch.unwrap_or_else(|refused| panic!("{kernel:?}, {setting}: {refused}"));
    (launch, bytes, addend)
}

fn subjects() -> impl Iterator<Item = Subject> {
    let tile = |element, bytes| Tile { element, bytes };
    let tiles = [
        Streaming::CopyTile(tile(DataType::Bf16, 8192)),
        Streaming::AddOneTile(tile(DataType::I32, 8192)),
        Streaming::AddOneTileRing(tile(DataType::I32, 16384)),
    ];
    let bulk = [
        Streaming::CopyBulk,
        Streaming::AddOneBulk,
        Streaming::AddOneRing,
    ];
    let tiles = tiles.map(Subject::Bulk);
    bulk.map(Subject::Bulk).into_iter().chain(tiles)
}

fn every_setting_writes_what_is_expected(text: &str) {
    // Only the kernels that settings launch, since each job parses them.
    let text = &entries(text, is_entry).unwrap();
    let words = (BYTES / 4) as usize + 16;
    let source: Vec<u32> = (0..words as u64).map(hash).collect();
    for subject in subjects() {
        let kernel = subject.kernel();
        let mut settings = subject.settings();
        settings.push(kernel.by_rule(&device()));
        for setting in settings {
            let (launch, bytes, addend) = launch(kernel, setting);
            let mut job = Job {
                further: Vec::new(),
                ptx: Ptx {
                    name: "module",
                    text,
                },
                buffers: vec![
                    Buffer::new("destination", &vec![7_u32; words]),
                    Buffer::new("source", &source),
                    Buffer::zeroed::<u32>("counter", 1),
                ],
                launches: vec![launch],
            };
            let outcome = EmulatorBackend::new(5).run(&mut job);
            outcome.unwrap_or_else(|wrong| panic!("{kernel:?}, {setting}: {wrong}"));
            let got = job.buffers[0].to_vec::<u32>().unwrap();
            let (own, rest) = got.split_at((bytes / 4) as usize);
            let expected = source.iter().map(|word| word.wrapping_add(addend));
            assert!(
                own.iter().copied().eq(expected.take(own.len())),
                "{kernel:?}, {setting}"
            );
            assert!(
                rest.iter().all(|word| *word == 7),
                "{kernel:?}, {setting} writes more"
            );
        }
    }
}

of_both! {
    every_setting_writes_what_is_expected = kernels;
}
