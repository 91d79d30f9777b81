//! The modules of a launch file, and in which of them a kernel or a variable is.

use std::path::{Path, PathBuf};

use tma_host::Source;
use tma_launch::suggestion;

use super::{
    file::MAX_FILE_BYTES,
    reader::{Table, Value},
    violations::{Invalid, Noted},
};

/// A PTX file.
#[derive(Clone, Debug)]
pub(super) struct FileModule {
    /// As the launch file calls it.
    name: String,
    pub(super) path: PathBuf,
}

impl FileModule {
    fn read(value: &Value<'_>, folder: &Path) -> Result<Self, Invalid> {
        let name = value.string()?;
        let path = folder.join(name);
        let shown = path.display();
        match path.metadata() {
            Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_FILE_BYTES => Ok(Self {
                name: name.to_owned(),
                path,
            }),
            Ok(metadata) if metadata.is_file() => {
                let bytes = metadata.len();
                Err(value.wrong(format!("`{shown}` has {bytes} bytes, too many for PTX")))
            }
            Ok(_) => Err(value.wrong(format!("`{shown}` is no file"))),
            Err(error) => Err(value.wrong(format!("cannot read `{shown}`: {error}"))),
        }
    }
}

/// `module = "a.ptx"` or `modules = ["a.ptx", "b.ptx"]`
pub(super) fn read_modules(table: &Table<'_>, folder: &Path) -> Result<Vec<FileModule>, Noted> {
    let one = table.optional("module", |value| FileModule::read(value, folder));
    let several = table.optional("modules", |value| {
        let mut known: Vec<String> = Vec::new();
        let modules = value.list(|value| {
            let module = FileModule::read(value, folder)?;
            match known.contains(&module.name) {
                true => Err(value.wrong(format!("`{}` stands here twice", module.name))),
                false => {
                    known.push(module.name.clone());
                    Ok(module)
                }
            }
        })?;
        match modules.is_empty() {
            true => Err(value.wrong("at least one PTX file is wanted")),
            false => Ok(modules),
        }
    });
    match (one?, several?) {
        (Some(module), None) => Ok(vec![module]),
        (None, Some(modules)) => Ok(modules),
        (Some(_), Some(_)) => Err(table.note("give `module` or `modules`, not both")),
        (None, None) => Err(table.note(format!("{} has no `module`", table.called()))),
    }
}

/// The module that the table of a launch or a variable names, by its number.
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

/// The number of the one module that has a kernel or a variable of this name, where the file does not say which. `names`
/// are those that a module has.
pub(super) fn find<'s>(
    what: &str,
    name: &str,
    modules: &[FileModule],
    sources: &'s [Source],
    names: impl Fn(&'s Source) -> Vec<&'s str>,
) -> Result<usize, String> {
    if sources.len() < 2 {
        // What is not there is told where it is looked up.
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
                "the modules {} each have a {what} `{name}`: say which one, as by `module = \"{first}\"`",
                several.join(" and ")
            ))
        }
    }
}

/// The kernels of a module.
pub(super) fn kernels(source: &Source) -> Vec<&str> {
    let signatures = source.signatures().iter();
    signatures
        .map(|signature| signature.entry.as_str())
        .collect()
}

/// The variables of a module that the host can read and write.
pub(super) fn variables(source: &Source) -> Vec<&str> {
    let is_global = |space| matches!(space, ptx::Space::Global | ptx::Space::Const);
    let variables = source.module().variables();
    let variables = variables.filter(|variable| is_global(variable.space));
    variables
        .flat_map(|variable| &variable.declarators)
        .map(|declarator| declarator.name.as_str())
        .collect()
}
