//! Textures and surfaces as data: the objects that handles refer to, and the results of fetches. This module is
//! independent of instructions and memory. CUDA C++ Programming Guide, "Texture and Surface Memory" and
//! "Texture Fetching".
//!
//! ```
//! use tma_emulator::{
//!     Config, Session,
//!     texture::{Channel, Format, Geometry, Image, Sampler, Texture},
//! };
//!
//! let mut session = Session::new(Config::default());
//! let address = session.allocate("texels", vec![0; 7 * 5 * 4]);
//! let format = Format::new(1, 32, Channel::Float)?;
//! let image = Image::array(address, format, Geometry::Plane, [7, 5, 1])?;
//! let handle = session.add_texture(Texture::new(image, Sampler::default())?);
//! session.remove_texture(handle)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axis;
mod driver;
mod error;
mod format;
mod image;
mod objects;
mod sample;

pub use driver::{Reading, Refused};
pub use error::TextureError;
pub use format::{Channel, Format};
pub use image::{Geometry, Image, MAX_LINEAR_TEXELS};
pub use objects::handle;
pub(crate) use objects::{Objects, TextureObject};
pub(crate) use sample::Point;
pub use sample::{AddressMode, Filter, ReadMode, Sampler, Texture};

/// Bytes of one texel, padded with zeros.
pub(crate) type Texel = [u8; 16];
