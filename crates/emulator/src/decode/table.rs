//! Which family decodes which opcode.

use ptx::{Instruction, Opcode, Operand, Type};

use super::{Decoder, Refusal, Words};
use crate::{
    action::{Action, Alu},
    applypriority, atom, barrier_cluster, barrier_cta, barrier_warp, branch, call,
    clusterlaunchcontrol, compare, cp_async, cp_async_bulk, cp_async_bulk_prefetch,
    cp_async_bulk_prefetch_tensor, cp_async_bulk_tensor, cp_async_mbarrier_arrive,
    cp_reduce_async_bulk, cp_reduce_async_bulk_tensor, createpolicy, cvt, cvta, discard,
    elect_sync, fence, float, getctarank, griddepcontrol, integer, isspacep,
    lanes::{Binary, Ternary, Unary},
    ld_st, logic, mapa, match_sync, matrix, mbarrier, mov, prefetch, red_async, redux_sync,
    setmaxnreg, shfl_sync, st_async, st_bulk, tensormap_cp_fenceproxy, tensormap_replace,
    vote_sync,
};

/// Adds the operations of one instruction.
pub(crate) type Decode = fn(&mut Decoder<'_>, &Instruction, &mut Words<'_>) -> Result<(), Refusal>;

/// By the beginning of the opcode, longer ones first.
const FAMILIES: &[(&str, Decode)] = &[
    // Copies and barriers.
    ("cp.async.bulk.commit_group", cp_async_bulk::commit),
    ("cp.async.bulk.wait_group", cp_async_bulk::wait),
    (
        "cp.async.bulk.prefetch.tensor",
        cp_async_bulk_prefetch_tensor::decode,
    ),
    ("cp.async.bulk.prefetch", cp_async_bulk_prefetch::decode),
    ("cp.async.bulk.tensor", cp_async_bulk_tensor::decode),
    ("cp.async.bulk", cp_async_bulk::decode),
    (
        "cp.reduce.async.bulk.tensor",
        cp_reduce_async_bulk_tensor::decode,
    ),
    ("cp.reduce.async.bulk", cp_reduce_async_bulk::decode),
    ("cp.async.commit_group", cp_async_bulk::commit),
    ("cp.async.wait_group", cp_async_bulk::wait),
    ("cp.async.wait_all", cp_async::wait_all),
    ("cp.async.mbarrier.arrive", cp_async_mbarrier_arrive::decode),
    ("cp.async", cp_async::decode),
    ("mbarrier", mbarrier::decode),
    ("barrier.cluster", barrier_cluster::decode),
    ("bar.warp", barrier_warp::decode),
    ("barrier", barrier_cta::decode),
    ("bar", barrier_cta::decode),
    ("fence", fence::decode),
    ("membar", fence::decode),
    ("mapa", mapa::decode),
    ("getctarank", getctarank::decode),
    ("tensormap.replace", tensormap_replace::decode),
    ("tensormap.cp_fenceproxy", tensormap_cp_fenceproxy::decode),
    ("clusterlaunchcontrol", clusterlaunchcontrol::decode),
    // The warp.
    ("shfl.sync", shfl_sync::decode),
    ("vote.sync", vote_sync::decode),
    ("match", match_sync::decode),
    ("elect.sync", elect_sync::decode),
    ("redux.sync", redux_sync::decode),
    ("activemask", activemask),
    ("ldmatrix", matrix::rows),
    ("stmatrix", matrix::rows),
    ("movmatrix", matrix::transpose),
    // Memory.
    ("ld", ld_st::decode),
    ("ldu", ld_st::decode),
    ("st.async", st_async::decode),
    ("st.bulk", st_bulk::decode),
    ("st", ld_st::decode),
    ("prefetch", prefetch::decode),
    ("prefetchu", prefetch::decode),
    ("applypriority", applypriority::decode),
    ("discard", discard::decode),
    ("createpolicy", createpolicy::decode),
    ("atom", atom::decode),
    ("red.async", red_async::decode),
    ("red", atom::decode),
    ("cvta", cvta::decode),
    ("isspacep", isspacep::decode),
    ("mov", mov::mov),
    // Control.
    ("bra", branch::bra),
    ("brx", branch::brx),
    ("call", call::decode),
    ("ret", branch::end),
    ("exit", branch::end),
    ("trap", branch::end),
    ("brkpt", branch::end),
    ("nanosleep", nanosleep),
    ("pmevent", nothing),
    ("griddepcontrol", griddepcontrol::decode),
    ("setmaxnreg", setmaxnreg::decode),
    // Arithmetic.
    ("cvt", cvt::cvt),
    ("setp", compare::setp),
    ("set", compare::set),
    ("selp", compare::select),
    ("slct", compare::select),
    ("add", arithmetic),
    ("sub", arithmetic),
    ("mul", arithmetic),
    ("mad", arithmetic),
    ("fma", float::fma),
    ("div", arithmetic),
    ("rem", integer::binary),
    ("min", arithmetic),
    ("max", arithmetic),
    ("neg", arithmetic),
    ("abs", arithmetic),
    ("addc", integer::carry),
    ("subc", integer::carry),
    ("mul24", integer::product),
    ("mad24", integer::product),
    ("sad", integer::product),
    ("madc", integer::with_carry),
    ("dp4a", integer::dot),
    ("dp2a", integer::dot),
    ("copysign", float::binary),
    ("rcp", float::unary),
    ("sqrt", float::unary),
    ("rsqrt", float::unary),
    ("sin", float::unary),
    ("cos", float::unary),
    ("lg2", float::unary),
    ("ex2", float::unary),
    ("tanh", float::unary),
    ("testp", float::testp),
    ("and", logic::logic),
    ("or", logic::logic),
    ("xor", logic::logic),
    ("not", logic::logic),
    ("cnot", logic::logic),
    ("lop3", logic::lop3),
    ("shl", logic::shift),
    ("shr", logic::shift),
    ("shf", logic::funnel),
    ("bfe", logic::field),
    ("bfi", logic::field),
    ("bmsk", logic::bmsk),
    ("szext", logic::szext),
    ("popc", logic::count),
    ("clz", logic::count),
    ("brev", logic::count),
    ("bfind", logic::count),
    ("prmt", logic::prmt),
    ("fns", logic::fns),
];

