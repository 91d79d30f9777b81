use bytemuck::NoUninit;
use tensor_map::{DataType, Swizzle, TensorMap, Tiled};
use tests_device::{self as kernels, Placement};
use tma_launch::{Buffer, BufferRef, Call, MapRef, Shape};

use super::{compared, launched};
use crate::{Expected, Scenario};

pub(super) fn cases() -> Vec<Scenario> {
    let byte = |i: u32| (i * 7 + i / 251) as u8;
    let short = |i: u32| (i * 257 + 11) as u16;
    let whole = |i: u32| (i.wrapping_mul(0x9e37_79b9)) as i32;
    let single = |i: u32| i as f32 - 100.25;
    let double = |i: u32| f64::from(i) * -1.5;
    let bytes = |e: u8, i: u32| e.wrapping_mul(3).wrapping_add(i as u8);
    let shorts = |e: u16, i: u32| e.wrapping_mul(3).wrapping_add(i as u16);
    let wholes = |e: i32, i: u32| e.wrapping_mul(3).wrapping_add(i as i32);
    let singles = |e: f32, i: u32| e + e + i as f32;
    let doubles = |e: f64, i: u32| e + e + f64::from(i);
    let mut cases = Vec::new();
    macro_rules! tiles {
        ($($kernel:ident: $data_type:ident $box_dims:expr, $swizzle:ident, $number:ident $changed:ident;)*) => {
            $(for place in PLACES {
                let shape = Boxed::new(DataType::$data_type, &$box_dims, Swizzle::$swizzle);
                let case = shape.case(stringify!($kernel), place, kernels::$kernel, $number, $changed);
                cases.push(case);
            })*
        };
    }
    tiles! {
        tile_of_u8_1d: U8 [64], None, byte bytes;
        tile_of_f64_1d: F64 [6], None, double doubles;
        tile_of_f32_2d: F32 [12, 7], None, single singles;
        tile_of_u16_3d: U16 [8, 5, 3], None, short shorts;
        tile_of_i32_2d_32: I32 [8, 19], B32, whole wholes;
        tile_of_u16_1d_32: U16 [16], B32, short shorts;
        tile_of_f32_3d_64: F32 [16, 5, 3], B64, single singles;
        tile_of_f64_2d_64: F64 [8, 9], B64, double doubles;
        tile_of_u8_2d_128: U8 [128, 11], B128, byte bytes;
        tile_of_f64_3d_128: F64 [16, 3, 4], B128, double doubles;
    }
    cases.extend([32, 128].map(written));
    cases
}

/// The position of a tile in its tensor.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The tile is the whole tensor.
    Whole,
    /// The tile is loaded and stored inside.
    Inside,
    /// The load begins before the start, and the store ends after the end.
    OverTheEnds,
    /// The load ends after the end, and the store is inside.
    OverTheEnd,
    /// The load is out of bounds.
    Beyond,
}

const PLACES: [Place; 5] = [
    Place::Whole,
    Place::Inside,
    Place::OverTheEnds,
    Place::OverTheEnd,
    Place::Beyond,
];

/// A box and its elements. Missing dimensions have one element.
#[derive(Clone, Copy)]
struct Boxed {
    data_type: DataType,
    rank: usize,
    box_dims: [usize; 3],
    swizzle: Swizzle,
}

/// A tensor with more bytes between rows and between layers than they have.
struct Tensor {
    dims: [usize; 3],
    elem_bytes: usize,
    row_bytes: usize,
    layer_bytes: usize,
}

impl Tensor {
    fn bytes(&self) -> usize {
        self.layer_bytes * self.dims[2]
    }

    /// The byte at which the element with these coordinates begins.
    fn at(&self, [x, y, z]: [i64; 3]) -> usize {
        x as usize * self.elem_bytes + y as usize * self.row_bytes + z as usize * self.layer_bytes
    }

    fn has(&self, coords: [i64; 3]) -> bool {
        let mut dims = coords.iter().zip(self.dims);
        dims.all(|(coord, dim)| (0..dim as i64).contains(coord))
    }

    /// A store cuts rows at the next multiple of 16 bytes.
    fn takes(&self, [x, y, z]: [i64; 3]) -> bool {
        let row = (self.dims[0] * self.elem_bytes).next_multiple_of(16) / self.elem_bytes;
        self.has([0, y, z]) && x < row as i64
    }
}

impl Boxed {
    fn new(data_type: DataType, dims: &[usize], swizzle: Swizzle) -> Self {
        let mut box_dims = [1; 3];
        box_dims[..dims.len()].copy_from_slice(dims);
        Self {
            data_type,
            rank: dims.len(),
            box_dims,
            swizzle,
        }
    }

    fn elem_bytes(&self) -> usize {
        self.data_type.bytes() as usize
    }

