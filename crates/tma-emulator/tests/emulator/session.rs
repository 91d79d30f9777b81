//! Memory and modules that live from launch to launch.

use crate::common::{
    SEEDS,
    copies::{INIT, kernel},
    module,
};
use tma_emulator::{
    Config, EmulatorBackend, ModuleId, Session,
    check::{DiagnosticKind, Suppression, Suppressions},
};
use tma_launch::{Argument, Buffer, Failure, Job, Launch, Ptx, Rule, Stage};

fn session(seed: u64) -> Session {
    Session::new(Config {
        seed,
        ..Config::default()
    })
}

/// A module with a kernel `k` that writes into the buffer `out`, with its address in `%out`.
fn writes(variables: &str, body: &str) -> String {
    module(&format!(
        "{variables} .visible .entry k(.param .u64 out) {{
            .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b64 %out;
            ld.param.u64 %out, [out]; {body} ret; }}"
    ))
}

fn launch(session: &mut Session, module: ModuleId, address: u64) -> Result<(), Failure> {
    let launch = Launch::new("k", 1, 1).argument(Argument::Address(address));
    session.launch(module, &launch).map(drop)
}

fn word(session: &mut Session, address: u64) -> u32 {
    let bytes = session.read(address, 4).expect("it is allocated");
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

const COUNT: &str = "ld.global.u32 %r1, [%out]; add.u32 %r1, %r1, 1; st.global.u32 [%out], %r1;";

#[test]
fn allocations_keep_their_addresses_and_bytes_between_launches() {
    let mut session = session(0);
    let count = session.load("count.ptx", &writes("", COUNT)).unwrap();
    let first = session.allocate("first", vec![5, 0, 0, 0]);
    launch(&mut session, count, first).unwrap();
    let second = session.allocate("second", vec![0; 4]);
    assert_ne!(first, second);
    launch(&mut session, count, first).unwrap();
    launch(&mut session, count, second).unwrap();
    assert_eq!([first, second].map(|at| word(&mut session, at)), [7, 1]);
    session.write(first, &[1, 1, 0, 0]).unwrap();
    launch(&mut session, count, first).unwrap();
    assert_eq!(word(&mut session, first), 258);
    assert_eq!(session.allocation(first + 3), Some((first, 4)));
}

#[test]
fn freed_memory_is_named_by_its_allocation() {
    let mut session = session(0);
    let count = session.load("count.ptx", &writes("", COUNT)).unwrap();
    let out = session.allocate("out", vec![0; 4]);
    session.free(out).unwrap();
    let again = session.allocate("again", vec![0; 4]);
    let failure = launch(&mut session, count, out).unwrap_err();
    let text = failure.to_string();
    let freed = "byte 0 of `out` (4 bytes), which was freed by the host";
    for part in [
        "error[use-after-free]",
        &format!("4 bytes at {out:#x} are in freed memory: {freed}\n"),
        "help: free the memory after the last launch that uses it",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(session.freed(out).as_deref(), Some(freed));
    assert_eq!([session.freed(out + 4), session.freed(again)], [None, None]);
    assert_eq!(
        failure.error_name.as_deref(),
        Some("CUDA_ERROR_ILLEGAL_ADDRESS")
    );
    for message in [session.free(out), session.read(out, 1).map(drop)] {
        assert!(
            message
                .unwrap_err()
                .to_string()
                .contains(&format!("{out:#x}"))
        );
    }
    // A fault of one launch is none of the next.
    launch(&mut session, count, again).unwrap();
    assert_eq!(word(&mut session, again), 1);
}

#[test]
fn modules_have_variables_of_their_own_that_live_as_long() {
    let body = "
        ld.global.u32 %r1, [counter]; add.u32 %r1, %r1, 1; st.global.u32 [counter], %r1;
        ld.const.u32 %r2, [step]; mad.lo.u32 %r1, %r1, 100, %r2; st.global.u32 [%out], %r1;";
    let text = |step: u32| {
        let variables = format!(".global .u32 counter; .const .u32 step = {step};");
        writes(&variables, body)
    };
    let mut session = session(0);
    let [a, b] =
        [("a.ptx", 1), ("b.ptx", 2)].map(|(name, step)| session.load(name, &text(step)).unwrap());
    let out = session.allocate("out", vec![0; 4]);
    let run = |session: &mut Session, module| {
        launch(session, module, out).unwrap();
        word(session, out)
    };
    assert_eq!(
        [a, a, b, a].map(|module| run(&mut session, module)),
        [101, 201, 102, 301]
    );

    session.write_variable(b, "step", &[9, 0, 0, 0]).unwrap();
    session.write_variable(a, "counter", &[6, 0, 0, 0]).unwrap();
    assert_eq!([a, b].map(|module| run(&mut session, module)), [701, 209]);
    let mut read = |module, name| session.read_variable(module, name).unwrap()[0];
    let found = [(a, "step"), (b, "step"), (a, "counter"), (b, "counter")];
    assert_eq!(found.map(|(module, name)| read(module, name)), [1, 9, 7, 2]);
    let message = session.write_variable(a, "step", &[0; 3]).unwrap_err();
    let text = "upload: the variable `step` has 4 bytes, not 3";
    assert_eq!(message.to_string(), text);
    let message = session.variable(a, "stop").unwrap_err();
    let text = "upload: the module has no variable `stop`: did you mean `step`?";
    assert_eq!(message.to_string(), text);

    let (counter, bytes) = session.variable(a, "counter").unwrap();
    assert_eq!((word(&mut session, counter), bytes), (7, 4));
    session.unload(a).unwrap();
    assert!(session.read(counter, 4).is_err() && session.unload(a).is_err());
    let failure = launch(&mut session, a, out).unwrap_err();
    assert_eq!(failure.to_string(), "resolve: the module was unloaded");
    assert_eq!(run(&mut session, b), 309);
}

#[test]
fn what_the_checker_finds_is_an_error_of_the_launch() {
    let race = writes("", "mov.u32 %r1, %tid.x; st.global.u32 [%out], %r1;");
    for checks in [true, false] {
        let mut session = Session::new(Config {
            checks,
            ..Config::default()
        });
        let race = session.load("race.ptx", &race).unwrap();
        let out = session.allocate("out", vec![0; 4]);
        let launch = Launch::new("k", 1, 64).argument(Argument::Address(out));
        let result = session.launch(race, &launch);
        if !checks {
            assert!(result.is_ok());
            continue;
        }
        let failure = result.unwrap_err();
        let text = failure.to_string();
        assert_eq!(failure.error_name.as_deref(), Some("CHECKER"));
        assert!(
            text.contains("error[") && text.contains("race.ptx:"),
            "{text}"
        );
        assert!(
            text.contains("= rule: PTX ISA") && text.contains("= help: "),
            "{text}"
        );
    }
}

#[test]
fn launches_that_cannot_work_are_refused_with_all_that_is_wrong() {
    let mut session = session(0);
    let count = session.load("count.ptx", &writes("", COUNT)).unwrap();
    let launch = Launch::new("k", 1, 2048)
        .scalar(1_u32)
        .argument(Argument::Address(0));
    let message = session.launch(count, &launch);
    let violations = message.unwrap_err().violations;
    let rules: Vec<Rule> = violations
        .0
        .iter()
        .map(|violation| violation.rule)
        .collect();
    assert!(rules.contains(&Rule::BlockThreads), "{rules:?}");
    assert!(rules.contains(&Rule::ArgumentCount) && rules.contains(&Rule::ArgumentSize));
    let message = session.launch(count, &Launch::new("kk", 1, 1)).unwrap_err();
    assert_eq!(
        message.to_string(),
        "resolve: `count.ptx` has no kernel `kk`: did you mean `k`?"
    );
    let message = session
        .launch(count, &Launch::new("k", 1, 1).buffer(0))
        .unwrap_err();
    assert_eq!(message.stage, Stage::Check);
    assert!(session.load("bad.ptx", "no PTX").is_err());
}

/// One kernel writes a tensor map into global memory without a release, and another loads by it.
#[test]
fn a_map_that_an_earlier_launch_wrote_needs_a_release_unless_the_host_wrote_it_since() {
    let body = format!(
        "{INIT} ld.param.u64 %rd6, [map];
        ld.param.u64 %rd2, [bytes]; setp.eq.u64 %p3, %rd2, 0; @%p3 bra USE;
        @!%p1 bra END; st.global.u32 [%out+64], %t; ld.global.u64 %rd5, [%rd6]; st.global.u64 [%rd6], %rd5; bra END;
        USE: fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128;
        @!%p1 bra WAIT; mov.u32 %r6, 0;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 128;
        cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], [%rd6, {{%r6}}], [%bar];
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;
        mad.lo.u32 %r1, %t, 4, %tile; ld.shared.u32 %r1, [%r1];
        mul.wide.u32 %rd3, %t, 4; add.u64 %rd3, %rd3, %out; st.global.u32 [%rd3], %r1; END:"
    );
    let text = kernel(".param .u64 map, .param .u64 bytes", "", &body);
    for seed in SEEDS {
        let mut session = session(seed);
        let module = session.load("maps.ptx", &text).unwrap();
        let out = session.allocate("out", vec![0; 128]);
        let tensor = session.allocate("tensor", vec![7; 128]);
        let params = tensor_map::TensorMap::tiled_of::<i32>(&[32]).box_dims(&[32]);
        let bytes = params.build(tensor).unwrap().to_bytes();
        let map = session.allocate("map", bytes.to_vec());
        let run = |session: &mut Session, step: u64| {
            let mut launch = Launch::new("k", 1, 32);
            launch.arguments = [out, map, step].map(Argument::Address).to_vec();
            let report = session.launch(module, &launch);
            report.map(drop).map_err(|failure| failure.to_string())
        };
        assert_eq!(run(&mut session, 0), Ok(()));
        assert_eq!(run(&mut session, 1), Ok(()));
        let message = run(&mut session, 0).unwrap_err();
        assert!(
            message.contains("an earlier launch wrote the map"),
            "{message}"
        );
        session.write(map, &bytes).unwrap();
        assert_eq!(run(&mut session, 0), Ok(()));
        assert_eq!(word(&mut session, out), 0x0707_0707);
    }
}

#[test]
fn suppressions_of_a_session_are_for_its_launches() {
    let mut session = session(0);
    let racing = session.load(
        "race.ptx",
        &writes("", "mov.u32 %r1, %tid.x; st.global.u32 [%out], %r1;"),
    );
    let (racing, out) = (racing.unwrap(), session.allocate("out", vec![0; 4]));
    let launch = |session: &mut Session| {
        let launch = Launch::new("k", 1, 64).argument(Argument::Address(out));
        session.launch(racing, &launch)
    };
    let message = launch(&mut session).unwrap_err().to_string();
    assert!(message.contains("error[data-race]"), "{message}");
    let accepted = Suppression {
        kind: DiagnosticKind::DataRace,
        function: "k".to_owned(),
        reason: None,
    };
    session.suppress(Suppressions::new([accepted]));
    launch(&mut session).unwrap();
    let counts: Vec<u64> = session
        .suppressions()
        .counts()
        .map(|(_, count)| count)
        .collect();
    assert_eq!(counts, [1]);
}

/// One module allocates a MiB of the device heap and fills a word, another one reads and frees it: more often
/// than the heap has room.
#[test]
fn the_device_heap_is_that_of_all_modules_and_lives_on() {
    let module = |declared: &str, body: &str| {
        module(&format!(
            "{declared} .visible .entry k(.param .u64 out) {{
                .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b64 %out;
                ld.param.u64 %out, [out]; {body} ret; }}"
        ))
    };
    let takes = module(
        ".extern .func (.param .b64 result) malloc(.param .b64 bytes);",
        "{ .param .b64 bytes; .param .b64 result; st.param.b64 [bytes], 1048576;
           call.uni (result), malloc, (bytes); ld.param.b64 %rd1, [result]; }
         st.global.u64 [%out], %rd1; st.u32 [%rd1 + 1048572], 77;",
    );
    let gives = module(
        ".extern .func free(.param .b64 pointer);",
        "ld.global.u64 %rd1, [%out]; ld.u32 %r1, [%rd1 + 1048572]; st.global.u32 [%out + 8], %r1;
         { .param .b64 pointer; st.param.b64 [pointer], %rd1; call.uni free, (pointer); }",
    );
    let mut session = session(0);
    let takes = session.load("takes.ptx", &takes).unwrap();
    let gives = session.load("gives.ptx", &gives).unwrap();
    let out = session.allocate("out", vec![0; 16]);
    let mut first = 0;
    for turn in 0..20 {
        session.write(out, &[0; 16]).unwrap();
        launch(&mut session, takes, out).unwrap();
        if turn == 0 {
            let address = session.read(out, 8).unwrap();
            first = u64::from_le_bytes(address.try_into().unwrap());
            assert!(
                session.free(first).is_err(),
                "the heap's memory is not the host's"
            );
        }
        launch(&mut session, gives, out).unwrap();
        assert_eq!(word(&mut session, out + 8), 77);
    }
    let message = launch(&mut session, gives, out).unwrap_err().to_string();
    // The memory is read before it is freed again.
    assert!(message.contains("error[use-after-free]"), "{message}");
    assert!(message.contains("byte 1048572 of the 1048576"), "{message}");
    assert!(
        message
            .contains("`call.uni`\n      thread [0, 0, 0] of block [0, 0, 0] has freed the memory"),
        "{message}"
    );
    assert!(session.free(first).is_err());
}

