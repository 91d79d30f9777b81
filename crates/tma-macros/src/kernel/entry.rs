use std::path::Path;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use crate::function::Signature;

use super::{
    instances::{self, Value},
    options::Options,
    parameter::Parameter,
};

/// Returns the PTX entry that calls `function` with these values of its generic parameters.
pub(super) fn entry(
    function: &Signature,
    values: &[Value],
    parameters: &[Parameter],
    options: &Options,
) -> TokenStream {
    let bound = instances::bind(&function.generics, values);
    let function = &function.name;
    let symbol = &values.iter().fold(function.clone(), |symbol, value| {
        format_ident!("{symbol}_{}", value.name())
    });
    let instance = (!values.is_empty()).then(|| quote!(::<#(#values),*>));
    let names: Vec<Ident> = (0..parameters.len())
        .map(|index| format_ident!("p{index}"))
        .collect();
    let types = parameters.iter().map(|parameter| {
        if parameter.grid_constant {
            quote!(::tma::__private::GridConstant)
        } else {
            let ty = &parameter.ty;
            quote!(#ty)
        }
    });
    let arguments = parameters
        .iter()
        .zip(&names)
        .enumerate()
        .map(|(index, (parameter, name))| {
            if parameter.grid_constant {
                parameter_address(symbol, index)
            } else {
                quote!(#name)
            }
        });
    let checks = parameters.iter().map(|parameter| {
        let ty = &parameter.ty;
        if parameter.grid_constant {
            quote!(const _: () = ::tma::__private::assert_grid_constant::<#ty>();)
        } else {
            // A value of a wrong type is refused on the host by the function that takes it.
            let on_device = parameter.is_by_value();
            let on_device = on_device.then(|| quote!(#[cfg(target_arch = "nvptx64")]));
            quote!(#on_device const _: () = ::tma::__private::assert_kernel_arg::<#ty>();)
        }
    });
    let export = symbol.to_string();
    let is_wanted = is_wanted(function, symbol);
    let marker = Literal::string(&format!(
        ".pragma \"{}\";",
        marker(symbol, parameters, options)
    ));
    quote! {
        const _: () = {
            #bound
            #(#checks)*

            #[cfg(target_arch = "nvptx64")]
            ::tma::__private::entry! {
                #is_wanted
                #[unsafe(export_name = #export)]
                unsafe extern "ptx-kernel" fn entry(#(#names: #types),*) {
                    // SAFETY: whoever launches the kernel fulfils its numbered conditions.
                    unsafe { #function #instance (#(#arguments),*) }
                }
            }
        };

        #[cfg(target_arch = "nvptx64")]
        #is_wanted
        ::tma::__private::global_asm!(#marker);
    }
}

/// The condition under which an entry is compiled: no name was given, or the name of this entry, its function, its file or
/// the file's folder.
fn is_wanted(function: &Ident, symbol: &Ident) -> TokenStream {
    let entry = symbol.to_string();
    let name = function.to_string();
    // Only where the compiler calls.
    let file = proc_macro::is_available().then(|| function.span().unwrap().file());
    let file = file.as_deref().map(Path::new);
    let folder = file.and_then(Path::parent).and_then(Path::file_name);
    let stem = file.and_then(Path::file_stem);
    let names = [stem, folder].into_iter().flatten();
    let names = names.map(|name| name.display().to_string());
    let names: Vec<String> = [entry, name].into_iter().chain(names).collect();
    quote!(#[cfg(any(not(tma_only), #(tma_only = #names),*))])
}

/// Returns the generic address of a parameter, taken by the parameter's PTX name.
///
/// Taking its Rust address instead would copy it to local memory, where tensor copies cannot read
/// it.
fn parameter_address(symbol: &Ident, index: usize) -> TokenStream {
    let template = format!("cvta.param.u64 {{address}}, {symbol}_param_{index};");
    quote!({
        let address: *const ::tma::TensorMap;
        ::tma::__private::asm!(
            #template,
            address = out(reg64) address,
            options(pure, nomem, nostack, preserves_flags),
        );
        &*address.cast()
    })
}

/// Returns the pragma that the finishing step reads: `tma kernel NAME key=value …`.
fn marker(symbol: &Ident, parameters: &[Parameter], options: &Options) -> String {
    let mut marker = format!("tma kernel {symbol}");
    let triple = |[x, y, z]: [u32; 3]| format!("{x},{y},{z}");
    if let Some(extent) = options.max_threads {
        marker += &format!(" maxntid={}", triple(extent));
    }
    if let Some(blocks) = options.min_blocks {
        marker += &format!(" minnctapersm={blocks}");
    }
    if let Some(extent) = options.cluster {
        marker += &format!(" reqnctapercluster={}", triple(extent));
    }
    let grid_constants: Vec<String> = parameters
        .iter()
        .enumerate()
        .filter(|(_, parameter)| parameter.grid_constant)
        .map(|(index, _)| index.to_string())
        .collect();
    if !grid_constants.is_empty() {
        marker += &format!(" grid_constants={}", grid_constants.join(","));
    }
    if options.local_memory {
        marker += " local_memory";
    }
    if !options.allowed.is_empty() {
        let allowed: Vec<String> = options.allowed.iter().map(ToString::to_string).collect();
        marker += &format!(" allow={}", allowed.join(","));
    }
    marker
}
