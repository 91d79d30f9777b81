//! Graphs and their nodes. A graph keeps its work in the order of creation, which satisfies its edges, since nodes
//! depend only on earlier ones.

use crate::{
    calls::alive,
    code::{Code, Result},
    export::export,
    ffi::{Callback, Dim3, FromC, In, Out, Pointer},
    launch::Arguments,
    runtime::{copies::Copy3d, launches::shape},
    stream_work::{Prepared, Work},
    work::perform_graph,
};

/// `cudaKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct KernelNode {
    function: u64,
    grid: Dim3,
    block: Dim3,
    shared_bytes: u32,
    arguments: <Arguments as FromC>::C,
    extra: u64,
}

/// `cudaMemsetParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct FillNode {
    to: <Pointer as FromC>::C,
    pitch: usize,
    value: u32,
    element_bytes: u32,
    width: usize,
    height: usize,
}

/// `cudaHostNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct HostNode {
    function: <Callback as FromC>::C,
    data: <Pointer as FromC>::C,
}

impl KernelNode {
    /// Returns the parameters of a launch. Their lists live as long as the program.
    pub(super) fn of(launch: &Prepared) -> Result<Self> {
        let values = launch.values()?.into_iter();
        let values: Vec<_> = values
            .map(|value| value.leak().as_mut_ptr().cast())
            .collect();
        let shape = launch.shape();
        Ok(Self {
            function: launch.key,
            grid: shape.grid.into(),
            block: shape.block.into(),
            shared_bytes: shape.shared_bytes,
            arguments: values.leak().as_mut_ptr(),
            extra: 0,
        })
    }

    /// Returns the launch of the node.
    pub(super) fn work(self) -> Result<Work> {
        if self.extra != 0 {
            return Err(crate::calls::unsupported("a kernel node with `extra`"));
        }
        // SAFETY: the list is part of the caller's argument, and is read now (1).
        let arguments = unsafe { Arguments::from_c(self.arguments) };
        let shape = shape(self.grid, self.block, self.shared_bytes as usize)?;
        let work = alive(|context| context.prepare(self.function, 0, shape, arguments))?;
        Ok(Work::Launch(work))
    }
}

impl FillNode {
    pub(super) fn work(self) -> Result<Work> {
        // SAFETY: the caller passed this address for the node to write to (1).
        let to = unsafe { Pointer::from_c(self.to) };
        let bytes = self.value.to_le_bytes();
        let element = match self.element_bytes {
            1 | 2 | 4 => bytes[..self.element_bytes as usize].to_vec(),
            _ => return Err(Code::INVALID_VALUE),
        };
        let (to, size) = ((to, self.pitch), [self.width, self.height]);
        Ok(Work::Fill {
            to,
            element,
            size,
            call: "cudaGraphAddMemsetNode",
        })
    }
}

impl HostNode {
    pub(super) fn work(self) -> Work {
        // SAFETY: the program's function takes this pointer (1).
        let function = unsafe { Callback::from_c(self.function) };
        // SAFETY: the program passed this pointer for its own function (1).
        let data = unsafe { Pointer::from_c(self.data) };
        Work::Host(function, data)
    }
}

/// Adds work to a graph, and returns the node.
pub(super) fn add(node: &Out<u64>, graph: Pointer, work: Work) -> Result {
    node.put(alive(|context| {
        let node = context.handle();
        context.graphs.add_node(graph.address(), node, work)?;
        Ok(node)
    })?)
}

/// `cudaGraphInstantiateFlagAutoFreeOnLaunch`.
const FREES: u64 = 1;

fn instantiate(instance: &Out<u64>, graph: Pointer, flags: u64) -> Result {
    instance.put(alive(|context| {
        context.copy_graph(graph.address(), flags & FREES != 0)
    })?)
}

export! {
    runtime;

    fn cudaGraphCreate(graph: Out<u64>, flags: u32) {
        let _ = flags;
        graph.put(alive(|context| Ok(context.add_graph(Vec::new())))?)
    }

    fn cudaGraphClone(clone: Out<u64>, graph: Pointer) {
        instantiate(&clone, graph, 0)
    }

    fn cudaGraphInstantiate as cudaGraphInstantiateWithFlags (instance: Out<u64>, graph: Pointer, flags: u64) {
        instantiate(&instance, graph, flags)
    }

    fn cudaGraphUpload as cudaGraphUpload_ptsz (instance: Pointer, stream: Pointer) {
        let _ = stream;
        alive(|context| context.graphs.get(instance.address()).map(drop))
    }

    fn cudaGraphLaunch as cudaGraphLaunch_ptsz (instance: Pointer, stream: Pointer) {
        super::streams::stream(stream)?;
        perform_graph(instance.address())
    }

    fn cudaGraphDestroy as cudaGraphExecDestroy (graph: Pointer) {
        alive(|context| context.graphs.remove(graph.address()))
    }

    fn cudaGraphAddKernelNode(
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        before_count: usize,
        kernel: In<KernelNode>,
    ) {
        let _ = (before, before_count);
        add(&node, graph, kernel.get()?.work()?)
    }

    fn cudaGraphAddMemcpyNode(
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        before_count: usize,
        copy: In<Copy3d>,
    ) {
        let _ = (before, before_count);
        add(&node, graph, copy.get()?.layer("cudaGraphAddMemcpyNode")?)
    }

    fn cudaGraphAddMemcpyNode1D(
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        before_count: usize,
        to: Pointer,
        from: Pointer,
        bytes: usize,
        direction: i32,
    ) {
        let _ = (before, before_count);
        let (size, call) = ([bytes, 1], "cudaGraphAddMemcpyNode1D");
        alive(|context| context.check_direction(direction, [to, from], size, call))?;
        add(&node, graph, Work::Copy { places: [(to, bytes), (from, bytes)], size, call })
    }

    fn cudaGraphAddMemsetNode(
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        before_count: usize,
        fill: In<FillNode>,
    ) {
        let _ = (before, before_count);
        add(&node, graph, fill.get()?.work()?)
    }

    fn cudaGraphAddHostNode(
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        before_count: usize,
        host: In<HostNode>,
    ) {
        let _ = (before, before_count);
        add(&node, graph, host.get()?.work())
    }

    fn cudaGraphAddEmptyNode(node: Out<u64>, graph: Pointer, before: Pointer, before_count: usize) {
        let _ = (before, before_count);
        add(&node, graph, Work::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_one_two_or_four_bytes() {
        let fill = |element_bytes| FillNode {
            to: std::ptr::null_mut(),
            pitch: 0,
            value: 0x0403_0201,
            element_bytes,
            width: 1,
            height: 1,
        };
        for bytes in [0, 3, 5, 8, u32::MAX] {
            assert_eq!(
                fill(bytes).work().err(),
                Some(Code::INVALID_VALUE),
                "{bytes}"
            );
        }
        let Ok(Work::Fill { element, .. }) = fill(2).work() else {
            panic!("it is refused");
        };
        assert_eq!(element, [1, 2]);
    }
}
