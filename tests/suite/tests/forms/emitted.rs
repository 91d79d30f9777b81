//! A form kernel has its instruction, and conversions of operands.

use libtest_mimic::Failed;
use ptx::Function;
use tests::{forms::by_width, widths};

use super::{by_kernel, modules};

/// The other instructions of a form kernel: parameters are loaded, predicates and narrow or wide
/// values become registers of another kind, results are stored.
const CONVERSIONS: &[&str] = &[
    "ld.param",
    "cvta.to.global",
    "st.global",
    "mov",
    "cvt",
    "setp",
    "selp",
    "ret",
];

pub(super) fn check() -> Result<(), Failed> {
    let form_kernels = by_kernel();
    let mut wrong = Vec::new();
    for (name, forms) in &form_kernels {
        let emitted = forms.iter().find(|form| form.spelled.is_none());
        match (super::function(name), emitted) {
            (Some(function), Some(form)) => wrong.extend(extra(function, form.form.text())),
            (None, _) => wrong.push(format!("there is no kernel `{name}`")),
            (_, None) => wrong.push(format!("`{name}` emits none of its forms")),
        }
    }
    let kernels = modules().flat_map(ptx::Module::entries).count();
    if kernels != form_kernels.len() {
        wrong.push(format!(
            "{kernels} kernels for {} form kernels",
            form_kernels.len()
        ));
    }
    println!(
        "{} form kernels are their instruction",
        form_kernels.len() - wrong.len().min(form_kernels.len())
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

/// The errors in a form kernel.
fn extra(function: &Function, text: &str) -> Vec<String> {
    let Some(body) = &function.body else {
        return vec![format!("`{}` has no body", function.name.as_str())];
    };
    let mut wrong = Vec::new();
    let mut found = 0;
    let width = widths(body);
    for instruction in body.instructions() {
        let written = by_width(&instruction.to_string(), &width);
        if written == text {
            found += 1;
        } else if !CONVERSIONS
            .iter()
            .any(|prefix| instruction.opcode.starts_with(prefix))
        {
            wrong.push(format!("`{text}`: `{written}` in its kernel"));
        }
    }
    if found != 1 {
        wrong.push(format!(
            "`{text}` is {found} times in `{}`",
            function.name.as_str()
        ));
    }
    wrong
}
