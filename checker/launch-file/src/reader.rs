//! Reads tables of a TOML text and collects every violation with its location.

use std::{
    cell::RefCell,
    fmt::{self, Display, Formatter},
    ops::Range,
};

use tma_launch::suggestion;
use toml::de::{DeTable, DeValue};

use super::violations::{Invalid, Noted, Notes};

/// A number as written in the text.
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

/// Maximum number of violations to report for one list.
const LISTED: usize = 8;

/// A value and its location.
#[derive(Clone, Debug)]
pub(super) struct Value<'d> {
    value: &'d DeValue<'d>,
    pub(super) at: Range<usize>,
    notes: &'d Notes,
}

impl<'d> Value<'d> {
    /// Returns a violation at this location.
    pub(super) fn wrong(&self, says: impl Into<String>) -> Invalid {
        Invalid::Here(self.at.clone(), says.into())
    }

    fn expected(&self, what: &str) -> Invalid {
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

    pub(super) fn string(&self) -> Result<&'d str, Invalid> {
        self.as_str().ok_or_else(|| self.expected("a string"))
    }

    pub(super) fn boolean(&self) -> Result<bool, Invalid> {
        let value = self.value.as_bool();
        value.ok_or_else(|| self.expected("`true` or `false`"))
    }

    pub(super) fn number(&self) -> Result<Number, Invalid> {
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

    /// Returns an integer within the bounds of the type.
    pub(super) fn integer<T: TryFrom<i128> + Bounds>(&self) -> Result<T, Invalid> {
        let value = match self.number()? {
            Number::Integer(value) => value,
            Number::Float(_) => return Err(self.expected("an integer")),
        };
        T::try_from(value).map_err(|_| {
            let (least, most) = T::BOUNDS;
            self.wrong(format!("{value} must be from {least} to {most}"))
        })
    }

    pub(super) fn float(&self) -> Result<f64, Invalid> {
        Ok(match self.number()? {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        })
    }

    pub(super) fn array(&self) -> Result<Vec<Value<'d>>, Invalid> {
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

    /// Reads all items with `read`, continuing after an invalid one.
    pub(super) fn list<T>(
        &self,
        mut read: impl FnMut(&Value<'d>) -> Result<T, Invalid>,
    ) -> Result<Vec<T>, Invalid> {
        let (items, mut violations) = (self.array()?, 0);
        let mut all = Vec::with_capacity(items.len());
        for item in &items {
            match read(item) {
                Ok(value) => all.push(value),
                Err(wrong) => {
                    self.notes.note(wrong);
                    violations += 1;
                }
            }
            if violations == LISTED {
                break;
            }
        }
        match violations {
            0 => Ok(all),
            _ => Err(Invalid::Noted),
        }
    }

    /// Returns the value as a table that messages call `name`.
    pub(super) fn table(&self, name: impl Into<String>) -> Result<Table<'d>, Invalid> {
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

/// Integer types and their bounds.
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

/// A table. The keys that are looked up count as known.
#[derive(Debug)]
pub(super) struct Table<'d> {
    name: String,
    entries: &'d DeTable<'d>,
    pub(super) at: Range<usize>,
    known: RefCell<Vec<&'static str>>,
    notes: &'d Notes,
}

impl<'d> Table<'d> {
    /// Returns the table of the whole file.
    pub(super) fn document(entries: &'d DeTable<'d>, notes: &'d Notes) -> Self {
        Self {
            name: String::new(),
            entries,
            at: 0..0,
            known: RefCell::default(),
            notes,
        }
    }

    /// Notes a violation that concerns the whole table.
    pub(super) fn note(&self, says: impl Into<String>) -> Noted {
        self.notes.note(Invalid::Here(self.at.clone(), says.into()))
    }

    /// Notes a violation within the table.
    pub(super) fn add(&self, wrong: Invalid) -> Noted {
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

    /// Returns the value of an optional key.
    pub(super) fn optional<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Value<'d>) -> Result<T, Invalid>,
    ) -> Result<Option<T>, Noted> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        read(&value).map(Some).map_err(|wrong| match wrong {
            Invalid::Here(at, says) => {
                let says = format!("`{key}`: {says}");
                self.notes.note(Invalid::Here(at, says))
            }
            Invalid::Noted => Noted,
        })
    }

    /// Returns the value of a required key.
    pub(super) fn required<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&Value<'d>) -> Result<T, Invalid>,
    ) -> Result<T, Noted> {
        self.optional(key, read)?
            .ok_or_else(|| self.note(format!("{} has no `{key}`", self.called())))
    }

    /// Returns the entries in the order of the text, for tables with user-defined names.
    pub(super) fn named(&self) -> Vec<(&'d str, Range<usize>, Value<'d>)> {
        let mut all: Vec<_> = self
            .entries
            .iter()
            .map(|(name, item)| (name.get_ref().as_ref(), name.span(), self.value(item)))
            .collect();
        all.sort_by_key(|(_, at, _)| at.start);
        all
    }

    /// Returns the table's name in messages.
    pub(super) fn called(&self) -> String {
        match self.name.as_str() {
            "" => "the file".to_owned(),
            name => format!("`{name}`"),
        }
    }

    /// Notes unknown keys, and returns whether there are none.
    pub(super) fn end(&self) -> bool {
        let known = self.known.borrow();
        let mut is_known = true;
        for (name, at, _) in self.named() {
            if known.contains(&name) {
                continue;
            }
            let all: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
            let near = tma_launch::nearest(name, known.iter().copied());
            let near = match near.first() {
                Some(near) => format!("did you mean `{near}`? "),
                None => String::new(),
            };
            let says = format!(
                "{} has no key `{name}`: {near}known keys are {}",
                self.called(),
                all.join(", ")
            );
            self.notes.note(Invalid::Here(at, says));
            is_known = false;
        }
        is_known
    }
}

/// Parses one of a list of names.
pub(super) fn choice<'d, T: Copy>(
    value: &Value<'d>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, Invalid> {
    let given = value.string()?;
    let found = all.iter().copied().find(|choice| name(*choice) == given);
    found.ok_or_else(|| {
        let names = all.iter().map(|choice| name(*choice));
        value.wrong(format!(
            "unknown value `{given}`: {}",
            suggestion(given, names)
        ))
    })
}
