use anyhow::{Context, Error, Result, ensure};
use cust::sys;
use kernels_host::Peers;
use tma_host::{Buffer, Device, Stream};

use crate::{
    nccl::{Collective, Communicators, Rank},
    statistics::Spread,
};

/// Number of calls in a timed run.
const CALLS: u32 = 4;

/// Two GPUs, and what is measured on them.
pub(crate) struct Bench<'a> {
    pub(crate) devices: [&'a Device; 2],
    pub(crate) nccl: Option<Communicators>,
    streams: [Stream; 2],
    /// Filling these buffers gives the host time to queue a run.
    hold: [Buffer<u8>; 2],
    runs: usize,
}

/// The implementation of a call.
#[derive(Clone, Copy)]
pub(crate) enum Who<'a> {
    Ours(&'a Peers),
    Nccl(&'a Communicators),
    /// The driver's copy of the same number of bytes.
    Copy,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(
        devices: [&'a Device; 2],
        nccl: Option<Communicators>,
        runs: usize,
    ) -> Result<Self> {
        let [first, second] = devices;
        Ok(Self {
            devices,
            nccl,
            streams: [first.stream(), second.stream()],
            hold: [first.zeroed(1 << 30)?, second.zeroed(1 << 30)?],
            runs,
        })
    }

    /// Returns the microseconds of a call by each implementation, in alternation.
    pub(crate) fn medians(
        &self,
        all: &[Who<'_>],
        call: Collective,
        bytes: u64,
    ) -> Result<Vec<f64>> {
        const WARM_UPS: usize = 3;
        let [first, second] = self.devices;
        let len = (bytes / 4) as usize;
        let mut buffers = [first.zeroed::<f32>(len)?, second.zeroed::<f32>(len)?];
        let mut times = vec![Vec::new(); all.len()];
        for round in 0..WARM_UPS + self.runs {
            for turn in 0..all.len() {
                // A different implementation is first in each round.
                let index = (round + turn) % all.len();
                let time = self.microseconds(all[index], call, &mut buffers)?;
                if round >= WARM_UPS {
                    times[index].push(time);
                }
            }
        }
        Ok(times.iter().map(|times| Spread::of(times).median).collect())
    }

    /// Returns the time of one call in a run of several.
    fn microseconds(
        &self,
        who: Who<'_>,
        call: Collective,
        buffers: &mut [Buffer<f32>; 2],
    ) -> Result<f64> {
        let [one, other] = &self.streams;
        for (stream, hold) in self.streams.iter().zip(&self.hold) {
            let stream = raw(stream)?;
            // SAFETY: the buffer has the bytes and outlives the bench; the stream is of its GPU.
            let code =
                unsafe { sys::cuMemsetD32Async(hold.address(), 0, hold.len_bytes() / 4, stream) };
            succeed(code, "cuMemsetD32Async")?;
        }
        one.wait_for_each_other(other)?;
        let before = one.record()?;
        for _ in 0..CALLS {
            self.start(who, call, buffers)?;
        }
        let after = one.record()?;
        let elapsed = after.elapsed_since(&before)?;
        other.synchronise()?;
        Ok(1e6 * elapsed.as_secs_f64() / f64::from(CALLS))
    }

    fn start(
        &self,
        who: Who<'_>,
        call: Collective,
        [first, second]: &mut [Buffer<f32>; 2],
    ) -> Result<()> {
        let nccl = match who {
            Who::Ours(peers) => {
                let buffers = [first, second];
                return Ok(match call {
                    Collective::AllGather => peers.all_gather(buffers),
                    Collective::ReduceScatter => peers.reduce_scatter(buffers),
                    Collective::AllReduce => peers.all_reduce(buffers),
                }?);
            }
            Who::Copy => return self.copy(call, [first, second]),
            Who::Nccl(nccl) => nccl,
        };
        let buffers = [&*first, &*second];
        let len = first.len_elems();
        let own = |number: usize| buffers[number].at(number * len / 2).address();
        let rank = |number: usize| -> Result<Rank> {
            let whole = buffers[number].address();
            let (send, receive) = match call {
                Collective::AllGather => (own(number), whole),
                Collective::ReduceScatter => (whole, own(number)),
                Collective::AllReduce => (whole, whole),
            };
            let stream = raw(&self.streams[number])?.cast();
            Ok(Rank {
                send,
                receive,
                stream,
            })
        };
        let count = if call == Collective::AllReduce {
            len
        } else {
            len / 2
        };
        // SAFETY: both buffers have the numbers, in place as NCCL takes them, and outlive the run, which is waited for
        // (1).
        let started = unsafe { nccl.start(call, &[rank(0)?, rank(1)?], count) };
        started.map_err(Error::msg)
    }

    /// Starts the driver's copy of the bytes that a call moves, in both directions.
    fn copy(&self, call: Collective, buffers: [&Buffer<f32>; 2]) -> Result<()> {
        let moved = moved_bytes(call, buffers[0].len_bytes() as u64) as usize;
        let [one, other] = &self.streams;
        one.wait_for_each_other(other)?;
        for (number, stream) in self.streams.iter().enumerate() {
            let (from, to) = (buffers[1 - number].address(), buffers[number].address());
            // SAFETY: both buffers have the bytes and outlive the run; each GPU reaches the memory of the other.
            let code = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, moved, raw(stream)?) };
            succeed(code, "cuMemcpyDtoDAsync")?;
        }
        Ok(one.wait_for_each_other(other)?)
    }
}

/// Returns the bytes over the link each way in a call on buffers of `bytes` bytes.
pub(crate) fn moved_bytes(call: Collective, bytes: u64) -> u64 {
    match call {
        Collective::AllReduce => bytes,
        Collective::AllGather | Collective::ReduceScatter => bytes / 2,
    }
}

/// Returns the bytes of a buffer for a call that moves `each` bytes each way.
pub(crate) fn bytes_of_buffer(call: Collective, each: u64) -> u64 {
    match call {
        Collective::AllReduce => each,
        Collective::AllGather | Collective::ReduceScatter => 2 * each,
    }
}

/// Returns the driver's handle of a stream.
fn raw(stream: &Stream) -> Result<sys::CUstream> {
    let raw = stream.raw();
    Ok(raw.context("the emulator is not measured")?.cast())
}

fn succeed(code: sys::CUresult, function: &str) -> Result<()> {
    ensure!(
        code == sys::CUresult::CUDA_SUCCESS,
        "{function} failed: {code:?}"
    );
    Ok(())
}
