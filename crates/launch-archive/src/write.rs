//! Writing an archive.

use std::{
    borrow::Cow,
    io::{self, Write},
    sync::mpsc::{SyncSender, sync_channel},
    thread,
};

use crate::{
    Archive, Region,
    launch::{Header, RegionHeader},
    runs,
    section::{MAGIC, digest, names},
};

/// Sections that may wait to be written.
const MOST_WAITING: usize = 2;

impl Archive {
    /// Writes the archive. A thread of its own compares memory while memory is written.
    ///
    /// # Errors
    /// The bytes cannot be written, or there is no thread.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let memory = self.memory.iter().map(|region| RegionHeader {
            name: region.name.clone(),
            kind: region.kind,
            address: region.address,
            bytes: region.before.len() as u64,
            has_after: region.after.is_some(),
        });
        let header = Header {
            launch: self.launch.clone(),
            memory: memory.collect(),
        };
        out.write_all(MAGIC)?;
        Section::whole(names::LAUNCH, &serde_json::to_vec_pretty(&header)?).write(out)?;
        Section::whole(names::PTX, self.ptx.as_bytes()).write(out)?;
        thread::scope(|scope| {
            let (to, sections) = sync_channel(MOST_WAITING);
            thread::Builder::new()
                .name("launch archive".to_owned())
                .spawn_scoped(scope, move || compare(&self.memory, &to))?;
            sections
                .into_iter()
                .try_for_each(|section| section.write(out))
        })?;
        Section::whole(names::END, &[]).write(out)
    }
}

/// Sends the sections of memory, until nobody wants them any more.
fn compare<'a>(memory: &'a [Region], to: &SyncSender<Section<'a>>) {
    for Region { before, after, .. } in memory {
        let before_launch = Section::new(names::BEFORE, runs::pieces(None, before));
        let changes = after
            .iter()
            .map(|after| Section::new(names::CHANGES, runs::pieces(Some(before), after)));
        for section in std::iter::once(before_launch).chain(changes) {
            if to.send(section).is_err() {
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
    fn whole(name: &'static [u8; 8], bytes: &'a [u8]) -> Self {
        Self::new(name, vec![Cow::Borrowed(bytes)])
    }

    fn new(name: &'static [u8; 8], pieces: Vec<Cow<'a, [u8]>>) -> Self {
        let digest = digest(name, pieces.iter().map(AsRef::as_ref));
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
    use crate::{Kind, Launch};

    /// A file on a medium with so much room.
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
            kind: Kind::Allocation,
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
