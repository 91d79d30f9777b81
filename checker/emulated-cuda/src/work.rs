//! Work of streams: performed at once, or added to a graph while the stream is being captured.

use std::collections::HashMap;

use crate::{
    calls::alive,
    code::{Code, Result},
    context::Context,
    ffi::Pointer,
    stream_work::{ConditionKind, Work},
};

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
