//! Launches.

use tma_launch::Shape;

use crate::{
    code::{Code, Result},
    export::export,
    ffi::{Callback, Dim3, In, Pointer, StreamCallback},
    launch::Arguments,
    stream_work::Work,
    work::submit,
};

/// `cudaLaunchConfig_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct LaunchConfig {
    grid: Dim3,
    block: Dim3,
    shared_bytes: usize,
    stream: Pointer,
    attributes: In<LaunchAttribute>,
    attribute_count: u32,
}

impl LaunchConfig {
    pub(crate) fn block(&self) -> Dim3 {
        self.block
    }

    pub(crate) fn shared_bytes(&self) -> usize {
        self.shared_bytes
    }

    fn attributes(&self) -> Result<Vec<LaunchAttribute>> {
        self.attributes.list(self.attribute_count as usize)
    }

    fn shape(&self) -> Result<Shape> {
        let shape = shape(self.grid, self.block, self.shared_bytes)?;
        apply(shape, &self.attributes()?)
    }

    /// Returns the blocks per cluster.
    pub(crate) fn cluster(&self) -> Result<Option<tma_launch::Dim3>> {
        Ok(self.shape()?.cluster)
    }
}

/// `cudaLaunchAttribute`, and the driver's.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct LaunchAttribute {
    id: u32,
    padding: u32,
    value: [u32; 16],
}

const COOPERATIVE: u32 = 2;
const CLUSTER: u32 = 4;
const PROGRAMMATIC_STREAM_SERIALIZATION: u32 = 6;

/// Applies the attributes of a launch. Hints are ignored.
pub(crate) fn apply(mut shape: Shape, attributes: &[LaunchAttribute]) -> Result<Shape> {
    for attribute in attributes {
        let [x, y, z, ..] = attribute.value;
        match attribute.id {
            COOPERATIVE if x != 0 => shape = shape.cooperative(),
            CLUSTER if [x, y, z] != [1; 3] => shape = shape.cluster((x, y, z)),
            PROGRAMMATIC_STREAM_SERIALIZATION if x != 0 => shape = shape.overlaps(),
            // Events recorded during the launch, and nodes that kernels can change.
            13 => {
                return Err(crate::calls::unsupported(
                    "cudaLaunchAttributeDeviceUpdatableKernelNode",
                ));
            }
            7 | 12 => return Err(crate::calls::unsupported("launch attribute of events")),
            0..=6 | 8..=11 | 14..=20 => {}
            _ => return Err(Code::INVALID_VALUE),
        }
    }
    Ok(shape)
}

/// Returns the shape of a launch without attributes.
pub(crate) fn shape(grid: Dim3, block: Dim3, shared_bytes: usize) -> Result<Shape> {
    let shared_bytes = u32::try_from(shared_bytes).map_err(|_| Code::INVALID_VALUE)?;
    Ok(Shape::new(grid, block).shared_bytes(shared_bytes))
}

fn launch(stream: Pointer, function: Pointer, shape: Shape, arguments: Arguments) -> Result {
    submit(stream, |context| {
        let prepared = context.prepare(function.address(), stream.address(), shape, arguments)?;
        Ok(Work::Launch(prepared))
    })
}

export! {
    runtime;

    fn cudaLaunchKernel as cudaLaunchKernel_ptsz, __cudaLaunchKernel, __cudaLaunchKernel_ptsz (
        function: Pointer,
        grid: Dim3,
        block: Dim3,
        arguments: Arguments,
        shared_bytes: usize,
        stream: Pointer,
    ) {
        let shape = shape(grid, block, shared_bytes)?;
        launch(stream, function, shape, arguments)
    }

    fn cudaLaunchCooperativeKernel as cudaLaunchCooperativeKernel_ptsz (
        function: Pointer,
        grid: Dim3,
        block: Dim3,
        arguments: Arguments,
        shared_bytes: usize,
        stream: Pointer,
    ) {
        let shape = shape(grid, block, shared_bytes)?;
        launch(stream, function, shape.cooperative(), arguments)
    }

    fn cudaLaunchKernelExC as cudaLaunchKernelExC_ptsz (
        config: In<LaunchConfig>,
        function: Pointer,
        arguments: Arguments,
    ) {
        let config = config.get()?;
        launch(config.stream, function, config.shape()?, arguments)
    }

    fn cudaLaunchHostFunc as cudaLaunchHostFunc_ptsz (stream: Pointer, function: Callback, data: Pointer) {
        submit(stream, |_| Ok(Work::Host(function, data)))
    }

    fn cudaStreamAddCallback as cudaStreamAddCallback_ptsz (
        stream: Pointer,
        function: StreamCallback,
        data: Pointer,
        flags: u32,
    ) {
        let _ = flags;
        function.call(stream, data)
    }
}
