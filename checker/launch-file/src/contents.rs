//! The contents of a buffer: a pattern, a list, or a file.

use std::{
    fs::File,
    io::{ErrorKind, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::{
    buffer::{FileBuffer, Kind, find},
    element::ElementType,
    reader::{Number, Table, Value},
    violations::Invalid,
};

/// The contents of elements of one type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Contents {
    Zeros,
    /// All bits set: a NaN, -1, or the largest number.
    Poison,
    /// The bits of every element.
    Constant(u64),
    Iota {
        start: Number,
        step: Number,
    },
    Random {
        seed: u64,
        low: Number,
        high: Number,
    },
    /// A pattern of bytes, repeated.
    List(Vec<u8>),
    File(PathBuf),
    /// The initial contents of another buffer from an element on, each multiplied by `times` and added to `plus`.
    Initial {
        buffer: usize,
        first: u64,
        times: Number,
        plus: Number,
    },
}

/// The elements to fill.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room<'a> {
    pub(super) ty: ElementType,
    pub(super) count: u64,
    /// The folder that paths of files are relative to.
    pub(super) folder: &'a Path,
    /// The context of expected contents, which may refer to initial contents: all buffers, the index of this one, and
    /// its first element.
    pub(super) before: Option<(&'a [FileBuffer], usize, u64)>,
}

const PATTERNS: [&str; 4] = ["zeros", "poison", "iota", "random"];
const KINDS: [&str; 6] = ["constant", "iota", "random", "repeat", "file", "buffer"];

impl Room<'_> {
    pub(super) fn read(&self, value: &Value<'_>) -> Result<Contents, Invalid> {
        if let Some(pattern) = value.as_str() {
            return self.pattern(value, pattern);
        }
        if value.is_array() {
            return self.list(value, true);
        }
        if !value.is_table() {
            return Err(value.wrong(
                "expected a pattern as in `\"zeros\"`, a list as in `[1, 2, 3]`, \
                 or a table as in `{ file = \"...\" }`",
            ));
        }
        self.table(value)
    }

    fn pattern(&self, value: &Value<'_>, pattern: &str) -> Result<Contents, Invalid> {
        Ok(match pattern {
            "zeros" => Contents::Zeros,
            "poison" => Contents::Poison,
            "iota" => self.iota(None, None),
            "random" => self.random(0, None, None),
            "unchanged" if self.before.is_some() => {
                let (buffers, buffer, first) = self.before.unwrap_or((&[], 0, 0));
                let kind = buffers.get(buffer).map(|buffer| buffer.kind);
                if kind == Some(Kind::Variable { is_initial: true }) {
                    return Err(value.wrong(
                        "the initial contents come from the module; set `contents` in the variable's table",
                    ));
                }
                Contents::Initial {
                    buffer,
                    first,
                    times: Number::Integer(1),
                    plus: Number::Integer(0),
                }
            }
            _ => {
                let unchanged = self.before.map(|_| "unchanged");
                let all = PATTERNS.into_iter().chain(unchanged);
                let suggestion = tma_launch::suggestion(pattern, all);
                return Err(value.wrong(format!("unknown pattern `{pattern}`: {suggestion}")));
            }
        })
    }

    fn list(&self, value: &Value<'_>, whole: bool) -> Result<Contents, Invalid> {
        let (given, count) = (value.array()?.len() as u64, self.count);
        if whole && given != count {
            return Err(value.wrong(format!(
                "the list has {given} elements but must have {count}; \
                 use `{{ repeat = [...] }}` to repeat a shorter list"
            )));
        }
        if !whole && given == 0 {
            return Err(value.wrong("an empty list cannot be repeated"));
        }
        let size = self.ty.bytes();
        let all = value.list(|item| Ok(self.ty.exact_bits(item)?.to_le_bytes()))?;
        let bytes = all.iter().flat_map(|bits| &bits[..size]);
        Ok(Contents::List(bytes.copied().collect()))
    }

    fn table(&self, value: &Value<'_>) -> Result<Contents, Invalid> {
        let table = value.table("contents")?;
        let known = if self.before.is_some() { 6 } else { 5 };
        let mut kinds = KINDS[..known]
            .iter()
            .filter_map(|kind| Some((*kind, table.get(kind)?)));
        let (kind, inner) = match (kinds.next(), kinds.next()) {
            (Some(kind), None) => kind,
            (None, _) => {
                let kinds = KINDS[..known].join("`, `");
                if !table.end() {
                    return Err(Invalid::Noted);
                }
                return Err(value.wrong(format!("set one of `{kinds}`")));
            }
            (Some((first, _)), Some((second, _))) => {
                return Err(value.wrong(format!("set either `{first}` or `{second}`")));
            }
        };
        let contents = match kind {
            "constant" => Contents::Constant(self.ty.exact_bits(&inner)?),
            "iota" => self.read_iota(&inner)?,
            "random" => self.read_random(&inner)?,
            "repeat" => self.list(&inner, false)?,
            "file" => self.file(&inner)?,
            _ => self.initial(&table, &inner)?,
        };
        table.end();
        Ok(contents)
    }

    fn iota(&self, start: Option<Number>, step: Option<Number>) -> Contents {
        Contents::Iota {
            start: start.unwrap_or(Number::Integer(0)),
            step: step.unwrap_or(Number::Integer(1)),
        }
    }

    fn read_iota(&self, value: &Value<'_>) -> Result<Contents, Invalid> {
        let table = value.table("iota")?;
        let start = table.optional("start", |value| self.number(value));
        let step = table.optional("step", |value| self.difference(value));
        table.end();
        Ok(self.iota(start?, step?))
    }

    fn random(&self, seed: u64, low: Option<Number>, high: Option<Number>) -> Contents {
        let (least, most) = match self.ty.bounds() {
            Some((least, most)) => (Number::Integer(least), Number::Integer(most)),
            None => (Number::Float(-1.0), Number::Float(1.0)),
        };
        Contents::Random {
            seed,
            low: low.unwrap_or(least),
            high: high.unwrap_or(most),
        }
    }

    fn read_random(&self, value: &Value<'_>) -> Result<Contents, Invalid> {
        let table = value.table("random")?;
        let seed = table.optional("seed", Value::integer::<u64>);
        let low = table.optional("low", |value| self.number(value));
        let high = table.optional("high", |value| self.number(value));
        table.end();
        let seed = seed?.unwrap_or(0);
        let contents = self.random(seed, low?, high?);
        if let Contents::Random { low, high, .. } = &contents {
            let is_range = match (low, high) {
                (Number::Integer(low), Number::Integer(high)) => low <= high,
                (Number::Float(low), Number::Float(high)) => {
                    low <= high && (high - low).is_finite()
                }
                _ => false,
            };
            if !is_range {
                return Err(value.wrong(format!(
                    "the range from {low} to {high} is empty or infinite; `low` must not exceed `high`"
                )));
            }
        }
        Ok(contents)
    }

    /// Reads a number of the element type.
    fn number(&self, value: &Value<'_>) -> Result<Number, Invalid> {
        Ok(self.ty.number(self.ty.exact_bits(value)?))
    }

    /// Reads a number that can be added to or multiplied with elements of the type.
    fn difference(&self, value: &Value<'_>) -> Result<Number, Invalid> {
        Ok(match self.ty.is_float() {
            true => self.number(value)?,
            false => Number::Integer(value.integer::<i64>()?.into()),
        })
    }

    fn file(&self, value: &Value<'_>) -> Result<Contents, Invalid> {
        let given = value.string()?;
        let path = self.folder.join(given);
        let cannot = |why: String| value.wrong(format!("cannot read `{given}`: {why}"));
        let metadata = path.metadata().map_err(|error| cannot(error.to_string()))?;
        if !metadata.is_file() {
            return Err(cannot("not a regular file".to_owned()));
        }
        let (has, wants) = (metadata.len(), self.count * self.ty.bytes() as u64);
        if has != wants {
            let (count, name) = (self.count, self.ty.name());
            return Err(value.wrong(format!(
                "`{given}` has {has} bytes but must have {wants}, for {count} elements of {name}"
            )));
        }
        Ok(Contents::File(path))
    }

    fn initial(&self, table: &Table<'_>, value: &Value<'_>) -> Result<Contents, Invalid> {
        let (buffers, _, first) = self.before.unwrap_or((&[], 0, 0));
        let times = table.optional("times", |value| self.difference(value));
        let plus = table.optional("plus", |value| self.difference(value));
        let from = table.optional("first", Value::integer::<u64>);
        let buffer = find(buffers, value)?;
        let first = from?.unwrap_or(first);
        let FileBuffer {
            name, ty, count, ..
        } = &buffers[buffer];
        if *ty != self.ty {
            let (theirs, ours) = (ty.name(), self.ty.name());
            return Err(value.wrong(format!(
                "`{name}` has elements of {theirs}, which must be {ours}"
            )));
        }
        if first.checked_add(self.count).is_none_or(|end| end > *count) {
            let wanted = self.count;
            return Err(value.wrong(format!(
                "`{name}` has {count} elements, too few for {wanted} from element {first} on"
            )));
        }
        Ok(Contents::Initial {
            buffer,
            first,
            times: times?.unwrap_or(Number::Integer(1)),
            plus: plus?.unwrap_or(Number::Integer(0)),
        })
    }
}

