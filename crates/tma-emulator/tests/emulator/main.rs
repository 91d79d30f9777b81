//! Kernels in PTX on the emulator: results of instructions, events of observers, and robustness.

mod common;

mod arithmetic;
mod async_stores;
mod base_ptx;
mod blackwell_copies;
mod called;
mod check_async;
mod control;
mod cooperative;
mod copies;
mod fixtures;
mod forms;
mod later_copies;
mod launch_control;
mod map_scopes;
mod mbarrier_ends;
mod observer;
mod observer_async;
mod overlap;
mod performance;
mod protocol;
mod reductions;
mod remote_readers;
mod reserved_shared;
mod residents;
mod robustness;
mod rounding;
mod same_under_every_seed;
mod session;
mod surfaces;
mod tensor;
mod tensormaps;
mod textures;
mod trace;
mod unwaited;
