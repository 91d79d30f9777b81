//! The syntax tree.
//!
//! A [`Module`] is a list of [`Item`]s; the body of a [`Function`] is a list of [`Statement`]s; an
//! [`Instruction`] is an optional guard, an [`Opcode`] and [`Operand`]s. Fields are public: build
//! and change nodes freely. Each node that is read from a text has a field `span`.

mod evaluate;
mod expression;
mod function;
mod identifier;
mod instruction;
mod literal;
mod module;
mod operand;
mod statement;
mod variable;

pub use expression::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};
pub use function::{Function, FunctionDirective, FunctionKind, Parameter, Pointer};
pub use identifier::Identifier;
pub use instruction::{Guard, Instruction, Opcode};
pub use literal::{Literal, Number};
pub use module::{Alias, File, Item, Module, Pragma, Section, Target, Version};
pub use operand::{Operand, OperandKind, Symbol};
pub use statement::{
    Block, CallPrototype, InlinedAt, LabelList, LabelListKind, Location, Statement,
};
pub use variable::{
    Attribute, Declarator, Initializer, InitializerKind, Linkage, Space, Type, Variable, Vector,
};
