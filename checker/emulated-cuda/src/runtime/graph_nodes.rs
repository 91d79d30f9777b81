//! Graph nodes: listing them, and changing their work.

use crate::{
    calls::{alive, unsupported},
    code::{Code, Result},
    export::export,
    ffi::{In, Out, Pointer},
    runtime::graphs::{FillNode, HostNode, KernelNode, add},
    stream_work::Work,
};

/// Returns the work of a node.
fn work(node: Pointer) -> Result<Work> {
    alive(|context| {
        let (graph, index) = context.graphs.place(node.address())?;
        let work = context.graphs.get(graph)?.get(index);
        work.cloned().ok_or(Code::INVALID_VALUE)
    })
}

/// Replaces the work of a node in an instance.
fn replace(instance: Pointer, node: Pointer, work: Work) -> Result {
    alive(|context| {
        let graphs = &mut context.graphs;
        graphs.replace(instance.address(), node.address(), work)
    })
}

/// Replaces the work of a node in a graph.
fn set(node: Pointer, work: Work) -> Result {
    alive(|context| {
        let (graph, _) = context.graphs.place(node.address())?;
        context.graphs.replace(graph, node.address(), work)
    })
}

/// Returns the work of a node that copies bytes.
fn copy(to: Pointer, from: Pointer, bytes: usize, direction: i32) -> Result<Work> {
    let (size, call) = ([bytes, 1], "cudaGraphMemcpyNodeSetParams1D");
    alive(|context| context.check_direction(direction, [to, from], size, call))?;
    let places = [(to, bytes), (from, bytes)];
    Ok(Work::Copy { places, size, call })
}

/// Returns a copy of a graph as the work of a node.
fn child(graph: Pointer) -> Result<Work> {
    let copy = alive(|context| context.copy_graph(graph.address(), false))?;
    Ok(Work::Child(copy))
}

/// `cudaGraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct UpdateResult {
    result: i32,
    node: u64,
    from: u64,
}

/// `cudaGraphExecUpdateErrorTopologyChanged`.
const TOPOLOGY_CHANGED: i32 = 2;

export! {
    runtime;

    fn cudaGraphGetNodes(graph: Pointer, nodes: Pointer, count: Out<usize>) {
        let all = alive(|context| context.nodes(graph.address()))?;
        if nodes.address() != 0 {
            let room = count.get()?;
            let is_mapped = room.checked_mul(size_of::<u64>()).is_some_and(|bytes| nodes.is_mapped(bytes));
            if !is_mapped {
                return Err(Code::INVALID_VALUE);
            }
            // Entries after the last node are null.
            let places = all.iter().copied().chain(std::iter::repeat(0)).take(room);
            let bytes: Vec<u8> = places.flat_map(u64::to_le_bytes).collect();
            nodes.write_host(&bytes)?;
        }
        count.put(all.len())
    }

    fn cudaGraphNodeGetType(node: Pointer, kind: Out<i32>) {
        kind.put(work(node)?.node_type().ok_or(Code::INVALID_VALUE)?)
    }

    fn cudaGraphKernelNodeGetParams(node: Pointer, kernel: Out<KernelNode>) {
        match work(node)? {
            Work::Launch(launch) => kernel.put(KernelNode::of(&launch)?),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    // Nodes keep their order of creation, which must fit. CUDA 12 passes the count in place of the edges.
    fn cudaGraphAddDependencies as cudaGraphAddDependencies_v2 (
        graph: Pointer,
        from: In<u64>,
        to: In<u64>,
        edges: Pointer,
        count: usize,
    ) {
        let count = match edges.address() {
            few @ 1..=0xffff => few as usize,
            _ => count,
        };
        let edges = from.list(count)?.into_iter().zip(to.list(count)?);
        for (from, to) in edges {
            let [from, to] = [from, to].map(|node| alive(|context| context.graphs.place(node)));
            let ((in_graph, from), (other, to)) = (from?, to?);
            if in_graph != graph.address() || other != in_graph || from == to {
                return Err(Code::INVALID_VALUE);
            }
            if from > to {
                return Err(unsupported("cudaGraphAddDependencies on a node that was made later"));
            }
        }
        Ok(())
    }

    fn cudaGraphAddChildGraphNode(
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        before_count: usize,
        inner: Pointer,
    ) {
        let _ = (before, before_count);
        add(&node, graph, child(inner)?)
    }

    fn cudaGraphExecUpdate(instance: Pointer, graph: Pointer, result: Out<UpdateResult>) {
        let fits = alive(|context| context.update(instance.address(), graph.address()))?;
        let outcome = if fits { 0 } else { TOPOLOGY_CHANGED };
        result.put_if_any(UpdateResult { result: outcome, node: 0, from: 0 });
        fits.then_some(()).ok_or(Code::GRAPH_UPDATE)
    }

    fn cudaGraphKernelNodeSetParams(node: Pointer, kernel: In<KernelNode>) {
        set(node, kernel.get()?.work()?)
    }

    fn cudaGraphExecKernelNodeSetParams(instance: Pointer, node: Pointer, kernel: In<KernelNode>) {
        replace(instance, node, kernel.get()?.work()?)
    }

    fn cudaGraphMemsetNodeSetParams(node: Pointer, fill: In<FillNode>) {
        set(node, fill.get()?.work()?)
    }

    fn cudaGraphExecMemsetNodeSetParams(instance: Pointer, node: Pointer, fill: In<FillNode>) {
        replace(instance, node, fill.get()?.work()?)
    }

    fn cudaGraphHostNodeSetParams(node: Pointer, host: In<HostNode>) {
        set(node, host.get()?.work())
    }

    fn cudaGraphExecHostNodeSetParams(instance: Pointer, node: Pointer, host: In<HostNode>) {
        replace(instance, node, host.get()?.work())
    }

    fn cudaGraphMemcpyNodeSetParams1D(node: Pointer, to: Pointer, from: Pointer, bytes: usize, direction: i32) {
        set(node, copy(to, from, bytes, direction)?)
    }

    fn cudaGraphExecMemcpyNodeSetParams1D(
        instance: Pointer,
        node: Pointer,
        to: Pointer,
        from: Pointer,
        bytes: usize,
        direction: i32,
    ) {
        replace(instance, node, copy(to, from, bytes, direction)?)
    }

    fn cudaGraphExecChildGraphNodeSetParams(instance: Pointer, node: Pointer, inner: Pointer) {
        replace(instance, node, child(inner)?)
    }
}
