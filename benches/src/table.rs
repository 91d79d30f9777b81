//! The report's tables as text.

use crate::{
    compiled::{Code, Compiled},
    latency::Latency,
    limit::{Limit, Rates, Resource},
    machine::Machine,
    measure::{Row, Times},
};

/// Formats columns of minimal width: the first left-aligned, the others right-aligned.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            match index {
                0 => line += &format!("{cell:<width$}"),
                _ => line += &format!("  {cell:>width$}"),
            }
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Describes the machine.
pub(crate) fn machine(machine: &Machine) -> String {
    let mut text = format!(
        "{} ({}), {} multiprocessors, {} MiB L2, driver {}, {}\n\
         SM clock {:.0} MHz (measured {:.0}), memory {:.0} MHz x {} bits: at most {:.0} GB/s",
        machine.name,
        machine.arch,
        machine.multiprocessors,
        machine.l2_bytes >> 20,
        machine.driver,
        machine.date,
        machine.sm_clock_mhz,
        machine.measured_sm_clock_mhz,
        machine.memory_clock_mhz,
        machine.memory_bus_bits,
        machine.memory_limit_gb_s,
    );
    if let Some(commit) = &machine.commit {
        text += &format!("\ncommit {commit}");
    }
    if let Some(smi) = &machine.nvidia_smi {
        text += &format!(
            "\nnvidia-smi: SM {} MHz, memory {} MHz, {} of {} W, {} C, ECC {}, reasons {}",
            smi.sm_clock_mhz,
            smi.memory_clock_mhz,
            smi.power_w,
            smi.power_limit_w,
            smi.temperature_c,
            smi.ecc,
            smi.clock_reasons,
        );
    }
    text
}

/// Formats the rates that the limits of rows are computed from.
pub(crate) fn rates(rates: &Rates) -> String {
    format!(
        "limits: memory {:.0} GB/s, L2 {:.0} GB/s (measured), {} multiprocessors at {:.0} MHz (measured), \
         a launch {:.1} us (measured)",
        rates.memory_bytes / 1e9,
        rates.l2_bytes / 1e9,
        rates.multiprocessors,
        rates.sm_clock_hz / 1e6,
        1e6 * rates.launch_seconds,
    )
}

/// Formats the minimum microseconds of each row by resource; the longest is its limit.
pub(crate) fn needs(rows: &[Row], rates: &Rates) -> String {
    let resources = [
        Resource::Memory,
        Resource::L2,
        Resource::SharedMemory,
        Resource::IssueSlots,
        Resource::Fma,
        Resource::TensorPipe,
        Resource::LaunchLatency,
    ];
    let mut head = vec!["at least, us".to_owned()];
    head.extend(resources.map(|resource| resource.to_string()));
    let mut table = vec![head];
    for row in rows {
        let blocks = row.grid.iter().map(|side| u64::from(*side)).product();
        let times = row.needs.times(rates, blocks);
        let cell = |resource: Resource| {
            let of_it = |time: &&Limit| time.resource == resource;
            let time = times.iter().find(of_it);
            time.map_or("-".to_owned(), |time| format!("{:.1}", 1e6 * time.seconds))
        };
        let mut cells = vec![row.name()];
        cells.extend(resources.map(cell));
        table.push(cells);
    }
    columns(&table)
}

