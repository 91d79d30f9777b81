//! The driver's library: loaded once, never unloaded, and searched for symbols by name.

use std::{
    env,
    error::Error,
    fmt::{self, Display, Formatter},
    path::PathBuf,
    sync::OnceLock,
};

use libloading::Library;

use crate::Origin;

/// The environment variable that names the driver library to load: `TMA_LIBCUDA`.
///
/// When it is set and not empty, no other library is tried.
pub const LIBRARY_VARIABLE: &str = "TMA_LIBCUDA";

#[cfg(not(windows))]
const USUAL_NAMES: &[&str] = &["libcuda.so.1", "libcuda.so"];
#[cfg(windows)]
const USUAL_NAMES: &[&str] = &["nvcuda.dll"];

/// The state of the driver in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// A driver library was loaded.
    Loaded {
        /// The path that was given to the dynamic loader, or a bare name that it searched for.
        path: PathBuf,
    },
    /// No driver library could be loaded.
    Missing {
        /// The attempts in order, each with the dynamic loader's answer.
        tried: Vec<Attempt>,
    },
}

/// A library that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The path or name that was given to the dynamic loader.
    pub path: PathBuf,
    /// The error message of the dynamic loader.
    pub reason: String,
}

impl Display for Status {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Status::Loaded { path } => write!(f, "CUDA driver loaded: {}", path.display()),
            Status::Missing { tried } => {
                f.write_str("no CUDA driver")?;
                let found: Vec<String> = tried
                    .iter()
                    .filter(|attempt| !attempt.is_not_there())
                    .map(ToString::to_string)
                    .collect();
                match (found.as_slice(), tried.first()) {
                    ([], Some(first)) => write!(f, " ({} was not found)", first.path.display()),
                    ([], None) => Ok(()),
                    (found, _) => write!(f, ": {}", found.join("; ")),
                }
            }
        }
    }
}

impl Attempt {
    /// Returns whether there is no such file, judged by the dynamic loader's message. (For a
    /// library whose dependency is missing, the message names the dependency.)
    fn is_not_there(&self) -> bool {
        self.reason.contains(&*self.path.to_string_lossy())
            && self.reason.ends_with("No such file or directory")
    }
}

impl Display for Attempt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        // Most dynamic loaders begin with the name themselves.
        if !self.reason.starts_with(&*path) {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.reason)
    }
}

/// Loads the driver unless that was tried before, and returns the result.
///
/// The answer does not change while the process lives.
pub fn status() -> &'static Status {
    &driver().status
}

/// Returns the file of the driver's library in this process; `None` if there is none.
#[cfg(target_os = "linux")]
pub fn file() -> Option<PathBuf> {
    static INIT: Function = Function::new("cuInit");
    let address = INIT.address().ok()? as *const () as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    // Of each range: `start-end`, four more words, and the path.
    let is_here = |line: &&str| {
        let range = line.split_whitespace().next()?.split_once('-')?;
        let [start, end] = [range.0, range.1].map(|text| usize::from_str_radix(text, 16).ok());
        Some((start?..end?).contains(&address))
    };
    let mut lines = maps.lines();
    let line = lines.find(|line| is_here(line).unwrap_or_default())?;
    line.find('/').map(|at| PathBuf::from(&line[at..]))
}

struct Driver {
    library: Option<Library>,
    status: Status,
}

fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(|| match env::var_os(LIBRARY_VARIABLE) {
        Some(path) if !path.is_empty() => load([PathBuf::from(path)]),
        _ => load(USUAL_NAMES.iter().map(PathBuf::from)),
    })
}

fn load(candidates: impl IntoIterator<Item = PathBuf>) -> Driver {
    let mut tried = Vec::new();
    for path in candidates {
        // SAFETY: the initialisers belong to the NVIDIA driver, which may be loaded from any thread at any time, or
        // to the library chosen in its place by the owner of this process's environment.
        match unsafe { Library::new(&path) } {
            Ok(library) => {
                return Driver {
                    library: Some(library),
                    status: Status::Loaded { path },
                };
            }
            Err(error) => tried.push(Attempt {
                path,
                // The dynamic loader's own words, where there are any.
                reason: error
                    .source()
                    .map_or(error.to_string(), ToString::to_string),
            }),
        }
    }
    Driver {
        library: None,
        status: Status::Missing { tried },
    }
}

/// The address of a driver function, to be cast to the function's type.
pub(crate) type Address = unsafe extern "C" fn();

/// A driver function, looked up on first use.
pub(crate) struct Function {
    name: &'static str,
    address: OnceLock<Result<Address, Origin>>,
}

impl Function {
    /// Defines the function whose exported symbol is `name`.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            address: OnceLock::new(),
        }
    }

    /// Returns its address, valid for the life of the process, or the missing part.
    pub(crate) fn address(&self) -> Result<Address, Origin> {
        *self.address.get_or_init(|| {
            let library = driver().library.as_ref().ok_or(Origin::NoDriver)?;
            // SAFETY: the requested symbols are driver functions, and `Option<Address>` is a nullable
            // pointer to one. The copy outlives the `Symbol`, and stays valid because the library
            // sits in a static that is never dropped.
            match unsafe { library.get::<Option<Address>>(self.name) } {
                Ok(symbol) => (*symbol).ok_or(Origin::NoFunction),
                Err(_) => Err(Origin::NoFunction),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_libraries_that_are_there_are_worth_a_reason() {
        let attempt = |path: &str, reason: &str| Attempt {
            path: path.into(),
            reason: reason.to_owned(),
        };
        let gone = |path: &str| {
            let reason =
                format!("{path}: cannot open shared object file: No such file or directory");
            attempt(path, &reason)
        };
        let text = |tried: &[Attempt]| {
            let tried = tried.to_vec();
            Status::Missing { tried }.to_string()
        };
        assert_eq!(
            text(&[gone("libcuda.so.1"), gone("libcuda.so")]),
            "no CUDA driver (libcuda.so.1 was not found)"
        );
        assert_eq!(
            text(&[
                gone("libcuda.so.1"),
                attempt("libcuda.so", "file too short")
            ]),
            "no CUDA driver: libcuda.so: file too short"
        );
        let needs_another = attempt("libcuda.so.1", &gone("libnvidia.so").reason);
        assert_eq!(
            text(&[needs_another]),
            "no CUDA driver: libcuda.so.1: libnvidia.so: cannot open shared object file: No such \
             file or directory"
        );
    }
}
