//! The PTX ISA version that an instruction needs.

use ptx::{Block, Instruction, Module, Operand, Statement};

use super::{Finding, Kind, rust_place};
use crate::PtxIsa;

/// An opcode begins with the first, has all of the second, and needs the version: the highest of
/// all rows that fit. Source: the "PTX ISA Notes" of each instruction, tried with ptxas.
const NEEDED: &[(&str, &[&str], PtxIsa)] = &[
    ("mbarrier", &["shared::cta"], v(7, 8)),
    ("mbarrier", &["shared::cluster"], v(8, 0)),
    ("mbarrier.test_wait.parity", &[], v(7, 1)),
    ("mbarrier.try_wait", &[], v(7, 8)),
    ("mbarrier.expect_tx", &[], v(8, 0)),
    ("mbarrier.complete_tx", &[], v(8, 0)),
    ("mbarrier.arrive.expect_tx", &[], v(8, 0)),
    ("mbarrier.arrive_drop.expect_tx", &[], v(8, 0)),
    ("mbarrier", &["release"], v(8, 0)),
    ("mbarrier", &["acquire"], v(8, 0)),
    ("mbarrier.arrive", &["relaxed"], v(8, 6)),
    ("mbarrier.arrive_drop", &["relaxed"], v(8, 6)),
    ("mbarrier.test_wait", &["relaxed"], v(8, 6)),
    ("mbarrier.try_wait", &["relaxed"], v(8, 6)),
    ("mbarrier.check_layout", &[], v(9, 3)),
    ("mbarrier", &["layout::v0"], v(9, 3)),
    ("mbarrier", &["layout::v1"], v(9, 3)),
    ("mbarrier", &["phase_type::primary"], v(9, 3)),
    ("mbarrier", &["phase_type::conditional"], v(9, 3)),
    ("mbarrier", &["multicast::cluster::32b"], v(9, 4)),
    ("cp.async.mbarrier.arrive", &["shared::cta"], v(7, 8)),
    ("fence", &["cluster"], v(7, 8)),
    ("fence.acquire", &[], v(8, 6)),
    ("fence.release", &[], v(8, 6)),
    ("fence.mbarrier_init", &[], v(8, 0)),
    ("fence.proxy.alias", &[], v(7, 5)),
    ("fence.proxy.async", &[], v(8, 0)),
    ("membar.proxy.async", &[], v(8, 0)),
    ("fence.proxy.async::generic", &[], v(8, 6)),
    ("fence.proxy.tensormap::generic", &[], v(8, 3)),
    ("tensormap", &[], v(8, 3)),
    ("tensormap.replace", &["swizzle_atomicity"], v(8, 6)),
    ("cp.async.bulk", &[], v(8, 0)),
    ("cp.async.bulk.shared::cta", &[], v(8, 6)),
    ("cp.async.bulk", &["cp_mask"], v(8, 6)),
    ("cp.async.bulk", &["ignore_oob"], v(9, 2)),
    ("cp.async.bulk", &["multicast::cluster::32b"], v(9, 4)),
    (
        "cp.async.bulk.tensor",
        &["1d", "shared::cta", "mbarrier::complete_tx::bytes"],
        v(8, 6),
    ),
    (
        "cp.async.bulk.tensor",
        &["2d", "shared::cta", "mbarrier::complete_tx::bytes"],
        v(8, 6),
    ),
    (
        "cp.async.bulk.tensor",
        &["3d", "shared::cta", "mbarrier::complete_tx::bytes"],
        v(8, 6),
    ),
    (
        "cp.async.bulk.tensor",
        &["4d", "shared::cta", "mbarrier::complete_tx::bytes"],
        v(8, 6),
    ),
    (
        "cp.async.bulk.tensor",
        &["5d", "shared::cta", "mbarrier::complete_tx::bytes"],
        v(8, 6),
    ),
    ("cp.async.bulk", &["tile::gather4"], v(8, 6)),
    ("cp.async.bulk", &["tile::scatter4"], v(8, 6)),
    ("cp.async.bulk", &["im2col::w"], v(8, 6)),
    ("cp.async.bulk", &["im2col::w::128"], v(8, 6)),
    ("cp.async.bulk", &["cta_group::1"], v(8, 6)),
    ("cp.async.bulk", &["cta_group::2"], v(8, 6)),
    ("cp.reduce.async.bulk", &[], v(8, 0)),
    ("prefetch", &["tensormap"], v(8, 0)),
    ("prefetch", &["global", "L2::evict_last"], v(7, 4)),
    ("prefetch", &["global", "L2::evict_normal"], v(7, 4)),
    ("applypriority", &[], v(7, 4)),
    ("discard", &[], v(7, 4)),
    ("createpolicy", &[], v(7, 4)),
    ("st.async", &[], v(8, 1)),
    ("st.async", &["release"], v(8, 7)),
    ("red.async", &[], v(8, 1)),
    ("red.async", &["release"], v(8, 7)),
    ("st.bulk", &[], v(8, 6)),
    ("barrier.cluster", &[], v(7, 8)),
    ("barrier.cluster", &["release"], v(8, 0)),
    ("barrier.cluster", &["relaxed"], v(8, 0)),
    ("barrier.cluster", &["acquire"], v(8, 0)),
    ("mapa", &[], v(7, 8)),
    ("getctarank", &[], v(7, 8)),
    ("isspacep", &["shared::cta"], v(7, 8)),
    ("isspacep", &["shared::cluster"], v(7, 8)),
    ("cvta", &["shared::cta"], v(7, 8)),
    ("cvta", &["shared::cluster"], v(7, 8)),
    ("cvta.param", &[], v(7, 7)),
    ("cvta.to.param", &[], v(7, 7)),
    ("elect", &[], v(8, 0)),
    ("griddepcontrol", &[], v(7, 8)),
    ("clusterlaunchcontrol", &[], v(8, 6)),
    ("setmaxnreg", &[], v(8, 0)),
    ("wgmma", &[], v(8, 0)),
];

