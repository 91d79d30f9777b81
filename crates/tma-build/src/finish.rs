//! Turns rustc's PTX into PTX that a driver accepts.

use std::collections::HashSet;

use ptx::{At, Block, Function, Identifier, Item, Linkage, Module, Space, Statement};

use crate::{
    Arch, PtxIsa, mixed_sums::widen_halves, narrow_stores::keep_bits, shared_matrices::name_window,
};

/// The contents of a module-level `.pragma "tma kernel NAME key=value …";`, which `#[kernel]`
/// writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marker {
    /// The name of the kernel's entry.
    pub kernel: String,
    /// Most threads of a block in each dimension.
    pub max_threads: Option<[u32; 3]>,
    /// Blocks that a multiprocessor should hold.
    pub min_blocks: Option<u32>,
    /// Blocks of a cluster in each dimension.
    pub cluster: Option<[u32; 3]>,
    /// Numbers of the parameters that are tensor maps.
    pub grid_constants: Vec<usize>,
    /// True if the kernel may use local memory.
    pub local_memory: bool,
    /// Numbers of the ptxas messages that the kernel allows.
    pub allowed: Vec<String>,
}

/// A marker that cannot become directives.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct FinishError {
    /// The entry, the marker's invalid word or the parameter, and the rule.
    pub reason: String,
    /// The marker in the parsed text.
    pub span: At,
}

impl Marker {
    /// Reads the text of a pragma; `None` when it is somebody else's.
    ///
    /// # Errors
    /// The invalid part of a pragma that begins with `tma kernel`.
    pub fn parse(text: &str) -> Option<Result<Self, String>> {
        let mut words = text.strip_prefix("tma kernel ")?.split_whitespace();
        let mut marker = Self {
            kernel: words.next().unwrap_or_default().to_owned(),
            ..Self::default()
        };
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let understood = match key {
                "maxntid" => triple(value).map(|extent| marker.max_threads = Some(extent)),
                "reqnctapercluster" => triple(value).map(|extent| marker.cluster = Some(extent)),
                "minnctapersm" => value
                    .parse()
                    .ok()
                    .map(|blocks| marker.min_blocks = Some(blocks)),
                "grid_constants" => numbers(value).map(|indices| marker.grid_constants = indices),
                "local_memory" => {
                    marker.local_memory = true;
                    Some(())
                }
                "allow" => {
                    marker.allowed = value.split(',').map(str::to_owned).collect();
                    Some(())
                }
                _ => None,
            };
            if understood.is_none() {
                return Some(Err(format!(
                    "the marker `{text}` contains an unknown key or invalid value: `{word}`"
                )));
            }
        }
        Some(Ok(marker))
    }
}

fn numbers<T: std::str::FromStr>(text: &str) -> Option<Vec<T>> {
    text.split(',').map(|number| number.parse().ok()).collect()
}

fn triple(text: &str) -> Option<[u32; 3]> {
    numbers(text)?.try_into().ok()
}

/// Finishes a module in place and returns its markers.
///
/// Turns each [`Marker`] into directives and takes it away, aligns the tensor maps among the
/// parameters to 64 bytes, and drops debug sections, `, debug`, unused labels and unused shared memory; `.file` and `.loc`
/// stay. Stores that ptxas would get wrong store a copy, and `ldmatrix` and `stmatrix` name `.shared` for shared addresses.
///
/// # Errors
/// An invalid marker, or one that names a missing entry or parameter.
pub fn finish(module: &mut Module) -> Result<Vec<Marker>, FinishError> {
    let found = take_markers(module)?;
    let mut markers = Vec::with_capacity(found.len());
    for (marker, span) in found {
        apply(module, &marker).map_err(|reason| FinishError { reason, span })?;
        markers.push(marker);
    }
    module.target.names.retain(|name| name.as_str() != "debug");
    drop_debug_sections(module);
    drop_unused_shared(module);
    module.functions_mut().for_each(drop_unused_labels);
    module.functions_mut().for_each(keep_bits);
    module.functions_mut().for_each(name_window);
    Ok(markers)
}

/// Sets the requested architecture and version: LLVM does not know the newest, and libNVVM names others. Sums that
/// Hopper lacks are split.
pub(crate) fn name_target(module: &mut Module, arch: Arch, isa: PtxIsa) {
    if let Some(name) = module.target.names.first_mut() {
        *name = Identifier::from(arch.name());
    }
    module.version.major = isa.major;
    module.version.minor = isa.minor;
    if arch.is_hopper() {
        module.functions_mut().for_each(widen_halves);
    }
}

