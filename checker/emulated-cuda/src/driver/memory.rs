//! Memory, copies and sets.

use crate::{
    allocations::{AllocationKind, TOTAL_BYTES},
    calls::alive,
    code::{Code, Result},
    export::export,
    ffi::{Out, Pointer},
    runtime::memory::rows,
};

fn allocate(pointer: &Out<u64>, bytes: usize, call: &str) -> Result {
    match bytes {
        0 => Err(Code::INVALID_VALUE),
        bytes => pointer.put(alive(|context| context.allocate(bytes, call))?),
    }
}

fn allocate_shared(pointer: &Out<u64>, bytes: usize, kind: AllocationKind, call: &str) -> Result {
    pointer.put(alive(|context| context.allocate_shared(bytes, kind, call))?)
}

fn copy(to: Pointer, from: Pointer, bytes: usize, call: &str) -> Result {
    alive(|context| context.copy(to, from, bytes, call))
}

/// Like [`copy`], for calls that specify which pointers are device memory.
fn copy_of([to, from]: [Pointer; 2], device: &[Pointer], bytes: usize, call: &str) -> Result {
    if bytes > 0 {
        let mut device = device.iter();
        alive(|context| device.try_for_each(|pointer| context.check_device(*pointer, call)))?;
    }
    copy(to, from, bytes, call)
}

fn fill(to: Pointer, element: &[u8], count: usize, call: &str) -> Result {
    alive(|context| context.fill(to, element, count, call))
}

/// Writes an attribute of the memory that contains an address.
fn attribute(data: Pointer, attribute: i32, pointer: Pointer) -> Result {
    let found = alive(|context| Ok(context.space.find(pointer.address())))?;
    let found = found.ok_or(Code::INVALID_VALUE)?;
    let is_host = matches!(
        found.kind,
        AllocationKind::Pinned | AllocationKind::Registered
    );
    let int = |value: i32| data.write_host(&value.to_le_bytes());
    let long = |value: u64| data.write_host(&value.to_le_bytes());
    match attribute {
        // Context, kind of memory, and the addresses on both sides.
        1 => long(0x1000_0000_0010),
        2 => int(if is_host { 1 } else { 2 }),
        3 => long(pointer.address()),
        4 if found.kind != AllocationKind::Device => long(pointer.address()),
        // Number of the allocation, managed, device, its range.
        7 => long(found.address),
        8 => int(i32::from(found.kind == AllocationKind::Managed)),
        9 => int(0),
        11 => long(found.address),
        12 => long(found.bytes as u64),
        13 => int(1),
        _ => Err(Code::INVALID_VALUE),
    }
}

