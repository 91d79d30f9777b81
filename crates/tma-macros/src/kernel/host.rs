use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, Expr, GenericParam, Ident, ItemFn, Type, Visibility, spanned::Spanned};

use super::{
    instances::{Choice, Instances},
    options::Options,
    parameter::Parameter,
};

/// What the kernel is on the host: a function of its name that makes a call of it, and its body, which
/// is checked and never called.
pub(super) fn function(
    function: &ItemFn,
    parameters: &[Parameter],
    options: &Options,
) -> TokenStream {
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
    } = function;
    let choices = options
        .instances
        .as_ref()
        .map_or(&[][..], Instances::choices);
    let name = &sig.ident;
    let types: Vec<TypeParameter<'_>> = sig
        .generics
        .params
        .iter()
        .zip(choices)
        .filter_map(|(parameter, choice)| match parameter {
            GenericParam::Type(ty) => Some(TypeParameter {
                ty,
                choice,
                module: format_ident!("__{name}_{}", ty.ident),
            }),
            _ => None,
        })
        .collect();
    let traits = types.iter().map(|ty| ty.instances(name, vis));
    let type_names = types.iter().map(|ty| &ty.ty.ident);
    let bounds = types.iter().map(TypeParameter::bound);
    let constants = sig
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Const(constant) => Some(Constant {
                name: &constant.ident,
                ty: &constant.ty,
            }),
            _ => None,
        });
    let constants: Vec<Constant<'_>> = constants.collect();
    let chosen_at_run_time = constants.iter().map(Constant::parameter);
    let bound = options.shared_bytes.as_ref().map(|_| {
        constants
            .iter()
            .map(Constant::bind)
            .collect::<TokenStream>()
    });
    let choose =
        sig.generics
            .params
            .iter()
            .zip(choices)
            .map(|(parameter, choice)| match parameter {
                GenericParam::Type(ty) => {
                    let module = format_ident!("__{name}_{}", ty.ident);
                    let ty = &ty.ident;
                    quote!(.instance_of(<#ty as #module::Instance>::NAME))
                }
                _ => {
                    let (constant, values) = (lower(&choice.parameter), &choice.values);
                    let name = constant.to_string();
                    quote!(.instance(#name, #constant, &[#(#values),*]))
                }
            });
    let shared_bytes = options.shared_bytes.as_ref().map(|bytes| match bytes {
        Expr::Closure(closure) => {
            let mut closure = closure.clone();
            closure.capture = Some(Default::default());
            quote!(.shared_bytes_of_block(#closure))
        }
        bytes => quote!(.shared_bytes(#bytes)),
    });

    let borrows = parameters
        .iter()
        .any(|parameter| parameter.grid_constant || parameter.is_pointer());
    let lifetime = if borrows { quote!('a) } else { quote!('static) };
    let borrowed = borrows.then(|| quote!('a,));
    let by_value = parameters
        .iter()
        .filter(|parameter| !parameter.grid_constant && !parameter.is_pointer())
        .filter(|parameter| types.iter().any(|ty| mentions(&parameter.ty, &ty.ty.ident)))
        .map(|parameter| {
            let ty = &parameter.ty;
            quote!(#ty: ::tma::KernelArg,)
        });
    let kept = sig
        .generics
        .where_clause
        .as_ref()
        .map(|clause| &clause.predicates);
    let kept = kept
        .into_iter()
        .flatten()
        .map(|predicate| quote!(#predicate,));
    let names = parameters.iter().map(|parameter| &parameter.name);
    let taken = parameters.iter().map(taken);
    let arguments = parameters.iter().map(argument);
    let export = name.to_string();
    let of_body = attrs
        .iter()
        .filter(|attribute| !is_documentation(attribute));
    quote! {
        #(#traits)*

        #(#attrs)*
        #[cfg(not(target_arch = "nvptx64"))]
        #[allow(clippy::too_many_arguments, reason = "the kernel has as many")]
        #vis fn #name<#borrowed #(#type_names),*>(
            #(#chosen_at_run_time,)*
            #(#names: #taken),*
        ) -> ::tma::__private::launch::Call<#lifetime>
        where
            #(#bounds,)*
            #(#by_value)*
            #(#kept)*
        {
            #bound
            ::tma::__private::launch::Call::new(#export)
                #(#choose)*
                #(.argument(#arguments))*
                #shared_bytes
        }

        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            #(#of_body)*
            #[allow(dead_code)]
            #[inline(always)]
            #sig #block
        };
    }
}

/// A type parameter of the kernel.
struct TypeParameter<'a> {
    ty: &'a syn::TypeParam,
    choice: &'a Choice,
    /// Of the trait that its instances implement.
    module: Ident,
}

impl TypeParameter<'_> {
    fn instances(&self, kernel: &Ident, visibility: &Visibility) -> TokenStream {
        let Self { choice, module, .. } = self;
        let all = &choice.values;
        let names: Vec<String> = all.iter().map(super::instances::Value::name).collect();
        let message = format!("`{kernel}` has no instance for `{{Self}}`");
        let label = format!("there are instances for {}", names.join(", "));
        quote! {
            #[doc(hidden)]
            #[cfg(not(target_arch = "nvptx64"))]
            #[allow(non_snake_case, unreachable_pub)]
            #visibility mod #module {
                #[diagnostic::on_unimplemented(message = #message, label = #label)]
                pub trait Instance {
                    const NAME: &'static str;
                }
            }
            #(
                #[cfg(not(target_arch = "nvptx64"))]
                impl #module::Instance for #all {
                    const NAME: &'static str = #names;
                }
            )*
        }
    }

    fn bound(&self) -> TokenStream {
        let Self { ty, module, .. } = self;
        let (name, bounds) = (&ty.ident, &ty.bounds);
        let bounds = (!bounds.is_empty()).then(|| quote!(#bounds +));
        quote!(#name: #bounds #module::Instance)
    }
}

/// A constant of the kernel, which the host chooses at run time.
struct Constant<'a> {
    name: &'a Ident,
    ty: &'a Type,
}

impl Constant<'_> {
    fn parameter(&self) -> TokenStream {
        let (name, ty) = (lower(self.name), self.ty);
        quote!(#name: #ty)
    }

    /// So that an expression calls it as the kernel does.
    fn bind(&self) -> TokenStream {
        let (name, value) = (self.name, lower(self.name));
        quote! {
            #[allow(non_snake_case, unused_variables)]
            let #name = #value;
        }
    }
}

fn lower(constant: &Ident) -> Ident {
    Ident::new(&constant.to_string().to_lowercase(), constant.span())
}

/// The type of a parameter on the host.
fn taken(parameter: &Parameter) -> TokenStream {
    match &parameter.ty {
        _ if parameter.grid_constant => quote!(impl ::tma::__private::launch::MapArgument + 'a),
        Type::Ptr(pointer) => {
            let of = &pointer.elem;
            quote!(impl ::tma::__private::launch::Pointer<#of> + 'a)
        }
        ty => quote!(#ty),
    }
}

/// The argument that it becomes.
fn argument(parameter: &Parameter) -> TokenStream {
    let Parameter { name, ty, .. } = parameter;
    match ty {
        _ if parameter.grid_constant => {
            quote!(::tma::__private::launch::MapArgument::map(&#name))
        }
        Type::Ptr(pointer) => {
            let of = &pointer.elem;
            quote!(::tma::__private::launch::Pointer::<#of>::pointer(&#name))
        }
        ty => quote_spanned!(ty.span()=> <#ty as ::tma::KernelArg>::argument(&#name)),
    }
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
