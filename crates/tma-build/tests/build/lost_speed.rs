//! Messages of ptxas that lose speed: small kernels that provoke each, all but C7512, C7513 and C7516, for which
//! ptxas 13.0 was given none.

use std::fs;

use libtest_mimic::Failed;
use tma_build::{Arch, Assemble, Ptxas, finish::Marker, lint::lost_speed};

use super::{Crate, checks::checked, contains, holds, refused};

const FENCE: &str = "wgmma.fence.sync.aligned;\n";
const COMMIT: &str = "wgmma.commit_group.sync.aligned;\n";
const WAIT: &str = "wgmma.wait_group.sync.aligned 0;\n";
const ONE_LEFT: &str = "wgmma.wait_group.sync.aligned 1;\n";
/// Threads of a warp go on.
const IF_FIRST: &str = "@%first bra over;\n";
const OVER: &str = "over:\n";
const SET: &str = "mov.f32 %d0, 0f3f800000;\n";
const LOOP: &str = "again:\n";
const AGAIN: &str =
    "sub.u32 %count, %count, 1;\nsetp.ne.u32 %more, %count, 0;\n@%more bra again;\n";
const CALL: &str = "{ .param .b32 x; st.param.b32 [x], %count; call.uni other, (x); }\n";
const CALL_BY_ADDRESS: &str =
    "{ .param .b32 x; st.param.b32 [x], %count; call %function, (x), of_a_number; }\n";

/// A function that is not inlined.
const RECURSIVE: &str = ".func other(.param .b32 x)\n{\n.reg .b32 %left;\n.reg .b64 %at;\n.reg .pred %is_over;\n\
    ld.param.b32 %left, [x];\ncvt.u64.u32 %at, %left;\nsetp.eq.u32 %is_over, %left, 0;\n@%is_over ret;\n\
    sub.u32 %left, %left, 1;\n\
    { .param .b32 y; st.param.b32 [y], %left; call.uni other, (y); }\nst.global.u32 [%at], %left;\nret;\n}\n";

/// One that is called by its address.
const PLAIN: &str = ".visible .func other(.param .b32 x)\n{\n.reg .b64 %at;\nmov.u64 %at, 0;\n\
    st.global.u32 [%at], 1;\nret;\n}\n";

/// Kernels by their bodies, with the columns of a product, and the directives of the kernel.
struct Fixture {
    finds: &'static [&'static str],
    columns: usize,
    directives: &'static str,
    body: Vec<String>,
}

fn product(columns: usize) -> String {
    let sums: Vec<String> = (0..columns / 2).map(|i| format!("%d{i}")).collect();
    let sums = sums.join(", ");
    format!(
        ".loc 1 70 1\nwgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16 {{{sums}}}, %a, %b, 1, 1, 1, 0, 0;\n"
    )
}

fn fixtures() -> Vec<Fixture> {
    let small = || product(8);
    let fixture = |finds, body: &[&str]| Fixture {
        finds,
        columns: 8,
        directives: "",
        body: body.iter().map(|part| (*part).to_owned()).collect(),
    };
    let store = "st.global.f32 [%to], %d0;\n";
    let takes = |count: u32| format!("setmaxnreg.dec.sync.aligned.u32 {count};\n");
    let large = |directives, finds, count| Fixture {
        columns: 256,
        directives,
        ..fixture(finds, &[&takes(count), FENCE, &product(256), COMMIT, WAIT])
    };
    vec![
        fixture(&[], &[FENCE, &small(), COMMIT, WAIT]),
        large(".maxntid 384\n.minnctapersm 1\n", &["C7507"], 40),
        large("", &["C7508"], 160),
        Fixture {
            directives: ".maxntid 384\n.minnctapersm 1\n",
            ..fixture(
                &["C7506", "C7509"],
                &[&takes(160), FENCE, &small(), COMMIT, WAIT, CALL],
            )
        },
        fixture(&["C7509"], &[FENCE, &small(), COMMIT, WAIT, CALL]),
        fixture(
            &["C7510"],
            &[FENCE, &small(), COMMIT, WAIT, CALL_BY_ADDRESS],
        ),
        fixture(
            &["C7519", "C7511"],
            &[FENCE, &small(), COMMIT, SET, &small(), COMMIT, WAIT],
        ),
        fixture(
            &["C7514"],
            &[
                LOOP,
                FENCE,
                &small(),
                COMMIT,
                ONE_LEFT,
                "add.f32 %d0, %d0, %d0;\n",
                AGAIN,
                WAIT,
            ],
        ),
        fixture(
            &["C7515"],
            &[LOOP, FENCE, &small(), COMMIT, ONE_LEFT, SET, AGAIN, WAIT],
        ),
        fixture(
            &["C7517"],
            &[FENCE, &small(), COMMIT, store, &small(), COMMIT, WAIT],
        ),
        fixture(&["C7518"], &[FENCE, &small(), COMMIT, IF_FIRST, WAIT, OVER]),
        fixture(&["C7519"], &[&small(), COMMIT, WAIT]),
        fixture(&["C7520"], &[FENCE, IF_FIRST, &small(), COMMIT, OVER, WAIT]),
    ]
}

