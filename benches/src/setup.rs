//! The device addresses and properties that cases are made from.

use anyhow::{Result, anyhow, bail};
use kernels_gpu::settings::Setting;
use tensor_map::{Params, TensorMap};
use tma_host::Shape;
use tma_launch::{Argument, Call, DeviceDescription, Launch, Pointer, Violations};

use crate::{
    case::{Amount, Case, Check, Reference},
    cases::guide::buffers::BUFFERS,
    limit::Needs,
    pattern::Pattern,
    work::L2,
};

/// Device addresses and properties of the GPU that the cases use.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    pub(crate) device: &'a DeviceDescription,
    /// Maximum shared memory of a block in bytes.
    pub(crate) block_shared_bytes: u64,
    /// Size in bytes of the source and of the destination.
    pub(crate) bytes: u64,
    pub(crate) src: u64,
    pub(crate) dst: u64,
    pub(crate) counter: u64,
    /// Addresses of the positions of each dataset's boxes.
    pub(crate) positions: [u64; 2],
    pub(crate) sums: u64,
    /// Encodes a map of the tensor at an address.
    pub(crate) encode: &'a dyn Fn(Params, u64) -> Result<TensorMap>,
    /// The buffers of the guide's kernels.
    pub(crate) buffers: [u64; BUFFERS],
}

impl Setup<'_> {
    /// Returns a shape with this number of blocks per multiprocessor.
    pub(crate) fn persistent(self, per_multiprocessor: u32, threads: u32) -> Shape {
        Shape::new(self.device.multiprocessors * per_multiprocessor, threads)
    }

    /// Like [`case`](Self::case), with the launch of a setting over all bytes.
    pub(crate) fn set_case(
        self,
        kernel: &'static str,
        call: Call<'_>,
        setting: Setting,
    ) -> Result<Case> {
        let shape = Shape::new(setting.grid(self.device, self.bytes), setting.threads);
        let mut case = self.case(kernel, call, shape)?;
        let least = setting.shared_bytes(self.device);
        case.shape.shared_bytes = case.shape.shared_bytes.max(least);
        Ok(case)
    }

    /// Returns the arguments of a launch in this setup.
    pub(crate) fn values(self, launch: &Launch) -> Result<Vec<Argument>> {
        let value = |argument: &Argument| {
            Ok(match argument {
                Argument::Scalar(_)
                | Argument::Bytes(_)
                | Argument::Address(_)
                | Argument::EncodedMap(_) => argument.clone(),
                Argument::Buffer {
                    index,
                    offset_bytes,
                } => Argument::Address(self.buffers[*index] + offset_bytes),
                Argument::TensorMap {
                    params,
                    index,
                    offset_bytes,
                } => {
                    let address = self.buffers[*index] + offset_bytes;
                    Argument::EncodedMap(Box::new((self.encode)(**params, address)?))
                }
                _ => bail!("no kernel here takes such an argument"),
            })
        };
        launch.arguments.iter().map(value).collect()
    }

    /// Creates a row of a kernel that reads the source and writes the destination, adding one to each number.
    pub(crate) fn case(self, kernel: &'static str, call: Call<'_>, shape: Shape) -> Result<Case> {
        let launch = kept(call.launch(shape))?;
        Ok(Case {
            kernel,
            variant: String::new(),
            values: self.values(&launch)?,
            entry: launch.entry,
            shape: launch.shape,
            draws: false,
            amount: Amount::Bytes(2 * self.bytes),
            needs: Needs::memory(2 * self.bytes),
            l2: L2::Cold,
            check: Check::Destination(Pattern::plus(self.bytes, 1)),
            reference: Reference::DriverCopy,
            goal: None,
        })
    }
}

/// Marks a row whose setting comes from the device's settings.
pub(crate) fn as_set(case: Case) -> Case {
    Case {
        variant: format!("as set, {}", case.variant),
        ..case
    }
}

/// Memory at a device address.
#[derive(Clone, Copy)]
pub(crate) struct At(pub(crate) u64);

impl<T> Pointer<T> for At {
    fn pointer(&self) -> Argument {
        Argument::Address(self.0)
    }
}

pub(crate) fn kept(launch: Result<Launch, Violations>) -> Result<Launch> {
    launch.map_err(|refused| anyhow!("{refused}"))
}

/// Shared memory of a multiprocessor for all its blocks, including 1 KiB per block for the system.
const SHARED_BYTES: u32 = 228 * 1024;

pub(crate) fn fits(per_multiprocessor: u32, case: &Case) -> bool {
    per_multiprocessor * (case.shape.shared_bytes + 1024) <= SHARED_BYTES
}
