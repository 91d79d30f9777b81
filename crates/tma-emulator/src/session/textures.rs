//! Textures and surfaces of a session.

use tma_launch::{Failure, Stage};

use super::Session;
use crate::texture::{Geometry, Image, Texture, TextureError, TextureObject};

impl Session {
    /// Creates a texture and returns its handle for kernels. Its texels are in global memory, so they are
    /// written with [`write`](Self::write). Addresses are checked when a kernel fetches.
    #[doc(alias = "cudaCreateTextureObject")]
    pub fn add_texture(&mut self, texture: Texture) -> u64 {
        self.state
            .memory
            .objects
            .add(TextureObject::Texture(texture))
    }

    /// Creates a surface and returns its handle, by which kernels read and write an array.
    ///
    /// # Errors
    /// The image is linear memory without rows.
    #[doc(alias = "cudaCreateSurfaceObject")]
    pub fn add_surface(&mut self, image: Image) -> Result<u64, TextureError> {
        Ok(self.state.memory.objects.add(surface(image)?))
    }

    /// Creates a texture like [`add_texture`](Self::add_texture), with a chosen handle, for example from a GPU.
    ///
    /// # Errors
    /// Another texture or surface has this handle.
    pub fn place_texture(&mut self, handle: u64, texture: Texture) -> Result<(), Failure> {
        self.place_object(handle, TextureObject::Texture(texture))
    }

    /// Creates a surface like [`add_surface`](Self::add_surface), with a chosen handle, for example from a GPU.
    ///
    /// # Errors
    /// The image is linear memory without rows, or another texture or surface has this handle.
    pub fn place_surface(&mut self, handle: u64, image: Image) -> Result<(), Failure> {
        let surface = surface(image);
        let surface = surface.map_err(|rule| Failure::new(Stage::Upload, rule.to_string()))?;
        self.place_object(handle, surface)
    }

    fn place_object(&mut self, handle: u64, object: TextureObject) -> Result<(), Failure> {
        match self.state.memory.objects.place(handle, object) {
            true => Ok(()),
            false => Err(Failure::new(
                Stage::Upload,
                format!("{handle:#x} is the handle of another texture or surface"),
            )),
        }
    }

    /// Returns the texture of a handle.
    pub fn texture(&self, handle: u64) -> Option<&Texture> {
        match self.state.memory.objects.get(handle)? {
            TextureObject::Texture(texture) => Some(texture),
            TextureObject::Surface(_) => None,
        }
    }

    /// Returns the texels of a surface by its handle.
    pub fn surface(&self, handle: u64) -> Option<&Image> {
        match self.state.memory.objects.get(handle)? {
            TextureObject::Surface(image) => Some(image),
            TextureObject::Texture(_) => None,
        }
    }

    /// Destroys a texture. Its texels stay.
    ///
    /// # Errors
    /// The handle is not a texture, or the texture was destroyed before.
    #[doc(alias = "cudaDestroyTextureObject")]
    pub fn remove_texture(&mut self, handle: u64) -> Result<(), Failure> {
        match self.texture(handle) {
            Some(_) => self.remove(handle),
            None => Err(self.no_object(handle, "a texture")),
        }
    }

    /// Destroys a surface. Its texels stay.
    ///
    /// # Errors
    /// The handle is not a surface, or the surface was destroyed before.
    #[doc(alias = "cudaDestroySurfaceObject")]
    pub fn remove_surface(&mut self, handle: u64) -> Result<(), Failure> {
        match self.surface(handle) {
            Some(_) => self.remove(handle),
            None => Err(self.no_object(handle, "a surface")),
        }
    }

    fn remove(&mut self, handle: u64) -> Result<(), Failure> {
        self.state.memory.objects.remove(handle);
        Ok(())
    }

    fn no_object(&self, handle: u64, wanted: &str) -> Failure {
        let what = self.state.memory.objects.why_none(handle, wanted);
        Failure::new(Stage::Upload, what)
    }
}

fn surface(image: Image) -> Result<TextureObject, TextureError> {
    match image.geometry() {
        Geometry::Linear => Err(TextureError::SurfaceOf(Geometry::Linear)),
        _ => Ok(TextureObject::Surface(image)),
    }
}
