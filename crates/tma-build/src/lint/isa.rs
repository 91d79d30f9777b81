//! The PTX ISA version that an instruction needs.

use std::collections::{HashMap, HashSet};

use ptx::{Block, Instruction, Module, Operand, OperandKind, Statement};
use ptx_isa::Version;

use super::{Diagnostic, Lint, rust_location};
use crate::PtxIsa;

/// The lowest PTX ISA version that has this form; `None` of what [`ptx_isa`] does not know.
pub fn required_isa(instruction: &Instruction) -> Option<PtxIsa> {
    isa_of(&form(instruction))
}

fn isa_of(form: &str) -> Option<PtxIsa> {
    let Version { major, minor } = ptx_isa::find(form)?.isa();
    Some(PtxIsa::new(major, minor))
}

/// An instruction as [`ptx_isa::find`] takes it.
fn form(instruction: &Instruction) -> String {
    let mut text = instruction.opcode.name().to_owned();
    let operands: Vec<String> = instruction.operands.iter().map(kind).collect();
    if !operands.is_empty() {
        text = format!("{text} {}", operands.join(", "));
    }
    text
}

/// An operand as [`ptx_isa::find`] takes it: registers are of a width that is not known.
fn kind(operand: &Operand) -> String {
    let list = |operands: &[Operand]| operands.iter().map(kind).collect::<Vec<_>>().join(",");
    match &operand.kind {
        OperandKind::Symbol(symbol) if symbol.name.as_str().starts_with('%') => {
            if is_of_a_compiler(symbol.name.as_str()) {
                return "?".to_owned();
            }
            let component = symbol.component.iter().map(|name| format!(".{name}"));
            symbol.name.as_str().to_owned() + &component.collect::<String>()
        }
        OperandKind::Sink => "_".to_owned(),
        OperandKind::Not(operand) => kind(operand),
        OperandKind::Pair(first, second) => format!("{}|{}", kind(first), kind(second)),
        OperandKind::Vector(elements) => format!("{{{}}}", list(elements)),
        OperandKind::Memory { address, rest } if rest.is_empty() => format!("[{}]", kind(address)),
        OperandKind::Memory { address, rest } => format!("[{},{}]", kind(address), list(rest)),
        _ => operand
            .as_integer()
            .map_or("?".to_owned(), |number| number.to_string()),
    }
}

/// Returns whether compilers give registers this name: one of their prefixes and a number.
fn is_of_a_compiler(register: &str) -> bool {
    let prefix = register.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let prefixes = ["%p", "%rs", "%r", "%rd", "%rq", "%f", "%fd", "%h", "%hh"];
    prefix.len() < register.len() && prefixes.contains(&prefix)
}

/// Raises the version of the module to the one that its instructions need.
pub(crate) fn raise_version(module: &mut Module) {
    let bodies = module
        .functions()
        .filter_map(|function| function.body.as_ref());
    // A module has each form many times, with other registers.
    let forms: HashSet<String> = bodies
        .flat_map(Block::walk)
        .filter_map(|statement| match statement {
            Statement::Instruction(instruction) => Some(form(instruction)),
            _ => None,
        })
        .collect();
    let version = PtxIsa::new(module.version.major, module.version.minor);
    let needed = forms.iter().filter_map(|form| isa_of(form)).max();
    if let Some(needed) = needed.filter(|needed| *needed > version) {
        module.version.major = needed.major;
        module.version.minor = needed.minor;
    }
}

