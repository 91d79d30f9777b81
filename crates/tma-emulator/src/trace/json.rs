//! The Trace Event Format, as far as timelines need it.

/// Larger traces are slow to look at.
pub(super) const MAX_EVENTS: u64 = 1_000_000;

/// Events, one after the other.
#[derive(Debug, Default)]
pub struct Json {
    text: String,
    events: u64,
    is_full: bool,
    in_nanoseconds: bool,
}

/// A track of the timeline, one row in the viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Track {
    /// The number of its process, which is a block.
    pub process: u64,
    /// Number of the track in its process, which sets the order of the tracks.
    pub thread: u64,
}

impl Track {
    fn json(self) -> String {
        let Self { process, thread } = self;
        format!("\"pid\":{process},\"tid\":{thread}")
    }
}

impl Json {
    /// Times are nanoseconds, and not units that are written as microseconds.
    pub fn in_nanoseconds() -> Self {
        Self {
            in_nanoseconds: true,
            ..Self::default()
        }
    }

    /// Returns a time in the format's unit, microseconds.
    fn time(&self, time: u64) -> String {
        match self.in_nanoseconds {
            true => format!("{}.{:03}", time / 1000, time % 1000),
            false => time.to_string(),
        }
    }

    /// Returns whether there were more events than it holds.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    fn event(&mut self, fields: &str) {
        if self.events >= MAX_EVENTS {
            self.is_full = true;
            return;
        }
        let comma = if self.events == 0 { "\n" } else { ",\n" };
        self.text.push_str(comma);
        self.text.push('{');
        self.text.push_str(fields);
        self.text.push('}');
        self.events += 1;
    }

    /// Names the process of a track.
    pub fn name_process(&mut self, track: Track, name: &str) {
        let (at, name) = (track.json(), quoted(name));
        self.event(&format!(
            "\"ph\":\"M\",\"name\":\"process_name\",{at},\"args\":{{\"name\":{name}}}"
        ));
    }

    /// Names a track; tracks of a process are sorted by their numbers.
    pub fn name_track(&mut self, track: Track, name: &str) {
        let (at, name, order) = (track.json(), quoted(name), track.thread);
        self.event(&format!(
            "\"ph\":\"M\",\"name\":\"thread_name\",{at},\"args\":{{\"name\":{name}}}"
        ));
        self.event(&format!(
            "\"ph\":\"M\",\"name\":\"thread_sort_index\",{at},\"args\":{{\"sort_index\":{order}}}"
        ));
    }

    /// Adds a slice from one time to another. `args` are members of a JSON object.
    pub fn slice(&mut self, track: Track, (from, to): (u64, u64), name: &str, args: &str) {
        let (at, name, length) = (track.json(), quoted(name), to.saturating_sub(from));
        let (from, length) = (self.time(from), self.time(length));
        self.event(&format!(
            "\"ph\":\"X\",\"name\":{name},{at},\"ts\":{from},\"dur\":{length},\"args\":{{{args}}}"
        ));
    }

    /// Adds a part of an action that overlaps with others: `b` begins, `n` is in between, `e` ends.
    pub fn asynchronous(&mut self, phase: char, of: (&str, Track), now: u64, what: (&str, &str)) {
        let ((id, track), (name, args)) = (of, what);
        let (at, name, id, now) = (track.json(), quoted(name), quoted(id), self.time(now));
        self.event(&format!(
            "\"ph\":\"{phase}\",\"cat\":\"copy\",\"id\":{id},\"name\":{name},{at},\"ts\":{now},\
             \"args\":{{{args}}}"
        ));
    }

    /// Adds an arrow from the slice around one time to the slice around another.
    pub fn arrow(&mut self, id: &str, from: (Track, u64), to: (Track, u64)) {
        let id = quoted(id);
        let common = format!("\"cat\":\"copy\",\"name\":\"completes\",\"id\":{id}");
        let (a, b) = (from.0.json(), to.0.json());
        let (start, end) = (self.time(from.1), self.time(to.1));
        self.event(&format!("\"ph\":\"s\",{common},{a},\"ts\":{start}"));
        self.event(&format!(
            "\"ph\":\"f\",\"bp\":\"e\",{common},{b},\"ts\":{end}"
        ));
    }

    /// Writes a counter that changes over time.
    pub fn counter(&mut self, track: Track, now: u64, name: &str, unit: &str, value: i64) {
        let (name, process, now) = (quoted(name), track.process, self.time(now));
        self.event(&format!(
            "\"ph\":\"C\",\"name\":{name},\"pid\":{process},\"ts\":{now},\"args\":{{\"{unit}\":{value}}}"
        ));
    }

    /// Adds an event that concerns all tracks.
    pub fn instant(&mut self, track: Track, now: u64, name: &str, args: &str) {
        let (at, name, now) = (track.json(), quoted(name), self.time(now));
        self.event(&format!(
            "\"ph\":\"i\",\"s\":\"g\",\"name\":{name},{at},\"ts\":{now},\"args\":{{{args}}}"
        ));
    }

    /// Returns the complete text; `unit` describes the unit of time.
    pub fn finish(self, unit: &str) -> String {
        let Self { text, is_full, .. } = self;
        format!(
            "{{\"traceEvents\":[{text}\n],\"otherData\":{{\"clock\":{unit},\"cut\":{is_full}}}}}\n",
            unit = quoted(unit)
        )
    }
}

/// Returns the text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a\"b\\c\n\u{1}ü"), "\"a\\\"b\\\\c\\n\\u0001ü\"");
    }

    #[test]
    fn what_is_too_much_is_left_out() {
        let mut json = Json {
            events: MAX_EVENTS - 1,
            ..Json::default()
        };
        let track = Track {
            process: 1,
            thread: 2,
        };
        json.slice(track, (3, 5), "a", "");
        assert!(!json.is_full());
        json.slice(track, (5, 6), "b", "");
        assert!(json.is_full());
        let text = json.finish("steps");
        assert!(
            text.contains("\"dur\":2") && !text.contains("\"b\""),
            "{text}"
        );
        assert!(text.ends_with("\"cut\":true}}\n"), "{text}");
    }

    #[test]
    fn nanoseconds_are_written_as_parts_of_microseconds() {
        let mut json = Json::in_nanoseconds();
        let track = Track {
            process: 1,
            thread: 2,
        };
        json.slice(track, (1007, 3008), "a", "");
        let text = json.finish("nanoseconds");
        assert!(text.contains("\"ts\":1.007,\"dur\":2.001"), "{text}");
        assert!(text.contains("\"clock\":\"nanoseconds\""), "{text}");
    }
}
