//! Draws a bar for each row, relative to its own limit.

use std::fmt::Write;

use crate::{machine::Machine, measure::Row};

const LEFT: f64 = 330.0;
const BARS: f64 = 520.0;
const RIGHT: f64 = 150.0;
const ROW: f64 = 30.0;
const TOP: f64 = 60.0;
const STYLE: &str = "text { font: 12px sans-serif; fill: #222 } .end { text-anchor: end } \
                     .title { font-weight: bold } .dim { fill: #666; font-size: 11px }";

/// Draws each row's share of its limit, and the driver copy's share of the memory bandwidth.
pub(crate) fn svg(rows: &[Row], machine: &Machine) -> String {
    let copy = rows.iter().find_map(|row| {
        let reference = row.reference.as_ref().filter(|_| row.boxes.is_none())?;
        Some(reference.gb_s / machine.memory_limit_gb_s)
    });
    let (width, height) = (LEFT + BARS + RIGHT, TOP + ROW * rows.len() as f64 + 40.0);
    // A measured limit can be slightly exceeded.
    let x = |share: f64| LEFT + BARS * share.min(1.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<style>{STYLE}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    let mut put = |line: String| writeln!(svg, "{line}").unwrap_or_default();
    let text = |x: f64, y: f64, class: &str, text: &str| {
        format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>",
            escaped(text)
        )
    };
    put(text(
        10.0,
        20.0,
        "title",
        &format!("Shares of their limits on {}", machine.name),
    ));
    put(text(
        10.0,
        38.0,
        "dim",
        "dark: Rust, light: the same in CUDA C++ by nvcc",
    ));
    let bottom = height - 30.0;
    let mut rule = |share: f64, name: &str, colour: &str, y: f64| {
        put(format!(
            "<line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1:.1}\" y2=\"{bottom:.1}\" stroke=\"{colour}\" \
             stroke-dasharray=\"4 3\"/>",
            x(share),
            TOP - 8.0
        ));
        put(text(x(share) - 4.0, y, "end dim", name));
    };
    rule(1.0, "the limit", "#b00", bottom + 22.0);
    if let Some(copy) = copy {
        let name = format!("the driver's copy: {:.1} % of memory", 100.0 * copy);
        rule(copy, &name, "#06c", bottom + 10.0);
    }
    for (index, row) in rows.iter().enumerate() {
        let y = TOP + ROW * index as f64;
        put(text(LEFT - 8.0, y + 15.0, "end", &row.name()));
        let mut bar = |share: f64, y: f64, height: f64, fill: &str| {
            put(format!(
                "<rect x=\"{LEFT}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height}\" fill=\"{fill}\"/>",
                x(share) - LEFT
            ));
        };
        bar(row.of_limit, y, 13.0, "#c65f16");
        if let Some(of_cuda) = row.of_cuda {
            bar(row.of_limit * of_cuda, y + 13.0, 8.0, "#d9c2ac");
        }
        let label = format!("{:.1} % of {}", 100.0 * row.of_limit, row.limit.resource);
        put(text(LEFT + BARS + 12.0, y + 13.0, "", &label));
        if let Some(of_cuda) = row.of_cuda {
            put(text(
                LEFT + BARS + 12.0,
                y + 25.0,
                "dim",
                &format!("{of_cuda:.3} of its CUDA version's time"),
            ));
        }
    }
    svg += "</svg>\n";
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        limit::{Limit, Needs, Resource},
        measure::Times,
        statistics::Spread,
    };

    fn times(gb_s: f64) -> Times {
        Times {
            milliseconds: Spread::of(&[1.0]),
            gb_s,
            registers: None,
            local_bytes: None,
            static_shared_bytes: None,
            blocks_at_once: None,
        }
    }

    fn row(kernel: &'static str, gb_s: f64, cuda: Option<f64>) -> Row {
        Row {
            kernel,
            variant: "8 KiB x 2 x 4".to_owned(),
            entry: kernel.to_owned(),
            grid: [1, 1, 1],
            threads: 32,
            shared_bytes: 0,
            ran: String::new(),
            bytes: 1 << 33,
            needs: Needs::memory(1 << 33),
            limit: Limit {
                resource: Resource::Memory,
                seconds: 0.5e-3 * gb_s / 1000.0,
            },
            of_limit: gb_s / 2000.0,
            boxes: None,
            operations: None,
            rust: times(gb_s),
            cuda: cuda.map(times),
            reference: Some(times(1500.0)),
            reference_is: "the driver's copy".to_owned(),
            of_cuda: cuda.map(|cuda| cuda / gb_s),
            of_reference: Some(gb_s / 1500.0),
            goal: None,
        }
    }

    #[test]
    fn each_row_has_its_bars_within_the_limit() {
        let machine = Machine {
            name: "GPU <1>".to_owned(),
            arch: "sm_90a".to_owned(),
            multiprocessors: 4,
            memory_bytes: 1 << 30,
            l2_bytes: 1 << 20,
            sm_clock_mhz: 1000.0,
            memory_clock_mhz: 1000.0,
            memory_bus_bits: 8000,
            memory_limit_gb_s: 2000.0,
            driver: String::new(),
            date: String::new(),
            commit: None,
            measured_sm_clock_mhz: 1000.0,
            nvidia_smi: None,
        };
        let rows = [
            row("copy_bulk", 1000.0, Some(900.0)),
            row("copy_tile", 1600.0, None),
            row("from a cache", 2100.0, None),
        ];
        let svg = svg(&rows, &machine);
        // The background, two bars of the first row, one of the others; the last one ends at the limit.
        assert_eq!(svg.matches("<rect").count(), 1 + 2 + 1 + 1);
        let bar = format!("width=\"{:.1}\" height=\"13\"", BARS / 2.0);
        assert!(svg.contains(&bar), "{svg}");
        // The CUDA version needs 0.9 of the time of this kernel.
        let cuda = format!("width=\"{:.1}\" height=\"8\"", 0.45 * BARS);
        assert!(svg.contains(&cuda), "{svg}");
        let passed = format!("width=\"{BARS:.1}\" height=\"13\"");
        assert!(
            svg.contains(&passed) && svg.contains("105.0 % of memory"),
            "{svg}"
        );
        assert!(
            svg.contains("GPU &lt;1&gt;") && svg.contains("the driver's copy: 75.0 % of memory")
        );
    }
}
