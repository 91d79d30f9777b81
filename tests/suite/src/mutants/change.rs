//! The changes that a mutant makes to one instruction.

use ptx::{Instruction, Opcode, Operand, OperandKind};

use super::Operator;

/// A change of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) operator: Operator,
    /// The text that replaces it.
    pub(super) after: String,
}

/// A register of the inserted blocks; no compiler writes such a name.
const REGISTER: &str = "%changed";

const ORDERS: [&str; 4] = ["acquire", "release", "acq_rel", "sc"];
const SCOPES: [&str; 3] = ["cluster", "gpu", "sys"];

/// Fences: PTX ISA 9.1, section 9.7.13.4.
fn is_fence(opcode: &Opcode) -> bool {
    matches!(opcode.stem(), "fence" | "membar")
}

/// Barriers of a warp, a block or a cluster: sections 9.7.13.1 to 9.7.13.3.
fn is_barrier(opcode: &Opcode) -> bool {
    matches!(opcode.stem(), "bar" | "barrier")
}

/// Atomics: sections 9.7.13.5 to 9.7.13.8.
fn is_atomic(opcode: &Opcode) -> bool {
    matches!(opcode.stem(), "atom" | "red") && !opcode.has("async")
}

fn is_mbarrier(opcode: &Opcode, kind: &str) -> bool {
    opcode.starts_with(&format!("mbarrier.{kind}"))
}

fn is_wait(opcode: &Opcode) -> bool {
    is_mbarrier(opcode, "try_wait") || is_mbarrier(opcode, "test_wait")
}

fn is_arrive(opcode: &Opcode) -> bool {
    is_mbarrier(opcode, "arrive") || is_mbarrier(opcode, "arrive_drop")
}

/// Groups of copies: sections 9.7.9.25.3 and 9.7.9.27.
fn is_group(opcode: &Opcode, kind: &str) -> bool {
    ["cp.async.bulk", "cp.async"]
        .iter()
        .any(|family| opcode.starts_with(&format!("{family}.{kind}")))
}

/// An asynchronous copy, but not a mere hint.
fn is_copy(opcode: &Opcode) -> bool {
    let is_group = ["commit_group", "wait_group", "wait_all"]
        .iter()
        .any(|kind| is_group(opcode, kind));
    let families = ["cp.async", "cp.reduce.async", "st.async", "red.async"];
    let is_async = families.iter().any(|family| opcode.starts_with(family));
    (is_async && !is_group && !opcode.has("prefetch")) || opcode.stem() == "tensormap"
}

/// Returns whether it matters which threads execute the instruction, and when.
pub(super) fn matters(opcode: &Opcode) -> bool {
    is_fence(opcode)
        || is_barrier(opcode)
        || is_atomic(opcode)
        || is_copy(opcode)
        || is_group(opcode, "commit_group")
        || is_group(opcode, "wait_group")
        || is_group(opcode, "wait_all")
        || opcode.stem() == "mbarrier"
}

