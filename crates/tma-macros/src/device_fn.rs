use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;
use syn::{
    Attribute, Expr, ExprLit, Lit, Meta, Token,
    parse::{Parse, ParseStream},
};

use crate::function::{Function, Input};

/// `isa = "8.0", arch = sm_90`.
struct Instruction {
    isa: TokenTree,
    arch: Ident,
}

impl Parse for Instruction {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let value = |name: &str| {
            let key: Ident = input.parse()?;
            if key != name {
                return Err(syn::Error::new(key.span(), format!("use `{name} = …`")));
            }
            input.parse::<Token![=]>()
        };
        value("isa")?;
        let isa = input.parse()?;
        input.parse::<Token![,]>()?;
        value("arch")?;
        let arch = input.parse()?;
        Ok(Self { isa, arch })
    }
}

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let instruction: Option<Instruction> = match options.is_empty() {
        true => None,
        false => Some(syn::parse2(options)?),
    };
    let Function {
        attributes,
        visibility,
        signature,
        body,
    } = syn::parse2(item)?;
    let name = &signature.name;
    let (before, after) = attributes.split_at(
        attributes
            .iter()
            .position(is_heading)
            .unwrap_or(attributes.len()),
    );
    let (version, gate) = match instruction {
        None => (None, None),
        Some(Instruction { isa, arch }) => (
            Some(quote! {
                #[doc = ""]
                #[doc = concat!("PTX ISA ", #isa, "; ", architectures!(names #arch), ".")]
                #[doc = ""]
            }),
            Some(quote!(gate!(concat!(module_path!(), "::", stringify!(#name)), #arch);)),
        ),
    };
    let arguments = signature.inputs.iter().filter_map(Input::name);
    Ok(quote! {
        #(#before)*
        #version
        #(#after)*
        // So that a refusal comes with the location of the call.
        #[cfg_attr(target_arch = "nvptx64", rustc_no_mir_inline)]
        #[inline(always)]
        #visibility #signature {
            #[cfg(target_arch = "nvptx64")]
            {
                #gate
                #body
            }
            #[cfg(not(target_arch = "nvptx64"))]
            {
                let _ = (#(#arguments,)*);
                crate::ptx::macros::device_only(stringify!(#name))
            }
        }
    })
}

/// Is this the line `# Safety` of a doc comment, or another heading?
fn is_heading(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => text.value().starts_with(" # "),
            _ => false,
        },
        _ => false,
    }
}
