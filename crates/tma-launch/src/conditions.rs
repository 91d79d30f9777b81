use std::{
    fmt::{self, Display},
    ops::RangeInclusive,
};

use tensor_map::Params;

use crate::{Access, Call, Launch, Region, Rule, Shape, TileShape, Use, Violation, Violations};

/// A kernel's conditions on its arguments. Collects all violations, each with valid values.
///
/// ```
/// use tma_launch::{Call, Conditions, Shape};
///
/// let (threads, offset) = (128, 6);
/// let mut conditions = Conditions::default();
/// conditions.within("block size", threads, 32..=1024, "");
/// conditions.multiple("offset", offset, 4, "bulk copies start at multiples of 16 bytes");
/// let refused = conditions.launch(Call::new("add_one"), Shape::new(1, threads)).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "kernel-condition: offset is 6; must be a multiple of 4 (bulk copies start at multiples of \
///      16 bytes); use 4 or 8"
/// );
/// ```
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    broken: Vec<Violation>,
    uses: Vec<Use>,
}

impl Conditions {
    /// `value` must be a multiple of `of`. `why` goes into parentheses; it may be empty.
    pub fn multiple(&mut self, parameter: &str, value: u64, of: u64, why: &str) {
        if value.is_multiple_of(of) {
            return;
        }
        let below = value / of * of;
        let fix = match below.checked_add(of) {
            Some(above) if below == 0 => format!("use {above}"),
            Some(above) => format!("use {below} or {above}"),
            None => format!("use {below}"),
        };
        self.refuse(
            parameter,
            value,
            limit(format_args!("a multiple of {of}"), why),
            fix,
        );
    }

    /// `value` must be in a range, for the reason `why`.
    pub fn within<T: PartialOrd + Display + Copy>(
        &mut self,
        parameter: &str,
        value: T,
        range: RangeInclusive<T>,
        why: &str,
    ) {
        let (low, high) = (*range.start(), *range.end());
        if range.contains(&value) {
            return;
        }
        let nearest = if value < low { low } else { high };
        let limit = match low == high {
            true => limit(format_args!("{low}"), why),
            false => limit(format_args!("{low} to {high}"), why),
        };
        self.refuse(parameter, value, limit, format!("use {nearest}"));
    }

    /// `value` must be at least `least`, for the reason `why`.
    pub fn at_least<T: PartialOrd + Display + Copy>(
        &mut self,
        parameter: &str,
        value: T,
        least: T,
        why: &str,
    ) {
        if value < least {
            let fix = format!("use {least} or more");
            let limit = limit(format_args!("at least {least}"), why);
            self.refuse(parameter, value, limit, fix);
        }
    }

    /// `value` must be one of these, for the reason `why`.
    pub fn one_of<T: PartialOrd + Display + Copy>(
        &mut self,
        parameter: &str,
        value: T,
        of: &[T],
        why: &str,
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
        let all = listed(&mut of.iter(), ", ");
        let limit = match of {
            [_] => limit(format_args!("{all}"), why),
            _ => limit(format_args!("one of {all}"), why),
        };
        let nearest = listed(&mut below.into_iter().chain(above), " or ");
        self.refuse(parameter, value, limit, format!("use {nearest}"));
    }

    /// Checks the threads of a block, in whole warps; `reasons` are those for the range and for the warps.
    pub fn warps(&mut self, threads: u32, range: RangeInclusive<u32>, reasons: [&str; 2]) {
        let parameter = "block size";
        if range.contains(&threads) {
            self.multiple(parameter, threads.into(), 32, reasons[1]);
        } else {
            self.within(parameter, threads, range, reasons[0]);
        }
    }

    /// Checks the threads of a block in which a full warp elects the copying thread: 32 to 1024.
    pub fn whole_warps(&mut self, threads: u32) {
        self.warps(threads, 32..=1024, ["", "elections need full warps"]);
    }

    /// Adds any other broken condition. In the message `limit` begins with "must", and `fix` is an order.
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

/// Returns the requirement on a value, with the reason in parentheses.
fn limit(needed: fmt::Arguments<'_>, why: &str) -> String {
    match why {
        "" => format!("must be {needed}"),
        _ => format!("must be {needed} ({why})"),
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
        conditions.multiple("offset", 6, 4, "");
        conditions.multiple("offset", 3, 16, "");
        conditions.within("x", -1, 0..=7, "");
        conditions.one_of("stages", 5, &[1, 2, 4], "powers of two");
        conditions.one_of("stages", 3, &[4, 1, 2], "");
        conditions.at_least("blocks", 0, 1, "");
        conditions.multiple("offset", 8, 4, "");
        let (call, shape) = call();
        let violations = conditions.launch(call, shape).unwrap_err();
        assert_eq!(
            violations.to_string(),
            "kernel-condition: offset is 6; must be a multiple of 4; use 4 or 8\n\
             kernel-condition: offset is 3; must be a multiple of 16; use 16\n\
             kernel-condition: x is -1; must be 0 to 7; use 0\n\
             kernel-condition: stages is 5; must be one of 1, 2, 4 (powers of two); use 4\n\
             kernel-condition: stages is 3; must be one of 4, 1, 2; use 2 or 4\n\
             kernel-condition: blocks is 0; must be at least 1; use 1 or more"
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
        conditions.at_least("blocks", 0, 1, "");
        let wrong = Call::new("k").instance("stages", 2, &[(3, "3")]);
        assert_eq!(
            conditions.launch(wrong, shape).unwrap_err().to_string(),
            "kernel-condition: stages is 2; must be 3 (compiled instances); use 3\n\
             kernel-condition: blocks is 0; must be at least 1; use 1 or more"
        );
    }
}
