// The playground: texts on the left, results on the right.

import { Cancelled, Checker } from "./client.js";
import { byId, make, plural, say, showDrawing } from "./dom.js";
import { Editor } from "./editor.js";
import { marksOf, showFindings } from "./findings.js";
import { showForm } from "./launch-form.js";
import { fromFragment, toFragment } from "./link.js";
import { Maps } from "./maps.js";
import { showMemory } from "./memory.js";
import { OWN, propose } from "./own.js";
import { runSeeds } from "./seeds.js";
import { Steps } from "./steps.js";
import { Tabs } from "./tabs.js";
import { bugs, CORRECT, title, withBug } from "./variants.js";

/** The most schedules of a search. */
const BOUND = 20_000;
/** The most characters of a timeline that is drawn. */
const MOST_DRAWN = 3_000_000;

const checker = new Checker();
const examples = [...await (await fetch(new URL("data/examples.json", import.meta.url))).json(), OWN];
const inputTabs = new Tabs(byId("input-tabs"));
const resultTabs = new Tabs(byId("result-tabs"));
for (const id of ["findings", "memory", "timeline", "steps", "map"]) {
  resultTabs.add(id, id[0].toUpperCase() + id.slice(1), byId(`panel-${id}`));
}

const launch = new Editor("Launch file in TOML", { oninput: edited });
const form = make("div", { class: "form" });
const errors = make("div", { class: "errors", role: "alert" });
const proposal = make("button", { type: "button", onclick: proposed }, "Propose from the PTX");
/** The PTX modules and the sources: an editor for each, by name. */
let modules = new Map();
let sources = new Map();
let shown = { id: "own", variant: CORRECT };
let last;

const maps = new Maps(byId("panel-map"), checker);
const steps = new Steps(byId("panel-steps"), checker, {
  onshow: ({ line, opcode }) => {
    const editor = modules.values().next().value;
    editor?.mark([[line, "now"]]);
    editor?.reveal(line, false);
    byId("panel-steps").dataset.opcode = opcode;
  },
});

function panel(id, ...children) {
  const element = make("div", { class: "panel", id: `panel-${id}` }, ...children);
  byId("input-panels").append(element);
  return element;
}

function open({ toml, modules: texts, sources: others = [] }) {
  inputTabs.keep([]);
  modules = new Map(texts.map(({ name, text }) => [name, withText(new Editor(`PTX of ${name}`, { oninput: edited }), text)]));
  sources = new Map(others.map(({ name, text }) => [name, withText(new Editor(`Source ${name}`, { readOnly: true }), text)]));
  launch.value = toml;
  for (const [at, [name, editor]] of [...modules].entries()) inputTabs.add(`ptx-${at}`, name, panel(`ptx-${at}`, editor.element));
  inputTabs.add("launch", "Launch", panel("launch", make("div", { class: "bar proposal" }, proposal), form, errors, launch.element));
  for (const [at, [name, editor]] of [...sources].entries()) inputTabs.add(`source-${at}`, name, panel(`source-${at}`, editor.element));
  if (toml === "") proposed();
  inputTabs.show("ptx-0");
  byId("panel-findings").replaceChildren(make("p", {}, "Not run yet."));
  for (const id of ["memory", "timeline"]) byId(`panel-${id}`).replaceChildren(make("p", {}, "Run the kernel first."));
  last = undefined;
  if (toml !== "") check();
}

/** Writes a launch file for the first kernel of the first module. */
async function proposed() {
  const answer = await checker.ask({ verb: "kernels", modules: input().modules });
  const module = answer.modules.find(({ kernels }) => kernels.length > 0);
  const message = answer.modules.find(({ message }) => message)?.message;
  if (!module) return say(message ?? "The PTX has no kernel.", "bad");
  launch.value = propose(module.name, module.kernels[0]);
  return check();
}

function withText(editor, text) {
  editor.value = text;
  return editor;
}

