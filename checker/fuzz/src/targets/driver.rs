use super::{
    Depth,
    cuda::{BYTES, Cuda},
};

/// The choices of one call.
const CALL_BYTES: usize = 16;
/// Calls of an input.
const MOST_CALLS: usize = 12;

/// The meaning of a parameter.
#[derive(Clone, Copy)]
enum Kind {
    /// The address of a result.
    Out,
    /// An address: of the device, of the host, or of neither.
    Any,
    /// A number of bytes, rows or anything else.
    Size,
    /// The size of an allocation: little, or more than available.
    Few,
    /// Blocks or threads.
    Dim,
    /// A kernel, mostly.
    Function,
    Zero,
}

use Kind::{Any, Dim, Few, Function, Out, Size, Zero};

/// Functions, and the function that frees their result.
const CALLS: &[(&str, &[Kind], Option<&str>)] = &[
    ("cuMemsetD8_v2", &[Any, Size, Size], None),
    ("cuMemsetD16_v2", &[Any, Size, Size], None),
    ("cuMemsetD32_v2", &[Any, Size, Size], None),
    ("cudaMemset", &[Any, Size, Size], None),
    ("cudaMemset2D", &[Any, Size, Size, Size, Size], None),
    ("cuMemcpy", &[Any, Any, Size], None),
    ("cuMemcpyHtoD_v2", &[Any, Any, Size], None),
    ("cuMemcpyDtoH_v2", &[Any, Any, Size], None),
    ("cuMemcpyDtoD_v2", &[Any, Any, Size], None),
    ("cudaMemcpy", &[Any, Any, Size, Size], None),
    (
        "cudaMemcpy2D",
        &[Any, Size, Any, Size, Size, Size, Size],
        None,
    ),
    ("cuMemcpy2D_v2", &[Any], None),
    ("cuMemcpy3D_v2", &[Any], None),
    ("cuMemAlloc_v2", &[Out, Few], Some("cuMemFree_v2")),
    (
        "cuMemAllocPitch_v2",
        &[Out, Any, Few, Few, Size],
        Some("cuMemFree_v2"),
    ),
    ("cuMemAllocManaged", &[Out, Few, Size], Some("cuMemFree_v2")),
    ("cuMemAllocHost_v2", &[Out, Few], Some("cuMemFreeHost")),
    ("cuMemFree_v2", &[Size], None),
    ("cuMemFreeHost", &[Size], None),
    ("cuMemHostRegister_v2", &[Any, Size, Size], None),
    ("cuPointerGetAttribute", &[Out, Size, Any], None),
    ("cuMemGetAddressRange_v2", &[Out, Any, Any], None),
    (
        "cuLaunchKernel",
        &[Function, Dim, Dim, Dim, Dim, Dim, Dim, Size, Zero, Any, Any],
        None,
    ),
    ("cuLaunchKernelEx", &[Any, Function, Any, Any], None),
    ("cuFuncGetAttribute", &[Out, Size, Function], None),
    ("cuFuncGetParamInfo", &[Function, Size, Out, Any], None),
    (
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        &[Out, Function, Size, Size],
        None,
    ),
    ("cuModuleGetFunction", &[Out, Any, Any], None),
    (
        "cuModuleLoadDataEx",
        &[Out, Any, Size, Any, Any],
        Some("cuModuleUnload"),
    ),
    ("cuArrayCreate_v2", &[Out, Any], Some("cuArrayDestroy")),
    (
        "cuTexObjectCreate",
        &[Out, Any, Any, Zero],
        Some("cuTexObjectDestroy"),
    ),
    (
        "cuTensorMapEncodeTiled",
        &[
            Any, Size, Size, Any, Any, Any, Any, Any, Size, Size, Size, Size,
        ],
        None,
    ),
    ("cuGetProcAddress", &[Any, Out, Size, Size], None),
    ("cuDeviceGetName", &[Any, Size, Zero], None),
    ("cuGetErrorString", &[Size, Out], None),
    ("cudaGraphGetNodes", &[Any, Any, Any], None),
    ("cudaFuncGetAttributes", &[Any, Function], None),
];

const SIZES: [u64; 30] = [
    0,
    1,
    2,
    3,
    4,
    8,
    16,
    17,
    64,
    255,
    4096,
    65_535,
    65_536,
    65_537,
    1 << 20,
    (1 << 31) - 1,
    1 << 31,
    u32::MAX as u64,
    1 << 32,
    1 << 40,
    1 << 46,
    1 << 47,
    1 << 48,
    1 << 62,
    (1 << 63) - 1,
    1 << 63,
    u64::MAX - 65_536,
    u64::MAX - 7,
    u64::MAX - 1,
    u64::MAX,
];

