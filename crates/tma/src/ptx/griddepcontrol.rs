//! `griddepcontrol`, kernels that follow each other without waiting for the end.
//! PTX ISA 9.7.13.13.

/// `griddepcontrol.wait;`
///
/// Waits for the kernels that this one depends on; their writes are visible.
#[doc(alias = "griddepcontrol_wait")]
#[doc(alias = "cudaGridDependencySynchronize")]
#[device_fn(isa = "7.8", arch = sm_90)]
pub fn wait() {
    // SAFETY: the instruction orders kernels of a stream and accesses no memory.
    unsafe { crate::ptx::intrinsics::griddepcontrol_wait() }
}

/// `griddepcontrol.launch_dependents;`
///
/// Lets the kernels that depend on this one start as soon as every block has called this or has ended.
#[doc(alias = "griddepcontrol_launch_dependents")]
#[doc(alias = "cudaTriggerProgrammaticLaunchCompletion")]
#[device_fn(isa = "7.8", arch = sm_90)]
pub fn launch_dependents() {
    // SAFETY: the instruction orders kernels of a stream and accesses no memory.
    unsafe { crate::ptx::intrinsics::griddepcontrol_launch_dependents() }
}
