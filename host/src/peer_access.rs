use cuda_driver::{device, peer};
use tma_launch::{Failure, Stage};

use crate::{Device, Slice, device::Kind, driver::OrFail, gpu::Gpu};

/// Two devices whose kernels can access each other's memory.
///
/// Two GPUs of one host can have access over NVLink, or over PCI Express if the system allows it. Two handles of
/// one GPU always have it, and so have [`Device::emulators`], so that programs for two GPUs can be tested without
/// them.
///
/// The work of two devices is ordered only by [`Stream::wait_for`](crate::Stream::wait_for).
#[doc(alias("cuCtxEnablePeerAccess", "cudaDeviceEnablePeerAccess"))]
#[derive(Clone, Debug)]
pub struct PeerAccess {
    devices: [Device; 2],
    has_atomics: bool,
}

impl PeerAccess {
    /// Opens the memory of each device to the other, as long as the devices are open.
    ///
    /// # Errors
    /// The two devices cannot access each other, and the error names the requirements; or the driver fails.
    pub fn between(first: &Device, second: &Device) -> Result<Self, Failure> {
        let has_atomics = match (first.kind(), second.kind()) {
            _ if first.id() == second.id() => true,
            (Kind::Emulator(one), Kind::Emulator(other)) if one.has_memory_of(other) => true,
            (Kind::Gpu(one), Kind::Gpu(other)) if one.raw_context() == other.raw_context() => true,
            (Kind::Gpu(one), Kind::Gpu(other)) => open(one, other)? & open(other, one)?,
            (Kind::Emulator(_), Kind::Emulator(_)) => {
                let what = "two emulators with separate memories";
                return Err(Failure::new(Stage::Open, what)
                    .hint("use `Device::emulators` for two with access to each other"));
            }
            _ => {
                let what = format!("{first} has no access to the memory of {second}");
                return Err(
                    Failure::new(Stage::Open, what).hint("use two GPUs, or `Device::emulators`")
                );
            }
        };
        Ok(Self {
            devices: [first.clone(), second.clone()],
            has_atomics,
        })
    }

    /// Returns the two devices that reach each other's memory.
    pub fn devices(&self) -> &[Device; 2] {
        &self.devices
    }

    /// Returns whether atomic operations and reductions of each device work on the other's memory, as over NVLink.
    pub fn has_atomics(&self) -> bool {
        self.has_atomics
    }

    /// Returns memory of either device as an argument of kernels of device `reader`, 0 or 1.
    ///
    /// Dropping a buffer waits only for its own device. To satisfy the conditions of
    /// [`Function::launch`](crate::Function::launch), synchronise the reader first, or make a stream of the
    /// buffer's device [wait](crate::Stream::wait_for) for the reader's stream.
    ///
    /// # Errors
    /// The memory belongs to neither device.
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
        let what = format!("the memory belongs to a device other than {first} and {second}");
        Err(Failure::new(Stage::Check, what).hint("allocate it on one of these"))
    }
}

/// Opens the memory of `owner` to kernels of `reader`; returns whether atomic operations work there.
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
    let [from, to] =
        [reader, owner].map(|gpu| device::get(gpu.properties().ordinal).or_fail(Stage::Open, what));
    let (from, to) = (from?, to?);
    // SAFETY: the driver returned both devices, so they exist (1).
    if !unsafe { peer::can_access(from, to) }.or_fail(Stage::Open, what)? {
        return Err(Failure::new(Stage::Open, what())
            .error_name("CUDA_ERROR_PEER_ACCESS_UNSUPPORTED")
            .hint(
                "it needs NVLink, or PCI Express with peer-to-peer transfers, and unpartitioned GPUs; \
                 use `nvidia-smi topo -p2p r` to list supported pairs",
            ));
    }
    reader.enter(Stage::Open)?;
    // SAFETY: the context belongs to the owner, which is borrowed; the current context is the reader's (1).
    unsafe { peer::enable_access(owner.raw_context()) }.or_fail(Stage::Open, what)?;
    // SAFETY: the driver returned both devices, so they exist (1).
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
            "check: the memory belongs to a device other than emulator (sm_90a) and emulator (sm_90a): allocate it on one of these"
        );
    }

    #[test]
    fn one_device_is_its_own_peer_and_two_emulators_apart_are_none() {
        let device = Device::emulator(0);
        assert!(PeerAccess::between(&device, &device.clone()).is_ok());
        let refused = PeerAccess::between(&device, &Device::emulator(0)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "open: two emulators with separate memories: use `Device::emulators` for two with access to each other"
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
