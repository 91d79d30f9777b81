//! Launch files as a whole.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use tensor_map::Params;
use tma_emulator::BufferTexture;
use tma_launch::{Argument, Buffer, Failure, Job, Launch, Limits, Ptx, Stage, check, suggestion};
use toml::de::DeTable;

use super::{
    buffer::{FileBuffer, Kind},
    contents::Contents,
    element::ElementType,
    expect::{Dump, Expectation},
    holds::Hold,
    launches::FileLaunch,
    maps::{FileMap, read_map},
    modules::{self, FileModule, Files, read_modules},
    output::Output,
    reader::{Table, Value},
    textures::FileTexture,
    violations::{Invalid, Noted, Notes, Violations},
};
use ptx_source::Source;

/// Size limit of a TOML or PTX file, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 256 << 20;

/// A parsed launch file: modules, buffers, launches and expected results.
#[derive(Clone, Debug)]
pub struct LaunchFile {
    name: String,
    text: String,
    /// The path of the file, if it was read from one.
    path: Option<PathBuf>,
    modules: Vec<FileModule>,
    arch: String,
    buffers: Vec<FileBuffer>,
    maps: Vec<FileMap>,
    textures: Vec<FileTexture>,
    launches: Vec<FileLaunch>,
    expectations: Vec<Expectation>,
    dumps: Vec<Dump>,
}

