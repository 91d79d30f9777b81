use super::{FunctionDirective, Identifier, Instruction, Parameter, Pragma, Variable};
use crate::span::At;

/// The statements between a pair of braces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The statements in the order of the text.
    pub statements: Vec<Statement>,
    /// The location in the text, braces included.
    pub span: At,
}

impl Block {
    /// Returns all statements in the order of the text. Statements of an inner block follow its
    /// [`Statement::Block`].
    pub fn walk(&self) -> impl Iterator<Item = &Statement> {
        let mut open = vec![self.statements.iter()];
        std::iter::from_fn(move || {
            loop {
                match open.last_mut()?.next() {
                    None => drop(open.pop()),
                    Some(statement) => {
                        if let Statement::Block(inner) = statement {
                            open.push(inner.statements.iter());
                        }
                        return Some(statement);
                    }
                }
            }
        })
    }

    /// Returns the instructions in the order of the text, including inner blocks.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.walk().filter_map(|statement| match statement {
            Statement::Instruction(instruction) => Some(instruction),
            _ => None,
        })
    }

    /// Returns the declared variables in the order of the text, including inner blocks.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.walk().filter_map(|statement| match statement {
            Statement::Variable(variable) => Some(&**variable),
            _ => None,
        })
    }
}

/// A statement of a function's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// An instruction with its operands.
    Instruction(Instruction),
    /// `$L__BB0_1:`
    Label(Identifier),
    /// The declaration of registers or of a variable.
    Variable(Box<Variable>),
    /// `{ ... }`
    Block(Block),
    /// `.loc 1 28 0`
    Location(Location),
    /// `.pragma "nounroll";`
    Pragma(Pragma),
    /// `table: .branchtargets A, B;` or `table: .calltargets f, g;`
    LabelList(Box<LabelList>),
    /// `name: .callprototype ...;`
    CallPrototype(Box<CallPrototype>),
}

/// `.loc`: the source line of the following statements (PTX ISA, section 11.5.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The number of the `.file` directive.
    pub file: u32,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
    /// The call that the function with this line was inlined at.
    pub inlined: Option<Box<InlinedAt>>,
    /// The location of this node in the PTX text.
    pub span: At,
}

/// The part `, function_name sym+8, inlined_at 1 36 8` of a `.loc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinedAt {
    /// The label of the function's name in `.debug_str`.
    pub function_name: Identifier,
    /// The byte offset from the label.
    pub offset: Option<u32>,
    /// The number of the calling `.file`.
    pub file: u32,
    /// The line of the call, from 1.
    pub line: u32,
    /// The column of the call, from 1.
    pub column: u32,
}

/// The possible targets of an indirect branch or call (PTX ISA, sections 11.3.1 and 11.3.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelList {
    /// The name used by the instruction.
    pub label: Identifier,
    /// The kind: branch or call targets.
    pub kind: LabelListKind,
    /// The labels or functions that the branch or call can reach.
    pub targets: Vec<Identifier>,
    /// The location of this node in the PTX text.
    pub span: At,
}

/// The purpose of a [`LabelList`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LabelListKind {
    /// `.branchtargets`
    BranchTargets,
    /// `.calltargets`
    CallTargets,
}

impl LabelListKind {
    /// Returns the word in PTX, with its dot.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BranchTargets => ".branchtargets",
            Self::CallTargets => ".calltargets",
        }
    }
}

/// The signature of an indirect call (PTX ISA, section 11.3.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPrototype {
    /// The label by which a call names the prototype.
    pub label: Identifier,
    /// The parameters of the result.
    pub returns: Vec<Parameter>,
    /// The name of the prototype, usually `_`.
    pub name: Identifier,
    /// The parameters of the arguments.
    pub parameters: Vec<Parameter>,
    /// The directives of the prototype, such as `.noreturn`.
    pub directives: Vec<FunctionDirective>,
    /// The location of this node in the PTX text.
    pub span: At,
}
