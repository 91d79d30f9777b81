use crate::{Launch, Ptx, Violations};

/// Arguments of a kernel whose launch is safe to run once checked.
///
/// # Safety
/// 1. A launch returned by [`launch`](Self::launch), of the kernel that the type belongs to, accesses only memory
///    of its job's buffers, whatever their contents, once [`check`](crate::check()) and
///    [`contents`](crate::check::contents) report no violations.
pub unsafe trait Checked {
    /// Checks the arguments and returns the launch.
    ///
    /// # Errors
    /// The arguments violate conditions of the kernel; the error lists all violations.
    fn launch(&self) -> Result<Launch, Violations>;
}

/// A PTX text with the kernels of a crate's [`Checked`] arguments.
#[derive(Clone, Copy, Debug)]
pub struct Kernels<'a> {
    ptx: Ptx<'a>,
}

impl<'a> Kernels<'a> {
    /// Wraps a text, which is not verified.
    ///
    /// # Safety
    /// 1. If a kernel of the text has the name of one with [`Checked`] arguments, it was compiled from that one.
    pub const unsafe fn new(ptx: Ptx<'a>) -> Self {
        Self { ptx }
    }

    /// Returns the PTX text of the kernels.
    pub const fn ptx(&self) -> Ptx<'a> {
        self.ptx
    }
}
