//! The rows, and their expected results.

use std::sync::{Arc, OnceLock};

use anyhow::Result;
use kernels_gpu::{
    Matrix,
    consume_map::ConsumeMap,
    conv_im2col::{ConvIm2col, ConvIm2colForm},
    encode_map::EncodeMap,
    gather_rows::{self, GatherRows},
    histogram::{self, Histogram, HistogramForm},
    hwc_tile::HwcTileLanes,
    multicast_tile::{MulticastTile, MulticastTileForm},
    persistent_tiles::PersistentTiles,
    prefetch::Prefetch,
    producer_consumer::{ProducerConsumer, ProducerConsumerForm},
    ring::{self, Ring},
    settings::{Setting, Streaming},
    stencil::{Stencil, StencilForm},
    transpose::{Transpose, TransposeForm},
};
use tma_launch::{DeviceDescription, Launch, Violations};

use super::{
    DST, Ported,
    buffers::{
        CENTER, COORDS, FIELDS, FILTERS, INDICES, LEFT, MAP_TENSOR_BYTES, MAPS, RIGHT, SRC, Sizes,
    },
    counted,
    inputs::{IMAGE, row, small, tile},
    products,
};
use crate::{
    case::{Amount, Reference},
    limit::Needs,
    pattern::hash,
    setup::kept,
    work::L2,
};

/// Returns all rows for a source and destination of `bytes` bytes, a power of two, and shared memory for `stages`
/// stages of a product.
pub(crate) fn all(device: &DeviceDescription, stages: u32, bytes: u64) -> Result<Vec<Ported>> {
    let multiprocessors = device.multiprocessors;
    let setting = Streaming::PersistentTiles.setting(device);
    let mut rows = vec![
        stencil(StencilForm::Loads, bytes)?,
        stencil(StencilForm::Threads, bytes)?,
        stencil(StencilForm::Block, bytes)?,
        stencil(StencilForm::Groups, bytes)?,
        stencil(StencilForm::Bulk, bytes)?,
        prefetch(4, 512, 4, multiprocessors, bytes)?,
        prefetch(8, 1024, 2, multiprocessors, bytes)?,
        producer_consumer(ProducerConsumerForm::Ring, multiprocessors, bytes)?,
        producer_consumer(ProducerConsumerForm::Barriers, multiprocessors, bytes)?,
        ring(multiprocessors, bytes)?,
        encode_map(bytes)?,
        consume_map(bytes)?,
        persistent_tiles(device, setting, bytes)?,
        transpose(TransposeForm::Tile, bytes)?,
        transpose(TransposeForm::Wide, bytes)?,
        gather_rows(bytes)?,
        hwc_tile(bytes)?,
        multicast_tile(MulticastTileForm::Tile, bytes)?,
        multicast_tile(MulticastTileForm::Tiles, bytes)?,
        histogram(HistogramForm::Block, multiprocessors, bytes)?,
        histogram(HistogramForm::Lanes, multiprocessors, bytes)?,
        conv_im2col(ConvIm2colForm::Result, bytes)?,
        conv_im2col(ConvIm2colForm::Results, bytes)?,
    ];
    for row in &mut rows {
        let kib = row.amount.bytes() as f64 / 1024.0;
        row.needs.counted = counted::of(&row.launch.entry).times(kib);
    }
    rows.extend(products::rows(multiprocessors, stages, bytes)?);
    Ok(rows)
}

/// Creates a row that reads and writes the same number of bytes, and compares all of them.
fn guide(
    kernel: &'static str,
    variant: String,
    launch: Result<Launch, Violations>,
    words: u64,
    expected: impl Fn(u64) -> u32 + Send + Sync + 'static,
) -> Result<Ported> {
    Ok(Ported {
        kernel,
        variant,
        launch: kept(launch)?,
        amount: Amount::Bytes(8 * words),
        needs: Needs::memory(8 * words),
        l2: L2::Cold,
        words,
        expected: Arc::new(expected),
        written: vec![DST],
        from_zero: false,
        before: None,
        after: None,
        reference: Reference::DriverCopy,
    })
}

