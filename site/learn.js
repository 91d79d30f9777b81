// The course: a level is done when its kernel is clean under all seeds and leaves the expected memory.

import { Cancelled, Checker } from "./client.js";
import { byId, make, plural, say } from "./dom.js";
import { Editor } from "./editor.js";
import { marksOf, showFindings } from "./findings.js";
import { toFragment } from "./link.js";
import { runSeeds } from "./seeds.js";
import { bugs, CORRECT, title, withBug } from "./variants.js";

/** Seeds under which a kernel must be clean. */
const SEEDS = 16;
const DONE = "tma-levels-done";

const checker = new Checker();
const levels = await (await fetch(new URL("data/levels.json", import.meta.url))).json();
// The kernels in Rust have the marks of their bug.
for (const source of levels.flatMap(({ sources }) => sources)) source.text = withBug(source.text, CORRECT);
/** The texts that were edited, by level, while the page is open. */
const texts = new Map();

function done() {
  try {
    return new Set(JSON.parse(localStorage.getItem(DONE) ?? "[]"));
  } catch {
    return new Set();
  }
}

function finish(id) {
  try {
    localStorage.setItem(DONE, JSON.stringify([...done().add(id)]));
  } catch {
    // The page works without storage, and forgets.
  }
}

function showList(current) {
  const finished = done();
  byId("levels").replaceChildren(...levels.map((level, at) => make("li", {},
    make("a", { href: `#${level.id}`, "aria-current": level.id === current && "page" },
      make("span", { class: "tick", "aria-hidden": "true" }, finished.has(level.id) ? "✓" : String(at + 1)),
      make("span", {}, level.title, finished.has(level.id) && make("span", { class: "visually-hidden" }, " (done)"))))));
}

function show(level) {
  const at = levels.indexOf(level);
  const [{ name, text }] = level.modules;
  const variant = (bug) => withBug(text, bug);
  const editor = new Editor(`PTX of ${name}`, { oninput: () => texts.set(level.id, editor.value) });
  editor.value = texts.get(level.id) ?? variant(level.start);

  const page = make("div");
  page.innerHTML = level.page;
  const why = page.querySelector("template.why");
  const results = make("div", { class: "results", "aria-live": "polite" });
  const status = make("p", { class: "status", id: "status", role: "status" });
  const choice = make("select", { id: "variant", onchange: () => put(choice.value) },
    [level.start, ...bugs(text).map(({ name }) => name).filter((bug) => bug !== level.start)]
      .map((bug) => make("option", { value: bug }, bug === level.start ? `the task: ${title(bug)}` : title(bug))));
  const run = make("button", { type: "button", class: "primary", onclick: check }, "Check");
  const open = make("button", { type: "button", onclick: toPlayground }, "Open in the playground");

  function put(bug) {
    editor.value = variant(bug);
    texts.set(level.id, editor.value);
    results.replaceChildren();
    say("");
  }

  const input = () => ({ toml: level.toml, modules: [{ name, text: editor.value }] });

  async function check() {
    run.disabled = true;
    say("Checking…");
    try {
      const { refused, findings } = await runSeeds(checker, input(), SEEDS);
      if (refused) {
        results.replaceChildren(make("pre", { class: "errors" }, refused.message));
        say("The kernel does not run.", "bad");
        return;
      }
      showFindings(results, findings.list, follow);
      const first = findings.list[0]?.finding;
      editor.mark(first ? marksOf(first) : []);
      if (first?.here) editor.reveal(first.here.line, false);
      if (findings.bad > 0) {
        say(`Findings under ${findings.bad} of ${plural(SEEDS, "seed")}.`, "bad");
        return;
      }
      finish(level.id);
      showList(level.id);
      const next = levels[at + 1];
      say(`Level ${at + 1} is done: clean under ${plural(SEEDS, "seed")}, and the memory is as expected.`, "good");
      results.append(
        make("section", { class: "prose" }, make("h3", {}, "Why"), why.content.cloneNode(true)),
        next ? make("p", {}, make("a", { href: `#${next.id}`, class: "next-level" }, `Next: ${next.title}`)) : make("p", {}, "That was the last level."));
    } catch (error) {
      if (!(error instanceof Cancelled)) say(error.message, "bad");
    } finally {
      run.disabled = false;
    }
  }

  function follow(finding, which) {
    editor.mark(marksOf(finding));
    editor.reveal(finding[which].line);
  }

  async function toPlayground() {
    const state = { id: "own", ...input(), seeds: "8", sources: level.sources };
    location.href = `index.html${await toFragment(state)}`;
  }

  byId("level").replaceChildren(
    make("h2", {}, `${at + 1}. ${level.title}`),
    page,
    make("div", { class: "bar", role: "group", "aria-label": "Kernel" },
      make("label", {}, "Kernel ", choice), run, open),
    status,
    editor.element,
    results,
    make("details", { class: "solution" },
      make("summary", {}, "Solution"),
      make("button", { type: "button", onclick: () => put(CORRECT) }, "Put the correct kernel into the editor"),
      make("pre", { tabindex: "0" }, variant(CORRECT))),
    make("details", {},
      make("summary", {}, "The launch file"), make("pre", { tabindex: "0" }, level.toml)),
    ...level.sources.map(({ path, text }) => make("details", {},
      make("summary", {}, `The same in Rust: ${path}`), make("pre", { tabindex: "0" }, text))));
}

function route() {
  const id = location.hash.slice(1);
  const level = levels.find((level) => level.id === id) ?? levels[0];
  showList(level.id);
  show(level);
  document.title = `${level.title} – TMA course`;
}

addEventListener("hashchange", () => {
  route();
  byId("level").focus();
  scrollTo(0, 0);
});
route();
document.body.dataset.ready = "true";
