//! The driver's version, and properties of devices.

use std::{
    ffi::c_int,
    fmt::{self, Display, Formatter},
};

use crate::{DriverError, forward::checked, sys::CUdevice};

/// A version of CUDA, such as 12.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The number before the dot, such as 12 in 12.8.
    pub major: u32,
    /// The number after the dot, such as 8 in 12.8.
    pub minor: u32,
}

impl Version {
    /// The first version with tensor maps, clusters and all other functions that this crate calls.
    pub const LEAST: Self = Self {
        major: 12,
        minor: 0,
    };
}

impl Display for Version {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// An attribute of a device that can be queried (`CUdevice_attribute`).
#[doc(alias = "CUdevice_attribute")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct DeviceAttribute(pub i32);

impl DeviceAttribute {
    /// The number of streaming multiprocessors.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT")]
    pub const MULTIPROCESSOR_COUNT: Self = Self(16);
    /// The clock of the memory in kHz.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE")]
    pub const MEMORY_CLOCK_RATE_KHZ: Self = Self(36);
    /// The width of the bus to the memory in bits.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH")]
    pub const GLOBAL_MEMORY_BUS_WIDTH_BITS: Self = Self(37);
    /// The size of the L2 cache in bytes.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE")]
    pub const L2_CACHE_SIZE_BYTES: Self = Self(38);
    /// 9 in compute capability 9.0.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR")]
    pub const COMPUTE_CAPABILITY_MAJOR: Self = Self(75);
    /// 0 in compute capability 9.0.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR")]
    pub const COMPUTE_CAPABILITY_MINOR: Self = Self(76);
    /// Maximum shared memory in bytes that a kernel can opt in to with
    /// [`MAX_DYNAMIC_SHARED_SIZE_BYTES`](crate::function::FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES).
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")]
    pub const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN_BYTES: Self = Self(97);
    /// Cluster launches are supported: 0 or 1.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH")]
    pub const CLUSTER_LAUNCH: Self = Self(120);
    /// Tensor maps are supported: 0 or 1.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED")]
    pub const TENSOR_MAP_ACCESS_SUPPORTED: Self = Self(127);
}

checked! {
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: CUdevice);
    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: CUdevice);
}

/// Returns the latest version of CUDA that the driver supports. Does not need `cuInit`.
#[doc(alias = "cuDriverGetVersion")]
pub fn driver_version() -> Result<Version, DriverError> {
    let mut number = 0;
    // SAFETY: the signature is the driver's, and `number` is valid for a write.
    unsafe { cuDriverGetVersion(&raw mut number) }?;
    let number = number.unsigned_abs();
    Ok(Version {
        major: number / 1000,
        minor: number % 1000 / 10,
    })
}

/// Returns the device of this number, from 0. The driver must be initialised, as by [`devices`](crate::devices).
///
/// # Errors
/// There is no such device, or the driver is not initialised.
#[doc(alias = "cuDeviceGet")]
pub fn get(ordinal: u32) -> Result<CUdevice, DriverError> {
    let mut device = 0;
    // SAFETY: the signature is the driver's, and `device` is valid for a write.
    unsafe {
        cuDeviceGet(
            &raw mut device,
            c_int::try_from(ordinal).unwrap_or(c_int::MAX),
        )
    }?;
    Ok(device)
}

/// Reads an attribute of a device.
///
/// # Safety
/// 1. `device` came from the driver (`cuDeviceGet`).
#[doc(alias = "cuDeviceGetAttribute")]
pub unsafe fn get_attribute(
    device: CUdevice,
    attribute: DeviceAttribute,
) -> Result<i32, DriverError> {
    let mut value = 0;
    // SAFETY: the signature is the driver's, the device came from the driver by condition 1, and `value` is valid
    // for a write.
    unsafe { cuDeviceGetAttribute(&raw mut value, attribute.0, device) }?;
    Ok(value)
}

/// Returns the device's UUID of 16 bytes, or the instance's if the GPU is partitioned. Since CUDA 11.4.
///
/// # Safety
/// 1. `device` came from the driver (`cuDeviceGet`).
#[doc(alias = "cuDeviceGetUuid")]
#[doc(alias = "cuDeviceGetUuid_v2")]
pub unsafe fn get_uuid(device: CUdevice) -> Result<[u8; 16], DriverError> {
    let mut uuid = [0; 16];
    // SAFETY: the signature is the driver's (`CUuuid` is 16 bytes), the device came from the driver by condition 1,
    // and `uuid` is valid for a write.
    unsafe { cuDeviceGetUuid_v2(&raw mut uuid, device) }?;
    Ok(uuid)
}
