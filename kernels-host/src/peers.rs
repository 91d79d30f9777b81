use std::ops::Range;

use bytemuck::Pod;
use kernels_gpu::{all_reduce::AllReduce, copy_bulk::CopyBulk, reduce_scatter::ReduceScatter};
use tma_host::{Buffer, Device, Failure, PeerAccess, Slice, Stage};
use tma_launch::{Checked, Conditions, DeviceDescription};

use crate::{
    Kernels, RowElement,
    operand::{Operand, Operands},
};

/// Bulk copies take a multiple of this number of bytes.
const VECTOR_BYTES: u64 = 16;

/// The share of one device in a call.
struct Side<'a> {
    device: DeviceDescription,
    /// The buffers of this device and of the other one.
    own: Slice<'a, u8>,
    peer: Slice<'a, u8>,
    /// The offset of the moved part in both buffers, and its size in bytes.
    start: u64,
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
/// A call starts a kernel on the own stream of each device, when the work before it on both has ended, and has later work
/// on both wait for both kernels; on GPUs it returns before they have ended.
#[doc(alias("ncclComm_t", "NCCL"))]
#[derive(Debug)]
pub struct Peers {
    access: PeerAccess,
    kernels: [Kernels; 2],
}

impl Peers {
    /// Pairs these devices, and opens the memory of each to the other.
    ///
    /// # Errors
    /// Works like [`PeerAccess::between`].
    pub fn new(first: &Device, second: &Device) -> Result<Self, Failure> {
        Ok(Self {
            access: PeerAccess::between(first, second)?,
            kernels: [first, second].map(Kernels::new),
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
        self.run("all_gather", buffers, |side, operands| {
            let copy = CopyBulk {
                len_bytes: side.len_bytes,
                dst: operands.add(of_buffer(side.own)),
                dst_offset_bytes: side.start,
                src: operands.add(of_buffer(side.peer.at(side.start as usize))),
                ..CopyBulk::default()
            };
            copy.each_on(&side.device)
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
        self.run("reduce_scatter", buffers, |side, operands| {
            let add = ReduceScatter {
                numbers: T::NUMBERS,
                dst: operands.add(of_buffer(side.peer)),
                src: operands.add(of_buffer(side.own)),
                offset_bytes: side.start,
                len_bytes: side.len_bytes,
                ..ReduceScatter::default()
            };
            add.on(&side.device)
        })
    }

    /// Makes each number of both buffers the sum of both.
    ///
    /// Each sum is made by one device and rounded once, to nearest, ties to even, so that both get the same bits.
    ///
    /// # Errors
    /// Works like [`all_gather`](Self::all_gather).
    #[doc(alias = "ncclAllReduce")]
    pub fn all_reduce<T: RowElement>(&self, buffers: [&mut Buffer<T>; 2]) -> Result<(), Failure> {
        self.run("all_reduce", buffers, |side, operands| {
            let sum = AllReduce {
                numbers: T::NUMBERS,
                own: operands.add(of_buffer(side.own)),
                peer: operands.add(of_buffer(side.peer)),
                offset_bytes: side.start,
                len_bytes: side.len_bytes,
                ..AllReduce::default()
            };
            sum.on(&side.device)
        })
    }

    /// Starts a kernel on each device, between the earlier and the later work on both. `kernel` returns the arguments,
    /// and adds the buffers to the operands.
    fn run<T: Pod, A: Checked>(
        &self,
        what: &str,
        [first, second]: [&mut Buffer<T>; 2],
        kernel: impl Fn(&Side<'_>, &mut Operands) -> A,
    ) -> Result<(), Failure> {
        let mut conditions = Conditions::default();
        let [len, other_len] = [&*first, &*second].map(|buffer| buffer.len_bytes() as u64);
        let reason = "bulk copies move units of 16 bytes";
        conditions.multiple("bytes of the first buffer", len, VECTOR_BYTES, reason);
        let reason = "both buffers must have the same length";
        conditions.within("bytes of the second buffer", other_len, len..=len, reason);
        let refused = |broken| Failure::check(what, broken);
        conditions.into_result().map_err(refused)?;

        let buffers = [first.bytes(), second.bytes()];
        let side = |number: usize| {
            let part = Self::parts(len)[1 - number].clone();
            Ok::<_, Failure>(Side {
                device: self.devices()[number].description(),
                own: self.access.reach(buffers[number], number)?,
                peer: self.access.reach(buffers[1 - number], number)?,
                start: part.start,
                len_bytes: part.end - part.start,
            })
        };
        let sides = [side(0)?, side(1)?];
        let [one, other] = [0, 1].map(|number| self.devices()[number].stream());
        one.wait_for_each_other(&other)?;
        let start = |number: usize| {
            let side = &sides[number];
            if side.len_bytes == 0 {
                return Ok(());
            }
            let mut operands = Operands::default();
            let arguments = kernel(side, &mut operands);
            let none = Conditions::default();
            // SAFETY: the buffers are those of the operands in the three calls above. Both buffers are borrowed
            // exclusively; the kernels of the two devices write no byte that the other one uses, and no kernel has a
            // counter (1).
            unsafe { self.kernels[number].start(what, none, &arguments, &operands) }
        };
        let started = start(0).and_then(|()| start(1));
        // Whatever was started: a buffer that is dropped waits for its own device, and so for both.
        let ordered = one.wait_for_each_other(&other);
        if ordered.is_err() {
            self.devices().iter().try_for_each(Device::synchronise)?;
        }
        started.and(ordered)
    }
}

fn of_buffer(memory: Slice<'_, u8>) -> Operand {
    Operand::new("the buffer", memory)
}
