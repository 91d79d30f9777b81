//! Tokens of PTX (PTX ISA, section 4.1 to 4.5).

use crate::span::Span;

/// The kinds of tokens; white space and comments are not tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name, with the `%` of registers and the `$` of generated labels (section 4.4).
    Identifier,
    /// A dot and a word: directives, types and the modifiers of instructions, such as `.u32`, `.2d`
    /// or `.shared::cluster`.
    Dotted,
    Underscore,
    Integer,
    Float,
    /// A malformed number, such as `0f12` or `12q`.
    BadNumber,
    String,
    OpenString,
    OpenComment,
    Comma,
    Semicolon,
    Colon,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    At,
    Equals,
    Question,
    Bang,
    Tilde,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    And,
    Or,
    Caret,
    AndAnd,
    OrOr,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    EqualEqual,
    NotEqual,
    /// A character that cannot begin a token.
    Unknown,
    /// The end of the text.
    End,
}

/// A token and its location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spanned {
    pub(crate) token: Token,
    pub(crate) span: Span,
}

/// Returns the first token at or after this offset; [`Token::End`] if there is none.
pub(crate) fn token_at(text: &str, offset: usize) -> Spanned {
    let start = offset + skipped(&text.as_bytes()[offset..]);
    let (token, length) = token(&text[start..]).unwrap_or((Token::End, 0));
    let span = Span::new(start, start + length);
    Spanned { token, span }
}

/// Returns the tokens from this offset up to, but excluding, [`Token::End`].
pub(crate) fn tokens(text: &str, offset: usize) -> impl Iterator<Item = Spanned> {
    let mut next = offset;
    std::iter::from_fn(move || {
        let token = token_at(text, next);
        next = token.span.end();
        (token.token != Token::End).then_some(token)
    })
}

/// Returns the number of bytes of white space and comments that the text begins with.
fn skipped(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += count(&text[at..], |byte| matches!(byte, b' ' | b'\t'..=b'\r'));
        at += match &text[at..] {
            [b'/', b'/', rest @ ..] => 2 + count(rest, |byte| byte != b'\n'),
            [b'/', b'*', rest @ ..] => match rest.windows(2).position(|pair| pair == b"*/") {
                Some(position) => position + 4,
                None => return at,
            },
            _ => return at,
        };
    }
}

/// Returns the token that the text begins with, and its length in bytes.
fn token(text: &str) -> Option<(Token, usize)> {
    let bytes = text.as_bytes();
    let word = |start: usize| start + count(&bytes[start..], is_word);
    Some(match *bytes.first()? {
        b'a'..=b'z' | b'A'..=b'Z' => (Token::Identifier, word(1)),
        b'0'..=b'9' => number(text),
        b'.' => dotted(bytes),
        b'"' => string(bytes),
        b'/' if bytes.starts_with(b"/*") => (Token::OpenComment, bytes.len()),
        b'_' | b'$' | b'%' if word(1) > 1 => (Token::Identifier, word(1)),
        b'_' => (Token::Underscore, 1),
        _ => match bytes.get(..2).and_then(pair) {
            Some(token) => (token, 2),
            None => (single(bytes[0]), text.chars().next()?.len_utf8()),
        },
    })
}

