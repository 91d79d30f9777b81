// The module reports what the command reports.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";

import { ask, CORRECT, examples, inputs, kinds, read } from "./site.mjs";

const { TMA, MOST_COMPRESSED_BYTES } = process.env;
const folder = mkdtempSync(join(tmpdir(), "tma-site-"));
after(() => rmSync(folder, { recursive: true }));

/** Runs `tma emulate` on the same texts, in files. */
function native({ toml, modules, strict }, seed) {
  writeFileSync(join(folder, "launch.toml"), toml);
  for (const { name, text } of modules) writeFileSync(join(folder, name), text);
  const options = ["--json", "--seed", String(seed), ...(strict ? ["--strict"] : [])];
  const { stdout, stderr } = spawnSync(TMA, ["emulate", "launch.toml", ...options], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout);
}

const place = (site) => site && [site.line, site.instruction, site.thread, site.block];
const essence = ({ kind, severity, here, there, title, notes }) =>
  ({ kind, severity, here: place(here), there: place(there), title, notes });

test("the compressed module is small", () => {
  const bytes = gzipSync(read("checker.wasm"), { level: 9 }).length;
  console.log(`checker.wasm: ${read("checker.wasm").length} bytes, ${bytes} by gzip`);
  assert.ok(bytes <= Number(MOST_COMPRESSED_BYTES), `${bytes} bytes`);
});

for (const example of examples) {
  for (const { name, bug, input } of inputs(example)) {
    test(`${example.id}, ${name}`, () => {
      for (const seed of [0, 1]) {
        const expected = native(input, seed);
        const run = ask({ verb: "run", ...input, seed });
        assert.equal(run.message ?? null, expected.message);
        assert.equal(run.verdict, expected.verdict);
        assert.equal(run.steps, expected.runs[0].steps);
        assert.deepEqual(run.findings.map(essence), expected.runs[0].findings.map(essence));
        assert.deepEqual(run.notes.map(essence), expected.runs[0].notes.map(essence));
        assert.deepEqual(kinds(run.findings, bug.kinds), [...bug.kinds].sort());
      }
    });
  }
}

test("a launch file with errors has the command's violations", () => {
  const { toml, modules } = examples[0];
  const input = { toml: toml.replace("grid = 1", "grid = 0\nblok = 3"), modules };
  const expected = native(input, 0);
  const refused = ask({ verb: "check", ...input });
  assert.equal(refused.verdict, "error");
  assert.deepEqual(refused.violations, expected.mistakes);
  assert.ok(refused.violations.length > 0);
});

test("other inputs that are wrong are refused with a message", () => {
  const { toml, modules } = examples[0];
  const message = (request) => ask(request).message;
  assert.match(message({ verb: "nothing" }), /unknown variant/);
  assert.match(message({ verb: "check", toml, modules: [] }), /there is no PTX/);
  assert.match(message({ verb: "check", toml, modules: [{ ...modules[0], text: "mov" }] }), /expected/);
  const dump = `${toml}\n[[dump]]\nbuffer = "output"\nfile = "x"\n`;
  assert.match(message({ verb: "check", toml: dump, modules }), /needs files/);
  const large = toml.replace(/length = \d+/, "length = 100000000");
  assert.match(message({ verb: "check", toml: large, modules }), /use at most/);
});

test("memory before and after", () => {
  const example = examples.find(({ id }) => id === "add_one");
  const { buffers } = ask({ verb: "run", toml: example.toml, modules: example.modules, seed: 3 });
  const [{ name, type, changed, before, after }] = buffers;
  assert.deepEqual([name, type, changed], ["numbers", "i32", 4096]);
  assert.equal(before.slice(0, 24), "000000000100000002000000");
  assert.equal(after.slice(0, 24), "010000000200000003000000");
});

