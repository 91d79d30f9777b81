//! Execution control.

use std::ffi::{c_int, c_uint, c_void};

use cust_raw::{
    CUfunc_cache, CUfunction, CUfunction_attribute, CUhostFn, CUsharedconfig, CUstream,
};

use crate::forward::forward;

forward! {
    fn cuFuncGetAttribute(pi: *mut c_int, attrib: CUfunction_attribute, hfunc: CUfunction);
    fn cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache);
    fn cuFuncSetSharedMemConfig(hfunc: CUfunction, config: CUsharedconfig);

    fn cuLaunchHostFunc(hStream: CUstream, function: CUhostFn, userData: *mut c_void);
    fn cuLaunchKernel(
        f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint,
        blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream,
        kernelParams: *mut *mut c_void, extra: *mut *mut c_void,
    );
}
