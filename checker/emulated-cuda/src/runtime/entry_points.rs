//! Lookup of driver functions by name.

use crate::{
    attributes::VERSION,
    driver::errors::find,
    export::export,
    ffi::{Out, Text},
};

export! {
    runtime;

    fn cudaGetDriverEntryPoint as cudaGetDriverEntryPoint_ptsz (
        name: Text,
        address: Out<u64>,
        flags: u64,
        status: Out<i32>,
    ) {
        let _ = flags;
        find(name, VERSION, &address, Some(&status))
    }

    fn cudaGetDriverEntryPointByVersion as cudaGetDriverEntryPointByVersion_ptsz (
        name: Text,
        address: Out<u64>,
        version: i32,
        flags: u64,
        status: Out<i32>,
    ) {
        let _ = flags;
        find(name, version, &address, Some(&status))
    }
}
