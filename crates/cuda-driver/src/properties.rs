//! The driver's GPUs and their properties.

use std::ffi::{CStr, c_char, c_int, c_uint};

use crate::{
    Capability, DriverError,
    device::{DeviceAttribute, get, get_attribute},
    forward::checked,
    sys::CUdevice,
};

/// A GPU that the driver has, usable or not.
#[doc(alias = "cudaDeviceProp")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceProperties {
    /// The ordinal of the device, from 0.
    pub ordinal: u32,
    /// The name that the driver reports.
    pub name: String,
    /// The compute capability of the device.
    pub capability: Capability,
    /// The size of the device's memory in bytes.
    pub memory_bytes: u64,
    /// The number of streaming multiprocessors.
    pub multiprocessors: u32,
    /// The most shared memory that a block can opt in to, in bytes.
    pub shared_bytes: u64,
    /// The clock of its memory, in kHz.
    pub memory_clock_khz: u64,
    /// The width of the bus to its memory, in bits.
    pub memory_bus_bits: u64,
    /// The size of the L2 cache in bytes.
    pub l2_bytes: u64,
}

checked! {
    fn cuInit(flags: c_uint);
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
}

/// The driver's error where it finds no GPU.
const NO_DEVICE: i32 = 100;

/// All GPUs, in the driver's order. Initialises the driver.
///
/// # Errors
/// The driver call that failed; `cuInit` fails with `CUDA_ERROR_NO_DEVICE` (100) where there is no GPU.
#[doc(alias("cuInit", "cuDeviceGetCount", "cuDeviceGet"))]
pub fn devices() -> Result<Vec<DeviceProperties>, DriverError> {
    // SAFETY: the signature is the driver's, and 0 is the one value that is allowed.
    unsafe { cuInit(0) }?;
    let mut count = 0;
    // SAFETY: the signature is the driver's, and `count` is valid for a write.
    match unsafe { cuDeviceGetCount(&raw mut count) } {
        Err(error) if error.code == NO_DEVICE => return Ok(Vec::new()),
        result => result?,
    }
    (0..count.unsigned_abs()).map(device).collect()
}

fn device(ordinal: u32) -> Result<DeviceProperties, DriverError> {
    let device = get(ordinal)?;
    let mut name = [0; 256];
    let len = name.len() as c_int;
    // SAFETY: the signature is the driver's, and `name` is valid for writes of `len` bytes.
    unsafe { cuDeviceGetName(name.as_mut_ptr(), len, device) }?;
    let bytes = name.map(|byte: c_char| byte as u8);
    let name = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
    let mut memory_bytes = 0;
    // SAFETY: the signature is the driver's, and `memory_bytes` is valid for a write.
    unsafe { cuDeviceTotalMem_v2(&raw mut memory_bytes, device) }?;
    let attribute = |attribute| {
        // SAFETY: the device came from `cuDeviceGet` (1).
        let value = unsafe { get_attribute(device, attribute) };
        value.map(i32::unsigned_abs)
    };
    Ok(DeviceProperties {
        ordinal,
        name: name.to_string_lossy().into_owned(),
        capability: Capability {
            major: attribute(DeviceAttribute::COMPUTE_CAPABILITY_MAJOR)?,
            minor: attribute(DeviceAttribute::COMPUTE_CAPABILITY_MINOR)?,
        },
        memory_bytes: memory_bytes as u64,
        multiprocessors: attribute(DeviceAttribute::MULTIPROCESSOR_COUNT)?,
        shared_bytes: attribute(DeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN_BYTES)?.into(),
        memory_clock_khz: attribute(DeviceAttribute::MEMORY_CLOCK_RATE_KHZ)?.into(),
        memory_bus_bits: attribute(DeviceAttribute::GLOBAL_MEMORY_BUS_WIDTH_BITS)?.into(),
        l2_bytes: attribute(DeviceAttribute::L2_CACHE_SIZE_BYTES)?.into(),
    })
}
