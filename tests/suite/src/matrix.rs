//! The support matrix: `docs/support-matrix.md`, which counts forms by family, and the table of all forms.

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

After this page you know which instruction families have wrappers in `tma::ptx`, and where each was executed. A *form* is an
instruction with all its modifiers and operand widths. A test compares this page with the table of forms (`crates/ptx-isa`) and
with the recorded results; `cargo xtask bless` renews it. For every form of a family with its wrapper, type

```text
cargo run -p tests --bin support-matrix -- mbarrier
```

Without a family the command lists all forms, and with `--json` it prints data. The columns:

- **forms**: the forms up to PTX ISA 9.5. Families outside of TMA are listed as far as they have wrappers.
- **ISA**, **targets**: the PTX ISA versions, from 7.0 on, that brought the forms, and the architectures for which ptxas
  accepts them.
- **wrapped**: forms with a wrapper. Several spellings of one instruction share a wrapper.
- **emulator**: forms that a kernel executes on the emulator with the results of a plain CPU reference.
- **GPU**: forms whose kernel had the same results on a GPU. The record has a digest of module, memory and launches, and one of
  the outputs. If the first is not today's, the record is of an earlier kernel and does not count.
";

/// The forms with a wrapper, with their outcomes, for the page and the table.
pub struct SupportMatrix<'a> {
    /// Keyed by the text of the form.
    supported: BTreeMap<String, Support>,
    shown: BTreeSet<String>,
    seen: Vec<Seen<'a>>,
    results: &'a [Results],
}

/// One row of the table: a form.
pub struct Row {
    /// The stem of its family.
    pub family: &'static str,
    /// The form, with operands by their width: h 16 bits, r 32, d 64, q 128, b 8, p a predicate.
    pub form: String,
    /// The first PTX ISA version in which ptxas accepts it.
    pub isa: String,
    /// The architectures for which ptxas accepts it.
    pub targets: &'static str,
    /// The function below `tma::ptx` that emits it, or another spelling of it.
    pub wrapper: Option<String>,
    /// The spelling that the wrapper emits, if it is another one.
    pub spelled: Option<String>,
    /// `executed`, or the reason why not.
    pub emulator: &'static str,
    /// The GPUs with equal results, or the outcome there.
    pub gpu: String,
}

impl<'a> SupportMatrix<'a> {
    /// Builds the matrix from the table of forms and the results of GPUs.
    ///
    /// # Errors
    /// Results have forms that the table lacks.
    pub fn new(results: &'a [Results]) -> Result<Self, Vec<String>> {
        let supported = support().into_iter();
        let supported: BTreeMap<String, Support> = supported
            .map(|support| (support.form.text().to_owned(), support))
            .collect();
        let cases = form_cases();
        let unknown = results.iter().flat_map(|results| {
            let forms = results.forms.keys();
            let unknown = forms.filter(|form| !supported.contains_key(*form));
            unknown.map(|form| format!("results of {}: there is no form `{form}`", results.gpu))
        });
        let unknown: Vec<String> = unknown.collect();
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let right = right(&cases, results)?;
        let seen = results.iter().map(|results| seen(results, &right));
        Ok(Self {
            seen: seen.collect(),
            shown: cases.iter().map(|case| case.form().to_owned()).collect(),
            supported,
            results,
        })
    }

    /// The page.
    pub fn page(&self) -> String {
        let mut page = HEAD.to_owned();
        totals(&mut page, &self.supported, &self.shown, &self.seen);
        legend(&mut page, self.results);
        line(
            &mut page,
            "\n| family | forms | ISA | targets | wrapped | emulator | GPU |",
        );
        line(&mut page, "| --- | ---: | --- | --- | ---: | ---: | ---: |");
        for family in ptx_isa::FAMILIES {
            let forms: Vec<Form> = family.forms().collect();
            let isa: BTreeSet<_> = forms.iter().map(Form::isa).collect();
            let isa = match (isa.first(), isa.last()) {
                (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
                (first, _) => first.map_or(String::new(), |first| first.to_string()),
            };
            let targets: BTreeSet<Targets> = forms.iter().map(Form::targets).collect();
            let targets: Vec<&str> = targets.into_iter().map(short).collect();
            let rows: Vec<Row> = forms.into_iter().map(|form| self.row(form)).collect();
            let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
            let cells = format!(
                "| `{}` | {} | {isa} | {} | {} | {} | {} |",
                family.stem,
                rows.len(),
                targets.join("; "),
                count(&|row| row.wrapper.is_some()),
                count(&|row| row.emulator == EXECUTED),
                count(&|row| self.is_equal_on_a_gpu(&row.form)),
            );
            line(&mut page, &cells);
        }
        page
    }

    /// A row for each form, of one family or of all.
    pub fn rows<'s>(&'s self, family: Option<&'s str>) -> impl Iterator<Item = Row> + 's {
        let families = ptx_isa::FAMILIES.iter();
        let families = families.filter(move |it| family.is_none_or(|stem| it.stem == stem));
        families.flat_map(|family| family.forms().map(|form| self.row(form)))
    }

    fn is_equal_on_a_gpu(&self, form: &str) -> bool {
        let mut seen = self.seen.iter();
        seen.any(|seen| seen.get(form) == Some(&Today::Equal))
    }

    fn row(&self, form: Form) -> Row {
        let text = form.text();
        let support = self.supported.get(text);
        let emulator = match (self.shown.contains(text), exception(text)) {
            _ if support.is_none() => "not wrapped",
            (true, _) => EXECUTED,
            (_, Some(why)) => why,
            _ => "not run",
        };
        Row {
            family: form.family().stem,
            form: text.to_owned(),
            isa: form.isa().to_string(),
            targets: short(form.targets()),
            wrapper: support.map(|support| support.wrapper.clone()),
            spelled: support.and_then(|support| support.spelled.clone()),
            emulator,
            gpu: on_gpus(text, &self.seen),
        }
    }
}

const EXECUTED: &str = "executed";

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

fn totals(
    page: &mut String,
    supported: &BTreeMap<String, Support>,
    shown: &BTreeSet<String>,
    seen: &[Seen<'_>],
) {
    let is_on_hopper = |form: &Form| form.targets().has("sm_90a");
    let count = |is_it: &dyn Fn(&Form) -> bool| {
        let forms = || supported.values().map(|support| &support.form);
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
        failed.map(move |(form, wrong)| format!("- `{form}`, GPU {number}: {wrong}"))
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
