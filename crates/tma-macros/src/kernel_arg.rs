use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Index, Member, spanned::Spanned};

pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(item)?;
    let refuse = |span, message: &str| Err(syn::Error::new(span, message));
    let Data::Struct(data) = &input.data else {
        return refuse(
            input.ident.span(),
            "a kernel argument by value must be a struct of plain data",
        );
    };
    if !input.generics.params.is_empty() {
        return refuse(
            input.generics.span(),
            "a struct that a kernel takes must not be generic",
        );
    }
    let is_repr_c = input.attrs.iter().any(|attribute| {
        let mut is_c = false;
        let is_repr = attribute.path().is_ident("repr");
        // The compiler judges the rest of the attribute.
        let _ = attribute.parse_nested_meta(|meta| {
            is_c |= is_repr && meta.path.is_ident("C");
            if meta.input.peek(syn::token::Paren) {
                meta.input.parse::<proc_macro2::Group>()?;
            }
            Ok(())
        });
        is_c
    });
    if !is_repr_c {
        return refuse(
            input.ident.span(),
            "a struct that a kernel takes must have the layout of C; add `#[repr(C)]`",
        );
    }
    let name = &input.ident;
    let fields: Vec<Member> = data
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| match &field.ident {
            Some(name) => Member::Named(name.clone()),
            None => Member::Unnamed(Index::from(index)),
        })
        .collect();
    let types: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
    let message = format!(
        "`{name}` is aligned to more than 16 bytes, which a kernel parameter cannot be: \
         take `#[repr(C, align(16))]` or less"
    );
    Ok(quote! {
        const _: () = assert!(::core::mem::align_of::<#name>() <= 16, #message);

        // SAFETY: the type is laid out as in C, of fields that are kernel parameters themselves, and aligned
        // to at most 16 bytes (1).
        unsafe impl ::tma::KernelArg for #name {
            #[cfg(not(target_arch = "nvptx64"))]
            fn write_bytes(&self, bytes: &mut [u8]) {
                #(
                    <#types as ::tma::KernelArg>::write_bytes(
                        &self.#fields,
                        &mut bytes[::core::mem::offset_of!(#name, #fields)..],
                    );
                )*
            }
        }
    })
}