impl Contents {
    /// Returns the path of the file with the contents, if they are in a file.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            _ => None,
        }
    }

    /// Returns the bytes of `count` elements from element `first` on. `buffers` contains the initial contents that
    /// they may refer to.
    pub(super) fn bytes(
        &self,
        ty: ElementType,
        from: u64,
        count: u64,
        buffers: &[FileBuffer],
    ) -> Result<Vec<u8>, String> {
        let size = ty.bytes();
        let length = usize::try_from(count).unwrap_or(usize::MAX) * size;
        let each = |bits: &mut dyn FnMut(u64) -> u64| {
            let mut bytes = Vec::with_capacity(length);
            for index in from..from + count {
                bytes.extend_from_slice(&bits(index).to_le_bytes()[..size]);
            }
            bytes
        };
        Ok(match self {
            Self::Zeros => vec![0; length],
            Self::Poison => vec![0xff; length],
            Self::Constant(bits) => each(&mut |_| *bits),
            Self::Iota { start, step } => {
                each(&mut |index| combine(ty, Number::Integer(index.into()), *step, *start))
            }
            Self::Random { seed, low, high } => {
                let mut state = seed.wrapping_add(from.wrapping_mul(STEP));
                each(&mut |_| random(ty, next(&mut state), *low, *high))
            }
            Self::List(list) => {
                let skipped = (from as usize * size) % list.len().max(1);
                list.iter()
                    .copied()
                    .cycle()
                    .skip(skipped)
                    .take(length)
                    .collect()
            }
            Self::File(path) => read(path, from * size as u64, length)?,
            Self::Initial {
                buffer,
                first,
                times,
                plus,
            } => {
                let bytes = match buffers.get(*buffer) {
                    Some(buffer) => buffer.contents.bytes(ty, first + from, count, buffers)?,
                    None => Vec::new(),
                };
                if (*times, *plus) == (Number::Integer(1), Number::Integer(0)) {
                    return Ok(bytes);
                }
                let mut elements = bytes.chunks_exact(size).map(|element| {
                    let bits = element.iter().rev();
                    let bits = bits.fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                    ty.number(bits)
                });
                each(&mut |_| {
                    let element = elements.next().unwrap_or(Number::Integer(0));
                    combine(ty, element, *times, *plus)
                })
            }
        })
    }
}