/// The first location of each instruction form that the module's version lacks.
pub(super) fn newer(module: &Module, function: &str, body: &Block) -> Vec<Diagnostic> {
    let version = PtxIsa::new(module.version.major, module.version.minor);
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut location = None;
    let mut known = HashMap::new();
    for statement in body.walk() {
        match statement {
            Statement::Location(at) => location = Some(at),
            Statement::Instruction(instruction) => {
                let needed = known
                    .entry(form(instruction))
                    .or_insert_with_key(|form| isa_of(form));
                let Some(needed) = needed.filter(|needed| *needed > version) else {
                    continue;
                };
                let lint = Lint::NewerInstruction {
                    instruction: instruction.opcode.name().to_owned(),
                    needed,
                    module: version,
                };
                if diagnostics.iter().all(|diagnostic| diagnostic.lint != lint) {
                    diagnostics.push(Diagnostic {
                        lint,
                        function: function.to_owned(),
                        location: rust_location(module, location),
                        span: instruction.span,
                    });
                }
            }
            _ => {}
        }
    }
    diagnostics
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(text: &str) -> Option<PtxIsa> {
        let statements = ptx::parse_statements(text).unwrap();
        let needed = statements.iter().filter_map(|statement| match statement {
            Statement::Instruction(instruction) => required_isa(instruction),
            _ => None,
        });
        needed.max()
    }

    #[test]
    fn a_negated_operand_is_of_the_kind_of_its_register() {
        let statements = ptx::parse_statements("and.pred %p1, !%p2, %p3;").unwrap();
        let [Statement::Instruction(instruction)] = &statements[..] else {
            panic!("{statements:?}");
        };
        let kinds: Vec<String> = instruction.operands.iter().map(kind).collect();
        assert_eq!(kinds, ["?", "?", "?"]);
    }

    #[test]
    fn a_version_is_raised_and_never_lowered() {
        let raised = |version: &str| {
            let body = "mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd1, [%r1];";
            let head = format!(".version {version}\n.target sm_90\n.address_size 64");
            let text = format!("{head}\n.visible .entry k()\n{{\n{body}\nret;\n}}\n");
            let mut module = ptx::parse(&text).unwrap();
            raise_version(&mut module);
            (module.version.major, module.version.minor)
        };
        // PTX ISA 8.6 has the instruction.
        assert_eq!([raised("8.0"), raised("9.0")], [(8, 6), (9, 0)]);
    }

    /// The versions in the manual's "PTX ISA Notes" of each instruction.
    #[test]
    fn forms_need_what_the_manual_says() {
        for (text, major, minor) in [
            ("mbarrier.init.shared::cta.b64 [bar], 1;", 7, 8),
            (
                "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1+8], 4096;",
                8,
                0,
            ),
            (
                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1], 2;",
                8,
                0,
            ),
            (
                "mbarrier.arrive.relaxed.cta.shared::cta.b64 state, [bar+16];",
                8,
                6,
            ),
            (
                "@!%p1 mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p2, [%r1], 0, 100;",
                8,
                6,
            ),
            (
                "mbarrier.test_wait.phase_type::primary.acquire.cta.shared::cta.b64 %p1|%p2, [%r1], %rd1;",
                9,
                3,
            ),
            ("fence.acquire.gpu;", 8, 6),
            (
                "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;",
                8,
                3,
            ),
            ("cp.async.bulk.wait_group.read 0;", 8, 0),
            (
                "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [bar];",
                8,
                6,
            ),
            (
                "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], \
                 [%rd1, {%r2, 0}], [%r3];",
                8,
                0,
            ),
            (
                "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 12;",
                8,
                3,
            ),
            (
                "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1], 14;",
                8,
                7,
            ),
            (
                "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r1], 4;",
                8,
                8,
            ),
            ("mov.u32 %r1, %cluster_ctaid.y;", 7, 8),
            ("elect.sync _|%p1, 0xffffffff;", 8, 0),
            (
                "createpolicy.fractional.L2::evict_first.b64 %rd1, 0f3F800000;",
                7,
                4,
            ),
            ("st.async.release.sys.global.b32 [%rd1], %r1;", 8, 7),
            (
                "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, _}, %q1;",
                8,
                6,
            ),
        ] {
            assert_eq!(needed(text), Some(PtxIsa::new(major, minor)), "{text}");
        }
    }

    #[test]
    fn what_is_no_form_is_not_judged() {
        for text in [
            "add.s32 %r1, %r2, %r3;",
            "mov.u32 %r1, %r2;",
            "mbarrier.arrive.relaxed.gpu.shared::cta.b64 %rd1, [%r1];",
            "mbarrier.init.shared::cta.b64 [%r1];",
        ] {
            assert_eq!(needed(text), None, "{text}");
        }
    }

    #[test]
    fn every_form_needs_the_version_of_its_row() {
        for form in ptx_isa::forms() {
            let Version { major, minor } = form.isa();
            let needed = needed(&form.example());
            // Registers of an unknown width may be those of an older form.
            let floor = PtxIsa::new(8, 0);
            assert!(
                needed.max(Some(floor)) == Some(PtxIsa::new(major, minor).max(floor)),
                "{}",
                form.text()
            );
        }
    }
}
