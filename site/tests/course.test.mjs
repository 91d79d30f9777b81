// Each level begins with its finding, whatever the seed, and its solution is clean and leaves the expected memory.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ask, CORRECT, inputs, kinds, levels, withBug } from "./site.mjs";

const SEEDS = 16;

test("levels have a number of their own, a page and a task", () => {
  assert.ok(levels.length >= 5);
  assert.equal(new Set(levels.map(({ id }) => id)).size, levels.length);
  for (const { id, page, summary, start, toml, sources } of levels) {
    for (const part of ["<figure ", "<h3>Task</h3>", "Hint 1", 'class="why"']) assert.ok(page.includes(part), `${id}: ${part}`);
    assert.ok(summary && toml.includes("[[expect]]") && sources.length > 0, id);
    const [{ text }] = sources;
    assert.notEqual(withBug(text, start), withBug(text, CORRECT), id);
    assert.ok(!/\/\/ (only|not) /.test(withBug(text, CORRECT)), id);
  }
});

for (const level of levels) {
  const variants = inputs({ ...level, bugs: true });
  test(`${level.id}: the start is one of the bugs`, () => {
    assert.ok(variants.some(({ name }) => name === level.start && name !== CORRECT));
  });
  for (const { name, bug, input } of variants) {
    test(`${level.id}, ${name}`, () => {
      for (let seed = 0; seed < SEEDS; seed++) {
        const run = ask({ verb: "run", ...input, seed, max_steps: 1_000_000 });
        assert.equal(run.message ?? null, null);
        assert.deepEqual(kinds(run.findings, bug.kinds), [...bug.kinds].sort(), `seed ${seed}`);
        if (name === CORRECT) assert.equal(run.verdict, "clean");
      }
    });
  }
}
