//! The side of the machine that an address belongs to, and checks of addresses in calls.

use crate::{
    allocations::{AllocationKind, CONSTANTS, CONSTANTS_END, DEVICE_START, SHARED_END},
    code::{Code, Result},
    context::Context,
    ffi::Pointer,
};

/// One side of a copy.
pub(crate) enum Side {
    Host,
    Device,
    Constant,
}

impl Context {
    /// Returns the side of `bytes` bytes. Shared memory counts as the host's, which is correct between launches.
    /// Unmapped memory counts as the device's, which reports the error.
    pub(crate) fn side(&self, pointer: Pointer, bytes: usize) -> Side {
        let address = pointer.address();
        if let Some(found) = self.space.find(address) {
            let fits = bytes as u64 <= found.address + found.bytes as u64 - address;
            return match found.kind {
                AllocationKind::Device => Side::Device,
                _ if fits => Side::Host,
                _ => Side::Device,
            };
        }
        match address {
            DEVICE_START..SHARED_END => Side::Device,
            CONSTANTS..CONSTANTS_END => Side::Constant,
            _ if self.session.allocation(address).is_some() => Side::Device,
            _ => Side::Host,
        }
    }

    /// Refuses pure host memory for calls that need memory accessible to the device.
    pub(crate) fn check_device(&mut self, pointer: Pointer, call: &str) -> Result {
        let is_shared = self.space.find(pointer.address()).is_some();
        match self.side(pointer, 1) {
            Side::Host if !is_shared => {
                let what = format!(
                    "{call}: the device cannot use the memory at {:#x}; use memory from cudaMalloc, cudaMallocManaged, \
                     cudaMallocHost or cudaHostRegister",
                    pointer.address()
                );
                Err(self.wrong(Code::INVALID_VALUE, &what))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a copy whose direction, `cudaMemcpyKind`, declares pure host memory as device memory. Only the
    /// addresses determine the actual side.
    pub(crate) fn check_direction(
        &mut self,
        direction: i32,
        [to, from]: [Pointer; 2],
        size: [usize; 2],
        call: &str,
    ) -> Result {
        let (name, device) = match direction {
            1 => ("cudaMemcpyHostToDevice", &[to][..]),
            2 => ("cudaMemcpyDeviceToHost", &[from][..]),
            3 => ("cudaMemcpyDeviceToDevice", &[to, from][..]),
            0 | 4 => return Ok(()),
            _ => return Err(Code::INVALID_DIRECTION),
        };
        if size.contains(&0) {
            return Ok(());
        }
        let call = format!("{call} with {name}");
        let mut device = device.iter();
        device.try_for_each(|pointer| self.check_device(*pointer, &call))
    }

    /// Refuses unmapped host addresses.
    pub(crate) fn check_host(&mut self, pointer: Pointer, bytes: usize, call: &str) -> Result {
        if pointer.is_mapped(bytes) {
            return Ok(());
        }
        let what = format!(
            "{call}: the {bytes} bytes at {:#x} are neither device memory nor host memory",
            pointer.address()
        );
        Err(self.wrong(Code::INVALID_VALUE, &what))
    }
}
