use std::{path::Path, sync::Arc};

use tma_launch::{Failure, Signature, Stage, suggestion};

use crate::{file::read_file, signature::signature};

/// Size limit of a PTX text in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// A parsed PTX text: its kernels are known without a driver.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: Arc<str>,
    module: Arc<ptx::Module>,
    signatures: Arc<[Signature]>,
}

impl Source {
    /// Parses a PTX text. Messages call it `name`.
    ///
    /// The error lists the line and column of each location that is not valid PTX.
    pub fn parse(name: &str, text: &str) -> Result<Self, Failure> {
        let module = ptx::parse_named(name, text)
            .map_err(|errors| Failure::new(Stage::Load, errors.to_string()))?;
        let definitions = module.definitions();
        let signatures = module
            .entries()
            .map(|entry| signature(&definitions, entry))
            .collect();
        Ok(Self {
            name: name.to_owned(),
            text: text.into(),
            module: Arc::new(module),
            signatures,
        })
    }

    /// Reads and parses a PTX file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let cannot = |why: String| Failure::new(Stage::Load, format!("cannot read {name}: {why}"));
        let bytes = read_file(path, MAX_BYTES).map_err(|error| cannot(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            cannot("it is not text".to_owned()).hint("use PTX, not a cubin or fat binary")
        })?;
        Self::parse(&name, &text)
    }

    /// Returns the name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the PTX text as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the syntax tree of the text.
    pub fn module(&self) -> &Arc<ptx::Module> {
        &self.module
    }

    /// Returns the target architecture, such as `sm_90a`.
    pub fn target(&self) -> &str {
        self.module
            .target
            .names
            .first()
            .map_or("", |name| name.as_str())
    }

    /// Returns the signatures of all kernels, in order.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// Returns the kernel of this name. The error suggests the nearest names.
    pub fn signature(&self, entry: &str) -> Result<&Signature, Failure> {
        self.signatures
            .iter()
            .find(|signature| signature.entry == entry)
            .ok_or_else(|| {
                let names = self
                    .signatures
                    .iter()
                    .map(|signature| signature.entry.as_str());
                let what = format!("{} has no kernel `{entry}`", self.name);
                Failure::new(Stage::Resolve, what).hint(suggestion(entry, names))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 8.6\n.target sm_90a\n.address_size 64\n\
        .visible .entry tile_2d() { ret; }\n.visible .entry add_one_1d() { ret; }\n";

    #[test]
    fn kernels_are_found_by_name() -> Result<(), Failure> {
        let source = Source::parse("kernels.ptx", TEXT)?;
        assert_eq!((source.target(), source.signatures().len()), ("sm_90a", 2));
        assert_eq!(source.signature("tile_2d")?.entry, "tile_2d");
        let failure = source.signature("tile_2").unwrap_err();
        let text = "resolve: kernels.ptx has no kernel `tile_2`: did you mean `tile_2d`?";
        assert_eq!(failure.to_string(), text);
        Ok(())
    }

    #[test]
    fn errors_have_locations() {
        let text = TEXT.replace("ret; }\n.visible", "ret }\n.visible");
        let failure = Source::parse("kernels.ptx", &text).unwrap_err();
        let text = failure.to_string();
        assert!(
            text.starts_with("load: kernels.ptx:4:33: expected "),
            "{text}"
        );
    }

    #[test]
    fn missing_files_are_named() {
        let failure = Source::read(Path::new("/nowhere/kernels.ptx")).unwrap_err();
        let text = failure.to_string();
        assert!(
            text.starts_with("load: cannot read /nowhere/kernels.ptx: No such file"),
            "{text}"
        );
    }
}