impl LaunchFile {
    /// Reads a launch file. The error lists the line and column of every violation.
    pub fn read(path: &Path) -> Result<Self, Violations> {
        let name = path.display().to_string();
        let cannot = |why: String| {
            let notes = Notes::default();
            notes.note(Invalid::Here(0..0, format!("cannot read the file: {why}")));
            match notes.into_result(&name, "") {
                Err(violations) => violations,
                Ok(()) => Violations {
                    file: name.clone(),
                    list: Vec::new(),
                },
            }
        };
        let metadata = path.metadata().map_err(|error| cannot(error.to_string()))?;
        // Opening a pipe without a writer would block, and a device may be endless.
        if !metadata.is_file() {
            return Err(cannot("not a regular file".to_owned()));
        }
        if metadata.len() > MAX_FILE_BYTES {
            let bytes = metadata.len();
            return Err(cannot(format!(
                "{bytes} bytes exceed the limit; put large data in separate files"
            )));
        }
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES).read_to_string(&mut text))
            .map_err(|error| cannot(error.to_string()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut file = Self::parse(&name, &text, folder)?;
        file.path = Some(path.to_owned());
        Ok(file)
    }

    /// Parses the text of a launch file. Messages call it `name`; its paths are relative to `folder`.
    pub fn parse(name: &str, text: &str, folder: &Path) -> Result<Self, Violations> {
        Self::parse_in(name, text, Files::Folder(folder))
    }

    /// Parses the text of a launch file whose modules have these names. No other file can be read.
    pub fn parse_with(name: &str, text: &str, modules: &[&str]) -> Result<Self, Violations> {
        Self::parse_in(name, text, Files::Named(modules))
    }

    fn parse_in(name: &str, text: &str, files: Files<'_>) -> Result<Self, Violations> {
        let notes = Notes::default();
        // After a syntax error, further messages would only confuse.
        let document = DeTable::parse(text).map_err(|error| {
            let at = error.span().unwrap_or(0..0);
            notes.note(Invalid::Here(at, error.message().to_owned()))
        });
        let parsed = document.as_ref().map_err(|noted| *noted);
        let parsed = parsed.and_then(|document| {
            let table = Table::document(document.get_ref(), &notes);
            parse(name, text, files, &table)
        });
        notes.into_result(name, text)?;
        parsed.map_err(|Noted| Violations {
            file: name.to_owned(),
            list: Vec::new(),
        })
    }

    /// Returns the file's name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the paths of the PTX files.
    pub fn modules(&self) -> impl Iterator<Item = &Path> {
        self.modules.iter().map(|module| module.path.as_path())
    }

    /// Returns the architecture of the launches, such as `sm_90a`.
    pub fn arch(&self) -> &str {
        &self.arch
    }

    /// Returns the launches in order.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> {
        self.launches.iter().map(|file| &file.launch)
    }

    /// Returns the total size of all buffers in bytes.
    pub fn buffer_bytes(&self) -> u64 {
        self.buffers.iter().map(FileBuffer::bytes).sum()
    }

    /// Returns whether buffers are written to files at the end.
    pub fn writes_files(&self) -> bool {
        !self.dumps.is_empty()
    }

    /// Returns the buffers with their contents before the first launch.
    ///
    /// # Errors
    /// A file with the contents of a buffer can no longer be read.
    pub fn buffers(&self) -> Result<Vec<Buffer>, Failure> {
        let buffer = |file: &FileBuffer| {
            let bytes = file.contents.bytes(file.ty, 0, file.count, &[]);
            let about = |why| format!("buffer `{}`: {why}", file.name);
            let bytes = bytes.map_err(|why| Failure::new(Stage::Upload, about(why)))?;
            let buffer = Buffer::of_bytes(&file.name, bytes);
            let buffer = match file.kind {
                Kind::Buffer => buffer,
                Kind::Variable { is_initial: true } => buffer.of_variable(file.variable()),
                Kind::Variable { is_initial: false } => buffer.in_variable(file.variable()),
            };
            let buffer = buffer.of_module(file.module.unwrap_or(0));
            Ok(file
                .holds
                .iter()
                .fold(buffer, |buffer, hold| hold.put(buffer)))
        };
        self.buffers.iter().map(buffer).collect()
    }

    /// Returns the type and the dimensions of each buffer, innermost first, in the order of [`buffers`](Self::buffers).
    pub fn shapes(&self) -> impl Iterator<Item = (ElementType, &[u64])> {
        self.buffers.iter().map(|file| (file.ty, &file.dims[..]))
    }

    /// Returns the names and parameters of the tensor maps.
    pub fn maps(&self) -> impl Iterator<Item = (&str, &Params)> {
        self.maps.iter().filter_map(|map| match &map.argument {
            Some(Argument::TensorMap { params, .. }) => Some((map.name.as_str(), &**params)),
            _ => None,
        })
    }

    /// Returns the textures of the buffers.
    pub(super) fn textures(&self) -> Vec<BufferTexture> {
        let textures = self.textures.iter();
        textures.filter_map(|texture| texture.texture).collect()
    }

    /// Returns the launches as a job on these buffers, with the texts of the file's modules.
    pub fn job<'a>(&self, ptx: Ptx<'a>, further: Vec<Ptx<'a>>, buffers: Vec<Buffer>) -> Job<'a> {
        let mut job = Job::new(ptx);
        job.further = further;
        job.buffers = buffers;
        job.launches = self.launches().cloned().collect();
        job
    }

    /// Determines the module of each kernel and variable for which the file does not name one.
    ///
    /// # Errors
    /// No module or several modules contain it.
    pub fn resolve(&mut self, sources: &[Source]) -> Result<(), Violations> {
        let notes = Notes::default();
        for file in &mut self.launches {
            let (entry, kernels) = (&file.launch.entry, modules::kernels);
            let found = file.module.map_or_else(
                || modules::find("kernel", entry, &self.modules, sources, kernels),
                Ok,
            );
            match found {
                Ok(number) => file.launch.module = number,
                Err(says) => {
                    notes.note(Invalid::Here(file.entry_at.clone(), says));
                }
            }
        }
        for file in &mut self.buffers {
            if file.kind == Kind::Buffer {
                continue;
            }
            let (name, variables) = (file.variable(), modules::variables);
            let found = file.module.map_or_else(
                || modules::find("variable", name, &self.modules, sources, variables),
                Ok,
            );
            let known = |number: usize| sources.get(number).map_or_else(Vec::new, variables);
            let found = found.and_then(|number| match known(number) {
                names if names.contains(&name) => Ok(number),
                names => {
                    let near = suggestion(name, names);
                    Err(format!("the module has no variable `{name}`: {near}"))
                }
            });
            match found {
                Ok(number) => file.module = Some(number),
                Err(says) => {
                    notes.note(Invalid::Here(file.at.clone(), says));
                }
            }
        }
        notes.into_result(&self.name, &self.text)
    }

    /// Checks that the launches fit their kernels. The errors name the lines of the launches.
    ///
    /// # Errors
    /// A kernel is missing from its module, or a launch breaks a rule; all violations are listed.
    pub fn check(&self, sources: &[Source], buffers: &[Buffer]) -> Result<(), Violations> {
        let notes = Notes::default();
        for file in &self.launches {
            let launch = &file.launch;
            let Some(source) = sources.get(launch.module) else {
                continue;
            };
            let signature = match source.signature(&launch.entry) {
                Ok(signature) => signature,
                Err(failure) => {
                    notes.note(Invalid::Here(file.entry_at.clone(), failure.to_string()));
                    continue;
                }
            };
            if let Err(violations) = check(launch, buffers, &Limits::SM_90, signature) {
                let failure = Failure::check(&launch.entry, violations);
                notes.note(Invalid::Here(file.at.clone(), failure.to_string()));
            }
        }
        notes.into_result(&self.name, &self.text)
    }

    /// Returns a message for each buffer that differs from its expected contents.
    ///
    /// # Errors
    /// A file with expected contents can no longer be read.
    pub fn mismatches(&self, after: &[Buffer]) -> Result<Vec<String>, Failure> {
        let mut all = Vec::new();
        for expectation in &self.expectations {
            let (file, after) = (
                &self.buffers[expectation.buffer],
                &after[expectation.buffer],
            );
            let found = expectation.check(file, &self.buffers, after);
            let about = |why| format!("expected contents of `{}`: {why}", file.name);
            let found = found.map_err(|why| Failure::new(Stage::CopyBack, about(why)))?;
            all.extend(found);
        }
        Ok(all)
    }

    /// Returns all input files: the launch file, the modules, and contents of buffers.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let contents = self.buffers.iter().map(|buffer| &buffer.contents);
        let expected = self.expectations.iter().map(Expectation::contents);
        let contents = contents.chain(expected).filter_map(Contents::path);
        let own = self.path.as_deref().into_iter();
        own.chain(self.modules()).chain(contents)
    }

    /// Returns the files that buffers are written to at the end.
    pub fn dumps(&self) -> impl Iterator<Item = &Path> {
        self.dumps.iter().map(|dump| dump.path.as_path())
    }

    /// Opens the files that buffers are written to at the end.
    ///
    /// # Errors
    /// A file cannot be written, is also an input, or is listed twice.
    pub fn open_dumps(&self) -> Result<Vec<Output>, Failure> {
        let mut all: Vec<Output> = Vec::new();
        for Dump { path, .. } in &self.dumps {
            let others: Vec<PathBuf> = all.iter().map(|dump| dump.target().to_owned()).collect();
            let taken = self.inputs().chain(others.iter().map(PathBuf::as_path));
            let dump = Output::open(path, taken)?;
            all.push(dump);
        }
        Ok(all)
    }

    /// Writes the buffers to their files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn dump(&self, dumps: Vec<Output>, after: &[Buffer]) -> Result<(), Failure> {
        for (dump, Dump { buffer, .. }) in dumps.into_iter().zip(&self.dumps) {
            dump.write(after.get(*buffer).map_or(&[][..], Buffer::bytes))?;
        }
        Ok(())
    }
}

