//! Devices: a GPU or the emulator.

mod choice;
mod emulator;

use std::{
    fmt::{self, Display, Formatter},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use bytemuck::Pod;
use tma_emulator::{Bounds, ScheduleName, Session};
use tma_launch::{DeviceDescription, Failure, Limits};

use crate::{
    Buffer, Capability, DeviceProperties, GpuError, Module, Source, Stream,
    gpu::{Gpu, description, limits},
};

pub use choice::DeviceChoice;
pub(crate) use emulator::Emulator;

/// A device that runs kernels: a GPU or the emulator. The same code works on both.
///
/// Clones and everything created from a device refer to the same device and can be used from any thread. Work is
/// ordered: a launch begins after the previous one on its [stream](Stream) has ended, and a read waits for all
/// earlier launches.
///
/// A GPU opened twice is two devices with separate streams. Launches on one refuse memory of the other, unless
/// [`PeerAccess`](crate::PeerAccess) opens the memory of each to the other.
///
/// On a GPU, a launch returns before the kernel has ended, and a fault appears in the next call that waits. On the
/// emulator, a launch returns after the kernel has ended, and any fault or finding of the checker is returned as
/// the launch's error, with the whole report as its text.
#[derive(Clone, Debug)]
pub struct Device {
    kind: Kind,
    /// A number for this opening, unique in the process.
    id: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Gpu(Gpu),
    Emulator(Emulator),
}

impl Device {
    /// Opens the first GPU that can run TMA kernels, or the emulator if there is no GPU.
    ///
    /// The environment variable `TMA_DEVICE` selects the device: `gpu` makes a missing GPU an error, `emulator`
    /// selects the emulator, and `auto` is the default. `TMA_SEED`, a number from 0, selects the schedule of the
    /// emulator; `all` selects [every schedule](Self::emulator_of_every_schedule), and the name of a schedule [that
    /// one](Self::emulator_of_schedule).
    ///
    /// # Errors
    /// A GPU is present but unusable, or required but missing; a variable has an invalid value.
    pub fn open() -> Result<Self, Failure> {
        DeviceChoice::from_env()?.open()
    }

    /// Opens the first GPU that can run TMA kernels.
    ///
    /// # Errors
    /// There is no usable GPU; [`GpuError::is_absent`] returns whether there is none at all.
    pub fn gpu() -> Result<Self, GpuError> {
        Gpu::first().map(|gpu| Self::of(Kind::Gpu(gpu)))
    }

    /// Opens the GPU of this number, from 0.
    ///
    /// # Errors
    /// There is no usable GPU of this number.
    pub fn gpu_numbered(ordinal: u32) -> Result<Self, GpuError> {
        Gpu::numbered(ordinal).map(|gpu| Self::of(Kind::Gpu(gpu)))
    }

    /// Returns a new emulator with the schedule of this seed. The same seed repeats a run; another one runs threads
    /// and copies in another order.
    ///
    /// The emulator implements compute capability 9.0, and some instructions of later ones. The checker observes
    /// every launch.
    pub fn emulator(seed: u64) -> Self {
        Self::of(Kind::Emulator(Emulator::new(seed)))
    }

    /// Returns a new emulator that runs each launch under every schedule that can have another result. A launch is an error
    /// unless all its schedules are without errors, and if the search ends before it has come to them all. Memory is
    /// then as the first schedule leaves it.
    ///
    /// ```
    /// use tma_host::{Bounds, Device};
    ///
    /// let device = Device::emulator_of_every_schedule(Bounds::default());
    /// assert!(device.is_emulator());
    /// ```
    pub fn emulator_of_every_schedule(bounds: Bounds) -> Self {
        Self::of(Kind::Emulator(Emulator::of_every_schedule(bounds)))
    }

    /// Returns a new emulator that repeats a schedule which a search has found. Other launches run the
    /// schedule that a search begins with. The launch is an error if its PTX is not the PTX of the name.
    ///
    /// ```
    /// use tma_host::Device;
    ///
    /// let device = Device::emulator_of_schedule("33a85bde:0:3.2".parse()?);
    /// assert!(device.is_emulator());
    /// # Ok::<(), &str>(())
    /// ```
    pub fn emulator_of_schedule(name: ScheduleName) -> Self {
        Self::of(Kind::Emulator(Emulator::of_schedule(name)))
    }

    /// Returns two emulators with this schedule that represent two GPUs with [access](crate::PeerAccess) to each
    /// other's memory. Their launches run one at a time.
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

    /// Creates a separate handle for `kind`. Each handle has its own stream, and the streams of two handles are not
    /// ordered.
    pub(crate) fn of(kind: Kind) -> Self {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let id = OPENED.fetch_add(1, Ordering::Relaxed);
        Self { kind, id }
    }

    /// Returns a number that is unique among all devices of the process, as [`Slice::device_id`](crate::Slice::device_id) does.
    /// Clones share it.
    pub fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Returns whether this is the emulator.
    pub fn is_emulator(&self) -> bool {
        matches!(self.kind, Kind::Emulator(_))
    }

    /// Returns the name: `NVIDIA H100 80GB HBM3`, or `emulator`.
    pub fn name(&self) -> &str {
        self.properties()
            .map_or("emulator", |properties| &properties.name)
    }

    /// Returns the compute capability; the emulator has 9.0.
    pub fn capability(&self) -> Capability {
        self.properties()
            .map_or(Capability::LEAST, |properties| properties.capability)
    }

    /// Returns the architecture to compile for, such as `sm_90a`.
    pub fn arch(&self) -> String {
        self.capability().arch()
    }

    /// Returns the limits of launches.
    pub fn limits(&self) -> Limits {
        self.properties().map_or(Session::LIMITS, limits)
    }

    /// Returns the properties that determine good launch shapes of memory-bound kernels; the emulator reports those
    /// of an H100.
    pub fn description(&self) -> DeviceDescription {
        self.properties()
            .map_or_else(DeviceDescription::h100, description)
    }

    /// Returns the number of streaming multiprocessors. On the emulator it is the number of clusters that run
    /// concurrently.
    pub fn multiprocessors(&self) -> u32 {
        self.properties()
            .map_or(Session::MULTIPROCESSORS, |properties| {
                properties.multiprocessors
            })
    }

    /// Returns the GPU's properties from the driver; `None` on the emulator.
    pub fn properties(&self) -> Option<&DeviceProperties> {
        match &self.kind {
            Kind::Gpu(gpu) => Some(gpu.properties()),
            Kind::Emulator(_) => None,
        }
    }

    /// Parses and compiles a PTX text. Messages call it `name`.
    ///
    /// # Errors
    /// The text is not valid PTX, or not for this device.
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

    /// Creates a buffer with these elements.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn upload<T: Pod>(&self, elements: &[T]) -> Result<Buffer<T>, Failure> {
        Buffer::upload(self, elements)
    }

    /// Creates a buffer of `len_elems` elements with all bytes zero.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn zeroed<T: Pod>(&self, len_elems: usize) -> Result<Buffer<T>, Failure> {
        Buffer::zeroed(self, len_elems)
    }

    /// Returns the default stream of the device's launches.
    pub fn stream(&self) -> Stream {
        Stream::main(self)
    }

    /// Creates a stream whose launches are not ordered with those of other streams: on a GPU they may run
    /// concurrently. On the emulator all streams are one.
    ///
    /// # Errors
    /// The driver fails.
    #[doc(alias("cuStreamCreate", "cudaStreamCreate"))]
    pub fn new_stream(&self) -> Result<Stream, Failure> {
        Stream::new(self)
    }

    /// Waits until all launches on all streams have ended.
    ///
    /// # Errors
    /// A launch since the last call failed. Most errors of kernels, such as an illegal address or a trap, make the
    /// GPU unusable for this process: every later call fails, and so does opening the GPU again.
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

/// Formats as `gpu: NVIDIA H100 80GB HBM3 (sm_90a)` or `emulator (sm_90a)`.
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
