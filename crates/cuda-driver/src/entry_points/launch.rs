//! Launches with attributes, such as clusters.

use std::{
    ffi::{c_int, c_void},
    marker::PhantomData,
    mem::offset_of,
};

use crate::{
    DriverError,
    forward::checked,
    sys::{CUfunction, CUstream},
};

/// A launch attribute: its number, and a value of 64 bytes whose meaning depends on the number.
#[doc(alias = "CUlaunchAttribute")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct LaunchAttribute {
    id: u32,
    padding: u32,
    value: LaunchAttributeValue,
}

/// The driver's union of the values of all attributes.
#[doc(alias = "CUlaunchAttributeValue")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(8))]
struct LaunchAttributeValue {
    words: [u32; 16],
}

const _: () = assert!(size_of::<LaunchAttributeValue>() == 64);
const _: () = assert!(size_of::<LaunchAttribute>() == 72 && align_of::<LaunchAttribute>() == 8);
const _: () = assert!(offset_of!(LaunchAttribute, id) == 0);
const _: () = assert!(offset_of!(LaunchAttribute, value) == 8);

impl LaunchAttribute {
    /// Creates the attribute `id` (a `CUlaunchAttributeID`) from the first 32-bit words of its value, in the
    /// machine's byte order; the others are zero.
    #[doc(alias = "CUlaunchAttributeID")]
    pub const fn new<const N: usize>(id: u32, words: [u32; N]) -> Self {
        const { assert!(N <= 16, "the value of a launch attribute has 16 words") };
        let mut value = LaunchAttributeValue { words: [0; 16] };
        let mut index = 0;
        while index < N {
            value.words[index] = words[index];
            index += 1;
        }
        Self {
            id,
            padding: 0,
            value,
        }
    }

    /// Blocks in a cluster, in x, y and z.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION")]
    pub const fn cluster_dimension(blocks: [u32; 3]) -> Self {
        Self::new(4, blocks)
    }

    /// Makes all blocks of the grid resident at once.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_COOPERATIVE")]
    pub const fn cooperative(on: bool) -> Self {
        Self::new(2, [on as u32])
    }

    /// Lets the kernel start before the previous one in the stream has ended.
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION")]
    pub const fn programmatic_stream_serialization(on: bool) -> Self {
        Self::new(6, [on as u32])
    }
}

/// A launch, in the driver's layout.
#[doc(alias = "CUlaunchConfig")]
#[derive(Debug)]
#[repr(C)]
pub struct LaunchConfig<'a> {
    grid_dim_blocks: [u32; 3],
    block_dim_threads: [u32; 3],
    dynamic_shared_bytes: u32,
    stream: CUstream,
    attributes: *mut LaunchAttribute,
    attribute_count: u32,
    borrows: PhantomData<&'a mut [LaunchAttribute]>,
}

const _: () = assert!(offset_of!(LaunchConfig<'_>, grid_dim_blocks) == 0);
const _: () = assert!(offset_of!(LaunchConfig<'_>, block_dim_threads) == 12);
const _: () = assert!(offset_of!(LaunchConfig<'_>, dynamic_shared_bytes) == 24);
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(offset_of!(LaunchConfig<'_>, stream) == 32);
    assert!(offset_of!(LaunchConfig<'_>, attributes) == 40);
    assert!(offset_of!(LaunchConfig<'_>, attribute_count) == 48);
    assert!(size_of::<LaunchConfig<'_>>() == 56);
};

impl<'a> LaunchConfig<'a> {
    /// Creates a configuration from the blocks in the grid and threads in a block (x, y, z), bytes of dynamic
    /// shared memory per block, the stream (null: the default one), and attributes, which the driver may write to.
    ///
    /// At most `u32::MAX` attributes are passed on.
    pub fn new(
        grid_dim_blocks: [u32; 3],
        block_dim_threads: [u32; 3],
        dynamic_shared_bytes: u32,
        stream: CUstream,
        attributes: &'a mut [LaunchAttribute],
    ) -> Self {
        Self {
            grid_dim_blocks,
            block_dim_threads,
            dynamic_shared_bytes,
            stream,
            attributes: attributes.as_mut_ptr(),
            attribute_count: u32::try_from(attributes.len()).unwrap_or(u32::MAX),
            borrows: PhantomData,
        }
    }
}

checked! {
    fn cuLaunchKernelEx(
        config: *const LaunchConfig<'_>, function: CUfunction, parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    );
    fn cuOccupancyMaxActiveClusters(
        clusters: *mut c_int, function: CUfunction, config: *const LaunchConfig<'_>,
    );
}

/// Launches `function` with `parameters`, one pointer for each kernel parameter. Since CUDA 11.8.
///
/// # Safety
/// 1. `function` and the stream are alive and belong to the current context.
/// 2. `parameters` contains one pointer for each kernel parameter, in order, each valid for reads of the size of
///    its parameter.
/// 3. The kernel, run with these parameters and this configuration, is sound: it reads and writes only memory that
///    is its own until it has ended.
/// 4. The values of the attributes are valid for their numbers.
#[doc(alias = "cuLaunchKernelEx")]
pub unsafe fn launch_kernel_ex(
    config: &LaunchConfig<'_>,
    function: CUfunction,
    parameters: &mut [*mut c_void],
) -> Result<(), DriverError> {
    let extra = std::ptr::null_mut();
    // SAFETY: the signature and the layout of the configuration are the driver's; its attributes are
    // borrowed, so alive. The rest is conditions 1 to 4.
    unsafe { cuLaunchKernelEx(config, function, parameters.as_mut_ptr(), extra) }
}

/// Returns the number of clusters of this shape that can be resident on the device at once. Since CUDA 11.8.
///
/// # Safety
/// 1. `function` is alive and belongs to the current context.
/// 2. The values of the attributes are valid for their numbers.
#[doc(alias = "cuOccupancyMaxActiveClusters")]
pub unsafe fn occupancy_max_active_clusters(
    function: CUfunction,
    config: &LaunchConfig<'_>,
) -> Result<i32, DriverError> {
    let mut clusters = 0;
    // SAFETY: the signature and the layout of the configuration are the driver's; its attributes are
    // borrowed, so alive, and `clusters` is valid for a write. The rest is conditions 1 and 2.
    unsafe { cuOccupancyMaxActiveClusters(&raw mut clusters, function, config) }?;
    Ok(clusters)
}
