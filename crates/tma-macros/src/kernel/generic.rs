use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{ConstParam, GenericParam, Ident, TypeParam, Visibility};

use super::instances::{Choice, Value};

/// The form of a kernel's generic parameter in the function for the host.
#[derive(Default)]
pub(super) struct Generic {
    /// The name, for a type.
    pub(super) ty: Option<Ident>,
    /// The tokens before the function.
    pub(super) before: TokenStream,
    /// A parameter of the function.
    pub(super) parameter: TokenStream,
    /// A bound of the function.
    pub(super) bound: TokenStream,
    /// The statement that binds the value to its name in the kernel.
    pub(super) binding: TokenStream,
    /// A call of a method of `Call` that chooses the instance.
    pub(super) choose: TokenStream,
}

impl Generic {
    pub(super) fn new(
        kernel: &Ident,
        visibility: &Visibility,
        parameter: &GenericParam,
        choice: &Choice,
    ) -> Self {
        match parameter {
            GenericParam::Const(parameter) => constant(parameter, choice),
            GenericParam::Type(parameter) => of_type(kernel, visibility, parameter, choice),
            GenericParam::Lifetime(_) => Self::default(),
        }
    }
}

/// The host chooses a constant at run time.
fn constant(parameter: &ConstParam, choice: &Choice) -> Generic {
    let (name, ty, values) = (&parameter.ident, &parameter.ty, &choice.values);
    let names = values.iter().map(Value::name);
    let small = Ident::new(&name.to_string().to_lowercase(), name.span());
    let text = small.to_string();
    Generic {
        parameter: quote!(#small: #ty,),
        binding: quote! {
            #[allow(non_snake_case, unused_variables)]
            let #name = #small;
        },
        choose: quote!(.instance(#text, #small, &[#((#values, #names)),*])),
        ..Generic::default()
    }
}

/// The types that there are implement a trait of the kernel's own.
fn of_type(
    kernel: &Ident,
    visibility: &Visibility,
    parameter: &TypeParam,
    choice: &Choice,
) -> Generic {
    let (name, bounds, all) = (&parameter.ident, &parameter.bounds, &choice.values);
    let module = format_ident!("__{kernel}_{name}");
    let names: Vec<String> = all.iter().map(Value::name).collect();
    let message = format!("`{kernel}` has no instance for `{{Self}}`");
    let label = format!("there are instances for {}", names.join(", "));
    let bounds = (!bounds.is_empty()).then(|| quote!(#bounds +));
    Generic {
        ty: Some(name.clone()),
        before: quote! {
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
        },
        bound: quote!(#name: #bounds #module::Instance,),
        choose: quote!(.instance_of(<#name as #module::Instance>::NAME)),
        ..Generic::default()
    }
}
