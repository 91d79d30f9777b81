//! The mutants that are not bugs.

use super::Tried;

/// Mutants that may survive, each with the reason.
///
/// The text has one line for each pattern of [ids](super::Mutant::id), where `*` stands for any
/// text and `?` for one character, followed by the number of mutants that it excuses. The lines before it
/// that begin with a space, up to a line that is not a pattern, are its reason. Lines that begin with `#` are
/// comments:
///
/// ```text
/// # tile_2d.rs
///   The block ends right after, and its shared memory with it.
/// tile_2d/delete/mbarrier.inval* 2
/// tile_2d_to/delete/mbarrier.inval* 2
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    explanations: Vec<Explanation>,
}

/// An explanation why some mutants may survive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The line in the file, from 1.
    pub line: usize,
    /// The pattern of the mutants' names.
    pub pattern: String,
    /// The number of mutants that the pattern must match.
    pub count: usize,
    /// The reason why they may survive.
    pub reason: String,
}

impl Explanation {
    /// Returns whether the pattern matches this mutant.
    pub fn is_of(&self, id: &str) -> bool {
        matches(&self.pattern, id)
    }
}

/// The list of the repository.
const TEXT: &str = include_str!("../../../mutants/allowed.txt");

impl Allowed {
    /// Returns the list of the repository.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn load() -> Result<Self, String> {
        Self::parse(TEXT)
    }

    /// Reads a list.
    ///
    /// # Errors
    /// A pattern without a number or a reason, or a reason without a pattern.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut explanations: Vec<Explanation> = Vec::new();
        let mut reason: Vec<&str> = Vec::new();
        let mut is_used = true;
        for (line, words) in text.lines().enumerate() {
            let line = line + 1;
            if words.trim().is_empty() || words.starts_with('#') {
                continue;
            }
            if words.starts_with(' ') {
                if is_used {
                    reason.clear();
                }
                is_used = false;
                reason.push(words.trim());
                continue;
            }
            if reason.is_empty() {
                return Err(format!("line {line}: `{words}` has no reason before it"));
            }
            is_used = true;
            let numbered = words.trim().rsplit_once(' ');
            let numbered =
                numbered.and_then(|(pattern, count)| Some((pattern, count.parse().ok()?)));
            let (pattern, count) =
                numbered.ok_or(format!("line {line}: `{words}` does not end with a number"))?;
            explanations.push(Explanation {
                line,
                pattern: pattern.to_owned(),
                count,
                reason: reason.join(" "),
            });
        }
        match is_used {
            true => Ok(Self { explanations }),
            false => Err(format!("`{}` is the reason of no mutant", reason.join(" "))),
        }
    }

    /// Returns all explanations.
    pub fn explanations(&self) -> &[Explanation] {
        &self.explanations
    }

    /// Returns the patterns whose number of mutants is wrong, among all mutants of all kernels.
    pub fn miscounted(&self, ids: &[&str]) -> Vec<String> {
        let wrong = self.explanations.iter().filter_map(|explanation| {
            let Explanation {
                line,
                pattern,
                count,
                ..
            } = explanation;
            let found = ids.iter().filter(|id| explanation.is_of(id)).count();
            let message =
                format!("line {line}: there are {found} mutants `{pattern}`, not {count}");
            (found != *count).then_some(message)
        });
        wrong.collect()
    }

    /// Why this mutant may survive.
    pub fn explain(&self, id: &str) -> Option<&Explanation> {
        let mut all = self.explanations.iter();
        all.find(|explanation| explanation.is_of(id))
    }

    /// Finds explanations that are out of date: patterns of mutants that were caught, and patterns of more or
    /// fewer among all mutants of all kernels.
    pub fn stale(&self, all: &[Tried<'_>]) -> Vec<String> {
        let id = |one| {
            let Tried {
                mutant, outcome, ..
            }: &Tried<'_> = one;
            (mutant.id.as_str(), outcome.caught.is_none())
        };
        self.stale_among(&all.iter().map(id).collect::<Vec<_>>())
    }

    /// Returns the patterns that excuse no survivor, given each id and whether it survived.
    fn stale_among(&self, all: &[(&str, bool)]) -> Vec<String> {
        let caught = all.iter().filter(|(_, survived)| !survived);
        let caught = caught.flat_map(|(id, _)| {
            let of = self
                .explanations
                .iter()
                .filter(|explanation| explanation.is_of(id));
            of.map(move |Explanation { line, pattern, .. }| {
                format!("line {line}: `{pattern}` has `{id}`, which was caught")
            })
        });
        let ids: Vec<&str> = all.iter().map(|(id, _)| *id).collect();
        let mut stale: Vec<String> = caught.collect();
        stale.extend(self.miscounted(&ids));
        stale
    }
}

/// Ids are ASCII.
fn matches(pattern: &str, text: &str) -> bool {
    fn rest(pattern: &[u8], text: &[u8]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some((b'*', pattern)) => (0..=text.len()).any(|at| rest(pattern, &text[at..])),
            Some((first, pattern)) => match text.split_first() {
                Some((found, text)) => (*first == b'?' || first == found) && rest(pattern, text),
                None => false,
            },
        }
    }
    rest(pattern.as_bytes(), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, is_match) in [
            ("a/b", "a/b", true),
            ("a/b", "a/b/c", false),
            ("a*/b", "a_1/b", true),
            ("*b*", "abc", true),
            ("a*", "a", true),
            ("a?c", "abc", true),
            ("a?", "a", false),
            ("*/x/1", "k/x/11", false),
        ] {
            assert_eq!(matches(pattern, text), is_match, "{pattern} {text}");
        }
    }

    const LIST: &str = "# one\n  For a\n  reason.\na/1 1\na/2 1\n\n  Another.\nb/* 2\n";

    #[test]
    fn reasons_stand_before_their_mutants() {
        let list = Allowed::parse(LIST).unwrap();
        let reason = |id| list.explain(id).map(|e| (e.line, e.reason.as_str()));
        assert_eq!(reason("a/1"), Some((4, "For a reason.")));
        assert_eq!(reason("a/2"), Some((5, "For a reason.")));
        assert_eq!(reason("b/c/d"), Some((8, "Another.")));
        assert_eq!(reason("c"), None);
        assert!(Allowed::parse("a/1 1\n").is_err());
        assert!(Allowed::parse("  Why.\na/1\n").is_err());
        assert!(Allowed::parse("  Why.\na/1 1\n  Why not.\n").is_err());
    }

    #[test]
    fn what_is_no_longer_true_is_named() {
        let list = Allowed::parse(LIST).unwrap();
        assert!(
            list.stale_among(&[
                ("a/1", true),
                ("a/2", true),
                ("b/1", true),
                ("b/2", true),
                ("c", false)
            ])
            .is_empty()
        );
        assert_eq!(
            list.stale_among(&[("a/1", true), ("b/1", false)]),
            [
                "line 8: `b/*` has `b/1`, which was caught",
                "line 5: there are 0 mutants `a/2`, not 1",
                "line 8: there are 1 mutants `b/*`, not 2"
            ]
        );
    }
}
