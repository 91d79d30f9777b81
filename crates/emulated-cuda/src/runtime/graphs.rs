//! Graphs: of a stream that is captured, or of nodes. A graph keeps its work in the order in which it was given, which
//! is one that its edges allow, since nodes name those before them.

use crate::{
    calls::{Result, alive},
    ffi::{Callback, Dim3, FromC, In, Out, Pointer, export},
    launch::Arguments,
    runtime::{copies::Copy3d, launches::shape},
    work::{Work, perform},
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

/// Adds work to a graph, and gives the node.
fn add(node: &Out<u64>, graph: Pointer, work: Work) -> Result {
    node.put(alive(|context| {
        let node = context.handle();
        context.graphs.add_node(graph.address(), node, work)?;
        Ok(node)
    })?)
}

/// The launch of a node.
fn launch(kernel: In<KernelNode>) -> Result<Work> {
    let kernel = kernel.get()?;
    if kernel.extra != 0 {
        return Err(crate::calls::unsupported("a kernel node with `extra`"));
    }
    // SAFETY: the list is a part of what the caller passes, and is read now (1).
    let arguments = unsafe { Arguments::from_c(kernel.arguments) };
    let shape = shape(kernel.grid, kernel.block, kernel.shared_bytes as usize)?;
    let work = alive(|context| context.prepare(kernel.function, 0, shape, arguments))?;
    Ok(Work::Launch(work))
}

fn instantiate(instance: &Out<u64>, graph: Pointer) -> Result {
    instance.put(alive(|context| {
        let work = context.graphs.get(graph.address())?.to_vec();
        Ok(context.add_graph(work))
    })?)
}

export! {
    runtime;

    fn cudaStreamBeginCapture as cudaStreamBeginCapture_ptsz (stream: Pointer, mode: i32) {
        let _ = mode;
        alive(|context| context.begin_capture(stream))
    }

    fn cudaStreamEndCapture as cudaStreamEndCapture_ptsz (stream: Pointer, graph: Out<u64>) {
        graph.put(alive(|context| context.end_capture(stream))?)
    }

    fn cudaStreamIsCapturing as cudaStreamIsCapturing_ptsz (stream: Pointer, status: Out<i32>) {
        super::streams::stream(stream)?;
        status.put(alive(|context| Ok(i32::from(context.graphs.of(stream).is_some())))?)
    }

    fn cudaThreadExchangeStreamCaptureMode(mode: Out<i32>) {
        mode.get().map(drop)
    }

    fn cudaGraphCreate(graph: Out<u64>, flags: u32) {
        let _ = flags;
        graph.put(alive(|context| Ok(context.add_graph(Vec::new())))?)
    }

    fn cudaGraphClone(clone: Out<u64>, graph: Pointer) {
        instantiate(&clone, graph)
    }

    fn cudaGraphInstantiate as cudaGraphInstantiateWithFlags (instance: Out<u64>, graph: Pointer) {
        instantiate(&instance, graph)
    }

    fn cudaGraphUpload as cudaGraphUpload_ptsz (instance: Pointer, stream: Pointer) {
        let _ = stream;
        alive(|context| context.graphs.get(instance.address()).map(drop))
    }

    fn cudaGraphLaunch as cudaGraphLaunch_ptsz (instance: Pointer, stream: Pointer) {
        super::streams::stream(stream)?;
        let work = alive(|context| Ok(context.graphs.get(instance.address())?.to_vec()))?;
        work.iter().try_for_each(perform)
    }

    fn cudaGraphDestroy as cudaGraphExecDestroy (graph: Pointer) {
        alive(|context| context.graphs.remove(graph.address()))
    }

    fn cudaGraphGetNodes(graph: Pointer, nodes: Pointer, count: Out<usize>) {
        let len = alive(|context| Ok(context.graphs.get(graph.address())?.len()))?;
        match nodes.address() {
            0 => count.put(len),
            _ => Err(crate::calls::unsupported("cudaGraphGetNodes with a list")),
        }
    }

    fn cudaGraphAddKernelNode(
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        before_count: usize,
        kernel: In<KernelNode>,
    ) {
        let _ = (before, before_count);
        add(&node, graph, launch(kernel)?)
    }

    fn cudaGraphExecKernelNodeSetParams(instance: Pointer, node: Pointer, kernel: In<KernelNode>) {
        let work = launch(kernel)?;
        alive(|context| context.graphs.replace(instance.address(), node.address(), work))
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
        let fill = fill.get()?;
        // SAFETY: it is an address that the caller passes (1).
        let to = unsafe { Pointer::from_c(fill.to) };
        let element = fill.value.to_le_bytes();
        let element = element.get(..fill.element_bytes as usize).unwrap_or(&element).to_vec();
        let (to, size, call) = ((to, fill.pitch), [fill.width, fill.height], "cudaGraphAddMemsetNode");
        add(&node, graph, Work::Fill { to, element, size, call })
    }

    fn cudaGraphAddHostNode(
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        before_count: usize,
        host: In<HostNode>,
    ) {
        let _ = (before, before_count);
        let HostNode { function, data } = host.get()?;
        // SAFETY: the function is one of the program that takes the pointer (1).
        let function = unsafe { Callback::from_c(function) };
        // SAFETY: as above.
        let data = unsafe { Pointer::from_c(data) };
        add(&node, graph, Work::Host(function, data))
    }

    fn cudaGraphAddEmptyNode(node: Out<u64>, graph: Pointer, before: Pointer, before_count: usize) {
        let _ = (before, before_count);
        add(&node, graph, Work::Nothing)
    }
}