/// Every change of the instruction.
pub(super) fn changes(instruction: &Instruction) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut add = |operator, after: Option<String>| {
        if let Some(after) = after {
            changes.push(Change { operator, after });
        }
    };
    let opcode = &instruction.opcode;
    add(Operator::Delete, deleted(instruction));
    if is_wait(opcode) {
        let passed = destination(instruction).map(|p| format!("mov.pred {p}, 1;"));
        add(Operator::PassWait, passed);
        if opcode.has("parity") {
            let after = with_operand(instruction, after_address(instruction), "xor.b32", 1);
            add(Operator::OtherParity, after);
        }
    }
    if is_group(opcode, "wait_group") {
        let one_more = instruction.operands.first().and_then(Operand::as_integer);
        let one_more = one_more.map(|groups| {
            let mut more = instruction.clone();
            more.operands[0] = Operand::from(groups + 1);
            more.to_string()
        });
        add(Operator::OneMoreGroup, one_more);
        let reads = opcode.has("bulk") && !opcode.has("read");
        let reads = reads.then(|| renamed(instruction, format!("{}.read", opcode.name())));
        add(Operator::OnlyReads, reads);
    }
    for (operator, after) in split_arrival(instruction) {
        add(operator, Some(after));
    }
    let bytes = byte_count(instruction);
    if bytes.is_some() {
        add(
            Operator::FewerBytes,
            with_operand(instruction, bytes, "add.s32", -16),
        );
        add(
            Operator::MoreBytes,
            with_operand(instruction, bytes, "add.s32", 16),
        );
        add(
            Operator::NoBytes,
            with_operand(instruction, bytes, "and.b32", 0),
        );
    }
    let arrivals = arrival_count(instruction);
    if arrivals.is_some() {
        add(
            Operator::FewerArrivals,
            with_operand(instruction, arrivals, "add.s32", -1),
        );
        add(
            Operator::MoreArrivals,
            with_operand(instruction, arrivals, "add.s32", 1),
        );
    }
    add(Operator::NarrowScope, narrowed(instruction));
    add(Operator::Relax, relaxed(instruction));
    if instruction.guard.is_some() && matters(opcode) {
        let mut open = instruction.clone();
        open.guard = None;
        add(Operator::OpenGuard, Some(open.to_string()));
    }
    if opcode.starts_with("elect.sync") {
        let all = match instruction.operands.first().map(|operand| &operand.kind) {
            Some(OperandKind::Pair(lane, elected)) => {
                let lane = match lane.kind {
                    OperandKind::Sink => String::new(),
                    _ => format!("mov.u32 {lane}, %laneid; "),
                };
                Some(format!("{lane}mov.pred {elected}, 1;"))
            }
            _ => None,
        };
        add(Operator::ElectAll, all);
    }
    changes
}

/// Removes the instruction; its outputs are zero.
fn deleted(instruction: &Instruction) -> Option<String> {
    let opcode = &instruction.opcode;
    let goes = is_fence(opcode)
        || is_barrier(opcode)
        || is_atomic(opcode)
        || is_group(opcode, "commit_group")
        || is_group(opcode, "wait_group")
        || is_group(opcode, "wait_all")
        || opcode.starts_with("cp.async.mbarrier.arrive")
        || opcode.starts_with("tensormap.cp_fenceproxy")
        || opcode.starts_with("griddepcontrol.wait")
        || (opcode.stem() == "mbarrier"
            && !is_wait(opcode)
            && !is_mbarrier(opcode, "pending_count"));
    let zeroed = match (opcode.stem(), destination(instruction)) {
        ("mbarrier", Some(state)) => format!("mov.b64 {state}, 0;"),
        ("atom", Some(d))
            if opcode
                .parts()
                .next_back()
                .is_some_and(|ty| ty.ends_with("32")) =>
        {
            format!("mov.b32 {d}, 0;")
        }
        ("atom", Some(d))
            if opcode
                .parts()
                .next_back()
                .is_some_and(|ty| ty.ends_with("64")) =>
        {
            format!("mov.b64 {d}, 0;")
        }
        _ => String::new(),
    };
    goes.then_some(zeroed)
}

/// Returns the register that the instruction writes, if it comes before an address.
fn destination(instruction: &Instruction) -> Option<&str> {
    let address = address(instruction)?;
    (address > 0).then(|| instruction.operands[0].as_name())?
}

fn address(instruction: &Instruction) -> Option<usize> {
    let is_memory = |operand: &Operand| matches!(operand.kind, OperandKind::Memory { .. });
    instruction.operands.iter().position(is_memory)
}

fn after_address(instruction: &Instruction) -> Option<usize> {
    let next = address(instruction)? + 1;
    (next < instruction.operands.len()).then_some(next)
}

/// The operand that counts bytes.
fn byte_count(instruction: &Instruction) -> Option<usize> {
    let opcode = &instruction.opcode;
    let is_linear = (opcode.starts_with("cp.async.bulk")
        || opcode.starts_with("cp.reduce.async.bulk"))
        && is_copy(opcode)
        && !opcode.has("tensor");
    if is_linear {
        return Some(2).filter(|at| *at < instruction.operands.len());
    }
    let counts = is_mbarrier(opcode, "expect_tx")
        || is_mbarrier(opcode, "complete_tx")
        || (is_arrive(opcode) && opcode.has("expect_tx"));
    counts.then(|| after_address(instruction))?
}

