//! The rules of SARIF 2.1.0 that logs of `tma` must keep.

use std::{collections::HashSet, fs, path::Path};

use serde_json::Value;
use tma_emulator::check::DiagnosticKind;

/// Reads a log, checks it against the rules of SARIF 2.1.0 and returns its only run.
#[track_caller]
pub(crate) fn log(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    let log: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert!(
        log["$schema"]
            .as_str()
            .unwrap()
            .ends_with("sarif-schema-2.1.0.json")
    );
    let [run] = &log["runs"].as_array().unwrap()[..] else {
        panic!("{text}")
    };
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "tma");
    assert_eq!(driver["version"], env!("CARGO_PKG_VERSION"));
    assert!(
        driver["informationUri"]
            .as_str()
            .unwrap()
            .starts_with("https://")
    );
    let rules = driver["rules"].as_array().unwrap();
    for rule in rules {
        for text in ["shortDescription", "help"] {
            assert!(!rule[text]["text"].as_str().unwrap().is_empty(), "{rule}");
        }
        let level = &rule["defaultConfiguration"]["level"];
        assert!(
            ["error", "warning"].iter().any(|known| level == known),
            "{rule}"
        );
    }
    let ids = rules.iter().map(|rule| rule["id"].as_str().unwrap());
    let ids: HashSet<&str> = ids.collect();
    assert_eq!(ids.len(), rules.len());
    assert!(
        DiagnosticKind::ALL
            .iter()
            .all(|kind| ids.contains(kind.name()))
    );
    let bases = run["originalUriBaseIds"].as_object().unwrap();
    for base in bases.values() {
        let uri = base["uri"].as_str().unwrap();
        assert!(uri.starts_with("file:///") && uri.ends_with('/'), "{uri}");
        assert!(is_uri(uri), "{uri}");
    }
    let [invocation] = &run["invocations"].as_array().unwrap()[..] else {
        panic!("{text}")
    };
    let notifications = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(invocation["executionSuccessful"], notifications.is_empty());
    let mut fingerprints = HashSet::new();
    for result in run["results"].as_array().unwrap() {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let level = result["level"].as_str().unwrap();
        assert!(["error", "warning", "note"].contains(&level), "{result}");
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        assert!(result["occurrenceCount"].as_u64().unwrap() >= 1);
        assert_eq!(result["locations"].as_array().unwrap().len(), 1, "{result}");
        let fingerprint = result["partialFingerprints"]["site/v1"].as_str().unwrap();
        assert!(fingerprints.insert(fingerprint), "{result}");
    }
    let mut locations = Vec::new();
    for holder in run["results"]
        .as_array()
        .unwrap()
        .iter()
        .chain(notifications)
    {
        for field in ["locations", "relatedLocations"] {
            locations.extend(holder[field].as_array().into_iter().flatten());
        }
    }
    for location in locations {
        let place = &location["physicalLocation"];
        assert!(
            place["region"]["startLine"].as_u64().unwrap() >= 1,
            "{location}"
        );
        let artifact = &place["artifactLocation"];
        let uri = artifact["uri"].as_str().unwrap();
        assert!(is_uri(uri), "{uri}");
        if let Some(base) = artifact["uriBaseId"].as_str() {
            assert!(bases.contains_key(base) && !uri.contains(':'), "{artifact}");
        }
    }
    run.clone()
}

/// Returns whether all characters are allowed in a URI (RFC 3986).
fn is_uri(text: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._~/:%".contains(c);
    text.chars().all(is_allowed)
}
