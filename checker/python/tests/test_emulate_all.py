"""Several launches in the same memory."""

import numpy as np
import pytest
from ptx import COUNT, FROM_POINTER, FROM_TABLE, HEADER, SCALE, copy
from tma_emulator import Launch, LaunchError, emulate_all

# A variable with the same name as one of `copy`, but distinct, since it is in another module.
NEXT = HEADER + """
.visible .global .align 8 .u64 total = 40;
.visible .entry next(.param .u64 to)
{
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [to];
    ld.global.u64 %rd2, [total];
    add.u64 %rd2, %rd2, 2;
    st.global.u64 [total], %rd2;
    st.global.u64 [%rd1], %rd2;
    ret;
}
"""


def test_launches_of_several_modules_see_what_those_before_left():
    numbers = np.arange(70, dtype=np.float32)
    factor = np.float32(3)
    count = numbers[5:6].view(np.int32)
    launches = [
        Launch(SCALE, "scale", 1, 64, [numbers, factor]),
        Launch(COUNT, "count", 1, 1, [count]),
        Launch(SCALE, "scale", 1, 1, [numbers[64:], factor]),
    ]
    expected = np.arange(70, dtype=np.float32)
    expected[:65] *= 3
    # The next number of the same exponent.
    expected[5] = np.nextafter(np.float32(15), np.float32(16))
    result = emulate_all(launches, seeds=range(4))
    np.testing.assert_array_equal(numbers, expected)
    assert result.is_clean and len(result.runs) == 4
    # The kernels have nine and five instructions.
    assert result.steps == 64 * 9 + 5 + 9


def test_variables_live_until_the_last_launch_and_each_module_has_its_own():
    source, to = np.array([9], np.uint64), np.zeros(2, np.uint64)
    copies = copy(FROM_POINTER)
    total, other = np.array([100], np.uint64), np.array([70], np.uint64)
    launches = [
        Launch(copies, "copy", 1, 1, [to, source]),
        Launch(NEXT, "next", 1, 1, [to[1:]], variables={"total": other}),
        Launch(copies, "copy", 1, 1, [to, source], variables={"total": total}),
        Launch(NEXT, "next", 1, 1, [to[1:]]),
    ]
    emulate_all(launches)
    assert (total[0], other[0]) == (102, 74)
    np.testing.assert_array_equal(to, [9, 74])
    # Without contents from the caller they start with their initial values.
    emulate_all(launches[3:])
    np.testing.assert_array_equal(to, [9, 42])


def test_a_finding_names_the_kernel_and_later_launches_do_not_run():
    numbers = np.ones(8, np.float32)
    launches = [
        Launch(COUNT, "count", 1, 1, [np.zeros(1, np.int32)]),
        Launch(SCALE, "scale", 1, 9, [numbers, np.float32(2)]),
        Launch(SCALE, "scale", 1, 8, [numbers, np.float32(2)]),
    ]
    result = emulate_all(launches, check=False)
    assert [(finding.kind, finding.entry) for finding in result.findings] == [("out-of-bounds", "scale")]
    assert "`launches[1].args[0]`" in str(result)
    assert result.steps is None


def test_what_is_wrong_with_a_launch_is_said_before_any_runs():
    numbers = np.ones(8, np.float32)
    fine = Launch(SCALE, "scale", 1, 8, [numbers, np.float32(2)])
    with pytest.raises(TypeError, match=r"launches\[1\].args\[1\] is 5, but a Python number has no size"):
        emulate_all([fine, Launch(SCALE, "scale", 1, 8, [numbers, 5])])
    with pytest.raises(ValueError, match=r"launches\[1\].grid = -1"):
        emulate_all([fine, Launch(SCALE, "scale", -1, 8, [numbers, np.float32(2)])])
    with pytest.raises(LaunchError, match="scales"):
        emulate_all([fine, Launch(SCALE, "scales", 1, 8, [numbers, np.float32(2)])])
    with pytest.raises(ValueError, match="launches must not be empty"):
        emulate_all([])
    table = np.zeros(1, np.uint64)
    twice = Launch(copy(FROM_TABLE), "copy", 1, 1, [table, None], variables={"table": table})
    with pytest.raises(ValueError, match=r"variables\['table'\] is set by two launches of the same module"):
        emulate_all([twice, twice])
    np.testing.assert_array_equal(numbers, np.ones(8, np.float32))


def test_texts_of_the_same_name_are_told_apart():
    numbers = np.ones(8, np.float32)
    add = SCALE.replace("mul.f32", "add.f32")
    launches = [Launch(text, "scale", 1, 8, [numbers, np.float32(3)]) for text in (SCALE, add)]
    emulate_all(launches)
    np.testing.assert_array_equal(numbers, np.full(8, 6))
    last = Launch(add, "scale", 1, 9, [numbers, np.float32(3)])
    result = emulate_all([launches[0], last], check=False)
    assert [finding.here.file for finding in result.findings] == ["scale.ptx of module 1"]
