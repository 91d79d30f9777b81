//! Writes all measurements to files.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::{
    chart,
    compiled::Compiled,
    latency::{self, Latency},
    limit::Rates,
    machine::Machine,
    measure::Row,
    smi::Smi,
    statistics::Spread,
    table,
};

/// The results of one run of the program.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    /// The rates that the limits of rows are computed from.
    pub(crate) rates: Rates,
    /// Number of timed runs of each row.
    pub(crate) runs: usize,
    /// Reasons why the figures may be less meaningful than they seem.
    pub(crate) notes: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) latencies: Vec<Latency>,
    pub(crate) failures: Vec<String>,
    /// Time of the driver's copies at the end, in milliseconds.
    pub(crate) copies_at_the_end: Spread,
    pub(crate) after: Option<Smi>,
    pub(crate) compiled: Option<Compiled>,
}

impl Report {
    pub(crate) fn text(&self) -> String {
        let mut text = format!("\n{}\n", table::times(&self.rows));
        text += &format!("\n{}\n", table::needs(&self.rows, &self.rates));
        if !self.latencies.is_empty() {
            text += &format!("\n{}\n", table::latencies(&self.latencies));
        }
        text += &format!("\n{}\n", table::launches(&self.rows));
        if let Some(compiled) = &self.compiled {
            let rows = self.rows.iter().map(|row| row.entry.as_str());
            let entries = rows.chain(latency::NAMES.iter().copied());
            text += &format!("\n{}\n", table::compiled(compiled, entries));
        }
        text += "\nRegisters, local and static shared bytes as this driver compiled them, and blocks that a \
                 multiprocessor runs at once (Rust; CUDA):\n";
        for row in &self.rows {
            let resources = |times: &crate::measure::Times| {
                format!(
                    "{} {} {}, {}",
                    times.registers.unwrap_or(0),
                    times.local_bytes.unwrap_or(0),
                    times.static_shared_bytes.unwrap_or(0),
                    times.blocks_at_once.unwrap_or(0)
                )
            };
            let cuda = row.cuda.as_ref().map(resources).unwrap_or_default();
            text += &format!("{}: {}; {cuda}\n", row.name(), resources(&row.rust));
        }
        text += &format!(
            "\nThe driver's copy at the end: {:.1} us, +-{:.1} %\n",
            1e3 * self.copies_at_the_end.median,
            50.0 * self.copies_at_the_end.relative()
        );
        for note in &self.notes {
            text += &format!("note: {note}\n");
        }
        for failure in &self.failures {
            text += &format!("FAIL {failure}\n");
        }
        text
    }

    /// Returns whether every goal is reached.
    pub(crate) fn reaches_all(&self) -> bool {
        self.rows.iter().all(|row| row.short().is_empty())
            && self.latencies.iter().all(Latency::is_reached)
    }

    /// Writes `bench.json`, `bench.txt` and `bench.svg`.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        write(folder, "bench.json", &serde_json::to_string_pretty(self)?)?;
        let text = format!(
            "{}\n{}\n{}",
            table::machine(&self.machine),
            table::rates(&self.rates),
            self.text()
        );
        write(folder, "bench.txt", &text)?;
        write(folder, "bench.svg", &chart::svg(&self.rows, &self.machine))
    }
}

/// Formats the best settings of each kernel; the rows are sorted.
pub(crate) fn sweep(rows: &[Row], most: usize) -> String {
    let head = ["setting", "us", "GB/s", "entry", "digest of the PTX"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    let mut last = ("", 0);
    for row in rows {
        last = if last.0 == row.kernel {
            (row.kernel, last.1 + 1)
        } else {
            (row.kernel, 1)
        };
        if last.1 <= most {
            let microseconds = 1e3 * row.rust.milliseconds.median;
            lines.push(vec![
                row.name(),
                format!("{microseconds:.1}"),
                format!("{:.0}", row.rust.gb_s),
                row.entry.clone(),
                row.ran.clone(),
            ]);
        }
    }
    table::columns(&lines)
}

/// Formats all settings.
pub(crate) fn tsv(rows: &[Row]) -> String {
    let mut text =
        String::from("kernel\tsetting\tentry\tblocks\tthreads\tshared_bytes\tus\tGB/s\n");
    for row in rows {
        let blocks: u64 = row.grid.iter().map(|dim| u64::from(*dim)).product();
        text += &format!(
            "{}\t{}\t{}\t{blocks}\t{}\t{}\t{:.1}\t{:.1}\n",
            row.kernel,
            row.variant,
            row.entry,
            row.threads,
            row.shared_bytes,
            1e3 * row.rust.milliseconds.median,
            row.rust.gb_s
        );
    }
    text
}

/// Writes one file.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(name);
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}
