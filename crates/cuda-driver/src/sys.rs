//! The driver's handles, with the names of its header.
#![allow(non_camel_case_types)]

/// Defines handles that are pointers to objects of the driver.
macro_rules! handles {
    ($( $name:ident = *mut $object:ident; )*) => { $(
        /// An opaque object of the driver, used by its address.
        #[derive(Debug)]
        #[repr(C)]
        pub struct $object {
            _opaque: [u8; 0],
        }

        #[doc = concat!("A pointer to a `", stringify!($object), "`; valid in every thread.")]
        pub type $name = *mut $object;
    )* };
}

handles! {
    CUcontext = *mut CUctx_st;
    CUevent = *mut CUevent_st;
    CUfunction = *mut CUfunc_st;
    CUmodule = *mut CUmod_st;
    CUstream = *mut CUstream_st;
}

/// A device: its ordinal or another number chosen by the driver.
pub type CUdevice = std::ffi::c_int;
