//! Reading of archives, which are untrusted.

use std::fmt::{self, Display, Formatter};

use crate::{
    Archive, Region,
    launch::{Header, RegionHeader},
    runs,
    section::{HEAD_BYTES, MAGIC, PART_BYTES, digest, names},
};

/// Size limit of a region in bytes, larger than any GPU's memory; a small archive could request more.
const MOST_BYTES: u64 = 1 << 40;

/// The reason why an archive is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The offset in the file where the damage was detected.
    pub offset: u64,
    /// The reason.
    pub what: String,
}

impl Display for Damage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.what)
    }
}

impl std::error::Error for Damage {}

impl Archive {
    /// Reads an archive from the bytes of its file.
    ///
    /// # Errors
    /// The bytes are not an archive, or are truncated or altered.
    pub fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let mut sections = Sections::begin(bytes)?;
        let (start, header) = sections.next(names::LAUNCH)?;
        let header = serde_json::from_slice(header);
        let Header { launch, memory } = header.map_err(|error| Damage {
            offset: start as u64,
            what: format!("the description of the launch is invalid: {error}"),
        })?;
        let (start, ptx) = sections.next(names::PTX)?;
        let ptx = std::str::from_utf8(ptx).map_err(|error| Damage {
            offset: (start + error.valid_up_to()) as u64,
            what: "the PTX is not UTF-8".to_owned(),
        })?;
        let memory = memory
            .into_iter()
            .map(|header| region(&mut sections, header));
        let archive = Self {
            launch,
            ptx: ptx.to_owned(),
            memory: memory.collect::<Result<_, _>>()?,
        };
        sections.next(names::END)?;
        match sections.at == bytes.len() {
            true => Ok(archive),
            false => Err(Damage {
                offset: sections.at as u64,
                what: format!("{} bytes follow the end", bytes.len() - sections.at),
            }),
        }
    }
}

fn region(sections: &mut Sections<'_>, header: RegionHeader) -> Result<Region, Damage> {
    let RegionHeader {
        name,
        kind,
        address,
        bytes,
        has_after,
    } = header;
    let at = sections.at as u64;
    let too_large = || Damage {
        offset: at,
        what: format!("cannot allocate the {bytes} bytes of {name}"),
    };
    if bytes > MOST_BYTES {
        return Err(too_large());
    }
    let bytes = bytes as usize;
    let mut before = Vec::new();
    let mut after = has_after.then(Vec::new);
    while before.len() < bytes {
        let part = before.len();
        let end = bytes.min(part + PART_BYTES);
        // The sections may end long before this many bytes.
        for all in std::iter::once(&mut before).chain(&mut after) {
            all.try_reserve_exact(end - part).map_err(|_| too_large())?;
        }
        before.resize(end, 0);
        sections.apply(names::BEFORE, &name, &mut before[part..])?;
        if let Some(after) = &mut after {
            after.extend_from_slice(&before[part..]);
            sections.apply(names::CHANGES, &name, &mut after[part..])?;
        }
    }
    Ok(Region {
        name,
        kind,
        address,
        before,
        after,
    })
}

struct Sections<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Number of sections read so far.
    count: u64,
}

impl<'a> Sections<'a> {
    fn begin(bytes: &'a [u8]) -> Result<Self, Damage> {
        let is_start = MAGIC.starts_with(bytes);
        if !bytes.starts_with(MAGIC) && !is_start {
            let same = bytes.iter().zip(MAGIC).take_while(|(a, b)| a == b);
            return Err(Damage {
                offset: same.count() as u64,
                what: "not an archive of a launch, or one of another version".to_owned(),
            });
        }
        let sections = Self {
            bytes,
            at: MAGIC.len(),
            count: 0,
        };
        match is_start && bytes.len() < MAGIC.len() {
            true => Err(sections.cut_off("its first 16 bytes are")),
            false => Ok(sections),
        }
    }

