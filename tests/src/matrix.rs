//! The support matrix: `docs/support-matrix.md`, made from the tables of forms and from results.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::{
    effects::{EXCEPTIONS, effects, results::Results},
    forms::{Support, support},
};

/// Which targets a form is assembled for, by the first of them.
const TARGETS: &[(&str, &str, &str)] = &[
    ("sm_80", "80+", "sm_80 and every later one"),
    ("sm_90", "90+", "sm_90 and every later one"),
    ("sm_100", "100+", "sm_100 and every later one"),
    (
        "sm_90a",
        "90a, 100a, 120a",
        "sm_90a, sm_100a, sm_103a, sm_110a, sm_120a, sm_121a and their families",
    ),
    (
        "sm_100a",
        "100a",
        "sm_100a, sm_103a, sm_110a and their families",
    ),
    (
        "sm_100a_or_sm_120a",
        "100a, 120a",
        "sm_100a, sm_103a, sm_110a, sm_120a, sm_121a and their families",
    ),
    ("sm_103a", "103a", "sm_103a"),
];

const HEAD: &str = "\
# Support matrix

Made from the tables of forms and from the results of runs: `cargo xtask bless` renews it, and a test
fails when it is not what they say.

A row for each form of the instruction family, PTX ISA 9.0 and below. Operands are written by their
width: h 16 bits, r 32, d 64, q 128, b 8, p a predicate.

- **Wrapper**: the function below `tma::ptx` that emits it. Where several spellings mean the same, they
  share a wrapper, which emits the first of them; the others are marked with *.
- **Targets**: the architectures for which ptxas accepts the wrapper's PTX, and refuses it for the others.
- **Emulator**: a kernel with the form runs on the emulator, which saw the instruction executed, and
  every result is that of a plain CPU reference.
- **GPU**: the same kernel ran there with the same results.
";

/// The page.
///
/// # Errors
/// The tables are incomplete, or results have forms that they lack.
pub fn page(results: &[Results]) -> Result<String, Vec<String>> {
    let supported = support()?;
    let shown: BTreeSet<String> = effects()?
        .iter()
        .map(crate::effects::Effect::form)
        .collect();
    let known: BTreeSet<String> = supported
        .iter()
        .map(|support| support.form.text())
        .collect();
    let unknown = results.iter().flat_map(|results| {
        let unknown = results.forms.keys().filter(|form| !known.contains(*form));
        unknown.map(|form| format!("results of {}: there is no form `{form}`", results.gpu))
    });
    let unknown: Vec<String> = unknown.collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let mut page = HEAD.to_owned();
    totals(&mut page, &supported, &shown, results);
    legend(&mut page, results);
    let mut stems: Vec<String> = Vec::new();
    for support in &supported {
        let stem = stem_of(support);
        if !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    for stem in stems {
        line(&mut page, &format!("\n## `{stem}`\n"));
        line(&mut page, "| PTX | wrapper | targets | emulator | GPU |");
        line(&mut page, "| --- | --- | --- | --- | --- |");
        let of_stem = supported.iter().filter(|support| stem_of(support) == stem);
        for support in of_stem {
            line(&mut page, &row(support, &shown, results));
        }
    }
    Ok(page)
}

fn row(support: &Support, shown: &BTreeSet<String>, results: &[Results]) -> String {
    let form = support.form.text();
    let exception = EXCEPTIONS.iter().find(|(text, _)| *text == form);
    let emulator = match (shown.contains(&form), exception) {
        (true, _) => "executed",
        (_, Some((_, why))) => why,
        _ => "not run",
    };
    format!(
        "| `{}` | `{}`{} | {} | {emulator} | {} |",
        form.replace('|', "\\|"),
        support.wrapper,
        if support.spelled.is_some() { " *" } else { "" },
        targets(support),
        on_gpus(&form, results)
    )
}

fn line(page: &mut String, line: &str) {
    page.push_str(line);
    page.push('\n');
}

/// Each heading has the wrappers of one file.
fn stem_of(support: &Support) -> String {
    let path = support.wrapper.split("::").next();
    path.unwrap_or_default().to_owned()
}

fn targets(support: &Support) -> &'static str {
    let first = support.form.architecture();
    let of = TARGETS.iter().find(|(name, ..)| *name == first);
    of.map_or(first, |(_, short, _)| short)
}

