use crate::section::{MAGIC, digest};

/// Returns a file with the given sections and valid digests, whatever their contents, to test readers of archives.
///
/// Section names are padded as in the format, such as `ptx` with five spaces.
pub fn seal(sections: &[(&[u8; 8], &[u8])]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    for (index, (name, bytes)) in (0..).zip(sections) {
        file.extend(*name);
        file.extend((bytes.len() as u64).to_le_bytes());
        file.extend(digest(name, index, std::iter::once(*bytes)).to_le_bytes());
        file.extend(*bytes);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Archive;

    fn with_memory(bytes: u64) -> Vec<u8> {
        let launch = serde_json::to_value(crate::Launch::default()).unwrap();
        let region = serde_json::json!({
            "name": "a", "kind": "allocation", "address": 64, "bytes": bytes, "has_after": false,
        });
        let header = serde_json::json!({ "launch": launch, "memory": [region] }).to_string();
        let (header, ptx) = (header.as_bytes(), &b"// nothing\n"[..]);
        seal(&[
            (b"launch  ", header),
            (b"ptx     ", ptx),
            (b"before  ", &[]),
            (b"end     ", &[]),
        ])
    }

    #[test]
    fn a_size_that_the_sections_do_not_have_is_refused() {
        let archive = Archive::read(&with_memory(100)).unwrap();
        assert_eq!(archive.memory[0].before, [0; 100]);
        for bytes in [3 << 20, 1 << 40, u64::MAX] {
            assert!(Archive::read(&with_memory(bytes)).is_err(), "{bytes}");
        }
    }
}
