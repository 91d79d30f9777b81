//! JUnit XML: the elements and attributes that Jenkins, GitLab and GitHub's actions read.

use std::fmt::Write as _;

use super::Case;

/// A test suite.
#[derive(Debug)]
pub(super) struct Junit {
    name: String,
    cases: String,
    tests: u64,
    failures: u64,
    errors: u64,
}

impl Junit {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            cases: String::new(),
            tests: 0,
            failures: 0,
            errors: 0,
        }
    }

    /// Adds a test case, which fails if a finding is an error. Other findings are part of its output.
    pub(super) fn add(&mut self, case: &Case) {
        let texts = |is_error: bool| {
            let of_kind = case.findings.iter();
            let of_kind = of_kind.filter(move |found| (found["severity"] == "error") == is_error);
            of_kind.map(|found| found["message"].as_str().unwrap_or_default())
        };
        let errors: Vec<&str> = texts(true).collect();
        let output: Vec<&str> = Some(case.printed.as_str())
            .filter(|printed| !printed.is_empty())
            .into_iter()
            .chain(texts(false))
            .collect();
        let mut inside = String::new();
        if let Some(first) = errors.first().and_then(|report| report.lines().next()) {
            self.failures += 1;
            let kinds = case.findings.iter();
            let mut kinds = kinds.filter(|found| found["severity"] == "error");
            let kind = kinds.next().and_then(|found| found["kind"].as_str());
            let more = match errors.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            let _ = writeln!(
                inside,
                "      <failure type=\"{}\" message=\"{}\">{}</failure>",
                escaped(kind.unwrap_or_default()),
                escaped(&format!("{first}{more}")),
                escaped(&format!(
                    "{}\n  = again: {}",
                    errors.join("\n\n"),
                    case.again
                )),
            );
        }
        if !output.is_empty() {
            let output = escaped(&output.join("\n"));
            let _ = writeln!(inside, "      <system-out>{output}</system-out>");
        }
        self.case(&case.file, &case.name, &inside);
    }

    /// Adds the error that kept a file from running.
    pub(super) fn fail(&mut self, file: &str, message: &str) {
        self.errors += 1;
        let first = message.lines().next().unwrap_or_default();
        let inside = format!(
            "      <error message=\"{}\">{}</error>\n",
            escaped(first),
            escaped(message)
        );
        self.case(file, "run", &inside);
    }

    fn case(&mut self, file: &str, name: &str, inside: &str) {
        self.tests += 1;
        let (file, name) = (escaped(file), escaped(name));
        let head = format!("    <testcase classname=\"{file}\" name=\"{name}\"");
        self.cases += &match inside {
            "" => format!("{head}/>\n"),
            _ => format!("{head}>\n{inside}    </testcase>\n"),
        };
    }

    pub(super) fn finish(self) -> String {
        let Self {
            name,
            cases,
            tests,
            failures,
            errors,
        } = self;
        let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  \
             <testsuite name=\"{}\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n",
            escaped(&name)
        )
    }
}

/// Escapes a text for XML 1.0, in elements and attributes. Characters that XML forbids are shown as `\u001b`.
fn escaped(text: &str) -> String {
    let mut to = String::new();
    for c in text.chars() {
        match c {
            '&' => to.push_str("&amp;"),
            '<' => to.push_str("&lt;"),
            '>' => to.push_str("&gt;"),
            '"' => to.push_str("&quot;"),
            '\n' | '\t' | ' '..='\u{7e}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'.. => to.push(c),
            _ => {
                let _ = write!(to, "\\u{:04x}", u32::from(c));
            }
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn case(findings: &[(&str, &str)]) -> Case {
        let findings = findings.iter().map(
            |(severity, message)| json!({ "kind": "k", "severity": severity, "message": message }),
        );
        Case {
            file: "a b.toml".to_owned(),
            name: "seed 3".to_owned(),
            findings: findings.collect(),
            printed: String::new(),
            again: "tma emulate 'a b.toml' --seed 3".to_owned(),
        }
    }

    #[test]
    fn a_case_fails_by_errors_alone() {
        let mut junit = Junit::new("tma emulate".to_owned());
        junit.add(&case(&[]));
        junit.add(&case(&[
            ("warning", "warning[k]: w"),
            ("note", "note[k]: n"),
        ]));
        junit.add(&case(&[("error", "error[k]: e\n  at"), ("error", "f")]));
        junit.fail("a b.toml", "wrong\nline");
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" errors="1">
  <testsuite name="tma emulate" tests="4" failures="1" errors="1">
    <testcase classname="a b.toml" name="seed 3"/>
    <testcase classname="a b.toml" name="seed 3">
      <system-out>warning[k]: w
note[k]: n</system-out>
    </testcase>
    <testcase classname="a b.toml" name="seed 3">
      <failure type="k" message="error[k]: e (and 1 more)">error[k]: e
  at

f
  = again: tma emulate 'a b.toml' --seed 3</failure>
    </testcase>
    <testcase classname="a b.toml" name="run">
      <error message="wrong">wrong
line</error>
    </testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(junit.finish(), expected);
    }

    #[test]
    fn texts_are_valid_xml() {
        assert_eq!(
            escaped("<&\">\u{1b}[2J\r\0\u{9b}\u{ffff}\u{1f600} ü\n\t"),
            "&lt;&amp;&quot;&gt;\\u001b[2J\\u000d\\u0000\\u009b\\uffff\u{1f600} ü\n\t"
        );
    }
}
