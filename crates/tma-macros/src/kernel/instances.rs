use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    GenericParam, Generics, Ident, Lit, Path, Token,
    parse::{Parse, ParseStream},
    spanned::Spanned,
};

/// `(NAME = 1, 2, 4; OTHER = true, false; T = f32, u32)`
pub(super) struct Instances(Vec<Choice>);

/// The values or types of one generic parameter.
pub(super) struct Choice {
    pub(super) parameter: Ident,
    pub(super) values: Vec<Value>,
}

/// A value of a constant, or a type.
#[derive(Clone)]
pub(super) enum Value {
    Literal(Lit),
    /// A type, or a constant with a name in upper case.
    Path(Path),
}

impl Value {
    /// The spelling in the name of an entry.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Literal(Lit::Int(number)) => number.base10_digits().to_owned(),
            Self::Literal(other) => other.to_token_stream().to_string(),
            Self::Path(_) => self.last_segment().to_lowercase(),
        }
    }

    /// A name in capitals may also name a type.
    fn may_be(&self, is_type: bool) -> bool {
        match self {
            Self::Literal(_) => !is_type,
            Self::Path(_) => is_type || self.last_segment() == self.last_segment().to_uppercase(),
        }
    }

    fn last_segment(&self) -> String {
        let last = match self {
            Self::Literal(_) => None,
            Self::Path(path) => path.segments.last(),
        };
        last.map_or_else(String::new, |last| last.ident.to_string())
    }
}

impl Parse for Value {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(Lit) {
            return Ok(Self::Path(input.parse()?));
        }
        let literal: Lit = input.parse()?;
        match literal {
            Lit::Int(_) | Lit::Bool(_) => Ok(Self::Literal(literal)),
            other => Err(syn::Error::new(
                other.span(),
                "expected an integer, a bool, a constant or a type",
            )),
        }
    }
}

impl ToTokens for Value {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Literal(literal) => literal.to_tokens(tokens),
            Self::Path(path) => path.to_tokens(tokens),
        }
    }
}

impl Parse for Choice {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let parameter: Ident = input.parse()?;
        input.parse::<Token![=]>()?;
        let mut values: Vec<Value> = Vec::new();
        while !input.is_empty() && !input.peek(Token![;]) {
            let value: Value = input.parse()?;
            let name = value.name();
            if values.iter().any(|earlier| earlier.name() == name) {
                return Err(syn::Error::new(
                    value.span(),
                    format!("{name} is given twice"),
                ));
            }
            values.push(value);
            if !input.is_empty() && !input.peek(Token![;]) {
                input.parse::<Token![,]>()?;
            }
        }
        if values.is_empty() {
            return Err(syn::Error::new(
                parameter.span(),
                "expected at least one value",
            ));
        }
        Ok(Self { parameter, values })
    }
}

impl Parse for Instances {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        syn::parenthesized!(content in input);
        let choices = content.parse_terminated(Choice::parse, Token![;])?;
        Ok(Self(choices.into_iter().collect()))
    }
}

impl Instances {
    /// Refuses anything but values for each generic parameter, in their order.
    pub(super) fn check(&self, generics: &Generics) -> syn::Result<()> {
        let given = self.0.iter().map(Some).chain(std::iter::repeat(None));
        for (parameter, choice) in generics.params.iter().zip(given) {
            let (name, is_type) = match parameter {
                GenericParam::Const(constant) => (&constant.ident, false),
                GenericParam::Type(ty) => (&ty.ident, true),
                GenericParam::Lifetime(lifetime) => {
                    return Err(syn::Error::new(
                        lifetime.span(),
                        "a kernel must not be generic over lifetimes, since each entry takes plain values",
                    ));
                }
            };
            let Some(choice) = choice else {
                return Err(syn::Error::new(
                    name.span(),
                    format!("`instances` has no values of `{name}`"),
                ));
            };
            if choice.parameter != *name {
                return Err(syn::Error::new(
                    choice.parameter.span(),
                    format!(
                        "expected `{name}`: values are given for each generic parameter, in their order"
                    ),
                ));
            }
            let of_wrong_kind = |value: &&Value| !value.may_be(is_type);
            if let Some(value) = choice.values.iter().find(of_wrong_kind) {
                let expected = if is_type {
                    "a type"
                } else {
                    "a literal or a constant"
                };
                return Err(syn::Error::new(
                    value.span(),
                    format!("expected {expected}"),
                ));
            }
        }
        match self.0.get(generics.params.len()) {
            Some(more) => Err(syn::Error::new(
                more.parameter.span(),
                format!("the kernel has no generic parameter `{}`", more.parameter),
            )),
            None => Ok(()),
        }
    }

    /// Returns the choices of each generic parameter.
    pub(super) fn choices(&self) -> &[Choice] {
        &self.0
    }

    /// Returns every combination.
    pub(super) fn all(&self) -> Vec<Vec<Value>> {
        self.0.iter().fold(vec![Vec::new()], |all, choice| {
            let with = |earlier: &Vec<Value>| {
                let earlier = earlier.clone();
                choice.values.iter().map(move |value| {
                    let mut values = earlier.clone();
                    values.push(value.clone());
                    values
                })
            };
            all.iter().flat_map(with).collect()
        })
    }
}

/// Binds the generic parameters to these values, for the code in the same block.
pub(super) fn bind(generics: &Generics, values: &[Value]) -> TokenStream {
    let bind = |(parameter, value): (&GenericParam, &Value)| match parameter {
        GenericParam::Const(constant) => {
            let (name, ty) = (&constant.ident, &constant.ty);
            quote!(#[allow(dead_code)] const #name: #ty = #value;)
        }
        GenericParam::Type(ty) => {
            let name = &ty.ident;
            quote!(#[allow(dead_code)] type #name = #value;)
        }
        GenericParam::Lifetime(_) => TokenStream::new(),
    };
    generics.params.iter().zip(values).map(bind).collect()
}
