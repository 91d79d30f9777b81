//! Work of streams: done at once, or kept for a graph where the stream is being captured.

use std::collections::HashMap;

use crate::{
    calls::{Result, alive},
    code::Code,
    context::Context,
    ffi::{Callback, Pointer},
    launch::Prepared,
};

/// Something that a stream does.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Launch(Prepared),
    /// To and from memory with rows so far apart: bytes of a row, and rows.
    Copy {
        places: [(Pointer, usize); 2],
        size: [usize; 2],
        call: &'static str,
    },
    /// Rows of so many elements, so far apart.
    Fill {
        to: (Pointer, usize),
        element: Vec<u8>,
        size: [usize; 2],
        call: &'static str,
    },
    Host(Callback, Pointer),
    Nothing,
}

/// Graphs by their handles, with their work in an order that it can have, and streams that are being captured.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    all: HashMap<u64, Vec<Work>>,
    /// The place of each node in the work of its graph, and of that graph's copies.
    nodes: HashMap<u64, usize>,
    /// The graph that the work of a stream, or of what waits for an event, goes into.
    captured: HashMap<u64, u64>,
}

impl Graphs {
    pub(crate) fn add(&mut self, graph: u64, work: Work) -> Result {
        let graph = self.all.get_mut(&graph).ok_or(Code::INVALID_VALUE)?;
        graph.push(work);
        Ok(())
    }

    /// As [`add`](Self::add), of a node with this handle.
    pub(crate) fn add_node(&mut self, graph: u64, node: u64, work: Work) -> Result {
        self.add(graph, work)?;
        let last = self.get(graph)?.len() - 1;
        self.nodes.insert(node, last);
        Ok(())
    }

    /// Gives a node of a graph, or of a copy of it, other work.
    pub(crate) fn replace(&mut self, graph: u64, node: u64, work: Work) -> Result {
        let index = *self.nodes.get(&node).ok_or(Code::INVALID_VALUE)?;
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

    /// The graph that a stream or an event belongs to.
    pub(crate) fn of(&self, handle: Pointer) -> Option<u64> {
        self.captured.get(&handle.address()).copied()
    }

    /// An event takes part in the capture of its stream, if that is captured.
    pub(crate) fn record(&mut self, event: Pointer, stream: Pointer) {
        self.captured.remove(&event.address());
        self.join(event, stream);
    }

    /// A stream takes part in the capture of an event that it waits for.
    pub(crate) fn join(&mut self, stream: Pointer, event: Pointer) {
        if let Some(graph) = self.of(event) {
            self.captured.insert(stream.address(), graph);
        }
    }
}

impl Context {
    /// A graph with this work.
    pub(crate) fn add_graph(&mut self, work: Vec<Work>) -> u64 {
        let handle = self.handle();
        self.graphs.all.insert(handle, work);
        handle
    }

    pub(crate) fn begin_capture(&mut self, stream: Pointer) -> Result {
        if stream.address() == 0 || self.graphs.of(stream).is_some() {
            return Err(Code::INVALID_VALUE);
        }
        let graph = self.add_graph(Vec::new());
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
                to: (to, pitch),
                element,
                size: [count, rows],
                call,
            } => {
                let mut rows = 0..*rows;
                rows.try_for_each(|row| self.fill(to.add(row * pitch), element, *count, call))
            }
            Work::Host(..) | Work::Nothing => Ok(()),
        }
    }
}

/// Does work, or keeps it for a graph.
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

/// Does work now. Functions of the program may call CUDA.
pub(crate) fn perform(work: &Work) -> Result {
    match work {
        Work::Host(function, data) => function.call(*data),
        work => alive(|context| context.perform(work)),
    }
}
