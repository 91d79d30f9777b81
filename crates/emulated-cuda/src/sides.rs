//! The side of the machine that an address is on, and whether a call can use what lies there.

use crate::{
    calls::Result,
    code::Code,
    context::Context,
    ffi::Pointer,
    memory::{CONSTANTS, CONSTANTS_END, DEVICE_START, Kind, SHARED_END},
};

/// One side of a copy.
pub(crate) enum Side {
    Host,
    Device,
    Constant,
}

impl Context {
    /// The side that so many bytes are on. Memory of both is the host's, which is right between launches; what is
    /// nowhere is the device's, which says so.
    pub(crate) fn side(&self, pointer: Pointer, bytes: usize) -> Side {
        let address = pointer.address();
        if let Some(found) = self.space.find(address) {
            let fits = bytes as u64 <= found.address + found.bytes as u64 - address;
            return match found.kind {
                Kind::Device => Side::Device,
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

    /// Refuses memory of the host alone where a call needs memory that the device can use.
    pub(crate) fn check_device(&mut self, pointer: Pointer, call: &str) -> Result {
        let is_shared = self.space.find(pointer.address()).is_some();
        match self.side(pointer, 1) {
            Side::Host if !is_shared => {
                let what = format!(
                    "{call}: at {:#x} is no memory that the device can use; that of cudaMalloc, cudaMallocManaged, \
                     cudaMallocHost and cudaHostRegister is",
                    pointer.address()
                );
                Err(self.wrong(Code::INVALID_VALUE, &what))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a copy of so many bytes and rows whose direction, `cudaMemcpyKind`, says that memory of the host alone is the
    /// device's. Nothing but the addresses says where the bytes are.
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

    /// Refuses addresses of the host at which there is no memory.
    pub(crate) fn check_host(&mut self, pointer: Pointer, bytes: usize, call: &str) -> Result {
        if pointer.is_mapped(bytes) {
            return Ok(());
        }
        let what = format!(
            "{call}: {bytes} bytes at {:#x} are memory neither of the device nor of the host",
            pointer.address()
        );
        Err(self.wrong(Code::INVALID_VALUE, &what))
    }
}