/// The address of a constant also works in `ld.global`, as on a GPU, where constants are in global memory.
#[test]
fn a_constant_is_read_by_an_address_that_the_host_gives() {
    let constants = ".const .align 4 .u32 numbers[3] = {7, 8, 9};";
    let body = "ld.global.u64 %rd1, [%out]; ld.global.u32 %r1, [%rd1+8]; ld.u32 %r2, [%rd1]; add.u32 %r1, %r1, %r2;
        st.global.u32 [%out], %r1;";
    let mut session = session(0);
    let read = session.load("read.ptx", &writes(constants, body)).unwrap();
    let past = body.replace("%rd1+8", "%rd1+12");
    let past = session.load("past.ptx", &writes(constants, &past)).unwrap();
    let change = body.replace("ld.u32 %r2, [%rd1]", "st.global.u32 [%rd1], %r1");
    let change = session
        .load("change.ptx", &writes(constants, &change))
        .unwrap();
    let (address, _) = session.variable(read, "numbers").unwrap();
    let out = session.allocate("out", address.to_le_bytes().to_vec());
    launch(&mut session, read, out).unwrap();
    assert_eq!(word(&mut session, out), 16);
    for (module, expected) in [
        (past, "4 bytes at 0xc are outside of constants of 12 bytes"),
        (change, "a write to read-only memory"),
    ] {
        session.write(out, &address.to_le_bytes()).unwrap();
        let message = launch(&mut session, module, out).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

/// ptxas 13.0 reads the constant in all kernels but the last of the text, and in their callees.
#[test]
fn a_parameter_with_the_name_of_a_variable_is_read_in_the_last_kernel_alone() {
    let kernel = |name: &str| {
        format!(
            ".visible .entry {name}(.param .u64 out, .param .u32 factor) {{
            .reg .b32 %r<4>; .reg .b64 %out; ld.param.u64 %out, [out]; ld.param.u32 %r1, [factor];
            st.global.u32 [%out], %r1; ret; }}\n"
        )
    };
    let constant = ".const .align 4 .u32 factor = 7;\n";
    let run = |text: &str, entry: &str| {
        let mut session = session(0);
        let loaded = session.load("factor.ptx", &module(text)).unwrap();
        let out = session.allocate("out", vec![0; 4]);
        let launch = Launch::new(entry, 1, 1).argument(Argument::Address(out));
        session.launch(loaded, &launch.scalar(5_u32))?;
        Ok(word(&mut session, out))
    };
    let both = format!("{constant}{}{}", kernel("a"), kernel("b"));
    assert_eq!(run(&both, "b"), Ok(5));
    let failure: Failure = run(&both, "a").unwrap_err();
    assert_eq!(failure.error_name.as_deref(), Some("UNSUPPORTED"));
    let message = failure.to_string();
    assert!(
        message.contains("`factor` names both a parameter and a variable of the module"),
        "{message}"
    );
    assert!(message.contains("`ld.param.u32`"), "{message}");
    // A name that only the parameter has, and the variable declared after the kernels.
    assert_eq!(run(&(kernel("a") + &kernel("b")), "a"), Ok(5));
    let behind = format!("{}{}{constant}", kernel("a"), kernel("b"));
    assert!(run(&behind, "a").is_err());
    // A variable of a call, by the same name.
    let calls = format!(
        "{constant}.func twice(.param .u32 x) {{ ret; }}
        .visible .entry a(.param .u64 out, .param .u32 number) {{
            {{ .param .u32 factor; st.param.u32 [factor], 1; call.uni twice, (factor); }} ret; }}\n"
    );
    assert!(run(&(calls.clone() + &kernel("b")), "a").is_err());
    assert_eq!(run(&calls, "a"), Ok(0));
}