fn stencil(form: StencilForm, bytes: u64) -> Result<Ported> {
    let blocks = Sizes::of(bytes).blocks;
    let launch = Stencil {
        form,
        left: LEFT,
        center: CENTER,
        right: RIGHT,
        output: DST,
        blocks,
        threads: match form {
            StencilForm::Bulk => 256,
            _ => 32,
        },
    };
    let expected = |index: u64| {
        let (block, index) = (index / 32, index % 32);
        let number = |index: u64| match index {
            0..8 => small(LEFT, 8 * block + index),
            8..40 => small(CENTER, 32 * block + index - 8),
            _ => small(RIGHT, 8 * block + index - 40),
        };
        (index..index + 17).map(number).sum::<f32>().to_bits()
    };
    let variant = format!("{form:?}").to_lowercase();
    let words = 32 * u64::from(blocks);
    let moved_bytes = u64::from(blocks) * 4 * (8 + 32 + 8 + 32);
    Ok(Ported {
        amount: Amount::Bytes(moved_bytes),
        needs: Needs::memory(moved_bytes),
        ..guide("stencil", variant, launch.launch(), words, expected)?
    })
}

fn prefetch(
    stages: u32,
    threads: u32,
    of_multiprocessor: u32,
    multiprocessors: u32,
    bytes: u64,
) -> Result<Ported> {
    let blocks = of_multiprocessor * multiprocessors;
    let round = u64::from(threads) * u64::from(blocks);
    let batches = bytes / 4 / round;
    let launch = Prefetch {
        stages,
        output: DST,
        input: SRC,
        batches: batches as u32,
        blocks,
        threads,
    };
    let expected = move |index: u64| {
        let threads = u64::from(threads);
        let next = index / threads * threads + (index % threads + 1) % threads;
        hash(index).wrapping_mul(3).wrapping_add(hash(next))
    };
    let variant = format!("{stages} stages, {threads} threads x {of_multiprocessor}");
    guide(
        "prefetch",
        variant,
        launch.launch(),
        batches * round,
        expected,
    )
}

/// Returns `2 * x + 1` of the number in the source, whose bits are arbitrary; the device produces a single NaN.
fn twice_and_one(index: u64) -> u32 {
    let number = 2.0 * f32::from_bits(hash(index)) + 1.0;
    if number.is_nan() {
        0x7fff_ffff
    } else {
        number.to_bits()
    }
}

fn producer_consumer(
    form: ProducerConsumerForm,
    multiprocessors: u32,
    bytes: u64,
) -> Result<Ported> {
    const OF_MULTIPROCESSOR: u32 = 8;
    const BUFFER: u32 = 1024;
    let blocks = OF_MULTIPROCESSOR * multiprocessors;
    let round = u64::from(BUFFER * blocks);
    let batches = bytes / 4 / round;
    let launch = ProducerConsumer {
        form,
        input: SRC,
        output: DST,
        batches: batches as u32,
        buffer_len: BUFFER,
        blocks,
        threads: 160,
    };
    let variant = format!("{form:?}, 4 KiB x {OF_MULTIPROCESSOR}").to_lowercase();
    guide(
        "producer_consumer",
        variant,
        launch.launch(),
        batches * round,
        twice_and_one,
    )
}

fn ring(multiprocessors: u32, bytes: u64) -> Result<Ported> {
    const THREADS: u32 = 1024;
    let rounds = (bytes >> 23).clamp(3, 512) as u32;
    let clusters = (multiprocessors / ring::BLOCKS).max(1);
    let launch = Ring {
        output: DST,
        rounds,
        clusters,
        threads: THREADS,
    };
    let expected = move |index: u64| {
        let (number, threads) = (index as u32, THREADS);
        let (block, thread) = (number / threads, number % threads);
        let (cluster, rank) = (block / ring::BLOCKS, block % ring::BLOCKS);
        // The block whose initial number arrives here after all rounds.
        let first = (rank + rounds * (ring::BLOCKS - 1)) % ring::BLOCKS;
        (cluster * ring::BLOCKS + first) * threads + thread + rounds
    };
    let words = u64::from(clusters * ring::BLOCKS * THREADS);
    let variant = format!("{rounds} rounds of {clusters} clusters");
    Ok(Ported {
        amount: Amount::Sent(4 * words * u64::from(rounds)),
        needs: Needs::memory(4 * words),
        reference: Reference::Nothing,
        ..guide("ring", variant, launch.launch(), words, expected)?
    })
}

/// Makes maps, and uses them.
fn maps(bytes: u64) -> (Sizes, EncodeMap, ConsumeMap) {
    let sizes = Sizes::of(bytes);
    let encode = EncodeMap {
        template: true,
        fields: FIELDS,
        tensors: SRC,
        maps: MAPS,
        count: sizes.maps,
    };
    let consume = ConsumeMap {
        rank: 2,
        maps: MAPS,
        output: DST,
        coords: [128, 4],
        count: sizes.maps,
        threads: 128,
    };
    (sizes, encode, consume)
}

