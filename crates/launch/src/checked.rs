use crate::{Launch, Ptx, Violations};

/// Arguments of a kernel that make a launch which is safe to run.
///
/// # Safety
/// 1. A launch that [`launch`](Self::launch) gives, of the kernel that the type is for, accesses only memory
///    of its job's buffers, whatever they hold, once [`check`](crate::check()) and
///    [`contents`](crate::check::contents) have nothing against it.
pub unsafe trait Checked {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    fn launch(&self) -> Result<Launch, Violations>;
}

/// A text with the kernels that the [`Checked`] arguments of a crate are for.
#[derive(Clone, Copy, Debug)]
pub struct Kernels<'a> {
    ptx: Ptx<'a>,
}

impl<'a> Kernels<'a> {
    /// Takes the text's word for it.
    ///
    /// # Safety
    /// 1. A kernel of the text that has the name of one which [`Checked`] arguments are for was compiled
    ///    from that one.
    pub const unsafe fn new(ptx: Ptx<'a>) -> Self {
        Self { ptx }
    }

    /// The text.
    pub const fn ptx(&self) -> Ptx<'a> {
        self.ptx
    }
}