#[test]
fn what_only_the_device_runtime_has_is_refused_by_name() {
    let calls = |name: &str| {
        format!(
            "{} .extern .func (.param .b32 result) {name}(.param .b64 buffer);
            .visible .entry k() {{ .reg .b64 %rd<2>;
            {{ .param .b64 buffer; .param .b32 result; st.param.b64 [buffer], 0;
            call.uni (result), {name}, (buffer); }} ret; }}",
            module("")
        )
    };
    let cases = [
        (
            "cudaLaunchDeviceV2",
            "launches a kernel from a kernel (dynamic parallelism)",
        ),
        (
            "__cudaCDP2LaunchDeviceV2",
            "launches a kernel from a kernel (dynamic parallelism)",
        ),
        (
            "__cudaCDP2GetParameterBufferV2",
            "launches a kernel from a kernel (dynamic parallelism)",
        ),
        (
            "__cudaCDP2DeviceGetLimit",
            "is a function of CUDA's device runtime",
        ),
        (
            "cudaDeviceSynchronize",
            "is a function of CUDA's device runtime",
        ),
        ("other", "has no body in this module"),
    ];
    for (name, expected) in cases {
        let mut session = session(0);
        let loaded = session.load("calls.ptx", &calls(name)).unwrap();
        let message = session.launch(loaded, &Launch::new("k", 1, 1)).unwrap_err();
        assert_eq!(message.error_name.as_deref(), Some("UNSUPPORTED"));
        let message = message.to_string();
        assert!(
            message.contains(&format!("`{name}` {expected}")),
            "{message}"
        );
    }
}

