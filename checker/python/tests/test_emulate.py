"""Conversion of arguments, and the effects of launches on them."""

import sys
from pathlib import Path

import numpy as np
import pytest
from ptx import COUNT, EXAMPLES, FROM_POINTER, FROM_TABLE, HEADER, SCALE, copy, store
from tma_emulator import LaunchError, UnsupportedError, emulate


def test_arrays_are_changed_in_place():
    numbers = np.arange(64, dtype=np.float32)
    result = emulate(SCALE, "scale", 1, 64, [numbers, np.float32(2.5)])
    np.testing.assert_array_equal(numbers, 2.5 * np.arange(64, dtype=np.float32))
    assert result.is_clean and result.findings == []
    # The kernel has nine instructions.
    assert result.steps == 64 * 9


def test_a_file_is_read():
    numbers = np.arange(4096, dtype=np.int32)
    emulate(EXAMPLES / "add_one.ptx", "add_one", 4, 128, [numbers])
    np.testing.assert_array_equal(numbers, np.arange(1, 4097))


@pytest.mark.parametrize(
    ("ty", "value"),
    [
        ("u8", np.bool_(True)),
        ("u8", np.uint8(250)),
        ("s8", np.int8(-100)),
        ("u16", np.uint16(65000)),
        ("s16", np.int16(-30000)),
        ("b16", np.float16(-1.5)),
        ("u32", np.uint32(4000000000)),
        ("s32", np.int32(-7)),
        ("f32", np.float32(0.1)),
        ("u64", np.uint64(1 << 63)),
        ("s64", np.int64(-(1 << 62))),
        ("f64", np.float64(0.1)),
    ],
)
def test_scalars_have_the_size_of_their_type(ty, value):
    # The bytes after the value must not change.
    to = np.full(2, 99).astype(value.dtype)
    emulate(store(ty), "store", 1, 1, [to, value])
    assert to[0] == value and to[1] == np.full(1, 99).astype(value.dtype)[0]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (5, r"args\[1\] is 5, but a Python number has no size: pass numpy.int32\(5\), or of another type"),
        (True, r"pass numpy.bool_\(True\)"),
        (0.5, r"pass numpy.float32\(0.5\)"),
        ("5", r"args\[1\] is str; an argument must be a NumPy array, a NumPy scalar"),
        ([1.0], r"args\[1\] is list"),
    ],
)
def test_what_has_no_size_is_refused(value, says):
    with pytest.raises(TypeError, match=says):
        emulate(SCALE, "scale", 1, 1, [np.zeros(1, np.float32), value])


def test_arrays_that_cannot_be_memory_are_refused():
    def run(array):
        emulate(COUNT, "count", 1, 1, [array])

    with pytest.raises(TypeError, match=r"args\[0\] is an array of Python objects"):
        run(np.array([None]))
    with pytest.raises(ValueError, match=r"args\[0\] must have the native byte order"):
        other = ">" if sys.byteorder == "little" else "<"
        run(np.zeros(1, f"{other}i4"))
    frozen = np.zeros(1, np.int32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match=r"args\[0\] is read-only.*pass a copy"):
        run(frozen)


def test_an_array_that_is_given_twice_is_the_same_memory():
    numbers = np.array([1, 0], np.uint64)
    emulate(copy(FROM_POINTER), "copy", 1, 1, [numbers, numbers])
    np.testing.assert_array_equal(numbers, [1, 0])
    emulate(copy(FROM_POINTER), "copy", 1, 1, [numbers[1:], numbers])
    np.testing.assert_array_equal(numbers, [1, 1])


@pytest.mark.parametrize("order", [1, -1])
def test_views_that_overlap_share_memory(order):
    numbers = np.arange(10, dtype=np.uint64)
    # Elements 4 to 7, and 2 to 5.
    to, source = numbers[4:8], numbers[2:6]
    emulate(copy(FROM_POINTER), "copy", 1, 1, [to, source][::order])
    expected = np.arange(10)
    expected[4 if order == 1 else 2] = 2 if order == 1 else 4
    np.testing.assert_array_equal(numbers, expected)


def test_a_view_has_no_memory_behind_its_last_element():
    numbers = np.ones(64, np.float32)
    emulate(SCALE, "scale", 1, 8, [numbers[8:16], np.float32(3)])
    np.testing.assert_array_equal(numbers, [1] * 8 + [3] * 8 + [1] * 48)
    result = emulate(SCALE, "scale", 1, 9, [numbers[8:16], np.float32(3)], check=False)
    assert [finding.kind for finding in result.findings] == ["out-of-bounds"]


