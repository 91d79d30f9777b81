//! Maps that one kernel makes on the device and the next one uses, for tensors of different sizes in a single
//! launch each.

use host_examples::{Result, check, device, jobs};
use kernels_gpu::{
    consume_map::ConsumeMap,
    encode_map::{EncodeMap, map_fields},
};
use tensor_map::{DataType, TensorMap};
use tma_launch::{Buffer, Job};

/// Columns, rows, and the offset of each tensor.
const TENSORS: [(u64, u64, u64); 3] = [(256, 8, 0), (100, 5, 4096), (144, 30, 8192)];

fn main() -> Result<()> {
    let (mut jobs, ptx) = jobs(&device()?)?;
    if !ptx.text.contains(".entry encode_map(") {
        println!(
            "{} has no instruction that changes tensor maps, so this example is skipped",
            ptx.name
        );
        return Ok(());
    }

    let bytes: Vec<u8> = (0..16384_u32).map(|i| (i * 7 % 251) as u8).collect();
    let mut fields = Vec::new();
    for (width, height, offset) in TENSORS {
        let tiled = TensorMap::tiled(DataType::U8, &[width, height])
            .strides_bytes(&[width.next_multiple_of(16)])
            .box_dims(&[128, 4]);
        fields.push(map_fields(&tiled, offset)?);
    }
    let mut job = Job::new(ptx);
    let tensors = job.buffer(Buffer::new("tensors", &bytes));
    let fields = job.buffer(Buffer::new("fields", &fields));
    let maps = job.buffer(Buffer::zeroed::<u8>("maps", 128 * TENSORS.len()));
    let output = job.buffer(Buffer::zeroed::<u8>("output", 512 * TENSORS.len()));
    let count = TENSORS.len() as u32;
    let encode = EncodeMap {
        template: true,
        fields,
        tensors,
        maps,
        count,
    };
    let consume = ConsumeMap {
        rank: 2,
        maps,
        output,
        coords: [16, 3],
        count,
        threads: 32,
    };
    job.launch(encode.launch()?);
    job.launch(consume.launch()?);
    // SAFETY: these kernels' launches have checked their arguments (1).
    unsafe { jobs.run(&mut job) }?;

    let mut expected = Vec::new();
    for (width, height, offset) in TENSORS {
        for y in 3..7 {
            for x in 16..144 {
                let index = offset + y * width.next_multiple_of(16) + x;
                let inside = x < width && y < height;
                expected.push(if inside {
                    bytes[index as usize].into()
                } else {
                    0
                });
            }
        }
    }
    let got = job.buffers[output].bytes().iter().copied().map(i32::from);
    check(
        "boxes of three tensors",
        &expected,
        &got.collect::<Vec<_>>(),
    )
}
