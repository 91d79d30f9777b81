//! The PTX of one kernel, and the position of a form's instruction in it.

use std::collections::{BTreeMap, BTreeSet};

use tma_emulator::{
    Observer, Program,
    observer::{Event, Origin},
};

use tests_records::plain::drop_locations;

use super::FormCase;
use crate::{Module, SEMANTICS_PTX, forms::by_width, widths};

/// Returns a module with only the kernel of a case, in which the form is spelled as in the table.
///
/// # Errors
/// The kernel is missing, or does not have the form.
pub fn module(case: &FormCase) -> Result<String, String> {
    let form = case.form();
    let newest = &case.support.form;
    let extracted = |module: &Module| {
        let parsed = module.parsed();
        parsed.map(|parsed| parsed.extract(&case.entry)).transpose()
    };
    let found = SEMANTICS_PTX.iter().find_map(extracted).transpose()?;
    let mut module = found.ok_or_else(|| format!("there is no kernel `{}`", case.entry))?;
    if newest.is_later() {
        // The kernels of later forms are in one module, the kernels whose spellings they are in an older one.
        let targets = ["sm_90a", "sm_103a", "sm_120a", "sm_107a"];
        let target = targets
            .into_iter()
            .find(|target| newest.targets().has(target));
        module.target.names = target.into_iter().map(Into::into).collect();
        (module.version.major, module.version.minor) = (newest.isa().major, newest.isa().minor);
    }
    drop_locations(&mut module);
    let mut text = module.to_string();
    let emitted = case.support.spelled.as_deref().unwrap_or(form);
    {
        let mut spelled = BTreeSet::new();
        for body in module
            .functions()
            .filter_map(|function| function.body.as_ref())
        {
            let width = widths(body);
            for instruction in body.instructions() {
                let written = instruction.to_string();
                if by_width(&written, &width) == emitted {
                    spelled.insert(written);
                }
            }
        }
        for written in spelled {
            let new = match converted(&written, form) {
                Some(converted) => converted,
                None if emitted != form => respelled(&written, form),
                None => continue,
            };
            text = text.replace(&written, &new);
        }
    }
    match written(&text)?.values().any(|written| *written == form) {
        true => Ok(text),
        false => Err(format!("`{form}` is not in `{}`", case.entry)),
    }
}

/// The text without the instruction.
///
/// # Errors
/// The text is not PTX.
pub fn without(case: &FormCase, text: &str) -> Result<String, String> {
    let module = ptx::parse(text).map_err(|errors| errors.to_string())?;
    let form = case.form();
    let mut left = text.to_owned();
    for body in module
        .functions()
        .filter_map(|function| function.body.as_ref())
    {
        let width = widths(body);
        let is_it =
            |instruction: &&ptx::Instruction| by_width(&instruction.to_string(), &width) == form;
        let found: Vec<_> = body.instructions().filter(is_it).collect();
        for instruction in found.into_iter().rev() {
            left.replace_range(instruction.span.start()..instruction.span.end(), "");
        }
    }
    Ok(left)
}

/// Returns an instruction with the opcode of a form, and its own operands; if the form takes generic
/// addresses, its own are converted before.
fn respelled(written: &str, form: &str) -> String {
    let (opcode, wanted) = form.split_once(' ').unwrap_or((form, ""));
    let Some((_, operands)) = written.split_once(' ') else {
        return format!("{opcode};");
    };
    if let Some(rest) = wanted.strip_prefix("_|")
        && rest.starts_with('p')
        && let Some((_, operands)) = operands.split_once('|')
    {
        return format!("{opcode} _|{operands}");
    }
    let is_async = opcode.starts_with("st.async.") || opcode.starts_with("red.async.");
    if !is_async || !wanted.contains("[d]") {
        return format!("{opcode} {operands}");
    }
    let (mut before, mut after) = (String::new(), String::new());
    let mut rest = operands;
    let mut number = 0;
    while let Some((left, right)) = rest.split_once('[') {
        let (address, right) = right.split_once(']').unwrap_or((right, ""));
        before += &format!(
            "cvt.u64.u32 %generic{number}, {address}; \
             cvta.shared::cluster.u64 %generic{number}, %generic{number}; "
        );
        after += &format!("{left}[%generic{number}]");
        rest = right;
        number += 1;
    }
    format!("{{ .reg .b64 %generic<{number}>; {before}{opcode} {after}{rest} }}")
}

/// Operands of 64 bits that must be addresses of a space, and are generic ones in the kernel.
const SPACES: &[(&str, &str)] = &[
    ("prefetch.const.tensormap", "cvta.to.const.u64"),
    ("prefetch.param.tensormap", "cvta.to.param.u64"),
];

/// Returns an instruction with its address converted before, if the form is one of [`SPACES`].
fn converted(written: &str, form: &str) -> Option<String> {
    let (_, conversion) = SPACES.iter().find(|(opcode, _)| form.starts_with(opcode))?;
    let (opcode, operands) = written.split_once(' ')?;
    let address = operands.strip_prefix('[')?.split(']').next()?;
    Some(format!(
        "{{ .reg .b64 %inspace; {conversion} %inspace, {address}; {opcode} [%inspace]; }}"
    ))
}

/// Every instruction of a text as the tables have it, by line and column.
///
/// # Errors
/// The text is not PTX.
pub fn written(text: &str) -> Result<BTreeMap<(usize, usize), String>, String> {
    let module = ptx::parse(text).map_err(|errors| errors.to_string())?;
    let lines = ptx::LineIndex::new(text);
    let mut written = BTreeMap::new();
    for body in module
        .functions()
        .filter_map(|function| function.body.as_ref())
    {
        let width = widths(body);
        for instruction in body.instructions() {
            let at = lines.line_column(instruction.span.start());
            let form = by_width(&instruction.to_string(), &width);
            written.insert((at.line, at.column), form);
        }
    }
    Ok(written)
}

/// Sees which instructions a thread executed.
#[derive(Debug, Default)]
pub struct Reached {
    locations: BTreeMap<usize, (usize, usize)>,
    reached: BTreeSet<(usize, usize)>,
}

impl Reached {
    /// The forms of these instructions, of a text.
    ///
    /// # Errors
    /// The text is not PTX.
    pub fn forms(&self, text: &str) -> Result<BTreeSet<String>, String> {
        let written = written(text)?;
        let reached = self.reached.iter().filter_map(|at| written.get(at));
        Ok(reached.cloned().collect())
    }
}

impl Observer for Reached {
    fn begin(&mut self, program: &Program, _: &tma_launch::Shape, _: [u32; 3]) {
        let location = |index| {
            let location = program.location(index);
            (index, (location.line, location.column))
        };
        self.locations = (0..program.instructions()).map(location).collect();
    }

    fn execute(&mut self, instruction: usize) {
        if let Some(location) = self.locations.remove(&instruction) {
            self.reached.insert(location);
        }
    }

    fn see(&mut self, _: Origin, _: Event) {}
}