const DIMS: [u64; 12] = [
    0,
    1,
    2,
    32,
    1024,
    1025,
    65_535,
    65_536,
    1 << 27,
    1 << 31,
    (1 << 32) - 32,
    u32::MAX as u64,
];

const PTX: &[u8] = b".version 8.0\n.target sm_80\n.address_size 64\n\
    .visible .entry k(.param .u64 a, .param .u32 b) { ret; }\0";

/// Memory and a kernel for all inputs.
struct There {
    device: u64,
    module: u64,
    function: u64,
}

fn there(cuda: &Cuda) -> &'static There {
    static THERE: std::sync::OnceLock<There> = std::sync::OnceLock::new();
    THERE.get_or_init(|| {
        let out = cuda.start();
        assert_eq!(cuda.call("cuMemAlloc_v2", &[out, BYTES as u64]), 0);
        let device = cuda.result();
        let text = cuda.put(PTX);
        assert_eq!(cuda.call("cuModuleLoadData", &[out, text]), 0);
        let module = cuda.result();
        let name = cuda.put(b"k\0");
        assert_eq!(cuda.call("cuModuleGetFunction", &[out, module, name]), 0);
        let function = cuda.result();
        There {
            device,
            module,
            function,
        }
    })
}

fn pick(all: &[u64], choice: u8) -> u64 {
    all[usize::from(choice) % all.len()]
}

/// Makes calls of the driver and the runtime, with parameters at and near the limits.
pub(super) fn run(data: &[u8]) -> Depth {
    let cuda = Cuda::get();
    let there = there(cuda);
    let addresses = [
        there.device,
        there.device + 16,
        there.device + BYTES as u64 - 1,
        there.device + BYTES as u64,
        there.module,
        cuda.start() + 4096,
        cuda.start() + 4104,
        cuda.guard() - 8,
        cuda.guard() - 1,
        cuda.guard(),
        0,
        1,
        0xdead_0000_0000_0000,
        0x0500_0000_0000,
        u64::MAX,
        u64::MAX - 7,
    ];
    let mut taken: Vec<(&str, u64)> = Vec::new();
    let mut done = Depth::Refused;
    for call in data.chunks_exact(CALL_BYTES).take(MOST_CALLS) {
        fill(cuda, call, &addresses);
        let (name, kinds, frees) = CALLS[usize::from(call[0]) % CALLS.len()];
        let choices = call[1..].iter().cycle();
        let mut given: Vec<u64> = kinds
            .iter()
            .zip(choices)
            .map(|(kind, choice)| match kind {
                Out => cuda.start(),
                Any => pick(&addresses, *choice),
                Size => pick(&SIZES, *choice),
                Few => match pick(&SIZES, *choice) {
                    size if size <= 4096 || size >= 1 << 40 => size,
                    size => size % 4096,
                },
                Dim => pick(&DIMS, *choice),
                Function if choice % 8 == 0 => pick(&addresses, *choice),
                Function => there.function,
                Zero => 0,
            })
            .collect();
        if name == "cuLaunchKernel" {
            small(&mut given[1..7]);
        }
        let code = cuda.call(name, &given);
        if code == 0 {
            done = Depth::Ended;
            taken.extend(frees.map(|frees| (frees, cuda.result())));
        } else {
            done = done.max(Depth::Begun);
        }
    }
    for address in &addresses {
        cuda.call("cuMemHostUnregister", &[*address]);
    }
    for (frees, result) in taken {
        cuda.call(frees, &[result]);
    }
    done
}

/// Fills the memory of the host with words at limits of the code, among them addresses.
fn fill(cuda: &Cuda, call: &[u8], addresses: &[u64]) {
    let word = |index: usize| {
        let choice = call[index % CALL_BYTES].wrapping_add((index / CALL_BYTES) as u8);
        match choice % 3 {
            0 => pick(addresses, choice / 3),
            1 => u64::from(choice % 16),
            _ => pick(&SIZES, choice / 3),
        }
    };
    let bytes: Vec<u8> = (0..512)
        .flat_map(|index| word(index).to_le_bytes())
        .collect();
    cuda.put(&bytes);
}

/// A valid launch has few threads, so that it takes no time.
fn small(dims: &mut [u64]) {
    let (grid, block) = dims.split_at_mut(3);
    let fits = grid[0] < 1 << 31
        && grid[1..].iter().all(|side| *side <= 65_535)
        && block
            .iter()
            .try_fold(1_u64, |all, side| all.checked_mul(*side))
            .is_some_and(|all| all <= 1024);
    if fits && !grid.contains(&0) && !block.contains(&0) {
        grid.fill(1);
    }
}