/// Special registers that came later than others.
const NEEDED_BY_REGISTER: &[(&str, PtxIsa)] = &[
    ("%cluster", v(7, 8)),
    ("%ncluster", v(7, 8)),
    ("%is_explicit_cluster", v(7, 8)),
];

/// Values of a field that came later than the field: from this one on.
const NEEDED_BY_VALUE: &[(&str, i64, PtxIsa)] =
    &[("elemtype", 13, v(8, 7)), ("swizzle_mode", 4, v(8, 8))];

const fn v(major: u32, minor: u32) -> PtxIsa {
    PtxIsa::new(major, minor)
}

/// The lowest PTX ISA version that has this form, as far as it is above what every supported
/// architecture has anyway.
pub fn required_isa(instruction: &Instruction) -> Option<PtxIsa> {
    let opcode = &instruction.opcode;
    let fits = |(prefix, modifiers): (&str, &[&str])| {
        opcode.starts_with(prefix) && modifiers.iter().all(|modifier| opcode.has(modifier))
    };
    let by_opcode = NEEDED
        .iter()
        .filter(|(prefix, modifiers, _)| fits((prefix, modifiers)));
    let mut names = Vec::new();
    instruction.for_each_name(|name| names.push(name.as_str()));
    let by_register = NEEDED_BY_REGISTER
        .iter()
        .filter(|(prefix, _)| names.iter().any(|name| name.starts_with(prefix)));
    let value = instruction.operands.last().and_then(Operand::as_integer);
    let by_value = NEEDED_BY_VALUE.iter().filter(|(field, first, _)| {
        opcode.starts_with("tensormap.replace")
            && opcode.has(field)
            && value.is_some_and(|value| value >= *first)
    });
    let rows = by_opcode
        .map(|row| row.2)
        .chain(by_register.map(|row| row.1));
    rows.chain(by_value.map(|row| row.2)).max()
}

/// Gives the module the version that its instructions need, where that is higher.
pub(crate) fn raise_version(module: &mut Module) {
    let bodies = module
        .functions()
        .filter_map(|function| function.body.as_ref());
    let instructions = bodies
        .flat_map(Block::walk)
        .filter_map(|statement| match statement {
            Statement::Instruction(instruction) => required_isa(instruction),
            _ => None,
        });
    let version = PtxIsa::new(module.version.major, module.version.minor);
    if let Some(needed) = instructions.max().filter(|needed| *needed > version) {
        module.version.major = needed.major;
        module.version.minor = needed.minor;
    }
}

/// The first place of each instruction form that the module's version lacks.
pub(super) fn newer(module: &Module, function: &str, body: &Block) -> Vec<Finding> {
    let version = PtxIsa::new(module.version.major, module.version.minor);
    let mut findings: Vec<Finding> = Vec::new();
    let mut location = None;
    for statement in body.walk() {
        match statement {
            Statement::Location(at) => location = Some(at),
            Statement::Instruction(instruction) => {
                let Some(needed) = required_isa(instruction).filter(|needed| *needed > version)
                else {
                    continue;
                };
                let kind = Kind::NewerInstruction {
                    instruction: instruction.opcode.name().to_owned(),
                    needed,
                    module: version,
                };
                if findings.iter().all(|finding| finding.kind != kind) {
                    let rust = rust_place(module, location);
                    findings.push(Finding {
                        kind,
                        function: function.to_owned(),
                        rust,
                    });
                }
            }
            _ => {}
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Version and text of forms that ptxas was asked about, one a line.
    const FORMS: &str = include_str!("isa_forms.tsv");

    #[test]
    fn every_form_needs_what_ptxas_says() {
        let floor = v(7, 8);
        let mut wrong = Vec::new();
        let mut forms = 0;
        for line in FORMS.lines() {
            let (version, text) = line.split_once('\t').unwrap();
            let (major, minor) = version.split_once('.').unwrap();
            let version = v(major.parse().unwrap(), minor.parse().unwrap());
            let statements = ptx::parse_statements(text).unwrap();
            let needed = statements.iter().filter_map(|statement| match statement {
                Statement::Instruction(instruction) => required_isa(instruction),
                _ => None,
            });
            let needed = needed.max().unwrap_or(floor).max(floor);
            forms += 1;
            if needed != version.max(floor) {
                wrong.push(format!("{version} not {needed}: {text}"));
            }
        }
        assert!(forms > 1000, "{forms} forms");
        assert!(
            wrong.is_empty(),
            "{} wrong:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}
