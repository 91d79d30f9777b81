//! Sums of long buffers: the copy engines of each device bring its numbers to a staging buffer of the other one, chunk by
//! chunk, and a kernel there adds each chunk while the next ones are on their way.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use kernels_gpu::{reduce_scatter::ReduceScatter, rows::Numbers};
use tma_host::{Buffer, Device, Failure, PeerAccess, Slice, Stream};
use tma_launch::Conditions;

use super::{Side, VECTOR_BYTES};
use crate::{
    Kernels,
    operand::{Operand, Operands},
};

/// Chunks of a device that are on their way or being added.
const CHUNKS: usize = 4;

/// A call on both devices.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    /// The name of the call, for its errors.
    pub(super) what: &'static str,
    pub(super) numbers: Numbers,
    /// True if the other device gets the sums, too.
    pub(super) is_for_both: bool,
}

/// The staging buffers of both devices, from the first call on.
#[derive(Debug, Default)]
pub(super) struct Staged(Mutex<Option<[Lane; 2]>>);

/// What brings numbers to a device, and its sums to the other one.
#[derive(Debug)]
struct Lane {
    staging: Buffer<u8>,
    /// A stream of the other device for each chunk of the staging buffer: a copy is faster where it reads its own memory.
    arriving: [Stream; CHUNKS],
    /// The stream that copies sums to the other device.
    leaving: Stream,
}

impl Staged {
    /// Starts the sums of each device's part, in its own buffer and, if they are for both, in the other one. A chunk has at
    /// most `most_bytes` bytes.
    ///
    /// # Safety
    /// 1. Both buffers are borrowed exclusively, no earlier work uses them, and later work on the stream of each device waits
    ///    for both devices.
    pub(super) unsafe fn start(
        &self,
        access: &PeerAccess,
        kernels: &[Kernels; 2],
        sides: &[Side<'_>; 2],
        sum: Sum,
        most_bytes: u64,
    ) -> Result<(), Failure> {
        // The lock is held until all is started: each use of a staging buffer waits for the one before.
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lanes = match &mut *lanes {
            Some(lanes) => lanes,
            none => {
                let [first, second] = access.devices();
                none.insert([
                    Lane::new([first, second], most_bytes)?,
                    Lane::new([second, first], most_bytes)?,
                ])
            }
        };
        let mut copies = Vec::new();
        for (number, lane) in lanes.iter().enumerate() {
            let chunks = chunks(sides[number].own_part.clone(), most_bytes);
            let (stream, sender) = (kernels[number].device().stream(), 1 - number);
            for arriving in lane.arriving.iter().take(chunks.len()) {
                arriving.wait_for(&stream)?;
            }
            copies.push(Copies {
                lane,
                kernels: &kernels[number],
                stream,
                side: &sides[number],
                sent: sides[sender].own,
                inbox: access.reach(lane.staging.at(0), sender)?,
                sum,
                chunks,
            });
        }
        let most = copies.iter().map(|copies| copies.chunks.len()).max();
        let started = (0..most.unwrap_or(0)).try_for_each(|index| {
            // The devices take turns, so that both begin at once.
            // SAFETY: the caller guarantees condition 1.
            copies
                .iter()
                .try_for_each(|copies| unsafe { copies.start(index) })
        });
        if started.is_err() {
            // The streams of the devices may not have waited for the copies.
            let mut devices = kernels.iter().map(Kernels::device);
            devices.try_for_each(Device::synchronise)?;
        }
        started
    }
}

impl Lane {
    /// Makes the streams of the other device for the staging buffer of the first one.
    fn new([device, other]: [&Device; 2], chunk_bytes: u64) -> Result<Self, Failure> {
        let [first, second, third, fourth] = [(); CHUNKS].map(|()| other.new_stream());
        Ok(Self {
            staging: device.zeroed(CHUNKS * chunk_bytes as usize)?,
            arriving: [first?, second?, third?, fourth?],
            leaving: device.new_stream()?,
        })
    }
}

/// The copies to and from a device in a call.
struct Copies<'a> {
    lane: &'a Lane,
    kernels: &'a Kernels,
    stream: Stream,
    side: &'a Side<'a>,
    /// The buffer of the other device and the staging buffer of this one, for streams of the other device.
    sent: Slice<'a, u8>,
    inbox: Slice<'a, u8>,
    sum: Sum,
    chunks: Vec<Range<u64>>,
}

impl Copies<'_> {
    /// Starts the copy of a chunk, if there is one, its addition, and the copy of its sums.
    ///
    /// # Safety
    /// The condition of [`Staged::start`].
    unsafe fn start(&self, index: usize) -> Result<(), Failure> {
        let Some(chunk) = self.chunks.get(index) else {
            return Ok(());
        };
        let Lane {
            staging,
            arriving,
            leaving,
        } = self.lane;
        let (start, len) = (chunk.start as usize, (chunk.end - chunk.start) as usize);
        let slot = index % CHUNKS;
        let room = slot * (staging.len_elems() / CHUNKS);
        let arriving = &arriving[slot];

        // SAFETY: a buffer that is dropped waits for its device, whose stream waits for both (1). This device writes no number
        // of this part to the other buffer before its sums, and the chunk of the staging buffer has been added (2).
        unsafe {
            let from = self.sent.at(start).first(len);
            arriving.copy(self.inbox.at(room).first(len), from)?;
        }
        self.stream.wait_for(arriving)?;
        let [own, peer] = [self.side.own, self.side.peer].map(|all| all.at(start).first(len));
        let staged = staging.at(room).first(len);
        let mut operands = Operands::default();
        let add = ReduceScatter {
            numbers: self.sum.numbers,
            dst: operands.add(Operand::new("the buffer", own)),
            src: operands.add(Operand::new("the staging buffer", staged)),
            len_bytes: len as u64,
            ..ReduceScatter::default()
        };
        // SAFETY: the buffers are those of the operands above, and only this device uses this part of its own (1).
        unsafe {
            self.kernels
                .start(self.sum.what, Conditions::default(), &add, &operands)?
        };
        if index + CHUNKS < self.chunks.len() {
            arriving.wait_for(&self.stream)?;
        }
        if self.sum.is_for_both {
            leaving.wait_for(&self.stream)?;
            // SAFETY: as above (1). The sums are complete, and the other device does not use this part (2).
            unsafe { leaving.copy(peer, own)? };
            if index + 1 == self.chunks.len() {
                self.stream.wait_for(leaving)?;
            }
        }
        Ok(())
    }
}

/// Returns the chunks of a part. Each is at most half of the bytes that are left, down to a sixteenth of `most_bytes`: while
/// the last one is added, nothing is on its way.
fn chunks(part: Range<u64>, most_bytes: u64) -> Vec<Range<u64>> {
    let vectors = |bytes: u64| bytes.next_multiple_of(VECTOR_BYTES);
    let least = vectors(most_bytes / 16).max(VECTOR_BYTES);
    let mut chunks = Vec::new();
    let mut start = part.start;
    while start < part.end {
        let left = part.end - start;
        let bytes = vectors(left / 2)
            .clamp(least, most_bytes.max(least))
            .min(left);
        chunks.push(start..start + bytes);
        start += bytes;
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_the_part_in_pieces_that_get_shorter() {
        assert!(chunks(48..48, 64).is_empty());
        assert_eq!(chunks(48..64, 64), [48..64]);
        assert_eq!(
            chunks(0..224, 64),
            [0..64, 64..128, 128..176, 176..208, 208..224]
        );
        assert_eq!(chunks(16..64, 16), [16..32, 32..48, 48..64]);
    }
}
