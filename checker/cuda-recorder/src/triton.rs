//! The PTX of Triton's kernels, stored next to their machine code in Triton's cache.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Returns the PTX that this machine code was compiled from.
pub(crate) fn ptx_of(machine_code: &[u8]) -> Option<String> {
    ptx_in(&cache()?, machine_code)
}

/// Returns the cache folder that Triton uses in this process.
fn cache() -> Option<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty());
    variable("TRITON_CACHE_DIR").map(PathBuf::from).or_else(|| {
        let home = variable("TRITON_HOME").or_else(|| variable("HOME"))?;
        Some(Path::new(&home).join(".triton/cache"))
    })
}

/// Searches the cache, in which each kernel has its own folder.
fn ptx_in(cache: &Path, machine_code: &[u8]) -> Option<String> {
    let folders = fs::read_dir(cache).ok()?.flatten();
    let files = folders.filter_map(|folder| fs::read_dir(folder.path()).ok());
    let mut files = files.flatten().flatten().map(|file| file.path());
    let found = files.find(|path| {
        path.extension()
            .is_some_and(|extension| extension == "cubin")
            && fs::metadata(path).is_ok_and(|file| file.len() >= machine_code.len() as u64)
            && fs::read(path).is_ok_and(|file| file.starts_with(machine_code))
    })?;
    fs::read_to_string(found.with_extension("ptx")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_beside_the_same_machine_code_is_taken() {
        let cache = env::temp_dir().join(format!("cuda-recorder-{}", std::process::id()));
        for (folder, code, text) in [("a", "one", "1"), ("b", "two", "2"), ("c", "three", "3")] {
            fs::create_dir_all(cache.join(folder)).unwrap();
            fs::write(cache.join(folder).join("k.cubin"), code).unwrap();
            fs::write(cache.join(folder).join("k.ptx"), text).unwrap();
        }
        assert_eq!(ptx_in(&cache, b"two").as_deref(), Some("2"));
        assert_eq!(ptx_in(&cache, b"three").as_deref(), Some("3"));
        assert_eq!(ptx_in(&cache, b"four"), None);
        assert_eq!(ptx_in(&cache.join("none"), b"two"), None);
        fs::remove_dir_all(cache).unwrap();
    }
}
