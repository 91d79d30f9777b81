use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Ident, Token, Type, Visibility,
    parse::{Parse, ParseStream, Parser},
};

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
    let declarations = |input: ParseStream<'_>| {
        let mut declarations = Vec::new();
        while !input.is_empty() {
            declarations.push(input.parse::<Declaration>()?);
        }
        Ok(declarations)
    };
    let declarations = declarations.parse2(item)?;
    Ok(declarations.iter().map(declare).collect())
}

fn declare(declaration: &Declaration) -> TokenStream {
    let Declaration {
        attributes,
        visibility,
        name,
        ty,
    } = declaration;
    let module = format_ident!("__constant_{}", name);
    let variable = format!(".visible .const .align {{align}} .b8 {name}[{{bytes}}];");
    let address =
        format!("{{{{ .reg .b64 t; mov.u64 t, {name}; cvta.const.u64 {{address}}, t; }}}}");
    quote! {
        #(#attributes)*
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #visibility struct #name;

        #[doc(hidden)]
        #[allow(non_snake_case)]
        mod #module {
            #[allow(unused_imports)]
            use super::*;
            #[cfg(target_arch = "nvptx64")]
            ::tma::__private::global_asm!(
                #variable,
                align = const ::core::mem::align_of::<#ty>(),
                bytes = const ::core::mem::size_of::<#ty>(),
            );
        }

        impl #name {
            /// Where the variable lies.
            #[allow(dead_code)]
            #[inline(always)]
            #visibility fn ptr() -> *const #ty {
                #[cfg(target_arch = "nvptx64")]
                {
                    let address: *const #ty;
                    // SAFETY: taking the address of a variable touches no memory.
                    unsafe {
                        ::tma::__private::asm!(
                            #address,
                            address = out(reg64) address,
                            options(pure, nomem, nostack, preserves_flags),
                        )
                    };
                    address
                }
                #[cfg(not(target_arch = "nvptx64"))]
                ::tma::__private::device_only(stringify!(#name))
            }
        }
    }
}
