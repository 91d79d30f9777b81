//! A kernel launch as a file: its PTX, its arguments, the memory that it reached at the GPU's addresses, and the
//! GPU's results in this memory. `tma record` writes such archives, and `tma replay` reads them.
//!
//! A truncated or altered archive is refused, and the error names the byte:
//!
//! ```
//! use launch_archive::{Archive, MemoryKind, Launch, Region};
//!
//! let archive = Archive {
//!     launch: Launch {
//!         entry: "put".to_owned(),
//!         arguments: vec![0x7000_0000_u64.to_le_bytes().to_vec()],
//!         ..Launch::default()
//!     },
//!     ptx: ".version 8.0".to_owned(),
//!     memory: vec![Region {
//!         name: "cuMemAlloc 1".to_owned(),
//!         kind: MemoryKind::Allocation,
//!         address: 0x7000_0000,
//!         before: vec![0; 1000],
//!         after: Some(vec![1; 1000]),
//!     }],
//! };
//! let mut bytes = Vec::new();
//! archive.write(&mut bytes)?;
//! assert_eq!(Archive::read(&bytes)?, archive);
//!
//! let cut = Archive::read(&bytes[..600]).unwrap_err();
//! assert_eq!(cut.offset, 600);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod launch;
mod read;
mod runs;
mod seal;
mod section;
mod write;

pub use launch::{Launch, MemoryKind, Reading, Region, Texels, TextureObject};
pub use read::Damage;
pub use seal::seal;
pub use section::PART_BYTES;
pub use write::{RegionParts, write};

/// A recorded launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// The kernel, its arguments, and the GPU.
    pub launch: Launch,
    /// The text of the kernel's module.
    pub ptx: String,
    /// The memory that the kernel could reach.
    pub memory: Vec<Region>,
}
