//! The checklist of instruction forms, `forms/checklist.tsv`.

/// A form that the checklist has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The family that it belongs to.
    pub family: String,
    /// What it is called there.
    pub key: String,
    /// The lowest PTX ISA version that has it, as in `.version`.
    pub isa: String,
    /// The architectures for which ptxas accepts it.
    pub targets: Vec<String>,
    /// An example.
    pub ptx: String,
}

/// Reads the checklist.
pub fn forms(checklist: &str) -> Vec<Form> {
    let lines = checklist.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let mut fields = line.split('\t').map(str::to_owned);
            Some(Form {
                family: fields.next()?,
                key: fields.next()?,
                isa: fields.next()?,
                targets: fields.next()?.split(',').map(str::to_owned).collect(),
                ptx: fields.next()?,
            })
        })
        .collect()
}

impl Form {
    /// The form as the table of probes has it: operands by their width.
    pub fn text(&self) -> String {
        by_width(&self.ptx, |register| {
            if register.starts_with("0f") {
                return Some("r");
            }
            let name = register.strip_prefix('%')?;
            let class = name.trim_end_matches(|character: char| character.is_ascii_digit());
            match class {
                _ if class.len() == name.len() => None,
                "b" => Some("b"),
                "h" => Some("h"),
                "r" | "f" => Some("r"),
                "rd" | "fd" => Some("d"),
                "q" => Some("q"),
                "p" => Some("p"),
                _ => None,
            }
        })
    }

    /// The lowest architecture that has it, or the first of those that have it where later ones do not
    /// follow: the names of `architectures!` in the crate `tma`.
    pub fn architecture(&self) -> &'static str {
        let has = |name: &str| self.targets.iter().any(|target| target == name);
        match (has("sm_90"), has("sm_100"), has("sm_90a"), has("sm_120a")) {
            _ if has("sm_80") => "sm_80",
            (true, ..) => "sm_90",
            (_, true, ..) => "sm_100",
            (_, _, true, _) => "sm_90a",
            (_, _, _, true) => "sm_100a_or_sm_120a",
            _ if has("sm_100a") => "sm_100a",
            _ => "sm_103a",
        }
    }
}

/// An instruction with its registers replaced by what `width` says of them, and blanks only behind
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

    fn text(ptx: &str) -> String {
        let line = format!("f\tk\t8.0\tsm_90\t{ptx}");
        forms(&line)[0].text()
    }

    #[test]
    fn registers_become_widths() {
        assert_eq!(
            text("mbarrier.try_wait.b64 %p1, [%r10], %rd2, %r2;"),
            "mbarrier.try_wait.b64 p, [r], d, r"
        );
        assert_eq!(
            text("mov.u32 %r1, %clusterid.x;"),
            "mov.u32 r, %clusterid.x"
        );
        assert_eq!(
            text("cp.async.bulk.tensor.2d.x [%r10], [%rd1, {%r1,%r2}], [%r11], {%h1}, %h4;"),
            "cp.async.bulk.tensor.2d.x [r], [d, {r,r}], [r], {h}, h"
        );
        assert_eq!(text("elect.sync _|%p1, %r1;"), "elect.sync _|p, r");
        assert_eq!(text("cp.async.wait_all;"), "cp.async.wait_all");
        assert_eq!(
            text("createpolicy.x.b64 %rd3, 0f3F000000;"),
            "createpolicy.x.b64 d, r"
        );
    }
}
