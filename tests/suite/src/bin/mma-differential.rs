//! Compares products of matrices on a GPU with the emulator's, bit by bit: every form that an sm_90a has and the
//! emulator executes, on random and adversarial tiles. Of `wgmma` it also compares the addresses that matrices are read
//! from by random descriptors. Without a GPU it compares the emulator with plain rules.

use std::{fs, path::PathBuf, process::ExitCode, time::Instant};

use clap::Parser;
use serde_json::json;
use tests::products::{Descriptors, Tally, Tiles, all, layouts};
use tma_host::{Device, Jobs};

/// Compare products of matrices, bit by bit.
#[derive(Parser)]
struct Arguments {
    /// The side that is compared: a `gpu` with the emulator, or the `emulator` with plain rules.
    #[arg(long, default_value = "gpu", value_parser = ["gpu", "emulator"])]
    device: String,
    /// Results of each form, and addresses of each layout, at least.
    #[arg(long, default_value_t = 1_000_000)]
    results: usize,
    /// The seed of the tiles.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only forms with this in their name.
    #[arg(long, default_value = "")]
    only: String,
    /// Run the forms, too, that the emulator refuses, on the GPU, and compare them with the plain rules.
    #[arg(long)]
    unsettled: bool,
    /// Write the table as JSON.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool, String> {
    let start = Instant::now();
    let gpu = match arguments.device.as_str() {
        "gpu" => Some(Device::gpu().map_err(|error| error.to_string())?),
        _ => None,
    };
    let name = gpu.as_ref().map_or("emulator", Device::name).to_owned();
    let mut jobs = gpu.map(Jobs::new);
    let (mut rows, mut all_results, mut all_differing) = (Vec::new(), 0, 0);
    for form in all() {
        let name = form.name();
        if !name.contains(&arguments.only) {
            continue;
        }
        let tiles = Tiles::new(&form, arguments.seed, arguments.results);
        let refusal = tiles.refusal();
        let tally = match (&mut jobs, &refusal) {
            (Some(jobs), None) => {
                let computed = tiles
                    .computed(jobs)
                    .map_err(|failure| format!("{name}: {failure}"))?;
                Some(tiles.compare(&tiles.emulated(), &computed))
            }
            (Some(jobs), Some(_)) if arguments.unsettled => {
                let computed = tiles
                    .computed(jobs)
                    .map_err(|failure| format!("{name}: {failure}"))?;
                tiles
                    .expected()
                    .map(|expected| tiles.compare(&expected, &computed))
            }
            (None, None) => tiles
                .expected()
                .map(|expected| tiles.compare(&tiles.emulated(), &expected)),
            _ => None,
        };
        let is_settled = refusal.is_none();
        let counted = tally.clone().unwrap_or_default();
        if is_settled {
            all_results += counted.results;
            all_differing += counted.differing;
        }
        println!("{}", line(&name, is_settled, tally.as_ref()));
        rows.push(row(&name, is_settled, &counted));
    }
    for layout in layouts() {
        let name = layout.name();
        if !name.contains(&arguments.only) {
            continue;
        }
        let descriptors = Descriptors::new(&layout, arguments.seed, arguments.results);
        let emulated = descriptors.emulated();
        let tally = match &mut jobs {
            Some(jobs) => {
                let computed = descriptors
                    .computed(jobs)
                    .map_err(|failure| format!("{name}: {failure}"))?;
                descriptors.compare(&emulated, &computed)
            }
            None => descriptors.compare(&emulated, &descriptors.expected()),
        };
        all_results += tally.results;
        all_differing += tally.differing;
        println!("{}", line(&name, true, Some(&tally)));
        rows.push(row(&name, true, &tally));
    }
    let seconds = start.elapsed().as_secs();
    println!("{all_results} results on {name} in {seconds} s, {all_differing} differ");
    if let Some(path) = &arguments.out {
        let table = json!({
            "device": name, "seed": arguments.seed, "results": all_results, "differing": all_differing, "forms": rows,
        });
        fs::write(path, format!("{table:#}\n"))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(all_results > 0 && all_differing == 0)
}

fn row(name: &str, is_settled: bool, tally: &Tally) -> serde_json::Value {
    json!({
        "form": name,
        "executed": is_settled,
        "results": tally.results,
        "differing": tally.differing,
        "first": tally.first,
    })
}

fn line(name: &str, is_settled: bool, tally: Option<&Tally>) -> String {
    let what = match (is_settled, tally) {
        (true, None) => "there are no plain rules for it".to_owned(),
        (false, None) => "refused by the emulator".to_owned(),
        (
            _,
            Some(Tally {
                results,
                differing: 0,
                ..
            }),
        ) => format!("{results} results equal"),
        (
            _,
            Some(Tally {
                results,
                differing,
                first,
            }),
        ) => {
            let first = first.as_deref().unwrap_or_default();
            format!("{differing} of {results} results differ, first {first}")
        }
    };
    let mark = if is_settled { "" } else { " (not settled)" };
    format!("{name:90} {what}{mark}")
}
