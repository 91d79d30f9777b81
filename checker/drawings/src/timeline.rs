//! A timeline as an SVG drawing, for pages where Perfetto would be too heavy.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::svg::{Rect, Svg};

/// Sizes in the drawing: label column, time axis, and height of a track.
const LABEL_WIDTH: f64 = 190.0;
const TIME_WIDTH: f64 = 900.0;
const TRACK_HEIGHT: f64 = 18.0;

const RUNS: &str = "#9ecae1";
const WAITS: &str = "#eeeeee";
const LOADS: &str = "#74c476";
const STORES: &str = "#fd8d3c";
const PHASES: [&str; 2] = ["#bcbddc", "#807dba"];

/// The slices of each track, by process and thread number of the trace.
type Tracks = BTreeMap<(u64, u64), Vec<Slice>>;

/// A slice of a track between two times.
struct Slice {
    from: f64,
    to: f64,
    fill: &'static str,
    /// The label drawn inside the slice if it fits.
    label: String,
    /// The text of its tooltip.
    title: String,
    /// True if this is a phase that expected bytes.
    counts_bytes: bool,
}

/// Draws the JSON of a trace: for each block its warps, its copies, and the phases of its mbarriers.
pub fn timeline(trace: &str) -> String {
    let trace: Value = serde_json::from_str(trace).unwrap_or_default();
    let events = trace["traceEvents"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let mut names = BTreeMap::new();
    let mut tracks = Tracks::new();
    let mut copies = Copies::default();
    for event in events {
        let track = (number(event, "pid"), number(event, "tid"));
        let name = event["name"].as_str().unwrap_or_default();
        match event["ph"].as_str() {
            Some("M") => match (name, event["args"]["name"].as_str()) {
                ("process_name", Some(text)) => {
                    drop(names.insert((track.0, None), text.to_owned()))
                }
                ("thread_name", Some(text)) => {
                    names.insert((track.0, Some(track.1)), text.to_owned());
                }
                _ => {}
            },
            Some("X") => tracks.entry(track).or_default().extend(slice(event, name)),
            Some("b") => copies.begin(event, name),
            Some("e") => copies.end(event),
            _ => {}
        }
    }
    for (track, slices) in &tracks {
        // Only phases of a full barrier count bytes.
        if slices.iter().any(|slice| slice.counts_bytes)
            && let Some(name) = names.get_mut(&(track.0, Some(track.1)))
        {
            name.push_str(", bytes");
        }
    }
    for ((process, lane), slices) in copies.lanes() {
        // Copies come after the warps and before the mbarriers, which have greater numbers.
        let track = (process, (1 << 19) + lane);
        names.insert((process, Some(track.1)), "copies".to_owned());
        tracks.insert(track, slices);
    }
    render(&names, &tracks)
}

fn number(event: &Value, field: &str) -> u64 {
    event[field].as_u64().unwrap_or_default()
}

/// Returns a slice for a warp state that lasts longer than an instant, or for a phase.
fn slice(event: &Value, name: &str) -> Option<Slice> {
    let (fill, label) = match name.strip_prefix("phase ") {
        Some("is complete") => return None,
        Some(phase) => {
            let index: usize = phase.split(',').next()?.parse().ok()?;
            (PHASES[index % 2], name)
        }
        None if name.starts_with("runs") => (RUNS, ""),
        None if name.starts_with("waits") => (WAITS, "waits"),
        None => return None,
    };
    let from = number(event, "ts") as f64;
    let arguments = &event["args"];
    let title = match arguments["place"].as_str() {
        Some(source) => format!("{name}: {source}"),
        None => format!(
            "{name}: {} arrivals, {} of {} bytes",
            arguments["arrivals"], arguments["bytes that came"], arguments["expected bytes"]
        ),
    };
    Some(Slice {
        from,
        to: from + number(event, "dur") as f64,
        fill,
        label: label.to_owned(),
        title,
        counts_bytes: number(arguments, "expected bytes") > 0,
    })
}

/// Copies in flight; overlapping copies are assigned to the first free lane.
#[derive(Default)]
struct Copies {
    open: BTreeMap<String, (u64, Slice)>,
    done: Vec<(u64, Slice)>,
}

impl Copies {
    fn begin(&mut self, event: &Value, name: &str) {
        let loads = name.ends_with("to shared");
        let location = event["args"]["place"].as_str().unwrap_or_default();
        let from = number(event, "ts") as f64;
        let slice = Slice {
            from,
            to: from,
            fill: if loads { LOADS } else { STORES },
            label: if loads { "load" } else { "store" }.to_owned(),
            title: format!("{name}: {location}"),
            counts_bytes: false,
        };
        self.open
            .insert(event["id"].to_string(), (number(event, "pid"), slice));
    }

    fn end(&mut self, event: &Value) {
        if let Some((process, mut slice)) = self.open.remove(&event["id"].to_string()) {
            slice.to = number(event, "ts") as f64;
            self.done.push((process, slice));
        }
    }

    fn lanes(mut self) -> BTreeMap<(u64, u64), Vec<Slice>> {
        self.done
            .sort_by(|left, right| left.1.from.total_cmp(&right.1.from));
        let mut lanes: BTreeMap<(u64, u64), Vec<Slice>> = BTreeMap::new();
        for (process, slice) in self.done {
            let is_free = |lane: &u64| {
                let last = lanes.get(&(process, *lane)).and_then(|lane| lane.last());
                last.is_none_or(|last| last.to <= slice.from)
            };
            let lane = (0..).find(is_free).unwrap_or_default();
            lanes.entry((process, lane)).or_default().push(slice);
        }
        lanes
    }
}

fn render(names: &BTreeMap<(u64, Option<u64>), String>, tracks: &Tracks) -> String {
    let ends = tracks.values().flatten().map(|slice| slice.to);
    let scale = TIME_WIDTH / ends.fold(1.0, f64::max);
    let mut svg = Svg::new();
    let legend = [
        (RUNS, "runs"),
        (WAITS, "waits"),
        (LOADS, "load"),
        (STORES, "store"),
    ];
    for (index, (fill, label)) in (0_u8..).zip(legend) {
        let rect = Rect {
            x: LABEL_WIDTH + 80.0 * f64::from(index),
            y: 8.0,
            width: 14.0,
            height: TRACK_HEIGHT - 4.0,
        };
        svg.rectangle(rect, fill, label);
        svg.text(rect.x + 20.0, 19.0, "", label);
    }
    let (mut y, mut block) = (TRACK_HEIGHT + 10.0, None);
    for ((process, thread), slices) in tracks {
        if block != Some(*process) {
            block = Some(*process);
            y += 12.0;
            let name = names.get(&(*process, None)).map_or("", String::as_str);
            svg.text(10.0, y, "head", name);
            y += 8.0;
        }
        let name = names
            .get(&(*process, Some(*thread)))
            .map_or("", String::as_str);
        svg.text(10.0, y + 13.0, "", name);
        for slice in slices {
            let rect = Rect {
                x: rounded(LABEL_WIDTH + slice.from * scale),
                y,
                width: rounded((slice.to - slice.from) * scale),
                height: TRACK_HEIGHT - 4.0,
            };
            svg.rectangle(rect, slice.fill, &slice.title);
            // A letter of this size is six units wide.
            if rect.width > 6.0 * slice.label.len() as f64 {
                svg.text(
                    rounded(rect.x + rect.width / 2.0),
                    y + 10.0,
                    "middle",
                    &slice.label,
                );
            }
        }
        y += TRACK_HEIGHT;
    }
    svg.finish()
}

fn rounded(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_that_overlap_lie_in_lanes_of_their_own() {
        let event = |ph: &str, id: u64, at: u64| {
            format!(
                r#"{{"ph":"{ph}","name":"16 bytes, global to shared","id":"{id}","pid":1,"tid":3,"ts":{at},"args":{{}}}}"#
            )
        };
        let events = [
            event("b", 1, 0),
            event("b", 2, 5),
            event("e", 1, 10),
            event("e", 2, 20),
            event("b", 3, 10),
            event("e", 3, 15),
        ];
        let svg = timeline(&format!("{{\"traceEvents\":[{}]}}", events.join(",")));
        assert_eq!(svg.matches(">copies</text>").count(), 2, "{svg}");
        // The legend contains one more.
        assert_eq!(svg.matches(LOADS).count(), 4, "{svg}");
    }

    #[test]
    fn what_is_no_trace_draws_nothing() {
        assert!(timeline("").ends_with("</svg>\n"));
    }
}
