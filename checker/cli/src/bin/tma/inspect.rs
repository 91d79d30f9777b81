use std::{collections::BTreeMap, io::Write, path::PathBuf, sync::Arc};

use anyhow::Result;
use serde_json::{Value, json};
use tma_emulator::{Config, Session, Unsupported};
use tma_host::{Device, Dim3, GpuError, Module, Resources, Source};
use tma_launch::{Failure, Parameter, Signature};
use tma_project::{inspect, ptx};

use crate::{assembled::Assembled, wrong_input::OrWrongInput};

/// Shows the kernels of a PTX file with their parameters, bounds and resource use, and the instructions that the
/// emulator does not support
///
/// ptxas, if installed, reports the registers and memory; on a machine with a GPU the driver reports them too.
#[derive(clap::Args)]
pub(crate) struct Inspect {
    /// PTX file, or a kernel of the project in this folder
    #[arg(value_name = "FILE|KERNEL")]
    file: PathBuf,
    /// Show only this kernel
    #[arg(long)]
    entry: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten, next_help_heading = "Options for a kernel of the project")]
    kernel: inspect::Options,
}

impl Inspect {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        let gpu = ptx::of_project();
        if let Some(kernel) = self.file.to_str()
            && !self.file.exists()
            && kernel.chars().all(|c| c.is_alphanumeric() || c == '_')
            && gpu.join("Cargo.toml").is_file()
        {
            return inspect::show(kernel, &self.kernel, &gpu).map(drop);
        }
        let source = Source::read(&self.file).or_wrong_input()?;
        let kernels = match &self.entry {
            Some(entry) => vec![source.signature(entry)?.clone()],
            None => source.signatures().to_vec(),
        };
        let mut session = Session::new(Config::default());
        let parsed = Arc::clone(source.module());
        let module = session.load_parsed(source.name(), source.text(), parsed)?;
        // Facts from the text are printed even if the GPU rejects the file; the error follows.
        let (resources, note, refusal) = match compiled(&source, &kernels) {
            Ok(Compiled::With { gpu, resources }) => {
                (resources, format!("compiled for {gpu}"), None)
            }
            Ok(Compiled::WithoutGpu { reason }) => {
                (Vec::new(), format!("not compiled: {reason}"), None)
            }
            Err(error) => (Vec::new(), "not compiled".to_owned(), Some(error)),
        };
        let (assembled, refusal) = match Assembled::new(&self.file, source.target()) {
            Ok(assembled) => (assembled, refusal),
            Err(error) => (
                Assembled::Not("ptxas rejects it".to_owned()),
                refusal.or(Some(error.into())),
            ),
        };
        let resources = resources
            .into_iter()
            .map(Some)
            .chain(std::iter::repeat(None));
        let kernels = kernels
            .into_iter()
            .zip(resources)
            .map(|(kernel, resources)| {
                let unsupported = session.unsupported(module, &kernel.entry)?;
                Ok((kernel, resources, unsupported))
            });
        let kernels = kernels.collect::<Result<Vec<Kernel>, Failure>>()?;
        if self.json {
            writeln!(out, "{:#}", to_json(&source, &note, &kernels, &assembled))?;
        } else {
            print(out, &source, &note, &kernels, &assembled)?;
        }
        refusal.map_or(Ok(()), Err)
    }
}

enum Compiled {
    With {
        gpu: String,
        resources: Vec<Resources>,
    },
    WithoutGpu {
        reason: String,
    },
}

fn compiled(source: &Source, kernels: &[Signature]) -> Result<Compiled> {
    let gpu = match Device::gpu() {
        Ok(gpu) => gpu,
        Err(error @ GpuError::Broken(_)) => return Err(error.into()),
        Err(error) => {
            return Ok(Compiled::WithoutGpu {
                reason: error.to_string(),
            });
        }
    };
    let module = Module::load(&gpu, source.clone())?;
    let resources = |kernel: &Signature| module.function(&kernel.entry)?.resources();
    let resources = kernels.iter().map(resources).collect::<Result<_, _>>()?;
    let gpu = format!("{} ({})", gpu.name(), gpu.arch());
    Ok(Compiled::With { gpu, resources })
}

type Kernel = (Signature, Option<Resources>, Vec<Unsupported>);

/// Counts each unsupported instruction of the kernel, with the reason.
fn counted(unsupported: &[Unsupported]) -> BTreeMap<(&str, &str), usize> {
    let mut counts = BTreeMap::new();
    for item in unsupported {
        let key = (item.instruction.as_str(), item.reason.as_str());
        *counts.entry(key).or_default() += 1;
    }
    counts
}