fn parse(name: &str, text: &str, files: Files<'_>, table: &Table<'_>) -> Result<LaunchFile, Noted> {
    let modules = read_modules(table, files);
    let folder = files.folder();
    let known = modules.as_deref().unwrap_or_default();
    let arch = table.optional("arch", |value| value.string().map(str::to_owned));

    let mut buffers: Vec<FileBuffer> = Vec::new();
    let mut holds = Vec::new();
    let mut taken = 0;
    let variable = Kind::Variable { is_initial: false };
    let read = [("buffers", Kind::Buffer), ("variables", variable)].map(|(key, kind)| {
        each_named(table, key, |name, inner| {
            let buffer = FileBuffer::read(name, inner, (kind, known), folder, taken);
            let result = buffer.as_ref().map(drop).map_err(|noted| *noted);
            let buffer = buffer.unwrap_or_else(|Noted| FileBuffer::broken(name, kind));
            taken += buffer.bytes();
            buffers.push(buffer);
            holds.push(inner.get("holds"));
            result
        })
    });
    let mut maps = Vec::new();
    let read_maps = each_named(table, "maps", |name, inner| {
        let argument = read_map(name, inner, &buffers);
        maps.push(FileMap {
            name: name.to_owned(),
            argument: argument.clone().ok(),
        });
        argument.map(drop)
    });
    let mut textures = Vec::new();
    let read_textures = each_named(table, "textures", |name, inner| {
        let texture = FileTexture::read(name, inner, &buffers);
        let result = texture.as_ref().map(drop).map_err(|noted| *noted);
        textures.push(texture.unwrap_or_else(|Noted| FileTexture::broken(name)));
        result
    });
    // Held values may refer to buffers, variables and maps further down in the file.
    let held = holds.iter().map(|value| match value {
        Some(value) => {
            let holds = value.list(|value| Hold::read(value, &buffers, &maps));
            holds.map_err(|wrong| table.add(wrong))
        }
        None => Ok(Vec::new()),
    });
    let held: Result<Vec<Vec<Hold>>, Noted> = held.collect();
    let launches = each(table, "launch", |inner| {
        FileLaunch::read(inner, known, &buffers, &maps, &textures)
    });
    let expectations = each(table, "expect", |inner| {
        Expectation::read(inner, &buffers, folder)
    });
    let dumps = each(table, "dump", |inner| Dump::read(inner, &buffers, folder));
    table.end();
    if launches.as_ref().is_ok_and(Vec::is_empty) {
        table.note("the file must have at least one `[[launch]]`");
    }
    read.into_iter().collect::<Result<(), Noted>>()?;
    read_maps?;
    read_textures?;
    for (buffer, holds) in buffers.iter_mut().zip(held?) {
        buffer.holds = holds;
    }
    Ok(LaunchFile {
        name: name.to_owned(),
        text: text.to_owned(),
        path: None,
        modules: modules?,
        arch: arch?.unwrap_or_else(|| "sm_90a".to_owned()),
        buffers,
        maps,
        textures,
        launches: launches?,
        expectations: expectations?,
        dumps: dumps?,
    })
}

