//! The texts of the page: examples and levels, with the kernels from where they are in the checkout.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use crate::paths::root;

/// Returns the examples of `site/examples.json`, with the texts of their files.
pub(super) fn examples() -> Result<String> {
    let examples = json("site/examples.json")?;
    let examples = examples
        .as_array()
        .context("examples.json must be a list")?;
    let examples: Vec<Value> = examples.iter().map(with_texts).collect::<Result<_>>()?;
    Ok(Value::from(examples).to_string())
}

/// Returns the levels of the course in the order of their folders, with the texts of their files.
pub(super) fn levels() -> Result<String> {
    let entries = root().join("site/levels").read_dir()?;
    let mut folders: Vec<_> = entries.map(|it| Ok(it?.path())).collect::<Result<_>>()?;
    folders.sort();
    let level = |folder: &std::path::PathBuf| {
        let of = |name: &str| folder.join(name).display().to_string();
        let mut level = with_texts(&json(&of("level.json"))?)?;
        level["page"] = text(&of("page.html"))?.into();
        Ok(level)
    };
    let levels: Vec<Value> = folders.iter().map(level).collect::<Result<_>>()?;
    Ok(Value::from(levels).to_string())
}

/// Replaces the paths of an entry's launch file, modules and sources by names and texts.
fn with_texts(entry: &Value) -> Result<Value> {
    let mut with = entry
        .as_object()
        .context("an entry must be a table")?
        .clone();
    let toml = entry["toml"].as_str().context("an entry needs `toml`")?;
    with.insert("toml".to_owned(), text(toml)?.into());
    for key in ["modules", "sources"] {
        let paths = entry[key].as_array().into_iter().flatten();
        let texts = paths.map(|path| named(path.as_str().unwrap_or_default()));
        with.insert(key.to_owned(), texts.collect::<Result<Vec<_>>>()?.into());
    }
    Ok(with.into())
}

fn named(path: &str) -> Result<Value> {
    let name = Path::new(path).file_name().unwrap_or_default();
    let mut named = Map::new();
    named.insert("name".to_owned(), name.to_string_lossy().into());
    named.insert("path".to_owned(), path.into());
    named.insert("text".to_owned(), text(path)?.into());
    Ok(named.into())
}

fn json(path: &str) -> Result<Value> {
    serde_json::from_str(&text(path)?).with_context(|| format!("{path} is not valid JSON"))
}

fn text(path: &str) -> Result<String> {
    fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))
}
