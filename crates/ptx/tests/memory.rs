//! Parsing a text takes memory in proportion to its length, whatever the text is.

#[path = "common/counting.rs"]
mod counting;

use counting::most_bytes;

const TEXT_BYTES: usize = 1 << 18;

/// The most bytes that reading takes, in sizes of the text.
fn most(text: &str) -> f64 {
    most_bytes(|| drop(ptx::parse(text))) as f64 / text.len() as f64
}

/// Repeats of a part of a kernel, of a module, and of two long lists.
fn texts(part: &str) -> [String; 4] {
    let body = part.repeat(TEXT_BYTES / part.len());
    let header = ".version 8.6\n.target sm_90a\n.address_size 64\n";
    [
        format!("{header}.visible .entry k()\n{{\n{body}\n}}\n"),
        format!("{header}{body}"),
        format!("{header}.visible .entry k()\n{{\nmov {body}a;\n}}\n"),
        format!("{header}.global .b32 a = {{{body}a}};\n"),
    ]
}

/// Lines as compilers write them.
const USUAL: [&str; 9] = [
    "\tadd.s32 %r1, %r2, 5;\n",
    "\t@%p1 mad.lo.s32 %r1, %r2, %r3, %r4;\n",
    "\tld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+16];\n",
    "\tst.shared.u32 [%r1+4], %r2;\n",
    "\t@!%p1 bra $L__BB0_1;\n",
    "$L__BB0_1:\n",
    "\t.loc 1 28 0\n",
    "\t.reg .b32 %r<12>;\n",
    ".visible .entry k(.param .u64 k_param_0)\n{\n\tret;\n}\n",
];

/// Returns a text with the densest possible syntax.
const DENSE: [&str; 33] = [
    "ret;",
    "a:",
    "{}",
    "{",
    "bra a;",
    ";",
    "a b",
    "a;a,",
    "mov a,b+-1;",
    "mov a,1+1+1+1;",
    "call(a),b,(c,d);",
    "mov{a,a,a,a,a,a},b;",
    "mov a|b,a|b,!a,!a,[a],_;",
    "a:.callprototype _;",
    "\n",
    "/* ",
    "{\n/*",
    ".reg.b32 a;",
    ".reg.b32 a,a,a,a,a,a;",
    ".pragma\"a\";",
    "a:.branchtargets a,a,a;",
    "!",
    "\"",
    "é",
    "a,",
    "1,",
    "{a},",
    "a|b,",
    "!a,",
    "a+1,",
    ".global.b32 a={1,1,1,1,1,1,1,1,1,1,1};",
    ".global.b32 a={a,a,a,{1},{1},a,a,1+1};",
    ".global.b32 a=1+1+1+1+1+1+1+-1;",
];

// One test, as what others take would count, too.
#[test]
fn reading_takes_memory_in_proportion_to_the_text() {
    for (parts, limit) in [(&USUAL[..], 15.0), (&DENSE[..], 40.0)] {
        for text in parts.iter().flat_map(|part| texts(part)) {
            let most = most(&text);
            let beginning: String = text.chars().skip(46).take(80).collect();
            assert!(most <= limit, "{most} times the size of {beginning:?}");
        }
    }
}
