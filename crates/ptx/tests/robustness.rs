//! The parser never panics, and accepted text prints to the same text again.

mod common;

use proptest::{
    prelude::*,
    sample::{Index, select},
    test_runner::RngSeed,
};

/// Reads a text both ways. Errors must be displayable and point into the text.
fn read(text: &str) {
    match ptx::parse(text) {
        Ok(module) => assert_eq!(ptx::parse(&module.to_string()).unwrap(), module, "{text}"),
        Err(errors) => {
            assert!(errors.iter().count() > 0);
            assert!(errors.iter().all(|error| error.span.start() <= text.len()
                && error.line > 0
                && error.column > 0));
            assert!(!errors.to_string().is_empty());
        }
    }
    if let Ok(statements) = ptx::parse_statements(text) {
        let printed: String = statements
            .iter()
            .map(|statement| format!("{statement}\n"))
            .collect();
        assert_eq!(
            ptx::parse_statements(&printed).unwrap(),
            statements,
            "{text}"
        );
    }
}

const WORDS: &[&str] = &[
    ".version 9.0",
    ".target sm_90a",
    ".visible",
    ".entry",
    ".func",
    ".param",
    ".reg",
    ".b32",
    ".align",
    ".global",
    ".section",
    ".debug_str",
    ".loc",
    ".file",
    ".pragma",
    ".alias",
    ".branchtargets",
    ".callprototype",
    ".v4",
    ".ptr",
    ".attribute",
    ".5",
    ".2d",
    "f",
    "ld.global.u32",
    "call",
    "generic",
    "%r1",
    "%tid.x",
    "_",
    "\"x\"",
    "\"",
    "4",
    "0f3F800000",
    "1.5",
    "0f1",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    "@",
    "=",
    "?",
    "!",
    "~",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "&&",
    "||",
    "<<",
    ">>",
    "<",
    ">",
    "==",
    "!=",
    "//",
    "/*",
    "*/",
    "\n",
    "#",
    "µ",
];

/// Small fixtures, so that many cases fit into a short time.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = common::modules()
        .into_iter()
        .map(|fixture| fixture.text)
        .collect();
    texts.retain(|text| text.len() < 13_000);
    assert!(texts.len() > 5);
    texts
}

/// The nearest location at or before `at` where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

proptest! {
    // The same cases in each run; `fuzz-smoke` tries others.
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_characters(text in any::<String>()) {
        read(&text);
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words(words in proptest::collection::vec(select(WORDS), 0..60)) {
        read(&words.join(" "));
        read(&words.concat());
        read(&format!(".version 9.0 .target sm_90a .func f() {{ {} }}", words.join(" ")));
        read(&format!("op {};", words.join(" ")));
    }

    #[test]
    fn short_operands(words in proptest::collection::vec(select(&WORDS[21..]), 1..6)) {
        read(&format!("op {};", words.join(" ")));
        read(&format!(".global .b32 x = {};", words.join(" ")));
    }

    #[test]
    fn cut_fixtures(text in select(texts()), at in any::<Index>()) {
        read(&text[..boundary(&text, at.index(text.len()))]);
    }

    #[test]
    fn changed_fixtures(
        text in select(texts()),
        changes in proptest::collection::vec((any::<Index>(), 0_usize..8, select(WORDS)), 1..6),
    ) {
        let mut text = text;
        for (at, removed, word) in changes {
            let start = boundary(&text, at.index(text.len() + 1));
            let end = boundary(&text, (start + removed).min(text.len())).max(start);
            text.replace_range(start..end, word);
        }
        read(&text);
    }
}
