use std::{fs, io::Write, path::PathBuf};

use anyhow::{Context, Result};
use tma_build::{Arch, Assemble, Error, FinishOptions, PtxIsa, finish_ptx};
use tma_host::Source;

use crate::wrong_input::OrWrongInput;

/// Finishes PTX of any compiler: the markers of `#[tma::kernel]` become directives, tensor map parameters are aligned,
/// `.target` and `.version` name the architecture, debug sections are dropped; lints and ptxas check the result
#[derive(clap::Args)]
pub(crate) struct Finish {
    /// The PTX file, such as rust-cuda's or nvcc's
    file: PathBuf,
    /// The architecture, which may differ from the file's
    #[arg(long)]
    arch: Arch,
    /// The file to write
    #[arg(long, short)]
    output: PathBuf,
    /// The PTX ISA version, such as 8.6 [default: the lowest that has the architecture and every instruction]
    #[arg(long, value_name = "VERSION", value_parser = ptx_isa)]
    ptx_isa: Option<PtxIsa>,
    /// When ptxas checks the result
    #[arg(long, value_enum, default_value = "if-found", value_name = "WHEN")]
    ptxas: When,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum When {
    IfFound,
    Always,
    Never,
}

impl Finish {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        let source = Source::read(&self.file).or_wrong_input()?;
        let assemble = match self.ptxas {
            When::IfFound => Assemble::IfFound,
            When::Always => Assemble::Always,
            When::Never => Assemble::Never,
        };
        let mut options = FinishOptions::new(self.arch).assemble(assemble);
        if let Some(isa) = self.ptx_isa {
            options = options.ptx_isa(isa);
        }
        let file = self.file.display().to_string();
        let finished = match finish_ptx(&file, source.text(), options) {
            Err(error @ Error::Finish { .. }) => return Err(error).or_wrong_input(),
            result => result?,
        };
        for warning in &finished.warnings {
            eprintln!("warning: {}", tma_launch::escape_text(warning));
        }
        fs::write(&self.output, &finished.text)
            .with_context(|| format!("cannot write {}", self.output.display()))
            .or_wrong_input()?;
        let markers = finished.markers.len();
        writeln!(
            out,
            "{}: finished for {}, {markers} kernels with markers",
            self.output.display(),
            self.arch
        )?;
        let Some(kernels) = finished.resources else {
            writeln!(out, "not assembled")?;
            return Ok(());
        };
        for (name, kernel) in kernels {
            let spilled = kernel.spill_store_bytes + kernel.spill_load_bytes;
            writeln!(
                out,
                "  {name}: {} registers, {spilled} bytes of spills, {} bytes of stack, {} bytes of shared memory",
                kernel.registers, kernel.stack_bytes, kernel.shared_bytes
            )?;
        }
        Ok(())
    }
}

fn ptx_isa(text: &str) -> Result<PtxIsa, String> {
    let numbers = text.split_once('.');
    let version = numbers
        .and_then(|(major, minor)| Some(PtxIsa::new(major.parse().ok()?, minor.parse().ok()?)));
    version.ok_or_else(|| format!("PTX ISA version `{text}` must be two numbers; use 8.6"))
}
