//! A macro that includes the shared library of a dependency in a program.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use proc_macro::TokenStream;

/// Expands to the bytes of `lib{NAME}.so`, the `cdylib` of a dependency, as a `&'static [u8; N]`.
///
/// Cargo completes dependencies that have a `cdylib` before it compiles the program. The environment variable
/// `TMA_BUILT_IN`, set by the program's build script, is cargo's output folder. The file of a dependency from a registry
/// has a hash in its name.
#[proc_macro]
pub fn embedded_library(name: TokenStream) -> TokenStream {
    let name = name.to_string();
    let expanded = match library(name.trim_matches('"')) {
        Ok(path) => format!("include_bytes!({path:?})"),
        Err(error) => format!("compile_error!({error:?})"),
    };
    expanded.parse().unwrap_or_default()
}

fn library(name: &str) -> Result<PathBuf, String> {
    let folder = env::var("TMA_BUILT_IN").map_err(|_| {
        "the build script must set TMA_BUILT_IN to cargo's output folder".to_owned()
    })?;
    let folder = Path::new(&folder).join("deps");
    let entries = fs::read_dir(&folder)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_library(path, name))
        .collect();
    // Of several builds, the program's is the newest.
    found.sort_by_key(|path| fs::metadata(path).and_then(|file| file.modified()).ok());
    found
        .pop()
        .ok_or_else(|| format!("{} must contain lib{name}.so", folder.display()))
}

/// Returns whether a path ends with `lib{name}.so` or `lib{name}-{hash}.so`.
fn is_library(path: &Path, name: &str) -> bool {
    let file = path.file_name().and_then(|file| file.to_str());
    let middle = file
        .and_then(|file| file.strip_prefix("lib"))
        .and_then(|file| file.strip_suffix(".so"))
        .and_then(|file| file.strip_prefix(name));
    middle.is_some_and(|middle| middle.is_empty() || middle.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_with_and_without_a_hash() {
        let is = |file: &str| is_library(&Path::new("/deps").join(file), "emulated_cuda");
        assert!(is("libemulated_cuda.so") && is("libemulated_cuda-0a1b.so"));
        assert!(
            !is("libemulated_cuda2.so") && !is("libemulated_cuda.rlib") && !is("emulated_cuda.so")
        );
    }
}
