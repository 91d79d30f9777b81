//! Arrays, and copies to and from them.

use crate::{
    calls::alive,
    code::Result,
    context::Context,
    descriptions::ChannelDescription,
    export::export,
    ffi::{In, Out, Pointer},
    runtime::copies::Extent,
    stream_work::Work,
    work::{perform, submit},
};

/// Creates an array.
fn create(
    array: &Out<u64>,
    description: In<ChannelDescription>,
    extents: [usize; 3],
    flags: u32,
    call: &str,
) -> Result {
    let description = description.get()?;
    let handle = alive(|context| {
        let format = description.format(context, call)?;
        context.create_array(format, extents, flags, call)
    })?;
    array.put(handle)
}

/// One side of a copy: memory with a pitch, or an array with a byte of a row and a row.
#[derive(Clone, Copy)]
enum Side {
    Memory(Pointer, usize),
    Array(Pointer, [usize; 2]),
}

/// Copies rows of bytes.
fn copy_rows(
    stream: Option<Pointer>,
    sides: [Side; 2],
    size: [usize; 2],
    direction: i32,
    call: &'static str,
) -> Result {
    submit_or_perform(stream, |context| {
        let mut rows = |side| match side {
            Side::Memory(start, pitch) => Ok((start, pitch)),
            Side::Array(array, [x_bytes, y]) => {
                context.rows_of_array(array.address(), [x_bytes, y, 0], size, call)
            }
        };
        let places = [rows(sides[0])?, rows(sides[1])?];
        context.check_direction(direction, places.map(|(start, _)| start), size, call)?;
        Ok(Work::Copy { places, size, call })
    })
}

/// Copies bytes that continue from row to row.
fn copy_bytes(
    stream: Option<Pointer>,
    sides: [Side; 2],
    bytes: usize,
    direction: i32,
    call: &'static str,
) -> Result {
    submit_or_perform(stream, |context| {
        let mut start = |side| match side {
            Side::Memory(start, _) => Ok(start),
            Side::Array(array, at) => context.bytes_of_array(array.address(), at, bytes, call),
        };
        let places = [(start(sides[0])?, bytes), (start(sides[1])?, bytes)];
        let size = [bytes, 1];
        context.check_direction(direction, places.map(|(start, _)| start), size, call)?;
        Ok(Work::Copy { places, size, call })
    })
}

/// Submits work to a stream, or performs it at once.
fn submit_or_perform(
    stream: Option<Pointer>,
    work: impl FnOnce(&mut Context) -> Result<Work>,
) -> Result {
    match stream {
        Some(stream) => submit(stream, work),
        None => perform(&alive(work)?),
    }
}

