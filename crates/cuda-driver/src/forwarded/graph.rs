//! Graph management.

use std::ffi::{c_char, c_uint};

use cust_raw::{CUDA_KERNEL_NODE_PARAMS, CUgraph, CUgraphNode, CUgraphNodeType};

use crate::forward::forward;

forward! {
    fn cuGraphAddKernelNode(
        phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
        numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    );
    fn cuGraphCreate(phGraph: *mut CUgraph, flags: c_uint);
    fn cuGraphDebugDotPrint(hGraph: CUgraph, path: *const c_char, flags: c_uint);
    fn cuGraphDestroy(hGraph: CUgraph);
    fn cuGraphGetEdges(hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, numEdges: *mut usize);
    fn cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize);
    fn cuGraphKernelNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS);
    fn cuGraphNodeGetType(hNode: CUgraphNode, kind: *mut CUgraphNodeType);
}