/// The operand that counts arrivals.
fn arrival_count(instruction: &Instruction) -> Option<usize> {
    let opcode = &instruction.opcode;
    let counts = is_mbarrier(opcode, "init") || (is_arrive(opcode) && !opcode.has("expect_tx"));
    counts.then(|| after_address(instruction))?
}

/// The halves of `mbarrier.arrive.expect_tx`.
fn split_arrival(instruction: &Instruction) -> Vec<(Operator, String)> {
    let opcode = &instruction.opcode;
    let (true, true, Some(bytes)) = (
        is_arrive(opcode),
        opcode.has("expect_tx"),
        after_address(instruction),
    ) else {
        return Vec::new();
    };
    let parts = || opcode.parts().filter(|part| *part != "expect_tx");
    let mut arrives = instruction.clone();
    arrives.opcode = Opcode::new(parts().collect::<Vec<_>>().join("."));
    arrives.operands.truncate(bytes);

    // `expect_tx` has no order but `.relaxed`, and returns no state.
    let scope = parts()
        .skip(1)
        .find(|part| SCOPES.contains(part))
        .unwrap_or("cta");
    let space = parts().find(|part| part.starts_with("shared"));
    let space = space.map_or(String::new(), |space| format!(".{space}"));
    let mut expects = instruction.clone();
    expects.opcode = Opcode::new(format!("mbarrier.expect_tx.relaxed.{scope}{space}.b64"));
    expects.operands.drain(..bytes - 1);
    let zero = destination(instruction).map_or(String::new(), |d| format!("mov.b64 {d}, 0; "));
    vec![
        (Operator::OnlyArrive, arrives.to_string()),
        (Operator::OnlyExpect, format!("{zero}{expects}")),
    ]
}

fn renamed(instruction: &Instruction, opcode: String) -> String {
    let mut renamed = instruction.clone();
    renamed.opcode = Opcode::new(opcode);
    renamed.to_string()
}

/// Applies an operation to an operand of 32 bits first.
fn with_operand(
    instruction: &Instruction,
    at: Option<usize>,
    operation: &str,
    with: i64,
) -> Option<String> {
    let at = at?;
    let old = &instruction.operands[at];
    let mut changed = instruction.clone();
    changed.operands[at] = Operand::from(REGISTER);
    Some(format!(
        "{{ .reg .b32 {REGISTER}; mov.b32 {REGISTER}, {old}; {operation} {REGISTER}, {REGISTER}, {with}; {changed} }}"
    ))
}

/// Narrows the scope to the block, if it is another one.
fn narrowed(instruction: &Instruction) -> Option<String> {
    let opcode = &instruction.opcode;
    // `barrier.cluster` and `fence.mbarrier_init` only have the cluster.
    if opcode.starts_with("barrier.cluster") || opcode.starts_with("fence.mbarrier_init") {
        return None;
    }
    let mut parts: Vec<&str> = opcode.parts().collect();
    if let Some(scope) = parts.iter().skip(1).position(|part| SCOPES.contains(part)) {
        parts[scope + 1] = "cta";
        return Some(renamed(instruction, parts.join(".")));
    }
    // Atomics default to `.relaxed.gpu`.
    let has = |part: &&str| ["cta", "relaxed"].contains(part) || ORDERS.contains(part);
    if is_atomic(opcode) && !parts.iter().any(has) {
        parts.splice(1..1, ["relaxed", "cta"]);
        return Some(renamed(instruction, parts.join(".")));
    }
    None
}

