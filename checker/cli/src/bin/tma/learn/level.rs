//! The levels of the course, from the checkout: the page in a browser has the same.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tma_project::new;

use super::text::{between, plain};

/// A level of the course.
pub(super) struct Level {
    /// Name of the folder.
    pub(super) folder: String,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) summary: String,
    /// Name of the bug to mend.
    pub(super) start: String,
    /// The launch file, and the name that it has for the module.
    pub(super) toml: String,
    pub(super) module: String,
    /// The page as HTML.
    page: String,
    /// The kernel with the marks of its bug.
    marked: String,
}

/// The name of the kernel without a bug.
const CORRECT: &str = "correct";

impl Level {
    /// Reads the levels in their order.
    pub(super) fn all() -> Result<Vec<Self>> {
        let checkout = new::checkout().context(
            "the course is in the repository; clone it, and install this program from the clone",
        )?;
        let levels = checkout.join("site/levels");
        let entries = levels.read_dir();
        let entries = entries.with_context(|| format!("cannot read {}", levels.display()))?;
        let mut folders: Vec<PathBuf> = entries
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        folders.sort();
        folders
            .iter()
            .map(|folder| Self::read(&checkout, folder))
            .collect()
    }

    fn read(checkout: &Path, folder: &Path) -> Result<Self> {
        let text = |path: &Path| {
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        };
        let level = folder.join("level.json");
        let json: Value = serde_json::from_str(&text(&level)?)
            .with_context(|| format!("{} is not valid JSON", level.display()))?;
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = |path: &Path| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into()
        };
        let level = Self {
            folder: name(folder),
            id: word(&json["id"]),
            title: word(&json["title"]),
            summary: word(&json["summary"]),
            start: word(&json["start"]),
            toml: text(&checkout.join(word(&json["toml"])))?,
            module: name(Path::new(&word(&json["modules"][0]))),
            page: text(&folder.join("page.html"))?,
            marked: text(&folder.join("kernel.rs"))?,
        };
        ensure!(
            !level.solution().is_empty(),
            "{} has no marks of the bug `{}`",
            folder.display(),
            level.start
        );
        Ok(level)
    }

    /// Returns the kernel with a bug.
    pub(super) fn kernel(&self, bug: &str) -> String {
        let lines = self.lines().filter(|(mark, _)| mark.is_in(bug));
        lines.map(|(_, line)| format!("{line}\n")).collect()
    }

    /// Returns the lines to remove and to add, with the line before them.
    pub(super) fn solution(&self) -> String {
        let mut solution = String::new();
        let mut before = None;
        for (mark, line) in self.lines() {
            let sign = match (mark.is_in(&self.start), mark.is_in(CORRECT)) {
                (true, false) => '-',
                (false, true) => '+',
                _ => {
                    before = Some(line);
                    continue;
                }
            };
            let before = before
                .take()
                .map_or_else(String::new, |it| format!("  {it}\n"));
            solution += &format!("{before}{sign} {line}\n");
        }
        solution
    }

    fn lines(&self) -> impl Iterator<Item = (Mark<'_>, &str)> {
        self.marked.lines().map(|line| {
            for (sign, is_only) in [(" // only ", true), (" // not ", false)] {
                if let Some((code, bugs)) = line.rsplit_once(sign) {
                    return (Mark { is_only, bugs }, code);
                }
            }
            let everywhere = Mark {
                is_only: false,
                bugs: "",
            };
            (everywhere, line)
        })
    }

    /// Returns the text and the task.
    pub(super) fn task(&self) -> String {
        let prose = between(&self.page, "<section class=\"prose\">", "</section>");
        let task = between(&self.page, "<h3>Task</h3>", "<details");
        format!("{}\n\n{}", plain(prose), plain(task))
    }

    /// Returns the hints but for the last, which is the line of PTX.
    pub(super) fn hints(&self) -> String {
        let hints: Vec<&str> = self.page.split("</summary>").skip(1).collect();
        let hints = &hints[..hints.len().saturating_sub(1)];
        let hints = hints.iter().map(|hint| hint.split("</details>").next());
        let hints: Vec<String> = hints.flatten().map(plain).collect();
        hints.join("\n\n")
    }

    /// Returns the text for those who have solved the level.
    pub(super) fn why(&self) -> String {
        plain(between(
            &self.page,
            "<template class=\"why\">",
            "</template>",
        ))
    }
}

/// The variants that have a line.
struct Mark<'a> {
    is_only: bool,
    bugs: &'a str,
}

impl Mark<'_> {
    fn is_in(&self, bug: &str) -> bool {
        let is_named = self.bugs.split(' ').any(|other| other == bug);
        is_named == self.is_only
    }
}