/** Returns what all requests have in common. */
function input() {
  return {
    toml: launch.value,
    modules: [...modules].map(([name, editor]) => ({ name, text: editor.value })),
    strict: example()?.strict ?? false,
  };
}

const example = () => examples.find(({ id }) => id === shown.id);

let timer;
function edited() {
  clearTimeout(timer);
  timer = setTimeout(check, 300);
}

/** Checks the launch file against its modules, and renews form and maps. */
async function check() {
  try {
    const answer = await checker.ask({ verb: "check", ...input() });
    refused(answer);
    if (answer.message) return;
    showForm(form, answer.launches, launch, check);
    await maps.show(input(), answer.maps, undefined);
  } catch (error) {
    if (!(error instanceof Cancelled)) say(error.message, "bad");
  }
}

let isRefused = false;

/** Shows what is wrong with the input, if anything is. */
function refused({ message, violations = [] }) {
  errors.replaceChildren(...(message ? [make("pre", {}, message)] : []));
  launch.mark(violations.map(({ line }) => [line, "here"]));
  if (message) say(violations.length > 0 ? "The launch file needs a change; see the tab Launch." : message.split("\n")[0], "bad");
  // What a run has reported stays.
  else if (isRefused) say("");
  isRefused = Boolean(message);
}

/** Runs something that takes its time and can be cancelled. */
async function busy(work) {
  const buttons = [byId("run"), byId("search")];
  for (const button of buttons) button.disabled = true;
  byId("cancel").disabled = false;
  isRefused = false;
  try {
    await work();
  } catch (error) {
    say(error instanceof Cancelled ? "Cancelled." : error.message, error instanceof Cancelled ? "" : "bad");
  } finally {
    for (const button of buttons) button.disabled = false;
    byId("cancel").disabled = true;
  }
}

async function run() {
  const count = Math.min(1000, Math.max(1, Number.parseInt(byId("seeds").value, 10) || 1));
  const given = input();
  const started = performance.now();
  say("Running…");
  const { refused: why, findings, shown: one } = await runSeeds(checker, given, count, ({ runs, bad }) =>
    say(`${runs} of ${plural(count, "seed")}, ${bad} with findings`));
  if (why) return refused(why);
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  const { bad, list } = findings;
  show(list);
  say(bad > 0
    ? `Findings under ${bad} of ${plural(count, "seed")}, in ${seconds} s.`
    : `Clean under ${plural(count, "seed")}, in ${seconds} s.`, bad > 0 ? "bad" : "good");
  showMemory(byId("panel-memory"), one.buffers);
  last = { ...given, seed: one.seed };
  const timeline = await checker.ask({ verb: "timeline", ...last });
  if (timeline.svg?.length > MOST_DRAWN) {
    byId("panel-timeline").replaceChildren(make("p", {}, "The timeline has too many events for a drawing; launch fewer blocks, or use tma emulate --trace."));
  } else if (timeline.svg) {
    showDrawing(byId("panel-timeline"), timeline.svg, `Timeline of seed ${one.seed}: warps, copies and phases`);
  }
  await steps.begin(last);
  marked(list[0]?.finding);
}

async function search() {
  say("Searching through schedules…");
  const answer = await checker.ask({ verb: "search", ...input(), bound: BOUND });
  if (answer.message) return refused(answer);
  const findings = answer.launches.flatMap(({ findings }) => findings);
  show(findings.map((finding) => ({ finding, seeds: [] })));
  const lines = answer.launches.map(({ entry, verdict, schedules, covered, results, why, steps }) => make("section", {},
    make("h3", {}, `${entry}: ${verdict}`),
    make("p", {}, `${plural(schedules, "schedule")} explored, ${covered} more covered, ${results} different contents of memory${why ? `; ${why}` : ""}.`),
    steps.length > 0 && make("details", {}, make("summary", {}, "The schedule"), make("ol", { class: "schedule" }, steps.map((step) => make("li", {}, step))))));
  byId("panel-findings").append(...lines);
  const isProved = answer.launches.every(({ verdict }) => verdict === "proved");
  say(isProved ? "Proved: every schedule of these launches is clean." : findings.length > 0 ? "A schedule has a finding." : "Not finished.", isProved ? "good" : "bad");
  marked(findings[0]);
}

