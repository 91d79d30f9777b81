//! Textures and surfaces by their handles.

use std::collections::BTreeMap;

use super::{Image, Texture};

/// First handle. No memory has these addresses.
const HANDLES: u64 = 0x0700_0000_0000;

/// The object that a handle refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TextureObject {
    Texture(Texture),
    Surface(Image),
}

/// Returns the handle of the texture or surface that a session creates as number `number`, from 0 on.
pub const fn handle(number: u64) -> u64 {
    HANDLES + 1 + number
}

/// All textures and surfaces. Handles are never reused, so that uses of destroyed ones are found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    all: BTreeMap<u64, TextureObject>,
    /// Handles that were given out.
    count: u64,
}

impl Objects {
    pub(crate) fn add(&mut self, object: TextureObject) -> u64 {
        let handle = handle(self.count);
        self.count += 1;
        self.all.insert(handle, object);
        handle
    }

    /// Adds an object with a chosen handle; returns `false` if the handle is in use.
    pub(crate) fn place(&mut self, handle: u64, object: TextureObject) -> bool {
        let is_free = !self.all.contains_key(&handle);
        if is_free {
            self.all.insert(handle, object);
        }
        is_free
    }

    pub(crate) fn remove(&mut self, handle: u64) {
        self.all.remove(&handle);
    }

    pub(crate) fn get(&self, handle: u64) -> Option<&TextureObject> {
        self.all.get(&handle)
    }

    /// Returns why a handle is not of the wanted kind.
    pub(crate) fn why_none(&self, handle: u64, wanted: &str) -> String {
        match self.all.get(&handle) {
            Some(TextureObject::Texture(_)) => {
                format!("{handle:#x} is the handle of a texture, and not of {wanted}")
            }
            Some(TextureObject::Surface(_)) => {
                format!("{handle:#x} is the handle of a surface, and not of {wanted}")
            }
            None if (HANDLES + 1..self::handle(self.count)).contains(&handle) => {
                format!("{handle:#x} is not the handle of {wanted} any more: it was destroyed")
            }
            None => format!("{handle:#x} is not the handle of {wanted}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::{Channel, Format, Geometry};

    #[test]
    fn a_handle_stands_for_one_object() {
        let format = Format::new(1, 32, Channel::Float).unwrap();
        let image = Image::array(0, format, Geometry::Line, [7, 1, 1]).unwrap();
        let mut objects = Objects::default();
        let first = objects.add(TextureObject::Surface(image));
        assert!(!objects.place(first, TextureObject::Surface(image)));
        assert!(objects.place(3, TextureObject::Surface(image)));
        assert!(!objects.place(3, TextureObject::Surface(image)));
        objects.remove(3);
        assert!(objects.get(3).is_none() && objects.get(first).is_some());
        assert!(objects.place(3, TextureObject::Surface(image)));
    }
}
