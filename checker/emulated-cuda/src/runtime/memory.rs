//! Memory of the device, copies and sets.

use crate::{
    allocations::AllocationKind,
    calls::alive,
    code::{Code, Result},
    export::export,
    ffi::{In, Out, Pointer},
    runtime::{
        copies::{Copy3d, Extent, Pitched},
        graph_memory::allocate,
    },
    stream_work::Work,
    work::{perform, submit},
};

/// Alignment of rows in `cudaMallocPitch`.
pub(crate) const PITCH_ALIGN_BYTES: usize = 512;

/// Allocates rows; returns their start and pitch.
pub(crate) fn rows(width: usize, count: usize, call: &str) -> Result<(u64, usize)> {
    let pitch = width.checked_next_multiple_of(PITCH_ALIGN_BYTES);
    let pitch = pitch.ok_or(Code::OUT_OF_MEMORY)?;
    let bytes = pitch.checked_mul(count).ok_or(Code::OUT_OF_MEMORY)?;
    let address = alive(|context| context.allocate(bytes, call))?;
    Ok((address, pitch))
}

/// Returns work that fills the layers of a box in order.
fn fill_layers(
    to: Pitched,
    value: i32,
    extent: Extent,
    call: &'static str,
) -> Result<impl Iterator<Item = Result<Work>>> {
    let Extent {
        width,
        height,
        depth,
    } = extent;
    let layers = match depth {
        _ if width == 0 || height == 0 => 0,
        2.. if height > to.height || width > to.pitch => return Err(Code::INVALID_VALUE),
        depth => depth,
    };
    to.layer(layers.saturating_sub(1))?;
    Ok((0..layers).map(move |layer| {
        Ok(Work::Fill {
            to: (to.layer(layer)?, to.pitch),
            element: vec![value as u8],
            size: [width, height],
            call,
        })
    }))
}

