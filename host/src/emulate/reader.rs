//! Reads tables of a TOML text; every mistake is kept with its place.

use std::{
    cell::RefCell,
    fmt::{self, Display, Formatter},
    ops::Range,
};

use launch::suggestion;
use ptx::LineIndex;
use toml::de::{DeTable, DeValue};

/// What is wrong with a launch file, in the order of the text; never empty.
///
/// Displays as one report for each, with the line and a caret under the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes {
    pub(super) file: String,
    pub(super) list: Vec<Mistake>,
}

/// One place that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// The byte within the line, from 1.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub says: String,
    source_line: String,
    width: usize,
}

impl Mistakes {
    /// The name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The mistakes, in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Mistake> {
        self.list.iter()
    }
}

impl Display for Mistakes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.list.iter().enumerate() {
            let newline = if index > 0 { "\n" } else { "" };
            let Mistake {
                line, column, says, ..
            } = mistake;
            write!(f, "{newline}{}:{line}:{column}: {says}", self.file)?;
            if !mistake.source_line.trim().is_empty() {
                write!(f, "\n{}\n{}", mistake.source_line, mistake.underline())?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}

impl Mistake {
    fn new(text: &str, lines: &LineIndex, at: &Range<usize>, says: String) -> Self {
        let place = lines.place(at.start.min(text.len()));
        let source_line = text.lines().nth(place.line - 1).unwrap_or("").to_owned();
        Self {
            line: place.line,
            column: place.column,
            says,
            source_line,
            width: at.len(),
        }
    }

    /// Spaces (and the tabs of the line) up to the column, then carets to the end of the place or of
    /// the line.
    fn underline(&self) -> String {
        let (before, rest) = self
            .source_line
            .split_at_checked(self.column - 1)
            .unwrap_or((&self.source_line, ""));
        let blank = before.chars().map(|c| if c == '\t' { '\t' } else { ' ' });
        let rest = rest.get(..self.width.min(rest.len())).unwrap_or(rest);
        let width = rest.chars().count().max(1);
        blank.chain(std::iter::repeat_n('^', width)).collect()
    }
}

/// A mistake before its line is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// What is wrong at these bytes of the text.
    Here(Range<usize>, String),
    /// It was noted already.
    Noted,
}

/// A mistake that was noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Noted;

impl From<Noted> for Wrong {
    fn from(Noted: Noted) -> Self {
        Self::Noted
    }
}

/// The mistakes so far.
#[derive(Debug, Default)]
pub(super) struct Notes(RefCell<Vec<(Range<usize>, String)>>);

impl Notes {
    pub(super) fn note(&self, wrong: Wrong) -> Noted {
        if let Wrong::Here(at, says) = wrong {
            self.0.borrow_mut().push((at, says));
        }
        Noted
    }

    /// All of them; an error unless there are none.
    pub(super) fn into_result(self, file: &str, text: &str) -> Result<(), Mistakes> {
        let mut all = self.0.into_inner();
        if all.is_empty() {
            return Ok(());
        }
        all.sort_by_key(|(at, _)| at.start);
        let lines = LineIndex::new(text);
        let place = |(at, says)| Mistake::new(text, &lines, &at, says);
        Err(Mistakes {
            file: file.to_owned(),
            list: all.into_iter().map(place).collect(),
        })
    }
}

/// A number as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i128),
    Float(f64),
}

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
        }
    }
}

/// As many mistakes of one list are noted.
const LISTED: usize = 8;

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Value<'d> {
    value: &'d DeValue<'d>,
    pub(super) at: Range<usize>,
    notes: &'d Notes,
}

impl<'d> Value<'d> {
    /// A mistake here.
    pub(super) fn wrong(&self, says: impl Into<String>) -> Wrong {
        Wrong::Here(self.at.clone(), says.into())
    }

