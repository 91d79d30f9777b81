//! Parameters of C callers as values with safe methods. Only exported functions create them, from their own
//! parameters.

use std::ffi::{c_char, c_void};

use crate::{
    code::{Code, Result},
    host,
};

/// A parameter of an exported function.
pub(crate) trait FromC {
    /// The type in C.
    type C;

    /// Trusts the caller's value.
    ///
    /// # Safety
    /// 1. The value came from the caller of an exported function and satisfies CUDA's documentation: it is null or
    ///    a valid address for its type, until the end of the call or of the work that the call starts.
    unsafe fn from_c(c: Self::C) -> Self;
}

macro_rules! plain {
    ($($ty:ty)*) => {$(
        impl $crate::ffi::FromC for $ty {
            type C = Self;

            unsafe fn from_c(c: Self) -> Self {
                c
            }
        }
    )*};
}

plain!(i32 u32 u64 usize u8 u16 f32 Dim3);

/// `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dim3 {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) z: u32,
}

impl From<Dim3> for tma_launch::Dim3 {
    fn from(Dim3 { x, y, z }: Dim3) -> Self {
        Self::new(x, y, z)
    }
}

impl From<tma_launch::Dim3> for Dim3 {
    fn from(dim: tma_launch::Dim3) -> Self {
        let [x, y, z] = dim.to_array();
        Self { x, y, z }
    }
}

/// Returns an element of a list by its number in C.
pub(crate) fn choice<T: Copy>(all: &[T], number: i32) -> Result<T> {
    let index = usize::try_from(number).map_err(|_| Code::INVALID_VALUE)?;
    all.get(index).copied().ok_or(Code::INVALID_VALUE)
}

/// The address of a result.
pub(crate) struct Out<T>(*mut T);

impl<T> FromC for Out<T> {
    type C = *mut T;

    unsafe fn from_c(c: *mut T) -> Self {
        Self(c)
    }
}

impl<T> Out<T> {
    /// Writes the result.
    pub(crate) fn put(&self, value: T) -> Result {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: `value` is valid (1), and the caller passed its destination to be written (2; `from_c`, 1).
        let is_written =
            unsafe { host::write(self.0 as u64, (&raw const value).cast(), size_of::<T>()) };
        is_written.then_some(()).ok_or(Code::INVALID_VALUE)
    }

    /// Reads the value at the address.
    pub(crate) fn get(&self) -> Result<T>
    where
        T: Copy,
    {
        In(self.0.cast_const()).get()
    }

    /// Writes the result if the caller requests it.
    pub(crate) fn put_if_any(&self, value: T) {
        // A null pointer means that the caller does not request it.
        let _ = self.put(value);
    }
}

/// The address of a struct or of the first element of a list.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct In<T: Copy>(*const T);

impl<T: Copy> FromC for In<T> {
    type C = *const T;

    unsafe fn from_c(c: *const T) -> Self {
        Self(c)
    }
}

impl<T: Copy> In<T> {
    /// Reads the struct.
    pub(crate) fn get(self) -> Result<T> {
        Ok(self.list(1)?[0])
    }

    /// Reads `len` elements.
    pub(crate) fn list(self, len: usize) -> Result<Vec<T>> {
        let bytes = size_of::<T>().checked_mul(len).ok_or(Code::INVALID_VALUE)?;
        let bytes = Pointer(self.0 as u64).host_bytes(bytes)?;
        let elements = bytes.chunks_exact(size_of::<T>());
        let element = |bytes: &[u8]| {
            // SAFETY: these are the bytes of an element, as guaranteed by the caller (`from_c`, 1).
            unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
        };
        Ok(elements.map(element).collect())
    }
}

/// A zero-terminated text.
#[derive(Clone, Copy)]
pub(crate) struct Text(Pointer);

impl FromC for Text {
    type C = *const c_char;

    unsafe fn from_c(c: *const c_char) -> Self {
        Self(Pointer(c as u64))
    }
}

impl Text {
    pub(crate) fn get(self) -> Result<String> {
        self.0.text()
    }
}

/// The address of host or device memory, or an opaque handle.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pointer(u64);

impl FromC for Pointer {
    type C = *mut c_void;

    unsafe fn from_c(c: *mut c_void) -> Self {
        Self(c as u64)
    }
}

impl Pointer {
    pub(crate) fn address(self) -> u64 {
        self.0
    }

    /// Returns the address `bytes` further on.
    pub(crate) fn add(self, bytes: usize) -> Self {
        Self(self.0.wrapping_add(bytes as u64))
    }

    /// Returns the address of a byte of a row, with rows `pitch` bytes apart.
    pub(crate) fn row(self, row: usize, pitch: usize, byte: usize) -> Result<Self> {
        let bytes = row
            .checked_mul(pitch)
            .and_then(|start| start.checked_add(byte));
        let address = bytes.and_then(|bytes| self.0.checked_add(bytes as u64));
        address.map(Self).ok_or(Code::INVALID_VALUE)
    }

    /// Reads a pointer stored at this address, in a list or struct in host memory.
    pub(crate) fn pointer_at(self, index: usize) -> Result<Self> {
        let bytes = self
            .row(index, size_of::<u64>(), 0)?
            .host_bytes(size_of::<u64>())?;
        let bytes = bytes.try_into().map_err(|_| Code::INVALID_VALUE)?;
        Ok(Self(u64::from_le_bytes(bytes)))
    }

