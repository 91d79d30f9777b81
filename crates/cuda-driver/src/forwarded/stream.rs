//! Stream management.

use std::ffi::{c_int, c_uint};

use cust_raw::{CUevent, CUstream};

use crate::forward::forward;

forward! {
    fn cuStreamCreateWithPriority(phStream: *mut CUstream, flags: c_uint, priority: c_int);
    fn cuStreamDestroy_v2(hStream: CUstream);
    fn cuStreamGetFlags(hStream: CUstream, flags: *mut c_uint);
    fn cuStreamGetPriority(hStream: CUstream, priority: *mut c_int);
    fn cuStreamSynchronize(hStream: CUstream);
    fn cuStreamWaitEvent(hStream: CUstream, hEvent: CUevent, Flags: c_uint);
}
