//! The forms that a GPU executed, and whether their results were right.

use std::{collections::BTreeMap, fs, path::Path, time::SystemTime};

use serde_json::{Value, json};

/// What became of the forms on one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// The GPU's name.
    pub gpu: String,
    /// The driver's version.
    pub driver: String,
    /// The day, as in `2025-12-24`.
    pub date: String,
    /// Each form that was launched, as the tables have it: nothing where all results were right, or
    /// what was wrong.
    pub forms: BTreeMap<String, Option<String>>,
}

impl Results {
    /// As a file.
    pub fn to_json(&self) -> String {
        let forms = self.forms.iter().map(|(form, wrong)| {
            let result = wrong.as_deref().unwrap_or(EQUAL);
            (form.clone(), Value::from(result))
        });
        let forms: serde_json::Map<String, Value> = forms.collect();
        let all = json!({
            "gpu": self.gpu, "driver": self.driver, "date": self.date, "forms": forms,
        });
        format!("{all:#}\n")
    }

    /// From a file.
    ///
    /// # Errors
    /// It is no such file.
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
        let forms = forms.map(|(form, result)| {
            let result = result.as_str().ok_or(format!("`{form}` has no result"))?;
            let wrong = (result != EQUAL).then(|| result.to_owned());
            Ok((form.clone(), wrong))
        });
        Ok(Self {
            gpu: text("gpu")?,
            driver: text("driver")?,
            date: text("date")?,
            forms: forms.collect::<Result<_, String>>()?,
        })
    }

    /// All results of a folder, in the order of the files' names.
    ///
    /// # Errors
    /// A file that cannot be read.
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

/// The result of a form that did right.
const EQUAL: &str = "equal";

/// The day in UTC, as in `2025-12-24`.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    date(days)
}

/// The date so many days after 1970-01-01.
fn date(mut days: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    loop {
        let length = 365 + u64::from(is_leap(year));
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
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
                ("mapa.u32 r, r, r".into(), None),
                ("prefetchu.L1 [d]".into(), Some("element 0".into())),
            ]),
        };
        assert_eq!(Results::from_json(&results.to_json()), Ok(results));
        assert!(Results::from_json("{}").is_err());
    }

    #[test]
    fn days_have_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(59), "1970-03-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_446), "2025-12-24");
    }
}
