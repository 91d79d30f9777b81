//! Surfaces: bytes at coordinates, accesses out of bounds, and findings about textures and surfaces.

use tma_emulator::{
    Config, Session,
    texture::{Channel, Format, Geometry, Image, Sampler, Texture},
};
use tma_launch::{Argument, Failure, Launch};

use crate::common::module;

/// A kernel of the handles of a surface and a texture, and an address.
fn kernel(body: &str) -> String {
    module(&format!(
        ".visible .entry k(.param .u64 surface, .param .u64 texture, .param .u64 out) {{
            .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .pred %p<2>;
            ld.param.u64 %rd1, [surface]; ld.param.u64 %rd2, [texture]; ld.param.u64 %out, [out];
            mov.u32 %t, %tid.x; shl.b32 %r15, %t, 2; cvt.u64.u32 %rd7, %r15; add.u64 %out, %out, %rd7;
            {body}
            ret;
        }}"
    )
    .replace(".reg .b16 %h<8>;", ".reg .b16 %h<8>; .reg .b64 %out; .reg .b32 %t;"))
}

/// An array with a surface, and with a texture of the same texels.
struct Array {
    session: Session,
    image: Image,
    surface: u64,
    texture: u64,
    out: u64,
}

impl Array {
    fn new(geometry: Geometry, extents: [u64; 3], channels: u32, bits: u32, kind: Channel) -> Self {
        let mut session = Session::new(Config::default());
        let format = Format::new(channels, bits, kind).unwrap();
        let bytes = extents.iter().product::<u64>() * u64::from(format.texel_bytes());
        let address = session.allocate("texels", vec![0xee; bytes as usize]);
        let image = Image::array(address, format, geometry, extents).unwrap();
        let surface = session.add_surface(image).unwrap();
        let texture = session.add_texture(Texture::new(image, Sampler::default()).unwrap());
        let out = session.allocate("out", vec![0; 4 * 64]);
        Self {
            session,
            image,
            surface,
            texture,
            out,
        }
    }

    fn launch(&mut self, body: &str, threads: u32) -> Result<(), Failure> {
        let module = self.session.load("surface.ptx", &kernel(body))?;
        let launch = Launch::new("k", 1, threads)
            .scalar(self.surface)
            .scalar(self.texture)
            .argument(Argument::Address(self.out));
        self.session.launch(module, &launch).map(drop)
    }

    fn texels(&mut self) -> Vec<u8> {
        let (address, bytes) = (self.image.address(), self.image.bytes());
        self.session.read(address, bytes as usize).unwrap().to_vec()
    }

    fn out(&mut self, count: usize) -> Vec<u32> {
        let bytes = self.session.read(self.out, 4 * count).unwrap();
        let words = bytes.chunks_exact(4);
        words
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    }
}

#[test]
fn stores_are_seen_by_later_launches() {
    let mut array = Array::new(Geometry::Plane, [5, 3, 1], 1, 32, Channel::Unsigned);
    // Thread t stores to column t of row 1; x counts bytes.
    let store = "add.u32 %r1, %t, 70; sust.b.2d.b32.trap [%rd1, {%r15, 1}], {%r1};";
    array.launch(store, 5).unwrap();
    let texels = array.texels();
    let row: Vec<u8> = [70_u32, 71, 72, 73, 74]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    assert_eq!(texels[20..40], row);
    assert!(
        texels[..20]
            .iter()
            .chain(&texels[40..])
            .all(|byte| *byte == 0xee)
    );
    let read = "suld.b.2d.b32.trap {%r1}, [%rd1, {%r15, 1}];
        cvt.rn.f32.u32 %f1, %t; tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%rd2, {%f1, 0f3FC00000}];
        mad.lo.u32 %r1, %r1, 1000, %r2; st.global.u32 [%out], %r1;";
    array.launch(read, 5).unwrap();
    assert_eq!(array.out(5), [70070, 71071, 72072, 73073, 74074]);
}