fn print(
    out: &mut impl Write,
    source: &Source,
    note: &str,
    kernels: &[Kernel],
    assembled: &Assembled,
) -> Result<()> {
    let version = source.module().version;
    let (name, target) = (source.name(), source.target());
    writeln!(
        out,
        "{name}: PTX {}.{} for {target}; {note}",
        version.major, version.minor
    )?;
    for (kernel, resources, unsupported) in kernels {
        writeln!(out, "\n{}", kernel.entry)?;
        for parameter in &kernel.parameters {
            let map = if parameter.holds_tensor_map() {
                " (holds a tensor map)"
            } else {
                ""
            };
            writeln!(out, "  parameter            {parameter}{map}")?;
        }
        let bounds = [
            (".maxntid", kernel.maxntid),
            (".reqntid", kernel.reqntid),
            (".reqnctapercluster", kernel.reqnctapercluster),
        ];
        for (name, bound) in bounds {
            if let Some(bound) = bound {
                writeln!(out, "  {name:<20} {bound}")?;
            }
        }
        writeln!(
            out,
            "  static shared memory {} bytes",
            kernel.static_shared_bytes
        )?;
        if let Some(by_ptxas) = assembled.of(&kernel.entry) {
            let spills = by_ptxas.spill_store_bytes + by_ptxas.spill_load_bytes;
            writeln!(
                out,
                "  by ptxas             {} registers, {spills} bytes spilled, {} bytes of stack, {} bytes \
                 of shared memory",
                by_ptxas.registers, by_ptxas.stack_bytes, by_ptxas.shared_bytes
            )?;
        }
        if let Some(resources) = resources {
            let Resources {
                registers,
                local_bytes,
                shared_bytes,
                max_block_threads,
            } = resources;
            writeln!(out, "  registers            {registers}")?;
            writeln!(out, "  local memory         {local_bytes} bytes")?;
            writeln!(out, "  shared memory        {shared_bytes} bytes")?;
            writeln!(out, "  threads at most      {max_block_threads}")?;
        }
        for ((instruction, reason), count) in counted(unsupported) {
            let times = match count {
                1 => String::new(),
                count => format!(", {count} times"),
            };
            writeln!(
                out,
                "  not emulated         `{instruction}`{times}: {reason}"
            )?;
        }
    }
    if let Assembled::Not(reason) = assembled {
        writeln!(out, "\nregisters and spills are unknown: {reason}")?;
    }
    Ok(())
}

fn to_json(source: &Source, note: &str, kernels: &[Kernel], assembled: &Assembled) -> Value {
    let version = source.module().version;
    json!({
        "file": source.name(),
        "version": format!("{}.{}", version.major, version.minor),
        "target": source.target(),
        "note": note,
        "not_assembled": match assembled {
            Assembled::Kernels(_) => None,
            Assembled::Not(reason) => Some(reason),
        },
        "entries": kernels
            .iter()
            .map(|kernel| kernel_to_json(kernel, assembled))
            .collect::<Vec<_>>(),
    })
}

fn kernel_to_json((kernel, resources, unsupported): &Kernel, assembled: &Assembled) -> Value {
    let dims = |dims: Option<Dim3>| dims.map(Dim3::to_array);
    json!({
        "name": kernel.entry,
        "parameters": kernel.parameters.iter().map(parameter_to_json).collect::<Vec<_>>(),
        "maxntid": dims(kernel.maxntid),
        "reqntid": dims(kernel.reqntid),
        "reqnctapercluster": dims(kernel.reqnctapercluster),
        "static_shared_bytes": kernel.static_shared_bytes,
        "assembled": assembled.of(&kernel.entry).map(|resources| json!({
            "registers": resources.registers,
            "spill_store_bytes": resources.spill_store_bytes,
            "spill_load_bytes": resources.spill_load_bytes,
            "stack_bytes": resources.stack_bytes,
            "shared_bytes": resources.shared_bytes,
        })),
        "compiled": resources.map(|resources| json!({
            "registers": resources.registers,
            "local_bytes": resources.local_bytes,
            "shared_bytes": resources.shared_bytes,
            "max_block_threads": resources.max_block_threads,
        })),
        "not_emulated": counted(unsupported)
            .into_iter()
            .map(|((instruction, reason), count)| json!({
                "instruction": instruction, "reason": reason, "count": count,
            }))
            .collect::<Vec<_>>(),
    })
}

fn parameter_to_json(parameter: &Parameter) -> Value {
    json!({
        "name": parameter.name,
        "size_bytes": parameter.size_bytes,
        "align_bytes": parameter.align_bytes,
        "holds_tensor_map": parameter.holds_tensor_map(),
    })
}
