//! Tokens of PTX (PTX ISA, section 4.1 to 4.5).

use logos::Logos;

use crate::span::Span;

/// The kinds of tokens. White space and comments are none.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0b\x0c]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(crate) enum Token {
    /// A name, with the `%` of registers and the `$` of generated labels (section 4.4).
    #[regex(r"[a-zA-Z][a-zA-Z0-9_$]*|[_$%][a-zA-Z0-9_$]+")]
    Identifier,
    /// A dot and a word: directives, types and the modifiers of instructions, such as `.u32`, `.2d`
    /// or `.shared::cluster`.
    #[regex(r"\.[a-zA-Z0-9_$]+(::[a-zA-Z0-9_$]+)*")]
    Dotted,
    #[token("_", priority = 20)]
    Underscore,
    #[regex(
        r"0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|0[0-7]*U?|[1-9][0-9]*U?",
        priority = 20
    )]
    Integer,
    #[regex(r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", priority = 20)]
    #[regex(
        r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+",
        priority = 20
    )]
    Float,
    /// Starts like a number and is none, such as `0f12` or `12q`.
    #[regex(r"[0-9][0-9a-zA-Z_$]*", priority = 1)]
    BadNumber,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    String,
    #[regex(r#""([^"\\\n]|\\[^\n])*"#)]
    OpenString,
    #[token("/*")]
    OpenComment,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("@")]
    At,
    #[token("=")]
    Equals,
    #[token("?")]
    Question,
    #[token("!")]
    Bang,
    #[token("~")]
    Tilde,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("^")]
    Caret,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("==")]
    EqualEqual,
    #[token("!=")]
    NotEqual,
    /// Characters that begin no token.
    Unknown,
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spanned {
    pub(crate) token: Token,
    pub(crate) span: Span,
}

/// All tokens of `text`, then one [`Token::End`].
pub(crate) fn tokens(text: &str) -> Vec<Spanned> {
    let read = Token::lexer(text).spanned().map(|(token, range)| Spanned {
        token: token.unwrap_or(Token::Unknown),
        span: range.into(),
    });
    let end = Spanned {
        token: Token::End,
        span: Span::new(text.len(), text.len()),
    };
    read.chain(std::iter::once(end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Vec<(Token, &str)> {
        tokens(text)
            .iter()
            .map(|t| (t.token, t.span.slice(text)))
            .collect()
    }

    fn kinds(text: &str) -> Vec<Token> {
        tokens(text)
            .iter()
            .map(|t| t.token)
            .filter(|t| *t != Token::End)
            .collect()
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
            "",
        ];
        let kinds = [Identifier, Dotted, Dotted, Dotted, Dotted, End];
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
        assert_eq!(lex("a // x\n/* y * / ** */ b /**/ // end").len(), 3);
        assert_eq!(
            kinds("a /* never closed"),
            [
                Token::Identifier,
                Token::OpenComment,
                Token::Identifier,
                Token::Identifier
            ]
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
