// Step through a seed's schedule, forwards and backwards: a step backwards is a replay of the same schedule.

import { make, plural, say } from "./dom.js";
import { bytesOf } from "./memory.js";

/** States that are asked for at once, around the step that is shown. */
const WINDOW = 32;
const ROW = 16;

/** The steps of one seed. */
export class Steps {
  constructor(container, checker, { onshow }) {
    this.checker = checker;
    this.onshow = onshow;
    const button = (label, title, move) => make("button", { type: "button", title, onclick: () => this.#run(move) }, label);
    this.slider = make("input", {
      type: "range", min: "0", value: "0", "aria-label": "Step",
      oninput: () => this.#run(() => this.go(Number(this.slider.value))),
    });
    this.position = make("output", { class: "position" });
    this.warp = make("select", {
      "aria-label": "Steps of",
      onchange: () => this.#run(() => this.go(this.at)),
    });
    this.next = make("p", { class: "next", "aria-live": "polite" });
    this.state = make("div", { class: "state" });
    container.replaceChildren(
      make("div", { class: "bar", role: "group", "aria-label": "Step" },
        button("◀◀ phase", "Back to the phase before", () => this.phase(-1)),
        button("◀ step", "One step back", () => this.move(-1)),
        button("step ▶", "One step on", () => this.move(1)),
        button("phase ▶▶", "On to where the next phase is complete", () => this.phase(1)),
        button("finding", "To the next finding", () => this.toFinding()),
        this.warp),
      this.slider, this.position, this.next, this.state);
  }

  /** Begins anew with another input. */
  async begin(input) {
    this.input = input;
    this.cache = new Map();
    const list = await this.checker.ask({ verb: "steps", ...input });
    if (list.message) throw new Error(list.message);
    this.list = list;
    this.phases = list.phases;
    const warps = [...new Set(list.steps.map(([block, warp]) => `${block}:${warp}`))];
    this.warp.replaceChildren(make("option", { value: "" }, "every warp"), ...warps.slice(0, 256).map((id) => {
      const [block, warp] = id.split(":");
      return make("option", { value: id }, `block ${block}, warp ${warp}`);
    }));
    this.slider.max = String(Math.max(0, list.steps.length - 1));
    await this.go(0);
  }

  /** Moves among the steps of the warp that is chosen. */
  async move(by) {
    let at = this.at + by;
    while (this.list.steps[at] && !this.#isOfWarp(this.list.steps[at])) at += by;
    if (this.list.steps[at]) await this.go(at);
  }

  async phase(by) {
    const at = by > 0
      ? this.phases.find((phase) => phase > this.at)
      : this.phases.findLast((phase) => phase < this.at) ?? 0;
    if (at === undefined) say("No further phase is completed.");
    else await this.go(Math.min(at, this.list.steps.length - 1));
  }

  /** Goes on to the next finding, and after the last to the first. */
  async toFinding() {
    const steps = [...this.list.findings].sort((a, b) => a - b);
    const at = steps.find((step) => step > this.at) ?? steps[0];
    if (at === undefined) say("This seed has no finding.");
    else await this.go(at);
  }

  #isOfWarp([block, warp]) {
    return this.warp.value === "" || this.warp.value === `${block}:${warp}`;
  }

  async go(at) {
    this.at = at;
    if (!this.cache.has(at)) {
      const from = Math.max(0, at - WINDOW / 2);
      const answer = await this.checker.ask({ verb: "states", ...this.input, from, to: from + WINDOW });
      answer.states.forEach((state, index) => this.cache.set(from + index, state));
    }
    if (this.at !== at) return;
    const state = this.cache.get(at);
    if (!state) return;
    this.slider.value = String(at);
    this.position.textContent = `step ${at + 1} of ${this.list.steps.length}${this.list.cut ? ", the first of them" : ""}`;
    this.#show(state, this.cache.get(at - 1));
    this.onshow?.(state, at);
  }

  #show(state, before) {
    this.next.replaceChildren(...summary(state));
    const sections = [mbarriers(state), copies(state), warps(state), registers(state, before), ...tiles(state, before), shared(state, before)];
    this.state.replaceChildren(...sections.filter(Boolean));
  }

  async #run(move) {
    try {
      await move();
    } catch (error) {
      say(error.message, "bad");
    }
  }
}

const lanesOf = (mask) => mask === -1 || mask === 0xffffffff ? "all lanes" : `lanes ${ranges(mask >>> 0)}`;

function ranges(mask) {
  const parts = [];
  for (let lane = 0; lane < 32; lane++) {
    if (!(mask & (1 << lane))) continue;
    const first = lane;
    while (lane < 31 && mask & (1 << (lane + 1))) lane++;
    parts.push(first === lane ? String(first) : `${first}–${lane}`);
  }
  return parts.join(", ") || "none";
}

function section(title, ...children) {
  return make("section", {}, make("h3", {}, title), ...children);
}

function grid(headings, rows) {
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": headings.join(", ") },
    make("table", {},
      make("thead", {}, make("tr", {}, headings.map((heading) => make("th", { scope: "col" }, heading)))),
      make("tbody", {}, rows)));
}

const row = (cells, kind) => make("tr", { class: kind }, cells.map((cell) => make("td", {}, String(cell))));

