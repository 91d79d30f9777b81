use std::ops::Range;

use bytemuck::Pod;
use kernels_gpu::{
    all_reduce::AllReduce, copy_bulk::CopyBulk, reduce_scatter::ReduceScatter, rows::Numbers,
};
use tma_host::{Buffer, Device, Failure, PeerAccess, Slice, Stage};
use tma_launch::{Checked, Conditions, DeviceDescription};

use crate::{
    Kernels, RowElement,
    operand::{Operand, Operands},
};

mod link_settings;
mod low_latency;
mod staged;

pub use link_settings::LinkSettings;
use low_latency::{Exchange, LowLatency};
use staged::{Staged, Sums};

/// Bulk copies take a multiple of this number of bytes.
const VECTOR_BYTES: u64 = 16;

/// The share of one device in a call.
struct Side<'a> {
    device: DeviceDescription,
    /// The buffers of this device and of the other one.
    own: Slice<'a, u8>,
    peer: Slice<'a, u8>,
    /// The part of this device and that of the other one, in bytes of both buffers.
    own_part: Range<u64>,
    peer_part: Range<u64>,
}

/// The buffers of a call.
struct Buffers<'a> {
    bytes: [Slice<'a, u8>; 2],
    len_bytes: u64,
}

/// Two GPUs that reach each other's memory, or two emulators, with the calls that they make together.
///
/// Each call takes a buffer of each device, as long as the other one, which the results replace. Its
/// [parts](Self::parts) belong to one device each.
///
/// ```
/// use kernels_host::Peers;
/// use tma_host::Device;
///
/// let [first, second] = Device::emulators(0);
/// let peers = Peers::new(&first, &second)?;
/// let mut a = first.upload(&[1.0_f32; 1000])?;
/// let mut b = second.upload(&[2.0_f32; 1000])?;
/// peers.all_reduce([&mut a, &mut b])?;
/// assert_eq!(a.read()?, [3.0; 1000]);
/// assert_eq!(b.read()?, [3.0; 1000]);
/// # Ok::<(), tma_host::Failure>(())
/// ```
///
/// A call starts kernels or copies on each device, and on GPUs returns before they have ended. Later work on a stream sees the
/// results in the buffer of its device; [`Stream::wait_for_each_other`](tma_host::Stream::wait_for_each_other) first for work
/// that reaches the other buffer. Calls of several threads take turns. Of short buffers, the two kernels wait for each other's
/// words: while a call is being made, no other thread may itself make one of the two streams wait for the other. The first sums
/// of long buffers allocate up to [`LinkSettings::staging_bytes`] on each device.
#[doc(alias("ncclComm_t", "NCCL"))]
#[derive(Debug)]
pub struct Peers {
    access: PeerAccess,
    kernels: [Kernels; 2],
    low_latency: LowLatency,
    staged: Staged,
    link: LinkSettings,
}

impl Peers {
    /// Pairs these devices, and opens the memory of each to the other.
    ///
    /// # Errors
    /// Works like [`PeerAccess::between`].
    pub fn new(first: &Device, second: &Device) -> Result<Self, Failure> {
        Self::with_link(first, second, LinkSettings::default())
    }

    /// Works like [`new`](Self::new), with other settings for the link.
    ///
    /// # Errors
    /// Works like [`PeerAccess::between`]; or a setting is out of its range.
    pub fn with_link(first: &Device, second: &Device, link: LinkSettings) -> Result<Self, Failure> {
        link.check()?;
        let devices = [first.clone(), second.clone()];
        Ok(Self {
            access: PeerAccess::between(first, second)?,
            kernels: [first, second].map(Kernels::new),
            low_latency: LowLatency::new(&devices)?,
            staged: Staged::new(&devices)?,
            link,
        })
    }

    /// Returns the two devices.
    pub fn devices(&self) -> &[Device; 2] {
        self.access.devices()
    }

    /// Returns the parts, in bytes, of a buffer of `len_bytes` bytes: halves, with 16 bytes more in the first if the
    /// number of 16 bytes is odd.
    pub fn parts(len_bytes: u64) -> [Range<u64>; 2] {
        let middle = (len_bytes / VECTOR_BYTES).div_ceil(2) * VECTOR_BYTES;
        [0..middle, middle..len_bytes]
    }