/// Returns the word that [`ConsumeMap`] loads: 128 by 4 bytes of each tensor, from column 128 and row 4 on.
fn loaded(index: u64) -> u32 {
    let (map, word) = (index / 128, index % 128);
    let (row, column) = (4 + word / 32, 32 + word % 32);
    hash((map * MAP_TENSOR_BYTES + row * 256) / 4 + column)
}

fn encode_map(bytes: u64) -> Result<Ported> {
    let (sizes, encode, consume) = maps(bytes);
    let maps = u64::from(sizes.maps);
    let variant = format!("{maps} maps");
    Ok(Ported {
        amount: Amount::Bytes(maps * (104 + 128)),
        needs: Needs::memory(maps * (104 + 128)),
        // The maps are correct if the data loaded through them is.
        written: vec![DST, MAPS],
        after: Some(kept(consume.launch())?),
        reference: Reference::Nothing,
        ..guide("encode_map", variant, encode.launch(), 128 * maps, loaded)?
    })
}

fn consume_map(bytes: u64) -> Result<Ported> {
    let (sizes, encode, consume) = maps(bytes);
    let maps = u64::from(sizes.maps);
    let variant = format!("{maps} maps");
    Ok(Ported {
        // The bytes of a map, and of the data loaded and stored through it.
        needs: Needs::memory(maps * (128 + 2 * 512)),
        before: Some(kept(encode.launch())?),
        reference: Reference::Nothing,
        ..guide("consume_map", variant, consume.launch(), 128 * maps, loaded)?
    })
}

/// Returns a matrix of `bytes` bytes, a power of two, of roughly equal width and height.
fn square(bytes: u64) -> Matrix {
    let words = bytes / 4;
    let width = 1 << words.ilog2().div_ceil(2);
    Matrix::packed(width as usize, (words / width) as usize)
}

pub(crate) fn persistent_tiles(
    device: &DeviceDescription,
    setting: Setting,
    bytes: u64,
) -> Result<Ported> {
    let launch = PersistentTiles {
        source: SRC,
        target: DST,
        ..PersistentTiles::of(square(bytes))
    };
    let Setting {
        stages, threads, ..
    } = setting;
    let blocks = setting.blocks.unwrap_or(0);
    guide(
        "persistent_tiles",
        format!("f32 64x32 x {stages} x {blocks}, {threads} threads"),
        launch.set(setting, device).launch(),
        bytes / 4,
        twice_and_one,
    )
}

fn transpose(form: TransposeForm, bytes: u64) -> Result<Ported> {
    let source = square(bytes);
    let launch = Transpose {
        form,
        source,
        source_data: SRC,
        target_pitch: source.height,
        target_data: DST,
    };
    let [width, height] = [source.width, source.height].map(|side| side as u64);
    let expected = move |index: u64| hash(index % height * width + index / height);
    let variant = match form {
        TransposeForm::Tile => format!("32-bit {width}x{height}"),
        TransposeForm::Wide => format!("32-bit {width}x{height}, 64x64 tiles"),
    };
    guide("transpose", variant, launch.launch(), bytes / 4, expected)
}

fn gather_rows(bytes: u64) -> Result<Ported> {
    let sizes = Sizes::of(bytes);
    let launch = GatherRows {
        table: SRC,
        table_rows: sizes.table_rows,
        indices: INDICES,
        output: DST,
        rows: sizes.rows,
    };
    let len = gather_rows::ROW as u64;
    let expected = move |index: u64| hash(row(sizes, index / len) * len + index % len);
    let words = u64::from(sizes.rows) * len;
    let variant = format!("{} rows of 256 B", sizes.rows);
    guide("gather_rows", variant, launch.launch(), words, expected)
}

fn hwc_tile(bytes: u64) -> Result<Ported> {
    let sizes = Sizes::of(bytes);
    let launch = HwcTileLanes {
        image: IMAGE,
        data: SRC,
        coords: COORDS,
        output: DST,
        tiles: sizes.tiles,
    };
    let expected = |index: u64| {
        let ([x, y], pixel) = (tile(index / 64), index % 64 / 16);
        let pixel = (y + pixel / 2) * IMAGE.width as u64 + x + pixel % 2;
        hash(pixel * 16 + index % 16)
    };
    let tiles = u64::from(sizes.tiles);
    Ok(Ported {
        amount: Amount::Boxes(tiles),
        // The image stays in the cache; coordinates are read from memory, and tiles are written to it.
        needs: Needs {
            l2_bytes: (256 * tiles) as f64,
            ..Needs::memory(tiles * (8 + 256))
        },
        l2: L2::Warm,
        reference: Reference::Nothing,
        ..guide(
            "hwc_tile",
            format!("{tiles} tiles by 8 lanes"),
            launch.launch(),
            64 * tiles,
            expected,
        )?
    })
}

