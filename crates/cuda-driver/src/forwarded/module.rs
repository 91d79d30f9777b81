//! Module management and the linker.

use std::ffi::{c_char, c_uint, c_void};

use cust_raw::{CUdeviceptr, CUfunction, CUjit_option, CUjitInputType, CUlinkState, CUmodule};

use crate::forward::forward;

forward! {
    fn cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char);
    fn cuModuleGetGlobal_v2(dptr: *mut CUdeviceptr, bytes: *mut usize, hmod: CUmodule, name: *const c_char);
    fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char);
    fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
    fn cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void, numOptions: c_uint, options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    );
    fn cuModuleUnload(hmod: CUmodule);

    fn cuLinkAddData_v2(
        state: CUlinkState, kind: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char,
        numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void,
    );
    fn cuLinkComplete(state: CUlinkState, cubinOut: *mut *mut c_void, sizeOut: *mut usize);
    fn cuLinkCreate_v2(numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void, stateOut: *mut CUlinkState);
    fn cuLinkDestroy(state: CUlinkState);
}