/// Drops DWARF, whose labels ptxas refuses, but not the names that `.loc … function_name` uses.
pub(crate) fn drop_debug_sections(module: &mut Module) {
    let named = module
        .functions()
        .filter_map(|function| function.body.as_ref())
        .flat_map(|body| body.walk())
        .any(|statement| matches!(statement, Statement::Location(at) if at.inlined.is_some()));
    module.items.retain(|item| match item {
        Item::Section(section) => named && section.name == ".debug_str",
        Item::Label(_) => false,
        _ => true,
    });
}

/// Drops shared memory that no kernel uses: variables of a library, and the names of dynamic shared memory,
/// whose alignment would pad the static shared memory of every kernel in the module.
fn drop_unused_shared(module: &mut Module) {
    let mut used = HashSet::new();
    for function in module.functions() {
        function.for_each_name(|name| {
            used.insert(name.as_str().to_owned());
        });
    }
    module.items.retain(|item| match item {
        Item::Variable(variable)
            if variable.space == Space::Shared && variable.linkage != Some(Linkage::Visible) =>
        {
            variable
                .declarators
                .iter()
                .any(|declarator| used.contains(declarator.name.as_str()))
        }
        _ => true,
    });
}

/// Replaces the beginnings of the paths in the line table: each the first that fits.
pub fn rename_folders(module: &mut Module, folders: &[(String, String)]) {
    for item in &mut module.items {
        if let Item::File(file) = item
            && let Some((rest, to)) = folders
                .iter()
                .find_map(|(from, to)| Some((file.path.strip_prefix(from)?, to)))
        {
            file.path = format!("{to}{rest}");
        }
    }
}

fn take_markers(module: &mut Module) -> Result<Vec<(Marker, At)>, FinishError> {
    let mut markers = Vec::new();
    let mut error = None;
    module.items.retain(|item| {
        let Item::Pragma(pragma) = item else {
            return true;
        };
        let found: Vec<_> = pragma
            .texts
            .iter()
            .filter_map(|text| Marker::parse(text))
            .collect();
        let is_ours = !found.is_empty();
        for marker in found {
            match marker {
                Ok(marker) => markers.push((marker, pragma.span)),
                Err(reason) => {
                    error.get_or_insert(FinishError {
                        reason,
                        span: pragma.span,
                    });
                }
            }
        }
        !is_ours
    });
    error.map_or(Ok(markers), Err)
}

/// PTX ISA 11.4, "Performance-Tuning Directives", and 11.7, "Cluster Dimension Directives".
fn apply(module: &mut Module, marker: &Marker) -> Result<(), String> {
    let kernel = &marker.kernel;
    let entry = module
        .function_mut(kernel)
        .filter(|function| function.is_entry())
        .ok_or_else(|| format!("there is no entry `{kernel}`, which a marker names"))?;
    if let Some(extent) = marker.max_threads {
        entry.set_directive(".maxntid", extent);
    }
    if let Some(blocks) = marker.min_blocks {
        entry.set_directive(".minnctapersm", [blocks]);
    }
    if let Some(extent) = marker.cluster {
        // Without it, ptxas also provides for a launch without clusters.
        entry.set_directive(".explicitcluster", []);
        entry.set_directive(".reqnctapercluster", extent);
    }
    for index in &marker.grid_constants {
        let parameter = entry
            .parameters
            .get_mut(*index)
            .filter(|parameter| parameter.size_bytes() == Some(128))
            .ok_or_else(|| {
                format!("parameter {index} of `{kernel}` is not the 128 bytes of a tensor map")
            })?;
        parameter.align = Some(64);
    }
    Ok(())
}

/// Drops the labels that only debug sections used.
fn drop_unused_labels(function: &mut Function) {
    let mut used = HashSet::new();
    function.for_each_name(|name| {
        used.insert(name.as_str().to_owned());
    });
    if let Some(body) = &mut function.body {
        drop_labels(body, &used);
    }
}

