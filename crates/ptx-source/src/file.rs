use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Reads a regular file of at most `most_bytes`.
///
/// # Errors
/// The file cannot be read, is not a regular file, or is larger. Opening a pipe without a writer would block, and a
/// device may be endless.
pub fn read_file(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let metadata = path.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    let room = usize::try_from(metadata.len().min(most_bytes)).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(room)?;
    File::open(path)?
        .take(most_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(io::Error::other(format!("larger than {most_bytes} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_regular_files_are_read() {
        let folder = std::env::temp_dir().join(format!("tma-read-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("five");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read_file(&path, 5).unwrap(), b"12345");
        let message = |path: &Path, most| read_file(path, most).unwrap_err().to_string();
        assert_eq!(message(&path, 4), "larger than 4 bytes");
        assert!(read_file(&folder, 5).is_err());
        if cfg!(unix) {
            assert_eq!(message(Path::new("/dev/zero"), 5), "not a regular file");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