/// The numbers of the GPUs that executed a form.
fn on_gpus(form: &str, results: &[Results]) -> String {
    let of = |(number, results): (usize, &Results)| {
        let result = results.forms.get(form)?;
        Some(match result {
            None => number.to_string(),
            // What the driver does not load was not executed.
            Some(wrong) if wrong.starts_with("load") => format!("{number} refuses it"),
            Some(_) => format!("{number} differs"),
        })
    };
    let of: Vec<String> = (1..).zip(results).filter_map(of).collect();
    match of.is_empty() {
        true => "not seen".into(),
        false => of.join(", "),
    }
}

fn totals(page: &mut String, supported: &[Support], shown: &BTreeSet<String>, results: &[Results]) {
    let hopper = |support: &&Support| support.form.targets.iter().any(|target| target == "sm_90a");
    let all = supported.len();
    let on_hopper: Vec<&Support> = supported.iter().filter(hopper).collect();
    let executed = |forms: &[&Support]| {
        let forms = forms.iter();
        forms
            .filter(|support| shown.contains(&support.form.text()))
            .count()
    };
    let everything: Vec<&Support> = supported.iter().collect();
    let mut rows = vec![
        ("forms with a wrapper".to_owned(), all, on_hopper.len()),
        (
            "executed on the emulator".to_owned(),
            executed(&everything),
            executed(&on_hopper),
        ),
    ];
    for (number, results) in (1..).zip(results) {
        let equal: BTreeSet<&String> = results
            .forms
            .iter()
            .filter(|(_, wrong)| wrong.is_none())
            .map(|(form, _)| form)
            .collect();
        let count = |forms: &[&Support]| {
            let forms = forms.iter();
            forms
                .filter(|support| equal.contains(&support.form.text()))
                .count()
        };
        rows.push((
            format!("executed on GPU {number} with equal results"),
            count(&everything),
            count(&on_hopper),
        ));
    }
    line(page, "\n|  | all | that sm_90a has |");
    line(page, "| --- | --- | --- |");
    for (what, all, on_hopper) in rows {
        line(page, &format!("| {what} | {all} | {on_hopper} |"));
    }
    let failed = (1..).zip(results).flat_map(|(number, results)| {
        let failed = results.forms.iter();
        let failed = failed.filter_map(|(form, wrong)| Some((form, wrong.as_ref()?)));
        failed.map(move |(form, wrong)| format!("- `{form}`, GPU {number}: {wrong}"))
    });
    let exceptions = EXCEPTIONS.iter();
    let exceptions = exceptions.map(|(form, why)| format!("- `{form}`, nowhere: {why}"));
    line(page, "\nNot executed, or with other results:\n");
    exceptions
        .chain(failed)
        .for_each(|failed| line(page, &failed));
}

fn legend(page: &mut String, results: &[Results]) {
    line(page, "\n| targets | architectures |");
    line(page, "| --- | --- |");
    for (_, short, long) in TARGETS {
        line(page, &format!("| {short} | {long} |"));
    }
    line(page, "");
    if results.is_empty() {
        line(page, "No GPU has executed the kernels yet.");
        return;
    }
    line(page, "| GPU | name | driver | date |");
    line(page, "| --- | --- | --- | --- |");
    for (number, results) in (1..).zip(results) {
        let Results {
            gpu, driver, date, ..
        } = results;
        writeln!(page, "| {number} | {gpu} | {driver} | {date} |").expect("a string takes all");
    }
}