#[test]
fn elements_have_their_sizes_and_places() {
    let mut array = Array::new(Geometry::Volume, [4, 2, 3], 2, 16, Channel::Signed);
    let store = "mov.u16 %h1, 0x1234; mov.u16 %h2, 0x5678; mov.u16 %h3, 0xab;
        sust.b.3d.v2.b16.trap [%rd1, {8, 1, 2, 0}], {%h1, %h2};
        sust.b.3d.b8.trap [%rd1, {5, 0, 1, 0}], {%h3};
        mov.u64 %rd3, 0x1122334455667788; sust.b.3d.b64.trap [%rd1, {0, 1, 0, 0}], {%rd3};
        suld.b.3d.v2.b16.trap {%h4, %h5}, [%rd1, {8, 1, 2, 0}]; cvt.u32.u16 %r1, %h4; cvt.u32.u16 %r2, %h5;
        mad.lo.u32 %r1, %r2, 65536, %r1; st.global.u32 [%out], %r1;";
    array.launch(store, 1).unwrap();
    let at = |x: usize, y: usize, z: usize| (z * 2 + y) * 16 + x;
    let texels = array.texels();
    assert_eq!(texels[at(8, 1, 2)..][..4], [0x34, 0x12, 0x78, 0x56]);
    assert_eq!(texels[at(4, 0, 1)..][..4], [0xee, 0xab, 0xee, 0xee]);
    assert_eq!(
        texels[at(0, 1, 0)..][..8],
        0x1122_3344_5566_7788_u64.to_le_bytes()
    );
    assert_eq!(array.out(1), [0x5678_1234]);
}

#[test]
fn layers_and_faces_are_reached() {
    let mut array = Array::new(Geometry::LayeredPlane, [2, 2, 3], 1, 32, Channel::Unsigned);
    array
        .launch("sust.b.a2d.b32.trap [%rd1, {2, 4, 1, 0}], {77};", 1)
        .unwrap();
    assert_eq!(array.texels()[4 * (2 * 4 + 2 + 1)..][..4], [77, 0, 0, 0]);
    let beyond = array.launch("sust.b.a2d.b32.trap [%rd1, {3, 4, 1, 0}], {77};", 1);
    let said = beyond.unwrap_err().to_string();
    assert!(
        said.contains("the layer is 3, outside of the surface, which has 3"),
        "{said}"
    );
    // Face 3 of the second cube.
    let mut cubes = Array::new(Geometry::LayeredCube, [2, 2, 12], 1, 32, Channel::Unsigned);
    cubes
        .launch("sust.b.a2d.b32.trap [%rd1, {9, 0, 1, 0}], {78};", 1)
        .unwrap();
    assert_eq!(cubes.texels()[4 * (9 * 4 + 2)..][..4], [78, 0, 0, 0]);
    let mut lines = Array::new(Geometry::LayeredLine, [4, 1, 3], 1, 32, Channel::Unsigned);
    lines
        .launch("sust.b.a1d.b32.trap [%rd1, {1, 12}], {79};", 1)
        .unwrap();
    assert_eq!(lines.texels()[4 * 7..][..4], [79, 0, 0, 0]);
}

