//! A GPU, or the emulator where there is none.

mod choice;
mod emulator;

use std::{
    fmt::{self, Display, Formatter},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use bytemuck::Pod;
use tma_emulator::Session;
use tma_launch::{DeviceDescription, Failure, Limits};

use crate::{
    Buffer, Capability, DeviceProperties, GpuError, Module, Source, Stream,
    gpu::{Gpu, description, limits},
};

pub use choice::DeviceChoice;
pub(crate) use emulator::Emulator;

/// Where kernels run: a GPU, or the emulator. What is made from it works on both in the same way.
///
/// Copies of it, and everything made from it, are the same device, and can be used from any thread.
/// Work is ordered: a launch begins when the one before it on its [stream](Stream) has ended, and a
/// read waits for all launches before it.
///
/// A GPU that is opened twice is two devices, each with a stream of its own. Launches of one refuse memory of the
/// other; [`PeerAccess`](crate::PeerAccess) opens the memory of each to the other.
///
/// On a GPU a launch returns before the kernel has ended, and a fault shows in the next call that
/// waits. On the emulator it returns when the kernel has ended, and what went wrong is the error of the
/// launch: a fault, or what the checker found, with the whole report as its text.
#[derive(Clone, Debug)]
pub struct Device {
    kind: Kind,
    /// The number of this opening in the process.
    id: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Gpu(Gpu),
    Emulator(Emulator),
}

impl Device {
    /// The first GPU that can run TMA kernels; where there is none, the emulator.
    ///
    /// The environment variable `TMA_DEVICE` can say `gpu`, so that a missing GPU is an error,
    /// `emulator`, or `auto`, which is the same as nothing. `TMA_SEED`, a number from 0, chooses the
    /// schedule of the emulator.
    ///
    /// # Errors
    /// There is a GPU and it does not work, or one was asked for and there is none; a variable has
    /// another value.
    pub fn open() -> Result<Self, Failure> {
        DeviceChoice::from_env()?.open()
    }

    /// The first GPU that can run TMA kernels.
    ///
    /// # Errors
    /// There is none that works: [`GpuError::is_absent`] says whether there is none at all.
    pub fn gpu() -> Result<Self, GpuError> {
        Gpu::first().map(|gpu| Self::of(Kind::Gpu(gpu)))
    }

    /// The GPU of this number, from 0.
    ///
    /// # Errors
    /// There is none of this number that works.
    pub fn gpu_numbered(ordinal: u32) -> Result<Self, GpuError> {
        Gpu::numbered(ordinal).map(|gpu| Self::of(Kind::Gpu(gpu)))
    }

    /// An emulator of its own, with the schedule of this seed: the same seed repeats a run, and another
    /// one has threads and copies go on in another order.
    ///
    /// It has the semantics of compute capability 9.0, and of later ones what it knows of their
    /// instructions. The checker watches every launch.
    pub fn emulator(seed: u64) -> Self {
        Self::of(Kind::Emulator(Emulator::new(seed)))
    }

    /// Two emulators with this schedule that stand for two GPUs with [access](crate::PeerAccess) to each other's
    /// memory. Launches of both run one after the other.
    ///
    /// ```
    /// use tma_host::{Device, PeerAccess};
    ///
    /// let [first, second] = Device::emulators(0);
    /// assert!(PeerAccess::between(&first, &second).is_ok());
    /// ```
    pub fn emulators(seed: u64) -> [Self; 2] {
        let emulator = Emulator::new(seed);
        [emulator.clone(), emulator].map(|emulator| Self::of(Kind::Emulator(emulator)))
    }

    /// A handle of its own, whatever other handles `kind` has: each has a stream, and streams of two are in no order.
    fn of(kind: Kind) -> Self {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let id = OPENED.fetch_add(1, Ordering::Relaxed);
        Self { kind, id }
    }

    /// The number that no other device of the process has or had. Clones share it.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Returns whether it is the emulator.
    pub fn is_emulator(&self) -> bool {
        matches!(self.kind, Kind::Emulator(_))
    }

    /// The name: `NVIDIA H100 80GB HBM3`, or `emulator`.
    pub fn name(&self) -> &str {
        self.properties()
            .map_or("emulator", |properties| &properties.name)
    }

    /// Its compute capability; the emulator has 9.0.
    pub fn capability(&self) -> Capability {
        self.properties()
            .map_or(Capability::LEAST, |properties| properties.capability)
    }

    /// The architecture to compile for: `sm_90a`.
    pub fn arch(&self) -> String {
        self.capability().arch()
    }

    /// The limits of launches.
    pub fn limits(&self) -> Limits {
        self.properties().map_or(Session::LIMITS, limits)
    }

    /// The properties that decide how kernels which move memory are best launched; the emulator stands for an H100.
    pub fn description(&self) -> DeviceDescription {
        self.properties()
            .map_or_else(DeviceDescription::h100, description)
    }

    /// Streaming multiprocessors. The emulator has as many as clusters of blocks that it runs at a
    /// time.
    pub fn multiprocessors(&self) -> u32 {
        self.properties()
            .map_or(Session::MULTIPROCESSORS, |properties| {
                properties.multiprocessors
            })
    }

    /// The GPU's properties, from the driver; `None` on the emulator.
    pub fn properties(&self) -> Option<&DeviceProperties> {
        match &self.kind {
            Kind::Gpu(gpu) => Some(gpu.properties()),
            Kind::Emulator(_) => None,
        }
    }

    /// Reads and compiles a PTX text; `name` is what messages call it.
    ///
    /// # Errors
    /// The text is not PTX, or not for this device.
    pub fn load(&self, name: &str, text: &str) -> Result<Module, Failure> {
        Module::load(self, Source::parse(name, text)?)
    }

    /// Reads and compiles a PTX file.
    ///
    /// # Errors
    /// The file cannot be read, or as [`load`](Self::load).
    pub fn load_file(&self, path: impl AsRef<Path>) -> Result<Module, Failure> {
        Module::load(self, Source::read(path.as_ref())?)
    }

    /// A buffer that holds these elements.
    ///
    /// # Errors
    /// There is no room.
    pub fn upload<T: Pod>(&self, elements: &[T]) -> Result<Buffer<T>, Failure> {
        Buffer::upload(self, elements)
    }

    /// A buffer of so many elements, all bytes zero.
    ///
    /// # Errors
    /// There is no room.
    pub fn zeroed<T: Pod>(&self, len_elems: usize) -> Result<Buffer<T>, Failure> {
        Buffer::zeroed(self, len_elems)
    }

    /// The stream that launches use where no other is named.
    pub fn stream(&self) -> Stream {
        Stream::main(self)
    }

    /// A stream whose launches are not ordered with those of others: on a GPU they may run at the same
    /// time. On the emulator all streams are one.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias("cuStreamCreate", "cudaStreamCreate"))]
    pub fn new_stream(&self) -> Result<Stream, Failure> {
        Stream::new(self)
    }

    /// Waits until all launches on all streams have ended.
    ///
    /// # Errors
    /// That of any launch since the last call. Most errors of kernels, as an illegal address or a trap,
    /// end the GPU for this process: every later call fails, and so does opening the GPU again.
    #[doc(alias("cuCtxSynchronize", "cudaDeviceSynchronize"))]
    pub fn synchronise(&self) -> Result<(), Failure> {
        match &self.kind {
            Kind::Gpu(gpu) => gpu.synchronise(),
            Kind::Emulator(emulator) => {
                emulator.session().synchronise();
                Ok(())
            }
        }
    }
}

/// `gpu: NVIDIA H100 80GB HBM3 (sm_90a)`, or `emulator (sm_90a)`.
impl Display for Device {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = if self.is_emulator() { "" } else { "gpu: " };
        write!(f, "{kind}{} ({})", self.name(), self.arch())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_and_what_is_made_from_them_can_go_to_other_threads() {
        fn is_send<T: Send>() {}
        is_send::<Device>();
        is_send::<Buffer<f32>>();
        is_send::<Module>();
        is_send::<Stream>();
        is_send::<crate::Event>();
        is_send::<crate::TensorMaps<'_>>();
    }

    /// All handles of a GPU share its primary context, as these share a session.
    #[test]
    fn each_opening_of_one_memory_is_a_device_of_its_own() {
        let kind = Kind::Emulator(Emulator::new(0));
        let [first, second] = [kind.clone(), kind].map(Device::of);
        assert_ne!(first.id(), second.id());
        assert_eq!(first.id(), first.clone().id());
        let [of_first, of_second] =
            [&first, &second].map(|device| device.upload(&[1_u32]).unwrap());
        assert_ne!(of_first.at(0).device_id(), of_second.at(0).device_id());
        let access = crate::PeerAccess::between(&first, &second).unwrap();
        let reached = access.reach(of_first.at(0), 1).unwrap();
        assert_eq!(reached.device_id(), second.id());
    }

    #[test]
    fn the_emulator_says_what_it_is() {
        let device = Device::emulator(3);
        assert_eq!(device.to_string(), "emulator (sm_90a)");
        assert!(device.is_emulator() && device.properties().is_none());
        assert_eq!(device.capability().to_string(), "9.0");
        assert_eq!(device.limits().block_threads, 1024);
        assert_eq!(device.description(), DeviceDescription::h100());
        assert!(device.multiprocessors() > 1);
        assert_eq!(device.synchronise(), Ok(()));
    }
}
