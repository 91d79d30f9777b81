//! Escapes untrusted text for output to a terminal.

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, Write},
};

/// Returns whether a character can change how a terminal shows other text: a control character, or one that changes
/// the direction or the line.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn replace(text: &str, is_harmful: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_harmful(c) {
            // This form is also a valid JSON escape.
            true => drop(write!(escaped, "\\u{:04x}", u32::from(c))),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// Replaces every character that a name within a line of a report must not contain, including line ends, by an
/// escape such as `\u001b`.
pub fn escape_name(text: &str) -> Cow<'_, str> {
    replace(text, is_harmful)
}

/// Like [`escape_name`] for text of several lines: keeps line ends and tabs.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    replace(text, |c| is_harmful(c) && !matches!(c, '\n' | '\t'))
}

/// A writer that escapes text as [`escape_text`] does. Bytes that are not UTF-8 become `\ufffd`.
#[derive(Debug)]
pub struct EscapedWriter<W>(pub W);

impl<W: Write> Write for EscapedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for chunk in bytes.utf8_chunks() {
            self.0.write_all(escape_text(chunk.valid()).as_bytes())?;
            if !chunk.invalid().is_empty() {
                self.0.write_all(b"\\ufffd")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_a_terminal_is_escaped() {
        let harmful = "a\x1b[2J\rb\u{9b}\u{7f}\u{202e}c\u{2066}\u{2028}";
        let escaped = "a\\u001b[2J\\u000db\\u009b\\u007f\\u202ec\\u2066\\u2028";
        assert_eq!(escape_name(harmful), escaped);
        assert_eq!(escape_name("a\nb\t"), "a\\u000ab\\u0009");
        assert_eq!(escape_text("a\nb\t\0"), "a\nb\t\\u0000");
        let harmless = "naïve 数 — `x` 😀";
        assert!(matches!(escape_name(harmless), Cow::Borrowed(text) if text == harmless));
    }

    #[test]
    fn a_writer_escapes_what_passes() {
        let mut out = EscapedWriter(Vec::new());
        out.write_all("line \x1b\n".as_bytes()).unwrap();
        out.write_all(b"\xff\x9b!").unwrap();
        assert_eq!(out.0, b"line \\u001b\n\\ufffd\\ufffd!");
    }
}
