//! Streams and events. Work of a stream has finished when its call returns.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
    time::Instant,
};

use crate::{
    calls::alive,
    code::{Code, Result},
    export::export,
    ffi::{Out, Pointer},
};

/// The time of each event's last recording. Streams have no state besides their creation parameters.
static EVENTS: LazyLock<Mutex<HashMap<u64, Option<Instant>>>> = LazyLock::new(Mutex::default);
static STREAMS: LazyLock<Mutex<HashMap<u64, (u32, i32)>>> = LazyLock::new(Mutex::default);

/// Limit for the handles of built-in streams: default, legacy and per-thread.
const DEFAULT_STREAMS: u64 = 2;

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn create_stream(flags: u32, priority: i32) -> Result<u64> {
    let handle = alive(|context| Ok(context.handle()))?;
    lock(&STREAMS).insert(handle, (flags, priority));
    Ok(handle)
}

pub(crate) fn destroy_stream(stream: Pointer) -> Result {
    let removed = lock(&STREAMS).remove(&stream.address());
    removed.map(drop).ok_or(Code::INVALID_HANDLE)
}

/// Ends the overlap of launches: all earlier work finishes before later work.
pub(crate) fn synchronise() -> Result {
    alive(|context| {
        context.session.synchronise();
        Ok(())
    })
}

/// Returns the flags and priority of a stream.
pub(crate) fn stream(stream: Pointer) -> Result<(u32, i32)> {
    synchronise()?;
    if stream.address() <= DEFAULT_STREAMS {
        return Ok((0, 0));
    }
    lock(&STREAMS)
        .get(&stream.address())
        .copied()
        .ok_or(Code::INVALID_HANDLE)
}

pub(crate) fn create_event() -> Result<u64> {
    let handle = alive(|context| Ok(context.handle()))?;
    lock(&EVENTS).insert(handle, None);
    Ok(handle)
}

pub(crate) fn destroy_event(event: Pointer) -> Result {
    let removed = lock(&EVENTS).remove(&event.address());
    removed.map(drop).ok_or(Code::INVALID_HANDLE)
}

pub(crate) fn record(event: Pointer) -> Result {
    synchronise()?;
    match lock(&EVENTS).get_mut(&event.address()) {
        Some(time) => {
            *time = Some(Instant::now());
            Ok(())
        }
        None => Err(Code::INVALID_HANDLE),
    }
}

/// Returns the time of an event's last recording, if any.
pub(crate) fn event(event: Pointer) -> Result<Option<Instant>> {
    synchronise()?;
    lock(&EVENTS)
        .get(&event.address())
        .copied()
        .ok_or(Code::INVALID_HANDLE)
}

pub(crate) fn elapsed_ms(start: Pointer, end: Pointer) -> Result<f32> {
    let (start, end) = (event(start)?, event(end)?);
    let times = start.zip(end).ok_or(Code::INVALID_HANDLE)?;
    let (start, end) = times;
    Ok(match end.checked_duration_since(start) {
        Some(later) => later.as_secs_f32() * 1e3,
        None => -start.duration_since(end).as_secs_f32() * 1e3,
    })
}

export! {
    runtime;

    fn cudaStreamCreate(handle: Out<u64>) {
        handle.put(create_stream(0, 0)?)
    }

    fn cudaStreamCreateWithFlags(handle: Out<u64>, flags: u32) {
        handle.put(create_stream(flags, 0)?)
    }

    fn cudaStreamCreateWithPriority(handle: Out<u64>, flags: u32, priority: i32) {
        handle.put(create_stream(flags, priority.clamp(-5, 0))?)
    }

    fn cudaStreamDestroy(handle: Pointer) {
        destroy_stream(handle)
    }

    fn cudaStreamSynchronize as cudaStreamSynchronize_ptsz, cudaStreamQuery, cudaStreamQuery_ptsz (handle: Pointer) {
        stream(handle)?;
        // Work of a captured stream does not run.
        match alive(|context| Ok(context.graphs.of(handle)))? {
            Some(_) => Err(Code::CAPTURE_UNSUPPORTED),
            None => Ok(()),
        }
    }

    fn cudaStreamWaitEvent as cudaStreamWaitEvent_ptsz (handle: Pointer, waited: Pointer, flags: u32) {
        let _ = flags;
        stream(handle)?;
        event(waited)?;
        alive(|context| {
            context.graphs.join(handle, waited);
            Ok(())
        })
    }

    fn cudaStreamGetFlags as cudaStreamGetFlags_ptsz (handle: Pointer, flags: Out<u32>) {
        flags.put(stream(handle)?.0)
    }

    fn cudaStreamGetPriority as cudaStreamGetPriority_ptsz (handle: Pointer, priority: Out<i32>) {
        priority.put(stream(handle)?.1)
    }

    fn cudaStreamGetId as cudaStreamGetId_ptsz (handle: Pointer, number: Out<u64>) {
        stream(handle)?;
        number.put(handle.address())
    }

    fn cudaStreamGetDevice as cudaStreamGetDevice_ptsz (handle: Pointer, device: Out<i32>) {
        stream(handle)?;
        device.put(0)
    }

    fn cudaEventCreate(handle: Out<u64>) {
        handle.put(create_event()?)
    }

    fn cudaEventCreateWithFlags(handle: Out<u64>, flags: u32) {
        let _ = flags;
        handle.put(create_event()?)
    }

    fn cudaEventDestroy(handle: Pointer) {
        destroy_event(handle)
    }

    fn cudaEventRecord as cudaEventRecord_ptsz (handle: Pointer, on: Pointer) {
        stream(on)?;
        record(handle)?;
        alive(|context| {
            context.graphs.record(handle, on);
            Ok(())
        })
    }

    fn cudaEventRecordWithFlags as cudaEventRecordWithFlags_ptsz (handle: Pointer, on: Pointer, flags: u32) {
        let _ = flags;
        stream(on)?;
        record(handle)?;
        alive(|context| {
            context.graphs.record(handle, on);
            Ok(())
        })
    }

    fn cudaEventSynchronize as cudaEventQuery (handle: Pointer) {
        event(handle).map(drop)
    }

    fn cudaEventElapsedTime as cudaEventElapsedTime_v2 (milliseconds: Out<f32>, start: Pointer, end: Pointer) {
        milliseconds.put(elapsed_ms(start, end)?)
    }
}
