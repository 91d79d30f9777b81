//! Rust's format strings as pieces, which the crate `tma` makes C's of when it knows the types.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Ident, LitStr, Token,
    parse::{Parse, ParseStream},
};

use crate::function::expression;

/// The most values that the device's `vprintf` takes.
const MOST_VALUES: usize = 32;

/// `"format", value, name = value`
struct Call {
    format: LitStr,
    values: Vec<(Option<Ident>, TokenStream)>,
}

impl Parse for Call {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            let format = LitStr::new("", input.span());
            return Ok(Self {
                format,
                values: Vec::new(),
            });
        }
        let format = input.parse()?;
        let mut values = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let is_named = input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]);
            let name = if is_named {
                let name = input.parse()?;
                input.parse::<Token![=]>()?;
                Some(name)
            } else {
                None
            };
            values.push((name, expression(input)?));
        }
        Ok(Self { format, values })
    }
}

pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    let Call { format, mut values } = syn::parse2(item)?;
    let given = values.len();
    let text = format.value() + "\n";
    let refuse = |what: String| syn::Error::new(format.span(), what);
    let mut pieces = Vec::new();
    let mut order = Vec::new();
    let mut next = 0;
    let mut rest = text.as_str();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("{{") {
            pieces.push(quote!(::tma::print::Piece::Text("{")));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("}}") {
            pieces.push(quote!(::tma::print::Piece::Text("}")));
            rest = after;
        } else if let Some(after) = rest.strip_prefix('{') {
            let (inside, after) = after
                .split_once('}')
                .ok_or_else(|| refuse("a `{` without its `}`; write `{{` for a brace".into()))?;
            rest = after;
            let (name, spec) = inside.split_once(':').unwrap_or((inside, ""));
            let index = match (name.trim(), name.trim().parse::<usize>()) {
                ("", _) => {
                    next += 1;
                    next - 1
                }
                (_, Ok(index)) => index,
                (name, _) => named(&mut values, name, &format)?,
            };
            if index >= values.len() {
                return Err(refuse(format!(
                    "there is no value {index} for `{{{inside}}}`: {given} are given"
                )));
            }
            order.push(index);
            let spec =
                value(spec.trim()).map_err(|what| refuse(format!("`{{{inside}}}`: {what}")))?;
            pieces.push(quote!(::tma::print::Piece::Value(#spec)));
        } else if rest.starts_with('}') {
            return Err(refuse(
                "a `}` without its `{`; write `}}` for a brace".into(),
            ));
        } else {
            let end = rest.find(['{', '}']).unwrap_or(rest.len());
            let literal = &rest[..end];
            pieces.push(quote!(::tma::print::Piece::Text(#literal)));
            rest = &rest[end..];
        }
    }
    if let Some(unused) = (0..given).find(|index| !order.contains(index)) {
        let what = "this value is never printed";
        return Err(syn::Error::new_spanned(&values[unused].1, what));
    }
    if order.len() > MOST_VALUES {
        return Err(refuse(format!(
            "{} values are printed at once; the device takes {MOST_VALUES}",
            order.len()
        )));
    }
    let count = order.len();
    let values = order.iter().rev().fold(quote!(()), |rest, index| {
        let value = &values[*index].1;
        quote!((#value, #rest))
    });
    Ok(quote! {{
        struct Format;
        impl ::tma::print::Format for Format {
            const PIECES: &'static [::tma::print::Piece] = &[#(#pieces),*];
        }
        ::tma::print::print::<Format, _, #count>(#values)
    }})
}

/// Returns the number of a value with this name: one that is given, or else a variable that the format names.
fn named(
    values: &mut Vec<(Option<Ident>, TokenStream)>,
    name: &str,
    format: &LitStr,
) -> syn::Result<usize> {
    let is_it =
        |(given, _): &(Option<Ident>, TokenStream)| given.as_ref().is_some_and(|it| it == name);
    if let Some(index) = values.iter().position(is_it) {
        return Ok(index);
    }
    let mut ident: Ident = syn::parse_str(name).map_err(|_| {
        syn::Error::new(
            format.span(),
            format!("`{name}` is not the name of a variable"),
        )
    })?;
    ident.set_span(format.span());
    values.push((Some(ident.clone()), quote!(#ident)));
    Ok(values.len() - 1)
}

/// Parses the part of a placeholder after the colon: `<`, `>`, `+`, `#`, `0`, width, precision,
/// type.
fn value(spec: &str) -> Result<TokenStream, String> {
    let (spec, left) = match spec.strip_prefix('<') {
        Some(rest) => (rest, quote!(Some(true))),
        None => match spec.strip_prefix('>') {
            Some(rest) => (rest, quote!(Some(false))),
            None => (spec, quote!(None)),
        },
    };
    let flag = |spec: &mut &str, flag| match spec.strip_prefix(flag) {
        Some(rest) => {
            *spec = rest;
            true
        }
        None => false,
    };
    let mut rest = spec;
    let plus = flag(&mut rest, '+');
    let alternate = flag(&mut rest, '#');
    let zeros = flag(&mut rest, '0');
    let number = |rest: &mut &str| -> Result<Option<u8>, String> {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        *rest = after;
        match digits {
            "" => Ok(None),
            digits => digits
                .parse()
                .map(Some)
                .map_err(|_| format!("{digits} is more than 255")),
        }
    };
    let width = number(&mut rest)?.unwrap_or(0);
    let precision = if flag(&mut rest, '.') {
        let digits = number(&mut rest)?;
        let digits = digits.ok_or("a precision must be a number, as in `{:.3}`")?;
        quote!(Some(#digits))
    } else {
        quote!(None)
    };
    let kind = match rest {
        "" => b'd',
        "?" | "x" | "X" | "o" | "e" | "E" | "p" => rest.as_bytes()[0],
        other => {
            return Err(format!(
                "`{other}` is not supported on the device: there are `<`, `>`, `+`, `#`, `0`, width, \
                 precision, and `?`, `x`, `X`, `o`, `e`, `E`, `p`"
            ));
        }
    };
    Ok(quote!(::tma::print::Spec {
        left: #left,
        plus: #plus,
        alternate: #alternate,
        zeros: #zeros,
        width: #width,
        precision: #precision,
        kind: #kind,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(call: TokenStream) -> String {
        expand(call).unwrap_err().to_string()
    }

    #[test]
    fn mistakes_are_refused() {
        let cases = [
            (quote!("{}"), "there is no value 0 for `{}`: 0 are given"),
            (quote!("a", 1), "this value is never printed"),
            (quote!("{"), "a `{` without its `}`"),
            (quote!("}"), "a `}` without its `{`"),
            (quote!("{:^5}", 1), "`^5` is not supported on the device"),
            (quote!("{:b}", 1), "`b` is not supported on the device"),
            (quote!("{:.}", 1), "a precision must be a number"),
            (quote!("{:300}", 1), "300 is more than 255"),
            (quote!("{a b}"), "`a b` is not the name of a variable"),
        ];
        for (call, what) in cases {
            let message = refused(call);
            assert!(message.contains(what), "{message}");
        }
    }

    #[test]
    fn values_are_found_by_position_name_and_in_scope() {
        let expanded = expand(quote!("{1} {} {x} {y}", 7, 8, x = 9))
            .unwrap()
            .to_string();
        assert!(
            expanded.contains("print :: < Format , _ , 4usize > ((8 , (7 , (9 , (y , ())))))"),
            "{expanded}"
        );
    }
}
