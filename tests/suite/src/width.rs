use std::collections::HashMap;

use ptx::{Block, Type};

/// The letters for the widths of the registers that a body declares, as the tables of forms have them.
pub struct Widths<'a> {
    /// Of `%p` in `.reg .pred %p;`.
    alone: HashMap<&'a str, Option<&'static str>>,
    /// Of `%r` in `.reg .b32 %r<6>;`.
    numbered: HashMap<&'a str, Option<&'static str>>,
}

impl<'a> Widths<'a> {
    /// Reads the declarations.
    pub fn new(body: &'a Block) -> Self {
        let [mut alone, mut numbered] = [HashMap::new(), HashMap::new()];
        for variable in body.variables() {
            for declarator in &variable.declarators {
                let names = match declarator.range {
                    Some(_) => &mut numbered,
                    None => &mut alone,
                };
                names
                    .entry(declarator.name.as_str())
                    .or_insert_with(|| letter(&variable.ty));
            }
        }
        Self { alone, numbered }
    }

    /// Returns the letter of a register, or `None` if no register has this name.
    pub fn of(&self, name: &str) -> Option<&'static str> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let mut prefixes = (1..=digits).map(|digits| &name[..name.len() - digits]);
        let numbered = prefixes.find_map(|prefix| self.numbered.get(prefix));
        *self.alone.get(name).or(numbered)?
    }
}

fn letter(ty: &Type) -> Option<&'static str> {
    match (ty, ty.size_bytes()) {
        (Type::Pred, _) => Some("p"),
        (_, Some(1)) => Some("b"),
        (_, Some(2)) => Some("h"),
        (_, Some(4)) => Some("r"),
        (_, Some(8)) => Some("d"),
        (_, Some(16)) => Some("q"),
        _ => None,
    }
}
