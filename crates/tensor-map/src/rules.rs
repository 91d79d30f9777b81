//! The rules of parameters, and warnings about parameters that the driver accepts.
//!
//! Each requirement is one [`Rule`]. Rules that the driver does not enforce on the GPU in question,
//! though the reference has them, are warnings. The checks of the driver were compared on an
//! H100 (driver 580.159) with millions of random parameters; for compute capability 10.0 and later
//! the rules follow the reference.

mod im2col;
mod rule;
mod tensor;
mod tiled;
mod violation;
mod violations;
mod warnings;

pub use rule::Rule;
pub use violation::{Parameter, Value, Violation};
pub use violations::{ViolationIter, Violations};

use crate::{Params, Target, TensorMap, layout};

/// Keeps one violation: the one after `skip` others.
pub(crate) struct Sink {
    skip: usize,
    found: Option<Violation>,
    any: bool,
}

impl Sink {
    const fn new(skip: usize) -> Self {
        Self {
            skip,
            found: None,
            any: false,
        }
    }

    const fn report(&mut self, violation: Violation) {
        self.any = true;
        if self.found.is_some() {
            return;
        }
        match self.skip.checked_sub(1) {
            Some(skip) => self.skip = skip,
            None => self.found = Some(violation),
        }
    }

    const fn is_full(&self) -> bool {
        self.found.is_some()
    }
}

/// Returns the broken rule after `skip` others.
pub(crate) const fn violation(
    params: &Params,
    address: u64,
    target: Target,
    skip: usize,
) -> Option<Violation> {
    let sink = &mut Sink::new(skip);
    match params {
        Params::Tiled(tiled) => tiled::check(sink, tiled, address, target),
        Params::Im2col(im2col) => im2col::check(sink, im2col, address, target),
        Params::Im2colWide(wide) => im2col::check_wide(sink, wide, address, target),
    }
    sink.found
}

/// Returns the warning after `skip` others.
pub(crate) const fn warning(
    params: &Params,
    address: u64,
    target: Target,
    skip: usize,
) -> Option<Violation> {
    let sink = &mut Sink::new(skip);
    warnings::check(sink, params, address, target);
    sink.found
}

impl TensorMap {
    /// Replaces the address, for a tensor like the first.
    ///
    /// Drivers require a multiple of 16 for any map, so for 32-byte slices this may accept
    /// addresses that encoding refuses. Source: CUDA driver API, `cuTensorMapReplaceAddress`.
    ///
    /// ```
    /// use tensor_map::{DataType, TensorMap};
    ///
    /// let mut map = TensorMap::tiled(DataType::F32, &[64]).box_dims(&[4]).build(0x1000).unwrap();
    /// map.replace_address(0x2000).unwrap();
    /// assert_eq!(map.decode().unwrap().address, 0x2000);
    /// let error = map.replace_address(0x2008).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "address = 0x2008: must be a multiple of 16; use 0x2000 [address-multiple]",
    /// );
    /// ```
    ///
    /// # Errors
    /// The rule that the address breaks. The map is as before.
    #[doc(alias = "cuTensorMapReplaceAddress")]
    pub const fn replace_address(&mut self, address: u64) -> Result<(), Violation> {
        if address == 0 {
            return Err(Violation::new(
                Rule::AddressNull,
                Parameter::Address,
                Value::Address(address),
            ));
        }
        let sink = &mut Sink::new(0);
        tensor::address(sink, address, 16);
        match sink.found {
            Some(violation) => Err(violation),
            None => {
                layout::GLOBAL_ADDRESS.set(self.words_mut(), address);
                Ok(())
            }
        }
    }
}
