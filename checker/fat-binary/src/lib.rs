//! Reads fat binaries, which nvcc embeds in programs, to extract their PTX.
//!
//! A header of 16 bytes, and then entries, each with a header of its own. Read off what nvcc 13.0 writes.

#![forbid(unsafe_code)]

use std::io::Read;

const MAGIC: u32 = 0xba55_ed50;
const WRAPPER_MAGIC: u32 = 0x4662_43b1;
const ELF_MAGIC: u32 = 0x464c_457f;
/// The version of a wrapper whose parts are linked.
const LINKED: u32 = 2;
const PTX: u16 = 1;
const CUBIN: u16 = 2;
/// Flags of an entry.
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;
/// Size limit of a module; a larger length is an error.
const MOST_BYTES: usize = 1 << 30;

/// The code of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// A text in PTX.
    Ptx(String),
    /// Machine code for these GPUs alone, or PTX for later ones: their names.
    Other(Vec<String>),
    /// Something else, for this reason.
    Unreadable(String),
}

/// Memory of a program that contains an image.
pub trait Memory {
    /// Returns bytes from an address on; `None` if they cannot be read.
    fn bytes(&self, address: u64, len_bytes: usize) -> Option<Vec<u8>>;

    /// The text that begins at an address and ends with a zero.
    fn text(&self, address: u64) -> Option<String>;
}

/// The code that a driver would take on a GPU of compute capability 9.0, machine code left aside. An image is a fat
/// binary, its wrapper, machine code or a text.
pub fn read(memory: &impl Memory, address: u64) -> Code {
    let Some(start) = memory.bytes(address, 4) else {
        return Code::Unreadable("the image is unreadable".to_owned());
    };
    match word(&start, 0) {
        Some(WRAPPER_MAGIC) => wrapped(memory, address),
        _ => unwrapped(memory, address),
    }
}

/// The code of an image that is not a wrapper.
fn unwrapped(memory: &impl Memory, address: u64) -> Code {
    let Some(start) = memory.bytes(address, 4) else {
        return Code::Unreadable("the image is unreadable".to_owned());
    };
    match word(&start, 0) {
        Some(WRAPPER_MAGIC) => {
            Code::Unreadable("the wrapper of a fat binary contains another wrapper".to_owned())
        }
        Some(MAGIC) => {
            let header = memory.bytes(address, 16).unwrap_or_default();
            let len = long(&header, 8).map_or(0, |bytes| bytes as usize);
            let len = len.saturating_add(16);
            match memory.bytes(address, len.min(MOST_BYTES)) {
                Some(bytes) => choose(&bytes),
                None => Code::Unreadable(format!(
                    "its fat binary claims {len} bytes, more than are in memory; it was truncated or altered"
                )),
            }
        }
        Some(ELF_MAGIC) => Code::Other(vec!["machine code".to_owned()]),
        _ => memory.text(address).map_or_else(
            || Code::Unreadable("its text is unreadable".to_owned()),
            Code::Ptx,
        ),
    }
}

/// Reads the code of a wrapper: magic number, version, and the address of a fat binary.
fn wrapped(memory: &impl Memory, address: u64) -> Code {
    let wrapper = memory.bytes(address, 16).unwrap_or_default();
    let (Some(version), Some(data)) = (word(&wrapper, 4), long(&wrapper, 8)) else {
        return Code::Unreadable("the wrapper of a fat binary has no address".to_owned());
    };
    match unwrapped(memory, data) {
        // The parts are elsewhere, and are to be linked.
        Code::Other(has) if has.is_empty() && version == LINKED => Code::Unreadable(
            "its parts were compiled with `-rdc=true` and are not linked here: functions and variables of another \
             file, and kernels that launch kernels (dynamic parallelism, `cudaLaunchDevice` of CDP2), are missing; files \
             that need neither must be compiled without it"
                .to_owned(),
        ),
        code => code,
    }
}

