//! The support matrix: `docs/support-matrix.md`, made from the table of forms and from results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ptx_isa::{Form, Targets};

use crate::{
    forms::{Support, support},
    semantics::{
        FormCase, exception, form_cases,
        results::{Recorded, Results, Today},
    },
};

const HEAD: &str = "\
# Support matrix

Made from the table of forms, `crates/isa`, and from the results of runs: `cargo xtask bless` renews it,
and a test fails when it is not what they say.

A row for each form of the instruction family, PTX ISA 9.5 and below, and of the other families that
have a wrapper. Operands are written by their width: h 16 bits, r 32, d 64, q 128, b 8, p a predicate.

- **ISA**: the first PTX ISA version in which ptxas accepts it, from 7.0 on.
- **Targets**: the architectures for which ptxas accepts it, and refuses it for the others.
- **Wrapper**: the function below `tma::ptx` that emits it. Where several spellings mean the same, they
  share a wrapper, which emits one of them; the others are marked with *.
- **Emulator**: a kernel with the form runs on the emulator, which saw the instruction executed, and
  every result is that of a plain CPU reference.
- **GPU**: the same kernel ran there with the same results: a record has a digest of the module, the memory and
  the launches, and one of the outputs. Where the first is not today's, the record is one of an earlier kernel.
";

/// The page.
///
/// # Errors
/// Results have forms that the table lacks.
pub fn page(results: &[Results]) -> Result<String, Vec<String>> {
    let supported = support();
    let cases = form_cases();
    let shown: BTreeSet<&str> = cases.iter().map(FormCase::form).collect();
    let known: BTreeSet<&str> = supported.iter().map(|it| it.form.text()).collect();
    let unknown = results.iter().flat_map(|results| {
        let forms = results.forms.keys();
        let unknown = forms.filter(|form| !known.contains(form.as_str()));
        unknown.map(|form| format!("results of {}: there is no form `{form}`", results.gpu))
    });
    let unknown: Vec<String> = unknown.collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let right = right(&cases, results)?;
    let seen: Vec<Seen<'_>> = results
        .iter()
        .map(|results| seen(results, &right))
        .collect();
    let mut page = HEAD.to_owned();
    totals(&mut page, &supported, &shown, &seen);
    legend(&mut page, results);
    for family in ptx_isa::FAMILIES {
        line(&mut page, &format!("\n## `{}`\n", family.stem));
        line(
            &mut page,
            "| PTX | ISA | targets | wrapper | emulator | GPU |",
        );
        line(&mut page, "| --- | --- | --- | --- | --- | --- |");
        for form in family.forms() {
            let support = supported.iter().find(|support| support.form == form);
            line(&mut page, &row(&form, support, &shown, &seen));
        }
    }
    Ok(page)
}

fn row(
    form: &Form,
    support: Option<&Support>,
    shown: &BTreeSet<&str>,
    seen: &[Seen<'_>],
) -> String {
    let text = form.text();
    let start = format!(
        "| `{}` | {} | {}",
        text.replace('|', "\\|"),
        form.isa(),
        short(form.targets())
    );
    let Some(support) = support else {
        return format!("{start} | not wrapped | | |");
    };
    let emulator = match (shown.contains(text), exception(text)) {
        (true, _) => "executed",
        (_, Some(why)) => why,
        _ => "not run",
    };
    format!(
        "{start} | `{}`{} | {emulator} | {} |",
        support.wrapper,
        if support.spelled.is_some() { " *" } else { "" },
        on_gpus(text, seen)
    )
}

fn line(page: &mut String, line: &str) {
    page.push_str(line);
    page.push('\n');
}

fn short(targets: Targets) -> &'static str {
    match targets {
        Targets::Sm80 => "80+",
        Targets::Sm90 => "90+",
        Targets::Sm100 => "100+",
        Targets::Sm90a => "90a, 100a, 120a",
        Targets::Sm90aAlone => "90a alone",
        Targets::Sm90aOrSm100a => "90a, 100a",
        Targets::Sm100a => "100a",
        Targets::Sm100aOrSm120a => "100a, 120a",
        Targets::Sm100aOrSm120aAlone => "100a, 120a alone",
        Targets::Sm103a => "103a",
        Targets::Sm107a => "107a",
        Targets::Sm107aOrSm120a => "107a, 120a",
        Targets::Sm120a => "120a",
        Targets::Sm120aAlone => "120a alone",
    }
}

/// The records of a GPU as they are today.
type Seen<'a> = BTreeMap<&'a str, Today<'a>>;

