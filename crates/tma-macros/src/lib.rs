//! The macros of the crate `tma`: [`macro@kernel`] makes a function a kernel entry, [`shared!`]
//! declares variables in shared memory, [`constant!`] in constant memory; [`macro@KernelArg`] lets a
//! struct be passed by value; [`println!`] prints.
//!
//! Rust has no syntax for some properties of an entry (launch bounds, cluster size, which
//! parameters are grid constants): they are left in the PTX as a module-level `.pragma "tma kernel
//! …";`, which the finishing step of `tma-build` turns into directives.

mod constant;
mod device_fn;
mod function;
mod kernel;
mod kernel_arg;
mod println;
mod shared;
mod variable;

use proc_macro::TokenStream;

/// Makes an `unsafe fn` a kernel: an entry of the PTX module that the host launches by this name.
///
/// Options, all of them optional:
///
/// | option | PTX | meaning |
/// | --- | --- | --- |
/// | `max_threads = 256` or `[x, y, z]` | `.maxntid` | most threads of a block |
/// | `min_blocks = 2` | `.minnctapersm` | blocks that a multiprocessor should hold |
/// | `cluster = 2` or `[x, y, z]` | `.reqnctapercluster` | blocks of a cluster |
/// | `local_memory` | | the kernel may use local memory; otherwise the builder refuses it, or warns of it in a build with overflow checks or debug assertions |
/// | `allow(C7509)` | | ptxas may print these messages, about products of a warpgroup that wait for each other or an ignored `setmaxnreg`; otherwise the builder refuses the kernel |
/// | `instances(N = 1, 2; FLAG = true, false; T = f32, u32)` | | entries `name_1_true_f32`, `name_1_true_u32`, …: every combination of these values of the generic parameters; a constant `TOO_FEW` makes `name_too_few` |
/// | `shared_bytes = …` | | the dynamic shared memory of a block in bytes, for the host |
///
/// Parameters are numbers, raw pointers, and structs with `#[derive(KernelArg)]`. A tensor map is
/// passed as `#[grid_constant] map: &TensorMap`: the launch hands over its 128 bytes, and the reference
/// points into the kernel's parameter memory.
///
/// # On the host
/// The kernel is a safe function of its name that makes a `tma_launch::Call`, so that arguments of a wrong
/// number or type do not compile; launching the call is `unsafe`. For `*const T` and `*mut T` it
/// takes memory with elements of the type `T` (`impl tma_launch::Pointer<T>`), for a grid constant a tensor
/// map (`impl tma_launch::MapArgument`), and numbers and structs as they are. Constants of `instances`
/// come first, in small letters, and are chosen at run time; a value that was not compiled is refused
/// by the launch, a type that was not by the compiler. As there is no kernel to call, what several
/// kernels share is an ordinary function.
///
/// `shared_bytes` is an expression that converts to `u64`, of the arguments and the constants, such as
/// `shared_bytes = 16 * u64::from(len)`; or a closure that also takes the number of threads of a block as
/// a `u64`, such as `shared_bytes = |threads| 16 * threads`.
#[doc(alias = "__global__")]
#[doc(alias = "__launch_bounds__")]
#[doc(alias = "__cluster_dims__")]
#[doc(alias = "__grid_constant__")]
#[proc_macro_attribute]
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Lets kernels take a struct of plain data by value: numbers, arrays, and other such structs.
///
/// The struct is `#[repr(C)]`, aligned to at most 16 bytes, and not generic.
#[proc_macro_derive(KernelArg)]
pub fn kernel_arg(item: TokenStream) -> TokenStream {
    kernel_arg::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Declares static variables in the block's shared memory.
///
/// ```text
/// shared! {
///     static TILE: [i32; 1024] align 128;
///     static BAR: Mbarrier;
/// }
/// let tile = TILE::ptr();
/// ```
///
/// Each becomes a type with a `ptr()` that returns the `SharedPtr`. As in CUDA C++, a variable exists once
/// per block however often the declaring function is called, starts with arbitrary contents, and
/// counts towards the kernels that use it. `align` is in bytes, a power of two; without it the
/// type's own alignment holds.
///
/// Sizes are resolved in the enclosing module, so constants that are local to a function cannot
/// be used.
#[doc(alias = "__shared__")]
#[proc_macro]
pub fn shared(item: TokenStream) -> TokenStream {
    shared::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Declares variables in constant memory, which the host writes before a launch.
///
/// ```text
/// constant! {
///     pub static TILE_MAP: TensorMap;
/// }
/// let map = TILE_MAP::ptr();
/// ```
///
/// Each becomes a type with a `ptr()` that returns the address. The host finds the variable in the module
/// under its name, which must be the only one there; it starts with zeros.
#[doc(alias = "__constant__")]
#[proc_macro]
pub fn constant(item: TokenStream) -> TokenStream {
    constant::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Prints a line from the device, with the text of [`std::println!`].
///
/// ```text
/// println!("thread {}: {:#x}, {value:.3}", thread_idx().x, flags);
/// ```
///
/// The device's `vprintf` keeps the values, and the host formats them with C's `printf` when it waits for
/// the kernel; the emulator prints at once. Up to 32 values: integers of up to 64 bits, `f32`, `f64`,
/// `bool`, pointers (`{:p}`) and `&'static CStr`. Placeholders have numbers, names or neither, and `<`,
/// `>`, `+`, `#`, `0`, a width, a precision, and `?`, `x`, `X`, `o`, `e`, `E` or `p`. Another type or
/// placeholder does not compile.
///
/// Two things are C's and not Rust's: `{}` of a float shows six significant digits (`%g`), and `{:e}`
/// writes `1.000000e+00`.
///
/// The values are in local memory, which the builder allows for this. A kernel that traps loses its earlier
/// output on a GPU.
#[doc(alias = "printf")]
#[proc_macro]
pub fn println(item: TokenStream) -> TokenStream {
    println::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes a function of `tma` that issues an instruction: its body is compiled for the device only, and elsewhere replaced
/// by a panic, so that the crate compiles, documents and lints there. It is always inlined: an instruction costs no call.
///
/// `#[device_fn(isa = "8.6", arch = sm_100a)]` adds a line on PTX version and architecture to the documentation, in front of
/// the first heading, and refuses the function where a kernel for an architecture without the instruction uses it. The names
/// come from `architectures!` of `tma`.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn device_fn(options: TokenStream, item: TokenStream) -> TokenStream {
    device_fn::expand(options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
