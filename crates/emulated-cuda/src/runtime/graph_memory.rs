//! Memory that a graph allocates and frees when it is launched. Its address is known when the node is made.

use crate::{
    calls::{Result, alive},
    code::Code,
    ffi::{Out, Pointer, export},
    runtime::graphs::add,
    work::{Work, submit},
};

/// `cudaMemAllocNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct AllocationNode {
    /// `cudaMemPoolProps` and a list of devices: there is one.
    properties: [u64; 13],
    bytes: usize,
    address: u64,
}

impl AllocationNode {
    pub(crate) const ADDRESS: usize = std::mem::offset_of!(Self, address);

    /// The work, and the address of its memory.
    pub(crate) fn work(&self) -> Result<(Work, u64)> {
        allocation(self.bytes)
    }
}

/// Work that allocates so many bytes, and their address.
fn allocation(bytes: usize) -> Result<(Work, u64)> {
    let address = alive(|context| context.space.reserve_for_graph(bytes))?;
    let frees = false;
    Ok((
        Work::Allocate {
            address,
            bytes,
            frees,
        },
        address,
    ))
}

/// Allocates in the graph of a stream that is captured, or now.
pub(super) fn allocate(stream: Pointer, bytes: usize, call: &str) -> Result<u64> {
    if alive(|context| Ok(context.graphs.of(stream)))?.is_none() {
        return alive(|context| context.allocate(bytes, call));
    }
    let (work, address) = allocation(bytes)?;
    submit(stream, |_| Ok(work))?;
    Ok(address)
}

/// Bytes of graphs' memory: `cudaGraphMemAttributeType`. What is used is what is reserved.
fn attribute(number: i32) -> Result<u64> {
    alive(|context| {
        let used = context.space.of_graphs();
        match number {
            0 | 2 => Ok(used.bytes),
            1 | 3 => Ok(used.most_bytes),
            _ => Err(Code::INVALID_VALUE),
        }
    })
}

export! {
    runtime;

    fn cudaGraphAddMemAllocNode(
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        before_count: usize,
        allocation: Out<AllocationNode>,
    ) {
        let _ = (before, before_count);
        let mut asked = allocation.get()?;
        let (work, address) = asked.work()?;
        add(&node, graph, work)?;
        asked.address = address;
        allocation.put(asked)
    }

    fn cudaGraphAddMemFreeNode(
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        before_count: usize,
        pointer: Pointer,
    ) {
        let _ = (before, before_count);
        add(&node, graph, Work::Free(pointer, "cudaGraphAddMemFreeNode"))
    }

    fn cudaDeviceGetGraphMemAttribute(device: i32, number: i32, value: Out<u64>) {
        super::device::check(device)?;
        value.put(attribute(number)?)
    }

    fn cudaDeviceSetGraphMemAttribute(device: i32, number: i32, value: Out<u64>) {
        super::device::check(device)?;
        match (number, value.get()?) {
            (1 | 3, 0) => alive(|context| {
                context.space.forget_most_of_graphs();
                Ok(())
            }),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    // Memory that is not used is nowhere.
    fn cudaDeviceGraphMemTrim(device: i32) {
        super::device::check(device)
    }
}
