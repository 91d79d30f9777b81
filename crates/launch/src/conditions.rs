use std::{fmt::Display, ops::RangeInclusive};

use tensor_map::Params;

use crate::{Access, Call, Launch, Region, Rule, Shape, TileShape, Use, Violation, Violations};

/// A kernel's conditions on its arguments. Collects all violations, each with valid values.
///
/// ```
/// use tma_launch::{Call, Conditions, Shape};
///
/// let (threads, offset) = (128, 6);
/// let mut conditions = Conditions::default();
/// conditions.within("threads of a block", threads, 32..=1024, "a block has");
/// conditions.multiple("offset", offset, 4, "a bulk copy begins at 16 bytes: a multiple of");
/// let refused = conditions.launch(Call::new("add_one"), Shape::new(1, threads)).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "kernel-condition: offset is 6; a bulk copy begins at 16 bytes: a multiple of 4; take 4 or 8"
/// );
/// ```
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    broken: Vec<Violation>,
    uses: Vec<Use>,
}

impl Conditions {
    /// Requires that `value` is a multiple of `of`; the message is `reason` followed by that number.
    pub fn multiple(&mut self, parameter: &str, value: u64, of: u64, reason: &str) {
        if value.is_multiple_of(of) {
            return;
        }
        let below = value / of * of;
        let fix = match below.checked_add(of) {
            Some(above) if below == 0 => format!("take {above}"),
            Some(above) => format!("take {below} or {above}"),
            None => format!("take {below}"),
        };
        self.refuse(parameter, value, format!("{reason} {of}"), fix);
    }

    /// Requires that `value` is in a range; the message is `reason` followed by the ends of the range.
    pub fn within<T: PartialOrd + Display + Copy>(
        &mut self,
        parameter: &str,
        value: T,
        range: RangeInclusive<T>,
        reason: &str,
    ) {
        let (low, high) = (*range.start(), *range.end());
        if range.contains(&value) {
            return;
        }
        let nearest = if value < low { low } else { high };
        let limit = format!("{reason} {low} to {high}");
        self.refuse(parameter, value, limit, format!("take {nearest}"));
    }

    /// Requires that `value` is at least `least`; the message is `reason` followed by that number.
    pub fn at_least<T: PartialOrd + Display + Copy>(
        &mut self,
        parameter: &str,
        value: T,
        least: T,
        reason: &str,
    ) {
        if value < least {
            let fix = format!("take {least} or more");
            self.refuse(parameter, value, format!("{reason} {least}"), fix);
        }
    }

    /// Requires that `value` is one of these; the message is `reason` followed by the values.
    pub fn one_of<T: PartialOrd + Display + Copy>(
        &mut self,
        parameter: &str,
        value: T,
        of: &[T],
        reason: &str,
    ) {
        if of.contains(&value) {
            return;
        }
        let below = of.iter().filter(|one| **one < value);
        let below = below.reduce(|most, one| if one > most { one } else { most });
        let above = of.iter().filter(|one| **one > value);
        let above = above.reduce(|least, one| if one < least { one } else { least });
        let listed = |values: &mut dyn Iterator<Item = &T>, between: &str| {
            let values: Vec<String> = values.map(T::to_string).collect();
            values.join(between)
        };
        let limit = format!("{reason} {}", listed(&mut of.iter(), ", "));
        let nearest = listed(&mut below.into_iter().chain(above), " or ");
        self.refuse(parameter, value, limit, format!("take {nearest}"));
    }

    /// Requires a block of whole warps; `reasons` are for the range and for whole warps.
    pub fn warps(&mut self, threads: u32, range: RangeInclusive<u32>, reasons: [&str; 2]) {
        let parameter = "threads of a block";
        if range.contains(&threads) {
            self.multiple(parameter, threads.into(), 32, reasons[1]);
        } else {
            self.within(parameter, threads, range, reasons[0]);
        }
    }

    /// Requires a block of whole warps, from 32 to 1024 threads, as needed to elect a copying thread.
    pub fn whole_warps(&mut self, threads: u32) {
        let reasons = [
            "a block must have",
            "elections need full warps: a multiple of",
        ];
        self.warps(threads, 32..=1024, reasons);
    }

    /// Adds another violation, with its parameter, value, limit and reason, and fix.
    pub fn refuse(
        &mut self,
        parameter: &str,
        value: impl Display,
        limit: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.broken.push(Violation {
            rule: Rule::KernelCondition,
            parameter: parameter.to_owned(),
            value: value.to_string(),
            limit: limit.into(),
            fix: fix.into(),
        });
    }

