//! The timed work: a kernel or the driver's copy, and its launch.

use anyhow::{Context, Result, ensure};
use cust::sys;
use tma_host::{Argument, Buffer, Device, Function, Shape, Stream};

/// Repeatable work on the GPU.
pub(crate) enum Work<'m> {
    /// The driver's copy of these addresses.
    Copy { dst: u64, src: u64, bytes: u64 },
    /// A kernel. If it has a counter, zeroing it is part of each run.
    Kernel {
        function: Box<Function<'m>>,
        shape: Shape,
        values: Vec<Argument>,
        counter: Option<u64>,
    },
}

/// The contents of the L2 cache at the start of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum L2 {
    /// No useful lines.
    Cold,
    /// The lines left there by the same work.
    Warm,
}

impl Work<'_> {
    /// Starts the work after everything started before.
    pub(crate) fn start(&self, gpu: &Device) -> Result<()> {
        match self {
            Self::Copy { dst, src, bytes } => {
                let stream = stream(gpu)?;
                // SAFETY: both addresses belong to buffers of the arena, which are long enough and live longer than
                // the run; the stream is the GPU's, and its context is current.
                let code =
                    unsafe { sys::cuMemcpyDtoDAsync_v2(*dst, *src, *bytes as usize, stream) };
                succeed(code, "cuMemcpyDtoDAsync")
            }
            Self::Kernel {
                function,
                shape,
                values,
                counter,
            } => {
                if let Some(counter) = counter {
                    set(gpu, *counter, 0, 4)?;
                }
                // SAFETY: the cases satisfy each kernel's parameters (1) and conditions, so that it stays in the
                // arena's buffers (2), which live longer than the run (3) and are used in the order of one stream
                // (4).
                Ok(unsafe { function.launch(*shape, values.as_slice()) }?)
            }
        }
    }
}

/// Returns the driver's handle of the stream that kernels are launched on.
fn stream(gpu: &Device) -> Result<sys::CUstream> {
    let stream = gpu.stream().raw();
    Ok(stream.context("the emulator is not measured")?.cast())
}

/// Sets all bytes of a range whose size is a multiple of four.
pub(crate) fn set(gpu: &Device, address: u64, byte: u8, bytes: u64) -> Result<()> {
    let word = u32::from_ne_bytes([byte; 4]);
    let stream = stream(gpu)?;
    // SAFETY: the address belongs to a buffer of the arena, which is long enough and lives longer than the run; the
    // stream is the GPU's, and its context is current.
    let code = unsafe { sys::cuMemsetD32Async(address, word, bytes as usize / 4, stream) };
    succeed(code, "cuMemsetD32Async")
}

/// Reads words starting `from_bytes` bytes into a buffer.
pub(crate) fn read(buffer: &Buffer<u8>, from_bytes: u64, words: &mut [u32]) -> Result<()> {
    let len_bytes = size_of_val(words);
    ensure!(
        from_bytes + len_bytes as u64 <= buffer.len_bytes() as u64,
        "{len_bytes} bytes from {from_bytes} on are not in the buffer"
    );
    let from = buffer.address() + from_bytes;
    // SAFETY: the buffer has the bytes, as checked above, and so have the words; the call returns after they are
    // copied.
    let code = unsafe { sys::cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), from, len_bytes) };
    succeed(code, "cuMemcpyDtoH")
}

fn succeed(code: sys::CUresult, function: &str) -> Result<()> {
    ensure!(
        code == sys::CUresult::CUDA_SUCCESS,
        "{function} failed: {code:?}"
    );
    Ok(())
}

/// Measures times with the GPU's own clock.
pub(crate) struct Timer {
    gpu: Device,
    stream: Stream,
    /// A buffer much larger than the L2 cache; filling it also gives the host time to queue a run.
    flush: Buffer<u8>,
}

impl Timer {
    pub(crate) fn new(gpu: &Device, l2_bytes: u64) -> Result<Self> {
        Ok(Self {
            gpu: gpu.clone(),
            stream: gpu.stream(),
            flush: gpu.zeroed(16 * l2_bytes as usize)?,
        })
    }

    /// Fills the L2 cache with other data.
    pub(crate) fn flush(&self) -> Result<()> {
        set(
            &self.gpu,
            self.flush.address(),
            0,
            self.flush.len_bytes() as u64,
        )
    }

    /// Returns the milliseconds of one run.
    fn milliseconds(&self, work: &Work<'_>, l2: L2) -> Result<f64> {
        self.flush()?;
        if l2 == L2::Warm {
            work.start(&self.gpu)?;
        }
        let before = self.stream.record()?;
        work.start(&self.gpu)?;
        let after = self.stream.record()?;
        let elapsed = after.elapsed_since(&before);
        Ok(1e3 * elapsed.context("the run failed")?.as_secs_f64())
    }

    /// Returns the milliseconds of `rounds` runs of each, in alternation; a different one is first in each round.
    pub(crate) fn alternate(
        &self,
        works: &[&Work<'_>],
        l2: L2,
        rounds: usize,
    ) -> Result<Vec<Vec<f64>>> {
        const WARM_UPS: usize = 3;
        let mut times = vec![Vec::with_capacity(rounds); works.len()];
        for round in 0..WARM_UPS + rounds {
            for turn in 0..works.len() {
                let index = (round + turn) % works.len();
                let time = self.milliseconds(works[index], l2)?;
                if round >= WARM_UPS {
                    times[index].push(time);
                }
            }
        }
        Ok(times)
    }
}