/// The family of an opcode, and how much of the opcode is its stem.
pub(crate) fn family(opcode: &Opcode) -> Option<(&'static str, Decode)> {
    FAMILIES
        .iter()
        .find(|(stem, _)| opcode.starts_with(stem))
        .copied()
}

/// As many operands as the pattern has.
pub(crate) fn operands<const N: usize>(
    instruction: &Instruction,
) -> Result<&[Operand; N], Refusal> {
    let operands = instruction.operands.as_slice();
    operands
        .try_into()
        .map_err(|_| format!("{} operands in place of {N}", operands.len()).into())
}

/// What has the same name for integers and floating-point numbers.
fn arithmetic(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    let is_float = float::is_float(instruction);
    let family: Decode = match (instruction.opcode.stem(), is_float) {
        ("mad", true) => float::fma,
        ("div", true) => float::div,
        ("neg" | "abs", true) => float::unary,
        (_, true) => float::binary,
        ("mul" | "mad", false) => integer::product,
        ("neg" | "abs", false) => integer::unary,
        (_, false) => integer::binary,
    };
    family(decoder, instruction, words)
}

fn activemask(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    words.take("b32").then_some(()).ok_or("its type")?;
    let [d] = operands(instruction)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Activemask { d });
    Ok(())
}

fn nanosleep(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    words.take("u32").then_some(()).ok_or("its type")?;
    let [time] = operands(instruction)?;
    decoder.source(time, Type::U32)?;
    decoder.emit(Action::Sleep);
    Ok(())
}

/// An event for profilers.
fn nothing(
    decoder: &mut Decoder<'_>,
    _: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    words.take("mask");
    decoder.emit(Action::Nothing);
    Ok(())
}

/// `d = f(a)`, all of one type.
pub(crate) fn unary(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    ty: Type,
    f: Unary,
) -> Result<(), Refusal> {
    let [d, a] = operands(instruction)?;
    let a = decoder.source(a, ty)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Unary { f, d, a }));
    Ok(())
}

/// `d = f(a, b)`, all of one type.
pub(crate) fn binary(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    ty: Type,
    f: Binary,
) -> Result<(), Refusal> {
    let [d, a, b] = operands(instruction)?;
    let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Binary { f, d, a, b }));
    Ok(())
}

/// `d = f(a, b, c)`, all of one type.
pub(crate) fn ternary(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    ty: Type,
    f: Ternary,
) -> Result<(), Refusal> {
    let [d, a, b, c] = operands(instruction)?;
    let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
    let c = decoder.source(c, ty)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Ternary { f, d, a, b, c }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_stem_comes_first() {
        for (index, (stem, _)) in FAMILIES.iter().enumerate() {
            let opcode = Opcode::new(*stem);
            let first = FAMILIES
                .iter()
                .position(|(other, _)| opcode.starts_with(other));
            assert_eq!(first, Some(index), "`{stem}` is hidden by a shorter one");
        }
    }
}
