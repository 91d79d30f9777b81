//! The step `python` of CI: builds the Python package as users install it, and checks its types and tests.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use crate::{
    paths::{root, target_dir},
    process::{first_line, run, status},
    test::{Counts, LONG_VARIABLE},
};

/// Packages needed to build and test.
const PACKAGES: [&str; 5] = ["maturin>=1.9,<2", "ml_dtypes", "mypy", "numpy", "pytest>=8"];

/// The Triton version of the tests, about 200 MB.
const TRITON: &str = "triton==3.9.*";

/// Builds the wheel, installs it into its own environment and tests it there. Counts as skipped if Python cannot
/// create an environment or the packages cannot be downloaded.
pub(crate) fn check(counts: &mut Counts) -> Result<()> {
    let makes_environments = ["-c", "import ensurepip, venv; print('yes')"];
    let mut pythons = ["python3", "python"].into_iter();
    let Some(python) = pythons.find(|it| first_line(it, &makes_environments).is_some()) else {
        say!("skipped: there is no python3 with venv; Debian: apt-get install python3-venv");
        counts.skipped += 1;
        return Ok(());
    };
    let folder = target_dir().join("python");
    let environment = folder.join("venv");
    if !program(&environment).is_file() {
        run(Command::new(python).args(["-m", "venv"]).arg(&environment))?;
    }
    let module = |name: &str| {
        let mut command = Command::new(program(&environment));
        command.args(["-m", name]).current_dir(package());
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    };
    let install = || {
        let mut pip = module("pip");
        pip.args(["--disable-pip-version-check", "install", "--quiet"]);
        pip
    };
    let is_long = env::var_os(LONG_VARIABLE).is_some();
    let triton = is_long.then_some(TRITON);
    if let Err(error) = run(install().args(PACKAGES).args(triton)) {
        say!("skipped: {error}; is there a network?");
        counts.skipped += 1;
        return Ok(());
    }
    let wheels = folder.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels)
            .with_context(|| format!("cannot remove {}", wheels.display()))?;
    }
    // The same profile as the workspace's tests, so that the crates are already built.
    let mut build = module("maturin");
    build.args(["build", "--quiet", "--profile=dev", "--out"]);
    run(build.arg(&wheels))?;
    let mut built = fs::read_dir(&wheels)?.flatten().map(|file| file.path());
    let wheel = built.next().context("maturin built no wheel")?;
    run(install()
        .args(["--no-deps", "--force-reinstall"])
        .arg(wheel))?;
    run(module("mypy").arg("--cache-dir").arg(folder.join("mypy")))?;
    // mypy writes its cache to its folder.
    run(module("mypy.stubtest")
        .arg("tma_emulator._native")
        .current_dir(&folder))?;
    let report = folder.join("tests.xml");
    let mut tests = module("pytest");
    tests.args(["-q", "-rs", "-p", "no:cacheprovider", "--junitxml"]);
    let passed = status(tests.arg(&report).arg("tests"))?.success();
    let report = fs::read_to_string(&report).context("pytest wrote no report")?;
    let counted = counted(&report).context("pytest's report has no counts")?;
    *counts += counted;
    ensure!(passed && counted.is_good(), "{counted}");
    Ok(())
}

/// Returns the folder of the package.
fn package() -> PathBuf {
    root().join("checker").join("python")
}

/// Returns the Python executable of an environment.
fn program(environment: &Path) -> PathBuf {
    match cfg!(windows) {
        true => environment.join("Scripts").join("python.exe"),
        false => environment.join("bin").join("python"),
    }
}

/// Parses `<testsuite name="pytest" errors="0" failures="1" skipped="2" tests="9" …>`.
fn counted(report: &str) -> Option<Counts> {
    let (_, suite) = report.split_once("<testsuite ")?;
    let (attributes, _) = suite.split_once('>')?;
    let number = |name: &str| {
        let (_, value) = attributes.split_once(&format!(" {name}=\""))?;
        value.split('"').next()?.parse::<u64>().ok()
    };
    let (failed, skipped) = (number("errors")? + number("failures")?, number("skipped")?);
    Some(Counts {
        passed: number("tests")?.checked_sub(failed + skipped)?,
        failed,
        skipped,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_pytest_are_read() {
        let report = "<?xml version=\"1.0\"?><testsuites><testsuite name=\"pytest\" errors=\"1\" failures=\"2\" \
            skipped=\"3\" tests=\"10\" time=\"1.0\"><testcase tests=\"7\"/></testsuite></testsuites>";
        let expected = Counts {
            passed: 4,
            failed: 3,
            skipped: 3,
        };
        assert_eq!(counted(report), Some(expected));
        assert_eq!(counted(&report.replace("skipped", "left-out")), None);
        assert_eq!(counted("<testsuites></testsuites>"), None);
    }
}
