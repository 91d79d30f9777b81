//! Output files, opened before a run and then written completely or not at all.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use tma_launch::{Failure, Stage};

/// An output file. Its previous contents remain until [`write`](Self::write) succeeds.
#[derive(Debug)]
pub struct Output {
    /// The path as given.
    path: PathBuf,
    /// The path with links resolved.
    target: PathBuf,
    /// The file that is renamed at the end; `None` if the path is a device.
    temporary: Option<PathBuf>,
    file: File,
}

impl Output {
    /// Opens the file.
    ///
    /// # Errors
    /// The file cannot be written, or is one of `inputs`.
    pub fn open<'p>(
        path: &Path,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> Result<Self, Failure> {
        let failed = |error: io::Error| cannot(path, &error.to_string());
        let target = target(path).map_err(failed)?;
        for input in inputs {
            if self::target(input).is_ok_and(|input| input == target) {
                let what = format!(
                    "`{}` is also another file of this command and would be overwritten; use another name",
                    path.display()
                );
                return Err(Failure::new(Stage::CopyBack, what));
            }
        }
        let (temporary, file) = match fs::metadata(&target) {
            Ok(there) if there.is_file() => {
                // A read-only file must not be replaced either.
                OpenOptions::new()
                    .write(true)
                    .open(&target)
                    .map_err(failed)?;
                let (temporary, file) = beside(&target).map_err(failed)?;
                let kept = fs::set_permissions(&temporary, there.permissions());
                kept.map_err(failed)?;
                (Some(temporary), file)
            }
            Ok(there) if there.is_dir() => return Err(cannot(path, "is a folder")),
            Ok(there) if is_device(&there) => {
                let file = OpenOptions::new().write(true).open(&target);
                (None, file.map_err(failed)?)
            }
            Ok(_) => return Err(cannot(path, "is neither a file nor a device")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (temporary, file) = beside(&target).map_err(failed)?;
                (Some(temporary), file)
            }
            Err(error) => return Err(failed(error)),
        };
        Ok(Self {
            path: path.to_owned(),
            target,
            temporary,
            file,
        })
    }

    /// Writes the whole file.
    ///
    /// # Errors
    /// The file cannot be written; its previous contents remain.
    pub fn write(mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.file.write_all(bytes);
        let written = written.and_then(|()| match &self.temporary {
            Some(temporary) => fs::rename(temporary, &self.target),
            None => self.file.flush(),
        });
        match written {
            Ok(()) => {
                self.temporary = None;
                Ok(())
            }
            Err(error) => Err(cannot(&self.path, &error.to_string())),
        }
    }

    /// Returns the path with links resolved.
    pub fn target(&self) -> &Path {
        &self.target
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // An error here cannot be reported.
            let _ = fs::remove_file(temporary);
        }
    }
}

fn cannot(path: &Path, why: &str) -> Failure {
    let what = format!("cannot write `{}`: {why}", path.display());
    Failure::new(Stage::CopyBack, what)
}

/// Resolves links in a path; the last component need not exist.
fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let name = path.file_name().ok_or(error)?;
            let folder = path.parent().filter(|folder| *folder != Path::new(""));
            let folder = folder.unwrap_or(Path::new("."));
            let missing = |error: io::Error| match error.kind() {
                io::ErrorKind::NotFound => {
                    let folder = folder.display();
                    let what = format!("the folder `{folder}` does not exist; create it first");
                    io::Error::new(io::ErrorKind::NotFound, what)
                }
                _ => error,
            };
            Ok(fs::canonicalize(folder).map_err(missing)?.join(name))
        }
        result => result,
    }
}

/// Creates a file in the same folder, so that renaming it replaces the target atomically.
fn beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    // Several schedules may run in parallel.
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let temporary = target.with_file_name(format!(".{name}.{}.{number}", std::process::id()));
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)?;
    Ok((temporary, file))
}

#[cfg(unix)]
fn is_device(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &fs::Metadata) -> bool {
    false
}
