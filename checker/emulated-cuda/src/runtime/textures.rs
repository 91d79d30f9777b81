//! Texture and surface objects.

use tma_emulator::texture::{MAX_LINEAR_TEXELS, Reading};

use crate::{
    calls::alive,
    code::{Code, Result},
    context::Context,
    descriptions::{ChannelDescription, Description, ResourceDescription, TextureDescription},
    export::export,
    ffi::{In, Out, Pointer},
    textures::Resource,
};

impl ResourceDescription {
    fn resource(&self, context: &mut Context, call: &str) -> Result<Resource> {
        let format = |context: &mut Context| self.format.format(context, call);
        Resource::new(context, (self.kind, self.at, self.sizes), format, call)
    }
}

impl TextureDescription {
    fn reading(&self) -> Reading {
        Reading {
            address_modes: self.address_modes,
            filter: self.filter,
            is_normalized_float: self.reads_normalized != 0,
            has_normalized_coordinates: self.normalized_coordinates != 0,
            is_srgb: self.srgb != 0,
            is_seamless: self.seamless != 0,
            border: self.border,
        }
    }
}

/// Returns the descriptions of a handle.
fn described(handle: u64) -> Result<Description> {
    let found = alive(|context| Ok(context.descriptions.get(&handle).copied()))?;
    found.ok_or(Code::INVALID_VALUE)
}

export! {
    runtime;

    fn cudaCreateTextureObject(
        handle: Out<u64>,
        resource: In<ResourceDescription>,
        texture: In<TextureDescription>,
        view: Pointer,
    ) {
        const CALL: &str = "cudaCreateTextureObject";
        let (resource, texture) = (resource.get()?, texture.get()?);
        handle.put(alive(|context| {
            if view.address() != 0 {
                return Err(context.lacks("cudaCreateTextureObject with a view of a resource"));
            }
            let of = resource.resource(context, CALL)?;
            let handle = context.create_texture(&of, &texture.reading(), CALL)?;
            let description = Description { resource, texture: Some(texture) };
            context.descriptions.insert(handle, description);
            Ok(handle)
        })?)
    }

    fn cudaDestroyTextureObject(handle: u64) {
        alive(|context| {
            context.descriptions.remove(&handle);
            context.destroy(handle, true, "cudaDestroyTextureObject")
        })
    }

    fn cudaGetTextureObjectResourceDesc(resource: Out<ResourceDescription>, handle: u64) {
        resource.put(described(handle)?.resource)
    }

    fn cudaGetTextureObjectTextureDesc(texture: Out<TextureDescription>, handle: u64) {
        texture.put(described(handle)?.texture.ok_or(Code::INVALID_VALUE)?)
    }

    fn cudaCreateSurfaceObject(handle: Out<u64>, resource: In<ResourceDescription>) {
        const CALL: &str = "cudaCreateSurfaceObject";
        let resource = resource.get()?;
        handle.put(alive(|context| {
            let of = resource.resource(context, CALL)?;
            let handle = context.create_surface(&of, CALL)?;
            let description = Description { resource, texture: None };
            context.descriptions.insert(handle, description);
            Ok(handle)
        })?)
    }

    fn cudaDestroySurfaceObject(handle: u64) {
        alive(|context| {
            context.descriptions.remove(&handle);
            context.destroy(handle, false, "cudaDestroySurfaceObject")
        })
    }

    fn cudaGetSurfaceObjectResourceDesc(resource: Out<ResourceDescription>, handle: u64) {
        resource.put(described(handle)?.resource)
    }

    fn cudaDeviceGetTexture1DLinearMaxWidth(
        texels: Out<usize>,
        description: In<ChannelDescription>,
        device: i32,
    ) {
        let _ = description;
        super::device::check(device)?;
        texels.put(MAX_LINEAR_TEXELS as usize)
    }
}
