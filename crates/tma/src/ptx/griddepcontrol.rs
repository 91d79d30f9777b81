//! `griddepcontrol`, kernels that follow each other without waiting for the end.
//! PTX ISA 9.7.13.13.

device_fn! {
    /// `griddepcontrol.wait;`
    ///
    /// Waits for the kernels that this one depends on; their writes are visible.
    isa "7.8" on sm_90;
    #[doc(alias = "griddepcontrol_wait")]
    #[doc(alias = "cudaGridDependencySynchronize")]
    pub fn wait() {
        // SAFETY: the instruction orders kernels of a stream and accesses no memory.
        unsafe { crate::ptx::intrinsics::griddepcontrol_wait() }
    }

    /// `griddepcontrol.launch_dependents;`
    ///
    /// Lets the kernels that depend on this one start as soon as every block has called this or has ended.
    isa "7.8" on sm_90;
    #[doc(alias = "griddepcontrol_launch_dependents")]
    #[doc(alias = "cudaTriggerProgrammaticLaunchCompletion")]
    pub fn launch_dependents() {
        // SAFETY: the instruction orders kernels of a stream and accesses no memory.
        unsafe { crate::ptx::intrinsics::griddepcontrol_launch_dependents() }
    }
}
