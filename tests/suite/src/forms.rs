//! Every instruction form that a wrapper emits, and its kernel.
//!
//! A call of the table [`ptx_isa`] becomes a kernel of the crate `tests-forms`, which is never launched.

use std::collections::HashMap;

use ptx_isa::{Emitted, Form};

/// A form, and the wrapper that emits it.
#[derive(Clone, Debug)]
pub struct Support {
    /// The form.
    pub form: Form,
    /// The wrapper that emits the form or another spelling of it, from `tma::ptx` on, with its type and
    /// const parameters.
    pub wrapper: String,
    /// The number of the call that emits it.
    pub index: usize,
    /// The text that the wrapper emits if the spelling differs.
    pub spelled: Option<String>,
}

impl Support {
    /// The kernel that calls the wrapper.
    pub fn kernel(&self) -> String {
        format!("form_{:04}", self.index)
    }
}

/// Returns every form that a wrapper emits, or another spelling of it.
pub fn support() -> Vec<Support> {
    let calls: HashMap<String, (usize, Form)> = ptx_isa::calls()
        .map(|(index, form)| (form.text().to_owned(), (index, form)))
        .collect();
    let supported = ptx_isa::forms().filter_map(|form| {
        let spelled = match form.emitted() {
            Emitted::By(_) => None,
            Emitted::As(other) => Some(other.clone()),
            Emitted::Nothing => return None,
        };
        let (index, emitted) = calls.get(spelled.as_deref().unwrap_or(form.text()))?;
        let wrapper = emitted.call()?.split('(').next()?.to_owned();
        let index = *index;
        Some(Support {
            form,
            wrapper,
            index,
            spelled,
        })
    });
    supported.collect()
}

/// Returns an instruction with its registers replaced by the result of `width`, and blanks only after
/// the opcode and between operands.
pub fn by_width(instruction: &str, width: impl Fn(&str) -> Option<&'static str>) -> String {
    let instruction = instruction.trim().trim_end_matches(';');
    let mut text = String::new();
    let mut depth = 0;
    let is_word =
        |character: char| character.is_ascii_alphanumeric() || "%_.:$".contains(character);
    let mut rest = instruction;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|character| is_word(character) != is_word(first));
        let end = if is_word(first) {
            end.unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let token = &rest[..end];
        match token {
            " " if text.contains(' ') => {}
            "," if depth == 0 => text += ", ",
            "{" | "}" => {
                depth += if token == "{" { 1 } else { -1 };
                text += token;
            }
            _ => text += width(token).unwrap_or(token),
        }
        rest = &rest[end..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_have_the_widths_of_their_forms() {
        let width = |name: &str| {
            let class = name
                .strip_prefix('%')?
                .trim_end_matches(|end: char| end.is_ascii_digit());
            let classes = ["p", "b", "h", "r", "rd", "q"];
            let class = classes.iter().position(|other| *other == class)?;
            (!name.contains('.')).then_some(["p", "b", "h", "r", "d", "q"][class])
        };
        for form in ptx_isa::forms() {
            assert_eq!(by_width(&form.example(), width), form.text());
        }
    }

    #[test]
    fn every_spelling_has_a_wrapper() {
        let emitted = ptx_isa::forms().filter(|form| *form.emitted() != Emitted::Nothing);
        assert_eq!(support().len(), emitted.count());
    }
}