#[test]
fn what_is_outside_traps_is_clamped_or_is_zero() {
    let new = || Array::new(Geometry::Plane, [5, 3, 1], 1, 32, Channel::Unsigned);
    let mut array = new();
    let clamped =
        "sust.b.2d.b32.clamp [%rd1, {400, -1}], {7}; sust.b.2d.b32.clamp [%rd1, {-4, 3}], {8};
        sust.b.2d.b32.zero [%rd1, {20, 0}], {9}; sust.b.2d.b32.zero [%rd1, {0, -1}], {9};
        suld.b.2d.b32.zero {%r1}, [%rd1, {0, 3}]; suld.b.2d.b32.clamp {%r2}, [%rd1, {20, -5}];
        mad.lo.u32 %r1, %r1, 1000, %r2; st.global.u32 [%out], %r1;";
    array.launch(clamped, 1).unwrap();
    let mut wanted = vec![0xee; 60];
    wanted[16..20].copy_from_slice(&[7, 0, 0, 0]);
    wanted[40..44].copy_from_slice(&[8, 0, 0, 0]);
    assert_eq!(array.texels(), wanted);
    assert_eq!(array.out(1), [7]);
    let cases = [
        (
            "sust.b.2d.b32.trap [%rd1, {20, 0}], {9};",
            "4 bytes at byte 20 of a row are outside of the surface",
        ),
        (
            "sust.b.2d.b32.trap [%rd1, {0, 3}], {9};",
            "y is 3, outside of the surface, which has 3",
        ),
        (
            "suld.b.2d.b32.trap {%r1}, [%rd1, {-4, 0}];",
            "4 bytes at byte -4 of a row",
        ),
        (
            "suld.b.2d.b32.trap {%r1}, [%rd1, {2, 0}];",
            "byte 2 of a row is not a multiple of the 4 bytes",
        ),
        (
            "mov.u64 %rd1, 12; suld.b.2d.b32.zero {%r1}, [%rd1, {2, 0}];",
            "0xc is not the handle of a surface",
        ),
        (
            "sust.p.2d.f32.trap [%rd1, {0, 0}], {0f3F800000};",
            "the texels of the surface are unsigned integers",
        ),
    ];
    for (body, part) in cases {
        let message = new().launch(body, 1).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn texels_are_stored_by_their_format() {
    let mut array = Array::new(Geometry::Plane, [4, 2, 1], 2, 8, Channel::Signed);
    // x counts texels; what does not fit becomes the nearest.
    let store = "sust.p.2d.v4.s32.trap [%rd1, {3, 1}], {300, -5, 1, 1}; sust.p.2d.v2.b32.trap [%rd1, {0, 0}], {-300, 6};";
    array.launch(store, 1).unwrap();
    let texels = array.texels();
    assert_eq!(texels[14..16], [127, 251]);
    assert_eq!(texels[..3], [128, 6, 0xee]);
}

#[test]
fn reductions_add_up() {
    let mut array = Array::new(Geometry::Plane, [4, 2, 1], 1, 32, Channel::Unsigned);
    let (address, bytes) = (array.image.address(), array.image.bytes() as usize);
    array.session.write(address, &vec![0; bytes]).unwrap();
    let reduce =
        "sured.b.add.2d.u32.trap [%rd1, {4, 1}], %t; sured.b.max.2d.u32.trap [%rd1, {8, 0}], %t;";
    array.launch(reduce, 64).unwrap();
    let texels = array.texels();
    assert_eq!(texels[20..24], 2016_u32.to_le_bytes());
    assert_eq!(texels[8..12], 63_u32.to_le_bytes());
}

#[test]
fn a_texture_does_not_see_what_the_kernel_writes() {
    let new = || Array::new(Geometry::Plane, [5, 3, 1], 1, 32, Channel::Unsigned);
    let fetch = "tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%rd2, {0f3F800000, 0f3F800000}];";
    // The store is the thread's own, or another thread's and ordered by a barrier.
    for store in [
        "sust.b.2d.b32.trap [%rd1, {4, 1}], {7};",
        "setp.eq.u32 %p1, %t, 0; @%p1 sust.b.2d.b32.trap [%rd1, {4, 1}], {7}; bar.sync 0;",
    ] {
        let message = new()
            .launch(&format!("{store} {fetch}"), 1)
            .unwrap_err()
            .to_string();
        assert!(message.contains("non-coherent-read"), "{message}");
        // Another texel.
        new()
            .launch(&format!("{} {fetch}", store.replace("{4, 1}", "{8, 1}")), 1)
            .unwrap();
    }
    // A thread sees its own stores by the surface, and others' after a barrier.
    let mut array = new();
    let own = "sust.b.2d.b32.trap [%rd1, {%r15, 1}], {%t}; bar.sync 0; sub.u32 %r1, 16, %r15;
        suld.b.2d.b32.trap {%r2}, [%rd1, {%r1, 1}]; st.global.u32 [%out], %r2;";
    array.launch(own, 5).unwrap();
    assert_eq!(array.out(5), [4, 3, 2, 1, 0]);
    // Two threads store different values to one texel.
    let message = new()
        .launch("sust.b.2d.b32.trap [%rd1, {4, 1}], {%t};", 64)
        .unwrap_err()
        .to_string();
    assert!(message.contains("data-race"), "{message}");
}

#[test]
fn handles_are_given_back() {
    let mut array = Array::new(Geometry::Plane, [5, 3, 1], 1, 32, Channel::Unsigned);
    let (surface, texture) = (array.surface, array.texture);
    assert!(array.session.remove_texture(surface).is_err());
    array.session.remove_texture(texture).unwrap();
    assert!(array.session.remove_texture(texture).is_err());
    assert!(array.session.texture(texture).is_none() && array.session.surface(surface).is_some());
    let fetch = "tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%rd2, {0f3F800000, 0f3F800000}];";
    let message = array.launch(fetch, 1).unwrap_err().to_string();
    assert!(message.contains("any more: it was destroyed"), "{message}");
    array.session.remove_surface(surface).unwrap();
    let format = Format::new(1, 32, Channel::Float).unwrap();
    let linear = Image::linear(0, format, 64).unwrap();
    let refused = array.session.add_surface(linear).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a surface is made of linear memory; it must be an array"
    );
}

/// All lanes store to one texel: the same number, or numbers that differ in their second byte alone.
#[test]
fn the_checker_compares_stored_bytes() {
    let new = || Array::new(Geometry::Plane, [5, 3, 1], 1, 32, Channel::Unsigned);
    let store = |shift: u32| {
        let body = format!(
            "shr.u32 %r1, %t, {shift}; shl.b32 %r1, %r1, 8; sust.b.2d.b32.trap [%rd1, {{4, 1}}], {{%r1}};"
        );
        new()
            .launch(&body, 32)
            .map_err(|failure| failure.to_string())
    };
    assert_eq!(store(5), Ok(()));
    let said = store(0).unwrap_err();
    assert!(said.contains("error[data-race]"), "{said}");
}
