//! `nanosleep`, a pause. PTX ISA 9.7.19.2.

/// `nanosleep.u32 nanoseconds;`
///
/// The thread pauses for about this long, from 0 to twice the time; at most a millisecond counts.
#[doc(alias = "__nanosleep")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub fn u32(nanoseconds: u32) {
    // SAFETY: a pause has no conditions.
    unsafe {
        ptx_asm! { [] ("nanosleep.u32" " {nanoseconds};"; nanoseconds = in(reg32) nanoseconds) }
    }
}
