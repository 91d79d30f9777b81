//! The memory that is measured: a source with known numbers, a destination, and whether it holds what
//! it should.

use anyhow::{Result, bail, ensure};
use host::{DeviceBuffer, Gpu, Shape, Value};
use tensor_map::Tiled;

use crate::{
    cases::{
        Place,
        gather::{Dataset, datasets},
    },
    modules::Modules,
    work::{Work, set},
};

/// Buffers on the GPU.
pub(crate) struct Arena {
    pub(crate) src: DeviceBuffer<u8>,
    pub(crate) dst: DeviceBuffer<u8>,
    /// For tiles that are drawn.
    pub(crate) counter: DeviceBuffer<u32>,
    /// Where the boxes of each dataset are.
    pub(crate) positions: [DeviceBuffer<u32>; 2],
    /// Four for each thread of a gather.
    pub(crate) sums: DeviceBuffer<u32>,
    on_host: [Vec<u32>; 2],
    wrong: DeviceBuffer<u32>,
    first: DeviceBuffer<u64>,
}

/// What the destination must hold: `hash(index) * factor + addend` in each of its first `words` words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pub(crate) words: u64,
    pub(crate) factor: u32,
    pub(crate) addend: u32,
    /// Columns of the matrix, and of a tile, and rows of a tile, all powers of two, where a number's
    /// place in its tile is added.
    pub(crate) tiles: Option<[u32; 3]>,
    /// Whether the destination holds the source's numbers before.
    pub(crate) in_place: bool,
}

impl Pattern {
    /// Of `bytes` bytes, each number with `addend` added.
    pub(crate) fn plus(bytes: u64, addend: u32) -> Self {
        Self {
            words: bytes / 4,
            factor: 1,
            addend,
            tiles: None,
            in_place: false,
        }
    }
}

/// No number of a pattern but by chance.
const POISON: u8 = 0xa5;

impl Arena {
    /// Two buffers of `bytes` bytes, a power of two.
    pub(crate) fn new(gpu: &Gpu, modules: &Modules, bytes: u64) -> Result<Self> {
        let on_host = datasets(bytes).map(Dataset::positions);
        let [l2, memory] = &on_host;
        let threads = gpu.device().multiprocessors as usize * 2048;
        let arena = Self {
            positions: [gpu.upload(l2)?, gpu.upload(memory)?],
            sums: gpu.zeroed(4 * threads)?,
            on_host,
            src: gpu.zeroed(bytes as usize)?,
            dst: gpu.zeroed(bytes as usize)?,
            counter: gpu.zeroed(1)?,
            wrong: gpu.zeroed(1)?,
            first: gpu.zeroed(1)?,
        };
        fill(gpu, modules, &arena.src, bytes / 4)?;
        // A check that cannot fail would say nothing.
        let poisoned = Pattern::plus(bytes, 0);
        set(gpu, arena.dst.address(), POISON, bytes)?;
        let (wrong, _) = arena.count_wrong(gpu, modules, poisoned)?;
        ensure!(
            u64::from(wrong) >= poisoned.words / 1000 * 999,
            "the check finds {wrong} of {} poisoned words wrong",
            poisoned.words
        );
        Ok(arena)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.src.len_bytes() as u64
    }

    /// Where cases run, given what makes maps.
    pub(crate) fn place<'a>(
        &self,
        gpu: &Gpu,
        encode: &'a dyn Fn(Tiled, u64) -> Result<Value>,
    ) -> Place<'a> {
        Place {
            multiprocessors: gpu.device().multiprocessors,
            bytes: self.bytes(),
            src: self.src.address(),
            dst: self.dst.address(),
            counter: self.counter.address(),
            positions: self.positions.each_ref().map(DeviceBuffer::address),
            sums: self.sums.address(),
            encode,
        }
    }

    /// Runs it once, and compares.
    pub(crate) fn check(
        &self,
        gpu: &Gpu,
        modules: &Modules,
        work: &Work<'_>,
        pattern: Pattern,
    ) -> Result<()> {
        if pattern.in_place {
            fill(gpu, modules, &self.dst, pattern.words)?;
        } else {
            set(gpu, self.dst.address(), POISON, self.bytes())?;
        }
        work.start(gpu)?;
        let (wrong, first) = self.count_wrong(gpu, modules, pattern)?;
        ensure!(
            wrong == 0,
            "{wrong} of {} words are wrong, the first at {first}",
            pattern.words
        );
        Ok(())
    }

    /// What a gather from this dataset by so many warps gives.
    pub(crate) fn sums_of(&self, dataset: usize, warps: u32) -> Vec<u32> {
        datasets(self.bytes())[dataset].sums(&self.on_host[dataset], warps)
    }

    /// Runs it once, and compares its sums.
    pub(crate) fn check_sums(&self, gpu: &Gpu, work: &Work<'_>, expected: &[u32]) -> Result<()> {
        set(
            gpu,
            self.sums.address(),
            POISON,
            self.sums.len_bytes() as u64,
        )?;
        work.start(gpu)?;
        let got = self.sums.read()?;
        let wrong = got
            .iter()
            .zip(expected)
            .position(|(got, expected)| got != expected);
        match wrong {
            None => Ok(()),
            Some(place) => bail!("sum {place} of {} is wrong", expected.len()),
        }
    }

    fn count_wrong(&self, gpu: &Gpu, modules: &Modules, pattern: Pattern) -> Result<(u32, u64)> {
        set(gpu, self.wrong.address(), 0, 4)?;
        set(gpu, self.first.address(), 0xff, 8)?;
        let [width, tile_width, tile_height] = pattern.tiles.unwrap_or([0, 1, 1]);
        let arguments = (
            &self.dst,
            pattern.words,
            pattern.factor,
            pattern.addend,
            width,
            tile_width,
            tile_height,
            &self.wrong,
            &self.first,
        );
        let check = modules.helpers.function("check")?;
        // SAFETY: the kernel takes these (1) and reads the words of the destination, which has them
        // (2); the buffers are read below, which waits (3, 4).
        unsafe { check.launch(everywhere(gpu), arguments) }?;
        Ok((self.wrong.read()?[0], self.first.read()?[0]))
    }
}

/// Writes the numbers of the pattern.
pub(crate) fn fill(
    gpu: &Gpu,
    modules: &Modules,
    buffer: &DeviceBuffer<u8>,
    words: u64,
) -> Result<()> {
    let function = modules.helpers.function("fill")?;
    let values = [Value::address(buffer.address()), Value::scalar(words)];
    // SAFETY: the kernel takes these (1) and writes so many words of the buffer, which has them (2);
    // the buffer outlives the run, which is ordered with all others by the stream (3, 4).
    Ok(unsafe { function.launch(everywhere(gpu), values.as_slice()) }?)
}

fn everywhere(gpu: &Gpu) -> Shape {
    Shape::new(8 * gpu.device().multiprocessors, 256)
}

/// What stands at a place of the source, as the helpers' kernel has it.
pub(crate) fn hash(index: u64) -> u32 {
    let mut word = (index as u32).wrapping_mul(0x9e37_79b1) ^ (index >> 32) as u32;
    word ^= word >> 15;
    word = word.wrapping_mul(0x85eb_ca77);
    word ^ (word >> 13)
}
