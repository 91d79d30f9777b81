"""Compiles the kernels of Triton's tutorials to PTX for an H100, without a GPU: `triton_tutorials.py TUTORIALS FOLDER`.

The tutorials cannot be imported where there is no GPU, so that their kernels alone are taken out of them.
"""

import ast
import importlib.util
import sys
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

IMPORTS = """import triton
import triton.language as tl
from triton.language.extra import libdevice
"""

MATMUL = (
    "*fp16 *fp16 *fp16 i32 i32 i32 i32 1 i32 1 i32 1 "
    "BLOCK_SIZE_M=128 BLOCK_SIZE_N=128 BLOCK_SIZE_K=64 GROUP_SIZE_M=8"
)
TILES = "tensordesc<fp16[128,64]> tensordesc<fp16[128,64]> tensordesc<fp16[128,128]> i32 i32 i32 "
BLOCKS = "BLOCK_SIZE_M=128 BLOCK_SIZE_N=128 BLOCK_SIZE_K=64 GROUP_SIZE_M=8 "
HEADS = "tensordesc<fp16[128,64]> tensordesc<fp16[64,64]> tensordesc<fp16[64,64]> tensordesc<fp16[128,64]> "

# Tutorial, kernel, and its arguments: types of the run-time ones, and values of the others.
KERNELS = [
    ("01-vector-add", "add_kernel", "*fp32 *fp32 *fp32 i32 BLOCK_SIZE=1024"),
    ("02-fused-softmax", "softmax_kernel", "*fp32 *fp32 i32 i32 i32 i32 BLOCK_SIZE=1024 num_stages=4"),
    ("03-matrix-multiplication", "matmul_kernel", MATMUL + " ACTIVATION='leaky_relu'"),
    ("04-low-memory-dropout", "_dropout", "*fp32 *i32 *fp32 i32 fp32 BLOCK_SIZE=1024"),
    ("04-low-memory-dropout", "_seeded_dropout", "*fp32 *fp32 i32 fp32 i32 BLOCK_SIZE=1024"),
    ("05-layer-norm", "_layer_norm_fwd_fused", "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 i32 i32 fp32 BLOCK_SIZE=1024"),
    (
        "05-layer-norm",
        "_layer_norm_bwd_dx_fused",
        "*fp16 *fp16 *fp16 *fp16 *fp16 *fp16 *fp32 *fp32 *i32 i32 i32 GROUP_SIZE_M=64 BLOCK_SIZE_N=1024",
    ),
    ("05-layer-norm", "_layer_norm_bwd_dwdb", "*fp16 *fp16 *fp16 *fp16 i32 i32 BLOCK_SIZE_M=32 BLOCK_SIZE_N=128"),
    (
        "06-fused-attention",
        "_attn_fwd",
        "fp32 *fp32 i32 i32 " + HEADS + "i32 HEAD_DIM=64 BLOCK_M=128 BLOCK_N=64 FP8_OUTPUT=False STAGE=3 "
        "warp_specialize=False IS_HOPPER=True",
    ),
    ("06-fused-attention", "_attn_bwd_preprocess", "*fp16 *fp16 *fp32 i32 i32 i32 BLOCK_M=128 HEAD_DIM=64"),
    (
        "06-fused-attention",
        "_attn_bwd",
        "*fp16 *fp16 *fp16 fp32 *fp16 *fp16 *fp16 *fp16 *fp32 *fp32 i32 i32 i32 1 i32 i32 BLOCK_M1=32 BLOCK_N1=128 "
        "BLOCK_M2=128 BLOCK_N2=32 BLK_SLICE_FACTOR=2 HEAD_DIM=64 CAUSAL=True",
    ),
    ("07-extern-functions", "asin_kernel", "*fp32 *fp32 i32 BLOCK_SIZE=1024"),
    ("09-persistent-matmul", "matmul_kernel", MATMUL),
    ("09-persistent-matmul", "matmul_kernel_tma", TILES + BLOCKS + "FP8_OUTPUT=False WARP_SPECIALIZE=False"),
    ("09-persistent-matmul", "matmul_kernel_persistent", MATMUL + " NUM_SMS=132"),
    (
        "09-persistent-matmul",
        "matmul_kernel_tma_persistent",
        TILES + BLOCKS + "FP8_OUTPUT=False EPILOGUE_SUBTILE=False NUM_SMS=132 WARP_SPECIALIZE=False",
    ),
    (
        "09-persistent-matmul",
        "matmul_kernel_descriptor_persistent",
        "*fp16 *fp16 *fp16 i32 i32 i32 " + BLOCKS + "EPILOGUE_SUBTILE=True NUM_SMS=132 WARP_SPECIALIZE=False "
        "FLATTEN=False",
    ),
    ("11-programmatic-dependent-launch", "add_kernel", "*fp32 *fp32 *fp32 i32 BLOCK_SIZE=1024 USE_GDC=True"),
]


def kernels_of(tutorial: Path, folder: Path):
    """A module with the functions of a tutorial that Triton compiles."""
    functions = [
        node
        for node in ast.parse(tutorial.read_text()).body
        if isinstance(node, ast.FunctionDef)
        and any("triton.jit" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    for function in functions:
        function.decorator_list = [ast.parse("triton.jit").body[0].value]
    module = folder / f"{tutorial.stem}.py"
    module.write_text(IMPORTS + "\n".join(ast.unparse(function) for function in functions))
    spec = importlib.util.spec_from_file_location(tutorial.stem, module)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def compiled(module, kernel: str, arguments: str) -> str:
    """The PTX of a kernel; pointers, and numbers that are not 1, count as multiples of 16."""
    function = getattr(module, kernel)
    signature, constants, attributes = {}, {}, {}
    for index, (name, argument) in enumerate(zip(function.arg_names, arguments.split())):
        given, is_constant, value = argument.partition("=")
        if is_constant or given == "1":
            if is_constant and given != name:
                raise ValueError(f"{kernel} has {name} in place of {given}")
            value = ast.literal_eval(value or given)
            constants[(index,)] = getattr(module, value) if isinstance(value, str) else value
            signature[name] = "constexpr"
            continue
        signature[name] = given
        if given.startswith("*") or given == "i32":
            attributes[(index,)] = [["tt.divisibility", 16]]
    source = ASTSource(function, signature, constants, attributes)
    return triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]


def main() -> None:
    tutorials, folder = map(Path, sys.argv[1:])
    modules = {}
    for tutorial, kernel, arguments in KERNELS:
        if tutorial not in modules:
            modules[tutorial] = kernels_of(tutorials / f"{tutorial}.py", folder)
        name = f"{tutorial}-{kernel}"
        try:
            ptx = compiled(modules[tutorial], kernel, arguments)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}".splitlines()[0])
            continue
        # The entry's name is not unique among the tutorials.
        (folder / f"{name}.ptx").write_text(ptx)


if __name__ == "__main__":
    main()