fn drop_labels(block: &mut Block, used: &HashSet<String>) {
    block.statements.retain_mut(|statement| match statement {
        Statement::Label(label) => used.contains(label.as_str()),
        Statement::Block(inner) => {
            drop_labels(inner, used);
            true
        }
        _ => true,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
.version 8.0
.target sm_90a, debug
.address_size 64
.pragma \"tma kernel tile maxntid=256,1,1 minnctapersm=2 reqnctapercluster=2,1,1 grid_constants=1\";
.pragma \"nounroll\";
.visible .entry tile(
	.param .u64 tile_param_0,
	.param .align 16 .b8 tile_param_1[128]
)
{
$L__func_begin0:
	.loc 1 7 5
	ret;
}
.file 1 \"src/tile.rs\"
.section .debug_str { .b8 0 }
";

    #[test]
    fn names_of_inlined_functions_stay_without_other_sections() {
        let inlined =
            "\t.loc 1 7 5\n\t.loc 1 9 3, function_name $L__info_string0, inlined_at 1 7 5";
        let text = MODULE.replace("\t.loc 1 7 5", inlined) + ".section .debug_abbrev { .b8 0 }\n";
        let mut module = ptx::parse(&text).unwrap();
        drop_debug_sections(&mut module);
        let text = module.to_string();
        assert!(text.contains(".debug_str"), "{text}");
        assert!(!text.contains(".debug_abbrev"), "{text}");
    }

    #[test]
    fn markers_become_directives_and_debug_sections_go() {
        let mut module = ptx::parse(MODULE).unwrap();
        let markers = finish(&mut module).unwrap();
        assert_eq!(markers.len(), 1);
        let text = module.to_string();
        for present in [
            ".target sm_90a\n",
            ".param .align 64 .b8 tile_param_1[128]",
            ".maxntid 256, 1, 1",
            ".minnctapersm 2",
            ".explicitcluster\n.reqnctapercluster 2, 1, 1",
            ".loc 1 7 5",
            ".file 1 \"src/tile.rs\"",
            "nounroll",
        ] {
            assert!(text.contains(present), "{present} is missing from\n{text}");
        }
        assert!(
            !["tma kernel", "debug", "func_begin"]
                .iter()
                .any(|gone| text.contains(gone)),
            "{text}"
        );
    }

    #[test]
    fn folders_are_renamed_at_the_beginning_alone() {
        let mut module = ptx::parse(&MODULE.replace("src/tile.rs", "/w/src/w/tile.rs")).unwrap();
        rename_folders(
            &mut module,
            &[
                ("/w/".into(), String::new()),
                ("/w/src/".into(), "never".into()),
            ],
        );
        assert_eq!(module.file(1), Some("src/w/tile.rs"));
    }

    #[test]
    fn shared_memory_stays_where_it_is_used() {
        let declared = ".extern .shared .align 1024 .b8 dynamic[];\n.shared .align 4 .b8 of_library[8];\n\
                        .visible .entry tile(";
        let unused = MODULE.replace(".visible .entry tile(", declared);
        let used = unused.replace(
            "\tret;",
            "\t.reg .b32 %r<1>;\n\tmov.u32 %r0, dynamic;\n\tret;",
        );
        let finished = |text: &str| {
            let mut module = ptx::parse(text).unwrap();
            finish(&mut module).unwrap();
            module.to_string()
        };
        assert!(!finished(&unused).contains("dynamic"));
        assert!(!finished(&used).contains("of_library"));
        assert!(finished(&used).contains(".extern .shared .align 1024 .b8 dynamic[];"));
    }

    #[test]
    fn finishing_twice_changes_nothing() {
        let mut module = ptx::parse(MODULE).unwrap();
        finish(&mut module).unwrap();
        let once = module.to_string();
        finish(&mut module).unwrap();
        assert_eq!(module.to_string(), once);
    }

    #[test]
    fn markers_that_make_no_sense_are_refused() {
        let refused = |marker: &str| {
            let text = MODULE.replace("tma kernel tile maxntid=256,1,1", marker);
            finish(&mut ptx::parse(&text).unwrap()).unwrap_err().reason
        };
        assert!(refused("tma kernel tale").starts_with("there is no entry `tale`"));
        assert!(refused("tma kernel tile maxntid=256").contains("`maxntid=256`"));
        assert!(refused("tma kernel tile sorcery").contains("`sorcery`"));
        let constant = |index: u32| {
            let text = MODULE.replace("grid_constants=1", &format!("grid_constants={index}"));
            finish(&mut ptx::parse(&text).unwrap()).unwrap_err().reason
        };
        assert!(constant(0).starts_with("parameter 0 of `tile`"));
        assert!(constant(7).starts_with("parameter 7 of `tile`"));
    }
}
