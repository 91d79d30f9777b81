//! Files as SARIF names them: by URIs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

/// The name of the root in a log.
pub(crate) const ROOT: &str = "%SRCROOT%";

/// The root of URIs, and the folders in which relative paths of findings are looked up.
#[derive(Debug)]
pub(crate) struct Folders {
    root: PathBuf,
    all: Vec<PathBuf>,
}

impl Folders {
    /// Relative paths are looked up in `working`, then in `others`.
    pub(crate) fn new(working: &Path, others: impl IntoIterator<Item = PathBuf>) -> Self {
        let working = resolved(working);
        // Code scanning ignores the address of the root, and takes the checkout's.
        let mut above = working.ancestors();
        let root = above.find(|folder| folder.join(".git").exists());
        let root = root.unwrap_or(&working).to_owned();
        let others: Vec<PathBuf> = others
            .into_iter()
            .map(|other| working.join(other))
            .collect();
        Self {
            root,
            all: [vec![working], others].concat(),
        }
    }

    /// Returns the URI of the root, which ends with a slash.
    pub(crate) fn root_uri(&self) -> String {
        let uri = file_uri(&self.root);
        let slash = if uri.ends_with('/') { "" } else { "/" };
        uri + slash
    }

    /// Returns the `artifactLocation` of a file: relative to the root if it is inside, else absolute. The URI of an
    /// unknown relative path is the path itself.
    pub(crate) fn artifact(&self, name: &str) -> Value {
        let path = Path::new(name);
        let mut known = self.all.iter().map(|folder| folder.join(path));
        let path = match known.find(|path| path.is_file()) {
            Some(path) => resolved(&path),
            None if path.is_absolute() => path.to_owned(),
            None => return json!({ "uri": encoded(&name.replace('\\', "/")) }),
        };
        match path.strip_prefix(&self.root) {
            Ok(inside) => json!({ "uri": encoded(&slashed(inside)), "uriBaseId": ROOT }),
            Err(_) => json!({ "uri": file_uri(&path) }),
        }
    }
}

fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns a path with `/`, and without the prefix of resolved paths of Windows.
fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    match cfg!(windows) {
        true => text.trim_start_matches(r"\\?\").replace('\\', "/"),
        false => text.into_owned(),
    }
}

fn file_uri(path: &Path) -> String {
    let path = encoded(&slashed(path));
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{path}")
}

/// Encodes all bytes that are neither unreserved (RFC 3986, section 2.3) nor `/`.
fn encoded(path: &str) -> String {
    let byte = |byte: u8| match byte {
        b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(byte).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn uris_are_relative_inside_the_root_and_absolute_outside() {
        let root = Path::new("/no such/größe");
        let folders = Folders::new(root, []);
        assert_eq!(
            folders.artifact("/no such/größe/a b/k.cu"),
            json!({ "uri": "a%20b/k.cu", "uriBaseId": ROOT })
        );
        assert_eq!(
            folders.artifact("/no such/k:1.cu"),
            json!({ "uri": "file:///no%20such/k%3A1.cu" })
        );
        assert_eq!(
            folders.artifact("k of module 1.ptx"),
            json!({ "uri": "k%20of%20module%201.ptx" })
        );
        assert_eq!(folders.root_uri(), "file:///no%20such/gr%C3%B6%C3%9Fe/");
        assert_eq!(Folders::new(Path::new("/"), []).root_uri(), "file:///");
    }

    #[test]
    fn relative_paths_are_found_in_the_other_folders() {
        let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = Folders::new(crate_folder, [PathBuf::from("src")]);
        let uri = |name: &str| folders.artifact(name)["uri"].clone();
        let inside = uri("src/artifact.rs");
        assert!(
            inside
                .as_str()
                .is_some_and(|uri| uri.ends_with("src/artifact.rs"))
        );
        assert_eq!(uri("artifact.rs"), inside);
        assert_eq!(uri("src/../src/artifact.rs"), inside);
    }
}
