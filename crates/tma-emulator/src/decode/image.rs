//! The variables of a module: addresses and initial values.

use std::collections::{BTreeMap, HashMap};

use ptx::{
    BinaryOperator, Expression, ExpressionKind, Initializer, InitializerKind, Item, Linkage,
    Module, Number, Space, Type, UnaryOperator,
};
use tma_launch::{Failure, Stage, suggestion};

use super::scope::is_shared;
use crate::machine::{CONST_WINDOW, FUNCTION_WINDOW, MAX_IMAGE_BYTES, in_source, next_allocation};

/// The meaning of a module's name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Variable {
    /// The variable is in global memory, at this address.
    Global(u64),
    /// An offset in constant memory.
    Const(u64),
    /// An index into [`Image::shared`].
    Shared(usize),
    /// The variable is not usable, for this reason.
    Refused(String),
}

/// A variable in shared memory, before it has a place.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) align: u64,
    /// `None` where it is as long as the launch makes it.
    pub(crate) bytes: Option<u64>,
}

/// A variable in global memory.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) name: String,
    pub(crate) address: u64,
    /// Initial contents, until the module is loaded.
    pub(crate) bytes: Vec<u8>,
}

/// All variables of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Image {
    pub(crate) names: HashMap<String, Variable>,
    pub(crate) globals: Vec<Global>,
    pub(crate) constants: Vec<u8>,
    pub(crate) shared: Vec<Shared>,
    /// Bytes of each variable in global and constant memory.
    lengths: BTreeMap<String, u64>,
    /// Start of the next module's variables in global memory.
    pub(crate) end: u64,
    /// Addresses of all functions with a body, the same in every kernel of the module.
    pub(crate) functions: HashMap<String, u64>,
    /// Names in the initial value of a variable: functions and other variables.
    pub(crate) mentions: HashMap<String, Vec<String>>,
}

