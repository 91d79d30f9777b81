//! Prints every instruction form with its wrapper, and where it was executed.

use std::{error::Error, path::Path};

use clap::Parser;
use serde_json::json;
use tests::{matrix::SupportMatrix, semantics::results::Results};

/// Print every instruction form with its wrapper, and where it was executed
#[derive(Parser)]
struct Arguments {
    /// Only the forms of this family, such as `cp_async_bulk_tensor`
    #[arg(value_parser = ptx_isa::FAMILIES.iter().map(|family| family.stem).collect::<Vec<_>>())]
    family: Option<String>,
    /// Print a JSON object a line
    #[arg(long)]
    json: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/semantics");
    let results = Results::of_folder(&folder)?;
    let matrix = SupportMatrix::new(&results).map_err(|wrong| wrong.join("\n"))?;
    if !arguments.json {
        println!("*: the wrapper emits another spelling of the instruction\n");
        println!("| PTX | ISA | targets | wrapper | emulator | GPU |");
        println!("| --- | --- | --- | --- | --- | --- |");
    }
    for row in matrix.rows(arguments.family.as_deref()) {
        match arguments.json {
            true => println!(
                "{}",
                json!({
                    "family": row.family, "form": row.form, "isa": row.isa, "targets": row.targets,
                    "wrapper": row.wrapper, "spelled": row.spelled, "emulator": row.emulator, "gpu": row.gpu,
                })
            ),
            false => println!(
                "| `{}` | {} | {} | {} | {} | {} |",
                row.form.replace('|', "\\|"),
                row.isa,
                row.targets,
                row.wrapper.map_or(String::new(), |wrapper| {
                    format!(
                        "`{wrapper}`{}",
                        if row.spelled.is_some() { " *" } else { "" }
                    )
                }),
                row.emulator,
                row.gpu
            ),
        }
    }
    Ok(())
}
