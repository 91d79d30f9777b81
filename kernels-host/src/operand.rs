use tma_host::{Failure, Slice};
use tma_launch::{Argument, Conditions, Launch, Violation};

/// Memory that a call is given, under the name of its parameter.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    name: &'static str,
    device: u64,
    address: u64,
    len_elems: u64,
    element_bytes: u64,
}

impl Operand {
    pub(crate) fn new<T>(name: &'static str, slice: Slice<'_, T>) -> Self {
        Self {
            name,
            device: slice.device_id(),
            address: slice.address(),
            len_elems: slice.len_elems() as u64,
            element_bytes: size_of::<T>() as u64,
        }
    }

    /// Returns the argument that `of` makes of the address at this offset: it is valid on this memory's device only.
    pub(crate) fn at(
        &self,
        offset_bytes: u64,
        of: impl FnOnce(u64) -> Result<Argument, Failure>,
    ) -> Result<Argument, Failure> {
        let argument = of(self.address.wrapping_add(offset_bytes))?;
        Ok(Argument::OnDevice {
            device: self.device,
            argument: Box::new(argument),
        })
    }
}

/// The memory of a call.
#[derive(Debug, Default)]
pub(crate) struct Operands(Vec<Operand>);

impl Operands {
    /// Adds an operand, and returns the number of its buffer for the arguments of a kernel.
    pub(crate) fn add(&mut self, operand: Operand) -> usize {
        self.0.push(operand);
        self.0.len() - 1
    }

    /// Returns the operand whose buffer has this number.
    pub(crate) fn of(&self, buffer: usize) -> &Operand {
        &self.0[buffer]
    }

    /// Returns the name of an operand that is not on this device, if there is one.
    pub(crate) fn elsewhere(&self, device: u64) -> Option<&'static str> {
        let mut elsewhere = self.0.iter().filter(|operand| operand.device != device);
        elsewhere.next().map(|operand| operand.name)
    }

    /// Returns the operands that are shorter than the launch uses.
    pub(crate) fn too_short(&self, launch: &Launch) -> Vec<Violation> {
        let mut conditions = Conditions::default();
        for (buffer, operand) in self.0.iter().enumerate() {
            let ends = launch.uses.iter().filter_map(|used| {
                let (of, bytes) = used.bytes()?;
                (of == buffer).then_some(bytes.end)
            });
            let needed = ends.max().unwrap_or(0).div_ceil(operand.element_bytes);
            let parameter = format!("elements of {}", operand.name);
            let reason = "elements that the kernel uses";
            conditions.at_least(&parameter, operand.len_elems, needed, reason);
        }
        conditions.into_result().err().unwrap_or_default().0
    }
}
