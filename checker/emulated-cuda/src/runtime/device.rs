//! The device, and errors.

use std::ffi::c_char;

use tma_emulator::texture::{Channel, Format};

use crate::{
    attributes::{self, Layout, VERSION},
    calls::{alive, last_error},
    code::{Code, Result},
    context::Context,
    descriptions::ChannelDescription,
    export::export,
    ffi::{Out, Pointer, Text, choice},
    runtime::streams::synchronise,
};

/// Checks the device number; the only device is 0.
pub(crate) fn check(device: i32) -> Result {
    match device {
        0 => Ok(()),
        _ => Err(Code::INVALID_DEVICE),
    }
}

fn write_properties(to: Pointer, device: i32, layout: Layout) -> Result {
    check(device)?;
    to.write_host(&attributes::properties(layout))
}

/// The number of the limit of the heap.
const HEAP: i32 = 2;

/// Returns a limit of the device by its number: stack, print buffer, heap, and fixed values for the rest.
pub(crate) fn limit(number: i32) -> Result<usize> {
    Ok(match number {
        0 => 1024,
        1 => 1 << 20,
        HEAP => alive(|context| Ok(context.session.heap_limit_bytes()))? as usize,
        3 => 2,
        4 => 2048,
        5 => 128,
        6 => 0,
        _ => return Err(Code::INVALID_VALUE),
    })
}

/// Sets the limit of the heap, until a kernel has used it. The other limits are fixed.
pub(crate) fn set_limit(number: i32, value: usize) -> Result {
    limit(number)?;
    alive(|context| match number {
        HEAP => {
            let set = context.session.set_heap_limit_bytes(value as u64);
            set.map_err(|_| Code::INVALID_VALUE)
        }
        _ => Ok(()),
    })
}

/// Returns and clears the last error of the thread.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cudaGetLastError() -> i32 {
    last_error(true).0
}

/// Returns the last error of the thread.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cudaPeekAtLastError() -> i32 {
    last_error(false).0
}

/// Returns the name of an error.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cudaGetErrorName(code: i32) -> *const c_char {
    Code(code).runtime_name().as_ptr().cast()
}

/// Returns the description of an error.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cudaGetErrorString(code: i32) -> *const c_char {
    Code(code).description().as_ptr().cast()
}

impl ChannelDescription {
    /// Returns the format of its texels. Compressed, planar and normalized formats are not supported.
    pub(crate) fn format(&self, context: &mut Context, call: &str) -> Result<Format> {
        let Self { bits, kind } = *self;
        let kinds = [Channel::Signed, Channel::Unsigned, Channel::Float];
        let Ok(kind) = choice(&kinds, kind) else {
            return Err(context.lacks(&format!("{call} of the format {kind}")));
        };
        let channels = bits.iter().take_while(|bits| **bits > 0).count();
        let (used, rest) = bits.split_at(channels);
        let is_even =
            used.iter().all(|other| *other == bits[0]) && rest.iter().all(|bits| *bits == 0);
        if !is_even {
            let what =
                format!("{call}: channels have {bits:?} bits but must all have the same number");
            return Err(context.wrong(Code::INVALID_VALUE, &what));
        }
        context.broken(Format::new(channels as u32, bits[0] as u32, kind), call)
    }

    /// Returns the description of a format.
    pub(crate) fn of(format: Format) -> Self {
        let mut bits = [0; 4];
        bits[..format.channels() as usize].fill(format.bits() as i32);
        let kind = match format.kind() {
            Channel::Signed => 0,
            Channel::Unsigned => 1,
            Channel::Float => 2,
        };
        Self { bits, kind }
    }
}

/// Bits of each component, and their kind.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cudaCreateChannelDesc(
    x: i32,
    y: i32,
    z: i32,
    w: i32,
    kind: i32,
) -> ChannelDescription {
    ChannelDescription {
        bits: [x, y, z, w],
        kind,
    }
}

export! {
    runtime;

    fn cudaGetDeviceCount(count: Out<i32>) {
        count.put(1)
    }

    fn cudaGetDevice(device: Out<i32>) {
        device.put(0)
    }

    fn cudaSetDevice(device: i32) {
        check(device)
    }

    fn cudaInitDevice(device: i32, device_flags: u32, flags: u32) {
        let _ = (device_flags, flags);
        check(device)
    }

    fn cudaSetValidDevices(devices: Pointer, count: i32) {
        let _ = (devices, count);
        Ok(())
    }

    fn cudaChooseDevice(device: Out<i32>, wanted: Pointer) {
        let _ = wanted;
        device.put(0)
    }

    fn cudaGetDeviceFlags(flags: Out<u32>) {
        flags.put(0)
    }

    fn cudaSetDeviceFlags(flags: u32) {
        let _ = flags;
        Ok(())
    }

    fn cudaGetDeviceProperties(to: Pointer, device: i32) {
        write_properties(to, device, Layout::V13)
    }

    fn cudaGetDeviceProperties_v2(to: Pointer, device: i32) {
        write_properties(to, device, Layout::V12)
    }

    fn cudaDeviceGetAttribute(value: Out<i32>, attribute: i32, device: i32) {
        check(device)?;
        value.put(attributes::attribute(attribute)?)
    }

    fn cudaDeviceSynchronize as cudaThreadSynchronize, cudaThreadExit () {
        synchronise()
    }

    fn cudaDeviceReset() {
        // A program that continues afterwards would lose its memory.
        alive(|_| Ok(()))
    }

    fn cudaDeviceGetLimit(value: Out<usize>, limit: i32) {
        value.put(self::limit(limit)?)
    }

    fn cudaDeviceSetLimit(limit: i32, value: usize) {
        set_limit(limit, value)
    }

    fn cudaDeviceGetCacheConfig(config: Out<i32>) {
        config.put(0)
    }

    fn cudaDeviceSetCacheConfig as cudaDeviceSetSharedMemConfig (config: i32) {
        let _ = config;
        Ok(())
    }

    fn cudaDeviceGetSharedMemConfig(config: Out<i32>) {
        config.put(1)
    }

    fn cudaDeviceGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        least.put_if_any(0);
        greatest.put_if_any(-5);
        Ok(())
    }

    fn cudaDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) {
        check(device)?;
        check(peer)?;
        can.put(0)
    }

    // There is only one device.
    fn cudaDeviceGetP2PAttribute(value: Out<i32>, attribute: i32, device: i32, peer: i32) {
        let _ = (value, attribute, device, peer);
        Err(Code::INVALID_DEVICE)
    }

    fn cudaDeviceEnablePeerAccess as cudaDeviceDisablePeerAccess (peer: i32) {
        check(peer)?;
        Err(Code::INVALID_DEVICE)
    }

    fn cudaDeviceGetPCIBusId(text: Pointer, len: i32, device: i32) {
        check(device)?;
        let id = b"0000:00:00.0\0";
        match usize::try_from(len).is_ok_and(|len| len >= id.len()) {
            true => text.write_host(id),
            false => Err(Code::INVALID_VALUE),
        }
    }

    fn cudaDeviceGetByPCIBusId(device: Out<i32>, text: Text) {
        text.get()?;
        device.put(0)
    }

    fn cudaDriverGetVersion as cudaRuntimeGetVersion (version: Out<i32>) {
        version.put(VERSION)
    }

    fn cudaProfilerStart as cudaProfilerStop, cudaCtxResetPersistingL2Cache () {
        Ok(())
    }
}
