use kernels_gpu::hwc_tile::{HwcTile, HwcTileLanes, Image};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "hwc_tile",
    summary: "loads 2 x 2 x 32 tiles of an [H][W][C] image of halves, eight lanes of a warp issuing a copy each",
    golden: &["hwc_tile", "hwc_tile_lanes"],
    showcase: || lanes(REPORT, 512),
    cases,
};

/// The image of the report.
const REPORT: Image = Image {
    height: 94,
    width: 162,
    channels: 32,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    // The layout, from inside, over each edge and corner, and from outside.
    for w in [-2, -1, 0, 77, 160, 161, 162] {
        for h in [-2, -1, 0, 51, 92, 93, 94] {
            cases.push(one(REPORT, [0, w, h], 64));
        }
    }
    // Part of the channels, and more than exist.
    let wide = Image {
        height: 5,
        width: 7,
        channels: 48,
    };
    for c in [-40, -32, -8, 0, 8, 16, 24, 48] {
        cases.push(one(wide, [c, 3, 4], 128));
    }
    for threads in [64, 96, 128] {
        cases.push(one(REPORT, [0, 12, 34], threads));
    }
    for tiles in [8, 16, 264] {
        cases.push(lanes(REPORT, tiles));
    }
    cases.push(lanes(wide, 40));
    cases
}

fn halves(image: Image) -> Vec<u16> {
    let numbers = numbers(image.len_elems());
    numbers.iter().map(|number| *number as u16).collect()
}

/// Returns the tile whose first element is at channel, column and row, in the order of shared memory.
fn tile(image: Image, data: &[u16], [c, w, h]: [i32; 3]) -> Vec<u16> {
    let mut tile = Vec::new();
    for row in h..h + 2 {
        for column in w..w + 2 {
            for channel in c..c + 32 {
                let inside = (0..image.height as i32).contains(&row)
                    && (0..image.width as i32).contains(&column)
                    && (0..image.channels as i32).contains(&channel);
                let index = || {
                    (row as usize * image.width + column as usize) * image.channels
                        + channel as usize
                };
                tile.push(if inside { data[index()] } else { 0 });
            }
        }
    }
    tile
}

fn one(image: Image, coords: [i32; 3], threads: u32) -> Scenario {
    let data = halves(image);
    let copy = HwcTile {
        image,
        data: 0,
        output: 1,
        coords,
        threads,
    };
    let [c, w, h] = coords;
    let expected = tile(image, &data, coords);
    Scenario {
        name: format!(
            "tile_{c}_{w}_{h}_of_{}_channels_threads_{threads}",
            image.channels
        ),
        buffers: vec![
            Buffer::new("image", &data),
            Buffer::new("output", &[0xdead_u16; 128]),
        ],
        launches: vec![kept(copy.launch())],
        expected: vec![Expected::of(1, &expected).dims(&[16, 2, 2])],
    }
}

/// Tiles all over the image, and some beyond its edges.
fn lanes(image: Image, tiles: u32) -> Scenario {
    let data = halves(image);
    let along =
        |index: u32, length: usize, step: u32| (index * step % (length as u32 + 4)) as i32 - 2;
    let coords: Vec<[i32; 2]> = (0..tiles)
        .map(|index| {
            [
                along(index, image.width, 37),
                along(index, image.height, 23),
            ]
        })
        .collect();
    let expected = coords
        .iter()
        .flat_map(|[w, h]| tile(image, &data, [0, *w, *h]));
    let expected: Vec<u16> = expected.collect();
    let copies = HwcTileLanes {
        image,
        data: 0,
        coords: 1,
        output: 2,
        tiles,
    };
    Scenario {
        name: format!("{tiles}_tiles_by_lanes_of_{}_channels", image.channels),
        buffers: vec![
            Buffer::new("image", &data),
            Buffer::new("coords", &coords),
            Buffer::new("output", &vec![0xdead_u16; expected.len()]),
        ],
        launches: vec![kept(copies.launch())],
        expected: vec![Expected::of(2, &expected).dims(&[16, 2, 2, tiles as usize])],
    }
}