/// The records of right results, of the forms that some GPU has a record of.
fn right(
    cases: &[FormCase],
    results: &[Results],
) -> Result<BTreeMap<String, Recorded>, Vec<String>> {
    let is_recorded = |form: &str| {
        results
            .iter()
            .any(|results| results.forms.contains_key(form))
    };
    let cases = cases.iter().filter(|case| is_recorded(case.form()));
    let right = cases.map(|case| Ok((case.form().to_owned(), case.right()?)));
    right
        .collect::<Result<_, String>>()
        .map_err(|wrong| vec![wrong])
}

fn seen<'a>(results: &'a Results, right: &BTreeMap<String, Recorded>) -> Seen<'a> {
    let today = |(form, recorded): (&'a String, &'a Recorded)| {
        // A form that has no kernel any more was recorded for an earlier one.
        let today = right.get(form).map(|right| recorded.today(right));
        (form.as_str(), today.unwrap_or(Today::Earlier))
    };
    results.forms.iter().map(today).collect()
}

/// The numbers of the GPUs that executed a form.
fn on_gpus(form: &str, seen: &[Seen<'_>]) -> String {
    let of = |(number, seen): (usize, &Seen<'_>)| {
        Some(match seen.get(form)? {
            Today::Equal => number.to_string(),
            // A form that the driver does not load was not executed.
            Today::Wrong(wrong) if wrong.starts_with("load") => format!("{number} refuses it"),
            Today::Wrong(_) => format!("{number} differs"),
            Today::Earlier => format!("{number}: recorded for an earlier kernel"),
        })
    };
    let of: Vec<String> = (1..).zip(seen).filter_map(of).collect();
    match of.is_empty() {
        true => "not seen".into(),
        false => of.join(", "),
    }
}

fn totals(page: &mut String, supported: &[Support], shown: &BTreeSet<&str>, seen: &[Seen<'_>]) {
    let is_on_hopper = |form: &Form| form.targets().has("sm_90a");
    let count = |is_it: &dyn Fn(&Form) -> bool| {
        let forms = || supported.iter().map(|support| &support.form);
        let all = forms().filter(|form| is_it(form)).count();
        let on_hopper = forms().filter(|form| is_it(form) && is_on_hopper(form));
        (all, on_hopper.count())
    };
    let all = ptx_isa::forms().count();
    let on_hopper = ptx_isa::forms().filter(is_on_hopper).count();
    let mut rows = vec![
        ("forms".to_owned(), (all, on_hopper)),
        ("with a wrapper".to_owned(), count(&|_| true)),
        (
            "executed on the emulator".to_owned(),
            count(&|form| shown.contains(form.text())),
        ),
    ];
    for (number, seen) in (1..).zip(seen) {
        let is = |today| move |form: &Form| seen.get(form.text()) == Some(&today);
        rows.push((
            format!("executed on GPU {number} with equal results"),
            count(&is(Today::Equal)),
        ));
        rows.push((
            format!("recorded on GPU {number} for an earlier kernel"),
            count(&is(Today::Earlier)),
        ));
        let is_missing =
            |form: &Form| shown.contains(form.text()) && !seen.contains_key(form.text());
        rows.push((
            format!("executed on the emulator, with no record of GPU {number}"),
            count(&is_missing),
        ));
    }
    line(page, "\n|  | all | that sm_90a has |");
    line(page, "| --- | --- | --- |");
    for (what, (all, on_hopper)) in rows {
        line(page, &format!("| {what} | {all} | {on_hopper} |"));
    }
    let failed = (1..).zip(seen).flat_map(|(number, seen)| {
        let failed = seen.iter().filter_map(|(form, today)| match today {
            Today::Wrong(wrong) => Some((form, wrong)),
            _ => None,
        });
        failed.map(move |(form, wrong)| {
            // Else rustdoc takes what stands in brackets for a link.
            let wrong = wrong.replace('[', "\\[").replace(']', "\\]");
            format!("- `{form}`, GPU {number}: {wrong}")
        })
    });
    let failed: Vec<String> = failed.collect();
    if failed.is_empty() {
        return;
    }
    line(page, "\nWith other results:\n");
    failed.iter().for_each(|failed| line(page, failed));
}

fn legend(page: &mut String, results: &[Results]) {
    line(page, "\n| targets | architectures |");
    line(page, "| --- | --- |");
    let used: BTreeSet<Targets> = ptx_isa::forms().map(|form| form.targets()).collect();
    for targets in used {
        let more = match short(targets).ends_with('+') {
            true => " and every later one",
            false => "",
        };
        line(page, &format!("| {} | {targets}{more} |", short(targets)));
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
