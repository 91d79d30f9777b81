//! The execution of operations, which each family implements.

use crate::{
    inst::{Operation, Step},
    machine::{Cluster, Cta, Flow, Group, Here, Program, Stuck, Trapped, Wait, Warp, World},
    value::lanes_of,
};

/// Executed by the lanes of a group together.
pub(crate) trait Execute {
    /// Executes the operation for the lanes that are active.
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped>;

    /// Returns whether lanes with a false guard continue without the others.
    fn splits(&self) -> bool {
        false
    }

    /// Returns whether a group that waits in it can go on.
    fn is_over(&self, _waiting: &Waiting<'_>) -> bool {
        true
    }

    /// Continues after a wait; `false` in the last argument means that the wait gave up.
    fn resume(&self, _step: &mut Step<'_>, _wait: Wait, _gives_up: bool) -> Result<Flow, Trapped> {
        Ok(Flow::Next)
    }

    /// Describes the wait of a group in it: "for ...", "at ...".
    fn describe(&self, _waiting: &Waiting<'_>) -> String {
        String::new()
    }

    /// Returns the cause of a deadlock that a group's wait shows.
    fn stuck(&self, _waiting: &Waiting<'_>) -> Option<Stuck> {
        None
    }
}

/// Calls `f` for one active lane after the other.
pub(crate) fn each_lane(
    step: &mut Step<'_>,
    mut f: impl FnMut(&mut Step<'_>, usize) -> Result<(), Trapped>,
) -> Result<Flow, Trapped> {
    for lane in lanes_of(step.active) {
        f(step, lane)?;
    }
    Ok(Flow::Next)
}

/// A group that waits in an operation.
pub(crate) struct Waiting<'a> {
    pub(crate) world: &'a World,
    pub(crate) program: &'a Program,
    pub(crate) operations: &'a [Operation],
    pub(crate) here: Here,
    pub(crate) warp: &'a Warp,
    pub(crate) group: &'a Group,
    pub(crate) wait: &'a Wait,
}

impl<'a> Waiting<'a> {
    pub(crate) fn cluster(&self) -> &'a Cluster {
        &self.world.clusters[self.here.cluster]
    }

    pub(crate) fn cta(&self) -> &'a Cta {
        &self.cluster().ctas[self.here.rank]
    }
}