/// The PTX entry of a fat binary for the newest GPU up to 9.0.
fn choose(bytes: &[u8]) -> Code {
    let mut best: Option<((u32, bool), String)> = None;
    let mut other = Vec::new();
    let mut at = short(bytes, 6).map_or(16, usize::from);
    while let Some(entry) = bytes.get(at..).filter(|entry| !entry.is_empty()) {
        let fields = (short(entry, 0), word(entry, 4), long(entry, 8));
        let (Some(kind), Some(header), Some(payload)) = fields else {
            return cut_off();
        };
        let (header, payload) = (header as usize, payload as usize);
        let end = header.checked_add(payload);
        let Some(end) = end.filter(|end| *end <= entry.len()) else {
            return cut_off();
        };
        let arch = word(entry, 28).unwrap_or_default();
        match kind {
            PTX => match unpack(entry, &entry[header..end]) {
                Ok(text) => {
                    let target = target(&text);
                    match target.and_then(rank) {
                        Some(rank) if best.as_ref().is_none_or(|(found, _)| rank > *found) => {
                            best = Some((rank, text));
                        }
                        Some(_) => {}
                        None => other.push(format!("PTX for {}", target.unwrap_or("nothing"))),
                    }
                }
                Err(why) => return Code::Unreadable(why),
            },
            CUBIN => other.push(format!("machine code for sm_{arch}")),
            _ => other.push(format!("an entry of kind {kind} for sm_{arch}")),
        }
        at += end.max(1);
    }
    match best {
        Some((_, text)) => Code::Ptx(text),
        None => Code::Other(other),
    }
}

fn cut_off() -> Code {
    Code::Unreadable("its fat binary is cut off".to_owned())
}

/// The text of an entry.
fn unpack(entry: &[u8], payload: &[u8]) -> Result<String, String> {
    let flags = long(entry, 40).unwrap_or_default();
    let packed = word(entry, 16).map_or(0, |bytes| bytes as usize);
    let len = long(entry, 56).map_or(0, |bytes| bytes as usize);
    if len > MOST_BYTES {
        return Err(format!("PTX of {len} bytes is too long"));
    }
    let packed = payload.get(..packed).unwrap_or(payload);
    let bytes = if flags & ZSTD != 0 {
        let mut bytes = Vec::new();
        let mut reader = ruzstd::decoding::StreamingDecoder::new(packed)
            .map_err(|error| format!("its PTX is not packed by zstd: {error}"))?;
        let read = (&mut reader)
            .take(MOST_BYTES as u64)
            .read_to_end(&mut bytes);
        read.map_err(|error| format!("its PTX cannot be unpacked by zstd: {error}"))?;
        bytes
    } else if flags & LZ4 != 0 {
        lz4_flex::block::decompress(packed, len)
            .map_err(|error| format!("its PTX cannot be unpacked by LZ4: {error}"))?
    } else {
        payload.to_vec()
    };
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8(text.to_vec()).map_err(|_| "its PTX is not text".to_owned())
}

/// Returns the target of a PTX text, such as `sm_90a`: the first word after `.target`.
pub fn target(text: &str) -> Option<&str> {
    let line = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(".target"))?;
    line.split([',', ' ', '\t']).find(|word| !word.is_empty())
}

/// Returns whether a GPU of compute capability 9.0 runs code for a target.
pub fn runs(target: &str) -> bool {
    rank(target).is_some()
}

