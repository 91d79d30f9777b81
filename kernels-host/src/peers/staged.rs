//! Sums of long buffers: the copy engine of a device brings the other's numbers to a staging buffer, piece by piece, and a
//! kernel adds each piece while the next one arrives.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use kernels_gpu::{all_reduce::AllReduce, rows::Numbers, settings::Setting};
use tma_host::{Buffer, Device, Failure, Slice, Stream};
use tma_launch::Conditions;

use super::{Side, VECTOR_BYTES, of_buffer};
use crate::{Kernels, operand::Operands};

/// The pieces of a part, in percent. A copy takes some microseconds besides its bytes, so that there are few. Each one
/// arrives while the one before is added, which takes a third of the time. Nothing arrives while the last one is added.
const TO_ADD: &[u64] = &[65, 24, 8, 3];

/// The pieces where the sums go back to the other device: the first piece returns while the last one is added.
const TO_ADD_AND_RETURN: &[u64] = &[71, 29];

/// Each piece starts at a multiple of this number of bytes, from the start of a round.
const PIECE_UNIT_BYTES: u64 = 4096;

/// The setting of the kernels, with as many blocks at once as fit: all their memory is local.
const LOCAL: Setting = Setting {
    chunk_bytes: 8192,
    blocks: None,
    ..Setting::OVER_LINK
};

/// The sums of a call.
pub(super) struct Sums<'a> {
    /// The name of the call, for its errors.
    pub(super) what: &'a str,
    pub(super) numbers: Numbers,
    /// The buffers and parts of each device, which adds the other's numbers to its part.
    pub(super) sides: &'a [Side<'a>; 2],
    /// True if the sums replace the other device's numbers, too.
    pub(super) return_to_other: bool,
}

/// The streams and the memory of both devices.
#[derive(Debug)]
pub(super) struct Staged {
    /// The copies of each device, a stream for each piece.
    copies: [Vec<Stream>; 2],
    /// As long as the longest parts until now.
    staging: Mutex<Option<[Buffer<u8>; 2]>>,
}

impl Staged {
    pub(super) fn new(devices: &[Device; 2]) -> Result<Self, Failure> {
        let pieces = TO_ADD.len().max(TO_ADD_AND_RETURN.len());
        let streams = |device: &Device| {
            (0..pieces)
                .map(|_| device.new_stream())
                .collect::<Result<Vec<_>, _>>()
        };
        let [first, second] = devices.each_ref().map(streams);
        Ok(Self {
            copies: [first?, second?],
            staging: Mutex::default(),
        })
    }

    /// Starts the copies and kernels of the sums, with at most this number of bytes of staging memory on each device.
    ///
    /// After a failure, some of them may still be running.
    ///
    /// # Safety
    /// Both buffers are borrowed exclusively, and the own streams of both devices have waited for each other.
    pub(super) unsafe fn start(
        &self,
        kernels: &[Kernels; 2],
        sums: &Sums<'_>,
        most_bytes: u64,
    ) -> Result<(), Failure> {
        // The first part begins at 0, and the other is no longer.
        let longest = sums.sides[0].own_part.end;
        let step = longest.min(most_bytes / VECTOR_BYTES * VECTOR_BYTES);
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let len_bytes = staging
            .as_ref()
            .map_or(0, |[first, _]| first.len_bytes() as u64);
        if len_bytes < step {
            // The memory is free before the longer one is taken.
            *staging = None;
            let buffer = |own: &Kernels| {
                let buffer = own.device().zeroed(step as usize);
                buffer.map_err(|failure| match failure.error_name.as_deref() {
                    Some("CUDA_ERROR_OUT_OF_MEMORY") => failure.hint(
                        "`LinkSettings::staging_bytes` limits this memory; with 0, kernels move all data",
                    ),
                    _ => failure,
                })
            };
            let [first, second] = kernels.each_ref().map(buffer);
            *staging = Some([first?, second?]);
        }
        let Some(staging) = staging.as_ref() else {
            return Ok(());
        };
        for start in (0..longest).step_by(step.max(VECTOR_BYTES) as usize) {
            // SAFETY: the caller's promises.
            unsafe { self.start_round(kernels, sums, staging, start..longest.min(start + step)) }?;
        }
        Ok(())
    }

