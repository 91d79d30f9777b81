//! The launches that may still run while the next one does.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    copy_table::Issuers,
    diagnostic::Site,
    finding::verb,
    grid::Extents,
    shadow::{Access, Actor, Past},
};
use crate::machine::{Places, observer::AccessKind};

/// The launches of a stream that may still run, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight(pub(super) Vec<EarlierLaunch>);

/// A launch that may still run.
#[derive(Clone, Debug)]
pub(super) struct EarlierLaunch {
    pub(super) done: Arc<FinishedLaunch>,
    /// True if a wait for the last launch covers this one.
    pub(super) is_awaited: bool,
}

/// The accesses to global memory that a launch has made.
#[derive(Debug)]
pub(super) struct FinishedLaunch {
    pub(super) entry: String,
    pub(super) past: Past,
    pub(super) places: Places,
    pub(super) extents: Extents,
    /// The thread that issued each copy, of those that are known.
    pub(super) issuers: Issuers,
    /// Instructions that made an access, without block, thread and action.
    pub(super) sites: BTreeMap<usize, Site>,
}

impl InFlight {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The operations of `griddepcontrol` that a grid has executed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dependency {
    /// A thread has waited for the launches before.
    pub(super) waits: bool,
    /// A thread has let the next launch begin.
    pub(super) lets: bool,
    /// A thread that did not know of the end of the earlier launches has done so.
    pub(super) lets_early: bool,
}

impl FinishedLaunch {
    pub(super) fn site(&self, access: Access, kind: AccessKind, what: &str) -> Site {
        let (thread, issues) = match access.actor() {
            Actor::Thread(thread) => (thread, false),
            Actor::Async(thread) => (thread, true),
            Actor::Copy { id, .. } => {
                let issuer = self.issuers.get(id as usize);
                (issuer.unwrap_or_default(), true)
            }
        };
        let (block, thread) = self.extents.split(thread);
        let does = verb(kind);
        let does = match issues {
            true => format!("issues a copy that {does}"),
            false => does.to_owned(),
        };
        let of = format!("in the launch of `{}` before", self.entry);
        let mut site = self.sites.get(&access.instruction()).cloned();
        let site = site.get_or_insert_default();
        Site {
            block: self.places.block(block.into()),
            thread: self.places.thread(thread),
            what: format!("{does} {what} {of}"),
            ..std::mem::take(site)
        }
    }
}
