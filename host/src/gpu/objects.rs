//! The driver's objects that a GPU has: contexts, streams, events and allocations. They are `cust`'s with the feature
//! `cust`, and otherwise the driver's own.

#[cfg(feature = "cust")]
pub(crate) mod by_cust;
#[cfg(not(feature = "cust"))]
mod by_driver;

#[cfg(feature = "cust")]
pub(crate) use by_cust::{Allocation, GpuContext, GpuEvent, GpuStream};
#[cfg(not(feature = "cust"))]
pub(crate) use by_driver::{Allocation, GpuContext, GpuEvent, GpuStream};
