"""Kernels in PTX for the tests."""

from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "examples" / "emulate"

HEADER = """
.version 8.0
.target sm_90a
.address_size 64
"""

# numbers[tid] *= factor, for all threads.
SCALE = HEADER + """
.visible .entry scale(.param .u64 numbers, .param .f32 factor)
{
    .reg .b32 %r<2>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [numbers];
    ld.param.f32 %f1, [factor];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.f32 %f2, [%rd1];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%rd1], %f2;
    ret;
}
"""

# *to += 1 by every thread, without regard to others.
COUNT = HEADER + """
.visible .entry count(.param .u64 to)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
"""

# *to = 7 by a thread of each block.
SAME = HEADER + """
.visible .entry same(.param .u64 to)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    st.global.u32 [%rd1], 7;
    ret;
}
"""

# Two warps draw a number each; warp 1 fails if it draws 0.
DRAW = HEADER + """
.visible .entry draw(.param .u64 next)
{
    .reg .pred %p<3>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [next];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra END;
    atom.global.add.u32 %r2, [%rd1], 1;
    setp.eq.u32 %p1, %r2, 0;
    setp.eq.and.u32 %p2, %r1, 32, %p1;
    @%p2 trap;
END:
    ret;
}
"""

ENDLESS = HEADER + """
.visible .entry endless()
{
again:
    bra again;
}
"""


def store(ty: str) -> str:
    """A kernel that stores its second parameter, of this type, at the address in the first."""
    register = {"8": "b16", "16": "b16", "32": "b32", "64": "b64"}[ty[1:]]
    return HEADER + f"""
.visible .entry store(.param .u64 to, .param .{ty} value)
{{
    .reg .b64 %rd<2>;
    .reg .{register} %v<2>;
    ld.param.u64 %rd1, [to];
    ld.param.{ty} %v1, [value];
    st.global.{ty} [%rd1], %v1;
    ret;
}}
"""


def copy(source: str, to: str = "to") -> str:
    """A kernel that copies 8 bytes of a parameter or a variable to the address in the other parameter."""
    return HEADER + f"""
.visible .const .align 8 .b8 table[8];
.visible .global .align 8 .u64 total = 5;
.visible .entry copy(.param .u64 to, .param .u64 from)
{{
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [{to}];
    {source}
    st.global.u64 [%rd1], %rd3;
    ld.global.u64 %rd2, [total];
    add.u64 %rd2, %rd2, 1;
    st.global.u64 [total], %rd2;
    ret;
}}
"""


FROM_POINTER = "ld.param.u64 %rd2, [from]; ld.global.u64 %rd3, [%rd2];"
FROM_TABLE = "ld.const.u64 %rd3, [table];"
