//! Findings that the library in the program writes for report files.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::reports::Case;

/// A launch of a process, or all invalid calls of it.
type At = (u64, Option<u64>);

/// Returns a case for each launch, in the order of the launches, and one for the invalid calls of each process.
///
/// A line has the numbers of the process and the launch, and either the launch in words, or the number of a finding
/// in its process and the seed. The first line of a finding has the finding.
pub(super) fn cases(
    lines: &str,
    program: &str,
    first_seed: u64,
    again: impl Fn(u64, Option<&str>) -> String,
) -> Vec<Case> {
    let lines: Vec<Value> = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let mut cases: Vec<Case> = Vec::new();
    let mut indices: BTreeMap<At, usize> = BTreeMap::new();
    let mut known: HashMap<(u64, u64), &Value> = HashMap::new();
    let mut in_case: HashSet<(usize, u64)> = HashSet::new();
    for line in &lines {
        let process = line["process"].as_u64().unwrap_or_default();
        let launch = line["launch"].as_u64();
        let index = *indices.entry((process, launch)).or_insert_with(|| {
            cases.push(Case {
                file: program.to_owned(),
                name: "calls".to_owned(),
                again: again(first_seed, None),
                ..Case::default()
            });
            cases.len() - 1
        });
        let case = &mut cases[index];
        if let Some(what) = line["what"].as_str() {
            case.name = format!("launch {what}");
        }
        let Some(number) = line["number"].as_u64() else {
            continue;
        };
        if line["finding"].is_object() {
            known.insert((process, number), &line["finding"]);
        }
        if in_case.insert((index, number))
            && let Some(finding) = known.get(&(process, number))
        {
            if case.findings.is_empty() {
                let seed = line["seed"].as_u64().unwrap_or(first_seed);
                case.again = again(seed, finding["schedule"].as_str());
            }
            case.findings.push((*finding).clone());
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_launch_has_its_findings_once() {
        let lines = [
            json!({ "process": 7, "launch": 1, "what": "number 1, `k`" }),
            json!({ "process": 7, "launch": 1, "seed": 3, "number": 0, "finding": { "kind": "a" } }),
            json!({ "process": 7, "launch": 1, "seed": 4, "number": 0 }),
            json!({ "process": 7, "launch": 2, "what": "number 2, `k`" }),
            json!({ "process": 8, "launch": null, "number": 0, "finding": { "kind": "b" } }),
            json!({ "process": 9, "launch": 1, "seed": 0, "number": 0, "finding": { "kind": "c", "schedule": "1:0:usual" } }),
            json!({ "process": 7, "launch": 2, "seed": 5, "number": 0 }),
            json!({ "process": 7, "launch": 3, "what": "number 3, `k`" }),
        ];
        let text = lines.map(|line| line.to_string()).join("\n");
        let cases = cases(&text, "./p", 2, |seed, schedule: Option<&str>| {
            format!("again {}", schedule.unwrap_or(&seed.to_string()))
        });
        let shown: Vec<_> = cases
            .iter()
            .map(|case| {
                let kinds = case.findings.iter().map(|found| found["kind"].clone());
                (&*case.name, Value::from_iter(kinds), &*case.again)
            })
            .collect();
        let expected = [
            ("launch number 1, `k`", json!(["a"]), "again 3"),
            ("launch number 2, `k`", json!(["a"]), "again 5"),
            ("calls", json!(["b"]), "again 2"),
            ("calls", json!(["c"]), "again 1:0:usual"),
            ("launch number 3, `k`", json!([]), "again 2"),
        ];
        assert_eq!(shown, expected);
        assert!(cases.iter().all(|case| case.file == "./p"));
    }
}
