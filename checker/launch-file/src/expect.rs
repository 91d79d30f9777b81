//! The expected final contents of buffers, and the files that buffers are written to.

use std::path::{Path, PathBuf};

use tma_launch::{
    Buffer,
    compare::{Mismatch, Tolerance},
};

use super::{
    buffer::{FileBuffer, required_target},
    contents::{Contents, Room},
    reader::{Table, Value},
    violations::{Invalid, Noted},
};

/// Number of elements to compare at a time.
const PART: u64 = 1 << 16;

/// `[[expect]]`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expectation {
    pub(super) buffer: usize,
    /// The first element to compare.
    first: u64,
    count: u64,
    contents: Contents,
    tolerance: Option<Tolerance>,
}

impl Expectation {
    pub(super) fn read(
        table: &Table<'_>,
        buffers: &[FileBuffer],
        folder: &Path,
    ) -> Result<Self, Noted> {
        let buffer = required_target(table, buffers);
        let first = table.optional("first", Value::integer::<u64>);
        let count = table.optional("count", Value::integer::<u64>);
        let tolerance = table.optional("tolerance", tolerance);
        table.get("contents");
        table.end();
        let (buffer, first, count) = (buffer?, first?.unwrap_or(0), count?);
        let FileBuffer { ty, count: all, .. } = buffers[buffer];
        let count = count.unwrap_or(all.saturating_sub(first));
        if first.checked_add(count).is_none_or(|end| end > all) {
            let name = &buffers[buffer].name;
            return Err(table.note(format!(
                "`{name}` has {all} elements, too few for {count} from element {first} on"
            )));
        }
        if count == 0 {
            let name = &buffers[buffer].name;
            return Err(table.note(format!(
                "no element is compared: `{name}` has {all} elements, and the comparison covers 0 from element {first} on"
            )));
        }
        let tolerance = tolerance?;
        if tolerance.is_some() && !ty.is_float() {
            let name = ty.name();
            return Err(table.note(format!(
                "`tolerance` must not be set for {name}, an integer type"
            )));
        }
        let room = Room {
            ty,
            count,
            folder,
            before: Some((buffers, buffer, first)),
        };
        let contents = table.required("contents", |value| room.read(value))?;
        Ok(Self {
            buffer,
            first,
            count,
            contents,
            tolerance,
        })
    }

    pub(super) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Returns a message about the elements that differ from their expected values, or `None`.
    pub(super) fn check(
        &self,
        file: &FileBuffer,
        buffers: &[FileBuffer],
        got: &Buffer,
    ) -> Result<Option<String>, String> {
        let FileBuffer { name, ty, dims, .. } = file;
        let mut found = None;
        let mut first = 0;
        // Buffers may be large, so they are compared in parts.
        while first < self.count {
            let count = PART.min(self.count - first);
            let expected = self.contents.bytes(*ty, first, count, buffers)?;
            let from = (self.first + first) as usize;
            let start = from * ty.bytes();
            let got = got.bytes().get(start..start + expected.len());
            let got = got.unwrap_or(&[]);
            first += count;
            // Equal bytes are the usual case; comparing elements needs copies of both.
            if expected == got {
                continue;
            }
            let Err(mut mismatch) = ty.compare(&expected, got, self.tolerance) else {
                continue;
            };
            if let Mismatch::Elements { index, total, .. } = &mut mismatch {
                *index += from;
                *total = self.count as usize;
            }
            found = Some(match found {
                None => mismatch,
                Some(before) => and(before, &mismatch),
            });
        }
        let Some(mut mismatch) = found else {
            return Ok(None);
        };
        if dims.len() > 1 {
            let dims: Vec<usize> = dims.iter().map(|dim| *dim as usize).collect();
            mismatch = mismatch.at(&dims);
        }
        Ok(Some(format!("`{name}`: {mismatch}")))
    }
}

/// Returns the first of two mismatches with the sum of their counts.
fn and(mut before: Mismatch, next: &Mismatch) -> Mismatch {
    if let (Mismatch::Elements { count, .. }, Mismatch::Elements { count: more, .. }) =
        (&mut before, next)
    {
        *count += more;
    }
    before
}

fn tolerance(value: &Value<'_>) -> Result<Tolerance, Invalid> {
    let table = value.table("tolerance")?;
    let ulps = table.optional("ulps", Value::integer::<u64>);
    let absolute = table.optional("absolute", Value::float);
    table.end();
    let (ulps, absolute) = (ulps?, absolute?);
    if ulps.is_none() && absolute.is_none() {
        return Err(value.wrong("set `ulps`, `absolute` or both"));
    }
    if absolute.is_some_and(|absolute| absolute.is_nan() || absolute < 0.0) {
        return Err(value.wrong("`absolute` must be at least 0"));
    }
    Ok(Tolerance {
        ulps: ulps.unwrap_or(0),
        absolute: absolute.unwrap_or(0.0),
    })
}

/// `[[dump]]`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Dump {
    pub(super) buffer: usize,
    pub(super) path: PathBuf,
}

impl Dump {
    pub(super) fn read(
        table: &Table<'_>,
        buffers: &[FileBuffer],
        folder: &Path,
    ) -> Result<Self, Noted> {
        let buffer = required_target(table, buffers);
        let path = table.required("file", Value::string);
        table.end();
        Ok(Self {
            buffer: buffer?,
            path: folder.join(path?),
        })
    }
}
