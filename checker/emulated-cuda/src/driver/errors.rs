//! Names of errors, and lookup of functions by name.

use crate::{
    code::Code,
    driver::function,
    export::export,
    ffi::{Out, Text},
};

/// Writes the address of a function, and whether it exists.
pub(crate) fn find(
    name: Text,
    version: i32,
    address: &Out<u64>,
    status: Option<&Out<i32>>,
) -> crate::code::Result {
    let found = function(&name.get()?, version);
    address.put(found.unwrap_or_default())?;
    match status {
        Some(status) => {
            status.put_if_any(i32::from(found.is_none()));
            Ok(())
        }
        None => found.map(drop).ok_or(Code::NOT_FOUND),
    }
}

export! {
    driver;

    fn cuGetErrorName(code: i32, name: Out<u64>) {
        let found = Code(code).driver_name();
        name.put(found.map_or(0, |text| text.as_ptr() as u64))?;
        found.map(drop).ok_or(Code::INVALID_VALUE)
    }

    fn cuGetErrorString(code: i32, description: Out<u64>) {
        let is_known = Code(code).driver_name().is_some();
        description.put(if is_known { Code(code).description().as_ptr() as u64 } else { 0 })?;
        is_known.then_some(()).ok_or(Code::INVALID_VALUE)
    }

    fn cuGetProcAddress(name: Text, address: Out<u64>, version: i32, flags: u64) {
        let _ = flags;
        find(name, version, &address, None)
    }

    fn cuGetProcAddress_v2(name: Text, address: Out<u64>, version: i32, flags: u64, status: Out<i32>) {
        let _ = flags;
        find(name, version, &address, Some(&status))
    }

    // Undocumented tables, which a statically linked runtime requests.
    fn cuGetExportTable(table: Out<u64>, id: Out<u8>) {
        let _ = id;
        table.put(0)?;
        crate::calls::with(|context| {
            let why = format!("the program is linked with its own runtime; build it with {}", crate::report::FLAGS);
            context.report.cannot_run("cuGetExportTable", &why);
            Err(Code::NOT_SUPPORTED)
        })
    }
}