    fn expected(&self, what: &str) -> Wrong {
        let article = if self.value.is_array() || self.value.is_integer() {
            "an"
        } else {
            "a"
        };
        self.wrong(format!(
            "expected {what}, found {article} {}",
            self.value.type_str()
        ))
    }

    pub(super) fn as_str(&self) -> Option<&'d str> {
        self.value.as_str()
    }

    pub(super) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    pub(super) fn is_array(&self) -> bool {
        self.value.is_array()
    }

    pub(super) fn string(&self) -> Result<&'d str, Wrong> {
        self.as_str().ok_or_else(|| self.expected("a string"))
    }

    pub(super) fn boolean(&self) -> Result<bool, Wrong> {
        let value = self.value.as_bool();
        value.ok_or_else(|| self.expected("`true` or `false`"))
    }

    pub(super) fn number(&self) -> Result<Number, Wrong> {
        if let Some(integer) = self.value.as_integer() {
            let value = i128::from_str_radix(integer.as_str(), integer.radix());
            return value
                .map(Number::Integer)
                .map_err(|_| self.wrong("the number is too large for any type"));
        }
        let Some(float) = self.value.as_float() else {
            return Err(self.expected("a number"));
        };
        let value: f64 = float
            .as_str()
            .parse()
            .map_err(|_| self.expected("a number"))?;
        if value.is_infinite() && !float.as_str().contains("inf") {
            return Err(self.wrong("the number is too large for any type; infinity is `inf`"));
        }
        Ok(Number::Float(value))
    }

    /// An integer that the type has.
    pub(super) fn integer<T: TryFrom<i128> + Bounds>(&self) -> Result<T, Wrong> {
        let value = match self.number()? {
            Number::Integer(value) => value,
            Number::Float(_) => return Err(self.expected("an integer")),
        };
        T::try_from(value).map_err(|_| {
            let (least, most) = T::BOUNDS;
            self.wrong(format!("{value} is not from {least} to {most}"))
        })
    }

    pub(super) fn float(&self) -> Result<f64, Wrong> {
        Ok(match self.number()? {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        })
    }

    pub(super) fn array(&self) -> Result<Vec<Value<'d>>, Wrong> {
        let array = self
            .value
            .as_array()
            .ok_or_else(|| self.expected("an array"))?;
        let value = |item: &'d toml::Spanned<DeValue<'d>>| Value {
            value: item.get_ref(),
            at: item.span(),
            notes: self.notes,
        };
        Ok(array.iter().map(value).collect())
    }

    /// All items, each read by `read`, also after one that is wrong.
    pub(super) fn list<T>(
        &self,
        mut read: impl FnMut(&Value<'d>) -> Result<T, Wrong>,
    ) -> Result<Vec<T>, Wrong> {
        let (items, mut mistakes) = (self.array()?, 0);
        let mut all = Vec::with_capacity(items.len());
        for item in &items {
            match read(item) {
                Ok(value) => all.push(value),
                Err(wrong) => {
                    self.notes.note(wrong);
                    mistakes += 1;
                }
            }
            if mistakes == LISTED {
                break;
            }
        }
        match mistakes {
            0 => Ok(all),
            _ => Err(Wrong::Noted),
        }
    }

    /// A table that messages call `name`.
    pub(super) fn table(&self, name: impl Into<String>) -> Result<Table<'d>, Wrong> {
        let entries = self.value.as_table();
        Ok(Table {
            name: name.into(),
            entries: entries.ok_or_else(|| self.expected("a table"))?,
            at: self.at.clone(),
            known: RefCell::default(),
            notes: self.notes,
        })
    }
}

/// Integers and what they can be.
pub(super) trait Bounds {
    const BOUNDS: (i128, i128);
}

macro_rules! bounds {
    ($($integer:ident)*) => {
        $(impl Bounds for $integer {
            const BOUNDS: (i128, i128) = ($integer::MIN as i128, $integer::MAX as i128);
        })*
    };
}

