//! The wrappers' rustdoc agrees with the table of forms.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use libtest_mimic::Failed;
use ptx_isa::{Form, Targets, Version};
use serde_json::Value;

/// A module of `tma::ptx` without its own instruction.
const NO_FAMILIES: &[&str] = &["shared_symbol"];

/// A function below `tma::ptx`.
type Wrapper = (String, String);

pub(super) fn check() -> Result<(), Failed> {
    let documented = documentation()?;
    let mut wrong = Vec::new();
    let mut forms: BTreeMap<Wrapper, Vec<Form>> = BTreeMap::new();
    for (_, form) in ptx_isa::calls() {
        let path = form
            .call()
            .unwrap_or_default()
            .split(['(', '<'])
            .next()
            .unwrap_or_default();
        let (stem, name) = path
            .trim_end_matches(':')
            .split_once("::")
            .ok_or("no path")?;
        if form.family().stem != stem {
            wrong.push(format!("`{}` is emitted by {stem}", form.text()));
        }
        forms
            .entry((stem.into(), name.into()))
            .or_default()
            .push(form);
    }
    for ((stem, name), docs) in &documented.wrappers {
        let forms = forms
            .get(&(stem.clone(), name.clone()))
            .map_or(&[][..], |forms| forms);
        wrong.extend(differences(docs, forms).map(|it| format!("{stem}::{name}: {it}")));
    }
    let missing = forms
        .keys()
        .filter(|wrapper| !documented.wrappers.contains_key(*wrapper));
    wrong.extend(missing.map(|(stem, name)| format!("there is no wrapper {stem}::{name}")));
    for family in ptx_isa::FAMILIES {
        let section = format!("PTX ISA {}.", family.section);
        match documented.modules.get(family.stem) {
            Some(docs) if docs.replace('\n', " ").contains(&section) => {}
            Some(_) => wrong.push(format!(
                "{}: the module does not cite \"{section}\"",
                family.stem
            )),
            None => wrong.push(format!("there is no module {}", family.stem)),
        }
    }
    println!(
        "{} wrappers agree with the table on {} forms",
        forms.len(),
        ptx_isa::calls().count()
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

/// Returns the false statements in a wrapper's documentation of its forms. The documentation has "PTX ISA 8.0, with
/// `Relaxed` 8.6; sm_90.": the versions of all forms, and the targets that have all of them. If a number restricts the
/// targets, it adds "`VALUE` from 13 on: sm_103a.", for a type "Formats of 4 and 6 bits: sm_120a.".
fn differences(docs: &str, forms: &[Form]) -> impl Iterator<Item = String> {
    let mut wrong = Vec::new();
    let line = docs.lines().find_map(|line| line.strip_prefix("PTX ISA "));
    let stated = line.and_then(|line| line.strip_suffix('.')?.split_once("; "));
    let common = |targets: &Targets| {
        let has = |form: &Form| {
            TARGETS
                .iter()
                .all(|it| !targets.has(it) || form.targets().has(it))
        };
        forms.iter().all(has)
    };
    let of_forms = forms.iter().map(Form::targets).find(common);
    match (stated, of_forms) {
        (_, None) => wrong.push("no row has it".to_owned()),
        (None, _) => wrong.push(format!("no line \"PTX ISA …; …\" but {line:?}")),
        (Some((versions, targets)), Some(of_forms)) => {
            let words = versions.split([' ', ',']);
            let stated: BTreeSet<Version> = words.filter_map(Version::parse).collect();
            let has: BTreeSet<Version> = forms.iter().map(Form::isa).collect();
            if stated != has {
                let has: Vec<String> = has.iter().map(Version::to_string).collect();
                wrong.push(format!(
                    "PTX ISA {versions} is stated, the table has {}",
                    has.join(", ")
                ));
            }
            let by_value = docs.lines().filter(|line| {
                line.starts_with("`VALUE` from ") || line.starts_with("Formats of ")
            });
            let by_value = by_value.filter_map(|line| line.strip_suffix('.')?.split_once(": "));
            let mut stated: BTreeSet<String> =
                by_value.map(|(_, targets)| targets.into()).collect();
            let has: BTreeSet<String> = match stated.is_empty() {
                true => [of_forms.to_string()].into(),
                false => forms
                    .iter()
                    .map(|form| form.targets().to_string())
                    .collect(),
            };
            stated.insert(targets.into());
            if stated != has {
                wrong.push(format!("{stated:?} is stated, the table has {has:?}"));
            }
        }
    }
    wrong.into_iter()
}

/// The targets that distinguish sets.
const TARGETS: &[&str] = &[
    "sm_80", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103a", "sm_107a", "sm_120", "sm_120a",
];

#[derive(Default)]
struct Documented {
    modules: BTreeMap<String, String>,
    wrappers: BTreeMap<Wrapper, String>,
}

/// Reads rustdoc's documentation of the crate `tma`: the modules below `ptx`, and their
/// functions.
fn documentation() -> Result<Documented, Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrappers");
    let output = Command::new(env!("CARGO"))
        .current_dir(root)
        .args([
            "rustdoc",
            "--quiet",
            "--package",
            "rust-tma",
            "--lib",
            "--target-dir",
        ])
        .arg(&folder)
        .args(["--", "-Zunstable-options", "--output-format", "json"])
        .env("RUSTC_BOOTSTRAP", "1")
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let json: Value = serde_json::from_slice(&fs::read(folder.join("doc/tma.json"))?)?;
    let item = |id: &Value| &json["index"][id.to_string()];
    let items = |module: &'_ Value| module["inner"]["module"]["items"].as_array().cloned();
    let inside = |module: &Value| items(module).unwrap_or_default();
    let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
    let mut documented = Documented::default();
    let ptx = inside(item(&json["root"])).into_iter();
    let ptx = ptx.map(|id| item(&id)).find(|item| item["name"] == "ptx");
    for module in inside(ptx.ok_or("there is no module `ptx`")?) {
        let module = item(&module);
        let stem = text(module, "name");
        if module["inner"]["module"].is_null() || NO_FAMILIES.contains(&&*stem) {
            continue;
        }
        for function in inside(module) {
            let function = item(&function);
            if !function["inner"]["function"].is_null() {
                let wrapper = (stem.clone(), text(function, "name"));
                documented.wrappers.insert(wrapper, text(function, "docs"));
            }
        }
        documented.modules.insert(stem, text(module, "docs"));
    }
    Ok(documented)
}
