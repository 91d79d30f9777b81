//! Textures and surfaces of a session.

use tma_launch::{Failure, Stage};

use super::Session;
use crate::texture::{Geometry, Image, Object, Texture, TextureError};

impl Session {
    /// Gives the handle by which kernels fetch from a texture. Its texels are global memory: they are written with
    /// [`write`](Self::write), and that they are there is found out when one is fetched.
    #[doc(alias = "cudaCreateTextureObject")]
    pub fn add_texture(&mut self, texture: Texture) -> u64 {
        self.state.memory.objects.add(Object::Texture(texture))
    }

    /// Gives the handle by which kernels read and write an array.
    ///
    /// # Errors
    /// The image is memory without rows.
    #[doc(alias = "cudaCreateSurfaceObject")]
    pub fn add_surface(&mut self, image: Image) -> Result<u64, TextureError> {
        Ok(self.state.memory.objects.add(surface(image)?))
    }

    /// As [`add_texture`](Self::add_texture), with a handle of the caller's choice: one that a GPU gave.
    ///
    /// # Errors
    /// Another texture or surface has it.
    pub fn place_texture(&mut self, handle: u64, texture: Texture) -> Result<(), Failure> {
        self.place_object(handle, Object::Texture(texture))
    }

    /// As [`add_surface`](Self::add_surface), with a handle of the caller's choice: one that a GPU gave.
    ///
    /// # Errors
    /// The image is memory without rows, or another texture or surface has the handle.
    pub fn place_surface(&mut self, handle: u64, image: Image) -> Result<(), Failure> {
        let surface = surface(image);
        let surface = surface.map_err(|rule| Failure::new(Stage::Upload, rule.to_string()))?;
        self.place_object(handle, surface)
    }

    fn place_object(&mut self, handle: u64, object: Object) -> Result<(), Failure> {
        match self.state.memory.objects.place(handle, object) {
            true => Ok(()),
            false => Err(Failure::new(
                Stage::Upload,
                format!("{handle:#x} is the handle of another texture or surface"),
            )),
        }
    }

    /// The texture of a handle.
    pub fn texture(&self, handle: u64) -> Option<&Texture> {
        match self.state.memory.objects.get(handle)? {
            Object::Texture(texture) => Some(texture),
            Object::Surface(_) => None,
        }
    }

    /// The texels of a surface by its handle.
    pub fn surface(&self, handle: u64) -> Option<&Image> {
        match self.state.memory.objects.get(handle)? {
            Object::Surface(image) => Some(image),
            Object::Texture(_) => None,
        }
    }

    /// Takes the handle of a texture back. Its texels stay.
    ///
    /// # Errors
    /// It is none, or it was taken back before.
    #[doc(alias = "cudaDestroyTextureObject")]
    pub fn remove_texture(&mut self, handle: u64) -> Result<(), Failure> {
        match self.texture(handle) {
            Some(_) => self.remove(handle),
            None => Err(self.no_object(handle, "a texture")),
        }
    }

    /// Takes the handle of a surface back. Its texels stay.
    ///
    /// # Errors
    /// It is none, or it was taken back before.
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

fn surface(image: Image) -> Result<Object, TextureError> {
    match image.geometry() {
        Geometry::Linear => Err(TextureError::SurfaceOf(Geometry::Linear)),
        _ => Ok(Object::Surface(image)),
    }
}
