//! Diagnostics as JSON; `docs/emulate.md` lists the fields.

use crate::{
    check::{Diagnostic, Severity, Site},
    machine::{Location, Trap},
    run::{Story, StoryStep},
    trace::json::quoted,
};

impl Diagnostic {
    /// Returns the diagnostic as a JSON object in one line.
    pub fn to_json(&self) -> String {
        let severity = match self.kind.severity() {
            _ if self.is_note => "note",
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let notes = self.notes.iter().map(|note| quoted(note));
        let mut fields = vec![
            ("kind", quoted(self.kind.name())),
            ("severity", quoted(severity)),
            ("message", quoted(&self.to_string())),
            ("title", quoted(self.title())),
            ("entry", quoted(&self.entry)),
            ("here", optional(self.here.as_ref(), site)),
            ("there", optional(self.there.as_ref(), site)),
            ("notes", array(notes)),
            ("count", self.count.to_string()),
            ("rule", quoted(self.kind.rule())),
            ("help", quoted(self.help())),
            ("error_name", optional(self.trap.map(Trap::name), quoted)),
        ];
        if let Some(failing) = self.schedule.as_deref() {
            fields.push(("schedule", quoted(&failing.name.to_string())));
            fields.push(("story", failing.story.to_json()));
        }
        object(&fields)
    }
}

impl Story {
    /// Returns the story as a JSON object in one line: the lanes, and the steps with the index of their lane.
    pub fn to_json(&self) -> String {
        let step = |step: &StoryStep| {
            object(&[
                ("lane", step.lane.to_string()),
                ("what", quoted(&step.what)),
                ("at", quoted(&step.at)),
                ("is_choice", step.is_choice.to_string()),
            ])
        };
        object(&[
            ("lanes", array(self.lanes.iter().map(|lane| quoted(lane)))),
            ("steps", array(self.steps.iter().map(step))),
        ])
    }
}

fn site(site: &Site) -> String {
    let Location {
        file,
        line,
        column,
        source,
        inlined,
        calls,
    } = &site.location;
    let index = |index: [u32; 3]| array(index.map(|number| number.to_string()));
    object(&[
        ("file", quoted(file)),
        ("line", line.to_string()),
        ("column", column.to_string()),
        ("source", optional(source.as_ref(), in_source)),
        ("inlined", array(inlined.iter().map(in_source))),
        ("calls", array(calls.iter().map(in_source))),
        ("instruction", quoted(&site.instruction)),
        ("block", index(site.block)),
        ("thread", index(site.thread)),
        ("what", quoted(&site.what)),
    ])
}

fn in_source((file, line): &(impl AsRef<str>, u32)) -> String {
    object(&[("file", quoted(file.as_ref())), ("line", line.to_string())])
}

fn optional<T>(value: Option<T>, to_json: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "null".to_owned(), to_json)
}

fn object(fields: &[(&str, String)]) -> String {
    let fields = fields.iter();
    let fields = fields.map(|(name, value)| format!("{}:{value}", quoted(name)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn array(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}