/// Weakens the order.
fn relaxed(instruction: &Instruction) -> Option<String> {
    let opcode = &instruction.opcode;
    let mut parts: Vec<&str> = opcode.parts().collect();
    let order = parts.iter().position(|part| ORDERS.contains(part));
    if is_fence(opcode) {
        let sc = order.filter(|at| parts[*at] == "sc" && !opcode.has("proxy"))?;
        parts[sc] = "acq_rel";
        return Some(renamed(instruction, parts.join(".")));
    }
    let is_memory = matches!(opcode.stem(), "ld" | "st" | "atom" | "red");
    if let Some(at) = order {
        let is_known = is_memory
            || is_arrive(opcode)
            || is_wait(opcode)
            || opcode.starts_with("barrier.cluster.arrive");
        parts[at] = "relaxed";
        return is_known.then(|| renamed(instruction, parts.join(".")));
    }
    if matches!(opcode.stem(), "ld" | "st") && (opcode.has("relaxed") || opcode.has("volatile")) {
        parts.retain(|part| {
            !["relaxed", "volatile", "cta"].contains(part) && !SCOPES.contains(part)
        });
        return Some(renamed(instruction, parts.join(".")));
    }
    if opcode.has("relaxed") {
        return None;
    }
    // Arrivals default to release, waits to acquire.
    if is_arrive(opcode) || is_wait(opcode) {
        let scoped = parts.contains(&"cluster") || parts.contains(&"cta");
        let at = parts
            .iter()
            .position(|part| part.starts_with("shared") || *part == "b64")?;
        let new: &[&str] = if scoped {
            &["relaxed"]
        } else {
            &["relaxed", "cta"]
        };
        parts.splice(at..at, new.iter().copied());
        return Some(renamed(instruction, parts.join(".")));
    }
    if opcode.starts_with("barrier.cluster.arrive") {
        parts.insert(3, "relaxed");
        return Some(renamed(instruction, parts.join(".")));
    }
    None
}

#[cfg(test)]
mod tests {
    use ptx::Statement;

    use super::*;

    /// The changes of an instruction, as `operator: text`.
    fn of(text: &str) -> Vec<String> {
        let statements = ptx::parse_statements(text).unwrap();
        let [Statement::Instruction(instruction)] = &statements[..] else {
            panic!("`{text}` is not an instruction");
        };
        let changes = changes(instruction);
        for change in &changes {
            assert!(ptx::parse_statements(&change.after).is_ok(), "{change:?}");
        }
        let shown = |change: &Change| format!("{}: {}", change.operator, change.after);
        changes.iter().map(shown).collect()
    }

    #[test]
    fn fences_and_barriers_go() {
        for text in [
            "fence.proxy.async.shared::cta;",
            "fence.mbarrier_init.release.cluster;",
            "bar.sync 0;",
            "barrier.cluster.wait.aligned;",
            "bar.warp.sync -1;",
            "cp.async.bulk.commit_group;",
            "mbarrier.inval.shared::cta.b64 [%r1];",
        ] {
            assert_eq!(of(text), ["delete: "], "{text}");
        }
        assert_eq!(
            of("fence.acq_rel.gpu;"),
            ["delete: ", "narrow-scope: fence.acq_rel.cta;"]
        );
        assert_eq!(
            of("fence.sc.cluster;"),
            [
                "delete: ",
                "narrow-scope: fence.sc.cta;",
                "relax: fence.acq_rel.cluster;"
            ]
        );
        assert_eq!(
            of("barrier.cluster.arrive.aligned;"),
            ["delete: ", "relax: barrier.cluster.arrive.relaxed.aligned;"]
        );
    }

    #[test]
    fn waits_are_passed_or_are_for_another_phase() {
        assert_eq!(
            of("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%r1], %r2;"),
            [
                "pass-wait: mov.pred p, 1;",
                "other-parity: { .reg .b32 %changed; mov.b32 %changed, %r2; \
                 xor.b32 %changed, %changed, 1; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 \
                 p, [%r1], %changed; }",
                "narrow-scope: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%r1], %r2;",
                "relax: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%r1], %r2;",
            ]
        );
        assert_eq!(
            of("mbarrier.test_wait.shared.b64 p, [%r1], %rd2;"),
            [
                "pass-wait: mov.pred p, 1;",
                "relax: mbarrier.test_wait.relaxed.cta.shared.b64 p, [%r1], %rd2;",
            ]
        );
    }

    #[test]
    fn waits_for_groups_are_weaker() {
        assert_eq!(
            of("cp.async.bulk.wait_group 1;"),
            [
                "delete: ",
                "one-more-group: cp.async.bulk.wait_group 2;",
                "only-reads: cp.async.bulk.wait_group.read 1;",
            ]
        );
        assert_eq!(
            of("cp.async.bulk.wait_group.read 0;"),
            [
                "delete: ",
                "one-more-group: cp.async.bulk.wait_group.read 1;"
            ]
        );
        assert_eq!(of("cp.async.wait_all;"), ["delete: "]);
    }

