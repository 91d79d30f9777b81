//! The instructions that PTX has.

use std::{collections::HashSet, sync::LazyLock};

use ptx::Module;

/// Version of the PTX ISA that these instructions are from; a later one may have more.
const VERSION: (u32, u32) = (9, 0);

/// The first parts of all opcodes. PTX ISA 9.7.
const STEMS: &str = "
    abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call
    clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence fma
    fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier
    membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red
    redux rem ret rsqrt sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix
    sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vabsdiff2 vabsdiff4 vadd
    vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4
    wgmma wmma xor
";

/// Returns whether instructions of a module can be looked up here.
pub(super) fn are_known(module: &Module) -> bool {
    (module.version.major, module.version.minor) <= VERSION
}

/// Returns whether an instruction's opcode begins with this stem. Stems that begin with `_` are internal to
/// ptxas.
pub(super) fn is_known(stem: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| STEMS.split_whitespace().collect());
    stem.starts_with('_') || ALL.contains(stem)
}

#[cfg(test)]
mod tests {
    use super::is_known;

    #[test]
    fn all_forms_are_known() {
        for form in ptx_isa::forms() {
            let opcode = form.opcode();
            let stem = opcode.split('.').next().unwrap_or_default();
            assert!(is_known(stem), "{opcode}");
        }
        assert!(!is_known("foo") && !is_known(""));
    }
}
