//! Paths in the checkout.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Returns the root of the checkout.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// Returns cargo's target folder.
pub(crate) fn target_dir() -> PathBuf {
    let tagged = |path: &&Path| path.join("CACHEDIR.TAG").is_file();
    let exe = env::current_exe().ok();
    let of_exe = exe.as_deref().and_then(|exe| exe.ancestors().find(tagged));
    of_exe.map_or_else(|| root().join("target"), Path::to_owned)
}

/// Returns the folders of the projects under `examples/`, each a workspace of its own. `process::lacks` reports which
/// of them this machine cannot build.
pub(crate) fn examples() -> Vec<PathBuf> {
    let entries = root().join("examples").read_dir().into_iter().flatten();
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.retain(|folder| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml"));
        manifest.is_ok_and(|manifest| manifest.contains("[workspace]"))
    });
    folders.sort();
    folders
}

/// Returns the path relative to the checkout, if it is inside.
pub(crate) fn relative(path: &Path) -> &Path {
    path.strip_prefix(root()).unwrap_or(path)
}
