use kernels_gpu::{
    Matrix,
    multicast_tile::{BLOCKS, MulticastTile, MulticastTileForm, TILE, TILES},
};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "multicast_tile",
    summary: "each of four blocks fetches a slice of a tile and multicasts it to its cluster",
    golden: &["multicast_tile"],
    showcase: || scenario(FORMS[0], Matrix::packed(256, 64), [0, 16], 4, 256),
    cases,
};

const FORMS: [MulticastTileForm; 2] = [MulticastTileForm::Tile, MulticastTileForm::Tiles];

fn cases() -> Vec<Scenario> {
    let matrix = Matrix {
        width: 150,
        height: 61,
        pitch: 156,
    };
    let mut cases = Vec::new();
    // The second form has one cluster for four tiles.
    for (form, clusters) in FORMS.into_iter().zip([2, TILES]) {
        cases.push(scenario(form, Matrix::packed(64, 32), [0, 0], 1, 32));
        for origin in [[0, 0], [12, 7], [-8, -5], [140, 50], [-64, 0], [0, -40]] {
            cases.push(scenario(form, matrix, origin, clusters, 96));
        }
        // The last cluster of the second form has one tile of four.
        cases.push(scenario(form, matrix, [-4, 3], 5, 1024));
    }
    cases
}

fn scenario(
    form: MulticastTileForm,
    matrix: Matrix,
    origin: [i32; 2],
    clusters: u32,
    threads: u32,
) -> Scenario {
    let data = numbers(matrix.len_elems());
    let [width, height] = TILE.map(|side| side as i64);
    let mut expected = Vec::new();
    for cluster in 0..i64::from(clusters) {
        for block in 0..BLOCKS as i32 {
            for row in 0..height {
                for column in 0..width {
                    let x = i64::from(origin[0]) + cluster * width + column;
                    let y = i64::from(origin[1]) + row;
                    let inside = (0..matrix.width as i64).contains(&x)
                        && (0..matrix.height as i64).contains(&y);
                    let index = || y as usize * matrix.pitch + x as usize;
                    expected.push(block + if inside { data[index()] } else { 0 });
                }
            }
        }
    }
    let tile = MulticastTile {
        form,
        matrix,
        data: 0,
        output: 1,
        origin,
        clusters,
        threads,
    };
    let [x, y] = origin;
    let launch = kept(tile.launch());
    Scenario {
        name: format!(
            "{}_{}x{}_at_{x}_{y}_{clusters}_clusters_of_{threads}",
            launch.entry, matrix.width, matrix.height
        ),
        buffers: vec![
            Buffer::new("matrix", &data),
            Buffer::new("output", &vec![i32::MIN; expected.len()]),
        ],
        launches: vec![launch],
        expected: vec![
            Expected::of(1, &expected).dims(&[64, 32, 4, clusters as usize]),
            Expected::of(0, &data),
        ],
    }
}
