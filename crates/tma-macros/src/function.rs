//! A function as the attributes read it. Its body stays a group of tokens, and so does a pattern: the compiler reads
//! them anyway, and the feature `full` of `syn`, which could, takes longer to compile than the rest of this crate.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Abi, Attribute, Generics, Ident, ReturnType, Token, Type, Visibility,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    /// A group in braces.
    pub(crate) body: TokenTree,
}

/// `const async unsafe extern "C" fn name<generics>(inputs) -> output where …`
pub(crate) struct Signature {
    constness: Option<Token![const]>,
    pub(crate) asyncness: Option<Token![async]>,
    pub(crate) unsafety: Option<Token![unsafe]>,
    pub(crate) abi: Option<Abi>,
    pub(crate) fn_token: Token![fn],
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) inputs: Punctuated<Input, Token![,]>,
    pub(crate) output: ReturnType,
}

/// `pattern: ty`, or `self` in one of its forms, which may lack a type.
pub(crate) struct Input {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) pattern: TokenStream,
    pub(crate) ty: Option<Type>,
}

impl Input {
    /// The name, if the pattern is `name` or `mut name`.
    pub(crate) fn name(&self) -> Option<Ident> {
        let name = |input: ParseStream<'_>| {
            input.parse::<Option<Token![mut]>>()?;
            input.parse()
        };
        syn::parse::Parser::parse2(name, self.pattern.clone()).ok()
    }
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attributes: input.call(Attribute::parse_outer)?,
            visibility: input.parse()?,
            signature: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl Parse for Signature {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let constness = input.parse()?;
        let asyncness = input.parse()?;
        let unsafety = input.parse()?;
        let abi = input.parse()?;
        let fn_token = input.parse()?;
        let name = input.parse()?;
        let mut generics: Generics = input.parse()?;
        let inputs;
        syn::parenthesized!(inputs in input);
        let inputs = inputs.parse_terminated(Input::parse, Token![,])?;
        let output = input.parse()?;
        generics.where_clause = input.parse()?;
        Ok(Self {
            constness,
            asyncness,
            unsafety,
            abi,
            fn_token,
            name,
            generics,
            inputs,
            output,
        })
    }
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let mut pattern = TokenStream::new();
        let is_over = |input: ParseStream<'_>| {
            let is_path = input.peek(Token![::]);
            input.is_empty() || input.peek(Token![,]) || (input.peek(Token![:]) && !is_path)
        };
        while !is_over(input) {
            match input.parse::<Option<Token![::]>>()? {
                Some(colons) => colons.to_tokens(&mut pattern),
                None => input.parse::<TokenTree>()?.to_tokens(&mut pattern),
            }
        }
        let colon: Option<Token![:]> = input.parse()?;
        let ty = colon.map(|_| input.parse()).transpose()?;
        Ok(Self {
            attributes,
            pattern,
            ty,
        })
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            attributes,
            visibility,
            signature,
            body,
        } = self;
        tokens.extend(quote!(#(#attributes)* #visibility #signature #body));
    }
}

impl ToTokens for Signature {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            constness,
            asyncness,
            unsafety,
            abi,
            fn_token,
            name,
            generics,
            inputs,
            output,
        } = self;
        let bounds = &generics.where_clause;
        tokens.extend(quote! {
            #constness #asyncness #unsafety #abi #fn_token #name #generics (#inputs) #output #bounds
        });
    }
}

impl ToTokens for Input {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            attributes,
            pattern,
            ty,
        } = self;
        let colon = ty.as_ref().map(|_| quote!(:));
        tokens.extend(quote!(#(#attributes)* #pattern #colon #ty));
    }
}

/// Reads an expression in a list: all tokens up to the next comma that is not in a group or in a path's `<A, B>`.
pub(crate) fn expression(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let is_over = |input: ParseStream<'_>| input.is_empty() || input.peek(Token![,]);
    let ahead = input.fork();
    if ahead.parse::<syn::Expr>().is_ok() && is_over(&ahead) {
        return Ok(input.parse::<syn::Expr>()?.into_token_stream());
    }
    if is_over(input) {
        return Err(input.error("expected an expression"));
    }
    let mut tokens = TokenStream::new();
    while !is_over(input) {
        input.parse::<TokenTree>()?.to_tokens(&mut tokens);
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_stay_as_they_are() {
        let functions = [
            quote!(
                pub(crate) const unsafe extern "C" fn name<const N: usize, T: Copy>(a: [T; N]) -> T
                where
                    T: Sum<{ N * 2 }>,
                {
                    a[0]
                }
            ),
            quote!(
                fn of(&'a mut self, #[cfg(x)] Some(core::Some::<u8>(mut b)): Option<[u8; { 1 }]>) {}
            ),
            quote!(
                #[inline]
                async fn none(self: Box<Self>, mut c: fn(u8, u8) -> u8) {}
            ),
        ];
        for tokens in functions {
            let function: Function = syn::parse2(tokens.clone()).unwrap();
            assert_eq!(function.to_token_stream().to_string(), tokens.to_string());
        }
    }

    #[test]
    fn names_are_told_from_patterns() {
        let named = |tokens: TokenStream| {
            let input: Input = syn::parse2(tokens).unwrap();
            input.name().map(|name| name.to_string())
        };
        assert_eq!(named(quote!(mut a: u8)), Some("a".into()));
        assert_eq!(named(quote!(r#in: u8)), Some("r#in".into()));
        assert_eq!(named(quote!((a, b): (u8, u8))), None);
        assert_eq!(named(quote!(&self)), None);
        assert_eq!(named(quote!(_: u8)), None);
    }

    #[test]
    fn expressions_end_at_their_comma() {
        let list = |tokens: TokenStream| -> Vec<String> {
            let list = |input: ParseStream<'_>| {
                let mut all = Vec::new();
                while !input.is_empty() {
                    all.push(expression(input)?.to_string());
                    input.parse::<Option<Token![,]>>()?;
                }
                Ok(all)
            };
            syn::parse::Parser::parse2(list, tokens).unwrap()
        };
        let all =
            list(quote!(f::<A, B>(1, 2), |n| n * 2, if a { b } else { c }, [1, 2], x as u64 < y));
        let tokens = [
            quote!(f::<A, B>(1, 2)),
            quote!(|n| n * 2),
            quote!(if a { b } else { c }),
            quote!([1, 2]),
            quote!(x as u64 < y),
        ];
        assert_eq!(all, tokens.map(|tokens| tokens.to_string()));
    }
}
