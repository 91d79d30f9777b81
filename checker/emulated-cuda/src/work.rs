//! Work of streams: performed at once, or added to a graph while the stream is being captured.

use std::collections::HashMap;

use crate::{
    calls::{Result, alive},
    code::Code,
    context::Context,
    ffi::{Callback, Pointer},
    launch::Prepared,
};

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
    fn body(self, bodies: &[u64], condition: u32) -> Option<u64> {
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
    all: HashMap<u64, Vec<Work>>,
    /// The graph of each node, and its index in the work of that graph and of its copies.
    nodes: HashMap<u64, (u64, usize)>,
    /// The graph that captures the work of a stream, or of work that waits for an event.
    captured: HashMap<u64, u64>,
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

impl Context {
    /// Adds a graph with this work.
    pub(crate) fn add_graph(&mut self, work: Vec<Work>) -> u64 {
        let handle = self.handle();
        self.graphs.all.insert(handle, work);
        handle
    }

    /// Copies a graph and its bodies; `frees` selects whether a further launch first frees its memory.
    pub(crate) fn copy_graph(&mut self, graph: u64, frees: bool) -> Result<u64> {
        let mut copy = self.graphs.get(graph)?.to_vec();
        for work in &mut copy {
            match work {
                Work::Conditional { bodies, .. } => {
                    for body in bodies {
                        *body = self.copy_graph(*body, frees)?;
                    }
                }
                Work::Child(child) => *child = self.copy_graph(*child, frees)?,
                Work::Allocate { frees: too, .. } => *too = frees,
                _ => {}
            }
        }
        Ok(self.add_graph(copy))
    }

    /// Returns the nodes of a graph. Nodes of a captured stream get their handles now.
    pub(crate) fn nodes(&mut self, graph: u64) -> Result<Vec<u64>> {
        let work = self.graphs.get(graph)?.iter().enumerate();
        let places = work.filter(|(_, work)| work.node_type().is_some());
        let places: Vec<_> = places.map(|(index, _)| (graph, index)).collect();
        let known = self.graphs.nodes.iter();
        let known: HashMap<_, _> = known.map(|(node, place)| (*place, *node)).collect();
        let mut node = |place| {
            known.get(&place).copied().unwrap_or_else(|| {
                let node = self.handle();
                self.graphs.nodes.insert(node, place);
                node
            })
        };
        Ok(places.into_iter().map(&mut node).collect())
    }

    /// Replaces the work of an instance by a graph with the same kinds of nodes; returns whether they match.
    pub(crate) fn update(&mut self, instance: u64, graph: u64) -> Result<bool> {
        let kinds = |work: &[Work]| work.iter().map(Work::node_type).collect::<Vec<_>>();
        let now = self.graphs.get(instance)?;
        if kinds(now) != kinds(self.graphs.get(graph)?) {
            return Ok(false);
        }
        let frees = now
            .iter()
            .any(|work| matches!(work, Work::Allocate { frees, .. } if *frees));
        let copy = self.copy_graph(graph, frees)?;
        if let Some(work) = self.graphs.all.remove(&copy) {
            self.graphs.all.insert(instance, work);
        }
        Ok(true)
    }

    /// Begins a capture into a new graph, unless one is given.
    pub(crate) fn begin_capture(&mut self, stream: Pointer, graph: Option<u64>) -> Result {
        if stream.address() == 0 || self.graphs.of(stream).is_some() {
            return Err(Code::INVALID_VALUE);
        }
        let graph = match graph {
            Some(graph) => self.graphs.get(graph).map(|_| graph)?,
            None => self.add_graph(Vec::new()),
        };
        self.graphs.captured.insert(stream.address(), graph);
        Ok(())
    }

    pub(crate) fn end_capture(&mut self, stream: Pointer) -> Result<u64> {
        let graph = self.graphs.of(stream).ok_or(Code::INVALID_VALUE)?;
        self.graphs
            .captured
            .retain(|_, captured| *captured != graph);
        Ok(graph)
    }

    fn perform(&mut self, work: &Work) -> Result {
        match work {
            Work::Launch(prepared) => self.run(prepared),
            Work::Copy { places, size, call } => self.copy_rows(*places, *size, call),
            Work::Fill {
                to,
                element,
                size,
                call,
            } => self.fill_rows(*to, element, *size, call),
            Work::Allocate {
                address,
                bytes,
                frees,
            } => self.allocate_of_graph(*address, *bytes, *frees),
            Work::Free(pointer, call) => self.free_memory(*pointer, call),
            Work::Default(handle, value) => {
                let written = self.session.write(*handle, &value.to_le_bytes());
                written.map_err(|_| Code::INVALID_VALUE)
            }
            Work::Host(..) | Work::Conditional { .. } | Work::Child(_) | Work::Nothing => Ok(()),
        }
    }

    /// Returns the condition at an address.
    fn condition(&mut self, handle: u64) -> Result<u32> {
        self.session.synchronise();
        let bytes = self.session.read(handle, size_of::<u32>());
        let bytes = bytes.ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(u32::from_le_bytes).ok_or(Code::INVALID_VALUE)
    }
}

/// Performs all nodes of a graph in order.
pub(crate) fn perform_graph(graph: u64) -> Result {
    let work = alive(|context| Ok(context.graphs.get(graph)?.to_vec()))?;
    work.iter().try_for_each(perform)
}

fn perform_conditional(handle: u64, kind: ConditionKind, bodies: &[u64]) -> Result {
    loop {
        let condition = alive(|context| context.condition(handle))?;
        let Some(body) = kind.body(bodies, condition) else {
            return Ok(());
        };
        perform_graph(body)?;
        if kind != ConditionKind::While {
            return Ok(());
        }
    }
}

/// Performs work, or adds it to a graph.
pub(crate) fn submit(stream: Pointer, work: impl FnOnce(&mut Context) -> Result<Work>) -> Result {
    let work = alive(|context| {
        let work = work(context)?;
        match context.graphs.of(stream) {
            Some(graph) => context.graphs.add(graph, work).map(|()| None),
            None => Ok(Some(work)),
        }
    })?;
    work.map_or(Ok(()), |work| perform(&work))
}

/// Performs work at once. Functions of the program may call CUDA.
pub(crate) fn perform(work: &Work) -> Result {
    match work {
        Work::Host(function, data) => function.call(*data),
        Work::Conditional {
            handle,
            kind,
            bodies,
        } => perform_conditional(*handle, *kind, bodies),
        Work::Child(graph) => perform_graph(*graph),
        work => alive(|context| context.perform(work)),
    }
}
