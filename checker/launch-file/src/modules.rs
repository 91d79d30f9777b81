//! The modules of a launch file, and the lookup of kernels and variables in them.

use std::path::{Path, PathBuf};

use ptx_source::Source;
use tma_launch::suggestion;

use super::{
    file::MAX_FILE_BYTES,
    reader::{Table, Value},
    violations::{Invalid, Noted},
};

/// The files that a launch file can name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Files<'a> {
    /// Files, relative to a folder.
    Folder(&'a Path),
    /// Modules of these names, whose texts are elsewhere.
    Named(&'a [&'a str]),
}

impl<'a> Files<'a> {
    pub(super) fn folder(self) -> &'a Path {
        match self {
            Self::Folder(folder) => folder,
            Self::Named(_) => Path::new(""),
        }
    }
}

/// A PTX file.
#[derive(Clone, Debug)]
pub(super) struct FileModule {
    /// The path as written in the launch file.
    name: String,
    pub(super) path: PathBuf,
}

impl FileModule {
    fn read(value: &Value<'_>, files: Files<'_>) -> Result<Self, Invalid> {
        let name = value.string()?;
        let path = files.folder().join(name);
        if let Files::Named(names) = files {
            return match names.contains(&name) {
                true => Ok(Self {
                    name: name.to_owned(),
                    path,
                }),
                false => {
                    let near = suggestion(name, names.iter().copied());
                    Err(value.wrong(format!("there is no PTX `{name}`: {near}")))
                }
            };
        }
        let shown = path.display();
        match path.metadata() {
            Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_FILE_BYTES => Ok(Self {
                name: name.to_owned(),
                path,
            }),
            Ok(metadata) if metadata.is_file() => {
                let bytes = metadata.len();
                Err(value.wrong(format!(
                    "`{shown}` has {bytes} bytes, too large for a PTX file"
                )))
            }
            Ok(_) => Err(value.wrong(format!("`{shown}` is not a file"))),
            Err(error) => Err(value.wrong(format!("cannot read `{shown}`: {error}"))),
        }
    }
}

/// Reads `module = "a.ptx"` or `modules = ["a.ptx", "b.ptx"]`.
pub(super) fn read_modules(table: &Table<'_>, files: Files<'_>) -> Result<Vec<FileModule>, Noted> {
    let one = table.optional("module", |value| FileModule::read(value, files));
    let several = table.optional("modules", |value| {
        let mut known: Vec<String> = Vec::new();
        let modules = value.list(|value| {
            let module = FileModule::read(value, files)?;
            match known.contains(&module.name) {
                true => Err(value.wrong(format!("`{}` is listed twice", module.name))),
                false => {
                    known.push(module.name.clone());
                    Ok(module)
                }
            }
        })?;
        match modules.is_empty() {
            true => Err(value.wrong("list at least one PTX file")),
            false => Ok(modules),
        }
    });
    match (one?, several?) {
        (Some(module), None) => Ok(vec![module]),
        (None, Some(modules)) => Ok(modules),
        (Some(_), Some(_)) => Err(table.note("set either `module` or `modules`")),
        (None, None) => Err(table.note(format!("{} has no `module`", table.called()))),
    }
}

/// Returns the index of the module that the table of a launch or a variable names.
pub(super) fn named(table: &Table<'_>, modules: &[FileModule]) -> Result<Option<usize>, Noted> {
    table.optional("module", |value| {
        let given = value.string()?;
        let found = modules.iter().position(|module| module.name == given);
        found.ok_or_else(|| {
            let names = modules.iter().map(|module| module.name.as_str());
            let near = suggestion(given, names);
            value.wrong(format!("the file has no module `{given}`: {near}"))
        })
    })
}

/// Returns the index of the only module with a kernel or variable of this name, for tables that name no module.
/// `names` returns the names in a module.
pub(super) fn find<'s>(
    what: &str,
    name: &str,
    modules: &[FileModule],
    sources: &'s [Source],
    names: impl Fn(&'s Source) -> Vec<&'s str>,
) -> Result<usize, String> {
    if sources.len() < 2 {
        // The later lookup reports a missing name.
        return Ok(0);
    }
    let all: Vec<Vec<&str>> = sources.iter().map(names).collect();
    let has = |number: &usize| all[*number].contains(&name);
    match (0..all.len()).filter(has).collect::<Vec<_>>()[..] {
        [number] => Ok(number),
        [] => {
            let near = suggestion(name, all.iter().flatten().copied());
            Err(format!("no module has a {what} `{name}`: {near}"))
        }
        ref several => {
            let several = several.iter().map(|number| &*modules[*number].name);
            let several: Vec<String> = several.map(|name| format!("`{name}`")).collect();
            let first = &several[0];
            let first = first.trim_matches('`');
            Err(format!(
                "the modules {} each have a {what} `{name}`; choose one, as in `module = \"{first}\"`",
                several.join(" and ")
            ))
        }
    }
}

/// Returns the kernels of a module.
pub(super) fn kernels(source: &Source) -> Vec<&str> {
    let signatures = source.signatures().iter();
    signatures
        .map(|signature| signature.entry.as_str())
        .collect()
}

/// Returns the variables of a module that the host can read and write.
pub(super) fn variables(source: &Source) -> Vec<&str> {
    let is_global = |space| matches!(space, ptx::Space::Global | ptx::Space::Const);
    let variables = source.module().variables();
    let variables = variables.filter(|variable| is_global(variable.space));
    variables
        .flat_map(|variable| &variable.declarators)
        .map(|declarator| declarator.name.as_str())
        .collect()
}