    /// Copies the part of each device from its buffer to the buffer of the other: then both have both parts.
    ///
    /// # Errors
    /// The buffers have different lengths, a length is not a multiple of 16 bytes, or a buffer is on another device.
    #[doc(alias = "ncclAllGather")]
    pub fn all_gather<T: Pod>(&self, buffers: [&mut Buffer<T>; 2]) -> Result<(), Failure> {
        let what = "all_gather";
        let buffers = self.checked(what, &buffers)?;
        let parts = Self::parts(buffers.len_bytes);
        let each = parts[0].end;
        if each <= self.low_latency_bytes() {
            return self.exchange(&buffers, |number| Exchange {
                what,
                numbers: Numbers::F32,
                own: buffers.bytes[number],
                send: parts[number].clone(),
                receive: parts[1 - number].clone(),
                add: false,
            });
        }
        if each >= self.link.copy_engine_bytes {
            return self.by_both(&buffers, |number, side| {
                let part = side.peer_part.start as usize..side.peer_part.end as usize;
                let [to, from] =
                    [side.own, side.peer].map(|all| all.at(part.start).first(part.len()));
                let stream = self.devices()[number].stream();
                // SAFETY: a buffer that is dropped waits for its device, and so for both (1). The buffers are borrowed
                // exclusively, the other device copies the other part, and later work on both waits for both copies (2).
                unsafe { stream.copy(to, from) }
            });
        }
        // Stores use more of a link than loads.
        self.by_kernels(what, &buffers, |side, operands| {
            let start = side.own_part.start;
            let copy = CopyBulk {
                len_bytes: side.own_part.end - start,
                dst: operands.add(of_buffer(side.peer)),
                dst_offset_bytes: start,
                src: operands.add(of_buffer(side.own.at(start as usize))),
                ..CopyBulk::default()
            };
            copy.set(self.link.of_kernels(), &side.device)
        })
    }

    /// Adds the part of each device in the buffer of the other to the one in its own; the other parts stay as they were.
    ///
    /// Each sum is rounded once, to nearest, ties to even.
    ///
    /// # Errors
    /// Works like [`all_gather`](Self::all_gather); or atomic operations do not work between the devices.
    #[doc(alias = "ncclReduceScatter")]
    pub fn reduce_scatter<T: RowElement>(
        &self,
        buffers: [&mut Buffer<T>; 2],
    ) -> Result<(), Failure> {
        if !self.access.has_atomics() {
            let [first, second] = self.devices();
            let what = format!(
                "`reduce_scatter` of {first} and {second}, between which no atomic operations work"
            );
            return Err(Failure::new(Stage::Check, what)
                .hint("it takes NVLink; `all_reduce` makes all sums without them"));
        }
        let what = "reduce_scatter";
        let buffers = self.checked(what, &buffers)?;
        let parts = Self::parts(buffers.len_bytes);
        if parts[0].end <= self.low_latency_bytes() {
            return self.exchange(&buffers, |number| Exchange {
                what,
                numbers: T::NUMBERS,
                own: buffers.bytes[number],
                send: parts[1 - number].clone(),
                receive: parts[number].clone(),
                add: true,
            });
        }
        if self.are_staged(parts[0].end) {
            return self.sums(what, T::NUMBERS, &buffers, false);
        }
        self.by_kernels(what, &buffers, |side, operands| {
            let add = ReduceScatter {
                numbers: T::NUMBERS,
                dst: operands.add(of_buffer(side.peer)),
                src: operands.add(of_buffer(side.own)),
                offset_bytes: side.peer_part.start,
                len_bytes: side.peer_part.end - side.peer_part.start,
                ..ReduceScatter::default()
            };
            add.set(self.link.of_kernels(), &side.device)
        })
    }

    /// Makes each number of both buffers the sum of both.
    ///
    /// Each sum is rounded once, to nearest, ties to even, and both get the same bits.
    ///
    /// # Errors
    /// Works like [`all_gather`](Self::all_gather).
    #[doc(alias = "ncclAllReduce")]
    pub fn all_reduce<T: RowElement>(&self, buffers: [&mut Buffer<T>; 2]) -> Result<(), Failure> {
        let what = "all_reduce";
        let buffers = self.checked(what, &buffers)?;
        if buffers.len_bytes <= self.low_latency_bytes() {
            return self.exchange(&buffers, |number| Exchange {
                what,
                numbers: T::NUMBERS,
                own: buffers.bytes[number],
                send: 0..buffers.len_bytes,
                receive: 0..buffers.len_bytes,
                add: true,
            });
        }
        if self.are_staged(buffers.len_bytes) {
            return self.sums(what, T::NUMBERS, &buffers, true);
        }
        self.by_kernels(what, &buffers, |side, operands| {
            let sum = AllReduce {
                numbers: T::NUMBERS,
                own: operands.add(of_buffer(side.own)),
                peer: operands.add(of_buffer(side.peer)),
                offset_bytes: side.peer_part.start,
                len_bytes: side.peer_part.end - side.peer_part.start,
                ..AllReduce::default()
            };
            sum.set(self.link.of_kernels(), &side.device)
        })
    }

