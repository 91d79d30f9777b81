//! Initialization and version management.

use std::ffi::{c_int, c_uint};

use crate::forward::forward;

forward! {
    fn cuInit(Flags: c_uint);
    fn cuDriverGetVersion(driverVersion: *mut c_int);
}