test("steps count phases and bytes as the kernel does", () => {
  const example = examples.find(({ id }) => id === "relay");
  const [{ input }] = inputs(example);
  const { steps, phases } = ask({ verb: "steps", ...input, seed: 0 });
  const lines = input.modules[0].text.split("\n");
  const at = (opcode) => steps.findIndex(([, , , line]) => lines[line - 1].includes(opcode));
  const state = (step) => ask({ verb: "states", ...input, seed: 0, from: step, to: step + 1 }).states[0];
  const [init, expect] = [at("mbarrier.init"), at("expect_tx")];
  assert.deepEqual(state(init).mbarriers, []);
  const [barrier] = state(expect).mbarriers;
  assert.deepEqual([barrier.phase, barrier.pending, barrier.expected, barrier.pending_bytes], [0, 1, 1, 0]);
  // The copy of 128 bytes is in flight between its issue and the end of phase 0.
  const load = at("cp.async.bulk.shared");
  const copies = state(load + 1).copies;
  assert.equal(copies.length, 1);
  assert.equal(lines[copies[0].line - 1].includes("cp.async.bulk.shared"), true);
  assert.ok(phases.length >= 1 && phases[0] > load);
  assert.equal(state(phases[0]).mbarriers[0].phase, 1);
  // The same seed repeats its steps; registers have the names of the text.
  assert.deepEqual(ask({ verb: "steps", ...input, seed: 0 }).steps, steps);
  const thread = state(steps.length - 1).registers.find(({ name }) => name === "%thread");
  assert.deepEqual(thread.lanes.slice(0, 3), ["0", "1", "2"]);
});

test("a finding is at the step after which the checker had it", () => {
  const example = examples.find(({ id }) => id === "expectation");
  const { input } = inputs(example).find(({ name }) => name !== CORRECT);
  const { findings: [{ here }] } = ask({ verb: "run", ...input, seed: 0 });
  const { steps, findings } = ask({ verb: "steps", ...input, seed: 0 });
  const [, warp, , line] = steps[findings[0]];
  assert.deepEqual([warp, line], [Math.floor(here.thread[0] / 32), here.line]);
});

test("a map is drawn at the coordinates", () => {
  const example = examples.find(({ id }) => id === "negate_tile");
  const draw = (at) => ask({ verb: "draw", toml: example.toml, modules: example.modules, map: "tiles", at });
  assert.match(draw([0, 0]).summary[0], /8 rows, 1024 bytes, 0 of them out of bounds/);
  // 32 columns from 96 on, of which the tensor has 4: 28 x 4 bytes of 8 rows are outside.
  assert.match(draw([96, 0]).summary[0], /896 of them out of bounds/);
  assert.match(draw([0, 0]).svg, /^<svg/);
  assert.match(ask({ verb: "draw", toml: example.toml, modules: example.modules, map: "tile", at: [0, 0] }).message, /did you mean `tiles`/);
});

test("every schedule", () => {
  const [correct, ...others] = inputs(examples.find(({ id }) => id === "relay"));
  const search = (input) => ask({ verb: "search", ...input, bound: 10_000 }).launches[0];
  assert.equal(search(correct.input).verdict, "proved");
  const found = search(others[0].input);
  assert.equal(found.verdict, "findings");
  assert.deepEqual([...new Set(found.findings.map(({ kind }) => kind))], others[0].bug.kinds);
});

test("speed beside the command", () => {
  const example = examples.find(({ id }) => id === "pipeline");
  const toml = example.toml.replaceAll("length = 8192", "length = 524288").replace("{ u32 = 8 }", "{ u32 = 512 }");
  const input = { toml, modules: example.modules };
  native(input, 0);
  const seconds = (run) => {
    const start = performance.now();
    run();
    return (performance.now() - start) / 1000;
  };
  const command = seconds(() => execFileSync(TMA, ["emulate", "launch.toml", "--json"], { cwd: folder }));
  ask({ verb: "run", ...input, seed: 0 });
  const module = seconds(() => assert.equal(ask({ verb: "run", ...input, seed: 0 }).verdict, "clean"));
  console.log(`pipeline: command ${command.toFixed(2)} s, module ${module.toFixed(2)} s, ratio ${(module / command).toFixed(2)}`);
});
