//! The memory of the measurements: a source with known numbers, a destination, and checks of its contents.

use std::thread;

use anyhow::{Result, bail, ensure};
use tensor_map::{Params, TensorMap};
use tma_host::{Argument, Buffer, Device, DeviceDescription, Shape};

use crate::{
    case::{Expected, Run, Words},
    cases::{
        gather::{Dataset, datasets},
        guide,
    },
    modules::Modules,
    pattern::Pattern,
    setup::Setup,
    work::{Work, read, set},
};

/// Buffers on the GPU.
pub(crate) struct Arena {
    pub(crate) src: Buffer<u8>,
    pub(crate) dst: Buffer<u8>,
    /// Counter for dynamically scheduled tiles.
    pub(crate) counter: Buffer<u32>,
    /// The positions of the boxes of each dataset.
    pub(crate) positions: [Buffer<u32>; 2],
    /// Four sums for each thread of a gather.
    pub(crate) sums: Buffer<u32>,
    /// The buffers of guide kernels besides source and destination.
    inputs: [Buffer<u8>; guide::INPUTS],
    on_host: [Vec<u32>; 2],
    wrong: Buffer<u32>,
    first: Buffer<u64>,
}

/// A byte that patterns contain only by chance.
const POISON: u8 = 0xa5;

impl Arena {
    /// Allocates two buffers of `bytes` bytes, a power of two.
    pub(crate) fn new(gpu: &Device, modules: &Modules, bytes: u64) -> Result<Self> {
        let on_host = datasets(bytes).map(Dataset::positions);
        let [l2, memory] = &on_host;
        let threads = gpu.multiprocessors() as usize * 2048;
        let arena = Self {
            positions: [gpu.upload(l2)?, gpu.upload(memory)?],
            sums: gpu.zeroed(4 * threads)?,
            inputs: uploaded(gpu, bytes)?,
            on_host,
            src: gpu.zeroed(bytes as usize)?,
            dst: gpu.zeroed(bytes as usize)?,
            counter: gpu.zeroed(1)?,
            wrong: gpu.zeroed(1)?,
            first: gpu.zeroed(1)?,
        };
        fill(gpu, modules, &arena.src, bytes / 4)?;
        // Makes sure that the check can fail.
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

    /// Returns the addresses and properties that cases use, given the GPU's description and an encoder of maps.
    pub(crate) fn setup<'a>(
        &self,
        gpu: &Device,
        device: &'a DeviceDescription,
        encode: &'a dyn Fn(Params, u64) -> Result<TensorMap>,
    ) -> Setup<'a> {
        Setup {
            device,
            block_shared_bytes: gpu.limits().shared_bytes,
            bytes: self.bytes(),
            src: self.src.address(),
            dst: self.dst.address(),
            counter: self.counter.address(),
            positions: self.positions.each_ref().map(Buffer::address),
            sums: self.sums.address(),
            encode,
            buffers: self.buffers().map(|buffer| buffer.address()),
        }
    }

    /// Returns the buffers of guide kernels by index.
    fn buffers(&self) -> [&Buffer<u8>; guide::BUFFERS] {
        let mut buffers = [&self.src; guide::BUFFERS];
        buffers[guide::DST] = &self.dst;
        for (slot, buffer) in buffers[guide::FIRST_INPUT..].iter_mut().zip(&self.inputs) {
            *slot = buffer;
        }
        buffers
    }

    /// Runs the work once, and compares the result.
    pub(crate) fn check(
        &self,
        gpu: &Device,
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

    /// Returns the sums of a gather from this dataset by `warps` warps.
    pub(crate) fn sums_of(&self, dataset: usize, warps: u32) -> Vec<u32> {
        datasets(self.bytes())[dataset].sums(&self.on_host[dataset], warps)
    }

    /// Runs the work once, and compares its sums.
    pub(crate) fn check_sums(&self, gpu: &Device, work: &Work<'_>, expected: &[u32]) -> Result<()> {
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
            Some(index) => bail!("sum {index} of {} is wrong", expected.len()),
        }
    }

    /// Runs the work once, and compares the beginning of the destination.
    pub(crate) fn check_words(
        &self,
        gpu: &Device,
        modules: &Modules,
        work: &Work<'_>,
        words: &Words,
    ) -> Result<()> {
        let byte = if words.from_zero { 0 } else { POISON };
        for index in &words.written {
            let buffer = self.buffers()[*index];
            set(gpu, buffer.address(), byte, buffer.len_bytes() as u64)?;
        }
        let other = |run: &Run| -> Result<()> {
            let other = Work::Kernel {
                function: modules.kernels.function(&run.entry)?.into(),
                shape: run.shape,
                values: run.values.clone(),
                counter: None,
            };
            other.start(gpu)
        };
        words.before.as_ref().map(other).transpose()?;
        work.start(gpu)?;
        words.after.as_ref().map(other).transpose()?;
        gpu.synchronise()?;
        let mut got = vec![0; words.count.min(READ_AT_ONCE) as usize];
        let mut first = 0;
        while first < words.count {
            let count = (words.count - first).min(READ_AT_ONCE) as usize;
            read(&self.dst, 4 * first, &mut got[..count])?;
            if let Some(index) = first_wrong(&got[..count], first, &words.expected) {
                let (got, expected) = (got[(index - first) as usize], (words.expected)(index));
                bail!(
                    "word {index} of {} is {got:#x} in place of {expected:#x}",
                    words.count
                );
            }
            first += count as u64;
        }
        Ok(())
    }

    fn count_wrong(&self, gpu: &Device, modules: &Modules, pattern: Pattern) -> Result<(u32, u64)> {
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

/// Number of words to read back and compare at a time.
const READ_AT_ONCE: u64 = 1 << 26;

fn uploaded(gpu: &Device, bytes: u64) -> Result<[Buffer<u8>; guide::INPUTS]> {
    let mut buffers = Vec::new();
    for input in guide::inputs(bytes)? {
        buffers.push(gpu.upload(&input)?);
    }
    let count = buffers.len();
    buffers
        .try_into()
        .map_err(|_| anyhow::anyhow!("there are {count} inputs"))
}

/// Returns the index of the first wrong word; `first` is the index of the first word in `got`.
fn first_wrong(got: &[u32], first: u64, expected: &Expected) -> Option<u64> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = got.len().div_ceil(workers).max(1);
    thread::scope(|scope| {
        let workers: Vec<_> = got
            .chunks(share)
            .enumerate()
            .map(|(worker, words)| {
                let first = first + (worker * share) as u64;
                let is_wrong =
                    move |index: &usize| words[*index] != expected(first + *index as u64);
                scope.spawn(move || {
                    let index = (0..words.len()).find(is_wrong)?;
                    Some(first + index as u64)
                })
            })
            .collect();
        let found = workers.into_iter().map(|worker| worker.join());
        // A worker that panics met an error without a kind.
        found
            .map(|found| found.unwrap_or(Some(first)))
            .fold(None, |a, b| a.or(b))
    })
}

/// Writes the numbers of the pattern.
pub(crate) fn fill(gpu: &Device, modules: &Modules, buffer: &Buffer<u8>, words: u64) -> Result<()> {
    let function = modules.helpers.function("fill")?;
    let values = [Argument::Address(buffer.address()), Argument::scalar(words)];
    // SAFETY: the kernel takes these arguments (1) and writes `words` words of the buffer, which is long enough
    // (2); it outlives the run, and the stream orders the run with all others (3, 4).
    Ok(unsafe { function.launch(everywhere(gpu), values.as_slice()) }?)
}

fn everywhere(gpu: &Device) -> Shape {
    Shape::new(8 * gpu.multiprocessors(), 256)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::pattern::hash;

    #[test]
    fn the_first_wrong_word_is_found() {
        let expected: Expected = Arc::new(hash);
        let mut words: Vec<u32> = (700..1700).map(hash).collect();
        assert_eq!(first_wrong(&words, 700, &expected), None);
        for index in [999, 500, 501] {
            words[index] ^= 1;
        }
        assert_eq!(first_wrong(&words, 700, &expected), Some(1200));
        assert_eq!(first_wrong(&words, 701, &expected), Some(701));
        assert_eq!(first_wrong(&[], 700, &expected), None);
    }
}
