//! The page of a level as plain text.

/// Width of a line.
const WIDTH: usize = 100;

/// Returns the part of a text between two others; empty if it has none.
pub(super) fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let after = text.split_once(start).map_or("", |(_, after)| after);
    after.split(end).next().unwrap_or_default()
}

/// Returns HTML without its elements, in lines; code is in backquotes.
pub(super) fn plain(html: &str) -> String {
    let html = html.replace("<code>", "`").replace("</code>", "`");
    let paragraphs = html.split("</p>").map(|paragraph| {
        let mut parts = paragraph.split('<');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            text += part.split_once('>').map_or("", |(_, text)| text);
        }
        let text = text.replace("&lt;", "<").replace("&gt;", ">");
        wrapped(&text.replace("&amp;", "&"))
    });
    let paragraphs: Vec<String> = paragraphs.filter(|text| !text.is_empty()).collect();
    paragraphs.join("\n\n")
}

fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let is_full = width + 1 + length > WIDTH;
        if width > 0 {
            lines.push(if is_full { '\n' } else { ' ' });
        }
        width = if is_full { length } else { width + 1 + length };
        lines += word;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_removed_and_paragraphs_kept() {
        let html = "\n<p>A <em>box</em> of\n<code>a &lt; b &amp; c</code>.</p>\n<p>Two</p>\n";
        assert_eq!(plain(html), "A box of `a < b & c`.\n\nTwo");
        assert_eq!(between("a[b]c", "[", "]"), "b");
        assert_eq!(between("abc", "[", "]"), "");
    }

    #[test]
    fn long_lines_are_wrapped() {
        let text = plain(&"word ".repeat(50));
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert_eq!(text.lines().count(), 3);
    }
}
