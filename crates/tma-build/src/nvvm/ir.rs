//! LLVM IR as libNVVM takes it.

use std::fmt::Write as _;

use crate::Arch;

/// "NVVM IR Specification", data layout of 64-bit addresses.
const DATA_LAYOUT: &str = "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-\
     f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"";

/// The intrinsics that Blackwell's targets lack, as which a module for Hopper is compiled.
const OF_HOPPER: &str = "@llvm.nvvm.wgmma.";

/// The architecture to compile for. libNVVM takes modern IR from compute_100 on: a module for Hopper is compiled as one
/// for it, and ptxas judges what comes of it.
pub(crate) fn virtual_arch(arch: Arch) -> String {
    let number = match arch {
        Arch::Sm90 => "100",
        Arch::Sm90a => "100a",
        arch => arch.name().trim_start_matches("sm_"),
    };
    format!("compute_{number}")
}

/// Returns the module with libNVVM's data layout and version, and without intrinsics that its architecture lacks.
pub(super) fn adapted(llvm_ir: &str, arch: Arch) -> String {
    let is_retargeted = arch.is_hopper();
    let mut text = String::with_capacity(llvm_ir.len() + 1024);
    let mut metadata = 0;
    for line in llvm_ir.lines() {
        let node = line
            .strip_prefix('!')
            .and_then(|rest| rest.split_once(" = "));
        if let Some(Ok(number)) = node.map(|(number, _)| number.parse::<u32>()) {
            metadata = metadata.max(number + 1);
        }
        if line.starts_with("target datalayout") {
            text += DATA_LAYOUT;
        } else if is_retargeted && line.contains(OF_HOPPER) {
            match as_asm(line) {
                Some(call) => text += &call,
                // The declaration.
                None => continue,
            }
        } else {
            text += line;
        }
        text.push('\n');
    }
    // NVVM IR 2.0 with debug information 3.2.
    let _ = writeln!(
        text,
        "!nvvmir.version = !{{!{metadata}}}\n!{metadata} = !{{i32 2, i32 0, i32 3, i32 2}}"
    );
    text
}

/// The call of an intrinsic as its instruction.
fn as_asm(line: &str) -> Option<String> {
    let (before, call) = line.split_once("call void ")?;
    let (name, rest) = call.strip_prefix("@llvm.nvvm.")?.split_once('(')?;
    let (argument, rest) = rest.split_once(')')?;
    let argument = argument.rsplit(' ').next().unwrap_or_default();
    let space = if argument.is_empty() { "" } else { " " };
    Some(format!(
        "{before}call void asm sideeffect \"{name}{space}{argument};\", \"~{{memory}}\"(){rest}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
target datalayout = \"e-n16:32:64\"
  tail call void @llvm.nvvm.wgmma.fence.sync.aligned(), !dbg !4
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 1) #5, !dbg !4
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 immarg) #5
!llvm.dbg.cu = !{!0}
!4 = distinct !{i32 1}
!3 = !{}
";

    #[test]
    fn a_module_gets_layout_and_version() {
        let text = adapted(MODULE, Arch::Sm100a);
        assert!(text.starts_with(DATA_LAYOUT), "{text}");
        assert!(text.contains("wait_group.sync.aligned(i64 1) #5"), "{text}");
        let end = "!3 = !{}\n!nvvmir.version = !{!5}\n!5 = !{i32 2, i32 0, i32 3, i32 2}\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn what_only_hopper_has_becomes_asm() {
        let text = adapted(MODULE, Arch::Sm90a);
        for line in [
            "  tail call void asm sideeffect \"wgmma.fence.sync.aligned;\", \"~{memory}\"(), !dbg !4\n",
            "  call void asm sideeffect \"wgmma.wait_group.sync.aligned 1;\", \"~{memory}\"() #5, !dbg !4\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
        assert!(!text.contains(OF_HOPPER), "{text}");
    }

    #[test]
    fn hopper_is_compiled_as_blackwell() {
        assert_eq!(virtual_arch(Arch::Sm90), "compute_100");
        assert_eq!(virtual_arch(Arch::Sm90a), "compute_100a");
        assert_eq!(virtual_arch(Arch::Sm120f), "compute_120f");
    }
}
