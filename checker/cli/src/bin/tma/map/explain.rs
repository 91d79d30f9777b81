use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tensor_map::{
    AllocationClass, DataType, Decoded, Difference, Interleave, L2Promotion, MatrixDescriptor,
    OobFill, Params, TensorMap, Violation,
};

use super::{
    check::violation_to_json,
    diff::{difference_to_json, line},
    parameters::{Given, Parameters, hex, to_json},
};

/// Shows the fields of a tensor map, from parameters or from its 128 bytes
///
/// Fails if parameters break rules. The bytes of a map are explained whatever their contents.
#[derive(Args)]
pub(crate) struct Explain {
    /// Map as 256 hexadecimal digits, or a file with these digits or the 128 bytes; or a matrix descriptor of
    /// `wgmma` as 16 digits
    map: Option<String>,
    #[command(flatten)]
    parameters: Parameters,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        if let Some(bits) = self.map.as_deref().and_then(descriptor_bits) {
            return descriptor(out, MatrixDescriptor::decode(bits), self.json);
        }
        let given = self.parameters.or_bytes(self.map.as_deref())?;
        let (params, address) = (&given.params, given.address);
        let built = params.build_for(address, given.target);
        let broken: Vec<Violation> = match &built {
            Ok(_) => Vec::new(),
            Err(refused) => refused.violations().collect(),
        };
        let warnings: Vec<Violation> = params.warnings(address, given.target).collect();
        let found = Found {
            given: &given,
            built: built.ok(),
            broken: &broken,
            warnings: &warnings,
        };
        if self.json {
            writeln!(out, "{:#}", found.to_json())?;
        } else {
            found.print(out)?;
        }
        match broken.len() {
            0 => Ok(()),
            _ if given.map.is_some() => Ok(()),
            1 => bail!("1 rule is broken"),
            count => bail!("{count} rules are broken"),
        }
    }
}

/// Parses a matrix descriptor: 16 hexadecimal digits with or without a leading `0x`.
fn descriptor_bits(text: &str) -> Option<u64> {
    let digits = text.trim_start_matches("0x").trim_start_matches("0X");
    let is_one = digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| u64::from_str_radix(digits, 16).ok())?
}

/// Prints the fields of a matrix descriptor.
fn descriptor(out: &mut impl Write, descriptor: MatrixDescriptor, is_json: bool) -> Result<()> {
    if is_json {
        let value = json!({
            "start_bytes": descriptor.start_bytes,
            "leading_bytes": descriptor.leading_bytes,
            "stride_bytes": descriptor.stride_bytes,
            "base_offset": descriptor.base_offset,
            "swizzle": descriptor.swizzle.name(),
        });
        writeln!(out, "{value:#}")?;
    } else {
        writeln!(out, "{descriptor}")?;
    }
    Ok(())
}

/// A map and the parameters found for it.
struct Found<'a> {
    given: &'a Given,
    /// The map encoded from the parameters.
    built: Option<TensorMap>,
    broken: &'a [Violation],
    warnings: &'a [Violation],
}

impl Found<'_> {
    /// Returns the given map, or the one encoded from the parameters.
    fn map(&self) -> Option<TensorMap> {
        self.given.map.map(|(map, _)| map).or(self.built)
    }

    /// Returns the differences between the given map and its parameters encoded anew.
    fn anew(&self) -> Vec<Difference> {
        match (self.given.map, self.built) {
            (Some((map, _)), Some(built)) => map.differences(&built).collect(),
            _ => Vec::new(),
        }
    }

    fn print(&self, out: &mut impl Write) -> Result<()> {
        let Given {
            params, address, ..
        } = self.given;
        writeln!(out, "{}", params.explain(*address))?;
        meanings(params).try_for_each(|meaning| writeln!(out, "                   {meaning}"))?;
        let dims = params.tensor().dims;
        let (kept, given) = (dims.as_slice().len(), dims.given());
        if given > kept {
            writeln!(
                out,
                "  rank             {given}; only {kept} of the dimensions are shown"
            )?;
        }
        if let Some((_, decoded)) = &self.given.map {
            self::decoded(out, decoded)?;
        }
        if let Some(map) = self.map() {
            writeln!(out, "  bytes            {}", hex(&map))?;
        }
        for difference in self.anew() {
            let line = line(&difference, "given", "encoded anew");
            writeln!(out, "  not as encoded   {line}")?;
        }
        for violation in self.broken {
            writeln!(out, "broken: {violation}")?;
        }
        for violation in self.warnings {
            writeln!(out, "warning: {violation}")?;
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        let violations = |all: &[Violation]| all.iter().map(violation_to_json).collect::<Vec<_>>();
        let mut value = to_json(&self.given.params, self.given.address);
        if let Some(map) = self.map() {
            value["bytes"] = json!(hex(&map));
        }
        if self.given.map.is_some() {
            let anew: Vec<Value> = self.anew().iter().map(difference_to_json).collect();
            value["encoded_anew"] = json!({
                "bytes": self.built.as_ref().map(hex),
                "differences": anew,
            });
        }
        value["broken"] = json!(violations(self.broken));
        value["warnings"] = json!(violations(self.warnings));
        value
    }
}

/// Returns a line of explanation for each of the lesser-known settings in use.
fn meanings(params: &Params) -> impl Iterator<Item = &'static str> {
    let tensor = params.tensor();
    let data_type = match tensor.data_type {
        DataType::F32Ftz => Some(
            "f32-ftz: tensor reductions flush subnormal numbers to zero; copies are unaffected",
        ),
        DataType::Tf32 => Some("tf32: loads round to the nearest TensorFloat-32, stores do not"),
        DataType::Tf32Ftz => Some("tf32-ftz: as tf32, and subnormal numbers are flushed to zero"),
        _ => None,
    };
    let strided = tensor.element_strides.iter().any(|stride| *stride > 1);
    let element_strides = match tensor.interleave {
        _ if !strided => None,
        Interleave::None => Some(
            "element strides: a copy takes every n-th element of the box; the stride of dimension 0 is ignored",
        ),
        _ => Some("element strides: a copy takes every n-th element of the box"),
    };
    let interleave = (tensor.interleave != Interleave::None).then_some(
        "interleave: a step of dimension 0 is a slice of channels, and a copy takes one such slice deep",
    );
    let l2_promotion = (tensor.l2_promotion != L2Promotion::None)
        .then_some("L2 promotion: L2 fetch granularity in bytes, a performance hint only");
    let fill = (tensor.oob_fill == OobFill::NanRequestZeroFma)
        .then_some("fill: the 16-bit word 0x7FF7 repeated, a NaN: 0x7FF77FF7 as an f32");
    [data_type, element_strides, interleave, l2_promotion, fill]
        .into_iter()
        .flatten()
}

/// Prints the fields of the bytes that are not parameters.
fn decoded(out: &mut impl Write, decoded: &Decoded) -> Result<()> {
    let Decoded {
        box_bytes,
        box_align_bytes,
        is_large,
        ..
    } = decoded;
    writeln!(
        out,
        "  in the map       box of {box_bytes} bytes, aligned to {box_align_bytes}, by the driver's count"
    )?;
    if *is_large {
        writeln!(
            out,
            "                   marked as a tensor of 128 KiB or more: allocation class {}",
            AllocationClass::Large
        )?;
    }
    Ok(())
}