    /// Declares that the kernel uses `least_bytes` bytes from the start of a buffer of the job; a shorter buffer is
    /// refused before the launch.
    pub fn uses(&mut self, index: usize, least_bytes: u64) {
        self.use_of(Region::bytes(index, least_bytes), Access::Used);
    }

    /// Declares memory that the kernel reads and that must not change meanwhile.
    pub fn reads(&mut self, region: Region) {
        self.use_of(region, Access::Read);
    }

    /// Declares memory that the kernel only writes.
    pub fn writes(&mut self, region: Region) {
        self.use_of(region, Access::Written);
    }

    /// Declares memory that the kernel reads and writes in place.
    pub fn updates(&mut self, region: Region) {
        self.use_of(region, Access::Updated);
    }

    /// Declares memory with counters, which must be zero before each launch.
    pub fn zeroed(&mut self, region: Region) {
        self.use_of(region, Access::Zeroed);
    }

    /// Declares memory with `u32` numbers that the kernel reads and that must not decrease.
    pub fn ascending(&mut self, region: Region) {
        self.use_of(region, Access::Ascending);
    }

    /// Declares memory with consecutive tensor maps that load this tile, of tensors in the job's buffers.
    pub fn maps(&mut self, region: Region, tile: TileShape) {
        self.use_of(region, Access::Maps(tile));
    }

    /// Declares memory that begins with the map of the tensor at the start of the job's buffer `index`.
    pub fn map_of(&mut self, region: Region, params: impl Into<Params>, index: usize) {
        let params = Box::new(params.into());
        self.use_of(region, Access::MapOf { params, index });
    }

    fn use_of(&mut self, region: Region, access: Access) {
        self.uses.push(Use { region, access });
    }

    /// Returns the launch of `call` if all conditions hold.
    ///
    /// # Errors
    /// Conditions are violated, including the call's own; the error lists all of them.
    pub fn launch(mut self, mut call: Call<'_>, shape: Shape) -> Result<Launch, Violations> {
        self.broken.splice(..0, call.take_conditions().broken);
        let uses = std::mem::take(&mut self.uses);
        self.into_result()?;
        let launch = call.launch(shape)?;
        Ok(Launch { uses, ..launch })
    }

    /// Returns an error unless all conditions hold.
    ///
    /// # Errors
    /// Conditions are violated; the error lists all of them.
    pub fn into_result(self) -> Result<(), Violations> {
        Violations(self.broken).into_result()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> (Call<'static>, Shape) {
        (
            Call::new("k").instance("stages", 3, &[(3, "3")]),
            Shape::new(1, 1),
        )
    }

    #[test]
    fn the_nearest_values_are_offered() {
        let mut conditions = Conditions::default();
        conditions.multiple("offset", 6, 4, "a multiple of");
        conditions.multiple("offset", 3, 16, "a multiple of");
        conditions.within("x", -1, 0..=7, "between");
        conditions.one_of("stages", 5, &[1, 2, 4], "one of");
        conditions.one_of("stages", 3, &[4, 1, 2], "one of");
        conditions.at_least("blocks", 0, 1, "at least");
        conditions.multiple("offset", 8, 4, "a multiple of");
        let (call, shape) = call();
        let violations = conditions.launch(call, shape).unwrap_err();
        assert_eq!(
            violations.to_string(),
            "kernel-condition: offset is 6; a multiple of 4; take 4 or 8\n\
             kernel-condition: offset is 3; a multiple of 16; take 16\n\
             kernel-condition: x is -1; between 0 to 7; take 0\n\
             kernel-condition: stages is 5; one of 1, 2, 4; take 4\n\
             kernel-condition: stages is 3; one of 4, 1, 2; take 2 or 4\n\
             kernel-condition: blocks is 0; at least 1; take 1 or more"
        );
    }

    #[test]
    fn the_launch_knows_the_buffers_and_the_constants() {
        let mut conditions = Conditions::default();
        conditions.uses(1, 20);
        let used = Use {
            region: Region::bytes(1, 20),
            access: Access::Used,
        };
        let (call, shape) = call();
        let launch = conditions.clone().launch(call, shape).unwrap();
        assert_eq!((launch.entry.as_str(), launch.uses), ("k_3", vec![used]));
        conditions.at_least("blocks", 0, 1, "at least");
        let wrong = Call::new("k").instance("stages", 2, &[(3, "3")]);
        assert_eq!(
            conditions.launch(wrong, shape).unwrap_err().to_string(),
            "kernel-condition: stages is 2; there are kernels for 3; take 3\n\
             kernel-condition: blocks is 0; at least 1; take 1 or more"
        );
    }
}
