use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, GenericArgument, Ident, PathArguments, Type, TypePath, spanned::Spanned};

use crate::function::Function;

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
pub(super) fn parameters(function: &mut Function) -> syn::Result<Vec<Parameter>> {
    let mut parameters = Vec::new();
    for input in &mut function.signature.inputs {
        let is_self = |token| matches!(token, TokenTree::Ident(word) if word == "self");
        if input.pattern.clone().into_iter().any(is_self) {
            return Err(syn::Error::new(
                input.pattern.span(),
                "a kernel must not take `self`",
            ));
        }
        let (Some(name), Some(ty)) = (input.name(), &input.ty) else {
            return Err(syn::Error::new(
                input.pattern.span(),
                "expected a name and a type",
            ));
        };
        let is_marker = |attribute: &Attribute| attribute.path().is_ident("grid_constant");
        let grid_constant = input.attributes.iter().any(is_marker);
        input.attributes.retain(|attribute| !is_marker(attribute));
        let is_reference = matches!(*ty, Type::Reference(_));
        if grid_constant && !is_reference {
            return Err(syn::Error::new(
                ty.span(),
                "a grid constant must be `&TensorMap` or `&TileMap<…>`",
            ));
        }
        if is_reference && !grid_constant {
            return Err(syn::Error::new(
                ty.span(),
                "a kernel cannot take a reference: pass a raw pointer, or mark a tensor map with \
                 `#[grid_constant]`",
            ));
        }
        if matches!(*ty, Type::Array(_)) {
            return Err(syn::Error::new(
                ty.span(),
                "a kernel must not take an array by value; put it into a struct with `#[derive(KernelArg)]`",
            ));
        }
        parameters.push(Parameter {
            name,
            ty: ty.clone(),
            grid_constant,
        });
    }
    Ok(parameters)
}
