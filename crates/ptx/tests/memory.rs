//! Reading a text takes memory in proportion to it, whatever stands there.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

/// Counts the bytes that are taken, and the most that were.
struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let taken = TAKEN.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(taken, Ordering::Relaxed);
        // SAFETY: the caller keeps `alloc`'s conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps `dealloc`'s conditions, and the pointer is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let before = TAKEN.fetch_add(size, Ordering::Relaxed);
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        MOST.fetch_max(before + size - layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps `realloc`'s conditions, and the pointer is the system's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TEXT_BYTES: usize = 1 << 20;

/// The most bytes that reading takes, in sizes of the text.
fn most(text: &str) -> f64 {
    let before = TAKEN.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    drop(ptx::parse(text));
    (MOST.load(Ordering::Relaxed) - before) as f64 / text.len() as f64
}

/// Repeats of a part of a kernel, and of a module.
fn texts(part: &str) -> [String; 2] {
    let body = part.repeat(TEXT_BYTES / part.len());
    let header = ".version 8.6\n.target sm_90a\n.address_size 64\n";
    [
        format!("{header}.visible .entry k()\n{{\n{body}\n}}\n"),
        format!("{header}{body}"),
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

/// As dense as a text can be made.
const DENSE: [&str; 22] = [
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
    ".reg.b32 a;",
    ".reg.b32 a,a,a,a,a,a;",
    ".pragma\"a\";",
    "a:.branchtargets a,a,a;",
    "!",
    "\"",
    "é",
    ".global.b32 a={1,1,1,1,1,1,1,1,1,1,1};",
    ".global.b32 a={a,a,a,{1},{1},a,a,1+1};",
    ".global.b32 a=1+1+1+1+1+1+1+-1;",
];

// One test, as what others take would count, too.
#[test]
fn reading_takes_memory_in_proportion_to_the_text() {
    for (parts, limit) in [(&USUAL[..], 40.0), (&DENSE[..], 140.0)] {
        for text in parts.iter().flat_map(|part| texts(part)) {
            let most = most(&text);
            let beginning: String = text.chars().skip(46).take(80).collect();
            assert!(most <= limit, "{most} times the size of {beginning:?}");
        }
    }
}