impl Fixture {
    fn text(&self) -> String {
        let sums = self.columns / 2;
        let zeros: String = (0..sums)
            .map(|i| format!("mov.f32 %d{i}, 0f00000000;\n"))
            .collect();
        let stores: String = (0..sums)
            .map(|i| format!("st.global.f32 [%to+{}], %d{i};\n", 4 * i))
            .collect();
        let other = match self.body.iter().any(|part| part == CALL) {
            true => RECURSIVE,
            false => PLAIN,
        };
        format!(
            ".version 8.3\n.target sm_90a\n.address_size 64\n\
             {other}\
             .visible .entry product(.param .u64 output, .param .u32 count)\n{}{{\n\
             .reg .pred %first, %more;\n.reg .b32 %thread, %count;\n.reg .b64 %to, %a, %b, %function;\n\
             .reg .f32 %d<{sums}>;\n\
             of_a_number: .callprototype _ (.param .b32 _);\n.loc 1 60 1\nld.param.u64 %to, [output];\n\
             ld.param.u32 %count, [count];\nmov.u32 %thread, %tid.x;\nsetp.lt.u32 %first, %thread, 128;\n\
             mov.u64 %function, other;\ncvt.u64.u32 %a, %count;\nmov.u64 %b, %a;\n{zeros}{}.loc 1 80 1\n{stores}ret;\n}}\n\
             .file 1 \"src/lib.rs\"\n",
            self.directives,
            self.body.concat(),
        )
    }
}

pub(crate) fn messages() -> Result<(), Failed> {
    let ptxas = Ptxas::find_for(Arch::Sm90a)?;
    let folder = tempfile::tempdir()?;
    let (path, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
    for fixture in fixtures() {
        let module = ptx::parse(&fixture.text()).map_err(|errors| errors.to_string())?;
        fs::write(&path, module.to_string())?;
        let messages = ptxas.messages(&path, Arch::Sm90a, &cubin)?;
        let found = lost_speed(&messages, &module, &[]);
        let codes: Vec<&str> = found.iter().map(|found| found.lint.name()).collect();
        holds(
            codes == fixture.finds,
            format!("{:?}: {messages}", fixture.finds),
        )?;
        for diagnostic in &found {
            let line = diagnostic.location.as_deref();
            let near = ["src/lib.rs:70", "src/lib.rs:60", "src/lib.rs:80"];
            holds(
                line.is_some_and(|line| near.contains(&line)),
                format!("{diagnostic}"),
            )?;
            contains(
                &diagnostic.to_string(),
                &[
                    "in `product` (src/lib.rs:",
                    "ptxas reports: ",
                    "#[kernel(allow(C75",
                ],
            )?;
        }
        let marker = Marker {
            kernel: "product".to_owned(),
            allowed: codes.iter().map(|code| (*code).to_owned()).collect(),
            ..Marker::default()
        };
        holds(
            lost_speed(&messages, &module, &[marker]).is_empty(),
            format!("{codes:?} are allowed"),
        )?;
    }
    Ok(())
}

/// A message that names no function, and one that names a function which a kernel calls.
pub(crate) fn named_function() -> Result<(), Failed> {
    let messages = "\
ptxas info    : (C7506) Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility into 'extern' call.
ptxas info    : (C7509) Potential Performance Loss: wgmma.mma_async instructions are serialized due to the presence of \
Extern calls in the function 'panic'
ptxas info    : (C7999) Something else in the function 'calls'
";
    let entry = |name: &str, body: &str| {
        format!(
            ".visible .entry {name}()\n{{\n.reg .f32 %d<4>;\n.reg .b64 %a;\n{body}\
             wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%d0, %d1, %d2, %d3}}, %a, %a, 1, 1, 1, 0, 0;\nret;\n}}\n"
        )
    };
    let text = format!(
        ".version 8.3\n.target sm_90a\n.address_size 64\n.func panic()\n{{\nret;\n}}\n{}{}",
        entry(
            "calls",
            "setmaxnreg.dec.sync.aligned.u32 40;\ncall.uni panic;\n"
        ),
        entry("does_not", ""),
    );
    let module = ptx::parse(&text).map_err(|errors| errors.to_string())?;
    let found = lost_speed(messages, &module, &[]);
    let found: Vec<_> = found
        .iter()
        .map(|found| (found.lint.name(), found.function.as_str()))
        .collect();
    holds(
        found == [("C7506", "calls"), ("C7509", "calls")],
        format!("{found:?}"),
    )
}

pub(crate) fn refused_unless_allowed() -> Result<(), Failed> {
    let kernel = "#[kernel(max_threads = 128)]\npub unsafe fn unfenced(out: *mut f32, a: u64, b: u64) {\n    \
                  use tma::ptx::{Aligned, Bf16, wgmma};\n    unsafe {\n    \
                  let d = wgmma::mma_async::<[f32; 4], Bf16, Bf16, 1, 1, 0, 0>([0.0; 4], a, b, true);\n    \
                  wgmma::commit_group_sync::<Aligned>();\n    wgmma::wait_group_sync::<Aligned, 0>();\n    \
                  *out = d[0];\n    }\n}\n";
    let slow = Crate::new(kernel)?;
    let error = refused(&slow.builder().assemble(Assemble::Always))?;
    contains(
        &error,
        &[
            "C7519: in `unfenced` (src/",
            "): ptxas reports: warpgroup.arrive is injected",
            "`wgmma.fence`",
            "or write `#[kernel(allow(C7519))]`",
        ],
    )?;
    let checked = checked(slow.builder()).assemble(Assemble::Always);
    contains(
        &checked.build()?.warnings.join("\n"),
        &["C7519: in `unfenced`"],
    )?;
    let allowed = kernel.replace("128)", "128, allow(C7517, C7519))");
    let allowed = Crate::new(&allowed)?;
    let builder = allowed.builder().assemble(Assemble::Always);
    holds(builder.build()?.warnings.is_empty(), "a warning is left")
}
