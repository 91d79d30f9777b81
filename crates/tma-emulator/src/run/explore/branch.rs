//! Subtrees that another thread explores.
//!
//! An execution depends on the choices before it and on the processes that sleep. The processes to be tried at a choice are
//! only added to, at the end. So the next process to try at a choice, once the process of the current execution counts as gone,
//! will be the next whatever is found until then, and its whole subtree can be explored ahead. What the subtree asks of
//! choices before it is kept, and asked when the search comes there: in the same order as if it had explored the subtree
//! itself, so that the answer is the same.

use super::{
    event::{Event, Process},
    path::{Node, Path},
};

/// A choice that a subtree has not made itself; one of the processes is to be tried there.
pub(super) type Request = (usize, Vec<Process>);

/// The choices up to a subtree.
pub(crate) struct Branch {
    nodes: Vec<Node>,
    events: Vec<Event>,
}

/// The result of a subtree that was explored.
pub(crate) struct Explored {
    node: Node,
    requests: Vec<Request>,
}

impl Path {
    /// Gives the largest subtree away that is left, unless it is the only one. Returns it with its number of choices.
    pub(super) fn give(&mut self) -> Option<(usize, Branch)> {
        let nodes = self.nodes.iter().enumerate().skip(self.floor);
        let mut open = nodes.filter(|(_, node)| !node.is_given && node.has_others());
        let (depth, _) = open.next()?;
        open.next()?;
        let mut nodes = self.nodes[..=depth].to_vec();
        let last = &mut nodes[depth];
        last.settle(self.events.get(depth));
        last.chosen = last.next()?;
        self.nodes[depth].is_given = true;
        let branch = Branch {
            nodes,
            events: self.events[..depth].to_vec(),
        };
        Some((depth + 1, branch))
    }

    /// Returns the path of a search through a subtree.
    pub(super) fn of_branch(branch: Branch) -> Self {
        let mut path = Self::new(None, false);
        path.floor = branch.nodes.len();
        (path.nodes, path.events) = (branch.nodes, branch.events);
        path
    }

    /// Keeps what is to be asked of a choice before the subtree.
    pub(super) fn request(&mut self, at: usize, initials: Vec<Process>) {
        let request = (at, initials);
        if !self.requests.contains(&request) {
            self.requests.push(request);
        }
    }

    /// Ends the exploration of a subtree.
    pub(super) fn into_explored(mut self) -> Option<Explored> {
        Some(Explored {
            node: self.nodes.pop()?,
            requests: self.requests,
        })
    }

    /// Takes what was explored below the last choice.
    pub(super) fn adopt(&mut self, explored: Explored) {
        if let Some(last) = self.nodes.last_mut() {
            (last.done, last.idle) = (explored.node.done, explored.node.idle);
        }
        for (at, initials) in explored.requests {
            match at < self.floor {
                true => self.request(at, initials),
                false => self.plan(at, initials),
            }
        }
    }
}
