use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{
    Attribute, Type, Visibility,
    parse::{Parse, ParseStream, Parser},
};

/// Expands declarations that follow each other.
pub(crate) fn expand_all<D: Parse>(
    item: TokenStream,
    expand: impl Fn(&D) -> TokenStream,
) -> syn::Result<TokenStream> {
    let declarations = |input: ParseStream<'_>| {
        let mut declarations = Vec::new();
        while !input.is_empty() {
            declarations.push(input.parse::<D>()?);
        }
        Ok(declarations)
    };
    let declarations: Vec<D> = declarations.parse2(item)?;
    Ok(declarations.iter().map(expand).collect())
}

/// A variable of the module, which becomes a type with its name.
pub(crate) struct Variable<'a> {
    pub(crate) attributes: &'a [Attribute],
    pub(crate) visibility: &'a Visibility,
    pub(crate) name: &'a Ident,
    pub(crate) ty: &'a Type,
    /// A module for its definition.
    pub(crate) module: Ident,
    /// The definition, with `{align}` and `{bytes}`.
    pub(crate) definition: String,
    pub(crate) align: TokenStream,
    /// The instruction that takes its address.
    pub(crate) take_address: String,
    /// The register class of the address, and its type.
    pub(crate) register: (TokenStream, TokenStream),
    /// The type of `ptr()`, and how it is made of `address`.
    pub(crate) pointer: (TokenStream, TokenStream),
}

impl Variable<'_> {
    pub(crate) fn declare(self) -> TokenStream {
        let Self {
            attributes,
            visibility,
            name,
            ty,
            module,
            definition,
            align,
            take_address,
            register: (register, held),
            pointer: (pointer, made),
        } = self;
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
                    #definition,
                    align = const #align,
                    bytes = const ::core::mem::size_of::<#ty>(),
                );
            }

            impl #name {
                /// The place of the variable.
                #[allow(dead_code)]
                #[inline(always)]
                #visibility fn ptr() -> #pointer {
                    #[cfg(target_arch = "nvptx64")]
                    {
                        let address: #held;
                        // SAFETY: taking the address of a variable touches no memory.
                        unsafe {
                            ::tma::__private::asm!(
                                #take_address,
                                address = out(#register) address,
                                options(pure, nomem, nostack, preserves_flags),
                            )
                        };
                        #made
                    }
                    #[cfg(not(target_arch = "nvptx64"))]
                    ::tma::__private::device_only(stringify!(#name))
                }
            }
        }
    }
}
