//! The addresses of a matrix descriptor, compared with those that an H200 read.

use tensor_map::MatrixDescriptor;

use super::samples::SAMPLES;

#[test]
fn elements_are_where_an_h200_read_them() {
    let mut compared = 0;
    for (name, descriptors) in SAMPLES.iter() {
        let Some(of) = name.strip_suffix("_desc") else {
            continue;
        };
        let words: Vec<&str> = of.split('_').collect();
        let size = match words[1] {
            "u8" => 1,
            "f16" => 2,
            _ => 4,
        };
        let addresses = &SAMPLES[&format!("{of}_addr")];
        let depth = addresses.shape[2];
        for (tile, bits) in descriptors.numbers.iter().enumerate() {
            let descriptor = MatrixDescriptor::decode(*bits);
            for (at, address) in addresses.tile(tile).iter().enumerate() {
                let (line, k) = ((at / depth) as u64, (at % depth) as u64);
                let ours = match words[2] {
                    "0" => descriptor.k_major_address(line, k * size),
                    _ => descriptor.mn_major_address(line * size, k),
                };
                assert_eq!(ours, *address, "{of} {bits:#x}, line {line}, k {k}");
                compared += 1;
            }
        }
    }
    assert!(compared > 80_000, "{compared}");
}
