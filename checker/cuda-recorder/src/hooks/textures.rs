//! Textures and surfaces.

use crate::{
    driver::SUCCESS,
    hooks::hooks,
    host,
    objects::{Description, ResourceDescription, TextureDescription},
    state,
};

/// Records a texture or a surface.
///
/// # Safety
/// 1. The pointers are null or valid, and if the code is success, the driver has written the handle.
unsafe fn created(
    code: i32,
    handle: *const u64,
    resource: *const ResourceDescription,
    texture: *const TextureDescription,
    has_view: bool,
) -> i32 {
    // SAFETY: the description is null or valid (1), as `value` requires (1).
    let resource = unsafe { host::value(resource) };
    // SAFETY: the description is null or valid (1), as `value` requires (1).
    let texture = unsafe { host::value(texture) };
    // SAFETY: the pointer is null or valid (1), as `value` requires (1).
    let handle = unsafe { host::value(handle) };
    if let (SUCCESS, Some(handle), Some(resource)) = (code, handle, resource) {
        let description = Description {
            resource,
            texture,
            has_view,
        };
        state::with(|state| state.objects.add(handle, description));
    }
    code
}

fn destroyed(code: i32, handle: u64) -> i32 {
    if code == SUCCESS {
        state::with(|state| state.objects.remove(handle));
    }
    code
}

hooks! {
    fn cuTexObjectCreate(
        handle: *mut u64,
        resource: *const ResourceDescription,
        texture: *const TextureDescription,
        view: u64,
    ) |real| {
        // SAFETY: the driver got the same pointers, and uses them if it succeeds (1).
        unsafe { created(real(), handle, resource, texture, view != 0) }
    }

    fn cuSurfObjectCreate(handle: *mut u64, resource: *const ResourceDescription) |real| {
        // SAFETY: the driver got the same pointers, and uses them if it succeeds (1).
        unsafe { created(real(), handle, resource, std::ptr::null(), false) }
    }

    fn cuTexObjectDestroy, fn cuSurfObjectDestroy(handle: u64) |real| {
        destroyed(real(), handle)
    }
}
