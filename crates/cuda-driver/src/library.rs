//! The driver's library: loaded once, kept for ever, asked for symbols by name.

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

/// Whether this process has a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The library was loaded.
    Loaded {
        /// What the dynamic loader was asked for: a path, or a bare name that it searched for.
        path: PathBuf,
    },
    /// No library could be loaded.
    Missing {
        /// What was asked for, in order, and what the dynamic loader answered.
        tried: Vec<Attempt>,
    },
}

/// A library that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What the dynamic loader was asked for.
    pub path: PathBuf,
    /// Its answer.
    pub reason: String,
}

impl Display for Status {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Status::Loaded { path } => write!(f, "CUDA driver loaded: {}", path.display()),
            Status::Missing { tried } => {
                f.write_str("no CUDA driver")?;
                for (index, attempt) in tried.iter().enumerate() {
                    write!(f, "{}{attempt}", if index == 0 { ": " } else { "; " })?;
                }
                Ok(())
            }
        }
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

/// Loads the driver if that has not been tried yet, and says how it went.
///
/// The answer does not change while the process lives.
pub fn status() -> &'static Status {
    &driver().status
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
        // SAFETY: the initialisers that run are those of the NVIDIA driver, which may be loaded from
        // any thread at any time, or of the library that whoever controls this process's environment
        // named in its place.
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
    /// The function whose exported symbol is `name`.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            address: OnceLock::new(),
        }
    }

    /// Its address, valid while the process lives, or what is missing.
    pub(crate) fn address(&self) -> Result<Address, Origin> {
        *self.address.get_or_init(|| {
            let library = driver().library.as_ref().ok_or(Origin::NoDriver)?;
            // SAFETY: the symbols asked for are driver functions, and `Option<Address>` is a nullable
            // pointer to one. The copy outlives the `Symbol`, and stays valid because the library
            // sits in a static that is never dropped.
            match unsafe { library.get::<Option<Address>>(self.name) } {
                Ok(symbol) => (*symbol).ok_or(Origin::NoFunction),
                Err(_) => Err(Origin::NoFunction),
            }
        })
    }
}
