//! A kernel of a module that was loaded.

use std::sync::Arc;

use tma_launch::{Dim3, Failure, Shape, Signature, Stage};

use super::Error;
use crate::{
    decode::{Image, decode, signature},
    inst::Code,
    machine::{MAX_CLUSTER_BYTES, Places, at_entry},
    run::ScheduleName,
};

/// A decoded kernel with its declarations.
#[derive(Debug)]
pub(crate) struct DecodedKernel {
    pub(crate) code: Code,
    pub(crate) signature: Signature,
}

impl DecodedKernel {
    /// Decodes a kernel of a module that has a name and a text.
    pub(super) fn decode(
        module: &ptx::Module,
        image: &Image,
        (name, text): (&str, &Arc<str>),
        entry: &ptx::Function,
    ) -> Result<Self, Failure> {
        let code = decode(module, image, name, text, entry.name.as_str());
        let mut code: Code =
            code.map_err(|unsupported| Error::Unsupported(unsupported).failure())?;
        code.program.registers_at_entry = at_entry(entry);
        let signature = signature(entry, &code.program);
        Ok(Self { code, signature })
    }

    /// Returns the digest of the text, for names of schedules.
    pub(crate) fn digest(&self) -> u32 {
        ScheduleName::digest(self.code.program.text())
    }

    /// Returns the number of blocks in a cluster, if there are clusters.
    pub(crate) fn cluster(&self, shape: &Shape) -> Option<[u32; 3]> {
        let cluster = self.signature.reqnctapercluster.or(shape.cluster);
        cluster.map(Dim3::to_array)
    }

    /// Checks that the emulator has enough memory for the launch's threads.
    pub(crate) fn has_room(&self, shape: &Shape) -> Result<(), Failure> {
        let places = Places::new(shape, self.cluster(shape));
        let bytes = places.least_bytes(&self.code.program);
        if bytes <= MAX_CLUSTER_BYTES {
            return Ok(());
        }
        let what = format!(
            "the threads of {} of `{}` have {bytes} bytes of registers and local memory; \
             the emulator has room for {MAX_CLUSTER_BYTES}",
            match places.is_cooperative {
                true => "a cooperative launch",
                false => "a cluster",
            },
            self.signature.entry
        );
        Err(Failure::new(Stage::Launch, what).error_name("CUDA_ERROR_OUT_OF_MEMORY"))
    }
}
