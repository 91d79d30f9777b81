//! JUnit XML: the elements and attributes that Jenkins, GitLab and GitHub's actions read.

use std::fmt::Write as _;

use super::{Case, Outcome};

/// A test suite.
#[derive(Debug)]
pub(super) struct Junit {
    name: String,
    cases: String,
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

impl Junit {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            cases: String::new(),
            tests: 0,
            failures: 0,
            errors: 0,
            skipped: 0,
        }
    }

    /// Adds a test case, which fails if a finding is an error. Other findings are part of its output.
    pub(super) fn add(&mut self, case: &Case) {
        let texts = |is_error: bool| {
            let of_kind = case.findings.iter();
            let of_kind = of_kind.filter(move |found| (found["severity"] == "error") == is_error);
            of_kind.map(|found| found["message"].as_str().unwrap_or_default())
        };
        let errors: Vec<&str> = match case.outcome {
            Outcome::Checked => texts(true).collect(),
            Outcome::Passed | Outcome::Skipped | Outcome::Failed(_) => Vec::new(),
        };
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
        match &case.outcome {
            Outcome::Failed(text) => {
                self.failures += 1;
                let _ = writeln!(
                    inside,
                    "      <failure type=\"test\" message=\"{}\">{}</failure>",
                    escaped(reason(text)),
                    escaped(&format!("{text}\n  = again: {}", case.again)),
                );
            }
            Outcome::Skipped => {
                self.skipped += 1;
                inside.push_str("      <skipped/>\n");
            }
            Outcome::Checked | Outcome::Passed => {}
        }
        if !output.is_empty() {
            let output = escaped(&output.join("\n"));
            let _ = writeln!(inside, "      <system-out>{output}</system-out>");
        }
        let class = case.class.as_ref().unwrap_or(&case.file);
        self.case((class, &case.name), case.seconds, &inside);
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
        self.case((file, "run"), None, &inside);
    }

    fn case(&mut self, (class, name): (&str, &str), seconds: Option<f64>, inside: &str) {
        self.tests += 1;
        let (class, name) = (escaped(class), escaped(name));
        let time = seconds.map_or(String::new(), |seconds| format!(" time=\"{seconds:.3}\""));
        let head = format!("    <testcase classname=\"{class}\" name=\"{name}\"{time}");
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
            skipped,
        } = self;
        let skipped = match skipped {
            0 => String::new(),
            count => format!(" skipped=\"{count}\""),
        };
        let counts =
            format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"{skipped}");
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  \
             <testsuite name=\"{}\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n",
            escaped(&name)
        )
    }
}

/// Returns the message of a panic in the output of a test, else its first line.
fn reason(output: &str) -> &str {
    let mut lines = output.lines();
    let first = lines.clone().find(|line| !line.is_empty());
    let panics = |line: &str| line.starts_with("thread '") && line.contains(" panicked at ");
    let message = lines.find(|line| panics(line)).and_then(|_| lines.next());
    message.or(first).unwrap_or("the test failed")
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
            ..Case::default()
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
    fn tests_fail_by_their_outcome() {
        let of = |outcome: Outcome, seconds| Case {
            class: Some("p::t".to_owned()),
            outcome,
            seconds,
            ..case(&[("warning", "warning[k]: w")])
        };
        let panic = "seed 3\nthread 'a' (7) panicked at tests/t.rs:3:5:\nwrong\nmore";
        let mut junit = Junit::new("tma test".to_owned());
        junit.add(&of(Outcome::Passed, Some(0.25)));
        junit.add(&of(Outcome::Failed(panic.to_owned()), Some(1.0)));
        junit.add(&Case {
            findings: Vec::new(),
            ..of(Outcome::Skipped, None)
        });
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="0" skipped="1">
  <testsuite name="tma test" tests="3" failures="1" errors="0" skipped="1">
    <testcase classname="p::t" name="seed 3" time="0.250">
      <system-out>warning[k]: w</system-out>
    </testcase>
    <testcase classname="p::t" name="seed 3" time="1.000">
      <failure type="test" message="wrong">seed 3
thread 'a' (7) panicked at tests/t.rs:3:5:
wrong
more
  = again: tma emulate 'a b.toml' --seed 3</failure>
      <system-out>warning[k]: w</system-out>
    </testcase>
    <testcase classname="p::t" name="seed 3">
      <skipped/>
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