    /// Returns the offset and the bytes of the next section.
    fn next(&mut self, name: &[u8; 8]) -> Result<(usize, &'a [u8]), Damage> {
        let title = String::from_utf8_lossy(name);
        let title = title.trim_end();
        let head_at = self.at;
        let Some((head, rest)) = self.bytes[head_at..].split_at_checked(HEAD_BYTES) else {
            return Err(self.cut_off(&format!("the section `{title}` at byte {head_at} is")));
        };
        let (words, _) = head.as_chunks::<8>();
        let [found, len, expected] = [0, 1, 2].map(|index| words[index]);
        let len = u64::from_le_bytes(len);
        let altered = |end: u64| Damage {
            offset: head_at as u64,
            what: format!("the section `{title}`, bytes {head_at} to {end}, was altered"),
        };
        if found != *name {
            return Err(altered((head_at + HEAD_BYTES) as u64));
        }
        let content = usize::try_from(len).ok().and_then(|len| rest.get(..len));
        let Some(content) = content else {
            let why = format!("the section `{title}` at byte {head_at} has {len} bytes and is");
            return Err(self.cut_off(&why));
        };
        let start = head_at + HEAD_BYTES;
        self.at = start + content.len();
        let index = self.count;
        self.count += 1;
        match digest(name, index, std::iter::once(content)) == u64::from_le_bytes(expected) {
            true => Ok((start, content)),
            false => Err(altered(self.at as u64)),
        }
    }

    /// Applies the runs of the next section to a part of a region.
    fn apply(&mut self, name: &[u8; 8], region: &str, part: &mut [u8]) -> Result<(), Damage> {
        let (start, runs) = self.next(name)?;
        runs::apply(runs, part).map_err(|at| Damage {
            offset: (start + at) as u64,
            what: format!("runs of {region} are out of its bounds"),
        })
    }

    fn cut_off(&self, what: &str) -> Damage {
        Damage {
            offset: self.bytes.len() as u64,
            what: format!("the file ends here; {what} cut off"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Launch, MemoryKind, Reading, Texels, TextureObject};

    fn archive() -> Archive {
        let region = |name: &str, kind, address, bytes: usize, after| Region {
            name: name.to_owned(),
            kind,
            address,
            before: (0..bytes).map(|index| (index % 7) as u8).collect(),
            after,
        };
        Archive {
            launch: Launch {
                program: "reverse".to_owned(),
                number: 3,
                entry: "k".to_owned(),
                grid: [2, 3, 4],
                block: [64, 1, 1],
                cluster: Some([2, 1, 1]),
                shared_bytes: 1000,
                cooperative: true,
                arguments: vec![vec![1, 0xff], vec![], vec![0; 8]],
                device: "a GPU".to_owned(),
                driver: 13000,
                objects: vec![TextureObject {
                    handle: 7,
                    texels: Texels::Array {
                        array: 0x55,
                        extents: [7, 5, 0],
                        flags: 2,
                    },
                    format: 0x20,
                    channels: 1,
                    reading: Some(Reading {
                        address_modes: [1, 2, 3],
                        filter: 1,
                        flags: 2,
                        border: [f32::NAN.to_bits(), 0, 1, 2],
                    }),
                }],
                gaps: vec!["something".to_owned()],
                error: None,
            },
            ptx: ".version 8.0\n".to_owned(),
            memory: vec![
                region(
                    "a",
                    MemoryKind::Allocation,
                    0x7f00_0000_0000,
                    1003,
                    Some(vec![5; 1003]),
                ),
                region("v", MemoryKind::Variable, 0x7f00_0001_0000, 4, None),
                region("c", MemoryKind::Constant, 0, 0, None),
            ],
        }
    }

    fn written() -> Vec<u8> {
        let mut bytes = Vec::new();
        archive().write(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Archive::read(&written()), Ok(archive()));
    }

    #[test]
    fn an_archive_that_is_cut_off_is_refused_at_its_end() {
        let bytes = written();
        for len in 0..bytes.len() {
            let damage = Archive::read(&bytes[..len]).unwrap_err();
            assert_eq!(damage.offset, len as u64, "{damage}");
            assert!(damage.what.starts_with("the file ends here"), "{damage}");
        }
        let long = [&bytes[..], &[0]].concat();
        let damage = Archive::read(&long).unwrap_err();
        assert_eq!(damage.offset, bytes.len() as u64);
    }

    #[test]
    fn an_archive_that_is_altered_is_refused_where_it_was() {
        let bytes = written();
        for at in 0..bytes.len() {
            for bit in [0x01, 0x80] {
                let mut altered = bytes.clone();
                altered[at] ^= bit;
                let damage = Archive::read(&altered).unwrap_err();
                // An altered length may make the file appear too short.
                let is_length = damage.offset == bytes.len() as u64;
                assert!(damage.offset <= at as u64 || is_length, "{at}: {damage}");
            }
        }
    }
}
