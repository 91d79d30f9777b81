//! The report of `--performance` as JSON.

use serde_json::{Map, Value, json};
use tma_emulator::performance::{
    CopyCounts, FlightCounts, GlobalCounts, Line, PerformanceReport, ProductCounts, SharedCounts,
};

/// Returns the tables, each line with its place and its counts.
pub(super) fn to_json(report: &PerformanceReport) -> Value {
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
