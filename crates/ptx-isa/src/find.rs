use alloc::{borrow::Cow, format};

use crate::{FAMILIES, Form, FormRow, Shape, form::words, notation};

/// The form of an instruction, by its opcode and the kinds of its operands.
///
/// Operands are written by their width, as in [`Form::text`], or as in PTX: a name that
/// begins with `%`, and `?`, is a register of a width that is not known, and fits wherever a register
/// stands; `n`, a register of 8 to 64 bits, and a number fit wherever such a register stands, and a number
/// wherever a predicate does. The first of several forms is found; of forms that differ by a number, the
/// one with the highest that is not above the given one is found. A special register stands for its
/// dimensions, and the greatest N of `wgmma` for those below that it can have.
///
/// ```
/// let form = ptx_isa::find("cp.async.bulk.wait_group 0").unwrap();
/// assert_eq!(form.text(), "cp.async.bulk.wait_group 3");
/// let form = ptx_isa::find("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [?], 14");
/// assert_eq!(form.unwrap().isa(), ptx_isa::Version::new(8, 7));
/// let product = "wgmma.mma_async.sync.aligned.m64n24k256.s32.b1.b1.and.popc {?,?,?,?,?,?,?,?,?,?,?,?}, ?, ?, ?";
/// assert!(ptx_isa::find(product).unwrap().text().contains("n256"));
/// assert_eq!(ptx_isa::find("cp.async.bulk.wait_groups 0"), None);
/// ```
pub fn find(instruction: &str) -> Option<Form> {
    let instruction = with_greatest_n(instruction.trim().trim_end_matches(';'))?;
    let instruction = instruction.as_ref();
    let (opcode, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
    let rows = FAMILIES
        .iter()
        .flat_map(|family| family.rows.iter().map(move |row| (family, row)));
    let rows = rows.filter(|(_, row)| may_have(row, opcode));
    let fitting = rows.flat_map(|(family, row)| {
        let combinations = notation::combinations(row.texts(), opcode).into_iter();
        combinations.filter_map(move |index| {
            let text = notation::render(row.text, &notation::axes(row.texts()), index)?;
            let wanted = text.split_once(' ').map_or("", |(_, wanted)| wanted);
            Some((distance(wanted, operands)?, family, row, index))
        })
    });
    let (_, family, row, index) = fitting.min_by_key(|(far, ..)| *far)?;
    Some(Form::new(family, row, index))
}

/// Replaces N of a warpgroup's product by the greatest N if it is between the least and the greatest; `None` if the
/// instruction is not such a product (PTX ISA, section 9.7.14.7.3).
fn with_greatest_n(instruction: &str) -> Option<Cow<'_, str>> {
    let unchanged = Some(Cow::Borrowed(instruction));
    let Some(rest) = instruction.strip_prefix("wgmma.mma_async.") else {
        return unchanged;
    };
    let word = rest
        .split(['.', ' '])
        .find(|word| Shape::of(word).is_some());
    let (Some(word), Some((sums, operands))) = (word, rest.split_once('}')) else {
        return unchanged;
    };
    let Shape { m, n, k } = Shape::of(word)?;
    if n == 8 {
        return unchanged;
    }
    let is_integer = rest.contains(".s32.");
    let is_there = n.is_multiple_of(8) && n <= 256;
    if !is_there || is_integer && n > 32 && !n.is_multiple_of(16) {
        return None;
    }
    let (opcode, list) = sums.split_once('{')?;
    let registers = 256 * list.split(',').count();
    if !registers.is_multiple_of(n as usize) {
        return None;
    }
    let opcode = opcode.replace(word, &format!("m{m}n256k{k}"));
    let list = "?,".repeat(registers / n as usize);
    let list = list.trim_end_matches(',');
    Some(format!("wgmma.mma_async.{opcode}{{{list}}}{operands}").into())
}

/// Returns whether the text before the first group fits.
fn may_have(row: &FormRow, opcode: &str) -> bool {
    let mut characters = row.text.chars().zip(opcode.chars());
    let differing = characters.find(|(wanted, character)| wanted != character);
    differing.is_none_or(|(wanted, _)| matches!(wanted, '{' | '$' | ' '))
}

/// Returns the distance between operands and a form's; `None` if the kinds differ.
fn distance(wanted: &str, operands: &str) -> Option<u64> {
    let mut wanted = words(wanted).filter(|word| *word != " ");
    let mut operands = words(operands).filter(|word| *word != " ");
    let mut sum = 0u64;
    loop {
        match (wanted.next(), operands.next()) {
            (None, None) => return Some(sum),
            (Some(wanted), Some(operand)) => sum = sum.saturating_add(apart(wanted, operand)?),
            _ => return None,
        }
    }
}

fn apart(wanted: &str, operand: &str) -> Option<u64> {
    if wanted == operand {
        return Some(0);
    }
    let is_unknown = operand == "?" || operand.starts_with('%');
    let is_number =
        |text: &str| text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    match wanted {
        "b" | "h" | "r" | "d" => (is_unknown || operand == "n" || is_number(operand)).then_some(0),
        "p" => (is_unknown || is_number(operand)).then_some(0),
        "q" => is_unknown.then_some(0),
        _ if wanted.starts_with('%') => {
            let stem = |text: &str| text.split('.').next() == wanted.split('.').next();
            stem(operand).then_some(1)
        }
        _ if is_number(wanted) && is_number(operand) => {
            let (wanted, operand) = (wanted.parse::<u32>(), operand.parse::<u32>());
            // A lower number is nearer than any higher one.
            Some(match (wanted, operand) {
                (Ok(wanted), Ok(operand)) if wanted <= operand => u64::from(operand - wanted),
                (Ok(wanted), _) => (1 << 32) + u64::from(wanted),
                _ => 1 << 33,
            })
        }
        _ => None,
    }
}
