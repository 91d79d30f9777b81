use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, Expr, ExprLit, FnArg, GenericParam, Ident, ItemFn, Lit, LitInt, Pat, Token, Type,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
};

/// The options between the parentheses of `#[kernel(…)]`.
#[derive(Default)]
struct Options {
    max_threads: Option<[u32; 3]>,
    min_blocks: Option<u32>,
    cluster: Option<[u32; 3]>,
    local_memory: bool,
    instances: Option<Instances>,
}

/// `instances(NAME = 1, 2, 4)`
struct Instances {
    constant: Ident,
    values: Punctuated<LitInt, Token![,]>,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = Self::default();
        let mut seen: Vec<Ident> = Vec::new();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            if seen.contains(&name) {
                return Err(syn::Error::new(
                    name.span(),
                    format!("`{name}` is given twice"),
                ));
            }
            seen.push(name.clone());
            match name.to_string().as_str() {
                "max_threads" => {
                    options.max_threads =
                        Some(extent(input, 1024, "a block has at most 1024 threads")?)
                }
                "cluster" => {
                    options.cluster = Some(extent(input, 16, "a cluster has at most 16 blocks")?)
                }
                "min_blocks" => {
                    input.parse::<Token![=]>()?;
                    options.min_blocks = Some(positive(&input.parse()?)?);
                }
                "local_memory" => options.local_memory = true,
                "instances" => {
                    let content;
                    syn::parenthesized!(content in input);
                    let constant = content.parse()?;
                    content.parse::<Token![=]>()?;
                    let values: Punctuated<LitInt, Token![,]> =
                        Punctuated::parse_terminated(&content)?;
                    for (index, value) in values.iter().enumerate() {
                        let digits = value.base10_digits();
                        if values
                            .iter()
                            .take(index)
                            .any(|earlier| earlier.base10_digits() == digits)
                        {
                            return Err(syn::Error::new(
                                value.span(),
                                format!("{digits} is given twice"),
                            ));
                        }
                    }
                    options.instances = Some(Instances { constant, values });
                }
                _ => {
                    return Err(syn::Error::new(
                        name.span(),
                        format!(
                            "unknown option `{name}`; there are `max_threads`, `min_blocks`, \
                             `cluster`, `local_memory` and `instances`"
                        ),
                    ));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

/// `= 256` or `= [32, 8, 1]`, missing dimensions being 1; `most` in all.
fn extent(input: ParseStream<'_>, most: u64, rule: &str) -> syn::Result<[u32; 3]> {
    input.parse::<Token![=]>()?;
    let value: Expr = input.parse()?;
    let elements: Vec<&Expr> = match &value {
        Expr::Array(array) => array.elems.iter().collect(),
        scalar => vec![scalar],
    };
    if !(1..=3).contains(&elements.len()) {
        return Err(syn::Error::new(
            value.span(),
            "expected one to three numbers",
        ));
    }
    let mut extent = [1; 3];
    for (slot, element) in extent.iter_mut().zip(elements) {
        match element {
            Expr::Lit(ExprLit {
                lit: Lit::Int(number),
                ..
            }) => *slot = positive(number)?,
            other => return Err(syn::Error::new(other.span(), "expected a literal number")),
        }
    }
    let all = extent.iter().map(|side| u64::from(*side)).product::<u64>();
    if all > most {
        return Err(syn::Error::new(value.span(), format!("{rule}, not {all}")));
    }
    Ok(extent)
}

fn positive(number: &LitInt) -> syn::Result<u32> {
    match number.base10_parse()? {
        0 => Err(syn::Error::new(number.span(), "expected at least 1")),
        value => Ok(value),
    }
}

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let options: Options = syn::parse2(options)?;
    let mut function: ItemFn = syn::parse2(item)?;
    let parameters = parameters(&mut function)?;
    check_signature(&function, &options)?;

    let name = &function.sig.ident;
    let entries: TokenStream = match &options.instances {
        None => entry(name, name, &quote!(), &parameters, &options),
        Some(instances) => instances
            .values
            .iter()
            .map(|value| {
                let instance = format_ident!("{name}_{}", value.base10_digits());
                entry(name, &instance, &quote!(::<#value>), &parameters, &options)
            })
            .collect(),
    };
    Ok(quote! {
        #[cfg_attr(not(target_arch = "nvptx64"), allow(dead_code))]
        #[inline(always)]
        #function
        #entries
    })
}

struct Parameter {
    ty: Type,
    grid_constant: bool,
}

/// Reads the parameters and takes `#[grid_constant]` off them.
fn parameters(function: &mut ItemFn) -> syn::Result<Vec<Parameter>> {
    let mut parameters = Vec::new();
    for input in &mut function.sig.inputs {
        let FnArg::Typed(input) = input else {
            return Err(syn::Error::new(input.span(), "a kernel takes no `self`"));
        };
        if !matches!(*input.pat, Pat::Ident(_)) {
            return Err(syn::Error::new(input.pat.span(), "expected a name"));
        }
        let is_marker = |attribute: &Attribute| attribute.path().is_ident("grid_constant");
        let grid_constant = input.attrs.iter().any(is_marker);
        input.attrs.retain(|attribute| !is_marker(attribute));
        let is_reference = matches!(*input.ty, Type::Reference(_));
        if grid_constant && !is_reference {
            return Err(syn::Error::new(
                input.ty.span(),
                "a grid constant is taken as `&TensorMap`",
            ));
        }
        if is_reference && !grid_constant {
            return Err(syn::Error::new(
                input.ty.span(),
                "a kernel cannot take a reference: pass a raw pointer, or mark a tensor map with \
                 `#[grid_constant]`",
            ));
        }
        parameters.push(Parameter {
            ty: (*input.ty).clone(),
            grid_constant,
        });
    }
    Ok(parameters)
}

fn check_signature(function: &ItemFn, options: &Options) -> syn::Result<()> {
    let signature = &function.sig;
    let refuse = |span, message: &str| Err(syn::Error::new(span, message));
    if signature.unsafety.is_none() {
        return refuse(
            signature.fn_token.span(),
            "a kernel is an `unsafe fn`: its parameters come from the host unchecked",
        );
    }
    if let Some(asyncness) = &signature.asyncness {
        return refuse(asyncness.span(), "a kernel cannot be async");
    }
    if let Some(abi) = &signature.abi {
        return refuse(
            abi.span(),
            "the attribute sets the calling convention itself",
        );
    }
    if !matches!(signature.output, syn::ReturnType::Default) {
        return refuse(signature.output.span(), "a kernel returns nothing");
    }
    let constants: Vec<&Ident> = signature
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Const(constant) => Some(&constant.ident),
            _ => None,
        })
        .collect();
    match (&options.instances, signature.generics.params.len()) {
        (None, 0) => Ok(()),
        (None, _) if constants.is_empty() => refuse(
            signature.generics.span(),
            "a kernel is not generic over types or lifetimes: each entry takes plain values",
        ),
        (None, _) => refuse(
            signature.generics.span(),
            "a generic kernel names its entries: `#[kernel(instances(N = 1, 2))]`",
        ),
        (Some(instances), 1) if constants == [&instances.constant] => {
            if instances.values.is_empty() {
                return refuse(instances.constant.span(), "expected at least one value");
            }
            Ok(())
        }
        (Some(instances), _) => refuse(
            instances.constant.span(),
            &format!(
                "expected `const {}` to be the kernel's only generic parameter",
                instances.constant
            ),
        ),
    }
}

/// The PTX entry `symbol` that calls `function`.
fn entry(
    function: &Ident,
    symbol: &Ident,
    instance: &TokenStream,
    parameters: &[Parameter],
    options: &Options,
) -> TokenStream {
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
            quote!(const _: () = ::tma::__private::assert_kernel_arg::<#ty>();)
        }
    });
    let export = symbol.to_string();
    let marker = Literal::string(&format!(
        ".pragma \"{}\";",
        marker(symbol, parameters, options)
    ));
    quote! {
        const _: () = {
            #(#checks)*

            #[cfg(target_arch = "nvptx64")]
            #[unsafe(export_name = #export)]
            unsafe extern "ptx-kernel" fn entry(#(#names: #types),*) {
                // SAFETY: whoever launches the kernel keeps its conditions.
                unsafe { #function #instance (#(#arguments),*) }
            }
        };

        #[cfg(target_arch = "nvptx64")]
        ::tma::__private::global_asm!(#marker);
    }
}

/// The generic address of a parameter, taken by the parameter's PTX name.
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
        &*address
    })
}

/// What the finishing step reads: `tma kernel NAME key=value …`.
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
    marker
}
