//! Event management.

use std::ffi::c_uint;

use cust_raw::{CUevent, CUstream};

use crate::forward::forward;

forward! {
    fn cuEventCreate(phEvent: *mut CUevent, Flags: c_uint);
    fn cuEventDestroy_v2(hEvent: CUevent);
    fn cuEventElapsedTime(pMilliseconds: *mut f32, hStart: CUevent, hEnd: CUevent);
    fn cuEventQuery(hEvent: CUevent);
    fn cuEventRecord(hEvent: CUevent, hStream: CUstream);
    fn cuEventSynchronize(hEvent: CUevent);
}