function summary({ block, warp, lanes, line, opcode, resumes }) {
  return [
    `Warp ${warp} of block ${block}, ${lanesOf(lanes)}, ${resumes ? "waits in" : "is about to execute"} `,
    make("code", {}, opcode), ` at line ${line}.`,
  ];
}

function mbarriers({ mbarriers }) {
  if (mbarriers.length === 0) return undefined;
  return section("Barriers in shared memory", grid(
    ["mbarrier", "block", "phase", "arrivals missing", "bytes missing"],
    mbarriers.map(({ name, block, phase, pending, expected, pending_bytes }) =>
      row([name.replace(/^mbarrier /, ""), block, phase, `${pending} of ${expected}`, pending_bytes]))));
}

function copies({ copies }) {
  if (copies.length === 0) return undefined;
  return section("Copies in flight", grid(
    ["copy of line", "by thread", "to", "bytes to read", "bytes to write"],
    copies.map(({ line, thread, to, unread_bytes, unwritten_bytes }) =>
      row([line, thread, to ?? "", unread_bytes, unwritten_bytes]))));
}

function warps({ warps, warp: running }) {
  const rows = warps.flatMap((groups, warp) => groups.length === 0
    ? [row([warp, "", "ended", ""])]
    : groups.map(({ lanes, line, pause }) =>
      row([warp, lanesOf(lanes), pause ? `waits ${pause}` : "can run", line], warp === running ? "current" : "")));
  return section("Warps of the block", grid(["warp", "lanes", "state", "line"], rows));
}

function value(type, hex) {
  if (type === "pred") return hex === "0" ? "false" : "true";
  const bits = BigInt(`0x${hex}`);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits, true);
  if (type === "f32") return String(view.getFloat32(0, true));
  if (type === "f64") return String(view.getFloat64(0, true));
  return bits < 1n << 20n ? String(bits) : `0x${hex}`;
}

function registers({ registers, lanes, warp, block }, before) {
  if (registers.length === 0) return undefined;
  const lane = Math.max(0, 31 - Math.clz32(lanes & -lanes));
  const known = before?.warp === warp && before?.block === block
    ? new Map(before.registers.map(({ name, lanes }) => [name, lanes.join()]))
    : undefined;
  const rows = registers.map(({ name, type, lanes }) => {
    const isUniform = lanes.every((other) => other === lanes[0]);
    const kind = known && known.get(name) !== lanes.join() ? "changed" : "";
    const others = isUniform ? "the same in all lanes" : lanes.slice(0, 8).map((hex) => value(type, hex)).join(" ") + " …";
    return row([name, type, value(type, lanes[lane]), others], kind);
  });
  return section(`Registers of warp ${warp}`, grid(["register", "type", `lane ${lane}`, "lanes 0 to 7"], rows));
}

/** Draws the boxes of tensor copies: rows in the tensor's order, each piece with its place after the swizzle. */
function tiles({ tiles, block }, before) {
  const old = before?.block === block ? new Map(before.tiles.map((tile) => [tile.address, tile.rows])) : new Map();
  return tiles.map(({ address, type, extents, swizzle, piece_bytes, rows, row_count }) => {
    const known = old.get(address);
    const lines = rows.map(({ address, pieces }, number) => make("tr", {},
      make("th", { scope: "row" }, `row ${number}, 0x${address.toString(16)}`),
      pieces.map(({ address, place, values }, at) => {
        const text = values.join(" ");
        const isNew = known && known[number]?.pieces[at]?.values.join(" ") !== text;
        return make("td", { class: isNew ? "changed" : undefined, title: `at 0x${address.toString(16)}` },
          make("span", { class: "piece", style: `background: hsl(${(place * 45) % 360} 70% 80%)` }, String(place)), ` ${text}`);
      })));
    const title = `Tile at 0x${address.toString(16)}: ${type} × ${extents.join(" × ")}, swizzle ${swizzle}`;
    return section(title,
      make("p", { class: "next" }, `Before each piece of ${plural(piece_bytes, "byte")} is its place after the swizzle.`,
        row_count > rows.length && ` The first ${rows.length} of ${row_count} rows.`),
      make("div", { class: "scroll words", tabindex: "0", role: "region", "aria-label": title },
        make("table", {}, make("tbody", {}, lines))));
  });
}

function shared({ shared: hex, shared_start }, before) {
  if (hex === "") return undefined;
  const bytes = bytesOf(hex);
  const old = before?.shared === undefined ? undefined : bytesOf(before.shared);
  const view = new DataView(bytes.buffer);
  const rows = [];
  for (let at = 0; at + 4 <= Math.min(bytes.length, 4096); at += 4 * ROW) {
    const cells = [];
    for (let word = at; word < Math.min(at + 4 * ROW, bytes.length - 3); word += 4) {
      const isNew = old && [0, 1, 2, 3].some((byte) => old[word + byte] !== bytes[word + byte]);
      cells.push(make("td", { class: isNew ? "changed" : undefined }, String(view.getUint32(word, true))));
    }
    rows.push(make("tr", {}, make("th", { scope: "row" }, `0x${(shared_start + at).toString(16)}`), cells));
  }
  return section(`Shared memory, ${plural(bytes.length, "byte")}, as words`,
    make("div", { class: "scroll words", tabindex: "0", role: "region", "aria-label": "Shared memory" },
      make("table", {}, make("tbody", {}, rows))));
}
