//! Files of accepted findings.

use std::path::Path;

use ptx_source::read_file;
use tma_emulator::check::{DiagnosticKind, Suppression, Suppressions};
use tma_launch::{Failure, Stage};
use toml::de::DeTable;

use super::{
    reader::{Table, Value, choice},
    violations::{Invalid, Noted, Notes, Violations},
};

/// Parses the text of a file of suppressions. Messages call it `name`.
///
/// # Errors
/// The text is invalid; the error lists every violation with line and column.
pub fn parse_suppressions(name: &str, text: &str) -> Result<Suppressions, Violations> {
    let notes = Notes::default();
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().unwrap_or(0..0);
        notes.note(Invalid::Here(at, error.message().to_owned()))
    });
    let mut all = Vec::new();
    if let Ok(document) = &document {
        let table = Table::document(document.get_ref(), &notes);
        // Violations were noted.
        if let Ok(Some(list)) = table.optional("suppression", |value| value.list(suppression)) {
            all = list;
        }
        table.end();
    }
    notes.into_result(name, text)?;
    Ok(Suppressions::new(all))
}

/// Size limit of a file of suppressions, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Reads a file of suppressions.
///
/// # Errors
/// The file cannot be read, or its text is invalid.
pub fn read_suppressions(path: &Path) -> Result<Suppressions, Failure> {
    let name = path.display().to_string();
    let failure = |why: String| Failure::new(Stage::Load, why);
    let cannot = |why: String| failure(format!("cannot read `{name}`: {why}"));
    let bytes = read_file(path, MAX_BYTES).map_err(|error| cannot(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| cannot("it is not text".to_owned()))?;
    parse_suppressions(&name, &text).map_err(|violations| failure(violations.to_string()))
}

fn suppression(value: &Value<'_>) -> Result<Suppression, Invalid> {
    let table = value.table("suppression")?;
    let kind = table.required("kind", |value| {
        choice(value, DiagnosticKind::ALL, DiagnosticKind::name)
    });
    let function = table.required("function", Value::string);
    let reason = table.optional("reason", Value::string);
    let read = || -> Result<Suppression, Noted> {
        Ok(Suppression {
            kind: kind?,
            function: function?.to_owned(),
            reason: reason?.map(str::to_owned),
        })
    };
    let is_known = table.end();
    match read() {
        Ok(suppression) if is_known => Ok(suppression),
        _ => Err(Invalid::Noted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suppressions_have_a_kind_a_function_and_a_reason() {
        let text = "
            [[suppression]]
            kind = \"same-value-race\"
            function = \"softmax*\"
            reason = \"all write the row's maximum\"
            [[suppression]]
            kind = \"data-race\"
            function = \"k\"";
        let read = parse_suppressions("s.toml", text).unwrap();
        let all: Vec<_> = read.counts().map(|(one, _)| one.clone()).collect();
        let of = |kind, function: &str, reason: Option<&str>| Suppression {
            kind,
            function: function.to_owned(),
            reason: reason.map(str::to_owned),
        };
        let expected = [
            of(
                DiagnosticKind::SameValueRace,
                "softmax*",
                Some("all write the row's maximum"),
            ),
            of(DiagnosticKind::DataRace, "k", None),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn mistakes_have_their_lines() {
        let text = "[[suppression]]\nkind = \"same-value-races\"\nfunctions = \"k\"\n";
        let wrong = parse_suppressions("s.toml", text).unwrap_err().to_string();
        assert!(
            wrong.contains("s.toml:2:8: `kind`: unknown value `same-value-races`"),
            "{wrong}"
        );
        assert!(wrong.contains("`suppression` has no `function`"), "{wrong}");
        assert!(wrong.contains("did you mean `function`?"), "{wrong}");
    }
}