/// All of the dynamic shared memory that a GPU provides without opting in: 48 KiB.
#[test]
fn blocks_have_as_much_dynamic_shared_memory_as_an_h100_gives_them() {
    let body = "mov.u32 %r1, bytes; add.u32 %r1, %r1, 232444; st.shared.u32 [%r1], 5; ld.shared.u32 %r2, [%r1];
        mov.u32 %r3, %dynamic_smem_size; add.u32 %r2, %r2, %r3; st.global.u32 [%out], %r2;";
    let mut session = session(0);
    let text = writes(".extern .shared .align 16 .b8 bytes[];", body);
    let module = session.load("large.ptx", &text).unwrap();
    let out = session.allocate("out", vec![0; 4]);
    let of = |bytes: u32| {
        let launch = Launch::new("k", 1, 1).argument(Argument::Address(out));
        launch.shared_bytes(bytes)
    };
    session.launch(module, &of(227 * 1024)).unwrap();
    assert_eq!(word(&mut session, out), 227 * 1024 + 5);
    let message = session.launch(module, &of(227 * 1024 + 1)).unwrap_err();
    assert!(message.to_string().contains("shared-bytes: "), "{message}");
}

/// Like a C++ object that one kernel makes and another uses: it points to its table of virtual functions.
#[test]
fn a_kernel_calls_a_function_that_an_earlier_one_pointed_to() {
    let text = module(
        ".func (.reg .b32 d) add_one(.reg .b32 a) { add.u32 d, a, 1; ret; }
        .global .align 8 .u64 table[2] = {0, add_one};
        .visible .entry make(.param .u64 out) {
            .reg .b64 %rd<3>;
            ld.param.u64 %rd1, [out]; mov.u64 %rd2, table; st.global.u64 [%rd1], %rd2; ret;
        }
        .visible .entry k(.param .u64 out) {
            .reg .b32 %r<2>; .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [out]; ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd2+8];
            PROTO: .callprototype (.reg .b32 _) _ (.reg .b32 _);
            mov.u32 %r1, 41; call (%r1), %rd3, (%r1), PROTO;
            st.global.u32 [%rd1], %r1; ret;
        }",
    );
    let mut session = session(0);
    let module = session.load("object.ptx", &text).unwrap();
    let out = session.allocate("out", vec![0; 8]);
    let make = Launch::new("make", 1, 1).argument(Argument::Address(out));
    session.launch(module, &make).unwrap();
    launch(&mut session, module, out).unwrap();
    assert_eq!(word(&mut session, out), 42);
}

#[test]
fn a_module_that_a_job_lacks_is_named() {
    let text = writes("", COUNT);
    let mut job = Job::new(Ptx {
        name: "count.ptx",
        text: &text,
    });
    let out = job.buffer(Buffer::zeroed::<u32>("out", 1));
    job.launch(Launch::new("k", 1, 1).buffer(out).of_module(1));
    let message = EmulatorBackend::new(0).check(&mut job).unwrap_err();
    assert!(
        message
            .to_string()
            .contains("module number 1 does not exist"),
        "{message}"
    );
}

#[test]
fn names_in_a_message_have_the_same_order_in_each_run() {
    let names = ["c", "f", "a", "e", "b", "d"];
    let variables = names.map(|name| format!(".global .u32 sum_{name};"));
    let mut session = session(0);
    let module = session.load("k.ptx", &writes(&variables.concat(), ""));
    let failure = session.variable(module.unwrap(), "x").unwrap_err();
    let text = "upload: the module has no variable `x`: there are `sum_a`, `sum_b`, `sum_c`, `sum_d`, `sum_e`, `sum_f`";
    assert_eq!(failure.to_string(), text);
}