    /// The tensor, and the coordinates of the load and the store.
    fn place(&self, place: Place) -> (Tensor, [[i64; 3]; 2]) {
        let step = 16 / self.elem_bytes() as i64;
        let [bx, by, bz] = self.box_dims.map(|dim| dim as i64);
        let [dims, mut load, mut store] = match place {
            Place::Whole => [[bx, by, bz], [0; 3], [0; 3]],
            Place::Inside => [
                [2 * bx + step, 2 * by + 1, 2 * bz + 2],
                [step, by - 1, bz - 1],
                [bx, 1, 2],
            ],
            Place::OverTheEnds => [
                [bx + 3, by + 2, bz + 1],
                [-step, -2, -1],
                [step, by, bz - 1],
            ],
            Place::OverTheEnd => [
                [bx + 1, by + 1, bz + 3],
                [bx - step, by - 1, bz + 1],
                [0, 1, 1],
            ],
            Place::Beyond => [[bx + 5, by, bz], [0, -by, 2 * bz], [0; 3]],
        };
        let mut dims = dims.map(|dim| dim as usize);
        for dim in self.rank..3 {
            (dims[dim], load[dim], store[dim]) = (1, 0, 0);
        }
        if self.rank == 1 && matches!(place, Place::Beyond) {
            load[0] = 2 * bx;
        }
        let elem_bytes = self.elem_bytes();
        let row_bytes = (dims[0] * elem_bytes).next_multiple_of(16) + 16;
        let layer_bytes = row_bytes * dims[1] + 32;
        let tensor = Tensor {
            dims,
            elem_bytes,
            row_bytes,
            layer_bytes,
        };
        (tensor, [load, store])
    }

    fn map(&self, tensor: &Tensor) -> Tiled {
        let dims = tensor.dims.map(|dim| dim as u64);
        let strides = [tensor.row_bytes as u64, tensor.layer_bytes as u64];
        TensorMap::tiled(self.data_type, &dims[..self.rank])
            .strides_bytes(&strides[..self.rank - 1])
            .box_dims(&self.box_dims.map(|dim| dim as u32)[..self.rank])
            .swizzle(self.swizzle)
    }

    /// Coordinates in the box, row by row.
    fn coords(&self) -> impl Iterator<Item = [i64; 3]> {
        let [bx, by, bz] = self.box_dims.map(|dim| dim as i64);
        let rows = (0..bz).flat_map(move |z| (0..by).map(move |y| (y, z)));
        rows.flat_map(move |(y, z)| (0..bx).map(move |x| [x, y, z]))
    }

    fn case<T: NoUninit + Default>(
        &self,
        name: &str,
        place: Place,
        kernel: impl Fn(MapRef, MapRef, BufferRef<T>, Placement) -> Call<'static>,
        number: impl Fn(u32) -> T,
        changed: impl Fn(T, u32) -> T,
    ) -> Scenario {
        let (tensor, [load, store]) = self.place(place);
        let count = tensor.bytes() / tensor.elem_bytes;
        let source: Vec<T> = (0..count as u32).map(number).collect();
        let sum = |[a, b, c]: [i64; 3], [x, y, z]: [i64; 3]| [a + x, b + y, c + z];
        let loaded = self.coords().map(|at| {
            let at = sum(load, at);
            let is_there = tensor.has(at);
            if is_there {
                source[tensor.at(at) / tensor.elem_bytes]
            } else {
                T::default()
            }
        });
        let loaded: Vec<T> = loaded.collect();
        let mut target = vec![0xee_u8; tensor.bytes()];
        for (index, (at, element)) in (0..).zip(self.coords().zip(&loaded)) {
            let at = sum(store, at);
            if tensor.takes(at) {
                let element = changed(*element, index);
                let start = tensor.at(at);
                target[start..start + tensor.elem_bytes]
                    .copy_from_slice(bytemuck::bytes_of(&element));
            }
        }
        let [load, store] = [load, store].map(|at| at.map(|coord| coord as i32));
        let map = self.map(&tensor);
        let [from, to] = [1, 2].map(|buffer| MapRef::new(map, buffer));
        let call = kernel(from, to, BufferRef::new(0), Placement { load, store });
        // As many threads as elements, and fewer.
        let threads = if matches!(place, Place::Inside) {
            96
        } else {
            32
        };
        let launch = launched(call, Shape::new(1, threads));
        let others = vec![
            Buffer::new("source", &source),
            Buffer::new("target", &vec![0xee_u8; tensor.bytes()]),
        ];
        let mut case = compared(
            &format!("{name}_{place:?}"),
            &loaded.repeat(2),
            others,
            launch,
        );
        let unchanged = Expected::of(1, &source);
        case.expected.extend([unchanged, Expected::of(2, &target)]);
        case
    }
}

/// Two tiles that a block writes.
fn written(threads: u32) -> Scenario {
    const ELEMS: i32 = 32 * 6;
    let map = TensorMap::tiled(DataType::I32, &[32, 12])
        .strides_bytes(&[128])
        .box_dims(&[32, 6])
        .swizzle(Swizzle::B128);
    let first = (0..ELEMS).map(|index| index * index);
    let expected: Vec<i32> = first.chain((0..ELEMS).map(|index| -2 * index)).collect();
    let sum = |thread: i32| {
        let first = thread / 32 * 32;
        (first..first + 32).map(|other| other + 1 - ELEMS).sum()
    };
    let sums: Vec<i32> = (0..threads as i32).map(sum).collect();
    let call = kernels::tiles_written(MapRef::new(map, 0), BufferRef::new(1));
    let launch = launched(call, Shape::new(1, threads));
    let others = vec![Buffer::zeroed::<i32>("sums", sums.len())];
    let name = format!("tiles_written_by_{threads}");
    let mut case = compared(&name, &expected, others, launch);
    case.expected.push(Expected::of(1, &sums));
    case
}
