mod entry;
mod generic;
mod host;
mod instances;
mod options;
mod parameter;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericParam, spanned::Spanned};

use crate::function::{Function, Signature};
use options::Options;

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let options: Options = syn::parse2(options)?;
    let mut function: Function = syn::parse2(item)?;
    let parameters = parameter::parameters(&mut function)?;
    check_signature(&function.signature, &options)?;

    let all = options.instances.as_ref().map(instances::Instances::all);
    let entries = all.unwrap_or_else(|| vec![Vec::new()]);
    let entries = entries
        .iter()
        .map(|values| entry::entry(&function.signature, values, &parameters, &options));
    let host = host::function(&function, &parameters, &options);
    Ok(quote! {
        #[cfg(target_arch = "nvptx64")]
        #[inline(always)]
        #function
        #(#entries)*
        #host
    })
}

fn check_signature(signature: &Signature, options: &Options) -> syn::Result<()> {
    let refuse = |span, message: &str| Err(syn::Error::new(span, message));
    if signature.unsafety.is_none() {
        return refuse(
            signature.fn_token.span(),
            "a kernel must be an `unsafe fn`, since its parameters come from the host unchecked",
        );
    }
    if let Some(asyncness) = &signature.asyncness {
        return refuse(asyncness.span(), "a kernel must not be async");
    }
    if let Some(abi) = &signature.abi {
        return refuse(
            abi.span(),
            "a kernel must not name a calling convention; the attribute sets it",
        );
    }
    if !matches!(signature.output, syn::ReturnType::Default) {
        return refuse(signature.output.span(), "a kernel must not return a value");
    }
    let generics = &signature.generics;
    match &options.instances {
        Some(instances) => instances.check(generics),
        None => match generics.params.first() {
            None => Ok(()),
            Some(GenericParam::Lifetime(_)) => refuse(
                generics.span(),
                "a kernel must not be generic over lifetimes, since each entry takes plain values",
            ),
            Some(_) => refuse(
                generics.span(),
                "a generic kernel must name its entries; use `#[kernel(instances(N = 1, 2; T = f32, u32))]`",
            ),
        },
    }
}
