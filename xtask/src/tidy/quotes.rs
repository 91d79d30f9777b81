//! Code and reports in the tutorial must occur in the files that it links.

use std::path::Path;

use super::{File, Violation, links};

/// Pages and folders of pages whose fenced blocks are quotations.
const PAGES: &[&str] = &["docs/gemm.md", "docs/tutorial"];

/// The line of a quotation that stands for omitted lines.
const OMITTED: &str = "…";

/// A fenced block.
struct Quote<'a> {
    line: usize,
    text: Vec<&'a str>,
    /// The last file before the block to which the page has a link.
    source: Option<String>,
}

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    let is_page = |file: &&File| PAGES.contains(&file.path.as_str()) || file.is_below(PAGES);
    for page in files.iter().filter(is_page) {
        for quote in quotes(page) {
            let source = files
                .iter()
                .find(|file| Some(&file.path) == quote.source.as_ref());
            let fault = match source.and_then(|file| file.text.as_deref().zip(Some(&file.path))) {
                None => Some("a block needs a link to its source before it".to_owned()),
                Some((text, path)) => missing(&quote.text, text).map(|line| {
                    format!("`{line}` and its part of the block do not occur in {path}")
                }),
            };
            violations.extend(fault.map(|fault| Violation::new(page, quote.line, fault)));
        }
    }
}

/// Returns the fenced blocks of a page, without those that `bless` writes.
fn quotes(page: &File) -> Vec<Quote<'_>> {
    let folder = Path::new(&page.path).parent().unwrap_or(Path::new(""));
    let (mut quotes, mut source): (Vec<Quote<'_>>, _) = (Vec::new(), None);
    let (mut in_code, mut is_generated) = (false, false);
    for (number, line) in page.lines() {
        is_generated |= line.starts_with("<!-- figures: ");
        is_generated &= line != "<!-- end of figures -->";
        if is_generated {
            continue;
        }
        if line.starts_with("```") {
            in_code = !in_code;
            if in_code {
                quotes.push(Quote {
                    line: number,
                    text: Vec::new(),
                    source: source.clone(),
                });
            }
        } else if let Some(quote) = quotes.last_mut().filter(|_| in_code) {
            quote.text.push(line);
        } else {
            let files = links::targets(line).filter(|target| !target.ends_with(".md"));
            source = files
                .last()
                .map_or(source, |target| links::resolve(folder, target));
        }
    }
    quotes
}

/// Returns the first line of the first part of a quotation that does not follow the parts before it in the source.
fn missing<'a>(quote: &[&'a str], source: &str) -> Option<&'a str> {
    let source = packed(source);
    let mut rest = source.as_str();
    for part in quote.split(|line| line.trim() == OMITTED) {
        let text = packed(&part.join("\n"));
        match rest.split_once(text.trim_end_matches(',')) {
            Some((_, after)) => rest = after,
            None => return part.first().map(|line| line.trim()),
        }
    }
    None
}

/// Removes the parts that a quotation may change: comments of whole lines, white space, and commas before a closing bracket.
fn packed(text: &str) -> String {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let packed: String = code.flat_map(str::split_whitespace).collect();
    [")", "]", "}"].iter().fold(packed, |text, close| {
        text.replace(&format!(",{close}"), close)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    fn says(page: &str) -> Vec<String> {
        let source = "fn f() {\n    // Why.\n    g(\n        1,\n        2,\n    );\n    h();\n}\n";
        checked(
            check,
            &[file("docs/tutorial/a.md", page), file("a.rs", source)],
        )
    }

    #[test]
    fn a_quotation_may_be_wrapped_and_shortened() {
        let page = "[a](../../a.rs) and [b](b.md)\n\n```rust,ignore\nfn f() {\n    g(1, 2);\n    …\n}\n```\n";
        assert_eq!(says(page), [""; 0]);
    }

    #[test]
    fn other_code_and_another_order_are_found() {
        let expected =
            "docs/tutorial/a.md:2: `g(2, 1);` and its part of the block do not occur in a.rs";
        assert_eq!(says("[a](../../a.rs)\n```\ng(2, 1);\n```\n"), [expected]);
        assert_eq!(
            says("[a](../../a.rs)\n```\nh();\n…\ng(1, 2);\n```\n").len(),
            1
        );
        let generated = "<!-- figures: a -->\n```\nx\n```\n<!-- end of figures -->\n";
        assert_eq!(says(generated), [""; 0]);
    }

    #[test]
    fn a_block_without_a_source_is_found() {
        let expected = "docs/tutorial/a.md:2: a block needs a link to its source before it";
        assert_eq!(says("[b](b.md)\n```\nh();\n```\n"), [expected]);
    }
}
