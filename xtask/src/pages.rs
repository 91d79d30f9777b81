//! Runs every command in README and the pages as a reader would type it.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use clap::ValueEnum as _;
use tma_project::new::Template;

use crate::{
    paths::{root, target_dir},
    process::{WORKSPACE, cargo, cargo_in, run as run_command, shown},
};

/// Prefixes of commands that do not run here, with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo xtask test", "another step of `ci`"),
    ("cargo xtask ci", "it is this run"),
    ("cargo xtask fuzz", "another step of `ci`"),
    ("cargo xtask site", "another step of `ci`"),
    ("cargo xtask bless", "it changes files of the repository"),
    ("cargo xtask bundle", "a release build takes minutes"),
    ("cargo xtask bench", "it needs a GPU or minutes"),
    ("cargo xtask programs", "it fetches repositories"),
    ("tma exec ./program", "the program is the reader's own"),
    (
        "cargo xtask run --codegen rust-cuda",
        "it needs rust-cuda's backend",
    ),
    ("tma finish kernels.ptx", "the PTX is a reader's own"),
    (
        "tma emulate locks.toml",
        "it finds a deadlock; `a_deadlock_that_no_seed_shows_is_found_and_repeated` runs it",
    ),
    (
        "tma emulate transpose.toml",
        "the kernel is one of the tests of `--performance`",
    ),
    ("tma record", "it needs a GPU"),
    (
        "tma replay",
        "it needs archives that `tma record` made on a GPU",
    ),
    (
        "cargo xtask mutate",
        "it takes minutes; the test `mutants` runs a part of it",
    ),
    (
        "cargo xtask new",
        "`the_projects_of_new` runs it in a folder of its own",
    ),
    (
        "cd ../sums",
        "`the_projects_of_new` runs it in a folder of its own",
    ),
    ("cargo test", "the step `test` runs all tests"),
    (
        "cargo xtask package",
        "the step `package` runs it without publishing",
    ),
    ("cargo xtask wheel", "a release build takes minutes"),
    ("cargo login", "only for a release"),
    ("cargo generate", "cargo-generate is another program"),
    (
        "cargo tma",
        "it is installed by `cargo install`; `the_projects_of_new` runs what it calls",
    ),
    (
        "cargo install",
        "it changes the user's folder; `tma` is built and used here",
    ),
    ("cargo run --release", "a release build takes minutes"),
];

/// Programs whose commands run.
const PROGRAMS: [&str; 3] = ["cargo", "tma", "cd"];

/// A command, and the page and line of its first occurrence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Typed {
    command: String,
    page: PathBuf,
    line: usize,
}

/// Runs the commands of the pages, and tests the project created by `new`.
///
/// # Errors
/// Commands failed, each reported with its page and line; or an entry of `NOT_RUN` matches no command.
pub(crate) fn check() -> Result<()> {
    let mut commands = BTreeSet::new();
    for page in pages()? {
        let path = root().join(&page);
        let text = fs::read_to_string(&path);
        let text = text.with_context(|| format!("cannot read {}", path.display()))?;
        let typed = commands_of(&text).into_iter();
        commands.extend(typed.map(|(line, command)| Typed {
            command,
            page: page.clone(),
            line,
        }));
    }
    let mut commands: Vec<Typed> = commands.into_iter().collect();
    commands.dedup_by(|later, first| later.command == first.command);
    for (prefix, _) in NOT_RUN {
        ensure!(
            commands
                .iter()
                .any(|typed| typed.command.starts_with(prefix)),
            "no page contains a command that begins with `{prefix}`; remove its entry from NOT_RUN"
        );
    }
    run_command(
        cargo()
            .args(["build", "--quiet", "--bin=tma"])
            .args(WORKSPACE),
    )?;
    let (left_out, wanted): (Vec<_>, Vec<_>) = commands
        .iter()
        .partition(|typed| is_left_out(&typed.command));
    let mut failed = 0;
    for typed in &wanted {
        if let Err(error) = run(typed) {
            complain!("error: {error:#}");
            failed += 1;
        }
    }
    let (ran, left_out) = (wanted.len(), left_out.len());
    say!("{ran} commands of the pages ran, {left_out} were skipped");
    ensure!(
        failed == 0,
        "{failed} of {ran} commands of the pages failed"
    );
    the_projects_of_new()
}

