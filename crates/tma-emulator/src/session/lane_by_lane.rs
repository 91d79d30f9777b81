//! Tests that the checker finds the same for a warp's accesses together and for each lane.

use tma_launch::{Argument, Launch};

use super::{Ready, Session, launch::State};
use crate::{
    check::{Checker, Diagnostic},
    machine::{
        Config, Places, Rng,
        observer::{Event, Observer, OrdinaryAccess, Origin},
    },
};

/// Reports each lane separately to a checker.
struct LaneByLane(Checker);

impl Observer for LaneByLane {
    fn see(&mut self, origin: Origin, event: Event) {
        self.0.see(origin, event);
    }

    fn see_access(&mut self, origin: Origin, access: OrdinaryAccess) -> u32 {
        self.0.see_access(origin, access)
    }
}

fn by_lane(state: &mut State, ready: &Ready, config: Config) -> Vec<Diagnostic> {
    let kernel = &ready.kernel;
    let places = Places::new(&ready.shape, kernel.cluster(&ready.shape));
    let names = [
        kernel.code.program.shared_names.clone(),
        state.memory.names(),
    ];
    let checker = Checker::new(places, names, Default::default(), config.strict);
    let mut observer = LaneByLane(checker);
    let result = state.observe(ready, config, &mut observer, None);
    let fault = result.err();
    let entry = &kernel.signature.entry;
    let checker = observer.0;
    checker.diagnostics(&kernel.code.program, &places, entry, fault.as_deref())
}

/// Addresses by thread number, `%r1`: a word of its own, another lane's word, one for a warp, a vector of its
/// own, a row for all warps, one that begins a word later, some of a few, and one for all.
const ADDRESSES: [&str; 8] = [
    "shl.b32 %r2, %r1, 2;",
    "xor.b32 %r2, %r1, 1; shl.b32 %r2, %r2, 2;",
    "shr.u32 %r2, %r1, 5; shl.b32 %r2, %r2, 2;",
    "shl.b32 %r2, %r1, 4;",
    "and.b32 %r2, %r1, 31; shl.b32 %r2, %r2, 2;",
    "and.b32 %r2, %r1, 31; shl.b32 %r2, %r2, 2; add.s32 %r2, %r2, 4;",
    "mul.lo.s32 %r2, %r1, 7; and.b32 %r2, %r2, 63; shl.b32 %r2, %r2, 2;",
    "mov.u32 %r2, 0;",
];

const ACCESSES: [&str; 12] = [
    "ld.shared.u32 %v1, [SHARED];",
    "ld.shared.u32 %v2, [SHARED];",
    "ld.shared.u32 %v2, [SHARED+128];",
    "and.b32 %r3, %r3, -8; ld.shared.v2.u32 {%v1, %v2}, [SHARED+256];",
    "ld.shared.u8 %v1, [SHARED];",
    "ld.volatile.shared.u32 %v1, [SHARED];",
    "st.shared.u32 [SHARED], %v1;",
    "st.shared.u16 [SHARED], %v2;",
    "st.global.u32 [GLOBAL], %v1;",
    "ld.global.u32 %v2, [GLOBAL];",
    "ld.global.nc.u32 %v2, [GLOBAL];",
    "atom.shared.add.u32 %v1, [SHARED], 1;",
];

/// Returns a kernel of random accesses, ordered to a varying degree.
fn kernel(rng: &mut Rng) -> String {
    let mut text = "
        .version 8.0
        .target sm_90a
        .address_size 64
        .shared .align 16 .b8 buffer[4096];
        .visible .entry k(.param .u64 to)
        {
            .reg .b32 %r<6>;
            .reg .b32 %v<3>;
            .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [to];
            mov.u32 %r1, %tid.x;
            mov.u32 %v1, %tid.x;
            mov.u32 %v2, 7;
            mov.u32 %r4, buffer;
            shl.b32 %r5, %r1, 4;
            add.s32 %r5, %r4, %r5;
            st.shared.v4.u32 [%r5], {%v1, %v2, %v1, %v2};
            st.shared.v4.u32 [%r5+2048], {%v1, %v2, %v1, %v2};\n"
        .to_owned();
    let loads = rng.below(3);
    if loads > 0 {
        text += "bar.sync 0;\n";
    }
    for _ in 0..30 {
        if rng.one_in(4) {
            text += ["bar.sync 0;\n", "bar.warp.sync -1;\n"][usize::from(rng.one_in(5))];
            continue;
        }
        text += ADDRESSES[rng.below(ADDRESSES.len())];
        text += "add.s32 %r3, %r4, %r2; cvt.u64.u32 %rd2, %r2; add.s64 %rd3, %rd1, %rd2;";
        // Some kernels only read, and some write now and then.
        let some = match loads {
            0 => ACCESSES.len(),
            1 if rng.one_in(8) => ACCESSES.len(),
            _ => 4,
        };
        let access = ACCESSES[rng.below(some)];
        text += &access.replace("SHARED", "%r3").replace("GLOBAL", "%rd3");
        text += "\n";
    }
    text + "ret;\n}"
}

#[test]
fn a_warp_together_is_as_lane_by_lane() {
    let mut rng = Rng::new(11);
    let (mut clean, mut found) = (0, 0);
    for round in 0..200 {
        let text = kernel(&mut rng);
        let mut session = Session::new(Config::default());
        let module = session.load("k.ptx", &text).unwrap();
        let to = session.allocate("to", vec![0; 8192]);
        let threads = if round % 4 == 0 { 100 } else { 128 };
        let launch = Launch::new("k", 2, threads).argument(Argument::Address(to));
        let ready = session.ready(module, &launch).unwrap();
        let config = Config {
            seed: round,
            strict: round % 5 == 0,
            ..Config::default()
        };
        let [together, lanes] = session.within(&ready, |state, _| {
            let mut before = state.clone();
            let lanes = by_lane(&mut before, &ready, config);
            [state.check(&ready, config).diagnostics, lanes]
        });
        assert_eq!(
            format!("{together:#?}"),
            format!("{lanes:#?}"),
            "seed {round} of\n{text}"
        );
        match together.is_empty() {
            true => clean += 1,
            false => found += 1,
        }
    }
    assert!(clean > 20 && found > 80, "{clean} {found}");
}
