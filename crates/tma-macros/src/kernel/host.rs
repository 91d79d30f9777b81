use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Ident, Type, ext::IdentExt, spanned::Spanned};

use crate::function::Function;

use super::{generic::Generic, instances::Instances, options::Options, parameter::Parameter};

/// Returns the kernel's form on the host: a function of its name that makes a call of it, and its body,
/// which is checked and never called.
pub(super) fn function(
    function: &Function,
    parameters: &[Parameter],
    options: &Options,
) -> TokenStream {
    let call = call(function, parameters, options);
    let Function {
        attributes,
        signature,
        body,
        ..
    } = function;
    let of_body = attributes
        .iter()
        .filter(|attribute| !is_documentation(attribute));
    quote! {
        #call

        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            #(#of_body)*
            #[allow(dead_code)]
            #[inline(always)]
            #signature #body
        };
    }
}

fn call(function: &Function, parameters: &[Parameter], options: &Options) -> TokenStream {
    let Function {
        attributes,
        visibility,
        signature,
        ..
    } = function;
    let (name, export) = (&signature.name, signature.name.to_string());

    let choices = options
        .instances
        .as_ref()
        .map_or(&[][..], Instances::choices);
    let generics = signature.generics.params.iter().zip(choices);
    let generics =
        generics.map(|(parameter, choice)| Generic::new(name, visibility, parameter, choice));
    let generics: Vec<Generic> = generics.collect();
    let before = generics.iter().map(|generic| &generic.before);
    let types: Vec<&Ident> = generics
        .iter()
        .filter_map(|generic| generic.ty.as_ref())
        .collect();
    let constants = generics.iter().map(|generic| &generic.parameter);
    let choose = generics.iter().map(|generic| &generic.choose);
    let own_bounds = signature
        .generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates);
    let bounds = generics.iter().map(|generic| &generic.bound);
    let by_value = parameters.iter().filter(|parameter| {
        parameter.is_by_value() && types.iter().any(|ty| mentions(&parameter.ty, ty))
    });
    let by_value = by_value.map(|parameter| &parameter.ty);

    let borrows = !parameters.iter().all(Parameter::is_by_value);
    let lifetime = if borrows { quote!('a) } else { quote!('static) };
    let borrowed = borrows.then(|| quote!('a,));
    let names = parameters.iter().map(|parameter| &parameter.name);
    let taken = parameters.iter().map(taken);
    let arguments = parameters.iter().map(argument);
    let shared_bytes = options.shared_bytes.as_ref().map(shared_bytes);
    let bindings = generics.iter().map(|generic| &generic.binding);
    let bindings = shared_bytes.is_some().then(|| quote!(#(#bindings)*));
    quote! {
        #(#before)*

        #(#attributes)*
        #[cfg(not(target_arch = "nvptx64"))]
        #[allow(dead_code, clippy::too_many_arguments)]
        #visibility fn #name<#borrowed #(#types),*>(
            #(#constants)*
            #(#names: #taken),*
        ) -> ::tma::__private::launch::Call<#lifetime>
        where
            #(#bounds)*
            #(#by_value: ::tma::KernelArg,)*
            #(#own_bounds,)*
        {
            #bindings
            ::tma::__private::launch::Call::new(#export)
                #(#choose)*
                #(#arguments)*
                #shared_bytes
        }
    }
}

/// Returns the call of a method of `Call` that sets the shared memory of a block.
fn shared_bytes(bytes: &TokenStream) -> TokenStream {
    let mut tokens = bytes.clone().into_iter().peekable();
    let is_move = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "move");
    tokens.next_if(is_move);
    match tokens.peek() {
        Some(TokenTree::Punct(bar)) if bar.as_char() == '|' => {
            quote!(.shared_bytes_of_block(move #(#tokens)*))
        }
        _ => quote!(.shared_bytes(#bytes)),
    }
}

/// Returns the type of a parameter on the host.
fn taken(parameter: &Parameter) -> TokenStream {
    if parameter.grid_constant {
        return quote!(impl ::tma::__private::launch::MapArgument + 'a);
    }
    match parameter.pointee() {
        Some(of) => quote!(impl ::tma::__private::launch::Pointer<#of> + 'a),
        None => parameter.ty.to_token_stream(),
    }
}

/// Returns the call of a method of `Call` that passes it.
fn argument(parameter: &Parameter) -> TokenStream {
    let Parameter { name, ty, .. } = parameter;
    let named = name.unraw().to_string();
    if parameter.grid_constant {
        return quote! {
            .grid_constant(
                #named,
                ::tma::__private::launch::MapArgument::map(&#name),
                <#ty as ::tma::GridConstantArg>::TILE,
            )
        };
    }
    let argument = match parameter.pointee() {
        Some(of) => quote!(::tma::__private::launch::Pointer::<#of>::pointer(&#name)),
        None => quote_spanned!(ty.span()=> <#ty as ::tma::KernelArg>::to_argument(&#name)),
    };
    quote!(.argument(#named, #argument))
}

fn mentions(ty: &Type, parameter: &Ident) -> bool {
    fn any(tokens: TokenStream, parameter: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == *parameter,
            TokenTree::Group(group) => any(group.stream(), parameter),
            _ => false,
        })
    }
    any(ty.to_token_stream(), parameter)
}

fn is_documentation(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}
