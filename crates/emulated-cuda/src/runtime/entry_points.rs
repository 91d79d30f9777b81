//! The driver's functions by their names.

use crate::{
    driver::function,
    ffi::{Out, Text, export},
};

/// Results of a query.
const FOUND: i32 = 0;
const NOT_FOUND: i32 = 1;

/// Writes the address of a function, and whether there is one.
pub(crate) fn find(name: Text, address: &Out<u64>, status: &Out<i32>) -> crate::calls::Result {
    let found = function(&name.get()?);
    address.put(found.unwrap_or_default())?;
    status.put_if_any(if found.is_some() { FOUND } else { NOT_FOUND });
    Ok(())
}

export! {
    runtime;

    fn cudaGetDriverEntryPoint as cudaGetDriverEntryPoint_ptsz (
        name: Text,
        address: Out<u64>,
        flags: u64,
        status: Out<i32>,
    ) {
        let _ = flags;
        find(name, &address, &status)
    }

    fn cudaGetDriverEntryPointByVersion as cudaGetDriverEntryPointByVersion_ptsz (
        name: Text,
        address: Out<u64>,
        version: u32,
        flags: u64,
        status: Out<i32>,
    ) {
        let _ = (version, flags);
        find(name, &address, &status)
    }
}
