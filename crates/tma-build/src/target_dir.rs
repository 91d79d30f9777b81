use std::{
    env,
    path::{Path, PathBuf},
};

/// The folder that cargo builds into, seen from a build script or from anywhere in the workspace.
///
/// Device code is built in a folder of its own below it, since cargo holds a lock on the rest.
pub(crate) fn find() -> PathBuf {
    let tagged = |path: &Path| path.join("CACHEDIR.TAG").is_file();
    let above = |path: &Path| {
        path.ancestors()
            .find(|path| tagged(path))
            .map(Path::to_owned)
    };
    env::var_os("OUT_DIR")
        .and_then(|out_dir| above(Path::new(&out_dir)))
        .or_else(|| env::var_os("CARGO_TARGET_DIR").map(PathBuf::from))
        .or_else(|| env::current_exe().ok().and_then(|exe| above(&exe)))
        .unwrap_or_else(|| PathBuf::from("target"))
}

/// The folder that all projects of a user share: `rust-tma` in `XDG_CACHE_HOME`, or else in
/// `~/.cache`.
pub fn user_cache() -> PathBuf {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || env::home_dir().unwrap_or_default().join(".cache");
    cache.unwrap_or_else(home).join("rust-tma")
}
