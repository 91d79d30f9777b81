//! The record that a panicking kernel writes.

use tma_launch::Panic;

use crate::{
    decode::Image,
    machine::{Fault, Memory, Trap},
};

/// Allocates a record for the module's panic handler, if it has one, and returns its address.
pub(crate) fn place_record(memory: &mut Memory, image: &Image) -> Option<u64> {
    let variable = image
        .globals
        .iter()
        .find(|global| Panic::is_variable(&global.name))?;
    let record = memory.allocate("panic record", vec![0; Panic::RECORD_BYTES]);
    let address = memory.slice(variable.address, size_of::<u64>()).ok()?;
    address.copy_from_slice(&record.to_le_bytes());
    Some(record)
}

/// Adds the panic message and source location of the thread that trapped, and clears the record.
pub(crate) fn explain(
    mut fault: Box<Fault>,
    memory: &mut Memory,
    record: Option<u64>,
) -> Box<Fault> {
    let panic = record
        .filter(|_| fault.trap == Trap::LaunchFailed)
        .and_then(|record| {
            let bytes = memory.slice(record, Panic::RECORD_BYTES).ok()?;
            let panic = Panic::from_record(bytes);
            bytes.fill(0);
            panic
        });
    if let (Some(panic), Some(at)) = (panic, &mut fault.at) {
        at.location.source = Some((panic.file, panic.line));
        (at.block, at.thread) = (panic.block, panic.thread);
        fault.what = panic.message;
        fault.trap = Trap::Panicked;
    }
    fault
}
