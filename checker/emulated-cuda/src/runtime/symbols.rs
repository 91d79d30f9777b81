//! Device variables, which the program identifies by its own variables.

use crate::{
    calls::alive,
    code::{Code, Result},
    export::export,
    ffi::{FromC, Out, Pointer},
};

/// Returns the address of `bytes` bytes of a variable from an offset on, in device or managed memory.
fn place(symbol: Pointer, bytes: usize, offset: usize) -> Result<Pointer> {
    let (address, len) = alive(|context| context.symbol(symbol.address()))?;
    let end = offset.checked_add(bytes).ok_or(Code::INVALID_VALUE)?;
    match end as u64 <= len {
        // SAFETY: the address belongs to a variable, which is host memory if shared by both sides (1).
        true => Ok(unsafe { Pointer::from_c(address as *mut _) }.add(offset)),
        false => Err(Code::INVALID_VALUE),
    }
}

fn to_symbol(symbol: Pointer, from: Pointer, bytes: usize, offset: usize) -> Result {
    let to = place(symbol, bytes, offset)?;
    alive(|context| context.copy(to, from, bytes, "cudaMemcpyToSymbol"))
}

fn from_symbol(to: Pointer, symbol: Pointer, bytes: usize, offset: usize) -> Result {
    let from = place(symbol, bytes, offset)?;
    alive(|context| context.copy(to, from, bytes, "cudaMemcpyFromSymbol"))
}

export! {
    runtime;

    fn cudaMemcpyToSymbol as cudaMemcpyToSymbol_ptds (
        symbol: Pointer,
        from: Pointer,
        bytes: usize,
        offset: usize,
        direction: i32,
    ) {
        let _ = direction;
        to_symbol(symbol, from, bytes, offset)
    }

    fn cudaMemcpyToSymbolAsync as cudaMemcpyToSymbolAsync_ptsz (
        symbol: Pointer,
        from: Pointer,
        bytes: usize,
        offset: usize,
        direction: i32,
        stream: Pointer,
    ) {
        let _ = (direction, stream);
        to_symbol(symbol, from, bytes, offset)
    }

    fn cudaMemcpyFromSymbol as cudaMemcpyFromSymbol_ptds (
        to: Pointer,
        symbol: Pointer,
        bytes: usize,
        offset: usize,
        direction: i32,
    ) {
        let _ = direction;
        from_symbol(to, symbol, bytes, offset)
    }

    fn cudaMemcpyFromSymbolAsync as cudaMemcpyFromSymbolAsync_ptsz (
        to: Pointer,
        symbol: Pointer,
        bytes: usize,
        offset: usize,
        direction: i32,
        stream: Pointer,
    ) {
        let _ = (direction, stream);
        from_symbol(to, symbol, bytes, offset)
    }

    fn cudaGetSymbolAddress(address: Out<u64>, symbol: Pointer) {
        address.put(place(symbol, 0, 0)?.address())
    }

    fn cudaGetSymbolSize(bytes: Out<usize>, symbol: Pointer) {
        let (_, len) = alive(|context| context.symbol(symbol.address()))?;
        bytes.put(len as usize)
    }
}