    #[test]
    fn an_arrival_with_bytes_has_two_halves() {
        let changes =
            of("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r1], %r2;");
        assert_eq!(
            changes[..3],
            [
                "delete: ",
                "only-arrive: mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];",
                "only-expect: mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r1], %r2;",
            ]
        );
        let operators = |changes: &[String]| -> Vec<String> {
            let name = |change: &String| change.split(':').next().unwrap_or("").to_owned();
            changes.iter().map(name).collect()
        };
        assert_eq!(
            operators(&changes[3..]),
            [
                "fewer-bytes",
                "more-bytes",
                "no-bytes",
                "narrow-scope",
                "relax"
            ]
        );
        assert_eq!(
            of("mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r1], 64;")[..3],
            [
                "delete: mov.b64 %rd1, 0;",
                "only-arrive: mbarrier.arrive.shared::cta.b64 %rd1, [%r1];",
                "only-expect: mov.b64 %rd1, 0; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 64;",
            ]
        );
    }

    #[test]
    fn counts_change() {
        let with = |operation: &str, rest: &str| {
            format!("{{ .reg .b32 %changed; mov.b32 %changed, %r2; {operation}; {rest} }}")
        };
        let init = "mbarrier.init.shared::cta.b64 [%r1], %changed;";
        assert_eq!(
            of("mbarrier.init.shared::cta.b64 [%r1], %r2;"),
            [
                "delete: ".to_owned(),
                format!(
                    "fewer-arrivals: {}",
                    with("add.s32 %changed, %changed, -1", init)
                ),
                format!(
                    "more-arrivals: {}",
                    with("add.s32 %changed, %changed, 1", init)
                ),
            ]
        );
        let store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %changed;";
        assert_eq!(
            of("@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;"),
            [
                format!(
                    "fewer-bytes: {}",
                    with("add.s32 %changed, %changed, -16", store)
                ),
                format!(
                    "more-bytes: {}",
                    with("add.s32 %changed, %changed, 16", store)
                ),
                format!("no-bytes: {}", with("and.b32 %changed, %changed, 0", store)),
                "open-guard: cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;"
                    .to_owned(),
            ]
        );
    }

    #[test]
    fn atomics_and_strong_accesses_are_weaker() {
        assert_eq!(
            of("atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], 1;"),
            [
                "delete: mov.b32 %r1, 0;",
                "narrow-scope: atom.acq_rel.cta.global.add.u32 %r1, [%rd1], 1;",
                "relax: atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1;",
            ]
        );
        assert_eq!(
            of("red.global.add.f32 [%rd1], %f1;"),
            [
                "delete: ",
                "narrow-scope: red.relaxed.cta.global.add.f32 [%rd1], %f1;"
            ]
        );
        assert_eq!(
            of("ld.acquire.sys.global.b32 %r1, [%rd1];"),
            [
                "narrow-scope: ld.acquire.cta.global.b32 %r1, [%rd1];",
                "relax: ld.relaxed.sys.global.b32 %r1, [%rd1];",
            ]
        );
        assert_eq!(
            of("st.relaxed.gpu.global.b32 [%rd1], %r1;"),
            [
                "narrow-scope: st.relaxed.cta.global.b32 [%rd1], %r1;",
                "relax: st.global.b32 [%rd1], %r1;",
            ]
        );
    }

    #[test]
    fn all_lanes_are_elected() {
        assert_eq!(of("elect.sync _|%p1, -1;"), ["elect-all: mov.pred %p1, 1;"]);
        assert_eq!(
            of("elect.sync %r1|%p1, -1;"),
            ["elect-all: mov.u32 %r1, %laneid; mov.pred %p1, 1;"]
        );
    }

    #[test]
    fn what_orders_nothing_stays() {
        for text in [
            "add.s32 %r1, %r2, 1;",
            "ld.global.b32 %r1, [%rd1];",
            "st.shared.b32 [%r1], %r2;",
            "@%p1 bra L;",
            "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;",
            "cp.async.bulk.prefetch.L2.global [%rd1], 64;",
            "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd1, {%r1}], [%r2];",
        ] {
            assert_eq!(of(text), [""; 0], "{text}");
        }
    }
}
