use std::sync::atomic::{AtomicU32, Ordering};

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, Ident, LitInt, Token, Type, Visibility,
    parse::{Parse, ParseStream},
};

use crate::variable::{Variable, expand_all};

/// `pub static NAME: Type align 128;`
struct Declaration {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    ty: Type,
    align: Option<LitInt>,
}

impl Parse for Declaration {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        input.parse::<Token![static]>()?;
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let ty = input.parse()?;
        let align = match input.parse::<Option<Ident>>()? {
            Some(word) if word == "align" => Some(power_of_two(input.parse()?)?),
            Some(word) => return Err(syn::Error::new(word.span(), "expected `align` or `;`")),
            None => None,
        };
        input.parse::<Token![;]>()?;
        Ok(Self {
            attributes,
            visibility,
            name,
            ty,
            align,
        })
    }
}

fn power_of_two(literal: LitInt) -> syn::Result<LitInt> {
    let value: u32 = literal.base10_parse()?;
    if value.is_power_of_two() {
        Ok(literal)
    } else {
        Err(syn::Error::new(
            literal.span(),
            format!(
                "an alignment must be a power of two; use {}",
                value.next_power_of_two()
            ),
        ))
    }
}

pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    expand_all(item, declare)
}

fn declare(declaration: &Declaration) -> TokenStream {
    let Declaration {
        attributes,
        visibility,
        name,
        ty,
        align,
    } = declaration;
    let symbol = symbol(name);
    let align = match align {
        Some(align) => {
            quote!(if #align > ::core::mem::align_of::<#ty>() { #align } else { ::core::mem::align_of::<#ty>() })
        }
        None => quote!(::core::mem::align_of::<#ty>()),
    };
    Variable {
        attributes,
        visibility,
        name,
        ty,
        module: format_ident!("__shared_{}", name),
        definition: format!(".shared .align {{align}} .b8 {symbol}[{{bytes}}];"),
        align,
        take_address: format!("mov.u32 {{address}}, {symbol};"),
        register: (quote!(reg32), quote!(u32)),
        pointer: (
            quote!(::tma::SharedPtr<#ty>),
            quote!(::tma::SharedPtr::from_address(address)),
        ),
    }
    .declare()
}

/// Returns a PTX name that no other declaration has: crate, location in the source, number of the expansion
/// (a macro may expand one location twice), and the variable's name.
fn symbol(name: &Ident) -> String {
    let span = Span::call_site().unwrap();
    let location = (
        std::env::var("CARGO_PKG_NAME").ok(),
        span.file(),
        span.line(),
        span.column(),
        EXPANSIONS.fetch_add(1, Ordering::Relaxed),
    );
    let mut hash = Fnv::default();
    std::hash::Hash::hash(&location, &mut hash);
    format!("{name}_{:08x}", std::hash::Hasher::finish(&hash) as u32)
}

static EXPANSIONS: AtomicU32 = AtomicU32::new(0);

/// FNV-1a, so that names do not change with the compiler.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl std::hash::Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}
