//! The device and its only context.

use crate::{
    allocations::TOTAL_BYTES,
    attributes::{self, VERSION},
    calls::alive,
    code::Code,
    export::export,
    ffi::{Out, Pointer, Text},
    runtime::{
        device::{check, limit, set_limit},
        streams::synchronise,
    },
};

/// The handle of the context.
const CONTEXT: u64 = 0x1000_0000_0010;

export! {
    driver;

    fn cuInit(flags: u32) {
        let _ = flags;
        alive(|_| Ok(()))
    }

    fn cuDriverGetVersion(version: Out<i32>) {
        version.put(VERSION)
    }

    fn cuDeviceGetCount(count: Out<i32>) {
        count.put(1)
    }

    fn cuDeviceGet(device: Out<i32>, ordinal: i32) {
        check(ordinal)?;
        device.put(0)
    }

    fn cuDeviceGetName(text: Pointer, len: i32, device: i32) {
        check(device)?;
        // Leaves a byte for the terminating zero.
        let most = usize::try_from(len).ok().and_then(|len| len.checked_sub(1));
        let mut name = attributes::NAME.as_bytes().to_vec();
        name.truncate(most.ok_or(Code::INVALID_VALUE)?);
        name.push(0);
        text.write_host(&name)
    }

    fn cuDeviceGetUuid as cuDeviceGetUuid_v2 (id: Out<[u8; 16]>, device: i32) {
        check(device)?;
        id.put([0; 16])
    }

    fn cuDeviceTotalMem_v2 as cuDeviceTotalMem (bytes: Out<usize>, device: i32) {
        check(device)?;
        bytes.put(TOTAL_BYTES as usize)
    }

    fn cuDeviceGetAttribute(value: Out<i32>, attribute: i32, device: i32) {
        check(device)?;
        value.put(attributes::attribute(attribute)?)
    }

    fn cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32) {
        check(device)?;
        major.put(9)?;
        minor.put(0)
    }

    fn cuDeviceGetPCIBusId(text: Pointer, len: i32, device: i32) {
        check(device)?;
        let id = b"0000:00:00.0\0";
        match usize::try_from(len).is_ok_and(|len| len >= id.len()) {
            true => text.write_host(id),
            false => Err(Code::INVALID_VALUE),
        }
    }

    fn cuDeviceGetByPCIBusId(device: Out<i32>, text: Text) {
        text.get()?;
        device.put(0)
    }

    fn cuDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) {
        check(device)?;
        check(peer)?;
        can.put(0)
    }

    fn cuDevicePrimaryCtxRetain(context: Out<u64>, device: i32) {
        check(device)?;
        context.put(CONTEXT)
    }

    fn cuDevicePrimaryCtxRelease_v2 as cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxReset_v2,
        cuDevicePrimaryCtxReset (device: i32) {
        check(device)
    }

    fn cuDevicePrimaryCtxSetFlags_v2 as cuDevicePrimaryCtxSetFlags (device: i32, flags: u32) {
        let _ = flags;
        check(device)
    }

    fn cuDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>) {
        check(device)?;
        flags.put(0)?;
        active.put(1)
    }

    fn cuCtxCreate_v2 as cuCtxCreate (context: Out<u64>, flags: u32, device: i32) {
        let _ = flags;
        check(device)?;
        context.put(CONTEXT)
    }

    fn cuCtxCreate_v3(context: Out<u64>, affinity: Pointer, count: i32, flags: u32, device: i32) {
        let _ = (affinity, count, flags);
        check(device)?;
        context.put(CONTEXT)
    }

    fn cuCtxCreate_v4(context: Out<u64>, parameters: Pointer, flags: u32, device: i32) {
        let _ = (parameters, flags);
        check(device)?;
        context.put(CONTEXT)
    }

    fn cuCtxDestroy_v2 as cuCtxDestroy, cuCtxSetCurrent, cuCtxPushCurrent_v2, cuCtxPushCurrent (context: Pointer) {
        let _ = context;
        Ok(())
    }

    fn cuCtxGetCurrent as cuCtxPopCurrent_v2, cuCtxPopCurrent (context: Out<u64>) {
        context.put_if_any(CONTEXT);
        Ok(())
    }

    fn cuCtxGetDevice(device: Out<i32>) {
        device.put(0)
    }

    fn cuCtxGetDevice_v2(device: Out<i32>, context: Pointer) {
        let _ = context;
        device.put(0)
    }

    fn cuCtxGetFlags(flags: Out<u32>) {
        flags.put(0)
    }

    fn cuCtxGetId(context: Pointer, id: Out<u64>) {
        let _ = context;
        id.put(1)
    }

    fn cuCtxGetApiVersion(context: Pointer, version: Out<u32>) {
        let _ = context;
        version.put(3020)
    }

    fn cuCtxSynchronize() {
        synchronise()
    }

    fn cuCtxSynchronize_v2(context: Pointer) {
        let _ = context;
        alive(|_| Ok(()))
    }

    fn cuCtxGetLimit(value: Out<usize>, number: i32) {
        value.put(limit(number)?)
    }

    fn cuCtxSetLimit(number: i32, value: usize) {
        set_limit(number, value)
    }

    fn cuCtxGetCacheConfig as cuCtxGetSharedMemConfig (config: Out<i32>) {
        config.put(0)
    }

    fn cuCtxSetCacheConfig as cuCtxSetSharedMemConfig (config: i32) {
        let _ = config;
        Ok(())
    }

    fn cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        least.put_if_any(0);
        greatest.put_if_any(-5);
        Ok(())
    }

    fn cuProfilerStart as cuProfilerStop, cuCtxResetPersistingL2Cache () {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_to_the_callers_room() {
        let mut room = [b'x'; 8];
        let mut name = |len| {
            let to = room.as_mut_ptr().cast();
            // SAFETY: no length here exceeds the buffer.
            let code = unsafe { cuDeviceGetName(to, len, 0) };
            (code, std::mem::replace(&mut room, [b'x'; 8]))
        };
        for len in [0, -1, i32::MIN] {
            assert_eq!(name(len), (Code::INVALID_VALUE.0, *b"xxxxxxxx"), "{len}");
        }
        assert_eq!(name(1), (0, *b"\0xxxxxxx"));
        assert_eq!(name(4), (0, *b"NVI\0xxxx"));
    }
}
