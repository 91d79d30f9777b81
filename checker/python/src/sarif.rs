//! Findings of many tests as a SARIF log.

use std::path::PathBuf;

use finding_reports::{Origin, Sarif};
use pyo3::{PyResult, exceptions::PyValueError, pyfunction};

use crate::findings::Finding;

/// Returns a finding as JSON.
#[pyfunction]
pub(crate) fn to_json(finding: &Finding) -> String {
    finding_reports::to_json(&finding.0).to_string()
}

/// Returns a SARIF log of findings, each with the file and line of its test and the command that repeats the test.
#[pyfunction]
pub(crate) fn sarif(
    findings: Vec<(String, String, u64, String)>,
    root: PathBuf,
) -> PyResult<String> {
    let mut log = Sarif::new(&root, []);
    for (json, file, line, again) in &findings {
        let finding = json.parse();
        let finding =
            finding.map_err(|error| PyValueError::new_err(format!("finding: {error}")))?;
        let origin = Origin {
            file,
            line: *line,
            again,
        };
        log.add(&finding, origin);
    }
    Ok(log.finish())
}
