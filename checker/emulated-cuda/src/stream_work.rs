//! The work of streams, and the graphs that contain it.

use std::collections::HashMap;

use tma_emulator::ModuleId;
use tma_launch::{Argument, Launch, Shape};

use crate::{
    code::{Code, Result},
    ffi::{Callback, Pointer},
};

/// A launch with its arguments read.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// The program's function or handle that identifies the kernel.
    pub(crate) key: u64,
    pub(crate) module: ModuleId,
    pub(crate) launch: Launch,
    pub(crate) stream: u64,
}

impl Prepared {
    pub(crate) fn shape(&self) -> &Shape {
        &self.launch.shape
    }

    /// Returns the bytes of all arguments.
    pub(crate) fn values(&self) -> Result<Vec<Vec<u8>>> {
        let values = self.launch.arguments.iter().map(Argument::to_bytes);
        let values: std::result::Result<_, _> = values.collect();
        values.map_err(|_| Code::INVALID_VALUE)
    }
}

/// An item of a stream's work.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Launch(Prepared),
    /// Copies between memory with pitches: bytes per row, and rows.
    Copy {
        places: [(Pointer, usize); 2],
        size: [usize; 2],
        call: &'static str,
    },
    /// Fills rows of elements with a pitch.
    Fill {
        to: (Pointer, usize),
        element: Vec<u8>,
        size: [usize; 2],
        call: &'static str,
    },
    Host(Callback, Pointer),
    /// Allocates memory of a graph at its fixed address; if `frees`, a remaining allocation of the previous launch
    /// is freed first.
    Allocate {
        address: u64,
        bytes: usize,
        frees: bool,
    },
    /// Frees memory; the name is the requesting call.
    Free(Pointer, &'static str),
    /// Sets a condition to its default value.
    Default(u64, u32),
    /// Performs graphs depending on the condition at an address.
    Conditional {
        handle: u64,
        kind: ConditionKind,
        bodies: Vec<u64>,
    },
    /// Performs another graph.
    Child(u64),
    Nothing,
}

/// The effect of a condition on the bodies of its node: `cudaGraphConditionalNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConditionKind {
    /// Runs the first body if it is not 0, otherwise the second.
    If,
    /// Runs the body while it is not 0.
    While,
    /// Runs the body with this index.
    Switch,
}

impl ConditionKind {
    /// Returns the body to run next.
    pub(crate) fn body(self, bodies: &[u64], condition: u32) -> Option<u64> {
        let index = match self {
            Self::If => usize::from(condition == 0),
            Self::While if condition == 0 => return None,
            Self::While => 0,
            Self::Switch => condition as usize,
        };
        bodies.get(index).copied()
    }
}

impl Work {
    /// Returns its number in `cudaGraphNodeType`; `None` if it is not a node of the program.
    pub(crate) fn node_type(&self) -> Option<i32> {
        Some(match self {
            Self::Launch(_) => 0,
            Self::Copy { .. } => 1,
            Self::Fill { .. } => 2,
            Self::Host(..) => 3,
            Self::Child(_) => 4,
            Self::Nothing => 5,
            Self::Allocate { .. } => 10,
            Self::Free(..) => 11,
            Self::Conditional { .. } => 13,
            Self::Default(..) => return None,
        })
    }
}

/// Graphs by handle, with their work in a valid order, and streams in capture.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    pub(crate) all: HashMap<u64, Vec<Work>>,
    /// The graph of each node, and its index in the work of that graph and of its copies.
    pub(crate) nodes: HashMap<u64, (u64, usize)>,
    /// The graph that captures the work of a stream, or of work that waits for an event.
    pub(crate) captured: HashMap<u64, u64>,
}

impl Graphs {
    pub(crate) fn add(&mut self, graph: u64, work: Work) -> Result {
        let graph = self.all.get_mut(&graph).ok_or(Code::INVALID_VALUE)?;
        graph.push(work);
        Ok(())
    }

    /// Like [`add`](Self::add), with the given handle of the node.
    pub(crate) fn add_node(&mut self, graph: u64, node: u64, work: Work) -> Result {
        self.add(graph, work)?;
        let last = self.get(graph)?.len() - 1;
        self.nodes.insert(node, (graph, last));
        Ok(())
    }

    /// Returns the graph of a node, and its index there.
    pub(crate) fn place(&self, node: u64) -> Result<(u64, usize)> {
        self.nodes.get(&node).copied().ok_or(Code::INVALID_VALUE)
    }

    /// Replaces the work of a node in a graph or its copy.
    pub(crate) fn replace(&mut self, graph: u64, node: u64, work: Work) -> Result {
        let (_, index) = self.place(node)?;
        let all = self.all.get_mut(&graph).ok_or(Code::INVALID_VALUE)?;
        *all.get_mut(index).ok_or(Code::INVALID_VALUE)? = work;
        Ok(())
    }

    pub(crate) fn get(&self, graph: u64) -> Result<&[Work]> {
        let graph = self.all.get(&graph).ok_or(Code::INVALID_VALUE)?;
        Ok(graph)
    }

    pub(crate) fn remove(&mut self, graph: u64) -> Result {
        let removed = self.all.remove(&graph);
        removed.map(drop).ok_or(Code::INVALID_VALUE)
    }

    /// Returns the graph that a stream or an event belongs to.
    pub(crate) fn of(&self, handle: Pointer) -> Option<u64> {
        self.captured.get(&handle.address()).copied()
    }

    /// Adds an event to the capture of its stream, if that is being captured.
    pub(crate) fn record(&mut self, event: Pointer, stream: Pointer) {
        self.captured.remove(&event.address());
        self.join(event, stream);
    }

    /// Adds a stream to the capture of an event that it waits for.
    pub(crate) fn join(&mut self, stream: Pointer, event: Pointer) {
        if let Some(graph) = self.of(event) {
            self.captured.insert(stream.address(), graph);
        }
    }
}
