//! The table of runs: the records of each machine beside the current launches.

use std::{collections::BTreeMap, fs, path::Path};

use tests_records::{Digest, Origin};
use tma_host::Capability;

use super::{
    ATTENTION, ATTENTION_BACKWARD, ATTENTION_DECODE, BENCH, DIGESTS, GEMM, GEMM_FP8, NORMS,
    RECORDS, STEPS,
};
use crate::{
    cases::cases,
    copies::record::Samples,
    maps::record::{asked, differing, unpack},
    semantics::{
        FormCase, form_cases,
        results::{Recorded, Results, Today},
    },
};

/// Files with times: the subject of their lines, and the files' names.
const MEASURED: &[(&str, &[&str])] = &[
    ("rows of `bench`, beside their CUDA versions", &[BENCH]),
    ("best settings of `bench --sweep`", &["sweep-h200.txt"]),
    ("forms of deformable attention", &["deform-attn-h200.txt"]),
    ("kernels of products beside cuBLASLt", &GEMM),
    (
        "kernels of products with scales beside cuBLASLt",
        &[GEMM_FP8],
    ),
    ("kernels of attention beside cuDNN", &ATTENTION),
    (
        "kernels of the gradients of attention beside cuDNN",
        &ATTENTION_BACKWARD,
    ),
    (
        "kernels of attention to pages beside cuDNN",
        &ATTENTION_DECODE,
    ),
    ("kernels over rows beside PyTorch", &NORMS),
    ("steps to a product beside cuBLAS", &[STEPS]),
];

/// The records of right results by name.
type Right = BTreeMap<String, Recorded>;

/// The records of a run, counted by their comparison with the current launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// The outputs are the expected ones.
    equal: usize,
    /// The outputs are others.
    wrong: usize,
    /// Something else ran.
    earlier: usize,
    /// Runs today, and has no record.
    missing: usize,
}

impl Counts {
    fn of(results: &Results, right: &Right) -> Self {
        let missing = right
            .keys()
            .filter(|name| !results.forms.contains_key(*name));
        let mut counts = Self {
            missing: missing.count(),
            ..Self::default()
        };
        for (name, record) in &results.forms {
            // A launch that no longer exists was recorded for an earlier kernel.
            let today = right.get(name).map(|right| record.today(right));
            match today.unwrap_or(Today::Earlier) {
                Today::Equal => counts.equal += 1,
                Today::Wrong(_) => counts.wrong += 1,
                Today::Earlier => counts.earlier += 1,
            }
        }
        counts
    }

    /// A file that is all from the same code.
    fn of_file(is_today: bool, all: usize, wrong: usize) -> Self {
        let counts = Self::default();
        match is_today {
            true => Self {
                equal: all - wrong,
                wrong,
                ..counts
            },
            false => Self {
                earlier: all,
                ..counts
            },
        }
    }

    fn row(self, what: &str, place: &str, number: usize) -> String {
        let Self {
            equal,
            wrong,
            earlier,
            missing,
        } = self;
        format!("| {what} | {place} | {number} | {equal} | {wrong} | {earlier} | {missing} |\n")
    }
}

pub(super) fn table(folder: &Path) -> Result<String, String> {
    let cases = cases(Capability::LEAST);
    let right_cases = cases
        .iter()
        .map(|case| Ok((case.name.clone(), case.right()?)));
    let right_cases = right_cases.collect::<Result<Right, String>>()?;
    let forms = form_cases();
    let on_hopper = forms.iter().filter(|form| form.is_on_hopper());
    let right_forms = on_hopper.map(|form| Ok((form.form().to_owned(), form.right()?)));
    let right_forms = right_forms.collect::<Result<Right, String>>()?;
    let silent = forms
        .iter()
        .filter(|form| FormCase::is_silent(form))
        .count();
    let shown = "instruction forms, each in a kernel that shows its effect";
    let shown = format!("{shown}, but for {silent} that are silent by nature");
    let mut text = "| what | where | number | equal | with other results | recorded for an earlier kernel | not recorded |\n\
                    | --- | --- | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for (what, all, right, records) in [
        (
            "cases of the kernels and of the device library",
            cases.len(),
            right_cases,
            "cases",
        ),
        (&shown, forms.len(), right_forms, "semantics"),
    ] {
        text += &format!("| {what} | emulator | {all} | | | | |\n");
        for results in Results::of_folder(&folder.join(records))? {
            let Results {
                gpu, driver, date, ..
            } = &results;
            let counts = Counts::of(&results, &right);
            text += &counts.row(what, &format!("{gpu}, {driver}, {date}"), right.len());
        }
    }
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let file = |what: &str, origin: &Origin, today: Digest, all: usize, wrong: usize| {
        Counts::of_file(origin.is_of(today), all, wrong).row(what, &known(origin), all)
    };
    let copies = Samples::unpack(&read("copies-h200.z")?)?;
    let (what, all) = (
        "random copies, whose bytes the emulator makes, too",
        copies.samples.len(),
    );
    let wrong = copies.differing().map_err(|failure| failure.to_string())?;
    text += &file(what, &copies.origin, Samples::ran(), all, wrong.len());
    let (origin, records) = unpack(&read("maps-h200.z")?)?;
    let (what, all) = ("random tensor maps, the driver's and ours", records.len());
    text += &file(
        what,
        &origin,
        asked(&records),
        all,
        differing(&records).count(),
    );
    for (what, names) in MEASURED {
        for name in *names {
            text += &measured(what, &folder.join(RECORDS).join(name))?;
        }
    }
    Ok(text)
}

