//! Copies of boxes between memory and arrays.

use crate::{
    calls::alive,
    code::{Code, Result},
    context::Context,
    ffi::{FromC, Pointer},
    stream_work::Work,
};

/// `cudaExtent`, and `cudaPos`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// `cudaPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Pitched {
    pub(crate) address: u64,
    pub(crate) pitch: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

crate::ffi::plain!(Extent Pitched);

/// `cudaMemcpy3DParms`. The extent is in texels if one side is an array, otherwise in bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Copy3d {
    from_array: u64,
    from_place: Extent,
    from: Pitched,
    to_array: u64,
    to_place: Extent,
    to: Pitched,
    extent: Extent,
    direction: i32,
}

/// One side of a copy.
struct Side {
    array: u64,
    place: Extent,
    memory: Pitched,
}

impl Copy3d {
    /// Returns the number of layers of the box, 0 if it has no bytes.
    ///
    /// # Errors
    /// Several layers overlap in memory.
    pub(crate) fn layers(&self) -> Result<usize> {
        let Extent {
            width,
            height,
            depth,
        } = self.extent;
        let sides = [
            (self.to_array, self.to_place, self.to),
            (self.from_array, self.from_place, self.from),
        ];
        let overlaps = |(array, place, memory): (u64, Extent, Pitched)| {
            let rows = place.height.checked_add(height);
            array == 0 && rows.is_none_or(|rows| rows > memory.height)
        };
        match depth {
            _ if width == 0 || height == 0 => Ok(0),
            2.. if sides.into_iter().any(overlaps) => Err(Code::INVALID_VALUE),
            depth => Ok(depth),
        }
    }

    /// Returns the rows of one layer of the box.
    pub(crate) fn layer_at(
        &self,
        context: &mut Context,
        layer: usize,
        call: &'static str,
    ) -> Result<Work> {
        let mut texel_bytes = 1;
        for array in [self.to_array, self.from_array] {
            if array != 0 {
                texel_bytes = context.array(array, call)?.format().texel_bytes() as usize;
            }
        }
        let width_bytes = self.extent.width.saturating_mul(texel_bytes);
        let size = [width_bytes, self.extent.height];
        let to = Side {
            array: self.to_array,
            place: self.to_place,
            memory: self.to,
        };
        let from = Side {
            array: self.from_array,
            place: self.from_place,
            memory: self.from,
        };
        let places = [
            to.rows(context, layer, size, call)?,
            from.rows(context, layer, size, call)?,
        ];
        let starts = places.map(|(start, _)| start);
        context.check_direction(self.direction, starts, size, call)?;
        Ok(Work::Copy { places, size, call })
    }

    /// Returns the rows of a box with a single layer.
    pub(crate) fn layer(&self, call: &'static str) -> Result<Work> {
        match self.extent.depth {
            0 | 1 => alive(|context| self.layer_at(context, 0, call)),
            _ => Err(crate::calls::unsupported(
                "a copy of several layers in a graph",
            )),
        }
    }
}

impl Side {
    /// Returns the start and the pitch of the rows of a layer.
    fn rows(
        &self,
        context: &mut Context,
        layer: usize,
        size: [usize; 2],
        call: &str,
    ) -> Result<(Pointer, usize)> {
        let Self {
            array,
            place,
            memory,
        } = self;
        let z = place.depth.checked_add(layer).ok_or(Code::INVALID_VALUE)?;
        if *array != 0 {
            let texel_bytes = context.array(*array, call)?.format().texel_bytes() as usize;
            let start = [place.width.saturating_mul(texel_bytes), place.height, z];
            return context.rows_of_array(*array, start, size, call);
        }
        let start = memory
            .layer(z)?
            .row(place.height, memory.pitch, place.width)?;
        Ok((start, memory.pitch))
    }
}

impl Pitched {
    /// Returns the start of a layer.
    pub(crate) fn layer(&self, index: usize) -> Result<Pointer> {
        let bytes = self.height.saturating_mul(self.pitch);
        self.pointer().row(index, bytes, 0)
    }

    pub(crate) fn pointer(&self) -> Pointer {
        // SAFETY: the address is part of a caller's argument, and the call does not outlive it (1).
        unsafe { Pointer::from_c(self.address as *mut _) }
    }
}
