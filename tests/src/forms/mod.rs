//! Every instruction form of the family: the wrapper that emits it, and what the checklist says.
//!
//! A row of `forms/probes.txt` becomes a kernel of the crate `tests-forms`, which is never launched.

use std::collections::HashMap;

mod checklist;
mod table;

pub use checklist::{Form, by_width, forms};
pub use table::{Emitted, Row, rows};

/// The checklist as text.
pub const CHECKLIST: &str = include_str!("../../forms/checklist.tsv");

/// The table of probes as text.
pub const PROBES: &str = include_str!("../../forms/probes.txt");

/// What a form has to do with the wrappers.
#[derive(Clone, Debug)]
pub struct Support {
    /// The form.
    pub form: Form,
    /// The wrapper that emits it or another spelling of it, from `tma::ptx` on, with its type and
    /// const parameters.
    pub wrapper: String,
    /// The kernel that calls it.
    pub probe: String,
    /// The text that the wrapper emits where it is spelled otherwise.
    pub spelled: Option<String>,
}

/// Every form of the checklist with its wrapper, in the order of the checklist.
///
/// # Errors
/// What the table lacks or has too much.
pub fn support() -> Result<Vec<Support>, Vec<String>> {
    let rows = rows(PROBES).map_err(|error| vec![error])?;
    let probe = |text: &str| {
        let probes = rows
            .iter()
            .filter(|row| matches!(row.emitted, Emitted::By(_)));
        probes.enumerate().find(|(_, row)| row.text == text)
    };
    let mut wrong = Vec::new();
    let mut supported = Vec::new();
    let forms = forms(CHECKLIST);
    for form in &forms {
        let text = form.text();
        let mut all = rows.iter().filter(|row| row.text == text);
        let (row, more) = (all.next(), all.count());
        let emitted = match row {
            Some(Row {
                emitted: Emitted::As(other),
                ..
            }) => probe(other),
            Some(row) => probe(&row.text),
            None => None,
        };
        match emitted {
            Some((
                index,
                Row {
                    text: emitted,
                    emitted: Emitted::By(call),
                },
            )) if more == 0 => {
                supported.push(Support {
                    form: form.clone(),
                    wrapper: call
                        .split_once('(')
                        .map_or(call.as_str(), |(path, _)| path)
                        .to_owned(),
                    probe: probe_name(index),
                    spelled: (*emitted != text).then(|| emitted.clone()),
                });
            }
            _ if row.is_none() => wrong.push(format!("no row: {text}")),
            _ if more > 0 => wrong.push(format!("{} rows: {text}", more + 1)),
            _ => wrong.push(format!(
                "a row whose other spelling no wrapper emits: {text}"
            )),
        }
    }
    let texts: std::collections::HashSet<String> = forms.iter().map(Form::text).collect();
    let unknown = rows.iter().filter(|row| !texts.contains(&row.text));
    wrong.extend(unknown.map(|row| format!("not on the checklist: {}", row.text)));
    if wrong.is_empty() {
        Ok(supported)
    } else {
        Err(wrong)
    }
}

/// A row of the table of probes whose form a wrapper emits.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its number among these, which names its kernel.
    pub index: usize,
    /// The form.
    pub text: String,
    /// What emits it.
    pub call: String,
}

/// The calls whose architecture is on.
///
/// # Errors
/// The line of the table that cannot be read, and why.
pub fn calls(is_on: impl Fn(&str) -> bool) -> Result<Vec<Call>, String> {
    let forms = forms(CHECKLIST);
    let architectures: HashMap<String, &str> = forms
        .iter()
        .map(|form| (form.text(), form.architecture()))
        .collect();
    let calls = rows(PROBES)?
        .into_iter()
        .filter_map(|row| match row.emitted {
            Emitted::By(call) => Some((row.text, call)),
            Emitted::As(_) => None,
        });
    let calls = calls
        .enumerate()
        .map(|(index, (text, call))| Call { index, text, call });
    let on = |call: &Call| {
        architectures
            .get(&call.text)
            .is_some_and(|name| is_on(name))
    };
    Ok(calls.filter(on).collect())
}

/// What the kernel of a probe is called.
pub fn probe_name(index: usize) -> String {
    format!("form_{index:04}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_form_has_one_wrapper() {
        let supported = super::support().map_err(|wrong| wrong.join("\n"));
        let supported = supported.unwrap_or_else(|wrong| panic!("{wrong}"));
        let spelled = supported
            .iter()
            .filter(|form| form.spelled.is_some())
            .count();
        println!(
            "{} forms: {} emitted by wrappers, {spelled} other spellings of these",
            supported.len(),
            supported.len() - spelled
        );
        assert_eq!(supported.len(), 1175);
    }
}