impl Image {
    /// Places the variables of a module. Those in global memory get the address from `placed`, or else one from
    /// `start` on.
    pub(crate) fn new(module: &Module, start: u64, placed: impl Fn(&str) -> Option<u64>) -> Self {
        let mut image = Self {
            end: start,
            ..Self::default()
        };
        let functions = module
            .functions()
            .filter(|function| function.body.is_some());
        for (address, function) in (FUNCTION_WINDOW..).zip(functions) {
            let name = function.name.as_str().to_owned();
            image.functions.insert(name, address);
        }
        for item in &module.items {
            if let Item::Alias(alias) = item
                && let Some(address) = image.functions.get(alias.aliased.as_str())
            {
                let name = alias.name.as_str().to_owned();
                image.functions.insert(name, *address);
            }
        }
        let mut contents = Vec::new();
        let mut taken = 0_u64;
        for variable in module.variables() {
            for declarator in &variable.declarators {
                let name = declarator.name.as_str();
                let align = align_of(variable);
                let list = declarator
                    .initializer
                    .as_ref()
                    .map(|initializer| &initializer.kind);
                let bytes = variable.size_bytes(declarator).or_else(|| {
                    Some(match list? {
                        InitializerKind::List(items) => {
                            items.len() as u64 * variable.ty.size_bytes()?
                        }
                        InitializerKind::String(text) => text.len() as u64 + 1,
                        _ => return None,
                    })
                });
                let place = match (variable.space, bytes) {
                    (space, bytes) if is_shared(space) => {
                        let bytes = if variable.linkage == Some(Linkage::Extern) {
                            None
                        } else {
                            bytes
                        };
                        let name = in_source(name).to_owned();
                        image.shared.push(Shared { name, align, bytes });
                        Variable::Shared(image.shared.len() - 1)
                    }
                    _ if variable.linkage == Some(Linkage::Extern) => {
                        Variable::Refused(format!("`{name}` is defined in another module"))
                    }
                    (_, None) => Variable::Refused(format!("the size of `{name}` is not known")),
                    (_, Some(bytes)) if taken.saturating_add(bytes) > MAX_IMAGE_BYTES => {
                        Variable::Refused(format!(
                            "with the {bytes} bytes of `{name}`, the variables of the module are \
                             larger than {MAX_IMAGE_BYTES} bytes"
                        ))
                    }
                    (Space::Global, Some(bytes)) => {
                        let address = placed(name).unwrap_or_else(|| {
                            let address = image.end.next_multiple_of(align);
                            image.end = next_allocation(address, bytes);
                            address
                        });
                        image.lengths.insert(name.to_owned(), bytes);
                        taken += bytes;
                        contents.push((
                            declarator,
                            variable.ty,
                            Target::Global(image.globals.len()),
                        ));
                        let bytes = vec![0; bytes as usize];
                        image.globals.push(Global {
                            name: name.to_owned(),
                            address,
                            bytes,
                        });
                        Variable::Global(address)
                    }
                    (Space::Const, Some(bytes)) => {
                        let offset = (image.constants.len() as u64).next_multiple_of(align);
                        let end = offset.saturating_add(bytes);
                        if end > MAX_CONST_BYTES {
                            Variable::Refused(format!("`{name}` ends beyond 64 KiB of constants"))
                        } else {
                            image.constants.resize(end as usize, 0);
                            image.lengths.insert(name.to_owned(), bytes);
                            contents.push((declarator, variable.ty, Target::Const(offset)));
                            Variable::Const(offset)
                        }
                    }
                    (space, _) => Variable::Refused(format!(
                        "`{name}` is a module's variable in `{}`",
                        space.as_str()
                    )),
                };
                image.names.insert(name.to_owned(), place);
            }
        }
        for (declarator, ty, target) in contents {
            let Some(initializer) = &declarator.initializer else {
                continue;
            };
            let mut mentions = Vec::new();
            mentioned(initializer, &mut mentions);
            if !mentions.is_empty() {
                let name = declarator.name.as_str().to_owned();
                image.mentions.insert(name, mentions);
            }
            let mut bytes = Vec::new();
            if image.flatten(initializer, ty, &mut bytes).is_none() {
                let name = declarator.name.as_str();
                let reason = format!("the initial value of `{name}` is not understood");
                image
                    .names
                    .insert(name.to_owned(), Variable::Refused(reason));
                continue;
            }
            let (to, offset) = match target {
                Target::Global(index) => (&mut image.globals[index].bytes, 0),
                Target::Const(offset) => (&mut image.constants, offset as usize),
            };
            for (to, from) in to.iter_mut().skip(offset).zip(bytes) {
                *to = from;
            }
        }
        image
    }

    /// Returns the generic address of a variable, and its size in bytes.
    pub(crate) fn variable(&self, name: &str) -> Result<(u64, u64), Failure> {
        let found = self.lengths.get(name);
        let found = found.and_then(|bytes| Some((self.address_of(name, CONST_WINDOW)?, *bytes)));
        found.ok_or_else(|| {
            let names = self.lengths.keys().map(String::as_str);
            let what = format!("the module has no variable `{name}`");
            Failure::new(Stage::Upload, what).hint(suggestion(name, names))
        })
    }

    fn flatten(&self, initializer: &Initializer, ty: Type, bytes: &mut Vec<u8>) -> Option<()> {
        match &initializer.kind {
            InitializerKind::List(items) => items
                .iter()
                .try_for_each(|item| self.flatten(item, ty, bytes)),
            InitializerKind::Value(value) => {
                let size = ty.size_bytes()? as usize;
                let value = self.evaluate(value, ty)?.to_le_bytes();
                bytes.extend(value.iter().chain(&[0; 8]).take(size));
                Some(())
            }
            InitializerKind::String(text) => {
                bytes.extend(text.bytes());
                bytes.push(0);
                Some(())
            }
            InitializerKind::Property(..) => None,
        }
    }

    /// Returns the address of a variable or function; constants are in the window `constants`.
    fn address_of(&self, name: &str, constants: u64) -> Option<u64> {
        match self.names.get(name) {
            Some(Variable::Global(address)) => Some(*address),
            Some(Variable::Const(offset)) => Some(constants + offset),
            Some(_) => None,
            None => self.functions.get(name).copied(),
        }
    }