fn count(text: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    let end = text.iter().position(|byte| !is_part(*byte));
    end.unwrap_or(text.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Reads a dot and a word whose parts may be joined by `::`.
fn dotted(bytes: &[u8]) -> (Token, usize) {
    let mut length = 1 + count(&bytes[1..], is_word);
    if length == 1 {
        return (Token::Unknown, 1);
    }
    while let Some(rest) = bytes[length..].strip_prefix(b"::") {
        match count(rest, is_word) {
            0 => break,
            part => length += 2 + part,
        }
    }
    (Token::Dotted, length)
}

/// Reads a string, which ends on its line.
fn string(bytes: &[u8]) -> (Token, usize) {
    let mut length = 1;
    loop {
        length += match bytes[length..] {
            [b'"', ..] => return (Token::String, length + 1),
            [b'\\', escaped, ..] if escaped != b'\n' => 2,
            [] | [b'\\' | b'\n', ..] => return (Token::OpenString, length),
            _ => 1,
        };
    }
}

/// Reads the longest of an integer, a float, and a word that is neither.
fn number(text: &str) -> (Token, usize) {
    let bytes = text.as_bytes();
    let word = count(bytes, is_word);
    match float(bytes) {
        Some(length) if length >= word => (Token::Float, length),
        _ if is_integer(&bytes[..word]) => (Token::Integer, word),
        _ => (Token::BadNumber, word),
    }
}

/// Returns the length of `0f3F800000`, `0d3FF0000000000000`, `1.5`, `1.`, `1.5e-3` or `1e9`.
fn float(bytes: &[u8]) -> Option<usize> {
    let bits = match bytes {
        [b'0', b'f' | b'F', rest @ ..] => Some((8, rest)),
        [b'0', b'd' | b'D', rest @ ..] => Some((16, rest)),
        _ => None,
    };
    if let Some((digits, rest)) = bits {
        let enough = count(rest, |byte| byte.is_ascii_hexdigit()) >= digits;
        return enough.then_some(2 + digits);
    }
    let digits = |from: usize| count(&bytes[from..], |byte| byte.is_ascii_digit());
    let exponent = |from: usize| {
        let rest = bytes[from..].strip_prefix(b"e");
        let rest = rest.or_else(|| bytes[from..].strip_prefix(b"E"))?;
        let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
        match digits(from + 1 + sign) {
            0 => None,
            digits => Some(1 + sign + digits),
        }
    };
    let whole = digits(0);
    if bytes.get(whole) == Some(&b'.') {
        let end = whole + 1 + digits(whole + 1);
        return Some(end + exponent(end).unwrap_or(0));
    }
    Some(whole + exponent(whole)?)
}

fn is_integer(word: &[u8]) -> bool {
    let digits = word.strip_suffix(b"U").unwrap_or(word);
    match digits {
        [b'0', b'x' | b'X', hex @ ..] => !hex.is_empty() && hex.iter().all(u8::is_ascii_hexdigit),
        [b'0', b'b' | b'B', bits @ ..] => {
            !bits.is_empty() && bits.iter().all(|bit| matches!(bit, b'0' | b'1'))
        }
        [b'0', octal @ ..] => octal.iter().all(|digit| matches!(digit, b'0'..=b'7')),
        decimal => decimal.iter().all(u8::is_ascii_digit),
    }
}

fn pair(bytes: &[u8]) -> Option<Token> {
    Some(match bytes {
        b"&&" => Token::AndAnd,
        b"||" => Token::OrOr,
        b"<<" => Token::ShiftLeft,
        b">>" => Token::ShiftRight,
        b"<=" => Token::LessEqual,
        b">=" => Token::GreaterEqual,
        b"==" => Token::EqualEqual,
        b"!=" => Token::NotEqual,
        _ => return None,
    })
}

fn single(byte: u8) -> Token {
    match byte {
        b',' => Token::Comma,
        b';' => Token::Semicolon,
        b':' => Token::Colon,
        b'(' => Token::OpenParen,
        b')' => Token::CloseParen,
        b'[' => Token::OpenBracket,
        b']' => Token::CloseBracket,
        b'{' => Token::OpenBrace,
        b'}' => Token::CloseBrace,
        b'@' => Token::At,
        b'=' => Token::Equals,
        b'?' => Token::Question,
        b'!' => Token::Bang,
        b'~' => Token::Tilde,
        b'+' => Token::Plus,
        b'-' => Token::Minus,
        b'*' => Token::Star,
        b'/' => Token::Slash,
        b'%' => Token::Percent,
        b'&' => Token::And,
        b'|' => Token::Or,
        b'^' => Token::Caret,
        b'<' => Token::Less,
        b'>' => Token::Greater,
        _ => Token::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Vec<(Token, &str)> {
        tokens(text, 0)
            .map(|t| (t.token, t.span.slice(text)))
            .collect()
    }

    fn kinds(text: &str) -> Vec<Token> {
        tokens(text, 0).map(|t| t.token).collect()
    }

    #[test]
    fn an_opcode_is_a_word_and_dotted_parts() {
        use Token::*;
        let text = "cp.async.2d.shared::cluster.mbarrier::complete_tx::bytes";
        let parts = [
            "cp",
            ".async",
            ".2d",
            ".shared::cluster",
            ".mbarrier::complete_tx::bytes",
        ];
        let kinds = [Identifier, Dotted, Dotted, Dotted, Dotted];
        assert_eq!(lex(text), kinds.into_iter().zip(parts).collect::<Vec<_>>());
    }

    #[test]
    fn numbers() {
        for integer in ["0", "7", "0x1F", "0X1fU", "017", "0b101", "0B1U", "42U"] {
            assert_eq!(kinds(integer), [Token::Integer], "{integer}");
        }
        for float in [
            "0f3F800000",
            "0F3f800000",
            "0d3FF0000000000000",
            "1.5",
            "1.",
            "1e9",
            "2.5E-3",
        ] {
            assert_eq!(kinds(float), [Token::Float], "{float}");
        }
        for bad in ["0f3F8", "0d12", "12q", "0x", "09", "0b2"] {
            assert_eq!(kinds(bad), [Token::BadNumber], "{bad}");
        }
    }

    #[test]
    fn names() {
        for name in ["%r1", "$L__BB0_1", "_a", "a$b", "%p", "retval0", "__cuda_x"] {
            assert_eq!(kinds(name), [Token::Identifier], "{name}");
        }
        assert_eq!(kinds("_"), [Token::Underscore]);
        assert_eq!(
            kinds("4 % 2"),
            [Token::Integer, Token::Percent, Token::Integer]
        );
        assert_eq!(kinds("%tid.x"), [Token::Identifier, Token::Dotted]);
    }

    #[test]
    fn comments_are_skipped() {
        assert_eq!(lex("a // x\n/* y * / ** */ b /**/ // end").len(), 2);
        assert_eq!(
            kinds("a /* never closed"),
            [Token::Identifier, Token::OpenComment]
        );
    }

    #[test]
    fn strings_keep_escapes_and_end_on_their_line() {
        assert_eq!(lex(r#""a\"b\\" x"#)[0], (Token::String, r#""a\"b\\""#));
        assert_eq!(kinds("\"abc\nx"), [Token::OpenString, Token::Identifier]);
    }

    #[test]
    fn strange_characters_are_tokens_too() {
        assert_eq!(kinds("# µ \\"), [Token::Unknown; 3]);
    }
}
