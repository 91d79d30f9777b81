//! Host memory accessible to kernels, and attributes of addresses.

use crate::{
    allocations::AllocationKind,
    calls::alive,
    export::export,
    ffi::{Out, Pointer},
};

/// `cudaPointerAttributes`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PointerAttributes {
    kind: i32,
    device: i32,
    on_device: u64,
    on_host: u64,
    reserved: [i64; 8],
}

export! {
    runtime;

    fn cudaMallocHost(pointer: Out<u64>, bytes: usize) {
        pointer.put(alive(|context| context.allocate_shared(bytes, AllocationKind::Pinned, "cudaMallocHost"))?)
    }

    fn cudaHostAlloc(pointer: Out<u64>, bytes: usize, flags: u32) {
        let _ = flags;
        pointer.put(alive(|context| context.allocate_shared(bytes, AllocationKind::Pinned, "cudaHostAlloc"))?)
    }

    fn cudaFreeHost(pointer: Pointer) {
        alive(|context| context.free(pointer, &[AllocationKind::Pinned], "cudaFreeHost"))
    }

    fn cudaHostGetDevicePointer(on_device: Out<u64>, pointer: Pointer, flags: u32) {
        let _ = flags;
        let address = pointer.address();
        let found = alive(|context| Ok(context.space.find(address)))?;
        match found {
            Some(found) if found.kind != AllocationKind::Device => on_device.put(address),
            _ => Err(crate::code::Code::INVALID_VALUE),
        }
    }

    fn cudaHostGetFlags(flags: Out<u32>, pointer: Pointer) {
        let found = alive(|context| Ok(context.space.find(pointer.address())))?;
        found.ok_or(crate::code::Code::INVALID_VALUE)?;
        flags.put(2)
    }

    fn cudaHostRegister(pointer: Pointer, bytes: usize, flags: u32) {
        let _ = flags;
        alive(|context| context.register(pointer, bytes))
    }

    fn cudaHostUnregister(pointer: Pointer) {
        alive(|context| {
            let freed = context.free(pointer, &[AllocationKind::Registered], "cudaHostUnregister");
            freed.map_err(|_| crate::code::Code::NOT_REGISTERED)
        })
    }

    fn cudaPointerGetAttributes(attributes: Out<PointerAttributes>, pointer: Pointer) {
        let address = pointer.address();
        let found = alive(|context| Ok(context.space.find(address)))?;
        let (kind, on_device, on_host) = match found.map(|found| found.kind) {
            None => (0, 0, address),
            Some(AllocationKind::Device) => (2, address, 0),
            Some(AllocationKind::Managed) => (3, address, address),
            Some(AllocationKind::Pinned | AllocationKind::Registered) => (1, address, address),
        };
        let device = if kind == 0 { -2 } else { 0 };
        attributes.put(PointerAttributes { kind, device, on_device, on_host, reserved: [0; 8] })
    }

    // The location of managed memory is irrelevant here. The location parameter is a number in CUDA 12 and a struct
    // of two numbers in 13, which are passed in the same way.
    fn cudaMemPrefetchAsync as cudaMemPrefetchAsync_ptsz (pointer: Pointer, bytes: usize) {
        let _ = bytes;
        alive(|context| match context.space.find(pointer.address()) {
            Some(_) => Ok(()),
            None => Err(crate::code::Code::INVALID_VALUE),
        })
    }

    fn cudaMemPrefetchAsync_v2 as cudaMemPrefetchAsync_v2_ptsz (pointer: Pointer, bytes: usize) {
        let _ = bytes;
        alive(|context| match context.space.find(pointer.address()) {
            Some(_) => Ok(()),
            None => Err(crate::code::Code::INVALID_VALUE),
        })
    }

    fn cudaMemAdvise as cudaMemAdvise_v2 (pointer: Pointer, bytes: usize) {
        let _ = (pointer, bytes);
        Ok(())
    }

    fn cudaStreamAttachMemAsync as cudaStreamAttachMemAsync_ptsz (stream: Pointer, pointer: Pointer) {
        let _ = (stream, pointer);
        Ok(())
    }
}
