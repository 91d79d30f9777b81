//! Copies of rows and boxes, of memory and of arrays.

use crate::{
    calls::alive,
    code::{Code, Result},
    context::Context,
    export::export,
    ffi::{FromC, In, Pointer},
};

/// One side of `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    x_bytes: usize,
    y: usize,
    kind: u32,
    host: u64,
    device: u64,
    array: u64,
    pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Copy2d {
    from: Rows,
    to: Rows,
    width_bytes: usize,
    height: usize,
}

/// One side of `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Layers {
    x_bytes: usize,
    y: usize,
    z: usize,
    level: usize,
    kind: u32,
    host: u64,
    device: u64,
    array: u64,
    reserved: u64,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Copy3d {
    from: Layers,
    to: Layers,
    width_bytes: usize,
    height: usize,
    depth: usize,
}

impl From<Rows> for Layers {
    fn from(rows: Rows) -> Self {
        Self {
            x_bytes: rows.x_bytes,
            y: rows.y,
            z: 0,
            level: 0,
            kind: rows.kind,
            host: rows.host,
            device: rows.device,
            array: rows.array,
            reserved: 0,
            pitch: rows.pitch,
            height: 0,
        }
    }
}

impl From<Copy2d> for Copy3d {
    fn from(copy: Copy2d) -> Self {
        Self {
            from: copy.from.into(),
            to: copy.to.into(),
            width_bytes: copy.width_bytes,
            height: copy.height,
            depth: 1,
        }
    }
}

impl Layers {
    const HOST: u32 = 1;
    const ARRAY: u32 = 3;

    /// Refuses overlapping layers: the driver requires `height + y` rows in each layer if there are several.
    fn check_height(&self, copy: &Copy3d) -> Result {
        let rows = self.y.checked_add(copy.height).ok_or(Code::INVALID_VALUE)?;
        let has_layers = copy.depth > 1 && self.kind != Self::ARRAY;
        match has_layers && self.height < rows {
            true => Err(Code::INVALID_VALUE),
            false => Ok(()),
        }
    }

    /// Returns the start and the pitch of the rows of a layer.
    fn rows(
        &self,
        context: &mut Context,
        layer: usize,
        size: [usize; 2],
        call: &str,
    ) -> Result<(Pointer, usize)> {
        let z = self.z.checked_add(layer).ok_or(Code::INVALID_VALUE)?;
        let address = match self.kind {
            Self::ARRAY => {
                return context.rows_of_array(self.array, [self.x_bytes, self.y, z], size, call);
            }
            Self::HOST => self.host,
            _ => self.device,
        };
        // SAFETY: the address is part of a caller's argument, and the call does not outlive it (1).
        let start = unsafe { Pointer::from_c(address as *mut _) };
        let layer = start.row(z, self.height.saturating_mul(self.pitch), 0)?;
        Ok((layer.row(self.y, self.pitch, self.x_bytes)?, self.pitch))
    }
}

fn copy_box(copy: &Copy3d, call: &str) -> Result {
    let size = [copy.width_bytes, copy.height];
    if size.contains(&0) {
        return Ok(());
    }
    for side in [&copy.to, &copy.from] {
        side.check_height(copy)?;
    }
    (0..copy.depth).try_for_each(|layer| {
        alive(|context| {
            let to = copy.to.rows(context, layer, size, call)?;
            let from = copy.from.rows(context, layer, size, call)?;
            context.copy_rows([to, from], size, call)
        })
    })
}

/// Device or host memory, or an array from a byte on.
#[derive(Clone, Copy)]
enum Side {
    Memory(Pointer),
    Array(Pointer, usize),
}

fn copy_bytes(to: Side, from: Side, bytes: usize, call: &str) -> Result {
    alive(|context| {
        let mut start = |side| match side {
            Side::Memory(start) => Ok(start),
            Side::Array(array, at) => context.bytes_of_array(array.address(), [at, 0], bytes, call),
        };
        let (to, from) = (start(to)?, start(from)?);
        context.copy(to, from, bytes, call)
    })
}

export! {
    driver;

    fn cuMemcpy2D_v2 as cuMemcpy2D, cuMemcpy2D_v2_ptds, cuMemcpy2DUnaligned_v2, cuMemcpy2DUnaligned,
        cuMemcpy2DUnaligned_v2_ptds (copy: In<Copy2d>) {
        copy_box(&copy.get()?.into(), "cuMemcpy2D")
    }

    fn cuMemcpy2DAsync_v2 as cuMemcpy2DAsync, cuMemcpy2DAsync_v2_ptsz (copy: In<Copy2d>, stream: Pointer) {
        let _ = stream;
        copy_box(&copy.get()?.into(), "cuMemcpy2DAsync")
    }

    fn cuMemcpy3D_v2 as cuMemcpy3D, cuMemcpy3D_v2_ptds (copy: In<Copy3d>) {
        copy_box(&copy.get()?, "cuMemcpy3D")
    }

    fn cuMemcpy3DAsync_v2 as cuMemcpy3DAsync, cuMemcpy3DAsync_v2_ptsz (copy: In<Copy3d>, stream: Pointer) {
        let _ = stream;
        copy_box(&copy.get()?, "cuMemcpy3DAsync")
    }

    fn cuMemcpyAtoH_v2 as cuMemcpyAtoH_v2_ptds (to: Pointer, from: Pointer, from_byte: usize, bytes: usize) {
        copy_bytes(Side::Memory(to), Side::Array(from, from_byte), bytes, "cuMemcpyAtoH")
    }

    fn cuMemcpyAtoD_v2 as cuMemcpyAtoD_v2_ptds (to: Pointer, from: Pointer, from_byte: usize, bytes: usize) {
        copy_bytes(Side::Memory(to), Side::Array(from, from_byte), bytes, "cuMemcpyAtoD")
    }

    fn cuMemcpyHtoA_v2 as cuMemcpyHtoA_v2_ptds (to: Pointer, to_byte: usize, from: Pointer, bytes: usize) {
        copy_bytes(Side::Array(to, to_byte), Side::Memory(from), bytes, "cuMemcpyHtoA")
    }

    fn cuMemcpyDtoA_v2 as cuMemcpyDtoA_v2_ptds (to: Pointer, to_byte: usize, from: Pointer, bytes: usize) {
        copy_bytes(Side::Array(to, to_byte), Side::Memory(from), bytes, "cuMemcpyDtoA")
    }

    fn cuMemcpyAtoA_v2 as cuMemcpyAtoA_v2_ptds (
        to: Pointer,
        to_byte: usize,
        from: Pointer,
        from_byte: usize,
        bytes: usize,
    ) {
        let (to, from) = (Side::Array(to, to_byte), Side::Array(from, from_byte));
        copy_bytes(to, from, bytes, "cuMemcpyAtoA")
    }
}
