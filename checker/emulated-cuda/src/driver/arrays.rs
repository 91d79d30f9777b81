//! Arrays, textures and surfaces.

use tma_emulator::texture::{Format, Reading};

use crate::{
    arrays::Array,
    calls::alive,
    code::Result,
    context::Context,
    export::export,
    ffi::{In, Out, Pointer},
    textures::Resource,
};

/// `CUDA_ARRAY_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PlaneDescription {
    width: usize,
    height: usize,
    format: u32,
    channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ArrayDescription {
    width: usize,
    height: usize,
    depth: usize,
    format: u32,
    channels: u32,
    flags: u32,
}

/// The used part of `CUDA_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ResourceDescription {
    kind: i32,
    /// The handle of an array, or an address.
    at: u64,
    format: u32,
    channels: u32,
    /// Bytes of linear memory; width, height and pitch in bytes of rows.
    sizes: [usize; 3],
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct TextureDescription {
    address_modes: [i32; 3],
    filter: i32,
    flags: u32,
    max_anisotropy: u32,
    mipmap_filter: i32,
    mipmap_levels: [f32; 3],
    border: [f32; 4],
    reserved: [i32; 12],
}

/// Returns the format of a number; compressed and planar formats are not supported.
fn format(context: &mut Context, number: u32, channels: u32, call: &str) -> Result<Format> {
    match Format::of_number(number, channels) {
        Some(format) => context.broken(format, call),
        None => Err(context.lacks(&format!("{call} of the format {number:#x}"))),
    }
}

fn create(array: &Out<u64>, of: ArrayDescription, call: &str) -> Result {
    array.put(alive(|context| {
        let format = format(context, of.format, of.channels, call)?;
        let extents = [of.width, of.height, of.depth];
        context.create_array(format, extents, of.flags, call)
    })?)
}

/// Returns the description of an array.
fn describe(array: &Array) -> ArrayDescription {
    let format = array.format();
    let [width, height, depth] = array.extents();
    ArrayDescription {
        width,
        height,
        depth,
        format: format.number(),
        channels: format.channels(),
        flags: array.flags,
    }
}

fn found(array: Pointer, call: &str) -> Result<ArrayDescription> {
    let found = alive(|context| context.array(array.address(), call))?;
    Ok(describe(&found))
}

impl ResourceDescription {
    fn resource(&self, context: &mut Context, call: &str) -> Result<Resource> {
        let format = |context: &mut Context| format(context, self.format, self.channels, call);
        Resource::new(context, (self.kind, self.at, self.sizes), format, call)
    }
}

impl TextureDescription {
    /// Returns the sampler settings for texels with channels of this number of bits.
    fn reading(&self, bits: u32) -> Reading {
        let reading = Reading {
            address_modes: self.address_modes,
            filter: self.filter,
            border: self.border,
            ..Reading::default()
        };
        reading.with_flags(self.flags, bits)
    }
}

export! {
    driver;

    fn cuArrayCreate_v2 as cuArrayCreate (array: Out<u64>, description: In<PlaneDescription>) {
        let PlaneDescription { width, height, format, channels } = description.get()?;
        let of = ArrayDescription { width, height, depth: 0, format, channels, flags: 0 };
        create(&array, of, "cuArrayCreate")
    }

    fn cuArray3DCreate_v2 as cuArray3DCreate (array: Out<u64>, description: In<ArrayDescription>) {
        create(&array, description.get()?, "cuArray3DCreate")
    }

    fn cuArrayGetDescriptor_v2 as cuArrayGetDescriptor (description: Out<PlaneDescription>, array: Pointer) {
        let ArrayDescription { width, height, format, channels, .. } = found(array, "cuArrayGetDescriptor")?;
        description.put(PlaneDescription { width, height, format, channels })
    }

    fn cuArray3DGetDescriptor_v2 as cuArray3DGetDescriptor (description: Out<ArrayDescription>, array: Pointer) {
        description.put(found(array, "cuArray3DGetDescriptor")?)
    }

    fn cuArrayDestroy(array: Pointer) {
        alive(|context| context.free_array(array.address(), "cuArrayDestroy"))
    }

    fn cuTexObjectCreate(
        handle: Out<u64>,
        resource: In<ResourceDescription>,
        texture: In<TextureDescription>,
        view: Pointer,
    ) {
        let (resource, texture) = (resource.get()?, texture.get()?);
        handle.put(alive(|context| {
            if view.address() != 0 {
                return Err(context.lacks("cuTexObjectCreate with a view of a resource"));
            }
            let of = resource.resource(context, "cuTexObjectCreate")?;
            let bits = context.image(&of, "cuTexObjectCreate")?.format().bits();
            context.create_texture(&of, &texture.reading(bits), "cuTexObjectCreate")
        })?)
    }

    fn cuTexObjectDestroy(handle: u64) {
        alive(|context| context.destroy(handle, true, "cuTexObjectDestroy"))
    }

    fn cuSurfObjectCreate(handle: Out<u64>, resource: In<ResourceDescription>) {
        let resource = resource.get()?;
        handle.put(alive(|context| {
            let of = resource.resource(context, "cuSurfObjectCreate")?;
            context.create_surface(&of, "cuSurfObjectCreate")
        })?)
    }

    fn cuSurfObjectDestroy(handle: u64) {
        alive(|context| context.destroy(handle, false, "cuSurfObjectDestroy"))
    }
}