    fn evaluate(&self, expression: &Expression, ty: Type) -> Option<u64> {
        if let Some(value) = number(expression, ty) {
            return Some(value);
        }
        match &expression.kind {
            ExpressionKind::Symbol(name) => self.address_of(name.as_str(), 0),
            ExpressionKind::Generic(name) => self.address_of(name.as_str(), CONST_WINDOW),
            ExpressionKind::Binary(BinaryOperator::Add, a, b) => {
                Some(self.evaluate(a, ty)?.wrapping_add(self.evaluate(b, ty)?))
            }
            ExpressionKind::Binary(BinaryOperator::Subtract, a, b) => {
                Some(self.evaluate(a, ty)?.wrapping_sub(self.evaluate(b, ty)?))
            }
            ExpressionKind::Mask(mask, inner) => {
                let Number::Integer { value: mask, .. } = mask.number() else {
                    return None;
                };
                let bits = self.evaluate(inner, ty)? & mask;
                bits.checked_shr(mask.trailing_zeros())
            }
            _ => None,
        }
    }
}

/// Adds the names in an initial value.
fn mentioned(initializer: &Initializer, names: &mut Vec<String>) {
    fn of(expression: &Expression, names: &mut Vec<String>) {
        match &expression.kind {
            ExpressionKind::Symbol(name) | ExpressionKind::Generic(name) => {
                names.push(name.as_str().to_owned());
            }
            ExpressionKind::Binary(_, a, b) => {
                of(a, names);
                of(b, names);
            }
            ExpressionKind::Mask(_, inner) => of(inner, names),
            _ => {}
        }
    }
    match &initializer.kind {
        InitializerKind::List(items) => items.iter().for_each(|item| mentioned(item, names)),
        InitializerKind::Value(value) => of(value, names),
        InitializerKind::String(_) | InitializerKind::Property(..) => {}
    }
}

const MAX_CONST_BYTES: u64 = 64 << 10;

enum Target {
    Global(usize),
    Const(u64),
}

/// Returns the alignment of the declaration, else the size of an element (PTX ISA, section 5.4.5).
pub(crate) fn align_of(variable: &ptx::Variable) -> u64 {
    let elements = variable.vector.map_or(1, ptx::Vector::elements);
    let natural = variable.ty.size_bytes().unwrap_or(1) * elements;
    variable.align.map_or(natural, u64::from).clamp(1, 1 << 20)
}

/// Returns the bits of a constant as a value of this type; `None` if it is not a number.
pub(crate) fn number(expression: &Expression, ty: Type) -> Option<u64> {
    let float = match &expression.kind {
        ExpressionKind::Literal(literal) => Some((literal.number(), false)),
        ExpressionKind::Unary(UnaryOperator::Negate, inner) => {
            inner.as_literal().map(|literal| (literal.number(), true))
        }
        _ => None,
    };
    let sign = |value: f64, negated: bool| if negated { -value } else { value };
    match (float, ty) {
        (Some((Number::F32 { bits }, negated)), Type::F64) => {
            Some(sign(f64::from(f32::from_bits(bits)), negated).to_bits())
        }
        (Some((Number::F32 { bits }, negated)), _) => {
            Some(u64::from(bits ^ (u32::from(negated) << 31)))
        }
        (Some((Number::F64 { bits }, negated)), Type::F32) => Some(u64::from(
            (sign(f64::from_bits(bits), negated) as f32).to_bits(),
        )),
        (Some((Number::F64 { bits }, negated)), _) => Some(bits ^ (u64::from(negated) << 63)),
        _ => {
            let value = expression.value()?;
            let value = match ty {
                Type::F32 => return Some(u64::from((value as f32).to_bits())),
                Type::F64 => return Some((value as f64).to_bits()),
                _ => value as u64,
            };
            Some(match ty.size_bytes() {
                Some(bytes @ 1..8) => value & ((1 << (8 * bytes)) - 1),
                None => u64::from(value != 0),
                _ => value,
            })
        }
    }
}
