//! The PTX of one kernel, and where the instruction of a form stands in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use emulator::{
    Observer, Program,
    observer::{Event, Origin},
};
use ptx::{Item, Statement};

use super::Effect;
use crate::{EFFECTS_PTX, forms::by_width, width};

static MODULE: LazyLock<Result<ptx::Module, String>> =
    LazyLock::new(|| ptx::parse(EFFECTS_PTX.text).map_err(|errors| errors.to_string()));

/// A module with the kernel of an effect alone, in which the form stands as the checklist spells it.
///
/// # Errors
/// The kernel is not there, or does not have the form.
pub fn module(effect: &Effect) -> Result<String, String> {
    let module = MODULE.as_ref().map_err(Clone::clone)?;
    let mut module = module
        .extract(&effect.entry)
        .ok_or_else(|| format!("there is no kernel `{}`", effect.entry))?;
    module.items.retain(|item| !matches!(item, Item::File(_)));
    for function in module.functions_mut() {
        function.body.iter_mut().for_each(drop_locations);
    }
    let mut text = module.to_string();
    let form = effect.form();
    if let Some(emitted) = &effect.support.spelled {
        let mut spelled = BTreeSet::new();
        for body in module
            .functions()
            .filter_map(|function| function.body.as_ref())
        {
            for instruction in body.instructions() {
                let written = instruction.to_string();
                if by_width(&written, |name| width(body, name)) == *emitted {
                    spelled.insert(written);
                }
            }
        }
        for written in spelled {
            text = text.replace(&written, &respelled(&written, &form));
        }
    }
    match written(&text)?.values().any(|written| *written == form) {
        true => Ok(text),
        false => Err(format!("`{form}` is not in `{}`", effect.entry)),
    }
}

/// The text without the instruction.
///
/// # Errors
/// The text is not PTX.
pub fn without(effect: &Effect, text: &str) -> Result<String, String> {
    let module = ptx::parse(text).map_err(|errors| errors.to_string())?;
    let form = effect.form();
    let mut left = text.to_owned();
    for body in module
        .functions()
        .filter_map(|function| function.body.as_ref())
    {
        let is_it = |instruction: &&ptx::Instruction| {
            by_width(&instruction.to_string(), |name| width(body, name)) == form
        };
        let found: Vec<_> = body.instructions().filter(is_it).collect();
        for instruction in found.into_iter().rev() {
            left.replace_range(instruction.span.start..instruction.span.end, "");
        }
    }
    Ok(left)
}

/// An instruction with the opcode of a form, and its own operands.
fn respelled(written: &str, form: &str) -> String {
    let opcode = form.split(' ').next().unwrap_or_default();
    match written.split_once(' ') {
        Some((_, operands)) => format!("{opcode} {operands}"),
        None => format!("{opcode};"),
    }
}

/// Without the files that they name, `.loc` lines are refused.
fn drop_locations(body: &mut ptx::Block) {
    body.statements
        .retain(|statement| !matches!(statement, Statement::Location(_)));
    for statement in &mut body.statements {
        if let Statement::Block(block) = statement {
            drop_locations(block);
        }
    }
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
        for instruction in body.instructions() {
            let at = lines.place(instruction.span.start);
            let form = by_width(&instruction.to_string(), |name| width(body, name));
            written.insert((at.line, at.column), form);
        }
    }
    Ok(written)
}

/// Sees which instructions a thread executed.
#[derive(Debug, Default)]
pub struct Reached {
    places: BTreeMap<usize, (usize, usize)>,
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
    fn begin(&mut self, program: &Program, _: &launch::Shape, _: [u32; 3]) {
        let place = |index| {
            let place = program.place(index);
            (index, (place.line, place.column))
        };
        self.places = (0..program.instructions()).map(place).collect();
    }

    fn execute(&mut self, instruction: usize) {
        if let Some(place) = self.places.remove(&instruction) {
            self.reached.insert(place);
        }
    }

    fn see(&mut self, _: Origin, _: Event) {}
}