export! {
    runtime;

    fn cudaMalloc(pointer: Out<u64>, bytes: usize) {
        pointer.put(alive(|context| match bytes {
            0 => Ok(0),
            bytes => context.allocate(bytes, "cudaMalloc"),
        })?)
    }

    fn cudaMallocAsync as cudaMallocAsync_ptsz (pointer: Out<u64>, bytes: usize, stream: Pointer) {
        pointer.put(allocate(stream, bytes, "cudaMallocAsync")?)
    }

    fn cudaMallocFromPoolAsync as cudaMallocFromPoolAsync_ptsz (
        pointer: Out<u64>,
        bytes: usize,
        pool: Pointer,
        stream: Pointer,
    ) {
        let _ = pool;
        pointer.put(allocate(stream, bytes, "cudaMallocFromPoolAsync")?)
    }

    fn cudaMallocPitch(pointer: Out<u64>, pitch: Out<usize>, width: usize, height: usize) {
        let (address, bytes) = rows(width, height, "cudaMallocPitch")?;
        pointer.put(address)?;
        pitch.put(bytes)
    }

    fn cudaMalloc3D(pitched: Out<Pitched>, extent: Extent) {
        let Extent { width, height, depth } = extent;
        let count = height.checked_mul(depth).ok_or(Code::OUT_OF_MEMORY)?;
        let (address, pitch) = rows(width, count, "cudaMalloc3D")?;
        pitched.put(Pitched { address, pitch, width, height })
    }

    fn cudaMallocManaged(pointer: Out<u64>, bytes: usize, flags: u32) {
        let _ = flags;
        pointer.put(alive(|context| {
            context.allocate_shared(bytes, AllocationKind::Managed, "cudaMallocManaged")
        })?)
    }

    fn cudaFree(pointer: Pointer) {
        alive(|context| context.free_memory(pointer, "cudaFree"))
    }

    fn cudaFreeAsync as cudaFreeAsync_ptsz (pointer: Pointer, stream: Pointer) {
        submit(stream, |_| Ok(Work::Free(pointer, "cudaFreeAsync")))
    }

    fn cudaMemGetInfo(free: Out<usize>, total: Out<usize>) {
        free.put(alive(|context| Ok(context.space.free_bytes()))? as usize)?;
        total.put(crate::allocations::TOTAL_BYTES as usize)
    }

    fn cudaMemcpy as cudaMemcpy_ptds (to: Pointer, from: Pointer, bytes: usize, direction: i32) {
        alive(|context| {
            context.check_direction(direction, [to, from], [bytes, 1], "cudaMemcpy")?;
            context.copy(to, from, bytes, "cudaMemcpy")
        })
    }

    fn cudaMemcpyAsync as cudaMemcpyAsync_ptsz (
        to: Pointer,
        from: Pointer,
        bytes: usize,
        direction: i32,
        stream: Pointer,
    ) {
        let (places, size, call) = ([(to, bytes), (from, bytes)], [bytes, 1], "cudaMemcpyAsync");
        submit(stream, |context| {
            context.check_direction(direction, [to, from], size, call)?;
            Ok(Work::Copy { places, size, call })
        })
    }

    fn cudaMemcpyPeer as cudaMemcpyPeer_ptds (
        to: Pointer,
        to_device: i32,
        from: Pointer,
        from_device: i32,
        bytes: usize,
    ) {
        if to_device != 0 || from_device != 0 {
            return Err(Code::INVALID_DEVICE);
        }
        alive(|context| context.copy(to, from, bytes, "cudaMemcpyPeer"))
    }

    fn cudaMemcpyPeerAsync(
        to: Pointer,
        to_device: i32,
        from: Pointer,
        from_device: i32,
        bytes: usize,
        stream: Pointer,
    ) {
        if to_device != 0 || from_device != 0 {
            return Err(Code::INVALID_DEVICE);
        }
        let (places, size) = ([(to, bytes), (from, bytes)], [bytes, 1]);
        submit(stream, |_| Ok(Work::Copy { places, size, call: "cudaMemcpyPeerAsync" }))
    }

    fn cudaMemcpy2D as cudaMemcpy2D_ptds (
        to: Pointer,
        to_pitch: usize,
        from: Pointer,
        from_pitch: usize,
        width: usize,
        height: usize,
        direction: i32,
    ) {
        let places = [(to, to_pitch), (from, from_pitch)];
        alive(|context| {
            context.check_direction(direction, [to, from], [width, height], "cudaMemcpy2D")?;
            context.copy_rows(places, [width, height], "cudaMemcpy2D")
        })
    }

    fn cudaMemcpy2DAsync as cudaMemcpy2DAsync_ptsz (
        to: Pointer,
        to_pitch: usize,
        from: Pointer,
        from_pitch: usize,
        width: usize,
        height: usize,
        direction: i32,
        stream: Pointer,
    ) {
        let (places, size, call) = ([(to, to_pitch), (from, from_pitch)], [width, height], "cudaMemcpy2DAsync");
        submit(stream, |context| {
            context.check_direction(direction, [to, from], size, call)?;
            Ok(Work::Copy { places, size, call })
        })
    }

    fn cudaMemcpy3D as cudaMemcpy3D_ptds (copy: In<Copy3d>) {
        let copy = copy.get()?;
        (0..copy.layers()?).try_for_each(|layer| {
            perform(&alive(|context| copy.layer_at(context, layer, "cudaMemcpy3D"))?)
        })
    }

    fn cudaMemcpy3DAsync as cudaMemcpy3DAsync_ptsz (copy: In<Copy3d>, stream: Pointer) {
        let copy = copy.get()?;
        (0..copy.layers()?).try_for_each(|layer| {
            submit(stream, |context| copy.layer_at(context, layer, "cudaMemcpy3DAsync"))
        })
    }

    fn cudaMemset3D as cudaMemset3D_ptds (to: Pitched, value: i32, extent: Extent) {
        fill_layers(to, value, extent, "cudaMemset3D")?.try_for_each(|work| perform(&work?))
    }

    fn cudaMemset3DAsync as cudaMemset3DAsync_ptsz (to: Pitched, value: i32, extent: Extent, stream: Pointer) {
        let mut layers = fill_layers(to, value, extent, "cudaMemset3DAsync")?;
        layers.try_for_each(|work| submit(stream, |_| work))
    }

    fn cudaMemset as cudaMemset_ptds (to: Pointer, value: i32, bytes: usize) {
        alive(|context| context.fill(to, &[value as u8], bytes, "cudaMemset"))
    }

    fn cudaMemsetAsync as cudaMemsetAsync_ptsz (to: Pointer, value: i32, bytes: usize, stream: Pointer) {
        let (to, size, element) = ((to, 0), [bytes, 1], vec![value as u8]);
        submit(stream, |_| Ok(Work::Fill { to, element, size, call: "cudaMemsetAsync" }))
    }

    fn cudaMemset2D as cudaMemset2D_ptds (to: Pointer, pitch: usize, value: i32, width: usize, height: usize) {
        alive(|context| context.fill_rows((to, pitch), &[value as u8], [width, height], "cudaMemset2D"))
    }

    fn cudaMemset2DAsync as cudaMemset2DAsync_ptsz (
        to: Pointer,
        pitch: usize,
        value: i32,
        width: usize,
        height: usize,
        stream: Pointer,
    ) {
        let (to, size, element) = ((to, pitch), [width, height], vec![value as u8]);
        submit(stream, |_| Ok(Work::Fill { to, element, size, call: "cudaMemset2DAsync" }))
    }

    fn cudaDeviceGetDefaultMemPool as cudaDeviceGetMemPool (pool: Out<u64>, device: i32) {
        super::device::check(device)?;
        pool.put(DEFAULT_POOL)
    }

    fn cudaDeviceSetMemPool(device: i32, pool: Pointer) {
        let _ = pool;
        super::device::check(device)
    }

    fn cudaMemPoolCreate(pool: Out<u64>, properties: Pointer) {
        let _ = properties;
        pool.put(alive(|context| Ok(context.handle()))?)
    }

    fn cudaMemPoolDestroy(pool: Pointer) {
        let _ = pool;
        Ok(())
    }

    fn cudaMemPoolSetAttribute(pool: Pointer, attribute: i32, value: Pointer) {
        let _ = (pool, attribute, value);
        Ok(())
    }

    fn cudaMemPoolGetAttribute(pool: Pointer, attribute: i32, value: Out<u64>) {
        let _ = (pool, attribute);
        value.put(0)
    }

    fn cudaMemPoolTrimTo(pool: Pointer, bytes: usize) {
        let _ = (pool, bytes);
        Ok(())
    }
}

/// The default memory pool of the device.
const DEFAULT_POOL: u64 = 0x1000_0000_0020;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_that_overlap_are_refused() {
        let layers = |pitch, [width, height, depth]: [usize; 3]| {
            let to = Pitched {
                address: 0x2000_0000_0000,
                pitch,
                width: 1,
                height: 1,
            };
            let extent = Extent {
                width,
                height,
                depth,
            };
            fill_layers(to, 0, extent, "a test").map(|layers| layers.take(9).count())
        };
        assert_eq!(layers(4, [4, 1, 3]), Ok(3));
        assert_eq!(layers(0, [4, 0, usize::MAX]), Ok(0));
        assert_eq!(layers(4, [4, 2, 3]), Err(Code::INVALID_VALUE));
        // All layers would begin at one address.
        assert_eq!(layers(0, [1, 1, usize::MAX]), Err(Code::INVALID_VALUE));
        assert_eq!(layers(3, [4, 1, 2]), Err(Code::INVALID_VALUE));
    }
}
