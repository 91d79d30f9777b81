//! The PTX of the measured kernels.

use anyhow::{Context, Result};
use tests_records::plain::entry_digest;
use tma_host::{Capability, Device, Module, Source};

/// The version of rustc that compiled the kernels.
pub(crate) const DEVICE_COMPILER: &str = env!("DEVICE_COMPILER");
/// The version of nvcc that compiled the CUDA kernels; empty if there was none.
pub(crate) const NVCC: &str = env!("NVCC");

/// PTX for one architecture.
#[derive(Clone, Copy)]
pub(crate) struct Built {
    pub(crate) arch: &'static str,
    pub(crate) kernels: &'static str,
    pub(crate) helpers: &'static str,
    /// The CUDA kernels; `None` without nvcc.
    pub(crate) cuda: Option<&'static str>,
}

include!(concat!(env!("OUT_DIR"), "/built.rs"));

/// Returns the module with only the selected entries.
pub(crate) fn entries(text: &str, is_wanted: fn(&str) -> bool) -> Result<String> {
    let module = ptx::parse(text)?;
    let entries = module.entries().map(|entry| entry.name.as_str());
    let entries = entries.filter(|name| is_wanted(name));
    Ok(module.extract_all(entries).to_string())
}

/// Modules on the GPU.
pub(crate) struct Modules {
    pub(crate) kernels: Module,
    pub(crate) helpers: Module,
    pub(crate) cuda: Option<Module>,
}

impl Built {
    /// Returns the modules that run on a GPU of this capability.
    pub(crate) fn for_capability(capability: Capability) -> Result<&'static Self> {
        let runs = |built: &&Self| capability.runs(built.arch) == Some(true);
        let archs: Vec<&str> = BUILT.iter().map(|built| built.arch).collect();
        BUILT.iter().find(runs).with_context(|| {
            format!(
                "this program has kernels for {}, but none for compute capability {capability}",
                archs.join(", ")
            )
        })
    }

    /// Returns the digest of a kernel's PTX, for its record.
    pub(crate) fn digest(kernels: &ptx::Module, entry: &str) -> Result<String> {
        let digest = entry_digest(kernels, entry);
        let digest = digest.with_context(|| format!("the module has no kernel `{entry}`"))?;
        Ok(digest.to_string())
    }

    /// Returns the modules with only the selected entries, which the driver compiles faster.
    pub(crate) fn only(&self, is_wanted: fn(&str) -> bool) -> Result<Self> {
        let only = |text: &str| -> Result<&'static str> { Ok(entries(text, is_wanted)?.leak()) };
        Ok(Self {
            kernels: only(self.kernels)?,
            cuda: self.cuda.map(only).transpose()?,
            ..*self
        })
    }

    /// Compiles the modules with the driver, with the same options.
    pub(crate) fn load(&self, gpu: &Device) -> Result<Modules> {
        let load = |name: &str, text| {
            let source = Source::parse(&format!("{name} for {}", self.arch), text)?;
            Module::load(gpu, source)
        };
        Ok(Modules {
            kernels: load("the kernels", self.kernels)?,
            helpers: load("the helpers", self.helpers)?,
            cuda: self
                .cuda
                .map(|text| load("the CUDA kernels", text))
                .transpose()?,
        })
    }
}
