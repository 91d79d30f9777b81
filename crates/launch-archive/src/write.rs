//! Writing an archive.

use std::io::{self, Write};

use crate::{
    Archive,
    launch::{Header, RegionHeader},
    runs,
    section::{MAGIC, digest, names},
};

impl Archive {
    /// Writes the archive.
    ///
    /// # Errors
    /// The bytes cannot be written.
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
        section(out, names::LAUNCH, &[serde_json::to_vec_pretty(&header)?])?;
        section(out, names::PTX, &[&self.ptx])?;
        for region in &self.memory {
            section(out, names::BEFORE, &runs::pieces(None, &region.before))?;
            if let Some(after) = &region.after {
                let changes = runs::pieces(Some(&region.before), after);
                section(out, names::CHANGES, &changes)?;
            }
        }
        section(out, names::END, &[""; 0])
    }
}

fn section(out: &mut impl Write, name: &[u8; 8], pieces: &[impl AsRef<[u8]>]) -> io::Result<()> {
    let pieces = pieces.iter().map(AsRef::as_ref);
    let len: usize = pieces.clone().map(<[u8]>::len).sum();
    out.write_all(name)?;
    out.write_all(&(len as u64).to_le_bytes())?;
    out.write_all(&digest(name, pieces.clone()).to_le_bytes())?;
    for piece in pieces {
        out.write_all(piece)?;
    }
    Ok(())
}