export! {
    runtime;

    fn cudaMallocArray(
        array: Out<u64>,
        description: In<ChannelDescription>,
        width: usize,
        height: usize,
        flags: u32,
    ) {
        create(&array, description, [width, height, 0], flags, "cudaMallocArray")
    }

    fn cudaMalloc3DArray(array: Out<u64>, description: In<ChannelDescription>, extent: Extent, flags: u32) {
        let extents = [extent.width, extent.height, extent.depth];
        create(&array, description, extents, flags, "cudaMalloc3DArray")
    }

    fn cudaFreeArray(array: Pointer) {
        alive(|context| context.free_array(array.address(), "cudaFreeArray"))
    }

    fn cudaArrayGetInfo(
        description: Out<ChannelDescription>,
        extent: Out<Extent>,
        flags: Out<u32>,
        array: Pointer,
    ) {
        let found = alive(|context| context.array(array.address(), "cudaArrayGetInfo"))?;
        let [width, height, depth] = found.extents();
        description.put_if_any(ChannelDescription::of(found.format()));
        extent.put_if_any(Extent { width, height, depth });
        flags.put_if_any(found.flags);
        Ok(())
    }

    fn cudaGetChannelDesc(description: Out<ChannelDescription>, array: Pointer) {
        let found = alive(|context| context.array(array.address(), "cudaGetChannelDesc"))?;
        description.put(ChannelDescription::of(found.format()))
    }

    fn cudaMemcpy2DToArray as cudaMemcpy2DToArray_ptds (
        to: Pointer,
        x: usize,
        y: usize,
        from: Pointer,
        pitch: usize,
        width: usize,
        height: usize,
        direction: i32,
    ) {
        let sides = [Side::Array(to, [x, y]), Side::Memory(from, pitch)];
        copy_rows(None, sides, [width, height], direction, "cudaMemcpy2DToArray")
    }

    fn cudaMemcpy2DToArrayAsync as cudaMemcpy2DToArrayAsync_ptsz (
        to: Pointer,
        x: usize,
        y: usize,
        from: Pointer,
        pitch: usize,
        width: usize,
        height: usize,
        direction: i32,
        stream: Pointer,
    ) {
        let sides = [Side::Array(to, [x, y]), Side::Memory(from, pitch)];
        copy_rows(Some(stream), sides, [width, height], direction, "cudaMemcpy2DToArrayAsync")
    }

    fn cudaMemcpy2DFromArray as cudaMemcpy2DFromArray_ptds (
        to: Pointer,
        pitch: usize,
        from: Pointer,
        x: usize,
        y: usize,
        width: usize,
        height: usize,
        direction: i32,
    ) {
        let sides = [Side::Memory(to, pitch), Side::Array(from, [x, y])];
        copy_rows(None, sides, [width, height], direction, "cudaMemcpy2DFromArray")
    }

    fn cudaMemcpy2DFromArrayAsync as cudaMemcpy2DFromArrayAsync_ptsz (
        to: Pointer,
        pitch: usize,
        from: Pointer,
        x: usize,
        y: usize,
        width: usize,
        height: usize,
        direction: i32,
        stream: Pointer,
    ) {
        let sides = [Side::Memory(to, pitch), Side::Array(from, [x, y])];
        copy_rows(Some(stream), sides, [width, height], direction, "cudaMemcpy2DFromArrayAsync")
    }

    fn cudaMemcpy2DArrayToArray as cudaMemcpy2DArrayToArray_ptds (
        to: Pointer,
        to_x: usize,
        to_y: usize,
        from: Pointer,
        from_x: usize,
        from_y: usize,
        width: usize,
        height: usize,
        direction: i32,
    ) {
        let sides = [Side::Array(to, [to_x, to_y]), Side::Array(from, [from_x, from_y])];
        copy_rows(None, sides, [width, height], direction, "cudaMemcpy2DArrayToArray")
    }

    fn cudaMemcpyToArray as cudaMemcpyToArray_ptds (
        to: Pointer,
        x: usize,
        y: usize,
        from: Pointer,
        bytes: usize,
        direction: i32,
    ) {
        let sides = [Side::Array(to, [x, y]), Side::Memory(from, 0)];
        copy_bytes(None, sides, bytes, direction, "cudaMemcpyToArray")
    }

    fn cudaMemcpyToArrayAsync as cudaMemcpyToArrayAsync_ptsz (
        to: Pointer,
        x: usize,
        y: usize,
        from: Pointer,
        bytes: usize,
        direction: i32,
        stream: Pointer,
    ) {
        let sides = [Side::Array(to, [x, y]), Side::Memory(from, 0)];
        copy_bytes(Some(stream), sides, bytes, direction, "cudaMemcpyToArrayAsync")
    }

    fn cudaMemcpyFromArray as cudaMemcpyFromArray_ptds (
        to: Pointer,
        from: Pointer,
        x: usize,
        y: usize,
        bytes: usize,
        direction: i32,
    ) {
        let sides = [Side::Memory(to, 0), Side::Array(from, [x, y])];
        copy_bytes(None, sides, bytes, direction, "cudaMemcpyFromArray")
    }

    fn cudaMemcpyFromArrayAsync as cudaMemcpyFromArrayAsync_ptsz (
        to: Pointer,
        from: Pointer,
        x: usize,
        y: usize,
        bytes: usize,
        direction: i32,
        stream: Pointer,
    ) {
        let sides = [Side::Memory(to, 0), Side::Array(from, [x, y])];
        copy_bytes(Some(stream), sides, bytes, direction, "cudaMemcpyFromArrayAsync")
    }

    fn cudaMemcpyArrayToArray as cudaMemcpyArrayToArray_ptds (
        to: Pointer,
        to_x: usize,
        to_y: usize,
        from: Pointer,
        from_x: usize,
        from_y: usize,
        bytes: usize,
        direction: i32,
    ) {
        let sides = [Side::Array(to, [to_x, to_y]), Side::Array(from, [from_x, from_y])];
        copy_bytes(None, sides, bytes, direction, "cudaMemcpyArrayToArray")
    }
}
