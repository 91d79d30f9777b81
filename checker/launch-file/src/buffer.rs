//! Buffers and variables of a launch file.

use std::{ops::Range, path::Path};

use super::{
    contents::{Contents, Room},
    element::ElementType,
    holds::Hold,
    modules::{FileModule, named},
    reader::{Table, Value},
    violations::{Invalid, Noted},
};

/// Size limit of all buffers together, in bytes.
pub(super) const MAX_BYTES: u64 = 1 << 30;

/// The kind of memory that a table describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `[buffers.NAME]`
    Buffer,
    /// `[variables.NAME]`
    Variable {
        /// True if the variable starts with its initial value from the module.
        is_initial: bool,
    },
}

impl Kind {
    /// Returns the key that names this kind of memory in other tables.
    const fn word(self) -> &'static str {
        match self {
            Self::Buffer => "buffer",
            Self::Variable { .. } => "variable",
        }
    }
}

/// `[buffers.NAME]` or `[variables.NAME]`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileBuffer {
    pub(super) name: String,
    pub(super) ty: ElementType,
    /// Number of elements.
    pub(super) count: u64,
    /// Length of each dimension in elements, innermost first; a single one if the file sets `length`.
    pub(super) dims: Vec<u64>,
    pub(super) contents: Contents,
    pub(super) holds: Vec<Hold>,
    pub(super) kind: Kind,
    /// The name of the variable in its module, if it differs from the table's name.
    symbol: Option<String>,
    /// The index of the variable's module, once resolved.
    pub(super) module: Option<usize>,
    /// The location in the text.
    pub(super) at: Range<usize>,
    /// True if the table has an error, which was noted.
    pub(super) is_broken: bool,
}

impl FileBuffer {
    pub(super) fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.ty.bytes() as u64)
    }

    /// Returns the name of the variable in its module.
    pub(super) fn variable(&self) -> &str {
        self.symbol.as_deref().unwrap_or(&self.name)
    }

    /// Reads a table. The buffers before it take `taken` bytes.
    pub(super) fn read(
        name: &str,
        table: &Table<'_>,
        (kind, modules): (Kind, &[FileModule]),
        folder: &Path,
        taken: u64,
    ) -> Result<Self, Noted> {
        let ty = table.required("type", ElementType::read);
        let length = table.optional("length", Value::integer::<u64>);
        let dims = table.optional("dims", |value| value.list(Value::integer::<u64>));
        // Looked up early, so that the key counts as known even if the table has other errors.
        table.get("contents");
        table.get("holds");
        let (symbol, module) = match kind {
            Kind::Buffer => (Ok(None), Ok(None)),
            Kind::Variable { .. } => (
                table.optional("name", |value| value.string().map(str::to_owned)),
                named(table, modules),
            ),
        };
        table.end();
        let (ty, length, dims) = (ty?, length?, dims?);
        let (symbol, module) = (symbol?, module?);
        let dims = match (length, dims) {
            (Some(length), None) => vec![length],
            (None, Some(dims)) if !dims.is_empty() => dims,
            (Some(_), Some(_)) => {
                return Err(table.note(format!("`{name}`: set either `length` or `dims`")));
            }
            _ => {
                return Err(table.note(format!(
                    "`{}s.{name}` needs a `length` in elements, \
                     or `dims`, innermost first",
                    kind.word()
                )));
            }
        };
        let count = dims
            .iter()
            .try_fold(1_u64, |count, dim| count.checked_mul(*dim));
        let bytes = count.and_then(|count| count.checked_mul(ty.bytes() as u64));
        let bytes = bytes.and_then(|bytes| bytes.checked_add(taken));
        let (Some(count), Some(..=MAX_BYTES)) = (count, bytes) else {
            return Err(table.note(format!(
                "`{name}` is too large: the limit of all buffers together is {MAX_BYTES} bytes"
            )));
        };
        let room = Room {
            ty,
            count,
            folder,
            before: None,
        };
        let contents = table.optional("contents", |value| room.read(value))?;
        let kind = match kind {
            Kind::Variable { .. } => Kind::Variable {
                is_initial: contents.is_none(),
            },
            Kind::Buffer => kind,
        };
        Ok(Self {
            name: name.to_owned(),
            ty,
            count,
            dims,
            contents: contents.unwrap_or(Contents::Zeros),
            holds: Vec::new(),
            kind,
            symbol,
            module,
            at: table.at.clone(),
            is_broken: false,
        })
    }

    /// Returns a placeholder for a buffer with a violation, so that its name is known.
    pub(super) fn broken(name: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            ty: ElementType::U8,
            count: 0,
            dims: vec![0],
            contents: Contents::Zeros,
            holds: Vec::new(),
            kind,
            symbol: None,
            module: None,
            at: 0..0,
            is_broken: true,
        }
    }
}

/// Finds a buffer by its name.
pub(super) fn find(buffers: &[FileBuffer], value: &Value<'_>) -> Result<usize, Invalid> {
    find_one(buffers, "buffer", value)
}

/// Returns the index of the buffer or variable that a table names.
pub(super) fn target(table: &Table<'_>, buffers: &[FileBuffer]) -> Result<Option<usize>, Noted> {
    let [buffer, variable] = ["buffer", "variable"]
        .map(|word| table.optional(word, |value| find_one(buffers, word, value)));
    match (buffer?, variable?) {
        (Some(_), Some(_)) => Err(table.note("set either `buffer` or `variable`")),
        (buffer, variable) => Ok(buffer.or(variable)),
    }
}

/// Like [`target`], but the table must name one.
pub(super) fn required_target(table: &Table<'_>, buffers: &[FileBuffer]) -> Result<usize, Noted> {
    let found = target(table, buffers)?;
    found.ok_or_else(|| table.note(format!("{} has no `buffer`", table.called())))
}

fn find_one(buffers: &[FileBuffer], word: &str, value: &Value<'_>) -> Result<usize, Invalid> {
    let given = value.string()?;
    let is_such = |buffer: &&FileBuffer| buffer.kind.word() == word;
    let found = |buffer: &FileBuffer| is_such(&buffer) && buffer.name == given;
    match buffers.iter().position(found) {
        Some(index) if buffers[index].is_broken => Err(Invalid::Noted),
        Some(index) => Ok(index),
        None => {
            let names = buffers
                .iter()
                .filter(is_such)
                .map(|buffer| buffer.name.as_str());
            let suggestion = tma_launch::suggestion(given, names);
            Err(value.wrong(format!("there is no {word} `{given}`: {suggestion}")))
        }
    }
}
