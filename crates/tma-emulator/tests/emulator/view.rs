//! The state of the machine between two instructions, as an observer is shown it.

use tma_emulator::{
    Config, EmulatorBackend,
    observer::{CopyState, Event, MbarrierState, Memory, Observer, Origin, Pause, View},
};
use tma_launch::{Buffer, Job, Launch, Ptx};

/// The variables lie in the order of their first use. One thread loads 128 bytes; a second warp waits at a barrier of the block.
const TEXT: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry load(.param .u64 input)
{
	.reg .pred %first, %done;
	.reg .b32 %thread, %r<4>;
	.reg .b64 %from;
	.shared .align 128 .b8 tile[128];
	.shared .align 8 .b64 bar;
	ld.param.u64 %from, [input];
	mov.u32 %thread, %tid.x;
	setp.eq.u32 %first, %thread, 0;
	mov.u32 %r3, 7;
	@%first mbarrier.init.shared::cta.b64 [bar], 1;
	bar.sync 0;
	@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
	@%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%from], 128, [bar];
wait:
	mbarrier.try_wait.parity.shared::cta.b64 %done, [bar], 0;
	@!%done bra wait;
	bar.sync 0;
	ret;
}
";

/// The state at an instruction, as far as it is compared.
#[derive(Clone, Debug)]
struct Seen {
    opcode: String,
    warp: u32,
    lanes: u32,
    resumes: bool,
    pauses: Vec<Option<Pause>>,
    registers: Vec<(String, u64, u64)>,
    mbarriers: Vec<MbarrierState>,
    copies: Vec<CopyState>,
    tile: [u8; 4],
}

#[derive(Default)]
struct Steps(Vec<Seen>);

impl Observer for Steps {
    fn inspects(&self) -> bool {
        true
    }

    fn inspect(&mut self, view: View<'_>) {
        assert_eq!((view.block(), view.blocks()), (0, vec![0]));
        let registers = view.registers(0, view.warp()).into_iter();
        let (start, shared) = view.shared(0);
        assert_eq!(start, 1024);
        let pauses = view.warps(0).into_iter().flatten().map(|at| at.pause);
        self.0.push(Seen {
            opcode: view.opcode(view.instruction()).to_owned(),
            warp: view.warp(),
            lanes: view.lanes(),
            resumes: view.resumes(),
            pauses: pauses.collect(),
            registers: registers
                .map(|it| (it.name.to_owned(), it.lanes[0], it.lanes[31]))
                .collect(),
            mbarriers: view.mbarriers(0),
            copies: view.copies(),
            tile: shared[128..132].try_into().unwrap(),
        });
    }

    fn see(&mut self, _: Origin, _: Event) {}
}

fn steps(seed: u64) -> Vec<Seen> {
    let mut job = Job::new(Ptx {
        name: "load.ptx",
        text: TEXT,
    });
    let input: Vec<u32> = (0x0403_0201..).take(32).collect();
    let input = job.buffer(Buffer::new("input", &input));
    job.launch(Launch::new("load", 1, 64).buffer(input));
    let mut steps = Steps::default();
    let config = Config {
        seed,
        ..Config::default()
    };
    let backend = EmulatorBackend::with_config(config);
    backend.observe(&mut job, &mut steps).unwrap();
    steps.0
}

#[test]
fn barriers_copies_and_memory_are_shown_as_they_change() {
    for seed in 0..16 {
        let steps = steps(seed);
        let at = |opcode: &str| {
            let found = steps
                .iter()
                .find(|it| it.opcode.starts_with(opcode) && it.warp == 0);
            found.unwrap_or_else(|| panic!("no {opcode} under seed {seed}"))
        };
        assert_eq!(at("mbarrier.init").mbarriers, []);
        let arrive = &at("mbarrier.arrive").mbarriers[0];
        let counts = |it: &MbarrierState| (it.phase, it.expected, it.pending, it.pending_bytes);
        assert_eq!((arrive.address, counts(arrive)), (1024, (0, 1, 1, 0)));
        assert_eq!(arrive.name, "mbarrier `bar` at shared address 0x400");
        assert_eq!(counts(&at("cp.async").mbarriers[0]), (0, 1, 0, 128));
        assert!(at("cp.async").copies.is_empty());
        let flies = steps.iter().find(|it| !it.copies.is_empty());
        if let Some([copy]) = flies.map(|it| &it.copies[..]) {
            assert_eq!(copy.origin.thread, 0);
            assert!(copy.unread_bytes + copy.unwritten_bytes <= 128);
            let to = copy.to.unwrap();
            assert_eq!(to.memory, Memory::Shared { block: 0 });
            assert!((1152..1152 + 128).contains(&to.address));
            assert_eq!(copy.mbarrier, Some((0, 1024)));
        }
        let last = steps.last().unwrap();
        assert_eq!(counts(&last.mbarriers[0]), (1, 1, 1, 0));
        assert_eq!(
            (at("mbarrier.init").tile, last.tile),
            ([0; 4], [1, 2, 3, 4])
        );
    }
}

#[test]
fn registers_have_their_names_and_values_by_lane() {
    for step in steps(3)
        .iter()
        .filter(|it| it.opcode == "mbarrier.init.shared::cta.b64")
    {
        let value = |name: &str| {
            let found = step
                .registers
                .iter()
                .find(|(register, ..)| register == name);
            found.map(|(_, first, last)| (*first, *last))
        };
        let first = u64::from(32 * step.warp);
        assert_eq!(value("%thread"), Some((first, first + 31)));
        assert_eq!(value("%r3"), Some((7, 7)));
        // Registers of a range that no instruction names have no place.
        assert_eq!(value("%r0"), None);
        assert_eq!(step.lanes, u32::MAX);
    }
}

#[test]
fn waits_are_shown_and_a_seed_repeats_its_steps() {
    let all: Vec<Seen> = (0..16).flat_map(steps).collect();
    assert!(all.iter().any(|it| it.resumes));
    let at_barrier = |it: &Seen| it.pauses.contains(&Some(Pause::Barrier(0)));
    assert!(all.iter().any(at_barrier));
    let [one, again] = [steps(5), steps(5)].map(|steps| format!("{steps:?}"));
    assert_eq!(one, again);
}