def test_a_stride_is_the_memory_between():
    numbers = np.arange(12, dtype=np.float32).reshape(3, 4)
    # Elements 1, 5 and 9, and the elements between them.
    emulate(SCALE, "scale", 1, 9, [numbers[:, 1], np.float32(-1)])
    np.testing.assert_array_equal(numbers.reshape(-1), [0, *range(-1, -10, -1), 10, 11])


def test_a_negative_stride_points_to_the_first_element():
    numbers = np.arange(4, dtype=np.float32)
    emulate(SCALE, "scale", 1, 1, [numbers[::-1], np.float32(10)])
    np.testing.assert_array_equal(numbers, [0, 1, 2, 30])


def test_a_view_is_as_misaligned_as_in_its_array():
    numbers = np.zeros(16, np.uint8)
    with pytest.raises(Exception, match=r"error\[misaligned\]"):
        emulate(store("u64"), "store", 1, 1, [numbers[4:], np.uint64(1)])
    emulate(store("u64"), "store", 1, 1, [numbers[8:], np.uint64(1)])
    np.testing.assert_array_equal(numbers, [0] * 8 + [1] + [0] * 7)


def test_empty_arrays_have_an_address():
    result = emulate(COUNT, "count", 1, 1, [np.zeros(0, np.int32)], check=False)
    assert [finding.kind for finding in result.findings] == ["out-of-bounds"]


def test_none_is_the_null_pointer():
    result = emulate(COUNT, "count", 1, 1, [None], check=False)
    assert "0x0" in str(result)


def test_structs_are_bytes():
    text = HEADER + """
.visible .entry second(.param .u64 to, .param .align 4 .b8 pair[8])
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [pair+4];
    st.global.u32 [%rd1], %r1;
    ret;
}"""
    pair = np.array((3, 9), dtype=[("a", "i4"), ("b", "i4")])
    for given in (pair[()], pair.tobytes()):
        to = np.zeros(1, np.int32)
        emulate(text, "second", 1, 1, [to, given])
        assert to[0] == 9


def test_variables_are_written_before_and_read_after():
    to = np.zeros(1, np.uint64)
    table, total = np.array([0x1234], np.uint64), np.array([40], np.uint64)
    emulate(copy(FROM_TABLE), "copy", 1, 1, [to, None], variables={"table": table, "total": total})
    assert (to[0], table[0], total[0]) == (0x1234, 0x1234, 41)
    with pytest.raises(LaunchError, match="the variable `total` has 8 bytes, not 4"):
        emulate(copy(FROM_TABLE), "copy", 1, 1, [to, None], variables={"total": np.zeros(1, np.int32)})
    with pytest.raises(TypeError, match=r"variables\['total'\] must be a NumPy array, not int"):
        emulate(copy(FROM_TABLE), "copy", 1, 1, [to, None], variables={"total": 5})


SHAPE = HEADER + """
.extern .shared .align 4 .b8 dynamic[];
.visible .entry shape(.param .u64 to)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %nctaid.x;
    mov.u32 %r2, %nctaid.y;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ntid.z;
    mov.u32 %r5, %cluster_nctaid.x;
    mov.u32 %r6, %dynamic_smem_size;
    st.relaxed.gpu.global.u32 [%rd1], %r1;
    st.relaxed.gpu.global.u32 [%rd1+4], %r2;
    st.relaxed.gpu.global.u32 [%rd1+8], %r3;
    st.relaxed.gpu.global.u32 [%rd1+12], %r4;
    st.relaxed.gpu.global.u32 [%rd1+16], %r5;
    st.relaxed.gpu.global.u32 [%rd1+20], %r6;
    ret;
}
"""


def test_shape_is_innermost_first():
    to = np.zeros(6, np.uint32)
    emulate(SHAPE, "shape", (4, 2), np.array([8, 2, 3]), [to], cluster=2, shared=4096)
    np.testing.assert_array_equal(to, [4, 2, 8, 3, 2, 4096])


def test_a_cluster_is_as_large_as_an_h100_has_them():
    to = np.zeros(6, np.uint32)
    emulate(SHAPE, "shape", 16, 1, [to], cluster=(16,))
    np.testing.assert_array_equal(to, [16, 1, 1, 1, 16, 0])
    with pytest.raises(LaunchError, match="cluster"):
        emulate(SHAPE, "shape", 32, 1, [to], cluster=32)


