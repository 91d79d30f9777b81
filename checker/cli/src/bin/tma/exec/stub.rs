//! A shared object without code that defines a symbol version and depends on other libraries.
//!
//! A program requests runtime functions with a version, such as `cudaMalloc@libcudart.so.13`. The loader accepts
//! this silently if the file that it finds defines the version, and takes a function from any library without
//! versions. rustc emits no symbol versions, so this file defines them, and the other library contains the
//! functions. The format follows the System V ABI, chapters 4 and 5, and the Linux Standard Base for versions.

const HEADER_BYTES: usize = 64;
const SEGMENT_BYTES: usize = 56;
const SYMBOL_BYTES: usize = 24;
const PAGE_BYTES: u64 = 0x10000;

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_GNU_STACK: u32 = 0x6474_e551;
const READ_WRITE: u32 = 6;

#[cfg(target_arch = "aarch64")]
const MACHINE: u16 = 183;
#[cfg(not(target_arch = "aarch64"))]
const MACHINE: u16 = 62;

/// Returns the bytes of a shared object named `name` that defines the version `name` and depends on the `needed`
/// libraries. The loader searches them in this order.
pub(crate) fn shared_object(name: &str, needed: &[&str]) -> Vec<u8> {
    let mut names = vec![0];
    let mut add = |text: &str| {
        let at = names.len() as u64;
        names.extend(text.as_bytes());
        names.push(0);
        at
    };
    let name_at = add(name);
    let needed: Vec<u64> = needed.iter().map(|needed| add(needed)).collect();
    let mut file = vec![0; HEADER_BYTES + 3 * SEGMENT_BYTES];
    let names_at = place(&mut file, &names);
    // Every symbol table begins with a null symbol.
    let symbols_at = place(&mut file, &[0; SYMBOL_BYTES]);
    let hash_at = place(&mut file, &words(&[1, 1, 0, 0]));
    let symbol_versions_at = place(&mut file, &[0; 2]);
    // The version of the file itself and the requested one, each followed by its name.
    let versions = [(1_u32, 1_u32, 28), (0, 2, 0)].map(|(flags, index, next)| {
        let head = [1 | flags << 16, index | 1 << 16, hash(name), 20, next];
        [words(&head), words(&[name_at as u32, 0])].concat()
    });
    let versions_at = place(&mut file, &versions.concat());
    let dynamic: [(u64, u64); 10] = [
        (14, name_at),
        (4, hash_at),
        (5, names_at),
        (6, symbols_at),
        (10, names.len() as u64),
        (11, SYMBOL_BYTES as u64),
        (0x6fff_fff0, symbol_versions_at),
        (0x6fff_fffc, versions_at),
        (0x6fff_fffd, 2),
        (0, 0),
    ];
    let needed = needed.into_iter().map(|at| (1, at));
    let dynamic: Vec<u8> = needed
        .chain(dynamic)
        .flat_map(|(tag, value)| [tag.to_le_bytes(), value.to_le_bytes()].concat())
        .collect();
    let dynamic_at = place(&mut file, &dynamic);
    let len = file.len() as u64;
    let mut head = header();
    head.extend(segment(PT_LOAD, 0, len, PAGE_BYTES));
    head.extend(segment(PT_DYNAMIC, dynamic_at, dynamic.len() as u64, 8));
    head.extend(segment(PT_GNU_STACK, 0, 0, 16));
    file[..head.len()].copy_from_slice(&head);
    file
}

/// Appends bytes at a multiple of eight and returns their offset.
fn place(file: &mut Vec<u8>, bytes: &[u8]) -> u64 {
    file.resize(file.len().next_multiple_of(8), 0);
    let at = file.len() as u64;
    file.extend(bytes);
    at
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn header() -> Vec<u8> {
    // ELF identification: 64 bits, little endian; type: shared object.
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0".to_vec();
    bytes.extend(MACHINE.to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    for offset in [0, HEADER_BYTES as u64, 0] {
        bytes.extend(offset.to_le_bytes());
    }
    bytes.extend(0_u32.to_le_bytes());
    for half in [HEADER_BYTES as u16, SEGMENT_BYTES as u16, 3, 64, 0, 0] {
        bytes.extend(half.to_le_bytes());
    }
    bytes
}

fn segment(kind: u32, at: u64, len: u64, align: u64) -> Vec<u8> {
    let mut bytes = words(&[kind, READ_WRITE]);
    for value in [at, at, at, len, len, align] {
        bytes.extend(value.to_le_bytes());
    }
    bytes
}

/// Returns the ELF hash of a name.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0, |hash, byte| {
        let hash = (hash << 4) + u32::from(byte);
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & !high
    })
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn the_hash_is_the_one_of_elf() {
        // The value that `readelf` shows for a program that needs this version.
        assert_eq!(hash("GLIBC_2.2.5"), 0x0969_1a75);
    }
}
