use tma::{KernelArg, kernel};

#[derive(Clone, Copy, KernelArg)]
pub struct NoRepr {
    _a: u32,
}

#[derive(Clone, Copy, KernelArg)]
#[repr(C, align(32))]
pub struct Aligned {
    _a: u32,
}

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
pub struct Slice {
    _a: &'static [u32],
}

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
pub struct Generic<T> {
    _a: T,
}

#[derive(Clone, Copy, KernelArg)]
#[repr(u8)]
pub enum Enum {
    A,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct NotDerived(u32);

#[kernel]
pub unsafe fn takes(_plain: NotDerived) {}

#[kernel]
pub unsafe fn array(_array: [u32; 4]) {}

fn main() {}
