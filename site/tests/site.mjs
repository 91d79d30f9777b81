// What the tests share: the folder of the page, its data, and the module.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export const SITE = process.env.SITE;

export const read = (name) => readFileSync(join(SITE, name));
export const examples = JSON.parse(read("data/examples.json"));
export const levels = JSON.parse(read("data/levels.json"));

const [{ load }, variants] = await Promise.all([
  import(join(SITE, "checker.js")),
  import(join(SITE, "variants.js")),
]);
export const { bugs, CORRECT, withBug } = variants;

/** Asks the module, as the worker does. */
export const ask = await load(await WebAssembly.compile(read("checker.wasm")));

/** Returns the inputs of an entry: the launch file, and the modules of the correct kernel and of each bug. */
export function inputs({ toml, modules, bugs: hasBugs }) {
  const variant = (bug) => ({
    name: bug.name,
    bug,
    input: {
      toml,
      strict: bug.strict,
      modules: modules.map(({ name, text }) => ({ name, text: hasBugs ? withBug(text, bug.name) : text })),
    },
  });
  const all = hasBugs ? bugs(modules[0].text) : [];
  return [{ name: CORRECT, kinds: [], strict: false }, ...all].map(variant);
}

/** Returns the kinds of findings, each once; without wrong memory, which a bug may cause or not, unless it is expected. */
export function kinds(findings, expected) {
  const all = [...new Set(findings.map(({ kind }) => kind))];
  return all.filter((kind) => kind !== "mismatch" || expected.includes(kind)).sort();
}