/// Computes `a * times + plus`: the low bits for integers; for other types, each step is rounded to `f64` and the
/// result once to the type.
fn combine(ty: ElementType, a: Number, times: Number, plus: Number) -> u64 {
    let float = |number| match number {
        Number::Integer(value) => value as f64,
        Number::Float(value) => value,
    };
    match (a, times, plus) {
        (Number::Integer(a), Number::Integer(times), Number::Integer(plus)) if !ty.is_float() => {
            ty.integer_bits(a.wrapping_mul(times).wrapping_add(plus))
        }
        _ => ty.float_bits(float(a) * float(times) + float(plus)),
    }
}

/// State increment of SplitMix64.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the next number of SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(STEP);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns an integer from `low` to `high` inclusive, or a floating-point number from `low` to below `high`.
fn random(ty: ElementType, bits: u64, low: Number, high: Number) -> u64 {
    match (low, high) {
        (Number::Integer(low), Number::Integer(high)) => {
            let span = (high - low) as u128 + 1;
            ty.integer_bits(low + ((u128::from(bits) * span) >> 64) as i128)
        }
        (Number::Float(low), Number::Float(high)) => {
            let share = (bits >> 11) as f64 / (1_u64 << 53) as f64;
            ty.float_bits(low + (high - low) * share)
        }
        _ => 0,
    }
}

/// Reads `length` bytes of a file, which must not have become shorter.
fn read(path: &Path, from: u64, length: usize) -> Result<Vec<u8>, String> {
    let cannot = |why: &str| format!("cannot read `{}`: {why}", path.display());
    let mut bytes = vec![0; length];
    let read = File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut bytes)
    });
    match read {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            Err(cannot("the file became shorter after it was checked"))
        }
        Err(error) => Err(cannot(&error.to_string())),
    }
}