    /// Starts the sums of these bytes of both parts.
    ///
    /// # Safety
    /// Those of [`start`](Self::start).
    unsafe fn start_round(
        &self,
        kernels: &[Kernels; 2],
        sums: &Sums<'_>,
        staging: &[Buffer<u8>; 2],
        bytes: Range<u64>,
    ) -> Result<(), Failure> {
        let own = kernels.each_ref().map(|own| own.device().stream());
        for (own, copies) in own.iter().zip(&self.copies) {
            // The kernels of the last round read the staging buffer.
            copies.iter().try_for_each(|copies| copies.wait_for(own))?;
        }
        let percent = if sums.return_to_other {
            TO_ADD_AND_RETURN
        } else {
            TO_ADD
        };
        let pieces: Vec<_> = pieces(bytes.clone(), percent).collect();
        let place = |piece: &Range<u64>, number: usize| {
            let place = sums.sides[number].place(piece);
            let staged = staging[number].at((piece.start - bytes.start) as usize);
            (staged.first(place.len()), place)
        };
        // An engine makes its copies in the order of their start: none that waits for a sum may be started before these.
        for (index, piece) in pieces.iter().enumerate() {
            for number in [0, 1] {
                let (staged, place) = place(piece, number);
                let from = place.of(sums.sides[number].peer);
                // SAFETY: staging buffers live as long as `self`, and wait for their device when they are dropped; the
                // other buffer is borrowed exclusively, and later work on both devices waits for this call (1). No kernel
                // or copy writes `from` before the sums of this piece, and `staged` is free since the last round (2).
                unsafe { self.copies[number][index].copy(staged, from) }?;
            }
        }
        for (index, piece) in pieces.iter().enumerate() {
            for number in [0, 1] {
                let (staged, place) = place(piece, number);
                if place.len() == 0 {
                    continue;
                }
                own[number].wait_for(&self.copies[number][index])?;
                let side = &sums.sides[number];
                let mut operands = Operands::default();
                let add = AllReduce {
                    numbers: sums.numbers,
                    own: operands.add(of_buffer(place.of(side.own))),
                    peer: operands.add(of_buffer(staged)),
                    len_bytes: place.len() as u64,
                    is_for_both: false,
                    ..AllReduce::default()
                };
                let add = add.set(LOCAL, &side.device);
                let none = Conditions::default();
                // SAFETY: the operands returned both buffers; the caller has borrowed the one that is written exclusively,
                // and there is no counter (1).
                unsafe { kernels[number].start(sums.what, none, &add, &operands) }?;
            }
            for number in [0, 1].into_iter().filter(|_| sums.return_to_other) {
                let (other, place) = (&sums.sides[1 - number], place(piece, number).1);
                let returns = &self.copies[1 - number][index];
                returns.wait_for(&own[number])?;
                // SAFETY: as above (1). The sums are complete, and what they replace was copied before (2).
                unsafe { returns.copy(place.of(other.own), place.of(other.peer)) }?;
            }
        }
        for (own, copies) in own.iter().zip(&self.copies) {
            copies.iter().try_for_each(|copies| own.wait_for(copies))?;
        }
        Ok(())
    }
}

impl Side<'_> {
    /// Returns the place of a piece of this device's part, which may be shorter than the other's.
    fn place(&self, piece: &Range<u64>) -> Place {
        let end = |bytes| self.own_part.end.min(self.own_part.start + bytes);
        Place(end(piece.start) as usize..end(piece.end) as usize)
    }
}

/// A place in both buffers, in bytes.
struct Place(Range<usize>);

impl Place {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn of<'a>(&self, buffer: Slice<'a, u8>) -> Slice<'a, u8> {
        buffer.at(self.0.start).first(self.len())
    }
}

/// Returns the pieces of these bytes, without empty ones.
fn pieces(bytes: Range<u64>, percent: &[u64]) -> impl Iterator<Item = Range<u64>> {
    let len = bytes.end - bytes.start;
    let mut until = 0;
    let ends = percent.iter().map(move |percent| {
        until += percent;
        match until {
            100 => bytes.end,
            _ => bytes.start + len * until / 100 / PIECE_UNIT_BYTES * PIECE_UNIT_BYTES,
        }
    });
    let mut start = bytes.start;
    let pieces = ends.map(move |end| std::mem::replace(&mut start, end)..end);
    pieces.filter(|piece| !piece.is_empty())
}
