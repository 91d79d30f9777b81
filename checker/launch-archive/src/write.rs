//! Writing an archive.

use std::{
    borrow::Cow,
    io::{self, Write},
    ptr,
    sync::mpsc::{SyncSender, sync_channel},
    thread,
};

use crate::{
    Archive, Launch, MemoryKind, PART_BYTES, Region,
    launch::{Header, RegionHeader},
    runs,
    section::{MAGIC, digest, names},
};

/// Maximum number of sections that wait to be written.
const MOST_WAITING: usize = 8;

/// Memory of a launch to write, in parts of [`PART_BYTES`].
#[derive(Clone, Debug)]
pub struct RegionParts<'a> {
    /// The call that allocated it and its number, or the name of a variable.
    pub name: &'a str,
    /// The kind of memory.
    pub kind: MemoryKind,
    /// The address on the GPU.
    pub address: u64,
    /// The bytes before the launch.
    pub before: Vec<&'a [u8]>,
    /// The bytes after the launch; `None` if they could not be read. A part that is the same slice as before is not
    /// compared.
    pub after: Option<Vec<&'a [u8]>>,
}

impl<'a> From<&'a Region> for RegionParts<'a> {
    fn from(region: &'a Region) -> Self {
        let parts = |bytes: &'a Vec<u8>| bytes.chunks(PART_BYTES).collect();
        Self {
            name: &region.name,
            kind: region.kind,
            address: region.address,
            before: parts(&region.before),
            after: region.after.as_ref().map(parts),
        }
    }
}

impl Archive {
    /// Writes the archive.
    ///
    /// # Errors
    /// The bytes cannot be written, or a thread cannot be started.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let memory: Vec<_> = self.memory.iter().map(RegionParts::from).collect();
        write(&self.launch, &self.ptx, &memory, out)
    }
}

/// Writes an archive of memory in parts. A separate thread compares memory while other memory is written.
///
/// # Errors
/// The bytes cannot be written, or a thread cannot be started.
pub fn write(
    launch: &Launch,
    ptx: &str,
    memory: &[RegionParts<'_>],
    out: &mut impl Write,
) -> io::Result<()> {
    let headers = memory.iter().map(|region| RegionHeader {
        name: region.name.to_owned(),
        kind: region.kind,
        address: region.address,
        bytes: region.before.iter().map(|part| part.len() as u64).sum(),
        has_after: region.after.is_some(),
    });
    let header = Header {
        launch: launch.clone(),
        memory: headers.collect(),
    };
    let json = serde_json::to_vec_pretty(&header)?;
    out.write_all(MAGIC)?;
    Section::whole(names::LAUNCH, 0, &json).write(out)?;
    Section::whole(names::PTX, 1, ptx.as_bytes()).write(out)?;
    let mut count = 2;
    thread::scope(|scope| {
        let (to, sections) = sync_channel(MOST_WAITING);
        thread::Builder::new()
            .name("launch archive".to_owned())
            .spawn_scoped(scope, move || compare(memory, count, &to))?;
        sections.into_iter().try_for_each(|section: Section<'_>| {
            count += 1;
            section.write(out)
        })
    })?;
    Section::whole(names::END, count, &[]).write(out)
}

/// Sends the sections of memory until the receiver is dropped.
fn compare<'a>(memory: &'a [RegionParts<'a>], mut index: u64, to: &SyncSender<Section<'a>>) {
    let mut send = |name, pieces| {
        let sent = to.send(Section::new(name, index, pieces));
        index += 1;
        sent.is_ok()
    };
    for RegionParts { before, after, .. } in memory {
        for (part, before) in before.iter().enumerate() {
            let mut is_wanted = send(names::BEFORE, runs::pieces(None, before));
            if let Some(after) = after {
                let changes = match after[part] {
                    after if ptr::eq(after, *before) => Vec::new(),
                    after => runs::pieces(Some(before), after),
                };
                is_wanted = is_wanted && send(names::CHANGES, changes);
            }
            if !is_wanted {
                return;
            }
        }
    }
}

struct Section<'a> {
    name: &'static [u8; 8],
    pieces: Vec<Cow<'a, [u8]>>,
    digest: u64,
}

impl<'a> Section<'a> {
    fn whole(name: &'static [u8; 8], index: u64, bytes: &'a [u8]) -> Self {
        Self::new(name, index, vec![Cow::Borrowed(bytes)])
    }

    fn new(name: &'static [u8; 8], index: u64, pieces: Vec<Cow<'a, [u8]>>) -> Self {
        let digest = digest(name, index, pieces.iter().map(AsRef::as_ref));
        Self {
            name,
            pieces,
            digest,
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let len: usize = self.pieces.iter().map(|piece| piece.len()).sum();
        out.write_all(self.name)?;
        out.write_all(&(len as u64).to_le_bytes())?;
        out.write_all(&self.digest.to_le_bytes())?;
        self.pieces
            .iter()
            .try_for_each(|piece| out.write_all(piece))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file on a medium with limited space.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let left = self.0.checked_sub(bytes.len());
            self.0 = left.ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_medium_without_room_is_an_error_wherever_it_ends() {
        let region = |byte: u8| Region {
            name: format!("cuMemAlloc {byte}"),
            kind: MemoryKind::Allocation,
            address: u64::from(byte) << 20,
            before: vec![byte; 1000],
            after: (!byte.is_multiple_of(3)).then(|| vec![byte + 1; 1000]),
        };
        let archive = Archive {
            launch: Launch::default(),
            ptx: ".version 8.0".to_owned(),
            memory: (0..20).map(region).collect(),
        };
        let mut bytes = Vec::new();
        archive.write(&mut bytes).unwrap();
        assert_eq!(Archive::read(&bytes), Ok(archive.clone()));
        assert!(archive.write(&mut Full(bytes.len())).is_ok());
        for room in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            let error = archive.write(&mut Full(room)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{room}");
        }
    }
}
