//! The forms or cases that a GPU executed, with digests of the launches and of the outputs.

use std::{collections::BTreeMap, fmt::Display, fs, path::Path};

use serde_json::{Value, json};
use tests_records::origin;

/// The results of the forms on one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// The GPU's name.
    pub gpu: String,
    /// The driver's version.
    pub driver: String,
    /// The day, as in `2025-12-24`.
    pub date: String,
    /// Each form that was launched, as the tables have it, or each case by its name.
    pub forms: BTreeMap<String, Recorded>,
}

/// The record of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The digest of the module, the memory and the launches; none in records that only contain the
    /// outcome.
    pub ran: Option<String>,
    /// The digest including the outputs, or the error.
    pub outputs: Result<String, String>,
}

/// The reason for a record without its own reason whose outputs differ from the expected ones.
const OTHER_OUTPUTS: &str = "the digest of the outputs is not the expected one";

/// A record, compared with the current launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Today<'a> {
    /// The output is the expected one.
    Equal,
    /// The output was wrong, with the reason.
    Wrong(&'a str),
    /// Something else ran.
    Earlier,
}

impl Recorded {
    /// Creates the record of launches with this digest, and their outcome.
    pub fn new(ran: impl Display, outputs: Result<String, String>) -> Self {
        let ran = Some(ran.to_string());
        Self { ran, outputs }
    }

    /// Compares the record with that of a run with right results.
    pub fn today(&self, right: &Self) -> Today<'_> {
        match &self.outputs {
            _ if self.ran != right.ran || self.ran.is_none() => Today::Earlier,
            Err(wrong) => Today::Wrong(wrong),
            Ok(outputs) if Ok(outputs) == right.outputs.as_ref() => Today::Equal,
            Ok(_) => Today::Wrong(OTHER_OUTPUTS),
        }
    }

    fn to_json(&self) -> Value {
        match (&self.ran, &self.outputs) {
            (ran, Ok(outputs)) => json!({ "ran": ran, "outputs": outputs }),
            (ran, Err(wrong)) => json!({ "ran": ran, "wrong": wrong }),
        }
    }

    fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        // Earlier files have only a word for the outcome.
        let outputs = match (text("outputs"), text("wrong")) {
            (Some(outputs), _) => Ok(outputs),
            (None, Some(wrong)) => Err(wrong),
            (None, None) => Ok(value.as_str()?.to_owned()),
        };
        let ran = text("ran");
        Some(Self { ran, outputs })
    }
}

impl Results {
    /// Returns the results of a run at this moment on this machine's GPU.
    ///
    /// # Errors
    /// The driver does not report the GPU.
    pub fn now(gpu: &str, forms: BTreeMap<String, Recorded>) -> Result<Self, String> {
        Ok(Self {
            gpu: gpu.to_owned(),
            driver: origin::driver()?,
            date: origin::today(),
            forms,
        })
    }

    /// Returns a file, with a line for each form.
    pub fn to_json(&self) -> String {
        let forms = self.forms.iter();
        let forms = forms.map(|(form, recorded)| format!("{}:{}", json!(form), recorded.to_json()));
        let forms: Vec<String> = forms.collect();
        let [gpu, driver, date] = [&self.gpu, &self.driver, &self.date].map(|text| json!(text));
        format!(
            "{{\"gpu\":{gpu},\"driver\":{driver},\"date\":{date},\"forms\":{{\n{}\n}}}}\n",
            forms.join(",\n")
        )
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file is invalid.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let all: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let text = |name: &str| {
            let value = all.get(name).and_then(Value::as_str);
            value
                .map(str::to_owned)
                .ok_or(format!("it has no `{name}`"))
        };
        let forms = all.get("forms").and_then(Value::as_object);
        let forms = forms.ok_or("it has no `forms`")?.iter();
        let forms = forms.map(|(form, recorded)| {
            let recorded = Recorded::from_json(recorded);
            Ok((
                form.clone(),
                recorded.ok_or(format!("`{form}` has no result"))?,
            ))
        });
        Ok(Self {
            gpu: text("gpu")?,
            driver: text("driver")?,
            date: text("date")?,
            forms: forms.collect::<Result<_, String>>()?,
        })
    }

    /// Returns all results of a folder, in the order of the files' names.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn of_folder(folder: &Path) -> Result<Vec<Self>, String> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(_) => return Ok(Vec::new()),
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_json = |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "json");
        let mut paths: Vec<_> = paths.filter(is_json).collect();
        paths.sort();
        let read = |path: &std::path::PathBuf| {
            let at = |error: String| format!("{}: {error}", path.display());
            let text = fs::read_to_string(path).map_err(|error| at(error.to_string()))?;
            Self::from_json(&text).map_err(at)
        };
        paths.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_back() {
        let results = Results {
            gpu: "a GPU".into(),
            driver: "1.2".into(),
            date: "2025-12-24".into(),
            forms: BTreeMap::from([
                ("mapa.u32 r, r, r".into(), Recorded::new(7, Ok("8".into()))),
                (
                    "prefetchu.L1 [d]".into(),
                    Recorded::new(9, Err("element 0".into())),
                ),
            ]),
        };
        assert_eq!(Results::from_json(&results.to_json()), Ok(results));
        assert!(Results::from_json("{}").is_err());
    }

    #[test]
    fn a_record_is_good_for_what_ran_alone() {
        let right = Recorded::new("kernel", Ok("outputs".into()));
        let wrong = Recorded::new("kernel", Err("element 0".into()));
        let changed = Recorded::new("another kernel", Ok("outputs".into()));
        let other_outputs = Recorded::new("kernel", Ok("others".into()));
        let by_hand = Recorded::from_json(&json!("equal")).unwrap();
        assert_eq!(right.today(&right), Today::Equal);
        assert_eq!(wrong.today(&right), Today::Wrong("element 0"));
        assert_eq!(other_outputs.today(&right), Today::Wrong(OTHER_OUTPUTS));
        for other in [changed, by_hand] {
            assert_eq!(other.today(&right), Today::Earlier, "{other:?}");
        }
    }
}