/// Formats medians, and their ratios.
pub(crate) fn times(rows: &[Row]) -> String {
    let head = [
        "kernel", "us", "+-%", "GB/s", "of limit", "limit", "cuda us", "+-%", "of cuda", "ref us",
        "of ref", "goal", "",
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    let or_dash = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
    for row in rows {
        let microseconds = |times: &Times| format!("{:.1}", 1e3 * times.milliseconds.median);
        let spread = |times: &Times| format!("{:.1}", 50.0 * times.milliseconds.relative());
        table.push(vec![
            row.name(),
            microseconds(&row.rust),
            spread(&row.rust),
            format!("{:.0}", row.rust.gb_s),
            format!("{:.1} %", 100.0 * row.of_limit),
            row.limit.resource.to_string(),
            or_dash(row.cuda.as_ref().map(microseconds)),
            or_dash(row.cuda.as_ref().map(spread)),
            or_dash(row.of_cuda.map(|ratio| format!("{ratio:.3}"))),
            or_dash(row.reference.as_ref().map(microseconds)),
            or_dash(row.of_reference.map(|ratio| format!("{ratio:.3}"))),
            or_dash(row.goal.map(|goal| format!("{goal:.2}"))),
            if row.short().is_empty() {
                "ok"
            } else {
                "SHORT"
            }
            .to_owned(),
        ]);
    }
    let mut text = columns(&table);
    for row in rows.iter().filter(|row| row.boxes.is_some()) {
        let rate = |times: &Times| row.boxes.unwrap_or(0) as f64 / times.milliseconds.median / 1e6;
        text += &format!("\n{}: {:.2} G boxes/s", row.name(), rate(&row.rust));
        if let Some(cuda) = &row.cuda {
            text += &format!(", its CUDA version {:.2}", rate(cuda));
        }
        if let Some(reference) = &row.reference {
            text += &format!(", {} {:.2}", row.reference_is, rate(reference));
        }
    }
    for row in rows {
        let Some(operations) = row.operations else {
            continue;
        };
        let rate = |times: &Times| operations as f64 / times.milliseconds.median / 1e9;
        text += &format!("\n{}: {:.0} TFLOP/s", row.name(), rate(&row.rust));
        if let Some(cuda) = &row.cuda {
            text += &format!(", its CUDA version {:.0}", rate(cuda));
        }
    }
    for row in rows {
        for short in row.short() {
            text += &format!("\nshort: {}: {short}", row.name());
        }
    }
    text
}

/// Formats cycles of the kernels and of their CUDA versions.
pub(crate) fn latencies(rows: &[Latency]) -> String {
    let head = [
        "one after another",
        "cycles",
        "least",
        "cuda",
        "least",
        "of cuda",
        "",
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for row in rows {
        let cell = |number: Option<f64>, digits: usize| {
            number.map_or("-".to_owned(), |number| format!("{number:.digits$}"))
        };
        table.push(vec![
            row.name.clone(),
            cell(Some(row.rust.median), 1),
            cell(Some(row.rust.least), 1),
            cell(row.cuda.map(|cuda| cuda.median), 1),
            cell(row.cuda.map(|cuda| cuda.least), 1),
            cell(row.of_cuda(), 3),
            if row.is_reached() { "ok" } else { "SHORT" }.to_owned(),
        ]);
    }
    let mut text = columns(&table);
    for short in rows.iter().filter_map(Latency::short) {
        text += &format!("\nshort: {short}");
    }
    text
}

/// Formats the launch of each row, and the digest of its kernel.
pub(crate) fn launches(rows: &[Row]) -> String {
    let head = [
        "launch",
        "entry",
        "grid",
        "threads",
        "shared",
        "digest of the PTX",
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    table.extend(rows.iter().map(|row| {
        let grid = row.grid.map(|side| side.to_string()).join("x");
        vec![
            row.name(),
            row.entry.clone(),
            grid,
            row.threads.to_string(),
            row.shared_bytes.to_string(),
            row.ran.clone(),
        ]
    }));
    columns(&table)
}

/// Formats the compilers' results for the entries in this order.
pub(crate) fn compiled<'a>(compiled: &Compiled, entries: impl Iterator<Item = &'a str>) -> String {
    let head = [
        "entry (Rust / CUDA)",
        "registers",
        "spills",
        "shared",
        "instructions",
        "copies",
        "loops",
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    let mut seen = Vec::new();
    for entry in entries {
        if seen.contains(&entry) {
            continue;
        }
        seen.push(entry);
        let (ours, cuda) = (compiled.kernels.get(entry), compiled.cuda.get(entry));
        let both = |get: fn(&Code) -> u32| {
            let cell =
                |code: Option<&Code>| code.map_or("-".to_owned(), |code| get(code).to_string());
            format!("{} / {}", cell(ours), cell(cuda))
        };
        table.push(vec![
            entry.to_owned(),
            both(|code| code.registers),
            both(|code| code.spill_bytes + code.stack_bytes),
            both(|code| code.shared_bytes),
            both(|code| code.instructions),
            both(|code| code.copies),
            both(|code| code.loops),
        ]);
    }
    format!(
        "For {}, by ptxas {}; rustc {}, nvcc {}:\n{}",
        compiled.arch,
        compiled.ptxas,
        compiled.rustc,
        compiled.nvcc,
        columns(&table)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Spread;

    #[test]
    fn columns_line_up() {
        let rows = [["kernel", "us"], ["a", "7.0"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows), "kernel   us\na       7.0");
    }
    #[test]
    fn a_latency_that_falls_short_is_followed_by_the_reason() {
        let row = |cycles| Latency {
            name: "box_latency".to_owned(),
            rust: Spread::of(&[cycles]),
            cuda: Some(Spread::of(&[100.0])),
        };
        let text = latencies(&[row(105.0)]);
        assert!(text.ends_with("ok"), "{text}");
        let text = latencies(&[row(106.0)]);
        let reason = "short: box_latency: 1.060 of its CUDA version's cycles, 1.05 allowed";
        assert!(text.contains("SHORT\n") && text.ends_with(reason), "{text}");
    }
}
