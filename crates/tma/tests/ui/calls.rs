use tma_launch::{BufferRef, MapRef};
use tma::{TensorMap, kernel};

#[kernel]
pub unsafe fn scale(_data: *mut f32, _len: u32, _factor: f32) {}

#[kernel(instances(T = f32, u32))]
pub unsafe fn fill<T: Copy>(_data: *mut T, _value: T) {}

#[kernel]
pub unsafe fn tile(#[grid_constant] _map: &TensorMap) {}

fn main() {
    let data = BufferRef::<f32>::new(0);
    // A number of another type.
    let _ = scale(data, 1000.0_f32, 2.5);
    // One argument too few.
    let _ = scale(data, 1000);
    // Elements of another type.
    let _ = scale(BufferRef::<i32>::new(0), 1000, 2.5);
    // A number for memory, memory for a tensor map.
    let _ = scale(0, 1000, 2.5);
    let _ = tile(data);
    // A type without an instance.
    let _ = fill(BufferRef::<i64>::new(0), 1);
    // A tensor map for memory.
    let map = MapRef::new(TensorMap::tiled_of::<f32>(&[64]).box_dims(&[64]), 0);
    let _ = scale(map, 1000, 2.5);
}
