//! `griddepcontrol`, kernels that follow each other without waiting for the end.
//! PTX ISA 9.7.13.13.

device_fn! {
    /// `griddepcontrol.wait;`
    ///
    /// Waits for the kernels that this one depends on; their writes are visible.
    isa "7.8" on sm_90;
    /// # Safety
    /// 1. None: it only waits.
    #[doc(alias = "griddepcontrol_wait")]
    #[doc(alias = "cudaGridDependencySynchronize")]
    pub unsafe fn wait() {
        // SAFETY: (1).
        unsafe { crate::intrinsics::griddepcontrol_wait() }
    }

    /// `griddepcontrol.launch_dependents;`
    ///
    /// Lets the kernels that depend on this one start as soon as every block has said so or has ended.
    isa "7.8" on sm_90;
    /// # Safety
    /// 1. None: who depends on this kernel's writes waits for its end.
    #[doc(alias = "griddepcontrol_launch_dependents")]
    #[doc(alias = "cudaTriggerProgrammaticLaunchCompletion")]
    pub unsafe fn launch_dependents() {
        // SAFETY: (1).
        unsafe { crate::intrinsics::griddepcontrol_launch_dependents() }
    }
}
