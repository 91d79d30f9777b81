// The page in Chromium, as a person uses it.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";

import { examples, levels, SITE } from "./site.mjs";

const { CHROMIUM, MODULES, SCREENSHOTS } = process.env;
const require = createRequire(MODULES);
const { chromium } = require("playwright-core");
const AXE = require.resolve("axe-core/axe.min.js");

const TYPES = {
  ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".json": "application/json",
  ".svg": "image/svg+xml",
};
/** The folder of the page on the server: not the root, as on pages of a project. */
const FOLDER = "/a/folder/";

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  try {
    const file = join(SITE, normalize(pathname.slice(FOLDER.length)));
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    response.end(await readFile(file));
  } catch {
    response.writeHead(404).end();
  }
});

let browser;
let origin;

before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await chromium.launch({ executablePath: await which(CHROMIUM), args: ["--no-sandbox"] });
});

after(async () => {
  await browser?.close();
  server.close();
});

async function which(name) {
  const { execFileSync } = await import("node:child_process");
  return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
}

/** Opens a page; fails if it asks another server, or for what is not there, or has an error. */
async function open(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:") && !url.startsWith("blob:")) wrong.push(`request of ${url}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) wrong.push(`${response.status()} of ${response.url()}`);
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(message.text());
  });
  page.setDefaultTimeout(60_000);
  await page.goto(`${origin}${FOLDER}${path}`);
  await page.waitForSelector("body[data-ready]");
  return {
    page,
    async close() {
      await context.close();
      assert.deepEqual(wrong, []);
    },
  };
}

const status = (page) => page.locator("#status");

async function run(page, seeds = 2) {
  await page.getByLabel("Seeds").fill(String(seeds));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForFunction(() => /^(Clean|Findings) under/.test(document.getElementById("status").textContent)
    && document.getElementById("cancel").disabled);
  return status(page).textContent();
}

test("every example runs clean", async () => {
  const { page, close } = await open("index.html");
  for (const { id } of examples) {
    await page.getByLabel("Example").selectOption(id);
    assert.match(await run(page), /^Clean under 2 seeds/, id);
    await page.getByRole("tab", { name: "Memory" }).click();
    assert.ok(await page.locator("#panel-memory table").count() > 0, id);
    await page.getByRole("tab", { name: "Timeline" }).click();
    assert.equal(await page.locator("#panel-timeline svg").count(), 1, id);
  }
  await close();
});

test("a finding leads to its two lines", async () => {
  const { page, close } = await open("index.html#example=relay&variant=no_fences");
  assert.match(await run(page), /^Findings under 2 of 2 seeds/);
  const finding = page.locator(".finding").first();
  assert.equal(await finding.locator(".kind").textContent(), "missing-proxy-fence");
  for (const which of ["here", "there"]) {
    const place = finding.locator(`.place.${which}`);
    const line = Number((await place.locator(".line").textContent()).replace("line ", ""));
    const opcode = await place.locator("code").textContent();
    await place.click();
    const marked = page.locator(`.mark.${which}`);
    assert.equal(await marked.getAttribute("data-line"), String(line));
    const text = await page.locator("textarea").first().inputValue();
    assert.ok(text.split("\n")[line - 1].includes(opcode), `line ${line}: ${opcode}`);
    const cursor = await page.locator("textarea").first().evaluate((area) => area.selectionStart);
    assert.equal(text.slice(0, cursor).split("\n").length, line);
    assert.ok(await marked.isVisible());
  }
  await close();
});

test("a finding in CUDA C++ marks the lines of the source", async () => {
  const { page, close } = await open("index.html#example=add_one");
  const area = page.locator("textarea").first();
  const text = await area.inputValue();
  await area.fill(text.replaceAll("fence.proxy.async", "// fence.proxy.async"));
  assert.match(await run(page), /^Findings/);
  await page.locator(".place.here").first().click();
  await page.getByRole("tab", { name: "add_one.cu" }).click();
  assert.ok(await page.locator("#panel-source-0 .mark.here").isVisible());
  await close();
});