/// Returns the rank of a target on a GPU of compute capability 9.0, which prefers the greatest; `None` if it cannot
/// run it.
fn rank(target: &str) -> Option<(u32, bool)> {
    let number = target.strip_prefix("sm_")?;
    match number.strip_suffix('a') {
        Some(number) => (number == "90").then_some((90, true)),
        None => {
            let number = number.parse().ok()?;
            (number <= 90).then_some((number, false))
        }
    }
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at + 2)?.try_into().ok()?;
    Some(u16::from_le_bytes(bytes))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_le_bytes(bytes))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + 8)?.try_into().ok()?;
    Some(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry with a header of 64 bytes.
    fn entry(kind: u16, arch: u32, flags: u64, payload: &[u8], unpacked: usize) -> Vec<u8> {
        let padded = payload.len().next_multiple_of(8);
        let mut bytes = vec![0; 64];
        bytes[0..2].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&64_u32.to_le_bytes());
        bytes[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        let packed = if flags == 0 { 0 } else { payload.len() as u32 };
        bytes[16..20].copy_from_slice(&packed.to_le_bytes());
        bytes[28..32].copy_from_slice(&arch.to_le_bytes());
        bytes[40..48].copy_from_slice(&flags.to_le_bytes());
        bytes[56..64].copy_from_slice(&(unpacked as u64).to_le_bytes());
        bytes.extend(payload);
        bytes.resize(64 + padded, 0);
        bytes
    }

    fn binary(entries: &[Vec<u8>]) -> Vec<u8> {
        let entries = entries.concat();
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend([1, 0, 16, 0]);
        bytes.extend((entries.len() as u64).to_le_bytes());
        bytes.extend(entries);
        bytes
    }

    fn ptx(target: &str) -> Vec<u8> {
        let text = format!("\n.version 8.0\n.target {target}\n.address_size 64\n");
        entry(PTX, 0, 0, text.as_bytes(), 0)
    }

    #[test]
    fn the_newest_that_runs_is_taken() {
        let taken = |targets: &[&str]| {
            let entries: Vec<_> = targets.iter().map(|target| ptx(target)).collect();
            match choose(&binary(&entries)) {
                Code::Ptx(text) => target(&text).unwrap().to_owned(),
                other => format!("{other:?}"),
            }
        };
        assert_eq!(taken(&["sm_80", "sm_100", "sm_75"]), "sm_80");
        assert_eq!(taken(&["sm_90a", "sm_90"]), "sm_90a");
        assert_eq!(
            ["sm_90a", "sm_52", "sm_89a", "sm_100"].map(runs),
            [true, true, false, false]
        );
        assert_eq!(taken(&["sm_90, debug", "sm_89"]), "sm_90");
        assert_eq!(
            taken(&["sm_100a", "sm_120"]),
            r#"Other(["PTX for sm_100a", "PTX for sm_120"])"#
        );
        let cubin = entry(CUBIN, 90, 0, &[1; 20], 0);
        let other = Code::Other(vec!["machine code for sm_90".to_owned()]);
        assert_eq!(choose(&binary(&[cubin])), other);
    }

    #[test]
    fn packed_texts_are_unpacked() {
        // Literals alone, as LZ4 has them: their number, and then they.
        let text = b".target sm_90";
        let packed = [&[(text.len() as u8) << 4][..], text].concat();
        let bytes = binary(&[entry(PTX, 90, LZ4, &packed, text.len())]);
        assert_eq!(choose(&bytes), Code::Ptx(".target sm_90".to_owned()));
        // One block as it is, as zstd has it: magic number, size, header of the block, bytes.
        let head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, text.len() as u8];
        let block = [1 | (text.len() as u8) << 3, 0, 0];
        let packed = [&head[..], &block, text].concat();
        let bytes = binary(&[entry(PTX, 90, ZSTD, &packed, text.len())]);
        assert_eq!(choose(&bytes), Code::Ptx(".target sm_90".to_owned()));
    }

    /// Memory with bytes from one address on.
    struct Bytes(u64, Vec<u8>);

    impl Memory for Bytes {
        fn bytes(&self, address: u64, len_bytes: usize) -> Option<Vec<u8>> {
            let start = usize::try_from(address.checked_sub(self.0)?).ok()?;
            let bytes = self.1.get(start..start.checked_add(len_bytes)?)?;
            Some(bytes.to_vec())
        }

        fn text(&self, _: u64) -> Option<String> {
            None
        }
    }

    #[test]
    fn sizes_past_the_end_of_memory_and_wrappers_of_wrappers_are_refused() {
        let mut bytes = binary(&[ptx("sm_90")]);
        assert!(matches!(read(&Bytes(64, bytes.clone()), 64), Code::Ptx(_)));
        for claimed in [bytes.len() as u64 - 15, 1 << 30, u64::MAX] {
            bytes[8..16].copy_from_slice(&claimed.to_le_bytes());
            let Code::Unreadable(why) = read(&Bytes(64, bytes.clone()), 64) else {
                panic!("{claimed} bytes are read");
            };
            assert!(why.contains("more than are in memory"), "{why}");
        }
        let mut wrapper = WRAPPER_MAGIC.to_le_bytes().to_vec();
        wrapper.extend(1_u32.to_le_bytes());
        wrapper.extend(64_u64.to_le_bytes());
        let Code::Unreadable(why) = read(&Bytes(64, wrapper), 64) else {
            panic!("a wrapper of itself is read");
        };
        assert!(why.contains("another wrapper"), "{why}");
    }

    #[test]
    fn what_is_cut_off_or_altered_is_refused() {
        let packed = entry(PTX, 90, LZ4, &[0x1f, b'x', 0xff, 0xff, 0], 1 << 20);
        for flags in [0_u8, 0x20, 0x80] {
            let mut bytes = binary(&[ptx("sm_90"), packed.clone()]);
            bytes[16 + 41] = flags;
            for len in 0..bytes.len() {
                let read = choose(&bytes[..len]);
                let is_whole = len == 16 + ptx("sm_90").len() && flags == 0;
                assert_eq!(matches!(read, Code::Ptx(_)), is_whole, "{len}: {read:?}");
            }
            assert!(matches!(choose(&bytes), Code::Unreadable(_)));
            for at in 16..80 {
                // Any header is read or refused, without a panic.
                let mut altered = bytes.clone();
                altered[at] ^= 0xff;
                choose(&altered);
            }
        }
    }
}
