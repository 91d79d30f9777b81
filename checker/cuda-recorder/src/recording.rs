//! A recorded launch that is not yet written.

use std::{io, sync::Arc};

use launch_archive::{Launch, MemoryKind};

use crate::{code::Text, parts::Parts};

#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) launch: Launch,
    pub(crate) text: Arc<Text>,
    pub(crate) memory: Vec<Region>,
}

/// A region of memory that the launch can reach.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) name: String,
    pub(crate) kind: MemoryKind,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) before: Parts,
    /// `None` if it could not be read.
    pub(crate) after: Option<Parts>,
}

impl Recording {
    /// Writes the archive.
    pub(crate) fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        let memory = self
            .memory
            .iter()
            .map(|region| launch_archive::RegionParts {
                name: &region.name,
                kind: region.kind,
                address: region.address,
                before: slices(&region.before),
                after: region.after.as_ref().map(slices),
            });
        let memory: Vec<_> = memory.collect();
        launch_archive::write(&self.launch, &self.text.text, &memory, out)
    }
}

fn slices(parts: &Parts) -> Vec<&[u8]> {
    parts.iter().map(|part| &part[..]).collect()
}