/// The device, the driver and the day, as far as the file has them.
fn known(origin: &Origin) -> String {
    let known = [&origin.device, &origin.driver, &origin.date];
    let known: Vec<&str> = known
        .iter()
        .map(|it| it.as_str())
        .filter(|it| !it.is_empty())
        .collect();
    match known.is_empty() {
        true => "a GPU of an earlier record".to_owned(),
        false => known.join(", "),
    }
}

/// The row of a file with times, in which each line of a kernel, or each member of JSON, has the digest of its PTX.
fn measured(what: &str, path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let is_between = |c: char| c.is_whitespace() || "\",:".contains(c);
    let is_digest = |word: &&str| word.len() == 32 && word.chars().all(|c| c.is_ascii_hexdigit());
    let (mut today, mut earlier) = (0, 0);
    let kernels: Vec<&str> = match path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        true => text.split(',').collect(),
        false => text.lines().collect(),
    };
    for line in kernels {
        let Some(ran) = line.split(is_between).find(is_digest) else {
            continue;
        };
        let is_of_today = |entry| DIGESTS.get(entry).is_some_and(|digest| digest == ran);
        match line.split(is_between).any(is_of_today) {
            true => today += 1,
            false => earlier += 1,
        }
    }
    let all = today + earlier;
    let name = path.file_name().unwrap_or_default().display().to_string();
    let device = match name.contains("-h100") {
        true => "NVIDIA H100",
        false => "NVIDIA H200",
    };
    Ok(format!(
        "| {what} | {device}, [`{name}`](../benches/records/{name}) | {all} | {today} | | {earlier} | |\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_beside_what_runs_today() {
        let record = |ran: &str, outputs: &str| Recorded::new(ran, Ok(outputs.into()));
        let named = |records: &[(&str, Recorded)]| -> Right {
            let records = records.iter();
            records
                .map(|(name, record)| ((*name).to_owned(), record.clone()))
                .collect()
        };
        let right = named(&[
            ("equal", record("a", "1")),
            ("other outputs", record("b", "2")),
            ("wrong", record("c", "3")),
            ("changed", record("d", "4")),
            ("new", record("e", "5")),
        ]);
        let results = Results {
            forms: named(&[
                ("equal", record("a", "1")),
                ("other outputs", record("b", "1")),
                ("wrong", Recorded::new("c", Err("element 0".into()))),
                ("changed", record("c", "4")),
                ("gone", record("f", "6")),
            ]),
            ..Results::default()
        };
        let counts = Counts {
            equal: 1,
            wrong: 2,
            earlier: 2,
            missing: 1,
        };
        assert_eq!(Counts::of(&results, &right), counts);
        assert_eq!(
            counts.row("what", "where", 5),
            "| what | where | 5 | 1 | 2 | 2 | 1 |\n"
        );
        let of_file = |is_today| Counts::of_file(is_today, 7, 2);
        assert_eq!(
            of_file(true),
            Counts {
                equal: 5,
                wrong: 2,
                ..Counts::default()
            }
        );
        assert_eq!(
            of_file(false),
            Counts {
                earlier: 7,
                ..Counts::default()
            }
        );
    }
}
