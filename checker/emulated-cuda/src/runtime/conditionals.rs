//! Graph nodes that run their bodies depending on a condition. A handle is the address of the condition's 4 bytes
//! in device memory, where `cudaGraphSetConditional` of a kernel stores.

use crate::{
    calls::{alive, unsupported},
    code::{Code, Result},
    export::export,
    ffi::{FromC, In, Out, Pointer, choice},
    runtime::{
        graph_memory::AllocationNode,
        graphs::{FillNode, HostNode, KernelNode, add},
    },
    stream_work::{ConditionKind, Work},
};

/// `cudaGraphAssignDefault`: each launch of the graph sets the condition to its default value.
const ASSIGN_DEFAULT: u32 = 1;

/// `cudaConditionalNodeParams` without the list of bodies for the caller.
#[repr(C)]
#[derive(Clone, Copy)]
struct ConditionalNode {
    handle: u64,
    kind: i32,
    len: u32,
}

/// Offset in `cudaGraphNodeParams` of the parameters that depend on the node's kind.
const PARAMETERS: usize = 16;

/// Limit for the number of bodies of a node; larger numbers are invalid.
const MOST_BODIES: u32 = 1 << 16;

/// Reads the parameters at an address.
fn parameters<T: Copy>(at: Pointer) -> Result<T> {
    // SAFETY: the caller guarantees parameters of this kind (1).
    unsafe { In::<T>::from_c(at.address() as *const T) }.get()
}

/// Creates a conditional node; returns the graphs of its bodies.
fn conditional(node: &ConditionalNode) -> Result<(Work, Vec<u64>)> {
    let kinds = [
        ConditionKind::If,
        ConditionKind::While,
        ConditionKind::Switch,
    ];
    let kind = choice(&kinds, node.kind)?;
    let fits = match kind {
        ConditionKind::If => node.len == 1 || node.len == 2,
        ConditionKind::While => node.len == 1,
        ConditionKind::Switch => (1..=MOST_BODIES).contains(&node.len),
    };
    if !fits {
        return Err(Code::INVALID_VALUE);
    }
    let bodies: Vec<u64> = alive(|context| {
        let bodies = (0..node.len).map(|_| context.add_graph(Vec::new()));
        Ok(bodies.collect())
    })?;
    let work = Work::Conditional {
        handle: node.handle,
        kind,
        bodies: bodies.clone(),
    };
    Ok((work, bodies))
}

/// Adds a node of the kind in its parameters.
fn add_node(node: &Out<u64>, graph: Pointer, at: Pointer) -> Result {
    let kind = parameters::<i32>(at)?;
    let inside = at.add(PARAMETERS);
    let work = match kind {
        0 => parameters::<KernelNode>(inside)?.work()?,
        2 => parameters::<FillNode>(inside)?.work()?,
        3 => parameters::<HostNode>(inside)?.work(),
        5 => Work::Nothing,
        0xa => {
            let (work, address) = parameters::<AllocationNode>(inside)?.work()?;
            inside
                .add(AllocationNode::ADDRESS)
                .write_host(&address.to_le_bytes())?;
            work
        }
        0xb => Work::Free(inside.pointer_at(0)?, "cudaGraphAddNode"),
        0xd => {
            let (work, bodies) = conditional(&parameters(inside)?)?;
            // The list belongs to the node and lives as long.
            let list = bodies.leak().as_ptr() as u64;
            inside
                .add(size_of::<ConditionalNode>())
                .write_host(&list.to_le_bytes())?;
            work
        }
        _ => return Err(unsupported("cudaGraphAddNode with a node of this kind")),
    };
    add(node, graph, work)
}

export! {
    runtime;

    fn cudaGraphConditionalHandleCreate(handle: Out<u64>, graph: Pointer, default: u32, flags: u32) {
        let call = "cudaGraphConditionalHandleCreate";
        handle.put(alive(|context| {
            let address = context.allocate(size_of::<u32>(), call)?;
            if flags & ASSIGN_DEFAULT != 0 {
                context.graphs.add(graph.address(), Work::Default(address, default))?;
            }
            Ok(address)
        })?)
    }

    // CUDA 12 has no edge data.
    fn cudaGraphAddNode as cudaGraphAddNode_v2 (
        node: Out<u64>,
        graph: Pointer,
        before: Pointer,
        edges: Pointer,
        before_count: usize,
        parameters: Pointer,
    ) {
        let _ = (before, edges);
        if before_count > u32::MAX as usize {
            return Err(unsupported("cudaGraphAddNode of CUDA 12"));
        }
        add_node(&node, graph, parameters)
    }
}
