//! Files that must equal the generated text: `cargo xtask bless` renews them.

use std::{env, ffi::OsStr, fs, path::Path};

use similar::TextDiff;

/// Checks that the file has this text. With `BLESS=1` in the environment, and without `CI`, writes it.
///
/// # Errors
/// The lines that differ; the file cannot be read or written.
pub fn check(path: &Path, now: &str) -> Result<(), String> {
    let blesses = blesses(
        env::var_os("BLESS").as_deref(),
        env::var_os("CI").as_deref(),
    );
    check_or_bless(path, now, blesses)
}

fn blesses(bless: Option<&OsStr>, ci: Option<&OsStr>) -> bool {
    bless == Some(OsStr::new("1")) && ci.is_none()
}

/// Works like [`check`], but `bless` decides whether the file is written.
///
/// # Errors
/// As [`check`].
pub fn check_or_bless(path: &Path, now: &str, bless: bool) -> Result<(), String> {
    let named = |error| format!("{}: {error}", path.display());
    if bless {
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .map_err(named)?;
        return fs::write(path, now).map_err(named);
    }
    let golden = fs::read_to_string(path).map_err(named)?;
    if golden == now {
        return Ok(());
    }
    let changes = TextDiff::from_lines(&golden, now);
    Err(format!(
        "{} differs; `cargo xtask bless` renews it\n{}",
        path.display(),
        changes.unified_diff().header("golden", "now")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_renewed_where_that_is_asked_for_alone() {
        let is = |bless: Option<&str>, ci: Option<&str>| {
            blesses(bless.map(OsStr::new), ci.map(OsStr::new))
        };
        assert!(is(Some("1"), None));
        let not = [
            (None, None),
            (Some(""), None),
            (Some("0"), None),
            (Some("1"), Some("true")),
        ];
        assert!(not.iter().all(|(bless, ci)| !is(*bless, *ci)));
    }

    #[test]
    fn a_file_that_differs_is_named_until_it_is_blessed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/page.md");
        assert!(check_or_bless(&path, "a\n", false).is_err());
        check_or_bless(&path, "a\n", true).unwrap();
        check_or_bless(&path, "a\n", false).unwrap();
        let differs = check_or_bless(&path, "b\n", false).unwrap_err();
        assert!(
            differs.contains("page.md") && differs.contains("-a\n+b\n"),
            "{differs}"
        );
        assert!(check_or_bless(&path, "a", false).is_err());
    }
}
