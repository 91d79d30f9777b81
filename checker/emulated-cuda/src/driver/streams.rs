//! Streams and events.

use crate::{
    export::export,
    ffi::{Out, Pointer},
    runtime::streams::{
        create_event, create_stream, destroy_event, destroy_stream, elapsed_ms, event, record,
        stream,
    },
};

export! {
    driver;

    fn cuStreamCreate(handle: Out<u64>, flags: u32) {
        handle.put(create_stream(flags, 0)?)
    }

    fn cuStreamCreateWithPriority(handle: Out<u64>, flags: u32, priority: i32) {
        handle.put(create_stream(flags, priority.clamp(-5, 0))?)
    }

    fn cuStreamDestroy_v2 as cuStreamDestroy (handle: Pointer) {
        destroy_stream(handle)
    }

    fn cuStreamSynchronize as cuStreamSynchronize_ptsz, cuStreamQuery, cuStreamQuery_ptsz (handle: Pointer) {
        stream(handle).map(drop)
    }

    fn cuStreamWaitEvent as cuStreamWaitEvent_ptsz (handle: Pointer, waited: Pointer, flags: u32) {
        let _ = flags;
        stream(handle)?;
        event(waited).map(drop)
    }

    fn cuStreamGetFlags as cuStreamGetFlags_ptsz (handle: Pointer, flags: Out<u32>) {
        flags.put(stream(handle)?.0)
    }

    fn cuStreamGetPriority as cuStreamGetPriority_ptsz (handle: Pointer, priority: Out<i32>) {
        priority.put(stream(handle)?.1)
    }

    fn cuStreamIsCapturing as cuStreamIsCapturing_ptsz (handle: Pointer, status: Out<i32>) {
        stream(handle)?;
        status.put(0)
    }

    fn cuEventCreate(handle: Out<u64>, flags: u32) {
        let _ = flags;
        handle.put(create_event()?)
    }

    fn cuEventDestroy_v2 as cuEventDestroy (handle: Pointer) {
        destroy_event(handle)
    }

    fn cuEventRecord as cuEventRecord_ptsz (handle: Pointer, on: Pointer) {
        stream(on)?;
        record(handle)
    }

    fn cuEventRecordWithFlags as cuEventRecordWithFlags_ptsz (handle: Pointer, on: Pointer, flags: u32) {
        let _ = flags;
        stream(on)?;
        record(handle)
    }

    fn cuEventSynchronize as cuEventQuery (handle: Pointer) {
        event(handle).map(drop)
    }

    fn cuEventElapsedTime_v2 as cuEventElapsedTime (milliseconds: Out<f32>, start: Pointer, end: Pointer) {
        milliseconds.put(elapsed_ms(start, end)?)
    }
}