test("steps go forwards and backwards, by phase and to the finding", async () => {
  const { page, close } = await open("index.html#example=expectation&variant=copy_of_the_next_phase");
  await run(page, 1);
  await page.getByRole("tab", { name: "Steps" }).click();
  const position = page.locator(".position");
  const at = async () => Number((await position.textContent()).match(/step (\d+)/)[1]);
  const press = async (name, change) => {
    const old = await position.textContent();
    await page.getByRole("button", { name }).click();
    if (change) await page.waitForFunction((old) => document.querySelector(".position").textContent !== old, old);
  };
  assert.equal(await at(), 1);
  const first = await page.locator("#panel-steps .state").textContent();
  await press("step ▶", true);
  assert.equal(await at(), 2);
  await press("◀ step", true);
  assert.equal(await at(), 1);
  assert.equal(await page.locator("#panel-steps .state").textContent(), first);
  await press("phase ▶▶", true);
  const phase = page.locator("#panel-steps section", { hasText: "Barriers in shared memory" }).locator("tbody td").nth(2);
  assert.equal(await phase.textContent(), "1");
  await press("◀◀ phase", true);
  await press("finding", true);
  const line = Number((await page.locator(".next").textContent()).match(/line (\d+)/)[1]);
  assert.equal(await page.locator(".mark.now").getAttribute("data-line"), String(line));
  const lines = await page.locator(".finding .place.here .line").allTextContents();
  assert.ok(lines.includes(`line ${line}`));
  await close();
});

test("shared memory is a tile with its swizzle", async () => {
  const { page, close } = await open("learn.html#tensor-maps");
  await page.getByRole("button", { name: "Open in the playground" }).click();
  await page.waitForSelector("body[data-ready] #run");
  await run(page, 1);
  await page.getByRole("tab", { name: "Steps" }).click();
  const old = await page.locator(".position").textContent();
  await page.getByRole("button", { name: "phase ▶▶" }).click();
  await page.waitForFunction((old) => document.querySelector(".position").textContent !== old, old);
  const tile = page.locator("#panel-steps section", { hasText: "swizzle 128b" });
  assert.match(await tile.locator("h3").textContent(), /^Tile at 0x800: u32 × 32 × 8, swizzle 128b$/);
  const cells = await tile.locator("tbody tr").nth(3).locator("td").allTextContents();
  // Piece `i` of row `r` is at place `i xor r`.
  assert.deepEqual(cells.map((cell) => cell.split(" ")[0]), ["3", "2", "1", "0", "7", "6", "5", "4"]);
  assert.deepEqual(cells.map((cell) => Number(cell.split(" ")[1])), [96, 100, 104, 108, 112, 116, 120, 124]);
  await close();
});

test("coordinates of a map can be moved", async () => {
  const { page, close } = await open("index.html#example=negate_tile");
  await page.getByRole("tab", { name: "Map" }).click();
  const summary = page.locator(".summary");
  await page.waitForFunction(() => /, 0 of them out of bounds/.test(document.querySelector(".summary").textContent));
  await page.getByLabel("Coordinate 0").fill("96");
  await page.waitForFunction(() => /896 of them out of bounds/.test(document.querySelector(".summary").textContent));
  assert.ok(await page.locator("#panel-map svg").isVisible());
  await page.getByLabel("Coordinate 0").fill("1");
  await page.waitForFunction(() => /box at \[1, 0\]|multiple of 16/.test(document.querySelector(".summary").textContent));
  assert.ok(await summary.isVisible());
  await close();
});

test("the form and the launch file are one, and both are checked", async () => {
  const { page, close } = await open("index.html#example=groups");
  await page.getByRole("tab", { name: "Launch" }).click();
  const block = page.getByLabel("Block", { exact: true });
  await block.fill("many");
  await block.blur();
  assert.match(await page.locator("#launch-0-block-error").textContent(), /whole numbers/);
  await block.fill("2000");
  await block.blur();
  await page.waitForFunction(() => /2000/.test(document.querySelector(".errors").textContent));
  assert.match(await page.locator(".errors").textContent(), /launch\.toml:\d+/);
  await page.getByLabel("Block", { exact: true }).fill("128");
  await page.getByLabel("Block", { exact: true }).blur();
  await page.waitForFunction(() => document.querySelector(".errors").textContent === "");
  assert.match(await page.getByLabel("Launch file in TOML").inputValue(), /^block = 128$/m);
  await close();
});

test("a pasted kernel gets a launch file and runs", async () => {
  const { page, close } = await open("index.html");
  await page.getByLabel("Example").selectOption("own");
  await page.waitForFunction(() => document.querySelector("#panel-launch textarea").value !== "");
  assert.match(await run(page), /^Clean/);
  const ring = examples.find(({ id }) => id === "ring").modules[0].text;
  await page.locator("textarea").first().fill(ring);
  await page.getByRole("tab", { name: "Launch" }).click();
  await page.getByRole("button", { name: "Propose" }).click();
  await page.waitForFunction(() => /entry = "ring"/.test(document.querySelector("#panel-launch textarea").value));
  const toml = await page.getByLabel("Launch file in TOML").inputValue();
  assert.match(toml, /grid = 8\nblock = 128\narguments = \[\{ buffer = "param_0" \}, \{ u32 = 16 \}\]/);
  assert.match(await run(page, 1), /^Clean/);
  await close();
});

