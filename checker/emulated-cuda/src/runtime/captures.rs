//! Stream captures into graphs.

use crate::{
    calls::alive,
    code::{Code, Result},
    export::export,
    ffi::{Out, Pointer},
};

/// Reports whether a stream is being captured, and into which graph. Dependencies are not reported, since work
/// keeps its order anyway.
fn tell_capture(
    stream: Pointer,
    status: Out<i32>,
    [number, graph, before]: [Out<u64>; 3],
    before_count: Out<usize>,
) -> Result {
    super::streams::stream(stream)?;
    let captured = alive(|context| Ok(context.graphs.of(stream)))?;
    if let Some(handle) = captured {
        number.put_if_any(handle);
        graph.put_if_any(handle);
        before.put_if_any(0);
        before_count.put_if_any(0);
    }
    status.put(i32::from(captured.is_some()))
}

export! {
    runtime;

    fn cudaStreamBeginCapture as cudaStreamBeginCapture_ptsz (stream: Pointer, mode: i32) {
        let _ = mode;
        alive(|context| context.begin_capture(stream, None))
    }

    fn cudaStreamEndCapture as cudaStreamEndCapture_ptsz (stream: Pointer, graph: Out<u64>) {
        let captured = alive(|context| context.end_capture(stream))?;
        // A program that began with an existing graph need not request it.
        graph.put_if_any(captured);
        Ok(())
    }

    fn cudaStreamBeginCaptureToGraph as cudaStreamBeginCaptureToGraph_ptsz (stream: Pointer, graph: Pointer) {
        alive(|context| context.begin_capture(stream, Some(graph.address())))
    }

    // From CUDA 12.3 on, the edges follow the nodes.
    fn cudaStreamGetCaptureInfo as cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo_v3,
        cudaStreamGetCaptureInfo_v3_ptsz (
        stream: Pointer,
        status: Out<i32>,
        number: Out<u64>,
        graph: Out<u64>,
        before: Out<u64>,
        edges: Out<u64>,
        before_count: Out<usize>,
    ) {
        edges.put_if_any(0);
        tell_capture(stream, status, [number, graph, before], before_count)
    }

    fn cudaStreamGetCaptureInfo_v2 as cudaStreamGetCaptureInfo_v2_ptsz (
        stream: Pointer,
        status: Out<i32>,
        number: Out<u64>,
        graph: Out<u64>,
        before: Out<u64>,
        before_count: Out<usize>,
    ) {
        tell_capture(stream, status, [number, graph, before], before_count)
    }

    // Dependencies always precede later work here.
    fn cudaStreamUpdateCaptureDependencies as cudaStreamUpdateCaptureDependencies_ptsz,
        cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies_v2_ptsz (stream: Pointer) {
        match alive(|context| Ok(context.graphs.of(stream)))? {
            Some(_) => Ok(()),
            None => Err(Code::INVALID_VALUE),
        }
    }

    fn cudaStreamIsCapturing as cudaStreamIsCapturing_ptsz (stream: Pointer, status: Out<i32>) {
        super::streams::stream(stream)?;
        status.put(alive(|context| Ok(i32::from(context.graphs.of(stream).is_some())))?)
    }

    fn cudaThreadExchangeStreamCaptureMode(mode: Out<i32>) {
        mode.get().map(drop)
    }
}
