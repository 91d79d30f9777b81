//! Half a minute of arbitrary input, and what the other steps do for the workspace.

use std::{path::PathBuf, process::Command};

use anyhow::Result;

use crate::{
    paths::root,
    process::{cargo_in, run},
};

/// How long CI looks for a finding.
const SECONDS: &str = "30";

pub(crate) fn check() -> Result<()> {
    run(in_fuzz().args(["fmt", "--all", "--check"]))?;
    run(in_fuzz().args(["clippy", "--all-targets", "--", "-D", "warnings"]))?;
    run(in_fuzz()
        .args(["run", "--bin", "fuzz-smoke", "--"])
        .args(["--seconds", SECONDS]))
}

fn in_fuzz() -> Command {
    cargo_in(&folder())
}

fn folder() -> PathBuf {
    root().join("fuzz")
}
