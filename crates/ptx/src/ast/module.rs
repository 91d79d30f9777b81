use super::{Function, Identifier, Variable};
use crate::span::At;

/// The syntax tree of a whole PTX text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// `.version`.
    pub version: Version,
    /// `.target`.
    pub target: Target,
    /// `.address_size`, in bits; 32 when it is missing (PTX ISA, section 11.1.3).
    pub address_size: Option<u32>,
    /// Everything after the header, in order.
    pub items: Vec<Item>,
}

impl Module {
    /// Returns the functions and entries, including prototypes.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(Item::as_function)
    }

    /// Returns the functions and entries for modification.
    pub fn functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.items.iter_mut().filter_map(|item| match item {
            Item::Function(function) => Some(&mut **function),
            _ => None,
        })
    }

    /// Returns the kernels of the module, in their order.
    pub fn entries(&self) -> impl Iterator<Item = &Function> {
        self.functions().filter(|function| function.is_entry())
    }

    /// Returns the function or entry of this name: its definition, or else a prototype.
    pub fn function(&self, name: &str) -> Option<&Function> {
        let named = || self.functions().filter(|function| function.name == *name);
        named()
            .find(|function| function.body.is_some())
            .or_else(|| named().next())
    }

    /// Returns the function or entry of this name for modification: its definition, or else a prototype.
    pub fn function_mut(&mut self, name: &str) -> Option<&mut Function> {
        let defined = self
            .functions()
            .any(|f| f.name == *name && f.body.is_some());
        self.functions_mut()
            .find(|f| f.name == *name && (f.body.is_some() || !defined))
    }

    /// Returns the module-level variables, excluding variables in functions.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(&**variable),
            _ => None,
        })
    }

    /// Returns the module-level pragmas, excluding pragmas in functions.
    pub fn pragmas(&self) -> impl Iterator<Item = &Pragma> {
        self.items.iter().filter_map(|item| match item {
            Item::Pragma(pragma) => Some(pragma),
            _ => None,
        })
    }

    /// Returns the path of the `.file` with this number, as used by `.loc`.
    pub fn file(&self, index: u32) -> Option<&str> {
        self.items.iter().find_map(|item| match item {
            Item::File(file) if file.index == index => Some(file.path.as_str()),
            _ => None,
        })
    }
}

/// `.version 8.6`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// The number before the dot of the version.
    pub major: u32,
    /// The number after the dot of the version.
    pub minor: u32,
}

/// `.target sm_90a, debug`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The architecture and the options, in order.
    pub names: Vec<Identifier>,
    /// The location of this node in the PTX text.
    pub span: At,
}

/// A declaration or directive at the top level of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An entry or function, with or without a body.
    Function(Box<Function>),
    /// The declaration of a module's variable.
    Variable(Box<Variable>),
    /// `.pragma "...";`
    Pragma(Pragma),
    /// `.file 1 "..."`
    File(Box<File>),
    /// `.section .debug_str { ... }`
    Section(Section),
    /// `.alias a, b;`
    Alias(Alias),
    /// A label between sections, which LLVM writes and ptxas rejects.
    Label(Identifier),
}

impl Item {
    /// Returns the function if the item is one.
    pub fn as_function(&self) -> Option<&Function> {
        match self {
            Item::Function(function) => Some(function),
            _ => None,
        }
    }
}

/// `.pragma "nounroll";`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pragma {
    /// The strings as written, between their quotes.
    pub texts: Vec<String>,
    /// The location of this node in the PTX text.
    pub span: At,
}

/// `.file 1 "src/lib.rs"`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The number by which `.loc` names the file.
    pub index: u32,
    /// The path as written, between its quotes.
    pub path: String,
    /// Time stamp and size, if given.
    pub stamp: Option<(u64, u64)>,
    /// The location of this node in the PTX text.
    pub span: At,
}

impl File {
    /// Returns the path without escapes. LLVM writes bytes that are not ASCII as `\303\274`, and doubles backslashes. A
    /// backslash before anything else is a part of the path.
    pub fn unescaped_path(&self) -> String {
        let mut bytes = Vec::new();
        let mut rest = self.path.as_bytes();
        while let [first, after @ ..] = rest {
            let (byte, after) = match (first, after) {
                (
                    b'\\',
                    [
                        a @ b'0'..=b'3',
                        b @ b'0'..=b'7',
                        c @ b'0'..=b'7',
                        after @ ..,
                    ],
                ) => {
                    let digit = |digit: &u8| digit - b'0';
                    (digit(a) << 6 | digit(b) << 3 | digit(c), after)
                }
                (b'\\', [escaped @ (b'\\' | b'"'), after @ ..]) => (*escaped, after),
                _ => (*first, after),
            };
            bytes.push(byte);
            rest = after;
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// `.section .debug_info { ... }`: DWARF, kept as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The name of the directive, with its dot.
    pub name: String,
    /// The text between the braces, as written.
    pub body: String,
    /// The location of this node in the PTX text.
    pub span: At,
}

impl Section {
    /// Returns the labels in the section. `.loc` with `function_name` refers to labels in `.debug_str`.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.body.lines().filter_map(|line| {
            let label = line.split("//").next()?.trim().strip_suffix(':')?.trim();
            (!label.is_empty()).then_some(label)
        })
    }
}

/// `.alias name, aliased;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The new name of the function.
    pub name: Identifier,
    /// The function that gets the new name.
    pub aliased: Identifier,
    /// The location of this node in the PTX text.
    pub span: At,
}