function show(list) {
  showFindings(byId("panel-findings"), list, follow);
  resultTabs.show("findings");
}

function marked(finding) {
  for (const [name, editor] of modules) {
    const isHere = finding?.here?.file === name || modules.size === 1;
    editor.mark(finding && isHere ? marksOf(finding) : []);
  }
}

/** Goes to one of the two places of a finding, in the PTX and in the source. */
function follow(finding, which) {
  const site = finding[which];
  const names = [...modules.keys()];
  const at = Math.max(0, names.indexOf(site.file));
  const editor = modules.get(names[at]);
  const others = [...sources.values()];
  marked(finding);
  const line = site.source?.line;
  const source = line && [...sources.keys()].findIndex((name) => site.source.file.endsWith(name));
  if (line && source >= 0) {
    const both = [["there", finding.there], ["here", finding.here]];
    others[source].mark(both.filter(([, site]) => site?.source).map(([kind, site]) => [site.source.line, kind]));
    others[source].reveal(line, false);
  }
  inputTabs.show(`ptx-${at}`);
  editor.reveal(site.line);
}

/** Chooses an entry, and opens its texts, or others that were edited. */
function choose(id, variant = CORRECT, edited = undefined) {
  const chosen = examples.find((example) => example.id === id);
  shown = { id, variant };
  byId("example").value = id;
  const variants = chosen.bugs ? [{ name: CORRECT, kinds: [] }, ...bugs(chosen.modules[0].text)] : [];
  byId("variant-label").hidden = variants.length === 0;
  byId("variant").replaceChildren(...variants.map(({ name, kinds }) =>
    make("option", { value: name }, kinds.length > 0 ? `${title(name)}: ${kinds.join(", ")}` : title(name))));
  byId("variant").value = variant;
  byId("about").textContent = chosen.about;
  const texts = chosen.bugs
    ? chosen.modules.map(({ name, text }) => ({ name, text: withBug(text, variant) }))
    : chosen.modules;
  open(edited ?? { ...chosen, modules: texts });
}

async function copyLink() {
  const state = {
    ...shown,
    toml: launch.value,
    modules: input().modules,
    sources: [...sources].map(([name, editor]) => ({ name, text: editor.value })),
    seeds: byId("seeds").value,
    at: maps.at,
  };
  history.replaceState(null, "", await toFragment(state));
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is on the clipboard; it holds everything that you see.", "good");
  } catch {
    say("The link is in the address bar; it holds everything that you see.", "good");
  }
}

async function restore() {
  try {
    const state = await fromFragment(location.hash);
    if (state) {
      byId("seeds").value = state.seeds;
      maps.at = state.at ?? {};
      if (examples.some(({ id }) => id === state.id)) choose(state.id, state.variant, state);
      else open(state);
      return;
    }
  } catch {
    say("The link is damaged; the first example is shown.", "bad");
  }
  const [, id, variant] = location.hash.match(/^#example=([\w-]+)(?:&variant=(\w+))?$/) ?? [];
  choose(examples.some((example) => example.id === id) ? id : examples[0].id, variant);
}

const groups = Map.groupBy ? Map.groupBy(examples, ({ group }) => group) : new Map([["Examples", examples]]);
byId("example").append(...[...groups].map(([group, list]) => make("optgroup", { label: group },
  list.map(({ id, title }) => make("option", { value: id }, title)))));
byId("example").addEventListener("change", () => choose(byId("example").value));
byId("variant").addEventListener("change", () => choose(shown.id, byId("variant").value));
byId("run").addEventListener("click", () => busy(run));
byId("search").addEventListener("click", () => busy(search));
byId("cancel").addEventListener("click", () => checker.cancel());
byId("link").addEventListener("click", copyLink);
addEventListener("hashchange", restore);
await restore();
document.body.dataset.ready = "true";
