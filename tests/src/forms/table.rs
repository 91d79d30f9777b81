//! The table of probes, `forms/probes.txt`; its head says what stands in it.

/// What a row says of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Emitted {
    /// A probe emits it with this call.
    By(String),
    /// It means the same as this form.
    As(String),
}

/// A row for one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The form, operands by their width.
    pub text: String,
    /// Where it comes from.
    pub emitted: Emitted,
}

/// Reads the table and writes out its groups: one row for each form.
///
/// # Errors
/// The line that cannot be read, and why.
pub fn rows(table: &str) -> Result<Vec<Row>, String> {
    let mut names: Vec<(String, &str)> = Vec::new();
    let mut rows = Vec::new();
    let mut text: Option<&str> = None;
    let lines = table.lines().enumerate();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let at = |reason: &str| format!("line {}: {reason}: {line}", number + 1);
        if let Some(rest) = line.strip_prefix("let ") {
            let (name, value) = rest.split_once(" = ").ok_or_else(|| at("no value"))?;
            names.push((format!("${name}"), value));
            continue;
        }
        // Longer names first, since one may begin another.
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let written_out = |text: &str| {
            names.iter().fold(text.to_owned(), |text, (name, value)| {
                text.replace(name, value)
            })
        };
        let Some(value) = line.strip_prefix("    =") else {
            if text.replace(line).is_some() {
                return Err(at("nothing is said of the line before"));
            }
            continue;
        };
        let text = text.take().ok_or_else(|| at("no form before it"))?;
        let (is_same, value) = match value.strip_prefix("= ") {
            Some(other) => (true, other),
            None => (false, value.trim_start()),
        };
        let pairs =
            expand(&written_out(text), &written_out(value)).map_err(|reason| at(&reason))?;
        rows.extend(pairs.into_iter().map(|(text, value)| Row {
            text,
            emitted: if is_same {
                Emitted::As(value)
            } else {
                Emitted::By(value)
            },
        }));
    }
    match text {
        None => Ok(rows),
        Some(text) => Err(format!("nothing is said of `{text}`")),
    }
}

/// A part of a text.
enum Part<'a> {
    Plain(&'a str),
    /// A group: its letter or number, and what it stands for.
    Group(String, Vec<&'a str>),
}

/// Every combination of the groups, in both texts alike.
fn expand(left: &str, right: &str) -> Result<Vec<(String, String)>, String> {
    let (left, right) = (parts(left)?, parts(right)?);
    let mut axes: Vec<(&str, usize)> = Vec::new();
    for part in left.iter().chain(&right) {
        let Part::Group(name, choices) = part else {
            continue;
        };
        match axes.iter().find(|(axis, _)| axis == name) {
            None => axes.push((name, choices.len())),
            Some((_, count)) if *count == choices.len() => {}
            Some(_) => return Err(format!("group {name} has another length elsewhere")),
        }
    }
    let combinations: usize = axes.iter().map(|(_, count)| count).product();
    let text = |parts: &[Part<'_>], mut combination: usize| {
        let chosen: Vec<(&str, usize)> = axes
            .iter()
            .map(|(axis, count)| {
                let index = combination % count;
                combination /= count;
                (*axis, index)
            })
            .collect();
        let choose = |part: &Part<'_>| match part {
            Part::Plain(text) => (*text).to_owned(),
            Part::Group(name, choices) => {
                let index = chosen.iter().find(|(axis, _)| axis == name);
                index.map_or_else(String::new, |(_, index)| choices[*index].to_owned())
            }
        };
        parts.iter().map(choose).collect::<String>()
    };
    let both = |combination| (text(&left, combination), text(&right, combination));
    Ok((0..combinations).map(both).collect())
}

/// Takes a text apart. Braces without `|` between them are no group.
fn parts(text: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut unnamed = 0;
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let length = closing(&rest[open..]).ok_or("a brace is not closed")?;
        let inside = &rest[open + 1..open + length];
        let (name, choices) = match inside.split_once(':') {
            Some((name, choices)) if name.len() == 1 && name.as_bytes()[0].is_ascii_uppercase() => {
                (Some(name.to_owned()), choices)
            }
            _ => (None, inside),
        };
        let choices = alternatives(choices);
        if choices.len() == 1 {
            parts.push(Part::Plain(&rest[..open + length + 1]));
        } else {
            parts.push(Part::Plain(&rest[..open]));
            let name = name.unwrap_or_else(|| {
                unnamed += 1;
                unnamed.to_string()
            });
            parts.push(Part::Group(name, choices));
        }
        rest = &rest[open + length + 1..];
    }
    parts.push(Part::Plain(rest));
    Ok(parts)
}

/// Where the brace that a text begins with is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (index, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

/// Splits at each `|` outside of braces.
fn alternatives(text: &str) -> Vec<&str> {
    let mut depth = 0;
    text.split(|character| {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        character == '|' && depth == 0
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(table: &str) -> Vec<String> {
        let rows = rows(table).unwrap();
        let line = |row: &Row| match &row.emitted {
            Emitted::By(call) => format!("{} = {call}", row.text),
            Emitted::As(other) => format!("{} == {other}", row.text),
        };
        rows.iter().map(line).collect()
    }

    #[test]
    fn groups_are_written_out_in_both_texts_alike() {
        assert_eq!(
            written("op.{a|b}.{R:1d|2d} {R:{r}|{r,r}}\n    = op::{x|y}({R:1|2})\n"),
            [
                "op.a.1d {r} = op::x(1)",
                "op.b.1d {r} = op::y(1)",
                "op.a.2d {r,r} = op::x(2)",
                "op.b.2d {r,r} = op::y(2)",
            ]
        );
    }

    #[test]
    fn names_and_other_spellings_are_read() {
        assert_eq!(
            written("let LIST = {r,r}\n# remark\nold.x $LIST\n    == new.x $LIST\n"),
            ["old.x {r,r} == new.x {r,r}"]
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(rows("op\nop\n    = op()\n").is_err());
        assert!(rows("    = op()\n").is_err());
        assert!(rows("op.{R:a|b} {R:c|d|e}\n    = op()\n").is_err());
        assert!(rows("op {a|b\n    = op()\n").is_err());
    }
}
