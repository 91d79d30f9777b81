//! The driver symbols that `cust` 0.3.2 refers to, each passed on to the driver at run time.
//!
//! The files follow the chapters of the driver API manual, and the names and signatures match
//! `cust_raw`. A call without a driver returns `CUDA_ERROR_STUB_LIBRARY` (34), and a call that the
//! driver lacks returns `CUDA_ERROR_NOT_FOUND` (500). Codes newer than CUDA 11.4 become `CUDA_ERROR_UNKNOWN` (999),
//! since `cust_raw`'s enumeration cannot hold them. `cust` itself turns 34 into 999, so without a driver
//! [`cuGetErrorString`] returns the reason for the missing driver for 999.
//!
//! # Safety
//!
//! For every function here:
//!
//! 1. Each pointer argument is null where the driver's manual allows null, and otherwise valid for the reads and
//!    writes described in the manual, for as long as described there.
//! 2. Each handle came from this driver and is still alive, and each device address is in memory that the manual
//!    lets the function use.
//! 3. The manual's conditions on the current context and on concurrent calls are met.

mod context;
mod copy;
mod device;
mod error;
mod event;
mod external;
mod graph;
mod initialization;
mod launch;
mod memory;
mod module;
mod occupancy;
mod stream;
mod surface;
mod texture;

pub use self::{
    context::*, copy::*, device::*, error::*, event::*, external::*, graph::*, initialization::*,
    launch::*, memory::*, module::*, occupancy::*, stream::*, surface::*, texture::*,
};

/// Returns the names of all symbols defined here, in the order of the files.
pub fn names() -> impl Iterator<Item = &'static str> {
    let chapters = [
        context::NAMES,
        copy::NAMES,
        device::NAMES,
        error::NAMES,
        event::NAMES,
        external::NAMES,
        graph::NAMES,
        initialization::NAMES,
        launch::NAMES,
        memory::NAMES,
        module::NAMES,
        occupancy::NAMES,
        stream::NAMES,
        surface::NAMES,
        texture::NAMES,
    ];
    chapters.into_iter().flatten().copied()
}