    /// Returns the buffers of a call, if they are valid.
    fn checked<'a, T: Pod>(
        &self,
        what: &str,
        [first, second]: &'a [&mut Buffer<T>; 2],
    ) -> Result<Buffers<'a>, Failure> {
        let mut conditions = Conditions::default();
        let [len, other_len] = [first, second].map(|buffer| buffer.len_bytes() as u64);
        let reason = "bulk copies move units of 16 bytes";
        conditions.multiple("bytes of the first buffer", len, VECTOR_BYTES, reason);
        let reason = "both buffers must have the same length";
        conditions.within("bytes of the second buffer", other_len, len..=len, reason);
        let refused = |broken| Failure::check(what, broken);
        conditions.into_result().map_err(refused)?;
        let bytes = [first.bytes(), second.bytes()];
        for (number, bytes) in bytes.iter().enumerate() {
            self.access.reach(*bytes, number)?;
        }
        let is_elsewhere =
            |number: &usize| bytes[*number].device_id() != self.devices()[*number].id();
        if let Some(number) = [0, 1].into_iter().find(is_elsewhere) {
            let place = ["first", "second"][number];
            let what = format!("the {place} buffer of `{what}` must be on the {place} device");
            let hint =
                "allocate one buffer on each device, and pass them in the order of the devices";
            return Err(Failure::new(Stage::Check, what).hint(hint));
        }
        Ok(Buffers {
            bytes,
            len_bytes: len,
        })
    }

    /// Exchanges parts of short buffers, if there are any.
    fn exchange<'a>(
        &self,
        buffers: &Buffers<'a>,
        exchange: impl Fn(usize) -> Exchange<'a>,
    ) -> Result<(), Failure> {
        if buffers.len_bytes == 0 {
            return Ok(());
        }
        let exchanges = [exchange(0), exchange(1)];
        self.low_latency
            .exchange(&self.access, &self.kernels, &exchanges)
    }

    /// Returns the most bytes each way of a low-latency exchange. Up to 16 bytes, a part may be empty, which kernels refuse.
    fn low_latency_bytes(&self) -> u64 {
        let most = low_latency::MOST_BYTES;
        self.link.low_latency_bytes.clamp(VECTOR_BYTES, most)
    }

    /// Returns whether copy engines move the numbers of sums that take this number of bytes each way.
    fn are_staged(&self, each: u64) -> bool {
        each >= self.link.copy_engine_bytes && self.link.staging_bytes >= VECTOR_BYTES
    }

    /// Adds the parts by copy engines and kernels.
    fn sums(
        &self,
        what: &str,
        numbers: Numbers,
        buffers: &Buffers<'_>,
        return_to_other: bool,
    ) -> Result<(), Failure> {
        self.in_turn(buffers, |sides| {
            let sums = Sums {
                what,
                numbers,
                sides,
                return_to_other,
            };
            // SAFETY: `checked` borrowed both buffers exclusively, and `in_turn` has made the streams wait.
            unsafe {
                self.staged
                    .start(&self.kernels, &sums, self.link.staging_bytes)
            }
        })
    }

    /// Starts a kernel on each device. `kernel` returns the arguments, and adds the buffers to the operands.
    fn by_kernels<A: Checked>(
        &self,
        what: &str,
        buffers: &Buffers<'_>,
        kernel: impl Fn(&Side<'_>, &mut Operands) -> A,
    ) -> Result<(), Failure> {
        self.by_both(buffers, |number, side| {
            let mut operands = Operands::default();
            let arguments = kernel(side, &mut operands);
            let none = Conditions::default();
            // SAFETY: the buffers are those of the operands in the three calls above. Both buffers are borrowed
            // exclusively; the kernels of the two devices write no byte that the other one uses, and no kernel has a
            // counter (1).
            unsafe { self.kernels[number].start(what, none, &arguments, &operands) }
        })
    }

    /// Starts work on each device, between the earlier and the later work on both.
    fn by_both(
        &self,
        buffers: &Buffers<'_>,
        start: impl Fn(usize, &Side<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.in_turn(buffers, |[first, second]| {
            start(0, first).and_then(|()| start(1, second))
        })
    }

    /// Starts work between the earlier and the later work on both devices.
    fn in_turn(
        &self,
        buffers: &Buffers<'_>,
        start: impl FnOnce(&[Side<'_>; 2]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let parts = Self::parts(buffers.len_bytes);
        let side = |number: usize| {
            Ok::<_, Failure>(Side {
                device: self.devices()[number].description(),
                own: self.access.reach(buffers.bytes[number], number)?,
                peer: self.access.reach(buffers.bytes[1 - number], number)?,
                own_part: parts[number].clone(),
                peer_part: parts[1 - number].clone(),
            })
        };
        let sides = [side(0)?, side(1)?];
        let [one, other] = [0, 1].map(|number| self.devices()[number].stream());
        let _in_order = low_latency::in_order();
        one.wait_for_each_other(&other)?;
        let started = start(&sides);
        // Whatever was started: a buffer that is dropped waits for its own device, and so for both.
        let ordered = started.and(one.wait_for_each_other(&other));
        if ordered.is_err() {
            // Both are waited for, and the first failure is the one to report.
            let _ = self.devices().each_ref().map(Device::synchronise);
        }
        ordered
    }
}

fn of_buffer(memory: Slice<'_, u8>) -> Operand {
    Operand::new("the buffer", memory)
}
