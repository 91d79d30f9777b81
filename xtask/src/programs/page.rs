//! The page: two tables; a run updates the rows of its programs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use anyhow::{Context, Result};

use super::list::{CODE_BASES, CodeBase};
use crate::paths::root;

const PAGE: &str = "docs/real-programs.md";

/// The text that begins a table and the text that ends it.
struct Marks(&'static str, &'static str);

const PROGRAMS: Marks = Marks("<!-- programs -->\n", "<!-- end of programs -->\n");
const ENTRIES: Marks = Marks("<!-- entries -->\n", "<!-- end of entries -->\n");

/// Rows by code base and, if it has several, by program.
type Rows = BTreeMap<(String, String), String>;

/// Writes the result of a program into its row, and removes rows of programs that are no longer listed.
pub(super) fn put_program(base: &str, name: &str, came: String) -> Result<()> {
    renew(&PROGRAMS, |block| {
        let mut rows = read_programs(block);
        rows.insert((base.to_owned(), name.to_owned()), came);
        let is_listed = |(of, name): &(String, String)| {
            let mut bases = CODE_BASES.iter().filter(|base| base.name == *of);
            bases.any(|base| base.programs.contains(&name.as_str()))
        };
        rows.retain(|row, _| is_listed(row));
        programs(&rows)
    })
}

/// Writes the entries of a code base into its row.
pub(super) fn put_entries(base: &str, row: String) -> Result<()> {
    renew(&ENTRIES, |block| {
        let mut rows = read_entries(block);
        rows.insert(base.to_owned(), row);
        rows.retain(|of, _| CODE_BASES.iter().any(|base| base.name == of));
        entries(&rows)
    })
}

/// Re-reads the page for each change, so that results survive an interrupted run and parallel runs.
fn renew(Marks(begin, end): &Marks, change: impl FnOnce(&str) -> String) -> Result<()> {
    let page = root().join(PAGE);
    let text = fs::read_to_string(&page).with_context(|| format!("cannot read {PAGE}"))?;
    let (before, rest) = text.split_once(begin).context("the page has no block")?;
    let (block, after) = rest.split_once(end).context("the block has no end")?;
    let block = change(block);
    fs::write(&page, format!("{before}{begin}{block}{end}{after}"))?;
    Ok(())
}

/// Parses `| code base | program | came |`, whose last part may have several columns.
fn read_programs(block: &str) -> Rows {
    let rows = block.lines().filter_map(|line| {
        let (base, rest) = line.strip_prefix("| ")?.split_once(" | `")?;
        let (name, came) = rest.split_once("` | ")?;
        let came = came.strip_suffix(" |")?;
        Some(((base.to_owned(), name.to_owned()), came.to_owned()))
    });
    rows.collect()
}

fn programs(rows: &Rows) -> String {
    let mut text = String::from(
        "| code base | program | end | launches | findings |\n| --- | --- | --- | ---: | --- |\n",
    );
    for ((base, name), came) in rows {
        text += &format!("| {base} | `{name}` | {came} |\n");
    }
    let mut ends = BTreeMap::<&str, u32>::new();
    for end in rows
        .values()
        .filter_map(|came| came.split([':', '|']).next())
    {
        *ends.entry(end.trim_end()).or_default() += 1;
    }
    let ends: Vec<_> = ends
        .iter()
        .map(|(end, count)| format!("{count} {end}"))
        .collect();
    text += &format!("\n{} programs: {}.\n", rows.len(), ends.join(", "));
    for CodeBase {
        name,
        url,
        commit,
        left_out,
        ..
    } in CODE_BASES
    {
        text += &format!("\n[{name}]({url}) is at commit `{commit}`. Not covered: {left_out}.\n");
    }
    text
}

/// Parses `| code base | columns |`.
fn read_entries(block: &str) -> BTreeMap<String, String> {
    let rows = block.lines().skip(2).filter_map(|line| {
        let (base, row) = line.strip_prefix("| ")?.split_once(" | ")?;
        Some((base.to_owned(), row.strip_suffix(" |")?.to_owned()))
    });
    rows.collect()
}

fn entries(rows: &BTreeMap<String, String>) -> String {
    let mut text = String::from(
        "| code base | sources | entries | decoded | not decoded, or not compiled |\n\
         | --- | ---: | ---: | ---: | --- |\n",
    );
    let mut sums = [0; 3];
    for (base, row) in rows {
        text += &format!("| {base} | {row} |\n");
        for (sum, number) in sums.iter_mut().zip(row.split(" | ")) {
            *sum += number.parse().unwrap_or(0);
        }
    }
    let [sources, entries, decoded]: [u32; 3] = sums;
    let of = CODE_BASES
        .iter()
        .filter(|base| rows.contains_key(base.name));
    let repositories = of.map(|base| base.url).collect::<BTreeSet<_>>().len();
    let share = f64::from(decoded) * 100. / f64::from(entries.max(1));
    text + &format!(
        "\n{sources} sources of {repositories} repositories: {decoded} of {entries} entries decode, {share:.1} %.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let mut rows = Rows::new();
        let name = |base: &str, name: &str| (base.to_owned(), name.to_owned());
        rows.insert(name("b", "x 4"), "exit code 0 | 7 | ".to_owned());
        rows.insert(name("a", "y/z"), "not built: no | 0 | `k`".to_owned());
        assert_eq!(read_programs(&programs(&rows)), rows);
    }

    #[test]
    fn entries_are_read_as_they_were_written_and_summed_up() {
        let rows = [
            ("Numba", "2 | 10 | 9 | `tex.2d` in 1"),
            ("Thrust", "1 | 30 | 30 | "),
        ];
        let rows: BTreeMap<_, _> = rows
            .map(|(base, row)| (base.to_owned(), row.to_owned()))
            .into();
        let text = entries(&rows);
        assert_eq!(read_entries(&text), rows);
        assert!(
            text.ends_with("\n3 sources of 2 repositories: 39 of 40 entries decode, 97.5 %.\n"),
            "{text}"
        );
    }
}