export! {
    driver;

    fn cuMemAlloc_v2 as cuMemAlloc (pointer: Out<u64>, bytes: usize) {
        allocate(&pointer, bytes, "cuMemAlloc")
    }

    fn cuMemAllocAsync as cuMemAllocAsync_ptsz (pointer: Out<u64>, bytes: usize, stream: Pointer) {
        let _ = stream;
        allocate(&pointer, bytes, "cuMemAllocAsync")
    }

    fn cuMemAllocPitch_v2 as cuMemAllocPitch (
        pointer: Out<u64>,
        pitch: Out<usize>,
        width: usize,
        height: usize,
        element_bytes: u32,
    ) {
        let _ = element_bytes;
        let (address, bytes) = rows(width, height, "cuMemAllocPitch")?;
        pointer.put(address)?;
        pitch.put(bytes)
    }

    fn cuMemAllocManaged(pointer: Out<u64>, bytes: usize, flags: u32) {
        let _ = flags;
        allocate_shared(&pointer, bytes, AllocationKind::Managed, "cuMemAllocManaged")
    }

    fn cuMemAllocHost_v2 as cuMemAllocHost (pointer: Out<u64>, bytes: usize) {
        allocate_shared(&pointer, bytes, AllocationKind::Pinned, "cuMemAllocHost")
    }

    fn cuMemHostAlloc(pointer: Out<u64>, bytes: usize, flags: u32) {
        let _ = flags;
        allocate_shared(&pointer, bytes, AllocationKind::Pinned, "cuMemHostAlloc")
    }

    fn cuMemFree_v2 as cuMemFree (pointer: Pointer) {
        let kinds = [AllocationKind::Device, AllocationKind::Managed];
        alive(|context| context.free(pointer, &kinds, "cuMemFree"))
    }

    fn cuMemFreeAsync as cuMemFreeAsync_ptsz (pointer: Pointer, stream: Pointer) {
        let _ = stream;
        alive(|context| context.free(pointer, &[AllocationKind::Device], "cuMemFreeAsync"))
    }

    fn cuMemFreeHost(pointer: Pointer) {
        alive(|context| context.free(pointer, &[AllocationKind::Pinned], "cuMemFreeHost"))
    }

    fn cuMemHostRegister_v2 as cuMemHostRegister (pointer: Pointer, bytes: usize, flags: u32) {
        let _ = flags;
        alive(|context| context.register(pointer, bytes))
    }

    fn cuMemHostUnregister(pointer: Pointer) {
        alive(|context| {
            let freed = context.free(pointer, &[AllocationKind::Registered], "cuMemHostUnregister");
            freed.map_err(|_| Code::NOT_REGISTERED)
        })
    }

    fn cuMemHostGetDevicePointer_v2 as cuMemHostGetDevicePointer (on_device: Out<u64>, pointer: Pointer, flags: u32) {
        let _ = flags;
        let found = alive(|context| Ok(context.space.find(pointer.address())))?;
        found.ok_or(Code::INVALID_VALUE)?;
        on_device.put(pointer.address())
    }

    fn cuMemGetInfo_v2 as cuMemGetInfo (free: Out<usize>, total: Out<usize>) {
        free.put(alive(|context| Ok(context.space.free_bytes()))? as usize)?;
        total.put(TOTAL_BYTES as usize)
    }

    fn cuMemGetAddressRange_v2 as cuMemGetAddressRange (start: Out<u64>, bytes: Out<usize>, pointer: Pointer) {
        let found = alive(|context| Ok(context.space.find(pointer.address())))?;
        let found = found.ok_or(Code::NOT_FOUND)?;
        start.put_if_any(found.address);
        bytes.put_if_any(found.bytes);
        Ok(())
    }

    fn cuPointerGetAttribute(data: Pointer, number: i32, pointer: Pointer) {
        attribute(data, number, pointer)
    }

    fn cuMemcpy as cuMemcpy_ptds (to: Pointer, from: Pointer, bytes: usize) {
        copy(to, from, bytes, "cuMemcpy")
    }

    fn cuMemcpyAsync as cuMemcpyAsync_ptsz (to: Pointer, from: Pointer, bytes: usize, stream: Pointer) {
        let _ = stream;
        copy(to, from, bytes, "cuMemcpyAsync")
    }

    fn cuMemcpyHtoD_v2 as cuMemcpyHtoD, cuMemcpyHtoD_v2_ptds (to: Pointer, from: Pointer, bytes: usize) {
        copy_of([to, from], &[to], bytes, "cuMemcpyHtoD")
    }

    fn cuMemcpyDtoH_v2 as cuMemcpyDtoH, cuMemcpyDtoH_v2_ptds (to: Pointer, from: Pointer, bytes: usize) {
        copy_of([to, from], &[from], bytes, "cuMemcpyDtoH")
    }

    fn cuMemcpyDtoD_v2 as cuMemcpyDtoD, cuMemcpyDtoD_v2_ptds (to: Pointer, from: Pointer, bytes: usize) {
        copy_of([to, from], &[to, from], bytes, "cuMemcpyDtoD")
    }

    fn cuMemcpyHtoDAsync_v2 as cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2_ptsz (
        to: Pointer,
        from: Pointer,
        bytes: usize,
        stream: Pointer,
    ) {
        let _ = stream;
        copy_of([to, from], &[to], bytes, "cuMemcpyHtoDAsync")
    }

    fn cuMemcpyDtoHAsync_v2 as cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2_ptsz (
        to: Pointer,
        from: Pointer,
        bytes: usize,
        stream: Pointer,
    ) {
        let _ = stream;
        copy_of([to, from], &[from], bytes, "cuMemcpyDtoHAsync")
    }

    fn cuMemcpyDtoDAsync_v2 as cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2_ptsz (
        to: Pointer,
        from: Pointer,
        bytes: usize,
        stream: Pointer,
    ) {
        let _ = stream;
        copy_of([to, from], &[to, from], bytes, "cuMemcpyDtoDAsync")
    }

    fn cuMemsetD8_v2 as cuMemsetD8, cuMemsetD8_v2_ptds (to: Pointer, value: u8, count: usize) {
        fill(to, &[value], count, "cuMemsetD8")
    }

    fn cuMemsetD16_v2 as cuMemsetD16, cuMemsetD16_v2_ptds (to: Pointer, value: u16, count: usize) {
        fill(to, &value.to_le_bytes(), count, "cuMemsetD16")
    }

    fn cuMemsetD32_v2 as cuMemsetD32, cuMemsetD32_v2_ptds (to: Pointer, value: u32, count: usize) {
        fill(to, &value.to_le_bytes(), count, "cuMemsetD32")
    }

    fn cuMemsetD8Async as cuMemsetD8Async_ptsz (to: Pointer, value: u8, count: usize, stream: Pointer) {
        let _ = stream;
        fill(to, &[value], count, "cuMemsetD8Async")
    }

    fn cuMemsetD16Async as cuMemsetD16Async_ptsz (to: Pointer, value: u16, count: usize, stream: Pointer) {
        let _ = stream;
        fill(to, &value.to_le_bytes(), count, "cuMemsetD16Async")
    }

    fn cuMemsetD32Async as cuMemsetD32Async_ptsz (to: Pointer, value: u32, count: usize, stream: Pointer) {
        let _ = stream;
        fill(to, &value.to_le_bytes(), count, "cuMemsetD32Async")
    }
}
