use proc_macro2::TokenStream;
use syn::{
    Ident, LitInt, Token,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

use crate::function::expression;

use super::instances::Instances;

/// The options between the parentheses of `#[kernel(…)]`.
#[derive(Default)]
pub(super) struct Options {
    pub(super) max_threads: Option<[u32; 3]>,
    pub(super) min_blocks: Option<u32>,
    pub(super) cluster: Option<[u32; 3]>,
    pub(super) local_memory: bool,
    /// Numbers of ptxas's messages.
    pub(super) allowed: Vec<Ident>,
    pub(super) instances: Option<Instances>,
    /// An expression of the arguments and constants, or a closure that also takes the block's threads.
    pub(super) shared_bytes: Option<TokenStream>,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = Self::default();
        let mut seen: Vec<Ident> = Vec::new();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            if seen.contains(&name) {
                return Err(syn::Error::new(
                    name.span(),
                    format!("`{name}` is given twice"),
                ));
            }
            seen.push(name.clone());
            match name.to_string().as_str() {
                "max_threads" => {
                    options.max_threads = Some(extent(
                        input,
                        1024,
                        "a block must have at most 1024 threads",
                    )?)
                }
                "cluster" => {
                    options.cluster =
                        Some(extent(input, 16, "a cluster must have at most 16 blocks")?)
                }
                "min_blocks" => {
                    input.parse::<Token![=]>()?;
                    options.min_blocks = Some(positive(&input.parse()?)?);
                }
                "local_memory" => options.local_memory = true,
                "allow" => options.allowed = messages(input)?,
                "instances" => options.instances = Some(input.parse()?),
                "shared_bytes" => {
                    input.parse::<Token![=]>()?;
                    options.shared_bytes = Some(expression(input)?);
                }
                _ => {
                    return Err(syn::Error::new(
                        name.span(),
                        format!(
                            "unknown option `{name}`; there are `max_threads`, `min_blocks`, \
                             `cluster`, `local_memory`, `allow`, `shared_bytes` and `instances`"
                        ),
                    ));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

/// `(C7509, C7517)`, numbers of messages that the builder refuses.
fn messages(input: ParseStream<'_>) -> syn::Result<Vec<Ident>> {
    let list;
    syn::parenthesized!(list in input);
    let messages: Vec<Ident> = Punctuated::<Ident, Token![,]>::parse_terminated(&list)?
        .into_iter()
        .collect();
    let is_number = |message: &&Ident| {
        let number = message.to_string();
        number
            .strip_prefix('C')
            .is_some_and(|number| number.parse::<u32>().is_ok())
    };
    match messages.iter().find(|message| !is_number(message)) {
        Some(other) => Err(syn::Error::new(
            other.span(),
            "expected the number of a message of ptxas, such as `C7509`",
        )),
        None => Ok(messages),
    }
}

/// `= 256` or `= [32, 8, 1]`, missing dimensions being 1; `most` in all.
fn extent(input: ParseStream<'_>, most: u64, rule: &str) -> syn::Result<[u32; 3]> {
    input.parse::<Token![=]>()?;
    let (span, sides) = if input.peek(syn::token::Bracket) {
        let list;
        let brackets = syn::bracketed!(list in input);
        let sides: Vec<LitInt> = list
            .parse_terminated(number, Token![,])?
            .into_iter()
            .collect();
        (brackets.span.join(), sides)
    } else {
        let side = number(input)?;
        (side.span(), vec![side])
    };
    if !(1..=3).contains(&sides.len()) {
        return Err(syn::Error::new(span, "expected one to three numbers"));
    }
    let mut extent = [1; 3];
    for (slot, side) in extent.iter_mut().zip(&sides) {
        *slot = positive(side)?;
    }
    let all = extent.iter().map(|side| u64::from(*side)).product::<u64>();
    if all > most {
        return Err(syn::Error::new(span, format!("{rule}, not {all}")));
    }
    Ok(extent)
}

fn number(input: ParseStream<'_>) -> syn::Result<LitInt> {
    let number = input.parse();
    number.map_err(|error| syn::Error::new(error.span(), "expected a literal number"))
}

fn positive(number: &LitInt) -> syn::Result<u32> {
    match number.base10_parse()? {
        0 => Err(syn::Error::new(number.span(), "expected at least 1")),
        value => Ok(value),
    }
}
