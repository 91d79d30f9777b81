//! The report of `--performance`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Display, Formatter},
    fs,
};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use tma_cli::emulate::{Emulation, Stopped};
use tma_emulator::{
    Config, Performance,
    performance::{
        ByPtxas, CopyCounts, FlightCounts, GlobalCounts, Line, Occupancy, PerformanceReport,
        ProductCounts, SharedCounts,
    },
};

use super::report::to_its_end;
use crate::assembled::Assembled;

/// The counts of a run.
pub(super) struct Counted {
    report: PerformanceReport,
    /// The reason why the numbers of registers and barriers are unknown.
    no_ptxas: Option<String>,
}

impl Counted {
    /// Runs the launches and counts their accesses. ptxas reports registers and barriers, if it is installed.
    pub(super) fn new(emulation: &Emulation, config: Config) -> Result<Self, Stopped> {
        let (by_ptxas, no_ptxas) = match by_ptxas(emulation) {
            Ok(by_ptxas) => (by_ptxas, None),
            Err(error) => (BTreeMap::new(), Some(format!("{error:#}"))),
        };
        let mut performance = Performance::default().with_ptxas(by_ptxas);
        emulation.observe(config, &mut performance)?;
        to_its_end("the run for the counts")?;
        Ok(Self {
            report: performance.finish(),
            no_ptxas,
        })
    }
}

impl Display for Counted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.report.fmt(f)?;
        match &self.no_ptxas {
            Some(reason) => writeln!(
                f,
                "  = note: registers and barriers are unknown and may allow fewer blocks: {reason}"
            ),
            None => Ok(()),
        }
    }
}

/// Returns the numbers of registers and barriers of each launched kernel, by module and kernel. ptxas assembles these
/// kernels alone, unless the module is for a debugger, which needs it whole.
fn by_ptxas(emulation: &Emulation) -> Result<BTreeMap<(String, String), ByPtxas>> {
    let file = emulation.file();
    let folder = tempfile::tempdir().context("cannot create a folder for ptxas")?;
    let path = folder.path().join("kernels.ptx");
    let mut all = BTreeMap::new();
    for (index, source) in emulation.sources().iter().enumerate() {
        let launches = file.launches().filter(|launch| launch.module == index);
        let launched: BTreeSet<&str> = launches.map(|launch| launch.entry.as_str()).collect();
        if launched.is_empty() {
            continue;
        }
        let module = source.module();
        let text = match module.target.names.iter().any(|name| *name == "debug") {
            true => source.text().to_owned(),
            false => module.extract_all(launched.iter().copied()).to_string(),
        };
        fs::write(&path, text).context("cannot write a file for ptxas")?;
        let assembled = Assembled::new(&path, file.arch())?;
        if let Assembled::Not(reason) = assembled {
            bail!(reason);
        }
        for kernel in launched {
            let resources = assembled.of(kernel);
            let resources =
                resources.with_context(|| format!("ptxas reports no registers of `{kernel}`"))?;
            let by_ptxas = ByPtxas {
                registers: resources.registers,
                barriers: resources.barriers,
            };
            all.insert((source.name().to_owned(), kernel.to_owned()), by_ptxas);
        }
    }
    Ok(all)
}

/// Returns the tables, each line with its place and its counts.
pub(super) fn to_json(counted: &Counted) -> Value {
    let report = &counted.report;
    json!({
        "shared": lines(&report.shared, |it: &SharedCounts| json!({
            "requests": it.requests,
            "wavefronts": it.wavefronts,
            "ideal": it.ideal,
            "ways": it.ways,
        })),
        "global": lines(&report.global, |it: &GlobalCounts| json!({
            "requests": it.requests,
            "sectors": it.sectors,
            "ideal": it.ideal,
            "l1_lines": it.lines,
        })),
        "copies": lines(&report.copies, |it: &CopyCounts| json!({
            "copies": it.copies,
            "stores": it.stores,
            "box_bytes": it.box_bytes,
            "inside_bytes": it.inside_bytes,
            "sector_bytes": it.sector_bytes,
            "row_bytes": it.row_bytes,
            "promotion_bytes": it.promotion_bytes,
            "promoted_bytes": it.promoted_bytes,
        })),
        "products": lines(&report.products, |it: &ProductCounts| json!({
            "waits": it.waits,
            "at_once": it.at_once,
        })),
        "in_flight": lines(&report.flights, |it: &FlightCounts| json!({
            "block_bytes": it.block_bytes,
            "resident_blocks": it.resident_blocks,
            "stages": it.stages,
            "filled": it.filled,
        })),
        "occupancy": report.occupancy.iter().map(|it: &Occupancy| json!({
            "kernel": it.kernel,
            "threads": it.threads,
            "shared_bytes": it.shared_bytes,
            "registers": it.by_ptxas.map(|it| it.registers),
            "barriers": it.by_ptxas.map(|it| it.barriers),
            "blocks": it.blocks(),
            "warps": it.warps(),
            "limited_by": it.limits(),
        })).collect::<Vec<_>>(),
        "registers_unknown": counted.no_ptxas,
    })
}

fn lines<T>(lines: &[Line<T>], counts: impl Fn(&T) -> Value) -> Vec<Value> {
    let line = |line: &Line<T>| {
        let location = &line.location;
        let source = location
            .source
            .as_ref()
            .map(|(file, line)| json!({ "file": file, "line": line }));
        let place = json!({
            "kernel": line.kernel,
            "instruction": line.opcode,
            "instructions": line.instructions,
            "file": location.file,
            "line": location.line,
            "column": location.column,
            "source": source,
        });
        let mut all = Map::new();
        for part in [place, counts(&line.counts)] {
            all.extend(part.as_object().cloned().unwrap_or_default());
        }
        Value::Object(all)
    };
    lines.iter().map(line).collect()
}
