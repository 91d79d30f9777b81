use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tma_host::{Device, Failure, Module, Stage, Stream, encode};
use tma_launch::{Argument, Checked, Conditions};

use crate::{entries, operand::Operands};

/// The kernels on a device. Each is loaded when it is called for the first time: on a GPU the driver compiles it then.
#[derive(Debug)]
pub struct Kernels {
    device: Device,
    modules: Mutex<HashMap<String, Arc<Module>>>,
}

impl Kernels {
    /// Returns the kernels of this device; none is loaded yet.
    pub fn new(device: &Device) -> Self {
        Self {
            device: device.clone(),
            modules: Mutex::default(),
        }
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Starts the kernel of these arguments, unless an operand is too short; `conditions` has the conditions that are
    /// already broken.
    ///
    /// # Safety
    /// 1. `operands` returned the buffers that the arguments name, and have the contents that the launch requires:
    ///    counters are zero, starts ascend. The caller borrows exclusively the buffers that the kernel writes.
    pub(crate) unsafe fn start(
        &self,
        what: &str,
        conditions: Conditions,
        arguments: &impl Checked,
        operands: &Operands,
    ) -> Result<(), Failure> {
        let stream = self.device.stream();
        // SAFETY: the caller guarantees condition 1.
        unsafe { self.start_on(&stream, what, conditions, arguments, operands) }
    }

    /// Works like [`start`](Self::start), on this stream of the device.
    ///
    /// # Safety
    /// The condition of [`start`](Self::start), and
    /// 2. on a stream other than the device's own, the caller answers for the order of the kernel and other work.
    pub(crate) unsafe fn start_on(
        &self,
        stream: &Stream,
        what: &str,
        conditions: Conditions,
        arguments: &impl Checked,
        operands: &Operands,
    ) -> Result<(), Failure> {
        let mut broken = conditions.into_result().err().unwrap_or_default();
        let launch = match arguments.launch() {
            Ok(launch) => {
                broken.0.extend(operands.too_short(&launch));
                launch
            }
            Err(more) => {
                broken.0.extend(more.0);
                return Err(Failure::check(what, broken));
            }
        };
        let refused = |broken| Failure::check(what, broken);
        broken.into_result().map_err(refused)?;
        if let Some(name) = operands.elsewhere(self.device.id()) {
            let what = format!(
                "`{what}` is on {}, with {name} on another device",
                self.device
            );
            return Err(Failure::new(Stage::Check, what)
                .hint("use buffers of one `Device` or its clones; opening the same GPU again creates another device"));
        }
        let module = self.module(&launch.entry)?;
        let place = |argument: &Argument| match argument {
            Argument::Buffer {
                index,
                offset_bytes,
            } => operands
                .of(*index)
                .at(*offset_bytes, |address| Ok(Argument::Address(address))),
            Argument::TensorMap {
                params,
                index,
                offset_bytes,
            } => operands.of(*index).at(*offset_bytes, |address| {
                let map = encode(&self.device, **params, address)?;
                Ok(Argument::EncodedMap(Box::new(map)))
            }),
            other => Ok(other.clone()),
        };
        let placed = launch.arguments.iter().map(place);
        let placed = placed.collect::<Result<Vec<_>, Failure>>()?;
        // SAFETY: the launch is made by its `Checked` arguments, and the text is for their kernel (1). Each buffer is
        // as long as the launch uses it, and has the contents that the launch requires, by condition 1 (2). A dropped
        // buffer waits for its whole context, and `Kernels` for its device before it drops the modules (3).
        // The buffers are borrowed, exclusively where the kernel writes (condition 1), so that later uses come after
        // this call (4). They wait for the kernel: reads, writes and drops of a buffer wait for all streams of its
        // context; safe launches run only on the stream of the buffer's device, since launches of any other device,
        // also of another handle of this GPU, refuse the buffer; and `Peers` makes the streams of two devices wait for
        // each other before and after kernels that access both buffers. Any other use is a launch by an `unsafe` function,
        // and its caller answers for the order; so it does for another stream (condition 2).
        unsafe {
            let function = module.function(&launch.entry)?;
            function.launch_on(stream, launch.shape, &placed[..])
        }
    }

    /// Returns the module with this entry.
    fn module(&self, entry: &str) -> Result<Arc<Module>, Failure> {
        let mut modules = locked(&self.modules);
        if let Some(module) = modules.get(entry) {
            return Ok(Arc::clone(module));
        }
        let Some((arch, text)) = entries::find(entry) else {
            let what = format!("there is no kernel `{entry}` for calls");
            return Err(Failure::new(Stage::Resolve, what));
        };
        if self.device.capability().runs(arch) != Some(true) {
            let what = format!("`{entry}` is for {arch}, and the device is {}", self.device);
            return Err(Failure::new(Stage::Resolve, what));
        }
        let module = Arc::new(self.device.load(&format!("{entry}.ptx"), text)?);
        modules.insert(entry.to_owned(), Arc::clone(&module));
        Ok(module)
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        // Kernels of the modules may be running; the next waiting call reports their errors.
        let _ = self.device.synchronise();
    }
}

/// A panic of another thread cannot leave the value half-changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
