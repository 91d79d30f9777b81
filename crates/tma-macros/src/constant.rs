use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Ident, Token, Type, Visibility,
    parse::{Parse, ParseStream},
};

use crate::variable::{Variable, expand_all};

/// `pub static NAME: Type;`
struct Declaration {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    ty: Type,
}

impl Parse for Declaration {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        input.parse::<Token![static]>()?;
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let ty = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(Self {
            attributes,
            visibility,
            name,
            ty,
        })
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
    } = declaration;
    let pointer = quote!(*const #ty);
    Variable {
        attributes,
        visibility,
        name,
        ty,
        module: format_ident!("__constant_{}", name),
        definition: format!(".visible .const .align {{align}} .b8 {name}[{{bytes}}];"),
        align: quote!(::core::mem::align_of::<#ty>()),
        take_address: format!(
            "{{{{ .reg .b64 t; mov.u64 t, {name}; cvta.const.u64 {{address}}, t; }}}}"
        ),
        register: (quote!(reg64), pointer.clone()),
        pointer: (pointer, quote!(address)),
    }
    .declare()
}
