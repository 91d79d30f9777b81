//! PTX of another compiler that ptxas assembles.

use libtest_mimic::Failed;
use tma_build::{Arch, Assemble, FinishOptions, finish_ptx};

use crate::crates::holds;

const KERNEL: &str = "\
.version 9.2
.target sm_100a
.address_size 64
.file 1 \"src/k.rs\"
.visible .entry k(.param .b64 data)
{
	.reg .b64 %rd<2>;
	.loc 1 7 5
	ld.param.b64 %rd1, [data];
	st.global.b64 [%rd1], %rd1;
	ret;
}
";

pub(crate) fn assembled() -> Result<(), Failed> {
    let options = FinishOptions::new(Arch::Sm90a).assemble(Assemble::Always);
    let finished = finish_ptx("k.ptx", KERNEL, options)?;
    let registers = finished
        .resources
        .and_then(|kernels| Some(kernels.get("k")?.registers));
    holds(
        registers.is_some_and(|registers| registers > 0),
        "no registers are reported",
    )?;
    let text = KERNEL.replace("ret;", "frob.b32 %rd1;\n\tret;");
    let error = finish_ptx("k.ptx", &text, options)
        .err()
        .map(|error| error.to_string());
    let error = error.unwrap_or_default();
    holds(
        error.contains("frob.b32 %rd1;\n    from src/k.rs:7"),
        &error,
    )
}
