//! Tests must not end early without being listed as ignored.

use super::{File, Violation};

/// Beginnings and ends of lines that end a test early.
const BEGINNINGS: [&str; 2] = ["return;", "return Ok(())"];
const ENDS: [&str; 2] = ["else { return };", "=> return,"];

/// The line that test programs with their own list print for an ignored test.
const SKIPPED: &str = concat!("println!(\"", "skipped: ");

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    for file in files.iter().filter(|file| file.extension() == "rs") {
        let lines: Vec<&str> = file.lines().map(|(_, line)| line).collect();
        for (start, end) in bodies(&lines) {
            let mut found = |line: usize, says: &str| {
                let says = format!("{says}; a test that cannot run must be ignored with a reason");
                violations.push(Violation::new(file, line + 1, says));
            };
            for (line, text) in lines.iter().enumerate().take(end).skip(start) {
                let text = text.trim_start();
                let begins = BEGINNINGS.iter().any(|it| text.starts_with(it));
                if begins || ENDS.iter().any(|it| text.ends_with(it)) {
                    found(line, "a test returns early");
                }
                if text.starts_with(SKIPPED) {
                    found(line, "a test prints that it is skipped");
                }
            }
            if is_conditional(&lines[start..end]) {
                found(start, "a test has assertions only under a condition");
            }
        }
        let is_test = file.path.split('/').any(|folder| folder == "tests");
        let skips = lines.iter().position(|line| line.contains(SKIPPED));
        if let Some(line) = skips.filter(|_| is_test && !marks_ignored(files, file)) {
            let says = "prints that tests are skipped, but marks none as ignored";
            violations.push(Violation::new(file, line + 1, says));
        }
    }
}

/// Returns whether a list of tests, or one of its modules, marks tests as ignored.
fn marks_ignored(files: &[File], list: &File) -> bool {
    let modules = list.path.trim_end_matches(".rs");
    let mut of_list = files
        .iter()
        .filter(|file| file.path == list.path || file.is_below(&[modules]));
    of_list.any(|file| {
        file.lines()
            .any(|(_, line)| line.contains("with_ignored_flag"))
    })
}

/// Returns the bodies of functions with `#[test]`: the first line of each, and the line of its closing brace.
fn bodies(lines: &[&str]) -> Vec<(usize, usize)> {
    let tests = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.trim_start() == "#[test]");
    let body = |(attribute, line): (usize, &&str)| {
        let indent = line.len() - line.trim_start().len();
        let after = |from: usize, is_it: &dyn Fn(&str) -> bool| {
            let mut rest = lines.iter().enumerate().skip(from);
            rest.find(|(_, line)| is_it(line)).map(|(at, _)| at)
        };
        let opens = after(attribute, &|line| line.trim_end().ends_with('{'))?;
        let closes = after(opens, &|line| {
            line.trim_end() == format!("{:indent$}}}", "")
        })?;
        Some((opens + 1, closes))
    };
    tests.filter_map(body).collect()
}

/// Returns whether a body is a single `if` or `if let` without an `else`.
fn is_conditional(body: &[&str]) -> bool {
    let Some(first) = body.first() else {
        return false;
    };
    let indent = first.len() - first.trim_start().len();
    let at_top = |line: &&&str| line.len() > indent && !line[indent..].starts_with([' ', '/']);
    let top: Vec<&str> = body.iter().filter(at_top).map(|line| line.trim()).collect();
    top.len() == 2 && top[0].starts_with("if ") && top[1] == "}"
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    /// Returns the lines of the violations in a test with this body.
    fn of(body: &str) -> Vec<String> {
        let text = format!("mod tests {{\n    #[test]\n    fn a() {{\n{body}    }}\n}}\n");
        let says = checked(check, &[file("a.rs", &text)]);
        let line = |says: &String| says.split(':').nth(1).map(str::to_owned);
        says.iter().filter_map(line).collect()
    }

    #[test]
    fn early_ends_are_found() {
        let bind = "        let Some(tool) = tool() else {\n            return;\n        };\n";
        assert_eq!(of(bind), ["5"]);
        assert_eq!(
            of(
                "        if tool().is_none() {\n            return Ok(());\n        }\n        run();\n"
            ),
            ["5"]
        );
        assert_eq!(
            of("        let Some(tool) = tool() else { return };\n"),
            ["4"]
        );
        assert_eq!(of(&format!("        {SKIPPED}no tool\");\n")), ["4"]);
    }

    #[test]
    fn a_test_that_is_one_condition_is_found() {
        let condition = "        if let Some(tool) = tool() {\n            run(tool);\n        }\n";
        assert_eq!(of(condition), ["4"]);
        assert_eq!(of(&format!("{condition}        run();\n")), [""; 0]);
        let other = condition.replace(
            "        }\n",
            "        } else {\n            panic!();\n        }\n",
        );
        assert_eq!(of(&other), [""; 0]);
    }

    #[test]
    fn other_functions_and_calls_may_return() {
        assert_eq!(of("        return child();\n"), [""; 0]);
        let text = "fn a() {\n    return;\n}\n";
        assert_eq!(checked(check, &[file("a.rs", text)]), [""; 0]);
    }

    #[test]
    fn a_list_of_tests_marks_what_it_skips() {
        let text = format!("{SKIPPED}no tool\");\n");
        assert_eq!(checked(check, &[file("tests/a.rs", &text)]).len(), 1);
        assert_eq!(checked(check, &[file("src/a.rs", &text)]).len(), 0);
        let marks = "trial.with_ignored_flag(true);\n";
        let module = [file("tests/a.rs", &text), file("tests/a/b.rs", marks)];
        assert_eq!(checked(check, &module).len(), 0);
        assert_eq!(
            checked(check, &[file("tests/a.rs", &(text + marks))]).len(),
            0
        );
    }
}
