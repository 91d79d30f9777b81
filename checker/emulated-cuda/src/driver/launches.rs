//! Launches.

use tma_launch::Shape;

use crate::{
    calls::alive,
    code::{Code, Result},
    export::export,
    ffi::{Callback, Dim3, In, Out, Pointer, StreamCallback},
    kernels::clusters_of,
    launch::Arguments,
    runtime::launches::{LaunchAttribute, apply},
};

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct LaunchConfig {
    grid: Dim3,
    block: Dim3,
    shared_bytes: u32,
    stream: u64,
    attributes: In<LaunchAttribute>,
    attribute_count: u32,
}

impl LaunchConfig {
    fn shape(&self) -> Result<Shape> {
        let shape = Shape::new(self.grid, self.block).shared_bytes(self.shared_bytes);
        apply(shape, &self.attributes.list(self.attribute_count as usize)?)
    }
}

/// Returns the arguments: the list of their addresses, or else the packed buffer that `extra` describes.
fn arguments(list: Pointer, extra: Pointer) -> Result<Arguments> {
    const END: u64 = 0;
    const BUFFER: u64 = 1;
    const BYTES: u64 = 2;
    if list.address() != 0 || extra.address() == 0 {
        return Ok(Arguments::Each(list));
    }
    let (mut buffer, mut bytes) = (None, None);
    for index in (0..).step_by(2) {
        let value = || extra.pointer_at(index + 1);
        match extra.pointer_at(index)?.address() {
            END => break,
            BUFFER => buffer = Some(value()?),
            BYTES => bytes = Some(value()?.pointer_at(0)?.address() as usize),
            _ => return Err(Code::INVALID_VALUE),
        }
    }
    let both = buffer.zip(bytes).ok_or(Code::INVALID_VALUE)?;
    Ok(Arguments::Packed(both.0, both.1))
}

export! {
    driver;

    fn cuLaunchKernel as cuLaunchKernel_ptsz (
        function: Pointer,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared_bytes: u32,
        stream: Pointer,
        list: Pointer,
        extra: Pointer,
    ) {
        let shape = Shape::new((grid_x, grid_y, grid_z), (block_x, block_y, block_z));
        let arguments = arguments(list, extra)?;
        alive(|context| context.launch(function.address(), stream.address(), shape.shared_bytes(shared_bytes), arguments))
    }

    fn cuLaunchCooperativeKernel as cuLaunchCooperativeKernel_ptsz (
        function: Pointer,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared_bytes: u32,
        stream: Pointer,
        list: Pointer,
    ) {
        let shape = Shape::new((grid_x, grid_y, grid_z), (block_x, block_y, block_z)).cooperative();
        let arguments = Arguments::Each(list);
        alive(|context| context.launch(function.address(), stream.address(), shape.shared_bytes(shared_bytes), arguments))
    }

    fn cuLaunchKernelEx as cuLaunchKernelEx_ptsz (
        config: In<LaunchConfig>,
        function: Pointer,
        list: Pointer,
        extra: Pointer,
    ) {
        let (config, arguments) = (config.get()?, arguments(list, extra)?);
        let shape = config.shape()?;
        alive(|context| context.launch(function.address(), config.stream, shape, arguments))
    }

    fn cuLaunchHostFunc as cuLaunchHostFunc_ptsz (stream: Pointer, function: Callback, data: Pointer) {
        let _ = stream;
        function.call(data)
    }

    fn cuStreamAddCallback as cuStreamAddCallback_ptsz (
        stream: Pointer,
        function: StreamCallback,
        data: Pointer,
        flags: u32,
    ) {
        let _ = flags;
        function.call(stream, data)
    }

    fn cuOccupancyMaxActiveClusters(clusters: Out<i32>, function: Pointer, config: In<LaunchConfig>) {
        let config = config.get()?;
        let shape = config.shape()?;
        let (threads, shared_bytes) = (shape.block.count(), config.shared_bytes as usize);
        let blocks = alive(|context| context.resident_blocks(function.address(), threads, shared_bytes))?;
        clusters.put(clusters_of(blocks, shape.cluster))
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: Out<i32>,
        function: Pointer,
        threads: i32,
        shared_bytes: usize,
    ) {
        blocks.put(alive(|context| context.resident_blocks(function.address(), threads, shared_bytes))?)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>,
        function: Pointer,
        threads: i32,
        shared_bytes: usize,
        flags: u32,
    ) {
        let _ = flags;
        blocks.put(alive(|context| context.resident_blocks(function.address(), threads, shared_bytes))?)
    }
}