/// Returns README, the pages and the files next to them, as paths in the checkout.
fn pages() -> Result<Vec<PathBuf>> {
    let mut pages: Vec<PathBuf> = ["README.md", "checker/fuzz/README.md"]
        .map(PathBuf::from)
        .into();
    for folder in ["docs", "docs/tutorial"].map(Path::new) {
        let entries = root().join(folder).read_dir();
        let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
        let paths = entries
            .flatten()
            .map(|entry| folder.join(entry.file_name()));
        pages.extend(paths.filter(|path| path.extension().is_some_and(|it| it == "md")));
    }
    pages.sort();
    Ok(pages)
}

fn is_left_out(command: &str) -> bool {
    NOT_RUN
        .iter()
        .any(|(prefix, _)| command.starts_with(prefix))
}

/// Returns the commands of a page with their lines: indented or after `$` in code blocks, and between backticks in
/// the text. Commands with a placeholder such as `KERNEL` or `…` are skipped.
fn commands_of(page: &str) -> Vec<(usize, String)> {
    let mut commands = Vec::new();
    let mut in_fence = false;
    for (number, line) in (1..).zip(page.lines()) {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
            continue;
        }
        let typed = if in_fence {
            line.strip_prefix("$ ")
        } else {
            line.strip_prefix("    ")
        };
        // On that page, `tma map` in backticks names the command instead of invoking it.
        let spans = line
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|text| !in_fence && typed.is_none() && text.starts_with("cargo "));
        let all = typed.into_iter().chain(spans);
        let without_comment = all.map(|text| text.split(" # ").next().unwrap_or(text).trim());
        let commands_of_line = without_comment.filter(|text| is_command(text));
        commands.extend(commands_of_line.map(|text| (number, text.to_owned())));
    }
    commands
}

fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let begins = words.next().is_some_and(|word| PROGRAMS.contains(&word));
    let is_placeholder = |word: &str| {
        word.contains(['…', '[', '*'])
            || (word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase()))
    };
    begins && text.contains(' ') && !words.any(|word| word.split('.').any(is_placeholder))
}

fn run(typed: &Typed) -> Result<()> {
    let Typed {
        command,
        page,
        line,
    } = typed;
    let at = || format!("{}:{line}: `{command}`", page.display());
    let words: Vec<&str> = command.split_whitespace().collect();
    // Commands write to a folder outside of the commit.
    let folder = target_dir().join("pages");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut command = match words[0] {
        "cargo" => cargo(),
        _ => Command::new(target_dir().join("debug").join("tma")),
    };
    let paths_of_checkout = |word: &&str| root().join(word).exists();
    for word in &words[1..] {
        match words[0] == "tma" && paths_of_checkout(word) {
            true => command.arg(root().join(word)),
            false => command.arg(word),
        };
    }
    if words[0] == "tma" {
        command.current_dir(&folder);
    }
    say!("$ {}", shown(&command));
    let output = command.output().with_context(at)?;
    // Exit code 1 reports findings, which `map check` and `map diff` are meant to show.
    match output.status.code() {
        Some(0) => Ok(()),
        Some(1) if words[0] == "tma" => Ok(()),
        _ => bail!(
            "{} ends with {}:\n{}",
            at(),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

/// Creates a project from each template and tests it as the README describes, next to the checkout's own programs.
fn the_projects_of_new() -> Result<()> {
    for template in Template::value_variants() {
        let value = template.to_possible_value();
        let value = value.context("a template has no name")?;
        let folder = target_dir()
            .join("pages")
            .join(format!("my-{}", value.get_name()));
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        let path = folder.display().to_string();
        let new = [
            "xtask",
            "new",
            "--no-build",
            "--template",
            value.get_name(),
            &path,
        ];
        run_command(cargo().args(new))?;
        let clippy = ["clippy", "--all-targets", "--", "--deny=warnings"];
        for arguments in [&["fmt", "--all", "--check"][..], &clippy, &["test"]] {
            let mut cargo = cargo_in(&folder);
            run_command(cargo.args(arguments).env("CARGO_TARGET_DIR", target_dir()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_where_a_reader_would_type_them() {
        let page = "Text `cargo xtask run ring` and `cargo xtask inspect KERNEL`, `tma map`.\n\n    \
                    cargo xtask run     # all\n    let x = 1;\n\n```text\n$ tma map check --rules\n\
                    cargo not this\n```\n`cargo run -p x --bin …`, `TMA.toml`, `cargo`\n";
        let commands = commands_of(page);
        let expected = [
            (1, "cargo xtask run ring"),
            (3, "cargo xtask run"),
            (7, "tma map check --rules"),
        ];
        assert_eq!(
            commands,
            expected.map(|(line, text)| (line, text.to_owned()))
        );
    }
}
