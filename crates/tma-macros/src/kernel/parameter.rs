use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, FnArg, GenericArgument, Ident, ItemFn, Pat, PathArguments, Type, TypePath,
    spanned::Spanned,
};

pub(super) struct Parameter {
    pub(super) name: Ident,
    pub(super) ty: Type,
    pub(super) grid_constant: bool,
}

impl Parameter {
    /// Returns whether the host passes it unchanged.
    pub(super) fn is_by_value(&self) -> bool {
        !self.grid_constant && self.pointee().is_none()
    }

    /// Returns the type of the elements in memory, where the host passes memory: for a pointer, a `GlobalRef`,
    /// a `GlobalMut` or a `Counter`.
    pub(super) fn pointee(&self) -> Option<TokenStream> {
        let path = match &self.ty {
            Type::Ptr(pointer) => return Some(pointer.elem.to_token_stream()),
            Type::Path(path) => path.path.segments.last()?,
            _ => return None,
        };
        if path.ident == "Counter" {
            return Some(quote!(u32));
        }
        if path.ident != "GlobalRef" && path.ident != "GlobalMut" {
            return None;
        }
        let PathArguments::AngleBracketed(arguments) = &path.arguments else {
            return None;
        };
        match arguments.args.first()? {
            // The host has tensor maps without the type of their tiles.
            GenericArgument::Type(Type::Path(of)) if is_named(of, "TileMap") => {
                Some(quote!(::tma::TensorMap))
            }
            GenericArgument::Type(of) => Some(of.to_token_stream()),
            _ => None,
        }
    }
}

fn is_named(path: &TypePath, name: &str) -> bool {
    path.path
        .segments
        .last()
        .is_some_and(|last| last.ident == name)
}

/// Reads the parameters and takes `#[grid_constant]` off them.
pub(super) fn parameters(function: &mut ItemFn) -> syn::Result<Vec<Parameter>> {
    let mut parameters = Vec::new();
    for input in &mut function.sig.inputs {
        let FnArg::Typed(input) = input else {
            return Err(syn::Error::new(
                input.span(),
                "a kernel must not take `self`",
            ));
        };
        let Pat::Ident(name) = &*input.pat else {
            return Err(syn::Error::new(input.pat.span(), "expected a name"));
        };
        let name = name.ident.clone();
        let is_marker = |attribute: &Attribute| attribute.path().is_ident("grid_constant");
        let grid_constant = input.attrs.iter().any(is_marker);
        input.attrs.retain(|attribute| !is_marker(attribute));
        let is_reference = matches!(*input.ty, Type::Reference(_));
        if grid_constant && !is_reference {
            return Err(syn::Error::new(
                input.ty.span(),
                "a grid constant must be `&TensorMap` or `&TileMap<…>`",
            ));
        }
        if is_reference && !grid_constant {
            return Err(syn::Error::new(
                input.ty.span(),
                "a kernel cannot take a reference: pass a raw pointer, or mark a tensor map with \
                 `#[grid_constant]`",
            ));
        }
        if matches!(*input.ty, Type::Array(_)) {
            return Err(syn::Error::new(
                input.ty.span(),
                "a kernel must not take an array by value; put it into a struct with `#[derive(KernelArg)]`",
            ));
        }
        parameters.push(Parameter {
            name,
            ty: (*input.ty).clone(),
            grid_constant,
        });
    }
    Ok(parameters)
}