bounds! { u8 i8 u16 i16 u32 i32 u64 i64 }

/// A table. Its keys are those that were asked for.
#[derive(Debug)]
pub(super) struct Table<'d> {
    name: String,
    entries: &'d DeTable<'d>,
    pub(super) at: Range<usize>,
    known: RefCell<Vec<&'static str>>,
    notes: &'d Notes,
}

impl<'d> Table<'d> {
    /// The whole file.
    pub(super) fn document(entries: &'d DeTable<'d>, notes: &'d Notes) -> Self {
        Self {
            name: String::new(),
            entries,
            at: 0..0,
            known: RefCell::default(),
            notes,
        }
    }

    /// Notes a mistake that concerns all of the table.
    pub(super) fn note(&self, says: impl Into<String>) -> Noted {
        self.notes.note(Wrong::Here(self.at.clone(), says.into()))
    }

    /// Notes a mistake within the table.
    pub(super) fn add(&self, wrong: Wrong) -> Noted {
        self.notes.note(wrong)
    }

    pub(super) fn get(&self, key: &'static str) -> Option<Value<'d>> {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
        let (_, item) = self
            .entries
            .iter()
            .find(|(name, _)| name.get_ref() == key)?;
        Some(self.value(item))
    }

    fn value(&self, item: &'d toml::Spanned<DeValue<'d>>) -> Value<'d> {
        Value {
            value: item.get_ref(),
            at: item.span(),
            notes: self.notes,
        }
    }

    /// The value of a key that may be missing.
    pub(super) fn optional<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Value<'d>) -> Result<T, Wrong>,
    ) -> Result<Option<T>, Noted> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        read(&value).map(Some).map_err(|wrong| match wrong {
            Wrong::Here(at, says) => {
                let says = format!("`{key}`: {says}");
                self.notes.note(Wrong::Here(at, says))
            }
            Wrong::Noted => Noted,
        })
    }

    /// The value of a key that must be there.
    pub(super) fn required<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Value<'d>) -> Result<T, Wrong>,
    ) -> Result<T, Noted> {
        self.optional(key, read)?
            .ok_or_else(|| self.note(format!("{} has no `{key}`", self.called())))
    }

    /// The entries, in the order of the text, where the names are the user's own.
    pub(super) fn named(&self) -> Vec<(&'d str, Range<usize>, Value<'d>)> {
        let mut all: Vec<_> = self
            .entries
            .iter()
            .map(|(name, item)| (name.get_ref().as_ref(), name.span(), self.value(item)))
            .collect();
        all.sort_by_key(|(_, at, _)| at.start);
        all
    }

    fn called(&self) -> String {
        match self.name.as_str() {
            "" => "the file".to_owned(),
            name => format!("`{name}`"),
        }
    }

    /// Notes keys that nobody asked for, and says whether there are none.
    pub(super) fn end(&self) -> bool {
        let known = self.known.borrow();
        let mut is_known = true;
        for (name, at, _) in self.named() {
            if known.iter().any(|known| *known == name) {
                continue;
            }
            let all: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
            let near = launch::nearest(name, known.iter().copied());
            let near = match near.first() {
                Some(near) => format!("did you mean `{near}`? "),
                None => String::new(),
            };
            let says = format!(
                "{} has no key `{name}`: {near}there are {}",
                self.called(),
                all.join(", ")
            );
            self.notes.note(Wrong::Here(at, says));
            is_known = false;
        }
        is_known
    }
}

/// One of a list of names.
pub(super) fn choice<'d, T: Copy>(
    value: &Value<'d>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, Wrong> {
    let given = value.string()?;
    let found = all.iter().copied().find(|choice| name(*choice) == given);
    found.ok_or_else(|| {
        let names = all.iter().map(|choice| name(*choice));
        value.wrong(format!(
            "there is no `{given}`: {}",
            suggestion(given, names)
        ))
    })
}
