//! Texts with groups of alternatives. `{r*4}` stands for `{r,r,r,r}`.

use alloc::{string::String, vec::Vec};

/// Groups that many rows have: what tensor copies of 1 to 5 dimensions take, of 2 to 5 and of 3 to 5.
const NAMED: &[(&str, &str)] = &[
    ("$COORDS2", "R:{r,r}|{r,r,r}|{r,r,r,r}|{r,r,r,r,r}"),
    ("$COORDS3", "R:{r,r,r}|{r,r,r,r}|{r,r,r,r,r}"),
    ("$COORDS", "R:{r}|{r,r}|{r,r,r}|{r,r,r,r}|{r,r,r,r,r}"),
    ("$DIMS2", "R:{h,h}|{h,h,h}|{h,h,h,h}|{h,h,h,h,h}"),
    ("$STRIDES2", "R:{r}|{r,r}|{r,r,r}|{r,r,r,r}"),
    ("$OFFSETS3", "R:{h}|{h,h}|{h,h,h}"),
    ("$XYZ3", "R:[x, y, z]|[x, y, z, t]|[x, y, z, t, u]"),
    ("$XYZ2", "R:[x, y]|[x, y, z]|[x, y, z, t]|[x, y, z, t, u]"),
    ("$SIZES2", "R:[h, i]|[h, i, j]|[h, i, j, k]|[h, i, j, k, o]"),
    ("$STEPS2", "R:[n]|[n, m]|[n, m, c]|[n, m, c, q]"),
    (
        "$XYZ",
        "R:[x]|[x, y]|[x, y, z]|[x, y, z, t]|[x, y, z, t, u]",
    ),
    ("$IJK3", "R:[i]|[i, j]|[i, j, k]"),
    // For wgmma: the columns, and the registers of sums of 32 and of 16 bits. Every N between follows the same rule.
    ("$N", "N:8|256"),
    ("$WORDS", "N:{r*4}|{r*128}"),
    ("$PAIRS", "N:{r*2}|{r*64}"),
];

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Plain(&'static str),
    /// The letter of a group, or its number among those without, and its alternatives.
    Group(char, &'static str),
}

/// Takes a text apart.
#[derive(Clone)]
struct Pieces {
    rest: &'static str,
    unnamed: char,
}

fn pieces(text: &'static str) -> Pieces {
    Pieces {
        rest: text,
        unnamed: '0',
    }
}

impl Pieces {
    fn plain(&mut self, length: usize) -> Piece {
        let (plain, rest) = self.rest.split_at(length);
        self.rest = rest;
        Piece::Plain(plain)
    }

    /// The text of a group. Braces without `|` between them are none.
    fn group(&mut self, inside: &'static str) -> Option<Piece> {
        let mut characters = inside.chars();
        let (letter, choices) = match (characters.next(), characters.next()) {
            (Some(letter), Some(':')) if letter.is_ascii_uppercase() => {
                (Some(letter), &inside[2..])
            }
            _ => (None, inside),
        };
        alternatives(choices).nth(1)?;
        let letter = letter.unwrap_or_else(|| {
            self.unnamed = char::from(self.unnamed as u8 + 1);
            self.unnamed
        });
        Some(Piece::Group(letter, choices))
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let rest = self.rest;
        let named = NAMED.iter().find(|(name, _)| rest.starts_with(name));
        if let Some((name, inside)) = named {
            self.rest = &rest[name.len()..];
            return self.group(inside);
        }
        let first = rest.chars().next()?;
        if first == '{'
            && let Some(end) = closing(rest)
        {
            let Some(group) = self.group(&rest[1..end]) else {
                return Some(self.plain(end + 1));
            };
            self.rest = &rest[end + 1..];
            return Some(group);
        }
        let next = rest[1..].find(['{', '$']);
        Some(self.plain(next.map_or(rest.len(), |at| at + 1)))
    }
}

/// Returns the position that closes the brace at the beginning of a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, character)| {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// The texts between the `|` that are in no inner braces.
fn alternatives(choices: &'static str) -> impl Iterator<Item = &'static str> {
    let mut rest = Some(choices);
    core::iter::from_fn(move || {
        let text = rest?;
        let mut depth = 0;
        let end = text.find(|character| {
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0 && character == '|'
        });
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

/// Groups that go with each other, and how many alternatives they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    letter: char,
    pub(crate) count: usize,
}

/// The axes of texts that go with each other, in the order of the first ones.
pub(crate) fn axes(texts: [&'static str; 4]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for piece in texts.into_iter().flat_map(pieces) {
        if let Piece::Group(letter, choices) = piece
            && axes.iter().all(|axis| axis.letter != letter)
        {
            let count = alternatives(choices).count();
            axes.push(Axis { letter, count });
        }
    }
    axes
}

/// The text of one combination; `None` where a group has too few alternatives.
pub(crate) fn render(text: &'static str, axes: &[Axis], combination: usize) -> Option<String> {
    let mut rendered = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Plain(plain) => rendered.push_str(plain),
            Piece::Group(letter, choices) => {
                let text = alternatives(choices).nth(choice(axes, letter, combination)?)?;
                repeat(text, &mut rendered);
            }
        }
    }
    Some(rendered)
}

/// Adds an alternative, which may be a list of registers by their number.
fn repeat(text: &str, rendered: &mut String) {
    let list = text
        .strip_prefix("{r*")
        .and_then(|rest| rest.strip_suffix('}'));
    match list.and_then(|count| count.parse::<usize>().ok()) {
        Some(count) => {
            rendered.push('{');
            for index in 0..count {
                rendered.push_str(if index == 0 { "r" } else { ",r" });
            }
            rendered.push('}');
        }
        None => rendered.push_str(text),
    }
}

/// Returns the combinations of texts whose first text begins with this word.
pub(crate) fn combinations(texts: [&'static str; 4], word: &str) -> Vec<usize> {
    let mut found = Vec::new();
    walk(pieces(texts[0]), word, &mut Vec::new(), &mut found);
    if found.is_empty() {
        return Vec::new();
    }
    let axes = axes(texts);
    let is_found = |index: &usize| {
        let is_chosen =
            |(letter, chosen): &(char, usize)| choice(&axes, *letter, *index) == Some(*chosen);
        found.iter().any(|chosen| chosen.iter().all(is_chosen))
    };
    let count: usize = axes.iter().map(|axis| axis.count).product();
    (0..count).filter(is_found).collect()
}

/// Takes alternatives as long as they go on as the word does.
fn walk(
    mut pieces: Pieces,
    word: &str,
    chosen: &mut Vec<(char, usize)>,
    found: &mut Vec<Vec<(char, usize)>>,
) {
    let mut go_on = |text: &str, chosen: &mut Vec<(char, usize)>, pieces: &Pieces| {
        let (part, is_end) = match text.split_once(' ') {
            Some((part, _)) => (part, true),
            None => (text, false),
        };
        match word.strip_prefix(part) {
            Some("") if is_end => found.push(chosen.clone()),
            Some(rest) if !is_end => walk(pieces.clone(), rest, chosen, found),
            _ => {}
        }
    };
    match pieces.next() {
        None => go_on(" ", chosen, &pieces),
        Some(Piece::Plain(plain)) => go_on(plain, chosen, &pieces),
        Some(Piece::Group(letter, choices)) => {
            let before = chosen.iter().find(|(other, _)| *other == letter);
            let before = before.map(|(_, choice)| *choice);
            for (index, text) in alternatives(choices).enumerate() {
                if before.is_none_or(|before| before == index) {
                    chosen.push((letter, index));
                    go_on(text, chosen, &pieces);
                    chosen.pop();
                }
            }
        }
    }
}

/// The alternative of the text's first group.
pub(crate) fn first(text: &'static str, axes: &[Axis], combination: usize) -> usize {
    let first = pieces(text).find_map(|piece| match piece {
        Piece::Group(letter, _) => choice(axes, letter, combination),
        Piece::Plain(_) => None,
    });
    first.unwrap_or(0)
}

fn choice(axes: &[Axis], letter: char, mut combination: usize) -> Option<usize> {
    for axis in axes {
        if axis.letter == letter {
            return Some(combination % axis.count);
        }
        combination /= axis.count;
    }
    None
}

/// Returns the combination that a combination spells otherwise, or itself: an alternative `=` of a call stands for
/// the alternative before it.
pub(crate) fn respelled(call: &'static str, axes: &[Axis], combination: usize) -> usize {
    let mut base = combination;
    let mut step = 1;
    for axis in axes {
        let is_respelling = |chosen: &usize| {
            pieces(call).any(|piece| match piece {
                Piece::Group(letter, choices) if letter == axis.letter => {
                    alternatives(choices).nth(*chosen) == Some("=")
                }
                _ => false,
            })
        };
        let chosen = combination / step % axis.count;
        base -= step * (0..=chosen).rev().take_while(is_respelling).count();
        step *= axis.count;
    }
    base
}

/// Returns whether corresponding groups have the same number of alternatives in all these texts, and all names are
/// known.
#[cfg(test)]
pub(crate) fn agree(texts: [&'static str; 4]) -> bool {
    let axes = axes(texts);
    let mut pieces = texts.into_iter().flat_map(pieces);
    pieces.all(|piece| match piece {
        Piece::Plain(plain) => !plain.contains('$'),
        Piece::Group(letter, choices) => axes
            .iter()
            .any(|axis| axis.letter == letter && axis.count == alternatives(choices).count()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &'static str, call: &'static str) -> Vec<(String, String)> {
        let axes = axes([text, "", "", call]);
        let count = axes.iter().map(|axis| axis.count).product();
        let both = |index| Some((render(text, &axes, index)?, render(call, &axes, index)?));
        (0..count).filter_map(both).collect()
    }

    #[test]
    fn groups_are_written_out_in_all_texts_alike() {
        let forms = expanded(
            "op.{a|b}.{R:1d|2d} {R:{r}|{r,r}}, {r,r}",
            "op::{x|y}({R:1|2})",
        );
        let forms: Vec<_> = forms
            .iter()
            .map(|(text, call)| (&**text, &**call))
            .collect();
        assert_eq!(
            forms,
            [
                ("op.a.1d {r}, {r,r}", "op::x(1)"),
                ("op.b.1d {r}, {r,r}", "op::y(1)"),
                ("op.a.2d {r,r}, {r,r}", "op::x(2)"),
                ("op.b.2d {r,r}, {r,r}", "op::y(2)"),
            ]
        );
    }

    #[test]
    fn an_equals_sign_stands_for_the_alternative_before_it() {
        let (text, call) = ("op.{a|b}{V:|.x|.y|.z}", "op::{f|g}{V:|=|=|_z}()");
        let axes = axes([text, "", "", call]);
        let bases = (0..8).map(|index| respelled(call, &axes, index));
        assert_eq!(bases.collect::<Vec<_>>(), [0, 1, 0, 1, 0, 1, 6, 7]);
    }

    #[test]
    fn named_groups_go_with_the_dimensions() {
        let forms = expanded("op.{R:3d|4d|5d} $OFFSETS3", "op($IJK3)");
        assert_eq!(forms[1], ("op.4d {h,h}".into(), "op([i, j])".into()));
    }

    #[test]
    fn lists_are_written_out() {
        let forms = expanded("op.n$N $PAIRS, r", "");
        assert_eq!(forms.len(), 2);
        assert_eq!(forms[0].0, "op.n8 {r,r}, r");
    }

    #[test]
    fn groups_of_another_length_are_seen() {
        assert!(agree(["op.{a|b}", "{8.0|8.6}", "sm_90", ""]));
        assert!(!agree(["op.{a|b}", "{8.0|8.6|9.0}", "sm_90", ""]));
        assert!(!agree(["op $LIST", "8.0", "sm_90", ""]));
    }
}
