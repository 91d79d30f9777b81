use cuda_driver::peer;
use tma_launch::{Failure, Stage};

use crate::{Device, Slice, device::Kind, driver::OrFail, gpu::Gpu};

/// Two devices, the kernels of each of which reach the memory of the other.
///
/// Two GPUs of one host have this over NVLink, or over PCI Express where the system lets them. Two handles of one
/// GPU have it, and [`Device::emulators`], so that programs for two GPUs can be tested without.
///
/// The work of two devices is in no order but that of [`Stream::wait_for`](crate::Stream::wait_for).
#[doc(alias("cuCtxEnablePeerAccess", "cudaDeviceEnablePeerAccess"))]
#[derive(Clone, Debug)]
pub struct PeerAccess {
    devices: [Device; 2],
    has_atomics: bool,
}

impl PeerAccess {
    /// Opens the memory of each device to the other one, for as long as the devices are open.
    ///
    /// # Errors
    /// The two cannot have access to each other, with the devices and what they need; or the driver fails.
    pub fn between(first: &Device, second: &Device) -> Result<Self, Failure> {
        let has_atomics = match (first.kind(), second.kind()) {
            _ if first.id() == second.id() => true,
            (Kind::Emulator(one), Kind::Emulator(other)) if one.has_memory_of(other) => true,
            (Kind::Gpu(one), Kind::Gpu(other)) if one.raw_context() == other.raw_context() => true,
            (Kind::Gpu(one), Kind::Gpu(other)) => open(one, other)? & open(other, one)?,
            (Kind::Emulator(_), Kind::Emulator(_)) => {
                let what = "two emulators with a memory of their own each";
                return Err(Failure::new(Stage::Open, what)
                    .hint("`Device::emulators` gives two with access to each other"));
            }
            _ => {
                let what = format!("{first} has no access to the memory of {second}");
                return Err(
                    Failure::new(Stage::Open, what).hint("take two GPUs, or `Device::emulators`")
                );
            }
        };
        Ok(Self {
            devices: [first.clone(), second.clone()],
            has_atomics,
        })
    }

    /// The two devices.
    pub fn devices(&self) -> &[Device; 2] {
        &self.devices
    }

    /// Returns whether atomic operations and reductions of each work on the memory of the other: over NVLink they do.
    pub fn has_atomics(&self) -> bool {
        self.has_atomics
    }

    /// Memory of either device as an argument of kernels of device `reader`, 0 or 1.
    ///
    /// Dropping a buffer waits for its own device alone. So that [`Function::launch`](crate::Function::launch) gets what
    /// it asks for, the reader is synchronised before, or a stream of the buffer's device
    /// [waits](crate::Stream::wait_for) for that of the reader.
    ///
    /// # Errors
    /// The memory is of neither of the two.
    ///
    /// # Panics
    /// `reader` is neither 0 nor 1.
    pub fn reach<'buffer, T>(
        &self,
        slice: Slice<'buffer, T>,
        reader: usize,
    ) -> Result<Slice<'buffer, T>, Failure> {
        let mut owners = self.devices.iter().map(Device::id);
        if owners.any(|owner| owner == slice.device_id()) {
            return Ok(slice.on(self.devices[reader].id()));
        }
        let [first, second] = &self.devices;
        let what = format!("memory of another device than {first} and {second}");
        Err(Failure::new(Stage::Check, what).hint("make it from one of these"))
    }
}

/// Opens the memory of `owner` to kernels of `reader`; gives whether atomic operations work there.
fn open(reader: &Gpu, owner: &Gpu) -> Result<bool, Failure> {
    let name = |gpu: &Gpu| {
        let properties = gpu.properties();
        format!("GPU {} ({})", properties.ordinal, properties.name)
    };
    let what = || {
        format!(
            "access of {} to the memory of {}",
            name(reader),
            name(owner)
        )
    };
    let [from, to] = [reader, owner].map(|gpu| {
        let device = cust::device::Device::get_device(gpu.properties().ordinal);
        device
            .map(|device| device.as_raw())
            .or_fail(Stage::Open, what)
    });
    let (from, to) = (from?, to?);
    // SAFETY: both came from the driver (1).
    if !unsafe { peer::can_access(from, to) }.or_fail(Stage::Open, what)? {
        return Err(Failure::new(Stage::Open, what())
            .error_name("CUDA_ERROR_PEER_ACCESS_UNSUPPORTED")
            .hint(
                "it takes NVLink between the two, or PCI Express with peer-to-peer transfers, and no partitions \
                 of a GPU: `nvidia-smi topo -p2p r` shows which pairs have it",
            ));
    }
    reader.enter(Stage::Open)?;
    // SAFETY: the context is the owner's, which is borrowed; the current one is the reader's (1).
    unsafe { peer::enable_access(owner.raw_context()) }.or_fail(Stage::Open, what)?;
    // SAFETY: both came from the driver (1).
    unsafe { peer::has_atomics(from, to) }.or_fail(Stage::Open, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_emulators_of_one_memory_reach_it_and_no_other() {
        let [first, second] = Device::emulators(3);
        assert_ne!(first.id(), second.id());
        let peers = PeerAccess::between(&first, &second).unwrap();
        assert!(peers.has_atomics());
        let buffer = second.upload(&[1_u32, 2, 3]).unwrap();
        let reached = peers.reach(buffer.at(1), 0).unwrap();
        assert_eq!(
            (reached.device_id(), reached.address()),
            (first.id(), buffer.address() + 4)
        );
        let foreign = Device::emulator(3).upload(&[1_u32]).unwrap();
        assert_eq!(
            peers.reach(foreign.at(0), 0).unwrap_err().to_string(),
            "check: memory of another device than emulator (sm_90a) and emulator (sm_90a): make it from one of these"
        );
    }

    #[test]
    fn one_device_is_its_own_peer_and_two_emulators_apart_are_none() {
        let device = Device::emulator(0);
        assert!(PeerAccess::between(&device, &device.clone()).is_ok());
        let refused = PeerAccess::between(&device, &Device::emulator(0)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "open: two emulators with a memory of their own each: `Device::emulators` gives two with access to each \
             other"
        );
    }

    #[test]
    fn streams_of_two_emulators_wait_for_each_other() {
        let [first, second] = Device::emulators(0);
        let (one, other) = (first.stream(), second.stream());
        assert_eq!(one.wait_for_each_other(&other), Ok(()));
        assert_eq!(other.wait_for(&one), Ok(()));
    }
}
