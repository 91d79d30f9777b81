//! Textures and surfaces of arrays and memory.

use tma_emulator::texture::{Format, Image, Reading, Refused};

use crate::{
    code::{Code, Result},
    context::Context,
};

/// The location of the texels of a texture or surface.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resource {
    /// The handle of an array.
    Array(u64),
    Linear {
        address: u64,
        format: Format,
        bytes: usize,
    },
    Pitched {
        address: u64,
        format: Format,
        /// Width and height.
        size: [usize; 2],
        pitch_bytes: usize,
    },
}

impl Resource {
    /// Creates a resource from its kind, a number shared by runtime and driver; the handle of an array, or an
    /// address; and the size of linear memory, or width, height and pitch in bytes of rows.
    pub(crate) fn new(
        context: &mut Context,
        (kind, at, [first, second, third]): (i32, u64, [usize; 3]),
        format: impl FnOnce(&mut Context) -> Result<Format>,
        call: &str,
    ) -> Result<Self> {
        Ok(match kind {
            0 => Self::Array(at),
            1 => return Err(context.lacks(&format!("{call} of a mipmapped array"))),
            2 => Self::Linear {
                address: at,
                format: format(context)?,
                bytes: first,
            },
            3 => Self::Pitched {
                address: at,
                format: format(context)?,
                size: [first, second],
                pitch_bytes: third,
            },
            _ => return Err(Code::INVALID_VALUE),
        })
    }
}

impl Context {
    /// Creates a texture, and returns its handle.
    pub(crate) fn create_texture(
        &mut self,
        resource: &Resource,
        reading: &Reading,
        call: &str,
    ) -> Result<u64> {
        let image = self.image(resource, call)?;
        let texture = reading.texture(image).map_err(|refused| match refused {
            Refused::Number(_) => Code::INVALID_VALUE,
            Refused::Lacks(what) => self.lacks(&format!("{call} of {what}")),
            Refused::Rule(rule) => self.rule(rule, call),
        })?;
        Ok(self.session.add_texture(texture))
    }

    /// Creates a surface, and returns its handle.
    pub(crate) fn create_surface(&mut self, resource: &Resource, call: &str) -> Result<u64> {
        let Resource::Array(handle) = resource else {
            let what = format!("{call}: a surface must be created from an array, not from memory");
            return Err(self.wrong(Code::INVALID_VALUE, &what));
        };
        let array = self.array(*handle, call)?;
        let added = self.session.add_surface(array.image);
        self.broken(added, call)
    }

    /// Destroys a texture or surface; ignores zero.
    pub(crate) fn destroy(&mut self, handle: u64, is_texture: bool, call: &str) -> Result {
        let removed = match is_texture {
            _ if handle == 0 => Ok(()),
            true => self.session.remove_texture(handle),
            false => self.session.remove_surface(handle),
        };
        removed.map_err(|why| self.wrong(Code::INVALID_VALUE, &format!("{call}: {}", why.what)))
    }

    /// Returns the texels of a resource.
    pub(crate) fn image(&mut self, resource: &Resource, call: &str) -> Result<Image> {
        let image = match *resource {
            Resource::Array(handle) => return Ok(self.array(handle, call)?.image),
            Resource::Linear {
                address,
                format,
                bytes,
            } => Image::linear(address, format, bytes as u64),
            Resource::Pitched {
                address,
                format,
                size,
                pitch_bytes,
            } => {
                let size = size.map(|extent| extent as u64);
                Image::pitched(address, format, size, pitch_bytes as u64)
            }
        };
        self.broken(image, call)
    }
}