    /// Reads `len` bytes of host memory.
    pub(crate) fn host_bytes(self, len: usize) -> Result<Vec<u8>> {
        /// Bytes to read at a time, since a length may exceed the available memory.
        const PART_BYTES: usize = 1 << 20;
        let mut bytes = Vec::new();
        while bytes.len() < len {
            let start = bytes.len();
            let part = PART_BYTES.min(len - start);
            let room = bytes.try_reserve(part);
            room.map_err(|_| Code::OUT_OF_MEMORY)?;
            bytes.resize(start + part, 0);
            self.row(1, start, 0)?.read_host(&mut bytes[start..])?;
        }
        Ok(bytes)
    }

    /// Copies from host memory.
    pub(crate) fn read_host(self, into: &mut [u8]) -> Result {
        // SAFETY: `into` has these bytes (1).
        let is_read = unsafe { host::read(self.0, into.as_mut_ptr(), into.len()) };
        is_read.then_some(()).ok_or(Code::INVALID_VALUE)
    }

    /// Copies into host memory.
    pub(crate) fn write_host(self, from: &[u8]) -> Result {
        // SAFETY: `from` has these bytes (1), and the caller provides the destination for them (2; `from_c`, 1).
        let is_written = unsafe { host::write(self.0, from.as_ptr(), from.len()) };
        is_written.then_some(()).ok_or(Code::INVALID_VALUE)
    }

    /// Returns whether all of these bytes are mapped in the host.
    pub(crate) fn is_mapped(self, bytes: usize) -> bool {
        host::is_mapped(self.0, bytes)
    }

    /// Reads the text that begins here.
    pub(crate) fn text(self) -> Result<String> {
        /// Longer data is not a text.
        const MOST_BYTES: usize = 1 << 30;
        /// Parts end at multiples of this, since the following page may not be mapped.
        const PART_BYTES: u64 = 4096;
        let mut text = Vec::new();
        while text.len() < MOST_BYTES {
            let start = self.row(1, text.len(), 0)?;
            let part = PART_BYTES - start.0 % PART_BYTES;
            let mut part = start.host_bytes(part as usize)?;
            let end = part.iter().position(|byte| *byte == 0);
            part.truncate(end.unwrap_or(part.len()));
            text.append(&mut part);
            if end.is_some() {
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
        }
        Err(Code::INVALID_VALUE)
    }
}

/// Device code in memory of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image(Pointer);

impl FromC for Image {
    type C = *mut c_void;

    unsafe fn from_c(c: Self::C) -> Self {
        // SAFETY: the value is an address from the caller (1), as `Pointer` requires (1); a program does not move
        // its images.
        Self(unsafe { Pointer::from_c(c) })
    }
}

impl Image {
    /// Wraps code read from a file, which is never freed.
    pub(crate) fn of_file(mut bytes: Vec<u8>) -> Self {
        // A text needs a terminating zero.
        bytes.push(0);
        Self(Pointer(bytes.leak().as_ptr() as u64))
    }

    /// Returns the code that a driver would choose on a GPU of compute capability 9.0.
    pub(crate) fn code(self) -> fat_binary::Code {
        fat_binary::read(&self, self.0.address())
    }
}

impl fat_binary::Memory for Image {
    fn bytes(&self, address: u64, len_bytes: usize) -> Option<Vec<u8>> {
        Pointer(address).host_bytes(len_bytes).ok()
    }

    fn text(&self, address: u64) -> Option<String> {
        Pointer(address).text().ok()
    }
}

/// A function of the program with one pointer parameter. A C++ exception that leaves it ends the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callback(Option<unsafe extern "C-unwind" fn(*mut c_void)>);

impl FromC for Callback {
    type C = Option<unsafe extern "C-unwind" fn(*mut c_void)>;

    unsafe fn from_c(c: Self::C) -> Self {
        Self(c)
    }
}

impl Callback {
    pub(crate) fn call(&self, data: Pointer) -> Result {
        let function = self.0.ok_or(Code::INVALID_VALUE)?;
        // SAFETY: the caller guarantees that the function takes this pointer (`from_c`, 1).
        unsafe { function(data.0 as *mut c_void) };
        Ok(())
    }
}

/// Like [`Callback`], with the stream and the result of the previous work.
pub(crate) struct StreamCallback(
    Option<unsafe extern "C-unwind" fn(*mut c_void, i32, *mut c_void)>,
);

impl FromC for StreamCallback {
    type C = Option<unsafe extern "C-unwind" fn(*mut c_void, i32, *mut c_void)>;

    unsafe fn from_c(c: Self::C) -> Self {
        Self(c)
    }
}

impl StreamCallback {
    pub(crate) fn call(&self, stream: Pointer, data: Pointer) -> Result {
        let function = self.0.ok_or(Code::INVALID_VALUE)?;
        // SAFETY: the caller guarantees that the function takes these arguments (`from_c`, 1).
        unsafe { function(stream.0 as *mut c_void, 0, data.0 as *mut c_void) };
        Ok(())
    }
}

pub(crate) use plain;