/// Reads each table `[key.NAME]`, continuing after an invalid one.
fn each_named<'d>(
    table: &Table<'d>,
    key: &'static str,
    mut read: impl FnMut(&str, &Table<'d>) -> Result<(), Noted>,
) -> Result<(), Noted> {
    let inner = table.optional(key, |value| value.table(key))?;
    let mut result = Ok(());
    for (name, _, value) in inner.iter().flat_map(Table::named) {
        let one = value
            .table(format!("{key}.{name}"))
            .map_err(|wrong| table.add(wrong))
            .and_then(|inner| read(name, &inner));
        result = result.and(one);
    }
    result
}

/// Reads each table `[[key]]`, or the single table `[key]`, continuing after an invalid one.
fn each<T>(
    table: &Table<'_>,
    key: &'static str,
    mut read: impl FnMut(&Table<'_>) -> Result<T, Noted>,
) -> Result<Vec<T>, Noted> {
    let values = table.optional(key, |value: &Value<'_>| match value.is_table() {
        true => Ok(vec![value.clone()]),
        false => value.array(),
    })?;
    let values = values.unwrap_or_default().into_iter();
    let all: Vec<Result<T, Noted>> = values
        .map(|value| {
            let inner = value.table(key).map_err(|wrong| table.add(wrong))?;
            read(&inner)
        })
        .collect();
    all.into_iter().collect()
}