def test_threads_of_a_cooperative_launch_wait_for_each_other():
    # Each block adds one and waits for the others, which without `cooperative` need not run at once.
    text = HEADER + """
.visible .entry meet(.param .u64 to)
{
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    atom.add.release.gpu.global.u32 %r1, [%rd1], 1;
wait:
    ld.acquire.gpu.global.u32 %r1, [%rd1];
    setp.lt.u32 %p1, %r1, 64;
    @%p1 bra wait;
    ret;
}"""
    to = np.zeros(1, np.uint32)
    assert emulate(text, "meet", 64, 1, [to], cooperative=True).findings == []
    assert to[0] == 64
    alone = emulate(text, "meet", 64, 1, [np.zeros(1, np.uint32)], max_steps=100_000, check=False)
    assert [finding.kind for finding in alone.findings] == ["endless"]


@pytest.mark.parametrize(
    ("grid", "error", "says"),
    [
        ((1, 2, 3, 4), TypeError, "grid = .*one to three whole numbers"),
        ((), TypeError, "grid = .*one to three whole numbers"),
        (1.5, TypeError, "float"),
        ((1.5,), TypeError, "grid = .*one to three whole numbers"),
        (-1, ValueError, "grid = -1: dimensions must be from 0 to 4294967295"),
        (1 << 32, ValueError, "dimensions must be from 0 to 4294967295"),
        (0, LaunchError, "zero-dimension: grid.x is 0; must be at least 1"),
    ],
)
def test_shapes_that_are_none(grid, error, says):
    with pytest.raises(error, match=says):
        emulate(COUNT, "count", grid, 1, [np.zeros(1, np.int32)])


def test_what_is_wrong_with_a_launch_is_all_said():
    with pytest.raises(LaunchError) as error:
        emulate(SCALE, "scale", 1, 2048, [np.float32(1)])
    said = str(error.value)
    assert "the launch of `scale` cannot work" in said
    assert "block-threads: block is 2048 x 1 x 1" in said
    assert "argument-count: number of arguments is 1; the kernel takes 2" in said
    assert "argument-size: argument 0 is f32 of 4 bytes; its parameter is `numbers` of 8 bytes" in said


def test_a_launch_that_cannot_be_made_changes_nothing():
    numbers = np.arange(4, dtype=np.float32)
    with pytest.raises(LaunchError):
        emulate(SCALE, "scale", 1, 4, [numbers])
    np.testing.assert_array_equal(numbers, np.arange(4))


def test_ptx_that_is_none():
    with pytest.raises(LaunchError, match="kernel.ptx:1:1|no_kernel.ptx"):
        emulate(".versio 8.0\n", "no_kernel", 1, 1)
    with pytest.raises(ValueError, match=r"pathlib.Path\('add_one.ptx'\)"):
        emulate("add_one.ptx", "add_one", 1, 1)
    with pytest.raises(FileNotFoundError):
        emulate(Path("nowhere.ptx"), "add_one", 1, 1)
    with pytest.raises(LaunchError, match="has no kernel `scala`.*`scale`"):
        emulate(SCALE, "scala", 1, 1)


def test_an_instruction_that_is_not_there_is_named():
    text = COUNT.replace("ret;", "tcgen05.wait::ld.sync.aligned;\n    ret;").replace("sm_90a", "sm_100a")
    with pytest.raises(UnsupportedError, match=r"count.ptx:\d+.*tcgen05.wait"):
        emulate(text.replace("8.0", "8.6"), "count", 1, 1, [np.zeros(1, np.int32)])


def test_what_a_kernel_prints_is_printed(capsys):
    text = HEADER + """
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.visible .global .align 1 .b8 text[4] = {104, 105, 10, 0};
.visible .entry hello()
{
    .reg .b64 %rd<2>;
    mov.u64 %rd1, text;
    cvta.global.u64 %rd1, %rd1;
    {
        .param .b64 format;
        .param .b64 arguments;
        .param .b32 result;
        st.param.b64 [format], %rd1;
        st.param.b64 [arguments], 0;
        call.uni (result), vprintf, (format, arguments);
    }
    ret;
}"""
    result = emulate(text, "hello", 1, 2, seeds=range(3))
    assert result.printed == "hi\nhi\n"
    assert capsys.readouterr().out == "hi\nhi\n"
