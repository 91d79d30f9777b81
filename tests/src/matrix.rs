//! The support matrix: `docs/support-matrix.md`, made from the table of forms and from results.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ptx_isa::{Form, Targets};

use crate::{
    forms::{Support, support},
    semantics::{FormCase, exception, form_cases, results::Results},
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
- **GPU**: the same kernel ran there with the same results.
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
    let mut page = HEAD.to_owned();
    totals(&mut page, &supported, &shown, results);
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
            line(&mut page, &row(&form, support, &shown, results));
        }
    }
    Ok(page)
}

fn row(
    form: &Form,
    support: Option<&Support>,
    shown: &BTreeSet<&str>,
    results: &[Results],
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
        on_gpus(text, results)
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
        Targets::Sm103a => "103a",
        Targets::Sm107a => "107a",
    }
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

fn totals(page: &mut String, supported: &[Support], shown: &BTreeSet<&str>, results: &[Results]) {
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
    for (number, results) in (1..).zip(results) {
        let equal = results.forms.iter().filter(|(_, wrong)| wrong.is_none());
        let equal: BTreeSet<&str> = equal.map(|(form, _)| form.as_str()).collect();
        rows.push((
            format!("executed on GPU {number} with equal results"),
            count(&|form| equal.contains(form.text())),
        ));
    }
    line(page, "\n|  | all | that sm_90a has |");
    line(page, "| --- | --- | --- |");
    for (what, (all, on_hopper)) in rows {
        line(page, &format!("| {what} | {all} | {on_hopper} |"));
    }
    let failed = (1..).zip(results).flat_map(|(number, results)| {
        let failed = results.forms.iter();
        let failed = failed.filter_map(|(form, wrong)| Some((form, wrong.as_ref()?)));
        failed.map(move |(form, wrong)| {
            // Else rustdoc takes what stands in brackets for a link.
            let wrong = wrong.replace('[', "\\[").replace(']', "\\]");
            format!("- `{form}`, GPU {number}: {wrong}")
        })
    });
    line(page, "\nWith other results:\n");
    failed.for_each(|failed| line(page, &failed));
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