fn multicast_tile(form: MulticastTileForm, bytes: u64) -> Result<Ported> {
    const TILE: u64 = 64 * 32;
    let clusters = bytes / 4 / (4 * 4 * TILE);
    let width = 64 * clusters;
    let launch = MulticastTile {
        form,
        matrix: Matrix::packed(width as usize, 32),
        data: SRC,
        output: DST,
        origin: [0, 0],
        clusters: clusters as u32,
        threads: match form {
            MulticastTileForm::Tile => 256,
            MulticastTileForm::Tiles => 128,
        },
    };
    let expected = move |index: u64| {
        let (block, row, column) = (index / TILE, index % TILE / 64, index % 64);
        let number = hash(row * width + block / 4 * 64 + column);
        number.wrapping_add((block % 4) as u32)
    };
    let words = 4 * TILE * clusters;
    let variant = match form {
        MulticastTileForm::Tile => format!("{clusters} clusters of 4"),
        MulticastTileForm::Tiles => format!("{clusters} tiles, 4 for a cluster of 4"),
    };
    Ok(Ported {
        // Each tile is read once and written by each block.
        amount: Amount::Bytes(words + 4 * words),
        needs: Needs::memory(words + 4 * words),
        reference: Reference::Nothing,
        ..guide("multicast_tile", variant, launch.launch(), words, expected)?
    })
}

fn histogram(form: HistogramForm, multiprocessors: u32, bytes: u64) -> Result<Ported> {
    let len = (bytes / 16) as u32;
    let launch = Histogram {
        form,
        data: SRC,
        len,
        counts: DST,
        // The number of blocks resident at once.
        blocks: multiprocessors
            * match form {
                HistogramForm::Block => 4,
                HistogramForm::Lanes => 2,
            },
        threads: 512,
    };
    let counts = OnceLock::new();
    let count = move || {
        let mut counts = [0_u32; histogram::BINS];
        for word in 0..u64::from(len / 4) {
            for byte in hash(word).to_le_bytes() {
                counts[usize::from(byte)] += 1;
            }
        }
        counts
    };
    let expected = move |index: u64| counts.get_or_init(count)[index as usize];
    Ok(Ported {
        amount: Amount::Bytes(len.into()),
        needs: Needs::memory(len.into()),
        from_zero: true,
        reference: Reference::Nothing,
        ..guide(
            "histogram",
            match form {
                HistogramForm::Block => format!("{} KiB", len / 1024),
                HistogramForm::Lanes => format!("{} KiB, by lanes", len / 1024),
            },
            launch.launch(),
            histogram::BINS as u64,
            expected,
        )?
    })
}

fn conv_im2col(form: ConvIm2colForm, bytes: u64) -> Result<Ported> {
    let Sizes {
        images, image_side, ..
    } = Sizes::of(bytes);
    let launch = ConvIm2col {
        form,
        images,
        height: image_side,
        width: image_side,
        padding: 1,
        data: CENTER,
        filters: FILTERS,
        output: DST,
    };
    let side = u64::from(image_side);
    let expected = move |index: u64| {
        let (pixel, filter) = (index / 8, index % 8);
        let (column, row, image) = (pixel % side, pixel / side % side, pixel / side / side);
        let mut sum = 0.0;
        for tap in 0..9 {
            // The offset of one is the padding.
            let (x, y) = (column + tap % 3, row + tap / 3);
            if !(1..=side).contains(&x) || !(1..=side).contains(&y) {
                continue;
            }
            let first = ((image * side + y - 1) * side + x - 1) * 16;
            let weights = (filter * 9 + tap) * 16;
            for channel in 0..16 {
                sum += small(CENTER, first + channel) * small(FILTERS, weights + channel);
            }
        }
        f32::to_bits(sum)
    };
    let pixels = u64::from(images) * side * side;
    Ok(Ported {
        amount: Amount::Bytes(4 * pixels * (16 + 8)),
        needs: Needs::memory(4 * pixels * (16 + 8)),
        reference: Reference::Nothing,
        ..guide(
            "conv_im2col",
            match form {
                ConvIm2colForm::Result => format!("{images} images of {side}x{side}"),
                ConvIm2colForm::Results => {
                    format!("{images} images of {side}x{side}, 3 results a thread")
                }
            },
            launch.launch(),
            8 * pixels,
            expected,
        )?
    })
}
