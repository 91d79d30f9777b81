use alloc::{format, string::String};

use crate::{Family, FormRow, Op, RowEmitted, Targets, Version, notation};

/// One form of an instruction: an opcode with all its modifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    family: &'static Family,
    op: Op,
    text: String,
    isa: Version,
    targets: Targets,
    emitted: Emitted,
}

/// The wrapper that emits a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Emitted {
    /// A call of a wrapper, as a path below `tma::ptx`.
    By(String),
    /// The wrapper of this form, which means the same.
    As(String),
    /// No wrapper emits the form.
    Nothing,
}

impl Form {
    /// The form of a row at this combination of its groups. A test sees to it that rows are well formed.
    pub(crate) fn new(family: &'static Family, row: &'static FormRow, combination: usize) -> Self {
        let axes = notation::axes(row.texts());
        let render = |text| notation::render(text, &axes, combination).unwrap_or_default();
        let op = row.ops.get(notation::first(row.text, &axes, combination));
        Self {
            family,
            op: *op.unwrap_or(&row.ops[0]),
            text: render(row.text),
            isa: Version::parse(&render(row.isa)).unwrap_or_default(),
            targets: Targets::named(&render(row.targets)).unwrap_or(Targets::Sm80),
            emitted: match row.emitted {
                RowEmitted::By(call) => match notation::respelled(call, &axes, combination) {
                    base if base == combination => Emitted::By(render(call)),
                    base => {
                        Emitted::As(notation::render(row.text, &axes, base).unwrap_or_default())
                    }
                },
                RowEmitted::As(text) => Emitted::As(render(text)),
                RowEmitted::Nothing => Emitted::Nothing,
            },
        }
    }

    /// The family that it belongs to.
    pub fn family(&self) -> &'static Family {
        self.family
    }

    /// Returns the operation, the first word of the opcode.
    pub fn op(&self) -> Op {
        self.op
    }

    /// Returns the text of the form, with operands by their width.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The dotted word that it begins with.
    pub fn opcode(&self) -> &str {
        self.text.split(' ').next().unwrap_or("")
    }

    /// The operands, as the text after the opcode has them.
    pub fn operands(&self) -> &str {
        self.text
            .split_once(' ')
            .map_or("", |(_, operands)| operands)
    }

    /// The first PTX ISA version that has it.
    pub fn isa(&self) -> Version {
        self.isa
    }

    /// Returns whether it came after PTX ISA 9.0, the last version that LLVM 22 and ptxas 13.0 know.
    pub fn is_later(&self) -> bool {
        self.isa > Version::new(9, 0)
    }

    /// Returns the targets that support the form.
    pub fn targets(&self) -> Targets {
        self.targets
    }

    /// Returns the wrapper that emits the form, if there is one.
    pub fn emitted(&self) -> &Emitted {
        &self.emitted
    }

    /// The call of the wrapper that emits it.
    pub fn call(&self) -> Option<&str> {
        match &self.emitted {
            Emitted::By(call) => Some(call),
            _ => None,
        }
    }

    /// An instruction of this form: registers `%p1`, `%b1`, `%h1`, `%r1`, `%rd1`, `%q1` and so on,
    /// addresses of 32 bits from `%r10` on.
    pub fn example(&self) -> String {
        let Some((opcode, operands)) = self.text.split_once(' ') else {
            return format!("{};", self.text);
        };
        let mut counts = [0, 0, 0, 0, 0, 0, 9];
        let mut example = format!("{opcode} ");
        for word in words(operands) {
            let word = match example.ends_with('[') && word == "r" {
                true => "[r",
                false => word,
            };
            match KINDS.iter().position(|(kind, _)| *kind == word) {
                Some(kind) => {
                    counts[kind] += 1;
                    example += &format!("{}{}", KINDS[kind].1, counts[kind]);
                }
                None => example += word,
            }
        }
        example + ";"
    }
}

const KINDS: [(&str, &str); 7] = [
    ("p", "%p"),
    ("b", "%b"),
    ("h", "%h"),
    ("r", "%r"),
    ("d", "%rd"),
    ("q", "%q"),
    ("[r", "%r"),
];

/// The words of operands, and each other character by itself.
pub(crate) fn words(operands: &str) -> impl Iterator<Item = &str> {
    let is_word =
        |character: char| character.is_ascii_alphanumeric() || "%_.:$?-".contains(character);
    let mut rest = operands;
    core::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match is_word(first) {
            true => rest
                .find(|character| !is_word(character))
                .unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some(word)
    })
}
