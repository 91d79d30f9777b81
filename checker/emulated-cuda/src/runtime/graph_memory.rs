//! Memory that a graph allocates and frees during its launch. Its address is fixed when the node is created.

use crate::{
    calls::alive,
    code::{Code, Result},
    export::export,
    ffi::{Out, Pointer},
    runtime::graphs::add,
    stream_work::Work,
    work::submit,
};

/// `cudaMemAllocNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct AllocationNode {
    /// `cudaMemPoolProps` and a list of devices, which are ignored since there is only one pool.
    properties: [u64; 13],
    bytes: usize,
    address: u64,
}

impl AllocationNode {
    pub(crate) const ADDRESS: usize = std::mem::offset_of!(Self, address);

    /// Returns the work, and the address of its memory.
    pub(crate) fn work(&self) -> Result<(Work, u64)> {
        allocation(self.bytes)
    }
}

/// Returns work that allocates `bytes` bytes, and their address.
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

/// Allocates in the graph of a captured stream, or at once.
pub(super) fn allocate(stream: Pointer, bytes: usize, call: &str) -> Result<u64> {
    if alive(|context| Ok(context.graphs.of(stream)))?.is_none() {
        return alive(|context| context.allocate(bytes, call));
    }
    let (work, address) = allocation(bytes)?;
    submit(stream, |_| Ok(work))?;
    Ok(address)
}

/// Returns a size of graph memory: `cudaGraphMemAttributeType`. Used and reserved memory are the same here.
fn attribute(number: i32) -> Result<u64> {
    alive(|context| {
        let used = context.space.graph_memory();
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

    // Unused memory is never reserved.
    fn cudaDeviceGraphMemTrim(device: i32) {
        super::device::check(device)
    }
}
