//! The record of a kernel's panic.

mod message;

use std::fmt::{self, Display, Formatter};

/// The end of the name of the variable with the record's address; the panic handler of the crate `tma` defines it.
const VARIABLE: &str = "3tma6kernel5panic6RECORD";

/// A panic of a kernel thread, read from device memory.
///
/// The panic handler of the crate `tma` writes it unformatted to a record in memory that outlives the kernel. In
/// the message, arguments of types outside of the language are `…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic {
    /// The source file as named by the compiler.
    pub file: String,
    /// The line of the panic in the source, from 1.
    pub line: u32,
    /// The column of the panic in the source, from 1.
    pub column: u32,
    /// The formatted message of the panic.
    pub message: String,
    /// The index of the thread's block in the grid.
    pub block: [u32; 3],
    /// The thread's index in its block.
    pub thread: [u32; 3],
}

impl Panic {
    /// Size of a record in bytes. Before the launch it is zero.
    pub const RECORD_BYTES: usize = 4096;

    /// Returns whether a variable of a module with this name takes the address of a record, as a `u64`.
    pub fn is_variable(name: &str) -> bool {
        name.ends_with(VARIABLE)
    }

    /// Reads a record; `None` if no thread panicked. A truncated record is read as far as possible.
    pub fn from_record(record: &[u8]) -> Option<Self> {
        let length = record
            .first_chunk()
            .map(|bytes| u64::from_le_bytes(*bytes))?;
        let length = usize::try_from(length).ok().filter(|length| *length > 0)?;
        let mut rest = Reader(record.get(8..length.min(record.len()))?);
        let block = [rest.number()?, rest.number()?, rest.number()?];
        let thread = [rest.number()?, rest.number()?, rest.number()?];
        let (line, column) = (rest.number()?, rest.number()?);
        let file = String::from_utf8_lossy(rest.bytes()).into_owned();
        let is_text = rest.number()? == 1;
        let text = rest.bytes();
        let message = if is_text {
            String::from_utf8_lossy(text).into_owned()
        } else {
            let mut arguments = Vec::new();
            while let Some(tag) = rest.number() {
                arguments.push((tag, rest.bytes()));
            }
            message::format(text, &arguments)
        };
        Some(Self {
            file,
            line,
            column,
            message,
            block,
            thread,
        })
    }
}

impl Display for Panic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            message,
            block,
            thread,
        } = self;
        write!(
            f,
            "panicked at {file}:{line}:{column}: {message} (thread {thread:?} of block {block:?})"
        )
    }
}

/// The unread rest of a record or template.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Takes `count` bytes, or all remaining ones.
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4).try_into().ok().map(u32::from_le_bytes)
    }

    fn half(&mut self) -> Option<u16> {
        self.take(2).try_into().ok().map(u16::from_le_bytes)
    }

    /// Takes bytes that are preceded by their count.
    fn bytes(&mut self) -> &'a [u8] {
        let count = self.number().unwrap_or(0);
        self.take(count as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a record of a text at `src/lib.rs:7:5`, from thread 3 of block 2.
    fn record(is_text: u32, text: &[u8], arguments: &[(u32, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![0; 8];
        let file = b"src/lib.rs";
        for number in [2, 0, 0, 3, 0, 0, 7, 5, file.len() as u32] {
            bytes.extend(u32::to_le_bytes(number));
        }
        bytes.extend(file);
        bytes.extend(u32::to_le_bytes(is_text));
        bytes.extend(u32::to_le_bytes(text.len() as u32));
        bytes.extend(text);
        for (tag, value) in arguments {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(u32::to_le_bytes(value.len() as u32));
            bytes.extend(*value);
        }
        let length = bytes.len() as u64;
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        bytes.resize(Panic::RECORD_BYTES, 0);
        bytes
    }

    #[test]
    fn zeros_are_no_panic() {
        assert_eq!(Panic::from_record(&[0; Panic::RECORD_BYTES]), None);
    }

    #[test]
    fn a_text_is_read_with_its_location() {
        let panic = Panic::from_record(&record(1, b"too large", &[])).unwrap();
        assert_eq!(
            panic.to_string(),
            "panicked at src/lib.rs:7:5: too large (thread [3, 0, 0] of block [2, 0, 0])"
        );
    }

    #[test]
    fn a_template_is_formatted() {
        let usize_tag = u32::from_le_bytes([8, b'u', 0, b'd']);
        let template = b"\x05len: \xC0\x07, index\xC0\0";
        let arguments = [(usize_tag, &4_u64.to_le_bytes()[..]), (0, &[])];
        let panic = Panic::from_record(&record(0, template, &arguments)).unwrap();
        assert_eq!(panic.message, "len: 4, index…");
    }

    #[test]
    fn a_record_that_was_cut_is_read_as_far_as_it_goes() {
        let mut bytes = record(1, &[b'x'; 5000], &[]);
        bytes.truncate(Panic::RECORD_BYTES);
        let panic = Panic::from_record(&bytes).unwrap();
        assert_eq!(panic.message.len(), Panic::RECORD_BYTES - 8 - 36 - 10 - 8);
    }
}