test("a link holds the whole state", async () => {
  const { page, close } = await open("index.html#example=groups");
  const area = page.locator("textarea").first();
  await area.fill(`// mine\n${await area.inputValue()}`);
  await page.getByLabel("Seeds").fill("3");
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.waitForFunction(() => location.hash.startsWith("#s="));
  const fragment = await page.evaluate(() => location.hash);
  const other = await open(`index.html${fragment}`);
  assert.match(await other.page.locator("textarea").first().inputValue(), /^\/\/ mine\n/);
  assert.equal(await other.page.getByLabel("Seeds").inputValue(), "3");
  await other.close();
  const damaged = await open("index.html#s=AAAA");
  assert.match(await status(damaged.page).textContent(), /damaged/);
  await damaged.close();
  await close();
});

test("a run can be cancelled", async () => {
  const { page, close } = await open("index.html#example=groups");
  const area = page.locator("textarea").first();
  await area.fill((await area.inputValue()).replace("\tret;", "again:\n\tbra again;\n\tret;"));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForFunction(() => document.getElementById("status").textContent === "Cancelled.");
  await page.getByLabel("Example").selectOption("relay");
  assert.match(await run(page), /^Clean/);
  await close();
});

test("every schedule is proved or has its finding", async () => {
  const { page, close } = await open("index.html#example=relay");
  const search = () => page.getByRole("button", { name: "Every schedule" }).click();
  await search();
  await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Proved"));
  await page.getByLabel("Variant").selectOption("no_fences");
  await search();
  await page.waitForFunction(() => document.getElementById("status").textContent === "A schedule has a finding.");
  await close();
});

test("tabs and findings work by keyboard", async () => {
  const { page, close } = await open("index.html#example=relay&variant=no_fences");
  await page.getByRole("button", { name: "Run", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /^Findings under/.test(document.getElementById("status").textContent));
  await page.getByRole("tab", { name: "Findings" }).focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("tab", { name: "Memory" }).getAttribute("aria-selected"), "true");
  await page.keyboard.press("Home");
  await page.locator(".place.there").first().focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "TEXTAREA");
  await close();
});

test("a level is finished by mending its kernel", async () => {
  const { page, close } = await open("learn.html");
  const check = () => page.getByRole("button", { name: "Check" }).click();
  await check();
  await page.waitForFunction(() => /^Findings under/.test(document.getElementById("status").textContent));
  assert.equal(await page.locator(".finding .kind").first().textContent(), "read-before-completion");
  // As the third hint says.
  const area = page.locator("textarea").first();
  const lines = (await area.inputValue()).split("\n");
  const at = lines.findIndex((line) => line.includes("ld.shared.u32 %number, [%at];"));
  const [read] = lines.splice(at, 1);
  lines.splice(lines.findIndex((line) => line.includes("@!%done bra wait;")) + 1, 0, read);
  await area.fill(lines.join("\n"));
  await check();
  await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Level 1 is done"));
  await page.locator(".next-level").click();
  await page.waitForFunction((title) => document.querySelector("h2").textContent === `2. ${title}`, levels[1].title);
  assert.equal(await page.locator(".tick").first().textContent(), "✓");
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  assert.equal(await page.locator(".tick").first().textContent(), "✓");
  await close();
});

const LOOKS = [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { viewport: { width: 390, height: 844 } }],
];

for (const [look, options] of LOOKS) {
  test(`axe has no objection: ${look}`, async () => {
    const { page, close } = await open("index.html#example=relay&variant=no_fences", { bypassCSP: true, ...options });
    await page.addScriptTag({ path: AXE });
    const objections = async (name) => {
      if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${look}-${name}.png`), fullPage: true });
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]), [], name);
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
      assert.equal(isWide, false, `${name} scrolls sideways`);
    };
    await run(page, 2);
    await objections("findings");
    for (const tab of ["Memory", "Timeline", "Steps"]) {
      await page.getByRole("tab", { name: tab }).click();
      await objections(tab.toLowerCase());
    }
    await page.getByLabel("Example").selectOption("negate_tile");
    await page.getByRole("tab", { name: "Map" }).click();
    await page.getByRole("tab", { name: "Launch" }).click();
    await page.waitForSelector("#panel-map svg");
    await objections("map");
    await page.goto(`${origin}${FOLDER}learn.html`);
    await page.waitForSelector("body[data-ready]");
    await page.addScriptTag({ path: AXE });
    await page.getByRole("button", { name: "Check" }).click();
    await page.waitForFunction(() => /^Findings under/.test(document.getElementById("status").textContent));
    await objections("level");
    await close();
  });
}
